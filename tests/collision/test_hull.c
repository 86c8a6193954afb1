/* Convex hulls: that they are closed and convex and hold all points, on random sets, sets with coplanar, repeated and
   inner points, and sets that make no solid; distances and casts against faces and edges one by one. */
#include "support/support.h"

#include "collision/hull.h"

#define SLACK (SINEW_DOUBLE ? 1e-9 : 1e-4) /* of the size */

static char message[256];

static sn_hull *make(const sn_vec3 *point, uint32_t points)
{
    bool out_of_memory = true;
    sn_hull *hull = sn_hull_create(&sn_default_allocator, point, points, &out_of_memory, message, sizeof message);
    assert_false(out_of_memory);
    if (!hull)
        fail_msg("%s", message);
    return hull;
}

static void release(sn_hull *hull)
{
    sn_hull_destroy(hull, &sn_default_allocator);
}

static sn_dvec3 wide(sn_vec3 p)
{
    return dvec3_from(p);
}

static sn_vec3 random_point(uint64_t *seed, double reach)
{
    double x = support_random_in(seed, -reach, reach), y = support_random_in(seed, -reach, reach);
    return vec(x, y, support_random_in(seed, -reach, reach));
}

/* Spread over a sphere, so that all are corners. */
static sn_vec3 random_on_sphere(uint64_t *seed, double radius)
{
    for (;;) {
        sn_dvec3 p = wide(random_point(seed, 1));
        double length = dvec3_length(p);
        if (length > 0.1 && length < 1)
            return dvec3_round(dvec3_scale(p, radius / length));
    }
}

/* Every face is flat and faces outwards, every edge has two faces that run along it both ways, and nothing sticks out.
   */
static void check_solid(const sn_hull *hull)
{
    double slack = SLACK * hull->outer;
    assert_int_equal(hull->vertices + hull->faces, hull->edges + 2);
    assert_int_equal(hull->loops, 2 * hull->edges);
    assert_true(hull->inner > 0 && hull->inner < hull->outer && hull->volume > 0);
    for (uint32_t f = 0; f < hull->faces; ++f) {
        const sn_hull_face *face = &hull->face[f];
        assert_close(dvec3_length(face->normal), 1, 1e-12);
        assert_true(face->count >= 3 && face->area > 0);
        for (uint32_t i = 0; i < face->count; ++i) {
            double along = dvec3_dot(face->normal, hull->vertex[hull->loop[face->first + i]]);
            assert_close(along, face->offset, slack);
        }
        for (uint32_t i = 0; i < hull->vertices; ++i)
            assert_true(dvec3_dot(face->normal, hull->vertex[i]) <= face->offset);
    }
    for (uint32_t e = 0; e < hull->edges; ++e)
        for (uint32_t k = 0; k < 2; ++k) {
            const sn_hull_edge *edge = &hull->edge[e];
            const sn_hull_face *face = &hull->face[edge->face[k]];
            const uint8_t *loop = hull->loop + face->first;
            bool found = false;
            for (uint32_t i = 0; i < face->count; ++i)
                found |= loop[i] == edge->vertex[k] && loop[(i + 1) % face->count] == edge->vertex[1 - k];
            assert_true(found);
        }
}

static void check_holds(const sn_hull *hull, const sn_vec3 *point, uint32_t points)
{
    for (uint32_t i = 0; i < points; ++i) {
        sn_dvec3 p = dvec3_sub(wide(point[i]), hull->centroid);
        for (uint32_t f = 0; f < hull->faces; ++f)
            assert_true(dvec3_dot(hull->face[f].normal, p) <= hull->face[f].offset + SLACK * hull->outer);
    }
}

static void test_random_points(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (uint32_t round = 0; round < support_rounds(2000, 200); ++round) {
        sn_vec3 point[200];
        double size = round % 3 == 0 ? 0.01 : round % 3 == 1 ? 1 : 300;
        uint32_t points = 4 + support_random_below(&seed, round % 2 ? 12 : 196);
        for (uint32_t i = 0; i < points; ++i)
            point[i] = random_point(&seed, size);
        sn_hull *hull = make(point, points);
        check_solid(hull);
        check_holds(hull, point, points);
        release(hull);
    }
}

static void test_points_on_a_sphere(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t round = 0; round < support_rounds(100, 10); ++round) {
        sn_vec3 point[100];
        uint32_t points = 4 + support_random_below(&seed, 97);
        for (uint32_t i = 0; i < points; ++i)
            point[i] = random_on_sphere(&seed, 1);
        sn_hull *hull = make(point, points);
        check_solid(hull);
        check_holds(hull, point, points);
        assert_true(hull->vertices + 3 >= points); /* but for those that are next to another one */
        release(hull);
    }
}

static sn_quat turn_by(uint64_t *seed)
{
    sn_dvec3 v = wide(random_point(seed, 1));
    sn_quat q = {real(v.x), real(v.y), real(v.z), real(support_random_in(seed, 0.1, 1))};
    double length = sqrt((double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z +
                         (double)q.w * (double)q.w);
    return (sn_quat){real((double)q.x / length), real((double)q.y / length), real((double)q.z / length),
                     real((double)q.w / length)};
}

static sn_dvec3 turn(sn_quat q, sn_dvec3 a)
{
    sn_dvec3 v = {(double)q.x, (double)q.y, (double)q.z}, t = dvec3_scale(dvec3_cross(v, a), 2);
    return dvec3_add(dvec3_add(a, dvec3_scale(t, (double)q.w)), dvec3_cross(v, t));
}

/* A box of points on a grid: inner ones, ones on faces and edges, and all twice; turned, and somewhere else. */
static void test_box_of_points(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (uint32_t round = 0; round < support_rounds(300, 30); ++round) {
        sn_quat q = round == 0 ? (sn_quat){0, 0, 0, 1} : turn_by(&seed);
        sn_dvec3 place = wide(random_point(&seed, round < 2 ? 0 : 20)), size = {1, 2, 0.5};
        sn_vec3 point[2 * 64];
        uint32_t points = 0;
        for (int copy = 0; copy < 2; ++copy)
            for (int i = 0; i < 64; ++i) {
                sn_dvec3 p = {size.x * (i % 4 / 1.5 - 1), size.y * (i / 4 % 4 / 1.5 - 1), size.z * (i / 16 / 1.5 - 1)};
                point[points++] = dvec3_round(dvec3_add(place, turn(q, p)));
            }
        for (uint32_t i = points - 1; i > 0; --i) { /* in any order */
            uint32_t j = support_random_below(&seed, i + 1);
            sn_vec3 swap = point[i];
            point[i] = point[j];
            point[j] = swap;
        }
        sn_hull *hull = make(point, points);
        check_solid(hull);
        assert_int_equal(hull->vertices, 8);
        assert_int_equal(hull->faces, 6);
        assert_int_equal(hull->edges, 12);
        assert_close(hull->volume, 8 * size.x * size.y * size.z, 100 * SLACK);
        assert_close(dvec3_length(dvec3_sub(hull->centroid, place)), 0, 10 * SLACK);
        assert_close(hull->inner, 0.5, 10 * SLACK);
        release(hull);
    }
}

/* Prisms have faces of many corners; also with the rings that hold many corners in a plane and on a line. */
static void test_prism(void **state)
{
    (void)state;
    for (uint32_t sides = 3; sides <= 64; ++sides) {
        sn_vec3 point[3 * 64];
        for (uint32_t i = 0; i < sides; ++i) {
            double angle = 6.28318530717958648 * i / sides;
            for (uint32_t k = 0; k < 3; ++k) /* the one in the middle is no corner */
                point[3 * i + k] = vec(cos(angle), 0.5 * k, sin(angle));
        }
        sn_hull *hull = make(point, 3 * sides);
        check_solid(hull);
        assert_int_equal(hull->vertices, 2 * sides);
        assert_int_equal(hull->faces, sides + 2);
        release(hull);
    }
}

/* The same points give the same bits, and the hash says what it is. */
static void test_same_again(void **state)
{
    (void)state;
    uint64_t seed = 5;
    sn_vec3 point[60];
    for (uint32_t i = 0; i < 60; ++i)
        point[i] = random_point(&seed, 2);
    sn_hull *one = make(point, 60), *two = make(point, 60);
    assert_int_equal(one->vertices, two->vertices);
    assert_memory_equal(one->vertex, two->vertex, one->vertices * sizeof *one->vertex);
    assert_memory_equal(one->face, two->face, one->faces * sizeof *one->face);
    assert_memory_equal(one->edge, two->edge, one->edges * sizeof *one->edge);
    assert_memory_equal(one->loop, two->loop, one->loops);
    assert_true(one->hash == two->hash);
    release(two);
    point[0] = vec(9, 9, 9);
    two = make(point, 60);
    assert_true(one->hash != two->hash);
    release(one);
    release(two);
}

static void refused(const sn_vec3 *point, uint32_t points, const char *words)
{
    bool out_of_memory = true;
    message[0] = 0;
    assert_null(sn_hull_create(&sn_default_allocator, point, points, &out_of_memory, message, sizeof message));
    assert_false(out_of_memory);
    assert_says(message, words);
}

static void test_refused(void **state)
{
    (void)state;
    sn_vec3 point[600];
    for (uint32_t i = 0; i < 600; ++i)
        point[i] = vec(i % 7, i % 11, i % 13);
    refused(point, 0, "0 points at least 4");
    refused(point, 1, "1 point at least 4");
    refused(point, 3, "3 points at least 4");
    point[5].y = (sn_real)NAN;
    refused(point, 20, "point 5 y nan finite");
    point[5].y = -(sn_real)INFINITY;
    refused(point, 20, "point 5 y inf finite");
    point[5].y = real(2e15);
    refused(point, 20, "point 5 y within 1e+15");
    for (uint32_t i = 0; i < 600; ++i)
        point[i] = vec(3, 4, 5);
    refused(point, 20, "20 points one place");
    for (uint32_t i = 0; i < 600; ++i)
        point[i] = vec(3 + 2 * (i % 5), 4 - 1.0 * (i % 5), 5 + 0.25 * (i % 5));
    refused(point, 20, "20 points one line");
    for (uint32_t i = 0; i < 600; ++i)
        point[i] = vec(i % 5, i % 3, 0.5 * (i % 5) + 0.25 * (i % 3));
    refused(point, 20, "20 points one plane solid");
    uint64_t seed = 1;
    for (uint32_t i = 0; i < 600; ++i)
        point[i] = random_on_sphere(&seed, 1);
    refused(point, 200, "hull corners more than 128");
    refused(point, 600, "hull corners more than 128");
}

static void test_memory(void **state)
{
    (void)state;
    sn_vec3 point[5] = {vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0), vec(0, 0, 1), vec(1, 1, 1)};
    for (uint64_t fail_at = 0; fail_at <= 2; ++fail_at) {
        support_memory memory = {.fail_at = fail_at};
        sn_allocator allocator = support_allocator(&memory);
        bool out_of_memory;
        sn_hull *hull = sn_hull_create(&allocator, point, 5, &out_of_memory, message, sizeof message);
        assert_int_equal(hull == NULL, fail_at > 0);
        assert_int_equal(out_of_memory, fail_at > 0);
        if (!hull)
            assert_says(message, "memory hull 5");
        sn_hull_destroy(hull, &allocator);
        assert_memory_clean(&memory);
    }
}

static void test_without_memory(void **state)
{
    (void)state;
    sn_hull_box_room room;
    sn_hull box = sn_hull_box(dvec3(1, 2, 3), &room);
    box.volume = 1;
    check_solid(&box);
    assert_close(box.face[3].area, 4 * 1 * 3, 1e-12);
    sn_hull_triangle_room flat;
    sn_hull t = sn_hull_triangle(dvec3(0, 0, 0), dvec3(0, 0, 1), dvec3(1, 0, 0), &flat);
    assert_close(t.face[0].normal.y, 1, 0);
    assert_close(t.face[1].normal.y, -1, 0);
    assert_close(t.face[0].area, 0.5, 1e-15);
}

/* ---- Distance ---------------------------------------------------------------------------------------------------- */

static sn_dvec3 nearest_on_segment(sn_dvec3 a, sn_dvec3 b, sn_dvec3 p)
{
    sn_dvec3 ab = dvec3_sub(b, a);
    double t = dvec3_dot(ab, dvec3_sub(p, a)) / dvec3_dot(ab, ab);
    return dvec3_add(a, dvec3_scale(ab, fmin(fmax(t, 0), 1)));
}

/* By all triangles of all faces and all edges; inside: by all planes. */
static double true_distance(const sn_hull *hull, sn_dvec3 p)
{
    double inside = -1e300, least = 1e300;
    for (uint32_t f = 0; f < hull->faces; ++f) {
        const sn_hull_face *face = &hull->face[f];
        const uint8_t *loop = hull->loop + face->first;
        double height = dvec3_dot(face->normal, p) - face->offset;
        inside = fmax(inside, height);
        bool over = true;
        for (uint32_t i = 0; i < face->count; ++i) {
            sn_dvec3 a = hull->vertex[loop[i]], b = hull->vertex[loop[(i + 1) % face->count]];
            over &= dvec3_dot(dvec3_cross(face->normal, dvec3_sub(b, a)), dvec3_sub(p, a)) >= 0;
            least = fmin(least, dvec3_length(dvec3_sub(p, nearest_on_segment(a, b, p))));
        }
        if (over)
            least = fmin(least, fabs(height));
    }
    return inside <= 0 ? inside : least;
}

static sn_hull *random_hull(uint64_t *seed, uint32_t most)
{
    sn_vec3 point[40];
    uint32_t points = 4 + support_random_below(seed, most - 3);
    for (uint32_t i = 0; i < points; ++i)
        point[i] = random_point(seed, 1);
    return make(point, points);
}

static void test_near(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (uint32_t round = 0; round < support_rounds(20000, 2000); ++round) {
        sn_hull *hull = random_hull(&seed, 24);
        sn_dvec3 p = wide(random_point(&seed, round % 3 ? 1.5 : 20));
        sn_hull_near_point near_point;
        sn_hull_near(hull, p, &near_point);
        assert_close(near_point.distance, true_distance(hull, p), SLACK / 10);
        assert_close(dvec3_length(near_point.normal), 1, 1e-12);
        assert_close(true_distance(hull, near_point.point), 0, SLACK / 10);
        sn_dvec3 off = dvec3_add(near_point.point, dvec3_scale(near_point.normal, near_point.distance));
        assert_close(dvec3_length(dvec3_sub(off, p)), 0, SLACK / 10);
        release(hull);
    }
}

static void test_near_at_corners(void **state)
{
    (void)state;
    sn_hull_box_room room;
    sn_hull box = sn_hull_box(dvec3(1, 1, 1), &room);
    sn_hull_near_point near_point;
    for (uint32_t i = 0; i < 8; ++i) { /* right on a corner, and a hair beside it */
        sn_hull_near(&box, box.vertex[i], &near_point);
        assert_close(near_point.distance, 0, 1e-15);
        assert_close(dvec3_length(near_point.normal), 1, 1e-12);
        sn_hull_near(&box, dvec3_scale(box.vertex[i], 1 + 1e-13), &near_point);
        assert_close(dvec3_length(near_point.normal), 1, 1e-12);
        sn_hull_near(&box, dvec3_scale(box.vertex[i], 3), &near_point);
        assert_close(near_point.distance, 2 * sqrt(3), 1e-14);
        assert_close(dvec3_length(dvec3_sub(near_point.point, box.vertex[i])), 0, 1e-15);
    }
    sn_hull_near(&box, dvec3(0, 0, 0), &near_point);
    assert_close(near_point.distance, -1, 1e-15);
    assert_close(dvec3_length(near_point.normal), 1, 1e-15);
}

/* Where the distance as a function of time, which is convex, first comes down to the reach. */
static double true_time(const sn_hull *hull, sn_dvec3 from, sn_dvec3 way, double reach)
{
    double low = 0, high = 1;
    for (uint32_t i = 0; i < 200; ++i) { /* the least distance of all */
        double p = low + (high - low) / 3, q = high - (high - low) / 3;
        bool nearer = true_distance(hull, dvec3_add(from, dvec3_scale(way, p))) <
                      true_distance(hull, dvec3_add(from, dvec3_scale(way, q)));
        *(nearer ? &high : &low) = nearer ? q : p;
    }
    double least = low;
    if (true_distance(hull, dvec3_add(from, dvec3_scale(way, least))) > reach)
        return (double)INFINITY;
    for (low = 0, high = least; high - low > 1e-12;) {
        double middle = (low + high) / 2;
        bool outside = true_distance(hull, dvec3_add(from, dvec3_scale(way, middle))) > reach;
        *(outside ? &low : &high) = middle;
    }
    return high;
}

static void test_cast(void **state)
{
    (void)state;
    uint64_t seed = 15;
    uint32_t met = 0, rounds = support_rounds(4000, 300);
    for (uint32_t round = 0; round < rounds; ++round) {
        sn_hull *hull = random_hull(&seed, 16);
        sn_dvec3 from = wide(random_point(&seed, 4)), to = wide(random_point(&seed, 2)), way = dvec3_sub(to, from);
        double reach = round % 2 ? 0 : support_random_in(&seed, 0, 0.5), t, expected;
        sn_hull_near_point near_point;
        way = dvec3_scale(way, support_random_in(&seed, 0.2, 4));
        if (true_distance(hull, from) > reach + 1e-3) {
            expected = true_time(hull, from, way, reach);
            bool found = sn_hull_cast(hull, from, way, reach, &t, &near_point);
            if (expected > 1 && !found) {
                release(hull);
                continue;
            }
            double there = true_distance(hull, dvec3_add(from, dvec3_scale(way, found ? t : 0)));
            if (!found) { /* a graze: rounding may decide */
                double graze = true_distance(hull, dvec3_add(from, dvec3_scale(way, expected)));
                assert_close(graze, reach, 1e-9);
            } else {
                ++met;
                assert_close(there, reach, SLACK / 10);
                if (expected <= 1)
                    assert_true(t <= expected + 1e-6);
                assert_close(true_distance(hull, near_point.point), 0, SLACK / 10);
            }
        }
        release(hull);
    }
    assert_true(met > rounds / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_points), cmocka_unit_test(test_points_on_a_sphere),
        cmocka_unit_test(test_box_of_points), cmocka_unit_test(test_prism),
        cmocka_unit_test(test_same_again),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_near),          cmocka_unit_test(test_near_at_corners),
        cmocka_unit_test(test_cast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
