/* Surfaces that touch gain no energy by it.

   Contact and the guard hold vertices back, and constraints are stretched by that. In the next substeps these pull, and
   what they pull back by leaves velocity behind: a rod that was stretched by 50 mm and comes back within a substep of 5
   ms leaves 10 m/s. Where things go farther in a substep than they are thick that would grow from substep to substep.

   So the books are kept of everything that hangs together: pieces, by constraints and by what touches in a substep.
   With K the kinetic energy, F the forces, gravity among them, and U what constraints store that give, a piece that
   touches something has, when a substep ends,

       K <= K0 + sum F (x - x0) + U0 - U.

   What is above that is taken from the motion within the piece: velocities come nearer to those of something rigid with
   the same momentum, linear and angular; or to rest, where immovable particles hold it. A ring that was stretched and
   draws together turns faster: then its spin is taken back, too, and angular momentum with it. A constraint that does
   not give stores nothing. One that gives stores a C^2 / 2 (a + h^2 w)^2, with its compliance a and the inverse mass w
   of its row: that is C^2 / 2a where the solver can follow, and nothing where it is so stiff that a substep treats it
   as one that does not give.

   What is driven gains energy, of course. It is let have as much as it has at twice the speed of what drives it:
   kinematic vertices, places to which constraints pull single particles, particles that are no vertices, fixed
   shapes that move. A dynamic body that touches a piece is of it, and so are bodies that touch that one: they gain no
   energy together. Pieces that hang together with other particles, or with bodies that a constraint or a torque of the
   user holds, are left alone. */
#include "constraints/evaluate.h"
#include "contact/body_work.h"
#include "contact/particle_contacts.h"
#include "contact/surface_pieces.h"
#include "contact/particle_work.h"
#include "contact/surface_quiet.h"
#include "contact/surface_shells.h"
#include "contact/surface_zones.h"
#include "world/substep.h"

#include <assert.h>

#define CLEAR   1e-5 /* of the energy, where nothing touches: rods that contact stretched pull back later */
#define SLIGHT  1e-9 /* of the energy: more than numbers round */
#define ROUNDED (SINEW_DOUBLE ? 1e-9 : 1e-6) /*   where bodies are: that of a single body is as exact as one number */

#define UNRAVELS 0.5 /* m/s: the energy that tangles may give, as a velocity; */
#define PULLED   1.0 /*   and no vertex becomes faster by them */

#define WORK_OF_CONSTRAINT 40.0 /* ns, about */

static const sn_surface_shell *shells(const sn_surfaces *s)
{
    return s->shell_table.column[0];
}

static double square(sn_vec3 v)
{
    return (double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z;
}

/* ---- The books
   ------------------------------------------------------------------------------------------------------------------ */

/* N: on a particle, without gravity; NULL: none. */
static const sn_vec3 *forces_of(const sn_world *world)
{
    if (sn_forces_needed(world))
        return world->particles.f;
    return world->state.forces_pending ? world->particles.force : NULL;
}

/* The sums of a piece, while its particles are added. */
static sn_surface_account take(const sn_surface_piece *p)
{
    return (sn_surface_account){p->driven_mass, p->before, p->kinetic, p->work};
}

static void put(sn_surface_piece *p, const sn_surface_account *sums)
{
    if (!p)
        return;
    p->cloth = true;
    p->driven_mass = sums->mass;
    p->before = sums->before;
    p->kinetic = sums->kinetic;
    p->work = sums->work;
}

static void sum_up(const sn_world *world, sn_surfaces *s, double h)
{
    const sn_vec3 *force = forces_of(world), gravity = world->state.settings.gravity;
    for (uint32_t i = 0; i < s->shell_table.count; ++i) {
        sn_surface_piece *p = surface_piece_root(s, sn_surface_piece_of_shell(s, i));
        sn_surface_account body;
        if (sn_surface_member_account(world, s, i, force, &body)) {
            p->bodies = true;
            p->bodies_mass += body.mass;
            p->before += body.before;
            p->kinetic += body.kinetic;
            p->work += body.work;
        } else if (shells(s)[i].number != SN_SURFACE_NONE || shells(s)[i].first == i)
            p->held = true;
        p->left = p->left ||
                  (shells(s)[i].number == SN_SURFACE_NONE && body_is_pulled(&world->bodies.state[shells(s)[i].row]));
    }
    sn_surface_account all = {0};
    sn_surface_piece *of = NULL; /* whose sums these are */
    for (uint32_t i = 0; i < surface_masses(s); ++i) {
        const sn_surface_mass m = surface_mass(s, i);
        sn_surface_piece *p = surface_piece_root(s, m.piece);
        if (p->rests)
            continue;
        const sn_vec4 x = world->particles.x[m.slot];
        const sn_dvec3 displacement = dvec3_sub(dvec3_from(vec4_xyz(x)), dvec3_from(*m.start));
        if (x.w == 0) {
            p->held = true;
            p->driven = fmax(p->driven, dvec3_dot(displacement, displacement) / (h * h));
            continue;
        }
        if (p != of) {
            put(of, &all);
            all = take(p);
            of = p;
        }
        const double mass = 1 / (double)x.w;
        all.mass += mass;
        all.before += mass / 2 * square(m.velocity);
        all.kinetic += mass / 2 * square(vec4_xyz(world->particles.v[m.slot]));
        all.work += mass * dvec3_dot(displacement, dvec3_from(gravity)) +
                    (force ? dvec3_dot(displacement, dvec3_from(force[m.slot])) : 0);
    }
    put(of, &all);
    for (uint32_t i = 0; i < s->piece_table.count; ++i)
        surface_pieces(s)[i].mass = surface_pieces(s)[i].driven_mass + surface_pieces(s)[i].bodies_mass;
}

/* ---- What constraints store
   ----------------------------------------------------------------------------------------------------- */

/* Whether a constraint stores nothing, wherever it is: it does not give, and more than one particle of it moves. */
static bool stores_nothing(const sn_frame *frame, const sn_pool *pool, uint32_t row, uint32_t points)
{
    const uint32_t *point = pool->point + (size_t)row * points;
    uint32_t moved = 0;
    if (!points || pool->give[row].compliance != 0)
        return false;
    for (uint32_t i = 0; i < points && !(point[i] & SN_ANCHOR_BIT); ++i)
        moved += frame->x[frame->slot[point[i]]].w != 0;
    return moved > 1;
}

/* By constraint of a kind: its piece, what it stores, and how fast it pulls. */
typedef struct storing {
    const sn_world *world;
    const sn_pool *pool;
    uint32_t kind;
    double h;
    const uint32_t *piece;
    double *stored; /* J */
    double *pulls;  /* m^2/s^2: of a single particle */
} storing;

/* One row: what it stores, and how fast it pulls a single particle, the first. w: 1/kg, of the row. */
SN_INLINE void add_row(const storing *t, double c, double w, double factor, bool alone, double first, double *stored,
                       double *pulls)
{
    if (!isfinite(c) || !(w > 0))
        return;
    *stored += c * c * factor;
    if (alone) /* by C / |grad C| in a substep */
        *pulls = fmax(*pulls, c * c * first / (w * t->h * t->h));
}

SN_INLINE double factor_of(const storing *t, double give, double w)
{
    const double firm = give + t->h * t->h * w;
    return give / (2 * firm * firm);
}

/* What the rows of a constraint store, and how fast they pull a single particle. Axial rows have the same gradient but
   for its direction. */
static void measure_rows(const storing *t, const sn_block *block, uint32_t count, uint32_t rows, bool axial,
                         uint32_t row)
{
    const double give = (double)t->pool->give[row].compliance;
    double w = 0, stored = 0, pulls = (t->pool->kind->project || t->pool->kind->own_rows) && give > 0 ? HUGE_VAL : 0;
    double factor = 0;
    for (uint32_t i = 0; i < rows; ++i) {
        const double c = (double)block->c[i];
        if (!i || !axial) {
            w = 0;
            for (uint32_t k = 0; k < count; ++k) {
                const sn_vec3 g = block->gradient[i * count + k];
                w += (double)block->w[k] * (axial ? (double)g.x * (double)g.x : square(g));
            }
            factor = factor_of(t, give, w);
        }
        if (!(c > 0 && t->pool->kind->inequality >> i & 1))
            add_row(t, c, w, factor, count == 1, (double)block->w[0], &stored, &pulls);
    }
    t->stored[row] = stored;
    t->pulls[row] = pulls;
}

static void measure_stored(const storing *t, const sn_frame *frame, uint32_t row, uint32_t points, uint32_t rows,
                           bool axial)
{
    sn_block block;
    sn_block_room room;
    t->stored[row] = t->pulls[row] = 0;
    if (t->piece[row] == SN_SURFACE_NONE || stores_nothing(frame, t->pool, row, points) ||
        !evaluate_shape(&t->world->constraints, t->pool, row, frame, &block, &room, points, rows))
        return;
    measure_rows(t, &block, block.count == points ? points : block.count, rows, axial && block.count == points, row);
}

#ifndef __wasm__ /* a page has to be fetched */
/* Rods and bending, of which a cloth has most: the same to the bit, without gradients. False: it has anchors. */
static bool measure_rod(const storing *t, const sn_frame *frame, uint32_t row)
{
    const uint32_t *point = t->pool->point + 2 * (size_t)row;
    if (t->piece[row] == SN_SURFACE_NONE || (point[0] | point[1]) & SN_ANCHOR_BIT)
        return false;
    const uint32_t a = frame->slot[point[0]], b = frame->slot[point[1]];
    const double one = (double)frame->x[a].w, two = (double)frame->x[b].w, give = (double)t->pool->give[row].compliance;
    t->stored[row] = t->pulls[row] = 0;
    if (give == 0 && one != 0 && two != 0)
        return true;
    const sn_real rest = t->pool->param[(size_t)row * t->pool->param_count];
    const sn_vec3 ab =
        vec3_sub(frame_position(frame, a, vec4_xyz(frame->x[a])), frame_position(frame, b, vec4_xyz(frame->x[a])));
    const sn_real length = vec3_length(ab);
    if (!(length > 0 || rest > 0))
        return true;
    const double n = length > 0 ? square(vec3_scale(ab, 1 / length)) : 1, w = one * n + two * n;
    add_row(t, (double)(length - rest), w, factor_of(t, give, w), false, 0, &t->stored[row], &t->pulls[row]);
    return true;
}

static bool measure_bending(const storing *t, const sn_frame *frame, uint32_t row)
{
    const uint32_t *point = t->pool->point + 4 * (size_t)row;
    const sn_real *p = t->pool->param + (size_t)row * t->pool->param_count;
    const sn_real k[4] = {0 - (p[0] + p[1] + p[2]), p[0], p[1], p[2]};
    const double give = (double)t->pool->give[row].compliance;
    if (t->piece[row] == SN_SURFACE_NONE || (point[0] | point[1] | point[2] | point[3]) & SN_ANCHOR_BIT)
        return false;
    double w = 0;
    uint32_t moved = 0;
    sn_vec3 from = {0, 0, 0}, origin = from, c = from;
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t slot = frame->slot[point[i]];
        const double own = (double)frame->x[slot].w;
        origin = i ? origin : vec4_xyz(frame->x[slot]);
        const sn_vec3 x = frame_position(frame, slot, origin);
        from = i ? from : x;
        if (i) {
            const sn_vec3 part = vec3_scale(vec3_sub(x, from), k[i]);
            c = i == 1 ? part : vec3_add(c, part);
        }
        moved += own != 0;
        w += own * ((double)k[i] * (double)k[i]);
    }
    t->stored[row] = t->pulls[row] = 0;
    if (give == 0 && moved > 1)
        return true;
    const double factor = factor_of(t, give, w);
    add_row(t, (double)c.x, w, factor, false, 0, &t->stored[row], &t->pulls[row]);
    add_row(t, (double)c.y, w, factor, false, 0, &t->stored[row], &t->pulls[row]);
    add_row(t, (double)c.z, w, factor, false, 0, &t->stored[row], &t->pulls[row]);
    return true;
}
#endif

#if !defined(NDEBUG) && !defined(__wasm__)
static bool is_the_same(const storing *t, const sn_frame *frame, uint32_t row)
{
    const double stored = t->stored[row], pulls = t->pulls[row];
    measure_stored(t, frame, row, t->pool->kind->points, t->pool->kind->rows, t->pool->kind->axial);
    return t->stored[row] == stored && t->pulls[row] == pulls;
}
#endif

static void measure_stored_piece(void *data, uint32_t first, uint32_t end)
{
    const storing *t = data;
    const sn_frame frame = sn_world_frame(t->world);
    for (uint32_t row = first; row < end; ++row) {
#ifndef __wasm__
        if ((t->kind == SN_KIND_DISTANCE && measure_rod(t, &frame, row)) ||
            (t->kind == SN_KIND_BENDING && measure_bending(t, &frame, row))) {
            assert(is_the_same(t, &frame, row));
            continue;
        }
#endif
        measure_stored(t, &frame, row, t->pool->kind->points, t->pool->kind->rows, t->pool->kind->axial);
    }
}

/* What all constraints store where they are, in two columns of stored_table from this one on. */
static bool measure_all_stored(sn_world *world, sn_surfaces *s, double h, uint32_t column)
{
    uint32_t first = 0;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        const uint32_t count = pool->ids.table.count;
        storing t = {.world = world,
                     .pool = pool,
                     .kind = kind,
                     .h = h,
                     .piece = (const uint32_t *)s->stored_table.column[0] + first,
                     .stored = (double *)s->stored_table.column[column] + first,
                     .pulls = (double *)s->stored_table.column[column + 1] + first};
        first += count;
        if (!s->stores[kind])
            continue;
        if (!pool->kind->points) /* lists are evaluated one at a time */
            measure_stored_piece(&t, 0, count);
        else if (!sn_parallel_few(&world->parallel, count, WORK_OF_CONSTRAINT, measure_stored_piece, &t))
            return false;
    }
    return true;
}

static void exchange_places(sn_world *world, sn_surfaces *s)
{
    for (uint32_t i = 0; i < surface_masses(s); ++i) {
        const sn_surface_mass m = surface_mass(s, i);
        sn_vec4 *x = &world->particles.x[m.slot], *low = &world->particles.x_low[m.slot];
        const sn_vec3 place = vec4_xyz(*x), rest = vec4_xyz(*low);
        *x = vec4(*m.start, x->w);
        *low = vec4(*m.low, low->w);
        *m.start = place;
        *m.low = rest;
    }
}

/* What constraints released in a substep of h, and how fast they pulled: always added in the same order. What they
   store when a substep ends they store when the next one begins, which saves half of the work: no result depends on it.
   */
static bool add_released(sn_world *world, sn_surfaces *s, double h)
{
    sn_surface_pieces_find_storing(world, s);
    const bool known = s->is_stored && s->jump == 0;
    s->is_stored = false;
    if (!s->any_stores)
        return true;
    for (uint32_t k = 1; s->stored_table.capacity && k < 3; ++k) {
        void *before = s->stored_table.column[k];
        s->stored_table.column[k] = s->stored_table.column[k + 2];
        s->stored_table.column[k + 2] = before;
    }
    if (!known) {
        exchange_places(world, s);
        const bool done = measure_all_stored(world, s, h, 3);
        exchange_places(world, s);
        if (!done)
            return false;
    }
    if (!measure_all_stored(world, s, h, 1))
        return false;
    s->is_stored = s->keeps_stored;
    const uint32_t *piece = s->stored_table.column[0], *parent = s->piece_table.column[1];
    const double *after = s->stored_table.column[1], *before = s->stored_table.column[3],
                 *pulls = s->stored_table.column[4];
    uint32_t row = 0;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        const uint32_t end = row + pool->ids.table.count;
        for (; s->stores[kind] && row < end; ++row)
            if (piece[row] != SN_SURFACE_NONE) {
                sn_surface_piece *p = &surface_pieces(s)[parent[piece[row]]];
                p->released += before[row] - after[row];
                p->driven = fmax(p->driven, pulls[row]);
            }
        row = end;
    }
    return true;
}

/* ---- Taking it away
   --------------------------------------------------------------------------------------------------------------- */

/* m^2/s^2: of the fastest particle that is in no piece and no body, fixed shape, or belt. */
static double fastest_other(const sn_world *world, const sn_surfaces *s)
{
    const uint32_t *mover = world->contacts.mover_table.column[0];
    double most = 0;
    for (uint32_t i = 0; i < world->contacts.mover_table.count; ++i) {
        const double speed = (double)motions(&world->contacts)[mover[i]].speed;
        most = fmax(most, speed * speed);
    }
    const sn_static_contact *contact = world->contacts.static_table.column[0];
    for (uint32_t i = 0; i < world->contacts.static_contacts; ++i)
        most = fmax(most, square(contact[i].belt));
    for (uint32_t slot = 0; !s->alone && slot < world->particles.table.count; ++slot)
        if (sn_surface_piece_of(s, world->particles.index[slot]) == SN_SURFACE_NONE && !world->particles.body[slot])
            most = fmax(most, square(vec4_xyz(world->particles.v[slot])));
    return most;
}

/* The piece of a body, if that asks; NULL: it does not, or this is not the first shell of one. */
static sn_surface_piece *asking(const sn_surfaces *s, uint32_t shell)
{
    sn_surface_piece *p = surface_piece_root(s, sn_surface_piece_of_shell(s, shell));
    return p->asks && sn_surface_is_member(s, shell) ? p : NULL;
}

/* The motion of a piece as that of something rigid. */
static void measure_rigid(const sn_world *world, sn_surfaces *s)
{
    bool any = false;
    for (uint32_t i = 0; i < s->piece_table.count; ++i)
        any = any || (surface_pieces(s)[i].asks && !surface_pieces(s)[i].held);
    for (uint32_t turn = 0; any && turn < 2; ++turn) {
        for (uint32_t i = 0; i < surface_masses(s); ++i) {
            const uint32_t slot = surface_mass(s, i).slot;
            sn_surface_piece *p = surface_piece_root(s, surface_mass(s, i).piece);
            const sn_vec4 x = world->particles.x[slot];
            if (p->asks && !p->held && x.w != 0)
                sn_surface_zone_add(&p->rigid, turn, 1 / (double)x.w, dvec3_from(vec4_xyz(x)),
                                    dvec3_from(vec4_xyz(world->particles.v[slot])));
        }
        for (uint32_t i = 0; i < s->shell_table.count; ++i) {
            sn_surface_piece *p = asking(s, i);
            if (p && !p->held)
                sn_surface_member_add(world, s, i, &p->rigid, turn);
        }
        for (uint32_t i = 0; i < s->piece_table.count; ++i)
            sn_surface_zone_settle(&surface_pieces(s)[i].rigid, turn);
    }
}

static sn_vec3 velocity_at(const sn_surface_piece *p, sn_vec3 x)
{
    const sn_dvec3 y = dvec3_sub(dvec3_from(x), p->rigid.centre);
    return dvec3_round(dvec3_add(p->rigid.velocity, dvec3_cross(p->rigid.spin, y)));
}

/* J: what a piece may have. most: m^2/s^2, how fast others are. */
static double allowed_to(const sn_surface_piece *p, double most)
{
    const double pulled = p->tangled ? UNRAVELS * UNRAVELS : 0;
    return fmax(p->before + p->work + p->released, 2 * p->driven_mass * fmax(fmax(p->driven, pulled), most));
}

/* Which pieces have more than that. Whether there is one. */
static bool ask(sn_surfaces *s, double most)
{
    bool any = false;
    for (uint32_t i = 0; i < s->piece_table.count; ++i) {
        sn_surface_piece *p = &surface_pieces(s)[i];
        p->asks =
            p->asks && (p->tangled || p->kinetic > allowed_to(p, most) + (p->bodies ? ROUNDED : SLIGHT) * p->kinetic);
        any = any || p->asks;
    }
    return any;
}

/* J: the energy of the motions within pieces that are not held. */
static void measure_within(const sn_world *world, sn_surfaces *s)
{
    bool any = false;
    for (uint32_t i = 0; i < s->piece_table.count; ++i)
        any = any || (surface_pieces(s)[i].asks && !surface_pieces(s)[i].held);
    for (uint32_t i = 0; any && i < surface_masses(s); ++i) {
        const uint32_t slot = surface_mass(s, i).slot;
        sn_surface_piece *p = surface_piece_root(s, surface_mass(s, i).piece);
        const sn_vec4 x = world->particles.x[slot];
        if (p->asks && !p->held && x.w != 0) {
            const sn_vec3 base = velocity_at(p, vec4_xyz(x));
            p->within += square(vec3_sub(vec4_xyz(world->particles.v[slot]), base)) / (2 * (double)x.w);
        }
    }
    for (uint32_t i = 0; any && i < s->shell_table.count; ++i) {
        sn_surface_piece *p = asking(s, i);
        if (p && !p->held)
            p->within += sn_surface_member_within(world, s, i, &p->rigid);
    }
}

/* Pieces that lean on fixed shapes: these take momentum from them. */
static void find_leaning(const sn_world *world, sn_surfaces *s)
{
    const sn_static_contact *contact = world->contacts.static_table.column[0];
    for (uint32_t i = 0; i < world->contacts.static_contacts; ++i) {
        const uint32_t piece = sn_surface_piece_of(s, world->particles.index[contact[i].slot]);
        if (contact[i].normal_impulse > 0 && piece != SN_SURFACE_NONE)
            surface_piece_root(s, piece)->leans = true;
    }
}

/* What pieces may keep of their motion within themselves. All motion of a piece that is held is of that kind. If that
   is not enough, the rigid motion is slowed down: its spin, and what leans on something fixed as a whole. Otherwise a
   mesh that bounces could gain energy: each vertex is thrown back with the speed that it has within the mesh. */
static void choose_shares(const sn_world *world, sn_surfaces *s, double most)
{
    measure_within(world, s);
    find_leaning(world, s);
    for (uint32_t i = 0; i < s->piece_table.count; ++i) {
        sn_surface_piece *p = &surface_pieces(s)[i];
        if (!p->asks)
            continue;
        p->within = p->held ? p->kinetic : p->within;
        const double allowed = allowed_to(p, most), left = allowed - (p->kinetic - p->within);
        p->share = left > 0 && p->within > 0 ? fmin(1, sqrt(left / p->within)) : 0;
        const double rigid = p->kinetic - p->within,
                     flight = p->mass / 2 * dvec3_dot(p->rigid.velocity, p->rigid.velocity), turning = rigid - flight;
        if (left < 0 && rigid > 0 && p->leans) {
            const double by = sqrt(fmax(0, allowed) / rigid);
            p->rigid.velocity = dvec3_scale(p->rigid.velocity, by);
            p->rigid.spin = dvec3_scale(p->rigid.spin, by);
        } else if (left < 0 && turning > 0) {
            p->rigid.spin = dvec3_scale(p->rigid.spin, sqrt(fmax(0, allowed - flight) / turning));
        }
    }
}

/* The velocity within a tangled piece: no vertex becomes faster by being pulled than PULLED. Rods that are pulled on
   would throw single ones. gained: m/s, by gravity. */
static sn_vec3 within_limit(sn_surface_piece *p, sn_vec3 within, sn_vec3 before, double gained, double mass)
{
    const double fast = sqrt(square(within)), limit = fmax(PULLED, sqrt(square(before)) + gained);
    if (!p->tangled || fast <= limit)
        return within;
    p->lost = dvec3_add(p->lost, dvec3_scale(dvec3_from(within), mass * (1 - limit / fast)));
    return vec3_scale(within, (sn_real)(limit / fast));
}

/* What vertices lost goes to all of their piece. */
static void give_back(sn_world *world, sn_surfaces *s)
{
    for (uint32_t i = 0; i < surface_masses(s); ++i) {
        const uint32_t slot = surface_mass(s, i).slot;
        const sn_surface_piece *p = surface_piece_root(s, surface_mass(s, i).piece);
        sn_vec4 *v = &world->particles.v[slot];
        if (p->asks && p->tangled && !p->held && world->particles.x[slot].w != 0)
            *v = vec4(vec3_add(vec4_xyz(*v), dvec3_round(dvec3_scale(p->lost, 1 / p->driven_mass))), v->w);
    }
}

static void slow_down(sn_world *world, sn_surfaces *s, double h)
{
    const double gained = sqrt(square(world->state.settings.gravity)) * h;
    for (uint32_t i = 0; i < surface_masses(s); ++i) {
        const sn_surface_mass m = surface_mass(s, i);
        sn_surface_piece *p = surface_piece_root(s, m.piece);
        sn_vec4 *v = &world->particles.v[m.slot];
        const sn_vec4 x = world->particles.x[m.slot];
        if (!p->asks || x.w == 0)
            continue;
        const sn_vec3 base = p->held ? vec3(0, 0, 0) : velocity_at(p, vec4_xyz(x));
        const sn_vec3 within = vec3_scale(vec3_sub(vec4_xyz(*v), base), (sn_real)p->share);
        *v = vec4(vec3_add(base, within_limit(p, within, vec3_sub(m.velocity, base), gained, 1 / (double)x.w)), v->w);
        world->particles.v_low[m.slot] = vec4(vec3(0, 0, 0), 0);
        sn_history_forget(&world->history, m.slot);
    }
    if (s->tangle_table.count)
        give_back(world, s);
    for (uint32_t i = 0; i < s->shell_table.count; ++i) {
        const sn_surface_piece *p = asking(s, i);
        if (p)
            sn_surface_member_slow(world, s, i, &p->rigid, p->share);
    }
}

/* Of its energy, that a piece is let gain. */
static double slight(const sn_surface_piece *p)
{
    return !p->touches ? CLEAR : p->bodies ? ROUNDED : SLIGHT;
}

bool sn_surfaces_balance(sn_world *world, sn_real h)
{
    sn_surfaces *s = &world->contacts.surfaces;
    bool any = false, lost = false;
    if (!s->on || sn_surface_quiet_rests(world, &lost))
        return true;
    if (lost || !sn_surface_pieces_touch(world, s))
        return false;
    sn_surface_quiet_mark_resting(world, s);
    sum_up(world, s, (double)h);
    for (uint32_t i = 0; i < s->piece_table.count; ++i) {
        sn_surface_piece *p = &surface_pieces(s)[i];
        p->asks = p->cloth && !p->left && (p->tangled || p->kinetic > p->before + p->work + slight(p) * p->kinetic);
        any = any || p->asks;
    }
    const double most = any ? fastest_other(world, s) : 0;
    if (!any || !isfinite(most)) {
        s->is_stored = false;
        return true;
    }
    if (!add_released(world, s, (double)h))
        return false;
    if (!ask(s, most))
        return true;
    measure_rigid(world, s);
    choose_shares(world, s, most);
    slow_down(world, s, (double)h);
    return true;
}
