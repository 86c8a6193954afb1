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

#define STEPS        64u
#define FIELD_ROUNDS 4u /* how often a solid of revolution gets another corner where a field is met */

#define SLICES 64u /* the most slices of a path through a mesh */

#if SINEW_DOUBLE
#define REAL_EPSILON DBL_EPSILON
#else
#define REAL_EPSILON ((double)FLT_EPSILON)
#endif

/* A core and its displacement, in the frame. */
typedef struct flight {
    sn_true_core a;
    sn_dvec3 displacement; /* m */
    double rounding;       /* m: sum of both */
    double touching;       /* m: distance that counts as contact */
} flight;

typedef enum outcome { MISSES, HITS, OVERLAPS } outcome;

/* OVERLAPS: the cores overlap at the start. end: later times do not count. */
static outcome hit(flight *f, sn_true_core *b, double end, double *t, sn_dvec3 *normal, sn_dvec3 *near_point)
{
    double now = 0;
    for (uint32_t step = 0; step < STEPS; ++step) {
        sn_between between;
        sn_true_between(&f->a, dvec3_scale(f->displacement, now), b, f->touching / 4, &between);
        if (between.distance > 0) {
            *normal = between.normal;
            *near_point = between.on_b;
        } else if (step == 0) {
            return OVERLAPS;
        }
        double gap = between.distance - f->rounding, rate = -dvec3_dot(*normal, f->displacement);
        if (!(rate > 0))
            return MISSES;
        *t = now;
        if (gap <= f->touching)
            return HITS;
        now += (gap - f->touching / 2) / rate;
        if (!(now <= end))
            return MISSES;
    }
    return HITS; /* so slow that it has almost arrived */
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
static bool touch_at_start(const sn_manifold *m, uint32_t count, const sn_pose *pb, sn_vec3 displacement, sn_real *t,
                           sn_touch *touch)
{
    for (uint32_t i = 0; i < count; ++i)
        if (vec3_dot_double(m[i].normal, displacement) < 0) {
            *t = 0;
            *touch = (sn_touch){0, sn_pose_to_world(pb, m[i].point[0].b), m[i].normal, 0};
            return true;
        }
    return false;
}

static flight flight_of(const sn_convex *a, const sn_frame_pair *f, sn_vec3 displacement, double size, double rounding,
                        sn_true_room *room)
{
    return (flight){sn_true_core_at(a, f->axis, f->place, room), dvec3_on_axes(f->world, dvec3_from(displacement)),
                    (double)a->radius + rounding, TOUCHING * size};
}

bool sn_convex_sweep(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_convex *b, const sn_pose *pb,
                     sn_real *t, sn_touch *touch)
{
    sn_true_room room_a, room_b;
    sn_frame_pair f = sn_frame_pair_from(pa, pb);
    double size = fmin((double)sn_convex_inner(a), (double)sn_convex_inner(b)), when;
    flight fly = flight_of(a, &f, displacement, size, (double)b->radius, &room_a);
    sn_true_core core = sn_true_core_own(b, &room_b);
    sn_dvec3 n = {0, 1, 0}, near_point;
    outcome touched = hit(&fly, &core, 1, &when, &n, &near_point);
    if (touched == OVERLAPS) {
        sn_manifold m;
        return sn_manifold_convex(a, pa, b, pb, 0, &m) && touch_at_start(&m, 1, pb, displacement, t, touch);
    }
    if (touched == MISSES)
        return false;
    *t = round_down(when);
    sn_dvec3 place = dvec3_add(near_point, dvec3_scale(n, (double)b->radius));
    *touch = (sn_touch){0, place_in_world(&f, pb, place), to_world(&f, n), 0};
    return true;
}

bool sn_manifold_cast(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_convex *b,
                      const sn_pose *pb, sn_real *t, sn_vec3 *normal)
{
    sn_touch touch;
    if (!sn_convex_sweep(a, pa, displacement, b, pb, t, &touch))
        return false;
    *normal = touch.normal;
    return true;
}

bool sn_convex_sweep_triangle(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_vec3 corner[3],
                              sn_real *t, sn_touch *touch)
{
    sn_true_room room;
    sn_hull_triangle_room triangle;
    const sn_pose pb = {corner[0], {0, 0, 0, 1}};
    sn_frame_pair f = sn_frame_pair_from(pa, &pb);
    flight fly = flight_of(a, &f, displacement, (double)sn_convex_inner(a), 0, &room);
    sn_true_core core = {.hull = sn_triangle_core(corner, &triangle)};
    sn_dvec3 n = {0, 1, 0}, near_point;
    double when;
    if (hit(&fly, &core, 1, &when, &n, &near_point) != HITS)
        return false;
    *t = round_down(when);
    *touch = (sn_touch){0, place_in_world(&f, &pb, near_point), to_world(&f, n), 0};
    return true;
}

/* ---- Meshes ------------------------------------------------------------------------------------------------------ */

typedef struct mesh_flight {
    const sn_shape *shape;
    sn_dvec3 origin; /* m: of the frame, relative to the mesh: the centre of a at the start */
    flight *fly;
    double outer; /* m: outer radius of a, with all roundings */
    double slack; /* m */
    double t;     /* of the first contact so far; above 1: none */
    sn_dvec3 normal, near_point;
    uint32_t triangle;
    double spare; /* of the first contact whose normal the mesh does not allow, although the body moves into the
                     triangle */
    sn_dvec3 spare_normal, spare_point;
    uint32_t spare_triangle;
    bool from_behind;
    bool overlaps; /* with some triangle, at the start */
} mesh_flight;

/* True if a sphere around a reaches the plane of the triangle. */
static bool reaches_plane(const mesh_flight *w, const sn_hull_face *face)
{
    double start = -face->offset, end = start + dvec3_dot(face->normal, w->fly->displacement);
    return !(start > w->outer && end > w->outer) && !(start < -w->outer && end < -w->outer);
}

static bool hit_triangle(void *data, uint32_t number)
{
    mesh_flight *w = data;
    sn_mesh_triangle triangle;
    sn_dvec3 n, near_point;
    double t;
    if (!sn_mesh_triangle_from(w->shape, number, w->origin, dvec3(0, 0, 0), w->from_behind, &triangle) ||
        !reaches_plane(w, &triangle.room.face[0]))
        return true;
    bool one_sided = w->shape->data->closed || w->shape->sides == SN_SIDES_FRONT;
    if (one_sided && dvec3_dot(triangle.room.face[0].normal, w->fly->displacement) > 0)
        return true;
    sn_true_core core = {.hull = triangle.hull};
    outcome touched = hit(w->fly, &core, w->t < 1 ? w->t : 1, &t, &n, &near_point);
    w->overlaps |= touched == OVERLAPS;
    if (touched != HITS || !(t < w->t))
        return true;
    sn_dvec3 front = triangle.room.face[0].normal;
    if (dvec3_dot(n, front) < ON_FACE && !sn_mesh_allows(w->shape, w->origin, &triangle, near_point, n,
                                                         w->slack)) { /* a neighbouring triangle is touched
                                                                                 there */
        if (t < w->spare && dvec3_dot(front, w->fly->displacement) < -HEAD_ON * dvec3_length(w->fly->displacement)) {
            w->spare = t;
            w->spare_normal = front;
            w->spare_point = near_point;
            w->spare_triangle = number;
        }
        return true;
    }
    w->t = t;
    w->normal = n;
    w->near_point = near_point;
    w->triangle = number;
    return true;
}

/* A contact left to neighbours counts if none of them was touched before the body had entered. */
static void use_spare(mesh_flight *w, double inner)
{
    if (w->spare <= 1 && (w->t - w->spare) * dvec3_length(w->fly->displacement) > LATE * inner) {
        w->t = w->spare;
        w->normal = w->spare_normal;
        w->near_point = w->spare_point;
        w->triangle = w->spare_triangle;
    }
}

/* Goes slice by slice along the path, so that the search boxes for triangles are small. */
static void hit_mesh(mesh_flight *w, double sag)
{
    double length = dvec3_length(w->fly->displacement);
    double wanted = w->outer > 0 ? length / (2 * w->outer) : SLICES;
    uint32_t slices = wanted < SLICES ? (uint32_t)wanted + 1 : SLICES;
    const sn_hull *a = &w->fly->a.hull;
    sn_dvec3 low = a->vertex[0], high = low;
    for (uint32_t i = 1; i < a->vertices; ++i) {
        sn_dvec3 v = a->vertex[i];
        low = dvec3(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = dvec3(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    for (uint32_t i = 0; i < slices && w->t > (double)i / slices; ++i) {
        sn_dvec3 from = dvec3_add(w->origin, dvec3_scale(w->fly->displacement, (double)i / slices));
        sn_dvec3 displacement = dvec3_scale(w->fly->displacement, 1.0 / slices);
        sn_dvec3 least = dvec3(fmin(displacement.x, 0), fmin(displacement.y, 0), fmin(displacement.z, 0));
        sn_dvec3 most = dvec3(fmax(displacement.x, 0), fmax(displacement.y, 0), fmax(displacement.z, 0));
        sn_bounds box = sn_bounds_around(dvec3_add(from, dvec3_add(low, least)), dvec3_add(from, dvec3_add(high, most)),
                                         w->fly->rounding + w->fly->touching + sag);
        sn_trimesh_overlap(w->shape->data->mesh, &box, hit_triangle, w);
    }
}

static bool cast_mesh(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_shape *b, const sn_pose *pb,
                      sn_real *t, sn_touch *touch)
{
    sn_true_room room;
    sn_frame_pair f = sn_frame_pair_from(pa, pb);
    sn_dvec3 origin = f.place;
    f.place = dvec3(0, 0, 0);
    double inner = (double)sn_convex_inner(a);
    flight fly = flight_of(a, &f, displacement, inner, (double)b->thickness, &room);
    mesh_flight w = {.shape = b, .origin = origin, .fly = &fly, .t = 2, .spare = 2};
    w.outer = (double)sn_convex_outer(a) + (double)b->thickness + fly.touching;
    w.slack = SN_MANIFOLD_BESIDE * inner;
    w.from_behind = sn_mesh_from_behind(b, origin, (double)INFINITY);
    hit_mesh(&w, (double)sn_convex_sag(a));
    use_spare(&w, inner);
    sn_manifold m[SN_MANIFOLD_MOST];
    if (w.overlaps &&
        touch_at_start(m, sn_manifold_shape(a, pa, b, pb, 0, m, SN_MANIFOLD_MOST), pb, displacement, t, touch))
        return true;
    if (w.t > 1)
        return false;
    *t = round_down(w.t);
    sn_dvec3 place = dvec3_add(dvec3_add(w.near_point, origin), dvec3_scale(w.normal, (double)b->thickness));
    *touch = (sn_touch){0, place_in_world(&f, pb, place), to_world(&f, w.normal), w.triangle};
    return true;
}

/* ---- Fields and planes ------------------------------------------------------------------------------------------- */

/* The first sample of the core that touches a field. grown: as if it were larger by that, m. */
static bool cast_samples(const flight *fly, double grown, const sn_shape *b, const sn_pose *pb, const sn_frame_pair *f,
                         sn_real *t, sn_touch *touch)
{
    const sn_hull *core = &fly->a.hull;
    const uint32_t samples = core->vertices + core->edges + core->faces;
    bool found = false;
    for (uint32_t i = 0; i < samples; ++i) {
        uint32_t feature;
        sn_path path = {dvec3_round(sn_core_sample(core, i, &feature)), dvec3_round(fly->displacement),
                        (sn_real)(fly->rounding + grown)};
        sn_real when;
        sn_touch own;
        if (!sn_distance_field_cast(&b->data->field, &path, &when, &own) || (found && when >= *t))
            continue;
        found = true;
        *t = when;
        sn_dvec3 n = dvec3_from(own.normal);
        sn_dvec3 place = dvec3_add(dvec3_from(own.point), dvec3_scale(n, (double)b->thickness));
        *touch = (sn_touch){0, place_in_world(f, pb, place), to_world(f, n), 0};
    }
    return found;
}

static bool cast_field(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_shape *b,
                       const sn_pose *pb, sn_real *t, sn_touch *touch)
{
    sn_true_room room;
    sn_frame_pair f = sn_frame_pair_from(pa, pb);
    flight fly = flight_of(a, &f, displacement, (double)sn_convex_inner(a), (double)b->thickness, &room);
    if (!cast_samples(&fly, (double)sn_convex_sag(a), b, pb, &f, t, touch))
        return false;
    bool found = false;
    for (uint32_t round = 0; round < FIELD_ROUNDS; ++round) {
        const sn_dvec3 inwards = dvec3_on_axes(f.world, dvec3_scale(dvec3_from(touch->normal), -1));
        const bool farther = sn_true_corner(&fly.a, inwards, fly.touching);
        if (found && !farther)
            break;
        found |= cast_samples(&fly, 0, b, pb, &f, t, touch);
    }
    return found;
}

static bool cast_plane(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_shape *b,
                       const sn_pose *pb, sn_real *t, sn_touch *touch)
{
    sn_true_room room;
    sn_frame_pair f = sn_frame_pair_from(pa, pb);
    flight fly = flight_of(a, &f, displacement, 0, (double)b->thickness, &room);
    const sn_dvec3 down = {0, -1, 0};
    sn_true_corner(&fly.a, down, 0);
    const sn_dvec3 lowest = fly.a.hull.vertex[sn_hull_support(&fly.a.hull, down)];
    double gap = lowest.y - fly.rounding, rate = -fly.displacement.y;
    if (!(rate > 0) || gap > rate)
        return false;
    *t = gap > 0 ? round_down(gap / rate) : 0;
    sn_dvec3 place = dvec3_add(lowest, dvec3_scale(fly.displacement, (double)*t));
    place.y = (double)b->thickness;
    *touch = (sn_touch){0, place_in_world(&f, pb, place), to_world(&f, dvec3(0, 1, 0)), 0};
    return true;
}

bool sn_convex_sweep_shape(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_shape *b,
                           const sn_pose *pb, sn_real *t, sn_touch *touch)
{
    if (sn_shape_is_convex(b->type)) {
        sn_convex solid = sn_shape_solid(b);
        return sn_convex_sweep(a, pa, displacement, &solid, pb, t, touch);
    }
    if (b->type == SN_SHAPE_MESH)
        return cast_mesh(a, pa, displacement, b, pb, t, touch);
    if (b->type == SN_SHAPE_FIELD)
        return cast_field(a, pa, displacement, b, pb, t, touch);
    return cast_plane(a, pa, displacement, b, pb, t, touch);
}

bool sn_manifold_cast_shape(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_shape *b,
                            const sn_pose *pb, sn_real *t, sn_vec3 *normal)
{
    sn_touch touch;
    if (!sn_convex_sweep_shape(a, pa, displacement, b, pb, t, &touch))
        return false;
    *normal = touch.normal;
    return true;
}
