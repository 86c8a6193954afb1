/* What making a hierarchy needs besides it. */
#ifndef SN_SOLVERS_HIERARCHY_WORK_H
#define SN_SOLVERS_HIERARCHY_WORK_H

#include "solvers/hierarchy.h"

/* Particles that can move, at least: what is smaller has too few aggregates. */
#define SN_LEAST_MESH 400u

/* Batches whose notes are looked at together: see tiled_mend.c. */
#define SN_AT_ONCE 4u

/* Groups of immovable particles that hold one particle, or aggregate. */
#define SN_HOLD_GROUPS 2u

/* What is cut into aggregates. By number of what is cut: */
typedef struct hierarchy_graph {
    uint32_t *start; /* its edges */
    hierarchy_edge *edge;
    bool *fixed;
    uint32_t *aggregate; /* out; SN_PLAN_NONE before */
    uint32_t *root;      /* out: that took it; SN_PLAN_NONE, also before: none did, it joined later */
    uint32_t *size;      /* out, by aggregate */
    sn_real *to_root;    /* out: the rest of the edge to the root */
} hierarchy_graph;

/* On the way from immovable particles to others: see hierarchy_hold.c. */
typedef struct hierarchy_visit {
    sn_real far;  /* m, along edges; infinite: a tear lies on the way */
    sn_real flat; /* the least flatness on the way */
    uint32_t node, pin;
    uint32_t from; /* the visit before it on the way; SN_PLAN_NONE: this is the first */
    uint32_t hold; /* of particles: the number of what came of it; SN_PLAN_NONE: nothing */
} hierarchy_visit;

typedef struct hierarchy_link {
    uint32_t a, b; /* aggregates, a < b */
    sn_real most;  /* m */
} hierarchy_link;

/* Limits of a level while they are dealt out: see hierarchy_stages.c. By aggregate, unless said otherwise: */
typedef struct hierarchy_deal {
    uint32_t *group; /* its share in this phase */
    uint32_t *local; /* its number in */
    uint32_t *named; /*   this list, */
    uint32_t *queue; /*   by whose number this is */
    uint32_t *start; /* by share: its limits */
    uint32_t *from;  /* the first share that has it; NONE: none does, */
    uint32_t *to;    /*   and the last */
    sn_hierarchy_far *far;
    hierarchy_link *sorted;
} hierarchy_deal;

/* What following tears needs: see hierarchy_follow.c. */
typedef struct hierarchy_tears {
    bool indexed;        /* limit, way_of and far_at are there */
    uint32_t followed;   /* torn slots that were looked at */
    bool pins;           /* one of these is immovable */
    uint32_t turn;       /* of hierarchy_work.stamp */
    bool *torn;          /* by slot */
    uint8_t *state;      /* by aggregate: flags */
    uint16_t *there;     /* by batch: lanes of limits that are there */
    uint32_t *start;     /* by aggregate: its limits, in */
    uint32_t *limit;     /*   this list: batch and lane */
    uint32_t *way_start; /* by aggregate: its ways, in */
    uint32_t *way_of;    /*   this list of items */
    uint32_t *far_at;    /* by id: its number */
    uint32_t *stack;     /* of visits */
    bool *seen;          /* by slot, or aggregate; */
    uint32_t *queue;     /*   and a list of these */
    uint32_t *list[2];   /* of aggregates: those of a level, and those of the next */
} hierarchy_tears;

/* What is known of an aggregate's rest shape. */
typedef struct hierarchy_form {
    double centre[3]; /* m */
    double normal[3]; /* of unit length; 0: it has none */
    double longer;    /* unfolded it is longer by this factor, at most */
    double longest;   /* of its rods, and of those that leave it: the rest length by that in the shape, at most */
    uint64_t since;   /* its particles were noted then */
    uint32_t count;   /* of particles */
    bool sound;       /* limits can be taken from it */
    bool solid;       /* it fills space: it has no normal, and cannot be flattened */
} hierarchy_form;

typedef struct hierarchy_work {
    sn_hierarchy *h;
    const sn_solver_in *in;
    const sn_allocator *allocator;
    bool failed;     /* memory ran out */
    uint32_t blocks; /* of scratch, taken so far */

    uint32_t slots; /* of the plan */
    const sn_mesh_rod *rod;
    uint32_t rods;
    const sn_real *w; /* by slot */
    uint32_t *mesh;   /* by slot: SN_PLAN_NONE or its mesh */
    uint32_t *tile;   /* by slot */
    uint32_t *place;  /* by slot: in planes, the float of its x */
    uint32_t *start;  /* by slot: its edges, */
    uint32_t *leaves; /*   of which those from here on lead to other tiles */
    hierarchy_edge *edge;
    uint32_t *node;       /* by slot: its aggregate */
    uint32_t *root;       /* by slot: that it was taken by; SN_PLAN_NONE: joined later, */
    sn_real *to_root;     /*   and the rod to it */
    hierarchy_form *form; /* by aggregate */
    uint32_t form_room;

    hierarchy_link *link, *own, *between,
        *all; /* limits: found last; scratch; of the first level, between tiles, and all */
    uint32_t betweens;
    uint8_t *colour;             /* by limit, or batch of them */
    uint32_t *batch;             /* by limit: see sn_hierarchy_add_row_runs; */
    uint32_t *batch_at;          /*   and by batch there */
    uint64_t *colours;           /* by aggregate */
    double *way;                 /* by aggregate: along rods to the root of the one that is looked at */
    uint32_t *stamp;             /* by aggregate: see add_link */
    uint32_t *local;             /* by aggregate: its number in a level */
    uint32_t *pin_of;            /* by slot: its number among immovable ones, */
    uint32_t *group;             /* by that number: which of them hang together */
    uint32_t firsts;             /* aggregates of the first level, */
    uint32_t *held_by;           /*   and SN_HOLD_GROUPS for each: one more than the group that holds it; 0: none */
    hierarchy_visit *visit;      /* SN_HOLD_GROUPS by number in `graph`, */
    uint8_t *visits;             /*   and how many there are */
    uint32_t *row_hold;          /* by row of a tile in planes: see hold_rows in hierarchy_hold.c */
    hierarchy_visit *hold_visit; /* of particles, as of aggregates: SN_HOLD_GROUPS by slot, */
    uint8_t *hold_visits;        /*   and how many */
    hierarchy_tears tears;
    hierarchy_deal deal;
    hierarchy_graph graph;
    hierarchy_graph rows; /* of a tile in planes */
} hierarchy_work;

/* Zeroed memory that is good until the hierarchy is made again; NULL, with `failed` set, when there is none. */
void *sn_hierarchy_scratch(hierarchy_work *w, size_t count, size_t size);

/* Room for `more` at the end of a table, counted in. */
bool sn_hierarchy_grow(hierarchy_work *w, sn_table *table, uint32_t more);

/* hierarchy_build.c: points the arrays at their tables. */
void sn_hierarchy_bind(sn_hierarchy *h);

/* hierarchy_meshes.c: the inverse mass of a particle as it will be in the step; numbers the meshes that get a hierarchy, and lists their
   rods. */
sn_real sn_hierarchy_inverse_mass(const sn_solver_in *in, uint32_t slot);
void sn_hierarchy_choose(hierarchy_work *w);

/* The same from the base: those that were chosen when it was made. */
void sn_hierarchy_choose_again(hierarchy_work *w);

/* hierarchy_follow.c: room for it; and limits lose what torn slots leave none of that were not looked at yet. */
void sn_hierarchy_reserve_tears(hierarchy_work *w);
void sn_hierarchy_follow(hierarchy_work *w, const sn_solver_in *in);

/* m: from the centre of an aggregate to an immovable particle, in the rest shape. */
sn_real sn_hierarchy_far_from(const hierarchy_work *w, uint32_t node, uint32_t pin);

/* As of limits: what rounding makes of places is no stretch. */
#define SN_HOLD_SLACK ((sn_real)(1 + 1e-4))

/* Cuts first .. end - 1 into aggregates along edges between those that both are fixed or both are not. In the order of their numbers, each
   none of whose neighbours has been taken is the root of one, and takes these; what is left joins the smallest beside it. Their
   numbers are from `next` on; gives how many there are. What has no edges is in none. */
uint32_t sn_hierarchy_cut(const hierarchy_graph *g, uint32_t first, uint32_t end, uint32_t next);

/* hierarchy_rows.c: the same for a tile in planes, with its part; 0: it does not fit. Room for it comes before, the weights after. */
bool sn_hierarchy_reserve_rows(hierarchy_work *w);
uint32_t sn_hierarchy_cut_rows(hierarchy_work *w, uint32_t index, uint32_t next);
void sn_hierarchy_weigh_rows(hierarchy_work *w);

/* Limits between groups, in the order of their first ends, as batches. */
void sn_hierarchy_add_row_runs(hierarchy_work *w, sn_hierarchy_part *part, const hierarchy_link *link, uint32_t count);

/* hierarchy_levels.c, in this order: edges of particles, and their tiles; aggregates of particles, tile by tile; what is in each; and
   limits, and levels above. */
void sn_hierarchy_find_edges(hierarchy_work *w);
void sn_hierarchy_find_tiles(hierarchy_work *w);
void sn_hierarchy_cut_tiles(hierarchy_work *w);
void sn_hierarchy_list_particles(hierarchy_work *w);
void sn_hierarchy_add_levels(hierarchy_work *w);

/* The mass of an aggregate, and the shares of its members: w_of has their inverse masses. */
void sn_hierarchy_weigh(hierarchy_work *w, uint32_t node, const sn_real *w_of);

/* Colours limits, and writes them as batches. */
void sn_hierarchy_add_runs(hierarchy_work *w, const hierarchy_link *link, uint32_t count, uint32_t *first,
                           uint32_t *runs);

/* hierarchy_stages.c: room, for so many limits; deals out those between tiles, and those of a level above, between the aggregates `id`,
   which it sorts; then what is held in that level, from `far` on; and in the end, when all levels are there, what runs when. */
bool sn_hierarchy_reserve_deal(hierarchy_work *w, uint32_t pairs);
void sn_hierarchy_deal_between(hierarchy_work *w, uint32_t mesh, hierarchy_link *link, uint32_t count,
                               const uint32_t *id, uint32_t nodes);
void sn_hierarchy_deal_level(hierarchy_work *w, uint32_t mesh, hierarchy_link *link, uint32_t count, const uint32_t *id,
                             sn_hierarchy_level *level);
void sn_hierarchy_deal_fars(hierarchy_work *w, const sn_hierarchy_level *level, uint32_t far);
void sn_hierarchy_add_stages(hierarchy_work *w);

/* hierarchy_hold.c: numbers the immovable particles; finds the particles near them; and holds the aggregates of a level, `id` by number in
   `graph`. */
void sn_hierarchy_find_pins(hierarchy_work *w);
void sn_hierarchy_find_holds(hierarchy_work *w);
void sn_hierarchy_hold_level(hierarchy_work *w, uint32_t mesh, const uint32_t *id, uint32_t count);

/* hierarchy_shape.c: notes where particles of meshes are, if they have no rest shape; mesh, by slot: SN_PLAN_NONE for all others. And the rest shape of aggregates of particles, and of larger ones. */
bool sn_hierarchy_note_shapes(const sn_solver_in *in, const sn_allocator *allocator, const uint32_t *mesh,
                              uint32_t slots);
void sn_hierarchy_find_form(hierarchy_work *w, uint32_t node);
void sn_hierarchy_join_forms(hierarchy_work *w, uint32_t node);

/* Whether the way along rods from one centre to another is much longer than the straight one. */
bool sn_hierarchy_is_detour(const hierarchy_form *a, const hierarchy_form *b, double way);

/* Its centre becomes the place of a particle. */
void sn_hierarchy_put_form(const hierarchy_work *w, hierarchy_form *form, uint32_t slot);

/* m: between centres */
sn_real sn_hierarchy_distance(const hierarchy_form *a, const hierarchy_form *b);

/* The limit between two aggregates, m; 0: there can be none. */
double sn_hierarchy_limit(const hierarchy_form *a, const hierarchy_form *b);

/* Sets that are joined two by two: by number another one of its set; the lowest one stands for all. */
static inline uint32_t sets_find(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static inline void sets_join(uint32_t *parent, uint32_t i, uint32_t k)
{
    const uint32_t a = sets_find(parent, i), b = sets_find(parent, k);
    if (a != b)
        parent[a > b ? a : b] = a < b ? a : b;
}

#endif
