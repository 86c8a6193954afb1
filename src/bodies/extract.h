/* The rotation in a matrix: the rotation R nearest to it. Used by shape matching. */
#ifndef SN_BODIES_EXTRACT_H
#define SN_BODIES_EXTRACT_H

#include <stdbool.h>

/* A 3 x 3 matrix: m[row][column]. */
typedef struct sn_mat3 {
    double m[3][3];
} sn_mat3;

/* Sets q (x y z w, unit) to the rotation R that maximises tr(R^T a). If a = sum m x r^T, this is the proper rotation
   that minimises sum m |x - R r|^2. On entry q is a guess, the last rotation; all zeros: no guess. If several rotations
   are equally good, the one nearest to the guess (or to the identity) is used: for example, for points on a line, the
   rotation about the line; for points in one place, any rotation. A reflected a gives a proper rotation, too. The
   result depends only on a and on the guess, to the last bit, and on the guess only where it decides. False, with q
   unchanged, if a is not finite. */
bool sn_extract_rotation(const sn_mat3 *a, double q[4]);

/* The same about z alone, for a plane. The third row and column are ignored. */
bool sn_extract_rotation_2d(const sn_mat3 *a, double q[4]);

/* The matrix of a unit quaternion. */
sn_mat3 sn_rotation_matrix(const double q[4]);

#endif
