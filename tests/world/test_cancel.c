/* A step that its caller cancels has changed nothing, wherever in the step that was, and can be taken again. */
#include "world/contact_worlds.h"

#define SUBSTEPS 5

/* Says yes to one of its questions. */
typedef struct clerk {
    uint32_t asked, yes_at; /* the first question is 1; 0: never */
    sn_world *calls;        /* a world that it calls, which it must not */
} clerk;

static bool ask(void *context)
{
    clerk *c = context;
    if (c->calls)
        assert_int_equal(sn_world_step(c->calls, real(FRAME)), SN_ERROR_BUSY);
    return ++c->asked == c->yes_at;
}

typedef struct variant {
    const char *name;
    sn_solver solver;
    sn_integrator integrator;
    bool bodies, weak, drag;
} variant;

static const variant variants[] = {
    {"tiles", SN_SOLVER_TILED, SN_INTEGRATOR_SYMPLECTIC_EULER, false, false, false},
    {"tiles and bodies", SN_SOLVER_TILED, SN_INTEGRATOR_SYMPLECTIC_EULER, true, false, false},
    {"in phases", SN_SOLVER_GAUSS_SEIDEL, SN_INTEGRATOR_SYMPLECTIC_EULER, true, true, true},
    {"looking back", SN_SOLVER_JACOBI, SN_INTEGRATOR_BDF2, true, false, false},
    {"pairs", SN_SOLVER_TILED, SN_INTEGRATOR_VERLET, false, false, true},
    {"direct", SN_SOLVER_DIRECT, SN_INTEGRATOR_SYMPLECTIC_EULER, false, false, false},
    {"impulses", SN_SOLVER_IMPULSES, SN_INTEGRATOR_SYMPLECTIC_EULER, true, false, false},
};

/* A rope that falls on a floor among balls and boxes, some asleep, with a force and a target for the next step. */
static sn_world *mixed(const variant *v, sn_world_def def)
{
    def.settings.solver = v->solver;
    def.settings.integrator = v->integrator;
    def.settings.substeps = SUBSTEPS;
    sn_world *world = contact_world(def, true, true);
    add_floor(world);
    sn_particle last = sn_particle_add_at(world, vec(0, 0.6, 0), SN_IMMOVABLE);
    for (int i = 1; i <= 12; ++i) {
        sn_particle p = ball(world, vec(0.12 * i, 0.6, 0), 0.1, 0.05);
        sn_constraint c = sn_constraint_add_distance(world, sn_at(last), sn_at(p), SN_MEASURE);
        if (v->weak)
            assert_ok(world, sn_constraint_set_strength(world, c, 30, 0));
        last = p;
    }
    for (int i = 0; i < 8; ++i)
        ball(world, vec(0.11 * i, 0.04, 0.3), 0.2, 0.05);
    for (int i = 0; v->bodies && i < 4; ++i)
        assert_true(sn_body_add_box(world, vec(2, 0.099 + 0.2 * i, 0), vec(0.1, 0.1, 0.1), 500).generation);
    if (v->drag) {
        sn_drag_def drag = sn_default_drag_def();
        drag.strength = 1;
        assert_ok(world, sn_drag_add(world, &drag, NULL));
    }
    return world;
}

static void push(sn_world *world, int i)
{
    assert_ok(world, sn_particle_apply_force(world, sn_particle_from_index(world, 6), vec(0.3 * i, 1, 0.2)));
    assert_ok(world, sn_particle_move_to(world, sn_particle_from_index(world, 0), vec(0, 0.6, 0.01 * i)));
}

static void test_nothing_changes(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(variants); ++k) {
        print_message("  %s\n", variants[k].name);
        support_log log = {0};
        sn_world_def def = sn_default_world_def();
        def.log = support_log_hook(&log);
        sn_world *plain = mixed(&variants[k], sn_default_world_def()), *world = mixed(&variants[k], def);
        clerk c = {0};
        assert_ok(world, sn_world_set_cancel(world, ask, &c));
        for (int i = 0; i < 12; ++i) {
            push(plain, i);
            push(world, i);
            uint32_t logged = log.count;
            for (uint32_t at = 1; at <= SUBSTEPS; ++at) {
                uint64_t before = sn_world_hash(world);
                double time = sn_world_time(world);
                c = (clerk){.yes_at = at};
                assert_result(world, SN_CANCELLED, sn_world_step(world, real(FRAME)));
                assert_int_equal(c.asked, at);
                assert_says(sn_world_error(world), "cancelled at");
                assert_true(sn_world_hash(world) == before && sn_world_time(world) == time);
            }
            assert_int_equal(log.count, logged);
            c = (clerk){0};
            assert_ok(world, sn_world_step(world, real(FRAME)));
            assert_int_equal(c.asked, SUBSTEPS);
            assert_ok(plain, sn_world_step(plain, real(FRAME)));
            assert_true(sn_world_hash(world) == sn_world_hash(plain));
        }
        sn_world_destroy(plain);
        sn_world_destroy(world);
    }
}

/* The world cannot be called from the function; without one, nothing is asked; a warm step takes no memory, cancelled or not,
   and what it took is given back. */
static void test_the_hook(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    def.threads = 1;
    sn_world *world = mixed(&variants[1], def);
    clerk c = {.calls = world};
    assert_int_equal(sn_world_set_cancel(NULL, ask, &c), SN_ERROR_ARGUMENT);
    assert_ok(world, sn_world_set_cancel(world, ask, &c));
    support_run(world, 3, FRAME);
    c = (clerk){.yes_at = 3};
    uint64_t requests = memory.requests;
    assert_result(world, SN_CANCELLED, sn_world_step(world, real(FRAME)));
    support_run(world, 1, FRAME);
    assert_true(memory.requests == requests);
    c = (clerk){.yes_at = 1};
    assert_ok(world, sn_world_set_cancel(world, NULL, NULL));
    support_run(world, 1, FRAME);
    assert_int_equal(c.asked, 0);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

/* Statics stand where they got to. */
static void test_relax(void **state)
{
    (void)state;
    sn_world *world = mixed(&variants[0], sn_default_world_def());
    clerk c = {.yes_at = 7 * SUBSTEPS + 3};
    assert_ok(world, sn_world_set_cancel(world, ask, &c));
    sn_relax_info info;
    assert_result(world, SN_CANCELLED, sn_world_relax(world, NULL, &info));
    assert_false(info.rested);
    assert_int_equal(info.steps, 7);
    assert_vec_same(sn_particle_velocity(world, sn_particle_from_index(world, 5)), vec(0, 0, 0));
    assert_true((double)place(world, sn_particle_from_index(world, 5)).y < 0.6);
    c = (clerk){0};
    support_run(world, 3, FRAME);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_changes),
        cmocka_unit_test(test_the_hook),
        cmocka_unit_test(test_relax),
    };
    return cmocka_run_group_tests_name("cancel", tests, NULL, NULL);
}
