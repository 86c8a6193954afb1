/* Welding: what merges, what stays, in which order, at any distance. */
#include "mesh_fixture.h"

/* Six separate squares that make a cube. */
static const char cube[] = "v 0 0 0\nv 0 1 0\nv 1 1 0\nv 1 0 0\nf 1 2 3 4\n"
                           "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf -4 -3 -2 -1\n"
                           "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf -4 -3 -2 -1\n"
                           "v 1 0 0\nv 1 1 0\nv 1 1 1\nv 1 0 1\nf -4 -3 -2 -1\n"
                           "v 1 1 0\nv 0 1 0\nv 0 1 1\nv 1 1 1\nf -4 -3 -2 -1\n"
                           "v 0 1 0\nv -0 -0.0 -0\nv 0 0 1\nv 0 1 1\nf -4 -3 -2 -1\n";

static void test_a_cube_of_six_squares(void **state)
{
    (void)state;
    static const double distances[] = {0, 1e-30, 1e-3, 0.9};
    for (size_t i = 0; i < COUNT_OF(distances); ++i) {
        fixture f;
        fixture_read_text(&f, cube);
        assert_int_equal(f.mesh.vertex_count, 24);
        assert_int_equal(f.notes.polygons, 6);
        fixture_connect(&f);
        assert_int_equal(f.topology.piece_count, 6);
        assert_int_equal(f.topology.border_count, 24);
        assert_true(sn_mesh_weld(&f.arena, &f.mesh, real(distances[i]), true, &f.notes));
        assert_int_equal(f.mesh.vertex_count, 8);
        assert_int_equal(f.mesh.triangle_count, 12);
        assert_int_equal(f.notes.merged, 16);
        assert_int_equal(f.notes.degenerate + f.notes.unused, 0);
        fixture_connect(&f);
        assert_true(f.topology.closed && f.topology.oriented);
        assert_int_equal(f.topology.edge_count, 18);
        assert_int_equal(f.topology.piece_count, 1);
        assert_close(sn_mesh_volume(&f.mesh), 1, 1e-15);
        assert_close(sn_mesh_area(&f.mesh), 6, 1e-15);
        fixture_free(&f);
    }
}

/* A mesh of points alone, to see which of them stay. */
static void weld_points(fixture *f, const sn_vec3 *point, uint32_t count, sn_real distance)
{
    memset(f, 0, sizeof *f);
    sn_arena_init(&f->arena, NULL);
    f->mesh = (sn_mesh){.vertex_count = count, .vertex = sn_arena_take(&f->arena, count, sizeof(sn_vec3))};
    assert_non_null(f->mesh.vertex);
    memcpy(f->mesh.vertex, point, count * sizeof(sn_vec3));
    assert_true(sn_mesh_weld(&f->arena, &f->mesh, distance, false, &f->notes));
    assert_int_equal(f->mesh.vertex_count + f->notes.merged, count);
}

/* The vertices that stay draw others towards themselves, but not from farther away than the distance. */
static void test_each_goes_to_the_nearest_that_stays(void **state)
{
    (void)state;
    fixture f;
    /* 1: stays. 2: stays. 3: to 1, as near as 2 is. 4: to 2. 5: within reach of 3 only, which has gone: stays. */
    fixture_read_text(&f, "v 0 0 0\nv 2 0 0\nv 1 0 0\nv 1.25 0 0\nv 1 1 0\nv 9 9 9\n"
                          "l 3 2\nl 4 1\nl 5 3\nl 1 3\nf 3 4 5\nf 1 3 5\nf 5 4 2\n");
    assert_true(sn_mesh_weld(&f.arena, &f.mesh, 1, false, &f.notes));
    static const uint32_t lines[] = {0, 1, 1, 0, 2, 0}, triangles[] = {0, 1, 2};
    assert_int_equal(f.mesh.vertex_count, 4);
    assert_vec_same(f.mesh.vertex[2], vec(1, 1, 0));
    assert_vec_same(f.mesh.vertex[3], vec(9, 9, 9));
    assert_int_equal(f.mesh.line_count, 3);
    assert_memory_equal(f.mesh.line, lines, sizeof lines);
    assert_int_equal(f.mesh.triangle_count, 1);
    assert_memory_equal(f.mesh.triangle, triangles, sizeof triangles);
    assert_int_equal(f.notes.merged, 2);
    assert_int_equal(f.notes.degenerate, 2);
    assert_int_equal(f.notes.short_lines, 1);
    assert_int_equal(f.notes.unused, 0);

    /* notes add up; NULL is fine */
    assert_true(sn_mesh_weld(&f.arena, &f.mesh, 0, true, &f.notes));
    assert_int_equal(f.mesh.vertex_count, 3);
    assert_int_equal(f.notes.merged, 2);
    assert_int_equal(f.notes.unused, 1);
    assert_true(sn_mesh_weld(&f.arena, &f.mesh, 0, true, NULL));
    assert_int_equal(f.mesh.vertex_count, 3);
    fixture_free(&f);
}

/* A vertex that only dropped triangles use is dropped with them. */
static void test_unused_vertices_go(void **state)
{
    (void)state;
    fixture f;
    fixture_read_text(&f, "v 5 5 5\nv 0 0 0\nv 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 2 3 4\nl 5 6\n");
    assert_true(sn_mesh_weld(&f.arena, &f.mesh, 0, true, &f.notes));
    assert_int_equal(f.mesh.vertex_count, 2);
    assert_int_equal(f.mesh.triangle_count, 0);
    assert_int_equal(f.mesh.line[0], 0);
    assert_int_equal(f.mesh.line[1], 1);
    assert_true(f.mesh.vertex[0].x == 2 && f.mesh.vertex[1].x == 3);
    assert_int_equal(f.notes.merged, 1);
    assert_int_equal(f.notes.degenerate, 1);
    assert_int_equal(f.notes.unused, 3);
    fixture_free(&f);
}

/* What the contract says, looked up among all pairs. Ratios, as squares of tiny distances vanish. */
static double gap(sn_vec3 a, sn_vec3 b, double distance)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    if (x == 0 && y == 0 && z == 0)
        return 0;
    if (distance == 0)
        return (double)INFINITY;
    x /= distance, y /= distance, z /= distance;
    return x * x + y * y + z * z;
}

static uint32_t weld_slowly(const sn_vec3 *point, uint32_t count, double distance, sn_vec3 *kept)
{
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t j = 0;
        while (j < kept_count && !(gap(point[i], kept[j], distance) <= 1))
            ++j;
        if (j == kept_count)
            kept[kept_count++] = point[i];
    }
    return kept_count;
}

/* Points on a grid, at random, on borders of cells, near zero and far away, at distances from tiny to huge. */
static void test_like_all_pairs(void **state)
{
    (void)state;
    static const double scales[] = {1e-44, 1e-30, 1e-3, 1, 1e6, 1e30, 3e38};
    static const double distances[] = {0,    1e-45, 1e-40, 5e-17, 1.2e-16, 2.3e-16, 1e-7,
                                       1e-4, 0.05,  0.25,  1,     3,       1e8,     1e38};
    enum { COUNT = 150 };
    uint64_t seed = 11;
    for (size_t s = 0; s < COUNT_OF(scales); ++s) {
        for (size_t d = 0; d < 2 * COUNT_OF(distances); ++d) {
            double distance = distances[d / 2] * (d % 2 ? 1 : scales[s]);
            if (distance > SUPPORT_REAL_MAX)
                continue;
            distance = (double)real(distance); /* what sn_real makes of it */
            sn_vec3 point[COUNT], kept[COUNT];
            for (int i = 0; i < COUNT; ++i) {
                double x[3];
                for (int j = 0; j < 3; ++j) {
                    x[j] = support_random_in(&seed, -1, 1);
                    if (i % 3)
                        x[j] = round(x[j] * 4) / 4;
                }
                point[i] = vec(x[0] * scales[s], x[1] * scales[s], x[2] * scales[s]);
                if (i > 0 && i % 5 == 0) /* a step of one unit in the last place, or of about the distance */
                    point[i].x = (sn_real)(sizeof(sn_real) == 4 ? (double)nextafterf((float)point[i - 1].x, FLT_MAX)
                                                                : nextafter((double)point[i - 1].x, (double)FLT_MAX));
                if (i > 0 && i % 7 == 0 && fabs((double)point[i - 1].x) + distance < SUPPORT_REAL_MAX) {
                    point[i] = point[i - 1];
                    point[i].x = (sn_real)((double)point[i].x + distance);
                }
            }
            fixture f;
            weld_points(&f, point, COUNT, (sn_real)distance);
            uint32_t expected = weld_slowly(point, COUNT, distance, kept);
            if (f.mesh.vertex_count != expected)
                fail_msg("scale %g, distance %g: %u vertices instead of %u", scales[s], distance, f.mesh.vertex_count,
                         expected);
            for (uint32_t i = 0; i < expected; ++i)
                if (memcmp(&f.mesh.vertex[i], &kept[i], sizeof kept[i]) != 0)
                    fail_msg("scale %g, distance %g: vertex %u is (%g, %g, %g) instead of (%g, %g, %g)", scales[s],
                             distance, i, (double)f.mesh.vertex[i].x, (double)f.mesh.vertex[i].y,
                             (double)f.mesh.vertex[i].z, (double)kept[i].x, (double)kept[i].y, (double)kept[i].z);
            fixture_free(&f);
        }
    }
}

static void test_extreme_distances(void **state)
{
    (void)state;
    const double m = SUPPORT_REAL_MAX;
    const sn_vec3 point[] = {vec(m, m, -m), vec(-m, 0, m), vec(0, -0.0, 0), vec(m, m, -m), vec(1, 2, 3), vec(0, 0, 0)};
    static const struct {
        double distance;
        uint32_t kept;
    } cases[] = {{0, 4}, {-1, 4}, {(double)NAN, 4}, {1e-45, 4}, {3, 4}, {3.8, 3}, {(double)INFINITY, 1}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        fixture f;
        weld_points(&f, point, COUNT_OF(point), (sn_real)cases[i].distance);
        assert_int_equal(f.mesh.vertex_count, cases[i].kept);
        assert_vec_same(f.mesh.vertex[0], point[0]);
        fixture_free(&f);
    }
    fixture f;
    weld_points(&f, point, COUNT_OF(point), (sn_real)m); /* no answer of this is far off; it must only come */
    assert_in_range(f.mesh.vertex_count, 1, 4);
    fixture_free(&f);
    weld_points(&f, point, 0, 1);
    assert_int_equal(f.mesh.vertex_count, 0);
    fixture_free(&f);
}

/* Cells full of copies, and one cell for everything, must not make it slow: a minute would be noticed. */
static void test_many_in_one_place(void **state)
{
    (void)state;
    const uint32_t count = 300000;
    sn_vec3 *point = malloc(count * sizeof *point);
    assert_non_null(point);
    uint64_t seed = 3;
    for (uint32_t i = 0; i < count; ++i)
        point[i] = vec(support_random_in(&seed, 0, 1), support_random_in(&seed, 0, 1), i % 7);
    static const double distances[] = {0, 1e-45, 1e-12, 1e-3, 10, 1e30};
    for (size_t i = 0; i < COUNT_OF(distances); ++i) {
        fixture f;
        weld_points(&f, point, count, (sn_real)distances[i]);
        if (distances[i] >= 10)
            assert_int_equal(f.mesh.vertex_count, 1);
        fixture_free(&f);
    }
    free(point);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    sn_arena own;
    sn_arena_init(&own, NULL);
    const sn_mesh soup = fixture_sphere_soup(&own, 5);
    bool done = false;
    for (uint64_t fail_at = 1; !done; ++fail_at) {
        assert_true(fail_at < 100);
        support_memory memory = {.fail_at = fail_at};
        sn_allocator allocator = support_allocator(&memory);
        sn_arena arena;
        sn_arena_init(&arena, &allocator);
        sn_mesh mesh = soup;
        sn_mesh_notes notes = {.merged = 5};
        done = sn_mesh_weld(&arena, &mesh, real(1e-4), true, &notes);
        if (!done) {
            assert_memory_equal(&mesh, &soup, sizeof mesh);
            assert_int_equal(notes.merged, 5);
        } else {
            assert_int_equal(notes.merged, 5 + soup.vertex_count - mesh.vertex_count);
        }
        sn_arena_release(&arena);
        assert_memory_clean(&memory);
    }
    sn_arena_release(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cube_of_six_squares), cmocka_unit_test(test_each_goes_to_the_nearest_that_stays),
        cmocka_unit_test(test_unused_vertices_go),    cmocka_unit_test(test_like_all_pairs),
        cmocka_unit_test(test_extreme_distances),     cmocka_unit_test(test_many_in_one_place),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
