/* Queries with shapes of their own, what is special: known answers, starts inside and touching, no length, fields, filters, bad input. */
#include "support/fixed.h"
#include "support/support.h"

#include <math.h>
#include <sinew/query.h>

/* ---- Known answers ------------------------------------------------------------------------------------------------ */

static sn_shape_def box_at(sn_vec3 at, double half)
{
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
    shape.position = at;
    shape.half = vec(half, half, half);
    return shape;
}

static sn_shape_def capsule_at(sn_vec3 at, double half, double radius)
{
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_CAPSULE);
    shape.position = at;
    shape.half.y = real(half);
    shape.radius = real(radius);
    return shape;
}

static bool fall(const sn_world *world, const sn_shape_def *shape, double length, sn_hit *hit)
{
    return sn_query_shape_cast(world, shape, vec(0, -1, 0), real(length), sn_default_query_filter(), hit);
}

static void test_known_casts(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_body floor = fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    sn_hit hit;
    sn_shape_def box = box_at(vec(3, 5, 2), 0.5), capsule = capsule_at(vec(0, 5, 0), 1, 0.25);
    assert_true(fall(world, &box, 10, &hit));
    assert_int_equal(hit.body.index, floor.index);
    assert_close(hit.distance, 4.5, 1e-5);
    assert_close(hit.point.y, 0, 1e-6);
    assert_vec_close(hit.normal, vec(0, 1, 0), 1e-6);
    assert_true(fall(world, &capsule, 10, &hit));
    assert_close(hit.distance, 3.75, 1e-5);
    assert_vec_close(hit.point, vec(0, 0, 0), 1e-5);
    assert_false(fall(world, &capsule, 3.7, &hit));

    /* one that lies, and comes down on the edge of a box */
    fixed_add_box(world, vec(0, 1, 0), vec(0.5, 1, 0.5));
    capsule.rotation = (sn_quat){0, 0, real(sqrt(0.5)), real(sqrt(0.5))};
    capsule.position = vec(1.4, 5, 0);
    assert_true(fall(world, &capsule, 10, &hit));
    assert_close(hit.distance, 2.75, 1e-5);
    assert_close(hit.point.y, 2, 1e-5);

    /* a way that does not end, and one without length */
    assert_true(fall(world, &box, INFINITY, &hit));
    assert_close(hit.distance, 4.5, 1e-5);
    assert_false(fall(world, &box, 0, &hit));
    box.position.y = real(0.25);
    assert_true(fall(world, &box, 0, &hit)); /* it is in there */
    assert_true(hit.distance == 0);
    assert_vec_close(hit.normal, vec(0, 1, 0), 1e-5);
    sn_world_destroy(world);
}

/* What overlaps at the start is met at 0 whichever way it goes; what touches only if it comes nearer. */
static void test_starts(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_body wall = fixed_add_box(world, vec(0, 0, 0), vec(1, 1, 1));
    sn_hit hit;
    for (int type = 0; type < 3; ++type)
        for (int away = 0; away < 2; ++away)
            for (int deep = 0; deep < 3; ++deep) {
                sn_shape_def shape = box_at(vec(0, 0, 0), 0.5);
                if (type == 1)
                    shape = capsule_at(vec(0, 0, 0), 0.25, 0.25);
                if (type == 2)
                    shape.rounding = real(0.125);
                double height = 1.5 + (type == 2 ? 0.125 : 0);
                shape.position.y = real(height - (deep == 0 ? 0 : deep == 1 ? 0.1 : 1.2));
                sn_vec3 to = vec(0, away ? 1 : -1, 0);
                bool found = sn_query_shape_cast(world, &shape, to, 3, sn_default_query_filter(), &hit);
                assert_int_equal(found, deep > 0 || !away);
                if (found) {
                    assert_close(hit.distance, 0, 2e-6);
                    assert_int_equal(hit.body.index, wall.index);
                    assert_vec_close(hit.normal, vec(0, 1, 0), 1e-5);
                }
                uint32_t count = sn_query_shape_overlap(world, &shape, sn_default_query_filter(), &hit, 1);
                assert_int_equal(count, 1);
                assert_close(hit.distance, deep == 0 ? 0 : deep == 1 ? -0.1 : -1.2, deep == 2 ? 0.02 : 1e-6);
            }
    sn_world_destroy(world);
}

/* A field is felt where the header says. */
static sn_real ball_of_one(void *context, sn_vec3 p)
{
    (void)context;
    return (sn_real)sqrt((double)(p.x * p.x + p.y * p.y + p.z * p.z)) - 1;
}

static void test_field(void **state)
{
    (void)state;
    sn_world *world = support_void();
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_FIELD;
    def.function = ball_of_one;
    def.low = vec(-1, -1, -1);
    def.high = vec(1, 1, 1);
    def.position = vec(4, 0, 0);
    sn_body field;
    assert_ok(world, fixed_add(world, &def, &field));
    sn_shape_def box = box_at(vec(4, 5, 0), 0.5), capsule = capsule_at(vec(4, 5, 0), 1, 0.25);
    sn_hit hit;
    assert_true(fall(world, &box, 10, &hit));
    assert_int_equal(hit.body.generation, field.generation);
    assert_close(hit.distance, 3.5, 1e-4);
    assert_vec_close(hit.point, vec(4, 1, 0), 2e-3);
    assert_true(fall(world, &capsule, 10, &hit));
    assert_close(hit.distance, 2.75, 1e-4);
    assert_int_equal(sn_query_shape_overlap(world, &box, sn_default_query_filter(), NULL, 0), 0);
    box.position.y = real(1.4);
    assert_int_equal(sn_query_shape_overlap(world, &box, sn_default_query_filter(), &hit, 1), 1);
    assert_close(hit.distance, -0.1, 2e-3);
    sn_world_destroy(world);
}

/* ---- Filters ------------------------------------------------------------------------------------------------------ */

typedef struct chooser {
    sn_world *world;
    uint32_t asked;
    sn_result edit;
} chooser;

static bool faces_up(void *context, const sn_hit *hit)
{
    chooser *c = context;
    sn_hit other;
    c->asked++;
    c->edit = sn_body_remove(c->world, hit->body);
    sn_query_ray(c->world, vec(9, 9, 9), vec(0, 1, 0), 1, sn_default_query_filter(), &other); /* may ask */
    return hit->normal.y > real(0.9);
}

static void test_filters(void **state)
{
    (void)state;
    sn_world *world = support_void();
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_BOX;
    def.category = 2;
    def.mask = 4;
    sn_body low, high;
    assert_ok(world, fixed_add(world, &def, &low));
    def.position = vec(0, 3, 0);
    def.rotation = (sn_quat){0, 0, real(0.3826834), real(0.9238795)}; /* on its edge */
    def.mask = 8;
    assert_ok(world, fixed_add(world, &def, &high));
    sn_query_filter filter = sn_default_query_filter();
    sn_hit hit;
    assert_true(sn_query_ray(world, vec(0.1, 9, 0), vec(0, -1, 0), 20, filter, &hit));
    assert_int_equal(hit.body.index, high.index);
    filter.category = 4;
    assert_true(sn_query_ray(world, vec(0.1, 9, 0), vec(0, -1, 0), 20, filter, &hit));
    assert_int_equal(hit.body.index, low.index);
    filter.category = 1;
    assert_false(sn_query_ray(world, vec(0.1, 9, 0), vec(0, -1, 0), 20, filter, &hit));
    filter.category = 4 | 8;
    filter.mask = 1;
    assert_false(sn_query_ray(world, vec(0.1, 9, 0), vec(0, -1, 0), 20, filter, &hit));

    chooser c = {.world = world};
    filter = sn_default_query_filter();
    filter.function = faces_up;
    filter.context = &c;
    sn_shape_def box = box_at(vec(0.3, 9, 0), 0.1);
    assert_true(sn_query_shape_cast(world, &box, vec(0, -1, 0), 20, filter, &hit));
    assert_int_equal(hit.body.index, low.index);
    assert_true(c.asked >= 2);
    assert_int_equal(c.edit, SN_ERROR_BUSY);
    assert_true(sn_query_ray_any(world, vec(0.1, 9, 0), vec(0, -1, 0), 20, filter));
    assert_false(sn_query_ray_any(world, vec(0.1, 9, 0), vec(0, -1, 0), 6.5, filter));
    assert_ok(world, sn_body_remove(world, low)); /* and now it may */
    assert_false(sn_query_ray_any(world, vec(0.1, 9, 0), vec(0, -1, 0), 20, filter));
    sn_world_destroy(world);
}

/* ---- Bad input ---------------------------------------------------------------------------------------------------- */

static void refused(const sn_world *world, const char *words, const sn_shape_def *shape, sn_vec3 to, double length,
                    uint32_t what)
{
    sn_query_filter filter = sn_default_query_filter();
    sn_hit hit;
    filter.what = what;
    for (int call = 0; call < 3; ++call) {
        sn_query_ray(world, vec(0, 0, 0), vec(0, 0, 0), 1, filter, &hit); /* another error before */
        bool answer = call == 0   ? sn_query_shape_cast(world, shape, to, real(length), filter, &hit)
                      : call == 1 ? sn_query_shape_cast_any(world, shape, to, real(length), filter)
                                  : sn_query_shape_cast_all(world, shape, to, real(length), filter, &hit, 1) > 0;
        assert_false(answer);
        assert_says(sn_world_error(world), words);
    }
}

static void test_bad_input(void **state)
{
    (void)state;
    sn_world *world = support_void();
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    uint64_t hash = sn_world_hash(world);
    const sn_vec3 down = vec(0, -1, 0);
    const sn_shape_def good = box_at(vec(0, 5, 0), 0.5);
    sn_shape_def bad = good;
    sn_hit hit;
    refused(world, "direction point", &good, vec(0, 0, 0), 9, SN_QUERY_ALL);
    refused(world, "direction finite", &good, vec(0, NAN, 0), 9, SN_QUERY_ALL);
    refused(world, "length -1", &good, down, -1, SN_QUERY_ALL);
    refused(world, "length nan", &good, down, NAN, SN_QUERY_ALL);
    refused(world, "what 0x100", &good, down, 9, 0x100);
    refused(world, "shape NULL", NULL, down, 9, SN_QUERY_ALL);
    bad.position.x = real(NAN);
    refused(world, "shape position finite", &bad, down, 9, SN_QUERY_ALL);
    bad = good;
    bad.rotation = (sn_quat){0, 0, 0, 0};
    refused(world, "shape rotation zero", &bad, down, 9, SN_QUERY_ALL);
    bad = good;
    bad.half.y = 0;
    refused(world, "shape half", &bad, down, 9, SN_QUERY_ALL);
    bad = good;
    bad.rounding = -1;
    refused(world, "shape rounding", &bad, down, 9, SN_QUERY_ALL);
    bad = good;
    bad.type = SN_SHAPE_PLANE;
    refused(world, "shape plane convex", &bad, down, 9, SN_QUERY_ALL);
    bad.type = (sn_shape_type)10;
    refused(world, "shape type 10", &bad, down, 9, SN_QUERY_ALL);
    bad = sn_default_shape_def(SN_SHAPE_HULL);
    bad.radius = 0;
    refused(world, "shape vertices NULL", &bad, down, 9, SN_QUERY_ALL);
    const sn_vec3 flat[] = {vec(0, 0, 0), vec(1, 0, 0), vec(0, 0, 1), vec(1, 0, 1)};
    bad.vertices = flat;
    bad.vertex_count = 4;
    refused(world, "shape plane", &bad, down, 9, SN_QUERY_ALL);
    bad.vertex_count = 3;
    refused(world, "shape 3 points", &bad, down, 9, SN_QUERY_ALL);
    assert_int_equal(sn_query_shape_overlap(world, &bad, sn_default_query_filter(), &hit, 1), 0);
    assert_says(sn_world_error(world), "shape 3 points");

    assert_false(sn_query_shape_cast(world, &good, down, 9, sn_default_query_filter(), NULL));
    assert_says(sn_world_error(world), "hit NULL");
    assert_int_equal(sn_query_shape_cast_all(world, &good, down, 9, sn_default_query_filter(), NULL, 2), 0);
    assert_says(sn_world_error(world), "hits NULL");
    assert_int_equal(sn_query_shape_overlap(world, &good, sn_default_query_filter(), NULL, 2), 0);
    assert_false(sn_query_shape_cast(NULL, &good, down, 9, sn_default_query_filter(), &hit));
    assert_int_equal(sn_query_shape_overlap(NULL, &good, sn_default_query_filter(), NULL, 0), 0);
    assert_int_equal(sn_query_prepare(NULL), SN_ERROR_ARGUMENT);
    assert_true(sn_world_hash(world) == hash);
    sn_world_destroy(world);
}

/* Very large and very far: a finite hit or none. */
static void check_finite(const sn_hit *hit, uint32_t count)
{
    for (uint32_t k = 0; k < count && k < 4; ++k)
        assert_true(support_is_finite(hit[k].point) && support_is_finite(hit[k].normal) && isfinite(hit[k].distance));
}

static double random_size(uint64_t *seed, double least, double most)
{
    return pow(10, support_random_in(seed, least, most)) * (support_random_below(seed, 2) ? 1 : -1);
}

static void test_far(void **state)
{
    (void)state;
    sn_world *world = support_void();
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    fixed_add_box(world, vec(0, 0, 0), vec(1, 1, 1));
    sn_body_add_sphere(world, vec(3, 0, 0), 1, 1000);
    uint64_t seed = 3;
    for (uint32_t i = 0; i < 400; ++i) {
        const double size = fabs(random_size(&seed, -4, 14));
        const sn_vec3 at = vec(random_size(&seed, -30, 37), random_size(&seed, -30, 37), random_size(&seed, -30, 37));
        const sn_vec3 to = vec(support_random_in(&seed, -1, 1), support_random_in(&seed, -1, 1), 0.1);
        const sn_vec3 corner[] = {vec(size, 0, 0), vec(-size, 0, 0), vec(0, size, 0), vec(0, 0, size)};
        sn_shape_def shape = sn_default_shape_def((sn_shape_type)(i % 4));
        sn_hit hit[4];
        shape.position = at;
        shape.rotation = (sn_quat){real(0.1), real(-0.7), real(0.3), real(0.4)};
        shape.half = vec(size, size / 2, size / 3);
        shape.radius = real(size / 4);
        shape.rounding = i % 8 > 4 ? real(size / 4) : 0;
        shape.vertices = corner;
        shape.vertex_count = 4;
        check_finite(hit,
                     sn_query_shape_cast_all(world, &shape, to, real(INFINITY), sn_default_query_filter(), hit, 4));
        check_finite(hit, sn_query_shape_overlap(world, &shape, sn_default_query_filter(), hit, 4));
        check_finite(hit, sn_query_shape_cast(world, &shape, to, 1, sn_default_query_filter(), hit));
    }
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_casts), cmocka_unit_test(test_starts),    cmocka_unit_test(test_field),
        cmocka_unit_test(test_filters),     cmocka_unit_test(test_bad_input), cmocka_unit_test(test_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
