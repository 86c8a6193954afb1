/* Contact of two boxes. Where other solids need hulls, polygons and a search, boxes have closed forms. The axes are the
   rows and columns of one rotation (Gottschalk, Lin and Manocha 1996). The face that faces a face is a parallelogram
   over a rectangle: the two are intersected by clipping four lines (Liang and Barsky 1984) and by testing which corners
   of one are inside the other. A contact point is a position on the rectangle and a height above it, along the
   normal. */
#include "collision/manifold_work.h"

/* Squared sine between two edges: nearly parallel edges are skipped. Their common normal is lost in rounding, and faces
   give the same separation. */
#define PARALLEL 1e-6

#define SIDES 4u
#define MOST  16u /* four corners of each, and two crossings on each of four lines; one more for edges */

/* Both boxes, seen from b. */
typedef struct boxes {
    double half[2][3]; /* m: of a and b */
    double turn[3][3]; /* axis j of a along axis i of b: [i][j] */
    double size[3][3]; /* absolute values of turn */
    double on[2][3];   /* m: from the centre of b to that of a, along the axes of a (0) and of b (1) */
} boxes;

/* The box on whose face points are described (the reference box), and the other box seen from it. */
typedef struct view {
    const double *half, *other;  /* m: half edges */
    double axis[3][3], place[3]; /* of the other box */
    double out[3];               /* the normal, out of the face */
    uint32_t n, x, y;            /* axis of the face, and the two axes in the face */
    double sign;                 /* of the axis: the side on which the face is */
    double slack;                /* m: how far beside the face a corner may be to still count as over it */
    bool of_a;
} view;

typedef struct mark {
    double at[2], height; /* m: in the face, and above it along the normal */
    uint32_t feature;
} mark;

typedef struct marks {
    uint32_t count;
    mark mark[MOST + 1];
} marks;

static boxes boxes_of(const sn_frame_pair *f, const sn_convex *a, const sn_convex *b)
{
    boxes s = {.half = {{(double)a->half.x, (double)a->half.y, (double)a->half.z},
                        {(double)b->half.x, (double)b->half.y, (double)b->half.z}},
               .on[1] = {f->place.x, f->place.y, f->place.z}};
    for (uint32_t j = 0; j < 3; ++j) {
        const double part[3] = {f->axis[j].x, f->axis[j].y, f->axis[j].z};
        s.on[0][j] = dvec3_dot(f->axis[j], f->place);
        for (uint32_t i = 0; i < 3; ++i) {
            s.turn[i][j] = part[i];
            s.size[i][j] = fabs(part[i]);
        }
    }
    return s;
}

/* ---- Axes -------------------------------------------------------------------------------------------------------- */

/* Separations along face normals. Faces are in the order of sn_hull_box. */
static void axes_of_faces(const boxes *s, sn_axis *of_a, sn_axis *of_b)
{
    uint32_t i = 0, j = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        const double *row = s->size[k];
        const double room_b = fabs(s->on[1][k]) - s->half[1][k] -
                              (s->half[0][0] * row[0] + s->half[0][1] * row[1] + s->half[0][2] * row[2]);
        const double room_a =
            fabs(s->on[0][k]) - s->half[0][k] -
            (s->half[1][0] * s->size[0][k] + s->half[1][1] * s->size[1][k] + s->half[1][2] * s->size[2][k]);
        if (k == 0 || room_b > of_b->separation) {
            of_b->separation = room_b;
            i = k;
        }
        if (k == 0 || room_a > of_a->separation) {
            of_a->separation = room_a;
            j = k;
        }
    }
    const bool front_b = s->on[1][i] >= 0, front_a = s->on[0][j] < 0;
    const double sign = front_a ? -1 : 1;
    of_b->type = SN_AXIS_FACE_B;
    of_b->b = 2 * i + front_b;
    of_b->normal = dvec3(0, 0, 0);
    *(i == 0 ? &of_b->normal.x : i == 1 ? &of_b->normal.y : &of_b->normal.z) = front_b ? 1 : -1;
    of_a->type = SN_AXIS_FACE_A;
    of_a->a = 2 * j + front_a;
    of_a->normal = dvec3(sign * s->turn[0][j], sign * s->turn[1][j], sign * s->turn[2][j]);
}

static const uint32_t next[5] = {0, 1, 2, 0, 1};

/* The axis is b_i x a_j, with length sqrt(1 - turn^2). For overlaps: an axis that is not better than `most` before
   division by the length is not better after it. edges->a, b: the axes of the edges. */
static void axes_of_edges(const boxes *s, double most, sn_axis *edges)
{
    for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t i1 = next[i + 1], i2 = next[i + 2];
        for (uint32_t j = 0; j < 3; ++j) {
            const uint32_t j1 = next[j + 1], j2 = next[j + 2];
            const double apart = fabs(s->on[1][i2] * s->turn[i1][j] - s->on[1][i1] * s->turn[i2][j]);
            const double filled = s->half[1][i1] * s->size[i2][j] + s->half[1][i2] * s->size[i1][j] +
                                  s->half[0][j1] * s->size[i][j2] + s->half[0][j2] * s->size[i][j1];
            const double square = s->turn[i1][j] * s->turn[i1][j] + s->turn[i2][j] * s->turn[i2][j];
            double room = apart - filled;
            if ((room <= 0 && room <= most) || !(square > PARALLEL))
                continue;
            room /= sqrt(square);
            if (!(room > most))
                continue;
            most = room;
            *edges = (sn_axis){.type = SN_AXIS_EDGES, .separation = room, .a = j, .b = i};
        }
    }
    if (edges->type == SN_AXIS_NONE)
        return;
    const uint32_t i = edges->b, i1 = next[i + 1], i2 = next[i + 2], j = edges->a;
    double n[3], length = sqrt(s->turn[i1][j] * s->turn[i1][j] + s->turn[i2][j] * s->turn[i2][j]);
    length = s->on[1][i2] * s->turn[i1][j] < s->on[1][i1] * s->turn[i2][j] ? -length : length;
    n[i] = 0;
    n[i1] = -s->turn[i2][j] / length;
    n[i2] = s->turn[i1][j] / length;
    edges->normal = dvec3(n[0], n[1], n[2]);
}

/* ---- Views ------------------------------------------------------------------------------------------------------- */

static view view_of(const sn_collision *c, const boxes *s, bool of_a, uint32_t face)
{
    view v = {.half = s->half[of_a ? 0 : 1], .other = s->half[of_a ? 1 : 0], .n = face / 2, .of_a = of_a};
    v.x = v.n == 0 ? 1 : 0;
    v.y = v.n == 2 ? 1 : 2;
    v.out[v.n] = v.sign = face & 1 ? 1 : -1;
    v.slack = SN_MANIFOLD_BESIDE * c->size;
    for (uint32_t i = 0; i < 3; ++i) {
        v.place[i] = of_a ? -s->on[0][i] : s->on[1][i];
        for (uint32_t k = 0; k < 3; ++k)
            v.axis[i][k] = of_a ? s->turn[i][k] : s->turn[k][i];
    }
    return v;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A point (m, relative to the box's centre) or a displacement, as a position in the face and a height above it along
   the normal. */
static mark seen(const view *v, const double p[3], double level)
{
    mark m = {.height = (v->sign * p[v->n] - level) / (v->sign * v->out[v->n])};
    m.at[0] = p[v->x] - m.height * v->out[v->x];
    m.at[1] = p[v->y] - m.height * v->out[v->y];
    return m;
}

static uint32_t name_of_corner(bool of_a, uint32_t corner)
{
    return feature_name(of_a ? SN_FEATURE_CORNER_A : SN_FEATURE_CORNER_B, 0, corner);
}

static void put(marks *to, const sn_collision *c, mark m)
{
    if (m.height <= c->reach && to->count < MOST)
        to->mark[to->count++] = m;
}

/* ---- The facing face --------------------------------------------------------------------------------------------- */

/* The face of the other box that faces this one, seen along the normal: a parallelogram with its corners in order. */
typedef struct facing {
    mark middle, u, v;
    mark corner[SIDES];
    uint32_t name[SIDES]; /* corner indices */
    uint32_t out[SIDES];  /* bits: sides of the rectangle that the corner is beyond by more than slack */
} facing;

/* m: how far a point is beyond a side of the rectangle. Sides 0 and 1 are at the ends of its first axis. */
static double beyond(const view *v, const mark *m, uint32_t side)
{
    const double at = m->at[side >> 1], half = v->half[side >> 1 ? v->y : v->x];
    return (side & 1 ? -at : at) - half;
}

static facing facing_of(const view *v)
{
    facing f;
    double p[3], most = -1, along = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        const double here = dot(v->axis[i], v->out);
        if (fabs(here) > most) {
            most = fabs(here);
            along = here;
            n = i;
        }
    }
    const uint32_t x = next[n + 1], y = next[n + 2];
    const double *by_u = v->axis[x], *by_v = v->axis[y], half = along > 0 ? -v->other[n] : v->other[n];
    for (uint32_t k = 0; k < 3; ++k)
        p[k] = v->place[k] + v->axis[n][k] * half;
    f.middle = seen(v, p, v->half[v->n]);
    f.u = seen(v, by_u, 0);
    f.v = seen(v, by_v, 0);
    const uint32_t base = along > 0 ? 0 : 1u << n;
    for (uint32_t i = 0; i < SIDES; ++i) { /* - -, + -, + +, - + */
        const bool right = i == 1 || i == 2, up = i >= 2;
        const double du = right ? v->other[x] : -v->other[x], dv = up ? v->other[y] : -v->other[y];
        mark *m = &f.corner[i];
        m->at[0] = f.middle.at[0] + (du * f.u.at[0] + dv * f.v.at[0]);
        m->at[1] = f.middle.at[1] + (du * f.u.at[1] + dv * f.v.at[1]);
        m->height = f.middle.height + (du * f.u.height + dv * f.v.height);
        f.name[i] = base | (uint32_t)right << x | (uint32_t)up << y;
        m->feature = name_of_corner(!v->of_a, f.name[i]);
        f.out[i] = 0;
        for (uint32_t side = 0; side < SIDES; ++side)
            f.out[i] |= (uint32_t)(beyond(v, m, side) > v->slack) << side;
    }
    for (uint32_t k = 0; k < 2; ++k) {
        f.u.at[k] *= v->other[x];
        f.v.at[k] *= v->other[y];
    }
    f.u.height *= v->other[x];
    f.v.height *= v->other[y];
    return f;
}

static uint32_t own_corner(const view *v, bool right, bool up)
{
    return (uint32_t)(v->sign > 0) << v->n | (uint32_t)right << v->x | (uint32_t)up << v->y;
}

/* Adds the crossing of a line with a side of the rectangle. */
static void put_crossing(const sn_collision *c, const view *v, const facing *f, uint32_t from, double t, uint32_t side,
                         marks *to)
{
    const uint32_t end = (from + 1) % SIDES;
    const mark *p = &f->corner[from], *q = &f->corner[end];
    const bool high = !(side & 1);
    const uint32_t own = side >> 1 ? edge_name(own_corner(v, false, high), own_corner(v, true, high))
                                   : edge_name(own_corner(v, high, false), own_corner(v, high, true));
    const uint32_t other = edge_name(f->name[from], f->name[end]);
    put(to, c,
        (mark){{p->at[0] + (q->at[0] - p->at[0]) * t, p->at[1] + (q->at[1] - p->at[1]) * t},
               p->height + (q->height - p->height) * t,
               feature_name(SN_FEATURE_EDGES, v->of_a ? own : other, v->of_a ? other : own)});
}

/* Adds the new ends of a line that is clipped. Corners only slightly beside the face are kept unclipped, so that the
   same points are found from step to step. */
static void clip_line(const sn_collision *c, const view *v, const facing *f, uint32_t from, marks *to)
{
    const uint32_t end = (from + 1) % SIDES, out = f->out[from] ^ f->out[end];
    double enters = 0, leaves = 1;
    uint32_t first = 0, last = 0;
    if (!out || (f->out[from] & f->out[end]))
        return;
    for (uint32_t side = 0; side < SIDES; ++side) {
        if (!(out >> side & 1))
            continue;
        const double here = beyond(v, &f->corner[from], side), there = beyond(v, &f->corner[end], side);
        const double t = here / (here - there);
        if (f->out[from] >> side & 1) {
            const double in = there < 0 ? t : 1;
            if (in > enters) {
                enters = in;
                first = side;
            }
        } else {
            const double in = here < 0 ? t : 0;
            if (in < leaves) {
                leaves = in;
                last = side;
            }
        }
    }
    if (!(enters < leaves))
        return;
    if (f->out[from])
        put_crossing(c, v, f, from, enters, first, to);
    if (f->out[end])
        put_crossing(c, v, f, from, leaves, last, to);
}

/* Adds corners of the rectangle under the parallelogram, except those only slightly inside it. */
static void put_own_corners(const sn_collision *c, const view *v, const facing *f, marks *to)
{
    const double *u = f->u.at, *w = f->v.at, area = u[0] * w[1] - u[1] * w[0], size = fabs(area);
    const double beside_u = size - v->slack * sqrt(w[0] * w[0] + w[1] * w[1]);
    const double beside_w = size - v->slack * sqrt(u[0] * u[0] + u[1] * u[1]);
    for (uint32_t i = 0; i < SIDES; ++i) {
        const bool right = i & 1, up = i >> 1;
        mark m = {.at = {right ? v->half[v->x] : -v->half[v->x], up ? v->half[v->y] : -v->half[v->y]}};
        const double x = m.at[0] - f->middle.at[0], y = m.at[1] - f->middle.at[1];
        const double by_u = x * w[1] - y * w[0], by_w = u[0] * y - u[1] * x;
        if (!(fabs(by_u) < beside_u && fabs(by_w) < beside_w))
            continue;
        m.height = f->middle.height + (by_u * f->u.height + by_w * f->v.height) / area;
        m.feature = name_of_corner(v->of_a, own_corner(v, right, up));
        put(to, c, m);
    }
}

static void put_all(const sn_collision *c, const view *v, marks *to)
{
    const facing f = facing_of(v);
    for (uint32_t i = 0; i < SIDES; ++i)
        if (!f.out[i])
            put(to, c, f.corner[i]);
    if (!(f.out[0] | f.out[1] | f.out[2] | f.out[3]))
        return;
    for (uint32_t i = 0; i < SIDES; ++i)
        clip_line(c, v, &f, i, to);
    put_own_corners(c, v, &f, to);
}

/* ---- Edges ------------------------------------------------------------------------------------------------------- */

static uint32_t name_of_edge(uint32_t axis, uint32_t corner)
{
    return edge_name(corner & ~(1u << axis), corner | 1u << axis);
}

/* The point where two edges cross, seen along their common normal. Also the points where the adjacent faces would
   touch, along that normal, if the boxes rotated. Without these a box that hit with an edge, and came down flat within
   the substep, sank in by a tenth of its size. */
static bool edges_cross(const sn_collision *c, const boxes *s, view *v, marks *to)
{
    const uint32_t i = c->edges.b, j = c->edges.a;
    const double n[3] = {c->edges.normal.x, c->edges.normal.y, c->edges.normal.z};
    double p[3] = {0}, q[3] = {0};
    uint32_t corner_a = 0, corner_b = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        const bool far_a = k != j && dot(v->axis[k], n) < 0, far_b = k != i && n[k] > 0;
        const double by = k == j ? 0 : far_a ? v->other[k] : -v->other[k];
        corner_a |= (uint32_t)far_a << k;
        corner_b |= (uint32_t)far_b << k;
        q[k] = k == i ? 0 : far_b ? v->half[k] : -v->half[k];
        for (uint32_t l = 0; l < 3; ++l)
            p[l] += by * v->axis[k][l];
    }
    for (uint32_t k = 0; k < 3; ++k)
        p[k] += v->place[k];
    const double off[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    const double turn = s->turn[i][j], on_a = dot(v->axis[j], off), area = 1 - turn * turn;
    const double along_a = (turn * off[i] - on_a) / area, along_b = (off[i] - turn * on_a) / area;
    if (!(fabs(along_a) <= v->other[j] + v->slack && fabs(along_b) <= v->half[i] + v->slack))
        return false;
    q[i] = along_b;
    to->mark[0] = (mark){{q[v->x], q[v->y]},
                         dot(n, off),
                         feature_name(SN_FEATURE_EDGES, name_of_edge(j, corner_a), name_of_edge(i, corner_b))};
    to->count = to->mark[0].height <= c->reach;
    return to->count > 0;
}

static void leave_first(double across[2][2], double beside, marks *from)
{
    const mark *first = &from->mark[0];
    uint32_t left = 1;
    for (uint32_t i = 1; i < from->count; ++i) {
        const double x = from->mark[i].at[0] - first->at[0], y = from->mark[i].at[1] - first->at[1];
        const double u = across[0][0] * x + across[0][1] * y, w = across[1][0] * x + across[1][1] * y;
        if (from->mark[i].feature != first->feature && u * u + w * w > beside * beside)
            from->mark[left++] = from->mark[i];
    }
    from->count = left;
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

/* Two directions across the normal, expressed in the axes of the face. */
static void see_across(const view *v, double across[2][2])
{
    if (fabs(v->out[v->n]) == 1) {
        across[0][0] = across[1][1] = SN_FLAT_COSINE;
        across[0][1] = SN_FLAT_SINE;
        across[1][0] = -SN_FLAT_SINE;
        return;
    }
    const sn_dvec3 n = dvec3(v->out[0], v->out[1], v->out[2]), u = dvec3_any_normal(n), w = dvec3_cross(n, u);
    const double by_u[3] = {u.x, u.y, u.z}, by_w[3] = {w.x, w.y, w.z};
    const uint32_t axis[2] = {v->x, v->y};
    for (uint32_t k = 0; k < 2; ++k) {
        across[0][k] = SN_FLAT_COSINE * by_u[axis[k]] + SN_FLAT_SINE * by_w[axis[k]];
        across[1][k] = SN_FLAT_COSINE * by_w[axis[k]] - SN_FLAT_SINE * by_u[axis[k]];
    }
}

static void write_point(const sn_collision *c, const view *v, const mark *m, sn_manifold_point *point)
{
    const double own = c->rounding[v->of_a ? 0 : 1], other = m->height - c->rounding[v->of_a ? 1 : 0];
    double p[3], there[3];
    p[v->x] = m->at[0];
    p[v->y] = m->at[1];
    p[v->n] = v->sign * v->half[v->n];
    for (uint32_t k = 0; k < 3; ++k)
        there[k] = p[k] + other * v->out[k] - v->place[k];
    const sn_vec3 here =
        vec3((sn_real)(p[0] + own * v->out[0]), (sn_real)(p[1] + own * v->out[1]), (sn_real)(p[2] + own * v->out[2]));
    const sn_vec3 over =
        vec3((sn_real)dot(v->axis[0], there), (sn_real)dot(v->axis[1], there), (sn_real)dot(v->axis[2], there));
    *point = (sn_manifold_point){v->of_a ? here : over, v->of_a ? over : here, (sn_real)(other - own), m->feature};
}

static double nearest_of(const marks *all)
{
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < all->count; ++i)
        least = all->mark[i].height < least ? all->mark[i].height : least;
    return least;
}

static void write_all(const sn_collision *c, const view *v, double across[2][2], sn_real reach, marks *from,
                      sn_manifold *m)
{
    sn_flat flat[MOST + 1];
    uint8_t kept[SN_MANIFOLD_MOST];
    const double far = sn_collision_far(c, nearest_of(from), (double)reach);
    uint32_t left = 0;
    for (uint32_t i = 0; i < from->count; ++i) {
        const mark p = from->mark[i];
        if (p.height > far)
            continue;
        from->mark[left] = p;
        flat[left++] = (sn_flat){across[0][0] * p.at[0] + across[0][1] * p.at[1],
                                 across[1][0] * p.at[0] + across[1][1] * p.at[1], p.height};
    }
    m->count = sn_flats_reduce(flat, left, c->size, kept);
    m->apart = reach;
    for (uint32_t i = 0; i < m->count; ++i)
        write_point(c, v, &from->mark[kept[i]], &m->point[i]);
}

static bool touch_by(const sn_collision *c, const sn_frame_pair *f, const boxes *s, const sn_axis *axis, double enough,
                     sn_real reach, sn_manifold *m)
{
    const bool of_a = axis->type == SN_AXIS_FACE_A, edges = axis->type == SN_AXIS_EDGES;
    const double n[3] = {fabs(axis->normal.x), fabs(axis->normal.y), fabs(axis->normal.z)};
    const uint32_t most = n[2] > n[0] && n[2] > n[1] ? 2 : n[1] > n[0] ? 1 : 0;
    const double part = most == 0 ? axis->normal.x : most == 1 ? axis->normal.y : axis->normal.z;
    view v = view_of(c, s, of_a, of_a ? axis->a : edges ? 2 * most + (part > 0) : axis->b);
    marks all;
    double across[2][2];
    all.count = 0;
    if (edges) {
        v.out[0] = axis->normal.x;
        v.out[1] = axis->normal.y;
        v.out[2] = axis->normal.z;
        if (!edges_cross(c, s, &v, &all) || !(all.mark[0].height <= enough))
            return false;
    }
    put_all(c, &v, &all);
    if (!all.count || !(edges || nearest_of(&all) <= enough))
        return false;
    see_across(&v, across);
    if (edges)
        leave_first(across, 2 * v.slack, &all);
    write_all(c, &v, across, reach, &all, m);
    m->normal = dvec3_round(dvec3_by_axes(f->world, axis->normal));
    return true;
}

static double area_of(const boxes *s, bool of_a, uint32_t face)
{
    const double *half = s->half[of_a ? 0 : 1];
    return half[next[face / 2 + 1]] * half[next[face / 2 + 2]];
}

sn_quick_answer sn_boxes_touch(sn_collision *c, const sn_frame_pair *f, const sn_convex *a, const sn_convex *b,
                               sn_real reach, sn_manifold *m)
{
    const boxes s = boxes_of(f, a, b);
    c->face_a = c->face_b = c->edges = (sn_axis){.type = SN_AXIS_NONE, .separation = -(double)INFINITY};
    axes_of_faces(&s, &c->face_a, &c->face_b);
    const double faces = fmax(c->face_a.separation, c->face_b.separation);
    if (faces <= c->reach)
        axes_of_edges(&s, faces, &c->edges);
    const double most = fmax(faces, c->edges.separation);
    if (most > c->reach) {
        c->apart = most;
        return SN_QUICK_APART;
    }
    const double size_a = area_of(&s, true, c->face_a.a), size_b = area_of(&s, false, c->face_b.b);
    const sn_axis_choice k = sn_axes_choose(c, size_a, size_b);
    if (touch_by(c, f, &s, k.first, k.enough, reach, m) ||
        (k.best != k.first && touch_by(c, f, &s, k.best, k.enough, reach, m)))
        return SN_QUICK_TOUCH;
    return SN_QUICK_UNKNOWN;
}

/* ---- Planes ------------------------------------------------------------------------------------------------------ */

/* The corners of the face that is on the plane, or most nearly so. They are all different, so no selection is
   needed. */
uint32_t sn_box_on_plane(const sn_convex *box, const sn_frame_pair *f, const sn_collision *c, sn_manifold *m)
{
    const double half[3] = {(double)box->half.x, (double)box->half.y, (double)box->half.z};
    const double up[3] = {f->axis[0].y, f->axis[1].y, f->axis[2].y};
    const double size[3] = {fabs(up[0]), fabs(up[1]), fabs(up[2])};
    const uint32_t n = size[2] > size[0] && size[2] > size[1] ? 2 : size[1] > size[0] ? 1 : 0;
    const uint8_t *loop = sn_hull_box_loop + SIDES * (2 * n + (up[n] < 0));
    m->count = 0;
    for (uint32_t i = 0; i < SIDES; ++i) {
        const double own[3] = {loop[i] & 1 ? half[0] : -half[0], loop[i] & 2 ? half[1] : -half[1],
                               loop[i] & 4 ? half[2] : -half[2]};
        const double height = f->place.y + dot(up, own);
        if (!(height <= c->reach))
            continue;
        const sn_dvec3 p = dvec3_add(f->place, dvec3_by_axes(f->axis, dvec3(own[0], own[1], own[2])));
        const double r = c->rounding[0];
        m->point[m->count++] = (sn_manifold_point){
            vec3((sn_real)(own[0] - r * up[0]), (sn_real)(own[1] - r * up[1]), (sn_real)(own[2] - r * up[2])),
            vec3((sn_real)p.x, (sn_real)c->rounding[1], (sn_real)p.z), (sn_real)(height - r - c->rounding[1]),
            name_of_corner(true, loop[i])};
    }
    m->normal = dvec3_round(f->world[1]);
    return m->count > 0;
}

/* ---- Sweeps ------------------------------------------------------------------------------------------------------ */

/* The interval of time in which they overlap along all axes. */
typedef struct span {
    double enters, leaves;
} span;

/* Clips the interval by one axis. along: distance from b to a; displacement: displacement of a; filled: sum of their
   half extents. */
static void cut_span(span *s, double along, double displacement, double filled)
{
    along = displacement > 0 ? -along : along;
    displacement = fabs(displacement);
    if (!(displacement > 0)) {
        s->leaves = fabs(along) > filled ? -1 : s->leaves;
        return;
    }
    s->enters = fmax(s->enters, (along - filled) / displacement);
    s->leaves = fmin(s->leaves, (along + filled) / displacement);
}

bool sn_boxes_hit(const sn_convex *a, const sn_pose *pa, sn_vec3 displacement, const sn_convex *b, const sn_pose *pb,
                  sn_real *t)
{
    const sn_frame_pair f = sn_frame_pair_from(pa, pb);
    const boxes s = boxes_of(&f, a, b);
    const sn_dvec3 seen_displacement = dvec3_on_axes(f.world, dvec3_from(displacement));
    const double on_b[3] = {seen_displacement.x, seen_displacement.y, seen_displacement.z},
                 radius = (double)a->radius + (double)b->radius;
    span both = {0, 1};
    for (uint32_t k = 0; k < 3 && both.enters <= both.leaves; ++k) {
        cut_span(&both, s.on[1][k], on_b[k], s.half[1][k] + dot(s.half[0], s.size[k]) + radius);
        cut_span(&both, s.on[0][k], dvec3_dot(f.axis[k], seen_displacement),
                 s.half[0][k] + radius + s.half[1][0] * s.size[0][k] + s.half[1][1] * s.size[1][k] +
                     s.half[1][2] * s.size[2][k]);
    }
    for (uint32_t i = 0; i < 3 && both.enters <= both.leaves; ++i) {
        const uint32_t i1 = next[i + 1], i2 = next[i + 2];
        for (uint32_t j = 0; j < 3; ++j) {
            const double x = s.turn[i1][j], y = s.turn[i2][j], square = x * x + y * y;
            const double filled = s.half[1][i1] * s.size[i2][j] + s.half[1][i2] * s.size[i1][j] +
                                  s.half[0][next[j + 1]] * s.size[i][next[j + 2]] +
                                  s.half[0][next[j + 2]] * s.size[i][next[j + 1]];
            if (square > PARALLEL)
                cut_span(&both, s.on[1][i2] * x - s.on[1][i1] * y, on_b[i2] * x - on_b[i1] * y,
                         filled + radius * sqrt(square));
        }
    }
    *t = (sn_real)both.enters;
    return both.enters <= both.leaves;
}
