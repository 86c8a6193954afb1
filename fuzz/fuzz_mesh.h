/* The check for both mesh formats: reads the input, and checks whether the result is a valid mesh. */
#ifndef SINEW_FUZZ_MESH_H
#define SINEW_FUZZ_MESH_H

#include "fuzz/check.h"
#include "scene/mesh.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void check_mesh(const sn_mesh *mesh)
{
    CHECK(mesh->vertex && mesh->triangle && mesh->line);
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
        CHECK(isfinite(mesh->vertex[i].x) && isfinite(mesh->vertex[i].y) && isfinite(mesh->vertex[i].z));
    for (size_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t *t = mesh->triangle + 3 * i;
        CHECK(t[0] < mesh->vertex_count && t[1] < mesh->vertex_count && t[2] < mesh->vertex_count);
        CHECK(t[0] != t[1] && t[1] != t[2] && t[2] != t[0]);
    }
    for (size_t i = 0; i < mesh->line_count; ++i) {
        const uint32_t *l = mesh->line + 2 * i;
        CHECK(l[0] < mesh->vertex_count && l[1] < mesh->vertex_count && l[0] != l[1]);
    }
}

static inline void check_topology(const sn_mesh *mesh, const sn_mesh_topology *topology)
{
    uint32_t sides = 0, borders = 0;
    for (uint32_t i = 0; i < topology->edge_count; ++i) {
        const sn_mesh_edge *edge = &topology->edge[i];
        CHECK(edge->a < edge->b && edge->b < mesh->vertex_count);
        uint32_t triangles = 0;
        for (int j = 0; j < 2; ++j) {
            CHECK(edge->opposite[j] == SN_NO_VERTEX || edge->opposite[j] < mesh->vertex_count);
            CHECK(edge->opposite[j] != edge->a && edge->opposite[j] != edge->b);
            triangles += edge->opposite[j] != SN_NO_VERTEX;
        }
        CHECK(triangles > 0);
        sides += triangles;
        borders += triangles == 1;
    }
    CHECK(sides == 3 * mesh->triangle_count && borders == topology->border_count);
    CHECK(topology->closed == (borders == 0 && sides > 0));
    CHECK((topology->piece_count > 0) == (sides > 0) && topology->piece_count <= mesh->triangle_count);
    /* volume and area of float coordinates, up to 3e38, do not overflow in double */
    CHECK(sizeof(sn_real) == sizeof(double) || (isfinite(sn_mesh_volume(mesh)) && isfinite(sn_mesh_area(mesh))));
}

/* Checks that all vertices that welding kept are farther apart than the distance: pair by pair, in small meshes. */
static inline void check_welded(const sn_mesh *mesh, double distance)
{
    for (uint32_t i = 0; i < mesh->vertex_count && mesh->vertex_count < 100; ++i)
        for (uint32_t j = 0; j < i; ++j) {
            double x = ((double)mesh->vertex[i].x - (double)mesh->vertex[j].x) / distance;
            double y = ((double)mesh->vertex[i].y - (double)mesh->vertex[j].y) / distance;
            double z = ((double)mesh->vertex[i].z - (double)mesh->vertex[j].z) / distance;
            CHECK(!(x * x + y * y + z * z <= 1));
        }
}

static inline void try_mesh(const uint8_t *data, size_t size)
{
    static const float distances[] = {0, 1e-45f, 1e-6f, 0.1f, 1, 1e6f, 3e38f};
    sn_arena arena;
    sn_arena_init(&arena, NULL);
    sn_mesh mesh;
    sn_mesh_notes notes;
    sn_mesh_topology topology;
    char message[256] = "";
    if (sn_mesh_read(&arena, data, size, &mesh, &notes, message, sizeof message)) {
        CHECK(message[0] == 0 && mesh.vertex_count > 0);
        check_mesh(&mesh);
        if (sn_mesh_connect(&arena, &mesh, &topology, message, sizeof message))
            check_topology(&mesh, &topology);
        float distance = distances[(size + mesh.vertex_count) % (sizeof distances / sizeof distances[0])];
        uint32_t before = mesh.vertex_count;
        CHECK(sn_mesh_weld(&arena, &mesh, (sn_real)distance, size % 2, &notes));
        CHECK(mesh.vertex_count + notes.merged + notes.unused == before);
        check_mesh(&mesh);
        check_welded(&mesh, (double)distance);
        if (sn_mesh_connect(&arena, &mesh, &topology, message, sizeof message))
            check_topology(&mesh, &topology);
        else
            CHECK(message[0] != 0);
    } else {
        CHECK(message[0] != 0 && mesh.vertex_count == 0);
    }
    sn_arena_release(&arena);
}

#endif
