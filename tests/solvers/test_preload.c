/* Preloads: see src/solvers/preload.h. */
#include "support/support.h"

#include <math.h>

#define GRAVITY 9.81

/* A curtain of n by n particles, 1 m by 1 m and 0.3 kg, that hangs by its upper row: rods along rows and columns, so that what a
   column gives has a closed form. */
typedef struct how {
    uint32_t n, threads, rate;
    sn_simd simd;
    bool off, free;
    double damping, compliance;
    support_memory *memory;
} how;

typedef struct curtain {
    sn_world *world;
    sn_particles particles;
    sn_constraints rods;
    uint32_t n;
    double mass;
} curtain;

static curtain make_curtain(const how *h)
{
    const uint32_t n = h->n;
    curtain c = {.n = n, .mass = 0.3 / (n * n)};
    sn_world_def def = sn_default_world_def();
    def.threads = h->threads ? h->threads : 1;
    def.simd = h->simd;
    def.settings.damping = real(h->damping);
    def.settings.stiffening = h->off ? SN_STIFFENING_OFF : SN_STIFFENING_AUTO;
    if (h->memory)
        def.allocator = support_allocator(h->memory);
    c.world = support_world_from(&def);
    sn_real *xyz = malloc(3 * (size_t)n * n * sizeof *xyz), *rest = malloc(2 * (size_t)n * n * sizeof *rest);
    uint32_t *pair = malloc(4 * (size_t)n * n * sizeof *pair), count = 0;
    for (uint32_t i = 0; i < n * n; ++i) {
        xyz[3 * i] = real((double)(i % n) / (n - 1));
        xyz[3 * i + 1] = real(-(double)(i / n) / (n - 1));
        xyz[3 * i + 2] = 0;
    }
    for (uint32_t i = 0; i < n * n; ++i)
        for (uint32_t down = 0; down < 2; ++down)
            if (down ? i / n + 1 < n : i % n + 1 < n) {
                rest[count] = real(1.0 / (n - 1));
                pair[2 * count] = i;
                pair[2 * count++ + 1] = down ? i + n : i + 1;
            }
    c.particles = sn_particles_add(c.world, n * n, xyz, 0, real(c.mass));
    const sn_material soft = {.compliance = real(h->compliance)};
    c.rods = sn_constraints_add_kind(c.world, SN_KIND_DISTANCE, count, pair, rest, &soft);
    assert_int_equal(c.rods.count, count);
    for (uint32_t i = 0; !h->free && i < n; ++i)
        assert_ok(c.world, sn_particle_set_mass(c.world, sn_particles_at(c.particles, i), SN_IMMOVABLE));
    free(xyz);
    free(rest);
    free(pair);
    return c;
}

static void run(const curtain *c, uint32_t frames, double rate)
{
    for (uint32_t i = 0; i < frames; ++i)
        assert_ok(c->world, sn_world_step(c->world, real(1 / rate)));
}

static double sag(const curtain *c)
{
    const sn_view x = sn_world_view_positions(c->world);
    return -1 - (double)((const sn_real *)sn_view_find(&x, c->n * (c->n - 1) + c->n / 2))[1];
}

/* Rod k of a column, from below, carries k particles. */
static double sag_at_rest(const curtain *c, double compliance)
{
    return compliance * c->mass * GRAVITY * (c->n - 1) * c->n / 2;
}

/* With few sweeps a curtain hangs far too low. Preloads make it hang as its material says, at any resolution and rate. */
static void test_compliance_means_what_it_says(void **state)
{
    (void)state;
    support_skip_watched();
    static const uint32_t sizes[] = {10, 20}, rates[] = {30, 120};
    static const double compliances[] = {1e-3, 1e-2};
    for (uint32_t k = 0; k < 8; ++k) {
        if ((k & 3) == 3 && support_long(0, 1)) /* the finest at the highest rate takes as long as all others */
            continue;
        how h = {.n = sizes[k & 1], .rate = rates[k >> 1 & 1], .compliance = compliances[k >> 2], .damping = 2};
        curtain c = make_curtain(&h);
        run(&c, 10 * h.rate, h.rate);
        assert_close(sag(&c), sag_at_rest(&c, h.compliance), 0.03 * sag_at_rest(&c, h.compliance));
        sn_world_destroy(c.world);
    }
    how plain = {.n = 20, .compliance = 1e-3, .damping = 2, .off = true};
    curtain c = make_curtain(&plain);
    run(&c, 300, 30);
    assert_true(sag(&c) > 3 * sag_at_rest(&c, plain.compliance));
    sn_world_destroy(c.world);
}

/* The balance of forces, too: the upper rods carry the weight. */
static void test_forces_are_those_of_the_load(void **state)
{
    (void)state;
    support_skip_watched();
    const how h = {.n = 12, .compliance = 1e-3, .damping = 2};
    curtain c = make_curtain(&h);
    run(&c, 600, 60);
    sn_report report;
    assert_ok(c.world, sn_world_report(c.world, &report));
    const double strain = c.mass * GRAVITY * (h.n - 1) * h.compliance; /* of the uppermost rods */
    double worst = 0;
    const sn_view x = sn_world_view_positions(c.world);
    for (uint32_t i = 0; i < h.n; ++i) {
        const sn_real *a = sn_view_find(&x, i), *b = sn_view_find(&x, i + h.n);
        const double off = fabs((double)(a[1] - b[1]) - 1.0 / (h.n - 1) - strain) / strain;
        worst = off > worst ? off : worst;
    }
    assert_true(worst < 0.03);
    sn_world_destroy(c.world);
}

/* What may break has them, too, and leaves those beside it as they are. An upper rod carries 11 particles: it holds with a strength of a
   little more than that, and not with a little less. */
static void test_breakable_rods_have_them(void **state)
{
    (void)state;
    support_skip_watched();
    const how h = {.n = 12, .compliance = 1e-3, .damping = 2};
    const double load = 0.3 / (h.n * h.n) * GRAVITY * (h.n - 1);
    for (uint32_t k = 0; k < 2; ++k) {
        curtain c = make_curtain(&h);
        run(&c, 600, 60); /* strengths come when it hangs still */
        for (uint32_t i = 0; i < c.rods.count; ++i)
            assert_ok(c.world, sn_constraint_set_strength(c.world, sn_constraints_at(c.rods, i),
                                                          real(load * (k ? 1.1 : 0.9)), 0));
        run(&c, 300, 60);
        if (k)
            assert_close(sag(&c), sag_at_rest(&c, h.compliance), 0.03 * sag_at_rest(&c, h.compliance));
        assert_true((sn_world_constraint_count(c.world, SN_KIND_NONE) == c.rods.count) == (k == 1));
        sn_world_destroy(c.world);
    }
}

/* A curtain of rods alone that is let go falls together. How tall it was at least, in the second after that. */
static double least_height(bool off)
{
    const how h = {.n = support_long(40, 24), .compliance = 1e-2, .damping = 2, .off = off};
    curtain c = make_curtain(&h);
    double least = 1;
    run(&c, 150, 30);
    for (uint32_t i = 0; i < h.n; ++i)
        assert_ok(c.world, sn_particle_set_mass(c.world, sn_particles_at(c.particles, i), real(c.mass)));
    for (uint32_t frame = 0; frame < 30; ++frame) {
        run(&c, 1, 30);
        const sn_view x = sn_world_view_positions(c.world);
        const double tall = (double)((const sn_real *)sn_view_find(&x, h.n / 2))[1] -
                            (double)((const sn_real *)sn_view_find(&x, h.n * (h.n - 1) + h.n / 2))[1];
        least = tall < least ? tall : least;
    }
    sn_world_destroy(c.world);
    return least;
}

/* A load that is gone takes its preload with it: otherwise the curtain would draw itself together to less than nothing. */
static void test_preloads_go_with_the_load(void **state)
{
    (void)state;
    support_skip_watched();
    assert_true(least_height(false) > least_height(true) - 0.1);
}

/* Pushes of preloads go to both ends: nothing but damping changes how a free curtain moves and turns. */
static void test_free_curtain_keeps_momentum(void **state)
{
    (void)state;
    const how h = {.n = 12, .compliance = 1e-2, .damping = 0.5, .free = true};
    curtain c = make_curtain(&h);
    sn_settings settings = sn_world_settings(c.world);
    settings.gravity = (sn_vec3){0, 0, 0};
    assert_ok(c.world, sn_world_configure(c.world, &settings));
    for (uint32_t i = 0; i < h.n * h.n; ++i) {
        const sn_real x = (sn_real)(i % h.n), y = (sn_real)(i / h.n); /* it turns, and stretches */
        assert_ok(c.world, sn_particle_set_velocity(c.world, sn_particles_at(c.particles, i),
                                                    (sn_vec3){real(1) - y / 4, x / 4, x * y / 50}));
    }
    sn_report before, after;
    assert_ok(c.world, sn_world_report(c.world, &before));
    run(&c, 120, 60);
    assert_ok(c.world, sn_world_report(c.world, &after));
    const double left = exp(-0.5 * 2);
    for (int k = 0; k < 3; ++k) {
        assert_close(after.momentum[k], left * before.momentum[k], 1e-5);
        assert_close(after.angular_momentum[k], left * before.angular_momentum[k],
                     3e-2 * fabs(before.angular_momentum[2]));
    }
    sn_world_destroy(c.world);
}

static void test_threads_and_widths_change_nothing(void **state)
{
    (void)state;
    static const sn_simd widths[] = {SN_SIMD_AUTO, SN_SIMD_SCALAR, SN_SIMD_4, SN_SIMD_AUTO};
    uint64_t first = 0;
    for (uint32_t k = 0; k < 4; ++k) {
        const sn_simd simd = support_has_width(widths[k]) ? widths[k] : SN_SIMD_AUTO;
        const how h = {.n = 40, .threads = 1 + 3 * (k % 2), .simd = simd, .compliance = 1e-3, .damping = 2};
        curtain c = make_curtain(&h);
        run(&c, 20, 60);
        first = k ? first : sn_world_hash(c.world);
        assert_true(sn_world_hash(c.world) == first);
        sn_world_destroy(c.world);
    }
}

/* Preloads are state: a snapshot has them, a failed step leaves them, and settings without them forget them. */
static void test_preloads_are_state(void **state)
{
    (void)state;
    const how h = {.n = 16, .compliance = 1e-3, .damping = 2};
    curtain c = make_curtain(&h), other = make_curtain(&h);
    run(&c, 60, 60);
    sn_snapshot *snapshot = sn_world_save(c.world);
    const uint64_t then = sn_world_hash(c.world);
    run(&c, 30, 60);
    assert_ok(other.world, sn_world_load(other.world, snapshot));
    assert_true(sn_world_hash(other.world) == then);
    run(&other, 30, 60);
    assert_true(sn_world_hash(other.world) == sn_world_hash(c.world));
    sn_snapshot_destroy(snapshot);

    sn_settings settings = sn_world_settings(c.world);
    settings.damping = 0;
    assert_ok(c.world, sn_world_configure(c.world, &settings));
    settings.damping = 2;
    assert_ok(c.world, sn_world_configure(c.world, &settings));
    assert_true(sn_world_hash(other.world) != sn_world_hash(c.world));
    sn_world_destroy(c.world);
    sn_world_destroy(other.world);
}

static void test_warm_steps_allocate_nothing(void **state)
{
    (void)state;
    support_memory memory = {0};
    const how h = {.n = 16, .compliance = 1e-3, .damping = 2, .memory = &memory};
    curtain c = make_curtain(&h);
    run(&c, 2, 60);
    const uint64_t before = memory.requests;
    run(&c, 10, 60);
    assert_true(memory.requests == before);
    sn_world_destroy(c.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compliance_means_what_it_says),
        cmocka_unit_test(test_forces_are_those_of_the_load),
        cmocka_unit_test(test_breakable_rods_have_them),
        cmocka_unit_test(test_preloads_go_with_the_load),
        cmocka_unit_test(test_free_curtain_keeps_momentum),
        cmocka_unit_test(test_threads_and_widths_change_nothing),
        cmocka_unit_test(test_preloads_are_state),
        cmocka_unit_test(test_warm_steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
