/* Free surfaces keep their angular momentum: see src/solvers/tiled_spin.c. */
#include "support/support.h"

#include <math.h>

#define MOST 300

/* A ball of triangles: an octahedron, each triangle of which was cut into four, twice, and blown up. */
typedef struct ball {
    sn_real xyz[3 * MOST];
    uint32_t points, corner[3 * 2 * MOST], triangles;
} ball;

static uint32_t add_point(ball *b, double x, double y, double z)
{
    const double length = sqrt(x * x + y * y + z * z);
    const sn_real place[3] = {real(0.25 * x / length), real(0.25 * y / length), real(0.25 * z / length)};
    for (uint32_t i = 0; i < b->points; ++i)
        if (hypot(hypot((double)(b->xyz[3 * i] - place[0]), (double)(b->xyz[3 * i + 1] - place[1])),
                  (double)(b->xyz[3 * i + 2] - place[2])) < 1e-4)
            return i;
    memcpy(b->xyz + 3 * b->points, place, sizeof place);
    return b->points++;
}

static uint32_t add_middle(ball *b, uint32_t i, uint32_t k)
{
    const sn_real *p = b->xyz + 3 * i, *q = b->xyz + 3 * k;
    return add_point(b, (double)(p[0] + q[0]), (double)(p[1] + q[1]), (double)(p[2] + q[2]));
}

static void cut(ball *b, uint32_t i, uint32_t j, uint32_t k, int depth)
{
    if (!depth) {
        memcpy(b->corner + 3 * b->triangles++, (uint32_t[3]){i, j, k}, 3 * sizeof i);
        return;
    }
    const uint32_t a = add_middle(b, i, j), c = add_middle(b, j, k), d = add_middle(b, k, i);
    cut(b, i, a, d, depth - 1);
    cut(b, a, j, c, depth - 1);
    cut(b, d, c, k, depth - 1);
    cut(b, a, c, d, depth - 1);
}

static void make_ball(ball *b)
{
    *b = (ball){0};
    for (int side = 0; side < 8; ++side) {
        const double x = side & 1 ? -1 : 1, y = side & 2 ? -1 : 1, z = side & 4 ? -1 : 1;
        const uint32_t i = add_point(b, x, 0, 0), j = add_point(b, 0, y, 0), k = add_point(b, 0, 0, z);
        if (x * y * z > 0)
            cut(b, i, j, k, 2);
        else
            cut(b, i, k, j, 2);
    }
}

typedef struct how {
    double damping, spin, gravity;
    uint32_t threads, substeps;
    sn_simd simd;
    bool off; /* no stiffening */
} how;

typedef struct balloon {
    sn_world *world;
    sn_particles particles;
} balloon;

/* Of 0.25 kg, at 1.5 times its volume. */
static balloon make_balloon(const how *h)
{
    ball b;
    make_ball(&b);
    sn_world_def def = sn_default_world_def();
    def.threads = h->threads ? h->threads : 1;
    def.simd = h->simd;
    def.settings.gravity = vec(0, -h->gravity, 0);
    def.settings.damping = real(h->damping);
    def.settings.substeps = h->substeps ? h->substeps : def.settings.substeps;
    def.settings.stiffening = h->off ? SN_STIFFENING_OFF : SN_STIFFENING_AUTO;
    balloon made = {.world = support_world_from(&def)};
    made.particles = sn_particles_add(made.world, b.points, b.xyz, 0, real(0.25 / b.points));
    const sn_material soft = {.compliance = real(1e-3)};
    for (uint32_t i = 0; i < 3 * b.triangles; ++i) {
        const uint32_t pair[2] = {b.corner[i], b.corner[i % 3 == 2 ? i - 2 : i + 1]};
        if (pair[0] < pair[1]) /* each edge once */
            assert_int_equal(sn_constraints_add_kind(made.world, SN_KIND_DISTANCE, 1, pair, NULL, &soft).count, 1);
    }
    sn_constraint volume =
        sn_constraint_add_surface(made.world, SN_KIND_SURFACE_VOLUME, b.triangles, b.corner, SN_MEASURE, real(1.5));
    assert_true(sn_constraint_is_valid(made.world, volume));
    for (uint32_t i = 0; i < b.points; ++i)
        assert_ok(made.world, sn_particle_set_velocity(made.world, sn_particles_at(made.particles, i),
                                                       vec(-h->spin * b.xyz[3 * i + 1], h->spin * b.xyz[3 * i], 0)));
    return made;
}

static sn_report report_of(const balloon *b)
{
    sn_report report;
    assert_ok(b->world, sn_world_report(b->world, &report));
    return report;
}

/* One at rest stays at rest, and one that rotates goes on to. */
static void check_kept(const how *h, double seconds)
{
    balloon b = make_balloon(h);
    const sn_report before = report_of(&b);
    support_run(b.world, (uint32_t)(60 * seconds), 1.0 / 60);
    const sn_report after = report_of(&b);
    for (int k = 0; k < 3; ++k) {
        const double kept = before.angular_momentum[k] * exp(-h->damping * seconds);
        assert_close(after.angular_momentum[k], kept, 2e-4); /* a spin of 1/s is 0.016 */
        assert_close(after.momentum[k], before.momentum[k], SINEW_DOUBLE ? 1e-12 : 2e-6);
    }
    if (h->spin == 0)
        assert_true(after.kinetic < 1e-5);
    sn_world_destroy(b.world);
}

static void test_free_balloon_keeps_its_spin(void **state)
{
    (void)state;
    const double seconds = support_long(10, 2);
    for (uint32_t off = 0; off < 2; ++off) {
        check_kept(&(how){.off = off}, seconds);
        check_kept(&(how){.off = off, .substeps = 3}, seconds);
        check_kept(&(how){.off = off, .spin = 2}, seconds);
        check_kept(&(how){.off = off, .spin = 2, .damping = 2}, seconds);
        check_kept(&(how){.off = off, .spin = 2, .damping = 0.5, .substeps = 2}, seconds);
    }
}

/* What pulls from outside is not undone: a rope turns it, also one that came later. */
static void check_pulled(bool later)
{
    balloon b = make_balloon(&(how){0});
    if (later)
        support_run(b.world, 10, 1.0 / 60);
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    sn_point points[2] = {sn_at_place(vec(0.25, -1, 0)), sn_at(sn_particles_at(b.particles, 0))}; /* at (0.25, 0, 0) */
    def.points = points;
    def.param[0] = real(0.9);
    sn_constraint rope;
    assert_ok(b.world, sn_constraint_add(b.world, &def, &rope));
    support_run(b.world, 10, 1.0 / 60);
    assert_true(report_of(&b).angular_momentum[2] < -0.003);
    sn_world_destroy(b.world);
}

static void test_ropes_turn_it(void **state)
{
    (void)state;
    check_pulled(false);
    check_pulled(true);
}

/* Also where it takes several substeps of its own in the place of one. */
static void test_same_bits(void **state)
{
    (void)state;
    for (uint32_t substeps = 1; substeps <= 10; substeps += 9) {
        uint64_t hash[3];
        const how hows[3] = {{.spin = 2, .damping = 1, .substeps = substeps},
                             {.spin = 2, .damping = 1, .substeps = substeps, .threads = 3},
                             {.spin = 2, .damping = 1, .substeps = substeps, .simd = SN_SIMD_SCALAR}};
        for (int i = 0; i < 3; ++i) {
            balloon b = make_balloon(&hows[i]);
            support_run(b.world, 30, 1.0 / 60);
            hash[i] = sn_world_hash(b.world);
            sn_world_destroy(b.world);
        }
        assert_int_equal(hash[0], hash[1]);
        assert_int_equal(hash[0], hash[2]);
    }
}

/* One that hangs on a particle of its skin comes to rest, or swings in a plane. (Damped or not it whirled, with 0.1 to 5
   J.) The particle holds its weight and the change of its momentum. */
static void check_hangs(const how *h, double seconds)
{
    balloon b = make_balloon(h);
    const sn_particle nail = sn_particles_at(b.particles, 0); /* at (0.25, 0, 0) */
    assert_ok(b.world, sn_particle_set_mass(b.world, nail, SN_IMMOVABLE));
    double mean = 0;
    const int frames = (int)(60 * seconds);
    for (int i = 0; i < frames; ++i) {
        support_run(b.world, 1, 1.0 / 60);
        mean += (double)sn_particle_load(b.world, nail).y / frames;
    }
    const sn_report after = report_of(&b);
    assert_close(after.momentum[2], 0, 0.02);
    if (h->damping > 0)
        assert_true(after.kinetic < 1e-3);
    else
        assert_close(mean, -after.momentum[1] / seconds - h->gravity * after.mass, 0.02 * h->gravity * after.mass);
    sn_world_destroy(b.world);
}

static void test_it_hangs_on_a_particle(void **state)
{
    (void)state;
    check_hangs(&(how){.gravity = 9.81, .damping = 1}, 8);
    check_hangs(&(how){.gravity = 9.81}, 4);
    check_hangs(&(how){.gravity = 9.81, .substeps = 3}, 4);
}

static double pressure_of(const balloon *b)
{
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(b->world, &walk))
        if (walk.constraint.kind == SN_KIND_SURFACE_VOLUME)
            return (double)sn_constraint_force(b->world, walk.constraint).magnitude;
    return NAN;
}

/* Pressure does not depend on the step: it is that of many plain substeps. With ten substeps in 1/10 s, w T h^2 / l is 3. */
static void test_pressure_is_right(void **state)
{
    (void)state;
    support_skip_watched();
    balloon b = make_balloon(&(how){.damping = 4, .substeps = 100, .off = true});
    support_run(b.world, 180, 1.0 / 60);
    const double right = pressure_of(&b);
    sn_world_destroy(b.world);
    for (int rate = 10; rate <= 120; rate += 55) {
        b = make_balloon(&(how){.damping = 2});
        support_run(b.world, (uint32_t)(10 * rate), 1.0 / rate);
        assert_close(pressure_of(&b), right, 0.02 * right);
        assert_true(report_of(&b).kinetic < 1e-6);
        sn_world_destroy(b.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_balloon_keeps_its_spin), cmocka_unit_test(test_ropes_turn_it),
        cmocka_unit_test(test_it_hangs_on_a_particle),      cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_pressure_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
