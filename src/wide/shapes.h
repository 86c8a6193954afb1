/* Kinds of three and four points: angle.c, dihedral.c, bending.c and volume.c of constraints/, where their formulas are
   derived. Angles are taken in double precision, as there, and give the same gradients, to the last bit. */
#ifndef SN_WIDE_SHAPES_H
#define SN_WIDE_SHAPES_H

#include "wide/math.h"
#include "wide/points.h"

/* sum w |grad C|^2 */
SN_INLINE lanes mobility_of(const lanes3 *gradient, const lanes *w, int points)
{
    lanes sum = w[0] * lanes3_dot(gradient[0], gradient[0]);
    for (int i = 1; i < points; ++i)
        sum = sum + w[i] * lanes3_dot(gradient[i], gradient[i]);
    return sum;
}

SN_INLINE void push_along(const lanes3 *gradient, const lanes *w, int points, lanes step, lanes3 *push)
{
    for (int i = 0; i < points; ++i)
        push[i] = lanes3_scale(gradient[i], w[i] * step);
}

SN_INLINE lanes3 minus_sum(lanes3 a, lanes3 b)
{
    return lanes3_scale(lanes3_add(a, b), lanes_all(-1));
}

/* ---- Volume ---------------------------------------------------------------------------------------------------------------- */

SN_INLINE void volume_project(const lanes3 *p, const lanes *w, const lanes *param, lanes alpha, lanes *lambda,
                              lanes3 *push)
{
    lanes3 ab = lanes3_sub(p[1], p[0]), ac = lanes3_sub(p[2], p[0]), ad = lanes3_sub(p[3], p[0]), g[4];
    lanes sixth = lanes_all((float)(1.0 / 6));
    g[1] = lanes3_scale(lanes3_cross(ac, ad), sixth);
    g[2] = lanes3_scale(lanes3_cross(ad, ab), sixth);
    g[3] = lanes3_scale(lanes3_cross(ab, ac), sixth);
    g[0] = minus_sum(lanes3_add(g[1], g[2]), g[3]);
    lanes c = lanes3_dot(lanes3_cross(ab, ac), ad) / lanes_all(6) - param[0], mobility = mobility_of(g, w, 4);
    lanes step = wide_step(c, mobility, alpha, lambda[0], flags_everywhere());
    lambda[0] = lambda[0] + step;
    push_along(g, w, 4, step, push);
}

/* ---- Bending ----------------------------------------------------------------------------------------------------------------- */

/* C = k1 (b - a) + k2 (c - a) + k3 (d - a): three rows that share no coordinate */
SN_INLINE void bending_project(const lanes3 *p, const lanes *w, const lanes *param, lanes alpha, lanes *lambda,
                               lanes3 *push)
{
    lanes k[4] = {lanes_all(0) - (param[0] + param[1] + param[2]), param[0], param[1], param[2]};
    lanes3 c = lanes3_scale(lanes3_sub(p[1], p[0]), k[1]);
    c = lanes3_add(c, lanes3_scale(lanes3_sub(p[2], p[0]), k[2]));
    c = lanes3_add(c, lanes3_scale(lanes3_sub(p[3], p[0]), k[3]));
    lanes mobility = w[0] * (k[0] * k[0]);
    for (int i = 1; i < 4; ++i)
        mobility = mobility + w[i] * (k[i] * k[i]);
    lanes3 step = three_steps(c, mobility, alpha, lambda);
    for (int i = 0; i < 4; ++i)
        push[i] = lanes3_scale(step, w[i] * k[i]);
}

/* ---- Angle ------------------------------------------------------------------------------------------------------------------- */

/* An angle and its gradients by the points a and c of an angle, or a, b and c of a dihedral one; all 0 where it does not
   exist. */
typedef struct half_angle {
    dlanes theta;
    dlanes3 gradient[3];
} half_angle;

#define STRAIGHT 1e-14 /* as in constraints/angle.c */

/* As dvec3_any_normal. */
SN_INLINE dlanes3 any_normal(dlanes3 a)
{
    dlanes x = dlanes_abs(a.x), y = dlanes_abs(a.y), z = dlanes_abs(a.z), one = dlanes_all(1);
    dflags by_z = dlanes_at_least(x, z) & dlanes_at_least(y, z), by_y = ~by_z & dlanes_at_least(x, y);
    dlanes3 axis = {dlanes_keep(~by_z & ~by_y, one), dlanes_keep(by_y, one), dlanes_keep(by_z, one)};
    dlanes3 normal = dlanes3_sub(axis, dlanes3_scale(a, dlanes3_dot(a, axis) / dlanes3_dot(a, a)));
    return dlanes3_scale(normal, one / dlanes_sqrt(dlanes3_dot(normal, normal)));
}

SN_INLINE half_angle bend(dlanes3 u, dlanes3 ac, dlanes sign)
{
    dlanes3 v = dlanes3_sub(ac, u), n = dlanes3_cross(u, v);
    dlanes uu = dlanes3_dot(u, u), vv = dlanes3_dot(v, v), zero = dlanes_all(0);
    dlanes sine = dlanes_sqrt(dlanes3_dot(n, n)), least = dlanes_all(STRAIGHT) * dlanes_sqrt(uu) * dlanes_sqrt(vv);
    dflags exists = dlanes_above(uu, zero) & dlanes_above(vv, zero), turns = dlanes_above(sine, least);
    half_angle r = {.theta = dlanes_keep(exists, dlanes_atan2(sine, dlanes3_dot(u, v)))};
    n = dlanes3_scale(n, dlanes_all(1) / sine);
    if (!dflags_all(turns))
        n = dlanes3_choose(turns, n, any_normal(u));
    r.gradient[0] = dlanes3_keep(exists, dlanes3_scale(dlanes3_cross(n, u), sign / uu));
    r.gradient[1] = dlanes3_keep(exists, dlanes3_scale(dlanes3_cross(n, v), sign / vv));
    return r;
}

/* theta, and its gradients times sign. Returns where it exists: there the gradient by a is not 0. */
SN_INLINE flags bend_lanes(const lanes3 *p, float sign, lanes *theta, lanes3 *gradient)
{
    lanes3 ab = lanes3_sub(p[1], p[0]), ac = lanes3_sub(p[2], p[0]);
    dlanes angle[DOUBLE_PARTS];
    dlanes3 by_a[DOUBLE_PARTS], by_c[DOUBLE_PARTS];
    for (int i = 0; i < DOUBLE_PARTS; ++i) {
        half_angle half = bend(dlanes3_from(ab, i), dlanes3_from(ac, i), dlanes_all((double)sign));
        angle[i] = half.theta;
        by_a[i] = half.gradient[0];
        by_c[i] = half.gradient[1];
    }
    *theta = dlanes_round(angle);
    gradient[0] = dlanes3_round(by_a);
    gradient[2] = dlanes3_round(by_c);
    gradient[1] = minus_sum(gradient[0], gradient[2]);
    return lanes_unequal(lanes3_dot(gradient[0], gradient[0]), lanes_all(0));
}

/* C = theta - angle */
SN_INLINE void angle_project(const lanes3 *p, const lanes *w, const lanes *param, lanes alpha, lanes *lambda,
                             lanes3 *push)
{
    lanes theta;
    lanes3 g[3];
    flags exists = bend_lanes(p, 1, &theta, g);
    lanes step = wide_step(theta - param[0], mobility_of(g, w, 3), alpha, lambda[0], exists);
    lambda[0] = lambda[0] + step;
    push_along(g, w, 3, step, push);
}

SN_INLINE void angle_min_project(const lanes3 *p, const lanes *w, const lanes *param, lanes alpha, lanes *lambda,
                                 lanes3 *push)
{
    lanes theta;
    lanes3 g[3];
    flags exists = bend_lanes(p, 1, &theta, g);
    lanes step = wide_step_at_least(theta - param[0], mobility_of(g, w, 3), alpha, lambda[0], exists);
    lambda[0] = lambda[0] + step;
    push_along(g, w, 3, step, push);
}

SN_INLINE void angle_max_project(const lanes3 *p, const lanes *w, const lanes *param, lanes alpha, lanes *lambda,
                                 lanes3 *push)
{
    lanes theta;
    lanes3 g[3];
    flags exists = bend_lanes(p, -1, &theta, g);
    lanes step = wide_step_at_least(param[0] - theta, mobility_of(g, w, 3), alpha, lambda[0], exists);
    lambda[0] = lambda[0] + step;
    push_along(g, w, 3, step, push);
}

/* ---- Dihedral angle ------------------------------------------------------------------------------------------------------------ */

#define FLAT 1e-10 /* as in constraints/dihedral.c */

SN_INLINE dflags is_triangle(dlanes normal2, dlanes edge2, dlanes side2)
{
    return dlanes_above(normal2, dlanes_all(FLAT * FLAT) * edge2 * dlanes_max(edge2, side2));
}

SN_INLINE half_angle fold(dlanes3 ab, dlanes3 ac, dlanes3 ad)
{
    dlanes3 bc = dlanes3_sub(ac, ab), bd = dlanes3_sub(ad, ab), e = dlanes3_sub(ad, ac);
    dlanes3 n1 = dlanes3_cross(ac, ad), n2 = dlanes3_cross(bd, bc);
    dlanes ee = dlanes3_dot(e, e), nn1 = dlanes3_dot(n1, n1), nn2 = dlanes3_dot(n2, n2), length = dlanes_sqrt(ee);
    dflags exists = is_triangle(nn1, ee, dlanes3_dot(ac, ac)) & is_triangle(nn2, ee, dlanes3_dot(bc, bc));
    dlanes zero = dlanes_all(0), sine = dlanes3_dot(dlanes3_cross(n1, n2), e) / length + zero;
    half_angle r = {.theta = dlanes_keep(exists, dlanes_atan2(sine, dlanes3_dot(n1, n2)))};
    dlanes3 by_a = dlanes3_scale(n1, -length / nn1), by_b = dlanes3_scale(n2, -length / nn2);
    r.gradient[0] = dlanes3_keep(exists, by_a);
    r.gradient[1] = dlanes3_keep(exists, by_b);
    r.gradient[2] = dlanes3_keep(exists, dlanes3_sub(dlanes3_scale(by_a, -dlanes3_dot(ad, e) / ee),
                                                     dlanes3_scale(by_b, dlanes3_dot(bd, e) / ee)));
    return r;
}

/* math_wrap, for angles that lie within one turn of where they belong. */
SN_INLINE lanes wrap(lanes x)
{
    const float pi = (float)3.14159265358979323846;
    dlanes in_turn[DOUBLE_PARTS];
    flags above = lanes_above(x, lanes_all(pi)), below = lanes_at_least(lanes_all(-pi), x);
    lanes turn = lanes_keep(above, lanes_all(-1)) + lanes_keep(below, lanes_all(1));
    for (int i = 0; i < DOUBLE_PARTS; ++i)
        in_turn[i] = dlanes_from(x, i) + dlanes_from(turn, i) * dlanes_all(2 * 3.14159265358979323846);
    return dlanes_round(in_turn);
}

/* C = theta - rest, wrapped */
SN_INLINE void dihedral_project(const lanes3 *p, const lanes *w, const lanes *param, lanes alpha, lanes *lambda,
                                lanes3 *push)
{
    lanes3 ab = lanes3_sub(p[1], p[0]), ac = lanes3_sub(p[2], p[0]), ad = lanes3_sub(p[3], p[0]), g[4];
    dlanes angle[DOUBLE_PARTS];
    dlanes3 by[3][DOUBLE_PARTS];
    for (int i = 0; i < DOUBLE_PARTS; ++i) {
        half_angle half = fold(dlanes3_from(ab, i), dlanes3_from(ac, i), dlanes3_from(ad, i));
        angle[i] = half.theta;
        for (int k = 0; k < 3; ++k)
            by[k][i] = half.gradient[k];
    }
    for (int k = 0; k < 3; ++k)
        g[k] = dlanes3_round(by[k]);
    g[3] = minus_sum(lanes3_add(g[0], g[1]), g[2]);
    flags exists = lanes_unequal(lanes3_dot(g[0], g[0]), lanes_all(0));
    lanes step = wide_step(wrap(dlanes_round(angle) - param[0]), mobility_of(g, w, 4), alpha, lambda[0], exists);
    lambda[0] = lambda[0] + step;
    push_along(g, w, 4, step, push);
}

WIDE_KIND(volume, 4, 1, 1, true)
WIDE_KIND(bending, 4, 3, 3, true)
WIDE_KIND(angle, 3, 1, 1, true)
WIDE_KIND(angle_min, 3, 1, 1, true)
WIDE_KIND(angle_max, 3, 1, 1, true)
WIDE_KIND(dihedral, 4, 1, 1, true)

#endif
