/* Rotations of single bodies, as quaternions and vectors of double. */
#include "bodies/rotation.h"

#include "base/dvec.h"
#include "base/math.h"

static sn_dvec3 vector_of(const double *a)
{
    return dvec3(a[0], a[1], a[2]);
}

static void put(double *to, sn_dvec3 a)
{
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
}

/* a + 2 w (v x a) + 2 v x (v x a). Exactly a for no rotation. */
static inline sn_dvec3 turned(sn_dvec3 v, double w, sn_dvec3 a)
{
    sn_dvec3 t = dvec3_scale(dvec3_cross(v, a), 2);
    return dvec3_add(dvec3_add(a, dvec3_scale(t, w)), dvec3_cross(v, t));
}

void sn_rotate_vector(const double q[4], const double from[3], double to[3])
{
    put(to, turned(vector_of(q), q[3], vector_of(from)));
}

void sn_rotate_vector_back(const double q[4], const double from[3], double to[3])
{
    put(to, turned(vector_of(q), -q[3], vector_of(from)));
}

void sn_rotate_matrix(const double q[4], double matrix[3][3])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 9; ++i)
        matrix[i / 3][i % 3] = r[i / 3][i % 3];
}

void sn_rotate_by(double q[4], const double a[3])
{
    const double turn[4] = {a[0], a[1], a[2], 1};
    double result[4];
    sn_rotate_times(q, turn, result);
    for (int i = 0; i < 4; ++i)
        q[i] = result[i];
    sn_rotate_normalise(q);
}

/* ---- Rates ------------------------------------------------------------------------------------------------------- */

/* Rotates world to body, multiplies each component by a weight, and rotates back. */
static void weigh(const double q[4], const double from[3], const double weight[3], double to[3])
{
    double own[3];
    sn_rotate_vector_back(q, from, own);
    for (int i = 0; i < 3; ++i)
        own[i] *= weight[i];
    sn_rotate_vector(q, own, to);
}

void sn_rotate_velocity(const double q[4], const double l[3], const double inverse_moment[3], double omega[3])
{
    weigh(q, l, inverse_moment, omega);
}

void sn_rotate_momentum(const double q[4], const double omega[3], const double moment[3], double l[3])
{
    weigh(q, omega, moment, l);
}

double sn_rotate_energy(const double q[4], const double l[3], const double inverse_moment[3])
{
    double m[3];
    sn_rotate_vector_back(q, l, m);
    return (inverse_moment[0] * m[0] * m[0] + inverse_moment[1] * m[1] * m[1] + inverse_moment[2] * m[2] * m[2]) / 2;
}
