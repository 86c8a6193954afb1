/* Symmetric matrices of three rows. */
#ifndef SN_BASE_SYMMETRIC_H
#define SN_BASE_SYMMETRIC_H

/* The eigenvalues of a symmetric matrix, in no particular order, and their axes: unit vectors, orthogonal to each
   other; axis[i] belongs to value[i]. a is used up. Entries that are 0 exactly stay so: a matrix that does not mix z
   with x and y has axes that do not either. */
void sn_symmetric_eigen(double a[3][3], double value[3], double axis[3][3]);

#endif
