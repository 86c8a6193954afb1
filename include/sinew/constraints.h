/* Constraints, which hold particles and bodies together.

   A constraint is a function C of the positions of a few points with R rows, each of which should be 0 (an equality) or
   at least 0 (an inequality). Every kind, built in or your own, is described by one sn_kind, and the solver knows
   nothing else about it:

       dlambda = [-C - a lambda - g grad C . (x - x0)] / [(1 + g) sum w |grad C|^2 + a],     dx = w grad C dlambda

   with w the inverse mass, x0 the position at the start of the substep h, a = compliance / h^2 and
   g = compliance * damping / h (Macklin, Mueller and Chentanez 2016). With compliance 0 this is classic
   position-based dynamics, and lambda / h^2 is the force of the constraint either way. */
#ifndef SINEW_CONSTRAINTS_H
#define SINEW_CONSTRAINTS_H

#include <sinew/particles.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Points ---------------------------------------------------------------------------------- */

/* What a point is fixed to. */
typedef enum sn_point_type {
    SN_POINT_PARTICLES = 0, /* a particle, or a barycentric point of a triangle or tetrahedron of particles */
    SN_POINT_BODY,          /* a point of a rigid body */
    SN_POINT_PLACE          /* a point of the world, which nothing moves */
} sn_point_type;

/* A point that a constraint acts on. A force on a barycentric point is distributed to its particles; a force on a
   point of a body moves and rotates the body. So action and reaction balance. Make points with the functions below. */
typedef struct sn_point {
    sn_particle particle[4];
    sn_real weight[4];
    uint32_t count; /* particles: 1, 3 or 4; otherwise 0 */
    sn_point_type type;
    sn_body body;
    sn_vec3 place; /* m: on a body, in the body's own frame; otherwise in the world */
    sn_quat turn;  /* the rotation of the point's own axes in that frame, for oriented kinds */
} sn_point;

/* A particle as a point. */
SN_API sn_point sn_at(sn_particle particle);

/* The point u a + v b + w c. The weights must be finite and sum to 1 (within 1e-3; the rest is distributed evenly).
   Bad weights are refused when the point is used. */
SN_API sn_point sn_on_triangle(sn_particle a, sn_particle b, sn_particle c, sn_real u, sn_real v, sn_real w);

/* The point t a + u b + v c + w d. */
SN_API sn_point sn_in_tetrahedron(sn_particle a, sn_particle b, sn_particle c, sn_particle d, sn_real t, sn_real u,
                                  sn_real v, sn_real w);

/* The point of a body at `place` (m, in the body's own frame). Its axes are those of the body. The second form sets
   other axes, for joints. `turn` is normalised when the point is used; zero is refused then. */
SN_API sn_point sn_on_body(sn_body body, sn_vec3 place);
SN_API sn_point sn_on_body_turned(sn_body body, sn_vec3 place, sn_quat turn);

/* A point of the world (m), with the world's axes or others. At least one point of a constraint must be on a particle
   or body. */
SN_API sn_point sn_at_place(sn_vec3 place);
SN_API sn_point sn_at_place_turned(sn_vec3 place, sn_quat turn);

/* The current position of a point, in metres; NaN and an error if one of its particles, or its body, was removed. */
SN_API sn_vec3 sn_point_position(const sn_world *world, sn_point point);

/* ---- Kinds ----------------------------------------------------------------------------------- */

#define SN_MAX_POINTS        8                   /* points of one constraint, of a kind with a fixed number of them */
#define SN_MAX_ROWS          6                   /* scalar equations of one constraint, solved together */
#define SN_NO_ROW            (1u << SN_MAX_ROWS) /* of sn_kind.bounded: none */
#define SN_TURN_ALWAYS       UINT32_MAX          /* of sn_kind.turn_param */
#define SN_PIVOT_POINT       1                   /* of sn_kind.pivot */
#define SN_PIVOT_AXIS        2
#define SN_MAX_PARAMS        16 /* named parameters of one constraint, */
#define SN_MAX_PARAM_NUMBERS 40 /*   and numbers in them; a vector has three */

#define SN_MAX_POINT_PARAMS 8  /* numbers that describe one point of a constraint of any number of points */
#define SN_MAX_STATE        32 /* numbers that a constraint remembers from one substep to the next */

/* The numbers of the built-in kinds. Registered ones follow from SN_KIND_BUILTIN_END on. */
enum {
    SN_KIND_NONE = 0,
#define SN_KIND(NAME, name) SN_KIND_##NAME,
#include <sinew/constraints.def>
#undef SN_KIND
    SN_KIND_BUILTIN_END
};

typedef enum sn_param_type {
    SN_PARAM_REAL = 0,  /* one number */
    SN_PARAM_VECTOR,    /* three numbers: any vector */
    SN_PARAM_DIRECTION, /* three numbers: a unit vector; it is normalised for you, zero is refused */
    SN_PARAM_POSITION   /* three numbers: a point of the world; moves with sn_world_shift_origin */
} sn_param_type;

typedef struct sn_param {
    const char *name; /* NULL ends the list */
    const char *unit; /* "m", "rad", "1" */
    sn_param_type type;
    bool has_default; /* SN_MEASURE means default_value if the kind cannot measure */
    sn_real default_value;
    sn_real least, most; /* allowed range of each number; both 0: any finite one */
} sn_param;

/* The input of an evaluation. */
typedef struct sn_eval_in {
    const sn_vec3 *x;     /* positions of the points, in m */
    const sn_real *param; /* the numbers in the order of the kind's list, vectors as three */
    uint32_t points;
    void *context;    /* of the kind */
    const sn_quat *q; /* the rotations of the points' axes in the world; NULL unless the kind is oriented */
    const sn_real
        *point_param;       /* the numbers of the first point in the order of the kind's list, then those of the next;
                                   NULL if the kind has none */
    const sn_real *state;   /* the state of the constraint, sn_kind.state numbers; NULL if the kind has none */
    sn_real *keep;          /* the same, to be written: in project and settle. NULL elsewhere */
    bool planar;            /* in a 2D world: z is locked */
    const sn_real *exerted; /* in settle, if the kind is oriented: what each row exerted in the substep, N or N m. NULL
                               elsewhere */
} sn_eval_in;

/* The meaning of a row of a constraint, if it is not fixed by its kind; see sn_kind.own_rows. */
typedef enum sn_row_type {
    SN_ROW_BY_KIND = 0, /* as sn_kind.inequality says */
    SN_ROW_AT_LEAST,    /* C >= 0 */
    SN_ROW_RATE,        /* C changes by `rate` per second, or by at least that if the kind's bit for the row says
                           inequality. c[row] is not used */
    SN_ROW_REST         /* the row does nothing now */
} sn_row_type;

typedef struct sn_row {
    sn_row_type type;
    sn_real compliance; /* adds to that of the constraint */
    sn_real damping;    /* the same */
    sn_real rate;       /* unit of C per s */
    sn_real most;       /* the largest force, in either direction: N, or N m where C is an angle; 0: any */
    sn_real low,
        high; /* hard limits of C, which are enforced with any force; infinite: no limit on that side; both 0: no
                           limits */
} sn_row;

/* The output of an evaluation. The arrays are zeroed beforehand. */
typedef struct sn_eval_out {
    sn_real *c;        /* c[row] */
    sn_vec3 *gradient; /* gradient[row * points + point], the derivative of c[row] by the position of point */
    sn_vec3 *turn; /* turn[row * points + point]: the derivative by a rotation (rad, in the world) of the point's axes
                          about the point; NULL unless the kind is oriented */
    sn_row *row;   /* row[row]; NULL unless the kind has own_rows */
} sn_eval_out;

/* Computes C and its gradient. Returns false if the gradient does not exist (two points at one position); the
   constraint then does nothing in that pass. Must depend on its input alone: with SN_SOLVER_JACOBI and a task hook it
   is called from several threads at once. */
typedef bool sn_eval_fn(const sn_eval_in *in, const sn_eval_out *out);

/* Writes the parameters that would satisfy the constraint in the present positions; only those that the caller left
   at SN_MEASURE are used. */
typedef void sn_measure_fn(const sn_eval_in *in, sn_real *param);

/* Checks parameters that are each in range. Returns NULL, or why they do not fit together ("least exceeds most"). */
typedef const char *sn_check_fn(const sn_real *param);

/* A projection of the kind's own, which need not follow a gradient. Writes to move[i] the displacement of each point
   in metres. w holds the inverse masses of the points, and -1 for a particle that is an earlier point already;
   displacements of these and of immovable particles are not used. Returns false if there is no projection. Called in
   every pass of a substep, in the order of the solver, never from two threads at once. It may write to in->keep; if
   the substep fails, that is undone. */
typedef bool sn_project_fn(const sn_eval_in *in, const sn_real *w, sn_vec3 *move);

/* Called once for each constraint at the end of a successful substep of h seconds, for changes with time, such as
   creep. It may write to in->keep. in->x is NULL, unless the kind is oriented: a projection can store what it needs
   of positions in the state. Not called by sn_world_relax, where no time passes. */
typedef void sn_settle_fn(const sn_eval_in *in, sn_real h);

/* A force element: writes to force[i] the force on each point, in newtons, from positions (in->x) and velocities (v,
   m/s), and returns its potential energy in joules. */
typedef sn_real sn_force_fn(const sn_eval_in *in, const sn_vec3 *v, sn_vec3 *force);

/* The largest stiffness of a force element, in N/m: the change of the force on one point when a point moves.
   *damping, which is 0 beforehand, gets the same for velocities, in N s/m. The world warns if it is too stiff for the
   substep. */
typedef sn_real sn_stiffness_fn(const sn_real *param, void *context, sn_real *damping);

/* The formula of a kind, compiled for vectors of several sizes, so that many constraints are evaluated at once:
   lanes.h says how to write one. `in` and `out` are a lanes_in and a lanes_out of that size. */
typedef void sn_lanes_fn(const void *in, void *out);

typedef struct sn_kind_lanes {
    bool twice;           /* it computes in double precision */
    sn_lanes_fn *eval[3]; /* without vectors, and for those of 16 and 32 bytes; NULL: not compiled. The first must be
                             there */
} sn_kind_lanes;

typedef struct sn_kind {
    const char *name;      /* the name in scenes and messages: lower case letters, digits and '_' */
    const char *about;     /* one sentence for the documentation; may be NULL */
    const char *formula;   /* C in plain text; may be NULL */
    const char *unit;      /* the unit of C, "m" or "rad"; compliance is then unit^2 / J; may be NULL, meaning "m" */
    uint32_t points;       /* 1 to SN_MAX_POINTS; 0: any number, see the next two */
    uint32_t least_points; /* with points 0: the least number of points, */
    uint32_t point_step;   /* and the step from one allowed number to the next (0 is 1). Such kinds take particles only,
                            no other points */
    bool repeats;          /* with points 0: one particle may serve as several points, as corners of triangles do */
    uint32_t rows;         /* 1 to SN_MAX_ROWS */
    uint32_t inequality;   /* bit r set: row r means C >= 0 instead of C = 0 */
    bool internal;         /* C depends only on differences of positions, so the constraint conserves momentum. The
                            positions in sn_eval_in are then relative to a nearby origin, which keeps them precise */
    bool spatial;          /* makes sense in three dimensions only: refused in a 2D world */
    sn_param param[SN_MAX_PARAMS + 1];
    sn_eval_fn *eval;
    sn_measure_fn *measure; /* may be NULL */
    sn_check_fn *check;     /* may be NULL */
    sn_project_fn *project; /* may be NULL. If set, position solvers use it in place of the gradient; compliance must be
                               0 */
    sn_force_fn *force;     /* may be NULL. If set, this is not a constraint but a force, applied before positions are
                               predicted; solvers ignore it, and compliance must be 0 */
    void *context;          /* passed to all of them */
    sn_stiffness_fn *stiffness; /* of a force; may be NULL: then there are no warnings */
    bool oriented; /* C depends on the rotation of its points' axes: these must be points of bodies, or places */
    bool own_rows; /* eval sets meaning, compliance and largest force of each row: sn_row */
    sn_param point_param[SN_MAX_POINT_PARAMS + 1]; /* with points 0: numbers that each point has by itself, such as its
                                                      place in the rest shape. None is a point of the world: they do not
                                                      move with sn_world_shift_origin */
    sn_measure_fn *measure_points; /* may be NULL. Writes those of the first point, then of the next, that would satisfy
                                      the constraint in the present positions */
    uint32_t state; /* the count of numbers that a constraint keeps from substep to substep, all 0 when it is added or
                       changed. They are part of snapshots and of the hash */
    sn_settle_fn *settle;       /* may be NULL */
    uint32_t settle_param;      /* settle is called only if this number of the parameters, counted from 1, is not 0; 0:
                              always. If it is not called, the state of the constraint is all 0 */
    const sn_kind_lanes *lanes; /* may be NULL: then constraints are evaluated one by one. It must compute the same as
                                   eval. Must outlive the world */
    uint32_t bounded; /* with own_rows: bit r set: row r may be other than an equality. 0: any row may; SN_NO_ROW: none
                         */
    uint32_t rotational; /* if the kind is oriented: bit r set: row r has no gradient by positions */
    bool axial; /* its three rows are along x, y and z and otherwise alike: the gradient of each by point i is the same
                   number k_i times its axis. Then rows are independent, and a constraint costs little more than one
                   row. Not with own_rows, inequality, oriented or state */
    uint32_t turn_param; /* if the kind is oriented: it holds the rotation of one body against the other if this number
                            of the parameters, counted from 1, is not 0; SN_TURN_ALWAYS: always; 0: never. Trees of such
                            constraints are solved directly under lower loads: docs/solvers.md */
    uint32_t
        pivot; /* if the kind is oriented: its rows 0 to 2 keep two points in one place, along the axes of the first.
                       SN_PIVOT_POINT; or SN_PIVOT_AXIS, if the x axes of both agree as well. 0: they do not. Bodies
                       that swing on such constraints keep most of their energy: docs/bodies.md */
} sn_kind;

/* Registers a kind of your own, for every solver, snapshot and report. The struct and its strings are
   copied; context and functions must outlive the world. Returns its number, or 0 on failure (a name that is taken, a
   count out of range, no eval). */
SN_API uint32_t sn_kind_register(sn_world *world, const sn_kind *kind);

/* Numbers 1 .. sn_kind_count(world) - 1 are kinds. With world NULL: the built-in ones. */
SN_API uint32_t sn_kind_count(const sn_world *world);

/* The description of a kind; NULL if there is none of this number. Valid as long as the world (built-in: for ever). */
SN_API const sn_kind *sn_kind_info(const sn_world *world, uint32_t kind);

/* The number of the kind of this name; 0 if there is none. */
SN_API uint32_t sn_kind_find(const sn_world *world, const char *name);

/* The number of sn_real parameters of a kind, vectors counted as three; 0 for NULL. */
SN_API uint32_t sn_kind_param_count(const sn_kind *kind);

/* The same for the numbers of one point, sn_kind.point_param. */
SN_API uint32_t sn_kind_point_param_count(const sn_kind *kind);

/* ---- Constraints ----------------------------------------------------------------------------- */

/* A constraint. index counts within its kind and never changes. A zeroed handle is null. */
typedef struct sn_constraint {
    uint32_t kind;
    uint32_t index;
    uint32_t generation;
} sn_constraint;

/* A run of constraints of one kind that were added together. count 0 is null. */
typedef struct sn_constraints {
    uint32_t kind;
    uint32_t first;
    uint32_t count;
    uint32_t generation;
} sn_constraints;

/* The i-th constraint of a run; null when i is out of range. */
static inline sn_constraint sn_constraints_at(sn_constraints run, uint32_t i)
{
    sn_constraint c = {0, 0, 0};
    if (i < run.count) {
        c.kind = run.kind;
        c.index = run.first + i;
        c.generation = run.generation;
    }
    return c;
}

/* Compliance and damping of a constraint. Zero is rigid and undamped. */
typedef struct sn_material {
    sn_real compliance; /* inverse stiffness, (unit of C)^2 per joule: m/N for distances, rad/(N m) for angles; >= 0 */
    sn_real damping;    /* resists the change of C: N s/m for distances, N m s for angles; needs compliance > 0; >= 0 */
} sn_material;

/* The compliance of a spring with this stiffness in N/m: 1 / stiffness. NaN, which every call refuses, unless
   stiffness is positive. */
SN_API sn_real sn_compliance(sn_real stiffness);

typedef struct sn_constraint_def {
    uint32_t made; /* set by sn_default_constraint_def; shows that the struct was started from it */
    uint32_t kind;
    uint32_t point_count;                /* only used for kinds with any number of points */
    const sn_point *points;              /* as many as the kind has; used during the call only */
    sn_real param[SN_MAX_PARAM_NUMBERS]; /* in the order of the kind's list; SN_MEASURE each by default */
    sn_real compliance;                  /* see sn_material; default 0 */
    sn_real damping;                     /* default 0 */
    sn_real stiffness; /* classic stiffness k in [0, 1]: the share of a projection that is applied; default 1. Its
                          effect depends on the number of passes (see correct_stiffness); prefer compliance. With
                          SN_SOLVER_LAGRANGE: the share of its force that a single constraint exerts */
    const sn_real
        *point_param;     /* sn_kind_point_param_count numbers for each point, each of which may be SN_MEASURE; NULL:
                                   all are. Used during the call only */
    const sn_real *state; /* its state at the start, sn_kind.state numbers; NULL: all 0 */
    uint64_t user;        /* yours; default 0. All constraints of a bulk call get it */
} sn_constraint_def;

/* A rigid constraint of that kind with all parameters measured. You still have to set the points. */
SN_API sn_constraint_def sn_default_constraint_def(uint32_t kind);

/* Adds a constraint, which comes last in the order of the solver. Refused: a stale particle, a particle that is
   two points of it, a joint of a body with itself, a parameter out of its range, non-finite numbers, a spatial
   kind in a 2D world. On failure *constraint (may be NULL) is null. */
SN_API sn_result sn_constraint_add(sn_world *world, const sn_constraint_def *def, sn_constraint *constraint);

/* Adds count constraints that share def's compliance, damping and stiffness. index holds the numbers of count *
   points particles (numbers, not handles: a number that was used again means the new particle). param holds the
   parameters of each constraint one after the other. If it is NULL, those of def are used for all. def->points is not
   used. All or none are added; run may be NULL. Joints, whose points need axes, are refused. */
SN_API sn_result sn_constraints_add(sn_world *world, const sn_constraint_def *def, uint32_t count,
                                    const uint32_t *index, const sn_real *param, sn_constraints *run);

/* The same for a kind with any number of points: constraint i has those of the particles index[start[i]] ..
   index[start[i + 1] - 1]; start has count + 1 numbers, the first 0 and none below the one before. All share def's
   parameters and material; def's points, point_param and state are not used. */
SN_API sn_result sn_constraints_add_lists(sn_world *world, const sn_constraint_def *def, uint32_t count,
                                          const uint32_t *start, const uint32_t *index, sn_constraints *run);

/* Replaces points, parameters, material, state and user data, keeping handle and place in the order. The kind must be
   the same. */
SN_API sn_result sn_constraint_change(sn_world *world, sn_constraint constraint, const sn_constraint_def *def);

/* How many points the constraint has; 0 and an error if the handle is stale. */
SN_API uint32_t sn_constraint_point_count(const sn_world *world, sn_constraint constraint);

/* Reads a constraint back, in a form that sn_constraint_add takes. points receives the points, def->points is set to
   it. Refused if there are more than capacity of them; SN_MAX_POINTS is enough for all kinds with a fixed number.
   def->point_param and def->state point into the world. They are valid until it is stepped or a constraint of the
   kind is added, changed or removed; they may be passed to that call. */
SN_API sn_result sn_constraint_read(const sn_world *world, sn_constraint constraint, sn_constraint_def *def,
                                    sn_point *points, uint32_t capacity);

SN_API sn_result sn_constraint_remove(sn_world *world, sn_constraint constraint);

/* Removes all constraints of a run; refused if one of them was already removed. */
SN_API sn_result sn_constraints_remove(sn_world *world, sn_constraints run);

/* Whether the handle is valid. Never an error. */
SN_API bool sn_constraint_is_valid(const sn_world *world, sn_constraint constraint);

/* User data: yours; the library never uses it. It is in snapshots and not in the hash. 0, and an error, for a stale
   handle. A kind takes memory for it only if one of its constraints has user data. */
SN_API uint64_t sn_constraint_user(const sn_world *world, sn_constraint constraint);
SN_API sn_result sn_constraint_set_user(sn_world *world, sn_constraint constraint, uint64_t user);

/* Whether the particles and bodies that the constraint joins collide with each other; default false. Two things that
   any constraint with false joins do not collide. For ropes, and for joints whose bodies do not overlap. False, and an
   error, for a stale handle. */
SN_API bool sn_constraint_collides(const sn_world *world, sn_constraint constraint);
SN_API sn_result sn_constraint_set_collides(sn_world *world, sn_constraint constraint, bool collides);

/* How many constraints are alive: of one kind, or of all with SN_KIND_NONE. 0 for NULL or an unknown kind. */
SN_API uint32_t sn_world_constraint_count(const sn_world *world, uint32_t kind);

/* A walk over all constraints. Start with a zeroed one. */
typedef struct sn_constraint_walk {
    sn_constraint constraint; /* the one that the walk is at */
    uint32_t run, item;       /* internal */
} sn_constraint_walk;

/* Goes to the next constraint, in the order in which they were added:
       sn_constraint_walk walk = {0};
       while (sn_constraint_next(world, &walk)) use(walk.constraint);
   False, with a null constraint, after the last one (and for NULL). Adding or removing constraints or particles ends
   a walk: start again. Changing them does not. */
SN_API bool sn_constraint_next(const sn_world *world, sn_constraint_walk *walk);

/* Sets one parameter by name, such as "rest" or "normal". count is the count of numbers in value: 1, or 3 for a
   vector. SN_MEASURE measures again. constraints.def lists the names of each kind, and sn_kind_info(world,
   kind)->param has them with units. The error for a wrong name lists the right ones. Example: to drag something, add
   a pin with compliance and let its "target" follow the mouse. */
SN_API sn_result sn_constraint_set_param(sn_world *world, sn_constraint constraint, const char *name,
                                         const sn_real *value, uint32_t count);
SN_API sn_result sn_constraint_set_material(sn_world *world, sn_constraint constraint, sn_material material);
/* The classic stiffness k, 0 to 1. */
SN_API sn_result sn_constraint_set_stiffness(sn_world *world, sn_constraint constraint, sn_real stiffness);

/* The force of a constraint in the last substep: lambda / h^2. */
typedef struct sn_force {
    sn_real magnitude;        /* of all rows together; newtons where the gradient has length 1 (N m for angles) */
    sn_real row[SN_MAX_ROWS]; /* by row; a positive force increases C. That of a stretched rod is negative */
    uint32_t rows;
} sn_force;

/* NaN and an error if the handle is stale. 0 before the first step, and after one that failed unless impulses start
   warm. Read at one moment, the force of a rigid constraint in single precision is good to about m * 1e-7 * length /
   h^2: average it over some steps, or build in double. In a mesh that is stiffened (sn_settings.stiffening), limits
   between groups of particles carry most of a load. The force of a rigid pin, or of an
   attachment to something that nothing pushes, includes that. So does the force of a
   rod, or of an attachment of a rope: of all that rods could exert to the same effect it has the least, as if they were
   equally stiff. It is found when the first such force is read after a step, which takes about as long as the step of
   the mesh, and many times that where a sheet hardly sags. Limits can hold what rods as they lie could not (a net that
   hardly sags, a jerk): then rods have the part that they could. What fixed particles hold is exact:
   sn_particle_load. 0 for kinds with a projection of their own (sn_kind.project), such as shape matching: their forces
   are not known. */
SN_API sn_force sn_constraint_force(const sn_world *world, sn_constraint constraint);

/* The force in newtons on the given point of the constraint (0 is the first), in the direction at current positions.
   The forces of an internal kind on its points sum to zero. NaN and an error if the direction does not exist. */
SN_API sn_vec3 sn_constraint_force_on(const sn_world *world, sn_constraint constraint, uint32_t point);

/* The torque in N m that an oriented kind (a joint) exerts on the body of the given point about that point, besides
   the force; 0 for other kinds. NaN and an error as above. */
SN_API sn_vec3 sn_constraint_torque_on(const sn_world *world, sn_constraint constraint, uint32_t point);

/* Writes C at the current positions, one number per row, to value (SN_MAX_ROWS at most). All rows are NaN, with
   SN_OK, if the kind cannot be evaluated there. */
SN_API sn_result sn_constraint_value(const sn_world *world, sn_constraint constraint, sn_real *value);

/* ---- Short forms, rigid; each returns a null handle on failure ------------------------------- */

/* The same as sn_constraints_add for particle numbers. param and material may be NULL: measured, and rigid. */
SN_API sn_constraints sn_constraints_add_kind(sn_world *world, uint32_t kind, uint32_t count, const uint32_t *index,
                                              const sn_real *param, const sn_material *material);

/* A rod: a and b stay rest metres apart. rest may be SN_MEASURE. */
SN_API sn_constraint sn_constraint_add_distance(sn_world *world, sn_point a, sn_point b, sn_real rest);
/* a and b stay at least `least` metres apart, like two balls. */
SN_API sn_constraint sn_constraint_add_distance_min(sn_world *world, sn_point a, sn_point b, sn_real least);
/* a and b stay at most `most` metres apart, like the ends of a rope. */
SN_API sn_constraint sn_constraint_add_distance_max(sn_world *world, sn_point a, sn_point b, sn_real most);
/* The distance of a and b stays between two lengths: a deformation limit. */
SN_API sn_constraint sn_constraint_add_distance_band(sn_world *world, sn_point a, sn_point b, sn_real least,
                                                     sn_real most);
/* The particle stays where it is now. */
SN_API sn_constraint sn_constraint_add_pin(sn_world *world, sn_particle particle);
/* The point stays at target. */
SN_API sn_constraint sn_constraint_add_pin_at(sn_world *world, sn_point point, sn_vec3 target);
/* Two points stay at the same position. */
SN_API sn_constraint sn_constraint_add_attachment(sn_world *world, sn_point a, sn_point b);
/* The point stays on the side of the plane through origin to which normal points. */
SN_API sn_constraint sn_constraint_add_half_space(sn_world *world, sn_point point, sn_vec3 origin, sn_vec3 normal);
/* The point stays inside the box between two corners. */
SN_API sn_constraint sn_constraint_add_box(sn_world *world, sn_point point, sn_vec3 least, sn_vec3 most);
/* Two points keep the same coordinate along axis (any length but 0) and slide freely across it. */
SN_API sn_constraint sn_constraint_add_connector_axis(sn_world *world, sn_point a, sn_point b, sn_vec3 axis);
/* Two points coincide as seen along normal (any length but 0) and slide freely along it. */
SN_API sn_constraint sn_constraint_add_connector_plane(sn_world *world, sn_point a, sn_point b, sn_vec3 normal);
/* The point stays on the line through origin along direction (any length but 0). */
SN_API sn_constraint sn_constraint_add_on_line(sn_world *world, sn_point point, sn_vec3 origin, sn_vec3 direction);
/* The point stays on the circle of that radius about centre, in the plane across normal. radius in metres, or
   SN_MEASURE: its distance from the axis now. In a 2D world the normal is (0, 0, 1). */
SN_API sn_constraint sn_constraint_add_on_circle(sn_world *world, sn_point point, sn_vec3 centre, sn_vec3 normal,
                                                 sn_real radius);
/* The point stays on the sphere of that radius about centre; radius may be SN_MEASURE. A circle in a 2D world. */
SN_API sn_constraint sn_constraint_add_on_sphere(sn_world *world, sn_point point, sn_vec3 centre, sn_real radius);
/* A bead slides along the polyline through count (2 or more) particles, round its corners, and stops at an open end.
   Corners are rounded within a tenth of the segments beside them: at a right angle between segments of length L the
   radius is 0.07 L or more, and the bead passes the corner at a distance of 0.035 L. A corner that turns straight
   back stops the bead. The curve is closed if the last particle is the first one again. Make its particles immovable
   for a fixed wire; movable ones get the reaction. The array is used during the call only. A projection takes time in
   proportion to count. */
SN_API sn_constraint sn_constraint_add_on_polyline(sn_world *world, sn_particle bead, uint32_t count,
                                                   const sn_particle *corners);
/* The same on a smooth curve through all the particles: a uniform Catmull-Rom spline. */
SN_API sn_constraint sn_constraint_add_on_spline(sn_world *world, sn_particle bead, uint32_t count,
                                                 const sn_particle *controls);
/* The point q stays in front of the plane of the triangle, at a distance of at least thickness metres (not negative).
   Seen from the front, a, b, c run counter-clockwise. The plane does not end at the triangle's edges: remove the
   constraint when q leaves the triangle. */
SN_API sn_constraint sn_constraint_add_point_triangle(sn_world *world, sn_point q, sn_point a, sn_point b, sn_point c,
                                                      sn_real thickness);
/* The edges ab and cd stay at least thickness metres apart; thickness may be SN_MEASURE: their current distance. */
SN_API sn_constraint sn_constraint_add_edge_edge(sn_world *world, sn_point a, sn_point b, sn_point c, sn_point d,
                                                 sn_real thickness);

/* A rope from a over pulleys at b and c to d: |a - b| + ratio |c - d| is at most `most` metres, or SN_MEASURE.
   Pulleys are points of the world (sn_at_place) or of anything else. With a ratio other than 1 it is a block and
   tackle. */
SN_API sn_constraint sn_constraint_add_pulley(sn_world *world, sn_point a, sn_point b, sn_point c, sn_point d,
                                              sn_real ratio, sn_real most);

/* count particles (3 or more, each once) stay on one line: count - 2 collinear constraints, each of one particle with
   the same two, which are chosen far apart at current positions. All or none are added. */
SN_API sn_constraints sn_constraints_add_collinear(sn_world *world, uint32_t count, const sn_particle *particles);
/* count particles (4 or more, each once) stay in one plane: count - 3 coplanar constraints, each of one particle with
   the same three, which are chosen to span a large triangle at current positions. Not in a 2D world. All or none are
   added. */
SN_API sn_constraints sn_constraints_add_coplanar(sn_world *world, uint32_t count, const sn_particle *particles);

/* A spring as a force: stiffness in N/m, damping in N s/m along it, rest in m or SN_MEASURE. It is explicit, so it
   must be soft compared with the substep: stiffness * h^2 well below the mass. For a stiff spring use a rod with
   compliance. */
SN_API sn_constraint sn_constraint_add_spring(sn_world *world, sn_point a, sn_point b, sn_real rest, sn_real stiffness,
                                              sn_real damping);

/* The path a, b, c turns by angle at b: 0 is straight, pi (3.1415927) folded back. It may turn in any direction;
   angle may be SN_MEASURE. If the path is exactly straight or folded, but should not be, the engine chooses the plane
   in which it turns. */
SN_API sn_constraint sn_constraint_add_angle(sn_world *world, sn_point a, sn_point b, sn_point c, sn_real angle);
/* The path turns by at least `least`. */
SN_API sn_constraint sn_constraint_add_angle_min(sn_world *world, sn_point a, sn_point b, sn_point c, sn_real least);
/* The path turns by at most `most`. */
SN_API sn_constraint sn_constraint_add_angle_max(sn_world *world, sn_point a, sn_point b, sn_point c, sn_real most);

/* The same with a sign, -pi to pi: seen with axis pointing at you, counter-clockwise is positive, and 0 is straight.
   The axis is a direction fixed in the world, so that these conserve momentum but not angular momentum. In a 2D world
   it is (0, 0, 1). Points that lie along it have no angle about it, and the constraint does nothing. */
SN_API sn_constraint sn_constraint_add_hinge(sn_world *world, sn_point a, sn_point b, sn_point c, sn_vec3 axis,
                                             sn_real angle);
/* The signed angle, -pi to pi, is at least `least`: with 0 an elbow that does not bend backwards. */
SN_API sn_constraint sn_constraint_add_hinge_min(sn_world *world, sn_point a, sn_point b, sn_point c, sn_vec3 axis,
                                                 sn_real least);
/* The signed angle is at most `most`. */
SN_API sn_constraint sn_constraint_add_hinge_max(sn_world *world, sn_point a, sn_point b, sn_point c, sn_vec3 axis,
                                                 sn_real most);
/* The signed angle stays between two limits. A joint that folded over (190 degrees reads as -170) returns to the
   nearer limit. The two calls above cannot do that, since each knows only its own limit. */
SN_API sn_constraint sn_constraint_add_hinge_band(sn_world *world, sn_point a, sn_point b, sn_point c, sn_vec3 axis,
                                                  sn_real least, sn_real most);
/* The angle about the axis from d to e, which moves along with those points, stays between two limits. No particle
   may be used twice; use a barycentric point instead. */
SN_API sn_constraint sn_constraint_add_hinge_points(sn_world *world, sn_point a, sn_point b, sn_point c, sn_point d,
                                                    sn_point e, sn_real least, sn_real most);

/* Bending of two triangles a, c, d and b, d, c about their shared edge cd: a and b are the corners opposite to it.
   They stay folded by rest, -pi to pi or SN_MEASURE; 0 is flat. */
SN_API sn_constraint sn_constraint_add_dihedral(sn_world *world, sn_point a, sn_point b, sn_point c, sn_point d,
                                                sn_real rest);
/* Isometric bending of the same two triangles: their rest shape is flat. Cheaper, linear, and as good for cloth that
   hardly stretches. Compliance is in 1/(N m). A mesh that is rolled to a cylinder has the energy of a plate of
   stiffness D = 3 / compliance, at any resolution. A strip with free edges may be softer, since squares also fold
   along their diagonals. If these alternate from row to row, or from column to column, the strip converges to an
   elastica of stiffness D, at first order. If all run one way, or like a chequerboard, it is 20 % softer. A heavy
   strip then hangs 3.3 degrees lower than the elastica's 20; docs/constraints.md has the figures. */
SN_API sn_constraint sn_constraint_add_bending(sn_world *world, sn_point a, sn_point b, sn_point c, sn_point d);
/* A triangle keeps its area, rest in m^2 or SN_MEASURE. */
SN_API sn_constraint sn_constraint_add_area(sn_world *world, sn_point a, sn_point b, sn_point c, sn_real rest);
/* A tetrahedron keeps its volume, rest in m^3 or SN_MEASURE; positive if a, b, c run counter-clockwise seen from
   d. */
SN_API sn_constraint sn_constraint_add_volume(sn_world *world, sn_point a, sn_point b, sn_point c, sn_point d,
                                              sn_real rest);

/* A closed surface keeps pressure times the volume rest, in m^3 or SN_MEASURE. kind is SN_KIND_SURFACE_VOLUME, or the
   simpler SN_KIND_SURFACE_SCALING. index holds the particle numbers of the corners of count triangles, three each,
   counter-clockwise seen from outside. Refused, naming the edge: a surface with a hole, or one whose triangles do not
   all face outwards. */
SN_API sn_constraint sn_constraint_add_surface(sn_world *world, uint32_t kind, uint32_t count, const uint32_t *index,
                                               sn_real rest, sn_real pressure);

/* Shape matching. count particles (2 or more, each once; index holds their numbers) keep the shape they have now.
   kind is SN_KIND_SHAPE_MATCH: as one rigid body; SN_KIND_SHAPE_MATCH_LINEAR: it may be stretched and sheared;
   SN_KIND_SHAPE_MATCH_QUADRATIC: also bent and twisted. stiffness is the classic k: 1 is rigid, a soft body has less.
   Masses are weights, and immovable particles hold the shape. No pass changes momentum or angular momentum. But as
   under every projection, rotation slows down by a share of (angular speed * h)^2 per substep. sn_constraint_add also
   sets another rest shape (point_param), beta, and plasticity by yield, creep and limit. Needs SN_SOLVER_TILED or
   SN_SOLVER_GAUSS_SEIDEL. */
SN_API sn_constraint sn_constraint_add_shape_match(sn_world *world, uint32_t kind, uint32_t count,
                                                   const uint32_t *index, sn_real stiffness);
/* All particles that are in the group at the time of the call move as one rigid body. */
SN_API sn_constraint sn_constraint_add_rigid_group(sn_world *world, uint32_t group);
/* A soft body of overlapping clusters: count particles in boxes of `size` metres or a little less. Each box overlaps
   the next by half, so a particle inside is in eight of them. def has the kind, one of the three above, and the
   common parameters: stiffness, beta, yield and so on; its points are not used. Larger boxes make it stiffer; three
   times the distance between particles is a good size. Refused if overlapping boxes do not join all particles: the
   error says what size would. All or none are added. */
SN_API sn_constraints sn_constraints_add_clusters(sn_world *world, const sn_constraint_def *def, uint32_t count,
                                                  const uint32_t *index, sn_real size);

#ifdef __cplusplus
}
#endif
#endif
