#include "scene/mesh.h"

typedef struct double3 {
    double x, y, z;
} double3;

static double3 from_to(sn_vec3 a, sn_vec3 b)
{
    return (double3){(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z};
}

static double3 cross(double3 a, double3 b)
{
    return (double3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(double3 a, double3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static sn_vec3 corner(const sn_mesh *mesh, uint32_t triangle, uint32_t number)
{
    return mesh->vertex[mesh->triangle[(size_t)3 * triangle + number]];
}

/* V = sum of (a x b) . c / 6 over all triangles: the tetrahedra that they form with one point (divergence theorem).
   The point is a corner of the mesh, so that rounding errors stay small for a small mesh far from the origin. */
double sn_mesh_volume(const sn_mesh *mesh)
{
    double sum = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        sn_vec3 o = corner(mesh, 0, 0);
        double3 a = from_to(o, corner(mesh, i, 0)), b = from_to(o, corner(mesh, i, 1));
        sum += dot(cross(a, b), from_to(o, corner(mesh, i, 2)));
    }
    return sum / 6;
}

double sn_mesh_triangle_area(const sn_mesh *mesh, uint32_t triangle)
{
    sn_vec3 a = corner(mesh, triangle, 0);
    double3 n = cross(from_to(a, corner(mesh, triangle, 1)), from_to(a, corner(mesh, triangle, 2)));
    return sqrt(dot(n, n)) / 2;
}

double sn_mesh_area(const sn_mesh *mesh)
{
    double sum = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i)
        sum += sn_mesh_triangle_area(mesh, i);
    return sum;
}
