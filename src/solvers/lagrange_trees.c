/* Multipliers of constraints in trees, solved directly. See lagrange.c. */
#include "solvers/lagrange_work.h"

#include <math.h>
#include <string.h>

/* A give that is added to the rows of a tree during elimination, to keep digits. Iterative refinement removes its
   error. */
#define LEAST_GIVE 1e-6

/* The give of held rows of a tree: relative to their mobility, the error of their force is its inverse. */
#define HELD_GIVE 1e12

#define REFINEMENTS 3     /* of trees */
#define REFINED     1e-12 /* refinement ends at this share of the right-hand sides */

/* The forest skips constraints without acting rows, with their forces. So if a constraint only has held rows, such as a
   motor at its bound, they act, but are so soft that their force is the bound. */
static void fill_held(const lagrange *l, const sn_system_block *block, sn_forest_rows *out)
{
    for (uint32_t r = 0; r < block->rows; ++r) {
        if (out->least[r] == 0)
            continue;
        out->acting |= 1u << r;
        out->diagonal[r] = HELD_GIVE * l->system.mobility[block->first + r];
        out->rhs[r] = out->diagonal[r] * out->least[r];
        out->least[r] = 0;
    }
}

/* Writes the rows of a constraint for the forest. */
static bool fill(void *context, uint32_t kind, uint32_t row, sn_forest_rows *out)
{
    const lagrange *l = context;
    const sn_system *system = &l->system;
    uint32_t index = l->block_of[l->forest.base[kind] + row];
    out->acting = 0;
    if (index == LAGRANGE_NONE)
        return true;
    const sn_system_block *block = &system->block[index];
    out->block = (sn_block){.rows = block->rows,
                            .count = block->count,
                            .slot = out->room.slot,
                            .w = out->room.w,
                            .gradient = out->room.gradient};
    for (uint32_t i = 0; i < block->count; ++i) {
        uint32_t particle = system->particle[block->entry + i];
        out->room.slot[i] = system->slot[particle];
        out->room.w[i] = (sn_real)system->w[particle];
    }
    for (uint32_t i = 0; i < block->rows * block->count; ++i)
        out->room.gradient[i] = dvec3_round(system->gradient[block->gradient + i]);
    for (uint32_t r = 0; r < block->rows; ++r) {
        uint32_t e = block->first + r;
        out->acting |= (uint32_t)lagrange_acts(l, e) << r;
        out->inequality |= (uint32_t)(!l->refining && (l->state[e] == ROW_PUSHES || l->state[e] == ROW_WAITS)) << r;
        out->rhs[r] = l->b[e];
        out->diagonal[r] = system->give[e] + LEAST_GIVE * system->mobility[e];
        out->least[r] = l->state[e] == ROW_HELD && !l->refining ? sn_lagrange_held(l, e) : 0;
    }
    if (!out->acting && !l->refining)
        fill_held(l, block, out);
    return true;
}

static void take(void *context, uint32_t kind, uint32_t row, const double *lambda)
{
    lagrange *l = context;
    uint32_t index = l->block_of[l->forest.base[kind] + row];
    for (uint32_t r = 0; index != LAGRANGE_NONE && r < l->system.block[index].rows; ++r) {
        uint32_t e = l->system.block[index].first + r;
        if (l->state[e] == ROW_RESTS || (l->refining && !lagrange_acts(l, e)))
            continue;
        l->system.lambda[e] += lambda[r];
        if (l->state[e] == ROW_HOLDS || l->state[e] == ROW_HELD)
            continue;
        l->state[e] = l->system.lambda[e] > 0 ? ROW_PUSHES : ROW_WAITS;
        if (l->state[e] == ROW_WAITS)
            l->system.lambda[e] = 0;
    }
}

/* b = the residuals of the rows in trees. Returns the largest, relative to the largest right-hand side, both scaled to
   compare rows. */
static double find_residual(lagrange *l)
{
    const sn_system *system = &l->system;
    double left = 0, whole = 0;
    sn_system_scatter(system, system->lambda);
    for (uint32_t n = 0; n < system->block_table.count; ++n) {
        const sn_system_block *block = &system->block[n];
        for (uint32_t r = 0; r < block->rows && lagrange_in_tree(l, block); ++r) {
            uint32_t e = block->first + r;
            double unit = sqrt(system->mobility[e] + system->give[e]);
            if (!lagrange_acts(l, e))
                continue;
            l->b[e] = system->b[e] - sn_system_gather(system, block, r) - system->give[e] * system->lambda[e];
            left = fmax(left, fabs(l->b[e]) / unit);
            whole = fmax(whole, fabs(system->b[e]) / unit);
        }
    }
    return whole > 0 ? left / whole : 0;
}

/* Solves all trees for the present states of rows. Rows between a particle and something immovable lose digits in the
   elimination: nine with the forest's own least give, six with LEAST_GIVE, which two refinements recover. */
static bool solve_trees_once(lagrange *l, const sn_forest_job *job)
{
    const sn_system *system = &l->system;
    for (uint32_t b = 0; b < system->block_table.count; ++b)
        if (lagrange_in_tree(l, &system->block[b]))
            memset(system->lambda + system->block[b].first, 0, system->block[b].rows * sizeof *system->lambda);
    memcpy(l->b, system->b, system->row_table.count * sizeof *l->b);
    l->refining = false;
    bool good = sn_forest_solve(&l->forest, job);
    for (int i = 0; good && i < REFINEMENTS && find_residual(l) > REFINED; ++i) {
        l->refining = true;
        good = sn_forest_solve(&l->forest, job);
    }
    return good;
}

bool sn_lagrange_solve_trees(lagrange *l, const sn_frame *frame)
{
    const sn_forest_job job = {.frame = frame, .context = l, .fill = fill, .take = take};
    sn_system *system = &l->system;
    memset(l->block_of, 0xff, l->forest.id_table.count * sizeof *l->block_of);
    for (uint32_t b = 0; b < system->block_table.count; ++b)
        l->block_of[l->forest.base[system->block[b].kind] + system->block[b].row] = b;
    bool good = solve_trees_once(l, &job);
    for (int round = 0; good && round < 2 * LAGRANGE_ROUNDS && sn_lagrange_apply_rules(l, true); ++round)
        good = solve_trees_once(l, &job);
    for (uint32_t b = 0; b < system->block_table.count; ++b)
        if (lagrange_in_tree(l, &system->block[b]))
            memset(l->state + system->block[b].first, ROW_SOLVED, system->block[b].rows);
    return good;
}
