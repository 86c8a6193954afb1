/* Contact of balls with each other and with fixed shapes, against what mechanics says. */
#include "world/contact_worlds.h"

#include "world/world.h"

/* ---- Planes ----------------------------------------------------------------------------------------------------------- */

/* Falls, stays where it lands, and is neither in the floor nor above it. */
static void ball_comes_to_rest(void **state)
{
    (void)state;
    sn_world *world = support_world();
    add_floor(world);
    sn_particle p = ball(world, vec(0, 0.6, 0), 1, 0.1);
    support_run(world, 120, FRAME);
    sn_vec3 before = place(world, p);
    assert_close(before.y, 0.1, 0.002 * 0.1 + 1e-5);
    support_run(world, 600, FRAME);
    assert_vec_close(place(world, p), before, 1e-6);
    assert_true(length(speed(world, p)) < 1e-4);
    sn_world_destroy(world);
}

/* m: how far a ball on a slope of so many degrees comes in the time, after it has settled. */
static double creep(double degrees, double friction, double mass, uint32_t steps)
{
    double s = sin(degrees * TURNED_BY), c = cos(degrees * TURNED_BY);
    sn_world *world = support_world();
    add_plane(world, vec(0, 0, 0), vec(-s, c, 0));
    set_materials(world, friction, 0);
    sn_particle p = ball(world, vec(-0.1 * s, 0.1 * c, 0), mass, 0.1);
    support_run(world, 12, FRAME);
    sn_vec3 before = place(world, p);
    support_run(world, steps, FRAME);
    double way = support_gap(before, place(world, p));
    sn_world_destroy(world);
    return way;
}

static void friction_holds_on_a_slope(void **state)
{
    (void)state;
    assert_true(creep(10, 0.5, 1, 600) < 1e-5);
    assert_true(creep(10, 0.5, 1000, 60) < 1e-5);
    assert_true(creep(26, 0.5, 1, 120) < 1e-5); /* atan 0.5 is 26.565 degrees */
    assert_true(creep(27.2, 0.5, 1, 120) > 0.05);
    assert_true(creep(10, 0, 1, 60) > 0.5);
}

static void sliding_accelerates_as_it_should(void **state)
{
    (void)state;
    static const double friction[] = {0, 0.1, 0.3, 0.5};
    for (size_t i = 0; i < COUNT_OF(friction); ++i) {
        double s = sin(30 * TURNED_BY), c = cos(30 * TURNED_BY), expected = GRAVITY * (s - friction[i] * c);
        sn_world *world = support_world();
        add_plane(world, vec(0, 0, 0), vec(-s, c, 0));
        set_materials(world, friction[i], 0);
        sn_particle p = ball(world, vec(-0.1 * s, 0.1 * c, 0), 2, 0.1);
        support_run(world, 12, FRAME);
        double before = length(speed(world, p));
        support_run(world, 60, FRAME);
        assert_close(length(speed(world, p)) - before, expected, 0.01 * expected);
        sn_world_destroy(world);
    }
}

/* Static friction holds what dynamic friction would not; once it slides, the dynamic one counts. */
static void static_and_dynamic_friction_differ(void **state)
{
    (void)state;
    double s = sin(20 * TURNED_BY), c = cos(20 * TURNED_BY);
    for (int pushed = 0; pushed < 2; ++pushed) {
        sn_world *world = support_world();
        sn_body ramp = add_plane(world, vec(0, 0, 0), vec(-s, c, 0));
        set_materials(world, 0.5, 0);
        sn_contact_material m = material(0.5, 0);
        m.dynamic_friction = real(0.1);
        sn_group_contact group = sn_default_group_contact(0);
        group.material = m;
        assert_ok(world, sn_body_set_material(world, ramp, 0, &m));
        assert_ok(world, sn_world_set_group_contact(world, 0, &group));
        sn_particle p = ball(world, vec(-0.1 * s, 0.1 * c, 0), 2, 0.1);
        support_run(world, 12, FRAME);
        if (pushed)
            assert_ok(world, sn_particle_set_velocity(world, p, vec(-0.2 * c, -0.2 * s, 0)));
        double before = length(speed(world, p)), expected = pushed ? GRAVITY * (s - 0.1 * c) : 0;
        support_run(world, 60, FRAME);
        assert_close(length(speed(world, p)) - before, expected, 0.02 * GRAVITY * s);
        sn_world_destroy(world);
    }
}

/* The way until it stops does not depend on the mass. */
static void mass_does_not_matter_to_friction(void **state)
{
    (void)state;
    static const double mass[] = {1e-3, 1, 1e5};
    double first = 0;
    for (size_t i = 0; i < COUNT_OF(mass); ++i) {
        sn_world *world = support_world();
        add_floor(world);
        set_materials(world, 0.4, 0);
        sn_particle p = ball(world, vec(0, 0.1, 0), mass[i], 0.1);
        support_run(world, 12, FRAME);
        assert_ok(world, sn_particle_set_velocity(world, p, vec(2, 0, 0)));
        support_run(world, 60, FRAME);
        double way = (double)place(world, p).x;
        assert_close(way, 4 / (2 * 0.4 * GRAVITY), 0.03 * 0.51);
        first = i ? first : way;
        assert_close(way, first, 100 * SUPPORT_ROUND_OFF);
        sn_world_destroy(world);
    }
}

/* ---- Many balls --------------------------------------------------------------------------------------------------------- */

/* N: what the fixed shapes push with, from what the last substep left to the next. */
static sn_vec3 support_force(const sn_world *world)
{
    const sn_kept_impulse *kept = world->contact.impulse_table.column[0];
    double h = (double)world->state.h, sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < world->contact.impulse_table.count; ++i) {
        double mass = (double)sn_particle_mass(world, sn_particle_from_index(world, kept[i].number));
        for (int k = 0; kept[i].other & SN_IMPULSE_FIXED && k < 3; ++k)
            sum[k] += mass / (h * h) * (double)(&kept[i].tangent_impulse.x)[k] +
                      mass / (h * h) * (double)kept[i].normal_impulse * (double)(&kept[i].normal.x)[k];
    }
    return vec(sum[0], sum[1], sum[2]);
}

/* Settles for so many steps; nothing moves from then on, nothing overlaps, and the fixed shapes carry the weight. */
static void check_rest(sn_world *world, uint32_t settling, uint32_t resting, double weight)
{
    static whereabouts before;
    double most = 0, carried = 0;
    support_run(world, settling, FRAME);
    look(world, &before);
    for (uint32_t i = 0; i < resting; ++i) {
        support_run(world, 1, FRAME);
        carried += (double)support_force(world).y / resting;
        if (i % 10 == 9)
            most = fmax(most, farthest(world, &before));
    }
    assert_true(most < 1e-4);
    assert_true(deepest_overlap(world) < 0.02);
    assert_close(carried, weight, 0.01 * weight);
    for (uint32_t i = 0; i < before.count; ++i)
        assert_true((double)place(world, sn_particle_from_index(world, i)).y > 0.98 * 0.05);
}

static void stack_in_a_tube_rests(void **state)
{
    (void)state;
    for (int slippery = 0; slippery < 2; ++slippery) {
        sn_world *world = support_world();
        add_tub(world, 0.1, 0.1);
        set_materials(world, slippery ? 0 : 0.5, 0);
        for (uint32_t i = 0; i < 10; ++i)
            ball(world, vec(0, 0.05 + 0.101 * i, 0), 1, 0.05);
        check_rest(world, 300, 600, 10 * GRAVITY);
        sn_world_destroy(world);
    }
}

static void pile_in_a_box_rests(void **state)
{
    (void)state;
    const uint32_t count = support_rounds(1, 0) ? 500 : 100; /* it takes seconds with a sanitizer */
    sn_world *world = support_world();
    add_tub(world, 0.8, 0.8);
    pour(world, count, 0.8, 0.05, 1);
    check_rest(world, 300, 600, count * GRAVITY);
    sn_world_destroy(world);
}

/* ---- Blows -------------------------------------------------------------------------------------------------------------- */

static void head_on(double restitution, double mass_a, double mass_b)
{
    const double va = 2, vb = -1, all = mass_a + mass_b;
    sn_world *world = support_void();
    sn_particle a = flying_ball(world, vec(-0.3, 0, 0), vec(va, 0, 0), mass_a, 0.1);
    sn_particle b = flying_ball(world, vec(0.2, 0, 0), vec(vb, 0, 0), mass_b, 0.15);
    set_materials(world, 0.5, restitution);
    support_run(world, 120, 1.0 / 600);
    double middle = (mass_a * va + mass_b * vb) / all;
    double after_a = middle - mass_b / all * restitution * (va - vb),
           after_b = middle + mass_a / all * restitution * (va - vb);
    assert_vec_close(speed(world, a), vec(after_a, 0, 0), 0.01 * fabs(va - vb));
    assert_vec_close(speed(world, b), vec(after_b, 0, 0), 0.01 * fabs(va - vb));
    double momentum = mass_a * (double)speed(world, a).x + mass_b * (double)speed(world, b).x;
    assert_close(momentum, mass_a * va + mass_b * vb, all * SUPPORT_ROUND_OFF);
    sn_world_destroy(world);
}

static void balls_collide_head_on(void **state)
{
    (void)state;
    for (int e = 0; e <= 2; ++e) {
        head_on(0.5 * e, 1, 3);
        head_on(0.5 * e, 3, 1);
        head_on(0.5 * e, 1, 1);
        head_on(0.5 * e, 1e-3, 1e3);
    }
}

/* Off centre and without friction only the speed along the line of centres changes. */
static void balls_collide_off_centre(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_particle a = flying_ball(world, vec(-1, 0, 0), vec(3, 0, 0), 1, 0.1);
    sn_particle b = ball(world, vec(0, 0.1, 0), 1, 0.1);
    set_materials(world, 0, 1);
    support_run(world, 3000, 1.0 / 6000);
    double s = 0.5, c = sqrt(0.75), along = 3 * c; /* the line rises by 30 degrees when they meet */
    assert_vec_close(speed(world, b), vec(along * c, along * s, 0), 0.02);
    assert_vec_close(speed(world, a), vec(3 - along * c, -along * s, 0), 0.02);
    sn_world_destroy(world);
}

/* A cloud of balls of different masses that fly into each other, rub and bounce. */
static void momentum_is_conserved(void **state)
{
    (void)state;
    for (int e = 0; e < 2; ++e) {
        sn_world *world = support_void();
        uint64_t seed = 7;
        for (uint32_t i = 0; i < 300; ++i) {
            sn_vec3 at =
                vec(support_random_in(&seed, -1, 1), support_random_in(&seed, -1, 1), support_random_in(&seed, -1, 1));
            flying_ball(world, at, vec(-2 * (double)at.x, -2 * (double)at.y, -2 * (double)at.z),
                        support_random_in(&seed, 0.1, 10), 0.08);
        }
        set_materials(world, 0.5, 0.9 * e);
        sn_report before, after;
        assert_ok(world, sn_world_report(world, &before));
        support_run(world, 600, 1.0 / 600);
        assert_ok(world, sn_world_report(world, &after));
        for (int k = 0; k < 3; ++k)
            assert_close(after.momentum[k], before.momentum[k], 20 * before.mass * SUPPORT_ROUND_OFF / 10);
        assert_true(after.kinetic < before.kinetic);
        sn_world_destroy(world);
    }
}

enum { CRADLE = 5 };

/* The first of five balls on strings falls against the others, which have gaps of this width, and the last one leaves at its
   speed. */
static void check_cradle(double gap, uint32_t substeps)
{
    sn_world *world = support_world();
    sn_particle balls[CRADLE];
    const double angle = 30 * TURNED_BY;
    sn_settings settings = sn_world_settings(world);
    settings.substeps = substeps;
    assert_ok(world, sn_world_configure(world, &settings));
    for (uint32_t i = 0; i < CRADLE; ++i) {
        double x = (0.1 + gap) * i;
        sn_particle hook = sn_particle_add_at(world, vec(x, 1, 0), SN_IMMOVABLE);
        balls[i] = i ? ball(world, vec(x, 0, 0), 1, 0.05) : ball(world, vec(-sin(angle), 1 - cos(angle), 0), 1, 0.05);
        sn_constraint_add_distance(world, sn_at(hook), sn_at(balls[i]), 1);
    }
    set_materials(world, 0, 1);
    double came = 0;
    for (uint32_t i = 0; i < 600 && fabs((double)speed(world, balls[CRADLE - 1]).x) < 0.1; ++i) {
        came = fmax(came, (double)speed(world, balls[0]).x);
        support_run(world, 1, 1.0 / 600);
    }
    support_run(world, 6, 1.0 / 600);
    assert_true(came > 1);
    assert_close(speed(world, balls[CRADLE - 1]).x, came, 0.05 * came);
    for (uint32_t i = 0; i + 1 < CRADLE; ++i)
        assert_true(length(speed(world, balls[i])) < 0.05 * came);
    sn_world_destroy(world);
}

static void newtons_cradle(void **state)
{
    (void)state;
    static const double gap[] = {0, 1e-5, 1e-3, 5e-3};
    for (size_t i = 0; i < COUNT_OF(gap); ++i)
        for (uint32_t substeps = 1; substeps <= 10; substeps *= 10)
            check_cradle(gap[i], substeps);
}

/* The height that a ball rises to again is the square of the restitution; slow impacts do not bounce. */
static void restitution_of_the_floor(void **state)
{
    (void)state;
    for (int e = 0; e <= 10; e += 5) {
        sn_world *world = support_world();
        add_floor(world);
        set_materials(world, 0, 0.1 * e);
        sn_particle p = ball(world, vec(0, 1.1, 0), 1, 0.1);
        double highest = 0;
        for (uint32_t i = 0; i < 6000; ++i) {
            support_run(world, 1, 1.0 / 6000);
            if ((double)speed(world, p).y > 0)
                highest = fmax(highest, (double)place(world, p).y - 0.1);
        }
        assert_close(highest, 0.01 * e * e, 0.01);
        sn_world_destroy(world);
    }
}

static void slow_impacts_do_not_bounce(void **state)
{
    (void)state;
    for (int bounces = 0; bounces < 2; ++bounces) {
        sn_world *world = support_void();
        add_floor(world);
        set_materials(world, 0, 1);
        sn_contact_settings settings = sn_world_contact_settings(world);
        settings.bounce_above = real(1);
        assert_ok(world, sn_world_set_contact_settings(world, &settings));
        double v = bounces ? 1.1 : 0.9;
        sn_particle p = flying_ball(world, vec(0, 0.2, 0), vec(0, -v, 0), 1, 0.1);
        support_run(world, 120, FRAME);
        assert_close(speed(world, p).y, bounces ? v : 0, 1e-4);
        sn_world_destroy(world);
    }
}

/* ---- Overlap at the start -------------------------------------------------------------------------------------------------- */

/* Balls in each other are parted without a bang. */
static void overlap_is_parted_gently(void **state)
{
    (void)state;
    sn_world *world = support_void();
    uint64_t seed = 5;
    double fastest = 0, most = 0, push_out = (double)sn_world_contact_settings(world).push_out;
    for (uint32_t i = 0; i < 200; ++i) {
        sn_vec3 at;
        do
            at = vec(support_random_in(&seed, -0.2, 0.2), support_random_in(&seed, -0.2, 0.2),
                     support_random_in(&seed, -0.2, 0.2));
        while (length(at) > 0.2);
        ball(world, at, 1, 0.1);
    }
    sn_settings settings = sn_world_settings(world);
    settings.substeps = 10;
    assert_ok(world, sn_world_configure(world, &settings));
    for (uint32_t i = 0; i < 600; ++i) {
        sn_report report;
        support_run(world, 1, FRAME);
        assert_ok(world, sn_world_report(world, &report));
        most = fmax(most, report.kinetic);
        for (uint32_t j = 0; j < 200; ++j)
            fastest = fmax(fastest, length(speed(world, sn_particle_from_index(world, j))));
    }
    assert_true(fastest <= 2 * push_out);
    assert_true(most < 200 * 0.5 * 0.05 * push_out * push_out);
    assert_true(deepest_overlap(world) < 0.02);
    sn_world_destroy(world);
}

/* The same of a ball in a fixed shape, and of one in the very middle of another. */
static void overlap_with_fixed_shapes_is_parted(void **state)
{
    (void)state;
    sn_world *world = support_void();
    add_floor(world);
    sn_particle deep = ball(world, vec(0, -0.5, 0), 1, 0.1);
    sn_particle a = ball(world, vec(3, 1, 0), 1, 0.1), b = ball(world, vec(3, 1, 0), 1, 0.1);
    for (uint32_t i = 0; i < 600; ++i) {
        double was = (double)place(world, deep).y;
        support_run(world, 1, FRAME);
        assert_true((double)place(world, deep).y - was < 1.01 * FRAME);
        assert_true(length(speed(world, deep)) < 1e-4);
    }
    assert_close(place(world, deep).y, 0.1, 0.002);
    assert_true(support_gap(place(world, a), place(world, b)) > 0.195);
    sn_world_destroy(world);
}

/* ---- Fixed shapes that move -------------------------------------------------------------------------------------------------- */

/* A floor that starts to move takes a ball along with the acceleration of friction, until it is as fast. */
static void moving_floor_carries(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_body floor = fixed_add_box(world, vec(0, -0.5, 0), vec(50, 0.5, 50));
    set_materials(world, 0.2, 0);
    sn_particle p = ball(world, vec(0, 0.1, 0), 3, 0.1);
    support_run(world, 12, FRAME);
    assert_ok(world, sn_body_set_velocity(world, floor, vec(1, 0, 0), vec(0, 0, 0)));
    support_run(world, 15, FRAME);
    assert_close(speed(world, p).x, 0.2 * GRAVITY * 0.25, 0.02);
    support_run(world, 60, FRAME);
    assert_vec_close(speed(world, p), vec(1, 0, 0), 1e-3);
    double gap = (double)place(world, p).x;
    support_run(world, 60, FRAME);
    assert_close((double)place(world, p).x - gap, 1, 1e-3);
    sn_world_destroy(world);
}

/* A disc that turns holds what lies within mu g / w^2 of its axis, and throws off the rest. */
static void disc_throws_off(void **state)
{
    (void)state;
    const double friction = 0.5, spin = 5, limit = friction * GRAVITY / (spin * spin);
    for (int out = 0; out < 2; ++out) {
        double radius = limit * (out ? 1.1 : 0.9);
        sn_world *world = support_world();
        sn_body disc = fixed_add_box(world, vec(0, -0.5, 0), vec(20, 0.5, 20));
        set_materials(world, friction, 0);
        assert_ok(world, sn_body_set_velocity(world, disc, vec(0, 0, 0), vec(0, spin, 0)));
        sn_particle p = flying_ball(world, vec(radius, 0.01, 0), vec(0, 0, -spin * radius), 1, 0.01);
        support_run(world, 180, FRAME);
        sn_vec3 x = place(world, p);
        double now = hypot((double)x.x, (double)x.z);
        if (out)
            assert_true(now > 2 * limit);
        else
            assert_close(now, radius, 0.03 * radius);
        sn_world_destroy(world);
    }
}

/* A wall that comes along pushes a ball before it, and one that arrives fast bats it. */
static void wall_pushes(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_body contact = fixed_add_box(world, vec(-1, 0, 0), vec(0.5, 1, 1));
    sn_particle p = ball(world, vec(0, 0, 0), 1, 0.1);
    for (uint32_t i = 0; i < 60; ++i) {
        sn_quat upright = {0, 0, 0, 1};
        assert_ok(world, sn_body_move_to(world, contact, vec(-1 + 2 * FRAME * (i + 1), 0, 0), upright));
        support_run(world, 1, FRAME);
    }
    assert_vec_close(place(world, p), vec(1 + 0.5 + 0.1, 0, 0), 1e-3);
    assert_vec_close(speed(world, p), vec(2, 0, 0), 1e-3);
    support_run(world, 60, FRAME); /* the wall stands, the ball flies on */
    assert_close(place(world, p).x, 3.6, 0.05);
    sn_world_destroy(world);
}

/* A box of particles and rods, pushed by a wall over a floor, comes along and stays whole. */
static void wall_pushes_a_box(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle corner[8];
    add_floor(world);
    sn_body contact = fixed_add_box(world, vec(-0.5, 0.5, 0), vec(0.1, 0.5, 2));
    for (int i = 0; i < 8; ++i) {
        corner[i] = ball(world, vec(i & 1 ? 0.4 : 0, i & 2 ? 0.42 : 0.02, i & 4 ? 0.4 : 0), 1, 0.02);
        for (int j = 0; j < i; ++j)
            sn_constraint_add_distance(world, sn_at(corner[i]), sn_at(corner[j]),
                                       real(support_gap(place(world, corner[i]), place(world, corner[j]))));
    }
    assert_ok(world, sn_body_set_velocity(world, contact, vec(0.5, 0, 0), vec(0, 0, 0)));
    support_run(world, 240, FRAME);
    double front = -0.5 + 0.5 * 4 + 0.1;
    for (int i = 0; i < 8; ++i) {
        assert_close(place(world, corner[i]).x, front + 0.02 + (i & 1 ? 0.4 : 0), 0.01);
        assert_close(place(world, corner[i]).y, i & 2 ? 0.42 : 0.02, 0.01);
        assert_close(speed(world, corner[i]).x, 0.5, 0.05);
    }
    sn_world_destroy(world);
}

/* A teleport has no velocity: what was in the way is parted from it without one, and what lay on it falls. */
static void teleport_does_not_bat(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_body contact = fixed_add_box(world, vec(-5, 0, 0), vec(0.5, 1, 1));
    sn_particle p = ball(world, vec(0, 0, 0), 1, 0.1);
    sn_quat upright = {0, 0, 0, 1};
    support_run(world, 2, FRAME);
    assert_ok(world, sn_body_set_pose(world, contact, vec(-0.55, 0, 0), upright));
    support_run(world, 120, FRAME);
    assert_close(place(world, p).x, 0.05, 0.002);
    assert_true(length(speed(world, p)) < 1e-3);
    sn_world_destroy(world);
}

/* ---- Who collides with whom ------------------------------------------------------------------------------------------------ */

/* Two balls fly at each other; m/s that the first has afterwards. */
static double contact(sn_world *world, uint32_t group_a, uint32_t group_b, bool joined)
{
    sn_particle a = flying_ball(world, vec(-0.3, 0, 0), vec(1, 0, 0), 1, 0.1);
    sn_particle b = flying_ball(world, vec(0.3, 0, 0), vec(-1, 0, 0), 1, 0.1);
    assert_ok(world, sn_particle_set_group(world, a, group_a));
    assert_ok(world, sn_particle_set_group(world, b, group_b));
    if (joined)
        sn_constraint_add_distance_max(world, sn_at(a), sn_at(b), 10);
    support_run(world, 60, FRAME);
    double after = (double)speed(world, a).x;
    sn_world_destroy(world);
    return after;
}

static sn_world *world_with_group(uint32_t group, uint32_t category, uint32_t mask, bool self)
{
    sn_world *world = support_void();
    sn_group_contact contact = sn_default_group_contact(group);
    contact.category = category;
    contact.mask = mask;
    contact.self = self;
    assert_ok(world, sn_world_set_group_contact(world, group, &contact));
    return world;
}

static void groups_and_filters(void **state)
{
    (void)state;
    const double passes = 1, stops = 0, much = 1e-4;
    assert_close(contact(support_void(), 0, 0, false), stops, much);
    assert_close(contact(support_void(), 1, 1, false), passes, much);
    assert_close(contact(support_void(), 1, 2, false), stops, much);
    assert_close(contact(support_void(), 0, 0, true), passes, much);
    assert_close(contact(support_void(), 1, 2, true), passes, much);
    assert_close(contact(world_with_group(1, 1, UINT32_MAX, true), 1, 1, false), stops, much);
    assert_close(contact(world_with_group(0, 1, UINT32_MAX, false), 0, 0, false), passes, much);
    assert_close(contact(world_with_group(1, 2, UINT32_MAX, false), 0, 1, false), stops, much);
    assert_close(contact(world_with_group(1, 2, 2, false), 0, 1, false), passes, much); /* 1 does not want 0 */
    assert_close(contact(world_with_group(0, 1, 2, true), 0, 1, false), passes, much);
    assert_close(contact(world_with_group(1, 0, UINT32_MAX, false), 0, 1, false), passes, much);
}

static void settings_switch_contact_off(void **state)
{
    (void)state;
    for (int which = 0; which < 2; ++which) {
        sn_world *world = support_void();
        sn_contact_settings settings = sn_default_contact_settings();
        settings.on = which != 0;
        settings.particles = which != 1;
        assert_ok(world, sn_world_set_contact_settings(world, &settings));
        add_floor(world);
        sn_particle p = flying_ball(world, vec(5, 1, 0), vec(0, -1, 0), 1, 0.1);
        support_run(world, 120, FRAME);
        assert_close(place(world, p).y, which == 0 ? -1 : 0.1, 1e-3);
        assert_ok(world, sn_particle_remove(world, p));
        assert_ok(world, sn_body_remove(world, sn_body_from_index(world, 0)));
        assert_close(contact(world, 0, 0, false), 1, 1e-4);
    }
}

/* m: where a ball that falls onto a fixed shape is after a second. */
static double fall_on(sn_world *world)
{
    sn_particle p = flying_ball(world, vec(0, 0.5, 0), vec(0, -1, 0), 1, 0.1);
    support_run(world, 60, FRAME);
    double y = (double)place(world, p).y;
    sn_world_destroy(world);
    return y;
}

static void fixed_shapes_filter_and_sense(void **state)
{
    (void)state;
    fixed_def def = default_fixed();
    sn_body floor;
    sn_world *world = support_void();
    add_floor(world);
    assert_close(fall_on(world), 0.1, 1e-3);
    world = support_void();
    assert_ok(world, sn_body_set_filter(world, add_floor(world), 0, &(sn_filter){2, UINT32_MAX}));
    assert_close(fall_on(world), 0.1, 1e-3);
    world = support_void();
    assert_ok(world, sn_body_set_filter(world, add_floor(world), 0, &(sn_filter){1, 2}));
    assert_close(fall_on(world), -0.5, 1e-3);
    world = world_with_group(0, 1, 2, true);
    add_floor(world);
    assert_close(fall_on(world), -0.5, 1e-3);
    world = support_void();
    def.sensor = true;
    assert_ok(world, fixed_add(world, &def, &floor));
    assert_close(fall_on(world), -0.5, 1e-5);
    world = support_void();
    assert_ok(world, sn_body_remove(world, add_floor(world)));
    assert_close(fall_on(world), -0.5, 1e-3);
}

/* Two of a group that were near in its rest shape never collide, others of the group do. */
static void near_in_the_rest_shape(void **state)
{
    (void)state;
    for (int gap = 0; gap < 2; ++gap)
        for (int taken = 0; taken < 2; ++taken) {
            sn_world *world = support_void();
            sn_group_contact contact = sn_default_group_contact(3);
            contact.self = true;
            contact.rest_gap = real(gap ? 0.2 : 0);
            assert_ok(world, sn_world_set_group_contact(world, 3, &contact));
            sn_particle p[3];
            for (int i = 0; i < 3; ++i) { /* 0.3 and 0.7 apart; radii 0.1 */
                p[i] = ball(world, vec(i == 0 ? 0 : i == 1 ? 0.3 : 1, 0, 0), 1, 0.1);
                assert_ok(world, sn_particle_set_group(world, p[i], 3));
            }
            if (taken)
                assert_ok(world, sn_world_take_rest_shape(world, 3));
            assert_ok(world, sn_particle_set_velocity(world, p[0], vec(1, 0, 0)));
            support_run(world, 21, FRAME); /* 0.35 m */
            bool left_alone = gap && taken;
            assert_close(speed(world, p[0]).x, left_alone ? 1 : 0.5, 1e-3);
            support_run(world, 120, FRAME);
            assert_true((double)speed(world, p[2]).x > 0.1); /* whoever came along first */
            sn_world_destroy(world);
        }
}

/* A ball without a radius touches fixed shapes and no balls. */
static void points_meet_fixed_shapes_only(void **state)
{
    (void)state;
    sn_world *world = support_void();
    add_floor(world);
    sn_particle a = flying_ball(world, vec(-0.3, 0.5, 0), vec(1, 0, 0), 1, 0);
    ball(world, vec(0, 0.5, 0), 1, 0.1);
    sn_particle c = flying_ball(world, vec(2, 0.5, 0), vec(0, -1, 0), 1, 0);
    support_run(world, 60, FRAME);
    assert_vec_close(speed(world, a), vec(1, 0, 0), 1e-5);
    assert_close(place(world, c).y, 0, 1e-5);
    sn_world_destroy(world);
}

/* In a flat world everything stays flat. */
static void flat_worlds(void **state)
{
    (void)state;
    sn_world *world = support_world_2d();
    add_floor(world);
    for (uint32_t i = 0; i < 30; ++i)
        ball(world, vec(0.11 * (i % 6) + 0.003 * (i / 6), 0.06 + 0.11 * (i / 6), 0), 1, 0.05);
    add_plane(world, vec(-0.3, 0, 0), vec(1, 0, 0));
    add_plane(world, vec(0.7, 0, 0), vec(-1, 0, 0));
    support_run(world, 300, FRAME);
    for (uint32_t i = 0; i < 30; ++i) {
        sn_vec3 x = place(world, sn_particle_from_index(world, i));
        assert_true(x.z == 0 && (double)x.y > 0.049);
        assert_true(speed(world, sn_particle_from_index(world, i)).z == 0);
    }
    assert_true(deepest_overlap(world) < 0.02);
    sn_world_destroy(world);
}

/* ---- A rope over a pole ------------------------------------------------------------------------------------------------------- */

enum { ROPE_ON_POLE = 20, ROPE_HANGS = 10, ROPE_NODES = ROPE_ON_POLE + 2 * ROPE_HANGS + 1 };

/* Where the nodes of a rope over a pole along z are: they hang, lie on it, and hang again. */
static sn_vec3 rope_place(int i, double radius)
{
    double step = PI * radius / ROPE_ON_POLE, angle = PI - (i - ROPE_HANGS) * PI / ROPE_ON_POLE;
    if (i < ROPE_HANGS)
        return vec(-radius, -step * (ROPE_HANGS - i), 0);
    if (i > ROPE_HANGS + ROPE_ON_POLE)
        return vec(radius, -step * (i - ROPE_HANGS - ROPE_ON_POLE), 0);
    return vec(radius * cos(angle), radius * sin(angle), 0);
}

/* m: how far the heavy end has sunk in half a second. At the ends of the rope, which is light, hang weights of this ratio. */
static double slip_over_pole(double friction, double ratio)
{
    const double pole = 0.2, thick = 0.01, light = 0.003;
    sn_world *world = support_world();
    sn_particle node[ROPE_NODES];
    sn_settings settings = sn_world_settings(world);
    settings.substeps = 20;
    settings.solver = SN_SOLVER_DIRECT;
    assert_ok(world, sn_world_configure(world, &settings));
    fixed_add_capsule(world, vec(0, 0, -1), vec(0, 0, 1), real(pole));
    set_materials(world, friction, 0);
    for (int i = 0; i < ROPE_NODES; ++i) {
        node[i] = ball(world, rope_place(i, pole + thick), i == 0 ? 1 : i == ROPE_NODES - 1 ? ratio : light, thick);
        if (i)
            sn_constraint_add_distance(world, sn_at(node[i - 1]), sn_at(node[i]),
                                       real(support_gap(place(world, node[i - 1]), place(world, node[i]))));
    }
    support_run(world, 6, FRAME);
    double before = (double)place(world, node[ROPE_NODES - 1]).y;
    support_run(world, 30, FRAME);
    double way = before - (double)place(world, node[ROPE_NODES - 1]).y;
    sn_world_destroy(world);
    return way;
}

/* Euler and Eytelwein: a rope around half a pole holds e^(mu pi) times what pulls at its other end. */
static void rope_over_a_pole(void **state)
{
    (void)state;
    static const double friction[] = {0.2, 0.4};
    for (size_t i = 0; i < COUNT_OF(friction); ++i) {
        double most = exp(friction[i] * PI);
        assert_true(fabs(slip_over_pole(friction[i], 0.9 * most)) < 0.005);
        assert_true(fabs(slip_over_pole(friction[i], 1.1 / most)) < 0.005); /* this end holds the other one */
        assert_true(slip_over_pole(friction[i], 1.1 * most) > 0.04);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_comes_to_rest),
        cmocka_unit_test(friction_holds_on_a_slope),
        cmocka_unit_test(sliding_accelerates_as_it_should),
        cmocka_unit_test(static_and_dynamic_friction_differ),
        cmocka_unit_test(mass_does_not_matter_to_friction),
        cmocka_unit_test(stack_in_a_tube_rests),
        cmocka_unit_test(pile_in_a_box_rests),
        cmocka_unit_test(balls_collide_head_on),
        cmocka_unit_test(balls_collide_off_centre),
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(newtons_cradle),
        cmocka_unit_test(restitution_of_the_floor),
        cmocka_unit_test(slow_impacts_do_not_bounce),
        cmocka_unit_test(overlap_is_parted_gently),
        cmocka_unit_test(overlap_with_fixed_shapes_is_parted),
        cmocka_unit_test(moving_floor_carries),
        cmocka_unit_test(disc_throws_off),
        cmocka_unit_test(wall_pushes),
        cmocka_unit_test(wall_pushes_a_box),
        cmocka_unit_test(teleport_does_not_bat),
        cmocka_unit_test(groups_and_filters),
        cmocka_unit_test(settings_switch_contact_off),
        cmocka_unit_test(fixed_shapes_filter_and_sense),
        cmocka_unit_test(near_in_the_rest_shape),
        cmocka_unit_test(points_meet_fixed_shapes_only),
        cmocka_unit_test(flat_worlds),
        cmocka_unit_test(rope_over_a_pole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
