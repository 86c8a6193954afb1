/* The angle between two triangles. Row 20 of the validation table, at every size, with and without rods along the
   edges. */
#include "slopes.h"

#define PI 3.14159265358979323846

/* Two triangles over the edge from c to d, `size` long, folded by `angle`: b below in the plane, a turned about the
   edge. */
static void folded_pair(double size, double angle, sn_vec3 *x)
{
    x[0] = vec(0.4 * size, 0.9 * size * cos(angle), 0.9 * size * sin(angle));
    x[1] = vec(0.6 * size, -0.8 * size, 0);
    x[2] = vec(0, 0, 0);
    x[3] = vec(size, 0, 0);
}

/* The angle by an independent way: of the heights over the edge, which runs along e. */
static double fold_of(const sn_vec3 *x)
{
    double e[3] = {(double)x[3].x - (double)x[2].x, (double)x[3].y - (double)x[2].y, (double)x[3].z - (double)x[2].z};
    double p[3] = {(double)x[0].x - (double)x[2].x, (double)x[0].y - (double)x[2].y, (double)x[0].z - (double)x[2].z};
    double q[3] = {(double)x[1].x - (double)x[2].x, (double)x[1].y - (double)x[2].y, (double)x[1].z - (double)x[2].z};
    double ee = 0, pe = 0, qe = 0, cosine = 0, sine = 0;
    for (int i = 0; i < 3; ++i) {
        ee += e[i] * e[i];
        pe += p[i] * e[i];
        qe += q[i] * e[i];
    }
    for (int i = 0; i < 3; ++i) {
        p[i] -= pe / ee * e[i];
        q[i] -= qe / ee * e[i];
    }
    for (int i = 0; i < 3; ++i) {
        cosine -= p[i] * q[i];
        sine -= e[i] * (p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3]) / sqrt(ee);
    }
    return atan2(sine, cosine);
}

static double wrapped(double angle)
{
    return angle - 2 * PI * ceil((angle - PI) / (2 * PI));
}

/* ---- The formula
   ------------------------------------------------------------------------------------------------------- */

static void measures_the_fold(void **state)
{
    (void)state;
    const sn_kind *kind = sn_kind_info(NULL, SN_KIND_DIHEDRAL);
    for (double angle = -3.1; angle < 3.2; angle += 0.1) {
        sn_vec3 x[4];
        sn_real rest = SN_MEASURE;
        folded_pair(0.3, angle, x);
        sn_eval_in in = {.x = x, .param = &rest, .points = 4};
        kind->measure(&in, &rest);
        assert_close(rest, fold_of(x), SINEW_DOUBLE ? 1e-14 : 1e-6);
        assert_close(fabs((double)rest), fabs(angle), SINEW_DOUBLE ? 1e-14 : 1e-6);
    }
    /* from +z a, c, d runs counter-clockwise; folding a towards +z or b towards +z is negative */
    sn_vec3 x[4];
    sn_real rest;
    folded_pair(1, 0.5, x);
    sn_eval_in in = {.x = x, .param = &rest, .points = 4};
    kind->measure(&in, &rest);
    assert_close(rest, -0.5, 1e-6);
}

static void gradients(void **state)
{
    (void)state;
    uint64_t seed = 5;
    const double sizes[] = {1e-3, 1, 100};
    for (size_t s = SINEW_DOUBLE ? 0 : 1; s < (SINEW_DOUBLE ? COUNT_OF(sizes) : 2); ++s)
        for (uint32_t i = 0; i < 100; ++i) {
            double angle = support_random_in(&seed, -2.9, 2.9);
            sn_vec3 x[4];
            sn_real rest = real(support_random_in(&seed, -0.1, 0.1));
            folded_pair(sizes[s], angle, x);
            for (uint32_t j = 0; j < 4; ++j) {
                sn_vec3 d = slopes_place(&seed, 0.1 * sizes[s]);
                x[j] = vec((double)(x[j].x + d.x), (double)(x[j].y + d.y), (double)(x[j].z + d.z));
            }
            assert_true(slopes_agree(SN_KIND_DIHEDRAL, 4, x, &rest, 0.1 * sizes[s], PI) || fabs(angle) > 2.5);
            slopes_sum_to_zero(SN_KIND_DIHEDRAL, 4, x, &rest);
        }
}

/* Slivers a thousand times longer than high, and flat pairs. */
static void gradients_near_degenerate(void **state)
{
    (void)state;
    for (int i = 0; SINEW_DOUBLE && i < 8; ++i) {
        double high = i % 2 ? 1e-3 : 1, angle = i / 2 * 0.7;
        sn_vec3 x[4] = {vec(0.4, high * cos(angle), high * sin(angle)), vec(0.6, -high, 0), vec(0, 0, 0), vec(1, 0, 0)};
        sn_real rest = real(0.1);
        assert_true(slopes_agree(SN_KIND_DIHEDRAL, 4, x, &rest, 0.1 * high, PI));
    }
}

/* A triangle without area has no normal, whatever its size; a small one has. */
static void degeneracy_is_relative(void **state)
{
    (void)state;
    slopes_value value;
    sn_real rest = 0;
    const double sizes[] = {1e-6, 1, 1e6};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
        double s = sizes[i];
        sn_vec3 x[4] = {vec(0.5 * s, 1e-3 * s, 0), vec(0.5 * s, -s, 0), vec(0, 0, 0), vec(s, 0, 0)};
        assert_true(slopes_evaluate(SN_KIND_DIHEDRAL, 4, x, &rest, &value));
        x[0] = vec(0.5 * s, 0, 0);
        assert_false(slopes_evaluate(SN_KIND_DIHEDRAL, 4, x, &rest, &value));
        x[0] = vec(0.5 * s, s, 0);
        x[3] = x[2];
        assert_false(slopes_evaluate(SN_KIND_DIHEDRAL, 4, x, &rest, &value));
    }
}

/* ---- Row 20
   ------------------------------------------------------------------------------------------------------------ */

static double settle(double size, double rest, double disturbance, bool rods)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.damping = 10;
    sn_world *world = support_world_from(&def);
    sn_particle p[4];
    sn_point at[4];
    sn_vec3 x[4];
    folded_pair(size, -(rest + disturbance), x);
    for (uint32_t i = 0; i < 4; ++i) {
        p[i] = sn_particle_add_at(world, x[i], real(0.1 + 0.1 * i));
        at[i] = sn_at(p[i]);
    }
    static const uint32_t edges[][2] = {{2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};
    for (size_t i = 0; rods && i < COUNT_OF(edges); ++i)
        sn_constraint_add_distance(world, at[edges[i][0]], at[edges[i][1]], SN_MEASURE);
    sn_constraint fold = sn_constraint_add_dihedral(world, at[0], at[1], at[2], at[3], real(rest));
    assert_true(sn_constraint_is_valid(world, fold));
    support_run(world, 60, 1.0 / 60);
    for (uint32_t i = 0; i < 4; ++i)
        x[i] = sn_particle_position(world, p[i]);
    sn_world_destroy(world);
    return fold_of(x);
}

static void returns_to_its_rest_angle(void **state)
{
    (void)state;
    const double rests[] = {-120, -60, 0, 60, 120, 175}, disturbances[] = {-1, -0.3, 0.3, 1}, sizes[] = {1e-3, 1, 100};
    double worst = 0;
    for (size_t s = 0; s < COUNT_OF(sizes); ++s)
        for (size_t r = 0; r < COUNT_OF(rests); ++r)
            for (size_t d = 0; d < COUNT_OF(disturbances); ++d)
                for (int rods = 0; rods < 2; ++rods) {
                    double rest = rests[r] * PI / 180, got = settle(sizes[s], rest, disturbances[d], rods);
                    double error = fabs(wrapped(got - rest));
                    worst = fmax(worst, error);
                    if (error > 1e-3)
                        print_error("size %g m, rest %g, disturbed by %g rad, %s rods: off by %g rad\n", sizes[s],
                                    rests[r], disturbances[d], rods ? "with" : "without", error);
                    assert_true(error <= 1e-3);
                }
    print_message("rest angles are reached within %.1e rad\n", worst);
}

/* The spot where short and long way are equal is left in one of the two directions. */
static void opposite_fold_is_left(void **state)
{
    (void)state;
    assert_close(wrapped(settle(1, 0, PI - 1e-3, true)), 0, 1e-3);
    assert_close(wrapped(settle(1, 2, PI, true) - 2), 0, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_the_fold),         cmocka_unit_test(gradients),
        cmocka_unit_test(gradients_near_degenerate), cmocka_unit_test(degeneracy_is_relative),
        cmocka_unit_test(returns_to_its_rest_angle), cmocka_unit_test(opposite_fold_is_left),
    };
    return cmocka_run_group_tests_name("dihedral", tests, NULL, NULL);
}
