/* Free rotation by splitting (Dullweber, Leimkuhler and McLachlan 1997). With m = R^T l, the momentum along the body's
   axes, the energy is H = sum x_i m_i^2 / 2, where x_i = 1 / I_i. Each term alone rotates the body about its axis i at
   the constant rate x_i m_i, which has a closed form. Applied one after the other, they give the whole motion except
   for their commutators. In a symmetric order (half of a, all of b, half of a) these cancel to second order. m is only
   rotated and l is never changed. So |l| and its direction are kept exactly. And as m stays on its sphere, the energy
   stays within bounds for any step.

   The three axes are not treated alike. With x_c the middle one of the three,

          H = x_c |m|^2 / 2 + sum (x_i - x_c) m_i^2 / 2,

   and the first term commutes with the others, because they do not change |m|. It rotates the body about l in the world
   at the rate x_c |l|, exactly. Two axes are left, with the differences x_i - x_c; for a symmetric top only one, so
   nothing is approximated. Of the three choices, the middle one gives the smallest product of the differences, to which
   the error is proportional. */
#define SN_LANE_DOUBLE 1
#include "bodies/turning.h"

#include "bodies/rotation.h"
#include "bodies/turning_lanes.h"

#include <float.h>

/* rad: the largest rotation about the two remaining axes in one part. A step with more is cut into equal parts. At this
   angle the energy of the worst of many bodies oscillates by a thousandth. The error falls with the square of the
   angle. */
#define MOST_ANGLE 0.25

/* The most parts. Up to 32 rad per step the rotation is accurate. A faster body keeps its momentum but rotates too fast
   or too slowly. */
#define MOST_PARTS 128

/* rad: for smaller rotations in a substep, the change of the world inertia by the rotation is neglected. */
#define BARELY 1e-4

#define OTHERWISE 0.1 /* of the response of a body: by so much more it overshoots */

/* A squared length that differs from 1 by at most this counts as 1. */
#define UNIT_SLACK (8 * DBL_EPSILON)

/* rad: below this angle the Taylor series used here are precise to all digits: the first omitted terms are 1e-17. */
#define SMALL_ANGLE 0.25

#define SMALL_TURN                                                                                                     \
    1e-4 /* the square of the sine of half an angle below which the series of the arcsine has all digits */

/* Long, and needed in several places: compiled once. */
#ifdef __GNUC__
#define ROTATE_APART __attribute__((noinline)) static
#else
#define ROTATE_APART static
#endif

/* Normalises. A zero quaternion becomes the identity. */
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

/* ---- Free rotation ----------------------------------------------------------------------------------------------- */

/* Sine and cosine. In a substep nearly all angles are small: then the series is enough. */
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

/* Bodies during a step: orientations, and momenta along their own axes, named so that x is the middle one. */
typedef struct tops {
    lanes4 q;
    lanes3 m;
} tops;

/* Takes the rotated state in lanes where `acts` is set. */
SN_LANES_INLINE void take_turn(tops *t, flags acts, const tops *turned)
{
    if (flags_all(acts))
        *t = *turned;
    else
        *t = (tops){choose4(acts, turned->q, t->q), lanes3_choose(acts, turned->m, t->m)};
}

/* Rotates about y by rate times the momentum about y. The quaternion's rotation has its sine at y, and its cosine at
   w. */
SN_LANES_INLINE void turn_about_y(tops *t, lanes rate)
{
    const lanes one = lanes_all(1), two = lanes_all(2);
    const flags acts = lanes_unequal(rate, lanes_all(0));
    const lanes4 q = t->q;
    if (!flags_any(acts))
        return;
    lanes c, s = sine_cosine(rate * t->m.y * lanes_all(0.5), &c);
    const lanes sine = two * s * c, cosine = one - two * s * s, x = t->m.x, z = t->m.z;
    const tops turned = {{c * q.x - s * q.z, c * q.y + s * q.w, c * q.z + s * q.x, c * q.w - s * q.y},
                         {cosine * x - sine * z, t->m.y, cosine * z + sine * x}};
    take_turn(t, acts, &turned);
}

SN_LANES_INLINE void turn_about_z(tops *t, lanes rate)
{
    const lanes one = lanes_all(1), two = lanes_all(2);
    const flags acts = lanes_unequal(rate, lanes_all(0));
    const lanes4 q = t->q;
    if (!flags_any(acts))
        return;
    lanes c, s = sine_cosine(rate * t->m.z * lanes_all(0.5), &c);
    const lanes sine = two * s * c, cosine = one - two * s * s, x = t->m.x, y = t->m.y;
    const tops turned = {{c * q.x + s * q.y, c * q.y - s * q.x, c * q.z + s * q.w, c * q.w - s * q.z},
                         {cosine * x + sine * y, cosine * y - sine * x, t->m.z}};
    take_turn(t, acts, &turned);
}

/* The number of parts of a step. One axis alone is exact. */
SN_LANES_INLINE lanes parts_for(lanes3 l, lanes y, lanes z, lanes h)
{
    const lanes zero = lanes_all(0), one = lanes_all(1), whole = lanes_all(0x1.8p52), most = lanes_all(MOST_PARTS);
    const lanes angle = lanes3_length(lanes3_scale(l, h * lanes_max(lanes_abs(y), lanes_abs(z))));
    const flags two = lanes_unequal(y, zero) & lanes_unequal(z, zero);
    const lanes parts = angle * lanes_all(1 / MOST_ANGLE);
    const lanes rounded = ((lanes_min(parts, most) + lanes_all(0.5)) + whole) - whole; /* rounded up */
    return lanes_choose(two, lanes_choose(lanes_above(most, parts), lanes_max(rounded, one), most), one);
}

/* Half of y, all of z, half of y, and so on. Neighbouring halves are merged. A body without a term about z (a symmetric
   top, as most bodies are) is rotated about y at once. */
SN_LANES_INLINE void turn_about_two(tops *t, lanes y, lanes z, lanes3 l, lanes h)
{
    const lanes parts = parts_for(l, y, z, h), part = h / parts, half = lanes_all(0.5);
    const flags both = lanes_unequal(z, lanes_all(0));
    turn_about_y(t, y * lanes_choose(both, part * half, part));
    if (!flags_any(both))
        return;
    y = lanes_keep(both, y);
    for (uint32_t i = 0; i < MOST_PARTS; ++i) {
        const flags goes_on = lanes_above(parts, lanes_all((double)i + 1));
        const lanes by = lanes_keep(lanes_above(parts, lanes_all((double)i)), part);
        turn_about_z(t, z * by);
        turn_about_y(t, y * lanes_choose(goes_on, by, by * half));
        if (!flags_any(goes_on))
            return;
    }
}

/* Rotates about the momentum. Along the body's own axes the momentum does not change. */
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

/* The same numbers with the axes renamed cyclically: y, or z, becomes x. */
SN_LANES_INLINE lanes3 call_middle(lanes3 a, flags y, flags z)
{
    return (lanes3){lanes_choose(y, a.y, lanes_choose(z, a.z, a.x)), lanes_choose(y, a.z, lanes_choose(z, a.x, a.y)),
                    lanes_choose(y, a.x, lanes_choose(z, a.y, a.z))};
}

SN_LANES_INLINE flags is_between(lanes a, lanes b, lanes c)
{
    return (lanes_at_least(b, a) & lanes_at_least(c, b)) | (lanes_at_least(a, b) & lanes_at_least(b, c));
}

ROTATE_APART lanes4 rotate_freely(lanes4 q, lanes3 l, lanes3 inverse, lanes h)
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
    if (flags_any(lanes_unequal(by_y, zero) | lanes_unequal(by_z, zero))) /* for a cube or a ball both are 0 */
        turn_about_two(&t, by_y, by_z, l, h);
    const lanes3 back = call_middle(vector_part(t.q), z, y);
    lanes4 end = unit(turn_about_momentum((lanes4){back.x, back.y, back.z, t.q.w}, lanes3_scale(l, rate.x * h)));
    return (lanes4){lanes_choose(turns, end.x, q.x), lanes_choose(turns, end.y, q.y), lanes_choose(turns, end.z, q.z),
                    lanes_choose(turns, end.w, q.w)};
}

/* k times a vector along principal axes. 0 for a locked axis. */
SN_LANES_INLINE lanes3 times_k(lanes3 k, lanes3 a)
{
    const lanes endless = lanes_all((double)INFINITY);
    return (lanes3){lanes_keep(lanes_above(endless, k.x), k.x * a.x), lanes_keep(lanes_above(endless, k.y), k.y * a.y),
                    lanes_keep(lanes_above(endless, k.z), k.z * a.z)};
}

/* The displacement (k times angle) from q to end, along principal axes. */
SN_LANES_INLINE lanes3 displacement_between(lanes4 q, lanes4 end, lanes3 k)
{
    const lanes zero = lanes_all(0), one = lanes_all(1), two = lanes_all(2);
    const lanes4 turn = times((lanes4){-q.x, -q.y, -q.z, q.w}, end);
    const lanes3 v = vector_part(turn);
    const lanes sign = lanes_choose(lanes_above(zero, turn.w), -one, one), square = lanes3_dot(v, v);
    lanes scale = two + square * (lanes_all(1.0 / 3) + square * (lanes_all(3.0 / 20) + square * lanes_all(5.0 / 56)));
    const flags large = lanes_above(square, lanes_all(SMALL_TURN));
    if (flags_any(large)) {
        const lanes sine = lanes_sqrt(square);
        scale = lanes_choose(large, two * lanes_atan2(sine, sign * turn.w) / sine, scale);
    }
    return times_k(k, lanes3_scale(v, sign * scale));
}

SN_LANES_INLINE void put_quat(sn_quat *const *to, lanes4 q)
{
    const reals x = REALS(q.x), y = REALS(q.y), z = REALS(q.z), w = REALS(q.w);
    PUT(to, ->x, x), PUT(to, ->y, y), PUT(to, ->z, z), PUT(to, ->w, w);
}

/* Repeats the last body of a batch where there is none for a lane. */
SN_LANES_INLINE void fill_turns(sn_turn_batch *b)
{
    for (uint32_t i = b->count, last = i - 1; i % SN_WIDTH; ++i) {
        b->body[i] = b->body[last], b->motion[i] = b->motion[last], b->l[i] = b->l[last], b->as[i] = b->as[last];
        b->turn[i] = b->turn[last], b->start[i] = b->start[last], b->now[i] = b->now[last], b->h[i] = b->h[last];
        b->kinematic |= (b->kinematic >> last & 1) << i;
    }
}

SN_LANES_INLINE void fill_spins(sn_spin_batch *b)
{
    for (uint32_t i = b->count, last = i - 1; i % SN_WIDTH; ++i) {
        b->body[i] = b->body[last], b->as[i] = b->as[last], b->inverse[i] = b->inverse[last];
        b->odd[i] = b->odd[last], b->w[i] = b->w[last], b->record[i] = b->record[last];
        b->start[i] = b->start[last], b->now[i] = b->now[last], b->gain[i] = b->gain[last], b->by[i] = b->by[last];
    }
}

#define TURN(name, type, one, fill)                                                                                    \
    bool SN_LANES_NAME(name, SN_VECTOR)(type * batch)                                                                  \
    {                                                                                                                  \
        bool sound = true;                                                                                             \
        fill(batch);                                                                                                   \
        for (uint32_t at = 0; at < batch->count; at += SN_WIDTH)                                                       \
            sound = one(batch, at) && sound;                                                                           \
        return sound;                                                                                                  \
    }

SN_LANES_INLINE bool predict(const sn_turn_batch *b, uint32_t at)
{
    const lanes one = lanes_all(1);
    const lanes4 q = PICK4(b->body + at, ->q);
    const lanes3 k = PICK3(b->body + at, ->k), l = PICK3(b->l + at, );
    const lanes3 inverse = {one / (k.x * k.x), one / (k.y * k.y), one / (k.z * k.z)};
    lanes4 end = rotate_freely(q, l, inverse, lanes_load(b->h + at));
    if (b->kinematic)
        end = choose4(flags_of(b->kinematic >> at), PICK4(b->motion + at, ->q), end);
    PUT4(b->motion + at, ->q, end);
    put_quat(b->now + at, end);
    const lanes3 displacement = displacement_between(q, end, k);
    const reals x = REALS(displacement.x), y = REALS(displacement.y), z = REALS(displacement.z);
    PUT(b->turn + at, ->x, x), PUT(b->turn + at, ->y, y), PUT(b->turn + at, ->z, z);
    return true;
}

SN_LANES_INLINE lanes3 gained(const sn_turn_batch *b, uint32_t at, lanes3 k, lanes3 phi)
{
    const lanes4 q = PICK4(b->as + at, );
    const lanes h = lanes_load(b->h + at);
    return turned(vector_part(q), q.w, times_k(k, (lanes3){phi.x / h, phi.y / h, phi.z / h}));
}

SN_LANES_INLINE bool gain(const sn_turn_batch *b, uint32_t at)
{
    const lanes3 l = PICK3(b->l + at, ), phi = PICK_VECTOR(b->turn + at, ->);
    const lanes3 next = lanes3_add(l, gained(b, at, PICK3(b->body + at, ->k), phi));
    PUT3(b->l + at, , next);
    return true;
}

/* True if the orientation and the rotation vector phi are finite and no momentum exceeds the angular velocity
   SN_TOO_FAST. */
SN_LANES_INLINE bool is_sound(lanes4 q, lanes3 l, lanes3 k, lanes3 phi)
{
    const lanes least = lanes_min(lanes_min(k.x, k.y), k.z), limit = lanes_all(SN_TOO_FAST) * least * least;
    const lanes sum = q.x + q.y + q.z + q.w, by = phi.x + phi.y + phi.z, zero = lanes_all(0);
    return flags_all(lanes_above(limit * limit, lanes3_dot(l, l)) & ~lanes_unequal(sum - sum, zero) &
                     ~lanes_unequal(by - by, zero));
}

SN_LANES_INLINE bool settle(const sn_turn_batch *b, uint32_t at)
{
    const lanes zero = lanes_all(0), half = lanes_all(0.5);
    const lanes4 q = PICK4(b->motion + at, ->q);
    const lanes3 l = PICK3(b->motion + at, ->l), k = PICK3(b->body + at, ->k), phi = PICK_VECTOR(b->turn + at, ->);
    const lanes3 end_l = lanes3_add(l, gained(b, at, k, phi));
    const lanes4 next =
        unit(times(q, (lanes4){phi.x * half / k.x, phi.y * half / k.y, phi.z * half / k.z, lanes_all(1)}));
    const flags turns = lanes_unequal(phi.x, zero) | lanes_unequal(phi.y, zero) | lanes_unequal(phi.z, zero);
    const lanes4 end = choose4(turns, next, q);
    PUT3(b->body + at, ->l, end_l);
    PUT4(b->body + at, ->q, end);
    put_quat(b->start + at, end);
    put_quat(b->now + at, end);
    return is_sound(q, l, k, phi);
}

TURN(sn_turn_predict, sn_turn_batch, predict, fill_turns)
TURN(sn_turn_settle, sn_turn_batch, settle, fill_turns)
TURN(sn_turn_gain, sn_turn_batch, gain, fill_turns)

/* ---- Contact ----------------------------------------------------------------------------------------------------- */

/* Symmetry of the moments or their inverses, per lane. */
typedef struct axes {
    flags none, all; /* no two moments are equal; all are equal. Otherwise the symmetry axis is x, unless y or z is
                        set */
    flags y, z;
} axes;

SN_LANES_INLINE axes axes_of(const uint32_t *odd)
{
#if SN_VECTOR
    typedef int32_t numbers __attribute__((vector_size(SN_VECTOR / 2)));
    numbers number;
    memcpy(&number, odd, sizeof number);
    const flags is = __builtin_convertvector(number, flags);
    return (axes){is == SN_NONE_ALIKE, is == SN_ALL_ALIKE, is == 1, is == 2};
#else
    return (axes){-(flags)(*odd == SN_NONE_ALIKE), -(flags)(*odd == SN_ALL_ALIKE), -(flags)(*odd == 1),
                  -(flags)(*odd == 2)};
#endif
}

/* Three numbers, one for each axis: reordered cyclically so that the symmetry axis comes first. */
SN_LANES_INLINE lanes3 odd_first(const axes *a, lanes3 x)
{
    return call_middle(x, a->y, a->z);
}

/* The symmetry axis in the world: a column of the matrix of q. */
SN_LANES_INLINE lanes3 odd_axis(const axes *a, lanes4 q)
{
    const lanes one = lanes_all(1), two = lanes_all(2);
    const lanes3 v = odd_first(a, vector_part(q));
    const lanes3 u = {one - two * (v.y * v.y + v.z * v.z), two * (v.x * v.y + q.w * v.z),
                      two * (v.x * v.z - q.w * v.y)};
    return call_middle(u, a->z, a->y);
}

/* A symmetric matrix, in the world. */
typedef struct tensor {
    lanes3 diagonal;
    lanes xy, xz, yz;
} tensor;

/* With R from the principal axes to the world: returns R x R^T l, and stores w R x R^T in inverse. */
SN_LANES_INLINE lanes3 spin_of_any(lanes4 q, lanes3 x, lanes3 l, lanes w, tensor *inverse)
{
    const lanes one = lanes_all(1), two = lanes_all(2);
    const lanes3 r0 = {one - two * (q.y * q.y + q.z * q.z), two * (q.x * q.y - q.w * q.z),
                       two * (q.x * q.z + q.w * q.y)};
    const lanes3 r1 = {two * (q.x * q.y + q.w * q.z), one - two * (q.x * q.x + q.z * q.z),
                       two * (q.y * q.z - q.w * q.x)};
    const lanes3 r2 = {two * (q.x * q.z - q.w * q.y), two * (q.y * q.z + q.w * q.x),
                       one - two * (q.x * q.x + q.y * q.y)};
    const lanes3 own = {x.x * (r0.x * l.x + r1.x * l.y + r2.x * l.z), x.y * (r0.y * l.x + r1.y * l.y + r2.y * l.z),
                        x.z * (r0.z * l.x + r1.z * l.y + r2.z * l.z)};
    const lanes3 xw = {x.x * w, x.y * w, x.z * w};
    const lanes3 a = {r0.x * xw.x, r0.y * xw.y, r0.z * xw.z}, b = {r1.x * xw.x, r1.y * xw.y, r1.z * xw.z};
    const lanes3 c = {r2.x * xw.x, r2.y * xw.y, r2.z * xw.z};
    *inverse = (tensor){{lanes3_dot(a, r0), lanes3_dot(b, r1), lanes3_dot(c, r2)},
                        lanes3_dot(a, r1),
                        lanes3_dot(a, r2),
                        lanes3_dot(b, r2)};
    return (lanes3){lanes3_dot(r0, own), lanes3_dot(r1, own), lanes3_dot(r2, own)};
}

/* The same for a body with a symmetry axis u, as most bodies have:

       R x R^T = x0 + (x_u - x0) u u^T */
SN_LANES_INLINE lanes3 spin_about(const axes *odd, lanes4 q, lanes3 x, lanes3 l, lanes w, tensor *inverse)
{
    const lanes3 own = odd_first(odd, x), u = odd_axis(odd, q);
    const lanes x0 = own.y, off = own.x - x0, along = off * lanes3_dot(u, l);
    const lanes3 a = lanes3_scale(u, w * off);
    const lanes all = w * x0;
    *inverse = (tensor){{all + a.x * u.x, all + a.y * u.y, all + a.z * u.z}, a.x * u.y, a.x * u.z, a.y * u.z};
    return lanes3_add(lanes3_scale(l, x0), lanes3_scale(u, along));
}

/* True for a body that rotates by more than BARELY in h seconds and whose moments are not all equal. Its inertia in the
   world changes during the substep. */
SN_LANES_INLINE flags tumbles(const axes *odd, lanes3 x, lanes3 l, lanes h)
{
    const lanes rate = lanes_max(lanes_max(x.x, x.y), x.z) * h;
    return ~odd->all & lanes_above(lanes3_dot(l, l) * rate * rate, lanes_all(BARELY * BARELY));
}

SN_LANES_INLINE bool back(const sn_spin_batch *batch, uint32_t at)
{
    const axes odd = axes_of(batch->odd + at);
    const lanes3 x = PICK3(batch->inverse + at, ), l = PICK3(batch->body + at, ->l);
    const lanes4 q = PICK4(batch->body + at, ->q);
    const lanes h = lanes_all(batch->h);
    const flags far = tumbles(&odd, x, l, h);
    const lanes4 from = flags_any(far) ? choose4(far, rotate_freely(q, l, x, -h), q) : q;
    PUT4(batch->as + at, , from);
    return true;
}

/* Lanes whose inertia differs much from the one in the record. Let a be the inverse inertia of a body about its
   stiffest axis and b about the softest one. Rotated by a small angle t, numbers of the matrix change by up to (b - a)
   t, and the response about the axis of a grows by (b - a) t^2: of a thin rod that is many times a. */
SN_LANES_INLINE flags overshoots(const sn_spin_batch *batch, uint32_t at, const tensor *now, lanes3 x, lanes w)
{
    sn_vec4 *const *record = batch->record + at;
    const lanes before[6] = {PICK(record, [2].x), PICK(record, [2].y), PICK(record, [2].z),
                             PICK(record, [2].w), PICK(record, [3].x), PICK(record, [3].y)};
    const lanes after[6] = {now->diagonal.x, now->diagonal.y, now->diagonal.z, now->xy, now->xz, now->yz};
    lanes most = lanes_all(0);
    for (uint32_t k = 0; k < 6; ++k) {
        const lanes change = lanes_as_stored(lanes_as_stored(after[k]) - before[k]);
        most = lanes_max(change * change, most);
    }
    const lanes least = lanes_min(lanes_min(x.x, x.y), x.z), largest = lanes_max(lanes_max(x.x, x.y), x.z);
    return lanes_above(most, lanes_all(OTHERWISE) * (least * w) * (largest * w));
}

/* For a ball or a cube R does not matter. */
SN_LANES_INLINE flags weigh(const sn_spin_batch *batch, uint32_t at, bool again)
{
    const axes odd = axes_of(batch->odd + at);
    const lanes3 x = PICK3(batch->inverse + at, ), l = PICK3(batch->body + at, ->l);
    const lanes zero = lanes_all(0), w = load_reals(batch->w + at), all = x.x * w;
    lanes3 spin = lanes3_scale(l, x.x);
    tensor inverse = {{all, all, all}, zero, zero, zero};
    if (!flags_all(odd.all)) {
        const lanes4 q = PICK4(batch->as + at, );
        tensor some;
        lanes3 spins = spin_about(&odd, q, x, l, w, &some);
        if (flags_any(odd.none)) {
            tensor any;
            spins = lanes3_choose(odd.none, spin_of_any(q, x, l, w, &any), spins);
            some =
                (tensor){lanes3_choose(odd.none, any.diagonal, some.diagonal), lanes_choose(odd.none, any.xy, some.xy),
                         lanes_choose(odd.none, any.xz, some.xz), lanes_choose(odd.none, any.yz, some.yz)};
        }
        spin = lanes3_choose(odd.all, spin, spins);
        inverse =
            (tensor){lanes3_choose(odd.all, inverse.diagonal, some.diagonal), lanes_choose(odd.all, zero, some.xy),
                     lanes_choose(odd.all, zero, some.xz), lanes_choose(odd.all, zero, some.yz)};
    }
    const flags differs = again ? overshoots(batch, at, &inverse, x, w) : flags_nowhere();
    const reals sx = REALS(spin.x), sy = REALS(spin.y), sz = REALS(spin.z);
    const reals xx = REALS(inverse.diagonal.x), yy = REALS(inverse.diagonal.y), zz = REALS(inverse.diagonal.z);
    const reals xy = REALS(inverse.xy), xz = REALS(inverse.xz), yz = REALS(inverse.yz);
    sn_vec4 *const *to = batch->record + at;
    PUT(to, [1].x, sx), PUT(to, [1].y, sy), PUT(to, [1].z, sz);
    PUT(to, [2].x, xx), PUT(to, [2].y, yy), PUT(to, [2].z, zz), PUT(to, [2].w, xy);
    PUT(to, [3].x, xz), PUT(to, [3].y, yz);
    return differs;
}

#define WEIGH(name, again)                                                                                             \
    uint32_t SN_LANES_NAME(name, SN_VECTOR)(sn_spin_batch * batch)                                                     \
    {                                                                                                                  \
        uint32_t bits = 0;                                                                                             \
        fill_spins(batch);                                                                                             \
        for (uint32_t at = 0; at < batch->count; at += SN_WIDTH)                                                       \
            bits |= flags_bits(weigh(batch, at, again)) << at;                                                         \
        return bits & ((1u << batch->count) - 1);                                                                      \
    }

/* The change of momentum for a change g of the angular velocity: k^2 g along principal axes, per unit of mass. */
SN_LANES_INLINE lanes3 momentum_of(const axes *odd, lanes4 q, lanes3 k, lanes3 g)
{
    const lanes endless = lanes_all((double)INFINITY);
    const lanes3 k2 = {lanes_keep(lanes_above(endless, k.x), k.x * k.x),
                       lanes_keep(lanes_above(endless, k.y), k.y * k.y),
                       lanes_keep(lanes_above(endless, k.z), k.z * k.z)};
    const lanes3 more = lanes3_scale(g, k2.x);
    if (flags_all(odd->all))
        return more;
    const lanes3 own = odd_first(odd, k2), u = odd_axis(odd, q);
    const lanes alike = own.y, along = (own.x - alike) * lanes3_dot(u, g);
    lanes3 some = lanes3_add(lanes3_scale(g, alike), lanes3_scale(u, along));
    if (flags_any(odd->none)) {
        const lanes3 own_g = turned(vector_part(q), -q.w, g);
        const lanes3 any = {own_g.x * k2.x, own_g.y * k2.y, own_g.z * k2.z};
        some = lanes3_choose(odd->none, turned(vector_part(q), q.w, any), some);
    }
    return lanes3_choose(odd->all, more, some);
}

/* The energy is l . I^-1 l / 2, and the world inertia I depends on the orientation. Contact computes impulses with the
   angular velocity and the inertia at the orientation `as`. So the momentum changes there, and from there the body
   rotates freely, which keeps the energy. An alternative was to rotate from body->q by the change of the angular
   velocity. With it a flat box without friction had up to 4 % more energy after a bounce at ten substeps. A body that
   hardly rotates is nevertheless advanced by that change. A house of cards, whose cards alternate between rotating by
   less and by more than BARELY, fell when `as` was taken as the start of their rotation. */
SN_LANES_INLINE bool spin(const sn_spin_batch *batch, uint32_t at)
{
    const axes odd = axes_of(batch->odd + at);
    const lanes half = lanes_all(0.5), one = lanes_all(1), h = lanes_all(batch->h);
    const sn_vec4 *const given = batch->gain + at, *const besides = batch->by + at;
    const lanes4 q = PICK4(batch->body + at, ->q), as = PICK4(batch->as + at, );
    const lanes3 g = PICK_VECTOR(given, .), turn = PICK_VECTOR(besides, .), k = PICK3(batch->body + at, ->k);
    const lanes3 x = PICK3(batch->inverse + at, ), was = PICK3(batch->body + at, ->l);
    const lanes3 l = lanes3_add(was, momentum_of(&odd, as, k, g));
    const flags tumbled = tumbles(&odd, x, was, h), far = tumbled | tumbles(&odd, x, l, h);
    const lanes3 by = lanes3_choose(far, turn, lanes3_add(turn, lanes3_scale(g, h)));
    lanes4 end = q;
    if (flags_any(far)) {
        const lanes4 from = flags_all(tumbled) ? as : choose4(tumbled, as, rotate_freely(q, was, x, -h));
        end = choose4(far, rotate_freely(from, l, x, h), q);
    }
    end = unit(times((lanes4){by.x * half, by.y * half, by.z * half, one}, end));
    PUT3(batch->body + at, ->l, l);
    PUT4(batch->body + at, ->q, end);
    put_quat(batch->start + at, end);
    put_quat(batch->now + at, end);
    return is_sound(end, l, k, by);
}

TURN(sn_turn_back, sn_spin_batch, back, fill_spins)
WEIGH(sn_turn_weigh, false)
WEIGH(sn_turn_weigh_again, true)
TURN(sn_turn_spin, sn_spin_batch, spin, fill_spins)

/* ---- Energies ---------------------------------------------------------------------------------------------------- */

/* (sum + a_i b_i x_i) s, one axis after the other. s is a power of two. */
SN_LANES_INLINE lanes add_turning(lanes sum, lanes3 a, lanes3 b, lanes3 x, lanes s)
{
    sum = sum + a.x * b.x * x.x * s;
    sum = sum + a.y * b.y * x.y * s;
    return sum + a.z * b.z * x.z * s;
}

SN_LANES_INLINE lanes3 inverse_of(lanes3 k)
{
    const lanes one = lanes_all(1);
    return (lanes3){one / (k.x * k.x), one / (k.y * k.y), one / (k.z * k.z)};
}

/* Bodies of a run from `at` on. After the last one it is repeated. */
typedef struct jointed {
    sn_body_state *state[SN_WIDTH];
    const sn_body_motion *motion[SN_WIDTH];
    sn_articulated *body[SN_WIDTH];
    const sn_vec4 *v[SN_WIDTH];
} jointed;

SN_LANES_INLINE jointed jointed_of(const sn_energy_run *e, uint32_t at)
{
    jointed j;
    for (uint32_t i = 0; i < SN_WIDTH; ++i) {
        const uint32_t row = e->row[at + i < e->count ? at + i : e->count - 1];
        j.state[i] = &e->state[row];
        j.motion[i] = &e->motion[row];
        j.body[i] = &e->body[row];
        j.v[i] = &e->v[j.body[i]->slot];
    }
    return j;
}

SN_LANES_INLINE lanes kinetic_of(const jointed *j, lanes3 v, lanes3 l, lanes3 inverse, lanes w)
{
    const lanes4 q = PICK4(j->state, ->q);
    const lanes3 own = turned(vector_part(q), -q.w, l);
    return add_turning(lanes3_dot(v, v), own, own, inverse, lanes_all(1)) / (lanes_all(2) * w);
}

SN_LANES_INLINE lanes kinetic(const jointed *j)
{
    const lanes3 v = PICK_VECTOR(j->v, ->), l = PICK3(j->state, ->l);
    return kinetic_of(j, v, l, inverse_of(PICK3(j->state, ->k)), PICK(j->body, ->w));
}

/* u: m/s, the change of the predicted velocity. */
SN_LANES_INLINE lanes ahead_of(lanes3 u, lanes3 kick, lanes w)
{
    return lanes3_dot(kick, lanes3_add(u, kick)) / lanes_all(2) / w;
}

SN_LANES_INLINE void energies(const jointed *j)
{
    const lanes one = lanes_all(1), half = lanes_all(0.5), w = PICK(j->body, ->w), mass = one / w;
    const lanes3 v = PICK_VECTOR(j->v, ->), l = PICK3(j->state, ->l), inverse = inverse_of(PICK3(j->state, ->k));
    const lanes3 was = PICK3(j->body, ->v), u = lanes3_sub(v, was), predicted = PICK3(j->motion, ->l);
    const lanes4 q = PICK4(j->motion, ->q);
    const lanes3 own = turned(vector_part(q), -q.w, predicted),
                 gain = turned(vector_part(q), -q.w, lanes3_sub(l, predicted)), kick = PICK3(j->body, ->kick);
    const lanes square = lanes3_dot(kick, kick),
                forces = lanes3_dot(kick, u) + lanes_all(0.5 - SN_SWING_LITTLE / 2) * square;
    const lanes present = mass * add_turning(lanes3_dot(was, was) * half, own, own, inverse, half);
    const lanes a = mass * add_turning(lanes3_dot(was, u), own, gain, inverse, one);
    const lanes b = mass * add_turning(lanes3_dot(u, u) * half, gain, gain, inverse, half);
    const lanes now = kinetic_of(j, v, l, inverse, w), due = present + forces / w, ahead = ahead_of(u, kick, w),
                little = lanes_all(SN_SWING_LITTLE / 2) * square / w;
    PUT(j->body, ->present, present), PUT(j->body, ->a, a), PUT(j->body, ->b, b), PUT(j->body, ->kinetic, now);
    PUT(j->body, ->due, due), PUT(j->body, ->ahead, ahead), PUT(j->body, ->little, little);
}

SN_LANES_INLINE void changed(const jointed *j)
{
    const lanes3 u = lanes3_sub(PICK_VECTOR(j->v, ->), PICK3(j->body, ->v));
    const lanes now = kinetic(j), ahead = ahead_of(u, PICK3(j->body, ->kick), PICK(j->body, ->w));
    PUT(j->body, ->kinetic, now), PUT(j->body, ->ahead, ahead);
}

SN_LANES_INLINE void lost(const jointed *j)
{
    const lanes missing = PICK(j->body, ->kinetic) - kinetic(j);
    const reals by = REALS(missing);
    PUT(j->state, ->lost, by);
}

#define ENERGY(name, one)                                                                                              \
    void SN_LANES_NAME(name, SN_VECTOR)(const sn_energy_run *run)                                                      \
    {                                                                                                                  \
        for (uint32_t at = 0; at < run->count; at += SN_WIDTH) {                                                       \
            const jointed j = jointed_of(run, at);                                                                     \
            one(&j);                                                                                                   \
        }                                                                                                              \
    }

ENERGY(sn_turn_energies, energies)
ENERGY(sn_turn_changed, changed)
ENERGY(sn_turn_lost, lost)

#if !SN_VECTOR
void sn_rotate_free(double q[4], const double l[3], const double inverse_moment[3], double h)
{
    const lanes4 end = rotate_freely((lanes4){q[0], q[1], q[2], q[3]}, (lanes3){l[0], l[1], l[2]},
                                     (lanes3){inverse_moment[0], inverse_moment[1], inverse_moment[2]}, h);
    q[0] = end.x, q[1] = end.y, q[2] = end.z, q[3] = end.w;
}

#define TURNING(size)                                                                                                  \
    {                                                                                                                  \
        sn_turn_predict_lanes_##size, sn_turn_settle_lanes_##size, sn_turn_gain_lanes_##size,                          \
            sn_turn_back_lanes_##size, sn_turn_weigh_lanes_##size, sn_turn_weigh_again_lanes_##size,                   \
            sn_turn_spin_lanes_##size, sn_turn_energies_lanes_##size, sn_turn_changed_lanes_##size,                    \
            sn_turn_lost_lanes_##size                                                                                  \
    }

const sn_turning *sn_turning_by(uint32_t vector)
{
    static const sn_turning one = TURNING(0);
#if SN_LANES_32
    static const sn_turning four = TURNING(32);
    if (vector >= 32)
        return &four;
#endif
#if SN_LANES_16 && !defined(__wasm__) /* on WebAssembly one lane is used */
    static const sn_turning two = TURNING(16);
    if (vector >= 16)
        return &two;
#endif
    (void)vector;
    return &one;
}
#endif
