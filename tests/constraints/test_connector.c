/* Connectors along one axis and in a plane. The table's tests check gradients and momentum of every kind. */
#include "slopes.h"

#define STEP (1.0 / 60)

typedef struct two {
    sn_world *world;
    sn_particle a, b;
} two;

static two make_two(sn_world *world, sn_vec3 a, sn_vec3 b)
{
    two t = {.world = world, .a = sn_particle_add_at(world, a, 1), .b = sn_particle_add_at(world, b, 3)};
    return t;
}

/* Along the axis both move until they are level, by their masses; across it nothing happens. */
static void axis_moves_along_the_axis_only(void **state)
{
    (void)state;
    two t = make_two(support_void(), vec(0, 2, 0), vec(3, 0, 1));
    sn_constraint c = sn_constraint_add_connector_axis(t.world, sn_at(t.a), sn_at(t.b), vec(0, 5, 0));
    assert_true(sn_constraint_is_valid(t.world, c));
    support_run(t.world, 1, 1);
    assert_vec_close(sn_particle_position(t.world, t.a), vec(0, 0.5, 0), SUPPORT_ROUND_OFF);
    assert_vec_close(sn_particle_position(t.world, t.b), vec(3, 0.5, 1), SUPPORT_ROUND_OFF);
    sn_world_destroy(t.world);
}

/* In the plane they meet; along the normal they keep their distance. A tilted normal, so that no axis is special. */
static void plane_leaves_the_normal_free(void **state)
{
    (void)state;
    const double n[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3};
    two t = make_two(support_void(), vec(1, 2, -1), vec(0.5, -1, 1.5));
    sn_constraint c = sn_constraint_add_connector_plane(t.world, sn_at(t.a), sn_at(t.b), vec(n[0], n[1], n[2]));
    assert_true(sn_constraint_is_valid(t.world, c));
    double along = 0.5 * n[0] + 3 * n[1] - 2.5 * n[2];
    support_run(t.world, 1, 1);
    sn_vec3 a = sn_particle_position(t.world, t.a), b = sn_particle_position(t.world, t.b);
    double ab[3] = {(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
    for (int i = 0; i < 3; ++i)
        assert_close(ab[i], along * n[i], 4 * SUPPORT_ROUND_OFF);
    sn_world_destroy(t.world);
}

/* A telescope: a falls along the free direction while b is held, and stays above it. */
static void plane_lets_a_telescope_fall(void **state)
{
    (void)state;
    two t = make_two(support_world(), vec(0.1, 0, 0), vec(0, 0, 0));
    assert_ok(t.world, sn_particle_set_mass(t.world, t.b, SN_IMMOVABLE));
    sn_constraint_add_connector_plane(t.world, sn_at(t.a), sn_at(t.b), vec(0, 1, 0));
    support_run(t.world, 60, STEP);
    sn_vec3 a = sn_particle_position(t.world, t.a);
    assert_close(a.x, 0, SUPPORT_ROUND_OFF);
    assert_close(a.z, 0, SUPPORT_ROUND_OFF);
    assert_close(a.y, -0.5 * 9.81, 0.02);
    sn_world_destroy(t.world);
}

/* In 2D a normal out of the plane is an attachment, one in the plane leaves it free. */
static void both_work_in_2d(void **state)
{
    (void)state;
    two t = make_two(support_world_2d(), vec(1, 2, 0), vec(0, 0, 0));
    assert_ok(t.world, sn_particle_set_mass(t.world, t.b, SN_IMMOVABLE));
    sn_constraint_add_connector_plane(t.world, sn_at(t.a), sn_at(t.b), vec(0, 0, 1));
    sn_particle slider = sn_particle_add_at(t.world, vec(0.5, 1, 0), 1);
    sn_constraint_add_connector_plane(t.world, sn_at(slider), sn_at(t.b), vec(0, 1, 0));
    sn_particle level = sn_particle_add_at(t.world, vec(3, 1, 0), 1);
    sn_constraint_add_connector_axis(t.world, sn_at(level), sn_at(t.b), vec(0, 1, 0));
    support_run(t.world, 30, STEP);
    assert_vec_close(sn_particle_position(t.world, t.a), vec(0, 0, 0), SUPPORT_ROUND_OFF);
    sn_vec3 s = sn_particle_position(t.world, slider);
    assert_close(s.x, 0, SUPPORT_ROUND_OFF);
    assert_close(s.y, 1 - 0.5 * 9.81 * 0.25, 0.02);
    assert_vec_close(sn_particle_position(t.world, level), vec(3, 0, 0), SUPPORT_ROUND_OFF);
    sn_world_destroy(t.world);
}

static void a_direction_is_needed(void **state)
{
    (void)state;
    two t = make_two(support_void(), vec(0, 0, 0), vec(1, 0, 0));
    assert_false(sn_constraint_is_valid(
        t.world, sn_constraint_add_connector_axis(t.world, sn_at(t.a), sn_at(t.b), vec(0, 0, 0))));
    assert_says(sn_world_error(t.world), "axis direction");
    assert_false(sn_constraint_is_valid(
        t.world, sn_constraint_add_connector_plane(t.world, sn_at(t.a), sn_at(t.b), vec(0, 0, 0))));
    assert_says(sn_world_error(t.world), "normal direction");
    sn_world_destroy(t.world);
}

static void gradients_in_any_direction(void **state)
{
    (void)state;
    uint64_t seed = 11;
    const double sizes[] = {1e-3, 1, 1e3};
    for (uint32_t i = 0; i < 60; ++i) {
        double size = sizes[i % 3];
        sn_vec3 x[2] = {slopes_place(&seed, size), slopes_place(&seed, size)}, n = slopes_direction(&seed);
        sn_real param[3] = {n.x, n.y, n.z};
        assert_true(slopes_agree(SN_KIND_CONNECTOR_AXIS, 2, x, param, size, size));
        assert_true(slopes_agree(SN_KIND_CONNECTOR_PLANE, 2, x, param, size, size));
        slopes_sum_to_zero(SN_KIND_CONNECTOR_PLANE, 2, x, param);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axis_moves_along_the_axis_only), cmocka_unit_test(plane_leaves_the_normal_free),
        cmocka_unit_test(plane_lets_a_telescope_fall),    cmocka_unit_test(both_work_in_2d),
        cmocka_unit_test(a_direction_is_needed),          cmocka_unit_test(gradients_in_any_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
