/* Solves the forest, tree by tree: fills in, eliminates, finds which inequalities act and whether gradients rotate,
   and distributes the results.

   Softness. Every rigid row has a compliance of SN_TREE_SOFT times its own A = J W J^T + a: a billionth of the
   response of its own particles, or less in trees with high loads. So constraints that contradict each other,
   such as the links of a rope that is too short, share the error.

   Turning. In a position solve the gradients rotate while x moves the particles. A rope of links of length l and
   mass m under the tension T shows the consequence: a zigzag across it is moved by -s times itself, s = 4 T h^2
   / (m l). So for s > 1 it comes to the other side, and for s > 4/3 it grows from substep to substep. A rope of
   a thousand links of 5 cm and 1 kg with a load of a ton shakes itself to pieces at h = 1/1200 s. The missing
   term is in the step of Newton's method for the stationary point of |x|^2_m / 2 - lambda . (C + a lambda / 2).
   It has the second derivative of C in it, the geometric stiffness (Tournier, Nesme, Gilles and Faure 2015),

       (m - sum lambda C'') x = J^T lambda,    C'' = turn (I - n n^T) between two particles,

   and moves the zigzag by -s / (1 + s), for any s. Where lambda C'' is negative, under tension, it is a spring
   kappa = -lambda turn across the link; it conserves momentum. kappa needs lambda, so a tree is solved twice:
   first without it, and if no particle has an s above SN_TREE_TURNING then, that is all. Later in the same step
   it is enough to solve with the kappa of the substep before, unless that turns out to be far too small. (Not in
   later steps: the motion of a world must depend on its state alone, not on how it got there.) Compression
   (kappa < 0) is left out: it would reduce the masses until there is no solution.

   The remaining error is of second order: C is missed by turn |P x|^2 / 2. Where that would be large relative to
   the errors before, a larger kappa holds the row back (a trust region, link by link), and the rest is solved
   for again, from the new positions. If errors are not smaller after a step, the step is halved. An error that
   remains would be corrected in the next substep, and become velocity: a chain that is torn or squeezed between
   two places would burst. (For that reason the cascade is no alternative: the next good step would turn the
   error that it leaves into velocity.)

   Bodies. C of a joint depends on the orientations of its bodies. Its second derivative by an orientation
   (`bend`) resists rotation under tension in the same way: with F the force at a point r of a body that joints
   pull at,

       K = -sum lambda C'' = sum of (r . F) I - (r F^T + F r^T) / 2    (in units of the rotation).

   Negative eigenvalues are left out. The remaining error is x . C'' x / 2. */
#include "solvers/chain.h"
#include "solvers/forest_work.h"

#include <math.h>

/* Inequalities: the number of sets of acting rows that are tried. Usually the first or second is right. */
#define ROUNDS 12

/* An inequality is in the first set if it is at most this many times as far from acting as another row is violated. */
#define NEAR 2.0

/* An inequality is left alone that is violated by less than this share of the largest violation before, or by less
   than this share of the shortest link, which is rounding. */
#define VIOLATED       1e-6
#define VIOLATED_LEAST 1e-7

/* The largest number of Newton steps, where rows rotate far. */
#define STEPS 16u

/* After each step, the largest violation must have fallen by this share of the expected amount, */
#define WORTHWHILE 0.1

/* or the step is halved, at most this many times. */
#define HALVINGS 5u

/* A forest at work. */
typedef struct work {
    sn_trees trees;
    const sn_forest *forest;
    sn_tree *tree; /* the one that is solved */
    const sn_forest_job *job;
    uint32_t *slot;
    sn_forest_rows rows;
} work;

static bool blame(const work *w, const sn_item *it)
{
    w->tree->fault_kind = it->kind;
    w->tree->fault_row = it->row;
    return false;
}

/* ---- Fill in
   ------------------------------------------------------------------------------------------------------- */

/* Fills in one row. Its own A without compliance, and the square of the length of its gradient, are summed over the
   particles. count is a separate argument, so that the loop is unrolled for links. */
SN_INLINE bool fill_row(const work *w, const sn_item *it, const sn_record *rec, uint32_t r, uint32_t rows_count,
                        uint32_t count, sn_tree_state *s)
{
    const sn_forest_rows *rows = &w->rows;
    double own = rows->diagonal[r], square = 0;
    for (uint32_t p = 0; p < count; ++p) {
        double g2 = dvec3_dot(rec->j[r * count + p], rec->j[r * count + p]);
        own += w->trees.nodes[w->trees.node_of[it->mention + p]].w * g2;
        square += g2;
    }
    rec->rhs[r] = rows->rhs[r];
    rec->least[r] = rows->least[r];
    rec->lambda0[r] = rows->lambda0[r];
    rec->turn[r] = count == 2 && square > 0 && !it->whole ? rows->turn[r] : 0;
    s->most_turn = fmax(s->most_turn, fabs(rec->turn[r]));
    rec->diagonal[r] = rows->diagonal[r] + w->tree->soft * own;
    rec->own[r] = own;
    if (rows_count == 1 && rows->share != 1) /* elimination.c handles several rows */
        rec->diagonal[r] += (1 / rows->share - 1) * own;
    double miss = rows->acting >> r & 1 ? rows->rhs[r] : 0;
    if (rows->ruled >> r & 1) /* a limit that is passed counts as violated, too; the motion back to it is not an
                                 excessive rotation */
        miss = fmax(fabs(miss), fmax(rows->rule[r].low, -rows->rule[r].high));
    const double missed = miss * miss;
    if (square > 0 && missed * s->length > s->missed * square) { /* a row without a gradient cannot be violated */
        s->missed = missed;
        s->length = square;
    }
    return isfinite(rec->diagonal[r]) && isfinite(rec->rhs[r]);
}

/* Data that only some constraints have: bends and rules. */
static void fill_extra(work *w, const sn_item *it)
{
    const sn_extra extra = extra_at(w->trees.numbers + it->record, it);
    for (uint32_t r = 0; it->whole && r < it->rows; ++r)
        for (uint32_t t = 0; t < it->turns; ++t)
            memcpy(extra.bend + 6 * (r * it->turns + t), w->rows.bend[r][t], sizeof w->rows.bend[r][t]);
    for (uint32_t r = 0; it->own && r < it->rows; ++r)
        extra.rule[r] = (sn_rule){.is = w->rows.rule[r]};
}

SN_INLINE bool fill_shape(work *w, sn_item *it, uint32_t rows_count, uint32_t count, bool turning, sn_tree_state *s)
{
    sn_forest_rows *rows = &w->rows;
    sn_record rec = record_at(w->trees.numbers + it->record, rows_count);
    rows->acting = (1u << rows_count) - 1;
    rows->inequality = 0;
    rows->share = 1;
    for (uint32_t i = 0; i < rows_count; ++i)
        rows->rhs[i] = rows->diagonal[i] = rows->least[i] = rows->turn[i] = rows->lambda0[i] = 0;
    rows->ruled = 0;
    if (it->whole)
        memset(rows->bend, 0, sizeof rows->bend);
    if (it->own)
        memset(rows->rule, 0, sizeof rows->rule);
    if (!w->job->fill(w->job->context, it->kind, it->row, rows))
        return false;
    const uint32_t acting = rows->acting, inequality = rows->inequality;
    const bool rests = !(acting | inequality | rows->ruled);
    it->ruled = (uint8_t)rows->ruled;
    if (it->whole || it->own)
        fill_extra(w, it);
    it->acting = (uint8_t)acting;
    it->inequality = (uint8_t)inequality;
    for (uint32_t i = 0; i < rows_count * count; ++i)
        rec.j[i] = rests ? dvec3(0, 0, 0) : dvec3_from(rows->block.gradient[it->swapped ? 1 - i : i]);
    *rec.share = rows_count == 1 ? 1 : rows->share;
    if (!turning)
        *rec.kappa = 0;
    s->acts |= (acting | rows->ruled) != 0;
    s->one_way |= (inequality | rows->ruled) != 0;
    bool finite = true;
    for (uint32_t i = 0; i < rows_count; ++i)
        finite &= fill_row(w, it, &rec, i, rows_count, count, s);
    return finite;
}

/* Fills in a whole tree. False, with the constraint noted, if one of its constraints is not finite. */
static bool fill_tree(work *w, const sn_tree *t, sn_tree_state *result)
{
    const uint32_t *number = w->forest->node_table.column[SN_NODE_NUMBER];
    const sn_frame *frame = w->job->frame;
    const bool turning = t->turning;
    sn_tree_state s = {.length = 1};
    for (uint32_t i = t->node; i < t->node_end; ++i) {
        if (number[i] & SN_TURN_BIT) {
            w->slot[i] = frame->turn_slot + (number[i] & ~SN_TURN_BIT);
            w->trees.nodes[i].w = w->trees.nodes[i - 1].w;
            continue;
        }
        w->slot[i] = frame->slot[number[i]];
        w->trees.nodes[i].w = (double)frame->x[w->slot[i]].w;
    }
    for (uint32_t i = t->node; t->whole && !turning && i < t->node_end; ++i) {
        sn_whole *b = whole_at(&w->trees, i);
        if (b) {
            memset(b->k, 0, sizeof b->k);
            b->calm = b->largest = b->used = 0;
        }
    }
    for (uint32_t i = t->item_end; i-- > t->item;) {
        sn_item *it = &w->trees.items[i];
        bool finite =
            it->is_link ? fill_shape(w, it, 1, 2, turning, &s) : fill_shape(w, it, it->rows, it->count, turning, &s);
        if (!finite)
            return blame(w, it);
    }
    s.reach = sqrt(s.missed / s.length);
    if (s.most_turn > 0)
        s.reach = fmax(s.reach, SN_TREE_ROUNDING / (SN_TREE_CALM * s.most_turn));
    s.enough = fmax(VIOLATED * s.reach, s.most_turn > 0 ? VIOLATED_LEAST / s.most_turn : 0);
    *result = s;
    return true;
}

/* ---- Inequalities
   -------------------------------------------------------------------------------------------------- */

/* Inequalities require lambda >= least and J x + a lambda >= rhs, one of them with equality. Which one is found by
   the primal-dual active set method (Hintermueller, Ito and Kunisch 2003): solve with a set of acting rows. Then
   rows whose lambda is below its least do not act, and rows that do not act but are violated do. The first set
   has all rows that are violated, or so near to it that others may violate them: all links of a taut rope,
   though half of them are slack by a rounding error. */

static void try_near_ones(const sn_trees *w, const sn_tree *t, const sn_tree_state *s)
{
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        sn_item *it = &w->items[i];
        sn_record rec = record_at(w->numbers + it->record, it->rows);
        for (uint32_t r = 0; it->inequality & ~it->acting && r < it->rows; ++r)
            if (it->inequality >> r & 1 && -rec.rhs[r] <= NEAR * s->reach * tree_row_length(it, &rec, r))
                it->acting |= (uint8_t)(1u << r);
    }
}

/* J x + a lambda - rhs of a row. */
static double row_slack(const sn_trees *w, const sn_item *it, const sn_record *rec, uint32_t row)
{
    double sum = rec->diagonal[row] * rec->lambda[row] - rec->rhs[row];
    for (uint32_t p = 0; p < it->count; ++p)
        sum += dvec3_dot(gradient_of(rec, it->count, row, p), load3(w->nodes[w->node_of[it->mention + p]].u));
    return sum;
}

/* ---- Rules
   -------------------------------------------------------------------------------------------------------- */

/* Rows with a bounded force, or with limits of C, are treated as in row.c. A row that would exceed its bound exerts
   the bound. A row that would leave its limits is held there, as rigidly as the constraint is. A limit that
   would pull is inactive. */

/* J x of a row. */
static double row_motion_in(const sn_trees *w, const sn_item *it, const sn_record *rec, uint32_t row)
{
    return row_slack(w, it, rec, row) - rec->diagonal[row] * rec->lambda[row] + rec->rhs[row];
}

/* The row exerts this multiplier in addition to its present one, and has no equation. */
static void hold_row(sn_item *it, const sn_record *rec, uint32_t r, double lambda)
{
    it->acting &= (uint8_t) ~(1u << r);
    it->inequality &= (uint8_t) ~(1u << r);
    rec->least[r] = lambda;
}

static bool keep_bounds(sn_item *it, const sn_record *rec, sn_rule *rule)
{
    uint32_t worst = it->rows;
    double excess = 0;
    for (uint32_t r = 0; r < it->rows; ++r) {
        double over = fmax(rule[r].is.least - rec->lambda[r], rec->lambda[r] - rule[r].is.most);
        if (it->ruled >> r & 1 && rule[r].fate == SN_FATE_ASKED && !rule[r].is.rests && over > excess) {
            excess = over;
            worst = r;
        }
    }
    if (worst == it->rows)
        return false;
    rule[worst].fate = SN_FATE_AT_MOST;
    rule[worst].high = rec->lambda[worst] > rule[worst].is.most;
    rule[worst].one_way = it->inequality >> worst & 1;
    hold_row(it, rec, worst, rule[worst].high ? rule[worst].is.most : rule[worst].is.least);
    return true;
}

/* Frees rows at a bound whose equation would need less. */
static bool free_bounds(const sn_trees *w, sn_item *it, const sn_record *rec, sn_rule *rule, double enough)
{
    for (uint32_t r = 0; r < it->rows; ++r) {
        if (!(it->ruled >> r & 1) || rule[r].fate != SN_FATE_AT_MOST || rule[r].one_way ||
            rule[r].freed == SN_FATE_FREED)
            continue;
        double slack = row_slack(w, it, rec, r);
        if (!((rule[r].high ? slack : -slack) > enough * tree_row_length(it, rec, r)))
            continue;
        rule[r].fate = SN_FATE_ASKED;
        rule[r].freed++;
        it->acting |= (uint8_t)(1u << r);
        rec->least[r] = 0;
        return true;
    }
    return false;
}

static bool keep_limits(const sn_trees *w, sn_item *it, const sn_record *rec, sn_rule *rule, double enough)
{
    uint32_t worst = it->rows;
    double excess = 0;
    for (uint32_t r = 0; r < it->rows; ++r) {
        if (!(it->ruled >> r & 1) || rule[r].fate >= SN_FATE_AT_LIMIT)
            continue;
        double displacement = row_motion_in(w, it, rec, r),
               over = fmax(rule[r].is.low - displacement, displacement - rule[r].is.high);
        if (over > enough * tree_row_length(it, rec, r) && over > excess) {
            excess = over;
            worst = r;
            rule[r].high = displacement > rule[r].is.high;
        }
    }
    if (worst == it->rows)
        return false;
    const sn_forest_rule *is = &rule[worst].is;
    rule[worst].fate = SN_FATE_AT_LIMIT;
    it->acting |= (uint8_t)(1u << worst);
    it->inequality &= (uint8_t) ~(1u << worst);
    rec->diagonal[worst] = is->diagonal + SN_TREE_SOFT * rec->own[worst];
    rec->rhs[worst] = (rule[worst].high ? is->high : is->low) - is->diagonal * rec->lambda0[worst];
    rec->least[worst] = 0;
    return true;
}

static bool release_limits(sn_item *it, const sn_record *rec, sn_rule *rule)
{
    for (uint32_t r = 0; r < it->rows; ++r) {
        const sn_forest_rule *is = &rule[r].is;
        double bound = is->rests ? 0 : rule[r].high ? is->most : is->least;
        bool pulls =
            rule[r].high ? rec->lambda[r] > bound : rec->lambda[r] < bound; /* more than the row itself may exert */
        if (!(it->ruled >> r & 1) || rule[r].fate != SN_FATE_AT_LIMIT || !pulls)
            continue;
        rule[r].fate = SN_FATE_LET_GO;
        hold_row(it, rec, r, bound);
        return true;
    }
    return false;
}

static bool apply_rules(const sn_trees *w, sn_item *it, const sn_tree_state *s)
{
    sn_record rec = record_at(w->numbers + it->record, it->rows);
    sn_rule *rule = extra_at(w->numbers + it->record, it).rule;
    const double enough = s->enough;
    return keep_bounds(it, &rec, rule) || keep_limits(w, it, &rec, rule, enough) || release_limits(it, &rec, rule) ||
           free_bounds(w, it, &rec, rule, enough);
}

/* Determines the next set to try. False if it is the same. */
static bool change_acting(const sn_trees *w, const sn_tree *t, const sn_tree_state *s)
{
    bool changed = false;
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        sn_item *it = &w->items[i];
        sn_record rec = record_at(w->numbers + it->record, it->rows);
        for (uint32_t r = 0; it->inequality && r < it->rows; ++r) {
            const uint32_t bit = it->inequality & 1u << r;
            if (!bit)
                continue;
            bool wrong = it->acting & bit ? rec.lambda[r] < rec.least[r]
                                          : row_slack(w, it, &rec, r) < -s->enough * tree_row_length(it, &rec, r);
            if (wrong)
                it->acting ^= (uint8_t)bit;
            changed |= wrong;
        }
        if (it->ruled)
            changed |= apply_rules(w, it, s);
    }
    return changed;
}

/* Limits the multiplier of a row, if no set of rows was right. */
static double clamp_row(const sn_trees *w, const sn_item *it, uint32_t r, double lambda)
{
    const sn_rule *rule = it->ruled >> r & 1 ? &extra_at(w->numbers + it->record, it).rule[r] : NULL;
    if (!rule || rule->fate >= SN_FATE_AT_LIMIT)
        return lambda;
    return fmin(fmax(lambda, rule->is.least), rule->is.most);
}

/* If none of the sets was right: rows that may only push still do not pull. */
static void clamp(const sn_trees *w, const sn_tree *t)
{
    for (uint32_t i = t->node; i < t->node_end; ++i)
        store3(w->nodes[i].u, dvec3(0, 0, 0));
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        const sn_item *it = &w->items[i];
        sn_record rec = record_at(w->numbers + it->record, it->rows);
        for (uint32_t r = 0; r < it->rows; ++r) {
            if (it->inequality >> r & 1 && rec.lambda[r] < rec.least[r])
                rec.lambda[r] = rec.least[r];
            rec.lambda[r] = clamp_row(w, it, r, rec.lambda[r]);
            for (uint32_t p = 0; p < it->count; ++p) {
                sn_node *n = &w->nodes[w->node_of[it->mention + p]];
                if (n == w->nodes) /* the ground, which other threads read */
                    continue;
                sn_dvec3 pull = dvec3_scale(gradient_of(&rec, it->count, r, p), n->w * rec.lambda[r]);
                store3(n->u, dvec3_add(load3(n->u), pull));
            }
        }
    }
}

/* ---- The forest
   ------------------------------------------------------------------------------------------------------ */

/* Solves a tree: finds the rows that act, and kappa. */
static sn_tree_outcome solve_tree(const sn_trees *w, sn_tree *t, const sn_tree_state *s)
{
    uint32_t turns = 0;
    if (s->one_way)
        try_near_ones(w, t, s);
    for (uint32_t round = 0;; ++round) {
        sn_tree_up(w, t, t->turning);
        sn_tree_outcome out = sn_tree_go_down(w, t, t->turning);
        bool changed = s->one_way && change_acting(w, t, s);
        changed |= t->leans && sn_tree_solve_supports(w, t, round < ROUNDS);
        if (changed && round == ROUNDS) {
            clamp(w, t);
            if (t->leans)
                sn_tree_drop_supports(w, t);
            out.rough = true;
            changed = false;
        }
        bool turn = !changed && round < ROUNDS && turns < SN_TREE_TURNS && (out.turns || !sn_tree_is_calm(s, &out)) &&
                    (sn_tree_calm_down(w, t, s) || out.turns);
        bool again = changed || turn;
        turns += turn;
        t->turning = again ? t->turning || !changed : out.bent;
        if (!again)
            return out;
    }
}

/* Notes the constraint at fault, if the results of a tree are not finite. */
static bool blame_first(const work *w, const sn_tree *t)
{
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        const sn_item *it = &w->trees.items[i];
        sn_record rec = record_at(w->trees.numbers + it->record, it->rows);
        for (uint32_t r = 0; r < it->rows; ++r)
            if (!(fabs(rec.lambda[r]) <= TREE_MOST))
                return blame(w, it);
    }
    return false;
}

/* Distributes `share` times the solution, which is scaled by it: -0.5 takes half of the solution back. */
static void hand_out(const work *w, const sn_tree *t, double share)
{
    const sn_forest_job *job = w->job;
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        const sn_item *it = &w->trees.items[i];
        double *lambda = record_at(w->trees.numbers + it->record, it->rows).lambda;
        for (uint32_t r = 0; share != 1 && r < it->rows; ++r)
            lambda[r] *= share;
        job->take(job->context, it->kind, it->row, lambda);
    }
    for (uint32_t i = t->node; job->move && i < t->node_end; ++i) {
        double *x = w->trees.nodes[i].u;
        if (share != 1)
            store3(x, dvec3_scale(load3(x), share));
        job->move(job->context, w->slot[i], x);
    }
    for (uint32_t i = t->node; t->leans && i < t->node_end; ++i) {
        sn_support *s = &w->trees.supports[i];
        s->normal_force *= share;
        s->push = dvec3_scale(s->push, share);
        if (s->leans) /* also forces that it does not exert any more */
            job->leant(job->context, w->slot[i], s);
    }
}

/* If nothing acts: all multipliers are 0. */
static void hand_out_nothing(const work *w, const sn_tree *t)
{
    const double none[SN_MAX_ROWS] = {0};
    for (uint32_t i = t->item; i < t->item_end; ++i)
        w->job->take(w->job->context, w->trees.items[i].kind, w->trees.items[i].row, none);
}

/* Halves a step until the largest violation is smaller than before, or nearly 0. False, with the constraint noted,
   if a constraint is not finite. */
static bool step_back(work *w, const sn_tree *t, double before, sn_tree_state *s)
{
    double taken = 1;
    for (uint32_t i = 0; i < HALVINGS; ++i) {
        if (!fill_tree(w, t, s))
            return false;
        if (s->reach < (1 - WORTHWHILE * taken) * before)
            return true;
        hand_out(w, t, i ? 0.5 : -0.5);
        taken /= 2;
    }
    return fill_tree(w, t, s);
}

/* Updates the supports of particles at their present positions. */
static void lean(const work *w, sn_tree *t)
{
    sn_tree_join_chains(&w->trees, t);
    t->leans = sn_tree_lean(&w->trees, w->job, w->forest->node_table.column[SN_NODE_NUMBER], t);
    sn_tree_split_chains(&w->trees, t);
}

/* Newton's method, until errors of second order are small. */
static bool solve_one(work *w, sn_tree *t)
{
    sn_tree_state s;
    bool good = fill_tree(w, t, &s);
    for (uint32_t step = 0; good && step < STEPS; ++step) {
        if (!s.acts) {
            hand_out_nothing(w, t);
            return true;
        }
        sn_tree_outcome out = solve_tree(&w->trees, t, &s);
        if (!out.finite)
            return blame_first(w, t);
        double share = sn_tree_safe_share(&w->trees, t, &s, &out), before = s.reach;
        hand_out(w, t, share);
        if (!(out.rough || out.coarse) || !w->job->nonlinear)
            return true;
        good = out.rough ? step_back(w, t, before, &s) : fill_tree(w, t, &s);
        if (good && t->leans)
            lean(w, t);
    }
    return good;
}

static void clear_tree(const work *w, const sn_tree *t)
{
    for (uint32_t i = t->item; i < t->item_end; ++i)
        w->job->clear(w->job->context, w->trees.items[i].kind, w->trees.items[i].row);
}

/* True if a chain and the chains after it are solved together. */
static bool starts_team(const work *w, const sn_tree *t, uint32_t left)
{
    if (t->in_team != 1 || left < SN_CHAIN_TEAM || !w->job->wide || !w->job->wide->team)
        return false;
    for (uint32_t i = 0; i < SN_CHAIN_TEAM; ++i)
        if (t[i].turning || t[i].leans)
            return false;
    return true;
}

bool sn_forest_solve_some(sn_forest *forest, const sn_forest_job *job, const sn_store *store, uint32_t first,
                          uint32_t end)
{
    sn_tree *trees = forest->tree_table.column[0];
    work w;
    w.forest = forest;
    w.job = job;
    w.slot = forest->node_table.column[SN_NODE_SLOT];
    w.trees = (sn_trees){.items = forest->item_table.column[0],
                         .nodes = forest->node_table.column[SN_NODE_STATE],
                         .numbers = forest->record_table.column[0],
                         .node_of = forest->mention_table.column[SN_MENTION_NODE],
                         .inner = forest->node_table.column[SN_NODE_INNER],
                         .whole_of = forest->node_table.column[SN_NODE_WHOLE],
                         .wholes = forest->whole_table.column[0],
                         .supports = forest->node_table.column[SN_NODE_SUPPORT]};
    for (uint32_t i = first; i < end; ++i)
        trees[i].leans = job->lean && sn_tree_lean(&w.trees, job, forest->node_table.column[SN_NODE_NUMBER], &trees[i]);
    for (uint32_t i = first, in_team = 0; i < end; ++i) {
        const bool is_chain = store && trees[i].plain;
        w.tree = &trees[i];
        trees[i].fault_kind = 0;
        if (is_chain && starts_team(&w, &trees[i], end - i)) {
            sn_chain_solve_team(forest, job, store, &trees[i]);
            in_team = i + SN_CHAIN_TEAM;
        }
        if (i >= in_team || !trees[i].as_chain)
            trees[i].as_chain = is_chain && !trees[i].leans && sn_chain_solve(forest, job, store, &trees[i]);
        if (trees[i].as_chain)
            continue;
        if (job->fresh)
            clear_tree(&w, &trees[i]);
        if (is_chain)
            sn_chain_lend(forest, &trees[i]);
        if (trees[i].leans)
            sn_tree_split_chains(&w.trees, &trees[i]);
        const bool good = solve_one(&w, &trees[i]);
        if (trees[i].leans)
            sn_tree_join_chains(&w.trees, &trees[i]);
        if (!good)
            return false;
        if (is_chain)
            sn_chain_take_back(forest, &trees[i]);
    }
    return true;
}

bool sn_forest_is_at_fault(sn_forest *forest)
{
    const sn_tree *trees = forest->tree_table.column[0];
    uint32_t i = 0;
    while (i < forest->tree_table.count && !trees[i].fault_kind)
        ++i;
    if (i == forest->tree_table.count)
        return false;
    forest->fault_kind = trees[i].fault_kind;
    forest->fault_row = trees[i].fault_row;
    return true;
}

bool sn_forest_solve(sn_forest *forest, const sn_forest_job *job)
{
    return sn_forest_solve_some(forest, job, NULL, 0, forest->tree_table.count) || !sn_forest_is_at_fault(forest);
}

uint32_t sn_forest_tree_from(const sn_forest *forest, uint32_t item)
{
    const sn_tree *trees = forest->tree_table.column[0];
    uint32_t low = 0, high = forest->tree_table.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (trees[middle].item < item)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < forest->tree_table.count && trees[low].in_team > 1)
        ++low;
    return low;
}
