/* Linear systems A x = b with a symmetric positive semi-definite A that is known only by what it does to a vector. Both
   methods start at x = 0 and take what they need of the space spanned by b, A b, A A b, ...; so what A cannot reach is
   left alone, and x stays small where equations repeat or contradict each other: it is then as good as possible in the
   sense of least squares. Everything is summed in double and in a fixed order. */
#ifndef SN_SOLVERS_KRYLOV_H
#define SN_SOLVERS_KRYLOV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* y = A x. */
typedef void sn_krylov_product(const void *matrix, const double *x, double *y);

#define SN_KRYLOV_VECTORS 5 /* of scratch */

typedef struct sn_krylov_in {
    sn_krylov_product *product;
    const void *matrix;
    uint32_t count;                    /* of unknowns */
    uint32_t iterations;               /* at most; each costs one product, or two with the normal equations */
    double tolerance;                  /* it is enough when |b - A x| <= tolerance |b| */
    double *vector[SN_KRYLOV_VECTORS]; /* of count numbers each */
} sn_krylov_in;

typedef struct sn_krylov_out {
    uint32_t iterations; /* taken */
    double residual;     /* |b - A x| / |b|, as the recurrence has it */
} sn_krylov_out;

/* A residual that A shrinks by this factor against its norm is out of its reach: equations that contradict each other.
   Much less cannot be told from rounding, and beyond that point x would grow without end. */
#define SN_KRYLOV_UNREACHABLE 1e-7

/* The minimal residual method (Paige and Saunders 1975): x minimises |b - A x| in the space spanned so far. */
sn_krylov_out sn_krylov_minres(const sn_krylov_in *in, const double *b, double *x);

/* Conjugate gradients on the normal equations A A x = A b, which minimise (A x - b) . (A x - b), without forming A A
   (Hestenes and Stiefel 1952). Squares the condition number, so it needs far more iterations where that is large. */
sn_krylov_out sn_krylov_least_squares(const sn_krylov_in *in, const double *b, double *x);

#endif
