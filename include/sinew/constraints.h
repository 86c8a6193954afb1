/* Constraints: what holds particles together.

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

/* ---- Points ----------------------------------------------------------------------------------------------------- */

/* What a constraint acts on: a particle, or a spot fixed inside a triangle or tetrahedron of particles by weights. A
   force on a spot is shared by its particles, so the reaction flows both ways. */
typedef struct sn_point {
    sn_particle particle[4];
    sn_real weight[4];
    uint32_t count; /* 1, 3 or 4 */
} sn_point;

/* A particle as a point. */
SN_API sn_point sn_at(sn_particle particle);

/* The spot u a + v b + w c. The weights must be finite and sum to 1 (within 1e-3; the remainder is spread). Bad ones
   are refused when the point is used. */
SN_API sn_point sn_on_triangle(sn_particle a, sn_particle b, sn_particle c, sn_real u, sn_real v, sn_real w);

/* The spot t a + u b + v c + w d. */
SN_API sn_point sn_in_tetrahedron(sn_particle a, sn_particle b, sn_particle c, sn_particle d, sn_real t, sn_real u,
                                  sn_real v, sn_real w);

/* Where a point is now, in metres; NaN and an error if one of its particles is gone. */
SN_API sn_vec3 sn_point_position(const sn_world *world, sn_point point);

/* ---- Kinds ------------------------------------------------------------------------------------------------------ */

#define SN_MAX_POINTS 8  /* points of one constraint */
#define SN_MAX_ROWS   6  /* scalar equations of one constraint, solved together */
#define SN_MAX_PARAMS 16 /* numbers that describe one constraint; a vector is three */

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
    SN_PARAM_DIRECTION, /* three numbers: a unit vector; what you pass is normalised, zero is refused */
    SN_PARAM_POSITION   /* three numbers: a place in the world; moves with sn_world_shift_origin */
} sn_param_type;

typedef struct sn_param {
    const char *name; /* NULL ends the list */
    const char *unit; /* "m", "rad", "1" */
    sn_param_type type;
    bool has_default; /* SN_MEASURE falls back to default_value where the kind cannot measure */
    sn_real default_value;
    sn_real least, most; /* allowed range of each number; both 0: any finite one */
} sn_param;

/* What an evaluation sees. */
typedef struct sn_eval_in {
    const sn_vec3 *x;     /* positions of the points, in m */
    const sn_real *param; /* the numbers in the order of the kind's list, vectors as three */
    uint32_t points;
    void *context; /* of the kind */
} sn_eval_in;

/* What it writes. Both arrays are zeroed beforehand. */
typedef struct sn_eval_out {
    sn_real *c;        /* c[row] */
    sn_vec3 *gradient; /* gradient[row * points + point], the derivative of c[row] by the position of point */
} sn_eval_out;

/* Computes C and its gradient; returns false where the gradient does not exist (two points in one place), and the
   constraint then rests for that pass. Must be a function of its input alone. */
typedef bool sn_eval_fn(const sn_eval_in *in, const sn_eval_out *out);

/* Writes the parameters that would satisfy the constraint in the present positions; only those that the caller left at
   SN_MEASURE are used. */
typedef void sn_measure_fn(const sn_eval_in *in, sn_real *param);

/* Looks at parameters that are each in range; returns NULL or what is wrong with them together ("least exceeds most"). */
typedef const char *sn_check_fn(const sn_real *param);

typedef struct sn_kind {
    const char *name;    /* the name in scenes and messages: lower case letters, digits and '_' */
    const char *about;   /* one sentence for the documentation; may be NULL */
    const char *formula; /* C in plain text; may be NULL */
    const char *unit;    /* the unit of C, "m" or "rad"; compliance is then unit / N; may be NULL, meaning "m" */
    uint32_t points;     /* 1 to SN_MAX_POINTS */
    uint32_t rows;       /* 1 to SN_MAX_ROWS */
    uint32_t inequality; /* bit r set: row r means C >= 0 instead of C = 0 */
    bool internal;       /* C depends on differences of positions only, so the constraint conserves momentum. The
                            positions in sn_eval_in are then relative to a nearby origin, which keeps them precise */
    bool spatial;        /* makes sense in three dimensions only: refused in a 2D world */
    sn_param param[SN_MAX_PARAMS + 1];
    sn_eval_fn *eval;
    sn_measure_fn *measure; /* may be NULL */
    sn_check_fn *check;     /* may be NULL */
    void *context;          /* passed to eval and measure */
} sn_kind;

/* Makes a kind of your own known to the world, for every solver, snapshot and report. The struct and its strings are
   copied; context and functions must outlive the world. Returns its number, or 0 on failure (a name that is taken, a
   count out of range, no eval). */
SN_API uint32_t sn_register_kind(sn_world *world, const sn_kind *kind);

/* Numbers 1 .. sn_kind_count(world) - 1 are kinds. With world NULL: the built-in ones. */
SN_API uint32_t sn_kind_count(const sn_world *world);

/* The description of a kind; NULL if there is none of this number. Lives as long as the world (built-in: for ever). */
SN_API const sn_kind *sn_kind_info(const sn_world *world, uint32_t kind);

/* The number of the kind of this name; 0 if there is none. */
SN_API uint32_t sn_kind_find(const sn_world *world, const char *name);

/* The number of sn_real parameters of a kind, vectors counted as three; 0 for NULL. */
SN_API uint32_t sn_kind_param_count(const sn_kind *kind);

/* ---- Constraints ------------------------------------------------------------------------------------------------ */

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

/* How a constraint gives. Zero is rigid and undamped. */
typedef struct sn_material {
    sn_real compliance; /* inverse stiffness, in the unit of C per newton (m/N; for angles rad/(N m)); not negative */
    sn_real damping;    /* resists the change of C, in N s per unit of C; acts where compliance > 0; not negative */
} sn_material;

/* The compliance of a spring of so many newtons per metre: 1 / stiffness. NaN, which every call refuses, unless
   stiffness is positive. */
static inline sn_real sn_compliance(sn_real stiffness)
{
    return stiffness > 0 ? 1 / stiffness : (sn_real)NAN;
}

typedef struct sn_constraint_def {
    uint32_t kind;
    const sn_point *points;       /* as many as the kind has; used during the call only */
    sn_real param[SN_MAX_PARAMS]; /* in the order of the kind's list; SN_MEASURE each by default */
    sn_real compliance;           /* see sn_material; default 0 */
    sn_real damping;              /* default 0 */
    sn_real stiffness; /* the lectures' k in [0, 1]: the share of a projection that is applied; default 1. Its effect
                           depends on the number of passes (see correct_stiffness); compliance is the better tool */
} sn_constraint_def;

/* A rigid constraint of that kind with everything measured. The points are still to be set. */
SN_API sn_constraint_def sn_default_constraint_def(uint32_t kind);

/* Adds a constraint, which comes last in the order of the solver. Refused: a stale particle, a particle that serves as
   two points by itself, a parameter out of its range, non-finite numbers, a spatial kind in a 2D world. On failure *constraint (may be NULL) is null. */
SN_API sn_result sn_constraint_add(sn_world *world, const sn_constraint_def *def, sn_constraint *constraint);

/* Adds count constraints that share def's compliance, damping and stiffness. index holds the numbers of
   count * points particles. param holds the parameters of each constraint one after the other, or is NULL, and def's are
   used for all. def->points is not looked at. All or none are added; run may be NULL. */
SN_API sn_result sn_constraints_add(sn_world *world, const sn_constraint_def *def, uint32_t count,
                                    const uint32_t *index, const sn_real *param, sn_constraints *run);

/* Replaces points, parameters and material, keeping handle and place in the order. The kind must be the same. */
SN_API sn_result sn_constraint_change(sn_world *world, sn_constraint constraint, const sn_constraint_def *def);

/* Reads a constraint back, in a form that sn_constraint_add takes. points receives SN_MAX_POINTS items at most and
   def->points is set to it. */
SN_API sn_result sn_constraint_read(const sn_world *world, sn_constraint constraint, sn_constraint_def *def,
                                    sn_point *points);

SN_API sn_result sn_constraint_remove(sn_world *world, sn_constraint constraint);

/* Whether the handle is alive. Never an error. */
SN_API bool sn_constraint_is_valid(const sn_world *world, sn_constraint constraint);

/* How many constraints are alive: of one kind, or of all with SN_KIND_NONE. 0 for NULL or an unknown kind. */
SN_API uint32_t sn_world_constraint_count(const sn_world *world, uint32_t kind);

/* Sets one parameter by name, "rest" or "normal": one number or three. SN_MEASURE measures anew. */
SN_API sn_result sn_constraint_set_param(sn_world *world, sn_constraint constraint, const char *name,
                                         const sn_real *value);
SN_API sn_result sn_constraint_set_material(sn_world *world, sn_constraint constraint, sn_material material);
/* The lectures' k, 0 to 1. */
SN_API sn_result sn_constraint_set_stiffness(sn_world *world, sn_constraint constraint, sn_real stiffness);

/* What a constraint exerted in the last substep: lambda / h^2. */
typedef struct sn_force {
    sn_real magnitude;        /* of all rows together; newtons where the gradient has length 1 (N m for angles) */
    sn_real row[SN_MAX_ROWS]; /* by row; positive pushes C up. A stretched rod pulls with a negative one */
    uint32_t rows;
} sn_force;

/* NaN and an error if the handle is stale; 0 before the first step. */
SN_API sn_force sn_constraint_force(const sn_world *world, sn_constraint constraint);

/* The force in newtons on the given point of the constraint (0 is the first), its direction as positions are now. The
   forces of an internal kind on its points sum to zero. */
SN_API sn_vec3 sn_constraint_force_on(const sn_world *world, sn_constraint constraint, uint32_t point);

/* C as positions are now, one number per row, to value (SN_MAX_ROWS at most). All rows are NaN, with SN_OK, where the
   kind cannot be evaluated. */
SN_API sn_result sn_constraint_value(const sn_world *world, sn_constraint constraint, sn_real *value);

/* ---- Short forms, rigid; each returns a null handle on failure ------------------------------------------------------ */

/* The same as sn_constraints_add for particle numbers. param and material may be NULL: measured, and rigid. */
SN_API sn_constraints sn_add_constraints(sn_world *world, uint32_t kind, uint32_t count, const uint32_t *index,
                                         const sn_real *param, const sn_material *material);

/* A rod: a and b stay rest metres apart. rest may be SN_MEASURE. */
SN_API sn_constraint sn_add_distance(sn_world *world, sn_point a, sn_point b, sn_real rest);
/* At least so far apart, as two touching balls. */
SN_API sn_constraint sn_add_distance_min(sn_world *world, sn_point a, sn_point b, sn_real least);
/* At most so far apart, as by a rope. */
SN_API sn_constraint sn_add_distance_max(sn_world *world, sn_point a, sn_point b, sn_real most);
/* Between two lengths: a deformation limit. */
SN_API sn_constraint sn_add_distance_band(sn_world *world, sn_point a, sn_point b, sn_real least, sn_real most);
/* The particle stays where it is now. */
SN_API sn_constraint sn_add_pin(sn_world *world, sn_particle particle);
/* The point stays at target. */
SN_API sn_constraint sn_add_pin_at(sn_world *world, sn_point point, sn_vec3 target);
/* Two points stay in one place. */
SN_API sn_constraint sn_add_attachment(sn_world *world, sn_point a, sn_point b);
/* The point stays on the side of the plane through origin to which normal points. */
SN_API sn_constraint sn_add_half_space(sn_world *world, sn_point point, sn_vec3 origin, sn_vec3 normal);
/* The point stays inside the box between two corners. */
SN_API sn_constraint sn_add_box(sn_world *world, sn_point point, sn_vec3 least, sn_vec3 most);

#ifdef __cplusplus
}
#endif
#endif
