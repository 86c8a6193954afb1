/* Real roots of polynomials on 0 .. 1, given by Bernstein coefficients. Where all of these have the same sign there is
   no root, so none is missed. f(t) = sum of b[i] * binomial(degree, i) * t^i * (1 - t)^(degree - i). */
#ifndef SN_COLLISION_ROOTS_H
#define SN_COLLISION_ROOTS_H

#include <stdbool.h>
#include <stdint.h>

#define SN_ROOTS_DEGREE 6u

/* True if the root at t is one that is searched for. */
typedef bool sn_root_counts(void *data, double t);

/* The first root before `end` for which `counts` is true; `end` if there is none. A polynomial that is 0 everywhere has
   the roots 0 and 1. counts NULL: all roots count. */
double sn_roots_first(const double *b, uint32_t degree, double end, sn_root_counts *counts, void *data);

/* product = a * b, of degree m + n. */
void sn_roots_multiply(const double *a, uint32_t m, const double *b, uint32_t n, double *product);

#endif
