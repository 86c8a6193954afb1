#include "solvers/krylov.h"

#include <math.h>
#include <string.h>

static double dot(uint32_t count, const double *a, const double *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        sum += a[i] * b[i];
    return sum;
}

static double norm(uint32_t count, const double *a)
{
    return sqrt(dot(count, a, a));
}

static double length2(double a, double b)
{
    return sqrt(a * a + b * b);
}

/* ---- The minimal residual method -------------------------------------------------------------------------------- */

/* Lanczos' recurrence  beta' v' = A v - alpha v - beta v_old  makes orthonormal vectors in which A is tridiagonal.
   Givens rotations (c, s) turn that into a triangular R as it grows. The columns of D = V R^-1 are the directions in
   which x moves. Names as in the literature. */
typedef struct lanczos {
    double *v, *v_old, *p;   /* the present vector, the last one, A v */
    double *d_old, *d_older; /* the last two directions */
    double beta, c, c_old, s, s_old;
    double rest; /* b - A x|, with the sign of the rotations */
    double size; /* of A: the largest column of its tridiagonal form */
} lanczos;

/* Computes one column of the tridiagonal form: alpha, and beta of the next vector, which is returned. */
static double extend(const sn_krylov_in *in, lanczos *z, double *alpha)
{
    in->product(in->matrix, z->v, z->p);
    *alpha = dot(in->count, z->v, z->p);
    for (uint32_t i = 0; i < in->count; ++i)
        z->p[i] -= *alpha * z->v[i] + z->beta * z->v_old[i];
    double next = norm(in->count, z->p), size = length2(*alpha, length2(z->beta, next));
    if (size > z->size)
        z->size = size;
    return next;
}

/* Moves x along the new direction, and advances to the next vector. */
static void advance(const sn_krylov_in *in, lanczos *z, double alpha, double next, double *x)
{
    double r1 = z->c * alpha - z->c_old * z->s * z->beta, r2 = z->s * alpha + z->c_old * z->c * z->beta;
    double r3 = z->s_old * z->beta, rho = length2(r1, next);
    double c = r1 / rho, s = next / rho, step = c * z->rest;
    double *d = z->d_older;
    for (uint32_t i = 0; i < in->count; ++i) {
        d[i] = (z->v[i] - r3 * z->d_older[i] - r2 * z->d_old[i]) / rho;
        x[i] += step * d[i];
    }
    z->d_older = z->d_old;
    z->d_old = d;
    double *v = z->v_old;
    for (uint32_t i = 0; next > 0 && i < in->count; ++i)
        v[i] = z->p[i] / next;
    z->v_old = z->v;
    z->v = v;
    z->c_old = z->c;
    z->s_old = z->s;
    z->c = c;
    z->s = s;
    z->beta = next;
    z->rest *= -s;
}

/* Adds to x the solution for the residual in z->v. Ends when the residual is small enough, when A cannot reduce it any
   more (then |A r| / |r|, which the next column gives, is almost 0), or when the space is exhausted. Returns the number
   of iterations. */
static uint32_t run(const sn_krylov_in *in, lanczos *z, double enough, uint32_t most, double *x)
{
    uint32_t k = 0;
    while (k < most && fabs(z->rest) > enough) {
        double alpha, next = extend(in, z, &alpha);
        double r1 = z->c * alpha - z->c_old * z->s * z->beta;
        ++k;
        if (!(length2(r1, z->c * next) > SN_KRYLOV_UNREACHABLE * z->size))
            break;
        advance(in, z, alpha, next, x);
        if (!(next > 1e-15 * z->size))
            break;
    }
    return k;
}

/* The true residual: by rounding, that of the recurrence is too small. */
static double residual(const sn_krylov_in *in, const double *b, const double *x, double *r)
{
    in->product(in->matrix, x, r);
    for (uint32_t i = 0; i < in->count; ++i)
        r[i] = b[i] - r[i];
    return norm(in->count, r);
}

#define MOST_STARTS 4

sn_krylov_out sn_krylov_minres(const sn_krylov_in *in, const double *b, double *x)
{
    const size_t bytes = in->count * sizeof *x;
    double whole = norm(in->count, b), rest = whole, before;
    sn_krylov_out out = {0};
    memset(x, 0, bytes);
    if (!(whole > 0))
        return out;
    memcpy(in->vector[0], b, bytes);
    for (int start = 0; start < MOST_STARTS && out.iterations < in->iterations; ++start) {
        lanczos z = {.v = in->vector[0],
                     .v_old = in->vector[1],
                     .p = in->vector[2],
                     .d_old = in->vector[3],
                     .d_older = in->vector[4],
                     .c = 1,
                     .c_old = 1,
                     .rest = rest};
        for (uint32_t i = 0; i < in->count; ++i) {
            z.v[i] /= rest;
            z.v_old[i] = z.d_old[i] = z.d_older[i] = 0;
        }
        uint32_t taken = run(in, &z, in->tolerance * whole, in->iterations - out.iterations, x);
        out.iterations += taken;
        before = rest;
        rest = residual(in, b, x, in->vector[0]);
        /* small enough, no longer improving, or not caused by rounding */
        if (!(rest > 2 * in->tolerance * whole) || rest < 2 * fabs(z.rest) || rest > before / 2)
            break;
    }
    /* rounding can carry x beyond the best solution; the normal equations do not have this problem */
    if (!(rest <= whole * (1 + 1e-9))) {
        sn_krylov_in left = *in;
        left.iterations = in->iterations - out.iterations;
        sn_krylov_out again = sn_krylov_least_squares(&left, b, x);
        return (sn_krylov_out){out.iterations + again.iterations, again.residual};
    }
    out.residual = rest / whole;
    return out;
}

/* ---- Conjugate gradients on the normal equations ---------------------------------------------------------------- */

sn_krylov_out sn_krylov_least_squares(const sn_krylov_in *in, const double *b, double *x)
{
    double *r = in->vector[0], *s = in->vector[1], *p = in->vector[2], *q = in->vector[3];
    const size_t bytes = in->count * sizeof *x;
    double whole = norm(in->count, b), rest = whole;
    sn_krylov_out out = {0};
    memset(x, 0, bytes);
    if (!(whole > 0))
        return out;
    memcpy(r, b, bytes);
    in->product(in->matrix, r, s);
    memcpy(p, s, bytes);
    double slope = dot(in->count, s, s), size = sqrt(slope) / whole;
    while (out.iterations < in->iterations && rest > in->tolerance * whole &&
           sqrt(slope) > SN_KRYLOV_UNREACHABLE * size * rest) {
        in->product(in->matrix, p, q);
        double step = slope / dot(in->count, q, q), old = slope;
        if (!(step < HUGE_VAL))
            break;
        for (uint32_t i = 0; i < in->count; ++i) {
            x[i] += step * p[i];
            r[i] -= step * q[i];
        }
        in->product(in->matrix, r, s);
        slope = dot(in->count, s, s);
        for (uint32_t i = 0; i < in->count; ++i)
            p[i] = s[i] + slope / old * p[i];
        rest = norm(in->count, r);
        out.iterations++;
    }
    out.residual = rest / whole;
    return out;
}
