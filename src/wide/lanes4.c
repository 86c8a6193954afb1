/* Four lanes: available on every 64-bit x86 and ARM. */
#include "wide/variants.h"

#if SN_WIDE_VECTORS && !defined(SINEW_WITHOUT_LANES4) &&                                                               \
    (defined(__SSE2__) || defined(__aarch64__) || defined(__wasm_simd128__))
#define SN_VECTOR 16
#include "wide/table.h"

/* Web pages do not need it: ropes solved one by one have the same bits, and pages have few equal ropes. */
#ifdef __wasm__
#define LANES4_TEAM NULL
#else
#define LANES4_TEAM team_solve
#endif

const sn_wide *sn_wide_lanes4(void)
{
    static const sn_wide table =
        WIDE_TABLE("4 lanes", wide_fused, chain_solve, LANES4_TEAM, MOTION_FUNCTIONS, motion_predict_planes,
                   motion_settle_planes, WIDE_ROWS(rows_gather, rows_move, rows_tether, mending_find));
    return &table;
}
#else
const sn_wide *sn_wide_lanes4(void)
{
    return NULL;
}
#endif
