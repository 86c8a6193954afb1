/* Shape matching: a group of particles keeps its rest shape (lecture 001; Mueller, Heidelberger, Teschner and Gross,
   "Meshless deformations based on shape matching", 2005).

   r_i is the rest position of particle i, relative to the rest centre of mass of the group; c is the present centre;
   m_i = 1 / w_i. The goal of each particle is its place in the rest shape, moved to c and rotated by the best rotation,

       goal_i = c + R r_i,     R = the rotation of the least sum of m |x_i - goal_i|^2, that inside of sum m (x - c) r^T

   Every particle moves to its goal: of all moves to a rigid state this is the smallest, weighted by mass. c does not
   move, and sum m (x - c) x (goal - x) = 0, because (sum m (x - c) r^T) R^T is symmetric: neither momentum changes.

   A soft shape may also be stretched and sheared: linear uses the share beta of the best matrix A, corrected to the
   rest volume, in place of R. quadratic also lets it bend and twist, with a matrix of nine columns for (x, y, z, x^2,
   y^2, z^2, xy, yz, zx) of r, minus their means (so that c does not move):

       goal_i = c + [(1 - beta) (R 0 0) + beta A] r~_i,     A = P G^-1,  P = sum m (x - c) r~^T,  G = sum m r~ r~^T

   P G^-1 P^T is symmetric as well. The equation solved is A - (R 0 0) = (P - (R 0 0) G) G^-1 with a guarded G: along
   directions in which the shape has no extent (a sheet, a rod, few points) A equals R.

   The volume: A is replaced by the nearest matrix B with det 1, again by the sum of m |(A - B) r|^2. Mueller and others
   divide A by the cube root of its determinant instead. But that correction is not the gradient of a potential: work
   done against it depends on the path, and on some closed paths it is negative. So a block with beta 0.8 that tumbled
   and was squeezed gained energy without end. The vector to the nearest point of a set is the gradient of half the
   squared distance from it, whose second derivatives are at most 1, and neither momentum changes. With M = A G^1/2 = U
   diag(s) V^T, det U V^T = 1, so that the smallest s is negative where the group is inside out:

       B G^1/2 = U diag(t) V^T,   t_i^2 - s_i t_i = nu for all i,   the product of t_i = det G^1/2

   An immovable particle cannot move to its goal. So that the goals come to it, it has 10,000 times the mass of all
   others together: a shape pinned at a corner rotates about it, and the error there is a 10,000th of the motion in a
   pass.

   Plasticity: S, the symmetric part of R^T B, is the deformation of the group before the first pass of a substep
   (passes reduce it). It is of B, not of A: a uniform compression causes no flow. Also, flow then brings the goals
   nearer; removing the volume change afterwards would not do that in a shape ten times as long as wide. Where |S - I|
   exceeds `yield`, the rest shape follows the excess, by the share 1 - exp(-creep h):

       D <- (I + share (1 - yield / |S - I|) (S - I)) D,     r_i = D (rest_i - centre)

   with |D - I| at most `limit`, and det D = 1: flow preserves volume. |.| is the root of the sum of squares. This is
   done at the end of the substep, so that a failed substep leaves no dent. */
#include "base/dvec.h"
#include "base/math.h"
#include "base/symmetric.h"
#include "bodies/extract.h"
#include "constraints/table.h"

#include <string.h>

#define ANCHOR 1e4 /* mass of an immovable particle, relative to all others together */

/* Added to the diagonal of G, relative to it. An extent below the square root of this, relative to the group, counts as
   none. */
#define GUARD 1e-12

/* The same threshold, to decide whether the rest shape is a line, flat or solid. */
#define EXTENT 1e-10

/* A group thinner than this along all axes but one, relative to that one, is a line: its volume is unknown. */
#define CRUSHED 1e-9

/* The most flow of the rest shape in a substep, however fast the creep: so no axis comes near 0. */
#define MOST_FLOW 0.1

/* If flow would reduce a rest shape to less than this share of its volume, it is rejected. */
#define LEAST_VOLUME 1e-6

/* The limit of flow is reached to within 2^-HALVINGS. */
#define HALVINGS 40

/* Parameters. Rigid shapes have no beta: they begin with the second. */
enum { BETA, YIELD, CREEP, LIMIT };

/* The state of a group. */
enum {
    STATE_TURN = 0,      /* 4: the last rotation as a quaternion; all 0: none yet */
    STATE_FLOWN = 4,     /* 9: D - I, row by row */
    STATE_STRAIN = 13,   /* 6: S - I in this substep: xx yy zz xy xz yz */
    STATE_STRAINED = 19, /* 1 if S is set */
    STATE_COUNT
};

#define MOST_COLUMNS 9

/* The pose of a group: the centres, the rotation and, if columns > 0, the best matrix. */
typedef struct fit {
    const sn_eval_in *in;
    const sn_real *w; /* NULL: all masses are equal */
    double anchor;    /* mass of an immovable particle */
    double flown[9];  /* D - I */
    double mass;
    sn_dvec3 centre, rest_centre; /* relative to the first point */
    double q[4];
    sn_mat3 turn;
    uint32_t columns;             /* 0, 3 or 9 */
    double size;                  /* m, a power of 2: r~ is computed from r / size */
    double mean[MOST_COLUMNS];    /* of the columns */
    double more[3][MOST_COLUMNS]; /* A - (R 0 0), for this r~ */
    sn_mat3 shape;                /* the best 3 x 3 matrix, for r in metres */
    double extent[3];             /* square roots of the eigenvalues of its G, for this r~; 0: no extent */
    double axis[3][3];            /* the eigenvectors */
} fit;

static bool is_rigid_kind(const sn_eval_in *in)
{
    return in->context != NULL; /* see the descriptors */
}

static double param_of(const sn_eval_in *in, int which)
{
    if (is_rigid_kind(in))
        return which == BETA ? 0 : (double)in->param[which - 1];
    return (double)in->param[which];
}

/* ---- The pose of the group --------------------------------------------------------------------------------------- */

static double mass_of(const fit *f, uint32_t i)
{
    return !f->w ? 1 : f->w[i] > 0 ? 1 / (double)f->w[i] : f->anchor;
}

static sn_dvec3 place_of(const fit *f, uint32_t i)
{
    return dvec3_seen(f->in->x[0], f->in->x[i]);
}

static sn_dvec3 rest_of(const fit *f, uint32_t i)
{
    const sn_real *own = f->in->point_param, *at = own + 3 * (size_t)i;
    double z = f->in->planar ? 0 : (double)at[2] - (double)own[2];
    return dvec3((double)at[0] - (double)own[0], (double)at[1] - (double)own[1], z);
}

/* r_i: relative to the centre, and deformed by flow. */
static sn_dvec3 shape_of(const fit *f, uint32_t i)
{
    const double *d = f->flown;
    sn_dvec3 r = dvec3_sub(rest_of(f, i), f->rest_centre);
    return dvec3(r.x + (d[0] * r.x + d[1] * r.y + d[2] * r.z), r.y + (d[3] * r.x + d[4] * r.y + d[5] * r.z),
                 r.z + (d[6] * r.x + d[7] * r.y + d[8] * r.z));
}

/* Finds the masses and the centres. False if nothing can move. */
static bool weigh(fit *f)
{
    double movable = 0;
    for (uint32_t i = 0; f->w && i < f->in->points; ++i)
        movable += f->w[i] > 0 ? 1 / (double)f->w[i] : 0;
    if (f->w && !(movable > 0))
        return false;
    f->anchor = ANCHOR * movable;
    sn_dvec3 sum = dvec3(0, 0, 0), rest_sum = dvec3(0, 0, 0);
    for (uint32_t i = 0; i < f->in->points; ++i) {
        double m = mass_of(f, i);
        f->mass += m;
        sum = dvec3_add(sum, dvec3_scale(place_of(f, i), m));
        rest_sum = dvec3_add(rest_sum, dvec3_scale(rest_of(f, i), m));
    }
    f->centre = dvec3_scale(sum, 1 / f->mass);
    f->rest_centre = dvec3_scale(rest_sum, 1 / f->mass);
    return true;
}

static void add_product(sn_mat3 *to, double m, sn_dvec3 a, sn_dvec3 b)
{
    const double x[3] = {m * a.x, m * a.y, m * a.z}, y[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            to->m[i][j] += x[i] * y[j];
}

static sn_dvec3 times(const sn_mat3 *a, sn_dvec3 v)
{
    return dvec3(a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                 a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                 a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z);
}

/* Finds the centres and the rotation. False if nothing can move, or if a position is not finite. */
static bool match(fit *f)
{
    for (int i = 0; i < 9; ++i)
        f->flown[i] = (double)f->in->state[STATE_FLOWN + i];
    for (int i = 0; i < 4; ++i)
        f->q[i] = (double)f->in->state[STATE_TURN + i];
    if (!weigh(f))
        return false;
    sn_mat3 moved = {{{0}}};
    double extent = 0;
    for (uint32_t i = 0; i < f->in->points; ++i) {
        double m = mass_of(f, i);
        sn_dvec3 r = shape_of(f, i);
        add_product(&moved, m, dvec3_sub(place_of(f, i), f->centre), r);
        extent += m * dvec3_dot(r, r);
    }
    if (!(f->in->planar ? sn_extract_rotation_2d(&moved, f->q) : sn_extract_rotation(&moved, f->q)))
        return false;
    f->turn = f->shape = sn_rotation_matrix(f->q);
    int exponent;
    frexp(sqrt(extent / f->mass), &exponent);
    f->size = isfinite(extent) && extent > 0 ? ldexp(1, exponent) : 1;
    return true;
}

/* ---- The best matrix --------------------------------------------------------------------------------------------- */

/* r~ of a point. */
static void columns_of(const fit *f, uint32_t point, double *c)
{
    sn_dvec3 r = dvec3_scale(shape_of(f, point), 1 / f->size);
    const double all[MOST_COLUMNS] = {r.x, r.y, r.z, r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.y * r.z, r.z * r.x};
    for (uint32_t i = 0; i < f->columns; ++i)
        c[i] = all[i] - f->mean[i];
}

/* The sums P and G. */
static void gather(fit *f, double p[3][MOST_COLUMNS], double g[MOST_COLUMNS][MOST_COLUMNS])
{
    double c[MOST_COLUMNS], mean[MOST_COLUMNS] = {0};
    for (uint32_t i = 0; f->columns > 3 && i < f->in->points; ++i) {
        columns_of(f, i, c);
        for (uint32_t j = 3; j < f->columns; ++j) /* the means of the first three are 0 */
            mean[j] += mass_of(f, i) / f->mass * c[j];
    }
    memcpy(f->mean, mean, sizeof mean);
    memset(p, 0, 3 * MOST_COLUMNS * sizeof(double));
    memset(g, 0, MOST_COLUMNS * MOST_COLUMNS * sizeof(double));
    for (uint32_t i = 0; i < f->in->points; ++i) {
        double m = mass_of(f, i);
        sn_dvec3 x = dvec3_sub(place_of(f, i), f->centre);
        columns_of(f, i, c);
        for (uint32_t j = 0; j < f->columns; ++j) {
            p[0][j] += m * x.x * c[j];
            p[1][j] += m * x.y * c[j];
            p[2][j] += m * x.z * c[j];
            for (uint32_t k = 0; k <= j; ++k)
                g[j][k] += m * c[j] * c[k];
        }
    }
    for (uint32_t j = 0; j < f->columns; ++j)
        for (uint32_t k = 0; k < j; ++k)
            g[k][j] = g[j][k];
}

/* Cholesky factor of g, with its diagonal guarded, in the lower half. */
static void factor(double g[MOST_COLUMNS][MOST_COLUMNS], uint32_t n)
{
    double trace = 0;
    for (uint32_t i = 0; i < n; ++i)
        trace += g[i][i];
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = 0; j <= i; ++j) {
            double sum = g[i][j] + (i == j ? GUARD * trace : 0);
            for (uint32_t k = 0; k < j; ++k)
                sum -= g[i][k] * g[j][k];
            if (i > j)
                g[i][j] = sum / g[j][j];
            else
                g[i][i] = sqrt(sum > GUARD * trace / 2 ? sum : GUARD * trace / 2);
        }
}

/* Solves x (l l^T) = x in place. */
static void solve(double l[MOST_COLUMNS][MOST_COLUMNS], uint32_t n, double *x)
{
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t k = 0; k < i; ++k)
            x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = i + 1; k < n; ++k)
            x[i] -= l[k][i] * x[k];
        x[i] /= l[i][i];
    }
}

/* P - (R 0 0) G: the residual of R. */
static void subtract_turn(const fit *f, double p[3][MOST_COLUMNS], double g[MOST_COLUMNS][MOST_COLUMNS])
{
    for (int i = 0; i < 3; ++i)
        for (uint32_t j = 0; j < f->columns; ++j)
            p[i][j] -= f->size * (f->turn.m[i][0] * g[0][j] + f->turn.m[i][1] * g[1][j] + f->turn.m[i][2] * g[2][j]);
}

/* The best 3 x 3 matrix: the residual of R, on the directions in which the rest shape has extent. Returns the number of
   these. Along the others it is exactly R, because its volume must not depend on noise. */
static uint32_t find_shape(fit *f, double left[3][MOST_COLUMNS], double g[MOST_COLUMNS][MOST_COLUMNS])
{
    double a[3][3], value[3], (*axis)[3] = f->axis, largest = 0;
    uint32_t count = 0;
    for (int i = 0; i < 3; ++i)
        memcpy(a[i], g[i], sizeof a[i]);
    sn_symmetric_eigen(a, value, axis);
    for (int i = 0; i < 3; ++i)
        largest = value[i] > largest ? value[i] : largest;
    f->shape = f->turn;
    for (int n = 0; n < 3; ++n) {
        f->extent[n] = value[n] > EXTENT * largest ? sqrt(value[n]) : 0;
        if (f->extent[n] == 0)
            continue;
        ++count;
        for (int i = 0; i < 3; ++i) {
            double along = left[i][0] * axis[n][0] + left[i][1] * axis[n][1] + left[i][2] * axis[n][2];
            for (int j = 0; j < 3; ++j)
                f->shape.m[i][j] += along / (value[n] * f->size) * axis[n][j];
        }
    }
    return count;
}

/* Finds A, given R. Returns the number of directions in which the rest shape has extent. */
static uint32_t deform(fit *f, uint32_t columns)
{
    double g[MOST_COLUMNS][MOST_COLUMNS];
    f->columns = columns;
    gather(f, f->more, g);
    subtract_turn(f, f->more, g);
    uint32_t dimensions = find_shape(f, f->more, g);
    if (dimensions == 0) { /* at rest all points are in one place */
        memset(f->more, 0, sizeof f->more);
        return 0;
    }
    double l[MOST_COLUMNS][MOST_COLUMNS];
    memcpy(l, g, sizeof l);
    factor(l, columns);
    for (int i = 0; i < 3; ++i) { /* one step of iterative refinement, because of the guard */
        double rest[MOST_COLUMNS], *row = f->more[i];
        memcpy(rest, row, sizeof rest);
        solve(l, columns, row);
        for (uint32_t j = 0; j < columns; ++j)
            for (uint32_t k = 0; k < columns; ++k)
                rest[j] -= row[k] * g[k][j];
        solve(l, columns, rest);
        for (uint32_t j = 0; j < columns; ++j)
            row[j] += rest[j];
    }
    return dimensions;
}

static double determinant(const sn_mat3 *a)
{
    const double(*m)[3] = a->m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* (A - (R 0 0)) r~, in m. */
static sn_dvec3 bent(const fit *f, uint32_t point)
{
    double c[MOST_COLUMNS], sum[3] = {0, 0, 0};
    columns_of(f, point, c);
    for (int i = 0; i < 3; ++i)
        for (uint32_t j = 0; j < f->columns; ++j)
            sum[i] += f->more[i][j] * c[j];
    return dvec3(sum[0], sum[1], sum[2]);
}

/* ---- The volume -------------------------------------------------------------------------------------------------- */

/* The product of the t_i for a given last t, and its derivative. s is sorted; the last is the smallest. */
static double product_of(const double *s, uint32_t count, double last, double *t, double *slope)
{
    double nu = last * (last - s[count - 1]), product = last, by = 1 / last;
    t[count - 1] = last;
    for (uint32_t i = 0; i + 1 < count; ++i) {
        double inside = s[i] * s[i] + 4 * nu, root = inside > 0 ? sqrt(inside) : 0;
        t[i] = (s[i] + root) / 2;
        product *= t[i];
        by += (2 * last - s[count - 1]) / (t[i] * root);
    }
    *slope = product * by;
    return product;
}

/* Finds the t_i. The last is found between two bounds by Newton's method, or by bisection where that leaves the bounds.
   The product increases with it above s/2. Only for a group expanded to several times its volume is it below that. */
static void nearest_volume(const double *s, uint32_t count, double volume, double *t)
{
    double slope, low = s[count - 1] / 2, high;
    if (low > 0 && product_of(s, count, low, t, &slope) > volume) {
        high = low;
        low = 0;
    } else {
        low = low > 0 ? low : 0;
        high = count == 3 ? math_cbrt(volume) : count == 2 ? sqrt(volume) : volume;
    }
    double last = high, before;
    for (int i = 0; i < 100; ++i) {
        double miss = product_of(s, count, last, t, &slope) - volume;
        if (miss > 0)
            high = last;
        else
            low = last;
        before = last;
        last = last - miss / slope;
        if (!(last > low && last < high))
            last = low + (high - low) / 2;
        if (fabs(miss) <= 1e-14 * volume || last == before)
            break;
    }
}

/* The columns of A G^1/2 along the axes of the rest shape, and their images along the axes of largest stretch, v,
   sorted. */
static void stretches_of(const fit *f, sn_dvec3 image[3], double v[3][3])
{
    double square[3][3], value[3], axis[3][3];
    sn_dvec3 column[3];
    for (int n = 0; n < 3; ++n)
        column[n] = dvec3_scale(times(&f->shape, dvec3(f->axis[n][0], f->axis[n][1], f->axis[n][2])), f->extent[n]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            square[i][j] = dvec3_dot(column[i], column[j]);
    sn_symmetric_eigen(square, value, axis);
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; ++i)
        for (int j = 2; j > i; --j)
            if (value[order[j]] > value[order[j - 1]]) {
                int other = order[j];
                order[j] = order[j - 1];
                order[j - 1] = other;
            }
    for (int i = 0; i < 3; ++i) {
        const double *a = axis[order[i]];
        memcpy(v[i], a, sizeof v[i]);
        image[i] = dvec3_add(dvec3_add(dvec3_scale(column[0], a[0]), dvec3_scale(column[1], a[1])),
                             dvec3_scale(column[2], a[2]));
    }
}

/* The columns of U, and s. False if the group is crushed to a line (if flat at rest: to a point). */
static bool axes_of(const fit *f, uint32_t count, sn_dvec3 u[3], double v[3][3], double s[3])
{
    stretches_of(f, u, v);
    sn_dvec3 third = u[2];
    for (uint32_t i = 0; i < count && i < 2; ++i) {
        if (i == 1)
            u[1] = dvec3_sub(u[1], dvec3_scale(u[0], dvec3_dot(u[0], u[1])));
        s[i] = dvec3_length(u[i]);
        if (!(s[i] > CRUSHED * s[0]))
            return false;
        u[i] = dvec3_scale(u[i], 1 / s[i]);
    }
    if (count == 3) { /* sorting may have mirrored V: then U must be mirrored, too */
        sn_dvec3 a = dvec3(v[0][0], v[0][1], v[0][2]), b = dvec3(v[1][0], v[1][1], v[1][2]);
        bool mirrored = dvec3_dot(dvec3_cross(a, b), dvec3(v[2][0], v[2][1], v[2][2])) < 0;
        u[2] = dvec3_scale(dvec3_cross(u[0], u[1]), mirrored ? -1 : 1);
        s[2] = dvec3_dot(u[2], third);
    } else if (count == 2 && determinant(&f->shape) < 0) {
        u[1] = dvec3_scale(u[1], -1);
        s[1] = -s[1];
    }
    return true;
}

/* B - A, for r in metres. False if it cannot be determined. */
static bool mend_volume(const fit *f, uint32_t count, sn_mat3 *more)
{
    sn_dvec3 u[3];
    double v[3][3], s[3], t[3], volume = 1;
    *more = (sn_mat3){{{0}}};
    for (int n = 0; n < 3; ++n)
        volume *= f->extent[n] > 0 ? f->extent[n] : 1;
    if (count == 0 || !axes_of(f, count, u, v, s))
        return false;
    nearest_volume(s, count, volume, t);
    for (uint32_t i = 0; i < count; ++i)
        for (int n = 0; n < 3; ++n) {
            if (!(f->extent[n] > 0))
                continue;
            double by = (t[i] - s[i]) * v[i][n] / f->extent[n];
            add_product(more, by, u[i], dvec3(f->axis[n][0], f->axis[n][1], f->axis[n][2]));
        }
    return true;
}

/* ---- C ----------------------------------------------------------------------------------------------------------- */

/* C = mean of (1 - beta) |x - c - R r|^2 + beta |x - c - A r~|^2. R, A and c minimise it, so only x matters for the
   gradient, which points away from the goal. The volume correction of A is not included. */
static bool eval_shape(const sn_eval_in *in, const sn_eval_out *out, uint32_t columns)
{
    fit f = {.in = in};
    double beta = param_of(in, BETA), sum = 0, scale = 2 / (double)in->points;
    if (!match(&f))
        return false;
    if (columns)
        deform(&f, columns);
    for (uint32_t i = 0; i < in->points; ++i) {
        sn_dvec3 x = dvec3_sub(place_of(&f, i), f.centre), r = shape_of(&f, i);
        sn_dvec3 rigid = dvec3_sub(x, times(&f.turn, r));
        sn_dvec3 soft = columns ? dvec3_sub(rigid, bent(&f, i)) : rigid;
        sum += (1 - beta) * dvec3_dot(rigid, rigid) + beta * dvec3_dot(soft, soft);
        sn_dvec3 off = dvec3_add(dvec3_scale(rigid, 1 - beta), dvec3_scale(soft, beta));
        out->gradient[i] = dvec3_round(dvec3_scale(off, scale));
    }
    out->c[0] = (sn_real)(sum / (double)in->points);
    return true;
}

static bool eval_rigid(const sn_eval_in *in, const sn_eval_out *out)
{
    return eval_shape(in, out, 0);
}

static bool eval_linear(const sn_eval_in *in, const sn_eval_out *out)
{
    return eval_shape(in, out, 3);
}

static bool eval_quadratic(const sn_eval_in *in, const sn_eval_out *out)
{
    return eval_shape(in, out, MOST_COLUMNS);
}

/* ---- The projection ---------------------------------------------------------------------------------------------- */

/* Stores the strain, in the first pass of a substep. */
static void note_strain(const fit *f, const sn_mat3 *mend)
{
    sn_real *keep = f->in->keep + STATE_STRAIN;
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const sn_mat3 *r = &f->turn;
    sn_mat3 b = f->shape;
    for (int n = 0; n < 9; ++n)
        b.m[n / 3][n % 3] += mend->m[n / 3][n % 3];
    for (int n = 0; n < 6; ++n) {
        int i = row[n], j = column[n];
        double both = 0;
        for (int k = 0; k < 3; ++k)
            both += r->m[k][i] * b.m[k][j] + r->m[k][j] * b.m[k][i];
        keep[n] = (sn_real)(both / 2 - (i == j));
    }
    f->in->keep[STATE_STRAINED] = 1;
}

/* Removes the motion of the centre due to rounding. With an immovable particle it may move. */
static void keep_centre(const fit *f, sn_vec3 *move)
{
    sn_dvec3 sum = dvec3(0, 0, 0);
    for (uint32_t i = 0; i < f->in->points; ++i) {
        if (!(f->w[i] > 0))
            return;
        sum = dvec3_add(sum, dvec3_scale(dvec3_from(move[i]), mass_of(f, i) / f->mass));
    }
    for (uint32_t i = 0; i < f->in->points; ++i)
        move[i] = dvec3_round(dvec3_sub(dvec3_from(move[i]), sum));
}

static bool project_shape(const sn_eval_in *in, const sn_real *w, sn_vec3 *move, uint32_t columns)
{
    fit f = {.in = in, .w = w};
    double beta = param_of(in, BETA);
    sn_mat3 mend = {{{0}}};
    if (!match(&f))
        return false;
    bool flows = param_of(in, CREEP) > 0 && in->keep[STATE_STRAINED] == 0;
    if (beta > 0 || flows)
        beta = mend_volume(&f, deform(&f, columns ? columns : 3), &mend) ? beta : 0; /* 0: R restores it */
    if (flows)
        note_strain(&f, &mend);
    for (int i = 0; i < 4; ++i)
        in->keep[STATE_TURN + i] = (sn_real)f.q[i];
    for (uint32_t i = 0; i < in->points; ++i) {
        sn_dvec3 r = shape_of(&f, i), goal = times(&f.turn, r);
        if (beta > 0) {
            sn_dvec3 more = dvec3_add(bent(&f, i), times(&mend, r));
            goal = dvec3_add(goal, dvec3_scale(more, beta));
        }
        move[i] = dvec3_round(dvec3_sub(goal, dvec3_sub(place_of(&f, i), f.centre)));
    }
    keep_centre(&f, move);
    return true;
}

static bool project_rigid(const sn_eval_in *in, const sn_real *w, sn_vec3 *move)
{
    return project_shape(in, w, move, 0);
}

static bool project_linear(const sn_eval_in *in, const sn_real *w, sn_vec3 *move)
{
    return project_shape(in, w, move, 3);
}

static bool project_quadratic(const sn_eval_in *in, const sn_real *w, sn_vec3 *move)
{
    return project_shape(in, w, move, MOST_COLUMNS);
}

static void measure_rest(const sn_eval_in *in, sn_real *own)
{
    for (uint32_t i = 0; i < in->points; ++i, own += 3) {
        sn_vec3 r = vec3_sub(in->x[i], in->x[0]);
        own[0] = r.x;
        own[1] = r.y;
        own[2] = r.z;
    }
}

/* ---- Plasticity -------------------------------------------------------------------------------------------------- */

static double size_of(const double *m, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += m[i] * m[i];
    return sqrt(sum);
}

/* D + share * step, scaled to the rest volume, minus I. False if it has no volume. */
static bool even_out(const double d[9], const double step[9], double share, double even[9])
{
    sn_mat3 now;
    for (int i = 0; i < 9; ++i)
        now.m[i / 3][i % 3] = d[i] + share * step[i] + (i % 4 == 0);
    double det = determinant(&now);
    if (!(det > LEAST_VOLUME) || !isfinite(det))
        return false;
    for (int i = 0; i < 9; ++i)
        even[i] = now.m[i / 3][i % 3] / math_cbrt(det) - (i % 4 == 0);
    return true;
}

/* (I + share strain) D, with det 1, or as much of it as is within the limit. False if that does not exist. (Scaling a
   dent back to the limit instead would change its shape in a direction opposed to the load.) */
static bool flow(const double strain[9], double share, double limit, double d[9])
{
    double step[9], even[9], before = size_of(d, 9), low = 0, high = 1;
    for (int i = 0; i < 9; ++i) {
        double sum = 0;
        for (int k = 0; k < 3; ++k)
            sum += strain[3 * (i / 3) + k] * ((k == i % 3) + d[3 * k + i % 3]);
        step[i] = share * sum;
    }
    limit = before > limit ? before : limit;
    if (!even_out(d, step, 1, even))
        return false;
    if (size_of(even, 9) > limit) {
        for (int i = 0; i < HALVINGS; ++i) {
            double middle = low + (high - low) / 2;
            if (even_out(d, step, middle, even) && size_of(even, 9) <= limit)
                low = middle;
            else
                high = middle;
        }
        if (low == 0 || !even_out(d, step, low, even))
            return false;
    }
    memcpy(d, even, sizeof even);
    return true;
}

static void settle_shape(const sn_eval_in *in, sn_real h)
{
    const sn_real *s = in->keep + STATE_STRAIN;
    if (in->keep[STATE_STRAINED] == 0)
        return;
    const double strain[9] = {(double)s[0], (double)s[3], (double)s[4], (double)s[3], (double)s[1],
                              (double)s[5], (double)s[4], (double)s[5], (double)s[2]};
    double size = size_of(strain, 9), yield = param_of(in, YIELD), d[9];
    memset(in->keep + STATE_STRAIN, 0, (STATE_COUNT - STATE_STRAIN) * sizeof *in->keep);
    if (!(size > yield))
        return;
    double share = -math_expm1(-param_of(in, CREEP) * (double)h) * (1 - yield / size);
    share = share * size > MOST_FLOW ? MOST_FLOW / size : share;
    for (int i = 0; i < 9; ++i)
        d[i] = (double)in->keep[STATE_FLOWN + i];
    if (flow(strain, share, param_of(in, LIMIT), d))
        for (int i = 0; i < 9; ++i)
            in->keep[STATE_FLOWN + i] = (sn_real)d[i];
}

/* ---- The kinds --------------------------------------------------------------------------------------------------- */

#define MOST_NUMBER ((sn_real)1e30)

#define FLOW_PARAMS                                                                                                    \
    {.name = "yield",                                                                                                  \
     .unit = "1",                                                                                                      \
     .has_default = true,                                                                                              \
     .default_value = (sn_real)0.1,                                                                                    \
     .least = 0,                                                                                                       \
     .most = MOST_NUMBER},                                                                                             \
        {.name = "creep", .unit = "1/s", .has_default = true, .least = 0, .most = MOST_NUMBER},                        \
    {                                                                                                                  \
        .name = "limit", .unit = "1", .has_default = true, .default_value = 1, .least = 0, .most = MOST_NUMBER         \
    }

#define BETA_PARAM                                                                                                     \
    {                                                                                                                  \
        .name = "beta", .unit = "1", .has_default = true, .default_value = (sn_real)0.5, .least = 0, .most = 1         \
    }

#define SHAPE_KIND                                                                                                     \
    .unit = "m^2", .least_points = 2, .rows = 1, .internal = true,                                                     \
    .point_param = {{.name = "rest", .unit = "m", .type = SN_PARAM_VECTOR}}, .measure_points = measure_rest,           \
    .state = STATE_COUNT, .settle = settle_shape

static const char rigid_mark; /* used as the context: this kind has no beta */

const sn_kind sn_kind_shape_match = {
    .name = "shape_match",
    .about =
        "A group of particles keeps its shape, moving as one rigid body: each goes to where the shape at rest has it, "
        "moved and turned so that all go the least way. With creep, it is dented by what deforms it beyond yield.",
    .formula =
        "C = mean of |x - c - R r|^2, r = place at rest from the centre of mass, c = that centre now, R = the best "
        "rotation",
    SHAPE_KIND,
    .param = {FLOW_PARAMS},
    .eval = eval_rigid,
    .project = project_rigid,
    .context = (void *)(uintptr_t)&rigid_mark,
};

const sn_kind sn_kind_shape_match_linear = {
    .name = "shape_match_linear",
    .about =
        "A group of particles keeps its shape, but may be stretched and sheared: the share beta of that is let be, "
        "less what changes its volume. With creep, it is dented by what deforms it beyond yield.",
    .formula = "C = mean of (1 - beta) |x - c - R r|^2 + beta |x - c - A r|^2, A = the best matrix",
    SHAPE_KIND,
    .param = {BETA_PARAM, FLOW_PARAMS},
    .eval = eval_linear,
    .project = project_linear,
};

const sn_kind sn_kind_shape_match_quadratic = {
    .name = "shape_match_quadratic",
    .about = "A group of particles keeps its shape, but may be stretched, sheared, bent and twisted: the share beta of "
             "that is let be. With creep, it is dented by what deforms it beyond yield.",
    .formula =
        "C = mean of (1 - beta) |x - c - R r|^2 + beta |x - c - A r~|^2, r~ = (x, y, z, x^2, y^2, z^2, xy, yz, zx) "
        "of r less the mean, A = the best matrix",
    SHAPE_KIND,
    .param = {BETA_PARAM, FLOW_PARAMS},
    .eval = eval_quadratic,
    .project = project_quadratic,
};
