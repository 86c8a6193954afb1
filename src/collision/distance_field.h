/* Signed distance fields: a function of the caller, or a grid of samples. */
#ifndef SN_COLLISION_DISTANCE_FIELD_H
#define SN_COLLISION_DISTANCE_FIELD_H

#include "base/parallel.h"
#include "collision/trimesh.h"

/* m from the surface to p, negative inside. Must be a true distance near the surface, and nowhere more than one; called
   from several threads at once. */
typedef sn_real sn_distance_fn(void *context, sn_vec3 p);

typedef struct sn_distance_grid {
    sn_vec3 low;       /* m: the first sample */
    sn_real cell;      /* m: between samples */
    uint32_t count[3]; /* samples along x, y and z, at least 2 each */
    sn_real *sample;   /* x fastest */
} sn_distance_grid;

typedef struct sn_distance_field {
    sn_distance_grid grid; /* sample NULL: */
    sn_distance_fn *function;
    void *context;
    sn_bounds bounds; /* the surface is inside of these */
} sn_distance_field;

/* The fewest samples that a mesh is baked into: a cell, and two more on every side. */
#define SN_GRID_LEAST 216u

/* Samples a closed mesh: cells of about this size, or longer so that the grid has no more than `most` samples (or
   SN_GRID_LEAST), and two more on every side. A cell of 0: as small as `most` allows. parallel NULL: on this thread;
   tasks that the caller's task system loses are run here. False when memory runs out: the grid is then empty. */
bool sn_distance_grid_bake(sn_distance_grid *grid, const sn_allocator *allocator, sn_parallel *parallel,
                           const sn_trimesh *mesh, sn_real cell, uint32_t most);
void sn_distance_grid_release(sn_distance_grid *grid, const sn_allocator *allocator);

/* Distance and normal at p: trilinear in a grid, with the gradient of that, and central differences of a function, over
   about a 2000th of its size. Outside of the grid, the value at its border plus the way there: a little more than the
   true distance. touch->point is p - distance * normal. Where the gradient vanishes the normal is (0, 1, 0). */
void sn_distance_field_near(const sn_distance_field *field, sn_vec3 p, sn_touch *touch);

/* When a travelling sphere first touches: where the distance at its centre is its radius; t in 0 .. 1. Functions:
   sphere tracing with a guard against fields that are no true distance (bisection where the sign changes; at most 256
   steps, of which the last are long enough to come to the end). Grids: near the surface cell by cell, in which the
   field is a cubic along the way, so that nothing is passed. A touch is precise to 1e-6 of the way and a few roundings.
   As sn_solid_cast for spheres that touch at the start, but one that moves outwards, or along, can meet what comes
   nearer later. A function that gives NaN ends the way without a touch. */
bool sn_distance_field_cast(const sn_distance_field *field, const sn_path *path, sn_real *t, sn_touch *touch);

#endif
