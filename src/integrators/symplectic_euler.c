/* Symplectic Euler:  v' = e^(-damping h) v + h a(x),   x' = x + h v'.

   First order, but the energy of a conservative motion stays near its value for ever. The default: with constraints
   it is the loop of position-based dynamics as Mueller et al. (2007) wrote it. */
#include "integrators/integrator.h"

static void predict(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_pair v = motion_kicked(motion, slot, 1);
        motion_drift(motion, slot, &v);
    }
}

static void update_velocities(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_pair v = motion_corrected(motion, slot, motion_kicked(motion, slot, 1));
        motion_set_velocity(motion, slot, &v);
    }
}

const sn_integrator_method sn_integrator_symplectic_euler = {.name = "symplectic_euler",
                                                             .drift_kick = 1,
                                                             .step_factor = 1,
                                                             .predict = predict,
                                                             .update_velocities = update_velocities};
