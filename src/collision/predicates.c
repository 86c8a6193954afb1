/* Exact predicates.

   A determinant is computed in double first, with a bound on its error. Only if its sign is not certain, it is computed
   again without any rounding, as an expansion: a sum of doubles that do not overlap, the smallest first (Dekker 1971,
   Knuth, Shewchuk 1997, "Adaptive precision floating-point arithmetic and fast robust geometric predicates"). The sign
   of an expansion is that of its last nonzero part. */
#include "collision/predicates.h"

#include <math.h>
#include <string.h>

#define HALF_ULP   0x1p-53
#define SPLITTER   134217729.0                      /* 2^27 + 1 */
#define WRONG_3D   ((7 + 56 * HALF_ULP) * HALF_ULP) /* of the sum of the terms' sizes: Shewchuk's error bounds */
#define WRONG_2D   ((3 + 16 * HALF_ULP) * HALF_ULP) /* with rounded differences of the inputs */
#define MOST_PARTS 192                              /* in an expansion: three times 2 * 2 * 16 */

/* ---- Expansions -------------------------------------------------------------------------------------------------- */

/* A sum of parts. Parts that are 0 are left out: for coordinates of single precision there are few parts. */
typedef struct expansion {
    int count;
    double part[MOST_PARTS];
} expansion;

/* The difference of two coordinates. */
typedef struct small {
    int count;
    double part[2];
} small;

/* a + b = sum + *rest, exactly. */
static double add_exactly(double a, double b, double *rest)
{
    const double sum = a + b, b_of_it = sum - a, a_of_it = sum - b_of_it;
    *rest = (a - a_of_it) + (b - b_of_it);
    return sum;
}

/* The high half of a product's factor: 26 bits. The rest is the low half. */
static double high_half(double a)
{
    const double c = SPLITTER * a;
    return c - (c - a);
}

static double multiply_exactly(double a, double b, double *rest)
{
    const double product = a * b, ah = high_half(a), al = a - ah, bh = high_half(b), bl = b - bh;
    *rest = al * bl - (((product - ah * bh) - al * bh) - ah * bl);
    return product;
}

static void add_part(expansion *e, double b)
{
    int kept = 0;
    if (b == 0)
        return;
    for (int i = 0; i < e->count; ++i) {
        double rest;
        b = add_exactly(b, e->part[i], &rest);
        if (rest != 0)
            e->part[kept++] = rest;
    }
    if (b != 0)
        e->part[kept++] = b;
    e->count = kept;
}

/* to += sign * a * b. */
static void add_product(expansion *to, const small *a, const double *b, int parts, double sign)
{
    for (int i = 0; i < a->count; ++i)
        for (int j = 0; j < parts; ++j) {
            double rest;
            const double product = multiply_exactly(a->part[i], b[j], &rest);
            add_part(to, sign * rest);
            add_part(to, sign * product);
        }
}

static small difference(double a, double b)
{
    small e = {.count = 0};
    double rest;
    const double d = add_exactly(a, -b, &rest);
    if (rest != 0)
        e.part[e.count++] = rest;
    if (d != 0)
        e.part[e.count++] = d;
    return e;
}

static int sign_of(const expansion *e)
{
    return e->count == 0 ? 0 : e->part[e->count - 1] > 0 ? 1 : -1;
}

/* ---- Orientation ------------------------------------------------------------------------------------------------- */

static int orient_3d_exactly(const double *a, const double *b, const double *c, const double *d)
{
    small u[3], v[3], w[3];
    expansion volume, minor;
    volume.count = 0;
    for (int k = 0; k < 3; ++k) {
        u[k] = difference(a[k], d[k]);
        v[k] = difference(b[k], d[k]);
        w[k] = difference(c[k], d[k]);
    }
    for (int k = 0; k < 3; ++k) {
        const small *one = &w[(k + 2) % 3], *other = &w[(k + 1) % 3];
        minor.count = 0;
        add_product(&minor, &v[(k + 1) % 3], one->part, one->count, 1);
        add_product(&minor, &v[(k + 2) % 3], other->part, other->count, -1);
        add_product(&volume, &u[k], minor.part, minor.count, 1);
    }
    return sign_of(&volume);
}

int sn_orient_3d(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3], volume = 0, size = 0;
    for (int k = 0; k < 3; ++k)
        u[k] = a[k] - d[k], v[k] = b[k] - d[k], w[k] = c[k] - d[k];
    for (int k = 0; k < 3; ++k) {
        const double one = v[(k + 1) % 3] * w[(k + 2) % 3], other = v[(k + 2) % 3] * w[(k + 1) % 3];
        volume += u[k] * (one - other);
        size += fabs(u[k]) * (fabs(one) + fabs(other));
    }
    if (volume > WRONG_3D * size)
        return 1;
    if (volume < -WRONG_3D * size)
        return -1;
    return size == 0 ? 0 : orient_3d_exactly(a, b, c, d); /* if all terms are 0 they are exact, except for underflow */
}

int sn_orient_2d(const double *a, const double *b, const double *c, int dropped)
{
    const int i = (dropped + 1) % 3, j = (dropped + 2) % 3;
    const double one = (a[i] - c[i]) * (b[j] - c[j]), other = (a[j] - c[j]) * (b[i] - c[i]);
    const double area = one - other, size = fabs(one) + fabs(other);
    if (area > WRONG_2D * size)
        return 1;
    if (area < -WRONG_2D * size)
        return -1;
    const small u[2] = {difference(a[i], c[i]), difference(a[j], c[j])};
    const small v[2] = {difference(b[i], c[i]), difference(b[j], c[j])};
    expansion exact;
    exact.count = 0;
    add_product(&exact, &u[0], v[1].part, v[1].count, 1);
    add_product(&exact, &u[1], v[0].part, v[0].count, -1);
    return sign_of(&exact);
}

/* ---- In a plane -------------------------------------------------------------------------------------------------- */

/* True if c is in the box of a and b. For c on their line: if c is on the segment. */
static bool is_between(const double *a, const double *b, const double *c)
{
    for (int k = 0; k < 3; ++k)
        if ((c[k] < a[k] && c[k] < b[k]) || (c[k] > a[k] && c[k] > b[k]))
            return false;
    return true;
}

/* A coordinate that can be dropped such that a, b and c are still not collinear. -1: they are collinear. */
static int coordinate_to_drop(const double *a, const double *b, const double *c)
{
    for (int k = 0; k < 3; ++k)
        if (sn_orient_2d(a, b, c, k) != 0)
            return k;
    return -1;
}

/* Two segments in a plane in which this coordinate may be dropped. */
static bool intersect_in_plane(const double *p, const double *q, const double *a, const double *b, int dropped)
{
    const int pa = sn_orient_2d(a, b, p, dropped), qa = sn_orient_2d(a, b, q, dropped);
    const int ap = sn_orient_2d(p, q, a, dropped), bp = sn_orient_2d(p, q, b, dropped);
    if (pa * qa < 0 && ap * bp < 0)
        return true;
    return (pa == 0 && is_between(a, b, p)) || (qa == 0 && is_between(a, b, q)) || (ap == 0 && is_between(p, q, a)) ||
           (bp == 0 && is_between(p, q, b));
}

bool sn_segments_intersect(const double *p, const double *q, const double *a, const double *b)
{
    if (sn_orient_3d(p, q, a, b) != 0)
        return false;
    int dropped = coordinate_to_drop(p, q, a);
    dropped = dropped < 0 ? coordinate_to_drop(p, q, b) : dropped;
    dropped = dropped < 0 ? coordinate_to_drop(a, b, p) : dropped;
    dropped = dropped < 0 ? coordinate_to_drop(a, b, q) : dropped;
    if (dropped >= 0)
        return intersect_in_plane(p, q, a, b, dropped);
    /* All are on one line: an end of one segment is on the other. */
    return is_between(a, b, p) || is_between(a, b, q) || is_between(p, q, a) || is_between(p, q, b);
}

/* The case where all points are in one plane. */
static bool segments_intersect_in_plane(const double *p, const double *q, const double *a, const double *b,
                                        const double *c)
{
    const int dropped = coordinate_to_drop(a, b, c);
    if (dropped >= 0) {
        const int x = sn_orient_2d(a, b, p, dropped), y = sn_orient_2d(b, c, p, dropped),
                  z = sn_orient_2d(c, a, p, dropped);
        if ((x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0))
            return true;
    }
    return sn_segments_intersect(p, q, a, b) || sn_segments_intersect(p, q, b, c) || sn_segments_intersect(p, q, c, a);
}

/* ---- Triangles --------------------------------------------------------------------------------------------------- */

bool sn_segment_intersects_triangle(const double *p, const double *q, const double *a, const double *b, const double *c)
{
    const int side_p = sn_orient_3d(a, b, c, p), side_q = sn_orient_3d(a, b, c, q);
    if (side_p * side_q > 0)
        return false;
    if (side_p == 0 && side_q == 0)
        return segments_intersect_in_plane(p, q, a, b, c);
    const int x = sn_orient_3d(p, q, a, b), y = sn_orient_3d(p, q, b, c), z = sn_orient_3d(p, q, c, a);
    return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}

static bool edges_intersect(const double a[3][3], const double b[3][3], int first, int count)
{
    for (int i = 0; i < count; ++i)
        if (sn_segment_intersects_triangle(a[(first + i) % 3], a[(first + i + 1) % 3], b[0], b[1], b[2]))
            return true;
    return false;
}

/* True if two triangles with a common edge are folded flat: coplanar, with their other corners on the same side of the
   edge. */
static bool are_folded_flat(const double *a, const double *b, const double *c, const double *d)
{
    const int dropped = coordinate_to_drop(a, b, c);
    return dropped >= 0 && sn_orient_3d(a, b, c, d) == 0 &&
           sn_orient_2d(a, b, c, dropped) * sn_orient_2d(a, b, d, dropped) > 0;
}

/* Triangles that share a corner: if they intersect elsewhere, the intersection reaches from the corner to the opposite
   edge of one of them, and there it is within the other triangle. */
bool sn_triangles_intersect(const double a[3][3], const double b[3][3], const int same[3])
{
    int shared = 0, own = 0, other = 3, last = 0;
    for (int i = 0; i < 3; ++i) {
        if (same[i] < 0) {
            own = i;
            continue;
        }
        shared++;
        other -= same[i];
        last = i;
    }
    if (shared == 0)
        return edges_intersect(a, b, 0, 3) || edges_intersect(b, a, 0, 3);
    if (shared == 1)
        return edges_intersect(a, b, last + 1, 1) || edges_intersect(b, a, same[last] + 1, 1);
    return shared == 2 && are_folded_flat(a[(own + 1) % 3], a[(own + 2) % 3], a[own], b[other]);
}
