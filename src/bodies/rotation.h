/* Free rotation of a rigid body, in double.

   An orientation is a unit quaternion q (x, y, z, w; w is the real part) that rotates the body's principal frame to the
   world. The state of motion is the angular momentum l, in kg m^2/s along the axes of the world. Free rotation does not
   change it, so it is an input and never written here. inverse_moment[i] is 1 / I_i; 0: the body does not rotate about
   that axis, whatever its momentum. */
#ifndef SN_BODIES_ROTATION_H
#define SN_BODIES_ROTATION_H

#include <float.h>
#include <math.h>

/* Functions that loops over all bodies call in every substep are inline: a call would take as long as their work. */

/* A squared length that differs from 1 by at most this counts as 1. */
#define SN_UNIT_SLACK (8 * DBL_EPSILON)

/* Advances a free body's rotation by the time h (s; negative: backwards). Exact for spheres and symmetric tops at any
   speed. Other bodies: second order in h, with an energy that oscillates but does not drift. Time-reversible up to
   rounding. Non-finite input makes q NaN. */
void sn_rotate_free(double q[4], const double l[3], const double inverse_moment[3], double h);

/* q times normalise(a, 1): rotated by 2 atan |a| about a, given along the body's own axes (Cayley). For small rotations
   a is half the angle. */
void sn_rotate_by(double q[4], const double a[3]);

/* a times b: first b, then a. result must be neither of them. */
static inline void sn_rotate_times(const double a[4], const double b[4], double result[4])
{
    result[0] = b[0] * a[3] + a[0] * b[3] + (a[1] * b[2] - a[2] * b[1]);
    result[1] = b[1] * a[3] + a[1] * b[3] + (a[2] * b[0] - a[0] * b[2]);
    result[2] = b[2] * a[3] + a[2] * b[3] + (a[0] * b[1] - a[1] * b[0]);
    result[3] = a[3] * b[3] - (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

/* Normalises q. A quaternion that is a unit quaternion up to rounding keeps its bits, so that a body at rest does,
   too. */
static inline void sn_rotate_normalise(double q[4])
{
    const double squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (fabs(squared - 1) <= SN_UNIT_SLACK)
        return;
    const double length = sqrt(squared);
    if (length == 0) {
        q[3] = 1;
        return;
    }
    const double inverse = 1 / length;
    for (int i = 0; i < 4; ++i)
        q[i] *= inverse;
}

/* Rotates a vector from the body's axes to the world, and back. to may be from. */
void sn_rotate_vector(const double q[4], const double from[3], double to[3]);
void sn_rotate_vector_back(const double q[4], const double from[3], double to[3]);

/* The rotation matrix: column i is the body's axis i in the world. Exactly the identity for (0, 0, 0, 1). */
void sn_rotate_matrix(const double q[4], double matrix[3][3]);

/* Only column i of it. */
static inline void sn_rotate_axis(const double q[4], int i, double axis[3])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    if (i == 0) {
        axis[0] = 1 - 2 * (y * y + z * z);
        axis[1] = 2 * (x * y + w * z);
        axis[2] = 2 * (x * z - w * y);
    } else if (i == 1) {
        axis[1] = 1 - 2 * (z * z + x * x);
        axis[2] = 2 * (y * z + w * x);
        axis[0] = 2 * (y * x - w * z);
    } else {
        axis[2] = 1 - 2 * (x * x + y * y);
        axis[0] = 2 * (z * x + w * y);
        axis[1] = 2 * (z * y - w * x);
    }
}

/* The symmetry axis of a body with these moments or inverse moments: the one whose two other moments are equal. 3:
   there is none. */
static inline int rotate_odd_axis(const double moment[3])
{
    return moment[0] == moment[1] ? 2 : moment[0] == moment[2] ? 1 : moment[1] == moment[2] ? 0 : 3;
}

/* The angular velocity (rad/s, along the world's axes) of a body with the momentum l. */
void sn_rotate_velocity(const double q[4], const double l[3], const double inverse_moment[3], double omega[3]);

/* The momentum for the angular velocity omega. A moment of 0 means that the body does not rotate about that axis and
   has no momentum there. */
void sn_rotate_momentum(const double q[4], const double omega[3], const double moment[3], double l[3]);

/* The rotational energy, J. */
double sn_rotate_energy(const double q[4], const double l[3], const double inverse_moment[3]);

#endif
