/* Contact in a world as a whole: the same bits whoever computes them, saved and restored, with every solver and integrator,
   and without a request for memory once it is warm. */
#include "world/contact_worlds.h"

#include "world/world.h"

/* Everything that contact does: a pile of several materials, spheres of different sizes, a rope, fixed shapes of all types,
   moving ones among them, and things that bounce. */
static void fill_world(sn_world *world)
{
    uint64_t seed = 3;
    add_tub(world, 1, 1);
    sn_body sphere = fixed_add_sphere(world, vec(0.1, 0.1, 0.1), real(0.2));
    sn_body box = fixed_add_box(world, vec(-0.3, 0.1, -0.2), vec(0.1, 0.1, 0.1));
    fixed_add_capsule(world, vec(-0.4, 0.3, 0.4), vec(0.4, 0.5, 0.4), real(0.05));
    assert_ok(world, sn_body_set_velocity(world, box, vec(0.1, 0.02, 0), vec(0, 1, 0.5)));
    sn_contact_material bouncy = material(0.3, 0.7);
    assert_ok(world, sn_body_set_material(world, sphere, 0, &bouncy));
    for (uint32_t i = 0; i < 150; ++i) {
        sn_vec3 at = vec(support_random_in(&seed, -0.4, 0.4), support_random_in(&seed, 0.1, 1.5),
                         support_random_in(&seed, -0.4, 0.4));
        sn_particle p = ball(world, at, support_random_in(&seed, 0.1, 3), support_random_in(&seed, 0, 0.08));
        assert_ok(world, sn_particle_set_group(world, p, i % 3));
    }
    sn_group_contact group = sn_default_group_contact(1);
    group.material = material(0.8, 0.5);
    group.self = true;
    assert_ok(world, sn_world_set_group_contact(world, 1, &group));
    sn_particle last = {0, 0};
    for (uint32_t i = 0; i < 30; ++i) { /* a rope that falls onto it */
        sn_particle p = ball(world, vec(-0.4 + 0.027 * i, 1.6, 0.05), 0.1, 0.012);
        assert_ok(world, sn_particle_set_group(world, p, 4));
        if (i)
            sn_constraint_add_distance(world, sn_at(last), sn_at(p), real(0.027));
        last = p;
    }
}

static sn_world *make_filled(uint32_t threads, sn_simd simd, uint32_t iterations)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world;
    def.threads = threads;
    def.simd = simd;
    def.settings.iterations = iterations;
    if (sn_world_create(&def, &world) != SN_OK)
        return NULL; /* this machine does not have it */
    fill_world(world);
    return world;
}

/* ---- The same bits ------------------------------------------------------------------------------------------------------ */

static void same_bits_for_all_threads_and_widths(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 4};
    for (uint32_t iterations = 1; iterations <= 3; iterations += 2) {
        uint64_t expected = 0;
        for (size_t t = 0; t < COUNT_OF(threads); ++t)
            for (int simd = SN_SIMD_AUTO; simd <= (t ? (int)support_long(SN_SIMD_16, SN_SIMD_AUTO) : SN_SIMD_16);
                 ++simd) {
                sn_world *world = make_filled(threads[t], (sn_simd)simd, iterations);
                if (!world)
                    continue;
                support_run(world, support_long(60, 40), FRAME);
                expected = expected ? expected : sn_world_hash(world);
                assert_true(sn_world_hash(world) == expected);
                sn_world_destroy(world);
            }
    }
}

/* Enough balls that the loops are shared among threads. */
static void same_bits_in_a_large_pile(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint32_t threads = 1; threads <= 4; threads *= 2) {
        sn_world_def def = sn_default_world_def();
        def.threads = threads;
        sn_world *world = support_world_from(&def);
        add_tub(world, 2, 2);
        pour(world, support_rounds(8000, 2000), 2, 0.05, 5);
        support_run(world, 20, FRAME);
        expected = expected ? expected : sn_world_hash(world);
        assert_true(sn_world_hash(world) == expected);
        sn_world_destroy(world);
    }
}

static void tasks_in_any_order(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (int mode = SUPPORT_TASKS_FORWARD; mode <= SUPPORT_TASKS_THREADS; ++mode) {
        support_tasks tasks = {.mode = (support_task_mode)mode, .threads = 3};
        sn_world_def def = sn_default_world_def();
        def.tasks = support_tasks_hook(&tasks);
        sn_world *world = support_world_from(&def);
        add_tub(world, 1, 1);
        pour(world, 2000, 1, 0.05, 5);
        support_run(world, 10, FRAME);
        assert_true(tasks.runs > 0);
        expected = expected ? expected : sn_world_hash(world);
        assert_true(sn_world_hash(world) == expected);
        sn_world_destroy(world);
    }
}

/* Save in the middle of things, go on, load, go on: the same. So it is in another world. */
static void saved_and_restored(void **state)
{
    (void)state;
    sn_world *world = make_filled(1, SN_SIMD_AUTO, 1), *other = make_filled(2, SN_SIMD_SCALAR, 1);
    support_run(world, 40, FRAME);
    sn_snapshot *saved = sn_world_save(world);
    assert_non_null(saved);
    support_run(world, 30, FRAME);
    uint64_t hash = sn_world_hash(world);
    for (int i = 0; i < 2; ++i) {
        sn_world *w = i ? other : world;
        assert_ok(w, sn_world_load(w, saved));
        support_run(w, 30, FRAME);
        assert_true(sn_world_hash(w) == hash);
    }
    assert_same_world(world, other);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

/* A step that the past of contact decides about is told apart by the hash. */
static void hash_knows_of_what_was_pressed(void **state)
{
    (void)state;
    sn_world *rests = support_world(), *new = support_world();
    add_floor(rests);
    add_floor(new);
    sn_particle p = ball(rests, vec(0, 0.1, 0), 1, 0.1), q = ball(new, vec(0, 0.1, 0), 1, 0.1);
    support_run(rests, 60, FRAME);
    support_run(new, 60, FRAME);
    assert_same_world(rests, new);
    assert_ok(rests, sn_particle_set_position(rests, p, vec(0, 5, 0)));
    assert_ok(new, sn_particle_set_position(new, q, vec(0, 5, 0)));
    support_run(rests, 1, FRAME);
    support_run(new, 1, FRAME);
    assert_same_world(rests, new);
    sn_world_destroy(rests);
    sn_world_destroy(new);
}

/* ---- Every solver and integrator ------------------------------------------------------------------------------------------- */

/* A small pile in a tub stays in it, and nothing of it is faster than this after a while. */
static void check_small_pile(sn_world *world, double fastest, const char *what)
{
    support_run(world, 240, FRAME);
    for (uint32_t i = 0; i < sn_world_particle_count(world); ++i) {
        sn_vec3 x = place(world, sn_particle_from_index(world, i));
        sn_vec3 v = speed(world, sn_particle_from_index(world, i));
        if (!((double)x.y > 0.048 && fabs((double)x.x) < 0.16 && fabs((double)x.z) < 0.16 && length(v) < fastest))
            fail_msg("%s: particle %u is at (%g %g %g) and has (%g %g %g) m/s", what, i, (double)x.x, (double)x.y,
                     (double)x.z, (double)v.x, (double)v.y, (double)v.z);
    }
    if (deepest_overlap(world) > 0.03)
        fail_msg("%s: balls overlap by %g of the radius", what, deepest_overlap(world));
}

static void every_solver_and_integrator(void **state)
{
    (void)state;
    for (int solver = SN_SOLVER_GAUSS_SEIDEL; solver <= SN_SOLVER_TILED; ++solver)
        for (int integrator = SN_INTEGRATOR_SYMPLECTIC_EULER; integrator <= SN_INTEGRATOR_BDF2; ++integrator)
            for (uint32_t iterations = 1; iterations <= 4; iterations += 3) {
                char what[80];
                sn_world *world = support_world();
                sn_settings settings = sn_world_settings(world);
                settings.solver = (sn_solver)solver;
                settings.integrator = (sn_integrator)integrator;
                settings.iterations = iterations;
                snprintf(what, sizeof what, "solver %d, integrator %d, %u iterations", solver, integrator, iterations);
                if (sn_world_configure(world, &settings) == SN_OK) {
                    add_tub(world, 0.4, 0.4);
                    pour(world, 30, 0.4, 0.05, 2);
                    sn_constraint_add_distance(world, sn_at(sn_particle_from_index(world, 0)),
                                               sn_at(sn_particle_from_index(world, 1)), real(0.105));
                    /* integrators that kick at the end of a substep leave g h to the next one; constraint forces do not
                       know of contact, and the rod between two of the balls trembles with them */
                    check_small_pile(world, solver == SN_SOLVER_LAGRANGE ? 0.2 : integrator ? 0.02 : 1e-3, what);
                }
                sn_world_destroy(world);
            }
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------------ */

static void resting_pile_asks_for_no_memory(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    sn_world *world = support_world_from(&def);
    add_tub(world, 0.8, 0.8);
    pour(world, 300, 0.8, 0.05, 1);
    fixed_add_sphere(world, vec(0, 0, 0), real(0.1));
    support_run(world, 240, FRAME);
    uint64_t before = memory.requests;
    support_run(world, 60, FRAME);
    assert_true(memory.requests == before);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

/* Whichever request of a step fails, nothing has happened, and the step can be made again. */
static void step_without_memory_changes_nothing(void **state)
{
    (void)state;
    uint32_t failures = 0;
    bool done = false;
    for (uint64_t n = 1; !done; ++n) {
        support_memory memory = {0};
        sn_world_def def = sn_default_world_def();
        def.allocator = support_allocator(&memory);
        def.threads = 1;
        sn_world *world = support_world_from(&def);
        fill_world(world);
        support_run(world, n % 2 ? 0 : 20, FRAME); /* the first step, and one in the middle with more contacts */
        if (n % 2 == 0)
            pour(world, 100, 0.8, 0.04, 9);
        uint64_t hash = sn_world_hash(world);
        memory.fail_at = memory.requests + (n + 1) / 2;
        sn_result result = sn_world_step(world, real(FRAME));
        done = !memory.failures && n > 1;
        if (memory.failures) {
            assert_int_equal(result, SN_ERROR_MEMORY);
            assert_true(sn_world_hash(world) == hash);
            ++failures;
        } else {
            assert_int_equal(result, SN_OK);
        }
        memory.fail_at = 0;
        support_run(world, 2, FRAME);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
    }
    assert_true(failures > 10);
}

/* ---- Edits --------------------------------------------------------------------------------------------------------------------- */

/* Particles and fixed shapes come and go while things lie on each other. */
static void edits_between_steps(void **state)
{
    (void)state;
    sn_world *world = support_world();
    uint64_t seed = 8;
    add_tub(world, 1, 1);
    pour(world, 100, 1, 0.06, 2);
    sn_body extra[4] = {{0, 0}};
    for (int round = 0; round < 120; ++round) {
        uint32_t which = support_random_below(&seed, 100);
        sn_particle p = sn_particle_from_index(world, which);
        if (sn_particle_is_valid(world, p) && round % 3 == 0)
            assert_ok(world, sn_particle_remove(world, p));
        if (round % 3 == 1)
            ball(world, vec(support_random_in(&seed, -0.4, 0.4), 1, support_random_in(&seed, -0.4, 0.4)), 1,
                 support_random_in(&seed, 0, 0.1));
        uint32_t slot = (uint32_t)round / 4 % 4;
        if (round % 4 == 0 && sn_body_is_valid(world, extra[slot]))
            assert_ok(world, sn_body_remove(world, extra[slot]));
        if (round % 4 == 0)
            extra[slot] = fixed_add_sphere(
                world, vec(support_random_in(&seed, -0.4, 0.4), 0.1, support_random_in(&seed, -0.4, 0.4)), real(0.08));
        if (round % 10 == 0)
            assert_ok(world, sn_world_shift_origin(world, vec(0, 0, round % 20 ? 0.5 : -0.5)));
        support_run(world, 1, FRAME);
    }
    sn_view view = sn_world_view_positions(world);
    for (uint32_t i = 0; i < view.count; ++i)
        assert_true((double)sn_view_at(&view, i)[1] > -0.02 && (double)sn_view_at(&view, i)[1] < 3);
    sn_world_destroy(world);
}

/* Nothing is there, or contact is off: fixed shapes still move. */
static void fixed_shapes_move_alone(void **state)
{
    (void)state;
    for (int off = 0; off < 2; ++off) {
        sn_world *world = support_world();
        sn_contact_settings settings = sn_default_contact_settings();
        settings.on = !off;
        assert_ok(world, sn_world_set_contact_settings(world, &settings));
        sn_body c = fixed_add_sphere(world, vec(0, 0, 0), 1);
        fixed_def def;
        assert_ok(world, sn_body_set_velocity(world, c, vec(1, 0, 0), vec(0, 0, 0)));
        if (off)
            ball(world, vec(5, 5, 5), 1, 1);
        support_run(world, 60, FRAME);
        assert_ok(world, fixed_read(world, c, &def));
        assert_close(def.position.x, 1, 1e-4);
        sn_world_destroy(world);
    }
}

/* Far from the origin, and very large or small. */
static void any_scale(void **state)
{
    (void)state;
    static const double size[] = {1e-3, 1, 1e3};
    for (size_t i = 0; i < COUNT_OF(size); ++i) {
        sn_world *world = support_world();
        double r = size[i];
        set_gravity(world, vec(0, -GRAVITY * r, 0)); /* the same picture */
        add_floor(world);
        sn_contact_settings settings = sn_default_contact_settings();
        settings.push_out = real(r);
        assert_ok(world, sn_world_set_contact_settings(world, &settings));
        sn_particle a = ball(world, vec(0, r, 0), 1, r), b = ball(world, vec(0, 3.1 * r, 0), 1, r);
        support_run(world, 120, FRAME);
        assert_close((double)place(world, a).y / r, 1, 0.01);
        assert_close((double)place(world, b).y / r, 3, 0.01);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_all_threads_and_widths),
        cmocka_unit_test(same_bits_in_a_large_pile),
        cmocka_unit_test(tasks_in_any_order),
        cmocka_unit_test(saved_and_restored),
        cmocka_unit_test(hash_knows_of_what_was_pressed),
        cmocka_unit_test(every_solver_and_integrator),
        cmocka_unit_test(resting_pile_asks_for_no_memory),
        cmocka_unit_test(step_without_memory_changes_nothing),
        cmocka_unit_test(edits_between_steps),
        cmocka_unit_test(fixed_shapes_move_alone),
        cmocka_unit_test(any_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
