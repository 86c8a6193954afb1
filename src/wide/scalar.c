/* One lane: the reference, for machines and compilers without vectors. */
#include "wide/variants.h"

#if SINEW_DOUBLE
const sn_wide *sn_wide_scalar(void)
{
    return NULL;
}
#else
#define SN_VECTOR 0
#include "wide/table.h"

const sn_wide *sn_wide_scalar(void)
{
    static const sn_wide table =
        WIDE_TABLE("scalar", wide_fused, chain_solve, team_solve, MOTION_FUNCTIONS, motion_predict_planes,
                   motion_settle_planes, WIDE_ROWS(rows_gather, rows_move, rows_tether, mending_find));
    return &table;
}
#endif
