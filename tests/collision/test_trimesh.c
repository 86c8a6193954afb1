/* Meshes of triangles: what is refused, what is closed, how far away they are, and that nothing gets through. */
#include "support/support.h"

#include "base/dvec.h"
#include "base/math.h"
#include "collision/triangle.h"
#include "collision/trimesh.h"

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

enum { MOST = 6000 };

typedef struct shape {
    sn_vec3 vertex[MOST];
    uint32_t index[3 * MOST];
    uint32_t vertices, triangles;
} shape;

static shape made; /* the one at hand; too large for the stack */

static uint32_t put_vertex(shape *s, double x, double y, double z)
{
    assert_true(s->vertices < MOST);
    s->vertex[s->vertices] = vec(x, y, z);
    return s->vertices++;
}

static void put_triangle(shape *s, uint32_t a, uint32_t b, uint32_t c)
{
    assert_true(s->triangles < MOST);
    uint32_t *corner = &s->index[3 * s->triangles++];
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

static void put_quad(shape *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    put_triangle(s, a, b, c);
    put_triangle(s, a, c, d);
}

static void make_tetrahedron(shape *s, double x, double y, double z) /* its top */
{
    s->vertices = s->triangles = 0;
    put_vertex(s, 0, 0, 0);
    put_vertex(s, 1, 0, 0);
    put_vertex(s, 0, 0, 1);
    put_vertex(s, x, y, z);
    put_triangle(s, 0, 1, 2);
    put_triangle(s, 0, 3, 1);
    put_triangle(s, 1, 3, 2);
    put_triangle(s, 2, 3, 0);
}

/* A polygon (x and -z, counter-clockwise, all of it seen from its first corner), one metre high. */
static void make_polygon(shape *s, const double at[][2], uint32_t count)
{
    s->vertices = s->triangles = 0;
    for (uint32_t k = 0; k < 2 * count; ++k)
        put_vertex(s, at[k % count][0], k < count ? 0 : 1, -at[k % count][1]);
    for (uint32_t k = 1; k + 1 < count; ++k) {
        put_triangle(s, 0, k + 1, k);
        put_triangle(s, count, count + k, count + k + 1);
    }
    for (uint32_t k = 0; k < count; ++k)
        put_quad(s, k, (k + 1) % count, count + (k + 1) % count, count + k);
}

/* An L. */
static void make_prism(shape *s)
{
    static const double at[6][2] = {{1, 1}, {1, 3}, {0, 3}, {0, 0}, {3, 0}, {3, 1}};
    make_polygon(s, at, 6);
}

static bool in_prism(sn_vec3 p)
{
    double x = (double)p.x, y = (double)p.y, z = -(double)p.z;
    return y > 0 && y < 1 && x > 0 && z > 0 && ((x < 1 && z < 3) || (x < 3 && z < 1));
}

static void make_torus(shape *s, uint32_t around, uint32_t along, double large, double small)
{
    s->vertices = s->triangles = 0;
    for (uint32_t i = 0; i < along; ++i)
        for (uint32_t k = 0; k < around; ++k) {
            double a = 2 * MATH_PI * i / along, b = 2 * MATH_PI * k / around, r = large + small * math_cos(b);
            put_vertex(s, r * math_cos(a), small * math_sin(b), -r * math_sin(a));
        }
    for (uint32_t i = 0; i < along; ++i)
        for (uint32_t k = 0; k < around; ++k) {
            uint32_t next = (i + 1) % along * around, at = i * around, up = (k + 1) % around;
            put_quad(s, at + k, next + k, next + up, at + up);
        }
}

static uint32_t middle_of(shape *s, uint32_t a, uint32_t b, uint32_t first)
{
    sn_dvec3 sum = dvec3_add(dvec3_from(s->vertex[a]), dvec3_from(s->vertex[b]));
    sn_vec3 v = dvec3_round(dvec3_scale(sum, 1 / dvec3_length(sum)));
    for (uint32_t i = first; i < s->vertices; ++i)
        if (support_gap(s->vertex[i], v) < 1e-5)
            return i;
    s->vertex[s->vertices] = v;
    return s->vertices++;
}

static void make_sphere(shape *s, uint32_t cuts)
{
    static const int8_t axis[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    s->vertices = s->triangles = 0;
    for (int k = 0; k < 6; ++k)
        put_vertex(s, axis[k][0], axis[k][1], axis[k][2]);
    for (uint32_t k = 0; k < 8; ++k) {
        uint32_t x = k & 1, y = 2 + (k >> 1 & 1), z = 4 + (k >> 2);
        if ((k & 1) ^ (k >> 1 & 1) ^ (k >> 2))
            put_triangle(s, x, z, y);
        else
            put_triangle(s, x, y, z);
    }
    for (; cuts; --cuts) {
        uint32_t before = s->triangles, first = s->vertices;
        for (uint32_t i = 0; i < before; ++i) {
            uint32_t a = s->index[3 * i], b = s->index[3 * i + 1], c = s->index[3 * i + 2];
            uint32_t ab = middle_of(s, a, b, first), bc = middle_of(s, b, c, first), ca = middle_of(s, c, a, first);
            s->index[3 * i + 1] = ab;
            s->index[3 * i + 2] = ca;
            put_triangle(s, ab, b, bc);
            put_triangle(s, ca, bc, c);
            put_triangle(s, ab, bc, ca);
        }
    }
}

/* A star: a sphere whose corners are pulled out and pushed in. */
static void make_star(shape *s, uint64_t seed)
{
    make_sphere(s, 2);
    for (uint32_t i = 0; i < s->vertices; ++i)
        s->vertex[i] = vec3_scale(s->vertex[i], real(support_random_in(&seed, 0.2, 2)));
}

/* A flat grid of n by n squares at a height, its front up. */
static void make_grid(shape *s, uint32_t n, double cell, double height)
{
    s->vertices = s->triangles = 0;
    for (uint32_t i = 0; i <= n; ++i)
        for (uint32_t k = 0; k <= n; ++k)
            put_vertex(s, k * cell, height, i * cell);
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t k = 0; k < n; ++k) {
            uint32_t at = i * (n + 1) + k;
            put_quad(s, at, at + n + 1, at + n + 2, at + 1);
        }
}

static void turn_inside_out(shape *s)
{
    for (uint32_t i = 0; i < s->triangles; ++i) {
        uint32_t keep = s->index[3 * i];
        s->index[3 * i] = s->index[3 * i + 1];
        s->index[3 * i + 1] = keep;
    }
}

static sn_trimesh *mesh_of(const shape *s)
{
    bool out_of_memory = true;
    char message[256] = "";
    sn_trimesh *mesh = sn_trimesh_create(&sn_default_allocator, s->vertex, s->vertices, s->index, s->triangles,
                                         &out_of_memory, message, sizeof message);
    if (!mesh)
        fail_msg("refused: %s", message);
    assert_false(out_of_memory);
    return mesh;
}

static sn_trimesh *closed_mesh_of(const shape *s)
{
    char message[256] = "";
    sn_trimesh *mesh = mesh_of(s);
    if (!sn_trimesh_is_closed(mesh, message, sizeof message))
        fail_msg("not closed: %s", message);
    return mesh;
}

static void destroy(sn_trimesh *mesh)
{
    sn_trimesh_destroy(mesh, &sn_default_allocator);
}

/* ---- Independent answers, in double ------------------------------------------------------------------------------ */

static double segment_distance(sn_dvec3 p, sn_dvec3 a, sn_dvec3 b)
{
    sn_dvec3 ab = dvec3_sub(b, a), ap = dvec3_sub(p, a);
    double t = dvec3_dot(ap, ab) / dvec3_dot(ab, ab);
    return dvec3_length(dvec3_sub(ap, dvec3_scale(ab, t < 0 ? 0 : t > 1 ? 1 : t)));
}

static double triangle_distance(sn_dvec3 p, sn_dvec3 a, sn_dvec3 b, sn_dvec3 c)
{
    sn_dvec3 n = dvec3_cross(dvec3_sub(b, a), dvec3_sub(c, a)), pa = dvec3_sub(a, p), pb = dvec3_sub(b, p),
             pc = dvec3_sub(c, p);
    n = dvec3_scale(n, 1 / dvec3_length(n));
    double u = dvec3_dot(dvec3_cross(pa, pb), n), v = dvec3_dot(dvec3_cross(pb, pc), n),
           w = dvec3_dot(dvec3_cross(pc, pa), n);
    if (u >= 0 && v >= 0 && w >= 0)
        return fabs(dvec3_dot(pa, n));
    return fmin(segment_distance(p, a, b), fmin(segment_distance(p, b, c), segment_distance(p, c, a)));
}

static sn_dvec3 corner_at(const shape *s, uint32_t triangle, uint32_t k)
{
    return dvec3_from(s->vertex[s->index[3 * triangle + k]]);
}

static double brute_distance(const shape *s, sn_vec3 at)
{
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < s->triangles; ++i)
        least =
            fmin(least, triangle_distance(dvec3_from(at), corner_at(s, i, 0), corner_at(s, i, 1), corner_at(s, i, 2)));
    return least;
}

/* How often the mesh goes round a point: the sum of solid angles (van Oosterom and Strackee 1983). */
static double winding(const shape *s, sn_vec3 at)
{
    double sum = 0;
    sn_dvec3 p = dvec3_from(at);
    for (uint32_t i = 0; i < s->triangles; ++i) {
        sn_dvec3 a = dvec3_sub(corner_at(s, i, 0), p), b = dvec3_sub(corner_at(s, i, 1), p),
                 c = dvec3_sub(corner_at(s, i, 2), p);
        double la = dvec3_length(a), lb = dvec3_length(b), lc = dvec3_length(c);
        double down = la * lb * lc + dvec3_dot(a, b) * lc + dvec3_dot(b, c) * la + dvec3_dot(c, a) * lb;
        sum += 2 * atan2(dvec3_dot(a, dvec3_cross(b, c)), down);
    }
    return sum / (4 * MATH_PI);
}

static double gap_of(const shape *s)
{
    double most = 0;
    for (uint32_t i = 0; i < s->vertices; ++i)
        most = fmax(most, dvec3_length(dvec3_from(s->vertex[i])));
    return most;
}

/* A spot of the surface: a corner, on an edge, or inside of a triangle. */
static sn_vec3 surface_point(const shape *s, uint64_t *seed)
{
    uint32_t triangle = support_random_below(seed, s->triangles), kind = support_random_below(seed, 3);
    double u = kind ? support_random_in(seed, 0, 1) : 0, v = kind > 1 ? support_random_in(seed, 0, 1 - u) : 0;
    uint32_t turn = support_random_below(seed, 3);
    sn_dvec3 a = corner_at(s, triangle, turn), b = corner_at(s, triangle, (turn + 1) % 3),
             c = corner_at(s, triangle, (turn + 2) % 3);
    return dvec3_round(dvec3_add(a, dvec3_add(dvec3_scale(dvec3_sub(b, a), u), dvec3_scale(dvec3_sub(c, a), v))));
}

/* A point anywhere, or as near to the surface as it gets. */
static sn_vec3 point_about(const shape *s, double size, uint64_t *seed)
{
    sn_vec3 p = vec(support_random_in(seed, -1, 1), support_random_in(seed, -1, 1), support_random_in(seed, -1, 1));
    if (support_random_below(seed, 3) == 0)
        return vec3_scale(p, real(1.5 * size));
    static const double reach[] = {0.3, 1e-2, 1e-3, 1e-5};
    return vec3_add(surface_point(s, seed), vec3_scale(p, real(size * reach[support_random_below(seed, 4)])));
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static void assert_refused(const shape *s, const char *words)
{
    bool out_of_memory = true;
    char message[256] = "";
    sn_trimesh *mesh = sn_trimesh_create(&sn_default_allocator, s->vertex, s->vertices, s->index, s->triangles,
                                         &out_of_memory, message, sizeof message);
    assert_null(mesh);
    assert_false(out_of_memory);
    assert_says(message, words);
}

static void test_refusals(void **state)
{
    (void)state;
    shape *s = &made;
    make_tetrahedron(s, 0, 1, 0);
    s->triangles = 0;
    assert_refused(s, "no triangle");
    s->triangles = (UINT32_C(1) << 30) + 1;
    assert_refused(s, "1073741825 triangles 1073741824");
    make_tetrahedron(s, 0, 1, 0);
    s->vertex[2].y = (sn_real)NAN;
    assert_refused(s, "vertex 2 y nan finite");
    s->vertex[2].y = -(sn_real)INFINITY;
    assert_refused(s, "vertex 2 y -inf finite");
    s->vertex[2].y = real(2e15);
    assert_refused(s, "vertex 2 y 2e+15 1e+15");
    make_tetrahedron(s, 0, 1, 0);
    s->index[7] = 4;
    assert_refused(s, "triangle 2 corner 1 vertex 4");
    s->index[7] = UINT32_MAX;
    assert_refused(s, "triangle 2 corner 1 vertex 4294967295");
    s->index[7] = 1;
    assert_refused(s, "triangle 2 no area vertex 1 two corners");
    s->index[7] = 2;
    assert_refused(s, "triangle 2 no area vertex 2 two corners");
    make_tetrahedron(s, 0.1, 0, 0);
    assert_refused(s, "triangle 1 no area 0 3 1 line");
    make_tetrahedron(s, 1, 0, 0);
    assert_refused(s, "triangle 1 no area");
    make_tetrahedron(s, 0.7, 1e-17, 0); /* a line but for rounding */
    assert_refused(s, "triangle 1 no area");
    sn_trimesh_destroy(NULL, &sn_default_allocator);
}

static void test_what_it_keeps(void **state)
{
    (void)state;
    shape *s = &made;
    make_tetrahedron(s, 0.2, 2, -1);
    put_vertex(s, 50, 50, 50); /* of no triangle */
    sn_trimesh *mesh = mesh_of(s);
    assert_int_equal(sn_trimesh_triangles(mesh), 4);
    assert_int_equal(sn_trimesh_vertices(mesh), 5);
    assert_memory_equal(sn_trimesh_vertex(mesh), s->vertex, 5 * sizeof(sn_vec3));
    assert_memory_equal(sn_trimesh_index(mesh), s->index, 12 * sizeof(uint32_t));
    assert_ptr_not_equal(sn_trimesh_vertex(mesh), s->vertex);
    assert_vec_same(sn_trimesh_bounds(mesh).low, vec(0, 0, -1));
    assert_vec_same(sn_trimesh_bounds(mesh).high, vec(1, 2, 1));
    destroy(mesh);
}

static void assert_open(const shape *s, const char *words)
{
    char message[256] = "";
    sn_trimesh *mesh = mesh_of(s);
    assert_false(sn_trimesh_is_closed(mesh, message, sizeof message));
    assert_says(message, words);
    assert_false(sn_trimesh_is_closed(mesh, NULL, 0));
    destroy(mesh);
}

static void test_closed(void **state)
{
    (void)state;
    shape *s = &made;
    make_tetrahedron(s, 0, 1, 0);
    destroy(closed_mesh_of(s));
    make_prism(s);
    destroy(closed_mesh_of(s));
    make_torus(s, 8, 12, 2, 0.5);
    destroy(closed_mesh_of(s));
    make_sphere(s, 3);
    destroy(closed_mesh_of(s));
    for (uint32_t i = 0; i < s->vertices; ++i) /* far away, where the volume is a small difference */
        s->vertex[i] = vec3_add(s->vertex[i], vec(1000, -1000, 1000));
    destroy(closed_mesh_of(s));

    make_tetrahedron(s, 0, 1, 0);
    s->triangles = 3;
    assert_open(s, "edge vertex 0 vertex 2 belongs to one triangle only 0");
    make_tetrahedron(s, 0, 1, 0);
    put_triangle(s, 1, 2, put_vertex(s, 5, 5, 5));
    assert_open(s, "edge vertex 1 to vertex 2 belongs to 3 triangles");
    make_tetrahedron(s, 0, 1, 0);
    s->index[4] = 1, s->index[5] = 3;
    assert_open(s, "triangles 0 and 1 edge vertex 0 to vertex 1 opposite ways");
    make_tetrahedron(s, 0, 1, 0);
    turn_inside_out(s);
    assert_open(s, "inside out -0.16 counter-clockwise");
    make_tetrahedron(s, 0, 1, 0);
    s->triangles = 1;
    put_triangle(s, 2, 1, 0);
    assert_open(s, "no volume");
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    shape *s = &made;
    make_torus(s, 8, 12, 2, 0.5);
    sn_trimesh *mesh = NULL;
    for (uint64_t fail_at = 1; !mesh; ++fail_at) {
        assert_true(fail_at < 100);
        support_memory memory = {.fail_at = fail_at};
        sn_allocator allocator = support_allocator(&memory);
        bool out_of_memory = false;
        char message[256] = "";
        mesh = sn_trimesh_create(&allocator, s->vertex, s->vertices, s->index, s->triangles, &out_of_memory, message,
                                 sizeof message);
        assert_true(out_of_memory == !mesh);
        if (!mesh)
            assert_says(message, "no memory 192 triangles");
        else
            assert_true(fail_at > 5);
        uint64_t requests = memory.requests;
        sn_touch touch;
        sn_real t;
        sn_path path = {vec(2, 5, 0), vec(0, -9, 0), real(0.1)};
        if (mesh) {
            assert_true(sn_trimesh_near(mesh, vec(1, 1, 1), 100, &touch));
            assert_true(sn_trimesh_cast(mesh, &path, SN_SIDES_FRONT, &t, &touch));
        }
        assert_int_equal(memory.requests, requests);
        sn_trimesh_destroy(mesh, &allocator);
        assert_memory_clean(&memory);
    }
}

/* ---- Near -------------------------------------------------------------------------------------------------------- */

static void check_near(const shape *s, const sn_trimesh *mesh, bool closed, sn_vec3 p, double size)
{
    sn_touch touch = {0};
    double expected = brute_distance(s, p);
    assert_true(sn_trimesh_near(mesh, p, (sn_real)INFINITY, &touch));
    assert_close(fabs((double)touch.distance), expected, SUPPORT_ROUND_OFF * (size + expected) / 10);
    if (!closed)
        assert_true(touch.distance >= 0);
    else if (expected > 1e-9 * size)
        assert_true((touch.distance < 0) == (winding(s, p) > 0.5));
    assert_close(vec3_length(touch.normal), 1, SUPPORT_ROUND_OFF);
    assert_true(touch.part < s->triangles);
    uint32_t i = touch.part;
    assert_close(triangle_distance(dvec3_from(touch.point), corner_at(s, i, 0), corner_at(s, i, 1), corner_at(s, i, 2)),
                 0, SUPPORT_ROUND_OFF * size);
    /* The way back from the surface. */
    assert_vec_close(vec3_add(touch.point, vec3_scale(touch.normal, touch.distance)), p,
                     SUPPORT_ROUND_OFF * (size + expected));

    /* The reach is where it ends. */
    sn_touch again;
    double found = fabs((double)touch.distance);
    sn_real reach = real(found * (1 + SUPPORT_ROUND_OFF) + 1e-15 * size);
    assert_true(sn_trimesh_near(mesh, p, reach, &again));
    assert_int_equal(again.part, touch.part);
    assert_true(again.distance == touch.distance);
    if (found > 0)
        assert_false(sn_trimesh_near(mesh, p, real(found * (1 - SUPPORT_ROUND_OFF)), &again));
}

static void near_campaign(bool closed, uint64_t seed)
{
    const shape *s = &made;
    sn_trimesh *mesh = closed ? closed_mesh_of(s) : mesh_of(s);
    double size = gap_of(s);
    for (uint32_t round = support_rounds(1500, 300); round; --round)
        check_near(s, mesh, closed, point_about(s, size, &seed), size);
    for (uint32_t i = 0; i < s->vertices && i < 200; ++i) {
        check_near(s, mesh, closed, s->vertex[i], size);
        sn_touch touch;
        if (brute_distance(s, s->vertex[i]) > 0) /* of no triangle */
            continue;
        assert_true(sn_trimesh_near(mesh, s->vertex[i], 0, &touch));
        assert_true(touch.distance == 0);
        assert_vec_same(touch.point, s->vertex[i]);
    }
    destroy(mesh);
}

static void test_near_closed_shapes(void **state)
{
    (void)state;
    make_prism(&made);
    near_campaign(true, 1);
    make_torus(&made, 7, 11, 2, 0.7);
    near_campaign(true, 2);
    make_tetrahedron(&made, 0.3, 1, 0.3);
    near_campaign(true, 3);
    make_tetrahedron(&made, 30, 0.1, 40); /* needle-sharp corners */
    near_campaign(true, 4);
    make_tetrahedron(&made, 0.4, 1e-3, 0.3); /* knife-sharp edges */
    near_campaign(true, 5);
    for (uint64_t seed = 0; seed < 6; ++seed) {
        make_star(&made, seed);
        near_campaign(true, 6 + seed);
    }
}

static void test_near_open_shapes(void **state)
{
    (void)state;
    make_grid(&made, 5, 1, 0);
    near_campaign(false, 1);
    make_star(&made, 77);
    made.triangles -= 20;
    near_campaign(false, 2);
    turn_inside_out(&made);
    near_campaign(false, 3);
}

/* Along lines through the L, next to its edges, and on the planes through them. */
static void test_signs_of_the_prism(void **state)
{
    (void)state;
    make_prism(&made);
    sn_trimesh *mesh = closed_mesh_of(&made);
    const double step[] = {-0.5, -1e-3, -1e-6, 0, 1e-6, 1e-3, 0.5};
    for (uint32_t i = 0; i < made.vertices; ++i)
        for (uint32_t k = 0; k < 343; ++k) {
            sn_vec3 p = vec3_add(made.vertex[i], vec(step[k % 7], step[k / 7 % 7], step[k / 49]));
            sn_touch touch;
            assert_true(sn_trimesh_near(mesh, p, 10, &touch));
            if (touch.distance != 0)
                assert_true((touch.distance < 0) == in_prism(p));
        }
    destroy(mesh);
}

/* The normal of an open sheet is on the side of the point; far from the origin it is as good as near it. */
static void test_normals(void **state)
{
    (void)state;
    make_grid(&made, 8, 0.01, 100);
    sn_trimesh *mesh = mesh_of(&made);
    sn_touch touch;
    assert_true(sn_trimesh_near(mesh, vec(0.033, 100.001, 0.041), 1, &touch));
    assert_vec_close(touch.normal, vec(0, 1, 0), 1e-6);
    assert_true(sn_trimesh_near(mesh, vec(0.033, 99.999, 0.041), 1, &touch));
    assert_vec_close(touch.normal, vec(0, -1, 0), 1e-6);
    assert_true(sn_trimesh_near(mesh, vec(0.033, 100, 0.041), 1, &touch));
    assert_vec_close(touch.normal, vec(0, 1, 0), 1e-6);
    assert_true(sn_trimesh_near(mesh, vec(0.04, 99.75, 0.04), 1, &touch)); /* under a corner */
    assert_vec_close(touch.normal, vec(0, -1, 0), 1e-6);
    assert_true(sn_trimesh_near(mesh, vec(-3, 104, 0.04), 10, &touch)); /* beside the rim */
    assert_vec_close(touch.normal, vec(-0.6, 0.8, 0), 1e-6);
    assert_close(touch.distance, 5, 1e-5);
    destroy(mesh);

    make_prism(&made);
    mesh = closed_mesh_of(&made);
    assert_true(sn_trimesh_near(mesh, vec(0, 1, 0), 1, &touch)); /* on an outer corner: between its three faces */
    assert_vec_close(touch.normal, vec(-sqrt(1. / 3), sqrt(1. / 3), sqrt(1. / 3)), 1e-6);
    assert_true(sn_trimesh_near(mesh, vec(1, 0.5, -1), 1, &touch)); /* on the inner edge */
    assert_vec_close(touch.normal, vec(sqrt(0.5), 0, -sqrt(0.5)), 1e-6);
    assert_true(sn_trimesh_near(mesh, vec(0.5, 0.5, -0.1), 1, &touch)); /* inside: out of it by the shortest way */
    assert_vec_close(touch.normal, vec(0, 0, 1), 1e-6);
    assert_close(touch.distance, -0.1, 1e-6);
    assert_true(sn_trimesh_near(mesh, vec(0.7, 0.5, -0.6), 1, &touch)); /* inside, next to the inner edge: 0.5 away */
    assert_vec_close(touch.normal, vec(0.6, 0, -0.8), 1e-5);
    assert_close(touch.distance, -0.5, 1e-6);
    destroy(mesh);
}

/* The same wherever it is. */
static void test_near_far_from_the_origin(void **state)
{
    (void)state;
    static shape moved;
    make_star(&made, 5);
    for (uint32_t i = 0; i < made.vertices; ++i) { /* so that adding 128 m is exact in float */
        sn_vec3 v = made.vertex[i];
        made.vertex[i] =
            vec(round((double)v.x * 4096) / 4096, round((double)v.y * 4096) / 4096, round((double)v.z * 4096) / 4096);
    }
    moved = made;
    for (uint32_t i = 0; i < made.vertices; ++i)
        moved.vertex[i] = vec3_add(made.vertex[i], vec(128, 128, -128));
    sn_trimesh *near = closed_mesh_of(&made), *far = closed_mesh_of(&moved);
    uint64_t seed = 9;
    for (uint32_t round = 0; round < 500; ++round) {
        sn_vec3 p = vec(support_random_below(&seed, 16384) / 4096. - 2, support_random_below(&seed, 16384) / 4096. - 2,
                        support_random_below(&seed, 16384) / 4096. - 2);
        sn_touch one, other;
        assert_true(sn_trimesh_near(near, p, 100, &one));
        assert_true(sn_trimesh_near(far, vec3_add(p, vec(128, 128, -128)), 100, &other));
        assert_true(one.distance == other.distance);
        assert_int_equal(one.part, other.part);
        assert_vec_same(one.normal, other.normal);
    }
    destroy(near);
    destroy(far);
}

/* ---- Cast -------------------------------------------------------------------------------------------------------- */

static sn_vec3 along(const sn_path *path, double t)
{
    return dvec3_round(dvec3_add(dvec3_from(path->from), dvec3_scale(dvec3_from(path->displacement), t)));
}

/* How well two ways to find a time agree, for ways that graze a triangle, too. */
#define SAME_TIME fmax(SUPPORT_ROUND_OFF, 1e-10)

/* Against every triangle alone, and against distances on the way. */
static void check_cast(const shape *s, const sn_trimesh *mesh, const sn_path *path, double size)
{
    sn_real t = -1, first = 2, one, weight[3];
    sn_touch touch = {0};
    bool touches = sn_trimesh_cast(mesh, path, SN_SIDES_BOTH, &t, &touch);
    for (uint32_t i = 0; i < s->triangles; ++i) {
        const uint32_t *corner = &s->index[3 * i];
        if (sn_triangle_cast(path, s->vertex[corner[0]], s->vertex[corner[1]], s->vertex[corner[2]], &one, weight) &&
            one < first)
            first = one;
    }
    if (touches != (first <= 1)) /* where a ray ends on the surface, rounding tells */
        assert_close(touches ? t : first, 1, SAME_TIME);
    double r = (double)path->radius, length = (double)vec3_length(path->displacement);
    double tolerance = SUPPORT_ROUND_OFF * (size + length);
    double start = brute_distance(s, path->from);
    if (!touches) {
        if (start > r) /* otherwise it touches and goes away */
            for (uint32_t k = 0; k <= 20; ++k)
                assert_true(brute_distance(s, along(path, k / 20.)) > r - tolerance);
        return;
    }
    assert_true(t >= 0 && t <= 1);
    assert_close(t, first <= 1 ? first : 1, SAME_TIME);
    assert_true(touch.distance == 0);
    assert_close(vec3_length(touch.normal), 1, SUPPORT_ROUND_OFF);
    if (start <= r) /* it may go away from one triangle and meet another */
        return;
    sn_vec3 centre = along(path, (double)t);
    assert_close(brute_distance(s, centre), r, tolerance);
    assert_vec_close(vec3_add(touch.point, vec3_scale(touch.normal, path->radius)), centre, tolerance);
    assert_true(vec3_dot(touch.normal, path->displacement) <= (sn_real)tolerance);
    for (uint32_t k = 0; k < 10; ++k)
        assert_true(brute_distance(s, along(path, (double)t * k / 10)) > r - tolerance);
}

static void cast_campaign(uint64_t seed)
{
    const shape *s = &made;
    sn_trimesh *mesh = mesh_of(s);
    double size = gap_of(s);
    for (uint32_t round = support_rounds(500, 100); round; --round) {
        static const double radius[] = {0, 1e-3, 0.1, 0.7}, fast[] = {0.1, 1, 1, 5};
        sn_path path;
        path.from = point_about(s, size, &seed);
        path.radius = real(radius[support_random_below(&seed, 4)]);
        sn_vec3 to = support_random_below(&seed, 2) ? surface_point(s, &seed) : point_about(s, size, &seed);
        path.displacement = vec3_scale(vec3_sub(to, path.from), real(fast[support_random_below(&seed, 4)]));
        check_cast(s, mesh, &path, size);
    }
    destroy(mesh);
}

static void test_cast_against_brute_force(void **state)
{
    (void)state;
    make_prism(&made);
    cast_campaign(1);
    make_torus(&made, 7, 11, 2, 0.7);
    cast_campaign(2);
    make_tetrahedron(&made, 30, 0.1, 40);
    cast_campaign(3);
    make_star(&made, 4);
    cast_campaign(4);
    make_grid(&made, 5, 1, 0);
    cast_campaign(5);
}

/* Where a sphere on its way is stopped, of both sides and of the front alone; -1: nowhere. */
static double stop_at(const sn_trimesh *mesh, sn_vec3 from, sn_vec3 way, double radius, sn_sides sides)
{
    sn_path path = {from, way, real(radius)};
    sn_real t = -1;
    sn_touch touch;
    return sn_trimesh_cast(mesh, &path, sides, &t, &touch) ? (double)t : -1;
}

/* Rays and small spheres aimed at corners and at spots of edges, from short ways to 300 m/s and a thousand times
   that: all are stopped, and where they meet the surface. */
static void aim_campaign(const sn_trimesh *mesh, bool round_shape, uint64_t seed)
{
    const shape *s = &made;
    static const double radius[] = {0, 0, 1e-3, 1e-6, 1e-12}, beyond[] = {1e-3, 1, 5, 5000};
    uint32_t stopped = 0;
    for (uint32_t rounds = support_rounds(20000, 3000); rounds; --rounds) {
        uint32_t triangle = support_random_below(&seed, s->triangles), k = support_random_below(&seed, 3);
        sn_dvec3 a = corner_at(s, triangle, k), b = corner_at(s, triangle, (k + 1) % 3);
        double part = support_random_below(&seed, 2)   ? 0
                      : support_random_below(&seed, 2) ? 0.5
                                                       : support_random_in(&seed, 0, 1);
        sn_dvec3 aim = dvec3_add(a, dvec3_scale(dvec3_sub(b, a), part));
        sn_dvec3 up = round_shape ? aim : dvec3(0, 1, 0);
        sn_dvec3 side = dvec3(support_random_in(&seed, -2, 2), support_random_in(&seed, -0.4, 0.4),
                              support_random_in(&seed, -2, 2));
        if (round_shape)
            side = dvec3_scale(side, 0.3);
        sn_dvec3 back = dvec3_add(up, side); /* from the aim back to the start */
        if (support_random_below(&seed, 2) && !round_shape)
            back = up; /* straight down */
        sn_vec3 from = dvec3_round(dvec3_add(aim, back));
        double far = 1 + beyond[support_random_below(&seed, 4)];
        sn_vec3 way = dvec3_round(dvec3_scale(dvec3_sub(aim, dvec3_from(from)), far));
        double r = radius[support_random_below(&seed, 5)];
        double t = stop_at(mesh, from, way, r, SN_SIDES_FRONT);
        assert_true(t >= 0);
        assert_true(t == stop_at(mesh, from, way, r, SN_SIDES_BOTH));
        double early = r / (double)vec3_length(way) * 10; /* it comes in at an angle */
        assert_true(t * far < 1 + 1e-5 && t * far > 1 - 1e-5 - early * far);
        ++stopped;
    }
    assert_true(stopped > 0);
}

/* The grid at hand with its rim farther out: a ray at the rim may miss it by rounding. */
static sn_trimesh *pull_rim(double cell)
{
    static shape wider;
    wider = made;
    for (uint32_t i = 0; i < wider.vertices; ++i)
        if (i % 17 == 0 || i % 17 == 16 || i < 17 || i >= 16 * 17)
            wider.vertex[i] = vec((double)wider.vertex[i].x * 1.5 - 4 * cell, (double)wider.vertex[i].y,
                                  (double)wider.vertex[i].z * 1.5 - 4 * cell);
    return mesh_of(&wider);
}

static void test_nothing_gets_between_triangles(void **state)
{
    (void)state;
    make_sphere(&made, 3);
    sn_trimesh *mesh = closed_mesh_of(&made);
    aim_campaign(mesh, true, 1);
    destroy(mesh);
    for (uint32_t k = 0; k < 2; ++k) {
        make_grid(&made, 16, k ? 0.1 : 0.25, k ? 0.3 : 0); /* rays hit all but exactly, or exactly */
        mesh = pull_rim(k ? 0.1 : 0.25);
        aim_campaign(mesh, false, 2 + k);
        destroy(mesh);
    }
}

/* A point that goes on from where it was at the end of the last way, in ways of any length, cannot slip through where
   one ends and the next begins. */
static void test_ways_in_a_row(void **state)
{
    (void)state;
    make_grid(&made, 8, 0.125, 0.5);
    sn_trimesh *mesh = mesh_of(&made);
    uint64_t seed = 3;
    for (uint32_t round = 0; round < 3000; ++round) {
        const sn_vec3 *over = &made.vertex[support_random_below(&seed, made.vertices)];
        sn_vec3 p = vec((double)over->x, 1, (double)over->z);
        bool stopped = false;
        double step = 1. / (1 << support_random_below(&seed, 6));
        while (p.y > 0 && !stopped) {
            if (round % 2)
                step = support_random_in(&seed, 0, 0.3);
            sn_vec3 next = vec((double)p.x, (double)p.y - step, (double)p.z);
            stopped = stop_at(mesh, p, vec3_sub(next, p), 0, round % 4 < 2 ? SN_SIDES_FRONT : SN_SIDES_BOTH) >= 0;
            p = next;
        }
        assert_true(stopped);
    }
    destroy(mesh);
}

static void test_sides(void **state)
{
    (void)state;
    make_grid(&made, 4, 1, 0);
    sn_trimesh *mesh = mesh_of(&made);
    const sn_sides front = SN_SIDES_FRONT, both = SN_SIDES_BOTH;
    for (uint32_t k = 0; k < 3; ++k) {
        double x = k == 0 ? 1.7 : k == 1 ? 1.5 : 2, r = 0.25; /* over a face, an edge, a corner */
        assert_close(stop_at(mesh, vec(x, 1, x), vec(0, -2, 0), r, front), 0.375, 1e-6);
        assert_close(stop_at(mesh, vec(x, 1, x), vec(0, -2, 0), r, both), 0.375, 1e-6);
        assert_close(stop_at(mesh, vec(x, -1, x), vec(0, 2, 0), r, both), 0.375, 1e-6);
        assert_true(stop_at(mesh, vec(x, -1, x), vec(0, 2, 0), r, front) < 0);
        assert_true(stop_at(mesh, vec(x, -1, x), vec(0, 2, 0), 0, front) < 0);
        assert_close(stop_at(mesh, vec(x, -1, x), vec(0, 2, 0), 0, both), 0.5, 1e-6);
        /* touching at the start */
        assert_true(stop_at(mesh, vec(x, 0.2, x), vec(0, -2, 0), r, front) == 0);
        assert_true(stop_at(mesh, vec(x, 0.2, x), vec(0, 2, 0), r, front) < 0);
        assert_true(stop_at(mesh, vec(x, 0.2, x), vec(0, 2, 0), r, both) < 0);
        assert_true(stop_at(mesh, vec(x, -0.2, x), vec(0, 2, 0), r, front) < 0);
        assert_true(stop_at(mesh, vec(x, -0.2, x), vec(0, 2, 0), r, both) == 0);
        assert_true(stop_at(mesh, vec(x, 0.2, x), vec(0, 0, 0), r, both) < 0);
        /* a point on the surface counts as in front of it */
        assert_true(stop_at(mesh, vec(x, 0, x), vec(0, -1, 0), 0, front) == 0);
        assert_true(stop_at(mesh, vec(x, 0, x), vec(0, -1, 0), 0, both) == 0);
        assert_true(stop_at(mesh, vec(x, 0, x), vec(0, 1, 0), 0, front) < 0);
        assert_true(stop_at(mesh, vec(x, 0, x), vec(0, 1, 0), 0, both) < 0);
    }
    /* the rim, from beside: the upper half of the sphere is in front */
    assert_true(stop_at(mesh, vec(-1, 0.1, 2), vec(2, 0, 0), 0.25, front) > 0);
    assert_true(stop_at(mesh, vec(-1, -0.1, 2), vec(2, 0, 0), 0.25, front) < 0);
    assert_true(stop_at(mesh, vec(-1, -0.1, 2), vec(2, 0, 0), 0.25, both) > 0);
    destroy(mesh);
}

static double signed_distance(const sn_trimesh *mesh, sn_vec3 p)
{
    sn_touch touch;
    assert_true(sn_trimesh_near(mesh, p, (sn_real)INFINITY, &touch));
    return (double)touch.distance;
}

/* Until it is stopped it has not come in from where it was free; a ray is stopped on the surface. */
static void check_entry(const sn_trimesh *mesh, const sn_path *path)
{
    double r = (double)path->radius, stop = stop_at(mesh, path->from, path->displacement, r, SN_SIDES_FRONT);
    if (stop >= 0 && r == 0)
        assert_close(signed_distance(mesh, along(path, stop)), 0, 1e-5);
    bool was_free = false;
    for (uint32_t k = 0; k <= 100; ++k) {
        double now = k / 100.;
        if (stop >= 0 && now > stop)
            break;
        double distance = signed_distance(mesh, along(path, now));
        assert_true(!was_free || distance > 0.99 * r - 1e-5);
        was_free = distance > r + 1e-4;
    }
}

/* Out of a solid nothing is in the way, into it everything: the first time that the sphere gets within its radius of
   the surface from outside. */
static void test_solids_from_inside(void **state)
{
    (void)state;
    make_torus(&made, 8, 16, 2, 0.5);
    sn_trimesh *mesh = closed_mesh_of(&made);
    assert_true(stop_at(mesh, vec(2, 0, 0), vec(0, 5, 0), 0.1, SN_SIDES_FRONT) < 0);
    assert_true(stop_at(mesh, vec(2, 0, 0), vec(0, 5, 0), 0.1, SN_SIDES_BOTH) > 0);
    assert_true(stop_at(mesh, vec(2, 0, 0), vec(5, 0, 0), 0, SN_SIDES_FRONT) < 0);
    double t = stop_at(mesh, vec(2, 0, 0), vec(-5, 0, 0), 0.25, SN_SIDES_FRONT); /* out, through the hole, and in */
    assert_close(t * 5, 2 + 1.5 - 0.25, 0.01); /* the inner side is hollow: it touches beside */
    t = stop_at(mesh, vec(2, 0, 0), vec(-5, 0, 0), 0, SN_SIDES_FRONT);
    assert_close(t * 5, 2 + 1.5, 1e-5);

    destroy(mesh);

    uint64_t seed = 6;
    for (uint32_t shapes = 0; shapes < 4; ++shapes) {
        if (shapes == 0)
            make_torus(&made, 8, 16, 2, 0.5);
        else
            make_star(&made, shapes);
        mesh = closed_mesh_of(&made);
        for (uint32_t round = support_rounds(400, 60); round; --round) {
            static const double radius[] = {0, 0.01, 0.3};
            sn_path path = {point_about(&made, 2.5, &seed), vec(0, 0, 0), real(radius[round % 3])};
            path.displacement = vec3_sub(point_about(&made, 2.5, &seed), path.from);
            check_entry(mesh, &path);
        }
        destroy(mesh);
    }
}

/* Inside, a sphere comes to the edge at the bottom of a narrow groove. It is in front of one wall's plane, but comes
   from inside all the same. */
static void test_grooves_from_inside(void **state)
{
    (void)state;
    static const double at[7][2] = {{0, 0}, {2, 0.2}, {2, 2}, {-2, 2}, {-2, -2}, {2, -2}, {2, -0.2}};
    make_polygon(&made, at, 7);
    sn_trimesh *mesh = closed_mesh_of(&made);
    assert_true(stop_at(mesh, vec(-0.4, 0.5, 0.1), vec(1, 0, 0), 0.15, SN_SIDES_BOTH) > 0);
    assert_true(stop_at(mesh, vec(-0.4, 0.5, 0.1), vec(1, 0, 0), 0.15, SN_SIDES_FRONT) < 0);
    assert_true(stop_at(mesh, vec(-0.4, 0.5, -0.1), vec(1, 0, 0), 0.15, SN_SIDES_FRONT) < 0);
    assert_true(stop_at(mesh, vec(4, 0.5, 0), vec(-4, 0, 0), 0.15, SN_SIDES_FRONT) > 0); /* from outside, into it */
    destroy(mesh);
}

/* ---- Overlap ----------------------------------------------------------------------------------------------------- */

static bool mark(void *data, uint32_t triangle)
{
    ((uint8_t *)data)[triangle] = 1;
    return true;
}

static void test_overlap(void **state)
{
    (void)state;
    static uint8_t seen[MOST];
    make_torus(&made, 12, 30, 2, 0.5);
    sn_trimesh *mesh = mesh_of(&made);
    uint64_t seed = 4;
    for (uint32_t round = 0; round < 200; ++round) {
        sn_vec3 p = point_about(&made, 2.5, &seed);
        sn_bounds box = {p, vec3_add(p, vec(support_random_in(&seed, 0, 1), support_random_in(&seed, 0, 1), 0))};
        memset(seen, 0, sizeof seen);
        sn_trimesh_overlap(mesh, &box, mark, seen);
        for (uint32_t i = 0; i < made.triangles; ++i) { /* a corner inside: a triangle that touches for certain */
            for (uint32_t k = 0; k < 3; ++k) {
                sn_vec3 v = made.vertex[made.index[3 * i + k]];
                bool in = v.x >= box.low.x && v.x <= box.high.x && v.y >= box.low.y && v.y <= box.high.y &&
                          v.z >= box.low.z && v.z <= box.high.z;
                assert_true(seen[i] || !in);
            }
        }
    }
    sn_bounds corner = {made.vertex[7], made.vertex[7]};
    memset(seen, 0, sizeof seen);
    sn_trimesh_overlap(mesh, &corner, mark, seen);
    uint32_t found = 0;
    for (uint32_t i = 0; i < 3 * made.triangles; ++i)
        found += made.index[i] == 7 && seen[i / 3];
    assert_int_equal(found, 6);
    destroy(mesh);
}

/* A large mesh, at the ends of the range of coordinates. */
static void test_extremes(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2; ++k) {
        double scale = k ? 4e14 : 1e-12;
        make_star(&made, 8);
        for (uint32_t i = 0; i < made.vertices; ++i)
            made.vertex[i] = vec3_scale(made.vertex[i], real(scale));
        sn_trimesh *mesh = closed_mesh_of(&made);
        uint64_t seed = 5;
        for (uint32_t round = 0; round < 200; ++round) {
            sn_vec3 p = point_about(&made, 2 * scale, &seed);
            check_near(&made, mesh, true, p, 2 * scale);
            sn_path path = {p, vec3_scale(point_about(&made, 2 * scale, &seed), 2), 0};
            check_cast(&made, mesh, &path, 2 * scale);
        }
        destroy(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_what_it_keeps),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_near_closed_shapes),
        cmocka_unit_test(test_near_open_shapes),
        cmocka_unit_test(test_signs_of_the_prism),
        cmocka_unit_test(test_normals),
        cmocka_unit_test(test_near_far_from_the_origin),
        cmocka_unit_test(test_cast_against_brute_force),
        cmocka_unit_test(test_nothing_gets_between_triangles),
        cmocka_unit_test(test_ways_in_a_row),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_solids_from_inside),
        cmocka_unit_test(test_grooves_from_inside),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
