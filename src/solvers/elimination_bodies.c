/* The equations of a tree with bodies: as in elimination.c, with six numbers in place of three.

   The centre and the orientation of a body are one node of the tree. With its subtree, it responds to an impulse f, of
   six numbers now, by x = u + W f, with a W of 6 x 6. At first W is w for the centre, and for the orientation

       (I / w + K)^-1,

   where K makes it harder to rotate than its mass does: see "Turning" in forest_solve.c. */
#include "solvers/tree.h"

#include "base/symmetric.h"

/* A node with its body, if it is one. */
typedef struct part {
    sn_node *node;
    sn_whole *whole;
    uint32_t centre, turn; /* indices among the constraint's particles; NOT_HERE: the constraint does not act on it */
} part;

#define NOT_HERE UINT32_MAX

/* ---- Responses --------------------------------------------------------------------------------------------------- */

void sn_whole_start(const sn_trees *w, uint32_t node, bool turning)
{
    sn_whole *b = whole_at(w, node);
    const double weight = w->nodes[node].w;
    double t[6] = {weight, weight, weight, 0, 0, 0};
    if (turning && b->largest + b->calm > 0) { /* in units of the mass */
        double m[6];
        for (uint32_t i = 0; i < 6; ++i)
            m[i] = weight * b->k[i] + (i < 3 ? 1 + weight * b->calm : 0);
        symmetric_inverse(m, t);
        for (uint32_t i = 0; i < 6; ++i)
            t[i] *= weight;
    }
    memset(b->m, 0, sizeof b->m);
    memset(b->u, 0, sizeof b->u);
    memset(b->f, 0, sizeof b->f);
    for (uint32_t i = 0; i < 3; ++i) {
        b->m[i][i] = weight;
        b->m[3 + i][3 + i] = t[i];
    }
    b->m[3][4] = b->m[4][3] = t[3];
    b->m[3][5] = b->m[5][3] = t[4];
    b->m[4][5] = b->m[5][4] = t[5];
}

void sn_whole_end(const sn_trees *w, uint32_t node)
{
    const sn_whole *b = whole_at(w, node);
    memcpy(w->nodes[node].u, b->u, sizeof w->nodes[node].u);
    memcpy(w->nodes[node + 1].u, b->u + 3, sizeof w->nodes[node].u);
}

/* out = W a. A particle uses the first three numbers. */
static void times(const part *p, const double *a, double *out)
{
    if (!p->whole) {
        const double *m = p->node->m;
        out[0] = m[0] * a[0] + m[3] * a[1] + m[4] * a[2];
        out[1] = m[3] * a[0] + m[1] * a[1] + m[5] * a[2];
        out[2] = m[4] * a[0] + m[5] * a[1] + m[2] * a[2];
        out[3] = out[4] = out[5] = 0;
        return;
    }
    for (uint32_t i = 0; i < 6; ++i) {
        const double *m = p->whole->m[i];
        out[i] = m[0] * a[0] + m[1] * a[1] + m[2] * a[2] + m[3] * a[3] + m[4] * a[4] + m[5] * a[5];
    }
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static void load_motion(const part *p, double *u)
{
    memset(u, 0, 6 * sizeof *u);
    if (p->whole)
        memcpy(u, p->whole->u, sizeof p->whole->u);
    else
        memcpy(u, p->node->u, sizeof p->node->u);
}

/* ---- Parts of a constraint --------------------------------------------------------------------------------------- */

/* Lists the movable nodes of a constraint, each once. *parent: the index of the parent. Returns their number. */
static uint32_t list_parts(const sn_trees *w, const sn_item *it, part *parts, uint32_t *parent)
{
    const uint32_t *at = w->node_of + it->mention, particles = (uint32_t)it->count - it->turns;
    uint32_t count = 0;
    *parent = NOT_HERE;
    for (uint32_t i = 0; i < particles; ++i) {
        if (at[i] == SN_GROUND)
            continue;
        if (i == it->parent)
            *parent = count;
        part *p = &parts[count++];
        *p = (part){&w->nodes[at[i]], whole_at(w, at[i]), i, NOT_HERE};
        for (uint32_t t = particles; p->whole && t < it->count; ++t)
            if (at[t] == at[i] + 1)
                p->turn = t;
    }
    return count;
}

/* The gradient of a row by a part. */
static void load_gradient(const sn_item *it, const sn_record *rec, uint32_t r, const part *p, double *g)
{
    store3(g, gradient_of(rec, it->count, r, p->centre));
    store3(g + 3, p->turn != NOT_HERE ? gradient_of(rec, it->count, r, p->turn) : dvec3(0, 0, 0));
}

/* Adds the part's contribution to S and subtracts it from e. wg receives its W J^T. */
static void add_part(const sn_item *it, const sn_record *rec, const part *p, double s[SN_MAX_ROWS][SN_MAX_ROWS],
                     double *e, double wg[SN_MAX_ROWS][6])
{
    const double extra = 1 / *rec->share - 1; /* as if it were softer by this share of its own A */
    double g[SN_MAX_ROWS][6], u[6];
    load_motion(p, u);
    for (uint32_t i = 0; i < it->rows; ++i) {
        load_gradient(it, rec, i, p, g[i]);
        times(p, g[i], wg[i]);
        e[i] -= dot(g[i], u);
    }
    for (uint32_t i = 0; i < it->rows; ++i)
        for (uint32_t k = 0; k < it->rows; ++k)
            s[k][i] += dot(g[k], wg[i]) + (extra != 0 ? extra * p->node->w * dot(g[k], g[i]) : 0);
}

/* ---- Up and down ------------------------------------------------------------------------------------------------- */

/* Solves the rows; writes z and gain. */
static void solve_constraint(const sn_item *it, const sn_record *rec, double *gain, double s[SN_MAX_ROWS][SN_MAX_ROWS],
                             const double *e, double wg[SN_MAX_ROWS][6])
{
    double x[SN_MAX_ROWS][SN_TREE_SIDES];
    for (uint32_t i = 0; i < it->rows; ++i) {
        memcpy(x[i], wg[i], sizeof wg[i]);
        x[i][6] = e[i];
        for (uint32_t k = 0; k < it->rows; ++k)
            if (!(it->acting >> k & 1))
                x[i][6] -= s[i][k] * rec->least[k];
    }
    solve_rows(it, rec->own, s, x, SN_TREE_SIDES);
    for (uint32_t i = 0; i < it->rows; ++i) {
        rec->z[i] = it->acting >> i & 1 ? x[i][6] : rec->least[i];
        memcpy(gain + 6 * i, x[i], 6 * sizeof *gain);
    }
}

/* W -= W J^T gain and u += W J^T z. The sum is symmetric, though its terms are not. */
static void change_answer(const sn_item *it, const sn_record *rec, const double *gain, const part *p,
                          double wg[SN_MAX_ROWS][6])
{
    for (uint32_t r = 0; r < it->rows; ++r) {
        const double *a = wg[r], *b = gain + 6 * r, z = rec->z[r];
        if (!p->whole) {
            double *m = p->node->m;
            m[0] -= a[0] * b[0];
            m[1] -= a[1] * b[1];
            m[2] -= a[2] * b[2];
            m[3] -= (a[0] * b[1] + a[1] * b[0]) / 2;
            m[4] -= (a[0] * b[2] + a[2] * b[0]) / 2;
            m[5] -= (a[1] * b[2] + a[2] * b[1]) / 2;
        }
        for (uint32_t i = 0; p->whole && i < 6; ++i)
            for (uint32_t k = 0; k < 6; ++k)
                p->whole->m[i][k] -= (a[i] * b[k] + a[k] * b[i]) / 2;
        double *u = p->whole ? p->whole->u : p->node->u;
        for (uint32_t i = 0; i < (p->whole ? 6u : 3u); ++i)
            u[i] += a[i] * z;
    }
}

void sn_whole_up(const sn_trees *w, const sn_item *it)
{
    sn_record rec = record_at(w->numbers + it->record, it->rows);
    double *gain = extra_at(w->numbers + it->record, it).gain;
    part parts[SN_MAX_BLOCK];
    double s[SN_MAX_ROWS][SN_MAX_ROWS] = {{0}}, e[SN_MAX_ROWS], wg[SN_MAX_ROWS][6], up[SN_MAX_ROWS][6] = {{0}};
    uint32_t parent, count = list_parts(w, it, parts, &parent);
    for (uint32_t i = 0; i < it->rows; ++i) {
        s[i][i] = rec.diagonal[i] / *rec.share;
        e[i] = rec.rhs[i];
    }
    for (uint32_t i = 0; i < count; ++i)
        add_part(it, &rec, &parts[i], s, e, i == parent ? up : wg);
    solve_constraint(it, &rec, gain, s, e, up);
    if (parent != NOT_HERE)
        change_answer(it, &rec, gain, &parts[parent], up);
}

/* J^T lambda of a part. */
static void gather_pull(const sn_item *it, const sn_record *rec, const part *p, double *f)
{
    for (uint32_t r = 0; r < it->rows; ++r) {
        double g[6];
        load_gradient(it, rec, r, p, g);
        for (uint32_t i = 0; i < 6; ++i)
            f[i] += g[i] * rec->lambda[r];
    }
}

/* Applies an impulse to a child, and moves it. */
static void push(const part *p, const double *f)
{
    double by[6], *u = p->whole ? p->whole->u : p->node->u;
    times(p, f, by);
    for (uint32_t i = 0; i < (p->whole ? 6u : 3u); ++i)
        u[i] += by[i];
    if (p->whole)
        memcpy(p->whole->f, f, sizeof p->whole->f);
    else
        memcpy(p->node->f, f, sizeof p->node->f); /* in place of a part of m */
}

void sn_whole_down(const sn_trees *w, const sn_item *it)
{
    sn_record rec = record_at(w->numbers + it->record, it->rows);
    const double *gain = extra_at(w->numbers + it->record, it).gain;
    part parts[SN_MAX_BLOCK];
    double f[6] = {0};
    uint32_t parent, count = list_parts(w, it, parts, &parent);
    double *above = parent == NOT_HERE ? NULL : parts[parent].whole ? parts[parent].whole->f : parts[parent].node->f;
    if (above)
        memcpy(f, above, (parts[parent].whole ? 6 : 3) * sizeof *f);
    for (uint32_t i = 0; i < it->rows; ++i)
        rec.lambda[i] = rec.z[i] - dot(gain + 6 * i, f);
    if (above) {
        gather_pull(it, &rec, &parts[parent], f);
        memcpy(above, f, (parts[parent].whole ? 6 : 3) * sizeof *f);
    }
    for (uint32_t i = 0; i < count; ++i) {
        double pull[6] = {0};
        if (i == parent)
            continue;
        gather_pull(it, &rec, &parts[i], pull);
        push(&parts[i], pull);
    }
}
