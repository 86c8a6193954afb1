/* Two coupled rotations, as by gears; and a coupled rotation and displacement, as by rack and pinion. The points are
   those of two joints: a, b of the first and c, d of the second. The frames a and c may be on one body, or in the
   world.

       gear   C = t + ratio u + phase,      t and u the twists of b relative to a and of d relative to c
       rack   C = ratio t + s + phase,      s = e_x . (d - c)

   The twist of a joint is known only up to whole revolutions. These must not be lost: with a ratio that is not an
   integer they matter. So the state has the twists at the end of a substep, and the sum that whole revolutions add to
   C. C is near 0, so this sum, unlike the revolutions themselves, stays small. It is stored in two numbers, so that it
   is exact for ever. */
#define SN_LANE_DOUBLE 0
#include "constraints/joint.h"

enum { RATIO, PHASE, PARAMS };

/* State: 1 if the rest is valid, the twists, and the sum that whole revolutions add to C. */
enum { KNOWN, TWISTS, TURNS = TWISTS + 2, TURNS_REST, STATE };

/* The relative pose of points 0 and 1, or 2 and 3. */
SN_LANES_INLINE joint_pose look_from(const lanes_in *in, uint32_t first)
{
    return joint_look(&(lanes_in){.x = in->x + first, .q = in->q + first});
}

/* Adds scale times a twist, which continues from its stored value. */
SN_LANES_INLINE void add_twist(const lanes_in *in, lanes_out *out, uint32_t first, lanes scale)
{
    joint_pose pose = look_from(in, first);
    joint_turn twist = joint_twist(&pose);
    if (in->state) {
        lanes last = in->state[TWISTS + first / 2];
        twist.value = lanes_choose(lanes_unequal(in->state[KNOWN], lanes_all(0)), last + lanes_wrap(twist.value - last),
                                   twist.value);
    }
    out->c[0] = out->c[0] + scale * twist.value;
    out->turn[first + 1] = lanes3_scale(twist.slope, scale);
    out->turn[first] = lanes3_negate(out->turn[first + 1]);
}

SN_LANES_INLINE void begin(const lanes_in *in, lanes_out *out)
{
    out->c[0] = in->param[PHASE];
    if (in->state)
        out->c[0] = out->c[0] + (in->state[TURNS] + in->state[TURNS_REST]);
}

static void eval_gear(const lanes_in *in, lanes_out *out)
{
    begin(in, out);
    add_twist(in, out, 0, lanes_all(1));
    add_twist(in, out, 2, in->param[RATIO]);
}

static void eval_rack(const lanes_in *in, lanes_out *out)
{
    joint_pose pose = look_from(in, 2);
    begin(in, out);
    add_twist(in, out, 0, in->param[RATIO]);
    out->c[0] = out->c[0] + lanes3_dot(pose.axis[0], pose.p);
    out->gradient[3] = pose.axis[0];
    out->gradient[2] = lanes3_negate(pose.axis[0]);
    out->turn[2] = lanes3_cross(pose.axis[0], pose.p);
}

SN_LANES(joint_gear, eval_gear, 4, 1, PARAMS, STATE)
SN_LANES(joint_rack, eval_rack, 4, 1, PARAMS, STATE)

#if !SN_VECTOR
/* The twist of one of the two joints. */
static double twist_at(const sn_eval_in *in, uint32_t first)
{
    sn_eval_in pair = *in;
    pair.x += first;
    pair.q += first;
    joint_pose pose = joint_look_at(&pair);
    return joint_twist(&pose).value;
}

static void settle(const sn_eval_in *in, uint32_t twists, const double *scale)
{
    sn_real *keep = in->keep;
    double turns = (double)keep[TURNS] + (double)keep[TURNS_REST];
    for (uint32_t i = 0; i < twists; ++i) {
        const double twist = twist_at(in, 2 * i), by = twist - (double)keep[TWISTS + i];
        if (keep[KNOWN] != 0) /* a jump from pi to -pi is a motion forwards, not back */
            turns += scale[i] * (by < -MATH_PI ? 2 * MATH_PI : by > MATH_PI ? -2 * MATH_PI : 0);
        keep[TWISTS + i] = (sn_real)twist;
    }
    keep[KNOWN] = 1;
    keep[TURNS] = (sn_real)turns;
    keep[TURNS_REST] = (sn_real)(turns - (double)keep[TURNS]);
}

static void settle_gear(const sn_eval_in *in, sn_real h)
{
    (void)h;
    settle(in, 2, (const double[]){1, (double)in->param[RATIO]});
}

static void settle_rack(const sn_eval_in *in, sn_real h)
{
    (void)h;
    settle(in, 1, (const double[]){(double)in->param[RATIO]});
}

/* The phase for which the constraint is satisfied now. The default ratio is 1. */
static void measure(const sn_eval_in *in, sn_real *param, sn_eval_fn *eval)
{
    sn_real c[1] = {0}, ratio = in->param[RATIO] == SN_MEASURE ? 1 : in->param[RATIO];
    const sn_real now[PARAMS] = {ratio, 0};
    sn_vec3 gradient[4], turn[4];
    sn_eval_in at = *in;
    at.param = now;
    at.state = NULL;
    eval(&at, &(sn_eval_out){.c = c, .gradient = gradient, .turn = turn});
    param[RATIO] = ratio;
    param[PHASE] = -c[0];
}

static void measure_gear(const sn_eval_in *in, sn_real *param)
{
    measure(in, param, SN_LANES_EVAL(joint_gear));
}

static void measure_rack(const sn_eval_in *in, sn_real *param)
{
    measure(in, param, SN_LANES_EVAL(joint_rack));
}

const sn_kind sn_kind_joint_gear = {
    .name = "joint_gear",
    .about = "Gears: the turn of b against a about the x axis of a, and ratio times that of d against c, make up a "
             "constant. The points are "
             "those of two hinges.",
    .formula = "C = turn of b against a about x of a, and ratio times that of d against c, and phase",
    .unit = "rad",
    .points = 4,
    .rows = 1,
    .internal = true,
    .param = {{.name = "ratio", .unit = "1", .least = -SN_JOINT_MOST, .most = SN_JOINT_MOST},
              {.name = "phase", .unit = "rad"}},
    .eval = SN_LANES_EVAL(joint_gear),
    .lanes = SN_LANES_TABLE(joint_gear),
    .measure = measure_gear,
    .oriented = true,
    .state = STATE,
    .settle = settle_gear,
};

const sn_kind sn_kind_joint_rack = {
    .name = "joint_rack",
    .about = "Rack and pinion: ratio times the turn of b against a about the x axis of a, and how far d is along the x "
             "axis of c, make up a "
             "constant. The points are those of a hinge and a slider.",
    .formula = "C = ratio times the turn of b against a about x of a, and d - c along x of c, and phase",
    .unit = "m",
    .points = 4,
    .rows = 1,
    .internal = true,
    .param = {{.name = "ratio", .unit = "m/rad", .least = -SN_JOINT_MOST, .most = SN_JOINT_MOST},
              {.name = "phase", .unit = "m"}},
    .eval = SN_LANES_EVAL(joint_rack),
    .lanes = SN_LANES_TABLE(joint_rack),
    .measure = measure_rack,
    .oriented = true,
    .state = STATE,
    .settle = settle_rack,
};
#endif
