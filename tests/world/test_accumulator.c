/* Fixed steps under frames of any length: no time is lost, the motion is that of the steps alone, and what is drawn lies between
   the last two states, unless something was put elsewhere by hand. */
#include "support/fixed.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

#define DT 0.015625 /* s: 1/64, so that sums of steps are exact */

static sn_accumulator *accumulator(sn_world *world, double dt, uint32_t most_steps)
{
    sn_accumulator_def def = {.dt = (sn_real)dt, .most_steps = most_steps};
    sn_accumulator *a = sn_accumulator_create(world, &def);
    if (!a)
        fail_msg("%s", sn_world_error(world));
    return a;
}

/* One frame, with all steps that are due. Returns the seconds that were dropped. */
static double frame(sn_accumulator *a, sn_world *world, double seconds)
{
    double dropped = -1;
    assert_ok(world, sn_accumulator_add(a, world, seconds, &dropped));
    while (sn_accumulator_due(a))
        assert_ok(world, sn_accumulator_step(a, world));
    return dropped;
}

static sn_world *weightless(void)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.substeps = 1;
    return support_world_from(&def);
}

static void finish(sn_accumulator *a, sn_world *world)
{
    sn_accumulator_destroy(a);
    sn_world_destroy(world);
}

static void assert_quat_close(sn_quat a, sn_quat b, double tolerance)
{
    double dot =
        (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z + (double)a.w * (double)b.w;
    assert_close(1, fabs(dot), tolerance);
}

/* ---- Time ------------------------------------------------------------------------------------------------------------ */

/* Many frames whose lengths are sums of powers of two, so that the sum of all of them is known exactly. */
static void test_no_time_is_lost(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_accumulator *a = accumulator(world, DT, 100);
    uint64_t random = 5, units = 0, steps = 0;
    for (uint32_t i = support_rounds(support_long(4000000, 800000), 50000); i > 0; --i) {
        uint32_t unit = support_random_below(&random, 1u << 16); /* of 2^-20 s: up to 1/16 s */
        double dropped;
        units += unit;
        assert_int_equal(sn_accumulator_add(a, world, unit * 0x1p-20, &dropped), SN_OK);
        assert_true(dropped == 0);
        for (; sn_accumulator_due(a); ++steps)
            assert_int_equal(sn_accumulator_step(a, world), SN_OK);
    }
    double left = (double)units * 0x1p-20 - (double)steps * DT;
    assert_true(left >= 0 && left < DT);
    assert_true((double)sn_accumulator_alpha(a) == left / DT);
    assert_true(sn_world_time(world) == (double)steps * DT);
    finish(a, world);
}

/* Lengths that no float has: many frames of 1/144 s and steps of 1/60 s. */
static void test_no_time_is_lost_by_rounding(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_accumulator *a = accumulator(world, 1.0 / 60, 5);
    const double dt = (double)(sn_real)(1.0 / 60);
    const uint32_t frames = support_rounds(support_long(4000000, 800000), 50000);
    uint64_t steps = 0;
    for (uint32_t i = 0; i < frames; ++i) {
        assert_ok(world, sn_accumulator_add(a, world, 1.0 / 144, NULL));
        for (; sn_accumulator_due(a); ++steps)
            assert_ok(world, sn_accumulator_step(a, world));
    }
    double shown = ((double)steps + (double)sn_accumulator_alpha(a)) * dt;
    assert_close(shown, frames / 144.0, 2e-9); /* alpha is an sn_real */
    finish(a, world);
}

/* What the limit drops are whole steps, and all of it is told. */
static void test_limit(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_accumulator *a = accumulator(world, DT, 3);
    assert_true(frame(a, world, 2.5 * DT) == 0);
    assert_true(sn_world_time(world) == 2 * DT);
    assert_true(frame(a, world, 7.25 * DT) == 4 * DT); /* with the half that was left: 7 steps */
    assert_true(sn_world_time(world) == 5 * DT);
    assert_true(sn_accumulator_alpha(a) == (sn_real)0.75);
    assert_true(frame(a, world, 1e9) > 9.99e8); /* the machine slept for thirty years */
    assert_true(sn_world_time(world) == 8 * DT);
    double dropped;
    assert_ok(world,
              sn_accumulator_add(a, world, 2 * DT, &dropped)); /* steps that are not taken stay due, up to the limit */
    assert_ok(world, sn_accumulator_add(a, world, 2 * DT, &dropped));
    assert_int_equal(sn_accumulator_due(a), 3);
    assert_true(dropped == DT);
    assert_true(sn_accumulator_alpha(a) == 1);
    assert_ok(world, sn_accumulator_reset(a, world));
    assert_int_equal(sn_accumulator_due(a), 0);
    assert_true(sn_accumulator_alpha(a) == 0);
    finish(a, world);
}

/* A swinging rope and a box that falls on it and on the floor. */
static sn_world *scene(void)
{
    sn_world *world = support_world();
    fixed_add_plane(world, vec(0, -1, 0), vec(0, 1, 0));
    sn_particle last = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
    for (int i = 1; i < 8; ++i) {
        sn_particle p = sn_particle_add_at(world, vec(0.1 * i, 0, 0), 1);
        sn_constraint_add_distance(world, sn_at(last), sn_at(p), SN_MEASURE);
        last = p;
    }
    sn_body_add_box(world, vec(1, 0, 0), vec(0.1, 0.2, 0.1), 500);
    return world;
}

/* The steps are the same whatever the frames are, and whether anything is drawn. */
static void test_same_motion_at_every_frame_rate(void **state)
{
    (void)state;
    sn_world *plain = scene();
    for (int i = 0; i < 90; ++i)
        assert_ok(plain, sn_world_step(plain, (sn_real)DT));
    for (int rate = 0; rate < 4; ++rate) {
        static const double seconds[] = {DT, 1.0 / 144, 1.0 / 30, 0.1};
        sn_world *world = scene();
        sn_accumulator *a = accumulator(world, DT, 20);
        uint64_t random = 3;
        while (sn_world_time(world) < 90 * DT) {
            double dropped;
            assert_ok(world, sn_accumulator_add(a, world, seconds[rate] * support_random_in(&random, 0, 2), &dropped));
            for (; sn_accumulator_due(a) && sn_world_time(world) < 90 * DT;)
                assert_ok(world, sn_accumulator_step(a, world));
            sn_vec3 x[9];
            assert_ok(world, sn_accumulator_read_all_positions(a, world, sn_accumulator_alpha(a), 9, &x[0].x, 0));
        }
        assert_same_world(world, plain);
        finish(a, world);
    }
    sn_world_destroy(plain);
}

/* ---- What is drawn ----------------------------------------------------------------------------------------------------- */

/* 0 is the state before the last step, and 1 the one after it, to the last bit; of particles, runs, bodies and fixed shapes. */
static void test_ends_are_exact(void **state)
{
    (void)state;
    sn_world *world = scene();
    sn_body box = sn_body_from_index(world, 0);
    fixed_def def = default_fixed();
    sn_body paddle;
    def.type = SN_SHAPE_BOX;
    def.velocity = vec(0, 0.1, 0);
    def.spin = vec(0, 0, 2);
    assert_ok(world, fixed_add(world, &def, &paddle));
    assert_ok(world, sn_body_set_velocity(world, box, vec(1, 2, 3), vec(3, 2, 1)));
    sn_accumulator *a = accumulator(world, DT, 5);
    sn_particles all = {0, 9, sn_particle_from_index(world, 0).generation};
    for (int i = 0; i < 30; ++i) {
        sn_vec3 before[9], after[9], drawn[9], place;
        sn_vec3 box_before = sn_body_position(world, box);
        sn_quat turn_before = sn_body_rotation(world, box), turn;
        fixed_def paddle_before, paddle_after;
        assert_ok(world, fixed_read(world, paddle, &paddle_before));
        for (uint32_t k = 0; k < 9; ++k)
            before[k] = sn_particle_position(world, sn_particle_from_index(world, k));
        frame(a, world, DT);
        for (uint32_t k = 0; k < 9; ++k)
            after[k] = sn_particle_position(world, sn_particle_from_index(world, k));
        assert_ok(world, fixed_read(world, paddle, &paddle_after));
        assert_ok(world, sn_accumulator_read_all_positions(a, world, 0, 9, &drawn[0].x, 0));
        assert_memory_equal(drawn, before, sizeof drawn);
        assert_ok(world, sn_accumulator_read_all_positions(a, world, 1, 9, &drawn[0].x, 0));
        assert_memory_equal(drawn, after, sizeof drawn);
        sn_particles first = {all.first, 1, all.generation};
        sn_real padded[8] = {0};
        assert_ok(world, sn_accumulator_read_positions(a, world, first, 1, padded, 4 * sizeof(sn_real)));
        assert_memory_equal(padded, &after[0], sizeof(sn_vec3));
        assert_ok(world, sn_accumulator_body_pose(a, world, box, 0, &place, &turn));
        assert_vec_same(place, box_before);
        assert_memory_equal(&turn, &turn_before, sizeof turn);
        assert_ok(world, sn_accumulator_read_poses(a, world, 1, 1, &place, &turn));
        sn_quat turn_after = sn_body_rotation(world, box);
        assert_vec_same(place, sn_body_position(world, box));
        assert_memory_equal(&turn, &turn_after, sizeof turn);
        assert_ok(world, sn_accumulator_body_pose(a, world, paddle, 0, &place, &turn));
        assert_vec_same(place, paddle_before.position);
        assert_memory_equal(&turn, &paddle_before.rotation, sizeof turn);
        assert_ok(world, sn_accumulator_body_pose(a, world, paddle, 1, &place, NULL));
        assert_vec_same(place, paddle_after.position);
    }
    finish(a, world);
}

/* Constant velocity and constant spin: at every frame, however long it was, things are drawn where they are one step ago. The centre of
   mass moves straight, also where the body's own frame lies elsewhere. */
static void test_even_motion(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1);
    assert_ok(world, sn_particle_set_velocity(world, p, vec(1, 2, -3)));
    sn_shape_def ball = sn_default_shape_def(SN_SHAPE_SPHERE);
    sn_body_def def = sn_default_body_def();
    ball.position = vec(2, 0, 0); /* of the own frame, about whose centre it turns */
    def.shapes = &ball;
    def.shape_count = 1;
    def.position = vec(8, 0, 0);
    def.velocity = vec(0, 1, 0);
    def.spin = vec(0, 0, 20); /* 0.31 rad a step */
    sn_body body;
    assert_ok(world, sn_body_add(world, &def, &body));
    sn_accumulator *a = accumulator(world, DT, 100);
    uint64_t random = 9;
    double time = 0;
    for (int i = 0; i < 300; ++i) {
        double seconds = support_random_in(&random, 0, 0.04), t;
        time += seconds;
        frame(a, world, seconds);
        if ((t = time - DT) < 0)
            continue;
        sn_real alpha = sn_accumulator_alpha(a);
        assert_vec_close(sn_accumulator_position(a, world, p, alpha), vec(t, 2 * t, -3 * t), 4e-5);
        sn_vec3 place;
        sn_quat turn;
        assert_ok(world, sn_accumulator_body_pose(a, world, body, alpha, &place, &turn));
        assert_quat_close(turn, (sn_quat){0, 0, (sn_real)sin(10 * t), (sn_real)cos(10 * t)}, 1e-6);
        assert_vec_close(place, vec(10 - 2 * cos(20 * t), t - 2 * sin(20 * t), 0), 2e-4);
    }
    finish(a, world);
}

/* ---- What must not be smeared ------------------------------------------------------------------------------------------ */

typedef struct pair {
    sn_world *world;
    sn_accumulator *a;
    sn_particle edited, other;
    sn_body box;
    sn_vec3 before; /* where `other` was before the last step */
} pair;

/* Two particles and a box that fly, half a step after the second step. */
static pair flying(void)
{
    pair p = {.world = weightless()};
    p.edited = sn_particle_add_at(p.world, vec(0, 0, 0), 1);
    p.other = sn_particle_add_at(p.world, vec(0, 5, 0), 1);
    p.box = sn_body_add_box(p.world, vec(0, 10, 0), vec(1, 1, 1), 1);
    assert_ok(p.world, sn_particle_set_velocity(p.world, p.edited, vec(1, 0, 0)));
    assert_ok(p.world, sn_particle_set_velocity(p.world, p.other, vec(1, 0, 0)));
    assert_ok(p.world, sn_body_set_velocity(p.world, p.box, vec(1, 0, 0), vec(0, 0, 0)));
    p.a = accumulator(p.world, DT, 5);
    frame(p.a, p.world, DT);
    p.before = sn_particle_position(p.world, p.other);
    frame(p.a, p.world, 1.5 * DT);
    assert_close(sn_accumulator_position(p.a, p.world, p.edited, (sn_real)0.5).x, 1.5 * DT, 1e-7);
    return p;
}

static void assert_in_between(const pair *p, sn_particle particle)
{
    sn_vec3 now = sn_particle_position(p->world, particle),
            drawn = sn_accumulator_position(p->a, p->world, particle, (sn_real)0.5);
    assert_close(drawn.x, (double)now.x - DT / 2, 1e-6);
}

static void assert_where_it_is(const pair *p, sn_particle particle)
{
    assert_vec_same(sn_accumulator_position(p->a, p->world, particle, (sn_real)0.5),
                    sn_particle_position(p->world, particle));
}

static void test_teleports(void **state)
{
    (void)state;
    pair p = flying();
    sn_vec3 place;
    sn_quat turn;
    assert_ok(p.world, sn_particle_set_position(p.world, p.edited, vec(100, 0, 0)));
    assert_where_it_is(&p, p.edited);
    assert_in_between(&p, p.other);
    frame(p.a, p.world, DT); /* from the new place on it is drawn in between again */
    assert_in_between(&p, p.edited);
    assert_in_between(&p, p.other);
    assert_ok(p.world, sn_body_set_pose(p.world, p.box, sn_body_position(p.world, p.box), (sn_quat){0, 0, 1, 0}));
    assert_ok(p.world, sn_accumulator_body_pose(p.a, p.world, p.box, (sn_real)0.5, &place, &turn));
    assert_vec_same(place, sn_body_position(p.world, p.box)); /* also where it was only turned */
    assert_true(turn.z == 1 && turn.w == 0);
    finish(p.a, p.world);
}

/* A number that is used again is another particle. */
static void test_coming_and_going(void **state)
{
    (void)state;
    pair p = flying();
    sn_vec3 x = sn_particle_position(p.world, p.edited);
    assert_ok(p.world, sn_particle_remove(p.world, p.edited));
    assert_true(support_is_nan(sn_accumulator_position(p.a, p.world, p.edited, (sn_real)0.5)));
    sn_vec3 all[8];
    memset(all, 0x55, sizeof all);
    sn_vec3 untouched = all[0];
    assert_ok(p.world, sn_accumulator_read_all_positions(p.a, p.world, (sn_real)0.5, 8, &all[0].x, 0));
    assert_memory_equal(&all[0], &untouched, sizeof untouched);
    assert_close(all[1].x, 1.5 * DT, 1e-6);
    sn_particle again = sn_particle_add_at(p.world, x, 1), more = sn_particle_add_at(p.world, vec(7, 7, 7), 1);
    assert_int_equal(again.index, p.edited.index);
    assert_where_it_is(&p, again);
    assert_where_it_is(&p, more);
    assert_in_between(&p, p.other);
    sn_body gone = p.box, next;
    assert_ok(p.world, sn_body_remove(p.world, gone));
    next = sn_body_add_box(p.world, vec(3, 3, 3), vec(1, 1, 1), 1);
    sn_vec3 place;
    assert_int_equal(sn_accumulator_body_pose(p.a, p.world, gone, 0, &place, NULL), SN_ERROR_STALE);
    assert_ok(p.world, sn_accumulator_body_pose(p.a, p.world, next, 0, &place, NULL));
    assert_vec_same(place, sn_body_position(p.world, next));
    finish(p.a, p.world);
}

/* Loading, rewinding, steps of others, statics: all is drawn where it is. */
static void test_other_states(void **state)
{
    (void)state;
    for (int way = 0; way < 4; ++way) {
        pair p = flying();
        sn_snapshot *saved = sn_world_save(p.world);
        sn_rewind *rewind = sn_rewind_create(p.world, 1 << 20);
        assert_ok(p.world, sn_rewind_record(rewind, p.world));
        frame(p.a, p.world, DT);
        assert_in_between(&p, p.other);
        if (way == 0)
            assert_ok(p.world, sn_world_load(p.world, saved));
        else if (way == 1)
            assert_ok(p.world, sn_rewind_back(rewind, p.world, 0));
        else if (way == 2)
            assert_ok(p.world, sn_world_step(p.world, (sn_real)DT));
        else
            assert_ok(p.world, sn_accumulator_reset(p.a, p.world));
        assert_where_it_is(&p, p.edited);
        assert_where_it_is(&p, p.other);
        frame(p.a, p.world, 1.5 * DT);
        assert_in_between(&p, p.other);
        sn_snapshot_destroy(saved);
        sn_rewind_destroy(rewind);
        finish(p.a, p.world);
    }
}

/* Also where a thing happens to be where the last step left it. */
static void test_other_state_same_place(void **state)
{
    (void)state;
    sn_world *world = weightless();
    sn_particle p = sn_particle_add_at(world, vec(1, 0, 0), SN_IMMOVABLE);
    sn_accumulator *a = accumulator(world, DT, 5);
    sn_snapshot *there = sn_world_save(world);
    assert_ok(world, sn_particle_set_position(world, p, vec(0, 0, 0)));
    assert_ok(world, sn_particle_move_to(world, p, vec(1, 0, 0)));
    frame(a, world, DT);
    assert_vec_same(sn_accumulator_position(a, world, p, (sn_real)0.5), vec(0.5, 0, 0));
    assert_ok(world, sn_world_load(world, there));
    assert_vec_same(sn_accumulator_position(a, world, p, (sn_real)0.5), vec(1, 0, 0));
    sn_snapshot_destroy(there);
    finish(a, world);
}

/* Both states move with the origin: nothing jumps on the screen but by the shift itself. */
static void test_origin(void **state)
{
    (void)state;
    static const double far[] = {1, 12345.678, -1e6};
    for (int i = 0; i < 3; ++i) {
        pair p = flying();
        sn_vec3 before = sn_accumulator_position(p.a, p.world, p.other, (sn_real)0.5);
        assert_ok(p.world, sn_world_shift_origin(p.world, vec(far[i], 0, far[i] / 3)));
        sn_vec3 now = sn_particle_position(p.world, p.other);
        sn_vec3 after = sn_accumulator_position(p.a, p.world, p.other, (sn_real)0.5);
        double last = fabs(far[i]) * (sizeof(sn_real) == 4 ? 0x1p-23 : 0x1p-52) + 1e-7;
        assert_close(after.x, (double)before.x - (double)(sn_real)far[i], last);
        if (fabs(far[i]) < 1e5) /* where the motion of a step is still seen in single precision */
            assert_true(after.x < now.x);
        assert_ok(p.world, sn_particle_set_position(p.world, p.edited, vec(5, 5, 5)));
        assert_where_it_is(&p, p.edited);
        assert_ok(p.world, sn_world_shift_origin(p.world, vec(-far[i], 0, -far[i] / 3)));
        frame(p.a, p.world, DT);
        assert_close(sn_accumulator_position(p.a, p.world, p.other, (sn_real)0.5).x,
                     (double)sn_particle_position(p.world, p.other).x - DT / 2, 1e-6);
        finish(p.a, p.world);
    }
}

/* ---- Failure ------------------------------------------------------------------------------------------------------------- */

static bool yes(void *context)
{
    return ++*(int *)context > 0;
}

/* A step that fails or is cancelled stays due, and what was drawn is drawn as before. */
static void test_failing_steps(void **state)
{
    (void)state;
    pair p = flying();
    int asked = 0;
    uint64_t hash = sn_world_hash(p.world);
    sn_vec3 drawn = sn_accumulator_position(p.a, p.world, p.other, (sn_real)0.5);
    assert_ok(p.world, sn_particle_set_position(p.world, p.edited, vec(100, 0, 0)));
    hash = sn_world_hash(p.world);
    assert_ok(p.world, sn_accumulator_add(p.a, p.world, DT, NULL));
    assert_ok(p.world, sn_world_set_cancel(p.world, yes, &asked));
    assert_int_equal(sn_accumulator_step(p.a, p.world), SN_CANCELLED);
    assert_true(asked > 0);
    assert_int_equal(sn_accumulator_due(p.a), 1);
    assert_true(sn_accumulator_alpha(p.a) == 1);
    assert_true(sn_world_hash(p.world) == hash);
    assert_vec_same(sn_accumulator_position(p.a, p.world, p.other, (sn_real)0.5), drawn);
    assert_where_it_is(&p, p.edited); /* teleported before the step that failed */
    assert_ok(p.world, sn_world_set_cancel(p.world, NULL, NULL));
    assert_ok(p.world, sn_accumulator_step(p.a, p.world));
    assert_int_equal(sn_accumulator_due(p.a), 0);
    assert_true(sn_accumulator_alpha(p.a) == (sn_real)0.5);
    assert_in_between(&p, p.edited);
    assert_in_between(&p, p.other);
    finish(p.a, p.world);
}

/* Every request for memory fails once, and the step is taken afterwards. Then there are no more requests. */
static void test_memory(void **state)
{
    (void)state;
    bool again = true;
    for (uint64_t fail_at = 1; again; ++fail_at) {
        support_memory memory = {.fail_at = fail_at};
        sn_world_def def = support_scarce(&memory);
        sn_world *world = NULL;
        if (sn_world_create(&def, &world) != SN_OK)
            continue;
        sn_accumulator *a = sn_accumulator_create(world, NULL);
        for (int i = 0; a && i < 40; ++i) {
            sn_particle_add_at(world, vec(i, 0, 0), 1);
            assert_ok(world, sn_accumulator_add(a, world, 1.0 / 50, NULL));
            while (sn_accumulator_due(a)) {
                uint64_t hash = sn_world_hash(world);
                uint32_t due = sn_accumulator_due(a);
                if (sn_accumulator_step(a, world) == SN_ERROR_MEMORY)
                    assert_true(sn_world_hash(world) == hash && sn_accumulator_due(a) == due);
                else
                    assert_int_equal(sn_accumulator_due(a), due - 1);
            }
        }
        uint64_t requests = memory.requests;
        for (int i = 0; a && i < 20; ++i)
            frame(a, world, 1.0 / 50);
        assert_true(memory.requests == requests);
        sn_accumulator_destroy(a);
        again = support_had_failed(world, &memory);
    }
}

static void test_bad_input(void **state)
{
    (void)state;
    pair p = flying();
    static const double bad_seconds[] = {-1e-9, NAN, INFINITY, -INFINITY, 1.1e9};
    static const double bad_alpha[] = {-1e-6, 1.000001, NAN, INFINITY};
    uint32_t due = sn_accumulator_due(p.a);
    sn_real alpha = sn_accumulator_alpha(p.a);
    double dropped = 5;
    sn_vec3 x;
    for (size_t i = 0; i < sizeof bad_seconds / sizeof *bad_seconds; ++i) {
        assert_int_equal(sn_accumulator_add(p.a, p.world, bad_seconds[i], &dropped), SN_ERROR_ARGUMENT);
        assert_says(sn_world_error(p.world), "frame must be 0 to");
        assert_true(dropped == 5 && sn_accumulator_due(p.a) == due && sn_accumulator_alpha(p.a) == alpha);
    }
    for (size_t i = 0; i < sizeof bad_alpha / sizeof *bad_alpha; ++i) {
        assert_int_equal(sn_accumulator_read_all_positions(p.a, p.world, (sn_real)bad_alpha[i], 1, &x.x, 0),
                         SN_ERROR_ARGUMENT);
        assert_says(sn_world_error(p.world), "alpha must be 0 to 1");
        assert_true(support_is_nan(sn_accumulator_position(p.a, p.world, p.other, (sn_real)bad_alpha[i])));
        assert_int_equal(sn_accumulator_body_pose(p.a, p.world, p.box, (sn_real)bad_alpha[i], &x, NULL),
                         SN_ERROR_ARGUMENT);
    }
    assert_int_equal(sn_accumulator_step(p.a, p.world), SN_ERROR_ARGUMENT);
    assert_says(sn_world_error(p.world), "no step is due");
    assert_int_equal(sn_accumulator_read_all_positions(p.a, p.world, 0, 1, NULL, 0), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_accumulator_read_all_positions(p.a, p.world, 0, 1, &x.x, 5), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_accumulator_add(NULL, p.world, 0, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_accumulator_add(p.a, NULL, 0, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_accumulator_due(NULL), 0);
    assert_true(isnan(sn_accumulator_alpha(NULL)));
    sn_accumulator_def usual = sn_default_accumulator_def();
    assert_true(usual.dt == real(1.0 / 60) && usual.most_steps == 5);
    static const sn_accumulator_def bad[] = {{0, 5}, {-1, 5}, {(sn_real)NAN, 5}, {(sn_real)INFINITY, 5}, {1, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        assert_null(sn_accumulator_create(p.world, &bad[i]));
    assert_null(sn_accumulator_create(NULL, NULL));
    sn_accumulator_destroy(NULL);
    finish(p.a, p.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_time_is_lost),
        cmocka_unit_test(test_no_time_is_lost_by_rounding),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_same_motion_at_every_frame_rate),
        cmocka_unit_test(test_ends_are_exact),
        cmocka_unit_test(test_even_motion),
        cmocka_unit_test(test_teleports),
        cmocka_unit_test(test_coming_and_going),
        cmocka_unit_test(test_other_states),
        cmocka_unit_test(test_origin),
        cmocka_unit_test(test_other_state_same_place),
        cmocka_unit_test(test_failing_steps),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
