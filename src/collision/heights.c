/* Height fields as closed meshes: the ground, four vertical sides down from its border, and a floor. */
#include "collision/shape.h"

#include <stdio.h>

/* Relative to the longer side: how far the floor is below the lowest height. */
#define DEPTH 0.25

/* Vertices: those of the ground, in the order of the heights; then those of the border at the bottom, clockwise seen
   from above; then the centre of the floor. */
typedef struct block {
    uint32_t nx, nz, border;
    sn_vec3 *vertex;
    uint32_t *index;
    size_t used; /* of index */
} block;

static void add(block *b, uint32_t p, uint32_t q, uint32_t r)
{
    b->index[b->used++] = p;
    b->index[b->used++] = q;
    b->index[b->used++] = r;
}

/* The ground vertex at step k around the border: along x, then z, then back. */
static uint32_t border_vertex(const block *b, uint32_t k)
{
    const uint32_t x = b->nx - 1, z = b->nz - 1;
    if (k < x)
        return k;
    if (k < x + z)
        return x + (k - x) * b->nx;
    if (k < 2 * x + z)
        return z * b->nx + (2 * x + z - k);
    return (2 * x + 2 * z - k) * b->nx;
}

/* Seen from above, x is to the right and z towards the viewer: (x, z), (x, z + 1), (x + 1, z) run counter-clockwise. */
static void make_triangles(block *b)
{
    const uint32_t ground = b->nx * b->nz, middle = ground + b->border;
    for (uint32_t z = 0; z + 1 < b->nz; ++z)
        for (uint32_t x = 0; x + 1 < b->nx; ++x) {
            const uint32_t at = z * b->nx + x;
            add(b, at, at + b->nx, at + 1);
            add(b, at + 1, at + b->nx, at + b->nx + 1);
        }
    for (uint32_t k = 0; k < b->border; ++k) {
        const uint32_t next = (k + 1) % b->border, top = border_vertex(b, k), after = border_vertex(b, next);
        add(b, top, after, ground + next);
        add(b, top, ground + next, ground + k);
        add(b, ground + k, ground + next, middle);
    }
}

static void make_vertices(block *b, const sn_real *height, sn_real cell)
{
    const uint32_t ground = b->nx * b->nz;
    const double left = -0.5 * (b->nx - 1), front = -0.5 * (b->nz - 1);
    double lowest = (double)INFINITY, side = (double)cell * ((b->nx > b->nz ? b->nx : b->nz) - 1);
    for (uint32_t i = 0; i < ground; ++i) {
        b->vertex[i] = vec3((sn_real)((double)cell * (left + i % b->nx)), height[i],
                            (sn_real)((double)cell * (front + i / b->nx)));
        lowest = fmin(lowest, (double)height[i]);
    }
    const sn_real bottom = (sn_real)(lowest - DEPTH * side);
    for (uint32_t k = 0; k < b->border; ++k) {
        const sn_vec3 top = b->vertex[border_vertex(b, k)];
        b->vertex[ground + k] = vec3(top.x, bottom, top.z);
    }
    b->vertex[ground + b->border] = vec3(0, bottom, 0);
}

sn_trimesh *sn_heights_mesh(const sn_allocator *allocator, const sn_real *height, const uint32_t count[2], sn_real cell,
                            bool *out_of_memory, char *message, size_t size)
{
    block b = {.nx = count[0], .nz = count[1], .border = 2 * (count[0] - 1) + 2 * (count[1] - 1)};
    const uint32_t vertices = b.nx * b.nz + b.border + 1, triangles = 2 * (b.nx - 1) * (b.nz - 1) + 3 * b.border;
    const size_t vertex_bytes = vertices * sizeof(sn_vec3),
                 bytes = vertex_bytes + 3 * (size_t)triangles * sizeof(uint32_t);
    char *room = sn_allocate(allocator, bytes);
    *out_of_memory = !room;
    if (!room)
        return NULL;
    b.vertex = (sn_vec3 *)(void *)room;
    b.index = (uint32_t *)(void *)(room + vertex_bytes);
    make_vertices(&b, height, cell);
    make_triangles(&b);
    sn_trimesh *mesh =
        sn_trimesh_create(allocator, b.vertex, vertices, b.index, triangles, out_of_memory, message, size);
    sn_release(allocator, room, bytes);
    return mesh;
}
