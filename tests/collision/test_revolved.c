/* Cylinders and cones: nearest spots, casts, cores and extents against brute force. */
#include "support/support.h"

#include "collision/manifold.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLES 4000 /* of each piece of a profile */

static sn_convex random_solid(uint64_t *seed, sn_shape_type type, double size)
{
    sn_shape_def def = sn_default_shape_def(type);
    def.radius = real(support_random_in(seed, 0.1, 1) * size);
    def.half.y = real(support_random_in(seed, 0.1, 1) * size);
    sn_convex convex = sn_shape_convex_of(&def, NULL);
    convex.radius = support_random_below(seed, 2) ? real(support_random_in(seed, 0.01, 0.5) * size) : 0;
    return convex;
}

static sn_vec3 random_place(uint64_t *seed, double size)
{
    return vec(support_random_in(seed, -size, size), support_random_in(seed, -size, size),
               support_random_in(seed, -size, size));
}

/* Signed, from many spots of the profile of the core, in the half plane. */
static double slow_distance(const sn_convex *c, sn_vec3 p)
{
    const double r = (double)c->half.x, h = (double)c->half.y, out = hypot((double)p.x, (double)p.z), y = (double)p.y;
    const bool cone = c->type == SN_SHAPE_CONE;
    const double top = cone ? 0 : r;
    const double piece[3][4] = {{0, -h, r, -h}, {r, -h, top, h}, {top, h, 0, h}};
    double least = (double)INFINITY;
    for (int k = 0; k < (cone ? 2 : 3); ++k)
        for (int i = 0; i <= SAMPLES; ++i) {
            const double t = (double)i / SAMPLES;
            const double x = piece[k][0] + t * (piece[k][2] - piece[k][0]),
                         z = piece[k][1] + t * (piece[k][3] - piece[k][1]);
            least = fmin(least, hypot(out - x, y - z));
        }
    const bool inside = fabs(y) <= h && out <= (cone ? r * (h - y) / (2 * h) : r);
    return (inside ? -least : least) - (double)c->radius;
}

static void test_near(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t round = 0; round < support_rounds(800, 60); ++round) {
        const double size = pow(10, support_random_in(&seed, -3, 3));
        const sn_convex c = random_solid(&seed, round % 2 ? SN_SHAPE_CYLINDER : SN_SHAPE_CONE, size);
        const sn_vec3 p = random_place(&seed, 2 * size);
        sn_touch touch;
        assert_true(sn_convex_near(&c, p, (sn_real)INFINITY, &touch));
        assert_close(touch.distance, slow_distance(&c, p), 1e-3 * size);
        assert_close(vec3_length(touch.normal), 1, 1e-5);
        assert_vec_close(vec3_add(touch.point, vec3_scale(touch.normal, touch.distance)), p, 1e-5 * size);
        assert_close(slow_distance(&c, touch.point), 0, 1e-3 * size);
        const sn_bounds b = sn_convex_bounds(&c);
        assert_true(touch.point.x >= b.low.x && touch.point.x <= b.high.x && touch.point.y >= b.low.y &&
                    touch.point.y <= b.high.y && touch.point.z >= b.low.z && touch.point.z <= b.high.z);
    }
}

/* On the axis, on the surface, at the tip and at the rim a normal has length 1 all the same. */
static void test_near_where_it_is_hard(void **state)
{
    (void)state;
    for (int type = SN_SHAPE_CYLINDER; type <= SN_SHAPE_CONE; ++type) {
        sn_shape_def def = sn_default_shape_def((sn_shape_type)type);
        def.radius = 1;
        def.half.y = 2;
        const sn_convex c = sn_shape_convex_of(&def, NULL);
        const sn_vec3 places[] = {vec(0, 0, 0), vec(0, 2, 0),         vec(0, -2, 0), vec(1, -2, 0),
                                  vec(1, 2, 0), vec(0, 9, 0),         vec(0, -9, 0), vec(0.5, 0, 0),
                                  vec(1, 0, 0), vec(1e-30, 0, 1e-30), vec(0, 2.5, 0)};
        for (uint32_t i = 0; i < sizeof places / sizeof *places; ++i) {
            sn_touch touch;
            assert_true(sn_convex_near(&c, places[i], (sn_real)INFINITY, &touch));
            assert_close(vec3_length(touch.normal), 1, 1e-5);
            assert_true(isfinite(touch.distance));
        }
    }
}

/* A ball on its way touches where it arrives, and nowhere before. */
static void test_cast(void **state)
{
    (void)state;
    uint64_t seed = 5;
    uint32_t met = 0;
    for (uint32_t round = 0; round < support_rounds(4000, 300); ++round) {
        const double size = pow(10, support_random_in(&seed, -3, 3));
        const sn_convex c = random_solid(&seed, round % 2 ? SN_SHAPE_CYLINDER : SN_SHAPE_CONE, size);
        sn_path path = {random_place(&seed, 3 * size), random_place(&seed, size), 0};
        path.displacement = vec3_scale(vec3_sub(path.displacement, path.from), 2); /* about towards it */
        path.radius = round % 3 ? real(support_random_in(&seed, 0, 0.5) * size) : 0;
        sn_touch touch, near;
        sn_real t;
        sn_convex_near(&c, path.from, (sn_real)INFINITY, &near);
        if (near.distance <= path.radius)
            continue;
        const bool found = sn_convex_cast(&c, &path, &t, &touch);
        met += found;
        for (int i = 0; i <= 60; ++i) {
            const double at = (found ? (double)t * 0.9999 : 1) * i / 60;
            sn_convex_near(&c, vec3_add(path.from, vec3_scale(path.displacement, real(at))), (sn_real)INFINITY, &near);
            assert_true((double)near.distance > (double)path.radius - 1e-5 * size);
        }
        if (!found)
            continue;
        sn_convex_near(&c, vec3_add(path.from, vec3_scale(path.displacement, t)), (sn_real)INFINITY, &near);
        assert_close(near.distance, path.radius, 2e-5 * size);
        assert_true(vec3_dot(touch.normal, path.displacement) < 0);
    }
    assert_true(met > 50);
}

/* The core is a closed polyhedron inside of the solid, and touches it where it faces. */
static void test_cores(void **state)
{
    (void)state;
    uint64_t seed = 7;
    const sn_pose here = {{0, 0, 0}, {0, 0, 0, 1}};
    for (uint32_t round = 0; round < support_rounds(400, 60); ++round) {
        sn_convex c = random_solid(&seed, round % 2 ? SN_SHAPE_CYLINDER : SN_SHAPE_CONE, 1);
        const sn_vec3 towards = random_place(&seed, 1);
        sn_convex_room room;
        c.radius = 0;
        sn_convex_face(&c, &here, towards);
        const sn_hull core = sn_convex_core(&c, &room);
        int32_t euler = (int32_t)core.vertices + (int32_t)core.faces - (int32_t)core.edges;
        assert_int_equal(euler, 2);
        for (uint32_t i = 0; i < core.vertices; ++i) {
            assert_close(slow_distance(&c, dvec3_round(core.vertex[i])), 0, 1e-3);
            for (uint32_t f = 0; f < core.faces; ++f)
                assert_true(dvec3_dot(core.face[f].normal, core.vertex[i]) <= core.face[f].offset + 1e-12);
        }
        for (uint32_t e = 0; e < core.edges; ++e)
            for (int k = 0; k < 2; ++k) { /* both of its faces run along it, in opposite ways */
                const sn_hull_face *face = &core.face[core.edge[e].face[k]];
                bool runs = false;
                for (uint32_t i = 0; i < face->count; ++i)
                    runs = runs || (core.loop[face->first + i] == core.edge[e].vertex[k] &&
                                    core.loop[face->first + (i + 1) % face->count] == core.edge[e].vertex[1 - k]);
                assert_true(runs);
            }
        /* the farthest spot is that of the true solid */
        const double flat = hypot((double)towards.x, (double)towards.z), y = (double)towards.y;
        const double r = (double)c.half.x, h = (double)c.half.y;
        const double base = r * flat - h * y, top = (c.type == SN_SHAPE_CONE ? 0 : r * flat) + h * y;
        const sn_vec3 farthest = sn_convex_support(&c, towards);
        assert_close(vec3_dot_double(farthest, towards), fmax(base, top), 5e-4);
    }
}

/* Two solids, at least one of them round: how far they are apart, against many points of one. */
static void test_gaps(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (uint32_t round = 0; round < support_rounds(300, 30); ++round) {
        sn_convex a = random_solid(&seed, round % 2 ? SN_SHAPE_CYLINDER : SN_SHAPE_CONE, 1), b = a;
        b.type = SN_SHAPE_BOX;
        b.half = vec(0.3, 0.4, 0.5);
        b.radius = 0;
        const sn_pose pa = {
            random_place(&seed, 2),
            sn_quat_normal((sn_quat){real(support_random_in(&seed, -1, 1)), real(support_random_in(&seed, -1, 1)),
                                     real(support_random_in(&seed, -1, 1)), 1})};
        const sn_pose pb = {{0, 0, 0}, {0, 0, 0, 1}};
        sn_touch touch;
        double least = (double)INFINITY;
        const int n = 24;
        for (int i = 0; i <= n; ++i)
            for (int k = 0; k <= n; ++k)
                for (int side = 0; side < 6; ++side) {
                    const double u = 2.0 * i / n - 1, v = 2.0 * k / n - 1, w = side & 1 ? 1 : -1;
                    const sn_vec3 p = side < 2   ? vec(0.3 * w, 0.4 * u, 0.5 * v)
                                      : side < 4 ? vec(0.3 * u, 0.4 * w, 0.5 * v)
                                                 : vec(0.3 * u, 0.4 * v, 0.5 * w);
                    sn_convex_near(&a, sn_pose_to_own(&pa, p), (sn_real)INFINITY, &touch);
                    least = fmin(least, (double)touch.distance);
                }
        if (least < 0.05)
            continue; /* they overlap, or the samples are too few to say */
        assert_true(sn_convex_gap(&a, &pa, &b, &pb, 100, &touch));
        if (!((double)touch.distance <= least + 1e-4 && (double)touch.distance > least - 0.03))
            fail_msg("round %u: a %s of %g and %g m, rounded by %g: %g m, but %g", round, sn_shape_type_name(a.type),
                     (double)a.half.x, (double)a.half.y, (double)a.radius, (double)touch.distance, least);
        sn_touch swapped;
        assert_true(sn_convex_gap(&b, &pb, &a, &pa, 100, &swapped));
        assert_close(swapped.distance, touch.distance, 1e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near), cmocka_unit_test(test_near_where_it_is_hard),
        cmocka_unit_test(test_cast), cmocka_unit_test(test_cores),
        cmocka_unit_test(test_gaps),
    };
    return cmocka_run_group_tests_name("revolved", tests, NULL, NULL);
}
