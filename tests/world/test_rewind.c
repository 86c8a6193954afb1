/* Going back: from stored states, bit for bit and within a bound of memory; and by running backwards, as far as each
   scheme can. */
#include "support/support.h"

#include <math.h>

#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))

/* ---- Stored states ------------------------------------------------------------------------------------------------ */

/* A rope that swings, under every integrator; the number of its particles is the size of its state. */
static sn_world *rope(sn_integrator integrator, int links, const sn_allocator *allocator)
{
    sn_world_def def = sn_default_world_def();
    def.settings.integrator = integrator;
    def.settings.iterations = 3;
    if (allocator)
        def.allocator = *allocator;
    sn_world *world = support_world_from(&def);
    sn_particle last = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
    for (int i = 1; i <= links; ++i) {
        sn_particle p = sn_particle_add_at(world, vec(0.1 * i, 0, 0), 1);
        assert_true(
            sn_constraint_is_valid(world, sn_constraint_add_distance(world, sn_at(last), sn_at(p), SN_MEASURE)));
        last = p;
    }
    return world;
}

static size_t state_size(sn_world *world)
{
    sn_snapshot *snapshot = sn_world_save(world);
    size_t size = sn_snapshot_size(snapshot);
    sn_snapshot_destroy(snapshot);
    return size;
}

#define FRAMES 40

/* Back to each record in turn, in any distance, and on from there: the same bits as the first time. */
static void test_bit_exact(void **state)
{
    (void)state;
    for (int n = 0; n < 5; ++n) {
        sn_world *world = rope((sn_integrator)n, 8, NULL);
        sn_rewind *rewind = sn_rewind_create(world, 1 << 20);
        assert_non_null(rewind);
        uint64_t hash[FRAMES];
        for (uint32_t i = 0; i < FRAMES; ++i) {
            hash[i] = sn_world_hash(world);
            assert_ok(world, sn_rewind_record(rewind, world));
            assert_int_equal(sn_rewind_count(rewind), i + 1);
            support_run(world, 1, 1.0 / 60);
        }
        for (uint32_t i = 0; i < FRAMES; ++i)
            assert_close(sn_rewind_time(rewind, i), (FRAMES - 1 - i) / 60.0, 1e-6);
        assert_true(isnan(sn_rewind_time(rewind, FRAMES)));
        uint32_t at = FRAMES - 1;
        for (uint32_t ago = 0; ago <= at; ++ago) { /* 0, then 1 more, 2 more ... */
            assert_ok(world, sn_rewind_back(rewind, world, ago));
            at -= ago;
            assert_true(sn_world_hash(world) == hash[at]);
            assert_int_equal(sn_rewind_count(rewind), at + 1);
            support_run(world, 1, 1.0 / 60);
            assert_true(sn_world_hash(world) == hash[at + 1 < FRAMES ? at + 1 : at] || at + 1 == FRAMES);
            if (at + 1 < FRAMES) { /* the new one is recorded in place of those forgotten */
                assert_ok(world, sn_rewind_record(rewind, world));
                ++at;
            }
        }
        sn_rewind_destroy(rewind);
        sn_world_destroy(world);
    }
}

/* However small the memory: it is never exceeded, the newest states are there, and nothing is allocated any more. */
static void test_bound(void **state)
{
    (void)state;
    for (size_t states = 1; states < 12; ++states) {
        support_memory memory = {0};
        sn_allocator allocator = support_allocator(&memory);
        sn_world *world = rope(SN_INTEGRATOR_SYMPLECTIC_EULER, 8, &allocator);
        support_run(world, 1, 1.0 / 60); /* warm */
        size_t size = state_size(world), before = memory.bytes;
        size_t bytes = 300 + states * (size + 50) + states * 37; /* not a round number of states */
        sn_rewind *rewind = sn_rewind_create(world, bytes);
        assert_non_null(rewind);
        assert_true(sn_rewind_size(rewind) <= bytes && memory.bytes - before <= bytes);
        uint64_t hash[FRAMES], requests = memory.requests;
        for (uint32_t i = 0; i < FRAMES; ++i) {
            hash[i] = sn_world_hash(world);
            assert_ok(world, sn_rewind_record(rewind, world));
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
            assert_true(sn_rewind_count(rewind) == (i + 1 < states ? i + 1 : sn_rewind_count(rewind)));
        }
        assert_true(memory.requests == requests);
        uint32_t count = sn_rewind_count(rewind);
        assert_true(count >= states && count <= states + 1);
        for (uint32_t i = 0; i < count; ++i) {
            assert_ok(world, sn_rewind_back(rewind, world, i ? 1 : 0));
            assert_true(sn_world_hash(world) == hash[FRAMES - 1 - i]);
        }
        assert_true(memory.requests == requests);
        assert_result(world, SN_ERROR_ARGUMENT, sn_rewind_back(rewind, world, 1));
        sn_rewind_destroy(rewind);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
    }
}

/* States that grow and shrink, against a list of snapshots kept without a bound. */
static void test_changing_sizes(void **state)
{
    (void)state;
    enum { ROUNDS = 300, KEPT = 400 };
    support_memory memory = {0};
    sn_allocator allocator = support_allocator(&memory);
    sn_world *world = rope(SN_INTEGRATOR_VERLET, 2, &allocator);
    const size_t bytes = 200000;
    sn_rewind *rewind = sn_rewind_create(world, bytes);
    uint64_t hash[KEPT], seed = 3;
    uint32_t kept = 0, most = 0;
    for (int i = 0; i < ROUNDS; ++i) {
        for (uint32_t k = support_random_below(&seed, 30); k > 0; --k)
            sn_particle_add_at(world, vec(k, i, 0), 1);
        if (i % 7 == 3) { /* remove all but some */
            for (uint32_t k = 5; k < 2000; ++k) {
                sn_view view = sn_world_view_positions(world);
                if (k < view.slot_count && view.slot[k] != SN_NO_SLOT)
                    assert_ok(world, sn_particle_remove(world, sn_particle_from_index(world, k)));
            }
        }
        support_run(world, 1, 1.0 / 60);
        hash[kept++] = sn_world_hash(world);
        assert_ok(world, sn_rewind_record(rewind, world));
        uint32_t count = sn_rewind_count(rewind);
        most = count > most ? count : most;
        assert_true(count >= 1 && count <= kept);
        if (i % 5 == 4) {
            uint32_t ago = support_random_below(&seed, count);
            assert_ok(world, sn_rewind_back(rewind, world, ago));
            kept -= ago;
            assert_true(sn_world_hash(world) == hash[kept - 1]);
            assert_int_equal(sn_rewind_count(rewind), count - ago);
        }
    }
    assert_true(most > 5);
    sn_rewind_destroy(rewind);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

/* Too little for one state, then or later; nothing is lost by asking. It outlives its world and serves another. */
static void test_limits(void **state)
{
    (void)state;
    sn_world *world = rope(SN_INTEGRATOR_SYMPLECTIC_EULER, 4, NULL), *other = rope(SN_INTEGRATOR_BDF2, 1, NULL);
    size_t size = state_size(world);
    assert_null(sn_rewind_create(world, 0));
    assert_says(sn_world_error(world), "rewind 0 bytes");
    assert_null(sn_rewind_create(world, size));
    assert_says(sn_world_error(world), "cannot hold");
    sn_rewind *rewind = sn_rewind_create(world, size + 400);
    assert_non_null(rewind);
    assert_result(world, SN_ERROR_ARGUMENT, sn_rewind_back(rewind, world, 0));
    assert_says(sn_world_error(world), "0");
    assert_true(isnan(sn_rewind_time(rewind, 0)));
    uint64_t hash = sn_world_hash(world);
    assert_ok(world, sn_rewind_record(rewind, world));
    for (int i = 0; i < 100; ++i)
        sn_particle_add_at(world, vec(i, 0, 0), 1);
    assert_result(world, SN_ERROR_LIMIT, sn_rewind_record(rewind, world));
    assert_says(sn_world_error(world), "bytes room");
    assert_int_equal(sn_rewind_count(rewind), 1);
    sn_world_destroy(world);
    assert_ok(other, sn_rewind_back(rewind, other, 0));
    assert_true(sn_world_hash(other) == hash);
    sn_world *flat = support_world_2d();
    assert_result(flat, SN_ERROR_ARGUMENT, sn_rewind_back(rewind, flat, 0));
    assert_says(sn_world_error(flat), "2D");
    assert_int_equal(sn_rewind_count(rewind), 1);
    assert_result(flat, SN_ERROR_ARGUMENT, sn_rewind_record(NULL, flat));
    assert_result(flat, SN_ERROR_ARGUMENT, sn_rewind_back(NULL, flat, 0));
    assert_int_equal(sn_rewind_record(rewind, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_rewind_back(rewind, NULL, 0), SN_ERROR_ARGUMENT);
    assert_null(sn_rewind_create(NULL, 1000));
    assert_true(sn_rewind_count(NULL) == 0 && isnan(sn_rewind_time(NULL, 0)) && sn_rewind_size(NULL) == 0);
    sn_rewind_destroy(NULL);
    sn_rewind_destroy(rewind);
    sn_world_destroy(other);
    sn_world_destroy(flat);
}

/* Going back restores what was removed, drags and fields too, and stales what came later. */
static void test_edits(void **state)
{
    (void)state;
    sn_world *world = rope(SN_INTEGRATOR_LEAPFROG, 6, NULL);
    sn_drag_def drag = sn_default_drag_def();
    drag.strength = 1;
    uint32_t number;
    assert_ok(world, sn_drag_add(world, &drag, &number));
    sn_particle p = sn_particle_from_index(world, 3);
    sn_rewind *rewind = sn_rewind_create(world, 100000);
    assert_ok(world, sn_rewind_record(rewind, world));
    uint64_t hash = sn_world_hash(world);
    assert_ok(world, sn_particle_remove(world, p));
    assert_ok(world, sn_drag_remove(world, number));
    sn_particle later = sn_particle_add_at(world, vec(9, 9, 9), 1);
    support_run(world, 5, 1.0 / 60);
    assert_ok(world, sn_rewind_record(rewind, world));
    assert_ok(world, sn_rewind_back(rewind, world, 1));
    assert_true(sn_world_hash(world) == hash);
    assert_true(sn_particle_is_valid(world, p) && !sn_particle_is_valid(world, later));
    assert_ok(world, sn_drag_remove(world, number));
    sn_rewind_destroy(rewind);
    sn_world_destroy(world);
}

static void test_memory_fails(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_allocator allocator = support_allocator(&memory);
    sn_world *world = rope(SN_INTEGRATOR_SYMPLECTIC_EULER, 6, &allocator);
    memory.fail_at = memory.requests + 1;
    assert_null(sn_rewind_create(world, 100000));
    assert_says(sn_world_error(world), "memory rewind 100000");
    sn_rewind *rewind = sn_rewind_create(world, 100000);
    assert_ok(world, sn_rewind_record(rewind, world));
    assert_ok(world, sn_rewind_record(rewind, world));
    /* an empty world needs memory to be put back: each request for it fails once, and nothing is forgotten */
    sn_world_def def = sn_default_world_def();
    def.allocator = allocator;
    sn_world *small = NULL;
    for (uint64_t n = 1; !small; ++n) {
        small = support_world_from(&def);
        uint64_t hash = sn_world_hash(small);
        memory.fail_at = memory.requests + n;
        sn_result result = sn_rewind_back(rewind, small, 1);
        memory.fail_at = 0;
        if (result == SN_OK)
            break;
        assert_int_equal(result, SN_ERROR_MEMORY);
        assert_true(sn_world_hash(small) == hash && sn_rewind_count(rewind) == 2);
        sn_world_destroy(small);
        small = NULL;
    }
    assert_true(sn_world_hash(small) == sn_world_hash(world));
    sn_rewind_destroy(rewind);
    sn_world_destroy(small);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

static sn_vec3 call_back(void *context, const sn_field_in *in)
{
    void *const *both = context;
    (void)in;
    assert_int_equal(sn_rewind_record(both[1], both[0]), SN_ERROR_BUSY);
    assert_int_equal(sn_rewind_back(both[1], both[0], 0), SN_ERROR_BUSY);
    assert_int_equal(sn_world_reverse(both[0]), SN_ERROR_BUSY);
    assert_null(sn_rewind_create(both[0], 100000));
    return vec(0, 0, 0);
}

static void test_busy(void **state)
{
    (void)state;
    sn_world *world = rope(SN_INTEGRATOR_SYMPLECTIC_EULER, 2, NULL);
    void *both[2] = {world, sn_rewind_create(world, 100000)};
    assert_ok(world, sn_rewind_record(both[1], world));
    assert_ok(world, sn_field_add(world, call_back, both, false, NULL));
    support_run(world, 1, 1.0 / 60);
    sn_rewind_destroy(both[1]);
    sn_world_destroy(world);
}

/* ---- True reversal -------------------------------------------------------------------------------------------------- */

static sn_vec3 sun(void *context, const sn_field_in *in)
{
    double x = (double)in->position.x, y = (double)in->position.y, r2 = x * x + y * y,
           f = -(double)in->mass / (r2 * sqrt(r2));
    (void)context;
    return vec(f * x, f * y, 0);
}

typedef struct scheme {
    const char *name;
    sn_integrator integrator;
    sn_gradients gradients;
} scheme;

static const scheme schemes[] = {
    {"leapfrog", SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_CURRENT},
    {"Verlet", SN_INTEGRATOR_VERLET, SN_GRADIENTS_CURRENT},
    {"leapfrog, SHAKE", SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_START},
    {"Verlet, SHAKE", SN_INTEGRATOR_VERLET, SN_GRADIENTS_START},
    {"symplectic Euler", SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_CURRENT},
    {"forward Euler", SN_INTEGRATOR_FORWARD_EULER, SN_GRADIENTS_CURRENT},
    {"BDF2", SN_INTEGRATOR_BDF2, SN_GRADIENTS_CURRENT},
};

/* An orbit of eccentricity 0.36 about a mass of 1 in the origin. */
static sn_world *orbit(const scheme *s, uint32_t substeps)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.integrator = s->integrator;
    def.settings.gradients = s->gradients;
    def.settings.substeps = substeps;
    sn_world *world = support_world_from(&def);
    sn_particle p = sn_particle_add_at(world, vec(1, 0, 0), 2);
    assert_ok(world, sn_particle_set_velocity(world, p, vec(0, 0.8, 0)));
    assert_ok(world, sn_field_add(world, sun, NULL, false, NULL));
    return world;
}

/* Two rods of 1 m, both horizontal, solved until they hold. */
static sn_world *double_pendulum(const scheme *s, uint32_t substeps)
{
    sn_world_def def = sn_default_world_def();
    def.settings.integrator = s->integrator;
    def.settings.gradients = s->gradients;
    def.settings.substeps = substeps;
    def.settings.iterations = 50;
    def.settings.tolerance = real(EXACTNESS(1e-8, 1e-15));
    sn_world *world = support_world_from(&def);
    sn_particle p[3];
    for (int i = 0; i < 3; ++i) {
        p[i] = sn_particle_add_at(world, vec(i, 0, 0), i ? 1 : SN_IMMOVABLE);
        if (i)
            sn_constraint_add_distance(world, sn_at(p[i - 1]), sn_at(p[i]), SN_MEASURE);
    }
    return world;
}

/* There for some frames, and back: how far from the start everything ends, in m. */
static double drift(sn_world *world, uint32_t frames)
{
    sn_vec3 start[3];
    double worst = 0;
    uint32_t count = sn_world_particle_count(world);
    for (uint32_t i = 0; i < count; ++i)
        start[i] = sn_particle_position(world, sn_particle_from_index(world, i));
    support_run(world, frames, 1.0 / 60);
    assert_ok(world, sn_world_reverse(world));
    support_run(world, frames, 1.0 / 60);
    for (uint32_t i = 0; i < count; ++i)
        worst = fmax(worst, support_gap(start[i], sn_particle_position(world, sn_particle_from_index(world, i))));
    sn_world_destroy(world);
    return worst;
}

/* What each scheme is held to: small is rounding, large is the scheme. */
static void test_reversal(void **state)
{
    (void)state;
    print_message("drift after 10 s of orbit and back; 1 s of a double pendulum and back, in m (h = 1/600)\n");
    for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
        const scheme *s = &schemes[i];
        double free = drift(orbit(s, 10), 600), rods = drift(double_pendulum(s, 10), 60);
        bool symmetric = s->integrator == SN_INTEGRATOR_LEAPFROG || s->integrator == SN_INTEGRATOR_VERLET;
        bool shake = s->gradients == SN_GRADIENTS_START;
        print_message("  %-18s %9.1e %9.1e\n", s->name, free, rods);
        if (symmetric)
            assert_true(free < EXACTNESS(1e-4, 1e-12));
        else
            assert_true(free > 1e-4);
        if (symmetric && shake)
            assert_true(rods < EXACTNESS(2e-4, 1e-11));
        else
            assert_true(rods > 1e-4);
    }
}

/* The steps back may be of any length, if their order is reversed. */
static void test_reversal_of_changing_steps(void **state)
{
    (void)state;
    static const double steps[] = {0.01, 0.013, 0.02, 0.004, 0.004, 0.017};
    for (size_t i = 2; i < 4; ++i) { /* those with SHAKE */
        sn_world *world = double_pendulum(&schemes[i], 10);
        sn_particle tip = sn_particle_from_index(world, 2);
        for (size_t k = 0; k < COUNT_OF(steps); ++k)
            assert_ok(world, sn_world_step(world, real(steps[k])));
        assert_ok(world, sn_world_reverse(world));
        for (size_t k = COUNT_OF(steps); k-- > 0;)
            assert_ok(world, sn_world_step(world, real(steps[k])));
        assert_vec_close(sn_particle_position(world, tip), vec(2, 0, 0), EXACTNESS(1e-5, 1e-12));
        sn_world_destroy(world);
    }
}

/* Twice is once around: nothing changed but the past of those who have one. */
static void test_twice(void **state)
{
    (void)state;
    for (int n = 0; n < 5; ++n) {
        sn_world *world = rope((sn_integrator)n, 6, NULL);
        support_run(world, 20, 1.0 / 60);
        uint64_t hash = sn_world_hash(world);
        double time = sn_world_time(world);
        sn_vec3 v = sn_particle_velocity(world, sn_particle_from_index(world, 4));
        assert_ok(world, sn_world_reverse(world));
        sn_vec3 back = sn_particle_velocity(world, sn_particle_from_index(world, 4));
        assert_vec_same(back, vec(-(double)v.x, -(double)v.y, -(double)v.z));
        assert_true(sn_world_hash(world) != hash && sn_world_time(world) == time);
        assert_ok(world, sn_world_reverse(world));
        if (n != SN_INTEGRATOR_VERLET && n != SN_INTEGRATOR_BDF2)
            assert_true(sn_world_hash(world) == hash);
        support_run(world, 1, 1.0 / 60);
        sn_world_destroy(world);
    }
    assert_int_equal(sn_world_reverse(NULL), SN_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bit_exact),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_changing_sizes),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_memory_fails),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_reversal),
        cmocka_unit_test(test_reversal_of_changing_steps),
        cmocka_unit_test(test_twice),
    };
    return cmocka_run_group_tests_name("rewind", tests, NULL, NULL);
}
