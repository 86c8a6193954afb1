#include "collision/revolved.h"

#define N SN_REVOLVED_SIDES

/* m: a point nearer to the surface than this counts as on it, because the direction would be lost. */
#define LEAST_BEYOND 1e-125

/* A point or direction in the half plane of a profile: distance from the axis, and along it. */
typedef struct flat {
    double out, y;
} flat;

/* ---- Profiles ---------------------------------------------------------------------------------------------------- */

/* Distance, nearest point and normal in the half plane. */
typedef struct flat_near_point {
    double distance;
    flat point, normal;
    uint32_t face;
} flat_near_point;

static double positive(double x)
{
    return x > 0 ? x : 0;
}

/* The result for a nearest point with p outside. */
static flat_near_point away_from(flat point, flat p, uint32_t face)
{
    double out = p.out - point.out, y = p.y - point.y, length = sqrt(out * out + y * y);
    return (flat_near_point){length, point, {out / length, y / length}, face};
}

static flat_near_point near_cylinder(double radius, double half, flat p)
{
    const double out = p.out - radius, up = fabs(p.y) - half, side = p.y < 0 ? -1 : 1;
    const uint32_t cap = side < 0 ? N : N + 1;
    if (positive(out) > LEAST_BEYOND || positive(up) > LEAST_BEYOND)
        return away_from((flat){out > 0 ? radius : p.out, up > 0 ? side * half : p.y}, p, up > out ? cap : 0);
    if (out >= up)
        return (flat_near_point){out, {radius, p.y}, {1, 0}, 0};
    return (flat_near_point){up, {p.out, side * half}, {0, side}, cap};
}

/* The side runs from (radius, -half) to (0, half). */
static flat_near_point near_cone(double radius, double half, flat p)
{
    const double length = sqrt(radius * radius + 4 * half * half);
    const flat normal = {2 * half / length, radius / length}, along = {-radius / length, 2 * half / length};
    const double side = p.out * normal.out + (p.y - half) * normal.y, below = -half - p.y;
    if (positive(below) > LEAST_BEYOND)
        return away_from((flat){p.out < radius ? p.out : radius, -half}, p, N);
    if (positive(side) > LEAST_BEYOND) {
        /* A difference of nearly equal points has no direction, so beside the side it is taken from the cone. */
        const double t = (p.out - radius) * along.out + (p.y + half) * along.y;
        if (t > 0 && t < length)
            return (flat_near_point){side, {p.out - side * normal.out, p.y - side * normal.y}, normal, 0};
        return away_from(t > 0 ? (flat){0, half} : (flat){radius, -half}, p, 0);
    }
    if (side >= below)
        return (flat_near_point){side, {p.out - side * normal.out, p.y - side * normal.y}, normal, 0};
    return (flat_near_point){below, {p.out, -half}, {0, -1}, N};
}

void sn_revolved_near(sn_shape_type type, sn_dvec3 half, sn_dvec3 p, sn_hull_near_point *near_point)
{
    const double out = sqrt(p.x * p.x + p.z * p.z), x = out > 0 ? p.x / out : 1, z = out > 0 ? p.z / out : 0;
    const flat at = {out, p.y};
    const flat_near_point s =
        type == SN_SHAPE_CYLINDER ? near_cylinder(half.x, half.y, at) : near_cone(half.x, half.y, at);
    near_point->distance = s.distance;
    near_point->point = dvec3(x * s.point.out, s.point.y, z * s.point.out);
    near_point->normal = dvec3(x * s.normal.out, s.normal.y, z * s.normal.out);
    near_point->face = s.face;
}

/* ---- Sizes ------------------------------------------------------------------------------------------------------- */

double sn_revolved_inner(sn_shape_type type, sn_dvec3 half)
{
    if (type == SN_SHAPE_CYLINDER)
        return half.x < half.y ? half.x : half.y;
    return half.x * half.y / sqrt(half.x * half.x + 4 * half.y * half.y);
}

double sn_revolved_outer(sn_dvec3 half)
{
    return sqrt(half.x * half.x + half.y * half.y);
}

void sn_revolved_extent(sn_shape_type type, sn_dvec3 half, double along, double *low, double *high)
{
    const double tip = half.y * along, disc = half.x * sqrt(positive(1 - along * along));
    if (type == SN_SHAPE_CYLINDER) {
        *high = fabs(tip) + disc;
        *low = -*high;
        return;
    }
    *high = tip > disc - tip ? tip : disc - tip;
    *low = tip < -disc - tip ? tip : -disc - tip;
}

/* ---- Polyhedra --------------------------------------------------------------------------------------------------- */

/* Around the circle, from x to z. */
static const double cosine[N] = {1,  0.92387953251128675613,  0.70710678118654752440,  0.38268343236508977173,
                                 0,  -0.38268343236508977173, -0.70710678118654752440, -0.92387953251128675613,
                                 -1, -0.92387953251128675613, -0.70710678118654752440, -0.38268343236508977173,
                                 0,  0.38268343236508977173,  0.70710678118654752440,  0.92387953251128675613};

static sn_dvec3 on_circle(sn_dvec3 facing, uint32_t i, double radius, double y)
{
    const double c = cosine[i], s = cosine[(i + 3 * N / 4) % N];
    return dvec3(radius * (facing.x * c - facing.z * s), y, radius * (facing.z * c + facing.x * s));
}

/* A planar face of three or more corners. */
static void make_face(sn_revolved_room *room, uint32_t number, uint32_t *loops, uint32_t count, const uint32_t *corner)
{
    const sn_dvec3 *v = room->vertex;
    sn_dvec3 area = {0, 0, 0};
    for (uint32_t i = 2; i < count; ++i)
        area = dvec3_add(area,
                         dvec3_cross(dvec3_sub(v[corner[i - 1]], v[corner[0]]), dvec3_sub(v[corner[i]], v[corner[0]])));
    const double length = dvec3_length(area);
    const sn_dvec3 normal = dvec3_scale(area, 1 / length);
    double offset = dvec3_dot(normal, v[corner[0]]);
    for (uint32_t i = 0; i < count; ++i) {
        room->loop[*loops + i] = (uint8_t)corner[i];
        offset = fmax(offset, dvec3_dot(normal, v[corner[i]]));
    }
    room->face[number] = (sn_hull_face){normal, offset, length / 2, *loops, count};
    *loops += count;
}

static sn_hull_edge edge_of(uint32_t from, uint32_t to, uint32_t left, uint32_t right)
{
    return (sn_hull_edge){{(uint8_t)from, (uint8_t)to}, {(uint8_t)left, (uint8_t)right}};
}

/* Corner i of the lower ring is i, of the upper ring N + i. The tip of a cone is N. Side i is between corners i and i +
   1. Face N is the lower cap and N + 1 the upper one. Seen from above, corners run clockwise. */
sn_hull sn_revolved_core(sn_shape_type type, sn_dvec3 half, sn_dvec3 facing, sn_revolved_room *room)
{
    const bool cone = type == SN_SHAPE_CONE;
    uint32_t loops = 0, ring[2][N];
    for (uint32_t i = 0; i < N; ++i) {
        room->vertex[i] = on_circle(facing, i, half.x, -half.y);
        if (!cone)
            room->vertex[N + i] = on_circle(facing, i, half.x, half.y);
        ring[0][i] = i;
        ring[1][N - 1 - i] = N + i;
    }
    if (cone)
        room->vertex[N] = dvec3(0, half.y, 0);
    for (uint32_t i = 0; i < N; ++i) {
        const uint32_t next = (i + 1) % N, last = (i + N - 1) % N;
        make_face(room, i, &loops, cone ? 3 : 4,
                  cone ? (const uint32_t[]){i, N, next} : (const uint32_t[]){i, N + i, N + next, next});
        room->edge[i] = edge_of(i, next, N, i);
        room->edge[N + i] = edge_of(i, cone ? N : N + i, i, last);
        if (!cone)
            room->edge[2 * N + i] = edge_of(N + i, N + next, i, N + 1);
    }
    make_face(room, N, &loops, N, ring[0]);
    if (!cone)
        make_face(room, N + 1, &loops, N, ring[1]);
    return (sn_hull){.vertices = cone ? N + 1 : 2 * N,
                     .faces = cone ? N + 1 : N + 2,
                     .edges = cone ? 2 * N : 3 * N,
                     .loops = loops,
                     .vertex = room->vertex,
                     .face = room->face,
                     .edge = room->edge,
                     .loop = room->loop,
                     .inner = sn_revolved_inner(type, half) * (1 - SN_REVOLVED_SAG),
                     .outer = sn_revolved_outer(half)};
}
