/* Distance fields: functions and grids against what they stand for, baked meshes against the mesh. */
#include "support/support.h"

#include "base/dvec.h"
#include "collision/distance_field.h"
#include "collision/solid.h"

static sn_vec3 random_in(uint64_t *seed, double reach)
{
    double x = support_random_in(seed, -reach, reach), y = support_random_in(seed, -reach, reach);
    return vec(x, y, support_random_in(seed, -reach, reach));
}

static double dot(sn_vec3 a, sn_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

/* ---- Functions --------------------------------------------------------------------------------------------------- */

static sn_real solid_function(void *context, sn_vec3 p)
{
    sn_touch touch;
    sn_solid_near(context, p, &touch);
    return touch.distance;
}

/* A ring about the y axis. */
static sn_real torus_function(void *context, sn_vec3 p)
{
    const double *radius = context;
    double x = (double)p.x, y = (double)p.y, z = (double)p.z, ring = sqrt(x * x + z * z) - radius[0];
    return real(sqrt(ring * ring + y * y) - radius[1]);
}

/* A floor and a wall that stands on it at x = 1. */
static sn_real corner_function(void *context, sn_vec3 p)
{
    (void)context;
    return p.y < 1 - p.x ? p.y : 1 - p.x;
}

static sn_real half_function(void *context, sn_vec3 p)
{
    return solid_function(context, p) / 2;
}

/* Steeper than any distance. */
static sn_real steep_function(void *context, sn_vec3 p)
{
    return solid_function(context, p) * 3;
}

static sn_real nan_function(void *context, sn_vec3 p)
{
    (void)context;
    return p.x > 0 ? real(1) : (sn_real)NAN;
}

static sn_distance_field field_of(sn_distance_fn *function, void *context, double size)
{
    return (sn_distance_field){
        .function = function, .context = context, .bounds = {vec(-size, -size, -size), vec(size, size, size)}};
}

static void test_near_function(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t round = 0; round < 3000; ++round) {
        double scale = round % 3 == 0 ? 0.01 : round % 3 == 1 ? 1 : 100;
        sn_solid solid = {.type = (sn_solid_type)(1 + round % 3 % 2),
                          .half = vec(scale, scale / 2, scale / 3),
                          .radius = real(scale)};
        sn_distance_field field = field_of(solid_function, &solid, scale);
        sn_vec3 p = random_in(&seed, 2 * scale);
        sn_touch touch, expected;
        sn_distance_field_near(&field, p, &touch);
        sn_solid_near(&solid, p, &expected);
        assert_close(touch.distance, expected.distance, SUPPORT_ROUND_OFF * scale);
        assert_close(dot(touch.normal, touch.normal), 1, SUPPORT_ROUND_OFF / 10);
        sn_vec3 back = vec((double)p.x - (double)touch.distance * (double)touch.normal.x,
                           (double)p.y - (double)touch.distance * (double)touch.normal.y,
                           (double)p.z - (double)touch.distance * (double)touch.normal.z);
        assert_vec_close(touch.point, back, SUPPORT_ROUND_OFF * scale);
        if (solid.type == SN_SOLID_SPHERE && sqrt(dot(p, p)) > 0.2 * scale)
            assert_vec_close(touch.normal, expected.normal, 2e-3);
        if (solid.type == SN_SOLID_BOX && (double)expected.distance > 0.1 * scale)
            assert_vec_close(touch.normal, expected.normal, 2e-3);
    }
    sn_solid ball = {.type = SN_SOLID_SPHERE, .radius = 1};
    sn_distance_field field = field_of(solid_function, &ball, 1);
    sn_touch touch;
    sn_distance_field_near(&field, vec(0, 0, 0), &touch);
    assert_vec_same(touch.normal, vec(0, 1, 0)); /* no slope at the centre */
    assert_close(touch.distance, -1, 0);

    sn_solid plane = {.type = SN_SOLID_PLANE};
    field = field_of(solid_function, &plane, (double)INFINITY);
    sn_distance_field_near(&field, vec(0, 0, 0), &touch);
    assert_vec_close(touch.normal, vec(0, 1, 0), 1e-6);
    sn_distance_field_near(&field, vec(50, -3, 0), &touch);
    assert_vec_close(touch.normal, vec(0, 1, 0), 1e-6);
    assert_vec_close(touch.point, vec(50, 0, 0), 1e-4);
}

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

#define MOST_TEST_SAMPLES 70000

typedef struct test_grid {
    sn_distance_field field;
    sn_real sample[MOST_TEST_SAMPLES];
} test_grid;

static test_grid *grid_of(sn_distance_fn *function, void *context, sn_vec3 low, double cell, uint32_t nx, uint32_t ny,
                          uint32_t nz)
{
    test_grid *g = calloc(1, sizeof *g);
    assert_non_null(g);
    assert_true(nx * ny * nz <= MOST_TEST_SAMPLES);
    g->field.grid = (sn_distance_grid){low, real(cell), {nx, ny, nz}, g->sample};
    double margin = 2 * cell;
    g->field.bounds.low = vec((double)low.x + margin, (double)low.y + margin, (double)low.z + margin);
    g->field.bounds.high = vec((double)low.x + cell * (nx - 1) - margin, (double)low.y + cell * (ny - 1) - margin,
                               (double)low.z + cell * (nz - 1) - margin);
    for (uint32_t i = 0; i < nx * ny * nz; ++i)
        g->sample[i] = function(context, vec((double)low.x + cell * (i % nx), (double)low.y + cell * (i / nx % ny),
                                             (double)low.z + cell * (i / nx / ny)));
    return g;
}

static sn_real linear_function(void *context, sn_vec3 p)
{
    (void)context;
    return real(0.6 * (double)p.x - 0.8 * (double)p.z + 0.1);
}

/* A plane is told exactly inside of the grid, and outside by its border and the way there. */
static void test_near_linear_grid(void **state)
{
    (void)state;
    uint64_t seed = 2;
    test_grid *g = grid_of(linear_function, NULL, vec(-1, -2, -3), 0.25, 9, 17, 25);
    for (uint32_t round = 0; round < 3000; ++round) {
        sn_vec3 p = random_in(&seed, 4);
        sn_vec3 q = vec(fmax(-1, fmin(1, (double)p.x)), fmax(-2, fmin(2, (double)p.y)), fmax(-3, fmin(3, (double)p.z)));
        sn_touch touch;
        sn_distance_field_near(&g->field, p, &touch);
        double out = support_gap(p, q);
        assert_close(touch.distance, (double)linear_function(NULL, q) + out, SUPPORT_ROUND_OFF);
        assert_close(dot(touch.normal, touch.normal), 1, SUPPORT_ROUND_OFF / 10);
        if (out == 0)
            assert_vec_close(touch.normal, vec(0.6, 0, -0.8), SUPPORT_ROUND_OFF);
    }
    const sn_vec3 corner = vec(1, 2, 3); /* the last sample, and beyond it */
    sn_touch touch;
    sn_distance_field_near(&g->field, corner, &touch);
    assert_close(touch.distance, linear_function(NULL, corner), SUPPORT_ROUND_OFF);
    sn_distance_field_near(&g->field, vec(1, 2, 8), &touch);
    assert_close(touch.distance, (double)linear_function(NULL, corner) + 5, SUPPORT_ROUND_OFF);
    free(g);
}

/* The normal is the slope of the value, whatever the samples are: compared with differences, in double. */
static void test_grid_slope(void **state)
{
    (void)state;
    uint64_t seed = 3;
    test_grid *g = grid_of(linear_function, NULL, vec(-1, -1, -1), 0.25, 9, 9, 9);
    for (uint32_t i = 0; i < 9 * 9 * 9; ++i)
        g->sample[i] = real(support_random_in(&seed, -1, 1));
    for (uint32_t round = 0; round < 3000; ++round) {
        sn_vec3 p = random_in(&seed, 1.5);
        sn_touch touch, low, high;
        double slope[3], h = SINEW_DOUBLE ? 1e-6 : 1e-3, length = 0;
        for (int i = 0; i < 3; ++i) {
            sn_vec3 below = p, above = p;
            *(i == 0 ? &below.x : i == 1 ? &below.y : &below.z) -= real(h);
            *(i == 0 ? &above.x : i == 1 ? &above.y : &above.z) += real(h);
            sn_distance_field_near(&g->field, below, &low);
            sn_distance_field_near(&g->field, above, &high);
            slope[i] = ((double)high.distance - (double)low.distance) / (2 * h);
            length += slope[i] * slope[i];
            double u = ((double)(i == 0 ? p.x : i == 1 ? p.y : p.z) + 1) / 0.25;
            if (fabs(u - floor(u + 0.5)) < 0.02) /* it turns at the walls of a cell */
                length = -1e9;
        }
        sn_distance_field_near(&g->field, p, &touch);
        if (length < 0.1)
            continue;
        length = sqrt(length);
        assert_vec_close(touch.normal, vec(slope[0] / length, slope[1] / length, slope[2] / length), 5e-3);
    }
    free(g);
}

static void test_flat_grid_has_no_slope(void **state)
{
    (void)state;
    test_grid *g = grid_of(linear_function, NULL, vec(0, 0, 0), 1, 3, 3, 3);
    for (uint32_t i = 0; i < 27; ++i)
        g->sample[i] = real(0.5);
    sn_touch touch;
    sn_distance_field_near(&g->field, vec(1.3, 0.4, 1), &touch);
    assert_vec_same(touch.normal, vec(0, 1, 0));
    sn_distance_field_near(&g->field, vec((double)NAN, 1, 1), &touch); /* reads no sample that is not there */
    free(g);
}

/* ---- Cast -------------------------------------------------------------------------------------------------------- */

static double value_at(const sn_distance_field *field, const sn_path *path, double t)
{
    sn_touch touch;
    sn_distance_field_near(field,
                           vec((double)path->from.x + t * (double)path->displacement.x,
                               (double)path->from.y + t * (double)path->displacement.y,
                               (double)path->from.z + t * (double)path->displacement.z),
                           &touch);
    return (double)touch.distance;
}

/* At t the value is the radius, and it is more before. Sampling must not show a touch where none is found. */
static bool check_cast(const sn_distance_field *field, const sn_path *path, uint32_t samples)
{
    sn_real t = -1;
    sn_touch touch;
    bool met = sn_distance_field_cast(field, path, &t, &touch);
    double length = sqrt(dot(path->displacement, path->displacement)), until = met ? (double)t : 1,
           radius = (double)path->radius;
    double slack = 3e-6 * length + 1e-6 * (sqrt(dot(path->from, path->from)) + radius);
    for (uint32_t i = 0; i < samples; ++i)
        assert_true(value_at(field, path, until * i / samples) > radius - slack);
    if (!met)
        return false;
    assert_true(t >= 0 && t <= 1);
    assert_close(value_at(field, path, (double)t), radius, slack);
    assert_true(touch.distance == 0);
    assert_close(dot(touch.normal, touch.normal), 1, SUPPORT_ROUND_OFF / 10);
    return true;
}

static void random_path(uint64_t *seed, double size, sn_path *path)
{
    sn_vec3 aim = random_in(seed, size);
    path->from = random_in(seed, 4 * size);
    double k = support_random_in(seed, 0.5, 4);
    path->displacement = vec(k * ((double)aim.x - (double)path->from.x), k * ((double)aim.y - (double)path->from.y),
                             k * ((double)aim.z - (double)path->from.z));
    path->radius = support_random_below(seed, 4) ? real(size * support_random_in(seed, 0, 0.5)) : 0;
}

static void check_many_casts(const sn_distance_field *field, double size, uint64_t seed, uint32_t rounds)
{
    uint32_t met = 0, missed = 0;
    for (uint32_t round = 0; round < rounds; ++round) {
        sn_path path;
        random_path(&seed, size, &path);
        if (value_at(field, &path, 0) <= (double)path.radius + 1e-4 * size)
            continue;
        if (check_cast(field, &path, 200))
            ++met;
        else
            ++missed;
    }
    print_message("casts: %u met, %u missed\n", met, missed);
    assert_true(met > rounds / 5 && missed > rounds / 50);
}

static void test_cast_function(void **state)
{
    (void)state;
    double torus[2] = {1, 0.3};
    sn_solid box = {.type = SN_SOLID_BOX, .half = vec(1, 0.7, 0.4)}, ball = {.type = SN_SOLID_SPHERE, .radius = 100};
    sn_distance_field field = field_of(torus_function, torus, 1.3);
    check_many_casts(&field, 1.3, 5, support_rounds(3000, 200));
    field = field_of(solid_function, &box, 1);
    check_many_casts(&field, 1, 6, support_rounds(3000, 200));
    field = field_of(solid_function, &ball, 100);
    check_many_casts(&field, 100, 7, support_rounds(3000, 200));
}

/* Fields that are less than a distance take more steps, those that are more are passed at first, and then found. */
static void test_cast_functions_that_lie(void **state)
{
    (void)state;
    sn_solid box = {.type = SN_SOLID_BOX, .half = vec(1, 1, 1)};
    uint64_t seed = 8;
    for (uint32_t round = 0; round < 2000; ++round) {
        sn_vec3 aim = random_in(&seed, 0.5), from = random_in(&seed, 1);
        sn_path path = {vec(5, (double)from.y, (double)from.z), {0, 0, 0}, 0};
        path.displacement =
            vec(2 * ((double)aim.x - 5), 2 * ((double)aim.y - (double)from.y), 2 * ((double)aim.z - (double)from.z));
        sn_distance_field field = field_of(round % 2 ? half_function : steep_function, &box, 1);
        sn_real t = -1, expected = -1;
        sn_touch touch;
        assert_true(sn_distance_field_cast(&field, &path, &t, &touch));
        assert_true(sn_solid_cast(&box, &path, &expected, &touch));
        assert_close(t, expected, 1e-5);
    }
    sn_distance_field field = field_of(nan_function, NULL, 5);
    sn_path path = {vec(3, 0, 0), vec(-9, 0, 0), real(0.1)};
    sn_real t = -1;
    sn_touch touch;
    assert_false(sn_distance_field_cast(&field, &path, &t, &touch));
    path.from.x = -1;
    assert_false(sn_distance_field_cast(&field, &path, &t, &touch));
}

/* 300 m/s for 1/60 s, a millimetre across, at a box that a million such steps would fill. */
static void test_bullets(void **state)
{
    (void)state;
    uint64_t seed = 300;
    sn_solid box = {.type = SN_SOLID_BOX, .half = vec(0.5, 0.02, 0.5)};
    sn_distance_field function = field_of(solid_function, &box, 0.5);
    test_grid *g = grid_of(solid_function, &box, vec(-0.6, -0.06, -0.6), 0.02, 61, 7, 61);
    for (uint32_t round = 0; round < support_rounds(3000, 300); ++round) {
        sn_vec3 aim = vec(support_random_in(&seed, -0.45, 0.45), 0, support_random_in(&seed, -0.45, 0.45));
        sn_vec3 off = random_in(&seed, 2);
        double k = 5 / (sqrt(dot(off, off)) + 1e-3), before = support_random_in(&seed, 0.2, 0.9);
        sn_path path = {aim, vec(-k * (double)off.x, -k * (double)off.y, -k * (double)off.z), real(0.001)};
        path.from = vec((double)aim.x - before * (double)path.displacement.x,
                        (double)aim.y - before * (double)path.displacement.y,
                        (double)aim.z - before * (double)path.displacement.z);
        sn_real exact = -1;
        sn_touch touch;
        if (!sn_solid_cast(&box, &path, &exact, &touch))
            fail_msg("%s", "the bullet is aimed badly");
        if (fabs((double)path.from.y) < 0.1)
            continue; /* along the sheet */
        assert_true(check_cast(&function, &path, 100));
        assert_true(check_cast(&g->field, &path, 100));
    }
    free(g);
}

/* Grids of a torus, and of rubbish with small values, which is no distance at all. */
static void test_cast_grid(void **state)
{
    (void)state;
    double torus[2] = {1, 0.3};
    test_grid *g = grid_of(torus_function, torus, vec(-1.6, -0.6, -1.6), 0.1, 33, 13, 33);
    g->field.bounds = (sn_bounds){vec(-1.3, -0.3, -1.3), vec(1.3, 0.3, 1.3)};
    check_many_casts(&g->field, 1.3, 11, support_rounds(3000, 200));
    g->field.bounds = (sn_bounds){vec(-1.6, -0.6, -1.6), vec(1.6, 0.6, 1.6)};
    uint64_t seed = 12;
    uint32_t met = 0;
    for (uint32_t round = 0; round < support_rounds(2000, 200); ++round) {
        for (uint32_t i = 0; round % 50 == 0 && i < 33 * 13 * 33; ++i)
            g->sample[i] = real(0.1 * support_random_in(&seed, -0.3, 1));
        sn_vec3 from = random_in(&seed, 1), to = random_in(&seed, 1);
        sn_path path = {
            vec(from.x, 0.5 * (double)from.y, from.z),
            vec((double)to.x - (double)from.x, 0.5 * ((double)to.y - (double)from.y), (double)to.z - (double)from.z),
            0};
        if (value_at(&g->field, &path, 0) < 1e-3)
            continue;
        met += check_cast(&g->field, &path, 3000);
    }
    assert_true(met > 20);
    free(g);
}

static void test_cast_from_inside(void **state)
{
    (void)state;
    sn_solid box = {.type = SN_SOLID_BOX, .half = vec(1, 1, 1)};
    sn_distance_field fields[2] = {field_of(solid_function, &box, 1)};
    test_grid *g = grid_of(solid_function, &box, vec(-1.5, -1.5, -1.5), 0.1, 31, 31, 31);
    g->field.bounds = fields[0].bounds;
    fields[1] = g->field;
    for (int i = 0; i < 2; ++i) {
        sn_real t = -1;
        sn_touch touch;
        sn_path path = {vec(0, 1.25, 0), vec(0, -4, 0), real(0.5)};
        assert_true(sn_distance_field_cast(&fields[i], &path, &t, &touch) && t == 0); /* overlapping, inwards */
        assert_vec_close(touch.normal, vec(0, 1, 0), 1e-4);
        path.displacement = vec(0, 4, 0);
        assert_false(sn_distance_field_cast(&fields[i], &path, &t, &touch)); /* outwards */
        path.displacement = vec(0.4, 0, 0);
        assert_false(sn_distance_field_cast(&fields[i], &path, &t, &touch)); /* along */
        path.displacement = vec(0, 0, 0);
        assert_false(sn_distance_field_cast(&fields[i], &path, &t, &touch)); /* standing */
        path = (sn_path){vec(0.8, 0, 0.1), vec(7, 0, 0), real(0.1)};
        assert_false(sn_distance_field_cast(&fields[i], &path, &t, &touch)); /* from inside, out of it */
        path.displacement.x = -7;
        assert_true(sn_distance_field_cast(&fields[i], &path, &t, &touch) && t == 0);
        path = (sn_path){vec(0, 3, 0), vec(0, 0, 0), 1};
        assert_false(sn_distance_field_cast(&fields[i], &path, &t, &touch));
        path.displacement = vec(0, 0, 1e30); /* beside it, for ever */
        path.from.y = 30;
        assert_false(sn_distance_field_cast(&fields[i], &path, &t, &touch));
    }
    free(g);
}

/* A sphere that rests on a floor, or is even pressed into it a little, still meets the wall that it slides against. */
static void test_cast_along_a_floor(void **state)
{
    (void)state;
    for (int pressed = 0; pressed < 2; ++pressed) {
        sn_distance_field field = field_of(corner_function, NULL, (double)INFINITY);
        sn_path path = {vec(-3, pressed ? 0.099 : 0.1, 0), vec(5, 0, 0), real(0.1)};
        sn_real t = -1;
        sn_touch touch;
        assert_true(sn_distance_field_cast(&field, &path, &t, &touch));
        assert_close(t, 3.9 / 5, 2e-3);
        path.displacement = vec(-5, 0, 0);
        assert_false(sn_distance_field_cast(&field, &path, &t, &touch));
    }
}

/* ---- Baking ------------------------------------------------------------------------------------------------------ */

static sn_trimesh *box_mesh(const sn_allocator *allocator, double x, double y, double z)
{
    const uint32_t index[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    sn_vec3 vertex[8];
    for (int i = 0; i < 8; ++i)
        vertex[i] = vec(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    bool out_of_memory = false;
    char message[200] = "";
    sn_trimesh *mesh = sn_trimesh_create(allocator, vertex, 8, index, 12, &out_of_memory, message, sizeof message);
    if (!mesh || !sn_trimesh_is_closed(mesh, message, sizeof message))
        fail_msg("the box is not good: %s", message);
    return mesh;
}

#define AROUND 96
#define ACROSS 48

static sn_trimesh *torus_mesh(const sn_allocator *allocator, double major, double minor)
{
    static sn_vec3 vertex[AROUND * ACROSS];
    static uint32_t index[6 * AROUND * ACROSS];
    for (uint32_t i = 0; i < AROUND; ++i)
        for (uint32_t j = 0; j < ACROSS; ++j) {
            double a = 2 * 3.14159265358979 * i / AROUND, b = 2 * 3.14159265358979 * j / ACROSS;
            double ring = major + minor * cos(b);
            vertex[i * ACROSS + j] = vec(ring * cos(a), minor * sin(b), ring * sin(a));
            uint32_t i1 = (i + 1) % AROUND, j1 = (j + 1) % ACROSS;
            uint32_t q[4] = {i * ACROSS + j, i1 * ACROSS + j, i1 * ACROSS + j1, i * ACROSS + j1};
            const uint32_t six[6] = {q[0], q[2], q[1], q[0], q[3], q[2]};
            memcpy(index + 6 * (i * ACROSS + j), six, sizeof six);
        }
    bool out_of_memory = false;
    char message[200] = "";
    sn_trimesh *mesh = sn_trimesh_create(allocator, vertex, AROUND * ACROSS, index, 2 * AROUND * ACROSS, &out_of_memory,
                                         message, sizeof message);
    if (!mesh || !sn_trimesh_is_closed(mesh, message, sizeof message))
        fail_msg("the torus is not good: %s", message);
    return mesh;
}

/* Every sample of a baked box is what the box says. */
static void test_bake_box(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_allocator allocator = support_allocator(&memory);
    sn_trimesh *mesh = box_mesh(&allocator, 1, 0.5, 0.25);
    sn_solid box = {.type = SN_SOLID_BOX, .half = vec(1, 0.5, 0.25)};
    sn_distance_grid grid;
    assert_true(sn_distance_grid_bake(&grid, &allocator, NULL, mesh, real(0.1), 100000));
    assert_int_equal(grid.count[0], 25);
    assert_int_equal(grid.count[1], 15);
    assert_int_equal(grid.count[2], 10);
    assert_close(grid.cell, 0.1, 1e-6);
    assert_true((double)grid.low.x <= -1.199 && (double)grid.low.y <= -0.699 && (double)grid.low.z <= -0.449);
    for (uint32_t i = 0; i < 25 * 15 * 10; ++i) {
        sn_vec3 p = vec((double)grid.low.x + (double)grid.cell * (i % 25),
                        (double)grid.low.y + (double)grid.cell * (i / 25 % 15),
                        (double)grid.low.z + (double)grid.cell * (i / 25 / 15));
        sn_touch touch;
        sn_solid_near(&box, p, &touch);
        assert_close(grid.sample[i], touch.distance, SUPPORT_ROUND_OFF);
    }
    sn_distance_grid_release(&grid, &allocator);
    assert_null(grid.sample);
    sn_distance_grid_release(&grid, &allocator);
    sn_trimesh_destroy(mesh, &allocator);
    assert_memory_clean(&memory);
}

/* The cell grows until the samples fit, and not much more; two samples stay on every side. */
static void test_bake_sizes(void **state)
{
    (void)state;
    sn_trimesh *mesh = box_mesh(&sn_default_allocator, 3, 2, 1);
    const struct {
        double cell;
        uint32_t most;
    } cases[] = {{0.001, 20000},      {0, 5000}, {1e-30, 1000}, {-1, 300},
                 {(double)NAN, 1000}, {0.5, 0},  {100, 1000},   {0.001, 217}};
    for (uint32_t i = 0; i < COUNT_OF(cases); ++i) {
        sn_distance_grid grid;
        assert_true(
            sn_distance_grid_bake(&grid, &sn_default_allocator, NULL, mesh, real(cases[i].cell), cases[i].most));
        uint32_t samples = grid.count[0] * grid.count[1] * grid.count[2];
        assert_true(samples <= (cases[i].most > SN_GRID_LEAST ? cases[i].most : SN_GRID_LEAST));
        assert_true(i >= 5 || samples > cases[i].most / 2);
        double margin = 1.999 * (double)grid.cell;
        assert_true((double)grid.low.x <= -3 - margin && (double)grid.low.y <= -2 - margin);
        assert_true((double)grid.low.z + (double)grid.cell * (grid.count[2] - 1) >= 1 + margin);
        sn_distance_grid_release(&grid, &sn_default_allocator);
    }
    sn_trimesh_destroy(mesh, &sn_default_allocator);
}

/* A baked torus is a torus: near everywhere, and met by spheres where it should be, through its hole and not. */
static void test_bake_torus(void **state)
{
    (void)state;
    sn_trimesh *mesh = torus_mesh(&sn_default_allocator, 1, 0.3);
    double torus[2] = {1, 0.3};
    sn_distance_field field = {.bounds = sn_trimesh_bounds(mesh)}, exact = field_of(torus_function, torus, 1.3);
    assert_true(sn_distance_grid_bake(&field.grid, &sn_default_allocator, NULL, mesh, real(0.05), 100000));
    uint64_t seed = 31;
    for (uint32_t round = 0; round < 5000; ++round) {
        sn_vec3 p = random_in(&seed, 1.4);
        p.y /= 4;
        sn_touch touch;
        sn_distance_field_near(&field, p, &touch);
        double x = (double)p.x, z = (double)p.z, ring = sqrt(x * x + z * z);
        double tube = sqrt((ring - 1) * (ring - 1) + (double)p.y * (double)p.y);
        if (ring < 0.15 || tube < 0.1) /* where several spots are equally near a grid rounds the distance off */
            continue;
        assert_close(touch.distance, torus_function(torus, p), 0.01);
        if (tube > 0.2)
            assert_vec_close(touch.normal,
                             vec((ring - 1) / tube * x / ring, (double)p.y / tube, (ring - 1) / tube * z / ring), 0.15);
    }
    sn_path path = {vec(0.1, 2, 0.1), vec(0, -5, 0), real(0.4)}; /* through the hole */
    sn_real t = -1, expected = -1;
    sn_touch touch;
    assert_false(sn_distance_field_cast(&field, &path, &t, &touch));
    path.radius = real(0.8);
    assert_true(sn_distance_field_cast(&field, &path, &t, &touch)); /* too large for it */
    assert_true(sn_distance_field_cast(&exact, &path, &expected, &touch));
    assert_true(t > expected - real(0.005) && t < expected + real(0.04)); /* outside of the grid, so a little late */
    path.radius = real(0.65);
    path.from.z = real(0.5);
    assert_true(sn_distance_field_cast(&field, &path, &t, &touch));
    assert_true(sn_distance_field_cast(&exact, &path, &expected, &touch));
    assert_true(t > expected - real(0.005) && t < expected + real(0.04));
    path.radius = real(0.05);
    path.from.x = real(0.9);
    assert_true(sn_distance_field_cast(&field, &path, &t, &touch)); /* inside of it */
    assert_true(sn_distance_field_cast(&exact, &path, &expected, &touch));
    assert_close(t, expected, 2e-3);
    check_many_casts(&field, 1.3, 32, support_rounds(2000, 200));
    sn_distance_grid_release(&field.grid, &sn_default_allocator);
    sn_trimesh_destroy(mesh, &sn_default_allocator);
}

/* The same bits whoever does the work, and whatever the task system loses. */
static void test_bake_on_threads(void **state)
{
    (void)state;
    sn_trimesh *mesh = torus_mesh(&sn_default_allocator, 1, 0.4);
    sn_distance_grid alone, grid;
    assert_true(sn_distance_grid_bake(&alone, &sn_default_allocator, NULL, mesh, real(0.15), 100000));
    size_t bytes = (size_t)alone.count[0] * alone.count[1] * alone.count[2] * sizeof(sn_real);
    for (int mode = -1; mode <= SUPPORT_TASKS_LOSE; ++mode) {
        support_tasks tasks = {
            .mode = mode < 0 ? SUPPORT_TASKS_FORWARD : (support_task_mode)mode, .threads = 3, .lost = 5};
        sn_parallel parallel;
        memset(&parallel, 0, sizeof parallel);
        if (mode < 0)
            parallel.threads = 2;
        else
            parallel.tasks = support_tasks_hook(&tasks);
        assert_true(sn_distance_grid_bake(&grid, &sn_default_allocator, &parallel, mesh, real(0.15), 100000));
        assert_true(mode < 0 || tasks.runs > 0);
        assert_memory_equal(grid.sample, alone.sample, bytes);
        sn_distance_grid_release(&grid, &sn_default_allocator);
        sn_parallel_release(&parallel, &sn_default_allocator);
    }
    sn_distance_grid_release(&alone, &sn_default_allocator);
    sn_trimesh_destroy(mesh, &sn_default_allocator);
}

static void test_bake_without_memory(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_allocator allocator = support_allocator(&memory);
    sn_trimesh *mesh = box_mesh(&sn_default_allocator, 1, 1, 1);
    support_tasks tasks = {.mode = SUPPORT_TASKS_FORWARD};
    sn_parallel parallel;
    memset(&parallel, 0, sizeof parallel);
    parallel.tasks = support_tasks_hook(&tasks);
    uint64_t fail_at = 1;
    for (;; ++fail_at) {
        sn_distance_grid grid = {.cell = 7};
        memory.fail_at = memory.requests + fail_at;
        bool baked = sn_distance_grid_bake(&grid, &allocator, &parallel, mesh, real(0.2), 100000);
        sn_distance_grid_release(&grid, &allocator);
        sn_parallel_release(&parallel, &allocator);
        if (baked)
            break;
    }
    assert_true(fail_at > 2);
    sn_trimesh_destroy(mesh, &sn_default_allocator);
    assert_memory_clean(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_function),
        cmocka_unit_test(test_near_linear_grid),
        cmocka_unit_test(test_grid_slope),
        cmocka_unit_test(test_flat_grid_has_no_slope),
        cmocka_unit_test(test_cast_function),
        cmocka_unit_test(test_cast_functions_that_lie),
        cmocka_unit_test(test_bullets),
        cmocka_unit_test(test_cast_grid),
        cmocka_unit_test(test_cast_from_inside),
        cmocka_unit_test(test_cast_along_a_floor),
        cmocka_unit_test(test_bake_box),
        cmocka_unit_test(test_bake_sizes),
        cmocka_unit_test(test_bake_torus),
        cmocka_unit_test(test_bake_on_threads),
        cmocka_unit_test(test_bake_without_memory),
    };
    return cmocka_run_group_tests_name("distance fields", tests, NULL, NULL);
}
