/* Our own transcendental functions: libm's differ in the last bit from one C library to the next, and results must not.
   They use +, -, *, / only, in double, rounded as IEEE 754 says. */
#ifndef SN_BASE_MATH_H
#define SN_BASE_MATH_H

/* e^x. Relative error below 4e-16; 0 and infinity where the result leaves the range; NaN for NaN. */
double math_exp(double x);

/* e^x - 1, precise where x is small. Relative error below 1e-15. */
double math_expm1(double x);

/* The natural logarithm. Error below 4e-16 of the larger of 1 and the result; -infinity for 0; NaN below 0 and for NaN. */
double math_log(double x);

#endif
