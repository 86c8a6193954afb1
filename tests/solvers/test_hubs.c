/* Hubs: particles with more constraints than can be taken one after the other. All of them at once lead to where the
   reference leads, keep momentum, and depend on neither threads nor the order in which they came. */
#include "support/graphs.h"

#include "world/world.h"

#include <math.h>

enum { SPOKES = 400 };

static sn_world_def plain_def(void)
{
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    def.settings.stiffening = SN_STIFFENING_OFF; /* sweeps */
    def.settings.gravity = vec(0, 0, 0);
    return def;
}

/* Particles on a ball about a first one, which is the hub. */
static sn_particles add_ball(sn_world *world, uint32_t count, uint64_t seed)
{
    sn_real *xyz = malloc(3 * ((size_t)count + 1) * sizeof *xyz);
    assert_non_null(xyz);
    for (uint32_t i = 0; i <= count; ++i) {
        double z = support_random_in(&seed, -1, 1), turn = support_random_in(&seed, 0, 6.28), r = sqrt(1 - z * z);
        bool flat = sn_world_dimensions(world) == 2;
        double at[3] = {(flat ? 1 : r) * cos(turn), (flat ? 1 : r) * sin(turn), flat ? 0 : z};
        for (uint32_t k = 0; k < 3; ++k)
            xyz[3 * i + k] = i ? real(at[k]) : 0;
    }
    sn_particles run = sn_particles_add(world, count + 1, xyz, 0, real(0.1));
    free(xyz);
    assert_int_equal(run.count, count + 1);
    return run;
}

/* A constraint of one kind from the hub to each of the others. */
static void add_spokes(sn_world *world, sn_particles ball, uint32_t kind, sn_real compliance, sn_real damping)
{
    for (uint32_t i = 1; i < ball.count; ++i) {
        sn_point points[2] = {sn_at(sn_particles_at(ball, i % 2 ? 0 : i)), sn_at(sn_particles_at(ball, i % 2 ? i : 0))};
        sn_constraint_def def = support_constraint_def(world, kind, points);
        def.compliance = compliance;
        def.damping = damping;
        assert_ok(world, sn_constraint_add(world, &def, NULL));
    }
}

static void stir(sn_world *world, sn_particles ball, double speed)
{
    uint64_t seed = 8;
    bool flat = sn_world_dimensions(world) == 2;
    for (uint32_t i = 0; i < ball.count; ++i) {
        double x = support_random_in(&seed, -speed, speed), y = support_random_in(&seed, -speed, speed);
        double z = flat ? 0 : support_random_in(&seed, -speed, speed);
        assert_ok(world, sn_particle_set_velocity(world, sn_particles_at(ball, i), vec(x, y, z)));
    }
}

static double distance_between(const sn_world *a, const sn_world *b, sn_particles run)
{
    double most = 0;
    for (uint32_t i = 0; i < run.count; ++i) {
        sn_particle p = sn_particles_at(run, i);
        double gap = support_gap(sn_particle_position(a, p), sn_particle_position(b, p));
        most = gap > most || gap != gap ? gap : most;
    }
    return most;
}

static uint32_t hub_count(sn_world *world)
{
    assert_planned(world, "a hub");
    return world->plan.hub_table.count;
}

static void test_momentum(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {SN_KIND_DISTANCE, SN_KIND_DISTANCE_MAX, SN_KIND_DISTANCE_BAND};
    for (uint32_t i = 0; i < COUNT_OF(kinds); ++i) {
        sn_world_def def = plain_def();
        sn_world *world = support_world_from(&def);
        sn_particles ball = add_ball(world, SPOKES, 1);
        sn_report before, after;
        add_spokes(world, ball, kinds[i], 0, 0);
        stir(world, ball, 0.5);
        assert_int_equal(hub_count(world), SPOKES);
        assert_ok(world, sn_world_report(world, &before));
        support_run(world, 20, 1.0 / 60);
        assert_ok(world, sn_world_report(world, &after));
        for (uint32_t k = 0; k < 3; ++k)
            assert_close(after.momentum[k], before.momentum[k], 1e-5 * 0.1 * SPOKES * 0.5);
        assert_true(after.kinetic <= before.kinetic * 1.0001);
        sn_world_destroy(world);
    }
}

/* Rods that begin too long. With nothing but a hub it is what SN_SOLVER_JACOBI does with all. */
static void test_as_jacobi(void **state)
{
    (void)state;
    for (uint32_t iterations = 1; iterations <= 64; iterations *= 4) {
        sn_world *world[2];
        sn_particles ball = {0};
        for (uint32_t k = 0; k < 2; ++k) {
            sn_world_def def = plain_def();
            sn_real rest = real(0.9);
            sn_constraint_walk walk = {0};
            def.settings.substeps = 1;
            def.settings.iterations = iterations;
            def.settings.solver = k ? SN_SOLVER_JACOBI : SN_SOLVER_TILED;
            world[k] = support_world_from(&def);
            ball = add_ball(world[k], SPOKES, 2);
            add_spokes(world[k], ball, SN_KIND_DISTANCE, 0, 0);
            while (sn_constraint_next(world[k], &walk))
                assert_ok(world[k], sn_constraint_set_param(world[k], walk.constraint, "rest", &rest, 1));
            support_run(world[k], 1, 1.0 / 60);
        }
        assert_true(distance_between(world[0], world[1], ball) < 1e-5);
        sn_world_destroy(world[0]);
        sn_world_destroy(world[1]);
    }
}

typedef struct variant {
    uint32_t kind;
    double compliance, damping;
    sn_gradients gradients;
    bool immovable;
    uint32_t dimensions;
    double stiffness;
} variant;

static sn_world *make_variant(const variant *v, sn_solver solver, sn_particles *ball)
{
    sn_world_def def = plain_def();
    def.settings.solver = solver;
    def.settings.gravity = vec(0, -9.81, 0);
    def.settings.gradients = v->gradients;
    def.settings.substeps = 2;
    def.settings.iterations = 3000;
    def.dimensions = v->dimensions;
    sn_world *world = support_world_from(&def);
    *ball = add_ball(world, 300, 3);
    add_spokes(world, *ball, v->kind, real(v->compliance), real(v->damping));
    if (v->stiffness != 1) {
        sn_constraint_walk walk = {0};
        while (sn_constraint_next(world, &walk))
            assert_ok(world, sn_constraint_set_stiffness(world, walk.constraint, real(v->stiffness)));
    }
    stir(world, *ball, v->gradients == SN_GRADIENTS_START ? 4 : 0.2); /* fast enough for gradients to turn */
    if (v->immovable)
        assert_ok(world, sn_particle_set_mass(world, sn_particles_at(*ball, 0), SN_IMMOVABLE));
    return world;
}

/* After many passes it does not matter how they were taken. */
static void test_converges_to_the_reference(void **state)
{
    (void)state;
    static const variant variants[] = {
        {SN_KIND_DISTANCE, 0, 0, SN_GRADIENTS_CURRENT, true, 3, 1},
        {SN_KIND_DISTANCE, 1e-4, 0, SN_GRADIENTS_CURRENT, false, 3, 1},
        {SN_KIND_DISTANCE, 1e-3, 0, SN_GRADIENTS_CURRENT, true, 3, 1},
        {SN_KIND_DISTANCE, 1e-3, 5, SN_GRADIENTS_CURRENT, false, 3, 1},
        {SN_KIND_DISTANCE, 1e-3, 0, SN_GRADIENTS_START, false, 3, 1},
        {SN_KIND_DISTANCE, 0, 0, SN_GRADIENTS_START, true, 3, 1},
        {SN_KIND_DISTANCE, 1e-3, 0, SN_GRADIENTS_CURRENT, false, 2, 1},
        {SN_KIND_DISTANCE, 1e-3, 0, SN_GRADIENTS_CURRENT, false, 3, 0.5},
        {SN_KIND_DISTANCE_MAX, 1e-3, 0, SN_GRADIENTS_CURRENT, true, 3, 1},
        {SN_KIND_ATTACHMENT, 1e-3, 0, SN_GRADIENTS_CURRENT, false, 3, 1},
    };
    for (uint32_t i = 0; i < COUNT_OF(variants); i += support_long(1, 3)) {
        sn_particles ball;
        sn_world *world = make_variant(&variants[i], SN_SOLVER_TILED, &ball);
        sn_world *reference = make_variant(&variants[i], SN_SOLVER_GAUSS_SEIDEL, &ball);
        assert_int_equal(hub_count(world), 300);
        support_run(world, 1, 1.0 / 60);
        support_run(reference, 1, 1.0 / 60);
        double gap = distance_between(world, reference, ball);
        double most_gap = variants[i].kind == SN_KIND_ATTACHMENT ? 1e-3 : 2e-5; /* they begin a metre apart */
        if (!(gap < most_gap))
            fail_msg("variant %u is %g m from the reference", i, gap);
        sn_constraint_walk walk = {0};
        double most = 0, worst = 0;
        while (sn_constraint_next(world, &walk)) {
            double a = (double)sn_constraint_force(world, walk.constraint).magnitude;
            double b = (double)sn_constraint_force(reference, walk.constraint).magnitude;
            most = b > most ? b : most;
            worst = fabs(a - b) > worst ? fabs(a - b) : worst;
        }
        if (!(worst < 0.02 * most + 0.02))
            fail_msg("variant %u: a force is off by %g of %g N", i, worst, most);
        sn_world_destroy(world);
        sn_world_destroy(reference);
    }
}

/* Two hubs that hold each other and the same others, spots that have a hub, and angles over it. */
static void build_tangle(sn_world *world)
{
    sn_particles ball = add_ball(world, SPOKES, 5);
    sn_particle other = sn_particles_at(ball, 1);
    sn_real third = real(1.0 / 3), quarter = real(0.25);
    add_spokes(world, ball, SN_KIND_DISTANCE, real(1e-4), 0);
    for (uint32_t i = 2; i + 2 < ball.count; ++i) {
        sn_particle a = sn_particles_at(ball, i), b = sn_particles_at(ball, i + 1), c = sn_particles_at(ball, i + 2);
        sn_constraint_add_distance(world, sn_at(other), sn_at(a), SN_MEASURE);
        if (i % 5 == 0)
            sn_constraint_add_distance(
                world, sn_on_triangle(other, a, b, third, third, third),
                sn_in_tetrahedron(sn_particles_at(ball, 0), other, c, a, quarter, quarter, quarter, quarter),
                SN_MEASURE);
        if (i % 7 == 0)
            sn_constraint_add_angle(world, sn_at(a), sn_at(other), sn_at(c), SN_MEASURE);
        if (i % 3 == 0)
            sn_constraint_add_pin(world, a);
    }
    stir(world, ball, 0.1);
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (uint32_t threads = 1; threads <= 8; ++threads)
        for (uint32_t slow = 0; slow < 2; ++slow) {
            sn_world_def def = plain_def();
            sn_drag_def drag = sn_default_drag_def();
            def.threads = threads;
            sn_world *world = support_world_from(&def);
            build_tangle(world);
            assert_true(hub_count(world) > SPOKES);
            if (slow)
                assert_ok(world, sn_drag_add(world, &drag, NULL));
            support_run(world, 2, 1.0 / 60);
            if (threads == 1 && !slow)
                hash = sn_world_hash(world);
            if (!slow)
                assert_int_equal(sn_world_hash(world), hash);
            sn_world_destroy(world);
        }
}

static void test_a_tangle_keeps_still(void **state)
{
    (void)state;
    sn_world_def def = plain_def();
    sn_world *world = support_world_from(&def);
    build_tangle(world);
    for (uint32_t i = 0; i < 60; ++i) {
        support_run(world, 1, 1.0 / 60);
        sn_report report;
        assert_ok(world, sn_world_report(world, &report));
        assert_true(report.kinetic < 10);
    }
    sn_world_destroy(world);
}

/* Spokes go one by one, until hardly any are left; others come. */
static void test_edits(void **state)
{
    (void)state;
    sn_world_def def = plain_def();
    sn_world *world = support_world_from(&def);
    sn_particles ball = add_ball(world, SPOKES, 6);
    add_spokes(world, ball, SN_KIND_DISTANCE, 0, 0);
    uint64_t seed = 4;
    for (uint32_t i = 0; i < 300; ++i) {
        assert_ok(world, sn_constraint_remove(world, graph_any_constraint(world, &seed)));
        if (i % 3 == 0)
            sn_constraint_add_distance(world, sn_at(sn_particles_at(ball, 0)), sn_at(sn_particles_at(ball, 1 + i)),
                                       SN_MEASURE);
        assert_planned(world, "a hub that loses spokes");
        if (i % 10 == 0)
            support_run(world, 1, 1.0 / 60);
    }
    assert_ok(world, sn_world_replan(world));
    assert_int_equal(hub_count(world), 0);
    sn_world_destroy(world);
}

/* A kind of one's own that is undefined once its points are too far apart. */
static bool eval_fragile(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_real reach = in->x[1].y - in->x[0].y;
    out->c[0] = fabs((double)reach) > 5 ? (sn_real)NAN : 0;
    out->gradient[0] = vec(0, -1, 0);
    out->gradient[1] = vec(0, 1, 0);
    return true;
}

static void test_a_spoke_that_breaks_is_named(void **state)
{
    (void)state;
    const sn_kind fragile = {.name = "fragile", .points = 2, .rows = 1, .internal = true, .eval = eval_fragile};
    sn_world_def def = plain_def();
    sn_world *world = support_world_from(&def);
    uint32_t kind = sn_kind_register(world, &fragile);
    assert_true(kind != 0);
    sn_particles ball = add_ball(world, SPOKES, 7);
    add_spokes(world, ball, kind, 0, 0);
    assert_int_equal(hub_count(world), SPOKES);
    support_run(world, 1, 1.0 / 60);
    assert_ok(world, sn_particle_set_position(world, sn_particles_at(ball, 123), vec(0, 9, 0)));
    uint64_t hash = sn_world_hash(world);
    assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(1.0 / 60)));
    assert_says(sn_world_error(world), "fragile constraint 122");
    assert_int_equal(sn_world_fault(world).constraint.index, 122);
    assert_int_equal(sn_world_hash(world), hash);
    assert_ok(world, sn_particle_set_position(world, sn_particles_at(ball, 123), vec(0, 1, 0)));
    support_run(world, 1, 1.0 / 60);
    sn_world_destroy(world);
}

/* A body with rods to all sides: its centre and its turn are hubs. */
static sn_body add_hedgehog(sn_world *world, sn_particles *ball)
{
    sn_body body = sn_body_add_box(world, vec(0, 0, 0), vec(0.2, 0.15, 0.1), 1000);
    *ball = add_ball(world, SPOKES, 9);
    assert_ok(world, sn_particle_remove(world, sn_particles_at(*ball, 0)));
    for (uint32_t i = 1; i < ball->count; ++i) {
        sn_vec3 x = sn_particle_position(world, sn_particles_at(*ball, i));
        sn_vec3 spot = vec(0.15 * (double)x.x, 0.15 * (double)x.y, -0.1 * (double)x.z);
        sn_constraint_add_distance(world, sn_at(sn_particles_at(*ball, i)), sn_on_body(body, spot), SN_MEASURE);
        assert_ok(world, sn_particle_set_velocity(world, sn_particles_at(*ball, i), vec(0, (double)x.z, -(double)x.y)));
    }
    return body;
}

/* The particles turn it along. Momentum is kept, and that turns are stored elsewhere once a particle comes changes nothing. */
static void test_a_body_as_a_hub(void **state)
{
    (void)state;
    sn_vec3 spin[2], place[2];
    for (uint32_t late = 0; late < 2; ++late) {
        sn_world_def def = plain_def();
        sn_world *world = support_world_from(&def);
        sn_particles ball;
        sn_report before, after;
        sn_body body = add_hedgehog(world, &ball);
        if (!late)
            sn_particle_add_at(world, vec(9, 9, 9), SN_IMMOVABLE);
        assert_int_equal(hub_count(world), SPOKES);
        assert_ok(world, sn_world_report(world, &before));
        support_run(world, 3, 1.0 / 60);
        if (late)
            sn_particle_add_at(world, vec(9, 9, 9), SN_IMMOVABLE);
        support_run(world, 3, 1.0 / 60);
        assert_ok(world, sn_world_report(world, &after));
        for (uint32_t k = 0; k < 3; ++k)
            assert_close(before.momentum[k], after.momentum[k], SUPPORT_ROUND_OFF * 40);
        assert_close(before.angular_momentum[0], after.angular_momentum[0], 0.1);
        spin[late] = sn_body_spin(world, body);
        place[late] = sn_body_centre(world, body);
        assert_true((double)spin[late].x < -0.01 || (double)spin[late].x > 0.01);
        sn_world_destroy(world);
    }
    assert_vec_same(spin[0], spin[1]);
    assert_vec_same(place[0], place[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_as_jacobi),
        cmocka_unit_test(test_converges_to_the_reference),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_a_tangle_keeps_still),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_a_spoke_that_breaks_is_named),
        cmocka_unit_test(test_a_body_as_a_hub),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
