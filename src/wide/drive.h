/* One driver for all kinds. The constraints of a run are evaluated SN_WIDTH at a time by the kind's own function
   (sinew/lanes.h), solved by the common row formula (solvers/row_lanes.h), and their particles are moved. All memory
   access is here.

   The things that move are *entries*: particles, and the rotations of bodies. In most runs points are particles. In
   runs with anchors a point is a weighted sum of particles, or attached to a body, or a place in the world. Its entries
   are then its corners, one or four; the rotations come after the corners of all points. */
#ifndef SN_WIDE_DRIVE_H
#define SN_WIDE_DRIVE_H

#include "solvers/preload.h"
#include "wide/copies.h"
#include "wide/drive_points.h"

/* ---- Exerted forces ---------------------------------------------------------------------------------------------- */

DRIVE_APART void drive_note_last(drive_group *g)
{
    for (uint32_t r = 0; r < g->rows; ++r) {
        const uint32_t last = r * g->points + g->points - 1;
        g->last_point[r] = g->f->by_point[last];
        g->last_turn[r] = g->run->kind->oriented ? g->f->by_turn[last] : drive_zero3();
    }
}

/* Like sn_constraint_exerted, with the gradients used for the displacements: joints exert a force and a torque on their
   last point, other kinds a force along each row. */
DRIVE_APART void drive_exert(const drive_group *g)
{
    lanes3 push = drive_zero3(), turn = drive_zero3();
    lanes sum = lanes_all(0);
    float all[SN_WIDTH];
    for (uint32_t r = 0; r < g->rows; ++r) {
        const lanes lambda = g->lambda[r] + g->step[r];
        push = lanes3_add(push, lanes3_scale(g->last_point[r], lambda));
        turn = lanes3_add(turn, lanes3_scale(g->last_turn[r], lambda));
        sum = sum + lambda * lambda;
    }
    lanes_to(all, lanes_sqrt(g->run->kind->oriented ? lanes3_dot(push, push) : sum));
    memcpy(g->run->force + g->at, all, sizeof all);
    lanes_to(all, lanes_sqrt(lanes3_dot(turn, turn)));
    memcpy(g->run->torque + g->at, all, sizeof all);
}

/* ---- Any kind ---------------------------------------------------------------------------------------------------- */

SN_INLINE void drive_evaluate(drive_group *g, sn_lanes_fn *formula, drive_shape shape)
{
    const sn_wide_run *run = g->run;
    const sn_kind *kind = run->kind;
    const bool simple = shape.single || shape.axial;
    const uint32_t states = simple ? 0 : kind->state;
    const bool oriented = !simple && kind->oriented, own_rows = !simple && kind->own_rows;
    const uint32_t read = shape.axial && !run->damping && !run->force ? g->points : g->rows * g->points;
    lanes param[SN_MAX_PARAM_NUMBERS], state[SN_MAX_STATE];
    const size_t b = g->at / SN_BATCH, first = g->at % SN_BATCH;
    for (uint32_t i = 0; i < run->params; ++i)
        param[i] = lanes_from(run->param + (b * run->params + i) * SN_BATCH + first);
    for (uint32_t i = 0; i < states; ++i) {
        float all[SN_WIDTH] = {0};
        for (uint32_t l = 0; run->state && l < SN_WIDTH; ++l)
            all[l] = g->mask >> l & 1 ? run->state[(size_t)run->row[g->at + l] * kind->state + i] : 0;
        state[i] = lanes_from(all);
    }
    for (uint32_t r = 0; r < g->rows; ++r)
        g->f->c[r] = lanes_all(0);
    for (uint32_t i = 0; i < read; ++i)
        g->f->by_point[i] = drive_zero3();
    for (uint32_t i = 0; oriented && i < g->rows * g->points; ++i)
        g->f->by_turn[i] = drive_zero3();
    for (uint32_t r = 0; own_rows && r < g->rows; ++r)
        g->f->row[r] = drive_zero_row();
    const lanes_in in = {.x = g->f->x,
                         .q = oriented ? g->f->q : NULL,
                         .param = param,
                         .state = states ? state : NULL,
                         .context = kind->context,
                         .planar = run->planar};
    lanes_out out = {g->f->c, g->f->by_point, oriented ? g->f->by_turn : NULL, own_rows ? g->f->row : NULL,
                     flags_everywhere()};
    formula(&in, &out);
    drive_know(g, shape);
    g->exists = out.exists & flags_of(g->mask);
    if (!flags_all(g->exists)) /* lanes without a gradient must not move, whatever the formula wrote */
        for (uint32_t i = 0; i < read; ++i) {
            g->f->by_point[i] = lanes3_keep(g->exists, g->f->by_point[i]);
            if (oriented)
                g->f->by_turn[i] = lanes3_keep(g->exists, g->f->by_turn[i]);
        }
    if (run->force) {
        drive_note_last(g);
        drive_know(g, shape);
    }
    if (shape.axial)
        g->linear = g->f->by_point;
    else
        drive_spread(g);
}

SN_INLINE float *drive_lambda(const drive_group *g, uint32_t l, uint32_t r)
{
    const sn_wide_run *run = g->run;
    return run->lambda + (run->row ? (size_t)run->row[g->at + l] * g->rows + r : g->at + l);
}

SN_INLINE void drive_read_lambda(drive_group *g)
{
    for (uint32_t r = 0; r < g->rows; ++r) {
        float all[SN_WIDTH];
        g->lambda[r] = lanes_all(0);
        if (!g->run->read_lambda)
            continue;
        for (uint32_t l = 0; l < SN_WIDTH; ++l)
            all[l] = g->mask >> l & 1 ? *drive_lambda(g, l, r) : 0;
        g->lambda[r] = lanes_from(all);
    }
}

SN_INLINE void drive_write_lambda(const drive_group *g)
{
    float all[SN_MAX_ROWS][SN_WIDTH];
    if (!g->run->write_lambda)
        return;
    for (uint32_t r = 0; r < g->rows; ++r)
        lanes_to(all[r], g->lambda[r] + g->step[r]);
    for (uint32_t l = 0; l < SN_WIDTH; ++l) {
        if (!(g->mask >> l & 1))
            continue;
        float *to = drive_lambda(g, l, 0);
        for (uint32_t r = 0; r < g->rows; ++r)
            to[r] = all[r][l];
    }
}

/* The displacement of an entry since the start of the substep, the rounding remainder of that start, and the expected
   displacements by contact and by friction alone. With BDF2 the first is reduced by a third of the previous
   displacement; see row_displacement in solvers/row.h. */
SN_INLINE lanes3 drive_entry_displacement(const drive_group *g, uint32_t e, lanes3 *left, lanes3 *expected,
                                          lanes3 *by_friction)
{
    const sn_wide_run *run = g->run;
    lanes3 by;
    *left = *expected = *by_friction = drive_zero3();
    if (g->planes) {
        const size_t at = drive_offset(g, e);
        const float *start = run->start_plane + at;
        by = lanes3_sub(planes_load3(run->plane + at), planes_load3(start + SN_PLANE_D * SN_BATCH));
        if (!run->coarse)
            by = lanes3_add(by, planes_load3(run->plane + at + SN_PLANE_D * SN_BATCH));
        if (!run->old_d)
            return by;
        flags valid = ~lanes_unequal(lanes_from(start + SN_PLANE_W * SN_BATCH), lanes_all((double)run->h));
        return lanes3_sub(by, lanes3_scale(lanes3_choose(valid, planes_load3(start + SN_PLANE_X * SN_BATCH), by),
                                           lanes_all(1.0 / 3)));
    }
    const bool turn = g->bodies && e >= g->turns;
    const size_t from = turn ? run->turn_node : 0;
    by = lanes3_sub(gather3(run->x + from, g->slot[e]), gather3(run->start + from, g->slot[e]));
    if (turn)
        by = lanes3_add(by, gather3(run->turned, g->slot[e]));
    else if (run->d != run->x)
        by = lanes3_add(by, gather3(run->d, g->slot[e]));
    if (run->kind->own_rows)
        *left = gather3(run->start_low + from, g->slot[e]);
    if (g->bodies && run->expected)
        *expected = gather3(run->expected + from, g->slot[e]);
    if (g->bodies && run->by_friction)
        *by_friction = gather3(run->by_friction + from, g->slot[e]);
    if (run->old_d) {
        lanes4 old = gather4(run->old_d + from, sizeof *run->old_d, g->slot[e]);
        flags valid = ~lanes_unequal(old.w, lanes_all((double)run->h));
        by = lanes3_sub(by, lanes3_scale(lanes3_choose(valid, (lanes3){old.x, old.y, old.z}, by), lanes_all(1.0 / 3)));
    }
    return by;
}

/* grad C . (x - x0) for each row that needs it: elsewhere x0 may never have been stored. */
DRIVE_APART void drive_displacement(drive_group *g, flags asks)
{
    for (uint32_t r = 0; r < g->rows; ++r)
        g->displacement[r] = g->rate_displacement[r] = lanes_all(0);
    for (uint32_t e = 0; e < g->entries; ++e) {
        const flags here = g->planes ? asks : asks & flags_of(g->moves[e]);
        lanes3 left, expected, by_friction,
            by = lanes3_keep(here, drive_entry_displacement(g, e, &left, &expected, &by_friction));
        left = lanes3_add(lanes3_sub(by, lanes3_keep(here, left)), lanes3_keep(here, by_friction));
        by = lanes3_add(by, lanes3_keep(here, expected));
        for (uint32_t r = 0; r < g->rows; ++r)
            if (drive_has(g, r, e)) {
                g->displacement[r] = g->displacement[r] + lanes3_dot(*drive_gradient(g, r, e), by);
                g->rate_displacement[r] = g->rate_displacement[r] + lanes3_dot(*drive_gradient(g, r, e), left);
            }
    }
}

DRIVE_APART void drive_solve_block(const rows_problem *p)
{
    rows_solve(p);
}

/* Of most joints: three rows along axes, three about them. */
#define DRIVE_JOINT_ROTATIONAL (7u << 3)
#define DRIVE_JOINTS           (SN_COPIES && !SN_LANE_DOUBLE)

#if DRIVE_JOINTS
/* The same for these, where most is constant. */
#define DRIVE_SOLVE(FIRST)                                                                                             \
    DRIVE_APART void drive_solve_##FIRST(const rows_problem *p)                                                        \
    {                                                                                                                  \
        rows_problem own = *p;                                                                                         \
        own.rows = 6;                                                                                                  \
        own.entries = 4;                                                                                               \
        own.turns = 2;                                                                                                 \
        own.rotational = DRIVE_JOINT_ROTATIONAL;                                                                       \
        own.product = NULL;                                                                                            \
        own.inequality = 0;                                                                                            \
        rows_solve_block(&own, FIRST);                                                                                 \
    }

DRIVE_SOLVE(3)
DRIVE_SOLVE(5)
DRIVE_SOLVE(6)

SN_INLINE void drive_solve_joint(const rows_problem *p)
{
    const uint32_t first = rows_first(p);
    if (first == 3)
        drive_solve_3(p);
    else if (first == 5)
        drive_solve_5(p);
    else if (first == 6)
        drive_solve_6(p);
    else
        drive_solve_block(p);
}
#endif

SN_INLINE void drive_solve(drive_group *g, drive_shape shape)
{
    const sn_wide_run *run = g->run;
    const bool own_rows = !shape.single && !shape.axial && run->kind->own_rows;
    const lanes zero = lanes_all(0), inverse_h = lanes_all((double)run->inverse_h), top = lanes_all(1e30);
    const lanes compliance = run->compliance ? lanes_from(run->compliance + g->at) : zero;
    const lanes damping = run->damping ? lanes_from(run->damping + g->at) : zero;
    const lanes gamma = lanes_min(compliance * damping * inverse_h, top);
    flags asks = lanes_above(gamma, zero) & g->exists; /* lanes without a constraint may contain anything */
    for (uint32_t r = 0; own_rows && r < g->rows; ++r)
        asks |= g->f->row[r].rate |
                (lanes_unequal(g->f->row[r].compliance, zero) & lanes_unequal(g->f->row[r].damping, zero));
    const bool looks_back = flags_any(asks);
    if (looks_back) {
        drive_displacement(g, asks);
        drive_know(g, shape);
    }
    lanes alpha = lanes_min(compliance * inverse_h * inverse_h, top);
    if (run->holds && run->kind->inequality)
        alpha =
            lanes_choose(lanes_above(g->lambda[0], zero), lanes_max(alpha, lanes_all((double)SN_PRELOAD_GIVE)), alpha);
    const rows_problem p = {.rows = g->rows,
                            .entries = g->entries,
                            .turns = g->turns,
                            .rotational = g->rotational,
                            .inequality = run->kind->inequality,
                            .bounded = run->bounded,
                            .w = g->w,
                            .linear = g->linear,
                            .turning = g->f->by_turn,
                            .c = g->f->c,
                            .displacement = looks_back ? g->displacement : NULL,
                            .rate_displacement = g->rate_displacement,
                            .row = own_rows ? g->f->row : NULL,
                            .exists = g->exists,
                            .alpha = alpha,
                            .gamma = gamma,
                            .k = run->stiffness ? lanes_from(run->stiffness + g->at) : lanes_all(1),
                            .inverse_h = inverse_h,
                            .lambda = g->lambda,
                            .step = g->step};
    if (shape.single) {
        rows_solve_one(&p);
        return;
    }
    if (shape.axial) {
        rows_solve_axes(&p);
        return;
    }
#if DRIVE_JOINTS
    if (g->entries == 4 && g->rows == 6 && g->rotational == DRIVE_JOINT_ROTATIONAL && p.row && !p.inequality) {
        drive_solve_joint(&p);
        return;
    }
#endif
    drive_solve_block(&p);
}

/* The displacement of an entry. */
SN_INLINE lanes3 drive_push(const drive_group *g, uint32_t e, drive_shape shape)
{
    if (shape.axial) { /* equal to the sum below, where everything else is 0 */
        const lanes k = g->f->by_point[e].x, zero = lanes_all(0);
        return lanes3_scale((lanes3){k * g->step[0] + zero, k * g->step[1] + zero, k * g->step[2] + zero}, g->w[e]);
    }
    lanes3 sum = drive_has(g, 0, e) ? lanes3_scale(*drive_gradient(g, 0, e), g->step[0]) : drive_zero3();
    for (uint32_t r = 1; r < g->rows; ++r)
        if (drive_has(g, r, e))
            sum = lanes3_add(sum, lanes3_scale(*drive_gradient(g, r, e), g->step[r]));
    return lanes3_scale(sum, g->w[e]);
}

#define DRIVE_MOST_TURN 0.25 /* rad: see sn_row_limit_turns */

DRIVE_APART void drive_limit_turns(drive_group *g)
{
    lanes most = lanes_all(0), bound = lanes_all(DRIVE_MOST_TURN);
    for (uint32_t i = 0; i < g->points; ++i) {
        const lanes3 push = g->push[g->turns + i], give = g->give[i];
        const lanes3 by = {push.x * give.x, push.y * give.y, push.z * give.z};
        most = lanes_max(lanes3_dot(by, by), most);
    }
    flags far = lanes_above(most, bound * bound);
    if (!flags_any(far))
        return;
    lanes scale = lanes_choose(far, bound / lanes_sqrt(most), lanes_all(1));
    for (uint32_t r = 0; r < g->rows; ++r)
        g->step[r] = g->step[r] * scale;
    for (uint32_t e = 0; e < g->entries; ++e)
        g->push[e] = lanes3_scale(g->push[e], scale);
}

/* Where positions have no remainder, displacements too small against their rounding are dropped; see tiled.c. */
DRIVE_APART void drive_drop_small(drive_group *g)
{
    const lanes least = lanes_all((double)g->run->least);
    flags small = flags_everywhere();
    for (uint32_t e = 0; e < g->entries; ++e)
        small &= lanes_above(least, lanes_abs(g->push[e].x)) & lanes_above(least, lanes_abs(g->push[e].y)) &
                 lanes_above(least, lanes_abs(g->push[e].z));
    if (!flags_any(small))
        return;
    for (uint32_t r = 0; r < g->rows; ++r)
        g->step[r] = lanes_keep(~small, g->step[r]);
    for (uint32_t e = 0; e < g->entries; ++e)
        g->push[e] = lanes3_keep(~small, g->push[e]);
}

DRIVE_APART void drive_note_largest(const drive_group *g)
{
    lanes most = lanes_all(0);
    float all[SN_WIDTH];
    for (uint32_t e = 0; e < g->entries; ++e) {
        const lanes3 push = g->push[e];
        most = lanes_max(lanes_max(lanes_abs(push.x), lanes_abs(push.y)), lanes_max(lanes_abs(push.z), most));
    }
    lanes_to(all, lanes_keep(g->exists, most));
    for (uint32_t l = 0; l < SN_WIDTH; ++l) {
        float *largest = &g->run->largest[g->at % SN_BATCH + l];
        *largest = all[l] > *largest ? all[l] : *largest;
    }
}

SN_INLINE void drive_move(const drive_group *g)
{
    const sn_wide_run *run = g->run;
    for (uint32_t e = 0; e < g->entries; ++e)
        if (g->planes)
            planes_add3(run->plane + drive_offset(g, e) + (run->coarse ? SN_PLANE_X : SN_PLANE_D) * SN_BATCH,
                        g->push[e], g->mask);
        else
            scatter3_add(g->bodies && e >= g->turns ? run->turned : run->d, g->slot[e], g->push[e], g->moves[e]);
}

/* The preload step, instead of a solution. The product of gradients is limited like that of rods, by the parameter
   that they keep. What holds a point (sn_preload_holds) has no such limit. */
DRIVE_APART void drive_preload_row(drive_group *g, uint32_t row)
{
    const sn_wide_run *run = g->run;
    float last[SN_WIDTH], kept[SN_WIDTH], rest[SN_WIDTH];
    lanes give = lanes_all(0);
    for (uint32_t e = 0; e < g->entries; ++e)
        give = give + g->w[e] * lanes3_dot(*drive_gradient(g, row, e), *drive_gradient(g, row, e));
    for (uint32_t l = 0; l < SN_WIDTH; ++l) {
        const bool here = g->mask >> l & 1;
        const size_t at = here ? (size_t)(drive_lambda(g, l, row) - run->lambda) : 0;
        last[l] = here ? run->lambda[at] : 0;
        kept[l] = here ? run->preload[at] : 0;
        rest[l] = run->param[(g->at / SN_BATCH * run->params) * SN_BATCH + g->at % SN_BATCH + l];
    }
    const lanes before = lanes_from(kept), by = lanes_from(last) * lanes_all((double)run->last_inverse_h2);
    const flags slack = lanes_above(lanes_all((double)SN_PRELOAD_SLACK) * before * before, by * before);
    lanes now =
        before + lanes_choose(slack, lanes_all((double)SN_PRELOAD_FASTEST), lanes_all((double)run->preload_share)) *
                     (by - before);
    now = now * lanes_all((double)run->h2);
    const lanes zero = lanes_all(0), most = lanes_all((double)run->preload_most) * lanes_abs(lanes_from(rest)) / give;
    if (!run->holds)
        now = lanes_max(lanes_min(now, most), zero - most);
    g->lambda[row] = zero;
    g->step[row] = lanes_keep(g->exists & lanes_above(give, zero), now);
    lanes_to(kept, g->step[row] * lanes_all((double)run->inverse_h2));
    for (uint32_t l = 0; l < SN_WIDTH; ++l)
        if (g->mask >> l & 1)
            run->preload[drive_lambda(g, l, row) - run->lambda] = kept[l];
}

SN_INLINE void drive_some(const sn_wide_run *run, sn_lanes_fn *formula, drive_shape shape, size_t at, uint32_t mask)
{
    drive_formula f;
    drive_group g;
    g.run = run;
    g.f = &f;
    drive_know(&g, shape);
    g.mask = mask;
    g.at = at;
    if (g.planes)
        drive_look_planes(&g);
    else if (g.corners)
        drive_look_anchored(&g);
    else
        drive_look_records(&g);
    drive_evaluate(&g, formula, shape);
    if (run->preload) {
        for (uint32_t r = 0; r < g.rows; ++r)
            drive_preload_row(&g, r);
    } else {
        drive_read_lambda(&g);
        drive_solve(&g, shape);
    }
    drive_know(&g, shape);
    for (uint32_t e = 0; e < g.entries; ++e)
        g.push[e] = drive_push(&g, e, shape);
    if (g.bodies)
        drive_limit_turns(&g);
    if (g.planes ? run->coarse : run->d == run->x)
        drive_drop_small(&g);
    if (run->largest)
        drive_note_largest(&g);
    drive_know(&g, shape);
    drive_write_lambda(&g);
    if (run->force)
        drive_exert(&g);
    drive_know(&g, shape);
    drive_move(&g);
}

SN_INLINE void drive_all(const sn_wide_run *run, sn_lanes_fn *formula, drive_shape shape)
{
    for (uint32_t b = 0; b < run->batches; ++b)
        for (uint32_t first = 0; first < SN_BATCH; first += SN_WIDTH) {
            const uint32_t mask = run->mask[b] >> first & SN_ALL_LANES;
            if (mask)
                drive_some(run, formula, shape, (size_t)b * SN_BATCH + first, mask);
        }
}

static void drive_any(const sn_wide_run *run, sn_lanes_fn *formula)
{
    drive_all(run, formula,
              (drive_shape){run->kind->points, run->kind->rows, run->anchor ? run->corners : 0, run->kind->rotational,
                            run->bodies, run->plane != NULL, false, false});
}

/* ---- Copies for usual shapes ------------------------------------------------------------------------------------- */

#if SN_COPIES
/* One row, POINTS particles. */
#define DRIVE_SINGLE(POINTS, PLANES)                                                                                   \
    static void drive_single_##POINTS##_##PLANES(const sn_wide_run *run, sn_lanes_fn *formula)                         \
    {                                                                                                                  \
        drive_all(run, formula, (drive_shape){POINTS, 1, 0, 0, false, PLANES, true, false});                           \
    }

DRIVE_SINGLE(4, 0)
DRIVE_SINGLE(4, 1)
#ifdef __wasm__ /* to keep web pages small, kinds of three points have no copy of their own */
#define DRIVE_LEAST_POINTS 4
#define drive_single_3_0   NULL
#define drive_single_3_1   NULL
#else
#define DRIVE_LEAST_POINTS 3
DRIVE_SINGLE(3, 0)
DRIVE_SINGLE(3, 1)
#endif

#if DRIVE_JOINTS
/* Three rows of four particles, along the axes: for bending. */
#define DRIVE_AXIAL(PLANES)                                                                                            \
    static void drive_axial_##PLANES(const sn_wide_run *run, sn_lanes_fn *formula)                                     \
    {                                                                                                                  \
        drive_all(run, formula, (drive_shape){4, 3, 0, 0, false, PLANES, false, true});                                \
    }

DRIVE_AXIAL(0)
DRIVE_AXIAL(1)

/* For most joints. */
static void drive_joint(const sn_wide_run *run, sn_lanes_fn *formula)
{
    drive_all(run, formula, (drive_shape){2, 6, 1, DRIVE_JOINT_ROTATIONAL, true, false, false, false});
}
#endif

static void drive(const sn_wide_run *run, sn_lanes_fn *formula)
{
    static sn_wide_drive_fn *const single[2][2] = {{drive_single_3_0, drive_single_4_0},
                                                   {drive_single_3_1, drive_single_4_1}};
    const sn_kind *kind = run->kind;
    if (!run->anchor && kind->rows == 1 && !kind->own_rows && !kind->oriented && !kind->state &&
        kind->points >= DRIVE_LEAST_POINTS && kind->points <= 4)
        single[run->plane != NULL][kind->points - 3](run, formula);
#if DRIVE_JOINTS
    else if (run->bodies && run->corners == 1 && kind->points == 2 && kind->rows == 6 &&
             kind->rotational == DRIVE_JOINT_ROTATIONAL)
        drive_joint(run, formula);
    else if (kind->axial && kind->points == 4 && !run->anchor && !run->shared && !run->planar)
        (run->plane ? drive_axial_1 : drive_axial_0)(run, formula);
#endif
    else
        drive_any(run, formula);
}
#else
#define drive drive_any
#endif

#endif
