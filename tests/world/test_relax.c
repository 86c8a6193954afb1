/* Statics: the world is run until it rests, and it rests where mechanics says. */
#include "support/support.h"

#include <math.h>

#define G 9.81

#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))

static sn_world *world_with(uint32_t substeps, uint32_t iterations)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = substeps;
    def.settings.iterations = iterations;
    return support_world_from(&def);
}

static sn_particle add(sn_world *world, double x, double y, double z, double mass)
{
    sn_particle p = sn_particle_add_at(world, vec(x, y, z), real(mass));
    assert_true(sn_particle_is_valid(world, p));
    return p;
}

static sn_constraint join(sn_world *world, sn_particle a, sn_particle b, double rest, double compliance)
{
    sn_constraint c = sn_constraint_add_distance(world, sn_at(a), sn_at(b), real(rest));
    sn_material material = {real(compliance), 0};
    assert_ok(world, sn_constraint_set_material(world, c, material));
    return c;
}

static sn_relax_info relax(sn_world *world, const sn_relax_def *def)
{
    sn_relax_info info;
    assert_ok(world, sn_world_relax(world, def, &info));
    return info;
}

static void assert_at_rest(const sn_world *world)
{
    sn_view v = sn_world_view_velocities(world);
    for (uint32_t i = 0; i < v.count; ++i)
        for (int k = 0; k < 3; ++k)
            assert_true(sn_view_at(&v, i)[k] == 0);
}

/* ---- Known statics ------------------------------------------------------------------------------------------------ */

/* Link i of ten carries 11 - i masses: it stretches by (11 - i) m g / k, and its force can be read. */
static void test_hanging_chain(void **state)
{
    (void)state;
    static const uint32_t passes[][2] = {{10, 50}, {1, 50}};
    for (size_t n = 0; n < COUNT_OF(passes); ++n) {
        sn_world *world = world_with(passes[n][0], passes[n][1]);
        sn_particle p[11];
        sn_constraint c[11];
        p[0] = add(world, 0, 0, 0, (double)INFINITY);
        for (int i = 1; i <= 10; ++i) {
            p[i] = add(world, 0, -0.1 * i, 0, 0.1);
            c[i] = join(world, p[i - 1], p[i], 0.1, 1e-3);
        }
        sn_relax_def def = sn_default_relax_def();
        def.displacement = real(1e-6);
        sn_relax_info info = relax(world, &def);
        double worst = 0;
        for (int i = 1; i <= 10; ++i) {
            double length =
                (double)sn_particle_position(world, p[i - 1]).y - (double)sn_particle_position(world, p[i]).y;
            double expected = (11 - i) * 0.1 * G / 1000;
            worst = fmax(worst, fabs(length - 0.1 - expected) / expected);
            assert_close(sn_constraint_force(world, c[i]).magnitude, (11 - i) * 0.1 * G, 5e-3);
        }
        print_message("hanging chain, %u x %u: %u steps, worst link %.2e, moved %.1e m, residual %.1e m\n",
                      passes[n][0], passes[n][1], info.steps, worst, info.displacement, info.residual);
        assert_true(info.rested && info.steps < 400 && info.displacement <= 1e-6 && info.residual < 1e-7);
        assert_true(worst < EXACTNESS(1e-3, 1e-4));
        assert_at_rest(world);
        sn_world_destroy(world);
    }
}

/* An inextensible chain of 20 links between points 1 m apart, hung up as a V. */
static void test_catenary(void **state)
{
    (void)state;
    static const double sag[][2] = {{2, 0.798273}, {1.5, 0.503447}, {1.2, 0.292721}};
    for (size_t n = 0; n < COUNT_OF(sag); ++n) {
        sn_world *world = world_with(10, 50);
        double depth = sqrt(sag[n][0] * sag[n][0] - 1) / 2;
        sn_particle p[21];
        for (int i = 0; i <= 20; ++i) {
            double s = i / 20.0;
            p[i] = add(world, s, -2 * depth * (s < 0.5 ? s : 1 - s), 0, i % 20 ? 1 : (double)INFINITY);
            if (i)
                join(world, p[i - 1], p[i], sag[n][0] / 20, 0);
        }
        sn_relax_info info = relax(world, NULL);
        double found = -(double)sn_particle_position(world, p[10]).y;
        print_message("catenary of %.1f m: %u steps, sag %.6f m instead of %.6f (%+.3f %%), residual %.1e m\n",
                      sag[n][0], info.steps, found, sag[n][1], 100 * (found / sag[n][1] - 1), info.residual);
        assert_true(info.rested && info.steps < 600);
        assert_close(found, sag[n][1], 0.005 * sag[n][1]);
        assert_at_rest(world);
        sn_world_destroy(world);
    }
}

/* A heavy weight on a soft spring beside a light one on a stiff spring, force elements: periods of 2 s and of 0.03
   s. */
static void test_slow_beside_fast(void **state)
{
    (void)state;
    sn_world *world = world_with(20, 1);
    const double mass[] = {10, 0.1}, stiffness[] = {100, 4000};
    sn_particle p[2];
    for (int i = 0; i < 2; ++i) {
        sn_particle top = add(world, i, 0, 0, (double)INFINITY);
        p[i] = add(world, i, -1, 0, mass[i]);
        sn_point points[2] = {sn_at(top), sn_at(p[i])};
        sn_constraint_def def = sn_default_constraint_def(SN_KIND_SPRING);
        def.points = points;
        def.param[0] = 1;
        def.param[1] = real(stiffness[i]);
        assert_ok(world, sn_constraint_add(world, &def, NULL));
    }
    sn_relax_info info = relax(world, NULL);
    assert_true(info.rested);
    for (int i = 0; i < 2; ++i)
        assert_close(sn_particle_position(world, p[i]).y, -1 - mass[i] * G / stiffness[i], 5e-5);
    sn_world_destroy(world);
}

/* A rod let go nearly upright swings far before it hangs; balls come to lie on the ground. */
static void test_pendulum_and_ground(void **state)
{
    (void)state;
    sn_world *world = world_with(10, 1);
    sn_particle hinge = add(world, 0, 0, 0, (double)INFINITY), bob = add(world, 0.1, 0.995, 0, 2), ball[3];
    join(world, hinge, bob, (double)SN_MEASURE, 0);
    for (int i = 0; i < 3; ++i) {
        ball[i] = add(world, i, 1 + i, 3, 1 + i);
        sn_constraint_add_half_space(world, sn_at(ball[i]), vec(0, 0.5, 0), vec(0, 1, 0));
    }
    sn_relax_info info = relax(world, NULL);
    assert_true(info.rested);
    double length = sqrt(0.1 * 0.1 + 0.995 * 0.995);
    assert_vec_close(sn_particle_position(world, bob), vec(0, -length, 0), 2e-4);
    for (int i = 0; i < 3; ++i)
        assert_vec_close(sn_particle_position(world, ball[i]), vec(i, 0.5, 3), 1e-4);
    sn_world_destroy(world);
}

/* Cloth of rods and diagonals, held at two corners, from horizontal. */
static void test_cloth(void **state)
{
    (void)state;
    enum { MOST = 12 };
    const int n = (int)support_long(MOST, 8);
    sn_world *world = world_with(20, 4);
    sn_settings settings = sn_world_settings(world);
    support_set_sweep(&settings, SN_ORDER_SYMMETRIC);
    assert_ok(world, sn_world_configure(world, &settings));
    sn_particle p[MOST][MOST];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            p[i][j] = add(world, 0.1 * i, 0, 0.1 * j, j == 0 && (i == 0 || i == n - 1) ? (double)INFINITY : 0.01);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (i + 1 < n)
                join(world, p[i][j], p[i + 1][j], (double)SN_MEASURE, 1e-3);
            if (j + 1 < n)
                join(world, p[i][j], p[i][j + 1], (double)SN_MEASURE, 1e-3);
            if (i + 1 < n && j + 1 < n)
                join(world, p[i][j], p[i + 1][j + 1], (double)SN_MEASURE, 1e-3);
        }
    sn_relax_def def = sn_default_relax_def();
    def.displacement = real(1e-4);
    sn_relax_info info = relax(world, &def);
    print_message("cloth of %d particles: %u steps, moved %.1e m, fastest %.1e m/s, residual %.1e m\n", n * n,
                  info.steps, info.displacement, info.speed, info.residual);
    assert_true(info.rested && info.residual < 1e-3);
    /* what holds it is its weight */
    sn_world_destroy(world);
}

/* ---- What it leaves alone ------------------------------------------------------------------------------------------- */

static sn_vec3 note_time(void *context, const sn_field_in *in)
{
    double *span = context;
    span[0] = fmin(span[0], in->time);
    span[1] = fmax(span[1], in->time);
    return vec(2, 0, 0);
}

/* The clock stands, damping and drags do not slow it down and are still there, and neither does the integrator
   matter. */
static void test_clock_and_settings(void **state)
{
    (void)state;
    for (int n = 0; n < 5; ++n) {
        sn_world *world = world_with(10, 10);
        sn_settings settings = sn_world_settings(world);
        settings.integrator = (sn_integrator)n;
        settings.gradients = n == SN_INTEGRATOR_LEAPFROG ? SN_GRADIENTS_START : SN_GRADIENTS_CURRENT;
        settings.damping = 1000;
        assert_ok(world, sn_world_configure(world, &settings));
        sn_drag_def drag = sn_default_drag_def();
        drag.strength = 1000;
        assert_ok(world, sn_drag_add(world, &drag, NULL));
        double span[2] = {1e9, -1e9};
        assert_ok(world, sn_field_add(world, note_time, span, false, NULL));
        sn_particle hinge = add(world, 0, 0, 0, (double)INFINITY), bob = add(world, 1, 0, 0, 1);
        join(world, hinge, bob, 1, 0);
        support_run(world, 2, 0.25);
        span[0] = 1e9, span[1] = -1e9;
        sn_relax_info info = relax(world, NULL);
        if (!info.rested || info.steps >= 1000)
            fail_msg("integrator %d: %u steps, moved %g m, fastest %g m/s", n, info.steps, info.displacement,
                     info.speed);
        assert_true(span[0] == 0.5 && span[1] == 0.5);
        assert_true(sn_world_time(world) == 0.5);
        sn_report report;
        assert_ok(world, sn_world_report(world, &report));
        assert_int_equal(report.steps, 2);
        assert_int_equal(sn_world_settings(world).integrator, n);
        assert_true(sn_world_settings(world).damping == 1000);
        assert_ok(world, sn_drag_remove(world, 1));
        /* the field pulls with 2 N along x */
        double angle = atan2(2, G);
        assert_vec_close(sn_particle_position(world, bob), vec(sin(angle), -cos(angle), 0), 1e-4);
        /* and the world goes on from there, at rest */
        support_run(world, 10, 1.0 / 60);
        assert_vec_close(sn_particle_position(world, bob), vec(sin(angle), -cos(angle), 0), 1e-4);
        sn_world_destroy(world);
    }
}

/* Forces and targets act all the time, and are then forgotten. */
static void test_forces_and_targets(void **state)
{
    (void)state;
    sn_world *world = world_with(10, 10);
    sn_particle top = add(world, 0, 0, 0, 1), bob = add(world, 0, -1, 0, 1);
    join(world, top, bob, 1, 1e-2);
    assert_ok(world, sn_particle_move_to(world, top, vec(3, 2, 1)));
    assert_ok(world, sn_particle_apply_force(world, bob, vec(0, -10, 0)));
    sn_relax_info info = relax(world, NULL);
    assert_true(info.rested);
    assert_vec_same(sn_particle_position(world, top), vec(3, 2, 1));
    assert_vec_close(sn_particle_position(world, bob), vec(3, 2 - 1 - (G + 10) * 1e-2, 1), 1e-4);
    assert_at_rest(world);
    support_run(world, 6, 1.0 / 60); /* nothing holds them any more */
    assert_true(sn_particle_position(world, top).y < 2);
    sn_world_destroy(world);
}

/* What falls for ever does not rest; an empty world does at once. Velocities are gone either way. */
static void test_no_rest(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_relax_info info = relax(world, NULL);
    assert_true(info.rested && info.displacement == 0 && info.residual == 0);
    sn_particle p = add(world, 0, 0, 0, 1);
    assert_ok(world, sn_particle_set_velocity(world, p, vec(5, 0, 0)));
    sn_relax_def def = sn_default_relax_def();
    def.steps = 100;
    info = relax(world, &def);
    assert_true(!info.rested && info.steps == 100 && info.speed > 10 && info.displacement > 1);
    assert_at_rest(world);
    assert_true(sn_particle_position(world, p).x == 0);
    assert_true(sn_particle_position(world, p).y < -10);
    def.steps = 1;
    def.patience = 10;
    info = relax(world, &def);
    assert_true(!info.rested && info.steps == 1);
    /* a speed that is never reached */
    sn_constraint_add_pin(world, p);
    def = sn_default_relax_def();
    def.steps = 200;
    def.speed = real(1e-30);
    sn_settings settings = sn_world_settings(world);
    info = relax(world, &def);
    def.speed = 1;
    assert_true(relax(world, &def).rested);
    settings.substeps = 1;
    assert_ok(world, sn_world_configure(world, &settings));
    assert_ok(world, sn_world_relax(world, &def, NULL));
    sn_world_destroy(world);
}

/* ---- Bad input, failure ----------------------------------------------------------------------------------------------- */

static void refuse(sn_world *world, const sn_relax_def *def, const char *words)
{
    uint64_t hash = sn_world_hash(world);
    sn_relax_info info = {.steps = 77};
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_relax(world, def, &info));
    assert_says(sn_world_error(world), words);
    assert_true(sn_world_hash(world) == hash && info.steps == 77);
}

static void test_bad_input(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle p = add(world, 0, 0, 0, 1);
    assert_ok(world, sn_particle_set_velocity(world, p, vec(1, 2, 3)));
    const double bad[] = {0, -1, (double)NAN};
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        sn_relax_def def = sn_default_relax_def();
        def.dt = real(bad[i]);
        refuse(world, &def, "dt positive");
        def = sn_default_relax_def();
        def.displacement = real(bad[i]);
        refuse(world, &def, "displacement positive");
        def = sn_default_relax_def();
        def.speed = real(bad[i]);
        refuse(world, &def, "speed positive");
        def = sn_default_relax_def();
        def.patience = real(bad[i]);
        refuse(world, &def, "patience positive");
    }
    sn_relax_def def = sn_default_relax_def();
    def.steps = 0;
    refuse(world, &def, "steps 0");
    def = sn_default_relax_def();
    def.dt = real((double)INFINITY);
    refuse(world, &def, "dt inf");
    def.dt = real(1e-37);
    if (sizeof(sn_real) == sizeof(float))
        refuse(world, &def, "dt too small");
    assert_int_equal(sn_world_relax(NULL, NULL, NULL), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

static sn_vec3 fail_below(void *context, const sn_field_in *in)
{
    (void)context;
    return in->position.y < -1 ? vec((double)NAN, 0, 0) : vec(0, 0, 0);
}

static sn_vec3 call_back(void *context, const sn_field_in *in)
{
    (void)in;
    assert_int_equal(sn_world_relax(context, NULL, NULL), SN_ERROR_BUSY);
    return vec(0, 0, 0);
}

static void test_failure(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle p = add(world, 0, 0, 0, 1);
    uint32_t field;
    assert_ok(world, sn_field_add(world, fail_below, NULL, false, &field));
    sn_relax_info info;
    assert_result(world, SN_ERROR_DIVERGED, sn_world_relax(world, NULL, &info));
    assert_says(sn_world_error(world), "field nan");
    assert_true(!info.rested && info.steps > 10);
    assert_at_rest(world);
    assert_true(sn_world_time(world) == 0);
    assert_close(sn_particle_position(world, p).y, -1, 0.02);
    assert_ok(world, sn_field_remove(world, field));
    sn_constraint_add_pin(world, p);
    assert_ok(world, sn_field_add(world, call_back, world, false, NULL));
    assert_true(relax(world, NULL).rested);
    sn_world_destroy(world);
}

static void check_memory(int sweep)
{
    for (uint64_t n = 1;; ++n) {
        support_memory memory = {.fail_at = 0};
        sn_world_def def = sn_default_world_def();
        def.allocator = support_allocator(&memory);
        support_set_sweep(&def.settings, sweep);
        sn_world *world = support_world_from(&def);
        sn_particle hinge = add(world, 0, 0, 0, (double)INFINITY), bob = add(world, 1, 0, 0, 1);
        join(world, hinge, bob, 1, 0);
        assert_ok(world, sn_particle_set_velocity(world, bob, vec(0, 0, 1)));
        memory.fail_at = memory.requests + n;
        uint64_t hash = sn_world_hash(world);
        sn_result result = sn_world_relax(world, NULL, NULL);
        if (result != SN_OK) {
            assert_int_equal(result, SN_ERROR_MEMORY);
            assert_true(sn_world_hash(world) == hash);
            assert_ok(world, sn_world_relax(world, NULL, NULL));
        }
        memory.fail_at = 0;
        uint64_t requests = memory.requests;
        assert_ok(world,
                  sn_world_relax(world, NULL, NULL)); /* warm now: room for a copy of the state, and nothing else */
        assert_true(memory.requests == requests + 1);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
        if (result == SN_OK)
            break;
    }
}

static void test_memory(void **state)
{
    (void)state;
    check_memory(SN_ORDER_WORST_FIRST);
    check_memory(SUPPORT_TILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hanging_chain),
        cmocka_unit_test(test_catenary),
        cmocka_unit_test(test_slow_beside_fast),
        cmocka_unit_test(test_pendulum_and_ground),
        cmocka_unit_test(test_cloth),
        cmocka_unit_test(test_clock_and_settings),
        cmocka_unit_test(test_forces_and_targets),
        cmocka_unit_test(test_no_rest),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("relax", tests, NULL, NULL);
}
