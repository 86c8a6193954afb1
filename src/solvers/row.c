#include "solvers/row.h"

#include <string.h>

#include "base/dvec.h"

#include <math.h>

/* A pivot below this share of its diagonal means that the row says what earlier rows said already (or, in a 2D world,
   that it asks for a locked coordinate); it then gets no multiplier of its own. */
#define REDUNDANT (SINEW_DOUBLE ? 1e-12 : 1e-6)

typedef sn_row_now row_now;

/* The second one if the first is no number, as fmin and fmax have it; but these are calls. */
static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline row_now look(const sn_block *block, uint32_t r, uint32_t inequality, const sn_row_give *give)
{
    const double any = (double)INFINITY, inverse_h = (double)give->inverse_h;
    row_now now = {
        SN_ROW_BY_KIND, inequality >> r & 1, false, (double)give->alpha, (double)give->gamma, any, -any, any};
    if (!block->row)
        return now;
    const sn_row *row = &block->row[r];
    now.type = row->type;
    now.inequality = row->type == SN_ROW_AT_LEAST || (row->type != SN_ROW_REST && now.inequality);
    if (row->compliance != 0) {
        double compliance = (double)row->compliance;
        now.alpha = lesser(now.alpha + compliance * inverse_h * inverse_h, (double)SN_ROW_MOST);
        now.gamma = lesser(now.gamma + compliance * (double)row->damping * inverse_h, (double)SN_ROW_MOST);
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

row_now sn_row_look(const sn_block *block, uint32_t r, uint32_t inequality, const sn_row_give *give)
{
    return look(block, r, inequality, give);
}

/* x / (1 + gamma); most rows are not damped. */
static inline double undamped(double x, const row_now *now)
{
    return now->gamma > 0 ? x / (1 + now->gamma) : x;
}

/* Nothing is ever asked of it. */
static inline bool is_idle(const row_now *now)
{
    return now->type == SN_ROW_REST && !row_is_limited(now);
}

/* The gradients of the rows by one particle. */
typedef struct column {
    double x[SN_MAX_ROWS], y[SN_MAX_ROWS], z[SN_MAX_ROWS];
    double w;
} column;

SN_INLINE void take_column(const sn_block *block, uint32_t i, uint32_t rows, column *g)
{
    g->w = (double)block->w[i];
    for (uint32_t r = 0; r < rows; ++r) {
        const sn_vec3 *at = &block->gradient[r * block->count + i];
        g->x[r] = (double)at->x;
        g->y[r] = (double)at->y;
        g->z[r] = (double)at->z;
    }
}

static inline sn_dvec3 times_w(const column *g, uint32_t r)
{
    return dvec3(g->w * g->x[r], g->w * g->y[r], g->w * g->z[r]);
}

static inline double product(sn_dvec3 a, const column *g, uint32_t s)
{
    return a.x * g->x[s] + a.y * g->y[s] + a.z * g->z[s];
}

/* Of two bodies: first their centres, which are in the first three rows alone, then their turns. */
SN_INLINE void add_up_bodies(const sn_block *block, uint32_t rows, double a[SN_MAX_ROWS][SN_MAX_ROWS])
{
    column g[4];
    take_column(block, 0, 3, &g[0]);
    take_column(block, 1, 3, &g[1]);
    take_column(block, 2, rows, &g[2]);
    take_column(block, 3, rows, &g[3]);
    for (uint32_t r = 0; r < 3; ++r) {
        sn_dvec3 b = times_w(&g[0], r), c = times_w(&g[1], r), d = times_w(&g[2], r), e = times_w(&g[3], r);
        for (uint32_t s = 0; s <= r; ++s)
            a[r][s] = product(b, &g[0], s) + product(c, &g[1], s) + product(d, &g[2], s) + product(e, &g[3], s);
    }
    for (uint32_t r = 3; r < rows; ++r) {
        sn_dvec3 d = times_w(&g[2], r), e = times_w(&g[3], r);
        for (uint32_t s = 0; s <= r; ++s)
            a[r][s] = product(d, &g[2], s) + product(e, &g[3], s);
    }
}

static bool is_of_bodies(const sn_block *block, uint32_t rows)
{
    bool is = rows >= 3 && block->count == 4;
    for (uint32_t r = 3; r < rows && is; ++r)
        for (uint32_t i = 0; i < 2; ++i) {
            sn_vec3 at = block->gradient[r * 4 + i];
            is = is && at.x == 0 && at.y == 0 && at.z == 0;
        }
    return is;
}

/* J W J^T, its lower half. */
static void add_up(const sn_block *block, uint32_t rows, double a[SN_MAX_ROWS][SN_MAX_ROWS])
{
    if (is_of_bodies(block, rows)) {
        if (rows == 3)
            add_up_bodies(block, 3, a);
        else if (rows == 4)
            add_up_bodies(block, 4, a);
        else if (rows == 5)
            add_up_bodies(block, 5, a);
        else
            add_up_bodies(block, 6, a);
        return;
    }
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t s = 0; s <= r; ++s)
            a[r][s] = 0;
    for (uint32_t i = 0; i < block->count; ++i) {
        column g;
        take_column(block, i, rows, &g);
        for (uint32_t r = 0; r < rows; ++r) {
            sn_dvec3 b = times_w(&g, r);
            for (uint32_t s = 0; s <= r; ++s)
                a[r][s] += product(b, &g, s);
        }
    }
}

/* A[i][j] = (1 + g) sum w grad_i . grad_j, plus a on the diagonal. Where kinds describe their rows g may differ among them: they
   are then divided by 1 + g, and the matrix stays symmetric. In double: the block is small, and its conditioning is the kind's business, not ours. */
static void build_matrix(const sn_block *block, uint32_t rows, const row_now *now, double a[SN_MAX_ROWS][SN_MAX_ROWS])
{
    add_up(block, rows, a);
    for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t s = 0; s <= r; ++s) {
            if (!block->row)
                a[r][s] *= 1 + now[r].gamma;
            a[s][r] = a[r][s];
        }
        a[r][r] += block->row ? undamped(now[r].alpha, &now[r]) : now[r].alpha;
    }
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t s = 0; s < rows && is_idle(&now[r]); ++s)
            a[r][s] = a[s][r] = 0;
}

/* Solves A x = b on n of its rows by LDL^T; redundant rows get 0. u = L D. */
SN_INLINE void solve_rows(uint32_t n, const uint32_t *row, double a[SN_MAX_ROWS][SN_MAX_ROWS], const double *b,
                          double *x)
{
    double l[SN_MAX_ROWS][SN_MAX_ROWS], u[SN_MAX_ROWS], inverse[SN_MAX_ROWS], y[SN_MAX_ROWS];
    for (uint32_t r = 0; r < n; ++r) {
        const double *from = a[row[r]];
        double p = from[row[r]], sum_y = b[row[r]];
        for (uint32_t s = 0; s < r; ++s) {
            double sum = from[row[s]];
            for (uint32_t t = 0; t < s; ++t)
                sum -= u[t] * l[s][t];
            u[s] = sum;
            l[r][s] = sum * inverse[s];
            p -= sum * l[r][s];
            sum_y -= l[r][s] * y[s];
        }
        y[r] = sum_y;
        inverse[r] = p > REDUNDANT * from[row[r]] ? 1 / p : 0;
    }
    for (uint32_t r = n; r-- > 0;) {
        double sum = y[r] * inverse[r];
        for (uint32_t s = r + 1; s < n; ++s)
            sum -= l[s][r] * y[s];
        y[r] = inverse[r] > 0 ? sum : 0;
        x[row[r]] = y[r];
    }
}

/* On the rows in `active`; the others get 0. */
static void solve_active(uint32_t rows, uint32_t active, double a[SN_MAX_ROWS][SN_MAX_ROWS], const double *b, double *x)
{
    uint32_t row[SN_MAX_ROWS], n = 0;
    for (uint32_t r = 0; r < rows; ++r) {
        x[r] = 0;
        if (active >> r & 1)
            row[n++] = r;
    }
    if (n == 3)
        solve_rows(3, row, a, b, x);
    else if (n == 5)
        solve_rows(5, row, a, b, x);
    else if (n == 6)
        solve_rows(6, row, a, b, x);
    else
        solve_rows(n, row, a, b, x);
}

/* ---- Inequalities in a block ------------------------------------------------------------------------------------- */

/* With x the change of lambda, `least` its lower bound by row (0 for a rigid inequality, -lambda for a compliant one)
   and A x - b what is missing, a block asks for

       A x = b for equalities,   x >= least,  A x >= b,  one of the two with equality, for inequalities,

   a linear complementarity problem. With six rows at most it is solved by trying which of the inequalities act: first
   the ones that are violated now, which nearly always is the answer, then every other set. Rows that are held have x = least,
   and nothing is asked of them. */
typedef struct block_problem {
    uint32_t rows;
    uint32_t inequality;
    uint32_t held;
    double a[SN_MAX_ROWS][SN_MAX_ROWS];
    double b[SN_MAX_ROWS];
    double least[SN_MAX_ROWS];
} block_problem;

/* Solves with the given rows acting, the others at their bound. */
static void solve_acting(block_problem *p, uint32_t active, double *x)
{
    double b[SN_MAX_ROWS] = {0};
    for (uint32_t r = 0; r < p->rows; ++r)
        b[r] = p->b[r];
    for (uint32_t s = 0; s < p->rows; ++s)
        if (!(active >> s & 1) && p->least[s] != 0)
            for (uint32_t r = 0; r < p->rows; ++r)
                b[r] -= p->a[r][s] * p->least[s];
    solve_active(p->rows, active, p->a, b, x);
    for (uint32_t r = 0; r < p->rows; ++r)
        if (!(active >> r & 1))
            x[r] = p->least[r];
}

/* The same; returns by how much the worst condition is broken, relative to the numbers in it. */
static double try_active(block_problem *p, uint32_t active, double *x)
{
    double worst = 0;
    solve_acting(p, active, x);
    for (uint32_t r = 0; r < p->rows; ++r)
        if ((active & p->inequality) >> r & 1 && p->least[r] - x[r] > 0)
            worst = larger((p->least[r] - x[r]) * p->a[r][r], worst);
    /* also of rows that act: one that earlier rows made redundant got no multiplier, and may not hold */
    for (uint32_t r = 0; r < p->rows; ++r) {
        double missing = p->b[r];
        for (uint32_t s = 0; s < p->rows; ++s)
            missing -= p->a[r][s] * x[s];
        if (p->a[r][r] > 0 && !(p->held >> r & 1))
            worst = larger(p->inequality >> r & 1 ? missing : fabs(missing), worst);
    }
    return worst;
}

/* The best of all sets of acting rows. */
static void solve_problem(block_problem *p, uint32_t guess, double *best)
{
    double scale = 0;
    guess &= ~p->held;
    if (!p->inequality) {
        solve_acting(p, guess, best);
        return;
    }
    for (uint32_t r = 0; r < p->rows; ++r)
        scale = larger(p->held >> r & 1 ? 0 : fabs(p->b[r]), scale);
    double least = try_active(p, guess, best);
    uint32_t all = (1u << p->rows) - 1, equalities = all & ~p->inequality & ~p->held;
    for (uint32_t set = 0; set <= all && least > REDUNDANT * scale; ++set) {
        double x[SN_MAX_ROWS];
        if ((set & equalities) != equalities || (set & p->held))
            continue;
        double broken = try_active(p, set, x);
        if (broken < least) {
            least = broken;
            for (uint32_t r = 0; r < p->rows; ++r)
                best[r] = x[r];
        }
    }
    for (uint32_t r = 0; r < p->rows; ++r) /* rounding, or rows that contradict each other; still no inequality pulls */
        if (p->inequality >> r & 1 && best[r] < p->least[r])
            best[r] = p->least[r];
}

/* ---- Bounds and limits --------------------------------------------------------------------------------------------- */

/* What became of a row with a bound of its force, or with limits of its C. Each of these comes after the one before it, and
   none comes twice: so it ends. */
typedef enum row_fate { AS_ASKED, AT_MOST, ASKED_AGAIN, AT_MOST_AGAIN, IDLE, AT_LIMIT, LET_GO } row_fate;

typedef struct ruling {
    block_problem *p;
    const sn_block *block;
    const row_now *now;
    const sn_row_give *give;
    const sn_real *lambda;
    uint32_t acting, inequality; /* which rows act, and are inequalities, as they were asked */
    row_fate fate[SN_MAX_ROWS];
    bool high[SN_MAX_ROWS];    /* which limit it is at */
    double least[SN_MAX_ROWS]; /* of the problem, as it was asked */
} ruling;

/* What C of a row becomes: C + grad C . dx. The diagonal of A has compliance in it, which that has not. */
static double reached(const ruling *u, uint32_t r, const double *x)
{
    double sum = (double)u->block->c[r] - undamped(u->now[r].alpha, &u->now[r]) * x[r];
    for (uint32_t s = 0; s < u->p->rows; ++s)
        sum += u->p->a[r][s] * x[s];
    return sum;
}

/* The row exerts so much in all, and nothing else is asked of it. */
static void hold_at(ruling *u, uint32_t r, double lambda)
{
    u->p->held |= 1u << r;
    u->p->inequality &= ~(1u << r);
    u->p->least[r] = lambda - (double)u->lambda[r];
}

/* A row that would exert more than it may exerts what it may, and the others make up for it as well as they can. */
static bool keep_bounds(ruling *u, const double *x)
{
    uint32_t worst = u->p->rows;
    double excess = 0;
    for (uint32_t r = 0; r < u->p->rows; ++r) {
        double over = fabs((double)u->lambda[r] + x[r]) - u->now[r].most;
        bool asked = u->fate[r] == AS_ASKED || u->fate[r] == ASKED_AGAIN;
        if (asked && u->now[r].type != SN_ROW_REST && over > excess) {
            excess = over;
            worst = r;
        }
    }
    if (worst == u->p->rows)
        return false;
    u->fate[worst] = u->fate[worst] == AS_ASKED ? AT_MOST : AT_MOST_AGAIN;
    hold_at(u, worst, (double)u->lambda[worst] + x[worst] > 0 ? u->now[worst].most : -u->now[worst].most);
    return true;
}

/* A row that exerts all that it may must still want more. The sign was chosen when other rows were not at their bounds yet; once they
   are, it may push where it was to hold back: friction would drive what it should stop, and a hand went round its wrist for ever. So it
   is asked again, and the second time it exerts nothing. */
static bool release_bounds(ruling *u, const double *x)
{
    const block_problem *p = u->p;
    for (uint32_t r = 0; r < p->rows; ++r) {
        if (u->fate[r] != AT_MOST && u->fate[r] != AT_MOST_AGAIN)
            continue;
        double missing = p->b[r], scale = fabs(p->b[r]);
        for (uint32_t s = 0; s < p->rows; ++s) {
            missing -= p->a[r][s] * x[s];
            scale = larger(fabs(p->a[r][s] * x[s]), scale);
        }
        if ((double)u->lambda[r] + x[r] < 0)
            missing = -missing;
        if (!(missing < -REDUNDANT * scale))
            continue;
        if (u->fate[r] == AT_MOST_AGAIN) {
            u->fate[r] = IDLE;
            hold_at(u, r, 0);
            return true;
        }
        u->fate[r] = ASKED_AGAIN;
        u->p->held &= ~(1u << r);
        u->p->inequality |= u->inequality & 1u << r;
        u->p->least[r] = u->least[r];
        return true;
    }
    return false;
}

/* A row whose C would leave its limits is one that keeps the limit: as rigid as the constraint is without the row's own
   compliance, and not damped. */
static bool keep_limits(ruling *u, const double *x)
{
    uint32_t worst = u->p->rows;
    double excess = 0, limit = 0;
    for (uint32_t r = 0; r < u->p->rows; ++r) {
        if (u->fate[r] >= AT_LIMIT || !row_is_limited(&u->now[r]))
            continue;
        double c = reached(u, r, x), below = u->now[r].low - c, above = c - u->now[r].high;
        double beyond = larger(below, above);
        if (beyond > excess) {
            excess = beyond;
            worst = r;
        }
    }
    if (worst == u->p->rows)
        return false;
    block_problem *p = u->p;
    const row_now *now = &u->now[worst];
    u->fate[worst] = AT_LIMIT;
    u->high[worst] = reached(u, worst, x) > now->high;
    limit = u->high[worst] ? now->high : now->low;
    p->held &= ~(1u << worst);
    p->inequality &= ~(1u << worst);
    u->acting |= 1u << worst;
    p->a[worst][worst] += (double)u->give->alpha - undamped(now->alpha, now);
    p->b[worst] = limit - (double)u->block->c[worst] - (double)u->give->alpha * (double)u->lambda[worst];
    return true;
}

/* A limit pushes inwards only. One that would pull, because other rows of the block came to hold the row back, is none. */
static bool release_limits(ruling *u, const double *x)
{
    for (uint32_t r = 0; r < u->p->rows; ++r) {
        const row_now *now = &u->now[r];
        bool rests = now->type == SN_ROW_REST;
        double inwards = u->high[r] ? -1 : 1, push = inwards * (rests ? x[r] : (double)u->lambda[r] + x[r]);
        double least = rests ? 0 : -now->most;
        if (u->fate[r] != AT_LIMIT || !(push < least))
            continue;
        u->fate[r] = LET_GO;
        hold_at(u, r, rests ? (double)u->lambda[r] : -inwards * now->most);
        return true;
    }
    return false;
}

static void solve_ruled(ruling *u, double *x)
{
    u->inequality = u->p->inequality;
    memcpy(u->least, u->p->least, sizeof u->least);
    do
        solve_problem(u->p, u->acting, x);
    while (keep_bounds(u, x) || keep_limits(u, x) || release_limits(u, x) || release_bounds(u, x));
}

double sn_row_rounded_off(const sn_block *block, uint32_t r, const sn_frame *frame)
{
    double sum = 0;
    for (uint32_t i = 0; i < block->count; ++i)
        sum += vec3_dot_double(block->gradient[r * block->count + i], vec4_xyz(frame->x_low[block->slot[i]]));
    return sum;
}

/* What is wanted of a row, to go with build_matrix; returns whether it acts. */
static inline bool set_up_row(block_problem *p, const sn_block *block, uint32_t r, const row_now *now,
                              const sn_frame *frame, sn_real inverse_h, sn_real lambda)
{
    double c = (double)block->c[r], way = 0;
    p->b[r] = p->least[r] = 0;
    if (now->type == SN_ROW_REST) {
        p->held |= 1u << r;
        return false;
    }
    if (now->gamma > 0 || now->type == SN_ROW_RATE)
        way = (double)row_way(block, block->count, r, frame);
    if (now->type == SN_ROW_RATE)
        c = way - sn_row_rounded_off(block, r, frame) - (double)block->row[r].rate / (double)inverse_h;
    if (now->inequality)
        p->inequality |= 1u << r;
    p->least[r] = now->inequality && now->alpha > 0 ? -(double)lambda : 0;
    if (row_acts(now->inequality, (sn_real)c, (sn_real)now->alpha, lambda)) {
        p->b[r] = -c - now->alpha * (double)lambda - now->gamma * way;
        if (block->row)
            p->b[r] = undamped(p->b[r], now);
        return true;
    }
    /* damping makes no inequality act that the other rows do not violate: what counts is C + grad C . dx >= 0 */
    p->b[r] = block->row ? -c : -(1 + now->gamma) * c;
    return false;
}

bool sn_row_step_block(const sn_block *block, uint32_t inequality, sn_row_give give, const sn_frame *frame,
                       const sn_real *lambda, sn_real *dlambda)
{
    block_problem p;
    row_now now[SN_MAX_ROWS];
    uint32_t acting = 0;
    bool ruled = false, limited = false;
    p.rows = p.inequality = p.held = 0;
    for (uint32_t r = 0; r < block->rows; ++r) {
        dlambda[r] = 0;
        now[r] = look(block, r, inequality, &give);
        limited = limited || row_is_limited(&now[r]);
        ruled = ruled || now[r].most < (double)INFINITY || limited;
        if (!is_idle(&now[r]))
            p.rows = r + 1; /* those behind it need not be there */
        if (set_up_row(&p, block, r, &now[r], frame, give.inverse_h, lambda[r]))
            acting |= 1u << r;
    }
    if (!acting && !limited)
        return true;
    double x[SN_MAX_ROWS];
    build_matrix(block, p.rows, now, p.a);
    for (uint32_t r = 0; r < p.rows; ++r)
        if (!isfinite(block->c[r]) || !isfinite(p.a[r][r]))
            return false;
    if (ruled)
        solve_ruled(&(ruling){.p = &p, .block = block, .now = now, .give = &give, .lambda = lambda, .acting = acting},
                    x);
    else if (p.inequality) /* also where none acts yet: the equalities may violate one */
        solve_problem(&p, acting, x);
    else
        solve_active(p.rows, acting, p.a, p.b, x);
    for (uint32_t r = 0; r < p.rows; ++r) {
        dlambda[r] = (sn_real)((double)give.k * x[r]);
        if (!isfinite(dlambda[r]))
            return false;
    }
    return true;
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
    if (block->count == 4) { /* two bodies, with their turns */
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

/* By how much a row is missed, in the unit of C. What may give way is not missed: only its limits are. */
static sn_real row_missed(const sn_block *block, uint32_t r, const row_now *now, const sn_frame *frame, sn_real lambda)
{
    sn_real alpha = (sn_real)now->alpha, gamma = (sn_real)now->gamma, c = block->c[r];
    sn_real excess = block->row ? (sn_real)sn_row_excess(&block->row[r], (double)c) : 0;
    if (excess > 0 || now->type == SN_ROW_RATE || now->type == SN_ROW_REST || now->most < (double)INFINITY ||
        !row_acts(now->inequality, c, alpha, lambda))
        return excess;
    sn_real missed = c + alpha * lambda;
    if (gamma > 0 && frame->start)
        missed += gamma * row_way(block, block->count, r, frame);
    return missed < 0 ? -missed : missed;
}

sn_real sn_row_residual(const sn_block *block, uint32_t inequality, sn_row_give give, const sn_frame *frame,
                        const sn_real *lambda)
{
    sn_real largest = 0;
    for (uint32_t r = 0; r < block->rows; ++r) {
        row_now now = look(block, r, inequality, &give);
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
        const row_now now = look(block, r, inequality, &give);
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
