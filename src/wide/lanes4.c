/* Four lanes: what every 64-bit x86 and ARM has. */
#include "wide/variants.h"

#if SN_WIDE_VECTORS && !defined(SINEW_WITHOUT_LANES4) &&                                                               \
    (defined(__SSE2__) || defined(__aarch64__) || defined(__wasm_simd128__))
#define SN_VECTOR 16
#include "wide/table.h"

const sn_wide *sn_wide_lanes4(void)
{
    static const sn_wide table = WIDE_TABLE("4 lanes", wide_fused, chain_solve, team_solve, MOTION_FUNCTIONS,
                                            motion_predict_planes, motion_settle_planes);
    return &table;
}
#else
const sn_wide *sn_wide_lanes4(void)
{
    return NULL;
}
#endif
