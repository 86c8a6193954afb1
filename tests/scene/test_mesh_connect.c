/* Edges, neighbours, borders and pieces. */
#include "mesh_fixture.h"

static void assert_edge(const fixture *f, uint32_t i, uint32_t a, uint32_t b, uint32_t first, uint32_t second)
{
    assert_true(i < f->topology.edge_count);
    const sn_mesh_edge *edge = &f->topology.edge[i];
    assert_int_equal(edge->a, a);
    assert_int_equal(edge->b, b);
    assert_int_equal(edge->opposite[0], first);
    assert_int_equal(edge->opposite[1], second);
}

/* 3--2
   | /|   edges in the order in which the triangles name them, and both sides of the one in the middle */
static void test_two_triangles(void **state)
{
    (void)state;
    fixture f;
    fixture_read_text(&f, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
    fixture_connect(&f);
    assert_int_equal(f.topology.edge_count, 5);
    assert_edge(&f, 0, 0, 1, 2, SN_NO_VERTEX);
    assert_edge(&f, 1, 1, 2, 0, SN_NO_VERTEX);
    assert_edge(&f, 2, 0, 2, 3, 1);
    assert_edge(&f, 3, 2, 3, 0, SN_NO_VERTEX);
    assert_edge(&f, 4, 0, 3, SN_NO_VERTEX, 2);
    assert_int_equal(f.topology.border_count, 4);
    assert_false(f.topology.closed);
    assert_true(f.topology.oriented);
    assert_int_equal(f.topology.piece_count, 1);
    fixture_free(&f);
}

static void test_neighbours_that_disagree(void **state)
{
    (void)state;
    fixture f;
    fixture_read_text(&f, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 3 2\nf 1 3 4\n");
    fixture_connect(&f);
    assert_false(f.topology.oriented);
    assert_edge(&f, 0, 0, 2, 1, 3);
    fixture_free(&f);
    fixture_read_text(&f, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 3 1 2\nf 3 1 4\n");
    fixture_connect(&f);
    assert_false(f.topology.oriented);
    assert_edge(&f, 0, 0, 2, 1, 3);
    fixture_free(&f);
}

/* A band of quads; its end is joined with its start, straight or turned over. */
static void test_a_ring_and_a_moebius_strip(void **state)
{
    (void)state;
    const uint32_t around = 12;
    for (int turned = 0; turned <= 1; ++turned) {
        fixture_text text = {0};
        for (uint32_t i = 0; i < around; ++i) {
            double angle = 6.283185307179586 * i / around, tilt = turned ? angle / 2 : 0;
            for (int side = -1; side <= 1; side += 2)
                FIXTURE_PRINT(&text, "v %.9f %.9f %.9f\n", (2 + 0.3 * side * sin(tilt)) * cos(angle),
                              (2 + 0.3 * side * sin(tilt)) * sin(angle), 0.3 * side * cos(tilt));
        }
        for (uint32_t i = 0; i < around; ++i) {
            uint32_t low = 2 * i + 1, high = low + 1, next_low = 2 * ((i + 1) % around) + 1, next_high = next_low + 1;
            if (turned && i + 1 == around) {
                next_low = 2;
                next_high = 1;
            }
            FIXTURE_PRINT(&text, "f %u %u %u %u\n", low, next_low, next_high, high);
        }
        fixture f;
        assert_true(fixture_read(&f, text.bytes, text.size));
        fixture_connect(&f);
        assert_int_equal(f.topology.oriented, !turned);
        assert_int_equal(f.topology.border_count, 2 * around);
        assert_int_equal(f.topology.edge_count, 4 * around);
        assert_int_equal(f.topology.piece_count, 1);
        assert_false(f.topology.closed);
        fixture_free(&f);
        free(text.bytes);
    }
}

static void test_a_sphere_is_closed(void **state)
{
    (void)state;
    fixture f = {0};
    sn_arena_init(&f.arena, NULL);
    f.mesh = fixture_sphere(&f.arena, 5);
    fixture_connect(&f);
    assert_true(f.topology.closed && f.topology.oriented);
    assert_int_equal(f.topology.edge_count, f.mesh.triangle_count * 3 / 2);
    /* every triangle is found again at its three edges */
    uint64_t sides = 0;
    for (uint32_t i = 0; i < f.topology.edge_count; ++i) {
        const sn_mesh_edge *edge = &f.topology.edge[i];
        assert_true(edge->a < edge->b && edge->opposite[0] != edge->opposite[1]);
        sides += 2;
    }
    assert_int_equal(sides, 3 * f.mesh.triangle_count);
    /* an inscribed polyhedron: a little less than the ball and its surface */
    double volume = sn_mesh_volume(&f.mesh), area = sn_mesh_area(&f.mesh);
    assert_true(volume < 4.18879 && volume > 4.17);
    assert_true(area < 12.56637 && area > 12.53);
    for (uint32_t i = 0; i < 3 * f.mesh.triangle_count; i += 3) {
        uint32_t swap = f.mesh.triangle[i];
        f.mesh.triangle[i] = f.mesh.triangle[i + 1];
        f.mesh.triangle[i + 1] = swap;
    }
    assert_close(sn_mesh_volume(&f.mesh), -volume, 1e-12);
    fixture_connect(&f);
    assert_true(f.topology.closed && f.topology.oriented);
    fixture_free(&f);
}

/* A small thing far away keeps its volume. */
static void test_volume_far_from_the_origin(void **state)
{
    (void)state;
    fixture f;
    fixture_read_text(&f, "v 65536 65536 65536\nv 65536.5 65536 65536\nv 65536 65536.5 65536\nv 65536 65536 65536.5\n"
                          "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    assert_close(sn_mesh_volume(&f.mesh), 0.125 / 6, 1e-15);
    assert_close(sn_mesh_triangle_area(&f.mesh, 1), 0.125, 1e-15);
    fixture_free(&f);
}

static void test_pieces(void **state)
{
    (void)state;
    fixture f;
    /* two triangles with one common vertex, one alone, a line between, a vertex that nothing uses */
    fixture_read_text(&f, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv -1 0 0\nv 0 -1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 9 9 9\n"
                          "f 1 2 3\nf 6 7 8\nf 1 4 5\nl 1 6\n");
    fixture_connect(&f);
    assert_int_equal(f.topology.piece_count, 2);
    assert_int_equal(f.topology.border_count, 9);
    fixture_free(&f);
    /* the same triangle from both sides: closed, with nothing inside */
    fixture_read_text(&f, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n");
    fixture_connect(&f);
    assert_true(f.topology.closed && f.topology.oriented);
    assert_int_equal(f.topology.edge_count, 3);
    assert_true(sn_mesh_volume(&f.mesh) == 0);
    fixture_free(&f);
}

static void assert_not_connected(fixture *f, const char *words)
{
    assert_false(sn_mesh_connect(&f->arena, &f->mesh, &f->topology, f->message, sizeof f->message));
    assert_says(f->message, words);
    assert_int_equal(f->topology.edge_count, 0);
    assert_null(f->topology.edge);
    assert_false(sn_mesh_connect(&f->arena, &f->mesh, &f->topology, NULL, 0));
}

static void test_refusals(void **state)
{
    (void)state;
    fixture f;
    fixture_read_text(&f,
                      "v 0 0 0\nv 7 0 0\nv 7.5 2 0\nv 0 1 0\nv 0 0 1\nv 0 0 -1\nf 1 2 4\nf 2 3 4\nf 3 2 5\nf 2 3 6\n");
    assert_not_connected(&f, "not a manifold edge vertex 1 (7, 0, 0) vertex 2 (7.5, 2, 0) 3 triangles (1, 2, 3)");
    fixture_free(&f);

    fixture_read_text(&f, "v 0 0 0\nv 7 0 0\nv 7.5 2 0\nf 1 2 3\nf 1 2 3\nf 1 2 3\nf 2 1 3\n");
    assert_not_connected(&f, "edge vertex 0 1 4 triangles (0, 1, 2, ...)");
    f.mesh.triangle_count = 1;
    f.mesh.triangle[1] = 0;
    assert_not_connected(&f, "triangle 0 degenerate vertex 0 twice");
    f.mesh.triangle[1] = 1;
    f.mesh.triangle[2] = 3;
    assert_not_connected(&f, "triangle 0 vertex 3 there are 3");
    fixture_free(&f);
}

/* A vertex with very many edges. */
static void test_a_huge_fan(void **state)
{
    (void)state;
    const uint32_t count = 200000;
    fixture f = {0};
    sn_arena_init(&f.arena, NULL);
    f.mesh.vertex_count = count + 1;
    f.mesh.vertex = sn_arena_take(&f.arena, count + 1, sizeof(sn_vec3));
    f.mesh.triangle_count = count;
    f.mesh.triangle = sn_arena_take(&f.arena, count, 3 * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; ++i) {
        f.mesh.triangle[3 * i] = count;
        f.mesh.triangle[3 * i + 1] = i;
        f.mesh.triangle[3 * i + 2] = (i + 1) % count;
    }
    fixture_connect(&f);
    assert_int_equal(f.topology.edge_count, 2 * count);
    assert_int_equal(f.topology.border_count, count);
    assert_int_equal(f.topology.piece_count, 1);
    assert_true(f.topology.oriented);
    fixture_free(&f);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    sn_arena own;
    sn_arena_init(&own, NULL);
    sn_mesh sphere = fixture_sphere(&own, 5);
    bool done = false;
    for (uint64_t fail_at = 1; !done; ++fail_at) {
        assert_true(fail_at < 100);
        support_memory memory = {.fail_at = fail_at};
        sn_allocator allocator = support_allocator(&memory);
        sn_arena arena;
        sn_arena_init(&arena, &allocator);
        sn_mesh_topology topology;
        char message[256];
        done = sn_mesh_connect(&arena, &sphere, &topology, message, sizeof message);
        if (!done) {
            assert_says(message, "no memory");
            assert_null(topology.edge);
        }
        sn_arena_release(&arena);
        assert_memory_clean(&memory);
    }
    sn_arena_release(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_triangles),
        cmocka_unit_test(test_neighbours_that_disagree),
        cmocka_unit_test(test_a_ring_and_a_moebius_strip),
        cmocka_unit_test(test_a_sphere_is_closed),
        cmocka_unit_test(test_volume_far_from_the_origin),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_a_huge_fan),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
