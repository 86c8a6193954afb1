/* A team: eight ropes with the same number of links, solved at once. Each is solved as in chain.h, operation by
   operation, so that the bits are the same. But here a lane is a rope, not a stretch of one. So the joints, which
   chain.h solves one after the other, also fill the lanes, and no link waits for another of its own rope.

   Only ropes without turning (see chain.h) whose solve is usable and calm are solved here. The others are left
   unchanged. */
#ifndef SN_WIDE_CHAIN_TEAM_H
#define SN_WIDE_CHAIN_TEAM_H

#include "wide/chain.h"
#include "wide/chain_team_rows.h"

/* Sets up the stretches as chains: the data of one stretch of all ropes are contiguous. */
static void team_begin(chain_team *t, const sn_wide_chain *run)
{
    const size_t size = ((size_t)run->rows + 1) * TEAM;
    for (uint32_t s = 0; s < STRETCHES; ++s) {
        t->run[s] = *run;
        t->run[s].slot = run->slot + s * size;
        t->run[s].rest = run->rest + s * size;
        t->run[s].row = run->row + s * size;
        t->run[s].real = run->real + s * size * SN_CHAIN_REALS;
        t->run[s].number = run->number + s * size * SN_CHAIN_DOUBLES;
        t->stretch[s].run = &t->run[s];
        t->stretch[s].rows = run->rows;
    }
}

SN_INLINE void team_set(sn_real *row, uint32_t column, sn_real value)
{
    for (uint32_t i = 0; i < TEAM; ++i)
        row[column * TEAM + i] = value;
}

/* Like chain_fill_up. */
static void team_fill_up(const chain_team *t)
{
    const uint32_t n = t->run[0].links, rows = t->run[0].rows;
    team_set(t->run[0].real, BETWEEN, 0);
    for (uint32_t i = n; i < STRETCHES * rows; ++i) {
        sn_real *row = t->run[i / rows].real + (size_t)(i % rows) * REAL_ROW;
        team_set(row, NX, 1);
        for (uint32_t column = NY; column <= TURN; ++column)
            team_set(row, column, 0);
        team_set(row, BETWEEN, 0);
        if (i > n)
            team_set(row, W, 1);
    }
    for (uint32_t s = 0; s < STRETCHES; ++s) {
        sn_real *last = t->run[s].real + (size_t)rows * REAL_ROW;
        if ((s + 1) * rows >= n)
            team_set(last, BETWEEN, 0);
        if ((s + 1) * rows > n)
            team_set(last, W, 1);
    }
}

/* The number of rows of a stretch that have a link. */
SN_INLINE uint32_t team_links(const sn_wide_chain *run, uint32_t stretch)
{
    const uint32_t first = stretch * run->rows;
    return run->links <= first ? 0 : run->links - first < run->rows ? run->links - first : run->rows;
}

SN_APART void team_read_lambda(const chain_team *t)
{
    for (uint32_t s = 0; s < STRETCHES; ++s)
        for (uint32_t row = 0; row < team_links(&t->run[0], s); ++row)
            chain_read_row(&t->stretch[s], row, TEAM);
}

/* For each rope: the largest 1 / length, the largest violation, and the largest turn |P z|^2. */
typedef struct team_found {
    lane_number turn[TEAM], missed[TEAM], aside[TEAM];
} team_found;

/* together must be a constant. */
SN_INLINE void team_gather_lanes(const chain_team *t, bool together, team_found *found)
{
    for (uint32_t first = 0; first < TEAM; first += SN_WIDTH) {
        lanes turn = lanes_all(0), missed = turn;
        for (uint32_t s = 0; s < STRETCHES; ++s)
            chain_gather_lanes(&t->stretch[s], first, together, &turn, &missed);
        lanes_store(found->turn + first, turn);
        lanes_store(found->missed + first, missed);
    }
}

SN_APART void team_gather(const chain_team *t, team_found *found)
{
    if (t->run[0].together)
        team_gather_lanes(t, true, found);
    else
        team_gather_lanes(t, false, found);
    team_fill_up(t);
    if (!t->run[0].fresh)
        team_read_lambda(t);
}

/* Like chain_is_calm: after a joint is the first particle of the next stretch. */
SN_APART void team_look_aside(const chain_team *t, team_found *found)
{
    const uint32_t rows = t->run[0].rows;
    for (uint32_t s = 0; s + 1 < STRETCHES; ++s)
        memcpy(t->run[s].real + (size_t)rows * REAL_ROW + MOVE_X * TEAM, t->run[s + 1].real + MOVE_X * TEAM,
               3 * TEAM * sizeof(sn_real));
    for (uint32_t first = 0; first < TEAM; first += SN_WIDTH) {
        lanes aside = lanes_all(0);
        for (uint32_t s = 0; s < STRETCHES; ++s)
            aside = chain_most_aside(t->run[s].real + first, rows, aside);
        lanes_store(found->aside + first, aside);
    }
}

/* Bit i: rope i is solved. */
static uint32_t team_judge(const chain_team *t, const team_found *found)
{
    uint32_t good = 0;
    for (uint32_t i = 0; i < TEAM; ++i) {
        const chain_before before = {(double)found->missed[i], (double)found->turn[i]};
        if (t->good[i] && found->turn[i] <= CHAIN_USUAL &&
            chain_calm(&t->run[0], (double)found->aside[i], &before, t->gives[i]))
            good |= 1u << i;
    }
    return good;
}

/* good: bits of the ropes that are solved. together must be a constant. */
SN_INLINE void team_hand_out_rows(const chain_team *t, uint32_t good, bool together)
{
    const bool all = good == SN_TEAM_ALL;
    for (uint32_t s = 0; s < STRETCHES; ++s) {
        const sn_wide_chain *run = &t->run[s];
        const bool end = s + 1 == STRETCHES && run->links == STRETCHES * run->rows;
        for (uint32_t row = 0; row < run->rows + end; ++row) {
            for (uint32_t lane = 0; all && lane < TEAM; lane += SN_WIDTH)
                chain_hand_out_some(run, row, lane, together);
            for (uint32_t lane = 0; !all && lane < TEAM; lane += SN_WIDTH)
                chain_hand_out_few(run, row, lane, good >> lane);
        }
    }
}

SN_APART void team_hand_out(const chain_team *t, uint32_t good)
{
    if (t->run[0].together)
        team_hand_out_rows(t, good, true);
    else
        team_hand_out_rows(t, good, false);
}

SN_APART void team_write_lambda(const chain_team *t, uint32_t good)
{
    for (uint32_t s = 0; s < STRETCHES; ++s)
        for (uint32_t row = 0; row < team_links(&t->run[0], s); ++row)
            chain_write_row(&t->stretch[s], row, good);
}

SN_INLINE uint32_t team_solve_by(const sn_wide_chain *run, chain_team_round_fn *round)
{
    chain_team t;
    team_found found;
    team_begin(&t, run);
    team_gather(&t, &found);
    round(&t);
    team_look_aside(&t, &found);
    const uint32_t good = team_judge(&t, &found);
    team_hand_out(&t, good);
    if (!run->drops)
        team_write_lambda(&t, good);
    return good;
}

static uint32_t team_solve(const sn_wide_chain *run)
{
    return team_solve_by(run, team_round);
}

#endif
