/* Bodies that swing on joints keep their energy, never gain any, and precess as mechanics says (src/world/swings.c). */
#include "support/support.h"

#include <sinew/math.h>

#include <math.h>

#define G  9.81
#define PI 3.14159265358979323846

enum { MOST_RODS = 20 };

static double dot3(sn_vec3 a, sn_vec3 b)
{
    return (double)sn_vec3_dot(a, b);
}

/* Rods of 1 m in a row, each hung from the one before, the first from the world. */
typedef struct chain {
    sn_world *world;
    sn_body rod[MOST_RODS];
    double mass[MOST_RODS];
    double around; /* kg m^2 for each kg, about their own axis */
    uint32_t count;
} chain;

static sn_world *make_world(uint32_t substeps, double gravity)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = substeps;
    def.settings.gravity = vec(0, -gravity, 0);
    return support_world_from(&def);
}

static void add_rod(chain *c, uint32_t kind, double angle, double mass)
{
    const double x = c->count * sin(angle), y = -(double)c->count * cos(angle), turn = (angle - PI / 2) / 2;
    sn_body_def def = sn_default_body_def();
    def.mass = real(mass);
    def.moments = vec(c->around * mass, mass / 12, mass / 12);
    def.position = vec(x + sin(angle) / 2, y - cos(angle) / 2, 0);
    def.rotation = (sn_quat){0, 0, real(sin(turn)), real(cos(turn))};
    assert_ok(c->world, sn_body_add(c->world, &def, &c->rod[c->count]));
    sn_joint_def joint = sn_default_joint_def(kind);
    joint.anchor = vec(x, y, 0);
    joint.b = c->rod[c->count];
    if (c->count)
        joint.a = c->rod[c->count - 1];
    if (kind == SN_KIND_JOINT_HINGE)
        joint.axis = vec(0, 0, 1);
    if (!sn_constraint_is_valid(c->world, sn_joint_add(c->world, &joint)))
        fail_msg("%s", sn_world_error(c->world));
    c->mass[c->count++] = mass;
}

static chain make_chain(uint32_t kind, uint32_t rods, double angle, double last, double around, uint32_t substeps)
{
    chain c = {.world = make_world(substeps, G), .around = around};
    for (uint32_t i = 0; i < rods; ++i)
        add_rod(&c, kind, angle, i + 1 < rods ? 1 : last);
    return c;
}

/* Velocities are half a substep older than positions: without that, energy seems to swing by h m g v / 2. */
static double energy_of(const chain *c)
{
    const double ahead = 1.0 / 120 / sn_world_settings(c->world).substeps;
    double sum = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        const sn_vec3 v = sn_body_velocity(c->world, c->rod[i]), s = sn_body_spin(c->world, c->rod[i]);
        const sn_quat q = sn_body_rotation(c->world, c->rod[i]);
        const sn_vec3 axis = sn_quat_apply(q, vec(1, 0, 0));
        const double along = dot3(s, axis);
        sum +=
            c->mass[i] * (dot3(v, v) / 2 + G * ((double)sn_body_position(c->world, c->rod[i]).y - ahead * (double)v.y));
        sum += c->mass[i] * ((dot3(s, s) - along * along) / 12 + along * along * c->around) / 2;
    }
    return sum;
}

/* The energy lost in so many seconds, as a share of all weights times 1 m. It never rises above its least value by more
   than a thousandth of what there is to lose: twice the weights times where they hang. */
static double lost_by(chain *c, double seconds)
{
    const double start = energy_of(c);
    double least = start, weight = 0, range = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        weight += c->mass[i] * G;
        range += c->mass[i] * G * (i + 0.5);
    }
    for (uint32_t frame = 0; frame < (uint32_t)(seconds * 60); ++frame) {
        support_run(c->world, 1, 1.0 / 60);
        const double now = energy_of(c);
        if (!(now <= least + 1e-3 * range))
            fail_msg("%u rods: %g J after %u frames, %g before", c->count, now, frame + 1, least);
        least = fmin(least, now);
    }
    sn_world_destroy(c->world);
    return (start - least) / weight;
}

/* Without what is given back: 0.26, 0.54 (3 substeps), 0.33, 0.50, 2.5, and 0.09 of the energy of small swings. */
static void test_swinging_rods_keep_their_energy(void **state)
{
    (void)state;
    static const uint32_t kinds[2] = {SN_KIND_JOINT_HINGE, SN_KIND_JOINT_BALL};
    for (uint32_t i = 0; i < 2; ++i) {
        chain one = make_chain(kinds[i], 1, 2 * PI / 3, 1, 1e-4, 10),
              few = make_chain(kinds[i], 1, 2 * PI / 3, 1, 0.02, 3);
        chain two = make_chain(kinds[i], 2, PI / 2, 1, 0.02, 10), three = make_chain(kinds[i], 3, PI / 2, 1, 0.02, 10);
        chain all = make_chain(kinds[i], MOST_RODS, PI / 2, 1, 0.02, 10);
        chain small = make_chain(kinds[i], 1, 0.5, 1, 0.02, 10), high = make_chain(kinds[i], 1, 2.8, 1, 1e-4, 10);
        assert_true(lost_by(&one, 10) < 0.002);
        assert_true(lost_by(&few, 10) < 0.02);
        assert_true(lost_by(&small, 10) < 0.01 * (1 - cos(0.5)) / 2);
        assert_true(lost_by(&high, 10) < 0.002);
        assert_true(lost_by(&two, 10) < 0.01);
        assert_true(lost_by(&three, 10) < 0.12);
        assert_true(lost_by(&all, 10) < 1.2);
    }
}

/* Thin rods with a load are where what is given back could explode: nothing rises there either. */
static void test_nothing_explodes_under_load(void **state)
{
    (void)state;
    static const double around[2] = {1e-4, 0.02}, loads[4] = {0.05, 20, 200, 10000};
    static const uint32_t substeps[3] = {3, 10, 40};
    for (uint32_t i = 0; i < 24; ++i) {
        chain c = make_chain(i % 2 ? SN_KIND_JOINT_HINGE : SN_KIND_JOINT_BALL, 5, PI / 2, loads[i / 2 % 4],
                             around[i % 2], substeps[i / 8]);
        lost_by(&c, support_long(10, 4));
    }
}

/* From 120 degrees, with I = m / 3 about the hinge: 4 sqrt(2 / (3 g)) K(sin 60) = 2.24879 s. */
static void test_the_period_is_right(void **state)
{
    (void)state;
    chain c = make_chain(SN_KIND_JOINT_HINGE, 1, 2 * PI / 3, 1, 1e-4, 10);
    double before = 1, first = 0, third = 0;
    for (uint32_t frame = 0, crossings = 0; frame < 300 && crossings < 3; ++frame) {
        support_run(c.world, 1, 1.0 / 60);
        const double x = (double)sn_body_position(c.world, c.rod[0]).x;
        if ((x < 0) != (before < 0) && ++crossings != 2)
            *(crossings == 1 ? &first : &third) = (frame + before / (before - x)) / 60;
        before = x;
    }
    assert_close(third - first, 2.24879, 0.001 * 2.24879);
    sn_world_destroy(c.world);
}

/* A disk whose axis lies level, held at the end of that: it precesses at m g l / (I s), and its spin s stays. */
static void precess(uint32_t substeps, double spin, double within)
{
    const double arm = 0.2, rate = G * arm / (0.02 * spin), seconds = 2;
    sn_world *world = make_world(substeps, G);
    sn_body_def def = sn_default_body_def();
    sn_body top;
    def.mass = 1;
    def.moments = vec(0.02, 0.0125, 0.0125);
    def.position = vec(arm, 0, 0);
    def.velocity = vec(0, 0, -rate * arm);
    def.spin = vec(spin, rate, 0);
    assert_ok(world, sn_body_add(world, &def, &top));
    assert_true(sn_constraint_is_valid(world, sn_joint_add_ball(world, (sn_body){0, 0}, top, vec(0, 0, 0))));
    support_run(world, (uint32_t)(seconds * 60), 1.0 / 60);
    const sn_vec3 x = sn_body_position(world, top), axis = sn_quat_apply(sn_body_rotation(world, top), vec(1, 0, 0));
    assert_close(remainder(atan2(-(double)x.z, (double)x.x) - rate * seconds, 2 * PI), 0, within * rate * seconds);
    assert_close((double)x.y, 0, 0.01 * arm);
    assert_close(dot3(sn_body_spin(world, top), axis), spin, 0.002 * spin);
    sn_world_destroy(world);
}

static void test_tops_precess(void **state)
{
    (void)state;
    precess(10, 30, 0.003);
    precess(10, 100, 0.003);
    precess(3, 100, 0.003);
    precess(20, 30, 0.003);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swinging_rods_keep_their_energy),
        cmocka_unit_test(test_nothing_explodes_under_load),
        cmocka_unit_test(test_the_period_is_right),
        cmocka_unit_test(test_tops_precess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
