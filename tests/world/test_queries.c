/* Queries: exact cases, random scenes against brute force, and trees against looking at everything. */
#include "support/fixed.h"
#include "support/support.h"

#include "world/world.h"

#include <math.h>
#include <sinew/query.h>

/* m: of scenes that are some metres large */
#if SINEW_DOUBLE
#define CLOSE 1e-9
#else
#define CLOSE 2e-5
#endif

static const sn_query_filter everything = {.what = SN_QUERY_ALL, .mask = UINT32_MAX};

static sn_query_filter only(uint32_t what)
{
    return (sn_query_filter){.what = what, .mask = UINT32_MAX};
}

static sn_particle add_ball(sn_world *world, double x, double y, double z, double radius)
{
    sn_particle_def def = sn_default_particle_def();
    def.position = vec(x, y, z);
    def.radius = real(radius);
    sn_particle particle;
    assert_ok(world, sn_particle_add(world, &def, &particle));
    return particle;
}

static sn_skin add_skin(sn_world *world, const uint32_t *triangles, uint32_t count, bool one_sided)
{
    sn_skin_def def = sn_default_skin_def();
    def.triangles = triangles;
    def.triangle_count = count;
    def.one_sided = one_sided;
    sn_skin skin;
    assert_ok(world, sn_skin_add(world, &def, &skin));
    return skin;
}

/* A square of four particles in the plane y = height, facing up: two triangles. */
static sn_skin add_square(sn_world *world, double height, double half, bool one_sided)
{
    uint32_t a = add_ball(world, -half, height, -half, 0).index, b = add_ball(world, half, height, -half, 0).index;
    uint32_t c = add_ball(world, half, height, half, 0).index, d = add_ball(world, -half, height, half, 0).index;
    const uint32_t triangles[] = {a, c, b, a, d, c};
    return add_skin(world, triangles, 2, one_sided);
}

static bool ray(const sn_world *world, sn_vec3 origin, sn_vec3 direction, double length, sn_hit *hit)
{
    return sn_query_ray(world, origin, direction, real(length), everything, hit);
}

static bool same_fixed_shape(sn_body a, sn_body b)
{
    return a.index == b.index && a.generation == b.generation;
}

static bool same_particle(sn_particle a, sn_particle b)
{
    return a.index == b.index && a.generation == b.generation;
}

static bool same_body(sn_body a, sn_body b)
{
    return a.index == b.index && a.generation == b.generation;
}

/* ---- Exact cases ------------------------------------------------------------------------------------------------- */

static void test_ray_on_a_box(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_body box = fixed_add_box(world, vec(1, 2, 3), vec(1, 0.5, 2));
    sn_hit hit;
    assert_true(ray(world, vec(1.25, 10, 3.5), vec(0, -2, 0), 20, &hit));
    assert_true(same_fixed_shape(hit.body, box));
    assert_int_equal(hit.particle.generation, 0);
    assert_int_equal(hit.skin.generation, 0);
    assert_close(hit.distance, 7.5, CLOSE);
    assert_vec_close(hit.point, vec(1.25, 2.5, 3.5), CLOSE);
    assert_vec_close(hit.normal, vec(0, 1, 0), CLOSE);

    /* it ends just before, and just there; a long one, and one that does not end */
    assert_false(ray(world, vec(1.25, 10, 3.5), vec(0, -1, 0), 7.499, &hit));
    assert_int_equal(hit.body.generation, 0);
    assert_true(ray(world, vec(1.25, 10, 3.5), vec(0, -1, 0), 7.5, &hit));
    assert_true(ray(world, vec(1.25, 10, 3.5), vec(0, -1, 0), 1e12, &hit));
    assert_close(hit.distance, 7.5, CLOSE);
    assert_true(ray(world, vec(1.25, 10, 3.5), vec(0, -1, 0), INFINITY, &hit));
    assert_close(hit.distance, 7.5, CLOSE);

    /* beside it, along a face but outside, and away from it */
    assert_false(ray(world, vec(2.001, 10, 3), vec(0, -1, 0), 20, &hit));
    assert_true(ray(world, vec(1.999, 10, 3), vec(0, -1, 0), 20, &hit));
    assert_false(ray(world, vec(-5, 2.5001, 3), vec(1, 0, 0), 20, &hit));
    assert_false(ray(world, vec(1.25, 10, 3.5), vec(0, 1, 0), 20, &hit));
    sn_world_destroy(world);
}

static void test_start_inside(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_body box = fixed_add_box(world, vec(0, 0, 0), vec(1, 1, 1));
    sn_particle ball = add_ball(world, 5, 0, 0, 1);
    sn_hit hit;
    assert_true(ray(world, vec(0.75, 0, 0), vec(0, 1, 0), 20, &hit));
    assert_true(same_fixed_shape(hit.body, box));
    assert_true(hit.distance == 0);
    assert_vec_close(hit.point, vec(1, 0, 0), CLOSE);
    assert_vec_close(hit.normal, vec(1, 0, 0), CLOSE);
    assert_true(ray(world, vec(0.75, 0, 0), vec(0, 1, 0), 0, &hit)); /* without a length, too */
    assert_true(ray(world, vec(5.5, 0, 0), vec(0, 1, 0), 20, &hit));
    assert_true(same_particle(hit.particle, ball));
    assert_true(hit.distance == 0);
    assert_vec_close(hit.point, vec(6, 0, 0), CLOSE);
    assert_vec_close(hit.normal, vec(1, 0, 0), CLOSE);
    assert_true(ray(world, vec(5, 0, 0), vec(0, 1, 0), 20, &hit)); /* from the very middle */
    assert_vec_close(hit.normal, vec(0, -1, 0), CLOSE);

    /* a ball that overlaps meets at 0 whichever way it goes; one that just touches only if it comes nearer */
    for (int away = 0; away < 2; ++away) {
        sn_vec3 to = vec(0, away ? 1 : -1, 0);
        assert_true(sn_query_sphere_cast(world, vec(0, 1.4, 0), real(0.5), to, 3, everything, &hit));
        assert_true(hit.distance == 0);
        bool touches = sn_query_sphere_cast(world, vec(0, 1.5, 0), real(0.5), to, 3, everything, &hit);
        assert_int_equal(touches, !away);
    }
    sn_world_destroy(world);
}

static void test_ray_on_a_particle(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_particle ball = add_ball(world, 0, 0, 0, 0.5);
    sn_hit hit;
    assert_true(ray(world, vec(-3, 0.3, 0), vec(10, 0, 0), 5, &hit));
    assert_true(same_particle(hit.particle, ball));
    assert_close(hit.distance, 3 - 0.4, CLOSE);
    assert_vec_close(hit.point, vec(-0.4, 0.3, 0), CLOSE);
    assert_vec_close(hit.normal, vec(-0.8, 0.6, 0), CLOSE);
    assert_true(ray(world, vec(-3, 0.5, 0), vec(1, 0, 0), 5, &hit)); /* it just grazes */
    assert_close(hit.distance, 3, CLOSE);
    assert_false(ray(world, vec(-3, 0.50001, 0), vec(1, 0, 0), 5, &hit));
    assert_false(ray(world, vec(0.6, 0, 0), vec(1, 0, 0), 5, &hit));

    assert_true(sn_query_sphere_cast(world, vec(-3, 0, 0), real(0.25), vec(1, 0, 0), 5, everything, &hit));
    assert_close(hit.distance, 2.25, CLOSE);
    assert_vec_close(hit.point, vec(-0.5, 0, 0), CLOSE);
    sn_world_destroy(world);
}

static void test_points_without_radius(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_particle point = add_ball(world, 0, 0, 0, 0);
    sn_hit hit;
    assert_false(ray(world, vec(-3, 0, 0), vec(1, 0, 0), 5, &hit));
    assert_true(sn_query_sphere_cast(world, vec(-3, 0, 0), real(0.5), vec(1, 0, 0), 5, everything, &hit));
    assert_true(same_particle(hit.particle, point));
    assert_close(hit.distance, 2.5, CLOSE);
    assert_true(sn_query_closest(world, vec(0, 3, 4), 6, everything, &hit));
    assert_close(hit.distance, 5, CLOSE);
    assert_vec_close(hit.normal, vec(0, 0.6, 0.8), CLOSE);
    assert_false(sn_query_closest(world, vec(0, 3, 4), real(4.99), everything, &hit));
    assert_int_equal(sn_query_overlap(world, vec(0, 3, 4), 5, everything, &hit, 1), 1);
    assert_int_equal(sn_query_overlap(world, vec(0, 3, 4), real(4.99), everything, &hit, 1), 0);
    sn_world_destroy(world);
}

static void test_skin(void **state)
{
    (void)state;
    sn_world *world = support_void();
    add_ball(world, 50, 50, 50, 0);
    sn_skin skin = add_square(world, 1, 2, false);
    sn_hit hit;
    for (int below = 0; below < 2; ++below) {
        double side = below ? -1 : 1;
        assert_true(ray(world, vec(0.5, 1 + 3 * side, -1), vec(0, -side, 0), 10, &hit));
        assert_int_equal(hit.skin.index, skin.index);
        assert_int_equal(hit.skin.generation, skin.generation);
        assert_int_equal(hit.triangle, 0);
        assert_close(hit.distance, 3, CLOSE);
        assert_vec_close(hit.point, vec(0.5, 1, -1), CLOSE);
        assert_vec_close(hit.normal, vec(0, side, 0), CLOSE);
        sn_point spot =
            sn_on_triangle(hit.corner[0], hit.corner[1], hit.corner[2], hit.weight[0], hit.weight[1], hit.weight[2]);
        assert_vec_close(sn_point_position(world, spot), hit.point, CLOSE);
    }
    assert_true(ray(world, vec(-1, 3, 1), vec(0, -1, 0), 10, &hit));
    assert_int_equal(hit.triangle, 1);
    assert_true(ray(world, vec(0, 3, 0), vec(0, -1, 0), 10, &hit)); /* on the edge between the two */
    assert_int_equal(hit.triangle, 0);
    assert_false(ray(world, vec(2.01, 3, 0), vec(0, -1, 0), 10, &hit));

    /* a ball meets the edge; overlapping it meets at once, whichever way it goes */
    assert_true(sn_query_sphere_cast(world, vec(2.3, 4, 0), real(0.5), vec(0, -1, 0), 10, only(SN_QUERY_SKINS), &hit));
    assert_close(hit.distance, 3 - 0.4, CLOSE);
    assert_vec_close(hit.point, vec(2, 1, 0), CLOSE);
    assert_vec_close(hit.normal, vec(0.6, 0.8, 0), 2 * CLOSE);
    assert_true(sn_query_sphere_cast(world, vec(0, 1.25, 0), real(0.5), vec(0, 1, 0), 10, only(SN_QUERY_SKINS), &hit));
    assert_true(hit.distance == 0);
    assert_vec_close(hit.normal, vec(0, 1, 0), CLOSE);
    assert_true(sn_query_closest(world, vec(0, -1, 1), 5, only(SN_QUERY_SKINS), &hit));
    assert_close(hit.distance, 2, CLOSE);
    assert_vec_close(hit.normal, vec(0, -1, 0), CLOSE);
    sn_world_destroy(world);
}

static void test_default_filter(void **state)
{
    (void)state;
    sn_query_filter filter = sn_default_query_filter();
    assert_int_equal(filter.what, SN_QUERY_ALL);
    assert_int_equal(filter.mask, UINT32_MAX);
}

static void test_one_sided(void **state)
{
    (void)state;
    sn_world *world = support_void();
    add_square(world, 1, 2, true);
    const sn_vec3 vertices[] = {vec(8, 1, -2), vec(12, 1, -2), vec(12, 1, 2), vec(8, 1, 2)};
    const uint32_t triangles[] = {0, 2, 1, 0, 3, 2};
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_MESH;
    def.vertices = vertices;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 2;
    def.one_sided = true;
    sn_body sheet;
    assert_ok(world, fixed_add(world, &def, &sheet));
    sn_query_filter surfaces = only(SN_QUERY_SKINS | SN_QUERY_STATICS);
    sn_hit hit;
    for (int mesh = 0; mesh < 2; ++mesh) {
        double x = mesh ? 10.5 : 0.5;
        assert_true(sn_query_ray(world, vec(x, 4, 0), vec(0, -1, 0), 10, surfaces, &hit));
        assert_close(hit.distance, 3, CLOSE);
        assert_int_equal(hit.body.generation != 0, mesh);
        assert_int_equal(hit.triangle, 0);
        assert_false(sn_query_ray(world, vec(x, -2, 0), vec(0, 1, 0), 10, surfaces, &hit));
        assert_true(sn_query_sphere_cast(world, vec(x, 4, 0), 1, vec(0, -1, 0), 10, surfaces, &hit));
        assert_close(hit.distance, 2, CLOSE);
        assert_false(sn_query_sphere_cast(world, vec(x, -2, 0), 1, vec(0, 1, 0), 10, surfaces, &hit));
        assert_true(sn_query_sphere_cast(world, vec(x, 1.5, 0), 1, vec(0, 1, 0), 10, surfaces, &hit));
        assert_false(sn_query_sphere_cast(world, vec(x, 0.5, 0), 1, vec(0, -1, 0), 10, surfaces, &hit));
        assert_true(sn_query_closest(world, vec(x, 1.5, 0), 1, surfaces, &hit));
        assert_false(sn_query_closest(world, vec(x, 0.5, 0), 1, surfaces, &hit));
        assert_int_equal(sn_query_overlap(world, vec(x, 1.5, 0.1), 1, surfaces, NULL, 0) > 0, 1);
        assert_int_equal(sn_query_overlap(world, vec(x, 0.5, 0.1), 1, surfaces, NULL, 0), 0);
    }
    sn_world_destroy(world);
}

/* A closed mesh is solid: deep inside is inside. */
static void test_solid_mesh(void **state)
{
    (void)state;
    sn_world *world = support_void();
    const sn_vec3 vertices[] = {vec(0, 0, 0), vec(4, 0, 0), vec(0, 4, 0), vec(0, 0, 4)};
    const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_MESH;
    def.position = vec(10, 0, 0);
    def.vertices = vertices;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 4;
    sn_body mesh;
    assert_ok(world, fixed_add(world, &def, &mesh));
    sn_hit hit;
    assert_true(ray(world, vec(11, 1, -3), vec(0, 0, 1), 10, &hit));
    assert_true(same_fixed_shape(hit.body, mesh));
    assert_int_equal(hit.triangle, 0);
    assert_close(hit.distance, 3, CLOSE);
    assert_vec_close(hit.point, vec(11, 1, 0), CLOSE);
    assert_true(ray(world, vec(11, 1, 0.5), vec(0, 0, 1), 10, &hit));
    assert_true(hit.distance == 0);
    assert_vec_close(hit.point, vec(11, 1, 0), CLOSE);
    assert_int_equal(sn_query_overlap(world, vec(10.8, 0.8, 0.8), real(0.001), everything, &hit, 1), 1);
    assert_close(hit.distance, -0.8, CLOSE);
    assert_true(sn_query_closest(world, vec(10.8, 0.9, 0.9), 1, everything, &hit));
    assert_close(hit.distance, -0.8, CLOSE);
    assert_vec_close(hit.normal, vec(-1, 0, 0), CLOSE);
    assert_false(sn_query_closest(world, vec(10.8, 0.9, 0.9), real(0.7), everything, &hit));
    sn_world_destroy(world);
}

static void test_thickness(void **state)
{
    (void)state;
    sn_world *world = support_void();
    fixed_def def = default_fixed();
    def.rounding = real(0.25);
    sn_body plane;
    assert_ok(world, fixed_add(world, &def, &plane));
    sn_hit hit;
    assert_true(ray(world, vec(1, 3, 1), vec(0, -1, 0), 10, &hit));
    assert_close(hit.distance, 2.75, CLOSE);
    assert_vec_close(hit.point, vec(1, 0.25, 1), CLOSE);
    assert_true(sn_query_closest(world, vec(0, 0.125, 0), 1, everything, &hit));
    assert_close(hit.distance, -0.125, CLOSE);
    sn_world_destroy(world);
}

static sn_real hump(void *context, sn_vec3 p)
{
    *(uint32_t *)context += 1;
    return (sn_real)sqrt((double)(p.x * p.x + p.y * p.y + p.z * p.z)) - 1;
}

static void test_field_in_a_turned_frame(void **state)
{
    (void)state;
    sn_world *world = support_void();
    uint32_t calls = 0;
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_FIELD;
    def.function = hump;
    def.context = &calls;
    def.low = vec(-1, -1, -1);
    def.high = vec(1, 1, 1);
    def.position = vec(100, 20, -30);
    def.rotation = (sn_quat){real(0.5), real(-0.1), real(0.3), real(0.8)};
    sn_body field;
    assert_ok(world, fixed_add(world, &def, &field));
    sn_hit hit;
    assert_true(ray(world, vec(100, 20, 1000), vec(0, 0, -1), 1e6, &hit)); /* precise however long it is */
    assert_close(hit.distance, 1029, SINEW_DOUBLE ? 1e-5 : 2e-4);
    assert_vec_close(hit.point, vec(100, 20, -29), SINEW_DOUBLE ? 1e-5 : 1e-4);
    assert_vec_close(hit.normal, vec(0, 0, 1), 1e-3);
    assert_int_not_equal(calls, 0);
    assert_true(ray(world, vec(100, 20.5, -30), vec(1, 0, 0), 5, &hit));
    assert_true(hit.distance == 0);
    sn_world_destroy(world);
}

static void test_sensors_and_categories(void **state)
{
    (void)state;
    sn_world *world = support_void();
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_SPHERE;
    def.position = vec(0, 5, 0);
    def.sensor = true;
    def.category = 4;
    sn_body sensor, wall;
    assert_ok(world, fixed_add(world, &def, &sensor));
    def.position = vec(0, 0, 0);
    def.sensor = false;
    def.category = 2;
    assert_ok(world, fixed_add(world, &def, &wall));
    sn_hit hit;
    assert_true(ray(world, vec(0, 10, 0), vec(0, -1, 0), 20, &hit));
    assert_true(same_fixed_shape(hit.body, wall));
    sn_query_filter filter = only(SN_QUERY_STATICS | SN_QUERY_SENSORS);
    assert_true(sn_query_ray(world, vec(0, 10, 0), vec(0, -1, 0), 20, filter, &hit));
    assert_true(same_fixed_shape(hit.body, sensor));
    assert_true(sn_query_ray(world, vec(0, -10, 0), vec(0, 1, 0), 20, only(SN_QUERY_SENSORS), &hit));
    assert_true(same_fixed_shape(hit.body, sensor));
    filter.mask = 2;
    assert_true(sn_query_ray(world, vec(0, 10, 0), vec(0, -1, 0), 20, filter, &hit));
    assert_true(same_fixed_shape(hit.body, wall));
    filter.mask = 1 | 8;
    assert_false(sn_query_ray(world, vec(0, 10, 0), vec(0, -1, 0), 20, filter, &hit));

    /* particles and skins have the category of their group */
    sn_group_contact contact = sn_default_group_contact(7);
    contact.category = 8;
    assert_ok(world, sn_world_set_group_contact(world, 7, &contact));
    sn_particle ball = add_ball(world, 0, 20, 0, 1);
    add_square(world, 30, 2, false);
    for (uint32_t i = 1; i < 5; ++i)
        assert_ok(world, sn_particle_set_group(world, sn_particle_from_index(world, ball.index + i), 7));
    filter = (sn_query_filter){.what = SN_QUERY_ALL, .mask = 8};
    assert_true(sn_query_ray(world, vec(0.1, 40, 0.2), vec(0, -1, 0), 30, filter, &hit));
    assert_int_not_equal(hit.skin.generation, 0);
    filter = (sn_query_filter){.what = SN_QUERY_ALL, .mask = 1};
    assert_true(sn_query_ray(world, vec(0.1, 40, 0.2), vec(0, -1, 0), 30, filter, &hit));
    assert_true(same_particle(hit.particle, ball));
    filter = (sn_query_filter){.what = SN_QUERY_SKINS | SN_QUERY_STATICS, .mask = 1};
    assert_false(sn_query_ray(world, vec(0.1, 40, 0.2), vec(0, -1, 0), 30, filter, &hit));
    sn_world_destroy(world);
}

/* A shape of a dynamic body has its own category and mask, or those of the body's group. */
static void test_filters_of_shapes(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_shape_def shape[2] = {sn_default_shape_def(SN_SHAPE_SPHERE), sn_default_shape_def(SN_SHAPE_SPHERE)};
    shape[0].radius = shape[1].radius = 1;
    shape[1].position = vec(0, 4, 0);
    sn_body_def def = sn_default_body_def();
    def.shapes = shape;
    def.shape_count = 2;
    sn_body body;
    const sn_filter upper = {.category = 4, .mask = 16};
    const sn_vec3 above = vec(0, 10, 0), down = vec(0, -1, 0);
    sn_query_filter filter = only(SN_QUERY_BODIES);
    sn_hit hit, hits[2];
    assert_ok(world, sn_body_add(world, &def, &body));
    assert_ok(world, sn_body_set_filter(world, body, 1, &upper));
    assert_true(sn_query_ray(world, above, down, 20, filter, &hit) && hit.shape == 1);
    filter.mask = ~4u;
    assert_true(sn_query_ray(world, above, down, 20, filter, &hit) && hit.shape == 0);
    assert_int_equal(sn_query_overlap(world, vec(0, 4, 0), 0.5f, filter, hits, 2), 0);
    assert_int_equal(sn_query_overlap(world, vec(0, 0, 0), 0.5f, filter, hits, 2), 1);
    sn_shape_def cone = sn_default_shape_def(SN_SHAPE_CONE); /* not a ball: another code */
    cone.radius = cone.half.y = 0.5f;
    cone.position = above;
    assert_true(sn_query_shape_cast(world, &cone, down, 20, filter, &hit) && hit.shape == 0);
    filter.mask = 4;
    assert_true(sn_query_ray(world, vec(0, -10, 0), vec(0, 1, 0), 20, filter, &hit) && hit.shape == 1);
    filter.category = 32;
    assert_false(sn_query_ray(world, above, down, 20, filter, &hit));
    filter.category = 16;
    assert_true(sn_query_ray(world, above, down, 20, filter, &hit));
    assert_ok(world, sn_body_set_filter(world, body, 1, NULL));
    assert_false(sn_query_ray(world, above, down, 20, filter, &hit));
    sn_world_destroy(world);
}

/* What is equally far is found in the order of the header, whatever the order of storage is. */
static void test_ties(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_body first = fixed_add_box(world, vec(0, 0, 0), vec(1, 1, 1)),
            second = fixed_add_box(world, vec(0, 0, 0), vec(1, 1, 1));
    sn_hit hit;
    assert_true(ray(world, vec(0.25, 5, 0.25), vec(0, -1, 0), 10, &hit));
    assert_true(same_fixed_shape(hit.body, first));
    assert_ok(world, sn_body_remove(world, first));
    first = fixed_add_box(world, vec(0, 0, 0), vec(1, 1, 1)); /* number 0 again, stored behind the other */
    assert_true(first.index < second.index);
    assert_true(ray(world, vec(0.25, 5, 0.25), vec(0, -1, 0), 10, &hit));
    assert_true(same_fixed_shape(hit.body, first));
    assert_true(sn_query_closest(world, vec(0.25, 5, 0.25), 10, everything, &hit));
    assert_true(same_fixed_shape(hit.body, first));

    sn_skin skin = add_square(world, 1, 2, false), other = add_square(world, 1, 2, false);
    assert_true(skin.index < other.index);
    assert_true(ray(world, vec(0.25, 5, 0.25), vec(0, -1, 0), 10, &hit));
    assert_int_equal(hit.skin.generation, skin.generation);
    assert_int_equal(hit.skin.index, skin.index);
    assert_int_equal(hit.triangle, 0); /* on the diagonal */

    sn_particle a = add_ball(world, 0.25, 0.5, 0.25, 0.5), b = add_ball(world, 0.25, 0.5, 0.25, 0.5);
    assert_true(ray(world, vec(0.25, 5, 0.25), vec(0, -1, 0), 10, &hit));
    assert_true(same_particle(hit.particle, a));
    assert_ok(world, sn_particle_remove(world, a));
    a = add_ball(world, 0.25, 0.5, 0.25, 0.5);
    assert_true(a.index < b.index);
    assert_true(ray(world, vec(0.25, 5, 0.25), vec(0, -1, 0), 10, &hit));
    assert_true(same_particle(hit.particle, a));
    sn_world_destroy(world);
}

static void test_flat_world(void **state)
{
    (void)state;
    sn_world *world = support_world_2d();
    sn_particle ball = add_ball(world, 1, 2, 0, 0.5);
    sn_body box = fixed_add_box(world, vec(5, 2, 0), vec(1, 1, 1));
    sn_hit hit;
    assert_true(ray(world, vec(-3, 2, 0), vec(1, 0, 0), 10, &hit));
    assert_true(same_particle(hit.particle, ball));
    assert_true(ray(world, vec(3, 2.5, 0), vec(1, 0, 0), 10, &hit));
    assert_true(same_fixed_shape(hit.body, box));
    sn_point point =
        sn_query_pick(world, vec(1.2, 2.1, 8), vec(0, 0, -1), 20, 0, NULL); /* a mouse looks from outside */
    assert_int_equal(point.count, 1);
    assert_true(same_particle(point.particle[0], ball));
    sn_world_destroy(world);
}

/* ---- Bad input --------------------------------------------------------------------------------------------------- */

static void test_bad_input(void **state)
{
    (void)state;
    sn_world *world = support_void();
    add_ball(world, 0, 0, 0, 1);
    fixed_add_plane(world, vec(0, -5, 0), vec(0, 1, 0));
    const sn_vec3 from = vec(0, 5, 0), down = vec(0, -1, 0);
    const double nan = NAN, inf = INFINITY;
    sn_hit hit;
    sn_real distance = 1;

#define REFUSED(words, call)                                                                                           \
    do {                                                                                                               \
        ((sn_world *)world)->errors.text[0] = 0;                                                                       \
        assert_false(call);                                                                                            \
        assert_says(sn_world_error(world), words);                                                                     \
    } while (0)
    REFUSED("origin finite", ray(world, vec(nan, 0, 0), down, 9, &hit));
    REFUSED("origin finite", ray(world, vec(0, inf, 0), down, 9, &hit));
    REFUSED("direction finite", ray(world, from, vec(0, nan, 0), 9, &hit));
    REFUSED("direction finite", ray(world, from, vec(0, -inf, 0), 9, &hit));
    REFUSED("direction point", ray(world, from, vec(0, 0, 0), 9, &hit));
    REFUSED("length -1 negative", ray(world, from, down, -1, &hit));
    REFUSED("length nan", ray(world, from, down, nan, &hit));
    REFUSED("hit NULL", ray(world, from, down, 9, NULL));
    REFUSED("what 0x20", sn_query_ray(world, from, down, 9, only(32), &hit));
    REFUSED("what 0 nothing", sn_query_ray(world, from, down, 9, only(0), &hit));
    REFUSED("radius -1", sn_query_sphere_cast(world, from, -1, down, 9, everything, &hit));
    REFUSED("radius inf", sn_query_sphere_cast(world, from, real(inf), down, 9, everything, &hit));
    REFUSED("radius nan", sn_query_sphere_cast(world, from, real(nan), down, 9, everything, &hit));
    REFUSED("p finite", sn_query_closest(world, vec(nan, 0, 0), 9, everything, &hit));
    REFUSED("reach negative", sn_query_closest(world, from, -1, everything, &hit));
    REFUSED("reach nan", sn_query_closest(world, from, real(nan), everything, &hit));
    REFUSED("hit NULL", sn_query_closest(world, from, 9, everything, NULL));
    REFUSED("what", sn_query_closest(world, from, 9, only(32), &hit));
    REFUSED("centre finite", sn_query_overlap(world, vec(0, 0, nan), 9, everything, &hit, 1));
    REFUSED("radius", sn_query_overlap(world, from, -1, everything, &hit, 1));
    REFUSED("hits NULL", sn_query_overlap(world, from, 9, everything, NULL, 1));
    REFUSED("what", sn_query_overlap(world, from, 9, only(0x80000000u), &hit, 1));
    REFUSED("reach -1", sn_query_pick(world, from, down, 9, -1, &distance).count);
    REFUSED("direction", sn_query_pick(world, from, vec(0, 0, 0), 9, 1, &distance).count);
    assert_true(isnan(distance));
#undef REFUSED

    assert_false(ray(NULL, from, down, 9, &hit));
    assert_false(sn_query_sphere_cast(NULL, from, 1, down, 9, everything, &hit));
    assert_false(sn_query_closest(NULL, from, 9, everything, &hit));
    assert_int_equal(sn_query_overlap(NULL, from, 9, everything, &hit, 1), 0);
    assert_int_equal(sn_query_pick(NULL, from, down, 9, 1, &distance).count, 0);

    /* odd, but good */
    assert_true(ray(world, from, vec(0, -1e-30, 0), 9, &hit));
    assert_close(hit.distance, 4, CLOSE);
    assert_true(ray(world, from, vec(0, -1e30, 0), 9, &hit));
    assert_close(hit.distance, 4, CLOSE);
    assert_true(ray(world, from, vec(1e-30, -1e30, 1e-30), 9, &hit));
    assert_true(sn_query_closest(world, from, real(inf), everything, &hit));
    assert_close(hit.distance, 4, CLOSE);
    assert_false(sn_query_ray(world, from, down, 9, (sn_query_filter){.what = SN_QUERY_ALL, .mask = 0}, &hit));
    assert_int_equal(sn_query_overlap(world, vec(0, 0, 0), 9, everything, NULL, 0), 2);
    sn_world_destroy(world);
}

/* ---- Random scenes ----------------------------------------------------------------------------------------------- */

typedef struct vec3d {
    double x, y, z;
} vec3d;

static vec3d wide(sn_vec3 a)
{
    return (vec3d){(double)a.x, (double)a.y, (double)a.z};
}

static vec3d sub(vec3d a, vec3d b)
{
    return (vec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec3d along(vec3d a, vec3d d, double s)
{
    return (vec3d){a.x + s * d.x, a.y + s * d.y, a.z + s * d.z};
}

static double dot(vec3d a, vec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec3d cross(vec3d a, vec3d b)
{
    return (vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double norm(vec3d a)
{
    return sqrt(dot(a, a));
}

static double to_segment(vec3d p, vec3d a, vec3d b)
{
    vec3d ab = sub(b, a);
    double t = dot(sub(p, a), ab) / dot(ab, ab);
    return norm(sub(p, along(a, ab, t < 0 ? 0 : t > 1 ? 1 : t)));
}

/* Over the triangle the distance to its plane, otherwise to the nearest edge. */
static double to_triangle(vec3d p, const vec3d x[3])
{
    vec3d n = cross(sub(x[1], x[0]), sub(x[2], x[0]));
    bool over = true;
    for (int i = 0; i < 3; ++i)
        over = over && dot(cross(sub(x[(i + 1) % 3], x[i]), sub(p, x[i])), n) >= 0;
    if (over)
        return fabs(dot(sub(p, x[0]), n)) / norm(n);
    return fmin(to_segment(p, x[0], x[1]), fmin(to_segment(p, x[1], x[2]), to_segment(p, x[2], x[0])));
}

static double to_box(vec3d p, vec3d half)
{
    vec3d q = {fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z};
    vec3d out = {fmax(q.x, 0), fmax(q.y, 0), fmax(q.z, 0)};
    return norm(out) + fmin(fmax(q.x, fmax(q.y, q.z)), 0);
}

enum { BALLS = 300, CORNERS = 90, TRIANGLES = 60, SOLIDS = 90, THINGS = BALLS + CORNERS + TRIANGLES + SOLIDS };

/* A convex thing, so that the distance from it is a convex function along a way. */
typedef struct thing {
    int type; /* 0 ball, 1 triangle, 2 box, 3 capsule */
    vec3d x[3];
    vec3d half, axis[3];
    double radius;
    uint32_t index, triangle;
} thing;

typedef struct scene {
    sn_world *world;
    thing thing[THINGS];
    uint32_t count;
} scene;

static double distance_from(const thing *t, vec3d p)
{
    if (t->type == 0)
        return norm(sub(p, t->x[0])) - t->radius;
    if (t->type == 1)
        return to_triangle(p, t->x);
    vec3d seen = sub(p, t->x[0]);
    vec3d own = {dot(seen, t->axis[0]), dot(seen, t->axis[1]), dot(seen, t->axis[2])};
    if (t->type == 2)
        return to_box(own, t->half);
    return to_segment(own, (vec3d){0, -t->half.y, 0}, (vec3d){0, t->half.y, 0}) - t->radius;
}

static sn_vec3 random_vec(uint64_t *seed, double size)
{
    double x = support_random_in(seed, -size, size), y = support_random_in(seed, -size, size);
    return vec(x, y, support_random_in(seed, -size, size));
}

static void add_balls(scene *s, uint64_t *seed)
{
    for (uint32_t i = 0; i < BALLS; ++i) {
        sn_vec3 x = random_vec(seed, 5);
        double radius = i % 5 ? (double)real(support_random_in(seed, 0.02, 0.3)) : 0;
        sn_particle p = add_ball(s->world, (double)x.x, (double)x.y, (double)x.z, radius);
        s->thing[s->count++] = (thing){.type = 0, .x = {wide(x)}, .radius = radius, .index = p.index};
    }
}

static void add_sheets(scene *s, uint64_t *seed)
{
    for (uint32_t k = 0; k < 3; ++k) {
        uint32_t corner[3 * TRIANGLES / 3], first = 0;
        for (uint32_t i = 0; i < CORNERS / 3; ++i) {
            sn_vec3 x = random_vec(seed, 5);
            sn_particle p = add_ball(s->world, (double)x.x, (double)x.y, (double)x.z, 0);
            first = i ? first : p.index;
            s->thing[s->count++] = (thing){.type = 0, .x = {wide(x)}, .index = p.index};
        }
        for (uint32_t i = 0; i < COUNT_OF(corner); ++i)
            corner[i] = first + (i + i / 30) % (CORNERS / 3);
        sn_skin skin = add_skin(s->world, corner, TRIANGLES / 3, false);
        for (uint32_t i = 0; i < TRIANGLES / 3; ++i) {
            thing t = {.type = 1, .index = skin.index, .triangle = i};
            for (uint32_t j = 0; j < 3; ++j)
                t.x[j] = wide(sn_particle_position(s->world, sn_particle_from_index(s->world, corner[3 * i + j])));
            s->thing[s->count++] = t;
        }
    }
}

static void add_solids(scene *s, uint64_t *seed)
{
    for (uint32_t i = 0; i < SOLIDS; ++i) {
        fixed_def def = default_fixed();
        def.type = i % 2 ? SN_SHAPE_BOX : SN_SHAPE_CAPSULE;
        def.position = random_vec(seed, 5);
        sn_vec3 turn = random_vec(seed, 1);
        def.rotation = (sn_quat){turn.x, turn.y, turn.z, real(0.7)};
        def.half = vec(support_random_in(seed, 0.05, 0.4), support_random_in(seed, 0.05, 0.4),
                       support_random_in(seed, 0.05, 0.4));
        def.radius = real(support_random_in(seed, 0.05, 0.3));
        sn_body fixed_shape;
        assert_ok(s->world, fixed_add(s->world, &def, &fixed_shape));
        assert_ok(s->world, fixed_read(s->world, fixed_shape, &def));
        thing t = {
            .type = i % 2 ? 2 : 3, .x = {wide(def.position)}, .half = wide(def.half), .index = fixed_shape.index};
        t.radius = (double)def.radius;
        double x = (double)def.rotation.x, y = (double)def.rotation.y, z = (double)def.rotation.z;
        double w = (double)def.rotation.w;
        t.axis[0] = (vec3d){1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)};
        t.axis[1] = (vec3d){2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)};
        t.axis[2] = (vec3d){2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
        s->thing[s->count++] = t;
    }
}

static void make_scene(scene *s, uint64_t seed)
{
    s->world = support_void();
    s->count = 0;
    add_balls(s, &seed);
    add_sheets(s, &seed);
    add_solids(s, &seed);
}

/* When a way first comes as near as radius: where the distance, which is convex, first falls to it; INFINITY: never.
   *doubt: it misses, or does not, by next to nothing. */
static double first_touch(const thing *t, vec3d from, vec3d way, double radius, double length, bool *doubt)
{
    double low = 0, high = length;
    if (distance_from(t, from) < radius)
        return 0;
    for (int i = 0; i < 200; ++i) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (distance_from(t, along(from, way, a)) < distance_from(t, along(from, way, b)))
            high = b;
        else
            low = a;
    }
    double least = distance_from(t, along(from, way, low));
    *doubt = *doubt || fabs(least - radius) < 3 * CLOSE;
    if (least > radius)
        return INFINITY;
    for (high = low, low = 0; high - low > 1e-13 * length;) {
        double middle = (low + high) / 2;
        if (distance_from(t, along(from, way, middle)) > radius)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Moeller and Trumbore. */
static double ray_on_triangle(const thing *t, vec3d from, vec3d way, double length, bool *doubt)
{
    vec3d ab = sub(t->x[1], t->x[0]), ac = sub(t->x[2], t->x[0]), p = cross(way, ac), s = sub(from, t->x[0]);
    double det = dot(ab, p), u = dot(s, p) / det, v = dot(cross(s, ab), way) / det, at = dot(cross(s, ab), ac) / det;
    double inside = fmin(fmin(u, v), fmin(1 - u - v, fmin(at, length - at) / 10));
    *doubt = *doubt || fabs(inside) < 1e3 * CLOSE;
    return inside >= 0 ? at : INFINITY;
}

static bool is_thing(const sn_hit *hit, const thing *t)
{
    if (t->type == 0)
        return hit->particle.generation && hit->particle.index == t->index;
    if (t->type == 1)
        return hit->skin.generation && hit->skin.index == t->index && hit->triangle == t->triangle;
    return hit->body.generation && hit->body.index == t->index;
}

/* The hit is the nearest of the things, or as near as the nearest but for rounding. */
static void check_hit(const scene *s, bool found, const sn_hit *hit, const double *value)
{
    double least = INFINITY, own = INFINITY;
    for (uint32_t i = 0; i < s->count; ++i) {
        least = fmin(least, value[i]);
        if (found && is_thing(hit, &s->thing[i]))
            own = value[i];
    }
    if (!found) {
        assert_true(least == (double)INFINITY);
        return;
    }
    assert_true(own < (double)INFINITY);
    assert_close(fabs((double)hit->distance), own, 10 * CLOSE);
    assert_close(own, least, 10 * CLOSE);
    assert_close(norm(wide(hit->normal)), 1, CLOSE);
}

static void test_casts_against_brute_force(void **state)
{
    (void)state;
    static scene s;
    uint32_t doubts = 0, hits = 0, rounds = support_rounds(600, 50);
    make_scene(&s, 1);
    uint64_t seed = 99;
    for (uint32_t round = 0; round < rounds; ++round) {
        double radius = round % 3 ? (double)real(support_random_in(&seed, 0.01, 0.3)) : 0, value[THINGS];
        double length = (double)real(support_random_in(&seed, 0.2, 12));
        sn_vec3 from = random_vec(&seed, 6), to = random_vec(&seed, 1);
        vec3d way = wide(to);
        double size = norm(way);
        way = (vec3d){way.x / size, way.y / size, way.z / size};
        bool doubt = false;
        for (uint32_t i = 0; i < s.count; ++i) {
            const thing *t = &s.thing[i];
            if (radius == 0 && t->type == 0 && t->radius == 0)
                value[i] = INFINITY;
            else if (radius == 0 && t->type == 1)
                value[i] = ray_on_triangle(t, wide(from), way, length, &doubt);
            else
                value[i] = first_touch(t, wide(from), way, radius, length, &doubt);
        }
        sn_hit hit;
        bool found = sn_query_sphere_cast(s.world, from, real(radius), to, real(length), everything, &hit);
        doubts += doubt;
        hits += found;
        if (doubt)
            continue;
        check_hit(&s, found, &hit, value);
        if (found && hit.distance > 0) /* the ball touches at the point, with its outside */
            assert_close(distance_from(&(thing){.type = 0, .x = {wide(hit.point)}, .radius = radius},
                                       along(wide(from), way, (double)hit.distance)),
                         0, 10 * CLOSE);
    }
    assert_true(doubts < rounds / 4);
    assert_true(hits > rounds / 4);
    sn_world_destroy(s.world);
}

static void test_closest_against_brute_force(void **state)
{
    (void)state;
    static scene s;
    uint32_t rounds = support_rounds(2000, 1000), inside = 0, none = 0;
    make_scene(&s, 2);
    uint64_t seed = 7;
    for (uint32_t round = 0; round < rounds; ++round) {
        sn_vec3 p = random_vec(&seed, 6);
        double reach = round % 4 ? (double)real(support_random_in(&seed, 0.01, 0.5)) : INFINITY, value[THINGS];
        double doubtful = INFINITY;
        for (uint32_t i = 0; i < s.count; ++i) {
            value[i] = fabs(distance_from(&s.thing[i], wide(p)));
            doubtful = fmin(doubtful, fabs(value[i] - reach));
            if (value[i] > reach)
                value[i] = INFINITY;
        }
        if (doubtful < 3 * CLOSE)
            continue;
        sn_hit hit;
        bool found = sn_query_closest(s.world, p, real(reach), everything, &hit);
        check_hit(&s, found, &hit, value);
        inside += found && hit.distance < 0;
        none += !found;
        if (found) /* the point is where the distance says */
            assert_close(norm(sub(wide(p), wide(hit.point))), fabs((double)hit.distance), 10 * CLOSE);
    }
    assert_true(inside > 5 && none > 5);
    sn_world_destroy(s.world);
}

static void test_overlap_against_brute_force(void **state)
{
    (void)state;
    static scene s;
    static sn_hit hits[THINGS], few[5];
    uint32_t rounds = support_rounds(600, 100), most = 0;
    make_scene(&s, 3);
    uint64_t seed = 8;
    for (uint32_t round = 0; round < rounds; ++round) {
        sn_vec3 p = random_vec(&seed, 6);
        double radius = (double)real(support_random_in(&seed, 0, 2)), doubtful = INFINITY;
        uint32_t expected = 0, next = 0;
        for (uint32_t i = 0; i < s.count; ++i)
            doubtful = fmin(doubtful, fabs(distance_from(&s.thing[i], wide(p)) - radius));
        if (doubtful < 3 * CLOSE)
            continue;
        uint32_t count = sn_query_overlap(s.world, p, real(radius), everything, hits, THINGS);
        /* things are in the order of the hits: particles, skins, fixed shapes */
        for (int type = 0; type < 3; ++type)
            for (uint32_t i = 0; i < s.count; ++i) {
                const thing *t = &s.thing[i];
                double d = distance_from(t, wide(p));
                if ((t->type < 2 ? t->type : 2) != type || d > radius)
                    continue;
                ++expected;
                if (next < count && is_thing(&hits[next], t)) {
                    assert_close(hits[next].distance, d, 10 * CLOSE);
                    ++next;
                }
            }
        assert_int_equal(count, expected);
        assert_int_equal(next, expected);
        assert_int_equal(sn_query_overlap(s.world, p, real(radius), everything, few, 5), expected);
        assert_memory_equal(few, hits, (expected < 5 ? expected : 5) * sizeof(sn_hit));
        most = count > most ? count : most;
    }
    assert_true(most > 20);
    sn_world_destroy(s.world);
}

/* ---- Trees ------------------------------------------------------------------------------------------------------- */

static void assert_same_hit(const sn_hit *a, const sn_hit *b)
{
    assert_true(same_particle(a->particle, b->particle));
    assert_int_equal(a->shape, b->shape);
    assert_int_equal(a->skin.index, b->skin.index);
    assert_int_equal(a->skin.generation, b->skin.generation);
    assert_int_equal(a->triangle, b->triangle);
    for (int i = 0; i < 3; ++i) {
        assert_true(same_particle(a->corner[i], b->corner[i]));
        assert_true(a->weight[i] == b->weight[i]);
    }
    assert_true(same_body(a->body, b->body));
    assert_vec_same(a->point, b->point);
    assert_vec_same(a->normal, b->normal);
    assert_true(a->distance == b->distance);
}

#define ANSWERS 40

/* The answers to many questions. */
typedef struct answers {
    uint32_t found[ANSWERS];
    sn_hit hit[ANSWERS][4];
    sn_point point[ANSWERS];
} answers;

static void ask(const sn_world *world, uint64_t seed, double size, answers *a)
{
    memset(a, 0, sizeof *a);
    for (uint32_t i = 0; i < ANSWERS; ++i) {
        sn_vec3 from = random_vec(&seed, size), to = random_vec(&seed, 1);
        sn_real radius = real(support_random_in(&seed, 0, 0.05 * size));
        sn_real length = i % 8 < 4 ? real(support_random_in(&seed, 0, 2 * size)) : real(INFINITY);
        switch (i % 4) {
        case 0:
            a->found[i] = sn_query_sphere_cast(world, from, i % 8 ? radius : 0, to, length, everything, a->hit[i]);
            break;
        case 1:
            a->found[i] = sn_query_closest(world, from, length, everything, a->hit[i]);
            break;
        case 2:
            a->found[i] = sn_query_overlap(world, from, 4 * radius, everything, a->hit[i], 4);
            break;
        default:
            a->point[i] = sn_query_pick(world, from, to, length, radius, &a->hit[i][0].distance);
            a->found[i] = a->point[i].count || a->point[i].type;
            if (!a->found[i])
                a->hit[i][0].distance = 0; /* NaN */
        }
    }
}

static void assert_same_answers(const answers *a, const answers *b)
{
    for (uint32_t i = 0; i < ANSWERS; ++i) {
        assert_int_equal(a->found[i], b->found[i]);
        for (uint32_t k = 0; k < 4; ++k)
            assert_same_hit(&a->hit[i][k], &b->hit[i][k]);
        assert_int_equal(a->point[i].count, b->point[i].count);
        assert_true(same_body(a->point[i].body, b->point[i].body));
        assert_vec_same(a->point[i].place, b->point[i].place);
        for (uint32_t k = 0; k < 4; ++k) {
            assert_true(same_particle(a->point[i].particle[k], b->point[i].particle[k]));
            assert_true(a->point[i].weight[k] == b->point[i].weight[k]);
        }
    }
}

/* Whether trees and looking at everything, which a busy world does, agree. Asks often enough for trees to be made. */
static void check_trees(sn_world *world, uint64_t seed, double size)
{
    static answers with, without;
    for (uint32_t i = 0; i < 5; ++i)
        ask(world, seed + i, size, &with);
    world->busy = true;
    ask(world, seed + 4, size, &without);
    world->busy = false;
    assert_same_answers(&with, &without);
}

static bool has_trees(const sn_world *world)
{
    bool all = true;
    for (uint32_t set = 0; set < SN_SET_COUNT; ++set)
        all = all && (sn_query_tree_is_fresh(world, (sn_query_set)set) || !sn_query_items(world, (sn_query_set)set));
    return all;
}

/* Thousands of balls, a sheet and many fixed shapes. */
static sn_world *crowd(uint32_t balls, uint32_t side, uint32_t solids, uint64_t seed)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = 1;
    sn_world *world = support_world_from(&def);
    for (uint32_t i = 0; i < balls; ++i) {
        sn_vec3 x = random_vec(&seed, 5);
        add_ball(world, (double)x.x, (double)x.y, (double)x.z,
                 i % 7 ? support_random_in(&seed, 0, 0.5) / cbrt((double)balls) : 0);
    }
    uint32_t first = 0, *corner = malloc((size_t)side * side * 6 * sizeof *corner), count = 0;
    assert_non_null(corner);
    for (uint32_t i = 0; i < side * side; ++i) {
        double u = (double)(i % side) / (side - 1) * 8 - 4, v = (double)(i / side) / (side - 1) * 8 - 4;
        uint32_t index = add_ball(world, u, sin(u) * cos(v), v, 0).index;
        first = i ? first : index;
        if (i % side == 0 || i < side)
            continue;
        const uint32_t a = i - side - 1, b = i - side, c = i, d = i - 1, quad[6] = {a, c, b, a, d, c};
        for (uint32_t k = 0; k < 6; ++k)
            corner[count++] = first + quad[k];
    }
    add_skin(world, corner, count / 3, false);
    free(corner);
    for (uint32_t i = 0; i < solids; ++i) {
        sn_vec3 x = random_vec(&seed, 5);
        if (i % 2)
            fixed_add_sphere(world, x, real(0.2));
        else
            fixed_add_capsule(world, x, random_vec(&seed, 5), real(0.05));
    }
    fixed_add_plane(world, vec(0, -6, 0), vec(0.1, 1, 0.2));
    return world;
}

/* Makes sure that there are trees, and that they are right. */
static void warm(sn_world *world, uint64_t seed)
{
    check_trees(world, seed, 6);
    assert_true(has_trees(world));
}

/* A particle is found in a lonely place, or nothing is. */
static void assert_found(const sn_world *world, double x, double y, double z, sn_particle expected)
{
    sn_hit hit;
    bool found = sn_query_closest(world, vec(x, y, z), real(0.5), only(SN_QUERY_PARTICLES), &hit);
    assert_int_equal(found, expected.generation != 0);
    assert_true(same_particle(hit.particle, expected));
}

/* Everything that moves a particle is seen by the next query. */
static void test_trees_follow_particles(void **state)
{
    (void)state;
    sn_world *world = crowd(500, 12, 80, 5);
    const sn_particle none = {0, 0};
    sn_particle p = sn_particle_from_index(world, 17);
    warm(world, 1);
    assert_ok(world, sn_particle_set_position(world, p, vec(20, 0, 0)));
    assert_found(world, 20, 0, 0, p);
    warm(world, 2);
    assert_found(world, 20, 0, 0, p);
    assert_ok(world, sn_particle_set_radius(world, p, 3));
    assert_found(world, 23.25, 0, 0, p);
    assert_found(world, 20, 0, 0, none);
    warm(world, 3);
    assert_found(world, 23.25, 0, 0, p);
    assert_ok(world, sn_particle_remove(world, p));
    assert_found(world, 23.25, 0, 0, none);
    assert_int_equal(sn_query_overlap(world, vec(0, 0, 0), 100, only(SN_QUERY_PARTICLES), NULL, 0),
                     sn_world_particle_count(world));
    check_trees(world, 4, 6);
    warm(world, 5);
    p = add_ball(world, 20, 5, 0, 0);
    assert_found(world, 20, 5, 0, p);
    warm(world, 6);
    const sn_real xyz[3] = {30, 0, 0};
    assert_ok(world, sn_particles_write_positions(world, (sn_particles){p.index, 1, p.generation}, xyz, 0));
    assert_found(world, 30, 0, 0, p);
    sn_world_destroy(world);
}

/* So is what moves many, or none but where they are stored. */
static void test_trees_follow_the_world(void **state)
{
    (void)state;
    sn_world *world = crowd(500, 12, 80, 5);
    const sn_particle none = {0, 0};
    sn_particle p = add_ball(world, 20, 0, 0, 0);
    assert_ok(world, sn_particle_set_mass(world, p, SN_IMMOVABLE));
    sn_particle falling = add_ball(world, 30, 0, 0, 0);
    support_run(world, 1, 0.01); /* makes a plan */
    warm(world, 1);
    sn_snapshot *snapshot = sn_world_save(world);
    assert_non_null(snapshot);
    support_run(world, 1, 1);
    assert_found(world, 30, 0, 0, none);
    assert_found(world, 30, (double)sn_particle_position(world, falling).y, 0, falling);
    warm(world, 2);
    assert_ok(world, sn_world_load(world, snapshot));
    assert_found(world, 30, 0, 0, falling);
    sn_snapshot_destroy(snapshot);
    warm(world, 3);
    assert_ok(world, sn_world_shift_origin(world, vec(0, 3, 0)));
    assert_found(world, 20, -3, 0, p);
    warm(world, 4);
    assert_ok(world, sn_particle_move_to(world, p, vec(40, 0, 0)));
    support_run(world, 1, 0.1);
    assert_found(world, 40, 0, 0, p);

    /* constraints between particles that are stored far apart: they will be stored side by side */
    for (uint32_t i = 0; i < 100; ++i) {
        sn_point a = sn_at(sn_particle_from_index(world, i)), b = sn_at(sn_particle_from_index(world, 299 - i));
        assert_int_not_equal(sn_constraint_add_distance(world, a, b, SN_MEASURE).generation, 0);
    }
    warm(world, 5);
    const sn_real *place = sn_world_view_positions(world).data;
    sn_real before = place[0];
    uint32_t slot = world->ids.value[150];
    assert_ok(world, sn_world_replan(world));
    assert_true(world->ids.value[150] != slot || sn_world_view_positions(world).data[0] != before);
    warm(world, 6);
    sn_relax_def relax = sn_default_relax_def();
    relax.steps = 3;
    assert_ok(world, sn_world_relax(world, &relax, NULL));
    warm(world, 7);
    sn_world_destroy(world);
}

static void test_trees_follow_surfaces(void **state)
{
    (void)state;
    sn_world *world = crowd(500, 12, 80, 5);
    sn_query_filter fixed_shapes = only(SN_QUERY_STATICS), skins = only(SN_QUERY_SKINS);
    const sn_vec3 down = vec(0, -1, 0);
    sn_hit hit;
    warm(world, 1);
    sn_body moved = sn_body_from_index(world, 5);
    assert_ok(world, sn_body_set_pose(world, moved, vec(20, 0, 0), (sn_quat){0, 0, 0, 1}));
    assert_true(sn_query_ray(world, vec(20, 9, 0), down, 10, fixed_shapes, &hit));
    assert_true(same_fixed_shape(hit.body, moved));
    warm(world, 2);
    assert_ok(world, sn_body_set_velocity(world, moved, vec(10, 0, 0), vec(0, 1, 0)));
    support_run(world, 1, 0.5);
    fixed_def def;
    assert_ok(world, fixed_read(world, moved, &def));
    assert_true(sn_query_ray(world, vec((double)def.position.x, 9, 0), down, 10, fixed_shapes, &hit));
    assert_true(same_fixed_shape(hit.body, moved));
    warm(world, 3);
    assert_ok(world, sn_body_remove(world, moved));
    assert_false(sn_query_ray(world, vec((double)def.position.x, 9, 0), down, 10, fixed_shapes, &hit));
    warm(world, 4);
    sn_body sphere = fixed_add_sphere(world, vec(20, 0, 0), 1);
    assert_true(sn_query_ray(world, vec(20, 9, 0), down, 10, fixed_shapes, &hit));
    assert_true(same_fixed_shape(hit.body, sphere));

    assert_true(sn_query_ray(world, vec(0.1, 30, 0.2), down, 90, skins, &hit));
    sn_particle corner = hit.corner[0];
    sn_vec3 far = sn_particle_position(world, corner);
    warm(world, 5);
    far.y += 20;
    assert_ok(world, sn_particle_set_position(world, corner, far));
    assert_true(sn_query_closest(world, far, real(0.1), skins, &hit));
    warm(world, 6);
    assert_true(sn_query_closest(world, far, real(0.1), skins, &hit));
    assert_ok(world, sn_particle_remove(world, corner)); /* and six triangles with it */
    assert_false(sn_query_closest(world, far, real(0.1), skins, &hit));
    warm(world, 7);
    assert_true(sn_query_closest(world, far, 100, skins, &hit));
    assert_ok(world, sn_skin_remove(world, hit.skin));
    assert_false(sn_query_closest(world, far, 100, skins, &hit));
    sn_world_destroy(world);
}

static void test_queries_leave_no_trace(void **state)
{
    (void)state;
    sn_world *fresh = crowd(500, 12, 80, 5), *asked = crowd(500, 12, 80, 5);
    warm(asked, 1);
    assert_true(sn_world_hash(fresh) == sn_world_hash(asked));
    support_run(fresh, 2, 0.01);
    support_run(asked, 1, 0.01);
    warm(asked, 2);
    support_run(asked, 1, 0.01);
    assert_same_world(fresh, asked);
    sn_world_destroy(fresh);
    sn_world_destroy(asked);
}

static void test_many_particles(void **state)
{
    (void)state;
    uint32_t balls = support_rounds(100000, 20000);
    sn_world *world = crowd(balls, 60, 1000, 6);
    for (uint64_t seed = 1; seed < 6; ++seed) {
        check_trees(world, 100 * seed, 5 + (double)seed);
        assert_true(has_trees(world));
        if (seed == 2)
            support_run(world, 1, 0.02);
        if (seed == 4) /* far from the origin */
            assert_ok(world, sn_world_shift_origin(world, vec(-0.25, 0.5, 0.125)));
    }
    sn_world_destroy(world);
}

/* Without memory for trees queries answer all the same. */
static void test_no_memory(void **state)
{
    (void)state;
    static answers with, without;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    sn_world *world = support_world_from(&def);
    uint64_t seed = 3;
    for (uint32_t i = 0; i < 200; ++i) {
        sn_vec3 x = random_vec(&seed, 5);
        add_ball(world, (double)x.x, (double)x.y, (double)x.z, 0.1);
        fixed_add_sphere(world, random_vec(&seed, 5), real(0.1));
    }
    ask(world, 1, 5, &without);
    for (uint32_t fail = 1; fail < 12; ++fail) {
        assert_ok(world, sn_particle_set_radius(world, sn_particle_from_index(world, 0), real(0.1)));
        memory.fail_at = memory.requests + fail;
        for (uint32_t i = 0; i < 8; ++i) {
            ask(world, 1, 5, &with);
            assert_same_answers(&with, &without);
        }
        memory.fail_at = 0;
    }
    memory.fail_at = memory.requests + 1;
    memory.fail_ever_after = true;
    add_ball(world, 0, 0, 0, 0.1); /* there is room for it */
    ask(world, 2, 5, &without);
    ask(world, 2, 5, &with);
    assert_same_answers(&with, &without);
    memory.fail_at = 0;
    memory.fail_ever_after = false;
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

/* The caller's field is asked while the world is busy: it can ask, too, but change nothing. */
typedef struct meddler {
    sn_world *world;
    sn_result result;
    uint32_t near;
} meddler;

static sn_real meddle(void *context, sn_vec3 p)
{
    meddler *m = context;
    sn_hit hit;
    m->result = sn_particle_set_position(m->world, sn_particle_from_index(m->world, 0), vec(0, 0, 0));
    m->near += sn_query_closest(m->world, vec(0, 9, 0), 1, only(SN_QUERY_PARTICLES), &hit);
    return p.y;
}

static void test_callbacks(void **state)
{
    (void)state;
    sn_world *world = support_void();
    meddler m = {.world = world};
    add_ball(world, 0, 9, 0, 0.1);
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_FIELD;
    def.function = meddle;
    def.context = &m;
    def.low = vec(-1, -1, -1);
    def.high = vec(1, 1, 1);
    sn_body field;
    assert_ok(world, fixed_add(world, &def, &field));
    sn_hit hit;
    assert_true(sn_query_ray(world, vec(0.1, 4, 0), vec(0, -1, 0), 9, only(SN_QUERY_STATICS), &hit));
    assert_int_equal(m.result, SN_ERROR_BUSY);
    assert_true(m.near > 0);
    assert_ok(world, sn_particle_set_position(world, sn_particle_from_index(world, 0), vec(0, 0, 0)));
    sn_world_destroy(world);
}

/* ---- Picking ----------------------------------------------------------------------------------------------------- */

static void test_pick(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_real distance;
    sn_particle bead = add_ball(world, 0, 0, 0, 0);
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    const sn_vec3 down = vec(0, -1, 0);

    /* a bead on the floor, beside which the ray passes */
    sn_point point = sn_query_pick(world, vec(0.04, 5, 0), down, 20, real(0.05), &distance);
    assert_int_equal(point.count, 1);
    assert_true(same_particle(point.particle[0], bead));
    assert_close(distance, 5, CLOSE);
    assert_int_equal(sn_query_pick(world, vec(0.06, 5, 0), down, 20, real(0.05), &distance).count, 0);
    assert_true(isnan(distance));
    assert_int_equal(sn_query_pick(world, vec(0, 5, 0), down, 20, 0, &distance).count, 0);
    assert_int_equal(sn_query_pick(world, vec(0.04, 5, 0), down, real(4.9), real(0.05), NULL).count, 0);

    /* under the floor nothing is to be had, nor behind a wall even if it is near; sensors hide nothing */
    assert_ok(world, sn_particle_set_position(world, bead, vec(0, -0.03, 0)));
    assert_int_equal(sn_query_pick(world, vec(0, 5, 0), down, 20, real(0.05), NULL).count, 0);
    assert_ok(world, sn_particle_set_position(world, bead, vec(0, 1, 0)));
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_BOX;
    def.position = vec(0, 3, 0);
    def.sensor = true;
    sn_body box;
    assert_ok(world, fixed_add(world, &def, &box));
    assert_int_equal(sn_query_pick(world, vec(0, 5, 0), down, 20, real(0.05), NULL).count, 1);
    assert_ok(world, sn_body_remove(world, box));
    def.sensor = false;
    assert_ok(world, fixed_add(world, &def, &box));
    assert_int_equal(sn_query_pick(world, vec(0, 5, 0), down, 20, real(0.05), NULL).count, 0);
    assert_ok(world, sn_body_remove(world, box));

    /* a skin wins against its corners and what lies behind it, however large the reach is, but not against what is
       before it; beside it, a corner is within reach */
    add_square(world, 2, 1, false);
    point = sn_query_pick(world, vec(0.9, 5, 0.9), down, 20, real(0.5), &distance);
    assert_int_equal(point.count, 3);
    assert_close(distance, 3, CLOSE);
    assert_vec_close(sn_point_position(world, point), vec(0.9, 2, 0.9), CLOSE);
    sn_particle marble = add_ball(world, 0.5, 2.25, 0.5, 0.25);
    point = sn_query_pick(world, vec(0.6, 5, 0.5), down, 20, real(0.5), &distance);
    assert_int_equal(point.count, 1);
    assert_true(same_particle(point.particle[0], marble));
    assert_close(distance, 2.75, CLOSE);
    assert_ok(world, sn_particle_set_position(world, marble, vec(0.5, 4, 0.5)));
    point = sn_query_pick(world, vec(0.9, 5, 0.5), down, 20, real(0.5), &distance);
    assert_true(point.count == 1 && same_particle(point.particle[0], marble));
    assert_ok(world, sn_particle_remove(world, marble));
    point = sn_query_pick(world, vec(1.1, 5, 1.1), down, 20, real(0.5), &distance);
    assert_int_equal(point.count, 1);
    assert_vec_close(sn_particle_position(world, point.particle[0]), vec(1, 2, 1), CLOSE);
    sn_world_destroy(world);
}

/* What was picked can be held and dragged: a pin on the point, whose target moves with the mouse. */
static void test_pick_and_drag(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    sn_world *world = support_world_from(&def);
    add_square(world, 2, 1, false);
    sn_vec3 from = vec(0.25, 5, -0.5), down = vec(0, -1, 0);
    sn_real distance;
    sn_point point = sn_query_pick(world, from, down, 20, real(0.01), &distance);
    assert_int_equal(point.count, 3);
    sn_vec3 grip = vec((double)from.x, (double)from.y - (double)distance, (double)from.z);
    assert_vec_close(sn_point_position(world, point), grip, CLOSE);
    for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            sn_point a = sn_at(sn_particle_from_index(world, i)), b = sn_at(sn_particle_from_index(world, k));
            assert_int_not_equal(sn_constraint_add_distance(world, a, b, SN_MEASURE).generation, 0);
        }
    sn_constraint hold = sn_constraint_add_pin_at(world, point, grip);
    assert_int_not_equal(hold.generation, 0);
    support_run(world, 60, 1.0 / 60);
    assert_vec_close(sn_point_position(world, point), grip, 1e-3); /* it hangs there instead of falling 5 m */
    sn_hit hit;
    assert_true(ray(world, vec(0.2, 3, -0.4), down, 9, &hit) || sn_query_closest(world, grip, 1, everything, &hit));
    assert_int_not_equal(hit.skin.generation | hit.particle.generation, 0);
    sn_world_destroy(world);
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------- */

static sn_body add_body(sn_world *world, sn_vec3 at, sn_quat turn, const sn_shape_def *shapes, uint32_t count)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.position = at;
    def.rotation = turn;
    def.shapes = shapes;
    def.shape_count = count;
    assert_ok(world, sn_body_add(world, &def, &body));
    return body;
}

/* A box that is turned by a quarter, with a ball at its side: what is asked about it, and which of the two answers. */
static void test_body(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_shape_def shape[2] = {sn_default_shape_def(SN_SHAPE_BOX), sn_default_shape_def(SN_SHAPE_SPHERE)};
    shape[0].half = vec(2, 0.5, 1);
    shape[1].position = vec(2, 0, 0);
    shape[1].radius = 1;
    sn_quat quarter = {0, 0, real(sqrt(0.5)), real(sqrt(0.5))};
    sn_body body =
        add_body(world, vec(1, 2, 3), quarter, shape, 2); /* from (0.5, 0, 2) to (1.5, 4, 4), a ball at y = 4 */
    sn_hit hit;
    assert_true(ray(world, vec(-5, 1, 3), vec(1, 0, 0), 9, &hit));
    assert_true(same_body(hit.body, body));
    assert_true(!hit.particle.generation && !hit.skin.generation);
    assert_int_equal(hit.shape, 0);
    assert_int_equal(hit.triangle, SN_NO_TRIANGLE);
    assert_close(hit.distance, 5.5, CLOSE);
    assert_vec_close(hit.point, vec(0.5, 1, 3), CLOSE);
    assert_vec_close(hit.normal, vec(-1, 0, 0), CLOSE);
    assert_true(ray(world, vec(1, 9, 3), vec(0, -1, 0), 9, &hit));
    assert_int_equal(hit.shape, 1);
    assert_close(hit.distance, 4, CLOSE);
    assert_false(ray(world, vec(-5, 1, 4.1), vec(1, 0, 0), 9, &hit));
    assert_int_equal(hit.body.generation, 0);
    assert_true(sn_query_sphere_cast(world, vec(-5, 1, 4.1), real(0.5), vec(1, 0, 0), 9, everything, &hit));
    assert_close(hit.distance, 5.5 - sqrt(0.25 - 0.01), CLOSE);
    assert_true(sn_query_closest(world, vec(1, -2, 3), 9, everything, &hit));
    assert_close(hit.distance, 2, CLOSE);
    assert_vec_close(hit.normal, vec(0, -1, 0), CLOSE);

    /* inside of both the one counts whose surface is farther away */
    assert_true(sn_query_closest(world, vec(1, 3.9, 3), 9, everything, &hit));
    assert_int_equal(hit.shape, 1);
    assert_close(hit.distance, -0.9, CLOSE);
    assert_true(ray(world, vec(1, 3.9, 3), vec(1, 0, 0), 9, &hit));
    assert_close(hit.distance, 0, 0);
    assert_vec_close(hit.point, vec(1, 3, 3), CLOSE);

    /* its particle is not found besides, and a body is one answer however many shapes it has */
    assert_int_equal(sn_query_overlap(world, vec(1, 3, 3), 9, everything, &hit, 1), 1);
    assert_true(same_body(hit.body, body));
    assert_int_equal(sn_query_overlap(world, vec(1, 3, 3), 9, only(SN_QUERY_PARTICLES), NULL, 0), 0);

    /* by group */
    sn_group_contact group = sn_default_group_contact(3);
    group.category = 8;
    assert_ok(world, sn_world_set_group_contact(world, 3, &group));
    assert_ok(world, sn_particle_set_group(world, sn_body_particle(world, body), 3));
    assert_false(sn_query_closest(world, vec(1, -2, 3), 9, (sn_query_filter){.what = SN_QUERY_ALL, .mask = ~8u}, &hit));
    assert_true(sn_query_closest(world, vec(1, -2, 3), 9, (sn_query_filter){.what = SN_QUERY_BODIES, .mask = 8}, &hit));
    assert_false(sn_query_closest(world, vec(1, -2, 3), 9, only(SN_QUERY_PARTICLES | SN_QUERY_STATICS), &hit));

    /* it moves, and goes */
    assert_ok(world, sn_body_set_pose(world, body, vec(1, 2, 3), (sn_quat){0, 0, 0, 1}));
    assert_true(ray(world, vec(-5, 2, 3), vec(1, 0, 0), 9, &hit));
    assert_close(hit.distance, 4, CLOSE);
    assert_ok(world, sn_body_remove(world, body));
    assert_false(ray(world, vec(-5, 2, 3), vec(1, 0, 0), 9, &hit));
    sn_world_destroy(world);
}

/* A body without a shape is found as its particle. */
static void test_body_without_shape(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.mass = 1;
    def.moments = vec(1, 1, 1);
    assert_ok(world, sn_body_add(world, &def, &body));
    sn_hit hit;
    assert_true(sn_query_closest(world, vec(1, 0, 0), 2, everything, &hit));
    assert_true(same_particle(hit.particle, sn_body_particle(world, body)));
    assert_int_equal(hit.body.generation, 0);
    sn_world_destroy(world);
}

/* Equally far: particles, skins, then bodies of every type; of these the lower number. */
static void test_body_ties(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_hit hits[4];
    sn_body one = sn_body_add_sphere(world, vec(3, 0, 0), 1, 1000),
            two = sn_body_add_sphere(world, vec(-3, 0, 0), 1, 1000);
    assert_true(sn_query_closest(world, vec(0, 0, 0), 9, everything, &hits[0]));
    assert_true(same_body(hits[0].body, one));
    sn_body sphere = fixed_add_sphere(world, vec(0, 3, 0), 1);
    assert_true(sn_query_closest(world, vec(0, 0, 0), 9, everything, &hits[0]));
    assert_true(same_body(hits[0].body, one));
    assert_int_equal(sn_query_overlap(world, vec(0, 0, 0), 9, everything, hits, 4), 3);
    assert_true(same_body(hits[0].body, one) && same_body(hits[1].body, two) && same_body(hits[2].body, sphere));
    assert_int_equal(sn_query_overlap(world, vec(0, 0, 0), 9, everything, hits, 2), 3);
    assert_true(same_body(hits[0].body, one) && same_body(hits[1].body, two));
    sn_world_destroy(world);
}

/* Many bodies, some of them gone: trees find what looking at everything finds, and both what the shapes say. */
static void test_many_bodies(void **state)
{
    (void)state;
    const uint32_t count = support_rounds(2000, 400);
    sn_world *world = support_void();
    uint64_t seed = 12;
    const sn_vec3 corner[] = {vec(0.2, 0, 0), vec(-0.1, 0.2, 0), vec(-0.1, -0.2, 0.1), vec(0, 0, 0.3)};
    for (uint32_t i = 0; i < count; ++i) {
        sn_shape_def shape[2] = {sn_default_shape_def((sn_shape_type)(i % 4)), sn_default_shape_def(SN_SHAPE_SPHERE)};
        sn_vec3 turn = random_vec(&seed, 1);
        shape[0].half = vec(0.1, 0.2, 0.05);
        shape[0].radius = real(0.1);
        shape[0].rounding = i % 4 > 1 && i % 8 < 4 ? real(0.03) : 0;
        shape[0].vertices = i % 4 == 3 ? corner : NULL;
        shape[0].vertex_count = i % 4 == 3 ? 4 : 0;
        shape[1].radius = real(0.1);
        shape[1].position = vec(0.2, 0.1, 0);
        add_body(world, random_vec(&seed, 5), (sn_quat){turn.x, turn.y, turn.z, real(0.7)}, shape, i % 3 ? 1 : 2);
    }
    for (uint32_t i = 0; i < count; i += 7)
        assert_ok(world, sn_body_remove(world, sn_body_from_index(world, i)));
    for (uint64_t round = 1; round < 4; ++round) {
        check_trees(world, 100 * round, 6);
        assert_true(sn_query_tree_is_fresh(world, SN_SET_BODIES));
        assert_int_equal(sn_query_overlap(world, vec(0, 0, 0), 100, everything, NULL, 0), sn_world_body_count(world));
        for (uint32_t i = 0; i < 40; ++i) { /* what is found is on the surface, and the ray has met nothing before */
            sn_hit hit, near;
            sn_vec3 from = random_vec(&seed, 9), to = random_vec(&seed, 5);
            vec3d way = sub(wide(to), wide(from));
            if (sn_query_closest(world, from, real(0.5), everything, &hit) ||
                !ray(world, from, vec(way.x, way.y, way.z), 30, &hit))
                continue;
            assert_true(sn_query_closest(world, hit.point, real(0.1), everything, &near));
            assert_close(near.distance, 0, 1e-4);
            double s = 0.97 * (double)hit.distance / norm(way);
            sn_vec3 before = vec((double)from.x + s * way.x, (double)from.y + s * way.y, (double)from.z + s * way.z);
            assert_true(!sn_query_closest(world, before, 9, everything, &near) || (double)near.distance > 0);
        }
        for (uint32_t i = round == 1 ? 1 : count; i < count; i += 7) { /* they turn where they are */
            sn_body body = sn_body_from_index(world, i);
            sn_vec3 turn = random_vec(&seed, 1);
            assert_ok(world, sn_body_set_pose(world, body, sn_body_position(world, body),
                                              (sn_quat){turn.x, turn.y, turn.z, real(0.3)}));
        }
        if (round == 2)
            assert_ok(world, sn_world_shift_origin(world, vec(-0.5, 0.25, 0)));
    }
    sn_world_destroy(world);
}

/* Picking a body gives the spot under the mouse, by which it can be dragged. */
static void test_pick_body(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_body box = sn_body_add_box(world, vec(0, 0, 0), vec(1, 0.5, 1), 1000);
    sn_vec3 from = vec(0.8, 5, -0.5), down = vec(0, -1, 0);
    sn_real distance;
    sn_point point = sn_query_pick(world, from, down, 20, real(0.1), &distance);
    assert_int_equal(point.type, SN_POINT_BODY);
    assert_true(same_body(point.body, box));
    assert_close(distance, 4.5, CLOSE);
    assert_vec_close(sn_point_position(world, point), vec(0.8, 0.5, -0.5), CLOSE);

    /* a particle beside the ray does not count, one in it does; and a fixed shape hides the body */
    sn_particle marble = add_ball(world, 0.85, 0.5, -0.5, 0.01);
    assert_int_equal(sn_query_pick(world, from, down, 20, real(0.1), &distance).type, SN_POINT_BODY);
    assert_ok(world, sn_particle_set_position(world, marble, vec(0.8, 1, -0.5)));
    point = sn_query_pick(world, from, down, 20, real(0.1), &distance);
    assert_true(point.count == 1 && same_particle(point.particle[0], marble));
    assert_ok(world, sn_particle_remove(world, marble));
    sn_body roof = fixed_add_box(world, vec(0, 3, 0), vec(2, 0.1, 2));
    assert_int_equal(sn_query_pick(world, from, down, 20, real(0.1), &distance).count, 0);
    assert_true(isnan(distance));
    assert_ok(world, sn_body_remove(world, roof));

    point = sn_query_pick(world, from, down, 20, real(0.1), &distance);
    assert_int_not_equal(sn_constraint_add_pin_at(world, point, vec(0.8, 0.5, -0.5)).generation, 0);
    support_run(world, 120, 1.0 / 60);
    assert_vec_close(sn_point_position(world, point), vec(0.8, 0.5, -0.5), 0.02); /* it hangs there, and swings */
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ray_on_a_box),
        cmocka_unit_test(test_start_inside),
        cmocka_unit_test(test_ray_on_a_particle),
        cmocka_unit_test(test_points_without_radius),
        cmocka_unit_test(test_skin),
        cmocka_unit_test(test_one_sided),
        cmocka_unit_test(test_default_filter),
        cmocka_unit_test(test_filters_of_shapes),
        cmocka_unit_test(test_solid_mesh),
        cmocka_unit_test(test_thickness),
        cmocka_unit_test(test_field_in_a_turned_frame),
        cmocka_unit_test(test_sensors_and_categories),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_flat_world),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_casts_against_brute_force),
        cmocka_unit_test(test_closest_against_brute_force),
        cmocka_unit_test(test_overlap_against_brute_force),
        cmocka_unit_test(test_trees_follow_particles),
        cmocka_unit_test(test_trees_follow_the_world),
        cmocka_unit_test(test_trees_follow_surfaces),
        cmocka_unit_test(test_queries_leave_no_trace),
        cmocka_unit_test(test_many_particles),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_pick),
        cmocka_unit_test(test_pick_and_drag),
        cmocka_unit_test(test_body),
        cmocka_unit_test(test_body_without_shape),
        cmocka_unit_test(test_body_ties),
        cmocka_unit_test(test_many_bodies),
        cmocka_unit_test(test_pick_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
