/* Two unit vectors u, v perpendicular to a direction t, as a smooth function of it: what "beside a line" is measured
   along.

   e is the coordinate axis that t is least inclined to, s = e . t, m = sqrt(1 - s^2) >= sqrt(2/3):

       u = (e - s t) / m,   v = t x u = t x e / m

   Where two axes are equally far from t the later one is taken: for t in the plane of a 2D world u is the z axis,
   whose row has no gradient there, and v lies in the plane. u and v jump where another axis becomes the farthest;
   they turn about t then, so that a pair of rows q . u = q . v = 0 still asks the same. */
#ifndef SN_CONSTRAINTS_PERPENDICULAR_H
#define SN_CONSTRAINTS_PERPENDICULAR_H

#include "base/vec.h"

typedef struct sn_perpendicular {
    sn_vec3 t, e;
    sn_vec3 u, v;
    sn_real s, m;
} sn_perpendicular;

static inline sn_real real_abs(sn_real a)
{
    return a < 0 ? -a : a;
}

/* For t of length 1. */
static inline sn_perpendicular perpendicular(sn_vec3 t)
{
    sn_real x = real_abs(t.x), y = real_abs(t.y), z = real_abs(t.z);
    sn_perpendicular p = {.t = t};
    if (z <= x && z <= y)
        p.e = vec3(0, 0, 1);
    else
        p.e = y <= x ? vec3(0, 1, 0) : vec3(1, 0, 0);
    p.s = vec3_dot(p.e, t);
    p.m = real_sqrt(1 - p.s * p.s);
    p.u = vec3_scale(vec3_sub(p.e, vec3_scale(t, p.s)), 1 / p.m);
    p.v = vec3_scale(vec3_cross(t, p.e), 1 / p.m);
    return p;
}

/* d(q . u)/dt for a constant q, by q . u = (q . e - s q . t) / m and d(1/m) = s / m^3 e . dt. */
static inline sn_vec3 perpendicular_turn_u(const sn_perpendicular *p, sn_vec3 q)
{
    sn_real qt = vec3_dot(q, p->t), along = (vec3_dot(q, p->e) - p->s * qt) * p->s / (p->m * p->m * p->m);
    return vec3_add(vec3_scale(q, -p->s / p->m), vec3_scale(p->e, along - qt / p->m));
}

/* d(q . v)/dt for a constant q, by q . v = t . (e x q) / m. */
static inline sn_vec3 perpendicular_turn_v(const sn_perpendicular *p, sn_vec3 q)
{
    sn_vec3 eq = vec3_cross(p->e, q);
    sn_real along = vec3_dot(p->t, eq) * p->s / (p->m * p->m * p->m);
    return vec3_add(vec3_scale(eq, 1 / p->m), vec3_scale(p->e, along));
}

/* a without what it has along the unit vector t. */
static inline sn_vec3 vec3_beside(sn_vec3 a, sn_vec3 t)
{
    return vec3_sub(a, vec3_scale(t, vec3_dot(a, t)));
}

#endif
