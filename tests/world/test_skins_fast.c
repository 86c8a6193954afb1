/* Bullets and cloth: nothing passes a sheet, however heavy and fast it is, and whatever the sheet does. */
#include "world/contact_worlds.h"

#include <string.h>

enum { SIDE = 17, NODES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) + 8 };

#define BULLET  300.0              /* m/s */
#define WEIGHT  (0.4 / NODES)      /* kg: of a particle of cloth */
#define SPACING (1.0 / (SIDE - 1)) /* m */
#define APRON   40.0               /* m */

/* A square metre of cloth in the plane z = 0 about the origin, clamped along its border to a plate that stands and reaches APRON
   far: nobody comes around it. */
typedef struct range {
    sn_world *world;
    uint32_t triangle[3 * TRIANGLES];
} range;

static void join(sn_world *world, sn_particles run, int i, int k, double compliance)
{
    sn_constraint rod = sn_constraint_add_distance(world, sn_at(sn_particles_at(run, (uint32_t)i)),
                                                   sn_at(sn_particles_at(run, (uint32_t)k)), SN_MEASURE);
    assert_ok(world, sn_constraint_set_material(world, rod, (sn_material){real(compliance), 0}));
}

static void weave(sn_world *world, sn_particles run, double compliance)
{
    for (int i = 0; i < NODES; ++i) {
        int x = i % SIDE, y = i / SIDE;
        if (x + 1 < SIDE)
            join(world, run, i, i + 1, compliance);
        if (y + 1 < SIDE)
            join(world, run, i, i + SIDE, compliance);
        if (x + 1 < SIDE && y + 1 < SIDE) {
            join(world, run, i, i + SIDE + 1, compliance);
            join(world, run, i + 1, i + SIDE, compliance);
        }
    }
}

static sn_skin add_skin(range *r, double thickness, bool one_sided)
{
    sn_skin_def def = sn_default_skin_def();
    sn_skin skin;
    def.triangles = r->triangle;
    def.triangle_count = TRIANGLES;
    def.thickness = real(thickness);
    def.one_sided = one_sided;
    assert_ok(r->world, sn_skin_add(r->world, &def, &skin));
    return skin;
}

/* Around the four corners of the cloth. */
static void add_plate(range *r)
{
    const uint32_t inner[4] = {0, SIDE - 1, NODES - 1, NODES - SIDE};
    uint32_t outer[4], *to = r->triangle + 3 * (TRIANGLES - 8);
    for (int k = 0; k < 4; ++k)
        outer[k] = sn_particle_add_at(r->world, vec(k == 1 || k == 2 ? APRON : -APRON, k >= 2 ? APRON : -APRON, 0),
                                      SN_IMMOVABLE)
                       .index;
    for (int k = 0; k < 4; ++k) {
        int n = (k + 1) % 4;
        const uint32_t corner[6] = {inner[k], outer[k], outer[n], inner[k], outer[n], inner[n]};
        memcpy(to + 6 * k, corner, sizeof corner);
    }
}

/* In an empty world; the front of the skin is at z > 0. */
static range make_range(sn_world *world, uint32_t substeps, double compliance, double thickness, bool one_sided)
{
    range r = {.world = world};
    sn_settings settings = sn_world_settings(world);
    sn_real xyz[3 * NODES];
    settings.substeps = substeps;
    assert_ok(world, sn_world_configure(world, &settings));
    for (int i = 0; i < NODES; ++i) {
        xyz[3 * i] = real(SPACING * (i % SIDE) - 0.5);
        xyz[3 * i + 1] = real(SPACING * (i / SIDE) - 0.5);
        xyz[3 * i + 2] = 0;
    }
    sn_particles run = sn_particles_add(world, NODES, xyz, 0, real(WEIGHT));
    for (int i = 0; i < NODES; ++i)
        if (i % SIDE == 0 || i % SIDE == SIDE - 1 || i / SIDE == 0 || i / SIDE == SIDE - 1)
            assert_ok(world, sn_particle_set_mass(world, sn_particles_at(run, (uint32_t)i), SN_IMMOVABLE));
    weave(world, run, compliance);
    for (uint32_t i = 0, at = 0; i < NODES - SIDE; ++i) {
        uint32_t a = run.first + i, corner[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
        if (i % SIDE + 1 == SIDE)
            continue;
        memcpy(r.triangle + at, corner, sizeof corner);
        at += 6;
    }
    add_plate(&r);
    add_skin(&r, thickness, one_sided);
    return r;
}

static sn_particle fire(sn_world *world, sn_vec3 at, sn_vec3 velocity, double mass, double radius)
{
    sn_particle p = flying_ball(world, at, velocity, mass, radius);
    assert_ok(world, sn_particle_set_group(world, p, 1));
    return p;
}

/* How often the line from a place along (x, y, 1) goes through the sheet: from in front of it an even number of times. */
static uint32_t crossings(const range *r, sn_vec3 from, double x, double y)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < TRIANGLES; ++t) {
        double q[3][3];
        for (int k = 0; k < 3; ++k) {
            sn_vec3 p = place(r->world, sn_particle_from_index(r->world, r->triangle[3 * t + (uint32_t)k]));
            q[k][2] = (double)p.z - (double)from.z;
            q[k][0] = (double)p.x - (double)from.x - x * q[k][2];
            q[k][1] = (double)p.y - (double)from.y - y * q[k][2];
        }
        double a = q[1][0] * q[2][1] - q[1][1] * q[2][0], b = q[2][0] * q[0][1] - q[2][1] * q[0][0];
        double c = q[0][0] * q[1][1] - q[0][1] * q[1][0];
        if ((a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0))
            count += (a * q[0][2] + b * q[1][2] + c * q[2][2]) / (a + b + c) > 0;
    }
    return count;
}

/* By most of three lines, since one may hit an edge. */
static bool is_behind(const range *r, sn_vec3 p)
{
    uint32_t odd = crossings(r, p, 0, 0) % 2 + crossings(r, p, 1e-4, 2e-4) % 2 + crossings(r, p, -1.3e-4, 1e-4) % 2;
    return odd >= 2;
}

static bool is_here(sn_vec3 p)
{
    return length(p) < APRON / 2;
}

/* Aimed at a face, an edge or a corner, straight or aslant, so that it is met anywhere in a substep. */
static sn_particle shoot(range *r, uint32_t shot, double ratio, double radius, uint64_t *seed)
{
    double x = support_random_in(seed, -0.25, 0.25), y = support_random_in(seed, -0.25, 0.25);
    double dx = support_random_in(seed, -0.25, 0.25), dy = support_random_in(seed, -0.25, 0.25);
    double away = support_random_in(seed, 0.3, 5.3);
    if (shot % 3 == 0)
        dx = dy = 0;
    if (shot % 4 == 1 || shot % 4 == 2)
        x = SPACING * floor(x / SPACING);
    if (shot % 4 == 1)
        y = SPACING * floor(y / SPACING);
    double size = sqrt(dx * dx + dy * dy + 1);
    return fire(r->world, vec(x - away * dx / size, y - away * dy / size, away / size),
                vec(BULLET * dx / size, BULLET * dy / size, -BULLET / size), ratio * WEIGHT, radius);
}

/* It may take the cloth along, but never gets behind it; and it does hit it. */
static void check_shots(uint32_t substeps, double ratio, double radius, double thickness)
{
    uint64_t seed = 7;
    for (uint32_t shot = 0, shots = support_rounds(support_long(6, 4), 2); shot < shots; ++shot) {
        range r = make_range(support_void(), substeps, shot % 2 ? 1e-4 : 0, thickness, false);
        sn_particle p = shoot(&r, shot, ratio, radius, &seed);
        bool hit = false;
        for (int frame = 0; frame < 12 && is_here(place(r.world, p)); ++frame) {
            support_run(r.world, 1, FRAME);
            sn_vec3 x = place(r.world, p);
            bool passed = is_here(x) && is_behind(&r, x);
            if (passed)
                print_message("shot %u passes in frame %d: %u substeps, %g times as heavy, radius %g, thickness %g\n",
                              shot, frame, substeps, ratio, radius, thickness);
            assert_false(passed);
            hit = hit || fabs(length(speed(r.world, p)) - BULLET) > 1e-3;
        }
        assert_true(hit || !is_here(place(r.world, p)));
        sn_world_destroy(r.world);
    }
}

static void bullets_do_not_pass(void **state)
{
    (void)state;
    static const double ratio[] = {1, 10, 100, 1000};
    for (size_t i = 0; i < COUNT_OF(ratio); ++i)
        for (uint32_t few = support_long(0, i % 2); few < support_long(2, i % 2 + 1); ++few) {
            check_shots(few ? 4 : 10, ratio[i], 0, 0);
            check_shots(few ? 4 : 10, ratio[i], 0.01, 0);
            check_shots(few ? 4 : 10, ratio[i], 1e-3, 0.005);
        }
}

/* The same with other ways to take a step. */
static void bullets_do_not_pass_other_solvers(void **state)
{
    (void)state;
    for (int i = 0; i < 6; ++i) {
        static const sn_solver solver[] = {SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_JACOBI, SN_SOLVER_TILED};
        static const sn_integrator integrator[] = {SN_INTEGRATOR_SYMPLECTIC_EULER, SN_INTEGRATOR_VERLET};
        uint64_t seed = 3;
        for (uint32_t shot = 0; shot < support_rounds(4, 1); ++shot) {
            range r = make_range(support_void(), 5, 1e-5, 0, false);
            sn_settings settings = sn_world_settings(r.world);
            settings.solver = solver[i % 3];
            settings.integrator = integrator[i / 3];
            settings.iterations = 2;
            assert_ok(r.world, sn_world_configure(r.world, &settings));
            sn_particle p = shoot(&r, shot, 30, 0.005, &seed);
            for (int frame = 0; frame < 10 && is_here(place(r.world, p)); ++frame) {
                support_run(r.world, 1, FRAME);
                assert_false(is_here(place(r.world, p)) && is_behind(&r, place(r.world, p)));
            }
            sn_world_destroy(r.world);
        }
    }
}

/* Cloth that a bullet throws at bystanders, which nobody looked for when the step began: they are pushed along. */
static void bystanders_stay_behind(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (uint32_t shot = 0; shot < support_rounds(6, 2); ++shot) {
        range r = make_range(support_void(), 10, 1e-4, 0, false);
        sn_particle other[9];
        for (int i = 0; i < 9; ++i)
            other[i] = fire(r.world, vec(0.05 * (i % 3 - 1), 0.05 * (i / 3 - 1), -0.02 - 0.01 * i), vec(0, 0, 0),
                            WEIGHT, i % 2 ? 0 : 2e-3);
        sn_vec3 at = vec(support_random_in(&seed, -0.05, 0.05), support_random_in(&seed, -0.05, 0.05), 1 + 0.1 * shot);
        fire(r.world, at, vec(0, 0, -BULLET), 20 * WEIGHT, 0.01);
        bool moved = false;
        for (int frame = 0; frame < 10; ++frame) {
            support_run(r.world, 1, FRAME);
            for (int i = 0; i < 9; ++i) {
                sn_vec3 x = place(r.world, other[i]);
                assert_true(!is_here(x) || is_behind(&r, x));
                moved = moved || length(speed(r.world, other[i])) > 1;
            }
        }
        assert_true(moved);
        sn_world_destroy(r.world);
    }
}

/* A skin with a front only lets pass what comes from behind, and nothing else. */
static void one_sided_skins(void **state)
{
    (void)state;
    for (int behind = 0; behind < 2; ++behind)
        for (int slow = 0; slow < 2; ++slow) {
            range r = make_range(support_void(), 10, 0, 0.002, true);
            double from = behind ? -0.3 : 0.3, v = slow ? 3 : BULLET;
            sn_particle p = fire(r.world, vec(0.013, 0.021, from), vec(0, 0, behind ? v : -v), WEIGHT, 0.001);
            support_run(r.world, slow ? 20 : 3, FRAME);
            assert_true(!is_behind(&r, place(r.world, p)));
            if (behind) { /* as if nothing were there */
                assert_true((double)place(r.world, p).z > 0.3);
                assert_close(speed(r.world, p).z, v, 0.05 * v);
            } else {
                assert_true(fabs((double)speed(r.world, p).z) < 0.9 * v);
            }
            sn_world_destroy(r.world);
        }
}

/* A sheet that is led at 100 m/s bats what is in its way, wherever it meets it. */
static void led_sheets_push(void **state)
{
    (void)state;
    for (int solver = 0; solver < 2; ++solver) {
        sn_world *world = support_void();
        sn_settings settings = sn_world_settings(world);
        settings.solver = solver ? SN_SOLVER_GAUSS_SEIDEL : SN_SOLVER_TILED;
        settings.substeps = 4;
        assert_ok(world, sn_world_configure(world, &settings));
        range r = {.world = world};
        sn_particle corner[4], p[5];
        for (int k = 0; k < 4; ++k)
            corner[k] = ball(world, vec(k % 2 - 0.5, k / 2 - 0.5, 0), 1, 0);
        const uint32_t index[6] = {corner[0].index, corner[1].index, corner[2].index,
                                   corner[1].index, corner[3].index, corner[2].index};
        sn_skin_def def = sn_default_skin_def();
        def.triangles = index;
        def.triangle_count = 2;
        assert_ok(world, sn_skin_add(r.world, &def, NULL));
        for (int i = 0; i < 5; ++i)
            p[i] = fire(world, vec(0.1 * i - 0.2, 0.05 * i, 1 + 0.3 * i), vec(0, 0, 0), 1, i % 2 ? 0.01 : 0);
        for (int step = 1; step <= 3; ++step) {
            for (int k = 0; k < 4; ++k)
                assert_ok(world,
                          sn_particle_move_to(world, corner[k], vec(k % 2 - 0.5, k / 2 - 0.5, 100 * FRAME * step)));
            support_run(world, 1, FRAME);
        }
        for (int i = 0; i < 5; ++i) {
            assert_true((double)place(world, p[i]).z > 100 * FRAME * 3);
            assert_close(speed(world, p[i]).z, 100, 1);
        }
        sn_world_destroy(world);
    }
}

static range busy_range(sn_world *world)
{
    range r = make_range(world, 8, 1e-4, 0.001, false);
    uint64_t seed = 9;
    for (uint32_t i = 0; i < 12; ++i)
        shoot(&r, i, i % 3 ? 5 : 50, i % 2 ? 0.005 : 0, &seed);
    return r;
}

/* Threads and snapshots change nothing, however often contacts are looked for again. */
static void same_on_all_threads(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        sn_world_def def = sn_default_world_def();
        def.threads = threads;
        sn_world *world = support_world_from(&def), *other = support_world();
        busy_range(world);
        support_run(world, 3, FRAME);
        sn_snapshot *saved = sn_world_save(world);
        assert_non_null(saved);
        support_run(world, 6, FRAME);
        uint64_t hash = sn_world_hash(world);
        expected = threads == 1 ? hash : expected;
        assert_true(hash == expected);
        assert_ok(other, sn_world_load(other, saved));
        support_run(other, 6, FRAME);
        assert_true(sn_world_hash(other) == hash);
        sn_snapshot_destroy(saved);
        sn_world_destroy(world);
        sn_world_destroy(other);
    }
}

/* Each request for memory of a few steps fails once, also those within a step: it is then as if it had not been taken, and the next
   try works. */
static void memory_fails(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint64_t n = 0;; n += support_long(2, 83)) {
        support_memory memory = {.fail_at = 0};
        sn_world_def def = sn_default_world_def();
        def.allocator = support_allocator(&memory);
        def.threads = 1;
        sn_world *world = support_world_from(&def);
        busy_range(world);
        memory.fail_at = n ? memory.requests + n : 0;
        for (int i = 0; i < 3; ++i) {
            uint64_t hash = sn_world_hash(world);
            sn_result result = sn_world_step(world, real(FRAME));
            if (result == SN_OK)
                continue;
            assert_int_equal(result, SN_ERROR_MEMORY);
            assert_says(sn_world_error(world), "memory");
            assert_true(sn_world_hash(world) == hash);
            --i;
        }
        expected = n ? expected : sn_world_hash(world);
        assert_true(sn_world_hash(world) == expected);
        bool failed = memory.failures > 0;
        sn_world_destroy(world);
        assert_memory_clean(&memory);
        if (n && !failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bullets_do_not_pass),    cmocka_unit_test(bullets_do_not_pass_other_solvers),
        cmocka_unit_test(bystanders_stay_behind), cmocka_unit_test(one_sided_skins),
        cmocka_unit_test(led_sheets_push),        cmocka_unit_test(same_on_all_threads),
        cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests_name("fast particles and skins", tests, NULL, NULL);
}
