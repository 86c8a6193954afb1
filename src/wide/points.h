/* Kinds of one point in the world, and two points held together: pin.c and bounds.c of constraints/. All are linear, and rows
   of the same constraint do not disturb each other. */
#ifndef SN_WIDE_POINTS_H
#define SN_WIDE_POINTS_H

#include "wide/driver.h"

/* Three rows with the unit vectors as gradients, of a thing of this mobility. */
SN_INLINE lanes3 three_steps(lanes3 c, lanes mobility, lanes alpha, lanes *lambda)
{
    flags always = flags_everywhere();
    lanes3 step = {wide_step(c.x, mobility, alpha, lambda[0], always),
                   wide_step(c.y, mobility, alpha, lambda[1], always),
                   wide_step(c.z, mobility, alpha, lambda[2], always)};
    lambda[0] = lambda[0] + step.x;
    lambda[1] = lambda[1] + step.y;
    lambda[2] = lambda[2] + step.z;
    return step;
}

/* C = a - target */
SN_INLINE void pin_project(const lanes3 *p, const lanes *w, const lanes *param, lanes alpha, lanes *lambda,
                           lanes3 *push)
{
    lanes3 c = lanes3_sub(p[0], (lanes3){param[0], param[1], param[2]});
    push[0] = lanes3_scale(three_steps(c, w[0], alpha, lambda), w[0]);
}

/* C = a - b */
SN_INLINE void attachment_project(const lanes3 *p, const lanes *w, const lanes *param, lanes alpha, lanes *lambda,
                                  lanes3 *push)
{
    (void)param;
    lanes3 step = three_steps(lanes3_sub(p[0], p[1]), w[0] + w[1], alpha, lambda);
    push[0] = lanes3_scale(step, w[0]);
    push[1] = lanes3_scale(step, lanes_all(0) - w[1]);
}

/* C = (a - origin) . normal >= 0 */
SN_INLINE void half_space_project(const lanes3 *p, const lanes *w, const lanes *param, lanes alpha, lanes *lambda,
                                  lanes3 *push)
{
    lanes3 origin = {param[0], param[1], param[2]}, normal = {param[3], param[4], param[5]};
    lanes c = lanes3_dot(lanes3_sub(p[0], origin), normal), mobility = w[0] * lanes3_dot(normal, normal);
    lanes step = wide_step_at_least(c, mobility, alpha, lambda[0], flags_everywhere());
    lambda[0] = lambda[0] + step;
    push[0] = lanes3_scale(normal, step * w[0]);
}

/* One coordinate of a box, rigid: what brings a between its bounds. */
SN_INLINE lanes box_push(lanes a, lanes least, lanes most, lanes w, lanes *lambda)
{
    lanes zero = lanes_all(0);
    lanes push = lanes_keep(lanes_unequal(w, zero), lanes_min(most, lanes_max(least, a)) - a);
    lanes step = lanes_keep(lanes_unequal(w, zero), push / w);
    lambda[0] = lambda[0] + lanes_keep(lanes_above(step, zero), step);
    lambda[3] = lambda[3] - lanes_keep(lanes_above(zero, step), step);
    return push;
}

/* C = (a - least, most - a) >= 0 */
SN_INLINE void box_project(const lanes3 *p, const lanes *w, const lanes *param, lanes alpha, lanes *lambda,
                           lanes3 *push)
{
    (void)alpha;
    push[0].x = box_push(p[0].x, param[0], param[3], w[0], lambda);
    push[0].y = box_push(p[0].y, param[1], param[4], w[0], lambda + 1);
    push[0].z = box_push(p[0].z, param[2], param[5], w[0], lambda + 2);
}

WIDE_KIND(pin, 1, 3, 3, false)
WIDE_KIND(attachment, 2, 0, 3, true)
WIDE_KIND(half_space, 1, 6, 1, false)
WIDE_KIND(box, 1, 6, 6, false)

#endif
