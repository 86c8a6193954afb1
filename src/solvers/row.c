/* The formula for one constraint at a time, in double: the block is small, and its conditioning depends on the kind. */
#define SN_LANE_DOUBLE 1
#define ROWS_TRY_SETS  1
#include "solvers/row.h"

#include "base/dvec.h"
#include "solvers/row_lanes.h"

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

sn_row_now sn_row_look(const sn_block *block, uint32_t r, uint32_t inequality, const sn_row_give *give)
{
    const double any = (double)INFINITY, inverse_h = (double)give->inverse_h, top = (double)SN_ROW_MOST;
    sn_row_now now = {
        SN_ROW_BY_KIND, inequality >> r & 1, false, (double)give->alpha, (double)give->gamma, any, -any, any};
    if (!block->row)
        return now;
    const sn_row *row = &block->row[r];
    now.type = row->type;
    now.inequality = row->type == SN_ROW_AT_LEAST || (row->type != SN_ROW_REST && now.inequality);
    if (row->compliance != 0) {
        double compliance = (double)row->compliance;
        now.alpha = lanes_min(now.alpha + compliance * inverse_h * inverse_h, top);
        now.gamma = lanes_min(now.gamma + compliance * (double)row->damping * inverse_h, top);
    }
    if (row->most > 0)
        now.most = (double)row->most / (inverse_h * inverse_h);
    if (row->low != 0 || row->high != 0) {
        now.low = (double)row->low;
        now.high = (double)row->high;
        now.limited = now.low > -any || now.high < any;
    }
    return now;
}

double sn_row_rounded_off(const sn_block *block, uint32_t r, const sn_frame *frame)
{
    double sum = 0;
    for (uint32_t i = 0; i < block->count; ++i)
        sum += vec3_dot_double(block->gradient[r * block->count + i], vec4_xyz(frame->x_low[block->slot[i]]));
    return sum;
}

/* J W J^T of the rows in this order, the lower half. */
static void add_up(const sn_block *block, const uint32_t *order, double a[SN_MAX_ROWS][SN_MAX_ROWS])
{
    for (uint32_t r = 0; r < block->rows; ++r)
        for (uint32_t s = 0; s <= r; ++s) {
            const sn_vec3 *g = block->gradient + order[r] * block->count,
                          *f = block->gradient + order[s] * block->count;
            a[r][s] = 0;
            for (uint32_t i = 0; i < block->count; ++i)
                a[r][s] += (double)block->w[i] * vec3_dot_double(g[i], f[i]);
        }
}

static lanes_row row_of(const sn_row *row)
{
    return (lanes_row){row->type == SN_ROW_RATE ? -1 : 0,
                       row->type == SN_ROW_REST ? -1 : 0,
                       row->type == SN_ROW_AT_LEAST ? -1 : 0,
                       (double)row->compliance,
                       (double)row->damping,
                       (double)row->rate,
                       (double)row->most,
                       (double)row->low,
                       (double)row->high};
}

static bool is_bounded(const sn_row_now *now)
{
    return now->inequality || now->limited || now->type == SN_ROW_REST || now->most < (double)INFINITY;
}

/* Equalities come first, so that bounded rows that depend on them have nothing left to do. */
bool sn_row_step_block(const sn_block *block, uint32_t inequality, sn_row_give give, const sn_frame *frame,
                       const sn_real *lambda, sn_real *dlambda)
{
    double a[SN_MAX_ROWS][SN_MAX_ROWS], c[SN_MAX_ROWS], old[SN_MAX_ROWS], step[SN_MAX_ROWS];
    double displacement[SN_MAX_ROWS] = {0}, rate_displacement[SN_MAX_ROWS] = {0};
    sn_row_now now[SN_MAX_ROWS];
    lanes_row row[SN_MAX_ROWS];
    uint32_t order[SN_MAX_ROWS], listed = 0, bounded = 0, at_least = 0;
    bool looks_back = false, sound = true;
    for (uint32_t r = 0; r < block->rows; ++r) {
        now[r] = sn_row_look(block, r, inequality, &give);
        if (!is_bounded(&now[r]))
            order[listed++] = r;
    }
    for (uint32_t r = 0; r < block->rows; ++r)
        if (is_bounded(&now[r])) {
            bounded |= 1u << listed;
            order[listed++] = r;
        }
    add_up(block, order, a);
    for (uint32_t i = 0; i < block->rows; ++i) {
        const uint32_t r = order[i];
        c[i] = (double)block->c[r];
        old[i] = (double)lambda[r];
        at_least |= (inequality >> r & 1) << i;
        if (block->row)
            row[i] = row_of(&block->row[r]);
        if (now[r].gamma > 0 || now[r].type == SN_ROW_RATE) {
            looks_back = true;
            displacement[i] = (double)row_damped_displacement(block, block->count, r, frame);
            if (now[r].type == SN_ROW_RATE)
                rate_displacement[i] =
                    (double)row_rate_displacement(block, block->count, r, frame) - sn_row_rounded_off(block, r, frame);
        }
    }
    rows_solve(&(rows_problem){.rows = block->rows,
                               .inequality = at_least,
                               .bounded = bounded,
                               .product = &a[0][0],
                               .c = c,
                               .displacement = looks_back ? displacement : NULL,
                               .rate_displacement = rate_displacement,
                               .row = block->row ? row : NULL,
                               .exists = -1,
                               .alpha = (double)give.alpha,
                               .gamma = (double)give.gamma,
                               .k = (double)give.k,
                               .inverse_h = (double)give.inverse_h,
                               .lambda = old,
                               .step = step});
    for (uint32_t i = 0; i < block->rows; ++i) {
        dlambda[order[i]] = (sn_real)step[i];
        sound = sound && isfinite(dlambda[order[i]]);
    }
    return sound;
}

#define MOST_TURN 0.25 /* rad */

void sn_row_limit_turns(const sn_block *block, const sn_frame *frame, sn_real *dlambda)
{
    double most = 0;
    for (uint32_t i = block->count; i-- > 0 && block->slot[i] >= frame->turn_slot;) {
        sn_vec3 by = vec3(0, 0, 0), give = frame->turn[block->slot[i] - frame->turn_slot].give;
        for (uint32_t r = 0; r < block->rows; ++r)
            by = vec3_add(by, vec3_scale(block->gradient[r * block->count + i], dlambda[r]));
        sn_vec3 angle = vec3_scale(vec3(by.x * give.x, by.y * give.y, by.z * give.z), block->w[i]);
        most = larger(vec3_dot_double(angle, angle), most);
    }
    if (!(most > MOST_TURN * MOST_TURN))
        return;
    double scale = MOST_TURN / sqrt(most);
    for (uint32_t r = 0; r < block->rows; ++r)
        dlambda[r] = (sn_real)(scale * (double)dlambda[r]);
}

SN_INLINE void apply_rows(const sn_block *block, uint32_t count, const sn_real *dlambda, sn_vec4 *d)
{
    sn_vec3 at[4] = {{0}};
    for (uint32_t i = 0; i < count; ++i)
        at[i] = vec4_xyz(d[block->slot[i]]);
    for (uint32_t r = 0; r < block->rows; ++r) {
        if (dlambda[r] == 0)
            continue;
        for (uint32_t i = 0; i < count; ++i)
            at[i] = vec3_add(at[i], vec3_scale(block->gradient[r * count + i], block->w[i] * dlambda[r]));
    }
    for (uint32_t i = 0; i < count; ++i)
        d[block->slot[i]] = vec4(at[i], 0);
}

void sn_row_apply_block(const sn_block *block, sn_real *lambda, const sn_real *dlambda, sn_vec4 *d)
{
    for (uint32_t r = 0; r < block->rows; ++r)
        lambda[r] += dlambda[r];
    if (block->count == 4) { /* two bodies, each with its orientation */
        apply_rows(block, 4, dlambda, d);
        return;
    }
    for (uint32_t r = 0; r < block->rows; ++r)
        if (dlambda[r] != 0)
            row_apply(block, block->count, r, dlambda[r], d);
}

double sn_row_excess(const sn_row *row, double c)
{
    if (!row || (row->low == 0 && row->high == 0))
        return 0;
    return larger(larger((double)row->low - c, c - (double)row->high), 0);
}

/* The error of a row, in the unit of C. A row that may give way (a rate, a row at rest, a bounded one) has no error,
   except beyond its limits. */
static sn_real row_missed(const sn_block *block, uint32_t r, const sn_row_now *now, const sn_frame *frame,
                          sn_real lambda)
{
    sn_real alpha = (sn_real)now->alpha, gamma = (sn_real)now->gamma, c = block->c[r];
    sn_real excess = block->row ? (sn_real)sn_row_excess(&block->row[r], (double)c) : 0;
    if (excess > 0 || now->type == SN_ROW_RATE || now->type == SN_ROW_REST || now->most < (double)INFINITY ||
        !row_acts(now->inequality, c, alpha, lambda))
        return excess;
    sn_real missed = c + alpha * lambda;
    if (gamma > 0 && frame->start)
        missed += gamma * row_damped_displacement(block, block->count, r, frame);
    return missed < 0 ? -missed : missed;
}

sn_real sn_row_residual(const sn_block *block, uint32_t inequality, sn_row_give give, const sn_frame *frame,
                        const sn_real *lambda)
{
    sn_real largest = 0;
    for (uint32_t r = 0; r < block->rows; ++r) {
        sn_row_now now = sn_row_look(block, r, inequality, &give);
        sn_real missed = row_missed(block, r, &now, frame, lambda[r]), length2 = 0, mobility = 0;
        if (missed == 0)
            continue;
        for (uint32_t i = 0; i < block->count; ++i) {
            sn_vec3 g = block->gradient[r * block->count + i];
            length2 += vec3_dot(g, g);
            mobility += block->w[i] * vec3_dot(g, g);
        }
        bool can_change = mobility > 0 || now.alpha > 0;
        sn_real residual = can_change && length2 > 0 ? missed / real_sqrt(length2) : 0;
        if (residual > largest)
            largest = residual;
    }
    return largest;
}

sn_real sn_row_asked(const sn_block *block, uint32_t inequality, sn_row_give give, const sn_frame *frame,
                     const sn_real *lambda)
{
    sn_real dlambda[SN_MAX_ROWS], largest = 0;
    if (!sn_row_step_block(block, inequality, give, frame, lambda, dlambda))
        return (sn_real)NAN;
    for (uint32_t r = 0; r < block->rows; ++r) {
        const sn_row_now now = sn_row_look(block, r, inequality, &give);
        sn_real length2 = 0, stiff = (sn_real)now.alpha;
        for (uint32_t i = 0; i < block->count; ++i) {
            sn_vec3 g = block->gradient[r * block->count + i];
            length2 += vec3_dot(g, g);
            stiff += (1 + (sn_real)now.gamma) * block->w[i] * vec3_dot(g, g);
        }
        sn_real step = dlambda[r] < 0 ? -dlambda[r] : dlambda[r];
        sn_real asked = length2 > 0 ? step * stiff / real_sqrt(length2) : 0;
        largest = asked > largest ? asked : largest;
    }
    return largest;
}
