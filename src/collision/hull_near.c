#include "collision/hull.h"

#define NONE UINT32_MAX

/* ---- Polyhedra that are not allocated ---------------------------------------------------------------------------- */

const uint8_t sn_hull_box_loop[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};

/* Four edges along each axis. Bits of the index within the four are the signs of the other two coordinates, the lower
   axis in bit 0. */
static const sn_hull_edge box_edge[12] = {{{0, 1}, {2, 4}}, {{2, 3}, {4, 3}}, {{4, 5}, {5, 2}}, {{6, 7}, {3, 5}},
                                          {{0, 2}, {4, 0}}, {{1, 3}, {1, 4}}, {{4, 6}, {0, 5}}, {{5, 7}, {5, 1}},
                                          {{0, 4}, {0, 2}}, {{1, 5}, {2, 1}}, {{2, 6}, {3, 0}}, {{3, 7}, {1, 3}}};

sn_hull sn_hull_box(sn_dvec3 half, sn_hull_box_room *room)
{
    for (uint32_t i = 0; i < 8; ++i)
        room->vertex[i] = dvec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    const double size[3] = {half.x, half.y, half.z};
    for (uint32_t i = 0; i < 6; ++i) {
        double side = i & 1 ? 1 : -1;
        uint32_t axis = i / 2;
        room->face[i] = (sn_hull_face){{axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0},
                                       size[axis],
                                       4 * size[(axis + 1) % 3] * size[(axis + 2) % 3],
                                       4 * i,
                                       4};
    }
    return (sn_hull){.vertices = 8,
                     .faces = 6,
                     .edges = 12,
                     .loops = 24,
                     .vertex = room->vertex,
                     .face = room->face,
                     .edge = box_edge,
                     .loop = sn_hull_box_loop,
                     .inner = fmin(fmin(half.x, half.y), half.z),
                     .outer = dvec3_length(half)};
}

sn_hull sn_hull_triangle(sn_dvec3 a, sn_dvec3 b, sn_dvec3 c, sn_hull_triangle_room *room)
{
    static const uint8_t loop[6] = {0, 1, 2, 0, 2, 1};
    static const sn_hull_edge edge[3] = {{{0, 1}, {0, 1}}, {{1, 2}, {0, 1}}, {{2, 0}, {0, 1}}};
    sn_dvec3 n = dvec3_cross(dvec3_sub(b, a), dvec3_sub(c, a));
    double length = dvec3_length(n), far = fmax(fmax(dvec3_length(a), dvec3_length(b)), dvec3_length(c));
    n = length > 0 ? dvec3_scale(n, 1 / length) : dvec3(0, 1, 0);
    room->vertex[0] = a;
    room->vertex[1] = b;
    room->vertex[2] = c;
    room->face[0] = (sn_hull_face){n, dvec3_dot(n, a), length / 2, 0, 3};
    room->face[1] = (sn_hull_face){dvec3_scale(n, -1), -dvec3_dot(n, a), length / 2, 3, 3};
    return (sn_hull){.vertices = 3,
                     .faces = 2,
                     .edges = 3,
                     .loops = 6,
                     .vertex = room->vertex,
                     .face = room->face,
                     .edge = edge,
                     .loop = loop,
                     .outer = far};
}

sn_hull sn_hull_segment(const sn_dvec3 end[2])
{
    static const uint8_t loop[2] = {0, 1};
    static const sn_hull_edge edge = {{0, 1}, {SN_HULL_NO_FACE, SN_HULL_NO_FACE}};
    return (sn_hull){.vertices = 2,
                     .edges = 1,
                     .loops = 2,
                     .vertex = end,
                     .edge = &edge,
                     .loop = loop,
                     .outer = fmax(dvec3_length(end[0]), dvec3_length(end[1]))};
}

sn_hull sn_hull_point(const sn_dvec3 *point)
{
    static const uint8_t loop[1] = {0};
    return (sn_hull){.vertices = 1, .loops = 1, .vertex = point, .loop = loop, .outer = dvec3_length(*point)};
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

uint32_t sn_hull_support(const sn_hull *hull, sn_dvec3 direction)
{
    uint32_t best = 0;
    double most = dvec3_dot(hull->vertex[0], direction);
    for (uint32_t i = 1; i < hull->vertices; ++i) {
        double along = dvec3_dot(hull->vertex[i], direction);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return best;
}

/* True if the projection of p on the face's plane is inside the face. */
static bool is_over(const sn_hull *hull, const sn_hull_face *face, sn_dvec3 p)
{
    const uint8_t *loop = &hull->loop[face->first];
    sn_dvec3 from = hull->vertex[loop[face->count - 1]];
    for (uint32_t i = 0; i < face->count; ++i) {
        sn_dvec3 to = hull->vertex[loop[i]], inwards = dvec3_cross(face->normal, dvec3_sub(to, from));
        if (dvec3_dot(inwards, dvec3_sub(p, from)) < 0)
            return false;
        from = to;
    }
    return true;
}

static sn_dvec3 nearest_on_edge(sn_dvec3 a, sn_dvec3 b, sn_dvec3 p)
{
    sn_dvec3 ab = dvec3_sub(b, a);
    double square = dvec3_dot(ab, ab), t = square > 0 ? dvec3_dot(ab, dvec3_sub(p, a)) / square : 0;
    return t <= 0 ? a : t >= 1 ? b : dvec3_add(a, dvec3_scale(ab, t));
}

static double face_height(const sn_hull_face *face, sn_dvec3 p)
{
    return dvec3_dot(face->normal, p) - face->offset;
}

/* p is outside, in front of some faces but over none of these. So it is nearest to an edge of one of them. */
static void near_edge(const sn_hull *hull, sn_dvec3 p, sn_hull_near_point *near_point)
{
    double least = (double)INFINITY;
    sn_dvec3 offset = {0, 0, 0};
    for (uint32_t e = 0; e < hull->edges; ++e) {
        const sn_hull_edge *edge = &hull->edge[e];
        uint32_t face = face_height(&hull->face[edge->face[0]], p) > 0   ? edge->face[0]
                        : face_height(&hull->face[edge->face[1]], p) > 0 ? edge->face[1]
                                                                         : NONE;
        if (face == NONE)
            continue;
        sn_dvec3 q = nearest_on_edge(hull->vertex[edge->vertex[0]], hull->vertex[edge->vertex[1]], p);
        sn_dvec3 off = dvec3_sub(p, q);
        double square = dvec3_dot(off, off);
        if (square < least) {
            least = square;
            offset = off;
            near_point->point = q;
            near_point->face = face;
        }
    }
    near_point->distance = sqrt(least);
    near_point->normal = near_point->distance > 1e-14 * hull->outer ? dvec3_scale(offset, 1 / near_point->distance)
                                                                    : hull->face[near_point->face].normal;
}

void sn_hull_near(const sn_hull *hull, sn_dvec3 p, sn_hull_near_point *near_point)
{
    uint32_t highest = 0;
    double most = -(double)INFINITY;
    for (uint32_t f = 0; f < hull->faces; ++f) {
        const sn_hull_face *face = &hull->face[f];
        double height = face_height(face, p);
        if (height > most) {
            most = height;
            highest = f;
        }
        if (height > 0 && is_over(hull, face, p)) {
            *near_point =
                (sn_hull_near_point){height, dvec3_sub(p, dvec3_scale(face->normal, height)), face->normal, f};
            return;
        }
    }
    if (most > 0) {
        near_edge(hull, p, near_point);
        return;
    }
    sn_dvec3 n = hull->face[highest].normal;
    *near_point = (sn_hull_near_point){most, dvec3_sub(p, dvec3_scale(n, most)), n, highest};
}

/* When |from + t way| falls to the reach. INFINITY if it does not. */
static double hit_point(sn_dvec3 from, sn_dvec3 displacement, double reach)
{
    double speed = dvec3_dot(displacement, displacement),
           nearest = speed > 0 ? -dvec3_dot(from, displacement) / speed : 0;
    double least = dvec3_length(dvec3_add(from, dvec3_scale(displacement, nearest)));
    if (!(nearest > 0) || !(least <= reach))
        return (double)INFINITY;
    double t = nearest - sqrt((reach - least) * (reach + least) / speed);
    return t > 0 ? t : 0;
}

/* The same for the distance from an edge without its ends. */
static double hit_edge(sn_dvec3 from, sn_dvec3 displacement, sn_dvec3 edge, double reach)
{
    double square = dvec3_dot(edge, edge);
    if (!(square > 0))
        return (double)INFINITY;
    double from_along = dvec3_dot(from, edge) / square, displacement_along = dvec3_dot(displacement, edge) / square;
    double t = hit_point(dvec3_sub(from, dvec3_scale(edge, from_along)),
                         dvec3_sub(displacement, dvec3_scale(edge, displacement_along)), reach);
    double along = from_along + t * displacement_along;
    return along >= 0 && along <= 1 ? t : (double)INFINITY;
}

/* When the path enters all planes, moved out by the reach, and through which face. False if it does not. */
static bool enter_planes(const sn_hull *hull, sn_dvec3 from, sn_dvec3 displacement, double reach, double *t,
                         uint32_t *face)
{
    double in = -(double)INFINITY, out = (double)INFINITY;
    for (uint32_t f = 0; f < hull->faces; ++f) {
        double speed = dvec3_dot(hull->face[f].normal, displacement),
               height = face_height(&hull->face[f], from) - reach;
        if (speed == 0) {
            if (height > 0)
                return false;
            continue;
        }
        double when = -height / speed;
        if (speed > 0) {
            out = when < out ? when : out;
        } else if (when > in) {
            in = when;
            *face = f;
        }
    }
    *t = in;
    return in <= out && in <= 1 && out >= 0;
}

/* A point touches a hull rounded by the reach at a face (moved out), at an edge or at a corner, whichever comes first.
   It touches a face only where the path enters all planes. */
bool sn_hull_cast(const sn_hull *hull, sn_dvec3 from, sn_dvec3 displacement, double reach, double *t,
                  sn_hull_near_point *near_point)
{
    double in, first = (double)INFINITY;
    uint32_t face = 0;
    if (!enter_planes(hull, from, displacement, reach, &in, &face))
        return false;
    sn_dvec3 p = dvec3_add(from, dvec3_scale(displacement, in)), n = hull->face[face].normal;
    if (in >= 0 && (reach == 0 || is_over(hull, &hull->face[face], p))) {
        *t = in;
        *near_point = (sn_hull_near_point){0, dvec3_sub(p, dvec3_scale(n, reach)), n, face};
        return true;
    }
    if (reach == 0)
        return false;
    for (uint32_t i = 0; i < hull->vertices; ++i)
        first = fmin(first, hit_point(dvec3_sub(from, hull->vertex[i]), displacement, reach));
    for (uint32_t e = 0; e < hull->edges; ++e) {
        sn_dvec3 a = hull->vertex[hull->edge[e].vertex[0]], b = hull->vertex[hull->edge[e].vertex[1]];
        first = fmin(first, hit_edge(dvec3_sub(from, a), displacement, dvec3_sub(b, a), reach));
    }
    if (!(first <= 1))
        return false;
    *t = first;
    sn_hull_near(hull, dvec3_add(from, dvec3_scale(displacement, first)), near_point);
    near_point->distance = 0;
    return true;
}
