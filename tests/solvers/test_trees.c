/* Chains and trees within the default solver: which of them are solved directly, that nothing stretches then, and that all else the
   engine does goes on as before. */
#include "support/graphs.h"

#include "world/world.h"

#include <math.h>

#define LENGTH 2.0 /* m, of a rope */
#define STEP   (1.0 / 60)

enum { MOST = 1000 };

typedef struct rope {
    sn_world *world;
    uint32_t links;
    double link; /* m */
    sn_particle particle[MOST + 1];
    sn_constraint rod[MOST];
} rope;

static sn_world *make_world(uint32_t threads, sn_simd simd)
{
    sn_world_def def = sn_default_world_def();
    def.threads = threads;
    def.simd = simd;
    return sn_world_def_check(&def, NULL, 0) == SN_OK ? support_world_from(&def) : NULL;
}

/* A rope of 1 kg that lies along x, held at its start, with a load at its end. */
static rope hang(sn_world *world, uint32_t links, double load, uint32_t kind, double compliance)
{
    rope r = {.world = world, .links = links, .link = LENGTH / links};
    for (uint32_t i = 0; i <= links; ++i) {
        const double mass = 1.0 / links + (i == links ? load : 0);
        r.particle[i] = sn_particle_add_at(world, vec(r.link * i, 0, 0), i ? real(mass) : SN_IMMOVABLE);
    }
    for (uint32_t i = 0; i < links; ++i) {
        const sn_point points[] = {sn_at(r.particle[i]), sn_at(r.particle[i + 1])};
        sn_constraint_def def = sn_default_constraint_def(kind);
        def.points = points;
        def.param[0] = real(r.link);
        def.compliance = real(compliance);
        assert_ok(world, sn_constraint_add(world, &def, &r.rod[i]));
    }
    return r;
}

/* The most that a link is too long, or too short unless it is a rope's, as a share of its length. */
static double stretch(const rope *r, bool one_way)
{
    double most = 0;
    for (uint32_t i = 0; i < r->links; ++i) {
        const double length = support_gap(sn_particle_position(r->world, r->particle[i]),
                                          sn_particle_position(r->world, r->particle[i + 1]));
        const double off = length / r->link - 1;
        most = fmax(most, one_way ? off : fabs(off));
    }
    return most;
}

/* ---- What comes out --------------------------------------------------------------------------------------------------- */

static void ropes_hold_any_load(void **state)
{
    (void)state;
    support_skip_watched();
    static const uint32_t links[] = {20, 100}, kinds[] = {SN_KIND_DISTANCE, SN_KIND_DISTANCE_MAX};
    static const double loads[] = {0, 1, 100, 10000};
    for (uint32_t n = 0; n < COUNT_OF(links); ++n)
        for (uint32_t k = 0; k < COUNT_OF(kinds); ++k)
            for (uint32_t l = 0; l < COUNT_OF(loads); ++l) {
                rope r = hang(make_world(1, SN_SIMD_AUTO), links[n], loads[l], kinds[k], 0);
                double most = 0;
                for (uint32_t frame = 0; frame < support_long(600, 90); ++frame) {
                    support_run(r.world, 1, STEP);
                    most = fmax(most, stretch(&r, kinds[k] == SN_KIND_DISTANCE_MAX));
                }
                if (!(most < 1e-3))
                    fail_msg("%u links with %g kg at the end: off by %g of a link", links[n], loads[l], most);
                sn_world_destroy(r.world);
            }
}

/* A step of Newton's method alone leaves the links of a falling rope off by 18 % with one substep of 1/30 s; and what rows give, of a rope of 1,000
   links with 10,000 times its mass, by 0.3 % with ten. */
static void however_fine_a_rope_and_long_a_substep(void **state)
{
    (void)state;
    support_skip_watched();
    static const struct {
        uint32_t links, substeps;
        double load;
    } cases[] = {{100, 1, 1}, {100, 1, 10000}, {1000, 10, 10000}};
    for (uint32_t i = 0; i < COUNT_OF(cases); ++i)
        for (uint32_t k = 0; k < 2; ++k) {
            rope r = hang(make_world(1, SN_SIMD_AUTO), cases[i].links, cases[i].load,
                          k ? SN_KIND_DISTANCE_MAX : SN_KIND_DISTANCE, 0);
            sn_settings settings = sn_world_settings(r.world);
            settings.substeps = cases[i].substeps;
            assert_ok(r.world, sn_world_configure(r.world, &settings));
            for (uint32_t frame = 0; frame < 20; ++frame) {
                support_run(r.world, 1, 1.0 / 30);
                if (!(stretch(&r, k) < 1e-3))
                    fail_msg("%u links, %u substeps, %g kg: off by %g of a link", cases[i].links, cases[i].substeps,
                             cases[i].load, stretch(&r, k));
            }
            sn_world_destroy(r.world);
        }
}

/* Hung on a rope of stiffness EA, a load pulls it out by load g / EA, whatever the number of links and the step. */
static void a_soft_rope_stretches_as_it_should(void **state)
{
    (void)state;
    static const uint32_t links[] = {10, 80};
    static const double steps[] = {1.0 / 30, 1.0 / 120};
    const double load = 10, stiffness = 1e5; /* kg, N */
    for (uint32_t n = 0; n < COUNT_OF(links); ++n)
        for (uint32_t s = 0; s < COUNT_OF(steps); ++s) {
            sn_world *world = make_world(1, SN_SIMD_AUTO);
            sn_settings settings = sn_world_settings(world);
            settings.damping = real(2);
            assert_ok(world, sn_world_configure(world, &settings));
            rope r = hang(world, links[n], load, SN_KIND_DISTANCE, LENGTH / links[n] / stiffness);
            for (uint32_t i = 1; i <= r.links; ++i) /* downwards */
                assert_ok(world, sn_particle_set_position(world, r.particle[i], vec(0, -r.link * i, 0)));
            support_run(world, (uint32_t)(10 / steps[s]), steps[s]);
            const double out = -(double)sn_particle_position(world, r.particle[r.links]).y - LENGTH;
            assert_close(out, (load + 0.5) * 9.81 * LENGTH / stiffness, 0.05 * load * 9.81 * LENGTH / stiffness);
            sn_world_destroy(world);
        }
}

/* A rope moves as the direct solver moves it. */
static void as_the_direct_solver(void **state)
{
    (void)state;
    support_skip_watched();
    rope a = hang(make_world(1, SN_SIMD_AUTO), 30, 5, SN_KIND_DISTANCE, 0);
    rope b = hang(make_world(1, SN_SIMD_AUTO), 30, 5, SN_KIND_DISTANCE, 0);
    sn_settings settings = sn_world_settings(b.world);
    settings.solver = SN_SOLVER_DIRECT;
    assert_ok(b.world, sn_world_configure(b.world, &settings));
    support_run(a.world, 20, STEP);
    support_run(b.world, 20, STEP);
    assert_true(graph_distance(a.world, b.world) < 1e-5);
    sn_world_destroy(a.world);
    sn_world_destroy(b.world);
}

/* A hundred bodies on ball joints, the last of which weighs ten thousand times as much. */
static void a_chain_of_bodies_holds(void **state)
{
    (void)state;
    enum { BODIES = 100 };
    const double size = 0.1;
    sn_world *world = make_world(1, SN_SIMD_AUTO);
    sn_body body[BODIES];
    for (uint32_t i = 0; i < BODIES; ++i) {
        sn_body_def def = sn_default_body_def();
        const double mass = i + 1 < BODIES ? 1 : 1e4, moment = mass * size * size / 6;
        def.position = vec(size * (i + 0.5), 0, 0);
        def.mass = real(mass);
        def.moments = vec(moment, moment, moment);
        assert_ok(world, sn_body_add(world, &def, &body[i]));
        const sn_point points[] = {i ? sn_on_body(body[i - 1], vec(size / 2, 0, 0)) : sn_at_place(vec(0, 0, 0)),
                                   sn_on_body(body[i], vec(-size / 2, 0, 0))};
        sn_constraint_def joint = sn_default_constraint_def(SN_KIND_JOINT_BALL);
        joint.points = points;
        assert_ok(world, sn_constraint_add(world, &joint, NULL));
    }
    for (uint32_t frame = 0; frame < support_long(300, 60); ++frame) {
        support_run(world, 1, STEP);
        for (uint32_t i = 1; i < BODIES; ++i) {
            const double gap = support_gap(sn_body_to_world(world, body[i - 1], vec(size / 2, 0, 0)),
                                           sn_body_to_world(world, body[i], vec(-size / 2, 0, 0)));
            if (!(gap < 1e-3 * size))
                fail_msg("joint %u is open by %g m in frame %u", i, gap, frame);
        }
    }
    sn_world_destroy(world);
}

/* A rope that is tied to the centre of a ball: what cannot leave the ball does not collide with it, and what can does. */
static void a_rope_tied_within_a_ball(void **state)
{
    (void)state;
    rope r = hang(make_world(1, SN_SIMD_AUTO), 20, 0, SN_KIND_DISTANCE_MAX, 0);
    for (uint32_t i = 1; i <= r.links; ++i)
        assert_ok(r.world, sn_particle_set_position(r.world, r.particle[i], vec(0, -r.link * i, 0)));
    sn_body ball =
        sn_body_add_sphere(r.world, vec(0, -LENGTH, 0), real(0.25), real(75 / (4.18879 * 0.25 * 0.25 * 0.25)));
    const sn_point points[] = {sn_at(r.particle[20]), sn_on_body(ball, vec(0, 0, 0))};
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_ATTACHMENT);
    def.points = points;
    assert_ok(r.world, sn_constraint_add(r.world, &def, NULL));
    assert_ok(r.world, sn_particle_set_position(r.world, r.particle[0], vec(0, 0, 0)));
    double most = 0;
    for (uint32_t frame = 0; frame < 90; ++frame) {
        support_run(r.world, 1, STEP);
        most = fmax(most, stretch(&r, true));
    }
    assert_true(most < 1e-3);
    /* the middle of the rope, laid onto the ball, stays outside of it */
    assert_ok(r.world, sn_particle_set_position(r.world, r.particle[10], vec(0.1, -LENGTH, 0)));
    support_run(r.world, 1, STEP);
    assert_true(support_gap(sn_particle_position(r.world, r.particle[10]), sn_body_position(r.world, ball)) > 0.2);
    sn_world_destroy(r.world);
}

/* Left to itself, a rope gains no energy, whatever the number of substeps; and where nothing holds it, it keeps its momentum. */
static void no_energy_is_gained(void **state)
{
    (void)state;
    support_skip_watched();
    static const uint32_t substeps[] = {1, 3, 10, 30};
    for (uint32_t i = 0; i < COUNT_OF(substeps); ++i) {
        rope r = hang(make_world(1, SN_SIMD_AUTO), 20, 10, i % 2 ? SN_KIND_DISTANCE_MAX : SN_KIND_DISTANCE, 0);
        sn_settings settings = sn_world_settings(r.world);
        settings.substeps = substeps[i];
        assert_ok(r.world, sn_world_configure(r.world, &settings));
        double least = INFINITY, rise = 0;
        for (uint32_t frame = 0; frame < support_long(3600, 300); ++frame) {
            sn_report report;
            support_run(r.world, 1, STEP);
            assert_ok(r.world, sn_world_report(r.world, &report));
            const double energy = (double)report.kinetic + (double)report.potential;
            least = fmin(least, energy);
            rise = fmax(rise, energy - least);
        }
        assert_true(rise < 1e-3 * 11 * 9.81 * LENGTH);
        sn_world_destroy(r.world);
    }
}

static void a_free_rope_keeps_its_momentum(void **state)
{
    (void)state;
    rope r = hang(make_world(1, SN_SIMD_AUTO), 40, 5, SN_KIND_DISTANCE, 0);
    sn_settings settings = sn_world_settings(r.world);
    settings.gravity = vec(0, 0, 0);
    assert_ok(r.world, sn_world_configure(r.world, &settings));
    assert_ok(r.world, sn_particle_set_mass(r.world, r.particle[0], real(1)));
    assert_ok(r.world, sn_particle_set_velocity(r.world, r.particle[20], vec(1, 2, 3)));
    support_run(r.world, 1, STEP);
    sn_report before, after;
    assert_ok(r.world, sn_world_report(r.world, &before));
    support_run(r.world, 100, STEP);
    assert_ok(r.world, sn_world_report(r.world, &after));
    assert_true(r.world->plan.tree_table.count == r.links);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_close(before.momentum[i], after.momentum[i], 1e-5);
        assert_close(before.angular_momentum[i], after.angular_momentum[i], 1e-4);
    }
    sn_world_destroy(r.world);
}

/* ---- Which are chosen ---------------------------------------------------------------------------------------------------- */

static uint32_t chosen(sn_world *world)
{
    support_run(world, 1, STEP);
    assert_planned(world, "trees");
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->plan.tree_table.count; ++i)
        count += world->plan.tree[i].kind != 0;
    return count;
}

static void what_carries_much_is_chosen(void **state)
{
    (void)state;
    rope r = hang(make_world(1, SN_SIMD_AUTO), 4, 0, SN_KIND_DISTANCE, 0);
    assert_int_equal(chosen(r.world), 0); /* short and light */
    assert_ok(r.world, sn_particle_set_mass(r.world, r.particle[4], real(0.4)));
    assert_int_equal(chosen(r.world), 0);
    assert_ok(r.world, sn_particle_set_mass(r.world, r.particle[4], real(10)));
    assert_int_equal(chosen(r.world), 4);
    assert_ok(r.world, sn_particle_set_mass(r.world, r.particle[0], real(1))); /* nothing hangs any more, and yet */
    assert_int_equal(chosen(r.world), 0);
    sn_settings settings = sn_world_settings(r.world);
    assert_ok(r.world, sn_particle_set_mass(r.world, r.particle[0], SN_IMMOVABLE));
    settings.stiffening = SN_STIFFENING_OFF;
    assert_ok(r.world, sn_world_configure(r.world, &settings));
    assert_int_equal(chosen(r.world), 0);
    settings.stiffening = SN_STIFFENING_AUTO;
    assert_ok(r.world, sn_world_configure(r.world, &settings));
    assert_int_equal(chosen(r.world), 4);
    sn_world_destroy(r.world);
}

/* A ring is no tree, unless one of its particles is immovable. Set free, it is still whole. */
static void a_ring_that_is_pinned(void **state)
{
    (void)state;
    rope r = hang(make_world(1, SN_SIMD_AUTO), 20, 0, SN_KIND_DISTANCE_MAX, 0);
    sn_constraint last = sn_constraint_add_distance(r.world, sn_at(r.particle[0]), sn_at(r.particle[20]), real(r.link));
    assert_int_equal(chosen(r.world), 21);
    support_run(r.world, 60, STEP);
    assert_true(stretch(&r, true) < 1e-3);
    assert_ok(r.world, sn_particle_set_mass(r.world, r.particle[0], real(1)));
    assert_int_equal(chosen(r.world), 0);
    support_run(r.world, 60, STEP);
    assert_true(stretch(&r, true) < 0.05);
    sn_real value[SN_MAX_ROWS];
    assert_ok(r.world, sn_constraint_value(r.world, last, value));
    assert_true(fabs((double)value[0]) < 0.05 * r.link);
    sn_world_destroy(r.world);
}

/* A target holds what it leads for a step at a time. */
static void a_led_ring_stays_whole(void **state)
{
    (void)state;
    rope r = hang(make_world(1, SN_SIMD_AUTO), 20, 0, SN_KIND_DISTANCE_MAX, 0);
    sn_constraint_add_distance(r.world, sn_at(r.particle[0]), sn_at(r.particle[20]), real(r.link));
    for (uint32_t frame = 0; frame < 60; ++frame) {
        assert_ok(r.world, sn_particle_move_to(r.world, r.particle[10], vec(1 - 0.01 * frame, 0, 0)));
        support_run(r.world, 1, STEP);
    }
    assert_true(stretch(&r, true) < 1e-3);
    sn_world_destroy(r.world);
}

/* ---- Edits --------------------------------------------------------------------------------------------------------------- */

static void a_rope_that_is_cut(void **state)
{
    (void)state;
    rope r = hang(make_world(1, SN_SIMD_AUTO), 20, 100, SN_KIND_DISTANCE, 0);
    support_run(r.world, 30, STEP);
    assert_ok(r.world, sn_constraint_remove(r.world, r.rod[10]));
    assert_int_equal(chosen(r.world), 19);
    support_run(r.world, 30, STEP);
    const double gap =
        support_gap(sn_particle_position(r.world, r.particle[10]), sn_particle_position(r.world, r.particle[11]));
    assert_true(gap > 0.5);
    r.links = 10;
    assert_true(stretch(&r, false) < 1e-3);
    sn_world_destroy(r.world);
}

static void a_load_that_comes_later(void **state)
{
    (void)state;
    rope r = hang(make_world(1, SN_SIMD_AUTO), 5, 0, SN_KIND_DISTANCE, 0);
    assert_int_equal(chosen(r.world), 0);
    sn_particle load = sn_particle_add_at(r.world, vec(LENGTH + 0.1, 0, 0), real(100));
    sn_constraint_add_distance(r.world, sn_at(r.particle[5]), sn_at(load), real(0.1));
    assert_int_equal(chosen(r.world), 6);
    support_run(r.world, 60, STEP);
    assert_true(stretch(&r, false) < 1e-3);
    sn_world_destroy(r.world);
}

/* A link that gives way under its force is gone, and what hangs on the others does not notice. */
static void a_link_breaks(void **state)
{
    (void)state;
    rope r = hang(make_world(1, SN_SIMD_AUTO), 20, 10, SN_KIND_DISTANCE, 0);
    assert_ok(r.world,
              sn_constraint_set_strength(r.world, r.rod[15], real(150), 0)); /* N; it swings through with 3 m g */
    uint32_t frames = 0;
    while (sn_constraint_is_valid(r.world, r.rod[15]) && ++frames < 200)
        support_run(r.world, 1, STEP);
    assert_in_range(frames, 5, 100);
    assert_int_equal(chosen(r.world), 19);
    sn_world_destroy(r.world);
}

/* ---- The same bits ---------------------------------------------------------------------------------------------------------- */

static void add_all(sn_world *world)
{
    uint64_t seed = 5;
    for (uint32_t i = 0; i < 30; ++i) {
        rope r = hang(world, 4 + 3 * i, i % 5, i % 2 ? SN_KIND_DISTANCE : SN_KIND_DISTANCE_MAX, i % 3 ? 0 : 1e-5);
        for (uint32_t k = 0; k <= r.links; ++k)
            sn_particle_set_position(world, r.particle[k], vec(r.link * k, 0, 0.5 * i));
        if (i % 4 == 0)
            sn_constraint_add_distance(world, sn_at(r.particle[2]),
                                       sn_at(sn_particle_add_at(world, vec(0, 1, 0.5 * i), real(3))), real(1));
    }
    graph_grid(world, 20, 20, false);
    graph_shapes[GRAPH_TREE].build(world, 300, &seed);
}

static void threads_and_widths_change_nothing(void **state)
{
    (void)state;
    sn_world *first = make_world(1, SN_SIMD_AUTO);
    add_all(first);
    support_run(first, 10, STEP);
    assert_true(first->plan.tree_table.count > 500);
    for (int simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd)
        for (uint32_t threads = 1; threads <= 4; threads += 3) {
            sn_world *other = make_world(threads, (sn_simd)simd);
            if (!other)
                continue;
            other->parallel.eager = true;
            add_all(other);
            support_run(other, 10, STEP);
            assert_true(sn_world_hash(other) == sn_world_hash(first));
            sn_world_destroy(other);
        }
    sn_world_destroy(first);
}

static void a_snapshot_in_the_middle(void **state)
{
    (void)state;
    sn_world *world = make_world(1, SN_SIMD_AUTO), *other = make_world(1, SN_SIMD_AUTO);
    add_all(world);
    support_run(world, 5, STEP);
    sn_snapshot *middle = sn_world_save(world);
    assert_ok(other, sn_world_load(other, middle));
    support_run(world, 5, STEP);
    support_run(other, 5, STEP);
    assert_true(sn_world_hash(other) == sn_world_hash(world));
    assert_ok(world, sn_world_load(world, middle));
    support_run(world, 5, STEP);
    assert_true(sn_world_hash(other) == sn_world_hash(world));
    sn_snapshot_destroy(middle);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

static void warm_steps_ask_for_no_memory(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.threads = 2;
    def.allocator = support_allocator(&memory);
    sn_world *world = support_world_from(&def);
    add_all(world);
    support_run(world, 2, STEP);
    const uint64_t before = memory.requests;
    support_run(world, 20, STEP);
    assert_int_equal(memory.requests, before);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ropes_hold_any_load),
        cmocka_unit_test(however_fine_a_rope_and_long_a_substep),
        cmocka_unit_test(a_soft_rope_stretches_as_it_should),
        cmocka_unit_test(as_the_direct_solver),
        cmocka_unit_test(a_chain_of_bodies_holds),
        cmocka_unit_test(a_rope_tied_within_a_ball),
        cmocka_unit_test(no_energy_is_gained),
        cmocka_unit_test(a_free_rope_keeps_its_momentum),
        cmocka_unit_test(what_carries_much_is_chosen),
        cmocka_unit_test(a_ring_that_is_pinned),
        cmocka_unit_test(a_led_ring_stays_whole),
        cmocka_unit_test(a_rope_that_is_cut),
        cmocka_unit_test(a_load_that_comes_later),
        cmocka_unit_test(a_link_breaks),
        cmocka_unit_test(threads_and_widths_change_nothing),
        cmocka_unit_test(a_snapshot_in_the_middle),
        cmocka_unit_test(warm_steps_ask_for_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
