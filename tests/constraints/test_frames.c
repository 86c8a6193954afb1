/* Rigid objects as emerging behaviour: frames of rods keep their shape (lecture 003). */
#include "support/support.h"

#include <math.h>

typedef struct frame {
    sn_world *world;
    uint32_t count;
    sn_particle corner[4];
    double rest[4][4];
} frame;

/* All corners joined by rods: six for a tetrahedron, and for a square with its diagonals. */
static void join(frame *f)
{
    for (uint32_t i = 0; i < f->count; ++i)
        for (uint32_t j = 0; j < i; ++j) {
            f->rest[i][j] =
                support_gap(sn_particle_position(f->world, f->corner[i]), sn_particle_position(f->world, f->corner[j]));
            sn_constraint rod =
                sn_constraint_add_distance(f->world, sn_at(f->corner[i]), sn_at(f->corner[j]), SN_MEASURE);
            assert_true(sn_constraint_is_valid(f->world, rod));
        }
}

/* The largest relative change of a rod's length. */
static double strain_of(const frame *f)
{
    double largest = 0;
    for (uint32_t i = 0; i < f->count; ++i)
        for (uint32_t j = 0; j < i; ++j) {
            double length =
                support_gap(sn_particle_position(f->world, f->corner[i]), sn_particle_position(f->world, f->corner[j]));
            largest = fmax(largest, fabs(length / f->rest[i][j] - 1));
        }
    return largest;
}

/* The signed volume, which tells the tetrahedron from its mirror image. */
static double volume_of(const frame *f)
{
    sn_vec3 o = sn_particle_position(f->world, f->corner[0]);
    double e[3][3];
    for (uint32_t i = 0; i < 3; ++i) {
        sn_vec3 x = sn_particle_position(f->world, f->corner[i + 1]);
        e[i][0] = (double)x.x - (double)o.x;
        e[i][1] = (double)x.y - (double)o.y;
        e[i][2] = (double)x.z - (double)o.z;
    }
    double sum = 0;
    for (uint32_t i = 0; i < 3; ++i)
        sum += e[0][i] * (e[1][(i + 1) % 3] * e[2][(i + 2) % 3] - e[1][(i + 2) % 3] * e[2][(i + 1) % 3]);
    return sum / 6;
}

/* Thrown, spinning at about one turn a second, corners of unequal mass: for five seconds it flies like one body. */
static void tetrahedron_keeps_its_shape(void **state)
{
    (void)state;
    frame f = {.world = support_world(), .count = 4};
    const sn_vec3 x[4] = {vec(1, 1, 1), vec(1, -1, -1), vec(-1, 1, -1), vec(-1, -1, 1)};
    sn_settings settings = sn_world_settings(f.world);
    settings.substeps = 20;
    settings.iterations = 4;
    assert_ok(f.world, sn_world_configure(f.world, &settings));
    for (uint32_t i = 0; i < 4; ++i)
        f.corner[i] = sn_particle_add_at(f.world, x[i], real(0.5 + 0.5 * i));
    join(&f);
    /* spin (4, 5, -2) 1/s, and a throw */
    for (uint32_t i = 0; i < 4; ++i) {
        double a = (double)x[i].x, b = (double)x[i].y, c = (double)x[i].z;
        assert_ok(f.world, sn_particle_set_velocity(f.world, f.corner[i],
                                                    vec(3 + 5 * c + 2 * b, 20 - 2 * a - 4 * c, 4 * b - 5 * a)));
    }
    sn_report before, after;
    assert_ok(f.world, sn_world_report(f.world, &before));
    double volume = volume_of(&f), worst = 0;
    for (uint32_t frame_number = 0; frame_number < 300; ++frame_number) {
        support_run(f.world, 1, 1.0 / 60);
        worst = fmax(worst, strain_of(&f));
        assert_close(volume_of(&f), volume, 1e-2 * fabs(volume));
    }
    assert_ok(f.world, sn_world_report(f.world, &after));
    print_message("tetrahedron: largest strain %.1e in 5 s\n", worst);
    assert_true(worst < 1e-3);
    double fall = -9.81 * 5 * 5 / 2, flight = before.momentum[1] / before.mass * 5;
    assert_close(after.centre[1] - before.centre[1], flight + fall, 0.1);
    assert_close(after.centre[0] - before.centre[0], before.momentum[0] / before.mass * 5, 1e-3);
    sn_world_destroy(f.world);
}

/* The lecture's box: four particles, six rods, dropped on a corner. It tumbles, comes to rest on a side, and is still
   square. */
static void box_in_the_plane(void **state)
{
    (void)state;
    frame f = {.world = support_world_2d(), .count = 4};
    sn_settings settings = sn_world_settings(f.world);
    settings.damping = real(0.5);
    settings.iterations = 4;
    assert_ok(f.world, sn_world_configure(f.world, &settings));
    for (uint32_t i = 0; i < 4; ++i) {
        double angle = 0.3 + i * 1.57079632679489661923;
        f.corner[i] = sn_particle_add_at(f.world, vec(0.7 * cos(angle), 2 + 0.7 * sin(angle), 0), 1);
    }
    join(&f);
    for (uint32_t i = 0; i < 4; ++i)
        sn_constraint_add_half_space(f.world, sn_at(f.corner[i]), vec(0, 0, 0), vec(0, 1, 0));
    double worst = 0;
    for (uint32_t frame_number = 0; frame_number < 900; ++frame_number) {
        support_run(f.world, 1, 1.0 / 60);
        worst = fmax(worst, strain_of(&f));
    }
    uint32_t below = 0, above = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        double y = (double)sn_particle_position(f.world, f.corner[i]).y;
        assert_true(y > -1e-4);
        below += y < 0.01;
        above += fabs(y - 0.7 * sqrt(2)) < 0.01;
    }
    print_message("box: largest strain %.1e\n", worst);
    assert_int_equal(below, 2);
    assert_int_equal(above, 2);
    assert_true(worst < 0.02);
    assert_true(strain_of(&f) < 1e-3);
    sn_world_destroy(f.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tetrahedron_keeps_its_shape),
        cmocka_unit_test(box_in_the_plane),
    };
    return cmocka_run_group_tests_name("frames of rods", tests, NULL, NULL);
}
