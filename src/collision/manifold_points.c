/* The contact points for a known normal: a face against the opposite feature, edge against edge, or nearest points. */
#include "collision/manifold_work.h"

/* Sine of the angle up to which edges, or an edge and a plane, count as parallel where the solids are separated. */
#define PARALLEL 1e-2

/* Cosine of the angle between the normals of faces that are parallel. */
#define SQUARE (1 - 1e-8)

/* Least cosine of the angle between the normal and a face that faces along it. */
#define FACING 0.1

/* Some corners of a solid in order: those of a face, an edge, or a single one. */
typedef struct ring {
    const uint8_t *corner;
    uint32_t count;
} ring;

static bool push(sn_collision *c, sn_dvec3 a, sn_dvec3 b, double distance, uint32_t feature)
{
    if (!(distance <= c->reach) || c->count == SN_CANDIDATES)
        return false;
    c->point[c->count++] = (sn_candidate){a, b, distance, feature};
    return true;
}

/* ---- Features that face a direction ------------------------------------------------------------------------------ */

/* Of the faces around the support corner in the direction, the one that faces it most. */
static uint32_t face_towards(const sn_hull *hull, sn_dvec3 direction)
{
    uint32_t corner = sn_hull_support(hull, direction), best = 0;
    double most = -(double)INFINITY;
    for (uint32_t e = 0; e < hull->edges; ++e) {
        const sn_hull_edge *edge = &hull->edge[e];
        if (edge->vertex[0] != corner && edge->vertex[1] != corner)
            continue;
        for (uint32_t k = 0; k < 2; ++k) {
            double along = dvec3_dot(hull->face[edge->face[k]].normal, direction);
            if (along > most) {
                most = along;
                best = edge->face[k];
            }
        }
    }
    return best;
}

static ring ring_towards(const sn_hull *hull, sn_dvec3 direction)
{
    if (!hull->faces)
        return (ring){hull->loop, hull->loops};
    const sn_hull_face *face = &hull->face[face_towards(hull, direction)];
    return (ring){hull->loop + face->first, face->count};
}

/* ---- Clipping ---------------------------------------------------------------------------------------------------- */

/* A corner of the clipped polygon. line: the line from here to the next corner: an edge of the ring, by its name, or a
   side of the face. */
typedef struct near_point {
    sn_dvec3 p;      /* m */
    uint32_t corner; /* of the solid; NONE: created by clipping */
    uint32_t line;
} near_point;

#define NONE UINT32_MAX
#define SIDE UINT32_C(0x80000000)

typedef struct polygon {
    uint32_t count;
    near_point near_point[SN_CANDIDATES];
} polygon;

/* A plane through an edge of a face, parallel to the normal. outwards has length 1. */
typedef struct side {
    sn_dvec3 from, outwards;
} side;

static side side_of(const sn_hull *hull, const sn_hull_face *face, uint32_t k, sn_dvec3 normal)
{
    const uint8_t *loop = hull->loop + face->first;
    sn_dvec3 from = hull->vertex[loop[k]], to = hull->vertex[loop[k + 1 == face->count ? 0 : k + 1]];
    sn_dvec3 out = dvec3_cross(dvec3_sub(to, from), normal);
    double length = dvec3_length(out);
    return (side){from, length > 0 ? dvec3_scale(out, 1 / length) : out};
}

static inline double beyond(const side *s, sn_dvec3 p)
{
    return dvec3_dot(s->outwards, dvec3_sub(p, s->from));
}

static inline sn_dvec3 crossing(const near_point *p, double at_p, const near_point *q, double at_q)
{
    return dvec3_add(p->p, dvec3_scale(dvec3_sub(q->p, p->p), at_p / (at_p - at_q)));
}

/* Clips by one side (Sutherland and Hodgman 1974). Corners only slightly beside the face are kept unclipped, so that
   the same points are found from step to step. */
static void clip(const polygon *in, const side *s, uint32_t name, double slack, polygon *out)
{
    out->count = 0;
    double at = beyond(s, in->near_point[0].p);
    for (uint32_t i = 0; i < in->count; ++i) {
        const near_point *p = &in->near_point[i], *q = &in->near_point[i + 1 == in->count ? 0 : i + 1];
        double here = at, there = beyond(s, q->p);
        at = there;
        if (out->count + 2 > SN_CANDIDATES)
            return;
        if (here <= slack) {
            near_point *kept = &out->near_point[out->count++];
            *kept = *p;
            if (there > slack && here < 0)
                out->near_point[out->count++] = (near_point){crossing(p, here, q, there), NONE, name};
            else if (there > slack)
                kept->line = name;
        } else if (there < 0) {
            out->near_point[out->count++] = (near_point){crossing(p, here, q, there), NONE, p->line};
        }
    }
}

/* Clips a segment. A point is a segment with equal ends. */
static void clip_segment(polygon *line, const side *s, uint32_t name, double slack)
{
    for (uint32_t i = 0; i < line->count; ++i) {
        near_point *p = &line->near_point[i], *q = &line->near_point[line->count - 1 - i];
        double here = beyond(s, p->p), there = beyond(s, q->p);
        if (here <= slack)
            continue;
        if (there > slack || line->count == 1) {
            line->count = 0;
            return;
        }
        if (there >= 0) { /* only the end slightly beside it is left */
            line->near_point[0] = *q;
            line->count = 1;
            return;
        }
        *p = (near_point){crossing(p, here, q, there), NONE, name};
    }
}

/* Clips the ring to the face, seen along the normal. Returns in or out. */
static polygon *clip_all(const sn_hull *hull, const sn_hull_face *face, sn_dvec3 normal, double slack, polygon *in,
                         polygon *out)
{
    for (uint32_t k = 0; k < face->count && in->count; ++k) {
        side s = side_of(hull, face, k, normal);
        if (in->count <= 2) {
            clip_segment(in, &s, SIDE | k, slack);
            continue;
        }
        clip(in, &s, SIDE | k, slack, out);
        polygon *swap = in;
        in = out;
        out = swap;
    }
    return in;
}

static void start_polygon(const sn_hull *hull, const ring *r, polygon *p)
{
    p->count = r->count;
    for (uint32_t i = 0; i < r->count; ++i) {
        uint32_t corner = r->corner[i], next = r->corner[i + 1 == r->count ? 0 : i + 1];
        p->near_point[i] = (near_point){hull->vertex[corner], corner, edge_name(corner, next)};
    }
}

/* ---- A face ------------------------------------------------------------------------------------------------------ */

static uint32_t name_of_side(const sn_hull *hull, const sn_hull_face *face, uint32_t line)
{
    const uint8_t *loop = hull->loop + face->first;
    uint32_t k = line & ~SIDE;
    return edge_name(loop[k], loop[k + 1 == face->count ? 0 : k + 1]);
}

/* The feature name of a corner where one line ends and the next begins. of_a: the face belongs to a. */
static uint32_t name_of_point(const sn_hull *hull, const sn_hull_face *face, bool of_a, const near_point *s,
                              uint32_t before)
{
    if (s->corner != NONE)
        return of_a ? feature_name(SN_FEATURE_CORNER_B, 0, s->corner) : feature_name(SN_FEATURE_CORNER_A, 0, s->corner);
    bool ends = before & SIDE, begins = s->line & SIDE;
    if (ends && begins) { /* a corner of the face, between two of its sides */
        uint32_t j = before & ~SIDE, k = s->line & ~SIDE;
        uint32_t corner = hull->loop[face->first + (k == (j + 1) % face->count ? k : j)];
        return of_a ? feature_name(SN_FEATURE_CORNER_A, 0, corner) : feature_name(SN_FEATURE_CORNER_B, 0, corner);
    }
    uint32_t own = name_of_side(hull, face, ends ? before : s->line), other = ends ? s->line : before;
    return of_a ? feature_name(SN_FEATURE_EDGES, own, other) : feature_name(SN_FEATURE_EDGES, other, own);
}

/* Adds a point over the face, with its projection on the face. */
static void push_over(sn_collision *c, bool of_a, const sn_hull_face *face, sn_dvec3 p, uint32_t feature)
{
    double height = dvec3_dot(face->normal, p) - face->offset;
    sn_dvec3 foot = dvec3_sub(p, dvec3_scale(face->normal, height));
    push(c, of_a ? foot : p, of_a ? p : foot, height, feature);
}

uint32_t sn_points_on_face(sn_collision *c, bool of_a, uint32_t index)
{
    const sn_hull *hull = of_a ? &c->a : &c->b, *other = of_a ? &c->b : &c->a;
    const sn_hull_face *face = &hull->face[index];
    sn_dvec3 back = dvec3_scale(face->normal, -1);
    ring r = ring_towards(other, back);
    polygon first, second;
    start_polygon(other, &r, &first);
    const polygon *left = clip_all(hull, face, face->normal, SN_MANIFOLD_BESIDE * c->size, &first, &second);

    c->count = 0;
    c->normal = of_a ? back : face->normal;
    for (uint32_t i = 0; i < left->count; ++i) {
        const near_point *s = &left->near_point[i];
        /* A segment has one edge, which ends and begins at both its ends. */
        uint32_t edge = r.count == 2 ? edge_name(r.corner[0], r.corner[1]) : 0;
        uint32_t before = r.count == 2 ? edge : left->near_point[i == 0 ? left->count - 1 : i - 1].line;
        push_over(c, of_a, face, s->p, name_of_point(hull, face, of_a, s, before));
    }
    return c->count;
}

uint32_t sn_points_on_plane(sn_collision *c, sn_dvec3 normal, double level)
{
    ring r = ring_towards(&c->a, dvec3_scale(normal, -1));
    c->count = 0;
    c->normal = normal;
    for (uint32_t i = 0; i < r.count; ++i) {
        sn_dvec3 p = c->a.vertex[r.corner[i]];
        double height = dvec3_dot(normal, p) - level;
        push(c, p, dvec3_sub(p, dvec3_scale(normal, height)), height,
             feature_name(SN_FEATURE_CORNER_A, 0, r.corner[i]));
    }
    return c->count;
}

/* ---- Edges ------------------------------------------------------------------------------------------------------- */

/* The nearest points of two lines that are not parallel. False if they are beyond an end of one of the edges. */
static bool intersect_lines(const sn_dvec3 a[2], const sn_dvec3 b[2], double slack, sn_dvec3 *on_a, sn_dvec3 *on_b)
{
    sn_dvec3 u = dvec3_sub(a[1], a[0]), v = dvec3_sub(b[1], b[0]), r = dvec3_sub(a[0], b[0]);
    double uu = dvec3_dot(u, u), vv = dvec3_dot(v, v), uv = dvec3_dot(u, v);
    double ur = dvec3_dot(u, r), vr = dvec3_dot(v, r), area = uu * vv - uv * uv;
    if (!(area > 0))
        return false;
    double s = (uv * vr - vv * ur) / area, t = (uu * vr - uv * ur) / area;
    double slack_s = slack / sqrt(uu), slack_t = slack / sqrt(vv);
    *on_a = dvec3_add(a[0], dvec3_scale(u, s));
    *on_b = dvec3_add(b[0], dvec3_scale(v, t));
    return s >= -slack_s && s <= 1 + slack_s && t >= -slack_t && t <= 1 + slack_t;
}

static void ends_of(const sn_hull *hull, uint32_t edge, sn_dvec3 end[2])
{
    end[0] = hull->vertex[hull->edge[edge].vertex[0]];
    end[1] = hull->vertex[hull->edge[edge].vertex[1]];
}

static uint32_t name_of_edge(const sn_hull *hull, uint32_t edge)
{
    return edge_name(hull->edge[edge].vertex[0], hull->edge[edge].vertex[1]);
}

uint32_t sn_points_of_edges(sn_collision *c, sn_dvec3 normal, uint32_t edge_a, uint32_t edge_b)
{
    sn_dvec3 a[2], b[2], on_a, on_b;
    ends_of(&c->a, edge_a, a);
    ends_of(&c->b, edge_b, b);
    c->count = 0;
    c->normal = normal;
    if (intersect_lines(a, b, SN_MANIFOLD_BESIDE * c->size, &on_a, &on_b))
        push(c, on_a, on_b, dvec3_dot(normal, dvec3_sub(on_a, on_b)),
             feature_name(SN_FEATURE_EDGES, name_of_edge(&c->a, edge_a), name_of_edge(&c->b, edge_b)));
    return c->count;
}

/* ---- Nearest points ---------------------------------------------------------------------------------------------- */

/* The longest edge at the far end of the direction that lies across it, within a small angle. NONE if there is only a
   corner. */
static uint32_t edge_across(const sn_hull *hull, sn_dvec3 direction)
{
    uint32_t best = NONE;
    double longest = 0, far = dvec3_dot(hull->vertex[sn_hull_support(hull, direction)], direction);
    for (uint32_t e = 0; e < hull->edges; ++e) {
        sn_dvec3 end[2];
        ends_of(hull, e, end);
        double length = dvec3_length(dvec3_sub(end[1], end[0])), least = far - PARALLEL * length;
        if (length > longest && dvec3_dot(end[0], direction) >= least && dvec3_dot(end[1], direction) >= least) {
            longest = length;
            best = e;
        }
    }
    return best;
}

/* Two parallel edges: a point at each end of the stretch that they share, named by the corner there. Nothing if they
   are not parallel. */
static void push_side_by_side(sn_collision *c, sn_dvec3 normal, uint32_t edge_a, uint32_t edge_b)
{
    sn_dvec3 a[2], b[2];
    ends_of(&c->a, edge_a, a);
    ends_of(&c->b, edge_b, b);
    sn_dvec3 u = dvec3_sub(a[1], a[0]), v = dvec3_sub(b[1], b[0]), across = dvec3_cross(u, v);
    double uu = dvec3_dot(u, u), vv = dvec3_dot(v, v);
    if (!(uu > 0) || !(vv > 0) || dvec3_dot(across, across) > PARALLEL * PARALLEL * uu * vv)
        return;
    double first = dvec3_dot(u, dvec3_sub(b[0], a[0])) / uu, last = dvec3_dot(u, dvec3_sub(b[1], a[0])) / uu;
    const sn_hull_edge *of_a = &c->a.edge[edge_a], *of_b = &c->b.edge[edge_b];
    uint32_t low = first <= last ? 0 : 1;
    double from = low == 0 ? first : last, to = low == 0 ? last : first;
    uint32_t name_from = from > 0 ? feature_name(SN_FEATURE_CORNER_B, 0, of_b->vertex[low])
                                  : feature_name(SN_FEATURE_CORNER_A, 0, of_a->vertex[0]);
    uint32_t name_to = to < 1 ? feature_name(SN_FEATURE_CORNER_B, 0, of_b->vertex[1 - low])
                              : feature_name(SN_FEATURE_CORNER_A, 0, of_a->vertex[1]);
    from = from > 0 ? from : 0;
    to = to < 1 ? to : 1;
    if (!((to - from) * sqrt(uu) > SN_MANIFOLD_BESIDE * c->size))
        return;
    double uv = dvec3_dot(u, v);
    for (uint32_t k = 0; k < 2; ++k) {
        double s = k == 0 ? from : to, t = (s * uu + dvec3_dot(u, dvec3_sub(a[0], b[0]))) / uv;
        sn_dvec3 p = dvec3_add(a[0], dvec3_scale(u, s)), q = dvec3_add(b[0], dvec3_scale(v, t));
        double distance = dvec3_dot(normal, dvec3_sub(p, q));
        sn_dvec3 foot = dvec3_sub(p, dvec3_scale(normal, distance));
        if (dvec3_length(dvec3_sub(foot, q)) > SN_MANIFOLD_BESIDE * c->size + PARALLEL * distance)
            return; /* these edges lie across the normal but not opposite each other */
        push(c, p, foot, distance, k == 0 ? name_from : name_to);
    }
}

static uint32_t face_squarely(const sn_hull *hull, sn_dvec3 direction)
{
    for (uint32_t f = 0; f < hull->faces; ++f)
        if (dvec3_dot(hull->face[f].normal, direction) > SQUARE)
            return f;
    return NONE;
}

/* Uses a face across the normal if it has the distance; otherwise two edges; otherwise only the nearest points. */
uint32_t sn_points_between(sn_collision *c, sn_dvec3 normal, sn_dvec3 on_a, sn_dvec3 on_b, double distance)
{
    sn_dvec3 back = dvec3_scale(normal, -1);
    double enough = distance + SN_MANIFOLD_FINE * c->size;
    uint32_t face = face_squarely(&c->b, normal);
    if (face != NONE && sn_points_on_face(c, false, face) && sn_candidates_nearest(c->point, c->count) <= enough)
        return c->count;
    face = face_squarely(&c->a, back);
    if (face != NONE && sn_points_on_face(c, true, face) && sn_candidates_nearest(c->point, c->count) <= enough)
        return c->count;

    c->count = 0;
    c->normal = normal;
    uint32_t edge_a = edge_across(&c->a, back), edge_b = edge_across(&c->b, normal);
    if (edge_a != NONE && edge_b != NONE) {
        push_side_by_side(c, normal, edge_a, edge_b);
        if (c->count == 2) { /* they may be slightly inclined: then the nearer end is the nearest point */
            sn_candidate *nearer = c->point[1].distance < c->point[0].distance ? &c->point[1] : &c->point[0];
            if (nearer->distance > enough)
                *nearer = (sn_candidate){on_a, on_b, distance, nearer->feature};
            return c->count;
        }
        c->count = 0;
    }
    uint32_t name;
    uint32_t corner_a = sn_hull_support(&c->a, back), corner_b = sn_hull_support(&c->b, normal);
    if (edge_a == NONE)
        name = edge_b == NONE ? feature_name(SN_FEATURE_CORNERS, corner_a, corner_b)
                              : feature_name(SN_FEATURE_CORNER_A, 0, corner_a);
    else
        name = edge_b == NONE
                   ? feature_name(SN_FEATURE_CORNER_B, 0, corner_b)
                   : feature_name(SN_FEATURE_EDGES, name_of_edge(&c->a, edge_a), name_of_edge(&c->b, edge_b));
    push(c, on_a, on_b, distance, name);
    return c->count;
}

/* ---- Around a point ---------------------------------------------------------------------------------------------- */

/* True if a point coincides with the first contact point, seen along the normal. */
static bool is_first(const sn_collision *c, sn_dvec3 p)
{
    const sn_dvec3 across = dvec3_cross(c->normal, dvec3_sub(p, c->point[0].a));
    const double beside = 2 * SN_MANIFOLD_BESIDE * c->size;
    return dvec3_dot(across, across) <= beside * beside;
}

void sn_points_around(sn_collision *c)
{
    if (c->count != 1 || !c->a.faces || !c->b.faces)
        return;
    const sn_dvec3 normal = c->normal;
    const sn_hull_face *face = &c->b.face[face_towards(&c->b, normal)];
    const double along = dvec3_dot(face->normal, normal);
    if (!(along > FACING))
        return;
    ring r = ring_towards(&c->a, dvec3_scale(normal, -1));
    polygon first, second;
    start_polygon(&c->a, &r, &first);
    const polygon *left = clip_all(&c->b, face, normal, SN_MANIFOLD_BESIDE * c->size, &first, &second);
    for (uint32_t i = 0; i < left->count; ++i) {
        const near_point *s = &left->near_point[i];
        const double height = (dvec3_dot(face->normal, s->p) - face->offset) / along;
        const uint32_t name =
            name_of_point(&c->b, face, false, s, left->near_point[i == 0 ? left->count - 1 : i - 1].line);
        if (name != c->point[0].feature && !is_first(c, s->p))
            push(c, s->p, dvec3_sub(s->p, dvec3_scale(normal, height)), height, name);
    }
}
