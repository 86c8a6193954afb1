/* The forces on particles: those given by users, springs and other force elements, and force fields. */
#include "world/substep.h"

static sn_vec3 field_force(const sn_world *world, const sn_field *field, uint32_t slot)
{
    const sn_particle_store *p = &world->particles;
    sn_field_in in = {.position = vec4_xyz(p->x[slot]),
                      .velocity = vec4_xyz(p->v[slot]),
                      .mass = p->v[slot].w,
                      .index = p->index[slot],
                      .group = p->group[slot],
                      .user = p->user[slot],
                      .time = world->state.time};
    return field->function(field->context, &in);
}

static bool has_elements(const sn_world *world)
{
    if (world->fleeting)
        return false;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind)
        if (world->constraints.pool[kind]->ids.live && world->constraints.pool[kind]->kind->force)
            return true;
    return false;
}

bool sn_forces_needed(const sn_world *world)
{
    return world->field_table.count || has_elements(world) || sn_solvers[world->state.settings.solver]->forces;
}

/* Adds the forces of a force element to the particles and bodies behind its points. */
static void add_element(sn_world *world, const sn_pool *pool, uint32_t row)
{
    sn_frame frame = sn_world_frame(world);
    sn_real energy, weight[4];
    const sn_vec3 *force = sn_evaluate_force(&world->constraints, pool, row, &frame, world->particles.v, &energy);
    for (uint32_t i = 0; i < pool_point_count(pool, row); ++i) {
        uint32_t slot[4], count = sn_point_corners(&world->constraints, pool, row, &frame, i, slot, weight);
        for (uint32_t j = 0; j < count; ++j) {
            sn_vec3 *f = &world->particles.f[slot[j]];
            *f = vec3_add(*f, vec3_scale(force[i], weight[j]));
        }
        const sn_anchor *anchor = sn_point_on_body(&world->constraints, pool, row, i);
        if (anchor) {
            sn_vec3 *f = &world->particles.f[world->particles.table.count + anchor->body];
            *f = vec3_add(*f, sn_frame_turn_gradient(&frame, anchor->body, anchor->place, force[i], vec3(0, 0, 0)));
        }
    }
}

/* Adds springs and other force elements, kind by kind, in the order of storage. */
static void add_elements(sn_world *world)
{
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; pool->kind->force && row < pool->ids.table.count; ++row)
            if (sn_ids_is_live(&pool->ids, row))
                add_element(world, pool, row);
    }
}

/* Adds the forces of force fields. */
static void add_fields_piece(void *data, uint32_t first, uint32_t end)
{
    sn_world *world = ((sn_substep *)data)->world;
    const sn_field *field = world->field_table.column[0];
    for (uint32_t slot = first; slot < end; ++slot) {
        if (world->particles.x[slot].w == 0)
            continue;
        sn_vec3 *f = &world->particles.f[slot];
        for (uint32_t i = 0; i < world->field_table.count; ++i)
            *f = vec3_add(*f, field_force(world, &field[i], slot));
        if (world->dimensions == 2)
            f->z = 0;
    }
}

static bool fields_are_parallel(const sn_world *world)
{
    const sn_field *field = world->field_table.column[0];
    for (uint32_t i = 0; i < world->field_table.count; ++i)
        if (!field[i].parallel)
            return false;
    return true;
}

bool sn_forces_gather(sn_substep *s)
{
    sn_world *world = s->world;
    uint32_t count = world->particles.table.count;
    if (!sn_forces_needed(world))
        return true;
    sn_stage_enter(world, SN_STAGE_FORCES);
    for (uint32_t slot = 0; slot < count; ++slot)
        world->particles.f[slot] = world->particles.force[slot];
    for (uint32_t row = 0; row < bodies_rows(&world->bodies); ++row)
        world->particles.f[count + row] = vec3(0, 0, 0);
    add_elements(world);
    if (fields_are_parallel(world) && world->field_table.count)
        return sn_parallel_for(&world->parallel, count, add_fields_piece, s);
    add_fields_piece(s, 0, count);
    return true;
}

sn_result sn_forces_constrain(sn_substep *s)
{
    sn_world *world = s->world;
    if (!s->solver->forces)
        return SN_OK;
    sn_solver_in in = sn_world_solver_input(world, s->h);
    in.frame = sn_world_frame(world);
    in.frame.held = true;
    sn_forces_in forces = {.v = world->particles.v, .gravity = world->state.settings.gravity, .f = world->particles.f};
    sn_solver_out out = s->solver->forces(&in, &forces);
    world->state.passes += out.passes;
    return sn_fault_constraint(world, &out);
}

sn_result sn_forces_blame(sn_world *world, uint32_t slot)
{
    uint32_t index = world->particles.index[slot];
    sn_frame frame = sn_world_frame(world);
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; pool->kind->force && row < pool->ids.table.count; ++row) {
            sn_real energy;
            if (!sn_ids_is_live(&pool->ids, row))
                continue;
            const sn_vec3 *f = sn_evaluate_force(&world->constraints, pool, row, &frame, world->particles.v, &energy);
            for (uint32_t i = 0; i < pool_point_count(pool, row); ++i)
                if (!vec3_is_finite(f[i])) {
                    world->fault.constraint = (sn_constraint){kind, row, pool->ids.generation[row]};
                    return world_fail(world, SN_ERROR_DIVERGED, "at %g s the force of %s %u was (%g, %g, %g) N",
                                      world->state.time, pool->kind->name, row, (double)f[i].x, (double)f[i].y,
                                      (double)f[i].z);
                }
        }
    }
    const sn_field *field = world->field_table.column[0];
    for (uint32_t i = 0; i < world->field_table.count; ++i) {
        sn_vec3 f = field_force(world, &field[i], slot);
        if (!vec3_is_finite(f)) {
            world->fault.particle = (sn_particle){index, world->ids.generation[index]};
            world->fault.field = field[i].number;
            return world_fail(world, SN_ERROR_DIVERGED,
                              "at %g s force field %u gave particle %u the force (%g, %g, %g) N", world->state.time,
                              field[i].number, index, (double)f.x, (double)f.y, (double)f.z);
        }
    }
    return SN_OK;
}

void sn_forces_clear(sn_world *world)
{
    if (!world->state.forces_pending)
        return;
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot)
        world->particles.force[slot] = vec3(0, 0, 0);
    world->state.forces_pending = false;
}
