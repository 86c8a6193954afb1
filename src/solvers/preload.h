/* Preloads: the slow part of what constraints exert.

   A pass of sweeps that starts from nothing in every substep finds a part of what constraints have to exert. The rest shows as stretch: a
   sheet of 60 by 60 particles that hangs by an edge is ninety times longer than its material says. What it exerted in the past, slowly
   followed, starts it off near the end:

       P += s (lambda / h^2 - P),     s = SN_PRELOAD_RATE * damping * h,

   and a substep begins with lambda = P h^2, by which particles are moved before the first pass. At rest passes have nothing left to
   do, and C + a lambda = 0 with the lambda that carries the load.

   Why slowly. Let passes answer a stretch x by a force -k x, as they do where they have not converged, and P be its integral, at a rate r. With a damping c of
   velocities, x'' = -c x' - k (x + r * integral of x), which is stable exactly where r < c (Routh and Hurwitz: c k > r k). So P is as
   slow as half of the damping, and a world without damping, which comes to no rest, has none.

   How large. A tension T in a rod of length l acts across it as a spring T / l that nothing makes implicit: with w, the sum of inverse masses, it
   is stable in a substep where w T h^2 / l is less than about 1. A particle of a solid has many rods, and some of them push: across such a rod, the
   spring is negative, and has to be outweighed by what one pass finds of the stiffness of its neighbours. That is little where a solid bends far. A beam of 41 by 9 by
   9 particles that held itself up at a tenth of its true height boiled, at 1,500 J in 40 kg, where 0.1 was allowed. So solids have 0.025: enough for a cube on its base. */
#ifndef SN_SOLVERS_PRELOAD_H
#define SN_SOLVERS_PRELOAD_H

#include "solvers/solver.h"

#define SN_PRELOAD_RATE    0.5f   /* of the damping */
#define SN_PRELOAD_FASTEST 0.5f   /* of what is missing, in a substep */
#define SN_PRELOAD_SLACK   0.5f   /* of P: a load of less than that is gone, and P goes with it, at the fastest */
#define SN_PRELOAD_MOST    1.0f   /* of w T h^2 / l, in sheets and ropes, */
#define SN_PRELOAD_SOLID   0.025f /*   and in solids */
#define SN_CLOSED_MOST     0.4f   /* of the same in closed surfaces, by substeps of their own (tiled_closed.c), */
#define SN_CLOSED_FINEST   16u    /*   which are so many at most */

/* Whether constraints of a kind have preloads, and whether one does: it is a rod between particles. */
bool sn_preload_has(uint32_t kind);
bool sn_preload_takes(const sn_store *store, uint32_t kind, uint32_t row);

/* Moves the particles of one by its preload, which is at most as large as `most_share` says: see above. False if that is not finite. */
bool sn_preload_one(const sn_solver_in *in, uint32_t kind, uint32_t row, float most_share);

#endif
