/* Sleep: what rests falls asleep, stays as it is, and wakes when something happens to it. */
#include "world/contact_worlds.h"

#include "world/world.h"

static sn_world *sleepy_world_from(sn_world_def def)
{
    return contact_world(def, true, false);
}

static sn_world *sleepy_world(void)
{
    return sleepy_world_from(sn_default_world_def());
}

/* Steps until so many are awake. */
static void run_until_awake(sn_world *world, uint32_t awake, uint32_t most)
{
    for (uint32_t i = 0; sn_world_awake_count(world) != awake; ++i) {
        assert_true(i < most);
        step(world);
    }
}

static void run_until_asleep(sn_world *world)
{
    run_until_awake(world, 0, 900);
}

static sn_particle number(const sn_world *world, uint32_t index)
{
    return sn_particle_from_index(world, index);
}

/* A pyramid of balls with its first corner there: 9 below, 4 above, and one on top. */
static sn_particles pyramid(sn_world *world, double x)
{
    sn_real xyz[14 * 3], *at = xyz;
    for (int layer = 0; layer < 3; ++layer)
        for (int i = 0; i < (3 - layer) * (3 - layer); ++i) {
            int side = 3 - layer;
            *at++ = real(x + 0.2 * (i % side) + 0.1 * layer);
            *at++ = real(0.1 + 0.1 * sqrt(2.0) * layer);
            *at++ = real(0.2 * (i / side) + 0.1 * layer);
        }
    sn_particles run = sn_particles_add(world, 14, xyz, 0, real(0.5));
    for (uint32_t i = 0; i < run.count; ++i)
        assert_ok(world, sn_particle_set_radius(world, sn_particles_at(run, i), real(0.1)));
    return run;
}

/* Balls that fall on the gaps between others, so that they come to lie in a heap. */
static void heap(sn_world *world, uint32_t count)
{
    uint64_t seed = 3;
    add_tub(world, 0.6, 0.6);
    for (uint32_t i = 0; i < count; ++i) {
        double shift = i / 25 % 2 * 0.05;
        ball(world,
             vec(-0.25 + shift + 0.11 * (i % 5) + support_random_in(&seed, 0, 0.01), 0.06 + 0.11 * (i / 25),
                 -0.25 + shift + 0.11 * (i / 5 % 5) + support_random_in(&seed, 0, 0.01)),
             1, 0.05);
    }
    set_materials(world, 0.2, 0);
}

static void set_friction(sn_world *world)
{
    set_materials(world, 0.8, 0);
}

/* ---- Falling asleep -------------------------------------------------------------------------------------------------------- */

static void pile_sleeps_and_stays_as_it_is(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    heap(world, 120);
    step(world);
    assert_int_equal(sn_world_awake_count(world), 120);
    support_run(world, 40, FRAME);
    assert_true(world->contacts.pairs[SN_PAIRS_FIRST].near.pairs > 200);
    run_until_asleep(world);
    whereabouts then;
    look(world, &then);
    step(world);
    assert_int_equal(world->contacts.pairs[SN_PAIRS_FIRST].near.pairs, 0);
    assert_int_equal(world->contacts.static_contacts, 0);
    assert_true(deepest_overlap(world) < 0.02);
    uint32_t normal_impulse = world->contact.impulse_table.count;
    assert_true(normal_impulse > 200);
    for (int i = 0; i < 600; ++i) {
        step(world);
        assert_int_equal(sn_world_awake_count(world), 0);
    }
    assert_int_equal(world->contact.impulse_table.count, normal_impulse);
    for (uint32_t i = 0; i < 120; ++i) {
        assert_vec_same(place(world, number(world, i)), then.at[i]);
        assert_vec_same(speed(world, number(world, i)), vec(0, 0, 0));
        assert_false(sn_particle_is_awake(world, number(world, i)));
        assert_true(sn_particle_mass(world, number(world, i)) == 1);
        assert_true(sn_particle_inverse_mass(world, number(world, i)) == 1);
    }
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    assert_close(report.mass, 120, 1e-9);
    assert_true(report.kinetic == 0 && report.momentum[1] == 0);
    assert_int_equal(report.particles, 120);
    sn_world_destroy(world);
}

/* A tall pile that wakes is as it was: what each ball carries is known, so that the pile does not sag, and falls asleep
   again. Without that it would come down by millimetres. */
static void waking_does_not_disturb(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    sn_contact_settings settings = sn_world_contact_settings(world);
    settings.sleep_speed = real(0.01); /* so slow that what sleeps hardly moved */
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    uint64_t seed = 3;
    add_tub(world, 0.25, 0.25);
    for (int i = 0; i < 60; ++i)
        ball(world,
             vec(-0.06 + 0.11 * (i % 2) + support_random_in(&seed, 0, 0.01), 0.06 + 0.11 * (i / 4),
                 -0.06 + 0.11 * (i / 2 % 2) + support_random_in(&seed, 0, 0.01)),
             1, 0.05);
    run_until_asleep(world);
    whereabouts then;
    look(world, &then);
    for (uint32_t i = 0; i < 60; ++i)
        assert_ok(world, sn_particle_wake(world, number(world, i)));
    assert_int_equal(sn_world_awake_count(world), 60);
    double fastest = 0;
    for (int i = 0; i < 20; ++i) {
        step(world);
        for (uint32_t k = 0; k < 60; ++k)
            fastest = fmax(fastest, length(speed(world, number(world, k))));
    }
    assert_true(fastest < 0.002);
    assert_true(farthest(world, &then) < 2e-4);
    run_until_asleep(world);
    sn_world_destroy(world);
}

/* Nothing that moves, or that nothing holds, sleeps. What hangs at rest does. */
static void what_swings_or_flies_does_not_sleep(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    sn_particle anchor = sn_particle_add_at(world, vec(0, 2, 0), SN_IMMOVABLE);
    sn_particle bob = ball(world, vec(0, 1, 0), 1, 0.1);
    sn_point points[] = {sn_at(anchor), sn_at(bob)};
    sn_constraint_def rod = sn_default_constraint_def(SN_KIND_DISTANCE);
    rod.points = points;
    assert_ok(world, sn_constraint_add(world, &rod, NULL));
    add_floor(world);
    assert_ok(world, sn_particle_set_velocity(world, bob, vec(0.2, 0, 0)));
    support_run(world, 600, FRAME); /* it swings */
    assert_int_equal(sn_world_awake_count(world), 2);
    assert_ok(world, sn_particle_set_position(world, bob, vec(0, 1, 0)));
    assert_ok(world, sn_particle_set_velocity(world, bob, vec(0, 0, 0)));
    run_until_awake(world, 1, 60); /* it hangs, at rest */
    assert_ok(world, sn_particle_apply_impulse(world, bob, vec(0.2, 0, 0)));
    assert_int_equal(sn_world_awake_count(world), 2);
    set_gravity(world, vec(0, 0, 0));
    ball(world, vec(5, 1, 0), 1, 0.1); /* floats */
    support_run(world, 120, FRAME);
    assert_int_equal(sn_world_awake_count(world), 3);
    assert_ok(world, sn_particle_set_position(world, bob, vec(0, 1, 0)));
    assert_ok(world, sn_particle_set_velocity(world, bob, vec(0, 0, 0)));
    set_gravity(world, vec(0, -9.81, 0));
    run_until_awake(world, 1, 300); /* that one fell */
    sn_world_destroy(world);
}

static void off_means_never(void **state)
{
    (void)state;
    sn_world *worlds[2] = {support_world(), sleepy_world()};
    for (int i = 0; i < 2; ++i) {
        add_floor(worlds[i]);
        pyramid(worlds[i], 0);
        set_friction(worlds[i]);
    }
    sn_contact_settings settings = sn_world_contact_settings(worlds[1]);
    settings.sleep_time = 2;
    assert_ok(worlds[1], sn_world_set_contact_settings(worlds[1], &settings));
    support_run(worlds[0], 110, FRAME);
    support_run(worlds[1], 110, FRAME);
    for (uint32_t i = 0; i < 14; ++i) { /* as long as nobody sleeps, it is the same */
        assert_vec_same(place(worlds[0], number(worlds[0], i)), place(worlds[1], number(worlds[1], i)));
        assert_vec_same(speed(worlds[0], number(worlds[0], i)), speed(worlds[1], number(worlds[1], i)));
    }
    support_run(worlds[0], 100, FRAME);
    assert_int_equal(sn_world_awake_count(worlds[0]), 14);
    run_until_asleep(worlds[1]);
    settings.sleep = false;
    assert_ok(worlds[1], sn_world_set_contact_settings(worlds[1], &settings));
    assert_int_equal(sn_world_awake_count(worlds[1]), 14);
    support_run(worlds[1], 300, FRAME);
    assert_int_equal(sn_world_awake_count(worlds[1]), 14);
    assert_int_equal(sn_world_awake_count(NULL), 0);
    assert_false(sn_particle_is_awake(NULL, (sn_particle){0}));
    assert_false(sn_particle_is_awake(worlds[1], (sn_particle){77, 1}));
    assert_result(worlds[1], SN_ERROR_STALE, sn_particle_wake(worlds[1], (sn_particle){77, 1}));
    sn_world_destroy(worlds[0]);
    sn_world_destroy(worlds[1]);
}

/* A cloth on the floor, held together by constraints, sleeps and wakes as one; one whose corner is held aloft does not touch with
   that corner, but with others. */
static void sheet_sleeps_as_one(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    add_floor(world);
    enum { SIDE = 6 };
    for (int i = 0; i < SIDE * SIDE; ++i)
        ball(world, vec(0.1 * (i % SIDE), 0.05, 0.1 * (i / SIDE)), 0.1, 0.02);
    sn_constraint_def rod = sn_default_constraint_def(SN_KIND_DISTANCE);
    for (uint32_t i = 0; i < SIDE * SIDE; ++i)
        for (uint32_t k = 0; k < 2; ++k) {
            uint32_t other = i + (k ? SIDE : 1);
            if (k ? other >= SIDE * SIDE : other % SIDE == 0)
                continue;
            sn_point points[] = {sn_at(number(world, i)), sn_at(number(world, other))};
            rod.points = points;
            assert_ok(world, sn_constraint_add(world, &rod, NULL));
        }
    run_until_asleep(world);
    support_run(world, 10, FRAME);
    assert_ok(world, sn_particle_apply_impulse(world, number(world, 0), vec(0, 0.3, 0)));
    assert_int_equal(sn_world_awake_count(world), SIDE * SIDE);
    support_run(world, 5, FRAME);
    assert_true((double)place(world, number(world, 0)).y > 0.03);
    run_until_asleep(world);
    sn_world_destroy(world);
}

/* ---- Waking: others ---------------------------------------------------------------------------------------------------------- */

static void ball_wakes_the_pile_that_it_hits(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    add_floor(world);
    sn_particles left = pyramid(world, 0), right = pyramid(world, 5);
    set_friction(world);
    run_until_asleep(world);
    whereabouts then;
    look(world, &then);
    sn_particle p = flying_ball(world, vec(0.2, 3, 0.2), vec(0, -3, 0), 2, 0.1);
    step(world);
    assert_int_equal(sn_world_awake_count(world), 1); /* it is still in the air */
    assert_true(sn_particle_is_awake(world, p));
    run_until_awake(world, 15, 60);
    step(world);
    for (uint32_t i = 0; i < 14; ++i) {
        assert_true(sn_particle_is_awake(world, sn_particles_at(left, i)));
        assert_false(sn_particle_is_awake(world, sn_particles_at(right, i)));
        assert_vec_same(place(world, sn_particles_at(right, i)), then.at[14 + i]);
    }
    support_run(world, 3, FRAME);
    double most = 0;
    for (uint32_t i = 0; i < 14; ++i)
        most = fmax(most, length(speed(world, sn_particles_at(left, i))));
    assert_true(most > 0.1);
    run_until_asleep(world);
    sn_world_destroy(world);
}

/* The blow that wakes it is not lost: momentum is what the ball brought. */
static void blow_is_not_lost(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    add_floor(world);
    sn_particle target = ball(world, vec(0, 0.1, 0), 1, 0.1);
    set_materials(world, 0, 1);
    run_until_asleep(world);
    sn_particle p = flying_ball(world, vec(-1, 0.1, 0), vec(5, 0, 0), 1, 0.1);
    support_run(world, 12, FRAME);
    assert_true(sn_particle_is_awake(world, target));
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    assert_close(report.momentum[0], 5, 0.01);
    assert_close(speed(world, target).x, 5, 0.05);
    assert_close(speed(world, p).x, 0, 0.05);
    sn_world_destroy(world);
}

/* A bullet that passes by wakes nobody, one that grazes does. */
static void passing_by_wakes_nobody(void **state)
{
    (void)state;
    for (int hits = 0; hits < 2; ++hits) {
        sn_world *world = sleepy_world();
        add_floor(world);
        sn_particle p = ball(world, vec(0, 0.1, 0), 1, 0.1);
        run_until_asleep(world);
        flying_ball(world, vec(-5, hits ? 0.25 : 0.4, 0), vec(300, 0, 0), 0.01, 0.1);
        support_run(world, 2, FRAME);
        assert_int_equal(sn_particle_is_awake(world, p), hits);
        sn_world_destroy(world);
    }
}

/* Somebody slow may lie down on sleepers, and sleeps with them from then on. */
static void who_lies_down_joins(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    add_floor(world);
    sn_particles below = pyramid(world, 0);
    set_friction(world);
    run_until_asleep(world);
    sn_vec3 top = place(world, sn_particles_at(below, 13));
    sn_particle p = ball(world, vec((double)top.x, (double)top.y + 0.2, (double)top.z), 0.5, 0.1);
    run_until_asleep(world);
    assert_close(place(world, p).y, (double)top.y + 0.2, 0.002);
    assert_ok(world, sn_particle_wake(world, p));
    assert_int_equal(sn_world_awake_count(world), 15);
    sn_world_destroy(world);
}

static sn_particles triangle(sn_world *world, sn_vec3 at, double mass)
{
    static const double shape[3][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0, 0.7}};
    sn_real xyz[9];
    for (uint32_t i = 0; i < 3; ++i) {
        xyz[3 * i] = at.x + real(shape[i][0]);
        xyz[3 * i + 1] = at.y;
        xyz[3 * i + 2] = at.z + real(shape[i][1]);
    }
    sn_particles run = sn_particles_add(world, 3, xyz, 0, real(mass));
    for (uint32_t i = 0; i < 3; ++i)
        assert_ok(world, sn_particle_set_group(world, sn_particles_at(run, i), 1));
    uint32_t corner[] = {run.first, run.first + 2, run.first + 1};
    sn_skin_def def = sn_default_skin_def();
    def.triangles = corner;
    def.triangle_count = 1;
    assert_ok(world, sn_skin_add(world, &def, NULL));
    return run;
}

static void move_by(sn_world *world, sn_particles run, sn_vec3 by)
{
    for (uint32_t i = 0; i < run.count; ++i) {
        sn_vec3 to = place(world, sn_particles_at(run, i));
        assert_ok(world, sn_particle_move_to(world, sn_particles_at(run, i),
                                             vec((double)to.x + (double)by.x, (double)to.y + (double)by.y,
                                                 (double)to.z + (double)by.z)));
    }
}

/* A ball on a triangle that is held: it sleeps, and wakes when the triangle is moved, or comes to one that lies elsewhere. */
static void skins_that_are_led_wake(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.settings.solver = SN_SOLVER_GAUSS_SEIDEL;
    sn_world *world = sleepy_world_from(def);
    add_floor(world);
    sn_particles tray = triangle(world, vec(0, 1, 0), (double)SN_IMMOVABLE);
    sn_particle on_it = ball(world, vec(0, 1.1, 0), 1, 0.1), below = ball(world, vec(3, 0.1, 0), 1, 0.1);
    run_until_awake(world, 3, 300);
    assert_false(sn_particle_is_awake(world, on_it) || sn_particle_is_awake(world, below));
    support_run(world, 10, FRAME);
    assert_close(place(world, on_it).y, 1.1, 0.002);
    move_by(world, tray, vec(0, 0, 0)); /* held where it is */
    step(world);
    assert_int_equal(sn_world_awake_count(world), 3);
    for (int i = 0; i < 30; ++i) { /* slowly, and it is carried along */
        move_by(world, tray, vec(0.0001, 0, 0));
        step(world);
        assert_true(sn_particle_is_awake(world, on_it));
        assert_false(sn_particle_is_awake(world, below));
    }
    assert_close(place(world, on_it).x, 0.003, 0.0005);
    assert_ok(world, sn_particle_remove(world, on_it));
    for (uint32_t i = 0; i < 3; ++i) {
        sn_vec3 to = place(world, sn_particles_at(tray, i));
        assert_ok(world,
                  sn_particle_set_position(world, sn_particles_at(tray, i), vec((double)to.x + 3, 0.4, (double)to.z)));
    }
    step(world);
    assert_false(sn_particle_is_awake(world, below));
    for (int i = 0; i < 20 && !sn_particle_is_awake(world, below); ++i) {
        move_by(world, tray, vec(0, -0.02, 0));
        step(world);
    }
    assert_true(sn_particle_is_awake(world, below));
    assert_true((double)place(world, sn_particles_at(tray, 0)).y > 0.17);
    sn_world_destroy(world);
}

/* A sheet that lies on something and what lies on it sleep together, and a ball that falls on it wakes both. */
static void sheet_wakes_with_what_lies_on_it(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    add_floor(world);
    sn_particles sheet = triangle(world, vec(0, 0.001, 0), 1);
    for (uint32_t i = 0; i < 3; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            sn_point points[] = {sn_at(sn_particles_at(sheet, i)), sn_at(sn_particles_at(sheet, k))};
            sn_constraint_def rod = sn_default_constraint_def(SN_KIND_DISTANCE);
            rod.points = points;
            assert_ok(world, sn_constraint_add(world, &rod, NULL));
        }
    sn_contact_settings settings = sn_world_contact_settings(world);
    sn_group_contact ghost = sn_default_group_contact(0);
    ghost.mask = ghost.category = 2; /* it meets the sheet, not the floor */
    assert_ok(world, sn_world_set_group_contact(world, 0, &ghost));
    ghost.category = ghost.mask = 3;
    assert_ok(world, sn_world_set_group_contact(world, 1, &ghost));
    settings.sleep_speed = real(0.02);
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    sn_particle lies = ball(world, vec(-0.15, 0.101, -0.1), 0.2, 0.1);
    run_until_asleep(world);
    sn_vec3 then = place(world, lies);
    support_run(world, 60, FRAME);
    assert_vec_same(place(world, lies), then);
    sn_particle falls = flying_ball(world, vec(0.2, 0.6, 0), vec(0, -3, 0), 0.5, 0.1);
    support_run(world, 2, FRAME);
    assert_int_equal(sn_world_awake_count(world), 1);
    support_run(world, 20, FRAME);
    assert_true(sn_particle_is_awake(world, lies) && sn_particle_is_awake(world, sn_particles_at(sheet, 0)));
    assert_true((double)place(world, falls).y > 0.05);
    sn_world_destroy(world);
}

/* ---- Waking: fixed shapes --------------------------------------------------------------------------------------------------------- */

typedef enum fixed_shape_edit {
    REMOVE,
    POSE,
    MOVE,
    VELOCITY,
    FILTER,
    MATERIAL,
    ADD_FAR,
    ADD_NEAR,
    POSE_OTHER,
    MOVE_OTHER,
    FIXED_EDITS
} fixed_shape_edit;

static void edit_fixed_shape(sn_world *world, sn_body floor, sn_body other, fixed_shape_edit edit)
{
    sn_quat none = {0, 0, 0, 1};
    sn_contact_material ice = material(0, 0);
    switch (edit) {
    case REMOVE:
        assert_ok(world, sn_body_remove(world, floor));
        break;
    case POSE:
        assert_ok(world, sn_body_set_pose(world, floor, vec(0, -1, 0), none));
        break;
    case MOVE:
        assert_ok(world, sn_body_move_to(world, floor, vec(0, -0.01, 0), none));
        break;
    case VELOCITY:
        assert_ok(world, sn_body_set_velocity(world, floor, vec(0, 0, 0), vec(0, 0.1, 0)));
        break;
    case FILTER:
        assert_ok(world, sn_body_set_filter(world, floor, 0, &(sn_filter){1, 0}));
        break;
    case MATERIAL:
        assert_ok(world, sn_body_set_material(world, floor, 0, &ice));
        break;
    case ADD_FAR:
        fixed_add_sphere(world, vec(0, 5, 0), 1);
        break;
    case ADD_NEAR:
        fixed_add_sphere(world, vec(0, 1, 0), real(0.81));
        break;
    case POSE_OTHER:
        assert_ok(world, sn_body_set_pose(world, other, vec(0, 0.65, 0), none));
        break;
    case MOVE_OTHER:
        assert_ok(world, sn_body_set_velocity(world, other, vec(-30, 0, 0), vec(0, 0, 0)));
        break;
    case FIXED_EDITS:
        break;
    }
}

static void fixed_shapes_wake(void **state)
{
    (void)state;
    for (int edit = 0; edit < FIXED_EDITS; ++edit) {
        sn_world *world = sleepy_world();
        sn_body floor = add_floor(world), other = fixed_add_sphere(world, vec(2, 0.5, 0), real(0.5));
        sn_particle near = ball(world, vec(0, 0.1, 0), 1, 0.1), far = ball(world, vec(0, 0.1, 9), 1, 0.1);
        run_until_asleep(world);
        edit_fixed_shape(world, floor, other, (fixed_shape_edit)edit);
        if (edit == MOVE_OTHER) {
            step(world);
            assert_int_equal(sn_world_awake_count(world), 0); /* 1.5 m away, and comes 0.5 m */
            support_run(world, 4, FRAME);
        } else {
            step(world);
        }
        bool all =
            edit == REMOVE || edit == POSE || edit == MOVE || edit == VELOCITY || edit == FILTER || edit == MATERIAL;
        assert_int_equal(sn_particle_is_awake(world, near), edit != ADD_FAR);
        assert_int_equal(sn_particle_is_awake(world, far), all);
        if (edit == REMOVE || edit == POSE || edit == FILTER)
            assert_true((double)speed(world, far).y < -0.1); /* it falls */
        sn_world_destroy(world);
    }
}

/* What lies on something that moves does not sleep, however slowly. */
static void moving_floor_keeps_awake(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    sn_body floor = fixed_add_box(world, vec(0, -0.5, 0), vec(5, 0.5, 5));
    sn_particle p = ball(world, vec(0, 0.1, 0), 1, 0.1);
    assert_ok(world, sn_body_set_velocity(world, floor, vec(0.005, 0, 0), vec(0, 0, 0)));
    support_run(world, 180, FRAME);
    assert_true(sn_particle_is_awake(world, p));
    assert_close(place(world, p).x, 0.015, 0.0005);
    assert_ok(world, sn_body_set_velocity(world, floor, vec(0, 0, 0), vec(0, 0, 0)));
    run_until_asleep(world);
    sn_world_destroy(world);
}

/* ---- Waking: edits ------------------------------------------------------------------------------------------------------------ */

typedef enum particle_edit {
    POSITION,
    SPEED,
    MASS,
    RADIUS,
    GROUP,
    FORCE,
    IMPULSE,
    TARGET,
    BULK_POSITION,
    BULK_SPEED,
    BULK_MASS,
    TIE,
    REMOVE_ONE,
    PARTICLE_EDITS
} particle_edit;

static void edit_particle(sn_world *world, sn_particles pile, particle_edit edit)
{
    sn_particle p = sn_particles_at(pile, 0), q = sn_particles_at(pile, 13);
    sn_vec3 x = place(world, p);
    sn_real many[14 * 3];
    switch (edit) {
    case POSITION:
        assert_ok(world, sn_particle_set_position(world, p, x));
        break;
    case SPEED:
        assert_ok(world, sn_particle_set_velocity(world, p, vec(0, 1, 0)));
        break;
    case MASS:
        assert_ok(world, sn_particle_set_mass(world, p, 2));
        break;
    case RADIUS:
        assert_ok(world, sn_particle_set_radius(world, p, real(0.11)));
        break;
    case GROUP:
        assert_ok(world, sn_particle_set_group(world, p, 3));
        break;
    case FORCE:
        assert_ok(world, sn_particle_apply_force(world, p, vec(0, 10, 0)));
        break;
    case IMPULSE:
        assert_ok(world, sn_particle_apply_impulse(world, p, vec(0, 1, 0)));
        break;
    case TARGET:
        assert_ok(world, sn_particle_move_to(world, p, x));
        break;
    case BULK_POSITION:
        assert_ok(world, sn_particles_read_positions(world, pile, many, 0));
        assert_ok(world, sn_particles_write_positions(world, pile, many, 0));
        break;
    case BULK_SPEED:
        assert_ok(world, sn_particles_read_velocities(world, pile, many, 0));
        assert_ok(world, sn_particles_write_velocities(world, pile, many, 0));
        break;
    case BULK_MASS:
        assert_ok(world, sn_particles_read_inverse_masses(world, pile, many, 0));
        assert_ok(world, sn_particles_write_inverse_masses(world, pile, many, 0));
        break;
    case TIE: {
        sn_point points[] = {sn_at(p), sn_at(q)};
        sn_constraint_def rod = sn_default_constraint_def(SN_KIND_DISTANCE);
        rod.points = points;
        assert_ok(world, sn_constraint_add(world, &rod, NULL));
        break;
    }
    case REMOVE_ONE:
        assert_ok(world, sn_particle_remove(world, p));
        break;
    case PARTICLE_EDITS:
        break;
    }
}

/* One of the two piles, at once. */
static void edits_wake(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    add_floor(world);
    sn_particles left = pyramid(world, 0), right = pyramid(world, 5);
    set_friction(world);
    run_until_asleep(world);
    sn_snapshot *asleep = sn_world_save(world);
    for (int edit = 0; edit < PARTICLE_EDITS; ++edit) {
        assert_ok(world, sn_world_load(world, asleep));
        assert_int_equal(sn_world_awake_count(world), 0);
        edit_particle(world, left, (particle_edit)edit);
        assert_int_equal(sn_world_awake_count(world), edit == REMOVE_ONE ? 13 : 14);
        step(world);
        assert_int_equal(sn_world_awake_count(world), edit == REMOVE_ONE ? 13 : 14);
        assert_false(sn_particle_is_awake(world, sn_particles_at(right, 0)));
    }
    assert_ok(world, sn_world_load(world, asleep));
    assert_ok(world, sn_particle_set_user(world, sn_particles_at(left, 0), 5)); /* nobody's business */
    assert_int_equal(sn_world_awake_count(world), 0);
    sn_snapshot_destroy(asleep);
    sn_world_destroy(world);
}

static sn_vec3 no_force(void *context, const sn_field_in *in)
{
    (void)context, (void)in;
    return (sn_vec3){0, 0, 0};
}

static void edits_of_the_world_wake_all(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    add_floor(world);
    pyramid(world, 0);
    set_friction(world);
    run_until_asleep(world);
    sn_snapshot *asleep = sn_world_save(world);
    for (int edit = 0; edit < 6; ++edit) {
        sn_settings settings = sn_world_settings(world);
        sn_group_contact group = sn_world_group_contact(world, 0);
        sn_contact_settings contact = sn_world_contact_settings(world);
        static const uint32_t triangle[] = {0, 1, 2};
        sn_skin_def skin = sn_default_skin_def();
        skin.triangles = triangle;
        skin.triangle_count = 1;
        uint32_t field;
        assert_ok(world, sn_world_load(world, asleep));
        assert_int_equal(sn_world_awake_count(world), 0);
        settings.gravity = vec(0, -5, 0);
        group.material.static_friction = group.material.dynamic_friction = real(0.1);
        contact.push_out = 2;
        if (edit == 0)
            assert_ok(world, sn_world_configure(world, &settings));
        else if (edit == 1)
            assert_ok(world, sn_world_set_group_contact(world, 0, &group));
        else if (edit == 2)
            assert_ok(world, sn_world_set_contact_settings(world, &contact));
        else if (edit == 3)
            assert_ok(world, sn_field_add(world, no_force, NULL, true, &field));
        else if (edit == 4)
            assert_ok(world, sn_skin_add(world, &skin, NULL));
        else
            assert_ok(world, sn_world_relax(world, NULL, NULL));
        assert_int_equal(sn_world_awake_count(world), 14);
    }
    sn_snapshot_destroy(asleep);
    sn_world_destroy(world);
}

/* Balls in a heap that leans on an immovable one, and a weight on a string that lies on the floor: they wake when that one is
   moved away, removed or let go. */
static void edits_of_the_immovable_wake(void **state)
{
    (void)state;
    for (int edit = 0; edit < 5; ++edit) {
        sn_world *world = sleepy_world();
        add_floor(world);
        sn_particle post = ball(world, vec(0, 0.1, 0), (double)SN_IMMOVABLE, 0.1);
        sn_particle on_it = ball(world, vec(0, 0.3, 0), 1, 0.1);
        sn_particle anchor = sn_particle_add_at(world, vec(5, 1, 0), SN_IMMOVABLE);
        sn_particle hangs = ball(world, vec(5, 0.1, 0), 1, 0.1);
        sn_point points[] = {sn_at(anchor), sn_at(hangs)};
        sn_constraint_def rod = sn_default_constraint_def(SN_KIND_DISTANCE);
        rod.points = points;
        assert_ok(world, sn_constraint_add(world, &rod, NULL));
        run_until_awake(world, 2, 300);
        assert_true(sn_particle_is_awake(world, post) && sn_particle_is_awake(world, anchor));
        assert_false(sn_particle_is_awake(world, on_it) || sn_particle_is_awake(world, hangs));
        sn_particle moved[] = {post, anchor};
        for (int i = 0; i < 2; ++i) {
            sn_vec3 to = place(world, moved[i]);
            to.z += real(0.5);
            if (edit == 0)
                assert_ok(world, sn_particle_set_position(world, moved[i], to));
            else if (edit == 1)
                assert_ok(world, sn_particle_move_to(world, moved[i], to));
            else if (edit == 2)
                assert_ok(world, sn_particle_set_mass(world, moved[i], 1));
            else if (edit == 3)
                assert_ok(world, sn_particle_remove(world, moved[i]));
            else /* nothing moves */
                assert_ok(world, sn_particle_move_to(world, moved[i], place(world, moved[i])));
        }
        step(world);
        assert_int_equal(sn_particle_is_awake(world, on_it), edit != 4);
        assert_int_equal(sn_particle_is_awake(world, hangs), edit != 4);
        sn_world_destroy(world);
    }
}

/* A particle that is put into a pile wakes it, whether it can move or not. */
static void newcomers_wake_whom_they_touch(void **state)
{
    (void)state;
    for (int fixed = 0; fixed < 2; ++fixed) {
        sn_world *world = sleepy_world();
        add_floor(world);
        sn_particle near = ball(world, vec(0, 0.1, 0), 1, 0.1), far = ball(world, vec(2, 0.1, 0), 1, 0.1);
        run_until_asleep(world);
        ball(world, vec(0.15, 0.1, 0), fixed ? (double)SN_IMMOVABLE : 1, 0.1);
        step(world);
        assert_true(sn_particle_is_awake(world, near));
        assert_false(sn_particle_is_awake(world, far));
        support_run(world, 30, FRAME);
        assert_true((double)place(world, near).x < -0.01);
        sn_world_destroy(world);
    }
}

/* ---- State, threads and memory --------------------------------------------------------------------------------------------------- */

static void fill(sn_world *world)
{
    heap(world, 80);
}

/* A ball comes down on a sleeping pile. */
static void wake_by_ball(sn_world *world)
{
    run_until_asleep(world);
    flying_ball(world, vec(0, 1, 0), vec(0, -2, 0), 3, 0.08);
    support_run(world, 30, FRAME);
    assert_true(sn_world_awake_count(world) > 50);
}

static void snapshot_in_sleep(void **state)
{
    (void)state;
    sn_world *world = sleepy_world(), *other = sleepy_world();
    fill(world);
    fill(other);
    run_until_asleep(world);
    run_until_asleep(other);
    assert_same_world(world, other);
    sn_snapshot *snapshot = sn_world_save(world);
    wake_by_ball(world);
    assert_ok(world, sn_world_load(world, snapshot));
    assert_int_equal(sn_world_awake_count(world), 0);
    assert_same_world(world, other);
    wake_by_ball(world);
    wake_by_ball(other);
    assert_same_world(world, other);
    sn_snapshot_destroy(snapshot);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

static void sleep_does_not_depend_on_threads(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    sn_world *world = sleepy_world_from(def);
    fill(world);
    wake_by_ball(world);
    for (int variant = 0; variant < CONTACT_VARIANTS; ++variant) {
        support_tasks tasks = {.mode = SUPPORT_TASKS_REVERSE};
        sn_world *again = sleepy_world_from(contact_variant(variant, &tasks));
        fill(again);
        wake_by_ball(again);
        assert_same_world(world, again);
        sn_world_destroy(again);
    }
    sn_world_destroy(world);
}

/* With every solver and integrator that contact works with. */
static void solvers_let_sleep(void **state)
{
    (void)state;
    for (int solver = 0; solver < SN_SOLVER_COUNT; ++solver)
        for (int integrator = 0; integrator <= SN_INTEGRATOR_BDF2; ++integrator) {
            sn_world_def def = sn_default_world_def();
            def.settings.solver = (sn_solver)solver;
            def.settings.integrator = (sn_integrator)integrator;
            def.settings.iterations = 2;
            def.settings.order = solver == SN_SOLVER_TILED ? SN_ORDER_THERE_AND_BACK : SN_ORDER_SYMMETRIC;
            if (sn_world_def_check(&def, NULL, 0) != SN_OK)
                continue;
            sn_world *world = sleepy_world_from(def);
            sn_contact_settings settings = sn_world_contact_settings(world);
            settings.sleep_speed = real(0.05); /* some integrators leave g h to what rests */
            assert_ok(world, sn_world_set_contact_settings(world, &settings));
            add_floor(world);
            sn_particle p = ball(world, vec(0, 0.1, 0), 1, 0.1), q = ball(world, vec(0, 0.3, 0), 2, 0.1);
            run_until_awake(world, 0, 300);
            sn_vec3 then = place(world, q);
            support_run(world, 60, FRAME);
            assert_vec_same(place(world, q), then);
            assert_close(then.y, 0.3, 0.002);
            assert_ok(world, sn_particle_wake(world, p));
            support_run(world, 5, FRAME);
            assert_vec_close(place(world, q), then, 1e-4);
            sn_world_destroy(world);
        }
}

/* Another dt while they sleep: what is remembered of the pushes still fits. */
static void steps_may_change_in_sleep(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    heap(world, 80);
    run_until_asleep(world);
    whereabouts then;
    look(world, &then);
    support_run(world, 3, FRAME / 4);
    assert_ok(world, sn_particle_wake(world, number(world, 0)));
    support_run(world, 1, FRAME / 4);
    assert_true(farthest(world, &then) < 1e-5);
    support_run(world, 8, FRAME / 4);
    assert_true(farthest(world, &then) < 1e-4);
    sn_world_destroy(world);
}

/* A step that runs out of memory leaves asleep whoever would have woken. */
static void memory_may_run_out(void **state)
{
    (void)state;
    uint64_t at = 1;
    for (;; ++at) {
        support_memory memory = {0};
        sn_world *world = sleepy_world_from(support_scarce(&memory));
        add_floor(world);
        for (int i = 0; i < 24; ++i)
            ball(world, vec(0.2 * i, 0.1, 0), 1, 0.1);
        run_until_asleep(world);
        for (int i = 0; i < 200; ++i) /* more than there ever were */
            flying_ball(world, vec(0.05 * (i % 94), 0.32 + 0.2 * (i / 94), 0), vec(0, -1, 0), 1, 0.02);
        memory.fail_at = memory.requests + at;
        for (int i = 0; i < 6; ++i) {
            uint64_t before = sn_world_hash(world);
            uint32_t awake = sn_world_awake_count(world);
            if (!ran_out(world, before, sn_world_step(world, real(FRAME))))
                continue;
            assert_int_equal(sn_world_awake_count(world), awake);
            step(world);
        }
        assert_int_equal(sn_world_awake_count(world), 224);
        if (!support_had_failed(world, &memory))
            break;
    }
    assert_true(at > 5);
}

static void sleep_allocates_nothing(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world *world = sleepy_world_from(support_scarce(&memory));
    fill(world);
    support_run(world, 5, FRAME);
    run_until_asleep(world);
    assert_ok(world, sn_particle_wake(world, number(world, 3)));
    run_until_asleep(world);
    uint64_t requests = memory.requests;
    assert_ok(world, sn_particle_wake(world, number(world, 3)));
    run_until_asleep(world);
    support_run(world, 5, FRAME);
    assert_true(memory.requests == requests);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

/* ---- Events ------------------------------------------------------------------------------------------------------------------ */

/* Contacts of sleepers are silent, and go on when they wake. */
static void events_sleep_too(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    sn_contact_settings settings = sn_world_contact_settings(world);
    settings.events = true;
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    add_floor(world);
    sn_particle p = ball(world, vec(0, 0.1, 0), 1, 0.1);
    ball(world, vec(0, 0.3, 0), 1, 0.1);
    uint32_t begun = 0, ended = 0, count, steps = 0;
    for (; sn_world_awake_count(world); ++steps) {
        assert_true(steps < 300);
        step(world);
        const sn_contact_event *e = sn_world_contact_events(world, &count);
        for (uint32_t i = 0; i < count; ++i) {
            begun += e[i].phase == SN_CONTACT_BEGIN;
            ended += e[i].phase == SN_CONTACT_END;
        }
    }
    assert_int_equal(begun - ended, 2);
    for (int i = 0; i < 10; ++i) {
        step(world);
        assert_null(sn_world_contact_events(world, &count));
    }
    assert_ok(world, sn_particle_wake(world, p));
    step(world);
    const sn_contact_event *e = sn_world_contact_events(world, &count);
    assert_int_equal(count, 2);
    assert_int_equal(e[0].phase, SN_CONTACT_STAY);
    assert_int_equal(e[1].phase, SN_CONTACT_STAY);
    assert_close(e[1].impulse, 2 * GRAVITY * FRAME, 0.02 * GRAVITY * FRAME); /* as if nothing had happened */
    sn_world_destroy(world);
}

/* A body rests when it stays where it is; one that slides slowly does not, on however short a way. */
static void what_slides_slowly_stays_awake(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    assert_true(fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0)).generation != 0);
    set_materials(world, 0, 0);
    sn_body box = sn_body_add_box(world, vec(0, 0.1, 0), vec(0.1, 0.1, 0.1), 500);
    const double speed = 1.5 * (double)sn_world_contact_settings(world).sleep_speed;
    assert_ok(world, sn_body_set_velocity(world, box, vec(speed, 0, 0), vec(0, 0, 0)));
    support_run(world, 600, FRAME);
    assert_int_equal(sn_world_awake_count(world), 1);
    assert_float_equal((double)sn_body_position(world, box).x, 10 * speed, 0.005);
    assert_ok(world, sn_body_set_velocity(world, box, vec(0, 0, 0), vec(0, 0, 0)));
    run_until_asleep(world);
    sn_world_destroy(world);
}

/* A joint to the world holds as a floor does. A sign on a hinge hangs still, and one on a joint to a body that stands. */
static void what_hangs_from_the_world_sleeps(void **state)
{
    (void)state;
    sn_world *world = sleepy_world();
    sn_body sign = sn_body_add_box(world, vec(0, 3, 0), vec(0.2, 0.3, 0.05), 100);
    sn_joint_def hinge = sn_default_joint_def(SN_KIND_JOINT_HINGE);
    hinge.b = sign;
    hinge.anchor = vec(0, 3.3, 0);
    sn_constraint held = sn_joint_add(world, &hinge);
    assert_true(held.generation);
    run_until_asleep(world);
    sn_vec3 place = sn_body_position(world, sign);
    support_run(world, 60, 1.0 / 60);
    assert_true(sn_body_position(world, sign).y == place.y);
    assert_ok(world, sn_constraint_remove(world, held));
    support_run(world, 30, 1.0 / 60);
    assert_true(sn_body_position(world, sign).y < place.y - real(0.5)); /* it woke, and falls */
    sn_world_destroy(world);
}

/* Of many stacks that sleep the one that is hit wakes, as it would in a world that was loaded a moment ago and knows nothing but the
   state. */
static void one_box_wakes_one_stack(void **state)
{
    (void)state;
    sn_world *world = sleepy_world(), *other = sleepy_world();
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    for (uint32_t i = 0; i < 40; ++i)
        for (uint32_t k = 0; k < 2; ++k)
            assert_true(sn_body_add_box(world, vec(2 * i, 0.2 + 0.4 * k, 0), vec(0.2, 0.2, 0.2), 100).generation);
    run_until_asleep(world);
    sn_body thrown = sn_body_add_box(world, vec(20.1, 2, 0.05), vec(0.1, 0.1, 0.1), 500);
    assert_true(thrown.generation);
    for (uint32_t i = 0; i < 60; ++i) {
        sn_snapshot *snapshot = sn_world_save(world);
        assert_non_null(snapshot);
        assert_ok(other, sn_world_load(other, snapshot));
        sn_snapshot_destroy(snapshot);
        step(world);
        step(other);
        assert_true(sn_world_hash(world) == sn_world_hash(other));
    }
    assert_int_equal(sn_world_awake_count(world), 3);
    run_until_asleep(world);
    sn_world_destroy(other);
    sn_world_destroy(world);
}

/* A row of boxes, a few millimetres apart, that stand on a floor; the first is struck. Where they are after a while. */
static void strike_row(bool sleeps, double speed, uint32_t substeps, double x[4], double *deepest)
{
    sn_world_def def = sn_default_world_def();
    sn_body box[4];
    def.settings.substeps = substeps;
    sn_world *world = contact_world(def, sleeps, false);
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    for (uint32_t i = 0; i < 4; ++i)
        box[i] = sn_body_add_box(world, vec(i ? 0.405 * i : -2, 0.2, 0), vec(0.2, 0.2, 0.2), real(i ? 100 : 1000));
    for (uint32_t i = 0; i < 120; ++i)
        step(world);
    assert_int_equal(sn_world_awake_count(world), sleeps ? 0 : 4);
    assert_ok(world, sn_body_set_velocity(world, box[0], vec(speed, 0, 0), vec(0, 0, 0)));
    *deepest = 0;
    for (uint32_t i = 0; i < 60; ++i) {
        step(world);
        for (uint32_t k = 0; k < 4; ++k)
            x[k] = (double)sn_body_position(world, box[k]).x;
        for (uint32_t k = 0; k + 1 < 4; ++k)
            *deepest = fmax(*deepest, 0.4 - (x[k + 1] - x[k]));
    }
    sn_world_destroy(world);
}

/* A box that is pushed into one that sleeps within a step, before it moved, wakes it in that step: all is as if nothing had slept. It was as
   hard as a wall for a step or two. */
static void a_blow_is_handed_on_to_what_sleeps(void **state)
{
    (void)state;
    for (double speed = 2; speed <= 32; speed *= 4)
        for (uint32_t substeps = 4; substeps <= 20; substeps *= 2) {
            double awake[4], slept[4], deep[2];
            strike_row(false, speed, substeps, awake, &deep[0]);
            strike_row(true, speed, substeps, slept, &deep[1]);
            for (uint32_t k = 0; k < 4; ++k)
                if (fabs(awake[k] - slept[k]) > 0.01)
                    fail_msg("%g m/s, %u substeps: box %u is at %g m, and at %g m where nothing sleeps", speed,
                             substeps, k, slept[k], awake[k]);
            assert_true(deep[1] < fmax(0.002, 1.1 * deep[0]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pile_sleeps_and_stays_as_it_is),
        cmocka_unit_test(waking_does_not_disturb),
        cmocka_unit_test(what_swings_or_flies_does_not_sleep),
        cmocka_unit_test(off_means_never),
        cmocka_unit_test(sheet_sleeps_as_one),
        cmocka_unit_test(ball_wakes_the_pile_that_it_hits),
        cmocka_unit_test(blow_is_not_lost),
        cmocka_unit_test(passing_by_wakes_nobody),
        cmocka_unit_test(who_lies_down_joins),
        cmocka_unit_test(skins_that_are_led_wake),
        cmocka_unit_test(sheet_wakes_with_what_lies_on_it),
        cmocka_unit_test(fixed_shapes_wake),
        cmocka_unit_test(moving_floor_keeps_awake),
        cmocka_unit_test(edits_wake),
        cmocka_unit_test(edits_of_the_world_wake_all),
        cmocka_unit_test(edits_of_the_immovable_wake),
        cmocka_unit_test(newcomers_wake_whom_they_touch),
        cmocka_unit_test(snapshot_in_sleep),
        cmocka_unit_test(sleep_does_not_depend_on_threads),
        cmocka_unit_test(solvers_let_sleep),
        cmocka_unit_test(steps_may_change_in_sleep),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(sleep_allocates_nothing),
        cmocka_unit_test(events_sleep_too),
        cmocka_unit_test(what_slides_slowly_stays_awake),
        cmocka_unit_test(what_hangs_from_the_world_sleeps),
        cmocka_unit_test(one_box_wakes_one_stack),
        cmocka_unit_test(a_blow_is_handed_on_to_what_sleeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
