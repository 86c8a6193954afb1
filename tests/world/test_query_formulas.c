/* Rays, balls and capsules meet shapes of every type where formulas say, and casts agree with overlaps. */
#include "support/support.h"

#include <math.h>
#include <sinew/query.h>

#define NEAR (SINEW_DOUBLE ? 1e-6 : 2e-5) /* m */

typedef struct point {
    double x, y, z;
} point;

static point plus(point a, point b, double k)
{
    return (point){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}

static double dot(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double size(point a)
{
    return sqrt(dot(a, a));
}

/* v rotated by q, or back. */
static point turn(sn_quat q, point v, bool back)
{
    const double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = back ? -(double)q.w : (double)q.w;
    const point t = {2 * (y * v.z - z * v.y), 2 * (z * v.x - x * v.z), 2 * (x * v.y - y * v.x)};
    return (point){v.x + w * t.x + y * t.z - z * t.y, v.y + w * t.y + z * t.x - x * t.z,
                   v.z + w * t.z + x * t.y - y * t.x};
}

/* ---- Distances, negative inside ----------------------------------------------------------------------------------- */

static double inside_out(double a, double b)
{
    return hypot(fmax(a, 0), fmax(b, 0)) + fmin(fmax(a, b), 0);
}

static double from_sphere(point p)
{
    return size(p) - 0.6;
}

static double from_capsule(point p)
{
    return size((point){p.x, p.y - fmin(0.5, fmax(-0.5, p.y)), p.z}) - 0.3;
}

static double from_box(point p)
{
    const double x = fabs(p.x) - 0.5, y = fabs(p.y) - 0.3, z = fabs(p.z) - 0.7;
    return size((point){fmax(x, 0), fmax(y, 0), fmax(z, 0)}) + fmin(fmax(x, fmax(y, z)), 0);
}

static double from_cylinder(point p)
{
    return inside_out(hypot(p.x, p.z) - 0.4, fabs(p.y) - 0.6);
}

static double from_segment(double x, double y, double ax, double ay, double bx, double by)
{
    const double t = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) * (bx - ax) + (by - ay) * (by - ay)),
                 s = fmin(1, fmax(0, t));
    return hypot(x - ax - s * (bx - ax), y - ay - s * (by - ay));
}

static double from_cone(point p)
{
    const double out = hypot(p.x, p.z);
    const double d = fmin(from_segment(out, p.y, 0, -0.5, 0.4, -0.5), from_segment(out, p.y, 0.4, -0.5, 0, 0.5));
    return p.y > -0.5 && out < 0.4 * (0.5 - p.y) ? -d : d;
}

static const struct solid {
    sn_shape_type type;
    double radius, half[3];
    double (*from)(point);
} solids[] = {
    {SN_SHAPE_SPHERE, 0.6, {0.5, 0.5, 0.5}, from_sphere}, {SN_SHAPE_CAPSULE, 0.3, {0.5, 0.5, 0.5}, from_capsule},
    {SN_SHAPE_BOX, 0.5, {0.5, 0.3, 0.7}, from_box},       {SN_SHAPE_CYLINDER, 0.4, {0.5, 0.6, 0.5}, from_cylinder},
    {SN_SHAPE_CONE, 0.4, {0.5, 0.5, 0.5}, from_cone},
};

static sn_shape_def shape_of(const struct solid *s)
{
    sn_shape_def shape = sn_default_shape_def(s->type);
    shape.radius = real(s->radius);
    shape.half = vec(s->half[0], s->half[1], s->half[2]);
    return shape;
}

/* Of a segment from the solid: the distance is a convex function along it. */
static double from_rod(const struct solid *s, point a, point b)
{
    double low = 0, high = 1;
    for (int i = 0; i < 50; ++i) {
        const double third = (high - low) / 3, l = low + third, h = high - third;
        const point along = plus(b, a, -1);
        if (s->from(plus(a, along, l)) < s->from(plus(a, along, h)))
            high = h;
        else
            low = l;
    }
    return s->from(plus(a, plus(b, a, -1), (low + high) / 2));
}

/* How far the middle of a rod goes until it is within reach; -1: never; NaN: so flatly that it cannot be said. */
static double march(const struct solid *s, point middle, point half, point way, double reach)
{
    double t = 0;
    for (int i = 0; i < 2000 && t < 12; ++i) {
        const point at = plus(middle, way, t);
        const double gap = from_rod(s, plus(at, half, -1), plus(at, half, 1)) - reach;
        if (gap < 1e-9)
            return t;
        t += gap;
    }
    return t < 12 ? NAN : -1;
}

/* ---- Tests -------------------------------------------------------------------------------------------------------- */

static point random_point(uint64_t *seed, double reach)
{
    double x = support_random_in(seed, -reach, reach), y = support_random_in(seed, -reach, reach);
    return (point){(double)real(x), (double)real(y), (double)real(support_random_in(seed, -reach, reach))};
}

static sn_quat random_turn(uint64_t *seed)
{
    double q[4], square = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = support_random_in(seed, -1, 1);
        square += q[i] * q[i];
    }
    const double k = 1 / sqrt(square);
    return (sn_quat){real(q[0] * k), real(q[1] * k), real(q[2] * k), real(q[3] * k)};
}

static sn_vec3 vec_of(point p)
{
    return vec(p.x, p.y, p.z);
}

/* A ray, a ball and a capsule that fly at a solid; number 0, 1, 2. */
static void fly(const struct solid *s, bool dynamic, int number, uint64_t *seed)
{
    static const double radius[] = {0, 0.15, 0.2};
    sn_world *world = support_void();
    sn_shape_def own = shape_of(s);
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.type = dynamic ? SN_BODY_DYNAMIC : SN_BODY_STATIC;
    def.shapes = &own;
    def.shape_count = 1;
    def.position = vec(3, -2, 1);
    def.rotation = random_turn(seed);
    assert_ok(world, sn_body_add(world, &def, &body));
    const sn_quat q = sn_body_rotation(world, body);
    const point at = {3, -2, 1};
    int met = 0;
    for (uint32_t i = 0; i < support_rounds(1200, 50); ++i) {
        const point from = plus(at, random_point(seed, 3), 1), to = plus(at, random_point(seed, 0.7), 1);
        const double far = size(plus(to, from, -1));
        point way = plus((point){0, 0, 0}, plus(to, from, -1), 1 / far);
        sn_shape_def shape = sn_default_shape_def(SN_SHAPE_CAPSULE);
        shape.position = vec_of(from);
        shape.rotation = random_turn(seed);
        shape.radius = real(radius[2]);
        const point half =
            number == 2 ? turn(q, turn(shape.rotation, (point){0, 0.5, 0}, false), true) : (point){0, 0, 0};
        const double reach = (double)real(radius[number]);
        const point own_from = turn(q, plus(from, at, -1), true), own_way = turn(q, way, true);
        if (from_rod(s, plus(own_from, half, -1), plus(own_from, half, 1)) < reach + 1e-3)
            continue;
        const double expected = march(s, own_from, half, own_way, reach),
                     nearly = march(s, own_from, half, own_way, reach + 1e-5),
                     hardly = march(s, own_from, half, own_way, reach - (number ? 1e-5 : 0));
        if (isnan(expected) || isnan(nearly) || isnan(hardly) || (nearly >= 0) != (hardly >= 0))
            continue; /* it grazes */
        sn_hit hit;
        const sn_query_filter all = sn_default_query_filter();
        const bool found = number == 0 ? sn_query_ray(world, vec_of(from), vec_of(way), 12, all, &hit)
                           : number == 1
                               ? sn_query_sphere_cast(world, vec_of(from), real(radius[1]), vec_of(way), 12, all, &hit)
                               : sn_query_shape_cast(world, &shape, vec_of(way), 12, all, &hit);
        if (found != (expected >= 0))
            fail_msg("%s, %d: found %d, expected %g", sn_shape_type_name(s->type), number, found, expected);
        const point n = {(double)hit.normal.x, (double)hit.normal.y, (double)hit.normal.z};
        if (found && -dot(n, way) > 0.05) {
            assert_close(hit.distance, expected, NEAR);
            ++met;
        }
    }
    assert_true(met > 2);
    sn_world_destroy(world);
}

static void test_what_flies_meets(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t i = 0; i < COUNT_OF(solids); ++i)
        for (int number = 0; number < 3; ++number)
            fly(&solids[i], (i + (uint32_t)number) % 2, number, &seed);
}

/* Where a cast ends, the shape touches: a little farther it overlaps, and before it does not. */
static void agree(const struct solid *s, const struct solid *target, bool mesh, uint64_t *seed)
{
    static const sn_vec3 corner[4] = {{-0.5f, -0.4f, -0.3f}, {0.6f, -0.4f, -0.3f}, {0, -0.4f, 0.7f}, {0.1f, 0.8f, 0}};
    static const uint32_t triangle[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    sn_world *world = support_void();
    sn_shape_def other = mesh ? sn_default_shape_def(SN_SHAPE_MESH) : shape_of(target), shape = shape_of(s);
    sn_body_def def = sn_default_body_def();
    sn_body body;
    other.vertices = corner;
    other.vertex_count = 4;
    other.triangles = triangle;
    other.triangle_count = 4;
    def.type = SN_BODY_STATIC;
    def.shapes = &other;
    def.shape_count = 1;
    def.rotation = random_turn(seed);
    assert_ok(world, sn_body_add(world, &def, &body));
    const sn_query_filter all = sn_default_query_filter();
    for (uint32_t i = 0; i < support_rounds(400, 20); ++i) {
        const point from = random_point(seed, 3), to = random_point(seed, 1), way = plus(to, from, -1);
        shape.position = vec_of(from);
        shape.rotation = random_turn(seed);
        sn_hit hit, there;
        if (sn_query_shape_overlap(world, &shape, all, NULL, 0))
            continue;
        const bool found = sn_query_shape_cast(world, &shape, vec_of(way), 8, all, &hit);
        const double end = found ? (double)hit.distance : 8;
        for (int k = 1; k < 40; ++k) {
            shape.position = vec_of(plus(from, way, end * k / 40 / size(way)));
            if (sn_query_shape_overlap(world, &shape, all, &there, 1) && (double)there.distance < -2e-4)
                fail_msg("%s overlaps by %g at %d/40 of its way", sn_shape_type_name(s->type), (double)there.distance,
                         k);
        }
        const point n = {(double)hit.normal.x, (double)hit.normal.y, (double)hit.normal.z};
        const double slope = found ? -dot(n, way) / size(way) : 0;
        if (slope > 0.1) {
            shape.position = vec_of(plus(from, way, (end + 2e-4 / slope) / size(way)));
            assert_int_equal(sn_query_shape_overlap(world, &shape, all, NULL, 0), 1);
        }
    }
    sn_world_destroy(world);
}

static void test_casts_agree_with_overlaps(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (uint32_t i = 0; i < COUNT_OF(solids); ++i)
        for (uint32_t k = 0; k <= COUNT_OF(solids); ++k)
            agree(&solids[i], &solids[k % COUNT_OF(solids)], k == COUNT_OF(solids), &seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_flies_meets),
        cmocka_unit_test(test_casts_agree_with_overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
