/* Strain of a triangle along a direction of its material: what is special about it. */
#include "support/support.h"

#include <math.h>

#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))

static sn_world *make_world(void)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    return support_world_from(&def);
}

/* The coefficients of a direction of the plane in which a triangle with edges r1 and r2 rests. */
static void coefficients(const double r1[2], const double r2[2], const double d[2], sn_real *k)
{
    double area = r1[0] * r2[1] - r1[1] * r2[0];
    k[0] = real((d[0] * r2[1] - d[1] * r2[0]) / area);
    k[1] = real((r1[0] * d[1] - r1[1] * d[0]) / area);
}

/* Stretched by F, and turned as a whole, it has the strain |F d| - 1, whatever the triangle. */
static void strain_is_that_of_the_material(void **unused)
{
    (void)unused;
    uint64_t seed = 3;
    for (int i = 0; i < 100; ++i) {
        double rest[2][2], f[3][2], d[2], angle = support_random_in(&seed, 0, 6.28), stretched[3], length = 0;
        for (int j = 0; j < 2; ++j)
            for (int k = 0; k < 2; ++k)
                rest[j][k] = (j == k) + support_random_in(&seed, -0.3, 0.3);
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 2; ++j)
                f[k][j] = support_random_in(&seed, -1.5, 1.5);
        d[0] = cos(angle), d[1] = sin(angle);
        for (int k = 0; k < 3; ++k) {
            stretched[k] = f[k][0] * d[0] + f[k][1] * d[1];
            length += stretched[k] * stretched[k];
        }
        sn_world *world = make_world();
        sn_particle p[3];
        for (int j = 0; j < 3; ++j) {
            const double *r = j ? rest[j - 1] : (const double[]){0, 0};
            p[j] = sn_particle_add_at(world,
                                      vec(1 + f[0][0] * r[0] + f[0][1] * r[1], 2 + f[1][0] * r[0] + f[1][1] * r[1],
                                          3 + f[2][0] * r[0] + f[2][1] * r[1]),
                                      1);
        }
        sn_constraint_def def = sn_default_constraint_def(SN_KIND_STRAIN);
        const sn_point points[3] = {sn_at(p[0]), sn_at(p[1]), sn_at(p[2])};
        sn_constraint strain;
        sn_real c[SN_MAX_ROWS];
        def.points = points;
        coefficients(rest[0], rest[1], d, def.param);
        assert_ok(world, sn_constraint_add(world, &def, &strain));
        assert_ok(world, sn_constraint_value(world, strain, c));
        assert_close(c[0], sqrt(length) - 1, EXACTNESS(1e-5, 1e-13));
        sn_world_destroy(world);
    }
}

/* Two threads at right angles hold a square of two triangles in that shape along them, and let it shear. */
static void warp_and_weft(void **unused)
{
    (void)unused;
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {1, 3, 2}};
    static const double rest[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    sn_world *world = make_world();
    for (int i = 0; i < 4; ++i)
        sn_particle_add_at(world, vec(1.3 * rest[i][0] + 0.4 * rest[i][1], 0.8 * rest[i][1], 0), 1);
    sn_constraint made[4];
    for (int t = 0; t < 2; ++t)
        for (int thread = 0; thread < 2; ++thread) {
            const uint32_t *at = triangles[t];
            double edge[2][2];
            sn_real k[2];
            for (int j = 0; j < 4; ++j)
                edge[j / 2][j % 2] = rest[at[1 + j / 2]][j % 2] - rest[at[0]][j % 2];
            coefficients(edge[0], edge[1], (const double[]){!thread, thread}, k);
            sn_constraints run = sn_constraints_add_kind(world, SN_KIND_STRAIN, 1, at, k, NULL);
            assert_int_equal(run.count, 1);
            made[2 * t + thread] = sn_constraints_at(run, 0);
        }
    support_run(world, 120, 1.0 / 60);
    for (int i = 0; i < 4; ++i) {
        sn_real c[SN_MAX_ROWS];
        assert_ok(world, sn_constraint_value(world, made[i], c));
        assert_close(c[0], 0, 1e-4);
    }
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strain_is_that_of_the_material),
        cmocka_unit_test(warp_and_weft),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
