#include "collision/triangle.h"

#include "base/dvec.h"
#include "collision/roots.h"

/* All positions are relative to the point, or to the start of the sphere, in double: there, differences of floats are
   exact, and there are digits to spare for thin triangles and long paths. */

/* The least squared sine of the angle at a for which the plain formula for the nearest point is used. */
#define THIN 1e-10

/* The least squared sine for which a triangle has a plane at all. */
#define THINNEST 1e-20

/* Relative to the size: how far beyond an edge a ray still hits the triangle, so that none slips through between
   neighbours. */
#define EDGE_SLACK 1e-10

/* Relative to the size of the motion: how near a passing point must come to a moving triangle to be on it. Roots of
   degree 6 are precise to the square root of the rounding error. */
#define PASS_SLACK 3e-8

/* A triangle relative to a point. */
typedef struct corners {
    sn_dvec3 a, b, c; /* m */
} corners;

static corners corners_from(sn_vec3 p, sn_vec3 a, sn_vec3 b, sn_vec3 c)
{
    sn_dvec3 origin = dvec3_from(p);
    return (corners){dvec3_sub(dvec3_from(a), origin), dvec3_sub(dvec3_from(b), origin),
                     dvec3_sub(dvec3_from(c), origin)};
}

static sn_dvec3 weighted(const corners *s, const double weight[3])
{
    return dvec3(weight[0] * s->a.x + weight[1] * s->b.x + weight[2] * s->c.x,
                 weight[0] * s->a.y + weight[1] * s->b.y + weight[2] * s->c.y,
                 weight[0] * s->a.z + weight[1] * s->b.z + weight[2] * s->c.z);
}

/* ---- Nearest point ----------------------------------------------------------------------------------------------- */

static uint32_t set_weights(double weight[3], double a, double b, double c, uint32_t feature)
{
    weight[0] = a;
    weight[1] = b;
    weight[2] = c;
    return feature;
}

/* The nearest point of an edge, from p to q. */
static uint32_t nearest_on_edge(const corners *s, uint32_t edge, double weight[3])
{
    const sn_dvec3 *corner[3] = {&s->a, &s->b, &s->c};
    uint32_t p = edge, q = (edge + 1) % 3;
    sn_dvec3 displacement = dvec3_sub(*corner[q], *corner[p]);
    double square = dvec3_dot(displacement, displacement),
           t = square > 0 ? -dvec3_dot(displacement, *corner[p]) / square : 0;
    t = t > 0 ? t < 1 ? t : 1 : 0;
    set_weights(weight, 0, 0, 0, 0);
    weight[p] = 1 - t;
    weight[q] = t;
    return t > 0 ? t < 1 ? 1 + edge : 4 + q : 4 + p;
}

/* The same for triangles that are nearly or exactly a line or a point: the nearest of the edges, unless the interior,
   as far as it is known, is nearer. */
static uint32_t nearest_of_thin(const corners *s, double nn, double v, double w, double weight[3])
{
    uint32_t feature = 0;
    double least = (double)INFINITY;
    for (uint32_t edge = 0; edge < 4; ++edge) {
        double trial[3] = {(nn - v - w) / nn, v / nn, w / nn};
        uint32_t found = edge < 3 ? nearest_on_edge(s, edge, trial) : 0;
        sn_dvec3 near_point = weighted(s, trial);
        double square = dvec3_dot(near_point, near_point);
        if (!(square < least) || !(trial[0] >= 0 && trial[1] >= 0 && trial[2] >= 0))
            continue;
        least = square;
        feature = set_weights(weight, trial[0], trial[1], trial[2], found);
    }
    return feature;
}

/* Ericson's regions (Real-Time Collision Detection, 5.1.5), for the origin. The side of the edges is found by cross
   products with the normal, n = ab x ac, instead of products of products: their error grows with the distance of the
   point, not with its square. */
static uint32_t nearest(const corners *s, double weight[3])
{
    sn_dvec3 ab = dvec3_sub(s->b, s->a), ac = dvec3_sub(s->c, s->a), n = dvec3_cross(ab, ac);
    double bb = dvec3_dot(ab, ab), cc = dvec3_dot(ac, ac), bc = dvec3_dot(ab, ac), nn = dvec3_dot(n, n);
    double v = dvec3_dot(dvec3_cross(ac, s->a), n), w = dvec3_dot(dvec3_cross(s->a, ab), n), u = nn - v - w;
    if (!(nn > THIN * bb * cc))
        return nearest_of_thin(s, nn, v, w, weight);

    double b_at_a = -dvec3_dot(ab, s->a), c_at_a = -dvec3_dot(ac, s->a); /* from a to the point, along ab and ac */
    double b_at_b = b_at_a - bb, c_at_b = c_at_a - bc;                   /* from b */
    double b_at_c = b_at_a - bc, c_at_c = c_at_a - cc;                   /* from c */
    if (b_at_a <= 0 && c_at_a <= 0)
        return set_weights(weight, 1, 0, 0, 4);
    if (b_at_b >= 0 && c_at_b <= b_at_b)
        return set_weights(weight, 0, 1, 0, 5);
    if (c_at_c >= 0 && b_at_c <= c_at_c)
        return set_weights(weight, 0, 0, 1, 6);
    if (w <= 0 && b_at_a >= 0 && b_at_b <= 0)
        return set_weights(weight, -b_at_b / bb, b_at_a / bb, 0, 1);
    if (v <= 0 && c_at_a >= 0 && c_at_c <= 0)
        return set_weights(weight, -c_at_c / cc, 0, c_at_a / cc, 3);
    double to_c = c_at_b - b_at_b, to_b = b_at_c - c_at_c; /* from b along bc, and from c along cb */
    if (u <= 0 && to_c >= 0 && to_b >= 0)
        return set_weights(weight, 0, to_b / (to_b + to_c), to_c / (to_b + to_c), 2);
    if (!(u >= 0 && v >= 0 && w >= 0)) /* between regions, because of rounding */
        return nearest_of_thin(s, nn, v, w, weight);
    return set_weights(weight, u / nn, v / nn, w / nn, 0);
}

static void write_weights(sn_real weight[3], const double from[3])
{
    for (uint32_t i = 0; i < 3; ++i)
        weight[i] = (sn_real)from[i];
}

uint32_t sn_triangle_near(sn_vec3 p, sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_real weight[3])
{
    corners s = corners_from(p, a, b, c);
    double found[3];
    uint32_t feature = nearest(&s, found);
    write_weights(weight, found);
    return feature;
}

/* ---- Cast -------------------------------------------------------------------------------------------------------- */

/* When |t way - centre| falls to the radius: INFINITY if never; 0 if rounding puts it inside already and it still
   approaches. */
static double hit_sphere(sn_dvec3 displacement, sn_dvec3 centre, double radius)
{
    double speed = dvec3_dot(displacement, displacement), nearest_at = dvec3_dot(displacement, centre) / speed;
    if (!(nearest_at > 0))
        return (double)INFINITY;
    double least = dvec3_length(dvec3_sub(dvec3_scale(displacement, nearest_at), centre));
    if (!(least <= radius))
        return (double)INFINITY;
    double t = nearest_at - sqrt((radius - least) * (radius + least) / speed);
    return t > 0 ? t : 0;
}

/* The same for the round side of an edge, without its ends. */
static double hit_edge(sn_dvec3 displacement, sn_dvec3 p, sn_dvec3 q, double radius)
{
    sn_dvec3 pq = dvec3_sub(q, p);
    double square = dvec3_dot(pq, pq);
    if (!(square > 0))
        return (double)INFINITY;
    double displacement_along = dvec3_dot(displacement, pq) / square, p_along = dvec3_dot(p, pq) / square;
    sn_dvec3 displacement_across = dvec3_sub(displacement, dvec3_scale(pq, displacement_along));
    double t = hit_sphere(displacement_across, dvec3_sub(p, dvec3_scale(pq, p_along)), radius);
    double along = t * displacement_along - p_along;
    return along >= 0 && along <= 1 ? t : (double)INFINITY;
}

/* True if the origin, moved by way into the triangle's plane, is inside the triangle or within slack of it. */
static bool is_over(const corners *s, sn_dvec3 displacement, sn_dvec3 n, double slack)
{
    sn_dvec3 a = dvec3_sub(s->a, displacement), ab = dvec3_sub(s->b, s->a), ac = dvec3_sub(s->c, s->a);
    double nn = dvec3_dot(n, n), v = dvec3_dot(dvec3_cross(ac, a), n), w = dvec3_dot(dvec3_cross(a, ab), n);
    double most = -slack * sqrt(nn); /* v, w and u are distances from the edges, times |n|, times the edge */
    sn_dvec3 bc = dvec3_sub(s->c, s->b);
    return v >= most * dvec3_length(ac) && w >= most * dvec3_length(ab) && nn - v - w >= most * dvec3_length(bc);
}

/* True if the sphere touches the plane first inside the triangle. *plane: the time when it reaches the plane; before
   that it touches nothing. */
static bool hit_face(const corners *s, sn_dvec3 displacement, double radius, double slack, double *plane)
{
    sn_dvec3 ab = dvec3_sub(s->b, s->a), ac = dvec3_sub(s->c, s->a), n = dvec3_cross(ab, ac);
    double length = dvec3_length(n), height = -dvec3_dot(s->a, n), speed = dvec3_dot(displacement, n);
    *plane = 0;
    if (!(length * length > THINNEST * dvec3_dot(ab, ab) * dvec3_dot(ac, ac)) || fabs(height) < radius * length)
        return false;
    *plane = height * speed < 0 ? (fabs(height) - radius * length) / fabs(speed) : (double)INFINITY;
    return *plane <= 1 && is_over(s, dvec3_scale(displacement, *plane), n, slack);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* When a sphere that is outside at the start first touches the triangle; more than 1 if it does not. */
static double hit(const corners *s, sn_dvec3 displacement, double radius)
{
    double extent = dvec3_length(s->a) + dvec3_length(s->b) + dvec3_length(s->c), t;
    if (hit_face(s, displacement, radius, EDGE_SLACK * extent, &t) || t > 1)
        return t;
    t = hit_sphere(displacement, s->a, radius);
    t = smaller(t, hit_sphere(displacement, s->b, radius));
    t = smaller(t, hit_sphere(displacement, s->c, radius));
    t = smaller(t, hit_edge(displacement, s->a, s->b, radius));
    t = smaller(t, hit_edge(displacement, s->b, s->c, radius));
    return smaller(t, hit_edge(displacement, s->c, s->a, radius));
}

bool sn_triangle_cast(const sn_path *path, sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_real *t, sn_real weight[3])
{
    corners s = corners_from(path->from, a, b, c);
    sn_dvec3 displacement = dvec3_from(path->displacement);
    double found[3], radius = (double)path->radius, when = 0;
    nearest(&s, found);
    sn_dvec3 near_point = weighted(&s, found);

    /* The distance from a triangle is a convex function of time: if it does not fall at the start, it never does. */
    if (!(dvec3_dot(near_point, displacement) > 0))
        return false;
    if (dvec3_length(near_point) > radius) {
        when = hit(&s, displacement, radius);
        if (!(when <= 1))
            return false;
        sn_dvec3 gone = dvec3_scale(displacement, when);
        s = (corners){dvec3_sub(s.a, gone), dvec3_sub(s.b, gone), dvec3_sub(s.c, gone)};
        nearest(&s, found);
    }
    *t = (sn_real)when;
    write_weights(weight, found);
    return true;
}

/* ---- Both move --------------------------------------------------------------------------------------------------- */

/* A moving triangle relative to a moving point: the point stays at the origin. */
typedef struct passing {
    corners start, end;
    double thickness; /* m */
    double slack;     /* m */
} passing;

static sn_dvec3 between(sn_dvec3 start, sn_dvec3 end, double t)
{
    return dvec3_add(start, dvec3_scale(dvec3_sub(end, start), t));
}

static double distance_at(const passing *p, double t, double weight[3])
{
    corners s = {between(p->start.a, p->end.a, t), between(p->start.b, p->end.b, t), between(p->start.c, p->end.c, t)};
    nearest(&s, weight);
    return dvec3_length(weighted(&s, weight));
}

/* True if a root is a contact. Many are not, such as those where the point passes the plane beside the triangle. */
static bool is_touch(void *data, double t)
{
    const passing *p = data;
    double weight[3];
    return distance_at(p, t, weight) <= p->thickness + p->slack;
}

/* Bernstein coefficients of products of vectors that move in straight lines from v[0] to v[1]: the cross product of two
   such vectors, and the dot product of two vector polynomials. */
static void cross_moving(const sn_dvec3 v[2], const sn_dvec3 w[2], sn_dvec3 out[3])
{
    out[0] = dvec3_cross(v[0], w[0]);
    out[1] = dvec3_scale(dvec3_add(dvec3_cross(v[0], w[1]), dvec3_cross(v[1], w[0])), 0.5);
    out[2] = dvec3_cross(v[1], w[1]);
}

static void dot_moving(const sn_dvec3 *v, uint32_t m, const sn_dvec3 *w, uint32_t n, double *out)
{
    double a[3], b[3], part[SN_ROOTS_DEGREE + 1];
    for (uint32_t i = 0; i <= m + n; ++i)
        out[i] = 0;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        for (uint32_t i = 0; i <= m; ++i)
            a[i] = axis == 0 ? v[i].x : axis == 1 ? v[i].y : v[i].z;
        for (uint32_t i = 0; i <= n; ++i)
            b[i] = axis == 0 ? w[i].x : axis == 1 ? w[i].y : w[i].z;
        sn_roots_multiply(a, m, b, n, part);
        for (uint32_t i = 0; i <= m + n; ++i)
            out[i] += part[i];
    }
}

/* f -= h^2 g, where the degree of g is lower by two. */
static void subtract_square(double *f, uint32_t degree, const double *g, double h)
{
    const double one[3] = {1, 1, 1};
    double raised[SN_ROOTS_DEGREE + 1];
    sn_roots_multiply(g, degree - 2, one, 2, raised);
    for (uint32_t i = 0; i <= degree; ++i)
        f[i] -= h * h * raised[i];
}

/* The point passes the plane of the triangle where the volume between them is 0: a . n = 0 with n = ab x ac, a cubic.
   It comes within h of the plane where (a . n)^2 = h^2 n^2. */
static double pass_face(passing *p, double end)
{
    sn_dvec3 a[2] = {p->start.a, p->end.a}, n[3];
    sn_dvec3 ab[2] = {dvec3_sub(p->start.b, a[0]), dvec3_sub(p->end.b, a[1])};
    sn_dvec3 ac[2] = {dvec3_sub(p->start.c, a[0]), dvec3_sub(p->end.c, a[1])};
    double volume[4], f[SN_ROOTS_DEGREE + 1], nn[5];
    cross_moving(ab, ac, n);
    dot_moving(a, 1, n, 2, volume);
    end = sn_roots_first(volume, 3, end, is_touch, p);
    if (p->thickness > 0) {
        sn_roots_multiply(volume, 3, volume, 3, f);
        dot_moving(n, 2, n, 2, nn);
        subtract_square(f, 6, nn, p->thickness);
        end = sn_roots_first(f, 6, end, is_touch, p);
    }
    return end;
}

/* The point comes within h of the line through q and r where (q x qr)^2 = h^2 qr^2. */
static double pass_edge(passing *p, const sn_dvec3 q[2], const sn_dvec3 r[2], double end)
{
    sn_dvec3 qr[2] = {dvec3_sub(r[0], q[0]), dvec3_sub(r[1], q[1])}, n[3];
    double f[5], square[3];
    cross_moving(q, qr, n);
    dot_moving(n, 2, n, 2, f);
    dot_moving(qr, 1, qr, 1, square);
    subtract_square(f, 4, square, p->thickness);
    return sn_roots_first(f, 4, end, is_touch, p);
}

static double pass_corner(passing *p, const sn_dvec3 q[2], double end)
{
    const double one = 1;
    double f[3];
    dot_moving(q, 1, q, 1, f);
    subtract_square(f, 2, &one, p->thickness);
    return sn_roots_first(f, 2, end, is_touch, p);
}

/* True if the point stays farther than the thickness to one side of all corners, as most points do. */
static bool stays_beside(const passing *p)
{
    const sn_dvec3 x[6] = {p->start.a, p->start.b, p->start.c, p->end.a, p->end.b, p->end.c};
    double reach = p->thickness + p->slack;
    sn_dvec3 low = x[0], high = x[0];
    for (uint32_t i = 1; i < 6; ++i) {
        low = dvec3(smaller(low.x, x[i].x), smaller(low.y, x[i].y), smaller(low.z, x[i].z));
        high = dvec3(-smaller(-high.x, -x[i].x), -smaller(-high.y, -x[i].y), -smaller(-high.z, -x[i].z));
    }
    return low.x > reach || low.y > reach || low.z > reach || high.x < -reach || high.y < -reach || high.z < -reach;
}

static double larger_square(sn_dvec3 a, double square)
{
    double other = dvec3_dot(a, a);
    return other > square ? other : square;
}

/* m: the largest distance of a corner from the point. */
static double largest_extent(const passing *p)
{
    double start = larger_square(p->start.a, larger_square(p->start.b, dvec3_dot(p->start.c, p->start.c)));
    return sqrt(larger_square(p->end.a, larger_square(p->end.b, larger_square(p->end.c, start))));
}

/* m: the longest displacement of a corner. No point of the triangle has a longer one. */
static double longest_displacement(const passing *p)
{
    sn_dvec3 a = dvec3_sub(p->end.a, p->start.a), b = dvec3_sub(p->end.b, p->start.b);
    sn_dvec3 c = dvec3_sub(p->end.c, p->start.c);
    return sqrt(larger_square(a, larger_square(b, dvec3_dot(c, c))));
}

/* The first contact is where the distance from the face, from the line of an edge, or from a corner becomes the
   thickness: the first root at which the distance from the triangle is the thickness. More than 1: none. */
static double first_pass(passing *p)
{
    const double none = 2;
    double t = pass_face(p, none);
    if (!(p->thickness > 0))
        return t;
    sn_dvec3 a[2] = {p->start.a, p->end.a}, b[2] = {p->start.b, p->end.b}, c[2] = {p->start.c, p->end.c};
    t = pass_edge(p, a, b, t);
    t = pass_edge(p, b, c, t);
    t = pass_edge(p, c, a, t);
    t = pass_corner(p, a, t);
    t = pass_corner(p, b, t);
    return pass_corner(p, c, t);
}

bool sn_triangle_sweep_hits(const sn_vec3 start[4], const sn_vec3 end[4], sn_real thickness, sn_real *t,
                            sn_real weight[3])
{
    passing p = {corners_from(start[0], start[1], start[2], start[3]), corners_from(end[0], end[1], end[2], end[3]),
                 (double)thickness, 0};
    p.slack = PASS_SLACK * largest_extent(&p);
    double found[3], when = 0;
    if (stays_beside(&p))
        return false;
    double distance = distance_at(&p, 0, found);
    if (distance > p.thickness) {
        if (distance > p.thickness + p.slack + longest_displacement(&p))
            return false;
        when = first_pass(&p);
        if (when > 1 && distance_at(&p, 1, found) <= p.thickness)
            when = 1;
        if (!(when <= 1))
            return false;
        distance_at(&p, when, found);
    }
    *t = (sn_real)when;
    write_weights(weight, found);
    return true;
}
