/* Triangles, proper and degenerate, against brute force in double: nearest spots by search, moving spheres and passing
   points by sampling the distance over time. */
#include "support/support.h"

#include "base/dvec.h"
#include "collision/roots.h"
#include "collision/triangle.h"

static const double scales[] = {0.01, 1, 100};

static sn_vec3 random_about(uint64_t *seed, sn_vec3 middle, double reach)
{
    double x = (double)middle.x + support_random_in(seed, -reach, reach);
    double y = (double)middle.y + support_random_in(seed, -reach, reach);
    return vec(x, y, (double)middle.z + support_random_in(seed, -reach, reach));
}

/* Corners about a place up to 100 m off. Every third triangle is thin, a line, a point, or right-angled. */
static void random_triangle(uint64_t *seed, double scale, sn_vec3 corner[3])
{
    sn_vec3 middle = random_about(seed, vec(0, 0, 0), support_random_below(seed, 2) ? 100 : 0);
    for (int i = 0; i < 3; ++i)
        corner[i] = random_about(seed, middle, scale);
    double k = support_random_in(seed, -1, 2);
    switch (support_random_below(seed, 12)) {
    case 0: /* a line, as nearly as rounding lets it be */
        corner[2] = vec((double)corner[0].x + k * ((double)corner[1].x - (double)corner[0].x),
                        (double)corner[0].y + k * ((double)corner[1].y - (double)corner[0].y),
                        (double)corner[0].z + k * ((double)corner[1].z - (double)corner[0].z));
        break;
    case 1: /* exactly a line */
        corner[1].y = corner[2].y = corner[0].y;
        corner[1].z = corner[2].z = corner[0].z;
        break;
    case 2:
        corner[support_random_below(seed, 3)] = corner[support_random_below(seed, 3)];
        break;
    case 3:
        corner[1].y = corner[2].x = corner[0].x;
        corner[1].z = corner[2].z = corner[0].z;
        break;
    case 4: { /* a needle along an axis, where floats can be very near to it */
        double width = scale * pow(10, support_random_in(seed, -15, -2));
        corner[0] = vec(-scale, 0, 0);
        corner[1] = vec(scale, support_random_in(seed, -width, width), 0);
        corner[2] = vec(k * scale, 0, support_random_in(seed, -width, width));
        break;
    }
    default:
        break;
    }
}

/* ---- What is right ----------------------------------------------------------------------------------------------- */

static double clamp01(double t)
{
    return t > 0 ? t < 1 ? t : 1 : 0;
}

static double segment_distance(sn_dvec3 p, sn_dvec3 a, sn_dvec3 b)
{
    sn_dvec3 ab = dvec3_sub(b, a), ap = dvec3_sub(p, a);
    double square = dvec3_dot(ab, ab), t = square > 0 ? clamp01(dvec3_dot(ap, ab) / square) : 0;
    return dvec3_length(dvec3_sub(ap, dvec3_scale(ab, t)));
}

/* The inside is nearest where the foot on the plane is inside of all edges; otherwise an edge is. */
static double true_distance(sn_dvec3 p, const sn_dvec3 c[3])
{
    double least = (double)INFINITY;
    sn_dvec3 n = dvec3_cross(dvec3_sub(c[1], c[0]), dvec3_sub(c[2], c[0]));
    bool inside = dvec3_length(n) > 1e-12 * dvec3_length(dvec3_sub(c[1], c[0])) * dvec3_length(dvec3_sub(c[2], c[0]));
    for (int i = 0; i < 3; ++i) {
        sn_dvec3 a = c[i], b = c[(i + 1) % 3];
        least = fmin(least, segment_distance(p, a, b));
        inside &= dvec3_dot(dvec3_cross(n, dvec3_sub(b, a)), dvec3_sub(p, a)) > 0;
    }
    return inside ? fmin(least, fabs(dvec3_dot(n, dvec3_sub(p, c[0]))) / dvec3_length(n)) : least;
}

static sn_dvec3 moved(sn_vec3 from, sn_vec3 to, double t)
{
    return dvec3_add(dvec3_scale(dvec3_from(from), 1 - t), dvec3_scale(dvec3_from(to), t));
}

/* The distance of x[0] from the triangle of the others, on their way. */
static double distance_at(const sn_vec3 start[4], const sn_vec3 end[4], double t)
{
    sn_dvec3 c[3] = {moved(start[1], end[1], t), moved(start[2], end[2], t), moved(start[3], end[3], t)};
    return true_distance(moved(start[0], end[0], t), c);
}

/* ---- Near -------------------------------------------------------------------------------------------------------- */

/* The weights are fit to be weights, and the feature says which of them may differ from 0. */
static void check_weights(const sn_real weight[3], uint32_t feature)
{
    static const unsigned may[7] = {7, 3, 6, 5, 1, 2, 4};
    assert_true(feature <= 6);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(weight[i] >= 0 && weight[i] <= 1);
        assert_true(may[feature] >> i & 1 || weight[i] == 0);
    }
    assert_close((double)weight[0] + (double)weight[1] + (double)weight[2], 1, SUPPORT_ROUND_OFF / 50);
}

static sn_dvec3 surface_point(const sn_vec3 corner[3], const sn_real weight[3])
{
    sn_dvec3 a = dvec3_scale(dvec3_from(corner[0]), (double)weight[0]);
    sn_dvec3 b = dvec3_scale(dvec3_from(corner[1]), (double)weight[1]);
    double sum = (double)weight[0] + (double)weight[1] + (double)weight[2];
    return dvec3_scale(dvec3_add(dvec3_add(a, b), dvec3_scale(dvec3_from(corner[2]), (double)weight[2])), 1 / sum);
}

static double size_of(const sn_vec3 corner[3])
{
    return support_gap(corner[0], corner[1]) + support_gap(corner[0], corner[2]);
}

static void test_near_random(void **state)
{
    (void)state;
    uint64_t seed = 1;
    uint32_t seen[7] = {0};
    for (uint32_t round = 0; round < support_rounds(200000, 20000); ++round) {
        sn_vec3 corner[3];
        double scale = scales[round % 3];
        random_triangle(&seed, scale, corner);
        sn_vec3 p = random_about(&seed, corner[0], scale * (round % 5 ? 2 : 1000));
        if (round % 4 == 0) { /* on it, or as near as can be */
            sn_dvec3 on = moved(corner[1], corner[2], support_random_in(&seed, 0, 1));
            p = vec(on.x, on.y, on.z);
        }
        sn_real weight[3];
        uint32_t feature = sn_triangle_near(p, corner[0], corner[1], corner[2], weight);
        check_weights(weight, feature);
        ++seen[feature];
        sn_dvec3 c[3] = {dvec3_from(corner[0]), dvec3_from(corner[1]), dvec3_from(corner[2])};
        double best = true_distance(dvec3_from(p), c);
        double found = dvec3_length(dvec3_sub(surface_point(corner, weight), dvec3_from(p)));
        assert_close(found, best, (SUPPORT_ROUND_OFF / 50 + 1e-10) * size_of(corner) + 1e-10 * best + 1e-13);
    }
    for (uint32_t i = 0; i < 7; ++i)
        assert_true(seen[i] > 100);
}

/* No other weights give a nearer spot: this knows nothing of regions. */
static void test_near_against_a_grid(void **state)
{
    (void)state;
    uint64_t seed = 2;
    const int grid = 30;
    for (uint32_t round = 0; round < support_rounds(2000, 200); ++round) {
        sn_vec3 corner[3];
        random_triangle(&seed, 1, corner);
        sn_vec3 p = random_about(&seed, corner[0], 2);
        sn_real weight[3];
        sn_triangle_near(p, corner[0], corner[1], corner[2], weight);
        double found = dvec3_length(dvec3_sub(surface_point(corner, weight), dvec3_from(p)));
        for (int i = 0; i <= grid; ++i)
            for (int j = 0; i + j <= grid; ++j) {
                sn_real w[3] = {real((double)i / grid), real((double)j / grid), real((double)(grid - i - j) / grid)};
                double other = dvec3_length(dvec3_sub(surface_point(corner, w), dvec3_from(p)));
                assert_true(found <= other + SUPPORT_ROUND_OFF);
            }
    }
}

static void check_near(sn_vec3 p, uint32_t feature, double a, double b, double c)
{
    sn_real weight[3];
    assert_int_equal(sn_triangle_near(p, vec(0, 0, 0), vec(4, 0, 0), vec(0, 4, 0), weight), feature);
    assert_vec_close(vec(weight[0], weight[1], weight[2]), vec(a, b, c), SUPPORT_ROUND_OFF / 10);
}

static void test_near_regions(void **state)
{
    (void)state;
    check_near(vec(1, 1, 5), 0, 0.5, 0.25, 0.25);
    check_near(vec(1, 1, 0), 0, 0.5, 0.25, 0.25);
    check_near(vec(1, -1, 1), 1, 0.75, 0.25, 0);
    check_near(vec(3, 3, -1), 2, 0, 0.5, 0.5);
    check_near(vec(-2, 3, 0), 3, 0.25, 0, 0.75);
    check_near(vec(-1, -1, 3), 4, 1, 0, 0);
    check_near(vec(6, 1, 0), 5, 0, 1, 0);
    check_near(vec(0.5, 7, 1), 6, 0, 0, 1);
    check_near(vec(0, 0, 2), 4, 1, 0, 0); /* over a corner itself */
    sn_real weight[3];
    sn_vec3 same = vec(3, 2, 1);
    assert_true(sn_triangle_near(vec(0, 0, 0), same, same, same, weight) >= 4);                         /* a point */
    assert_true(sn_triangle_near(vec(2, 1, 0), vec(0, 0, 0), vec(1, 0, 0), vec(3, 0, 0), weight) <= 3); /* a line */
    assert_close(surface_point((sn_vec3[3]){vec(0, 0, 0), vec(1, 0, 0), vec(3, 0, 0)}, weight).x, 2, SUPPORT_ROUND_OFF);
}

/* ---- Cast -------------------------------------------------------------------------------------------------------- */

static bool check_cast(const sn_path *path, const sn_vec3 corner[3], uint32_t samples)
{
    sn_vec3 start[4] = {path->from, corner[0], corner[1], corner[2]};
    sn_vec3 way = path->displacement;
    sn_real t = -1, weight[3];
    bool met = sn_triangle_cast(path, corner[0], corner[1], corner[2], &t, weight);
    assert_true(!met || (t >= 0 && t <= 1));

    /* from is left out: everything is seen from there, so that the sum from + way rounds nothing */
    sn_dvec3 c[3];
    for (int i = 0; i < 3; ++i)
        c[i] = dvec3_sub(dvec3_from(corner[i]), dvec3_from(start[0]));
    double length = dvec3_length(dvec3_from(way)), size = size_of(corner) + dvec3_length(c[0]);
    double slack = (SINEW_DOUBLE ? 1e-14 : 1e-7) * length + 1e-9 * size, radius = (double)path->radius;
    double until = met ? (double)t : 1;
    for (uint32_t i = 0; i < samples; ++i)
        assert_true(true_distance(dvec3_scale(dvec3_from(way), until * i / samples), c) >= radius - slack);
    if (!met)
        return false;
    sn_dvec3 place = dvec3_scale(dvec3_from(way), (double)t);
    assert_close(true_distance(place, c), radius, slack);
    check_weights(weight, 0);
    sn_dvec3 spot = dvec3_sub(surface_point(corner, weight), dvec3_from(start[0]));
    assert_close(dvec3_length(dvec3_sub(spot, place)), radius, slack + SUPPORT_ROUND_OFF / 50 * size_of(corner));
    return true;
}

static sn_vec3 way_to(sn_vec3 from, sn_dvec3 aim, double k)
{
    sn_dvec3 way = dvec3_scale(dvec3_sub(aim, dvec3_from(from)), k);
    return vec(way.x, way.y, way.z);
}

static void test_cast_random(void **state)
{
    (void)state;
    uint64_t seed = 3;
    uint32_t met = 0, missed = 0;
    for (uint32_t round = 0; round < support_rounds(60000, 6000); ++round) {
        sn_vec3 corner[3];
        double scale = scales[round % 3];
        random_triangle(&seed, scale, corner);
        sn_path path = {random_about(&seed, corner[0], 3 * scale), {0, 0, 0}, 0};
        sn_dvec3 middle = moved(corner[0], corner[1 + round % 2], support_random_in(&seed, 0, 1));
        sn_vec3 aim = random_about(&seed, vec(middle.x, middle.y, middle.z), 0.5 * scale);
        path.displacement = way_to(path.from, dvec3_from(aim), support_random_in(&seed, 0.3, 3));
        if (round % 5)
            path.radius = real(scale * pow(10, support_random_in(&seed, -4, 0)));
        sn_vec3 start[4] = {path.from, corner[0], corner[1], corner[2]};
        if (distance_at(start, start, 0) <= (double)path.radius)
            continue;
        if (check_cast(&path, corner, 40))
            ++met;
        else
            ++missed;
    }
    print_message("casts: %u met, %u missed\n", met, missed);
    assert_true(met > 1000 && missed > 1000);
}

/* 300 m/s for 1/60 s, at spots inside, on edges and at corners: none passes, none touches early. */
static void test_bullets(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (uint32_t round = 0; round < support_rounds(60000, 6000); ++round) {
        sn_vec3 middle = random_about(&seed, vec(0, 0, 0), 100), corner[3];
        for (int i = 0; i < 3; ++i)
            corner[i] = random_about(&seed, middle, scales[round % 3]);
        double u = support_random_in(&seed, 0, 1), v = support_random_in(&seed, 0, 1 - u);
        sn_real weight[3] = {real(u), real(v), real(1 - u - v)};
        sn_vec3 from = random_about(&seed, middle, 3);
        sn_path path = {from, way_to(from, surface_point(corner, weight), support_random_in(&seed, 1.01, 4)),
                        real(round % 2 ? 0.001 : 0)};
        sn_vec3 start[4] = {path.from, corner[0], corner[1], corner[2]};
        if (distance_at(start, start, 0) <= 0.01)
            continue;
        bool met = check_cast(&path, corner, 20);
        /* A ray can be aimed no better than floats allow, so only the inside of large triangles is sure. */
        bool sure = path.radius > 0 || (u > 0.01 && v > 0.01 && 1 - u - v > 0.01 && round % 3 != 0);
        sn_dvec3 n = dvec3_cross(dvec3_seen(corner[0], corner[1]), dvec3_seen(corner[0], corner[2]));
        sure &= dvec3_length(n) > 0.05 * scales[round % 3] * scales[round % 3];
        assert_true(met || !sure);
    }
}

/* Rays at the common edge and the common corner of neighbours, aimed as exactly as can be: one of them is met. */
static void test_no_gap_between_neighbours(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (uint32_t round = 0; round < support_rounds(40000, 4000); ++round) {
        sn_vec3 a = random_about(&seed, vec(0, 0, 0), 1), b = random_about(&seed, vec(0, 0, 0), 1), left, right;
        sn_vec3 from = random_about(&seed, vec(0, 0, 10), 3);
        left = vec(-2, support_random_in(&seed, -1, 1), support_random_in(&seed, -1, 1));
        right = vec(2, support_random_in(&seed, -1, 1), support_random_in(&seed, -1, 1));
        a.x /= 4;
        b.x /= 4;
        a.y = real((double)a.y - 2); /* so that left and right of ab there is left and right */
        b.y = real((double)b.y + 2);
        double t = round % 4 ? support_random_in(&seed, 0.05, 0.95) : 0.5;
        sn_dvec3 aim = moved(a, b, t);
        sn_path path = {from, way_to(from, aim, 2), 0};
        sn_real when, weight[3];
        bool met = sn_triangle_cast(&path, a, b, left, &when, weight);
        met |= sn_triangle_cast(&path, b, a, right, &when, weight);
        assert_true(met);
    }
    for (int x = 0; x < 2; ++x) /* exactly at the edge, exactly at the corners */
        for (int y = 0; y < 5; ++y) {
            sn_path path = {vec(x, y, 3), vec(0, 0, -5), 0};
            sn_real when, weight[3];
            assert_true(sn_triangle_cast(&path, vec(0, 0, 0), vec(1, 0, 0), vec(1, 4, 0), &when, weight) ||
                        sn_triangle_cast(&path, vec(0, 0, 0), vec(1, 4, 0), vec(0, 4, 0), &when, weight));
            assert_close(when, 0.6, SUPPORT_ROUND_OFF);
        }
}

static void test_cast_from_near(void **state)
{
    (void)state;
    const sn_vec3 c[3] = {vec(0, 0, 0), vec(4, 0, 0), vec(0, 4, 0)};
    sn_real t = -1, weight[3];
    sn_path path = {vec(1, 1, 0.5), vec(0, 0, -1), 1};
    assert_true(sn_triangle_cast(&path, c[0], c[1], c[2], &t, weight) && t == 0);
    assert_close(weight[0], 0.5, SUPPORT_ROUND_OFF);
    path.displacement = vec(0, 0, 1);
    assert_false(sn_triangle_cast(&path, c[0], c[1], c[2], &t, weight)); /* away from it */
    path.displacement = vec(1, 0, 0);
    assert_false(sn_triangle_cast(&path, c[0], c[1], c[2], &t, weight)); /* along it */
    path.displacement = vec(0, 0, 0);
    assert_false(sn_triangle_cast(&path, c[0], c[1], c[2], &t, weight)); /* not at all */
    path = (sn_path){vec(1, 1, -0.5), vec(0, 0, 1), real(0.5)};
    assert_true(sn_triangle_cast(&path, c[0], c[1], c[2], &t, weight) && t == 0); /* from below, just touching */
    path = (sn_path){vec(1, 1, 3), vec(0, 0, 0), 1};
    assert_false(sn_triangle_cast(&path, c[0], c[1], c[2], &t, weight));
    path = (sn_path){vec(-3, 1, 0), vec(8, 0, 0), 1}; /* in its plane, at an edge */
    assert_true(sn_triangle_cast(&path, c[0], c[1], c[2], &t, weight));
    assert_close(t, 0.25, SUPPORT_ROUND_OFF);
    path = (sn_path){vec(-3, -3, 0), vec(8, 8, 0), 1}; /* at a corner */
    assert_true(sn_triangle_cast(&path, c[0], c[1], c[2], &t, weight));
    assert_close(t, (3 - sqrt(0.5)) / 8, SUPPORT_ROUND_OFF);
    assert_close(weight[0], 1, 0);
}

/* ---- Both move --------------------------------------------------------------------------------------------------- */

/* The first time, found by steps that never go farther than the distance allows, and whether there is one that is not a
   matter of rounding: clearly = +1, clearly not = -1, in doubt = 0. */
static int first_touch(const sn_vec3 start[4], const sn_vec3 end[4], double thickness, double *when)
{
    double speed = 0, margin = 1e-6;
    for (int i = 1; i < 4; ++i) {
        sn_dvec3 a = dvec3_sub(dvec3_from(start[i]), dvec3_from(start[0]));
        sn_dvec3 b = dvec3_sub(dvec3_from(end[i]), dvec3_from(end[0]));
        speed = fmax(speed, dvec3_length(dvec3_sub(b, a)));
    }
    double t = 0;
    for (int step = 0; step < 100000; ++step) {
        double gap = distance_at(start, end, t) - thickness;
        if (gap <= margin)
            break;
        t += gap / speed;
        if (t > 1)
            return -1;
    }
    *when = t;
    for (int i = 0; i <= 2000; ++i)
        if (distance_at(start, end, t + (1 - t) * i / 2000) < thickness - margin)
            return 1;
    return 0;
}

static void random_passing(uint64_t *seed, sn_vec3 start[4], sn_vec3 end[4])
{
    random_triangle(seed, 1, start + 1);
    sn_vec3 middle = start[1], shift = random_about(seed, vec(0, 0, 0), 5);
    for (int i = 1; i < 4; ++i)
        end[i] = random_about(seed,
                              vec((double)start[i].x + (double)shift.x, (double)start[i].y + (double)shift.y,
                                  (double)start[i].z + (double)shift.z),
                              support_random_below(seed, 2) ? 0.7 : 0.1);
    start[0] = random_about(seed, middle, 1.5);
    if (support_random_below(seed, 2)) { /* over to the other side of where the triangle will be */
        sn_vec3 aim = end[1 + support_random_below(seed, 3)];
        end[0] = vec((double)aim.x - ((double)start[0].x - (double)middle.x),
                     (double)aim.y - ((double)start[0].y - (double)middle.y),
                     (double)aim.z - ((double)start[0].z - (double)middle.z));
        return;
    }
    end[0] = random_about(seed, end[1 + support_random_below(seed, 3)], 1.5);
}

static void test_meets_with_thickness(void **state)
{
    (void)state;
    uint64_t seed = 9;
    uint32_t met = 0, missed = 0;
    for (uint32_t round = 0; round < support_rounds(6000, 600); ++round) {
        sn_vec3 start[4], end[4];
        random_passing(&seed, start, end);
        double thickness = pow(10, support_random_in(&seed, -4, -0.5)), when = 0;
        thickness = (double)real(thickness);
        sn_real t = -1, weight[3];
        bool found = sn_triangle_sweep_hits(start, end, real(thickness), &t, weight);
        int expected = first_touch(start, end, thickness, &when);
        if (expected)
            assert_int_equal(found, expected > 0);
        if (found) {
            assert_true(t >= 0 && t <= 1);
            check_weights(weight, 0);
            double distance = distance_at(start, end, (double)t);
            assert_true(distance <= thickness + 5e-6);
            assert_true(t == 0 || distance >= thickness - 5e-6);
            assert_true((double)t >= when - 1e-5);
            if (expected) /* a touch that is early by a hair may be much earlier in time, so its gap is looked at */
                for (int i = 0; i < 20; ++i)
                    assert_true(distance_at(start, end, (double)t * i / 20) >= thickness - 5e-6 || t == 0);
        }
        met += found;
        missed += !found;
    }
    print_message("passings: %u met, %u missed\n", met, missed);
    assert_true(met > 100 && missed > 100);
}

static double volume_at(const sn_vec3 start[4], const sn_vec3 end[4], double t)
{
    sn_dvec3 p = moved(start[0], end[0], t), a = dvec3_sub(moved(start[1], end[1], t), p);
    sn_dvec3 b = dvec3_sub(moved(start[2], end[2], t), p), c = dvec3_sub(moved(start[3], end[3], t), p);
    return dvec3_dot(a, dvec3_cross(b, c));
}

/* Without thickness: every change of sign that sampling shows, inside of the triangle, is found, or one before it. */
static void test_meets_without_thickness(void **state)
{
    (void)state;
    uint64_t seed = 10;
    uint32_t met = 0;
    for (uint32_t round = 0; round < support_rounds(20000, 2000); ++round) {
        sn_vec3 start[4], end[4];
        random_passing(&seed, start, end);
        double crossing = -1;
        for (int i = 0; i < 50 && crossing < 0; ++i) {
            double low = i / 50.0, high = (i + 1) / 50.0, at_low = volume_at(start, end, low);
            if (at_low * volume_at(start, end, high) >= 0)
                continue;
            for (int k = 0; k < 50; ++k) {
                double middle = (low + high) / 2;
                *(at_low * volume_at(start, end, middle) > 0 ? &low : &high) = middle;
            }
            crossing = distance_at(start, end, low) < 1e-9 ? low : -1;
        }
        sn_real t = -1, weight[3];
        bool found = sn_triangle_sweep_hits(start, end, 0, &t, weight);
        assert_true(found || crossing < 0);
        if (!found)
            continue;
        ++met;
        assert_true(crossing < 0 || (double)t <= crossing + 1e-6);
        assert_true(distance_at(start, end, (double)t) < (SINEW_DOUBLE ? 1e-6 : 5e-6));
        check_weights(weight, 0);
    }
    assert_true(met > 100);
}

/* A bullet through a corner, an edge and the middle of a flying sheet, from any side, with and without thickness. */
static void test_meets_special(void **state)
{
    (void)state;
    const sn_vec3 spots[] = {vec(1, 1, 0), vec(0, 0, 0), vec(2, 0, 0), vec(2, 2, 0), vec(4, 0, 0)};
    for (uint32_t i = 0; i < COUNT_OF(spots); ++i)
        for (int side = -1; side <= 1; side += 2)
            for (int thick = 0; thick < 2; ++thick) {
                sn_vec3 start[4] = {spots[i], vec(0, 0, 0), vec(4, 0, 0), vec(0, 4, 0)}, end[4];
                for (int k = 0; k < 4; ++k) {
                    end[k] = start[k];
                    end[k].x += 3; /* all of it flies */
                }
                start[0].z = real(side * 2.0);
                end[0].z = real(side * -3.0);
                sn_real t = -1, weight[3];
                assert_true(sn_triangle_sweep_hits(start, end, real(thick * 0.5), &t, weight));
                assert_close(t, thick ? 0.3 : 0.4, SUPPORT_ROUND_OFF);
                end[0].z = real(side * 0.75); /* it stops short of it */
                assert_false(sn_triangle_sweep_hits(start, end, real(thick * 0.5), &t, weight));
            }
    /* in its plane: towards an edge */
    sn_vec3 start[4] = {vec(-2, 1, 0), vec(0, 0, 0), vec(4, 0, 0), vec(0, 4, 0)}, end[4];
    memcpy(end, start, sizeof end);
    end[0].x = 2;
    sn_real t = -1, weight[3];
    assert_true(sn_triangle_sweep_hits(start, end, real(0.5), &t, weight));
    assert_close(t, 0.375, SUPPORT_ROUND_OFF);
    /* near at the start, and standing still */
    start[0] = end[0] = vec(1, 1, 0.25);
    assert_true(sn_triangle_sweep_hits(start, end, real(0.5), &t, weight) && t == 0);
    assert_false(sn_triangle_sweep_hits(start, end, real(0.125), &t, weight));
    /* the triangle turns over beside the point without touching it */
    memcpy(end, start, sizeof end);
    start[0] = end[0] = vec(1, 1, 7);
    end[3] = vec(0, -4, 0);
    assert_false(sn_triangle_sweep_hits(start, end, real(0.125), &t, weight));
}

/* ---- Roots ------------------------------------------------------------------------------------------------------- */

/* Bernstein coefficients of (t - r1)(t - r2)...: each factor goes from -r to 1 - r. */
static void polynomial_of(const double *root, uint32_t count, double *b)
{
    double next[SN_ROOTS_DEGREE + 1] = {0};
    b[0] = 1;
    for (uint32_t i = 0; i < count; ++i) {
        double factor[2] = {-root[i], 1 - root[i]};
        sn_roots_multiply(b, i, factor, 1, next);
        memcpy(b, next, sizeof next);
    }
}

typedef struct collected {
    uint32_t count;
    double root[64];
} collected;

static bool collect(void *data, double t)
{
    collected *c = data;
    if (c->count < COUNT_OF(c->root))
        c->root[c->count++] = t;
    return false;
}

static void test_roots(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (uint32_t round = 0; round < support_rounds(20000, 2000); ++round) {
        double root[SN_ROOTS_DEGREE], b[SN_ROOTS_DEGREE + 1];
        uint32_t degree = 1 + support_random_below(&seed, SN_ROOTS_DEGREE), inside = 0;
        for (uint32_t i = 0; i < degree; ++i) /* apart from each other, some of them outside */
            root[i] = -0.5 + 2.0 * ((double)i + support_random_in(&seed, 0.2, 0.8)) / degree;
        polynomial_of(root, degree, b);
        collected c = {0};
        assert_true(sn_roots_first(b, degree, 2, collect, &c) == 2);
        for (uint32_t i = 0; i < degree; ++i) {
            if (root[i] < 0 || root[i] > 1)
                continue;
            assert_true(inside < c.count);
            assert_close(c.root[inside++], root[i], 1e-8);
        }
        assert_int_equal(c.count, inside);
    }
}

static void test_difficult_roots(void **state)
{
    (void)state;
    double b[SN_ROOTS_DEGREE + 1], twice[] = {0.3, 0.3}, thrice[] = {0.7, 0.7, 0.7}, ends[] = {0, 1},
                                   close[] = {0.5, 0.5 + 1e-9, 0.9};
    polynomial_of(twice, 2, b); /* touched, not passed: found or not, but nothing else is */
    double t = sn_roots_first(b, 2, 2, NULL, NULL);
    assert_true(t == 2 || fabs(t - 0.3) < 1e-6);
    polynomial_of(thrice, 3, b);
    assert_close(sn_roots_first(b, 3, 2, NULL, NULL), 0.7, 1e-4);
    polynomial_of(ends, 2, b);
    collected c = {0};
    sn_roots_first(b, 2, 2, collect, &c);
    assert_int_equal(c.count, 2);
    assert_true(c.root[0] == 0 && c.root[1] == 1);
    polynomial_of(close, 3, b); /* two so close that they are one or none; the third counts in any case */
    c = (collected){0};
    sn_roots_first(b, 3, 2, collect, &c);
    assert_true(c.count > 0 && fabs(c.root[c.count - 1] - 0.9) < 1e-9);
    const double zero[4] = {0, 0, 0, 0}, nan[4] = {1, (double)NAN, -1, 1};
    assert_true(sn_roots_first(zero, 3, 2, NULL, NULL) == 0);
    sn_roots_first(nan, 3, 2, NULL, NULL); /* returns */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_random),
        cmocka_unit_test(test_near_against_a_grid),
        cmocka_unit_test(test_near_regions),
        cmocka_unit_test(test_cast_random),
        cmocka_unit_test(test_bullets),
        cmocka_unit_test(test_no_gap_between_neighbours),
        cmocka_unit_test(test_cast_from_near),
        cmocka_unit_test(test_meets_with_thickness),
        cmocka_unit_test(test_meets_without_thickness),
        cmocka_unit_test(test_meets_special),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_difficult_roots),
    };
    return cmocka_run_group_tests_name("triangles", tests, NULL, NULL);
}
