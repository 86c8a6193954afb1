/* Continuous collision detection by inclusion: boxes of (t, u, v) are excluded or cut in two until none is left or one
   is too small to cut. (Snyder 1992 and Redon et al. 2002 for the idea; Wang et al. 2021, "A large-scale benchmark and
   an inclusion-based algorithm for continuous collision detection", for the form in which it is fast.)

   Both queries have one form. The difference between a point on one feature and a point on the other is

       F(t, u, v) = A(t) + u B(t) + v C(t),    A, B, C linear in t,

       vertex p, triangle a b c:    A = p - a,    B = a - b,    C = a - c,    u, v >= 0,  u + v <= 1
       edges a b, c d:              A = a - c,    B = b - a,    C = c - d,    u, v in [0, 1]

   They touch where F = 0. F is linear in each of its arguments, so over a box it stays within the convex hull of its
   values at the corners. If all of these are on one side of a plane through 0, by more than the rounding error, the box
   contains no contact. The planes tried are those normal to the coordinate axes and those along two edges of the image
   of the box. The image is nearly a parallelepiped: a thin and oblique one is then separated from 0 at once, where axes
   alone would need many cuts.

   Rounding. Let D be the largest |component| of A, B and C at both ends, and e = 2^-53. Differences of inputs are
   rounded once: an error of at most e D. Times and weights are multiples of 2^-CUTS and exact, as are 1 - t. A(t) = (1
   - t) A0 + t A1 has the error e D (inputs) + e D (products) + e D (sum) = 3 e D, and a few e^2. u B: 4 e D. A + u B,
   at most 2 D large: 3 + 4 + 2 = 9 e D. With v C, at most 3 D in all: 9 + 4 + 3 = 16 e D. WRONG is twice that. Along
   another direction n products and sums add at most (3 D) * 3 e for each component's |n|, 9 e D; WRONG_ALONG has room
   for that, too. TINY covers underflow.

   Boxes are searched depth first, the earlier half first. A box that is too small to cut counts as a contact at its
   earliest time. After that, only earlier boxes are searched. */
#include <sinew/ccd.h>

#include <math.h>
#include <string.h>

#define CUTS        48             /* of each argument: no box is smaller than 2^-48 */
#define SMALL       0x1p-36        /* of D: images no larger than this are not cut */
#define ROUGH       0.125          /* of the contact separation: images no larger than this are not cut, either */
#define WRONG       (32 * 0x1p-53) /* of D, see above */
#define WRONG_ALONG (48 * 0x1p-53) /* of D, and of the sum of |components| of the direction */
#define TINY        1e-290         /* the most that underflow can add up to */
#define LARGEST     1e60           /* of D: above it products might overflow */
#define MOST_BOXES  4000           /* a query that needs more is ended, and counts as a contact */
#define STACK       (3 * CUTS + 2) /* each cut pushes one half */

#define MOST_CORNERS 5

typedef struct box {
    double low[3], size[3]; /* of t, u, v */
} box;

typedef struct query {
    double at[2][3][3]; /* A, B, C at t = 0 and 1 */
    double largest;     /* D */
    double apart;       /* m: the separation that counts as contact */
    bool triangle;      /* u + v <= 1 */
} query;

/* The image of a box under F. */
typedef struct image {
    double a[2][3][3];                  /* A, B, C at the box's two times */
    double corner[2 * MOST_CORNERS][3]; /* F at the corners, at the first time, then at the second */
    int corners;                        /* of the range of u and v: 4, or 3 to 5 where u + v <= 1 cuts some off */
} image;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double largest_of(const double *x)
{
    return larger(fabs(x[0]), larger(fabs(x[1]), fabs(x[2])));
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* The corners of the range of u and v; all exact. (It would also be correct to keep the full range and only drop boxes
   beyond u + v = 1. But then a vertex that comes near the line of a flat triangle needs an endless number of boxes
   along u + v = 1.) */
static int range_corners(const query *q, const box *b, double corner[MOST_CORNERS][2])
{
    const double u = b->low[1], v = b->low[2], u1 = u + b->size[1], v1 = v + b->size[2];
    const bool whole = !q->triangle || u1 + v1 <= 1;
    const double far_u = whole ? u1 : smaller(u1, 1 - v), far_v = whole ? v1 : smaller(v1, 1 - u);
    const double at[MOST_CORNERS][2] = {
        {u, v}, {far_u, v}, {u, far_v}, {far_u, whole ? v1 : smaller(v1, 1 - far_u)}, {smaller(u1, 1 - far_v), far_v}};
    memcpy(corner, at, sizeof at);
    return whole ? 4 : 5;
}

static void measure(const query *q, const box *b, image *m)
{
    double at[MOST_CORNERS][2];
    const int corners = m->corners = range_corners(q, b, at);
    for (int i = 0; i < 2; ++i) {
        const double t = b->low[0] + i * b->size[0];
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                m->a[i][j][k] = (1 - t) * q->at[0][j][k] + t * q->at[1][j][k];
        for (int c = 0; c < corners; ++c)
            for (int k = 0; k < 3; ++k)
                m->corner[i * corners + c][k] = m->a[i][0][k] + at[c][0] * m->a[i][1][k] + at[c][1] * m->a[i][2][k];
    }
}

/* True if all values are on one side of 0 by more than `by`. */
static bool is_aside(const double *value, int count, double by)
{
    double least = (double)INFINITY, most = (double)-INFINITY;
    for (int i = 0; i < count; ++i) {
        least = value[i] < least ? value[i] : least;
        most = value[i] > most ? value[i] : most;
    }
    return least > by || most < -by;
}

static bool excluded_along_axes(const query *q, const image *m)
{
    double value[2 * MOST_CORNERS];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 2 * m->corners; ++i)
            value[i] = m->corner[i][k];
        if (is_aside(value, 2 * m->corners, q->apart + WRONG * q->largest + TINY))
            return true;
    }
    return false;
}

static bool excluded_along(const query *q, const image *m, const double *n)
{
    const double sum = fabs(n[0]) + fabs(n[1]) + fabs(n[2]);
    double value[2 * MOST_CORNERS];
    for (int i = 0; i < 2 * m->corners; ++i) {
        const double *f = m->corner[i];
        value[i] = n[0] * f[0] + n[1] * f[1] + n[2] * f[2];
    }
    return is_aside(value, 2 * m->corners, sum * (q->apart + WRONG_ALONG * q->largest) * (1 + 0x1p-50) + TINY);
}

static void cross(const double *a, const double *b, double *to)
{
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

/* The perpendicular from the line through 0 along an edge to a corner, scaled. */
static void away_from(const double *edge, const double *corner, double *to)
{
    const double square = edge[0] * edge[0] + edge[1] * edge[1] + edge[2] * edge[2];
    const double along = edge[0] * corner[0] + edge[1] * corner[1] + edge[2] * corner[2];
    for (int k = 0; k < 3; ++k)
        to[k] = corner[k] * square - edge[k] * along;
}

/* Tries the normals of the image's sides, about its centre. For a flat image, whose sides are lines, it tries their
   normals within the plane. For an image that is a line, the direction away from the line. */
static bool excluded_along_sides(const query *q, const image *m)
{
    double edge[4][3], normal[3][3], across[3];
    int flattest = 0, longest = 0;
    for (int k = 0; k < 3; ++k) {
        edge[0][k] = m->corner[m->corners][k] - m->corner[0][k] + (m->corner[m->corners + 3][k] - m->corner[3][k]);
        edge[1][k] = m->a[0][1][k] + m->a[1][1][k];
        edge[2][k] = m->a[0][2][k] + m->a[1][2][k];
    }
    for (int j = 0; j < 3; ++j) {
        cross(edge[(j + 1) % 3], edge[(j + 2) % 3], normal[j]);
        if (excluded_along(q, m, normal[j]))
            return true;
        flattest = largest_of(normal[j]) > largest_of(normal[flattest]) ? j : flattest;
        longest = largest_of(edge[j]) > largest_of(edge[longest]) ? j : longest;
    }
    for (int k = 0; k < 3; ++k)
        edge[3][k] = edge[1][k] - edge[2][k];
    for (int j = 0; j < (q->triangle ? 4 : 3); ++j) {
        cross(normal[flattest], edge[j], across);
        if (excluded_along(q, m, across))
            return true;
    }
    away_from(edge[longest], m->corner[0], across);
    return excluded_along(q, m, across);
}

/* The argument along which the image is longest; -1: it is too small to be cut. Once a contact was found only earlier
   times count, and these are reached soonest by cutting time. */
static int side_to_cut(const query *q, const box *b, const image *m, bool found)
{
    double length[3] = {0, 0, 0}, least = larger(SMALL * q->largest, ROUGH * q->apart);
    for (int c = 0; c < m->corners; ++c)
        for (int k = 0; k < 3; ++k)
            length[0] = larger(length[0], fabs(m->corner[m->corners + c][k] - m->corner[c][k]));
    for (int j = 1; j < 3; ++j)
        length[j] = b->size[j] * larger(largest_of(m->a[0][j]), largest_of(m->a[1][j]));
    int side = -1;
    if (found && length[0] > least && b->size[0] > 0x1p-48)
        return 0;
    for (int j = 0; j < 3; ++j)
        if (length[j] > least && b->size[j] > 0x1p-48)
            side = j, least = length[j];
    return side;
}

/* Cuts a box in two. The lower (for time: earlier) half is put on top of the stack. */
static void cut(box *stack, int *height, box b, int side)
{
    b.size[side] *= 0.5;
    box upper = b;
    upper.low[side] += b.size[side];
    stack[(*height)++] = upper;
    stack[(*height)++] = b;
}

static bool find_touch(const query *q, double *time)
{
    box stack[STACK] = {{{0, 0, 0}, {1, 1, 1}}};
    int height = 1;
    bool found = false;
    *time = 1;
    for (int boxes = 0; height > 0; ++boxes) {
        const box b = stack[--height];
        if ((found && b.low[0] >= *time) || (q->triangle && b.low[1] + b.low[2] > 1))
            continue;
        image m;
        measure(q, &b, &m);
        if (excluded_along_axes(q, &m) || excluded_along_sides(q, &m))
            continue;
        const int side = boxes < MOST_BOXES ? side_to_cut(q, &b, &m, found) : -1;
        if (side < 0) {
            found = true;
            *time = b.low[0];
        } else {
            cut(stack, &height, b, side);
        }
    }
    return found;
}

/* A, B and C are differences of these points: minuend and subtrahend. */
static const int of_triangle[3][2] = {{0, 1}, {1, 2}, {1, 3}}, of_edges[3][2] = {{0, 2}, {1, 0}, {2, 3}};

static bool ask(const double *start, const double *end, double separation, const int (*of)[2], double *time)
{
    query q = {.apart = separation > 0 ? separation : 0, .triangle = of == of_triangle};
    double first;
    bool finite = isfinite(separation);
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) {
            q.at[0][j][k] = start[3 * of[j][0] + k] - start[3 * of[j][1] + k];
            q.at[1][j][k] = end[3 * of[j][0] + k] - end[3 * of[j][1] + k];
            finite = finite && isfinite(q.at[0][j][k]) && isfinite(q.at[1][j][k]);
            q.largest = larger(q.largest, larger(fabs(q.at[0][j][k]), fabs(q.at[1][j][k])));
        }
    const bool countable = finite && q.largest < LARGEST;
    if (!countable)
        first = 0;
    const bool touches = !countable || find_touch(&q, &first);
    if (time)
        *time = first;
    return touches;
}

bool sn_ccd_vertex_triangle(const double *start, const double *end, double separation, double *time)
{
    return ask(start, end, separation, of_triangle, time);
}

bool sn_ccd_edge_edge(const double *start, const double *end, double separation, double *time)
{
    return ask(start, end, separation, of_edges, time);
}
