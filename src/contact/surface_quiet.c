/* Quiet times: surfaces are far from any contact. Then a substep only measures how far vertices are from where they
   were expected.

   Let x0 be positions and v0 velocities at the beginning of a quiet time. At a time t after that a vertex is at x0
   + t v0 + e. |e| is measured: no corner of a tile has more than `away`. For two tiles, v0_q - v0_p = w + s × (x0_q
   - x0_p) with the angular velocity s of the first one and |w| no more than `nearer` (surface_pairs.c). A map 1 + t
   [s]x makes no vector shorter, so

       |x_q - x_p| >= |x0_q - x0_p| - t nearer - away_p - away_q.

   Straight paths within a substep are between two of these, and the same is true of all their points. So until the
   spare of two tiles is used up, no feature is nearer to another than its reach, and the guard would find nothing.
   A contact would need (surface_pairs.c)

       d - r < 2 h c + 2 h^2 g,   c <= nearer + astir_p + astir_q + |s| (t differ + away_p + away_q).

   `astir` is the largest change of velocities since v0, and `differ` the largest difference of velocities v0 of the
   two tiles. The last term: s × (x0_q - x0_p) is perpendicular to x0_q - x0_p, from which x_q - x_p differs by t
   differ + away_p + away_q. So a few numbers of a pair of tiles show that there is no contact. Tiles that are no
   pair stay within their boxes (surface_tiles.c).

   Such a substep reads positions and velocities at its start and positions at its end, and compares them. Pairs of
   tiles whose bounds do not hold, at the beginning or later, are *busy*: they and their two tiles are looked at as
   usual, and the others are passed over. When too many are busy, or the guard has to stop something, all is measured as
   usual, and a new quiet time may begin. No result depends on it. */
#include "contact/callbacks.h"
#include "contact/particle_contacts.h"
#include "contact/surface_pieces.h"
#include "contact/surface_quiet.h"
#include "contact/surface_shells.h"
#include "contact/surface_zones.h"

#include "wide/wide.h"
#include "world/substep.h"
#include "world/world.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#define AHEAD    ((sn_real)10)  /* substeps: a quiet time should last this long, */
#define LEAST    ((sn_real)3)   /* and must be likely to last this long */
#define LONG     ((sn_real)20)  /* substeps: more is not aimed at */
#define SHORT    3u             /* substeps without anything busy, or more: a quiet time must save as much */
#define SURE     ((sn_real)3.5) /* substeps for which `sure` is found */
#define LONGEST  64u            /* substeps between attempts, at most */
#define PART     2u             /* if more than one in so many vertices is in busy tiles, there is no quiet time */
#define FARTHEST ((sn_real)0.3) /* edges: lists need not reach farther */
#define ROUNDED                                                                                                        \
    (SINEW_DOUBLE ? (sn_real)2e-15 : (sn_real)1e-6) /* of the coordinates: more than the error of expected positions */

static sn_real larger(sn_real a, sn_real b)
{
    return a > b ? a : b;
}

static sn_real lower(sn_real a, sn_real b)
{
    return b < a ? b : a;
}

static sn_vec4 *column(const sn_surfaces *s, uint32_t number)
{
    return s->quiet.vertex_table.column[number];
}

static sn_real *squares(const sn_surfaces *s)
{
    return s->quiet.vertex_table.column[SN_QUIET_FAR];
}

static sn_surface_quiet_pair *quiet_pairs(const sn_surfaces *s)
{
    return s->pair_table.column[1];
}

static const sn_wide_near *functions(const sn_world *world)
{
    return world->wide ? world->wide->near : &sn_near_scalar;
}

/* ---- Vertices ---------------------------------------------------------------------------------------------------- */

/* The root of the largest square of a tile's corners. NaN counts as infinite. */
static sn_real farthest(const sn_world *world, const sn_surfaces *s, uint32_t tile)
{
    const sn_surface_quiet_tile *q = &surface_quiet_tiles(s)[tile];
    const uint32_t *borrowed = (const uint32_t *)s->quiet.borrowed_table.column[0] + q->borrowed;
    const sn_real *square = squares(s);
    sn_real most = functions(world)->quiet_most(square + q->first, q->count);
    for (uint32_t k = 0; k < q->borrows; ++k)
        most = square[borrowed[k]] <= most ? most : square[borrowed[k]];
    return most <= (sn_real)1e30 ? real_sqrt(most) : (sn_real)INFINITY;
}

/* m: rounding error of the distance of a corner from its expected position, at a time t. */
static sn_real rounded(const sn_surface_quiet_tile *tile, sn_real t)
{
    return ROUNDED * (vec3_length(tile->box.low) + vec3_length(tile->box.high) + tile->radius +
                      t * (vec3_length(tile->velocity) + tile->spread));
}

/* A loop over vertices. */
typedef struct comparing {
    sn_world *world;
    sn_wide_quiet run;
    atomic_bool moved;
} comparing;

static sn_wide_quiet part_of(const comparing *c, uint32_t first, uint32_t end)
{
    sn_wide_quiet part = c->run;
    part.count = end - first;
    part.slot += first;
    part.start += first;
    part.start_low += first;
    part.speed += first;
    part.end += first;
    part.from += first;
    part.from_speed += first;
    part.square += first;
    return part;
}

static void starts_piece(void *data, uint32_t first, uint32_t end)
{
    comparing *c = data;
    const sn_wide_quiet part = part_of(c, first, end);
    if (functions(c->world)->quiet_starts(&part))
        atomic_store_explicit(&c->moved, true, memory_order_relaxed);
}

static void ends_piece(void *data, uint32_t first, uint32_t end)
{
    const comparing *c = data;
    const sn_wide_quiet part = part_of(c, first, end);
    functions(c->world)->quiet_ends(&part);
}

/* Computes `away` of tiles at a time t, from the squares of vertices. */
static void measure_away(const sn_world *world, sn_surfaces *s, sn_real t)
{
    for (uint32_t i = 0; i < s->tile_table.count; ++i)
        if (!surface_tiles(s)[i].off)
            surface_quiet_tiles(s)[i].away =
                (farthest(world, s, i) + rounded(&surface_quiet_tiles(s)[i], t)) * SN_SURFACE_LONGER;
}

static void measure_astir(const sn_world *world, sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->tile_table.count; ++i)
        if (!surface_tiles(s)[i].off)
            surface_quiet_tiles(s)[i].astir = farthest(world, s, i) * SN_SURFACE_LONGER;
}

/* Computes the squares of vertices at the start of a substep, if something has moved them since the end of the last
   one. False: a vertex has become movable or immovable. */
static bool compare_starts(sn_surfaces *s)
{
    const sn_vec4 *at = column(s, SN_QUIET_START), *from = column(s, SN_QUIET_FROM),
                  *speed = column(s, SN_QUIET_FROM_SPEED);
    const sn_real t = s->quiet.time;
    bool same = true;
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        const sn_vec3 off = vec3_sub(vec3_sub(vec4_xyz(at[i]), vec4_xyz(from[i])), vec3_scale(vec4_xyz(speed[i]), t));
        squares(s)[i] = vec3_dot(off, off);
        same = same && (at[i].w == 0) == (from[i].w == 0);
    }
    return same;
}

/* ---- Checks of the bounds ---------------------------------------------------------------------------------------- */

static bool is_inside(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x >= b->low.x && a->low.y >= b->low.y && a->low.z >= b->low.z && a->high.x <= b->high.x &&
           a->high.y <= b->high.y && a->high.z <= b->high.z;
}

static void include(sn_bounds *box, const sn_bounds *other)
{
    box->low = vec3(lower(box->low.x, other->low.x), lower(box->low.y, other->low.y), lower(box->low.z, other->low.z));
    box->high = vec3(larger(box->high.x, other->high.x), larger(box->high.y, other->high.y),
                     larger(box->high.z, other->high.z));
}

static sn_bounds moved_by(const sn_bounds *a, sn_vec3 by, sn_real grown)
{
    const sn_vec3 more = vec3(grown, grown, grown);
    return (sn_bounds){vec3_sub(vec3_add(a->low, by), more), vec3_add(vec3_add(a->high, by), more)};
}

/* m: an upper bound of the distance of a corner of a tile from the path of its centre. */
static sn_real scatter(const sn_surface_quiet_tile *tile, sn_real t)
{
    return t * tile->spread + tile->away;
}

/* True if tiles are where they are expected, relative to the mean motion. Then tiles that are no pair cannot touch. h:
   s, of the substeps to come. */
static bool tiles_stay(const sn_surfaces *s, sn_real t, sn_real h, sn_real fall)
{
    const sn_vec3 from = dvec3_round(dvec3_scale(s->mean, -1)), velocity = dvec3_round(s->velocity);
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        const sn_surface_tile *tile = &surface_tiles(s)[i];
        const sn_surface_quiet_tile *q = &surface_quiet_tiles(s)[i];
        if (tile->off)
            continue;
        const sn_vec3 against = vec3_sub(q->velocity, velocity);
        const sn_real speed = vec3_length(against) + q->spread + q->astir;
        const sn_real grown = surface_skins(s)[tile->skin].thickness + scatter(q, t) + 2 * h * speed + fall +
                              ROUNDED * vec3_length(from) + rounded(q, t);
        const sn_bounds box = moved_by(&q->box, vec3_add(from, vec3_scale(against, t)), grown * SN_SURFACE_LONGER);
        if (!is_inside(&box, &tile->fat))
            return false;
    }
    return true;
}

/* m: the space in which shells count as near. */
static sn_bounds reached(const sn_surfaces *s, sn_real t, sn_real h)
{
    const sn_real far = (sn_real)INFINITY;
    sn_bounds all = {{far, far, far}, {-far, -far, -far}};
    sn_real thickest = 0;
    for (uint32_t i = 0; i < s->skin_table.count; ++i)
        thickest = larger(thickest, surface_skins(s)[i].thickness);
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        const sn_surface_quiet_tile *q = &surface_quiet_tiles(s)[i];
        const sn_real speed = vec3_length(q->velocity) + q->spread + q->astir;
        const sn_bounds box = moved_by(&q->box, vec3_scale(q->velocity, t),
                                       (scatter(q, t) + 2 * h * speed + 2 * thickest) * SN_SURFACE_LONGER);
        if (!surface_tiles(s)[i].off)
            include(&all, &box);
    }
    return all;
}

/* True if the largest `away` and `astir` of all tiles show that no pair of tiles has used up its spare. */
static bool pairs_surely_stay(const sn_surfaces *s, sn_real t, sn_real h)
{
    const sn_surface_quiet *q = &s->quiet;
    const sn_surface_quiet_tile *tile = surface_quiet_tiles(s);
    sn_real away = 0, astir = 0;
    if (!(t <= q->sure_time))
        return false;
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        away = larger(tile[i].away, larger(tile[i].before, away));
        astir = larger(tile[i].astir, astir);
    }
    return 2 * (away * (1 + 2 * h * q->sure_turn) + 2 * h * astir) * SN_SURFACE_LONGER < q->sure;
}

/* Finds what away and astir may take until a time t, in substeps of h: all that a pair has to spare then. */
static void find_sure(sn_surfaces *s, sn_real t, sn_real h, sn_real fall)
{
    sn_surface_quiet *q = &s->quiet;
    const sn_surface_quiet_pair *pair = quiet_pairs(s);
    const sn_real twice = 2 * h;
    q->sure_time = t;
    q->sure = (sn_real)INFINITY;
    q->sure_turn = 0;
    for (uint32_t i = 0; i < s->pair_table.count; ++i) {
        const sn_surface_quiet_pair *p = &pair[i];
        if (p->busy)
            continue;
        const sn_real turned = twice * p->turn * t * p->differ + fall, ahead = t + twice;
        const sn_real near = p->spare[0] - (ahead * p->nearer[0] + turned) * SN_SURFACE_LONGER,
                      all = p->spare[1] - (ahead * p->nearer[1] + turned) * SN_SURFACE_LONGER;
        q->sure = lower(q->sure, lower(near, all));
        q->sure_turn = larger(q->sure_turn, p->turn);
    }
}

/* Adds to a pair how much its tiles have approached in the quiet time. */
static void settle_pair(sn_surfaces *s, uint32_t i)
{
    const sn_surface_quiet_pair *p = &quiet_pairs(s)[i];
    const sn_real away = surface_quiet_tiles(s)[p->a].before + surface_quiet_tiles(s)[p->b].before, t = s->quiet.time;
    surface_pairs(s)[i].moved += (double)((t * p->nearer[0] + away) * SN_SURFACE_LONGER);
    surface_pairs(s)[i].turned += (double)((t * p->nearer[1] + away) * SN_SURFACE_LONGER);
}

/* late: at the end of a substep. */
static void make_busy(sn_surfaces *s, uint32_t i, bool late)
{
    sn_surface_quiet_pair *p = &quiet_pairs(s)[i];
    p->busy = true;
    surface_pairs(s)[i].restless = !s->quiet.on;
    p->late = late;
    for (uint32_t k = 0; k < 2; ++k) {
        sn_surface_quiet_tile *tile = &surface_quiet_tiles(s)[k ? p->b : p->a];
        if (tile->busy)
            continue;
        tile->busy = true;
        tile->late = late;
        s->quiet.busy += 1 + tile->count; /* a tile may own no vertex */
    }
}

/* Finds the pairs of tiles that have used up their spare at a time t: they become busy. Returns how many. h: s, of the
   substeps to come. */
static uint32_t find_busy(sn_surfaces *s, sn_real t, sn_real h, sn_real fall, bool late)
{
    const sn_surface_quiet_tile *tile = surface_quiet_tiles(s);
    const sn_surface_quiet_pair *pair = quiet_pairs(s);
    const sn_real twice = 2 * h;
    uint32_t found = 0;
    if (pairs_surely_stay(s, t, h))
        return 0;
    for (uint32_t i = 0; i < s->pair_table.count; ++i) {
        const sn_surface_quiet_pair *p = &pair[i];
        const sn_surface_quiet_tile *a = &tile[p->a], *b = &tile[p->b];
        const sn_real away = larger(a->away, a->before) + larger(b->away, b->before);
        const sn_real astir = a->astir + b->astir + p->turn * (t * p->differ + away);
        const sn_real rest = away + twice * astir + fall, ahead = t + twice;
        if (p->busy || ((ahead * p->nearer[0] + rest) * SN_SURFACE_LONGER < p->spare[0] &&
                        (ahead * p->nearer[1] + rest) * SN_SURFACE_LONGER < p->spare[1]))
            continue;
        settle_pair(s, i);
        make_busy(s, i, late);
        ++found;
    }
    if (!found && h > 0 && t > s->quiet.sure_time)
        find_sure(s, t + SURE * h, h, fall);
    return found;
}

/* True if so many tiles are busy, or became so since the quiet time began, that another one pays. Where nothing was busy
   it begins again at once: most pairs are smooth then, and that is cheap. */
static bool is_used_up(const sn_surfaces *s)
{
    const sn_surface_quiet *q = &s->quiet;
    return q->busy > s->vertex_table.count / PART || q->worn > (q->least ? q->paid : 0);
}

static void keep_away(sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->tile_table.count; ++i)
        surface_quiet_tiles(s)[i].before = surface_quiet_tiles(s)[i].away;
}

static void come_back(sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->tile_table.count; ++i)
        surface_quiet_tiles(s)[i].away = surface_quiet_tiles(s)[i].before;
}

/* ---- The beginning of a quiet time ------------------------------------------------------------------------------- */

/* m: the spare that features of a pair need for this many quiet substeps. */
static sn_real needed(const sn_surface_quiet_pair *p, uint32_t which, sn_real substeps, sn_real h, sn_real fall)
{
    return (substeps + 2) * h * p->nearer[which] + fall * (1 + substeps * substeps / 2);
}

static bool lasts(const sn_surface_quiet_pair *p, sn_real substeps, sn_real h, sn_real fall)
{
    return p->spare[0] > needed(p, 0, substeps, h, fall) && p->spare[1] > needed(p, 1, substeps, h, fall);
}

/* True if there is little spare left, or not much and most of it is used up, and a new list may help: when the pair was
   listed last, there was enough. */
static bool is_worn(const sn_surface_pair *pair, const sn_surface_quiet_pair *p, sn_real h, sn_real fall)
{
    if (pair->listed && ((pair->deep && pair->moved == 0) || pair->least < needed(p, 0, LEAST, h, fall)))
        return false;
    return !lasts(p, LEAST, h, fall) ||
           (!lasts(p, AHEAD, h, fall) &&
            (!pair->listed || !pair->deep || pair->moved > (double)p->spare[0] || pair->turned > (double)p->spare[1]));
}

/* True if one of the two tiles is busy: then a list that lasts saves little. */
static bool is_near_busy(const sn_surfaces *s, uint32_t i)
{
    const sn_surface_quiet_pair *p = &quiet_pairs(s)[i];
    return surface_quiet_tiles(s)[p->a].busy || surface_quiet_tiles(s)[p->b].busy;
}

/* Lists pairs again whose spare is too small because their lists are old or short. */
static bool list_deep(sn_world *world, sn_real h, sn_real fall)
{
    sn_surfaces *s = &world->contacts.surfaces;
    uint32_t *due = s->due_table.column[0];
    s->quiet.deep = true;
    s->due_table.count = 0;
    for (uint32_t i = 0; i < s->pair_table.count; ++i) {
        sn_surface_pair *pair = &surface_pairs(s)[i];
        const sn_real wanted = needed(&quiet_pairs(s)[i], 0, AHEAD, h, fall),
                      edge = surface_skins(s)[surface_tiles(s)[pair->a].skin].edge;
        pair->asked = !is_near_busy(s, i) && is_worn(pair, &quiet_pairs(s)[i], h, fall);
        if (!pair->asked)
            continue;
        pair->restless = false;
        pair->wanted = pair->all_wanted = lower(wanted, FARTHEST * edge);
        due[s->due_table.count++] = i;
    }
    return !s->due_table.count || sn_surface_list(world, 0, 0, SN_SURFACE_ALL);
}

/* Notes where tiles are, and how fast. */
static void note_tiles(sn_surfaces *s)
{
    s->quiet.busy = 0;
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        const sn_surface_tile *tile = &surface_tiles(s)[i];
        sn_surface_quiet_tile *q = &surface_quiet_tiles(s)[i];
        q->away = q->before = q->astir = 0;
        q->busy = q->late = false;
        q->box = tile->box;
        q->velocity = tile->velocity.mean;
        q->spread = tile->velocity.spread;
        q->radius = tile->radius;
    }
}

/* Pairs that touch are busy. */
static void note_touches(sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->pair_table.count; ++i) {
        const sn_surface_pair *pair = &surface_pairs(s)[i];
        quiet_pairs(s)[i] = (sn_surface_quiet_pair){.a = pair->a, .b = pair->b};
        if (pair->due_now && pair->touches)
            make_busy(s, i, false);
    }
}

/* Finds the bounds of all pairs. Smooth pairs that might not last are measured again, with all that is known of them.
   Pairs that will not last, and would not with a new list, are busy. */
static bool find_bounds(sn_world *world, sn_real h, sn_real fall)
{
    sn_surfaces *s = &world->contacts.surfaces;
    s->quiet.rates = false;
    for (uint32_t i = 0; i < s->pair_table.count; ++i) {
        sn_surface_pair *pair = &surface_pairs(s)[i];
        if (quiet_pairs(s)[i].busy)
            continue;
        quiet_pairs(s)[i] = sn_surface_pair_quiet(s, pair, LONG * h);
        if (pair->listed && pair->smooth && !lasts(&quiet_pairs(s)[i], LONG, h, fall)) {
            if (!s->quiet.rates && !sn_surface_smooth_rates(world))
                return false;
            s->quiet.rates = true;
            sn_surface_smooth_again(s, pair);
            quiet_pairs(s)[i] = sn_surface_pair_quiet(s, pair, LONG * h);
        }
        if (!lasts(&quiet_pairs(s)[i], LEAST, h, fall) && !is_worn(pair, &quiet_pairs(s)[i], h, fall))
            make_busy(s, i, false);
    }
    return true;
}

static bool is_possible(const sn_world *world, const sn_surfaces *s)
{
    if (s->tangle_table.count || s->suspect || s->some_suspect || !s->pair_table.count ||
        world->contact.sleep.sleepers || sn_callbacks_any(world))
        return false;
    for (uint32_t i = 0; i < s->shell_table.count; ++i)
        if (((const sn_surface_shell *)s->shell_table.column[0])[i].near)
            return false;
    return true;
}

/* Positions and velocities as tiles were measured: contacts may have changed velocities since then. */
static void take_starts(const sn_world *world, sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        const uint32_t vertex = surface_quiet_vertex(s, i);
        const sn_surface_motion *m = &surface_motions(s)[vertex];
        column(s, SN_QUIET_START)[i] = vec4(m->start, world->particles.x[surface_vertices(s)[vertex].slot].w);
        column(s, SN_QUIET_LOW)[i] = vec4(surface_start_lows(s)[vertex], 0);
        column(s, SN_QUIET_SPEED)[i] = vec4(m->velocity, 0);
    }
}

/* The next attempt is after some substeps, and later each time. */
static void wait(sn_surface_quiet *q)
{
    q->tried = q->tried ? 2 * q->tried : 4;
    q->tried = q->tried > LONGEST ? LONGEST : q->tried;
    q->waits = q->tried;
    q->deep = false;
}

bool sn_surface_quiet_try(sn_world *world, sn_real h, sn_real fall)
{
    sn_surfaces *s = &world->contacts.surfaces;
    sn_surface_quiet *q = &s->quiet;
    if (!is_possible(world, s)) {
        q->deep = false;
        return true;
    }
    if (q->waits && q->waits--)
        return true;
    q->worn = q->saved = 0;
    q->paid = s->vertex_table.count;
    note_tiles(s);
    if (!tiles_stay(s, AHEAD * h, h, fall)) {
        s->searched = false;
        if (!sn_surface_tiles_compare(world, h, fall))
            return false;
    }
    note_touches(s);
    if (is_used_up(s)) {
        wait(q);
        return true;
    }
    if (!sn_table_reserve(&s->due_table, &world->allocator, s->pair_table.count)) {
        world->contacts.failed = world_fail(world, SN_ERROR_MEMORY, "no memory for contact of surfaces");
        return false;
    }
    if (!find_bounds(world, h, fall))
        return false;
    if (is_used_up(s)) {
        wait(q);
        return true;
    }
    if (!list_deep(world, h, fall))
        return false;
    for (uint32_t i = 0; i < s->pair_table.count; ++i) {
        if (quiet_pairs(s)[i].busy)
            continue;
        if (surface_pairs(s)[i].moved == 0) {
            quiet_pairs(s)[i] = sn_surface_pair_quiet(s, &surface_pairs(s)[i], LONG * h);
            q->paid += surface_pairs(s)[i].listed ? surface_pairs(s)[i].count : 0;
        }
        if (!lasts(&quiet_pairs(s)[i], LEAST, h, fall))
            make_busy(s, i, false);
    }
    if (is_used_up(s)) {
        wait(q);
        return true;
    }
    q->least = q->busy;
    q->time = 0;
    q->sure_time = -1;
    q->lasted = 0;
    take_starts(world, s);
    memcpy(column(s, SN_QUIET_FROM), column(s, SN_QUIET_START), s->vertex_table.count * sizeof(sn_vec4));
    memcpy(column(s, SN_QUIET_FROM_SPEED), column(s, SN_QUIET_SPEED), s->vertex_table.count * sizeof(sn_vec4));
    q->on = q->held = q->deep = true;
    return true;
}

/* ---- Substeps ---------------------------------------------------------------------------------------------------- */

static void settle(sn_surfaces *s)
{
    sn_surface_quiet *q = &s->quiet;
    for (uint32_t i = 0; i < s->pair_table.count; ++i)
        if (!quiet_pairs(s)[i].busy)
            settle_pair(s, i);
    if (q->saved < SHORT * s->vertex_table.count)
        wait(q);
    else
        q->tried = 0;
    q->on = q->held = false;
    s->ended = false;
}

void sn_surface_quiet_leave(sn_surfaces *s)
{
    if (!s->quiet.on)
        return;
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        surface_motions(s)[surface_quiet_vertex(s, i)].end = vec4_xyz(column(s, SN_QUIET_END)[i]);
    settle(s);
}

static void motions_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_surfaces *s = data;
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t vertex = surface_quiet_vertex(s, i);
        sn_surface_motion *m = &surface_motions(s)[vertex];
        const sn_vec4 start = column(s, SN_QUIET_START)[i];
        m->start = m->end = vec4_xyz(start);
        m->velocity = vec4_xyz(column(s, SN_QUIET_SPEED)[i]);
        m->kinematic = start.w == 0;
        m->share = m->next = 1;
        surface_start_lows(s)[vertex] = vec4_xyz(column(s, SN_QUIET_LOW)[i]);
    }
}

bool sn_surface_quiet_fill(sn_world *world, sn_surfaces *s)
{
    return sn_parallel_for(&world->parallel, s->vertex_table.count, motions_piece, s);
}

/* Sets the ends of the corners of busy tiles. */
static void fill_ends(sn_surfaces *s)
{
    const uint32_t *corner = s->corner_table.column[0], *row = s->quiet.vertex_table.column[SN_QUIET_ROW];
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        const sn_surface_tile *tile = &surface_tiles(s)[i];
        for (uint32_t k = 0; surface_quiet_tiles(s)[i].busy && k < tile->corners; ++k) {
            const uint32_t vertex = corner[tile->first_corner + k];
            sn_surface_motion *m = &surface_motions(s)[vertex];
            m->end = vec4_xyz(column(s, SN_QUIET_END)[row[vertex]]);
            m->share = m->next = 1;
            m->changed = true;
            m->hit = false;
        }
    }
}

/* At the start of a substep: true if the bounds hold, but for pairs that are busy. */
static bool begins_quietly(sn_world *world, sn_surfaces *s, sn_real h, sn_real fall, bool moved)
{
    sn_surface_quiet *q = &s->quiet;
    if (sn_callbacks_any(world) || (moved && (q->busy || !compare_starts(s))))
        return false;
    if (moved)
        measure_away(world, s, q->time);
    if (find_busy(s, q->time, h, fall, false) && moved)
        return false;
    q->worn += q->busy - q->least;
    if (is_used_up(s) || !tiles_stay(s, q->time, h, fall))
        return false;
    if (!s->shell_table.count)
        return true;
    sn_surface_members_begin(world, s);
    s->reached = reached(s, q->time, h);
    return !sn_surface_shells_are_near(world, s, &s->reached, h);
}

sn_surface_quiet_kind sn_surface_quiet_begin(sn_world *world, sn_real h, sn_real fall)
{
    sn_surfaces *s = &world->contacts.surfaces;
    sn_surface_quiet *q = &s->quiet;
    if (!q->on)
        return SN_SURFACE_BUSY;
    comparing c = {.world = world, .run = sn_surface_quiet_run(world, s)};
    if (!sn_parallel_for(&world->parallel, s->vertex_table.count, starts_piece, &c))
        return SN_SURFACE_LOST;
    const bool moved = atomic_load_explicit(&c.moved, memory_order_relaxed);
    measure_astir(world, s);
    if (!begins_quietly(world, s, h, fall, moved)) {
        sn_surface_quiet_leave(s);
        return SN_SURFACE_BUSY;
    }
    if (moved) {
        keep_away(s);
        s->is_stored = false;
    }
    s->jump = 0;
    q->held = true;
    if (q->busy)
        return sn_surface_quiet_fill(world, s) && sn_surface_tiles_measure_again(world, h) ? SN_SURFACE_PARTLY_QUIET
                                                                                           : SN_SURFACE_LOST;
    s->contact_table.count = 0;
    s->by_friction = false;
    return SN_SURFACE_QUIET;
}

bool sn_surface_quiet_is_all(const sn_world *world)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    return s->on && s->quiet.held && !s->quiet.busy && sn_surfaces_are_alone(world);
}

bool sn_surfaces_are_alone(const sn_world *world)
{
    return world->contacts.surfaces.alone && !world->contact.fixed_shape_ids.live && !world->bodies.part_table.count;
}

static sn_real fall_in(const sn_world *world, sn_real h)
{
    return 2 * h * h * vec3_length(world->state.settings.gravity);
}

/* Makes up for the usual start of the substep, except that there are no contacts but those of busy pairs. */
bool sn_surface_quiet_give_up(sn_world *world, sn_real h)
{
    sn_surfaces *s = &world->contacts.surfaces;
    const sn_real fall = fall_in(world, h);
    come_back(s);
    settle(s);
    s->jump = 0;
    return sn_surface_quiet_fill(world, s) && sn_surface_tiles_measure_again(world, h) &&
           sn_surface_tiles_compare(world, h, fall) && sn_surface_pairs_begin(world, h, fall, SN_SURFACE_BY_VELOCITY);
}

/* The same for what has become busy at the end of the substep. */
static bool begin_late(sn_world *world, sn_real h, bool filled)
{
    sn_surfaces *s = &world->contacts.surfaces;
    if (!filled && !sn_surface_quiet_fill(world, s))
        return false;
    s->quiet.late = true;
    const bool done = sn_surface_tiles_measure_again(world, h) &&
                      sn_surface_pairs_begin(world, h, fall_in(world, h), SN_SURFACE_BY_VELOCITY);
    s->quiet.late = false;
    return done;
}

void sn_surface_quiet_keep(sn_world *world, sn_real h)
{
    sn_surfaces *s = &world->contacts.surfaces;
    keep_away(s);
    s->quiet.time += h;
    s->quiet.lasted++;
    s->quiet.saved += s->vertex_table.count - s->quiet.busy;
    for (uint32_t i = 0; s->quiet.busy && i < s->tile_table.count; ++i)
        surface_quiet_tiles(s)[i].late = false;
    for (uint32_t i = 0; s->quiet.busy && i < s->pair_table.count; ++i)
        quiet_pairs(s)[i].late = false;
}

sn_surface_quiet_kind sn_surface_quiet_end(sn_world *world, sn_real h)
{
    sn_surfaces *s = &world->contacts.surfaces;
    sn_surface_quiet *q = &s->quiet;
    if (!q->held)
        return SN_SURFACE_BUSY;
    const bool filled = q->busy;
    comparing c = {.world = world, .run = sn_surface_quiet_run(world, s)};
    c.run.t = q->time + h;
    if (!sn_parallel_for(&world->parallel, s->vertex_table.count, ends_piece, &c))
        return SN_SURFACE_LOST;
    measure_away(world, s, c.run.t);
    bool holds = tiles_stay(s, q->time + h, 0, 0);
    if (holds && s->shell_table.count) {
        const sn_bounds box = reached(s, q->time + h, 0);
        holds = is_inside(&box, &s->reached) || !sn_surface_shells_are_near(world, s, &box, h);
    }
    const uint32_t late = holds ? find_busy(s, q->time + h, 0, 0, true) : 0;
    if (!holds || is_used_up(s))
        return sn_surface_quiet_give_up(world, h) ? SN_SURFACE_BUSY : SN_SURFACE_LOST;
    if (!q->busy) {
        sn_surface_quiet_keep(world, h);
        sn_surface_zones_clear(s);
        return SN_SURFACE_QUIET;
    }
    if (late && !begin_late(world, h, filled))
        return SN_SURFACE_LOST;
    fill_ends(s);
    return SN_SURFACE_PARTLY_QUIET;
}
