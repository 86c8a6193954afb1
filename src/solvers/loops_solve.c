/* Solves loops: fills in, factors, finds which inequalities act and whether gradients rotate, and distributes the
   results. See loops.h. */
#include "solvers/loops_work.h"

#include "base/symmetric.h"

#include <math.h>

/* The largest number of solves, for inequalities and rotation of gradients. A web of 229 taut threads takes 11 at ten
   substeps and 35 at one. If the search ends early, some threads push, and the web bursts. */
#define ROUNDS 40u

/* Newton's method: the largest number of steps, and of halvings of a step. */
#define STEPS    4u
#define HALVINGS 5u

/* After each step, the largest violation must have fallen by this share of the expected amount. */
#define WORTHWHILE 0.1

/* As in forest_solve.c: how near to acting an inequality is that is tried; and the violation that is accepted, as a
   share of the largest one and of the shortest link. */
#define NEAR           2.0
#define VIOLATED       1e-6
#define VIOLATED_LEAST 1e-7

/* Where strings are hardly taut, different ones act from solve to solve. From this round on, the accepted violation
   may be ten times as large in each round, up to this share of the shortest link. */
#define LENIENT_FROM  2u
#define VIOLATED_MOST 1e-4

/* Solves with one factor. Each reduces the error by compliance to a tenth; see SN_LOOP_SOFT. */
#define REFINEMENTS 5u

/* Refinements end where each of them leaves at least this share of the error: rods that depend on each other contradict
   each other by rounding, and more solves would only add stress. They also end at this share of rounding. */
#define STAYS 0.9
#define EXACT 1e-2

#define NONE UINT32_MAX

typedef struct work {
    sn_loops *l;
    sn_loop *loop;
    const sn_forest_job *job;
    double reach, enough, most_turn; /* see sn_tree_state; */
    double shortest, rounding;       /*   the shortest link, m, and what is as good as nothing beside it */
    bool acts, one_way;
    bool right;         /* but for rounding */
    bool rough, coarse; /* see sn_tree_outcome */
} work;

static sn_dvec3 at3(const double *a)
{
    return dvec3(a[0], a[1], a[2]);
}

static loop_numbers numbers_of(const work *w, const sn_loop_tie *tie)
{
    return loop_numbers_at(w->l->number + tie->number, tie);
}

/* ---- Fill in ----------------------------------------------------------------------------------------------------- */

static bool fill_row(work *w, const sn_loop_tie *tie, const sn_forest_rows *rows, uint32_t r)
{
    const loop_numbers n = numbers_of(w, tie);
    const uint32_t *node = w->l->tie_node + tie->node;
    loop_row *row = &n.row[r];
    double own = rows->diagonal[r], square = 0;
    for (uint32_t k = 0; k < tie->count; ++k) {
        const sn_dvec3 g =
            rows->acting | rows->inequality ? dvec3_from(rows->block.gradient[r * tie->count + k]) : dvec3(0, 0, 0);
        store3(n.gradient[r * tie->count + k], g);
        own += node[k] == NONE ? 0 : w->l->w[node[k]] * dvec3_dot(g, g);
        square += dvec3_dot(g, g);
    }
    const double diagonal = rows->diagonal[r] + (1 / rows->share - 1) * own;
    *row = (loop_row){.rhs = rows->rhs[r],
                      .diagonal = diagonal,
                      .gives = diagonal + w->loop->soft * own,
                      .least = rows->least[r],
                      .turn = tie->count == 2 && square > 0 ? rows->turn[r] : 0,
                      .lambda0 = rows->lambda0[r],
                      .length = sqrt(square)};
    const double missed = rows->acting >> r & 1 && square > 0 ? fabs(row->rhs) / row->length : 0;
    w->reach = fmax(w->reach, missed);
    w->most_turn = fmax(w->most_turn, fabs(row->turn));
    return isfinite(row->gives) && isfinite(row->rhs);
}

static bool fill_tie(work *w, sn_loop_tie *tie)
{
    sn_forest_rows rows;
    const loop_numbers n = numbers_of(w, tie);
    rows.acting = (1u << tie->rows) - 1;
    rows.inequality = rows.ruled = 0;
    rows.share = 1;
    for (uint32_t r = 0; r < tie->rows; ++r) {
        rows.rhs[r] = rows.diagonal[r] = rows.least[r] = rows.turn[r] = rows.lambda0[r] = 0;
        if (w->loop->wide)
            memset(rows.bend[r], 0, sizeof rows.bend[r]);
    }
    bool good = w->job->fill(w->job->context, tie->kind, tie->row, &rows);
    tie->acting = (uint8_t)rows.acting;
    tie->inequality = (uint8_t)rows.inequality;
    w->acts = w->acts || rows.acting;
    w->one_way = w->one_way || rows.inequality;
    for (uint32_t r = 0; good && r < tie->rows; ++r) {
        good = fill_row(w, tie, &rows, r);
        for (uint32_t k = 0, turn = 0; w->loop->wide && k < tie->count; ++k) {
            const uint32_t node = w->l->tie_node[tie->node + k];
            const bool turns = node != NONE && w->l->id[node] & SN_TURN_BIT;
            memset(n.bend[r * tie->count + k], 0, sizeof n.bend[0]);
            if (turns && turn < SN_MAX_POINTS)
                memcpy(n.bend[r * tie->count + k], rows.bend[r][turn++], sizeof n.bend[0]);
        }
    }
    if (!w->loop->turning)
        *n.kappa = 0;
    if (!good) {
        w->loop->fault_kind = tie->kind;
        w->loop->fault_row = tie->row;
    }
    return good;
}

static bool fill(work *w)
{
    bool good = true;
    w->reach = w->most_turn = 0;
    w->acts = w->one_way = false;
    for (uint32_t i = w->loop->tie; good && i < w->loop->tie_end; ++i)
        good = fill_tie(w, &w->l->tie[i]);
    w->shortest = w->most_turn > 0 ? 1 / w->most_turn : 0;
    w->rounding = SN_TREE_ROUNDING / SN_TREE_CALM * w->shortest;
    w->right = !w->one_way && w->reach <= w->rounding;
    w->reach = fmax(w->reach, w->rounding);
    w->enough = fmax(VIOLATED * w->reach, VIOLATED_LEAST * w->shortest);
    return good;
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

static void add_square(double *m, double by, sn_dvec3 g)
{
    m[0] += by * g.x * g.x;
    m[1] += by * g.y * g.y;
    m[2] += by * g.z * g.z;
    m[3] += by * g.x * g.y;
    m[4] += by * g.x * g.z;
    m[5] += by * g.y * g.z;
}

/* m += by a b^T. */
static void add_product(double *m, double by, sn_dvec3 a, sn_dvec3 b)
{
    const double l[3] = {by * a.x, by * a.y, by * a.z}, r[3] = {b.x, b.y, b.z};
    for (uint32_t i = 0; i < 3; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            m[3 * i + k] += l[i] * r[k];
}

/* The block of two nodes of a constraint: rows are those of the later node. */
static void add_pair(work *w, uint32_t block, double by, sn_dvec3 a, sn_dvec3 b)
{
    add_product(w->l->block[block / 2], by, block & 1 ? b : a, block & 1 ? a : b);
}

static bool moves(const sn_loops *l, uint32_t node)
{
    return node != NONE && l->w[node] > 0;
}

static bool acts(const sn_loop_tie *tie, const loop_numbers *n, uint32_t r)
{
    return tie->acting >> r & 1 && n->row[r].gives > 0;
}

static void add_row(work *w, const sn_loop_tie *tie, const loop_numbers *n, uint32_t r)
{
    sn_loops *l = w->l;
    const uint32_t *node = l->tie_node + tie->node;
    const double by = 1 / n->row[r].gives;
    const double(*g)[3] = (const double(*)[3])n->gradient + (size_t)r * tie->count;
    for (uint32_t a = 0, pair = tie->block; a < tie->count; ++a) {
        if (moves(l, node[a]))
            add_square(l->diagonal[node[a]], by, at3(g[a]));
        for (uint32_t b = a + 1; b < tie->count; ++b, ++pair)
            if (moves(l, node[a]) && moves(l, node[b]))
                add_pair(w, l->tie_block[pair], by, at3(g[a]), at3(g[b]));
    }
}

/* Adds a force along the gradient of a row. */
static void push(work *w, const sn_loop_tie *tie, const loop_numbers *n, uint32_t r, double force)
{
    const uint32_t *node = w->l->tie_node + tie->node;
    for (uint32_t k = 0; k < tie->count; ++k) {
        const double *g = n->gradient[r * tie->count + k];
        if (!moves(w->l, node[k]))
            continue;
        double *x = w->l->x[node[k]];
        x[0] += force * g[0];
        x[1] += force * g[1];
        x[2] += force * g[2];
    }
}

/* kappa (I - n n^T) between two particles. */
static void add_turning(work *w, const sn_loop_tie *tie, const loop_numbers *n)
{
    static const sn_dvec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sn_loops *l = w->l;
    const uint32_t *node = l->tie_node + tie->node;
    const double kappa = *n->kappa;
    const sn_dvec3 along = dvec3_scale(at3(n->gradient[0]), sqrt(2) / n->row[0].length);
    for (uint32_t k = 0; k < 2; ++k) {
        if (!moves(l, node[k]))
            continue;
        for (uint32_t i = 0; i < 3; ++i)
            l->diagonal[node[k]][i] += kappa;
        add_square(l->diagonal[node[k]], -kappa, along);
    }
    if (!moves(l, node[0]) || !moves(l, node[1]))
        return;
    for (uint32_t i = 0; i < 3; ++i)
        add_pair(w, l->tie_block[tie->block], -kappa, axis[i], axis[i]);
    add_pair(w, l->tie_block[tie->block], kappa, along, along);
}

static void assemble(work *w)
{
    sn_loops *l = w->l;
    const sn_loop *loop = w->loop;
    for (uint32_t i = loop->node; i < loop->node_end; ++i) {
        const double m = l->w[i] > 0 ? 1 / l->w[i] : 1;
        memset(l->diagonal[i], 0, sizeof l->diagonal[i]);
        for (uint32_t k = 0; k < 3; ++k)
            l->diagonal[i][k] = m;
        for (uint32_t k = 0; loop->turning && l->id[i] & SN_TURN_BIT && l->w[i] > 0 && k < 6; ++k)
            l->diagonal[i][k] += l->bend[i][k];
    }
    memset(l->block[l->column[loop->node]], 0,
           (l->column[loop->node_end] - l->column[loop->node]) * sizeof l->block[0]);
    for (uint32_t i = loop->tie; i < loop->tie_end; ++i) {
        const sn_loop_tie *tie = &l->tie[i];
        const loop_numbers n = numbers_of(w, tie);
        for (uint32_t r = 0; r < tie->rows; ++r)
            if (acts(tie, &n, r))
                add_row(w, tie, &n, r);
        if (loop->turning && *n.kappa > 0)
            add_turning(w, tie, &n);
    }
}

/* ---- Factor and solve -------------------------------------------------------------------------------------------- */

/* Cholesky factors, not inverses: a rigid link is a billion times as stiff along its gradient as across it, and an
   inverse would mix the two. to -= a b^T. */
SN_INLINE void take_product(double *to, const double *a, const double *b)
{
    for (uint32_t i = 0; i < 3; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            to[3 * i + k] -= a[3 * i] * b[3 * k] + a[3 * i + 1] * b[3 * k + 1] + a[3 * i + 2] * b[3 * k + 2];
}

/* to -= a a^T. */
SN_INLINE void take_square(double *to, const double *a)
{
    static const uint32_t row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (uint32_t i = 0; i < 6; ++i) {
        const double *x = a + 3 * row[i], *y = a + 3 * column[i];
        to[i] -= x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    }
}

SN_INLINE sn_dvec3 times6(const double *m, sn_dvec3 a)
{
    return dvec3(m[0] * a.x + m[3] * a.y + m[4] * a.z, m[3] * a.x + m[1] * a.y + m[5] * a.z,
                 m[4] * a.x + m[5] * a.y + m[2] * a.z);
}

/* 1 / the root of a pivot; 0 if rounding has made it 0 or negative. */
SN_INLINE double root_of(double pivot)
{
    return pivot > 0 ? 1 / sqrt(pivot) : 0;
}

/* Replaces a diagonal block by its factor L: 1 / xx, 1 / yy, 1 / zz, yx, zx, zy. */
SN_INLINE void factor3(double *d)
{
    d[0] = root_of(d[0]);
    d[3] *= d[0];
    d[4] *= d[0];
    d[1] = root_of(d[1] - d[3] * d[3]);
    d[5] = (d[5] - d[3] * d[4]) * d[1];
    d[2] = root_of(d[2] - d[4] * d[4] - d[5] * d[5]);
}

/* L^-1 a, and L^-T a. */
SN_INLINE sn_dvec3 forward3(const double *l, const double *a)
{
    const double x = a[0] * l[0], y = (a[1] - l[3] * x) * l[1];
    return dvec3(x, y, (a[2] - l[4] * x - l[5] * y) * l[2]);
}

SN_INLINE sn_dvec3 backward3(const double *l, const double *a)
{
    const double z = a[2] * l[2], y = (a[1] - l[5] * z) * l[1];
    return dvec3((a[0] - l[3] * y - l[4] * z) * l[0], y, z);
}

/* Eliminates a node from the matrix. Its blocks B become B L^-T. */
static void eliminate(sn_loops *l, uint32_t node)
{
    double *d = l->diagonal[node];
    const uint32_t first = l->column[node], end = l->column[node + 1], *change = l->change + l->target[node];
    factor3(d);
    for (uint32_t k = first; k < end; ++k)
        for (uint32_t i = 0; i < 3; ++i)
            store3(l->block[k] + 3 * i, forward3(d, l->block[k] + 3 * i));
    for (uint32_t a = first; a < end; ++a) {
        take_square(l->diagonal[l->below[a]], l->block[a]);
        for (uint32_t b = a + 1; b < end; ++b)
            take_product(l->block[*change++], l->block[b], l->block[a]);
    }
}

/* x: the right-hand side, and then the solution. */
static void solve(const sn_loops *l, const sn_loop *loop)
{
    for (uint32_t i = loop->node; i < loop->node_end; ++i) {
        store3(l->x[i], forward3(l->diagonal[i], l->x[i]));
        for (uint32_t k = l->column[i]; k < l->column[i + 1]; ++k)
            for (uint32_t j = 0; j < 3; ++j)
                l->x[l->below[k]][j] -= dvec3_dot(at3(l->block[k] + 3 * j), at3(l->x[i]));
    }
    for (uint32_t i = loop->node_end; i-- > loop->node;) {
        sn_dvec3 x = at3(l->x[i]);
        for (uint32_t k = l->column[i]; k < l->column[i + 1]; ++k)
            for (uint32_t j = 0; j < 3; ++j)
                x = dvec3_sub(x, dvec3_scale(at3(l->block[k] + 3 * j), l->x[l->below[k]][j]));
        store3(l->x[i], x);
        store3(l->x[i], backward3(l->diagonal[i], l->x[i]));
    }
}

/* J x of a row. */
static double motion_in(const work *w, const sn_loop_tie *tie, const loop_numbers *n, uint32_t r, const double (*x)[3])
{
    const uint32_t *node = w->l->tie_node + tie->node;
    double sum = 0;
    for (uint32_t k = 0; k < tie->count; ++k)
        sum += node[k] == NONE ? 0 : dvec3_dot(at3(n->gradient[r * tie->count + k]), at3(x[node[k]]));
    return sum;
}

/* Loads the right-hand side with the error that is left in rows; the first time also with rows that do not act, which
   have their least multiplier. Returns the largest error, m. */
static double load(work *w, bool first)
{
    const sn_loop *loop = w->loop;
    sn_loops *l = w->l;
    double most = 0;
    memset(l->x[loop->node], 0, (loop->node_end - loop->node) * sizeof l->x[0]);
    for (uint32_t i = loop->tie; i < loop->tie_end; ++i) {
        const sn_loop_tie *tie = &l->tie[i];
        const loop_numbers n = numbers_of(w, tie);
        for (uint32_t r = 0; r < tie->rows; ++r) {
            loop_row *row = &n.row[r];
            if (first)
                row->lambda = acts(tie, &n, r) ? 0 : row->least;
            row->left = row->rhs;
            if (!first && acts(tie, &n, r))
                row->left -= motion_in(w, tie, &n, r, (const double(*)[3])l->moved) + row->diagonal * row->lambda;
            if (acts(tie, &n, r)) {
                push(w, tie, &n, r, row->left / row->gives);
                most = row->length > 0 ? fmax(most, fabs(row->left) / row->length) : most;
            } else if (first && row->least != 0)
                push(w, tie, &n, r, row->least);
        }
    }
    return most;
}

/* Adds a solution to the sum. */
static void add_solution(work *w, bool first)
{
    sn_loops *l = w->l;
    for (uint32_t i = w->loop->tie; i < w->loop->tie_end; ++i) {
        const sn_loop_tie *tie = &l->tie[i];
        const loop_numbers n = numbers_of(w, tie);
        for (uint32_t r = 0; r < tie->rows; ++r)
            if (acts(tie, &n, r))
                n.row[r].lambda +=
                    (n.row[r].left - motion_in(w, tie, &n, r, (const double(*)[3])l->x)) / n.row[r].gives;
    }
    for (uint32_t i = w->loop->node; i < w->loop->node_end; ++i)
        store3(l->moved[i], first ? at3(l->x[i]) : dvec3_add(at3(l->moved[i]), at3(l->x[i])));
}

/* ---- What acts, and what turns ----------------------------------------------------------------------------------- */

/* Chooses the rows that act first: those that acted in the last solve of this step; in the first solve, those that are
   near to acting. */
static void try_near_ones(work *w)
{
    for (uint32_t i = w->loop->tie; w->one_way && i < w->loop->tie_end; ++i) {
        sn_loop_tie *tie = &w->l->tie[i];
        const loop_numbers n = numbers_of(w, tie);
        for (uint32_t r = 0; r < tie->rows; ++r) {
            const uint32_t bit = tie->inequality & 1u << r;
            if (bit && w->loop->solved)
                tie->acting = (uint8_t)((tie->acting & ~bit) | (tie->acted & bit));
            else if (bit && -n.row[r].rhs <= NEAR * w->reach * n.row[r].length)
                tie->acting |= (uint8_t)bit;
        }
    }
}

/* True if some inequalities act, or do not act, wrongly. may: they are changed. */
static bool change_acting(work *w, bool may)
{
    bool changed = false;
    for (uint32_t i = w->loop->tie; i < w->loop->tie_end; ++i) {
        sn_loop_tie *tie = &w->l->tie[i];
        const loop_numbers n = numbers_of(w, tie);
        for (uint32_t r = 0; r < tie->rows; ++r) {
            loop_row *row = &n.row[r];
            const uint32_t bit = 1u << r;
            const double own = (row->gives - row->diagonal) / w->loop->soft;
            const bool wrong = tie->inequality & bit &&
                               (acts(tie, &n, r) ? (row->least - row->lambda) * own > w->enough * row->length
                                                 : row->rhs - motion_in(w, tie, &n, r, (const double(*)[3])w->l->x) >
                                                       w->enough * row->length);
            if (!wrong)
                continue;
            changed = true;
            if (may)
                tie->acting ^= (uint8_t)bit;
        }
    }
    return changed;
}

/* Sets K from the multipliers. True if it differs from the K that was used, and matters. */
static bool set_stiffness(work *w)
{
    sn_loops *l = w->l;
    const sn_loop *loop = w->loop;
    bool turns = false;
    for (uint32_t i = loop->node; loop->wide && i < loop->node_end; ++i)
        memset(l->bend[i], 0, sizeof l->bend[i]);
    for (uint32_t i = loop->tie; i < loop->tie_end; ++i) {
        const sn_loop_tie *tie = &l->tie[i];
        const loop_numbers n = numbers_of(w, tie);
        const uint32_t *node = l->tie_node + tie->node;
        double kappa = 0, sum = 0;
        for (uint32_t r = 0; r < tie->rows; ++r) {
            const double exerts = n.row[r].lambda0 + n.row[r].lambda;
            kappa -= exerts * n.row[r].turn;
            for (uint32_t k = 0; loop->wide && k < tie->count; ++k)
                for (uint32_t j = 0; node[k] != NONE && l->id[node[k]] & SN_TURN_BIT && j < 6; ++j)
                    l->bend[node[k]][j] -= exerts * n.bend[r * tie->count + k][j];
        }
        for (uint32_t k = 0; k < tie->count; ++k)
            sum += node[k] == NONE ? 0 : l->w[node[k]];
        *n.used = loop->turning ? *n.kappa : 0;
        *n.kappa = fmax(kappa, 0);
        turns = turns || 2 * sum * (*n.kappa - SN_TREE_STALE * *n.used) > SN_TREE_TURNING;
    }
    for (uint32_t i = loop->node; loop->wide && i < loop->node_end; ++i)
        if (l->id[i] & SN_TURN_BIT)
            turns = turns || (l->w[i] * sn_tree_make_positive(l->bend[i]) > SN_TREE_TURNING && !loop->turning);
    return turns;
}

/* m: the error of a row because its gradient rotates: for two particles, and for bodies. */
static double missed_by_turning(const work *w, const sn_loop_tie *tie, const loop_numbers *n, uint32_t r)
{
    const sn_loops *l = w->l;
    const uint32_t *node = l->tie_node + tie->node;
    const loop_row *row = &n->row[r];
    const bool none = tie->inequality & ~tie->acting & 1u << r;
    double sum = 0;
    if (!(row->length > 0) || none)
        return 0;
    for (uint32_t k = 0; w->loop->wide && k < tie->count; ++k) {
        const double *m = n->bend[r * tie->count + k];
        const sn_dvec3 x = node[k] == NONE ? dvec3(0, 0, 0) : at3(l->x[node[k]]);
        sum += dvec3_dot(x, times6(m, x)) / 2;
    }
    if (row->turn != 0) {
        const sn_dvec3 g = at3(n->gradient[r * tie->count]), none_moved = dvec3(0, 0, 0);
        const sn_dvec3 displacement = dvec3_sub(node[0] == NONE ? none_moved : at3(l->x[node[0]]),
                                                node[1] == NONE ? none_moved : at3(l->x[node[1]]));
        const sn_dvec3 line = dvec3_scale(g, 1 / row->turn), after = dvec3_add(line, displacement);
        const double length = sqrt(dvec3_dot(line, line));
        sum += row->turn * length * (sqrt(dvec3_dot(after, after)) - length) - dvec3_dot(displacement, g);
    }
    return fabs(sum) / row->length;
}

/* The share of the step after which no row has a larger error by rotation than the worst violation before; and
   whether another step should follow. */
static double safe_share(work *w)
{
    double most = 0;
    for (uint32_t i = w->loop->tie; i < w->loop->tie_end; ++i) {
        const sn_loop_tie *tie = &w->l->tie[i];
        const loop_numbers n = numbers_of(w, tie);
        for (uint32_t r = 0; r < tie->rows; ++r) {
            const double missed = missed_by_turning(w, tie, &n, r);
            most = fmax(most, missed);
            /* the length of a link is that of its gradient by turn, and half the square of the row's gradient is that
               of either particle */
            w->coarse = w->coarse || 2 * missed * fabs(n.row[r].turn) > SN_TREE_PRECISE * n.row[r].length;
        }
    }
    w->rough = w->rough || most > SN_TREE_CALM * w->reach;
    return most > w->reach ? w->reach / most : 1;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static void hand_out(const work *w, double share)
{
    const sn_loops *l = w->l;
    for (uint32_t i = w->loop->tie; i < w->loop->tie_end; ++i) {
        const sn_loop_tie *tie = &l->tie[i];
        const loop_numbers n = numbers_of(w, tie);
        double lambda[SN_MAX_ROWS];
        for (uint32_t r = 0; r < tie->rows; ++r)
            lambda[r] = n.row[r].lambda *= share;
        w->job->take(w->job->context, tie->kind, tie->row, lambda);
    }
    for (uint32_t i = w->loop->node; i < w->loop->node_end; ++i) {
        store3(l->x[i], dvec3_scale(at3(l->x[i]), share));
        if (l->w[i] > 0)
            w->job->move(w->job->context, l->slot[i], l->x[i]);
    }
}

static bool is_finite(work *w)
{
    for (uint32_t i = w->loop->tie; i < w->loop->tie_end; ++i) {
        const sn_loop_tie *tie = &w->l->tie[i];
        const loop_numbers n = numbers_of(w, tie);
        for (uint32_t r = 0; r < tie->rows; ++r)
            if (!(fabs(n.row[r].lambda) <= TREE_MOST)) {
                w->loop->fault_kind = tie->kind;
                w->loop->fault_row = tie->row;
                return false;
            }
    }
    return true;
}

static void solve_round(work *w)
{
    sn_loops *l = w->l;
    assemble(w);
    for (uint32_t i = w->loop->node; i < w->loop->node_end; ++i)
        eliminate(l, i);
    double before = HUGE_VAL;
    for (uint32_t i = 0; i < REFINEMENTS; ++i) {
        const double left = load(w, i == 0);
        if (left > STAYS * before ||
            (i && left <= EXACT * w->rounding)) /* rods that depend on each other, or are right */
            break;
        solve(l, w->loop);
        add_solution(w, i == 0);
        before = left;
    }
    memcpy(l->x[w->loop->node], l->moved[w->loop->node], (w->loop->node_end - w->loop->node) * sizeof l->x[0]);
}

/* One step of Newton's method. */
static void solve_rounds(work *w)
{
    w->rough = w->coarse = false;
    try_near_ones(w);
    for (uint32_t round = 0;; ++round) {
        solve_round(w);
        const bool changed = change_acting(w, round < ROUNDS);
        if (round >= LENIENT_FROM)
            w->enough = fmax(w->enough, fmin(10 * w->enough, VIOLATED_MOST * w->shortest));
        const bool turns = !(changed && round < ROUNDS) && set_stiffness(w);
        if (round == ROUNDS || !(changed || turns))
            break;
        w->loop->turning = w->loop->turning || turns;
    }
    for (uint32_t i = w->loop->tie; i < w->loop->tie_end; ++i)
        w->l->tie[i].acted = w->l->tie[i].acting;
    w->loop->solved = true;
}

/* Halves a step until the largest violation is smaller than before. */
static bool step_back(work *w, double before)
{
    double taken = 1;
    for (uint32_t i = 0; i < HALVINGS; ++i) {
        if (!fill(w))
            return false;
        if (w->reach < (1 - WORTHWHILE * taken) * before)
            return true;
        hand_out(w, i ? 0.5 : -0.5);
        taken /= 2;
    }
    return fill(w);
}

bool sn_loops_solve(sn_loops *l, uint32_t index, const sn_forest_job *job)
{
    work w = {.l = l, .loop = &l->loop[index], .job = job};
    w.loop->fault_kind = 0;
    if (!w.loop->acts)
        return true;
    for (uint32_t i = w.loop->tie; job->fresh && i < w.loop->tie_end; ++i)
        job->clear(job->context, l->tie[i].kind, l->tie[i].row);
    bool good = fill(&w);
    for (uint32_t step = 0; good && w.acts && step < STEPS; ++step) {
        if (w.right && !job->fresh) /* an earlier pass of the substep has solved it, and nothing has moved it since */
            return true;
        solve_rounds(&w);
        if (!is_finite(&w))
            return false;
        const double before = w.reach;
        hand_out(&w, safe_share(&w));
        if (!(w.rough || w.coarse))
            return true;
        good = w.rough ? step_back(&w, before) : fill(&w);
    }
    return good;
}
