/* Sheets and lines that are stiff against bending: see src/solvers/plates.h. */
#include "support/support.h"

#include <math.h>

#define GRAVITY 9.81
#define LENGTH  1.0  /* m: of what sticks out */
#define CELL    0.05 /* m */
#define COLUMNS 22   /* the first two are immovable */
#define ROWS    7

typedef struct how {
    uint32_t rows;  /* 1: it is a line */
    uint32_t kind;  /* of the hinges of a sheet */
    double ratio;   /* weight * length^3 / stiffness: a cantilever sags by an eighth of that, times its length */
    double stiff;   /* N m^2, or N m of a sheet */
    double damping; /* of velocities, */
    double loss;    /*   and of hinges, s */
    double step;    /* s */
    uint32_t substeps, threads;
    sn_simd simd;
    bool off, free;
    bool pulls; /* links only pull */
    support_memory *memory;
} how;

typedef struct plate {
    sn_world *world;
    sn_particles particles;
    uint32_t rows;
    sn_constraint hinge; /* one of them */
} plate;

static uint32_t at(uint32_t column, uint32_t row)
{
    return column + COLUMNS * row;
}

static void add_rod(const plate *p, const how *h, uint32_t a, uint32_t b)
{
    (h->pulls ? sn_constraint_add_distance_max : sn_constraint_add_distance)(
        p->world, sn_at(sn_particles_at(p->particles, a)), sn_at(sn_particles_at(p->particles, b)), SN_MEASURE);
}

static void add_hinge(plate *p, const how *h, uint32_t a, uint32_t b, uint32_t c, uint32_t d, double compliance)
{
    const uint32_t index[4] = {a, b, c, d};
    sn_point point[4];
    for (uint32_t i = 0; i < 4; ++i)
        point[i] = sn_at(sn_particles_at(p->particles, index[i]));
    sn_constraint_def def = sn_default_constraint_def(h->kind);
    def.points = point;
    def.compliance = real(compliance);
    def.damping = real(h->loss);
    assert_ok(p->world, sn_constraint_add(p->world, &def, &p->hinge));
}

/* Diagonals go up in even rows and down in odd ones, and their hinges are four times as soft: it is then an isotropic plate, see scene/objects/cloth.c. Of angles, the compliance is less by l^2 / (A + B). */
static void add_hinges(plate *p, const how *h)
{
    const double edge = h->kind == SN_KIND_BENDING ? 3 / h->stiff : 1 / h->stiff,
                 across = 4 * edge * (h->kind == SN_KIND_BENDING ? 1 : 0.5);
    for (uint32_t j = 0; j < p->rows; ++j)
        for (uint32_t i = 0; i < COLUMNS; ++i) {
            const bool up = j % 2 == 0;
            if (i + 1 < COLUMNS && j > 0 && j + 1 < p->rows)
                add_hinge(p, h, up ? at(i + 1, j - 1) : at(i, j - 1), up ? at(i + 1, j + 1) : at(i, j + 1), at(i, j),
                          at(i + 1, j), edge);
            if (j + 1 < p->rows && i > 0 && i + 1 < COLUMNS)
                add_hinge(p, h, up ? at(i - 1, j) : at(i - 1, j + 1), up ? at(i + 1, j + 1) : at(i + 1, j), at(i, j),
                          at(i, j + 1), edge);
            if (i + 1 < COLUMNS && j + 1 < p->rows)
                add_hinge(p, h, up ? at(i, j + 1) : at(i, j), up ? at(i + 1, j) : at(i + 1, j + 1),
                          up ? at(i, j) : at(i, j + 1), up ? at(i + 1, j + 1) : at(i + 1, j), across);
        }
}

static void add_angles(plate *p, const how *h)
{
    for (uint32_t i = 1; i + 1 < COLUMNS; ++i) {
        sn_constraint_def def = sn_default_constraint_def(SN_KIND_ANGLE);
        const sn_point point[3] = {sn_at(sn_particles_at(p->particles, i - 1)), sn_at(sn_particles_at(p->particles, i)),
                                   sn_at(sn_particles_at(p->particles, i + 1))};
        def.points = point;
        def.compliance = real(CELL / h->stiff);
        def.damping = real(h->loss);
        def.param[0] = 0; /* straight */
        assert_ok(p->world, sn_constraint_add(p->world, &def, &p->hinge));
    }
}

static plate make(const how *h)
{
    sn_world_def def = sn_default_world_def();
    def.threads = h->threads ? h->threads : 1;
    def.simd = h->simd;
    def.settings.gravity = vec(0, h->free ? 0 : -GRAVITY, 0);
    def.settings.damping = real(h->damping);
    def.settings.stiffening = h->off ? SN_STIFFENING_OFF : SN_STIFFENING_AUTO;
    if (h->substeps)
        def.settings.substeps = h->substeps;
    if (h->memory)
        def.allocator = support_allocator(h->memory);
    plate p = {.world = support_world_from(&def), .rows = h->rows};
    const uint32_t count = COLUMNS * h->rows;
    const double strip = h->rows > 1 ? CELL : 1, mass = h->ratio * h->stiff / pow(LENGTH, 3) / GRAVITY * CELL * strip;
    sn_real *xyz = malloc(3 * (size_t)count * sizeof *xyz);
    assert_non_null(xyz);
    for (uint32_t i = 0; i < count; ++i) {
        xyz[3 * i] = real((i % COLUMNS - 1.0) * CELL);
        xyz[3 * i + 1] = 0;
        xyz[3 * i + 2] = real(i / COLUMNS * CELL);
    }
    p.particles = sn_particles_add(p.world, count, xyz, 0, 1);
    free(xyz);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t column = i % COLUMNS, row = i / COLUMNS;
        const bool side = h->rows > 1 && (row == 0 || row + 1 == h->rows), end = column + 1 == COLUMNS;
        const double share = (side ? 0.5 : 1) * (end ? 0.5 : 1);
        assert_ok(p.world, sn_particle_set_mass(p.world, sn_particles_at(p.particles, i),
                                                column < 2 && !h->free ? SN_IMMOVABLE : real(share * mass)));
        if (column + 1 < COLUMNS)
            add_rod(&p, h, i, i + 1);
        if (row + 1 < h->rows)
            add_rod(&p, h, i, i + COLUMNS);
        if (column + 1 < COLUMNS && row + 1 < h->rows) {
            add_rod(&p, h, i, i + COLUMNS + 1);
            add_rod(&p, h, i + 1, i + COLUMNS);
        }
    }
    if (h->rows > 1)
        add_hinges(&p, h);
    else
        add_angles(&p, h);
    return p;
}

static void run(const plate *p, const how *h, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; ++i)
        assert_ok(p->world, sn_world_step(p->world, real(h->step > 0 ? h->step : 1.0 / 60)));
}

/* m: how far the end is down, in the middle of its width. */
static double sag(const plate *p)
{
    return -(double)sn_particle_position(p->world, sn_particles_at(p->particles, at(COLUMNS - 1, p->rows / 2))).y;
}

static double sag_after(const how *h, double seconds)
{
    plate p = make(h);
    run(&p, h, (uint32_t)(seconds / (h->step > 0 ? h->step : 1.0 / 60) + 0.5));
    const double result = sag(&p);
    sn_world_destroy(p.world);
    return result;
}

static void assert_told(const plate *p, bool is)
{
    sn_report report;
    assert_ok(p->world, sn_world_report(p->world, &report));
    if (!strstr(report.meshes, "is solved at once") == is)
        fail_msg("meshes: '%s', %d", report.meshes, is);
}

/* ---- Known answers ------------------------------------------------------------------------------------------------------------ */

/* A cantilever under its own weight sags by q L^4 / (8 D). The hinge at the clamp stands for half a cell more, which makes it longer by half a cell. */
static double right_sag(const how *h)
{
    return h->ratio * pow(LENGTH + CELL / 2, 4) / 8;
}

static void test_cantilevers_sag_as_they_should(void **state)
{
    (void)state;
    static const how cases[] = {
        {.rows = 1, .stiff = 6, .ratio = 0.25},
        {.rows = 1, .stiff = 6000, .ratio = 0.25, .substeps = 3},
        {.rows = 1, .stiff = 0.01, .ratio = 0.25, .step = 1.0 / 30},
        {.rows = ROWS, .kind = SN_KIND_BENDING, .stiff = 180, .ratio = 0.25},
        {.rows = ROWS, .kind = SN_KIND_BENDING, .stiff = 1.8, .ratio = 0.25, .step = 1.0 / 30},
        {.rows = ROWS, .kind = SN_KIND_BENDING, .stiff = 180, .ratio = 0.25, .substeps = 3},
        {.rows = ROWS, .kind = SN_KIND_DIHEDRAL, .stiff = 180, .ratio = 0.25},
        {.rows = ROWS, .kind = SN_KIND_DIHEDRAL, .stiff = 180, .ratio = 0.25, .step = 1.0 / 120},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); ++i) {
        how h = cases[i];
        h.damping = 3;
        const double now = sag_after(&h, 4), right = right_sag(&h);
        print_message("%s: sags by %.2f mm, %.2f is right\n",
                      h.rows == 1                 ? "line"
                      : h.kind == SN_KIND_BENDING ? "sheet, bending"
                                                  : "sheet, dihedral",
                      1e3 * now, 1e3 * right);
        assert_close(now, right, 0.01 * right);
    }
}

/* A line that was bent when it was made, and keeps its angles, stands as it is where nothing pulls. */
static void test_bent_line_keeps_its_shape(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    sn_world *world = support_world_from(&def);
    sn_particle last[3] = {{0}};
    double far = 0;
    for (uint32_t i = 0; i < 20; ++i) { /* half a circle of 1 m */
        const double angle = 3.14159265 * i / 19;
        const sn_particle p = sn_particle_add_at(world, vec(cos(angle), sin(angle), 0), real(0.1));
        if (i > 0)
            sn_constraint_add_distance(world, sn_at(last[0]), sn_at(p), SN_MEASURE);
        if (i > 1) {
            const sn_constraint c =
                sn_constraint_add_angle(world, sn_at(last[1]), sn_at(last[0]), sn_at(p), SN_MEASURE);
            assert_ok(world, sn_constraint_set_material(world, c, (sn_material){.compliance = real(1e-5)}));
        }
        last[1] = last[0];
        last[0] = p;
    }
    for (uint32_t f = 0; f < 60; ++f)
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    for (uint32_t i = 0; i < 20; ++i) {
        const double angle = 3.14159265 * i / 19;
        const double gap =
            support_gap(sn_particle_position(world, sn_particle_from_index(world, i)), vec(cos(angle), sin(angle), 0));
        far = gap > far ? gap : far;
    }
    assert_true(far < 1e-4);
    sn_world_destroy(world);
}

/* ---- Motion ------------------------------------------------------------------------------------------------------------------- */

/* Let go without damping, kinetic and potential energy never are above what they were. */
static void test_no_energy_is_gained(void **state)
{
    (void)state;
    static const uint32_t substeps[] = {1, 3, 10, 40};
    for (uint32_t i = 0; i < COUNT_OF(substeps); ++i)
        for (uint32_t kind = 0; kind < 3; ++kind) {
            const how h = {.rows = kind ? ROWS : 1,
                           .kind = kind == 1 ? SN_KIND_BENDING : SN_KIND_DIHEDRAL,
                           .stiff = 20,
                           .ratio = 2,
                           .substeps = substeps[i]};
            plate p = make(&h);
            sn_report report;
            assert_ok(p.world, sn_world_report(p.world, &report));
            const double start = report.potential;
            double most = -HUGE_VAL, least = HUGE_VAL;
            for (uint32_t f = 0; f < support_rounds(1200, 60); ++f) {
                run(&p, &h, 1);
                assert_ok(p.world, sn_world_report(p.world, &report));
                const double now = report.kinetic + report.potential - start;
                most = now > most ? now : most;
                least = now < least ? now : least;
            }
            if (!(most <= 1e-3 * (most - least)))
                fail_msg("%u substeps, case %u: rises by %g J, where it falls by %g", substeps[i], kind, most, -least);
            sn_world_destroy(p.world);
        }
}

/* One that nothing holds keeps momentum and angular momentum, while it bends and turns. */
static void test_free_ones_keep_momentum(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 3; ++kind) {
        const how h = {.rows = kind ? ROWS : 1,
                       .kind = kind == 1 ? SN_KIND_BENDING : SN_KIND_DIHEDRAL,
                       .stiff = 20,
                       .ratio = 0.5,
                       .free = true};
        plate p = make(&h);
        sn_report report;
        double before[6] = {0}, size = 0, spin = 0;
        for (uint32_t i = 0; i < COLUMNS * h.rows; ++i) {
            const sn_particle one = sn_particles_at(p.particles, i);
            const sn_vec3 x = sn_particle_position(p.world, one);
            assert_ok(p.world,
                      sn_particle_set_velocity(p.world, one,
                                               vec(-2 * (double)x.z, 3 * (double)x.x * (double)x.x, 2 * (double)x.x)));
        }
        for (uint32_t f = 0; f <= 60; ++f) {
            assert_ok(p.world, sn_world_report(p.world, &report));
            for (uint32_t k = 0; k < 3 && f == 0; ++k) {
                before[k] = report.momentum[k];
                before[3 + k] = report.angular_momentum[k];
                size += fabs(before[k]);
                spin += fabs(before[3 + k]);
            }
            run(&p, &h, 1);
        }
        for (uint32_t k = 0; k < 3; ++k) {
            assert_close(report.momentum[k], before[k], 1e-4 * size);
            assert_close(report.angular_momentum[k], before[3 + k], 0.02 * spin);
        }
        assert_told(&p, true);
        sn_world_destroy(p.world);
    }
}

/* ---- What it must not depend on ------------------------------------------------------------------------------------------------ */

static uint64_t hash_after(const how *h, bool reloads)
{
    plate p = make(h);
    run(&p, h, 5);
    if (reloads) {
        sn_snapshot *snapshot = sn_world_save(p.world);
        assert_non_null(snapshot);
        sn_world_def def = sn_default_world_def();
        sn_world *other = support_world_from(&def);
        assert_ok(other, sn_world_load(other, snapshot));
        sn_snapshot_destroy(snapshot);
        sn_world_destroy(p.world);
        p.world = other;
    }
    run(&p, h, 5);
    const uint64_t hash = sn_world_hash(p.world);
    sn_world_destroy(p.world);
    return hash;
}

static void test_threads_widths_and_loading_change_nothing(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 3; ++kind) {
        how h = {.rows = kind ? ROWS : 1,
                 .kind = kind == 1 ? SN_KIND_BENDING : SN_KIND_DIHEDRAL,
                 .stiff = 20,
                 .ratio = 2,
                 .damping = 1,
                 .loss = kind == 2 ? 0.01 : 0};
        const uint64_t right = hash_after(&h, false);
        assert_int_equal(hash_after(&h, true), right);
        h.threads = 4;
        assert_int_equal(hash_after(&h, false), right);
        h.threads = 1;
        h.simd = SN_SIMD_SCALAR;
        assert_int_equal(hash_after(&h, false), right);
    }
}

/* ---- Edits -------------------------------------------------------------------------------------------------------------------- */

/* Soft ones are left to sweeps, and all where stiffening is off. */
static void test_which_are_solved_at_once(void **state)
{
    (void)state;
    how h = {.rows = ROWS, .kind = SN_KIND_BENDING, .stiff = 20, .ratio = 0.5};
    plate p = make(&h);
    run(&p, &h, 1);
    assert_told(&p, true);
    sn_world_destroy(p.world);
    h.off = true;
    p = make(&h);
    run(&p, &h, 1);
    assert_told(&p, false);
    sn_world_destroy(p.world);
    h = (how){.rows = ROWS, .kind = SN_KIND_BENDING, .stiff = 1e-6, .ratio = 5e4};
    p = make(&h);
    run(&p, &h, 1);
    assert_told(&p, false);
    h.step = 2; /* in steps that long they are stiff */
    run(&p, &h, 1);
    assert_told(&p, true);
    sn_world_destroy(p.world);
}

static void assert_words(sn_world *world, const char *words)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    if (!strstr(report.meshes, words))
        fail_msg("meshes: '%s', not '%s'", report.meshes, words);
}

/* The report says why others are not, and how many substeps would do. */
static void test_why_others_are_swept_is_told(void **state)
{
    (void)state;
    how h = {.rows = 1, .stiff = 6, .ratio = 0.25};
    plate p = make(&h);
    assert_ok(p.world, sn_constraint_set_strength(p.world, p.hinge, 1000, 0));
    run(&p, &h, 1);
    assert_told(&p, true);
    assert_words(p.world, "bending at 1 hinge is left to sweeps");
    assert_words(p.world, "it can break or tear there");
    sn_world_destroy(p.world);

    h.pulls = true;
    p = make(&h);
    run(&p, &h, 1);
    assert_told(&p, false);
    assert_words(p.world, "not all edges there are rods");
    sn_report report;
    assert_ok(p.world, sn_world_report(p.world, &report));
    const char *need = strstr(report.meshes, "which need ");
    assert_non_null(need);
    assert_true(atoi(need + strlen("which need ")) > 10);
    sn_world_destroy(p.world);
}

/* Where a hinge is removed it folds: what is beyond hangs down. And one that is let go falls. */
static void test_edits_are_followed(void **state)
{
    (void)state;
    const how h = {.rows = 1, .stiff = 6, .ratio = 0.25, .damping = 3};
    plate p = make(&h);
    run(&p, &h, 60);
    const double before = sag(&p);
    assert_ok(p.world, sn_constraint_remove(p.world, p.hinge)); /* the last one */
    run(&p, &h, 120);
    assert_close(sag(&p), before + CELL, 0.2 * CELL);
    for (uint32_t i = 0; i < 2; ++i)
        assert_ok(p.world, sn_particle_set_mass(p.world, sn_particles_at(p.particles, i), real(0.01)));
    run(&p, &h, 60);
    assert_true(sag(&p) > before + 1);
    sn_world_destroy(p.world);
}

static void test_warm_steps_allocate_nothing(void **state)
{
    (void)state;
    support_memory memory = {0};
    const how h = {.rows = ROWS, .kind = SN_KIND_DIHEDRAL, .stiff = 20, .ratio = 0.5, .memory = &memory};
    plate p = make(&h);
    run(&p, &h, 2);
    const uint64_t before = memory.requests;
    run(&p, &h, 5);
    assert_ok(p.world, sn_particle_set_mass(p.world, sn_particles_at(p.particles, COLUMNS - 1), real(0.3)));
    run(&p, &h, 2);
    assert_true(memory.requests == before);
    sn_world_destroy(p.world);
}

/* A first step in which memory runs out changes nothing, whichever request fails. */
static void test_step_without_memory_changes_nothing(void **state)
{
    (void)state;
    uint32_t failed = 0;
    for (bool again = true; again; failed += again) {
        support_memory memory = {0};
        const how h = {.rows = 3, .kind = SN_KIND_DIHEDRAL, .stiff = 20, .ratio = 0.5, .memory = &memory};
        plate p = make(&h);
        const uint64_t before = sn_world_hash(p.world);
        memory.fail_at = memory.requests + failed + 1;
        again = ran_out(p.world, before, sn_world_step(p.world, real(1 / 60.0)));
        memory.fail_at = 0;
        if (again)
            run(&p, &h, 1);
        assert_told(&p, true);
        sn_world_destroy(p.world);
        assert_memory_clean(&memory);
    }
    assert_true(failed > 30); /* plates alone ask for so many blocks */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cantilevers_sag_as_they_should),
        cmocka_unit_test(test_bent_line_keeps_its_shape),
        cmocka_unit_test(test_no_energy_is_gained),
        cmocka_unit_test(test_free_ones_keep_momentum),
        cmocka_unit_test(test_threads_widths_and_loading_change_nothing),
        cmocka_unit_test(test_which_are_solved_at_once),
        cmocka_unit_test(test_why_others_are_swept_is_told),
        cmocka_unit_test(test_edits_are_followed),
        cmocka_unit_test(test_warm_steps_allocate_nothing),
        cmocka_unit_test(test_step_without_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
