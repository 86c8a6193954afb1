/* OBJ and PLY: what is in them, bit for bit, and that they go away if they cannot be finished. */
#include "support/support.h"

#include "export/mesh_file.h"
#include "folder.h"
#include "scene/mesh.h"

static char message[512];

static const uint32_t triangle[] = {0, 1, 2, 2, 1, 3};
static const uint32_t line[] = {3, 4};

static const char *const comments[] = {"hello", NULL};
static sn_vec3 place[5], velocity[5];

static sn_mesh_view example(void)
{
    place[0] = vec(0, 0, 0);
    place[1] = vec(1, 0.1, -0.0);
    place[2] = vec(1.0 / 3, 1e-20, -2.5e10);
    place[3] = vec(-1e-7, 123456.789, 3);
    place[4] = vec(0.5, 7, 100);
    for (int i = 0; i < 5; ++i)
        velocity[i] = vec(i, -1.0 / (i + 1), 0.25 * i);
    return (sn_mesh_view){.vertex_count = 5,
                          .place = place,
                          .velocity = velocity,
                          .triangle_count = 2,
                          .triangle = triangle,
                          .line_count = 1,
                          .line = line,
                          .comment = comments};
}

static void test_obj_text(void **state)
{
    (void)state;
    folder f = folder_make();
    const sn_vec3 two[2] = {vec(1, 0.5, -2), vec(250000, 1e-6, 1234567)};
    const uint32_t index[2] = {0, 1};
    const char *const comment[] = {"a b", "c\nv 1 2 3", NULL};
    const sn_mesh_view mesh = {.vertex_count = 2, .place = two, .line_count = 1, .line = index, .comment = comment};
    uint64_t bytes = 0;
    assert_true(sn_obj_write(folder_file(&f, "a.obj"), &mesh, &bytes, message, sizeof message));
    size_t size;
    char *text = folder_read(f.name, &size);
    assert_string_equal(text, "# a b\n# c v 1 2 3\nv 1 0.5 -2\nv 250000 1e-06 1234567\nl 1 2\n");
    assert_int_equal(size, bytes);
    free(text);
    folder_remove(&f);
}

/* What we write we read back, and it is the same. */
static void check_round_trip(const char *path, const sn_mesh_view *mesh)
{
    size_t size;
    char *bytes = folder_read(path, &size);
    sn_arena arena;
    sn_arena_init(&arena, NULL);
    sn_mesh back;
    sn_mesh_notes notes = {0};
    if (!sn_mesh_read(&arena, bytes, size, &back, &notes, message, sizeof message))
        fail_msg("%s", message);
    assert_int_equal(back.vertex_count, mesh->vertex_count);
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
        assert_vec_same(back.vertex[i], mesh->place[i]);
    assert_int_equal(back.triangle_count, mesh->triangle_count);
    assert_memory_equal(back.triangle, mesh->triangle, 12 * mesh->triangle_count);
    assert_int_equal(back.line_count, mesh->line_count);
    assert_memory_equal(back.line, mesh->line, 8 * mesh->line_count);
    sn_arena_release(&arena);
    free(bytes);
}

static void test_round_trip(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_mesh_view mesh = example();
    assert_true(sn_obj_write(folder_file(&f, "a.obj"), &mesh, NULL, message, sizeof message));
    check_round_trip(f.name, &mesh);
    assert_true(sn_ply_write(folder_file(&f, "a.ply"), &mesh, NULL, message, sizeof message));
    check_round_trip(f.name, &mesh);
    mesh.line_count = 0;
    mesh.velocity = NULL;
    assert_true(sn_ply_write(folder_file(&f, "b.ply"), &mesh, NULL, message, sizeof message));
    check_round_trip(f.name, &mesh);
    folder_remove(&f);
}

static void test_ply_bytes(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_mesh_view mesh = example();
    uint64_t bytes;
    assert_true(sn_ply_write(folder_file(&f, "a.ply"), &mesh, &bytes, message, sizeof message));
    const char *real_name = SINEW_DOUBLE ? "double" : "float";
    char head[1024];
    snprintf(head, sizeof head,
             "ply\nformat binary_little_endian 1.0\ncomment hello\nelement vertex 5\n"
             "property %s x\nproperty %s y\nproperty %s z\nproperty %s vx\nproperty %s vy\nproperty %s vz\n"
             "element face 2\nproperty list uchar int vertex_indices\n"
             "element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n",
             real_name, real_name, real_name, real_name, real_name, real_name);
    size_t size, head_size = strlen(head), number = sizeof(sn_real);
    char *text = folder_read(f.name, &size);
    assert_memory_equal(text, head, head_size);
    assert_int_equal(size, head_size + 5 * 6 * number + 2 * 13 + 8);
    assert_int_equal(size, bytes);
    for (size_t i = 0; i < 5; ++i)
        assert_true(get_real(text + head_size + (6 * i + 4) * number) == velocity[i].y);
    const char *face = text + head_size + 5 * 6 * number;
    assert_int_equal(face[13], 3);
    assert_int_equal(get_u32(face + 14 + 8), 3);
    assert_int_equal(get_u32(face + 26 + 4), 4);
    free(text);
    folder_remove(&f);
}

/* A mesh that is not whole is of no use to anybody. */
static void test_full_disk(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_mesh_view mesh = example();
    folder_disk(40);
    assert_false(sn_obj_write(folder_file(&f, "a.obj"), &mesh, NULL, message, sizeof message));
    assert_non_null(strstr(message, "a.obj: cannot be written: File too large"));
    assert_false(folder_has(f.name));
    assert_false(sn_ply_write(folder_file(&f, "a.ply"), &mesh, NULL, message, sizeof message));
    assert_non_null(strstr(message, "a.ply: cannot be written: File too large"));
    assert_false(folder_has(f.name));
    folder_disk(UINT64_MAX);
    assert_false(sn_ply_write(f.path, &mesh, NULL, message, sizeof message));
    assert_non_null(strstr(message, "Is a directory"));
    mesh.vertex_count = 0x80000000u;
    assert_false(sn_obj_write(folder_file(&f, "a.obj"), &mesh, NULL, message, sizeof message));
    assert_non_null(strstr(message, "2147483648"));
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_obj_text),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_ply_bytes),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
