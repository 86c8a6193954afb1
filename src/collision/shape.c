#include "collision/shape.h"

#include "base/dvec.h"
#include "base/hash.h"
#include "base/math.h"

#if SINEW_DOUBLE
#define REAL_EPSILON DBL_EPSILON
#else
#define REAL_EPSILON ((double)FLT_EPSILON)
#endif

/* Relative to the coordinates: a point no farther from a surface than this counts as on it. */
#define ON_SURFACE (8 * REAL_EPSILON)

/* Relative to the coordinates: boxes are enlarged by this, against rounding when they are rotated. */
#define BOX_SLACK (8 * REAL_EPSILON)

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

/* A minimum, because an infinitely thin sheet has no side for a point that lies in it. */
static sn_real least_thickness(const sn_trimesh *mesh)
{
    sn_bounds b = sn_trimesh_bounds(mesh);
    sn_real least = vec3_length(vec3_sub(b.high, b.low)) * (sn_real)1e-4;
    return least < (sn_real)1e-3 ? least : (sn_real)1e-3;
}

sn_convex sn_shape_convex_of(const sn_shape_def *def, const sn_hull *hull)
{
    switch (def->type) {
    case SN_SHAPE_SPHERE:
        return (sn_convex){.type = def->type, .radius = def->radius};
    case SN_SHAPE_CAPSULE:
        return (sn_convex){.type = def->type, .half = {0, def->half.y, 0}, .radius = def->radius};
    case SN_SHAPE_BOX:
        return (sn_convex){.type = def->type, .half = def->half};
    case SN_SHAPE_CYLINDER:
    case SN_SHAPE_CONE:
        return (sn_convex){.type = def->type, .half = {def->radius, def->half.y, def->radius}};
    default:
        return (sn_convex){.type = def->type, .hull = hull};
    }
}

sn_shape sn_shape_from(const sn_shape_def *def, const sn_shape_data *data)
{
    sn_shape shape = {.type = def->type == SN_SHAPE_HEIGHTS ? SN_SHAPE_MESH : def->type,
                      .convex = sn_shape_convex_of(def, data ? data->hull : NULL),
                      .data = data,
                      .sides = def->one_sided || (data && data->closed) ? SN_SIDES_FRONT : SN_SIDES_BOTH,
                      .thickness = def->rounding};
    if (def->type == SN_SHAPE_MESH && data && !data->closed) {
        sn_real least = least_thickness(data->mesh);
        shape.guard = least > shape.thickness ? least - shape.thickness : 0;
    }
    return shape;
}

sn_convex sn_shape_solid(const sn_shape *shape)
{
    sn_convex solid = shape->convex;
    solid.radius += shape->thickness;
    return solid;
}

static bool is_in(const sn_bounds *b, sn_vec3 p)
{
    return p.x >= b->low.x && p.x <= b->high.x && p.y >= b->low.y && p.y <= b->high.y && p.z >= b->low.z &&
           p.z <= b->high.z;
}

static sn_dvec3 front_of(const sn_trimesh *mesh, uint32_t triangle)
{
    const uint32_t *corner = sn_trimesh_index(mesh) + (size_t)triangle * 3;
    const sn_vec3 *vertex = sn_trimesh_vertex(mesh);
    sn_dvec3 a = dvec3_from(vertex[corner[0]]);
    sn_dvec3 normal =
        dvec3_cross(dvec3_sub(dvec3_from(vertex[corner[1]]), a), dvec3_sub(dvec3_from(vertex[corner[2]]), a));
    return dvec3_scale(normal, 1 / dvec3_length(normal));
}

/* True if p, with this nearest point, is in front of an open mesh: if a small sphere that moves from p to the nearest
   point touches the front. This is right at edges and corners, too. A point on the surface counts as in front. */
static bool is_in_front(const sn_trimesh *mesh, sn_vec3 p, sn_touch *touch)
{
    double most = fmax(fmax(fabs((double)p.x), fabs((double)p.y)), fabs((double)p.z));
    if ((double)touch->distance <= ON_SURFACE * most) {
        touch->normal = dvec3_round(front_of(mesh, touch->part));
        touch->distance = 0;
        return true;
    }
    sn_real t;
    sn_touch touched;
    sn_path path = {p, vec3_scale(touch->normal, -touch->distance), touch->distance / 16};
    return sn_trimesh_cast(mesh, &path, SN_SIDES_FRONT, &t, &touched);
}

static bool near_mesh(const sn_shape *shape, sn_vec3 p, sn_real reach, sn_touch *touch)
{
    const sn_trimesh *mesh = shape->data->mesh;
    sn_bounds bounds = sn_trimesh_bounds(mesh);
    if (shape->data->closed && is_in(&bounds, p)) /* it may be deep inside */
        return sn_trimesh_near(mesh, p, (sn_real)INFINITY, touch);
    if (!(reach >= 0) || !sn_trimesh_near(mesh, p, reach, touch))
        return false;
    return shape->data->closed || shape->sides == SN_SIDES_BOTH || is_in_front(mesh, p, touch);
}

bool sn_shape_near(const sn_shape *shape, sn_vec3 p, sn_real reach, sn_touch *touch)
{
    if (shape->type == SN_SHAPE_MESH) {
        if (!near_mesh(shape, p, reach + shape->thickness, touch))
            return false;
    } else if (shape->type == SN_SHAPE_FIELD) {
        sn_distance_field_near(&shape->data->field, p, touch);
    } else if (shape->type == SN_SHAPE_PLANE) {
        *touch = (sn_touch){p.y, {p.x, 0, p.z}, {0, 1, 0}, 0};
    } else {
        sn_convex_near(&shape->convex, p, (sn_real)INFINITY, touch);
    }
    touch->distance -= shape->thickness;
    touch->point = vec3_add(touch->point, vec3_scale(touch->normal, shape->thickness));
    return touch->distance <= reach;
}

bool sn_shape_cast(const sn_shape *shape, const sn_path *path, sn_real *t, sn_touch *touch)
{
    static const sn_solid plane = {.type = SN_SOLID_PLANE};
    sn_path thick = {path->from, path->displacement, path->radius + shape->thickness};
    bool touched = shape->type == SN_SHAPE_MESH    ? sn_trimesh_cast(shape->data->mesh, &thick, shape->sides, t, touch)
                   : shape->type == SN_SHAPE_FIELD ? sn_distance_field_cast(&shape->data->field, &thick, t, touch)
                   : shape->type == SN_SHAPE_PLANE ? sn_solid_cast(&plane, &thick, t, touch)
                                                   : sn_convex_cast(&shape->convex, &thick, t, touch);
    if (touched)
        touch->point = vec3_add(touch->point, vec3_scale(touch->normal, shape->thickness));
    return touched;
}

/* Exact for boxes, spheres and capsules; others are slightly enlarged. */
static sn_bounds bounds_of_solid(const sn_shape *shape)
{
    static const sn_solid_type type[] = {SN_SOLID_SPHERE, SN_SOLID_CAPSULE, SN_SOLID_BOX};
    if (shape->type > SN_SHAPE_BOX && shape->type != SN_SHAPE_PLANE)
        return sn_convex_bounds(&shape->convex);
    sn_solid solid = {shape->type == SN_SHAPE_PLANE ? SN_SOLID_PLANE : type[shape->type], shape->convex.half,
                      shape->convex.radius};
    return sn_solid_bounds(&solid);
}

sn_bounds sn_shape_bounds(const sn_shape *shape)
{
    sn_bounds b = shape->type == SN_SHAPE_MESH    ? sn_trimesh_bounds(shape->data->mesh)
                  : shape->type == SN_SHAPE_FIELD ? shape->data->field.bounds
                                                  : bounds_of_solid(shape);
    sn_vec3 out = vec3(shape->thickness, shape->thickness, shape->thickness);
    return (sn_bounds){vec3_sub(b.low, out), vec3_add(b.high, out)};
}

/* A plane that is normal to an axis is bounded along it; other planes are unbounded. */
static sn_bounds plane_bounds(const sn_shape *shape, const sn_pose *pose)
{
    const sn_real far = (sn_real)INFINITY;
    sn_bounds b = {vec3(-far, -far, -far), vec3(far, far, far)};
    sn_vec3 n = sn_quat_rotate(pose->rotation, vec3(0, 1, 0)), p = pose->position;
    sn_real out[3] = {n.x * shape->thickness, n.y * shape->thickness, n.z * shape->thickness};
    bool x = n.y == 0 && n.z == 0, y = n.x == 0 && n.z == 0, z = n.x == 0 && n.y == 0;
    if (x)
        *(n.x > 0 ? &b.high.x : &b.low.x) = p.x + out[0];
    if (y)
        *(n.y > 0 ? &b.high.y : &b.low.y) = p.y + out[1];
    if (z)
        *(n.z > 0 ? &b.high.z : &b.low.z) = p.z + out[2];
    return b;
}

sn_bounds sn_shape_bounds_at(const sn_shape *shape, const sn_pose *pose)
{
    if (shape->type == SN_SHAPE_PLANE)
        return plane_bounds(shape, pose);
    sn_bounds own = sn_shape_bounds(shape);
    sn_dvec3 low = dvec3_from(own.low), high = dvec3_from(own.high);
    sn_dvec3 middle = dvec3_scale(dvec3_add(low, high), 0.5), half = dvec3_scale(dvec3_sub(high, low), 0.5);
    sn_dvec3 axis[3] = {dvec3_from(sn_quat_rotate(pose->rotation, vec3(1, 0, 0))),
                        dvec3_from(sn_quat_rotate(pose->rotation, vec3(0, 1, 0))),
                        dvec3_from(sn_quat_rotate(pose->rotation, vec3(0, 0, 1)))};
    const double m[3] = {middle.x, middle.y, middle.z}, h[3] = {half.x, half.y, half.z};
    sn_dvec3 centre = dvec3_from(pose->position), reach = {0, 0, 0};
    double most = fmax(fmax(fabs(centre.x), fabs(centre.y)), fabs(centre.z));
    for (int i = 0; i < 3; ++i) {
        centre = dvec3_add(centre, dvec3_scale(axis[i], m[i]));
        reach = dvec3_add(reach, dvec3_scale(dvec3(fabs(axis[i].x), fabs(axis[i].y), fabs(axis[i].z)), h[i]));
        most = fmax(most, fabs(m[i]) + h[i]);
    }
    double slack = BOX_SLACK * most;
    reach = dvec3_add(reach, dvec3(slack, slack, slack));
    return (sn_bounds){dvec3_round(dvec3_sub(centre, reach)), dvec3_round(dvec3_add(centre, reach))};
}

/* The numbers of types in hashes. They keep the hashes of worlds that are older than some of the types. */
static const uint8_t name_in_hash[SN_SHAPE_TYPES] = {
    [SN_SHAPE_PLANE] = 0, [SN_SHAPE_BOX] = 1,      [SN_SHAPE_SPHERE] = 2, [SN_SHAPE_CAPSULE] = 3, [SN_SHAPE_MESH] = 4,
    [SN_SHAPE_FIELD] = 5, [SN_SHAPE_CYLINDER] = 6, [SN_SHAPE_CONE] = 7,   [SN_SHAPE_HULL] = 8,
};

uint64_t sn_shape_hash(uint64_t hash, const sn_shape *shape)
{
    hash = hash_real(hash_u64(hash, name_in_hash[shape->type]), shape->thickness);
    if (shape->type == SN_SHAPE_BOX)
        return hash_vec3(hash, shape->convex.half);
    if (shape->type == SN_SHAPE_SPHERE)
        return hash_real(hash, shape->convex.radius);
    if (shape->type == SN_SHAPE_CAPSULE)
        return hash_real(hash_real(hash, shape->convex.half.y), shape->convex.radius);
    if (sn_is_revolved(shape->type))
        return hash_vec3(hash, shape->convex.half);
    if (!shape->data)
        return hash;
    hash = hash_u64(hash, (uint64_t)shape->sides);
    if (!shape->data->field.function)
        return hash_u64(hash, shape->data->hash);
    return hash_vec3(hash_vec3(hash, shape->data->field.bounds.low), shape->data->field.bounds.high);
}
