/* The rotation inside of a matrix: the R of length-preserving ones that is nearest to it. Shape matching asks for it. */
#ifndef SN_BODIES_EXTRACT_H
#define SN_BODIES_EXTRACT_H

#include <stdbool.h>

/* A matrix of three rows: m[row][column]. */
typedef struct sn_mat3 {
    double m[3][3];
} sn_mat3;

/* Turns q (x y z w, length 1) into the rotation R that makes tr(R^T a) largest: of all proper rotations the one for which
   sum m |x - R r|^2 is least, if a = sum m x r^T. q begins as a guess, the rotation of the last time; all zeros: there is
   none. Where several rotations are equally good it is the one nearest to the guess (to no rotation without one): about
   the line of points on a line, or any if all are in one place. A reflected a gives a rotation, too. Only a matter of a
   and the guess, to the last bit, and of the guess only where it decides. False, with q as it was, if a is not finite. */
bool sn_extract_rotation(const sn_mat3 *a, double q[4]);

/* The same about z alone, for a plane. The third row and column are not looked at. */
bool sn_extract_rotation_2d(const sn_mat3 *a, double q[4]);

/* The matrix of a quaternion of length 1. */
sn_mat3 sn_rotation_matrix(const double q[4]);

#endif
