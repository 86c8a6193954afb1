/* Constraint forces, the lecture's "constrained dynamics" (after Witkin and Baraff 1997).

   A constraint force does no work, so it points along gradients: F = J^T lambda. With C'' = J a + J' v, J' = dJ/dt, and
   a = W (f + J^T lambda) + g, the forces follow from

       J W J^T lambda = -J' v - J (W f + g) - k_s C - k_d J v

   The last two terms let errors decay as a critically damped spring would: k_s = 1/T^2, k_d = 2/T. T is
   settings.drift_time, or four substeps by default. Below 1.2 substeps an explicit integrator makes errors grow
   instead; the least T is two substeps. settings.k_s and k_d replace these values for rigid equalities; the other rows
   use T. With 0 and 0 nothing is corrected, C'' = 0.

   Compliance a and damping b. A soft row wants lambda such that a lambda = -C - a b C'. Taken literally that is an
   explicit spring, which explodes as soon as it is faster than the substep. Instead C + a lambda + a b C' takes the
   place of C as the error:

       C'' = -k_s (C + a lambda + a b C') - k_d C'      =>      (J W J^T + k_s a) lambda = ...,  k_d + k_s a b for k_d

   At rest C = -a lambda for any k_s. In motion the spring is slower and more damped than it should be by terms in w T,
   with w^2 = B / a the square of its frequency; with the k_s of rigid rows, of first order. But the softer the row, the
   larger k_s may be: k_s = (1 + s) / T^2, s = 1 / (w T)^2, keeps the resulting frequency below about 1.2 / T for
   springs of any stiffness. Soft springs (w T << 1) then gain only (w T)^3 of critical damping and lose (w T)^4 / 2 of
   their frequency. B is a bound for the mobility of the row together with all rows that share its particles: the sum of
   n w |grad C|^2, n the number of rows of a particle, is never less than J W J^T. In the same way dampers act on C' + t
   C'' instead of C', t = T r / (1 + r), r = b B T, which divides both constants by 1 + k_s a b t: strong dampers are
   slower than the substep, weak ones are correct to second order.

   The classic stiffness k: a row gives by (1 / k - 1) times its own mobility in addition, so that alone it exerts k
   times the force; correct_stiffness is ignored.

   Too many constraints. Redundant rows do no harm; see krylov.h. Contradicting rows do, where the mechanism is nearly
   singular: an impossible triangle becomes a straight line, and then a correction along its line takes almost infinite
   accelerations across it. So rows give as in the method of Levenberg and Marquardt, by a share of their mobility that
   is the square of their strain: the error C + T C' in metres relative to the extent of the constraint, the largest of
   all that share a movable particle. Then no correction moves anything farther than about half the extent,
   contradictions end as a least-squares compromise, and motion without errors is not changed.

   Inequalities, lambda >= 0 and C'' >= -k_s C - k_d C', one of them with equality, are found by trying sets of active
   rows. The first set are the rows that are violated, or would be at the end of the substep without constraint forces.
   The other rows only have to be satisfied at that time, C + h C' + h^2 C'' >= 0. A force cannot stop an approaching
   particle at once: that takes some T, and the particle passes the boundary by up to T |C'| / e.

   Rows with descriptions (sn_row). A rate demands C'' = -k_d (C' - rate). A row beyond the bound of its force is held
   at the bound. A row that would leave its limits is held at the limit: as an inequality there, which may pull as much
   as the row may by itself. These states are found by trying, too.

   Constraints that form trees, such as ropes, are solved directly (forest.h), the others iteratively (krylov.h).
   SN_LINEAR_LEAST_SQUARES solves everything as the lecture does.

   There is no warm start: the forces are a function of the state alone. With the old lambda the future would depend on
   something that is not part of the state. */
#include "solvers/lagrange_work.h"

#include "solvers/krylov.h"
#include "solvers/row.h"
#include "solvers/solver.h"

#define DRIFT_SUBSTEPS 4.0 /* the default T, in substeps */
#define LEAST_SUBSTEPS 2.0 /* the least T, in substeps */

#define RESIDUAL        1e-8 /* of the right-hand side: the tolerance of iterative solves */
#define MOST_ITERATIONS 10000u
#define VIOLATED        1e-9 /* violated rows become active from this share of the largest right-hand side on */
#define MOST_SOFTNESS   1e6  /* of s: softer springs may be explicit */
#define MOST_GIVE       1e30 /* compliance and damping: see SN_ROW_MOST */

/* The least give of rows, as a share of their mobility, where a particle has more rows than coordinates: many of these
   may almost contradict each other, as in a flat cloth with diagonals. C = -CROWDED T^2 times the acceleration by the
   force, which is not visible, and rounding cannot cause large forces. */
#define CROWDED 1e-4

/* Compliant rows whose own give is more than this share of their mobility need no further give: their C is not an
   error. */
#define SOFT_ENOUGH 1e-3

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static lagrange *create(const sn_allocator *allocator)
{
    lagrange *l = sn_allocate(allocator, sizeof *l);
    if (!l)
        return NULL;
    *l = (lagrange){0};
    sn_system_init(&l->system);
    sn_forest_init(&l->forest);
    sn_table_column(&l->block_table, sizeof *l->block_of, false);
    for (int i = 0; i < SN_KRYLOV_VECTORS + 2; ++i)
        sn_table_column(&l->work, sizeof(double), false);
    sn_table_column(&l->work, sizeof *l->state, false);
    sn_table_column(&l->work, sizeof *l->rule, false);
    return l;
}

static bool reserve(const sn_solver_in *in, const sn_allocator *allocator)
{
    lagrange *l = in->scratch->lagrange;
    if (!l && !(l = in->scratch->lagrange = create(allocator)))
        return false;
    if (!sn_system_reserve(&l->system, allocator, in->store, in->node_count) ||
        !sn_table_reserve(&l->work, allocator, l->system.row_table.capacity) ||
        !sn_forest_reserve(&l->forest, allocator, in->store) ||
        !sn_table_reserve(&l->block_table, allocator, l->forest.id_table.count))
        return false;
    l->block_of = l->block_table.column[0];
    l->b = l->work.column[SN_KRYLOV_VECTORS];
    l->y = l->work.column[SN_KRYLOV_VECTORS + 1];
    l->state = l->work.column[SN_KRYLOV_VECTORS + 2];
    l->rule = l->work.column[SN_KRYLOV_VECTORS + 3];
    return true;
}

static void release(sn_solver_scratch *scratch, const sn_allocator *allocator)
{
    lagrange *l = scratch->lagrange;
    if (!l)
        return;
    sn_system_release(&l->system, allocator);
    sn_forest_release(&l->forest, allocator);
    sn_table_release(&l->work, allocator);
    sn_table_release(&l->block_table, allocator);
    sn_release(allocator, l, sizeof *l);
    scratch->lagrange = NULL;
}

/* ---- Right-hand sides ------------------------------------------------------------------------------------------- */

static double at_most(double a, double most)
{
    return a < most ? a : most;
}

/* How errors are corrected. */
typedef struct anti_drift {
    double h, t;     /* s: the substep, and T */
    double k_s, k_d; /* 1/s^2, 1/s: of rigid equalities */
    bool by_hand;    /* they are from the settings, not from T */
} anti_drift;

/* A gain from the settings, or by T; at most `most`. */
static double gain_of(sn_real asked, double by_time, double most)
{
    return asked == SN_DRIFT_BY_TIME ? by_time : at_most((double)asked, most);
}

static anti_drift drift_of(const sn_settings *settings, double h)
{
    double t = (double)settings->drift_time, least = LEAST_SUBSTEPS * h;
    t = !(t > 0) ? DRIFT_SUBSTEPS * h : t < least ? least : t;
    return (anti_drift){.h = h,
                        .t = t,
                        .k_s = gain_of(settings->k_s, 1 / (t * t), 1 / (least * least)),
                        .k_d = gain_of(settings->k_d, 2 / t, 2 / least),
                        .by_hand = settings->k_s != SN_DRIFT_BY_TIME || settings->k_d != SN_DRIFT_BY_TIME};
}

typedef struct gains {
    double k_s, k_d; /* 1/s^2, 1/s */
    double give;     /* k_s times compliance */
} gains;

/* See above. T is that of rigid rows. The C of springs is not an error, and they are never slower than the substep
   requires. */
static gains gains_of(double alpha, double beta, double bound, double t, double h)
{
    alpha = at_most(alpha, MOST_GIVE);
    beta = at_most(beta, MOST_GIVE);
    if (alpha == 0)
        return (gains){1 / (t * t), 2 / t, 0};
    t = at_most(t, DRIFT_SUBSTEPS * h);
    double s = bound > 0 ? at_most(alpha / (bound * t * t), MOST_SOFTNESS) : 0, r = beta * bound * t;
    double k_s = (1 + s) / (t * t), share = 1 + k_s * alpha * beta * t * r / (1 + r);
    return (gains){k_s / share, (2 / t + k_s * alpha * beta) / share, k_s / share * alpha};
}

static double bound_of(const sn_system *system, const sn_system_block *block, uint32_t r)
{
    double sum = 0;
    for (uint32_t i = 0; i < block->count; ++i) {
        uint32_t particle = system->particle[block->entry + i];
        sn_dvec3 g = system->gradient[block->gradient + r * block->count + i];
        sum += system->valence[particle] * system->w[particle] * dvec3_dot(g, g);
    }
    return sum;
}

/* C of an inequality at the end of the substep without constraint forces. */
static double free_end(const sn_system *system, uint32_t e, double h)
{
    return system->value[e] + h * system->rate[e] + h * h * (system->curve[e] + system->pull[e]);
}

/* The gains of a row, with its own compliance and damping. */
static gains gains_in(const sn_give *give, const sn_row *means, bool inequality, double bound, const anti_drift *drift)
{
    double a = (double)give->compliance, b = (double)give->damping, own = (double)means->compliance;
    if (own > 0) {
        b = (a * b + own * (double)means->damping) / (a + own);
        a += own;
    }
    if (means->type != SN_ROW_RATE && (a > 0 || inequality || means->most > 0))
        return gains_of(a, b, bound, drift->t, drift->h);
    if (means->type != SN_ROW_RATE)
        return (gains){drift->k_s, drift->k_d, 0};
    double k_d = 2 / at_most(drift->t, DRIFT_SUBSTEPS * drift->h); /* a lambda = -h (C' - rate), as in row.h */
    return (gains){0, k_d, k_d * at_most(a, MOST_GIVE) / drift->h};
}

/* The J W J^T lambda for which C stays within a limit. side is 1 for the lower limit, and -1 for the upper. If there is
   distance left, C only has to reach the limit at the end of the substep: C + h C' + reach C'' = 0. At the limit or
   beyond it, the motion is stopped within the substep, and the error is then corrected like any other. (With the
   correction of drift alone it would go on for some T.) */
static double limit_side(const sn_system *system, uint32_t e, const gains *k, double limit, double side, double h,
                         double reach)
{
    double c = system->value[e] - limit, rate = system->rate[e], by_itself = system->curve[e] + system->pull[e];
    if (side * c > 0)
        return -(c + h * rate) / reach - by_itself;
    double stop = -h * rate / reach, back = -k->k_s * c - k->k_d * rate;
    return (side * stop > side * back ? stop : back) - by_itself;
}

/* The displacement in a substep by an acceleration, s^2. */
static double reach_of(sn_integrator integrator, double h)
{
    return (integrator == SN_INTEGRATOR_LEAPFROG || integrator == SN_INTEGRATOR_VERLET ? 0.5 : 1) * h * h;
}

/* Sets the bounds and limits of a row, if it has any. */
static void set_rule(lagrange *l, const sn_give *give, uint32_t e, double bound, double t, double h, double reach)
{
    const sn_row *means = &l->system.means[e];
    const bool limited = means->low != 0 || means->high != 0;
    gains k = gains_of((double)give->compliance, (double)give->damping, bound, t, h);
    ruling *rule = &l->rule[e];
    *rule = (ruling){.most = means->most > 0 ? (double)means->most : (double)INFINITY,
                     .low = -(double)INFINITY,
                     .high = (double)INFINITY,
                     .give = k.give,
                     .asked = l->system.give[e],
                     .is = limited || means->most > 0,
                     .rests = means->type == SN_ROW_REST};
    if (limited && isfinite(means->low))
        rule->low = limit_side(&l->system, e, &k, (double)means->low, 1, h, reach);
    if (limited && isfinite(means->high))
        rule->high = limit_side(&l->system, e, &k, (double)means->high, -1, h, reach);
    l->ruled |= rule->is;
    if (rule->rests)
        l->state[e] = limited && l->state[e] != ROW_RESTS ? ROW_HELD : ROW_RESTS; /* held at 0 */
}

/* An inequality that is satisfied now, and will be at the end of the substep without constraint forces, becomes
   inactive. From then on it only has to be satisfied at that time. For a rate the same holds for C' - rate. */
static void let_wait(lagrange *l, uint32_t e, double h)
{
    sn_system *system = &l->system;
    const bool rate = system->means[e].type == SN_ROW_RATE;
    double over = system->rate[e] - (double)system->means[e].rate;
    double now = rate ? over : system->value[e];
    double end = rate ? over + h * (system->curve[e] + system->pull[e]) : free_end(system, e, h);
    if (!(now > 0 && end > 0))
        return;
    l->state[e] = ROW_WAITS;
    system->b[e] = -end / (rate ? h : h * h);
}

/* Sets the equations without stabilising give: right-hand sides, compliance, and states. */
static void set_rows(lagrange *l, const sn_solver_in *in, const sn_system_block *block, const anti_drift *drift)
{
    sn_system *system = &l->system;
    const sn_pool *pool = in->store->pool[block->kind];
    for (uint32_t r = 0; r < block->rows; ++r) {
        uint32_t e = block->first + r;
        const sn_row *means = &system->means[e];
        double bound = bound_of(system, block, r);
        double stiffness = (double)pool->give[block->row].stiffness;
        bool inequality =
            means->type == SN_ROW_AT_LEAST || (means->type != SN_ROW_REST && pool->kind->inequality >> r & 1);
        gains k = gains_in(&pool->give[block->row], means, inequality, bound, drift);
        bool held = stiffness > 0 && system->mobility[e] + k.give > 0;
        system->give[e] = k.give;
        system->b[e] = -system->curve[e] - system->pull[e] - k.k_s * system->value[e] - k.k_d * system->rate[e];
        if (means->type == SN_ROW_RATE)
            system->b[e] += k.k_d * (double)means->rate;
        l->state[e] = !held ? ROW_RESTS : inequality ? ROW_PUSHES : ROW_HOLDS;
        double h = (double)in->h;
        if (l->state[e] == ROW_PUSHES)
            let_wait(l, e, h);
        l->rule[e] = (ruling){0};
        if (pool->kind->own_rows)
            set_rule(l, &pool->give[block->row], e, bound, drift->t, h, reach_of(in->settings->integrator, h));
    }
}

/* The give of a row by the classic stiffness. */
static double stiffness_give(const sn_store *store, const sn_system_block *block, double mobility)
{
    double k = (double)store->pool[block->kind]->give[block->row].stiffness;
    return k > 0 ? (1 / k - 1) * mobility : 0;
}

/* ---- Where equations contradict each other ----------------------------------------------------------------------- */

/* The largest distance of a particle of the constraint from its first. Orientations have no position. */
static double extent_of(const sn_system *system, const sn_system_block *block, const sn_frame *frame)
{
    const uint32_t *particle = system->particle + block->entry;
    sn_vec3 origin = vec4_xyz(frame->x[system->slot[particle[0]]]);
    sn_dvec3 first = dvec3_from(frame_position(frame, system->slot[particle[0]], origin));
    double most = 0;
    for (uint32_t i = 1; i < block->count && (!frame->turn || system->slot[particle[i]] < frame->turn_slot); ++i) {
        sn_dvec3 displacement = dvec3_sub(dvec3_from(frame_position(frame, system->slot[particle[i]], origin)), first);
        double square = dvec3_dot(displacement, displacement);
        if (square > most)
            most = square;
    }
    return sqrt(most);
}

/* The error of a row in metres, now and by its rate in the time T. With gains from the settings it is the part of the
   error that they correct. */
static double error_of(const lagrange *l, const sn_system_block *block, uint32_t r, const anti_drift *drift)
{
    const sn_system *system = &l->system;
    uint32_t e = block->first + r;
    bool pushes = l->state[e] == ROW_PUSHES;
    if (system->means[e].type == SN_ROW_RATE || system->means[e].most > 0)
        return 0; /* rows that may give way have no error */
    double c = system->value[e], rate = system->rate[e], square = 0;
    for (uint32_t i = 0; i < block->count; ++i) {
        sn_dvec3 g = system->gradient[block->gradient + r * block->count + i];
        square += dvec3_dot(g, g);
    }
    double t = at_most(drift->t, DRIFT_SUBSTEPS * drift->h), of_c = 1, of_rate = t;
    if (drift->by_hand && !pushes) {
        of_c = t * t * drift->k_s;
        of_rate = t * t * drift->k_d / 2;
    }
    double error = of_c * (pushes && c > 0 ? 0 : fabs(c)) + of_rate * (pushes && rate > 0 ? 0 : fabs(rate));
    return square > 0 ? error / sqrt(square) : 0;
}

/* The share of the stabilising give that a row needs: less if it has much give of its own. */
static double wildness(const lagrange *l, uint32_t e)
{
    const sn_system *system = &l->system;
    if (!lagrange_acts(l, e))
        return 0;
    double wild = SOFT_ENOUGH * system->mobility[e] - system->give[e];
    return wild > 0 ? wild / (SOFT_ENOUGH * system->mobility[e]) : 0;
}

/* Sets the strain of particles to CROWDED where there are more rows than coordinates, otherwise to 0. Each row is
   divided among its movable particles. */
static void find_crowds(lagrange *l, bool planar)
{
    sn_system *system = &l->system;
    memset(system->strain, 0, system->particle_table.count * sizeof *system->strain);
    for (uint32_t b = 0; b < system->block_table.count; ++b) {
        const sn_system_block *block = &system->block[b];
        uint32_t rows = 0, movable = 0;
        for (uint32_t e = block->first; e < block->first + block->rows; ++e)
            rows += wildness(l, e) > 0;
        for (uint32_t i = 0; i < block->count; ++i)
            movable += system->w[system->particle[block->entry + i]] > 0;
        for (uint32_t i = 0; rows && i < block->count; ++i)
            system->strain[system->particle[block->entry + i]] += (double)rows / movable;
    }
    for (uint32_t i = 0; i < system->particle_table.count; ++i)
        system->strain[i] = system->strain[i] > (planar ? 2 : 3) ? CROWDED : 0;
}

/* Raises the strain of particles to the largest (error / extent)^2 of their constraints. */
static void find_strains(lagrange *l, const sn_frame *frame, const anti_drift *drift)
{
    sn_system *system = &l->system;
    for (uint32_t b = 0; b < system->block_table.count; ++b) {
        const sn_system_block *block = &system->block[b];
        double extent = block->count > 1 ? extent_of(system, block, frame) : 0, most = 0;
        for (uint32_t r = 0; extent > 0 && r < block->rows; ++r)
            if (wildness(l, block->first + r) > 0)
                most = fmax(most, error_of(l, block, r, drift) / extent);
        for (uint32_t i = 0; i < block->count; ++i) {
            double *strain = &system->strain[system->particle[block->entry + i]];
            *strain = fmax(*strain, most * most);
        }
    }
}

static void add_give(lagrange *l, const sn_solver_in *in, const anti_drift *drift)
{
    sn_system *system = &l->system;
    find_crowds(l, in->frame.planar);
    find_strains(l, &in->frame, drift);
    for (uint32_t b = 0; b < system->block_table.count; ++b) {
        const sn_system_block *block = &system->block[b];
        double strain = 0;
        for (uint32_t i = 0; i < block->count; ++i) {
            uint32_t particle = system->particle[block->entry + i];
            if (system->w[particle] > 0) /* immovable particles couple nothing */
                strain = fmax(strain, system->strain[particle]);
        }
        for (uint32_t e = block->first; e < block->first + block->rows; ++e)
            system->give[e] += wildness(l, e) * strain / (1 + strain) * system->mobility[e] +
                               stiffness_give(in->store, block, system->mobility[e]);
    }
}

static void prepare(lagrange *l, const sn_solver_in *in)
{
    const anti_drift drift = drift_of(in->settings, (double)in->h);
    l->ruled = false;
    for (uint32_t b = 0; b < l->system.block_table.count; ++b)
        set_rows(l, in, &l->system.block[b], &drift);
    add_give(l, in, &drift);
}

/* ---- Bounds and limits ------------------------------------------------------------------------------------------- */

/* The force of a row that is held. A row that was let go exerts its bound towards the limit that let it go. */
double sn_lagrange_held(const lagrange *l, uint32_t e)
{
    const ruling *rule = &l->rule[e];
    if (rule->rests)
        return 0;
    return rule->at_high ? rule->most : -rule->most;
}

static bool keep_bounds(lagrange *l, const sn_system_block *block)
{
    uint32_t worst = LAGRANGE_NONE;
    double excess = 0;
    for (uint32_t e = block->first; e < block->first + block->rows; ++e) {
        double over = fabs(l->system.lambda[e]) - l->rule[e].most;
        if (l->rule[e].is && l->rule[e].fate == AS_ASKED && lagrange_acts(l, e) && over > excess) {
            excess = over;
            worst = e;
        }
    }
    if (worst == LAGRANGE_NONE)
        return false;
    l->rule[worst].fate = AT_MOST;
    l->rule[worst].at_high = l->system.lambda[worst] > 0;
    l->rule[worst].one_way = l->state[worst] == ROW_PUSHES;
    l->state[worst] = ROW_HELD;
    return true;
}

/* Frees a row at its bound whose equation now demands less force, since other rows have changed. */
static bool free_bounds(lagrange *l, const sn_system_block *block, double enough)
{
    const sn_system *system = &l->system;
    for (uint32_t r = 0; r < block->rows; ++r) {
        uint32_t e = block->first + r;
        ruling *rule = &l->rule[e];
        if (!rule->is || rule->fate != AT_MOST || rule->one_way || rule->freed == LAGRANGE_FREED)
            continue;
        double more = sn_system_gather(system, block, r) + system->give[e] * system->lambda[e] - system->b[e];
        if (!((rule->at_high ? more : -more) > enough))
            continue;
        rule->fate = AS_ASKED;
        rule->freed++;
        l->state[e] = ROW_HOLDS;
        return true;
    }
    return false;
}

static bool keep_limits(lagrange *l, const sn_system_block *block, double enough)
{
    sn_system *system = &l->system;
    uint32_t worst = LAGRANGE_NONE;
    double excess = enough;
    bool high = false;
    for (uint32_t r = 0; r < block->rows; ++r) {
        const ruling *rule = &l->rule[block->first + r];
        if (!rule->is || rule->fate >= AT_LIMIT)
            continue;
        double displacement = sn_system_gather(system, block, r),
               over = fmax(rule->low - displacement, displacement - rule->high);
        if (over > excess) {
            excess = over;
            worst = block->first + r;
            high = displacement > rule->high;
        }
    }
    if (worst == LAGRANGE_NONE)
        return false;
    ruling *rule = &l->rule[worst];
    rule->fate = AT_LIMIT;
    rule->at_high = high;
    system->b[worst] = high ? rule->high : rule->low;
    system->give[worst] += rule->give - rule->asked;
    l->state[worst] = ROW_HOLDS;
    return true;
}

/* Lets go of limits that pull by more than the row may by itself. */
static bool release_limits(lagrange *l, const sn_system_block *block)
{
    for (uint32_t e = block->first; e < block->first + block->rows; ++e) {
        ruling *rule = &l->rule[e];
        if (!rule->is || rule->fate != AT_LIMIT)
            continue;
        double outwards = rule->at_high ? l->system.lambda[e] : -l->system.lambda[e];
        if (!(outwards > (rule->rests ? 0 : rule->most)))
            continue;
        rule->fate = LET_GO;
        l->state[e] = ROW_HELD;
        return true;
    }
    return false;
}

/* Applies the rules to rows in trees, or to the others, for the present multipliers. Returns the number of changes. */
uint32_t sn_lagrange_apply_rules(lagrange *l, bool trees)
{
    sn_system *system = &l->system;
    uint32_t changes = 0;
    double largest = 0;
    if (!l->ruled)
        return 0;
    for (uint32_t e = 0; e < system->row_table.count; ++e)
        largest = lagrange_acts(l, e) ? fmax(largest, fabs(system->b[e])) : largest;
    sn_system_scatter(system, system->lambda);
    for (uint32_t b = 0; b < system->block_table.count; ++b) {
        const sn_system_block *block = &system->block[b];
        if (lagrange_in_tree(l, block) == trees)
            changes += keep_bounds(l, block) || keep_limits(l, block, VIOLATED * largest) || release_limits(l, block) ||
                       free_bounds(l, block, VIOLATED * largest);
    }
    return changes;
}

/* ---- Multipliers outside of trees -------------------------------------------------------------------------------- */

/* Clamps all forces to their bounds, whatever the search found. */
static void clamp(lagrange *l)
{
    for (uint32_t e = 0; l->ruled && e < l->system.row_table.count; ++e) {
        const ruling *rule = &l->rule[e];
        if (rule->is && rule->fate != AT_LIMIT && !rule->rests)
            l->system.lambda[e] = fmin(fmax(l->system.lambda[e], -rule->most), rule->most);
    }
}

/* Subtracts the forces of held rows from the right-hand sides. */
static void subtract_held(lagrange *l)
{
    const sn_system *system = &l->system;
    for (uint32_t e = 0; e < system->row_table.count; ++e)
        l->y[e] = l->state[e] == ROW_HELD ? sn_lagrange_held(l, e) : 0;
    sn_system_scatter(system, l->y);
    for (uint32_t b = 0; b < system->block_table.count; ++b)
        for (uint32_t r = 0; r < system->block[b].rows; ++r) {
            uint32_t e = system->block[b].first + r;
            l->b[e] -= system->scale[e] * sn_system_gather(system, &system->block[b], r);
        }
}

/* Scales the matrix to ones on the diagonal, for acting rows. Returns their number. */
static uint32_t scale_rows(lagrange *l)
{
    sn_system *system = &l->system;
    uint32_t active = 0;
    for (uint32_t e = 0; e < system->row_table.count; ++e) {
        active += lagrange_acts(l, e);
        system->scale[e] = lagrange_acts(l, e) ? 1 / sqrt(system->mobility[e] + system->give[e]) : 0;
        l->b[e] = system->scale[e] * system->b[e];
    }
    if (l->ruled)
        subtract_held(l);
    return active;
}

/* Solves for lambda of the acting rows; others get 0 or their bound. Returns the number of iterations. */
static uint32_t solve_rows(lagrange *l, const sn_solver_in *in)
{
    sn_system *system = &l->system;
    const uint32_t rows = system->row_table.count, active = scale_rows(l);
    sn_krylov_in krylov = {.product = sn_system_product,
                           .matrix = system,
                           .count = rows,
                           .iterations = active < MOST_ITERATIONS / 4 ? 4 * active + 20 : MOST_ITERATIONS,
                           .tolerance = RESIDUAL};
    if (in->iterations > 1)
        krylov.iterations = in->iterations;
    for (uint32_t i = 0; i < SN_KRYLOV_VECTORS; ++i)
        krylov.vector[i] = l->work.column[i];
    sn_krylov_out out = {0};
    if (active == 0)
        memset(l->y, 0, rows * sizeof *l->y);
    else if (in->settings->linear == SN_LINEAR_LEAST_SQUARES)
        out = sn_krylov_least_squares(&krylov, l->b, l->y);
    else
        out = sn_krylov_minres(&krylov, l->b, l->y);
    for (uint32_t e = 0; e < rows; ++e)
        if (l->state[e] != ROW_SOLVED)
            system->lambda[e] = l->state[e] == ROW_HELD ? sn_lagrange_held(l, e) : system->scale[e] * l->y[e];
    return out.iterations;
}

/* Makes rows that would pull inactive. Returns their number. */
static uint32_t drop_pulling(lagrange *l)
{
    uint32_t changes = 0;
    for (uint32_t e = 0; e < l->system.row_table.count; ++e)
        if (l->state[e] == ROW_PUSHES && l->system.lambda[e] < 0) {
            l->state[e] = ROW_WAITS;
            ++changes;
        }
    return changes;
}

/* Activates inactive rows that would be violated, J W J^T lambda < b. Returns their number. */
static uint32_t add_violated(lagrange *l)
{
    sn_system *system = &l->system;
    uint32_t changes = 0;
    double largest = 0;
    for (uint32_t e = 0; e < system->row_table.count; ++e)
        if (lagrange_acts(l, e) && fabs(system->b[e]) > largest)
            largest = fabs(system->b[e]);
    sn_system_scatter(system, system->lambda);
    for (uint32_t b = 0; b < system->block_table.count; ++b)
        for (uint32_t r = 0; r < system->block[b].rows; ++r) {
            uint32_t e = system->block[b].first + r;
            if (l->state[e] != ROW_WAITS ||
                !(sn_system_gather(system, &system->block[b], r) - system->b[e] < -VIOLATED * largest))
                continue;
            l->state[e] = ROW_PUSHES;
            ++changes;
        }
    return changes;
}

/* Searches for the active set: rows become active and inactive until none changes. If that does not end, they only
   become inactive, which ends. */
static uint32_t solve(lagrange *l, const sn_solver_in *in)
{
    uint32_t iterations = solve_rows(l, in);
    for (int round = 0; round < 2 * LAGRANGE_ROUNDS; ++round) {
        uint32_t changes = drop_pulling(l);
        if (round < LAGRANGE_ROUNDS)
            changes += add_violated(l);
        changes += sn_lagrange_apply_rules(l, false);
        if (changes == 0)
            return iterations;
        iterations += solve_rows(l, in);
    }
    for (uint32_t e = 0; e < l->system.row_table.count; ++e)
        if (l->state[e] == ROW_PUSHES && l->system.lambda[e] < 0)
            l->system.lambda[e] = 0;
    return iterations;
}

/* ---- Forces ----------------------------------------------------------------------------------------------------- */

/* f += J^T lambda, and lambda h^2 to the store; false if a multiplier is not finite. */
static bool apply(lagrange *l, const sn_solver_in *in, sn_vec3 *f, sn_system_block *fault)
{
    sn_system *system = &l->system;
    double h2 = (double)in->h * (double)in->h;
    for (uint32_t b = 0; b < system->block_table.count; ++b) {
        const sn_system_block *block = &system->block[b];
        const sn_pool *pool = in->store->pool[block->kind];
        for (uint32_t r = 0; r < block->rows; ++r) {
            double lambda = system->lambda[block->first + r];
            pool->lambda[(size_t)block->row * block->rows + r] = (sn_real)(lambda * h2);
            *fault = *block;
            if (!isfinite((sn_real)lambda))
                return false;
        }
    }
    sn_system_scatter(system, system->lambda);
    for (uint32_t i = 0; i < system->particle_table.count; ++i) {
        sn_vec3 *p = &f[system->slot[i]];
        *p = dvec3_round(dvec3_add(dvec3_from(*p), system->sum[i]));
    }
    return true;
}

static sn_solver_out forces(const sn_solver_in *in, const sn_forces_in *given)
{
    lagrange *l = in->scratch->lagrange;
    sn_solver_out out = {0};
    sn_system_block fault = {0};
    sn_system_in equations = {.store = in->store,
                              .frame = in->frame,
                              .v = given->v,
                              .f = given->f,
                              .gravity = given->gravity,
                              .h = (double)in->h,
                              .node_count = in->node_count};
    sn_store_clear_lambda(in->store);
    sn_forest_prepare(&l->forest, in->store, &in->frame);
    l->trees = in->settings->linear != SN_LINEAR_LEAST_SQUARES && sn_forest_count(&l->forest) > 0;
    bool good = sn_system_build(&l->system, &equations, &fault);
    if (good && l->system.row_table.count) {
        prepare(l, in);
        good = !l->trees || sn_lagrange_solve_trees(l, &in->frame);
        if (!good)
            fault = (sn_system_block){.kind = l->forest.fault_kind, .row = l->forest.fault_row};
        out.passes = l->trees + (good ? solve(l, in) : 0);
        clamp(l);
        good = good && apply(l, in, given->f, &fault);
    }
    if (!good) {
        out.fault_kind = fault.kind;
        out.fault_row = fault.row;
    }
    return out;
}

const sn_solver_method sn_solver_lagrange = {
    .name = "lagrange", .reserve = reserve, .forces = forces, .release = release};
