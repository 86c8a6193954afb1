/* Where the time of a step goes, and what it did. Times are never compared with anything but the step that they are parts of; counts
   are compared with scenes that can be counted by hand. */
#include "support/fixed.h"
#include "support/support.h"

#include <string.h>

static void measure(sn_world *world, bool on)
{
    sn_settings settings = sn_world_settings(world);
    settings.profile = on;
    assert_ok(world, sn_world_configure(world, &settings));
}

static void assert_times(const sn_profile *p)
{
    double sum = 0;
    assert_true(p->measured && p->seconds > 0);
    for (int i = 0; i < SN_STAGE_COUNT; ++i) {
        assert_true(p->stage[i] >= 0);
        sum += p->stage[i];
    }
    assert_true(sum <= p->seconds * (1 + 1e-9));
}

static void assert_nothing(const sn_profile *p)
{
    const sn_step_counts *c = &p->counts;
    assert_true(!p->measured && p->seconds == 0);
    for (int i = 0; i < SN_STAGE_COUNT; ++i)
        assert_true(p->stage[i] == 0);
    assert_int_equal(c->candidates + c->contacts + c->manifolds + c->sweeps + c->passes + c->batches + c->lanes, 0);
    assert_int_equal(c->lanes_filled + c->particles + c->awake + c->bodies, 0);
}

/* In every solver and integrator; off, all is 0; and whether somebody looks changes no bit. */
static void test_times(void **state)
{
    (void)state;
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
        sn_world *world = support_world(), *plain = support_world();
        support_zoo(world);
        support_zoo(plain);
        for (int i = 0; i < 6; ++i) {
            sn_settings settings = sn_world_settings(world);
            support_set_sweep(&settings, sweep);
            assert_ok(plain, sn_world_configure(plain, &settings));
            settings.profile = i % 3 > 0;
            assert_ok(world, sn_world_configure(world, &settings));
            support_run(world, 1, 1.0 / 60);
            support_run(plain, 1, 1.0 / 60);
            assert_same_world(world, plain);
            sn_profile p = sn_world_profile(world);
            if (settings.profile)
                assert_times(&p);
            else
                assert_nothing(&p);
            sn_report r;
            assert_ok(world, sn_world_report(world, &r));
            assert_true(r.profile.seconds == p.seconds && r.profile.counts.passes == p.counts.passes);
            assert_memory_equal(r.profile.stage, p.stage, sizeof p.stage);
        }
        sn_world_destroy(world);
        sn_world_destroy(plain);
    }
    sn_profile none = sn_world_profile(NULL);
    assert_true(!none.measured && none.seconds == 0);
}

/* ---- Counts ---------------------------------------------------------------------------------------------------------------- */

/* 160 rods between 320 particles: ten batches of sixteen, all of them full; then one goes, and its lane is empty. */
static void test_lanes(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_constraint first = {0};
    for (int i = 0; i < 160; ++i) {
        sn_particle a = sn_particle_add_at(world, vec(i, 0, 0), 1), b = sn_particle_add_at(world, vec(i, 1, 0), 1);
        sn_constraint c = sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE);
        first = i ? first : c;
    }
    measure(world, true);
    support_run(world, 1, 1.0 / 60);
    sn_step_counts counts = sn_world_profile(world).counts;
    assert_int_equal(counts.lanes, 16 * counts.batches);
    assert_int_equal(counts.particles, 320);
    assert_int_equal(counts.awake, 320);
    assert_int_equal(counts.bodies, 0);
    assert_int_equal(counts.passes, 10);
    assert_int_equal(counts.candidates, 0);
    assert_int_equal(counts.sweeps, 0);
    assert_int_equal(counts.batches, 10);
    assert_int_equal(counts.lanes_filled, 160);
    assert_ok(world, sn_constraint_remove(world, first));
    support_run(world, 1, 1.0 / 60);
    counts = sn_world_profile(world).counts;
    assert_int_equal(counts.batches, 10);
    assert_int_equal(counts.lanes_filled, 159);
    sn_settings settings = sn_world_settings(world);
    settings.solver = SN_SOLVER_GAUSS_SEIDEL; /* has no plan */
    settings.iterations = 3;
    assert_ok(world, sn_world_configure(world, &settings));
    support_run(world, 1, 1.0 / 60);
    counts = sn_world_profile(world).counts;
    assert_int_equal(counts.batches, 0);
    assert_int_equal(counts.passes, 30);
    sn_world_destroy(world);
}

/* Four balls on a floor, in a row with gaps of 0.1 mm, and two in the air that come near nothing. */
static void test_contacts_of_particles(void **state)
{
    (void)state;
    sn_world *world = support_world();
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    for (int i = 0; i < 6; ++i) {
        sn_particle_def def = sn_default_particle_def();
        sn_particle p;
        def.position = i < 4 ? vec(0.2001 * i, 0.1, 0) : vec(0, 10 * i, 0);
        def.radius = real(0.1);
        assert_ok(world, sn_particle_add(world, &def, &p));
    }
    measure(world, true);
    support_run(world, 2, 1.0 / 60);
    sn_step_counts counts = sn_world_profile(world).counts;
    assert_int_equal(counts.candidates, 3 + 4);
    assert_int_equal(counts.contacts, 4);
    assert_int_equal(counts.manifolds, 0);
    sn_world_destroy(world);
}

/* A tower of three boxes on a floor, and one far away. */
static void test_contacts_of_bodies(void **state)
{
    (void)state;
    sn_world *world = support_world();
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    for (int i = 0; i < 3; ++i)
        assert_true(sn_body_add_box(world, vec(0, 0.5 + i, 0), vec(0.5, 0.5, 0.5), 100).generation);
    assert_true(sn_body_add_box(world, vec(0, 50, 0), vec(0.5, 0.5, 0.5), 100).generation);
    measure(world, true);
    support_run(world, 1, 1.0 / 60);
    sn_profile p = sn_world_profile(world);
    assert_true(p.counts.manifolds >= 3 && p.counts.manifolds <= 30); /* once a step at least, once a substep at most */
    support_run(world, 2, 1.0 / 60);
    p = sn_world_profile(world);
    assert_times(&p);
    assert_int_equal(p.counts.bodies, 4);
    assert_int_equal(p.counts.particles, 4);
    assert_int_equal(p.counts.candidates, 3);
    assert_int_equal(p.counts.contacts, 3);
    assert_int_equal(p.counts.manifolds, 0); /* those of what rests are kept */
    assert_true(p.counts.sweeps >= 20);      /* two a substep, and more where something is violent */
    sn_contact_settings contact = sn_world_contact_settings(world);
    contact.sleep = true;
    assert_ok(world, sn_world_set_contact_settings(world, &contact));
    for (int i = 0; i < 600 && sn_world_profile(world).counts.awake != 1; ++i)
        support_run(world, 1, 1.0 / 60);
    p = sn_world_profile(world);
    assert_int_equal(p.counts.awake, 1); /* the one that falls */
    support_run(world, 1, 1.0 / 60);     /* sleepers are no candidates */
    p = sn_world_profile(world);
    assert_int_equal(p.counts.candidates, 0);
    assert_int_equal(p.counts.contacts, 3);
    assert_int_equal(p.counts.manifolds, 0);
    assert_int_equal(p.counts.bodies, 4);
    sn_world_destroy(world);
}

/* ---- Hooks ----------------------------------------------------------------------------------------------------------------- */

typedef struct tracer {
    sn_world *world; /* that it calls, which it must not */
    const char *open[8];
    uint32_t depth, deepest, steps, stages, wrong;
    uint32_t seen[SN_STAGE_COUNT];
} tracer;

static void on_begin(void *context, const char *name)
{
    tracer *t = context;
    if (t->depth == 0) {
        t->wrong += strcmp(name, SN_TRACE_STEP) != 0;
        t->steps++;
    } else {
        int stage = 1; /* not "other" */
        while (stage < SN_STAGE_COUNT && sn_stage_name((sn_stage)stage) != name)
            ++stage;
        t->wrong += stage == SN_STAGE_COUNT;
        t->seen[stage % SN_STAGE_COUNT]++;
        t->stages++;
    }
    if (t->depth < 8)
        t->open[t->depth] = name;
    t->depth++;
    t->deepest = t->depth > t->deepest ? t->depth : t->deepest;
    if (t->world)
        t->wrong += sn_world_step(t->world, 1) != SN_ERROR_BUSY;
}

static void on_end(void *context, const char *name)
{
    tracer *t = context;
    if (t->depth == 0 || t->depth > 8 || t->open[t->depth - 1] != name)
        t->wrong++;
    else
        t->depth--;
}

static sn_world *busy_world(sn_solver solver)
{
    sn_world_def def = sn_default_world_def();
    def.settings.solver = solver;
    sn_world *world = support_world_from(&def);
    sn_contact_settings contact = sn_default_contact_settings();
    contact.sleep = contact.events = true;
    assert_ok(world, sn_world_set_contact_settings(world, &contact));
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    sn_particle last = sn_particle_add_at(world, vec(0, 3, 0), SN_IMMOVABLE);
    for (int i = 1; i < 5; ++i) {
        sn_particle p = sn_particle_add_at(world, vec(0.1 * i, 3, 0), 1);
        sn_constraint_add_distance(world, sn_at(last), sn_at(p), SN_MEASURE);
        assert_ok(world, sn_particle_set_radius(world, p, real(0.04)));
        last = p;
    }
    sn_body_add_box(world, vec(0, 0.5, 0), vec(0.5, 0.5, 0.5), 100);
    assert_ok(world, sn_field_add(world, support_wind, NULL, false, NULL));
    return world;
}

static void assert_balanced(const tracer *t)
{
    assert_int_equal(t->wrong, 0);
    assert_int_equal(t->depth, 0);
    assert_true(t->deepest <= 2);
}

/* Pairs, stages within steps; names as they are listed; and no result depends on it, nor on whether it is measured as well. */
static void test_hooks(void **state)
{
    (void)state;
    static const sn_solver solvers[] = {SN_SOLVER_TILED, SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_DIRECT};
    for (int i = 0; i < 6; ++i) {
        sn_world *world = busy_world(solvers[i % 3]), *plain = busy_world(solvers[i % 3]);
        tracer t = {.world = world};
        measure(world, i < 3);
        assert_ok(world, sn_world_set_trace(world, on_begin, on_end, &t));
        support_run(world, 20, 1.0 / 60);
        support_run(plain, 20, 1.0 / 60);
        assert_same_world(world, plain);
        assert_balanced(&t);
        assert_int_equal(t.steps, 20);
        for (int stage = 1; stage < SN_STAGE_COUNT; ++stage)
            assert_true(t.seen[stage] > 0);
        assert_true(sn_world_profile(world).measured == (i < 3));
        assert_ok(world, sn_world_relax(world,
                                        &(sn_relax_def){
                                            .dt = real(0.01), .steps = 3, .displacement = 1, .speed = 1, .patience = 1},
                                        NULL));
        assert_balanced(&t);
        assert_int_equal(t.steps, 23);
        assert_ok(world, sn_world_set_trace(world, NULL, NULL, NULL));
        support_run(world, 1, 1.0 / 60);
        assert_int_equal(t.steps, 23);
        sn_world_destroy(world);
        sn_world_destroy(plain);
    }
}

typedef struct clerk {
    uint32_t asked, yes_at;
} clerk;

static bool ask(void *context)
{
    clerk *c = context;
    return ++c->asked == c->yes_at;
}

/* Wherever a step is given up. */
static void test_hooks_of_steps_that_end_early(void **state)
{
    (void)state;
    for (uint32_t i = 1; i <= 10; ++i) {
        sn_world *world = busy_world(i % 2 ? SN_SOLVER_TILED : SN_SOLVER_GAUSS_SEIDEL);
        tracer t = {0};
        clerk c = {.yes_at = i};
        assert_ok(world, sn_world_set_trace(world, on_begin, on_end, &t));
        assert_ok(world, sn_world_set_cancel(world, ask, &c));
        measure(world, true);
        assert_int_equal(sn_world_step(world, real(1.0 / 60)), SN_CANCELLED);
        assert_balanced(&t);
        assert_int_equal(t.steps, 1);
        sn_profile p = sn_world_profile(world);
        assert_times(&p);
        assert_true(p.counts.particles == 0 && p.counts.sweeps == 0 && p.counts.candidates == 0);
        sn_world_destroy(world);
    }
}

static sn_vec3 infinite(void *context, const sn_field_in *in)
{
    (void)context;
    return vec(in->time > 0.008 ? INFINITY : 0, 0, 0);
}

static void test_hooks_of_steps_that_fail(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        sn_world *world = busy_world(i ? SN_SOLVER_TILED : SN_SOLVER_GAUSS_SEIDEL);
        tracer t = {0};
        assert_ok(world, sn_world_set_trace(world, on_begin, on_end, &t));
        assert_ok(world, sn_field_add(world, infinite, NULL, false, NULL));
        assert_int_equal(sn_world_step(world, real(1.0 / 60)), SN_ERROR_DIVERGED);
        assert_balanced(&t);
        assert_int_equal(t.steps, 1);
        sn_world_destroy(world);
    }
}

/* Every request for memory of a step fails once. */
static void test_hooks_without_memory(void **state)
{
    (void)state;
    support_memory memory = {0};
    bool failed = true;
    for (uint64_t n = 1; failed; ++n) {
        sn_world_def def = support_scarce(&memory);
        sn_world *world = support_world_from(&def);
        tracer t = {0};
        fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
        sn_body_add_box(world, vec(0, 0.5, 0), vec(0.5, 0.5, 0.5), 100);
        assert_ok(world, sn_world_set_trace(world, on_begin, on_end, &t));
        uint64_t failures = memory.failures;
        memory.fail_at = memory.requests + n;
        sn_result result = sn_world_step(world, real(1.0 / 60));
        memory.fail_at = 0;
        failed = memory.failures > failures;
        assert_int_equal(result, failed ? SN_ERROR_MEMORY : SN_OK);
        assert_balanced(&t);
        sn_world_destroy(world);
    }
}

static void test_bad_input(void **state)
{
    (void)state;
    sn_world *world = support_world();
    tracer t = {0};
    assert_int_equal(sn_world_set_trace(world, on_begin, NULL, &t), SN_ERROR_ARGUMENT);
    assert_says(sn_world_error(world), "trace end NULL both");
    assert_int_equal(sn_world_set_trace(world, NULL, on_end, &t), SN_ERROR_ARGUMENT);
    assert_says(sn_world_error(world), "trace begin NULL both");
    assert_int_equal(sn_world_set_trace(NULL, on_begin, on_end, &t), SN_ERROR_ARGUMENT);
    assert_string_equal(sn_stage_name(SN_STAGE_BROAD_PHASE), "broad phase");
    for (int i = 0; i < SN_STAGE_COUNT; ++i)
        assert_true(sn_stage_name((sn_stage)i)[0]);
    assert_string_equal(sn_stage_name((sn_stage)SN_STAGE_COUNT), "");
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_contacts_of_particles),
        cmocka_unit_test(test_contacts_of_bodies),
        cmocka_unit_test(test_hooks),
        cmocka_unit_test(test_hooks_of_steps_that_end_early),
        cmocka_unit_test(test_hooks_of_steps_that_fail),
        cmocka_unit_test(test_hooks_without_memory),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
