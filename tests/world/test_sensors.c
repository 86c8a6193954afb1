/* Sensors of dynamic bodies: they notice, say which shape they are, push nothing, weigh nothing and wake nothing. */
#include "support/support.h"
#include "world/body_worlds.h"

/* A world with events; with gravity or without. */
static sn_world *make_world(bool falls, bool sleeps)
{
    sn_world *world = falls ? support_world() : support_void();
    sn_contact_settings settings = sn_world_contact_settings(world);
    settings.events = true;
    settings.sleep = sleeps;
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    return world;
}

/* A ball of 10 cm with an eye of 1 m around it, if that is wanted: shape 1. */
static sn_body add_seer(sn_world *world, sn_vec3 place, sn_vec3 velocity, bool eye)
{
    sn_body_def def = sn_default_body_def();
    sn_shape_def shape[2] = {sn_default_shape_def(SN_SHAPE_SPHERE), sn_default_shape_def(SN_SHAPE_SPHERE)};
    sn_body body;
    shape[0].radius = real(0.1);
    shape[1].radius = 1;
    shape[1].sensor = true;
    def.position = place;
    def.velocity = velocity;
    def.shapes = shape;
    def.shape_count = eye ? 2 : 1;
    assert_ok(world, sn_body_add(world, &def, &body));
    return body;
}

typedef struct tally {
    uint32_t begins, stays, ends, hard;
} tally;

/* One step, and the events of it in which the eye of a body took part: they press nothing and name shape 1. */
static void look_on(sn_world *world, sn_body seer, tally *t)
{
    uint32_t count;
    assert_ok(world, sn_world_step(world, real(FRAME)));
    const sn_contact_event *e = sn_world_contact_events(world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        t->hard += !e[i].sensor;
        if (!e[i].sensor)
            continue;
        const bool first = e[i].body.generation && e[i].body.index == seer.index;
        assert_true(first || e[i].other_body.index == seer.index);
        assert_int_equal(first ? e[i].shape : e[i].other_shape, 1);
        assert_true(e[i].impulse == 0 && e[i].impact == 0);
        t->begins += e[i].phase == SN_CONTACT_BEGIN;
        t->stays += e[i].phase == SN_CONTACT_STAY;
        t->ends += e[i].phase == SN_CONTACT_END;
    }
}

/* It flies past a body, a particle and a static ball: one begin and one end of each, in straight flight. */
static void an_eye_notices_what_it_passes(void **state)
{
    (void)state;
    for (int order = 0; order < 2; ++order) {
        sn_world *world = make_world(false, false);
        sn_body seer = {0}, box = {0};
        if (order == 0)
            seer = add_seer(world, vec(-3, 0, 0), vec(3, 0, 0), true);
        box = box_body(world, vec(0, 0.7, 0), vec(0.2, 0.2, 0.2), 1000);
        if (order == 1) /* then it has the higher number */
            seer = add_seer(world, vec(-3, 0, 0), vec(3, 0, 0), true);
        sn_particle ball = sn_particle_add_at(world, vec(0, -0.7, 0), 1);
        assert_ok(world, sn_particle_set_radius(world, ball, real(0.1)));
        assert_true(sn_body_is_valid(world, sn_static_add_sphere(world, vec(0, 0, 0.7f), real(0.1))));
        assert_close(sn_body_mass(world, seer), 1000 * 4 / 3.0 * SN_PI * 0.001, 1e-3);
        tally t = {0};
        for (int frame = 0; frame < 120; ++frame)
            look_on(world, seer, &t);
        assert_int_equal(t.begins, 3);
        assert_int_equal(t.ends, 3);
        assert_true(t.stays > 60);
        assert_int_equal(t.hard, 0);
        assert_vec_close(sn_body_position(world, seer), vec(3, 0, 0), 1e-4);
        assert_vec_close(sn_body_velocity(world, seer), vec(3, 0, 0), 1e-5);
        assert_vec_close(sn_body_velocity(world, box), vec(0, 0, 0), 0);
        assert_vec_close(sn_particle_velocity(world, ball), vec(0, 0, 0), 0);
        sn_world_destroy(world);
    }
}

/* A body that lies on the floor touches it with what is solid and with its eye: two contacts; and it lies where it lay without one. */
static void both_shapes_touch(void **state)
{
    (void)state;
    sn_vec3 at[2];
    for (int eye = 0; eye < 2; ++eye) {
        sn_world *world = make_world(true, false);
        sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
        sn_body seer = add_seer(world, vec(0, 2, 0), vec(0.5, 0, 0), eye);
        tally t = {0};
        for (int frame = 0; frame < 120; ++frame)
            look_on(world, seer, &t);
        at[eye] = sn_body_position(world, seer);
        assert_int_equal(t.begins, eye);
        assert_int_equal(t.ends, 0);
        assert_true(t.hard > 30);
        sn_world_destroy(world);
    }
    assert_memory_equal(&at[0], &at[1], sizeof at[0]);
}

static void sensors_do_not_notice_each_other(void **state)
{
    (void)state;
    sn_world *world = make_world(false, false);
    sn_body seer = add_seer(world, vec(0, 0, 0), vec(0, 0, 0), true);
    add_seer(world, vec(1.6f, 0, 0), vec(0, 0, 0), true); /* the eyes overlap, neither reaches the other's ball */
    sn_body_def def = sn_default_body_def();
    sn_shape_def gate = sn_default_shape_def(SN_SHAPE_BOX);
    gate.sensor = true;
    def.type = SN_BODY_STATIC;
    def.position = vec(0, 1, 0);
    def.shapes = &gate;
    def.shape_count = 1;
    assert_ok(world, sn_body_add(world, &def, NULL));
    tally t = {0};
    for (int frame = 0; frame < 5; ++frame)
        look_on(world, seer, &t);
    assert_int_equal(t.begins + t.hard, 0);
    sn_world_destroy(world);
}

/* A ball rolls through the eye of a sleeper, which notices and sleeps on. */
static void a_sleeper_sleeps_on(void **state)
{
    (void)state;
    sn_world *world = make_world(true, true);
    sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    sn_body seer = add_seer(world, vec(0, 0.1f, 0), vec(0, 0, 0), true);
    for (int frame = 0; frame < 60; ++frame)
        assert_ok(world, sn_world_step(world, real(FRAME)));
    assert_false(sn_particle_is_awake(world, sn_body_particle(world, seer)));
    sn_body ball = sn_body_add_sphere(world, vec(-2, 0.1f, 0.6f), real(0.1), 1000);
    assert_ok(world, sn_body_set_velocity(world, ball, vec(4, 0, 0), vec(0, 0, -40)));
    uint32_t seen = 0, ended = 0;
    for (int frame = 0; frame < 60; ++frame) {
        uint32_t count;
        assert_ok(world, sn_world_step(world, real(FRAME)));
        const sn_contact_event *e = sn_world_contact_events(world, &count);
        for (uint32_t i = 0; i < count; ++i) {
            seen += e[i].sensor && e[i].phase == SN_CONTACT_BEGIN && e[i].other.generation;
            ended += e[i].sensor && e[i].phase == SN_CONTACT_END && e[i].other.generation;
        }
        assert_false(sn_particle_is_awake(world, sn_body_particle(world, seer)));
    }
    assert_int_equal(seen, 1);
    assert_int_equal(ended, 1);
    sn_world_destroy(world);
}

/* A snapshot that is taken while two touch knows it: the contact goes on, and ends once. Reading back gives the sensor. */
static void snapshots_know(void **state)
{
    (void)state;
    sn_world *world = make_world(false, false);
    sn_body seer = add_seer(world, vec(-3, 0, 0), vec(3, 0, 0), true);
    box_body(world, vec(0, 0.7, 0), vec(0.2, 0.2, 0.2), 1000);
    tally t = {0};
    for (int frame = 0; frame < 60; ++frame)
        look_on(world, seer, &t);
    assert_int_equal(t.begins, 1);
    sn_snapshot *then = sn_world_save(world);
    for (int round = 0; round < 2; ++round) {
        tally rest = {0};
        for (int frame = 0; frame < 60; ++frame)
            look_on(world, seer, &rest);
        assert_true(rest.begins == 0 && rest.ends == 1 && rest.stays > 5);
        assert_ok(world, sn_world_load(world, then));
    }
    sn_body_def def;
    assert_ok(world, sn_body_read(world, seer, &def));
    assert_true(!def.shapes[0].sensor && def.shapes[1].sensor);
    sn_snapshot_destroy(then);
    sn_world_destroy(world);
}

/* Rays see them if they are asked to, and pass them otherwise. */
static void queries_ask_for_them(void **state)
{
    (void)state;
    sn_world *world = make_world(false, false);
    add_seer(world, vec(0, 0, 0), vec(0, 0, 0), true);
    sn_query_filter filter = sn_default_query_filter();
    sn_hit hit;
    assert_true(sn_query_ray(world, vec(-5, 0, 0), vec(1, 0, 0), 10, filter, &hit));
    assert_close(hit.distance, 4.9, 1e-5);
    filter.what |= SN_QUERY_SENSORS;
    assert_true(sn_query_ray(world, vec(-5, 0, 0), vec(1, 0, 0), 10, filter, &hit));
    assert_close(hit.distance, 4, 1e-5);
    assert_int_equal(hit.shape, 1);
    filter.what = SN_QUERY_SENSORS;
    assert_true(sn_query_closest(world, vec(-5, 0, 0), 10, filter, &hit));
    assert_int_equal(hit.shape, 1);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_eye_notices_what_it_passes),
        cmocka_unit_test(both_shapes_touch),
        cmocka_unit_test(sensors_do_not_notice_each_other),
        cmocka_unit_test(a_sleeper_sleeps_on),
        cmocka_unit_test(snapshots_know),
        cmocka_unit_test(queries_ask_for_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
