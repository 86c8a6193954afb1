/* Four numbers of a record at once. Each part is computed as it would be alone, so the bits are the same, in a quarter
   of the instructions. For loops over arrays of sn_vec4, where a transpose into lanes would cost more than it saves. */
#ifndef SN_BASE_QUAD_H
#define SN_BASE_QUAD_H

#include "base/vec.h"

#include <string.h>

#if defined(__GNUC__) && !SINEW_DOUBLE
typedef float quad __attribute__((vector_size(16)));
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#else
typedef struct quad {
    sn_real part[4];
} quad;
#endif

static inline quad quad_load(const void *from)
{
    quad a;
    memcpy(&a, from, sizeof a);
    return a;
}

static inline void quad_store(void *to, quad a)
{
    memcpy(to, &a, sizeof a);
}

#if defined(__GNUC__) && !SINEW_DOUBLE
#define QUAD_OF_TWO(a, operation, b) return a operation b
#define QUAD_PART(a, k)              ((a)[k])
#define QUAD_ALL(s)                  ((quad){s, s, s, s})
#else
#define QUAD_ALL(s) ((quad){{s, s, s, s}})
#define QUAD_OF_TWO(a, operation, b)                                                                                   \
    for (int k = 0; k < 4; ++k)                                                                                        \
        a.part[k] = a.part[k] operation b.part[k];                                                                     \
    return a
#define QUAD_PART(a, k) ((a).part[k])
#endif

static inline quad quad_all(sn_real s)
{
    return QUAD_ALL(s);
}

static inline quad quad_add(quad a, quad b)
{
    QUAD_OF_TWO(a, +, b);
}

static inline quad quad_sub(quad a, quad b)
{
    QUAD_OF_TWO(a, -, b);
}

static inline quad quad_times(quad a, quad b)
{
    QUAD_OF_TWO(a, *, b);
}

/* The lower and the larger of each part; of two that do not differ, or are no numbers, that of a. */
static inline quad quad_lower(quad a, quad b)
{
#if defined(__SSE2__) && defined(__GNUC__) && !SINEW_DOUBLE
    return (quad)_mm_min_ps((__m128)b, (__m128)a);
#else
    for (int k = 0; k < 4; ++k)
        QUAD_PART(a, k) = QUAD_PART(b, k) < QUAD_PART(a, k) ? QUAD_PART(b, k) : QUAD_PART(a, k);
    return a;
#endif
}

static inline quad quad_larger(quad a, quad b)
{
#if defined(__SSE2__) && defined(__GNUC__) && !SINEW_DOUBLE
    return (quad)_mm_max_ps((__m128)b, (__m128)a);
#else
    for (int k = 0; k < 4; ++k)
        QUAD_PART(a, k) = QUAD_PART(b, k) > QUAD_PART(a, k) ? QUAD_PART(b, k) : QUAD_PART(a, k);
    return a;
#endif
}

static inline quad quad_scale(quad a, sn_real s)
{
    return quad_times(a, quad_all(s));
}

/* a with w set to 0. */
static inline quad quad_xyz(quad a)
{
#if defined(__GNUC__) && !SINEW_DOUBLE
    typedef int32_t bits __attribute__((vector_size(16)));
    return (quad)((bits)a & (bits){-1, -1, -1, 0});
#else
    a.part[3] = 0;
    return a;
#endif
}

/* The sum of x, y and z, in this order. The second function also adds w. */
static inline sn_real quad_sum3(quad a)
{
    return QUAD_PART(a, 0) + QUAD_PART(a, 1) + QUAD_PART(a, 2);
}

static inline sn_real quad_sum4(quad a)
{
    return quad_sum3(a) + QUAD_PART(a, 3);
}

static inline sn_real quad_dot3(quad a, quad b)
{
    return quad_sum3(quad_times(a, b));
}

/* w is not a number to be used. */
static inline quad quad_cross(quad a, quad b)
{
#if defined(__SSE2__) && defined(__GNUC__) && !SINEW_DOUBLE
    enum { YZX = 0xc9, ZXY = 0xd2 };
    const __m128 p = (__m128)a, q = (__m128)b;
    return (quad)_mm_sub_ps(_mm_mul_ps(_mm_shuffle_ps(p, p, YZX), _mm_shuffle_ps(q, q, ZXY)),
                            _mm_mul_ps(_mm_shuffle_ps(p, p, ZXY), _mm_shuffle_ps(q, q, YZX)));
#else
    quad c = a;
    for (int i = 0; i < 3; ++i) {
        const int y = (i + 1) % 3, z = (i + 2) % 3;
        QUAD_PART(c, i) = QUAD_PART(a, y) * QUAD_PART(b, z) - QUAD_PART(a, z) * QUAD_PART(b, y);
    }
    return c;
#endif
}

/* True if x, y and z of a are not above those of b. */
static inline bool quad_is_below3(quad a, quad b)
{
    return QUAD_PART(a, 0) <= QUAD_PART(b, 0) && QUAD_PART(a, 1) <= QUAD_PART(b, 1) &&
           QUAD_PART(a, 2) <= QUAD_PART(b, 2);
}

/* True if all four are 0. */
static inline bool quad_is_zero(quad a)
{
#if defined(__SSE2__) && defined(__GNUC__) && !SINEW_DOUBLE
    return _mm_movemask_ps(_mm_cmpneq_ps((__m128)a, _mm_setzero_ps())) == 0;
#else
    return QUAD_PART(a, 0) == 0 && QUAD_PART(a, 1) == 0 && QUAD_PART(a, 2) == 0 && QUAD_PART(a, 3) == 0;
#endif
}

/* The rounding error of a + b, exactly, and a sum in two parts, as in base/vec.h. */
static inline quad quad_sum_error(quad a, quad b)
{
    const quad sum = quad_add(a, b), part = quad_sub(sum, a);
    return quad_add(quad_sub(a, quad_sub(sum, part)), quad_sub(b, part));
}

static inline void quad_add_compensated(quad *high, quad *low, quad increment)
{
    const quad y = quad_add(increment, *low);
    *low = quad_sum_error(*high, y);
    *high = quad_add(*high, y);
}

#endif
