/* The engine's own transcendental functions, for force fields, kinds and scenes of your own that must give the same bits on
   every machine: those of the C library differ from one to the next in the last place. They use +, -, *, / and sqrt only,
   in double. Same bits as long as your compiler does not fuse or reorder what you do with them. */
#ifndef SINEW_MATH_H
#define SINEW_MATH_H

#include <sinew/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SN_PI 3.14159265358979323846

/* Sine and cosine of an angle in radians. Error below 4e-16 of the result while |x| < 1e6, below 1e-15 for any larger
   finite one; NaN for infinities and NaN. */
SN_API double sn_math_sin(double x);
SN_API double sn_math_cos(double x);

/* The angle of the vector (x, y) in [-pi, pi]. Relative error below 4e-16; zeros and infinities as C's atan2; NaN for NaN. */
SN_API double sn_math_atan2(double y, double x);

/* The angle in [0, pi] whose cosine is x. Relative error below 8e-16; NaN outside [-1, 1]. */
SN_API double sn_math_acos(double x);

/* e^x. Relative error below 4e-16; 0 and infinity where the result leaves the range; NaN for NaN. */
SN_API double sn_math_exp(double x);

/* The natural logarithm. Error below 4e-16 of the larger of 1 and the result; -infinity for 0; NaN below 0 and for NaN. */
SN_API double sn_math_log(double x);

/* The cube root, of negative numbers too. Relative error below 4e-16. */
SN_API double sn_math_cbrt(double x);

#ifdef __cplusplus
}
#endif
#endif
