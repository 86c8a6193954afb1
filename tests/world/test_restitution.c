/* Bounces: heights are e^2 of those before, for fixed shapes, for a ball that is held, and with any number of substeps. */
#include "world/contact_worlds.h"

enum { ON_PLANE, ON_BOX, ON_BALL, ON_SKIN, SURFACES };

static sn_contact_material bouncing(double restitution)
{
    sn_contact_material material = sn_default_contact_material();
    material.restitution = real(restitution);
    material.restitution_mix = SN_MIX_MOST;
    return material;
}

static void add_held(sn_world *world, sn_vec3 at, double radius, uint32_t group)
{
    sn_particle_def def = sn_default_particle_def();
    def.position = at;
    def.radius = real(radius);
    def.mass = SN_IMMOVABLE;
    def.group = group;
    assert_ok(world, sn_particle_add(world, &def, NULL));
}

/* Its top is at y = 0. */
static void add_surface(sn_world *world, int surface, double restitution)
{
    fixed_def def = default_fixed();
    sn_group_contact group = sn_default_group_contact(0);
    group.material = def.material = bouncing(restitution);
    if (surface == ON_BOX) {
        def.type = SN_SHAPE_BOX;
        def.position = vec(0, -0.5, 0);
    }
    if (surface == ON_PLANE || surface == ON_BOX)
        assert_ok(world, fixed_add(world, &def, NULL));
    else
        assert_ok(world, sn_world_set_group_contact(world, 0, &group));
    if (surface == ON_BALL)
        add_held(world, vec(0, -1, 0), 1, 0);
    if (surface == ON_SKIN) {
        static const uint32_t corner[3] = {0, 1, 2};
        sn_skin_def skin = sn_default_skin_def();
        add_held(world, vec(-1, 0, -1), 0, 5);
        add_held(world, vec(0, 0, 2), 0, 5);
        add_held(world, vec(1, 0, -1), 0, 5);
        skin.triangles = corner;
        skin.triangle_count = 1;
        assert_ok(world, sn_skin_add(world, &skin, NULL));
    }
}

/* m: the height of the next turning point, from place and velocity, which is `behind` the place. */
static double apex(const sn_world *world, sn_particle p, double radius, double behind)
{
    double v = (double)sn_particle_velocity(world, p).y - GRAVITY * behind;
    return (double)sn_particle_position(world, p).y - radius + v * v / (2 * GRAVITY);
}

static void drop(int surface, double restitution, uint32_t substeps, sn_integrator integrator)
{
    const double radius = 0.05, behind = integrator == SN_INTEGRATOR_SYMPLECTIC_EULER ? FRAME / substeps / 2 : 0;
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = substeps;
    def.settings.integrator = integrator;
    sn_world *world = support_world_from(&def);
    add_surface(world, surface, restitution);
    sn_particle p = ball(world, vec(0, 1 + radius, 0), 1, radius);
    double highest = 1, was = 0;
    uint32_t bounces = 0;
    for (uint32_t frame = 0; frame < 1200 && bounces < 6; ++frame) {
        step(world);
        double v = (double)sn_particle_velocity(world, p).y, height = apex(world, p, radius, behind);
        assert_true(height <= highest * 1.0005 + 1e-5); /* no energy is gained */
        highest = fmin(highest, height);
        if (was < 0 && v > 0) {
            ++bounces;
            double ratio = height / pow(restitution, 2.0 * bounces);
            if (!(fabs(ratio - 1) < 0.01))
                fail_msg("surface %d, e = %g, %u substeps: bounce %u reaches %g of its height", surface, restitution,
                         substeps, bounces, ratio);
        }
        was = v;
    }
    assert_int_equal(bounces, 6);
    sn_world_destroy(world);
}

static void test_heights(void **state)
{
    (void)state;
    static const double restitution[] = {1, 0.9, 0.8, 0.7};
    for (int surface = 0; surface < SURFACES; ++surface)
        for (size_t i = 0; i < COUNT_OF(restitution); ++i) {
            drop(surface, restitution[i], 10, SN_INTEGRATOR_SYMPLECTIC_EULER);
            drop(surface, restitution[i], 4, SN_INTEGRATOR_SYMPLECTIC_EULER);
        }
    static const sn_integrator others[] = {SN_INTEGRATOR_LEAPFROG, SN_INTEGRATOR_VERLET, SN_INTEGRATOR_BDF2};
    for (size_t i = 0; i < COUNT_OF(others); ++i) {
        drop(ON_PLANE, 0.8, 10, others[i]);
        drop(ON_BOX, 0.8, 10, others[i]);
    }
}

/* What an event says of a bounce is what changed the momentum. */
static void test_impulse(void **state)
{
    (void)state;
    sn_world *world = contact_world(sn_default_world_def(), false, true);
    add_surface(world, ON_PLANE, 0.8);
    sn_particle p = ball(world, vec(0, 1.05, 0), 2, 0.05);
    double exerted = 0;
    const uint32_t frames = 120;
    for (uint32_t frame = 0; frame < frames; ++frame) {
        uint32_t count;
        step(world);
        const sn_contact_event *event = sn_world_contact_events(world, &count);
        for (uint32_t i = 0; i < count; ++i)
            exerted += event[i].phase == SN_CONTACT_END ? 0 : (double)event[i].impulse;
    }
    double changed = 2 * ((double)sn_particle_velocity(world, p).y + GRAVITY * frames * FRAME);
    assert_close(exerted, changed, 1e-3 * changed);
    sn_world_destroy(world);
}

static sn_vec3 velocity_of(const sn_world *world, sn_particle ball, sn_body body)
{
    return sn_body_is_valid(world, body) ? sn_body_velocity(world, body) : sn_particle_velocity(world, ball);
}

/* Two balls that meet beside their middles part along the line between their centres when they touch, wherever in a substep that is. */
static void meet_aside(bool bodies, uint32_t substeps, double from)
{
    const double radius = 0.05, aside = 0.06, speed = 5, angle = asin(aside / (2 * radius));
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.substeps = substeps;
    sn_world *world = support_world_from(&def);
    sn_group_contact group = sn_default_group_contact(0);
    group.material = bouncing(1);
    group.material.static_friction = group.material.dynamic_friction = 0;
    assert_ok(world, sn_world_set_group_contact(world, 0, &group));
    sn_particle ball[2] = {{0, 0}, {0, 0}};
    sn_body body[2] = {{0, 0}, {0, 0}};
    for (int i = 0; i < 2; ++i) {
        const sn_vec3 place = i ? vec(0, aside, 0) : vec(from, 0, 0), v = vec(i ? 0 : speed, 0, 0);
        if (bodies) {
            body[i] = sn_body_add_sphere(world, place, real(radius), 1000);
            assert_ok(world, sn_body_set_velocity(world, body[i], v, vec(0, 0, 0)));
        } else {
            sn_particle_def one = sn_default_particle_def();
            one.radius = real(radius);
            one.position = place;
            one.velocity = v;
            assert_ok(world, sn_particle_add(world, &one, &ball[i]));
        }
    }
    sn_report before, after;
    assert_ok(world, sn_world_report(world, &before));
    support_run(world, 30, 1.0 / 60);
    assert_ok(world, sn_world_report(world, &after));
    const sn_vec3 v = velocity_of(world, ball[1], body[1]);
    assert_close(atan2((double)v.y, (double)v.x), angle, 1e-3);
    assert_close(hypot((double)v.x, (double)v.y), speed * cos(angle), 5e-3);
    assert_close(after.kinetic, before.kinetic, 1e-4 * before.kinetic);
    if (bodies)
        assert_close(after.angular_momentum[2], before.angular_momentum[2], 1e-5 * before.kinetic);
    sn_world_destroy(world);
}

static void test_oblique(void **state)
{
    (void)state;
    for (int bodies = 0; bodies < 2; ++bodies)
        for (uint32_t substeps = 1; substeps <= 10; substeps += 9)
            for (int phase = 0; phase < 6; ++phase)
                meet_aside(bodies, substeps, -1 - 0.013 * phase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_heights), cmocka_unit_test(test_impulse),
                                       cmocka_unit_test(test_oblique)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
