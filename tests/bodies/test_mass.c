/* Mass, centre and inertia: of solids with known answers, of meshes near and far, of sums and turns, and their axes. */
#include "support/support.h"

#include "base/math.h"
#include "base/memory.h"
#include "bodies/mass.h"
#include "bodies/rotation.h"

static char why[320];

static void assert_inertia(const double *got, const double *expected, double tolerance)
{
    for (int i = 0; i < 6; ++i)
        assert_close(got[i], expected[i], tolerance);
}

/* Relative to the whole. */
static void assert_same(const sn_mass_properties *a, const sn_mass_properties *b, double tolerance)
{
    assert_close(a->mass, b->mass, tolerance * b->mass);
    for (int i = 0; i < 3; ++i)
        assert_close(a->centre[i], b->centre[i], tolerance);
    assert_inertia(a->inertia, b->inertia, tolerance * (b->inertia[0] + b->inertia[1] + b->inertia[2]));
}

/* ---- Shapes of triangles --------------------------------------------------------------------------------------------- */

enum { MOST = 2000 };

typedef struct shape {
    sn_vec3 vertex[MOST];
    uint32_t index[3 * MOST];
    uint32_t vertices, triangles;
} shape;

static void put_triangle(shape *s, uint32_t a, uint32_t b, uint32_t c)
{
    assert_true(s->triangles < MOST);
    uint32_t *corner = &s->index[3 * s->triangles++];
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

/* Vertex i is at the upper end of x, y, z if bit 0, 1, 2 of i is set. */
static void add_box(shape *s, sn_vec3 middle, sn_vec3 half, bool inside_out)
{
    static const uint32_t quad[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    uint32_t first = s->vertices;
    for (uint32_t i = 0; i < 8; ++i)
        s->vertex[s->vertices++] =
            vec((double)(middle.x + (i & 1 ? half.x : -half.x)), (double)(middle.y + (i & 2 ? half.y : -half.y)),
                (double)(middle.z + (i & 4 ? half.z : -half.z)));
    for (int i = 0; i < 6; ++i) {
        const uint32_t *q = quad[i];
        put_triangle(s, first + q[0], first + q[inside_out ? 2 : 1], first + q[inside_out ? 1 : 2]);
        put_triangle(s, first + q[0], first + q[inside_out ? 3 : 2], first + q[inside_out ? 2 : 3]);
    }
}

static shape box_of(sn_vec3 middle, sn_vec3 half)
{
    shape s = {.vertices = 0};
    add_box(&s, middle, half, false);
    return s;
}

static shape tetrahedron(void)
{
    shape s = {.vertices = 4, .vertex = {vec(0, 0, 0), vec(1.5, 0, 0.25), vec(0, 0, 1), vec(0.5, 2, 0.5)}};
    put_triangle(&s, 0, 1, 2);
    put_triangle(&s, 0, 3, 1);
    put_triangle(&s, 1, 3, 2);
    put_triangle(&s, 2, 3, 0);
    return s;
}

static bool mesh_mass(sn_mass_properties *mass, const shape *s, double density)
{
    bool out_of_memory;
    return sn_mass_of_mesh(mass, &sn_default_allocator, s->vertex, s->vertices, s->index, s->triangles, density,
                           &out_of_memory, why, sizeof why);
}

static bool convex_mass(sn_mass_properties *mass, const shape *s, double radius, double density)
{
    bool out_of_memory;
    return sn_mass_of_convex(mass, &sn_default_allocator, s->vertex, s->vertices, s->index, s->triangles, radius,
                             density, &out_of_memory, why, sizeof why);
}

/* ---- Solids ---------------------------------------------------------------------------------------------------------- */

static void test_known(void **state)
{
    (void)state;
    sn_mass_properties m;
    const double half[3] = {1, 2, 3};
    assert_true(sn_mass_of_sphere(&m, 2, 3, why, sizeof why));
    double mass = 4 * MATH_PI / 3 * 8 * 3;
    assert_close(m.mass, mass, 1e-12 * mass);
    assert_inertia(m.inertia, (double[6]){0.4 * mass * 4, 0.4 * mass * 4, 0.4 * mass * 4}, 1e-12 * mass);
    assert_true(m.centre[0] == 0 && m.centre[1] == 0 && m.centre[2] == 0);

    assert_true(sn_mass_of_box(&m, half, 0, 0.5, why, sizeof why));
    assert_close(m.mass, 24, 1e-13);
    assert_inertia(m.inertia, (double[6]){8 * (4 + 9), 8 * (1 + 9), 8 * (1 + 4)}, 1e-12);

    double h = 1.5, r = 0.4; /* a cylinder and two halves of a ball, whose centres are 3/8 r beyond its ends */
    double tube = MATH_PI * r * r * 2 * h, ball = 4 * MATH_PI / 3 * r * r * r;
    double about = tube * r * r / 2 + 0.4 * ball * r * r;
    double across = tube * (r * r / 4 + h * h / 3) + ball * (0.4 * r * r + h * h + 0.75 * r * h);
    assert_true(sn_mass_of_capsule(&m, h, r, 1000, why, sizeof why));
    assert_close(m.mass, 1000 * (tube + ball), 1e-10);
    assert_inertia(m.inertia, (double[6]){1000 * across, 1000 * about, 1000 * across}, 1e-9);
}

static void test_mesh(void **state)
{
    (void)state;
    sn_mass_properties m, box;
    shape s = box_of(vec(1, -2, 0.5), vec(0.5, 1, 0.25));
    assert_true(sn_mass_of_box(&box, (double[3]){0.5, 1, 0.25}, 0, 7, why, sizeof why));
    sn_mass_move(&box, (sn_quat){0, 0, 0, 1}, (double[3]){1, -2, 0.5});
    assert_true(mesh_mass(&m, &s, 7));
    assert_same(&m, &box, 1e-15);
    assert_true(convex_mass(&m, &s, 0, 7));
    assert_same(&m, &box, 1e-15);

    /* a tetrahedron with a corner at the origin and edges a, b, c along the axes: volume abc/6, centre a/4, and about
       the corner the integral of x^2 is a^2 V/10, that of xy ab V/20 */
    shape t = {.vertices = 4, .vertex = {vec(0, 0, 0), vec(1, 0, 0), vec(0, 2, 0), vec(0, 0, 4)}};
    put_triangle(&t, 0, 2, 1);
    put_triangle(&t, 0, 1, 3);
    put_triangle(&t, 0, 3, 2);
    put_triangle(&t, 1, 2, 3);
    assert_true(mesh_mass(&m, &t, 3));
    double mass = 8.0 / 6 * 3, k = mass * (1.0 / 10 - 1.0 / 16), l = -mass * (1.0 / 20 - 1.0 / 16);
    assert_close(m.mass, mass, 1e-14);
    for (int i = 0; i < 3; ++i)
        assert_close(m.centre[i], 0.25 * (1 << i), 1e-14);
    assert_inertia(m.inertia, (double[6]){k * (4 + 16), k * (1 + 16), k * (1 + 4), l * 2, l * 4, l * 8}, 1e-13);
}

/* Where its vertices are the same numbers but for the place, so is its mass. */
static void test_far_away(void **state)
{
    (void)state;
    const double way = SINEW_DOUBLE ? 0x1p45 : 0x1p17;
    shape s = tetrahedron(), far = s;
    for (uint32_t i = 0; i < s.vertices; ++i) /* exact: all are eighths */
        far.vertex[i] = vec((double)s.vertex[i].x + way, (double)s.vertex[i].y - way, (double)s.vertex[i].z + way);
    sn_mass_properties near_by, away;
    for (int k = 0; k < 3; ++k) {
        assert_true(k == 0 ? mesh_mass(&near_by, &s, 1000) : convex_mass(&near_by, &s, k - 1, 1000));
        assert_true(k == 0 ? mesh_mass(&away, &far, 1000) : convex_mass(&away, &far, k - 1, 1000));
        sn_mass_move(&near_by, (sn_quat){0, 0, 0, 1}, (double[3]){way, -way, way});
        assert_close(near_by.mass, away.mass, 1e-13 * away.mass);
        for (int i = 0; i < 3; ++i)
            assert_close(near_by.centre[i], away.centre[i], 1e-15 * way);
        assert_inertia(near_by.inertia, away.inertia, 1e-13 * away.inertia[0]);
    }
}

/* A hollow box: the outer one less the inner one. And two boxes in one mesh: their sum. */
static void test_pieces(void **state)
{
    (void)state;
    sn_mass_properties m, outer, inner;
    shape s = box_of(vec(0, 0, 0), vec(2, 2, 2));
    add_box(&s, vec(0.5, 0, 0), vec(1, 1, 1), true);
    assert_true(mesh_mass(&m, &s, 1));
    assert_close(m.mass, 64 - 8, 1e-12);
    assert_close(m.centre[0], -8 * 0.5 / 56, 1e-14);
    assert_true(sn_mass_of_box(&outer, (double[3]){2, 2, 2}, 0, 1, why, sizeof why));
    assert_true(sn_mass_of_box(&inner, (double[3]){1, 1, 1}, 0, 1, why, sizeof why));
    assert_close(m.inertia[0], outer.inertia[0] - inner.inertia[0], 1e-11);

    s = box_of(vec(0, 0, 0), vec(2, 2, 2));
    add_box(&s, vec(5, 6, 7), vec(1, 1, 1), false);
    assert_true(mesh_mass(&m, &s, 1));
    sn_mass_move(&inner, (sn_quat){0, 0, 0, 1}, (double[3]){5, 6, 7});
    sn_mass_add(&outer, &inner);
    assert_same(&m, &outer, 1e-14);
}

/* ---- Rounded solids -------------------------------------------------------------------------------------------------- */

/* Two ways to the same: by regions, and by faces, edges and corners of a mesh, diagonals of faces included. */
static void test_rounded_box(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int n = 0; n < 50; ++n) {
        double half[3], r = support_random_in(&seed, 0, 2);
        for (int i = 0; i < 3; ++i)
            half[i] = (double)real(support_random_in(&seed, 0.1, 2));
        shape s = box_of(vec(0, 0, 0), vec(half[0], half[1], half[2]));
        sn_mass_properties m, box;
        assert_true(sn_mass_of_box(&box, half, r, 500, why, sizeof why));
        assert_true(convex_mass(&m, &s, r, 500));
        assert_same(&m, &box, 1e-13);
    }
}

/* By counting: small cubes whose middle is within the radius of the mesh. */
static void test_rounded_by_counting(void **state)
{
    (void)state;
    enum { CELLS = 64 };
    const double radius = 0.5, low[3] = {-0.5, -0.5, -0.5}, high[3] = {2, 2.5, 1.5};
    shape s = tetrahedron();
    bool out_of_memory;
    sn_trimesh *mesh = sn_trimesh_create(&sn_default_allocator, s.vertex, s.vertices, s.index, s.triangles,
                                         &out_of_memory, why, sizeof why);
    assert_non_null(mesh);
    sn_mass_properties m, counted = {0};
    double edge[3], second[6] = {0};
    for (int i = 0; i < 3; ++i)
        edge[i] = (high[i] - low[i]) / CELLS;
    double cell = edge[0] * edge[1] * edge[2];
    for (int i = 0; i < CELLS * CELLS * CELLS; ++i) {
        const int at[3] = {i % CELLS, i / CELLS % CELLS, i / CELLS / CELLS};
        double p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = low[k] + (at[k] + 0.5) * edge[k];
        sn_touch touch;
        if (!sn_trimesh_near(mesh, vec(p[0], p[1], p[2]), real(INFINITY), &touch) || (double)touch.distance > radius)
            continue;
        counted.mass += cell;
        for (int k = 0; k < 3; ++k) {
            counted.centre[k] += cell * p[k];
            second[k] += cell * p[k] * p[k];
            second[3 + k] += cell * p[k == 2] * p[k == 0 ? 1 : 2];
        }
    }
    sn_trimesh_destroy(mesh, &sn_default_allocator);
    double *c = counted.centre;
    for (int k = 0; k < 3; ++k)
        c[k] /= counted.mass;
    for (int k = 0; k < 3; ++k) {
        second[k] -= counted.mass * c[k] * c[k];
        second[3 + k] -= counted.mass * c[k == 2] * c[k == 0 ? 1 : 2];
    }
    for (int k = 0; k < 3; ++k) {
        counted.inertia[k] = second[(k + 1) % 3] + second[(k + 2) % 3];
        counted.inertia[3 + k] = -second[3 + k];
    }
    assert_true(convex_mass(&m, &s, radius, 1));
    assert_same(&m, &counted, 1e-3);
    assert_true(fabs(m.inertia[3]) > 0.01 * m.inertia[0]); /* products are there to be compared */
}

/* A face cut with a vertex on its edge: the sliver has no normal of its own, and must not matter. */
static void test_slivers(void **state)
{
    (void)state;
    const double half[3] = {1, 1, 1};
    shape s = box_of(vec(0, 0, 0), vec(1, 1, 1));
    s.triangles = 0;
    static const uint32_t quad[5][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {2, 6, 7, 3}, {0, 2, 3, 1}, {0, 1, 5, 4}};
    for (int i = 0; i < 4; ++i) {
        put_triangle(&s, quad[i][0], quad[i][1], quad[i][2]);
        put_triangle(&s, quad[i][0], quad[i][2], quad[i][3]);
    }
    s.vertex[8] = vec(0, -1, 1); /* two on the edge from 4 to 5 */
    s.vertex[9] = vec(0.5, -1, 1);
    s.vertices = 10;
    put_triangle(&s, 4, 0, 1); /* the side at the bottom, as a fan from 4: the last two have no area */
    put_triangle(&s, 4, 1, 5);
    put_triangle(&s, 4, 5, 9);
    put_triangle(&s, 4, 9, 8);
    put_triangle(&s, 6, 4, 8); /* and the side at the upper end of z */
    put_triangle(&s, 6, 8, 9);
    put_triangle(&s, 6, 9, 5);
    put_triangle(&s, 6, 5, 7);
    for (int k = 0; k < 3; ++k) {
        sn_mass_properties m, box;
        assert_true(sn_mass_of_box(&box, half, 0.5 * k, 2, why, sizeof why));
        assert_true(convex_mass(&m, &s, 0.5 * k, 2));
        assert_same(&m, &box, 1e-14);
    }
    s.vertex[8] = vec(0, -1 + 0x1p-22, 1); /* as rounding might have it: now their normals are anything */
    s.vertex[9] = vec(0.5, -1, 1 - 0x1p-22);
    for (int k = 0; k < 3; ++k) {
        sn_mass_properties m, box;
        assert_true(sn_mass_of_box(&box, half, 0.5 * k, 2, why, sizeof why));
        assert_true(convex_mass(&m, &s, 0.5 * k, 2));
        assert_same(&m, &box, 1e-6);
    }
}

/* ---- What is refused ------------------------------------------------------------------------------------------------- */

static void test_bad_solids(void **state)
{
    (void)state;
    sn_mass_properties m = {.mass = 5};
    const double bad[] = {NAN, INFINITY, -INFINITY, -1};
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        assert_false(sn_mass_of_sphere(&m, bad[i], 1, why, sizeof why));
        assert_says(why, "radius finite");
        assert_false(sn_mass_of_sphere(&m, 1, bad[i], why, sizeof why));
        assert_says(why, "density finite");
        assert_false(sn_mass_of_capsule(&m, bad[i], 1, 1, why, sizeof why));
        assert_says(why, "half length finite");
        assert_false(sn_mass_of_box(&m, (double[3]){1, 1, bad[i]}, 0, 1, why, sizeof why));
        assert_says(why, "half edge z finite");
        assert_false(sn_mass_of_box(&m, (double[3]){1, 1, 1}, bad[i], 1, why, sizeof why));
        assert_says(why, "radius");
    }
    assert_false(sn_mass_of_sphere(&m, 0, 1, why, sizeof why));
    assert_says(why, "mass of 0 kg");
    assert_false(sn_mass_of_sphere(&m, 1, 0, why, sizeof why));
    assert_says(why, "density");
    assert_false(sn_mass_of_sphere(&m, 1e-70, 1, why, sizeof why)); /* its inertia is too small for a double */
    assert_false(sn_mass_of_sphere(&m, 1e70, 1, why, sizeof why));
    assert_false(sn_mass_of_box(&m, (double[3]){1, 0, 1}, 0, 1, why, sizeof why));
    assert_true(sn_mass_of_box(&m, (double[3]){1, 0, 1}, 0.1, 1, why, sizeof why));
}

/* Refused by both; each has its own words. */
static void both_refuse(const shape *s, const char *words)
{
    sn_mass_properties m = {.mass = 5};
    assert_false(mesh_mass(&m, s, 1));
    assert_says(why, words);
    assert_false(convex_mass(&m, s, 0.1, 1));
    assert_says(why, words);
    assert_true(m.mass == 5);
}

static void test_bad_meshes(void **state)
{
    (void)state;
    const shape good = box_of(vec(0, 0, 0), vec(1, 1, 1));
    shape s = good;
    s.triangles = 11;
    both_refuse(&s, "edge vertex 4 vertex 7|6");
    s = good;
    s.triangles = 0;
    both_refuse(&s, "triangle");
    s = good;
    s.index[7] = 8;
    both_refuse(&s, "triangle 2 corner 1 vertex 8");
    s.index[7] = s.index[6];
    both_refuse(&s, "triangle 2 two of its corners");
    s = good;
    s.index[0] = good.index[1]; /* one triangle the other way round */
    s.index[1] = good.index[0];
    both_refuse(&s, "edge vertex");
    s = good;
    s.vertex[3].y = real(NAN);
    both_refuse(&s, "vertex 3 y nan");
    s.vertex[3].y = real(2e15);
    both_refuse(&s, "vertex 3 y 2e+15");
    s = (shape){.vertices = 0};
    add_box(&s, vec(0, 0, 0), vec(1, 1, 1), true);
    both_refuse(&s, "inside out volume -8");
    s = (shape){.vertices = 3, .vertex = {vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0)}};
    put_triangle(&s, 0, 1, 2);
    put_triangle(&s, 0, 2, 1);
    both_refuse(&s, "no volume flat");

    sn_mass_properties m;
    assert_false(convex_mass(&m, &good, -1, 1));
    assert_says(why, "radius");
    assert_false(convex_mass(&m, &good, 0, NAN));
    assert_says(why, "density");
    assert_false(mesh_mass(&m, &good, 0));
    assert_says(why, "density");
}

static void test_not_convex(void **state)
{
    (void)state;
    shape s = box_of(vec(0, 0, 0), vec(1, 1, 1));
    sn_mass_properties m;
    s.vertex[7] = vec(0.5, 0.5, 0.5); /* a corner pushed in, so that diagonals are hollow */
    assert_true(mesh_mass(&m, &s, 1));
    assert_false(convex_mass(&m, &s, 0.1, 1));
    assert_says(why, "not convex edge vertex hollow");
    s = box_of(vec(0, 0, 0), vec(1, 1, 1));
    add_box(&s, vec(5, 0, 0), vec(1, 1, 1), false);
    assert_false(convex_mass(&m, &s, 0.1, 1));
    assert_says(why, "not one convex");
}

static void test_no_memory(void **state)
{
    (void)state;
    shape s = box_of(vec(0, 0, 0), vec(1, 1, 1));
    for (int convex = 0; convex < 2; ++convex) {
        bool ok = false;
        for (uint64_t fail_at = 1; !ok; ++fail_at) {
            assert_true(fail_at < 100);
            support_memory memory = {.fail_at = fail_at};
            sn_allocator allocator = support_allocator(&memory);
            sn_mass_properties m = {.mass = 5};
            bool out_of_memory = false;
            ok = convex ? sn_mass_of_convex(&m, &allocator, s.vertex, s.vertices, s.index, s.triangles, 0.1, 1,
                                            &out_of_memory, why, sizeof why)
                        : sn_mass_of_mesh(&m, &allocator, s.vertex, s.vertices, s.index, s.triangles, 1, &out_of_memory,
                                          why, sizeof why);
            assert_memory_clean(&memory);
            assert_true(out_of_memory == !ok);
            assert_true(ok ? fail_at > 1 : m.mass == 5 && support_says(why, "no memory"));
        }
    }
}

/* ---- Arithmetic ------------------------------------------------------------------------------------------------------ */

static void random_turn(uint64_t *seed, double q[4])
{
    for (int i = 0; i < 4; ++i)
        q[i] = (double)real(support_random_in(seed, -1, 1));
}

/* A mesh that is turned and moved, and its mass likewise. */
static void test_move(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int n = 0; n < 100; ++n) {
        double q[4], way[3] = {1, -2, 3};
        random_turn(&seed, q);
        sn_quat rotation = {real(q[0]), real(q[1]), real(q[2]), real(q[3])};
        sn_rotate_normalise(q);
        shape s = tetrahedron(), moved = s;
        for (uint32_t i = 0; i < s.vertices; ++i) {
            double p[3] = {(double)s.vertex[i].x, (double)s.vertex[i].y, (double)s.vertex[i].z};
            sn_rotate_vector(q, p, p);
            moved.vertex[i] = vec(p[0] + way[0], p[1] + way[1], p[2] + way[2]);
        }
        sn_mass_properties a, b;
        assert_true(convex_mass(&a, &s, 0.25, 10) && convex_mass(&b, &moved, 0.25, 10));
        sn_mass_move(&a, rotation, way);
        assert_same(&a, &b, SUPPORT_ROUND_OFF);
    }
    sn_mass_properties a, b;
    shape s = tetrahedron();
    assert_true(mesh_mass(&a, &s, 10));
    b = a;
    sn_mass_move(&b, (sn_quat){0, 0, 0, 2}, (double[3]){0, 0, 0});
    assert_same(&a, &b, 0);
}

/* A box is two halves; and it does not matter which comes first. */
static void test_add(void **state)
{
    (void)state;
    sn_mass_properties whole, half, other, sum = {0};
    assert_true(sn_mass_of_box(&whole, (double[3]){2, 1, 3}, 0, 4, why, sizeof why));
    assert_true(sn_mass_of_box(&half, (double[3]){0.5, 1, 3}, 0, 4, why, sizeof why));
    assert_true(sn_mass_of_box(&other, (double[3]){1.5, 1, 3}, 0, 4, why, sizeof why));
    sn_mass_move(&half, (sn_quat){0, 0, 0, 1}, (double[3]){11.5, 20, 30});
    sn_mass_move(&other, (sn_quat){0, 0, 0, 1}, (double[3]){9.5, 20, 30});
    sn_mass_move(&whole, (sn_quat){0, 0, 0, 1}, (double[3]){10, 20, 30});
    sn_mass_add(&sum, &half);
    assert_memory_equal(&sum, &half, sizeof sum);
    sn_mass_add(&sum, &other);
    assert_same(&sum, &whole, 1e-14);
    sn_mass_properties back = other;
    sn_mass_add(&back, &half);
    assert_same(&back, &whole, 1e-14);

    sn_mass_properties nothing = {0};
    sn_mass_add(&nothing, &(sn_mass_properties){0});
    assert_true(nothing.mass == 0 && nothing.centre[0] == 0 && nothing.inertia[0] == 0);

    /* products: two points on a diagonal */
    sn_mass_properties a = {.mass = 1, .centre = {1, 1, 1}}, b = {.mass = 1, .centre = {-1, -1, -1}};
    sn_mass_add(&a, &b);
    assert_inertia(a.inertia, (double[6]){4, 4, 4, -2, -2, -2}, 1e-15);
}

/* ---- Principal axes -------------------------------------------------------------------------------------------------- */

static void check_axes(const double inertia[6], double moment[3], double q[4], double tolerance)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double r[3][3], again[4], same[3], scale = inertia[0] + inertia[1] + inertia[2];
    sn_mass_principal(inertia, moment, q);
    sn_rotate_matrix(q, r);
    assert_close(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 4e-15);
    assert_true(q[3] >= 0);
    for (int i = 0; i < 6; ++i) {
        double sum = 0;
        for (int k = 0; k < 3; ++k)
            sum += r[row[i]][k] * moment[k] * r[column[i]][k];
        assert_close(sum, inertia[i], tolerance * scale);
    }
    for (int k = 0; k < 3; ++k)
        assert_true(moment[k] >= 0 && moment[k] <= moment[(k + 1) % 3] + moment[(k + 2) % 3] + 1e-12 * scale);
    sn_mass_principal(inertia, same, again);
    assert_memory_equal(again, q, sizeof again);
    assert_memory_equal(same, moment, sizeof same);
}

static void test_principal(void **state)
{
    (void)state;
    uint64_t seed = 13;
    double moment[3], found[3], q[4];
    for (int n = 0; n < 3000; ++n) {
        double part[3], turn[4], scale = pow(10, support_random_in(&seed, -20, 20));
        for (int i = 0; i < 3; ++i)
            part[i] = n % 4 == 1 && i ? part[0] : n % 4 == 2 && i == 1 ? 0 : support_random_in(&seed, 0, scale);
        if (n % 4 == 3) /* rods: one moment is none */
            part[1] = part[2] = 0;
        random_turn(&seed, turn);
        sn_mass_properties m = {.mass = 1, .inertia = {part[1] + part[2], part[0] + part[2], part[0] + part[1]}};
        sn_mass_move(&m, (sn_quat){real(turn[0]), real(turn[1]), real(turn[2]), real(turn[3])}, (double[3]){0, 0, 0});
        check_axes(m.inertia, found, q, 1e-11);
        assert_true(sn_mass_check_moments(found, why, sizeof why));
    }
    const double upright[4] = {0, 0, 0, 1}, straight[6] = {3, 1, 2}, equal[6] = {2, 2, 2, 1e-15, -1e-15, 1e-14},
                 flat[6] = {2, 2, 4, 1, 0, 0}, none[6] = {0};
    check_axes(straight, moment, q, 0);
    assert_memory_equal(q, upright, sizeof q);
    assert_true(moment[0] == 3 && moment[1] == 1 && moment[2] == 2);
    check_axes(equal, moment, q, 1e-14);
    assert_memory_equal(q, upright, sizeof q);
    check_axes(flat, moment, q, 1e-15); /* about z by an eighth of a turn, and about nothing else */
    assert_true(q[0] == 0 && q[1] == 0);
    assert_close(fabs(q[2]), sin(MATH_PI / 8), 1e-15);
    assert_true(moment[2] == 4);
    check_axes(none, moment, q, 0);
    assert_memory_equal(q, upright, sizeof q);
}

static void test_check(void **state)
{
    (void)state;
    static const struct {
        double moment[3];
        const char *words; /* NULL: fine */
    } cases[] = {{{1, 2, 3}, NULL},
                 {{0, 0, 0}, NULL},
                 {{0, 1, 1}, NULL},
                 {{1, 1, 2.000001}, NULL},
                 {{1, 1, 2.00001}, "about z 2.00001 others"},
                 {{5, 1, 2}, "about x 5 others 1 2"},
                 {{1, -1e-9, 1}, "about y -1e-09 negative"},
                 {{1, 1, NAN}, "about z nan finite"},
                 {{INFINITY, 1, 1}, "about x inf finite"}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        const double *a = cases[i].moment;
        bool fine = sn_mass_check_moments(a, why, sizeof why);
        assert_true(fine == !cases[i].words);
        if (!fine)
            assert_says(why, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),       cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_far_away),    cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_rounded_box), cmocka_unit_test(test_rounded_by_counting),
        cmocka_unit_test(test_slivers),     cmocka_unit_test(test_bad_solids),
        cmocka_unit_test(test_bad_meshes),  cmocka_unit_test(test_not_convex),
        cmocka_unit_test(test_no_memory),   cmocka_unit_test(test_move),
        cmocka_unit_test(test_add),         cmocka_unit_test(test_principal),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests_name("mass properties", tests, NULL, NULL);
}
