/* Isometric bending: its energy, its rest shape, and that a strip of it is as stiff however finely it is meshed.
   Triangle area rides along. */
#include "slopes.h"

#define PI 3.14159265358979323846

/* A flat pair of random triangles over the edge from c to d, turned and shifted. */
static void random_pair(uint64_t *seed, double size, double (*flat)[2])
{
    flat[2][0] = flat[2][1] = flat[3][1] = 0;
    flat[3][0] = size * support_random_in(seed, 0.7, 1.3);
    flat[0][0] = size * support_random_in(seed, -0.3, 1.3);
    flat[0][1] = size * support_random_in(seed, 0.4, 1.2);
    flat[1][0] = size * support_random_in(seed, -0.3, 1.3);
    flat[1][1] = -size * support_random_in(seed, 0.4, 1.2);
}

static void fold_pair(double (*flat)[2], double angle, sn_vec3 shift, sn_vec3 *x)
{
    for (uint32_t i = 0; i < 4; ++i) {
        double y = flat[i][1], c = i == 0 ? cos(angle) : 1, s = i == 0 ? sin(angle) : 0;
        x[i] = vec((double)shift.x + flat[i][0], (double)shift.y + y * c, (double)shift.z + y * s);
    }
}

static void measure(const sn_vec3 *x, sn_real *param)
{
    sn_eval_in in = {.x = x, .param = param, .points = 4};
    for (uint32_t i = 0; i < 3; ++i)
        param[i] = SN_MEASURE;
    sn_kind_info(NULL, SN_KIND_BENDING)->measure(&in, param);
}

static double half_square(const sn_vec3 *x, const sn_real *param)
{
    slopes_value value;
    assert_true(slopes_evaluate(SN_KIND_BENDING, 4, x, param, &value));
    double sum = 0;
    for (uint32_t i = 0; i < 3; ++i)
        sum += (double)value.c[i] * (double)value.c[i] / 2;
    return sum;
}

/* C^2 / 2 = 3 |e|^2 / (2 (A + B)) (2 sin(theta / 2))^2, at any size, wherever it is. */
static void energy_is_the_formula(void **state)
{
    (void)state;
    uint64_t seed = 6;
    const double sizes[] = {1e-3, 1, 1e3};
    for (uint32_t n = 0; n < 300; ++n) {
        double flat[4][2], size = sizes[n % 3], angle = support_random_in(&seed, -3, 3);
        sn_vec3 rest[4], x[4], shift = slopes_place(&seed, size);
        sn_real param[3];
        random_pair(&seed, size, flat);
        fold_pair(flat, 0, shift, rest);
        fold_pair(flat, angle, shift, x);
        measure(rest, param);
        double e = flat[3][0], areas = e * (flat[0][1] - flat[1][1]) / 2, fold = 2 * sin(angle / 2);
        double expected = 3 * e * e / (2 * areas) * fold * fold;
        assert_close(half_square(x, param), expected, (SINEW_DOUBLE ? 1e-12 : 2e-4) * fmax(1, expected));
        assert_close(half_square(rest, param), 0, SINEW_DOUBLE ? 1e-26 : 1e-10);
    }
}

/* Measured from a folded pair, the weights are those of the pair unfolded. */
static void measuring_unfolds(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (uint32_t n = 0; n < 100; ++n) {
        double flat[4][2];
        sn_vec3 rest[4], x[4];
        sn_real of_rest[3], of_folded[3];
        random_pair(&seed, 1, flat);
        fold_pair(flat, 0, vec(0, 0, 0), rest);
        fold_pair(flat, support_random_in(&seed, -3, 3), vec(0, 0, 0), x);
        measure(rest, of_rest);
        measure(x, of_folded);
        for (uint32_t i = 0; i < 3; ++i)
            assert_close(of_folded[i], of_rest[i], (SINEW_DOUBLE ? 1e-13 : 1e-5) * (1 + fabs((double)of_rest[i])));
    }
}

static void gradients(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (uint32_t n = 0; n < 50; ++n) {
        double flat[4][2];
        sn_vec3 x[4];
        sn_real param[3];
        random_pair(&seed, 1, flat);
        fold_pair(flat, 1, vec(0, 0, 0), x);
        measure(x, param);
        assert_true(slopes_agree(SN_KIND_BENDING, 4, x, param, 1, 10));
        slopes_sum_to_zero(SN_KIND_BENDING, 4, x, param);
    }
}

/* One projection flattens the pair for good, and keeps both momenta. */
static void one_pass_flattens(void **state)
{
    (void)state;
    sn_world *world = support_void();
    double flat[4][2];
    sn_vec3 x[4];
    sn_point at[4];
    uint64_t seed = 9;
    random_pair(&seed, 1, flat);
    fold_pair(flat, 1, vec(0.1, 0.2, 0.3), x);
    for (uint32_t i = 0; i < 4; ++i)
        at[i] = sn_at(sn_particle_add_at(world, x[i], real(1 + i)));
    sn_constraint bending = sn_constraint_add_bending(world, at[0], at[1], at[2], at[3]);
    assert_true(sn_constraint_is_valid(world, bending));
    support_run(world, 1, 1);
    sn_real c[3];
    assert_ok(world, sn_constraint_value(world, bending, c));
    for (uint32_t i = 0; i < 3; ++i)
        assert_close(c[i], 0, SINEW_DOUBLE ? 1e-13 : 1e-5);
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    for (uint32_t i = 0; i < 3; ++i)
        assert_close(report.momentum[i], 0, SUPPORT_ROUND_OFF);
    sn_world_destroy(world);
}

/* A triangle without area cannot be measured. */
static void degenerate_rest_is_refused(void **state)
{
    (void)state;
    sn_world *world = support_void();
    const sn_vec3 x[] = {vec(0.5, 0, 0), vec(0.5, -1, 0), vec(0, 0, 0), vec(1, 0, 0)};
    sn_point at[4];
    for (uint32_t i = 0; i < 4; ++i)
        at[i] = sn_at(sn_particle_add_at(world, x[i], 1));
    assert_false(sn_constraint_is_valid(world, sn_constraint_add_bending(world, at[0], at[1], at[2], at[3])));
    assert_says(sn_world_error(world), "bending must be given");
    sn_world_destroy(world);
}

/* ---- A strip
   ------------------------------------------------------------------------------------------------------------ */

#define STRIP_STIFFNESS 2.0 /* N m, the bending stiffness of the strip below */

/* A strip of length by width, cut into n by n/2 squares of two triangles with alternating diagonals, rolled to a
   cylinder of the given radius. Returns its elastic energy. Every inner edge has a bending constraint. */
static double rolled_energy(uint32_t n, double length, double radius)
{
    sn_world *world = support_void();
    uint32_t rows = n / 2 + 1, columns = n + 1;
    double side = length / n;
    sn_particle *grid = malloc((size_t)rows * columns * sizeof *grid);
    assert_non_null(grid);
    for (uint32_t j = 0; j < rows; ++j)
        for (uint32_t i = 0; i < columns; ++i)
            grid[j * columns + i] = sn_particle_add_at(world, vec(i * side, j * side, 0), 1);
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_BENDING);
    def.compliance = real(1 / STRIP_STIFFNESS);
    /* the triangles: square (i, j) is cut from corner p to corner q, the others are r and s */
    for (uint32_t j = 0; j + 1 < rows; ++j)
        for (uint32_t i = 0; i + 1 < columns; ++i) {
            sn_point low = sn_at(grid[j * columns + i]), right = sn_at(grid[j * columns + i + 1]);
            sn_point up = sn_at(grid[(j + 1) * columns + i]), far = sn_at(grid[(j + 1) * columns + i + 1]);
            bool falling = (i + j) % 2;
            def.points = falling ? (sn_point[]){low, far, right, up} : (sn_point[]){right, up, low, far};
            assert_ok(world, sn_constraint_add(world, &def, NULL));
            /* across the edge to the next square, whose diagonal runs the other way, so that both meet in one end */
            if (i + 2 < columns) {
                sn_point next = sn_at(grid[(falling ? j + 1 : j) * columns + i + 2]);
                sn_point here = falling ? up : low;
                def.points = (sn_point[]){here, next, right, far};
                assert_ok(world, sn_constraint_add(world, &def, NULL));
            }
            if (j + 2 < rows) {
                sn_point next = sn_at(grid[(j + 2) * columns + (falling ? i + 1 : i)]);
                sn_point here = falling ? right : low;
                def.points = (sn_point[]){here, next, up, far};
                assert_ok(world, sn_constraint_add(world, &def, NULL));
            }
        }
    for (uint32_t j = 0; j < rows; ++j)
        for (uint32_t i = 0; i < columns; ++i) {
            double angle = i * side / radius;
            assert_ok(world, sn_particle_set_position(world, grid[j * columns + i],
                                                      vec(radius * sin(angle), j * side, radius * (1 - cos(angle)))));
        }
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    free(grid);
    sn_world_destroy(world);
    return report.elastic;
}

/* The energy of a cylinder is that of a plate of three times the stiffness, 3 stiffness / 2 * area / radius^2: it
   depends neither on the size of the mesh nor on that of the strip, and falls with the square of the radius. */
static void strip_is_as_stiff_however_fine(void **state)
{
    (void)state;
    double coarse = rolled_energy(16, 1, 1), fine = rolled_energy(32, 1, 1), finer = rolled_energy(64, 1, 1);
    double natural = STRIP_STIFFNESS / 2 * 0.5;
    print_message("energy over stiffness * area / (2 radius^2): %g, %g, %g\n", coarse / natural, fine / natural,
                  finer / natural);
    /* edges at the border have no partner, so that finer meshes count a little more of the strip */
    assert_true(fabs(finer - fine) < 0.05 * fine && fabs(fine - coarse) < 0.1 * fine);
    assert_close((2 * finer - fine) / natural, 3, 0.01);
    assert_close(rolled_energy(16, 1e-3, 1e-3), coarse, 1e-3 * coarse);
    assert_close(rolled_energy(16, 1e3, 1e3), coarse, 1e-3 * coarse);
    assert_close(rolled_energy(16, 1, 4), coarse / 16, 2e-2 * coarse / 16);
}

/* ---- Area
   --------------------------------------------------------------------------------------------------------------- */

static void area_gradients(void **state)
{
    (void)state;
    uint64_t seed = 10;
    for (uint32_t n = 0; n < 50; ++n) {
        sn_vec3 x[3];
        sn_real rest = real(0.3);
        double high = SINEW_DOUBLE && n % 2 ? 1e-3 : 0.5; /* every other one a sliver */
        x[0] = slopes_place(&seed, 1);
        x[1] = vec((double)x[0].x + 1, (double)x[0].y, (double)x[0].z);
        x[2] = vec((double)x[0].x + support_random_in(&seed, -0.5, 1.5), (double)x[0].y + high, (double)x[0].z);
        assert_true(slopes_agree(SN_KIND_AREA, 3, x, &rest, 0.1 * high, 1));
        slopes_sum_to_zero(SN_KIND_AREA, 3, x, &rest);
    }
}

/* From open, from exactly closed, in 3D and in 2D; three points in one place stay. */
static void area_is_reached(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 4; ++n) {
        sn_world *world = n & 1 ? support_world_2d() : support_world();
        sn_settings settings = sn_world_settings(world);
        settings.gravity = vec(0, 0, 0);
        settings.iterations = 20;
        assert_ok(world, sn_world_configure(world, &settings));
        sn_point at[] = {sn_at(sn_particle_add_at(world, vec(0, 0, 0), 1)),
                         sn_at(sn_particle_add_at(world, vec(1, 0, 0), 2)),
                         sn_at(sn_particle_add_at(world, vec(0.4, n & 2 ? 0 : 0.2, 0), 3))};
        sn_constraint area = sn_constraint_add_area(world, at[0], at[1], at[2], real(0.25));
        support_run(world, 1, 0.01);
        sn_real c = 1;
        assert_ok(world, sn_constraint_value(world, area, &c));
        assert_close(c, 0, 1e-5);
        sn_world_destroy(world);
    }
    slopes_value value;
    const sn_vec3 one_place[3] = {vec(1, 1, 1), vec(1, 1, 1), vec(1, 1, 1)};
    sn_real rest = 1;
    assert_false(slopes_evaluate(SN_KIND_AREA, 3, one_place, &rest, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_the_formula),
        cmocka_unit_test(measuring_unfolds),
        cmocka_unit_test(gradients),
        cmocka_unit_test(one_pass_flattens),
        cmocka_unit_test(degenerate_rest_is_refused),
        cmocka_unit_test(strip_is_as_stiff_however_fine),
        cmocka_unit_test(area_gradients),
        cmocka_unit_test(area_is_reached),
    };
    return cmocka_run_group_tests_name("bending", tests, NULL, NULL);
}
