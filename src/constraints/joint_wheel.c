/* A wheel with suspension: b slides along the x axis of a, on a spring. It is steered about that axis, and spins about
   its own z axis, the axle, which stays normal to the x axis of a.

       C = (e_y . (b - a), e_z . (b - a);   camber;   steering angle;   e_x . (b - a);   spin)

   With the axle z_b = (X, Y, Z) as seen from a, n = Y^2 + Z^2 and d z_b = t x z_b for a small rotation t of b,

       camber    atan2(X, sqrt(n)),   g = (0, Z, -Y) / sqrt(n)
       steering  atan2(-Y, Z),        g = (1, -X Y / n, -X Z / n)

   For the spin only the rate matters, with g = z_b. Where the axle is along x, which the camber row prevents, the
   steering angle does not exist and counts as 0. */
#define SN_LANE_DOUBLE 0
#include "constraints/joint.h"

enum {
    LEAST,
    MOST,
    REST,
    SPRING_COMPLIANCE,
    SPRING_DAMPING,
    TARGET,
    TARGET_MOST,
    SPEED = TARGET_MOST + 3,
    SPEED_MOST,
    FRICTION,
    LINEAR,
    ANGULAR = LINEAR + 2,
    PARAMS = ANGULAR + 2
};

enum { CAMBER = 2, STEERING, WAY, SPIN, ROWS };

/* The angle of the axle about x, whether it exists, and 1 / sqrt(n). */
SN_LANES_INLINE lanes steering(lanes3 axle, lanes *inverse, flags *exists)
{
    lanes across = lanes_sqrt(axle.y * axle.y + axle.z * axle.z);
    *exists = lanes_above(across, lanes_all(1e-6));
    *inverse = lanes_keep(*exists, lanes_all(1) / across);
    return lanes_keep(*exists, lanes_atan2(-axle.y, axle.z));
}

static void eval_wheel(const lanes_in *in, lanes_out *out)
{
    const lanes zero = lanes_all(0), one = lanes_all(1), *p = in->param;
    joint_pose pose = joint_look(in);
    lanes3 axle = joint_z_axis(&pose);
    flags exists;
    lanes inverse, steer = steering(axle, &inverse, &exists);
    lanes y = lanes_choose(exists, axle.z * inverse, one), z = lanes_keep(exists, -axle.y * inverse),
          lean = axle.x * inverse;
    joint_turn camber = {lanes_atan2(axle.x, lanes_sqrt(axle.y * axle.y + axle.z * axle.z)),
                         joint_to_world(&pose, zero, y, z)};
    joint_lock_place(out, &pose, 1, p + LINEAR);
    joint_lock_turns(out, CAMBER, 1, &camber, p + ANGULAR);
    /* -X Y / n and -X Z / n, with y = Z / sqrt(n) and z = -Y / sqrt(n). */
    joint_write_turn(out, STEERING, (joint_turn){steer, joint_to_world(&pose, one, lean * z, -lean * y)});
    joint_drive drive = joint_read_target(p + TARGET, p + TARGET_MOST);
    drive.target = joint_near_arc(drive.target, steer, steer);
    joint_apply(out, STEERING, &drive);
    const lanes spring[3] = {lanes_all((double)SN_JOINT_MOST), p[SPRING_COMPLIANCE], p[SPRING_DAMPING]};
    drive = joint_read_target(p + REST, spring);
    joint_read_limits(&drive, p[LEAST], p[MOST], (double)SN_JOINT_MOST);
    joint_write_along(out, WAY, &pose, 0);
    joint_apply(out, WAY, &drive);
    drive = joint_no_drive();
    drive.speed = p[SPEED];
    drive.speed_most = p[SPEED_MOST];
    drive.friction = p[FRICTION];
    drive.back = joint_back(in, 1, 0);
    joint_write_turn(out, SPIN, (joint_turn){zero, joint_to_world(&pose, axle.x, axle.y, axle.z)});
    joint_apply(out, SPIN, &drive);
}

SN_LANES(joint_wheel, eval_wheel, 2, ROWS, PARAMS, SN_JOINT_HOLD(1))

#if !SN_VECTOR
/* The rotation of b about its axle relative to the steered frame: the angle of x_b, from its components along x and
   along the steered y axis. */
double sn_joint_wheel_angle(const sn_eval_in *in)
{
    joint_pose pose = joint_look_at(in);
    lanes inverse, x = pose.r.x, y = pose.r.y, z = pose.r.z, w = pose.r.w;
    flags exists;
    lanes3 axle = joint_z_axis(&pose), b = {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)};
    steering(axle, &inverse, &exists);
    return (double)lanes_atan2((b.y * axle.z - b.z * axle.y) * inverse, b.x);
}

static void settle_wheel(const sn_eval_in *in, sn_real h)
{
    double angle = sn_joint_wheel_angle(in), moved = sn_joint_moved(in, 0, angle, true);
    if (!(in->param[SPEED_MOST] > 0))
        sn_joint_hold(in, h, 1, &angle, sn_joint_slips(in->exerted + SPIN, &moved, 1, (double)in->param[FRICTION]),
                      true);
}

static void measure_wheel(const sn_eval_in *in, sn_real *param)
{
    joint_pose pose = joint_look_at(in);
    lanes inverse;
    flags exists;
    param[REST] = (sn_real)joint_displacement_at(in);
    param[TARGET] = (sn_real)steering(joint_z_axis(&pose), &inverse, &exists);
}

static const char *check_wheel(const sn_real *param)
{
    return param[LEAST] > param[MOST] ? "'least' exceeds 'most'" : NULL;
}

const sn_kind sn_kind_joint_wheel = {
    .name = "joint_wheel",
    .about = "A wheel b with suspension: it slides along the x axis of a on a spring, between limits, is steered about "
             "that axis towards a "
             "target, and spins about its own z axis with a speed or with friction, the brake.",
    .formula =
        "C = (b - a along y and z of a; camber; steering angle; b - a along x of a; the turn of b about its z axis)",
    .unit = "m, rad",
    .points = 2,
    .rows = ROWS,
    .internal = true,
    .param = {SN_JOINT_LIMIT("least", "m", SN_JOINT_MOST, -SN_JOINT_MOST),
              SN_JOINT_LIMIT("most", "m", SN_JOINT_MOST, SN_JOINT_MOST),
              {.name = "rest", .unit = "m", .least = -SN_JOINT_MOST, .most = SN_JOINT_MOST},
              SN_JOINT_NUMBER("spring_compliance", "m/N", 0),
              SN_JOINT_NUMBER("spring_damping", "N s/m", 0),
              {.name = "target", .unit = "rad", .least = -(sn_real)MATH_PI, .most = (sn_real)MATH_PI},
              SN_JOINT_NUMBER("target_most", "N m", SN_JOINT_MOST),
              SN_JOINT_NUMBER("target_compliance", "rad/(N m)", 0),
              SN_JOINT_NUMBER("target_damping", "N m s", 0),
              SN_JOINT_SPEED("speed", "rad/s"),
              SN_JOINT_NUMBER("speed_most", "N m", 0),
              SN_JOINT_NUMBER("friction", "N m", 0),
              SN_JOINT_LINEAR,
              SN_JOINT_ANGULAR},
    .eval = SN_LANES_EVAL(joint_wheel),
    .lanes = SN_LANES_TABLE(joint_wheel),
    .measure = measure_wheel,
    .check = check_wheel,
    .oriented = true,
    .own_rows = true,
    .bounded = 7u << STEERING,
    .state = SN_JOINT_HOLD(1),
    .settle = settle_wheel,
    .settle_param = FRICTION + 1,
};
#endif
