/* Mueller, Bender, Chentanez and Macklin, "A robust method to extract the rotational part of deformations" (2016),
   repeatedly rotate R by w = sum r_i x a_i / (|sum r_i . a_i| + e). This is an ascent step on f(R) = tr(R^T A): with B
   = R^T A,

       f(R exp(w)) = tr B + w . t - w . H w / 2 + ...,    t = (B21 - B12, B02 - B20, B10 - B01),
        H = tr(B) I - (B + B^T) / 2

   and their step is t / tr(B), which converges slowly where points are nearly on a line. With the full H it is Newton's
   method: from the last rotation it needs two or three steps to the last digit. (Their e, which belongs inside the
   reciprocal, is here the least pivot of H that is not treated as 0, relative to A.)

   f has one maximum on the rotations. Its other stationary points (t = 0), 180 degrees away, are saddles and the
   minimum. There H has a negative direction. So if t = 0 and H is positive definite, R is the best rotation. Otherwise,
   or where Newton's method does not converge, the maximum is found directly. For the quaternion (v, w) of R,

       f = q . K q,     K = [ A + A^T - tr(A) I   t ]
                            [ t^T            tr(A) ]

   (Horn 1987): q is the eigenvector of the largest eigenvalue. If there are several such eigenvectors, all their
   combinations are equally good, and the one nearest to the last rotation is chosen. So no random perturbation is
   needed to leave a saddle, a line of points does not rotate about itself, and a group in one place keeps its
   rotation. */
#include "bodies/extract.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The most Newton steps, and the rotation in radians below which the next step would be below rounding. */
#define STEPS   8
#define SETTLED 1e-9

/* Rotations whose f differs by less than this, relative to the size of a, are equally good. In single precision the
   positions of points on a line leave about 1e-14. */
#define EQUAL 1e-9

/* If the guess has a smaller part than this in the space of the best rotations, it selects none of them. */
#define FAINT 1e-6

/* The most sweeps of Jacobi's method. It needs six or seven. */
#define SWEEPS 32

sn_mat3 sn_rotation_matrix(const double q[4])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    return (sn_mat3){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

static double dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void normalise4(double q[4])
{
    double scale = 1 / sqrt(dot4(q, q));
    for (int i = 0; i < 4; ++i)
        q[i] *= scale;
}

/* ---- Newton's method --------------------------------------------------------------------------------------------- */

/* Rotates q by w in its own frame: (w / 2, 1), normalised. This is a rotation of about |w| and needs no sine. */
static void rotate_by(double q[4], const double w[3])
{
    double x = q[0], y = q[1], z = q[2], s = q[3], a = w[0] / 2, b = w[1] / 2, c = w[2] / 2;
    q[0] = x + s * a + y * c - z * b;
    q[1] = y + s * b + z * a - x * c;
    q[2] = z + s * c + x * b - y * a;
    q[3] = s - x * a - y * b - z * c;
    normalise4(q);
}

/* b = R^T a */
static void turn_back(const double q[4], const sn_mat3 *a, double b[3][3])
{
    sn_mat3 r = sn_rotation_matrix(q);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            b[i][j] = r.m[0][i] * a->m[0][j] + r.m[1][i] * a->m[1][j] + r.m[2][i] * a->m[2][j];
}

/* Solves h w = t by the factors L D L^T. False if a pivot is not above `least`. */
static bool solve(double h[3][3], const double t[3], double least, double w[3])
{
    double d0 = h[0][0];
    if (!(d0 > least))
        return false;
    double l10 = h[1][0] / d0, l20 = h[2][0] / d0;
    double d1 = h[1][1] - l10 * h[1][0];
    if (!(d1 > least))
        return false;
    double l21 = (h[2][1] - l20 * h[1][0]) / d1;
    double d2 = h[2][2] - l20 * h[2][0] - l21 * l21 * d1;
    if (!(d2 > least))
        return false;
    double y1 = t[1] - l10 * t[0], y2 = t[2] - l20 * t[0] - l21 * y1;
    w[2] = y2 / d2;
    w[1] = y1 / d1 - l21 * w[2];
    w[0] = t[0] / d0 - l10 * w[1] - l20 * w[2];
    return true;
}

/* Newton's method. a is of size 1. False if it did not converge to the maximum; q is then undefined. */
static bool climb(const sn_mat3 *a, double q[4])
{
    for (int step = 0; step < STEPS; ++step) {
        double b[3][3], h[3][3], w[3];
        turn_back(q, a, b);
        double t[3] = {b[2][1] - b[1][2], b[0][2] - b[2][0], b[1][0] - b[0][1]};
        double trace = b[0][0] + b[1][1] + b[2][2];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                h[i][j] = (i == j ? trace : 0) - (b[i][j] + b[j][i]) / 2;
        if (!solve(h, t, EQUAL, w))
            return false;
        double turn2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
        if (turn2 > 0)
            rotate_by(q, w);
        if (turn2 <= SETTLED * SETTLED)
            return true;
    }
    return false;
}

/* ---- Directly ---------------------------------------------------------------------------------------------------- */

/* Makes k[p][q] 0 by a rotation in that plane. The rows of axis rotate with it. */
static void eliminate(double k[4][4], double axis[4][4], int p, int q)
{
    if (k[p][q] == 0)
        return;
    double theta = (k[q][q] - k[p][p]) / (2 * k[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c, change = t * k[p][q];
    k[p][p] -= change;
    k[q][q] += change;
    k[p][q] = k[q][p] = 0;
    for (int i = 0; i < 4; ++i) {
        if (i != p && i != q) {
            double kp = k[i][p], kq = k[i][q];
            k[i][p] = k[p][i] = c * kp - s * kq;
            k[i][q] = k[q][i] = s * kp + c * kq;
        }
        double ap = axis[p][i], aq = axis[q][i];
        axis[p][i] = c * ap - s * aq;
        axis[q][i] = s * ap + c * aq;
    }
}

/* Jacobi's method: k becomes diagonal, and row i of axis is the eigenvector of k[i][i]. Entries so small beside the
   diagonal that adding them changes nothing count as 0. */
static void diagonalise(double k[4][4], double axis[4][4])
{
    memset(axis, 0, 16 * sizeof(double));
    for (int i = 0; i < 4; ++i)
        axis[i][i] = 1;
    bool done = false;
    for (int sweep = 0; sweep < SWEEPS && !done; ++sweep) {
        done = true;
        for (int p = 0; p < 3; ++p)
            for (int q = p + 1; q < 4; ++q) {
                double small = 1e-17 * (fabs(k[p][p]) + fabs(k[q][q]));
                if (fabs(k[p][q]) <= small) {
                    k[p][q] = k[q][p] = 0;
                    continue;
                }
                done = false;
                eliminate(k, axis, p, q);
            }
    }
}

/* The best rotation; if there are several, the one nearest to `guess`. mat is of size 1. */
static void find_best(const sn_mat3 *mat, const double guess[4], double q[4])
{
    const double(*a)[3] = mat->m;
    double trace = a[0][0] + a[1][1] + a[2][2], axis[4][4];
    double k[4][4] = {{2 * a[0][0] - trace, a[0][1] + a[1][0], a[0][2] + a[2][0], a[2][1] - a[1][2]},
                      {a[0][1] + a[1][0], 2 * a[1][1] - trace, a[1][2] + a[2][1], a[0][2] - a[2][0]},
                      {a[0][2] + a[2][0], a[1][2] + a[2][1], 2 * a[2][2] - trace, a[1][0] - a[0][1]},
                      {a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1], trace}};
    diagonalise(k, axis);
    int best = 0;
    for (int i = 1; i < 4; ++i)
        if (k[i][i] > k[best][best])
            best = i;
    for (int i = 0; i < 4; ++i)
        q[i] = 0;
    for (int i = 0; i < 4;
         ++i) { /* project the guess on the best ones; twice the sum of pivots of H is between two eigenvalues */
        if (k[i][i] < k[best][best] - 2 * EQUAL)
            continue;
        double part = dot4(axis[i], guess);
        for (int j = 0; j < 4; ++j)
            q[j] += part * axis[i][j];
    }
    if (!(dot4(q, q) > FAINT * FAINT))
        memcpy(q, axis[best], 4 * sizeof *q);
    normalise4(q);
}

/* ---- Both -------------------------------------------------------------------------------------------------------- */

/* The largest entry. Infinity if one is not finite. */
static double size_of(const sn_mat3 *a, int n)
{
    double size = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (!isfinite(a->m[i][j]))
                return (double)INFINITY;
            size = fabs(a->m[i][j]) > size ? fabs(a->m[i][j]) : size;
        }
    return size;
}

/* The initial guess: the last rotation, or the identity. */
static void begin(const double q[4], double guess[4])
{
    static const double none[4] = {0, 0, 0, 1};
    double length2 = dot4(q, q);
    bool known = isfinite(length2) && length2 > 0.25;
    memcpy(guess, known ? q : none, 4 * sizeof *guess);
    normalise4(guess);
}

bool sn_extract_rotation(const sn_mat3 *a, double q[4])
{
    double size = size_of(a, 3), guess[4], best[4];
    sn_mat3 unit;
    if (!isfinite(size))
        return false;
    begin(q, guess);
    if (size < 1e-300) { /* a has no direction */
        memcpy(q, guess, sizeof guess);
        return true;
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            unit.m[i][j] = a->m[i][j] / size;
    memcpy(best, guess, sizeof best);
    if (!climb(&unit, best))
        find_best(&unit, guess, best);
    memcpy(q, best, sizeof best);
    return true;
}

bool sn_extract_rotation_2d(const sn_mat3 *a, double q[4])
{
    double size = size_of(a, 2), guess[4];
    if (!isfinite(size))
        return false;
    begin(q, guess);
    guess[0] = guess[1] = 0; /* about z */
    if (!(guess[2] * guess[2] + guess[3] * guess[3] > 0.25))
        guess[3] = 1, guess[2] = 0;
    normalise4(guess);
    memcpy(q, guess, sizeof guess);
    if (size < 1e-300)
        return true;
    double c = (a->m[0][0] + a->m[1][1]) / size, s = (a->m[1][0] - a->m[0][1]) / size, length = sqrt(c * c + s * s);
    if (!(length > EQUAL))
        return true;
    c /= length;
    s /= length;
    double half = sqrt((1 + fabs(c)) / 2),
           other = s / (2 * half); /* cosine and sine of half the angle, or the reverse */
    q[2] = c >= 0 ? other : half;
    q[3] = c >= 0 ? half : other;
    return true;
}
