/* Meshes as triangles and balls of a picture, for pictures of scenes (show.c) and of recorded runs (replay.c). */
#ifndef SN_EXPORT_DRAW_MESH_H
#define SN_EXPORT_DRAW_MESH_H

#include "export/raster.h"

#include <sinew/sinew.h>

#define SN_DRAW_THIN      0.0035f /* half of the thickness of a line, as a share of the size of everything, */
#define SN_DRAW_MOST_THIN 0.03f   /* but at most this, m */
#define SN_DRAW_SINGLE    0.017f  /* the radius of a particle without one, as a share of the size */

static inline sn_vec3 sn_draw_sub(sn_vec3 a, sn_vec3 b)
{
    return (sn_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline sn_vec3 sn_draw_add(sn_vec3 a, sn_vec3 b)
{
    return (sn_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline sn_vec3 sn_draw_cross(sn_vec3 a, sn_vec3 b)
{
    return (sn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline bool sn_draw_is_finite(sn_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline void sn_draw_floats(float to[3], sn_vec3 a)
{
    to[0] = (float)a.x;
    to[1] = (float)a.y;
    to[2] = (float)a.z;
}

/* Enlarges a box so that it contains a ball. Ignores a position that is not finite. */
void sn_draw_extend(float low[3], float high[3], sn_vec3 at, sn_real radius);

/* Triangles with a normal for each of their corners. An edge sharper than about 37 degrees is shaded as sharp. */
typedef struct sn_facets {
    uint32_t triangles;
    const uint32_t *triangle; /* not copied */
    sn_vec3 *normal;          /* of any length; to be freed */
} sn_facets;

/* False when memory runs out. */
bool sn_facets_make(sn_facets *facets, const sn_vec3 *vertex, uint32_t vertices, const uint32_t *triangle,
                    uint32_t triangles);

/* Sets corner k of a triangle. A normal of length 0 is replaced by one that points up. False if the position is not
   finite. */
bool sn_draw_corner(sn_raster_triangle *triangle, uint32_t k, sn_vec3 place, sn_vec3 normal);

/* Draws a smooth surface. normal: room for as many as there are vertices. skip (may be NULL) returns true for three
   vertices whose triangle is not drawn. Marks vertices that are drawn. */
typedef bool sn_draw_skip_fn(const void *context, const uint32_t *corner);
void sn_draw_surface(const sn_vec3 *place, sn_vec3 *normal, unsigned char *drawn, uint32_t vertices,
                     const uint32_t *triangle, uint32_t triangles, uint32_t colour, sn_draw_skip_fn *skip,
                     const void *context, sn_raster_model *model);

/* Half of the thickness of lines, m. thin: the one of SN_DRAW_THIN; own: the radius of the particles. The threads of
   a net are thinner than a rope; otherwise it would look like a sheet. */
float sn_draw_line_radius(uint32_t lines, uint32_t vertices, float thin, float own, bool *is_net);

/* A slightly different colour for each grain of a heap, so that grains can be told apart. */
uint32_t sn_draw_varied(uint32_t colour, uint32_t i);

#endif
