#include "integrators/integrator.h"

const sn_integrator_method *const sn_integrators[SN_INTEGRATOR_COUNT] = {
    [SN_INTEGRATOR_SYMPLECTIC_EULER] = &sn_integrator_symplectic_euler,
};
