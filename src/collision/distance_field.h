/* Signed distance fields: a function of the user, or a grid of samples. */
#ifndef SN_COLLISION_DISTANCE_FIELD_H
#define SN_COLLISION_DISTANCE_FIELD_H

#include "base/parallel.h"
#include "collision/trimesh.h"

/* The distance in m from the surface to p, negative inside. Must be a true distance near the surface, and never more
   than it elsewhere. Called from several threads at once. */
typedef sn_real sn_distance_fn(void *context, sn_vec3 p);

typedef struct sn_distance_grid {
    sn_vec3 low;       /* m: position of the first sample */
    sn_real cell;      /* m: between samples */
    uint32_t count[3]; /* samples along x, y and z, at least 2 each */
    sn_real *sample;   /* x varies fastest */
} sn_distance_grid;

typedef struct sn_distance_field {
    sn_distance_grid grid; /* sample NULL: the function is used */
    sn_distance_fn *function;
    void *context;
    sn_bounds bounds; /* they enclose the surface */
} sn_distance_field;

/* The fewest samples for a mesh: one cell, and two more samples on every side. */
#define SN_GRID_LEAST 216u

/* Samples a closed mesh, with cells of about this size and two more samples on every side. Cells are longer if the grid
   would otherwise have more than `most` samples (or SN_GRID_LEAST). A cell of 0: as small as `most` allows. parallel
   NULL: on this thread. Tasks that the caller's task system loses are run here. False when memory runs out: the grid is
   then empty. */
bool sn_distance_grid_bake(sn_distance_grid *grid, const sn_allocator *allocator, sn_parallel *parallel,
                           const sn_trimesh *mesh, sn_real cell, uint32_t most);
void sn_distance_grid_release(sn_distance_grid *grid, const sn_allocator *allocator);

/* Distance and normal at p. A grid is interpolated trilinearly, and the normal is the gradient of that. For a function
   the gradient uses central differences over about a 2000th of its size. Outside the grid: the value at its border plus
   the distance to the border, which is a little more than the true distance. touch->point is p - distance * normal.
   Where the gradient vanishes, the normal is (0, 1, 0). */
void sn_distance_field_near(const sn_distance_field *field, sn_vec3 p, sn_touch *touch);

/* When a moving sphere first touches the surface: where the distance at its centre equals its radius; t in 0 .. 1.
   Functions: sphere tracing, guarded against fields that are no true distance (bisection where the sign changes; at
   most 256 steps, of which the last are long enough to reach the end). Grids: near the surface cell by cell, where the
   field is a cubic along the path, so that nothing is passed. Precise to 1e-6 of the path and a few rounding errors.
   For spheres in contact at the start, like sn_solid_cast, but a sphere that moves outwards or along can touch a nearer
   part later. A function that returns NaN ends the path without a contact. */
bool sn_distance_field_cast(const sn_distance_field *field, const sn_path *path, sn_real *t, sn_touch *touch);

#endif
