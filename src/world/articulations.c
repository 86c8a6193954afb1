/* Jointed bodies gain no energy from their joints.

   Contact is solved after joints, with the masses of free bodies. A light body between heavy ones that stands on the
   ground gives way to them, alone. Contact puts it back, and its joints stay open by as much. The next substep closes
   them. What moves in a substep moves with a velocity, so closing a gap of g gives a velocity of g / h, on top of the
   one that stops the gap from growing. For a small gap that is right: a load is carried in this way. For a wide one, or
   where a body turns far in a substep, it is a blow that nothing struck. Of random figures whose masses differed by up
   to 1,000 times, one in twenty exploded when it fell on the floor; some did where masses were within a factor of 30.

   Joints that hold do no work. So in each substep the joints of an articulation may add to the kinetic energy of its
   bodies only what contact took from it in the substep before. With v the velocities as predicted, u what joints change
   them by, and m the masses, a share s of u adds

       a s + b s^2,    a = sum of m v . u,   b = sum of m |u|^2 / 2,

   rotations alike. If that is too much for s = 1, velocities change by the largest share for which it is not. Positions
   change by all of it: joints close as before. The impulses of joints sum up to nothing, and so does any share of them:
   momentum is kept, and angular momentum to first order, as by joints themselves.

   Measured at 10 substeps, with 1,000 random figures that fall on a floor, and heaps of ragdolls (largest gap of joints,
   as a share of their height):

       given back                     more than at the start   rise above the least so far   gap in heaps
       without limit                  5 %, without end         1 % in one of six             0.0025
       nothing                        none                     3 % at most                   0.049: loads are not carried
       half, and all that is little   0.1 %, 1.4 times         1 % in one of fourteen        0.002; of 1,000 figures one
                                                                                             stays open by 0.49
       all                            0.1 %, 1.14 times        1 % in one of eight           0.0025 of 4,500 figures

   So all is given back. (Little: below 4,096 times the energy of falling for a substep.)

   The share that takes most energy, -a / 2b, was tried as well: heaps then fall apart by a tenth of their height. So was
   contact with the ground as rows of the equations of directly solved trees: 400 lines, and half of what exploded still
   did, because sweeps have no such rows.

   This holds in the air, too: sweeps over fixed joints with long arms can grow by themselves. One of 225 figures gained
   85 % of its energy in a second of free fall at 40 substeps.

   What may do work is not limited: articulations with motors, targets, springs, particles, things that are led, or
   kinds of which nothing is known.

   What is left: positions change by all that joints ask for, so a figure that is held by one light body can keep a
   velocity downwards and not fall. Gravity then does work for ever. Of 1,000 figures one gained 14 % at 10 substeps,
   none at 3 and at 20. */
#include "world/articulations.h"

#include "base/dvec.h"
#include "bodies/rotation.h"
#include "contact/body_work.h"
#include "world/substep.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-7 /* of the energy that there is: less is rounding */

#define WORK 1000.0 /* ns: of an articulation, in one loop */

/* An articulation has more than one body; its joints may do work. */
enum { JOINED = 1, DRIVEN = 2 };

typedef struct member {
    uint32_t row;
    double inverse[3]; /* 1/m^2: of its moments per unit of mass, along principal axes; 0 about one that is locked */
    sn_dvec3 v;        /* m/s: as predicted */
    double energy;     /* J: of its motion, before contact */
} member;

void sn_articulations_init(sn_articulations *articulations)
{
    sn_table_column(&articulations->held_table, sizeof(sn_visit), false);
    sn_table_column(&articulations->row_table, sizeof(uint32_t), false);
    sn_table_column(&articulations->row_table, sizeof(uint8_t), false);
    sn_table_column(&articulations->row_table, sizeof(uint32_t), false);
    sn_table_column(&articulations->member_table, sizeof(member), false);
    sn_table_column(&articulations->first_table, sizeof(uint32_t), false);
}

void sn_articulations_release(sn_articulations *articulations, const sn_allocator *allocator)
{
    sn_table_release(&articulations->held_table, allocator);
    sn_table_release(&articulations->row_table, allocator);
    sn_table_release(&articulations->member_table, allocator);
    sn_table_release(&articulations->first_table, allocator);
}

static uint32_t slot_of(const sn_world *world, uint32_t row)
{
    return world->ids.value[world->bodies.state[row].particle];
}

static member *members(const sn_world *world)
{
    return world->articulations.member_table.column[0];
}

/* ---- Which there are ------------------------------------------------------------------------------------------------ */

static uint32_t *parents(const sn_world *world)
{
    return world->articulations.row_table.column[0];
}

static uint8_t *marks(const sn_world *world)
{
    return world->articulations.row_table.column[1];
}

static uint32_t root_of(const sn_world *world, uint32_t row)
{
    uint32_t *parent = parents(world);
    while (parent[row] != row)
        row = parent[row] = parent[parent[row]];
    return row;
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), most = strlen(ending);
    return length >= most && !strcmp(name + length - most, ending);
}

/* Whether a constraint may do work: it gives, or drives, or nothing is known of it. */
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

/* Lists the constraints that hold bodies, if constraints have changed. Forces are none. */
static bool list_held(sn_world *world)
{
    sn_articulations *a = &world->articulations;
    const sn_store *store = &world->constraints;
    if (a->found && a->changes == store->changes)
        return true;
    a->held_table.count = 0;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        const sn_pool *pool = store->pool[kind];
        for (uint32_t row = 0; pool->ids.live && !pool->kind->force && row < pool->ids.table.count; ++row) {
            uint32_t body[SN_MAX_POINTS];
            if (!sn_ids_is_live(&pool->ids, row) || !sn_evaluate_bodies(store, pool, row, body))
                continue;
            if (!sn_table_reserve(&a->held_table, &world->allocator, (uint64_t)a->held_table.count + 1))
                return false;
            ((sn_visit *)a->held_table.column[0])[a->held_table.count++] = (sn_visit){kind, row};
        }
    }
    a->changes = store->changes;
    a->found = true;
    return true;
}

/* Whether all that a constraint holds besides bodies that move is at rest and stays there. */
static bool rests_on(const sn_world *world, const sn_pool *pool, uint32_t row)
{
    uint32_t small[SN_MAX_BLOCK], count;
    const uint32_t *number = sn_store_particles(&world->constraints, pool, row, small, &count);
    bool rests = pool->kind->oriented || count > 1; /* a place that a pin has may be given anew */
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

/* Joins the bodies that one constraint holds. */
static void join(const sn_world *world, const sn_visit *held)
{
    const sn_pool *pool = world->constraints.pool[held->kind];
    uint32_t body[SN_MAX_POINTS], first = SN_ID_FREE;
    const uint32_t count = sn_evaluate_bodies(&world->constraints, pool, held->row, body);
    const bool free = count == pool->kind->points || rests_on(world, pool, held->row);
    uint8_t all = free && !may_work(pool, held->row) ? 0 : DRIVEN;
    for (uint32_t i = 0; i < count; ++i) {
        if (world->particles.x[slot_of(world, body[i])].w == 0) {
            all |= world->bodies.state[body[i]].led ? DRIVEN : 0;
            continue;
        }
        const uint32_t root = root_of(world, body[i]);
        if (first == SN_ID_FREE || first == root) {
            first = root;
            continue;
        }
        all |= marks(world)[first] | marks(world)[root] | JOINED;
        parents(world)[first < root ? root : first] = first < root ? first : root;
        first = first < root ? first : root;
    }
    if (first != SN_ID_FREE)
        marks(world)[first] |= all;
}

/* Lists the articulations that are watched, in the order of their first rows, and the bodies of each by row. A root is
   the first row of its articulation. */
static void list_members(sn_world *world)
{
    sn_articulations *a = &world->articulations;
    const uint32_t rows = bodies_rows(&world->bodies);
    uint32_t *first = a->first_table.column[0], *place = a->row_table.column[2], total = 0;
    memset(place, 0, rows * sizeof *place);
    for (uint32_t row = 0; row < rows; ++row) {
        const uint32_t root = root_of(world, row);
        parents(world)[row] = root;
        place[root]++;
    }
    a->count = 0;
    for (uint32_t row = 0; row < rows; ++row) {
        const uint32_t count = place[row];
        if (parents(world)[row] != row || marks(world)[row] != JOINED)
            continue;
        place[row] = first[a->count++] = total;
        total += count;
    }
    first[a->count] = total;
    for (uint32_t row = 0; row < rows; ++row) {
        const uint32_t root = parents(world)[row];
        if (marks(world)[root] != JOINED)
            continue;
        member *m = &members(world)[place[root]++];
        m->row = row;
        sn_body_inverse_moments(&world->bodies.state[row], m->inverse);
    }
}

/* Velocities follow from positions, and a substep begins and ends with whole ones. Gradients at the start promise that
   angular momentum stays; a share of the impulses keeps it only to first order, as gradients at the end do. */
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
    if (!rows || !can_watch(world))
        return true;
    if (!list_held(world))
        return false;
    if (!a->held_table.count)
        return true;
    if (!sn_table_reserve(&a->row_table, &world->allocator, rows) ||
        !sn_table_reserve(&a->member_table, &world->allocator, rows) ||
        !sn_table_reserve(&a->first_table, &world->allocator, (uint64_t)rows + 1) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, rows / SN_FEW + 1))
        return false;
    for (uint32_t row = 0; row < rows; ++row)
        parents(world)[row] = row;
    memset(marks(world), 0, rows);
    for (uint32_t i = 0; i < a->held_table.count; ++i)
        join(world, (const sn_visit *)a->held_table.column[0] + i);
    list_members(world);
    return true;
}

/* ---- In a substep --------------------------------------------------------------------------------------------------- */

void sn_articulations_begin(const sn_substep *s)
{
    const sn_world *world = s->world;
    const sn_articulations *a = &world->articulations;
    const uint32_t *first = a->first_table.column[0], count = a->count ? first[a->count] : 0;
    for (uint32_t i = 0; i < count && !s->still; ++i) {
        const uint32_t slot = slot_of(world, members(world)[i].row);
        const sn_dvec3 v = dvec3_from(vec4_xyz(world->particles.v[slot]));
        const sn_dvec3 dv = dvec3_scale(dvec3_from(motion_acceleration(&s->motion, slot)), (double)s->motion.kick);
        members(world)[i].v = dvec3_add(dvec3_scale(v, (double)s->motion.keep), dv);
    }
}

/* Sums over an articulation, J. */
typedef struct energies {
    double present, a, b;
    double lost;
} energies;

/* What joints changed the momentum by with which a body turns, per unit of mass. */
static void gain_of(const sn_world *world, uint32_t row, double gain[3])
{
    for (int i = 0; i < 3; ++i)
        gain[i] = world->bodies.state[row].l[i] - world->bodies.motion[row].l[i];
}

static void add_energies(const sn_world *world, const member *m, energies *sum)
{
    const sn_body_state *state = &world->bodies.state[m->row];
    const sn_body_motion *motion = &world->bodies.motion[m->row];
    const uint32_t slot = slot_of(world, m->row);
    const double mass = 1 / (double)world->particles.x[slot].w;
    const sn_dvec3 u = dvec3_sub(dvec3_from(vec4_xyz(world->particles.v[slot])), m->v);
    double l[3], gain[3];
    energies e = {.present = dvec3_dot(m->v, m->v) / 2, .a = dvec3_dot(m->v, u), .b = dvec3_dot(u, u) / 2};
    gain_of(world, m->row, gain);
    sn_rotate_vector_back(motion->q, motion->l, l);
    sn_rotate_vector_back(motion->q, gain, gain);
    for (int i = 0; i < 3; ++i) {
        e.present += l[i] * l[i] * m->inverse[i] / 2;
        e.a += l[i] * gain[i] * m->inverse[i];
        e.b += gain[i] * gain[i] * m->inverse[i] / 2;
    }
    sum->present += mass * e.present;
    sum->a += mass * e.a;
    sum->b += mass * e.b;
    sum->lost += (double)state->lost;
}

static void change_by(sn_world *world, const member *m, double share)
{
    const uint32_t slot = slot_of(world, m->row);
    sn_vec4 *v = &world->particles.v[slot], *v_low = &world->particles.v_low[slot];
    const sn_dvec3 u = dvec3_sub(dvec3_from(vec4_xyz(*v)), m->v);
    double gain[3];
    gain_of(world, m->row, gain);
    *v = vec4(dvec3_round(dvec3_add(m->v, dvec3_scale(u, share))), v->w);
    *v_low = vec4(vec3(0, 0, 0), v_low->w);
    for (int i = 0; i < 3; ++i)
        world->bodies.state[m->row].l[i] = world->bodies.motion[m->row].l[i] + share * gain[i];
}

/* The share of what joints changed that velocities keep. */
static double share_of(const energies *e)
{
    const double most = fmax(0, e->lost) + ROUNDING * e->present;
    if (!(e->a + e->b > most))
        return 1;
    return fmax(0, (sqrt(e->a * e->a + 4 * e->b * most) - e->a) / (2 * e->b));
}

static double kinetic_energy(const sn_world *world, const member *m)
{
    const sn_body_state *state = &world->bodies.state[m->row];
    const uint32_t slot = slot_of(world, m->row);
    const sn_dvec3 v = dvec3_from(vec4_xyz(world->particles.v[slot]));
    double l[3], sum = dvec3_dot(v, v);
    sn_rotate_vector_back(state->q, state->l, l);
    for (int i = 0; i < 3; ++i)
        sum += l[i] * l[i] * m->inverse[i];
    return sum / (2 * (double)world->particles.x[slot].w);
}

static void limit_piece(void *data, uint32_t begin, uint32_t end)
{
    sn_world *world = data;
    const uint32_t *first = world->articulations.first_table.column[0];
    for (uint32_t i = begin; i < end; ++i) {
        energies sum = {0};
        for (uint32_t k = first[i]; k < first[i + 1]; ++k)
            add_energies(world, &members(world)[k], &sum);
        const double share = share_of(&sum);
        for (uint32_t k = first[i]; k < first[i + 1]; ++k) {
            if (share < 1)
                change_by(world, &members(world)[k], share);
            members(world)[k].energy = kinetic_energy(world, &members(world)[k]);
        }
    }
}

bool sn_articulations_limit(const sn_substep *s)
{
    sn_world *world = s->world;
    return s->still || sn_parallel_few(&world->parallel, world->articulations.count, WORK, limit_piece, world);
}

static void note_piece(void *data, uint32_t begin, uint32_t end)
{
    const sn_substep *s = data;
    const sn_world *world = s->world;
    const uint32_t *first = world->articulations.first_table.column[0];
    for (uint32_t k = first[begin]; k < first[end]; ++k) {
        const member *m = &members(world)[k];
        sn_body_state *state = &world->bodies.state[m->row];
        state->lost = (sn_real)(m->energy - kinetic_energy(world, m));
    }
}

bool sn_articulations_note(sn_substep *s)
{
    sn_world *world = s->world;
    return s->still || sn_parallel_few(&world->parallel, world->articulations.count, WORK, note_piece, s);
}
