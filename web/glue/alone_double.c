/* One constraint of a kind in double precision, computed by the formula for vectors: so a page does not have to fetch
   each formula twice. */
#define SN_VECTOR      16
#define SN_LANE_DOUBLE 1
#include <sinew/lanes.h>

bool sn_lanes_alone_double(sn_lanes_fn *formula, uint32_t points, uint32_t rows, uint32_t params, uint32_t state,
                           const sn_eval_in *from, const sn_eval_out *to)
{
    return lanes_alone(formula, points, rows, params, state, from, to);
}
