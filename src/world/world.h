/* The parts of a world. */
#ifndef SN_WORLD_WORLD_H
#define SN_WORLD_WORLD_H

#include "base/dvec.h"
#include "base/errors.h"
#include "base/parallel.h"
#include "constraints/incidence.h"
#include "constraints/table.h"
#include "solvers/plan.h"
#include "solvers/solver.h"
#include "wide/wide.h"
#include "world/articulations.h"
#include "world/bodies.h"
#include "world/breaking.h"
#include "world/contact.h"
#include "world/query_tree.h"
#include "world/tear.h"
#include "contact/particle_contacts.h"
#include "contact/body_contacts.h"
#include "world/profile.h"

#include <sinew/sinew.h>

/* All columns of the particle table. */
#define SN_PARTICLE_COLUMNS(COLUMN)                                                                                    \
    COLUMN(sn_vec4, x, true)     /* position, inverse mass */                                                          \
    COLUMN(sn_vec4, v, true)     /* velocity, mass */                                                                  \
    COLUMN(sn_vec4, v_low, true) /* rounding remainder of the velocity, 0 */                                           \
    COLUMN(sn_vec4, x_low, true) /* and of the position: |x_low| is at most half the last place of x */                \
    COLUMN(sn_vec3, force, true) /* given by the user for the next step */                                             \
    COLUMN(sn_real, radius, true)                                                                                      \
    COLUMN(uint32_t, group, true)                                                                                      \
    COLUMN(uint64_t, user, true)                                                                                       \
    COLUMN(uint32_t, index, true)  /* the particle's number */                                                         \
    COLUMN(uint32_t, target, true) /* 0, or 1 + the row of its kinematic target */                                     \
    COLUMN(uint32_t, body, true)   /* 0, or 1 + the row of the body whose centre it is */

typedef struct sn_particle_store {
    sn_table table;
#define SN_COLUMN(type, name, is_state) type *name;
    SN_PARTICLE_COLUMNS(SN_COLUMN)
#undef SN_COLUMN
    /* Behind the last particle all of these have room for the turns of bodies: see sn_turn, and turns.c. Scratch data
       of a substep, allocated only when needed; see sn_particle_store_reserve. */
    sn_table work_table;
    sn_vec4 *y; /* position at the start of the substep, and inverse mass, of particles whose constraints need it */
    sn_vec4 *d; /* and its rounding remainder; at the end of the substep, scratch for forces and solvers */
    sn_table mark_table;
    sn_vec4 *mark; /* x_low, or x, before constraints move it: see sn_motion */
    sn_table force_table;
    sn_vec3 *f; /* force of this substep, if there are force fields or springs */
} sn_particle_store;

/* The history for BDF2, by slot. Empty with other integrators. A slot at or beyond table.count has no history. */
typedef struct sn_history {
    sn_table table;
    sn_vec4 *old_d; /* displacement in the previous substep, and w: length of that substep. 0: no history; negative:
                       only the acceleration is valid */
    sn_vec4 *old_v; /* velocity at its start */
    sn_vec4 *old_a; /* acceleration at its start; w is scratch of a substep */
    sn_vec4 *old_f; /* N: the user's force in it; w is not used */
} sn_history;

/* Particles whose constraints need positions at the start of the substep. Derived; see starts.c. */
typedef struct sn_starts {
    sn_table number_table; /* of uint32_t: their numbers */
    sn_table asks_table;   /* of bool, by slot: it is one of them, or all are needed; only with tiles */
    bool any;
    bool damped;      /* some of them ask for a damper, */
    bool driven;      /*   or for a rate */
    bool found;       /* the list is that of the store */
    uint64_t changes; /*   after so many changes */
} sn_starts;

/* The position that a particle must reach by the end of the next step. */
typedef struct sn_target {
    uint32_t index; /* the particle's number */
    sn_vec3 place;
    sn_real w;     /* its inverse mass, saved during the step */
    sn_vec3 moved; /* displacement in this substep */
} sn_target;

typedef struct sn_field {
    sn_field_fn *function;
    void *context;
    uint32_t number;
    bool parallel;
} sn_field;

/* A prepared drag: along each of three axes velocities decay at their own rate. The rigid form has no axes. */
typedef struct sn_drag {
    uint32_t number;
    bool by_mass;      /* the rates are in N s/m, and divided by the mass of a particle; otherwise in 1/s */
    double axis[3][3]; /* unit vectors */
    double rate[3];    /* of the velocity along each of them; the rigid form uses only rate[0] */
    sn_drag_def def;
} sn_drag;

/* Data for drags during a step. Empty if there are no drags. */
typedef struct sn_drag_scratch {
    sn_table order_table; /* two columns of sn_sort_item: the slots sorted by group, and room for sorting */
    bool acts;            /* there is a drag that acts on some particle */
} sn_drag_scratch;

/* State that is neither a particle nor a constraint. */
typedef struct sn_world_state {
    sn_settings settings;
    double time;
    uint64_t steps;
    double origin[3];
    sn_real h;           /* effective length of the last substep, for reading forces; 0 before the first */
    uint64_t passes;     /* in the last step */
    uint32_t next_field; /* number for the next force field */
    uint32_t next_drag;  /* and for the next drag */
    bool forces_pending; /* some force of the user is not zero */
    uint32_t unsettled;  /* number of substeps to come that leave no history, because velocities may still jump in
                            them */
    uint64_t shapes;     /* counts how often positions in rest shapes were stored */
    uint64_t swept[2];   /* 1 + the number of steps when positions for sweeps were stored, see tearing.place_table; 0:
                            never */
    uint64_t contacts;   /* identifies the inequalities that were active in the last substep; only for BDF2 */
} sn_world_state;

/* The last test of springs that are forces. It is repeated if something changed. See springs.c. */
typedef struct sn_spring_watch {
    bool looked;    /* the fields below are valid; false: masses or parameters have changed */
    uint64_t edits; /* of the store */
    sn_real h;      /* s */
    sn_integrator integrator;
    double damping; /* 1/s, of the world */
    uint32_t substeps;
    uint32_t particle; /* number of the particle with the most unstable motion */
    sn_real stiffness; /* its stiffness, 1/s^2 */
    sn_real decay;     /* its damping, 1/s */
    double told;       /* how unstable it was at the last warning, 1 at the limit; 0: no warning yet */
} sn_spring_watch;

/* Scratch data of compromise.c. */
typedef struct sn_compromise {
    sn_table node_table, block_table, row_table, entry_table, mark_table, old_table;
    unsigned char *kept; /* the state before a search that may have changed it; NULL: none */
    size_t kept_size;
} sn_compromise;

void sn_compromise_init(sn_compromise *compromise);
void sn_compromise_release(sn_compromise *compromise, const sn_allocator *allocator);

/* The parts of the multipliers of rods that limits carried: see limit_forces.c. They are found when they are read. */
typedef struct sn_limit_forces {
    sn_table table[SN_LIMITED_KINDS]; /* of sn_real, by kind and row */
    uint64_t made;                    /* sn_hierarchy.notes_made when they were found; 0: never */
    atomic_flag gate;                 /* held by the thread that finds or reads them */
} sn_limit_forces;

struct sn_world {
    sn_allocator allocator;
    sn_errors errors;
    uint32_t dimensions;
    bool busy;      /* in a call that runs the caller's code */
    bool owned;     /* by an sn_worlds, which destroys it */
    uint64_t calls; /* number of calls that may have changed something: while it is constant, only steps have */
    sn_world_state state;
    sn_ids ids; /* the particles' numbers; the value is the slot where one is stored */
    sn_particle_store particles;
    sn_history history;
    sn_table target_table; /* of sn_target */
    sn_table field_table;  /* of sn_field */
    sn_table drag_table;   /* of sn_drag */
    sn_contact_world contact;
    sn_bodies bodies;
    sn_store constraints;
    sn_breaking breaking;
    sn_tearing tearing;        /* derived or scratch data, except for the parts marked as state */
    sn_table rest_shape_table; /* of sn_rest_place, by particle number: rest shapes of stiff meshes; empty if there are
                                  none */
    sn_limits_base limits;     /* limits of these; see limits.c */
    sn_plan plan;              /* state where it differs from a plan that would be made now; see sn_world_plan */

    /* Derived or scratch data, never part of the state: */
    sn_incidence incidence;
    sn_compromise compromise;
    sn_solver_scratch scratch;
    sn_parallel parallel;
    const sn_wide *wide; /* NULL in double precision */
    uint64_t rest_edits; /* rises when rest shapes are dropped */
    sn_contacts contacts;
    sn_body_contacts body_contacts; /* contact of bodies; the stored impulses are state */
    sn_profiler profiler;
    sn_fault fault;
    sn_spring_watch springs;
    sn_drag_scratch drag;
    sn_world_state backup_state;   /* of undo.c: at the start of the step */
    sn_table backup_table;         /* x, x_low, v and v_low */
    sn_table backup_spin_table;    /* angular velocities */
    sn_table backup_body_table;    /* bodies */
    sn_table backup_history_table; /* and sn_history */
    sn_table redo_table;           /* of motion.c: positions and velocities at the start of a substep that may be
                                      repeated */
    sn_starts starts;
    sn_articulations articulations;
    sn_table rest_table; /* of sn_world_relax: earlier positions, x and x_low */
    sn_table kind_report_table;
    bool fleeting;  /* an inner world of worlds_beside.c: its particles are copied in before every step, so a failed
                       step need not restore them. Its constraints are neither forces nor joints and have no state, so
                       kinds need not be tested for these */
    uint64_t moves; /* rises when a particle is added, removed, moved, stored in another slot, or changes its radius */
    sn_query_trees query;
    sn_limit_forces limit_forces;
    sn_cancel_fn *cancel; /* NULL: steps are never cancelled */
    void *cancel_context;
    sn_contact_filter_fn *filter; /* NULL: none; see callbacks.c */
    void *filter_context;
    sn_pre_solve_fn *pre_solve; /* the same */
    void *pre_solve_context;
};

/* Stores the reason of a failure. Calls that only read take a const world; the last error is not part of the state that
   they must not change. */
#define world_fail(world, ...) sn_fail((sn_errors *)&(world)->errors, __VA_ARGS__)

/* Fails a step at a particle: the error and sn_world_fault name it, or the body whose centre it is. */
sn_result sn_world_blame(sn_world *world, uint32_t slot, const char *what);

/* First check of every call that changes something: the world exists, and is not in the middle of a call. */
sn_result sn_world_enter(const sn_world *world);

/* The slot of a live particle. Otherwise SN_NO_SLOT, and an error that names the particle. */
uint32_t sn_world_slot(const sn_world *world, sn_particle particle);

/* Checks a user's vector: finite, and with z = 0 in a 2D world. `what` names it in the message. */
sn_result sn_world_check_vector(const sn_world *world, const char *what, sn_vec3 value);

/* Checks an array of items of `item` bytes with a stride of *stride bytes. A stride of 0 is replaced by `item`. */
sn_result sn_world_check_stride(const sn_world *world, const void *data, size_t item, size_t *stride);

/* Checks the settings; writes the reason to message. */
sn_result sn_settings_check(const sn_settings *settings, uint32_t dimensions, char *message, size_t size);

/* Renews the typed pointers of the particle table. */
void sn_particle_store_bind(sn_particle_store *particles);

void sn_particle_store_init(sn_particle_store *particles);
void sn_particle_store_release(sn_particle_store *particles, const sn_allocator *allocator);

/* Optional data of a step. */
typedef struct sn_particle_needs {
    uint32_t turns; /* number of turns of bodies, behind the particles */
    bool starts;    /* y and d */
    bool forces;    /* f */
} sn_particle_needs;

/* Reserves memory for them. False when memory runs out. */
bool sn_particle_store_reserve(sn_particle_store *particles, const sn_allocator *allocator, sn_particle_needs needs);

void sn_history_init(sn_history *history);
void sn_history_bind(sn_history *history);

/* Adds rows without history for new particles. Memory must be reserved. */
void sn_history_complete(sn_history *history, uint32_t particles);

/* For a jump of the particle's acceleration: deletes its history, so that BDF2 restarts with it. */
void sn_history_forget(sn_history *history, uint32_t slot);

/* The particle in slot `last` moves to `slot`, with its history. */
void sn_history_move(sn_history *history, uint32_t slot, uint32_t last);

/* For a jump of a position or velocity. Constraints may pass it on at once, and BDF2 must not use history across a
   jump, so the history of all particles is deleted. */
void sn_world_break_motion(sn_world *world);

/* The hash of settings that determine the future: all but `profile`. */
uint64_t sn_settings_hash(uint64_t hash, const sn_settings *settings);

#define SN_MOST_PASSES 100000u /* limit of sn_settings: substeps, and iterations */

/* A jump ends when constraints have passed it on, in this many substeps: one in which it happens, and one in which the
   rest of a velocity into a contact is removed. */
#define SN_SETTLING 2u

/* Deletes the history of all particles. */
void sn_world_forget_history(sn_world *world);

void sn_drag_init(sn_world *world);
void sn_drag_release(sn_world *world);

/* Reserves memory for drags in a step, and sorts particles by group if some drag needs it. */
bool sn_drag_prepare(sn_world *world, bool still);

/* Applies all drags for h seconds to velocities; also to earlier ones, if the integrator uses them. False if the task
   hook lost tasks. */
bool sn_drag_apply(sn_world *world, sn_real h, bool looks_back);

void sn_starts_init(sn_starts *starts);
void sn_starts_release(sn_starts *starts, const sn_allocator *allocator);

/* Reserves memory for everything that a step of dt seconds needs. A running step does not allocate. */
bool sn_world_reserve_step(sn_world *world, sn_real dt, bool still);

/* Updates the plan of SN_SOLVER_TILED, which may reorder the particles' storage: then slots and views change. Does
   nothing for other solvers. False when memory runs out. */
bool sn_world_plan(sn_world *world);

/* Stores particles in the order of their numbers in `order`, which is overwritten. Only if the plan does not refer to
   their slots: all of them are in one tile, and all constraints in trees. False when memory runs out. */
bool sn_world_store_particles(sn_world *world, uint32_t *order);

/* Applies the edits of the last call to the plan, if there is one. A plan that cannot follow them is discarded. */
void sn_world_follow_edits(sn_world *world);

/* Deletes the position of a particle in the rest shape of a stiff mesh; and all positions that were stored after the
   first `shapes` times. */
void sn_rest_forget(sn_world *world, uint32_t number);
void sn_rest_forget_since(sn_world *world, uint64_t shapes);

/* Reserves memory for this many more particles. False when memory runs out. */
bool sn_particles_reserve_more(sn_world *world, uint32_t count);

/* Copies a particle, with the same position and velocity, but this mass and this share of its pending force. Memory
   must be reserved. Returns its number. */
uint32_t sn_particle_copy(sn_world *world, uint32_t number, sn_real mass, double share);

/* Sets the mass of a particle, and leaves it this share of its pending force. */
void sn_particle_take_share(sn_world *world, uint32_t number, sn_real mass, double share);

/* After a particle was added: if there are too many new ones, the plan is discarded. */
void sn_world_slot_taken(sn_world *world);

/* After a particle was removed from a slot, into which the last particle moves: the plan may be invalid. */
void sn_world_slot_freed(sn_world *world, uint32_t slot);

/* The pool of a live constraint. Otherwise NULL, and an error that names the constraint. */
sn_pool *sn_constraint_pool(const sn_world *world, sn_constraint constraint);

/* Checks that the world can be called and all constraints of a run exist. Sets an error. */
sn_result sn_constraints_check_run(const sn_world *world, sn_constraints run);

/* m: the position of an anchor or barycentric point; on a body as of the start of a step. (draw_constraints.c) */
sn_vec3 sn_world_anchor_place(const sn_world *world, const sn_anchor *anchor);

/* ---- limits.c ---------------------------------------------------------------------------------------------------- */

void sn_limits_init(sn_limits_base *base);
void sn_limits_release(sn_limits_base *base, const sn_allocator *allocator);

/* Counts changes of constraints, strengths, and rest shapes, except changes by tears between the next two calls. */
uint64_t sn_limits_edits(const sn_world *world);

/* limit_forces.c: */
void sn_limit_forces_init(sn_limit_forces *f);
void sn_limit_forces_release(sn_limit_forces *f, const sn_allocator *allocator);

/* What limits of a stiff mesh carried for a row of a constraint in the last substep, to be added to its multiplier. NaN
   when memory runs out. */
double sn_limit_lambda(const sn_world *world, const sn_pool *pool, uint32_t index, uint32_t row);

/* N: what limits exerted on a particle in the last substep. */
sn_dvec3 sn_limit_force_on(const sn_world *world, uint32_t slot);

/* Whether a constraint may break by force. */
bool sn_world_is_weak(const void *world, uint32_t kind, uint32_t row);
void sn_limits_tear_begin(sn_world *world);
void sn_limits_tear_end(sn_world *world);

/* After a tear changed the mass and the constraints of a particle. The second: before it removes a rod, or changes its
   length or its ends. */
void sn_limits_touch(sn_world *world, uint32_t particle);
void sn_limits_touch_rod(sn_world *world, uint32_t kind, uint32_t row);

/* True if tears have removed some limits: then the limits are part of the state. */
bool sn_limits_are_torn(const sn_world *world);
uint64_t sn_limits_hash(uint64_t hash, const sn_world *world);

/* Loading. Reserve: memory for `most` torn entries and `slots` slots. Restored: call it when everything has been
   read. */
bool sn_limits_reserve(sn_limits_base *base, const sn_allocator *allocator, uint32_t most, uint32_t slots);
void sn_limits_restored(sn_world *world);

/* Call it before the inverse mass of the particle in a slot changes. */
void sn_world_weighs(sn_world *world, uint32_t slot, sn_real inverse_mass);

/* Advances the world by dt, but leaves forces and targets pending and does not count the step. still, for statics: time
   does not advance, there is no damping, and the integrator is symplectic Euler. If it fails, nothing has changed. */
sn_result sn_world_advance(sn_world *world, sn_real dt, bool still);

/* True if the caller wants the step to end here, between two substeps. Sets the error message. */
bool sn_world_is_cancelled(sn_world *world);

/* Checks whether a step of dt, which is not 0, can be taken. */
sn_result sn_world_check_dt(const sn_world *world, sn_real dt);

/* Deletes forces and targets, which were reached. */
void sn_world_finish_step(sn_world *world);

/* The state as a block of bytes, for snapshots and rewind. Measure returns 0 if there is no memory to prepare it. Write
   needs as many bytes as were measured. Load fails as sn_world_load does. */
size_t sn_state_measure(sn_world *world);
void sn_state_write(sn_world *world, unsigned char *data);
sn_result sn_state_load(sn_world *world, const unsigned char *data, size_t size);

/* The frame of particles between steps, for evaluating constraints: without displacements. */
sn_frame sn_world_frame(const sn_world *world);

/* In turns.c. Fills in the present velocities of the turns of a constraint's bodies. Between steps these rows are
   behind the last particle, and hold what was there: nothing before the first step. Call it before velocities are read.
   */
void sn_turns_refresh(const sn_world *world, const sn_pool *pool, uint32_t index);

/* The present force and torque of an existing constraint, N and N m: of all its rows together, or of a joint on its
   last point. */
void sn_constraint_exerted(const sn_world *world, uint32_t kind, uint32_t index, sn_real *force, sn_real *torque);

/* True if constraints may have preloads, see solvers/preload.h; true if a substep begins with the multipliers of the
   last one. */
bool sn_world_preloads(const sn_settings *settings);
float sn_world_preload_share(const sn_world *world, sn_real h); /* see solvers/preload.h; 0: none */
bool sn_world_is_warm(const sn_settings *settings);

#endif
