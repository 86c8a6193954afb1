/* Distances between two points: the worked example of lecture 000, and what equal, at least, at most and band mean. */
#include "support/support.h"

#include <math.h>

/* ---- The worked example ----------------------------------------------------------------------------------------- */

#define EXAMPLE_TOLERANCE 1e-6

typedef struct pair {
    sn_world *world;
    sn_particle a, b;
    sn_constraint rod;
} pair;

/* m1 = 10 kg at (5, 3, 2) and m2 = 2 kg at (1, 5, 6), 6 m apart, on a rod of 3 m. */
static pair worked_example(void)
{
    pair p = {.world = support_void()};
    p.a = sn_particle_add_at(p.world, vec(5, 3, 2), 10);
    p.b = sn_particle_add_at(p.world, vec(1, 5, 6), 2);
    p.rod = sn_constraint_add_distance(p.world, sn_at(p.a), sn_at(p.b), 3);
    assert_true(sn_constraint_is_valid(p.world, p.rod));
    return p;
}

/* lambda = -C / (w1 + w2) = -3 / 0.6 = -5, n = (2/3, -1/3, -2/3): dp1 = -1/2 n, dp2 = 5/2 n. */
static void worked_example_positions(void **state)
{
    (void)state;
    pair p = worked_example();
    sn_real c;
    assert_ok(p.world, sn_constraint_value(p.world, p.rod, &c));
    assert_close(c, 3, EXAMPLE_TOLERANCE);
    assert_ok(p.world, sn_world_step(p.world, 1));
    sn_vec3 a = sn_particle_position(p.world, p.a), b = sn_particle_position(p.world, p.b);
    assert_vec_close(a, vec(14.0 / 3, 19.0 / 6, 7.0 / 3), EXAMPLE_TOLERANCE);
    assert_vec_close(b, vec(8.0 / 3, 25.0 / 6, 13.0 / 3), EXAMPLE_TOLERANCE);
    assert_close(support_gap(a, vec(5, 3, 2)), 0.5, EXAMPLE_TOLERANCE);
    assert_close(support_gap(b, vec(1, 5, 6)), 2.5, EXAMPLE_TOLERANCE);
    assert_ok(p.world, sn_constraint_value(p.world, p.rod, &c));
    assert_close(c, 0, EXAMPLE_TOLERANCE);
    sn_world_destroy(p.world);
}

/* Displacements dp1 = (-1/3, 1/6, 1/3) and dp2 = (5/3, -5/6, -5/3), which after one second are the velocities. */
static void worked_example_displacements(void **state)
{
    (void)state;
    pair p = worked_example();
    assert_ok(p.world, sn_world_step(p.world, 1));
    assert_vec_close(sn_particle_velocity(p.world, p.a), vec(-1.0 / 3, 1.0 / 6, 1.0 / 3), EXAMPLE_TOLERANCE);
    assert_vec_close(sn_particle_velocity(p.world, p.b), vec(5.0 / 3, -5.0 / 6, -5.0 / 3), EXAMPLE_TOLERANCE);
    sn_world_destroy(p.world);
}

/* The forces m dp / h^2 are equal and opposite, 5 N / h^2 along the rod. (The lecture calls k |dp| a force; that is a
   displacement, and differs between the two ends.) */
static void worked_example_forces(void **state)
{
    (void)state;
    const double steps[] = {1, 0.5, 0.125};
    for (size_t i = 0; i < COUNT_OF(steps); ++i) {
        pair p = worked_example();
        double h = steps[i], f = 5 / (h * h);
        assert_ok(p.world, sn_world_step(p.world, real(h)));
        sn_force force = sn_constraint_force(p.world, p.rod);
        assert_int_equal(force.rows, 1);
        assert_close(force.magnitude, f, f * EXAMPLE_TOLERANCE);
        assert_close(force.row[0], -f, f * EXAMPLE_TOLERANCE); /* a stretched rod pulls */
        sn_vec3 on_a = sn_constraint_force_on(p.world, p.rod, 0), on_b = sn_constraint_force_on(p.world, p.rod, 1);
        assert_vec_close(on_a, vec(-f * 2 / 3, f / 3, f * 2 / 3), f * EXAMPLE_TOLERANCE);
        assert_vec_close(on_b, vec(f * 2 / 3, -f / 3, -f * 2 / 3), f * EXAMPLE_TOLERANCE);
        assert_close(support_gap(on_a, vec(-(double)on_b.x, -(double)on_b.y, -(double)on_b.z)), 0, 1e-6 * f);
        sn_world_destroy(p.world);
    }
}

/* ---- Two points on a line --------------------------------------------------------------------------------------- */

/* Two particles of 1 kg on the x axis, apart metres from one another; what the constraint makes of it in one pass. */
typedef sn_constraint add_fn(sn_world *world, sn_point a, sn_point b, sn_real first, sn_real second);

static sn_constraint add_equal(sn_world *world, sn_point a, sn_point b, sn_real rest, sn_real unused)
{
    (void)unused;
    return sn_constraint_add_distance(world, a, b, rest);
}

static sn_constraint add_min(sn_world *world, sn_point a, sn_point b, sn_real least, sn_real unused)
{
    (void)unused;
    return sn_constraint_add_distance_min(world, a, b, least);
}

static sn_constraint add_max(sn_world *world, sn_point a, sn_point b, sn_real most, sn_real unused)
{
    (void)unused;
    return sn_constraint_add_distance_max(world, a, b, most);
}

static double distance_after(add_fn *add, double apart, double first, double second)
{
    sn_world *world = support_void();
    sn_particle a = sn_particle_add_at(world, vec(1, 0, 0), 1), b = sn_particle_add_at(world, vec(1 + apart, 0, 0), 1);
    sn_constraint c = add(world, sn_at(a), sn_at(b), real(first), real(second));
    assert_true(sn_constraint_is_valid(world, c));
    assert_ok(world, sn_world_step(world, real(0.25)));
    double after = support_gap(sn_particle_position(world, a), sn_particle_position(world, b));
    if (after == apart) /* untouched means without a force */
        assert_true(sn_constraint_force(world, c).magnitude == 0);
    sn_world_destroy(world);
    return after;
}

#define LINE_TOLERANCE 4 * SUPPORT_ROUND_OFF

static void equal_pulls_and_pushes(void **state)
{
    (void)state;
    assert_close(distance_after(add_equal, 2, 1.5, 0), 1.5, LINE_TOLERANCE);
    assert_close(distance_after(add_equal, 1, 1.5, 0), 1.5, LINE_TOLERANCE);
    assert_true(distance_after(add_equal, 1.5, 1.5, 0) == 1.5);
}

static void at_least_only_pushes(void **state)
{
    (void)state;
    assert_close(distance_after(add_min, 1, 1.5, 0), 1.5, LINE_TOLERANCE);
    assert_true(distance_after(add_min, 2, 1.5, 0) == 2);
    assert_true(distance_after(add_min, 1.5, 1.5, 0) == 1.5);
}

static void at_most_only_pulls(void **state)
{
    (void)state;
    assert_close(distance_after(add_max, 2, 1.5, 0), 1.5, LINE_TOLERANCE);
    assert_true(distance_after(add_max, 1, 1.5, 0) == 1);
    assert_true(distance_after(add_max, 1.5, 1.5, 0) == 1.5);
}

static void band_has_two_limits(void **state)
{
    (void)state;
    assert_close(distance_after(sn_constraint_add_distance_band, 1, 1.5, 2.5), 1.5, LINE_TOLERANCE);
    assert_close(distance_after(sn_constraint_add_distance_band, 3, 1.5, 2.5), 2.5, LINE_TOLERANCE);
    assert_true(distance_after(sn_constraint_add_distance_band, 2, 1.5, 2.5) == 2);
    assert_true(distance_after(sn_constraint_add_distance_band, 1.5, 1.5, 2.5) == 1.5);
    assert_true(distance_after(sn_constraint_add_distance_band, 2.5, 1.5, 2.5) == 2.5);
    assert_close(distance_after(sn_constraint_add_distance_band, 3, 2, 2), 2, LINE_TOLERANCE);
}

/* Which row of the band pushes says which limit was met. */
static void band_rows_name_the_limit(void **state)
{
    (void)state;
    const double apart[] = {1, 3};
    for (uint32_t i = 0; i < 2; ++i) {
        sn_world *world = support_void();
        sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 1),
                    b = sn_particle_add_at(world, vec(apart[i], 0, 0), 1);
        sn_constraint c = sn_constraint_add_distance_band(world, sn_at(a), sn_at(b), real(1.5), real(2.5));
        sn_real value[SN_MAX_ROWS];
        assert_ok(world, sn_constraint_value(world, c, value));
        assert_close(value[0], apart[i] - 1.5, LINE_TOLERANCE);
        assert_close(value[1], 2.5 - apart[i], LINE_TOLERANCE);
        assert_ok(world, sn_world_step(world, 1));
        sn_force force = sn_constraint_force(world, c);
        assert_close(force.row[i], 0.25, LINE_TOLERANCE); /* half a metre too few or too many, 2 / kg */
        assert_true(force.row[1 - i] == 0);
        sn_world_destroy(world);
    }
}

/* Lighter ends move further; an immovable one not at all. */
static void heavier_ends_move_less(void **state)
{
    (void)state;
    const double mass[][3] = {{1, 3, 0.75}, {3, 1, 0.25}, {INFINITY, 2, 0}, {0.5, INFINITY, 1}};
    for (size_t i = 0; i < COUNT_OF(mass); ++i) {
        sn_world *world = support_void();
        sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), real(mass[i][0]));
        sn_particle b = sn_particle_add_at(world, vec(0, 2, 0), real(mass[i][1]));
        sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1);
        assert_ok(world, sn_world_step(world, 1));
        assert_vec_close(sn_particle_position(world, a), vec(0, mass[i][2], 0), LINE_TOLERANCE);
        assert_vec_close(sn_particle_position(world, b), vec(0, 1 + mass[i][2], 0), LINE_TOLERANCE);
        sn_world_destroy(world);
    }
}

/* k = 0.5 takes half of it. */
static void stiffness_takes_a_share(void **state)
{
    (void)state;
    pair p = worked_example();
    assert_ok(p.world, sn_constraint_set_stiffness(p.world, p.rod, real(0.5)));
    assert_ok(p.world, sn_world_step(p.world, 1));
    assert_vec_close(sn_particle_velocity(p.world, p.a), vec(-1.0 / 6, 1.0 / 12, 1.0 / 6), EXAMPLE_TOLERANCE);
    sn_real c;
    assert_ok(p.world, sn_constraint_value(p.world, p.rod, &c));
    assert_close(c, 1.5, EXAMPLE_TOLERANCE);
    sn_world_destroy(p.world);
}

/* ---- Hanging weights -------------------------------------------------------------------------------------------- */

/* In one substep of h = 1/600 s a weight stretches its rod by g h^2 = 27 um, which the length of the rod, a metre,
   holds to 6e-8 m in single precision: a force that is read at one moment is good to half a percent there. */
#define HANGING_TOLERANCE (SINEW_DOUBLE ? 1e-8 : 0.1)

/* A weight that hangs still pulls with m g, on a rod and on a rope; a prop under it carries the same. */
static void hanging_weight_pulls_with_its_weight(void **state)
{
    (void)state;
    static add_fn *const add[] = {add_equal, add_max, add_min};
    for (size_t i = 0; i < COUNT_OF(add); ++i) {
        sn_world *world = support_world();
        bool prop = add[i] == add_min;
        sn_particle hook = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
        sn_particle weight = sn_particle_add_at(world, vec(0, prop ? 1 : -1, 0), 2);
        sn_constraint c = add[i](world, sn_at(hook), sn_at(weight), 1, 0);
        support_run(world, 60, 1.0 / 60);
        double row = (double)sn_constraint_force(world, c).row[0];
        assert_close(fabs(row), 2 * 9.81, HANGING_TOLERANCE);
        assert_true(add[i] == add_equal ? row < 0
                                        : row > 0); /* positive pushes C up, and C of a rope is what is left */
        sn_vec3 f = sn_constraint_force_on(world, c, 1);
        assert_vec_close(f, vec(0, 2 * 9.81, 0), HANGING_TOLERANCE);
        sn_world_destroy(world);
    }
}

/* ---- Parameters ------------------------------------------------------------------------------------------------- */

static void measured_is_the_length_now(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_particle a = sn_particle_add_at(world, vec(1, 2, 3), 1), b = sn_particle_add_at(world, vec(4, 6, 15), 1);
    sn_constraint c[] = {sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE),
                         sn_constraint_add_distance_min(world, sn_at(a), sn_at(b), SN_MEASURE),
                         sn_constraint_add_distance_max(world, sn_at(a), sn_at(b), SN_MEASURE),
                         sn_constraint_add_distance_band(world, sn_at(a), sn_at(b), SN_MEASURE, SN_MEASURE)};
    for (size_t i = 0; i < COUNT_OF(c); ++i) {
        sn_constraint_def def;
        sn_point points[SN_MAX_POINTS];
        assert_ok(world, sn_constraint_read(world, c[i], &def, points, SN_MAX_POINTS));
        assert_true(def.param[0] == 13); /* 3^2 + 4^2 + 12^2 */
        assert_true(i < 3 || def.param[1] == 13);
    }
    sn_world_destroy(world);
}

static void bad_lengths_are_refused(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_point a = sn_at(sn_particle_add_at(world, vec(0, 0, 0), 1)),
             b = sn_at(sn_particle_add_at(world, vec(1, 0, 0), 1));
    uint64_t hash = sn_world_hash(world);
    assert_int_equal(sn_constraint_add_distance(world, a, b, -1).generation, 0);
    assert_int_equal(sn_constraint_add_distance(world, a, b, (sn_real)NAN).generation, 0);
    assert_int_equal(sn_constraint_add_distance_min(world, a, b, -1).generation, 0);
    assert_int_equal(sn_constraint_add_distance_max(world, a, b, (sn_real)INFINITY).generation, 0);
    assert_int_equal(sn_constraint_add_distance_band(world, a, b, 2, 1).generation, 0);
    assert_says(sn_world_error(world), "least most");
    assert_int_equal(sn_constraint_add_distance(world, a, a, 1).generation, 0);
    assert_true(sn_world_hash(world) == hash);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example_positions),
        cmocka_unit_test(worked_example_displacements),
        cmocka_unit_test(worked_example_forces),
        cmocka_unit_test(equal_pulls_and_pushes),
        cmocka_unit_test(at_least_only_pushes),
        cmocka_unit_test(at_most_only_pulls),
        cmocka_unit_test(band_has_two_limits),
        cmocka_unit_test(band_rows_name_the_limit),
        cmocka_unit_test(heavier_ends_move_less),
        cmocka_unit_test(stiffness_takes_a_share),
        cmocka_unit_test(hanging_weight_pulls_with_its_weight),
        cmocka_unit_test(measured_is_the_length_now),
        cmocka_unit_test(bad_lengths_are_refused),
    };
    return cmocka_run_group_tests_name("distance", tests, NULL, NULL);
}
