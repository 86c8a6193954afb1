/* Views: the engine's memory and the copies agree through the maps between numbers and slots, whatever was added and
   removed before. */
#include "support/support.h"

static sn_vec3 vector(const sn_view *view, uint32_t slot)
{
    const sn_real *x = sn_view_at(view, slot);
    assert_non_null(x);
    sn_vec3 v = {x[0], x[1], x[2]};
    return v;
}

/* slot and index are each other's inverse, and say the same as the handles. */
static void check_maps(const sn_world *world, sn_view view)
{
    assert_int_equal(view.count, sn_world_particle_count(world));
    uint32_t live = 0;
    for (uint32_t number = 0; number < view.slot_count; ++number) {
        if (view.slot[number] == SN_NO_SLOT)
            continue;
        live++;
        assert_in_range(view.slot[number], 0, view.count - 1);
        assert_int_equal(view.index[view.slot[number]], number);
        assert_int_equal(sn_particle_from_index(world, number).index, number);
    }
    assert_int_equal(live, view.count);
    for (uint32_t slot = 0; slot < view.count; ++slot) {
        assert_in_range(view.index[slot], 0, view.slot_count - 1);
        assert_int_equal(view.slot[view.index[slot]], slot);
    }
}

static void check_values(const sn_world *world)
{
    sn_view x = sn_world_view_positions(world), v = sn_world_view_velocities(world),
            w = sn_world_view_inverse_masses(world);
    assert_true(x.stride >= 3 * sizeof(sn_real) && v.stride >= 3 * sizeof(sn_real) && w.stride >= sizeof(sn_real));
    assert_true(x.stride % sizeof(sn_real) == 0 && v.stride % sizeof(sn_real) == 0 && w.stride % sizeof(sn_real) == 0);
    for (uint32_t slot = 0; slot < x.count; ++slot) {
        sn_particle p = sn_particle_from_index(world, x.index[slot]);
        sn_particle q = sn_particle_from_index(world, v.index[slot]);
        sn_particle r = sn_particle_from_index(world, w.index[slot]);
        assert_vec_same(vector(&x, slot), sn_particle_position(world, p));
        assert_vec_same(vector(&v, slot), sn_particle_velocity(world, q));
        assert_true(*sn_view_at(&w, slot) == sn_particle_inverse_mass(world, r));
    }
}

static void check_views(const sn_world *world)
{
    check_maps(world, sn_world_view_positions(world));
    check_maps(world, sn_world_view_velocities(world));
    check_maps(world, sn_world_view_inverse_masses(world));
    check_values(world);
}

static void test_empty(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_view none, views[3] = {sn_world_view_positions(world), sn_world_view_velocities(world),
                              sn_world_view_inverse_masses(world)};
    memset(&none, 0, sizeof none);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_null(views[i].data);
        assert_null(views[i].slot);
        assert_null(views[i].index);
        assert_true(views[i].count == 0 && views[i].slot_count == 0 && views[i].stride == 0);
    }
    sn_particle p = sn_particle_add_at(world, vec(1, 2, 3), 1);
    assert_int_equal(sn_world_view_positions(world).count, 1);
    assert_ok(world, sn_particle_remove(world, p));
    assert_null(sn_world_view_positions(world).data);
    assert_int_equal(sn_world_view_positions(world).count, 0);
    sn_world_destroy(world);
}

static void test_after_random_edits(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle handle[100];
    bool alive[100] = {false};
    uint64_t seed = 11;
    for (uint32_t round = 0; round < 2000; ++round) {
        uint32_t i = support_random_below(&seed, 100);
        if (alive[i]) {
            assert_ok(world, sn_particle_remove(world, handle[i]));
        } else {
            sn_particle_def def = sn_default_particle_def();
            def.position = vec(round, i, 1);
            def.velocity = vec(1, round, i);
            def.mass = i % 7 == 0 ? SN_IMMOVABLE : real(1 + i);
            assert_ok(world, sn_particle_add(world, &def, &handle[i]));
        }
        alive[i] = !alive[i];
        if (round % 37 == 0) {
            check_views(world);
            support_run(world, 1, 0.01);
            check_views(world);
        }
    }
    sn_world_destroy(world);
}

static void test_against_copies(void **state)
{
    (void)state;
    sn_world *world = support_world();
    support_animals zoo = support_zoo(world);
    support_run(world, 10, 1.0 / 60);
    sn_real x[4 * SUPPORT_ZOO_PARTICLES], v[3 * SUPPORT_ZOO_PARTICLES], w[SUPPORT_ZOO_PARTICLES];
    assert_ok(world, sn_particles_read_positions(world, zoo.grid, x, 4 * sizeof(sn_real)));
    assert_ok(world, sn_particles_read_velocities(world, zoo.grid, v, 0));
    assert_ok(world, sn_particles_read_inverse_masses(world, zoo.grid, w, sizeof(sn_real)));
    sn_view xs = sn_world_view_positions(world), vs = sn_world_view_velocities(world),
            ws = sn_world_view_inverse_masses(world);
    for (uint32_t i = 0; i < zoo.grid.count; ++i) {
        uint32_t number = zoo.grid.first + i;
        assert_memory_equal(&x[4 * i], sn_view_find(&xs, number), 3 * sizeof(sn_real));
        assert_memory_equal(&v[3 * i], sn_view_find(&vs, number), 3 * sizeof(sn_real));
        assert_memory_equal(&w[i], sn_view_find(&ws, number), sizeof(sn_real));
    }
    sn_world_destroy(world);
}

/* Where nothing lies, nothing is found. */
static void test_finding(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_view empty = sn_world_view_positions(world);
    assert_null(sn_view_at(&empty, 0));
    assert_null(sn_view_find(&empty, 0));
    sn_particle p = sn_particle_add_at(world, vec(1, 2, 3), 1), q = sn_particle_add_at(world, vec(4, 5, 6), 1);
    assert_ok(world, sn_particle_remove(world, p));
    sn_view x = sn_world_view_positions(world);
    assert_null(sn_view_find(&x, p.index));
    assert_null(sn_view_find(&x, 1000));
    assert_null(sn_view_find(&x, UINT32_MAX));
    assert_null(sn_view_at(&x, 1));
    assert_null(sn_view_at(&x, SN_NO_SLOT));
    assert_non_null(sn_view_find(&x, q.index));
    assert_true(sn_view_find(&x, q.index)[2] == 6);
    assert_ptr_equal(sn_view_find(&x, q.index), sn_view_at(&x, x.slot[q.index]));
    sn_world_destroy(world);
}

/* A view that was taken before a step shows what the step did, and what teleports and changes of mass did. */
static void test_view_stays_alive(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle p = sn_particle_add_at(world, vec(0, 10, 0), 1);
    sn_particle_add_at(world, vec(5, 5, 5), 1);
    sn_view x = sn_world_view_positions(world), v = sn_world_view_velocities(world),
            w = sn_world_view_inverse_masses(world);
    support_run(world, 3, 0.1);
    assert_vec_same(vector(&x, x.slot[p.index]), sn_particle_position(world, p));
    assert_vec_same(vector(&v, v.slot[p.index]), sn_particle_velocity(world, p));
    assert_true(sn_view_find(&x, p.index)[1] < 10);
    assert_ok(world, sn_particle_set_position(world, p, vec(1, 2, 3)));
    assert_ok(world, sn_particle_set_mass(world, p, 4));
    sn_constraint_add_pin(world, p); /* constraints may come and go */
    support_run(world, 1, 0.1);
    assert_ok(world, sn_world_shift_origin(world, vec(1, 1, 1)));
    assert_vec_same(vector(&x, x.slot[p.index]), sn_particle_position(world, p));
    assert_true(*sn_view_find(&w, p.index) == real(0.25));
    sn_view again = sn_world_view_positions(world);
    assert_ptr_equal(again.data, x.data);
    assert_int_equal(again.count, x.count);
    sn_world_destroy(world);
}

/* Adding that is refused, however late, leaves views alone: their memory is still the world's. (Under the address
   sanitizer a look at memory that was given back ends the test.) */
static void test_refused_additions_keep_views(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    sn_world *world = support_world();
    sn_particle p = sn_particle_add_at(world, vec(1, 2, 3), 4);
    sn_view x = sn_world_view_positions(world), v = sn_world_view_velocities(world),
            w = sn_world_view_inverse_masses(world);
    sn_real *xyz = calloc(3 * MANY, sizeof *xyz);
    assert_non_null(xyz);
    xyz[3 * MANY - 1] = (sn_real)NAN;
    assert_int_equal(sn_particles_add(world, MANY, xyz, 0, 1).count, 0);
    assert_int_equal(sn_particles_add(world, UINT32_MAX, xyz, 0, 1).count, 0);
    xyz[3 * MANY - 1] = 0;
    assert_int_equal(sn_particles_add(world, MANY, xyz, 0, -1).count, 0);
    assert_int_equal(sn_particles_add(world, MANY, xyz, 1, 1).count, 0);
    free(xyz);
    assert_false(sn_particle_is_valid(world, sn_particle_add_at(world, vec(0, NAN, 0), 1)));
    assert_false(sn_particle_is_valid(world, sn_particle_add_at(world, vec(0, 0, 0), 0)));
    assert_int_equal(x.count, 1);
    assert_vec_same(vector(&x, x.slot[p.index]), vec(1, 2, 3));
    assert_vec_same(vector(&v, v.slot[p.index]), vec(0, 0, 0));
    assert_true(*sn_view_find(&w, p.index) == real(0.25));
    support_run(world, 1, 0.1);
    assert_vec_same(vector(&x, x.slot[p.index]), sn_particle_position(world, p));
    assert_ptr_equal(sn_world_view_positions(world).data, x.data);
    assert_ptr_equal(sn_world_view_positions(world).slot, x.slot);
    sn_world_destroy(world);
}

/* After a restore the new views show the restored particles. */
static void test_after_load(void **state)
{
    (void)state;
    sn_world *world = support_world();
    support_animals zoo = support_zoo(world);
    sn_snapshot *saved = sn_world_save(world);
    for (uint32_t i = 5; i < SUPPORT_ZOO_PARTICLES; i += 3)
        assert_ok(world, sn_particle_remove(world, sn_particles_at(zoo.grid, i)));
    check_views(world);
    assert_ok(world, sn_world_load(world, saved));
    check_views(world);
    assert_int_equal(sn_world_view_positions(world).count, SUPPORT_ZOO_PARTICLES);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_after_random_edits),
        cmocka_unit_test(test_against_copies),
        cmocka_unit_test(test_finding),
        cmocka_unit_test(test_view_stays_alive),
        cmocka_unit_test(test_refused_additions_keep_views),
        cmocka_unit_test(test_after_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
