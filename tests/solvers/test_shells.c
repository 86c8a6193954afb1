/* Shells, curved sheets that are stiff against bending: see src/solvers/solids_shell.c. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define QUARTER_PI 0.78539816339744831
#define RINGS      20
#define WIDE       4.0 /* m */
#define HIGH       0.8 /* m */

typedef struct how {
    double high;      /* m: of the dome; 0: it is a plate */
    double thickness; /* m, of plastic with 2 GPa, */
    double limp;      /*   which bends so many times as easily; 0: it does not */
    double damping;
    uint32_t substeps, threads;
    sn_simd simd;
    bool off, free;
} how;

typedef struct dome {
    sn_world *world;
    uint32_t vertices, faces;
    uint32_t face[6 * RINGS * RINGS][3];
} dome;

static uint32_t ring_start(uint32_t ring)
{
    return ring ? 1 + 3 * ring * (ring - 1) : 0;
}

static uint32_t on_ring(uint32_t ring, uint32_t i)
{
    return ring_start(ring) + (ring ? i % (6 * ring) : 0);
}

static void add_faces(dome *d)
{
    for (uint32_t ring = 1; ring <= RINGS; ++ring)
        for (uint32_t side = 0; side < 6; ++side)
            for (uint32_t i = 0; i < ring; ++i) {
                const uint32_t a = on_ring(ring, side * ring + i), b = on_ring(ring, side * ring + i + 1),
                               c = on_ring(ring - 1, side * (ring - 1) + i);
                memcpy(d->face[d->faces++], (uint32_t[]){a, c, b}, sizeof d->face[0]);
                if (i + 1 < ring)
                    memcpy(d->face[d->faces++], (uint32_t[]){b, c, on_ring(ring - 1, side * (ring - 1) + i + 1)},
                           sizeof d->face[0]);
            }
}

typedef struct edge {
    uint32_t a, b, corner; /* a < b, and the corner of its triangle that it does not have */
} edge;

static int compare_edges(const void *left, const void *right)
{
    const edge *l = left, *r = right;
    return l->a != r->a ? (l->a < r->a ? -1 : 1) : l->b != r->b ? (l->b < r->b ? -1 : 1) : 0;
}

/* Rods as stiff as a sheet of equilateral triangles with E t, and hinges with its bending stiffness D, both for a Poisson's ratio of 1/3. */
static void add_constraints(const dome *d, const how *h, const sn_particles *particles)
{
    const double young = 2e9, plate = young * pow(h->thickness, 3) / 12;
    static edge list[18 * RINGS * RINGS];
    uint32_t count = 0;
    for (uint32_t f = 0; f < d->faces; ++f)
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t a = d->face[f][k], b = d->face[f][(k + 1) % 3];
            list[count++] = (edge){a < b ? a : b, a < b ? b : a, d->face[f][(k + 2) % 3]};
        }
    qsort(list, count, sizeof *list, compare_edges);
    for (uint32_t i = 0; i < count; ++i) {
        const sn_particle a = sn_particles_at(*particles, list[i].a), b = sn_particles_at(*particles, list[i].b);
        const bool inner = i + 1 < count && compare_edges(&list[i], &list[i + 1]) == 0;
        sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
        sn_point point[4] = {sn_at(a), sn_at(b)};
        def.points = point;
        def.compliance = real(1 / (sqrt(3) / (inner ? 2 : 4) * young * h->thickness));
        assert_ok(d->world, sn_constraint_add(d->world, &def, NULL));
        if (!inner)
            continue;
        def = sn_default_constraint_def(SN_KIND_DIHEDRAL);
        def.points = point;
        def.compliance = real((h->limp > 0 ? h->limp : 1) / (sqrt(3) * plate));
        point[0] = sn_at(sn_particles_at(*particles, list[i].corner));
        point[1] = sn_at(sn_particles_at(*particles, list[i + 1].corner));
        point[2] = sn_at(a);
        point[3] = sn_at(b);
        assert_ok(d->world, sn_constraint_add(d->world, &def, NULL));
        ++i; /* the other triangle's */
    }
}

static dome make_dome(const how *h)
{
    dome d = {.vertices = ring_start(RINGS + 1)};
    sn_world_def def = sn_default_world_def();
    def.threads = h->threads ? h->threads : 1;
    def.simd = h->simd;
    def.settings.damping = real(h->damping);
    def.settings.stiffening = h->off ? SN_STIFFENING_OFF : SN_STIFFENING_AUTO;
    if (h->substeps)
        def.settings.substeps = h->substeps;
    d.world = support_world_from(&def);
    sn_real *xyz = malloc(3 * (size_t)d.vertices * sizeof *xyz);
    const double radius = h->high > 0 ? (h->high * h->high + WIDE * WIDE / 4) / (2 * h->high) : 0;
    const double mass = 20 * QUARTER_PI * WIDE * WIDE / d.vertices; /* 20 kg/m^2 */
    for (uint32_t ring = 0; ring <= RINGS; ++ring)
        for (uint32_t i = 0; i < (ring ? 6 * ring : 1); ++i) {
            const double r = WIDE / 2 * ring / RINGS, angle = ring ? 8 * QUARTER_PI * i / (6 * ring) : 0;
            sn_real *x = xyz + 3 * (size_t)on_ring(ring, i);
            x[0] = real(r * cos(angle));
            x[1] = real(radius > 0 ? sqrt(radius * radius - r * r) - radius + h->high : 0);
            x[2] = real(r * sin(angle));
        }
    const sn_particles particles = sn_particles_add(d.world, d.vertices, xyz, 0, real(mass));
    free(xyz);
    for (uint32_t i = 0; i < 6 * RINGS && !h->free; ++i)
        assert_ok(d.world, sn_particle_set_mass(d.world, sn_particles_at(particles, on_ring(RINGS, i)), SN_IMMOVABLE));
    add_faces(&d);
    add_constraints(&d, h, &particles);
    return d;
}

/* How far the top has come down after so many frames, m. */
static double sag_of(const how *h, uint32_t frames)
{
    dome d = make_dome(h);
    const sn_view x = sn_world_view_positions(d.world);
    const double before = (double)sn_view_find(&x, 0)[1];
    for (uint32_t f = 0; f < frames; ++f)
        assert_ok(d.world, sn_world_step(d.world, real(1.0 / 60)));
    const sn_view now = sn_world_view_positions(d.world);
    const double sag = before - (double)sn_view_find(&now, 0)[1];
    sn_world_destroy(d.world);
    return sag;
}

static void assert_told(const how *h, const char *words)
{
    dome d = make_dome(h);
    sn_report report;
    assert_ok(d.world, sn_world_step(d.world, real(1.0 / 60)));
    assert_ok(d.world, sn_world_report(d.world, &report));
    if (!strstr(report.meshes, words))
        fail_msg("'%s' is not in '%s'", words, report.meshes);
    sn_world_destroy(d.world);
}

/* A shell has a lattice, a plate and a dome of cloth have limits: these must not be held up by rods that push. */
static void test_which_are_shells(void **state)
{
    (void)state;
    assert_told(&(how){.high = HIGH, .thickness = 0.02}, "has its stress solved on a lattice");
    assert_told(&(how){.high = 0, .thickness = 0.02}, "has limits against stretching");
    assert_told(&(how){.high = HIGH, .thickness = 0.02, .limp = 1e4}, "has limits");
}

/* Under its own weight, by default: plain sweeps have several times the sag. */
static void test_dome_stands(void **state)
{
    (void)state;
    const uint32_t frames = 60;
    how h = {.high = HIGH, .thickness = 0.02, .damping = 2};
    const double now = sag_of(&h, frames);
    h.off = true;
    const double plain = sag_of(&h, frames);
    h.substeps = 80;
    const double right = sag_of(&h, frames);
    print_message("sag of a dome: %.4f mm, plain %.4f, with 80 plain substeps %.4f\n", 1e3 * now, 1e3 * plain,
                  1e3 * right);
    assert_true(right > 0);
    assert_true(fabs(now - right) < 0.2 * fabs(plain - right));
    assert_true(fabs(now - right) < 0.5 * right);
}

/* Let go without damping, and held at its rim, it gains nothing: kinetic and potential energy are never above what they were when it was let go. (What rods and hinges store is measured by their
   error, where they are that stiff.) And it is calmer than plain sweeps are. */
static void test_no_energy_is_gained(void **state)
{
    (void)state;
    double fastest[2] = {0, 0};
    for (uint32_t off = 0; off < 2; ++off) {
        dome d = make_dome(&(how){.high = HIGH, .thickness = 0.02, .off = off});
        sn_report report;
        assert_ok(d.world, sn_world_report(d.world, &report));
        const double start = report.potential;
        for (uint32_t f = 0; f < 120; ++f) {
            assert_ok(d.world, sn_world_step(d.world, real(1.0 / 60)));
            assert_ok(d.world, sn_world_report(d.world, &report));
            fastest[off] = report.kinetic > fastest[off] ? report.kinetic : fastest[off];
            assert_true(off || report.kinetic + report.potential <= start);
        }
        sn_world_destroy(d.world);
    }
    print_message("most kinetic energy: %g J, plain %g J\n", fastest[0], fastest[1]);
    assert_true(fastest[0] < 0.1 * fastest[1]);
}

/* One that nothing holds keeps momentum and angular momentum. */
static void test_free_shell_keeps_momentum(void **state)
{
    (void)state;
    dome d = make_dome(&(how){.high = HIGH, .thickness = 0.02, .free = true});
    sn_report report;
    sn_settings settings = sn_world_settings(d.world);
    settings.gravity = (sn_vec3){0, 0, 0};
    assert_ok(d.world, sn_world_configure(d.world, &settings));
    for (uint32_t i = 0; i < d.vertices; ++i) {
        const sn_particle p = sn_particle_from_index(d.world, i);
        const sn_vec3 x = sn_particle_position(d.world, p);
        assert_ok(d.world, sn_particle_set_velocity(d.world, p, (sn_vec3){-2 * x.z, real(0.1) * x.x * x.x, 2 * x.x}));
    }
    double before[6];
    for (uint32_t f = 0; f <= 60; ++f) {
        assert_ok(d.world, sn_world_report(d.world, &report));
        for (uint32_t k = 0; k < 3 && f == 0; ++k) {
            before[k] = report.momentum[k];
            before[3 + k] = report.angular_momentum[k];
        }
        assert_ok(d.world, sn_world_step(d.world, real(1.0 / 60)));
    }
    for (uint32_t k = 0; k < 3; ++k) {
        assert_true(fabs(report.momentum[k] - before[k]) < 1e-4 * 250 * 4);
        assert_true(fabs(report.angular_momentum[k] - before[3 + k]) < 0.02 * fabs(before[4]));
    }
    sn_world_destroy(d.world);
}

static uint64_t hash_after(const how *h)
{
    dome d = make_dome(h);
    for (uint32_t f = 0; f < 4; ++f)
        assert_ok(d.world, sn_world_step(d.world, real(1.0 / 60)));
    const uint64_t hash = sn_world_hash(d.world);
    sn_world_destroy(d.world);
    return hash;
}

static void test_threads_and_widths_change_nothing(void **state)
{
    (void)state;
    how h = {.high = HIGH, .thickness = 0.02, .damping = 1};
    const uint64_t right = hash_after(&h);
    h.threads = 4;
    assert_int_equal(hash_after(&h), right);
    h.threads = 1;
    h.simd = SN_SIMD_SCALAR;
    assert_int_equal(hash_after(&h), right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_are_shells),
        cmocka_unit_test(test_dome_stands),
        cmocka_unit_test(test_no_energy_is_gained),
        cmocka_unit_test(test_free_shell_keeps_momentum),
        cmocka_unit_test(test_threads_and_widths_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
