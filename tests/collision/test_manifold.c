/* Contact of convex solids, against all faces, corners and edges one by one: the distance of those that are apart, the
   shortest way out of those that overlap, and that points lie where they say. */
#include "support/support.h"

#include "collision/manifold.h"

/* What points and distances may be off: of the size of things, and where solids overlap, of the smaller one's size. */
#define ROUND_OFF (SINEW_DOUBLE ? 1e-11 : 2e-6)
#define APART     3e-6
#define OVERLAP   2.1e-2

/* ---- What is right ----------------------------------------------------------------------------------------------- */

typedef struct placed {
    uint32_t vertices, edges, faces;
    sn_dvec3 vertex[SN_HULL_VERTICES];
    sn_dvec3 normal[SN_HULL_FACES];
    sn_hull hull;
    double radius;
} placed;

static sn_dvec3 turn(sn_quat q, sn_dvec3 a)
{
    sn_dvec3 v = {(double)q.x, (double)q.y, (double)q.z}, t = dvec3_scale(dvec3_cross(v, a), 2);
    double square = dvec3_dot(v, v) + (double)q.w * (double)q.w;
    t = dvec3_scale(t, 1 / square);
    return dvec3_add(dvec3_add(a, dvec3_scale(t, (double)q.w)), dvec3_cross(v, t));
}

static void place(const sn_convex *convex, const sn_pose *pose, placed *p)
{
    static sn_convex_room room[2];
    static int which;
    which = !which;
    p->hull = sn_convex_core(convex, &room[which]);
    p->radius = (double)convex->radius;
    for (uint32_t i = 0; i < p->hull.vertices; ++i)
        p->vertex[i] = dvec3_add(dvec3_from(pose->position), turn(pose->rotation, p->hull.vertex[i]));
    for (uint32_t i = 0; i < p->hull.faces; ++i)
        p->normal[i] = turn(pose->rotation, p->hull.face[i].normal);
}

/* How much room there is between them along a direction. */
static double room_along(const placed *a, const placed *b, sn_dvec3 n)
{
    double low = 1e300, high = -1e300;
    for (uint32_t i = 0; i < a->hull.vertices; ++i)
        low = fmin(low, dvec3_dot(n, a->vertex[i]));
    for (uint32_t i = 0; i < b->hull.vertices; ++i)
        high = fmax(high, dvec3_dot(n, b->vertex[i]));
    return low - high;
}

static sn_dvec3 edge_way(const placed *p, uint32_t e)
{
    return dvec3_sub(p->vertex[p->hull.edge[e].vertex[1]], p->vertex[p->hull.edge[e].vertex[0]]);
}

/* The most room along any face's normal and any two edges' common normal. */
static double most_room(const placed *a, const placed *b)
{
    double most = -1e300;
    for (uint32_t i = 0; i < a->hull.faces; ++i)
        most = fmax(most, room_along(a, b, dvec3_scale(a->normal[i], -1)));
    for (uint32_t i = 0; i < b->hull.faces; ++i)
        most = fmax(most, room_along(a, b, b->normal[i]));
    for (uint32_t i = 0; i < a->hull.edges; ++i)
        for (uint32_t j = 0; j < b->hull.edges; ++j) {
            sn_dvec3 n = dvec3_cross(edge_way(a, i), edge_way(b, j));
            double length = dvec3_length(n);
            if (length < 1e-6 * dvec3_length(edge_way(a, i)) * dvec3_length(edge_way(b, j)))
                continue;
            n = dvec3_scale(n, 1 / length);
            most = fmax(most, fmax(room_along(a, b, n), room_along(a, b, dvec3_scale(n, -1))));
        }
    return most;
}

static double segment_gap(sn_dvec3 p, sn_dvec3 q, sn_dvec3 r, sn_dvec3 s)
{
    double least = 1e300; /* the ends against the other segment, and both insides */
    sn_dvec3 u = dvec3_sub(q, p), v = dvec3_sub(s, r);
    const sn_dvec3 end[4] = {p, q, r, s};
    for (int i = 0; i < 4; ++i) {
        sn_dvec3 from = i < 2 ? r : p, way = i < 2 ? v : u;
        double square = dvec3_dot(way, way), t = square > 0 ? dvec3_dot(way, dvec3_sub(end[i], from)) / square : 0;
        t = fmin(fmax(t, 0), 1);
        least = fmin(least, dvec3_length(dvec3_sub(end[i], dvec3_add(from, dvec3_scale(way, t)))));
    }
    double uu = dvec3_dot(u, u), vv = dvec3_dot(v, v), uv = dvec3_dot(u, v), area = uu * vv - uv * uv;
    if (area > 1e-14 * uu * vv) {
        sn_dvec3 w = dvec3_sub(p, r);
        double x = (uv * dvec3_dot(v, w) - vv * dvec3_dot(u, w)) / area;
        double y = (uu * dvec3_dot(v, w) - uv * dvec3_dot(u, w)) / area;
        if (x >= 0 && x <= 1 && y >= 0 && y <= 1)
            least =
                fmin(least, dvec3_length(dvec3_sub(dvec3_add(p, dvec3_scale(u, x)), dvec3_add(r, dvec3_scale(v, y)))));
    }
    return least;
}

static double corner_gap(const placed *a, const placed *b)
{
    double least = 1e300;
    for (uint32_t i = 0; i < a->hull.vertices; ++i) {
        sn_dvec3 p = a->vertex[i];
        for (uint32_t f = 0; f < b->hull.faces; ++f) {
            const uint8_t *loop = b->hull.loop + b->hull.face[f].first;
            uint32_t count = b->hull.face[f].count;
            bool over = true;
            for (uint32_t k = 0; k < count; ++k) {
                sn_dvec3 from = b->vertex[loop[k]], way = dvec3_sub(b->vertex[loop[(k + 1) % count]], from);
                over &= dvec3_dot(dvec3_cross(b->normal[f], way), dvec3_sub(p, from)) >= 0;
            }
            double height = dvec3_dot(b->normal[f], dvec3_sub(p, b->vertex[loop[0]]));
            if (over && height >= 0)
                least = fmin(least, height);
        }
        for (uint32_t k = 0; k < b->hull.vertices; ++k)
            least = fmin(least, dvec3_length(dvec3_sub(p, b->vertex[k])));
        for (uint32_t e = 0; e < b->hull.edges; ++e)
            least = fmin(least,
                         segment_gap(p, p, b->vertex[b->hull.edge[e].vertex[0]], b->vertex[b->hull.edge[e].vertex[1]]));
    }
    return least;
}

/* The distance, or minus the shortest way out. */
static double true_distance(const placed *a, const placed *b)
{
    double room = most_room(a, b), least;
    bool solid = a->hull.faces || b->hull.faces;
    if (solid && room <= 0)
        return room - a->radius - b->radius;
    least = fmin(corner_gap(a, b), corner_gap(b, a));
    for (uint32_t i = 0; i < a->hull.edges; ++i)
        for (uint32_t j = 0; j < b->hull.edges; ++j) {
            const uint8_t *p = a->hull.edge[i].vertex, *q = b->hull.edge[j].vertex;
            least = fmin(least, segment_gap(a->vertex[p[0]], a->vertex[p[1]], b->vertex[q[0]], b->vertex[q[1]]));
        }
    return least - a->radius - b->radius;
}

/* ---- Random solids ----------------------------------------------------------------------------------------------- */

static double size_of(const sn_convex *a, const sn_convex *b)
{
    return fmin((double)sn_convex_inner(a), (double)sn_convex_inner(b));
}

static sn_dvec3 random_vector(uint64_t *seed)
{
    double x = support_random_in(seed, -1, 1), y = support_random_in(seed, -1, 1);
    return dvec3(x, y, support_random_in(seed, -1, 1));
}

static sn_quat random_turn(uint64_t *seed)
{
    sn_dvec3 v = random_vector(seed);
    return sn_quat_rotated((sn_quat){0, 0, 0, 1}, dvec3_round(dvec3_scale(v, 3)));
}

#define HULLS 12
static sn_hull *hulls[HULLS];

static int make_hulls(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (uint32_t i = 0; i < HULLS; ++i) {
        sn_vec3 point[40];
        uint32_t points = 4 + (i < 9 ? i : 30);
        for (uint32_t k = 0; k < points; ++k) {
            sn_dvec3 p = random_vector(&seed);
            point[k] = dvec3_round(dvec3_scale(p, i % 2 ? 0.6 / dvec3_length(p) : 0.6));
        }
        char message[200];
        bool out_of_memory;
        hulls[i] = sn_hull_create(&sn_default_allocator, point, points, &out_of_memory, message, sizeof message);
        if (!hulls[i])
            return -1;
    }
    return 0;
}

static int drop_hulls(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < HULLS; ++i)
        sn_hull_destroy(hulls[i], &sn_default_allocator);
    return 0;
}

static sn_convex random_convex(uint64_t *seed, sn_shape_type type, bool rounded)
{
    sn_convex c = {.type = type};
    c.half.x = real(support_random_in(seed, 0.1, 1));
    c.half.y = real(support_random_in(seed, 0.1, 1));
    c.half.z = real(support_random_in(seed, 0.1, 1));
    c.radius = real(rounded || type < SN_SHAPE_BOX ? support_random_in(seed, 0.05, 0.4) : 0);
    c.hull = type == SN_SHAPE_HULL ? hulls[support_random_below(seed, HULLS)] : NULL;
    return c;
}

static sn_pose random_pose(uint64_t *seed, double reach)
{
    sn_vec3 position = dvec3_round(dvec3_scale(random_vector(seed), reach));
    return (sn_pose){position, random_turn(seed)};
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static sn_dvec3 to_world(const sn_pose *pose, sn_vec3 p)
{
    return dvec3_add(dvec3_from(pose->position), turn(pose->rotation, dvec3_from(p)));
}

static double deepest(const sn_manifold *m)
{
    double least = 1e300;
    for (uint32_t i = 0; i < m->count; ++i)
        least = fmin(least, (double)m->point[i].distance);
    return least;
}

/* Points are on both surfaces and as far apart along the normal as they say. */
static void check_points(const sn_convex *a, const sn_pose *pa, const sn_convex *b, const sn_pose *pb, double reach,
                         const sn_manifold *m)
{
    double size = (double)sn_convex_outer(a) + (double)sn_convex_outer(b) + support_gap(pa->position, vec(0, 0, 0)) +
                  support_gap(pb->position, vec(0, 0, 0));
    sn_dvec3 n = dvec3_from(m->normal);
    assert_true(m->count >= 1 && m->count <= SN_MANIFOLD_MOST);
    assert_close(dvec3_length(n), 1, 1e-6);
    double rounding = (double)a->radius + (double)b->radius;
    for (uint32_t i = 0; i < m->count; ++i) {
        const sn_manifold_point *p = &m->point[i];
        assert_true((double)p->distance <= reach + ROUND_OFF * size);
        sn_dvec3 apart = dvec3_sub(to_world(pa, p->a), to_world(pb, p->b));
        assert_close(dvec3_length(dvec3_sub(apart, dvec3_scale(n, (double)p->distance))), 0, 1e-6 * size);
        sn_touch on_a, on_b; /* what is rounded may be inside by a part of the rounding */
        sn_convex_near(a, p->a, (sn_real)INFINITY, &on_a);
        sn_convex_near(b, p->b, (sn_real)INFINITY, &on_b);
        double slack = 1e-6 * size + 2e-3 * size_of(a, b) + 0.01 * (fabs((double)p->distance) + rounding);
        assert_true((double)on_a.distance <= slack && (double)on_a.distance >= -slack - rounding);
        assert_true((double)on_b.distance <= slack && (double)on_b.distance >= -slack - rounding);
        for (uint32_t k = 0; k < i; ++k)
            assert_int_not_equal(p->feature, m->point[k].feature);
    }
}

/* Everything that is promised of a pair. Whether they touch. */
static bool check_pair(const sn_convex *a, const sn_pose *pa, const sn_convex *b, const sn_pose *pb, double reach)
{
    static placed one, two;
    place(a, pa, &one);
    place(b, pb, &two);
    double expected = true_distance(&one, &two), size = size_of(a, b);
    sn_manifold m, back;
    bool found = sn_manifold_convex(a, pa, b, pb, real(reach), &m);
    if (found != (expected <= reach)) {
        assert_close(expected, reach, 1e-5);
        return false;
    }
    if (!found) {
        assert_int_equal(m.count, 0);
        return false;
    }
    check_points(a, pa, b, pb, reach, &m);
    double slack = expected + one.radius + two.radius > 0
                       ? APART + 1e-4 * size + 3e-4 * (expected + one.radius + two.radius)
                       : OVERLAP * size;
    assert_close(deepest(&m), expected, slack);
    /* there is that much room along the normal, so no way out is shorter */
    double room = room_along(&one, &two, dvec3_from(m.normal)) - one.radius - two.radius;
    bool lines = !one.hull.faces && !two.hull.faces; /* axes that cross: any way out will do */
    if (!lines || expected + one.radius + two.radius > 1e-6)
        assert_close(room, expected, OVERLAP * size + 1e-6);

    assert_true(sn_manifold_convex(b, pb, a, pa, real(reach), &back));
    assert_close(deepest(&back), expected, slack);
    return true;
}

static void check_random(sn_shape_type type_a, sn_shape_type type_b, uint32_t rounds)
{
    uint64_t seed = 1000 + 10 * (uint64_t)type_a + (uint64_t)type_b;
    uint32_t touching = 0, total = 0;
    for (uint32_t round = 0; round < rounds; ++round) {
        sn_convex a = random_convex(&seed, type_a, round % 4 == 1), b = random_convex(&seed, type_b, round % 4 >= 2);
        sn_pose pa = random_pose(&seed, 1), pb = random_pose(&seed, 0.2);
        touching += check_pair(&a, &pa, &b, &pb, round % 3 ? 0.1 : 1);
        ++total;
    }
    assert_true(touching > total / 4);
}

static void test_random_pairs(void **state)
{
    (void)state;
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
            check_random((sn_shape_type)a, (sn_shape_type)b,
                         a == 3 && b == 3 ? support_rounds(2000, 100) : support_rounds(4000, 200));
}

/* ---- Special places ---------------------------------------------------------------------------------------------- */

static const sn_quat straight = {0, 0, 0, 1};

static sn_convex box_of(double x, double y, double z)
{
    return (sn_convex){.type = SN_SHAPE_BOX, .half = vec(x, y, z)};
}

static sn_convex ball_of(double radius)
{
    return (sn_convex){.type = SN_SHAPE_SPHERE, .radius = real(radius)};
}

static sn_convex capsule_of(double half, double radius)
{
    return (sn_convex){.type = SN_SHAPE_CAPSULE, .half = vec(0, half, 0), .radius = real(radius)};
}

static sn_pose pose_at(double x, double y, double z, sn_quat q)
{
    return (sn_pose){vec(x, y, z), q};
}

static bool has_spot(const sn_manifold *m, sn_vec3 spot, double tolerance)
{
    for (uint32_t i = 0; i < m->count; ++i)
        if (support_gap(m->point[i].a, spot) <= tolerance)
            return true;
    return false;
}

/* A box on a larger one, on one as large, and on a smaller one: four points at the corners of what they share. */
static void test_box_rests_on_box(void **state)
{
    (void)state;
    static const double below[] = {3, 0.5, 0.25};
    for (uint32_t i = 0; i < COUNT_OF(below); ++i)
        for (int gap = -1; gap <= 1; ++gap) {
            sn_convex a = box_of(0.5, 0.5, 0.5), b = box_of(below[i], 0.5, below[i]);
            sn_pose pa = pose_at(0, 1 + 0.001 * gap, 0, straight), pb = pose_at(0, 0, 0, straight);
            sn_manifold m;
            assert_true(sn_manifold_convex(&a, &pa, &b, &pb, real(0.01), &m));
            assert_int_equal(m.count, 4);
            assert_vec_close(m.normal, vec(0, 1, 0), 1e-6);
            double r = fmin(0.5, below[i]);
            for (uint32_t k = 0; k < 4; ++k) {
                assert_close(m.point[k].distance, 0.001 * gap, 1e-6);
                assert_true(has_spot(&m, vec(k & 1 ? r : -r, -0.5, k & 2 ? r : -r), 1e-5));
            }
        }
}

/* Leaning a little, about any axis, and turned about the vertical: four points still, and the normal hardly moves. */
static void test_box_leans(void **state)
{
    (void)state;
    uint64_t seed = 77;
    for (uint32_t round = 0; round < support_rounds(2000, 200); ++round) {
        sn_convex a = box_of(0.5, 0.5, 0.5), b = box_of(0.5, 0.5, 0.5);
        double lean = support_random_in(&seed, 0, 0.008);
        sn_dvec3 about = random_vector(&seed);
        about.y = 0;
        sn_quat q = sn_quat_rotated(straight, vec(0, support_random_in(&seed, -3, 3), 0));
        q = sn_quat_rotated(q, dvec3_round(dvec3_scale(about, lean / dvec3_length(about))));
        double x = support_random_in(&seed, -0.1, 0.1), z = support_random_in(&seed, -0.1, 0.1);
        sn_pose pa = pose_at(x, 1, z, q);
        sn_pose pb = pose_at(0, 0, 0, straight);
        sn_manifold m;
        assert_true(sn_manifold_convex(&a, &pa, &b, &pb, real(0.02), &m));
        assert_int_equal(m.count, 4);
        assert_true((double)m.normal.y > 0.9999);
        check_pair(&a, &pa, &b, &pb, 0.02);
    }
}

/* What is shaken a little keeps the names of its points. */
static void test_names_stay(void **state)
{
    (void)state;
    uint64_t seed = 78;
    for (uint32_t round = 0; round < support_rounds(300, 30); ++round) {
        sn_convex a = box_of(0.5, 0.5, 0.5), b = box_of(round % 3 == 0 ? 0.5 : 2, 0.5, round % 3 == 0 ? 0.5 : 2);
        sn_quat q = round % 2 ? straight : sn_quat_rotated(straight, vec(0, support_random_in(&seed, -3, 3), 0));
        if (round % 3 == 0)
            q = straight;
        uint32_t first[4] = {0, 0, 0, 0};
        for (uint32_t shake = 0; shake < 20; ++shake) {
            sn_dvec3 by = dvec3_scale(random_vector(&seed), 2e-5), angle = dvec3_scale(random_vector(&seed), 2e-5);
            sn_pose pa = pose_at(by.x, 0.9999 + by.y, by.z, sn_quat_rotated(q, dvec3_round(angle)));
            sn_pose pb = pose_at(0, 0, 0, straight);
            sn_manifold m;
            assert_true(sn_manifold_convex(&a, &pa, &b, &pb, real(0.01), &m));
            assert_int_equal(m.count, 4);
            for (uint32_t i = 0; i < 4; ++i) {
                bool known = shake == 0;
                for (uint32_t k = 0; k < 4; ++k)
                    known |= m.point[i].feature == first[k];
                assert_true(known);
            }
            for (uint32_t i = 0; i < 4 && shake == 0; ++i)
                first[i] = m.point[i].feature;
        }
    }
}

/* Two boxes, each standing on an edge, that cross. */
static void test_edge_on_edge(void **state)
{
    (void)state;
    double r = sqrt(0.5);
    for (int gap = -1; gap <= 1; ++gap) {
        sn_convex a = box_of(0.5, 0.5, 0.5), b = box_of(0.5, 0.5, 0.5);
        sn_pose pa =
            pose_at(0.1, 2 * r + 0.01 * gap, 0.05, sn_quat_rotated(straight, vec(0.25 * 3.14159265358979, 0, 0)));
        sn_pose pb = pose_at(0, 0, 0, sn_quat_rotated(straight, vec(0, 0, 0.25 * 3.14159265358979)));
        sn_manifold m;
        assert_true(sn_manifold_convex(&a, &pa, &b, &pb, real(0.02), &m));
        assert_int_equal(m.count, 1);
        assert_vec_close(m.normal, vec(0, 1, 0), 1e-5);
        assert_close(m.point[0].distance, 0.01 * gap, 1e-5);
        assert_vec_close(m.point[0].a, vec(-0.1, -0.5, 0.5), 1e-5);
        assert_vec_close(m.point[0].b, vec(0.5, 0.5, 0.05), 1e-5);
    }
}

/* Deep inside: along the shortest way, and moved out by as much they are apart. */
static void test_deep_overlap(void **state)
{
    (void)state;
    uint64_t seed = 55;
    uint32_t found = 0;
    for (uint32_t round = 0; round < support_rounds(3000, 200); ++round) {
        sn_convex a = random_convex(&seed, (sn_shape_type)(1 + round % 3), round % 2);
        sn_convex b = random_convex(&seed, (sn_shape_type)(2 + round / 3 % 2), false);
        sn_pose pa = random_pose(&seed, 0.2), pb = random_pose(&seed, 0.05);
        sn_manifold m;
        placed one, two;
        if (!sn_manifold_convex(&a, &pa, &b, &pb, 0, &m))
            continue;
        ++found;
        double out = -deepest(&m) + OVERLAP * size_of(&a, &b);
        pa.position = dvec3_round(dvec3_add(dvec3_from(pa.position), dvec3_scale(dvec3_from(m.normal), out)));
        place(&a, &pa, &one);
        place(&b, &pb, &two);
        assert_true(true_distance(&one, &two) > -1e-5);
    }
    assert_true(found > 100);
}

/* The same centre, and axes that cross or lie on each other. */
static void test_same_place(void **state)
{
    (void)state;
    sn_convex solid[] = {
        ball_of(0.5), capsule_of(0.5, 0.3), box_of(0.3, 0.4, 0.5), {.type = SN_SHAPE_HULL, .hull = hulls[7]}};
    const sn_quat turns[] = {{0, 0, 0, 1}, {0, 0, real(0.6), real(0.8)}, {1, 0, 0, 0}};
    for (uint32_t i = 0; i < COUNT_OF(solid); ++i)
        for (uint32_t k = 0; k < COUNT_OF(solid); ++k)
            for (uint32_t q = 0; q < COUNT_OF(turns); ++q) {
                sn_pose pa = pose_at(3, 4, 5, turns[q]), pb = pose_at(3, 4, 5, straight);
                sn_manifold m, again;
                assert_true(sn_manifold_convex(&solid[i], &pa, &solid[k], &pb, 0, &m));
                assert_close(support_gap(m.normal, vec(0, 0, 0)), 1, 1e-6);
                assert_true(deepest(&m) < -0.2);
                for (uint32_t p = 0; p < m.count; ++p)
                    assert_true(support_is_finite(m.point[p].a) && support_is_finite(m.point[p].b));
                assert_true(sn_manifold_convex(&solid[i], &pa, &solid[k], &pb, 0, &again));
                assert_memory_equal(&m.normal, &again.normal, sizeof m.normal);
                assert_int_equal(m.count, again.count);
            }
}

static void test_capsules_side_by_side(void **state)
{
    (void)state;
    sn_convex a = capsule_of(0.5, 0.1), b = capsule_of(1, 0.2);
    sn_pose pa = pose_at(0.31, 0.75, 0, straight), pb = pose_at(0, 0, 0, straight);
    sn_manifold m;
    assert_true(sn_manifold_convex(&a, &pa, &b, &pb, real(0.05), &m));
    assert_int_equal(m.count, 2);
    assert_vec_close(m.normal, vec(1, 0, 0), 1e-6);
    assert_close(m.point[0].distance, 0.01, 1e-6);
    assert_true(has_spot(&m, vec(-0.1, -0.5, 0), 1e-6) && has_spot(&m, vec(-0.1, 0.25, 0), 1e-6));
    sn_convex box = box_of(1, 0.5, 1); /* lying on a box */
    pa = pose_at(0, 0.59, 0, sn_quat_rotated(straight, vec(0, 0, 0.5 * 3.14159265358979)));
    assert_true(sn_manifold_convex(&a, &pa, &box, &pb, real(0.05), &m));
    assert_int_equal(m.count, 2);
    assert_vec_close(m.normal, vec(0, 1, 0), 1e-6);
    assert_close(m.point[0].distance, -0.01, 1e-6);
    assert_close(m.point[1].distance, -0.01, 1e-6);
}

/* Places that sn_real has exactly are as good far away as at the origin. */
static void test_far_away(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (uint32_t round = 0; round < 500; ++round) {
        sn_convex a = random_convex(&seed, (sn_shape_type)(round % 4), round % 2);
        sn_convex b = random_convex(&seed, (sn_shape_type)(round / 4 % 4), false);
        double x = support_random_below(&seed, 64) / 64.0, y = support_random_below(&seed, 64) / 64.0;
        sn_pose pa = pose_at(x, y, 0, random_turn(&seed));
        sn_pose pb = pose_at(0, 0, 0.25, random_turn(&seed));
        sn_manifold near_by, far_off;
        bool one = sn_manifold_convex(&a, &pa, &b, &pb, real(0.1), &near_by);
        sn_vec3 away = vec(65536, -32768, 65536);
        pa.position = vec3_add(pa.position, away);
        pb.position = vec3_add(pb.position, away);
        assert_int_equal(one, sn_manifold_convex(&a, &pa, &b, &pb, real(0.1), &far_off));
        if (!one)
            continue;
        assert_int_equal(near_by.count, far_off.count);
        assert_vec_same(near_by.normal, far_off.normal);
        for (uint32_t i = 0; i < near_by.count; ++i) {
            assert_vec_same(near_by.point[i].a, far_off.point[i].a);
            assert_int_equal(near_by.point[i].feature, far_off.point[i].feature);
        }
    }
}

/* ---- Fixed shapes --------------------------------------------------------------------------------------------------
   */

#define MANIFOLDS 8

typedef struct shape_of_mesh {
    sn_shape_data *data;
    sn_shape shape;
} shape_of_mesh;

static shape_of_mesh mesh_from(const sn_vec3 *vertex, uint32_t vertices, const uint32_t *index, uint32_t triangles,
                               double thickness)
{
    sn_shape_def def = {.type = SN_SHAPE_MESH,
                        .vertices = vertex,
                        .vertex_count = vertices,
                        .triangles = index,
                        .triangle_count = triangles,
                        .rounding = real(thickness)};
    char message[200];
    bool out_of_memory;
    shape_of_mesh s;
    s.data = sn_shape_data_create(&sn_default_allocator, NULL, &def, &out_of_memory, message, sizeof message);
    assert_non_null(s.data);
    s.shape = sn_shape_from(&def, s.data);
    s.shape.thickness = real(thickness);
    return s;
}

static void drop_mesh(shape_of_mesh *s)
{
    sn_shape_data_destroy(s->data, &sn_default_allocator);
}

static shape_of_mesh box_mesh(double x, double y, double z)
{
    static const uint32_t index[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    sn_vec3 vertex[8];
    for (uint32_t i = 0; i < 8; ++i)
        vertex[i] = vec(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    return mesh_from(vertex, 8, index, 12, 0);
}

/* A square of cells of 0.5 m around the origin, with the given heights. */
#define CELLS 16
static shape_of_mesh ground_mesh(double (*height)(double, double), double thickness)
{
    static sn_vec3 vertex[(CELLS + 1) * (CELLS + 1)];
    static uint32_t index[CELLS * CELLS * 6];
    uint32_t count = 0;
    for (uint32_t i = 0; i <= CELLS; ++i)
        for (uint32_t k = 0; k <= CELLS; ++k) {
            double x = 0.5 * i - 0.25 * CELLS, z = 0.5 * k - 0.25 * CELLS;
            vertex[i * (CELLS + 1) + k] = vec(x, height(x, z), z);
        }
    for (uint32_t i = 0; i < CELLS; ++i)
        for (uint32_t k = 0; k < CELLS; ++k) {
            uint32_t a = i * (CELLS + 1) + k, b = a + 1, c = a + CELLS + 1, d = c + 1;
            const uint32_t both[6] = {a, b, d, a, d, c};
            memcpy(&index[count], both, sizeof both);
            count += 6;
        }
    return mesh_from(vertex, COUNT_OF(vertex), index, count / 3, thickness);
}

static double flat_height(double x, double z)
{
    (void)x;
    (void)z;
    return 0;
}

static double hilly_height(double x, double z)
{
    return 0.3 * sin(1.3 * x) * cos(0.9 * z);
}

static void check_resting(const sn_manifold *m, uint32_t count, double depth, uint32_t points)
{
    assert_int_equal(count, 1);
    assert_int_equal(m->count, points);
    assert_vec_close(m->normal, vec(0, 1, 0), 1e-6);
    for (uint32_t i = 0; i < m->count; ++i)
        assert_close(m->point[i].distance, -depth, 1e-5);
}

/* Everything that lies flat, on a plane, a box and a mesh of many triangles: the same points, and on no edge inside of
   the floor another normal. */
static void test_flat_floor(void **state)
{
    (void)state;
    uint64_t seed = 31;
    shape_of_mesh ground = ground_mesh(flat_height, 0.01), slab = box_mesh(4, 0.5, 4);
    sn_shape plane = {.type = SN_SHAPE_PLANE, .thickness = real(0.02)};
    sn_shape box = {.type = SN_SHAPE_BOX, .convex = {.type = SN_SHAPE_BOX, .half = vec(5, 0.5, 5)}};
    const sn_shape *floor[] = {&ground.shape, &slab.shape, &plane, &box};
    const double level[] = {0.01, 0.5, 0.02, 0.5};
    for (uint32_t round = 0; round < support_rounds(4000, 400); ++round) {
        sn_convex a = round % 3 == 0 ? box_of(0.4, 0.2, 0.3) : round % 3 == 1 ? ball_of(0.2) : capsule_of(0.4, 0.2);
        sn_quat q = sn_quat_rotated(straight, vec(0, support_random_in(&seed, -3, 3), 0));
        if (round % 3 == 2) /* lying */
            q = sn_quat_times(q, sn_quat_rotated(straight, vec(0.5 * 3.14159265358979, 0, 0)));
        double depth = round % 2 ? 0.001 : 0.05;
        for (uint32_t k = 0; k < COUNT_OF(floor); ++k) {
            double x = support_random_in(&seed, -3, 3), z = support_random_in(&seed, -3, 3);
            sn_pose pa = pose_at(x, level[k] + 0.2 - depth, z, q);
            sn_pose pb = pose_at(0, 0, 0, straight);
            sn_manifold m[MANIFOLDS];
            uint32_t count = sn_manifold_shape(&a, &pa, floor[k], &pb, real(0.01), m, MANIFOLDS);
            check_resting(m, count, depth, round % 3 == 0 ? 4 : round % 3 == 1 ? 1 : 2);
            for (uint32_t i = 0; i < 4 && round % 3 == 0; ++i)
                assert_true(has_spot(m, vec(i & 1 ? 0.4 : -0.4, -0.2, i & 2 ? 0.3 : -0.3), 3e-4));
        }
    }
    drop_mesh(&ground);
    drop_mesh(&slab);
}

/* A closed mesh of a box is met as the box is. */
static void test_mesh_of_a_box(void **state)
{
    (void)state;
    uint64_t seed = 33;
    shape_of_mesh mesh = box_mesh(0.6, 0.5, 0.7);
    sn_convex b = box_of(0.6, 0.5, 0.7);
    uint32_t touching = 0;
    for (uint32_t round = 0; round < support_rounds(20000, 1000); ++round) {
        sn_convex a = random_convex(&seed, (sn_shape_type)(round % 4), round % 8 > 3);
        sn_pose pa = random_pose(&seed, 1.5), pb = pose_at(0.1, 0, 0, straight);
        sn_manifold m[MANIFOLDS], one;
        uint32_t count = sn_manifold_shape(&a, &pa, &mesh.shape, &pb, real(0.05), m, MANIFOLDS);
        bool found = sn_manifold_convex(&a, &pa, &b, &pb, real(0.05), &one);
        double depth = found ? deepest(&one) : 1, least = 1;
        if (depth < -0.01) /* what is deep inside gets out in some way */
            continue;
        for (uint32_t i = 0; i < count; ++i) {
            least = fmin(least, deepest(&m[i]));
            assert_close(support_gap(m[i].normal, vec(0, 0, 0)), 1, 1e-6);
        }
        if (!found) {
            if (count)
                assert_close(least, 0.05, 1e-4);
            continue;
        }
        ++touching;
        if (!count)
            assert_close(depth, 0.05, 1e-4);
        else
            assert_true(least <= depth + 5e-3 && least >= fmin(depth, 4 * depth) - 0.03);
    }
    assert_true(touching > 50);
    drop_mesh(&mesh);
}

/* On hills there is always something below, and it is as near as the mesh is. */
static void test_hills(void **state)
{
    (void)state;
    uint64_t seed = 34;
    shape_of_mesh ground = ground_mesh(hilly_height, 0.01);
    for (uint32_t round = 0; round < support_rounds(5000, 300); ++round) {
        sn_convex a = ball_of(0.3);
        double x = support_random_in(&seed, -3, 3), z = support_random_in(&seed, -3, 3);
        double y = hilly_height(x, z) + support_random_in(&seed, 0.3, 0.4);
        sn_pose pa = pose_at(x, y, z, random_turn(&seed));
        sn_pose pb = pose_at(0, 0, 0, straight);
        sn_manifold m[MANIFOLDS];
        uint32_t count = sn_manifold_shape(&a, &pa, &ground.shape, &pb, real(0.05), m, MANIFOLDS);
        sn_touch touch;
        bool found = sn_shape_near(&ground.shape, pa.position, real(0.35), &touch);
        double least = 1;
        for (uint32_t i = 0; i < count; ++i)
            least = fmin(least, deepest(&m[i]));
        assert_int_equal(found, count > 0);
        if (found)
            assert_close(least, (double)touch.distance - 0.3, 1e-5);
    }
    for (uint32_t round = 0; round < support_rounds(5000, 300);
         ++round) { /* nothing that cuts the ground goes unnoticed */
        sn_convex a = random_convex(&seed, (sn_shape_type)(1 + round % 3), round % 2);
        double x = support_random_in(&seed, -2, 2), z = support_random_in(&seed, -2, 2);
        double y = hilly_height(x, z) + support_random_in(&seed, 0.05, 0.2);
        sn_pose pa = pose_at(x, y, z, random_turn(&seed));
        sn_pose pb = pose_at(0, 0, 0, straight);
        sn_manifold m[MANIFOLDS];
        sn_vec3 lowest = sn_pose_to_world(&pa, sn_convex_support(&a, sn_quat_rotate_back(pa.rotation, vec(0, -1, 0))));
        double up = hilly_height((double)lowest.x, (double)lowest.z) - 0.08 - (double)lowest.y;
        pa.position.y = real((double)pa.position.y + up);
        if ((double)pa.position.y < hilly_height(x, z) + 0.1)
            continue;
        uint32_t count = sn_manifold_shape(&a, &pa, &ground.shape, &pb, real(0.02), m, MANIFOLDS);
        double least = 1;
        for (uint32_t i = 0; i < count; ++i) {
            least = fmin(least, deepest(&m[i]));
            assert_true((double)m[i].normal.y > 0.5);
        }
        assert_true(least < -0.005);
    }
    drop_mesh(&ground);
}

static sn_real field_of_ball(void *context, sn_vec3 p)
{
    return vec3_length(p) - *(const sn_real *)context;
}

static sn_real field_of_floor(void *context, sn_vec3 p)
{
    (void)context;
    return p.y;
}

static void test_fields(void **state)
{
    (void)state;
    sn_real radius = real(0.2);
    sn_shape_data data = {.type = SN_SHAPE_FIELD};
    sn_shape shape = {.type = SN_SHAPE_FIELD, .data = &data, .thickness = real(0.01)};
    sn_manifold m[MANIFOLDS];
    sn_pose pb = pose_at(1, 0, 0, straight), pa = pose_at(1.1, 0.69, 0.05, straight);
    data.field = (sn_distance_field){.function = field_of_ball, .context = &radius};
    data.field.bounds = (sn_bounds){vec(-0.2, -0.2, -0.2), vec(0.2, 0.2, 0.2)};
    sn_convex box = box_of(1, 0.5, 1);
    assert_int_equal(sn_manifold_shape(&box, &pa, &shape, &pb, 0, m, MANIFOLDS), 1); /* a ball under a face */
    assert_vec_close(m[0].normal, vec(0, 1, 0), 1e-3);
    assert_close(m[0].point[0].distance, -0.02, 1e-4);
    pa = pose_at(1, 0.72, 0, straight);
    assert_int_equal(sn_manifold_shape(&box, &pa, &shape, &pb, real(0.05), m, MANIFOLDS), 1);
    assert_close(m[0].point[0].distance, 0.01, 1e-4);

    data.field = (sn_distance_field){.function = field_of_floor};
    data.field.bounds = (sn_bounds){vec(-9, -1, -9), vec(9, 1, 9)};
    pa = pose_at(2, 0.5, 3, sn_quat_rotated(straight, vec(0, 1, 0)));
    assert_int_equal(sn_manifold_shape(&box, &pa, &shape, &pb, real(0.05), m, MANIFOLDS), 1);
    assert_int_equal(m[0].count, 4);
    for (uint32_t i = 0; i < 4; ++i) {
        assert_close(m[0].point[i].distance, -0.01, 1e-5);
        assert_true(has_spot(m, vec(i & 1 ? 1 : -1, -0.5, i & 2 ? 1 : -1), 1e-4));
    }
    sn_real t;
    sn_vec3 normal;
    pa.position = vec(2, 2, 3);
    assert_true(sn_manifold_cast_shape(&box, &pa, vec(0.5, -4, 0), &shape, &pb, &t, &normal));
    assert_close(t, 1.49 / 4, 1e-4);
    assert_vec_close(normal, vec(0, 1, 0), 1e-4);
}

/* From all directions onto an edge, a corner and a ridge of a mesh: the normal is one that the faces allow. */
static void test_thin_sheet(void **state)
{
    (void)state;
    const sn_vec3 vertex[4] = {vec(-1, 0, -1), vec(1, 0, -1), vec(1, 0, 1), vec(-1, 0, 1)};
    const uint32_t index[6] = {0, 2, 1, 0, 3, 2};
    shape_of_mesh sheet = mesh_from(vertex, 4, index, 2, 0.01);
    sn_convex box = box_of(0.3, 0.3, 0.3);
    sn_pose pb = pose_at(0, 0, 0, straight);
    sn_manifold m[MANIFOLDS];
    for (int side = -1; side <= 1; side += 2) {
        sn_pose pa = pose_at(0.1, side * 0.305, 0.2, straight);
        sheet.shape.sides = SN_SIDES_BOTH;
        assert_int_equal(sn_manifold_shape(&box, &pa, &sheet.shape, &pb, real(0.01), m, MANIFOLDS), 1);
        assert_vec_close(m[0].normal, vec(0, side, 0), 1e-6);
        assert_int_equal(m[0].count, 4);
        assert_close(m[0].point[0].distance, -0.005, 1e-5);
        sheet.shape.sides = SN_SIDES_FRONT; /* the front is up */
        assert_int_equal(sn_manifold_shape(&box, &pa, &sheet.shape, &pb, real(0.01), m, MANIFOLDS), side > 0);
    }
    sheet.shape.sides = SN_SIDES_BOTH; /* the rim, from beside it */
    sn_pose pa = pose_at(1.305, 0.01, 0.2, straight);
    assert_true(sn_manifold_shape(&box, &pa, &sheet.shape, &pb, real(0.01), m, MANIFOLDS) >= 1);
    assert_true((double)m[0].normal.x > 0.99);
    assert_close(deepest(&m[0]), -0.005, 1e-4);
    drop_mesh(&sheet);
}

static void test_inside_of_a_mesh(void **state)
{
    (void)state;
    shape_of_mesh mesh = box_mesh(2, 2, 2);
    sn_convex box = box_of(0.3, 0.3, 0.3);
    sn_manifold m[MANIFOLDS];
    sn_pose pb = pose_at(0, 0, 0, straight), pa = pose_at(0.2, 1.5, -0.1, straight);
    assert_int_equal(sn_manifold_shape(&box, &pa, &mesh.shape, &pb, 0, m, MANIFOLDS), 1);
    assert_vec_close(m[0].normal, vec(0, 1, 0), 1e-6);
    assert_close(deepest(&m[0]), -0.8, 1e-5);
    assert_int_equal(sn_manifold_shape(&box, &pa, &mesh.shape, &pb, 0, m, 0), 0);
    drop_mesh(&mesh);
}

/* ---- Casts ------------------------------------------------------------------------------------------------------- */

static double distance_after(const sn_convex *a, const sn_pose *pa, sn_vec3 way, double t, const sn_convex *b,
                             const sn_pose *pb)
{
    static placed one, two;
    place(a, pa, &one);
    place(b, pb, &two);
    for (uint32_t i = 0; i < one.hull.vertices; ++i)
        one.vertex[i] = dvec3_add(one.vertex[i], dvec3_scale(dvec3_from(way), t));
    return true_distance(&one, &two);
}

static void test_cast(void **state)
{
    (void)state;
    uint64_t seed = 66;
    uint32_t met = 0, missed = 0;
    for (uint32_t round = 0; round < support_rounds(3000, 150); ++round) {
        sn_convex a = random_convex(&seed, (sn_shape_type)(round % 4), round % 8 > 3);
        sn_convex b = random_convex(&seed, (sn_shape_type)(round / 4 % 4), false);
        sn_pose pa = random_pose(&seed, 1), pb = random_pose(&seed, 0.5);
        double far = support_random_in(&seed, 6, 50); /* apart at the start */
        sn_dvec3 from = random_vector(&seed);
        sn_vec3 way = dvec3_round(dvec3_scale(from, -2 * far / dvec3_length(from)));
        pa.position = dvec3_round(dvec3_add(dvec3_from(pa.position), dvec3_scale(from, far / dvec3_length(from))));
        sn_real t;
        sn_vec3 normal;
        bool found = sn_manifold_cast(&a, &pa, way, &b, &pb, &t, &normal);
        double slack = 1e-6 * far + 1e-5;
        if (!found) {
            for (uint32_t i = 0; i <= 100; ++i)
                assert_true(distance_after(&a, &pa, way, 0.5 + (i - 50.0) * 0.05 / far, &b, &pb) > -1e-6);
            ++missed;
            continue;
        }
        ++met;
        assert_close(distance_after(&a, &pa, way, (double)t, &b, &pb), 0, slack);
        assert_true(distance_after(&a, &pa, way, (double)t - 0.02 / far, &b, &pb) > 0);
        assert_true(vec3_dot_double(normal, way) < 0);
        assert_close(support_gap(normal, vec(0, 0, 0)), 1, 1e-6);
    }
    assert_true(met > 20 && missed > 20);
}

/* Boxes on their way by their axes alone: when a search for the distance says so. Rounded ones are met no later, and
   earlier by no more than what their corners lack. */
static void test_boxes_meet(void **state)
{
    (void)state;
    uint64_t seed = 67;
    uint32_t met = 0, missed = 0;
    for (uint32_t round = 0; round < support_rounds(3000, 300); ++round) {
        const bool rounded = round % 2;
        sn_convex a = random_convex(&seed, SN_SHAPE_BOX, rounded), b = random_convex(&seed, SN_SHAPE_BOX, false);
        sn_pose pa = random_pose(&seed, 3), pb = random_pose(&seed, 0.5);
        const double far = support_random_in(&seed, 12, 50);
        const sn_dvec3 from = random_vector(&seed);
        const sn_vec3 way = dvec3_round(dvec3_scale(from, -2 * far / dvec3_length(from)));
        pa.position = dvec3_round(dvec3_add(dvec3_from(pa.position), dvec3_scale(from, far / dvec3_length(from))));
        sn_real t, early;
        sn_vec3 normal;
        const bool found = sn_manifold_cast(&a, &pa, way, &b, &pb, &t, &normal);
        const bool may = sn_boxes_hit(&a, &pa, way, &b, &pb, &early);
        const double slack = 1e-6 * far + 1e-5;
        if (!found) {
            if (may && !rounded) /* they graze each other, at most */
                assert_close(distance_after(&a, &pa, way, (double)early, &b, &pb), 0, slack);
            missed += !may;
            continue;
        }
        ++met;
        assert_true(may && (double)early <= (double)t + slack / far);
        if (!rounded)
            assert_close(distance_after(&a, &pa, way, (double)early, &b, &pb), 0, slack);
        else
            assert_true(distance_after(&a, &pa, way, (double)early, &b, &pb) <= (double)a.radius + slack);
    }
    assert_true(met > 20 && missed > 20);
    const sn_convex box = {.type = SN_SHAPE_BOX, .half = vec(0.5, 0.5, 0.5)};
    const sn_pose here = {vec(0, 0, 0), {0, 0, 0, 1}}, over = {vec(0.2, 0.9, 0), {0, 0, 0, 1}},
                  beside = {vec(0, 1.1, 0), {0, 0, 0, 1}};
    sn_real t;
    assert_true(sn_boxes_hit(&box, &over, vec(0, 1, 0), &box, &here, &t) && t == 0); /* they overlap at the start */
    assert_false(sn_boxes_hit(&box, &beside, vec(1, 0, 0), &box, &here, &t));
    assert_false(sn_boxes_hit(&box, &beside, vec(0, 0, 0), &box, &here, &t));
    assert_false(sn_boxes_hit(&box, &beside, vec(0, -0.05, 0), &box, &here, &t));
    assert_true(sn_boxes_hit(&box, &beside, vec(0, -1, 0), &box, &here, &t));
    assert_close((double)t, 0.1, 1e-6);
}

static void test_cast_special(void **state)
{
    (void)state;
    sn_convex wall = box_of(0.05, 2, 2), ball = ball_of(0.1), box = box_of(0.1, 0.1, 0.1);
    sn_pose pb = pose_at(0, 0, 0, straight), pa = pose_at(-1.15, 0, 0, straight);
    sn_real t;
    sn_vec3 normal;
    assert_true(sn_manifold_cast(&ball, &pa, vec(100, 0, 0), &wall, &pb, &t, &normal));
    assert_close(t, 0.01, 1e-6);
    assert_vec_close(normal, vec(-1, 0, 0), 1e-6);
    assert_false(sn_manifold_cast(&ball, &pa, vec(-100, 0, 0), &wall, &pb, &t, &normal));
    assert_false(sn_manifold_cast(&ball, &pa, vec(0.9, 0, 0), &wall, &pb, &t, &normal));
    assert_false(sn_manifold_cast(&ball, &pa, vec(0, 0, 0), &wall, &pb, &t, &normal));
    pa = pose_at(-0.1, 0, 0, straight); /* overlapping at the start */
    assert_true(sn_manifold_cast(&box, &pa, vec(1, 1, 0), &wall, &pb, &t, &normal));
    assert_close(t, 0, 0);
    assert_false(sn_manifold_cast(&box, &pa, vec(-1, 1, 0), &wall, &pb, &t, &normal));
}

static void test_cast_at_shapes(void **state)
{
    (void)state;
    uint64_t seed = 67;
    shape_of_mesh ground = ground_mesh(hilly_height, 0), flat = ground_mesh(flat_height, 0),
                  block = box_mesh(1, 0.5, 1);
    sn_shape plane = {.type = SN_SHAPE_PLANE};
    sn_shape box = {.type = SN_SHAPE_BOX, .convex = {.type = SN_SHAPE_BOX, .half = vec(1, 0.5, 1)}};
    sn_pose pb = pose_at(0, 0, 0, straight);
    for (uint32_t round = 0; round < support_rounds(2000, 100); ++round) {
        sn_convex a = random_convex(&seed, (sn_shape_type)(round % 4), round % 8 > 3);
        sn_pose pa = random_pose(&seed, 0.5);
        pa.position.y = real(support_random_in(&seed, 3, 30));
        double x = support_random_in(&seed, -0.5, 0.5), z = support_random_in(&seed, -0.5, 0.5);
        sn_vec3 way = vec(x, -60, z);
        sn_real t = 2, other = 2;
        sn_vec3 normal, same;
        assert_true(sn_manifold_cast_shape(&a, &pa, way, &plane, &pb, &t, &normal)); /* the flat mesh is as the plane */
        assert_true(sn_manifold_cast_shape(&a, &pa, way, &flat.shape, &pb, &other, &same));
        assert_close((double)t * 60, (double)other * 60, 1e-4);
        assert_vec_close(normal, same, 3e-3);
        assert_true(sn_manifold_cast_shape(&a, &pa, way, &box, &pb, &t, &normal)); /* and the closed mesh as the box */
        assert_true(sn_manifold_cast_shape(&a, &pa, way, &block.shape, &pb, &other, &same));
        assert_close((double)t * 60, (double)other * 60, 1e-4);
        assert_true(sn_manifold_cast_shape(&a, &pa, way, &ground.shape, &pb, &t, &normal)); /* and hills stop all */
        pa.position = vec3_add(pa.position, vec3_scale(way, t));
        sn_manifold m[MANIFOLDS];
        uint32_t count = sn_manifold_shape(&a, &pa, &ground.shape, &pb, real(0.01), m, MANIFOLDS);
        assert_true(count > 0);
        for (uint32_t i = 0; i < count; ++i)
            assert_true(deepest(&m[i]) > -5e-4);
    }
    drop_mesh(&ground);
    drop_mesh(&flat);
    drop_mesh(&block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_pairs),     cmocka_unit_test(test_box_rests_on_box),
        cmocka_unit_test(test_box_leans),        cmocka_unit_test(test_names_stay),
        cmocka_unit_test(test_edge_on_edge),     cmocka_unit_test(test_deep_overlap),
        cmocka_unit_test(test_same_place),       cmocka_unit_test(test_capsules_side_by_side),
        cmocka_unit_test(test_far_away),         cmocka_unit_test(test_flat_floor),
        cmocka_unit_test(test_mesh_of_a_box),    cmocka_unit_test(test_hills),
        cmocka_unit_test(test_fields),           cmocka_unit_test(test_thin_sheet),
        cmocka_unit_test(test_inside_of_a_mesh), cmocka_unit_test(test_cast),
        cmocka_unit_test(test_boxes_meet),       cmocka_unit_test(test_cast_special),
        cmocka_unit_test(test_cast_at_shapes),
    };
    return cmocka_run_group_tests(tests, make_hulls, drop_hulls);
}
