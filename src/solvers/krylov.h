/* Linear systems A x = b with a symmetric positive semi-definite A that is only known by its product with vectors. Both
   methods start at x = 0 and stay in the space spanned by b, A b, A A b, ... So x has no part in the null space of A,
   and stays small where equations are redundant or contradict each other: then it is the least-squares solution.
   Everything is summed in double and in a fixed order. */
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
    uint32_t count;                    /* number of unknowns */
    uint32_t iterations;               /* most iterations; each costs one product, or two with the normal equations */
    double tolerance;                  /* stops when |b - A x| <= tolerance |b| */
    double *vector[SN_KRYLOV_VECTORS]; /* of count numbers each */
} sn_krylov_in;

typedef struct sn_krylov_out {
    uint32_t iterations; /* made */
    double residual;     /* b - A x| / |b|, by the recurrence */
} sn_krylov_out;

/* If |A r| is below this share of |A| |r|, the residual r cannot be reduced: equations contradict each other. A smaller
   share cannot be told from rounding, and beyond that point x would grow without bound. */
#define SN_KRYLOV_UNREACHABLE 1e-7

/* The minimal residual method (Paige and Saunders 1975): x minimises |b - A x| in the space spanned so far. */
sn_krylov_out sn_krylov_minres(const sn_krylov_in *in, const double *b, double *x);

/* Conjugate gradients on the normal equations A A x = A b, which minimise (A x - b) . (A x - b), without forming A A
   (Hestenes and Stiefel 1952). Squares the condition number, so it needs far more iterations where that is large. */
sn_krylov_out sn_krylov_least_squares(const sn_krylov_in *in, const double *b, double *x);

#endif
