/* Grains are stored by place, again and again as they flow: nobody can tell by what they do. Numbers stay, views still find
   them, snapshots go on with the same bits, and no memory is asked for. */
#include "support/plan_check.h"
#include "world/contact_worlds.h"

#include "world/world.h"

#define LOOKS 32u /* steps after which it is looked at where grains are */

static sn_world *make_world(uint32_t threads, sn_simd simd)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world;
    def.threads = threads;
    def.simd = simd;
    return sn_world_create(&def, &world) == SN_OK ? world : NULL; /* this machine does not have it */
}

/* Grains in a tub, numbered anyhow, and a rope among them. */
static void fill(sn_world *world, uint32_t count, double side, uint64_t seed)
{
    uint32_t per = (uint32_t)(side / 0.11);
    sn_particle last = {0, 0};
    add_tub(world, side, side);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = (uint32_t)(((uint64_t)i * 7919 + 13) % count); /* a prime: each place once */
        sn_vec3 x = vec(0.055 - side / 2 + 0.11 * (at % per) + support_random_in(&seed, 0, 0.003),
                        0.055 + 0.11 * (at / (per * per)),
                        0.055 - side / 2 + 0.11 * (at / per % per) + support_random_in(&seed, 0, 0.003));
        sn_particle p = ball(world, x, 1, 0.05);
        if (i % 50)
            continue;
        sn_particle link = ball(world, vec(-0.4 + 0.002 * i, 3, 0), 0.2, 0.02);
        if (i)
            sn_constraint_add_distance(world, sn_at(last), sn_at(link), real(0.1));
        last = link;
        (void)p;
    }
}

/* Particles of the same mass and size take each other's places: all the contacts there are, between others. */
static void change_places(sn_world *world, uint64_t seed)
{
    uint32_t first = world->plan.loose;
    for (uint32_t n = world->plan.particles - first; n > 1; --n) {
        uint32_t one = world->particles.index[first + n - 1],
                 two = world->particles.index[first + support_random_below(&seed, n)];
        sn_particle p = sn_particle_from_index(world, one), q = sn_particle_from_index(world, two);
        sn_vec3 x = place(world, p), y = place(world, q);
        assert_ok(world, sn_particle_set_position(world, p, y));
        assert_ok(world, sn_particle_set_position(world, q, x));
    }
}

/* m: from one loose particle to the next in storage, on average. */
static double way_through(const sn_world *world)
{
    const sn_vec4 *x = world->particles.x;
    double way = 0;
    for (uint32_t i = world->plan.loose + 1; i < world->plan.particles; ++i)
        way += support_gap((sn_vec3){x[i].x, x[i].y, x[i].z}, (sn_vec3){x[i - 1].x, x[i - 1].y, x[i - 1].z});
    return way / (world->plan.particles - world->plan.loose);
}

static uint64_t hash_of_storage(const sn_world *world)
{
    uint64_t hash = 1;
    for (uint32_t i = 0; i < world->particles.table.count; ++i)
        hash = (hash ^ world->particles.index[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

/* What the world says of its particles, by whichever way one asks. */
static void assert_found_by_number(const sn_world *world)
{
    sn_view view = sn_world_view_positions(world);
    for (uint32_t number = 0; number < view.slot_count; ++number) {
        sn_particle p = sn_particle_from_index(world, number);
        const sn_real *x = sn_view_find(&view, number);
        assert_int_equal(sn_particle_is_valid(world, p), x != NULL);
        if (!x)
            continue;
        assert_int_equal(view.index[view.slot[number]], number);
        assert_true(support_gap((sn_vec3){x[0], x[1], x[2]}, place(world, p)) == 0);
    }
}

static void assert_plan_good(const sn_world *world)
{
    char message[256] = "";
    sn_plan_particles particles = {.count = world->particles.table.count,
                                   .numbers = world->ids.table.count,
                                   .slot = world->ids.value,
                                   .index = world->particles.index};
    if (!support_check_plan(&world->plan, &world->constraints, &particles, message, sizeof message))
        fail_msg("%s", message);
}

/* ---- By place --------------------------------------------------------------------------------------------------------- */

static void stored_by_place(void **state)
{
    (void)state;
    sn_world *world = make_world(1, SN_SIMD_AUTO);
    fill(world, 2000, 1, 1);
    sn_view view = sn_world_view_positions(world);
    assert_ok(world, sn_world_step(world, real(FRAME)));
    assert_true(way_through(world) < 0.25); /* by number it would be 0.9 */
    assert_plan_good(world);
    uint64_t storage = hash_of_storage(world);
    support_run(world, LOOKS, FRAME); /* they settle, and stay where they are */
    assert_true(hash_of_storage(world) == storage);
    change_places(world, 3);
    assert_true(way_through(world) > 0.6);
    support_run(world, LOOKS - 2, FRAME);
    assert_true(hash_of_storage(world) == storage); /* not yet */
    support_run(world, 2, FRAME);
    assert_true(hash_of_storage(world) != storage);
    assert_true(way_through(world) < 0.3);
    assert_plan_good(world);
    assert_found_by_number(world);
    assert_ptr_equal(sn_world_view_positions(world).data, view.data); /* a view lives on */
    sn_world_destroy(world);
}

/* Without contact between particles there is nothing to gain. */
static void not_without_contact(void **state)
{
    (void)state;
    sn_world *world = make_world(1, SN_SIMD_AUTO);
    for (uint32_t i = 0; i < 500; ++i)
        ball(world, vec(i * 37 % 100, 1, i * 59 % 83), 1, 0);
    add_floor(world);
    support_run(world, LOOKS + 1, FRAME);
    for (uint32_t i = 0; i < 500; ++i)
        assert_int_equal(world->particles.index[i], i);
    sn_world_destroy(world);
}

/* ---- Nobody can tell -------------------------------------------------------------------------------------------------- */

/* Two worlds that store their particles anew at different times do the same. */
static void storage_decides_nothing(void **state)
{
    (void)state;
    sn_world *one = make_world(1, SN_SIMD_AUTO), *other = make_world(1, SN_SIMD_AUTO);
    const uint32_t count = support_long(900, 300);
    bool differed = false;
    for (int i = 0; i < 2; ++i)
        fill(i ? other : one, count, 0.8, 2);
    other->state.steps = 11; /* so it looks at other times */
    for (uint32_t round = 0; round < 6; ++round) {
        for (int i = 0; i < 2; ++i) {
            sn_world *world = i ? other : one;
            if (round == 2 || round == 4)
                for (uint32_t k = 0; k < count; k += 2) { /* stirred by somebody who knows numbers only */
                    sn_particle p = sn_particle_from_index(world, k),
                                q = sn_particle_from_index(world, (k * 7 + 1) % count);
                    sn_vec3 x = place(world, p), y = place(world, q);
                    assert_ok(world, sn_particle_set_position(world, p, y));
                    assert_ok(world, sn_particle_set_position(world, q, x));
                }
            support_run(world, 15, FRAME);
        }
        if (round == 3)
            assert_ok(other, sn_world_replan(other));
        differed = differed || hash_of_storage(one) != hash_of_storage(other);
        assert_same_world(one, other);
    }
    assert_true(differed);
    sn_world_destroy(one);
    sn_world_destroy(other);
}

/* The same life for everybody: grains are stirred, some go, others come. */
static void live(sn_world *world, uint32_t from, uint32_t to)
{
    for (uint32_t step = from; step < to; ++step) {
        if (step == 40 || step == 90)
            change_places(world, step);
        if (step % 30 == 20)
            assert_ok(world, sn_particle_remove(world, sn_particle_from_index(world, 3 * step)));
        if (step % 30 == 25)
            ball(world, vec(0.01 * step - 0.5, 2, 0), 1, 0.04);
        assert_ok(world, sn_world_step(world, real(FRAME)));
    }
}

static void same_bits_for_all_threads_and_widths(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 4, 8, 2};
    const uint32_t count = support_rounds(8500, 1500);
    uint64_t expected = 0, storage = 0;
    for (size_t t = 0; t < support_rounds(COUNT_OF(threads), 2); ++t)
        for (int simd = SN_SIMD_AUTO; simd <= (t ? SN_SIMD_AUTO : SN_SIMD_16); ++simd) {
            sn_world *world = make_world(threads[t], (sn_simd)simd);
            if (!world)
                continue;
            fill(world, count, 1.6, 4);
            live(world, 0, 70);
            expected = expected ? expected : sn_world_hash(world);
            storage = storage ? storage : hash_of_storage(world);
            assert_true(sn_world_hash(world) == expected);
            assert_true(hash_of_storage(world) == storage);
            assert_plan_good(world);
            sn_world_destroy(world);
        }
}

/* Saved before particles are stored anew, after it, and after some have gone: it goes on the same, and stores the same. */
static void saved_in_between(void **state)
{
    (void)state;
    static const uint32_t when[] = {10, 45, 70, 82, 100};
    sn_world *world = make_world(1, SN_SIMD_AUTO), *other = make_world(2, SN_SIMD_SCALAR);
    sn_snapshot *saved[COUNT_OF(when)];
    fill(world, support_long(1200, 520), 0.8, 5);
    for (size_t i = 0; i < COUNT_OF(when); ++i) {
        live(world, i ? when[i - 1] : 0, when[i]);
        if (i == 3) /* where the plan is to be made anew by the next step */
            assert_ok(world, sn_particle_remove(world, sn_particle_from_index(world, 500)));
        saved[i] = sn_world_save(world);
        assert_non_null(saved[i]);
    }
    live(world, when[COUNT_OF(when) - 1], 140);
    for (size_t i = 3; i < COUNT_OF(when); ++i) {
        assert_ok(other, sn_world_load(other, saved[i]));
        live(other, when[i], 140);
        assert_true(hash_of_storage(other) == hash_of_storage(world));
        assert_same_world(other, world);
    }
    for (size_t i = 0; i < 3; ++i) {
        assert_ok(other, sn_world_load(other, saved[i]));
        live(other, when[i], when[i + 1]);
        assert_ok(world, sn_world_load(world, saved[i + 1]));
        if (i == 2)
            assert_ok(other, sn_particle_remove(other, sn_particle_from_index(other, 500)));
        assert_true(hash_of_storage(other) == hash_of_storage(world));
        assert_same_world(other, world);
        assert_found_by_number(other);
    }
    for (size_t i = 0; i < COUNT_OF(when); ++i)
        sn_snapshot_destroy(saved[i]);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

/* A pile at rest stays at rest when it is stored anew: what its contacts pushed last goes with it. */
static void rests_on(void **state)
{
    (void)state;
    sn_world *world = make_world(1, SN_SIMD_AUTO);
    add_tub(world, 0.6, 0.6);
    pour(world, 250, 0.6, 0.05, 2);
    support_run(world, 400, FRAME);
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    const double before = report.kinetic;
    for (int i = 0; i < 3; ++i) {
        sn_particle extra = ball(world, vec(0, 9, 0), 1, 0); /* another plan */
        assert_ok(world, sn_particle_remove(world, extra));
        assert_ok(world, sn_world_replan(world));
        support_run(world, 3, FRAME);
        assert_ok(world, sn_world_report(world, &report));
        assert_true(report.kinetic < 2 * before + 1e-9);
    }
    sn_world_destroy(world);
}

/* ---- Integrators that look back, drags, hooks, memory ----------------------------------------------------------------------- */

/* The past of particles goes with them. */
static void past_goes_along(void **state)
{
    (void)state;
    for (int integrator = SN_INTEGRATOR_SYMPLECTIC_EULER; integrator <= SN_INTEGRATOR_BDF2; ++integrator) {
        sn_world *world[2];
        for (int i = 0; i < 2; ++i) {
            world[i] = make_world(1, SN_SIMD_AUTO);
            sn_settings settings = sn_world_settings(world[i]);
            settings.integrator = (sn_integrator)integrator;
            assert_ok(world[i], sn_world_configure(world[i], &settings));
            fill(world[i], 300, 0.8, 6);
            world[i]->state.steps = i ? 5 : 0;
            support_run(world[i], 20, FRAME);
            for (uint32_t k = 0; k < 300; k += 2) { /* places change, pasts end; after some steps there are new ones */
                sn_particle p = sn_particle_from_index(world[i], k), q = sn_particle_from_index(world[i], 299 - k);
                sn_vec3 x = place(world[i], p), y = place(world[i], q);
                assert_ok(world[i], sn_particle_set_position(world[i], p, y));
                assert_ok(world[i], sn_particle_set_position(world[i], q, x));
            }
            support_run(world[i], 25, FRAME);
        }
        assert_same_world(world[0], world[1]);
        sn_world_destroy(world[0]);
        sn_world_destroy(world[1]);
    }
}

static void tasks_in_any_order(void **state)
{
    (void)state;
    uint64_t expected = 0, storage = 0;
    for (int mode = SUPPORT_TASKS_FORWARD; mode <= SUPPORT_TASKS_THREADS; ++mode) {
        support_tasks tasks = {.mode = (support_task_mode)mode, .threads = 3};
        sn_world_def def = sn_default_world_def();
        def.tasks = support_tasks_hook(&tasks);
        sn_world *world = support_world_from(&def);
        fill(world, 2000, 1, 7);
        live(world, 0, 68);
        expected = expected ? expected : sn_world_hash(world);
        storage = storage ? storage : hash_of_storage(world);
        assert_true(sn_world_hash(world) == expected);
        assert_true(hash_of_storage(world) == storage);
        sn_world_destroy(world);
    }
}

static void storing_anew_asks_for_no_memory(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    sn_world *world = support_world_from(&def);
    add_tub(world, 0.8, 0.8);
    pour(world, 300, 0.8, 0.05, 1);
    support_run(world, 5 * LOOKS + 1, FRAME);
    uint64_t storage = hash_of_storage(world);
    change_places(world, 8);
    uint64_t before = memory.requests;
    support_run(world, 2 * LOOKS, FRAME);
    assert_true(hash_of_storage(world) != storage);
    assert_true(memory.requests == before);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_by_place),
        cmocka_unit_test(not_without_contact),
        cmocka_unit_test(storage_decides_nothing),
        cmocka_unit_test(same_bits_for_all_threads_and_widths),
        cmocka_unit_test(saved_in_between),
        cmocka_unit_test(rests_on),
        cmocka_unit_test(past_goes_along),
        cmocka_unit_test(tasks_in_any_order),
        cmocka_unit_test(storing_anew_asks_for_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
