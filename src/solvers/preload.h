/* Preloads: the slow part of the forces of constraints.

   A sweep that starts from nothing in every substep finds only a part of the forces. The rest shows as stretch: a sheet
   of 60 by 60 particles that hangs by an edge is ninety times longer than its material demands. So a substep starts
   with the force of the past, low-pass filtered:

       P += s (lambda / h^2 - P),     s = SN_PRELOAD_RATE * damping * h.

   A substep begins with lambda = P h^2, by which particles are moved before the first pass. At rest the passes have
   nothing left to do, and C + a lambda = 0 with the lambda that carries the load.

   Why slowly. Where passes have not converged, they answer a stretch x by a force -k x. Let P be the integral of that
   force, at a rate r. With a damping c of velocities, x'' = -c x' - k (x + r * integral of x). This is stable exactly
   where r < c (Routh and Hurwitz: c k > r k). So P follows with half of the damping. A world without damping, which
   does not come to rest, has no preloads.

   How large. A tension T in a rod of length l acts across it as an explicit spring T / l. With w, the sum of the
   inverse masses, it is stable in a substep where w T h^2 / l is less than about 1. A particle of a solid has many
   rods, and some of them are under compression. Across such a rod the spring is negative, and must be outweighed by the
   stiffness of the neighbours that one pass finds. That is little where a solid bends far. With 0.1 allowed, a beam of
   41 by 9 by 9 particles that carried itself at a tenth of its true height shook with 1,500 J in 40 kg. So solids have
   0.025: enough for a cube on its base.

   What holds. A preload pushes the particle at a pin with all of the load. If the pin had none itself, it would put the
   particle back only after the rods beside it have seen it moved, by load h^2 / mass: a cloth on pins sagged by 68 %
   too far, a block on a plane by 4 times its sag. So pins and half spaces have preloads. A half space takes back what
   is too much, see SN_PRELOAD_GIVE. So have contacts with bodies that are not dynamic (contact/particle_preloads.c). */
#ifndef SN_SOLVERS_PRELOAD_H
#define SN_SOLVERS_PRELOAD_H

#include "solvers/solver.h"

#define SN_PRELOAD_RATE    0.5f   /* of the damping */
#define SN_PRELOAD_FASTEST 0.5f   /* most of the difference that P follows in a substep */
#define SN_PRELOAD_SLACK   0.5f   /* of P: if the load is below this share, P follows at the fastest rate */
#define SN_PRELOAD_MOST    1.0f   /* bound of w T h^2 / l in sheets and ropes */
#define SN_PRELOAD_SOLID   0.025f /* the same in solids */
#define SN_CLOSED_MOST     0.4f   /* the same in closed surfaces, by their own substeps (tiled_closed.c) */
#define SN_CLOSED_FINEST   16u    /* most of these substeps */

/* Whether constraints of a kind can have preloads; and whether this constraint has one: its points must be
   particles. */
bool sn_preload_has(uint32_t kind);
bool sn_preload_takes(const sn_store *store, uint32_t kind, uint32_t row);

/* Kinds that hold a point at a place or above a plane. Their preloads have no bound, since their directions do not
   turn, and act before the lattices of solids. */
bool sn_preload_holds(uint32_t kind);

/* 1/kg: with a preload, a rigid inequality has at least this compliance, which is nothing beside any mass. So it takes
   back what is too much of its preload (row_acts). Otherwise a block that leaves the ground is pushed up for ever. */
#define SN_PRELOAD_GIVE ((sn_real)1e-20)

/* Moves the particles of a constraint by its preload, which most_share bounds (see above). False if that is not
   finite. */
bool sn_preload_one(const sn_solver_in *in, uint32_t kind, uint32_t row, float most_share);

#endif
