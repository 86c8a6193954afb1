/* Passes over the plan. */
#ifndef SN_SOLVERS_TILED_H
#define SN_SOLVERS_TILED_H

#include "integrators/integrator.h"
#include "solvers/plan.h"

/* A pass. The frame is that of the solver's input: x and d of all particles, by slot, which are x and x_low of the motion. */
typedef struct sn_tiled {
    const sn_solver_in *in;
    const sn_wide *wide; /* NULL: constraints are projected one by one, and each result is looked at */
    const sn_motion_table *table;
    const sn_motion *motion;
    uint32_t pass; /* of the substep, from 0 */
    bool
        keep_lambda; /* all multipliers will be read after the substep; those that further passes need are kept anyway */
    bool
        by_lane; /* they are written by lane of the plan; sn_tiled_collect_lambda brings them to their pools after the step */
    bool drops_trees; /* multipliers of trees are read neither after the substep nor in it */
    bool again;       /* there may be more than one pass */
    bool preloads;    /* the first pass is one of preloads: see preload.h */
    bool measures;    /* the largest correction is wanted */
    bool predicts;    /* in the first pass, tiles of the first layer predict their particles before they are solved */
    bool
        resident; /* nothing but constraints looks at particles between passes: tiles that this is true of lag, which means
                        that they settle in the next pass, and those of planes stay in planes. sn_tiled_leave ends that. */
    bool enters;   /* this is the first pass of it */
    bool stiffens; /* limits of stiff meshes act: see hierarchy.h */
    uint32_t
        inner; /* not 0: one of so many substeps that some closed surfaces take in the place of this one. These alone are
                       solved; see tiled_closed.c */
} sn_tiled;

/* Whether this is the pass of preloads, and whether it is the first one that solves constraints. */
static inline bool tiled_loads(const sn_tiled *t)
{
    return t->preloads && t->pass == 0;
}

static inline bool tiled_starts(const sn_tiled *t)
{
    return t->pass == t->preloads;
}

/* Whether a pass leaves out what has so many substeps of its own; 0: none. */
static inline bool tiled_skips(const sn_tiled *t, uint32_t finer)
{
    return t->inner ? finer != t->inner : finer && (tiled_loads(t) || tiled_starts(t));
}

/* What besides constraints has to do with particles in a step; columns by slot, NULL: nothing of the kind. */
typedef struct sn_tiled_others {
    const uint32_t *target;   /* not 0: the particle has a kinematic target */
    const uint32_t *body;     /* not 0: it is the centre of a body */
    const sn_vec3 *pushed;    /* N: the user's force on it */
    const sn_vec4 *v, *v_low; /* m/s: of all particles */
    sn_piece_fn *keep; /* is called once for all particles, those of a tile by the thread that will run it; or NULL */
    void *world;       /* for that */
} sn_tiled_others;

/* The trees that the last step solved directly, and constraints in them; 0 and 0 where the plan has none. */
void sn_tiled_count_trees(const sn_solver_scratch *scratch, const sn_plan *plan, uint32_t *trees,
                          uint32_t *constraints);

/* These trees, once a step has begun; NULL: there are none. */
const struct sn_forest *sn_tiled_forest(const sn_solver_scratch *scratch);

/* Before the first substep of a step: looks how far from the origin each tile is, and whether one of its particles is among
   the others'. False if tasks were lost; then, too, everything was kept. */
bool sn_tiled_begin(const sn_solver_in *in, const sn_tiled_others *others);

/* After that: whether there are constraints with preloads. */
bool sn_tiled_preloads(const sn_solver_in *in);

/* Makes one. out gathers faults and lost tasks; *largest, m, the farthest that something was moved. False if a projection was
   not finite, or a tile's motion, or if tasks were lost. */
bool sn_tiled_pass(const sn_tiled *t, sn_solver_out *out, sn_real *largest);

/* Between two passes, or after the last: tiles that lag settle and leave their planes, and the next pass has to enter them. False if
   tasks were lost; *sound: settle found nothing wrong. */
bool sn_tiled_leave(const sn_tiled *t, bool *sound);

/* Whether it costs much to have multipliers in the pools, where those of a batch are scattered: several passes read and write them, or threads
   write into lines of memory that others write, too. Those of planes are in the order of the pools. */
bool sn_tiled_scatters(const sn_solver_in *in);

/* After the last pass of a step: see by_lane. False if tasks were lost. */
bool sn_tiled_collect_lambda(const sn_tiled *t);

/* After the last pass of a substep, with by_lane: notes what the runs that are watched exerted. */
void sn_tiled_watch(const sn_tiled *t);

/* The most that a constraint in a batch exerted in the substeps that were watched, N and N m times h^2. */
void sn_tiled_exerted(const sn_solver_in *in, uint32_t kind, uint32_t row, float *force, float *torque);

/* Which meshes were stiffened in the last step, and which not, in words. */
void sn_tiled_tell_meshes(const sn_solver_scratch *scratch, char *text, size_t size);

#endif
