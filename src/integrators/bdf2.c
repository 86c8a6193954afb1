/* BDF2, the second-order backward difference, for the position step (English 2008; Macklin and others use it for XPBD):

       v' = (3 x' - 4 x + x_old) / (2 h),      x' = (4 x - x_old) / 3 + 2h/3 v'*,

   which with v'* = (4 v - v_old) / 3 + 2h/3 a' before constraints gives the prediction

       d = (x - x_old) / 3 + h (8 v - 2 v_old) / 9 + 4/9 h^2 a',      a' = 2 a - a_old:

   the acceleration at the end of the substep is extrapolated from the two that are known, without which forces that change
   along the way would be first order.

   Its effective step is 2h/3: that is what a force has to do to move x' by 4/9 h^2 f / m, and so what compliance is scaled
   with. Where there is no past of the same h (start, impulse, teleport, new velocity, changed substep) a particle takes one
   substep of symplectic Euler. */
#include "integrators/integrator.h"

static bool has_past(const sn_motion *motion, uint32_t slot)
{
    return motion->old_d[slot].w == motion->h;
}

static sn_vec3 predicted(const sn_motion *motion, uint32_t slot)
{
    const sn_real h = motion->h;
    sn_vec3 d = vec3_scale(vec4_xyz(motion->old_d[slot]), (sn_real)(1.0 / 3));
    d = vec3_add(d, vec3_scale(vec4_xyz(motion->v[slot]), h * (sn_real)(8.0 / 9)));
    d = vec3_sub(d, vec3_scale(vec4_xyz(motion->old_v[slot]), h * (sn_real)(2.0 / 9)));
    d = vec3_scale(d, motion->keep); /* damping shrinks the whole past */
    sn_vec3 a = motion_acceleration(motion, slot), old_a = vec4_xyz(motion->old_a[slot]);
    a = vec3_sub(vec3_scale(a, 2), old_a);
    d = vec3_add(d, vec3_scale(a, h * h * (sn_real)(4.0 / 9)));
    return vec3_add(d, motion->x_low[slot]);
}

static void predict(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        if (has_past(motion, slot)) {
            motion->d[slot] = vec4(motion->x[slot].w != 0 ? predicted(motion, slot) : vec3(0, 0, 0), 0);
            continue;
        }
        sn_pair v = motion_kicked(motion, slot, 1);
        motion_drift(motion, slot, &v);
    }
}

/* v' = (3 d - d_old) / (2 h), with d_old shrunk as in the prediction. */
static void update_velocities(const sn_motion *motion, uint32_t first, uint32_t end)
{
    const sn_real h = motion->h;
    for (uint32_t slot = first; slot < end; ++slot) {
        bool moves = motion->x[slot].w != 0;
        sn_vec3 d = vec3_sub(vec4_xyz(motion->d[slot]), motion->x_low[slot]), old_v = vec4_xyz(motion->v[slot]);
        sn_pair v = {0};
        if (moves && has_past(motion, slot)) {
            sn_vec3 old_d = vec3_scale(vec4_xyz(motion->old_d[slot]), motion->keep);
            sn_vec3 twice = vec3_sub(vec3_scale(d, 3), old_d);
            v.high = vec3(twice.x / (2 * h), twice.y / (2 * h), twice.z / (2 * h));
        } else {
            v = motion_corrected(motion, slot, motion_kicked(motion, slot, 1));
        }
        motion_set_velocity(motion, slot, &v);
        motion->old_v[slot] = vec4(old_v, 0);
        motion->old_a[slot] = vec4(motion_acceleration(motion, slot), 0);
        motion->old_d[slot] = vec4(d, moves ? h : 0);
    }
}

const sn_integrator_method sn_integrator_bdf2 = {.name = "bdf2",
                                                 .looks_back = true,
                                                 .step_factor = (sn_real)(2.0 / 3),
                                                 .predict = predict,
                                                 .update_velocities = update_velocities};
