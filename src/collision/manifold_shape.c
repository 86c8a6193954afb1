/* Contact with fixed shapes. Solids are convex. For meshes, contact with each nearby triangle is found and grouped by
   direction. Fields are sampled at points of the body. */
#include "collision/manifold_work.h"
#include "collision/triangle.h"

#include "base/hash.h"

#if SINEW_DOUBLE
#define REAL_EPSILON DBL_EPSILON
#else
#define REAL_EPSILON ((double)FLT_EPSILON)
#endif

/* Cosine: contacts whose normals differ by less share a manifold. */
#define SAME_DIRECTION 0.999

/* Cosine: where there is no room for another manifold, a contact joins one whose normal differs by less than this. */
#define SIMILAR_DIRECTION 0.5

/* Cosine of the angle between the normals of a triangle and of a contact in its interior. */
#define ON_FACE (1 - 1e-9)

/* Sine: a plane that cuts less into a triangle does not cut it. */
#define CUT 0.001

/* Cosine: a point this straight above a triangle is on that side of it, whatever the triangles around it suggest. */
#define STRAIGHT_OVER 0.8

/* DEEP, relative to the body's size: points deeper than this are checked; they must also be deep in the whole mesh.
   HARDLY, relative to their depth: how deep at least. */
#define DEEP   0.05
#define HARDLY 0.7

/* Cosine: a bump of a field under a face of the body points against it by at least this. */
#define AGAINST 0.5

#define NEAREST_STEPS 8u

/* ---- Manifolds by direction -------------------------------------------------------------------------------------- */

#define BUNDLES         16u
#define BUNDLE_POINTS   32u
#define THIN_DIRECTIONS 16u

typedef struct bundle {
    sn_dvec3 normal; /* of the deepest point */
    double deepest;  /* m */
    uint32_t count;
    sn_candidate point[BUNDLE_POINTS];
} bundle;

typedef struct gathering {
    uint32_t count, most;
    double size;        /* m: of the body */
    double rounding[2]; /* m: of a and b */
    bundle bundle[BUNDLES];
} gathering;

/* The bundle for a contact of this direction and depth. NULL if it must be dropped. */
static bundle *bundle_for(gathering *g, sn_dvec3 normal, double deepest)
{
    bundle *nearest = NULL, *shallowest = NULL;
    double most = -2;
    for (uint32_t i = 0; i < g->count; ++i) {
        bundle *b = &g->bundle[i];
        double along = dvec3_dot(b->normal, normal);
        if (along > most) {
            most = along;
            nearest = b;
        }
        shallowest = !shallowest || b->deepest > shallowest->deepest ? b : shallowest;
    }
    if (most > (g->count < g->most ? SAME_DIRECTION : SIMILAR_DIRECTION))
        return nearest;
    bundle *fresh = g->count < g->most ? &g->bundle[g->count] : shallowest;
    if (g->count == g->most && (!fresh || fresh->deepest <= deepest))
        return NULL;
    g->count += g->count < g->most;
    *fresh = (bundle){.normal = normal, .deepest = (double)INFINITY};
    return fresh;
}

/* Keeps the points farthest in some direction across the normal, and the deepest: fewer than there is room for. */
static void thin_out(bundle *b)
{
    bool keep[BUNDLE_POINTS] = {false};
    sn_dvec3 u = dvec3_any_normal(b->normal), v = dvec3_cross(b->normal, u);
    uint32_t deepest = 0, count = 0;
    for (uint32_t i = 1; i < b->count; ++i)
        deepest = b->point[i].distance < b->point[deepest].distance ? i : deepest;
    keep[deepest] = true;
    for (uint32_t k = 0; k < THIN_DIRECTIONS; ++k) {
        static const double side[] = {-3, -1, 1, 3}; /* around a square: directions need not be spread evenly */
        double x = side[k % 4], y = k / 4 % 2 ? 3.5 : -3.5;
        sn_dvec3 towards = dvec3_add(dvec3_scale(u, k < 8 ? x : y), dvec3_scale(v, k < 8 ? y : x));
        uint32_t best = 0;
        for (uint32_t i = 1; i < b->count; ++i)
            best = dvec3_dot(b->point[i].b, towards) > dvec3_dot(b->point[best].b, towards) ? i : best;
        keep[best] = true;
    }
    for (uint32_t i = 0; i < b->count; ++i)
        if (keep[i])
            b->point[count++] = b->point[i];
    b->count = count;
}

/* Points with the same name or in the same place are one point: the deeper one counts. Names of corners of a have
   precedence. */
static void add_point(bundle *b, const sn_candidate *point, double size)
{
    double beside = SN_MANIFOLD_BESIDE * size, level = SN_MANIFOLD_LEVEL * size;
    for (uint32_t i = 0; i < b->count; ++i) {
        sn_candidate *known = &b->point[i];
        bool named = known->feature == point->feature;
        if (!named && dvec3_length(dvec3_sub(known->a, point->a)) > beside)
            continue;
        double better = named ? 0 : point->feature < known->feature ? -level : level;
        uint32_t name = known->feature < point->feature ? known->feature : point->feature;
        if (point->distance < known->distance - better)
            *known = *point;
        known->feature = name;
        return;
    }
    if (b->count == BUNDLE_POINTS)
        thin_out(b);
    b->point[b->count++] = *point;
}

/* Here candidates of cores become points of the surfaces: their normal may change later. */
static void gather(gathering *g, sn_dvec3 normal, const sn_candidate *point, uint32_t count)
{
    double rounding = g->rounding[0] + g->rounding[1], deepest = sn_candidates_nearest(point, count) - rounding;
    bundle *b = count ? bundle_for(g, normal, deepest) : NULL;
    if (!b)
        return;
    if (deepest < b->deepest) {
        b->deepest = deepest;
        b->normal = normal;
    }
    for (uint32_t i = 0; i < count; ++i) {
        sn_candidate p = {dvec3_sub(point[i].a, dvec3_scale(normal, g->rounding[0])),
                          dvec3_add(point[i].b, dvec3_scale(normal, g->rounding[1])), point[i].distance - rounding,
                          point[i].feature};
        add_point(b, &p, g->size);
    }
}

/* Writes the manifolds. Distances along the common normal of a bundle differ a little from those of its points. */
static uint32_t write_all(gathering *g, const sn_frame_pair *f, double reach, sn_manifold *m)
{
    static const double none[2] = {0, 0};
    uint32_t written = 0;
    for (uint32_t i = 0; i < g->count; ++i) {
        bundle *b = &g->bundle[i];
        uint32_t count = 0;
        for (uint32_t k = 0; k < b->count; ++k) {
            sn_candidate p = b->point[k];
            p.distance = dvec3_dot(b->normal, dvec3_sub(p.a, p.b));
            p.b = dvec3_sub(p.a, dvec3_scale(b->normal, p.distance));
            if (p.distance <= reach)
                b->point[count++] = p;
        }
        count = sn_candidates_reduce(b->point, count, b->normal, g->size);
        if (count)
            sn_manifold_write(f, none, b->normal, b->point, count, &m[written++]);
    }
    return written;
}

/* ---- Meshes: triangles ------------------------------------------------------------------------------------------- */

static sn_dvec3 corner_of(const sn_trimesh *mesh, uint32_t triangle, uint32_t k)
{
    return dvec3_from(sn_trimesh_vertex(mesh)[sn_trimesh_index(mesh)[3 * (size_t)triangle + k]]);
}

bool sn_mesh_from_behind(const sn_shape *shape, sn_dvec3 middle, double reach)
{
    sn_touch touch;
    const sn_trimesh *mesh = shape->data->mesh;
    if (shape->data->closed || shape->sides == SN_SIDES_FRONT ||
        !sn_trimesh_near(mesh, dvec3_round(middle), (sn_real)reach, &touch))
        return false;
    sn_dvec3 a = corner_of(mesh, touch.part, 0), b = corner_of(mesh, touch.part, 1), c = corner_of(mesh, touch.part, 2);
    return dvec3_dot(dvec3_cross(dvec3_sub(b, a), dvec3_sub(c, a)), dvec3_from(touch.normal)) < 0;
}

bool sn_mesh_triangle_from(const sn_shape *shape, uint32_t number, sn_dvec3 origin, sn_dvec3 middle, bool from_behind,
                           sn_mesh_triangle *triangle)
{
    const sn_trimesh *mesh = shape->data->mesh;
    sn_dvec3 a = dvec3_sub(corner_of(mesh, number, 0), origin), b = dvec3_sub(corner_of(mesh, number, 1), origin);
    sn_dvec3 c = dvec3_sub(corner_of(mesh, number, 2), origin);
    triangle->turned = false;
    triangle->hull = sn_hull_triangle(a, b, c, &triangle->room);
    const sn_hull_face *front = &triangle->room.face[0];
    bool behind = dvec3_dot(front->normal, middle) < front->offset;
    if (shape->data->closed || shape->sides == SN_SIDES_FRONT)
        return !behind;
    if (behind != from_behind) { /* straight above the triangle its own plane decides; beside it, the whole mesh does */
        sn_between between;
        sn_hull point = sn_hull_point(&middle);
        sn_distance_between(&point, dvec3(0, 0, 0), &triangle->hull, &between);
        if (between.distance > 0 && fabs(dvec3_dot(between.normal, front->normal)) < STRAIGHT_OVER)
            behind = from_behind;
    }
    if (!behind)
        return true;
    triangle->turned = true;
    triangle->hull = sn_hull_triangle(a, c, b, &triangle->room);
    return true;
}

typedef struct surroundings {
    const sn_trimesh *mesh;
    sn_dvec3 near_point; /* m: relative to the mesh */
    sn_dvec3 normal;
    double slack; /* m */
    bool found, allowed;
} surroundings;

static bool look_around(void *data, uint32_t number)
{
    surroundings *s = data;
    sn_dvec3 corner[3], nearest = {0, 0, 0};
    for (uint32_t k = 0; k < 3; ++k)
        corner[k] = dvec3_sub(corner_of(s->mesh, number, k), s->near_point);
    sn_real weight[3];
    sn_triangle_near(vec3(0, 0, 0), dvec3_round(corner[0]), dvec3_round(corner[1]), dvec3_round(corner[2]), weight);
    for (uint32_t k = 0; k < 3; ++k)
        nearest = dvec3_add(nearest, dvec3_scale(corner[k], (double)weight[k]));
    if (dvec3_length(nearest) > s->slack)
        return true;
    s->found = true;
    for (uint32_t k = 0; k < 3; ++k)
        s->allowed &= dvec3_dot(s->normal, corner[k]) <= CUT * dvec3_length(corner[k]) + s->slack;
    return true;
}

sn_bounds sn_bounds_around(sn_dvec3 low, sn_dvec3 high, double around)
{
    double far =
        fmax(fmax(fmax(fabs(low.x), fabs(low.y)), fabs(low.z)), fmax(fmax(fabs(high.x), fabs(high.y)), fabs(high.z)));
    double out = around + 4 * REAL_EPSILON * far; /* rounding must not make the box smaller */
    sn_dvec3 by = {out, out, out};
    return (sn_bounds){dvec3_round(dvec3_sub(low, by)), dvec3_round(dvec3_add(high, by))};
}

bool sn_mesh_allows(const sn_shape *shape, sn_dvec3 origin, const sn_mesh_triangle *triangle, sn_dvec3 near_point,
                    sn_dvec3 normal, double slack)
{
    surroundings s = {.mesh = shape->data->mesh,
                      .near_point = dvec3_add(near_point, origin),
                      .normal = normal,
                      .allowed = dvec3_dot(normal, triangle->room.face[0].normal) > -CUT};
    double far = fmax(fmax(fabs(s.near_point.x), fabs(s.near_point.y)), fabs(s.near_point.z));
    s.slack = slack + 4 * REAL_EPSILON * far;
    sn_bounds box = sn_bounds_around(s.near_point, s.near_point, s.slack);
    sn_trimesh_overlap(shape->data->mesh, &box, look_around, &s);
    return s.found && s.allowed;
}

/* ---- Meshes: contact --------------------------------------------------------------------------------------------- */

typedef struct mesh_contact {
    const sn_shape *shape;
    sn_dvec3 origin; /* m: of the frame, relative to the mesh: the centre of a */
    sn_collision *c;
    gathering g;
    bool from_behind; /* a touches an open mesh from the back */
    bool behind;      /* of some triangle */
    bool dropped;
    sn_dvec3 dropped_normal; /* of the shallowest overlap that was not allowed */
    uint32_t dropped_count;
    double dropped_depth; /* m */
    sn_candidate dropped_point[SN_MANIFOLD_MOST];
} mesh_contact;

/* Contact of a point and a triangle. */
static bool touch_point(sn_collision *c)
{
    sn_between between;
    sn_dvec3 p = c->a.vertex[0];
    sn_distance_between(&c->a, dvec3(0, 0, 0), &c->b, &between);
    if (between.distance > c->reach)
        return false;
    c->count = 1;
    if (between.distance > 0) {
        c->normal = between.normal;
        c->point[0] = (sn_candidate){p, between.on_b, between.distance, 0};
    } else {
        c->normal = *c->front;
        c->point[0] = (sn_candidate){p, p, 0, 0};
    }
    return true;
}

static const sn_candidate *deepest_point(const sn_collision *c)
{
    const sn_candidate *best = &c->point[0];
    for (uint32_t i = 1; i < c->count; ++i)
        best = c->point[i].distance < best->distance ? &c->point[i] : best;
    return best;
}

static void remember_dropped(mesh_contact *w)
{
    sn_collision *c = w->c;
    double depth = sn_candidates_nearest(c->point, c->count);
    if (!(depth < c->rounding[0] + c->rounding[1]) || (w->dropped && depth <= w->dropped_depth))
        return;
    w->dropped = true;
    w->dropped_depth = depth;
    w->dropped_normal = c->normal;
    w->dropped_count = sn_candidates_reduce(c->point, c->count, c->normal, w->g.size);
    for (uint32_t i = 0; i < w->dropped_count; ++i)
        w->dropped_point[i] = c->point[i];
}

/* Names corners and edges of the triangle by their vertex numbers in the mesh, so that they have the same name in
   neighbouring triangles. */
static void rename_features(const sn_trimesh *mesh, uint32_t number, bool turned, sn_candidate *point, uint32_t count)
{
    const uint32_t *index = &sn_trimesh_index(mesh)[3 * (size_t)number];
    const uint32_t corner[3] = {index[0], index[turned ? 2 : 1], index[turned ? 1 : 2]};
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t name = point[i].feature, kind = name >> 30, of_a = name >> 14 & 0xffff, of_b = name & 0x3fff;
        if (kind == SN_FEATURE_CORNER_A)
            continue;
        uint32_t p = of_b & 0x7f, q = kind == SN_FEATURE_EDGES ? of_b >> 7 : p;
        uint32_t low = corner[p % 3] < corner[q % 3] ? corner[p % 3] : corner[q % 3];
        uint64_t hash = hash_u64(hash_u64(hash_u64(SN_HASH_SEED, of_a), low), (uint64_t)corner[p % 3] + corner[q % 3]);
        point[i].feature = kind << 30 | (uint32_t)(hash >> 34);
    }
}

/* The point at which to check the depth of a contact point: moved across the normal towards the centre of all points,
   by its depth. A point at the border of the triangle would always be close to another side. */
static sn_dvec3 inner_point(sn_dvec3 p, sn_dvec3 middle, sn_dvec3 normal, double depth)
{
    sn_dvec3 displacement = dvec3_sub(middle, p);
    displacement = dvec3_sub(displacement, dvec3_scale(normal, dvec3_dot(normal, displacement)));
    double length = dvec3_length(displacement);
    return dvec3_add(p, length > depth ? dvec3_scale(displacement, depth / length) : displacement);
}

/* True if a point (relative to the mesh) is in front of a triangle. */
static bool faces(const sn_trimesh *mesh, uint32_t number, sn_dvec3 place)
{
    const sn_dvec3 a = corner_of(mesh, number, 0), b = corner_of(mesh, number, 1), c = corner_of(mesh, number, 2);
    return dvec3_dot(dvec3_cross(dvec3_sub(b, a), dvec3_sub(c, a)), dvec3_sub(place, a)) >= 0;
}

/* Drops points that are deep behind a triangle but hardly inside the mesh, next to another side of it: that side has
   the contact, if it faces a. The far side of a thin plate that a has passed does not. */
static void leave_deep(mesh_contact *w)
{
    sn_collision *c = w->c;
    uint32_t kept = 0;
    sn_dvec3 middle = {0, 0, 0}, out = dvec3_scale(c->normal, -c->rounding[0]);
    for (uint32_t i = 0; i < c->count; ++i)
        middle = dvec3_add(middle, dvec3_scale(c->point[i].a, 1.0 / c->count));
    for (uint32_t i = 0; i < c->count; ++i) {
        const sn_candidate *p = &c->point[i];
        double depth = c->rounding[0] - p->distance; /* behind the triangle itself */
        sn_touch touch;
        if (depth > DEEP * c->size) {
            sn_dvec3 near_point = dvec3_add(dvec3_add(inner_point(p->a, middle, c->normal, depth), out), w->origin);
            if (sn_trimesh_near(w->shape->data->mesh, dvec3_round(near_point), (sn_real)(HARDLY * depth), &touch) &&
                (!w->shape->data->closed || faces(w->shape->data->mesh, touch.part, w->origin)))
                continue;
        }
        c->point[kept++] = *p;
    }
    if (!kept)
        remember_dropped(w);
    c->count = kept;
}

static bool touch_triangle(void *data, uint32_t number)
{
    mesh_contact *w = data;
    sn_collision *c = w->c;
    sn_mesh_triangle t;
    if (!sn_mesh_triangle_from(w->shape, number, w->origin, dvec3(0, 0, 0), w->from_behind, &t)) {
        w->behind = true;
        return true;
    }
    c->b = t.hull;
    c->front = &t.room.face[0].normal;
    c->count = 0;
    if (!(c->a.vertices == 1 ? touch_point(c) : sn_axes_of_hulls(c) && sn_collide(c)))
        return true;
    if (dvec3_dot(c->normal, *c->front) < ON_FACE &&
        !sn_mesh_allows(w->shape, w->origin, &t, deepest_point(c)->b, c->normal, SN_MANIFOLD_BESIDE * c->size)) {
        remember_dropped(w);
        if (c->a.vertices == 1 || !sn_points_on_face(c, false, 0))
            return true;
    }
    if (dvec3_dot(c->normal, *c->front) >= ON_FACE)
        leave_deep(w);
    rename_features(w->shape->data->mesh, number, t.turned, c->point, c->count);
    gather(&w->g, c->normal, c->point, c->count);
    return true;
}

/* For a centre inside a closed mesh: out to the nearest point of the surface. */
static void push_out(mesh_contact *w)
{
    sn_touch touch;
    if (!sn_trimesh_near(w->shape->data->mesh, dvec3_round(w->origin), (sn_real)INFINITY, &touch) ||
        !((double)touch.distance < 0))
        return;
    sn_dvec3 n = dvec3_from(touch.normal), near_point = dvec3_sub(dvec3_from(touch.point), w->origin);
    sn_points_on_plane(w->c, n, dvec3_dot(n, near_point));
    gather(&w->g, n, w->c->point, w->c->count);
}

static uint32_t contact_mesh(const sn_convex *a, const sn_shape *shape, sn_frame_pair *f, sn_collision *c,
                             sn_manifold *m, uint32_t most)
{
    mesh_contact w = {.shape = shape, .origin = f->place, .c = c};
    w.g.most = most;
    w.g.size = c->size;
    w.g.rounding[0] = c->rounding[0];
    w.g.rounding[1] = c->rounding[1];
    w.from_behind = sn_mesh_from_behind(shape, w.origin, (double)sn_convex_outer(a) + c->reach);
    f->origin = f->place;
    f->place = dvec3(0, 0, 0);
    sn_moved_room moved;
    sn_convex_room room;
    sn_hull core = sn_convex_core(a, &room);
    c->a = sn_hull_moved(&core, f->axis, f->place, &moved);
    c->centre[0] = c->centre[1] = dvec3(0, 0, 0);

    sn_dvec3 low = c->a.vertex[0], high = low;
    for (uint32_t i = 1; i < c->a.vertices; ++i) {
        sn_dvec3 v = c->a.vertex[i];
        low = dvec3(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = dvec3(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    sn_bounds box = sn_bounds_around(dvec3_add(low, w.origin), dvec3_add(high, w.origin), c->reach);
    sn_trimesh_overlap(shape->data->mesh, &box, touch_triangle, &w);
    if (shape->data->closed && (w.behind || !w.g.count))
        push_out(&w);
    if (!w.g.count && w.dropped) /* better than falling through */
        gather(&w.g, w.dropped_normal, w.dropped_point, w.dropped_count);
    return write_all(&w.g, f, c->reach - c->rounding[0] - c->rounding[1], m);
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

sn_dvec3 sn_core_sample(const sn_hull *core, uint32_t sample, uint32_t *feature)
{
    if (sample < core->vertices) {
        *feature = feature_name(SN_FEATURE_CORNER_A, 0, sample);
        return core->vertex[sample];
    }
    sample -= core->vertices;
    if (sample < core->edges) {
        const uint8_t *end = core->edge[sample].vertex;
        *feature = feature_name(SN_FEATURE_EDGES, edge_name(end[0], end[1]), 0);
        return dvec3_scale(dvec3_add(core->vertex[end[0]], core->vertex[end[1]]), 0.5);
    }
    const sn_hull_face *face = &core->face[sample - core->edges];
    sn_dvec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < face->count; ++i)
        sum = dvec3_add(sum, core->vertex[core->loop[face->first + i]]);
    *feature = feature_name(SN_FEATURE_CORNERS, sample - core->edges, 0);
    return dvec3_scale(sum, 1.0 / face->count);
}

static void feel(gathering *g, const sn_collision *c, const sn_distance_field *field, sn_dvec3 p, uint32_t feature)
{
    sn_touch touch;
    sn_distance_field_near(field, dvec3_round(p), &touch);
    double distance = (double)touch.distance;
    sn_dvec3 n = dvec3_from(touch.normal);
    if (!(distance <= c->reach))
        return;
    sn_candidate point = {p, dvec3_sub(p, dvec3_scale(n, distance)), distance, feature};
    gather(g, n, &point, 1);
}

/* Alternating projection between body and surface, which converges to their nearest points. A bump of the field under a
   face is contact of that face. */
static void feel_nearest(gathering *g, const sn_collision *c, const sn_distance_field *field)
{
    const uint32_t name = feature_name(SN_FEATURE_CORNERS, SN_HULL_FACES, 0);
    sn_dvec3 low = dvec3_from(field->bounds.low), high = dvec3_from(field->bounds.high);
    sn_hull_near_point near_point;
    sn_core_near(&c->a, dvec3_scale(dvec3_add(low, high), 0.5), &near_point);
    sn_dvec3 p = near_point.point;
    for (uint32_t i = 0; i < NEAREST_STEPS; ++i) {
        sn_touch touch;
        sn_distance_field_near(field, dvec3_round(p), &touch);
        sn_dvec3 bump = dvec3_from(touch.point);
        if (!vec3_is_finite(touch.point))
            return;
        sn_core_near(&c->a, bump, &near_point);
        if (c->a.faces && near_point.distance < 0) {
            if (dvec3_dot(near_point.normal, dvec3_from(touch.normal)) < -AGAINST) {
                sn_candidate point = {near_point.point, bump, near_point.distance, name};
                gather(g, dvec3_scale(near_point.normal, -1), &point, 1);
            }
            return;
        }
        p = near_point.point;
    }
    feel(g, c, field, p, name);
}

static uint32_t contact_field(const sn_convex *a, const sn_shape *shape, const sn_frame_pair *f, sn_collision *c,
                              sn_manifold *m, uint32_t most)
{
    gathering g = {.most = most, .size = c->size, .rounding = {c->rounding[0], c->rounding[1]}};
    sn_moved_room moved;
    sn_convex_room room;
    sn_hull core = sn_convex_core(a, &room);
    c->a = sn_hull_moved(&core, f->axis, f->place, &moved);
    uint32_t samples = core.vertices + core.edges + core.faces, feature;
    for (uint32_t i = 0; i < samples; ++i) {
        sn_dvec3 p = sn_core_sample(&c->a, i, &feature);
        feel(&g, c, &shape->data->field, p, feature);
    }
    if (core.vertices > 1)
        feel_nearest(&g, c, &shape->data->field);
    return write_all(&g, f, c->reach - c->rounding[0] - c->rounding[1], m);
}

/* ---- Any shape --------------------------------------------------------------------------------------------------- */

static uint32_t contact_plane(const sn_convex *a, const sn_frame_pair *f, sn_collision *c, sn_manifold *m)
{
    sn_moved_room moved;
    sn_convex_room room;
    if (a->type == SN_SHAPE_BOX)
        return sn_box_on_plane(a, f, c, m);
    sn_hull core = sn_convex_core(a, &room);
    c->a = sn_hull_moved(&core, f->axis, f->place, &moved);
    sn_points_on_plane(c, dvec3(0, 1, 0), 0);
    uint32_t count = sn_candidates_reduce(c->point, c->count, c->normal, c->size);
    sn_manifold_write(f, c->rounding, c->normal, c->point, count, m);
    return count > 0;
}

static uint32_t touch_shape(const sn_convex *a, const sn_pose *pa, const sn_shape *b, const sn_pose *pb, sn_real reach,
                            sn_manifold *m, uint32_t capacity)
{
    sn_frame_pair f = sn_frame_pair_from(pa, pb);
    sn_collision c;
    c.rounding[0] = (double)a->radius;
    c.rounding[1] = (double)b->thickness;
    c.reach = (double)reach + c.rounding[0] + c.rounding[1];
    c.size = (double)sn_convex_inner(a);
    c.count = 0;
    uint32_t most = capacity < BUNDLES ? capacity : BUNDLES;
    if (b->type == SN_SHAPE_MESH)
        return contact_mesh(a, b, &f, &c, m, most);
    if (b->type == SN_SHAPE_FIELD)
        return contact_field(a, b, &f, &c, m, most);
    return contact_plane(a, &f, &c, m);
}

uint32_t sn_manifold_shape(const sn_convex *a, const sn_pose *pa, const sn_shape *b, const sn_pose *pb, sn_real reach,
                           sn_manifold *m, uint32_t capacity)
{
    if (!capacity)
        return 0;
    if (sn_shape_is_convex(b->type)) {
        sn_convex solid = sn_shape_solid(b);
        return sn_manifold_convex(a, pa, &solid, pb, reach, m);
    }
    if (!sn_is_revolved(a->type))
        return touch_shape(a, pa, b, pb, reach, m, capacity);
    sn_convex faced = *a;
    sn_vec3 down = sn_quat_rotate(pb->rotation, vec3(0, -1, 0));
    sn_convex_face(&faced, pa, down);
    if (b->type == SN_SHAPE_PLANE)
        return touch_shape(&faced, pa, b, pb, reach, m, capacity);
    if (!touch_shape(&faced, pa, b, pb, reach + sn_convex_sag(a), m, capacity))
        return 0;
    const sn_vec3 place = sn_pose_to_world(pb, m->point[0].b);
    sn_convex_face(&faced, pa, vec3_scale(m->normal, -1));
    const uint32_t found = touch_shape(&faced, pa, b, pb, reach, m, capacity);
    if (found)
        return found;
    sn_convex_face(&faced, pa, vec3_sub(place, pa->position));
    return touch_shape(&faced, pa, b, pb, reach, m, capacity);
}
