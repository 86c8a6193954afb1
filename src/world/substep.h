/* One substep on its way, and the chapters of the step that are told elsewhere. */
#ifndef SN_WORLD_SUBSTEP_H
#define SN_WORLD_SUBSTEP_H

#include "integrators/integrator.h"
#include "solvers/tiled.h"
#include "world/world.h"

/* What substeps of a step share. */
typedef struct sn_step_state {
    sn_real dt;        /* s */
    bool still;        /* statics: no clock and no damping; see sn_world_advance */
    bool careful;      /* the step failed and is taken again, constraint by constraint, to find out where */
    bool end_deferred; /* the substep before has not been ended yet: this one does it, as it predicts */
    bool resident;     /* tiles lag, and those of planes are in them: see sn_tiled */
    bool steady;       /* BDF2: everything that moves has a past, under gravity alone */
} sn_step_state;

typedef struct sn_substep {
    sn_world *world;
    sn_step_state *step;
    const sn_integrator_method *integrator;
    const sn_solver_method *solver;
    sn_real h;
    bool still;
    uint32_t substeps_left;       /* of the step, with this one */
    sn_motion motion;             /* what the loops over particles are given, */
    const sn_motion_table *table; /*   and the loops */
    bool defers_end;              /* the next substep will end this one */
    bool may_jump;                /* BDF2: contacts among the constraints may begin or end in it */
    atomic_bool unsound;          /* something is not finite; fault.c finds out what */
    uint64_t contacts;            /* which inequalities push, with BDF2; see past.c */
} sn_substep;

/* ---- prepare.c: before and around a step ----------------------------------------------------------------------------- */

/* Checks that the solver can enforce all kinds, and makes the plan and room for everything that a step needs. */
sn_result sn_world_prepare_step(sn_world *world, sn_real dt, bool still);

/* Warns, once, if the system refused to make some of the threads. */
void sn_world_warn_of_threads(sn_world *world);

/* ---- fault.c: steps that fail --------------------------------------------------------------------------------------- */

/* The task hook did not run all tasks of a loop, or contact ran out of memory. */
sn_result sn_fault_lost_tasks(sn_world *world);

/* A step fails at the constraint that a solver names; SN_OK if it names none. */
sn_result sn_fault_constraint(sn_world *world, const sn_solver_out *out);

/* Names the first particle or body whose motion is not finite. */
sn_result sn_fault_unsound(sn_substep *s);

/* (m/s)^2: most particles are slower, and no squares overflow. */
#define SN_SURELY_SLOW ((sn_real)1e30)

/* Whether some of the bodies that are awake, by their place among these, surely move soundly. */
bool sn_fault_bodies_move_soundly(const sn_world *world, uint32_t first, uint32_t end);

/* After contact: names the first particle or body that it, or a target, brought where no number reaches. */
sn_result sn_fault_contact(sn_world *world);

/* Before particles are predicted: names the first force that would make a motion infinite; SN_OK if there is none. */
sn_result sn_fault_forces(sn_substep *s);

/* ---- forces.c: the forces on particles -------------------------------------------------------------------------- */

/* Whether forces must be gathered, or the users' forces are all there are. */
bool sn_forces_needed(const sn_world *world);

/* Gathers the users' forces, springs and fields at the present positions. False if tasks got lost. */
bool sn_forces_gather(sn_substep *s);

/* Adds those of a solver that works by forces. */
sn_result sn_forces_constrain(sn_substep *s);

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

/* ---- articulations.c: bodies that hang together by joints ------------------------------------------------------------ */

/* Finds them, once contacts are known; false when memory runs out. */
bool sn_articulations_find(sn_world *world);

/* What a substep is to know of bodies, by row. Predicting them fills in v and slot if any are limited. */
static inline sn_articulated *sn_articulated_bodies(const sn_world *world)
{
    return world->articulations.row_table.column[5];
}

/* How much bodies move whose velocities have followed joints, of those in a list that are limited. */
void sn_articulations_gauge(const sn_world *world, const uint32_t *row, uint32_t count);

/* What contact took from them. A row that is none is passed over. */
void sn_articulations_note_some(const sn_world *world, const uint32_t *row, uint32_t count);

/* When that is known of all, before contact; and after it. False if tasks got lost. */
bool sn_articulations_limit(const sn_substep *s);
bool sn_articulations_note(sn_substep *s);

/* ---- swings.c: what bodies that swing on pivots lose to their joints --------------------------------------------------- */

/* J: the energy of motion that an articulation should have but for a little, before anything is limited. */
double sn_swing_due(const sn_world *world, const sn_pivots *swing);

/* Gives back what it has less in a substep of h. Whether anything changed. */
bool sn_swing_restore(sn_world *world, const sn_pivots *swing, double due, double h);

/* ---- starts.c: where a substep started ------------------------------------------------------------------------------ */

/* Whether the start of every particle is noted. */
bool sn_starts_all(const sn_world *world, bool still);

/* Before a step: finds the particles of constraints that ask for it; false when memory runs out. */
bool sn_starts_find(sn_world *world, bool still);

/* Before its first substep: notes where those are that do not move. */
void sn_starts_note_immovable(sn_world *world);

/* ---- motion.c: how particles move ------------------------------------------------------------------------------------ */

/* What loops over particles are given; sn_motion_begin adds what depends on the substep. */
sn_motion sn_motion_of(sn_world *world, const sn_integrator_method *integrator, sn_real h, bool still);

/* Makes the motion of a substep ready, once forces are known. */
void sn_motion_begin(sn_substep *s);

/* The stages over all particles. False if tasks got lost. What is not finite sets unsound. */
bool sn_motion_predict(sn_substep *s);      /* moves them as if they were alone */
bool sn_motion_settle(sn_substep *s);       /* gives them the velocities that go with what constraints moved */
bool sn_motion_end(sn_substep *s);          /* ends the substep, or leaves that to the next one */
bool sn_motion_end_deferred(sn_substep *s); /* ends it now */

/* BDF2: positions and velocities at the start of a substep that may have to be redone. Reserving: false when memory runs out.
   The others: false if tasks got lost. */
bool sn_motion_reserve_redo(sn_world *world);
bool sn_motion_keep(sn_world *world);
bool sn_motion_put_back(sn_world *world);

/* ---- solve.c: the constraints of a substep --------------------------------------------------------------------------- */

/* What solvers are given. */
sn_solver_in sn_world_solver_input(sn_world *world, sn_real h);

/* The solver of a step. */
const sn_solver_method *sn_solve_method(const sn_world *world, bool still);

/* Whether contact is solved after each pass over the constraints, and not once after the last. */
bool sn_solve_interleaves_contact(const sn_substep *s);

/* Tiles that lag settle, and those in planes write their particles back to storage, for what has to look at them between two substeps; the
   next pass reads them again. False if tasks got lost. What is not finite sets unsound. */
bool sn_solve_write_back(sn_substep *s);

/* Predicts particles and moves them until the constraints hold. */
sn_result sn_solve(sn_substep *s);

/* Velocities at the end: the kick by the forces there, for integrators that ask again; then what the solver corrects. */
sn_result sn_solve_velocities(sn_substep *s);

/* ---- targets.c: kinematic targets ------------------------------------------------------------------------------- */

/* For the step, a particle with a target is kinematic: nothing else moves it. */
void sn_targets_hold(sn_world *world);
void sn_targets_release(sn_world *world);

/* Moves each by an equal share of the distance that is left, in each of the substeps that are left; and gives it the velocity
   that goes with it. */
void sn_targets_move(sn_world *world, uint32_t substeps_left);
void sn_targets_set_velocities(sn_world *world, sn_real h);

/* They arrived, up to rounding: puts them exactly there, and forgets them. */
void sn_targets_finish(sn_world *world);

/* ---- turns.c: how bodies turn --------------------------------------------------------------------------------------- */

/* At the start of a step: lists the bodies that do not sleep, and lays out those that do. All else here is about the former. */
void sn_turns_list_awake(sn_world *world);

/* Fills the rows of turns behind the particles: nothing moved, and velocities as they are. */
void sn_turns_lay_out(sn_world *world);

/* Where bodies would turn to if they were alone; the second: some of those that are awake, as an sn_piece_fn. */
void sn_turns_predict(sn_substep *s);
void sn_turns_predict_piece(void *substep, uint32_t first, uint32_t end);

/* The first body whose motion in this substep is not finite; SN_ID_FREE: none. */
uint32_t sn_turns_find_unsound(const sn_world *world);

/* Bodies are turned, and gain the momentum that goes with what constraints did. What is not finite sets unsound. */
void sn_turns_settle(sn_substep *s);

/* The torques at the end, for integrators that end with those; and what a solver wants of velocities. */
void sn_turns_kick(sn_substep *s);
void sn_turns_correct(sn_substep *s);

/* Forgets torques and targets; these have arrived. */
void sn_turns_finish(sn_world *world);

/* ---- past.c: what BDF2 must know of its past ------------------------------------------------------------------------- */

/* Particles that start anew answer to a force with h^2 instead of the square of the effective step: as if they were
   lighter while constraints are solved. */
void sn_past_lighten(sn_substep *s);
void sn_past_restore(sn_substep *s);

/* Whether there are inequalities or joints with limits, so that a contact may begin or end within a substep. */
bool sn_past_may_jump(const sn_world *world);

/* Whether other inequalities push, or other joints are at their limits, than in the substep before. */
bool sn_past_contacts_changed(sn_substep *s);

/* Remembers what the next substep has to know of the jumps in this one. */
void sn_past_settle(sn_substep *s);

/* ---- undo.c: steps that are taken back ------------------------------------------------------------------------------ */

/* Makes room for a copy of all that substeps change; false when memory runs out. */
bool sn_undo_reserve(sn_world *world);

/* Keeps all that substeps change, but for the particles where there are tiles; false if tasks were lost and made up for. */
bool sn_undo_keep(sn_world *world);

/* Keeps some particles: an sn_piece_fn, given the world. */
void sn_undo_keep_particles(void *data, uint32_t first, uint32_t end);

/* Everything becomes what was kept. */
void sn_undo_put_back(sn_world *world);

#endif
