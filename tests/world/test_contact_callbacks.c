/* The filter and the pre-solve function: what they may change, when they are called, and what happens to bad answers. */
#include "world/body_worlds.h"

/* ---- Scenes: one thing of every kind on another ------------------------------------------------------------------------- */

enum {
    BALL_ON_PLANE,
    BALL_ON_BOX,
    BALL_ON_MESH,
    BALL_ON_BALL,
    BALL_ON_SKIN,
    BALL_ON_BODY,
    BOX_ON_PLANE,
    BOX_ON_BOX,
    BOX_ON_BODY,
    PAIRS
};

static const char *const name_of[PAIRS] = {"ball on plane", "ball on box",  "ball on mesh",
                                           "ball on ball",  "ball on skin", "ball on body",
                                           "box on plane",  "box on box",   "box on body"};

static sn_particle add_held(sn_world *world, sn_vec3 at, double radius, uint32_t group)
{
    sn_particle_def def = sn_default_particle_def();
    sn_particle p;
    def.position = at;
    def.radius = real(radius);
    def.mass = SN_IMMOVABLE;
    def.group = group;
    assert_ok(world, sn_particle_add(world, &def, &p));
    return p;
}

static void add_sheet(sn_world *world)
{
    static const sn_vec3 corner[4] = {{-20, 0, -20}, {-20, 0, 20}, {20, 0, 20}, {20, 0, -20}};
    static const uint32_t triangle[6] = {0, 1, 2, 0, 2, 3};
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_MESH;
    def.vertices = corner;
    def.vertex_count = 4;
    def.triangles = triangle;
    def.triangle_count = 2;
    assert_ok(world, fixed_add(world, &def, NULL));
}

static void add_skin(sn_world *world)
{
    sn_skin_def skin = sn_default_skin_def();
    const uint32_t corner[3] = {add_held(world, vec(-5, 0, -4), 0, 5).index, add_held(world, vec(0, 0, 8), 0, 5).index,
                                add_held(world, vec(5, 0, -4), 0, 5).index};
    skin.triangles = corner;
    skin.triangle_count = 1;
    assert_ok(world, sn_skin_add(world, &skin, NULL));
}

/* What lies below, with its top at y = 0; large. */
static void add_ground(sn_world *world, int pair)
{
    sn_body body;
    switch (pair) {
    case BALL_ON_PLANE:
    case BOX_ON_PLANE:
        add_floor(world);
        break;
    case BALL_ON_BOX:
    case BOX_ON_BOX:
        fixed_add_box(world, vec(0, -0.1, 0), vec(20, 0.1, 20));
        break;
    case BALL_ON_MESH:
        add_sheet(world);
        break;
    case BALL_ON_BALL:
        add_held(world, vec(0, -2000, 0), 2000, 0);
        break;
    case BALL_ON_SKIN:
        add_skin(world);
        break;
    default:
        body = box_body(world, vec(0, -0.1, 0), vec(20, 0.1, 20), 1000);
        assert_ok(world, sn_body_set_mass(world, body, SN_IMMOVABLE));
    }
}

/* What is above; its bottom is at this height. */
static sn_particle add_thing(sn_world *world, int pair, double bottom)
{
    if (pair < BOX_ON_PLANE)
        return ball(world, vec(0, bottom + 0.1, 0), 2, 0.1);
    return sn_body_particle(world, box_body(world, vec(0, bottom + 0.1, 0), vec(0.1, 0.1, 0.1), 250));
}

typedef struct scene {
    sn_world *world;
    sn_particle thing;
} scene;

static scene make_scene(int pair, double bottom)
{
    scene s = {.world = support_world()};
    add_ground(s.world, pair);
    s.thing = add_thing(s.world, pair, bottom);
    return s;
}

static double height(const scene *s)
{
    return (double)place(s->world, s->thing).y - 0.1;
}

/* ---- The filter --------------------------------------------------------------------------------------------------------- */

static bool no_two(void *context, const sn_contact_pair *pair)
{
    assert_true(pair->particle.generation);
    ++*(uint32_t *)context;
    return false;
}

static void filter_lets_pass(void **state)
{
    (void)state;
    for (int pair = 0; pair < PAIRS; ++pair) {
        scene s = make_scene(pair, 0.2);
        uint32_t asked = 0;
        assert_ok(s.world, sn_world_set_contact_filter(s.world, no_two, &asked));
        support_run(s.world, 60, FRAME);
        if (!asked || !(height(&s) < -4)) /* a second of free fall */
            fail_msg("%s: asked %u times, it is at %g m", name_of[pair], asked, height(&s));
        sn_world_destroy(s.world);
        s = make_scene(pair, 0);
        support_run(s.world, 10, FRAME);
        assert_ok(s.world, sn_world_set_contact_filter(s.world, no_two, &asked)); /* also of two that touch */
        support_run(s.world, 60, FRAME);
        assert_true(height(&s) < -4);
        sn_world_destroy(s.world);
    }
}

/* What pairs say they are. */
static bool know_them(void *context, const sn_contact_pair *pair)
{
    const int which = *(const int *)context;
    const bool fixed = which <= BALL_ON_MESH || which == BOX_ON_PLANE || which == BOX_ON_BOX;
    assert_int_equal(pair->other.generation == 0, fixed);
    assert_int_equal(pair->skin.generation != 0, which == BALL_ON_SKIN);
    assert_int_equal(pair->triangle != SN_NO_TRIANGLE, which == BALL_ON_SKIN || which == BALL_ON_MESH);
    assert_int_equal(pair->body.generation != 0, which >= BALL_ON_BODY); /* the ground has the lower number */
    assert_int_equal(pair->other_body.generation != 0, fixed || which == BOX_ON_BODY);
    assert_true(!pair->other.generation || which == BALL_ON_SKIN || pair->particle.index < pair->other.index);
    return true;
}

static void pairs_say_who_they_are(void **state)
{
    (void)state;
    for (int pair = 0; pair < PAIRS; ++pair) {
        scene s = make_scene(pair, 0.05);
        assert_ok(s.world, sn_world_set_contact_filter(s.world, know_them, &pair));
        support_run(s.world, 30, FRAME);
        assert_close(height(&s), 0, 0.01);
        sn_world_destroy(s.world);
    }
}

/* ---- Pre-solve: off, and one way ------------------------------------------------------------------------------------------ */

/* Solid from above only. The normal points to `particle`, which is the ground where that has the lower number. */
static bool from_above(void *context, sn_contact *contact)
{
    const sn_particle *thing = context;
    const double sign = contact->pair.particle.index == thing->index ? 1 : -1;
    assert_close(length(contact->normal), 1, 1e-5);
    return sign * (double)contact->normal.y > 0.9 && (double)contact->separation > -0.02;
}

static void platform_is_one_way(void **state)
{
    (void)state;
    for (int pair = BALL_ON_BOX; pair < PAIRS; ++pair) {
        if (pair == BALL_ON_BALL || pair == BOX_ON_PLANE)
            continue; /* too thick to pass */
        scene s = make_scene(pair, -1);
        double highest = -1;
        assert_ok(s.world, sn_world_set_pre_solve(s.world, from_above, &s.thing));
        if (pair < BOX_ON_PLANE)
            assert_ok(s.world, sn_particle_set_velocity(s.world, s.thing, vec(0, 6, 0)));
        else
            flying(s.world, sn_particle_body(s.world, s.thing), vec(0, 6, 0), vec(0, 0, 0));
        for (int i = 0; i < 120; ++i) {
            step(s.world);
            highest = fmax(highest, height(&s));
        }
        /* up as if nothing were there, and down onto it */
        if (!(fabs(highest - (36 / (2 * GRAVITY) - 1)) < 0.02) || !(fabs(height(&s)) < 0.01))
            fail_msg("%s: up to %g m, then at %g m", name_of[pair], highest, height(&s));
        sn_world_destroy(s.world);
    }
}

/* ---- Belts ---------------------------------------------------------------------------------------------------------------- */

typedef struct belt {
    sn_particle thing;
    double speed, friction;
} belt;

static bool run_belt(void *context, sn_contact *contact)
{
    const belt *b = context;
    const double sign = contact->pair.particle.index == b->thing.index ? 1 : -1;
    contact->surface_velocity = vec(sign * b->speed, 5, 0); /* along the normal it does not count */
    contact->static_friction = contact->dynamic_friction = real(b->friction);
    return true;
}

/* From rest it gains mu g until it is as fast as the belt; what it is behind then is v^2 / (2 mu g). */
static void belt_carries(void **state)
{
    (void)state;
    for (int pair = 0; pair < PAIRS; ++pair) {
        scene s = make_scene(pair, 0);
        belt b = {s.thing, 1.5, 0.4};
        const double t = 2, exact = b.speed * t - b.speed * b.speed / (2 * b.friction * GRAVITY);
        assert_ok(s.world, sn_world_set_pre_solve(s.world, run_belt, &b));
        support_run(s.world, (uint32_t)(t * 60), FRAME);
        const double way = (double)place(s.world, s.thing).x, v = (double)speed(s.world, s.thing).x;
        if (!(fabs(way - exact) < 0.02 * exact) || !(fabs(v - b.speed) < 0.01) || !(fabs(height(&s)) < 0.01))
            fail_msg("%s: %g m instead of %g, at %g m/s and height %g", name_of[pair], way, exact, v, height(&s));
        sn_world_destroy(s.world);
    }
}

/* ---- Materials ------------------------------------------------------------------------------------------------------------ */

static bool bounce_all(void *context, sn_contact *contact)
{
    (void)context;
    contact->restitution = 1;
    return true;
}

static void restitution_may_be_given(void **state)
{
    (void)state;
    for (int pair = 0; pair < PAIRS; ++pair) {
        scene s = make_scene(pair, 0.5);
        double highest = 0, was = 0;
        bool back = false;
        assert_ok(s.world, sn_world_set_pre_solve(s.world, bounce_all, NULL));
        for (int i = 0; i < 60; ++i) {
            step(s.world);
            back = back || (was < 0 && (double)speed(s.world, s.thing).y > 0);
            was = (double)speed(s.world, s.thing).y;
            highest = back ? fmax(highest, height(&s)) : 0;
        }
        if (!(fabs(highest - 0.5) < 0.02))
            fail_msg("%s: back at %g m", name_of[pair], highest);
        sn_world_destroy(s.world);
    }
}

/* ---- Neutral answers, order, threads ---------------------------------------------------------------------------------------- */

/* The sum of all that is said, in the order in which it is. */
typedef struct listener {
    uint64_t sum;
    uint32_t filtered, solved;
} listener;

static uint64_t mix(uint64_t sum, uint64_t more)
{
    return (sum ^ more) * UINT64_C(0x9e3779b97f4a7c15) + (sum >> 31);
}

static bool listen(void *context, const sn_contact_pair *pair)
{
    listener *l = context;
    l->filtered++;
    l->sum = mix(mix(l->sum, pair->particle.index), (uint64_t)pair->other.index << 32 | pair->other_body.index);
    return true;
}

static bool listen_closely(void *context, sn_contact *contact)
{
    listener *l = context;
    float depth = (float)contact->separation;
    uint32_t bits;
    memcpy(&bits, &depth, sizeof bits);
    l->solved++;
    l->sum = mix(mix(l->sum, contact->pair.particle.index), bits);
    return true;
}

/* Sand, boxes and a ball that skips over them. */
static void fill(sn_world *world)
{
    add_tub(world, 0.8, 0.8);
    pour(world, 80, 0.8, 0.05, 5);
    for (int i = 0; i < 8; ++i)
        box_body(world, vec(0.2 * (i % 2) - 0.1, 1 + 0.25 * (i / 2), 0.01 * i), vec(0.08, 0.08, 0.08), 500);
    flying_ball(world, vec(-0.3, 1.5, 0), vec(20, -10, 3), 1, 0.05);
    set_materials(world, 0.4, 0.3);
}

static void neutral_answers_change_nothing(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    sn_world *plain = support_world_from(&def);
    fill(plain);
    support_run(plain, 60, FRAME);
    listener first = {0};
    for (int variant = 0; variant < CONTACT_VARIANTS; ++variant) {
        support_tasks tasks = {.mode = SUPPORT_TASKS_REVERSE};
        sn_world_def other = contact_variant(variant, &tasks);
        sn_world *world = support_world_from(&other);
        listener l = {0};
        fill(world);
        uint64_t before = sn_world_hash(world);
        assert_ok(world, sn_world_set_contact_filter(world, listen, &l));
        assert_ok(world, sn_world_set_pre_solve(world, listen_closely, &l));
        assert_true(sn_world_hash(world) == before); /* no part of the state */
        support_run(world, 60, FRAME);
        assert_true(sn_world_hash(world) == sn_world_hash(plain));
        assert_true(l.filtered > 5000 && l.filtered == l.solved);
        if (variant == 0)
            first = l;
        assert_true(l.sum == first.sum && l.solved == first.solved);
        assert_ok(world, sn_world_set_contact_filter(world, NULL, NULL));
        assert_ok(world, sn_world_set_pre_solve(world, NULL, NULL));
        support_run(world, 1, FRAME);
        assert_true(l.solved == first.solved);
        sn_world_destroy(world);
    }
    sn_world_destroy(plain);
}

/* ---- What is found late ------------------------------------------------------------------------------------------------------ */

static sn_vec3 throw_it(void *context, const sn_field_in *in)
{
    (void)context;
    return vec(0, -20000 * (double)in->mass, 0);
}

static void late_ones_are_asked_about(void **state)
{
    (void)state;
    for (int pair = 0; pair <= BALL_ON_SKIN; ++pair)
        for (int filtered = 0; filtered < 2; ++filtered) {
            scene s = make_scene(pair, 3); /* far beyond its margin */
            uint32_t asked = 0;
            if (filtered)
                assert_ok(s.world, sn_world_set_contact_filter(s.world, no_two, &asked));
            assert_ok(s.world, sn_field_add(s.world, throw_it, NULL, false, NULL));
            support_run(s.world, 4, FRAME);
            if (filtered != (asked > 0) || filtered != (height(&s) < -1))
                fail_msg("%s: asked %u times, at %g m", name_of[pair], asked, height(&s));
            sn_world_destroy(s.world);
        }
}

/* ---- Bad answers, and calls from inside --------------------------------------------------------------------------------------- */

typedef struct answer {
    double static_friction, dynamic_friction, restitution, surface;
} answer;

static bool give(void *context, sn_contact *contact)
{
    const answer *a = context;
    contact->static_friction = real(a->static_friction);
    contact->dynamic_friction = real(a->dynamic_friction);
    contact->restitution = real(a->restitution);
    contact->surface_velocity.z = real(a->surface);
    return true;
}

static void bad_answers_fail_the_step(void **state)
{
    (void)state;
    static const answer bad[] = {
        {(double)NAN, 0, 0, 0}, {-1, -1, 0, 0},         {1, 2, 0, 0},           {1, (double)NAN, 0, 0},
        {1, 1, 1.5, 0},         {1, 1, (double)NAN, 0}, {1, 1, 0, (double)NAN}, {1, 1, 0, (double)INFINITY}};
    static const char *const word[] = {"static_friction", "static_friction", "dynamic_friction", "dynamic_friction",
                                       "restitution",     "restitution",     "surface_velocity", "surface_velocity"};
    for (int pair = 0; pair < PAIRS; ++pair)
        for (size_t i = 0; i < COUNT_OF(bad); ++i) {
            scene s = make_scene(pair, 0);
            answer good = {1, 1, 0, 0}, now = bad[i];
            assert_ok(s.world, sn_world_set_pre_solve(s.world, give, &now));
            uint64_t hash = sn_world_hash(s.world);
            assert_int_equal(sn_world_step(s.world, real(FRAME)), SN_ERROR_HOST);
            assert_true(sn_world_hash(s.world) == hash);
            assert_true(support_says(sn_world_error(s.world), "pre-solve"));
            assert_true(support_says(sn_world_error(s.world), word[i]));
            assert_true(support_says(sn_world_error(s.world), pair < BALL_ON_BODY ? "particle" : "body"));
            now = good;
            support_run(s.world, 10, FRAME);
            assert_close(height(&s), 0, 0.01);
            sn_world_destroy(s.world);
        }
}

static bool intrude(void *context, sn_contact *contact)
{
    sn_world *world = context;
    assert_int_equal(sn_particle_set_velocity(world, contact->pair.particle, vec(0, 0, 0)), SN_ERROR_BUSY);
    assert_int_equal(sn_world_set_pre_solve(world, NULL, NULL), SN_ERROR_BUSY);
    assert_int_equal(sn_world_step(world, real(FRAME)), SN_ERROR_BUSY);
    assert_true(sn_particle_is_valid(world, contact->pair.particle)); /* reading is fine */
    assert_true(isfinite(sn_particle_position(world, contact->pair.particle).y));
    return true;
}

static void functions_may_only_read(void **state)
{
    (void)state;
    for (int pair = 0; pair < PAIRS; ++pair) {
        scene s = make_scene(pair, 0);
        assert_ok(s.world, sn_world_set_pre_solve(s.world, intrude, s.world));
        support_run(s.world, 5, FRAME);
        assert_close(height(&s), 0, 0.01);
        sn_world_destroy(s.world);
    }
    assert_int_equal(sn_world_set_pre_solve(NULL, intrude, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_set_contact_filter(NULL, no_two, NULL), SN_ERROR_ARGUMENT);
}

/* ---- Sleep, and memory --------------------------------------------------------------------------------------------------------- */

static void setting_one_wakes(void **state)
{
    (void)state;
    sn_world *world = contact_world(sn_default_world_def(), true, false);
    uint32_t asked = 0;
    add_floor(world);
    sn_particle p = ball(world, vec(0, 0.1, 0), 1, 0.1);
    sn_body body = box_body(world, vec(1, 0.1, 0), vec(0.1, 0.1, 0.1), 500);
    support_run(world, 180, FRAME);
    assert_int_equal(sn_world_awake_count(world), 0);
    assert_ok(world, sn_world_set_contact_filter(world, no_two, &asked));
    support_run(world, 30, FRAME);
    assert_true((double)place(world, p).y < -0.5 && (double)sn_body_position(world, body).y < -0.5);
    sn_world_destroy(world);
}

/* Every request of a step fails once; the step then changes nothing, and succeeds when tried again. */
static void memory_may_run_out(void **state)
{
    (void)state;
    uint64_t at = 1;
    for (;; ++at) {
        support_memory memory = {0};
        sn_world_def def = support_scarce(&memory);
        sn_world *world = support_world_from(&def);
        add_ground(world, BALL_ON_BALL);
        add_ground(world, BALL_ON_SKIN);
        belt b = {ball(world, vec(0, 0.1, 0), 1, 0.1), 1, 0.5};
        assert_ok(world, sn_world_set_pre_solve(world, run_belt, &b));
        memory.fail_at = memory.requests + at;
        for (int i = 0; i < 5; ++i) {
            uint64_t before = sn_world_hash(world);
            if (ran_out(world, before, sn_world_step(world, real(FRAME))))
                step(world);
        }
        uint64_t requests = memory.requests;
        support_run(world, 5, FRAME);
        assert_true(memory.requests == requests);
        if (!support_had_failed(world, &memory))
            break;
    }
    assert_true(at > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_lets_pass),          cmocka_unit_test(pairs_say_who_they_are),
        cmocka_unit_test(platform_is_one_way),       cmocka_unit_test(belt_carries),
        cmocka_unit_test(restitution_may_be_given),  cmocka_unit_test(neutral_answers_change_nothing),
        cmocka_unit_test(late_ones_are_asked_about), cmocka_unit_test(bad_answers_fail_the_step),
        cmocka_unit_test(functions_may_only_read),   cmocka_unit_test(setting_one_wakes),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
