/* Passes over the plan. */
#ifndef SN_SOLVERS_TILED_H
#define SN_SOLVERS_TILED_H

#include "base/dvec.h"
#include "integrators/integrator.h"
#include "solvers/plan.h"

/* A pass. The frame is that of the solver's input: x and d of all particles, by slot. They are x and x_low of the
   motion. */
typedef struct sn_tiled {
    const sn_solver_in *in;
    const sn_wide *wide; /* NULL: constraints are projected one by one, and each result is checked */
    const sn_motion_table *table;
    const sn_motion *motion;
    uint32_t pass; /* of the substep, from 0 */
    /* All multipliers are read after the substep. Those that further passes need are kept in any case. */
    bool keep_lambda;
    /* Multipliers are written by lane of the plan. sn_tiled_collect_lambda moves them to their pools after the step. */
    bool by_lane;
    bool drops_trees; /* multipliers of trees are read neither after the substep nor in it */
    bool again;       /* there may be more than one pass */
    bool preloads;    /* the first pass is one of preloads: see preload.h */
    bool measures;    /* the largest correction is measured */
    /* In the first pass, tiles of the first layer predict their particles before they are solved. */
    bool predicts;
    /* Between passes only constraints read particles. So tiles that allow it lag: they settle in the next pass. Tiles
       of planes also stay in planes. sn_tiled_leave ends this. */
    bool resident;
    bool enters;   /* the first pass of resident tiles */
    bool stiffens; /* limits of stiff meshes act: see hierarchy.h */
    /* Not 0: this is one of `inner` substeps that some closed surfaces take in place of this one, and only these
       surfaces are solved. See tiled_closed.c. */
    uint32_t inner;
} sn_tiled;

/* Whether this is the pass of preloads; whether this is the first pass that solves constraints. */
static inline bool tiled_loads(const sn_tiled *t)
{
    return t->preloads && t->pass == 0;
}

static inline bool tiled_starts(const sn_tiled *t)
{
    return t->pass == t->preloads;
}

/* Whether a pass skips a tile or constraint that has `finer` substeps of its own; 0: it has none. */
static inline bool tiled_skips(const sn_tiled *t, uint32_t finer)
{
    return t->inner ? finer != t->inner : finer && (tiled_loads(t) || tiled_starts(t));
}

/* Other influences on particles in a step. The columns are by slot; NULL: there are none. */
typedef struct sn_tiled_others {
    const uint32_t *target;   /* not 0: the particle has a kinematic target */
    const uint32_t *body;     /* not 0: it is the centre of a body */
    const sn_vec3 *pushed;    /* N: the force of the user on it */
    const sn_vec4 *v, *v_low; /* m/s: of all particles */
    /* Called once for all particles; for those of a tile by the thread that will run the tile. May be NULL. */
    sn_piece_fn *keep;
    void *world; /* the first argument of keep */
} sn_tiled_others;

/* The number of trees that the last step solved directly, and of constraints in them. Both are 0 where the plan has no
   trees. */
void sn_tiled_count_trees(const sn_solver_scratch *scratch, const sn_plan *plan, uint32_t *trees,
                          uint32_t *constraints);

/* The directly solved trees, after a step has begun; NULL: there are none. */
const struct sn_forest *sn_tiled_forest(const sn_solver_scratch *scratch);

/* Before the first substep of a step: finds the distance of each tile from the origin, and whether one of its particles
   is in `others`. False if tasks were lost; even then `keep` was called for all particles. */
bool sn_tiled_begin(const sn_solver_in *in, const sn_tiled_others *others);

/* After sn_tiled_begin: whether any constraint has a preload. */
bool sn_tiled_preloads(const sn_solver_in *in);

/* The same: whether constraints of a particle may have preloads. */
bool sn_tiled_preloads_at(const sn_solver_scratch *scratch, const sn_plan *plan, uint32_t slot);

/* Makes one pass. out receives faults and lost tasks. *largest, m, is raised to the largest correction. False if a
   projection or the motion of a tile is not finite, or if tasks were lost. */
bool sn_tiled_pass(const sn_tiled *t, sn_solver_out *out, sn_real *largest);

/* Between two passes, or after the last one: tiles that lag settle and leave their planes. The next pass has to enter
   them again. False if tasks were lost. *sound is false if settling found something that is not finite. */
bool sn_tiled_leave(const sn_tiled *t, bool *sound);

/* Whether it is expensive to write the multipliers of batches to their pools, where they are scattered. It is, if
   several passes read and write them, or if threads write to shared cache lines. Multipliers of planes are in the order
   of the pools. */
bool sn_tiled_scatters(const sn_solver_in *in);

/* After the last pass of a step: see by_lane. False if tasks were lost. */
bool sn_tiled_collect_lambda(const sn_tiled *t);

/* After the last pass of a substep, with by_lane: updates the largest forces of the watched runs. */
void sn_tiled_watch(const sn_tiled *t);

/* The largest force and torque of a constraint in a batch in the watched substeps, in N and N m times h^2. */
void sn_tiled_exerted(const sn_solver_in *in, uint32_t kind, uint32_t row, float *force, float *torque);

/* The limits of stiff meshes, with what the last step noted of their forces; NULL: nothing is known. */
const struct sn_hierarchy *sn_tiled_noted(const sn_solver_scratch *scratch, const sn_plan *plan);

/* Before a step: what is known of the forces of the last one is out of date. */
void sn_tiled_forget_forces(const sn_solver_scratch *scratch);

/* What hinges of plates exerted on the particle that a pin, or an attachment to something fixed, holds rigidly: along an
   axis, times h^2, as it adds to the multiplier. It is not in the multiplier itself, since preloads follow that. */
double sn_tiled_held_load(const sn_solver_scratch *scratch, const sn_plan *plan, const sn_store *store, uint32_t kind,
                          uint32_t row, const uint32_t *slot, uint32_t axis);

/* The directions of forces in the last step, where they are not the gradients at the present positions. Before a
   constraint is evaluated at x: changes x; and after that: changes the gradients by the points. slot: by the number of a
   particle. */
void sn_tiled_place_points(const sn_solver_scratch *scratch, const sn_plan *plan, const sn_store *store, uint32_t kind,
                           uint32_t row, const uint32_t *slot, sn_vec3 *x);
void sn_tiled_direct(const sn_solver_scratch *scratch, const sn_plan *plan, uint32_t kind, uint32_t row,
                     sn_vec3 *gradient);

/* tiled_spin.c: whether a closed surface hung on this immovable particle alone in the last step, and the impulse that it
   exerted on the surface in the last substep, kg m/s. */
bool sn_tiled_pulled(const sn_solver_scratch *scratch, const sn_plan *plan, uint32_t slot, sn_dvec3 *impulse);

/* Writes which meshes were stiffened in the last step, and which were not. */
void sn_tiled_tell_meshes(const sn_solver_scratch *scratch, char *text, size_t size);

#endif
