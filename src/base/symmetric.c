#include "base/symmetric.h"

#include <math.h>
#include <stdbool.h>

/* Jacobi's method (1846): each rotation about two axes makes one off-diagonal entry vanish. Every sweep squares the
   size of the remaining entries. Six sweeps are enough for any matrix; the last ones find nothing to do. */
#define SWEEPS 8

/* True if the entry is so small beside the diagonal that it vanishes when added to it. */
static bool is_lost(double entry, double p, double q)
{
    return fabs(entry) < 1e-20 * (fabs(p) + fabs(q));
}

/* Rotates rows and columns p and q, and the axes, so that a[p][q] vanishes. */
static void rotate(double a[3][3], double axis[3][3], int p, int q)
{
    int r = 3 - p - q;
    if (a[p][q] == 0 || is_lost(a[p][q], a[p][p], a[q][q])) {
        a[p][q] = a[q][p] = 0;
        return;
    }
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)); /* tangent of the angle, at most 1 */
    double c = 1 / sqrt(t * t + 1), s = t * c, arp = a[r][p], arq = a[r][q];
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0;
    a[r][p] = a[p][r] = c * arp - s * arq;
    a[r][q] = a[q][r] = s * arp + c * arq;
    for (int i = 0; i < 3; ++i) {
        double x = axis[p][i], y = axis[q][i];
        axis[p][i] = c * x - s * y;
        axis[q][i] = s * x + c * y;
    }
}

void sn_symmetric_eigen(double a[3][3], double value[3], double axis[3][3])
{
    for (int i = 0; i < 9; ++i)
        axis[i / 3][i % 3] = i / 3 == i % 3;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        rotate(a, axis, 0, 1);
        rotate(a, axis, 0, 2);
        rotate(a, axis, 1, 2);
    }
    for (int i = 0; i < 3; ++i)
        value[i] = a[i][i];
}
