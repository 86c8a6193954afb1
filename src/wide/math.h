/* Lanes of double precision, for kinds whose gradients lose too many digits in single precision (see base/dvec.h), and the
   angle of a vector. A vector of doubles holds half of the lanes; `part` says which half. As with lanes of floats, every lane
   gets what it would get alone. */
#ifndef SN_WIDE_MATH_H
#define SN_WIDE_MATH_H

#include "base/simd.h"

#if SN_WIDTH == 1
#define DOUBLE_PARTS 1
typedef double dlanes;
typedef int64_t dflags;
#else
#define DOUBLE_PARTS 2
typedef double dlanes __attribute__((vector_size(SN_WIDTH * 4)));
typedef int64_t dflags __attribute__((vector_size(SN_WIDTH * 4)));
#endif

typedef struct dlanes3 {
    dlanes x, y, z;
} dlanes3;

SN_INLINE dlanes dlanes_all(double a)
{
#if SN_WIDTH == 1
    return a;
#else
    return a - (dlanes){0};
#endif
}

/* ---- From lanes and back ------------------------------------------------------------------------------------------------- */

SN_INLINE dlanes dlanes_from(lanes a, int part)
{
#if SN_WIDTH == 1
    (void)part;
    return (double)a;
#elif SN_WIDTH == 8 && defined(__AVX__)
    __m128 half = part ? _mm256_extractf128_ps((__m256)a, 1) : _mm256_castps256_ps128((__m256)a);
    return (dlanes)_mm256_cvtps_pd(half);
#elif SN_WIDTH == 4 && defined(__SSE2__)
    return (dlanes)_mm_cvtps_pd(part ? _mm_movehl_ps((__m128)a, (__m128)a) : (__m128)a);
#elif SN_WIDTH == 4 && defined(__aarch64__)
    return (dlanes)(part ? vcvt_high_f64_f32((float32x4_t)a) : vcvt_f64_f32(vget_low_f32((float32x4_t)a)));
#elif SN_WIDTH == 4 && defined(__wasm_simd128__)
    v128_t half = part ? wasm_i32x4_shuffle((v128_t)a, (v128_t)a, 2, 3, 2, 3) : (v128_t)a;
    return (dlanes)wasm_f64x2_promote_low_f32x4(half);
#else
    dlanes d;
    for (int i = 0; i < SN_WIDTH / 2; ++i)
        d[i] = (double)a[i + part * (SN_WIDTH / 2)];
    return d;
#endif
}

/* Rounded. a[0 .. DOUBLE_PARTS - 1]. */
SN_INLINE lanes dlanes_round(const dlanes *a)
{
#if SN_WIDTH == 1
    return (float)a[0];
#elif SN_WIDTH == 8 && defined(__AVX__)
    __m256 low = _mm256_castps128_ps256(_mm256_cvtpd_ps((__m256d)a[0]));
    return (lanes)_mm256_insertf128_ps(low, _mm256_cvtpd_ps((__m256d)a[1]), 1);
#elif SN_WIDTH == 4 && defined(__SSE2__)
    return (lanes)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)a[0]), _mm_cvtpd_ps((__m128d)a[1]));
#elif SN_WIDTH == 4 && defined(__aarch64__)
    return (lanes)vcvt_high_f32_f64(vcvt_f32_f64((float64x2_t)a[0]), (float64x2_t)a[1]);
#elif SN_WIDTH == 4 && defined(__wasm_simd128__)
    v128_t low = wasm_f32x4_demote_f64x2_zero((v128_t)a[0]), high = wasm_f32x4_demote_f64x2_zero((v128_t)a[1]);
    return (lanes)wasm_i64x2_shuffle(low, high, 0, 2);
#else
    lanes r;
    for (int i = 0; i < SN_WIDTH; ++i)
        r[i] = (float)a[i / (SN_WIDTH / 2)][i % (SN_WIDTH / 2)];
    return r;
#endif
}

SN_INLINE dlanes3 dlanes3_from(lanes3 a, int part)
{
    return (dlanes3){dlanes_from(a.x, part), dlanes_from(a.y, part), dlanes_from(a.z, part)};
}

SN_INLINE lanes3 dlanes3_round(const dlanes3 *a)
{
    dlanes x[DOUBLE_PARTS], y[DOUBLE_PARTS], z[DOUBLE_PARTS];
    for (int i = 0; i < DOUBLE_PARTS; ++i) {
        x[i] = a[i].x;
        y[i] = a[i].y;
        z[i] = a[i].z;
    }
    return (lanes3){dlanes_round(x), dlanes_round(y), dlanes_round(z)};
}

/* ---- Choosing ------------------------------------------------------------------------------------------------------------ */

SN_INLINE dflags dlanes_above(dlanes a, dlanes b)
{
#if SN_WIDTH == 1
    return -(int64_t)(a > b);
#else
    return a > b;
#endif
}

SN_INLINE dflags dlanes_at_least(dlanes a, dlanes b)
{
#if SN_WIDTH == 1
    return -(int64_t)(a >= b);
#else
    return a >= b;
#endif
}

SN_INLINE dlanes dlanes_choose(dflags where, dlanes a, dlanes b)
{
#if SN_WIDTH == 1
    return where ? a : b;
#elif SN_WIDTH == 8 && defined(__AVX__)
    return (dlanes)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)where);
#else
    return (dlanes)((where & (dflags)a) | (~where & (dflags)b));
#endif
}

SN_INLINE dlanes dlanes_keep(dflags where, dlanes a)
{
#if SN_WIDTH == 1
    return where ? a : 0;
#else
    return (dlanes)(where & (dflags)a);
#endif
}

SN_INLINE dlanes dlanes_abs(dlanes a)
{
#if SN_WIDTH == 1
    return fabs(a);
#else
    return (dlanes)((dflags)a & INT64_MAX);
#endif
}

SN_INLINE dlanes dlanes_max(dlanes a, dlanes b)
{
    return dlanes_choose(dlanes_above(a, b), a, b);
}

/* -1 or 1 by the sign of a, which may be that of a zero. */
SN_INLINE dlanes dlanes_sign(dlanes a)
{
#if SN_WIDTH == 1
    return copysign(1.0, a);
#else
    return (dlanes)(((dflags)a & INT64_MIN) | (dflags)dlanes_all(1));
#endif
}

SN_INLINE bool dflags_all(dflags where)
{
#if SN_WIDTH == 1
    return where != 0;
#elif SN_WIDTH == 8 && defined(__AVX__)
    return _mm256_movemask_pd((__m256d)where) == 0xf;
#elif SN_WIDTH == 4 && defined(__SSE2__)
    return _mm_movemask_pd((__m128d)where) == 3;
#elif SN_WIDTH == 4 && defined(__wasm_simd128__)
    return wasm_i64x2_all_true((v128_t)where);
#else
    int64_t all = -1;
    for (int i = 0; i < SN_WIDTH / 2; ++i)
        all &= where[i];
    return all != 0;
#endif
}

/* ---- Arithmetic ---------------------------------------------------------------------------------------------------------- */

SN_INLINE dlanes dlanes_sqrt(dlanes a)
{
#if SN_WIDTH == 1
    return sqrt(a);
#elif SN_WIDTH == 8 && defined(__AVX__)
    return (dlanes)_mm256_sqrt_pd((__m256d)a);
#elif SN_WIDTH == 4 && defined(__SSE2__)
    return (dlanes)_mm_sqrt_pd((__m128d)a);
#elif SN_WIDTH == 4 && defined(__aarch64__)
    return (dlanes)vsqrtq_f64((float64x2_t)a);
#elif SN_WIDTH == 4 && defined(__wasm_simd128__)
    return (dlanes)wasm_f64x2_sqrt((v128_t)a);
#else
    for (int i = 0; i < SN_WIDTH / 2; ++i)
        a[i] = sqrt(a[i]);
    return a;
#endif
}

SN_INLINE dlanes3 dlanes3_sub(dlanes3 a, dlanes3 b)
{
    return (dlanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

SN_INLINE dlanes3 dlanes3_scale(dlanes3 a, dlanes s)
{
    return (dlanes3){a.x * s, a.y * s, a.z * s};
}

SN_INLINE dlanes dlanes3_dot(dlanes3 a, dlanes3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SN_INLINE dlanes3 dlanes3_cross(dlanes3 a, dlanes3 b)
{
    return (dlanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

SN_INLINE dlanes3 dlanes3_choose(dflags where, dlanes3 a, dlanes3 b)
{
    return (dlanes3){dlanes_choose(where, a.x, b.x), dlanes_choose(where, a.y, b.y), dlanes_choose(where, a.z, b.z)};
}

SN_INLINE dlanes3 dlanes3_keep(dflags where, dlanes3 a)
{
    return (dlanes3){dlanes_keep(where, a.x), dlanes_keep(where, a.y), dlanes_keep(where, a.z)};
}

/* (atan(t) - t) / t^3 as a polynomial in t^2, where |t| <= tan(pi / 8): interpolated at the Chebyshev points, so that the
   relative error of atan(t) is below 2e-13. */
SN_INLINE dlanes dlanes_atan_rest(dlanes z)
{
    static const double c[] = {-0x1.55555555525eap-2, 0x1.99999988508aep-3,  -0x1.249240d4f1a0fp-3,
                               0x1.c71961d2f694ap-4,  -0x1.7415967bbec7ep-4, 0x1.377cf3c07d5e8p-4,
                               -0x1.edb7381414cb4p-5, 0x1.0de87e21a0a84p-5};
    dlanes sum = dlanes_all(c[7]);
    for (int i = 6; i >= 0; --i)
        sum = sum * z + dlanes_all(c[i]);
    return sum;
}

/* The angle of the vector (x, y), as math_atan2 has it, for finite x and y: 0 or pi if both are 0. Relative error below 4e-13:
   rounded to single precision it hardly ever differs from math_atan2. With t the smaller of |x| and |y| divided by the
   larger,  atan(t) = pi / 4 + atan((t - 1) / (t + 1))  brings t below tan(pi / 8). */
SN_INLINE dlanes dlanes_atan2(dlanes y, dlanes x)
{
    const double pi = 3.14159265358979323846, eighth = 0.41421356237309503;
    dlanes ax = dlanes_abs(x), ay = dlanes_abs(y), zero = dlanes_all(0);
    dflags steep = dlanes_above(ay, ax);
    dlanes large = dlanes_choose(steep, ay, ax), small = dlanes_choose(steep, ax, ay);
    dflags over = dlanes_above(small, large * dlanes_all(eighth));
    dlanes above = dlanes_choose(over, small - large, small), below = dlanes_choose(over, small + large, large);
    dlanes t = dlanes_keep(dlanes_above(large, zero), above / below);
    dlanes z = t * t, angle = t + t * (z * dlanes_atan_rest(z));
    angle = dlanes_choose(over, dlanes_all(pi / 4) + angle, angle);
    angle = dlanes_choose(steep, dlanes_all(pi / 2) - angle, angle);
    angle = dlanes_choose(dlanes_above(zero, dlanes_sign(x)), dlanes_all(pi) - angle, angle);
    return angle * dlanes_sign(y);
}

#endif
