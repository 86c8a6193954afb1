/* A universal joint with two crossed axes, as between two shafts: the points coincide, and the y axis of a stays normal
   to the z axis of b. So b rotates about both, and a rotation of a about its x axis is transmitted to b about its own.

       C = (e_i . (b - a);   the angle of z_b with the plane normal to y_a; the angle between the x axes)

   With z_b = (X, Y, Z) as seen from a, and d z_b = t x z_b for a small rotation t of b,

       C_3 = atan2(-Y, sqrt(X^2 + Z^2)),     g = (Z, 0, -X) / sqrt(X^2 + Z^2),

   which near rest is the twist. The last row is inactive until the swing comes near its limit. */
#define SN_LANE_DOUBLE 0
#include "constraints/joint.h"

enum { SWING_MOST, LINEAR, ANGULAR = LINEAR + 2, PARAMS = ANGULAR + 2 };

static void eval_universal(const lanes_in *in, lanes_out *out)
{
    const lanes zero = lanes_all(0), one = lanes_all(1), *p = in->param;
    joint_pose pose = joint_look(in);
    joint_turn swing[2];
    lanes3 z = joint_z_axis(&pose);
    lanes across = lanes_sqrt(z.x * z.x + z.z * z.z), inverse = one / across, along[2];
    flags exists = lanes_above(across, lanes_all(1e-6)); /* where it does not, the axes coincide, and any direction back
                                                            will do */
    joint_turn twist = {lanes_atan2(-z.y, across), joint_to_world(&pose, lanes_choose(exists, z.z * inverse, one), zero,
                                                                  lanes_keep(exists, -z.x * inverse))};
    joint_drive drive = joint_no_drive();
    lanes t = joint_lean(&pose, swing);
    flags radial = joint_see_swing(swing, t, p[SWING_MOST], along);
    joint_lock_place(out, &pose, 0, p + LINEAR);
    joint_lock_turns(out, 3, 1, &twist, p + ANGULAR);
    drive.most = lanes_choose(radial, p[SWING_MOST], drive.most);
    joint_write_swing(out, 4, swing, along[0], along[1]);
    joint_apply(out, 4, &drive);
}

SN_LANES(joint_universal, eval_universal, 2, 5, PARAMS, 0)

#if !SN_VECTOR
const sn_kind sn_kind_joint_universal = {
    .name = "joint_universal",
    .about =
        "A universal joint of two shafts, the x axes of its points: these stay in one place, and b turns about the y "
        "axis of a and "
        "about its own z axis, which stay normal to each other. By how much the shafts lean apart may have a limit.",
    .formula = "C = (b - a along the axes of a; the angle by which z of b leans out of the plane across y of a; the "
               "angle between the x "
               "axes)",
    .unit = "m, rad",
    .points = 2,
    .rows = 5,
    .internal = true,
    .param = {{.name = "swing",
               .unit = "rad",
               .has_default = true,
               .default_value = (sn_real)MATH_PI,
               .least = 0,
               .most = (sn_real)MATH_PI},
              SN_JOINT_LINEAR,
              SN_JOINT_ANGULAR},
    .eval = SN_LANES_EVAL(joint_universal),
    .lanes = SN_LANES_TABLE(joint_universal),
    .oriented = true,
    .pivot = SN_PIVOT_POINT,
    .own_rows = true,
    .bounded = 1u << 4,
};
#endif
