/* Pairs of tiles, and which of their features are near each other.

   The features of two tiles that may come together are listed now and then, each pair with its slack: its distance
   less its reach. Until the next list, or until the pair is measured again, the slack shrinks by no more than the two
   tiles have come closer, substep by substep. In a substep points p of tile a and q of tile b move by w_p and w_q.
   The motion of a is a rigid motion and a remainder e, w_p = m_a + s_a × (p - c_a) + e_p, and for any two points

       w_p - w_q = s_a × (p - q) + [m_a + s_a × (c_b - c_a) - m_b + (s_a - s_b) × (q - c_b)] + e_p - e_q.

   The first term is perpendicular to p - q and does not make it shorter. So the two come closer by no more than the
   other terms, `beside`, which is largest in a corner of b. It is taken over the points that were near a when they
   were listed, and for the others by the radius of b. For a tile and itself only e_p - e_q is left. So a cloth that
   falls, flies, swings and rotates costs only as much as it bends.

   A pair of features becomes a contact if its distance d, its reach r and the rate d' of its distance satisfy

       d - r < 2 h max(0, -d') + 2 h^2 g,

   with g gravity, without which layers at rest would touch in one substep and not in the next. This depends on the
   state alone, and d' has the same bound, with velocities instead of motions. So a few numbers of a pair of tiles
   show that none of its features is due. (The bounds of Chen et al. 2025, "Offset geometric contact", by tile and
   without the rotation.)

   Besides, boxes around the features and their motion in the substep have to touch, with their thickness. Where tiles
   pass each other so fast that the list would be long, only features whose boxes touch are listed. */
#include "contact/particle_contacts.h"
#include "contact/surface_quiet.h"

#include "wide/wide.h"
#include "world/world.h"

#include <assert.h>

#define HALF ((sn_real)0.5)
#define LITTLE                                                                                                         \
    ((sn_real)0.12) /* of the spare of features that are not listed: if tiles move by less, corners at borders need not
                       be checked */
#define WORK_OF_PAIR 100.0 /* ns, about */
#define WORK_OF_NEAR 500.0 /* ns, about */
#define WORD         32u   /* pairs in a word of marks */

typedef struct pairing {
    sn_world *world;
    sn_surfaces *s;
    sn_real h, more; /* s; m: candidates with this much more spare are listed */
} pairing;

static sn_real larger(sn_real a, sn_real b)
{
    return a > b ? a : b;
}

static sn_real lower(sn_real a, sn_real b)
{
    return b < a ? b : a;
}

/* ---- Relative motion of two tiles -------------------------------------------------------------------------------- */

/* Of the corners of b that were near a, the largest |mean + spin × (x - c)|. */
static sn_real against_at_border(const sn_surfaces *s, const sn_surface_pair *pair, sn_vec3 mean, sn_vec3 spin)
{
    const sn_surface_tile *b = &surface_tiles(s)[pair->b];
    const uint32_t *corner = (const uint32_t *)s->corner_table.column[0] + b->first_corner;
    sn_real square = 0;
    for (uint64_t left = pair->border; left; left &= left - 1) {
        const sn_vec3 y = vec3_sub(surface_motions(s)[corner[__builtin_ctzll(left)]].start, b->centre);
        const sn_vec3 v = vec3_add(mean, vec3_cross(spin, y));
        square = larger(square, vec3_dot(v, v));
    }
    return real_sqrt(square);
}

/* The relative motion of two tiles: at a corner y from the centre of b it is mean + spin × y, up to `rest`. It
   excludes a common rotation, which changes no distance. Returns an upper bound of it in b. */
static sn_real against(const sn_surface_tile *a, const sn_surface_tile *b, const sn_surface_rigid *one,
                       const sn_surface_rigid *two, sn_vec3 *mean, sn_vec3 *spin, sn_real *rest)
{
    *mean = vec3_sub(vec3_add(one->mean, vec3_cross(one->spin, vec3_sub(b->centre, a->centre))), two->mean);
    *spin = vec3_sub(one->spin, two->spin);
    *rest = one->rest + two->rest;
    return (vec3_length(*mean) + vec3_length(*spin) * b->radius + *rest) * SN_SURFACE_LONGER;
}

/* m/s, or m: an upper bound of the difference of the velocities or displacements of two vertices, one of each tile. */
static sn_real difference(const sn_surface_rigid *a, const sn_surface_rigid *b)
{
    return (vec3_length(vec3_sub(a->mean, b->mean)) + a->spread + b->spread) * SN_SURFACE_LONGER;
}

/* Sets `wanted`. True if all features that are not listed have more spare than that. */
static bool measure_pair(const pairing *p, sn_surface_pair *pair)
{
    const sn_surfaces *s = p->s;
    const sn_surface_tile *a = &surface_tiles(s)[pair->a], *b = &surface_tiles(s)[pair->b];
    const sn_real twice = 2 * p->h * SN_SURFACE_LONGER;
    sn_vec3 mean, spin;
    sn_real rest, beside = against(a, b, &a->velocity, &b->velocity, &mean, &spin, &rest);
    beside = pair->a == pair->b ? rest : beside;
    pair->wanted = twice * beside + p->more;
    const bool others = pair->turned + (double)pair->wanted < (double)pair->others;
    if (others && pair->a != pair->b && pair->moved + (double)pair->wanted >= (double)lower(pair->next, pair->due))
        pair->wanted = twice * (against_at_border(s, pair, mean, spin) + rest) * SN_SURFACE_LONGER + p->more;
    return others && pair->moved + (double)pair->wanted < (double)pair->next;
}

static sn_real axis_gap(sn_real low, sn_real high, sn_real other_low, sn_real other_high)
{
    return larger(0, larger(other_low - high, low - other_high));
}

static sn_real gap_between(const sn_bounds *a, const sn_bounds *b)
{
    const sn_vec3 d =
        vec3(axis_gap(a->low.x, a->high.x, b->low.x, b->high.x), axis_gap(a->low.y, a->high.y, b->low.y, b->high.y),
             axis_gap(a->low.z, a->high.z, b->low.z, b->high.z));
    return vec3_length(d) / SN_SURFACE_LONGER;
}

static bool fail(sn_world *world)
{
    world->contacts.failed = world_fail(world, SN_ERROR_MEMORY, "no memory for contact of surfaces");
    return false;
}

/* ---- At the start of a substep ----------------------------------------------------------------------------------- */

/* m/s: an upper bound of the speed of approach of features of a pair. */
static sn_real speed_of(const sn_surfaces *s, const sn_surface_pair *pair)
{
    const sn_surface_tile *a = &surface_tiles(s)[pair->a], *b = &surface_tiles(s)[pair->b];
    sn_vec3 mean, spin;
    sn_real rest;
    const sn_real speed = against(a, b, &a->velocity, &b->velocity, &mean, &spin, &rest);
    return pair->a == pair->b ? rest : lower(speed, difference(&a->velocity, &b->velocity));
}

sn_surface_quiet_pair sn_surface_pair_quiet(const sn_surfaces *s, const sn_surface_pair *pair, sn_real ahead)
{
    const sn_surface_tile *a = &surface_tiles(s)[pair->a], *b = &surface_tiles(s)[pair->b];
    const sn_real speed = speed_of(s, pair);
    sn_surface_quiet_pair q = {.a = pair->a,
                               .b = pair->b,
                               .spare = {(sn_real)INFINITY, pair->gap - surface_thickness(s, pair)},
                               .nearer = {speed, speed},
                               .differ = difference(&a->velocity, &b->velocity),
                               .turn = vec3_length(a->velocity.spin) * SN_SURFACE_LONGER};
    if (a->kinematic && b->kinematic)
        q.spare[1] = (sn_real)INFINITY;
    if (!pair->listed)
        return q;
    q.spare[0] = (lower(pair->due, pair->next) - (sn_real)pair->moved) / SN_SURFACE_LONGER;
    q.spare[1] = (pair->others - (sn_real)pair->turned) / SN_SURFACE_LONGER;
    if (pair->smooth && s->quiet.rates && q.spare[0] < ahead * speed) {
        const sn_real nearer = sn_surface_smooth_nearer(s, pair);
        if (nearer < speed) { /* for all features, near or not */
            q.nearer[0] = nearer;
            q.spare[1] = (sn_real)INFINITY;
        }
    } else if (pair->a != pair->b && q.spare[0] < ahead * speed) {
        sn_vec3 mean, spin;
        sn_real rest;
        against(a, b, &a->velocity, &b->velocity, &mean, &spin, &rest);
        q.nearer[0] = lower(speed, (against_at_border(s, pair, mean, spin) + rest) * SN_SURFACE_LONGER);
    }
    return q;
}

/* m: how far vertices of a tile were moved between two substeps, by a tear or by the user. 0 for tiles that were not:
   they keep their lists. */
static sn_real jump_of(const sn_surfaces *s, const sn_surface_tile *tile)
{
    return tile->jumped || surface_skins(s)[tile->skin].shell ? s->jump : 0;
}

static void begin_pair(pairing *p, sn_surface_pair *pair)
{
    const sn_surfaces *s = p->s;
    const sn_surface_tile *a = &surface_tiles(s)[pair->a], *b = &surface_tiles(s)[pair->b];
    pair->asked = pair->due_now = pair->fresh = false;
    pair->nearest = (sn_real)INFINITY;
    if (a->kinematic && b->kinematic) {
        pair->listed = false;
        return;
    }
    const sn_real jump = s->jump > 0 ? jump_of(s, a) + jump_of(s, b) : 0;
    pair->moved += (double)(pair->step + jump) * (double)SN_SURFACE_LONGER;
    pair->turned += (double)(pair->all_step + jump) * (double)SN_SURFACE_LONGER;
    pair->step = pair->all_step = 0;
    if (!pair->listed || !measure_pair(p, pair)) {
        const sn_real most = 2 * p->h * speed_of(s, pair) * SN_SURFACE_LONGER + p->more;
        pair->wanted = pair->listed ? lower(pair->wanted, most) : most;
        pair->all_wanted = most;
        pair->gap = gap_between(&a->box, &b->box);
        pair->listed = false;
        pair->asked = pair->gap <= surface_thickness(s, pair) + most;
    }
    pair->due_now = pair->asked || (pair->listed && pair->moved + (double)pair->wanted >= (double)pair->due);
    pair->waiting = pair->due;
}

static void leave_alone(sn_surface_pair *pair)
{
    pair->asked = pair->due_now = false;
}

/* Marks pairs: the words of different pieces differ. */
static void mark(const sn_surfaces *s, uint32_t i)
{
    const sn_surface_pair *pair = &surface_pairs(s)[i];
    uint32_t *asked = (uint32_t *)s->mark_table.column[0] + i / WORD,
             *due = (uint32_t *)s->mark_table.column[1] + i / WORD;
    if (i % WORD == 0)
        *asked = *due = 0;
    *asked |= (uint32_t)pair->asked << i % WORD;
    *due |= (uint32_t)pair->due_now << i % WORD;
}

static void begin_piece(void *data, uint32_t first, uint32_t end)
{
    pairing *p = data;
    for (uint32_t i = first; i < end; ++i) {
        if (surface_pair_rests(p->s, i))
            leave_alone(&surface_pairs(p->s)[i]);
        else
            begin_pair(p, &surface_pairs(p->s)[i]);
        mark(p->s, i);
    }
}

/* Lists the pairs that one column of marks has. */
static bool collect_marked(const sn_world *world, const sn_surfaces *s, uint32_t column, sn_table *to)
{
    const uint32_t *word = s->mark_table.column[column], words = (s->pair_table.count + WORD - 1) / WORD;
    uint32_t count = 0;
    for (uint32_t i = 0; i < words; ++i)
        count += (uint32_t)__builtin_popcount(word[i]);
    to->count = 0;
    if (!sn_table_reserve(to, &world->allocator, count))
        return false;
    for (uint32_t i = 0; i < words; ++i)
        for (uint32_t left = word[i]; left; left &= left - 1)
            ((uint32_t *)to->column[0])[to->count++] = i * WORD + (uint32_t)__builtin_ctz(left);
    return true;
}

/* Marks all pairs, and lists those that are marked. */
static bool mark_pairs(pairing *p, sn_piece_fn *piece)
{
    sn_world *world = p->world;
    sn_surfaces *s = p->s;
    static_assert(SN_FEW % WORD == 0, "words belong to one piece");
    if (!sn_parallel_reserve(&world->parallel, &world->allocator, s->pair_table.count) ||
        !sn_table_reserve(&s->mark_table, &world->allocator, s->pair_table.count / WORD + 1))
        return fail(world);
    if (!sn_parallel_few(&world->parallel, s->pair_table.count, WORK_OF_PAIR, piece, p))
        return false;
    return (collect_marked(world, s, 0, &s->due_table) && collect_marked(world, s, 1, &s->look_table)) || fail(world);
}

bool sn_surface_pairs_begin(sn_world *world, sn_real h, sn_real more, sn_surface_sweep sweep)
{
    sn_surfaces *s = &world->contacts.surfaces;
    pairing p = {.world = world, .s = s, .h = h, .more = more};
    if (!mark_pairs(&p, begin_piece))
        return false;
    return !s->due_table.count || sn_surface_list(world, h, more, sweep);
}

/* ---- At the end of a substep ------------------------------------------------------------------------------------- */

/* m: features that are farther apart than this stay apart on their paths, as in surface_guard.c. Either no two
   displacements differ by more than SN_SURFACE_FIRM of the distance. Or the relative motion without the common
   rotation is less than HALF of the distance: displacements u × y of the ends of a line y between two points do not
   make it shorter. */
static sn_real least_apart(const sn_surface_tile *a, const sn_surface_tile *b, sn_real beside)
{
    return lower(difference(&a->displacement, &b->displacement) / SN_SURFACE_FIRM, beside / HALF) * SN_SURFACE_LONGER;
}

/* Sets asked (features must be listed), due_now (listed ones must be measured), and how much the tiles approach. */
static void end_pair(pairing *p, sn_surface_pair *pair)
{
    const sn_surfaces *s = p->s;
    const sn_surface_tile *a = &surface_tiles(s)[pair->a], *b = &surface_tiles(s)[pair->b];
    pair->asked = pair->due_now = false;
    if ((!a->changed && !b->changed) || (a->kinematic && b->kinematic))
        return;
    sn_vec3 mean, spin;
    sn_real rest, beside = against(a, b, &a->displacement, &b->displacement, &mean, &spin, &rest);
    beside = pair->a == pair->b ? rest * SN_SURFACE_LONGER : beside;
    const sn_real wanted = least_apart(a, b, beside);
    pair->wanted = wanted;
    if (!pair->listed) {
        pair->asked = pair->gap <= wanted;
    } else {
        const sn_real next = pair->next - (sn_real)pair->moved, others = pair->others - (sn_real)pair->turned;
        const sn_real least =
            lower(pair->nearest, lower(pair->waiting - (sn_real)pair->moved, next)) / SN_SURFACE_LONGER;
        const bool whole = pair->a == pair->b || pair->swept || beside < LITTLE * next;
        const sn_real near = whole ? beside : (against_at_border(s, pair, mean, spin) + rest) * SN_SURFACE_LONGER;
        const sn_real near_wanted = least_apart(a, b, near);
        pair->asked = pair->swept ? a->astray > pair->margin || b->astray > pair->margin
                                  : others <= wanted || next <= near_wanted;
        pair->due_now = least <= larger(near_wanted, SN_SURFACE_CLOSE * surface_thickness(s, pair));
        pair->step = near;
        pair->all_step = beside;
        pair->wanted = pair->asked ? wanted : near_wanted;
    }
    pair->due_now = pair->due_now || pair->asked;
    if (pair->asked) /* they are listed again, with other borders */
        pair->step = pair->all_step = lower(beside, difference(&a->displacement, &b->displacement));
    pair->all_wanted = wanted;
}

static void end_piece(void *data, uint32_t first, uint32_t end)
{
    pairing *p = data;
    for (uint32_t i = first; i < end; ++i) {
        if (surface_pair_rests(p->s, i))
            leave_alone(&surface_pairs(p->s)[i]);
        else
            end_pair(p, &surface_pairs(p->s)[i]);
        mark(p->s, i);
    }
}

/* Notes the candidates of a pair that may have come together. */
static void take_near(const pairing *p, sn_surface_pair *pair)
{
    const sn_surfaces *s = p->s;
    const sn_wide_near *wide = p->world->wide ? p->world->wide->near : &sn_near_scalar;
    const sn_real most = larger(pair->wanted, SN_SURFACE_CLOSE * surface_thickness(s, pair)) * SN_SURFACE_LONGER;
    const sn_real until = ((sn_real)pair->moved + most) * SN_SURFACE_LONGER; /* with a reach of 0 */
    sn_surface_touch *to = (sn_surface_touch *)s->touch_table.column[0] + pair->first;
    uint16_t below[SN_WIDE_BELOW];
    pair->touches = 0;
    for (uint32_t at = pair->first, end = at + pair->count, found; at < end; at += SN_WIDE_BELOW) {
        const uint32_t count = end - at < SN_WIDE_BELOW ? end - at : SN_WIDE_BELOW;
        wide->below(surface_spares(s) + at, count, until, below, &found);
        for (uint32_t i = 0; i < found; ++i) {
            const uint32_t k = at + below[i];
            const sn_real reach = surface_candidates(s)[k].reach,
                          least = (surface_spares(s)[k] - (sn_real)pair->moved + reach) / SN_SURFACE_LONGER;
            to[pair->touches].candidate = k;
            to[pair->touches].weight[0] = least;
            pair->touches += least <= larger(pair->wanted, SN_SURFACE_CLOSE * reach);
        }
    }
}

static void near_piece(void *data, uint32_t first, uint32_t end)
{
    const pairing *p = data;
    for (uint32_t i = first; i < end; ++i)
        take_near(p, &surface_pairs(p->s)[((const uint32_t *)p->s->look_table.column[0])[i]]);
}

bool sn_surface_pairs_end(sn_world *world)
{
    sn_surfaces *s = &world->contacts.surfaces;
    pairing p = {.world = world, .s = s};
    if (!mark_pairs(&p, end_piece) ||
        (s->due_table.count && !sn_surface_list(world, 0, 0, SN_SURFACE_BY_DISPLACEMENT)) ||
        !sn_parallel_few(&world->parallel, s->look_table.count, WORK_OF_NEAR, near_piece, &p))
        return false;
    const uint32_t *look = s->look_table.column[0];
    uint64_t count = 0;
    for (uint32_t i = 0; i < s->look_table.count; ++i)
        count += surface_pairs(s)[look[i]].touches;
    if (count > SN_MAX_COUNT || !sn_table_reserve(&s->near_table, &world->allocator, s->candidate_table.capacity) ||
        !sn_table_reserve(&s->sort_table, &world->allocator, count) ||
        !sn_parallel_reserve(&world->parallel, &world->allocator, (uint32_t)count))
        return fail(world);
    uint32_t *near = s->near_table.column[0];
    sn_real *apart = s->near_table.column[1];
    s->near_table.count = 0;
    for (uint32_t i = 0; i < s->look_table.count; ++i) {
        const sn_surface_pair *pair = &surface_pairs(s)[look[i]];
        const sn_surface_touch *found = (const sn_surface_touch *)s->touch_table.column[0] + pair->first;
        for (uint32_t k = 0; k < pair->touches; ++k) {
            near[s->near_table.count] = found[k].candidate;
            apart[s->near_table.count++] = found[k].weight[0];
        }
    }
    return true;
}
