/* Graphs of all shapes, to plan and to solve, and random edits of them. */
#ifndef SINEW_TESTS_GRAPHS_H
#define SINEW_TESTS_GRAPHS_H

#include "support/support.h"

/* Adds a graph to a world. size is roughly the number of its particles. */
typedef void graph_fn(sn_world *world, uint32_t size, uint64_t *seed);

typedef struct graph_shape {
    const char *name;
    graph_fn *build;
    uint32_t large; /* a size with several tiles, if possible */
} graph_shape;

enum {
    GRAPH_EMPTY,
    GRAPH_ONE,
    GRAPH_ROPE,
    GRAPH_GRID,
    GRAPH_CLOTH,
    GRAPH_BLOCK,
    GRAPH_TREE,
    GRAPH_STAR,
    GRAPH_CLIQUES,
    GRAPH_ROPES,
    GRAPH_CLOTHS,
    GRAPH_SHUFFLED,
    GRAPH_GAPS,
    GRAPH_TWICE,
    GRAPH_WILD,
    GRAPH_MIXED,
    GRAPH_SHAPES
};

extern const graph_shape graph_shapes[GRAPH_SHAPES];

/* A grid of rods, width particles wide, optionally with rods to second neighbours; the upper left corner is
   immovable. */
sn_particles graph_grid(sn_world *world, uint32_t width, uint32_t height, bool over_two);

/* Particles of which `count` - 1 are joined to the first by rods. */
sn_particles graph_star(sn_world *world, uint32_t count);

/* A random particle or constraint of the world; null if there is none, or a free number was drawn. */
sn_particle graph_any_particle(const sn_world *world, uint64_t *seed);
sn_constraint graph_any_constraint(const sn_world *world, uint64_t *seed);

/* One random edit: something is added, removed, or changed. rare: also edits for which a plan is made anew. Edits
   that the world refuses change nothing, and the same seed makes the same edits in equal worlds. */
void graph_edit(sn_world *world, uint64_t *seed, bool rare);

/* Updates the plan and checks it. */
#define assert_planned(world, what) graph_assert_planned((world), (what), __FILE__, __LINE__)
void graph_assert_planned(sn_world *world, const char *what, const char *file, int line);

/* The largest distance between particles of the same number in two worlds, m. */
double graph_distance(const sn_world *a, const sn_world *b);

/* Two plans, and the orders of storage, must be equal, array by array. */
#define assert_same_plan(a, b, what) graph_assert_same_plan((a), (b), (what), __FILE__, __LINE__)
void graph_assert_same_plan(const sn_world *a, const sn_world *b, const char *what, const char *file, int line);

/* The share of all projected constraints that are in planes. */
double graph_share_in_planes(const sn_world *world);

#endif
