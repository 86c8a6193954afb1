/* The equations of a tree, from the leaves to the root and back.

   With m the particles' masses they are

       m_p x_p = sum over c of J_cp^T lambda_c            for every particle p
       sum over p of J_cp x_p + a_c lambda_c = r_c        for every constraint c (several rows at once)

   Take a particle as the root. Then every constraint has a parent particle and children, which have constraints as
   children in turn. What a whole branch does to the particle it hangs from is a linear answer to that particle's x:
   starting at the leaves, everything below is summed up in few numbers,

       at a particle:    H_p  = m_p + sum over children c of J_cp^T D_c^-1 J_cp      (3 x 3)
                         b_p  =       sum over children c of J_cp^T D_c^-1 r'_c
       at a constraint:  D_c  = a_c + sum over children p of J_cp H_p^-1 J_cp^T      (rows x rows)
                         r'_c = r_c - sum over children p of J_cp H_p^-1 b_p

   and then, from the root to the leaves, lambda_c = D_c^-1 (r'_c - J_cq x_q) with q the parent, and
   x_p = H_p^-1 (b_p + J_cp^T lambda_c). This is the block LDL^T of the whole system without fill-in (Featherstone 1983
   for arms of robots, Baraff 1996 for constraints). All of it in double. A row that does not act has its lambda given,
   which moves to the right-hand side.

   Chains. Where a particle has just two constraints, both links (one row, two particles), H is m + g g^T / D, and its
   inverse is known: D_next = a + w |g'|^2 - (w g . g')^2 / (D + w |g|^2). That is the algorithm of Thomas on the
   tridiagonal matrix J W J^T + a.

   Turning. kappa is a spring across the line n from one particle to the other (why, is told in forest_solve.c), that
   acts on what they move. With P = I - n n^T, and x and y the child's and the parent's motion,

       (H + kappa P) x - kappa P y - g lambda = b,    g . x + g_parent . y + a lambda = r

   gives, with B = (H + kappa P)^-1,

       V = g_parent + kappa P B g,   D = a + g . B g,   lambda = (r - g . B b - V . y) / D,
       H_parent += kappa P - kappa^2 P B P + V V^T / D,    b_parent += kappa P B b + V (r - g . B b) / D,
       x = B (b + kappa P y + g lambda),

   and without a child that moves, V = g_parent, D = a and H_parent += kappa P + V V^T / D.

   Turning links. Of one row with g_parent = -g it is cheaper to let kappa act in all directions. Along n that adds
   kappa g . (x - y) / |g|^2 to lambda, which is known from the row itself; so with c = 1 - a kappa / |g|^2 the row

       g . (x - y) + (a / c) lambda' = r / c,     lambda = (lambda' - kappa r / |g|^2) / c,

   has the same solution, and the formulas above hold with P = I. Not so for c <= 0, rubber at twice its length. */
#include "solvers/tree.h"

#include <math.h>

/* A pivot below this share of what it was before earlier rows is rounding only: the row gets no multiplier. */
#define REDUNDANT 1e-12

/* ---- Small matrices ----------------------------------------------------------------------------------------------- */

/* A symmetric matrix is xx, yy, zz, xy, xz, yz. */
SN_INLINE sn_dvec3 times(const double *h, sn_dvec3 a)
{
    return dvec3(h[0] * a.x + h[3] * a.y + h[4] * a.z, h[3] * a.x + h[1] * a.y + h[5] * a.z,
                 h[4] * a.x + h[5] * a.y + h[2] * a.z);
}

/* h += s (a b^T + b a^T). */
SN_INLINE void add_product(double *h, double s, sn_dvec3 a, sn_dvec3 b)
{
    sn_dvec3 c = dvec3_scale(b, s);
    h[0] += 2 * (a.x * c.x);
    h[1] += 2 * (a.y * c.y);
    h[2] += 2 * (a.z * c.z);
    h[3] += a.x * c.y + a.y * c.x;
    h[4] += a.x * c.z + a.z * c.x;
    h[5] += a.y * c.z + a.z * c.y;
}

/* h += s a a^T. */
SN_INLINE void add_square(double *h, double s, sn_dvec3 a)
{
    sn_dvec3 b = dvec3_scale(a, s);
    h[0] += a.x * b.x;
    h[1] += a.y * b.y;
    h[2] += a.z * b.z;
    h[3] += a.x * b.y;
    h[4] += a.x * b.z;
    h[5] += a.y * b.z;
}

/* h += s P. `per_square` is 1 / |g|^2 of a g along n. */
SN_INLINE void add_across(double *h, double s, sn_dvec3 g, double per_square)
{
    h[0] += s;
    h[1] += s;
    h[2] += s;
    add_square(h, -s * per_square, g);
}

/* P a. */
SN_INLINE sn_dvec3 across(sn_dvec3 a, sn_dvec3 g, double per_square)
{
    return dvec3_sub(a, dvec3_scale(g, dvec3_dot(a, g) * per_square));
}

/* Replaces h by its cofactors and returns the determinant: the inverse is their quotient. The masses of a world are such
   that cubes of them are no trouble. */
SN_INLINE double cofactors(double *h)
{
    double xx = h[1] * h[2] - h[5] * h[5], xy = h[4] * h[5] - h[3] * h[2], xz = h[3] * h[5] - h[4] * h[1];
    double yy = h[0] * h[2] - h[4] * h[4], zz = h[0] * h[1] - h[3] * h[3], yz = h[3] * h[4] - h[0] * h[5];
    double determinant = h[0] * xx + h[3] * xy + h[4] * xz;
    h[0] = xx, h[1] = yy, h[2] = zz, h[3] = xy, h[4] = xz, h[5] = yz;
    return determinant;
}

SN_INLINE void invert(double *h)
{
    double inverse = 1 / cofactors(h);
    for (uint32_t i = 0; i < 6; ++i)
        h[i] *= inverse;
}

/* The columns of the right-hand side of solve_rows. */
#define SIDES 4

/* Solves D x = b for the acting rows: b in, x out. Rows that do not act, or that say what others said, get 0. */
static void solve_rows(uint32_t rows, uint32_t acting, double d[SN_MAX_ROWS][SN_MAX_ROWS], double x[SN_MAX_ROWS][SIDES])
{
    double l[SN_MAX_ROWS][SN_MAX_ROWS], pivot[SN_MAX_ROWS];
    for (uint32_t r = 0; r < rows; ++r) {
        const bool acts = acting >> r & 1;
        double p = d[r][r];
        for (uint32_t s = 0; acts && s < r; ++s) {
            if (pivot[s] == 0)
                continue;
            double sum = d[r][s];
            for (uint32_t t = 0; t < s; ++t)
                if (pivot[t] != 0)
                    sum -= l[r][t] * pivot[t] * l[s][t];
            l[r][s] = sum / pivot[s];
            p -= l[r][s] * sum;
            for (uint32_t k = 0; k < SIDES; ++k)
                x[r][k] -= l[r][s] * x[s][k];
        }
        pivot[r] = acts && p > REDUNDANT * d[r][r] ? p : 0;
    }
    for (uint32_t r = rows; r-- > 0;)
        for (uint32_t k = 0; k < SIDES; ++k) {
            x[r][k] = pivot[r] != 0 ? x[r][k] / pivot[r] : 0;
            for (uint32_t s = r + 1; pivot[r] != 0 && s < rows; ++s)
                if (pivot[s] != 0)
                    x[r][k] -= l[s][r] * x[s][k];
        }
}

/* ---- One constraint ----------------------------------------------------------------------------------------------- */

/* The equations of a constraint and all that hangs below it. */
typedef struct summary {
    double d[SN_MAX_ROWS][SN_MAX_ROWS];
    double r[SN_MAX_ROWS];
    sn_dvec3 v[SN_MAX_ROWS]; /* what the parent does to them */
    double kappa;
    sn_dvec3 line; /* across which it acts, */
    double per_square;
} summary;

static summary summary_of(const sn_item *it, const sn_record *rec, bool turning)
{
    summary sum;
    memset(&sum, 0, sizeof sum);
    sum.kappa = turning && it->acting ? *rec->kappa : 0;
    for (uint32_t i = 0; i < it->rows; ++i) {
        sum.d[i][i] = rec->diagonal[i];
        sum.r[i] = rec->rhs[i];
        if (it->parent != SN_NO_PARENT)
            sum.v[i] = gradient_of(rec, it->count, i, it->parent);
        if (sum.kappa > 0 && rec->turn[i] != 0) {
            sum.line = gradient_of(rec, it->count, i, 0);
            sum.per_square = 1 / dvec3_dot(sum.line, sum.line);
        }
    }
    return sum;
}

static void add_child(const sn_item *it, const sn_record *rec, uint32_t p, sn_node *child, summary *sum)
{
    if (sum->kappa > 0)
        add_across(child->h, sum->kappa, sum->line, sum->per_square);
    invert(child->h);
    for (uint32_t i = 0; i < it->rows; ++i) {
        sn_dvec3 bg = times(child->h, gradient_of(rec, it->count, i, p));
        sum->r[i] -= dvec3_dot(bg, load3(child->b));
        if (sum->kappa > 0)
            sum->v[i] = dvec3_add(sum->v[i], dvec3_scale(across(bg, sum->line, sum->per_square), sum->kappa));
        for (uint32_t k = 0; k < it->rows; ++k)
            sum->d[k][i] += dvec3_dot(gradient_of(rec, it->count, k, p), bg);
    }
}

/* lambda is to be `share` of what it would be if the constraint were alone: as if it were softer by so much of its own. */
static void add_share(const sn_trees *w, const sn_item *it, const sn_record *rec, double d[SN_MAX_ROWS][SN_MAX_ROWS])
{
    const double extra = 1 / *rec->share - 1;
    for (uint32_t p = 0; p < it->count; ++p) {
        uint32_t at = w->node_of[it->mention + p];
        for (uint32_t i = 0; at != SN_GROUND && i < it->rows; ++i)
            for (uint32_t k = 0; k < it->rows; ++k)
                d[k][i] += extra * w->nodes[at].w *
                           dvec3_dot(gradient_of(rec, it->count, k, p), gradient_of(rec, it->count, i, p));
    }
    for (uint32_t i = 0; i < it->rows; ++i)
        d[i][i] += extra * rec->diagonal[i];
}

/* Writes z and gain. */
static void solve_summary(const sn_item *it, const sn_record *rec, summary *sum)
{
    double x[SN_MAX_ROWS][SIDES];
    for (uint32_t i = 0; i < it->rows; ++i) {
        x[i][0] = sum->v[i].x, x[i][1] = sum->v[i].y, x[i][2] = sum->v[i].z, x[i][3] = sum->r[i];
        for (uint32_t k = 0; k < it->rows; ++k)
            if (!(it->acting >> k & 1))
                x[i][3] -= sum->d[i][k] * rec->least[k];
    }
    solve_rows(it->rows, it->acting, sum->d, x);
    for (uint32_t i = 0; i < it->rows; ++i) {
        rec->z[i] = it->acting >> i & 1 ? x[i][3] : rec->least[i];
        store3(rec->gain + 3 * i, dvec3(x[i][0], x[i][1], x[i][2]));
    }
}

/* What kappa adds to h and b of the parent; B g is that of the child, which may be NULL, with g = line. */
SN_INLINE void add_turning(double *h, double *b, const sn_node *child, double kappa, sn_dvec3 g, double per_square)
{
    add_across(h, kappa, g, per_square);
    if (!child)
        return;
    /* P B P = B - n (B n)^T - (B n) n^T + (n . B n) n n^T */
    const double s = kappa * kappa;
    sn_dvec3 bg = times(child->h, g), bb = times(child->h, load3(child->b));
    for (uint32_t i = 0; i < 6; ++i)
        h[i] -= s * child->h[i];
    add_product(h, s * per_square, g, bg);
    add_square(h, -s * per_square * per_square * dvec3_dot(g, bg), g);
    store3(b, dvec3_add(load3(b), dvec3_scale(across(bb, g, per_square), kappa)));
}

/* Sums up a constraint and all that hangs below it at its parent. */
static void go_up(const sn_trees *w, const sn_item *it, bool turning)
{
    const uint32_t *at = w->node_of + it->mention;
    sn_record rec = record_at(w->numbers + it->record, it->rows);
    sn_node *parent = it->parent == SN_NO_PARENT ? NULL : &w->nodes[at[it->parent]], *child = NULL;
    summary sum = summary_of(it, &rec, turning);
    for (uint32_t p = 0; p < it->count; ++p)
        if (at[p] != SN_GROUND && p != it->parent) {
            child = &w->nodes[at[p]];
            add_child(it, &rec, p, child, &sum);
        }
    if (*rec.share != 1)
        add_share(w, it, &rec, sum.d);
    solve_summary(it, &rec, &sum);
    if (!parent)
        return;
    for (uint32_t i = 0; i < it->rows; ++i) { /* V^T D^-1 V is symmetric, if its terms are not */
        add_product(parent->h, 0.5, sum.v[i], load3(rec.gain + 3 * i));
        store3(parent->b, dvec3_add(load3(parent->b), dvec3_scale(sum.v[i], rec.z[i])));
    }
    if (sum.kappa > 0)
        add_turning(parent->h, parent->b, child, sum.kappa, sum.line, sum.per_square);
}

/* Knowing how the parent moves, how the children do. */
static void go_down(const sn_trees *w, const sn_item *it, bool turning)
{
    const uint32_t *at = w->node_of + it->mention;
    sn_record rec = record_at(w->numbers + it->record, it->rows);
    sn_dvec3 y = it->parent == SN_NO_PARENT ? dvec3(0, 0, 0) : load3(w->nodes[at[it->parent]].b);
    summary sum = summary_of(it, &rec, turning);
    for (uint32_t i = 0; i < it->rows; ++i)
        rec.lambda[i] = rec.z[i] - dvec3_dot(load3(rec.gain + 3 * i), y);
    for (uint32_t p = 0; p < it->count; ++p) {
        if (at[p] == SN_GROUND || p == it->parent)
            continue;
        sn_node *child = &w->nodes[at[p]];
        sn_dvec3 b = load3(child->b);
        for (uint32_t i = 0; i < it->rows; ++i)
            b = dvec3_add(b, dvec3_scale(gradient_of(&rec, it->count, i, p), rec.lambda[i]));
        if (sum.kappa > 0)
            b = dvec3_add(b, dvec3_scale(across(y, sum.line, sum.per_square), sum.kappa));
        store3(child->b, times(child->h, b));
    }
}

/* ---- Links --------------------------------------------------------------------------------------------------------- */

/* A link with its particles: the upper one is the parent. */
typedef struct link_view {
    sn_record rec;
    sn_node *upper, *lower;
    sn_dvec3 up, down; /* gradients */
} link_view;

SN_INLINE link_view view(const sn_trees *w, const sn_item *it)
{
    const uint32_t *at = w->node_of + it->mention;
    sn_record rec = record_at(w->numbers + it->record, 1);
    return (link_view){rec, &w->nodes[at[0]], &w->nodes[at[1]], rec.j[0], rec.j[1]};
}

static bool has_child(const sn_trees *w, const link_view *k)
{
    return k->lower != w->nodes; /* which is the ground */
}

/* What gain holds of a link that hangs from another, without turning. */
enum { GAIN_INVERSE, GAIN_COUPLING };

/* D is that of the algorithm of Thomas: of a link that hangs from another it has its upper particle in it. */
static void link_up(const sn_trees *w, const sn_item *it)
{
    const link_view k = view(w, it);
    double d = *k.rec.diagonal, r = *k.rec.rhs;
    if (it->chained) {
        const sn_record below = record_at(w->numbers + it[1].record, 1);
        const double t = k.lower->w * dvec3_dot(below.j[0], k.down);
        below.gain[GAIN_COUPLING] = t;
        d = (d + k.lower->w * dvec3_dot(k.down, k.down)) - t * t * below.gain[GAIN_INVERSE];
        r -= t * *below.z;
    } else if (has_child(w, &k)) {
        invert(k.lower->h);
        sn_dvec3 bg = times(k.lower->h, k.down);
        d += dvec3_dot(k.down, bg);
        r -= dvec3_dot(bg, load3(k.lower->b));
    }
    if (it->hanging)
        d += k.upper->w * dvec3_dot(k.up, k.up);
    const double inverse = it->acting && d > 0 ? 1 / d : 0, z = it->acting ? r * inverse : *k.rec.least;
    *k.rec.z = z;
    if (it->hanging) {
        k.rec.gain[GAIN_INVERSE] = inverse;
        return;
    }
    store3(k.rec.gain, dvec3_scale(k.up, inverse));
    add_square(k.upper->h, inverse, k.up);
    store3(k.upper->b, dvec3_add(load3(k.upper->b), dvec3_scale(k.up, z)));
}

static void link_down(const sn_trees *w, const sn_item *it)
{
    const link_view k = view(w, it);
    double lambda;
    if (it->hanging) {
        const sn_record above = record_at(w->numbers + it[-1].record, 1);
        const double pull = *above.lambda;
        lambda = *k.rec.z - k.rec.gain[GAIN_INVERSE] * k.rec.gain[GAIN_COUPLING] * pull;
        const sn_dvec3 sum = dvec3_add(dvec3_scale(above.j[1], pull), dvec3_scale(k.up, lambda));
        store3(k.upper->b, dvec3_scale(sum, k.upper->w));
    } else {
        lambda = *k.rec.z - dvec3_dot(load3(k.rec.gain), load3(k.upper->b));
    }
    *k.rec.lambda = lambda;
    if (!it->chained && has_child(w, &k))
        store3(k.lower->b, times(k.lower->h, dvec3_add(load3(k.lower->b), dvec3_scale(k.down, lambda))));
}

/* Whether a link can be done with P = I: it acts, has a child, and c is well above 0. */
SN_INLINE bool is_plain(const sn_trees *w, const sn_item *it, const link_view *k, double square)
{
    return it->acting && has_child(w, k) && *k->rec.kappa * *k->rec.diagonal < square / 2;
}

/* The inverse of D = (a det + g . cof g) / det does not wait for that of det. */
static void turning_link_up(const sn_trees *w, const sn_item *it)
{
    const link_view k = view(w, it);
    const sn_dvec3 g = k.down, b = load3(k.lower->b);
    const double kappa = *k.rec.kappa, square = dvec3_dot(g, g), c = 1 - kappa * *k.rec.diagonal / square,
                 per_c = 1 / c;
    if (!is_plain(w, it, &k, square)) {
        go_up(w, it, true);
        return;
    }
    double h[6];
    memcpy(h, k.lower->h, sizeof h);
    h[0] += kappa, h[1] += kappa, h[2] += kappa;
    const double det = cofactors(h), per_det = 1 / det;
    const sn_dvec3 cg = times(h, g), bg = dvec3_scale(cg, per_det);
    const double inverse = det / (*k.rec.diagonal * per_c * det + dvec3_dot(g, cg));
    const double z = (*k.rec.rhs * per_c - dvec3_dot(bg, b)) * inverse;
    const sn_dvec3 v = dvec3_add(k.up, dvec3_scale(bg, kappa));
    *k.rec.z = z;
    store3(k.rec.gain, dvec3_scale(v, inverse));
    const double s = kappa * kappa;
    double up[6];
    for (uint32_t i = 0; i < 6; ++i) {
        k.lower->h[i] = h[i] *= per_det;
        up[i] = k.upper->h[i] - s * h[i];
    }
    up[0] += kappa, up[1] += kappa, up[2] += kappa;
    add_square(up, inverse, v);
    memcpy(k.upper->h, up, sizeof up);
    sn_dvec3 sum = dvec3_add(dvec3_scale(times(h, b), kappa), dvec3_scale(v, z));
    store3(k.upper->b, dvec3_add(load3(k.upper->b), sum));
}

static void turning_link_down(const sn_trees *w, const sn_item *it)
{
    const link_view k = view(w, it);
    const sn_dvec3 g = k.down, y = load3(k.upper->b);
    const double kappa = *k.rec.kappa, square = dvec3_dot(g, g);
    if (!is_plain(w, it, &k, square)) {
        go_down(w, it, true);
        return;
    }
    const double lambda = *k.rec.z - dvec3_dot(load3(k.rec.gain), y); /* lambda' */
    const sn_dvec3 b = dvec3_add(load3(k.lower->b), dvec3_scale(y, kappa));
    store3(k.lower->b, times(k.lower->h, dvec3_add(b, dvec3_scale(g, lambda))));
    *k.rec.lambda = (lambda * square - kappa * *k.rec.rhs) / (square - kappa * *k.rec.diagonal);
}

/* ---- The tree ------------------------------------------------------------------------------------------------------ */

void sn_tree_start(const sn_trees *w, const sn_tree *t, bool turning)
{
    for (uint32_t i = t->node; i < t->node_end; ++i) {
        sn_node *n = &w->nodes[i];
        if (w->inner[i] && !turning)
            continue;
        n->h[0] = n->h[1] = n->h[2] = 1 / n->w;
        n->h[3] = n->h[4] = n->h[5] = n->b[0] = n->b[1] = n->b[2] = 0;
    }
}

void sn_tree_up(const sn_trees *w, const sn_item *it, bool turning)
{
    if (!it->is_link)
        go_up(w, it, turning);
    else if (turning)
        turning_link_up(w, it);
    else
        link_up(w, it);
}

void sn_tree_root(const sn_trees *w, const sn_tree *t)
{
    if (t->node == t->node_end)
        return;
    sn_node *root = &w->nodes[t->node];
    invert(root->h);
    store3(root->b, times(root->h, load3(root->b)));
}

void sn_tree_down(const sn_trees *w, const sn_item *it, bool turning)
{
    if (!it->is_link)
        go_down(w, it, turning);
    else if (turning)
        turning_link_down(w, it);
    else
        link_down(w, it);
}
