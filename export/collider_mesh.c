#include "export/collider_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 32, RINGS = 8 }; /* of a sphere: facets around, and rings from a pole to the equator */

/* q turns a. */
static void turn(const double q[4], const double a[3], double out[3])
{
    double t[3];
    for (int i = 0; i < 3; ++i)
        t[i] = 2 * (q[(i + 1) % 3] * a[(i + 2) % 3] - q[(i + 2) % 3] * a[(i + 1) % 3]);
    for (int i = 0; i < 3; ++i)
        out[i] = a[i] + q[3] * t[i] + q[(i + 1) % 3] * t[(i + 2) % 3] - q[(i + 2) % 3] * t[(i + 1) % 3];
}

sn_vec3 sn_collider_place(const sn_collider_def *def, sn_vec3 own)
{
    double q[4] = {(double)def->rotation.x, (double)def->rotation.y, (double)def->rotation.z, (double)def->rotation.w};
    double a[3] = {(double)own.x, (double)own.y, (double)own.z}, r[3];
    turn(q, a, r);
    return (sn_vec3){(sn_real)(r[0] + (double)def->position.x), (sn_real)(r[1] + (double)def->position.y),
                     (sn_real)(r[2] + (double)def->position.z)};
}

/* The other way. */
static void own_place(const sn_collider_def *def, sn_vec3 place, double out[3])
{
    double q[4] = {-(double)def->rotation.x, -(double)def->rotation.y, -(double)def->rotation.z,
                   (double)def->rotation.w};
    double a[3] = {(double)place.x - (double)def->position.x, (double)place.y - (double)def->position.y,
                   (double)place.z - (double)def->position.z};
    turn(q, a, out);
}

static bool take(sn_collider_mesh *mesh, uint32_t vertices, uint32_t triangles)
{
    mesh->vertex = calloc(vertices, sizeof *mesh->vertex);
    mesh->triangle = calloc(3 * (size_t)triangles, sizeof *mesh->triangle);
    if (!mesh->vertex || !mesh->triangle) {
        sn_collider_mesh_release(mesh);
        return false;
    }
    mesh->vertex_count = vertices;
    mesh->triangle_count = triangles;
    return true;
}

void sn_collider_mesh_release(sn_collider_mesh *mesh)
{
    free(mesh->vertex);
    free(mesh->triangle);
    *mesh = (sn_collider_mesh){0};
}

static bool make_plane(const sn_collider_def *def, sn_vec3 centre, sn_real reach, sn_collider_mesh *mesh)
{
    static const uint32_t triangle[6] = {0, 1, 2, 0, 2, 3};
    static const int side[4][2] = {{-1, -1}, {-1, 1}, {1, 1}, {1, -1}}; /* counter-clockwise seen from above */
    double c[3];
    if (!take(mesh, 4, 2))
        return false;
    own_place(def, centre, c);
    for (int i = 0; i < 4; ++i)
        mesh->vertex[i] = (sn_vec3){(sn_real)c[0] + (sn_real)side[i][0] * reach, def->thickness,
                                    (sn_real)c[2] + (sn_real)side[i][1] * reach};
    memcpy(mesh->triangle, triangle, sizeof triangle);
    return true;
}

static bool make_box(const sn_collider_def *def, sn_collider_mesh *mesh)
{
    /* corner i has x, y, z at the far end where bits 0, 1, 2 of i are set */
    static const uint32_t triangle[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                          2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    sn_vec3 h = {def->half.x + def->thickness, def->half.y + def->thickness, def->half.z + def->thickness};
    if (!take(mesh, 8, 12))
        return false;
    for (int i = 0; i < 8; ++i)
        mesh->vertex[i] = (sn_vec3){i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
    memcpy(mesh->triangle, triangle, sizeof triangle);
    return true;
}

/* Rings from the lower pole to the upper one; a capsule has its equator twice, half a length below and above. */
static bool make_round(double radius, double half, sn_collider_mesh *mesh)
{
    uint32_t rings = 2 * RINGS - 1 + (half > 0), vertices = rings * AROUND + 2;
    if (!take(mesh, vertices, 2 * AROUND * rings))
        return false;
    for (uint32_t r = 0; r < rings; ++r) {
        bool upper = r >= RINGS;
        double latitude = SN_PI / 2 * ((double)(r + 1) - (upper && half > 0) - RINGS) / RINGS;
        double y = radius * sn_math_sin(latitude) + (half > 0 ? (upper ? half : -half) : 0);
        for (uint32_t i = 0; i < AROUND; ++i) {
            double a = 2 * SN_PI * i / AROUND, c = radius * sn_math_cos(latitude);
            mesh->vertex[r * AROUND + i] =
                (sn_vec3){(sn_real)(c * sn_math_sin(a)), (sn_real)y, (sn_real)(c * sn_math_cos(a))};
        }
    }
    uint32_t low = vertices - 2, high = vertices - 1, *t = mesh->triangle;
    mesh->vertex[low] = (sn_vec3){0, (sn_real)(-radius - half), 0};
    mesh->vertex[high] = (sn_vec3){0, (sn_real)(radius + half), 0};
    for (uint32_t i = 0; i < AROUND; ++i) {
        uint32_t j = (i + 1) % AROUND, last = (rings - 1) * AROUND;
        *t++ = low, *t++ = j, *t++ = i;
        *t++ = high, *t++ = last + i, *t++ = last + j;
        for (uint32_t r = 0; r + 1 < rings; ++r) {
            uint32_t a = r * AROUND + i, b = r * AROUND + j;
            *t++ = a, *t++ = b, *t++ = b + AROUND;
            *t++ = a, *t++ = b + AROUND, *t++ = a + AROUND;
        }
    }
    return true;
}

static bool copy_mesh(const sn_collider_def *def, sn_collider_mesh *mesh)
{
    if (!take(mesh, def->vertex_count, def->triangle_count))
        return false;
    memcpy(mesh->vertex, def->vertices, def->vertex_count * sizeof *mesh->vertex);
    memcpy(mesh->triangle, def->triangles, 3 * (size_t)def->triangle_count * sizeof *mesh->triangle);
    return true;
}

bool sn_collider_mesh_make(const sn_collider_def *def, sn_vec3 centre, sn_real reach, sn_collider_mesh *mesh,
                           bool *nothing)
{
    *mesh = (sn_collider_mesh){0};
    *nothing = false;
    switch (def->type) {
    case SN_COLLIDER_PLANE:
        return make_plane(def, centre, reach, mesh);
    case SN_COLLIDER_BOX:
        return make_box(def, mesh);
    case SN_COLLIDER_SPHERE:
        return make_round((double)(def->radius + def->thickness), 0, mesh);
    case SN_COLLIDER_CAPSULE:
        return make_round((double)(def->radius + def->thickness), (double)def->half.y, mesh);
    default:
        break;
    }
    *nothing = !def->vertices;
    return def->vertices && copy_mesh(def, mesh);
}
