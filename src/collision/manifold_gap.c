/* The distance of a convex solid from another shape, for queries. If the solids overlap by at most their rounding, it
   follows from the distance of the cores. For deeper overlaps it comes from the manifold. */
#include "collision/manifold_work.h"

/* The deepest point of several manifolds. False if there is none. */
static bool deepest_of(const sn_manifold *m, uint32_t count, const sn_pose *pb, sn_touch *touch)
{
    bool found = false;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < m[i].count; ++k) {
            const sn_manifold_point *p = &m[i].point[k];
            if (found && !(p->distance < touch->distance))
                continue;
            found = true;
            *touch = (sn_touch){p->distance, sn_pose_to_world(pb, p->b), m[i].normal, 0};
        }
    return found;
}

sn_hull sn_triangle_core(const sn_vec3 corner[3], sn_hull_triangle_room *room)
{
    sn_dvec3 a = dvec3_from(corner[0]);
    return sn_hull_triangle(dvec3(0, 0, 0), dvec3_sub(dvec3_from(corner[1]), a), dvec3_sub(dvec3_from(corner[2]), a),
                            room);
}

/* The gap of two separated cores, in the world. rounding: of a and b. */
static bool gap_of(const sn_between *between, const sn_frame_pair *f, const sn_pose *pb, const double rounding[2],
                   sn_real reach, sn_touch *touch)
{
    sn_dvec3 place = dvec3_add(between->on_b, dvec3_scale(between->normal, rounding[1]));
    touch->distance = (sn_real)(between->distance - rounding[0] - rounding[1]);
    touch->point = dvec3_round(dvec3_add(dvec3_from(pb->position), dvec3_by_axes(f->world, place)));
    touch->normal = dvec3_round(dvec3_by_axes(f->world, between->normal));
    touch->part = 0;
    return touch->distance <= reach;
}

/* Relative to the size of both: how much the distance of solids of revolution may be too large. */
#define ENOUGH 1e-8

bool sn_convex_gap(const sn_convex *a, const sn_pose *pa, const sn_convex *b, const sn_pose *pb, sn_real reach,
                   sn_touch *touch)
{
    sn_true_room room_a, room_b;
    sn_between between;
    const double rounding[2] = {(double)a->radius, (double)b->radius};
    sn_frame_pair f = sn_frame_pair_from(pa, pb);
    sn_true_core own = sn_true_core_at(a, f.axis, f.place, &room_a);
    sn_true_core core = sn_true_core_own(b, &room_b);
    sn_true_between(&own, dvec3(0, 0, 0), &core, ENOUGH * (own.hull.outer + core.hull.outer), &between);
    if (between.distance > 0)
        return gap_of(&between, &f, pb, rounding, reach, touch);
    sn_manifold m;
    if (sn_manifold_convex(a, pa, b, pb, reach, &m))
        return deepest_of(&m, 1, pb, touch);
    *touch = (sn_touch){0, pb->position, vec3(0, 1, 0), 0}; /* flat cores that cross */
    return true;
}

bool sn_convex_gap_triangle(const sn_convex *a, const sn_pose *pa, const sn_vec3 corner[3], sn_real reach,
                            sn_touch *touch)
{
    sn_true_room room;
    sn_hull_triangle_room triangle;
    sn_between between;
    const sn_pose pb = {corner[0], {0, 0, 0, 1}};
    const double rounding[2] = {(double)a->radius, 0};
    sn_frame_pair f = sn_frame_pair_from(pa, &pb);
    sn_true_core own = sn_true_core_at(a, f.axis, f.place, &room), core = {.hull = sn_triangle_core(corner, &triangle)};
    sn_true_between(&own, dvec3(0, 0, 0), &core, ENOUGH * own.hull.outer, &between);
    if (between.distance > 0)
        return gap_of(&between, &f, &pb, rounding, reach, touch);

    /* The triangle cuts the core: push it out on the side of its centre, as far as its deepest corner. */
    sn_dvec3 n = triangle.face[0].normal;
    n = dvec3_scale(n, dvec3_dot(n, f.place) < 0 ? -1 : 1);
    sn_true_corner(&own, dvec3_scale(n, -1), 0);
    sn_dvec3 deepest = own.hull.vertex[sn_hull_support(&own.hull, dvec3_scale(n, -1))];
    between = (sn_between){dvec3_dot(n, deepest), deepest, deepest, n};
    between.on_b = dvec3_sub(deepest, dvec3_scale(n, between.distance));
    return gap_of(&between, &f, &pb, rounding, reach, touch);
}

/* ---- Meshes ------------------------------------------------------------------------------------------------------ */

/* Search for the triangle of a mesh that is nearest to a solid. */
typedef struct mesh_gap {
    const sn_shape *shape;
    sn_dvec3 origin; /* m: of the frame, relative to the mesh: the centre of a */
    sn_true_core *core;
    bool from_behind;
    bool pierced; /* some triangle cuts the core */
    bool found;
    uint32_t triangle;
    sn_between nearest;
} mesh_gap;

static bool gap_to_triangle(void *data, uint32_t number)
{
    mesh_gap *g = data;
    sn_mesh_triangle triangle;
    sn_between between;
    bool seen = sn_mesh_triangle_from(g->shape, number, g->origin, dvec3(0, 0, 0), g->from_behind, &triangle);
    if (!seen && !g->shape->data->closed)
        return true;
    sn_true_core core = {.hull = triangle.hull};
    sn_true_between(g->core, dvec3(0, 0, 0), &core, ENOUGH * g->core->hull.outer, &between);
    g->pierced |= !(between.distance > 0);
    if (g->found && !(between.distance < g->nearest.distance))
        return true;
    g->found = true;
    g->nearest = between;
    g->triangle = number;
    return true;
}

static bool is_inside(const sn_shape *b, sn_dvec3 p)
{
    sn_touch near;
    return b->data->closed && sn_trimesh_near(b->data->mesh, dvec3_round(p), (sn_real)INFINITY, &near) &&
           near.distance < 0;
}

/* For a solid deep in a mesh: the depth that contact finds. If contact finds none, out of the triangle. */
static void gap_in_mesh(const sn_convex *a, const sn_pose *pa, const sn_shape *b, const sn_pose *pb, const mesh_gap *g,
                        sn_touch *touch)
{
    sn_manifold m[SN_MANIFOLD_MOST];
    if (deepest_of(m, sn_manifold_shape(a, pa, b, pb, 0, m, SN_MANIFOLD_MOST), pb, touch)) {
        sn_touch near;
        bool known = sn_trimesh_near(b->data->mesh, sn_pose_to_own(pb, touch->point), (sn_real)INFINITY, &near);
        touch->part = known ? near.part : 0;
        return;
    }
    const uint32_t *index = &sn_trimesh_index(b->data->mesh)[3 * (size_t)g->triangle];
    const sn_vec3 *vertex = sn_trimesh_vertex(b->data->mesh);
    sn_vec3 corner[3];
    for (uint32_t i = 0; i < 3; ++i)
        corner[i] = sn_pose_to_world(pb, vertex[index[i]]);
    sn_convex_gap_triangle(a, pa, corner, (sn_real)INFINITY, touch);
    touch->distance -= b->thickness;
    touch->part = g->triangle;
}

static bool gap_to_mesh(const sn_convex *a, const sn_pose *pa, const sn_shape *b, const sn_pose *pb, sn_real reach,
                        sn_touch *touch)
{
    sn_true_room room;
    const double rounding[2] = {(double)a->radius, (double)b->thickness};
    sn_frame_pair f = sn_frame_pair_from(pa, pb);
    mesh_gap g = {.shape = b, .origin = f.place};
    sn_true_core core = sn_true_core_at(a, f.axis, dvec3(0, 0, 0), &room);
    g.core = &core;
    double around = rounding[0] + rounding[1] + (double)(reach + sn_convex_sag(a));
    g.from_behind = sn_mesh_from_behind(b, g.origin, (double)sn_convex_outer(a) + around);
    sn_dvec3 low = core.hull.vertex[0], high = low;
    for (uint32_t i = 1; i < core.hull.vertices; ++i) {
        sn_dvec3 v = core.hull.vertex[i];
        low = dvec3(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = dvec3(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    sn_bounds box = sn_bounds_around(dvec3_add(low, g.origin), dvec3_add(high, g.origin), around);
    sn_trimesh_overlap(b->data->mesh, &box, gap_to_triangle, &g);
    if (g.pierced || is_inside(b, g.origin)) {
        gap_in_mesh(a, pa, b, pb, &g, touch);
        return true;
    }
    if (!g.found)
        return false;
    g.nearest.on_b = dvec3_add(g.nearest.on_b, g.origin);
    bool near = gap_of(&g.nearest, &f, pb, rounding, reach, touch);
    touch->part = g.triangle;
    return near;
}

bool sn_convex_gap_shape(const sn_convex *a, const sn_pose *pa, const sn_shape *b, const sn_pose *pb, sn_real reach,
                         sn_touch *touch)
{
    if (sn_shape_is_convex(b->type)) {
        sn_convex solid = sn_shape_solid(b);
        return sn_convex_gap(a, pa, &solid, pb, reach, touch);
    }
    if (b->type == SN_SHAPE_MESH)
        return gap_to_mesh(a, pa, b, pb, reach, touch);
    sn_manifold m[SN_MANIFOLD_MOST];
    return deepest_of(m, sn_manifold_shape(a, pa, b, pb, reach, m, SN_MANIFOLD_MOST), pb, touch) &&
           touch->distance <= reach;
}
