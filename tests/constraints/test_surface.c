/* Closed surfaces that keep their volume: a balloon squeezed between two plates, inflated, thrown, held, and by both
   ways of keeping it. */
#include "slopes.h"

/* ---- An icosphere
   ----------------------------------------------------------------------------------------------------- */

enum { BALL_MOST = 162, BALL_TRIANGLES = 320 };

typedef struct ball {
    sn_world *world;
    uint32_t count;         /* corners */
    double x[BALL_MOST][3]; /* of a sphere of radius 1 about the origin */
    uint32_t triangles;
    uint32_t index[3 * BALL_TRIANGLES];
    sn_particles particles;
    sn_constraint surface;
} ball;

static uint32_t add_corner(ball *b, const double *x)
{
    double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (uint32_t i = 0; i < b->count; ++i)
        if (fabs(b->x[i][0] - x[0] / length) + fabs(b->x[i][1] - x[1] / length) + fabs(b->x[i][2] - x[2] / length) <
            1e-6)
            return i;
    for (uint32_t i = 0; i < 3; ++i)
        b->x[b->count][i] = x[i] / length;
    return b->count++;
}

static uint32_t add_middle(ball *b, uint32_t i, uint32_t j)
{
    double x[3] = {b->x[i][0] + b->x[j][0], b->x[i][1] + b->x[j][1], b->x[i][2] + b->x[j][2]};
    return add_corner(b, x);
}

/* Every triangle becomes four. */
static void refine(ball *b)
{
    uint32_t old[3 * BALL_TRIANGLES], count = b->triangles;
    memcpy(old, b->index, sizeof old);
    b->triangles = 0;
    for (uint32_t t = 0; t < count; ++t) {
        uint32_t p = old[3 * t], q = old[3 * t + 1], r = old[3 * t + 2];
        uint32_t pq = add_middle(b, p, q), qr = add_middle(b, q, r), rp = add_middle(b, r, p);
        const uint32_t four[] = {p, pq, rp, pq, q, qr, rp, qr, r, pq, qr, rp};
        memcpy(b->index + 3 * b->triangles, four, sizeof four);
        b->triangles += 4;
    }
}

/* The icosahedron, refined so many times: 12, 42 or 162 corners. */
static ball make_sphere(uint32_t refinements)
{
    static ball b;
    const double g = (1 + sqrt(5)) / 2;
    const double corners[12][3] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    static const uint32_t faces[] = {0, 11, 5,  0, 5,  1, 0, 1, 7, 0, 7,  10, 0, 10, 11, 1, 5, 9, 5, 11,
                                     4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3,  9,  4, 3,  4,  2, 3, 2, 6, 3,
                                     6, 8,  3,  8, 9,  4, 9, 5, 2, 4, 11, 6,  2, 10, 8,  6, 7, 9, 8, 1};
    memset(&b, 0, sizeof b);
    for (uint32_t i = 0; i < 12; ++i)
        add_corner(&b, corners[i]);
    b.triangles = 20;
    memcpy(b.index, faces, sizeof faces);
    for (uint32_t i = 0; i < refinements; ++i)
        refine(&b);
    return b;
}

static double volume_of(const ball *b)
{
    double sum = 0;
    for (uint32_t t = 0; t < b->triangles; ++t) {
        double x[3][3];
        for (uint32_t i = 0; i < 3; ++i) {
            sn_vec3 p = sn_particle_position(b->world, sn_particles_at(b->particles, b->index[3 * t + i]));
            x[i][0] = (double)p.x;
            x[i][1] = (double)p.y;
            x[i][2] = (double)p.z;
        }
        for (uint32_t i = 0; i < 3; ++i)
            sum += x[0][i] * (x[1][(i + 1) % 3] * x[2][(i + 2) % 3] - x[1][(i + 2) % 3] * x[2][(i + 1) % 3]) / 6;
    }
    return sum;
}

/* A ball of radius 1 m and mass 1 kg, its skin of elastic rods along the edges; the surface is not added yet. */
static ball make_ball(uint32_t refinements, sn_vec3 centre, double skin_compliance)
{
    ball b = make_sphere(refinements);
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    b.world = support_world_from(&def);
    sn_real xyz[3 * BALL_MOST];
    for (uint32_t i = 0; i < b.count; ++i) {
        xyz[3 * i] = centre.x + real(b.x[i][0]);
        xyz[3 * i + 1] = centre.y + real(b.x[i][1]);
        xyz[3 * i + 2] = centre.z + real(b.x[i][2]);
    }
    b.particles = sn_particles_add(b.world, b.count, xyz, 0, real(1.0 / b.count));
    assert_int_equal(b.particles.count, b.count);
    const sn_material skin = {real(skin_compliance), 1};
    for (uint32_t i = 0; skin_compliance > 0 && i < 3 * b.triangles; ++i) {
        uint32_t edge[] = {b.index[i], b.index[i % 3 == 2 ? i - 2 : i + 1]};
        if (edge[0] < edge[1]) /* each edge is met in both directions */
            assert_int_equal(sn_constraints_add_kind(b.world, SN_KIND_DISTANCE, 1, edge, NULL, &skin).count, 1);
    }
    return b;
}

static void add_surface(ball *b, uint32_t kind, double pressure)
{
    b->surface = sn_constraint_add_surface(b->world, kind, b->triangles, b->index, SN_MEASURE, real(pressure));
    if (!sn_constraint_is_valid(b->world, b->surface))
        fail_msg("%s", sn_world_error(b->world));
}

/* ---- The formula
   -------------------------------------------------------------------------------------------------------- */

static void gradients(void **state)
{
    (void)state;
    uint64_t seed = 11;
    ball b = make_sphere(0);
    const double sizes[] = {1e-3, 1, 1e3};
    for (size_t s = SINEW_DOUBLE ? 0 : 1; s < (SINEW_DOUBLE ? COUNT_OF(sizes) : 2); ++s)
        for (uint32_t n = 0; n < 20; ++n) {
            sn_vec3 x[60];
            double corner[12][3], size = sizes[s];
            sn_real param[2] = {real(size * size * size), real(1.5)};
            for (uint32_t i = 0; i < 12; ++i)
                for (uint32_t k = 0; k < 3; ++k)
                    corner[i][k] = size * (b.x[i][k] + support_random_in(&seed, -0.3, 0.3));
            for (uint32_t i = 0; i < 60; ++i)
                x[i] = vec(corner[b.index[i]][0], corner[b.index[i]][1], corner[b.index[i]][2]);
            assert_true(slopes_agree(SN_KIND_SURFACE_VOLUME, 60, x, param, size, 10 * size * size * size));
            slopes_sum_to_zero(SN_KIND_SURFACE_VOLUME, 60, x, param);
        }
}

/* The volume inside, far from the origin too; the formula of a tetrahedron, and 0 for C when measured. */
static void measures_the_volume(void **state)
{
    (void)state;
    const sn_vec3 centres[] = {vec(0, 0, 0), vec(100, -50, 30)};
    for (size_t i = 0; i < COUNT_OF(centres); ++i)
        for (uint32_t kind = SN_KIND_SURFACE_VOLUME; kind <= SN_KIND_SURFACE_SCALING; ++kind) {
            ball b = make_ball(2, centres[i], 0);
            add_surface(&b, kind, 1);
            sn_constraint_def def;
            static sn_point points[3 * BALL_TRIANGLES];
            sn_real c = 1;
            assert_ok(b.world, sn_constraint_read(b.world, b.surface, &def, points, COUNT_OF(points)));
            assert_int_equal(def.point_count, 960);
            assert_close(def.param[0], 4.0475, 1e-3); /* 4.19 of the sphere, less what 320 chords cut off */
            assert_close(def.param[0], volume_of(&b), SINEW_DOUBLE ? 1e-9 : (i ? 1e-1 : 1e-5));
            assert_ok(b.world, sn_constraint_value(b.world, b.surface, &c));
            assert_true(c == 0);
            sn_world_destroy(b.world);
        }
}

/* ---- A balloon
   ---------------------------------------------------------------------------------------------------------- */

/* Two plates come from 2 m to 1.4 m distance and back; between them the balloon keeps its volume, and bulges. */
static void squeeze(uint32_t kind, double tolerance, double *widest)
{
    ball b = make_ball(2, vec(0, 0, 0), 1e-3);
    sn_constraint *plates = malloc(2 * b.count * sizeof *plates);
    assert_non_null(plates);
    for (uint32_t i = 0; i < b.count; ++i) {
        sn_point p = sn_at(sn_particles_at(b.particles, i));
        plates[2 * i] = sn_constraint_add_half_space(b.world, p, vec(0, -1, 0), vec(0, 1, 0));
        plates[2 * i + 1] = sn_constraint_add_half_space(b.world, p, vec(0, 1, 0), vec(0, -1, 0));
    }
    add_surface(&b, kind, 1);
    sn_settings settings = sn_world_settings(b.world);
    settings.damping = 2;
    settings.iterations = 4;
    assert_ok(b.world, sn_world_configure(b.world, &settings));
    double start = volume_of(&b), worst = 0, y = 0;
    *widest = 0;
    for (uint32_t frame = 0; frame < 120; ++frame) {
        double gap = 1 - 0.3 * fmin(1, frame / 60.0);
        for (uint32_t i = 0; i < b.count; ++i) {
            const sn_real low[3] = {0, real(-gap), 0}, high[3] = {0, real(gap), 0};
            assert_ok(b.world, sn_constraint_set_param(b.world, plates[2 * i], "origin", low, 3));
            assert_ok(b.world, sn_constraint_set_param(b.world, plates[2 * i + 1], "origin", high, 3));
        }
        support_run(b.world, 1, 1.0 / 60);
        worst = fmax(worst, fabs(volume_of(&b) / start - 1));
    }
    for (uint32_t i = 0; i < b.count; ++i) {
        sn_vec3 x = sn_particle_position(b.world, sn_particles_at(b.particles, i));
        y = fmax(y, fabs((double)x.y));
        *widest = fmax(*widest, sqrt((double)x.x * (double)x.x + (double)x.z * (double)x.z));
    }
    print_message("%s: volume kept within %.2g %%, radius %.3f m, plates missed by %.1f mm\n",
                  sn_kind_info(NULL, kind)->name, 100 * worst, *widest, 1000 * (y - 0.7));
    assert_true(worst < tolerance);
    assert_true(y < 0.75);
    free(plates);
    sn_world_destroy(b.world);
}

static void balloon_keeps_its_volume(void **state)
{
    (void)state;
    double widest;
    squeeze(SN_KIND_SURFACE_VOLUME, 0.01, &widest);
    assert_true(widest > 1.04 && widest < 1.3);
    squeeze(SN_KIND_SURFACE_SCALING, 0.01, &widest);
    assert_true(widest > 1.04 && widest < 1.3);
}

/* Twice the pressure on a slack skin is twice the volume; the skin pulls some of it back if the constraint gives. */
static void pressure_inflates(void **state)
{
    (void)state;
    for (uint32_t kind = SN_KIND_SURFACE_VOLUME; kind <= SN_KIND_SURFACE_SCALING; ++kind) {
        ball b = make_ball(1, vec(0, 0, 0), 0.1);
        add_surface(&b, kind, 2);
        double start = volume_of(&b);
        sn_settings settings = sn_world_settings(b.world);
        settings.damping = 5;
        assert_ok(b.world, sn_world_configure(b.world, &settings));
        support_run(b.world, 120, 1.0 / 60);
        assert_close(volume_of(&b) / start, 2, 0.01);
        const sn_real less = real(0.5);
        assert_ok(b.world, sn_constraint_set_param(b.world, b.surface, "pressure", &less, 1));
        support_run(b.world, 120, 1.0 / 60);
        assert_close(volume_of(&b) / start, 0.5, 0.005);
        sn_world_destroy(b.world);
    }
}

/* A ball of uneven masses, thrown and spun: a pass that doubles its volume keeps the sum of m v, and one from rest
   that of x x m v as well. */
static void momenta_are_kept(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (uint32_t kind = SN_KIND_SURFACE_VOLUME; kind <= SN_KIND_SURFACE_SCALING; ++kind) {
        ball b = make_ball(1, vec(1, 2, -1), 0);
        sn_settings settings = sn_world_settings(b.world);
        settings.substeps = 1;
        assert_ok(b.world, sn_world_configure(b.world, &settings));
        double before[3][BALL_MOST];
        for (uint32_t i = 0; i < b.count; ++i) {
            sn_particle p = sn_particles_at(b.particles, i);
            sn_vec3 x = sn_particle_position(b.world, p);
            assert_ok(b.world, sn_particle_set_mass(b.world, p, real(support_random_in(&seed, 0.5, 2))));
            before[0][i] = (double)x.x;
            before[1][i] = (double)x.y;
            before[2][i] = (double)x.z;
        }
        add_surface(&b, kind, 2);
        support_run(b.world, 1, 1);
        double linear[3] = {0}, angular[3] = {0}, size = 0;
        for (uint32_t i = 0; i < b.count; ++i) {
            sn_particle p = sn_particles_at(b.particles, i);
            sn_vec3 v = sn_particle_velocity(b.world, p);
            double m = (double)sn_particle_mass(b.world, p),
                   mv[3] = {m * (double)v.x, m * (double)v.y, m * (double)v.z};
            for (uint32_t k = 0; k < 3; ++k) {
                linear[k] += mv[k];
                angular[k] += before[(k + 1) % 3][i] * mv[(k + 2) % 3] - before[(k + 2) % 3][i] * mv[(k + 1) % 3];
                size += fabs(mv[k]);
            }
        }
        assert_true(size > 1);
        for (uint32_t k = 0; k < 3; ++k) {
            assert_close(linear[k], 0, 0.2 * SUPPORT_ROUND_OFF * size);
            assert_close(angular[k], 0, SUPPORT_ROUND_OFF * size);
        }
        sn_world_destroy(b.world);
    }
}

/* Held at some corners, scaling goes about the middle of those, which stay, and still gets there. */
static void scaling_respects_immovable_particles(void **state)
{
    (void)state;
    for (uint32_t held = 1; held <= 3; held += 2) {
        ball b = make_ball(1, vec(0, 0, 0), 0);
        for (uint32_t i = 0; i < held; ++i)
            assert_ok(b.world, sn_particle_set_mass(b.world, sn_particles_at(b.particles, i), SN_IMMOVABLE));
        sn_vec3 fixed = sn_particle_position(b.world, sn_particles_at(b.particles, 0));
        add_surface(&b, SN_KIND_SURFACE_SCALING, 1.5);
        double start = volume_of(&b);
        sn_settings settings = sn_world_settings(b.world);
        settings.substeps = 1;
        settings.iterations = 20;
        assert_ok(b.world, sn_world_configure(b.world, &settings));
        support_run(b.world, 1, 1);
        assert_close(volume_of(&b) / start, 1.5, 1e-3);
        assert_vec_same(sn_particle_position(b.world, sn_particles_at(b.particles, 0)), fixed);
        sn_world_destroy(b.world);
    }
}

/* A surface turned inside out cannot be scaled right again: it rests. */
static void scaling_of_no_volume_rests(void **state)
{
    (void)state;
    ball b = make_ball(0, vec(0, 0, 0), 0);
    add_surface(&b, SN_KIND_SURFACE_SCALING, 1);
    for (uint32_t i = 0; i < b.count; ++i)
        assert_ok(b.world, sn_particle_set_position(b.world, sn_particles_at(b.particles, i),
                                                    vec(-b.x[i][0], -b.x[i][1], -b.x[i][2])));
    support_run(b.world, 1, 0.1);
    assert_vec_close(sn_particle_position(b.world, sn_particles_at(b.particles, 3)),
                     vec(-b.x[3][0], -b.x[3][1], -b.x[3][2]), 0);
    for (uint32_t i = 0; i < b.count; ++i)
        assert_ok(b.world, sn_particle_set_position(b.world, sn_particles_at(b.particles, i), vec(1, 1, 1)));
    support_run(b.world, 1, 0.1);
    assert_vec_same(sn_particle_position(b.world, sn_particles_at(b.particles, 3)), vec(1, 1, 1));
    sn_world_destroy(b.world);
}

/* ---- Bad surfaces
   ------------------------------------------------------------------------------------------------------- */

static void assert_refused(ball *b, uint32_t kind, const char *words)
{
    sn_constraint c = sn_constraint_add_surface(b->world, kind, b->triangles, b->index, SN_MEASURE, 1);
    assert_false(sn_constraint_is_valid(b->world, c));
    assert_says(sn_world_error(b->world), words);
    assert_int_equal(sn_world_constraint_count(b->world, SN_KIND_NONE), 0);
}

static void bad_surfaces_are_refused(void **state)
{
    (void)state;
    ball b = make_ball(0, vec(0, 0, 0), 0), whole = b;
    b.triangles = 19; /* the last one has the corners 9, 8 and 1 */
    assert_refused(&b, SN_KIND_SURFACE_VOLUME, "closed edge particles 1 triangle");
    b = whole;
    b.index[57] = 8; /* turned round */
    b.index[58] = 9;
    assert_refused(&b, SN_KIND_SURFACE_VOLUME, "triangles 19 opposite edge");
    b = whole;
    b.index[57] = b.index[58];
    assert_refused(&b, SN_KIND_SURFACE_SCALING, "triangle 19 particle 8 two");
    b = whole;
    b.index[5] = 4000;
    assert_refused(&b, SN_KIND_SURFACE_VOLUME, "triangle 1 particle 4000");
    b = whole;
    for (uint32_t t = 0; t < 20; ++t) { /* inside out */
        uint32_t swap = b.index[3 * t];
        b.index[3 * t] = b.index[3 * t + 1];
        b.index[3 * t + 1] = swap;
    }
    assert_refused(&b, SN_KIND_SURFACE_VOLUME, "volume positive counter-clockwise");
    b = whole;
    assert_refused(&b, SN_KIND_DISTANCE, "kind surface");
    b.triangles = 3;
    assert_refused(&b, SN_KIND_SURFACE_VOLUME, "3 triangles");
    assert_false(sn_constraint_is_valid(
        whole.world, sn_constraint_add_surface(whole.world, SN_KIND_SURFACE_VOLUME, 20, NULL, 1, 1)));
    assert_false(
        sn_constraint_is_valid(NULL, sn_constraint_add_surface(NULL, SN_KIND_SURFACE_VOLUME, 20, whole.index, 1, 1)));
    assert_false(sn_constraint_is_valid(
        whole.world, sn_constraint_add_surface(whole.world, SN_KIND_SURFACE_VOLUME, 20, whole.index, SN_MEASURE, -1)));
    assert_says(sn_world_error(whole.world), "pressure");
    sn_world_destroy(whole.world);
}

/* Memory that runs out at any point leaves the world as it was. */
static void memory_may_run_out(void **state)
{
    (void)state;
    ball b = make_sphere(0);
    for (uint64_t at = 1;; ++at) {
        support_memory memory = {0};
        sn_world_def def = sn_default_world_def();
        def.allocator = support_allocator(&memory);
        b.world = support_world_from(&def);
        sn_real xyz[36];
        for (uint32_t i = 0; i < 36; ++i)
            xyz[i] = real(b.x[i / 3][i % 3]);
        b.particles = sn_particles_add(b.world, 12, xyz, 0, 1);
        memory.fail_at = memory.requests + at;
        sn_constraint c = sn_constraint_add_surface(b.world, SN_KIND_SURFACE_VOLUME, 20, b.index, SN_MEASURE, 1);
        bool failed = memory.failures > 0;
        assert_int_equal(sn_constraint_is_valid(b.world, c), !failed);
        assert_int_equal(sn_world_constraint_count(b.world, SN_KIND_NONE), !failed);
        sn_world_destroy(b.world);
        assert_memory_clean(&memory);
        if (!failed)
            break;
        assert_true(at < 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients),
        cmocka_unit_test(measures_the_volume),
        cmocka_unit_test(balloon_keeps_its_volume),
        cmocka_unit_test(pressure_inflates),
        cmocka_unit_test(momenta_are_kept),
        cmocka_unit_test(scaling_respects_immovable_particles),
        cmocka_unit_test(scaling_of_no_volume_rests),
        cmocka_unit_test(bad_surfaces_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests_name("surfaces", tests, NULL, NULL);
}
