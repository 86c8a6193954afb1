#include "collision/manifold.h"

#include "collision/manifold_work.h"

#include <string.h>

/* Relative to the size of both: if axes or centres of cores are nearer than this, there is no direction between
   them. */
#define NO_DIRECTION 1e-12

/* Cosine: an edge-edge normal this close to a face normal belongs to edges that cross at the border of the face. Then
   the face is used: it has that crossing as a point, and others that give support. */
#define ALIGNED 0.9975

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

void sn_axes_of(sn_quat q, sn_dvec3 axis[3])
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    double square = x * x + y * y + z * z + w * w, s = square > 0 ? 2 / square : 0;
    axis[0] = dvec3(1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y));
    axis[1] = dvec3(s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x));
    axis[2] = dvec3(s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y));
}

sn_frame_pair sn_frame_pair_from(const sn_pose *pa, const sn_pose *pb)
{
    sn_frame_pair f;
    sn_dvec3 own[3];
    sn_axes_of(pa->rotation, own);
    sn_axes_of(pb->rotation, f.world);
    for (uint32_t i = 0; i < 3; ++i)
        f.axis[i] = dvec3_on_axes(f.world, own[i]);
    f.place = dvec3_on_axes(f.world, dvec3_sub(dvec3_from(pa->position), dvec3_from(pb->position)));
    f.origin = dvec3(0, 0, 0);
    return f;
}

sn_hull sn_hull_moved(const sn_hull *hull, const sn_dvec3 axis[3], sn_dvec3 place, sn_moved_room *room)
{
    sn_hull moved = *hull;
    for (uint32_t i = 0; i < hull->vertices; ++i)
        room->vertex[i] = dvec3_add(place, dvec3_by_axes(axis, hull->vertex[i]));
    for (uint32_t i = 0; i < hull->faces; ++i) {
        room->face[i] = hull->face[i];
        room->face[i].normal = dvec3_by_axes(axis, hull->face[i].normal);
        room->face[i].offset += dvec3_dot(room->face[i].normal, place);
    }
    moved.vertex = room->vertex;
    moved.face = room->face;
    return moved;
}

/* ---- Selection of points ----------------------------------------------------------------------------------------- */

/* The slope by which bodies may tilt while their points stay the same. Without this term a corner at a face was dropped
   in favour of a crossing of edges that was farther out and far above the face. A box that landed on that corner sank
   in by a sixth of its size. */
#define TILT 0.25

/* Points farther than the nearest one by more than this are dropped (farther than contact, if that point is deep).
   FAR_OFF is relative to the size of the smaller body: this is more than the bodies rotate before their points are
   searched for again (contact/body_prepare.c). FAR_AHEAD is relative to the reach, because the reach covers several
   substeps and bodies may rotate in one. */
#define FAR_OFF   0.25
#define FAR_AHEAD 0.125

/* The axes are rotated so that in no common arrangement of points two of them are equally far along one axis. */
static void see_along(sn_dvec3 normal, const sn_candidate *point, uint32_t count, sn_flat *place)
{
    sn_dvec3 u = dvec3_any_normal(normal), v = dvec3_cross(normal, u);
    sn_dvec3 x = dvec3_add(dvec3_scale(u, SN_FLAT_COSINE), dvec3_scale(v, SN_FLAT_SINE));
    sn_dvec3 y = dvec3_cross(normal, x);
    for (uint32_t i = 0; i < count; ++i)
        place[i] = (sn_flat){dvec3_dot(point[i].b, x), dvec3_dot(point[i].b, y), point[i].distance};
}

/* Of the deepest points the one farthest along x, so that it is on the border of all points. */
static uint32_t pick_first(const sn_flat *point, uint32_t count, double level)
{
    double least = (double)INFINITY, most = -(double)INFINITY;
    uint32_t best = 0;
    for (uint32_t i = 0; i < count; ++i)
        least = point[i].distance < least ? point[i].distance : least;
    for (uint32_t i = 0; i < count; ++i)
        if (point[i].distance <= least + level && point[i].x > most) {
            most = point[i].x;
            best = i;
        }
    return best;
}

/* The squared distance (m^2) from a point to the segment between two others. */
static inline double off_segment(sn_flat p, sn_flat from, sn_flat displacement, double inverse)
{
    double x = p.x - from.x, y = p.y - from.y, t = (displacement.x * x + displacement.y * y) * inverse;
    t = t > 0 ? t < 1 ? t : 1 : 0;
    x -= t * displacement.x;
    y -= t * displacement.y;
    return x * x + y * y;
}

static inline double cross_of(sn_flat p, sn_flat from, sn_flat displacement)
{
    return displacement.x * (p.y - from.y) - displacement.y * (p.x - from.x);
}

/* Updates the squared distance (m^2) of all points from the kept ones after another was added: from a point, then from
   a segment, and then from a triangle (0 inside). */
static void measure_off(const sn_flat *point, uint32_t count, const uint8_t *kept, uint32_t keeps, double *off)
{
    const sn_flat a = point[kept[0]], b = point[kept[keeps > 1 ? 1 : 0]], c = point[kept[keeps - 1]];
    const sn_flat ab = {b.x - a.x, b.y - a.y, 0}, bc = {c.x - b.x, c.y - b.y, 0}, ca = {a.x - c.x, a.y - c.y, 0};
    const double by_ab = 1 / (ab.x * ab.x + ab.y * ab.y), by_bc = 1 / (bc.x * bc.x + bc.y * bc.y);
    const double by_ca = 1 / (ca.x * ca.x + ca.y * ca.y), sense = cross_of(c, a, ab) < 0 ? -1 : 1;
    for (uint32_t i = 0; i < count; ++i) {
        const sn_flat p = point[i];
        if (keeps == 1) {
            off[i] = (p.x - a.x) * (p.x - a.x) + (p.y - a.y) * (p.y - a.y);
        } else if (keeps == 2) {
            off[i] = off_segment(p, a, ab, by_ab);
        } else {
            const bool inside =
                sense * cross_of(p, a, ab) >= 0 && sense * cross_of(p, b, bc) >= 0 && sense * cross_of(p, c, ca) >= 0;
            off[i] = inside ? 0 : fmin(off[i], fmin(off_segment(p, b, bc, by_bc), off_segment(p, c, ca, by_ca)));
        }
    }
}

/* The point that may become the deepest if the one to three kept points stay where they are: far outside of them, and
   near. `count` if all others are beside them. */
static uint32_t pick_outside(const sn_flat *point, uint32_t count, const double *off, double beside)
{
    uint32_t best = count;
    double most = -(double)INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        if (!(off[i] > beside * beside))
            continue;
        double deep = TILT * sqrt(off[i]) - point[i].distance;
        if (deep > most) {
            most = deep;
            best = i;
        }
    }
    return best;
}

uint32_t sn_flats_reduce(const sn_flat *point, uint32_t count, double size, uint8_t *kept)
{
    double off[SN_CANDIDATES];
    uint32_t keeps = 1;
    if (count <= 2) {
        kept[0] = 0;
        kept[1] = 1;
        return count;
    }
    kept[0] = (uint8_t)pick_first(point, count, SN_MANIFOLD_LEVEL * size);
    while (keeps < count && keeps < SN_MANIFOLD_MOST) {
        measure_off(point, count, kept, keeps, off);
        const uint32_t next = pick_outside(point, count, off, 2 * SN_MANIFOLD_BESIDE * size);
        if (next == count)
            break;
        kept[keeps++] = (uint8_t)next;
    }
    return keeps;
}

uint32_t sn_candidates_reduce(sn_candidate *point, uint32_t count, sn_dvec3 normal, double size)
{
    sn_flat place[SN_CANDIDATES];
    sn_candidate left[SN_MANIFOLD_MOST];
    uint8_t kept[SN_MANIFOLD_MOST];
    if (count <= 2)
        return count;
    see_along(normal, point, count, place);
    count = sn_flats_reduce(place, count, size, kept);
    for (uint32_t i = 0; i < count; ++i)
        left[i] = point[kept[i]];
    memcpy(point, left, count * sizeof *left);
    return count;
}

/* Sets the distance of two solids that do not touch. */
static bool is_apart(sn_collision *c, double apart)
{
    c->apart = apart;
    return false;
}

/* ---- Faces and edges --------------------------------------------------------------------------------------------- */

double sn_candidates_nearest(const sn_candidate *point, uint32_t count)
{
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < count; ++i)
        least = point[i].distance < least ? point[i].distance : least;
    return least;
}

/* The face on which the contact is described: the one with the larger separation. Of nearly equal ones the larger face,
   which is less likely to change. */
static const sn_axis *better_face(const sn_collision *c, const sn_axis *of_a, const sn_axis *of_b, double area_a,
                                  double area_b)
{
    double tie = SN_MANIFOLD_TIE * c->size;
    if (of_a->type == SN_AXIS_NONE || of_b->separation > of_a->separation + tie)
        return of_b;
    if (of_b->type == SN_AXIS_NONE || of_a->separation > of_b->separation + tie)
        return of_a;
    if (c->front)
        return of_b;
    return area_a > (1 + SN_MANIFOLD_TIE) * area_b ? of_a : of_b;
}

static uint32_t points_on(sn_collision *c, const sn_axis *axis)
{
    if (axis->type == SN_AXIS_EDGES)
        return sn_points_of_edges(c, axis->normal, axis->a, axis->b);
    return sn_points_on_face(c, axis->type == SN_AXIS_FACE_A, axis->type == SN_AXIS_FACE_A ? axis->a : axis->b);
}

/* Where nothing else is found (one solid is inside the other): the deepest corner. */
static void push_deepest(sn_collision *c, const sn_axis *axis)
{
    uint32_t corner = sn_hull_support(&c->a, dvec3_scale(axis->normal, -1));
    sn_dvec3 p = c->a.vertex[corner];
    c->normal = axis->normal;
    c->count = 1;
    c->point[0] = (sn_candidate){p, dvec3_sub(p, dvec3_scale(axis->normal, axis->separation)), axis->separation,
                                 feature_name(SN_FEATURE_CORNER_A, 0, corner)};
}

/* The largest accepted distance of the nearest point of cores with the separation `room`. */
static double apart_enough(const sn_collision *c, double room)
{
    return room * (1 + SN_MANIFOLD_NEARLY) + SN_MANIFOLD_FINE * c->size;
}

/* For pairs where no axis gives the shortest distance: it is between corners and edges, or the cores overlap in an
   unusual way. */
static bool collide_nearest(sn_collision *c, sn_axis_choice k)
{
    sn_between between;
    sn_distance_between(&c->a, dvec3(0, 0, 0), &c->b, &between);
    if (between.distance > c->reach)
        return is_apart(c, between.distance);
    if (!(between.distance > 0)) {
        push_deepest(c, k.best);
        return true;
    }
    bool aligned = !k.exact && dvec3_dot(between.normal, k.face->normal) > ALIGNED &&
                   between.distance - k.face->separation < SN_MANIFOLD_LEAN * c->size;
    if (aligned && points_on(c, k.face) &&
        sn_candidates_nearest(c->point, c->count) <= apart_enough(c, between.distance))
        return true;
    return sn_points_between(c, between.normal, between.on_a, between.on_b, between.distance);
}

sn_axis_choice sn_axes_choose(const sn_collision *c, double area_a, double area_b)
{
    const sn_axis *edges = &c->edges;
    sn_axis_choice k = {.face = better_face(c, &c->face_a, &c->face_b, area_a, area_b)};
    k.best = c->face_a.separation > c->face_b.separation ? &c->face_a : &c->face_b;
    k.best = edges->separation > k.best->separation ? edges : k.best;
    k.exact = c->front && k.face->type == SN_AXIS_FACE_A;
    bool aligned = !k.exact && edges->type == SN_AXIS_EDGES && dvec3_dot(edges->normal, k.face->normal) > ALIGNED;
    double better = edges->separation - k.face->separation, room = k.best->separation;
    k.first = better > (aligned ? SN_MANIFOLD_LEAN : SN_MANIFOLD_TIE) * c->size ? edges : k.face;
    k.enough = room > 0 ? apart_enough(c, room) : room + SN_MANIFOLD_TIE * c->size;
    return k;
}

/* The separation along an axis is at most the distance, and any contact point is at least as far off. Where both agree,
   the distance is certain. Otherwise it is found by collide_nearest. */
bool sn_collide(sn_collision *c)
{
    const double area_a = c->face_a.type == SN_AXIS_NONE ? 0 : c->a.face[c->face_a.a].area;
    const double area_b = c->face_b.type == SN_AXIS_NONE ? 0 : c->b.face[c->face_b.b].area;
    const sn_axis_choice k = sn_axes_choose(c, area_a, area_b);
    if (points_on(c, k.first) && sn_candidates_nearest(c->point, c->count) <= k.enough)
        return true;
    if (k.best != k.first && points_on(c, k.best) && sn_candidates_nearest(c->point, c->count) <= k.enough)
        return true;
    return collide_nearest(c, k);
}

/* ---- Points and segments ----------------------------------------------------------------------------------------- */

/* The nearest points of two segments (Ericson 2005, 5.1.9). */
static void nearest_of_segments(const sn_dvec3 a[2], const sn_dvec3 b[2], sn_dvec3 *on_a, sn_dvec3 *on_b)
{
    sn_dvec3 u = dvec3_sub(a[1], a[0]), v = dvec3_sub(b[1], b[0]), r = dvec3_sub(a[0], b[0]);
    double uu = dvec3_dot(u, u), vv = dvec3_dot(v, v), uv = dvec3_dot(u, v);
    double ur = dvec3_dot(u, r), vr = dvec3_dot(v, r), area = uu * vv - uv * uv;
    double s = area > 1e-12 * uu * vv ? (uv * vr - vv * ur) / area : 0.5;
    s = s > 0 ? s < 1 ? s : 1 : 0;
    double t = vv > 0 ? (uv * s + vr) / vv : 0;
    if (t < 0 || t > 1) {
        t = t < 0 ? 0 : 1;
        s = uu > 0 ? (uv * t - ur) / uu : 0;
        s = s > 0 ? s < 1 ? s : 1 : 0;
    }
    *on_a = dvec3_add(a[0], dvec3_scale(u, s));
    *on_b = dvec3_add(b[0], dvec3_scale(v, t));
}

/* A direction normal to `along`, in the xy plane. For cases where no other direction is better. */
static sn_dvec3 any_across(sn_dvec3 along)
{
    const sn_dvec3 n = dvec3(-along.y, along.x, 0);
    const double length = dvec3_length(n);
    return length > 0 ? dvec3_scale(n, 1 / length) : dvec3(0, 1, 0);
}

/* For segments that cross: the normal to both, on the side of the centre of a. */
static sn_dvec3 normal_of_crossing(const sn_collision *c)
{
    sn_dvec3 u = dvec3_sub(c->a.vertex[1], c->a.vertex[0]), v = dvec3_sub(c->b.vertex[1], c->b.vertex[0]);
    sn_dvec3 n = dvec3_cross(u, v);
    double length = dvec3_length(n), uu = dvec3_length(u), vv = dvec3_length(v);
    if (!(length > 1e-6 * uu * vv)) {
        sn_dvec3 along = uu > vv ? u : v;
        n = any_across(along);
        length = 1;
    }
    bool behind = dvec3_dot(n, dvec3_sub(c->centre[0], c->centre[1])) < 0;
    return dvec3_scale(n, (behind ? -1 : 1) / length);
}

bool sn_collide_segments(sn_collision *c)
{
    sn_dvec3 on_a, on_b;
    nearest_of_segments(c->a.vertex, c->b.vertex, &on_a, &on_b);
    sn_dvec3 off = dvec3_sub(on_a, on_b);
    double distance = dvec3_length(off);
    if (distance > c->reach)
        return is_apart(c, distance);
    bool lost = !(distance > NO_DIRECTION * (c->a.outer + c->b.outer));
    sn_dvec3 normal = lost ? normal_of_crossing(c) : dvec3_scale(off, 1 / distance);
    return sn_points_between(c, normal, on_a, lost ? on_a : on_b, lost ? 0 : distance);
}

void sn_core_near(const sn_hull *core, sn_dvec3 p, sn_hull_near_point *near_point)
{
    if (core->faces) {
        sn_hull_near(core, p, near_point);
        return;
    }
    sn_dvec3 a = core->vertex[0], displacement = core->vertices == 2 ? dvec3_sub(core->vertex[1], a) : dvec3(0, 0, 0);
    double square = dvec3_dot(displacement, displacement),
           t = square > 0 ? dvec3_dot(displacement, dvec3_sub(p, a)) / square : 0;
    t = t > 0 ? t < 1 ? t : 1 : 0;
    near_point->point = dvec3_add(a, dvec3_scale(displacement, t));
    sn_dvec3 off = dvec3_sub(p, near_point->point);
    double distance = dvec3_length(off);
    bool lost = !(distance > NO_DIRECTION * (core->outer + dvec3_length(p)));
    near_point->distance = distance;
    near_point->normal = !lost ? dvec3_scale(off, 1 / distance) : any_across(displacement);
    near_point->face = 0;
}

/* One of the two cores is a point. */
static bool collide_point(sn_collision *c)
{
    bool swapped = c->a.vertices != 1;
    sn_hull_near_point near_point;
    sn_core_near(swapped ? &c->a : &c->b, swapped ? c->b.vertex[0] : c->a.vertex[0], &near_point);
    if (near_point.distance > c->reach)
        return is_apart(c, near_point.distance);
    c->normal = swapped ? dvec3_scale(near_point.normal, -1) : near_point.normal;
    c->count = 1;
    c->point[0] = (sn_candidate){swapped ? near_point.point : c->a.vertex[0],
                                 swapped ? c->b.vertex[0] : near_point.point, near_point.distance, 0};
    return true;
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

void sn_manifold_write(const sn_frame_pair *f, const double rounding[2], sn_dvec3 normal, const sn_candidate *point,
                       uint32_t count, sn_manifold *m)
{
    m->normal = dvec3_round(dvec3_by_axes(f->world, normal));
    m->count = count;
    for (uint32_t i = 0; i < count; ++i) {
        sn_dvec3 a = dvec3_sub(point[i].a, dvec3_scale(normal, rounding[0]));
        sn_dvec3 b = dvec3_add(point[i].b, dvec3_scale(normal, rounding[1]));
        m->point[i] = (sn_manifold_point){dvec3_round(dvec3_on_axes(f->axis, dvec3_sub(a, f->place))),
                                          dvec3_round(dvec3_add(b, f->origin)),
                                          (sn_real)(point[i].distance - rounding[0] - rounding[1]), point[i].feature};
    }
}

static bool lies_apart(const sn_collision *c, sn_manifold *m)
{
    m->apart = (sn_real)(c->apart - c->rounding[0] - c->rounding[1]);
    return false;
}

double sn_collision_far(const sn_collision *c, double nearest, double reach)
{
    return fmax(nearest, c->rounding[0] + c->rounding[1]) + FAR_OFF * c->size + FAR_AHEAD * reach;
}

/* Drops points that can come into contact only after the nearest one has separated by much. */
static void leave_far(sn_collision *c, double reach)
{
    const double far = sn_collision_far(c, sn_candidates_nearest(c->point, c->count), reach);
    uint32_t left = 0;
    for (uint32_t i = 0; i < c->count; ++i)
        if (c->point[i].distance <= far)
            c->point[left++] = c->point[i];
    c->count = left;
}

static bool finish(sn_collision *c, const sn_frame_pair *f, sn_real reach, sn_manifold *m)
{
    leave_far(c, (double)reach);
    uint32_t count = sn_candidates_reduce(c->point, c->count, c->normal, c->size);
    sn_manifold_write(f, c->rounding, c->normal, c->point, count, m);
    m->apart = reach;
    return count > 0;
}

static bool touch_once(const sn_convex *a, const sn_pose *pa, const sn_convex *b, const sn_pose *pb, sn_real reach,
                       sn_manifold *m)
{
    sn_collision c;
    sn_convex_room room_a, room_b;
    sn_moved_room moved;
    sn_frame_pair f = sn_frame_pair_from(pa, pb);
    m->count = 0;
    c.rounding[0] = (double)a->radius;
    c.rounding[1] = (double)b->radius;
    c.reach = (double)reach + c.rounding[0] + c.rounding[1];
    double outer = (double)sn_convex_outer(a) + (double)sn_convex_outer(b), far = outer + (double)reach;
    double square = dvec3_dot(f.place, f.place);
    if (!(square <= far * far &&
          isfinite(square))) { /* also true for a pose that is not finite: then no axis would be the best */
        m->apart = (sn_real)(sqrt(square) - outer);
        return false;
    }

    c.size = fmin((double)sn_convex_inner(a), (double)sn_convex_inner(b));
    c.centre[0] = f.place;
    c.centre[1] = dvec3(0, 0, 0);
    c.front = NULL;
    c.apart = c.reach;
    c.count = 0;
    bool boxes = a->type == SN_SHAPE_BOX && b->type == SN_SHAPE_BOX;
    const sn_quick_answer answer = boxes ? sn_boxes_touch(&c, &f, a, b, reach, m) : SN_QUICK_UNKNOWN;
    if (answer == SN_QUICK_APART)
        return lies_apart(&c, m);
    if (answer == SN_QUICK_TOUCH)
        return true;

    sn_hull core_a = sn_convex_core(a, &room_a);
    c.b = sn_convex_core(b, &room_b);
    c.a = sn_hull_moved(&core_a, f.axis, f.place, &moved);
    bool point = c.a.vertices == 1 || c.b.vertices == 1, segments = c.a.vertices == 2 && c.b.vertices == 2;
    if (!(point      ? collide_point(&c)
          : segments ? sn_collide_segments(&c)
          : boxes    ? collide_nearest(&c, sn_axes_choose(&c, 0, 0))
                     : sn_axes_of_hulls(&c) && sn_collide(&c)))
        return lies_apart(&c, m);
    sn_points_around(&c);
    return finish(&c, &f, reach, m);
}

/* ---- Solids of revolution ----------------------------------------------------------------------------------------
   Their polyhedral cores are inside the solid, and exact in the direction that they face. The right direction follows
   from the normal if the other solid touches with a face, and from the position if it touches with a corner or an edge.
   Both are tried. The solid is larger than any core, so the core that comes nearer, or overlaps deeper, is better. */

void sn_facing_by_normal(sn_facing *f, sn_vec3 normal)
{
    sn_convex_face(&f->a, &f->pa, vec3_scale(normal, -1));
    sn_convex_face(&f->b, &f->pb, normal);
}

void sn_facing_by_place(sn_facing *f, sn_vec3 on_a, sn_vec3 on_b)
{
    sn_convex_face(&f->a, &f->pa, vec3_sub(on_b, f->pa.position));
    sn_convex_face(&f->b, &f->pb, vec3_sub(on_a, f->pb.position));
}

static const sn_manifold_point *nearest_point(const sn_manifold *m)
{
    const sn_manifold_point *best = &m->point[0];
    for (uint32_t i = 1; i < m->count; ++i)
        best = m->point[i].distance < best->distance ? &m->point[i] : best;
    return best;
}

static bool touch_facing(const sn_convex *a, const sn_pose *pa, const sn_convex *b, const sn_pose *pb, sn_real reach,
                         sn_manifold *m)
{
    sn_facing f = {*a, *b, *pa, *pb};
    const sn_real sag = sn_convex_sag(a) + sn_convex_sag(b);
    sn_facing_by_place(&f, pa->position, pb->position);
    if (!touch_once(&f.a, pa, &f.b, pb, reach + sag, m)) {
        m->apart -= sag;
        return false;
    }
    for (uint32_t round = 0; round < SN_FACING_ROUNDS; ++round) {
        const sn_manifold_point p = *nearest_point(m);
        const sn_vec3 normal = m->normal, on_a = sn_pose_to_world(pa, p.a), on_b = sn_pose_to_world(pb, p.b);
        bool better = false;
        for (uint32_t displacement = 0; displacement < 2; ++displacement) {
            sn_manifold other;
            if (displacement)
                sn_facing_by_place(&f, on_a, on_b);
            else
                sn_facing_by_normal(&f, normal);
            if (!touch_once(&f.a, pa, &f.b, pb, reach + sag, &other) ||
                nearest_point(&other)->distance > nearest_point(m)->distance + (sn_real)SN_FACING_TIE * sag)
                continue;
            better =
                better || nearest_point(&other)->distance < nearest_point(m)->distance - (sn_real)SN_FACING_TIE * sag;
            *m = other;
        }
        if (!better)
            break;
    }
    uint32_t left = 0;
    const sn_real nearest = nearest_point(m)->distance;
    for (uint32_t i = 0; i < m->count; ++i)
        if (m->point[i].distance <= reach)
            m->point[left++] = m->point[i];
    m->count = left;
    m->apart = left ? reach : nearest > sag ? nearest - sag : 0;
    return left > 0;
}

bool sn_manifold_convex(const sn_convex *a, const sn_pose *pa, const sn_convex *b, const sn_pose *pb, sn_real reach,
                        sn_manifold *m)
{
    if (sn_is_revolved(a->type) || sn_is_revolved(b->type))
        return touch_facing(a, pa, b, pb, reach, m);
    if (a->type <= SN_SHAPE_CAPSULE && b->type <= SN_SHAPE_CAPSULE) {
        const sn_quick_answer answer = sn_capsules_touch(a, pa, b, pb, reach, m);
        if (answer != SN_QUICK_UNKNOWN)
            return answer == SN_QUICK_TOUCH;
    }
    return touch_once(a, pa, b, pb, reach, m);
}
