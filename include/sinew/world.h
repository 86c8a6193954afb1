/* The world: settings, the step, the report, snapshots. */
#ifndef SINEW_WORLD_H
#define SINEW_WORLD_H

#include <sinew/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A world owns its particles and constraints. Worlds share nothing, so different worlds can run on different threads.
   One world is used by one thread at a time. Queries are the exception: see sinew/query.h. */
typedef struct sn_world sn_world;

/* How constraints are enforced. */
typedef enum sn_solver {
    /* Gauss-Seidel projection: one constraint after the other, and each takes effect at once. The reference. */
    SN_SOLVER_GAUSS_SEIDEL = 0,
    /* Jacobi: every constraint sees the same positions, and the corrections of a particle are then combined. Parallel
       and independent of order, but slower to converge; see sn_jacobi. */
    SN_SOLVER_JACOBI,
    /* Sequential impulses: velocities are corrected, with gradients at the start of the substep, and positions follow
       from them. Drift is corrected, see sn_drift. Not with BDF2. */
    SN_SOLVER_IMPULSES,
    /* Constraint forces: Lagrange multipliers make accelerations satisfy the constraints before the integrator moves
       anything. A spring and a damper keep errors from growing. The second-order integrators stay second order. Not
       with BDF2. */
    SN_SOLVER_LAGRANGE,
    /* Constraints that form chains or trees, such as ropes, are solved together, with any load: a pass solves their
       linearised equations, and leaves an error of second order in how far they rotate. The rest is solved by
       Gauss-Seidel. */
    SN_SOLVER_DIRECT,
    /* Gauss-Seidel with a plan: particles are stored so that neighbours lie together, constraints are divided into
       tiles that run on all cores and into batches of sixteen that run at once. The default. The order of a pass comes
       from the plan, and any sn_settings.order but the default is refused. Everything else works with it. The other
       solvers are for study, for comparison, and for special cases. */
    SN_SOLVER_TILED
} sn_solver;

/* How SN_SOLVER_JACOBI combines the corrections of several constraints of one particle. */
typedef enum sn_jacobi {
    SN_JACOBI_SPLIT = 0, /* each gets a share of the particle's mass: conserves momentum, cannot overshoot */
    SN_JACOBI_AVERAGED   /* the mean of the corrections, times settings.relaxation (Macklin et al. 2014): does not
                            conserve momentum. Above 1 it converges faster, above 2 not at all, and near 2 it needs
                            several passes per substep. Compliance and forces are exact only if all particles have
                            equally many constraints */
} sn_jacobi;

/* How SN_SOLVER_IMPULSES corrects drift. */
typedef enum sn_drift {
    SN_DRIFT_BAUMGARTE =
        0,        /* a share of the error, settings.baumgarte, every substep; the velocity of this correction stays */
    SN_DRIFT_SOFT /* a damped spring as stiff as the substep allows; as many further passes remove its velocity again.
                     A load stretches it: a single mass by g h^2 / 10 */
} sn_drift;

/* How SN_SOLVER_LAGRANGE solves for its multipliers. */
typedef enum sn_linear {
    SN_LINEAR_MINRES = 0,   /* the minimal residual method */
    SN_LINEAR_LEAST_SQUARES /* conjugate gradients on the normal equations: tolerates everything, but
                               squares the condition number */
} sn_linear;

/* What SN_SOLVER_TILED does where plain sweeps would stretch. */
typedef enum sn_stiffening {
    /* Chains and trees of constraints with a high load are solved directly. Cloth and other large meshes of rods get
       limits between the centroids of groups of particles, which keep them from stretching. Soft solids, with
       symplectic Euler, begin a substep with a stress that is solved on a coarse lattice. With damping and symplectic
       Euler, rods and volumes of all meshes without limits begin a substep with the slow part of their last forces, so
       that they come to rest as far stretched as their compliance says. docs/solvers.md has the rules. */
    SN_STIFFENING_AUTO = 0,
    SN_STIFFENING_OFF /* sweeps only: cheapest, but like rubber under load */
} sn_stiffening;

/* How time is integrated. Torques rotate bodies as forces move particles: angle and spin about a fixed axis follow
   the same formulas as position and velocity of a particle. Joints act as other constraints do. Without a torque, a
   body rotates the same under all integrators, with its angular momentum: forward Euler does not make it faster. */
typedef enum sn_integrator {
    SN_INTEGRATOR_SYMPLECTIC_EULER = 0, /* v += h a, then x += h v: first order, robust */
    SN_INTEGRATOR_FORWARD_EULER,        /* x += h v, then v += h a: first order, gains energy; for comparison */
    SN_INTEGRATOR_LEAPFROG, /* half a kick, drift, half a kick: second order and reversible. Evaluates forces twice */
    SN_INTEGRATOR_VERLET,   /* position pairs: the same motion as leapfrog, stored as x and the x before it */
    /* Second order also with rods and compliance; damps constraints faster than a substep. Forces are extrapolated: on
       a stiff spring that is a force it gains energy, at third order. Forces that you add for a step may jump from
       step to step. With one pass per substep, long ropes and large bodies gain energy, and two are not always enough:
       see docs/integrators.md */
    SN_INTEGRATOR_BDF2
} sn_integrator;

/* Where a constraint's gradient is taken. */
typedef enum sn_gradients {
    SN_GRADIENTS_CURRENT = 0, /* at the moved positions: stiff, robust, loses energy at first order */
    /* At the start of the substep (SHAKE): keeps angular momentum, and with leapfrog or Verlet a rod pendulum is second
       order and reversible. Needs several passes; every projection costs two evaluations. Not with BDF2 */
    SN_GRADIENTS_START
} sn_gradients;

/* The order in which a pass visits the constraints, for SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_IMPULSES, and the
   constraints that SN_SOLVER_DIRECT leaves to Gauss-Seidel. SN_SOLVER_TILED uses the order of its plan and refuses
   all but the default. The others have no order. With one pass per substep the order decides whether a large stiff
   body, such as a cloth, is stable at all: see docs/stability.md. */
typedef enum sn_order {
    /* As they were added: the classic Gauss-Seidel sweep, for ropes and for study. A large stiff cloth that was added
       vertex by vertex explodes with one pass per substep, damped or not. */
    SN_ORDER_INSERTION = 0,
    /* As they were added and back again: one pass is two sweeps and costs twice as much. The only order that cannot
       gain energy in the linear problem, for any body. Use it with SN_INTEGRATOR_BDF2. */
    SN_ORDER_SYMMETRIC,
    /* Always the constraint with the largest current error in metres. A pass has at most as many projections as there
       are constraints. Every fourth goes to the worst constraint that was not projected yet in the pass, so that
       constraints which cannot be satisfied do not take all of them. Equal ones go as they were added, those of a
       stiffness k < 1 once per pass. Fewer passes if errors are in a few places, but a pass costs 6 to 40 times as
       much: docs/solvers.md has figures. */
    SN_ORDER_WORST_FIRST,
    /* By the numbers of their particles: half of them, chosen by a hash, upwards, then the others downwards. Bodies
       without loops, such as ropes, go all upwards. Constraints of one particle, such as pins, come last, as they were
       added. For the others the order of adding matters only between constraints of the same particles. Costs one
       sweep. */
    SN_ORDER_THERE_AND_BACK
} sn_order;

/* What may be changed while a world runs. */
typedef struct sn_settings {
    sn_vec3 gravity;          /* m/s^2; default (0, -9.81, 0) */
    sn_solver solver;         /* default SN_SOLVER_TILED */
    sn_integrator integrator; /* default SN_INTEGRATOR_SYMPLECTIC_EULER */
    sn_order order;      /* default SN_ORDER_THERE_AND_BACK; another one needs a solver other than SN_SOLVER_TILED */
    uint32_t substeps;   /* the number of substeps of a step, h = dt / substeps; default 10, 1 to 100000. More substeps
                          make rods stiffer and motion more accurate. For cloth and long ropes they help more than
                          iterations at the same cost. Cloth under a load much heavier than itself stretches: 60 kg on a
                          cloth of 10 g per particle take 40. sn_world_report has the errors of constraints */
    uint32_t iterations; /* the most passes over the constraints in a substep; default 1, 0 to 100000.
                              SN_SOLVER_LAGRANGE: with more than 1, the most iterations of the linear solver; with 1,
                              as many as it needs, and at most 10000 */
    sn_real tolerance;   /* m; no further pass once the largest residual of a pass is below it; default 0: never.
                              A residual is the error of a constraint as a distance, |C + compliance * force|
                              divided by the length of the gradient of C, so that rods and angles compare. With
                              SN_SOLVER_IMPULSES: the distance that its particles move against the constraint in the
                              substep. With SN_SOLVER_TILED, for kinds other than distances that run many at a time:
                              the farthest that a constraint moves a particle along an axis. */
    sn_real damping;     /* 1/s; velocities decay as exp(-damping * t), gravity's pull excluded; default 0 */
    bool correct_stiffness; /* use k' = 1-(1-k)^(1/n), n = substeps * iterations, for the classic stiffness k. Then its
                               effect over a step does not depend on the number of passes; default false */
    sn_stiffening stiffening; /* SN_SOLVER_TILED; default SN_STIFFENING_AUTO */
    sn_gradients gradients;   /* default SN_GRADIENTS_CURRENT */
    bool profile;       /* measure the stages of every step and count what they do: see sn_profile; default false */
    sn_jacobi jacobi;   /* SN_SOLVER_JACOBI; default SN_JACOBI_SPLIT */
    sn_real relaxation; /* SN_JACOBI_AVERAGED: more than 0, at most 2; default 1 */
    sn_drift drift;     /* SN_SOLVER_IMPULSES; default SN_DRIFT_BAUMGARTE */
    sn_real baumgarte;  /* SN_DRIFT_BAUMGARTE: share of an error that is corrected in a substep, 0 to 1; default 0.2 */
    bool warm_start;    /* SN_SOLVER_IMPULSES: begin with the impulses of the substep before, reduced by the share
                        `baumgarte` (otherwise long chains gain energy); default true */
    sn_linear linear;   /* SN_SOLVER_LAGRANGE; default SN_LINEAR_MINRES */
    sn_real drift_time; /* s, SN_SOLVER_LAGRANGE: errors decay with this time constant T, critically damped: k_s =
                           1/T^2, k_d = 2/T; default 0: four substeps. At least two substeps are taken */
    /* SN_SOLVER_LAGRANGE, for rigid equalities: drift is corrected by C'' = -k_s C - k_d C', a spring and a damper per
       mass. Each is 0 or more, or SN_DRIFT_BY_TIME, the default: then drift_time decides it. With both 0, C'' = 0 and
       nothing is corrected: errors and the rate of C stay, and errors of integration accumulate. With k_d alone rates
       decay and errors stay. With k_s alone errors oscillate. Values are limited to the most that drift_time can give,
       1 / (2 h)^2 and 1 / h with h the substep: beyond that an explicit integrator makes errors grow. Inequalities,
       limits, drives, rates and compliant constraints always use drift_time, since their errors are not drift. */
    sn_real k_s; /* 1/s^2 */
    sn_real k_d; /* 1/s */
} sn_settings;

/* sn_settings.k_s and k_d: derived from drift_time. */
#define SN_DRIFT_BY_TIME ((sn_real)-1)

/* How many constraints are projected at once, by the vector instructions of the machine. Results never depend on it. */
typedef enum sn_simd {
    SN_SIMD_AUTO = 0, /* the most that the machine has */
    SN_SIMD_SCALAR,   /* one; every machine has that */
    SN_SIMD_4,        /* SSE2, NEON, or the vectors of WebAssembly */
    SN_SIMD_8,        /* AVX2 */
    SN_SIMD_16        /* AVX-512, where 16 lie side by side; otherwise eight */
} sn_simd;

/* How things collide; see contact.h. */
typedef struct sn_contact_settings {
    bool on;          /* default true. Off: nothing collides, and no time is spent on it */
    bool particles;   /* particles with each other; default true */
    sn_real push_out; /* m/s: things that overlap when they first touch are separated at this speed, and do not keep it;
                              positive; default 1 */
    sn_real bounce_above; /* m/s: slower impacts do not bounce; default -1: twice gravity times the substep */
    bool sleep; /* islands that rest in contact for a while are left out of the step until something wakes them;
                              default false. See sn_particle_is_awake */
    sn_real sleep_speed;  /* m/s: anything slower is at rest; default 0.02 */
    sn_real sleep_time;   /* s: the time at rest before sleep; default 0.5 */
    bool events;          /* collect sn_contact_event; default false */
    sn_real impact_above; /* m/s: slower impacts read 0 in sn_contact_event.impact; default -1: twice gravity times the
                              substep */
} sn_contact_settings;

typedef struct sn_world_def {
    sn_settings settings;
    uint32_t dimensions; /* 3, or 2: then z is locked, and every place, velocity, force and impulse that you pass in
                            must have z = 0; default 3 */
    sn_allocator allocator;
    sn_log log;
    sn_tasks tasks;
    uint32_t threads; /* of the built-in pool, the calling one included, at most 256; default 0: as many as there are
                         cores that this process may use, at most 64; see sn_world_set_threads. Not used with
                         tasks.run */
    sn_simd simd; /* default SN_SIMD_AUTO. A value that this machine or this build does not have is refused. In double
                         precision there are no vectors, only AUTO and SCALAR. Not part of the state */
    sn_contact_settings contact; /* default as sn_default_contact_settings; later sn_world_set_contact_settings */
} sn_world_def;

/* SI units, gravity on, 10 substeps of one pass each, three dimensions, no hooks. Always start from this: later
   versions append fields. */
SN_API sn_world_def sn_default_world_def(void);

/* Makes an empty world. On failure *world is NULL. There is then no world to ask for the reason: it goes to def->log,
   and sn_world_def_check returns it. */
SN_API sn_result sn_world_create(const sn_world_def *def, sn_world **world);

/* Says whether sn_world_create would accept def, and if not writes the reason in words, at most size bytes with its
   terminating zero, to message (NULL is fine). */
SN_API sn_result sn_world_def_check(const sn_world_def *def, char *message, size_t size);

/* Frees the world and everything in it. Handles and views become invalid; snapshots stay valid. NULL is ignored. A
   call from inside one of the world's own callbacks is ignored, too, and logged as an error. */
SN_API void sn_world_destroy(sn_world *world);

/* Why the last failing call on this world failed, naming the thing and the value; "" when none has failed yet.
   The text is valid until the next failing call. To see every failure, or the first of many, use the log hook. */
SN_API const char *sn_world_error(const sn_world *world);

/* The settings as they are now; all zero for NULL. */
SN_API sn_settings sn_world_settings(const sn_world *world);

/* Replaces all settings, from the next step on. A change of any setting but `profile` wakes everything. Nothing
   changes if one of them is invalid. */
SN_API sn_result sn_world_configure(sn_world *world, const sn_settings *settings);

/* Changes the number of threads that step the world, the calling one included: 1 to 256, or 0 for as many as there
   are cores that this process may use (its affinity mask), at most 64. Results do not depend on it, and it is not
   part of the state: it is not in snapshots or hashes.

   Every world has a pool of its own. Its threads are made at the first loop that is large enough to be shared, so a
   small world, or one with 1 thread, never makes any. They sleep between steps, and end with the world or with this
   call. If the system cannot make a thread, the world continues with those it has, and a warning is logged once.

   A program that steps many worlds on threads of its own should give each 1. A process made by fork has the worlds but
   not their threads. There the calling thread alone steps a world, with the same results, until this call sets another
   number of threads. With a task hook, and where a program cannot make threads (WebAssembly), this changes nothing. */
SN_API sn_result sn_world_set_threads(sn_world *world, uint32_t threads);

/* The number of threads that may step the world, the calling one included: never 0, except for NULL; 1 with a task
   hook, whose threads are not counted. */
SN_API uint32_t sn_world_threads(const sn_world *world);

/* SN_SOLVER_TILED: makes the plan again, as the first step of a world with these constraints would. Constraints that
   are added or removed between steps are put into the existing plan. This costs almost nothing, but makes the plan a
   little worse. When there are many, the next step makes the plan again by itself (about 0.1 us per constraint). Call
   this after large edits to choose the moment, or to make two equal worlds with different histories behave the same.
   Storage is rearranged, so views become invalid. Other solvers have no plan: nothing happens. Fails only for lack of
   memory. */
SN_API sn_result sn_world_replan(sn_world *world);

/* 2 or 3; 0 for NULL. */
SN_API uint32_t sn_world_dimensions(const sn_world *world);

/* Seconds simulated so far; NaN for NULL. */
SN_API double sn_world_time(const sn_world *world);

/* Advances the world by dt seconds (finite, not negative; 0 does nothing; a positive dt so small that the square of a
   substep is 0 is refused). dt may differ from step to step, but things are calmer when it does not: docs/games.md.
   Forces and kinematic targets given since the last step act during this one and are then dropped.

   Rigid constraints that were added or changed, and that contradict each other, are found first. A warning names the
   worst, the particles are put where the sum of the squared errors is least, and the constraints are held there until
   something is edited. docs/solvers.md says which ones are found.

   A step that fails leaves the world as it was before, hash included, with its forces and targets still pending. Only
   constraint forces then read 0, and there are no events and no broken constraints of that step. It returns
       SN_ERROR_DIVERGED   a substep would have produced an infinity or a NaN, or contact would have to compute beyond
                           1e18 m (see contact.h); sn_world_error and sn_world_fault name the constraint, particle or
                           body at fault
       SN_ERROR_HOST       the task hook lost tasks
       SN_ERROR_MEMORY     memory ran out
       SN_CANCELLED        see sn_world_set_cancel */
SN_API sn_result sn_world_step(sn_world *world, sn_real dt);

/* Returns whether the current step should end now. Called before every substep, on the thread that called the world.
   It must be quick, and must not call the world. */
typedef bool sn_cancel_fn(void *context);

/* Lets the caller cancel a step: for a program that has to quit while a step takes seconds, or that has a limit on
   time. function NULL removes it. Not part of the state: it is not in snapshots or hashes. Costs nothing but the calls.

   When it returns true, sn_world_step returns SN_CANCELLED and the world is as before the call: its hash, its time, and
   pending forces and targets. Handles stay valid, and there are no contact events and broken constraints to read. The
   same step may be taken again, with the same result. The work between two calls of the function, one substep or the
   search for contacts at the start, is finished first. sn_world_relax returns SN_CANCELLED with the world where it is,
   at rest, as when it diverges. */
SN_API sn_result sn_world_set_cancel(sn_world *world, sn_cancel_fn *function, void *context);

/* How to look for rest. All are positive. */
typedef struct sn_relax_def {
    sn_real dt;           /* s: the length of a step, cut into sn_settings.substeps; default 1/60 */
    uint32_t steps;       /* the most steps; default 10000 */
    sn_real displacement; /* m: at rest, no particle moves farther than this during `patience`; default 1e-5 */
    sn_real speed;        /* m/s: and none is ever faster than this; default INFINITY: no limit */
    sn_real patience; /* s; default 0.5. A motion with a period of more than four times that may be taken for rest */
} sn_relax_def;

/* How it went. */
typedef struct sn_relax_info {
    bool rested;
    uint32_t steps;      /* taken */
    double displacement; /* m: the farthest that a particle moved during the last span of `patience`, */
    double speed;        /* m/s: and the fastest it was at the end of a step in there */
    double residual;     /* m: the largest error of a constraint, as for sn_settings.tolerance */
} sn_relax_info;

/* Steps of 1/60 s, at most 10000 of them, until nothing moves by 1e-5 m in half a second. */
SN_API sn_relax_def sn_default_relax_def(void);

/* Statics: runs the world until it rests and leaves it there, with all velocities zero. def NULL means the default,
   info may be NULL. Only the end is physical, not the motion towards it. SN_OK does not mean that rest was found: see
   info->rested. A thing that falls for ever does not rest.

   The world starts at rest and moves without damping. Whenever its kinetic energy has passed a peak, which is when it
   swings through its equilibrium, all velocities are set to zero (dynamic relaxation with kinetic damping). They are
   also set to zero if no peak is passed for 20 times `patience`, as when a free body rotates for ever. No drag has to
   be chosen, and slow and fast things come to rest alike.

   Integration is symplectic Euler with current gradients, whatever the settings are. settings.damping and drags do not
   act: they do not change the equilibrium. Forces and kinematic targets given since the last step act all the time and
   are then dropped. Time does not advance: sn_world_time and the count of steps stay, and force fields see the time of
   the call. Constraint forces can be read afterwards as after a step.

   SN_ERROR_DIVERGED, SN_ERROR_HOST and SN_CANCELLED as for sn_world_step, but the world stays where it is, at rest,
   with forces and targets pending. Bad input (a number that is not positive, NaN; dt as for sn_world_step) and lack of
   memory change nothing. */
SN_API sn_result sn_world_relax(sn_world *world, const sn_relax_def *def, sn_relax_info *info);

/* Moves the origin to offset: offset is subtracted from every position, every kinematic target and every parameter
   that is a point of the world (the target of a pin, the point of a plane). This keeps numbers small, and so precise,
   in large worlds. Refused if a position would overflow. In a 2D world offset.z must be 0. */
SN_API sn_result sn_world_shift_origin(sn_world *world, sn_vec3 offset);

/* The sum of all shifts so far, in metres. A position in the first frame of reference is origin + current position. */
SN_API sn_result sn_world_origin(const sn_world *world, double origin[3]);

/* A hash of the state that decides all later steps: settings, particles, constraints with their order, pending forces
   and targets, time. User data, generations of handles and storage order are not in it. Nor are accumulated
   constraint forces, unless impulses are warm started with them. Equal states have equal hashes on every machine and
   build of the same sn_real. 0 for NULL. */
SN_API uint64_t sn_world_hash(const sn_world *world);

/* ---- Force fields ---------------------------------------------------------------------------- */

/* The particle that a force field is evaluated for, at the start of a substep. */
typedef struct sn_field_in {
    sn_vec3 position; /* m */
    sn_vec3 velocity; /* m/s */
    sn_real mass;     /* kg */
    uint32_t index;   /* the particle's number */
    uint32_t group;   /* its affiliation */
    uint64_t user;    /* its user data */
    double time;      /* s, at the start of the substep */
} sn_field_in;

/* A force field: returns newtons. It must be a function of its input and its context alone, and must not call the
   world. A force that is not finite makes the step fail and name the field. In a 2D world its z is ignored. */
typedef sn_vec3 sn_field_fn(void *context, const sn_field_in *in);

/* Adds a force field that acts on every movable particle in every substep from now on. *field gets its number, 1 or
   more, for sn_field_remove (may be NULL). parallel: the function may be called from several threads at once. */
SN_API sn_result sn_field_add(sn_world *world, sn_field_fn *function, void *context, bool parallel, uint32_t *field);

/* Removes a force field. Numbers are not used again. */
SN_API sn_result sn_field_remove(sn_world *world, uint32_t field);

/* ---- Snapshots ------------------------------------------------------------------------------- */

/* The state of a world at one moment: particles, bodies with their shapes, constraints, settings, fields, time,
   pending forces. It refers to meshes, height fields, distance fields and the fields of groups, and does not contain
   them. */
typedef struct sn_snapshot sn_snapshot;

/* Saves the state; NULL on failure. Destroy it with sn_snapshot_destroy. It may outlive the world, but not the
   context of the world's allocator. It is valid in this process only: force fields and kinds are in it as functions
   and contexts, which must stay valid as long as it may be loaded. */
SN_API sn_snapshot *sn_world_save(sn_world *world);

/* Saves the state into a snapshot made earlier, by this or another world; its memory is reused and grows only if it
   is too small. On failure the snapshot keeps what it held. */
SN_API sn_result sn_world_save_into(sn_world *world, sn_snapshot *snapshot);

/* Puts the world back into the saved state. The same bits follow as followed then. The snapshot can be used again.

   Edits get the same numbers (indices) as they would have got then, with later generations. Handles made before the
   save are valid again, those made since are stale. Views become invalid.

   Works in any world of the same dimensions, also in an empty one. The kinds that the state uses must be registered
   there under the same numbers, and it must have, or have had, every mesh and distance field that its bodies and groups
   use. Otherwise it is refused, with a message that names what is missing. */
SN_API sn_result sn_world_load(sn_world *world, const sn_snapshot *snapshot);

/* The bytes that a snapshot occupies; 0 for NULL. */
SN_API size_t sn_snapshot_size(const sn_snapshot *snapshot);

/* Frees a snapshot. NULL is ignored. */
SN_API void sn_snapshot_destroy(sn_snapshot *snapshot);

#ifdef __cplusplus
}
#endif
#endif
