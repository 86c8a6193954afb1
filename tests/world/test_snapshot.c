/* Snapshots and the hash: a restored world goes the same way again, bit for bit; handles know whether they were there
   when the state was saved; and the hash sees everything that decides the future and nothing else. */
#include "support/support.h"

#include "world/sheet.h"

/* A world with everything in it: every kind and one of its own, a field, forces and targets that are pending. */
static sn_world *full_world(support_animals *zoo)
{
    sn_world *world = support_world();
    assert_int_equal(sn_kind_register(world, &support_kind_gap), SN_KIND_BUILTIN_END);
    *zoo = support_zoo(world);
    assert_ok(world, sn_field_add(world, support_wind, NULL, false, NULL));
    support_run(world, 5, 1.0 / 60);
    assert_ok(world, sn_particle_apply_force(world, sn_particles_at(zoo->grid, 10), vec(3, 2, 1)));
    assert_ok(world, sn_particle_move_to(world, sn_particles_at(zoo->grid, 11), vec(1, 2, 0)));
    assert_ok(world, sn_particle_move_to(world, sn_particles_at(zoo->grid, 2), vec(1, 3, 0)));
    return world;
}

static void test_same_bits_follow(void **state)
{
    (void)state;
    support_animals zoo;
    sn_world *world = full_world(&zoo), *twin = full_world(&zoo);
    uint64_t saved_hash = sn_world_hash(world);
    sn_snapshot *saved = sn_world_save(world);
    assert_non_null(saved);
    assert_true(sn_world_hash(world) == saved_hash); /* a save changes nothing */
    support_run(world, 20, 1.0 / 60);
    support_run(twin, 20, 1.0 / 60);
    assert_same_world(world, twin); /* nor does it later */
    for (uint32_t round = 0; round < 3; ++round) {
        assert_ok(world, sn_world_load(world, saved));
        assert_true(sn_world_hash(world) == saved_hash);
        support_run(world, 20, 1.0 / 60);
        assert_same_world(world, twin);
    }
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
    sn_world_destroy(twin);
}

/* Everything is edited in between, and everything comes back. */
static void edit_everything(sn_world *world, const support_animals *zoo)
{
    sn_settings settings = sn_world_settings(world);
    settings.gravity = vec(1, 2, 3);
    support_set_sweep(&settings, SN_ORDER_WORST_FIRST);
    settings.substeps = 3;
    settings.iterations = 2;
    settings.damping = real(0.5);
    assert_ok(world, sn_world_configure(world, &settings));
    for (uint32_t i = 5; i < SUPPORT_ZOO_PARTICLES; i += 2)
        assert_ok(world, sn_particle_remove(world, sn_particles_at(zoo->grid, i)));
    for (uint32_t kind = 1; kind < zoo->kind_count; ++kind) {
        const sn_constraint all[] = {zoo->rigid[kind], zoo->soft[kind], zoo->on_spots[kind]};
        for (uint32_t i = 0; i < COUNT_OF(all); ++i)
            if (sn_constraint_is_valid(world, all[i]))
                assert_ok(world, sn_constraint_remove(world, all[i]));
    }
    assert_ok(world, sn_field_add(world, support_wind, NULL, true, NULL));
    assert_ok(world, sn_world_shift_origin(world, vec(1, 2, 3)));
    for (uint32_t i = 0; i < 100; ++i) {
        sn_particle p = sn_particle_add_at(world, vec(i, 0, 0), 1), q = sn_particle_add_at(world, vec(i, 1, 0), 2);
        sn_constraint_add_distance(world, sn_at(p), sn_at(q), SN_MEASURE);
    }
}

static void test_load_after_edits(void **state)
{
    (void)state;
    support_animals zoo;
    sn_world *world = full_world(&zoo), *twin = full_world(&zoo);
    sn_snapshot *saved = sn_world_save(world);
    edit_everything(world, &zoo);
    support_run(world, 3, 1.0 / 60);
    assert_ok(world, sn_world_load(world, saved));
    assert_same_world(world, twin);
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_NONE), sn_world_constraint_count(twin, SN_KIND_NONE));
    double origin[3];
    assert_ok(world, sn_world_origin(world, origin));
    assert_true(origin[0] == 0 && origin[1] == 0 && origin[2] == 0);
    assert_true(sn_world_time(world) == sn_world_time(twin));
    support_run(world, 20, 1.0 / 60);
    support_run(twin, 20, 1.0 / 60);
    assert_same_world(world, twin);
    /* and the same edits have the same effect */
    edit_everything(world, &zoo);
    edit_everything(twin, &zoo);
    assert_same_world(world, twin);
    support_run(world, 10, 1.0 / 60);
    support_run(twin, 10, 1.0 / 60);
    assert_same_world(world, twin);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
    sn_world_destroy(twin);
}

/* Reports and forces are part of what comes back. */
static void test_load_restores_read_outs(void **state)
{
    (void)state;
    support_animals zoo;
    sn_world *world = full_world(&zoo);
    sn_constraint tether = sn_constraints_at(zoo.tethers, 20);
    sn_force before = sn_constraint_force(world, tether);
    sn_report a, b;
    assert_ok(world, sn_world_report(world, &a));
    sn_snapshot *saved = sn_world_save(world);
    support_run(world, 7, 1.0 / 50);
    assert_ok(world, sn_world_load(world, saved));
    sn_force after = sn_constraint_force(world, tether);
    assert_ok(world, sn_world_report(world, &b));
    assert_true(before.magnitude == after.magnitude && before.magnitude > 0);
    assert_true(a.steps == b.steps && a.time == b.time && a.kinetic == b.kinetic && a.elastic == b.elastic);
    assert_int_equal(a.passes, b.passes);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

/* User data and radii, which no step shows. */
static void test_load_restores_quiet_things(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle_def def = {vec(1, 2, 3), vec(4, 5, 6), 2, 3, 4, 5};
    sn_particle p;
    assert_ok(world, sn_particle_add(world, &def, &p));
    sn_snapshot *saved = sn_world_save(world);
    assert_ok(world, sn_particle_set_user(world, p, 50));
    assert_ok(world, sn_particle_set_radius(world, p, 30));
    assert_ok(world, sn_particle_set_group(world, p, 40));
    assert_ok(world, sn_particle_set_mass(world, p, 20));
    assert_ok(world, sn_world_load(world, saved));
    assert_true(sn_particle_user(world, p) == 5 && sn_particle_radius(world, p) == 3);
    assert_int_equal(sn_particle_group(world, p), 4);
    assert_true(sn_particle_mass(world, p) == 2 && sn_particle_inverse_mass(world, p) == real(0.5));
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

/* ---- Handles ----------------------------------------------------------------------------------------------------- */

static void test_handles_of_before_and_after(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1), q = sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_constraint rod = sn_constraint_add_distance(world, sn_at(p), sn_at(q), 1);
    sn_snapshot *saved = sn_world_save(world);
    sn_particle late = sn_particle_add_at(world, vec(2, 0, 0), 1);
    sn_constraint late_rod = sn_constraint_add_distance(world, sn_at(p), sn_at(late), 1);
    assert_ok(world, sn_particle_remove(world, p)); /* takes both rods along */
    sn_particle heir = sn_particle_add_at(world, vec(3, 0, 0), 1);
    sn_constraint heir_rod = sn_constraint_add_distance(world, sn_at(heir), sn_at(q), 1);
    assert_int_equal(heir.index, p.index);
    assert_int_equal(heir_rod.index, rod.index);
    assert_ok(world, sn_world_load(world, saved));
    assert_true(sn_particle_is_valid(world, p) && sn_particle_is_valid(world, q));
    assert_true(sn_constraint_is_valid(world, rod));
    assert_false(sn_particle_is_valid(world, late) || sn_particle_is_valid(world, heir));
    assert_false(sn_constraint_is_valid(world, late_rod) || sn_constraint_is_valid(world, heir_rod));
    assert_vec_same(sn_particle_position(world, p), vec(0, 0, 0));
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

/* The numbers are used again after the load, but never under a generation that somebody still holds. */
static void test_stale_handles_stay_stale(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1), q = sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_constraint rod = sn_constraint_add_distance(world, sn_at(p), sn_at(q), 1);
    sn_snapshot *saved = sn_world_save(world);
    sn_particle old[64];
    sn_constraint old_rod[64];
    for (uint32_t round = 0; round < 64; ++round) {
        assert_ok(world, sn_world_load(world, saved));
        for (uint32_t i = 0; i < round; ++i) {
            assert_false(sn_particle_is_valid(world, old[i]));
            assert_false(sn_constraint_is_valid(world, old_rod[i]));
        }
        for (uint32_t i = 0; i < round % 4; ++i) /* various numbers of generations in between */
            assert_ok(world, sn_particle_remove(world, sn_particle_add_at(world, vec(9, 9, 9), 1)));
        old[round] = sn_particle_add_at(world, vec(2, 0, 0), 1);
        old_rod[round] = sn_constraint_add_distance(world, sn_at(p), sn_at(old[round]), 1);
        for (uint32_t i = 0; i < round; ++i) {
            assert_false(sn_particle_is_valid(world, old[i]));
            assert_false(sn_constraint_is_valid(world, old_rod[i]));
        }
        assert_true(sn_particle_is_valid(world, old[round]) && sn_constraint_is_valid(world, old_rod[round]));
        assert_true(sn_particle_is_valid(world, q) && sn_constraint_is_valid(world, rod));
    }
    assert_int_equal(old[0].index, old[63].index);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

/* The same for particles that were removed before the save and whose handles somebody kept. */
static void test_removed_before_the_save(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle gone = sn_particle_add_at(world, vec(0, 0, 0), 1), keep = sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_constraint gone_pin = sn_constraint_add_pin(world, keep);
    assert_ok(world, sn_constraint_remove(world, gone_pin));
    assert_ok(world, sn_particle_remove(world, gone));
    sn_snapshot *saved = sn_world_save(world);
    assert_ok(world, sn_world_load(world, saved));
    sn_particle heir = sn_particle_add_at(world, vec(2, 0, 0), 1);
    sn_constraint heir_pin = sn_constraint_add_pin(world, keep);
    assert_false(sn_particle_is_valid(world, gone));
    assert_false(sn_constraint_is_valid(world, gone_pin));
    assert_true(sn_particle_is_valid(world, heir) && sn_constraint_is_valid(world, heir_pin));
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

/* Going back twice: the older snapshot, then the newer one. */
static void test_branches(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 1);
    sn_snapshot *first = sn_world_save(world);
    sn_particle b = sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_snapshot *second = sn_world_save(world);
    assert_ok(world, sn_world_load(world, first));
    sn_particle c = sn_particle_add_at(world, vec(2, 0, 0), 1);
    assert_true(c.index == b.index && c.generation != b.generation);
    assert_ok(world, sn_world_load(world, second));
    assert_true(sn_particle_is_valid(world, a) && sn_particle_is_valid(world, b));
    assert_false(sn_particle_is_valid(world, c));
    sn_particle d = sn_particle_add_at(world, vec(3, 0, 0), 1);
    assert_ok(world, sn_particle_remove(world, b));
    sn_particle e = sn_particle_add_at(world, vec(4, 0, 0), 1);
    assert_false(sn_particle_is_valid(world, b) || sn_particle_is_valid(world, c));
    assert_true(sn_particle_is_valid(world, d) && sn_particle_is_valid(world, e));
    sn_snapshot_destroy(first);
    sn_snapshot_destroy(second);
    sn_world_destroy(world);
}

/* Fields come and go with the state; a number that was given out is not given out again. */
static void test_fields(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1);
    uint32_t early, late, later;
    assert_ok(world, sn_field_add(world, support_wind, NULL, false, &early));
    sn_snapshot *saved = sn_world_save(world);
    support_run(world, 5, 0.1);
    sn_vec3 x = sn_particle_position(world, p);
    assert_ok(world, sn_field_remove(world, early));
    assert_ok(world, sn_field_add(world, support_wind, NULL, false, &late));
    assert_ok(world, sn_world_load(world, saved));
    support_run(world, 5, 0.1);
    assert_vec_same(sn_particle_position(world, p), x);
    assert_result(world, SN_ERROR_STALE, sn_field_remove(world, late));
    assert_ok(world, sn_field_add(world, support_wind, NULL, false, &later));
    assert_true(later != early && later != late);
    assert_result(world, SN_ERROR_STALE, sn_field_remove(world, late));
    assert_ok(world, sn_field_remove(world, early));
    assert_ok(world, sn_field_remove(world, later));
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

/* ---- Other worlds ------------------------------------------------------------------------------------------------ */

static void test_load_in_another_world(void **state)
{
    (void)state;
    support_animals zoo;
    sn_world *world = full_world(&zoo), *other = support_world();
    assert_int_equal(sn_kind_register(other, &support_kind_gap), SN_KIND_BUILTIN_END);
    for (uint32_t i = 0; i < 100; ++i) /* which is not empty */
        sn_constraint_add_pin(other, sn_particle_add_at(other, vec(i, 0, 0), 1));
    sn_snapshot *saved = sn_world_save(world);
    assert_ok(other, sn_world_load(other, saved));
    assert_same_world(world, other);
    assert_true(sn_constraint_is_valid(other, zoo.rigid[SN_KIND_PIN]));
    support_run(world, 20, 1.0 / 60);
    support_run(other, 20, 1.0 / 60);
    assert_same_world(world, other);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

/* The snapshot outlives its world; its memory goes back to that world's allocator. */
static void test_snapshot_outlives_world(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    sn_world *world = support_world_from(&def), *other = support_world();
    support_zoo(world);
    support_run(world, 3, 1.0 / 60);
    uint64_t hash = sn_world_hash(world);
    sn_snapshot *saved = sn_world_save(world);
    sn_world_destroy(world);
    assert_true(memory.blocks > 0);
    assert_ok(other, sn_world_load(other, saved));
    assert_true(sn_world_hash(other) == hash);
    support_run(other, 3, 1.0 / 60);
    assert_ok(other, sn_world_save_into(other, saved)); /* by another world, with its own memory */
    support_zoo(other);
    assert_ok(other, sn_world_save_into(other, saved)); /* even if it must grow */
    sn_world_destroy(other);
    sn_snapshot_destroy(saved);
    assert_memory_clean(&memory);
}

/* A kind that the state does not use need not be known. */
static void test_unused_kind(void **state)
{
    (void)state;
    sn_world *world = support_world(), *other = support_world();
    uint32_t kind = sn_kind_register(world, &support_kind_gap);
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1), q = sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_snapshot *never_used = sn_world_save(world);
    uint32_t index[] = {p.index, q.index};
    sn_constraints run = sn_constraints_add_kind(world, kind, 1, index, NULL, NULL);
    sn_snapshot *used = sn_world_save(world);
    assert_ok(world, sn_constraint_remove(world, sn_constraints_at(run, 0)));
    sn_snapshot *no_longer_used = sn_world_save(world);
    assert_ok(other, sn_world_load(other, never_used));
    assert_result(other, SN_ERROR_ARGUMENT, sn_world_load(other, used));
    assert_says(sn_world_error(other), "test_gap");
    assert_ok(other, sn_world_load(other, no_longer_used));
    sn_snapshot_destroy(never_used);
    sn_snapshot_destroy(used);
    sn_snapshot_destroy(no_longer_used);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

/* ---- Saving into ------------------------------------------------------------------------------------------------- */

static void test_save_into(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    sn_world *world = support_world_from(&def);
    support_zoo(world);
    support_run(world, 1, 1.0 / 60); /* the first step makes the plan */
    sn_snapshot *saved = sn_world_save(world);
    size_t size = sn_snapshot_size(saved);
    assert_true(size > 0);
    for (uint32_t i = 0; i < 5; ++i) {
        support_run(world, 1, 1.0 / 60);
        uint64_t hash = sn_world_hash(world), requests = memory.requests;
        assert_ok(world, sn_world_save_into(world, saved));
        assert_true(memory.requests == requests); /* the memory was reused */
        support_run(world, 1, 1.0 / 60);
        assert_ok(world, sn_world_load(world, saved));
        assert_true(sn_world_hash(world) == hash);
    }
    assert_true(sn_snapshot_size(saved) == size);
    support_zoo(world);
    assert_ok(world, sn_world_save_into(world, saved)); /* too small now: grows */
    assert_true(sn_snapshot_size(saved) > size);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

/* Saved again when it holds less: what was there before does not shine through. */
static void test_save_into_smaller(void **state)
{
    (void)state;
    support_animals zoo;
    sn_world *world = full_world(&zoo);
    sn_snapshot *saved = sn_world_save(world);
    edit_everything(world, &zoo);
    for (uint32_t i = 0; i < 5; ++i)
        assert_ok(world,
                  sn_particle_remove(world, sn_particle_from_index(world, sn_world_view_positions(world).index[0])));
    uint64_t hash = sn_world_hash(world);
    assert_ok(world, sn_world_save_into(world, saved));
    support_run(world, 2, 1.0 / 60);
    assert_ok(world, sn_world_load(world, saved));
    assert_true(sn_world_hash(world) == hash);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

static void test_save_into_fails(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    sn_world *world = support_world_from(&def);
    sn_particle_add_at(world, vec(0, 1, 0), 1);
    uint64_t hash = sn_world_hash(world);
    sn_snapshot *saved = sn_world_save(world);
    support_zoo(world);
    memory.fail_at = memory.requests + 1;
    memory.fail_ever_after = true;
    assert_result(world, SN_ERROR_MEMORY, sn_world_save_into(world, saved));
    assert_says(sn_world_error(world), "memory");
    assert_null(sn_world_save(world));
    assert_says(sn_world_error(world), "memory");
    memory.fail_at = 0;
    assert_ok(world, sn_world_load(world, saved)); /* it keeps what it held */
    assert_true(sn_world_hash(world) == hash);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

/* An empty world is a state like any other. */
static void test_empty_world(void **state)
{
    (void)state;
    sn_world *world = support_world();
    uint64_t hash = sn_world_hash(world);
    sn_snapshot *saved = sn_world_save(world);
    support_zoo(world);
    support_run(world, 1, 0.1);
    assert_ok(world, sn_world_load(world, saved));
    assert_true(sn_world_hash(world) == hash);
    assert_int_equal(sn_world_particle_count(world), 0);
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_NONE), 0);
    support_run(world, 1, 0.1);
    support_zoo(world);
    support_run(world, 1, 0.1);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

/* ---- The hash ---------------------------------------------------------------------------------------------------- */

/* Each edit changes the hash, and a load brings it back. */
typedef void edit(sn_world *world, const support_animals *zoo);

static void edit_gravity(sn_world *world, const support_animals *zoo)
{
    sn_settings settings = sn_world_settings(world);
    (void)zoo;
    settings.gravity.x = 1;
    assert_ok(world, sn_world_configure(world, &settings));
}

static void edit_solver(sn_world *world, const support_animals *zoo)
{
    sn_settings settings = sn_world_settings(world);
    (void)zoo;
    settings.solver = SN_SOLVER_GAUSS_SEIDEL;
    assert_ok(world, sn_world_configure(world, &settings));
}

static void edit_order(sn_world *world, const support_animals *zoo)
{
    sn_settings settings = sn_world_settings(world);
    (void)zoo;
    support_set_sweep(&settings, SN_ORDER_SYMMETRIC);
    assert_ok(world, sn_world_configure(world, &settings));
}

static void edit_substeps(sn_world *world, const support_animals *zoo)
{
    sn_settings settings = sn_world_settings(world);
    (void)zoo;
    settings.substeps++;
    assert_ok(world, sn_world_configure(world, &settings));
}

static void edit_iterations(sn_world *world, const support_animals *zoo)
{
    sn_settings settings = sn_world_settings(world);
    (void)zoo;
    settings.iterations++;
    assert_ok(world, sn_world_configure(world, &settings));
}

static void edit_tolerance(sn_world *world, const support_animals *zoo)
{
    sn_settings settings = sn_world_settings(world);
    (void)zoo;
    settings.tolerance = 1;
    assert_ok(world, sn_world_configure(world, &settings));
}

static void edit_damping(sn_world *world, const support_animals *zoo)
{
    sn_settings settings = sn_world_settings(world);
    (void)zoo;
    settings.damping = 1;
    assert_ok(world, sn_world_configure(world, &settings));
}

static void edit_correction(sn_world *world, const support_animals *zoo)
{
    sn_settings settings = sn_world_settings(world);
    (void)zoo;
    settings.correct_stiffness = !settings.correct_stiffness;
    assert_ok(world, sn_world_configure(world, &settings));
}

static void edit_time(sn_world *world, const support_animals *zoo)
{
    (void)zoo;
    support_run(world, 1, 0.01);
}

static void edit_position(sn_world *world, const support_animals *zoo)
{
    sn_particle p = sn_particles_at(zoo->grid, 20);
    sn_vec3 x = sn_particle_position(world, p);
    x.x += real(1e-3);
    assert_ok(world, sn_particle_set_position(world, p, x));
}

static void edit_velocity(sn_world *world, const support_animals *zoo)
{
    assert_ok(world, sn_particle_set_velocity(world, sn_particles_at(zoo->grid, 20), vec(9, 9, 9)));
}

static void edit_mass(sn_world *world, const support_animals *zoo)
{
    assert_ok(world, sn_particle_set_mass(world, sn_particles_at(zoo->grid, 20), 9));
}

static void edit_radius(sn_world *world, const support_animals *zoo)
{
    assert_ok(world, sn_particle_set_radius(world, sn_particles_at(zoo->grid, 20), 9));
}

static void edit_group(sn_world *world, const support_animals *zoo)
{
    assert_ok(world, sn_particle_set_group(world, sn_particles_at(zoo->grid, 20), 9));
}

static void edit_force(sn_world *world, const support_animals *zoo)
{
    assert_ok(world, sn_particle_apply_force(world, sn_particles_at(zoo->grid, 20), vec(9, 9, 9)));
}

static void edit_target(sn_world *world, const support_animals *zoo)
{
    assert_ok(world, sn_particle_move_to(world, sn_particles_at(zoo->grid, 20), vec(9, 9, 9)));
}

static void edit_number_of_particles(sn_world *world, const support_animals *zoo)
{
    (void)zoo;
    sn_particle_add_at(world, vec(0, 0, 0), 1);
}

static void edit_parameter(sn_world *world, const support_animals *zoo)
{
    sn_real rest = 9;
    assert_ok(world, sn_constraint_set_param(world, zoo->rigid[SN_KIND_DISTANCE], "rest", &rest, 1));
}

static void edit_material(sn_world *world, const support_animals *zoo)
{
    sn_material material = {real(0.001), 1};
    assert_ok(world, sn_constraint_set_material(world, zoo->soft[SN_KIND_DISTANCE], material));
}

static void edit_stiffness(sn_world *world, const support_animals *zoo)
{
    assert_ok(world, sn_constraint_set_stiffness(world, zoo->rigid[SN_KIND_DISTANCE], real(0.9)));
}

static void edit_number_of_constraints(sn_world *world, const support_animals *zoo)
{
    assert_ok(world, sn_constraint_remove(world, zoo->on_spots[SN_KIND_DISTANCE]));
}

static void edit_points(sn_world *world, const support_animals *zoo)
{
    sn_point points[SN_MAX_POINTS], swap;
    sn_constraint_def def;
    assert_ok(world, sn_constraint_read(world, zoo->rigid[SN_KIND_DISTANCE], &def, points, SN_MAX_POINTS));
    swap = points[0];
    points[0] = points[1];
    points[1] = swap;
    assert_ok(world, sn_constraint_change(world, zoo->rigid[SN_KIND_DISTANCE], &def));
}

static void edit_weights(sn_world *world, const support_animals *zoo)
{
    sn_point points[SN_MAX_POINTS];
    sn_constraint_def def;
    assert_ok(world, sn_constraint_read(world, zoo->on_spots[SN_KIND_DISTANCE], &def, points, SN_MAX_POINTS));
    points[0].weight[0] += real(0.125);
    points[0].weight[1] -= real(0.125);
    assert_ok(world, sn_constraint_change(world, zoo->on_spots[SN_KIND_DISTANCE], &def));
}

/* The last becomes the first but one: the same constraints in another order. */
static void edit_sequence(sn_world *world, const support_animals *zoo)
{
    sn_point points[SN_MAX_POINTS];
    sn_constraint_def def;
    assert_ok(world, sn_constraint_read(world, zoo->rigid[SN_KIND_DISTANCE], &def, points, SN_MAX_POINTS));
    assert_ok(world, sn_constraint_remove(world, zoo->rigid[SN_KIND_DISTANCE]));
    assert_ok(world, sn_constraint_add(world, &def, NULL));
}

static const struct {
    const char *name;
    edit *apply;
} edits[] = {
    {"gravity", edit_gravity},
    {"solver", edit_solver},
    {"order", edit_order},
    {"substeps", edit_substeps},
    {"iterations", edit_iterations},
    {"tolerance", edit_tolerance},
    {"damping", edit_damping},
    {"correct_stiffness", edit_correction},
    {"time", edit_time},
    {"position", edit_position},
    {"velocity", edit_velocity},
    {"mass", edit_mass},
    {"radius", edit_radius},
    {"group", edit_group},
    {"force", edit_force},
    {"target", edit_target},
    {"particles", edit_number_of_particles},
    {"parameter", edit_parameter},
    {"material", edit_material},
    {"stiffness", edit_stiffness},
    {"constraints", edit_number_of_constraints},
    {"points", edit_points},
    {"weights", edit_weights},
    {"sequence", edit_sequence},
};

static void test_hash_sees(void **state)
{
    (void)state;
    sn_world *world = support_world();
    support_animals zoo = support_zoo(world);
    sn_snapshot *saved = sn_world_save(world);
    uint64_t hash = sn_world_hash(world), seen[COUNT_OF(edits)];
    for (uint32_t i = 0; i < COUNT_OF(edits); ++i) {
        edits[i].apply(world, &zoo);
        seen[i] = sn_world_hash(world);
        if (seen[i] == hash)
            fail_msg("the hash does not see a change of %s", edits[i].name);
        for (uint32_t j = 0; j < i; ++j)
            assert_true(seen[i] != seen[j]);
        assert_ok(world, sn_world_load(world, saved));
        assert_true(sn_world_hash(world) == hash);
    }
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

/* User data, handles' generations and storage order do not count. */
static void test_hash_overlooks(void **state)
{
    (void)state;
    sn_world *a = support_world(), *b = support_world();
    sn_particle p[3], q[3];
    for (uint32_t i = 0; i < 3; ++i)
        p[i] = sn_particle_add_at(a, vec(i, 0, 0), 1);
    q[0] = sn_particle_add_at(b, vec(0, 0, 0), 1);
    sn_particle stranger = sn_particle_add_at(b, vec(9, 9, 9), 1);
    q[2] = sn_particle_add_at(b, vec(2, 0, 0), 1);
    sn_constraint strange_rod = sn_constraint_add_distance(b, sn_at(q[0]), sn_at(q[2]), 5);
    assert_ok(b, sn_constraint_remove(b, strange_rod));
    assert_ok(b, sn_particle_remove(b, stranger));
    q[1] = sn_particle_add_at(b, vec(1, 0, 0), 1);
    assert_int_equal(q[1].index, p[1].index);
    assert_ok(b, sn_particle_set_user(b, q[1], 12345));
    sn_constraint_add_distance(a, sn_at(p[0]), sn_at(p[1]), 1);
    sn_constraint_add_distance(a, sn_at(p[1]), sn_at(p[2]), 1);
    sn_constraint_add_distance(b, sn_at(q[0]), sn_at(q[1]), 1);
    sn_constraint_add_distance(b, sn_at(q[1]), sn_at(q[2]), 1);
    assert_same_world(a, b);
    support_run(a, 10, 1.0 / 60);
    support_run(b, 10, 1.0 / 60);
    assert_same_world(a, b);
    sn_world_destroy(a);
    sn_world_destroy(b);
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

/* A world whose plan has followed edits, so that it is not the one that would be made now, and has more to follow. */
static sheet edited_sheet(uint32_t changes, uint32_t more)
{
    sheet s = sheet_in(support_world());
    support_run(s.world, 3, 1.0 / 60);
    sheet_edits(&s, changes);
    support_run(s.world, 2, 1.0 / 60);
    sheet_edits(&s, more);
    return s;
}

/* What is to follow a save: steps, edits, steps. */
static uint64_t go_on(sheet *s, uint32_t changes, bool edit_first)
{
    if (!edit_first)
        support_run(s->world, 3, 1.0 / 60);
    sheet_edits(s, changes);
    support_run(s->world, 5, 1.0 / 60);
    return sn_world_hash(s->world);
}

/* A world with a past of its own: small, or larger than any sheet and full of holes. */
static sn_world *world_with_a_past(bool large)
{
    sheet s = sheet_in(support_world());
    if (large)
        for (uint32_t i = 0; i < 4000; ++i)
            sheet_join(s.world, sn_particle_add_at(s.world, vec(i, 3, 0), 1).index, i % SHEET_NODES);
    support_run(s.world, 2, 1.0 / 60);
    sheet_edits(&s, large ? 900 : 9);
    return s.world;
}

static void check_plan_comes_back(uint32_t changes, uint32_t more, uint32_t later, bool edit_first)
{
    sheet s = edited_sheet(changes, more), unsaved = edited_sheet(changes, more);
    uint64_t hash = sn_world_hash(unsaved.world);
    sn_snapshot *saved = sn_world_save(s.world);
    assert_non_null(saved);
    assert_true(sn_world_hash(s.world) == hash);
    sheet start = s;
    uint64_t end = go_on(&s, later, edit_first);
    assert_true(go_on(&unsaved, later, edit_first) == end); /* a save changes nothing */
    assert_true(end != hash);
    sn_world *worlds[] = {s.world, support_world(), world_with_a_past(false), world_with_a_past(true)};
    for (size_t i = 0; i < 2 * COUNT_OF(worlds); ++i) {
        sheet again = start;
        again.world = worlds[i / 2];
        assert_ok(again.world, sn_world_load(again.world, saved));
        assert_true(sn_world_hash(again.world) == hash);
        assert_true(go_on(&again, later, edit_first) == end);
    }
    for (size_t i = 0; i < COUNT_OF(worlds); ++i)
        sn_world_destroy(worlds[i]);
    sn_world_destroy(unsaved.world);
    sn_snapshot_destroy(saved);
}

static void test_plan_comes_back(void **state)
{
    (void)state;
    static const uint32_t changes[][2] = {{0, 0}, {0, 7}, {7, 0}, {30, 30}, {300, 2}, {5, 300}, {2000, 2000}};
    const uint32_t most = support_long(2000, 600); /* also more than the plan follows */
    for (uint32_t i = 0; i < COUNT_OF(changes); ++i)
        for (uint32_t edit_first = 0; edit_first < 2; ++edit_first) /* before the next step */
            if (support_long(1, edit_first == i % 2))
                check_plan_comes_back(changes[i][0] < most ? changes[i][0] : most,
                                      changes[i][1] < most ? changes[i][1] : most, 5, edit_first);
    check_plan_comes_back(10, 0, 600, true); /* so many that it depends on what is known of the last plan */
    check_plan_comes_back(10, 3, support_long(300, 100), true);
    check_plan_comes_back(10, 3, support_long(300, 100), false);
}

/* Many edits in one call: whether the plan follows them must not depend on what else the world has seen. */
static void test_plan_and_edits_at_once(void **state)
{
    (void)state;
    enum { RUN = 560 };
    uint32_t index[2 * RUN];
    sn_real spring[3 * RUN];
    for (uint32_t i = 0; i < RUN; ++i) {
        spring[3 * i] = 1;
        spring[3 * i + 1] = 10;
        spring[3 * i + 2] = 0;
        index[2 * i] = i;
        index[2 * i + 1] = i + 16;
    }
    for (uint32_t n = 0; n < 2; ++n) { /* removed in one call, or added */
        sheet s = sheet_in(support_world());
        sn_constraints run = {0};
        if (n == 0)
            run = sn_constraints_add_kind(s.world, SN_KIND_DISTANCE, RUN, index, NULL, NULL);
        support_run(s.world, 2, 1.0 / 60);
        sheet_edits(&s, 9);
        support_run(s.world, 1, 1.0 / 60);
        sn_snapshot *saved = sn_world_save(s.world);
        sn_world *worlds[] = {s.world, support_world(), world_with_a_past(false), world_with_a_past(true)};
        for (size_t i = 0; i < COUNT_OF(worlds); ++i) {
            assert_ok(worlds[i], sn_world_load(worlds[i], saved));
            if (n == 0)
                assert_ok(worlds[i], sn_constraints_remove(worlds[i], run));
            else
                assert_int_equal(sn_constraints_add_kind(worlds[i], SN_KIND_SPRING, RUN, index, spring, NULL).count,
                                 RUN);
            support_run(worlds[i], 3, 1.0 / 60);
            assert_same_world(worlds[i], s.world);
        }
        for (size_t i = 0; i < COUNT_OF(worlds); ++i)
            sn_world_destroy(worlds[i]);
        sn_snapshot_destroy(saved);
    }
}

/* A restored state can be saved again before it is used, and a replan is not undone by saving. */
static void test_plan_saved_again(void **state)
{
    (void)state;
    for (uint32_t replan = 0; replan < 2; ++replan) {
        sheet s = edited_sheet(20, 4), other = s;
        if (replan)
            assert_ok(s.world, sn_world_replan(s.world));
        uint64_t hash = sn_world_hash(s.world);
        sn_snapshot *saved = sn_world_save(s.world);
        other.world = support_world();
        assert_ok(other.world, sn_world_load(other.world, saved));
        sn_snapshot *again = sn_world_save(other.world);
        uint64_t end = go_on(&s, 5, true);
        sheet third = other;
        third.world = support_world();
        assert_ok(third.world, sn_world_load(third.world, again));
        assert_true(sn_world_hash(third.world) == hash);
        assert_true(go_on(&other, 5, true) == end);
        assert_true(go_on(&third, 5, true) == end);
        sn_world_destroy(s.world);
        sn_world_destroy(other.world);
        sn_world_destroy(third.world);
        sn_snapshot_destroy(saved);
        sn_snapshot_destroy(again);
    }
}

/* The same from a rewind, with edits in every frame; recording changes nothing. */
static void test_plan_rewound(void **state)
{
    (void)state;
    enum { FRAMES = 8 };
    sheet s = edited_sheet(20, 0), twin = edited_sheet(20, 0), at[FRAMES];
    uint64_t hash[FRAMES + 1];
    sn_rewind *rewind = sn_rewind_create(s.world, (size_t)1 << 24);
    assert_non_null(rewind);
    for (uint32_t i = 0; i <= FRAMES; ++i) {
        hash[i] = sn_world_hash(s.world);
        assert_true(sn_world_hash(twin.world) == hash[i]);
        if (i == FRAMES)
            break;
        assert_ok(s.world, sn_rewind_record(rewind, s.world));
        at[i] = s;
        sheet_edits(&s, 3 * i);
        sheet_edits(&twin, 3 * i);
        support_run(s.world, 1, 1.0 / 60);
        support_run(twin.world, 1, 1.0 / 60);
    }
    for (uint32_t back = 0; back < FRAMES; ++back) {
        uint32_t i = FRAMES - 1 - back;
        assert_ok(s.world, sn_rewind_back(rewind, s.world, back > 0));
        assert_true(sn_world_hash(s.world) == hash[i]);
        for (uint32_t k = i; k < FRAMES; ++k) {
            sheet again = at[k];
            sheet_edits(&again, 3 * k);
            support_run(s.world, 1, 1.0 / 60);
            assert_true(sn_world_hash(s.world) == hash[k + 1]);
        }
    }
    sn_rewind_destroy(rewind);
    sn_world_destroy(s.world);
    sn_world_destroy(twin.world);
}

/* The plan of another solver is no one's business. */
static void test_plan_across_solvers(void **state)
{
    (void)state;
    sheet s = edited_sheet(20, 4), again = s;
    sn_snapshot *saved = sn_world_save(s.world);
    uint64_t end = go_on(&s, 5, true);
    sn_settings settings = sn_world_settings(s.world);
    settings.solver = SN_SOLVER_GAUSS_SEIDEL;
    assert_ok(s.world, sn_world_configure(s.world, &settings));
    go_on(&s, 9, false);
    assert_ok(again.world, sn_world_load(again.world, saved));
    assert_int_equal(sn_world_settings(again.world).solver, SN_SOLVER_TILED);
    assert_true(go_on(&again, 5, true) == end);
    sn_world_destroy(s.world);
    sn_snapshot_destroy(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits_follow),
        cmocka_unit_test(test_load_after_edits),
        cmocka_unit_test(test_load_restores_read_outs),
        cmocka_unit_test(test_load_restores_quiet_things),
        cmocka_unit_test(test_handles_of_before_and_after),
        cmocka_unit_test(test_stale_handles_stay_stale),
        cmocka_unit_test(test_removed_before_the_save),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_load_in_another_world),
        cmocka_unit_test(test_snapshot_outlives_world),
        cmocka_unit_test(test_unused_kind),
        cmocka_unit_test(test_save_into),
        cmocka_unit_test(test_save_into_smaller),
        cmocka_unit_test(test_save_into_fails),
        cmocka_unit_test(test_empty_world),
        cmocka_unit_test(test_hash_sees),
        cmocka_unit_test(test_hash_overlooks),
        cmocka_unit_test(test_plan_comes_back),
        cmocka_unit_test(test_plan_and_edits_at_once),
        cmocka_unit_test(test_plan_saved_again),
        cmocka_unit_test(test_plan_rewound),
        cmocka_unit_test(test_plan_across_solvers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
