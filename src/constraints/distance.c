/* Distances between two points: equal, at least, at most, and in a band.

   With l = |a - b| and n = (a - b) / l the gradients are  grad_a l = n  and  grad_b l = -n  (lecture 000). Where the
   points coincide there is no direction. If they have to part, x is as good as any, and lets a collapsed rod recover;
   if they are right where they are, the constraint rests. */
#include "base/vec.h"
#include "constraints/table.h"

/* The direction from b to a, and their distance. False where it neither exists nor matters: the least distance that the
   constraint asks for is 0. */
static bool direction(const sn_eval_in *in, sn_real least, sn_vec3 *n, sn_real *length)
{
    sn_vec3 ab = vec3_sub(in->x[0], in->x[1]);
    *length = vec3_length(ab);
    *n = *length > 0 ? vec3_scale(ab, 1 / *length) : vec3(1, 0, 0);
    return *length > 0 || least > 0;
}

static void set_row(const sn_eval_out *out, uint32_t row, sn_real c, sn_vec3 gradient)
{
    out->c[row] = c;
    out->gradient[row * 2] = gradient;
    out->gradient[row * 2 + 1] = vec3_scale(gradient, -1);
}

static void measure_length(const sn_eval_in *in, sn_real *param)
{
    param[0] = vec3_length(vec3_sub(in->x[0], in->x[1]));
}

#define LENGTH(NAME)                                                                                                   \
    {                                                                                                                  \
        .name = NAME, .unit = "m", .least = 0, .most = (sn_real)1e30                                                   \
    }

/* C = l - rest */
static bool eval_equal(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 n;
    sn_real length;
    if (!direction(in, in->param[0], &n, &length))
        return false;
    set_row(out, 0, length - in->param[0], n);
    return true;
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
    .eval = eval_equal,
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
    .eval = eval_equal,
    .measure = measure_length,
};

/* C = most - l >= 0 */
static bool eval_at_most(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 n;
    sn_real length;
    if (!direction(in, 0, &n, &length))
        return false;
    set_row(out, 0, in->param[0] - length, vec3_scale(n, -1));
    return true;
}

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
    .eval = eval_at_most,
    .measure = measure_length,
};

/* Two rows, of which at most one is violated at a time. */
static bool eval_band(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 n;
    sn_real length;
    if (!direction(in, in->param[0], &n, &length))
        return false;
    set_row(out, 0, length - in->param[0], n);
    set_row(out, 1, in->param[1] - length, vec3_scale(n, -1));
    return true;
}

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
    .eval = eval_band,
    .measure = measure_band,
    .check = check_band,
};
