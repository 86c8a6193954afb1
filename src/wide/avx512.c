/* Sixteen lanes for distances, for particles in planes and for the usual prediction of those in records; eight lanes of
   doubles for ropes. Everything else uses eight lanes. This file is compiled for AVX-512, whatever the rest is compiled
   for. */
#include "wide/variants.h"

#if SN_WIDE_VECTORS && defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__AVX512BW__)
#define SN_VECTOR   64
#define CHAIN_WIDTH 8
#include "wide/chain_team_rows.h"
#include "wide/chain_turning.h"
#include "wide/distance.h"
#include "wide/mending.h"
#include "wide/motion_fours.h"
#include "wide/planes.h"
#include "wide/rows.h"

#define DOUBLE_KIND(name, MORE)                                                                                        \
    void sn_wide_##name##_16(const sn_wide_run *run)                                                                   \
    {                                                                                                                  \
        PAIR_LOOPS(pair_loop_planes, name, PAIR_MANY, MORE, MORE);                                                     \
    }

bool sn_wide_predict_16(const sn_motion *motion, float *plane, float *side, float *back, uint32_t rows)
{
    return motion_predict_planes(motion, plane, side, back, rows);
}

bool sn_wide_settle_16(const sn_motion *motion, float *plane, float *side, uint32_t rows)
{
    return motion_settle_planes(motion, plane, side, rows);
}

/* Predicts `count` particles of a range, from `skip` on, with eight lanes. */
static bool predict_some(const sn_motion *motion, uint32_t skip, uint32_t count)
{
    sn_motion some = *motion;
    some.first += skip;
    some.mark += skip;
    some.count = count;
    return !count || sn_wide_avx2()->motion->predict(&some);
}

/* Vectors begin at cache lines: access to a vector in two cache lines takes twice as long. */
bool sn_wide_predict_records_16(const sn_motion *motion)
{
    const uint32_t skip = (FOURS - motion->first % FOURS) % FOURS;
    if (!fours_may_predict(motion) || motion->count < skip + FOURS)
        return sn_wide_avx2()->motion->predict(motion);
    const uint32_t whole = (motion->count - skip) / FOURS * FOURS;
    bool sound = predict_some(motion, 0, skip);
    sound = motion_predict_fours(motion, skip, whole) && sound;
    return predict_some(motion, skip + whole, motion->count - skip - whole) && sound;
}

void sn_wide_chain_round_16(chain *k, bool turning)
{
    chain_round(k, turning);
}

void sn_wide_team_round_16(chain_team *t)
{
    team_round(t);
}

void sn_wide_sum_rows_16(const sn_wide_groups *run, uint32_t group, float *sum)
{
    rows_sum_all(run, group, sum);
}

void sn_wide_move_rows_16(const sn_wide_groups *run)
{
    rows_push(run);
}

void sn_wide_pull_row_16(const sn_wide_tethers *run, const sn_wide_tether *tether, const float *pins)
{
    rows_pull(run, tether, pins);
}

void sn_wide_find_planes_16(const sn_wide_run *run)
{
    mending_find_planes(run);
}

const bool sn_wide_has_16 = true;
#else
/* Never called. */
#define DOUBLE_KIND(name, MORE)                                                                                        \
    void sn_wide_##name##_16(const sn_wide_run *run)                                                                   \
    {                                                                                                                  \
        sn_wide_avx2()->fused[run->number].planes(run);                                                                \
    }

bool sn_wide_predict_16(const sn_motion *motion, float *plane, float *side, float *back, uint32_t rows)
{
    return sn_wide_avx2()->predict_planes(motion, plane, side, back, rows);
}

bool sn_wide_settle_16(const sn_motion *motion, float *plane, float *side, uint32_t rows)
{
    return sn_wide_avx2()->settle_planes(motion, plane, side, rows);
}

bool sn_wide_predict_records_16(const sn_motion *motion)
{
    return sn_wide_avx2()->motion->predict(motion);
}

void sn_wide_chain_round_16(struct chain *k, bool turning)
{
    (void)k;
    (void)turning;
}

void sn_wide_team_round_16(struct chain_team *t)
{
    (void)t;
}

void sn_wide_sum_rows_16(const sn_wide_groups *run, uint32_t group, float *sum)
{
    (void)run, (void)group, (void)sum;
}

void sn_wide_move_rows_16(const sn_wide_groups *run)
{
    (void)run;
}

void sn_wide_pull_row_16(const sn_wide_tethers *run, const sn_wide_tether *tether, const float *pins)
{
    (void)run, (void)tether, (void)pins;
}

void sn_wide_find_planes_16(const sn_wide_run *run)
{
    (void)run;
}

const bool sn_wide_has_16 = false;
#endif

DOUBLE_KIND(distance, true)
DOUBLE_KIND(bound, false)
