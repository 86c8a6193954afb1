/* Working data for making a hierarchy. */
#ifndef SN_SOLVERS_HIERARCHY_WORK_H
#define SN_SOLVERS_HIERARCHY_WORK_H

#include "base/sets.h"
#include "solvers/hierarchy.h"

/* Batches whose marks are checked together: see tiled_mend.c. */
#define SN_AT_ONCE 4u

/* Groups of immovable particles that hold one particle, or aggregate. */
#define SN_TETHER_GROUPS 2u

/* A graph that is cut into aggregates. By number of a node: */
typedef struct hierarchy_graph {
    uint32_t *start; /* first of its edges */
    hierarchy_edge *edge;
    uint8_t *class;      /* aggregates have nodes of one class: of immovable, heavy, or other particles */
    uint32_t *aggregate; /* result; SN_PLAN_NONE before */
    uint32_t *root;      /* result: the root that took it, or SN_PLAN_NONE if it joined later; SN_PLAN_NONE before */
    uint32_t *size;      /* result, by aggregate */
    sn_real *to_root;    /* result: the rest length of the edge to the root */
} hierarchy_graph;

/* A node reached from an immovable particle: see hierarchy_tethers.c. */
typedef struct hierarchy_visit {
    sn_real far;  /* m, along edges; infinite: there is a tear on the path */
    sn_real flat; /* the least flatness on the path */
    uint32_t node, pin;
    uint32_t from;   /* the previous visit on the path; SN_PLAN_NONE: this is the first */
    uint32_t tether; /* of particles: the number of the tether; SN_PLAN_NONE: there is none */
    sn_real most;    /* m, of particles: the length of the tether; 0: not known yet */
    bool leans;      /* it is shorter than along rods because that of `from` is */
} hierarchy_visit;

typedef struct hierarchy_link {
    uint32_t a, b; /* aggregates, a < b */
    sn_real most;  /* m */
} hierarchy_link;

/* Working data for dividing the limits of a level into shares: see hierarchy_stages.c. By aggregate, unless noted
   otherwise: */
typedef struct hierarchy_deal {
    uint32_t *group; /* its share in this phase */
    uint32_t *local; /* its index in named */
    uint32_t *named; /* aggregates of limits */
    uint32_t *queue; /* scratch: indices in named */
    uint32_t *start; /* by share: its first limit */
    uint32_t *from;  /* the first share with it; NONE: none */
    uint32_t *to;    /* the last share with it */
    sn_hierarchy_far *far;
    hierarchy_link *sorted;
} hierarchy_deal;

/* Working data for following tears: see hierarchy_follow.c. */
typedef struct hierarchy_tears {
    bool indexed;         /* limit, path_of and far_at are made */
    uint32_t followed;    /* number of entries of torn_table that have been followed */
    bool pins;            /* a torn particle is immovable */
    uint32_t turn;        /* the current value for hierarchy_work.stamp */
    bool *torn;           /* by slot */
    uint8_t *state;       /* by aggregate: flags */
    uint16_t *there;      /* by batch: lanes of limits that still exist */
    uint32_t *start;      /* by aggregate: its first limit in `limit` */
    uint32_t *limit;      /* batch and lane of limits */
    uint32_t *path_start; /* by aggregate: its first entry in path_of */
    uint32_t *path_of;    /* items of sn_hierarchy_path */
    uint32_t *far_at;     /* by id of a tether: its index */
    uint32_t *stack;      /* of visits */
    bool *seen;           /* by slot, or aggregate */
    uint32_t *queue;      /* a list of these */
    uint32_t *list[2];    /* of aggregates: those of a level, and those of the next */
} hierarchy_tears;

/* The rest shape of an aggregate. */
typedef struct hierarchy_form {
    double centre[3]; /* m */
    double normal[3]; /* of length 1; 0: none */
    double longer;    /* bound of the factor by which unfolding makes it longer */
    double longest;   /* of its rods and those that leave it: the largest rest length relative to the shape */
    uint64_t since;   /* when its particles were noted */
    uint32_t count;   /* of particles */
    bool sound;       /* limits may be derived from it */
    bool solid;       /* it fills space: it has no normal, and cannot be flattened */
} hierarchy_form;

typedef struct hierarchy_work {
    sn_hierarchy *h;
    const sn_solver_in *in;
    const sn_allocator *allocator;
    bool failed;     /* memory ran out */
    uint32_t blocks; /* number of scratch blocks in use */

    uint32_t slots; /* those of the plan */
    const sn_mesh_rod *rod;
    uint32_t rods;
    const sn_real *w; /* by slot */
    uint32_t *mesh;   /* by slot: its mesh, or SN_PLAN_NONE */
    uint32_t *tile;   /* by slot */
    uint32_t *place;  /* by slot: in planes, the index of its x among the floats */
    uint32_t *start;  /* by slot: its first edge */
    uint32_t *leaves; /* by slot: from here on its edges lead to other tiles */
    hierarchy_edge *edge;
    uint32_t *node;       /* by slot: its aggregate */
    uint32_t *root;       /* by slot: the root that took it; SN_PLAN_NONE: it joined later */
    sn_real *to_root;     /* by slot: length of the rod to the root */
    hierarchy_form *form; /* by aggregate */
    uint32_t form_room;

    /* Limits: those found last; scratch; those of the first level between tiles; and all of the first level. */
    hierarchy_link *link, *own, *between, *all;
    uint32_t betweens;
    uint8_t *colour;               /* by limit, or by batch of limits */
    uint32_t *batch;               /* by limit: its batch, see sn_hierarchy_add_row_runs */
    uint32_t *batch_at;            /* by batch there: its place */
    uint64_t *colours;             /* by aggregate: colours in use */
    double *path;                  /* by aggregate: distance along rods from root to root, for the present aggregate */
    uint32_t *stamp;               /* by aggregate: see add_link */
    uint32_t *local;               /* by aggregate: its number in a level */
    uint32_t *pin_of;              /* by slot: its number among immovable particles */
    uint32_t *group;               /* by that number: connected immovable particles */
    uint32_t firsts;               /* number of aggregates of the first level */
    uint32_t *held_by;             /* for each of these SN_TETHER_GROUPS: 1 + the group that holds it; 0: none */
    hierarchy_visit *visit;        /* SN_TETHER_GROUPS for each number in `graph` */
    uint8_t *visits;               /* number of visits in use */
    uint32_t *row_tether;          /* by row of a tile in planes: see tether_rows in hierarchy_tethers.c */
    hierarchy_visit *tether_visit; /* the same for particles: SN_TETHER_GROUPS by slot */
    uint8_t *tether_visits;        /* number of visits in use */
    uint8_t *held;                 /* by slot: it is held at any distance, because it is heavy, or bears a heavy one */
    hierarchy_tears tears;
    hierarchy_deal deal;
    hierarchy_graph graph;
    hierarchy_graph rows; /* of a tile in planes */
} hierarchy_work;

/* Zeroed memory that is valid until the hierarchy is made again. NULL, with `failed` set, when memory runs out. */
void *sn_hierarchy_scratch(hierarchy_work *w, size_t count, size_t size);

/* Appends `more` elements to a table. */
bool sn_hierarchy_grow(hierarchy_work *w, sn_table *table, uint32_t more);

/* hierarchy_build.c: sets the array pointers from the tables. */
void sn_hierarchy_bind(sn_hierarchy *h);

/* hierarchy_meshes.c: the inverse mass of a particle in the coming step; and sn_hierarchy_choose: numbers the meshes
   with a hierarchy, and lists their rods. */
sn_real sn_hierarchy_inverse_mass(const sn_solver_in *in, uint32_t slot);

/* The same for limits: 0 for particles with pins, too. */
sn_real sn_hierarchy_limit_mass(const sn_solver_in *in, uint32_t slot);
void sn_hierarchy_choose(hierarchy_work *w);

/* The same from the base: the meshes that were chosen when it was made. */
void sn_hierarchy_choose_again(hierarchy_work *w);

/* hierarchy_follow.c: reserves memory; and removes the limits of torn slots that have not been followed yet. */
void sn_hierarchy_reserve_tears(hierarchy_work *w);
void sn_hierarchy_follow(hierarchy_work *w, const sn_solver_in *in);

/* Values of `held`. */
enum { HIERARCHY_HEAVY = 1, HIERARCHY_BEARS };

/* Of a particle: see hierarchy_graph.class. */
enum { HIERARCHY_LIGHT, HIERARCHY_FIXED, HIERARCHY_WEIGHT };

static inline uint8_t hierarchy_class(const hierarchy_work *w, uint32_t slot)
{
    return w->w[slot] == 0 ? HIERARCHY_FIXED : w->held[slot] == HIERARCHY_HEAVY ? HIERARCHY_WEIGHT : HIERARCHY_LIGHT;
}

/* hierarchy_slings.c: finds heavy particles and slings, when edges are known; ties these to tethers; and releases those
   that are torn. */
void sn_hierarchy_find_slings(hierarchy_work *w);
void sn_hierarchy_tie_slings(hierarchy_work *w);
void sn_hierarchy_free_slings(hierarchy_work *w);

/* The distance of an aggregate's centre from an immovable particle in the rest shape, m. */
sn_real sn_hierarchy_far_from(const hierarchy_work *w, uint32_t node, uint32_t pin);

/* As for limits: rounding of positions must not count as stretch. */
#define SN_TETHER_SLACK ((sn_real)(1 + 1e-4))

/* Cuts nodes first .. end - 1 into aggregates, along edges between nodes of one class. In the
   order of numbers, a node without neighbours in aggregates becomes a root, and takes its neighbours. Remaining nodes
   join the smallest aggregate beside them. Aggregates are numbered from `next` on; returns how many there are. A node
   without edges is in none. */
uint32_t sn_hierarchy_cut(const hierarchy_graph *g, uint32_t first, uint32_t end, uint32_t next);

/* hierarchy_rows.c: the same for a tile in planes, with its part; returns 0 if that is not possible.
   sn_hierarchy_reserve_rows comes before, sn_hierarchy_weigh_rows after. */
bool sn_hierarchy_reserve_rows(hierarchy_work *w);
uint32_t sn_hierarchy_cut_rows(hierarchy_work *w, uint32_t index, uint32_t next);
void sn_hierarchy_weigh_rows(hierarchy_work *w);

/* Adds limits between groups, in the order of their first ends, as batches. */
void sn_hierarchy_add_row_runs(hierarchy_work *w, sn_hierarchy_part *part, const hierarchy_link *link, uint32_t count);

/* hierarchy_levels.c, in this order: edges of particles, and their tiles; aggregates of particles, tile by tile; their
   members; limits, and higher levels. */
void sn_hierarchy_find_edges(hierarchy_work *w);
void sn_hierarchy_find_tiles(hierarchy_work *w);
void sn_hierarchy_cut_tiles(hierarchy_work *w);
void sn_hierarchy_list_particles(hierarchy_work *w);
void sn_hierarchy_add_levels(hierarchy_work *w);

/* Computes the mass of an aggregate, and the weights of its members, whose inverse masses are w_of. */
void sn_hierarchy_weigh(hierarchy_work *w, uint32_t node, const sn_real *w_of);

/* Colours limits, and adds them as batches. */
void sn_hierarchy_add_runs(hierarchy_work *w, const hierarchy_link *link, uint32_t count, uint32_t *first,
                           uint32_t *runs);

/* hierarchy_stages.c: reserves memory for `pairs` limits; divides the limits between tiles into shares; then those of a
   higher level with the aggregates `id`, which sorts the limits; then the tethers of that level, from `far` on; and at
   the end makes the stages of all levels. */
bool sn_hierarchy_reserve_deal(hierarchy_work *w, uint32_t pairs);
void sn_hierarchy_deal_between(hierarchy_work *w, uint32_t mesh, hierarchy_link *link, uint32_t count,
                               const uint32_t *id, uint32_t nodes);
void sn_hierarchy_deal_level(hierarchy_work *w, uint32_t mesh, hierarchy_link *link, uint32_t count, const uint32_t *id,
                             sn_hierarchy_level *level);
void sn_hierarchy_deal_fars(hierarchy_work *w, const sn_hierarchy_level *level, uint32_t far);
void sn_hierarchy_add_stages(hierarchy_work *w);

/* hierarchy_tethers.c: numbers the immovable particles; finds tethers of particles; and of the aggregates of a level, `id`
   by number in `graph`. */
void sn_hierarchy_find_pins(hierarchy_work *w);
void sn_hierarchy_find_tethers(hierarchy_work *w);
void sn_hierarchy_tether_level(hierarchy_work *w, uint32_t mesh, const uint32_t *id, uint32_t count);

/* hierarchy_shape.c: notes the rest shape of particles of meshes that have none (mesh, by slot: SN_PLAN_NONE for other
   particles); and finds the rest shape of aggregates of particles, and of larger ones. */
bool sn_hierarchy_note_shapes(const sn_solver_in *in, const sn_allocator *allocator, const uint32_t *mesh,
                              uint32_t slots);
void sn_hierarchy_find_form(hierarchy_work *w, uint32_t node);
void sn_hierarchy_join_forms(hierarchy_work *w, uint32_t node);

/* Whether the path along rods from one centre to another is much longer than the straight one. */
bool sn_hierarchy_is_detour(const hierarchy_form *a, const hierarchy_form *b, double path);

/* Moves its centre to the position of a particle. */
void sn_hierarchy_put_form(const hierarchy_work *w, hierarchy_form *form, uint32_t slot);

/* The distance of the centres, m. */
sn_real sn_hierarchy_distance(const hierarchy_form *a, const hierarchy_form *b);

/* The limit between two aggregates, m; 0: there cannot be one. */
double sn_hierarchy_limit(const hierarchy_form *a, const hierarchy_form *b);

#endif
