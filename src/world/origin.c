/* Moving the origin of a world. */
#include "world/world.h"

/* Subtracts offset from every parameter of the pool's constraints that is a position. With `check` nothing is written,
   and the result tells whether all stay finite. */
static bool shift_params(sn_pool *pool, sn_vec3 offset, bool check)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < SN_MAX_PARAMS && pool->kind->param[i].name; at += param_width(&pool->kind->param[i++])) {
        if (pool->kind->param[i].type != SN_PARAM_POSITION)
            continue;
        for (uint32_t row = 0; row < pool->ids.table.count; ++row) {
            sn_real *p = pool->param + (size_t)row * pool->param_count + at;
            if (!sn_ids_is_live(&pool->ids, row))
                continue;
            sn_vec3 moved = vec3_sub(vec3(p[0], p[1], p[2]), offset);
            if (check) {
                if (!vec3_is_finite(moved))
                    return false;
                continue;
            }
            p[0] = moved.x;
            p[1] = moved.y;
            p[2] = moved.z;
        }
    }
    return true;
}

/* Subtracts offset from high + low. The part that high - offset rounds off is added to low, and the part of the sum
   that fits into high is moved there. This order matters, because low would vanish in a much larger offset. */
static void shift_number(sn_real *high, sn_real *low, sn_real offset)
{
    sn_real moved = *high - offset, rest = *low + sum_error(*high, -offset);
    *high = moved + rest;
    *low = sum_error(moved, rest);
}

/* If the new coordinates are smaller they have room for more digits, which come from x_low. Digits that do not fit go
   to x_low. So shifting there and back changes nothing if x_low was 0, and next to nothing otherwise. */
static void shift_particle(sn_particle_store *particles, uint32_t slot, sn_vec3 offset)
{
    sn_vec4 *x = &particles->x[slot];
    sn_vec4 *low = &particles->x_low[slot];
    shift_number(&x->x, &low->x, offset.x);
    shift_number(&x->y, &low->y, offset.y);
    shift_number(&x->z, &low->z, offset.z);
}

static bool shift_all(sn_world *world, sn_vec3 offset, bool check)
{
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot) {
        sn_vec4 *x = &world->particles.x[slot];
        sn_vec3 moved = vec3_sub(vec4_xyz(*x), offset);
        if (check && !vec3_is_finite(moved))
            return false;
        if (!check)
            shift_particle(&world->particles, slot, offset);
    }
    sn_target *target = world->target_table.column[0];
    for (uint32_t i = 0; i < world->target_table.count; ++i) {
        sn_vec3 moved = vec3_sub(target[i].place, offset);
        if (check && !vec3_is_finite(moved))
            return false;
        if (!check)
            target[i].place = moved;
    }
    sn_drag *drag = world->drag_table.column[0];
    for (uint32_t i = 0; i < world->drag_table.count; ++i) {
        sn_vec3 moved = vec3_sub(drag[i].def.origin, offset);
        if (check && !vec3_is_finite(moved))
            return false;
        if (!check)
            drag[i].def.origin = moved;
    }
    for (uint32_t i = 0; i < world->constraints.anchor_table.count; ++i) {
        sn_anchor *anchor = &world->constraints.anchor[i];
        sn_vec3 moved = vec3_sub(anchor->place, offset);
        if (anchor->type != SN_POINT_PLACE)
            continue;
        if (check && !vec3_is_finite(moved))
            return false;
        if (!check)
            anchor->place = moved;
    }
    for (uint32_t i = 0; !check && i < bodies_rows(&world->bodies); ++i)
        world->bodies.state[i].rest_place = vec3_sub(world->bodies.state[i].rest_place, offset);
    if (!check)
        sn_blade_sweep_shift(world, offset);
    if (!sn_fixed_shift(world, offset, check) || !sn_contact_shift(&world->contact, offset, check))
        return false;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind)
        if (!shift_params(world->constraints.pool[kind], offset, check))
            return false;
    return true;
}

sn_result sn_world_shift_origin(sn_world *world, sn_vec3 offset)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = sn_world_check_vector(world, "offset", offset)) != SN_OK)
        return result;
    if (!shift_all(world, offset, true))
        return world_fail(world, SN_ERROR_ARGUMENT, "offset (%g, %g, %g) would move something to infinity",
                          (double)offset.x, (double)offset.y, (double)offset.z);
    shift_all(world, offset, false);
    world->moves++;
    world->constraints.all_changed = true;
    world->constraints.changes++;
    world->state.origin[0] += (double)offset.x;
    world->state.origin[1] += (double)offset.y;
    world->state.origin[2] += (double)offset.z;
    return SN_OK;
}
