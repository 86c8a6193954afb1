/* Convex solids of bodies: distance, support, bounds and casts agree with each other and with the solids of fixed
   shapes. */
#include "support/support.h"

#include "collision/shape.h"

#define ROUND_OFF (SINEW_DOUBLE ? 1e-11 : 4e-6)

static sn_hull *hull;

static int make_hull(void **state)
{
    (void)state;
    uint64_t seed = 4;
    sn_vec3 point[20];
    char message[200];
    bool out_of_memory;
    for (uint32_t i = 0; i < COUNT_OF(point); ++i) {
        double x = support_random_in(&seed, -0.7, 0.7), y = support_random_in(&seed, -0.4, 0.9);
        point[i] = vec(x, y, support_random_in(&seed, -0.5, 0.5));
    }
    hull = sn_hull_create(&sn_default_allocator, point, COUNT_OF(point), &out_of_memory, message, sizeof message);
    return hull ? 0 : -1;
}

static int drop_hull(void **state)
{
    (void)state;
    sn_hull_destroy(hull, &sn_default_allocator);
    return 0;
}

static sn_convex random_convex(uint64_t *seed, uint32_t round)
{
    sn_convex c = {.type = (sn_shape_type)(round % 4)};
    c.half.x = real(support_random_in(seed, 0.1, 1));
    c.half.y = real(support_random_in(seed, 0.1, 1));
    c.half.z = real(support_random_in(seed, 0.1, 1));
    c.radius = real(round % 4 < 2 || round % 8 > 3 ? support_random_in(seed, 0.05, 0.4) : 0);
    c.hull = round % 4 == 3 ? hull : NULL;
    return c;
}

static sn_vec3 random_in(uint64_t *seed, double reach)
{
    double x = support_random_in(seed, -reach, reach), y = support_random_in(seed, -reach, reach);
    return vec(x, y, support_random_in(seed, -reach, reach));
}

static double dot(sn_vec3 a, sn_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static sn_vec3 sum(sn_vec3 a, sn_vec3 b, double k)
{
    return vec((double)a.x + k * (double)b.x, (double)a.y + k * (double)b.y, (double)a.z + k * (double)b.z);
}

/* The point is on the surface and p is off it along the normal; no spot of the solid is beyond the plane there, so that
   none is nearer to a p outside. */
static void test_near(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t round = 0; round < support_rounds(40000, 4000); ++round) {
        sn_convex c = random_convex(&seed, round);
        sn_vec3 p = random_in(&seed, round % 3 ? 1 : 5);
        sn_touch touch, on;
        assert_true(sn_convex_near(&c, p, (sn_real)INFINITY, &touch));
        assert_close(dot(touch.normal, touch.normal), 1, 1e-6);
        assert_vec_close(sum(touch.point, touch.normal, (double)touch.distance), p, 2 * ROUND_OFF);
        sn_convex_near(&c, touch.point, (sn_real)INFINITY, &on);
        assert_close(on.distance, 0, 2 * ROUND_OFF);
        sn_vec3 far = sn_convex_support(&c, touch.normal);
        if ((double)touch.distance > 1e-3)
            assert_close(dot(far, touch.normal), dot(touch.point, touch.normal), 1e-5);
        assert_int_equal(sn_convex_near(&c, p, real(0.2), &on), (double)touch.distance <= (double)real(0.2));
    }
}

static void test_support_and_size(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (uint32_t round = 0; round < support_rounds(20000, 2000); ++round) {
        sn_convex c = random_convex(&seed, round);
        sn_vec3 direction = random_in(&seed, round % 5 ? 1 : 1e-30), far = sn_convex_support(&c, direction);
        sn_touch touch;
        sn_convex_near(&c, far, (sn_real)INFINITY, &touch);
        assert_close(touch.distance, 0, 2 * ROUND_OFF);
        sn_vec3 other = sn_convex_support(&c, random_in(&seed, 1));
        if (round % 5)
            assert_true(dot(other, direction) <= dot(far, direction) + ROUND_OFF);
        assert_true(dot(far, far) <= (double)sn_convex_outer(&c) * (double)sn_convex_outer(&c) * (1 + 1e-6));
        sn_convex_near(&c, vec(0, 0, 0), (sn_real)INFINITY, &touch);
        assert_close(-(double)touch.distance, sn_convex_inner(&c), ROUND_OFF);
    }
}

/* The box touches the solid on all sides, and has all of it inside. */
static void test_bounds(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t round = 0; round < support_rounds(20000, 2000); ++round) {
        sn_convex c = random_convex(&seed, round);
        sn_pose pose = {random_in(&seed, round % 2 ? 1 : 1000), {0, 0, 0, 1}};
        pose.rotation = sn_quat_rotated(pose.rotation, random_in(&seed, 3));
        sn_bounds own = sn_convex_bounds(&c), all = sn_convex_bounds_at(&c, &pose);
        for (uint32_t k = 0; k < 6; ++k) {
            sn_vec3 axis = vec(k / 2 == 0, k / 2 == 1, k / 2 == 2);
            if (k % 2)
                axis = vec3_scale(axis, -1);
            const sn_bounds *box = &own;
            double here = dot(axis, k % 2 ? box->low : box->high), spot = dot(axis, sn_convex_support(&c, axis));
            assert_true(spot <= here && here <= spot + 1e-5);
            sn_vec3 back = sn_quat_rotate_back(pose.rotation, axis);
            sn_vec3 place = sn_pose_to_world(&pose, sn_convex_support(&c, back));
            double there = dot(axis, k % 2 ? all.low : all.high);
            assert_true(dot(axis, place) <= there + 1e-12 && there <= dot(axis, place) + 1e-5 + (round % 2 ? 0 : 5e-3));
        }
    }
}

/* When a sphere is met, the distance is its radius, and not before. */
static void test_cast(void **state)
{
    (void)state;
    uint64_t seed = 6;
    uint32_t met = 0;
    for (uint32_t round = 0; round < support_rounds(20000, 1000); ++round) {
        sn_convex c = random_convex(&seed, round);
        sn_path path = {random_in(&seed, 4), {0, 0, 0}, real(round % 3 ? 0 : 0.1)};
        sn_vec3 to = random_in(&seed, 1);
        double further = support_random_in(&seed, 0.3, 10);
        path.displacement =
            vec(further * ((double)to.x - (double)path.from.x), further * ((double)to.y - (double)path.from.y),
                further * ((double)to.z - (double)path.from.z));
        sn_real t;
        sn_touch touch, there;
        sn_convex_near(&c, path.from, (sn_real)INFINITY, &there);
        double start = (double)there.distance - (double)path.radius, least = 1e300, size = 5 + 6 * further;
        bool found = sn_convex_cast(&c, &path, &t, &touch);
        for (uint32_t i = 0; i <= 50; ++i) {
            sn_convex_near(&c, sum(path.from, path.displacement, (found ? (double)t : 1) * i / 50), (sn_real)INFINITY,
                           &there);
            least = fmin(least, (double)there.distance - (double)path.radius);
        }
        if (!found) {
            assert_true(start <= 0 || least > -ROUND_OFF * size);
            continue;
        }
        ++met;
        assert_true(dot(touch.normal, path.displacement) < 0);
        if (start <= 0) {
            assert_close(t, 0, 0);
            continue;
        }
        assert_close(least, 0, ROUND_OFF * size);
        assert_vec_close(sum(touch.point, touch.normal, (double)path.radius),
                         sum(path.from, path.displacement, (double)t), ROUND_OFF * size);
    }
    assert_true(met > 100);
}

static void test_from_shapes(void **state)
{
    (void)state;
    sn_shape_def def = sn_default_shape_def(SN_SHAPE_BOX);
    def.half = vec(1, 2, 3);
    def.rounding = real(0.1);
    sn_shape shape = sn_shape_from(&def, NULL);
    sn_convex c = sn_shape_solid(&shape);
    assert_int_equal(c.type, SN_SHAPE_BOX);
    assert_close(c.radius, 0.1, 1e-7);
    def.type = SN_SHAPE_CAPSULE;
    shape = sn_shape_from(&def, NULL);
    c = sn_shape_solid(&shape);
    assert_int_equal(c.type, SN_SHAPE_CAPSULE);
    assert_close(c.radius, 0.6, 1e-6);
    def.type = SN_SHAPE_SPHERE;
    def.rounding = 0;
    shape = sn_shape_from(&def, NULL);
    c = sn_shape_solid(&shape);
    assert_int_equal(c.type, SN_SHAPE_SPHERE);
    assert_close(sn_convex_outer(&c), 0.5, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near), cmocka_unit_test(test_support_and_size), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_cast), cmocka_unit_test(test_from_shapes),
    };
    return cmocka_run_group_tests(tests, make_hull, drop_hull);
}
