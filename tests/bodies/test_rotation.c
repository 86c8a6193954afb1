/* Free rotation: what it keeps, what it is exact for, how fast its error falls, and the arithmetic around it. */
#include "support/support.h"

#include "base/math.h"
#include "bodies/rotation.h"
#include "bodies/turning.h"
#include "wide/wide.h"

typedef struct top {
    double q[4], l[3], moment[3], inverse[3];
} top;

static double length(const double *a, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += a[i] * a[i];
    return sqrt(sum);
}

static double apart(const double *a, const double *b, int count)
{
    double d[4];
    for (int i = 0; i < count; ++i)
        d[i] = a[i] - b[i];
    return length(d, count);
}

/* Orientations, of which q and -q are one. */
static double turned_apart(const double a[4], const double b[4])
{
    const double other[4] = {-b[0], -b[1], -b[2], -b[3]};
    return fmin(apart(a, b, 4), apart(a, other, 4));
}

/* A body with angular velocity given along its own axes. */
static top make(double a, double b, double c, const double q[4], const double own[3])
{
    top t = {.moment = {a, b, c}, .inverse = {1 / a, 1 / b, 1 / c}};
    memcpy(t.q, q, sizeof t.q);
    sn_rotate_normalise(t.q);
    double omega[3];
    sn_rotate_vector(t.q, own, omega);
    sn_rotate_momentum(t.q, omega, t.moment, t.l);
    return t;
}

static void own_velocity(const top *t, double own[3])
{
    double omega[3];
    sn_rotate_velocity(t->q, t->l, t->inverse, omega);
    sn_rotate_vector_back(t->q, omega, own);
}

static double energy(const top *t)
{
    return sn_rotate_energy(t->q, t->l, t->inverse);
}

static void advance(top *t, double h, int steps)
{
    const double kept[3] = {t->l[0], t->l[1], t->l[2]};
    for (int i = 0; i < steps; ++i) {
        sn_rotate_free(t->q, t->l, t->inverse, h);
        assert_close(length(t->q, 4), 1, 4e-15);
    }
    assert_memory_equal(kept, t->l, sizeof kept);
}

static void random_turn(uint64_t *seed, double q[4])
{
    do
        for (int i = 0; i < 4; ++i)
            q[i] = support_random_in(seed, -1, 1);
    while (length(q, 4) < 0.1);
    sn_rotate_normalise(q);
}

/* Moments that a body can have. */
static top random_top(uint64_t *seed, double rate)
{
    double part[3], q[4], own[3]; /* the integrals of x^2, y^2, z^2 */
    for (int i = 0; i < 3; ++i) {
        part[i] = support_random_in(seed, 0.02, 1);
        own[i] = rate * support_random_in(seed, -1, 1);
    }
    random_turn(seed, q);
    return make(part[1] + part[2], part[0] + part[2], part[0] + part[1], q, own);
}

/* dq/dt = q (own, 0) / 2 with I d(own)/dt = (I own) x own: Euler's equations, by the classical Runge-Kutta method, as
   something that has nothing in common with what is tested. */
static void slope(const double y[7], const double moment[3], double f[7])
{
    const double *w = &y[4], x = y[0], v = y[1], z = y[2], r = y[3];
    f[0] = (r * w[0] + v * w[2] - z * w[1]) / 2;
    f[1] = (r * w[1] + z * w[0] - x * w[2]) / 2;
    f[2] = (r * w[2] + x * w[1] - v * w[0]) / 2;
    f[3] = -(x * w[0] + v * w[1] + z * w[2]) / 2;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        f[4 + i] = (moment[j] - moment[k]) * w[j] * w[k] / moment[i];
    }
}

static void reference(const top *t, double time, int steps, double q[4])
{
    double y[7], f[4][7], at[7], h = time / steps;
    memcpy(y, t->q, sizeof t->q);
    own_velocity(t, &y[4]);
    for (int n = 0; n < steps; ++n) {
        static const double share[4] = {0, 0.5, 0.5, 1};
        for (int k = 0; k < 4; ++k) {
            for (int i = 0; i < 7; ++i)
                at[i] = y[i] + (k ? h * share[k] * f[k - 1][i] : 0);
            slope(at, t->moment, f[k]);
        }
        for (int i = 0; i < 7; ++i)
            y[i] += h / 6 * (f[0][i] + 2 * f[1][i] + 2 * f[2][i] + f[3][i]);
    }
    memcpy(q, y, 4 * sizeof *q);
    sn_rotate_normalise(q);
}

static const double upright[4] = {0, 0, 0, 1};

/* ---- Physics ----------------------------------------------------------------------------------------------------- */

/* The body that turns over (VALIDATION 17): about its middle axis, disturbed. */
static void test_turning_over(void **state)
{
    (void)state;
    const double own[3] = {0.01, 5, 0.01}, h = 1.0 / 600;
    top t = make(1, 2, 3, upright, own);
    double start = energy(&t), last = 5, when[8];
    int turns = 0;
    for (int i = 1; i <= 12000; ++i) {
        double now[3];
        advance(&t, h, 1);
        own_velocity(&t, now);
        if ((now[1] < 0) != (last < 0)) {
            assert_true(turns < 8);
            when[turns++] = h * (i - 1 + last / (last - now[1]));
        }
        last = now[1];
        assert_close(energy(&t) / start, 1, 1e-5);
    }
    assert_int_equal(turns, 4);
    assert_close(when[0], 2.741068, 1e-5);
    for (int i = 1; i < turns; ++i)
        assert_close(when[i] - when[i - 1], 5.025929, 1e-5);
}

static void test_against_euler(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int n = 0; n < 20; ++n) {
        top t = random_top(&seed, 3);
        double q[4];
        reference(&t, 1, 4000, q);
        advance(&t, 1.0 / 2000, 2000);
        assert_true(turned_apart(t.q, q) < 1e-6);
    }
}

/* Half the step, a quarter of the error: of the orientation and of the energy. */
static void test_second_order(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int n = 0; n < 10; ++n) {
        const top start = random_top(&seed, 2);
        double exact[4], place[2], swing[2] = {0};
        reference(&start, 1, 10000, exact);
        for (int k = 0; k < 2; ++k) {
            top t = start;
            int steps = 100 << k;
            for (int i = 0; i < steps; ++i) {
                advance(&t, 1.0 / steps, 1);
                swing[k] = fmax(swing[k], fabs(energy(&t) / energy(&start) - 1));
            }
            place[k] = turned_apart(t.q, exact);
        }
        assert_true(place[0] > 1e-10 && swing[0] > 1e-12); /* there is something to fall */
        assert_close(place[0] / place[1], 4, 0.1);
        assert_close(swing[0] / swing[1], 4, 0.1);
    }
}

/* In the frame of a top with moments a, a, c its angular velocity goes round its axis at the rate (c - a)/a own_z, and
   the axis goes round the momentum at the rate |l| / a. In a few huge steps as well as in many. */
static void check_symmetric(int axis, double a, double c, double h, int steps)
{
    double moment[3] = {a, a, a}, own[3], now[3], q[4] = {0.1, -0.5, 0.3, 0.8};
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    moment[axis] = c;
    own[axis] = 7;
    own[j] = 2;
    own[k] = 0;
    top t = make(moment[0], moment[1], moment[2], q, own);
    double unit[3] = {axis == 0, axis == 1, axis == 2}, before[3], after[3], l = length(t.l, 3), along = 0;
    sn_rotate_vector(t.q, unit, before);
    advance(&t, h, steps);
    sn_rotate_vector(t.q, unit, after);
    own_velocity(&t, now);

    double time = h * steps, angle = (c - a) / a * 7 * time;
    assert_close(now[axis], 7, 1e-12 * steps);
    assert_close(now[j], 2 * cos(angle), 1e-12 * steps);
    assert_close(now[k], 2 * sin(angle), 1e-12 * steps);
    const double n[3] = {t.l[0] / l, t.l[1] / l, t.l[2] / l};
    for (int i = 0; i < 3; ++i)
        along += n[i] * before[i];
    double s = sin(l / a * time), round = cos(l / a * time);
    for (int i = 0; i < 3; ++i) { /* turned about n by that angle (Rodrigues) */
        double cross = n[(i + 1) % 3] * before[(i + 2) % 3] - n[(i + 2) % 3] * before[(i + 1) % 3];
        assert_close(after[i], before[i] * round + cross * s + n[i] * along * (1 - round), 1e-12 * steps);
    }
}

static void test_symmetric_top(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; ++axis) {
        check_symmetric(axis, 1, 1.9, 1.0 / 60, 300);
        check_symmetric(axis, 1, 0.2, 1.0 / 60, 300);
        check_symmetric(axis, 1, 0.2, 5, 1);
        check_symmetric(axis, 3, 5.5, -2.5, 2);
    }
}

static void test_sphere(void **state)
{
    (void)state;
    const double own[3] = {30, -10, 20}, q[4] = {0.5, 0.1, -0.7, 0.2};
    top t = make(0.4, 0.4, 0.4, q, own);
    double omega[3], now[3], rate = length(own, 3), v[3] = {1, 2, 3}, before[3], after[3], along = 0;
    sn_rotate_velocity(t.q, t.l, t.inverse, omega);
    sn_rotate_vector(t.q, v, before);
    advance(&t, 3, 1);
    sn_rotate_velocity(t.q, t.l, t.inverse, now);
    assert_true(apart(omega, now, 3) < 1e-12);
    sn_rotate_vector(t.q, v, after);
    for (int i = 0; i < 3; ++i)
        along += omega[i] / rate * before[i];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double cross = (omega[j] * before[k] - omega[k] * before[j]) / rate, c = cos(3 * rate);
        assert_close(after[i], before[i] * c + cross * sin(3 * rate) + omega[i] / rate * along * (1 - c), 1e-11);
    }
}

static void test_back_again(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int n = 0; n < 200; ++n) {
        top t = random_top(&seed, n % 2 ? 100 : 5);
        const top start = t;
        double h = support_random_in(&seed, 0, 0.05);
        advance(&t, h, 20);
        assert_true(turned_apart(t.q, start.q) > 1e-6);
        advance(&t, -h, 20);
        assert_true(turned_apart(t.q, start.q) < 1e-12);
    }
}

/* 100 rad/s and more at 600 steps a second: the energy swings little, and does not go anywhere. */
static void test_fast(void **state)
{
    (void)state;
    static const struct {
        double rate, h, swing;
    } cases[] = {{100, 1.0 / 600, 1e-3}, {1000, 1.0 / 600, 3e-3}, {3000, 1.0 / 600, 3e-3}, {100, 1.0 / 60, 3e-3}};
    uint64_t seed = 6;
    for (size_t c = 0; c < COUNT_OF(cases); ++c)
        for (int n = 0; n < 20; ++n) {
            top t = random_top(&seed, 1);
            double rate = length(t.l, 3) * fmax(fmax(t.inverse[0], t.inverse[1]), t.inverse[2]);
            for (int i = 0; i < 3; ++i)
                t.l[i] *= cases[c].rate / rate;
            double start = energy(&t), early = 0, late = 0;
            for (int i = 0; i < 1200; ++i) {
                advance(&t, cases[c].h, 1);
                double off = fabs(energy(&t) / start - 1);
                early = i < 600 ? fmax(early, off) : early;
                late = i >= 600 ? fmax(late, off) : late;
            }
            assert_true(early < cases[c].swing && late < cases[c].swing);
        }
}

/* A fast step is as good as its parts taken one by one: the place is right, not the energy alone. */
static void test_fast_place(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int n = 0; n < 20; ++n) {
        top t = random_top(&seed, 50);
        double q[4];
        reference(&t, 0.1, 4000, q);
        advance(&t, 1.0 / 600, 60);
        assert_true(turned_apart(t.q, q) < 1e-3);
    }
}

/* Whatever it is given: an orientation of length 1, energy within its bounds, and an end. */
static void test_beyond_all(void **state)
{
    (void)state;
    const double own[3] = {1e5, 2e5, 3e5}, huge[3] = {1e308, 1e308, 1e308}, bad[3] = {1, NAN, 0};
    top t = make(1, 2, 2.5, upright, own);
    advance(&t, 1, 3);
    double l = length(t.l, 3);
    assert_true(energy(&t) >= l * l / 5 * (1 - 1e-12) && energy(&t) <= l * l / 2 * (1 + 1e-12));
    double q[4] = {0, 0, 0, 1};
    sn_rotate_free(q, huge, t.inverse, 1e300);
    assert_false(q[3] == q[3]);
    double again[4] = {0, 0, 0, 1};
    sn_rotate_free(again, bad, t.inverse, 0.1);
    assert_false(again[3] == again[3]);
}

/* ---- Bodies that do not turn about an axis ------------------------------------------------------------------------- */

static void test_about_z_only(void **state)
{
    (void)state;
    const double inverse[3] = {0, 0, 2}, l[3] = {3, -4, 0.5};
    double q[4] = {0, 0, 0, 1}, omega[3];
    for (int i = 0; i < 100; ++i) {
        sn_rotate_free(q, l, inverse, 0.01);
        assert_true(q[0] == 0 && q[1] == 0);
        assert_close(2 * math_atan2(q[2], q[3]), 0.01 * (i + 1), 1e-14 * (i + 1));
    }
    sn_rotate_velocity(q, l, inverse, omega);
    assert_true(omega[0] == 0 && omega[1] == 0);
    assert_close(omega[2], 1, 1e-15);

    const double none[3] = {0, 0, 0}, moment[3] = {0, 0, 0.5}, spin[3] = {1, 2, 3};
    double kept[4] = {0.1, 0.2, 0.3, sqrt(0.86)}, still[4], taken[3];
    memcpy(still, kept, sizeof kept);
    sn_rotate_free(still, l, none, 1);
    assert_memory_equal(still, kept, sizeof kept);
    sn_rotate_momentum(upright, spin, moment, taken);
    assert_true(taken[0] == 0 && taken[1] == 0 && taken[2] == 1.5);
}

static void test_at_rest(void **state)
{
    (void)state;
    uint64_t seed = 8;
    const double none[3] = {0, 0, 0}, inverse[3] = {1, 2, 3};
    for (int n = 0; n < 1000; ++n) {
        double q[4], kept[4];
        random_turn(&seed, q);
        memcpy(kept, q, sizeof q);
        sn_rotate_free(q, none, inverse, 0.01);
        assert_memory_equal(q, kept, sizeof q);
    }
}

/* ---- Arithmetic ---------------------------------------------------------------------------------------------------- */

static void test_arithmetic(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int n = 0; n < 1000; ++n) {
        top t = random_top(&seed, 4);
        double v[3], w[3], matrix[3][3], omega[3], l[3];
        for (int i = 0; i < 3; ++i)
            v[i] = support_random_in(&seed, -1, 1);
        sn_rotate_vector(t.q, v, w);
        sn_rotate_matrix(t.q, matrix);
        for (int i = 0; i < 3; ++i) {
            assert_close(matrix[i][0] * v[0] + matrix[i][1] * v[1] + matrix[i][2] * v[2], w[i], 4e-15);
            sn_rotate_axis(t.q, i, l);
            assert_true(l[0] == matrix[0][i] && l[1] == matrix[1][i] && l[2] == matrix[2][i]);
        }
        sn_rotate_vector_back(t.q, w, w);
        assert_true(apart(v, w, 3) < 4e-15);

        sn_rotate_velocity(t.q, t.l, t.inverse, omega);
        sn_rotate_momentum(t.q, omega, t.moment, l);
        assert_true(apart(l, t.l, 3) < 1e-13);
        assert_close(energy(&t), (omega[0] * l[0] + omega[1] * l[1] + omega[2] * l[2]) / 2, 1e-12);
    }
    const double along_x[3] = {1, 0, 0}, quarter[4] = {0, 0, sqrt(0.5), sqrt(0.5)};
    double to[3];
    sn_rotate_vector(quarter, along_x, to);
    assert_close(to[1], 1, 1e-15);
    double nothing[4] = {0, 0, 0, 0};
    sn_rotate_normalise(nothing);
    assert_memory_equal(nothing, upright, sizeof nothing);
}

/* By 2 atan |a|, about a as the body sees it. */
static void test_rotate_by(void **state)
{
    (void)state;
    uint64_t seed = 10;
    for (int n = 0; n < 1000; ++n) {
        double q[4], before[4], a[3], v[3] = {0.3, -0.4, 1}, own[3], world[3], expected[3], size = n % 2 ? 1 : 1e-9;
        random_turn(&seed, q);
        memcpy(before, q, sizeof q);
        for (int i = 0; i < 3; ++i)
            a[i] = size * support_random_in(&seed, -1, 1);
        double r = length(a, 3), angle = 2 * atan(r), along = (a[0] * v[0] + a[1] * v[1] + a[2] * v[2]) / (r * r);
        for (int i = 0; i < 3; ++i) {
            double cross = (a[(i + 1) % 3] * v[(i + 2) % 3] - a[(i + 2) % 3] * v[(i + 1) % 3]) / r;
            own[i] = v[i] * cos(angle) + cross * sin(angle) + a[i] * along * (1 - cos(angle));
        }
        sn_rotate_vector(before, own, expected);
        sn_rotate_by(q, a);
        assert_close(length(q, 4), 1, 2e-15);
        sn_rotate_vector(q, v, world);
        assert_true(apart(world, expected, 3) < 1e-14);
    }
}

/* Bodies of all sorts, side by side in lanes, and what is made of them. */
typedef struct crowd {
    sn_body_state body[SN_TURN_BATCH];
    sn_body_motion motion[SN_TURN_BATCH];
    double inverse[SN_TURN_BATCH][3];
    sn_vec4 turn[SN_TURN_BATCH], record[SN_TURN_BATCH][4];
    sn_quat start[SN_TURN_BATCH], now[SN_TURN_BATCH];
    sn_vec4 v[SN_TURN_BATCH];
    sn_articulated jointed[SN_TURN_BATCH];
    uint32_t turned;
} crowd;

/* Balls, bodies that look alike around each of their axes, any, and some at rest or very fast. */
static void fill_crowd(crowd *c, uint64_t *seed)
{
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < SN_TURN_BATCH; ++i) {
        const uint32_t odd = (uint32_t)support_random_in(seed, 0, 4.999);
        const double alike = support_random_in(seed, 0.1, 1), fast = support_random_in(seed, 0, 4);
        random_turn(seed, c->body[i].q);
        for (uint32_t k = 0; k < 3; ++k) {
            c->body[i].k[k] = odd == SN_ALL_ALIKE || (odd < 3 && k != odd) ? alike : support_random_in(seed, 0.1, 1);
            c->inverse[i][k] = 1 / (c->body[i].k[k] * c->body[i].k[k]);
            c->body[i].l[k] = fast < 1 ? 0 : support_random_in(seed, -1, 1) * (fast > 3 ? 100 : 1);
        }
        c->body[i].parts = odd;
        c->jointed[i].w = support_random_in(seed, 0.1, 10);
        c->jointed[i].slot = i;
        c->v[i] = (sn_vec4){(sn_real)support_random_in(seed, -1, 1), (sn_real)0.3, 0, 0};
        for (uint32_t k = 0; k < 3; ++k) {
            c->jointed[i].v[k] = support_random_in(seed, -1, 1);
            c->jointed[i].kick[k] = support_random_in(seed, -0.1, 0.1);
            c->motion[i].l[k] = support_random_in(seed, -1, 1);
        }
    }
}

static void gauge_crowd(crowd *c, sn_energy_fn *measure, uint32_t first, uint32_t count)
{
    static const uint32_t row[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const sn_energy_run run = {
        .row = row + first, .count = count, .state = c->body, .motion = c->motion, .body = c->jointed, .v = c->v};
    measure(&run);
}

/* Of a body that moves with v and l, turned by q. */
static double energy_of_one(const crowd *c, uint32_t i, const double v[3], const double l[3], const double q[4])
{
    const double slow = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
    return (slow + sn_rotate_energy(q, l, c->inverse[i])) / c->jointed[i].w;
}

/* A share of the change adds what its two numbers say. */
static void test_energies(void **state)
{
    (void)state;
    uint64_t seed = 12;
    crowd c;
    for (uint32_t n = 0; n < 100; ++n) {
        fill_crowd(&c, &seed);
        for (uint32_t i = 0; i < SN_TURN_BATCH; ++i)
            random_turn(&seed, c.motion[i].q);
        gauge_crowd(&c, sn_turning_by(0)->energies, 0, SN_TURN_BATCH);
        const crowd before = c;
        for (uint32_t i = 0; i < SN_TURN_BATCH; ++i) {
            const sn_articulated *e = &c.jointed[i];
            const double v[3] = {(double)c.v[i].x, (double)c.v[i].y, (double)c.v[i].z}, s = 0.7;
            double some_v[3], some_l[3], way = 0, kick = 0;
            for (int k = 0; k < 3; ++k) {
                some_v[k] = e->v[k] + s * (v[k] - e->v[k]);
                some_l[k] = c.motion[i].l[k] + s * (c.body[i].l[k] - c.motion[i].l[k]);
                way += e->kick[k] * (v[k] - e->v[k]);
                kick += e->kick[k] * e->kick[k];
            }
            const double most = 1e-12 * (1 + e->present + e->b + e->kinetic);
            assert_close(e->kinetic, energy_of_one(&c, i, v, c.body[i].l, c.body[i].q), most);
            assert_close(e->present, energy_of_one(&c, i, e->v, c.motion[i].l, c.motion[i].q), most);
            assert_close(e->present + e->a * s + e->b * s * s, energy_of_one(&c, i, some_v, some_l, c.motion[i].q),
                         most);
            assert_close(e->ahead, (way + kick) / 2 / e->w, 1e-12);
            assert_close(e->little, SN_SWING_LITTLE / 2 * kick / e->w, 1e-12);
            assert_close(e->due + e->little, e->present + (way + kick / 2) / e->w, most);
        }
        gauge_crowd(&c, sn_turning_by(0)->changed, 0, SN_TURN_BATCH);
        assert_memory_equal(&c, &before, sizeof c); /* nothing has changed */
        for (uint32_t i = 0; i < SN_TURN_BATCH; ++i)
            c.v[i].x = 0;
        gauge_crowd(&c, sn_turning_by(0)->lost, 0, SN_TURN_BATCH);
        for (uint32_t i = 0; i < SN_TURN_BATCH; ++i)
            assert_close(c.body[i].lost, pow((double)before.v[i].x, 2) / 2 / c.jointed[i].w,
                         1e-5 * c.jointed[i].kinetic);
    }
}

static void turn_crowd(crowd *c, const sn_turning *by, uint32_t first, uint32_t count)
{
    sn_turn_batch turns = {.count = count};
    sn_spin_batch spins = {.count = count, .h = 1.0 / 600};
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at = first + i;
        turns.body[i] = spins.body[i] = &c->body[at];
        turns.motion[i] = &c->motion[at];
        turns.l[i] = c->body[at].l;
        turns.turn[i] = &c->turn[at];
        turns.start[i] = spins.start[i] = &c->start[at];
        turns.now[i] = spins.now[i] = &c->now[at];
        turns.h[i] = 1.0 / 600;
        spins.as[i] = c->motion[at].q;
        spins.inverse[i] = c->inverse[at];
        spins.odd[i] = c->body[at].parts;
        spins.w[i] = (sn_real)0.7;
        spins.record[i] = c->record[at];
        spins.gain[i] = (sn_vec4){(sn_real)0.1, (sn_real)-0.2, (sn_real)0.05, 0};
        spins.by[i] = (sn_vec4){(sn_real)0.01, 0, (sn_real)-0.02, 0};
    }
    by->predict(&turns);
    assert_true(by->back(&spins));
    by->weigh(&spins);
    for (uint32_t i = first; i < first + count; ++i) /* as if something else had rotated it */
        c->record[i][2].w += (sn_real)0.1 * (c->record[i][2].w + c->body[i].parts);
    c->turned |= by->weigh_again(&spins) << first;
    assert_true(by->spin(&spins));
    gauge_crowd(c, by->energies, first, count);
    for (uint32_t i = first; i < first + count; ++i)
        c->v[i].y = 0;
    gauge_crowd(c, by->lost, first, count);
    gauge_crowd(c, by->changed, first, count);
}

/* Nothing depends on what is in the other lanes, nor on how many there are: a body alone is turned to the same bits. */
static void test_any_lanes(void **state)
{
    (void)state;
    const sn_wide *const wide[] = {sn_wide_choose(SN_SIMD_4), sn_wide_choose(SN_SIMD_8)};
    uint64_t seed = 11;
    for (uint32_t n = 0; n < 300; ++n) {
        crowd alone, together, whole;
        fill_crowd(&whole, &seed);
        alone = whole;
        for (uint32_t i = 0; i < SN_TURN_BATCH; ++i)
            turn_crowd(&alone, sn_turning_by(0), i, 1);
        assert_memory_not_equal(&alone, &whole, sizeof alone);
        for (uint32_t width = 0; width < 2; ++width) {
            together = whole;
            turn_crowd(&together, sn_turning_by(wide[width] ? wide[width]->vector : 0), 0, SN_TURN_BATCH - n % 3);
            for (uint32_t i = SN_TURN_BATCH - n % 3; i < SN_TURN_BATCH; ++i)
                turn_crowd(&together, sn_turning_by(0), i, 1);
            assert_memory_equal(&together, &alone, sizeof alone);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turning_over),  cmocka_unit_test(test_against_euler), cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_symmetric_top), cmocka_unit_test(test_sphere),        cmocka_unit_test(test_back_again),
        cmocka_unit_test(test_fast),          cmocka_unit_test(test_fast_place),    cmocka_unit_test(test_beyond_all),
        cmocka_unit_test(test_about_z_only),  cmocka_unit_test(test_at_rest),       cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_rotate_by),     cmocka_unit_test(test_any_lanes),     cmocka_unit_test(test_energies),
    };
    return cmocka_run_group_tests_name("free rotation", tests, NULL, NULL);
}
