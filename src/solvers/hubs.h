/* Hubs: particles with so many constraints that these could not be taken one after the other. All are asked at once, and a
   particle that n of them hold lends each an n-th of its mass, as SN_SOLVER_JACOBI does with everything: see jacobi.c
   for why that neither overshoots nor loses momentum. */
#ifndef SN_SOLVERS_HUBS_H
#define SN_SOLVERS_HUBS_H

#include "solvers/tiled.h"

/* Brings the lists up to date with the plan; false when memory runs out. */
bool sn_hubs_reserve(const sn_solver_in *in, const sn_allocator *allocator);
void sn_hubs_release(sn_solver_scratch *scratch, const sn_allocator *allocator);

/* How many particles they have; 0 without hubs. */
uint32_t sn_hubs_particles(const sn_solver_scratch *scratch);

/* One pass over the constraints of hubs; as sn_tiled_pass. mark: scratch, one for each particle. */
bool sn_hubs_pass(const sn_tiled *t, sn_vec4 *mark, sn_solver_out *out, sn_real *largest);

#endif
