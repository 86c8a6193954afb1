/* Kinematic targets: particles that move to a given position during a step. */
#include "world/substep.h"

void sn_targets_hold(sn_world *world)
{
    sn_target *target = world->target_table.column[0];
    for (uint32_t i = 0; i < world->target_table.count; ++i) {
        sn_vec4 *x = &world->particles.x[world->ids.value[target[i].index]];
        target[i].w = x->w;
        x->w = 0;
    }
}

void sn_targets_release(sn_world *world)
{
    const sn_target *target = world->target_table.column[0];
    for (uint32_t i = 0; i < world->target_table.count; ++i)
        world->particles.x[world->ids.value[target[i].index]].w = target[i].w;
}

void sn_targets_move(sn_world *world, uint32_t substeps_left)
{
    sn_target *target = world->target_table.column[0];
    for (uint32_t i = 0; i < world->target_table.count; ++i) {
        uint32_t slot = world->ids.value[target[i].index];
        sn_vec4 *x = &world->particles.x[slot];
        sn_vec3 to =
            vec3_add(vec4_xyz(*x), vec3_scale(vec3_sub(target[i].place, vec4_xyz(*x)), 1 / (sn_real)substeps_left));
        target[i].moved = vec3_sub(to, vec4_xyz(*x));
        if (world->starts.any)
            world->particles.y[slot] = *x;
        *x = vec4(to, x->w);
        world->particles.x_low[slot] = vec4(vec3(0, 0, 0), 0);
    }
}

void sn_targets_set_velocities(sn_world *world, sn_real h)
{
    const sn_target *target = world->target_table.column[0];
    for (uint32_t i = 0; i < world->target_table.count; ++i) {
        uint32_t slot = world->ids.value[target[i].index];
        sn_vec3 v = vec3(target[i].moved.x / h, target[i].moved.y / h, target[i].moved.z / h);
        world->particles.v[slot] = vec4(v, world->particles.v[slot].w);
        world->particles.v_low[slot] = vec4(vec3(0, 0, 0), 0);
    }
}

/* The end of a motion to a target is also a jump of the velocity. */
void sn_targets_finish(sn_world *world)
{
    const sn_target *target = world->target_table.column[0];
    for (uint32_t i = 0; i < world->target_table.count; ++i) {
        uint32_t slot = world->ids.value[target[i].index];
        world->particles.x[slot] = vec4(target[i].place, world->particles.x[slot].w);
        world->particles.x_low[slot] = vec4(vec3(0, 0, 0), 0);
        world->particles.target[slot] = 0;
        sn_world_break_motion(world);
    }
    world->target_table.count = 0;
}
