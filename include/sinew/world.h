/* The world: settings, the step, the report, snapshots. */
#ifndef SINEW_WORLD_H
#define SINEW_WORLD_H

#include <sinew/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A world owns its particles and constraints and nothing is shared between worlds: any number of them can live on
   any threads. One world is used by one thread at a time; but several may ask it between steps: see sinew/query.h. */
typedef struct sn_world sn_world;

/* How constraints are enforced. */
typedef enum sn_solver {
    /* The cascade: one constraint after the other, each at once in effect; the reference. */
    SN_SOLVER_GAUSS_SEIDEL = 0,
    /* All at once: every constraint sees the same positions, and what they ask of a particle is put together. Slower to
       converge, parallel, without an order; see sn_jacobi. */
    SN_SOLVER_JACOBI,
    /* Sequential impulses: velocities are corrected, with gradients at the start of the substep, and positions follow from
       them; what has drifted apart is pulled back, see sn_drift. Not with BDF2. */
    SN_SOLVER_IMPULSES,
    /* Constraint forces: Lagrange multipliers make accelerations legal before the integrator moves anything, and a spring and a
       damper keep errors from growing. The second-order integrators stay second order. Not with BDF2. */
    SN_SOLVER_LAGRANGE,
    /* Constraints that form chains or trees, such as ropes, are solved at once, whatever hangs on them: a pass solves their
       linearised equations, and what it leaves is of second order in how far they turn. The rest by the cascade. */
    SN_SOLVER_DIRECT,
    /* The cascade, planned: particles are stored so that neighbours lie together, and constraints are cut into tiles that run
       on all cores and into batches of sixteen that run at once. The default. The order of a pass comes from the plan, and
       any sn_settings.order but the default is refused. Everything else works in it; the other solvers are for study, for
       comparison, and for what only they can do. */
    SN_SOLVER_TILED
} sn_solver;

/* How SN_SOLVER_JACOBI puts together what several constraints ask of one particle. */
typedef enum sn_jacobi {
    SN_JACOBI_SPLIT = 0, /* each gets a share of the particle's mass: conserves momentum, cannot overshoot */
    SN_JACOBI_AVERAGED   /* the mean of what they ask, times settings.relaxation, as Macklin et al. (2014) have it: does
                            not conserve momentum; above 1 it converges faster, above 2 not at all, and near 2 it needs
                            several passes a substep. Compliance and forces are exact only where all particles have
                            equally many constraints */
} sn_jacobi;

/* How SN_SOLVER_IMPULSES pulls back together what has drifted apart. */
typedef enum sn_drift {
    SN_DRIFT_BAUMGARTE = 0, /* a share of the error, settings.baumgarte, every substep; its speed stays in the motion */
    SN_DRIFT_SOFT /* a damped spring as stiff as the substep allows; its speed is taken out again by as many further
                     passes. What hangs on it stretches it: a single mass by g h^2 / 10 */
} sn_drift;

/* How SN_SOLVER_LAGRANGE solves for its multipliers. */
typedef enum sn_linear {
    SN_LINEAR_MINRES = 0, /* the minimal residual method */
    SN_LINEAR_LEAST_SQUARES /* conjugate gradients on the normal equations, as the lecture has it: tolerates everything, but
                               squares the condition number */
} sn_linear;

/* What SN_SOLVER_TILED does where plain sweeps would stretch. */
typedef enum sn_stiffening {
    /* Chains and trees of constraints that carry much are solved directly, at once. Cloth and other large meshes of rods get
       limits between the centroids of groups of particles, which keep them from stretching. docs/solvers.md tells which. */
    SN_STIFFENING_AUTO = 0,
    SN_STIFFENING_OFF /* nothing but sweeps: cheapest, and rubber under load */
} sn_stiffening;

/* How time is integrated. Torques turn bodies as forces move particles: angle and spin about a fixed axis are, step by step, what
   place and velocity of a particle would be. Joints act as other constraints do. Where no torque acts, a body turns alike under all
   of them, with the momentum that it has: forward Euler does not make it faster. */
typedef enum sn_integrator {
    SN_INTEGRATOR_SYMPLECTIC_EULER = 0, /* v += h a, then x += h v: first order, robust */
    SN_INTEGRATOR_FORWARD_EULER,        /* x += h v, then v += h a: first order, gains energy; for comparison */
    SN_INTEGRATOR_LEAPFROG, /* half a kick, drift, half a kick: second order and reversible. Asks forces twice */
    SN_INTEGRATOR_VERLET,   /* position pairs: the same motion as leapfrog, carried by x and the x before it */
    SN_INTEGRATOR_BDF2      /* second order also with rods and compliance, and damps those faster than a substep. Forces
                               are extrapolated: on a stiff spring that is a force it gains energy, at third order. Forces that
                               you add for a step may jump from step to step. With one pass a substep long ropes and large
                               bodies gain energy, two are not always enough: see docs/integrators.md */
} sn_integrator;

/* Where a constraint's gradient is taken. */
typedef enum sn_gradients {
    SN_GRADIENTS_CURRENT = 0, /* at the moved positions: stiff, robust, loses energy at first order */
    SN_GRADIENTS_START /* at the start of the substep (SHAKE): keeps angular momentum, and with leapfrog or Verlet a
                                 rod pendulum is second order and reversible. Needs several passes; every projection costs
                                 two evaluations. Not with BDF2, whose substep does not end where it would */
} sn_gradients;

/* In which order a pass visits the constraints: of SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_IMPULSES, and what SN_SOLVER_DIRECT
   leaves to the cascade. SN_SOLVER_TILED has the order of its plan and refuses all but the default; the others have none.
   With one pass a substep the order decides whether a large stiff body, such as a cloth, is stable at all: see
   docs/stability.md. */
typedef enum sn_order {
    /* As they were added: the cascade of the lectures, for ropes and for study. A large stiff cloth that was added vertex
       by vertex explodes with one pass a substep, damped or not. */
    SN_ORDER_INSERTION = 0,
    /* As they were added and back again: one pass is two sweeps and costs twice as much. The only order that cannot gain
       energy in the linear problem, whatever the body. Take it with SN_INTEGRATOR_BDF2. */
    SN_ORDER_SYMMETRIC,
    /* The one that is missed by most metres next, whatever has moved since: a pass is at most as many projections as there are
       constraints, every fourth for the worst of those that have had no turn, so that what cannot be satisfied does not take
       them all; equal ones as they were added; those of a stiffness k < 1 once a pass. Fewer passes where errors are in
       a few places, at 6 to 40 times the price of a pass: docs/solvers.md has figures. */
    SN_ORDER_WORST_FIRST,
    /* By the numbers of their particles: half of them, chosen by a hash, upwards, then the others downwards. Bodies without
       loops, such as ropes, all upwards; constraints of one particle, such as pins, last and as they were added. When the
       others were added matters only between constraints of the same particles. Costs one sweep. */
    SN_ORDER_THERE_AND_BACK
} sn_order;

/* What may be changed while a world runs. */
typedef struct sn_settings {
    sn_vec3 gravity;          /* m/s^2; default (0, -9.81, 0) */
    sn_solver solver;         /* default SN_SOLVER_TILED */
    sn_integrator integrator; /* default SN_INTEGRATOR_SYMPLECTIC_EULER */
    sn_order order;    /* default SN_ORDER_THERE_AND_BACK; another one needs a solver other than SN_SOLVER_TILED */
    uint32_t substeps; /* a step of dt is cut into so many substeps of h = dt / substeps; default 10, 1 to 100000. More
                            of them make rods stiffer and motion truer; for cloth and long ropes they do more than
                            iterations at the same cost. What carries much more than it weighs stretches: 60 kg on a cloth of
                            10 g a particle take 40. sn_world_report says how far constraints are from holding */
    uint32_t iterations;    /* at most so many passes over the constraints in a substep (N_MAX); default 1, 0 to 100000.
                              SN_SOLVER_LAGRANGE: with more than 1, at most so many iterations of the linear solver;
                              otherwise as many as it needs, and at most 10000 */
    sn_real tolerance;      /* m; no further pass once the largest residual of a pass is below it; default 0: never.
                              A residual is the distance by which a constraint is missed, |C + compliance * force|
                              divided by the length of the gradient of C, so that rods and angles compare. With
                              SN_SOLVER_IMPULSES: the distance that its particles move illegally in the substep. With
                              SN_SOLVER_TILED, for kinds other than distances that run many at a time: the farthest
                              that a constraint moves a particle along an axis. */
    sn_real damping;        /* 1/s; velocities decay as exp(-damping * t), gravity's pull excluded; default 0 */
    bool correct_stiffness; /* use k' = 1-(1-k)^(1/n), n = substeps * iterations, for the classic stiffness k, so that
                               its effect over a step does not grow with the number of passes; default false */
    sn_stiffening stiffening; /* SN_SOLVER_TILED; default SN_STIFFENING_AUTO */
    sn_gradients gradients;   /* default SN_GRADIENTS_CURRENT */
    bool profile;       /* measure the stages of every step and count what they do: see sn_profile; default false */
    sn_jacobi jacobi;   /* SN_SOLVER_JACOBI; default SN_JACOBI_SPLIT */
    sn_real relaxation; /* SN_JACOBI_AVERAGED: more than 0, at most 2; default 1 */
    sn_drift drift;     /* SN_SOLVER_IMPULSES; default SN_DRIFT_BAUMGARTE */
    sn_real baumgarte;  /* SN_DRIFT_BAUMGARTE: share of an error that is corrected in a substep, 0 to 1; default 0.2 */
    bool warm_start;    /* SN_SOLVER_IMPULSES: begin with the impulses of the substep before, less the share `baumgarte`
                           (without that, long chains swing up); default true */
    sn_linear linear;   /* SN_SOLVER_LAGRANGE; default SN_LINEAR_MINRES */
    sn_real drift_time; /* s, SN_SOLVER_LAGRANGE: errors decay with this time constant T, critically damped: k_s =
                           1/T^2, k_d = 2/T; default 0: four substeps. At least two substeps are taken */
    /* SN_SOLVER_LAGRANGE, of rigid equalities: the anti-drift of C'' = -k_s C - k_d C', a spring and a damper by mass. Each is
       0 or more, or SN_DRIFT_BY_TIME, the default: then drift_time decides it. 0 and 0 is C'' = 0, no correction: an error
       stays, a speed of C stays, and what integration adds to them accumulates. With k_d alone speeds decay and errors stay;
       with k_s alone errors swing. More than drift_time may ask for, 1 / (2 h)^2 and 1 / h with h the substep, is not
       taken: an explicit integrator would make errors grow by it. Inequalities, limits, drives, rates and what has compliance keep
       to drift_time: what they do about an error is no drift. */
    sn_real k_s; /* 1/s^2 */
    sn_real k_d; /* 1/s */
} sn_settings;

/* sn_settings.k_s and k_d: as drift_time says. */
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
    sn_real push_out; /* m/s: things that overlap when they first touch are parted at this speed, and keep none of it;
                              positive; default 1 */
    sn_real bounce_above; /* m/s: slower impacts do not bounce; default -1: twice gravity times the substep */
    bool sleep;           /* what rests in contact for a while is left out of the step until something happens to it;
                              default false. See sn_particle_is_awake */
    sn_real sleep_speed;  /* m/s: slower is rest; default 0.02 */
    sn_real sleep_time;   /* s: for so long; default 0.5 */
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
                         cores that this process may use, at most 64; see sn_world_set_threads. Not used with tasks.run */
    sn_simd simd;     /* default SN_SIMD_AUTO. One that this machine or this build does not have is refused; in double
                         precision nothing is wide, and only AUTO and SCALAR are there. No part of the state */
    sn_contact_settings contact; /* default as sn_default_contact_settings; later sn_world_set_contact_settings */
} sn_world_def;

/* SI units, gravity on, 10 substeps of one pass each, three dimensions, no hooks. Start from this always: later
   versions append fields. */
SN_API sn_world_def sn_default_world_def(void);

/* Makes an empty world. On failure *world is NULL, and since there is no world to ask, the reason goes to def->log
   and can be had from sn_world_def_check. */
SN_API sn_result sn_world_create(const sn_world_def *def, sn_world **world);

/* Says whether sn_world_create would accept def, and if not writes the reason in words, at most size bytes with its
   terminating zero, to message (NULL is fine). */
SN_API sn_result sn_world_def_check(const sn_world_def *def, char *message, size_t size);

/* Frees the world and everything in it. Handles and views die; snapshots live on. NULL is ignored, and so, with an
   error logged, is a call from inside one of the world's own callbacks. */
SN_API void sn_world_destroy(sn_world *world);

/* Why the last failing call on this world failed, naming the thing and the value; "" when none has failed yet.
   The text dies with the next failing call. To hear of every failure, or of the first of many, use the log hook. */
SN_API const char *sn_world_error(const sn_world *world);

/* The settings as they are now; all zero for NULL. */
SN_API sn_settings sn_world_settings(const sn_world *world);

/* Replaces all settings, from the next step on, and wakes all that sleeps if one of them changes but `profile`. Nothing changes if one
   of them is invalid. */
SN_API sn_result sn_world_configure(sn_world *world, const sn_settings *settings);

/* Changes the number of threads that step the world, the calling one included: 1 to 256, or 0 for as many as there are
   cores that this process may use (its affinity mask), at most 64. Results do not depend on it, and it is no part of the
   state: neither snapshots nor hashes know of it. Every world has a pool of its own. Its threads are made at the first
   loop that is large enough to be shared, so a small world, or one with 1 thread, never makes any; they sleep between
   steps; and they end with the world or with this call. If the system refuses to make one, the world carries on with
   those it has, and a warning is logged once. A program that steps many worlds at once on threads of its own gives each 1.
   A process made by fork has the worlds but not their threads: there a world is stepped by the calling thread alone, with
   the same results, until this call gives it another number of threads. With a task hook, and where a program cannot make
   threads (WebAssembly), this changes nothing. */
SN_API sn_result sn_world_set_threads(sn_world *world, uint32_t threads);

/* The number of threads that may step the world, the calling one included: never 0, except for NULL; 1 with a task hook,
   whose threads are not counted. */
SN_API uint32_t sn_world_threads(const sn_world *world);

/* SN_SOLVER_TILED: makes the plan anew, as the first step of a world with these constraints would make it. Constraints that
   are added or removed between steps are taken into the plan that is there, which costs next to nothing but leaves it a
   little worse; when they have become many, the next step makes it anew by itself (about 0.1 us a constraint). Call this
   after large edits to choose the moment, or to make two worlds of different history that hold the same behave the same.
   Storage is rearranged, so views die. Other solvers have no plan: nothing happens. Only lack of memory can fail. */
SN_API sn_result sn_world_replan(sn_world *world);

/* 2 or 3; 0 for NULL. */
SN_API uint32_t sn_world_dimensions(const sn_world *world);

/* Seconds simulated so far; NaN for NULL. */
SN_API double sn_world_time(const sn_world *world);

/* Advances the world by dt seconds (finite, not negative; 0 does nothing; a positive dt so small that the square of a
   substep is 0 is refused). dt may differ from step to step.
   Forces and kinematic targets given since the last step act during this one and are then forgotten.
   Rigid constraints that were added or changed, and that contradict each other, are found first: a warning names the
   worst, the particles are put where the sum of squares of what is missed is least, and the constraints are held there
   until something is edited. docs/solvers.md says which ones are found.
   SN_ERROR_DIVERGED: a substep would have produced an infinity or a NaN, or contact would have to compute beyond 1e18 m
   (see contact.h); sn_world_error and sn_world_fault name the constraint, particle or body at fault.
   SN_ERROR_HOST: the task hook lost tasks. SN_ERROR_MEMORY. SN_CANCELLED: see sn_world_set_cancel.
   After any of them the world is what it was before the step, hash included, with its forces and targets still pending: all
   substeps are taken back. Only constraint forces then read 0, and there are no events and no broken constraints of that step. */
SN_API sn_result sn_world_step(sn_world *world, sn_real dt);

/* Says whether a step under way is to end now. Asked before every substep, on the thread that called the world. It must
   be quick, and must not call the world. */
typedef bool sn_cancel_fn(void *context);

/* Lets the caller end a step before its end: a program that is told to quit while a step takes seconds, or one that has a
   limit on time. function NULL takes it away. No part of the state: neither snapshots nor hashes know of it.
   When it says yes, sn_world_step returns SN_CANCELLED and the world is as before the call: its hash, its time, forces
   and targets that are pending. Handles stay valid, and there are no contact events and broken constraints to
   read. The same step may be taken again, and gives what it would have given. What is done between two questions, one
   substep and the search for contacts at the start, is finished first. sn_world_relax returns SN_CANCELLED where it got
   to, at rest, as when it diverges. Costs nothing but the calls. */
SN_API sn_result sn_world_set_cancel(sn_world *world, sn_cancel_fn *function, void *context);

/* How to look for rest. All are positive. */
typedef struct sn_relax_def {
    sn_real dt;           /* s: the length of a step, cut into sn_settings.substeps; default 1/60 */
    uint32_t steps;       /* at most so many; default 10000 */
    sn_real displacement; /* m: at rest, no particle moves farther than this during `patience`; default 1e-5 */
    sn_real speed;        /* m/s: and none is ever faster than this; default INFINITY: not asked for */
    sn_real patience;     /* s; default 0.5. What swings more slowly than four times that may be taken for rest early */
} sn_relax_def;

/* How it went. */
typedef struct sn_relax_info {
    bool rested;
    uint32_t steps;      /* taken */
    double displacement; /* m: the farthest that a particle moved during the last span of `patience`, */
    double speed;        /* m/s: and the fastest it was at the end of a step in there */
    double residual;     /* m: the distance by which the worst constraint is missed, as for sn_settings.tolerance */
} sn_relax_info;

/* Steps of 1/60 s, at most 10000 of them, until nothing moves by 1e-5 m in half a second. */
SN_API sn_relax_def sn_default_relax_def(void);

/* Statics: runs the world until it rests and leaves it there, with all velocities zero. def NULL means the default,
   info may be NULL. The way to rest is not physics, only the end is: starting at rest, the world moves without any
   damping, and whenever its kinetic energy has passed a peak, that is, when it swings through its balance, all
   velocities are taken away (dynamic relaxation with kinetic damping); so they are where no peak is passed for 20 times
   `patience`, as when something free turns for ever. That needs no drag to be chosen and finds the
   rest of slow and fast things alike. Integration is symplectic Euler with current gradients whatever the settings
   say; settings.damping and drags rest, for they do not change where a balance is. Forces and kinematic targets given
   since the last step act all the time and are then forgotten. The clock stands: sn_world_time and the count of steps
   stay, and force fields see the time of the call. Constraint forces can be read afterwards as after a step. SN_OK
   does not mean that rest was found: see info->rested. What falls for ever does not rest. SN_ERROR_DIVERGED,
   SN_ERROR_HOST and SN_CANCELLED as for sn_world_step, but the world stands where it got to, at rest, forces and targets pending. Bad
   input (a number that is not positive, NaN; dt as for sn_world_step) and lack of memory change nothing. */
SN_API sn_result sn_world_relax(sn_world *world, const sn_relax_def *def, sn_relax_info *info);

/* Moves the origin to offset: every position, every kinematic target and every parameter that is a place in the world
   (the target of a pin, the point of a plane) has offset subtracted. Keeps numbers small, and so precise, in large
   worlds. Refused if a position would overflow; in a 2D world offset.z must be 0. */
SN_API sn_result sn_world_shift_origin(sn_world *world, sn_vec3 offset);

/* The sum of all shifts so far, in metres. A place in the first frame is origin + place now. */
SN_API sn_result sn_world_origin(const sn_world *world, double origin[3]);

/* A hash of everything that decides the future: settings, particles, constraints with their order, pending forces and
   targets, time; not of user data, handles' generations or storage order, nor of accumulated constraint forces unless
   impulses are warm started with them. Equal states
   have equal hashes on every machine and build of the same sn_real. 0 for NULL. */
SN_API uint64_t sn_world_hash(const sn_world *world);

/* ---- Force fields ---------------------------------------------------------------------------------------------- */

/* What a force field sees of a particle, at the start of a substep. */
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

/* ---- Snapshots ------------------------------------------------------------------------------------------------- */

/* The state of a world at one moment: particles, bodies with their shapes, constraints, settings, fields, time, pending
   forces. Of shapes that are meshes, height fields or distance fields, and of the fields of groups, it holds which they are, not what. */
typedef struct sn_snapshot sn_snapshot;

/* Saves the state; NULL on failure. Destroy it with sn_snapshot_destroy; it may outlive the world, but not the
   context of the world's allocator. It lives in this process: force fields and kinds are in it as functions and
   contexts, which must live as long as it may be loaded. */
SN_API sn_snapshot *sn_world_save(sn_world *world);

/* Saves the state into a snapshot made earlier, by this or another world; its memory is reused and grows only if it is
   too small. On failure the snapshot keeps what it held. */
SN_API sn_result sn_world_save_into(sn_world *world, sn_snapshot *snapshot);

/* Puts the world back into the saved state: the same bits follow as followed then, and edits get the same numbers (indices) as they
   would have got then, under later generations. Handles given out before the save are valid again, those given out since are stale. Works in any world of the same dimensions, also in an empty one, in
   which the kinds that the state uses are registered under the same numbers, and which has, or had, every mesh and
   distance field that its bodies and groups use; refused otherwise, with a message that names what is missing. Views
   die. The snapshot stays usable. */
SN_API sn_result sn_world_load(sn_world *world, const sn_snapshot *snapshot);

/* The bytes that a snapshot occupies; 0 for NULL. */
SN_API size_t sn_snapshot_size(const sn_snapshot *snapshot);

/* Frees a snapshot. NULL is ignored. */
SN_API void sn_snapshot_destroy(sn_snapshot *snapshot);

#ifdef __cplusplus
}
#endif
#endif
