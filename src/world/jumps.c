/* Velocities that jump, for integrators that look back and need a smooth past (BDF2): who starts anew, and when a
   contact begins or ends. */
#include "world/substep.h"

#include "base/hash.h"

/* The constraints' multipliers are forces times the square of the effective step. A particle that starts anew moves
   by h^2 times the force instead, as if it were lighter: its inverse mass is put aside, and given back after the
   solve. */
void sn_jumps_lighten(sn_substep *s)
{
    sn_real factor = s->integrator->step_factor;
    sn_particle_store *p = &s->world->particles;
    for (uint32_t slot = 0; factor != 1 && slot < p->table.count; ++slot) {
        s->motion.old_a[slot].w = p->x[slot].w;
        if (!motion_has_past(&s->motion, slot))
            p->x[slot].w /= factor * factor;
    }
}

void sn_jumps_restore(sn_substep *s)
{
    sn_particle_store *p = &s->world->particles;
    for (uint32_t slot = 0; s->integrator->step_factor != 1 && slot < p->table.count; ++slot)
        p->x[slot].w = s->motion.old_a[slot].w;
}

/* A number that stands for the inequalities that push, and changes when others do; 0 when none does. */
static uint64_t contacts_now(const sn_store *store)
{
    uint64_t hash = 0;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        const sn_pool *pool = store->pool[kind];
        const uint32_t rows = pool->kind.rows;
        for (uint32_t i = 0; pool->kind.inequality && i < pool->ids.table.count * rows; ++i)
            if (pool->lambda[i] != 0 && pool->kind.inequality >> (i % rows) & 1 && sn_ids_is_live(&pool->ids, i / rows))
                hash = hash_u64(hash, (uint64_t)kind << 32 | i);
    }
    return hash;
}

bool sn_jumps_contacts_changed(const sn_world *world)
{
    return contacts_now(&world->constraints) != world->state.contacts;
}

void sn_jumps_settle(sn_substep *s)
{
    sn_world_state *state = &s->world->state;
    if (!s->integrator->is_smooth)
        return;
    uint64_t contacts = contacts_now(&s->world->constraints);
    if (contacts != state->contacts)
        state->unsettled = SN_SETTLING;
    else if (state->unsettled > 0)
        state->unsettled--;
    state->contacts = contacts;
}
