/* Points on lines, circles and spheres of the world. */
#include "slopes.h"

#define PI 3.14159265358979323846

static double height_over(sn_vec3 x, sn_vec3 centre, sn_vec3 n)
{
    return ((double)x.x - (double)centre.x) * (double)n.x + ((double)x.y - (double)centre.y) * (double)n.y +
           ((double)x.z - (double)centre.z) * (double)n.z;
}

/* ---- Line -------------------------------------------------------------------------------------------------------- */

/* Frictionless on a slope of 3 : 4 from rest: the way along it is g sin(angle) t^2 / 2. */
static void a_bead_slides_down_a_straight_wire(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle bead = sn_particle_add_at(world, vec(1, 2, 3), 2);
    sn_constraint_add_on_line(world, sn_at(bead), vec(1, 2, 3), vec(4, -3, 0));
    support_run(world, 60, 1.0 / 60);
    double way = 0.5 * 9.81 * 0.6;
    assert_vec_close(sn_particle_position(world, bead), vec(1 + 0.8 * way, 2 - 0.6 * way, 3), 0.01 * way);
    sn_world_destroy(world);
}

static void a_point_is_brought_onto_its_line(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_particle p = sn_particle_add_at(world, vec(5, 1, -2), 1);
    sn_constraint_add_on_line(world, sn_at(p), vec(0, 0, 0), vec(2, 0, 0));
    support_run(world, 1, 1);
    assert_vec_close(sn_particle_position(world, p), vec(5, 0, 0), 4 * SUPPORT_ROUND_OFF);
    sn_world_destroy(world);
}

/* ---- Circle ------------------------------------------------------------------------------------------------------ */

/* Small swings of a bead at the bottom of a hoop have the period 2 pi sqrt(R / g). Counted by zero crossings. */
static void check_pendulum(sn_world *world, sn_constraint (*add)(sn_world *, sn_particle, double))
{
    const double radius = 0.5, angle = 0.05, dt = 1.0 / 240;
    sn_particle bead = sn_particle_add_at(world, vec(radius * sin(angle), -radius * cos(angle), 0), 1);
    assert_true(sn_constraint_is_valid(world, add(world, bead, radius)));
    double first = 0, last = 0, before = radius * sin(angle);
    uint32_t crossings = 0;
    for (uint32_t i = 1; i <= 5 * 240; ++i) {
        assert_ok(world, sn_world_step(world, real(dt)));
        double x = (double)sn_particle_position(world, bead).x;
        if (before > 0 && x <= 0) {
            last = (i - x / (x - before)) * dt;
            first = crossings++ ? first : last;
        }
        before = x;
    }
    assert_in_range(crossings, 3, 4);
    double period = (last - first) / (crossings - 1);
    assert_close(period, 2 * PI * sqrt(radius / 9.81) * (1 + angle * angle / 16), 2e-3 * period);
    sn_vec3 x = sn_particle_position(world, bead);
    assert_close(support_gap(x, vec(0, 0, 0)), radius, 1e-4 * radius);
    assert_close(x.z, 0, 1e-6);
    sn_world_destroy(world);
}

static sn_constraint add_hoop(sn_world *world, sn_particle bead, double radius)
{
    return sn_constraint_add_on_circle(world, sn_at(bead), vec(0, 0, 0), vec(0, 0, 2), real(radius));
}

static sn_constraint add_measured_hoop(sn_world *world, sn_particle bead, double radius)
{
    (void)radius;
    return sn_constraint_add_on_circle(world, sn_at(bead), vec(0, 0, 0), vec(0, 0, 1), SN_MEASURE);
}

static sn_constraint add_ball(sn_world *world, sn_particle bead, double radius)
{
    (void)radius;
    return sn_constraint_add_on_sphere(world, sn_at(bead), vec(0, 0, 0), SN_MEASURE);
}

static void a_bead_on_a_hoop_is_a_pendulum(void **state)
{
    (void)state;
    check_pendulum(support_world(), add_hoop);
    check_pendulum(support_world(), add_measured_hoop);
    check_pendulum(support_world(), add_ball);
}

static void a_bead_on_a_hoop_is_a_pendulum_in_2d(void **state)
{
    (void)state;
    check_pendulum(support_world_2d(), add_hoop);
    check_pendulum(support_world_2d(), add_ball);
}

/* A tilted hoop holds a point that is flung at it from anywhere. */
static void a_tilted_hoop_holds(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_vec3 centre = vec(3, -1, 2), n = vec(2.0 / 3, -1.0 / 3, 2.0 / 3);
    sn_particle bead = sn_particle_add_at(world, vec(4, 0.5, 2.5), 1);
    assert_ok(world, sn_particle_set_velocity(world, bead, vec(2, 1, -3)));
    sn_constraint_add_on_circle(world, sn_at(bead), centre, n, real(1.25));
    support_run(world, 120, 1.0 / 60);
    sn_vec3 x = sn_particle_position(world, bead);
    assert_close(height_over(x, centre, n), 0, 1e-5);
    assert_close(support_gap(x, centre), 1.25, 2e-3);
    sn_world_destroy(world);
}

/* On the axis and in the centre there is no direction to go: the constraint rests, and says so. */
static void no_direction_no_motion(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_particle p = sn_particle_add_at(world, vec(1, 1, 1), 1), q = sn_particle_add_at(world, vec(1, 1, 4), 1);
    sn_constraint ball = sn_constraint_add_on_sphere(world, sn_at(p), vec(1, 1, 1), 1);
    sn_constraint hoop = sn_constraint_add_on_circle(world, sn_at(q), vec(1, 1, 1), vec(0, 0, 1), 1);
    support_run(world, 3, 0.1);
    assert_vec_same(sn_particle_position(world, p), vec(1, 1, 1));
    assert_vec_same(sn_particle_position(world, q), vec(1, 1, 4));
    sn_real c[SN_MAX_ROWS];
    assert_ok(world, sn_constraint_value(world, ball, c));
    assert_true(isnan(c[0]));
    assert_ok(world, sn_constraint_value(world, hoop, c));
    assert_true(isnan(c[0]));
    sn_world_destroy(world);
}

/* Speed lost in half a second on a hoop of 2 m, from 4 m/s. *excess: by how much the force misses m v^2 / r, v as it
   is. */
static double hoop_loss(uint32_t substeps, double *excess)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.substeps = substeps;
    sn_world *world = support_world_from(&def);
    sn_particle p = sn_particle_add_at(world, vec(2, 0, 0), 3);
    assert_ok(world, sn_particle_set_velocity(world, p, vec(0, 4, 0)));
    sn_constraint hoop = sn_constraint_add_on_circle(world, sn_at(p), vec(0, 0, 0), vec(0, 0, 1), 2);
    support_run(world, 30, 1.0 / 60);
    double v = support_gap(sn_particle_velocity(world, p), vec(0, 0, 0));
    *excess = (double)sn_constraint_force(world, hoop).row[1] + 3 * v * v / 2;
    sn_world_destroy(world);
    return 4 - v;
}

/* The force is centripetal, m v^2 / r, and does no work: what speed is lost is the first-order error of the step, and
   halves with the substep. In float the force is as uncertain as two last places of 2 m, times m / h^2. */
static void the_force_is_centripetal(void **state)
{
    (void)state;
    double excess, unused, coarse = hoop_loss(4, &excess), fine = hoop_loss(8, &unused);
    double last_places = 2 * slopes_exactness(2.4e-7, 4.5e-16) * 3 * 240 * 240;
    assert_close(excess, 0, last_places + 0.005); /* and h^2 of it */
    assert_close(coarse / fine, 2, 0.2);
}

/* ---- Gradients --------------------------------------------------------------------------------------------------- */

static void gradients_in_any_direction(void **state)
{
    (void)state;
    uint64_t seed = 5;
    const double sizes[] = {1e-3, 1, 1e3};
    uint32_t compared = 0;
    for (uint32_t i = 0; i < 90; ++i) {
        double size = sizes[i % 3];
        sn_vec3 x = slopes_place(&seed, size), o = slopes_place(&seed, size), n = slopes_direction(&seed);
        sn_real param[7] = {o.x, o.y, o.z, n.x, n.y, n.z, real(size)};
        sn_real ball[4] = {o.x, o.y, o.z, real(size)};
        double gap = support_gap(x, o), h = height_over(x, o, n), radial = sqrt(fmax(0, gap * gap - h * h));
        if (radial < 0.1 * size)
            continue;
        compared++;
        assert_true(slopes_agree(SN_KIND_ON_LINE, 1, &x, param, size, size));
        assert_true(slopes_agree(SN_KIND_ON_CIRCLE, 1, &x, param, radial, size));
        assert_true(slopes_agree(SN_KIND_ON_SPHERE, 1, &x, ball, gap, size));
    }
    assert_in_range(compared, 60, 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bead_slides_down_a_straight_wire),
        cmocka_unit_test(a_point_is_brought_onto_its_line),
        cmocka_unit_test(a_bead_on_a_hoop_is_a_pendulum),
        cmocka_unit_test(a_bead_on_a_hoop_is_a_pendulum_in_2d),
        cmocka_unit_test(a_tilted_hoop_holds),
        cmocka_unit_test(no_direction_no_motion),
        cmocka_unit_test(the_force_is_centripetal),
        cmocka_unit_test(gradients_in_any_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
