/* Finds the cause of a failed step. */
#include "base/quad.h"
#include "world/substep.h"
#include "contact/surface_quiet.h"

sn_result sn_fault_lost_tasks(sn_world *world)
{
    if (world->contacts.failed != SN_OK)
        return world->contacts.failed;
    return world_fail(world, SN_ERROR_HOST, "at %g s the task hook did not run all tasks of a loop", world->state.time);
}

sn_result sn_world_blame(sn_world *world, uint32_t slot, const char *what)
{
    uint32_t index = world->particles.index[slot], body = world->particles.body[slot];
    world->fault.particle = (sn_particle){index, world->ids.generation[index]};
    if (body)
        return world_fail(world, SN_ERROR_DIVERGED, "at %g s body %u (particle %u): %s", world->state.time, body - 1,
                          index, what);
    return world_fail(world, SN_ERROR_DIVERGED, "at %g s particle %u: %s", world->state.time, index, what);
}

sn_result sn_fault_constraint(sn_world *world, const sn_solver_out *out)
{
    if (!out->fault_kind)
        return SN_OK;
    const sn_pool *pool = world->constraints.pool[out->fault_kind];
    world->fault.constraint = (sn_constraint){out->fault_kind, out->fault_row, pool->ids.generation[out->fault_row]};
    return world_fail(world, SN_ERROR_DIVERGED,
                      "at %g s the projection of %s constraint %u was not finite (its value, gradient or parameters "
                      "overflow or are undefined)",
                      world->state.time, pool->kind->name, out->fault_row);
}

/* ---- Before a substep -------------------------------------------------------------------------------------------- */

sn_result sn_fault_forces(sn_substep *s)
{
    sn_world *world = s->world;
    const sn_motion *m = &s->motion;
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot) {
        sn_vec3 change = vec3_scale(motion_acceleration(m, slot), s->h);
        sn_vec3 v = vec3_add(vec4_xyz(m->v[slot]), change);
        if (m->x[slot].w == 0 || (vec3_is_finite(v) && vec3_is_finite(vec3_scale(v, s->h))))
            continue;
        sn_result result = sn_forces_blame(world, slot);
        return result != SN_OK ? result : sn_world_blame(world, slot, "forces would make its motion infinite");
    }
    return SN_OK;
}

/* ---- After a substep --------------------------------------------------------------------------------------------- */

typedef struct looking {
    const sn_world *world;
    atomic_bool fault;
} looking;

/* False for NaN. */
static bool is_slow(sn_vec3 v)
{
    return fabs((double)v.x) < SN_TOO_FAST && fabs((double)v.y) < SN_TOO_FAST && fabs((double)v.z) < SN_TOO_FAST;
}

static const char *complaint(const sn_world *world, uint32_t slot)
{
    const sn_particle_store *p = &world->particles;
    const sn_table *spins = &world->contact.spin_table;
    const uint32_t number = p->index[slot];
    if (!vec3_is_finite(vec4_xyz(p->x[slot])) || !vec3_is_finite(vec4_xyz(p->x_low[slot])) ||
        !is_slow(vec4_xyz(p->v[slot])))
        return "contact would bring it to an infinite place or speed";
    if (number < spins->count && !vec3_is_finite(vec4_xyz(((const sn_vec4 *)spins->column[0])[number])))
        return "contact would make it turn infinitely fast";
    if (p->body[slot]) {
        const sn_body_state *body = &world->bodies.state[p->body[slot] - 1];
        if (!body_turns_soundly(body, body->q, body->l))
            return "contact would make the body turn infinitely fast";
    }
    return NULL;
}

/* A quick test. If x - x is 0 for the sum of a position and its remainder, both are finite. */
static bool moves_surely_soundly(const sn_particle_store *p, uint32_t slot)
{
    const quad sum = quad_xyz(quad_add(quad_load(&p->x[slot]), quad_load(&p->x_low[slot]))), v = quad_load(&p->v[slot]);
    return quad_is_zero(quad_sub(sum, sum)) && quad_dot3(v, v) < SN_SURELY_SLOW;
}

static bool is_surely_sound(const sn_world *world, uint32_t slot)
{
    return moves_surely_soundly(&world->particles, slot) && !world->particles.body[slot] &&
           !world->contact.spin_table.count;
}

static void look_piece(void *data, uint32_t first, uint32_t end)
{
    looking *l = data;
    bool fault = false;
    for (uint32_t from = first; from < end; from += SN_CONTACT_PIECE) {
        const uint32_t to = end - from < SN_CONTACT_PIECE ? end : from + SN_CONTACT_PIECE;
        const bool still = l->world->contacts.any && contact_is_still(&l->world->contacts, from);
        for (uint32_t slot = still ? to : from; slot < to; ++slot)
            fault |= !is_surely_sound(l->world, slot) && complaint(l->world, slot);
    }
    if (fault)
        atomic_store_explicit(&l->fault, true, memory_order_relaxed);
}

#define WORK_OF_BODY 50.0 /* ns, about */

static uint32_t slot_of_awake(const sn_world *world, uint32_t i)
{
    return world->ids.value[world->bodies.state[bodies_awake(&world->bodies)[i]].particle];
}

bool sn_fault_bodies_move_soundly(const sn_world *world, uint32_t first, uint32_t end)
{
    bool sound = !world->contact.spin_table.count;
    for (uint32_t i = first; i < end; ++i) {
        const sn_body_state *body = &world->bodies.state[bodies_awake(&world->bodies)[i]];
        const uint32_t slot = world->ids.value[body->particle];
        sound &= moves_surely_soundly(&world->particles, slot) && body_turns_soundly(body, body->q, body->l);
    }
    return sound;
}

static void look_at_bodies(void *data, uint32_t first, uint32_t end)
{
    looking *l = data;
    if (!sn_fault_bodies_move_soundly(l->world, first, end))
        atomic_store_explicit(&l->fault, true, memory_order_relaxed);
}

sn_result sn_fault_contact(sn_world *world)
{
    const sn_bodies *bodies = &world->bodies;
    const uint32_t count = world->particles.table.count;
    looking l = {.world = world};
    const char *what;
    if (sn_surface_quiet_is_all(world) && !world->target_table.count)
        return SN_OK;
    if (world->contacts.any || world->body_contacts.mover_table.count > bodies_rows(bodies)) {
        if (!sn_parallel_for(&world->parallel, count, look_piece, &l))
            sn_parallel_repair(&world->parallel);
        for (uint32_t slot = 0; l.fault && slot < count; ++slot)
            if ((what = complaint(world, slot)) != NULL)
                return sn_world_blame(world, slot, what);
        return SN_OK;
    }
    const sn_target *target = world->target_table.column[0];
    for (uint32_t i = 0; i < world->target_table.count; ++i)
        if ((what = complaint(world, world->ids.value[target[i].index])) != NULL)
            return sn_world_blame(world, world->ids.value[target[i].index], what);
    if (world->body_contacts.looked) /* tested in the loop that stored their poses */
        l.fault = atomic_load_explicit(&world->body_contacts.suspect, memory_order_relaxed);
    else if (!sn_parallel_few(&world->parallel, bodies->awake_table.count, WORK_OF_BODY, look_at_bodies, &l))
        sn_parallel_repair(&world->parallel);
    for (uint32_t i = 0; l.fault && i < bodies->awake_table.count; ++i) {
        uint32_t slot = slot_of_awake(world, i);
        if ((what = complaint(world, slot)) != NULL)
            return sn_world_blame(world, slot, what);
    }
    return SN_OK;
}

sn_result sn_fault_unsound(sn_substep *s)
{
    sn_world *world = s->world;
    const sn_particle_store *p = &world->particles;
    for (uint32_t slot = 0; slot < p->table.count; ++slot)
        if (!vec3_is_finite(vec4_xyz(p->x[slot])) || !is_slow(vec4_xyz(p->v[slot])))
            return sn_world_blame(world, slot, "would reach an infinite place or speed");
    uint32_t row = sn_turns_find_unsound(world);
    if (row != SN_ID_FREE)
        return sn_world_blame(world, world->ids.value[world->bodies.state[row].particle], "would turn infinitely fast");
    return world_fail(world, SN_ERROR_DIVERGED, "at %g s something would reach an infinite place or speed",
                      world->state.time);
}
