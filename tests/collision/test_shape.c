/* Shapes: turns and poses, thickness on top of every shape, boxes that hold
 * what they should, and shared data. */
#include "support/support.h"

#include "base/dvec.h"
#include "base/math.h"
#include "base/memory.h"
#include "collision/shape.h"

#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))

/* ---- Turns
 * -------------------------------------------------------------------------------------------------------
 */

static sn_quat quat(double x, double y, double z, double w)
{
    return (sn_quat){real(x), real(y), real(z), real(w)};
}

static double length_of(sn_quat q)
{
    return sqrt((double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z +
                (double)q.w * (double)q.w);
}

static sn_quat random_turn(uint64_t *seed)
{
    return sn_quat_normal(quat(support_random_in(seed, -1, 1), support_random_in(seed, -1, 1),
                               support_random_in(seed, -1, 1), support_random_in(seed, -1, 1)));
}

static sn_vec3 random_vector(uint64_t *seed, double most)
{
    return vec(support_random_in(seed, -most, most), support_random_in(seed, -most, most),
               support_random_in(seed, -most, most));
}

/* The same turn: q and -q are. */
static void assert_same_turn(sn_quat a, sn_quat b, double tolerance)
{
    sn_vec3 axis[3] = {vec(1, 0, 0), vec(0, 1, 0), vec(0, 0, 1)};
    for (int i = 0; i < 3; ++i)
        assert_vec_close(sn_quat_rotate(a, axis[i]), sn_quat_rotate(b, axis[i]), tolerance);
}

static void test_normal(void **state)
{
    (void)state;
    sn_quat none = sn_quat_normal(quat(0, 0, 0, 0));
    assert_true(none.x == 0 && none.y == 0 && none.z == 0 && none.w == 1);
    const double sizes[] = {1e-37, 1e-20, 0.3, 1, 7, 1e20, 1e37};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
        sn_quat q = sn_quat_normal(quat(sizes[i], -2 * sizes[i], 0.5 * sizes[i], sizes[i] / 3));
        assert_close(length_of(q), 1, EXACTNESS(1e-7, 1e-15));
        assert_close((double)q.y / (double)q.x, -2, EXACTNESS(1e-6, 1e-14));
        sn_quat again = sn_quat_normal(q); /* to the last bit, so that what is read back can be given again */
        assert_memory_equal(&again, &q, sizeof q);
    }
}

static void test_turn_exactly(void **state)
{
    (void)state;
    double s = sqrt(0.5), slack = EXACTNESS(2e-7, 5e-16);
    assert_vec_same(sn_quat_rotate(quat(0, 0, 0, 1), vec(1.25, -3, 1e10)), vec(1.25, -3, 1e10));
    assert_vec_close(sn_quat_rotate(quat(0, 0, s, s), vec(1, 0, 0)), vec(0, 1, 0), slack);
    assert_vec_close(sn_quat_rotate(quat(s, 0, 0, s), vec(0, 1, 0)), vec(0, 0, 1), slack);
    assert_vec_close(sn_quat_rotate(quat(0, s, 0, s), vec(0, 0, 1)), vec(1, 0, 0), slack);
    assert_vec_close(sn_quat_rotate_back(quat(0, s, 0, s), vec(1, 0, 0)), vec(0, 0, 1), slack);
    /* first about z, then about x */
    sn_quat both = sn_quat_times(quat(s, 0, 0, s), quat(0, 0, s, s));
    assert_vec_close(sn_quat_rotate(both, vec(1, 0, 0)), vec(0, 0, 1), slack);
}

static void test_turns_are_rigid(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 1000; ++i) {
        sn_quat p = random_turn(&seed), q = random_turn(&seed);
        sn_vec3 a = random_vector(&seed, 2), b = random_vector(&seed, 2);
        sn_vec3 ta = sn_quat_rotate(q, a), tb = sn_quat_rotate(q, b);
        double slack = EXACTNESS(5e-6, 1e-14);
        assert_close(vec3_dot_double(ta, tb), vec3_dot_double(a, b), slack);
        assert_vec_close(vec3_cross(ta, tb), sn_quat_rotate(q, vec3_cross(a, b)), 3 * slack);
        assert_vec_close(sn_quat_rotate_back(q, ta), a, slack);
        assert_vec_close(sn_quat_rotate(sn_quat_times(p, q), a), sn_quat_rotate(p, ta), slack);
    }
}

/* By steps, all the way round and back to where it began; whatever the axis. */
static void test_turned_adds_up(void **state)
{
    (void)state;
    const sn_vec3 axes[] = {{1, 0, 0}, {0, -1, 0}, {real(0.6), 0, real(-0.8)}};
    for (size_t k = 0; k < COUNT_OF(axes); ++k) {
        sn_quat start = sn_quat_normal(quat(0.1, 0.2, -0.3, 0.9)), q = start;
        for (int i = 0; i < 1000; ++i) {
            q = sn_quat_rotated(q, vec3_scale(axes[k], real(2 * MATH_PI / 1000)));
            assert_close(length_of(q), 1, EXACTNESS(1.5e-7, 1e-15));
        }
        assert_same_turn(q, start, EXACTNESS(3e-5, 1e-12));
    }
    assert_vec_close(sn_quat_rotate(sn_quat_rotated(quat(0, 0, 0, 1), vec(0, 0, MATH_PI / 2)), vec(1, 0, 0)),
                     vec(0, 1, 0), EXACTNESS(2e-7, 1e-15));
    sn_quat q = sn_quat_rotated(quat(0, 0, 1, 0), vec(0, 0, 0));
    assert_true(q.z == 1 && q.w == 0 && q.x == 0 && q.y == 0);
    q = sn_quat_rotated(quat(0, 0, 1, 0), vec(SUPPORT_REAL_MAX, SUPPORT_REAL_MAX, SUPPORT_REAL_MAX)); /* no NaN */
    assert_close(length_of(q), 1, 1e-6);
    q = sn_quat_rotated(quat(0, 0, 0, 1), vec(0, 0, 3)); /* in a 2D world nothing leaves the plane */
    assert_true(q.x == 0 && q.y == 0);
}

static void test_between(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 2000; ++i) {
        sn_quat a = random_turn(&seed), b = random_turn(&seed);
        if (i % 3 == 0) /* very near */
            b = sn_quat_rotated(a, random_vector(&seed, i % 2 ? 1e-6 : 1e-3));
        if (i % 5 == 0)
            b = (sn_quat){-b.x, -b.y, -b.z, -b.w};
        sn_vec3 angle = sn_quat_between(a, b);
        assert_true((double)vec3_length(angle) <= MATH_PI * (1 + 1e-6));
        assert_same_turn(sn_quat_rotated(a, angle), b, EXACTNESS(1e-6, 1e-14));
    }
    assert_vec_same(sn_quat_between(quat(0, 0, 0, 1), quat(0, 0, 0, 1)), vec(0, 0, 0));
    assert_vec_same(sn_quat_between(quat(0, 0, 0, 1), quat(0, 0, 0, -1)), vec(0, 0, 0));
    assert_close(vec3_length(sn_quat_between(quat(0, 0, 0, 1), quat(1, 0, 0, 0))), MATH_PI, 1e-6);
}

/* Small, large, upside down, and nearly so. */
static void test_quat_to(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 2000; ++i) {
        sn_vec3 d = random_vector(&seed, 1);
        if (i % 3 == 0)
            d = vec(1e-4 * (double)d.x, -1, 1e-4 * (double)d.z);
        if (i % 3 == 1)
            d = vec(1e-12 * (double)d.x, -1, 1e-12 * (double)d.z);
        double length = sqrt(vec3_dot_double(d, d)), scale = i % 7 == 0 ? 1e-30 : i % 7 == 1 ? 1e30 : 1;
        sn_quat q = sn_quat_to(vec(scale * (double)d.x, scale * (double)d.y, scale * (double)d.z));
        sn_vec3 unit = vec((double)d.x / length, (double)d.y / length, (double)d.z / length);
        assert_vec_close(sn_quat_rotate(q, vec(0, 1, 0)), unit, EXACTNESS(4e-7, 1e-15));
        assert_true(q.y == 0); /* the shortest way does not turn about y */
    }
    assert_vec_same(sn_quat_rotate(sn_quat_to(vec(0, 5, 0)), vec(1, 2, 3)), vec(1, 2, 3));
    assert_vec_same(sn_quat_rotate(sn_quat_to(vec(0, -5, 0)), vec(1, 2, 3)), vec(-1, -2, 3));
    sn_quat flat = sn_quat_to(vec(0.3, -2, 0));
    assert_true(flat.x == 0 && flat.y == 0);
}

static void test_poses(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 500; ++i) {
        sn_pose a = {random_vector(&seed, 10), random_turn(&seed)}, b = {random_vector(&seed, 10), random_turn(&seed)};
        sn_pose first = sn_pose_between(&a, &b, 0), last = sn_pose_between(&a, &b, 1);
        assert_memory_equal(&first, &a, sizeof a);
        assert_memory_equal(&last, &b, sizeof b);
        sn_vec3 p = random_vector(&seed, 10);
        assert_vec_close(sn_pose_to_world(&a, sn_pose_to_own(&a, p)), p, EXACTNESS(1e-5, 1e-13));
        /* a third and then half of the rest is two thirds; evenly, so both turn by
     * the same */
        sn_pose third = sn_pose_between(&a, &b, real(1.0 / 3)), middle = sn_pose_between(&third, &b, real(0.5));
        sn_pose two_thirds = sn_pose_between(&a, &b, real(2.0 / 3));
        assert_vec_close(middle.position, two_thirds.position, EXACTNESS(3e-6, 1e-14));
        assert_same_turn(middle.rotation, two_thirds.rotation, EXACTNESS(3e-6, 1e-13));
        assert_vec_close(sn_quat_between(a.rotation, third.rotation), sn_quat_between(third.rotation, middle.rotation),
                         EXACTNESS(3e-6, 1e-13));
    }
}

/* ---- Shapes
 * ------------------------------------------------------------------------------------------------------
 */

static const sn_vec3 cube_vertex[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                       {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const uint32_t cube_index[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                        2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static sn_real ball(void *context, sn_vec3 p)
{
    return vec3_length(p) - *(const sn_real *)context;
}

static sn_real ball_radius = 1;

static sn_shape_def definition(sn_shape_type type)
{
    sn_shape_def def;
    memset(&def, 0, sizeof def);
    def.type = type;
    def.half = vec(1, 0.5, 0.75);
    def.radius = real(0.6);
    if (type == SN_SHAPE_MESH) {
        def.vertices = cube_vertex;
        def.vertex_count = 8;
        def.triangles = cube_index;
        def.triangle_count = 12;
    }
    if (type == SN_SHAPE_HULL) {
        def.vertices = cube_vertex;
        def.vertex_count = 8;
    }
    if (type == SN_SHAPE_HEIGHTS) {
        static const sn_real height[12] = {0, 0.2f, 0, 0.1f, 0.3f, 0, -0.2f, 0, 0, 0.1f, 0, 0};
        def.heights = height;
        def.height_count[0] = 4;
        def.height_count[1] = 3;
        def.cell = real(0.5);
    }
    if (type == SN_SHAPE_FIELD) {
        def.function = ball;
        def.context = &ball_radius;
        def.low = vec(-1, -1, -1);
        def.high = vec(1, 1, 1);
    }
    return def;
}

static sn_shape_data *make_data(const sn_shape_def *def)
{
    char reason[200] = "";
    bool out_of_memory = false;
    if (def->type != SN_SHAPE_HULL && def->type < SN_SHAPE_MESH)
        return NULL;
    assert_true(sn_shape_source_check(def, reason, sizeof reason));
    sn_shape_data *data = sn_shape_data_create(&sn_default_allocator, NULL, def, &out_of_memory, reason, sizeof reason);
    if (!data)
        fail_msg("no data: %s", reason);
    return data;
}

/* Every type: the distance counts from the surface with thickness, the spot
 * lies on it, and the normal points to p. */
static void test_near_with_thickness(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int type = 0; type < SN_SHAPE_TYPES; ++type) {
        sn_shape_def def = definition((sn_shape_type)type), thick = def;
        thick.rounding = real(0.25);
        sn_shape_data *data = make_data(&def);
        sn_shape bare = sn_shape_from(&def, data), shape = sn_shape_from(&thick, data);
        for (int i = 0; i < 300; ++i) {
            sn_vec3 p = random_vector(&seed, 3);
            sn_touch a, b;
            assert_true(sn_shape_near(&bare, p, real(100), &a));
            assert_true(sn_shape_near(&shape, p, real(100), &b));
            assert_close((double)a.distance - 0.25, b.distance, EXACTNESS(1e-6, 1e-14));
            assert_vec_close(vec3_add(b.point, vec3_scale(b.normal, b.distance)), p, EXACTNESS(3e-5, 1e-6));
            /* just within reach, and just not */
            sn_touch c;
            if (b.distance > real(0.01)) {
                assert_true(sn_shape_near(&shape, p, b.distance * real(1.001), &c));
                assert_false(sn_shape_near(&shape, p, b.distance * real(0.999), &c));
            } else if (b.distance < 0) { /* however deep, and whatever the reach */
                assert_true(sn_shape_near(&shape, p, 0, &c));
            }
        }
        sn_shape_data_destroy(data, &sn_default_allocator);
    }
}

/* A sphere that was cast touches where it arrives, and the spot it names is on
 * the thick surface. */
static void test_cast_with_thickness(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int type = 0; type < SN_SHAPE_TYPES; ++type) {
        sn_shape_def def = definition((sn_shape_type)type);
        def.rounding = real(0.2);
        sn_shape_data *data = make_data(&def);
        sn_shape shape = sn_shape_from(&def, data);
        int met = 0;
        for (int i = 0; i < 300; ++i) {
            sn_vec3 from = random_vector(&seed, 4), to = random_vector(&seed, 0.5);
            sn_path path = {from, vec3_scale(vec3_sub(to, from), 2), real(0.1)};
            sn_touch start, touch, end;
            sn_real t;
            assert_true(sn_shape_near(&shape, from, real(100), &start));
            if (start.distance < real(0.15) || !sn_shape_cast(&shape, &path, &t, &touch))
                continue;
            ++met;
            sn_vec3 centre = vec3_add(from, vec3_scale(path.displacement, t));
            assert_true(sn_shape_near(&shape, centre, real(100), &end));
            assert_close(end.distance, 0.1, EXACTNESS(2e-5, 2e-5));
            assert_vec_close(vec3_add(touch.point, vec3_scale(touch.normal, path.radius)), centre, 3e-4);
            assert_true(vec3_dot(touch.normal, path.displacement) < 0);
        }
        assert_true(met > 100);
        sn_shape_data_destroy(data, &sn_default_allocator);
    }
}

/* Nothing of the shape is outside of its box, wherever it is; and the box is
 * not much larger than it must be. */
static void test_bounds(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int type = 0; type < SN_SHAPE_TYPES; ++type) {
        if (type == SN_SHAPE_PLANE)
            continue;
        sn_shape_def def = definition((sn_shape_type)type);
        def.rounding = real(0.125);
        sn_shape_data *data = make_data(&def);
        sn_shape shape = sn_shape_from(&def, data);
        sn_bounds own = sn_shape_bounds(&shape);
        for (int i = 0; i < 20; ++i) {
            sn_pose pose = {random_vector(&seed, i % 2 ? 1000 : 1), random_turn(&seed)};
            sn_bounds b = sn_shape_bounds_at(&shape, &pose);
            for (int k = 0; k < 8; ++k) {
                sn_vec3 corner = {k & 1 ? own.high.x : own.low.x, k & 2 ? own.high.y : own.low.y,
                                  k & 4 ? own.high.z : own.low.z};
                sn_vec3 p = sn_pose_to_world(&pose, corner);
                assert_true(p.x >= b.low.x && p.y >= b.low.y && p.z >= b.low.z);
                assert_true(p.x <= b.high.x && p.y <= b.high.y && p.z <= b.high.z);
            }
            for (int k = 0; k < 100; ++k) {
                sn_touch touch;
                sn_vec3 p = random_vector(&seed, 2);
                if (sn_shape_near(&shape, p, 0, &touch))
                    assert_true(p.x >= own.low.x && p.y >= own.low.y && p.z >= own.low.z && p.x <= own.high.x &&
                                p.y <= own.high.y && p.z <= own.high.z);
            }
            double diagonal = support_gap(own.low, own.high);
            assert_true(support_gap(b.low, b.high) <= diagonal * sqrt(3) + 0.01);
        }
        sn_shape_data_destroy(data, &sn_default_allocator);
    }
}

static void test_bounds_of_planes(void **state)
{
    (void)state;
    sn_shape_def def = definition(SN_SHAPE_PLANE);
    def.rounding = real(0.5);
    sn_shape shape = sn_shape_from(&def, NULL);
    sn_pose up = {vec(1, 2, 3), quat(0, 0, 0, 1)}, down = {vec(1, 2, 3), quat(0, 0, 1, 0)};
    sn_pose tilted = {vec(1, 2, 3), sn_quat_to(vec(1, 1, 0))};
    sn_bounds b = sn_shape_bounds_at(&shape, &up);
    assert_true((double)b.high.y == 2.5 && isinf(b.low.y) && isinf(b.high.x) && isinf(b.low.z));
    b = sn_shape_bounds_at(&shape, &down);
    assert_true((double)b.low.y == 1.5 && isinf(b.high.y) && isinf(b.high.x) && isinf(b.low.z));
    b = sn_shape_bounds_at(&shape, &tilted);
    assert_true(b.low.x < -SUPPORT_REAL_MAX && b.low.y < -SUPPORT_REAL_MAX && b.low.z < -SUPPORT_REAL_MAX);
    assert_true(b.high.x > SUPPORT_REAL_MAX && b.high.y > SUPPORT_REAL_MAX && b.high.z > SUPPORT_REAL_MAX);
}

/* A roof, open below: two sheets that meet in a sharp ridge along z. */
static void test_sides_of_a_sheet(void **state)
{
    (void)state;
    const sn_vec3 vertex[6] = {{0, 1, -1},        {0, 1, 1},           {real(0.2), 0, -1},
                               {real(0.2), 0, 1}, {real(-0.2), 0, -1}, {real(-0.2), 0, 1}};
    const uint32_t index[12] = {0, 1, 3, 0, 3, 2, 0, 4, 5, 0, 5, 1};
    sn_shape_def def = definition(SN_SHAPE_MESH);
    def.vertices = vertex;
    def.vertex_count = 6;
    def.triangles = index;
    def.triangle_count = 4;
    sn_shape_data *data = make_data(&def);
    assert_false(data->closed);
    sn_shape both = sn_shape_from(&def, data);
    def.one_sided = true;
    sn_shape front = sn_shape_from(&def, data);
    const struct {
        sn_vec3 p;
        bool in_front;
    } cases[] = {{vec(1, 0.5, 0), true},         {vec(-1, 0.5, 0), true},     {vec(0, 2, 0), true},
                 {vec(0.01, 1.5, 0.3), true},    {vec(-0.3, 1.2, 0), true},   {vec(0.4, 1.05, 0.9), true},
                 {vec(0.05, 0.3, 0), false},     {vec(-0.05, 0.3, 0), false}, {vec(0, 0.8, 0), false},
                 {vec(0, 0, 0), false},          {vec(0.001, 0.5, 0), false}, {vec(0.1001, 0.5, 0), true},
                 {vec(0.0999, 0.5, 0.2), false}, {vec(0, 1, 0), true}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        sn_touch a, b;
        assert_true(sn_shape_near(&both, cases[i].p, 10, &a));
        bool found = sn_shape_near(&front, cases[i].p, 10, &b);
        if (found != cases[i].in_front)
            fail_msg("point %zu is %s the sheet, but was taken for the contrary", i,
                     cases[i].in_front ? "in front of" : "behind");
        if (found)
            assert_close(a.distance, b.distance, EXACTNESS(1e-6, 1e-14));
    }
    /* what comes from behind passes, and from the front does not */
    sn_path out = {vec(0.05, 0.3, 0), vec(1, 0, 0), real(0.01)}, in = {vec(1, 0.3, 0), vec(-0.95, 0, 0), real(0.01)};
    sn_touch touch;
    sn_real t;
    assert_false(sn_shape_cast(&front, &out, &t, &touch));
    assert_true(sn_shape_cast(&both, &out, &t, &touch));
    assert_true(sn_shape_cast(&front, &in, &t, &touch));
    sn_shape_data_destroy(data, &sn_default_allocator);
}

/* ---- Data
 * --------------------------------------------------------------------------------------------------------
 */

/* Each of these is another shape, and the same again is the same. */
static void test_data_are_told_apart(void **state)
{
    (void)state;
    static sn_real sample[27], other_sample[27];
    static sn_vec3 moved[8];
    static sn_real other_radius = 2;
    for (int i = 0; i < 27; ++i)
        sample[i] = other_sample[i] = i == 13 ? real(-0.5) : real(0.5);
    other_sample[26] = real(0.6);
    memcpy(moved, cube_vertex, sizeof moved);
    moved[7].x = real(1.5);
    sn_shape_def def[12];
    for (int i = 0; i < 12; ++i)
        def[i] = definition(i < 2 ? SN_SHAPE_MESH : SN_SHAPE_FIELD);
    def[1].vertices = moved;
    for (int i = 2; i < 5; ++i) { /* baked */
        def[i] = definition(SN_SHAPE_MESH);
        def[i].type = SN_SHAPE_FIELD;
        def[i].cell = real(0.2);
    }
    def[3].cell = real(0.25);
    def[4].vertices = moved;
    def[6].context = &other_radius; /* functions */
    def[7].high.y = real(1.1);
    for (int i = 8; i < 12; ++i) { /* samples */
        def[i] = definition(SN_SHAPE_FIELD);
        def[i].function = NULL;
        def[i].samples = i == 9 ? other_sample : sample;
        for (int k = 0; k < 3; ++k)
            def[i].sample_count[k] = 3;
        def[i].cell = i == 10 ? real(0.25) : real(0.5);
        def[i].low.x = i == 11 ? 1 : 0;
    }
    sn_shape_data *data[12];
    for (int i = 0; i < 12; ++i)
        data[i] = make_data(&def[i]);
    for (int i = 0; i < 12; ++i)
        for (int k = 0; k < 12; ++k) {
            assert_int_equal(sn_shape_data_is(data[i], &def[k]), i == k);
            assert_int_equal(data[i]->hash == sn_shape_source_hash(&def[k]), i == k);
        }
    for (int i = 0; i < 12; ++i) { /* what is read back makes the same */
        sn_shape_def back = definition(def[i].type);
        back.vertices = NULL;
        back.triangles = NULL;
        back.function = NULL;
        sn_shape_data_read(data[i], &back);
        assert_true(sn_shape_data_is(data[i], &back));
        sn_shape_data_destroy(data[i], &sn_default_allocator);
    }
}

/* A baked cube has about the distances of the cube. */
static void test_baked(void **state)
{
    (void)state;
    uint64_t seed = 8;
    sn_shape_def mesh = definition(SN_SHAPE_MESH), field = mesh;
    field.type = SN_SHAPE_FIELD;
    sn_shape_data *exact_data = make_data(&mesh), *data = make_data(&field);
    assert_true(exact_data->closed && data->closed);
    assert_close(data->field.grid.cell, 2.0 / 64, 1e-6);
    sn_shape exact = sn_shape_from(&mesh, exact_data), baked = sn_shape_from(&field, data);
    for (int i = 0; i < 200; ++i) {
        sn_touch a, b;
        sn_vec3 p = random_vector(&seed, 1.5);
        assert_true(sn_shape_near(&exact, p, 10, &a) && sn_shape_near(&baked, p, 10, &b));
        assert_close(a.distance, b.distance, 0.5); /* outside of the grid it is too much */
        if (fabs((double)p.x) < 1.05 && fabs((double)p.y) < 1.05 && fabs((double)p.z) < 1.05)
            assert_close(a.distance, b.distance, 0.02);
    }
    sn_shape_data_destroy(exact_data, &sn_default_allocator);
    sn_shape_data_destroy(data, &sn_default_allocator);
}

/* ---- Hash
 * --------------------------------------------------------------------------------------------------------
 */

/* What belongs to a type counts, and nothing else; a function counts by its
 * bounds. */
static void test_hash(void **state)
{
    (void)state;
    static sn_real other_radius = 3;
    sn_shape_def base = definition(SN_SHAPE_SPHERE), def = base;
    sn_shape shape = sn_shape_from(&base, NULL), other;
    def.half.x = 5;
    other = sn_shape_from(&def, NULL);
    assert_true(sn_shape_hash(1, &shape) == sn_shape_hash(1, &other));
    def.radius = 5;
    other = sn_shape_from(&def, NULL);
    assert_true(sn_shape_hash(1, &shape) != sn_shape_hash(1, &other));
    def = base;
    def.rounding = 1;
    other = sn_shape_from(&def, NULL);
    assert_true(sn_shape_hash(1, &shape) != sn_shape_hash(1, &other));
    for (int type = 0; type <= SN_SHAPE_PLANE; ++type) {
        def = definition((sn_shape_type)type);
        other = sn_shape_from(&def, NULL);
        assert_int_equal(sn_shape_hash(1, &shape) == sn_shape_hash(1, &other), type == SN_SHAPE_SPHERE);
    }
    def = base = definition(SN_SHAPE_FIELD);
    def.context = &other_radius;
    sn_shape_data *a = make_data(&base), *b = make_data(&def);
    def.high.x = 2;
    sn_shape_data *c = make_data(&def);
    shape = sn_shape_from(&base, a);
    other = sn_shape_from(&def, b);
    assert_true(sn_shape_hash(1, &shape) == sn_shape_hash(1, &other));
    other = sn_shape_from(&def, c);
    assert_true(sn_shape_hash(1, &shape) != sn_shape_hash(1, &other));
    sn_shape_data_destroy(a, &sn_default_allocator);
    sn_shape_data_destroy(b, &sn_default_allocator);
    sn_shape_data_destroy(c, &sn_default_allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_turn_exactly),
        cmocka_unit_test(test_turns_are_rigid),
        cmocka_unit_test(test_turned_adds_up),
        cmocka_unit_test(test_between),
        cmocka_unit_test(test_quat_to),
        cmocka_unit_test(test_poses),
        cmocka_unit_test(test_near_with_thickness),
        cmocka_unit_test(test_cast_with_thickness),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_bounds_of_planes),
        cmocka_unit_test(test_sides_of_a_sheet),
        cmocka_unit_test(test_data_are_told_apart),
        cmocka_unit_test(test_baked),
        cmocka_unit_test(test_hash),
    };
    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
