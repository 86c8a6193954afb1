/* Mass, centre and inertia of shapes of every convex type, against closed forms and against sums over slices. */
#include "support/support.h"

#include "bodies/mass.h"
#include "collision/shape.h"

#include <math.h>

#define DENSITY 700.0

static sn_mass_properties mass_of(const sn_convex *convex)
{
    sn_mass_properties mass = {0};
    bool out_of_memory = false;
    char message[200] = "";
    if (!sn_mass_of_shape(&mass, &sn_default_allocator, convex, DENSITY, &out_of_memory, message, sizeof message))
        fail_msg("%s", message);
    return mass;
}

static sn_convex solid(sn_shape_type type, double radius, double half, double rounding)
{
    sn_shape_def def = sn_default_shape_def(type);
    def.radius = real(radius);
    def.half = vec(half, half, half);
    sn_convex convex = sn_shape_convex_of(&def, NULL);
    convex.radius += real(rounding);
    return convex;
}

static void assert_like(double value, double exact, double slack)
{
    if (!(fabs(value - exact) <= slack * fabs(exact)))
        fail_msg("%.12g, expected %.12g", value, exact);
}

static void closed_forms(void **state)
{
    (void)state;
    for (int power = -3; power <= 3; ++power) {
        const double s = pow(10, power), r = (double)real(0.3 * s), h = (double)real(0.7 * s), pi = SN_PI;
        sn_convex c = solid(SN_SHAPE_CYLINDER, r, h, 0);
        sn_mass_properties m = mass_of(&c);
        const double cylinder = pi * r * r * 2 * h * DENSITY;
        assert_like(m.mass, cylinder, 1e-12);
        assert_true(m.centre[1] == 0);
        assert_like(m.inertia[1], cylinder * r * r / 2, 1e-12);
        assert_like(m.inertia[0], cylinder * (3 * r * r + 4 * h * h) / 12, 1e-12);
        assert_true(m.inertia[0] == m.inertia[2] && m.inertia[3] == 0);

        c = solid(SN_SHAPE_CONE, r, h, 0);
        m = mass_of(&c);
        const double cone = pi * r * r * 2 * h / 3 * DENSITY;
        assert_like(m.mass, cone, 1e-12);
        assert_like(m.centre[1], -h / 2, 1e-12);
        assert_like(m.inertia[1], 0.3 * cone * r * r, 1e-12);
        assert_like(m.inertia[0], cone * 3 / 80 * (4 * r * r + 4 * h * h), 1e-12);

        c = solid(SN_SHAPE_SPHERE, r, h, 0);
        m = mass_of(&c);
        assert_like(m.mass, 4 * pi / 3 * r * r * r * DENSITY, 1e-12);
        assert_like(m.inertia[0], 0.4 * m.mass * r * r, 1e-12);
        c = solid(SN_SHAPE_BOX, r, h, 0);
        m = mass_of(&c);
        assert_like(m.mass, 8 * h * h * h * DENSITY, 1e-12);
        assert_like(m.inertia[0], m.mass * 2 * h * h / 3, 1e-12);
    }
}

/* Rounded ones, slice by slice: how wide the solid is at a height is found by bisection. */
static void rounded_ones(void **state)
{
    (void)state;
    for (int type = SN_SHAPE_CYLINDER; type <= SN_SHAPE_CONE; ++type) {
        const double r = 0.3, h = 0.5, q = 0.12;
        const sn_convex c = solid((sn_shape_type)type, r, h, q);
        const sn_mass_properties m = mass_of(&c);
        const int slices = 4000;
        double volume = 0, first = 0, second = 0, across = 0;
        for (int i = 0; i < slices; ++i) {
            const double y = -h - q + (i + 0.5) * 2 * (h + q) / slices, thick = 2 * (h + q) / slices;
            double low = 0, high = r + q + 0.01;
            for (int k = 0; k < 40; ++k) {
                const double middle = (low + high) / 2;
                sn_hull_near_point spot;
                sn_revolved_near(c.type, dvec3_from(c.half), dvec3(middle, y, 0), &spot);
                *(spot.distance <= q ? &low : &high) = middle;
            }
            const double disc = SN_PI * low * low * thick;
            volume += disc;
            first += disc * y;
            second += disc * y * y;
            across += disc * low * low / 4;
        }
        const double centre = first / volume;
        assert_like(m.mass, DENSITY * volume, 1e-4);
        if (type == SN_SHAPE_CONE)
            assert_like(m.centre[1], centre, 1e-3);
        assert_like(m.inertia[1], DENSITY * 2 * across, 1e-4);
        assert_like(m.inertia[0], DENSITY * (across + second - volume * centre * centre), 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms), cmocka_unit_test(rounded_ones)};
    return cmocka_run_group_tests_name("mass_shapes", tests, NULL, NULL);
}
