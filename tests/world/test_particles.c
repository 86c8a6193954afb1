/* Particles: numbers and generations, runs, reading and writing, what moves them, and what becomes of them when they
   are removed, held, thrown, or when the origin moves. */
#include "support/support.h"

static sn_world *world;

static int setup_void(void **state)
{
    (void)state;
    world = support_void();
    return 0;
}

static int setup_default(void **state)
{
    (void)state;
    world = support_world();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sn_world_destroy(world);
    world = NULL;
    return 0;
}

static sn_particle at(double x, double y, double z)
{
    sn_particle p = sn_particle_add_at(world, vec(x, y, z), 1);
    assert_true(sn_particle_is_valid(world, p));
    return p;
}

static sn_vec3 position(sn_particle p)
{
    return sn_particle_position(world, p);
}

static sn_vec3 velocity(sn_particle p)
{
    return sn_particle_velocity(world, p);
}

/* ---- Adding and reading ------------------------------------------------------------------------------------------ */

static void test_default_def(void **state)
{
    (void)state;
    sn_particle_def def = sn_default_particle_def();
    assert_vec_same(def.position, vec(0, 0, 0));
    assert_vec_same(def.velocity, vec(0, 0, 0));
    assert_true(def.mass == 1 && def.radius == 0 && def.group == 0 && def.user == 0);
}

static void test_add_reads_back(void **state)
{
    (void)state;
    sn_particle_def def = {vec(1, 2, 3), vec(4, 5, 6), real(0.5), real(0.125), 7, 0xfeedfacecafebeefu};
    sn_particle p;
    assert_ok(world, sn_particle_add(world, &def, &p));
    assert_ok(world, sn_particle_add(world, &def, NULL));
    assert_int_equal(sn_world_particle_count(world), 2);
    assert_vec_same(position(p), def.position);
    assert_vec_same(velocity(p), def.velocity);
    assert_true(sn_particle_mass(world, p) == def.mass);
    assert_true(sn_particle_inverse_mass(world, p) == 2);
    assert_true(sn_particle_radius(world, p) == def.radius);
    assert_int_equal(sn_particle_group(world, p), 7);
    assert_true(sn_particle_user(world, p) == def.user);
}

static void test_setters_read_back(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(1, 1, 1);
    assert_ok(world, sn_particle_set_position(world, p, vec(1, 2, 3)));
    assert_ok(world, sn_particle_set_velocity(world, p, vec(4, 5, 6)));
    assert_ok(world, sn_particle_set_mass(world, p, 4));
    assert_ok(world, sn_particle_set_radius(world, p, real(0.25)));
    assert_ok(world, sn_particle_set_group(world, p, UINT32_MAX));
    assert_ok(world, sn_particle_set_user(world, p, UINT64_MAX));
    assert_vec_same(position(p), vec(1, 2, 3));
    assert_vec_same(velocity(p), vec(4, 5, 6));
    assert_true(sn_particle_mass(world, p) == 4 && sn_particle_inverse_mass(world, p) == real(0.25));
    assert_true(sn_particle_radius(world, p) == real(0.25));
    assert_int_equal(sn_particle_group(world, p), UINT32_MAX);
    assert_true(sn_particle_user(world, p) == UINT64_MAX);
    assert_vec_same(position(q), vec(1, 1, 1));
    assert_int_equal(sn_particle_group(world, q), 0);
}

/* The whole documented range of masses, both ends included. */
static void test_mass_range(void **state)
{
    (void)state;
    const double good[] = {1e-30, 1e-6, 1, 1e6, 1e30};
    sn_particle p = at(0, 0, 0);
    sn_particles run = sn_particles_add(world, 1, (sn_real[]){0, 0, 0}, 0, 1);
    for (uint32_t i = 0; i < COUNT_OF(good); ++i) {
        assert_ok(world, sn_particle_set_mass(world, p, real(good[i])));
        assert_true(sn_particle_mass(world, p) == real(good[i]));
        assert_close((double)sn_particle_inverse_mass(world, p) * good[i], 1, 1e-6);
        sn_real w = real(good[i]);
        assert_ok(world, sn_particles_write_inverse_masses(world, run, &w, 0));
        assert_true(sn_particle_inverse_mass(world, sn_particles_at(run, 0)) == w);
        assert_close((double)sn_particle_mass(world, sn_particles_at(run, 0)) * good[i], 1, 1e-6);
    }
}

/* What is read can be written back, at the ends of the range too. */
static void test_inverse_mass_round_trip(void **state)
{
    (void)state;
    const double masses[] = {1e-30, 3, 1e30};
    for (uint32_t i = 0; i < COUNT_OF(masses); ++i) {
        sn_particles run = sn_particles_add(world, 1, (sn_real[]){0, 0, 0}, 0, real(masses[i]));
        sn_real w = 0;
        assert_ok(world, sn_particles_read_inverse_masses(world, run, &w, 0));
        assert_ok(world, sn_particles_write_inverse_masses(world, run, &w, 0));
        assert_true(sn_particle_inverse_mass(world, sn_particles_at(run, 0)) == w);
    }
}

static void test_immovable(void **state)
{
    (void)state;
    sn_particle p = sn_particle_add_at(world, vec(1, 2, 3), SN_IMMOVABLE);
    assert_true(isinf(sn_particle_mass(world, p)));
    assert_true(sn_particle_inverse_mass(world, p) == 0);
    assert_ok(world, sn_particle_apply_impulse(world, p, vec(5, 5, 5)));
    assert_vec_same(velocity(p), vec(0, 0, 0));
    assert_ok(world, sn_particle_apply_force(world, p, vec(100, 100, 100)));
    support_run(world, 3, 0.1);
    assert_vec_same(position(p), vec(1, 2, 3));
    assert_ok(world, sn_particle_set_mass(world, p, 1));
    support_run(world, 1, 0.1);
    assert_true(sn_particle_velocity(world, p).y < 0);
}

/* ---- Numbers and generations ------------------------------------------------------------------------------------- */

static void test_number_is_used_again(void **state)
{
    (void)state;
    sn_particle p = at(1, 0, 0), q = at(2, 0, 0);
    assert_ok(world, sn_particle_remove(world, p));
    assert_false(sn_particle_is_valid(world, p));
    sn_particle r = at(3, 0, 0);
    assert_int_equal(r.index, p.index);
    assert_int_not_equal(r.generation, p.generation);
    assert_false(sn_particle_is_valid(world, p));
    assert_true(sn_particle_is_valid(world, r));
    assert_vec_same(position(r), vec(3, 0, 0));
    assert_vec_same(position(q), vec(2, 0, 0));
    sn_particle found = sn_particle_from_index(world, r.index);
    assert_true(found.index == r.index && found.generation == r.generation);
}

/* What comes into a number is not what was there before. */
static void test_heir_inherits_nothing(void **state)
{
    (void)state;
    sn_particle_def def = {vec(1, 2, 3), vec(4, 5, 6), 9, 8, 7, 6};
    sn_particle p, keep = at(0, 0, 0);
    assert_ok(world, sn_particle_add(world, &def, &p));
    assert_ok(world, sn_particle_apply_force(world, p, vec(100, 0, 0)));
    assert_ok(world, sn_particle_move_to(world, p, vec(9, 9, 9)));
    assert_ok(world, sn_particle_remove(world, p));
    sn_particle q = at(0, 1, 0);
    assert_int_equal(q.index, p.index);
    assert_true(sn_particle_radius(world, q) == 0 && sn_particle_mass(world, q) == 1);
    assert_int_equal(sn_particle_group(world, q), 0);
    assert_true(sn_particle_user(world, q) == 0);
    support_run(world, 1, 0.5);
    assert_vec_same(position(q), vec(0, 1, 0));
    assert_vec_same(velocity(q), vec(0, 0, 0));
    assert_vec_same(position(keep), vec(0, 0, 0));
}

/* A thousand random additions and removals against a plain list. */
#define CROWD 200

static void test_numbers_stay(void **state)
{
    (void)state;
    sn_particle handle[CROWD];
    double place[CROWD];
    bool alive[CROWD] = {false};
    uint64_t seed = 42;
    uint32_t live = 0;
    for (uint32_t round = 0; round < 5000; ++round) {
        uint32_t i = support_random_below(&seed, CROWD);
        if (alive[i]) {
            assert_ok(world, sn_particle_remove(world, handle[i]));
        } else {
            place[i] = (double)round;
            handle[i] = at(place[i], 0, 0);
        }
        alive[i] = !alive[i];
        live = alive[i] ? live + 1 : live - 1;
        assert_int_equal(sn_world_particle_count(world), live);
    }
    for (uint32_t i = 0; i < CROWD; ++i) {
        assert_int_equal(sn_particle_is_valid(world, handle[i]), alive[i]);
        if (alive[i])
            assert_vec_same(position(handle[i]), vec(place[i], 0, 0));
    }
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static void fill(sn_real *xyz, uint32_t count)
{
    for (uint32_t i = 0; i < 3 * count; ++i)
        xyz[i] = real(i);
}

static void test_run(void **state)
{
    (void)state;
    sn_real xyz[3 * 20];
    fill(xyz, 20);
    sn_particles run = sn_particles_add(world, 20, xyz, 0, 2);
    assert_int_equal(run.count, 20);
    for (uint32_t i = 0; i < 20; ++i) {
        sn_particle p = sn_particles_at(run, i);
        assert_int_equal(p.index, run.first + i);
        assert_true(sn_particle_is_valid(world, p));
        assert_vec_same(position(p), vec(3 * i, 3 * i + 1, 3 * i + 2));
        assert_true(sn_particle_mass(world, p) == 2);
    }
    sn_particle beyond = sn_particles_at(run, 20);
    assert_true(beyond.index == 0 && beyond.generation == 0);
    beyond = sn_particles_at(run, UINT32_MAX);
    assert_true(beyond.index == 0 && beyond.generation == 0);
}

/* Numbers of a run are consecutive even where single ones are free, and free gaps are used where they fit. */
static void test_run_after_removals(void **state)
{
    (void)state;
    sn_real xyz[3 * 20];
    fill(xyz, 20);
    sn_particles first = sn_particles_add(world, 20, xyz, 0, 1);
    for (uint32_t i = 0; i < 20; i += 2)
        assert_ok(world, sn_particle_remove(world, sn_particles_at(first, i)));
    sn_particles second = sn_particles_add(world, 5, xyz, 0, 1);
    assert_int_equal(second.count, 5);
    for (uint32_t i = 0; i < 20; ++i)
        assert_int_equal(sn_particle_is_valid(world, sn_particles_at(first, i)), i % 2 == 1);
    for (uint32_t i = 0; i < 5; ++i)
        assert_vec_same(position(sn_particles_at(second, i)), vec(3 * i, 3 * i + 1, 3 * i + 2));
    assert_int_equal(sn_world_particle_count(world), 15);
    sn_particle single = at(5, 5, 5);
    assert_true(single.index < first.first + first.count);
    assert_false(sn_particle_is_valid(world, sn_particles_at(first, single.index - first.first)));
}

static void test_run_removal(void **state)
{
    (void)state;
    sn_real xyz[3 * 10];
    fill(xyz, 10);
    sn_particles a = sn_particles_add(world, 10, xyz, 0, 1), b = sn_particles_add(world, 10, xyz, 0, 1);
    sn_constraint across =
        sn_constraint_add_distance(world, sn_at(sn_particles_at(a, 3)), sn_at(sn_particles_at(b, 3)), 1);
    sn_constraint within =
        sn_constraint_add_distance(world, sn_at(sn_particles_at(b, 1)), sn_at(sn_particles_at(b, 2)), 1);
    assert_ok(world, sn_particles_remove(world, a));
    assert_int_equal(sn_world_particle_count(world), 10);
    assert_false(sn_constraint_is_valid(world, across));
    assert_true(sn_constraint_is_valid(world, within));
    for (uint32_t i = 0; i < 10; ++i) {
        assert_false(sn_particle_is_valid(world, sn_particles_at(a, i)));
        assert_vec_same(position(sn_particles_at(b, i)), vec(3 * i, 3 * i + 1, 3 * i + 2));
    }
    assert_result(world, SN_ERROR_STALE, sn_particles_remove(world, a));
    assert_ok(world, sn_particle_remove(world, sn_particles_at(b, 9)));
    assert_result(world, SN_ERROR_STALE, sn_particles_remove(world, b));
    assert_int_equal(sn_world_particle_count(world), 9);
    sn_particles c = sn_particles_add(world, 10, xyz, 0, 1);
    assert_int_equal(c.count, 10);
    for (uint32_t i = 0; i < 10; ++i)
        assert_false(sn_particle_is_valid(world, sn_particles_at(a, i)));
}

static void test_run_strides(void **state)
{
    (void)state;
    sn_real wide[7 * 4];
    fill(wide, 7 * 4 / 3);
    size_t stride = 7 * sizeof(sn_real);
    sn_particles run = sn_particles_add(world, 4, wide, stride, 1);
    for (uint32_t i = 0; i < 4; ++i)
        assert_vec_same(position(sn_particles_at(run, i)), vec(7 * i, 7 * i + 1, 7 * i + 2));
    sn_real back[5 * 4], mass[3 * 4];
    for (uint32_t i = 0; i < COUNT_OF(back); ++i)
        back[i] = -1;
    assert_ok(world, sn_particles_read_positions(world, run, back, 5 * sizeof(sn_real)));
    for (uint32_t i = 0; i < 4; ++i) {
        for (uint32_t j = 0; j < 3; ++j)
            assert_true(back[5 * i + j] == real(7 * i + j));
        assert_true(back[5 * i + 3] == -1 && back[5 * i + 4] == -1);
    }
    for (uint32_t i = 0; i < COUNT_OF(mass); ++i)
        mass[i] = i % 3 == 0 ? real(0.5) : -5;
    assert_ok(world, sn_particles_write_inverse_masses(world, run, mass, 3 * sizeof(sn_real)));
    for (uint32_t i = 0; i < 4; ++i)
        assert_true(sn_particle_mass(world, sn_particles_at(run, i)) == 2);
    assert_ok(world, sn_particles_read_inverse_masses(world, run, mass, 2 * sizeof(sn_real)));
    assert_true(mass[0] == real(0.5) && mass[1] == -5 && mass[2] == real(0.5) && mass[4] == real(0.5));
}

static void test_run_round_trips(void **state)
{
    (void)state;
    sn_real in[3 * 6], out[3 * 6], w[6] = {0, 1, 2, real(0.5), 4, real(0.25)}, w_out[6];
    fill(in, 6);
    sn_particles run = sn_particles_add(world, 6, (sn_real[3 * 6]){0}, 0, 1);
    assert_ok(world, sn_particles_write_velocities(world, run, in, 0));
    assert_ok(world, sn_particles_read_velocities(world, run, out, 0));
    assert_memory_equal(in, out, sizeof in);
    assert_ok(world, sn_particles_read_positions(world, run, out, 0));
    for (uint32_t i = 0; i < COUNT_OF(out); ++i)
        assert_true(out[i] == 0);
    assert_ok(world, sn_particles_write_positions(world, run, in, 0));
    assert_ok(world, sn_particles_read_positions(world, run, out, 0));
    assert_memory_equal(in, out, sizeof in);
    assert_ok(world, sn_particles_write_inverse_masses(world, run, w, 0));
    assert_ok(world, sn_particles_read_inverse_masses(world, run, w_out, 0));
    assert_memory_equal(w, w_out, sizeof w);
    assert_true(isinf(sn_particle_mass(world, sn_particles_at(run, 0))));
    assert_true(sn_particle_mass(world, sn_particles_at(run, 3)) == 2);
}

/* ---- Constraints go with their particles ------------------------------------------------------------------------- */

static void test_removal_takes_constraints(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(1, 0, 0), r = at(2, 0, 0);
    sn_constraint pq = sn_constraint_add_distance(world, sn_at(p), sn_at(q), 1),
                  qr = sn_constraint_add_distance(world, sn_at(q), sn_at(r), 1);
    sn_constraint pin_p = sn_constraint_add_pin(world, p), pin_r = sn_constraint_add_pin(world, r);
    assert_ok(world, sn_particle_remove(world, p));
    assert_false(sn_constraint_is_valid(world, pq));
    assert_false(sn_constraint_is_valid(world, pin_p));
    assert_true(sn_constraint_is_valid(world, qr));
    assert_true(sn_constraint_is_valid(world, pin_r));
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_NONE), 2);
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_DISTANCE), 1);
    /* the heir of the number is not held by anything */
    sn_particle heir = at(5, 5, 5);
    assert_int_equal(heir.index, p.index);
    support_run(world, 3, 0.1);
    assert_vec_same(position(heir), vec(5, 5, 5));
}

/* Each corner of a spot, in every place of a constraint, takes it along. */
static void test_removal_through_spots(void **state)
{
    (void)state;
    for (uint32_t corner = 0; corner < 4; ++corner)
        for (uint32_t solid = 0; solid < 2; ++solid) {
            if (corner == 3 && !solid)
                continue;
            sn_particle p[5] = {at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), at(0, 0, 1), at(1, 1, 1)};
            sn_real q = real(0.25);
            sn_point spot = solid ? sn_in_tetrahedron(p[0], p[1], p[2], p[3], q, q, q, q)
                                  : sn_on_triangle(p[0], p[1], p[2], q, q, 2 * q);
            sn_constraint first = sn_constraint_add_distance(world, spot, sn_at(p[4]), SN_MEASURE);
            sn_constraint second = sn_constraint_add_distance(world, sn_at(p[4]), spot, SN_MEASURE);
            sn_constraint other = sn_constraint_add_pin(world, p[4]);
            assert_true(sn_constraint_is_valid(world, first) && sn_constraint_is_valid(world, second));
            assert_ok(world, sn_particle_remove(world, p[corner]));
            assert_false(sn_constraint_is_valid(world, first));
            assert_false(sn_constraint_is_valid(world, second));
            assert_true(sn_constraint_is_valid(world, other));
            support_run(world, 1, 0.01);
            for (uint32_t i = 0; i < 5; ++i)
                if (i != corner)
                    assert_ok(world, sn_particle_remove(world, p[i]));
            assert_int_equal(sn_world_constraint_count(world, SN_KIND_NONE), 0);
        }
}

/* A weight of 0 does not make a corner any less a part of the spot. */
static void test_removal_of_weightless_corner(void **state)
{
    (void)state;
    sn_particle p[3] = {at(0, 0, 0), at(1, 0, 0), at(0, 1, 0)};
    sn_constraint c = sn_constraint_add_pin_at(world, sn_on_triangle(p[0], p[1], p[2], 1, 0, 0), vec(0, 0, 0));
    assert_true(sn_constraint_is_valid(world, c));
    assert_ok(world, sn_particle_remove(world, p[2]));
    assert_false(sn_constraint_is_valid(world, c));
}

/* A change of points moves the tie: the particle that is let go may be removed without the constraint. */
static void test_removal_after_change(void **state)
{
    (void)state;
    sn_particle p[3] = {at(0, 0, 0), at(1, 0, 0), at(0, 1, 0)};
    sn_constraint rod = sn_constraint_add_distance(world, sn_at(p[0]), sn_at(p[1]), 1);
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    sn_point points[2] = {sn_at(p[0]), sn_at(p[2])};
    def.points = points;
    assert_ok(world, sn_constraint_change(world, rod, &def));
    assert_ok(world, sn_particle_remove(world, p[1]));
    assert_true(sn_constraint_is_valid(world, rod));
    assert_ok(world, sn_particle_remove(world, p[2]));
    assert_false(sn_constraint_is_valid(world, rod));
}

/* The same when removals have gone before, so that the engine may have an index of who holds whom. */
static void test_removal_after_late_changes(void **state)
{
    (void)state;
    sn_particle p[6];
    for (uint32_t i = 0; i < 6; ++i)
        p[i] = at(i, 0, 0);
    sn_constraint rod = sn_constraint_add_distance(world, sn_at(p[0]), sn_at(p[1]), 1);
    sn_constraint_add_distance(world, sn_at(p[4]), sn_at(p[5]), 1);
    assert_ok(world, sn_particle_remove(world, p[5]));
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    sn_point points[2] = {sn_at(p[2]), sn_at(p[3])};
    def.points = points;
    assert_ok(world, sn_constraint_change(world, rod, &def));
    sn_constraint late = sn_constraint_add_distance(world, sn_at(p[2]), sn_at(p[4]), 1);
    assert_ok(world, sn_particle_remove(world, p[0]));
    assert_true(sn_constraint_is_valid(world, rod) && sn_constraint_is_valid(world, late));
    assert_ok(world, sn_particle_remove(world, p[4]));
    assert_true(sn_constraint_is_valid(world, rod));
    assert_false(sn_constraint_is_valid(world, late));
    assert_ok(world, sn_particle_remove(world, p[3]));
    assert_false(sn_constraint_is_valid(world, rod));
}

/* One rod more, since the engine last looked: at the end of a run of its kind, and by itself. */
static void test_removal_after_late_additions(void **state)
{
    for (uint32_t alone = 0; alone < 2; ++alone) {
        setup_void(state);
        sn_particle p[4] = {at(0, 0, 0), at(1, 0, 0), at(2, 0, 0), at(3, 0, 0)};
        sn_constraint_add_distance(world, sn_at(p[0]), sn_at(p[1]), 1);
        if (alone)
            sn_constraint_add_pin(world, p[0]);
        assert_ok(world, sn_particle_remove(world, p[3]));
        sn_constraint late = sn_constraint_add_distance(world, sn_at(p[1]), sn_at(p[2]), 1);
        assert_ok(world, sn_particle_remove(world, p[2]));
        assert_false(sn_constraint_is_valid(world, late));
        assert_ok(world, sn_particle_remove(world, p[1]));
        assert_ok(world, sn_particle_remove(world, p[0]));
        assert_int_equal(sn_world_constraint_count(world, SN_KIND_NONE), 0);
        teardown(state);
    }
}

/* Thousands of rods, in bulk and one by one, while particles are removed: a rod lives as long as both its ends. */
#define LINE 3000

static void test_removal_in_a_crowd(void **state)
{
    (void)state;
    sn_real *xyz = calloc(3 * LINE, sizeof *xyz);
    uint32_t *index = calloc(2 * LINE, sizeof *index);
    sn_constraint *rod = calloc(2 * LINE, sizeof *rod);
    uint32_t(*ends)[2] = calloc(2 * LINE, sizeof *ends), rods = 0;
    uint64_t seed = 5;
    for (uint32_t i = 0; i < LINE; ++i)
        xyz[3 * i] = real(i);
    sn_particles line = sn_particles_add(world, LINE, xyz, 0, 1);
    for (uint32_t i = 0; i + 1 < LINE; ++i) {
        index[2 * i] = line.first + i;
        index[2 * i + 1] = line.first + i + 1;
    }
    sn_constraints bulk = sn_constraints_add_kind(world, SN_KIND_DISTANCE, LINE - 1, index, NULL, NULL);
    for (; rods < LINE - 1; ++rods) {
        rod[rods] = sn_constraints_at(bulk, rods);
        ends[rods][0] = rods;
        ends[rods][1] = rods + 1;
    }
    for (uint32_t round = 0; round < LINE; ++round) {
        sn_particle p = sn_particles_at(line, support_random_below(&seed, LINE));
        sn_particle q = sn_particles_at(line, support_random_below(&seed, LINE));
        bool both = sn_particle_is_valid(world, p) && sn_particle_is_valid(world, q) && p.index != q.index;
        if (round % 3 == 0 && sn_particle_is_valid(world, p)) {
            assert_ok(world, sn_particle_remove(world, p));
        } else if (both) {
            rod[rods] = sn_constraint_add_distance(world, sn_at(p), sn_at(q), SN_MEASURE);
            ends[rods][0] = p.index - line.first;
            ends[rods++][1] = q.index - line.first;
        }
    }
    uint32_t live = 0;
    for (uint32_t i = 0; i < rods; ++i) {
        bool both = sn_particle_is_valid(world, sn_particles_at(line, ends[i][0])) &&
                    sn_particle_is_valid(world, sn_particles_at(line, ends[i][1]));
        assert_int_equal(sn_constraint_is_valid(world, rod[i]), both);
        live += both;
    }
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_DISTANCE), live);
    support_run(world, 1, 0.01);
    free(xyz);
    free(index);
    free(rod);
    free(ends);
}

/* ---- Gravity, forces, impulses ----------------------------------------------------------------------------------- */

static void test_force_acts_for_one_step(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(9, 9, 9);
    assert_ok(world, sn_particle_set_mass(world, p, 2));
    assert_ok(world, sn_particle_apply_force(world, p, vec(1, 0, 0)));
    assert_ok(world, sn_particle_apply_force(world, p, vec(3, 2, 0))); /* they add up */
    support_run(world, 1, 0.5);
    assert_vec_close(velocity(p), vec(1, 0.5, 0), 1e-6);
    support_run(world, 1, 0.5);
    assert_vec_close(velocity(p), vec(1, 0.5, 0), 1e-6);
    assert_vec_same(velocity(q), vec(0, 0, 0));
}

/* The force acts in every substep of the step. */
static void test_force_acts_in_all_substeps(void **state)
{
    (void)state;
    sn_settings settings = sn_world_settings(world);
    settings.substeps = 8;
    assert_ok(world, sn_world_configure(world, &settings));
    sn_particle p = at(0, 0, 0);
    assert_ok(world, sn_particle_apply_force(world, p, vec(0, 3, 0)));
    support_run(world, 1, 1);
    assert_vec_close(velocity(p), vec(0, 3, 0), 1e-5);
}

/* dt 0 does nothing, so forces and targets wait for the next real step. */
static void test_step_of_nothing(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(1, 1, 1);
    assert_ok(world, sn_particle_apply_force(world, p, vec(1, 0, 0)));
    assert_ok(world, sn_particle_move_to(world, q, vec(2, 2, 2)));
    uint64_t hash = sn_world_hash(world);
    sn_report before, after;
    assert_ok(world, sn_world_report(world, &before));
    assert_ok(world, sn_world_step(world, 0));
    assert_ok(world, sn_world_report(world, &after));
    assert_true(sn_world_hash(world) == hash);
    assert_true(before.steps == after.steps && before.time == after.time);
    support_run(world, 1, 1);
    assert_vec_close(velocity(p), vec(1, 0, 0), 1e-6);
    assert_vec_same(position(q), vec(2, 2, 2));
}

static void test_impulse(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0);
    assert_ok(world, sn_particle_set_mass(world, p, 4));
    assert_ok(world, sn_particle_set_velocity(world, p, vec(1, 1, 1)));
    assert_ok(world, sn_particle_apply_impulse(world, p, vec(4, 8, -4)));
    assert_vec_same(velocity(p), vec(2, 3, 0)); /* at once */
    assert_vec_same(position(p), vec(0, 0, 0));
    support_run(world, 1, 0.5);
    assert_vec_close(position(p), vec(1, 1.5, 0), 1e-6);
}

static void test_teleport_keeps_velocity(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0);
    assert_ok(world, sn_particle_set_velocity(world, p, vec(1, 0, 0)));
    support_run(world, 1, 0.5);
    assert_ok(world, sn_particle_set_position(world, p, vec(100, 0, 0)));
    assert_vec_close(velocity(p), vec(1, 0, 0), 1e-6);
    support_run(world, 1, 0.5);
    assert_vec_close(position(p), vec(100.5, 0, 0), 1e-4);
    assert_vec_close(velocity(p), vec(1, 0, 0), 1e-4);
}

/* A heavier particle gives way less: the same rod, once with equal and once with unequal masses. */
static void test_mass_shares_corrections(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(2, 0, 0);
    sn_constraint_add_distance(world, sn_at(p), sn_at(q), 1);
    sn_snapshot *start = sn_world_save(world);
    support_run(world, 1, 0.1);
    assert_vec_close(position(p), vec(0.5, 0, 0), 1e-6);
    assert_vec_close(position(q), vec(1.5, 0, 0), 1e-6);
    assert_ok(world, sn_world_load(world, start));
    assert_ok(world, sn_particle_set_mass(world, p, 3));
    support_run(world, 1, 0.1);
    assert_vec_close(position(p), vec(0.25, 0, 0), 1e-6);
    assert_vec_close(position(q), vec(1.25, 0, 0), 1e-6);
    assert_ok(world, sn_world_load(world, start));
    assert_ok(world, sn_particle_set_mass(world, q, SN_IMMOVABLE));
    support_run(world, 1, 0.1);
    assert_vec_close(position(p), vec(1, 0, 0), 1e-6);
    assert_vec_same(position(q), vec(2, 0, 0));
    sn_snapshot_destroy(start);
}

static void test_damping(void **state)
{
    (void)state;
    sn_settings settings = sn_world_settings(world);
    settings.damping = 2;
    settings.substeps = 10;
    assert_ok(world, sn_world_configure(world, &settings));
    sn_particle p = at(0, 0, 0);
    assert_ok(world, sn_particle_set_velocity(world, p, vec(1, 0, 0)));
    support_run(world, 4, 0.125);
    assert_close(velocity(p).x, exp(-2 * 0.5), 1e-5);
}

/* dt may differ from step to step: free fall y = -g h^2 n (n + 1) / 2 within each, v = -g t whatever they are. */
static void test_variable_dt(void **state)
{
    (void)state;
    const double dt[] = {0.01, 0.1, 0.001, 0.05, 0.25, 0.0125};
    sn_particle p = at(0, 0, 0);
    double t = 0, y = 0;
    for (uint32_t i = 0; i < COUNT_OF(dt); ++i) {
        double h = dt[i] / 10, v = -9.81 * t;
        y += 10 * v * h - 9.81 * h * h * 10 * 11 / 2;
        t += dt[i];
        support_run(world, 1, dt[i]);
        assert_close(sn_world_time(world), t, 1e-6);
        assert_close(velocity(p).y, -9.81 * t, 1e-4);
        assert_close(position(p).y, y, 1e-5);
    }
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    assert_int_equal(report.steps, COUNT_OF(dt));
    assert_true(report.time == sn_world_time(world));
}

/* ---- Kinematic targets ------------------------------------------------------------------------------------------- */

static void test_target_is_reached_exactly(void **state)
{
    (void)state;
    const sn_vec3 start = vec(0.1, 0.2, 0.3), target = vec(1.7, -2.3, 0.7);
    sn_particle movable = sn_particle_add_at(world, start, 2),
                immovable = sn_particle_add_at(world, start, SN_IMMOVABLE);
    assert_ok(world, sn_particle_move_to(world, movable, target));
    assert_ok(world, sn_particle_move_to(world, immovable, target));
    support_run(world, 1, 1.0 / 60);
    assert_vec_same(position(movable), target);
    assert_vec_same(position(immovable), target);
}

/* Movable particles fly on with the velocity of the motion; immovable ones stay, and forget it with the next step. */
static void test_target_release(void **state)
{
    (void)state;
    sn_particle movable = at(0, 0, 0), immovable = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
    assert_ok(world, sn_particle_set_velocity(world, movable, vec(-7, 7, 7)));
    assert_ok(world, sn_particle_move_to(world, movable, vec(1, 2, 3)));
    assert_ok(world, sn_particle_move_to(world, immovable, vec(1, 2, 3)));
    support_run(world, 1, 0.5);
    assert_vec_close(velocity(movable), vec(2, 4, 6), 1e-4);
    assert_vec_close(velocity(immovable), vec(2, 4, 6), 1e-4);
    support_run(world, 1, 0.5);
    assert_vec_close(position(movable), vec(2, 4, 6), 1e-4);
    assert_vec_same(position(immovable), vec(1, 2, 3));
    assert_vec_same(velocity(immovable), vec(0, 0, 0));
    assert_true(sn_particle_mass(world, movable) == 1);
}

/* Nothing deflects it: not gravity, not a force, not a field, not a constraint. */
static void test_target_is_not_deflected(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), other = at(1, 0, 0);
    sn_constraint_add_pin(world, p);
    sn_constraint_add_distance(world, sn_at(p), sn_at(other), 1);
    assert_ok(world, sn_field_add(world, support_wind, NULL, false, NULL));
    assert_ok(world, sn_particle_apply_force(world, p, vec(1000, 0, 0)));
    assert_ok(world, sn_particle_move_to(world, p, vec(0.5, 0.25, 0)));
    support_run(world, 1, 0.1);
    assert_vec_same(position(p), vec(0.5, 0.25, 0));
    assert_vec_close(velocity(p), vec(5, 2.5, 0), 1e-3);
}

static void test_target_is_replaced(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(5, 5, 5);
    assert_ok(world, sn_particle_move_to(world, p, vec(1, 0, 0)));
    assert_ok(world, sn_particle_move_to(world, q, vec(6, 6, 6)));
    assert_ok(world, sn_particle_move_to(world, p, vec(0, 1, 0)));
    support_run(world, 1, 0.1);
    assert_vec_same(position(p), vec(0, 1, 0));
    assert_vec_same(position(q), vec(6, 6, 6));
    assert_vec_close(velocity(p), vec(0, 10, 0), 1e-4);
}

static void test_target_after_teleport(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0);
    assert_ok(world, sn_particle_move_to(world, p, vec(1, 0, 0)));
    assert_ok(world, sn_particle_set_position(world, p, vec(3, 0, 0)));
    support_run(world, 1, 0.5);
    assert_vec_same(position(p), vec(1, 0, 0));
    assert_vec_close(velocity(p), vec(-4, 0, 0), 1e-4);
}

/* Where the target is already, it holds the particle for one step. */
static void test_target_in_place(void **state)
{
    (void)state;
    sn_particle p = at(0.3, 0.4, 0.5);
    assert_ok(world, sn_particle_move_to(world, p, position(p)));
    support_run(world, 1, 0.5);
    assert_vec_same(position(p), vec(0.3, 0.4, 0.5));
    assert_vec_close(velocity(p), vec(0, 0, 0), 0);
    support_run(world, 1, 0.5);
    assert_true(position(p).y < real(0.4));
}

/* Removing particles with pending targets, in an order that reorders the rest. */
static void test_targets_survive_removals(void **state)
{
    (void)state;
    sn_particle p[6];
    for (uint32_t i = 0; i < 6; ++i) {
        p[i] = at(i, 0, 0);
        assert_ok(world, sn_particle_move_to(world, p[i], vec(i, 1 + i, 0)));
    }
    const uint32_t removed[] = {0, 5, 2};
    for (uint32_t i = 0; i < COUNT_OF(removed); ++i)
        assert_ok(world, sn_particle_remove(world, p[removed[i]]));
    sn_particle fresh = at(9, 9, 9);
    support_run(world, 1, 0.1);
    assert_vec_same(position(p[1]), vec(1, 2, 0));
    assert_vec_same(position(p[3]), vec(3, 4, 0));
    assert_vec_same(position(p[4]), vec(4, 5, 0));
    assert_vec_same(position(fresh), vec(9, 9, 9));
}

/* What a kind with a memory saw of its first point. */
typedef struct witness {
    sn_vec3 seen[64];
    uint32_t count;
} witness;

static bool witness_eval(const sn_eval_in *in, const sn_eval_out *out)
{
    witness *w = in->context;
    if (w->count < COUNT_OF(w->seen))
        w->seen[w->count++] = in->x[0];
    out->c[0] = 0;
    out->gradient[0].x = 1;
    out->gradient[1].x = -1;
    return true;
}

/* The path is a straight line walked evenly, one piece per substep, and constraints see it. */
static void test_target_path(void **state)
{
    (void)state;
    witness w = {.count = 0};
    sn_kind kind = {.name = "test_witness", .points = 2, .rows = 1, .eval = witness_eval, .context = &w};
    uint32_t number = sn_kind_register(world, &kind);
    sn_particle p = at(0, 0, 0), q = at(5, 5, 5);
    uint32_t index[] = {p.index, q.index};
    assert_int_equal(sn_constraints_add_kind(world, number, 1, index, NULL, NULL).count, 1);
    sn_settings settings = sn_world_settings(world);
    settings.substeps = 8;
    assert_ok(world, sn_world_configure(world, &settings));
    assert_ok(world, sn_particle_move_to(world, p, vec(4, -2, 1)));
    support_run(world, 1, 0.1);
    assert_in_range(w.count, 8, 64);
    for (uint32_t i = 0; i < w.count; ++i) {
        double share = (double)(i + 1) / w.count;
        if (w.count == 8) /* one evaluation in each substep */
            assert_vec_close(w.seen[i], vec(4 * share, -2 * share, share), 1e-5);
        assert_close((double)w.seen[i].y, -(double)w.seen[i].x / 2, 1e-5);
        assert_close((double)w.seen[i].z, (double)w.seen[i].x / 4, 1e-5);
    }
}

/* A rod that is held by a kinematic particle follows it. */
static void test_target_drags_constraints(void **state)
{
    (void)state;
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE), q = at(1, 0, 0);
    sn_constraint_add_distance(world, sn_at(p), sn_at(q), 1);
    for (uint32_t i = 1; i <= 20; ++i) {
        assert_ok(world, sn_particle_move_to(world, p, vec(-0.25 * i, 0, 0)));
        support_run(world, 1, 0.1);
        assert_vec_same(position(p), vec(-0.25 * i, 0, 0));
        assert_close(support_gap(position(p), position(q)), 1, 0.05);
    }
    assert_true(position(q).x < -3);
}

/* ---- Force fields ------------------------------------------------------------------------------------------------ */

typedef struct diary {
    uint32_t calls;
    double first_time, last_time;
    sn_field_in last;
    sn_vec3 force;
} diary;

static sn_vec3 write_diary(void *context, const sn_field_in *in)
{
    diary *d = context;
    if (d->calls++ == 0)
        d->first_time = in->time;
    d->last_time = in->time;
    d->last = *in;
    return d->force;
}

static void test_field_sees_the_particle(void **state)
{
    (void)state;
    diary d = {.force = vec(6, 0, 0)};
    sn_particle_def def = {vec(1, 2, 3), vec(4, 5, 6), 2, 1, 77, 0xabcdef0123456789u};
    sn_particle p;
    assert_ok(world, sn_particle_add(world, &def, &p));
    sn_particle_add_at(world, vec(9, 9, 9), SN_IMMOVABLE); /* is not asked about */
    uint32_t field = 0;
    assert_ok(world, sn_field_add(world, write_diary, &d, false, &field));
    support_run(world, 1, 0.5);
    assert_int_equal(d.calls, 1);
    assert_vec_same(d.last.position, def.position);
    assert_vec_same(d.last.velocity, def.velocity);
    assert_true(d.last.mass == 2);
    assert_int_equal(d.last.index, p.index);
    assert_int_equal(d.last.group, 77);
    assert_true(d.last.user == def.user);
    assert_true(d.last.time == 0);
    assert_vec_close(velocity(p), vec(4 + 6.0 / 2 * 0.5, 5, 6), 1e-5);
}

static void test_field_time(void **state)
{
    (void)state;
    diary d = {.calls = 0};
    sn_settings settings = sn_world_settings(world);
    settings.substeps = 4;
    assert_ok(world, sn_world_configure(world, &settings));
    at(0, 0, 0);
    assert_ok(world, sn_field_add(world, write_diary, &d, false, NULL));
    support_run(world, 1, 1);
    assert_int_equal(d.calls, 4);
    assert_close(d.first_time, 0, 0);
    assert_close(d.last_time, 0.75, 1e-7);
    support_run(world, 1, 0.5);
    assert_close(d.last_time, 1 + 0.375, 1e-7);
}

static void test_fields_add_up_and_go(void **state)
{
    (void)state;
    diary a = {.force = vec(1, 0, 0)}, b = {.force = vec(0, 2, 0)}, c = {.force = vec(0, 0, 4)};
    uint32_t field[3];
    sn_particle p = at(0, 0, 0);
    assert_ok(world, sn_field_add(world, write_diary, &a, false, &field[0]));
    assert_ok(world, sn_field_add(world, write_diary, &b, true, &field[1]));
    assert_ok(world, sn_field_add(world, write_diary, &c, false, &field[2]));
    support_run(world, 1, 1);
    assert_vec_close(velocity(p), vec(1, 2, 4), 1e-5);
    assert_ok(world, sn_field_remove(world, field[0]));
    support_run(world, 1, 1);
    assert_vec_close(velocity(p), vec(1, 4, 8), 1e-5);
    assert_int_equal(a.calls, 1);
    assert_ok(world, sn_field_remove(world, field[2]));
    support_run(world, 1, 1);
    assert_vec_close(velocity(p), vec(1, 6, 8), 1e-5);
    uint32_t next = 0;
    assert_ok(world, sn_field_add(world, write_diary, &a, false, &next));
    assert_true(next != field[0] && next != field[1] && next != field[2]);
    assert_result(world, SN_ERROR_STALE, sn_field_remove(world, field[0]));
    assert_ok(world, sn_field_remove(world, field[1]));
    assert_ok(world, sn_field_remove(world, next));
}

/* ---- Divergence -------------------------------------------------------------------------------------------------- */

/* A field that gives an infinite force to one particle from a certain time on. */
typedef struct bomb {
    uint32_t index;
    double time;
    sn_real force;
    bool defused;
} bomb;

static sn_vec3 explode(void *context, const sn_field_in *in)
{
    bomb *b = context;
    sn_vec3 f = vec(0, 0, 0);
    if (!b->defused && in->index == b->index && in->time >= b->time)
        f.x = b->force;
    return f;
}

/* Runs into the bomb in the third of four substeps of the second step, next to a world that only does the steps before
   it; returns the diverged world's twin. */
static sn_world *run_into(bomb *b, sn_world **twin_of)
{
    sn_world *pair[2];
    for (uint32_t i = 0; i < 2; ++i) {
        pair[i] = support_world();
        support_zoo(pair[i]);
        sn_settings settings = sn_world_settings(pair[i]);
        settings.substeps = 4;
        assert_ok(pair[i], sn_world_configure(pair[i], &settings));
        assert_ok(pair[i], sn_field_add(pair[i], explode, b, false, NULL));
        support_run(pair[i], 1, 0.0625);
    }
    assert_result(pair[0], SN_ERROR_DIVERGED, sn_world_step(pair[0], real(0.0625)));
    *twin_of = pair[0];
    return pair[1];
}

/* The world stands at the start of the failing step, says what was at fault, and goes on once that is gone. */
static void test_divergence_by_field(void **state)
{
    (void)state;
    const sn_real forces[] = {(sn_real)INFINITY, -(sn_real)INFINITY, (sn_real)NAN};
    for (uint32_t i = 0; i < COUNT_OF(forces); ++i) {
        bomb b = {.index = 20, .time = 0.0625 + 0.03, .force = forces[i]};
        sn_world *diverged;
        sn_world *twin = run_into(&b, &diverged);
        assert_says(sn_world_error(diverged), "field particle 20");
        assert_close(sn_world_time(diverged), 0.0625, 1e-9);
        assert_close(sn_world_fault(diverged).time, 0.0625 + 0.03125, 1e-9);
        assert_same_world(diverged, twin);
        uint64_t hash = sn_world_hash(diverged);
        assert_result(diverged, SN_ERROR_DIVERGED, sn_world_step(diverged, real(0.0625)));
        assert_true(sn_world_hash(diverged) == hash);
        b.defused = true;
        support_run(diverged, 2, 0.0625);
        support_run(twin, 2, 0.0625);
        assert_same_world(diverged, twin);
        sn_world_destroy(diverged);
        sn_world_destroy(twin);
    }
}

/* Finite numbers that grow too large: the particle is named. */
static void test_divergence_by_overflow(void **state)
{
    (void)state;
    at(0, 0, 0);
    sn_particle p = at(1, 2, 3);
    sn_vec3 most = {SUPPORT_REAL_MAX, 0, 0};
    assert_ok(world, sn_particle_set_velocity(world, p, most));
    assert_ok(world, sn_particle_apply_force(world, p, most));
    uint64_t hash = sn_world_hash(world);
    assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, 4));
    char words[32];
    snprintf(words, sizeof words, "particle %u", p.index);
    assert_says(sn_world_error(world), words);
    assert_true(sn_world_hash(world) == hash);
    assert_vec_same(position(p), vec(1, 2, 3));
    assert_ok(world, sn_particle_set_velocity(world, p, vec(0, 0, 0)));
    assert_ok(world, sn_particle_apply_force(world, p, vec(-(double)SUPPORT_REAL_MAX, 0, 0)));
    support_run(world, 1, 0.1);
}

/* Place and speed are finite, but not the place that the speed leads to. */
static void test_divergence_by_flight(void **state)
{
    (void)state;
    at(0, 0, 0);
    sn_particle p = at(0, 0, 0);
    sn_vec3 far = {0, real(0.9) * SUPPORT_REAL_MAX, 0};
    assert_ok(world, sn_particle_set_position(world, p, far));
    assert_ok(world, sn_particle_set_velocity(world, p, far));
    uint64_t hash = sn_world_hash(world);
    assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, 1));
    char words[32];
    snprintf(words, sizeof words, "particle %u", p.index);
    assert_says(sn_world_error(world), words);
    assert_true(sn_world_hash(world) == hash);
    assert_ok(world, sn_particle_set_position(world, p, vec(0, 0, 0)));
    assert_ok(world, sn_particle_set_velocity(world, p, vec(0, 1, 0)));
    support_run(world, 1, 1);
    assert_vec_close(position(p), vec(0, 1, 0), 1e-6);
}

/* Forces and targets are still pending after a step that did not come to its end. */
static void test_divergence_keeps_pending(void **state)
{
    (void)state;
    bomb b = {.time = 0, .force = (sn_real)INFINITY};
    sn_particle p = at(0, 0, 0), q = at(1, 1, 1);
    b.index = p.index;
    assert_ok(world, sn_field_add(world, explode, &b, false, NULL));
    assert_ok(world, sn_particle_apply_force(world, p, vec(0, 2, 0)));
    assert_ok(world, sn_particle_move_to(world, q, vec(2, 2, 2)));
    uint64_t hash = sn_world_hash(world);
    assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, 1));
    assert_true(sn_world_hash(world) == hash);
    b.defused = true;
    support_run(world, 1, 1);
    assert_vec_close(velocity(p), vec(0, 2, 0), 1e-5);
    assert_vec_same(position(q), vec(2, 2, 2));
}

/* ---- Two dimensions ---------------------------------------------------------------------------------------------- */

static sn_vec3 out_of_plane(void *context, const sn_field_in *in)
{
    (void)context;
    return vec(0.1 * (double)in->position.y, 0, 1000 + in->time);
}

static void test_2d_stays_in_plane(void **state)
{
    (void)state;
    sn_world *flat = support_world_2d();
    support_zoo(flat);
    assert_int_equal(sn_world_dimensions(flat), 2);
    assert_ok(flat, sn_field_add(flat, out_of_plane, NULL, false, NULL));
    sn_vec3 before = sn_particle_position(flat, sn_particle_from_index(flat, 30));
    support_run(flat, 60, 1.0 / 60);
    sn_view x = sn_world_view_positions(flat), v = sn_world_view_velocities(flat);
    for (uint32_t i = 0; i < x.count; ++i) {
        assert_true(*(const sn_real *)((const char *)x.data + i * x.stride + 2 * sizeof(sn_real)) == 0);
        assert_true(*(const sn_real *)((const char *)v.data + i * v.stride + 2 * sizeof(sn_real)) == 0);
    }
    assert_true(support_gap(before, sn_particle_position(flat, sn_particle_from_index(flat, 30))) > 0);
    sn_world_destroy(flat);
}

/* ---- The origin -------------------------------------------------------------------------------------------------- */

static void test_shift_moves_positions(void **state)
{
    (void)state;
    double origin[3];
    sn_particle p = at(1, 2, 3);
    assert_ok(world, sn_particle_set_velocity(world, p, vec(4, 5, 6)));
    assert_ok(world, sn_world_shift_origin(world, vec(1, 1, 1)));
    assert_vec_same(position(p), vec(0, 1, 2));
    assert_vec_same(velocity(p), vec(4, 5, 6));
    assert_ok(world, sn_world_shift_origin(world, vec(-8, 0.5, 0)));
    assert_vec_same(position(p), vec(8, 0.5, 2));
    assert_ok(world, sn_world_origin(world, origin));
    assert_true(origin[0] == -7 && origin[1] == 1.5 && origin[2] == 1);
}

static void read_param(sn_constraint c, sn_real *param)
{
    sn_point points[SN_MAX_POINTS];
    sn_constraint_def def;
    assert_ok(world, sn_constraint_read(world, c, &def, points, SN_MAX_POINTS));
    memcpy(param, def.param, sizeof def.param);
}

static void test_shift_moves_places(void **state)
{
    (void)state;
    sn_particle p = at(1, 2, 3), q = at(4, 5, 6);
    sn_constraint pin = sn_constraint_add_pin_at(world, sn_at(p), vec(1, 2, 3));
    sn_constraint plane = sn_constraint_add_half_space(world, sn_at(p), vec(0, -1, 0), vec(0, 1, 0));
    sn_constraint box = sn_constraint_add_box(world, sn_at(p), vec(-9, -9, -9), vec(9, 9, 9));
    sn_constraint rod = sn_constraint_add_distance(world, sn_at(p), sn_at(q), 5);
    assert_ok(world, sn_particle_move_to(world, q, vec(8, 8, 8)));
    assert_ok(world, sn_world_shift_origin(world, vec(1, 2, 4)));
    sn_real param[SN_MAX_PARAM_NUMBERS];
    read_param(pin, param);
    assert_true(param[0] == 0 && param[1] == 0 && param[2] == -1);
    read_param(plane, param);
    assert_true(param[0] == -1 && param[1] == -3 && param[2] == -4);
    assert_true(param[3] == 0 && param[4] == 1 && param[5] == 0);
    read_param(box, param);
    assert_true(param[0] == -10 && param[1] == -11 && param[2] == -13);
    assert_true(param[3] == 8 && param[4] == 7 && param[5] == 5);
    read_param(rod, param);
    assert_true(param[0] == 5);
    support_run(world, 1, 0.1);
    assert_vec_same(position(q), vec(7, 6, 4));
}

/* The motion after a shift is the motion without it, seen from elsewhere. The zoo first calms down: in its first
   second it is so wild, and inequalities come and go so fast, that rounding alone makes two motions differ. */
static void test_shift_keeps_motion(void **state)
{
    (void)state;
    const sn_vec3 offset = vec(2, -1, 0.5), place = vec(1, 3, 1);
    sn_world *pair[2] = {support_world(), support_world()};
    for (uint32_t i = 0; i < 2; ++i) {
        support_zoo(pair[i]);
        support_run(pair[i], support_long(200, 60), 1.0 / 60);
        if (i == 1)
            assert_ok(pair[i], sn_world_shift_origin(pair[i], offset));
        sn_vec3 target = i == 1 ? vec(-1, 4, 0.5) : place;
        assert_ok(pair[i], sn_particle_move_to(pair[i], sn_particle_from_index(pair[i], 8), target));
        for (uint32_t j = 4; j < SUPPORT_ZOO_PARTICLES; j += 7)
            assert_ok(pair[i], sn_particle_apply_force(pair[i], sn_particle_from_index(pair[i], j), vec(9, 8, -7)));
        support_run(pair[i], 20, 1.0 / 60);
    }
    /* where an inequality is just met, rounding decides in which substep, and the difference is one of substeps */
    double tolerance = sizeof(sn_real) == 4 ? 2e-4 : 1e-6;
    for (uint32_t i = 0; i < SUPPORT_ZOO_PARTICLES; ++i) {
        sn_vec3 x = sn_particle_position(pair[1], sn_particle_from_index(pair[1], i));
        sn_vec3 y = sn_particle_position(pair[0], sn_particle_from_index(pair[0], i));
        sn_vec3 back = {x.x + offset.x, x.y + offset.y, x.z + offset.z};
        assert_vec_close(back, y, tolerance);
    }
    sn_world_destroy(pair[0]);
    sn_world_destroy(pair[1]);
}

/* There and back restores the world to the bit, also by offsets that are much larger than the positions, in which
   their last digits have no room. Once particles have moved, what is kept of their rounding errors loses its own last
   digits, and no more than that. */
static void test_shift_there_and_back(void **state)
{
    (void)state;
    static const double offsets[][3] = {{1000.3, -777.7, 12345.6}, {8, -4, 16},        {3.3, 2.2, -1.1},
                                        {1e6, 1e7, -1e8},          {0.1, 0.01, 0.001}, {1e-3, 1e12, 0}};
    for (uint32_t n = 0; n < 2 * COUNT_OF(offsets); ++n) {
        const double *o = offsets[n / 2];
        uint64_t seed = 5;
        sn_world *rope = support_world();
        sn_particle last = {0, 0};
        for (uint32_t i = 0; i < 50; ++i) {
            double x = support_random_in(&seed, -3, 3), y = support_random_in(&seed, -3, 3);
            sn_particle p = sn_particle_add_at(rope, vec(x, y, support_random_in(&seed, -3, 3)), 1);
            if (i > 0)
                sn_constraint_add_distance(rope, sn_at(last), sn_at(p), SN_MEASURE);
            last = p;
        }
        if (n % 2)
            support_run(rope, 20, 1.0 / 60);
        uint64_t hash = sn_world_hash(rope);
        sn_vec3 before[50], there = vec(o[0], o[1], o[2]), back = {-there.x, -there.y, -there.z};
        for (uint32_t i = 0; i < 50; ++i)
            before[i] = sn_particle_position(rope, sn_particle_from_index(rope, i));
        assert_ok(rope, sn_world_shift_origin(rope, there));
        assert_true(sn_world_hash(rope) != hash);
        assert_ok(rope, sn_world_shift_origin(rope, back));
        assert_true(n % 2 || sn_world_hash(rope) == hash);
        for (uint32_t i = 0; i < 50; ++i)
            assert_vec_close(sn_particle_position(rope, sn_particle_from_index(rope, i)), before[i],
                             sizeof(sn_real) == 4 ? 3e-7 : 6e-16);
        sn_world_destroy(rope);
    }
}

/* Energies, momenta and the centre of mass are told in the first origin, so a shift does not show in them. */
static void test_shift_keeps_report(void **state)
{
    (void)state;
    support_zoo(world);
    support_run(world, 10, 1.0 / 60);
    sn_report a, b;
    assert_ok(world, sn_world_report(world, &a));
    assert_ok(world, sn_world_shift_origin(world, vec(64, -32, 16)));
    assert_ok(world, sn_world_report(world, &b));
    double scale = fabs(a.potential) + fabs(a.kinetic) + 1, tolerance = (sizeof(sn_real) == 4 ? 1e-4 : 1e-12) * scale;
    assert_close(a.kinetic, b.kinetic, 0);
    assert_close(a.potential, b.potential, tolerance);
    assert_close(a.elastic, b.elastic, tolerance);
    assert_close(a.mass, b.mass, 0);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_close(a.centre[i], b.centre[i], tolerance);
        assert_close(a.momentum[i], b.momentum[i], 0);
        assert_close(a.angular_momentum[i], b.angular_momentum[i], tolerance);
    }
}

#define IN_VOID(test)    cmocka_unit_test_setup_teardown(test, setup_void, teardown)
#define IN_DEFAULT(test) cmocka_unit_test_setup_teardown(test, setup_default, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_VOID(test_default_def),
        IN_VOID(test_add_reads_back),
        IN_VOID(test_setters_read_back),
        IN_VOID(test_mass_range),
        IN_VOID(test_inverse_mass_round_trip),
        IN_DEFAULT(test_immovable),
        IN_VOID(test_number_is_used_again),
        IN_VOID(test_heir_inherits_nothing),
        IN_VOID(test_numbers_stay),
        IN_VOID(test_run),
        IN_VOID(test_run_after_removals),
        IN_VOID(test_run_removal),
        IN_VOID(test_run_strides),
        IN_VOID(test_run_round_trips),
        IN_VOID(test_removal_takes_constraints),
        IN_VOID(test_removal_through_spots),
        IN_VOID(test_removal_of_weightless_corner),
        IN_VOID(test_removal_after_change),
        IN_VOID(test_removal_after_late_changes),
        cmocka_unit_test(test_removal_after_late_additions),
        IN_VOID(test_removal_in_a_crowd),
        IN_VOID(test_force_acts_for_one_step),
        IN_VOID(test_force_acts_in_all_substeps),
        IN_VOID(test_step_of_nothing),
        IN_VOID(test_impulse),
        IN_VOID(test_teleport_keeps_velocity),
        IN_VOID(test_mass_shares_corrections),
        IN_VOID(test_damping),
        IN_DEFAULT(test_variable_dt),
        IN_DEFAULT(test_target_is_reached_exactly),
        IN_VOID(test_target_release),
        IN_DEFAULT(test_target_is_not_deflected),
        IN_VOID(test_target_is_replaced),
        IN_VOID(test_target_after_teleport),
        IN_DEFAULT(test_target_in_place),
        IN_VOID(test_targets_survive_removals),
        IN_VOID(test_target_path),
        IN_VOID(test_target_drags_constraints),
        IN_VOID(test_field_sees_the_particle),
        IN_VOID(test_field_time),
        IN_VOID(test_fields_add_up_and_go),
        IN_VOID(test_divergence_by_field),
        IN_VOID(test_divergence_by_overflow),
        IN_VOID(test_divergence_by_flight),
        IN_VOID(test_divergence_keeps_pending),
        IN_VOID(test_2d_stays_in_plane),
        IN_VOID(test_shift_moves_positions),
        IN_VOID(test_shift_moves_places),
        IN_VOID(test_shift_keeps_motion),
        cmocka_unit_test(test_shift_there_and_back),
        IN_DEFAULT(test_shift_keeps_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
