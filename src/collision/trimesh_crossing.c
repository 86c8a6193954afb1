/* Test for self-intersection of a mesh: every triangle queries the tree, and exact predicates decide (predicates.h). */
#include "base/math.h"
#include "collision/predicates.h"
#include "collision/trimesh.h"

#include <stdio.h>

typedef struct looking {
    const sn_trimesh *mesh;
    uint32_t triangle, other; /* other: the triangle that it intersects */
    sn_bounds box;
    double place[3][3];
    bool found;
} looking;

static void place_triangle(const sn_trimesh *mesh, uint32_t triangle, double place[3][3])
{
    for (int i = 0; i < 3; ++i) {
        const sn_vec3 p = sn_trimesh_vertex(mesh)[sn_trimesh_index(mesh)[3 * (size_t)triangle + i]];
        place[i][0] = (double)p.x, place[i][1] = (double)p.y, place[i][2] = (double)p.z;
    }
}

static sn_bounds box_of(const sn_trimesh *mesh, uint32_t triangle)
{
    const uint32_t *corner = sn_trimesh_index(mesh) + 3 * (size_t)triangle;
    sn_bounds box = {sn_trimesh_vertex(mesh)[corner[0]], sn_trimesh_vertex(mesh)[corner[0]]};
    for (int i = 1; i < 3; ++i) {
        const sn_vec3 p = sn_trimesh_vertex(mesh)[corner[i]];
        box.low = vec3(p.x < box.low.x ? p.x : box.low.x, p.y < box.low.y ? p.y : box.low.y,
                       p.z < box.low.z ? p.z : box.low.z);
        box.high = vec3(p.x > box.high.x ? p.x : box.high.x, p.y > box.high.y ? p.y : box.high.y,
                        p.z > box.high.z ? p.z : box.high.z);
    }
    return box;
}

/* Each pair is tested once: by the triangle with the lower number. */
static bool look(void *data, uint32_t other)
{
    looking *l = data;
    const uint32_t *a = sn_trimesh_index(l->mesh) + 3 * (size_t)l->triangle;
    const uint32_t *b = sn_trimesh_index(l->mesh) + 3 * (size_t)other;
    double place[3][3];
    int same[3] = {-1, -1, -1};
    if (other <= l->triangle)
        return true;
    const sn_bounds box = box_of(l->mesh, other);
    if (!bounds_touch(&l->box, &box))
        return true;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            same[i] = a[i] == b[k] ? k : same[i];
    place_triangle(l->mesh, other, place);
    if (!sn_triangles_intersect((const double(*)[3])l->place, (const double(*)[3])place, same))
        return true;
    l->found = true;
    l->other = other;
    return false;
}

bool sn_trimesh_crosses(const sn_trimesh *mesh, char *message, size_t size)
{
    looking l = {.mesh = mesh};
    for (uint32_t i = 0; i < sn_trimesh_triangles(mesh) && !l.found; ++i) {
        l.triangle = i;
        place_triangle(mesh, i, l.place);
        l.box = box_of(mesh, i);
        sn_trimesh_overlap(mesh, &l.box, look, &l);
    }
    if (l.found && message)
        snprintf(message, size,
                 "triangles %u and %u cross or touch each other; a closed mesh is solid inside, and must not cross "
                 "itself: make "
                 "several shapes of it, or leave a triangle out, so that it is a sheet",
                 l.triangle, l.other);
    return l.found;
}
