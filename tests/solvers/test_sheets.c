/* Soft sheets and balloons are as stiff as their material, whatever the resolution and the step: see src/solvers/solids.h and tiled_closed.c. */
#include "support/support.h"

#include <math.h>

#define GRAVITY 9.81
#define DENSITY 0.3 /* kg/m^2 */

/* ---- A sheet of 1 m^2 that hangs by an edge ---- */

typedef struct how {
    uint32_t side;   /* particles along an edge */
    double strength; /* N/m: E t */
    double damping, swing;
    uint32_t threads;
    sn_simd simd;
    bool off;
} how;

typedef struct sheet {
    sn_world *world;
    sn_particles particles;
    uint32_t side;
} sheet;

/* Rods at the border stand for half a strip. */
static double strip(uint32_t at, uint32_t side)
{
    return (at == 0 || at + 1 == side ? 0.5 : 1) / (side - 1);
}

static void add_rod(const sheet *s, uint32_t i, uint32_t k, double stiffness)
{
    const uint32_t pair[2] = {i, k};
    const sn_material material = {.compliance = real(1 / stiffness)};
    assert_int_equal(sn_constraints_add_kind(s->world, SN_KIND_DISTANCE, 1, pair, NULL, &material).count, 1);
}

static sheet make_sheet(const how *h)
{
    const uint32_t n = h->side;
    const double edge = 1.0 / (n - 1);
    sn_world_def def = sn_default_world_def();
    def.threads = h->threads ? h->threads : 1;
    def.simd = h->simd;
    def.settings.gravity = vec(0, -GRAVITY, 0);
    def.settings.damping = real(h->damping);
    def.settings.stiffening = h->off ? SN_STIFFENING_OFF : SN_STIFFENING_AUTO;
    sheet s = {.world = support_world_from(&def), .side = n};
    sn_real *xyz = malloc(3 * (size_t)n * n * sizeof *xyz);
    assert_non_null(xyz);
    for (uint32_t i = 0; i < n * n; ++i) {
        const double down = i / n * edge;
        xyz[3 * i] = real(i % n * edge);
        xyz[3 * i + 1] = real(-down * cos(h->swing));
        xyz[3 * i + 2] = real(-down * sin(h->swing));
    }
    s.particles = sn_particles_add(s.world, n * n, xyz, 0, 1);
    free(xyz);
    for (uint32_t i = 0; i < n * n; ++i) {
        const double mass = DENSITY * strip(i % n, n) * strip(i / n, n);
        assert_ok(s.world,
                  sn_particle_set_mass(s.world, sn_particles_at(s.particles, i), i < n ? SN_IMMOVABLE : real(mass)));
        if (i % n + 1 < n)
            add_rod(&s, i, i + 1, h->strength * strip(i / n, n) / edge);
        if (i / n + 1 < n)
            add_rod(&s, i, i + n, h->strength * strip(i % n, n) / edge);
        if (i % n + 1 < n && i / n + 1 < n) {
            add_rod(&s, i, i + n + 1, 0.05 * h->strength);
            add_rod(&s, i + 1, i + n, 0.05 * h->strength);
        }
    }
    return s;
}

static double sag(const sheet *s)
{
    const sn_view x = sn_world_view_positions(s->world);
    double sum = 0;
    for (uint32_t i = 0; i < s->side; ++i)
        sum -= 1 + (double)((const sn_real *)sn_view_find(&x, s->side * (s->side - 1) + i))[1];
    return sum / s->side;
}

static bool has_lattice(const sheet *s)
{
    sn_report report;
    assert_ok(s->world, sn_world_report(s->world, &report));
    return strstr(report.meshes, "lattice") != NULL;
}

/* rho g L^2 / (2 E t), but for the diagonals, which carry a tenth of it. */
static void test_sheet_sags_as_it_should(void **state)
{
    (void)state;
    support_skip_watched();
    static const struct {
        uint32_t side;
        double strength, rate;
    } cases[] = {{20, 3000, 30}, {40, 1000, 30}, {40, 10000, 30}, {40, 10000, 60}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        const how h = {.side = cases[i].side, .strength = cases[i].strength, .damping = 2};
        sheet s = make_sheet(&h);
        support_run(s.world, (uint32_t)(10 * cases[i].rate), 1 / cases[i].rate);
        assert_true(has_lattice(&s));
        const double right = DENSITY * GRAVITY / (2 * cases[i].strength);
        assert_true(sag(&s) < 1.05 * right && sag(&s) > 0.85 * right);
        sn_world_destroy(s.world);
    }
}

/* At one step it is the same as at another, and at many plain substeps. */
static void test_step_does_not_matter(void **state)
{
    (void)state;
    support_skip_watched();
    double found[3];
    for (int i = 0; i < 3; ++i) {
        const how h = {.side = 20, .strength = 3000, .damping = 2, .off = i == 2};
        const double rate = i == 2 ? 1200 : i ? 120 : 30;
        sheet s = make_sheet(&h);
        support_run(s.world, (uint32_t)(10 * rate), 1 / rate);
        found[i] = sag(&s);
        sn_world_destroy(s.world);
    }
    assert_close(found[0], found[2], 0.05 * found[2]);
    assert_close(found[1], found[2], 0.05 * found[2]);
}

/* Sweeps of a sheet that swings leave rods stretched, and that shows as energy that rises. With a lattice it rises a tenth as much. */
static void test_swinging_gains_less_energy(void **state)
{
    (void)state;
    support_skip_watched();
    double rise[2] = {0, 0};
    for (int off = 0; off < 2; ++off) {
        const how h = {.side = 30, .strength = 3000, .swing = 1.2, .off = off};
        sheet s = make_sheet(&h);
        double least = HUGE_VAL;
        for (int frame = 0; frame < 180; ++frame) {
            sn_report report;
            support_run(s.world, 1, 1.0 / 60);
            assert_ok(s.world, sn_world_report(s.world, &report));
            const double energy = report.kinetic + report.potential + report.elastic;
            least = energy < least ? energy : least;
            rise[off] = energy - least > rise[off] ? energy - least : rise[off];
        }
        sn_world_destroy(s.world);
    }
    assert_true(rise[0] < 0.1 * rise[1]);
}

static void test_same_bits(void **state)
{
    (void)state;
    static const sn_simd widths[] = {SN_SIMD_AUTO, SN_SIMD_SCALAR, SN_SIMD_4, SN_SIMD_AUTO};
    for (int damped = 0; damped < 2; ++damped) {
        uint64_t first = 0;
        for (uint32_t k = 0; k < 4; ++k) {
            const how h = {.side = 20,
                           .strength = 3000,
                           .damping = damped,
                           .swing = 0.5,
                           .threads = 1 + 2 * (k % 2),
                           .simd = support_has_width(widths[k]) ? widths[k] : SN_SIMD_AUTO};
            sheet s = make_sheet(&h);
            support_run(s.world, 15, 1.0 / 30);
            assert_true(has_lattice(&s));
            first = k ? first : sn_world_hash(s.world);
            assert_true(sn_world_hash(s.world) == first);
            sn_world_destroy(s.world);
        }
    }
}

static void test_snapshots_go_on(void **state)
{
    (void)state;
    const how h = {.side = 20, .strength = 3000, .damping = 1, .swing = 1};
    sheet s = make_sheet(&h), other = make_sheet(&h);
    support_run(s.world, 10, 1.0 / 30);
    sn_snapshot *snapshot = sn_world_save(s.world);
    support_run(s.world, 10, 1.0 / 30);
    assert_ok(other.world, sn_world_load(other.world, snapshot));
    support_run(other.world, 10, 1.0 / 30);
    assert_true(sn_world_hash(other.world) == sn_world_hash(s.world));
    sn_snapshot_destroy(snapshot);
    sn_world_destroy(other.world);
    sn_world_destroy(s.world);
}

/* Which have a lattice: not those that sweeps find the stress of, and not those with folds. */
static void test_which_have_a_lattice(void **state)
{
    (void)state;
    static const struct {
        how how;
        double rate;
        bool has;
    } cases[] = {{{.side = 20, .strength = 3000}, 30, true},
                 {{.side = 20, .strength = 30}, 30, false},
                 {{.side = 20, .strength = 3000}, 300, false},
                 {{.side = 10, .strength = 3000}, 30, false},
                 {{.side = 20, .strength = 3000, .off = true}, 30, false}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        sheet s = make_sheet(&cases[i].how);
        support_run(s.world, 1, 1 / cases[i].rate);
        assert_int_equal(has_lattice(&s), cases[i].has);
        sn_world_destroy(s.world);
    }
    sheet s = make_sheet(&cases[0].how);
    for (uint32_t i = 20; i < 400; ++i) { /* in pleats, across */
        const double across = acos(1 - (i % 20 % 8 < 4 ? 0.3 : 1.7)), edge = 1.0 / 19;
        const sn_vec3 at = vec(0.3 * (i % 20) * edge, -(i / 20) * edge, 0.3 * edge * sin(across) * (i % 2 ? 1 : -1));
        assert_ok(s.world, sn_particle_set_position(s.world, sn_particles_at(s.particles, i), at));
    }
    support_run(s.world, 1, 1.0 / 30);
    assert_false(has_lattice(&s));
    sn_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sheet_sags_as_it_should),
        cmocka_unit_test(test_step_does_not_matter),
        cmocka_unit_test(test_swinging_gains_less_energy),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_snapshots_go_on),
        cmocka_unit_test(test_which_have_a_lattice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
