/* A point in front of a triangle, and edges that keep their distance. */
#include "slopes.h"

static sn_particle four(sn_world *world, const double (*x)[3], sn_particle *p)
{
    for (int i = 0; i < 4; ++i)
        p[i] = sn_particle_add_at(world, vec(x[i][0], x[i][1], x[i][2]), 1);
    return p[0];
}

static double value_of(const sn_world *world, sn_constraint c)
{
    sn_real value[SN_MAX_ROWS];
    assert_ok(world, sn_constraint_value(world, c, value));
    return (double)value[0];
}

/* ---- Point and triangle ------------------------------------------------------------------------------------------- */

static const double below[4][3] = {{0.3, -0.2, 0.3}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};

/* A point 0.2 below goes to the thickness above, the triangle the other way, shared by where the point is. */
static void a_point_is_pushed_out(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_particle p[4];
    four(world, below, p);
    sn_constraint c =
        sn_constraint_add_point_triangle(world, sn_at(p[0]), sn_at(p[1]), sn_at(p[2]), sn_at(p[3]), real(0.05));
    assert_close(value_of(world, c), -0.25, SUPPORT_ROUND_OFF);
    support_run(world, 1, 1);
    assert_close(value_of(world, c), 0, 0.01); /* the plane turns, and one projection is not all */
    /* sum of weight^2: 1 + 0.16 + 0.09 + 0.09 */
    assert_close(sn_particle_position(world, p[0]).y, -0.2 + 0.25 / 1.34, 1e-5);
    assert_close(sn_particle_position(world, p[1]).y, -0.4 * 0.25 / 1.34, 1e-5);
    assert_close(sn_particle_position(world, p[3]).y, -0.3 * 0.25 / 1.34, 1e-5);
    sn_world_destroy(world);
}

/* In front it is left alone; the default thickness is 0. A ball that falls on a fixed triangle comes to rest on it. */
static void a_triangle_carries(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle p[4];
    four(world, below, p);
    for (int i = 1; i < 4; ++i)
        assert_ok(world, sn_particle_set_mass(world, p[i], SN_IMMOVABLE));
    assert_ok(world, sn_particle_set_position(world, p[0], vec(0.3, 1, 0.3)));
    sn_constraint c =
        sn_constraint_add_point_triangle(world, sn_at(p[0]), sn_at(p[1]), sn_at(p[2]), sn_at(p[3]), SN_MEASURE);
    support_run(world, 10, 1.0 / 60);
    assert_true(sn_constraint_force(world, c).magnitude == 0);
    assert_close(sn_particle_position(world, p[0]).y, 1 - 0.5 * 9.81 / 36, 0.02);
    support_run(world, 60, 1.0 / 60);
    assert_vec_close(sn_particle_position(world, p[0]), vec(0.3, 0, 0.3), 1e-5);
    assert_close(sn_constraint_force(world, c).magnitude, 9.81, 0.01);
    sn_world_destroy(world);
}

/* A triangle that is a line, or a point, has no front. */
static void a_flat_triangle_rests(void **state)
{
    (void)state;
    const double line[4][3] = {{0.3, -0.2, 0.3}, {0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
    const double scales[] = {1e-3, 1, 1e3};
    for (size_t n = 0; n < COUNT_OF(scales); ++n) {
        sn_world *world = support_void();
        sn_particle p[4];
        for (int i = 0; i < 4; ++i)
            p[i] = sn_particle_add_at(world,
                                      vec(line[i][0] * scales[n], line[i][1] * scales[n], line[i][2] * scales[n]), 1);
        sn_constraint c =
            sn_constraint_add_point_triangle(world, sn_at(p[0]), sn_at(p[1]), sn_at(p[2]), sn_at(p[3]), 1);
        assert_true(isnan(value_of(world, c)));
        support_run(world, 2, 0.1);
        assert_true(support_is_finite(sn_particle_position(world, p[0])));
        sn_world_destroy(world);
    }
}

/* ---- Edges ---------------------------------------------------------------------------------------------------------- */

typedef struct edge_case {
    double x[4][3];
    double distance; /* by hand */
} edge_case;

static const edge_case edge_cases[] = {
    {{{-1, 0, 0}, {1, 0, 0}, {0, 0.3, -1}, {0, 0.3, 1}}, 0.3},           /* inside both */
    {{{-1, 0, 0}, {1, 0, 0}, {0.5, 0.4, 0}, {0.5, 2, 1}}, 0.4},          /* an end against an inside */
    {{{-1, 0, 0}, {1, 0, 0}, {2, 1, 0}, {3, 2, 1}}, 1.4142135623730951}, /* two ends */
    {{{0, 0, 0}, {2, 0, 0}, {1, 0, 0.5}, {5, 0, 0.5}}, 0.5},             /* parallel, overlapping */
    {{{0, 0, 0}, {2, 0, 0}, {5, 0, 0.5}, {1, 0, 0.5}}, 0.5},             /* the other way round */
    {{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {5, 0, 0}}, 2},                   /* on one line */
    {{{0, 0, 0}, {0, 0, 0}, {-1, 1, 0}, {1, 1, 0}}, 1},                  /* an edge that is a point */
    {{{-1, 1, 0}, {1, 1, 0}, {0, 0, 0}, {0, 0, 0}}, 1},                  /* and the other one */
    {{{0, 0, 0}, {0, 0, 0}, {0, 2, 0}, {0, 2, 0}}, 2},                   /* two points */
};

static void distances_of_edges(void **state)
{
    (void)state;
    const double scales[] = {1e-3, 1, 1e3};
    for (size_t n = 0; n < COUNT_OF(edge_cases); ++n)
        for (size_t s = 0; s < COUNT_OF(scales); ++s) {
            static slopes_value v;
            sn_vec3 x[4];
            sn_real thickness = 0;
            for (int i = 0; i < 4; ++i)
                x[i] = vec(edge_cases[n].x[i][0] * scales[s], edge_cases[n].x[i][1] * scales[s],
                           edge_cases[n].x[i][2] * scales[s]);
            assert_true(slopes_evaluate(SN_KIND_EDGE_EDGE, 4, x, &thickness, &v));
            assert_close(v.c[0], edge_cases[n].distance * scales[s], SUPPORT_ROUND_OFF * scales[s]);
            slopes_sum_to_zero(SN_KIND_EDGE_EDGE, 4, x, &thickness);
        }
}

/* Overlapping parallel edges are pushed apart in the middle of the overlap. */
static void parallel_edges_do_not_turn(void **state)
{
    (void)state;
    const double x[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 0.1, 0}, {2, 0.1, 0}};
    sn_world *world = support_void();
    sn_particle p[4];
    four(world, x, p);
    sn_constraint c = sn_constraint_add_edge_edge(world, sn_at(p[0]), sn_at(p[1]), sn_at(p[2]), sn_at(p[3]), real(0.3));
    support_run(world, 1, 1);
    for (int i = 0; i < 4; ++i)
        assert_vec_close(sn_particle_position(world, p[i]), vec(i % 2 ? 2 : 0, i < 2 ? -0.1 : 0.2, 0), 1e-6);
    assert_close(value_of(world, c), 0, 1e-6);
    sn_world_destroy(world);
}

/* Two edges fly at one another and stop at their thickness; edges that cross exactly come apart too. */
static void edges_separate(void **state)
{
    (void)state;
    const double apart[4][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 0.5, -1}, {0, 0.5, 1}};
    sn_world *world = support_void();
    sn_particle p[4];
    four(world, apart, p);
    sn_constraint c = sn_constraint_add_edge_edge(world, sn_at(p[0]), sn_at(p[1]), sn_at(p[2]), sn_at(p[3]), real(0.1));
    for (int i = 0; i < 4; ++i)
        assert_ok(world, sn_particle_set_velocity(world, p[i], vec(0, i < 2 ? 1 : -1, 0)));
    support_run(world, 60, 1.0 / 60);
    assert_close(value_of(world, c), 0, 1e-5);
    assert_close(sn_particle_position(world, p[0]).y, 0.2, 1e-4);
    sn_world_destroy(world);

    const double cross[4][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 0, -1}, {0, 0, 1}};
    world = support_void();
    four(world, cross, p);
    c = sn_constraint_add_edge_edge(world, sn_at(p[0]), sn_at(p[1]), sn_at(p[2]), sn_at(p[3]), real(0.1));
    support_run(world, 1, 1);
    assert_close(value_of(world, c), 0, 1e-5);
    sn_world_destroy(world);
}

/* Measured, the thickness is the distance now. Ends that touch have no direction, and rest. */
static void measured_and_touching(void **state)
{
    (void)state;
    const double touch[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {2, 1, 0}};
    sn_world *world = support_void();
    sn_particle p[4], q[4];
    four(world, edge_cases[0].x, p);
    four(world, touch, q);
    sn_constraint c =
        sn_constraint_add_edge_edge(world, sn_at(p[0]), sn_at(p[1]), sn_at(p[2]), sn_at(p[3]), SN_MEASURE);
    sn_constraint d = sn_constraint_add_edge_edge(world, sn_at(q[0]), sn_at(q[1]), sn_at(q[2]), sn_at(q[3]), real(0.2));
    assert_true(value_of(world, c) == 0);
    assert_true(isnan(value_of(world, d)));
    support_run(world, 2, 0.1);
    for (int i = 0; i < 4; ++i)
        assert_vec_same(sn_particle_position(world, q[i]), vec(touch[i][0], touch[i][1], touch[i][2]));
    sn_world_destroy(world);
}

/* ---- Gradients ------------------------------------------------------------------------------------------------------ */

static void gradients(void **state)
{
    (void)state;
    uint64_t seed = 99;
    const double sizes[] = {1e-3, 1, 1e3};
    uint32_t triangles = 0, edges = 0;
    for (uint32_t n = 0; n < 300; ++n) {
        double size = sizes[n % 3];
        sn_vec3 x[4];
        sn_real thickness = real(0.1 * size);
        static const double base[4][3] = {{0, 0.2, 0.2}, {1, 0, 0}, {-0.8, 0.2, 0.7}, {-0.3, 0, -1}};
        for (int i = 0; i < 4; ++i) {
            sn_vec3 d = slopes_place(&seed, 0.5 * size);
            x[i] =
                vec(base[i][0] * size + (double)d.x, base[i][1] * size + (double)d.y, base[i][2] * size + (double)d.z);
        }
        triangles += slopes_agree(SN_KIND_POINT_TRIANGLE, 4, x, &thickness, 0.1 * size, 2 * size);
        edges += slopes_agree(SN_KIND_EDGE_EDGE, 4, x, &thickness, 0.1 * size, 2 * size);
    }
    assert_in_range(triangles, 250, 300);
    assert_in_range(edges, 250, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_is_pushed_out),      cmocka_unit_test(a_triangle_carries),
        cmocka_unit_test(a_flat_triangle_rests),      cmocka_unit_test(distances_of_edges),
        cmocka_unit_test(parallel_edges_do_not_turn), cmocka_unit_test(edges_separate),
        cmocka_unit_test(measured_and_touching),      cmocka_unit_test(gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
