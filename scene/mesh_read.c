#include "scene/mesh_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* UINT32_MAX is SN_NO_VERTEX. */
#define MOST_THINGS (UINT32_MAX - 1)

bool sn_mesh_fail(sn_mesh_reader *reader, const char *format, ...)
{
    if (reader->message && reader->message_size) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reader->message, reader->message_size, format, arguments);
        va_end(arguments);
    }
    return false;
}

bool sn_mesh_fail_memory(sn_mesh_reader *reader, uint64_t count, const char *things)
{
    return sn_mesh_fail(reader, "no memory for %" PRIu64 " %s", count, things);
}

/* ---- Room -------------------------------------------------------------------------------------------------------- */

static void *take(sn_mesh_reader *reader, uint64_t count, size_t size, const char *things)
{
    if (count > MOST_THINGS) {
        sn_mesh_fail(reader, "%" PRIu64 " %s, but a mesh holds %" PRIu32 " at most", count, things, MOST_THINGS);
        return NULL;
    }
    void *room = sn_arena_take(reader->arena, (size_t)count, size);
    if (!room)
        sn_mesh_fail_memory(reader, count, things);
    return room;
}

bool sn_mesh_take_vertices(sn_mesh_reader *reader, uint64_t count)
{
    reader->mesh.vertex = take(reader, count, sizeof(sn_vec3), "vertices");
    if (!reader->mesh.vertex)
        return false;
    reader->vertex_total = (uint32_t)count;
    return true;
}

bool sn_mesh_take_triangles(sn_mesh_reader *reader, uint64_t count)
{
    reader->mesh.triangle = take(reader, count, 3 * sizeof(uint32_t), "triangles");
    if (!reader->mesh.triangle)
        return false;
    if (count == 0)
        return true;
    reader->seen = sn_arena_take(&reader->scratch, reader->vertex_total, sizeof(uint32_t));
    return reader->seen || sn_mesh_fail_memory(reader, reader->vertex_total, "vertices");
}

bool sn_mesh_take_lines(sn_mesh_reader *reader, uint64_t count)
{
    reader->mesh.line = take(reader, count, 2 * sizeof(uint32_t), "lines");
    return reader->mesh.line != NULL;
}

/* ---- Faces ------------------------------------------------------------------------------------------------------- */

void sn_mesh_face_begin(sn_mesh_reader *reader)
{
    ++reader->face;
    reader->corner_count = 0;
}

/* Adds a corner. Each vertex stores the last face that uses it, which finds a repeated corner at once. To compare it
   with all other corners would take a time quadratic in the corners of a face. */
bool sn_mesh_face_corner(sn_mesh_reader *reader, uint32_t vertex)
{
    if (reader->seen[vertex] == reader->face)
        return false;
    reader->seen[vertex] = reader->face;
    if (reader->corner_count == 0)
        reader->first = vertex;
    if (reader->corner_count >= 2) {
        uint32_t *triangle = reader->mesh.triangle + (size_t)3 * reader->mesh.triangle_count++;
        triangle[0] = reader->first;
        triangle[1] = reader->last;
        triangle[2] = vertex;
    }
    reader->last = vertex;
    ++reader->corner_count;
    return true;
}

void sn_mesh_face_end(sn_mesh_reader *reader)
{
    reader->notes.polygons += reader->corner_count > 3;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static bool is_ply(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "ply", 3) == 0 && (size == 3 || (text[3] != 0 && strchr(" \t\r\n", text[3])));
}

bool sn_mesh_read(sn_arena *arena, const void *bytes, size_t size, sn_mesh *mesh, sn_mesh_notes *notes, char *message,
                  size_t message_size)
{
    sn_mesh_reader reader = {
        .text = bytes, .size = size, .arena = arena, .message = message, .message_size = message_size};
    sn_arena_init(&reader.scratch, &arena->allocator);
    if (message && message_size)
        message[0] = 0;

    bool done;
    if (!bytes || size == 0)
        done = sn_mesh_fail(&reader, "the file is empty");
    else if (is_ply(bytes, size))
        done = sn_mesh_read_ply(&reader);
    else
        done = sn_mesh_read_obj(&reader);

    sn_arena_release(&reader.scratch);
    *mesh = done ? reader.mesh : (sn_mesh){0};
    if (notes)
        *notes = done ? reader.notes : (sn_mesh_notes){0};
    return done;
}
