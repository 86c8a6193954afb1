/* Stiffness at any resolution: a hierarchy of limits for meshes of rods, inside SN_SOLVER_TILED.

   A sweep over rods carries a correction only a few particles far. So a mesh of many particles stretches under its
   load, the more the finer it is. Here connected particles form *aggregates* of about nine, these form larger ones, and
   so on. The centroids of two neighbouring aggregates, weighted by mass, may be at most as far apart as in the rest
   shape: this is a *limit*. Before every sweep the limits are solved, from the largest aggregates to the smallest. Then
   the sweep has little left to do.

       upwards     X = sum (m / M) x, of particles, then of aggregates
       downwards   D = that of the larger aggregate, 0 at the top;
                   sweeps over the limits of the level, with w = 1 / M; they move D
       particles   x += D

   A centroid is a weighted point, so a limit is an ordinary constraint: it conserves momentum and angular momentum. It
   only pulls, so it adds no energy. D is separate from X because aggregates are moved by millimetres, and momentum
   would be lost in the rounding of positions. The largest level has at least LEAST_NODES movable aggregates. Fewer
   would hold up what should hang.

   In addition, particles near an immovable one are *held* by a tether: they are at most as far from it as along the
   rods. The load of the whole mesh is concentrated there, and the limits of aggregates are too coarse for it.
   Aggregates are held, too, at larger distances: without that, the rods where tethers end carried the whole load
   beyond. Particles with rigid pins that cannot break count as immovable here, and so do those attached to places and
   immovable bodies. Rigid ropes that are tied to a mesh by
   attachments of their particles are parts of it. What is heavy and hangs from it is held by slings (see
   hierarchy_slings.c). After the pass, single rods that are still far too long are repaired:
   see tiled_mend.c.

   hierarchy_meshes.c chooses the meshes. The hierarchy is derived from the constraints, the order of storage, masses,
   and the rest shape (sn_rest_place). It is made again when one of these changes. Exception: it follows the changes by
   tears (hierarchy_follow.c), until many particles are torn. */
#ifndef SN_SOLVERS_HIERARCHY_H
#define SN_SOLVERS_HIERARCHY_H

#include "base/dvec.h"
#include "solvers/plan.h"
#include "solvers/solver.h"
#include "wide/wide.h"

#include <stdatomic.h>

#define SN_HIERARCHY_BLOCKS 96

/* m: the length of an attachment in the list of rods. */
#define SN_TIE_REST ((sn_real)1e-6)

/* An edge of the graph of particles or aggregates. */
typedef struct hierarchy_edge {
    uint32_t to;
    sn_real rest; /* m, for rods */
} hierarchy_edge;

/* A run of batches of limits that share no aggregate. */
typedef struct sn_limit_run {
    uint32_t batch, batches;
} sn_limit_run;

/* The limits of one level of a mesh are divided into shares, in phases. Within a phase no two shares have a common
   aggregate. */
#define SN_HIERARCHY_PHASES 4

/* A share of a level. */
typedef struct sn_hierarchy_share {
    uint32_t mesh;
    uint32_t node, nodes;        /* in the first phase: its aggregates */
    uint32_t fresh, fresh_count; /* in `listed`: aggregates that no earlier phase has */
    uint32_t run, runs;          /* limits */
    uint32_t far, fars;          /* held aggregates that no later phase has */
} sn_hierarchy_share;

/* One level of a mesh above the first. */
typedef struct sn_hierarchy_level {
    uint32_t node, nodes;
    uint32_t share[SN_HIERARCHY_PHASES + 1]; /* by phase: its first share, which is the end of the phase before */
} sn_hierarchy_level;

/* What a task does with a share. */
typedef struct sn_hierarchy_turn {
    uint32_t share;
    uint8_t gathers; /* computes its aggregates from their members */
    uint8_t begins;  /* otherwise: moves fresh aggregates with the larger ones, */
    uint8_t sweeps;  /* makes this number of sweeps over its limits, */
    uint8_t ends;    /* and pulls back held aggregates */
} sn_hierarchy_turn;

/* Turns that run one after the other. */
typedef struct sn_hierarchy_task {
    uint32_t turn, turns;
    uint32_t stage;
} sn_hierarchy_task;

/* Tasks that run in parallel. */
typedef struct sn_hierarchy_stage {
    uint32_t task, tasks;
    double work; /* ns, about */
} sn_hierarchy_stage;

/* The part of a mesh in one tile of the first layer. */
typedef struct sn_hierarchy_part {
    uint32_t tile, mesh;
    uint32_t node, nodes;        /* aggregates of its particles */
    uint32_t run, runs;          /* limits between these */
    uint32_t row_run, row_runs;  /* limits between `groups`: a batch has the same two groups in every lane */
    uint32_t fresh, fresh_count; /* in `listed`: aggregates without limits to other tiles */
    uint32_t tether, tethers;
    uint32_t row_tether, row_tethers; /* the same tethers, in lanes */
    uint32_t far, fars;               /* tethers of aggregates */
    uint32_t row_far, row_fars;       /* those of aggregates in `groups`, in lanes, in the array row_tether */
    uint32_t group, groups;           /* planes: the first aggregates in groups of one in each lane; 0: none */
    bool same;                        /* in this step, masses are those for which the hierarchy was made */
} sn_hierarchy_part;

/* An immovable particle. The tile that owns it writes its position here, for other readers. */
typedef sn_wide_pin sn_hierarchy_pin;

/* The tether of a particle near an immovable one. */
typedef struct sn_hierarchy_tether {
    /* at: in planes, the index of its x among the floats; otherwise its lane in row_tether. */
    uint32_t slot, at;
    uint32_t row; /* its index in row_tether */
    uint32_t pin;
    sn_real most; /* m; infinite: released */
} sn_hierarchy_tether;

/* The tether of an aggregate. */
typedef struct sn_hierarchy_far {
    uint32_t node, pin;
    sn_real most;       /* m; infinite: released */
    sn_real by;         /* most, divided by the distance of centres; 0: released for good */
    uint32_t row, lane; /* in row_tether; SN_PLAN_NONE: in none */
    uint32_t id;        /* its original number */
} sn_hierarchy_far;

/* A tear at this aggregate releases a tether or a span, whose path leads over the aggregate. */
typedef struct sn_hierarchy_path {
    uint32_t node;
    uint32_t item; /* id of a tether, or the number of a span with SN_PATH_SPAN */
} sn_hierarchy_path;

#define SN_PATH_SPAN 0x80000000u

/* Two immovable particles of different groups, and the largest distance between them at which the mesh between them is
   not stretched. */
typedef struct sn_hierarchy_span {
    uint32_t mesh, pin[2];
    uint32_t slot; /* a particle half way; SN_PLAN_NONE: an aggregate is half way */
    sn_real most;  /* m */
} sn_hierarchy_span;

/* A heavy particle that hangs from a light one, by a rod or a rope; see hierarchy_slings.c. */
typedef struct sn_hierarchy_sling {
    uint32_t mesh;
    uint32_t light, heavy; /* slots */
    uint32_t tether[2];    /* of the light one */
    sn_real most;          /* m; infinite: torn */
    sn_dvec3 pulled;       /* kg m: by how much the heavy one was moved; see sn_hierarchy.notes */
} sn_hierarchy_sling;

typedef struct sn_hierarchy_mesh {
    uint32_t first; /* slot of one of its particles; positions of aggregates are relative to it */
    /* Limits between the smallest aggregates of different tiles: shares by phase, as in a level. */
    uint32_t share[SN_HIERARCHY_PHASES + 1];
    uint32_t level; /* its levels above the first, the largest last */
    uint32_t levels;
    bool linked;    /* there are limits between most of its aggregates: its rods are mended */
    sn_vec4 origin; /* position of `first` at the start of the step */
    bool acts;      /* its limits are in use in this step */
    bool stretched; /* in this step immovable particles stretch it */
} sn_hierarchy_mesh;

/* The share of the rest length from which rods that are off are marked: see tiled_mend.c. */
#define SN_HIERARCHY_OFF ((sn_real)0.024)

/* Where the particles of a tile are while rods are mended. */
typedef struct sn_hierarchy_home {
    sn_real *plane;              /* its rows; NULL: in storage. (There are planes only if sn_real is float.) */
    bool coarse;                 /* positions are moved, not remainders */
    sn_real too_long, shortened; /* by rest length: a rod longer than the first is shortened to the second */
    sn_real off;                 /* of the first tile of a mesh: share from which rods are marked in the next pass */
} sn_hierarchy_home;

/* The result of mending a tile. */
typedef struct sn_hierarchy_mended {
    uint32_t noted;                    /* marked rods */
    uint32_t noted_in_mesh, particles; /* of the first tile of a mesh: numbers of the whole mesh */
} sn_hierarchy_mended;

typedef struct sn_hierarchy {
    bool by_mass;   /* the choice of meshes depends on masses */
    bool made;      /* made for `makes` */
    bool lost;      /* tasks were lost since the last step; the next step reports it */
    uint64_t makes; /* of the plan */
    /* This pass is in the last substep of a step, and what limits exert on immovable particles is noted: see
       hierarchy_forces.c. */
    bool notes;
    bool noted;               /* what is noted is that of the last step */
    uint64_t notes_made;      /* how many steps have noted it */
    const sn_real *w_by_slot; /* of sn_limits_base */

    sn_table mesh_table;
    sn_hierarchy_mesh *mesh;
    sn_table part_table;
    sn_hierarchy_part *part;
    sn_table part_of_table; /* by tile of the first layer, and one more: its first part */
    uint32_t *part_of;
    sn_table tile_table; /* of uint32_t: tiles with parts */
    uint32_t *tile;
    sn_table level_table;
    sn_hierarchy_level *level;
    sn_table share_table;
    sn_hierarchy_share *share;
    sn_table listed_table; /* of uint32_t: aggregates, for fresh ones */
    uint32_t *listed;
    sn_table turn_table;
    sn_hierarchy_turn *turn;
    sn_table task_table;
    sn_hierarchy_task *task;
    sn_table stage_table;
    sn_hierarchy_stage *stage;

    /* Aggregates: those of the first level part by part, then those of higher levels. */
    sn_table node_table;
    sn_vec4 *node; /* two for each: x (with w) in this step, and d */
    sn_real *w;
    sn_dvec3 *node_pulled; /* m: how limits moved it; of an immovable one kg m. See `notes` */
    uint32_t *parent;      /* SN_PLAN_NONE: none */
    uint32_t *first;       /* first member; one more at the end */
    uint32_t *last;        /* end of its members; those from here to the next first were lost by tears */
    sn_table member_table;
    uint32_t *member; /* slots, or smaller aggregates */
    uint32_t *at;     /* for slots in planes: as sn_hierarchy_tether.at */
    sn_real *weight;

    sn_table group_table; /* by group: its first row; one more for each part */
    uint32_t *group;
    sn_table row_table;
    sn_wide_row *row;

    sn_table run_table;
    sn_limit_run *run;
    sn_table batch_table; /* by batch: two times 16 aggregates, 16 limits, a mask, two offsets */
    uint32_t *end;        /* twice the number of an aggregate */
    sn_real *most;
    uint16_t *mask;
    uint16_t *to_fixed; /* lanes of limits to immovable aggregates */
    uint32_t *offset;   /* for row_run: where the two groups start in planes of aggregates */
    sn_table tether_table;
    sn_hierarchy_tether *tether;
    sn_table row_tether_table; /* the same in lanes: in planes, by row */
    sn_wide_tether *row_tether;
    sn_wide_pulled *row_pulled; /* see `notes` */
    sn_table far_table;
    sn_hierarchy_far *far;
    sn_dvec3 *far_pulled; /* kg m, see `notes` */
    sn_table pin_table;   /* immovable particles, in the order of slots */
    sn_hierarchy_pin *pin;
    uint32_t *pin_slot;
    sn_dvec3 *pull;        /* kg m: what it exerts on the mesh, times h^2. See `notes` */
    bool *told;            /* a pin has this in its multipliers */
    sn_table pin_of_table; /* by tile, as part_of */
    uint32_t *pin_of;
    sn_table span_table;
    sn_hierarchy_span *span;
    sn_table sling_table;
    sn_hierarchy_sling *sling;
    sn_table path_table;
    sn_hierarchy_path *path;
    sn_table heap_table; /* scratch, see hierarchy_tethers.c */

    /* For mending (tiled_mend.c): */
    const uint32_t *rod_start;  /* by slot: its rods in `rod` */
    const uint32_t *rod_leaves; /* by slot: from here on its rods lead to other tiles */
    const hierarchy_edge *rod;
    const uint32_t *tile_of; /* by slot */
    const uint32_t *place;   /* by slot: in planes, the index of its x among the floats */
    uint32_t slots;
    uint16_t *far_off; /* by batch of the plan: lanes of marked rods */
    uint32_t batches;
    sn_hierarchy_home *home;     /* by tile */
    sn_hierarchy_mended *mended; /* by tile, of all layers */
    uint32_t *queue;             /* of slots */
    bool *queued;                /* by slot: it is in the queue */
    atomic_bool *off_outside;    /* by slot: it is the end of a marked rod to another tile */

    void *block[SN_HIERARCHY_BLOCKS]; /* scratch for making it; kept, so that an edit allocates nothing in a step */
    size_t block_size[SN_HIERARCHY_BLOCKS];

    struct hierarchy_work *work; /* the data with which it was made, for tears; NULL: there are no limits */

    uint32_t count[SN_STIFFENED_COUNT];     /* by choice: meshes */
    uint32_t particles[SN_STIFFENED_COUNT]; /* by choice: particles */
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

/* The slot of the particle that constraint i of a run holds for limits: a pin, or an attachment to a place or an
   immovable body, that is rigid and cannot break. UINT32_MAX if it holds none. x: by slot, with inverse masses. *second:
   it is the second point. */
uint32_t sn_hierarchy_held_by(const sn_store *store, const sn_run *run, uint32_t i, const uint32_t *slot,
                              uint32_t slots, const sn_vec4 *x,
                              bool (*breaks)(const void *world, uint32_t kind, uint32_t row), const void *world,
                              bool *second);

/* Notes in the base which particles are held: for limits these are immovable. There is room for all slots if there are
   any pins or attachments (sn_hierarchy_has_pins). slot: by the number of a particle. */
void sn_hierarchy_note_pinned(sn_limits_base *base, const sn_store *store, const uint32_t *slot, uint32_t slots,
                              const sn_vec4 *x, bool (*breaks)(const void *world, uint32_t kind, uint32_t row),
                              const void *world);
bool sn_hierarchy_has_pins(const sn_store *store);

/* Whether a slot is noted. */
static inline bool hierarchy_is_pinned(const sn_limits_base *base, uint32_t slot)
{
    return slot < base->pinned_table.count && ((const bool *)base->pinned_table.column[0])[slot];
}

/* The fewest movable particles of a mesh with limits. */
#define SN_LEAST_MESH 60u

/* Whether a mesh of rigid rods that nothing breaks is large enough, and has enough rods, for limits between all of its
   aggregates. */
static inline bool hierarchy_braces(uint32_t particles, uint32_t rods)
{
    return particles >= SN_LEAST_MESH && 2 * (uint64_t)rods >= 5 * (uint64_t)particles;
}

/* Before a step: makes the hierarchy if it is out of date. False when memory runs out. */
bool sn_hierarchy_reserve(sn_hierarchy *h, const sn_allocator *allocator, const sn_solver_in *in);

/* Before the first substep. A mesh has no limits in this step if its immovable particles are others than when limits
   were made (some sleep), or if immovable particles stretch it. sn_hierarchy_look must be called for every tile, in any
   order, before sn_hierarchy_begin. */
void sn_hierarchy_look(const sn_hierarchy *h, const sn_solver_in *in, uint32_t tile);
void sn_hierarchy_begin(sn_hierarchy *h, const sn_solver_in *in);

/* Compute the aggregates of a tile from predicted particles, in records or planes. low: NULL for coarse tiles. */
void sn_hierarchy_gather(const sn_hierarchy *h, uint32_t tile, const sn_vec4 *x, const sn_vec4 *low);
void sn_hierarchy_gather_planes(const sn_hierarchy *h, uint32_t tile, const sn_wide *wide, float *plane, bool coarse);

/* Stores the positions of the tile's immovable particles after prediction. */
void sn_hierarchy_note_pins(const sn_hierarchy *h, uint32_t tile, const sn_frame *frame);

/* Solves all levels except the limits inside tiles. wide may be NULL. parallel may be NULL: one thread. False if tasks
   were lost. */
bool sn_hierarchy_solve(const sn_hierarchy *h, const sn_wide *wide, sn_parallel *parallel);

/* Solves the limits inside a tile, and moves its particles. moved: x for coarse tiles, otherwise x_low. */
void sn_hierarchy_move(const sn_hierarchy *h, uint32_t tile, const sn_wide *wide, const sn_frame *frame,
                       sn_vec4 *moved);

/* The same in planes. nodes: space for planes of its groups of aggregates, of which there are at most as many as rows,
   with a margin before and after them. */
void sn_hierarchy_move_planes(const sn_hierarchy *h, uint32_t tile, const sn_wide *wide, float *plane, float *nodes,
                              bool coarse);

/* hierarchy_forces.c. Before the first pass of the last substep: clears what was noted. */
void sn_hierarchy_note_anew(sn_hierarchy *h);

/* Before some limits are solved: notes what they are going to exert on immovable aggregates. No two of them share an
   aggregate. nodes: planes of the aggregates of a part; NULL: they are not in planes. */
void sn_hierarchy_note_limits(const sn_hierarchy *h, const sn_limit_run *run, const sn_hierarchy_part *part,
                              const float *nodes);

/* Notes by how much aggregates of particles were moved. nodes: planes of these; NULL: they are not in planes. */
void sn_hierarchy_note_moves(const sn_hierarchy *h, uint32_t first, uint32_t count, const float *nodes);

/* Notes that a rod of an immovable particle was mended: the impulse on its other end, times h, kg m. */
void sn_hierarchy_note_mended(const sn_hierarchy *h, uint32_t slot, sn_vec3 by);

/* Notes that a sling moved its heavy end by so much, kg m: towards a point that is off the immovable particles of its
   tethers by these vectors. */
void sn_hierarchy_note_sling(const sn_hierarchy *h, sn_hierarchy_sling *sling, sn_vec3 first, sn_vec3 second,
                             sn_dvec3 by);

/* After the last pass of a step: sums what was noted, and adds it to the multipliers of rigid pins. */
void sn_hierarchy_add_pulls(sn_hierarchy *h, const sn_solver_in *in);

/* hierarchy_rods.c: the kinds of rods that stiff meshes have. */
extern const uint32_t sn_limited_kinds[SN_LIMITED_KINDS];

/* Whether limits carry a part of the load of a rod. slot: by the number of a particle. */
bool sn_hierarchy_carries(const sn_hierarchy *h, const sn_pool *pool, uint32_t row, const uint32_t *slot);

/* Adds what limits carried in the last substep to the multipliers of rods, in arrays by kind and row. False when memory
   runs out. */
bool sn_hierarchy_share_out(const sn_hierarchy *h, const sn_solver_in *in, const sn_allocator *allocator,
                            sn_real *const to[SN_LIMITED_KINDS]);

static inline sn_dvec3 hierarchy_pulled(const sn_wide_pulled *pulled, uint32_t lane)
{
    return (sn_dvec3){(double)pulled->by[0][lane], (double)pulled->by[1][lane], (double)pulled->by[2][lane]};
}

/* What limits exerted on a particle in the last substep, times h^2, kg m. x: with inverse masses, by slot. */
sn_dvec3 sn_hierarchy_exerted_on(const sn_hierarchy *h, const sn_vec4 *x, uint32_t slot);

/* Writes which meshes have limits, which have not, and why. `solids` of the soft ones, with `particles`, have a lattice
   (solids.h). */
void sn_hierarchy_tell(const sn_hierarchy *h, uint32_t solids, uint32_t particles, char *text, size_t size);

#endif
