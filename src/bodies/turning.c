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
#define SN_LANE_DOUBLE 1
#include "bodies/turning.h"

#include "bodies/rotation.h"

#include <sinew/lanes.h>

#include <float.h>

/* rad: the most that the two axes that are left may turn by in one go; beyond that a step is cut into equal parts. At
   this angle the energy of the worst of many bodies swings by a thousandth, and that falls with the square. */
#define MOST_ANGLE 0.25

/* The most parts: 32 rad a step are followed well. A body that turns faster keeps its momentum and turns too fast or too
   slowly. */
#define MOST_PARTS 128

/* A squared length nearer to 1 than that is 1 but for rounding. */
#define UNIT_SLACK (8 * DBL_EPSILON)

/* rad: below this angle Taylor's series with so many terms have all digits: the first that are left out are 1e-17. */
#define SMALL_ANGLE 0.25

#define SMALL_TURN                                                                                                     \
    1e-4 /* the square of the sine of half an angle below which the series of the arcsine has all digits */

SN_LANES_INLINE lanes3 read3(double from[3][SN_TURN_BATCH], uint32_t at)
{
    return (lanes3){lanes_load(from[0] + at), lanes_load(from[1] + at), lanes_load(from[2] + at)};
}

SN_LANES_INLINE lanes4 read4(double from[4][SN_TURN_BATCH], uint32_t at)
{
    return (lanes4){lanes_load(from[0] + at), lanes_load(from[1] + at), lanes_load(from[2] + at),
                    lanes_load(from[3] + at)};
}

SN_LANES_INLINE void write3(double to[3][SN_TURN_BATCH], uint32_t at, lanes3 a)
{
    lanes_store(to[0] + at, a.x);
    lanes_store(to[1] + at, a.y);
    lanes_store(to[2] + at, a.z);
}

SN_LANES_INLINE void write4(double to[4][SN_TURN_BATCH], uint32_t at, lanes4 a)
{
    lanes_store(to[0] + at, a.x);
    lanes_store(to[1] + at, a.y);
    lanes_store(to[2] + at, a.z);
    lanes_store(to[3] + at, a.w);
}

SN_LANES_INLINE lanes3 vector_part(lanes4 q)
{
    return (lanes3){q.x, q.y, q.z};
}

/* First b, then a. */
SN_LANES_INLINE lanes4 times(lanes4 a, lanes4 b)
{
    const lanes3 u = vector_part(a), v = vector_part(b), cross = lanes3_cross(u, v);
    const lanes3 sum = lanes3_add(lanes3_add(lanes3_scale(v, a.w), lanes3_scale(u, b.w)), cross);
    return (lanes4){sum.x, sum.y, sum.z, a.w * b.w - lanes3_dot(u, v)};
}

/* Of length 1. Nothing is no rotation. */
SN_LANES_INLINE lanes4 unit(lanes4 q)
{
    const lanes zero = lanes_all(0), one = lanes_all(1);
    const lanes square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    const flags is_unit = lanes_at_least(lanes_all(UNIT_SLACK), lanes_abs(square - one));
    if (flags_all(is_unit))
        return q;
    const flags none = ~lanes_unequal(square, zero);
    const lanes scale = lanes_choose(is_unit | none, one, one / lanes_sqrt(square));
    return (lanes4){q.x * scale, q.y * scale, q.z * scale, lanes_choose(none, one, q.w * scale)};
}

/* a + 2 w (v x a) + 2 v x (v x a), exactly a where nothing turns. */
SN_LANES_INLINE lanes3 turned(lanes3 v, lanes w, lanes3 a)
{
    const lanes3 t = lanes3_scale(lanes3_cross(v, a), lanes_all(2));
    return lanes3_add(lanes3_add(a, lanes3_scale(t, w)), lanes3_cross(v, t));
}

/* ---- Free rotation -------------------------------------------------------------------------------------------------- */

/* Sine and cosine. In a substep nearly all angles are small. */
SN_LANES_INLINE lanes sine_cosine(lanes x, lanes *cosine)
{
    const lanes z = x * x, one = lanes_all(1);
    const lanes odd = lanes_all(1.0 / 120) +
                      z * (lanes_all(-1.0 / 5040) + z * (lanes_all(1.0 / 362880) + z * lanes_all(-1.0 / 39916800)));
    const lanes even =
        lanes_all(1.0 / 24) +
        z * (lanes_all(-1.0 / 720) +
             z * (lanes_all(1.0 / 40320) + z * (lanes_all(-1.0 / 3628800) + z * lanes_all(1.0 / 479001600))));
    const lanes s = x + x * z * (lanes_all(-1.0 / 6) + z * odd), c = one - z * (lanes_all(0.5) - z * even);
    const flags small = lanes_above(lanes_all(SMALL_ANGLE), lanes_abs(x));
    *cosine = c;
    if (flags_all(small))
        return s;
    lanes other_c, other = lanes_sine(x, &other_c);
    *cosine = lanes_choose(small, c, other_c);
    return lanes_choose(small, s, other);
}

/* Bodies on their way: orientations, and momenta along their own axes, which are called so that x is the middle one. */
typedef struct tops {
    lanes4 q;
    lanes3 m;
} tops;

/* About y, by so much for a unit of momentum about it. The product with the quaternion that has the sine at y, and the cosine. */
SN_LANES_INLINE void turn_about_y(tops *t, lanes rate)
{
    const lanes one = lanes_all(1), two = lanes_all(2);
    const lanes4 q = t->q;
    lanes c, s = sine_cosine(rate * t->m.y * lanes_all(0.5), &c);
    t->q = (lanes4){c * q.x - s * q.z, c * q.y + s * q.w, c * q.z + s * q.x, c * q.w - s * q.y};
    const lanes sine = two * s * c, cosine = one - two * s * s, x = t->m.x, z = t->m.z;
    t->m.z = cosine * z + sine * x;
    t->m.x = cosine * x - sine * z;
}

SN_LANES_INLINE void turn_about_z(tops *t, lanes rate)
{
    const lanes one = lanes_all(1), two = lanes_all(2);
    const lanes4 q = t->q;
    lanes c, s = sine_cosine(rate * t->m.z * lanes_all(0.5), &c);
    t->q = (lanes4){c * q.x + s * q.y, c * q.y - s * q.x, c * q.z + s * q.w, c * q.w - s * q.z};
    const lanes sine = two * s * c, cosine = one - two * s * s, x = t->m.x, y = t->m.y;
    t->m.x = cosine * x + sine * y;
    t->m.y = cosine * y - sine * x;
}

/* How many parts a step is cut into. One axis alone is exact. */
SN_LANES_INLINE lanes parts_for(lanes3 l, lanes y, lanes z, lanes h)
{
    const lanes zero = lanes_all(0), one = lanes_all(1), whole = lanes_all(0x1.8p52), most = lanes_all(MOST_PARTS);
    const lanes angle = lanes3_length(lanes3_scale(l, h * lanes_max(lanes_abs(y), lanes_abs(z))));
    const flags two = lanes_unequal(y, zero) & lanes_unequal(z, zero);
    const lanes parts = angle * lanes_all(1 / MOST_ANGLE);
    const lanes rounded = ((lanes_min(parts, most) + lanes_all(0.5)) + whole) - whole; /* up */
    return lanes_choose(two, lanes_choose(lanes_above(most, parts), lanes_max(rounded, one), most), one);
}

/* Half of y, all of z, half of y, and so on; neighbouring halves are one. */
SN_LANES_INLINE void turn_about_two(tops *t, lanes y, lanes z, lanes3 l, lanes h)
{
    const lanes parts = parts_for(l, y, z, h), part = h / parts, half = lanes_all(0.5);
    turn_about_y(t, y * (part * half));
    for (uint32_t i = 0; i < MOST_PARTS; ++i) {
        const flags goes_on = lanes_above(parts, lanes_all((double)i + 1));
        const lanes by = lanes_keep(lanes_above(parts, lanes_all((double)i)), part);
        turn_about_z(t, z * by);
        turn_about_y(t, y * lanes_choose(goes_on, by, by * half));
        if (!flags_any(goes_on))
            return;
    }
}

/* About the momentum, which its own axes do not see. */
SN_LANES_INLINE lanes4 turn_about_momentum(lanes4 q, lanes3 angle)
{
    const lanes radians = lanes3_length(angle), zero = lanes_all(0);
    lanes w, s = sine_cosine(radians * lanes_all(0.5), &w);
    const lanes3 v = lanes3_scale(angle, lanes_keep(lanes_above(radians, zero), s / radians));
    const lanes4 next = times((lanes4){v.x, v.y, v.z, w}, q);
    const flags turns = lanes_unequal(radians, zero);
    return (lanes4){lanes_choose(turns, next.x, q.x), lanes_choose(turns, next.y, q.y),
                    lanes_choose(turns, next.z, q.z), lanes_choose(turns, next.w, q.w)};
}

/* The same numbers, with y, or z, called x. */
SN_LANES_INLINE lanes3 call_middle(lanes3 a, flags y, flags z)
{
    return (lanes3){lanes_choose(y, a.y, lanes_choose(z, a.z, a.x)), lanes_choose(y, a.z, lanes_choose(z, a.x, a.y)),
                    lanes_choose(y, a.x, lanes_choose(z, a.y, a.z))};
}

SN_LANES_INLINE flags is_between(lanes a, lanes b, lanes c)
{
    return (lanes_at_least(b, a) & lanes_at_least(c, b)) | (lanes_at_least(a, b) & lanes_at_least(b, c));
}

SN_LANES_INLINE lanes4 rotate_freely(lanes4 q, lanes3 l, lanes3 inverse, lanes h)
{
    const lanes zero = lanes_all(0);
    const flags x_is = is_between(inverse.z, inverse.x, inverse.y),
                y = is_between(inverse.x, inverse.y, inverse.z) & ~x_is, z = ~(x_is | y);
    const flags turns = lanes_unequal(l.x, zero) | lanes_unequal(l.y, zero) | lanes_unequal(l.z, zero);
    q = unit(q);
    if (!flags_any(turns))
        return q;
    const lanes3 rate = call_middle(inverse, y, z), v = call_middle(vector_part(q), y, z);
    tops t = {{v.x, v.y, v.z, q.w}, call_middle(turned(vector_part(q), -q.w, l), y, z)};
    const lanes by_y = rate.y - rate.x, by_z = rate.z - rate.x;
    if (flags_any(lanes_unequal(by_y, zero) | lanes_unequal(by_z, zero))) /* of a cube or a ball nothing is left */
        turn_about_two(&t, by_y, by_z, l, h);
    const lanes3 back = call_middle(vector_part(t.q), z, y);
    lanes4 end = unit(turn_about_momentum((lanes4){back.x, back.y, back.z, t.q.w}, lanes3_scale(l, rate.x * h)));
    return (lanes4){lanes_choose(turns, end.x, q.x), lanes_choose(turns, end.y, q.y), lanes_choose(turns, end.z, q.z),
                    lanes_choose(turns, end.w, q.w)};
}

void SN_LANES_NAME(sn_turn_free, SN_VECTOR)(sn_turn_batch *batch, double h)
{
    const lanes one = lanes_all(1);
    for (uint32_t at = 0; at < SN_TURN_BATCH; at += SN_WIDTH) {
        const lanes3 k = read3(batch->k, at), inverse = {one / (k.x * k.x), one / (k.y * k.y), one / (k.z * k.z)};
        write4(batch->end, at, rotate_freely(read4(batch->q, at), read3(batch->l, at), inverse, lanes_all(h)));
    }
}

/* ---- What constraints do to it ---------------------------------------------------------------------------------------- */

/* k times a vector along principal axes; about an axis that is locked there is nothing. */
SN_LANES_INLINE lanes3 times_k(lanes3 k, lanes3 a)
{
    const lanes endless = lanes_all((double)INFINITY);
    return (lanes3){lanes_keep(lanes_above(endless, k.x), k.x * a.x), lanes_keep(lanes_above(endless, k.y), k.y * a.y),
                    lanes_keep(lanes_above(endless, k.z), k.z * a.z)};
}

void SN_LANES_NAME(sn_turn_way, SN_VECTOR)(sn_turn_batch *batch, double h)
{
    const lanes zero = lanes_all(0), one = lanes_all(1), two = lanes_all(2);
    (void)h;
    for (uint32_t at = 0; at < SN_TURN_BATCH; at += SN_WIDTH) {
        const lanes4 q = read4(batch->q, at), turn = times((lanes4){-q.x, -q.y, -q.z, q.w}, read4(batch->end, at));
        const lanes3 v = vector_part(turn);
        const lanes sign = lanes_choose(lanes_above(zero, turn.w), -one, one), square = lanes3_dot(v, v);
        lanes scale =
            two + square * (lanes_all(1.0 / 3) + square * (lanes_all(3.0 / 20) + square * lanes_all(5.0 / 56)));
        const flags large = lanes_above(square, lanes_all(SMALL_TURN));
        if (flags_any(large)) {
            const lanes sine = lanes_sqrt(square);
            scale = lanes_choose(large, two * lanes_atan2(sine, sign * turn.w) / sine, scale);
        }
        write3(batch->phi, at, times_k(read3(batch->k, at), lanes3_scale(v, sign * scale)));
    }
}

void SN_LANES_NAME(sn_turn_gain, SN_VECTOR)(sn_turn_batch *batch, double h)
{
    for (uint32_t at = 0; at < SN_TURN_BATCH; at += SN_WIDTH) {
        const lanes4 q = read4(batch->q, at);
        const lanes3 phi = read3(batch->phi, at),
                     own = {phi.x / lanes_all(h), phi.y / lanes_all(h), phi.z / lanes_all(h)};
        const lanes3 gain = turned(vector_part(q), q.w, times_k(read3(batch->k, at), own));
        write3(batch->l, at, lanes3_add(read3(batch->l, at), gain));
    }
}

void SN_LANES_NAME(sn_turn_on, SN_VECTOR)(sn_turn_batch *batch, double h)
{
    const lanes zero = lanes_all(0), half = lanes_all(0.5);
    (void)h;
    for (uint32_t at = 0; at < SN_TURN_BATCH; at += SN_WIDTH) {
        const lanes3 phi = read3(batch->phi, at), k = read3(batch->k, at);
        const lanes4 q = read4(batch->end, at);
        const lanes4 next =
            unit(times(q, (lanes4){phi.x * half / k.x, phi.y * half / k.y, phi.z * half / k.z, lanes_all(1)}));
        const flags turns = lanes_unequal(phi.x, zero) | lanes_unequal(phi.y, zero) | lanes_unequal(phi.z, zero);
        write4(batch->end, at,
               (lanes4){lanes_choose(turns, next.x, q.x), lanes_choose(turns, next.y, q.y),
                        lanes_choose(turns, next.z, q.z), lanes_choose(turns, next.w, q.w)});
    }
}

#if !SN_VECTOR
void sn_rotate_free(double q[4], const double l[3], const double inverse_moment[3], double h)
{
    const lanes4 end = rotate_freely((lanes4){q[0], q[1], q[2], q[3]}, (lanes3){l[0], l[1], l[2]},
                                     (lanes3){inverse_moment[0], inverse_moment[1], inverse_moment[2]}, h);
    q[0] = end.x, q[1] = end.y, q[2] = end.z, q[3] = end.w;
}

const sn_turning *sn_turning_by(uint32_t vector)
{
    static const sn_turning one = {sn_turn_free_lanes_0, sn_turn_way_lanes_0, sn_turn_gain_lanes_0, sn_turn_on_lanes_0};
#if SN_LANES_32
    static const sn_turning four = {sn_turn_free_lanes_32, sn_turn_way_lanes_32, sn_turn_gain_lanes_32,
                                    sn_turn_on_lanes_32};
    if (vector >= 32)
        return &four;
#endif
#if SN_LANES_16
    static const sn_turning two = {sn_turn_free_lanes_16, sn_turn_way_lanes_16, sn_turn_gain_lanes_16,
                                   sn_turn_on_lanes_16};
    if (vector >= 16)
        return &two;
#endif
    (void)vector;
    return &one;
}
#endif
