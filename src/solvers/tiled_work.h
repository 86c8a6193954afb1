/* What the files of SN_SOLVER_TILED share. */
#ifndef SN_SOLVERS_TILED_WORK_H
#define SN_SOLVERS_TILED_WORK_H

#include "base/dvec.h"
#include "solvers/direct.h"
#include "solvers/hierarchy.h"
#include "solvers/plan_work.h"
#include "solvers/plates.h"
#include "solvers/preload.h"
#include "solvers/solids.h"
#include "solvers/tiled.h"

#include <stdatomic.h>

#define PLANE_MARGIN SN_BATCH /* floats before the first row and behind the last that lanes may reach */
#define LANES        SN_BATCH

#define FARTHEST_COARSE  16.0f /* m, by coordinate: see "How places are rounded" in tiled.c */
#define WORK_OF_PARTICLE 4.0   /* ns, about: to know whether sharing pays */

/* What passes keep between steps. */
typedef struct tiled {
    sn_table plane_table; /* of float: for each worker, the planes of one tile; and its start_plane, where asked for */
    uint32_t workers;
    size_t each;           /* floats of a worker */
    sn_table result_table; /* of tile_result, for each tile */
    sn_table state_table;  /* of tile_state, by tile: see sn_tiled_begin */
    bool any_watched;      /* of these */
    bool any_preloads;     /* of these */
    bool marked;           /* still tiles had a pass in this step: where they started is known */

    /* Of one plan: */
    uint64_t serial;         /* 0: of none */
    bool starts;             /* there are rows for where substeps start */
    sn_table home_table;     /* of tile_home, for each tile of the first layer */
    sn_table copied_table;   /* of bool, for each tile: see sn_plan_is_copied */
    uint32_t most_copied;    /* particles of one of those */
    sn_table touched_table;  /* of uint8_t, by slot: which constraints besides those of its tile have to do with it */
    sn_table rest_table;     /* of uint32_t: slots of particles that constraints outside of layers move, ascending */
    sn_table exchange_table; /* of exchange, for all tiles */
    bool any_shared;         /* tiles */

    sn_table resident_table; /* of float: planes of tiles that stay in them, */
    sn_table past_table;     /*   and what BDF2 remembers of these, */
    uint64_t past_floats;    /*   which are so many */

    sn_table mark_table;      /* of sn_vec4: for constraints outside of layers */
    sn_table rest_mark_table; /* of sn_vec4, by rest: of those that are in planes */
    sn_table spin_table;      /* of sn_dvec3, by free surface of the plan: its angular momentum before a pass */
    sn_table mixed_table;     /* of sn_vec4, by place in the plan's list: see pass_seam */
    sn_table copy_table;      /* of sn_vec4: for each worker, twice as many as the largest copied tile has particles */

    sn_forest forest; /* of the constraints that the plan leaves to it, */
    sn_loops loops;   /*   and what is no tree */

    sn_table lambda_table;  /* of float, by lane of the plan: see LAMBDA_COLUMNS */
    uint64_t lambda_serial; /* of the plan for which constraints were watched last */

    sn_hierarchy hierarchy;
    sn_solids solids;
    bool any_solids; /* act in this step */
    sn_plates plates;

    /* Closed surfaces: see tiled_closed.c. */
    uint64_t closed_serial; /* of the plan; 0: of none */
    bool any_fit;           /* tiles */
    sn_table
        fit_table; /* of bool, by tile: that of the first one of a body tells whether the body may have substeps of its own */
    sn_table closed_table; /* of uint32_t: tiles of bodies that have, in this step, by how many of them, ascending; */
    uint32_t closed_first[SN_CLOSED_FINEST + 2]; /*   where those with so many begin */
    bool any_closed;                             /* there are some */
    sn_table volume_table;                       /* of uint8_t, by place in plan.many: of a volume, tile_state.finer */
    sn_table start_table; /* of sn_vec4, by slot: sn_motion.start and start_low, see swap_starts */
} tiled;

/* TOUCHED_OUT: of a tile in planes, its place is exchanged. */
enum { TOUCHED_LATER = 1, TOUCHED_REST = 2, TOUCHED_OUT = 4 };

/* The columns of lambda_table: multipliers (see sn_tiled.by_lane); what is exerted in a substep, times h^2, where that is more than one
   multiplier; and the most of it in the substeps so far. */
enum { LAMBDA, LAMBDA_FORCE, LAMBDA_TORQUE, LAMBDA_MOST_FORCE, LAMBDA_MOST_TORQUE, LAMBDA_COLUMNS };

#define NO_ROWS SIZE_MAX

/* A tile of the first layer. */
typedef struct tile_home {
    bool shared; /* constraints besides its own move some of its particles */
    /* planes: */
    size_t plane;                 /* where its rows of places start, */
    size_t side;                  /*   those of velocities, */
    size_t past;                  /*   those of the past, in a table of their own, */
    size_t start;                 /*   and those of where a substep starts; NO_ROWS: nothing asks for that */
    uint32_t exchange, exchanges; /* particles that later layers move, */
    uint32_t wholes;              /*   behind which come those that constraints outside of layers move */
} tile_home;

/* Particles that others move: where they are in both forms. */
typedef struct exchange {
    uint32_t slot;
    uint32_t row, lane;
    uint32_t rows; /* 0: one particle; otherwise so many rows, all lanes */
    uint32_t rest; /* of those outside of layers, which one it is */
} exchange;

/* What is looked at once a step. */
typedef struct tile_state {
    float reach;             /* m: the largest coordinate, of large tiles; of later layers, that of the body */
    float farthest, nearest; /* m: of the first tile of a body, the most and the least that its tiles reach */
    bool held;               /* one of its particles, or of its body, is immovable */
    bool mixed;              /* later layers: reach is too far, but some of the body's tiles are near */
    bool watched;            /* one of its particles is the centre of a body: others use it between passes */
    bool led;                /* one of them has a target */
    bool pushed;             /* one of them has a force from the user */
    bool asks;               /* a constraint asks where one of them was when the substep started */
    float preload_most;      /* see preload.h; 0: it has no preloads */
    bool stiff;              /* of the first tile of a body: limits hold it */
    bool soft;               /* of the first tile of a body: it has a solid or sheet with a lattice (solids.h), */
    bool solid;              /*   and preloads are left to that */
    bool bends;              /* of the first tile of a body: hinges of it are solved at once (plates.h) */
    uint8_t finer;           /* substeps of its own that its body takes in the place of one (tiled_closed.c); 0: none */
    bool unfit;              /*   of the first tile of a body: it must not, */
    float theta;             /*   see there */
    uint32_t rods, particles; /*   and how many it has, where preloads are asked for */
    bool still; /* it has no constraint, and none of its particles moves in the step: those that sleep, or are fixed */
} tile_state;

/* How a tile went. */
typedef struct tile_result {
    sn_real largest;
    uint32_t fault_kind, fault_row;
    bool good;
} tile_result;

/* One layer on its way. */
typedef struct layer {
    const sn_tiled *t;
    const tiled *scratch;
    const sn_plan *plan;
    uint32_t first;       /* of its tiles */
    const uint32_t *list; /* only these tiles are run; NULL: all */
    bool is_first;        /* layer */
    bool opens;           /* tiles of stiff meshes are predicted, and wait there: see run_opening */
    atomic_bool failed;
} layer;

/* Floats of so many rows. */
static inline size_t plane_floats(uint32_t rows)
{
    return (size_t)rows * SN_ROW + 2 * PLANE_MARGIN;
}

/* Particles of a tile of planes in rows of which every lane has one: the last lane may be shorter than the others. */
static inline uint32_t in_full_rows(const sn_tile *tile)
{
    return (tile->count - (LANES - 1) * tile->rows) * LANES;
}

/* The particles of a tile of planes, in the order of storage: the row and the lane of each. */
static inline uint32_t place_in_rows(const sn_tile *tile, uint32_t i, uint32_t *lane)
{
    uint32_t full = in_full_rows(tile), beyond = i - full;
    *lane = i < full ? i % LANES : beyond % (LANES - 1);
    return i < full ? i / LANES : full / LANES + beyond / (LANES - 1);
}

static inline void put3(float *to, sn_vec4 a)
{
    to[0] = (float)a.x;
    to[LANES] = (float)a.y;
    to[2 * LANES] = (float)a.z;
}

static inline void get3(sn_vec4 *to, const float *from)
{
    to->x = (sn_real)from[0];
    to->y = (sn_real)from[LANES];
    to->z = (sn_real)from[2 * LANES];
}

/* ---- tiled_lambda.c: multipliers of batches --------------------------------------------------------------------------------- */

bool sn_lambda_reserve(tiled *t, const sn_allocator *allocator, const sn_solver_in *in);

/* Whether the multipliers of a run are kept: for further passes, if what they make depends on them; or for what reads them. */
bool sn_lambda_is_kept(const sn_tiled *t, const sn_plan_run *run);

/* Where a run writes them, and what it exerts. */
void sn_lambda_place(const sn_tiled *t, const sn_plan_run *run, sn_wide_run *wide);

/* Nothing has been exerted in this step. */
void sn_lambda_watch_anew(tiled *t, const sn_plan *plan);

/* ---- resident.c: tiles that stay in planes ---------------------------------------------------------------------------------- */

/* The rows of a tile: places, velocities, marks; the past, and where the substep started; NULL: none. */
typedef struct planes {
    float *plane, *side, *mark, *back, *start;
} planes;

/* Finds out what others have to do with each tile of a plan; does nothing if that is known. False when memory runs out. */
bool sn_resident_reserve(tiled *t, const sn_allocator *allocator, const sn_solver_in *in);

/* In which the rows of marks are where the marks of a tile in storage would be. */
planes sn_resident_planes(const layer *l, uint32_t index);
void sn_resident_enter(const layer *l, const sn_tile *tile, const sn_motion *motion, planes p);
void sn_resident_leave(const layer *l, const sn_tile *tile, const sn_motion *motion, planes p);

/* Pulls those that have targets, which moved in storage before the substep. */
void sn_resident_pull_led(const layer *l, const sn_tile *tile, const sn_motion *motion, planes p);

/* Exchanges the particles that others move: pulling before a pass over the tile, pushing after it. */
void sn_resident_pull(const layer *l, uint32_t index, const sn_motion *motion, planes p);
void sn_resident_push(const layer *l, uint32_t index, const sn_motion *motion, planes p);

/* Pushes where they were when the substep started. */
void sn_resident_push_start(const layer *l, uint32_t index, const sn_motion *motion);

/* Marks where they are, for a further pass. */
void sn_resident_mark(const sn_motion *motion, planes p, uint32_t rows);

/* ---- tiled_scratch.c: see sn_solver_method ---- */

bool sn_tiled_reserve(const sn_solver_in *in, const sn_allocator *allocator);
void sn_tiled_release(sn_solver_scratch *scratch, const sn_allocator *allocator);

/* ---- tiled.c ---- */

/* The slots of a constraint's particles, each once. */
uint32_t sn_tiled_slots(const sn_solver_in *in, sn_visit visit, uint32_t *list);

static inline void sn_tiled_clear_lambda(sn_pool *pool, uint32_t row)
{
    if (!pool) /* the kind of what was removed is 0, and so is its pool */
        return;
    if (pool->kind->rows == 1)
        pool->lambda[row] = 0;
    else
        memset(pool->lambda + (size_t)row * pool->kind->rows, 0, pool->kind->rows * sizeof *pool->lambda);
}

/* Projects one constraint; in the first pass from no multipliers. */
bool sn_tiled_project(const sn_tiled *t, sn_sweep *sweep, uint32_t kind, uint32_t row);

/* The motion of the particles of a tile of the first layer, and whether it stays in planes. */
sn_motion sn_tiled_motion(const layer *l, const sn_tile *tile);
bool sn_tiled_is_resident(const layer *l, const sn_tile *tile);

/* Planes of a worker, for one tile: the margin before them. And two columns of a tile's particles in rows there: that of `x`, with its w, and that of
   `d`. */
float *sn_tiled_margin(const layer *l, uint32_t worker);
void sn_tiled_spread(const layer *l, const sn_tile *tile, const sn_vec4 *x, const sn_vec4 *d, float *margin);

/* Whether a tile moves places themselves: see "How places are rounded" in tiled.c. */
bool sn_tiled_is_coarse(const layer *l, const sn_tile *tile);

/* Copies of the particles of a tile of a later layer: places, and unless it is coarse what these have left behind them. */
sn_vec4 *sn_tiled_copy(const layer *l, const sn_tile *tile, bool coarse, uint32_t worker);

/* Runs some tiles of one layer; shared by threads, or not. */
bool sn_tiled_run_list(const sn_tiled *t, uint32_t layer, const uint32_t *list, uint32_t count, sn_parallel *parallel,
                       sn_solver_out *out, sn_real *largest);

/* The threads for some tiles; NULL: they are too few to be shared. */
sn_parallel *sn_tiled_shares_list(const sn_tiled *t, const uint32_t *list, uint32_t count);

/* Whether the multipliers of a run are written. */
bool sn_tiled_keeps_lambda(const sn_tiled *t, const sn_plan_run *run);

/* ---- tiled_closed.c: closed surfaces with preloads, in substeps of their own ------------------------------------------------------- */

/* Finds the bodies that may have them; does nothing if that is known. False when memory runs out. */
bool sn_closed_reserve(tiled *t, const sn_allocator *allocator, const sn_solver_in *in);

/* Once a step, when preloads are known: whether some have. */
bool sn_closed_begin(tiled *t, const sn_solver_in *in);

/* In the pass of preloads, before everything else. */
bool sn_tiled_solve_closed(const sn_tiled *t, sn_solver_out *out, sn_real *largest);

/* ---- tiled_mend.c: rods of stiff meshes that layers leave too long ------------------------------------------------------------- */

/* Where a run notes rods that were too long; NULL: it does not. */
uint16_t *sn_tiled_far_off(const sn_tiled *t, const sn_plan_run *run);

/* A rod that is projected by itself: notes it, before that, if it is off. */
bool sn_tiled_note_off(const sn_tiled *t, uint32_t batch, uint32_t lane, uint32_t kind, uint32_t row, sn_real off_from);

/* By rest length, what is noted in a tile in this pass. */
sn_real sn_tiled_off_from(const layer *l, const sn_tile *tile);

/* When a tile, of any layer, has been solved: so many are noted in it. */
void sn_tiled_count_off(const layer *l, const sn_tile *tile, uint32_t noted);

/* After all layers. False if tasks were lost. */
bool sn_tiled_mend(const layer *l);

/* ---- tiled_rest.c: false if something was not finite, or tasks were lost ---- */

bool sn_tiled_solve_trees(const sn_tiled *t, sn_solver_out *out, sn_real *largest);
bool sn_tiled_project_others(const sn_tiled *t, const layer *l, sn_solver_out *out, sn_real *largest);
bool sn_tiled_load_solids(const sn_tiled *t, sn_solver_out *out);
bool sn_tiled_load_plates(const sn_tiled *t, sn_solver_out *out);

/* Constraints with any number of points; and whether a pass leaves one of them out. */
bool sn_tiled_project_many(const sn_tiled *t, sn_solver_out *out, sn_real *largest);
static inline bool tiled_leaves_out(const sn_tiled *t, uint32_t place)
{
    const tiled *scratch = t->in->scratch->tiled;
    return tiled_skips(t, scratch->any_closed ? ((const uint8_t *)scratch->volume_table.column[0])[place] : 0);
}

/* Angular momentum of free surfaces, before a pass and after it: see tiled_spin.c. False if a particle is not finite then. */
void sn_tiled_note_spins(const sn_tiled *t);
bool sn_tiled_keep_spins(const sn_tiled *t);

#endif
