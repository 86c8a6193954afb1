/* No tear and no cut gains energy: what is there before is there after, less what is told as released. */
#include "world/tear_meshes.h"

static sn_world *make_world(void)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.threads = 1;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    return world;
}

/* Pulled, pressed and sheared at random, by up to so much of its size; every vertex moves by itself, and all turn together. */
static void strain_at_random(sn_world *world, const tear_sheet *s, double most, double speed, uint64_t *random)
{
    double m[3][3];
    for (int i = 0; i < 9; ++i)
        m[i / 3][i % 3] = (i % 4 == 0) + support_random_in(random, -most, most);
    const double spin = support_random_in(random, -speed, speed) * 3;
    for (uint32_t i = 0; i < s->run.count; ++i) {
        const sn_particle p = sn_particles_at(s->run, i);
        const sn_vec3 at = sn_particle_position(world, p);
        const double x[3] = {(double)at.x, (double)at.y, (double)at.z};
        double y[3], v[3];
        for (int k = 0; k < 3; ++k) {
            y[k] = m[k][0] * x[0] + m[k][1] * x[1] + m[k][2] * x[2] + most * support_random_in(random, -0.02, 0.02);
            v[k] = support_random_in(random, -speed, speed);
        }
        assert_ok(world, sn_particle_set_position(world, p, vec(y[0], y[1], y[2])));
        assert_ok(world, sn_particle_set_velocity(world, p, vec(v[0] - spin * y[1], v[1] + spin * y[0], v[2])));
    }
}

static sn_report report_of(sn_world *world)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    return report;
}

static double total_of(const sn_report *r)
{
    return r->elastic + r->kinetic;
}

/* The skin of a sheet, made anew so that it collides with itself. */
static void collide_with_itself(sn_world *world, tear_sheet *s)
{
    uint32_t count;
    const uint32_t *corner = sn_skin_triangles(world, s->skin, &count);
    uint32_t *triangle = malloc(3 * count * sizeof *triangle);
    memcpy(triangle, corner, 3 * count * sizeof *triangle);
    assert_ok(world, sn_skin_remove(world, s->skin));
    sn_skin_def def = sn_default_skin_def();
    def.triangles = triangle, def.triangle_count = count;
    def.thickness = real(0.004), def.self_collision = true;
    assert_ok(world, sn_skin_add(world, &def, &s->skin));
    free(triangle);
}

/* Whatever is strained tears, many times over. */
static void test_tears_gain_no_energy(void **state)
{
    (void)state;
    uint32_t tears = 0;
    for (uint64_t seed = 1; seed <= support_long(600, 24); ++seed) {
        uint64_t random = seed;
        sn_world *world = make_world();
        tear_sheet s = tear_sheet_add(world, 4 + support_random_below(&random, 6), 4 + support_random_below(&random, 6),
                                      0.1, support_random_in(&random, 0.001, 1), 1e-4, 0.1, seed);
        if (seed % 3 == 0)
            collide_with_itself(world, &s);
        strain_at_random(world, &s, 0.4, 2, &random);
        sn_tear_def tear = sn_default_tear_def();
        tear.strain = real(0.001), tear.spread = real(0.5), tear.seed = (uint32_t)seed;
        assert_ok(world, sn_skin_set_tear(world, s.skin, &tear));
        for (uint32_t round = 0; round < 12; ++round) {
            const sn_report before = report_of(world);
            assert_true(sn_tear_begin(world));
            sn_tear_end(world);
            const sn_report after = report_of(world);
            uint32_t count;
            const sn_tear *event = sn_world_tears(world, &count);
            double released = 0;
            for (uint32_t i = 0; i < count; ++i)
                released += (double)event[i].released;
            tears += count;
            const double rounding = 1e-5 * total_of(&before);
            assert_close(after.kinetic, before.kinetic, 1e-6 * before.kinetic);
            assert_true(after.elastic + released <= before.elastic + rounding);
            assert_true(released >= 0);
            if (seed % 3 != 0) /* nothing is set apart: it is all accounted for */
                assert_close(after.elastic + released, before.elastic, rounding);
        }
        sn_world_destroy(world);
    }
    printf("%u tears\n", tears);
    assert_true(tears > support_long(600, 24) * 20);
}

static sn_cut_def any_plane(uint64_t *random)
{
    sn_cut_def def = sn_default_cut_def();
    def.blade = SN_BLADE_PLANE;
    def.a = vec(support_random_in(random, 0.1, 0.5), support_random_in(random, 0.1, 0.5), 0);
    def.b = vec(support_random_in(random, -1, 1), support_random_in(random, -1, 1), 0);
    return def;
}

/* Cuts put vertices and rods into sheets that are strained and move. */
static void test_cuts_gain_no_energy(void **state)
{
    (void)state;
    uint32_t inserted = 0;
    for (uint64_t seed = 1; seed <= support_long(1500, 60); ++seed) {
        uint64_t random = seed;
        sn_world *world = make_world();
        tear_sheet s = tear_sheet_add(world, 4 + support_random_below(&random, 6), 4 + support_random_below(&random, 6),
                                      0.1, support_random_in(&random, 0.001, 1), 1e-4, 0.1, seed);
        if (seed % 3 == 0)
            collide_with_itself(world, &s);
        strain_at_random(world, &s, 0.4, 2, &random);
        for (uint32_t round = 0; round < 6; ++round) {
            const sn_cut_def def = any_plane(&random);
            sn_cut_info info;
            const sn_report before = report_of(world);
            assert_ok(world, sn_world_cut(world, &def, &info));
            const sn_report after = report_of(world);
            assert_true(after.elastic + (double)info.released <= before.elastic * (1 + 1e-6));
            assert_true(total_of(&after) + (double)info.released <= total_of(&before) * (1 + 1e-6));
            if (round == 0) /* later there are scraps that move as one: these may turn faster */
                assert_true(after.kinetic <= before.kinetic * (1 + 1e-6));
            inserted += info.inserted;
        }
        sn_world_destroy(world);
    }
    printf("%u vertices\n", inserted);
    assert_true(inserted > support_long(1500, 60) * 30);
}

/* A sheet that turns as one has nothing else to give: it turns faster as mass comes nearer to its middle, and keeps its angular momentum. */
static void test_a_turning_sheet_is_a_skater(void **state)
{
    (void)state;
    sn_world *world = make_world();
    const tear_sheet s = tear_sheet_add(world, 9, 9, 0.1, 0.1, 1e-4, 0, 1);
    for (uint32_t i = 0; i < s.run.count; ++i) {
        const sn_particle p = sn_particles_at(s.run, i);
        const sn_vec3 x = sn_particle_position(world, p);
        assert_ok(world, sn_particle_set_velocity(world, p, vec(0.4 - (double)x.y, (double)x.x - 0.4, 0)));
    }
    uint64_t random = 4;
    for (uint32_t round = 0; round < 4; ++round) {
        const sn_cut_def def = any_plane(&random);
        const tear_sums before = tear_sum(world);
        assert_ok(world, sn_world_cut(world, &def, NULL));
        const tear_sums after = tear_sum(world);
        tear_assert_kept(&before, &after, SINEW_DOUBLE ? 1e-12 : 2e-7);
        assert_true(after.kinetic < 1.005 * before.kinetic);
    }
    sn_world_destroy(world);
}

/* Every vertex of a stiff sheet is light and caught between a heavy ball and its rods: what contact pushes with must not grow from substep to substep. Torn or not. */
static void test_a_stiff_sheet_under_a_heavy_ball_does_not_burst(void **state)
{
    (void)state;
    for (int tears = 0; tears < 2; ++tears) {
        sn_world *world = make_world();
        tear_sheet s = tear_sheet_add(world, 29, 29, 0.04, 0.0008, 2e-6, 0, 1);
        for (uint32_t i = 0; i < s.run.count; ++i) {
            const uint32_t column = i % 29, row = i / 29;
            const sn_particle p = sn_particles_at(s.run, i);
            assert_ok(world, sn_particle_set_radius(world, p, real(0.01)));
            if (column == 0 || column == 28 || row == 0 || row == 28)
                sn_constraint_add_pin(world, p);
        }
        sn_tear_def tear = sn_default_tear_def();
        tear.strain = real(0.2), tear.spread = real(0.4), tear.seed = 9;
        if (tears)
            assert_ok(world, sn_skin_set_tear(world, s.skin, &tear));
        const sn_particle ball = sn_particle_add_at(world, vec(0.4, 0.7, 0.2), real(5));
        assert_ok(world, sn_particle_set_radius(world, ball, real(0.12)));
        assert_ok(world, sn_particle_set_velocity(world, ball, vec(0, 0, -10)));
        const sn_particle second = sn_particle_add_at(world, vec(0.8, 0.5, 0.4), real(5));
        assert_ok(world, sn_particle_set_radius(world, second, real(0.09)));
        assert_ok(world, sn_particle_set_velocity(world, second, vec(0, 0.5, -14)));
        const double before = report_of(world).kinetic;
        for (uint32_t frame = 0; frame < 20; ++frame) {
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
            assert_true(report_of(world).kinetic <= before * (1 + 1e-6));
        }
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tears_gain_no_energy),
        cmocka_unit_test(test_cuts_gain_no_energy),
        cmocka_unit_test(test_a_turning_sheet_is_a_skater),
        cmocka_unit_test(test_a_stiff_sheet_under_a_heavy_ball_does_not_burst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
