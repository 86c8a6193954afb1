/* The points of two boxes, one of which faces the other: the same that sn_points_on_face finds, without making hulls of them. Corners of
   the other box are seen along the axes of the face: two of them across it, and their height above it. */
#include "collision/manifold_work.h"

#define CORNERS 4u /* of a face */
#define MOST    8u /* corners that are left of four, when four sides were cut off */

#define NONE UINT32_MAX
#define SIDE UINT32_C(0x80000000)

/* A corner of what is left, and what the line from here to the next one is: as in manifold_points.c. */
typedef struct spot {
    double at[2], height; /* m */
    uint32_t corner, line;
} spot;

typedef struct polygon {
    uint32_t count;
    spot spot[MOST];
} polygon;

/* A box in the frame. */
typedef struct box {
    sn_dvec3 axis[3], centre;
    double half[3];
} box;

static box box_of(const sn_collision *c, bool a)
{
    static const sn_dvec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const sn_dvec3 *half = a ? c->half_a : c->half_b, *axis = a ? c->axis_a : unit;
    return (box){{axis[0], axis[1], axis[2]}, c->centre[a ? 0 : 1], {half->x, half->y, half->z}};
}

static sn_dvec3 corner_of(const box *b, uint32_t corner)
{
    sn_dvec3 p = b->centre;
    for (uint32_t i = 0; i < 3; ++i)
        p = dvec3_add(p, dvec3_scale(b->axis[i], corner >> i & 1 ? b->half[i] : -b->half[i]));
    return p;
}

/* The face that faces a direction most, in the order of sn_hull_box. */
static uint32_t face_towards(const box *b, sn_dvec3 direction)
{
    uint32_t best = 0;
    double most = -1;
    for (uint32_t i = 0; i < 3; ++i) {
        double along = dvec3_dot(b->axis[i], direction);
        if (fabs(along) > most) {
            most = fabs(along);
            best = 2 * i + (along > 0);
        }
    }
    return best;
}

/* Cuts off what is beyond a side: sign * at[axis] > half. */
static void clip(const polygon *in, uint32_t axis, double sign, double half, uint32_t name, double slack, polygon *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < in->count; ++i) {
        const spot *p = &in->spot[i], *q = &in->spot[i + 1 == in->count ? 0 : i + 1];
        const double here = sign * p->at[axis] - half, there = sign * q->at[axis] - half;
        const bool crosses = (here <= slack && there > slack && here < 0) || (here > slack && there < 0);
        if (here <= slack && out->count < MOST) {
            out->spot[out->count] = *p;
            if (there > slack && !crosses)
                out->spot[out->count].line = name;
            out->count++;
        }
        if (crosses && out->count < MOST) {
            const double t = here / (here - there);
            out->spot[out->count++] =
                (spot){{p->at[0] + (q->at[0] - p->at[0]) * t, p->at[1] + (q->at[1] - p->at[1]) * t},
                       p->height + (q->height - p->height) * t,
                       NONE,
                       here <= slack ? name : p->line};
        }
    }
}

static uint32_t name_of_side(const uint8_t *loop, uint32_t line)
{
    uint32_t k = line & ~SIDE;
    return edge_name(loop[k], loop[(k + 1) % CORNERS]);
}

/* As name_of_spot in manifold_points.c. */
static uint32_t name_of_spot(const uint8_t *loop, bool of_a, const spot *s, uint32_t before)
{
    if (s->corner != NONE)
        return feature_name(of_a ? SN_FEATURE_CORNER_B : SN_FEATURE_CORNER_A, 0, s->corner);
    bool ends = before & SIDE, begins = s->line & SIDE;
    if (ends && begins) {
        uint32_t j = before & ~SIDE, k = s->line & ~SIDE, corner = loop[k == (j + 1) % CORNERS ? k : j];
        return feature_name(of_a ? SN_FEATURE_CORNER_A : SN_FEATURE_CORNER_B, 0, corner);
    }
    uint32_t own = name_of_side(loop, ends ? before : s->line), other = ends ? s->line : before;
    return of_a ? feature_name(SN_FEATURE_EDGES, own, other) : feature_name(SN_FEATURE_EDGES, other, own);
}

uint32_t sn_points_on_box(sn_collision *c, bool of_a, uint32_t face)
{
    const box own = box_of(c, of_a), other = box_of(c, !of_a);
    const uint32_t n = face / 2, across[2] = {n == 0 ? 1 : 0, n == 2 ? 1 : 2};
    const sn_dvec3 normal = dvec3_scale(own.axis[n], face & 1 ? 1 : -1);
    const uint8_t *loop = sn_hull_box_loop + CORNERS * face;
    const uint8_t *ring = sn_hull_box_loop + CORNERS * face_towards(&other, dvec3_scale(normal, -1));
    polygon room[2], *in = &room[0], *out = &room[1];
    in->count = CORNERS;
    for (uint32_t i = 0; i < CORNERS; ++i) {
        const sn_dvec3 p = dvec3_sub(corner_of(&other, ring[i]), own.centre);
        in->spot[i] = (spot){{dvec3_dot(p, own.axis[across[0]]), dvec3_dot(p, own.axis[across[1]])},
                             dvec3_dot(p, normal) - own.half[n],
                             ring[i],
                             edge_name(ring[i], ring[(i + 1) % CORNERS])};
    }
    for (uint32_t k = 0; k < CORNERS && in->count; ++k) { /* a side is where two corners have the same sign */
        const uint32_t same = ~(uint32_t)(loop[k] ^ loop[(k + 1) % CORNERS]), side = same >> across[0] & 1 ? 0 : 1;
        const uint32_t axis = across[side];
        clip(in, side, loop[k] >> axis & 1 ? 1 : -1, own.half[axis], SIDE | k, SN_MANIFOLD_BESIDE * c->size, out);
        polygon *swap = in;
        in = out;
        out = swap;
    }
    c->count = 0;
    c->normal = of_a ? dvec3_scale(normal, -1) : normal;
    for (uint32_t i = 0; i < in->count; ++i) {
        const spot *s = &in->spot[i];
        sn_dvec3 foot = dvec3_add(own.centre, dvec3_scale(normal, own.half[n]));
        if (!(s->height <= c->reach))
            continue;
        foot = dvec3_add(
            foot, dvec3_add(dvec3_scale(own.axis[across[0]], s->at[0]), dvec3_scale(own.axis[across[1]], s->at[1])));
        const sn_dvec3 p = dvec3_add(foot, dvec3_scale(normal, s->height));
        c->point[c->count++] =
            (sn_candidate){of_a ? foot : p, of_a ? p : foot, s->height,
                           name_of_spot(loop, of_a, s, in->spot[i == 0 ? in->count - 1 : i - 1].line)};
    }
    return c->count;
}
