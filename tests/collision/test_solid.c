/* Half-spaces, boxes, spheres and capsules against points spread over their surfaces, and against the distance as a
   function of time, sampled in double. */
#include "support/support.h"

#include "collision/solid.h"

static const double scales[] = {0.01, 1, 100};

static sn_solid make_solid(sn_solid_type type, double scale, uint64_t *seed)
{
    sn_solid solid = {.type = type};
    solid.half = vec(scale * support_random_in(seed, 0.1, 1), scale * support_random_in(seed, 0.1, 1),
                     scale * support_random_in(seed, 0.1, 1));
    solid.radius = real(scale * support_random_in(seed, 0.1, 1));
    return solid;
}

static sn_vec3 random_in(uint64_t *seed, double reach)
{
    double x = support_random_in(seed, -reach, reach), y = support_random_in(seed, -reach, reach);
    return vec(x, y, support_random_in(seed, -reach, reach));
}

/* ---- What is right, in double, written down as directly as possible ---------------------------------------------- */

static double length3(double x, double y, double z)
{
    return sqrt(x * x + y * y + z * z);
}

static double true_distance(const sn_solid *s, const double p[3])
{
    double h[3] = {(double)s->half.x, (double)s->half.y, (double)s->half.z};
    if (s->type == SN_SOLID_PLANE)
        return p[1];
    if (s->type == SN_SOLID_SPHERE)
        return length3(p[0], p[1], p[2]) - (double)s->radius;
    if (s->type == SN_SOLID_CAPSULE) {
        double y = p[1] > h[1] ? p[1] - h[1] : p[1] < -h[1] ? p[1] + h[1] : 0;
        return length3(p[0], y, p[2]) - (double)s->radius;
    }
    double inside = -1e300, q[3];
    for (int i = 0; i < 3; ++i) {
        double beyond = fabs(p[i]) - h[i];
        inside = fmax(inside, beyond);
        q[i] = fmax(beyond, 0);
    }
    return inside > 0 ? length3(q[0], q[1], q[2]) : inside;
}

static double distance_at(const sn_solid *s, const sn_path *path, double t)
{
    double p[3] = {(double)path->from.x + t * (double)path->displacement.x,
                   (double)path->from.y + t * (double)path->displacement.y,
                   (double)path->from.z + t * (double)path->displacement.z};
    return true_distance(s, p);
}

static double distance_of(const sn_solid *s, sn_vec3 p)
{
    double q[3] = {(double)p.x, (double)p.y, (double)p.z};
    return true_distance(s, q);
}

/* ---- Near -------------------------------------------------------------------------------------------------------- */

static double dot(sn_vec3 a, sn_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

/* What is true everywhere: the normal has length 1, the point is on the surface, and p is off it along the normal. */
static void check_touch(const sn_solid *s, sn_vec3 p, const sn_touch *touch, double size)
{
    double tolerance = 4 * SUPPORT_ROUND_OFF / 100 * size;
    assert_close(dot(touch->normal, touch->normal), 1, SUPPORT_ROUND_OFF / 10);
    assert_close(touch->distance, distance_of(s, p), tolerance);
    assert_close(distance_of(s, touch->point), 0, tolerance);
    sn_vec3 off = vec((double)touch->point.x + (double)touch->distance * (double)touch->normal.x,
                      (double)touch->point.y + (double)touch->distance * (double)touch->normal.y,
                      (double)touch->point.z + (double)touch->distance * (double)touch->normal.z);
    assert_vec_close(off, p, tolerance);
    assert_int_equal(touch->part, 0);
}

static void test_near_everywhere(void **state)
{
    (void)state;
    uint64_t seed = 71;
    for (uint32_t round = 0; round < support_rounds(60000, 6000); ++round) {
        double scale = scales[round % COUNT_OF(scales)];
        sn_solid s = make_solid((sn_solid_type)(round / 3 % 4), scale, &seed);
        double reach = scale * (round % 2 ? 1.5 : 100);
        sn_vec3 p = random_in(&seed, reach);
        sn_touch touch;
        sn_solid_near(&s, p, &touch);
        check_touch(&s, p, &touch, scale + reach);
    }
}

/* A spot of the surface for two numbers in 0 .. 1; boxes and capsules have it by their faces. */
static sn_vec3 surface_spot(const sn_solid *s, uint32_t face, double u, double v)
{
    double r = (double)s->radius, angle = 2 * 3.14159265358979 * u, y = 2 * v - 1;
    if (s->type == SN_SOLID_BOX) {
        double h[3] = {(double)s->half.x, (double)s->half.y, (double)s->half.z}, p[3];
        uint32_t axis = face % 3;
        p[axis] = face < 3 ? h[axis] : -h[axis];
        p[(axis + 1) % 3] = (2 * u - 1) * h[(axis + 1) % 3];
        p[(axis + 2) % 3] = (2 * v - 1) * h[(axis + 2) % 3];
        return vec(p[0], p[1], p[2]);
    }
    if (s->type == SN_SOLID_CAPSULE && face % 2)
        return vec(r * cos(angle), y * (double)s->half.y, r * sin(angle));
    double shift = s->type == SN_SOLID_CAPSULE ? copysign((double)s->half.y, y) : 0, ring = sqrt(fmax(0, 1 - y * y));
    return vec(r * ring * cos(angle), shift + r * y, r * ring * sin(angle));
}

/* No spot of the surface is nearer than the one that was found, and the sign says on which side of it p is. */
static void test_near_against_the_surface(void **state)
{
    (void)state;
    uint64_t seed = 5;
    const int grid = 40;
    for (uint32_t round = 0; round < support_rounds(300, 30); ++round) {
        sn_solid s = make_solid((sn_solid_type)(1 + round % 3), 1, &seed);
        sn_vec3 p = random_in(&seed, 2);
        sn_touch touch;
        sn_solid_near(&s, p, &touch);
        double least = 1e300;
        for (uint32_t face = 0; face < 6; ++face)
            for (int i = 0; i <= grid; ++i)
                for (int j = 0; j <= grid; ++j)
                    least = fmin(least, support_gap(p, surface_spot(&s, face, (double)i / grid, (double)j / grid)));
        assert_true(fabs((double)touch.distance) <= least + 1e-6);
        assert_true(fabs((double)touch.distance) >= least - 0.25);
        sn_touch beyond; /* a little further the same way it is farther off */
        sn_solid_near(&s,
                      vec((double)p.x + 0.01 * (double)touch.normal.x, (double)p.y + 0.01 * (double)touch.normal.y,
                          (double)p.z + 0.01 * (double)touch.normal.z),
                      &beyond);
        assert_close(beyond.distance, (double)touch.distance + 0.01, 1e-5);
    }
}

static void check_near(const sn_solid *s, sn_vec3 p, double distance, sn_vec3 point, sn_vec3 normal)
{
    sn_touch touch;
    sn_solid_near(s, p, &touch);
    assert_close(touch.distance, distance, SUPPORT_ROUND_OFF);
    assert_vec_close(touch.point, point, SUPPORT_ROUND_OFF);
    assert_vec_close(touch.normal, normal, SUPPORT_ROUND_OFF);
}

static void test_near_special_places(void **state)
{
    (void)state;
    double r = sqrt(0.5), q = sqrt(1.0 / 3);
    sn_solid plane = {.type = SN_SOLID_PLANE};
    check_near(&plane, vec(3, -2, 1), -2, vec(3, 0, 1), vec(0, 1, 0));
    check_near(&plane, vec(3, 0, 1), 0, vec(3, 0, 1), vec(0, 1, 0));
    sn_solid box = {.type = SN_SOLID_BOX, .half = vec(1, 2, 3)};
    check_near(&box, vec(0, 0, 0), -1, vec(1, 0, 0), vec(1, 0, 0));
    check_near(&box, vec(-0.5, 0, 0), -0.5, vec(-1, 0, 0), vec(-1, 0, 0));
    check_near(&box, vec(0, -1.5, 0), -0.5, vec(0, -2, 0), vec(0, -1, 0));
    check_near(&box, vec(0, 0, 2.75), -0.25, vec(0, 0, 3), vec(0, 0, 1));
    check_near(&box, vec(1, 0.5, 0), 0, vec(1, 0.5, 0), vec(1, 0, 0));
    check_near(&box, vec(2, 3, 0), sqrt(2), vec(1, 2, 0), vec(r, r, 0));
    check_near(&box, vec(-2, -3, -4), sqrt(3), vec(-1, -2, -3), vec(-q, -q, -q));
    check_near(&box, vec(1, -2, 3), 0, vec(1, -2, 3), vec(1, 0, 0)); /* a corner itself: some normal */
    sn_solid ball = {.type = SN_SOLID_SPHERE, .radius = 2};
    check_near(&ball, vec(0, 0, 0), -2, vec(2, 0, 0), vec(1, 0, 0));
    check_near(&ball, vec(0, -1, 0), -1, vec(0, -2, 0), vec(0, -1, 0));
    check_near(&ball, vec(3, 4, 0), 3, vec(1.2, 1.6, 0), vec(0.6, 0.8, 0));
    sn_solid capsule = {.type = SN_SOLID_CAPSULE, .half = vec(0, 2, 0), .radius = 1};
    check_near(&capsule, vec(0, 1, 0), -1, vec(1, 1, 0), vec(1, 0, 0));
    check_near(&capsule, vec(0, -2, 0), -1, vec(1, -2, 0), vec(1, 0, 0));
    check_near(&capsule, vec(0, 2.5, 0), -0.5, vec(0, 3, 0), vec(0, 1, 0));
    check_near(&capsule, vec(0, -5, 0), 2, vec(0, -3, 0), vec(0, -1, 0));
    check_near(&capsule, vec(0, 1, -3), 2, vec(0, 1, -1), vec(0, 0, -1));
}

/* However near to a corner, an axis or a centre, and however far away: the normal has length 1. */
static void test_near_tiny_and_huge(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (uint32_t round = 0; round < 4000; ++round) {
        sn_solid s = make_solid((sn_solid_type)(1 + round % 3), 1, &seed);
        double size = pow(10, support_random_in(&seed, -42, 18));
        sn_vec3 p = random_in(&seed, size);
        if (round % 2 && s.type == SN_SOLID_BOX) /* about a corner */
            p = vec((double)s.half.x + (double)p.x, (double)s.half.y + (double)p.y, (double)p.z - (double)s.half.z);
        sn_touch touch;
        sn_solid_near(&s, p, &touch);
        check_touch(&s, p, &touch, 2 + 2 * size);
    }
    sn_solid point = {.type = SN_SOLID_SPHERE}, flat = {.type = SN_SOLID_BOX, .half = vec(1, 0, 1)};
    check_near(&point, vec(0, 0, 2), 2, vec(0, 0, 0), vec(0, 0, 1));
    check_near(&flat, vec(0.5, -2, 0), 2, vec(0.5, 0, 0), vec(0, -1, 0));
    check_near(&flat, vec(0.5, 0, 0), 0, vec(0.5, 0, 0), vec(0, 1, 0));
}

/* ---- Cast -------------------------------------------------------------------------------------------------------- */

/* m: what rounding t to sn_real moves the sphere by, and a little. */
static double way_rounding(const sn_path *path)
{
    double way = sqrt(dot(path->displacement, path->displacement)), from = sqrt(dot(path->from, path->from));
    return (SINEW_DOUBLE ? 1e-15 : 1e-7) * way + 1e-14 * (from + way) + 1e-15;
}

/* The cast against the distance as a function of time: it is the radius at t, and more before. */
static bool check_cast(const sn_solid *s, const sn_path *path, uint32_t samples)
{
    sn_real t = -1;
    sn_touch touch;
    bool met = sn_solid_cast(s, path, &t, &touch);
    double radius = (double)path->radius, slack = way_rounding(path), until = met ? (double)t : 1;
    assert_true(!met || (t >= 0 && t <= 1));
    for (uint32_t i = 0; i < samples; ++i)
        assert_true(distance_at(s, path, until * i / samples) >= radius - slack);
    if (!met)
        return false;
    assert_close(distance_at(s, path, (double)t), radius, slack);
    assert_true(touch.distance == 0);
    assert_close(dot(touch.normal, touch.normal), 1, SUPPORT_ROUND_OFF / 10);
    double size = fabs((double)touch.point.x) + fabs((double)touch.point.y) + fabs((double)touch.point.z);
    assert_close(distance_of(s, touch.point), 0, SUPPORT_ROUND_OFF / 10 * size + slack);
    sn_vec3 centre =
        vec((double)path->from.x + (double)t * (double)path->displacement.x - radius * (double)touch.normal.x,
            (double)path->from.y + (double)t * (double)path->displacement.y - radius * (double)touch.normal.y,
            (double)path->from.z + (double)t * (double)path->displacement.z - radius * (double)touch.normal.z);
    assert_vec_close(touch.point, centre, SUPPORT_ROUND_OFF / 10 * (size + radius) + slack);
    assert_true(dot(touch.normal, path->displacement) < 0 || slack > 1e-3 * radius);
    return true;
}

static void test_cast_random(void **state)
{
    (void)state;
    uint64_t seed = 2024;
    uint32_t met = 0, missed = 0;
    for (uint32_t round = 0; round < support_rounds(60000, 4000); ++round) {
        double scale = scales[round % COUNT_OF(scales)];
        sn_solid s = make_solid((sn_solid_type)(round / 3 % 4), scale, &seed);
        sn_vec3 from = random_in(&seed, 3 * scale), aim = random_in(&seed, 1.2 * scale);
        double k = support_random_in(&seed, 0.5, 3);
        sn_path path = {from,
                        vec(k * ((double)aim.x - (double)from.x), k * ((double)aim.y - (double)from.y),
                            k * ((double)aim.z - (double)from.z)),
                        0};
        if (round % 5)
            path.radius = real(scale * pow(10, support_random_in(&seed, -4, 0.3)));
        if (round % 7 == 0)
            path.displacement.x = 0;
        if (round % 11 == 0)
            path.displacement.z = 0;
        if (distance_of(&s, path.from) <= (double)path.radius)
            continue;
        if (check_cast(&s, &path, 50))
            ++met;
        else
            ++missed;
    }
    print_message("casts: %u met, %u missed\n", met, missed);
    assert_true(met > 500 && missed > 200);
}

/* 300 m/s for 1/60 s, a millimetre across or nothing at all, aimed at a spot of the surface: always met, and there. */
static void test_bullets(void **state)
{
    (void)state;
    uint64_t seed = 300;
    for (uint32_t round = 0; round < support_rounds(60000, 4000); ++round) {
        sn_solid s = make_solid((sn_solid_type)(round % 4), scales[round / 4 % 3], &seed);
        double u = support_random_in(&seed, 0, 1), v = support_random_in(&seed, 0, 1);
        sn_vec3 aim = s.type == SN_SOLID_PLANE ? vec(200 * u - 100, 0, 200 * v - 100)
                                               : surface_spot(&s, support_random_below(&seed, 6), u, v);
        sn_touch touch;
        sn_solid_near(&s, aim, &touch);
        sn_vec3 way = random_in(&seed, 1);
        double length = sqrt(dot(way, way)), along = dot(way, touch.normal) / length;
        if (fabs(along) < 0.05)
            continue;
        double k = (along < 0 ? 5 : -5) / length, before = support_random_in(&seed, 0.01, 0.99);
        sn_path path = {aim, vec(k * (double)way.x, k * (double)way.y, k * (double)way.z), real(round % 2 ? 0.001 : 0)};
        path.from = vec((double)aim.x - before * (double)path.displacement.x,
                        (double)aim.y - before * (double)path.displacement.y,
                        (double)aim.z - before * (double)path.displacement.z);
        if (distance_of(&s, path.from) <= (double)path.radius) /* it came from inside */
            continue;
        assert_true(check_cast(&s, &path, 20));
    }
}

static void check_met(const sn_solid *s, sn_vec3 from, sn_vec3 way, double radius, double when, sn_vec3 normal)
{
    sn_path path = {from, way, real(radius)};
    sn_real t = -1;
    sn_touch touch;
    assert_true(sn_solid_cast(s, &path, &t, &touch));
    assert_close(t, when, SUPPORT_ROUND_OFF);
    assert_vec_close(touch.normal, normal, SUPPORT_ROUND_OFF);
}

static void check_free(const sn_solid *s, sn_vec3 from, sn_vec3 way, double radius)
{
    sn_path path = {from, way, real(radius)};
    sn_real t = -1;
    sn_touch touch;
    assert_false(sn_solid_cast(s, &path, &t, &touch));
}

static void test_cast_special(void **state)
{
    (void)state;
    double r = sqrt(0.5);
    sn_solid box = {.type = SN_SOLID_BOX, .half = vec(1, 1, 1)};
    check_met(&box, vec(5, 0, 0), vec(-8, 0, 0), 0, 0.5, vec(1, 0, 0));
    check_met(&box, vec(5, 0, 0), vec(-8, 0, 0), 1, 0.375, vec(1, 0, 0));
    check_met(&box, vec(5, 1, 0), vec(-8, 0, 0), 0, 0.5, vec(1, 0, 0)); /* along a face */
    check_met(&box, vec(5, 1, 1), vec(-8, 0, 0), 0, 0.5, vec(1, 0, 0)); /* along an edge */
    check_met(&box, vec(3, 3, 0), vec(-4, -4, 0), 1, (2 - r) / 4, vec(r, r, 0));
    check_met(&box, vec(0, 3, -3), vec(0, -4, 4), 1, (2 - r) / 4, vec(0, r, -r));
    check_met(&box, vec(5, 1.5, 0), vec(-8, 0, 0), 0.75, (4 - sqrt(0.3125)) / 8,
              vec(sqrt(0.3125) / 0.75, 0.5 / 0.75, 0));
    check_free(&box, vec(5, 2, 0), vec(-8, 0, 0), 0.999);
    check_free(&box, vec(5, 1 + 0.9 * r, 1 + 0.9 * r), vec(-8, 0, 0), 0.89); /* past the rounding of an edge */
    check_free(&box, vec(5, 0, 0), vec(-3.9, 0, 0), 0.05);                   /* not far enough */
    check_met(&box, vec(5, 0, 0), vec(-4, 0, 0), 0, 1, vec(1, 0, 0));
    sn_solid ball = {.type = SN_SOLID_SPHERE, .radius = 1};
    check_met(&ball, vec(0, 10, 0), vec(0, -16, 0), 1, 0.5, vec(0, 1, 0));
    check_free(&ball, vec(2.001, 10, 0), vec(0, -20, 0), 1);
    check_met(&ball, vec(1.999, 10, 0), vec(0, -20, 0), 1, (10 - sqrt(4 - 1.999 * 1.999)) / 20,
              vec(1.999 / 2, sqrt(4 - 1.999 * 1.999) / 2, 0));
    sn_solid capsule = {.type = SN_SOLID_CAPSULE, .half = vec(9, 2, 9), .radius = 1};
    check_met(&capsule, vec(5, 1, 0), vec(-6, 0, 0), 1, 0.5, vec(1, 0, 0));
    check_met(&capsule, vec(0, 9, 0), vec(0, -10, 0), 1, 0.5, vec(0, 1, 0));
    check_met(&capsule, vec(5, 3, 0), vec(-6, 0, 0), 1, (5 - sqrt(3)) / 6, vec(sqrt(3) / 2, 0.5, 0));
    sn_solid plane = {.type = SN_SOLID_PLANE};
    check_met(&plane, vec(1, 3, 1), vec(100, -4, 7), 1, 0.5, vec(0, 1, 0));
    check_free(&plane, vec(1, 3, 1), vec(100, 0, 7), 1);
}

/* Touching or inside at the start: met at once on the way in, never on the way out or standing still. */
static void test_cast_from_inside(void **state)
{
    (void)state;
    uint64_t seed = 77;
    uint32_t tried = 0;
    for (uint32_t round = 0; round < 20000; ++round) {
        sn_solid s = make_solid((sn_solid_type)(round % 4), scales[round / 4 % 3], &seed);
        double scale = scales[round / 4 % 3];
        sn_path path = {random_in(&seed, scale), random_in(&seed, 5), real(scale / 10)};
        sn_touch near, touch;
        sn_solid_near(&s, path.from, &near);
        if (distance_of(&s, path.from) > (double)path.radius || fabs(dot(near.normal, path.displacement)) < 1e-3)
            continue;
        ++tried;
        sn_real t = -1;
        bool inwards = dot(near.normal, path.displacement) < 0;
        assert_int_equal(sn_solid_cast(&s, &path, &t, &touch), inwards);
        if (inwards) {
            assert_true(t == 0 && touch.distance == 0);
            assert_vec_same(touch.point, near.point);
            assert_vec_same(touch.normal, near.normal);
        }
        path.displacement = vec(0, 0, 0);
        assert_false(sn_solid_cast(&s, &path, &t, &touch));
    }
    assert_true(tried > 3000);
    sn_solid plane = {.type = SN_SOLID_PLANE}, box = {.type = SN_SOLID_BOX, .half = vec(1, 1, 1)};
    check_free(&plane, vec(0, 0.5, 0), vec(3, 0, 0), 0.5); /* it rests and slides */
    check_met(&plane, vec(0, 0.5, 0), vec(3, -1e-6, 0), 0.5, 0, vec(0, 1, 0));
    check_free(&box, vec(0, 1.5, 0), vec(0.5, 0, 0), 0.5);
    check_free(&box, vec(0, 1.5, 0), vec(0.5, 1, 0), 0.5);
    check_met(&box, vec(0, -1.25, 0), vec(0.5, 1, 0), 0.5, 0, vec(0, -1, 0));
}

/* From far away and over a long way the touch is as precise as t can say. */
static void test_cast_long_ways(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (uint32_t round = 0; round < 3000; ++round) {
        sn_solid s = make_solid((sn_solid_type)(1 + round % 3), 0.01, &seed);
        sn_vec3 from = random_in(&seed, 1e4), to = random_in(&seed, 0.001);
        sn_path path = {from,
                        vec(2 * ((double)to.x - (double)from.x), 2 * ((double)to.y - (double)from.y),
                            2 * ((double)to.z - (double)from.z)),
                        real(0.01)};
        if (SINEW_DOUBLE || support_gap(from, vec(0, 0, 0)) < 1e3) /* a float cannot aim from farther off */
            assert_true(check_cast(&s, &path, 10));
        else
            check_cast(&s, &path, 10);
    }
}

static void test_bounds(void **state)
{
    (void)state;
    uint64_t seed = 4;
    sn_solid plane = {.type = SN_SOLID_PLANE};
    sn_bounds b = sn_solid_bounds(&plane);
    assert_true(isinf(b.low.x) && isinf(b.low.y) && isinf(b.low.z) && b.low.y < 0 && b.high.y == 0 && isinf(b.high.z));
    for (uint32_t round = 0; round < 1000; ++round) {
        sn_solid s = make_solid((sn_solid_type)(1 + round % 3), 1, &seed);
        b = sn_solid_bounds(&s);
        sn_vec3 spot = surface_spot(&s, support_random_below(&seed, 6), support_random_in(&seed, 0, 1),
                                    support_random_in(&seed, 0, 1));
        assert_true(spot.x >= b.low.x && spot.y >= b.low.y && spot.z >= b.low.z);
        assert_true(spot.x <= b.high.x && spot.y <= b.high.y && spot.z <= b.high.z);
        double top = s.type == SN_SOLID_BOX      ? (double)s.half.y
                     : s.type == SN_SOLID_SPHERE ? (double)s.radius
                                                 : (double)s.radius + (double)s.half.y;
        assert_true((double)b.high.y >= top);
        assert_close(b.high.y, top, 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_everywhere),     cmocka_unit_test(test_near_against_the_surface),
        cmocka_unit_test(test_near_special_places), cmocka_unit_test(test_near_tiny_and_huge),
        cmocka_unit_test(test_cast_random),         cmocka_unit_test(test_bullets),
        cmocka_unit_test(test_cast_special),        cmocka_unit_test(test_cast_from_inside),
        cmocka_unit_test(test_cast_long_ways),      cmocka_unit_test(test_bounds)};
    return cmocka_run_group_tests_name("solids", tests, NULL, NULL);
}
