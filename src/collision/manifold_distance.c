/* The distance of two convex polyhedra by Gilbert, Johnson and Keerthi (1988). The set of all differences between
   points of a and points of b is convex, and the distance is that of this set from the origin. It is found with
   simplices of corners that come nearer and nearer. */
#include "collision/manifold_work.h"

#include <string.h>

/* Relative to the size of both: a smaller distance counts as contact. */
#define TOUCHING 1e-12

/* Relative to the squared distance: the search ends when the distance cannot fall by more than this. */
#define ENOUGH 1e-14

/* Relative to the product of three edges: a tetrahedron of less volume counts as flat. */
#define FLAT 1e-12

#define STEPS 128u /* polyhedra need at most as many as they have corners; nearly always fewer than 20 */

typedef struct difference {
    sn_dvec3 w; /* m: a - b */
    uint32_t a, b;
} difference;

typedef struct simplex {
    uint32_t count;
    difference corner[4];
    double weight[4];
} simplex;

static sn_dvec3 weighted(const simplex *s)
{
    sn_dvec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < s->count; ++i)
        sum = dvec3_add(sum, dvec3_scale(s->corner[i].w, s->weight[i]));
    return sum;
}

static void keep(simplex *s, const simplex *from, const uint32_t *which, const double *weight, uint32_t count)
{
    s->count = 0;
    for (uint32_t i = 0; i < count; ++i)
        if (weight[i] > 0) {
            s->corner[s->count] = from->corner[which[i]];
            s->weight[s->count++] = weight[i];
        }
}

/* The part of a segment nearest to the origin. */
static void nearest_of_two(const simplex *from, uint32_t i, uint32_t j, simplex *out)
{
    sn_dvec3 a = from->corner[i].w, ab = dvec3_sub(from->corner[j].w, a);
    double square = dvec3_dot(ab, ab), t = square > 0 ? -dvec3_dot(a, ab) / square : 0;
    t = t > 0 ? t < 1 ? t : 1 : 0;
    const uint32_t which[2] = {i, j};
    const double weight[2] = {1 - t, t};
    keep(out, from, which, weight, 2);
}

static void nearer(simplex *best, double *least, const simplex *trial)
{
    sn_dvec3 p = weighted(trial);
    double square = dvec3_dot(p, p);
    if (square < *least) {
        *least = square;
        *best = *trial;
    }
}

/* The part of a triangle nearest to the origin: its interior, if the origin projects into it; otherwise one of the
   edges. */
static void nearest_of_three(const simplex *from, const uint32_t which[3], simplex *out)
{
    sn_dvec3 a = from->corner[which[0]].w, b = from->corner[which[1]].w, c = from->corner[which[2]].w;
    sn_dvec3 ab = dvec3_sub(b, a), ac = dvec3_sub(c, a), n = dvec3_cross(ab, ac);
    double nn = dvec3_dot(n, n), v = dvec3_dot(dvec3_cross(ac, a), n), w = dvec3_dot(dvec3_cross(a, ab), n);
    double u = nn - v - w, least = (double)INFINITY;
    if (u > 0 && v > 0 && w > 0) {
        const double weight[3] = {u / nn, v / nn, w / nn};
        keep(out, from, which, weight, 3);
        return;
    }
    simplex trial;
    for (uint32_t k = 0; k < 3; ++k) {
        nearest_of_two(from, which[k], which[(k + 1) % 3], &trial);
        nearer(out, &least, &trial);
    }
}

/* True if four corners are in a plane up to rounding. */
static bool is_flat(const simplex *s)
{
    sn_dvec3 a = s->corner[0].w, ab = dvec3_sub(s->corner[1].w, a), ac = dvec3_sub(s->corner[2].w, a);
    sn_dvec3 ad = dvec3_sub(s->corner[3].w, a);
    double lengths = dvec3_length(ab) * dvec3_length(ac) * dvec3_length(ad);
    return !(fabs(dvec3_dot(dvec3_cross(ab, ac), ad)) > FLAT * lengths);
}

/* The part of a tetrahedron nearest to the origin. False if the origin is inside. A flat tetrahedron has no inside. */
static bool nearest_of_four(const simplex *from, simplex *out)
{
    static const uint32_t side[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    double least = (double)INFINITY;
    bool flat = is_flat(from);
    simplex trial;
    for (uint32_t k = 0; k < 4; ++k) {
        sn_dvec3 a = from->corner[side[k][0]].w, ab = dvec3_sub(from->corner[side[k][1]].w, a);
        sn_dvec3 ac = dvec3_sub(from->corner[side[k][2]].w, a), n = dvec3_cross(ab, ac);
        double origin = -dvec3_dot(n, a), fourth = dvec3_dot(n, dvec3_sub(from->corner[side[k][3]].w, a));
        if (!flat && origin * fourth > 0) /* the origin is on the inner side of this face */
            continue;
        nearest_of_three(from, side[k], &trial);
        nearer(out, &least, &trial);
    }
    return least < (double)INFINITY;
}

/* Reduces the simplex to its part nearest to the origin. False if the origin is inside. */
static bool reduce(simplex *s)
{
    static const uint32_t all[3] = {0, 1, 2};
    simplex from = *s;
    if (s->count == 1)
        s->weight[0] = 1;
    else if (s->count == 2)
        nearest_of_two(&from, 0, 1, s);
    else if (s->count == 3)
        nearest_of_three(&from, all, s);
    else
        return nearest_of_four(&from, s);
    return true;
}

static difference support(const sn_hull *a, sn_dvec3 shift, const sn_hull *b, sn_dvec3 towards)
{
    difference d;
    d.a = sn_hull_support(a, towards);
    d.b = sn_hull_support(b, dvec3_scale(towards, -1));
    d.w = dvec3_sub(dvec3_add(a->vertex[d.a], shift), b->vertex[d.b]);
    return d;
}

static bool has(const simplex *s, const difference *d)
{
    for (uint32_t i = 0; i < s->count; ++i)
        if (s->corner[i].a == d->a && s->corner[i].b == d->b)
            return true;
    return false;
}

static void write(const sn_hull *a, sn_dvec3 shift, const sn_hull *b, const simplex *s, sn_dvec3 v, sn_between *between)
{
    between->distance = dvec3_length(v);
    between->normal = dvec3_scale(v, 1 / between->distance);
    between->on_a = shift;
    between->on_b = dvec3(0, 0, 0);
    for (uint32_t i = 0; i < s->count; ++i) {
        between->on_a = dvec3_add(between->on_a, dvec3_scale(a->vertex[s->corner[i].a], s->weight[i]));
        between->on_b = dvec3_add(between->on_b, dvec3_scale(b->vertex[s->corner[i].b], s->weight[i]));
    }
}

void sn_distance_between(const sn_hull *a, sn_dvec3 shift, const sn_hull *b, sn_between *between)
{
    simplex s = {.count = 1}, last;
    sn_dvec3 v = dvec3_sub(dvec3_add(a->vertex[0], shift), b->vertex[0]);
    s.corner[0] = (difference){v, 0, 0};
    s.weight[0] = 1;
    double touching = TOUCHING * (dvec3_length(v) + a->outer + b->outer), square = dvec3_dot(v, v);
    for (uint32_t step = 0; step < STEPS && square > touching * touching; ++step) {
        difference next = support(a, shift, b, dvec3_scale(v, -1));
        if (has(&s, &next) || square - dvec3_dot(v, next.w) <= ENOUGH * square)
            break;
        last = s;
        s.corner[s.count++] = next;
        if (!reduce(&s)) {
            square = 0;
            break;
        }
        sn_dvec3 now = weighted(&s);
        if (!(dvec3_dot(now, now) < square)) { /* no further progress, because of rounding */
            s = last;
            break;
        }
        v = now;
        square = dvec3_dot(v, v);
    }
    between->distance = 0;
    if (square > touching * touching)
        write(a, shift, b, &s, v, between);
}

/* ---- Solids of revolution ---------------------------------------------------------------------------------------- */

/* Sine: a direction that is nearer to the axis counts as along it, because the rest of it is rounding. */
#define ALONG_AXIS 1e-9

/* The most times that corners are added for one distance. Each makes the error much smaller. */
#define CORNERS_ADDED 32u

static sn_true_core true_core(const sn_convex *convex, sn_dvec3 axis, sn_dvec3 place, sn_hull hull, sn_dvec3 *vertex)
{
    return (sn_true_core){.hull = hull,
                          .vertex = sn_is_revolved(convex->type) ? vertex : NULL,
                          .corners = hull.vertices,
                          .cone = convex->type == SN_SHAPE_CONE,
                          .axis = axis,
                          .place = place,
                          .radius = (double)convex->half.x,
                          .half = (double)convex->half.y};
}

sn_true_core sn_true_core_at(const sn_convex *convex, const sn_dvec3 axis[3], sn_dvec3 place, sn_true_room *room)
{
    const sn_hull own = sn_convex_core(convex, &room->own), moved = sn_hull_moved(&own, axis, place, &room->moved);
    return true_core(convex, axis[1], place, moved, room->moved.vertex);
}

sn_true_core sn_true_core_own(const sn_convex *convex, sn_true_room *room)
{
    sn_hull own = sn_convex_core(convex, &room->own);
    if (sn_is_revolved(convex->type)) {
        memcpy(room->moved.vertex, own.vertex, own.vertices * sizeof *own.vertex);
        own.vertex = room->moved.vertex;
    }
    return true_core(convex, dvec3(0, 1, 0), dvec3(0, 0, 0), own, room->moved.vertex);
}

/* The point of a solid of revolution that is farthest in a direction. */
static sn_dvec3 true_support(const sn_true_core *core, sn_dvec3 direction)
{
    const double along = dvec3_dot(core->axis, direction);
    const sn_dvec3 across = dvec3_sub(direction, dvec3_scale(core->axis, along));
    double length = dvec3_length(across);
    length = length > ALONG_AXIS ? length : 0;
    if (core->cone && 2 * core->half * along >= core->radius * length)
        return dvec3_add(core->place, dvec3_scale(core->axis, core->half));
    const sn_dvec3 middle = dvec3_scale(core->axis, core->cone || along < 0 ? -core->half : core->half);
    return dvec3_add(core->place,
                     dvec3_add(middle, length > 0 ? dvec3_scale(across, core->radius / length) : dvec3(0, 0, 0)));
}

bool sn_true_corner(sn_true_core *core, sn_dvec3 direction, double enough)
{
    if (!core->vertex)
        return false;
    const sn_dvec3 corner = true_support(core, direction);
    const sn_dvec3 best = core->hull.vertex[sn_hull_support(&core->hull, direction)];
    if (!(dvec3_dot(direction, dvec3_sub(corner, best)) > enough))
        return false;
    if (core->hull.vertices == SN_HULL_VERTICES)
        core->hull.vertices = core->corners;
    core->vertex[core->hull.vertices++] = corner;
    return true;
}

void sn_true_between(sn_true_core *a, sn_dvec3 shift, sn_true_core *b, double enough, sn_between *between)
{
    for (uint32_t round = 0; round < CORNERS_ADDED; ++round) {
        sn_distance_between(&a->hull, shift, &b->hull, between);
        if (!(between->distance > 0))
            return;
        const bool more = sn_true_corner(a, dvec3_scale(between->normal, -1), enough / 2);
        if (!sn_true_corner(b, between->normal, enough / 2) && !more)
            return;
    }
}
