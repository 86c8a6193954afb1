#include "export/mesh_file.h"
#include "export/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A comment ends with its line: control characters, which could end it earlier, become spaces. */
static void put_comments(sn_file *file, const char *mark, const char *const *comment)
{
    for (; comment && *comment; ++comment) {
        sn_file_put_text(file, mark);
        for (const char *c = *comment; *c; ++c)
            sn_file_put(file, (unsigned char)*c < ' ' || *c == 127 ? " " : c, 1);
        sn_file_put_text(file, "\n");
    }
}

/* PLY's indices are int, so neither format can have more vertices than that. */
static bool check_counts(const char *path, const sn_mesh_view *mesh, char *message, size_t size)
{
    if (mesh->vertex_count <= INT32_MAX)
        return true;
    snprintf(message, size, "%s: a mesh file holds at most %" PRId32 " vertices, not %" PRIu32, path, INT32_MAX,
             mesh->vertex_count);
    return false;
}

static bool finish(sn_file *file, uint64_t *bytes, char *message, size_t size)
{
    if (!sn_file_keep(file, message, size)) {
        sn_file_discard(file);
        return false;
    }
    if (bytes)
        *bytes = file->length;
    return sn_file_close(file, message, size);
}

/* ---- OBJ --------------------------------------------------------------------------------------------------------- */

static void put_place(sn_file *file, sn_vec3 place)
{
    char line[3 * SN_NUMBER_TEXT + 4] = "v ";
    size_t length = 2;
    const sn_real number[3] = {place.x, place.y, place.z};
    for (int i = 0; i < 3; ++i) {
        length += sn_number_real(line + length, number[i]);
        line[length++] = i < 2 ? ' ' : '\n';
    }
    sn_file_put(file, line, length);
}

/* Formats an index by hand: it takes most of the time for a large mesh. */
static size_t index_text(char *text, uint32_t index)
{
    char digits[10];
    size_t count = 0, length = 0;
    do
        digits[count++] = (char)('0' + index % 10);
    while (index /= 10);
    text[length++] = ' ';
    while (count)
        text[length++] = digits[--count];
    return length;
}

/* Indices of an OBJ start at 1. */
static void put_element(sn_file *file, char what, const uint32_t *index, int corners)
{
    char line[40] = {what};
    size_t length = 1;
    for (int i = 0; i < corners; ++i)
        length += index_text(line + length, index[i] + 1);
    line[length++] = '\n';
    sn_file_put(file, line, length);
}

static bool is_of(const sn_mesh_view *mesh, uint32_t vertex, uint32_t other)
{
    return !mesh->piece_of || mesh->piece_of[vertex] == mesh->piece_of[other];
}

static void put_piece(sn_file *file, uint32_t number)
{
    char line[32];
    snprintf(line, sizeof line, "o %" PRIu32 "\n", number);
    sn_file_put_text(file, line);
}

bool sn_obj_write(const char *path, const sn_mesh_view *mesh, uint64_t *bytes, char *message, size_t size)
{
    sn_file file;
    if (!check_counts(path, mesh, message, size) || !sn_file_open(&file, path, message, size))
        return false;
    put_comments(&file, "# ", mesh->comment);
    uint32_t triangle = 0;
    for (uint32_t i = 0, end; i < mesh->vertex_count; i = end) {
        for (end = i; end < mesh->vertex_count && is_of(mesh, end, i); ++end)
            ;
        if (mesh->piece_of)
            put_piece(&file, mesh->piece_of[i]);
        for (uint32_t k = i; k < end; ++k)
            put_place(&file, mesh->place[k]);
        for (; triangle < mesh->triangle_count && mesh->triangle[3 * (size_t)triangle] < end; ++triangle)
            put_element(&file, 'f', mesh->triangle + 3 * (size_t)triangle, 3);
    }
    for (uint32_t i = 0; i < mesh->line_count; ++i)
        put_element(&file, 'l', mesh->line + 2 * (size_t)i, 2);
    return finish(&file, bytes, message, size);
}

/* ---- PLY --------------------------------------------------------------------------------------------------------- */

static void put_count(sn_file *file, const char *element, uint32_t count)
{
    char line[64];
    snprintf(line, sizeof line, "element %s %" PRIu32 "\n", element, count);
    sn_file_put_text(file, line);
}

static void put_properties(sn_file *file, const char *type, const char *const *name)
{
    for (; *name; ++name) {
        char line[64];
        snprintf(line, sizeof line, "property %s %s\n", type, *name);
        sn_file_put_text(file, line);
    }
}

static void put_ply_header(sn_file *file, const sn_mesh_view *mesh)
{
    const char *real = SINEW_DOUBLE ? "double" : "float";
    sn_file_put_text(file, "ply\nformat binary_little_endian 1.0\n");
    put_comments(file, "comment ", mesh->comment);
    put_count(file, "vertex", mesh->vertex_count);
    put_properties(file, real, (const char *const[]){"x", "y", "z", NULL});
    if (mesh->velocity)
        put_properties(file, real, (const char *const[]){"vx", "vy", "vz", NULL});
    put_count(file, "face", mesh->triangle_count);
    sn_file_put_text(file, "property list uchar int vertex_indices\n");
    if (mesh->line_count) {
        put_count(file, "edge", mesh->line_count);
        put_properties(file, "int", (const char *const[]){"vertex1", "vertex2", NULL});
    }
    sn_file_put_text(file, "end_header\n");
}

static void put_vector(sn_file *file, sn_vec3 v)
{
    sn_file_put_real(file, v.x);
    sn_file_put_real(file, v.y);
    sn_file_put_real(file, v.z);
}

bool sn_ply_write(const char *path, const sn_mesh_view *mesh, uint64_t *bytes, char *message, size_t size)
{
    sn_file file;
    if (!check_counts(path, mesh, message, size) || !sn_file_open(&file, path, message, size))
        return false;
    put_ply_header(&file, mesh);
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        put_vector(&file, mesh->place[i]);
        if (mesh->velocity)
            put_vector(&file, mesh->velocity[i]);
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; ++i) {
        if (i % 3 == 0)
            sn_file_put(&file, "\3", 1);
        sn_file_put_u32(&file, mesh->triangle[i]);
    }
    for (size_t i = 0; i < 2 * (size_t)mesh->line_count; ++i)
        sn_file_put_u32(&file, mesh->line[i]);
    return finish(&file, bytes, message, size);
}
