/* Common code of joints: the relative pose of two points with axes, and the rows that follow from it.

   a and b are the points, x, y, z the axes of a in the world (those of b when the joint is at rest), p = x_b - x_a, and
   R the orientation of the axes of b relative to those of a, a quaternion (v, w). Everything is relative to a, so that
   no C changes when everything is moved or rotated together. So joints conserve momentum and angular momentum, whatever
   their errors.

   - Along an axis of a: C = e . p, gradients for the positions -e and e, for a rotation of a: e x p.
   - A function of R alone has the derivative g for a rotation of b and -g for a rotation of a. If b is rotated by a
     small t, seen from a, then dv = (w t + t x v) / 2 and dw = -t . v / 2.
   - The twist about x, 2 atan2(v_x, w): g = (1, (w v_z + v_x v_y) / n, (v_x v_z - w v_y) / n), n = v_x^2 + w^2. This is
     the angle of a hinge, also if its axes are not quite aligned.
   - The swing s: the rotation from the x axis of a to that of b, as axis times angle. It is normal to x. With (c, u, v)
     the x axis of b seen from a, and f = t / sin t, c = cos t: s_y = -f v, s_z = f u. For a rotation of b, seen from a,
     c changes by (0, v, -u), u by (-v, 0, c) and v by (u, -c, 0), which are x_b x x, x_b x y and x_b x
     z, and f by f' = -(sin t - t cos t) / sin^3 t per unit of c.
   - The whole rotation as axis times angle, r = t n: dr = t_b + t_b x r / 2 + k r x (r x t_b), with k = 1/t^2 -
     cot(t/2)
     / (2 t), the inverse of the left Jacobian of rotations. */
#ifndef SN_CONSTRAINTS_JOINT_H
#define SN_CONSTRAINTS_JOINT_H

#include "base/math.h"
#include "constraints/table.h"

#include <sinew/joints.h>
#include <sinew/lanes.h>

typedef struct joint_pose {
    lanes3 p;       /* m: from a to b */
    lanes3 axis[3]; /* of a */
    lanes4 r;       /* orientation of b relative to a; w is not negative */
} joint_pose;

SN_LANES_INLINE lanes4 joint_scale(lanes4 a, lanes s)
{
    return (lanes4){a.x * s, a.y * s, a.z * s, a.w * s};
}

/* Normalises. A squared length near 1, as usual, needs only three terms of a series. */
SN_LANES_INLINE lanes4 joint_unit(lanes4 q)
{
    const lanes one = lanes_all(1);
    lanes beyond = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - one;
    lanes scale = one - beyond * (lanes_all(0.5) - lanes_all(0.375) * beyond);
    flags near = lanes_above(lanes_all(1e-5), lanes_abs(beyond));
    if (!flags_all(near))
        scale = lanes_choose(near, scale, one / lanes_sqrt(one + beyond));
    return joint_scale(q, scale);
}

SN_LANES_INLINE lanes4 joint_inverse(lanes4 q)
{
    return (lanes4){-q.x, -q.y, -q.z, q.w};
}

/* The product: first b, then a. */
SN_LANES_INLINE lanes4 joint_times(lanes4 a, lanes4 b)
{
    return (lanes4){a.w * b.x + a.x * b.w + (a.y * b.z - a.z * b.y), a.w * b.y + a.y * b.w + (a.z * b.x - a.x * b.z),
                    a.w * b.z + a.z * b.w + (a.x * b.y - a.y * b.x), a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/* The same rotation with a scalar part that is not negative. */
SN_LANES_INLINE lanes4 joint_short(lanes4 q)
{
    return joint_scale(q, lanes_choose(lanes_above(lanes_all(0), q.w), lanes_all(-1), lanes_all(1)));
}

SN_LANES_INLINE joint_pose joint_look(const lanes_in *in)
{
    const lanes one = lanes_all(1), two = lanes_all(2);
    lanes4 q = joint_unit(in->q[0]), r = joint_times(joint_inverse(q), joint_unit(in->q[1]));
    lanes xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    lanes wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (joint_pose){lanes3_sub(in->x[1], in->x[0]),
                        {{one - two * (yy + zz), two * (xy + wz), two * (xz - wy)},
                         {two * (xy - wz), one - two * (xx + zz), two * (yz + wx)},
                         {two * (xz + wy), two * (yz - wx), one - two * (xx + yy)}},
                        joint_short(r)};
}

/* A vector along the axes of a, in the world. */
SN_LANES_INLINE lanes3 joint_to_world(const joint_pose *pose, lanes x, lanes y, lanes z)
{
    lanes3 sum = lanes3_add(lanes3_scale(pose->axis[0], x), lanes3_scale(pose->axis[1], y));
    return lanes3_add(sum, lanes3_scale(pose->axis[2], z));
}

/* ---- Angles ------------------------------------------------------------------------------------------------------ */

/* An angle, and its derivative for a rotation of b, in the world. */
typedef struct joint_turn {
    lanes value;
    lanes3 slope;
} joint_turn;

#define JOINT_PI ((double)(sn_real)MATH_PI) /* the largest angle that can be given */

/* rad: below this angle series are more precise than quotients of differences. */
#define JOINT_SMALL 1e-3

/* The twist about x. Where the x axes are opposite, it does not exist and counts as 0. */
SN_LANES_INLINE joint_turn joint_twist(const joint_pose *pose)
{
    lanes x = pose->r.x, y = pose->r.y, z = pose->r.z, w = pose->r.w, n = x * x + w * w, inverse = lanes_all(1) / n;
    flags exists = lanes_above(n, lanes_all(1e-12));
    lanes by_y = lanes_keep(exists, (w * z + x * y) * inverse), by_z = lanes_keep(exists, (x * z - w * y) * inverse);
    /* w is not negative, so the result is between -pi and pi. */
    return (joint_turn){lanes_keep(exists, lanes_all(2) * lanes_atan2(x, w)),
                        joint_to_world(pose, lanes_all(1), by_y, by_z)};
}

/* The swing about y and z. Returns its angle, 0 to pi. */
SN_LANES_INLINE lanes joint_lean(const joint_pose *pose, joint_turn swing[2])
{
    const lanes zero = lanes_all(0), one = lanes_all(1), two = lanes_all(2);
    lanes x = pose->r.x, y = pose->r.y, z = pose->r.z, w = pose->r.w;
    lanes c = one - two * (y * y + z * z), u = two * (x * y + w * z), v = two * (x * z - w * y);
    lanes sine = lanes_sqrt(u * u + v * v), t = lanes_atan2(sine, c), tt = t * t, inverse = one / sine;
    flags small = lanes_above(lanes_all(JOINT_SMALL), t);
    lanes f = lanes_choose(small, one + tt * lanes_all(1.0 / 6), t * inverse);
    lanes df = lanes_choose(small, lanes_all(-1.0 / 3) - tt * lanes_all(2.0 / 15),
                            (t * c - sine) * (inverse * inverse * inverse));
    /* Opposite axes: any direction back will do. */
    flags back = lanes_above(zero, c) & ~lanes_above(sine, lanes_all(1e-6));
    swing[0].value = lanes_choose(back, t, -f * v);
    swing[1].value = lanes_keep(~back, f * u);
    swing[0].slope = joint_to_world(pose, lanes_keep(~back, -f * u), lanes_choose(back, one, f * c - v * v * df),
                                    lanes_keep(~back, u * v * df));
    swing[1].slope = joint_to_world(pose, lanes_keep(~back, -f * v), lanes_keep(~back, u * v * df),
                                    lanes_choose(back, one, f * c - u * u * df));
    return t;
}

/* The direction of the first of the two rows of the swing, whose angle is t. Near the largest allowed swing it is the
   swing itself: then the result is true. Elsewhere it is y. */
SN_LANES_INLINE flags joint_see_swing(const joint_turn swing[2], lanes t, lanes most, lanes along[2])
{
    flags radial = lanes_above(lanes_all(JOINT_PI), most) & lanes_above(t, lanes_all(0)) &
                   lanes_at_least(t, most * lanes_all(0.5));
    along[0] = lanes_choose(radial, swing[0].value / t, lanes_all(1));
    along[1] = lanes_keep(radial, swing[1].value / t);
    return radial;
}

/* The z axis of b, seen from a. */
SN_LANES_INLINE lanes3 joint_z_axis(const joint_pose *pose)
{
    const lanes two = lanes_all(2);
    lanes x = pose->r.x, y = pose->r.y, z = pose->r.z, w = pose->r.w;
    return (lanes3){two * (x * z + w * y), two * (y * z - w * x), lanes_all(1) - two * (x * x + y * y)};
}

/* The whole rotation as axis times angle, along the axes of a, relative to a rest rotation `from` (axis times angle);
   NULL: the identity. */
SN_LANES_INLINE void joint_whole_turn(const joint_pose *pose, const lanes3 *from, joint_turn turn[3])
{
    const lanes zero = lanes_all(0), one = lanes_all(1), half = lanes_all(0.5);
    lanes4 r = pose->r;
    if (from) {
        lanes angle = lanes3_length(*from), w, scale = lanes_sine(angle * half, &w) / angle;
        scale = lanes_choose(lanes_above(angle, zero), scale, half);
        lanes4 rest = {from->x * scale, from->y * scale, from->z * scale, w};
        r = joint_short(joint_times(r, joint_inverse(rest)));
    }
    lanes3 v = {r.x, r.y, r.z};
    lanes sine = lanes3_length(v), t = lanes_all(2) * lanes_atan2(sine, r.w), tt = t * t;
    flags small = lanes_above(lanes_all(JOINT_SMALL), t);
    lanes k = lanes_choose(small, lanes_all(1.0 / 12) + tt * lanes_all(1.0 / 720),
                           one / tt - r.w / (lanes_all(2) * t * sine));
    lanes3 a = lanes3_scale(v, lanes_choose(small, lanes_all(2) + tt * lanes_all(1.0 / 12), t / sine));
    /* The image of an axis e under the transpose of t_b -> t_b + t_b x r / 2 + k r x (r x t_b): e + r x e / 2 + k (r (r
       . e) - e r^2) */
    lanes3 h = lanes3_scale(a, half), ka = lanes3_scale(a, k);
    lanes same = one - lanes3_dot(a, ka);
    turn[0] = (joint_turn){a.x, joint_to_world(pose, same + a.x * ka.x, a.x * ka.y + h.z, a.x * ka.z - h.y)};
    turn[1] = (joint_turn){a.y, joint_to_world(pose, a.y * ka.x - h.z, same + a.y * ka.y, a.y * ka.z + h.x)};
    turn[2] = (joint_turn){a.z, joint_to_world(pose, a.z * ka.x + h.y, a.z * ka.y - h.x, same + a.z * ka.z)};
}

/* The equivalent angle on the circle that is nearest to the arc from least to most: slightly past most rather than far
   before least. A single limit, with the other infinite, is no arc. */
SN_LANES_INLINE lanes joint_near_arc(lanes angle, lanes least, lanes most)
{
    const lanes circle = lanes_all(2 * MATH_PI), endless = lanes_all((double)INFINITY);
    flags arc = lanes_above(least, -endless) & lanes_above(endless, most);
    flags below = lanes_above(least, angle) & lanes_above(least - angle, angle + circle - most);
    flags above = lanes_above(angle, most) & lanes_above(angle - most, least - (angle - circle));
    return angle + (lanes_keep(arc & below, circle) - lanes_keep(arc & above, circle));
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* C = axis . p. */
SN_LANES_INLINE void joint_write_along(lanes_out *out, uint32_t row, const joint_pose *pose, uint32_t axis)
{
    lanes3 e = pose->axis[axis];
    lanes_write_pair(out, row, lanes3_dot(e, pose->p), lanes3_negate(e));
    out->turn[2 * row] = lanes3_cross(e, pose->p);
}

/* C = a value that depends only on rotations. */
SN_LANES_INLINE void joint_write_turn(lanes_out *out, uint32_t row, joint_turn turn)
{
    out->c[row] = turn.value;
    out->turn[2 * row] = lanes3_negate(turn.slope);
    out->turn[2 * row + 1] = turn.slope;
}

/* Makes rows equalities with a pair of parameters: compliance and damping. */
SN_LANES_INLINE void joint_lock(lanes_out *out, uint32_t first, uint32_t count, const lanes *give)
{
    for (uint32_t i = first; i < first + count; ++i) {
        out->row[i].compliance = give[0];
        out->row[i].damping = give[1];
    }
}

/* Locked rows along the axes from `axis` on: all, or y and z. */
SN_LANES_INLINE void joint_lock_place(lanes_out *out, const joint_pose *pose, uint32_t axis, const lanes *give)
{
    for (uint32_t i = axis; i < 3; ++i)
        joint_write_along(out, i - axis, pose, i);
    joint_lock(out, 0, 3 - axis, give);
}

/* Locked rows of `count` angles. */
SN_LANES_INLINE void joint_lock_turns(lanes_out *out, uint32_t first, uint32_t count, const joint_turn *turn,
                                      const lanes *give)
{
    for (uint32_t i = 0; i < count; ++i)
        joint_write_turn(out, first + i, turn[i]);
    joint_lock(out, first, count, give);
}

/* The drive of a row that is not locked. */
typedef struct joint_drive {
    lanes target, target_most, target_compliance, target_damping;
    lanes speed, speed_most;
    lanes friction;
    lanes back;        /* speed at which friction returns to its hold position; see sn_joint_hold */
    lanes least, most; /* limits; infinite: none */
} joint_drive;

/* Completes a row whose c is the angle or displacement itself: with a target, a speed or friction, and with limits. A
   target has precedence over a speed, a speed over friction. */
SN_LANES_INLINE void joint_apply(lanes_out *out, uint32_t row, const joint_drive *drive)
{
    const lanes zero = lanes_all(0), endless = lanes_all((double)INFINITY);
    lanes_row *r = &out->row[row];
    flags aims = lanes_above(drive->target_most, zero), runs = ~aims & lanes_above(drive->speed_most, zero);
    flags tangential = ~(aims | runs) & lanes_above(drive->friction, zero);
    flags ends = lanes_above(drive->least, -endless), limited = ends | lanes_above(endless, drive->most);
    lanes offset = lanes_keep(aims, drive->target), low = drive->least - offset, high = drive->most - offset;
    /* equal limits at the target make a lock */
    flags locked = ends & ~lanes_unequal(low, zero) & ~lanes_unequal(high, zero);
    r->rate = (runs | tangential) & ~locked;
    r->rest = ~(aims | runs | tangential | locked);
    r->compliance = lanes_keep(aims & ~locked, drive->target_compliance);
    r->damping = lanes_keep(aims & ~locked, drive->target_damping);
    r->speed = lanes_keep(~locked, lanes_choose(runs, drive->speed, lanes_keep(tangential, drive->back)));
    r->most = lanes_choose(aims, drive->target_most,
                           lanes_choose(runs, drive->speed_most, lanes_keep(tangential, drive->friction)));
    r->most = lanes_keep(~locked & lanes_above(lanes_all((double)SN_JOINT_MOST), r->most), r->most); /* 0: unlimited */
    r->low = lanes_keep(limited, low);
    r->high = lanes_keep(limited, high);
    out->c[row] = lanes_as_stored(out->c[row]) - offset; /* so that a measured target is reached to the last bit */
}

/* A row of the swing: y times its component about y plus z times that about z. */
SN_LANES_INLINE void joint_write_swing(lanes_out *out, uint32_t row, const joint_turn swing[2], lanes y, lanes z)
{
    joint_write_turn(out, row,
                     (joint_turn){y * swing[0].value + z * swing[1].value,
                                  lanes3_add(lanes3_scale(swing[0].slope, y), lanes3_scale(swing[1].slope, z))});
}

/* A drive without any effect. */
SN_LANES_INLINE joint_drive joint_no_drive(void)
{
    const lanes zero = lanes_all(0), endless = lanes_all((double)INFINITY);
    return (joint_drive){zero, zero, zero, zero, zero, zero, zero, zero, -endless, endless};
}

/* The row demands a speed, with at most this much force; SN_JOINT_MOST: unlimited. */
SN_LANES_INLINE void joint_ask_for_speed(lanes_out *out, lanes speed, lanes most)
{
    out->row[0].rate = lanes_above(most, lanes_all(0));
    out->row[0].rest = ~out->row[0].rate;
    out->row[0].speed = speed;
    out->row[0].most = lanes_keep(lanes_above(lanes_all((double)SN_JOINT_MOST), most), most);
}

/* ---- Parameters ------------------------------------------------------------------------------------------------- */

#define SN_JOINT_NUMBER(NAME, UNIT, DEFAULT)                                                                           \
    {                                                                                                                  \
        .name = NAME, .unit = UNIT, .has_default = true, .default_value = DEFAULT, .most = SN_JOINT_MOST               \
    }
/* Compliance and damping of locked rows. */
#define SN_JOINT_LINEAR SN_JOINT_NUMBER("linear_compliance", "m/N", 0), SN_JOINT_NUMBER("linear_damping", "N s/m", 0)
#define SN_JOINT_ANGULAR                                                                                               \
    SN_JOINT_NUMBER("angular_compliance", "rad/(N m)", 0), SN_JOINT_NUMBER("angular_damping", "N m s", 0)

#define SN_JOINT_LIMIT(NAME, UNIT, BOUND, DEFAULT)                                                                     \
    {                                                                                                                  \
        .name = NAME, .unit = UNIT, .has_default = true, .default_value = DEFAULT, .least = -(BOUND), .most = BOUND    \
    }
#define SN_JOINT_SPEED(NAME, UNIT) SN_JOINT_LIMIT(NAME, UNIT, SN_JOINT_MOST, 0)

/* The parameters of a joint with one free axis, in the order of joint_read_drive. */
#define SN_JOINT_AXIS(UNIT, FORCE, RATE, COMPLIANCE, DAMPING, BOUND)                                                   \
    SN_JOINT_LIMIT("least", UNIT, BOUND, -(BOUND)), SN_JOINT_LIMIT("most", UNIT, BOUND, BOUND),                        \
        {.name = "target", .unit = UNIT, .least = -(BOUND), .most = BOUND}, SN_JOINT_NUMBER("target_most", FORCE, 0),  \
        SN_JOINT_NUMBER("target_compliance", COMPLIANCE, 0), SN_JOINT_NUMBER("target_damping", DAMPING, 0),            \
        SN_JOINT_SPEED("speed", RATE), SN_JOINT_NUMBER("speed_most", FORCE, 0), SN_JOINT_NUMBER("friction", FORCE, 0)
#define SN_JOINT_AXIS_PARAMS      9
#define SN_JOINT_AXIS_TARGET_MOST 4 /* their numbers, counted from 1 */
#define SN_JOINT_AXIS_FRICTION    9
#define SN_JOINT_DISPLACEMENT     SN_JOINT_AXIS("m", "N", "m/s", "m/N", "N s/m", SN_JOINT_MOST)
#define SN_JOINT_ANGLE            SN_JOINT_AXIS("rad", "N m", "rad/s", "rad/(N m)", "N m s", (sn_real)MATH_PI)

/* Limits at `bound` or beyond count as none. */
SN_LANES_INLINE void joint_read_limits(joint_drive *drive, lanes least, lanes most, double bound)
{
    drive->least = lanes_choose(lanes_above(least, lanes_all(-bound)), least, lanes_all(-(double)INFINITY));
    drive->most = lanes_choose(lanes_above(lanes_all(bound), most), most, lanes_all((double)INFINITY));
}

/* A drive towards a target. param: greatest force, compliance and damping. */
SN_LANES_INLINE joint_drive joint_read_target(const lanes *target, const lanes *param)
{
    joint_drive drive = joint_no_drive();
    drive.target = target[0];
    drive.target_most = param[0];
    drive.target_compliance = param[1];
    drive.target_damping = param[2];
    return drive;
}

SN_LANES_INLINE joint_drive joint_read_drive(const lanes *param, double bound)
{
    joint_drive drive = joint_read_target(param + 2, param + 3);
    drive.speed = param[6];
    drive.speed_most = param[7];
    drive.friction = param[8];
    joint_read_limits(&drive, param[0], param[1], bound);
    return drive;
}

/* Checks the parameters together. The error; NULL: none. */
const char *sn_joint_check_drive(const sn_real *param);

/* ---- Friction -------------------------------------------------------------------------------------------------------

   Friction is a row that demands speed 0 with a limited force. That alone does not hold a load: in a pass other joints
   are solved after it, so a little speed is left, always in the direction of the load, and an arm held out by friction
   sinks. So a joint with friction stores a hold position. It undoes displacement from there, a share in each substep,
   with the same force. It keeps this position until it exerts its greatest force and is moved against it. Then it
   slips, and a new position is stored where the slip ends. */

/* The state for n angles or displacements: 1 if there is a hold position, the position, and the speeds to return to
   it. */
#define SN_JOINT_HOLD(n) (1 + 2 * (n))

/* The return speed of axis i of n. 0 if no position is stored. */
SN_LANES_INLINE lanes joint_back(const lanes_in *in, uint32_t n, uint32_t i)
{
    return in->state ? in->state[1 + n + i] : lanes_all(0);
}

/* The row of the one free axis of a joint, with the parameters of SN_JOINT_AXIS: the displacement of b along x. */
SN_LANES_INLINE void joint_drive_displacement(const lanes_in *in, lanes_out *out, uint32_t row, const joint_pose *pose)
{
    joint_drive drive = joint_read_drive(in->param, (double)SN_JOINT_MOST);
    drive.back = joint_back(in, 1, 0);
    joint_write_along(out, row, pose, 0);
    joint_apply(out, row, &drive);
}

/* The same for an angle. Without limits the target is reached the short way round, with limits on the allowed side. */
SN_LANES_INLINE void joint_drive_angle(const lanes_in *in, lanes_out *out, uint32_t row, joint_turn turn)
{
    joint_drive drive = joint_read_drive(in->param, JOINT_PI);
    flags limited =
        lanes_above(drive.least, lanes_all(-(double)INFINITY)) | lanes_above(lanes_all((double)INFINITY), drive.most);
    drive.target = lanes_choose(limited, drive.target, joint_near_arc(drive.target, turn.value, turn.value));
    turn.value = joint_near_arc(turn.value, drive.least, drive.most);
    drive.back = joint_back(in, 1, 0);
    joint_write_turn(out, row, turn);
    joint_apply(out, row, &drive);
}

/* The share of the displacement that is undone in a substep. */
#define SN_JOINT_UNDO 0.5

/* Call it at the end of a substep, with the present values of the axes. If one axis slips, all do. `turns`: they are
   angles, which repeat after a circle. */
void sn_joint_hold(const sn_eval_in *in, sn_real h, uint32_t n, const double *value, bool slips, bool turns);

/* The displacement of axis i from its hold position. */
double sn_joint_moved(const sn_eval_in *in, uint32_t i, double value, bool turns);

/* The same for one axis with the parameters of SN_JOINT_AXIS, whose row is the last of `rows`. */
void sn_joint_hold_axis(const sn_eval_in *in, sn_real h, double value, uint32_t rows, bool turns);

/* m, rad: the displacement of a joint with six degrees of freedom along x, y, z of a (axis 0 to 2), or its angle about
   them. */
double sn_joint_six_value(const sn_eval_in *in, uint32_t axis);

/* rad: the angle of a wheel about its axle. */
double sn_joint_wheel_angle(const sn_eval_in *in);

/* True if one of n rows exerts the full friction force and was moved against it from its hold position. */
bool sn_joint_slips(const sn_real *exerted, const double *moved, uint32_t n, double friction);

#if !SN_VECTOR
/* The pose of a single joint. */
static inline joint_pose joint_look_at(const sn_eval_in *in)
{
    const lanes3 x[2] = {lanes3_from(in->x[0]), lanes3_from(in->x[1])};
    const lanes4 q[2] = {lanes4_from(in->q[0]), lanes4_from(in->q[1])};
    return joint_look(&(lanes_in){.x = x, .q = q});
}

/* m: displacement of b along x. */
static inline double joint_displacement_at(const sn_eval_in *in)
{
    joint_pose pose = joint_look_at(in);
    return (double)lanes3_dot(pose.axis[0], pose.p);
}
#endif

#endif
