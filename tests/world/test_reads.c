/* Calls that read, and fail: what they give back is what base.h says for their type, each tells why, once, and nothing changes. */
#include "support/support.h"

#include <math.h>
#include <string.h>

static uint32_t logged;

static void count_log(void *context, sn_log_level level, const char *text)
{
    (void)context;
    assert_int_equal(level, SN_LOG_ERROR);
    assert_true(text[0] != 0);
    logged++;
}

static bool is_nan_vec3(sn_vec3 a)
{
    return isnan(a.x) && isnan(a.y) && isnan(a.z);
}

static bool is_nan_quat(sn_quat a)
{
    return isnan(a.x) && isnan(a.y) && isnan(a.z) && isnan(a.w);
}

static bool is_zero(const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; ++i)
        if (byte[i])
            return false;
    return true;
}

/* Each failing call is one more line in the log of a world, and none without one. */
#define FAILS(holds)                                                                                                   \
    do {                                                                                                               \
        const uint32_t lines = logged;                                                                                 \
        if (!(holds))                                                                                                  \
            fail_msg("%s: does not hold with %s world", #holds, w ? "a" : "a NULL");                                   \
        if (logged - lines != (w ? 1u : 0u))                                                                           \
            fail_msg("%s: logged %u times with %s world", #holds, logged - lines, w ? "a" : "a NULL");                 \
    } while (0)

/* A call that answers for anything: it logs nothing. */
#define ANSWERS(holds)                                                                                                 \
    do {                                                                                                               \
        const uint32_t lines = logged;                                                                                 \
        if (!(holds))                                                                                                  \
            fail_msg("%s: does not hold with %s world", #holds, w ? "a" : "a NULL");                                   \
        assert_int_equal(logged, lines);                                                                               \
    } while (0)

typedef struct stale {
    sn_particle particle;
    sn_body body;
    sn_constraint constraint, joint;
} stale;

static void read_particle(const sn_world *w, sn_particle p)
{
    sn_real numbers[3];
    FAILS(is_nan_vec3(sn_particle_position(w, p)));
    FAILS(is_nan_vec3(sn_particle_velocity(w, p)));
    FAILS(is_nan_vec3(sn_particle_spin(w, p)));
    FAILS(is_nan_vec3(sn_particle_load(w, p)));
    FAILS(isnan(sn_particle_mass(w, p)));
    FAILS(isnan(sn_particle_inverse_mass(w, p)));
    FAILS(isnan(sn_particle_radius(w, p)));
    FAILS(is_nan_vec3(sn_particle_rest_position(w, p)));
    FAILS(sn_particle_group(w, p) == 0);
    FAILS(sn_particle_user(w, p) == 0);
    FAILS(!sn_particle_is_awake(w, p));
    FAILS(sn_particle_body(w, p).generation == 0);
    FAILS(sn_particle_from_index(w, 1000).generation == 0);
    FAILS(is_nan_vec3(sn_point_position(w, sn_at(p))));
    FAILS(sn_particles_read_positions(w, (sn_particles){p.index, 1, p.generation}, numbers, 0) != SN_OK);
    FAILS(sn_particles_read_velocities(w, (sn_particles){p.index, 1, p.generation}, numbers, 0) != SN_OK);
    FAILS(sn_particles_read_inverse_masses(w, (sn_particles){p.index, 1, p.generation}, numbers, 0) != SN_OK);
    ANSWERS(!sn_particle_is_valid(w, p));
}

static void read_body(const sn_world *w, sn_body b)
{
    const sn_vec3 place = {1, 2, 3};
    sn_body_def def = sn_default_body_def();
    const sn_body_def before = def;
    FAILS(is_nan_vec3(sn_body_position(w, b)));
    FAILS(is_nan_quat(sn_body_rotation(w, b)));
    FAILS(is_nan_vec3(sn_body_centre(w, b)));
    FAILS(is_nan_vec3(sn_body_velocity(w, b)));
    FAILS(is_nan_vec3(sn_body_spin(w, b)));
    FAILS(is_nan_vec3(sn_body_angular_momentum(w, b)));
    FAILS(is_nan_vec3(sn_body_velocity_at(w, b, place)));
    FAILS(is_nan_vec3(sn_body_to_world(w, b, place)));
    FAILS(is_nan_vec3(sn_body_to_own(w, b, place)));
    FAILS(isnan(sn_body_mass(w, b)));
    FAILS(sn_body_particle(w, b).generation == 0);
    FAILS(!sn_body_is_awake(w, b));
    FAILS(sn_body_from_index(w, 1000).generation == 0);
    FAILS(is_nan_vec3(sn_point_position(w, sn_on_body(b, place))));
    FAILS(sn_body_read(w, b, &def) != SN_OK);
    assert_memory_equal(&def, &before, sizeof def);
    sn_vec3 low = place, high = place;
    FAILS(sn_body_bounds(w, b, &low, &high) != SN_OK);
    assert_true(is_nan_vec3(low) && is_nan_vec3(high));
    ANSWERS(!sn_body_is_valid(w, b));
}

static void read_constraint(const sn_world *w, sn_constraint c, sn_constraint joint)
{
    sn_point points[SN_MAX_POINTS];
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    sn_real value = 7, torque = 7;
    sn_vec3 force = {7, 7, 7}, turn = {7, 7, 7};
    FAILS(sn_constraint_point_count(w, c) == 0);
    FAILS(sn_constraint_read(w, c, &def, points, SN_MAX_POINTS) != SN_OK);
    FAILS(isnan(sn_constraint_force(w, c).magnitude));
    FAILS(is_nan_vec3(sn_constraint_force_on(w, c, 0)));
    FAILS(is_nan_vec3(sn_constraint_torque_on(w, c, 0)));
    FAILS(sn_constraint_user(w, c) == 0);
    FAILS(!sn_constraint_collides(w, c));
    FAILS(sn_constraint_value(w, c, &value) != SN_OK);
    sn_tear_def tear;
    FAILS(sn_constraint_strength(w, c, &value, &torque) != SN_OK);
    FAILS(sn_constraint_read_tear(w, c, &tear) != SN_OK);
    FAILS(isnan(sn_joint_axis_value(w, joint, 0)));
    FAILS(isnan(sn_joint_angle(w, joint)));
    FAILS(isnan(sn_joint_way(w, joint)));
    FAILS(isnan(sn_joint_swing(w, joint)));
    FAILS(sn_joint_reaction(w, joint, &force, &turn) != SN_OK);
    ANSWERS(!sn_constraint_is_valid(w, c));
    ANSWERS(sn_kind_find(w, "no such kind") == 0);
    ANSWERS(sn_kind_info(w, 100000) == NULL);
    ANSWERS(sn_world_constraint_count(w, 100000) == 0);
}

static void read_world(const sn_world *w)
{
    sn_drag_def drag = sn_default_drag_def();
    const sn_vec3 zero = {0, 0, 0}, down = {0, -1, 0};
    const sn_query_filter all = sn_default_query_filter();
    const sn_ray bad = {zero, zero, 1};
    sn_real distance;
    sn_hit hit;
    FAILS(sn_drag_read(w, 99, &drag) != SN_OK);
    memset(&hit, 1, sizeof hit);
    FAILS(!sn_query_ray(w, zero, zero, 1, all, &hit));
    assert_true(is_zero(&hit, sizeof hit));
    FAILS(!sn_query_ray_any(w, zero, zero, 1, all));
    FAILS(sn_query_ray_all(w, zero, zero, 1, all, &hit, 1) == 0);
    FAILS(sn_query_rays(w, &bad, 1, all, &hit) == 0);
    FAILS(!sn_query_sphere_cast(w, zero, -1, down, 1, all, &hit));
    FAILS(!sn_query_closest(w, zero, -1, all, &hit));
    FAILS(sn_query_overlap(w, zero, -1, all, &hit, 1) == 0);
    FAILS(sn_query_pick(w, zero, zero, 1, 0, &distance).count == 0);
    assert_true(isnan(distance));
}

/* With NULL there is no one to tell. */
static void read_null(void)
{
    const sn_world *w = NULL;
    uint32_t count = 7;
    double origin[3];
    const sn_settings settings = sn_world_settings(w);
    const sn_contact_settings contact = sn_world_contact_settings(w);
    const sn_group_contact group = sn_world_group_contact(w, 0);
    const sn_profile profile = sn_world_profile(w);
    const sn_fault fault = sn_world_fault(w);
    const sn_view view = sn_world_view_positions(w);
    assert_true(is_zero(&settings, sizeof settings));
    assert_true(is_zero(&contact, sizeof contact));
    assert_true(is_zero(&group, sizeof group));
    assert_true(is_zero(&profile, sizeof profile));
    assert_true(is_zero(&fault, sizeof fault));
    assert_true(is_zero(&view, sizeof view));
    assert_int_equal(sn_world_particle_count(w), 0);
    assert_int_equal(sn_world_body_count(w), 0);
    assert_int_equal(sn_world_body_limit(w), 0);
    assert_int_equal(sn_world_awake_count(w), 0);
    assert_int_equal(sn_world_threads(w), 0);
    assert_int_equal(sn_world_dimensions(w), 0);
    assert_true(isnan(sn_world_time(w)));
    assert_int_equal(sn_world_hash(w), 0);
    assert_int_not_equal(sn_world_origin(w, origin), SN_OK);
    assert_null(sn_world_contact_events(w, &count));
    assert_int_equal(count, 0);
    assert_null(sn_world_broken(w, &count));
    assert_string_not_equal(sn_world_error(w), "");
    sn_world_destroy(NULL);
    sn_snapshot_destroy(NULL);
    sn_rewind_destroy(NULL);
    sn_accumulator_destroy(NULL);
    assert_int_equal(sn_snapshot_size(NULL), 0);
    assert_int_equal(sn_rewind_size(NULL), 0);
    assert_int_equal(sn_rewind_count(NULL), 0);
    assert_true(isnan(sn_rewind_time(NULL, 0)));
    assert_null(sn_world_save(NULL));
    assert_null(sn_rewind_create(NULL, 1000));
}

static void test_failing_reads(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.log.write = count_log;
    sn_world *world = support_world_from(&def);
    stale gone = {.particle = sn_particle_add_at(world, (sn_vec3){0, 1, 0}, 1)};
    const sn_particle other = sn_particle_add_at(world, (sn_vec3){1, 1, 0}, 1);
    gone.body = sn_body_add_sphere(world, (sn_vec3){5, 1, 0}, 1, 100);
    gone.constraint = sn_constraint_add_distance(world, sn_at(gone.particle), sn_at(other), SN_MEASURE);
    gone.joint = sn_joint_add_ball(world, gone.body, (sn_body){0, 0}, (sn_vec3){5, 1, 0});
    assert_true(gone.joint.generation != 0);
    assert_ok(world, sn_particle_remove(world, gone.particle));
    assert_ok(world, sn_body_remove(world, gone.body));
    assert_int_equal(logged, 0);

    const uint64_t before = sn_world_hash(world);
    const sn_world *worlds[2] = {world, NULL};
    for (int i = 0; i < 2; ++i) {
        read_particle(worlds[i], gone.particle);
        read_particle(worlds[i], (sn_particle){0, 0});
        read_body(worlds[i], gone.body);
        read_body(worlds[i], (sn_body){0, 0});
        read_constraint(worlds[i], gone.constraint, gone.joint);
        read_constraint(worlds[i], (sn_constraint){0, 0, 0}, (sn_constraint){0, 0, 0});
        read_world(worlds[i]);
    }
    read_null();
    assert_true(sn_world_hash(world) == before);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_failing_reads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
