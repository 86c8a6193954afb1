/* Shared by the files of SN_SOLVER_TILED. */
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

#define PLANE_MARGIN SN_BATCH /* floats before the first row and after the last one that lanes may access */
#define LANES        SN_BATCH

#define FARTHEST_COARSE  16.0f /* m, by coordinate: see "How positions are rounded" in tiled.c */
#define WORK_OF_PARTICLE 4.0   /* ns, about: to decide whether to use threads */

/* Data that passes keep between steps. */
typedef struct tiled {
    /* Of float. For each worker: the planes of one tile, and its start_plane if there are rows for starts. */
    sn_table plane_table;
    uint32_t workers;
    size_t each;           /* floats of one worker */
    sn_table result_table; /* of tile_result, for each tile */
    sn_table state_table;  /* of tile_state, by tile: see sn_tiled_begin */
    bool any_watched;      /* some tile is watched */
    bool any_preloads;     /* some tile has preloads */
    bool marked;           /* still tiles had a pass in this step, so their start is known */

    /* Data of one plan: */
    uint64_t serial;         /* of the plan; 0: none */
    bool starts;             /* there are rows for the start of substeps */
    sn_table home_table;     /* of tile_home, for each tile of the first layer */
    sn_table copied_table;   /* of bool, for each tile: see plan_is_copied */
    uint32_t most_copied;    /* the most particles of a copied tile */
    sn_table touched_table;  /* of uint8_t, by slot: flags of the constraints outside the tile that move the particle */
    sn_table rest_table;     /* of uint32_t: slots of particles that constraints outside the layers move, ascending */
    sn_table exchange_table; /* of exchange, for all tiles */
    bool any_shared;         /* some tile is shared */

    sn_table resident_table; /* of float: planes of tiles that stay in planes */
    sn_table past_table;     /* of float: the history of BDF2 for these tiles */
    uint64_t past_floats;    /* number of floats in past_table */

    sn_table mark_table;      /* of sn_vec4: marks for constraints outside the layers */
    sn_table rest_mark_table; /* of sn_vec4, by index in rest_table: marks of particles in planes */
    sn_table spin_table;      /* by free surface of the plan: see tiled_spin.c */
    sn_table mixed_table;     /* of sn_vec4, by index in the plan's list: see pass_seam */
    sn_table copy_table;      /* of sn_vec4: for each worker, twice the particles of the largest copied tile */

    sn_forest forest; /* of the constraints that the plan leaves to it, */
    sn_loops loops;   /*   and what is no tree */

    sn_table lambda_table;  /* of float, by lane of the plan: see LAMBDA_COLUMNS */
    uint64_t lambda_serial; /* of the plan whose constraints were watched last */

    sn_hierarchy hierarchy;
    sn_solids solids;
    bool any_solids; /* some solids act in this step */
    uint64_t read;   /* of the plan with which the last step was taken; 0: another solver took it. See tiled_forces.c */
    sn_plates plates;

    /* Closed surfaces: see tiled_closed.c. */
    uint64_t closed_serial; /* of the plan; 0: of none */
    bool any_fit;           /* fit_table is in use */
    /* Of bool, by tile. The entry of the first tile of a body: the body may have substeps of its own. */
    sn_table fit_table;
    /* Of uint32_t: tiles of bodies with substeps of their own in this step, ordered by the number of substeps. */
    sn_table closed_table;
    uint32_t closed_first[SN_CLOSED_FINEST + 2]; /* where the tiles with this number of substeps begin */
    bool any_closed;                             /* closed_table is not empty */
    sn_table volume_table;                       /* of uint8_t, by index in plan.many: tile_state.finer of a volume */
    sn_table start_table; /* of sn_vec4, by slot: sn_motion.start and start_low, see swap_starts */
} tiled;

/* TOUCHED_OUT: the particle is in planes, and its position is exchanged with storage. */
enum { TOUCHED_LATER = 1, TOUCHED_REST = 2, TOUCHED_OUT = 4 };

/* The columns of lambda_table: multipliers (see sn_tiled.by_lane); force and torque in a substep, times h^2, where they
   are not one multiplier; and their largest values in the substeps so far. */
enum { LAMBDA, LAMBDA_FORCE, LAMBDA_TORQUE, LAMBDA_MOST_FORCE, LAMBDA_MOST_TORQUE, LAMBDA_COLUMNS };

#define NO_ROWS SIZE_MAX

/* A tile of the first layer. */
typedef struct tile_home {
    bool shared; /* other constraints than its own move some of its particles */
    /* planes: */
    size_t plane;                 /* where its rows of positions start */
    size_t side;                  /* where its rows of velocities start */
    size_t past;                  /* where its rows of history start, in a table of their own */
    size_t start;                 /* where its rows of starts of substeps start; NO_ROWS: unused */
    uint32_t exchange, exchanges; /* its particles that later layers move, in exchange_table */
    uint32_t wholes;              /* particles after these that constraints outside the layers move */
} tile_home;

/* Particles that other constraints move: their position in both forms. */
typedef struct exchange {
    uint32_t slot;
    uint32_t row, lane;
    uint32_t rows; /* 0: one particle; otherwise this number of rows, all lanes */
    uint32_t rest; /* of particles that constraints outside the layers move: the index in rest_table */
} exchange;

/* State of a tile that is found once a step. */
typedef struct tile_state {
    float reach;              /* m: the largest coordinate, for large tiles; for later layers that of the body */
    float farthest, nearest;  /* m: of the first tile of a body: the largest and smallest reach of its tiles */
    bool held;                /* one of its particles, or of its body, is immovable */
    bool mixed;               /* later layers: reach is too large, but some of the body's tiles are near */
    bool watched;             /* others read its particles between passes, for example the centre of a body */
    bool kinematic;           /* one of its particles has a kinematic target */
    bool pushed;              /* one of its particles has a force from the user */
    bool asks;                /* a constraint needs the position of one of its particles at the start of the substep */
    float preload_most;       /* see preload.h; 0: no preloads */
    bool stiff;               /* of the first tile of a body: the body has limits */
    bool soft;                /* of the first tile of a body: it has a solid or sheet with a lattice (solids.h) */
    bool solid;               /* its preloads are left to the lattice */
    bool bends;               /* of the first tile of a body: its hinges are solved together (plates.h) */
    uint8_t finer;            /* substeps of its own of the body in place of one (tiled_closed.c); 0: none */
    bool unfit;               /* of the first tile of a body: it must not have substeps of its own */
    float theta;              /* of the first tile of a body: see tiled_closed.c */
    uint32_t rods, particles; /* of the first tile of a body: the body's, if preloads are in use */
    /* It has no constraint, and none of its particles moves in the step: they sleep or are immovable. */
    bool still;
} tile_state;

/* The result of a tile. */
typedef struct tile_result {
    sn_real largest;
    uint32_t fault_kind, fault_row;
    bool good;
} tile_result;

/* A layer that is being run. */
typedef struct layer {
    const sn_tiled *t;
    const tiled *scratch;
    const sn_plan *plan;
    uint32_t first;       /* of its tiles */
    const uint32_t *list; /* only these tiles run; NULL: all */
    bool is_first;        /* it is the first layer */
    bool opens;           /* tiles of stiff meshes are only predicted: see run_opening */
    atomic_bool failed;
} layer;

/* The number of floats of some rows, with margins. */
static inline size_t plane_floats(uint32_t rows)
{
    return (size_t)rows * SN_ROW + 2 * PLANE_MARGIN;
}

/* The number of particles of a tile of planes in full rows: the last lane may be shorter than the others. */
static inline uint32_t in_full_rows(const sn_tile *tile)
{
    return (tile->count - (LANES - 1) * tile->rows) * LANES;
}

/* The row and the lane of a particle of a tile of planes, given its index in storage. */
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

/* ---- tiled_lambda.c: multipliers of batches ---------------------------------------------------------------------- */

bool sn_lambda_reserve(tiled *t, const sn_allocator *allocator, const sn_solver_in *in);

/* Whether the multipliers of a run are kept: for further passes that depend on them, or for readers after the
   substep. */
bool sn_lambda_is_kept(const sn_tiled *t, const sn_plan_run *run);

/* Sets where a run writes its multipliers and its forces. */
void sn_lambda_place(const sn_tiled *t, const sn_plan_run *run, sn_wide_run *wide);

/* Resets the largest forces of the step. */
void sn_lambda_watch_anew(tiled *t, const sn_plan *plan);

/* ---- resident.c: tiles that stay in planes ----------------------------------------------------------------------- */

/* The rows of a tile: positions, velocities, marks, history, starts of substeps. NULL: none. */
typedef struct planes {
    float *plane, *side, *mark, *back, *start;
} planes;

/* Finds the constraints outside each tile of a plan that move its particles; does nothing if they are known. False when
   memory runs out. */
bool sn_resident_reserve(tiled *t, const sn_allocator *allocator, const sn_solver_in *in);

/* Planes of a tile. The rows of marks are where the marks of a tile of records would be. */
planes sn_resident_planes(const layer *l, uint32_t index);
void sn_resident_enter(const layer *l, const sn_tile *tile, const sn_motion *motion, planes p);
void sn_resident_leave(const layer *l, const sn_tile *tile, const sn_motion *motion, planes p);

/* Reads the particles with kinematic targets, which were moved in storage before the substep. */
void sn_resident_pull_kinematic(const layer *l, const sn_tile *tile, const sn_motion *motion, planes p);

/* Exchanges the particles that other constraints move: pull reads them from storage before a pass over the tile, push
   writes them after it. */
void sn_resident_pull(const layer *l, uint32_t index, const sn_motion *motion, planes p);
void sn_resident_push(const layer *l, uint32_t index, const sn_motion *motion, planes p);

/* Writes the starts of the substep of the exchanged particles to storage. */
void sn_resident_push_start(const layer *l, uint32_t index, const sn_motion *motion);

/* Marks the present positions, for a further pass. */
void sn_resident_mark(const sn_motion *motion, planes p, uint32_t rows);

/* ---- tiled_scratch.c: see sn_solver_method ---- */

bool sn_tiled_reserve(const sn_solver_in *in, const sn_allocator *allocator);
void sn_tiled_release(sn_solver_scratch *scratch, const sn_allocator *allocator);

/* ---- tiled.c ---- */

/* Writes the slots of a constraint's particles, each once. Returns their number. */
uint32_t sn_tiled_slots(const sn_solver_in *in, sn_visit visit, uint32_t *list);

static inline void sn_tiled_clear_lambda(sn_pool *pool, uint32_t row)
{
    if (!pool) /* a removed constraint has kind 0, whose pool is NULL */
        return;
    if (pool->kind->rows == 1)
        pool->lambda[row] = 0;
    else
        memset(pool->lambda + (size_t)row * pool->kind->rows, 0, pool->kind->rows * sizeof *pool->lambda);
}

/* Projects one constraint. In the first pass its multipliers start at 0. */
bool sn_tiled_project(const sn_tiled *t, sn_sweep *sweep, uint32_t kind, uint32_t row);

/* The motion of the particles of a tile of the first layer; whether the tile stays in planes. */
sn_motion sn_tiled_motion(const layer *l, const sn_tile *tile);
bool sn_tiled_is_resident(const layer *l, const sn_tile *tile);

/* The planes of a worker, for one tile, from the margin before them. And sn_tiled_spread: copies two columns of a
   tile's particles into these rows: `x`, with its w, and `d`. */
float *sn_tiled_margin(const layer *l, uint32_t worker);
void sn_tiled_spread(const layer *l, const sn_tile *tile, const sn_vec4 *x, const sn_vec4 *d, float *margin);

/* Whether a tile moves rounded positions: see "How positions are rounded" in tiled.c. */
bool sn_tiled_is_coarse(const layer *l, const sn_tile *tile);

/* Copies the particles of a tile of a later layer: positions, followed by their remainders if it is not coarse. */
sn_vec4 *sn_tiled_copy(const layer *l, const sn_tile *tile, bool coarse, uint32_t worker);

/* Runs some tiles of one layer, with threads if parallel is not NULL. */
bool sn_tiled_run_list(const sn_tiled *t, uint32_t layer, const uint32_t *list, uint32_t count, sn_parallel *parallel,
                       sn_solver_out *out, sn_real *largest);

/* The threads for some tiles; NULL: there is too little work to share. */
sn_parallel *sn_tiled_shares_list(const sn_tiled *t, const uint32_t *list, uint32_t count);

/* Whether the multipliers of a run are written. */
bool sn_tiled_keeps_lambda(const sn_tiled *t, const sn_plan_run *run);

/* ---- tiled_closed.c: substeps of closed surfaces with preloads --------------------------------------------------- */

/* Finds the bodies that may have substeps of their own; does nothing if they are known. False when memory runs out. */
bool sn_closed_reserve(tiled *t, const sn_allocator *allocator, const sn_solver_in *in);

/* Once a step, after preloads are known: whether any body has substeps of its own. */
bool sn_closed_begin(tiled *t, const sn_solver_in *in);

/* Solves these bodies in the pass of preloads, before everything else. */
bool sn_tiled_solve_closed(const sn_tiled *t, sn_solver_out *out, sn_real *largest);

/* ---- tiled_mend.c: rods of stiff meshes that layers leave too long ----------------------------------------------- */

/* Where a run marks rods that were too long; NULL: it does not. */
uint16_t *sn_tiled_far_off(const sn_tiled *t, const sn_plan_run *run);

/* Marks a rod that is projected by itself, before that, if it is off. Returns whether it is. */
bool sn_tiled_note_off(const sn_tiled *t, uint32_t batch, uint32_t lane, uint32_t kind, uint32_t row, sn_real off_from);

/* The share of the rest length beyond which rods of a tile are marked in this pass. */
sn_real sn_tiled_off_from(const layer *l, const sn_tile *tile);

/* Called when a tile of any layer has been solved, with the number of rods marked in it. */
void sn_tiled_count_off(const layer *l, const sn_tile *tile, uint32_t noted);

/* Called after all layers. False if tasks were lost. */
bool sn_tiled_mend(const layer *l);

/* ---- tiled_rest.c: false if something is not finite, or tasks were lost ---- */

bool sn_tiled_solve_trees(const sn_tiled *t, sn_solver_out *out, sn_real *largest);
bool sn_tiled_project_others(const sn_tiled *t, const layer *l, sn_solver_out *out, sn_real *largest);
bool sn_tiled_load_solids(const sn_tiled *t, sn_solver_out *out);
bool sn_tiled_load_plates(const sn_tiled *t, sn_solver_out *out);

/* Projects the constraints with any number of points; and whether a pass skips one of them. */
bool sn_tiled_project_many(const sn_tiled *t, sn_solver_out *out, sn_real *largest);
static inline bool tiled_leaves_out(const sn_tiled *t, uint32_t place)
{
    const tiled *scratch = t->in->scratch->tiled;
    return tiled_skips(t, scratch->any_closed ? ((const uint8_t *)scratch->volume_table.column[0])[place] : 0);
}

/* Keep the angular momentum of free surfaces: called before and after a pass, see tiled_spin.c. False if a particle is
   not finite. */
void sn_tiled_note_spins(const sn_tiled *t);
bool sn_tiled_keep_spins(const sn_tiled *t);

#endif
