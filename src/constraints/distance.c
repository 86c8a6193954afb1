/* Distances between two points: equal, at least, at most, and in a band.

   With l = |a - b| and n = (a - b) / l the gradients are grad_a l = n and grad_b l = -n (lecture 000). Where the points
   coincide there is no direction. If they have to separate, the x axis is used: it lets a collapsed rod recover. If the
   rest length is 0, the constraint is inactive. */
#include "constraints/table.h"

#include <sinew/lanes.h>

/* The direction from b to a, and their distance. The direction does not exist where the distance is 0; this matters
   only if `least`, the least distance that the constraint allows, is above 0. */
SN_LANES_INLINE lanes direction(const lanes_in *in, lanes least, lanes3 *n, lanes_out *out)
{
    const lanes zero = lanes_all(0);
    lanes3 ab = lanes3_sub(in->x[0], in->x[1]);
    lanes length = lanes3_length(ab);
    flags apart = lanes_above(length, zero);
    *n = lanes3_keep(apart, lanes3_scale(ab, lanes_all(1) / length));
    n->x = lanes_choose(apart, n->x, lanes_all(1));
    out->exists = apart | lanes_above(least, zero);
    return length;
}

/* C = l - rest. Also used for the lower limit. */
static void eval_equal(const lanes_in *in, lanes_out *out)
{
    lanes3 n;
    lanes length = direction(in, in->param[0], &n, out);
    lanes_write_pair(out, 0, length - in->param[0], n);
}

/* C = most - l >= 0 */
static void eval_at_most(const lanes_in *in, lanes_out *out)
{
    lanes3 n;
    lanes length = direction(in, lanes_all(0), &n, out);
    lanes_write_pair(out, 0, in->param[0] - length, lanes3_negate(n));
}

/* Two rows, of which at most one is violated at a time. */
static void eval_band(const lanes_in *in, lanes_out *out)
{
    lanes3 n;
    lanes length = direction(in, in->param[0], &n, out);
    lanes_write_pair(out, 0, length - in->param[0], n);
    lanes_write_pair(out, 1, in->param[1] - length, lanes3_negate(n));
}

SN_LANES(distance, eval_equal, 2, 1, 1, 0)
SN_LANES(distance_max, eval_at_most, 2, 1, 1, 0)
SN_LANES(distance_band, eval_band, 2, 2, 2, 0)

#if !SN_VECTOR
/* For points in one place it is 0. */
static void measure_length(const sn_eval_in *in, sn_real *param)
{
    param[0] = 0;
    sn_measure_rest(SN_LANES_EVAL(distance), 0, in, param, 0);
}

#define LENGTH(NAME)                                                                                                   \
    {                                                                                                                  \
        .name = NAME, .unit = "m", .least = 0, .most = (sn_real)1e30                                                   \
    }

const sn_kind sn_kind_distance = {
    .name = "distance",
    .about = "A rod: two points stay a given distance apart.",
    .formula = "C = |a - b| - rest",
    .unit = "m",
    .points = 2,
    .rows = 1,
    .internal = true,
    .param = {LENGTH("rest")},
    .eval = SN_LANES_EVAL(distance),
    .lanes = SN_LANES_TABLE(distance),
    .measure = measure_length,
};

/* C = l - least >= 0 */
const sn_kind sn_kind_distance_min = {
    .name = "distance_min",
    .about = "Two points stay at least so far apart, as the centres of two balls do.",
    .formula = "C = |a - b| - least >= 0",
    .unit = "m",
    .points = 2,
    .rows = 1,
    .inequality = 1,
    .internal = true,
    .param = {LENGTH("least")},
    .eval = SN_LANES_EVAL(distance),
    .lanes = SN_LANES_TABLE(distance),
    .measure = measure_length,
};

const sn_kind sn_kind_distance_max = {
    .name = "distance_max",
    .about = "Two points stay at most so far apart, as by a rope that can fold but not stretch.",
    .formula = "C = most - |a - b| >= 0",
    .unit = "m",
    .points = 2,
    .rows = 1,
    .inequality = 1,
    .internal = true,
    .param = {LENGTH("most")},
    .eval = SN_LANES_EVAL(distance_max),
    .lanes = SN_LANES_TABLE(distance_max),
    .measure = measure_length,
};

static void measure_band(const sn_eval_in *in, sn_real *param)
{
    measure_length(in, param);
    param[1] = param[0];
}

static const char *check_band(const sn_real *param)
{
    return param[0] > param[1] ? "'least' exceeds 'most'" : NULL;
}

const sn_kind sn_kind_distance_band = {
    .name = "distance_band",
    .about = "A deformation limit: the distance of two points stays between two lengths.",
    .formula = "C = (|a - b| - least, most - |a - b|) >= 0",
    .unit = "m",
    .points = 2,
    .rows = 2,
    .inequality = 3,
    .internal = true,
    .param = {LENGTH("least"), LENGTH("most")},
    .eval = SN_LANES_EVAL(distance_band),
    .lanes = SN_LANES_TABLE(distance_band),
    .measure = measure_band,
    .check = check_band,
};
#endif
