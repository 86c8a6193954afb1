/* Small vectors. A particle is stored as sn_vec4: three coordinates and one more number. */
#ifndef SN_BASE_VEC_H
#define SN_BASE_VEC_H

#include <sinew/base.h>

#include <float.h>
#if FLT_EVAL_METHOD != 0
#error                                                                                                                 \
    "Sinew needs arithmetic in the precision of its types, or results differ between machines; on 32-bit x86 use -msse2 -mfpmath=sse"
#endif

/* For functions whose loops are to be unrolled for constant arguments. */
#ifdef __GNUC__
#define SN_INLINE static inline __attribute__((always_inline))
#else
#define SN_INLINE static inline
#endif

typedef struct sn_vec4 {
    sn_real x, y, z, w;
} sn_vec4;

/* Component k of a vector in memory. Not (&v.x)[k]: the compiler may assume that this reads x whatever k is, and then
   drops writes of y and z. */
static inline sn_real vec3_part(const sn_vec3 *v, uint32_t k)
{
    return ((const sn_real *)v)[k];
}

static inline sn_real *vec4_part(sn_vec4 *v, uint32_t k)
{
    return (sn_real *)v + k;
}

static inline sn_vec3 vec3(sn_real x, sn_real y, sn_real z)
{
    return (sn_vec3){x, y, z};
}

static inline sn_vec3 vec3_add(sn_vec3 a, sn_vec3 b)
{
    return (sn_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline sn_vec3 vec3_sub(sn_vec3 a, sn_vec3 b)
{
    return (sn_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline sn_vec3 vec3_scale(sn_vec3 a, sn_real s)
{
    return (sn_vec3){a.x * s, a.y * s, a.z * s};
}

static inline sn_real vec3_dot(sn_vec3 a, sn_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline sn_vec3 vec3_cross(sn_vec3 a, sn_vec3 b)
{
    return (sn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec3_dot_double(sn_vec3 a, sn_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static inline bool vec3_is_finite(sn_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* Square root in sn_real: IEEE, so the same bits everywhere. */
static inline sn_real real_sqrt(sn_real a)
{
#if SINEW_DOUBLE
    return sqrt(a);
#else
    return sqrtf(a);
#endif
}

static inline sn_real vec3_length(sn_vec3 a)
{
    return real_sqrt(vec3_dot(a, a));
}

static inline sn_vec3 vec4_xyz(sn_vec4 a)
{
    return (sn_vec3){a.x, a.y, a.z};
}

static inline sn_vec4 vec4(sn_vec3 a, sn_real w)
{
    return (sn_vec4){a.x, a.y, a.z, w};
}

/* The rounding error of a + b, exactly (Knuth's TwoSum). */
static inline sn_real sum_error(sn_real a, sn_real b)
{
    sn_real sum = a + b, part = sum - a;
    return (a - (sum - part)) + (b - part);
}

/* A vector in two parts: `low` holds the rounding error that a long sum would otherwise drop (Kahan 1965). The error of
   a sum is exact whichever term is larger. */
typedef struct sn_pair {
    sn_vec3 high;
    sn_vec3 low;
} sn_pair;

static inline void add_compensated(sn_real *high, sn_real *low, sn_real increment)
{
    sn_real y = increment + *low;
    *low = sum_error(*high, y);
    *high += y;
}

static inline void pair_add(sn_pair *pair, sn_vec3 increment)
{
    add_compensated(&pair->high.x, &pair->low.x, increment.x);
    add_compensated(&pair->high.y, &pair->low.y, increment.y);
    add_compensated(&pair->high.z, &pair->low.z, increment.z);
}

#endif
