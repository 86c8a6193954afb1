/* A substep in progress, and the parts of the step that are in other files. */
#ifndef SN_WORLD_SUBSTEP_H
#define SN_WORLD_SUBSTEP_H

#include "integrators/integrator.h"
#include "solvers/tiled.h"
#include "world/world.h"

/* Common to the substeps of a step. */
typedef struct sn_step_state {
    sn_real dt;        /* s */
    bool still;        /* statics: time and damping are off; see sn_world_advance */
    bool careful;      /* the step failed and is repeated, constraint by constraint, to find the cause */
    bool end_deferred; /* the previous substep is not ended yet: this one does it when it predicts */
    bool resident;     /* tiles lag, and tiles of planes are in planes: see sn_tiled */
    bool steady;       /* BDF2: every movable particle has a history, without forces other than gravity */
} sn_step_state;

typedef struct sn_substep {
    sn_world *world;
    sn_step_state *step;
    const sn_integrator_method *integrator;
    const sn_solver_method *solver;
    sn_real h;
    bool still;
    uint32_t substeps_left;       /* of the step, including this one */
    sn_motion motion;             /* input of the loops over particles */
    const sn_motion_table *table; /* and the loops */
    bool defers_end;              /* the next substep will end this one */
    bool may_jump;                /* BDF2: contacts among the constraints may begin or end in it */
    atomic_bool unsound;          /* something is not finite; fault.c finds the cause */
    uint64_t contacts;            /* identifies the active inequalities, for BDF2; see past.c */
} sn_substep;

/* ---- prepare.c: before and around a step ------------------------------------------------------------------------- */

/* Checks that the solver can solve all kinds, makes the plan, and reserves memory for everything that a step needs. */
sn_result sn_world_prepare_step(sn_world *world, sn_real dt, bool still);

/* Warns, once, if the system refused to create some of the threads. */
void sn_world_warn_of_threads(sn_world *world);

/* ---- fault.c: steps that fail ------------------------------------------------------------------------------------ */

/* For a loop whose tasks were not all run by the task hook, or if contact ran out of memory. */
sn_result sn_fault_lost_tasks(sn_world *world);

/* For the constraint that a solver reports; SN_OK if it reports none. */
sn_result sn_fault_constraint(sn_world *world, const sn_solver_out *out);

/* Names the first particle or body whose motion is not finite. */
sn_result sn_fault_unsound(sn_substep *s);

/* (m/s)^2: most particles are slower, and squares do not overflow. */
#define SN_SURELY_SLOW ((sn_real)1e30)

/* A quick test of bodies `first` to `end` of the awake ones. True if their motion is surely finite and not too fast;
   false may still be sound. */
bool sn_fault_bodies_move_soundly(const sn_world *world, uint32_t first, uint32_t end);

/* After contact: names the first particle or body with a position or velocity that is not finite or too fast. */
sn_result sn_fault_contact(sn_world *world);

/* Before prediction: names the first force that would make a motion infinite; SN_OK if there is none. */
sn_result sn_fault_forces(sn_substep *s);

/* ---- forces.c: the forces on particles -------------------------------------------------------------------------- */

/* True if forces must be gathered; false if there are only the users' forces. */
bool sn_forces_needed(const sn_world *world);

/* Gathers the users' forces, springs and fields at the present positions. False if tasks were lost. */
bool sn_forces_gather(sn_substep *s);

/* Adds the forces of a solver that works with forces. */
sn_result sn_forces_constrain(sn_substep *s);

/* Names the force element or field that exerts an infinite force on a particle; SN_OK if there is none. */
sn_result sn_forces_blame(sn_world *world, uint32_t slot);

/* Clears the users' forces at the end of the step for which they were given. */
void sn_forces_clear(sn_world *world);

/* ---- springs.c: springs that are forces -------------------------------------------------------------------------- */

/* Warns, once, if some springs are too stiff for the substeps of dt. Does nothing if nothing changed since the last
   call. */
void sn_springs_watch(sn_world *world, sn_real dt, bool still);

/* ---- compromise.c: constraints that contradict each other -------------------------------------------------------- */

/* Examines the constraints that were edited since the last call. For those that contradict each other it stores a
   compromise, and moves their particles there. Fails when memory runs out. */
sn_result sn_compromise_find(sn_world *world);

/* Call it at the end of every step after sn_compromise_find. If the step failed, the changes of the search are
   undone. */
void sn_compromise_end(sn_world *world, bool failed);

/* ---- articulations.c: bodies that are connected by joints -------------------------------------------------------- */

/* Finds them, after contacts were found. False when memory runs out. */
bool sn_articulations_find(sn_world *world);

/* Data of bodies for a substep, by row. Prediction fills in v and slot if any are limited. */
static inline sn_articulated *sn_articulated_bodies(const sn_world *world)
{
    return world->articulations.row_table.column[5];
}

/* True if constraints hold a body, and contact is to be predicted for it. */
static inline bool sn_articulations_hold(const sn_world *world, uint32_t row)
{
    const sn_articulations *a = &world->articulations;
    const uint32_t *first = a->row_table.column[0];
    return a->carries && ((const uint8_t *)a->row_table.column[1])[first[row]] & SN_ARTICULATION_HELD;
}

/* Records what contact took from them. Rows that are not bodies are skipped. */
void sn_articulations_note_some(const sn_world *world, const uint32_t *row, uint32_t count);

/* Settles the bodies of all that are watched (sn_turns_settle_some), limits their motion, and loads them for contact if
   all bodies are loaded then. False if tasks were lost. Tell: after the joints have settled, their multipliers become
   those of the limited motion. */
bool sn_articulations_settle(sn_substep *s);
void sn_articulations_tell(const sn_world *world);

/* After contact: records for all of them what it took. False if tasks were lost. */
bool sn_articulations_note(sn_substep *s);

/* ---- swings.c: energy that bodies swinging on pivots lose to their joints ---------------------------------------- */

/* Restores the energy that is missing, in a substep of h. due: J, the kinetic energy that the articulation should have,
   apart from a small part, before anything was limited. The others are the same for vectors of so many bytes. */
void sn_swing_restore(sn_world *world, const sn_pivots *swing, double due, double h);
void sn_swing_restore_lanes_0(sn_world *world, const sn_pivots *swing, double due, double h);
void sn_swing_restore_lanes_16(sn_world *world, const sn_pivots *swing, double due, double h);
void sn_swing_restore_lanes_32(sn_world *world, const sn_pivots *swing, double due, double h);

/* ---- starts.c: positions at the start of a substep --------------------------------------------------------------- */

/* True if the start of every particle is stored. */
bool sn_starts_all(const sn_world *world, bool still);

/* Before a step: finds the particles of constraints that need their start. False when memory runs out. */
bool sn_starts_find(sn_world *world, bool still);

/* Before the first substep: stores the positions of immovable particles. */
void sn_starts_note_immovable(sn_world *world);

/* ---- motion.c: how particles move -------------------------------------------------------------------------------- */

/* The input of loops over particles. sn_motion_begin adds the parts that depend on the substep. */
sn_motion sn_motion_of(sn_world *world, const sn_integrator_method *integrator, sn_real h, bool still);

/* Prepares the motion of a substep, after forces were gathered. */
void sn_motion_begin(sn_substep *s);

/* The stages over all particles. False if tasks were lost. Sets `unsound` if something is not finite. */
bool sn_motion_predict(sn_substep *s);      /* moves them as if there were no constraints */
bool sn_motion_settle(sn_substep *s);       /* sets the velocities that follow from the displacements by constraints */
bool sn_motion_end(sn_substep *s);          /* ends the substep, or leaves that to the next one */
bool sn_motion_end_deferred(sn_substep *s); /* ends it now */

/* BDF2: positions and velocities at the start of a substep that may be repeated. Reserving: false when memory runs out.
   The others: false if tasks were lost. */
bool sn_motion_reserve_redo(sn_world *world);
bool sn_motion_keep(sn_world *world);
bool sn_motion_put_back(sn_world *world);

/* ---- solve.c: the constraints of a substep ----------------------------------------------------------------------- */

/* The input of solvers. */
sn_solver_in sn_world_solver_input(sn_world *world, sn_real h);

/* The solver of a step. */
const sn_solver_method *sn_solve_method(const sn_world *world, bool still);

/* True if contact is solved after each pass over the constraints, and not once after the last pass. */
bool sn_solve_interleaves_contact(const sn_substep *s);

/* Settles tiles that lag, and writes tiles in planes back to storage, so that particles can be read between two
   substeps. The next pass reads them again. False if tasks were lost. Sets `unsound` if something is not finite. */
bool sn_solve_write_back(sn_substep *s);

/* Predicts particles and moves them until the constraints hold. */
sn_result sn_solve(sn_substep *s);

/* Velocities at the end: the kick by the forces there, for integrators that need it; then the corrections of the
   solver. */
sn_result sn_solve_velocities(sn_substep *s);

/* ---- targets.c: kinematic targets ------------------------------------------------------------------------------- */

/* During the step, a particle with a target is kinematic: nothing else moves it. */
void sn_targets_hold(sn_world *world);
void sn_targets_release(sn_world *world);

/* Moves each particle by an equal share of the remaining distance in each of the remaining substeps; sets the velocity
   of that motion. */
void sn_targets_move(sn_world *world, uint32_t substeps_left);
void sn_targets_set_velocities(sn_world *world, sn_real h);

/* At the end of the step: moves particles from where they are, up to rounding, exactly to their targets, and removes
   these. */
void sn_targets_finish(sn_world *world);

/* ---- turns.c: rotation of bodies --------------------------------------------------------------------------------- */

/* At the start of a step: lists the bodies that do not sleep, and lays out the turns of sleeping ones. The functions
   below are for the listed bodies. */
void sn_turns_list_awake(sn_world *world);

/* Fills the rows of turns behind the particles: no displacement, and the present angular velocities. */
void sn_turns_lay_out(sn_world *world);

/* Predicts the orientation of bodies as if there were no constraints. The second: for some of the awake bodies, as an
   sn_piece_fn. */
void sn_turns_predict(sn_substep *s);
void sn_turns_predict_again(sn_substep *s, uint32_t row, sn_vec3 gain);
void sn_turns_predict_piece(void *substep, uint32_t first, uint32_t end);

/* The first body whose motion in this substep is not finite; SN_ID_FREE if there is none. */
uint32_t sn_turns_find_unsound(const sn_world *world);

/* Rotates bodies, and adds the angular momentum that follows from the rotations by constraints. Sets `unsound` if
   something is not finite. The first one: all awake bodies; it also limits the motion of articulations. */
void sn_turns_settle(sn_substep *s);
void sn_turns_settle_some(sn_substep *s, const uint32_t *row, uint32_t count);

/* The torques at the end, for integrators that end with these; and the corrections of velocities by a solver. */
void sn_turns_kick(sn_substep *s);
void sn_turns_correct(sn_substep *s);

/* Removes torques and targets, which were reached. */
void sn_turns_finish(sn_world *world);

/* ---- past.c: the history that BDF2 needs ------------------------------------------------------------------------- */

/* A particle without history responds to a force with h^2 instead of the square of the effective step: as if it were
   lighter while constraints are solved. */
void sn_past_lighten(sn_substep *s);
void sn_past_restore(sn_substep *s);

/* True if there are inequalities or joints with limits, so that a contact may begin or end within a substep. */
bool sn_past_may_jump(const sn_world *world);

/* True if the active inequalities, including joints at their limits, differ from those of the previous substep. */
bool sn_past_contacts_changed(sn_substep *s);

/* Stores what the next substep needs to know of the jumps in this one. */
void sn_past_settle(sn_substep *s);

/* ---- undo.c: undoing steps --------------------------------------------------------------------------------------- */

/* Reserves memory for a copy of everything that substeps change. False when memory runs out. */
bool sn_undo_reserve(sn_world *world);

/* Copies everything that substeps change; with tiles, without the particles. False if tasks were lost and done
   again. */
bool sn_undo_keep(sn_world *world);

/* Copies some particles: an sn_piece_fn. data: the world. */
void sn_undo_keep_particles(void *data, uint32_t first, uint32_t end);

/* Restores the copy. */
void sn_undo_put_back(sn_world *world);

#endif
