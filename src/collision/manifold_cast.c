/* Sweeps of a solid along a straight line against another one, by conservative advancement. The distance of convex
   solids is a convex function of time. So the time at which its tangent reaches 0 is not after the first contact, and
   steps to there approach the contact without passing it. */
#include "collision/manifold_work.h"

/* Relative to the smaller solid's size: a smaller distance counts as contact. */
#define TOUCHING 1e-6

/* Cosine of the angle between the normals of a triangle and of a contact in its interior. */
#define ON_FACE (1 - 1e-6)

/* Cosine: the body moves into a triangle, not along it. */
#define HEAD_ON 0.1

/* Relative to the body's size: how far it may have entered a triangle before another triangle must be in contact. */
#define LATE 0.01

#define STEPS  64u
#define SLICES 64u /* the most slices of a path through a mesh */

#if SINEW_DOUBLE
#define REAL_EPSILON DBL_EPSILON
#else
#define REAL_EPSILON ((double)FLT_EPSILON)
#endif

/* A core and its displacement, in the frame. */
typedef struct flight {
    sn_hull a;
    sn_dvec3 way;    /* m */
    double rounding; /* m: sum of both */
    double touching; /* m: distance that counts as contact */
} flight;

typedef enum meeting { MEETS_NOT, MEETS, OVERLAPS } meeting;

/* OVERLAPS: the cores overlap at the start. end: later times do not count. */
static meeting meet(const flight *f, const sn_hull *b, double end, double *t, sn_dvec3 *normal, sn_dvec3 *spot)
{
    double now = 0;
    for (uint32_t step = 0; step < STEPS; ++step) {
        sn_between between;
        sn_distance_between(&f->a, dvec3_scale(f->way, now), b, &between);
        if (between.distance > 0) {
            *normal = between.normal;
            *spot = between.on_b;
        } else if (step == 0) {
            return OVERLAPS;
        }
        double gap = between.distance - f->rounding, rate = -dvec3_dot(*normal, f->way);
        if (!(rate > 0))
            return MEETS_NOT;
        *t = now;
        if (gap <= f->touching)
            return MEETS;
        now += (gap - f->touching / 2) / rate;
        if (!(now <= end))
            return MEETS_NOT;
    }
    return MEETS; /* so slow that it has almost arrived */
}

/* Rounds down, so that the time is not after the contact. */
static sn_real round_down(double t)
{
    sn_real r = (sn_real)t;
    return (double)r > t ? (sn_real)(t * (1 - REAL_EPSILON)) : r;
}

static sn_vec3 to_world(const sn_frame_pair *f, sn_dvec3 normal)
{
    return dvec3_round(dvec3_by_axes(f->world, normal));
}

/* A point of b, given along its own axes, in the world. */
static sn_vec3 place_in_world(const sn_frame_pair *f, const sn_pose *pb, sn_dvec3 place)
{
    return dvec3_round(dvec3_add(dvec3_from(pb->position), dvec3_by_axes(f->world, place)));
}

/* An overlap at the start counts as a contact if a moves inwards. */
static bool touch_at_start(const sn_manifold *m, uint32_t count, const sn_pose *pb, sn_vec3 way, sn_real *t,
                           sn_touch *touch)
{
    for (uint32_t i = 0; i < count; ++i)
        if (vec3_dot_double(m[i].normal, way) < 0) {
            *t = 0;
            *touch = (sn_touch){0, sn_pose_to_world(pb, m[i].point[0].b), m[i].normal, 0};
            return true;
        }
    return false;
}

static flight flight_of(const sn_convex *a, const sn_frame_pair *f, sn_vec3 way, double size, double rounding,
                        sn_convex_room *room, sn_moved_room *moved)
{
    sn_hull core = sn_convex_core(a, room);
    return (flight){sn_hull_moved(&core, f->axis, f->place, moved), dvec3_on_axes(f->world, dvec3_from(way)),
                    (double)a->radius + rounding, TOUCHING * size};
}

static bool sweep_once(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_convex *b, const sn_pose *pb,
                       sn_real *t, sn_touch *touch)
{
    sn_convex_room room_a, room_b;
    sn_moved_room moved;
    sn_frame_pair f = sn_frame_pair_from(pa, pb);
    double size = fmin((double)sn_convex_inner(a), (double)sn_convex_inner(b)), when;
    flight fly = flight_of(a, &f, way, size, (double)b->radius, &room_a, &moved);
    sn_hull core = sn_convex_core(b, &room_b);
    sn_dvec3 n = {0, 1, 0}, spot;
    meeting met = meet(&fly, &core, 1, &when, &n, &spot);
    if (met == OVERLAPS) {
        sn_manifold m;
        return sn_manifold_convex(a, pa, b, pb, 0, &m) && touch_at_start(&m, 1, pb, way, t, touch);
    }
    if (met == MEETS_NOT)
        return false;
    *t = round_down(when);
    sn_dvec3 place = dvec3_add(spot, dvec3_scale(n, (double)b->radius));
    *touch = (sn_touch){0, place_in_world(&f, pb, place), to_world(&f, n), 0};
    return true;
}

/* Solids of revolution: their cores first face the direction of motion, enlarged by the sag, and then the contact that
   is found. */
bool sn_convex_sweep(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_convex *b, const sn_pose *pb,
                     sn_real *t, sn_touch *touch)
{
    if (!sn_is_revolved(a->type) && !sn_is_revolved(b->type))
        return sweep_once(a, pa, way, b, pb, t, touch);
    sn_facing f = {*a, *b, *pa, *pb};
    sn_facing_by_normal(&f, vec3_scale(way, -1));
    f.a.radius += sn_convex_sag(a);
    f.b.radius += sn_convex_sag(b);
    if (!sweep_once(&f.a, pa, way, &f.b, pb, t, touch))
        return false;
    f.a.radius = a->radius;
    f.b.radius = b->radius;
    bool met = false;
    sn_touch last = *touch;
    sn_real when = *t;
    for (uint32_t round = 0; round < 2 * SN_FACING_ROUNDS; ++round) {
        sn_touch now;
        sn_real at;
        if (round % 2) {
            f.pa.position = vec3_add(pa->position, vec3_scale(way, when));
            sn_facing_by_place(&f, last.point, last.point);
        } else {
            sn_facing_by_normal(&f, last.normal);
        }
        if (!sweep_once(&f.a, pa, way, &f.b, pb, &at, &now))
            continue;
        last = now;
        when = at;
        if (!met || at < *t) {
            *t = at;
            *touch = now;
        }
        met = true;
    }
    return met;
}

bool sn_manifold_cast(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_convex *b, const sn_pose *pb,
                      sn_real *t, sn_vec3 *normal)
{
    sn_touch touch;
    if (!sn_convex_sweep(a, pa, way, b, pb, t, &touch))
        return false;
    *normal = touch.normal;
    return true;
}

static bool sweep_triangle_once(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_vec3 corner[3], sn_real *t,
                                sn_touch *touch)
{
    sn_convex_room room;
    sn_moved_room moved;
    sn_hull_triangle_room triangle;
    const sn_pose pb = {corner[0], {0, 0, 0, 1}};
    sn_frame_pair f = sn_frame_pair_from(pa, &pb);
    flight fly = flight_of(a, &f, way, (double)sn_convex_inner(a), 0, &room, &moved);
    sn_hull core = sn_triangle_core(corner, &triangle);
    sn_dvec3 n = {0, 1, 0}, spot;
    double when;
    if (meet(&fly, &core, 1, &when, &n, &spot) != MEETS)
        return false;
    *t = round_down(when);
    *touch = (sn_touch){0, place_in_world(&f, &pb, spot), to_world(&f, n), 0};
    return true;
}

/* The same for a single solid of revolution. meet: the sweep against the other shape. */
#define SWEEP_FACING(meet)                                                                                             \
    sn_convex faced = *a;                                                                                              \
    sn_convex_face(&faced, pa, way);                                                                                   \
    faced.radius += sn_convex_sag(a);                                                                                  \
    bool met = (meet);                                                                                                 \
    faced.radius = a->radius;                                                                                          \
    if (!met || !sn_is_revolved(a->type))                                                                              \
        return met;                                                                                                    \
    const sn_vec3 there = vec3_sub(touch->point, vec3_add(pa->position, vec3_scale(way, *t)));                         \
    sn_convex_face(&faced, pa, vec3_scale(touch->normal, -1));                                                         \
    if (meet)                                                                                                          \
        return true;                                                                                                   \
    sn_convex_face(&faced, pa, there);                                                                                 \
    return (meet)

bool sn_convex_sweep_triangle(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_vec3 corner[3], sn_real *t,
                              sn_touch *touch)
{
    SWEEP_FACING(sweep_triangle_once(&faced, pa, way, corner, t, touch));
}

/* ---- Meshes ------------------------------------------------------------------------------------------------------ */

typedef struct mesh_flight {
    const sn_shape *shape;
    sn_dvec3 origin; /* m: of the frame, relative to the mesh: the centre of a at the start */
    const flight *fly;
    double outer; /* m: outer radius of a, with all roundings */
    double slack; /* m */
    double t;     /* of the first contact so far; above 1: none */
    sn_dvec3 normal, spot;
    uint32_t triangle;
    double spare; /* of the first contact whose normal the mesh does not allow, although the body moves into the
                     triangle */
    sn_dvec3 spare_normal, spare_spot;
    uint32_t spare_triangle;
    bool from_behind;
    bool overlaps; /* with some triangle, at the start */
} mesh_flight;

/* True if a sphere around a reaches the plane of the triangle. */
static bool reaches_plane(const mesh_flight *w, const sn_hull_face *face)
{
    double start = -face->offset, end = start + dvec3_dot(face->normal, w->fly->way);
    return !(start > w->outer && end > w->outer) && !(start < -w->outer && end < -w->outer);
}

static bool meet_triangle(void *data, uint32_t number)
{
    mesh_flight *w = data;
    sn_mesh_triangle triangle;
    sn_dvec3 n, spot;
    double t;
    if (!sn_mesh_triangle_from(w->shape, number, w->origin, dvec3(0, 0, 0), w->from_behind, &triangle) ||
        !reaches_plane(w, &triangle.room.face[0]))
        return true;
    bool one_sided = w->shape->data->closed || w->shape->sides == SN_SIDES_FRONT;
    if (one_sided && dvec3_dot(triangle.room.face[0].normal, w->fly->way) > 0)
        return true;
    meeting met = meet(w->fly, &triangle.hull, w->t < 1 ? w->t : 1, &t, &n, &spot);
    w->overlaps |= met == OVERLAPS;
    if (met != MEETS || !(t < w->t))
        return true;
    sn_dvec3 front = triangle.room.face[0].normal;
    if (dvec3_dot(n, front) < ON_FACE &&
        !sn_mesh_allows(w->shape, w->origin, &triangle, spot, n, w->slack)) { /* a neighbouring triangle is touched
                                                                                 there */
        if (t < w->spare && dvec3_dot(front, w->fly->way) < -HEAD_ON * dvec3_length(w->fly->way)) {
            w->spare = t;
            w->spare_normal = front;
            w->spare_spot = spot;
            w->spare_triangle = number;
        }
        return true;
    }
    w->t = t;
    w->normal = n;
    w->spot = spot;
    w->triangle = number;
    return true;
}

/* A contact left to neighbours counts if none of them was touched before the body had entered. */
static void use_spare(mesh_flight *w, double inner)
{
    if (w->spare <= 1 && (w->t - w->spare) * dvec3_length(w->fly->way) > LATE * inner) {
        w->t = w->spare;
        w->normal = w->spare_normal;
        w->spot = w->spare_spot;
        w->triangle = w->spare_triangle;
    }
}

/* Goes slice by slice along the path, so that the search boxes for triangles are small. */
static void meet_mesh(mesh_flight *w)
{
    double length = dvec3_length(w->fly->way);
    double wanted = w->outer > 0 ? length / (2 * w->outer) : SLICES;
    uint32_t slices = wanted < SLICES ? (uint32_t)wanted + 1 : SLICES;
    sn_dvec3 low = w->fly->a.vertex[0], high = low;
    for (uint32_t i = 1; i < w->fly->a.vertices; ++i) {
        sn_dvec3 v = w->fly->a.vertex[i];
        low = dvec3(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = dvec3(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    for (uint32_t i = 0; i < slices && w->t > (double)i / slices; ++i) {
        sn_dvec3 from = dvec3_add(w->origin, dvec3_scale(w->fly->way, (double)i / slices));
        sn_dvec3 way = dvec3_scale(w->fly->way, 1.0 / slices);
        sn_dvec3 least = dvec3(fmin(way.x, 0), fmin(way.y, 0), fmin(way.z, 0));
        sn_dvec3 most = dvec3(fmax(way.x, 0), fmax(way.y, 0), fmax(way.z, 0));
        sn_bounds box = sn_bounds_around(dvec3_add(from, dvec3_add(low, least)), dvec3_add(from, dvec3_add(high, most)),
                                         w->fly->rounding + w->fly->touching);
        sn_trimesh_overlap(w->shape->data->mesh, &box, meet_triangle, w);
    }
}

static bool cast_mesh(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_shape *b, const sn_pose *pb,
                      sn_real *t, sn_touch *touch)
{
    sn_convex_room room;
    sn_moved_room moved;
    sn_frame_pair f = sn_frame_pair_from(pa, pb);
    sn_dvec3 origin = f.place;
    f.place = dvec3(0, 0, 0);
    double inner = (double)sn_convex_inner(a);
    flight fly = flight_of(a, &f, way, inner, (double)b->thickness, &room, &moved);
    mesh_flight w = {.shape = b, .origin = origin, .fly = &fly, .t = 2, .spare = 2};
    w.outer = (double)sn_convex_outer(a) + (double)b->thickness + fly.touching;
    w.slack = SN_MANIFOLD_BESIDE * inner;
    w.from_behind = sn_mesh_from_behind(b, origin, (double)INFINITY);
    meet_mesh(&w);
    use_spare(&w, inner);
    sn_manifold m[SN_MANIFOLD_MOST];
    if (w.overlaps && touch_at_start(m, sn_manifold_shape(a, pa, b, pb, 0, m, SN_MANIFOLD_MOST), pb, way, t, touch))
        return true;
    if (w.t > 1)
        return false;
    *t = round_down(w.t);
    sn_dvec3 place = dvec3_add(dvec3_add(w.spot, origin), dvec3_scale(w.normal, (double)b->thickness));
    *touch = (sn_touch){0, place_in_world(&f, pb, place), to_world(&f, w.normal), w.triangle};
    return true;
}

/* ---- Fields and planes ------------------------------------------------------------------------------------------- */

static bool cast_field(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_shape *b, const sn_pose *pb,
                       sn_real *t, sn_touch *touch)
{
    sn_convex_room room;
    sn_moved_room moved;
    sn_frame_pair f = sn_frame_pair_from(pa, pb);
    flight fly = flight_of(a, &f, way, (double)sn_convex_inner(a), (double)b->thickness, &room, &moved);
    uint32_t samples = fly.a.vertices + fly.a.edges + fly.a.faces, feature;
    bool found = false;
    for (uint32_t i = 0; i < samples; ++i) {
        sn_path path = {dvec3_round(sn_core_sample(&fly.a, i, &feature)), dvec3_round(fly.way), (sn_real)fly.rounding};
        sn_real when;
        sn_touch own;
        if (!sn_distance_field_cast(&b->data->field, &path, &when, &own) || (found && when >= *t))
            continue;
        found = true;
        *t = when;
        sn_dvec3 n = dvec3_from(own.normal);
        sn_dvec3 place = dvec3_add(dvec3_from(own.point), dvec3_scale(n, (double)b->thickness));
        *touch = (sn_touch){0, place_in_world(&f, pb, place), to_world(&f, n), 0};
    }
    return found;
}

static bool cast_plane(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_shape *b, const sn_pose *pb,
                       sn_real *t, sn_touch *touch)
{
    sn_convex_room room;
    sn_moved_room moved;
    sn_frame_pair f = sn_frame_pair_from(pa, pb);
    flight fly = flight_of(a, &f, way, 0, (double)b->thickness, &room, &moved);
    sn_dvec3 down = {0, -1, 0}, lowest = fly.a.vertex[sn_hull_support(&fly.a, down)];
    double gap = lowest.y - fly.rounding, rate = -fly.way.y;
    if (!(rate > 0) || gap > rate)
        return false;
    *t = gap > 0 ? round_down(gap / rate) : 0;
    sn_dvec3 place = dvec3_add(lowest, dvec3_scale(fly.way, (double)*t));
    place.y = (double)b->thickness;
    *touch = (sn_touch){0, place_in_world(&f, pb, place), to_world(&f, dvec3(0, 1, 0)), 0};
    return true;
}

static bool sweep_shape_once(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_shape *b, const sn_pose *pb,
                             sn_real *t, sn_touch *touch)
{
    if (b->type == SN_SHAPE_MESH)
        return cast_mesh(a, pa, way, b, pb, t, touch);
    if (b->type == SN_SHAPE_FIELD)
        return cast_field(a, pa, way, b, pb, t, touch);
    return cast_plane(a, pa, way, b, pb, t, touch);
}

bool sn_convex_sweep_shape(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_shape *b, const sn_pose *pb,
                           sn_real *t, sn_touch *touch)
{
    if (sn_shape_is_convex(b->type)) {
        sn_convex solid = sn_shape_solid(b);
        return sn_convex_sweep(a, pa, way, &solid, pb, t, touch);
    }
    SWEEP_FACING(sweep_shape_once(&faced, pa, way, b, pb, t, touch));
}

bool sn_manifold_cast_shape(const sn_convex *a, const sn_pose *pa, sn_vec3 way, const sn_shape *b, const sn_pose *pb,
                            sn_real *t, sn_vec3 *normal)
{
    sn_touch touch;
    if (!sn_convex_sweep_shape(a, pa, way, b, pb, t, &touch))
        return false;
    *normal = touch.normal;
    return true;
}
