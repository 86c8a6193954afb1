/* Jointed bodies gain no energy from their joints.

   Contact is solved after joints, with the masses of free bodies. A light body between heavy ones that stands on the
   ground gives way to them, alone. Contact puts it back, and its joints stay open by as much. The next substep closes
   them. A displacement in a substep is a velocity, so closing a gap of g gives a velocity of g / h, in addition to the
   one that stops the gap from growing. For a small gap that is right: loads are carried in this way. For a wide gap,
   or where a body rotates far in a substep, it is an impact without a cause. Of random figures whose masses differed
   by up to 1,000 times, one in twenty exploded when it fell on the floor; some did where masses were within a factor
   of 30.

   Rigid joints do no work. So in each substep the joints of an articulation may add to the kinetic energy of its
   bodies only what contact took from it in the substep before. With v the predicted velocities, u their changes by
   joints, and m the masses, a share s of u adds

       a s + b s^2,    a = sum of m v . u,   b = sum of m |u|^2 / 2,

   and the same for rotations. If that is too much for s = 1, velocities change by the largest share for which it is
   not. Positions change by all of it: joints close as before. The impulses of joints sum to 0, and so does any share
   of them. So momentum is conserved, and angular momentum to first order, as by joints themselves. The work of forces
   is that along the path of bodies, not along the predicted one (sn_turning): a figure that one light body supports
   can keep a velocity downwards and not fall, and gravity would do work for ever.

   Measured at 10 substeps, with 1,000 random figures that fall on a floor, and heaps of ragdolls (largest gap of
   joints, as a share of their height):

       given back                     more than at the start   rise above the least so far   gap in heaps
       without limit                  5 %, without end         1 % in one of six             0.0025
       nothing                        none                     3 % at most                   0.049: carries no loads
       half, and all that is little   0.1 %, 1.4 times         1 % in one of fourteen        0.002; of 1,000 figures one
                                                                                             stays open by 0.49
       all                            0.1 %, 1.14 times        1 % in one of eight           0.0025 of 4,500 figures

   So all is given back. (Little: below 4,096 times the energy of a fall for a substep.)

   The share that takes most energy, -a / 2b, was tried as well: heaps then fall apart by a tenth of their height. So
   was contact with the ground as rows of the equations of directly solved trees. That took 400 lines, and half of the
   explosions remained, because sweeps have no such rows.

   The limit applies in the air, too: sweeps over fixed joints with long arms can diverge by themselves. One of 225
   figures gained 85 % of its energy in a second of free fall at 40 substeps.

   Constraints that may do work are not limited: articulations with motors, targets, springs, particles, kinematic
   bodies, or kinds with unknown properties.

   These figures are from before contact held the joints that it opens (contact/body_joints.c). With that, of 1,000
   other figures (those of the test) none has more than at the start at 3 and at 10 substeps, and 7 % rise by 1 % at
   10, instead of one in six. */
#include "world/articulations.h"

#include "base/dvec.h"
#include "base/sets.h"
#include "bodies/turning.h"
#include "contact/body_work.h"
#include "world/substep.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-7 /* of the energy: less is rounding */

/* ns, about: an articulation in one loop; and a body or a constraint that is only checked */
#define WORK         5000.0
#define WORK_OF_LOOK 10.0

#define LEAST_TASK 4u /* articulations in the smallest tasks: those of contact/body_joints.c */

/* Flags of an articulation: it has more than one body; its joints may do work; some of its bodies sleep; some of its
   joints are pivots (swings.c). */
enum { JOINED = 1, DRIVEN = 2, SLEEPS = 4, SWINGS = 8, HELD = SN_ARTICULATION_HELD };

/* Flags of a row of bodies: movable, kinematic, awake. */
enum { MOVES = 1, KINEMATIC = 2, AWAKE = 4 };

/* A constraint that holds bodies. */
typedef struct held {
    sn_visit visit;
    uint8_t works; /* DRIVEN if it may do work, whatever it holds */
    bool others;   /* it holds other points than those of bodies, */
    uint8_t leads; /* DRIVEN if these may do work */
} held;

void sn_articulations_init(sn_articulations *articulations)
{
    sn_table_column(&articulations->compromise_table, sizeof(held), false);
    sn_table_column(&articulations->row_table, sizeof(uint32_t), false);
    sn_table_column(&articulations->row_table, sizeof(uint8_t), false);
    sn_table_column(&articulations->row_table, sizeof(uint32_t), false);
    sn_table_column(&articulations->row_table, sizeof(uint8_t), false);
    sn_table_column(&articulations->row_table, sizeof(uint8_t), false);
    sn_table_column(&articulations->row_table, sizeof(sn_articulated), false);
    sn_table_column(&articulations->row_table, sizeof(uint32_t), false);
    sn_table_column(&articulations->member_table, sizeof(uint32_t), false);
    sn_table_column(&articulations->first_table, sizeof(uint32_t), false);
    sn_table_column(&articulations->first_table, sizeof(uint32_t), false);
    sn_table_column(&articulations->first_table, sizeof(uint8_t), false);
    sn_table_column(&articulations->first_table, sizeof(uint8_t), false);
    sn_table_column(&articulations->first_table, sizeof(uint32_t), false);
    sn_table_column(&articulations->first_table, sizeof(uint32_t), false);
    sn_table_column(&articulations->first_table, sizeof(double), false);
    sn_table_column(&articulations->pivot_table, sizeof(sn_visit), false);
    sn_table_column(&articulations->pivot_table, sizeof(sn_open_joint), false);
    sn_table_column(&articulations->pivot_table, sizeof(sn_pivot_ends), false);
}

void sn_articulations_release(sn_articulations *articulations, const sn_allocator *allocator)
{
    sn_table_release(&articulations->compromise_table, allocator);
    sn_table_release(&articulations->row_table, allocator);
    sn_table_release(&articulations->member_table, allocator);
    sn_table_release(&articulations->first_table, allocator);
    sn_table_release(&articulations->pivot_table, allocator);
}

static uint32_t slot_of(const sn_world *world, uint32_t row)
{
    return world->ids.value[world->bodies.state[row].particle];
}

static uint32_t *members(const sn_world *world)
{
    return world->articulations.member_table.column[0];
}

/* ---- Which there are --------------------------------------------------------------------------------------------- */

static sn_visit *pivots(const sn_world *world)
{
    return world->articulations.pivot_table.column[0];
}

static sn_pivot_ends *pivot_ends(const sn_world *world)
{
    return world->articulations.pivot_table.column[2];
}

/* By number of the articulation: the index of its first pivot, and whether it is limited. */
static uint32_t *first_pivots(const sn_world *world)
{
    return world->articulations.first_table.column[1];
}

static uint8_t *limited(const sn_world *world)
{
    return world->articulations.first_table.column[2];
}

/* The share of the changes by joints that velocities keep in this substep. */
static double *shares(const sn_world *world)
{
    return world->articulations.first_table.column[6];
}

static uint32_t *parents(const sn_world *world)
{
    return world->articulations.row_table.column[0];
}

static uint8_t *marks(const sn_world *world)
{
    return world->articulations.row_table.column[1];
}

static uint8_t *known(const sn_world *world)
{
    return world->articulations.row_table.column[3];
}

/* By row: true if the body is a member of an articulation. */
static uint8_t *watched(const sn_world *world)
{
    return world->articulations.row_table.column[4];
}

static held *all_held(const sn_world *world)
{
    return world->articulations.compromise_table.column[0];
}

uint32_t sn_articulations_first(const sn_world *world, uint32_t row)
{
    return sets_find(parents(world), row);
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), most = strlen(ending);
    return length >= most && !strcmp(name + length - most, ending);
}

/* True if a constraint may do work: it is compliant, or a motor, or of a kind with unknown properties. */
static bool may_work(const sn_pool *pool, uint32_t row)
{
    const sn_real *number = pool->param + (size_t)row * pool->param_count;
    const sn_kind *kind = pool->kind;
    if (pool->own_kind || kind->project || pool->give[row].compliance > 0 || (kind->own_rows && !kind->oriented))
        return true;
    for (const sn_param *p = kind->param; p->name; ++p) {
        const uint32_t count = p->type == SN_PARAM_REAL ? 1 : 3;
        const bool works =
            ends_with(p->name, "compliance") || ends_with(p->name, "target_most") || ends_with(p->name, "speed_most");
        for (uint32_t i = 0; works && i < count; ++i)
            if (number[i] != 0)
                return true;
        number += count;
    }
    return false;
}

/* Lists the constraints that hold bodies, if constraints have changed. Forces do not count. */
static bool list_held(sn_world *world)
{
    sn_articulations *a = &world->articulations;
    const sn_store *store = &world->constraints;
    if (a->found && a->changes == store->changes)
        return true;
    a->found = a->listed = false;
    a->compromise_table.count = 0;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        const sn_pool *pool = store->pool[kind];
        for (uint32_t row = 0; pool->ids.live && !pool->kind->force && row < pool->ids.table.count; ++row) {
            uint32_t body[SN_MAX_POINTS];
            const uint32_t count = sn_ids_is_live(&pool->ids, row) ? sn_evaluate_bodies(store, pool, row, body) : 0;
            if (!count)
                continue;
            if (!sn_table_reserve(&a->compromise_table, &world->allocator, (uint64_t)a->compromise_table.count + 1))
                return false;
            all_held(world)[a->compromise_table.count++] = (held){
                .visit = {kind, row}, .works = may_work(pool, row) ? DRIVEN : 0, .others = count != pool->kind->points};
        }
    }
    a->changes = store->changes;
    a->found = true;
    return true;
}

/* True if all other points of a constraint, besides those of movable bodies, are at rest and stay there. */
static bool rests_on(const sn_world *world, const sn_pool *pool, uint32_t row)
{
    uint32_t small[SN_MAX_BLOCK], count;
    const uint32_t *number = sn_store_particles(&world->constraints, pool, row, small, &count);
    bool rests = pool->kind->oriented || count > 1; /* the position of a pin may be set again */
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t slot = world->ids.value[number[i]];
        const sn_vec3 v = vec4_xyz(world->particles.v[slot]);
        if (world->particles.x[slot].w > 0)
            rests = rests && world->particles.body[slot];
        else
            rests = rests && !world->particles.target[slot] && vec3_dot(v, v) == 0;
    }
    return rests;
}

/* Reads the flags of bodies and of other points, on which articulations depend. In most steps they are as in the
   step before. */
typedef struct look {
    sn_world *world;
    bool anew;           /* there are no flags yet */
    atomic_bool changed; /* some flag has changed since the last step */
} look;

static void look_at_rows(void *data, uint32_t first, uint32_t end)
{
    look *l = data;
    const sn_world *world = l->world;
    uint8_t *was = known(world);
    bool changed = l->anew;
    for (uint32_t row = first; row < end; ++row) {
        const sn_body_state *state = &world->bodies.state[row];
        uint8_t is = 0;
        if (bodies_has(&world->bodies, row))
            is = (uint8_t)((world->particles.x[slot_of(world, row)].w > 0 ? MOVES : 0) |
                           (state->kinematic ? KINEMATIC : 0) | (sn_sleep_holds(world, state->particle) ? 0 : AWAKE));
        changed = changed || was[row] != is;
        was[row] = is;
    }
    if (changed)
        atomic_store_explicit(&l->changed, true, memory_order_relaxed);
}

static void look_at_held(void *data, uint32_t first, uint32_t end)
{
    look *l = data;
    const sn_world *world = l->world;
    bool changed = false;
    for (held *h = all_held(world) + first; h < all_held(world) + end; ++h) {
        if (!h->others)
            continue;
        const uint8_t leads = rests_on(world, world->constraints.pool[h->visit.kind], h->visit.row) ? 0 : DRIVEN;
        changed = changed || h->leads != leads;
        h->leads = leads;
    }
    if (changed)
        atomic_store_explicit(&l->changed, true, memory_order_relaxed);
}

/* Runs a loop. Lost tasks are done here, and reported at the end of the step. */
static void look_all(look *l, uint32_t count, sn_piece_fn *piece)
{
    if (sn_parallel_few(&l->world->parallel, count, WORK_OF_LOOK, piece, l))
        return;
    sn_parallel_repair(&l->world->parallel);
    l->world->bodies.lost = true;
}

static bool has_changed(sn_world *world)
{
    sn_articulations *a = &world->articulations;
    const uint32_t rows = bodies_rows(&world->bodies);
    look l = {.world = world, .anew = !a->listed || a->rows != rows};
    look_all(&l, rows, look_at_rows);
    look_all(&l, a->compromise_table.count, look_at_held);
    a->rows = rows;
    return l.changed;
}

/* Joins the bodies that one constraint holds. */
static void join(const sn_world *world, const held *h)
{
    const sn_pool *pool = world->constraints.pool[h->visit.kind];
    uint32_t body[SN_MAX_POINTS], first = SN_ID_FREE;
    const uint32_t count = sn_evaluate_bodies(&world->constraints, pool, h->visit.row, body);
    uint8_t all = h->works | h->leads | (pool->kind->pivot ? SWINGS : 0);
    for (uint32_t i = 0; i < count; ++i) {
        const uint8_t is = known(world)[body[i]];
        if (!(is & MOVES)) {
            all |= is & KINEMATIC ? DRIVEN : 0;
            continue;
        }
        const uint32_t root = sets_find(parents(world), body[i]);
        if (first == SN_ID_FREE || first == root) {
            first = root;
            continue;
        }
        all |= marks(world)[first] | marks(world)[root] | JOINED;
        sets_join(parents(world), first, root);
        first = first < root ? first : root;
    }
    if (first != SN_ID_FREE)
        marks(world)[first] |= all | HELD;
}

static bool is_limited(const sn_world *world, uint32_t root)
{
    return (marks(world)[root] & (JOINED | DRIVEN)) == JOINED;
}

/* True if an articulation is watched. False if some of its bodies sleep. */
static bool is_watched(const sn_world *world, uint32_t root)
{
    return !(marks(world)[root] & SLEEPS) && (is_limited(world, root) || marks(world)[root] & SWINGS);
}

/* Lists the watched articulations, in the order of their first rows, and the bodies of each by row. A root is the
   first row of its articulation. */
static void list_members(sn_world *world)
{
    sn_articulations *a = &world->articulations;
    const uint32_t rows = bodies_rows(&world->bodies);
    uint32_t *first = a->first_table.column[0], *place = a->row_table.column[2], total = 0;
    memset(place, 0, rows * sizeof *place);
    for (uint32_t row = 0; row < rows; ++row) {
        const uint32_t root = sets_find(parents(world), row);
        parents(world)[row] = root;
        marks(world)[root] |= known(world)[row] & AWAKE ? 0 : SLEEPS;
        place[root]++;
    }
    a->known = 0;
    for (uint32_t row = 0; row < rows; ++row) {
        const uint32_t count = place[row];
        if (parents(world)[row] != row || !is_watched(world, row))
            continue;
        limited(world)[a->known] = is_limited(world, row);
        place[row] = first[a->known++] = total;
        total += count;
    }
    first[a->known] = total;
    for (uint32_t row = 0; row < rows; ++row) {
        const uint32_t root = parents(world)[row];
        watched(world)[row] = is_watched(world, root);
        if (watched(world)[row])
            members(world)[place[root]++] = row;
    }
    uint32_t *number = a->row_table.column[6];
    for (uint32_t i = 0; i < a->known; ++i)
        for (uint32_t k = first[i]; k < first[i + 1]; ++k)
            number[members(world)[k]] = i;
}

/* The first row of the articulation of a pivot; SN_ID_FREE: it has no watched one. */
static uint32_t root_of_pivot(const sn_world *world, const held *h)
{
    const sn_pool *pool = world->constraints.pool[h->visit.kind];
    uint32_t body[SN_MAX_POINTS];
    const uint32_t count = pool->kind->pivot ? sn_evaluate_bodies(&world->constraints, pool, h->visit.row, body) : 0;
    for (uint32_t i = 0; i < count; ++i)
        if (known(world)[body[i]] & MOVES)
            return is_watched(world, parents(world)[body[i]]) ? parents(world)[body[i]] : SN_ID_FREE;
    return SN_ID_FREE;
}

/* True if the points of a pivot may separate under a load. */
static bool gives_way(const sn_pool *pool, uint32_t row)
{
    const sn_real *number = pool->param + (size_t)row * pool->param_count;
    bool gives = pool->give[row].compliance > 0;
    for (const sn_param *p = pool->kind->param; p->name; ++p) {
        gives = gives || (!strcmp(p->name, "linear_compliance") && number[0] != 0);
        number += p->type == SN_PARAM_REAL ? 1 : 3;
    }
    return gives;
}

static sn_pivot_ends ends_of(const sn_world *world, const sn_visit *visit)
{
    const sn_pool *pool = world->constraints.pool[visit->kind];
    const uint32_t *code = pool->point + (size_t)visit->row * pool->kind->points;
    sn_pivot_ends ends = {.hinge = pool->kind->pivot == SN_PIVOT_AXIS, .holds = !gives_way(pool, visit->row)};
    for (uint32_t i = 0; i < 2; ++i) {
        const sn_anchor *anchor = sn_point_on_body(&world->constraints, pool, visit->row, i);
        ends.holds = ends.holds && code[i] & SN_ANCHOR_BIT &&
                     world->constraints.anchor[code[i] & ~SN_ANCHOR_BIT].type != SN_POINT_PARTICLES;
        ends.anchor[i] = code[i] & SN_ANCHOR_BIT ? code[i] & ~SN_ANCHOR_BIT : ends.anchor[0];
        ends.body[i] = anchor ? anchor->body : SN_ID_FREE;
        ends.moves[i] = anchor && known(world)[anchor->body] & MOVES;
    }
    return ends;
}

/* Lists the pivots of each articulation, in the order of the constraints. */
static void list_pivots(sn_world *world)
{
    const sn_articulations *a = &world->articulations;
    uint32_t *place = a->row_table.column[2], *first = first_pivots(world), total = 0, i = 0;
    memset(place, 0, bodies_rows(&world->bodies) * sizeof *place);
    for (const held *h = all_held(world); h < all_held(world) + a->compromise_table.count; ++h) {
        const uint32_t root = root_of_pivot(world, h);
        if (root != SN_ID_FREE)
            place[root]++;
    }
    for (uint32_t row = 0; row < bodies_rows(&world->bodies); ++row) {
        const uint32_t count = place[row];
        if (parents(world)[row] != row || !is_watched(world, row))
            continue;
        place[row] = first[i++] = total;
        total += count;
    }
    first[i] = total;
    for (const held *h = all_held(world); h < all_held(world) + a->compromise_table.count; ++h) {
        const uint32_t root = root_of_pivot(world, h);
        if (root == SN_ID_FREE)
            continue;
        pivot_ends(world)[place[root]] = ends_of(world, &h->visit);
        pivots(world)[place[root]++] = h->visit;
    }
}

static void list_articulations(sn_world *world)
{
    for (uint32_t row = 0; row < bodies_rows(&world->bodies); ++row)
        parents(world)[row] = row;
    memset(marks(world), 0, bodies_rows(&world->bodies));
    for (uint32_t i = 0; i < world->articulations.compromise_table.count; ++i)
        join(world, &all_held(world)[i]);
    list_members(world);
    list_pivots(world);
    world->articulations.listed = true;
}

/* True if the integrator and the method allow it: velocities follow from positions, and each substep starts and
   ends with complete ones. Gradients at the start of a substep conserve angular momentum exactly; a share of the
   impulses would conserve it to first order only, as with gradients at the end. */
static bool can_watch(const sn_world *world)
{
    const sn_settings *settings = &world->state.settings;
    const sn_integrator_method *integrator = sn_integrators[settings->integrator];
    const sn_solver_method *solver = sn_solve_method(world, false);
    return settings->gradients == SN_GRADIENTS_CURRENT && integrator->kick == 1 && !integrator->looks_back &&
           !solver->forces && !solver->after;
}

bool sn_articulations_find(sn_world *world)
{
    sn_articulations *a = &world->articulations;
    const uint32_t rows = bodies_rows(&world->bodies);
    a->count = 0;
    a->carries = false;
    if (!rows || !can_watch(world))
        return true;
    if (!list_held(world))
        return false;
    if (!a->compromise_table.count)
        return true;
    if (!sn_table_reserve(&a->row_table, &world->allocator, rows) ||
        !sn_table_reserve(&a->member_table, &world->allocator, rows) ||
        !sn_table_reserve(&a->first_table, &world->allocator, (uint64_t)rows + 1) ||
        !sn_table_reserve(&a->pivot_table, &world->allocator, a->compromise_table.count) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator,
                                   (rows > a->compromise_table.count ? rows : a->compromise_table.count) / LEAST_TASK +
                                       1))
        return false;
    if (has_changed(world))
        list_articulations(world);
    a->count = a->known;
    a->carries = true;
    return true;
}

/* ---- In a substep ------------------------------------------------------------------------------------------------ */

static const sn_turning *turning(const sn_world *world)
{
    return sn_turning_by(world->wide ? world->wide->vector : 0);
}

static sn_energy_run run_of(const sn_world *world, const uint32_t *row, uint32_t count)
{
    return (sn_energy_run){.row = row,
                           .count = count,
                           .state = world->bodies.state,
                           .motion = world->bodies.motion,
                           .body = sn_articulated_bodies(world),
                           .v = world->particles.v};
}

/* For the members among the bodies of a list. Rows that are not bodies are skipped. */
static void for_members(const sn_world *world, const uint32_t *row, uint32_t count, sn_energy_fn *measure)
{
    const uint8_t *member = watched(world);
    const uint32_t rows = bodies_rows(&world->bodies);
    uint32_t list[SN_FEW], listed = 0;
    for (uint32_t i = 0; i < count; ++i) {
        list[listed] = row[i];
        listed += row[i] < rows && member[row[i]];
        if (listed < SN_FEW && i + 1 < count)
            continue;
        const sn_energy_run run = run_of(world, list, listed);
        measure(&run);
        listed = 0;
    }
}

/* Sums over an articulation, J. */
typedef struct energies {
    double present, a, b;
    double lost, due;
} energies;

static energies sum_of(const sn_world *world, const uint32_t *member, uint32_t count)
{
    energies sum = {0};
    for (uint32_t k = 0; k < count; ++k) {
        const sn_articulated *body = &sn_articulated_bodies(world)[member[k]];
        sum.due += body->due;
        sum.present += body->present;
        sum.a += body->a;
        sum.b += body->b;
        sum.lost += (double)world->bodies.state[member[k]].lost;
    }
    return sum;
}

static void change_by(sn_world *world, uint32_t row, double share)
{
    const sn_articulated *body = &sn_articulated_bodies(world)[row];
    sn_vec4 *v = &world->particles.v[body->slot], *v_low = &world->particles.v_low[body->slot];
    const sn_dvec3 was = {body->v[0], body->v[1], body->v[2]}, u = dvec3_sub(dvec3_from(vec4_xyz(*v)), was);
    double *l = world->bodies.state[row].l;
    const double *predicted = world->bodies.motion[row].l;
    *v = vec4(dvec3_round(dvec3_add(was, dvec3_scale(u, share))), v->w);
    *v_low = vec4(vec3(0, 0, 0), v_low->w);
    for (int i = 0; i < 3; ++i)
        l[i] = predicted[i] + share * (l[i] - predicted[i]);
}

/* The share of the changes by joints that velocities keep. */
static double share_of(const energies *e)
{
    const double most = fmax(0, e->lost) + fmin(0, e->due - e->present) + ROUNDING * e->present;
    if (!(e->a + e->b > most))
        return 1;
    const double square = e->a * e->a + 4 * e->b * most;
    return fmin(1, fmax(0, (sqrt(fmax(0, square)) - e->a) / (2 * e->b)));
}

/* Multipliers of pivots, which are their forces times h^2, become those of what velocities keep. */
void sn_articulations_tell(const sn_world *world)
{
    const double *share = shares(world);
    const uint32_t *pivot = first_pivots(world);
    for (uint32_t i = 0; i < world->articulations.count; ++i)
        for (uint32_t k = pivot[i]; share[i] < 1 && k < pivot[i + 1]; ++k) {
            const sn_pool *pool = world->constraints.pool[pivots(world)[k].kind];
            sn_real *lambda = pool->lambda + (size_t)pivots(world)[k].row * pool->kind->rows;
            for (uint32_t r = 0; r < pool->kind->rows; ++r)
                lambda[r] *= (sn_real)share[i];
        }
}

typedef struct limiting {
    sn_substep *s;
    sn_body_contact_substep contact;
} limiting;

/* Limits the motion of an articulation whose bodies are measured. */
static void limit(const limiting *l, uint32_t i)
{
    sn_world *world = l->s->world;
    const uint32_t *first = world->articulations.first_table.column[0], *pivot = first_pivots(world);
    const uint32_t *member = members(world) + first[i], count = first[i + 1] - first[i];
    const sn_pivots swing = {member, count, pivots(world) + pivot[i], pivot_ends(world) + pivot[i],
                             pivot[i + 1] - pivot[i]};
    const sn_energy_run run = run_of(world, member, count);
    const energies sum = sum_of(world, member, count);
    const double share = limited(world)[i] ? share_of(&sum) : 1;
    shares(world)[i] = share;
    for (uint32_t k = 0; share < 1 && k < count; ++k)
        change_by(world, member[k], share);
    if (share < 1)
        turning(world)->changed(&run);
    if (swing.count)
        sn_swing_restore(world, &swing, sum.due, (double)l->s->h);
}

/* Settles articulations, a few bodies at a time, limits their motion and loads them for the contact pass, while they
   are in the cache. */
static void settle_piece(void *data, uint32_t begin, uint32_t end)
{
    const limiting *l = data;
    const sn_world *world = l->s->world;
    const uint32_t *first = world->articulations.first_table.column[0];
    for (uint32_t at = begin, next; at < end; at = next) {
        for (next = at + 1; next < end && first[next + 1] - first[at] <= SN_FEW;)
            ++next;
        const uint32_t *member = members(world) + first[at], count = first[next] - first[at];
        const sn_energy_run run = run_of(world, member, count);
        sn_turns_settle_some(l->s, member, count);
        turning(world)->energies(&run);
        for (uint32_t i = at; i < next; ++i)
            limit(l, i);
        if (world->body_contacts.loaded)
            sn_body_contacts_load(&l->contact, member, count);
    }
}

bool sn_articulations_settle(sn_substep *s)
{
    sn_world *world = s->world;
    limiting l = {s, contact_substep(world, s->h)};
    world->articulations.noted = false;
    return sn_parallel_few(&world->parallel, world->articulations.count, WORK, settle_piece, &l);
}

void sn_articulations_note_some(const sn_world *world, const uint32_t *row, uint32_t count)
{
    for_members(world, row, count, turning(world)->lost);
}

static void note_piece(void *data, uint32_t begin, uint32_t end)
{
    const sn_world *world = data;
    const uint32_t *first = world->articulations.first_table.column[0];
    sn_articulations_note_some(world, members(world) + first[begin], first[end] - first[begin]);
}

bool sn_articulations_note(sn_substep *s)
{
    sn_world *world = s->world;
    return !world->articulations.limits || world->articulations.noted ||
           sn_parallel_few(&world->parallel, world->articulations.count, WORK, note_piece, world);
}
