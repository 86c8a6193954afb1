/* What a world is made of. */
#ifndef SN_WORLD_WORLD_H
#define SN_WORLD_WORLD_H

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

/* Every column of the particle table. */
#define SN_PARTICLE_COLUMNS(COLUMN)                                                                                    \
    COLUMN(sn_vec4, x, true)     /* position, inverse mass */                                                          \
    COLUMN(sn_vec4, v, true)     /* velocity, mass */                                                                  \
    COLUMN(sn_vec4, v_low, true) /* what rounding left over of the velocity, 0 */                                      \
    COLUMN(sn_vec4, x_low, true) /* and of the position: |x_low| is at most half a last place of x */                  \
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
    /* Behind the last particle all of these have room for the turns of bodies: see sn_turn, and turns.c.
       Scratch of a substep, there only when something needs it; see sn_particle_store_reserve. */
    sn_table work_table;
    sn_vec4 *y; /* place at the start of the substep, and inverse mass, of particles that some constraint asks for, */
    sn_vec4 *d; /*   and what rounding left over of it; at the end of the substep, scratch for forces and solvers */
    sn_table mark_table;
    sn_vec4 *mark; /* x_low, or x, before constraints move it: see sn_motion */
    sn_table force_table;
    sn_vec3 *f; /* force of this substep, if there are force fields or springs */
} sn_particle_store;

/* What BDF2 needs, by slot. Empty under other integrators; a slot at or beyond table.count has no past. */
typedef struct sn_history {
    sn_table table;
    sn_vec4
        *old_d; /* displacement in the substep before, and the length of that substep: 0, no past; negative, only the
                       acceleration counts */
    sn_vec4 *old_v; /* velocity at its start */
    sn_vec4 *old_a; /* acceleration at its start; w is scratch of a substep */
    sn_vec4 *old_f; /* N: the user's force in it; w is not used */
} sn_history;

/* Particles of constraints that ask where a substep started. Derived; see starts.c. */
typedef struct sn_starts {
    sn_table number_table; /* of uint32_t: their numbers */
    sn_table asks_table;   /* of bool, by slot: it is one of them, or all are asked for; only with tiles */
    bool any;
    bool damped;      /* some of them ask for a damper, */
    bool driven;      /*   or for a rate */
    bool found;       /* the list is that of the store */
    uint64_t changes; /*   after so many changes */
} sn_starts;

/* A place that a particle must reach by the end of the next step. */
typedef struct sn_target {
    uint32_t index; /* the particle's number */
    sn_vec3 place;
    sn_real w;     /* its inverse mass, put aside during the step */
    sn_vec3 moved; /* by so much in this substep */
} sn_target;

typedef struct sn_field {
    sn_field_fn *function;
    void *context;
    uint32_t number;
    bool parallel;
} sn_field;

/* A drag, made ready: along each of three axes velocities decay at their own rate. The rigid form has no axes. */
typedef struct sn_drag {
    uint32_t number;
    bool by_mass;      /* the rates are N s/m, to be divided by the mass of a particle; otherwise 1/s */
    double axis[3][3]; /* unit vectors */
    double rate[3];    /* of the velocity along each of them; rigid: rate[0] is all there is */
    sn_drag_def def;
} sn_drag;

/* What drags need during a step. Empty unless there are drags. */
typedef struct sn_drag_scratch {
    sn_table order_table; /* two columns of sn_sort_item: the slots sorted by group, and room for sorting */
    bool acts;            /* there is a drag, and a particle for it */
} sn_drag_scratch;

/* State that is neither a particle nor a constraint. */
typedef struct sn_world_state {
    sn_settings settings;
    double time;
    uint64_t steps;
    double origin[3];
    sn_real h;           /* the last substep, for reading forces; 0: none yet */
    uint64_t passes;     /* in the last step */
    uint32_t next_field; /* number for the next force field */
    uint32_t next_drag;  /* and for the next drag */
    bool forces_pending; /* some force is not zero */
    uint32_t unsettled;  /* so many more substeps leave no past, because velocities may still jump in them */
    uint64_t shapes;     /* so many times places in rest shapes were noted */
    uint64_t swept[2];   /* 1 + the steps after which places for sweeps were noted, see tearing.place_table; 0: never */
    uint64_t contacts;   /* stands for the inequalities that pushed in the last substep; kept for BDF2 only */
} sn_world_state;

/* What is known of springs that are forces: looked at again when something changed. See springs.c. */
typedef struct sn_spring_watch {
    bool looked;    /* as follows; false: masses or parameters have changed since */
    uint64_t edits; /* of the store */
    sn_real h;      /* s */
    sn_integrator integrator;
    double damping; /* 1/s, of the world */
    uint32_t substeps;
    uint32_t particle; /* the number of the one whose springs are worst to bear, */
    sn_real stiffness; /*   and how stiff they are, 1/s^2, */
    sn_real decay;     /*   and damped, 1/s */
    double told;       /* how bad they were when a warning was given, 1 at the limit; 0: none was */
} sn_spring_watch;

/* Scratch of compromise.c. */
typedef struct sn_compromise {
    sn_table node_table, block_table, row_table, entry_table, mark_table, old_table;
    unsigned char *kept; /* the state before a search that may have changed it; NULL: none is kept */
    size_t kept_size;
} sn_compromise;

void sn_compromise_init(sn_compromise *compromise);
void sn_compromise_release(sn_compromise *compromise, const sn_allocator *allocator);

struct sn_world {
    sn_allocator allocator;
    sn_errors errors;
    uint32_t dimensions;
    bool busy;      /* inside a call that runs the caller's code */
    bool owned;     /* by an sn_worlds, which destroys it */
    uint64_t calls; /* that may have changed something, so far: while it stays, nothing but steps has */
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
    sn_tearing tearing; /* derived, or scratch */
    sn_table
        rest_shape_table; /* of sn_rest_place, by particle number: rest shapes of stiff meshes; empty where there are none */
    sn_limits_base limits; /* of these; see limits.c */
    sn_plan plan;          /* state as far as it is not what would be made of the constraints now; see sn_world_plan */

    /* derived or scratch, never part of the state: */
    sn_incidence incidence;
    sn_compromise compromise;
    sn_solver_scratch scratch;
    sn_parallel parallel;
    const sn_wide *wide; /* NULL in double precision */
    uint64_t rest_edits; /* rises when rest shapes are forgotten */
    sn_contacts contacts;
    sn_body_contacts body_contacts; /* contact of bodies; what they pushed is state */
    sn_profiler profiler;
    sn_fault fault;
    sn_spring_watch springs;
    sn_drag_scratch drag;
    sn_world_state backup_state;   /* of undo.c: at the start of the step; */
    sn_table backup_table;         /* x, x_low, v and v_low; */
    sn_table backup_spin_table;    /* spins, */
    sn_table backup_body_table;    /* bodies, */
    sn_table backup_history_table; /* and what sn_history has */
    sn_table redo_table; /* of motion.c: places and velocities at the start of a substep that may be taken again */
    sn_starts starts;
    sn_articulations articulations;
    sn_table rest_table; /* of sn_world_relax: where particles were, x and x_low */
    sn_table kind_report_table;
    bool
        fleeting; /* it lays others beside each other (worlds_beside.c): its particles are copied in before every step, and one that fails need not put
                      them back; its constraints are neither forces nor joints and remember nothing, so that no kind need be asked */
    uint64_t moves; /* rises whenever a particle comes, goes, moves, is stored elsewhere or changes its radius */
    sn_query_trees query;
    sn_cancel_fn *cancel; /* NULL: steps are never cancelled */
    void *cancel_context;
    sn_contact_filter_fn *filter; /* NULL: there is none; see callbacks.c */
    void *filter_context;
    sn_pre_solve_fn *pre_solve; /* the same */
    void *pre_solve_context;
};

/* Remembers why a call failed. Reading calls take a const world; the last error is not part of what they promise to
   keep. */
#define world_fail(world, ...) sn_fail((sn_errors *)&(world)->errors, __VA_ARGS__)

/* A step fails at a particle: the error names it, or the body whose centre it is, and so does sn_world_fault. */
sn_result sn_world_blame(sn_world *world, uint32_t slot, const char *what);

/* First check of every call that changes something: there is a world, and it is not in the middle of a call. */
sn_result sn_world_enter(const sn_world *world);

/* The slot of a live particle; SN_NO_SLOT, and an error that names it, otherwise. */
uint32_t sn_world_slot(const sn_world *world, sn_particle particle);

/* Checks a vector that a user passed in: finite, and flat in a 2D world. `what` names it in the message. */
sn_result sn_world_check_vector(const sn_world *world, const char *what, sn_vec3 value);

/* Checks an array of items that are `item` bytes large and *stride bytes apart; a stride of 0 becomes tightly packed. */
sn_result sn_world_check_stride(const sn_world *world, const void *data, size_t item, size_t *stride);

/* Checks the settings; the reason goes to message. */
sn_result sn_settings_check(const sn_settings *settings, uint32_t dimensions, char *message, size_t size);

/* Takes the typed pointers of the particle table again. */
void sn_particle_store_bind(sn_particle_store *particles);

void sn_particle_store_init(sn_particle_store *particles);
void sn_particle_store_release(sn_particle_store *particles, const sn_allocator *allocator);

/* What a step needs besides the state. */
typedef struct sn_particle_needs {
    uint32_t turns; /* of bodies, behind the particles */
    bool starts;    /* y and d */
    bool forces;    /* f */
} sn_particle_needs;

/* Makes room for it; false when memory runs out. */
bool sn_particle_store_reserve(sn_particle_store *particles, const sn_allocator *allocator, sn_particle_needs needs);

void sn_history_init(sn_history *history);
void sn_history_bind(sn_history *history);

/* Particles that it does not know yet get a row each, and have no past. There must be room for them. */
void sn_history_complete(sn_history *history, uint32_t particles);

/* The particle's acceleration jumps here: BDF2 starts anew with it. */
void sn_history_forget(sn_history *history, uint32_t slot);

/* The particle in slot `last` moves to `slot`, and its past with it. */
void sn_history_move(sn_history *history, uint32_t slot, uint32_t last);

/* A place or velocity jumps. Constraints may pass that on at once, so with BDF2, which must not look back across a jump, all
   particles start anew. */
void sn_world_break_motion(sn_world *world);

/* A jump is over when constraints have passed it on, in this many substeps: one in which it happens, and one in which
   what is left of a velocity against a contact is taken away. */
/* Of what decides the future: not of `profile`. */
uint64_t sn_settings_hash(uint64_t hash, const sn_settings *settings);

#define SN_MOST_PASSES 100000u /* of sn_settings: substeps, and iterations */

#define SN_SETTLING 2u

/* No particle has a past any more. */
void sn_world_forget_history(sn_world *world);

void sn_drag_init(sn_world *world);
void sn_drag_release(sn_world *world);

/* Makes room for what drags need in a step, and sorts particles by group if some drag asks for that. */
bool sn_drag_prepare(sn_world *world, bool still);

/* Takes from velocities what h seconds of all drags take; from those before, too, if the integrator looks back. False if the
   task hook lost tasks. */
bool sn_drag_apply(sn_world *world, sn_real h, bool looks_back);

void sn_starts_init(sn_starts *starts);
void sn_starts_release(sn_starts *starts, const sn_allocator *allocator);

/* Makes room for everything that a step of dt seconds needs, so that nothing is allocated after it has begun. */
bool sn_world_reserve_step(sn_world *world, sn_real dt, bool still);

/* Brings the plan of SN_SOLVER_TILED up to date, which may rearrange the particles' storage: slots and views change then.
   Does nothing for other solvers. False when memory runs out. */
bool sn_world_plan(sn_world *world);

/* Stores particles in the order of their numbers in `order`, which is overwritten. Only where the plan knows none of their slots: all of them are in one
   tile, and all constraints in trees. False when memory runs out. */
bool sn_world_store_particles(sn_world *world, uint32_t *order);

/* Takes the edits of the last call into the plan, if there is one; what it cannot follow, it forgets. */
void sn_world_follow_edits(sn_world *world);

/* Forgets the place of a particle in the rest shape of a stiff mesh; and all that were noted later than `shapes` times. */
void sn_rest_forget(sn_world *world, uint32_t number);
void sn_rest_forget_since(sn_world *world, uint64_t shapes);

/* Room for so many more particles; false when memory runs out. */
bool sn_particles_reserve_more(sn_world *world, uint32_t count);

/* One more particle like another, in the same place with the same velocity, but of this mass and with this share of its pending force. There is room. Its
   number. */
uint32_t sn_particle_copy(sn_world *world, uint32_t number, sn_real mass, double share);

/* A particle keeps this mass and this share of its pending force. */
void sn_particle_take_share(sn_world *world, uint32_t number, sn_real mass, double share);

/* A particle has come: when too many have, the plan is forgotten. */
void sn_world_slot_taken(sn_world *world);

/* A particle is removed from a slot, which the last one then fills: what the plan says of slots may become wrong. */
void sn_world_slot_freed(sn_world *world, uint32_t slot);

/* The pool of a live constraint; NULL, and an error that names it, otherwise. */
sn_pool *sn_constraint_pool(const sn_world *world, sn_constraint constraint);

/* Whether the world can be called and all of a run are there; otherwise an error, which is set. */
sn_result sn_constraints_check_run(const sn_world *world, sn_constraints run);

/* m: where a spot is; of a body as of the start of a step. (draw_constraints.c) */
sn_vec3 sn_world_spot_place(const sn_world *world, const sn_spot *spot);

/* ---- limits.c ------------------------------------------------------------------------------------------------------------- */

void sn_limits_init(sn_limits_base *base);
void sn_limits_release(sn_limits_base *base, const sn_allocator *allocator);

/* How often constraints, what can break, and rest shapes changed, other than between the next two calls, by tears. */
uint64_t sn_limits_edits(const sn_world *world);
void sn_limits_tear_begin(sn_world *world);
void sn_limits_tear_end(sn_world *world);

/* A tear has changed the mass of a particle and what holds it; and before it removes a rod, or changes its length or its ends. */
void sn_limits_touch(sn_world *world, uint32_t particle);
void sn_limits_touch_rod(sn_world *world, uint32_t kind, uint32_t row);

/* Whether limits are what tears have left of others: then these are part of the state. */
bool sn_limits_are_torn(const sn_world *world);
uint64_t sn_limits_hash(uint64_t hash, const sn_world *world);

/* Loading: room for so many torn slots, of so many; and when all has been read, the rest of it. */
bool sn_limits_reserve(sn_limits_base *base, const sn_allocator *allocator, uint32_t most, uint32_t slots);
void sn_limits_restored(sn_world *world);

/* Before the inverse mass of the particle in a slot changes. */
void sn_world_weighs(sn_world *world, uint32_t slot, sn_real inverse_mass);

/* Advances the world by dt, but leaves forces and targets pending and the count of steps alone. still, for statics: the
   clock does not move, nothing is damped, and the integrator is symplectic Euler. If it fails, nothing has changed. */
sn_result sn_world_advance(sn_world *world, sn_real dt, bool still);

/* Whether the caller wants the step to end here, between two substeps; the error in words then says so. */
bool sn_world_is_cancelled(sn_world *world);

/* Whether a step of dt, which is not 0, can be taken. */
sn_result sn_world_check_dt(const sn_world *world, sn_real dt);

/* Forgets forces and targets; these have arrived. */
void sn_world_finish_step(sn_world *world);

/* The state as a block of bytes, for snapshots and rewind. Measuring gives 0 when there is no memory to prepare for it;
   writing needs room for as many bytes as were measured. Loading fails as sn_world_load does. */
size_t sn_state_measure(sn_world *world);
void sn_state_write(sn_world *world, unsigned char *data);
sn_result sn_state_load(sn_world *world, const unsigned char *data, size_t size);

/* The particles as constraints see them between steps: no displacements. */
sn_frame sn_world_frame(const sn_world *world);

/* What a constraint that exists exerts now, N and N m: all of its rows together, or a joint on its last point. */
void sn_constraint_exerted(const sn_world *world, uint32_t kind, uint32_t index, sn_real *force, sn_real *torque);

/* Whether constraints may have preloads, see solvers/preload.h; and whether a substep begins with the multipliers of the last one. */
bool sn_world_preloads(const sn_settings *settings);
bool sn_world_is_warm(const sn_settings *settings);

#endif
