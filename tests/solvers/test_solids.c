/* Stress of solids on a lattice: see src/solvers/solids.h. */
#include "support/support.h"

#include <math.h>

#define GRAVITY 9.81
#define DENSITY 1000.0

/* A bar of particles along x, with rods as the edges of tetrahedra and, where asked for, tetrahedra that keep their volume. Rods are as stiff as
   a material with Young's modulus E and Poisson's ratio 1/4 (scene/objects/block.c). */
typedef struct how {
    uint32_t columns, rows; /* particles along x; along y and z */
    double edge;            /* m */
    double young;           /* Pa */
    bool tets;              /* with a bulk modulus of E besides */
    bool fork;              /* two bars, joined at their left ends, in one rest shape */
    bool free, off;
    double damping, material_damping;
    uint32_t substeps, threads;
    sn_simd simd;
    support_memory *memory;
} how;

typedef struct bar {
    sn_world *world;
    sn_particles particles;
    how how;
    uint32_t count;
    uint32_t *number; /* by place in the lattice; UINT32_MAX: there is none */
} bar;

static uint32_t place(const bar *b, uint32_t i, uint32_t j, uint32_t k)
{
    return (i * b->how.rows + j) * b->how.rows + k;
}

/* Half as much material at a face, a quarter at an edge. */
static double share(uint32_t at, uint32_t count)
{
    return at == 0 || at + 1 == count ? 0.5 : 1;
}

typedef struct lists {
    uint32_t *rod, *tet, rods, tets;
    sn_real *give;
} lists;

static void add_rod(const bar *b, lists *l, uint32_t p, uint32_t q, double stiffness)
{
    if (b->number[p] == UINT32_MAX || b->number[q] == UINT32_MAX)
        return;
    l->rod[2 * l->rods] = b->number[p];
    l->rod[2 * l->rods + 1] = b->number[q];
    l->give[l->rods++] = real(1 / stiffness);
}

static void add_tet(const bar *b, lists *l, const uint32_t *corner)
{
    for (uint32_t c = 0; c < 4; ++c)
        if (b->number[corner[c]] == UINT32_MAX)
            return;
    for (uint32_t c = 0; c < 4; ++c)
        l->tet[4 * l->tets + c] = b->number[corner[c]];
    l->tets++;
}

/* The rods from a particle to those behind it. */
static void add_rods(const bar *b, lists *l, const uint32_t *at)
{
    const uint32_t n[3] = {b->how.columns, b->how.rows, b->how.rows};
    const double straight = 0.4 * b->how.young * b->how.edge, diagonal = 0.8 * b->how.young * b->how.edge;
    const bool even = (at[0] + at[1] + at[2]) % 2 == 0;
    for (uint32_t a = 0; a < 3; ++a) {
        const uint32_t c = (a + 1) % 3, d = (a + 2) % 3;
        uint32_t one[3] = {at[0], at[1], at[2]}, two[3] = {at[0], at[1], at[2]};
        if (++two[a] >= n[a])
            continue;
        add_rod(b, l, place(b, one[0], one[1], one[2]), place(b, two[0], two[1], two[2]),
                straight * share(at[c], n[c]) * share(at[d], n[d]));
        if (at[c] + 1 >= n[c])
            continue;
        (even ? two : one)[c]++; /* a diagonal of the face of a and c */
        add_rod(b, l, place(b, one[0], one[1], one[2]), place(b, two[0], two[1], two[2]),
                diagonal * share(at[d], n[d]));
    }
}

/* The cell behind a particle: one tetrahedron in the middle, four in corners. */
static void add_cell(const bar *b, lists *l, const uint32_t *at)
{
    uint32_t corner[8], middle[4], evens = 0;
    if (at[0] + 1 >= b->how.columns || at[1] + 1 >= b->how.rows || at[2] + 1 >= b->how.rows)
        return;
    for (uint32_t m = 0; m < 8; ++m) {
        const uint32_t i = at[0] + (m & 1), j = at[1] + (m >> 1 & 1), k = at[2] + (m >> 2);
        corner[m] = place(b, i, j, k);
        if ((i + j + k) % 2 == 0)
            middle[evens++] = corner[m];
    }
    add_tet(b, l, middle);
    for (uint32_t m = 0; m < 8; ++m)
        if ((at[0] + at[1] + at[2] + (m & 1) + (m >> 1 & 1) + (m >> 2)) % 2)
            add_tet(b, l, (const uint32_t[]){corner[m], corner[m ^ 1], corner[m ^ 2], corner[m ^ 4]});
}

static bar make_bar(const how *h)
{
    bar b = {.how = *h};
    const uint32_t all = h->columns * h->rows * h->rows;
    sn_world_def def = sn_default_world_def();
    def.threads = h->threads ? h->threads : 1;
    def.simd = h->simd;
    def.settings.damping = real(h->damping);
    def.settings.stiffening = h->off ? SN_STIFFENING_OFF : SN_STIFFENING_AUTO;
    if (h->substeps)
        def.settings.substeps = h->substeps;
    if (h->memory)
        def.allocator = support_allocator(h->memory);
    b.world = support_world_from(&def);
    b.number = malloc(all * sizeof *b.number);
    sn_real *xyz = malloc(3 * (size_t)all * sizeof *xyz), *mass = malloc(all * sizeof *mass);
    lists l = {.rod = malloc(12 * (size_t)all * sizeof *l.rod),
               .tet = malloc(20 * (size_t)all * sizeof *l.tet),
               .give = malloc(6 * (size_t)all * sizeof *l.give)};
    for (uint32_t p = 0; p < all; ++p) {
        const uint32_t i = p / (h->rows * h->rows), j = p / h->rows % h->rows, k = p % h->rows;
        const bool gap = h->fork && i > 1 && k == h->rows / 2;
        b.number[p] = gap ? UINT32_MAX : b.count;
        if (gap)
            continue;
        xyz[3 * b.count] = real(i * h->edge);
        xyz[3 * b.count + 1] = real(j * h->edge);
        xyz[3 * b.count + 2] = real(k * h->edge);
        mass[b.count++] =
            real(DENSITY * pow(h->edge, 3) * share(i, h->columns) * share(j, h->rows) * share(k, h->rows));
    }
    b.particles = sn_particles_add(b.world, b.count, xyz, 0, 1);
    for (uint32_t i = 0; i < b.count; ++i)
        assert_ok(b.world, sn_particle_set_mass(b.world, sn_particles_at(b.particles, i), mass[i]));
    for (uint32_t p = 0; p < all; ++p) {
        const uint32_t at[3] = {p / (h->rows * h->rows), p / h->rows % h->rows, p % h->rows};
        if (at[0] == 0 && !h->free)
            assert_ok(b.world, sn_particle_set_mass(b.world, sn_particles_at(b.particles, b.number[p]), SN_IMMOVABLE));
        add_rods(&b, &l, at);
        add_cell(&b, &l, at);
    }
    sn_constraints rods = sn_constraints_add_kind(b.world, SN_KIND_DISTANCE, l.rods, l.rod, NULL, NULL);
    assert_int_equal(rods.count, l.rods);
    for (uint32_t i = 0; i < l.rods; ++i)
        assert_ok(b.world, sn_constraint_set_material(b.world, sn_constraints_at(rods, i),
                                                      (sn_material){l.give[i], real(h->material_damping)}));
    const sn_material full = {.compliance = real(pow(h->edge, 3) / 5 / h->young)};
    if (h->tets)
        assert_int_equal(sn_constraints_add_kind(b.world, SN_KIND_VOLUME, l.tets, l.tet, NULL, &full).count, l.tets);
    free(xyz);
    free(mass);
    free(l.rod);
    free(l.tet);
    free(l.give);
    return b;
}

static void close_bar(bar *b)
{
    sn_world_destroy(b->world);
    free(b->number);
}

static void run(const bar *b, uint32_t frames, double rate)
{
    for (uint32_t i = 0; i < frames; ++i)
        assert_ok(b->world, sn_world_step(b->world, real(1 / rate)));
}

/* How far the middle of the right end is below where it started, m. */
static double drop(const bar *b)
{
    const sn_view x = sn_world_view_positions(b->world);
    const uint32_t p = place(b, b->how.columns - 1, b->how.rows / 2, 0);
    return (b->how.rows / 2) * b->how.edge - (double)((const sn_real *)sn_view_find(&x, b->number[p]))[1];
}

static double kinetic(const bar *b)
{
    sn_report report;
    assert_ok(b->world, sn_world_report(b->world, &report));
    return report.kinetic;
}

/* A beam of length L = 1 m and height and width d = 0.2 m: rho g L^4 3 / (2 E d^2). Rods alone have both of Lame's constants 0.4 E, and tetrahedra add E, about, to the first: Young's modulus is 1.11 E. */
static double sag_of_beam(double young)
{
    return DENSITY * GRAVITY * 1.5 / (1.11 * young * 0.04);
}

/* A bar clamped at one end sags as a beam does, with the default settings. (Tetrahedra lock a little: it is 4 % stiffer.) Plain sweeps let it hang down. */
static void test_beam_sags_as_it_should(void **state)
{
    (void)state;
    support_skip_watched();
    const double young[] = {1e7, 1e8};
    for (uint32_t k = 0; k < 2; ++k) {
        const how h = {.columns = 21, .rows = 5, .edge = 0.05, .young = young[k], .tets = true, .damping = 2};
        bar b = make_bar(&h);
        run(&b, 600, 60);
        assert_close(drop(&b), sag_of_beam(young[k]), 0.08 * sag_of_beam(young[k]));
        assert_true(kinetic(&b) < 1e-4);
        close_bar(&b);
    }
    const how plain = {.columns = 21, .rows = 5, .edge = 0.05, .young = 1e8, .tets = true, .damping = 2, .off = true};
    bar b = make_bar(&plain);
    run(&b, 300, 60);
    assert_true(drop(&b) > 10 * sag_of_beam(1e8));
    close_bar(&b);
}

/* With fewer substeps it is softer, and rests. */
static void test_few_substeps_are_calm(void **state)
{
    (void)state;
    support_skip_watched();
    for (uint32_t k = 0; k < 2; ++k) {
        const how h = {
            .columns = 21, .rows = 5, .edge = 0.05, .young = 1e7, .tets = true, .damping = 2, .substeps = 10 - 5 * k};
        bar b = make_bar(&h);
        run(&b, 300, k ? 60 : 30);
        assert_true(drop(&b) < 2 * sag_of_beam(1e7));
        assert_true(kinetic(&b) < 1e-3);
        close_bar(&b);
    }
}

/* How far energy rises above its least value so far, while a bar that nothing damps swings. */
static double rise_of(bool off)
{
    const how h = {.columns = 15, .rows = 5, .edge = 0.05, .young = 1e6, .tets = true, .off = off};
    bar b = make_bar(&h);
    sn_report report;
    double least = HUGE_VAL, rise = 0;
    for (uint32_t frame = 0; frame < 300; ++frame) {
        run(&b, 1, 60);
        assert_ok(b.world, sn_world_report(b.world, &report));
        const double energy = report.kinetic + report.potential + report.elastic;
        least = energy < least ? energy : least;
        rise = energy - least > rise ? energy - least : rise;
    }
    close_bar(&b);
    return rise;
}

/* Constraints that have not converged show as elastic energy: it rises in a swing, ten times as much with plain sweeps. */
static void test_swinging_gains_less_energy(void **state)
{
    (void)state;
    support_skip_watched();
    assert_true(rise_of(false) < 0.1 * rise_of(true));
}

/* A free bar that is bent and spins keeps momentum and angular momentum, and loses energy. */
static void test_free_bar_keeps_momentum(void **state)
{
    (void)state;
    const how h = {.columns = 13, .rows = 5, .edge = 0.05, .young = 1e6, .tets = true, .free = true};
    bar b = make_bar(&h);
    sn_settings settings = sn_world_settings(b.world);
    settings.gravity = (sn_vec3){0, 0, 0};
    assert_ok(b.world, sn_world_configure(b.world, &settings));
    const sn_view x = sn_world_view_positions(b.world);
    for (uint32_t i = 0; i < b.count; ++i) {
        const sn_real *at = sn_view_find(&x, i);
        assert_ok(b.world,
                  sn_particle_set_velocity(b.world, sn_particles_at(b.particles, i),
                                           (sn_vec3){real(1) - 4 * at[1], 4 * at[0] - 8 * at[0] * at[0], 2 * at[0]}));
    }
    sn_report before, after;
    assert_ok(b.world, sn_world_report(b.world, &before));
    run(&b, support_rounds(600, 60), 60);
    assert_ok(b.world, sn_world_report(b.world, &after));
    for (int k = 0; k < 3; ++k) {
        assert_close(after.momentum[k], before.momentum[k], 2e-5 * fabs(before.momentum[0]));
        assert_close(after.angular_momentum[k], before.angular_momentum[k],
                     0.05); /* 4.4 in all; sweeps keep it to first order */
    }
    assert_true(after.kinetic + after.elastic < before.kinetic + before.elastic);
    close_bar(&b);
}

/* What is chosen, in words. */
static void assert_told(const bar *b, bool solid)
{
    sn_report report;
    assert_ok(b->world, sn_world_report(b->world, &report));
    assert_true((strstr(report.meshes, "lattice") != NULL) == solid);
}

/* Two prongs of a fork are close in the rest shape, and bend apart all the same: they share no node. */
static void test_prongs_bend_alone(void **state)
{
    (void)state;
    support_skip_watched();
    const how h = {.columns = 21, .rows = 7, .edge = 0.04, .young = 3e5, .tets = true, .damping = 2, .fork = true};
    bar b = make_bar(&h);
    run(&b, 1, 60);
    assert_told(&b, true);
    for (uint32_t frame = 0; frame < 240; ++frame) { /* the ends are pushed apart */
        for (uint32_t side = 0; side < 2; ++side) {
            const uint32_t p = place(&b, h.columns - 1, h.rows / 2, side ? h.rows - 1 : 0);
            assert_ok(b.world, sn_particle_apply_force(b.world, sn_particles_at(b.particles, b.number[p]),
                                                       (sn_vec3){0, 0, real(side ? 2 : -2)}));
        }
        run(&b, 1, 60);
    }
    const sn_view x = sn_world_view_positions(b.world);
    const sn_real *left = sn_view_find(&x, b.number[place(&b, h.columns - 1, 3, 0)]);
    const sn_real *right = sn_view_find(&x, b.number[place(&b, h.columns - 1, 3, h.rows - 1)]);
    assert_true((double)(right[2] - left[2]) > (h.rows - 1) * h.edge + 0.02);
    close_bar(&b);
}

static void test_threads_and_widths_change_nothing(void **state)
{
    (void)state;
    static const sn_simd widths[] = {SN_SIMD_AUTO, SN_SIMD_SCALAR, SN_SIMD_4, SN_SIMD_AUTO};
    uint64_t first = 0;
    for (uint32_t k = 0; k < 4; ++k) {
        const sn_simd simd = support_has_width(widths[k]) ? widths[k] : SN_SIMD_AUTO;
        const how h = {.columns = 13,
                       .rows = 5,
                       .edge = 0.05,
                       .young = 1e6,
                       .tets = true,
                       .damping = 1,
                       .material_damping = 1,
                       .threads = 1 + 3 * (k % 2),
                       .simd = simd};
        bar b = make_bar(&h);
        run(&b, 20, 60);
        first = k ? first : sn_world_hash(b.world);
        assert_true(sn_world_hash(b.world) == first);
        close_bar(&b);
    }
}

/* A world that is loaded when it is bent goes on to the last bit: the rest shape is in snapshots. Nor does an edit elsewhere change anything but what it edits. */
static void test_snapshots_go_on(void **state)
{
    (void)state;
    const how h = {.columns = 13, .rows = 5, .edge = 0.05, .young = 1e6, .tets = true, .damping = 1};
    bar b = make_bar(&h), other = make_bar(&h);
    run(&b, 30, 60);
    sn_snapshot *snapshot = sn_world_save(b.world);
    run(&b, 20, 60);
    assert_ok(other.world, sn_world_load(other.world, snapshot));
    run(&other, 20, 60);
    assert_true(sn_world_hash(other.world) == sn_world_hash(b.world));
    sn_snapshot_destroy(snapshot);
    close_bar(&other);
    close_bar(&b);
}

/* A rope that is tied to a bar pulls at it with its weight, and no more: constraints beside a solid begin with no multipliers. */
static void test_rope_beside_it(void **state)
{
    (void)state;
    support_skip_watched();
    const how h = {.columns = 13, .rows = 5, .edge = 0.05, .young = 1e7, .tets = true, .damping = 2};
    bar b = make_bar(&h);
    sn_particle last = sn_particles_at(b.particles, b.number[place(&b, h.columns - 1, 0, 2)]);
    sn_constraint link = {0};
    for (uint32_t i = 1; i <= 5; ++i) {
        const sn_particle p = sn_particle_add_at(b.world, (sn_vec3){real(0.6), real(-0.1 * i), real(0.1)}, real(0.5));
        const sn_constraint c = sn_constraint_add_distance(b.world, sn_at(last), sn_at(p), SN_MEASURE);
        link = i == 1 ? c : link;
        last = p;
    }
    run(&b, 600, 60);
    assert_told(&b, true);
    assert_close((double)sn_constraint_force(b.world, link).magnitude, 5 * 0.5 * GRAVITY, 0.02 * 5 * 0.5 * GRAVITY);
    assert_true(kinetic(&b) < 1e-3);
    close_bar(&b);
}

/* What is crushed is left to sweeps: it stays finite, and comes to rest. */
static void test_crushed_is_left_to_sweeps(void **state)
{
    (void)state;
    const how h = {.columns = 7, .rows = 7, .edge = 0.05, .young = 1e5, .tets = true, .damping = 2};
    bar b = make_bar(&h);
    for (uint32_t i = 0; i < b.count; i += 3)
        assert_ok(b.world, sn_particle_set_velocity(b.world, sn_particles_at(b.particles, i),
                                                    (sn_vec3){-60, real(20.0 * (i % 5)), 30}));
    run(&b, support_rounds(600, 40), 60);
    sn_report report;
    assert_ok(b.world, sn_world_report(b.world, &report));
    assert_true(isfinite(report.kinetic) && isfinite(report.elastic));
    close_bar(&b);
}

/* Small ones, and rigid ones, have none. */
static void test_which_have_a_lattice(void **state)
{
    (void)state;
    how h = {.columns = 5, .rows = 5, .edge = 0.05, .young = 1e6, .tets = true, .damping = 1};
    bar b = make_bar(&h);
    run(&b, 1, 60);
    assert_told(&b, false);
    close_bar(&b);
    h.columns = 9;
    b = make_bar(&h);
    run(&b, 1, 60);
    assert_told(&b, true);
    close_bar(&b);
    h.off = true;
    b = make_bar(&h);
    run(&b, 1, 60);
    assert_told(&b, false);
    close_bar(&b);
}

static void test_warm_steps_allocate_nothing(void **state)
{
    (void)state;
    support_memory memory = {0};
    const how h = {.columns = 9, .rows = 5, .edge = 0.05, .young = 1e6, .tets = true, .damping = 1, .memory = &memory};
    bar b = make_bar(&h);
    run(&b, 2, 60);
    const uint64_t before = memory.requests;
    run(&b, 5, 60);
    assert_ok(b.world, sn_particle_set_mass(b.world, sn_particles_at(b.particles, b.count - 1), real(0.3)));
    run(&b, 2, 60);
    assert_true(memory.requests == before);
    close_bar(&b);
}

/* A first step in which memory runs out changes nothing, whichever request fails; the next one makes the lattice. */
static void test_step_without_memory_changes_nothing(void **state)
{
    (void)state;
    uint32_t failed = 0;
    for (bool again = true; again; failed += again) {
        support_memory memory = {0};
        const how h = {
            .columns = 9, .rows = 5, .edge = 0.05, .young = 1e6, .tets = true, .damping = 1, .memory = &memory};
        bar b = make_bar(&h);
        const uint64_t before = sn_world_hash(b.world);
        memory.fail_at = memory.requests + failed + 1;
        again = ran_out(b.world, before, sn_world_step(b.world, real(1 / 60.0)));
        memory.fail_at = 0;
        if (again)
            run(&b, 1, 60);
        assert_told(&b, true);
        close_bar(&b);
        assert_memory_clean(&memory);
    }
    assert_true(failed > 40); /* the lattice alone asks for so many blocks */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beam_sags_as_it_should),
        cmocka_unit_test(test_few_substeps_are_calm),
        cmocka_unit_test(test_swinging_gains_less_energy),
        cmocka_unit_test(test_free_bar_keeps_momentum),
        cmocka_unit_test(test_prongs_bend_alone),
        cmocka_unit_test(test_threads_and_widths_change_nothing),
        cmocka_unit_test(test_snapshots_go_on),
        cmocka_unit_test(test_rope_beside_it),
        cmocka_unit_test(test_crushed_is_left_to_sweeps),
        cmocka_unit_test(test_which_have_a_lattice),
        cmocka_unit_test(test_warm_steps_allocate_nothing),
        cmocka_unit_test(test_step_without_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
