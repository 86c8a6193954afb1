#include "export/draw_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CREASE 0.8f /* the cosine of the angle up to which an edge is shaded smoothly */

static double dot(sn_vec3 a, sn_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

void sn_draw_extend(float low[3], float high[3], sn_vec3 at, sn_real radius)
{
    const double x[3] = {(double)at.x, (double)at.y, (double)at.z};
    for (int k = 0; k < 3 && sn_draw_is_finite(at); ++k) {
        low[k] = fminf(low[k], (float)(x[k] - (double)radius));
        high[k] = fmaxf(high[k], (float)(x[k] + (double)radius));
    }
}

/* The normal, with a length of twice the area. */
static sn_vec3 face_normal(const sn_vec3 *vertex, const uint32_t *t)
{
    return sn_draw_cross(sn_draw_sub(vertex[t[1]], vertex[t[0]]), sn_draw_sub(vertex[t[2]], vertex[t[0]]));
}

/* The normal at a corner is the sum over the faces around the vertex whose normals differ little from that of this
   face. */
bool sn_facets_make(sn_facets *facets, const sn_vec3 *vertex, uint32_t vertices, const uint32_t *triangle,
                    uint32_t triangles)
{
    *facets = (sn_facets){.triangles = triangles, .triangle = triangle};
    uint32_t *start = calloc((size_t)vertices + 2, sizeof *start),
             *of = malloc((3 * (size_t)triangles + 1) * sizeof *of);
    facets->normal = malloc((3 * (size_t)triangles + 1) * sizeof *facets->normal);
    bool good = start && of && facets->normal;
    for (uint32_t i = 0; good && i < 3 * triangles; ++i)
        start[triangle[i] + 2]++;
    for (uint32_t i = 0; good && i < vertices; ++i)
        start[i + 2] += start[i + 1];
    for (uint32_t i = 0; good && i < 3 * triangles; ++i)
        of[start[triangle[i] + 1]++] = i / 3;
    for (uint32_t i = 0; good && i < 3 * triangles; ++i) {
        const sn_vec3 own = face_normal(vertex, triangle + 3 * (size_t)(i / 3));
        sn_vec3 sum = {0, 0, 0};
        for (uint32_t k = start[triangle[i]]; k < start[triangle[i] + 1]; ++k) {
            const sn_vec3 other = face_normal(vertex, triangle + 3 * (size_t)of[k]);
            if (dot(own, other) >= (double)CREASE * sqrt(dot(own, own) * dot(other, other)))
                sum = sn_draw_add(sum, other);
        }
        facets->normal[i] = sum;
    }
    free(start);
    free(of);
    return good;
}

bool sn_draw_corner(sn_raster_triangle *triangle, uint32_t k, sn_vec3 place, sn_vec3 normal)
{
    const double length = sqrt(dot(normal, normal));
    sn_draw_floats(triangle->place[k], place);
    sn_draw_floats(triangle->normal[k], normal);
    for (int j = 0; j < 3; ++j)
        triangle->normal[k][j] = (float)(length > 0 ? (double)triangle->normal[k][j] / length : j == 1);
    return sn_draw_is_finite(place);
}

void sn_draw_surface(const sn_vec3 *place, sn_vec3 *normal, unsigned char *drawn, uint32_t vertices,
                     const uint32_t *triangle, uint32_t triangles, uint32_t colour, sn_draw_skip_fn *skip,
                     const void *context, sn_raster_model *model)
{
    memset(normal, 0, vertices * sizeof *normal);
    for (uint32_t t = 0; t < triangles; ++t) {
        const uint32_t *corner = triangle + 3 * (size_t)t;
        const sn_vec3 n = face_normal(place, corner);
        for (int k = 0; k < 3 && !(skip && skip(context, corner)); ++k) {
            normal[corner[k]] = sn_draw_add(normal[corner[k]], n);
            drawn[corner[k]] = 1;
        }
    }
    for (uint32_t t = 0; t < triangles; ++t) {
        const uint32_t *corner = triangle + 3 * (size_t)t;
        sn_raster_triangle one = {.colour = colour};
        bool finite = !(skip && skip(context, corner));
        for (uint32_t k = 0; k < 3 && finite; ++k)
            finite = sn_draw_corner(&one, k, place[corner[k]], normal[corner[k]]);
        if (finite)
            sn_raster_add_triangle(model, &one);
    }
}

float sn_draw_line_radius(uint32_t lines, uint32_t vertices, float thin, float own, bool *is_net)
{
    *is_net = lines > 1.3 * vertices;
    return *is_net ? 0.8f * thin : fmaxf(1.35f * thin, fminf(own, 3 * thin));
}

uint32_t sn_draw_varied(uint32_t colour, uint32_t i)
{
    const int by = (int)(i * 2654435761u >> 27) - 16;
    uint32_t result = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        const int tone = (int)(colour >> shift & 255) + by;
        result |= (uint32_t)(tone < 0 ? 0 : tone > 255 ? 255 : tone) << shift;
    }
    return result;
}
