/* Two numbers side by side: what is done to both ends of a chain at the same time. With the vector extensions of gcc
   and clang that is one instruction for both; elsewhere it is two, with the same result. */
#ifndef SN_SOLVERS_CHAIN_TWIN_H
#define SN_SOLVERS_CHAIN_TWIN_H

#include "base/dvec.h"

#include <string.h>

#if defined(__GNUC__) && !defined(SINEW_SCALAR)

typedef double sn_twin __attribute__((vector_size(16)));
typedef int64_t sn_twin_flags __attribute__((vector_size(16)));

SN_INLINE sn_twin twin(double a, double b)
{
    return (sn_twin){a, b};
}

SN_INLINE double twin_first(sn_twin a)
{
    return a[0];
}

SN_INLINE double twin_second(sn_twin a)
{
    return a[1];
}

SN_INLINE sn_twin twin_add(sn_twin a, sn_twin b)
{
    return a + b;
}

SN_INLINE sn_twin twin_sub(sn_twin a, sn_twin b)
{
    return a - b;
}

SN_INLINE sn_twin twin_mul(sn_twin a, sn_twin b)
{
    return a * b;
}

SN_INLINE sn_twin twin_div(sn_twin a, sn_twin b)
{
    return a / b;
}

/* Comparisons with a NaN are false. */
SN_INLINE sn_twin_flags twin_above(sn_twin a, sn_twin b)
{
    return a > b;
}

SN_INLINE sn_twin_flags twin_both(sn_twin_flags a, sn_twin_flags b)
{
    return a & b;
}

SN_INLINE bool twin_first_flag(sn_twin_flags a)
{
    return a[0] != 0;
}

SN_INLINE bool twin_second_flag(sn_twin_flags a)
{
    return a[1] != 0;
}

#else

typedef struct sn_twin {
    double a, b;
} sn_twin;

typedef struct sn_twin_flags {
    bool a, b;
} sn_twin_flags;

SN_INLINE sn_twin twin(double a, double b)
{
    return (sn_twin){a, b};
}

SN_INLINE double twin_first(sn_twin a)
{
    return a.a;
}

SN_INLINE double twin_second(sn_twin a)
{
    return a.b;
}

SN_INLINE sn_twin twin_add(sn_twin a, sn_twin b)
{
    return twin(a.a + b.a, a.b + b.b);
}

SN_INLINE sn_twin twin_sub(sn_twin a, sn_twin b)
{
    return twin(a.a - b.a, a.b - b.b);
}

SN_INLINE sn_twin twin_mul(sn_twin a, sn_twin b)
{
    return twin(a.a * b.a, a.b * b.b);
}

SN_INLINE sn_twin twin_div(sn_twin a, sn_twin b)
{
    return twin(a.a / b.a, a.b / b.b);
}

SN_INLINE sn_twin_flags twin_above(sn_twin a, sn_twin b)
{
    return (sn_twin_flags){a.a > b.a, a.b > b.b};
}

SN_INLINE sn_twin_flags twin_both(sn_twin_flags a, sn_twin_flags b)
{
    return (sn_twin_flags){a.a && b.a, a.b && b.b};
}

SN_INLINE bool twin_first_flag(sn_twin_flags a)
{
    return a.a;
}

SN_INLINE bool twin_second_flag(sn_twin_flags a)
{
    return a.b;
}

#endif

SN_INLINE sn_twin twin_same(double a)
{
    return twin(a, a);
}

/* a[i] and a[k]. */
SN_INLINE sn_twin twin_at(const double *a, uint32_t i, uint32_t k)
{
    return twin(a[i], a[k]);
}

SN_INLINE sn_twin twin_at_real(const sn_real *a, uint32_t i, uint32_t k)
{
    return twin((double)a[i], (double)a[k]);
}

SN_INLINE void twin_put(double *a, uint32_t i, uint32_t k, sn_twin value)
{
    a[i] = twin_first(value);
    a[k] = twin_second(value);
}

/* Both next to each other, anywhere. */
SN_INLINE sn_twin twin_load(const double *from)
{
    sn_twin a;
    memcpy(&a, from, sizeof a);
    return a;
}

SN_INLINE void twin_store(double *to, sn_twin a)
{
    memcpy(to, &a, sizeof a);
}

#endif
