/* Separating axes. If two convex polyhedra do not overlap, there is a separating plane parallel to a face of one of
   them or to an edge of each. If they overlap, the shortest way out is along the normal of one of these planes. */
#include "collision/manifold_work.h"

/* Squared sine between two edges: nearly parallel edges are skipped. Their common normal is lost in rounding, and faces
   give the same separation. */
#define PARALLEL 1e-6

/* One-sided triangles: a way out whose cosine with the front is less than this is rejected. */
#define LEAST_FRONT -0.1

static bool leads_to_front(const sn_collision *c, sn_dvec3 normal)
{
    return !c->front || dvec3_dot(*c->front, normal) >= LEAST_FRONT;
}

static inline sn_dvec3 negative(sn_dvec3 a)
{
    return dvec3(-a.x, -a.y, -a.z);
}

/* ---- Polyhedra --------------------------------------------------------------------------------------------------- */

static double least_along(const sn_hull *hull, sn_dvec3 normal)
{
    double least = dvec3_dot(hull->vertex[0], normal);
    for (uint32_t i = 1; i < hull->vertices; ++i) {
        double along = dvec3_dot(hull->vertex[i], normal);
        least = along < least ? along : least;
    }
    return least;
}

static void axes_of_hulls(const sn_collision *c, sn_axis *of_a, sn_axis *of_b)
{
    for (uint32_t i = 0; i < c->a.faces; ++i) {
        const sn_hull_face *face = &c->a.face[i];
        double separation = least_along(&c->b, face->normal) - face->offset;
        if (separation > of_a->separation && leads_to_front(c, negative(face->normal)))
            *of_a = (sn_axis){SN_AXIS_FACE_A, separation, negative(face->normal), i, 0};
    }
    uint32_t faces = c->front && c->b.faces ? 1 : c->b.faces;
    for (uint32_t i = 0; i < faces; ++i) {
        const sn_hull_face *face = &c->b.face[i];
        double separation = least_along(&c->a, face->normal) - face->offset;
        if (separation > of_b->separation)
            *of_b = (sn_axis){SN_AXIS_FACE_B, separation, face->normal, 0, i};
    }
}

/* An edge and the directions in which it is extremal: those normal to it that do not point back into one of its two
   faces. For a segment, all normal directions. */
typedef struct ridge {
    sn_dvec3 from, displacement; /* m */
    sn_dvec3 across[2];          /* in the plane of each face, across the edge, out of the face */
    bool any;
} ridge;

static ridge ridge_of(const sn_hull *hull, uint32_t edge)
{
    const sn_hull_edge *e = &hull->edge[edge];
    ridge r = {.from = hull->vertex[e->vertex[0]], .any = e->face[0] == SN_HULL_NO_FACE};
    r.displacement = dvec3_sub(hull->vertex[e->vertex[1]], r.from);
    if (!r.any) {
        r.across[0] = dvec3_cross(r.displacement, hull->face[e->face[0]].normal);
        r.across[1] = dvec3_cross(hull->face[e->face[1]].normal, r.displacement);
    }
    return r;
}

/* +1 or -1: the edge is extremal in the direction n or -n; 0: in neither. */
static int sticks_out(const ridge *r, sn_dvec3 n)
{
    double x = dvec3_dot(r->across[0], n), y = dvec3_dot(r->across[1], n);
    return x >= 0 && y >= 0 ? 1 : x <= 0 && y <= 0 ? -1 : 0;
}

typedef struct extent {
    sn_dvec3 low, high; /* m */
} extent;

static extent extent_of(const sn_hull *hull, double around)
{
    extent e = {hull->vertex[0], hull->vertex[0]};
    for (uint32_t i = 1; i < hull->vertices; ++i) {
        sn_dvec3 v = hull->vertex[i];
        e.low = dvec3(v.x < e.low.x ? v.x : e.low.x, v.y < e.low.y ? v.y : e.low.y, v.z < e.low.z ? v.z : e.low.z);
        e.high =
            dvec3(v.x > e.high.x ? v.x : e.high.x, v.y > e.high.y ? v.y : e.high.y, v.z > e.high.z ? v.z : e.high.z);
    }
    sn_dvec3 out = {around, around, around};
    return (extent){dvec3_sub(e.low, out), dvec3_add(e.high, out)};
}

static bool is_apart(double p, double q, double low, double high)
{
    return (p < low && q < low) || (p > high && q > high);
}

/* Lists the edges of a hull that overlap the other hull's extent. */
static uint32_t edges_within(const sn_hull *hull, const extent *e, uint16_t *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < hull->edges; ++i) {
        sn_dvec3 p = hull->vertex[hull->edge[i].vertex[0]], q = hull->vertex[hull->edge[i].vertex[1]];
        if (!is_apart(p.x, q.x, e->low.x, e->high.x) && !is_apart(p.y, q.y, e->low.y, e->high.y) &&
            !is_apart(p.z, q.z, e->low.z, e->high.z))
            list[count++] = (uint16_t)i;
    }
    return count;
}

/* The axis of two edges. False if one of them is not extremal towards the other. */
static bool axis_of_ridges(const ridge *a, const ridge *b, sn_dvec3 *normal, double *separation)
{
    sn_dvec3 n = dvec3_cross(a->displacement, b->displacement);
    int side_b = b->any ? 0 : sticks_out(b, n), side_a = a->any ? 0 : -sticks_out(a, n);
    if ((!b->any && !side_b) || (!a->any && !side_a) || side_a * side_b < 0)
        return false;
    double square = dvec3_dot(n, n);
    if (!(square >
          PARALLEL * dvec3_dot(a->displacement, a->displacement) * dvec3_dot(b->displacement, b->displacement)))
        return false;
    *normal = dvec3_scale(n, (side_a + side_b > 0 ? 1 : -1) / sqrt(square));
    *separation = dvec3_dot(*normal, dvec3_sub(a->from, b->from));
    return true;
}

#define MOST_EDGES (3u * SN_HULL_VERTICES)

static sn_axis edges_of_hulls(const sn_collision *c, double overlap)
{
    sn_axis best = {.type = SN_AXIS_NONE, .separation = -(double)INFINITY};
    uint16_t list_a[MOST_EDGES], list_b[MOST_EDGES];
    ridge ridge_a[MOST_EDGES];
    extent of_a = extent_of(&c->a, overlap + c->reach), of_b = extent_of(&c->b, overlap + c->reach);
    uint32_t count_a = edges_within(&c->a, &of_b, list_a), count_b = edges_within(&c->b, &of_a, list_b);
    for (uint32_t i = 0; i < count_a; ++i)
        ridge_a[i] = ridge_of(&c->a, list_a[i]);
    for (uint32_t j = 0; j < count_b; ++j) {
        ridge b = ridge_of(&c->b, list_b[j]);
        for (uint32_t i = 0; i < count_a; ++i) {
            sn_dvec3 normal;
            double separation;
            if (axis_of_ridges(&ridge_a[i], &b, &normal, &separation) && separation > best.separation &&
                leads_to_front(c, normal))
                best = (sn_axis){SN_AXIS_EDGES, separation, normal, list_a[i], list_b[j]};
        }
    }
    return best;
}

static double largest(const sn_axis *a, const sn_axis *b)
{
    return a->separation > b->separation ? a->separation : b->separation;
}

bool sn_axes_of_hulls(sn_collision *c)
{
    c->face_a = c->face_b = c->edges = (sn_axis){.type = SN_AXIS_NONE, .separation = -(double)INFINITY};
    axes_of_hulls(c, &c->face_a, &c->face_b);
    double most = largest(&c->face_a, &c->face_b);
    if (most <= 0) { /* for separated hulls a search for the distance is cheaper */
        c->edges = edges_of_hulls(c, -most);
        most = c->edges.separation > most ? c->edges.separation : most;
    }
    if (most > c->reach)
        c->apart = most;
    return most <= c->reach;
}
