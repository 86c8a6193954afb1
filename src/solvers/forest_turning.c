/* Rows of trees whose gradients rotate in a solve: kappa, errors of second order, and how far a step may go. See
   "Turning" in forest_solve.c. */
#include "solvers/forest_work.h"

#include "base/symmetric.h"

#include <math.h>
#include <string.h>

/* The largest factor by which kappa grows where the error of a row by rotation exceeds its share. */
#define STRONGER 10.0

/* Sets kappa from the multipliers. */
SN_INLINE void set_kappa(const sn_trees *w, const sn_item *it, uint32_t rows, bool turning, sn_tree_outcome *out)
{
    const sn_node *a = &w->nodes[w->node_of[it->mention]], *b = &w->nodes[w->node_of[it->mention + 1]];
    sn_record rec = record_at(w->numbers + it->record, rows);
    double kappa = 0, turn = 0;
    for (uint32_t r = 0; r < rows; ++r) {
        kappa -= (rec.lambda0[r] + rec.lambda[r]) * rec.turn[r];
        turn += fabs(rec.turn[r]);
    }
    kappa = kappa > 0 ? kappa : 0;
    const double s = (a->w + b->w) * it->arms;
    const double used = turning ? *rec.kappa : 0;
    out->turns |= s * (kappa - SN_TREE_STALE * used) > SN_TREE_TURNING;
    out->bent |= s * kappa > SN_TREE_TURNING;
    out->most_turn = turn > out->most_turn ? turn : out->most_turn;
    *rec.used = used;
    *rec.kappa = kappa;
}

SN_INLINE void look_at(const sn_trees *w, const sn_item *it, uint32_t rows, bool turning, sn_tree_outcome *out)
{
    sn_record rec = record_at(w->numbers + it->record, rows);
    for (uint32_t r = 0; r < rows; ++r)
        out->finite &= fabs(rec.lambda[r]) <= TREE_MOST;
    if (it->count == 2 && !it->whole)
        set_kappa(w, it, rows, turning, out);
}

/* Adds the contribution of a constraint to the K of its bodies. */
static void add_bends(const sn_trees *w, const sn_item *it, sn_tree_outcome *out)
{
    const sn_record rec = record_at(w->numbers + it->record, it->rows);
    const double *bend = extra_at(w->numbers + it->record, it).bend;
    const uint32_t *at = w->node_of + it->mention + (it->count - it->turns);
    for (uint32_t t = 0; t < it->turns; ++t) {
        sn_whole *b = at[t] == SN_GROUND ? NULL : whole_at(w, at[t] - 1);
        for (uint32_t r = 0; b && r < it->rows; ++r)
            for (uint32_t i = 0; i < 6; ++i) {
                const double by = bend[6 * (r * it->turns + t) + i];
                b->k[i] -= (rec.lambda0[r] + rec.lambda[r]) * by;
                out->most_bend = fmax(out->most_bend, 6 * fabs(by)); /* no eigenvalue is more than 3 times an entry */
            }
    }
}

double sn_tree_make_positive(double k[6])
{
    double a[3][3] = {{k[0], k[3], k[4]}, {k[3], k[1], k[5]}, {k[4], k[5], k[2]}};
    double value[3], axis[3][3], largest = 0;
    sn_symmetric_eigen(a, value, axis);
    memset(k, 0, 6 * sizeof *k);
    for (uint32_t i = 0; i < 3; ++i) {
        const double *n = axis[i], v = value[i];
        if (!(v > 0))
            continue;
        largest = v > largest ? v : largest;
        k[0] += v * n[0] * n[0];
        k[1] += v * n[1] * n[1];
        k[2] += v * n[2] * n[2];
        k[3] += v * n[0] * n[1];
        k[4] += v * n[0] * n[2];
        k[5] += v * n[1] * n[2];
    }
    return largest;
}

/* Sets K of the bodies of a tree from the multipliers; see set_kappa. */
static void bend_bodies(const sn_trees *w, const sn_tree *t, bool turning, sn_tree_outcome *out)
{
    for (uint32_t i = t->node; i < t->node_end; ++i) {
        sn_whole *b = whole_at(w, i);
        if (!b)
            continue;
        b->used = turning ? b->largest + b->calm : 0;
        b->calm = 0;
        memset(b->k, 0, sizeof b->k);
    }
    for (uint32_t i = t->item; i < t->item_end; ++i)
        if (w->items[i].turns)
            add_bends(w, &w->items[i], out);
    for (uint32_t i = t->node; i < t->node_end && out->finite; ++i) {
        sn_whole *b = whole_at(w, i);
        if (!b)
            continue;
        b->largest = sn_tree_make_positive(b->k);
        out->turns |= w->nodes[i].w * (b->largest - SN_TREE_STALE * b->used) > SN_TREE_TURNING;
        out->bent |= w->nodes[i].w * b->largest > SN_TREE_TURNING;
    }
}

sn_tree_outcome sn_tree_go_down(const sn_trees *w, const sn_tree *t, bool turning)
{
    sn_tree_outcome out = {.finite = true};
    sn_tree_down(w, t, turning);
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        const sn_item *it = &w->items[i];
        if (it->is_link)
            look_at(w, it, 1, turning, &out);
        else
            look_at(w, it, it->rows, turning, &out);
    }
    for (uint32_t i = t->node; i < t->node_end; ++i) {
        sn_dvec3 x = load3(w->nodes[i].u);
        double square = dvec3_dot(x, x);
        out.most_displacement = square > out.most_displacement ? square : out.most_displacement;
    }
    if (t->whole)
        bend_bodies(w, t, turning, &out);
    return out;
}

/* The error of a row of two particles by rotation, in m, as a / b, both squared: comparisons need no division and
   no root. A row that acts along the line r between its particles has g = turn r, so r is known. The length of r
   after the step is computed exactly, not from second derivatives: those of a link of nearly no length say
   nothing. For an inequality that does not act, the error is what exceeds its slack. */
SN_INLINE void missed_by_turning(const sn_trees *w, const sn_item *it, const sn_record *rec, uint32_t r, double *a,
                                 double *b)
{
    const uint32_t *at = w->node_of + it->mention;
    sn_dvec3 g = gradient_of(rec, 2, r, 0),
             displacement = dvec3_sub(load3(w->nodes[at[0]].u), load3(w->nodes[at[1]].u));
    const double square = dvec3_dot(g, g), along = dvec3_dot(displacement, g), turn = rec->turn[r];
    const sn_dvec3 line = dvec3_scale(g, 1 / turn), after = dvec3_add(line, displacement);
    const double length = sqrt(square) / fabs(turn), change = sqrt(dvec3_dot(after, after)) - length;
    double missed = turn * length * change - along;
    if (it->inequality & ~it->acting & 1u << r)
        missed = fmax(0, rec->rhs[r] - turn * length * change);
    *a = missed * missed;
    *b = 2 * square; /* the gradient of the row has the length |g| sqrt(2) */
}

/* The same for a row of bodies. */
static void missed_by_bending(const sn_trees *w, const sn_item *it, const sn_record *rec, uint32_t r, double *a,
                              double *b)
{
    const double *bend = extra_at(w->numbers + it->record, it).bend;
    const uint32_t *at = w->node_of + it->mention + (it->count - it->turns);
    double sum = 0, length = tree_row_length(it, rec, r);
    for (uint32_t t = 0; length > 0 && t < it->turns; ++t) {
        const double *m = bend + 6 * (r * it->turns + t), *x = w->nodes[at[t]].u; /* of the ground that is 0 */
        sum += (m[0] * x[0] * x[0] + m[1] * x[1] * x[1] + m[2] * x[2] * x[2]) / 2;
        sum += m[3] * x[0] * x[1] + m[4] * x[0] * x[2] + m[5] * x[1] * x[2];
    }
    *a = sum * sum;
    *b = length * length;
}

/* The error of either kind of row. */
static void missed_of(const sn_trees *w, const sn_item *it, const sn_record *rec, uint32_t r, double *a, double *b)
{
    *a = *b = 0;
    if (it->turns)
        missed_by_bending(w, it, rec, r, a, b);
    else if (rec->turn[r] != 0)
        missed_by_turning(w, it, rec, r, a, b);
}

/* True if no row can have a large error by rotation: |P (x - y)| is at most twice the longest x, and gradients of
   rows that rotate have length 1 in practice. Usually it is true. */
bool sn_tree_is_calm(const sn_tree_state *s, const sn_tree_outcome *out)
{
    return (2 * out->most_turn + out->most_bend) * out->most_displacement <= SN_TREE_CALM * s->reach;
}

/* m: the decrease of the worst violation by the solve. Rows that contradict each other keep the error due to their
   compliance. */
static double gain_of(const sn_trees *w, const sn_tree *t, const sn_tree_state *s)
{
    double left = 0;
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        const sn_item *it = &w->items[i];
        sn_record rec = record_at(w->numbers + it->record, it->rows);
        for (uint32_t r = 0; r < it->rows; ++r) {
            const double length = tree_row_length(it, &rec, r);
            if (it->acting >> r & 1 && length > 0)
                left = fmax(left, t->soft * rec.own[r] * fabs(rec.lambda[r]) / length);
        }
    }
    return fmax(s->reach - left, 0);
}

/* The factor by which the stiffness that holds a row back must grow, from the squares of its error and of the allowed
   error. */
static double times_of(double worst, double allowed)
{
    return worst < STRONGER * STRONGER * allowed ? sqrt(worst / allowed) : STRONGER;
}

static void calm_bodies(const sn_trees *w, const sn_item *it, double worst, double allowed)
{
    const uint32_t *at = w->node_of + it->mention + (it->count - it->turns);
    for (uint32_t t = 0; t < it->turns; ++t) {
        sn_whole *b = at[t] == SN_GROUND ? NULL : whole_at(w, at[t] - 1);
        if (b)
            b->calm = fmax(b->calm, (b->used + 1 / w->nodes[at[t]].w) * times_of(worst, allowed));
    }
}

/* Where a row would have an error by rotation above its share of the decrease, a larger kappa holds it back, and
   the rest is left to the next solve. True if there is such a row. */
bool sn_tree_calm_down(const sn_trees *w, const sn_tree *t, const sn_tree_state *s)
{
    const double most = SN_TREE_CALM * gain_of(w, t, s), allowed = most * most;
    bool any = false;
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        const sn_item *it = &w->items[i];
        sn_record rec = record_at(w->numbers + it->record, it->rows);
        double worst = allowed;
        for (uint32_t r = 0; r < it->rows; ++r) {
            double a, b;
            missed_of(w, it, &rec, r, &a, &b);
            if (a > worst * b)
                worst = a / b;
        }
        if (!(worst > allowed))
            continue;
        any = true;
        if (it->turns) {
            calm_bodies(w, it, worst, allowed);
            continue;
        }
        const double sum = w->nodes[w->node_of[it->mention]].w + w->nodes[w->node_of[it->mention + 1]].w;
        *rec.kappa = fmax(*rec.kappa, (*rec.used + 1 / sum) * times_of(worst, allowed));
    }
    return any;
}

/* The share of the step after which no row has a larger error by rotation than the worst violation before. Also
   finds whether an error is so large, relative to the length of the row, too, that another step should follow.
   The length of a row is that of its gradient divided by turn. */
double sn_tree_safe_share(const sn_trees *w, const sn_tree *t, const sn_tree_state *s, sn_tree_outcome *out)
{
    const double before = s->reach * s->reach;
    double most = 0, most_share = 0;
    if (sn_tree_is_calm(s, out) && 2 * out->most_turn * out->most_turn * out->most_displacement <= SN_TREE_PRECISE)
        return 1;
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        const sn_item *it = &w->items[i];
        sn_record rec = record_at(w->numbers + it->record, it->rows);
        for (uint32_t r = 0; r < it->rows; ++r) {
            double a, b;
            missed_of(w, it, &rec, r, &a, &b);
            if (a > most * b)
                most = a / b;
            if (4 * a * rec.turn[r] * rec.turn[r] > most_share * b * b)
                most_share = 4 * a * rec.turn[r] * rec.turn[r] / (b * b);
        }
    }
    out->rough |= most > SN_TREE_CALM * SN_TREE_CALM * before;
    out->coarse = most_share > SN_TREE_PRECISE * SN_TREE_PRECISE;
    return most > before ? s->reach / sqrt(most) : 1;
}
