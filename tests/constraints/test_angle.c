/* Angles at a joint: unsigned, and signed about an axis of the world or of the figure itself. */
#include "slopes.h"

#define PI 3.14159265358979323846

static double degrees(double angle)
{
    return angle * PI / 180;
}

/* ---- Gradients ---------------------------------------------------------------------------------------------------- */

enum { STATES = 40 };

/* Differences of single precision have too few digits for more than the middle one. */
#if SINEW_DOUBLE
static const double scales[] = {1e-3, 1, 1e3};
#else
static const double scales[] = {1};
#endif

/* A joint at random: arms of 0.5 to 1.5 times the scale, turned by at least `least` from straight and folded. */
static void random_joint(uint64_t *seed, double scale, double least, sn_vec3 *x)
{
    sn_vec3 t = slopes_direction(seed), s;
    double along, across;
    do {
        s = slopes_direction(seed);
        along = (double)s.x * (double)t.x + (double)s.y * (double)t.y + (double)s.z * (double)t.z;
        across = sqrt(fmax(0, 1 - along * along));
    } while (across < 0.3);
    double angle = support_random_in(seed, least, PI - least), u = scale * support_random_in(seed, 0.5, 1.5);
    double v = scale * support_random_in(seed, 0.5, 1.5), p = v * cos(angle) - v * sin(angle) * along / across;
    double q = v * sin(angle) / across;
    x[0] = slopes_place(seed, scale);
    x[1] = vec((double)x[0].x + u * (double)t.x, (double)x[0].y + u * (double)t.y, (double)x[0].z + u * (double)t.z);
    x[2] = vec((double)x[1].x + p * (double)t.x + q * (double)s.x, (double)x[1].y + p * (double)t.y + q * (double)s.y,
               (double)x[1].z + p * (double)t.z + q * (double)s.z);
}

static void angle_gradients(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {SN_KIND_ANGLE, SN_KIND_ANGLE_MIN, SN_KIND_ANGLE_MAX};
    uint64_t seed = 1;
    for (size_t k = 0; k < COUNT_OF(kinds); ++k)
        for (size_t s = 0; s < COUNT_OF(scales); ++s)
            for (uint32_t i = 0; i < STATES; ++i) {
                sn_vec3 x[3];
                sn_real param = real(0.7);
                random_joint(&seed, scales[s], 0.2, x);
                assert_true(slopes_agree(kinds[k], 3, x, &param, 0.2 * scales[s], PI));
                slopes_sum_to_zero(kinds[k], 3, x, &param);
            }
}

/* Within a thousandth of straight and of folded, where an arcus cosine would have lost half of its digits. */
static void angle_gradients_near_straight(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (uint32_t i = 0; SINEW_DOUBLE && i < STATES; ++i) {
        double angle = i % 2 ? 1e-3 : PI - 1e-3;
        sn_vec3 x[3] = {vec(0, 0, 0), vec(0, 1, 0), vec(0, 1 + 0.5 * cos(angle), 0.5 * sin(angle))};
        sn_vec3 shift = slopes_place(&seed, 1);
        for (uint32_t j = 0; j < 3; ++j)
            x[j] = vec((double)(x[j].x + shift.x), (double)(x[j].y + shift.y), (double)(x[j].z + shift.z));
        sn_real param = 1;
        assert_true(slopes_agree(SN_KIND_ANGLE, 3, x, &param, 2e-4, PI));
    }
}

static void hinge_gradients(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {SN_KIND_HINGE, SN_KIND_HINGE_MIN, SN_KIND_HINGE_MAX, SN_KIND_HINGE_BAND};
    uint64_t seed = 3;
    for (size_t k = 0; k < COUNT_OF(kinds); ++k)
        for (size_t s = 0; s < COUNT_OF(scales); ++s) {
            uint32_t compared = 0;
            for (uint32_t i = 0; i < STATES; ++i) {
                sn_vec3 x[3], axis = slopes_direction(&seed);
                sn_real param[5] = {axis.x, axis.y, axis.z, real(-0.3), real(0.4)};
                random_joint(&seed, scales[s], 0.2, x);
                compared += slopes_agree(kinds[k], 3, x, param, 0.05 * scales[s], PI);
                slopes_sum_to_zero(kinds[k], 3, x, param);
            }
            assert_in_range(compared, STATES * 3 / 4, STATES); /* the others are near the cut, or along the axis */
        }
}

static void hinge_points_gradients(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (size_t s = 0; s < COUNT_OF(scales); ++s) {
        uint32_t compared = 0;
        for (uint32_t i = 0; i < STATES; ++i) {
            sn_vec3 x[5];
            sn_real param[2] = {real(-0.3), real(0.4)};
            random_joint(&seed, scales[s], 0.2, x);
            do {
                x[3] = slopes_place(&seed, scales[s]);
                x[4] = slopes_place(&seed, scales[s]);
            } while (support_gap(x[3], x[4]) < 0.5 * scales[s]);
            compared += slopes_agree(SN_KIND_HINGE_POINTS, 5, x, param, 0.05 * scales[s], PI);
            slopes_sum_to_zero(SN_KIND_HINGE_POINTS, 5, x, param);
        }
        assert_in_range(compared, STATES * 3 / 4, STATES);
    }
}

/* ---- What the numbers mean
   ------------------------------------------------------------------------------------------ */

typedef struct elbow {
    sn_world *world;
    sn_particle a, b, c;
    sn_constraint joint;
} elbow;

/* a in the origin, b one metre along x, c turned by `angle` about z and half a metre on. The particles are of different
   mass, and fifty passes are made at once. */
static elbow make_elbow(sn_world *world, double angle)
{
    elbow e = {.world = world};
    sn_settings settings = sn_world_settings(world);
    settings.gravity = vec(0, 0, 0);
    settings.substeps = 1;
    settings.iterations = 50;
    assert_ok(world, sn_world_configure(world, &settings));
    e.a = sn_particle_add_at(world, vec(0, 0, 0), 1);
    e.b = sn_particle_add_at(world, vec(1, 0, 0), 2);
    e.c = sn_particle_add_at(world, vec(1 + 0.5 * cos(angle), 0.5 * sin(angle), 0), 3);
    return e;
}

/* Exactly straight, or exactly folded back: sin of a rounded pi is not 0. */
static elbow make_straight_elbow(sn_world *world, bool folded)
{
    elbow e = make_elbow(world, 0);
    assert_ok(world, sn_particle_set_position(world, e.c, vec(folded ? 0.5 : 1.5, 0, 0)));
    return e;
}

/* The turn from ab to bc about z. */
static double turn_of(const elbow *e)
{
    sn_vec3 a = sn_particle_position(e->world, e->a), b = sn_particle_position(e->world, e->b),
            c = sn_particle_position(e->world, e->c);
    double ux = (double)b.x - (double)a.x, uy = (double)b.y - (double)a.y;
    double vx = (double)c.x - (double)b.x, vy = (double)c.y - (double)b.y;
    return atan2(ux * vy - uy * vx, ux * vx + uy * vy);
}

/* The unsigned one, whatever plane it lies in. */
static double bend_of(const elbow *e)
{
    sn_vec3 a = sn_particle_position(e->world, e->a), b = sn_particle_position(e->world, e->b),
            c = sn_particle_position(e->world, e->c);
    double ab = support_gap(a, b), bc = support_gap(b, c), ac = support_gap(a, c);
    return PI - acos(fmax(-1, fmin(1, (ab * ab + bc * bc - ac * ac) / (2 * ab * bc))));
}

static double value_of(const elbow *e)
{
    sn_real c[SN_MAX_ROWS];
    assert_true(sn_constraint_is_valid(e->world, e->joint));
    assert_ok(e->world, sn_constraint_value(e->world, e->joint, c));
    return (double)c[0];
}

static void finish(elbow *e)
{
    assert_true(sn_constraint_is_valid(e->world, e->joint));
    sn_world_destroy(e->world);
}

#define ANGLE_TOLERANCE (SINEW_DOUBLE ? 1e-12 : 2e-6)

/* 0 is straight, pi is folded back, a right angle is pi / 2, on either side. */
static void straight_is_zero(void **state)
{
    (void)state;
    const double angles[] = {0, 30, 90, 120, 179, -30, -90};
    for (size_t i = 0; i < COUNT_OF(angles); ++i) {
        elbow e = make_elbow(support_world(), degrees(angles[i]));
        e.joint = sn_constraint_add_angle(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), 0);
        assert_close(value_of(&e), degrees(fabs(angles[i])), ANGLE_TOLERANCE);
        e.joint = sn_constraint_add_hinge(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), vec(0, 0, 2), 0);
        assert_close(value_of(&e), degrees(angles[i]), ANGLE_TOLERANCE);
        e.joint = sn_constraint_add_hinge(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), vec(0, 0, -1), 0);
        assert_close(value_of(&e), degrees(-angles[i]), ANGLE_TOLERANCE);
        finish(&e);
    }
    elbow e = make_straight_elbow(support_world(), true);
    e.joint = sn_constraint_add_angle(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), 0);
    assert_close(value_of(&e), PI, ANGLE_TOLERANCE);
    e.joint = sn_constraint_add_hinge(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), vec(0, 0, 1), 0);
    assert_close(value_of(&e), PI, ANGLE_TOLERANCE); /* and not -pi */
    e.joint = sn_constraint_add_hinge(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), vec(0, 0, -1), 0);
    assert_close(value_of(&e), PI, ANGLE_TOLERANCE);
    finish(&e);
}

static void reaches_its_angle(void **state)
{
    (void)state;
    const double from[] = {10, 80, 170}, to[] = {0.5, 45, 90, 179};
    for (size_t i = 0; i < COUNT_OF(from); ++i)
        for (size_t j = 0; j < COUNT_OF(to); ++j) {
            elbow e = make_elbow(support_world(), degrees(from[i]));
            e.joint = sn_constraint_add_angle(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), real(degrees(to[j])));
            support_run(e.world, 1, 1);
            assert_close(bend_of(&e), degrees(to[j]), 1e-4);
            finish(&e);
        }
}

/* At the limit, or a little on its good side: a projection from far away goes a little too far, and nothing pulls it
   back. */
static void assert_within(double angle, double limit, int side)
{
    double slack = side * (angle - limit);
    if (slack < -1e-4 || slack > 0.12)
        print_error("the limit is %g, the angle %g\n", limit, angle);
    assert_true(slack >= -1e-4 && slack <= 0.12);
}

static void limits_hold_one_side(void **state)
{
    (void)state;
    const double from[] = {10, 60, 150};
    for (size_t i = 0; i < COUNT_OF(from); ++i) {
        elbow least = make_elbow(support_world(), degrees(from[i])),
              most = make_elbow(support_world(), degrees(from[i]));
        least.joint =
            sn_constraint_add_angle_min(least.world, sn_at(least.a), sn_at(least.b), sn_at(least.c), real(degrees(45)));
        most.joint =
            sn_constraint_add_angle_max(most.world, sn_at(most.a), sn_at(most.b), sn_at(most.c), real(degrees(45)));
        support_run(least.world, 1, 1);
        support_run(most.world, 1, 1);
        assert_within(bend_of(&least), degrees(fmax(from[i], 45)), 1);
        assert_within(bend_of(&most), degrees(fmin(from[i], 45)), -1);
        finish(&least);
        finish(&most);
    }
}

/* ---- Exactly straight and exactly folded
   ------------------------------------------------------------------------------ */

/* The total of m dx, and of x x m dx about the start, after a second that began at rest. */
static void check_momenta(const elbow *e)
{
    sn_report report;
    assert_ok(e->world, sn_world_report(e->world, &report));
    for (uint32_t i = 0; i < 3; ++i)
        assert_close(report.momentum[i], 0, SINEW_DOUBLE ? 1e-13 : 1e-5);
}

/* A joint that was built straight must bend, and a folded one open, in 3D and in the plane of a 2D world. */
static void straight_joints_are_not_stuck(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 8; ++n) {
        bool flat = n & 1, folded = n & 2, limit = n & 4;
        elbow e = make_straight_elbow(flat ? support_world_2d() : support_world(), folded);
        uint32_t kind = !limit ? SN_KIND_ANGLE : folded ? SN_KIND_ANGLE_MAX : SN_KIND_ANGLE_MIN;
        sn_point points[] = {sn_at(e.a), sn_at(e.b), sn_at(e.c)};
        sn_constraint_def def = sn_default_constraint_def(kind);
        def.points = points;
        def.param[0] = 1;
        assert_ok(e.world, sn_constraint_add(e.world, &def, &e.joint));
        support_run(e.world, 1, 1);
        if (limit)
            assert_within(bend_of(&e), 1, folded ? -1 : 1);
        else
            assert_close(bend_of(&e), 1, 1e-4);
        if (flat)
            assert_close(fabs(turn_of(&e)), bend_of(&e), 1e-4);
        check_momenta(&e);
        finish(&e);
    }
}

/* Straight is where they want to be: nothing moves. */
static void straight_joints_that_should_be_rest(void **state)
{
    (void)state;
    elbow e = make_straight_elbow(support_world(), false);
    sn_vec3 c = sn_particle_position(e.world, e.c);
    e.joint = sn_constraint_add_angle(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), SN_MEASURE);
    sn_constraint_add_angle_max(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), 0);
    support_run(e.world, 3, 0.1);
    assert_vec_same(sn_particle_position(e.world, e.c), c);
    finish(&e);
}

/* Two points in one place have no angle: nothing to measure, nothing to push. */
static void coinciding_points_rest(void **state)
{
    (void)state;
    elbow e = make_elbow(support_world(), 1);
    assert_ok(e.world, sn_particle_set_position(e.world, e.c, vec(1, 0, 0)));
    sn_constraint none = sn_constraint_add_angle(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), SN_MEASURE);
    assert_false(sn_constraint_is_valid(e.world, none));
    assert_says(sn_world_error(e.world), "angle must be given");
    e.joint = sn_constraint_add_angle(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), 1);
    assert_true(isnan(value_of(&e)));
    support_run(e.world, 1, 1);
    assert_vec_same(sn_particle_position(e.world, e.c), vec(1, 0, 0));
    finish(&e);
}

/* ---- Signed
   ----------------------------------------------------------------------------------------------------------- */

/* The short way round, across the cut at pi. */
static void hinge_takes_the_short_way(void **state)
{
    (void)state;
    elbow e = make_elbow(support_world(), degrees(-175));
    e.joint = sn_constraint_add_hinge(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), vec(0, 0, 1), real(degrees(175)));
    assert_close(value_of(&e), degrees(10), 2e-6);
    support_run(e.world, 1, 1);
    assert_close(turn_of(&e), degrees(175), 1e-4);
    finish(&e);
}

/* An elbow between straight and 150 degrees: bent backwards it straightens, bent too far it opens, however far. */
static void hinge_limits_return_the_short_way(void **state)
{
    (void)state;
    const double from[][2] = {{-10, 0}, {-90, 0}, {-104, 0}, {160, 150}, {179, 150}, {190, 150}, {250, 150}};
    for (size_t i = 0; i < COUNT_OF(from); ++i) {
        elbow e = make_elbow(support_world(), degrees(from[i][0]));
        e.joint = sn_constraint_add_hinge_band(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), vec(0, 0, 1), 0,
                                               real(degrees(150)));
        support_run(e.world, 1, 1);
        assert_within(turn_of(&e), degrees(from[i][1]), from[i][1] > 0 ? -1 : 1);
        finish(&e);
    }
}

/* Single limits hold on their side of the circle's cut at pi. */
static void single_hinge_limits(void **state)
{
    (void)state;
    const double from[][2] = {{-10, 0}, {-60, 0}, {-170, 0}, {160, 150}, {179, 150}};
    for (size_t i = 0; i < COUNT_OF(from); ++i) {
        elbow e = make_elbow(support_world(), degrees(from[i][0]));
        sn_point a = sn_at(e.a), b = sn_at(e.b), c = sn_at(e.c);
        e.joint = sn_constraint_add_hinge_min(e.world, a, b, c, vec(0, 0, 1), 0);
        sn_constraint_add_hinge_max(e.world, a, b, c, vec(0, 0, 1), real(degrees(150)));
        support_run(e.world, 1, 1);
        assert_within(turn_of(&e), degrees(from[i][1]), from[i][1] > 0 ? -1 : 1);
        finish(&e);
    }
}

/* Points along the axis have no angle about it. */
static void hinge_along_its_axis_rests(void **state)
{
    (void)state;
    elbow e = make_elbow(support_world(), 1);
    e.joint = sn_constraint_add_hinge(e.world, sn_at(e.a), sn_at(e.b), sn_at(e.c), vec(1, 0, 0), 1);
    assert_true(isnan(value_of(&e)));
    support_run(e.world, 1, 1);
    assert_vec_same(sn_particle_position(e.world, e.b), vec(1, 0, 0));
    finish(&e);
}

/* Without an axis the one about which the joint bends now is taken; a straight joint has none. In the plane it is z. */
static void hinge_measures_its_axis(void **state)
{
    (void)state;
    elbow e = make_elbow(support_world_2d(), degrees(-30));
    sn_point points[] = {sn_at(e.a), sn_at(e.b), sn_at(e.c)}, read[SN_MAX_POINTS];
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_HINGE);
    def.points = points;
    assert_ok(e.world, sn_constraint_add(e.world, &def, &e.joint));
    assert_ok(e.world, sn_constraint_read(e.world, e.joint, &def, read, SN_MAX_POINTS));
    assert_true(def.param[0] == 0 && def.param[1] == 0 && def.param[2] == 1);
    assert_close(def.param[3], degrees(-30), ANGLE_TOLERANCE);
    finish(&e);

    e = make_elbow(support_world(), degrees(30));
    assert_ok(e.world, sn_particle_set_position(e.world, e.a, vec(0, 0, 0.1)));
    points[0] = sn_at(e.a), points[1] = sn_at(e.b), points[2] = sn_at(e.c);
    def = sn_default_constraint_def(SN_KIND_HINGE);
    def.points = points;
    assert_ok(e.world, sn_constraint_add(e.world, &def, &e.joint));
    assert_ok(e.world, sn_constraint_read(e.world, e.joint, &def, read, SN_MAX_POINTS));
    assert_close(def.param[3], bend_of(&e), 1e-5);
    assert_true(value_of(&e) == 0);
    assert_ok(e.world, sn_particle_set_position(e.world, e.c, vec(2, 0, -0.1)));
    def = sn_default_constraint_def(SN_KIND_HINGE);
    def.points = points;
    sn_constraint none;
    assert_result(e.world, SN_ERROR_ARGUMENT, sn_constraint_add(e.world, &def, &none));
    assert_says(sn_world_error(e.world), "axis must be given");
    finish(&e);
}

/* ---- The elbow of a figure that tumbles
   --------------------------------------------------------------------------------- */

/* Two axis points and the upper arm are one rigid piece of rods; the forearm swings freely but for its limits. */
typedef struct arm {
    sn_world *world;
    sn_particle a, b, c, d, e;
    sn_constraint limit;
} arm;

static arm make_arm(void)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.substeps = 40;
    arm m = {.world = support_world_from(&def)};
    m.a = sn_particle_add_at(m.world, vec(0, 1, 0), 3);
    m.b = sn_particle_add_at(m.world, vec(0, 0, 0), 2);
    m.c = sn_particle_add_at(m.world, vec(0.3, -0.8, 0), 1);
    m.d = sn_particle_add_at(m.world, vec(0, 0.2, -0.3), 1);
    m.e = sn_particle_add_at(m.world, vec(0, 0.2, 0.3), 1);
    const sn_particle body[] = {m.a, m.b, m.d, m.e};
    for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t j = 0; j < i; ++j)
            sn_constraint_add_distance(m.world, sn_at(body[i]), sn_at(body[j]), SN_MEASURE);
    sn_constraint_add_distance(m.world, sn_at(m.b), sn_at(m.c), SN_MEASURE);
    return m;
}

static double arm_angle(const arm *m)
{
    sn_real c[2];
    assert_ok(m->world, sn_constraint_value(m->world, m->limit, c));
    return (double)c[0];
}

/* Swung hard in both directions while the whole figure spins, the elbow keeps between its limits. */
static void elbow_of_a_tumbling_figure(void **state)
{
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        arm m = make_arm();
        m.limit = sn_constraint_add_hinge_points(m.world, sn_at(m.a), sn_at(m.b), sn_at(m.c), sn_at(m.d), sn_at(m.e), 0,
                                                 real(degrees(150)));
        assert_true(sn_constraint_is_valid(m.world, m.limit));
        double start = arm_angle(&m);
        assert_true(start > 0.3 && start < 0.4);
        assert_ok(m.world, sn_particle_set_velocity(m.world, m.c, vec(way * 4, 0, 0.3)));
        assert_ok(m.world, sn_particle_set_velocity(m.world, m.a, vec(1, 0, 2)));
        for (uint32_t i = 0; i < 120; ++i) {
            support_run(m.world, 1, 1.0 / 60);
            double angle = arm_angle(&m);
            assert_true(angle > -0.02 && angle < degrees(150) + 0.02);
        }
        sn_world_destroy(m.world);
    }
}

/* One projection keeps both momenta, the axis points taking their share. */
static void hinge_points_keep_momenta(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (uint32_t n = 0; n < 50; ++n) {
        sn_world *world = support_void();
        sn_particle p[5];
        sn_vec3 x[5];
        double mass[5], linear[3] = {0}, angular[3] = {0}, size = 0;
        for (uint32_t i = 0; i < 5; ++i) {
            mass[i] = support_random_in(&seed, 0.5, 3);
            x[i] = slopes_place(&seed, 1);
            p[i] = sn_particle_add_at(world, x[i], real(mass[i]));
        }
        sn_constraint_add_hinge_points(world, sn_at(p[0]), sn_at(p[1]), sn_at(p[2]), sn_at(p[3]), sn_at(p[4]), 2, 2);
        support_run(world, 1, 1);
        for (uint32_t i = 0; i < 5; ++i) {
            sn_vec3 v = sn_particle_velocity(world, p[i]);
            double m[3] = {mass[i] * (double)v.x, mass[i] * (double)v.y, mass[i] * (double)v.z};
            double at[3] = {(double)x[i].x, (double)x[i].y, (double)x[i].z};
            for (uint32_t k = 0; k < 3; ++k) {
                linear[k] += m[k];
                angular[k] += at[(k + 1) % 3] * m[(k + 2) % 3] - at[(k + 2) % 3] * m[(k + 1) % 3];
                size += fabs(m[k]);
            }
        }
        for (uint32_t k = 0; k < 3; ++k) {
            assert_close(linear[k], 0, SUPPORT_ROUND_OFF * size);
            assert_close(angular[k], 0, SUPPORT_ROUND_OFF * size);
        }
        sn_world_destroy(world);
    }
}

static void bad_limits_are_refused(void **state)
{
    (void)state;
    elbow e = make_elbow(support_world(), 1);
    sn_point a = sn_at(e.a), b = sn_at(e.b), c = sn_at(e.c);
    e.joint = sn_constraint_add_angle(e.world, a, b, c, 1);
    assert_false(sn_constraint_is_valid(e.world, sn_constraint_add_angle(e.world, a, b, c, real(-0.1))));
    assert_false(sn_constraint_is_valid(e.world, sn_constraint_add_angle_max(e.world, a, b, c, real(3.2))));
    assert_false(sn_constraint_is_valid(e.world, sn_constraint_add_hinge(e.world, a, b, c, vec(0, 0, 0), 1)));
    assert_says(sn_world_error(e.world), "axis direction");
    assert_false(
        sn_constraint_is_valid(e.world, sn_constraint_add_hinge_band(e.world, a, b, c, vec(0, 0, 1), 1, real(0.5))));
    assert_says(sn_world_error(e.world), "least most");
    finish(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angle_gradients),
        cmocka_unit_test(angle_gradients_near_straight),
        cmocka_unit_test(hinge_gradients),
        cmocka_unit_test(hinge_points_gradients),
        cmocka_unit_test(straight_is_zero),
        cmocka_unit_test(reaches_its_angle),
        cmocka_unit_test(limits_hold_one_side),
        cmocka_unit_test(straight_joints_are_not_stuck),
        cmocka_unit_test(straight_joints_that_should_be_rest),
        cmocka_unit_test(coinciding_points_rest),
        cmocka_unit_test(hinge_takes_the_short_way),
        cmocka_unit_test(hinge_limits_return_the_short_way),
        cmocka_unit_test(single_hinge_limits),
        cmocka_unit_test(hinge_along_its_axis_rests),
        cmocka_unit_test(hinge_measures_its_axis),
        cmocka_unit_test(elbow_of_a_tumbling_figure),
        cmocka_unit_test(hinge_points_keep_momenta),
        cmocka_unit_test(bad_limits_are_refused),
    };
    return cmocka_run_group_tests_name("angles", tests, NULL, NULL);
}
