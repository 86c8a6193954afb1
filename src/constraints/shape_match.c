/* Shape matching: a group of particles keeps the shape it has at rest (lecture 001; Mueller, Heidelberger, Teschner and
   Gross, "Meshless deformations based on shape matching", 2005).

   r_i is where particle i is at rest, seen from the centre of mass of the group at rest, c that centre now, m_i = 1 / w_i.
   The group is where its shape would be if it were moved to c and turned by the best rotation,

       goal_i = c + R r_i,     R = the rotation of the least sum of m |x_i - goal_i|^2, that inside of sum m (x - c) r^T

   and every particle goes there: of all moves to a rigid state that is the least one, weighted by mass. c does not move,
   and sum m (x - c) x (goal - x) = 0, because (sum m (x - c) r^T) R^T is symmetric: neither momentum changes.

   A soft shape may also be stretched and sheared: linear takes the share beta of the best matrix A in the place of R, scaled
   so that the volume is that at rest; quadratic also lets it bend and twist, with a matrix of nine columns for
   (x, y, z, x^2, y^2, z^2, xy, yz, zx) of r less their means (less, so that c stays where it is):

       goal_i = c + [(1 - beta) (R 0 0) + beta A] r~_i,     A = P G^-1,  P = sum m (x - c) r~^T,  G = sum m r~ r~^T

   P G^-1 P^T is symmetric as well. What is solved is A - (R 0 0) = (P - (R 0 0) G) G^-1 with a guarded G: along directions
   in which the shape has no extent (a sheet, a rod, few points) A does what R does. Where the group is squeezed flat or
   turned inside out, A is of no use, and its share fades to 0: R brings it back.

   An immovable particle cannot go to its goal. So that the goals come to it, it weighs as much as 10,000 times all the
   others: a shape that is pinned at a corner turns about it, and what is missed there is a 10,000th of what a pass moves.

   Plasticity: S, the symmetric part of R^T A, tells how the group is deformed when the first pass of a substep finds it
   (passes hide that). Where |S - I| is beyond `yield`, the shape at rest follows what is beyond, by the share
   1 - exp(-creep h):

       D <- (I + share (1 - yield / |S - I|) (S - I)) D,     r_i = D (rest_i - centre)

   with |D - I| at most `limit`, and det D = 1: what flows keeps its volume. |.| is the root of the sum of squares. This
   is done at the end of the substep, so that one that fails leaves no dent. */
#include "base/dvec.h"
#include "base/math.h"
#include "base/symmetric.h"
#include "bodies/extract.h"
#include "constraints/table.h"

#include <string.h>

#define ANCHOR 1e4 /* an immovable particle weighs so many times all others */

/* Added to the diagonal of G, relative to it: what has less extent than the root of this, relative to the group, has none. */
#define GUARD 1e-12

/* The same to tell whether the group at rest is a line, flat or solid. */
#define EXTENT 1e-10

/* Below this det A the share of A fades. */
#define SQUEEZED 0.1

/* Parameters; rigid shapes have no beta, but begin with the second. */
enum { BETA, YIELD, CREEP, LIMIT };

/* What a group remembers. */
enum {
    STATE_TURN = 0,      /* 4: the last rotation as a quaternion; all 0: none yet */
    STATE_FLOWN = 4,     /* 9: D - I by rows */
    STATE_STRAIN = 13,   /* 6: S - I in this substep: xx yy zz xy xz yz */
    STATE_STRAINED = 19, /* 1 if there is such */
    STATE_COUNT
};

#define MOST_COLUMNS 9

/* How a group lies: the centres, the rotation and, if columns > 0, the best matrix. */
typedef struct fit {
    const sn_eval_in *in;
    const sn_real *w; /* NULL: all weigh the same */
    double anchor;    /* mass of an immovable one */
    double flown[9];  /* D - I */
    double mass;
    sn_dvec3 centre, rest_centre; /* seen from the first point */
    double q[4];
    sn_mat3 turn;
    uint32_t columns;             /* 0, 3 or 9 */
    double size;                  /* m, a power of 2: r~ is made of r / size */
    double mean[MOST_COLUMNS];    /* of the columns */
    double more[3][MOST_COLUMNS]; /* A - (R 0 0), for such r~ */
    sn_mat3 shape;                /* the best matrix of three columns, for r in metres */
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

/* ---- Where the group is ---------------------------------------------------------------------------------------------- */

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

/* r_i: seen from the centre, and deformed by what has flown. */
static sn_dvec3 shape_of(const fit *f, uint32_t i)
{
    const double *d = f->flown;
    sn_dvec3 r = dvec3_sub(rest_of(f, i), f->rest_centre);
    return dvec3(r.x + (d[0] * r.x + d[1] * r.y + d[2] * r.z), r.y + (d[3] * r.x + d[4] * r.y + d[5] * r.z),
                 r.z + (d[6] * r.x + d[7] * r.y + d[8] * r.z));
}

/* False if nobody can move. */
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

/* The centres and the rotation. False if nobody can move, or if a place is not finite. */
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

/* ---- The best matrix --------------------------------------------------------------------------------------------------- */

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
        for (uint32_t j = 3; j < f->columns; ++j) /* those of the first three are 0 */
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

/* Cholesky's factor of g with its diagonal guarded, in its lower half. */
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

/* P - (R 0 0) G: what R leaves. */
static void subtract_turn(const fit *f, double p[3][MOST_COLUMNS], double g[MOST_COLUMNS][MOST_COLUMNS])
{
    for (int i = 0; i < 3; ++i)
        for (uint32_t j = 0; j < f->columns; ++j)
            p[i][j] -= f->size * (f->turn.m[i][0] * g[0][j] + f->turn.m[i][1] * g[1][j] + f->turn.m[i][2] * g[2][j]);
}

/* The best matrix of three columns: what R leaves, over the directions along which the group at rest extends. Returns how
   many these are. Along the others it is R exactly, as its volume must not depend on noise. */
static uint32_t find_shape(fit *f, double left[3][MOST_COLUMNS], double g[MOST_COLUMNS][MOST_COLUMNS])
{
    double a[3][3], value[3], axis[3][3], largest = 0;
    uint32_t count = 0;
    for (int i = 0; i < 3; ++i)
        memcpy(a[i], g[i], sizeof a[i]);
    sn_symmetric_eigen(a, value, axis);
    for (int i = 0; i < 3; ++i)
        largest = value[i] > largest ? value[i] : largest;
    f->shape = f->turn;
    for (int n = 0; n < 3; ++n) {
        if (!(value[n] > EXTENT * largest))
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

/* Finds A, R being found already; returns along how many directions the group at rest extends. */
static uint32_t deform(fit *f, uint32_t columns)
{
    double g[MOST_COLUMNS][MOST_COLUMNS];
    f->columns = columns;
    gather(f, f->more, g);
    subtract_turn(f, f->more, g);
    uint32_t dimensions = find_shape(f, f->more, g);
    if (dimensions == 0) { /* at rest all are in one place */
        memset(f->more, 0, sizeof f->more);
        return 0;
    }
    double l[MOST_COLUMNS][MOST_COLUMNS];
    memcpy(l, g, sizeof l);
    factor(l, columns);
    for (int i = 0; i < 3; ++i) { /* and once more for what the guard took away */
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

/* ---- C ------------------------------------------------------------------------------------------------------------------ */

/* C = mean of (1 - beta) |x - c - R r|^2 + beta |x - c - A r~|^2. R, A and c are what makes either least, so only x
   counts for the gradient: it points away from the goal. The volume of A is left as it is. */
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

/* ---- The projection ------------------------------------------------------------------------------------------------------- */

/* What the first pass of a substep finds. */
static void note_strain(const fit *f)
{
    sn_real *keep = f->in->keep + STATE_STRAIN;
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const sn_mat3 *r = &f->turn, *a = &f->shape;
    for (int n = 0; n < 6; ++n) {
        int i = row[n], j = column[n];
        double both = 0;
        for (int k = 0; k < 3; ++k)
            both += r->m[k][i] * a->m[k][j] + r->m[k][j] * a->m[k][i];
        keep[n] = (sn_real)(both / 2 - (i == j));
    }
    f->in->keep[STATE_STRAINED] = 1;
}

/* Takes off what rounding would move the centre by; with an anchor it may move. */
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

/* The root of det A that scales it to the volume, area or length at rest. */
static double stretch_of(double det, uint32_t dimensions)
{
    return dimensions == 3 ? math_cbrt(det) : dimensions == 2 ? sqrt(det) : dimensions == 1 ? det : 1;
}

static bool project_shape(const sn_eval_in *in, const sn_real *w, sn_vec3 *move, uint32_t columns)
{
    fit f = {.in = in, .w = w};
    double beta = param_of(in, BETA), keep = 1;
    uint32_t dimensions = 0;
    if (!match(&f))
        return false;
    bool flows = param_of(in, CREEP) > 0 && in->keep[STATE_STRAINED] == 0;
    if (beta > 0 || flows)
        dimensions = deform(&f, columns ? columns : 3);
    if (flows)
        note_strain(&f);
    for (int i = 0; i < 4; ++i)
        in->keep[STATE_TURN + i] = (sn_real)f.q[i];
    if (beta > 0) {
        double det = determinant(&f.shape);
        beta *= det >= SQUEEZED ? 1 : det > 0 ? det / SQUEEZED : 0;
        keep = det > 0 ? 1 / stretch_of(det, dimensions) : 1;
    }
    for (uint32_t i = 0; i < in->points; ++i) {
        sn_dvec3 r = shape_of(&f, i), goal = times(&f.turn, r);
        if (beta > 0) {
            sn_dvec3 soft = dvec3_scale(dvec3_add(goal, bent(&f, i)), keep);
            goal = dvec3_add(dvec3_scale(goal, 1 - beta), dvec3_scale(soft, beta));
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

/* ---- Plasticity ----------------------------------------------------------------------------------------------------------- */

static double size_of(const double *m, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += m[i] * m[i];
    return sqrt(sum);
}

/* (I + share strain) D, within the limit and with det 1; false if that does not exist. */
static bool flow(const double strain[9], double share, double limit, double d[9])
{
    sn_mat3 now;
    double next[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double sum = d[3 * i + j];
            for (int k = 0; k < 3; ++k)
                sum += share * strain[3 * i + k] * ((k == j) + d[3 * k + j]);
            next[3 * i + j] = sum;
        }
    double size = size_of(next, 9), less = size > limit ? limit / size : 1;
    for (int i = 0; i < 9; ++i)
        now.m[i / 3][i % 3] = less * next[i] + (i % 4 == 0);
    double det = determinant(&now);
    if (!(det > 1e-6) || !isfinite(det))
        return false;
    for (int i = 0; i < 9; ++i)
        d[i] = now.m[i / 3][i % 3] / math_cbrt(det) - (i % 4 == 0);
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
    for (int i = 0; i < 9; ++i)
        d[i] = (double)in->keep[STATE_FLOWN + i];
    if (flow(strain, share, param_of(in, LIMIT), d))
        for (int i = 0; i < 9; ++i)
            in->keep[STATE_FLOWN + i] = (sn_real)d[i];
}

/* ---- The kinds ------------------------------------------------------------------------------------------------------------ */

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

static const char rigid_mark; /* as context: this kind has no beta */

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
