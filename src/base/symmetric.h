/* Symmetric 3 x 3 matrices. */
#ifndef SN_BASE_SYMMETRIC_H
#define SN_BASE_SYMMETRIC_H

/* The eigenvalues of a symmetric matrix, in no particular order, and its eigenvectors. axis[i] belongs to value[i]; the
   axes are orthogonal unit vectors. a is overwritten. Entries of exactly 0 stay 0: if a does not mix z with x and y,
   neither do the axes. */
void sn_symmetric_eigen(double a[3][3], double value[3], double axis[3][3]);

/* The inverse of a symmetric matrix. Both are six numbers: xx, yy, zz, xy, xz, yz. Returns the determinant. If it is 0,
   the inverse is not finite. */
static inline double symmetric_inverse(const double m[6], double out[6])
{
    const double xx = m[1] * m[2] - m[5] * m[5], xy = m[4] * m[5] - m[3] * m[2], xz = m[3] * m[5] - m[4] * m[1];
    const double det = m[0] * xx + m[3] * xy + m[4] * xz, per_det = 1 / det;
    out[0] = xx * per_det;
    out[1] = (m[0] * m[2] - m[4] * m[4]) * per_det;
    out[2] = (m[0] * m[1] - m[3] * m[3]) * per_det;
    out[3] = xy * per_det;
    out[4] = xz * per_det;
    out[5] = (m[3] * m[4] - m[0] * m[5]) * per_det;
    return det;
}

#endif
