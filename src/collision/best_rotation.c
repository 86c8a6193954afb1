#include "collision/best_rotation.h"

#include <math.h>

/* The most sweeps over all pairs. Jacobi's method converges quadratically, so this is plenty. */
#define SWEEPS 24

/* Relative to the size of the matrix: smaller off-diagonal entries count as 0. */
#define NOTHING 1e-18

/* Rotates axes p and q so that a[p][q] becomes 0 (Golub and Van Loan, 8.5.2). v collects the rotations, in columns. */
static void rotate(double a[4][4], double v[4][4], int p, int q)
{
    double tau = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (tau < 0 ? -1 : 1) / (fabs(tau) + sqrt(1 + tau * tau)), c = 1 / sqrt(1 + t * t), s = t * c;
    for (int i = 0; i < 4; ++i) {
        double ip = a[i][p], iq = a[i][q];
        a[i][p] = c * ip - s * iq;
        a[i][q] = s * ip + c * iq;
    }
    for (int i = 0; i < 4; ++i) {
        double pi = a[p][i], qi = a[q][i], vp = v[i][p], vq = v[i][q];
        a[p][i] = c * pi - s * qi;
        a[q][i] = s * pi + c * qi;
        v[i][p] = c * vp - s * vq;
        v[i][q] = s * vp + c * vq;
    }
}

static double largest_part(const double s[3][3])
{
    double most = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            most = fabs(s[i][k]) > most ? fabs(s[i][k]) : most;
    return most;
}

/* Horn 1987: the sum of b . R a is q^T N q with the quaternion q = (w, x, y, z) and N as below. So the best q is the
   eigenvector of the largest eigenvalue of N. */
sn_quat sn_best_rotation(const double sum[3][3])
{
    double size = largest_part(sum), s[3][3], v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    int best = 0;
    if (!(size > 0) || !isfinite(size))
        return (sn_quat){0, 0, 0, 1};
    for (int i = 0; i < 9; ++i)
        s[i / 3][i % 3] = sum[i / 3][i % 3] / size;
    double n[4][4] = {
        {s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
        {s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
        {s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
        {s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1]},
    };
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
        for (int p = 0; p < 3; ++p)
            for (int q = p + 1; q < 4; ++q)
                if (fabs(n[p][q]) > NOTHING)
                    rotate(n, v, p, q);
    for (int i = 1; i < 4; ++i)
        best = n[i][i] > n[best][best] ? i : best;
    return (sn_quat){(sn_real)v[1][best], (sn_real)v[2][best], (sn_real)v[3][best], (sn_real)v[0][best]};
}
