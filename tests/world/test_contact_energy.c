/* Contact adds no energy: in a world that nothing drives the energy is never above the least that it was by more than a thousandth of what is
   lost in all. A minute each in make test-long. */
#include "world/body_worlds.h"

typedef enum thing { BOXES, CAPSULES, BALLS, THINGS } thing;

static const char *const thing_name[] = {"boxes", "capsules", "balls"};

static void add_thing(sn_world *world, thing what, int i, uint64_t *seed)
{
    const sn_vec3 at = vec(support_random_in(seed, 0, 2), 0.5 + 0.3 * i, support_random_in(seed, 0, 2));
    if (what == BOXES) {
        box_body(world, at, vec(0.2, 0.2, 0.2), 1000);
    } else if (what == CAPSULES) {
        const sn_vec3 to = vec(support_random_in(seed, 0, 2), 0.6 + 0.3 * i, support_random_in(seed, 0, 2));
        sn_body_add_capsule(world, at, to, real(0.1), 1000);
    } else {
        sn_particle_def def = sn_default_particle_def();
        def.position = at;
        def.radius = real(support_random_in(seed, 0.05, 0.2));
        assert_ok(world, sn_particle_add(world, &def, NULL));
    }
}

/* J */
static double energy_of(sn_world *world)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    return report.kinetic + report.potential + report.elastic;
}

static double potential_of(sn_world *world)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    return report.potential;
}

/* The share of what was lost that came back. */
static double fall_from(uint64_t seed, thing what, double restitution, uint32_t substeps, uint32_t count,
                        uint32_t frames)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = substeps;
    sn_world *world = support_world_from(&def);
    sn_group_contact group = sn_default_group_contact(0);
    group.material = material(0.5, restitution);
    assert_ok(world, sn_world_set_group_contact(world, 0, &group));
    add_floor(world);
    for (int i = 0; i < (int)count; ++i)
        add_thing(world, what, i, &seed);
    const double first = energy_of(world), still = potential_of(world);
    double least = first, most = 0;
    for (uint32_t frame = 0; frame < frames; ++frame) {
        step(world);
        const double now = energy_of(world);
        least = fmin(least, now);
        most = fmax(most, now - least);
    }
    print_message("%s, e = %g, %u substeps: %.2g of what was lost came back\n", thing_name[what], restitution, substeps,
                  most / (first - least));
    assert_true(potential_of(world) < 0.1 * still); /* all came down */
    sn_world_destroy(world);
    return most / (first - least);
}

static double fall(thing what, double restitution, uint32_t substeps, uint32_t count, uint32_t frames)
{
    return fall_from(7 + substeps, what, restitution, substeps, count, frames);
}

static void nothing_gains_energy(void **state)
{
    (void)state;
    static const uint32_t substeps[] = {1, 2, 4, 10, 20};
    const uint32_t count = support_long(150, 40), frames = support_long(3600, 300);
    for (uint32_t i = 0; i < COUNT_OF(substeps); ++i)
        for (thing what = 0; what < THINGS; ++what) {
            if (what == BALLS && substeps[i] == 1)
                continue;
            assert_true(fall(what, 0, substeps[i], count, frames) <= 0.001);
            assert_true(fall(what, 0.5, substeps[i], count, frames) <= 0.001);
        }
}

/* With one substep a body comes farther than the next one is away. Seventy capsules stopped each other in the air, did not move any more, and gravity made
   them faster all the time. */
static void fast_traffic_comes_down(void **state)
{
    (void)state;
    assert_true(fall(CAPSULES, 0, 1, 150, 300) <= 0.001);
    assert_true(fall(CAPSULES, 0.5, 2, 150, 300) <= 0.001);
    assert_true(fall_from(13008, CAPSULES, 0.5, 1, 150, 300) <= 0.001);
}

/* Two that come to a stop deep in a third are thrown back once. */
static void few_balls_at_one_substep(void **state)
{
    (void)state;
#if !SINEW_DOUBLE
    assert_known_failure("40 balls that fall at one substep get back less than a thousandth of what was lost",
                         fall(BALLS, 0, 1, 40, 300) <= 0.001);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_gains_energy),
                                       cmocka_unit_test(fast_traffic_comes_down),
                                       cmocka_unit_test(few_balls_at_one_substep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
