/* Heavy things that hang from stiff meshes of any size: see src/solvers/hierarchy_slings.c. */
#include "support/support.h"
#include "world/tear_meshes.h"

#include <math.h>

#define STEP 0.0166666667

/* A sheet of 1 m by 1 m and 0.3 kg that hangs by two corners, and a ball on a rope that is tied to its middle. The rope
   stands out from the sheet. */
typedef struct how {
    uint32_t n, links, threads, substeps;
    double load, damping, compliance; /* kg, 1/s, m/N */
    sn_simd simd;
    bool off, edge;
    support_memory *memory;
} how;

typedef struct hung {
    sn_world *world;
    tear_sheet sheet;
    sn_particle ball, middle;
    sn_constraint first; /* of the rope */
    double rope;         /* m */
} hung;

static hung hang(const how *h)
{
    hung s = {.rope = 0.3};
    const uint32_t n = h->n;
    sn_world_def def = sn_default_world_def();
    def.threads = h->threads ? h->threads : 1;
    def.simd = h->simd;
    def.settings.substeps = h->substeps ? h->substeps : def.settings.substeps;
    def.settings.damping = real(h->damping);
    def.settings.stiffening = h->off ? SN_STIFFENING_OFF : SN_STIFFENING_AUTO;
    if (h->memory)
        def.allocator = support_allocator(h->memory);
    s.world = support_world_from(&def);
    s.sheet = tear_sheet_add(s.world, n, n, 1.0 / (n - 1), 0.3 / (n * n), h->compliance, 0, 5);
    assert_ok(s.world, sn_constraints_remove(s.world, s.sheet.hinges)); /* their energy would count */
    for (uint32_t x = 0; x < n; ++x)
        if (h->edge || x == 0 || x + 1 == n)
            assert_ok(s.world,
                      sn_particle_set_mass(s.world, sn_particles_at(s.sheet.run, n * (n - 1) + x), SN_IMMOVABLE));
    s.middle = sn_particles_at(s.sheet.run, n * (n / 2) + n / 2);
    const sn_vec3 from = sn_particle_position(s.world, s.middle);
    sn_particle last = s.middle;
    for (uint32_t i = 1; i <= h->links; ++i) {
        const bool end = i == h->links;
        const sn_particle next = sn_particle_add_at(s.world, vec((double)from.x, (double)from.y, s.rope * i / h->links),
                                                    real(end ? h->load : 0.001));
        const sn_constraint link =
            sn_constraint_add_distance(s.world, sn_at(last), sn_at(next), real(s.rope / h->links));
        assert_true(sn_constraint_is_valid(s.world, link));
        s.first = i == 1 ? link : s.first;
        s.ball = last = next;
    }
    return s;
}

static sn_report report_of(const hung *s)
{
    sn_report report;
    assert_ok(s->world, sn_world_report(s->world, &report));
    return report;
}

/* The mean error of rods, relative to those of the sheet, and what energy rises by over what it fell by: the most in a
   run. */
static void run_for(const hung *s, const how *h, uint32_t frames)
{
    sn_report report = report_of(s);
    double least = report.kinetic + report.potential, first = least, rise = 0, mean = 0;
    for (uint32_t i = 0; i < frames; ++i) {
        support_run(s->world, 1, STEP);
        report = report_of(s);
        const double now = report.kinetic + report.potential;
        rise = fmax(rise, now - least);
        least = fmin(least, now);
        mean = fmax(mean, sn_report_kind(&report, SN_KIND_DISTANCE)->mean * (h->n - 1));
    }
    if (!(mean < 0.012) || !(rise < 2e-3 * (first - least)))
        fail_msg("%u particles, %g kg: rods are off by %g, energy rose by %g of %g J", h->n, h->load, mean, rise,
                 first - least);
}

/* Swept, rods are off by 5 to 1,800 % in the mean, and energy rises by 90 % of its range. */
static void balls_hang_from_sheets(void **state)
{
    (void)state;
    support_skip_watched();
    static const uint32_t n[] = {10, 16, 26, 40};
    for (uint32_t k = 0; k < COUNT_OF(n); ++k)
        for (uint32_t l = 0; l < 2; ++l) {
            const how h = {.n = n[k], .links = l ? 6 : 1, .load = l ? 500 : 5};
            hung s = hang(&h);
            run_for(&s, &h, 120);
            assert_non_null(strstr(report_of(&s).meshes, "limits against stretching"));
            sn_world_destroy(s.world);
        }
}

/* The sheet stays flat, and the ball is right below its middle. Its rope and what holds the sheet have its weight. */
static void a_ball_comes_to_rest_where_it_should(void **state)
{
    (void)state;
    support_skip_watched();
    for (uint32_t edge = 0; edge < 2; ++edge) {
        hung s = hang(&(how){.n = 16, .links = 1, .load = 50, .damping = 2, .edge = edge});
        const double start = (double)sn_particle_position(s.world, s.middle).y;
        support_run(s.world, 360, STEP);
        assert_close(sn_particle_position(s.world, s.ball).y, start - s.rope, 1e-3);
        assert_close(sn_particle_position(s.world, s.middle).y, start, 1e-3);
        const double weight = 50 * 9.81;
        assert_close(-sn_constraint_force(s.world, s.first).row[0], weight, 0.01 * weight);
        double held = 0;
        for (uint32_t x = 0; x < 16; x += edge ? 1 : 15)
            held += (double)sn_particle_load(s.world, sn_particles_at(s.sheet.run, 16 * 15 + x)).y;
        assert_close(-held, weight + 0.3 * 9.81, 0.01 * weight);
        sn_world_destroy(s.world);
    }
}

/* Without its rope, or with a sheet that is cut above it, the ball falls freely. */
static void a_ball_that_is_cut_off_falls(void **state)
{
    (void)state;
    for (uint32_t cuts = 0; cuts < 2; ++cuts) {
        hung s = hang(&(how){.n = 16, .links = 3, .load = 50});
        support_run(s.world, 30, STEP);
        if (cuts) {
            sn_cut_def cut = sn_default_cut_def();
            sn_cut_info info;
            cut.a = vec(-1, 0.8, -4), cut.b = vec(-1, 0.8, 4), cut.to_a = vec(2, 0.8, -4), cut.to_b = vec(2, 0.8, 4);
            assert_ok(s.world, sn_world_cut(s.world, &cut, &info));
        } else {
            assert_ok(s.world, sn_constraint_remove(s.world, s.first));
        }
        const double y = (double)sn_particle_position(s.world, s.ball).y,
                     v = (double)sn_particle_velocity(s.world, s.ball).y, t = 24 * STEP;
        support_run(s.world, 24, STEP);
        assert_close(sn_particle_position(s.world, s.ball).y, y + v * t - 9.81 * t * (t + STEP / 10) / 2, 2e-3);
        sn_world_destroy(s.world);
    }
}

/* Threads, widths of vectors, and a snapshot on the way change no bit. */
static void bits_are_the_same(void **state)
{
    (void)state;
    static const sn_simd widths[] = {SN_SIMD_AUTO, SN_SIMD_SCALAR, SN_SIMD_4};
    uint64_t hash = 0;
    for (uint32_t k = 0; k < COUNT_OF(widths); ++k) {
        if (!support_has_width(widths[k]))
            continue;
        hung s = hang(&(how){.n = 40, .links = 4, .load = 20, .threads = 1 + 3 * (k % 2), .simd = widths[k]});
        support_run(s.world, 6, STEP);
        sn_snapshot *snapshot = sn_world_save(s.world);
        support_run(s.world, 6, STEP);
        hash = k ? hash : sn_world_hash(s.world);
        assert_int_equal(sn_world_hash(s.world), hash);
        assert_ok(s.world, sn_world_load(s.world, snapshot));
        support_run(s.world, 6, STEP);
        assert_int_equal(sn_world_hash(s.world), hash);
        sn_snapshot_destroy(snapshot);
        sn_world_destroy(s.world);
    }
}

static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    support_memory memory = {0};
    hung s = hang(&(how){.n = 16, .links = 4, .load = 20, .memory = &memory});
    support_run(s.world, 2, STEP);
    const uint64_t before = memory.requests;
    support_run(s.world, 5, STEP);
    assert_int_equal(memory.requests, before);
    sn_world_destroy(s.world);
    assert_memory_clean(&memory);
}

/* Limits are rigid. A small sheet that gives under a load has none, nor has a very small one. */
static void soft_sheets_have_no_limits(void **state)
{
    (void)state;
    static const how cases[] = {{.n = 16, .links = 1, .load = 0.1, .compliance = 1e-5},
                                {.n = 6, .links = 1, .load = 0.001}};
    for (uint32_t k = 0; k < COUNT_OF(cases); ++k) {
        hung s = hang(&cases[k]);
        support_run(s.world, 1, STEP);
        assert_null(strstr(report_of(&s).meshes, "limits"));
        sn_world_destroy(s.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_hang_from_sheets),       cmocka_unit_test(a_ball_comes_to_rest_where_it_should),
        cmocka_unit_test(a_ball_that_is_cut_off_falls), cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(warm_steps_allocate_nothing),  cmocka_unit_test(soft_sheets_have_no_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
