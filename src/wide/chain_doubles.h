/* CHAIN_WIDTH lanes of doubles, and vectors of three. See chain_rows.h. */
#ifndef SN_WIDE_CHAIN_DOUBLES_H
#define SN_WIDE_CHAIN_DOUBLES_H

#include "base/simd.h"

#if CHAIN_WIDTH >= 4 && defined(__AVX__)
#include <immintrin.h>
#endif

#if CHAIN_WIDTH > 1
typedef double doubles __attribute__((vector_size(CHAIN_WIDTH * 8)));
typedef int64_t doubles_flags __attribute__((vector_size(CHAIN_WIDTH * 8)));
typedef lane_number doubles_reals __attribute__((vector_size(CHAIN_WIDTH * sizeof(lane_number))));

SN_INLINE doubles doubles_all(double a)
{
    return a - (doubles){0};
}

SN_INLINE doubles doubles_of(const lane_number *from)
{
#if CHAIN_WIDTH == 8 && defined(__AVX512F__)
    return (doubles)_mm512_cvtps_pd(_mm256_loadu_ps(from));
#elif CHAIN_WIDTH == 4 && defined(__AVX__) && !SINEW_DOUBLE
    return (doubles)_mm256_cvtps_pd(_mm_loadu_ps(from)); /* gcc would do this in two halves and join them in memory */
#else
    doubles_reals a;
    memcpy(&a, from, sizeof a);
    return __builtin_convertvector(a, doubles);
#endif
}

SN_INLINE void doubles_round(lane_number *to, doubles a)
{
    const doubles_reals rounded = __builtin_convertvector(a, doubles_reals);
    memcpy(to, &rounded, sizeof rounded);
}

SN_INLINE doubles doubles_keep(doubles_flags where, doubles a)
{
    return (doubles)(where & (doubles_flags)a);
}

SN_INLINE doubles_flags doubles_above(doubles a, doubles b)
{
    return a > b;
}

SN_INLINE doubles_flags doubles_at_least(doubles a, doubles b)
{
    return a >= b;
}

SN_INLINE doubles doubles_abs(doubles a)
{
    return (doubles)((doubles_flags)a & INT64_MAX);
}

SN_INLINE bool doubles_all_flagged(doubles_flags where)
{
    int64_t all = -1;
    for (int i = 0; i < CHAIN_WIDTH; ++i)
        all &= where[i];
    return all != 0;
}
#else
typedef double doubles;
typedef int64_t doubles_flags;

SN_INLINE doubles doubles_all(double a)
{
    return a;
}

SN_INLINE doubles doubles_of(const lane_number *from)
{
    return (double)*from;
}

SN_INLINE void doubles_round(lane_number *to, doubles a)
{
    *to = (lane_number)a;
}

SN_INLINE doubles doubles_keep(doubles_flags where, doubles a)
{
    return where ? a : 0;
}

SN_INLINE doubles_flags doubles_above(doubles a, doubles b)
{
    return -(int64_t)(a > b);
}

SN_INLINE doubles_flags doubles_at_least(doubles a, doubles b)
{
    return -(int64_t)(a >= b);
}

SN_INLINE doubles doubles_abs(doubles a)
{
    return fabs(a);
}

SN_INLINE bool doubles_all_flagged(doubles_flags where)
{
    return where != 0;
}
#endif

SN_INLINE doubles doubles_load(const double *from)
{
    doubles a;
    memcpy(&a, from, sizeof a);
    return a;
}

SN_INLINE void doubles_store(double *to, doubles a)
{
    memcpy(to, &a, sizeof a);
}

/* a if it is larger than b, otherwise b. */
SN_INLINE doubles doubles_larger(doubles a, doubles b)
{
#if CHAIN_WIDTH == 8 && defined(__AVX512F__)
    return (doubles)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif CHAIN_WIDTH == 4 && defined(__AVX__)
    return (doubles)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif CHAIN_WIDTH > 1
    const doubles_flags where = a > b;
    return (doubles)((where & (doubles_flags)a) | (~where & (doubles_flags)b));
#else
    return a > b ? a : b;
#endif
}

SN_INLINE doubles_flags doubles_any(void)
{
    return doubles_above(doubles_all(1), doubles_all(0));
}

/* Three coordinates, and symmetric matrices: xx, yy, zz, xy, xz, yz. */
typedef struct doubles3 {
    doubles x, y, z;
} doubles3;

typedef struct doubles6 {
    doubles m[6];
} doubles6;

/* a x + b y + c z, and a b - c d. */
SN_INLINE doubles chain_sum(doubles a, doubles x, doubles b, doubles y, doubles c, doubles z)
{
    return a * x + b * y + c * z;
}

SN_INLINE doubles3 chain_times(const doubles6 *s, doubles3 a)
{
    return (doubles3){chain_sum(s->m[0], a.x, s->m[3], a.y, s->m[4], a.z),
                      chain_sum(s->m[3], a.x, s->m[1], a.y, s->m[5], a.z),
                      chain_sum(s->m[4], a.x, s->m[5], a.y, s->m[2], a.z)};
}

SN_INLINE doubles3 chain_scale(doubles s, doubles3 a)
{
    return (doubles3){s * a.x, s * a.y, s * a.z};
}

SN_INLINE doubles3 chain_add(doubles3 a, doubles3 b)
{
    return (doubles3){a.x + b.x, a.y + b.y, a.z + b.z};
}

SN_INLINE doubles chain_dot(doubles3 a, doubles3 b)
{
    return chain_sum(a.x, b.x, a.y, b.y, a.z, b.z);
}

#endif
