#include "integrators/integrator.h"

const sn_integrator_method *const sn_integrators[SN_INTEGRATOR_COUNT] = {
    [SN_INTEGRATOR_SYMPLECTIC_EULER] = &sn_integrator_symplectic_euler,
    [SN_INTEGRATOR_FORWARD_EULER] = &sn_integrator_forward_euler,
    [SN_INTEGRATOR_LEAPFROG] = &sn_integrator_leapfrog,
    [SN_INTEGRATOR_VERLET] = &sn_integrator_verlet,
    [SN_INTEGRATOR_BDF2] = &sn_integrator_bdf2,
};
