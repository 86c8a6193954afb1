#include "export/vtk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REAL  (SINEW_DOUBLE ? "Float64" : "Float32")
#define EMPTY UINT64_C(8) /* bytes before each array: its length */

/* A comment of XML ends with two dashes; characters that would do so, or end the line, are replaced. */
static void put_comments(sn_file *file, const char *const *comment)
{
    for (; comment && *comment; ++comment) {
        sn_file_put_text(file, "<!-- ");
        for (const char *c = *comment; *c; ++c)
            sn_file_put(file, (unsigned char)*c < ' ' || *c == 127 ? " " : *c == '-' && c[1] == '-' ? "_" : c, 1);
        sn_file_put_text(file, " -->\n");
    }
}

/* Declares an array whose data begin `*offset` bytes after the '_'. */
static void put_array(sn_file *file, const char *type, const char *name, int components, uint64_t bytes,
                      uint64_t *offset)
{
    char line[200];
    snprintf(line, sizeof line,
             "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%" PRIu64
             "\"/>\n",
             type, name, components, *offset);
    sn_file_put_text(file, line);
    *offset += EMPTY + bytes;
}

static void put_cells(sn_file *file, const char *name, uint64_t count, uint64_t corners, uint64_t *offset)
{
    char line[32];
    snprintf(line, sizeof line, "<%s>\n", name);
    sn_file_put_text(file, line);
    put_array(file, "Int32", "connectivity", 1, 4 * count * corners, offset);
    put_array(file, "Int64", "offsets", 1, 8 * count, offset);
    snprintf(line, sizeof line, "</%s>\n", name);
    sn_file_put_text(file, line);
}

static void put_head(sn_file *file, const sn_mesh_view *mesh, uint32_t loose)
{
    char line[256];
    uint64_t offset = 0;
    const uint64_t vectors = 3 * sizeof(sn_real) * (uint64_t)mesh->vertex_count;
    sn_file_put_text(file, "<?xml version=\"1.0\"?>\n");
    put_comments(file, mesh->comment);
    snprintf(
        line, sizeof line,
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n"
        "<Piece NumberOfPoints=\"%" PRIu32 "\" NumberOfVerts=\"%" PRIu32 "\" NumberOfLines=\"%" PRIu32
        "\" NumberOfStrips=\"0\" NumberOfPolys=\"%" PRIu32 "\">\n",
        mesh->vertex_count, loose, mesh->line_count, mesh->triangle_count);
    sn_file_put_text(file, line);
    sn_file_put_text(file, mesh->velocity ? "<PointData Vectors=\"velocity\">\n" : "<PointData>\n");
    if (mesh->velocity)
        put_array(file, REAL, "velocity", 3, vectors, &offset);
    if (mesh->piece_of)
        put_array(file, "UInt32", "body", 1, 4 * (uint64_t)mesh->vertex_count, &offset);
    sn_file_put_text(file, "</PointData>\n<Points>\n");
    put_array(file, REAL, "Points", 3, vectors, &offset);
    sn_file_put_text(file, "</Points>\n");
    put_cells(file, "Verts", loose, 1, &offset);
    put_cells(file, "Lines", mesh->line_count, 2, &offset);
    put_cells(file, "Polys", mesh->triangle_count, 3, &offset);
    sn_file_put_text(file, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

static void put_u64(sn_file *file, uint64_t value)
{
    sn_file_put_u32(file, (uint32_t)(value & 0xffffffff));
    sn_file_put_u32(file, (uint32_t)(value >> 32));
}

static void put_vectors(sn_file *file, const sn_vec3 *vector, uint32_t count)
{
    put_u64(file, 3 * sizeof(sn_real) * (uint64_t)count);
    for (uint32_t i = 0; i < count; ++i) {
        sn_file_put_real(file, vector[i].x);
        sn_file_put_real(file, vector[i].y);
        sn_file_put_real(file, vector[i].z);
    }
}

static void put_indices(sn_file *file, const uint32_t *index, uint64_t count)
{
    put_u64(file, 4 * count);
    for (uint64_t i = 0; i < count; ++i)
        sn_file_put_u32(file, index[i]);
}

/* The end of each cell in the list of indices. */
static void put_ends(sn_file *file, uint64_t count, uint64_t corners)
{
    put_u64(file, 8 * count);
    for (uint64_t i = 1; i <= count; ++i)
        put_u64(file, i * corners);
}

/* The vertices that are in no triangle and no line, to be freed. NULL when memory runs out. */
static uint32_t *find_loose(const sn_mesh_view *mesh, uint32_t *count)
{
    uint32_t *loose = calloc((size_t)mesh->vertex_count + 1, sizeof *loose);
    *count = 0;
    if (!loose)
        return NULL;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; ++i)
        loose[mesh->triangle[i]] = 1;
    for (size_t i = 0; i < 2 * (size_t)mesh->line_count; ++i)
        loose[mesh->line[i]] = 1;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
        if (!loose[i])
            loose[(*count)++] = i; /* in place: count <= i, and entry i has been read already */
    return loose;
}

bool sn_vtp_write(const char *path, const sn_mesh_view *mesh, uint64_t *bytes, char *message, size_t size)
{
    sn_file file;
    uint32_t loose_count, *loose = find_loose(mesh, &loose_count);
    if (!loose || mesh->vertex_count > INT32_MAX) {
        snprintf(message, size,
                 loose ? "%s: a mesh file holds at most 2147483647 vertices" : "%s: no memory to write it", path);
        free(loose);
        return false;
    }
    bool good = sn_file_open(&file, path, message, size);
    if (good) {
        put_head(&file, mesh, loose_count);
        if (mesh->velocity)
            put_vectors(&file, mesh->velocity, mesh->vertex_count);
        if (mesh->piece_of)
            put_indices(&file, mesh->piece_of, mesh->vertex_count);
        put_vectors(&file, mesh->place, mesh->vertex_count);
        put_indices(&file, loose, loose_count);
        put_ends(&file, loose_count, 1);
        put_indices(&file, mesh->line, 2 * (uint64_t)mesh->line_count);
        put_ends(&file, mesh->line_count, 2);
        put_indices(&file, mesh->triangle, 3 * (uint64_t)mesh->triangle_count);
        put_ends(&file, mesh->triangle_count, 3);
        sn_file_put_text(&file, "\n</AppendedData>\n</VTKFile>\n");
        if (!(good = sn_file_keep(&file, message, size)))
            sn_file_discard(&file);
    }
    if (good && bytes)
        *bytes = file.length;
    good = good && sn_file_close(&file, message, size);
    free(loose);
    return good;
}

/* ---- The collection ---------------------------------------------------------------------------------------------- */

static bool end_file(sn_pvd *pvd, char *message, size_t size)
{
    const uint64_t end = pvd->file.length;
    sn_file_put_text(&pvd->file, "</Collection>\n</VTKFile>\n");
    if (!sn_file_keep(&pvd->file, message, size))
        return false;
    pvd->end = end;
    return true;
}

bool sn_pvd_open(sn_pvd *pvd, const char *path, char *message, size_t size)
{
    *pvd = (sn_pvd){.file.handle = -1};
    if (!sn_file_open(&pvd->file, path, message, size))
        return false;
    sn_file_put_text(&pvd->file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                                 "byte_order=\"LittleEndian\">\n<Collection>\n");
    return end_file(pvd, message, size);
}

void sn_pvd_begin(sn_pvd *pvd)
{
    pvd->before = pvd->end;
    sn_file_cut(&pvd->file, pvd->end);
}

void sn_pvd_put(sn_pvd *pvd, double time, uint32_t part, const char *mesh)
{
    char text[SN_NUMBER_TEXT], line[96];
    sn_number_f64(text, time);
    snprintf(line, sizeof line, "<DataSet timestep=\"%s\" part=\"%" PRIu32 "\" file=\"", text, part);
    sn_file_put_text(&pvd->file, line);
    sn_file_put_text(&pvd->file, mesh);
    sn_file_put_text(&pvd->file, "\"/>\n");
}

bool sn_pvd_frame(sn_pvd *pvd, char *message, size_t size)
{
    if (end_file(pvd, message, size))
        return true;
    sn_pvd_take_back(pvd);
    return false;
}

void sn_pvd_take_back(sn_pvd *pvd)
{
    sn_file_cut(&pvd->file, pvd->before);
    end_file(pvd, NULL, 0);
}

bool sn_pvd_close(sn_pvd *pvd, char *message, size_t size)
{
    return sn_file_close(&pvd->file, message, size);
}
