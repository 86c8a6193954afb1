/* Vectors of doubles, for kernels that lose too many digits in single precision: angles near straight, thin triangles,
   sums over many terms. They take differences of positions and return sn_real. */
#ifndef SN_BASE_DVEC_H
#define SN_BASE_DVEC_H

#include "base/vec.h"

typedef struct sn_dvec3 {
    double x, y, z;
} sn_dvec3;

static inline sn_dvec3 dvec3(double x, double y, double z)
{
    return (sn_dvec3){x, y, z};
}

static inline sn_dvec3 dvec3_from(sn_vec3 a)
{
    return (sn_dvec3){(double)a.x, (double)a.y, (double)a.z};
}

/* The vector from a to b. The difference is taken in sn_real. So, seen from the first point of a constraint, it has the
   same bits whether positions are given in world coordinates or relative to that point, as internal kinds get them. */
static inline sn_dvec3 dvec3_seen(sn_vec3 a, sn_vec3 b)
{
    return dvec3_from(vec3_sub(b, a));
}

static inline sn_vec3 dvec3_round(sn_dvec3 a)
{
    return (sn_vec3){(sn_real)a.x, (sn_real)a.y, (sn_real)a.z};
}

static inline sn_dvec3 dvec3_add(sn_dvec3 a, sn_dvec3 b)
{
    return (sn_dvec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline sn_dvec3 dvec3_sub(sn_dvec3 a, sn_dvec3 b)
{
    return (sn_dvec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline sn_dvec3 dvec3_scale(sn_dvec3 a, double s)
{
    return (sn_dvec3){a.x * s, a.y * s, a.z * s};
}

static inline double dvec3_dot(sn_dvec3 a, sn_dvec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline sn_dvec3 dvec3_cross(sn_dvec3 a, sn_dvec3 b)
{
    return (sn_dvec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double dvec3_length(sn_dvec3 a)
{
    return sqrt(dvec3_dot(a, a));
}

/* A unit vector normal to a, which is not 0. It is for uses where any normal will do: the coordinate axis to which a is
   least inclined (z if in doubt), less its component along a. For a in the plane of a 2D world this is z itself, so
   that a rotation about it stays in the plane. */
static inline sn_dvec3 dvec3_any_normal(sn_dvec3 a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    sn_dvec3 axis = z <= x && z <= y ? dvec3(0, 0, 1) : y <= x ? dvec3(0, 1, 0) : dvec3(1, 0, 0);
    sn_dvec3 normal = dvec3_sub(axis, dvec3_scale(a, dvec3_dot(a, axis) / dvec3_dot(a, a)));
    return dvec3_scale(normal, 1 / dvec3_length(normal));
}

#endif
