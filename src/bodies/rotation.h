/* How a rigid body turns when nothing acts on it, in double.

   An orientation is a unit quaternion q (x, y, z, w; w is the real part) that takes the body's principal frame to the
   world's. What moves on is kept as the angular momentum l, in kg m^2/s along the axes of the world: free rotation does
   not change it, so it is given and never written here. inverse_moment[i] is 1 / I_i; 0 is a body that does not turn
   about that axis, whatever its momentum. */
#ifndef SN_BODIES_ROTATION_H
#define SN_BODIES_ROTATION_H

/* Turns a free body on by the time h (s; negative: back). Spheres and symmetric tops exactly, however fast; others to
   second order in h, with an energy that swings but does not drift. Steps back the way it came but for rounding. What
   is not finite makes q NaN. */
void sn_rotate_free(double q[4], const double l[3], const double inverse_moment[3], double h);

/* q times normalise(a, 1): turned by 2 atan |a| about a, which is given along the body's own axes (Cayley). For small
   turns a is half the angle. */
void sn_rotate_by(double q[4], const double a[3]);

/* a times b: first b, then a. result is neither of them. */
void sn_rotate_times(const double a[4], const double b[4], double result[4]);

/* To length 1. A quaternion that is so but for rounding keeps its bits, so that a body at rest does, too. */
void sn_rotate_normalise(double q[4]);

/* A vector along the body's axes, along those of the world, and back. to may be from. */
void sn_rotate_vector(const double q[4], const double from[3], double to[3]);
void sn_rotate_vector_back(const double q[4], const double from[3], double to[3]);

/* The matrix of the same: column i is the body's axis i in the world. Exactly the identity for (0, 0, 0, 1). */
void sn_rotate_matrix(const double q[4], double matrix[3][3]);

/* Column i of it alone. */
void sn_rotate_axis(const double q[4], int i, double axis[3]);

/* The axis around which a body with these moments, or their inverses, looks alike on all sides; 3: there is none. */
static inline int rotate_odd_axis(const double moment[3])
{
    return moment[0] == moment[1] ? 2 : moment[0] == moment[2] ? 1 : moment[1] == moment[2] ? 0 : 3;
}

/* Angular velocity (rad/s, along the world's axes) of a body with the momentum l. */
void sn_rotate_velocity(const double q[4], const double l[3], const double inverse_moment[3], double omega[3]);

/* And the momentum of one with the angular velocity omega. A moment of 0 stands for a body that does not turn about that
   axis: it takes up no momentum there. */
void sn_rotate_momentum(const double q[4], const double omega[3], const double moment[3], double l[3]);

/* J */
double sn_rotate_energy(const double q[4], const double l[3], const double inverse_moment[3]);

#endif
