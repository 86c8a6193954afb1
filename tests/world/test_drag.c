/* Drag: exact under every integrator, whatever a second is cut into; each form does what it says; it is state. */
#include "support/support.h"

#include <math.h>

#define G 9.81

#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))

static const sn_integrator integrators[] = {SN_INTEGRATOR_SYMPLECTIC_EULER, SN_INTEGRATOR_FORWARD_EULER,
                                            SN_INTEGRATOR_LEAPFROG, SN_INTEGRATOR_VERLET, SN_INTEGRATOR_BDF2};
static const char *const integrator_name[] = {"symplectic Euler", "forward Euler", "leapfrog", "Verlet", "BDF2"};

static sn_world *world_with(sn_integrator integrator, double gravity, uint32_t substeps)
{
    sn_world_def def = sn_default_world_def();
    def.settings.integrator = integrator;
    def.settings.gravity = vec(0, -gravity, 0);
    def.settings.substeps = substeps;
    return support_world_from(&def);
}

static sn_particle add_moving(sn_world *world, sn_vec3 position, sn_vec3 velocity, double mass, uint32_t group)
{
    sn_particle_def def = sn_default_particle_def();
    def.position = position;
    def.velocity = velocity;
    def.mass = real(mass);
    def.group = group;
    sn_particle p;
    assert_ok(world, sn_particle_add(world, &def, &p));
    return p;
}

static uint32_t add_drag(sn_world *world, const sn_drag_def *def)
{
    uint32_t number = 0;
    assert_ok(world, sn_drag_add(world, def, &number));
    assert_true(number > 0);
    return number;
}

static sn_drag_def drag_of(sn_drag_form form, double strength)
{
    sn_drag_def def = sn_default_drag_def();
    def.form = form;
    def.strength = real(strength);
    return def;
}

/* ---- Exactness ---------------------------------------------------------------------------------------------------- */

/* v e^(-k t) whatever t is cut into, also where k h is far above 1, under every integrator. */
static void test_exact_in_time(void **state)
{
    (void)state;
    static const uint32_t cut[][2] = {{1, 1}, {10, 1}, {1, 10}, {60, 10}};
    static const double rate[] = {1e-3, 1, 20, 60};
    for (size_t n = 0; n < COUNT_OF(integrators); ++n)
        for (size_t k = 0; k < COUNT_OF(rate); ++k)
            for (size_t i = 0; i < COUNT_OF(cut); ++i) {
                sn_world *world = world_with(integrators[n], 0, cut[i][1]);
                sn_drag_def def = drag_of(SN_DRAG_RATE, rate[k]);
                add_drag(world, &def);
                sn_particle p = add_moving(world, vec(0, 0, 0), vec(3, -4, 12), 2, 0);
                support_run(world, cut[i][0], 1.0 / cut[i][0]);
                double keep = exp(-rate[k]);
                sn_vec3 v = sn_particle_velocity(world, p);
                /* what looks back reads velocities off displacements, and those have a smallest digit */
                double digit = integrators[n] >= SN_INTEGRATOR_VERLET ? EXACTNESS(1e-9, 1e-18) * cut[i][1] : 0;
                if (support_gap(v, vec(3 * keep, -4 * keep, 12 * keep)) > 13 * keep * EXACTNESS(2e-5, 1e-11) + digit)
                    fail_msg("%s, rate %g, %u x %u: v.x = %.9g, expected %.9g", integrator_name[n], rate[k], cut[i][0],
                             cut[i][1], (double)v.x, 3 * keep);
                sn_world_destroy(world);
            }
}

/* Steps of changing length too; Verlet and BDF2 have to mind their past. */
static void test_exact_with_changing_steps(void **state)
{
    (void)state;
    static const double steps[] = {0.01, 0.01, 0.03, 0.002, 0.002, 0.05, 0.004};
    double time = 0;
    for (size_t n = 0; n < COUNT_OF(integrators); ++n) {
        sn_world *world = world_with(integrators[n], 0, 2);
        sn_drag_def def = drag_of(SN_DRAG_RATE, 7);
        add_drag(world, &def);
        sn_particle p = add_moving(world, vec(0, 0, 0), vec(1, 2, 3), 1, 0);
        time = 0;
        for (size_t i = 0; i < COUNT_OF(steps); ++i) {
            assert_ok(world, sn_world_step(world, real(steps[i])));
            time += steps[i];
            double keep = exp(-7 * time);
            assert_vec_close(sn_particle_velocity(world, p), vec(keep, 2 * keep, 3 * keep), EXACTNESS(2e-6, 1e-14));
        }
        sn_world_destroy(world);
    }
}

/* k0 = m k2 and k1 = 1 - e^(-k2) are the same drag, and settings.damping is the third. */
static void test_three_forms_agree(void **state)
{
    (void)state;
    const double rate = 1.7, mass = 2.5;
    const sn_drag_def forms[] = {drag_of(SN_DRAG_RATE, rate), drag_of(SN_DRAG_LOSS, 1 - exp(-rate)),
                                 drag_of(SN_DRAG_FORCE, rate * mass)};
    for (size_t n = 0; n < COUNT_OF(integrators); ++n) {
        sn_vec3 x[4], v[4];
        for (size_t f = 0; f < 4; ++f) {
            sn_world *world = world_with(integrators[n], G, 10);
            if (f < 3) {
                add_drag(world, &forms[f]);
            } else {
                sn_settings settings = sn_world_settings(world);
                settings.damping = real(rate);
                assert_ok(world, sn_world_configure(world, &settings));
            }
            sn_particle p = add_moving(world, vec(0, 0, 0), vec(3, 4, 5), mass, 0);
            support_run(world, 60, 1.0 / 60);
            x[f] = sn_particle_position(world, p);
            v[f] = sn_particle_velocity(world, p);
            sn_world_destroy(world);
        }
        for (size_t f = 1; f < 4; ++f) {
            assert_vec_close(x[f], x[0], EXACTNESS(5e-5, 1e-11));
            assert_vec_close(v[f], v[0], EXACTNESS(5e-5, 1e-11));
        }
    }
}

/* The force ratio adapts to the mass; the others do not look at it. A force ratio above the mass is nothing special. */
static void test_mass(void **state)
{
    (void)state;
    static const double masses[] = {0.01, 0.5, 1, 1, 30, 1e4};
    const sn_drag_form forms[] = {SN_DRAG_FORCE, SN_DRAG_RATE};
    for (size_t f = 0; f < COUNT_OF(forms); ++f) {
        sn_world *world = world_with(SN_INTEGRATOR_SYMPLECTIC_EULER, 0, 5);
        sn_drag_def def = drag_of(forms[f], 0.8);
        add_drag(world, &def);
        sn_particle p[COUNT_OF(masses)];
        for (size_t i = 0; i < COUNT_OF(masses); ++i)
            p[i] = add_moving(world, vec((double)i, 0, 0), vec(2, 0, 0), masses[i], 0);
        support_run(world, 50, 0.01);
        for (size_t i = 0; i < COUNT_OF(masses); ++i) {
            double k2 = forms[f] == SN_DRAG_FORCE ? 0.8 / masses[i] : 0.8;
            double expected = 2 * exp(-k2 * 0.5);
            assert_close(sn_particle_velocity(world, p[i]).x, expected, expected * EXACTNESS(1e-5, 1e-12));
        }
        sn_world_destroy(world);
    }
}

/* Drags that are weak, absurdly strong, or nothing: never NaN, never turned round. */
static void test_extremes(void **state)
{
    (void)state;
    const sn_drag_form forms[] = {SN_DRAG_RATE, SN_DRAG_FORCE, SN_DRAG_RIGID};
    const double strengths[] = {0, 1e-30, 1e30, 3e38};
    for (size_t n = 0; n < COUNT_OF(integrators); ++n)
        for (size_t f = 0; f < COUNT_OF(forms); ++f)
            for (size_t k = 0; k < COUNT_OF(strengths); ++k) {
                sn_world *world = world_with(integrators[n], 0, 3);
                sn_drag_def def = drag_of(forms[f], strengths[k]);
                add_drag(world, &def);
                sn_particle p = add_moving(world, vec(1, 2, 3), vec(2, -1, 1), 1e-20, 0);
                support_run(world, 3, 100);
                bool stops = strengths[k] > 1 && forms[f] != SN_DRAG_RIGID;
                if (forms[f] == SN_DRAG_FORCE && k == 1) /* 1e-30 N s/m are much for 1e-20 kg, but not 1e-10/s a lot */
                    assert_close(sn_particle_velocity(world, p).x, 2 * exp(-1e-10 * 300), EXACTNESS(1e-6, 1e-12));
                else
                    assert_vec_close(sn_particle_velocity(world, p), stops ? vec(0, 0, 0) : vec(2, -1, 1),
                                     EXACTNESS(1e-6, 1e-12));
                sn_world_destroy(world);
            }
    sn_world *world = world_with(SN_INTEGRATOR_SYMPLECTIC_EULER, 0, 1);
    sn_drag_def def = drag_of(SN_DRAG_LOSS, 0.999999);
    add_drag(world, &def);
    sn_particle p = add_moving(world, vec(0, 0, 0), vec(1, 0, 0), 1, 0);
    assert_ok(world, sn_world_step(world, 1));
    assert_close(sn_particle_velocity(world, p).x, 1 - (double)real(0.999999), EXACTNESS(1e-12, 1e-12));
    sn_world_destroy(world);
}

/* Many weak substeps: what is lost in one is below the last digit of the velocity, and still adds up. */
static void test_weak_drag_adds_up(void **state)
{
    (void)state;
    sn_world *world = world_with(SN_INTEGRATOR_SYMPLECTIC_EULER, 0, 100000);
    sn_drag_def def = drag_of(SN_DRAG_RATE, 1e-3);
    add_drag(world, &def);
    sn_particle p = add_moving(world, vec(0, 0, 0), vec(1, 0, 0), 1, 0);
    support_run(world, 1, 1);
    assert_close(1 - (double)sn_particle_velocity(world, p).x, 1 - exp(-1e-3), EXACTNESS(1e-7, 1e-13));
    sn_world_destroy(world);
}

/* ---- Before forces ------------------------------------------------------------------------------------------------- */

/* From rest, one substep of free fall is the same with and without drag; and m g / k0 is the terminal velocity,
   nearer the smaller the substep. */
static void test_terminal_velocity(void **state)
{
    (void)state;
    const double mass = 3, k0 = 12, terminal = mass * G / k0;
    for (size_t n = 0; n < COUNT_OF(integrators); ++n) {
        double error[2];
        for (int i = 0; i < 2; ++i) {
            const uint32_t substeps = i == 0 ? 10 : 100;
            sn_world *free = world_with(integrators[n], G, 1), *world = world_with(integrators[n], G, substeps);
            sn_drag_def def = drag_of(SN_DRAG_FORCE, k0);
            add_drag(world, &def);
            sn_particle p = add_moving(world, vec(0, 0, 0), vec(0, 0, 0), mass, 0);
            sn_particle q = add_moving(free, vec(0, 0, 0), vec(0, 0, 0), mass, 0);
            sn_settings settings = sn_world_settings(world), one = settings;
            one.substeps = 1;
            assert_ok(world, sn_world_configure(world, &one));
            assert_ok(world, sn_world_step(world, real(0.01)));
            assert_ok(free, sn_world_step(free, real(0.01)));
            assert_vec_close(sn_particle_velocity(world, p), sn_particle_velocity(free, q), EXACTNESS(1e-8, 1e-15));
            assert_ok(world, sn_world_configure(world, &settings));
            support_run(world, 400, 1.0 / 60);
            error[i] = fabs((double)sn_particle_velocity(world, p).y + terminal) / terminal;
            sn_world_destroy(world);
            sn_world_destroy(free);
        }
        print_message("terminal velocity m g / k0, %s: off by %.2e at h = 1/600, %.2e at 1/6000\n", integrator_name[n],
                      error[0], error[1]);
        assert_true(error[0] < 5e-3 && error[1] < EXACTNESS(1e-3, 5e-4)); /* BDF2 is rounded more than that */
    }
}

/* A group without drag falls freely beside one with it, to the last bit. */
static void test_other_groups_fall_freely(void **state)
{
    (void)state;
    const sn_drag_form forms[] = {SN_DRAG_RATE, SN_DRAG_FORCE, SN_DRAG_PLANAR, SN_DRAG_MATRIX, SN_DRAG_RIGID};
    for (size_t n = 0; n < COUNT_OF(integrators); ++n)
        for (size_t f = 0; f < COUNT_OF(forms); ++f) {
            sn_world *world = world_with(integrators[n], G, 10), *free = world_with(integrators[n], G, 10);
            sn_drag_def def = drag_of(forms[f], 5);
            def.one_group = true;
            def.group = 7;
            def.parallel = def.orthogonal = 4;
            def.matrix[0][0] = def.matrix[1][1] = 3;
            add_drag(world, &def);
            sn_particle dragged[3], p[3], q[3];
            for (uint32_t i = 0; i < 3; ++i) {
                dragged[i] = add_moving(world, vec(i, i * i, 0), vec(1, -i, 1), 1, 7);
                p[i] = add_moving(world, vec(i, 0, 1), vec(1, 2, 0), 1, i == 0 ? 0 : i == 1 ? 6 : UINT32_MAX);
                q[i] = add_moving(free, vec(i, 0, 1), vec(1, 2, 0), 1, 0);
            }
            support_run(world, 30, 1.0 / 60);
            support_run(free, 30, 1.0 / 60);
            /* Verlet makes its pair anew from the velocity when there is any drag */
            double slack = integrators[n] == SN_INTEGRATOR_VERLET ? EXACTNESS(2e-5, 1e-12) : 0;
            for (uint32_t i = 0; i < 3; ++i) {
                assert_vec_close(sn_particle_velocity(world, p[i]), sn_particle_velocity(free, q[i]), slack);
                assert_vec_close(sn_particle_position(world, p[i]), sn_particle_position(free, q[i]), slack);
                assert_true(forms[f] == SN_DRAG_RIGID || sn_particle_velocity(world, dragged[i]).x < real(0.7));
            }
            sn_world_destroy(world);
            sn_world_destroy(free);
        }
}

/* A group is followed as particles join and leave it and move about in storage. */
static void test_groups_change(void **state)
{
    (void)state;
    sn_world *world = world_with(SN_INTEGRATOR_SYMPLECTIC_EULER, 0, 1);
    sn_drag_def def = drag_of(SN_DRAG_RATE, 1);
    def.one_group = true;
    def.group = 2;
    add_drag(world, &def);
    sn_particle p[6];
    for (uint32_t i = 0; i < 6; ++i)
        p[i] = add_moving(world, vec(i, 0, 0), vec(1, 0, 0), 1, i % 3);
    const double keep = exp(-0.1);
    assert_ok(world, sn_world_step(world, real(0.1)));
    for (uint32_t i = 0; i < 6; ++i)
        assert_close(sn_particle_velocity(world, p[i]).x, i % 3 == 2 ? keep : 1, EXACTNESS(1e-7, 1e-15));
    assert_ok(world, sn_particle_remove(world, p[0])); /* p[5], of group 2, moves into its slot */
    assert_ok(world, sn_particle_set_group(world, p[1], 2));
    assert_ok(world, sn_particle_set_group(world, p[2], 9));
    assert_ok(world, sn_world_step(world, real(0.1)));
    const double expected[] = {0, keep, keep, 1, 1, keep * keep};
    for (uint32_t i = 1; i < 6; ++i)
        assert_close(sn_particle_velocity(world, p[i]).x, expected[i], EXACTNESS(1e-6, 1e-15));
    sn_world_destroy(world);
}

/* Immovable particles, and those on the way to a target, do what they do. */
static void test_immovable_and_targets(void **state)
{
    (void)state;
    const sn_drag_form forms[] = {SN_DRAG_RATE, SN_DRAG_RIGID};
    for (size_t n = 0; n < COUNT_OF(integrators); ++n)
        for (size_t f = 0; f < 2; ++f) {
            sn_world *world = world_with(integrators[n], 0, 4);
            sn_drag_def def = drag_of(forms[f], 50);
            add_drag(world, &def);
            sn_particle fixed = add_moving(world, vec(1, 0, 0), vec(0, 0, 0), (double)INFINITY, 0);
            sn_particle led = add_moving(world, vec(0, 0, 0), vec(0, 0, 0), 1, 0);
            sn_particle other = add_moving(world, vec(0, 0, 1), vec(0, 0, 0), 1, 0);
            assert_ok(world, sn_particle_move_to(world, led, vec(0, 1, 0)));
            assert_ok(world, sn_world_step(world, real(0.5)));
            assert_vec_same(sn_particle_position(world, led), vec(0, 1, 0));
            assert_vec_close(sn_particle_velocity(world, led), vec(0, 2, 0), EXACTNESS(1e-5, 1e-12));
            assert_vec_same(sn_particle_position(world, fixed), vec(1, 0, 0));
            assert_vec_close(sn_particle_position(world, other), vec(0, 0, 1), 0);
            sn_world_destroy(world);
        }
}

/* ---- Planar --------------------------------------------------------------------------------------------------------- */

static void test_planar_splits(void **state)
{
    (void)state;
    const double n[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3}, v[3] = {3, -4, 5};
    for (size_t i = 0; i < COUNT_OF(integrators); ++i) {
        sn_world *world = world_with(integrators[i], 0, 10);
        sn_drag_def def = drag_of(SN_DRAG_PLANAR, 0);
        def.normal = vec(20 * n[0], 20 * n[1], 20 * n[2]);
        def.parallel = real(3);
        def.orthogonal = real(0.25);
        uint32_t number = add_drag(world, &def);
        sn_drag_def back;
        assert_ok(world, sn_drag_read(world, number, &back));
        assert_vec_close(back.normal, vec(n[0], n[1], n[2]), EXACTNESS(1e-7, 1e-15));
        assert_true(back.form == SN_DRAG_PLANAR && back.parallel == def.parallel);
        sn_particle p = add_moving(world, vec(1, 2, 3), vec(v[0], v[1], v[2]), 2, 0);
        support_run(world, 30, 1.0 / 30);
        double along = v[0] * n[0] + v[1] * n[1] + v[2] * n[2], expected[3];
        for (int k = 0; k < 3; ++k)
            expected[k] = along * n[k] * exp(-0.25) + (v[k] - along * n[k]) * exp(-3);
        assert_vec_close(sn_particle_velocity(world, p), vec(expected[0], expected[1], expected[2]),
                         EXACTNESS(4e-5, 1e-12));
        sn_world_destroy(world);
    }
}

/* Friction of the ground: what slides on it stops, what flies over it does not. */
static void test_planar_reach(void **state)
{
    (void)state;
    sn_world *world = world_with(SN_INTEGRATOR_SYMPLECTIC_EULER, 0, 10);
    sn_drag_def def = drag_of(SN_DRAG_PLANAR, 0);
    def.origin = vec(5, 1, -3);
    def.distance = real(0.01);
    def.parallel = 2;
    add_drag(world, &def);
    sn_particle on = add_moving(world, vec(0, 1, 0), vec(1, 0, 2), 1, 0);
    sn_particle below = add_moving(world, vec(0, -7, 0), vec(1, 0, 2), 1, 0);
    sn_particle near = add_moving(world, vec(0, 1.009, 0), vec(1, 0, 2), 1, 0);
    sn_particle above = add_moving(world, vec(0, 1.02, 0), vec(1, 0, 2), 1, 0);
    support_run(world, 10, 0.05);
    const double keep = exp(-1);
    assert_vec_close(sn_particle_velocity(world, on), vec(keep, 0, 2 * keep), EXACTNESS(1e-5, 1e-12));
    assert_vec_close(sn_particle_velocity(world, below), vec(keep, 0, 2 * keep), EXACTNESS(1e-5, 1e-12));
    assert_vec_close(sn_particle_velocity(world, near), vec(keep, 0, 2 * keep), EXACTNESS(1e-5, 1e-12));
    assert_vec_same(sn_particle_velocity(world, above), vec(1, 0, 2));
    assert_ok(world, sn_world_shift_origin(world, vec(0, -100, 0))); /* the plane moves with everything else */
    support_run(world, 10, 0.05);
    assert_vec_close(sn_particle_velocity(world, on), vec(keep * keep, 0, 2 * keep * keep), EXACTNESS(1e-5, 1e-12));
    assert_vec_same(sn_particle_velocity(world, above), vec(1, 0, 2));
    sn_world_destroy(world);
}

/* ---- Matrix --------------------------------------------------------------------------------------------------------- */

/* C = sum of k_i a_i a_i^T over orthogonal axes: along a_i velocities decay as e^(-k_i t / m). Stable however large k
   h. */
static void test_matrix(void **state)
{
    (void)state;
    const double axis[3][3] = {
        {2.0 / 3, -1.0 / 3, 2.0 / 3}, {2.0 / 3, 2.0 / 3, -1.0 / 3}, {-1.0 / 3, 2.0 / 3, 2.0 / 3}};
    static const double rates[][3] = {{0.5, 2, 7}, {3, 3, 3}, {0, 0, 4}, {0, 1, 1e6}, {1e-4, 1e9, 1}, {0, 0, 0}};
    const double mass = 2, v[3] = {1, 2, -3};
    for (size_t i = 0; i < COUNT_OF(integrators); ++i)
        for (size_t r = 0; r < COUNT_OF(rates); ++r) {
            sn_world *world = world_with(integrators[i], 0, r % 2 ? 1 : 7);
            sn_drag_def def = drag_of(SN_DRAG_MATRIX, 0);
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 3; ++k) {
                    double sum = 0;
                    for (int a = 0; a < 3; ++a)
                        sum += rates[r][a] * axis[a][j] * axis[a][k];
                    def.matrix[j][k] = real(sum);
                }
            add_drag(world, &def);
            sn_particle p = add_moving(world, vec(0, 0, 0), vec(v[0], v[1], v[2]), mass, 0);
            support_run(world, 3, 0.5);
            double expected[3] = {0}, largest = 0;
            for (int a = 0; a < 3; ++a) {
                double along = v[0] * axis[a][0] + v[1] * axis[a][1] + v[2] * axis[a][2];
                for (int k = 0; k < 3; ++k)
                    expected[k] += along * exp(-rates[r][a] * 1.5 / mass) * axis[a][k];
                largest = fmax(largest, rates[r][a]);
            }
            /* the matrix itself is rounded: a small rate beside a large one is lost in that */
            double slack = EXACTNESS(1e-5 + (largest > 1e3 ? 2 : 0), 1e-12 + 1e-15 * largest);
            assert_vec_close(sn_particle_velocity(world, p), vec(expected[0], expected[1], expected[2]), slack);
            assert_true(support_gap(sn_particle_velocity(world, p), vec(0, 0, 0)) <= sqrt(14) * (1 + 1e-6));
            sn_world_destroy(world);
        }
}

/* ---- Rigid ---------------------------------------------------------------------------------------------------------- */

#define BODY 12

/* A cloud of particles of different masses, as a body that flies and turns, with an inner oscillation on top. */
static void make_cloud(sn_world *world, sn_particle *p, double wobble, sn_vec3 far, uint32_t group)
{
    uint64_t seed = 5;
    const double w[3] = {0.5, -1.5, 2};
    for (int i = 0; i < BODY; ++i) {
        double r[3] = {support_random_in(&seed, -1, 1), support_random_in(&seed, -1, 1),
                       support_random_in(&seed, -1, 1)};
        sn_vec3 v = vec(1 + w[1] * r[2] - w[2] * r[1] + wobble * support_random_in(&seed, -1, 1),
                        -2 + w[2] * r[0] - w[0] * r[2] + wobble * support_random_in(&seed, -1, 1),
                        3 + w[0] * r[1] - w[1] * r[0] + wobble * support_random_in(&seed, -1, 1));
        double m = support_random_in(&seed, 0.2, 5);
        p[i] = add_moving(world, vec(r[0] + (double)far.x, r[1] + (double)far.y, r[2] + (double)far.z), v, m, group);
    }
}

/* Momentum, angular momentum about the origin, kinetic energy. */
static void measure(const sn_world *world, const sn_particle *p, int count, double out[7])
{
    for (int i = 0; i < 7; ++i)
        out[i] = 0;
    for (int i = 0; i < count; ++i) {
        sn_vec3 x = sn_particle_position(world, p[i]), v = sn_particle_velocity(world, p[i]);
        double m = (double)sn_particle_mass(world, p[i]), a[3] = {(double)x.x, (double)x.y, (double)x.z};
        double b[3] = {(double)v.x, (double)v.y, (double)v.z};
        for (int k = 0; k < 3; ++k) {
            out[k] += m * b[k];
            out[3 + k] += m * (a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
            out[6] += m * b[k] * b[k] / 2;
        }
    }
}

/* Velocities that are a rigid motion stay, others go there; both momenta stay. In the smallest of steps, so that the
   motion itself changes nothing. */
static void test_rigid_keeps_momenta(void **state)
{
    (void)state;
    const double h = EXACTNESS(1e-7, 1e-12), wobbles[] = {0, 1};
    for (size_t n = 0; n < COUNT_OF(integrators); ++n)
        for (size_t i = 0; i < 2; ++i) {
            sn_world *world = world_with(integrators[n], 0, 1);
            sn_drag_def def = drag_of(SN_DRAG_RIGID, 1 / h);
            add_drag(world, &def);
            sn_particle p[BODY];
            sn_vec3 before[BODY];
            double start[7], now[7];
            make_cloud(world, p, wobbles[i], vec(0, 0, 0), 3);
            for (int k = 0; k < BODY; ++k)
                before[k] = sn_particle_velocity(world, p[k]);
            measure(world, p, BODY, start);
            support_run(world, 30, h);
            measure(world, p, BODY, now);
            for (int k = 0; k < 6; ++k)
                assert_close(now[k], start[k], EXACTNESS(2e-4, 1e-9));
            if (wobbles[i] == 0) {
                for (int k = 0; k < BODY; ++k)
                    assert_vec_close(sn_particle_velocity(world, p[k]), before[k], EXACTNESS(3e-5, 1e-9));
                sn_world_destroy(world);
                continue;
            }
            assert_true(now[6] < start[6] - 1); /* J */
            for (int a = 0; a < BODY; ++a)      /* e^-30 of the wobble is left: distances do not change any more */
                for (int b = 0; b < a; ++b) {
                    sn_vec3 x = sn_particle_position(world, p[a]), y = sn_particle_position(world, p[b]);
                    sn_vec3 v = sn_particle_velocity(world, p[a]), u = sn_particle_velocity(world, p[b]);
                    double rate = ((double)x.x - (double)y.x) * ((double)v.x - (double)u.x) +
                                  ((double)x.y - (double)y.y) * ((double)v.y - (double)u.y) +
                                  ((double)x.z - (double)y.z) * ((double)v.z - (double)u.z);
                    assert_close(rate, 0, EXACTNESS(2e-5, 1e-9));
                }
            sn_world_destroy(world);
        }
}

/* Two bodies in one world, far from the origin: each keeps its own motion, with a drag of its own or one for all. */
static void test_rigid_by_group(void **state)
{
    (void)state;
    const double h = EXACTNESS(1e-7, 1e-12);
    for (int one = 0; one < 2; ++one) {
        sn_world *world = world_with(SN_INTEGRATOR_SYMPLECTIC_EULER, 0, 1);
        sn_particle p[2 * BODY];
        double start[2][7], now[2][7];
        make_cloud(world, p, 1, vec(0, 0, 0), 1);
        make_cloud(world, p + BODY, 0.5, vec(5, 0, 0), 2);
        for (int i = 0; i < BODY; ++i)
            assert_ok(world, sn_particle_set_velocity(world, p[i], vec(0.1 * i, 1, 0)));
        sn_drag_def def = drag_of(SN_DRAG_RIGID, 1 / h);
        def.one_group = one;
        def.group = 2;
        add_drag(world, &def);
        sn_vec3 first = sn_particle_velocity(world, p[0]);
        for (int b = 0; b < 2; ++b)
            measure(world, p + b * BODY, BODY, start[b]);
        support_run(world, 20, h);
        for (int b = 0; b < 2; ++b) {
            measure(world, p + b * BODY, BODY, now[b]);
            for (int k = 0; k < 6; ++k)
                assert_close(now[b][k], start[b][k], EXACTNESS(5e-4, 1e-8));
        }
        assert_true(now[1][6] < start[1][6] - 0.1);
        if (one)
            assert_vec_same(sn_particle_velocity(world, p[0]), first);
        else
            assert_true(now[0][6] < start[0][6] - 0.1);
        sn_world_destroy(world);
    }
}

/* One particle, two, a straight line, all in one place, only immovable ones: no NaN, and nothing is lost that should
   stay. */
static void test_rigid_degenerate(void **state)
{
    (void)state;
    const double h = EXACTNESS(1e-6, 1e-9);
    for (size_t n = 0; n < COUNT_OF(integrators); ++n)
        for (int count = 1; count <= 6; ++count)
            for (int shape = 0; shape < 3; ++shape) {
                sn_world *world = world_with(integrators[n], 0, 2);
                sn_drag_def def = drag_of(SN_DRAG_RIGID, 0.3 / h);
                add_drag(world, &def);
                sn_particle p[6];
                double start[7], now[7];
                for (int i = 0; i < count; ++i) {
                    /* a line along (1, 2, 3), one place, or a plane */
                    sn_vec3 x = shape == 0   ? vec(0.1 * i, 0.2 * i, 0.3 * i)
                                : shape == 1 ? vec(1, 1, 1)
                                             : vec(i % 2, i / 2, 0);
                    p[i] = add_moving(world, x, vec(i, 1 - i * i, 0.5 * i), 1 + i, 0);
                }
                add_moving(world, vec(9, 9, 9), vec(0, 0, 0), (double)INFINITY, 0);
                measure(world, p, count, start);
                support_run(world, 5, h);
                measure(world, p, count, now);
                for (int k = 0; k < 6; ++k)
                    assert_close(now[k], start[k], EXACTNESS(3e-3, 1e-4 * h / 1e-9));
                assert_true(now[6] <= start[6] * (1 + EXACTNESS(1e-5, 1e-9)));
                if (count == 1)
                    assert_vec_close(sn_particle_velocity(world, p[0]), vec(0, 1, 0), EXACTNESS(2e-6, 1e-14));
                sn_world_destroy(world);
            }
    sn_world *world = world_with(SN_INTEGRATOR_SYMPLECTIC_EULER, 0, 1);
    sn_drag_def def = drag_of(SN_DRAG_RIGID, 3);
    add_drag(world, &def);
    support_run(world, 1, 0.1); /* nobody there */
    add_moving(world, vec(0, 0, 0), vec(0, 0, 0), (double)INFINITY, 0);
    support_run(world, 1, 0.1);
    sn_world_destroy(world);
}

/* A dumbbell on a spring that spins and oscillates: the oscillation dies, spin and flight do not. */
static void test_rigid_stops_oscillation(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT_OF(integrators); ++n) {
        if (integrators[n] == SN_INTEGRATOR_FORWARD_EULER)
            continue; /* gains energy by itself */
        sn_world *world = world_with(integrators[n], 0, 20);
        sn_particle p[2] = {add_moving(world, vec(-0.8, 0, 0), vec(0, -0.5, 1), 1, 0),
                            add_moving(world, vec(0.8, 0, 0), vec(0, 0.5, 1), 1, 0)};
        sn_point points[2] = {sn_at(p[0]), sn_at(p[1])};
        sn_constraint_def spring = sn_default_constraint_def(SN_KIND_SPRING);
        spring.points = points;
        spring.param[0] = 1;
        spring.param[1] = 200;
        spring.param[2] = 0;
        assert_ok(world, sn_constraint_add(world, &spring, NULL));
        sn_drag_def def = drag_of(SN_DRAG_RIGID, 5);
        add_drag(world, &def);
        double start[7], now[7], least = 10, most = 0;
        measure(world, p, 2, start);
        support_run(world, 300, 1.0 / 60);
        for (int i = 0; i < 60; ++i) {
            support_run(world, 1, 1.0 / 60);
            double length = support_gap(sn_particle_position(world, p[0]), sn_particle_position(world, p[1]));
            least = fmin(least, length);
            most = fmax(most, length);
        }
        measure(world, p, 2, now);
        assert_true(most - least < EXACTNESS(2e-5, 1e-5)); /* it was 1.2 */
        for (int k = 0; k < 3; ++k)
            assert_close(now[k], start[k], EXACTNESS(1e-4, 1e-10));
        assert_close(now[5], start[5], 5e-3); /* BDF2 turns a little slower by itself */
        sn_world_destroy(world);
    }
}

/* ---- Several, and in the plane -------------------------------------------------------------------------------------- */

static void test_several_and_removal(void **state)
{
    (void)state;
    sn_world *world = world_with(SN_INTEGRATOR_LEAPFROG, 0, 4);
    sn_drag_def a = drag_of(SN_DRAG_RATE, 1), b = drag_of(SN_DRAG_LOSS, 0.5);
    uint32_t first = add_drag(world, &a), second = add_drag(world, &b);
    assert_true(first != second);
    sn_particle p = add_moving(world, vec(0, 0, 0), vec(1, 0, 0), 1, 0);
    support_run(world, 10, 0.1);
    double expected = exp(-1) * 0.5;
    assert_close(sn_particle_velocity(world, p).x, expected, EXACTNESS(1e-6, 1e-13));
    assert_ok(world, sn_drag_remove(world, first));
    assert_result(world, SN_ERROR_STALE, sn_drag_remove(world, first));
    support_run(world, 10, 0.1);
    expected *= 0.5;
    assert_close(sn_particle_velocity(world, p).x, expected, EXACTNESS(1e-6, 1e-13));
    assert_ok(world, sn_drag_remove(world, second));
    support_run(world, 10, 0.1);
    assert_close(sn_particle_velocity(world, p).x, expected, EXACTNESS(1e-6, 1e-13));
    assert_true(add_drag(world, &a) > second);
    sn_world_destroy(world);
}

static void test_2d_stays_in_plane(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT_OF(integrators); ++n) {
        sn_world *world = support_world_2d();
        sn_settings settings = sn_world_settings(world);
        settings.integrator = integrators[n];
        assert_ok(world, sn_world_configure(world, &settings));
        sn_drag_def planar = drag_of(SN_DRAG_PLANAR, 0), matrix = drag_of(SN_DRAG_MATRIX, 0);
        sn_drag_def rigid = drag_of(SN_DRAG_RIGID, 2), axis = planar;
        planar.normal = vec(0.3, 0.7, 0);
        planar.parallel = 1;
        planar.orthogonal = 100;
        axis.normal = vec(1, 0, 0);
        axis.parallel = real(0.2);
        matrix.matrix[0][0] = matrix.matrix[1][1] = matrix.matrix[2][2] = 2;
        matrix.matrix[0][1] = matrix.matrix[1][0] = -1;
        add_drag(world, &planar);
        add_drag(world, &axis);
        add_drag(world, &matrix);
        add_drag(world, &rigid);
        sn_particle p[4];
        for (int i = 0; i < 4; ++i)
            p[i] = add_moving(world, vec(i, 0.3 * i * i, 0), vec(1, -i, 0), 1 + i, 0);
        support_run(world, 20, 1.0 / 60);
        for (int i = 0; i < 4; ++i)
            assert_true(sn_particle_velocity(world, p[i]).z == 0 && sn_particle_position(world, p[i]).z == 0);
        planar.normal.z = 1;
        assert_result(world, SN_ERROR_ARGUMENT, sn_drag_add(world, &planar, NULL));
        assert_says(sn_world_error(world), "normal z 2D");
        matrix.matrix[0][2] = matrix.matrix[2][0] = real(0.5);
        assert_result(world, SN_ERROR_ARGUMENT, sn_drag_add(world, &matrix, NULL));
        assert_says(sn_world_error(world), "matrix[0][2] 0.5 2D");
        sn_world_destroy(world);
    }
}

/* ---- Bad input ------------------------------------------------------------------------------------------------------- */

static void refuse(sn_world *world, const sn_drag_def *def, const char *words)
{
    uint64_t hash = sn_world_hash(world);
    uint32_t number = 77;
    assert_result(world, SN_ERROR_ARGUMENT, sn_drag_add(world, def, &number));
    assert_says(sn_world_error(world), words);
    assert_true(sn_world_hash(world) == hash && number == 77);
}

static void test_bad_input(void **state)
{
    (void)state;
    sn_world *world = support_world();
    const sn_drag_form forms[] = {SN_DRAG_RATE, SN_DRAG_FORCE, SN_DRAG_RIGID, SN_DRAG_LOSS};
    for (size_t i = 0; i < COUNT_OF(forms); ++i) {
        sn_drag_def bad = drag_of(forms[i], -0.5);
        refuse(world, &bad, "strength -0.5");
        bad.strength = real((double)NAN);
        refuse(world, &bad, "strength nan");
        bad.strength = real((double)INFINITY);
        refuse(world, &bad, "strength inf");
    }
    sn_drag_def def = drag_of(SN_DRAG_LOSS, 1);
    refuse(world, &def, "strength loss 1 [0,");
    def = drag_of((sn_drag_form)99, 1);
    refuse(world, &def, "form 99");
    def = drag_of(SN_DRAG_PLANAR, 0);
    def.normal = vec(0, 0, 0);
    refuse(world, &def, "normal (0, 0, 0) direction");
    def.normal = vec(0, (double)NAN, 0);
    refuse(world, &def, "normal nan");
    def.normal = vec(0, 1, 0);
    def.origin.x = real((double)INFINITY);
    refuse(world, &def, "origin inf");
    def.origin.x = 0;
    def.parallel = -1;
    refuse(world, &def, "parallel -1");
    def.parallel = 0;
    def.orthogonal = real((double)NAN);
    refuse(world, &def, "orthogonal nan");
    def.orthogonal = 0;
    def.distance = real((double)NAN);
    refuse(world, &def, "distance nan");
    def = drag_of(SN_DRAG_MATRIX, 0);
    def.matrix[1][2] = real(0.5);
    refuse(world, &def, "matrix[1][2] 0.5 symmetric");
    def.matrix[2][1] = real(0.5);
    refuse(world, &def, "matrix negative eigenvalue");
    def.matrix[0][0] = real((double)NAN);
    refuse(world, &def, "matrix[0][0] nan");
    refuse(world, NULL, "NULL");
    assert_int_equal(sn_drag_add(NULL, &def, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_drag_remove(NULL, 1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_drag_read(NULL, 1, &def), SN_ERROR_ARGUMENT);
    assert_result(world, SN_ERROR_STALE, sn_drag_remove(world, 0));
    assert_says(sn_world_error(world), "drag 0");
    assert_result(world, SN_ERROR_STALE, sn_drag_read(world, 5, &def));
    assert_result(world, SN_ERROR_ARGUMENT, sn_drag_read(world, 5, NULL));
    /* what another form would refuse does not matter */
    def = drag_of(SN_DRAG_RATE, 1);
    def.normal = vec(0, 0, 0);
    def.matrix[0][1] = 7;
    assert_ok(world, sn_drag_add(world, &def, NULL));
    /* extreme normals have a direction, too */
    def = drag_of(SN_DRAG_PLANAR, 0);
    def.normal = vec(3e-30, 0, 4e-30);
    uint32_t number = add_drag(world, &def);
    assert_ok(world, sn_drag_read(world, number, &def));
    assert_vec_close(def.normal, vec(0.6, 0, 0.8), EXACTNESS(1e-6, 1e-14));
    def.normal = vec(3e30, 0, -4e30);
    number = add_drag(world, &def);
    assert_ok(world, sn_drag_read(world, number, &def));
    assert_vec_close(def.normal, vec(0.6, 0, -0.8), EXACTNESS(1e-6, 1e-14));
    sn_world_destroy(world);
}

/* ---- State ----------------------------------------------------------------------------------------------------------- */

static void add_all_forms(sn_world *world)
{
    sn_drag_def def = drag_of(SN_DRAG_RATE, 0.1);
    add_drag(world, &def);
    def.form = SN_DRAG_FORCE;
    def.one_group = true;
    def.group = 1;
    add_drag(world, &def);
    def = drag_of(SN_DRAG_PLANAR, 0);
    def.parallel = 2;
    def.distance = real(0.5);
    add_drag(world, &def);
    def = drag_of(SN_DRAG_MATRIX, 0);
    def.matrix[0][0] = def.matrix[1][1] = 1;
    def.matrix[0][1] = def.matrix[1][0] = real(0.5);
    add_drag(world, &def);
    def = drag_of(SN_DRAG_RIGID, 3);
    add_drag(world, &def);
}

/* A rope in two groups under everything. */
static sn_world *scene(sn_integrator integrator, const sn_world_def *base)
{
    sn_world_def def = base ? *base : sn_default_world_def();
    def.settings.integrator = integrator;
    def.settings.iterations = 3;
    sn_world *world = support_world_from(&def);
    sn_particle last = add_moving(world, vec(0, 0, 0), vec(0, 0, 0), (double)INFINITY, 0);
    for (int i = 1; i < 20; ++i) {
        sn_particle p =
            add_moving(world, vec(0.1 * i, 0, 0.05 * (i % 3)), vec(0, 0, 0.1 * i), 0.1 * (1 + i % 4), i / 7);
        assert_true(
            sn_constraint_is_valid(world, sn_constraint_add_distance(world, sn_at(last), sn_at(p), SN_MEASURE)));
        last = p;
    }
    add_all_forms(world);
    return world;
}

static void test_snapshot(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT_OF(integrators); ++n) {
        sn_world *world = scene(integrators[n], NULL), *other = support_world();
        support_run(world, 10, 1.0 / 60);
        sn_snapshot *snapshot = sn_world_save(world);
        assert_non_null(snapshot);
        uint64_t hash = sn_world_hash(world);
        support_run(world, 20, 1.0 / 60);
        uint64_t later = sn_world_hash(world);
        assert_ok(world, sn_drag_remove(world, 1));
        sn_drag_def def = drag_of(SN_DRAG_RATE, 9);
        uint32_t number = add_drag(world, &def);
        support_run(world, 3, 1.0 / 60);
        assert_true(sn_world_hash(world) != later);
        assert_ok(world, sn_world_load(world, snapshot));
        assert_true(sn_world_hash(world) == hash);
        assert_result(world, SN_ERROR_STALE, sn_drag_remove(world, number));
        support_run(world, 20, 1.0 / 60);
        assert_true(sn_world_hash(world) == later);
        assert_true(add_drag(world, &def) > number);
        assert_ok(other, sn_world_load(other, snapshot));
        support_run(other, 20, 1.0 / 60);
        assert_true(sn_world_hash(other) == later);
        sn_snapshot_destroy(snapshot);
        sn_world_destroy(world);
        sn_world_destroy(other);
    }
}

/* Every number of a drag is seen by the hash. */
static void test_hash_sees_drags(void **state)
{
    (void)state;
    sn_drag_def def[10];
    for (size_t i = 0; i < COUNT_OF(def); ++i)
        def[i] = drag_of(i < 4 ? SN_DRAG_RATE : SN_DRAG_PLANAR, 1);
    def[1].strength = 2;
    def[2].one_group = true;
    def[3].form = SN_DRAG_RIGID;
    def[5].parallel = 1;
    def[6].orthogonal = 1;
    def[7].origin.y = 1;
    def[8].distance = 1;
    def[9].form = SN_DRAG_MATRIX;
    uint64_t hash[COUNT_OF(def) + 1];
    for (size_t i = 0; i <= COUNT_OF(def); ++i) {
        sn_world *world = support_world();
        if (i < COUNT_OF(def))
            add_drag(world, &def[i]);
        hash[i] = sn_world_hash(world);
        for (size_t j = 0; j < i; ++j)
            assert_true(hash[j] != hash[i]);
        sn_world_destroy(world);
    }
}

static sn_vec3 fail_late(void *context, const sn_field_in *in)
{
    (void)context;
    return in->time > 0.05 && in->index == 5 ? vec((double)NAN, 0, 0) : vec(0, 0, 0);
}

/* A substep that fails is not taken: drag has not touched the state. */
static void test_failing_substep(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT_OF(integrators); ++n) {
        sn_world *world = scene(integrators[n], NULL);
        uint32_t field;
        assert_ok(world, sn_field_add(world, fail_late, NULL, false, &field));
        sn_result result = SN_OK;
        for (int i = 0; i < 10 && result == SN_OK; ++i)
            result = sn_world_step(world, real(1.0 / 60));
        assert_int_equal(result, SN_ERROR_DIVERGED);
        uint64_t hash = sn_world_hash(world);
        for (int i = 0; i < 3; ++i)
            assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(1.0 / 60)));
        assert_true(sn_world_hash(world) == hash);
        sn_world_destroy(world);
    }
}

/* ---- Hooks ----------------------------------------------------------------------------------------------------------- */

#define DUST 10000

static void add_dust(sn_world *world)
{
    uint64_t seed = 1;
    for (int i = 0; i < DUST; ++i)
        add_moving(world, vec(support_random_in(&seed, -5, 5), support_random_in(&seed, -1, 2), 0),
                   vec(support_random_in(&seed, -5, 5), 1, 2), support_random_in(&seed, 0.1, 2), (uint32_t)i % 5);
}

static void test_tasks(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT_OF(integrators); ++n) {
        uint64_t first = 0;
        for (uint32_t mode = 0; mode < 3; ++mode) {
            support_tasks tasks = {.mode = mode == 1 ? SUPPORT_TASKS_THREADS : SUPPORT_TASKS_REVERSE, .threads = 4};
            sn_world_def def = sn_default_world_def();
            if (mode)
                def.tasks = support_tasks_hook(&tasks);
            def.settings.substeps = 2;
            sn_world *world = scene(integrators[n], &def);
            add_dust(world);
            support_run(world, 3, 1.0 / 60);
            first = mode ? first : sn_world_hash(world);
            assert_true(sn_world_hash(world) == first);
            sn_world_destroy(world);
        }
    }
    /* a task hook that loses tasks, in each of its runs: the copy of the step and of the drags, three drags, and so on */
    for (uint32_t lossy = 0; lossy < 7; ++lossy) {
        support_tasks tasks = {.mode = SUPPORT_TASKS_LOSE, .lossy_run = lossy, .lost = 1};
        sn_world_def def = sn_default_world_def();
        def.tasks = support_tasks_hook(&tasks);
        def.settings.substeps = 1;
        sn_world *world = scene(SN_INTEGRATOR_SYMPLECTIC_EULER, &def);
        add_dust(world);
        uint64_t hash = sn_world_hash(world);
        sn_result result = sn_world_step(world, real(1.0 / 60));
        assert_int_equal(result, SN_ERROR_HOST);
        assert_true(sn_world_hash(world) == hash);
        sn_world_destroy(world);
    }
}

/* Each request for memory fails once: the call changes nothing, and works the second time. A warm step asks for
   none. */
static void test_memory(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint64_t n = 0;; n += n ? support_rounds(1, 3) : 1) {
        support_memory memory = {.fail_at = 0};
        sn_world_def def = support_scarce(&memory);
        sn_world *world = scene(SN_INTEGRATOR_BDF2, &def);
        memory.fail_at = n ? memory.requests + n : 0;
        sn_drag_def drag = drag_of(SN_DRAG_RATE, 1);
        for (int i = 0; i < 12; ++i) {
            uint64_t hash = sn_world_hash(world);
            i -= ran_out(world, hash, i < 10 ? sn_drag_add(world, &drag, NULL) : sn_world_step(world, real(1.0 / 60)));
        }
        uint64_t requests = memory.requests;
        support_run(world, 5, 1.0 / 60);
        assert_true(memory.requests == requests);
        if (n == 0)
            expected = sn_world_hash(world);
        assert_true(sn_world_hash(world) == expected);
        if (!support_had_failed(world, &memory) && n)
            break;
    }
}

static sn_vec3 call_back(void *context, const sn_field_in *in)
{
    sn_world *world = context;
    sn_drag_def def = drag_of(SN_DRAG_RATE, 1);
    (void)in;
    assert_int_equal(sn_drag_add(world, &def, NULL), SN_ERROR_BUSY);
    assert_int_equal(sn_drag_remove(world, 1), SN_ERROR_BUSY);
    return vec(0, 0, 0);
}

static void test_busy(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle_add_at(world, vec(0, 0, 0), 1);
    assert_ok(world, sn_field_add(world, call_back, world, false, NULL));
    support_run(world, 1, 1.0 / 60);
    sn_world_destroy(world);
}

/* What rounding leaves over is kept alike along x, y and z: a compiler once dropped it along two of them. */
static void test_axes_are_alike(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1);
    sn_drag_def def = sn_default_drag_def();
    def.strength = 500;
    assert_ok(world, sn_drag_add(world, &def, NULL));
    assert_ok(world, sn_particle_set_velocity(world, p, vec(2.5, 2.5, 2.5)));
    for (int i = 0; i < 50; ++i) {
        assert_ok(world, sn_world_step(world, real(1.0 / 600)));
        sn_vec3 v = sn_particle_velocity(world, p), x = sn_particle_position(world, p);
        assert_vec_same(v, vec((double)v.z, (double)v.z, (double)v.z));
        assert_vec_same(x, vec((double)x.z, (double)x.z, (double)x.z));
    }
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_in_time),
        cmocka_unit_test(test_exact_with_changing_steps),
        cmocka_unit_test(test_three_forms_agree),
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_weak_drag_adds_up),
        cmocka_unit_test(test_terminal_velocity),
        cmocka_unit_test(test_other_groups_fall_freely),
        cmocka_unit_test(test_groups_change),
        cmocka_unit_test(test_immovable_and_targets),
        cmocka_unit_test(test_planar_splits),
        cmocka_unit_test(test_planar_reach),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_rigid_keeps_momenta),
        cmocka_unit_test(test_rigid_by_group),
        cmocka_unit_test(test_rigid_degenerate),
        cmocka_unit_test(test_rigid_stops_oscillation),
        cmocka_unit_test(test_several_and_removal),
        cmocka_unit_test(test_2d_stays_in_plane),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_hash_sees_drags),
        cmocka_unit_test(test_failing_substep),
        cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_axes_are_alike),
    };
    return cmocka_run_group_tests_name("drag", tests, NULL, NULL);
}
