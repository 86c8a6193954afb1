/* What integrators remember from one substep to the next is part of the state: it is saved, restored and hashed,
   follows its particle when storage moves, survives a substep that fails, and costs no memory once it is there. */
#include "integrators/motion.h"

static const motion_problem orbit = {motion_kepler, {{1, 0}, {0, 1.25}}, 2};

#define FLOCK 9

/* A flock on orbits of its own, half of it in pairs on rods, one particle on a spring, one above the ground. */
typedef struct flock {
    sn_world *world;
    sn_particle member[FLOCK];
} flock;

static flock make_flock(sn_world_def def)
{
    flock f;
    def.settings.gravity = vec(0, -0.5, 0);
    def.settings.damping = real(0.1);
    def.settings.substeps = 2;
    def.settings.iterations = 3;
    f.world = support_world_from(&def);
    assert_ok(f.world, sn_field_add(f.world, motion_field, (void *)(uintptr_t)&orbit, true, NULL));
    for (int i = 0; i < FLOCK; ++i)
        f.member[i] = motion_add(f.world, vec(1 + 0.25 * i, 0.125 * i, 0), vec(0.1, 1 - 0.05 * i, 0), 1 + i);
    sn_constraint_add_distance(f.world, sn_at(f.member[3]), sn_at(f.member[4]), SN_MEASURE);
    sn_constraint_add_distance(f.world, sn_at(f.member[5]), sn_at(f.member[6]), SN_MEASURE);
    sn_constraint_add_half_space(f.world, sn_at(f.member[8]), vec(0, 0.8, 0), vec(0, 1, 0));
    return f;
}

/* ---- Snapshots and hashes ------------------------------------------------------------------------------------------------- */

static void snapshots_continue(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        flock f = make_flock(motion_def(schemes[i].id)), other = make_flock(motion_def(schemes[i].id));
        support_run(f.world, 17, 0.01);
        sn_snapshot *snapshot = sn_world_save(f.world);
        assert_non_null(snapshot);
        uint64_t then = sn_world_hash(f.world);
        support_run(f.world, 40, 0.01);
        uint64_t later = sn_world_hash(f.world);

        assert_ok(other.world, sn_world_load(other.world, snapshot));
        assert_true(sn_world_hash(other.world) == then);
        support_run(other.world, 40, 0.01);
        assert_same_world(f.world, other.world);

        assert_ok(f.world, sn_world_load(f.world, snapshot));
        assert_true(sn_world_hash(f.world) == then);
        support_run(f.world, 40, 0.01);
        assert_true(sn_world_hash(f.world) == later);
        assert_same_world(f.world, other.world);
        sn_snapshot_destroy(snapshot);
        sn_world_destroy(f.world);
        sn_world_destroy(other.world);
    }
}

/* Two worlds whose particles stand and fly alike but came there differently have different futures, and hashes. */
static void hashes_see_the_past(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        flock f = make_flock(motion_def(schemes[i].id)), other = make_flock(motion_def(schemes[i].id));
        support_run(f.world, 10, 0.01);
        support_run(other.world, 10, 0.01);
        assert_true(sn_world_hash(f.world) == sn_world_hash(other.world));
        sn_vec3 x = sn_particle_position(other.world, other.member[0]);
        bool looks_back = schemes[i].id == SN_INTEGRATOR_BDF2;
        sn_vec3 v = sn_particle_velocity(other.world, other.member[0]);
        assert_ok(other.world, sn_particle_set_velocity(other.world, other.member[0], v));
        assert_ok(f.world, sn_particle_set_position(f.world, f.member[0], x));
        assert_ok(other.world, sn_particle_set_position(other.world, other.member[0], x));
        assert_ok(f.world, sn_particle_set_velocity(f.world, f.member[0], v));
        assert_true(sn_world_hash(f.world) == sn_world_hash(other.world));
        support_run(other.world, 4, 0.01);
        support_run(f.world, 4, 0.01);
        uint64_t before = sn_world_hash(f.world);
        assert_ok(f.world, sn_particle_apply_impulse(f.world, f.member[0], vec(0, 0, 0)));
        assert_int_equal(sn_world_hash(f.world) != before, looks_back);
        sn_world_destroy(f.world);
        sn_world_destroy(other.world);
    }
}

/* ---- Storage that moves ------------------------------------------------------------------------------------------------------ */

/* Particles that nobody is tied to come and go: those that stay move as if nothing had happened, to the last bit. */
static void others_come_and_go(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        flock f = make_flock(motion_def(schemes[i].id)), quiet = make_flock(motion_def(schemes[i].id));
        sn_particle guest[4];
        for (int k = 0; k < 40; ++k) {
            if (k == 5)
                assert_ok(f.world, sn_particle_remove(f.world, f.member[0]));
            if (k == 10)
                for (int g = 0; g < 4; ++g)
                    guest[g] = motion_add(f.world, vec(5, g, 0), vec(0, 0.1, 0), 1);
            if (k == 15)
                assert_ok(f.world, sn_particle_remove(f.world, f.member[1]));
            if (k == 20) {
                sn_particle brief = motion_add(f.world, vec(4, 4, 0), vec(0, 0, 0), 1);
                assert_ok(f.world, sn_particle_remove(f.world, f.member[2]));
                assert_ok(f.world, sn_particle_remove(f.world, brief));
            }
            if (k == 25)
                assert_ok(f.world, sn_particle_remove(f.world, guest[1]));
            support_run(f.world, 1, 0.01);
            support_run(quiet.world, 1, 0.01);
            for (int m = 3; m < FLOCK; ++m) {
                assert_vec_same(sn_particle_position(f.world, f.member[m]),
                                sn_particle_position(quiet.world, quiet.member[m]));
                assert_vec_same(sn_particle_velocity(f.world, f.member[m]),
                                sn_particle_velocity(quiet.world, quiet.member[m]));
            }
        }
        sn_world_destroy(f.world);
        sn_world_destroy(quiet.world);
    }
}

/* ---- Switching --------------------------------------------------------------------------------------------------------------- */

/* Any integrator may take over from any other on the way; the error stays that of the schemes. */
static void integrators_take_over(void **state)
{
    enum { N = 400 };
    (void)state;
    motion_state should = motion_reference(orbit.law, 0, orbit.start, orbit.time);
    for (size_t i = 0; i < COUNT_OF(schemes); ++i)
        for (size_t k = 0; k < COUNT_OF(schemes); ++k) {
            sn_world *world = motion_world(schemes[i].id);
            sn_particle p = motion_enter(world, &orbit);
            support_run(world, N / 2, orbit.time / N);
            sn_settings settings = sn_world_settings(world);
            sn_vec3 x = sn_particle_position(world, p), v = sn_particle_velocity(world, p);
            settings.integrator = schemes[k].id;
            motion_configure(world, &settings);
            assert_vec_same(sn_particle_position(world, p), x);
            assert_vec_same(sn_particle_velocity(world, p), v);
            support_run(world, N / 2, orbit.time / N);
            bool precise = schemes[i].order == 2 && schemes[k].order == 2;
            assert_true(motion_error(world, p, should) < (precise ? 2e-4 : 2e-2));
            sn_world_destroy(world);
        }
}

/* ---- Failure -------------------------------------------------------------------------------------------------------------------- */

typedef struct trouble {
    double time; /* s, from when on there is no force to be had */
    bool infinite;
} trouble;

static sn_vec3 trouble_field(void *context, const sn_field_in *in)
{
    const trouble *t = context;
    if (in->index == 4 && in->time > t->time)
        return t->infinite ? vec(1e38, 1e38, 0) : vec((double)NAN, 0, 0);
    return vec(0, 0, 0);
}

/* Steps until one fails; returns the hash of the state in which it stands. */
static uint64_t run_into(sn_world *world)
{
    for (int i = 0; i < 100; ++i)
        if (sn_world_step(world, real(0.01)) != SN_OK)
            break;
    return sn_world_hash(world);
}

/* A step that fails stays failed without changing anything, and once the trouble is over the motion goes on
   as if nothing had been. Integrators that end with a kick fail a substep earlier. */
static void failures_leave_the_past(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        trouble t = {0.105, false};
        flock f = make_flock(motion_def(schemes[i].id)), quiet = make_flock(motion_def(schemes[i].id));
        trouble none = {1e9, false};
        assert_ok(f.world, sn_field_add(f.world, trouble_field, &t, true, NULL));
        assert_ok(quiet.world, sn_field_add(quiet.world, trouble_field, &none, true, NULL));
        uint64_t stands = run_into(f.world);
        assert_says(sn_world_error(f.world), "field particle");
        double time = sn_world_time(f.world);
        bool ends_with_a_kick = schemes[i].id == SN_INTEGRATOR_LEAPFROG || schemes[i].id == SN_INTEGRATOR_VERLET;
        assert_close(time, ends_with_a_kick ? 0.10 : 0.11, 1e-6);
        for (int k = 0; k < 3; ++k) {
            assert_result(f.world, SN_ERROR_DIVERGED, sn_world_step(f.world, real(0.01)));
            assert_true(sn_world_hash(f.world) == stands);
        }
        t.time = 1e9;
        support_run(f.world, ends_with_a_kick ? 10 : 9, 0.01);
        support_run(quiet.world, 20, 0.01);
        assert_same_world(f.world, quiet.world);
        sn_world_destroy(f.world);
        sn_world_destroy(quiet.world);
    }
}

/* A force that is finite but whose kick is not must not get into the velocities either. */
static void infinite_kicks(void **state)
{
    (void)state;
    if (!IS_FLOAT)
        return;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        trouble t = {0.105, true};
        flock f = make_flock(motion_def(schemes[i].id));
        assert_ok(f.world, sn_particle_set_mass(f.world, f.member[4], real(1e-6)));
        assert_ok(f.world, sn_field_add(f.world, trouble_field, &t, true, NULL));
        run_into(f.world);
        assert_true(sn_world_time(f.world) < 0.2);
        for (int m = 0; m < FLOCK; ++m)
            assert_true(support_is_finite(sn_particle_velocity(f.world, f.member[m])));
        sn_world_destroy(f.world);
    }
}

/* ---- Memory and tasks --------------------------------------------------------------------------------------------------------- */

static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        support_memory memory;
        memset(&memory, 0, sizeof memory);
        sn_world_def def = motion_def(schemes[i].id);
        def.allocator = support_allocator(&memory);
        flock f = make_flock(def);
        support_run(f.world, 1, 0.01);
        uint64_t requests = memory.requests;
        support_run(f.world, 50, 0.01);
        support_run(f.world, 5, 0.02);
        assert_true(memory.requests == requests);
        sn_world_destroy(f.world);
        assert_memory_clean(&memory);
    }
}

/* So many free particles that loops are cut into tasks. */
static sn_world *make_crowd(sn_world_def def, sn_particles *crowd)
{
    enum { CROWD = 10000 };
    sn_real *xyz = malloc(3 * CROWD * sizeof *xyz);
    assert_non_null(xyz);
    for (int i = 0; i < CROWD; ++i) {
        xyz[3 * i] = real(1 + 1e-4 * i);
        xyz[3 * i + 1] = real(0.001 * (i % 100));
        xyz[3 * i + 2] = 0;
    }
    sn_world *world = support_world_from(&def);
    *crowd = sn_particles_add(world, CROWD, xyz, 0, 1);
    free(xyz);
    assert_ok(world, sn_field_add(world, motion_field, (void *)(uintptr_t)&orbit, true, NULL));
    return world;
}

/* Whichever loop loses a task: after the error the world stands between two substeps, as if all had been well. */
static void lost_tasks_lose_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(schemes); ++i)
        for (uint32_t run = 0; run < 7; run += support_long(1, 2)) {
            sn_particles crowd;
            sn_world_def def = motion_def(schemes[i].id);
            sn_world *quiet = make_crowd(def, &crowd);
            support_tasks tasks = {.mode = SUPPORT_TASKS_LOSE, .lost = 1, .lossy_run = 14 + run};
            def.tasks = support_tasks_hook(&tasks);
            sn_world *world = make_crowd(def, &crowd);
            for (int k = 0; k < 6; ++k)
                (void)sn_world_step(world, real(0.01));
            while (sn_world_time(quiet) < sn_world_time(world) - 1e-6)
                support_run(quiet, 1, 0.01);
            assert_same_world(world, quiet);
            sn_world_destroy(world);
            sn_world_destroy(quiet);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snapshots_continue),          cmocka_unit_test(hashes_see_the_past),
        cmocka_unit_test(others_come_and_go),          cmocka_unit_test(integrators_take_over),
        cmocka_unit_test(failures_leave_the_past),     cmocka_unit_test(infinite_kicks),
        cmocka_unit_test(warm_steps_allocate_nothing), cmocka_unit_test(lost_tasks_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
