/* Our own transcendental functions. Those of libm differ in the last bit from one C library to another, and results
   must not. They use only +, -, *, / and sqrt, in double, rounded as IEEE 754 demands. */
#ifndef SN_BASE_MATH_H
#define SN_BASE_MATH_H

#include <sinew/base.h>

/* e^x. Relative error below 4e-16; 0 and infinity where the result leaves the range; NaN for NaN. */
double math_exp(double x);

/* e^x - 1, precise where x is small. Relative error below 1e-15. */
double math_expm1(double x);

/* The natural logarithm. Error below 4e-16 of the larger of 1 and the result; -infinity for 0; NaN below 0 and for
   NaN. */
double math_log(double x);

/* The cube root, also of negative numbers. Relative error below 4e-16. Zeros, infinities and NaN are returned
   unchanged. */
double math_cbrt(double x);

/* Sine and cosine of an angle in radians. Error below 4e-16 of the result for |x| < 1e6, below 1e-15 for larger finite
   x. NaN for infinities and NaN. The sine of -0 is -0. */
double math_sin(double x);
double math_cos(double x);

/* The angle of the vector (x, y) in [-pi, pi]. Negative where y is negative (-0 included). Relative error below 4e-16.
   Zeros and infinities as in C: if both are zero, 0 or pi by the sign of x; if both are infinite, an odd multiple of
   pi/4. NaN for NaN. */
double math_atan2(double y, double x);

/* The angle in [0, pi] whose cosine is x. Relative error below 8e-16. NaN outside [-1, 1]. For the angle between two
   vectors prefer math_atan2 of sine and cosine: near 0 and pi the cosine has lost the angle's digits. */
double math_acos(double x);

#define MATH_PI 3.14159265358979323846

#endif
