/* Animated meshes: skins of immovable particles that are set before every step, and cloth on them. */
#include "support/support.h"

#include "world/world.h"

#include <math.h>

#define DT     (1.0 / 60)
#define AROUND 20u
#define HIGH   9u

/* A tube about the y axis, closed or open, whose radius and height are given; from the bottom up. */
typedef struct tube {
    sn_particles run;
    uint32_t rows;
    double radius, low, high;
} tube;

static sn_vec3 tube_place(const tube *t, uint32_t i, double wider)
{
    const uint32_t row = i / AROUND, column = i % AROUND;
    const double a = 2 * 3.14159265358979 * (column + 0.5 * (row % 2)) / AROUND, share = row / (t->rows - 1.0);
    const double r = t->radius * (1 + wider * share);
    return vec(r * cos(a), t->low + (t->high - t->low) * share, r * sin(a));
}

static uint32_t tube_triangles(const tube *t, uint32_t *corner)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < AROUND * (t->rows - 1); ++i) {
        const uint32_t row = i / AROUND, a = t->run.first + i, b = t->run.first + row * AROUND + (i + 1) % AROUND;
        const uint32_t c = a + AROUND, d = b + AROUND, odd = row % 2;
        const uint32_t both[6] = {a, odd ? d : c, b, odd ? a : b, odd ? c : c, d};
        memcpy(corner + count, both, sizeof both);
        count += 6;
    }
    return count / 3;
}

static tube add_tube(sn_world *world, double radius, double low, double high, uint32_t rows, double mass, double wider,
                     uint32_t group)
{
    tube t = {.rows = rows, .radius = radius, .low = low, .high = high};
    sn_real xyz[3 * AROUND * 40];
    uint32_t corner[6 * AROUND * 40];
    for (uint32_t i = 0; i < AROUND * rows; ++i) {
        const sn_vec3 x = tube_place(&t, i, wider);
        xyz[3 * i] = x.x, xyz[3 * i + 1] = x.y, xyz[3 * i + 2] = x.z;
    }
    t.run = sn_particles_add(world, AROUND * rows, xyz, 0, mass > 0 ? real(mass / (AROUND * rows)) : SN_IMMOVABLE);
    const uint32_t count = tube_triangles(&t, corner);
    for (uint32_t i = 0; i < AROUND * rows; ++i)
        sn_particle_set_group(world, sn_particle_from_index(world, t.run.first + i), group);
    for (uint32_t i = 0; mass > 0 && i < 3 * count; ++i) {
        const uint32_t a = corner[i], b = corner[i % 3 == 2 ? i - 2 : i + 1];
        if (a < b || i / 3 == 0)
            sn_constraint_add_distance(world, sn_at(sn_particle_from_index(world, a)),
                                       sn_at(sn_particle_from_index(world, b)), SN_MEASURE);
    }
    sn_skin_def def = sn_default_skin_def();
    def.triangles = corner;
    def.triangle_count = count;
    def.thickness = real(0.005);
    def.self_collision = true;
    assert_ok(world, sn_skin_add(world, &def, NULL));
    return t;
}

/* The tube swung about the x axis by an angle, and moved. */
static void lead(sn_world *world, const tube *t, double angle, sn_vec3 move)
{
    sn_real xyz[3 * AROUND * 40];
    for (uint32_t i = 0; i < t->run.count; ++i) {
        const sn_vec3 x = tube_place(t, i, 0);
        const double y = (double)x.y - 1, z = (double)x.z;
        xyz[3 * i] = x.x + move.x;
        xyz[3 * i + 1] = real(1 + cos(angle) * y - sin(angle) * z + (double)move.y);
        xyz[3 * i + 2] = real(sin(angle) * y + cos(angle) * z + (double)move.z);
    }
    assert_ok(world, sn_particles_move_to(world, t->run, xyz, 0));
}

/* A skirt hangs from a ring that is led, and in it a leg swings by half a radian twice a second, farther than the skirt is wide. */
static void a_leg_swings_in_a_skirt(void **state)
{
    (void)state;
    for (uint32_t substeps = 3; substeps <= 10; substeps += 7) {
        sn_world *world = support_world();
        sn_settings settings = sn_world_settings(world);
        settings.substeps = substeps;
        settings.damping = real(0.5);
        assert_ok(world, sn_world_configure(world, &settings));
        const tube leg = add_tube(world, 0.08, 0.2, 0.95, HIGH, 0, 0, 1);
        const tube skirt = add_tube(world, 0.13, 0.4, 1, 13, 0.1, 0, 2);
        for (uint32_t i = 0; i < AROUND; ++i)
            sn_particle_set_mass(world, sn_particle_from_index(world, skirt.run.first + skirt.run.count - 1 - i),
                                 SN_IMMOVABLE);
        double farthest = 0;
        for (uint32_t i = 0; i < support_long(120, 60); ++i) {
            lead(world, &leg, 0.5 * sin(2 * 3.14159265358979 * 1.5 * i * DT), vec(0, 0, 0));
            assert_ok(world, sn_world_step(world, real(DT)));
            assert_int_equal(sn_query_intersections(world, NULL, 0), 0);
            for (uint32_t k = 0; k < AROUND; ++k)
                farthest = fmax(
                    farthest,
                    fabs((double)sn_particle_position(world, sn_particle_from_index(world, skirt.run.first + k)).z));
        }
        assert_true(farthest > 0.3); /* it is kicked */
        assert_true(world->contacts.surfaces.forced == 0);
        sn_world_destroy(world);
    }
}

/* A run that is led is the same as its particles led one by one; bad numbers change nothing. */
static void a_run_is_led(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (uint32_t one = 0; one < 2; ++one) {
        sn_world *world = support_world();
        const tube t = add_tube(world, 0.1, 0, 1, HIGH, 0, 0, 1);
        sn_real xyz[3 * AROUND * HIGH];
        for (uint32_t i = 0; i < t.run.count; ++i) {
            const sn_vec3 x = tube_place(&t, i, 0.5);
            xyz[3 * i] = x.x, xyz[3 * i + 1] = x.y, xyz[3 * i + 2] = x.z;
            if (one)
                assert_ok(world, sn_particle_move_to(world, sn_particle_from_index(world, t.run.first + i), x));
        }
        if (!one)
            assert_ok(world, sn_particles_move_to(world, t.run, xyz, 0));
        assert_ok(world, sn_world_step(world, real(DT)));
        const sn_particle last = sn_particle_from_index(world, t.run.first + t.run.count - 1);
        const sn_vec3 x = tube_place(&t, t.run.count - 1, 0), y = tube_place(&t, t.run.count - 1, 0.5);
        assert_true(fabs((double)(sn_particle_velocity(world, last).x - (y.x - x.x) * 60)) < 1e-3);
        hash[one] = sn_world_hash(world);
        xyz[7] = (sn_real)NAN;
        assert_result(world, SN_ERROR_ARGUMENT, sn_particles_move_to(world, t.run, xyz, 0));
        assert_says(sn_world_error(world), "target");
        assert_result(world, SN_ERROR_ARGUMENT, sn_particles_move_to(world, t.run, NULL, 0));
        assert_true(sn_world_hash(world) == hash[one]);
        sn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

/* Limbs that are led may cross: they do not collide, and the checker leaves them out. Cloth that they cross is seen. */
static void limbs_may_cross(void **state)
{
    (void)state;
    sn_world *world = support_world();
    add_tube(world, 0.1, 0, 1, HIGH, 0, 0, 1);
    add_tube(world, 0.1, 0.5, 1.5, HIGH, 0, 0.2, 2);
    assert_ok(world, sn_world_step(world, real(DT)));
    assert_int_equal(sn_query_intersections(world, NULL, 0), 0);
    assert_int_equal(world->contacts.surfaces.candidate_table.count, 0);
    add_tube(world, 0.1, 0.2, 0.8, HIGH, 0.1, 0.3, 3);
    assert_true(sn_query_intersections(world, NULL, 0) > 0);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leg_swings_in_a_skirt),
        cmocka_unit_test(a_run_is_led),
        cmocka_unit_test(limbs_may_cross),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
