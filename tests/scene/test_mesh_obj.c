/* Reading OBJ: what is accepted, what is refused and with which words, and that memory may run out anywhere. */
#include "mesh_fixture.h"

static void test_a_triangle_in_many_spellings(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3",
        "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
        "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r",
        "\n\n  v\t0\t0  0\t\n\tv 1.0 0e0 -0.0 \nv .0 1. 0\n\n f 1  2 3 ",
        "# a comment \\\nv 0 0 0 # more\nv 1 0 0 1.0\nv 0 1 0 0.5 0.5 0.5\nf 1 2 3 # 4\n#",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n",
        "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1// 2/ 3/4\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1//1 2//-1 -1//1\n",
        "v \\\n0 0 \\\r\n0\nv 1 \\\r0 0\nv 0 1 0\nf 1\\\n2 3 \\",
        "mtllib a.mtl\no thing\ng part one\nusemtl m\ns off\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvp 1 2\nf 1 2 3\nfree text\n",
        "g \\\nf 1 2\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "v 0 0 0 1 # \\\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "g x # \\\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "plyers\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "v 0 0 0\n\0zero\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    };
    for (size_t i = 0; i < COUNT_OF(texts); ++i) {
        fixture f;
        size_t size = strlen(texts[i]);
        if (i == COUNT_OF(texts) - 1)
            size += 1 + strlen(texts[i] + size + 1);
        if (!fixture_read(&f, texts[i], size))
            fail_msg("text %zu: %s", i, f.message);
        assert_string_equal(f.message, "");
        assert_int_equal(f.mesh.vertex_count, 3);
        assert_int_equal(f.mesh.triangle_count, 1);
        assert_int_equal(f.mesh.line_count, 0);
        for (uint32_t j = 0; j < 3; ++j)
            assert_int_equal(f.mesh.triangle[j], j);
        assert_true(f.mesh.vertex[1].x == 1 && f.mesh.vertex[2].y == 1 && f.mesh.vertex[2].x == 0);
        assert_int_equal(f.notes.polygons, 0);
        assert_close(sn_mesh_area(&f.mesh), 0.5, 0);
        fixture_free(&f);
    }
}

static void test_polygons_become_fans(void **state)
{
    (void)state;
    fixture f;
    fixture_read_text(&f, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 .5 0\nf 2 3 4 5 1\nf 1 2 3\nf 4 3 2 1\n");
    static const uint32_t expected[] = {1, 2, 3, 1, 3, 4, 1, 4, 0, 0, 1, 2, 3, 2, 1, 3, 1, 0};
    assert_int_equal(f.mesh.triangle_count, 6);
    assert_memory_equal(f.mesh.triangle, expected, sizeof expected);
    assert_int_equal(f.notes.polygons, 2);
    fixture_free(&f);
}

static void test_lines(void **state)
{
    (void)state;
    fixture f;
    fixture_read_text(&f, "v 0 0 0\nv 1 0 0\nv 1 1 0\nl 1 2 3 1\nl -1/4 -2/5\n");
    static const uint32_t expected[] = {0, 1, 1, 2, 2, 0, 2, 1};
    assert_int_equal(f.mesh.line_count, 4);
    assert_int_equal(f.mesh.triangle_count, 0);
    assert_memory_equal(f.mesh.line, expected, sizeof expected);
    assert_true(sn_mesh_area(&f.mesh) == 0 && sn_mesh_volume(&f.mesh) == 0);
    fixture_connect(&f);
    assert_int_equal(f.topology.edge_count, 0);
    assert_false(f.topology.closed);
    fixture_free(&f);
}

/* Relative indices count back from where they stand. */
static void test_relative_indices(void **state)
{
    (void)state;
    fixture f;
    fixture_read_text(&f, "v 0 0 0\nv 1 0 0\nv 1 1 0\nf -1 -2 -3\nv 5 5 5\nf -1 -2 -4\n");
    static const uint32_t expected[] = {2, 1, 0, 3, 2, 0};
    assert_memory_equal(f.mesh.triangle, expected, sizeof expected);
    fixture_free(&f);
}

static void test_refusals(void **state)
{
    (void)state;
#define THREE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "empty"},
        {"\n", "no vertices"},
        {"# v 0 0 0\n", "no vertices"},
        {"solid thing\nfacet normal 0 0 1\n", "no vertices PLY OBJ"},
        {"f 1 2 3\n", "no vertices"},
        {"v\n", "line 1: vertex 0 numbers"},
        {"v 1 2\n", "line 1: vertex 2 numbers x y z"},
        {"\nv 1 2 # 3\n", "line 2: vertex 2 numbers"},
        {"v 1 b 2\n", "line 1: y \"b\" not a number"},
        {"v 1,5 0 0\n", "line 1: x \"1,5\" not a number"},
        {THREE "v 0 0 nan\n", "line 4: z \"nan\" not finite"},
        {THREE "v 0 -inf 0\n", "line 4: y \"-inf\" not finite"},
        {THREE "v 1e999 0 0\n", "line 4: x \"1e999\" beyond the range"},
        {THREE "f 1 2\n", "line 4: face 2 corners three"},
        {THREE "f\n", "line 4: face 0 corners"},
        {THREE "f 1 2 4\n", "line 4: face: vertex 4 out of range; 3"},
        {THREE "f 1 2 -4\n", "line 4: face: vertex -4 out of range; 3"},
        {THREE "f -9223372036854775808 2 1\n", "line 4: \"-9223372036854775808\" large"},
        {THREE "f 1 2 99999999999999999999999\n", "line 4: large"},
        {THREE "f 1 2 4294967297\n", "line 4: vertex 4294967297 out of range"},
        {"f -1 -2 -3\n" THREE, "line 1: vertex -1 out of range; 0 before"},
        {THREE "f 0 1 2\n", "line 4: \"0\" counted from 1"},
        {THREE "f 1 2 2\n", "line 4: vertex 2 twice"},
        {THREE "f 1 2 -2\n", "line 4: vertex 2 twice \"-2\""},
        {THREE "v 1 1 0\nf 1 2 3 4\nf 1 2 4 3 1\n", "line 6: vertex 1 twice"},
        {THREE "f 1 2 3.0\n", "line 4: \"3.0\" whole number"},
        {THREE "f 1 2 x\n", "line 4: \"x\" whole number"},
        {THREE "f 1 2 /3\n", "line 4: \"/3\" whole number"},
        {THREE "f 1 2 3/a\n", "line 4: \"3/a\" vertex/texture/normal"},
        {THREE "f 1 2 3/1/1/1\n", "line 4: vertex/texture/normal"},
        {THREE "f 1 \\\n 2 \\\n 7\n", "line 6: vertex 7"},
        {THREE "l 1\n", "line 4: line 1 vertices two"},
        {THREE "l\n", "line 4: line 0 vertices"},
        {THREE "l 1 2 2\n", "line 4: line vertex 2 itself"},
        {THREE "l 1 9\n", "line 4: line: vertex 9 out of range"},
        {"v 0 0 0\rv 0 0 x\r", "line 2: z"},
        {"v 0 0 0\r\n\r\nv 0 0 x\r\n", "line 3: z"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i)
        assert_refused(cases[i].text, cases[i].words);
#undef THREE
#if !SINEW_DOUBLE
    assert_refused("v 0 1e39 0\n", "line 1: y \"1e39\" beyond the range of a float");
#endif
}

static void test_a_message_needs_no_room(void **state)
{
    (void)state;
    sn_arena arena;
    sn_mesh mesh;
    sn_arena_init(&arena, NULL);
    char small[8];
    assert_false(sn_mesh_read(&arena, "v 0 0 x", 7, &mesh, NULL, NULL, 0));
    assert_false(sn_mesh_read(&arena, "v 0 0 x", 7, &mesh, NULL, small, sizeof small));
    assert_string_equal(small, "line 1:");
    assert_false(sn_mesh_read(&arena, NULL, 0, &mesh, NULL, small, sizeof small));
    assert_true(sn_mesh_read(&arena, "v 0 0 1", 7, &mesh, NULL, NULL, 0));
    sn_arena_release(&arena);
}

/* A face with very many corners, the last of them a repeated one: looked up, not searched for. */
static void test_a_huge_face(void **state)
{
    (void)state;
    fixture_text text = {0};
    const uint32_t corners = 100000;
    for (uint32_t i = 0; i < corners; ++i)
        FIXTURE_PRINT(&text, "v %u 0 0\n", i);
    FIXTURE_PRINT(&text, "f");
    for (uint32_t i = 0; i < corners; ++i)
        FIXTURE_PRINT(&text, " %u", i + 1);
    fixture f;
    assert_true(fixture_read(&f, text.bytes, text.size));
    assert_int_equal(f.mesh.triangle_count, corners - 2);
    assert_int_equal(f.notes.polygons, 1);
    fixture_free(&f);
    FIXTURE_PRINT(&text, " 77");
    assert_refused_bytes(text.bytes, text.size, "line 100001: vertex 77 twice");
    free(text.bytes);
}

static void test_round_trip_of_a_sphere(void **state)
{
    (void)state;
    sn_arena arena;
    sn_arena_init(&arena, NULL);
    sn_mesh sphere = fixture_sphere(&arena, 4);
    fixture_text text = {0};
    fixture_put_obj(&text, &sphere);
    fixture f;
    assert_true(fixture_read(&f, text.bytes, text.size));
    assert_same_mesh(&f.mesh, &sphere);
    fixture_free(&f);
    free(text.bytes);
    sn_arena_release(&arena);
}

/* 393216 vertices, separate for each of 131072 triangles. */
static void test_a_large_mesh(void **state)
{
    (void)state;
    sn_arena arena;
    sn_arena_init(&arena, NULL);
    sn_mesh soup = fixture_sphere_soup(&arena, 7);
    fixture_text text = {0};
    fixture_put_obj(&text, &soup);
    fixture f;
    assert_true(fixture_read(&f, text.bytes, text.size));
    assert_same_mesh(&f.mesh, &soup);
    assert_true(sn_mesh_weld(&f.arena, &f.mesh, real(1e-5), true, &f.notes));
    assert_int_equal(f.mesh.vertex_count, 2 + f.mesh.triangle_count / 2); /* Euler's formula */
    assert_int_equal(f.notes.merged, soup.vertex_count - f.mesh.vertex_count);
    fixture_connect(&f);
    assert_true(f.topology.closed && f.topology.oriented);
    assert_int_equal(f.topology.piece_count, 1);
    assert_close(sn_mesh_volume(&f.mesh), 4.18879, 1e-3);
    fixture_free(&f);
    free(text.bytes);
    sn_arena_release(&arena);
}

/* Every request for memory fails once; nothing leaks, and the words say so. */
static void test_memory_runs_out(void **state)
{
    (void)state;
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nl 1 2\n";
    fixture_text large = {0};
    sn_arena own;
    sn_arena_init(&own, NULL);
    sn_mesh sphere = fixture_sphere(&own, 5);
    fixture_put_obj(&large, &sphere);
    const struct {
        const char *bytes;
        size_t size;
    } cases[] = {{text, sizeof text - 1}, {large.bytes, large.size}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        bool done = false;
        for (uint64_t fail_at = 1; !done; ++fail_at) {
            assert_true(fail_at < 100);
            support_memory memory = {.fail_at = fail_at};
            sn_allocator allocator = support_allocator(&memory);
            sn_arena arena;
            sn_arena_init(&arena, &allocator);
            sn_mesh mesh;
            char message[256];
            done = sn_mesh_read(&arena, cases[i].bytes, cases[i].size, &mesh, NULL, message, sizeof message);
            if (!done) {
                assert_int_equal(memory.failures, 1);
                assert_says(message, "no memory for");
                assert_null(mesh.vertex);
            }
            sn_arena_release(&arena);
            assert_memory_clean(&memory);
        }
    }
    sn_arena_release(&own);
    free(large.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_triangle_in_many_spellings),
        cmocka_unit_test(test_polygons_become_fans),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_relative_indices),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_a_message_needs_no_room),
        cmocka_unit_test(test_a_huge_face),
        cmocka_unit_test(test_round_trip_of_a_sphere),
        cmocka_unit_test(test_a_large_mesh),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
