/* The engine's own transcendental functions, for force fields, kinds and scenes of your own that must give the same
   bits on every machine. Those of the C library differ between machines in the last place. These use only +, -, *, /
   and sqrt, in double. Your own code gives the same bits if the compiler does not fuse or reorder its operations. */
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

/* The angle of the vector (x, y) in [-pi, pi]. Relative error below 4e-16; zeros and infinities as C's atan2; NaN for
   NaN. */
SN_API double sn_math_atan2(double y, double x);

/* The angle in [0, pi] whose cosine is x. Relative error below 8e-16; NaN outside [-1, 1]. */
SN_API double sn_math_acos(double x);

/* e^x. Relative error below 4e-16; 0 and infinity where the result leaves the range; NaN for NaN. */
SN_API double sn_math_exp(double x);

/* The natural logarithm. Error below 4e-16 of the larger of 1 and the result; -infinity for 0; NaN below 0 and for
   NaN. */
SN_API double sn_math_log(double x);

/* The cube root, of negative numbers too. Relative error below 4e-16. */
SN_API double sn_math_cbrt(double x);

/* ---- Vectors and rotations ----------------------------------------------------------------------
   For programs that have no such functions of their own. A rotation is a unit quaternion; (0, 0, 0, 1) is none. */

static inline sn_vec3 sn_vec3_make(sn_real x, sn_real y, sn_real z)
{
    sn_vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

static inline sn_vec3 sn_vec3_add(sn_vec3 a, sn_vec3 b)
{
    return sn_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline sn_vec3 sn_vec3_sub(sn_vec3 a, sn_vec3 b)
{
    return sn_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline sn_vec3 sn_vec3_scale(sn_vec3 a, sn_real by)
{
    return sn_vec3_make(a.x * by, a.y * by, a.z * by);
}

static inline sn_real sn_vec3_dot(sn_vec3 a, sn_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline sn_vec3 sn_vec3_cross(sn_vec3 a, sn_vec3 b)
{
    return sn_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* The length of a vector; and the unit vector in its direction, or 0 if its length is 0. */
SN_API sn_real sn_vec3_length(sn_vec3 a);
SN_API sn_vec3 sn_vec3_normalise(sn_vec3 a);

/* The rotation about an axis of any length but 0, by an angle in rad; no rotation if the axis has length 0. */
SN_API sn_quat sn_quat_about(sn_vec3 axis, sn_real angle);

/* The shortest rotation that takes y to a direction of any length but 0: for capsules, cylinders and planes. */
SN_API sn_quat sn_quat_facing(sn_vec3 direction);

SN_API sn_quat sn_quat_after(sn_quat a, sn_quat b); /* first b, then a */
SN_API sn_quat sn_quat_back(sn_quat q);             /* the inverse rotation */
SN_API sn_vec3 sn_quat_apply(sn_quat q, sn_vec3 v); /* v rotated */

#ifdef __cplusplus
}
#endif
#endif
