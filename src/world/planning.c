/* Keeps the plan of SN_SOLVER_TILED up to date, and arranges storage by it. */
#include "world/world.h"

#include <string.h>

static bool is_weak(const void *data, uint32_t kind, uint32_t row)
{
    const sn_world *world = data;
    return sn_breaking_has(world, kind, row) || sn_tear_has(world, kind, row);
}

static sn_plan_particles planned_particles(const sn_world *world)
{
    return (sn_plan_particles){.count = world->particles.table.count,
                               .numbers = world->ids.table.count,
                               .slot = world->ids.value,
                               .index = world->particles.index,
                               .x = world->state.settings.stiffening == SN_STIFFENING_AUTO ? world->particles.x : NULL,
                               .weak = world->breaking.table.count || sn_tear_any(world) ? is_weak : NULL,
                               .world = world};
}

/* ---- Storage ----------------------------------------------------------------------------------------------------- */

/* Moves particles: slots from `first` on receive the contents of the slots `from`. */
typedef struct moving {
    sn_world *world;
    uint32_t first, count;
    uint32_t *from;
    void *scratch; /* room for one column of these slots */
    char *column;
    size_t width;
} moving;

static void move_out(void *data, uint32_t first, uint32_t end)
{
    const moving *m = data;
    for (uint32_t i = first; i < end; ++i)
        memcpy((char *)m->scratch + i * m->width, m->column + m->from[i] * m->width, m->width);
}

static void move_in(void *data, uint32_t first, uint32_t end)
{
    const moving *m = data;
    memcpy(m->column + (m->first + first) * m->width, (char *)m->scratch + first * m->width, (end - first) * m->width);
}

static void note_slots(void *data, uint32_t first, uint32_t end)
{
    const moving *m = data;
    for (uint32_t slot = m->first + first; slot < m->first + end; ++slot)
        m->world->ids.value[m->world->particles.index[slot]] = slot;
}

/* Storage must move as a whole: tasks that the task hook lost are done here. */
static void share_loop(moving *m, sn_piece_fn *piece)
{
    sn_parallel *parallel = &m->world->parallel;
    if (!sn_parallel_for(parallel, m->count, piece, m))
        sn_parallel_repair(parallel);
}

static void rearrange(moving *m, const sn_table *table)
{
    for (uint32_t c = 0; c < table->saved; ++c) {
        m->width = table->width[c];
        m->column = table->column[c];
        share_loop(m, move_out);
        share_loop(m, move_in);
    }
}

/* Columns keep their addresses, so that views stay valid. */
static void arrange(moving *m)
{
    sn_world *world = m->world;
    rearrange(m, &world->particles.table);
    if (world->history.table.count == world->particles.table.count)
        rearrange(m, &world->history.table);
    else
        world->history.table.count = 0;
    share_loop(m, note_slots);
    world->drag.order_table.count = world->contact.impulse_start_table.count = 0;
    world->constraints.edits++;
    world->moves++;
}

/* Stores all particles in the order of their numbers in `order`, which becomes the list of their old slots. */
static void arrange_all(sn_world *world, uint32_t *order, void *scratch)
{
    moving m = {world, 0, world->particles.table.count, order, scratch, NULL, 0};
    bool same = true;
    for (uint32_t slot = 0; slot < m.count; ++slot) {
        order[slot] = world->ids.value[order[slot]];
        same = same && order[slot] == slot;
    }
    if (!same)
        arrange(&m);
}

bool sn_world_store_particles(sn_world *world, uint32_t *order)
{
    const size_t size = (size_t)world->particles.table.count * sizeof(sn_vec4);
    void *scratch = sn_allocate(&world->allocator, size);
    if (scratch)
        arrange_all(world, order, scratch);
    sn_release(&world->allocator, scratch, size);
    return scratch != NULL;
}

/* Extends the history to all particles before storage is rearranged. */
static bool complete_history(sn_world *world)
{
    sn_history *history = &world->history;
    if (!history->table.count)
        return true;
    if (!sn_table_reserve(&history->table, &world->allocator, world->particles.table.count))
        return false;
    sn_history_complete(history, world->particles.table.count);
    return true;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

static bool make_plan(sn_world *world)
{
    uint32_t count = world->particles.table.count;
    size_t order_size = (size_t)count * sizeof(uint32_t), scratch_size = (size_t)count * sizeof(sn_vec4);
    uint32_t *order = sn_allocate(&world->allocator, order_size);
    void *scratch = sn_allocate(&world->allocator, scratch_size);
    sn_plan_particles particles = planned_particles(world);
    bool made = order && scratch && complete_history(world) &&
                sn_plan_make(&world->plan, &world->allocator, &world->constraints, &particles, order);
    if (made)
        arrange_all(world, order, scratch);
    sn_release(&world->allocator, scratch, scratch_size);
    sn_release(&world->allocator, order, order_size);
    return made;
}

/* ---- Loose particles in spatial order ----------------------------------------------------------------------------
   Then particles in contact are mostly in the same cache lines. Otherwise threads that work on different heaps keep
   taking cache lines from each other: with particles in any order two threads were slower than one. Results do not
   depend on it, since contact is ordered by position and number. It is done when the plan is made. Because sand flows,
   it is done again when many particles are out of order, which is tested every few steps. */

#define STEPS_BETWEEN_LOOKS 32u

/* Particles that are consecutive in space count as far apart in storage from this distance of slots on. */
#define FAR_APART 64u
/* The share of such particles that is tolerated: one in this many. */
#define ONE_IN    8u

static bool wants_places(const sn_world *world)
{
    const sn_contact_world *c = &world->contact;
    return world->plan.particles > world->plan.loose + FAR_APART && c->has_radii && c->settings.on &&
           c->settings.particles;
}

typedef struct placing {
    const sn_particle_store *particles;
    sn_vec4 *sphere;
    uint32_t first, count;
    const uint64_t *item; /* in spatial order */
    uint32_t *from;
    atomic_uint far; /* number of spatial neighbours that are far apart in storage */
} placing;

static void measure_piece(void *data, uint32_t first, uint32_t end)
{
    const placing *p = data;
    for (uint32_t i = first; i < end; ++i) {
        p->sphere[i] = p->particles->x[p->first + i];
        p->sphere[i].w = p->particles->radius[p->first + i] > 0 ? p->particles->radius[p->first + i] : -1;
    }
}

static void list_piece(void *data, uint32_t first, uint32_t end)
{
    placing *p = data;
    uint32_t far = 0;
    for (uint32_t i = first; i < end; ++i) {
        uint32_t here = (uint32_t)p->item[i], next = (uint32_t)p->item[i + 1 < p->count ? i + 1 : i];
        far += (here < next ? next - here : here - next) >= FAR_APART;
        p->from[i] = p->first + here;
    }
    atomic_fetch_add_explicit(&p->far, far, memory_order_relaxed);
}

/* Computes the order in which loose particles should be stored, and whether too many are out of order. False when
   memory runs out. If tasks were lost, *far stays false. */
static bool look_at_places(sn_world *world, placing *p, bool *far)
{
    sn_near_input input = {.count = p->count, .sphere = p->sphere, .number = world->particles.index + p->first};
    bool lost = false;
    if (!sn_parallel_for(&world->parallel, p->count, measure_piece, p))
        return true;
    p->item = sn_neighbours_order(&world->contacts.pairs[SN_PAIRS_FIRST].near, &world->allocator, &world->parallel,
                                  &input, &lost);
    if (!p->item)
        return lost;
    lost = !sn_parallel_for(&world->parallel, p->count, list_piece, p);
    *far = !lost && atomic_load_explicit(&p->far, memory_order_relaxed) > p->count / ONE_IN;
    return true;
}

/* now: also in steps without a test. False when memory runs out. */
static bool store_by_place(sn_world *world, bool now)
{
    sn_contacts *c = &world->contacts;
    if (!wants_places(world))
        return true;
    placing p = {
        .particles = &world->particles, .first = world->plan.loose, .count = world->plan.particles - world->plan.loose};
    if (!sn_table_reserve(&c->sphere_table, &world->allocator, world->particles.table.count) ||
        !sn_table_reserve(&c->store_table, &world->allocator, p.count) || !complete_history(world) ||
        !sn_parallel_reserve(&world->parallel, &world->allocator, p.count))
        return false;
    if (!now && world->state.steps % STEPS_BETWEEN_LOOKS)
        return true;
    p.sphere = c->sphere_table.column[0];
    p.from = c->store_table.column[0];
    sn_parallel_begin_step(&world->parallel);
    bool far = false, looked = look_at_places(world, &p, &far);
    moving m = {
        .world = world, .first = p.first, .count = p.count, .from = p.from, .scratch = c->store_table.column[1]};
    if (far)
        arrange(&m);
    sn_parallel_end_step(&world->parallel);
    return looked;
}

/* ---- Keeping it up to date --------------------------------------------------------------------------------------- */

bool sn_world_plan(sn_world *world)
{
    sn_plan *plan = &world->plan;
    if (world->state.settings.solver != SN_SOLVER_TILED)
        return true;
    if (plan->made && !plan->filled && !sn_plan_restored(plan, &world->allocator, &world->constraints))
        return false;
    if (plan->made && sn_plan_follow(plan, &world->constraints, world->ids.value))
        return store_by_place(world, false);
    plan->made = false;
    return make_plan(world) && store_by_place(world, true);
}

void sn_world_follow_edits(sn_world *world)
{
    sn_plan *plan = &world->plan;
    if (!plan->made || (!plan->filled && !sn_plan_restored(plan, &world->allocator, &world->constraints)))
        return;
    if (!sn_plan_follow(plan, &world->constraints, world->ids.value))
        plan->made = false;
}

/* Many particles may have been added since the plan was made. It is discarded here, not when the next step makes a
   plan. So it does not matter whether a failed step comes between two edits. */
void sn_world_slot_taken(sn_world *world)
{
    uint32_t count = world->particles.table.count, planned = world->plan.particles;
    if (count > planned && count - planned > 256 + planned / 8)
        world->plan.made = false;
}

void sn_rest_forget(sn_world *world, uint32_t number)
{
    sn_rest_place *shape = world->rest_shape_table.column[0];
    if (number >= world->rest_shape_table.count || !shape[number].since)
        return;
    shape[number].since = 0;
    world->rest_edits++;
}

void sn_rest_forget_since(sn_world *world, uint64_t shapes)
{
    const sn_rest_place *shape = world->rest_shape_table.column[0];
    for (uint32_t i = 0; world->state.shapes > shapes && i < world->rest_shape_table.count; ++i)
        if (shape[i].since > shapes)
            sn_rest_forget(world, i);
    world->state.shapes = shapes;
}

void sn_world_weighs(sn_world *world, uint32_t slot, sn_real inverse_mass)
{
    if (!sn_plan_weighs(&world->plan, slot, world->particles.x[slot].w, inverse_mass))
        world->plan.made = false;
}

void sn_world_slot_freed(sn_world *world, uint32_t slot)
{
    uint32_t last = world->particles.table.count - 1;
    world->contact.impulse_start_table.count = 0;
    if (slot < world->plan.particles || last < world->plan.particles)
        world->plan.made = false;
}

/* The new plan is made beside the old one, which is kept if memory runs out. If loose particles cannot be reordered
   they stay where they are, which changes no result. */
sn_result sn_world_replan(sn_world *world)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || world->state.settings.solver != SN_SOLVER_TILED)
        return result;
    sn_plan old = world->plan;
    sn_plan_init(&world->plan);
    world->plan.makes = old.makes;
    world->plan.serial = old.serial; /* so that data made for the old plan do not match the new one */
    world->plan.tree_edits = old.tree_edits;
    bool made = make_plan(world);
    sn_plan_release(made ? &old : &world->plan, &world->allocator);
    if (made) {
        store_by_place(world, true);
        return SN_OK;
    }
    world->plan = old;
    return world_fail(world, SN_ERROR_MEMORY, "no memory for a plan of %u constraints", world->constraints.counts.live);
}
