/* Our own transcendental functions: libm's differ in the last bit from one C library to the next, and results must not.
   They use +, -, *, / and sqrt only, in double, rounded as IEEE 754 says. */
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

/* The cube root, of negative numbers too. Relative error below 4e-16; zeros, infinities and NaN are their own. */
double math_cbrt(double x);

/* Sine and cosine of an angle in radians. Error below 4e-16 of the result while |x| < 1e6, below 1e-15 for any larger
   finite one; NaN for infinities and NaN. The sine of -0 is -0. */
double math_sin(double x);
double math_cos(double x);

/* The angle of the vector (x, y) in [-pi, pi], negative where y is (-0 included). Relative error below 4e-16. Zeros and
   infinities as C has them: both zero gives 0 or pi by the sign of x, both infinite a multiple of pi/4. NaN for NaN. */
double math_atan2(double y, double x);

/* The angle in [0, pi] whose cosine is x. Relative error below 8e-16; NaN outside [-1, 1]. Where two vectors are at
   hand, math_atan2 of sine and cosine is the better way to their angle: near 0 and pi a cosine has lost it. */
double math_acos(double x);

#define MATH_PI 3.14159265358979323846

#endif
