/* Eight ropes with the same number of links at once, a rope in each lane: the part with lanes of doubles. See
   chain_team.h. */
#ifndef SN_WIDE_CHAIN_TEAM_ROWS_H
#define SN_WIDE_CHAIN_TEAM_ROWS_H

#include "wide/chain_rows.h"

#define TEAM SN_CHAIN_TEAM

_Static_assert(TEAM == STRETCHES, "a stretch of a team is a chain with ropes in place of stretches");

/* One stretch of all ropes is handled as a chain of its own, with a rope in each lane. */
typedef struct chain_team {
    sn_wide_chain run[STRETCHES];
    chain stretch[STRETCHES];
    int64_t good[TEAM]; /* not 0: pivots were usable, multipliers are finite, and kappa does not matter */
    double gives[TEAM]; /* as in chain */
} chain_team;

typedef void chain_team_round_fn(struct chain_team *t);

/* n of the joint of a stretch. There is none before the first. */
SN_INLINE doubles3 team_joint(const chain_team *t, uint32_t stretch, uint32_t lane)
{
    const chain *k = &t->stretch[stretch];
    return chain_direction(place_of(k, k->rows - 1, lane).real);
}

SN_INLINE doubles_flags team_forth(chain_team *t, uint32_t lane)
{
    const doubles none = doubles_all(0);
    doubles3 joint = {none, none, none};
    doubles_flags usual = doubles_any();
    for (uint32_t i = 0; i < STRETCHES; ++i) {
        chain *k = &t->stretch[i];
        straight s = straight_start(k, lane, joint);
        chain_row at = place_of(k, 0, lane);
        for (uint32_t row = 0; row + 1 < k->rows; ++row, at = place_after(at))
            straight_step(at, &s);
        straight_end(k, lane, &s);
        usual &= s.usual;
        joint = s.n;
    }
    return usual;
}

/* Like straight_joints, operation by operation. */
SN_INLINE doubles_flags team_joints(chain_team *t, uint32_t lane)
{
    const doubles none = doubles_all(0);
    doubles inverse[STRETCHES], z[STRETCHES];
    doubles_flags usual = doubles_any();
    for (uint32_t s = 0; s < STRETCHES; ++s) {
        const chain *k = &t->stretch[s];
        const bool last = s + 1 == STRETCHES;
        doubles pivot = doubles_load(k->own + lane) - (last ? none : doubles_load(k[last ? 0 : 1].taken + lane)),
                wanted = doubles_load(k->wanted + lane) + (last ? none : doubles_load(k[last ? 0 : 1].given + lane));
        if (s) {
            const doubles coupled = doubles_load(k->coupled + lane);
            pivot = pivot - coupled * coupled * inverse[s - 1];
            wanted = wanted + coupled * z[s - 1];
        }
        usual &= doubles_above(pivot, doubles_load(k->own + STRETCHES + lane));
        inverse[s] = doubles_all(1) / pivot;
        z[s] = wanted * inverse[s];
    }
    doubles lambda = z[STRETCHES - 1];
    doubles_store(t->stretch[STRETCHES - 1].joint_lambda + lane, lambda);
    for (uint32_t s = STRETCHES - 1; s-- > 0;) {
        lambda = z[s] + doubles_load(t->stretch[s + 1].coupled + lane) * inverse[s] * lambda;
        doubles_store(t->stretch[s].joint_lambda + lane, lambda);
    }
    return usual;
}

/* Passes the joints' multipliers and forces to coming_begin. */
SN_INLINE void team_reverse(chain_team *t, uint32_t lane)
{
    const doubles none = doubles_all(0);
    doubles lambda = none;
    doubles3 force = {none, none, none};
    for (uint32_t i = 0; i < STRETCHES; ++i) {
        chain *k = &t->stretch[i];
        doubles_store(k->lambda_before + lane, lambda);
        chain_store3(k->before + lane, force);
        lambda = doubles_load(k->joint_lambda + lane);
        force = chain_scale(lambda, team_joint(t, i, lane));
        chain_store3(k->force + lane, force);
    }
}

SN_INLINE doubles_flags team_back(chain_team *t, uint32_t lane)
{
    doubles gives = doubles_all(0);
    doubles_flags good = doubles_any();
    for (uint32_t i = 0; i < STRETCHES; ++i) {
        const chain *k = &t->stretch[i];
        coming c = coming_begin(k, lane, false);
        chain_row at = place_of(k, k->rows - 1, lane);
        for (uint32_t row = 1; row < k->rows; ++row) {
            at = place_before(at);
            straight_row(at, &c);
        }
        coming_last(k, lane, &c);
        gives = doubles_larger(c.gives, gives);
        good &= c.finite & ~c.turns;
    }
    doubles_store(t->gives + lane, gives);
    return good;
}

/* A solve, without the test whether it is calm. */
static void team_round(chain_team *t)
{
    for (uint32_t lane = 0; lane < TEAM; lane += CHAIN_WIDTH) {
        doubles_flags good = team_forth(t, lane);
        good &= team_joints(t, lane);
        team_reverse(t, lane);
        good &= team_back(t, lane);
        memcpy(t->good + lane, &good, sizeof good);
    }
}

#endif
