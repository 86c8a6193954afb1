/* Lanes: several constraints at once. For files that hold the formula of a constraint kind, and for nothing else: the
   names in here are short, so that formulas can be read.

   A file is compiled once for each width. SN_VECTOR is the size of a vector: 0 (no vectors), 16, 32 or 64
   bytes. It may define SN_LANE_DOUBLE as 1 before it includes this header: then it needs double precision, and gets
   half of the lanes. With SINEW_DOUBLE everything is double.

       lane_number  one number: float or double
       SN_WIDTH  so many of them make up
       lanes     with the operators + - * / of the language; and
       flags     are all ones or all zeros in each lane, with the operators & | ~
       lanes3    is a vector of three coordinates in each lane

   Every operation is IEEE and acts on each lane_number alone, so results do not depend on the width. There are no
   branches: both sides of a choice are computed, and lanes_choose or lanes_keep takes one. What is computed for the
   other side may be infinite or no number.

   Vectors need the vector extensions of gcc or clang. */
#ifndef SINEW_LANES_H
#define SINEW_LANES_H

#include <sinew/constraints.h>

#include <math.h>
#include <string.h>

#ifndef SN_VECTOR
#define SN_VECTOR 0
#endif
#ifndef SN_LANE_DOUBLE
#define SN_LANE_DOUBLE SINEW_DOUBLE
#elif SINEW_DOUBLE
#undef SN_LANE_DOUBLE
#define SN_LANE_DOUBLE 1
#endif

/* gcc takes ten times as long to read <immintrin.h> as to compile a formula. The few builtins that are needed are in
   its manual; those of clang are not promised to stay. */
#if SN_VECTOR == 32 && defined(__AVX__) && defined(__GNUC__) && !defined(__clang__)
#define SN_LANES_AVX(builtin, intrinsic)                                                                               \
    SN_LANES_BY_PRECISION(__builtin_ia32_##builtin##ps256, __builtin_ia32_##builtin##pd256)
#elif SN_VECTOR >= 32 && defined(__AVX__)
#include <immintrin.h>
#define SN_LANES_AVX(builtin, intrinsic) SN_LANES_BY_PRECISION(_mm256_##intrinsic##_ps, _mm256_##intrinsic##_pd)
#elif SN_VECTOR && defined(__SSE2__)
#include <emmintrin.h>
#elif SN_VECTOR && defined(__aarch64__)
#include <arm_neon.h>
#elif SN_VECTOR && defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#ifdef __GNUC__
#define SN_LANES_INLINE static inline __attribute__((always_inline))
#else
#define SN_LANES_INLINE static inline
#endif

/* SN_LANES_OF(lanes3){x, y, z} in both languages. */
#ifdef __cplusplus
#define SN_LANES_OF(type) type
#else
#define SN_LANES_OF(type) (type)
#endif

#if SN_LANE_DOUBLE
typedef double lane_number;
typedef int64_t lane_bits;
#define SN_LANES_BY_PRECISION(single, twice) twice
#else
typedef float lane_number;
typedef int32_t lane_bits;
#define SN_LANES_BY_PRECISION(single, twice) single
#endif

#if SN_VECTOR
#define SN_WIDTH (SN_VECTOR / (SN_LANE_DOUBLE ? 8 : 4))
typedef lane_number lanes __attribute__((vector_size(SN_VECTOR)));
typedef lane_bits flags __attribute__((vector_size(SN_VECTOR)));
#else
#define SN_WIDTH 1
typedef lane_number lanes;
typedef lane_bits flags;
#endif

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

typedef struct lanes4 { /* a rotation: (x, y, z) and its real part w */
    lanes x, y, z, w;
} lanes4;

/* ---- From numbers and back ------------------------------------------------------------------- */

SN_LANES_INLINE lanes lanes_all(double a)
{
#if SN_VECTOR
    return (lane_number)a - SN_LANES_OF(lanes){0}; /* -0 stays -0 */
#else
    return (lane_number)a;
#endif
}

SN_LANES_INLINE lanes lanes_load(const lane_number *from)
{
    lanes a;
    memcpy(&a, from, sizeof a);
    return a;
}

SN_LANES_INLINE void lanes_store(lane_number *to, lanes a)
{
    memcpy(to, &a, sizeof a);
}

/* As a parameter is stored: rounded to sn_real. What is measured, and rounded, is then met to the last bit. */
SN_LANES_INLINE lanes lanes_as_stored(lanes a)
{
#if !SN_LANE_DOUBLE || SINEW_DOUBLE
    return a;
#elif SN_VECTOR
    typedef float stored __attribute__((vector_size(SN_VECTOR / 2)));
    return __builtin_convertvector(__builtin_convertvector(a, stored), lanes);
#else
    return (lanes)(float)a;
#endif
}

/* ---- Choosing: comparisons with a NaN are false, but for lanes_unequal ----------------------- */

#if SN_VECTOR
#define SN_LANES_COMPARE(a, op, b) ((a)op(b))
#else
#define SN_LANES_COMPARE(a, op, b) (-(flags)((a)op(b)))
#endif

SN_LANES_INLINE flags lanes_above(lanes a, lanes b)
{
    return SN_LANES_COMPARE(a, >, b);
}

SN_LANES_INLINE flags lanes_at_least(lanes a, lanes b)
{
    return SN_LANES_COMPARE(a, >=, b);
}

SN_LANES_INLINE flags lanes_unequal(lanes a, lanes b)
{
    return SN_LANES_COMPARE(a, !=, b);
}

SN_LANES_INLINE flags flags_everywhere(void)
{
    return lanes_at_least(lanes_all(0), lanes_all(0));
}

SN_LANES_INLINE flags flags_nowhere(void)
{
    return lanes_above(lanes_all(0), lanes_all(0));
}

/* a where flagged, b elsewhere. */
SN_LANES_INLINE lanes lanes_choose(flags where, lanes a, lanes b)
{
#if SN_VECTOR == 0
    return where ? a : b;
#elif SN_VECTOR == 64 && defined(__AVX512DQ__)
    return SN_LANES_BY_PRECISION(
        (lanes)_mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)where), (__m512)b, (__m512)a),
        (lanes)_mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)where), (__m512d)b, (__m512d)a));
#elif SN_VECTOR == 32 && defined(__AVX__)
    return (lanes)SN_LANES_AVX(blendv, blendv)(b, a, (lanes)where);
#else
    return (lanes)((where & (flags)a) | (~where & (flags)b));
#endif
}

/* a where flagged, 0 elsewhere, whatever a is there. */
SN_LANES_INLINE lanes lanes_keep(flags where, lanes a)
{
#if SN_VECTOR
    return (lanes)(where & (flags)a);
#else
    return where ? a : 0;
#endif
}

/* A bit for each lane that is flagged. */
SN_LANES_INLINE uint32_t flags_bits(flags where)
{
#if SN_VECTOR == 0
    return where != 0;
#elif SN_VECTOR == 64 && defined(__AVX512DQ__)
    return SN_LANES_BY_PRECISION(_mm512_movepi32_mask((__m512i)where), _mm512_movepi64_mask((__m512i)where));
#elif SN_VECTOR == 32 && defined(__AVX__)
    return (uint32_t)SN_LANES_AVX(movmsk, movemask)((lanes)where);
#elif SN_VECTOR == 16 && defined(__SSE2__)
    return (uint32_t)SN_LANES_BY_PRECISION(_mm_movemask_ps((__m128)where), _mm_movemask_pd((__m128d)where));
#elif SN_VECTOR == 16 && defined(__wasm_simd128__)
    return (uint32_t)SN_LANES_BY_PRECISION(wasm_i32x4_bitmask((v128_t)where), wasm_i64x2_bitmask((v128_t)where));
#else
    uint32_t bits = 0;
    for (int i = 0; i < SN_WIDTH; ++i)
        bits |= (uint32_t)(where[i] & 1) << i;
    return bits;
#endif
}

#define SN_ALL_LANES ((1u << SN_WIDTH) - 1)

SN_LANES_INLINE bool flags_all(flags where)
{
    return flags_bits(where) == SN_ALL_LANES;
}

SN_LANES_INLINE bool flags_any(flags where)
{
    return flags_bits(where) != 0;
}

/* The lanes whose bit is set. */
SN_LANES_INLINE flags flags_of(uint32_t bits)
{
#if SN_VECTOR
#if SN_VECTOR == 16 && SN_LANE_DOUBLE
    const flags lane = {1, 2};
#elif SN_VECTOR == 16 || (SN_VECTOR == 32 && SN_LANE_DOUBLE)
    const flags lane = {1, 2, 4, 8};
#elif SN_VECTOR == 32 || SN_LANE_DOUBLE
    const flags lane = {1, 2, 4, 8, 16, 32, 64, 128};
#else
    const flags lane = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
#endif
    return (((lane_bits)bits - SN_LANES_OF(flags){0}) & lane) != 0;
#else
    return -(flags)(bits & 1);
#endif
}

/* a if it is the smaller one, otherwise b: b if one of them is not a number, and of two zeros. */
SN_LANES_INLINE lanes lanes_min(lanes a, lanes b)
{
#if SN_VECTOR == 64 && defined(__AVX512F__)
    return SN_LANES_BY_PRECISION((lanes)_mm512_min_ps((__m512)a, (__m512)b),
                                 (lanes)_mm512_min_pd((__m512d)a, (__m512d)b));
#elif SN_VECTOR == 32 && defined(__AVX__)
    return (lanes)SN_LANES_AVX(min, min)(a, b);
#elif SN_VECTOR == 16 && defined(__SSE2__)
    return SN_LANES_BY_PRECISION((lanes)_mm_min_ps((__m128)a, (__m128)b), (lanes)_mm_min_pd((__m128d)a, (__m128d)b));
#elif SN_VECTOR == 16 && defined(__wasm_simd128__)
    return SN_LANES_BY_PRECISION((lanes)wasm_f32x4_pmin((v128_t)b, (v128_t)a),
                                 (lanes)wasm_f64x2_pmin((v128_t)b, (v128_t)a));
#else
    return lanes_choose(lanes_above(b, a), a, b);
#endif
}

/* a if it is the larger one, otherwise b. */
SN_LANES_INLINE lanes lanes_max(lanes a, lanes b)
{
#if SN_VECTOR == 64 && defined(__AVX512F__)
    return SN_LANES_BY_PRECISION((lanes)_mm512_max_ps((__m512)a, (__m512)b),
                                 (lanes)_mm512_max_pd((__m512d)a, (__m512d)b));
#elif SN_VECTOR == 32 && defined(__AVX__)
    return (lanes)SN_LANES_AVX(max, max)(a, b);
#elif SN_VECTOR == 16 && defined(__SSE2__)
    return SN_LANES_BY_PRECISION((lanes)_mm_max_ps((__m128)a, (__m128)b), (lanes)_mm_max_pd((__m128d)a, (__m128d)b));
#elif SN_VECTOR == 16 && defined(__wasm_simd128__)
    return SN_LANES_BY_PRECISION((lanes)wasm_f32x4_pmax((v128_t)b, (v128_t)a),
                                 (lanes)wasm_f64x2_pmax((v128_t)b, (v128_t)a));
#else
    return lanes_choose(lanes_above(a, b), a, b);
#endif
}

SN_LANES_INLINE lanes lanes_abs(lanes a)
{
#if SN_VECTOR
    return (lanes)((flags)a & SN_LANES_BY_PRECISION(INT32_MAX, INT64_MAX));
#else
    return SN_LANES_BY_PRECISION(fabsf(a), fabs(a));
#endif
}

/* -1 or 1 by the sign of a, which may be that of a zero. */
SN_LANES_INLINE lanes lanes_sign(lanes a)
{
#if SN_VECTOR
    return (lanes)(((flags)a & SN_LANES_BY_PRECISION(INT32_MIN, INT64_MIN)) | (flags)lanes_all(1));
#else
    return SN_LANES_BY_PRECISION(copysignf(1, a), copysign(1, a));
#endif
}

/* The square root, correctly rounded. */
SN_LANES_INLINE lanes lanes_sqrt(lanes a)
{
#if SN_VECTOR == 0
    return SN_LANES_BY_PRECISION(sqrtf(a), sqrt(a));
#elif SN_VECTOR == 64 && defined(__AVX512F__)
    return SN_LANES_BY_PRECISION((lanes)_mm512_sqrt_ps((__m512)a), (lanes)_mm512_sqrt_pd((__m512d)a));
#elif SN_VECTOR == 32 && defined(__AVX__)
    return (lanes)SN_LANES_AVX(sqrt, sqrt)(a);
#elif SN_VECTOR == 16 && defined(__SSE2__)
    return SN_LANES_BY_PRECISION((lanes)_mm_sqrt_ps((__m128)a), (lanes)_mm_sqrt_pd((__m128d)a));
#elif SN_VECTOR == 16 && defined(__aarch64__)
    return SN_LANES_BY_PRECISION((lanes)vsqrtq_f32((float32x4_t)a), (lanes)vsqrtq_f64((float64x2_t)a));
#elif SN_VECTOR == 16 && defined(__wasm_simd128__)
    return SN_LANES_BY_PRECISION((lanes)wasm_f32x4_sqrt((v128_t)a), (lanes)wasm_f64x2_sqrt((v128_t)a));
#else
    for (int i = 0; i < SN_WIDTH; ++i)
        a[i] = SN_LANES_BY_PRECISION(sqrtf(a[i]), sqrt(a[i]));
    return a;
#endif
}

/* ---- Vectors --------------------------------------------------------------------------------- */

SN_LANES_INLINE lanes3 lanes3_of(lanes x, lanes y, lanes z)
{
    return SN_LANES_OF(lanes3){x, y, z};
}

/* A vector among the parameters. */
SN_LANES_INLINE lanes3 lanes3_read(const lanes *from)
{
    return SN_LANES_OF(lanes3){from[0], from[1], from[2]};
}

SN_LANES_INLINE lanes3 lanes3_add(lanes3 a, lanes3 b)
{
    return SN_LANES_OF(lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}

SN_LANES_INLINE lanes3 lanes3_sub(lanes3 a, lanes3 b)
{
    return SN_LANES_OF(lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

SN_LANES_INLINE lanes3 lanes3_scale(lanes3 a, lanes s)
{
    return SN_LANES_OF(lanes3){a.x * s, a.y * s, a.z * s};
}

SN_LANES_INLINE lanes3 lanes3_negate(lanes3 a)
{
    return SN_LANES_OF(lanes3){-a.x, -a.y, -a.z};
}

SN_LANES_INLINE lanes lanes3_dot(lanes3 a, lanes3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SN_LANES_INLINE lanes3 lanes3_cross(lanes3 a, lanes3 b)
{
    return SN_LANES_OF(lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

SN_LANES_INLINE lanes lanes3_length(lanes3 a)
{
    return lanes_sqrt(lanes3_dot(a, a));
}

SN_LANES_INLINE lanes3 lanes3_choose(flags where, lanes3 a, lanes3 b)
{
    return SN_LANES_OF(lanes3){lanes_choose(where, a.x, b.x), lanes_choose(where, a.y, b.y),
                               lanes_choose(where, a.z, b.z)};
}

SN_LANES_INLINE lanes3 lanes3_keep(flags where, lanes3 a)
{
    return SN_LANES_OF(lanes3){lanes_keep(where, a.x), lanes_keep(where, a.y), lanes_keep(where, a.z)};
}

/* ---- Functions ------------------------------------------------------------------------------- */

/* (atan(t) - t) / t^3 as a polynomial in t^2, where |t| <= tan(pi / 8): interpolated at the Chebyshev points, so that
   the relative error of atan(t) is below 2e-13; with SINEW_DOUBLE, below 3e-16. */
SN_LANES_INLINE lanes lanes_atan_rest(lanes z)
{
#if SINEW_DOUBLE
    static const double c[] = {-0x1.5555555555555p-2, 0x1.999999999999ap-3, -0x1.249249249251cp-3, 0x1.c71c71c72303fp-4,
                               -0x1.745d174729e5ap-4, 0x1.3b13b16649ac8p-4, -0x1.111114a376b75p-4, 0x1.e1e249540b6a9p-5,
                               -0x1.af2c75f37a0e1p-5, 0x1.8633635fe883ep-5, -0x1.6494a4d391e94p-5, 0x1.47d041ed2d4abp-5,
                               -0x1.270b457e8f96ep-5, 0x1.cf26456d29440p-6, -0x1.c0028e5bb49d2p-7};
#else
    static const double c[] = {-0x1.55555555525eap-2, 0x1.99999988508aep-3,  -0x1.249240d4f1a0fp-3,
                               0x1.c71961d2f694ap-4,  -0x1.7415967bbec7ep-4, 0x1.377cf3c07d5e8p-4,
                               -0x1.edb7381414cb4p-5, 0x1.0de87e21a0a84p-5};
#endif
    enum { TERMS = sizeof c / sizeof *c };
    lanes sum = lanes_all(c[TERMS - 1]);
    for (int i = TERMS - 2; i >= 0; --i)
        sum = sum * z + lanes_all(c[i]);
    return sum;
}

#define LANES_PI 3.14159265358979323846

/* The angle of the vector (x, y), for finite x and y, from -pi to pi: 0 or pi if both are 0. Relative error below
   4e-13 in double precision, and a few last places with SINEW_DOUBLE. With t the smaller of |x| and |y| divided by
   the larger, atan(t) = pi / 4 + atan((t - 1) / (t + 1)) brings t below tan(pi / 8). */
SN_LANES_INLINE lanes lanes_atan2(lanes y, lanes x)
{
    const double eighth = 0.41421356237309503;
    lanes ax = lanes_abs(x), ay = lanes_abs(y), zero = lanes_all(0);
    flags steep = lanes_above(ay, ax);
    lanes large = lanes_choose(steep, ay, ax), small = lanes_choose(steep, ax, ay);
    flags over = lanes_above(small, large * lanes_all(eighth));
    lanes above = lanes_choose(over, small - large, small), below = lanes_choose(over, small + large, large);
    lanes t = lanes_keep(lanes_above(large, zero), above / below);
    lanes z = t * t, angle = t + t * (z * lanes_atan_rest(z));
    angle = lanes_choose(over, lanes_all(LANES_PI / 4) + angle, angle);
    angle = lanes_choose(steep, lanes_all(LANES_PI / 2) - angle, angle);
    angle = lanes_choose(lanes_above(zero, lanes_sign(x)), lanes_all(LANES_PI) - angle, angle);
    return angle * lanes_sign(y);
}

/* The nearest whole number, of two the even one. What is beyond 2^22, in double precision 2^51, stays as it is. */
SN_LANES_INLINE lanes lanes_round(lanes a)
{
    const lanes whole = lanes_all(SN_LANES_BY_PRECISION(0x1.8p23, 0x1.8p52)); /* what is added to it is rounded */
    const flags small = lanes_above(lanes_all(SN_LANES_BY_PRECISION(0x1p22, 0x1p51)), lanes_abs(a));
    return lanes_choose(small, (a + whole) - whole, a);
}

/* The sine of an angle, and its cosine. The error is below 3e-16, in single precision 2e-7, and what rounding of x
   does; so it grows with x. Beyond 1e15, in single precision 1e6, x has no place on the circle, and counts as 0. With
   n the nearest number of quarters, x - n pi / 2 is taken in three parts, the first of which is exact (Cody and
   Waite), and at most pi / 4: there Taylor's series. */
SN_LANES_INLINE lanes lanes_sine(lanes x, lanes *cosine)
{
    static const double odd[] = {-1.0 / 6,        1.0 / 120,        -1.0 / 5040,         1.0 / 362880,
                                 -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000};
    static const double even[] = {1.0 / 24,        -1.0 / 720,         1.0 / 40320,           -1.0 / 3628800,
                                  1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000.0};
    const lanes whole = lanes_all(SN_LANES_BY_PRECISION(0x1.8p23, 0x1.8p52)); /* what is added to it is rounded */
    x = lanes_keep(lanes_above(lanes_all(SN_LANES_BY_PRECISION(1e6, 1e15)), lanes_abs(x)), x);
    lanes n = (x * lanes_all(2 / LANES_PI) + whole) - whole,
          k = n - lanes_all(4) * ((n * lanes_all(0.25) + whole) - whole);
    lanes r = x - n * lanes_all(SN_LANES_BY_PRECISION(0x1.92p0, 0x1.921fb544p0));
    r = r - n * lanes_all(SN_LANES_BY_PRECISION(0x1.fb4p-12, 0x1.0b4611a6p-34));
    r = r - n * lanes_all(SN_LANES_BY_PRECISION(0x1.4442d2p-24, 0x1.3198a2e037073p-69));
    lanes z = r * r, s = lanes_all(odd[6]), c = lanes_all(even[6]), half = lanes_all(0.5);
    for (int i = 5; i >= 0; --i) {
        s = s * z + lanes_all(odd[i]);
        c = c * z + lanes_all(even[i]);
    }
    s = r + r * (z * s);
    c = (lanes_all(1) - half * z) + z * (z * c);
    /* k, from -2 to 2, is the quarter */
    flags swapped = lanes_above(lanes_abs(k), half) & lanes_above(lanes_all(1.5), lanes_abs(k));
    flags below = lanes_above(k, lanes_all(1.5)) | lanes_above(-half, k);
    flags left = lanes_above(k, half) | lanes_above(lanes_all(-1.5), k);
    lanes sine = lanes_choose(swapped, c, s), other = lanes_choose(swapped, s, c);
    *cosine = lanes_choose(left, -other, other);
    return lanes_choose(below, -sine, sine);
}

/* An angle that lies within one turn of where it belongs, brought to (-pi, pi], both ends as sn_real has them. */
SN_LANES_INLINE lanes lanes_wrap(lanes a)
{
    const lanes pi = lanes_as_stored(lanes_all(LANES_PI)), circle = lanes_all(2 * LANES_PI);
    return a + (lanes_keep(lanes_at_least(-pi, a), circle) - lanes_keep(lanes_above(a, pi), circle));
}

/* A unit vector normal to a (which is not 0) for where any will do: the part across a of the coordinate axis to which
   a is least inclined, z if in doubt. For a in the plane of a 2D world that is z itself. */
SN_LANES_INLINE lanes3 lanes3_any_normal(lanes3 a)
{
    lanes x = lanes_abs(a.x), y = lanes_abs(a.y), z = lanes_abs(a.z), one = lanes_all(1);
    flags by_z = lanes_at_least(x, z) & lanes_at_least(y, z), by_y = ~by_z & lanes_at_least(x, y);
    lanes3 axis = {lanes_keep(~by_z & ~by_y, one), lanes_keep(by_y, one), lanes_keep(by_z, one)};
    lanes3 normal = lanes3_sub(axis, lanes3_scale(a, lanes3_dot(a, axis) / lanes3_dot(a, a)));
    return lanes3_scale(normal, one / lanes3_length(normal));
}

/* ---- A kind over lanes ----------------------------------------------------------------------- */

/* What a row of a constraint means, as sn_row; in each lane. */
typedef struct lanes_row {
    flags rate, rest, at_least; /* SN_ROW_RATE, SN_ROW_REST, SN_ROW_AT_LEAST; nowhere: SN_ROW_BY_KIND */
    lanes compliance, damping;
    lanes speed;     /* of a rate */
    lanes most;      /* 0: any */
    lanes low, high; /* both 0: none */
} lanes_row;

/* What an evaluation sees: sn_eval_in, in each lane. */
typedef struct lanes_in {
    const lanes3 *x;    /* m: positions of the points, relative to the first if the kind is internal */
    const lanes4 *q;    /* how the axes of the points are turned in the world; NULL unless the kind is oriented */
    const lanes *param; /* the numbers in the order of the kind's list, vectors as three */
    const lanes *state; /* what it remembers; NULL if the kind has none */
    void *context;      /* of the kind */
    bool planar;        /* in a 2D world: z is locked */
} lanes_in;

/* What it writes. The arrays are zeroed beforehand, and `exists` is everywhere. */
typedef struct lanes_out {
    lanes *c;         /* c[row] */
    lanes3 *gradient; /* gradient[row * points + point] */
    lanes3 *turn;     /* turn[row * points + point]; NULL unless the kind is oriented */
    lanes_row *row;   /* row[row]; NULL unless the kind has own_rows */
    flags exists;     /* where the gradient does not exist, the constraint rests for that pass */
} lanes_out;

/* A row of a kind with two points that depends on where the first is seen from the second; gradient is that by the
   first. */
SN_LANES_INLINE void lanes_write_pair(lanes_out *out, uint32_t row, lanes c, lanes3 gradient)
{
    out->c[row] = c;
    out->gradient[2 * row] = gradient;
    out->gradient[2 * row + 1] = lanes3_negate(gradient);
}

/* SN_LANES(name, evaluate, POINTS, ROWS, PARAMS, STATE) makes a formula,

       static void evaluate(const lanes_in *in, lanes_out *out),

   known by name. In a file that is compiled with SN_VECTOR 16 or 32 that is all that it does. In the one with
   SN_VECTOR 0 it also defines what an sn_kind needs: SN_LANES_EVAL(name), for sn_kind.eval, and SN_LANES_TABLE(name),
   for sn_kind.lanes. In that file SN_LANES_16 and SN_LANES_32, 0 or 1, say which of the others are compiled. */
#ifndef SN_LANES_16
#define SN_LANES_16 0
#endif
#ifndef SN_LANES_32
#define SN_LANES_32 0
#endif

#define SN_LANES_NAME_(name, size) name##_lanes_##size
#define SN_LANES_NAME(name, size)  SN_LANES_NAME_(name, size)

#define SN_LANES_ONE(name, evaluate)                                                                                   \
    void SN_LANES_NAME(name, SN_VECTOR)(const void *in, void *out);                                                    \
    void SN_LANES_NAME(name, SN_VECTOR)(const void *in, void *out)                                                     \
    {                                                                                                                  \
        evaluate((const lanes_in *)in, (lanes_out *)out);                                                              \
    }

/* One constraint: its numbers go to all lanes, and come back from the first. */
SN_LANES_INLINE lane_number lanes_first(lanes a)
{
#if SN_VECTOR
    return a[0];
#else
    return a;
#endif
}

SN_LANES_INLINE bool flags_first(flags where)
{
    return flags_bits(where) & 1;
}

SN_LANES_INLINE lanes3 lanes3_from(sn_vec3 a)
{
    return SN_LANES_OF(lanes3){lanes_all(a.x), lanes_all(a.y), lanes_all(a.z)};
}

SN_LANES_INLINE lanes4 lanes4_from(sn_quat a)
{
    return SN_LANES_OF(lanes4){lanes_all(a.x), lanes_all(a.y), lanes_all(a.z), lanes_all(a.w)};
}

SN_LANES_INLINE sn_vec3 lanes3_round(lanes3 a)
{
    return SN_LANES_OF(sn_vec3){(sn_real)lanes_first(a.x), (sn_real)lanes_first(a.y), (sn_real)lanes_first(a.z)};
}

SN_LANES_INLINE void lanes_write_row(const lanes_row *from, sn_row *to)
{
    to->type = flags_first(from->rate)       ? SN_ROW_RATE
               : flags_first(from->rest)     ? SN_ROW_REST
               : flags_first(from->at_least) ? SN_ROW_AT_LEAST
                                             : SN_ROW_BY_KIND;
    to->compliance = (sn_real)lanes_first(from->compliance);
    to->damping = (sn_real)lanes_first(from->damping);
    to->rate = (sn_real)lanes_first(from->speed);
    to->most = (sn_real)lanes_first(from->most);
    to->low = (sn_real)lanes_first(from->low);
    to->high = (sn_real)lanes_first(from->high);
}

SN_LANES_INLINE bool lanes_alone(sn_lanes_fn *formula, uint32_t points, uint32_t rows, uint32_t params, uint32_t state,
                                 const sn_eval_in *from, const sn_eval_out *to)
{
    lanes3 x[SN_MAX_POINTS], gradient[SN_MAX_ROWS * SN_MAX_POINTS], turn[SN_MAX_ROWS * SN_MAX_POINTS];
    lanes4 q[SN_MAX_POINTS];
    lanes param[SN_MAX_PARAM_NUMBERS], kept[SN_MAX_STATE], c[SN_MAX_ROWS];
    lanes_row row[SN_MAX_ROWS];
    const lanes zero = lanes_all(0);
    memset(c, 0, rows * sizeof *c);
    memset(row, 0, rows * sizeof *row);
    for (uint32_t i = 0; i < rows * points; ++i)
        gradient[i] = SN_LANES_OF(lanes3){zero, zero, zero};
    for (uint32_t i = 0; to->turn && i < rows * points; ++i)
        turn[i] = SN_LANES_OF(lanes3){zero, zero, zero};
    for (uint32_t i = 0; i < points; ++i) {
        x[i] = lanes3_from(from->x[i]);
        if (from->q)
            q[i] = lanes4_from(from->q[i]);
    }
    for (uint32_t i = 0; i < params; ++i)
        param[i] = lanes_all(from->param[i]);
    for (uint32_t i = 0; from->state && i < state; ++i)
        kept[i] = lanes_all(from->state[i]);
    const lanes_in in = {x, from->q ? q : NULL, param, from->state ? kept : NULL, from->context, from->planar};
    lanes_out out = {c, gradient, to->turn ? turn : NULL, to->row ? row : NULL, flags_everywhere()};
    formula(&in, &out);
    for (uint32_t r = 0; r < rows; ++r) {
        to->c[r] = (sn_real)lanes_first(c[r]);
        if (to->row)
            lanes_write_row(&row[r], &to->row[r]);
    }
    for (uint32_t i = 0; i < rows * points; ++i) {
        to->gradient[i] = lanes3_round(gradient[i]);
        if (to->turn)
            to->turn[i] = lanes3_round(turn[i]);
    }
    return flags_first(out.exists);
}

#if SN_VECTOR
#define SN_LANES(name, evaluate, POINTS, ROWS, PARAMS, STATE) SN_LANES_ONE(name, evaluate)
#elif defined(SN_LANES_ALONE)
/* Where code must be small, as on a web page: one constraint is computed by the code for vectors. A program that
   defines SN_LANES_ALONE has these two functions, which call lanes_alone with SN_VECTOR 16. */
bool sn_lanes_alone(sn_lanes_fn *formula, uint32_t points, uint32_t rows, uint32_t params, uint32_t state,
                    const sn_eval_in *from, const sn_eval_out *to);
bool sn_lanes_alone_double(sn_lanes_fn *formula, uint32_t points, uint32_t rows, uint32_t params, uint32_t state,
                           const sn_eval_in *from, const sn_eval_out *to);

#define SN_LANES(name, evaluate, POINTS, ROWS, PARAMS, STATE)                                                          \
    void name##_lanes_16(const void *in, void *out);                                                                   \
    static const sn_kind_lanes name##_table = {SN_LANE_DOUBLE, {name##_lanes_16, name##_lanes_16, NULL}};              \
    static bool name##_alone(const sn_eval_in *in, const sn_eval_out *out)                                             \
    {                                                                                                                  \
        (void)evaluate;                                                                                                \
        return SN_LANES_BY_PRECISION(sn_lanes_alone, sn_lanes_alone_double)(name##_lanes_16, POINTS, ROWS, PARAMS,     \
                                                                            STATE, in, out);                           \
    }
#else
#define SN_LANES(name, evaluate, POINTS, ROWS, PARAMS, STATE)                                                          \
    SN_LANES_ONE(name, evaluate)                                                                                       \
    void name##_lanes_16(const void *in, void *out);                                                                   \
    void name##_lanes_32(const void *in, void *out);                                                                   \
    static const sn_kind_lanes name##_table = {                                                                        \
        SN_LANE_DOUBLE, {name##_lanes_0, SN_LANES_16 ? name##_lanes_16 : NULL, SN_LANES_32 ? name##_lanes_32 : NULL}}; \
    static bool name##_alone(const sn_eval_in *in, const sn_eval_out *out)                                             \
    {                                                                                                                  \
        return lanes_alone(name##_lanes_0, POINTS, ROWS, PARAMS, STATE, in, out);                                      \
    }
#endif

#define SN_LANES_EVAL(name)  name##_alone
#define SN_LANES_TABLE(name) (&name##_table)

#endif
