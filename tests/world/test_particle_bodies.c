/* Contact of bodies made of particles: contact moves single particles, after the constraints, and what those then do to bring the shape back
   must not become a velocity of the body. */
#include "support/fixed.h"
#include "support/support.h"

#include <math.h>

#define MOST 1000

/* A cube of n^3 particles that shape matching holds, or rods: half a metre and 2 kg. */
static uint32_t add_cube(sn_world *world, uint32_t n, bool rods, sn_particle *p)
{
    uint32_t index[MOST], count = 0;
    for (uint32_t i = 0; i < n * n * n; ++i) {
        double side = 0.5 / (n - 1);
        p[count] = sn_particle_add_at(world, vec(side * (i % n), 1 + side * (i / n % n), side * (i / n / n)),
                                      real(2.0 / (n * n * n)));
        assert_ok(world, sn_particle_set_group(world, p[count], 1));
        index[count] = p[count].index;
        for (uint32_t k = 0; rods && k < count; ++k)
            if (support_gap(sn_particle_position(world, p[count]), sn_particle_position(world, p[k])) < 1.8 * side)
                assert_true(sn_constraint_add_distance(world, sn_at(p[count]), sn_at(p[k]), SN_MEASURE).generation);
        count++;
    }
    if (!rods)
        assert_true(sn_constraint_add_shape_match(world, SN_KIND_SHAPE_MATCH, count, index, 1).generation);
    return count;
}

/* The share of its speed with which it comes back from the ground. */
static double rebound(uint32_t n, bool rods, uint32_t substeps, uint32_t passes)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = substeps;
    def.settings.iterations = passes;
    sn_world *world = support_world_from(&def);
    sn_particle p[MOST];
    uint32_t count = add_cube(world, n, rods, p);
    double fastest_down = 0, fastest_up = 0;
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    for (uint32_t frame = 0; frame < 45; ++frame) {
        double speed = 0;
        support_run(world, 1, 1.0 / 60);
        for (uint32_t i = 0; i < count; ++i)
            speed += (double)sn_particle_velocity(world, p[i]).y / count;
        fastest_down = fmin(fastest_down, speed);
        fastest_up = fmax(fastest_up, speed);
    }
    sn_world_destroy(world);
    assert_true(fastest_down < -4); /* it did fall */
    return fastest_up / -fastest_down;
}

static void particle_bodies_stay_down(void **state)
{
    (void)state;
    static const uint32_t size[] = {2, 3, 5, 10}, substeps[] = {1, 10, 40};
    for (uint32_t i = 0; i < COUNT_OF(size); ++i)
        for (uint32_t k = 0; k < COUNT_OF(substeps) && (k < 2 || size[i] < 10); ++k)
            for (uint32_t rods = 0; rods < 2 && (!rods || size[i] < 10); ++rods)
                for (uint32_t passes = 1; passes <= 4; passes += 3) {
                    const double e = rebound(size[i], rods, substeps[k], passes);
                    if (!(e < 0.02))
                        fail_msg("a cube of %u^3 %s comes back with %.3f of its speed: %u substeps of %u", size[i],
                                 rods ? "rods" : "particles", e, substeps[k], passes);
                }
}

/* J: the most that two blocks of 8 kg which overlap by one and a half layers get from rest in a second, without gravity. */
static double energy_of_parting(bool rods, uint32_t substeps, double push_out)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.substeps = substeps;
    sn_world *world = support_world_from(&def);
    sn_contact_settings contact = sn_default_contact_settings();
    contact.push_out = real(push_out);
    assert_ok(world, sn_world_set_contact_settings(world, &contact));
    for (uint32_t block = 0; block < 2; ++block) {
        sn_group_contact group = sn_default_group_contact(block + 1);
        group.material.static_friction = group.material.dynamic_friction = 0;
        assert_ok(world, sn_world_set_group_contact(world, block + 1, &group));
        sn_particle p[64];
        uint32_t index[64];
        for (uint32_t i = 0; i < 64; ++i) {
            p[i] = sn_particle_add_at(
                world, vec(0.25 * block + 0.1 * (i % 4), 0.03 * block + 0.1 * (i / 4 % 4), 0.1 * (i / 16)),
                real(8.0 / 64));
            assert_ok(world, sn_particle_set_group(world, p[i], block + 1));
            assert_ok(world, sn_particle_set_radius(world, p[i], real(0.05)));
            index[i] = p[i].index;
            for (uint32_t k = 0; rods && k < i; ++k)
                if (support_gap(sn_particle_position(world, p[i]), sn_particle_position(world, p[k])) < 0.18)
                    sn_constraint_add_distance(world, sn_at(p[i]), sn_at(p[k]), SN_MEASURE);
        }
        if (!rods)
            sn_constraint_add_shape_match(world, SN_KIND_SHAPE_MATCH, 64, index, 1);
    }
    double most = 0;
    for (uint32_t frame = 0; frame < 60; ++frame) {
        sn_report report;
        support_run(world, 1, 1.0 / 60);
        assert_ok(world, sn_world_report(world, &report));
        most = fmax(most, report.kinetic);
    }
    sn_world_destroy(world);
    return most;
}

/* What is parted at push_out has no speed from that, at any number of substeps. */
static void parting_adds_little_energy(void **state)
{
    (void)state;
    const uint32_t substeps[] = {1, 10, 20, 40};
    for (uint32_t rods = 0; rods < 2; ++rods)
        for (uint32_t i = 0; i < COUNT_OF(substeps); ++i) {
            const double push_out = 0.1, most = energy_of_parting(rods, substeps[i], push_out);
            print_message("interlocked blocks of %s, %u substeps: %.3g J\n", rods ? "rods" : "matched shape",
                          substeps[i], most);
            assert_true(most < 1e-6);
        }
}

/* Three balls that keep their shape, five at rest and four that fly, all in one heap: bodies of particles take back
   the whole push of some contacts. What was remembered of friction stayed then, for one lane and not for four. */
static uint64_t heap_of(sn_simd simd)
{
    static const sn_real fly[] = {0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0},
                         lie[] = {0, 0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0};
    sn_world_def def = sn_default_world_def();
    def.simd = simd;
    def.settings.substeps = 4;
    def.settings.gravity = vec(1, 0, 1);
    sn_world *world = support_world_from(&def);
    sn_particle_def ball = sn_default_particle_def();
    ball.radius = ball.mass = 1;
    ball.velocity = vec(1, 1, 0);
    const sn_particles flying = sn_particles_add_like(world, &ball, 4, fly, 0);
    const sn_particle one = sn_particle_add_at(world, vec(1, 0, 1), 3);
    const uint32_t corner[] = {one.index, sn_particles_at(flying, 1).index, sn_particles_at(flying, 0).index};
    sn_constraint_def held = sn_default_constraint_def(SN_KIND_SHAPE_MATCH);
    held.damping = 1;
    for (uint32_t i = 0; i < COUNT_OF(held.param); ++i)
        held.param[i] = SN_MEASURE;
    assert_int_equal(flying.count, 4);
    assert_ok(world, sn_constraints_add_lists(world, &held, 1, (const uint32_t[]){0, 3}, corner, NULL));
    ball.velocity = vec(0, 0, 0);
    assert_int_equal(sn_particles_add_like(world, &ball, 5, lie, 0).count, 5);
    support_run(world, 1, 1);
    const uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    return hash;
}

static void what_was_taken_back_is_the_same_on_every_width(void **state)
{
    (void)state;
    assert_int_equal(heap_of(SN_SIMD_AUTO), heap_of(SN_SIMD_SCALAR));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particle_bodies_stay_down),
        cmocka_unit_test(parting_adds_little_energy),
        cmocka_unit_test(what_was_taken_back_is_the_same_on_every_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
