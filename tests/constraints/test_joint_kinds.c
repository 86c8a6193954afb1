/* Every kind of the table that looks at the axes of its points, and so takes bodies: what test_kinds*.c does for the
   others. A kind is tested here the day it joins the table. */
#include "joint_cases.h"

/* a tolerance in the float build, and in the double build */
#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))

typedef void kind_test(uint32_t number, int variant);

static void for_every_kind(kind_test *test)
{
    uint32_t tried = 0;
    for (uint32_t number = 1; number < sn_kind_count(NULL); ++number)
        if (sn_kind_info(NULL, number)->oriented) {
            for (int variant = 0; variant < JOINT_VARIANTS; ++variant)
                test(number, variant);
            ++tried;
        }
    assert_true(tried >= 13);
}

/* ---- The function ----------------------------------------------------------------------------------------------- */

/* Moves coordinate n of a state: of positions first, then turns about the axes of the world. */
static joint_state moved(const joint_state *s, uint32_t n, double by)
{
    joint_state m = *s;
    uint32_t point = n / 3 % s->kind->points, axis = n % 3;
    if (n < 3 * s->kind->points)
        (&m.x[point].x)[axis] += real(by);
    else
        m.q[point] = sn_quat_rotated(m.q[point], vec(axis == 0 ? by : 0, axis == 1 ? by : 0, axis == 2 ? by : 0));
    return m;
}

static double difference(const joint_state *s, uint32_t n, uint32_t row, double step)
{
    joint_state up = moved(s, n, step), down = moved(s, n, -step);
    joint_value a, b;
    assert_true(joint_evaluate(&up, &a) && joint_evaluate(&down, &b));
    return ((double)a.c[row] - (double)b.c[row]) / (2 * step);
}

/* Whether a row is a function of the state: what is asked of a rate alone need not be, such as the spin of a wheel, and
   rows of a cone that are seen along a swing count this as fixed. */
static bool has_slope(const joint_state *s, const joint_value *v, uint32_t row, int variant)
{
    if (v->row[row].type == SN_ROW_RATE)
        return false;
    bool any = false;
    for (uint32_t i = 0; i < s->kind->points; ++i)
        any = any || support_gap(v->gradient[row * s->kind->points + i], vec(0, 0, 0)) > 0 ||
              support_gap(v->turn[row * s->kind->points + i], vec(0, 0, 0)) > 0;
    return any && !(s->number == SN_KIND_JOINT_CONE_TWIST && row == 5 && variant == JOINT_LIMITS) &&
           !(s->number == SN_KIND_JOINT_WHEEL && row == 5);
}

static void check_slopes(uint32_t number, int variant)
{
    uint64_t seed = 77 + number;
    for (uint32_t n = 0; n < 30; ++n) {
        double size = n % 3 == 0 ? 1e-2 : 1, step = EXACTNESS(1e-2, 1e-4), angle = n % 2 ? 0.01 : 2.5;
        joint_state s = joint_random_state(number, &seed, size, angle),
                    other = joint_random_state(number, &seed, size, angle);
        joint_value v;
        joint_give_params(n % 4 < 2 ? &s : &other, variant, &seed);
        memcpy(s.param, n % 4 < 2 ? s.param : other.param, sizeof s.param);
        assert_true(joint_evaluate(&s, &v));
        for (uint32_t row = 0; row < s.kind->rows; ++row)
            for (uint32_t k = 0; k < 6 * s.kind->points && has_slope(&s, &v, row, variant); ++k) {
                uint32_t at = row * s.kind->points + k / 3 % s.kind->points;
                sn_vec3 given = k < 3 * s.kind->points ? v.gradient[at] : v.turn[at];
                double near = difference(&s, k, row, step), far = difference(&s, k, row, 2 * step);
                double slope = (4 * near - far) / 3, doubt = 2 * fabs(near - far);
                if (doubt > 0.02)
                    continue; /* a kink */
                double got = (double)(&given.x)[k % 3];
                if (fabs(got - slope) > EXACTNESS(2e-4, 1e-9) + 0.02 * doubt)
                    fail_msg("%s, variant %d: row %u by coordinate %u is %.9g, by differences %.9g", s.kind->name,
                             variant, row, k, got, slope);
            }
    }
}

static void gradients_are_slopes(void **unused)
{
    (void)unused;
    for_every_kind(check_slopes);
}

/* Nothing changes when everything is moved or turned: forces sum to zero, and torques, too. */
static void check_balance(uint32_t number, int variant)
{
    uint64_t seed = 5 + number;
    for (uint32_t n = 0; n < 30; ++n) {
        joint_state s = joint_random_state(number, &seed, 1, 2.5);
        joint_value v;
        joint_give_params(&s, variant, &seed);
        assert_true(s.kind->internal && joint_evaluate(&s, &v));
        for (uint32_t row = 0; row < s.kind->rows; ++row) {
            double sum[3] = {0}, torque[3] = {0};
            for (uint32_t i = 0; i < s.kind->points; ++i) {
                sn_vec3 g = v.gradient[row * s.kind->points + i], t = v.turn[row * s.kind->points + i], x = s.x[i];
                sum[0] += (double)g.x, sum[1] += (double)g.y, sum[2] += (double)g.z;
                torque[0] += (double)t.x + (double)x.y * (double)g.z - (double)x.z * (double)g.y;
                torque[1] += (double)t.y + (double)x.z * (double)g.x - (double)x.x * (double)g.z;
                torque[2] += (double)t.z + (double)x.x * (double)g.y - (double)x.y * (double)g.x;
            }
            for (uint32_t k = 0; k < 3; ++k) {
                assert_close(sum[k], 0, EXACTNESS(1e-6, 1e-15));
                assert_close(torque[k], 0, EXACTNESS(2e-6, 4e-15));
            }
        }
    }
}

static void gradients_balance(void **unused)
{
    (void)unused;
    for_every_kind(check_balance);
}

static bool row_is_finite(const sn_row *row)
{
    return isfinite(row->compliance) && isfinite(row->damping) && isfinite(row->rate) && isfinite(row->most) &&
           !isnan(row->low) && !isnan(row->high) && row->low <= row->high;
}

/* In one place, aligned exactly, the other way round, half turned about each axis: numbers, and the same ones twice. */
static void check_degenerate(uint32_t number, int variant)
{
    static const double turns[][3] = {
        {0, 0, 0},          {3.14159265358979, 0, 0}, {0, 3.14159265358979, 0}, {0, 0, 3.141592653589793},
        {1e-9, 1e-9, 1e-9}, {3.1415926, 1e-7, 0}};
    uint64_t seed = 3;
    for (size_t t = 0; t < COUNT_OF(turns); ++t)
        for (int apart = 0; apart < 2; ++apart) {
            joint_state s = joint_random_state(number, &seed, 1, 0);
            joint_value v, again;
            for (uint32_t i = 0; i < s.kind->points; ++i)
                s.x[i] = apart ? s.x[i] : s.x[0];
            s.q[0] = (sn_quat){0, 0, 0, 1};
            s.q[1] = sn_quat_rotated(s.q[0], vec(turns[t][0], turns[t][1], turns[t][2]));
            joint_give_params(&s, variant, &seed);
            if (!joint_evaluate(&s, &v))
                continue;
            assert_true(joint_evaluate(&s, &again));
            assert_memory_equal(&v, &again, sizeof v);
            for (uint32_t row = 0; row < s.kind->rows; ++row)
                assert_true(isfinite(v.c[row]) && row_is_finite(&v.row[row]));
            for (uint32_t i = 0; i < s.kind->rows * s.kind->points; ++i)
                assert_true(support_is_finite(v.gradient[i]) && support_is_finite(v.turn[i]));
        }
}

static void degenerate_states_give_no_nan(void **unused)
{
    (void)unused;
    for_every_kind(check_degenerate);
}

/* ---- In a world ------------------------------------------------------------------------------------------------- */

/* Bodies of all sizes that fly about, each joined to the one before, and one joined to the world if `held`. */
typedef struct chain {
    sn_world *world;
    sn_body body[4];
    sn_constraint joint[4];
    uint32_t count;
} chain;

static chain make_chain(uint32_t number, int variant, int solver, bool held)
{
    uint64_t seed = 100 + number;
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.solver = solver;
    chain c = {.world = support_world_from(&def)};
    for (uint32_t i = 0; i < COUNT_OF(c.body); ++i) {
        sn_body_def body = sn_default_body_def(); /* without a shape: nothing collides */
        body.position = vec(0.8 * i, 0, 0);
        body.mass = real(support_random_in(&seed, 2, 10));
        body.moments = vec(support_random_in(&seed, 0.2, 0.3), support_random_in(&seed, 0.2, 0.3), 0.3);
        body.velocity = joint_random_vector(&seed, 0.3);
        body.spin = joint_random_vector(&seed, 0.5);
        assert_ok(c.world, sn_body_add(c.world, &body, &c.body[i]));
    }
    joint_state s = {.kind = sn_kind_info(NULL, number), .number = number};
    for (uint32_t i = 0; i < s.kind->points; ++i) /* two and two have the same axes */
        s.q[i] = i % 2 ? s.q[i - 1] : sn_quat_rotated((sn_quat){0, 0, 0, 1}, joint_random_vector(&seed, 1));
    joint_give_params(&s, variant, &seed);
    for (uint32_t i = held ? 0 : 1; i < COUNT_OF(c.body); ++i) {
        sn_constraint_def joint = sn_default_constraint_def(number);
        sn_point points[SN_MAX_POINTS];
        for (uint32_t k = 0; k < s.kind->points; ++k)
            points[k] = k % 2 ? sn_on_body_turned(c.body[i], vec(-0.4, 0, 0), s.q[k])
                        : i   ? sn_on_body_turned(c.body[i - 1], vec(0.4, 0, 0), s.q[k])
                              : sn_at_place_turned(vec(-0.4, 0, 0), s.q[k]);
        joint.points = points;
        memcpy(joint.param, s.param, sizeof joint.param);
        assert_ok(c.world, sn_constraint_add(c.world, &joint, &c.joint[c.count++]));
    }
    return c;
}

static void configure(const chain *c, sn_gradients gradients, uint32_t iterations)
{
    sn_settings settings = sn_world_settings(c->world);
    settings.gradients = gradients;
    settings.iterations = iterations;
    assert_ok(c->world, sn_world_configure(c->world, &settings));
}

/* Momentum and angular momentum of bodies that nothing else acts on. With gradients at the start of a substep both are
   kept, with those as it ends angular momentum to first order. Trees that are solved directly, as chains of fixed
   joints are, move places themselves, without the remainders of rounding: a last place of 3 m is 2.4e-7 m, or 1.4e-4
   m/s in a substep. */
static void check_momentum(uint32_t number, int variant)
{
    static const int solvers[] = {SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_TILED};
    for (uint32_t i = 0; i < 4; ++i) {
        chain c = make_chain(number, variant, solvers[i % 2], false);
        sn_report before, after;
        configure(&c, i < 2 ? SN_GRADIENTS_CURRENT : SN_GRADIENTS_START, 1);
        assert_ok(c.world, sn_world_report(c.world, &before));
        support_run(c.world, support_long(60, 30), 1.0 / 60);
        assert_ok(c.world, sn_world_report(c.world, &after));
        for (int k = 0; k < 3; ++k) {
            assert_close(after.momentum[k], before.momentum[k], EXACTNESS(2e-5, 1e-12) * before.mass);
            double off = fabs(after.angular_momentum[k] - before.angular_momentum[k]) / before.mass;
            if (off > (i < 2 ? 1e-3 : EXACTNESS(i == 3 ? 1e-4 : 2e-5, 1e-12)))
                fail_msg("%s, variant %d, solver %d: angular momentum %d off by %g", sn_kind_info(NULL, number)->name,
                         variant, solvers[i % 2], k, off);
        }
        sn_world_destroy(c.world);
    }
}

static void momentum_is_conserved(void **unused)
{
    (void)unused;
    for_every_kind(check_momentum);
}

/* What holds, holds: within a third of a millimetre or milliradian, also where limits are met. */
static void check_holding(uint32_t number, int variant)
{
    for (int held = 0; held < 2; ++held) {
        chain c = make_chain(number, variant, held ? SN_SOLVER_TILED : SN_SOLVER_GAUSS_SEIDEL, held);
        double worst = 0;
        configure(&c, SN_GRADIENTS_CURRENT, 10);
        for (uint32_t frame = 0; frame < support_long(60, 20); ++frame) {
            sn_report report;
            support_run(c.world, 1, 1.0 / 60);
            assert_ok(c.world, sn_world_report(c.world, &report));
            if (frame >= 10) /* the velocities that they begin with tear at them */
                worst = fmax(worst, (double)sn_report_kind(&report, number)->largest);
        }
        if (worst > 3e-4)
            fail_msg("%s, variant %d: missed by %g", sn_kind_info(NULL, number)->name, variant, worst);
        sn_world_destroy(c.world);
    }
}

static void chains_hold(void **unused)
{
    (void)unused;
    for_every_kind(check_holding);
}

/* Read back, it is the same constraint; a snapshot repeats; the hash sees every number. */
static void check_citizenship(uint32_t number, int variant)
{
    chain c = make_chain(number, variant, SN_SOLVER_TILED, true),
          twin = make_chain(number, variant, SN_SOLVER_TILED, true);
    const sn_kind *kind = sn_kind_info(NULL, number);
    sn_constraint_def def;
    sn_point points[SN_MAX_POINTS];
    assert_ok(c.world, sn_constraint_read(c.world, c.joint[2], &def, points, SN_MAX_POINTS));
    assert_ok(c.world, sn_constraint_change(c.world, c.joint[2], &def));
    support_run(c.world, 3, 1.0 / 60);
    support_run(twin.world, 3, 1.0 / 60);
    for (uint32_t i = 0; i < COUNT_OF(c.body); ++i)
        assert_vec_close(sn_body_position(c.world, c.body[i]), sn_body_position(twin.world, twin.body[i]),
                         EXACTNESS(2e-6, 1e-14)); /* the frames of points are rounded once more */
    uint64_t hash = sn_world_hash(c.world);
    sn_snapshot *snapshot = sn_world_save(c.world);
    assert_non_null(snapshot);
    support_run(c.world, 5, 1.0 / 60);
    uint64_t later = sn_world_hash(c.world);
    assert_ok(c.world, sn_world_load(c.world, snapshot));
    assert_true(sn_world_hash(c.world) == hash);
    support_run(c.world, 5, 1.0 / 60);
    assert_true(sn_world_hash(c.world) == later);
    sn_snapshot_destroy(snapshot);
    for (const sn_param *p = kind->param; p->name; ++p) {
        uint32_t width = p->type == SN_PARAM_REAL ? 1 : 3;
        sn_real bad[3] = {(sn_real)NAN, (sn_real)NAN, (sn_real)NAN};
        hash = sn_world_hash(c.world);
        assert_result(c.world, SN_ERROR_ARGUMENT, sn_constraint_set_param(c.world, c.joint[1], p->name, bad, width));
        assert_says(sn_world_error(c.world), p->name);
        assert_true(sn_world_hash(c.world) == hash);
        sn_real good[3] = {real(0.0625), real(0.0625), real(0.0625)};
        if (sn_constraint_set_param(c.world, c.joint[1], p->name, good, width) == SN_OK)
            assert_true(sn_world_hash(c.world) != hash);
    }
    sn_world_destroy(c.world);
    sn_world_destroy(twin.world);
}

static void they_are_citizens(void **unused)
{
    (void)unused;
    for_every_kind(check_citizenship);
}

/* Particles have no axes, and two places nothing to move. */
static void check_refusals(uint32_t number, int variant)
{
    (void)variant;
    chain c = make_chain(number, JOINT_PLAIN, SN_SOLVER_TILED, true);
    sn_constraint_def def;
    sn_point points[SN_MAX_POINTS];
    assert_ok(c.world, sn_constraint_read(c.world, c.joint[2], &def, points, SN_MAX_POINTS));
    uint64_t hash = sn_world_hash(c.world);
    points[0] = sn_at(sn_body_particle(c.world, c.body[0]));
    assert_result(c.world, SN_ERROR_ARGUMENT, sn_constraint_add(c.world, &def, NULL));
    assert_says(sn_world_error(c.world), "axes");
    for (uint32_t i = 0; i < sn_kind_info(NULL, number)->points; ++i)
        points[i] = sn_at_place(vec(0, 0, 0));
    assert_result(c.world, SN_ERROR_ARGUMENT, sn_constraint_add(c.world, &def, NULL));
    assert_says(sn_world_error(c.world), "places");
    points[1] = sn_on_body(c.body[1], vec(0, 0, 0));
    points[0] = sn_at_place_turned(vec(0, 0, 0), (sn_quat){0, 0, 0, 0});
    assert_result(c.world, SN_ERROR_ARGUMENT, sn_constraint_add(c.world, &def, NULL));
    assert_says(sn_world_error(c.world), "turn");
    assert_true(sn_world_hash(c.world) == hash);
    assert_ok(c.world, sn_body_remove(c.world, c.body[1]));
    assert_int_equal(sn_world_constraint_count(c.world, number), c.count - 2);
    sn_world_destroy(c.world);
}

static void bad_points_are_refused(void **unused)
{
    (void)unused;
    for_every_kind(check_refusals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(gradients_balance),
        cmocka_unit_test(degenerate_states_give_no_nan),
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(chains_hold),
        cmocka_unit_test(they_are_citizens),
        cmocka_unit_test(bad_points_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
