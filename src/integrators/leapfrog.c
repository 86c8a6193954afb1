/* Leapfrog:  v_half = v + h/2 a(x),   x' = x + h v_half,   v' = v_half + h/2 a(x').

   The velocities that carry the positions live in the middle between two of them. Writing the scheme as kick, drift,
   kick keeps the velocity that users see in step with the positions; so it needs no special start, the substep may
   change at any time, and impulses and teleports need no care. Two neighbouring half kicks are the lectures' one
   whole kick from one half step to the next:  v_half' = v_half + a (h_old + h) / 2. Second order, and reversible. A
   force that depends on velocity is asked for the second half kick with v_half + h/2 a(x), which keeps the second
   order. */
#include "integrators/integrator.h"

static void predict(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_pair v = motion_kicked(motion, slot, (sn_real)0.5);
        motion_drift(motion, slot, &v);
    }
}

static void update_velocities(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_pair v = motion_corrected(motion, slot, motion_kicked(motion, slot, (sn_real)0.5));
        if (motion->x[slot].w != 0)
            pair_add(&v, vec3_scale(motion_acceleration(motion, slot), motion->h / 2));
        motion_set_velocity(motion, slot, &v);
    }
}

static void kick(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        if (motion->x[slot].w == 0)
            continue;
        sn_pair v = {vec4_xyz(motion->v[slot]), vec4_xyz(motion->v_low[slot])};
        sn_vec3 change = vec3_sub(motion_acceleration(motion, slot), vec4_xyz(motion->d[slot]));
        pair_add(&v, vec3_scale(change, motion->h / 2));
        motion_set_velocity(motion, slot, &v);
    }
}

const sn_integrator_method sn_integrator_leapfrog = {.name = "leapfrog",
                                                     .drift_kick = (sn_real)0.5,
                                                     .step_factor = 1,
                                                     .predict = predict,
                                                     .update_velocities = update_velocities,
                                                     .kick = kick};
