/* The content of a mesh, and the effect of welding. */
#include "cli/info.h"
#include "scene/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_box(sn_document *d, sn_value *root, const sn_mesh *mesh)
{
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        double at[3] = {(double)mesh->vertex[i].x, (double)mesh->vertex[i].y, (double)mesh->vertex[i].z};
        for (int k = 0; k < 3; ++k) {
            least[k] = fmin(least[k], at[k]);
            most[k] = fmax(most[k], at[k]);
        }
    }
    sn_document_numbers(d, root, "least", 3, least, NULL);
    sn_document_numbers(d, root, "most", 3, most, NULL);
}

/* Adds the connectivity of the mesh. A mesh that is no proper surface is reported as such, not refused. */
static void add_topology(sn_document *d, sn_value *root, sn_arena *arena, const sn_mesh *mesh)
{
    char message[SN_INFO_MESSAGE];
    sn_mesh_topology topology;
    bool manifold = sn_mesh_connect(arena, mesh, &topology, message, sizeof message);
    sn_document_truth(d, root, "manifold", manifold);
    if (!manifold) {
        sn_document_text(d, root, "problem", message);
        return;
    }
    sn_document_number(d, root, "edges", topology.edge_count);
    sn_document_number(d, root, "border_edges", topology.border_count);
    sn_document_number(d, root, "pieces", topology.piece_count);
    sn_document_truth(d, root, "closed", topology.closed);
    sn_document_truth(d, root, "oriented", topology.oriented);
    if (topology.closed && topology.oriented)
        sn_document_number(d, root, "volume", sn_mesh_volume(mesh));
}

static bool add_welded(sn_document *d, sn_value *root, sn_arena *arena, const sn_mesh *mesh)
{
    sn_mesh welded = *mesh;
    sn_mesh_notes notes = {0};
    if (!sn_mesh_weld(arena, &welded, 0, true, &notes))
        return false;
    sn_value *record = sn_document_record(d, root, "welded");
    sn_document_number(d, record, "merged", notes.merged);
    sn_document_number(d, record, "degenerate", notes.degenerate);
    sn_document_number(d, record, "unused", notes.unused);
    if (notes.merged || notes.degenerate || notes.unused) {
        sn_document_number(d, record, "vertices", welded.vertex_count);
        sn_document_number(d, record, "triangles", welded.triangle_count);
        add_topology(d, record, arena, &welded);
    }
    return true;
}

bool sn_info_mesh(const char *bytes, size_t length, sn_document *d, sn_value *root, char *message)
{
    sn_arena arena;
    sn_mesh mesh;
    sn_mesh_notes notes = {0};
    sn_arena_init(&arena, NULL);
    bool ply = length >= 3 && memcmp(bytes, "ply", 3) == 0;
    bool good = sn_mesh_read(&arena, bytes, length, &mesh, &notes, message, SN_INFO_MESSAGE);
    if (good) {
        sn_document_text(d, root, "format", ply ? "PLY mesh" : "OBJ mesh");
        sn_document_number(d, root, "vertices", mesh.vertex_count);
        sn_document_number(d, root, "triangles", mesh.triangle_count);
        sn_document_number(d, root, "lines", mesh.line_count);
        sn_document_number(d, root, "polygons_cut", notes.polygons);
        sn_document_number(d, root, "area", sn_mesh_area(&mesh));
        add_box(d, root, &mesh);
        add_topology(d, root, &arena, &mesh);
        good = add_welded(d, root, &arena, &mesh);
        if (!good)
            snprintf(message, SN_INFO_MESSAGE, "out of memory");
    }
    sn_arena_release(&arena);
    return good;
}
