/* Contact of two capsules, or of a capsule and a sphere. They touch where their segments are nearest. Parallel capsules
   touch in two points, and for crossing segments there is no direction between them: both cases are left to
   sn_collide. */
#include "collision/manifold_work.h"

/* Sine of the angle up to which segments, or a segment and a plane, count as parallel: as in manifold_points.c. */
#define PARALLEL 1e-2

/* Relative to the size of both: between segments nearer than this there is no direction. */
#define NO_DIRECTION 1e-12

typedef struct capsule {
    sn_dvec3 axis[3];
    double half; /* m: half length of the segment, along its second axis */
    double at;   /* m: position of the contact on it */
} capsule;

static capsule capsule_of(const sn_convex *convex, const sn_pose *pose)
{
    capsule c = {.half = convex->type == SN_SHAPE_CAPSULE ? (double)convex->half.y : 0};
    sn_axes_of(pose->rotation, c.axis);
    return c;
}

static double within(double t, double most)
{
    return t > most ? most : t < -most ? -most : t;
}

/* The nearest points of two segments that are not parallel (Ericson 2005, 5.1.9). between: from the centre of b to that
   of a. */
static void find_nearest(capsule *a, capsule *b, sn_dvec3 between, double cosine)
{
    const double ur = dvec3_dot(a->axis[1], between), vr = dvec3_dot(b->axis[1], between);
    a->at = within((cosine * vr - ur) / (1 - cosine * cosine), a->half);
    b->at = within(cosine * a->at + vr, b->half);
    a->at = within(cosine * b->at - ur, a->half);
}

/* True if the segment lies across the normal; otherwise one of its ends touches. along: component of the normal towards
   the other capsule along its axis. */
static bool is_across(const capsule *c, double along)
{
    return c->half > 0 && fabs(along) <= PARALLEL;
}

static uint32_t name_of(const capsule *a, const capsule *b, double along_a, double along_b)
{
    const bool edge_a = is_across(a, along_a), edge_b = is_across(b, along_b);
    const uint32_t end_a = a->half > 0 && along_a > 0, end_b = b->half > 0 && along_b > 0;
    if (!(a->half > 0) || !(b->half > 0))
        return 0;
    if (edge_a && edge_b)
        return feature_name(SN_FEATURE_EDGES, edge_name(0, 1), edge_name(0, 1));
    return edge_a   ? feature_name(SN_FEATURE_CORNER_B, 0, end_b)
           : edge_b ? feature_name(SN_FEATURE_CORNER_A, 0, end_a)
                    : feature_name(SN_FEATURE_CORNERS, end_a, end_b);
}

/* The point on the surface, in its own frame. */
static sn_vec3 surface_point(const capsule *c, sn_dvec3 normal, double by)
{
    sn_dvec3 near_point = dvec3_scale(dvec3_on_axes(c->axis, normal), by);
    near_point.y += c->at;
    return dvec3_round(near_point);
}

sn_quick_answer sn_capsules_touch(const sn_convex *a, const sn_pose *pa, const sn_convex *b, const sn_pose *pb,
                                  sn_real reach, sn_manifold *m)
{
    capsule ca = capsule_of(a, pa), cb = capsule_of(b, pb);
    const sn_dvec3 between = dvec3_sub(dvec3_from(pa->position), dvec3_from(pb->position));
    const double cosine = dvec3_dot(ca.axis[1], cb.axis[1]), radius = (double)a->radius + (double)b->radius;
    if (ca.half > 0 && cb.half > 0 && 1 - cosine * cosine <= PARALLEL * PARALLEL)
        return SN_QUICK_UNKNOWN;
    find_nearest(&ca, &cb, between, ca.half > 0 && cb.half > 0 ? cosine : 0);
    const sn_dvec3 off = dvec3_add(between, dvec3_sub(dvec3_scale(ca.axis[1], ca.at), dvec3_scale(cb.axis[1], cb.at)));
    const double distance = dvec3_length(off);
    if (!(distance > NO_DIRECTION * (ca.half + cb.half + radius)) || !isfinite(distance))
        return SN_QUICK_UNKNOWN;
    m->count = 0;
    m->apart = (sn_real)(distance - radius);
    if (distance > (double)reach + radius)
        return SN_QUICK_APART;
    const sn_dvec3 n = dvec3_scale(off, 1 / distance);
    m->normal = dvec3_round(n);
    m->count = 1;
    m->apart = reach;
    m->point[0] = (sn_manifold_point){surface_point(&ca, n, -(double)a->radius),
                                      surface_point(&cb, n, (double)b->radius), (sn_real)(distance - radius),
                                      name_of(&ca, &cb, -dvec3_dot(n, ca.axis[1]), dvec3_dot(n, cb.axis[1]))};
    return SN_QUICK_TOUCH;
}
