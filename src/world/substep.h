/* One substep on its way, and the chapters of the step that are told elsewhere. */
#ifndef SN_WORLD_SUBSTEP_H
#define SN_WORLD_SUBSTEP_H

#include "integrators/integrator.h"
#include "world/world.h"

typedef struct sn_substep {
    sn_world *world;
    sn_motion motion;
    bool still;             /* statics: no clock and no damping; see sn_world_advance */
    uint32_t substeps_left; /* of the step, with this one */
    uint64_t contacts;      /* which inequalities push, with an integrator that must know; see jumps.c */
    const sn_integrator_method *integrator;
    const sn_solver_method *solver;
    atomic_bool fault; /* some particle is not finite; who it is, is found afterwards */
} sn_substep;

/* ---- forces.c: the forces on particles -------------------------------------------------------------------------- */

/* Whether forces must be gathered, or the users' forces are all there are. */
bool sn_forces_needed(const sn_world *world);

/* Gathers the users' forces, springs and fields at the present positions. False if tasks got lost. */
bool sn_forces_gather(sn_substep *s);

/* Names the force element or field that exerts an infinite force on a particle; SN_OK if there is none. */
sn_result sn_forces_blame(sn_world *world, uint32_t slot);

/* Forgets the users' forces at the end of the step for which they were given. */
void sn_forces_clear(sn_world *world);

/* ---- springs.c: springs that are forces --------------------------------------------------------------------------- */

/* Warns, once, if some are too stiff for the substeps of dt. Does nothing if nothing changed since the last call. */
void sn_springs_watch(sn_world *world, sn_real dt, bool still);

/* ---- compromise.c: constraints that contradict each other --------------------------------------------------------- */

/* Looks at the constraints that were edited since the last call. Those that cannot hold together are held at a compromise from
   then on, where their particles are put. Fails when memory runs out. */
sn_result sn_compromise_find(sn_world *world);

/* Follows every sn_compromise_find, at the end of the step: one that failed is taken back, and so is what was found in it. */
void sn_compromise_end(sn_world *world, bool failed);

/* ---- targets.c: kinematic targets ------------------------------------------------------------------------------- */

/* For the step, a particle with a target is immovable to everything else. */
void sn_targets_hold(sn_world *world);
void sn_targets_release(sn_world *world);

/* An equal share of the way that is left, in each of the substeps that are left. */
void sn_targets_move(sn_substep *s, uint32_t substeps_left);

/* They arrived, up to rounding: puts them exactly there, and forgets them. */
void sn_targets_finish(sn_world *world);

/* The same at once, before a substep that is taken in one go, and their velocities after it. */
void sn_targets_lead(sn_world *world, uint32_t substeps_left);
void sn_targets_leave(sn_world *world, sn_real h);

/* ---- turns.c: how bodies turn --------------------------------------------------------------------------------------- */

/* Fills the rows of turns behind the particles: nothing moved, and velocities as they are. */
void sn_turns_lay_out(sn_world *world);

/* Where bodies would turn to if they were alone. */
void sn_turns_predict(sn_substep *s);

/* In a step taken in one go, particles are moved themselves, and turns with them: from where they were laid out to where they
   are predicted, before constraints are solved; and what these moved them by, afterwards. */
void sn_turns_enter(sn_world *world);
void sn_turns_leave(sn_world *world);

/* The first body whose motion is not finite; SN_ID_FREE: none. */
uint32_t sn_turns_check(const sn_substep *s);

/* Bodies are turned, and gain the momentum that goes with what constraints did. */
void sn_turns_settle(sn_substep *s);

/* The torques at the end, for integrators that end with those; and what a solver wants of velocities. */
void sn_turns_kick(sn_substep *s);
void sn_turns_correct(sn_substep *s);

/* Forgets torques and targets; these have arrived. */
void sn_turns_finish(sn_world *world);

/* ---- quick.c: substeps taken in one go, tile by tile ---------------------------------------------------------------- */

/* Whether this step can be taken so. */
bool sn_quick_can(const sn_world *world, bool still);

/* Whether there are bodies, or rows that look back to the start of the substep. */
bool sn_quick_looks_back(const sn_world *world);

/* Whether it needs the scratch of a step told phase by phase, too: there, and with the direct solver. */
bool sn_quick_needs_work(const sn_world *world);

/* Whether it is to be taken so, once it is known who is held and who sleeps: with the direct solver, if there are only trees. What
   is left to the cascade goes the way of SN_SOLVER_GAUSS_SEIDEL, to the bit. */
bool sn_quick_suits(sn_world *world);

/* Takes all substeps. If something became infinite on the way, everything is put back as it was, and *again set: they are
   to be taken again one phase after the other, which finds out what it was, or does better. */
sn_result sn_quick_substeps(sn_world *world, sn_real dt, bool *again);

/* ---- undo.c: steps that are taken back ------------------------------------------------------------------------------ */

/* Makes room for a copy of all that substeps change; false when memory runs out. */
bool sn_undo_reserve(sn_world *world);

/* Keeps places and velocities of some particles; what else substeps change; and all of it, false if tasks were lost and made up
   for. */
void sn_undo_keep_piece(sn_world *world, uint32_t first, uint32_t end);
void sn_undo_keep_rest(sn_world *world);
bool sn_undo_keep(sn_world *world);

/* Everything becomes what was kept. */
void sn_undo_put_back(sn_world *world);

/* The first particle that contact, or a target, brought where no number reaches, and what is wrong with it. False if there is none. */
bool sn_undo_find(sn_world *world, uint32_t *slot, const char **what);

/* Whether it brought a body there. */
bool sn_undo_find_body(const sn_world *world);

/* step.c: what solvers are given. */
sn_solver_in sn_world_solver_input(sn_world *world, sn_real h);

/* ---- jumps.c: what integrators that need a smooth past must know of velocities that jump -------------------------- */

/* Particles that start anew answer to a force with h^2 instead of the square of the effective step: as if they were
   lighter while constraints are solved. */
void sn_jumps_lighten(sn_substep *s);
void sn_jumps_restore(sn_substep *s);

/* Whether other inequalities push, or other joints are at their limits, than in the substep before: a contact began or ended. */
bool sn_jumps_contacts_changed(sn_substep *s);

/* Remembers what the next substep has to know of the jumps in this one. */
void sn_jumps_settle(sn_substep *s);

#endif
