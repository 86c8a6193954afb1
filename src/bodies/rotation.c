/* Free rotation by splitting (Dullweber, Leimkuhler and McLachlan 1997). With m = R^T l, the momentum along the body's
   axes, the energy is H = sum x_i m_i^2 / 2, where x_i = 1 / I_i. Each term alone turns the body about its axis i at the
   rate x_i m_i, which does not change meanwhile: a motion that can be written down. One after the other they are the
   whole motion but for their commutators, and in a symmetric order (half of a, all of b, half of a) these cancel to
   second order. m is only ever turned, and l never touched: |l| and its direction are kept exactly, and as m stays on
   its sphere, the energy stays between its bounds whatever the step.

   The three axes are not treated alike. With x_c the middle one of the three,

       H = x_c |m|^2 / 2 + sum (x_i - x_c) m_i^2 / 2,

   and the first term commutes with the others: |m| is the same for all of them. It turns the body about l in the world
   at the rate x_c |l|, exactly. Two axes are left, with the differences x_i - x_c, and of a symmetric top only one: then
   nothing is approximated. Of the three choices the middle one leaves the smallest product of differences, which the
   error is proportional to. */
#include "bodies/rotation.h"

#include "base/dvec.h"
#include "base/math.h"

#include <stdint.h>

/* rad: the most that the two axes that are left may turn by in one go; beyond that a step is cut into equal parts. At
   this angle the energy of the worst of many bodies swings by a thousandth, and that falls with the square. */
#define MOST_ANGLE 0.25

/* The most parts: 32 rad a step are followed well. A body that turns faster keeps its momentum and turns too fast or too
   slowly. */
#define MOST_PARTS 128

/* A squared length nearer to 1 than that is 1 but for rounding. */
#define UNIT_SLACK (8 * DBL_EPSILON)

static sn_dvec3 vector_of(const double *a)
{
    return dvec3(a[0], a[1], a[2]);
}

static void put(double *to, sn_dvec3 a)
{
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
}

static inline void times(const double a[4], const double b[4], double result[4])
{
    sn_dvec3 u = vector_of(a), v = vector_of(b);
    double w = a[3] * b[3] - dvec3_dot(u, v);
    put(result, dvec3_add(dvec3_add(dvec3_scale(v, a[3]), dvec3_scale(u, b[3])), dvec3_cross(u, v)));
    result[3] = w;
}

void sn_rotate_times(const double a[4], const double b[4], double result[4])
{
    times(a, b, result);
}

static inline void normalise(double q[4])
{
    double squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (fabs(squared - 1) <= UNIT_SLACK)
        return;
    double length = sqrt(squared);
    if (length == 0) {
        q[3] = 1;
        return;
    }
    const double inverse = 1 / length;
    for (int i = 0; i < 4; ++i)
        q[i] *= inverse;
}

void sn_rotate_normalise(double q[4])
{
    normalise(q);
}

/* a + 2 w (v x a) + 2 v x (v x a), exactly a where nothing turns. */
static inline sn_dvec3 turned(sn_dvec3 v, double w, sn_dvec3 a)
{
    sn_dvec3 t = dvec3_scale(dvec3_cross(v, a), 2);
    return dvec3_add(dvec3_add(a, dvec3_scale(t, w)), dvec3_cross(v, t));
}

void sn_rotate_vector(const double q[4], const double from[3], double to[3])
{
    put(to, turned(vector_of(q), q[3], vector_of(from)));
}

void sn_rotate_vector_back(const double q[4], const double from[3], double to[3])
{
    put(to, turned(vector_of(q), -q[3], vector_of(from)));
}

void sn_rotate_matrix(const double q[4], double matrix[3][3])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 9; ++i)
        matrix[i / 3][i % 3] = r[i / 3][i % 3];
}

void sn_rotate_by(double q[4], const double a[3])
{
    const double turn[4] = {a[0], a[1], a[2], 1};
    double result[4];
    times(q, turn, result);
    for (int i = 0; i < 4; ++i)
        q[i] = result[i];
    normalise(q);
}

/* ---- Free rotation ----------------------------------------------------------------------------------------------- */

/* The body on its way: its orientation, and its momentum along its own axes. */
typedef struct top {
    double q[4];
    double m[3];
} top;

/* rad: below this angle Taylor's series with so many terms have all digits: the first that are left out are 1e-17. */
#define SMALL_ANGLE 0.25

/* Sine and cosine. In a substep nearly all angles are small. */
static inline void sine_cosine(double x, double *s, double *c)
{
    if (!(fabs(x) < SMALL_ANGLE)) {
        *s = math_sin(x);
        *c = math_cos(x);
        return;
    }
    double z = x * x;
    double odd = 1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800)));
    double even = 1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800 + z * (1.0 / 479001600))));
    *s = x + x * z * (-1.0 / 6 + z * odd);
    *c = 1 - z * (0.5 - z * even);
}

/* The one of three numbers that is between the others; of equal ones the first that is. */
static int middle_of(const double x[3])
{
    for (int i = 0; i < 2; ++i) {
        double a = x[(i + 1) % 3], b = x[(i + 2) % 3];
        if ((a <= x[i] && x[i] <= b) || (b <= x[i] && x[i] <= a))
            return i;
    }
    return 2;
}

/* About its own axis, at the rate times the momentum about that axis, for the time h. */
static inline void turn_about(top *t, int axis, double rate, double h)
{
    if (rate == 0)
        return;
    int j = axis == 2 ? 0 : axis + 1, k = axis == 0 ? 2 : axis - 1;
    double s, c, qi = t->q[axis], qj = t->q[j], qk = t->q[k], w = t->q[3];
    sine_cosine(h * rate * t->m[axis] / 2, &s, &c);
    t->q[axis] = c * qi + s * w; /* the product with the quaternion that has s at the axis, and c */
    t->q[j] = c * qj + s * qk;
    t->q[k] = c * qk - s * qj;
    t->q[3] = c * w - s * qi;
    double sine = 2 * s * c, cosine = 1 - 2 * s * s, mj = t->m[j], mk = t->m[k];
    t->m[j] = cosine * mj + sine * mk;
    t->m[k] = cosine * mk - sine * mj;
}

/* About the momentum, which its own axes do not see. */
static void turn_about_momentum(top *t, sn_dvec3 angle)
{
    double radians = dvec3_length(angle);
    if (radians == 0)
        return;
    double s, turn[4], q[4];
    sine_cosine(radians / 2, &s, &turn[3]);
    put(turn, dvec3_scale(angle, s / radians));
    times(turn, t->q, q);
    for (int i = 0; i < 4; ++i)
        t->q[i] = q[i];
}

/* How many parts a step is cut into: none if one axis is all that is left, as that is exact. */
static uint32_t parts_for(sn_dvec3 l, double a, double b, double h)
{
    if (a == 0 || b == 0)
        return 1;
    double more = fabs(a) > fabs(b) ? fabs(a) : fabs(b), angle = dvec3_length(dvec3_scale(l, h * more));
    if (!(angle <= MOST_ANGLE * MOST_PARTS))
        return MOST_PARTS;
    uint32_t whole = (uint32_t)(angle / MOST_ANGLE);
    return whole < MOST_PARTS ? whole + 1 : MOST_PARTS;
}

/* Half of a, all of b, half of a, and so on; halves that meet are one. */
static void turn_about_two(top *t, const int axis[2], const double rate[2], uint32_t parts, double h)
{
    double part = h / parts;
    if (rate[1] == 0) { /* and then parts is 1 */
        turn_about(t, axis[0], rate[0], h);
        return;
    }
    turn_about(t, axis[0], rate[0], part / 2);
    for (uint32_t i = 0; i < parts; ++i) {
        turn_about(t, axis[1], rate[1], part);
        turn_about(t, axis[0], rate[0], i + 1 < parts ? part : part / 2);
    }
}

void sn_rotate_free(double q[4], const double l[3], const double inverse_moment[3], double h)
{
    int c = middle_of(inverse_moment);
    const int axis[2] = {c == 2 ? 0 : c + 1, c == 0 ? 2 : c - 1};
    double middle = inverse_moment[c];
    const double rate[2] = {inverse_moment[axis[0]] - middle, inverse_moment[axis[1]] - middle};
    sn_dvec3 momentum = vector_of(l);

    normalise(q);
    if (l[0] == 0 && l[1] == 0 && l[2] == 0)
        return;
    top t = {.q = {q[0], q[1], q[2], q[3]}};
    if (rate[0] != 0 || rate[1] != 0) { /* of a cube or a ball nothing is left */
        put(t.m, turned(vector_of(t.q), -t.q[3], momentum));
        turn_about_two(&t, axis, rate, parts_for(momentum, rate[0], rate[1], h), h);
    }
    turn_about_momentum(&t, dvec3_scale(momentum, middle * h));
    normalise(t.q);
    for (int i = 0; i < 4; ++i)
        q[i] = t.q[i];
}

/* ---- Rates ------------------------------------------------------------------------------------------------------- */

/* World to body, times one number for each axis, and back. */
static void weigh(const double q[4], const double from[3], const double weight[3], double to[3])
{
    double own[3];
    sn_rotate_vector_back(q, from, own);
    for (int i = 0; i < 3; ++i)
        own[i] *= weight[i];
    sn_rotate_vector(q, own, to);
}

void sn_rotate_velocity(const double q[4], const double l[3], const double inverse_moment[3], double omega[3])
{
    weigh(q, l, inverse_moment, omega);
}

void sn_rotate_momentum(const double q[4], const double omega[3], const double moment[3], double l[3])
{
    weigh(q, omega, moment, l);
}

double sn_rotate_energy(const double q[4], const double l[3], const double inverse_moment[3])
{
    double m[3];
    sn_rotate_vector_back(q, l, m);
    return (inverse_moment[0] * m[0] * m[0] + inverse_moment[1] * m[1] * m[1] + inverse_moment[2] * m[2] * m[2]) / 2;
}
