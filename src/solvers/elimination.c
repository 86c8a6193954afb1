/* The equations of a tree, solved from the leaves to the root and back.

   With w the particles' inverse masses they are

       x_p = w_p (sum over c of J_cp^T lambda_c)          for every particle p
       sum over p of J_cp x_p + a_c lambda_c = r_c        for every constraint c (several rows at once)

   Take a particle as the root. Then every constraint has a parent particle and child particles, which have constraints
   as children in turn. With its subtree, a particle responds to an impulse f from above by

       x_p = u_p + W_p f,     at first u = 0, W = w,

   and every constraint below changes that response, once its own children are done. With S = a + sum over all its
   particles of J W J^T, e = r - sum of J u, and q its parent:

       lambda = S^-1 (e - (W_q J_q^T)^T f),     W_q -= (W_q J_q^T) S^-1 (W_q J_q^T)^T,     u_q += (W_q J_q^T) S^-1 e.

   This is done for all constraints from the leaves to the root. Then, from the root (f = 0) to the leaves, every
   constraint computes lambda from the f of its parent, adds J_q^T lambda to that f for the constraints that came before
   it, and J_p^T lambda is the f of its children. In all it is the block LDL^T of J W J^T + a without fill-in, in a form
   that also works for immovable particles, W = 0 (Featherstone 1983 for robot arms, Baraff 1996 for constraints; the
   filter of Kalman 1960 is the same). Everything is in double. For a row that does not act, lambda is given, and moves
   to the right-hand side.

   Chains. Where a particle has just two constraints, both links (one row, two particles), W is w - w^2 g g^T / S, and
   S_next = a + w |g'|^2 - (w g . g')^2 / S + ...: the Thomas algorithm on the tridiagonal matrix J W J^T + a.

   Turning. kappa is a spring across the line n between two particles (forest_solve.c explains why), which acts on their
   displacements. With z = x_child - x_parent, g the gradient of the row for the child, -g that for the parent, and P =
   I - n n^T,

       the child gets the impulse F = -kappa P z + g lambda, the parent -F,     g . z + a lambda = r.

   Let Z = W_child + W_parent, v = u_child - u_parent - W_parent f, so that z = v + Z F, and

       Y = (I + kappa Z)^-1,  y = Y g,  q = y . Z g,  c = 1 - a kappa / |g|^2,  t = a + c q.

   With I in place of P, kappa adds kappa g . z / |g|^2 to lambda along n, and g . z is known from the row. That gives

       lambda = (r (1 - kappa q / |g|^2) - y . v) / t,     F = -kappa Y v + y (r - c y . v) / t = F_0 + N W_parent f,
       N = kappa Y + (c / t) y y^T,     W_parent -= W_parent N W_parent,     u_parent -= W_parent F_0.

   t is positive, whatever the signs of its parts. If the parent has no other children, W_parent = w and u_parent = 0
   beforehand, and on the way back F = f - x_parent / w.

   Supports. A particle that rests on a surface with the normal n, at a gap g, cannot move along n. It begins with

       W = w (I - n n^T),     u = -g n,

   and the normal force of the surface is the missing part along n: -g - w n . f, with f the sum of all constraint
   forces. Static friction exerts q - k x across n, with k = SN_SUPPORT_GRIP. Then W and the contribution of q to u are
   divided by 1 + k. Dynamic friction is known: q. */
#include "solvers/tree.h"

#include <math.h>

/* ---- Small matrices ---------------------------------------------------------------------------------------------- */

/* A symmetric matrix is xx, yy, zz, xy, xz, yz. */
SN_INLINE sn_dvec3 times(const double *m, sn_dvec3 a)
{
    return dvec3(m[0] * a.x + m[3] * a.y + m[4] * a.z, m[3] * a.x + m[1] * a.y + m[5] * a.z,
                 m[4] * a.x + m[5] * a.y + m[2] * a.z);
}

/* m += s a a^T. */
SN_INLINE void add_square(double *m, double s, sn_dvec3 a)
{
    sn_dvec3 b = dvec3_scale(a, s);
    m[0] += a.x * b.x;
    m[1] += a.y * b.y;
    m[2] += a.z * b.z;
    m[3] += a.x * b.y;
    m[4] += a.x * b.z;
    m[5] += a.y * b.z;
}

/* m -= (a b^T + b a^T) / 2. */
SN_INLINE void subtract_product(double *m, sn_dvec3 a, sn_dvec3 b)
{
    m[0] -= a.x * b.x;
    m[1] -= a.y * b.y;
    m[2] -= a.z * b.z;
    m[3] -= (a.x * b.y + a.y * b.x) / 2;
    m[4] -= (a.x * b.z + a.z * b.x) / 2;
    m[5] -= (a.y * b.z + a.z * b.y) / 2;
}

/* The cofactors of a matrix; returns its determinant. The inverse is their quotient. For matrices with eigenvalues of
   similar size. */
SN_INLINE double cofactors(const double *m, double *out)
{
    double xx = m[1] * m[2] - m[5] * m[5], xy = m[4] * m[5] - m[3] * m[2], xz = m[3] * m[5] - m[4] * m[1];
    out[0] = xx, out[1] = m[0] * m[2] - m[4] * m[4], out[2] = m[0] * m[1] - m[3] * m[3];
    out[3] = xy, out[4] = xz, out[5] = m[3] * m[4] - m[0] * m[5];
    return m[0] * xx + m[3] * xy + m[4] * xz;
}

/* The columns of right-hand sides: three for the parent, and one. */
#define SIDES 4

/* ---- Any constraint ---------------------------------------------------------------------------------------------- */

/* Adds the particle's contribution to S and subtracts it from e. */
static void add_particle(const sn_item *it, const sn_record *rec, uint32_t p, const sn_node *n,
                         double s[SN_MAX_ROWS][SN_MAX_ROWS], double *e)
{
    const double extra = 1 / *rec->share - 1; /* as if it were softer by this share of its own A */
    for (uint32_t i = 0; i < it->rows; ++i) {
        sn_dvec3 g = gradient_of(rec, it->count, i, p), wg = times(n->m, g);
        e[i] -= dvec3_dot(g, load3(n->u));
        for (uint32_t k = 0; k < it->rows; ++k) {
            sn_dvec3 other = gradient_of(rec, it->count, k, p);
            s[k][i] += dvec3_dot(other, wg) + (extra != 0 ? extra * n->w * dvec3_dot(other, g) : 0);
        }
    }
}

/* Solves the rows; writes z and gain = S^-1 (W_q J_q^T)^T, three numbers a row. */
static void solve_constraint(const sn_item *it, const sn_record *rec, double s[SN_MAX_ROWS][SN_MAX_ROWS],
                             const double *e, const sn_node *parent)
{
    double x[SN_MAX_ROWS][SN_TREE_SIDES] = {{0}};
    for (uint32_t i = 0; i < it->rows; ++i) {
        if (parent) {
            sn_dvec3 wg = times(parent->m, gradient_of(rec, it->count, i, it->parent));
            x[i][0] = wg.x, x[i][1] = wg.y, x[i][2] = wg.z;
        }
        x[i][3] = e[i];
        for (uint32_t k = 0; k < it->rows; ++k)
            if (!(it->acting >> k & 1))
                x[i][3] -= s[i][k] * rec->least[k];
    }
    solve_rows(it, rec->own, s, x, SIDES);
    for (uint32_t i = 0; i < it->rows; ++i) {
        rec->z[i] = it->acting >> i & 1 ? x[i][3] : rec->least[i];
        store3(rec->gain + 3 * i, dvec3(x[i][0], x[i][1], x[i][2]));
    }
}

/* Updates the response of the parent. */
static void go_up(const sn_trees *w, const sn_item *it)
{
    const uint32_t *at = w->node_of + it->mention;
    sn_record rec = record_at(w->numbers + it->record, it->rows);
    sn_node *parent = it->parent == SN_NO_PARENT ? NULL : &w->nodes[at[it->parent]];
    double s[SN_MAX_ROWS][SN_MAX_ROWS] = {{0}}, e[SN_MAX_ROWS];
    for (uint32_t i = 0; i < it->rows; ++i) {
        s[i][i] = rec.diagonal[i] / *rec.share;
        e[i] = rec.rhs[i];
    }
    for (uint32_t p = 0; p < it->count; ++p)
        if (at[p] != SN_GROUND)
            add_particle(it, &rec, p, &w->nodes[at[p]], s, e);
    solve_constraint(it, &rec, s, e, parent);
    if (!parent)
        return;
    double m[6];
    sn_dvec3 u = load3(parent->u);
    memcpy(m, parent->m, sizeof m);
    for (uint32_t i = 0; i < it->rows; ++i) { /* the sum is symmetric, though its terms are not */
        sn_dvec3 wg = times(parent->m, gradient_of(&rec, it->count, i, it->parent));
        subtract_product(m, wg, load3(rec.gain + 3 * i));
        u = dvec3_add(u, dvec3_scale(wg, rec.z[i]));
    }
    memcpy(parent->m, m, sizeof m);
    store3(parent->u, u);
}

/* Applies an impulse to a child, and moves it. */
SN_INLINE void push(sn_node *child, sn_dvec3 f)
{
    store3(child->u, dvec3_add(load3(child->u), times(child->m, f)));
    store3(child->f, f); /* in place of a part of m, which is no longer needed */
}

static void go_down(const sn_trees *w, const sn_item *it)
{
    const uint32_t *at = w->node_of + it->mention;
    sn_record rec = record_at(w->numbers + it->record, it->rows);
    sn_node *parent = it->parent == SN_NO_PARENT ? NULL : &w->nodes[at[it->parent]];
    sn_dvec3 f = parent ? load3(parent->f) : dvec3(0, 0, 0), sum = f;
    for (uint32_t i = 0; i < it->rows; ++i) {
        rec.lambda[i] = rec.z[i] - dvec3_dot(load3(rec.gain + 3 * i), f);
        if (parent)
            sum = dvec3_add(sum, dvec3_scale(gradient_of(&rec, it->count, i, it->parent), rec.lambda[i]));
    }
    if (parent)
        store3(parent->f, sum);
    for (uint32_t p = 0; p < it->count; ++p) {
        if (at[p] == SN_GROUND || p == it->parent)
            continue;
        sn_dvec3 pull = dvec3(0, 0, 0);
        for (uint32_t i = 0; i < it->rows; ++i)
            pull = dvec3_add(pull, dvec3_scale(gradient_of(&rec, it->count, i, p), rec.lambda[i]));
        push(&w->nodes[at[p]], pull);
    }
}

/* ---- Links ------------------------------------------------------------------------------------------------------- */

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

/* The contents of gain for a link that hangs from another. */
enum { GAIN_INVERSE, GAIN_COUPLING };

static void link_up(const sn_trees *w, const sn_item *it)
{
    const link_view k = view(w, it);
    double s = *k.rec.diagonal, e = *k.rec.rhs;
    sn_dvec3 wg = k.up;
    if (it->chained) {
        const sn_record below = record_at(w->numbers + it[1].record, 1);
        const double t = k.lower->w * dvec3_dot(below.j[0], k.down);
        below.gain[GAIN_COUPLING] = t;
        s = (s + k.lower->w * dvec3_dot(k.down, k.down)) - t * t * below.gain[GAIN_INVERSE];
        e -= t * *below.z;
    } else { /* the ground contributes nothing */
        s += dvec3_dot(k.down, times(k.lower->m, k.down));
        e -= dvec3_dot(k.down, load3(k.lower->u));
    }
    if (it->hanging) {
        s += k.upper->w * dvec3_dot(k.up, k.up);
    } else {
        wg = times(k.upper->m, k.up);
        s += dvec3_dot(k.up, wg);
        e -= dvec3_dot(k.up, load3(k.upper->u));
    }
    const double inverse = it->acting && s > least_pivot(it, *k.rec.own) ? 1 / s : 0;
    const double z = it->acting ? e * inverse : *k.rec.least;
    *k.rec.z = z;
    if (it->hanging) {
        k.rec.gain[GAIN_INVERSE] = inverse;
        return;
    }
    store3(k.rec.gain, dvec3_scale(wg, inverse));
    add_square(k.upper->m, -inverse, wg);
    store3(k.upper->u, dvec3_add(load3(k.upper->u), dvec3_scale(wg, z)));
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
        store3(k.upper->u, dvec3_scale(sum, k.upper->w));
    } else {
        const sn_dvec3 f = load3(k.upper->f);
        lambda = *k.rec.z - dvec3_dot(load3(k.rec.gain), f);
        store3(k.upper->f, dvec3_add(f, dvec3_scale(k.up, lambda)));
    }
    *k.rec.lambda = lambda;
    if (!it->chained && k.lower != w->nodes)
        push(k.lower, dvec3_scale(k.down, lambda));
}

/* ---- Turning ----------------------------------------------------------------------------------------------------- */

/* A row of two particles that rotates. */
typedef struct turning_row {
    double a, least, r, kappa, per_square; /* least: the smallest t */
    sn_dvec3 g;
} turning_row;

/* The numbers of the derivation above. */
typedef struct turning_answer {
    double cofactor[6], per_det; /* Y is their product */
    sn_dvec3 y;
    double c, q, inverse; /* 1 / t */
} turning_answer;

/* 1 / t = det / (a det + c g . cofactor Z g) can be computed in parallel with 1 / det. */
SN_INLINE turning_answer answer_of(const turning_row *row, const double *z)
{
    const double k = row->kappa, m[6] = {k * z[0] + 1, k * z[1] + 1, k * z[2] + 1, k * z[3], k * z[4], k * z[5]};
    turning_answer a;
    const double det = cofactors(m, a.cofactor);
    const sn_dvec3 cg = times(a.cofactor, row->g);
    const double q = dvec3_dot(cg, times(z, row->g));
    a.per_det = 1 / det;
    a.c = 1 - row->a * k * row->per_square;
    const double t = row->a * det + a.c * q; /* t times det */
    a.inverse = t > row->least * det ? det / t : 0;
    a.y = dvec3_scale(cg, a.per_det);
    a.q = q * a.per_det;
    return a;
}

/* The row of an item of two particles that rotates: the only acting row, if there is just one; its lambda is then the
   whole force of the constraint. SN_MAX_ROWS: none. */
static uint32_t turning_row_of(const sn_item *it, const sn_record *rec)
{
    const uint32_t acting = it->acting;
    if (it->count != 2 || it->parent == SN_NO_PARENT || !acting || acting & (acting - 1))
        return SN_MAX_ROWS;
    uint32_t row = 0;
    while (!(acting >> row & 1))
        ++row;
    for (uint32_t i = 0; i < it->rows; ++i)
        if (i != row && rec->least[i] != 0)
            return SN_MAX_ROWS;
    return rec->turn[row] != 0 && *rec->share == 1 && rec->own[row] > 0 ? row : SN_MAX_ROWS;
}

/* For a parent without other constraints below it. */
SN_INLINE void turn_alone(const turning_row *row, const sn_record *rec, uint32_t r, sn_node *upper,
                          const sn_node *lower)
{
    const double w = upper->w, *l = lower->m;
    const sn_dvec3 v = load3(lower->u);
    const double z[6] = {l[0] + w, l[1] + w, l[2] + w, l[3], l[4], l[5]};
    const turning_answer a = answer_of(row, z);
    const double yv = dvec3_dot(a.y, v), pull = w * ((row->r - a.c * yv) * a.inverse), s = w * row->kappa * a.per_det;
    rec->z[r] = (row->r * (1 - row->kappa * a.q * row->per_square) - yv) * a.inverse;
    store3(rec->gain + 3 * r, dvec3_scale(a.y, -w * a.inverse));
    store3(upper->u, dvec3_sub(dvec3_scale(times(a.cofactor, v), s), dvec3_scale(a.y, pull)));
    const sn_dvec3 y = dvec3_scale(a.y, w), ty = dvec3_scale(y, a.c * a.inverse);
    const double sw = s * w;
    upper->m[0] = w - sw * a.cofactor[0] - y.x * ty.x;
    upper->m[1] = w - sw * a.cofactor[1] - y.y * ty.y;
    upper->m[2] = w - sw * a.cofactor[2] - y.z * ty.z;
    upper->m[3] = -sw * a.cofactor[3] - y.x * ty.y;
    upper->m[4] = -sw * a.cofactor[4] - y.x * ty.z;
    upper->m[5] = -sw * a.cofactor[5] - y.y * ty.z;
}

/* For a parent that may have others. Stores F_0 and N W. */
static void turn_together(const turning_row *row, const sn_record *rec, uint32_t r, sn_node *upper,
                          const sn_node *lower)
{
    const sn_dvec3 v = dvec3_sub(load3(lower->u), load3(upper->u));
    double z[6], n[6], m[6];
    for (uint32_t i = 0; i < 6; ++i)
        z[i] = lower->m[i] + upper->m[i];
    const turning_answer a = answer_of(row, z);
    const double yv = dvec3_dot(a.y, v), pull = (row->r - a.c * yv) * a.inverse;
    const double s = row->kappa * a.per_det;
    const sn_dvec3 f = dvec3_sub(dvec3_scale(a.y, pull), dvec3_scale(times(a.cofactor, v), s));
    rec->z[r] = (row->r * (1 - row->kappa * a.q * row->per_square) - yv) * a.inverse;
    store3(rec->gain + 3 * r, dvec3_scale(times(upper->m, a.y), -a.inverse));
    store3(rec->impulse, f);
    for (uint32_t i = 0; i < 6; ++i)
        n[i] = s * a.cofactor[i];
    add_square(n, a.c * a.inverse, a.y);
    memcpy(m, upper->m, sizeof m);
    const sn_dvec3 column[3] = {dvec3(m[0], m[3], m[4]), dvec3(m[3], m[1], m[5]), dvec3(m[4], m[5], m[2])};
    for (uint32_t i = 0; i < 3; ++i)
        store3(rec->impulse + 3 + 3 * i, times(n, column[i])); /* N W by columns */
    store3(upper->u, dvec3_sub(load3(upper->u), times(m, f)));
    for (uint32_t i = 0; i < 6; ++i) {
        static const uint32_t of[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
        upper->m[i] -= dvec3_dot(column[of[i][0]], load3(rec->impulse + 3 + 3 * of[i][1]));
    }
}

/* Updates the response of the parent. r is the row, and parent the index of the parent. They are parameters, so that
   they are constants for links. */
SN_INLINE void turn_up(const sn_trees *w, const sn_item *it, const sn_record *rec, uint32_t r, uint32_t parent)
{
    const uint32_t *at = w->node_of + it->mention;
    sn_node *upper = &w->nodes[at[parent]], *lower = &w->nodes[at[1 - parent]];
    const sn_dvec3 g = gradient_of(rec, 2, r, 1 - parent);
    const turning_row row = {rec->diagonal[r], least_pivot(it, rec->own[r]), rec->rhs[r],
                             *rec->kappa,      1 / dvec3_dot(g, g),          g};
    if (it->hanging)
        turn_alone(&row, rec, r, upper, lower);
    else
        turn_together(&row, rec, r, upper, lower);
}

SN_INLINE void turn_down(const sn_trees *w, const sn_item *it, const sn_record *rec, uint32_t r, uint32_t parent)
{
    const uint32_t *at = w->node_of + it->mention;
    sn_node *upper = &w->nodes[at[parent]], *lower = &w->nodes[at[1 - parent]];
    const sn_dvec3 f = load3(upper->f);
    sn_dvec3 impulse;
    rec->lambda[r] = rec->z[r] - dvec3_dot(load3(rec->gain + 3 * r), f);
    if (it->hanging) {
        impulse = dvec3_sub(f, dvec3_scale(load3(upper->u), 1 / upper->w));
    } else {
        impulse = load3(rec->impulse);
        impulse = dvec3_add(impulse, dvec3_scale(load3(rec->impulse + 3), f.x));
        impulse = dvec3_add(impulse, dvec3_scale(load3(rec->impulse + 6), f.y));
        impulse = dvec3_add(impulse, dvec3_scale(load3(rec->impulse + 9), f.z));
        store3(upper->f, dvec3_sub(f, impulse));
    }
    if (lower != w->nodes)
        push(lower, impulse);
}

/* Whether a link rotates: it must act. Its share is always 1. */
SN_INLINE bool link_turns(const sn_item *it, const sn_record *rec)
{
    return it->is_link && it->acting && *rec->turn != 0;
}

static void turning_up(const sn_trees *w, const sn_item *it)
{
    const sn_record link = record_at(w->numbers + it->record, 1), rec = record_at(w->numbers + it->record, it->rows);
    if (link_turns(it, &link)) {
        turn_up(w, it, &link, 0, 0);
        return;
    }
    uint32_t r = turning_row_of(it, &rec);
    if (r == SN_MAX_ROWS) {
        go_up(w, it);
        return;
    }
    for (uint32_t i = 0; i < it->rows; ++i)
        rec.lambda[i] = 0;
    turn_up(w, it, &rec, r, it->parent);
}

static void turning_down(const sn_trees *w, const sn_item *it)
{
    const sn_record link = record_at(w->numbers + it->record, 1), rec = record_at(w->numbers + it->record, it->rows);
    if (link_turns(it, &link)) {
        turn_down(w, it, &link, 0, 0);
        return;
    }
    uint32_t r = turning_row_of(it, &rec);
    if (r == SN_MAX_ROWS)
        go_down(w, it);
    else
        turn_down(w, it, &rec, r, it->parent);
}

/* ---- The tree ---------------------------------------------------------------------------------------------------- */

static void start_nodes(const sn_trees *w, const sn_tree *t, bool turning)
{
    for (uint32_t i = t->node; i < t->node_end; ++i) {
        sn_node *n = &w->nodes[i];
        if (w->inner[i] && !turning)
            continue;
        if (t->whole && w->whole_of[i])
            sn_whole_start(w, i, turning);
        n->m[0] = n->m[1] = n->m[2] = n->w;
        n->m[3] = n->m[4] = n->m[5] = n->u[0] = n->u[1] = n->u[2] = 0;
        if (t->leans && w->supports[i].acts) {
            const sn_support *s = &w->supports[i];
            const double share = s->slides ? 1 : 1 / (1 + SN_SUPPORT_GRIP);
            n->m[0] = n->m[1] = n->m[2] = n->w * share;
            add_square(n->m, -n->w * share, s->normal);
            const sn_dvec3 tangential = dvec3_scale(dvec3_sub(s->friction, s->by_friction), share);
            store3(n->u, dvec3_sub(tangential, dvec3_scale(s->normal, s->gap)));
        }
    }
}

void sn_tree_up(const sn_trees *w, const sn_tree *t, bool turning)
{
    start_nodes(w, t, turning);
    for (uint32_t i = t->item_end; i-- > t->item;) {
        const sn_item *it = &w->items[i];
        if (it->whole)
            sn_whole_up(w, it);
        else if (turning)
            turning_up(w, it);
        else if (it->is_link)
            link_up(w, it);
        else
            go_up(w, it);
    }
}

void sn_tree_down(const sn_trees *w, const sn_tree *t, bool turning)
{
    if (t->node < t->node_end) /* no impulse acts on the root from above; sn_whole_start does the same for a body */
        store3(w->nodes[t->node].f, dvec3(0, 0, 0));
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        const sn_item *it = &w->items[i];
        if (it->whole)
            sn_whole_down(w, it);
        else if (turning)
            turning_down(w, it);
        else if (it->is_link)
            link_down(w, it);
        else
            go_down(w, it);
    }
    for (uint32_t i = t->node; t->whole && i < t->node_end; ++i)
        if (w->whole_of[i])
            sn_whole_end(w, i);
}
