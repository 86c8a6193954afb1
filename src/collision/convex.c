#include "collision/convex.h"

/* Relative to the coordinates: how far the corners of a rotated box, rounded to sn_real, may stick out of it. */
#define BOX_SLACK (SINEW_DOUBLE ? 8 * DBL_EPSILON : 8 * (double)FLT_EPSILON)

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- Conversion -------------------------------------------------------------------------------------------------- */

/* The shape as a solid. False if it is not a sphere, capsule or box. The rounding of a box is returned separately. */
static bool solid_of(const sn_convex *convex, sn_solid *solid, sn_real *rounding)
{
    bool box = convex->type == SN_SHAPE_BOX;
    *rounding = box ? convex->radius : 0;
    solid->type = box ? SN_SOLID_BOX : convex->type == SN_SHAPE_CAPSULE ? SN_SOLID_CAPSULE : SN_SOLID_SPHERE;
    solid->half = convex->half;
    solid->radius = convex->radius;
    return convex->type <= SN_SHAPE_BOX;
}

/* ---- Solids of revolution ---------------------------------------------------------------------------------------- */

/* Relative to the length of a direction: a smaller component across the axis counts as 0. A core that does not face
   such a direction is wrong by at most this share of its sag. */
#define ACROSS ((sn_real)0.002)

bool sn_convex_face(sn_convex *convex, const sn_pose *pose, sn_vec3 direction)
{
    if (!sn_is_revolved(convex->type))
        return false;
    sn_vec3 own = sn_quat_rotate_back(pose->rotation, direction), before = convex->facing;
    sn_real across = real_sqrt(own.x * own.x + own.z * own.z), length = vec3_length(own);
    convex->facing = across > ACROSS * length ? vec3(own.x / across, 0, own.z / across) : vec3(0, 0, 0);
    return convex->facing.x != before.x || convex->facing.z != before.z;
}

sn_real sn_convex_sag(const sn_convex *convex)
{
    return sn_is_revolved(convex->type) ? (sn_real)SN_REVOLVED_SAG * convex->half.x : 0;
}

static sn_dvec3 facing_of(const sn_convex *convex)
{
    double x = (double)convex->facing.x, z = (double)convex->facing.z, length = sqrt(x * x + z * z);
    return length > 0 ? dvec3(x / length, 0, z / length) : dvec3(1, 0, 0);
}

sn_hull sn_convex_core(const sn_convex *convex, sn_convex_room *room)
{
    switch (convex->type) {
    case SN_SHAPE_BOX:
        return sn_hull_box(dvec3_from(convex->half), &room->box);
    case SN_SHAPE_CAPSULE:
        room->end[0] = dvec3(0, -(double)convex->half.y, 0);
        room->end[1] = dvec3(0, (double)convex->half.y, 0);
        return sn_hull_segment(room->end);
    case SN_SHAPE_HULL:
        return *convex->hull;
    case SN_SHAPE_CYLINDER:
    case SN_SHAPE_CONE:
        return sn_revolved_core(convex->type, dvec3_from(convex->half), facing_of(convex), &room->revolved);
    default:
        room->end[0] = dvec3(0, 0, 0);
        return sn_hull_point(room->end);
    }
}

sn_real sn_convex_inner(const sn_convex *convex)
{
    sn_vec3 h = convex->half;
    sn_real least = h.x < h.y ? h.x : h.y;
    switch (convex->type) {
    case SN_SHAPE_BOX:
        return convex->radius + (h.z < least ? h.z : least);
    case SN_SHAPE_HULL:
        return convex->radius + (sn_real)convex->hull->inner;
    case SN_SHAPE_CYLINDER:
    case SN_SHAPE_CONE:
        return convex->radius + (sn_real)sn_revolved_inner(convex->type, dvec3_from(h));
    default:
        return convex->radius;
    }
}

sn_real sn_convex_outer(const sn_convex *convex)
{
    double core = convex->type == SN_SHAPE_BOX       ? dvec3_length(dvec3_from(convex->half))
                  : convex->type == SN_SHAPE_CAPSULE ? (double)convex->half.y
                  : convex->type == SN_SHAPE_HULL    ? convex->hull->outer
                  : sn_is_revolved(convex->type)     ? sn_revolved_outer(dvec3_from(convex->half))
                                                     : 0;
    return (sn_real)((core + (double)convex->radius) * (1 + BOX_SLACK));
}

/* ---- Bounds ------------------------------------------------------------------------------------------------------ */

/* Half the extents of the box around a symmetric core that is rotated to these three axes. */
static sn_dvec3 rotated_half(sn_dvec3 half, const sn_dvec3 axis[3])
{
    sn_dvec3 x = axis[0], y = axis[1], z = axis[2];
    return dvec3(fabs(x.x) * half.x + fabs(y.x) * half.y + fabs(z.x) * half.z,
                 fabs(x.y) * half.x + fabs(y.y) * half.y + fabs(z.y) * half.z,
                 fabs(x.z) * half.x + fabs(y.z) * half.y + fabs(z.z) * half.z);
}

static void hull_bounds(const sn_hull *hull, const sn_dvec3 axis[3], sn_dvec3 *low, sn_dvec3 *high)
{
    *low = dvec3((double)INFINITY, (double)INFINITY, (double)INFINITY);
    *high = dvec3(-(double)INFINITY, -(double)INFINITY, -(double)INFINITY);
    for (uint32_t i = 0; i < hull->vertices; ++i) {
        sn_dvec3 v = hull->vertex[i];
        sn_dvec3 p =
            dvec3_add(dvec3_scale(axis[0], v.x), dvec3_add(dvec3_scale(axis[1], v.y), dvec3_scale(axis[2], v.z)));
        *low = dvec3(p.x < low->x ? p.x : low->x, p.y < low->y ? p.y : low->y, p.z < low->z ? p.z : low->z);
        *high = dvec3(larger(p.x, high->x), larger(p.y, high->y), larger(p.z, high->z));
    }
}

static sn_bounds bounds_by_axes(const sn_convex *convex, sn_dvec3 centre, const sn_dvec3 axis[3])
{
    sn_dvec3 low = {0, 0, 0}, high = {0, 0, 0};
    if (convex->type == SN_SHAPE_HULL) {
        hull_bounds(convex->hull, axis, &low, &high);
    } else if (sn_is_revolved(convex->type)) {
        sn_dvec3 half = dvec3_from(convex->half);
        sn_revolved_extent(convex->type, half, axis[1].x, &low.x, &high.x);
        sn_revolved_extent(convex->type, half, axis[1].y, &low.y, &high.y);
        sn_revolved_extent(convex->type, half, axis[1].z, &low.z, &high.z);
    } else if (convex->type != SN_SHAPE_SPHERE) {
        bool box = convex->type == SN_SHAPE_BOX;
        high = rotated_half(box ? dvec3_from(convex->half) : dvec3(0, (double)convex->half.y, 0), axis);
        low = dvec3_scale(high, -1);
    }
    double most = larger(larger(fabs(centre.x), fabs(centre.y)), fabs(centre.z)) + (double)sn_convex_outer(convex);
    double out = (double)convex->radius + BOX_SLACK * most;
    sn_dvec3 around = {out, out, out};
    return (sn_bounds){dvec3_round(dvec3_sub(dvec3_add(centre, low), around)),
                       dvec3_round(dvec3_add(dvec3_add(centre, high), around))};
}

sn_bounds sn_convex_bounds(const sn_convex *convex)
{
    static const sn_dvec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return bounds_by_axes(convex, dvec3(0, 0, 0), axis);
}

sn_bounds sn_convex_bounds_at(const sn_convex *convex, const sn_pose *pose)
{
    const sn_dvec3 axis[3] = {dvec3_from(sn_quat_rotate(pose->rotation, vec3(1, 0, 0))),
                              dvec3_from(sn_quat_rotate(pose->rotation, vec3(0, 1, 0))),
                              dvec3_from(sn_quat_rotate(pose->rotation, vec3(0, 0, 1)))};
    return bounds_by_axes(convex, dvec3_from(pose->position), axis);
}

/* ---- Points ------------------------------------------------------------------------------------------------------ */

sn_vec3 sn_convex_support(const sn_convex *convex, sn_vec3 direction)
{
    static const sn_pose here = {{0, 0, 0}, {0, 0, 0, 1}};
    sn_convex_room room;
    sn_convex faced = *convex;
    sn_convex_face(&faced, &here, direction);
    sn_hull core = sn_convex_core(&faced, &room);
    sn_dvec3 d = dvec3_from(direction);
    double most = larger(larger(fabs(d.x), fabs(d.y)), fabs(d.z));
    d = most > 0 ? dvec3_scale(d, 1 / most) : dvec3(0, 1, 0); /* so that squares of tiny components are not lost */
    sn_dvec3 corner = core.vertex[sn_hull_support(&core, d)];
    return dvec3_round(dvec3_add(corner, dvec3_scale(d, (double)convex->radius / dvec3_length(d))));
}

/* Moves the point from the core outwards by the rounding, along the normal. */
static void write_touch(sn_touch *touch, const sn_hull_near_point *near_point, double rounding)
{
    touch->distance = (sn_real)(near_point->distance - rounding);
    touch->point = dvec3_round(dvec3_add(near_point->point, dvec3_scale(near_point->normal, rounding)));
    touch->normal = dvec3_round(near_point->normal);
    touch->part = near_point->face;
}

/* The nearest point of the core: for hulls and solids of revolution. */
static void near_core(const sn_convex *convex, sn_dvec3 p, sn_hull_near_point *near_point)
{
    if (convex->type == SN_SHAPE_HULL)
        sn_hull_near(convex->hull, p, near_point);
    else
        sn_revolved_near(convex->type, dvec3_from(convex->half), p, near_point);
}

bool sn_convex_near(const sn_convex *convex, sn_vec3 p, sn_real reach, sn_touch *touch)
{
    sn_solid solid;
    sn_real rounding;
    if (solid_of(convex, &solid, &rounding)) {
        sn_solid_near(&solid, p, touch);
        touch->distance -= rounding;
        touch->point = vec3_add(touch->point, vec3_scale(touch->normal, rounding));
    } else {
        sn_hull_near_point near_point;
        near_core(convex, dvec3_from(p), &near_point);
        write_touch(touch, &near_point, (double)convex->radius);
    }
    return touch->distance <= reach;
}

#define CAST_STEPS 64u

/* Relative to the coordinates: a smaller distance counts as contact. */
#define CAST_NEAR 1e-14

/* When a point first comes within reach of a solid of revolution, starting farther off. The distance is a convex
   function of time. So Newton's steps approach the first contact from below and do not pass it. */
static bool cast_revolved(const sn_convex *convex, sn_dvec3 from, sn_dvec3 displacement, double reach, double *t,
                          sn_hull_near_point *near_point)
{
    double now = 0, far = dvec3_length(from) + dvec3_length(displacement) + (double)sn_convex_outer(convex);
    for (uint32_t step = 0; step < CAST_STEPS; ++step) {
        near_core(convex, dvec3_add(from, dvec3_scale(displacement, now)), near_point);
        double gap = near_point->distance - reach, rate = -dvec3_dot(near_point->normal, displacement);
        *t = now;
        if (gap <= CAST_NEAR * far)
            return true;
        if (!(rate > 0) || !(now + gap / rate <= 1))
            return false;
        now += gap / rate;
    }
    return true; /* so slow that it has almost arrived */
}

static bool cast_core(const sn_convex *convex, const sn_path *path, sn_real *t, sn_touch *touch)
{
    sn_dvec3 from = dvec3_from(path->from), displacement = dvec3_from(path->displacement);
    double rounding = (double)convex->radius, reach = rounding + (double)path->radius, when = 0;
    sn_hull_near_point near_point;
    near_core(convex, from, &near_point);

    /* The distance from a convex solid is a convex function of time: if it does not fall at the start, it never
       does. */
    if (!(dvec3_dot(near_point.normal, displacement) < 0))
        return false;
    if (near_point.distance > reach &&
        !(convex->type == SN_SHAPE_HULL ? sn_hull_cast(convex->hull, from, displacement, reach, &when, &near_point)
                                        : cast_revolved(convex, from, displacement, reach, &when, &near_point)))
        return false;
    *t = (sn_real)when;
    write_touch(touch, &near_point, rounding);
    touch->distance = 0;
    return true;
}

bool sn_convex_cast(const sn_convex *convex, const sn_path *path, sn_real *t, sn_touch *touch)
{
    sn_solid solid;
    sn_real rounding;
    if (!solid_of(convex, &solid, &rounding))
        return cast_core(convex, path, t, touch);
    sn_path thick = {path->from, path->displacement, path->radius + rounding};
    if (!sn_solid_cast(&solid, &thick, t, touch))
        return false;
    touch->point = vec3_add(touch->point, vec3_scale(touch->normal, rounding));
    return true;
}
