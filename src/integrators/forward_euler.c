/* Forward Euler:  x' = x + h v,   v' = v + h a(x).

   First order, and it gains energy: a spring or an orbit spirals outwards. It is here to be seen, not to be used. */
#include "integrators/integrator.h"

static void predict(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_pair v = motion_kicked(motion, slot, 0);
        motion_drift(motion, slot, &v);
    }
}

/* What the constraints did to the drift, and then the kick, which the next drift will see. */
static void update_velocities(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_pair v = motion_corrected(motion, slot, motion_kicked(motion, slot, 0));
        if (motion->x[slot].w != 0)
            pair_add(&v, vec3_scale(motion_acceleration(motion, slot), motion->h));
        motion_set_velocity(motion, slot, &v);
    }
}

const sn_integrator_method sn_integrator_forward_euler = {.name = "forward_euler",
                                                          .drift_kick = 0,
                                                          .step_factor = 1,
                                                          .predict = predict,
                                                          .update_velocities = update_velocities};
