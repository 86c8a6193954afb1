/* Particles on a line and in a plane. */
#include "slopes.h"

#define MANY 40

static double spread_about_line(const sn_world *world, const sn_particle *p, uint32_t count)
{
    sn_vec3 a = sn_particle_position(world, p[0]), b = sn_particle_position(world, p[count - 1]);
    double t[3] = {(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z}, worst = 0;
    double length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 x = sn_particle_position(world, p[i]);
        double q[3] = {(double)x.x - (double)a.x, (double)x.y - (double)a.y, (double)x.z - (double)a.z}, k = 0, d = 0;
        for (int j = 0; j < 3; ++j)
            k += q[j] * t[j] / length;
        for (int j = 0; j < 3; ++j)
            d += pow(q[j] - k * t[j] / length, 2);
        worst = fmax(worst, sqrt(d));
    }
    return worst;
}

static void many_passes(sn_world *world, uint32_t passes)
{
    sn_settings s = sn_world_settings(world);
    s.iterations = passes;
    assert_ok(world, sn_world_configure(world, &s));
}

static sn_report report_of(sn_world *world)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    return report;
}

/* ---- Collinear --------------------------------------------------------------------------------------------------- */

static void five_particles_straighten(void **state)
{
    (void)state;
    const uint32_t dimensions[] = {2, 3};
    for (size_t n = 0; n < COUNT_OF(dimensions); ++n) {
        sn_world_def def = sn_default_world_def();
        def.dimensions = dimensions[n];
        def.settings.gravity = vec(0, 0, 0);
        def.settings.substeps = 1;
        sn_world *world = support_world_from(&def);
        sn_particle p[5];
        double z = n ? 0.3 : 0;
        const double y[5] = {0, 0.4, -0.3, 0.5, 0.1};
        for (int i = 0; i < 5; ++i)
            p[i] = sn_particle_add_at(world, vec(i, y[i], z * (i % 3)), real(1 + i));
        sn_constraints run = sn_constraints_add_collinear(world, 5, p);
        assert_int_equal(run.count, 3);
        assert_int_equal(run.kind, SN_KIND_COLLINEAR);
        many_passes(world, 100);
        assert_ok(world, sn_world_step(world, 1));
        assert_true(spread_about_line(world, p, 5) < 1e-4);
        for (int i = 0; i < 3; ++i)
            assert_close(report_of(world).momentum[i], 0, 1e-5);
        sn_world_destroy(world);
    }
}

/* One projection of points far off the line keeps angular momentum, whatever the direction of the line. */
static void angular_momentum_is_kept(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (uint32_t n = 0; n < 50; ++n) {
        sn_world *world = support_void();
        sn_particle p[3];
        for (int i = 0; i < 3; ++i)
            p[i] = sn_particle_add_at(world, slopes_place(&seed, 1), real(support_random_in(&seed, 0.5, 3)));
        sn_vec3 x[3];
        for (int i = 0; i < 3; ++i)
            x[i] = sn_particle_position(world, p[i]);
        double turn[3] = {0, 0, 0}, size = 0;
        sn_constraints_add_collinear(world, 3, p);
        support_run(world, 1, 1);
        for (int i = 0; i < 3; ++i) {
            sn_vec3 v = sn_particle_velocity(world, p[i]);
            double m = (double)sn_particle_mass(world, p[i]);
            turn[0] += m * ((double)x[i].y * (double)v.z - (double)x[i].z * (double)v.y);
            turn[1] += m * ((double)x[i].z * (double)v.x - (double)x[i].x * (double)v.z);
            turn[2] += m * ((double)x[i].x * (double)v.y - (double)x[i].y * (double)v.x);
            size += m * support_gap(v, vec(0, 0, 0));
        }
        for (int i = 0; i < 3; ++i)
            assert_close(turn[i], 0, slopes_exactness(2e-5, 1e-13) * size);
        sn_world_destroy(world);
    }
}

/* A straight stick of collinear particles with rods falls and turns as one, in gravity, and stays straight. */
static void a_stick_stays_straight(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle p[6];
    for (int i = 0; i < 6; ++i)
        p[i] = sn_particle_add_at(world, vec(0.2 * i, 0, 0), 1);
    for (int i = 0; i < 5; ++i)
        sn_constraint_add_distance(world, sn_at(p[i]), sn_at(p[i + 1]), SN_MEASURE);
    assert_int_equal(sn_constraints_add_collinear(world, 6, p).count, 4);
    assert_ok(world, sn_particle_set_mass(world, p[0], SN_IMMOVABLE));
    assert_ok(world, sn_particle_set_velocity(world, p[5], vec(0, 0, 1)));
    for (int i = 0; i < 120; ++i) {
        support_run(world, 1, 1.0 / 60);
        assert_true(spread_about_line(world, p, 6) < 0.02);
    }
    sn_world_destroy(world);
}

static void one_place_gives_no_line(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_particle p[4];
    for (int i = 0; i < 4; ++i)
        p[i] = sn_particle_add_at(world, vec(1, 2, 3), 1);
    assert_int_equal(sn_constraints_add_collinear(world, 4, p).count, 2);
    assert_int_equal(sn_constraints_add_coplanar(world, 4, p).count, 1);
    support_run(world, 3, 0.1);
    for (int i = 0; i < 4; ++i)
        assert_vec_same(sn_particle_position(world, p[i]), vec(1, 2, 3));
    sn_world_destroy(world);
}

/* ---- Coplanar ----------------------------------------------------------------------------------------------------- */

/* A crumpled sheet is flattened: all lie in the plane of any three that are far apart. */
static void a_sheet_becomes_flat(void **state)
{
    (void)state;
    uint64_t seed = 8;
    sn_world *world = support_void();
    sn_particle p[MANY];
    for (uint32_t i = 0; i < MANY; ++i)
        p[i] = sn_particle_add_at(world, vec(0.2 * (i % 8), support_random_in(&seed, -0.1, 0.1), 0.2 * (i / 8)),
                                  real(support_random_in(&seed, 0.5, 2)));
    sn_constraints run = sn_constraints_add_coplanar(world, MANY, p);
    assert_int_equal(run.count, MANY - 3);
    many_passes(world, 500);
    assert_ok(world, sn_world_step(world, 1));
    for (uint32_t i = 0; i < run.count; ++i) {
        sn_real c;
        assert_ok(world, sn_constraint_value(world, sn_constraints_at(run, i), &c));
        assert_close(c, 0, 1e-4);
    }
    for (int i = 0; i < 3; ++i)
        assert_close(report_of(world).momentum[i], 0, 1e-4);
    sn_world_destroy(world);
}

static void coplanar_is_spatial(void **state)
{
    (void)state;
    sn_world *world = support_world_2d();
    sn_particle p[4];
    for (int i = 0; i < 4; ++i)
        p[i] = sn_particle_add_at(world, vec(i, i * i, 0), 1);
    assert_int_equal(sn_constraints_add_coplanar(world, 4, p).count, 0);
    assert_says(sn_world_error(world), "coplanar 2D");
    sn_world_destroy(world);
}

/* ---- Gradients and bad input -------------------------------------------------------------------------------------- */

static void gradients(void **state)
{
    (void)state;
    uint64_t seed = 77;
    const double sizes[] = {1e-3, 1, 1e3};
    uint32_t compared = 0;
    for (uint32_t n = 0; n < 150; ++n) {
        double size = sizes[n % 3], flat = n % 2 ? 1 : 0.01; /* also nearly on a line, and in a plane */
        sn_vec3 x[4];
        for (int i = 0; i < 4; ++i) {
            sn_vec3 d = slopes_place(&seed, 0.3 * size);
            x[i] = vec(0.8 * i * size + (double)d.x, (double)d.y, (double)d.z * flat);
        }
        x[3] = vec((double)x[3].x - 1.6 * size, (double)x[3].y + size, (double)x[3].z);
        compared += slopes_agree(SN_KIND_COLLINEAR, 3, x, NULL, 0.3 * size, 2 * size);
        slopes_sum_to_zero(SN_KIND_COLLINEAR, 3, x, NULL);
        sn_vec3 y[4] = {x[0], x[3], x[2], x[1]};
        compared += slopes_agree(SN_KIND_COPLANAR, 4, y, NULL, 0.3 * size, 2 * size);
        slopes_sum_to_zero(SN_KIND_COPLANAR, 4, y, NULL);
    }
    assert_in_range(compared, 250, 300);
}

typedef sn_constraints add_fn(sn_world *world, uint32_t count, const sn_particle *particles);

static void bad_sets_are_refused(void **state)
{
    (void)state;
    add_fn *adds[] = {sn_constraints_add_collinear, sn_constraints_add_coplanar};
    for (size_t n = 0; n < COUNT_OF(adds); ++n) {
        support_memory memory = {0};
        sn_world_def def = sn_default_world_def();
        def.allocator = support_allocator(&memory);
        sn_world *world = support_world_from(&def);
        sn_particle p[6], same[6];
        for (int i = 0; i < 6; ++i) {
            p[i] = sn_particle_add_at(world, vec(i, i * i, i * i * i), 1);
            same[i] = p[0];
        }
        assert_int_equal(adds[n](world, 2 + (uint32_t)n, p).count, 0);
        assert_says(sn_world_error(world), n ? "coplanar 4" : "collinear 3");
        assert_int_equal(adds[n](world, 6, NULL).count, 0);
        assert_int_equal(adds[n](NULL, 6, p).count, 0);
        assert_int_equal(adds[n](world, 6, same).count, 0);
        assert_says(sn_world_error(world), "twice");
        same[1] = p[5];
        assert_int_equal(adds[n](world, 6, same).count, 0);
        memory.fail_at = memory.requests + 1;
        assert_int_equal(adds[n](world, 6, p).count, 0);
        assert_says(sn_world_error(world), "memory");
        assert_ok(world, sn_particle_remove(world, p[3]));
        assert_int_equal(adds[n](world, 6, p).count, 0);
        assert_int_equal(sn_world_constraint_count(world, SN_KIND_NONE), 0);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_particles_straighten),
        cmocka_unit_test(angular_momentum_is_kept),
        cmocka_unit_test(a_stick_stays_straight),
        cmocka_unit_test(one_place_gives_no_line),
        cmocka_unit_test(a_sheet_becomes_flat),
        cmocka_unit_test(coplanar_is_spatial),
        cmocka_unit_test(gradients),
        cmocka_unit_test(bad_sets_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
