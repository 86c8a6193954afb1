/* Stiffness at any resolution: a hierarchy of limits for meshes of rods, inside SN_SOLVER_TILED.

   A sweep over rods carries a correction a few particles far. So in a mesh of many particles a load arrives nowhere, and the mesh
   stretches, the more the finer it is. Here particles that hang together make up *aggregates* of about nine, these make up larger
   ones, and so on. The centroids of two neighbouring aggregates, weighted by mass, may be at most as far apart as they are in the rest
   shape: a *limit*. Before every sweep the limits are solved, from the largest aggregates to the smallest, and then the sweep has
   little left to do.

       upwards     X = sum (m / M) x, of particles, then of aggregates
       downwards   D = that of the larger aggregate, 0 at the top;
                   sweeps over the limits of the level, with w = 1 / M; they move D
       particles   x += D

   A centroid is a weighted point, so a limit is an ordinary constraint: it keeps momentum and angular momentum, and as it only ever
   pulls back what is too far apart, it adds no energy. Why D is apart from X: aggregates are moved by millimetres, and momentum would be
   lost in the rounding of places. The largest level has at least LEAST_NODES aggregates that can move. Fewer would hold up what should
   hang.

   Beside it, particles near an immovable one are *held*: at most as far from it as rods lead. The load of all comes together there,
   and the limits of aggregates are too coarse for it. Aggregates are held, too, farther away: where what is held ended all at once, the
   rods there carried all that hung beyond. After the pass, single rods that are still far too long are mended: see tiled_mend.c.

   Which meshes get it, and why others do not, is said in hierarchy_meshes.c. What is here is derived from the constraints, where
   particles are stored, their masses, and the rest shape (sn_rest_place); it is made again when one of these changes, unless a tear
   changed it: then it follows (hierarchy_follow.c), until much is torn. */
#ifndef SN_SOLVERS_HIERARCHY_H
#define SN_SOLVERS_HIERARCHY_H

#include "solvers/plan.h"
#include "solvers/solver.h"
#include "wide/wide.h"

#include <stdatomic.h>

#define SN_HIERARCHY_BLOCKS 96

/* A particle or an aggregate seen from another one. */
typedef struct hierarchy_edge {
    uint32_t to;
    sn_real rest; /* m: of rods */
} hierarchy_edge;

/* Limits that share no aggregate, as batches. */
typedef struct sn_limit_run {
    uint32_t batch, batches;
} sn_limit_run;

/* Limits of one level of a mesh are dealt out: within a phase no two shares have an aggregate in common. */
#define SN_HIERARCHY_PHASES 4

/* A share of a level. */
typedef struct sn_hierarchy_share {
    uint32_t mesh;
    uint32_t node, nodes;        /* of the first phase: these are its aggregates */
    uint32_t fresh, fresh_count; /* in `listed`: aggregates that no earlier phase has, */
    uint32_t run, runs;          /* limits, */
    uint32_t far, fars;          /* and aggregates that are held, and that no later phase has */
} sn_hierarchy_share;

/* One level of a mesh above the first. */
typedef struct sn_hierarchy_level {
    uint32_t node, nodes;
    uint32_t share[SN_HIERARCHY_PHASES + 1]; /* by phase: the first; behind the last phase all are alike */
} sn_hierarchy_level;

/* What a task does with a share. */
typedef struct sn_hierarchy_turn {
    uint32_t share;
    uint8_t gathers; /* its aggregates are put where their members are; or: */
    uint8_t begins;  /* fresh ones are moved as the larger ones were, */
    uint8_t sweeps;  /* so many over its limits, */
    uint8_t ends;    /* and what is held is pulled back */
} sn_hierarchy_turn;

/* Turns, one after the other. */
typedef struct sn_hierarchy_task {
    uint32_t turn, turns;
    uint32_t stage;
} sn_hierarchy_task;

/* Tasks side by side. */
typedef struct sn_hierarchy_stage {
    uint32_t task, tasks;
    double work; /* ns, about */
} sn_hierarchy_stage;

/* What a mesh has in one tile of the first layer. */
typedef struct sn_hierarchy_part {
    uint32_t tile, mesh;
    uint32_t node, nodes;        /* aggregates of its particles */
    uint32_t run, runs;          /* limits between these, */
    uint32_t row_run, row_runs;  /*   and those between `groups`, of which a batch has the same two in every lane */
    uint32_t fresh, fresh_count; /* in `listed`: those that have no limits to other tiles */
    uint32_t hold, holds;
    uint32_t row_hold, row_holds; /* the same in lanes */
    uint32_t far, fars;           /* of aggregates, */
    uint32_t row_far, row_fars;   /*   of which those of `groups` are, in lanes, among row_hold */
    uint32_t group, groups;       /* of planes: its first aggregates are these, one in each lane; 0: it has none */
    bool same;                    /* masses are, in this step, what it was made for */
} sn_hierarchy_part;

/* An immovable particle: the tile that has it writes where it is, while others read it here. */
typedef sn_wide_pin sn_hierarchy_pin;

/* A particle near an immovable one. */
typedef struct sn_hierarchy_hold {
    uint32_t slot, at; /* at: in planes, the float of its x; otherwise its lane in */
    uint32_t row;      /*   row_hold, of this number */
    uint32_t pin;
    sn_real most; /* m; infinite: it is held no longer */
} sn_hierarchy_hold;

/* An aggregate, near or far. */
typedef struct sn_hierarchy_far {
    uint32_t node, pin;
    sn_real most;       /* m; infinite: it is held no longer */
    sn_real by;         /* most by the distance of centres; 0: it never will be held */
    uint32_t row, lane; /* among row_hold; SN_PLAN_NONE: it is in none */
    uint32_t id;        /* the number by which it was found */
} sn_hierarchy_far;

/* What a tear at an aggregate sets free: what is held, or a span, whose way leads over it. */
typedef struct sn_hierarchy_way {
    uint32_t node;
    uint32_t item; /* id of what is held, with SN_WAY_SPAN the number of a span */
} sn_hierarchy_way;

#define SN_WAY_SPAN 0x80000000u

/* Two immovable particles of different groups, and how far apart they may be before the mesh between them must stretch. */
typedef struct sn_hierarchy_span {
    uint32_t mesh, pin[2];
    uint32_t slot; /* half way; SN_PLAN_NONE: there is an aggregate */
    sn_real most;  /* m */
} sn_hierarchy_span;

typedef struct sn_hierarchy_mesh {
    uint32_t first; /* slot of one of its particles: aggregates have their places from there on */
    uint32_t
        share[SN_HIERARCHY_PHASES + 1]; /* limits between the smallest aggregates of different tiles: as of levels */
    uint32_t level;                     /* its levels above the first, the largest last */
    uint32_t levels;
    bool linked;    /* there are limits between most of its aggregates: its rods are mended */
    sn_vec4 origin; /* in this step */
    bool acts;      /* in this step */
    bool stretched; /* in this step immovable particles pull it longer than it is at rest */
} sn_hierarchy_mesh;

/* By rest length: rods that are off by more are noted, see tiled_mend.c. */
#define SN_HIERARCHY_OFF ((sn_real)0.024)

/* Where a tile is while rods are mended. */
typedef struct sn_hierarchy_home {
    sn_real *plane;              /* its rows; NULL: it is in storage. (There are planes where sn_real is float.) */
    bool coarse;                 /* places themselves are moved */
    sn_real too_long, shortened; /* by rest length: a longer rod is made as long as the second */
    sn_real off;                 /* of the first tile of a mesh: what is noted in it, in the pass that comes */
} sn_hierarchy_home;

/* How mending a tile went. */
typedef struct sn_hierarchy_mended {
    uint32_t noted;                    /* rods */
    uint32_t noted_in_mesh, particles; /* of the first tile of a mesh: in all of it */
} sn_hierarchy_mended;

typedef struct sn_hierarchy {
    bool by_mass;             /* there is a mesh for which masses matter */
    bool made;                /* for: */
    bool lost;                /* tasks, since the last step: the one that comes says so */
    uint64_t makes;           /*   this plan */
    const sn_real *w_by_slot; /* of the base */

    sn_table mesh_table;
    sn_hierarchy_mesh *mesh;
    sn_table part_table;
    sn_hierarchy_part *part;
    sn_table part_of_table; /* by tile of the first layer, and one more: its first part */
    uint32_t *part_of;
    sn_table tile_table; /* of uint32_t: tiles that have parts */
    uint32_t *tile;
    sn_table level_table;
    sn_hierarchy_level *level;
    sn_table share_table;
    sn_hierarchy_share *share;
    sn_table listed_table; /* of uint32_t: aggregates */
    uint32_t *listed;
    sn_table turn_table;
    sn_hierarchy_turn *turn;
    sn_table task_table;
    sn_hierarchy_task *task;
    sn_table stage_table;
    sn_hierarchy_stage *stage;

    /* Aggregates: of the first level part by part, then those of higher levels. */
    sn_table node_table;
    sn_vec4 *node; /* two for each: x and w in this step, and d */
    sn_real *w;
    uint32_t *parent; /* SN_PLAN_NONE: none */
    uint32_t *first;  /* of its members; one more at the end; */
    uint32_t *last;   /*   and behind the last that it has: behind that are those that tears took from it */
    sn_table member_table;
    uint32_t *member; /* slots, or smaller aggregates */
    uint32_t *at;     /* of slots in planes: as of a hold */
    sn_real *weight;

    sn_table group_table; /* by group: its first row; one more for each part */
    uint32_t *group;
    sn_table row_table;
    sn_wide_row *row;

    sn_table run_table;
    sn_limit_run *run;
    sn_table batch_table; /* by batch: two times 16 aggregates, 16 limits, a mask, */
    uint32_t *end;        /* twice the number of an aggregate */
    sn_real *most;
    uint16_t *mask;
    uint32_t *offset; /*   and of row_run where the first of each are in planes of aggregates */
    sn_table hold_table;
    sn_hierarchy_hold *hold;
    sn_table row_hold_table; /* the same in lanes: in planes, by row */
    sn_wide_hold *row_hold;
    sn_table far_table;
    sn_hierarchy_far *far;
    sn_table pin_table; /* in the order of slots */
    sn_hierarchy_pin *pin;
    uint32_t *pin_slot;
    sn_table pin_of_table; /* by tile, as of parts */
    uint32_t *pin_of;
    sn_table span_table;
    sn_hierarchy_span *span;
    sn_table way_table;
    sn_hierarchy_way *way;
    sn_table heap_table; /* scratch: see hierarchy_hold.c */

    /* For mending (tiled_mend.c): */
    const uint32_t *rod_start;  /* by slot: its rods, in */
    const uint32_t *rod_leaves; /*   (from here on they lead to other tiles) */
    const hierarchy_edge *rod;
    const uint32_t *tile_of; /* by slot */
    const uint32_t *place;   /* by slot: in planes, the float of its x */
    uint32_t slots;
    uint16_t *far_off; /* by batch of the plan: lanes */
    uint32_t batches;
    sn_hierarchy_home *home;     /* by tile */
    sn_hierarchy_mended *mended; /* by tile, of all layers */
    uint32_t *queue;             /* of slots */
    bool *queued;                /* by slot, */
    atomic_bool *off_outside;    /*   and this: it is the end of a rod to another tile that is noted */

    void *block[SN_HIERARCHY_BLOCKS]; /* scratch for making it, kept: an edit must not make a step allocate */
    size_t block_size[SN_HIERARCHY_BLOCKS];

    struct hierarchy_work *work; /* what it was made with, for tears; NULL: there are no limits */

    uint32_t count[SN_STIFFENED_COUNT];     /* meshes, */
    uint32_t particles[SN_STIFFENED_COUNT]; /*   and their particles */
} sn_hierarchy;

static inline sn_vec4 *hierarchy_x(const sn_hierarchy *h, uint32_t node)
{
    return &h->node[2 * (size_t)node];
}

static inline sn_vec4 *hierarchy_d(const sn_hierarchy *h, uint32_t node)
{
    return &h->node[2 * (size_t)node + 1];
}

void sn_hierarchy_init(sn_hierarchy *h);
void sn_hierarchy_release(sn_hierarchy *h, const sn_allocator *allocator);

/* Before a step: makes it if what it was made for has changed. False when memory runs out. */
bool sn_hierarchy_reserve(sn_hierarchy *h, const sn_allocator *allocator, const sn_solver_in *in);

/* Before the first substep: meshes with particles that are held in this step for other reasons than when it was made (they sleep)
   do without, and so do those that immovable particles stretch. First for every tile, in any order. */
void sn_hierarchy_look(const sn_hierarchy *h, const sn_solver_in *in, uint32_t tile);
void sn_hierarchy_begin(sn_hierarchy *h, const sn_solver_in *in);

/* The aggregates of a tile: where they are after prediction, from records or from planes. low: NULL where places are coarse. */
void sn_hierarchy_gather(const sn_hierarchy *h, uint32_t tile, const sn_vec4 *x, const sn_vec4 *low);
void sn_hierarchy_gather_planes(const sn_hierarchy *h, uint32_t tile, const sn_wide *wide, float *plane, bool coarse);

/* Where its immovable particles are then. */
void sn_hierarchy_note_pins(const sn_hierarchy *h, uint32_t tile, const sn_frame *frame);

/* All levels but what lies inside of tiles. wide may be NULL; so may parallel: one thread does it. False if tasks were lost. */
bool sn_hierarchy_solve(const sn_hierarchy *h, const sn_wide *wide, sn_parallel *parallel);

/* What lies inside of a tile; and moves its particles. moved: x, where places are coarse, or x_low. */
void sn_hierarchy_move(const sn_hierarchy *h, uint32_t tile, const sn_wide *wide, const sn_frame *frame,
                       sn_vec4 *moved);

/* The same in planes. nodes: room for planes of its aggregates, of which there are no more than rows, with a margin before and behind them. */
void sn_hierarchy_move_planes(const sn_hierarchy *h, uint32_t tile, const sn_wide *wide, float *plane, float *nodes,
                              bool coarse);

/* What was chosen for which meshes, and why, in words. So many soft ones are solids, with so many particles (solids.h). */
void sn_hierarchy_tell(const sn_hierarchy *h, uint32_t solids, uint32_t particles, char *text, size_t size);

#endif
