/* Eight lanes. This file is compiled for AVX2, whatever the rest is compiled for. */
#include "wide/variants.h"

#if SN_WIDE_VECTORS && defined(__AVX2__)
#define SN_VECTOR 32
#include "wide/table.h"

/* The same, but with the sixteen-lane kernels of avx512.c where they exist. */
static const sn_wide_fused wide_fused_16[SN_FUSED_KINDS] = WIDE_FUSED(sn_wide_distance_16, sn_wide_bound_16);

static bool chain_solve_16(sn_wide_chain *run)
{
    return chain_solve_by(run, sn_wide_chain_round_16);
}

static uint32_t team_solve_16(const sn_wide_chain *run)
{
    return team_solve_by(run, sn_wide_team_round_16);
}

static const sn_motion_table motion_functions_16 = {sn_wide_predict_records_16, motion_note, motion_settle, motion_end};

static void gather_16(const sn_wide_groups *run)
{
    rows_gather_by(run, sn_wide_sum_rows_16);
}

static void tether_16(const sn_wide_tethers *run)
{
    rows_tether_by(run, sn_wide_pull_row_16);
}

static void find_16(const sn_wide_run *run)
{
    (run->far || run->near ? mending_find : sn_wide_find_planes_16)(run);
}

const sn_wide *sn_wide_avx2(void)
{
    static const sn_wide table =
        WIDE_TABLE("8 lanes, AVX2", wide_fused, chain_solve, team_solve, MOTION_FUNCTIONS, motion_predict_planes,
                   motion_settle_planes, WIDE_ROWS(rows_gather, rows_move, rows_tether, mending_find));
    return &table;
}

const sn_wide *sn_wide_avx512(void)
{
    static const sn_wide table = WIDE_TABLE("16 lanes, AVX-512", wide_fused_16, chain_solve_16, team_solve_16,
                                            &motion_functions_16, sn_wide_predict_16, sn_wide_settle_16,
                                            WIDE_ROWS(gather_16, sn_wide_move_rows_16, tether_16, find_16));
    return sn_wide_has_16 ? &table : NULL;
}
#else
const sn_wide *sn_wide_avx2(void)
{
    return NULL;
}

const sn_wide *sn_wide_avx512(void)
{
    return NULL;
}
#endif
