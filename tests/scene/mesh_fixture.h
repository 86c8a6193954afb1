/* What the tests of meshes share: a place to read into, and some shapes. */
#ifndef SINEW_TESTS_MESH_FIXTURE_H
#define SINEW_TESTS_MESH_FIXTURE_H

#include "support/support.h"
#include "scene/mesh.h"

#include <math.h>

typedef struct fixture {
    sn_arena arena;
    sn_mesh mesh;
    sn_mesh_notes notes;
    sn_mesh_topology topology;
    char message[512];
} fixture;

/* Reads from a block of exactly that size, so that reading beyond its end is seen by a sanitizer. */
static inline bool fixture_read(fixture *f, const void *bytes, size_t size)
{
    memset(f, 0, sizeof *f);
    sn_arena_init(&f->arena, NULL);
    void *block = malloc(size ? size : 1);
    assert_non_null(block);
    if (size)
        memcpy(block, bytes, size);
    bool done = sn_mesh_read(&f->arena, block, size, &f->mesh, &f->notes, f->message, sizeof f->message);
    free(block);
    return done;
}

static inline void fixture_read_text(fixture *f, const char *text)
{
    if (!fixture_read(f, text, strlen(text)))
        fail_msg("%s\n%s", f->message, text);
}

static inline void fixture_connect(fixture *f)
{
    if (!sn_mesh_connect(&f->arena, &f->mesh, &f->topology, f->message, sizeof f->message))
        fail_msg("%s", f->message);
}

static inline void fixture_free(fixture *f)
{
    sn_arena_release(&f->arena);
}

/* The refusal of a text; it must leave an empty mesh and say all the words. */
static inline void assert_refused_bytes(const void *bytes, size_t size, const char *words)
{
    fixture f;
    if (fixture_read(&f, bytes, size))
        fail_msg("read, but should be refused with \"%s\":\n%.*s", words, (int)(size < 400 ? size : 400),
                 (const char *)bytes);
    assert_int_equal(f.mesh.vertex_count + f.mesh.triangle_count + f.mesh.line_count, 0);
    assert_null(f.mesh.vertex);
    support_assert_says(f.message, words, (const char *)bytes, __FILE__, __LINE__);
    fixture_free(&f);
}

static inline void assert_refused(const char *text, const char *words)
{
    assert_refused_bytes(text, strlen(text), words);
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

/* An octahedron whose triangles are cut into four, again and again, its corners put onto the unit sphere. Corners of
   neighbours are separate, so that welding has something to do. */
static inline void fixture_split(sn_vec3 a, sn_vec3 b, sn_vec3 c, int depth, sn_mesh *mesh)
{
    if (depth == 0) {
        sn_vec3 corner[3] = {a, b, c};
        for (int i = 0; i < 3; ++i) {
            mesh->triangle[(size_t)3 * mesh->triangle_count + (size_t)i] = mesh->vertex_count;
            mesh->vertex[mesh->vertex_count++] = corner[i];
        }
        ++mesh->triangle_count;
        return;
    }
    sn_vec3 end[3] = {b, c, a}, from[3] = {a, b, c}, middle[3];
    for (int i = 0; i < 3; ++i) {
        double x = (double)from[i].x + (double)end[i].x, y = (double)from[i].y + (double)end[i].y;
        double z = (double)from[i].z + (double)end[i].z, r = sqrt(x * x + y * y + z * z);
        middle[i] = vec(x / r, y / r, z / r);
    }
    fixture_split(a, middle[0], middle[2], depth - 1, mesh);
    fixture_split(middle[0], b, middle[1], depth - 1, mesh);
    fixture_split(middle[2], middle[1], c, depth - 1, mesh);
    fixture_split(middle[0], middle[1], middle[2], depth - 1, mesh);
}

static inline sn_mesh fixture_sphere_soup(sn_arena *arena, int depth)
{
    size_t triangles = (size_t)8 << (2 * depth);
    sn_mesh mesh = {.vertex = sn_arena_take(arena, 3 * triangles, sizeof(sn_vec3)),
                    .triangle = sn_arena_take(arena, 3 * triangles, sizeof(uint32_t)),
                    .line = sn_arena_take(arena, 0, sizeof(uint32_t))};
    assert_non_null(mesh.vertex);
    assert_non_null(mesh.triangle);
    for (int i = 0; i < 8; ++i) {
        double x = i & 1 ? -1 : 1, y = i & 2 ? -1 : 1, z = i & 4 ? -1 : 1;
        sn_vec3 a = vec(x, 0, 0), b = vec(0, y, 0), c = vec(0, 0, z);
        fixture_split(a, x * y * z > 0 ? b : c, x * y * z > 0 ? c : b, depth, &mesh);
    }
    return mesh;
}

/* The same, welded. */
static inline sn_mesh fixture_sphere(sn_arena *arena, int depth)
{
    sn_mesh mesh = fixture_sphere_soup(arena, depth);
    assert_true(sn_mesh_weld(arena, &mesh, 0, false, NULL));
    return mesh;
}

static inline void assert_same_mesh(const sn_mesh *a, const sn_mesh *b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->line_count, b->line_count);
    for (uint32_t i = 0; i < a->vertex_count; ++i)
        assert_vec_same(a->vertex[i], b->vertex[i]);
    assert_memory_equal(a->triangle, b->triangle, a->triangle_count * 3 * sizeof(uint32_t));
    assert_memory_equal(a->line, b->line, a->line_count * 2 * sizeof(uint32_t));
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

typedef struct fixture_text {
    char *bytes;
    size_t size, capacity;
} fixture_text;

static inline void fixture_put(fixture_text *text, const void *bytes, size_t size)
{
    if (text->size + size > text->capacity) {
        text->capacity = 2 * (text->size + size) + 1024;
        text->bytes = realloc(text->bytes, text->capacity);
        assert_non_null(text->bytes);
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

#define FIXTURE_PRINT(text, ...)                                                                                       \
    do {                                                                                                               \
        char printed[256];                                                                                             \
        fixture_put((text), printed, (size_t)snprintf(printed, sizeof printed, __VA_ARGS__));                          \
    } while (0)

#if SINEW_DOUBLE
#define FIXTURE_REAL "%.17g"
#else
#define FIXTURE_REAL "%.9g"
#endif

static inline void fixture_put_obj(fixture_text *text, const sn_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3 x = mesh->vertex[i];
        FIXTURE_PRINT(text, "v " FIXTURE_REAL " " FIXTURE_REAL " " FIXTURE_REAL "\n", (double)x.x, (double)x.y,
                      (double)x.z);
    }
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t *t = mesh->triangle + (size_t)3 * i;
        FIXTURE_PRINT(text, "f %u %u %u\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
}

/* A number of so many bytes, the highest byte first or last. */
static inline void fixture_put_number(fixture_text *text, uint64_t bits, size_t size, bool big)
{
    unsigned char byte[8];
    for (size_t i = 0; i < size; ++i)
        byte[big ? size - 1 - i : i] = (unsigned char)(bits >> 8 * i);
    fixture_put(text, byte, size);
}

static inline void fixture_put_float(fixture_text *text, float number, bool big)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    fixture_put_number(text, bits, 4, big);
}

static inline void fixture_put_double(fixture_text *text, double number, bool big)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    fixture_put_number(text, bits, 8, big);
}

#endif
