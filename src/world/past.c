/* The history that BDF2 needs: which particles have none; and whether a contact begins or ends, so that velocities
   jump. */
#include "world/substep.h"

#include "base/hash.h"

/* The constraints' multipliers are forces times the square of the effective step. A particle without history moves by
   h^2 times the force instead, as if it were lighter. So its inverse mass is changed for the solve, and restored
   afterwards. */
void sn_past_lighten(sn_substep *s)
{
    sn_real factor = s->integrator->step_factor;
    sn_particle_store *p = &s->world->particles;
    for (uint32_t slot = 0; s->motion.unsteady && slot < p->table.count; ++slot) {
        s->motion.old_a[slot].w = p->x[slot].w;
        if (!motion_has_past(&s->motion, slot))
            p->x[slot].w /= factor * factor;
    }
}

void sn_past_restore(sn_substep *s)
{
    sn_particle_store *p = &s->world->particles;
    for (uint32_t slot = 0; s->motion.unsteady && slot < p->table.count; ++slot)
        p->x[slot].w = s->motion.old_a[slot].w;
}

/* A row counts as at its limit if it is nearer to it than this share of the change of C in the substep. */
#define NEAR_LIMIT 1e-3

/* It also counts as at its limit within this distance, in the unit of C, for a row that does not move; and if the
   limits are close together, within this share of their distance. */
#define AT_LIMIT 1e-5
#define BETWEEN  1e-3

/* 1 or 2 if a row, as described by its kind, is at its lower or upper limit. A row without motor or friction has a
   force only at a limit. With a motor or friction the force does not tell, so C is compared with the limits. */
static uint64_t limit_of(const sn_block *block, uint32_t r, const sn_frame *frame, sn_real lambda)
{
    const sn_row *row = &block->row[r];
    double c = (double)block->c[r], moved = 0;
    if (row->low == 0 && row->high == 0)
        return 0;
    if (row->type == SN_ROW_REST)
        return lambda > 0 ? 1 : lambda < 0 ? 2 : 0;
    for (uint32_t i = 0; i < block->count; ++i) {
        uint32_t slot = block->slot[i];
        sn_vec3 displacement = vec3_sub(vec4_xyz(frame->x[slot]), vec4_xyz(frame->start[slot]));
        displacement = vec3_add(displacement, vec4_xyz(frame->d[slot]));
        moved += vec3_dot_double(block->gradient[r * block->count + i], displacement);
    }
    double between = (double)row->high - (double)row->low;
    double near = NEAR_LIMIT * fabs(moved) + fmin(AT_LIMIT, BETWEEN * between);
    return c < (double)row->low + near ? 1 : c > (double)row->high - near ? 2 : 0;
}

/* Adds the active one-sided rows of a constraint whose kind describes its rows. */
static uint64_t own_rows_now(uint64_t hash, const sn_world *world, const sn_frame *frame, uint32_t kind, uint32_t row)
{
    const sn_pool *pool = world->constraints.pool[kind];
    sn_block block;
    sn_block_room room;
    if (!evaluate(&world->constraints, pool, row, frame, &block, &room))
        return hash;
    for (uint32_t r = 0; r < block.rows; ++r) {
        sn_real lambda = pool->lambda[(size_t)row * block.rows + r];
        sn_row_type type = block.row[r].type;
        bool one_way = type == SN_ROW_AT_LEAST || (type == SN_ROW_BY_KIND && pool->kind->inequality >> r & 1);
        uint64_t pushes = one_way ? lambda != 0 : limit_of(&block, r, frame, lambda);
        if (pushes)
            hash = hash_u64(hash_u64(hash, (uint64_t)kind << 32 | row), pushes << 32 | r);
    }
    return hash;
}

/* A number that identifies the set of active inequalities, including limits of joints. It changes when the set does; 0
   if none is active. */
static uint64_t contacts_now(const sn_world *world, const sn_frame *frame)
{
    const sn_store *store = &world->constraints;
    uint64_t hash = 0;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        const sn_pool *pool = store->pool[kind];
        const uint32_t rows = pool->kind->rows;
        for (uint32_t row = 0; pool->kind->own_rows && row < pool->ids.table.count; ++row)
            if (sn_ids_is_live(&pool->ids, row))
                hash = own_rows_now(hash, world, frame, kind, row);
        bool one_way = pool->kind->inequality && !pool->kind->own_rows;
        for (uint32_t i = 0; one_way && i < pool->ids.table.count * rows; ++i)
            if (pool->lambda[i] != 0 && pool->kind->inequality >> (i % rows) & 1 &&
                sn_ids_is_live(&pool->ids, i / rows))
                hash = hash_u64(hash, (uint64_t)kind << 32 | i);
    }
    return hash;
}

bool sn_past_may_jump(const sn_world *world)
{
    const sn_store *store = &world->constraints;
    bool may = false;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind)
        may = may || (store->pool[kind]->ids.live &&
                      (store->pool[kind]->kind->inequality || store->pool[kind]->kind->own_rows));
    return may;
}

bool sn_past_contacts_changed(sn_substep *s)
{
    sn_frame frame = sn_world_solver_input(s->world, s->h).frame;
    s->contacts = contacts_now(s->world, &frame);
    return s->contacts != s->world->state.contacts;
}

void sn_past_settle(sn_substep *s)
{
    sn_world_state *state = &s->world->state;
    if (!s->integrator->looks_back)
        return;
    if (s->contacts != state->contacts)
        state->unsettled = SN_SETTLING;
    else if (state->unsettled > 0)
        state->unsettled--;
    state->contacts = s->contacts;
}
