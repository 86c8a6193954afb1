/* Bodies of all shapes, to plan and to solve, and random edits of them. */
#ifndef SINEW_TESTS_GRAPHS_H
#define SINEW_TESTS_GRAPHS_H

#include "support/support.h"

/* Adds a body to a world. size is about the number of its particles. */
typedef void graph_fn(sn_world *world, uint32_t size, uint64_t *seed);

typedef struct graph_shape {
    const char *name;
    graph_fn *build;
    uint32_t large; /* a size at which there are several tiles, if it can be had */
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

/* A grid of rods, width particles wide, with rods over two where asked for; the left upper corner is immovable. */
sn_particles graph_grid(sn_world *world, uint32_t width, uint32_t height, bool over_two);

/* particles of which `count` - 1 are joined to the first by rods. */
sn_particles graph_star(sn_world *world, uint32_t count);

/* A particle or constraint of the world, chosen at random; null if there is none, or none was hit. */
sn_particle graph_any_particle(const sn_world *world, uint64_t *seed);
sn_constraint graph_any_constraint(const sn_world *world, uint64_t *seed);

/* One random edit: something comes, goes, or changes. rare: also what makes a plan start anew. Edits that the world refuses
   change nothing, and the same seed makes the same edits in equal worlds. */
void graph_edit(sn_world *world, uint64_t *seed, bool rare);

/* Brings the plan up to date and checks it. */
#define assert_planned(world, what) graph_assert_planned((world), (what), __FILE__, __LINE__)
void graph_assert_planned(sn_world *world, const char *what, const char *file, int line);

/* The farthest that a particle of one world is from that of the same number in another, m. */
double graph_distance(const sn_world *a, const sn_world *b);

/* Two plans are the same, array by array, and so is the order of storage. */
#define assert_same_plan(a, b, what) graph_assert_same_plan((a), (b), (what), __FILE__, __LINE__)
void graph_assert_same_plan(const sn_world *a, const sn_world *b, const char *what, const char *file, int line);

/* The share of all constraints that are projected which is in planes. */
double graph_share_in_planes(const sn_world *world);

#endif
