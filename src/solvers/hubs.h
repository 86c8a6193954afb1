/* Hubs: particles with so many constraints that these cannot be solved one after the other. All are computed at once. A
   particle with n of them gives each an n-th of its mass, as SN_SOLVER_JACOBI does for all particles: see jacobi.c for
   why this neither overshoots nor loses momentum. */
#ifndef SN_SOLVERS_HUBS_H
#define SN_SOLVERS_HUBS_H

#include "solvers/tiled.h"

/* Updates the lists from the plan. False when memory runs out. */
bool sn_hubs_reserve(const sn_solver_in *in, const sn_allocator *allocator);
void sn_hubs_release(sn_solver_scratch *scratch, const sn_allocator *allocator);

/* The number of particles in the constraints of hubs; 0 without hubs. */
uint32_t sn_hubs_particles(const sn_solver_scratch *scratch);

/* One pass over the constraints of hubs; results as of sn_tiled_pass. mark: scratch, one for each particle. */
bool sn_hubs_pass(const sn_tiled *t, sn_vec4 *mark, sn_solver_out *out, sn_real *largest);

#endif
