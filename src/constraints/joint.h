/* What joints share: how two points with axes lie to each other, and the rows that this gives.

   a and b are the points, x, y, z the axes of a in the world (those of b when the joint is at rest), p = x_b - x_a,
   and R how the axes of b are turned as seen from those of a, a quaternion (v, w). All of it is seen from a, so that
   no C changes when everything is moved or turned together, and joints conserve momentum and angular momentum whatever
   they are missed by.

   - Along an axis of a:  C = e . p,  by the positions -e and e, by a turn of a:  e x p.
   - What depends on R alone has the derivative g by a turn of b and -g by one of a. If b is turned by a small t, seen
     from a, then dv = (w t + t x v) / 2 and dw = -t . v / 2.
   - The twist about x, 2 atan2(v_x, w):  g = (1, (w v_z + v_x v_y) / n, (v_x v_z - w v_y) / n),  n = v_x^2 + w^2. This
     is the angle of a hinge, also where its axes are not quite aligned.
   - The swing: by how much, s, the x axis of b is turned away from that of a, as axis times angle, which lies across
     x. With (c, u, v) the x axis of b seen from a, and f = t / sin t, c = cos t:  s_y = -f v, s_z = f u. By a turn of
     b, seen from a, c changes by (0, v, -u), u by (-v, 0, c) and v by (u, -c, 0), which are x_b x x, x_b x y and x_b x
     z, and f by f' = -(sin t - t cos t) / sin^3 t for a unit of c.
   - The whole turn as axis times angle, r = t n:  dr = t_b + t_b x r / 2 + k r x (r x t_b), with k = 1/t^2 - cot(t/2)
     / (2 t), the inverse of the left Jacobian of rotations. */
#ifndef SN_CONSTRAINTS_JOINT_H
#define SN_CONSTRAINTS_JOINT_H

#include "base/dvec.h"
#include "base/math.h"
#include "constraints/table.h"

#include <sinew/joints.h>

typedef struct sn_joint_pose {
    sn_dvec3 p;       /* m: from a to b */
    sn_dvec3 axis[3]; /* of a */
    sn_dvec3 v;       /* how b is turned as seen from a: vector, */
    double w;         /*   and scalar part, which is not negative */
} sn_joint_pose;

sn_joint_pose sn_joint_look(const sn_eval_in *in);

/* An angle or a length with its derivative by a turn of b, in the world. */
typedef struct sn_joint_turn {
    double value;
    sn_dvec3 slope;
} sn_joint_turn;

sn_joint_turn sn_joint_twist(const sn_joint_pose *pose);

/* About y and z; returns the angle, 0 to pi. */
double sn_joint_lean(const sn_joint_pose *pose, sn_joint_turn swing[2]);

/* As axis times angle, along the axes of a, from a pose that is turned by `from` (axis times angle) at rest. */
void sn_joint_whole_turn(const sn_joint_pose *pose, sn_dvec3 from, sn_joint_turn turn[3]);

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* How the rows that a joint locks give: the first of a pair of parameters, compliance and damping. */
typedef const sn_real *sn_joint_give;

/* C = axis . p. */
static inline void sn_joint_write_along(const sn_eval_out *out, uint32_t row, const sn_joint_pose *pose, uint32_t axis)
{
    sn_dvec3 e = pose->axis[axis];
    out->c[row] = (sn_real)dvec3_dot(e, pose->p);
    out->gradient[2 * row + 1] = dvec3_round(e);
    out->gradient[2 * row] = vec3_scale(out->gradient[2 * row + 1], -1);
    out->turn[2 * row] = dvec3_round(dvec3_cross(e, pose->p));
}

/* C = a value that depends on turns alone. */
static inline void sn_joint_write_turn(const sn_eval_out *out, uint32_t row, const sn_joint_turn *turn)
{
    out->c[row] = (sn_real)turn->value;
    out->turn[2 * row + 1] = dvec3_round(turn->slope);
    out->turn[2 * row] = vec3_scale(out->turn[2 * row + 1], -1);
}

/* The row is an equality, and gives so. */
static inline void sn_joint_lock(const sn_eval_out *out, uint32_t row, sn_joint_give give)
{
    out->row[row].compliance = give[0];
    out->row[row].damping = give[1];
}

/* Locked rows along all axes, or along y and z. */
static inline void sn_joint_lock_place(const sn_eval_out *out, uint32_t first, const sn_joint_pose *pose,
                                       sn_joint_give give)
{
    for (uint32_t i = 0; i < 3; ++i) {
        sn_joint_write_along(out, first + i, pose, i);
        sn_joint_lock(out, first + i, give);
    }
}

static inline void sn_joint_lock_across(const sn_eval_out *out, uint32_t first, const sn_joint_pose *pose,
                                        sn_joint_give give)
{
    for (uint32_t i = 0; i < 2; ++i) {
        sn_joint_write_along(out, first + i, pose, 1 + i);
        sn_joint_lock(out, first + i, give);
    }
}

/* What is done about a row that is not locked. */
typedef struct sn_joint_drive {
    double target, target_most, target_compliance, target_damping;
    double speed, speed_most;
    double friction;
    double back;        /* at which speed friction goes back to where it holds; see sn_joint_hold */
    double least, most; /* limits; infinite: none */
} sn_joint_drive;

/* Completes a row whose c is the angle or way itself: towards a target, or at a speed, or with friction; within
   limits. */
void sn_joint_apply(const sn_eval_out *out, uint32_t row, const sn_joint_drive *drive);

/* ---- Friction -------------------------------------------------------------------------------------------------------

   Friction is a row whose speed is to be 0 if so much force can do it. That alone does not hold: in a pass other joints have
   their turn after it, so a little speed is left, always in the direction of the load, and an arm that is held out by friction
   sinks. So a joint with friction remembers where it holds, and what it was moved by since it undoes, a share in each substep,
   with the same force. It holds there until it exerts all that it may, and is moved against that: then it slips, and holds wherever
   that ends. */

/* What it remembers of n angles or ways: 1 if it holds, where, and the speeds to go back there. */
#define SN_JOINT_HOLD(n) (1 + 2 * (n))

/* The end of a substep: axes have these values now; if one slips, all do. `turns`: they are angles, of which the same come again after
   a circle. */
void sn_joint_hold(const sn_eval_in *in, sn_real h, uint32_t n, const double *value, bool slips, bool turns);

/* By how much axis i was moved since it holds. */
double sn_joint_moved(const sn_eval_in *in, uint32_t i, double value, bool turns);

/* The speed of axis i of n; 0 if nothing is remembered. */
static inline double sn_joint_back(const sn_eval_in *in, uint32_t n, uint32_t i)
{
    return in->state ? (double)in->state[1 + n + i] : 0;
}

/* The same, where there is one axis, with the parameters of SN_JOINT_AXIS, and its row is the last of so many. */
void sn_joint_hold_axis(const sn_eval_in *in, sn_real h, double value, uint32_t rows, bool turns);

/* Whether one of n rows exerts all that friction may, and was moved against that since it holds. */
bool sn_joint_slips(const sn_real *exerted, const double *moved, uint32_t n, double friction);

/* The share of what it was moved by that it undoes in a substep. */
#define SN_JOINT_UNDO 0.5

/* ---- Parameters ------------------------------------------------------------------------------------------------- */

#define SN_JOINT_NUMBER(NAME, UNIT, DEFAULT)                                                                           \
    {                                                                                                                  \
        .name = NAME, .unit = UNIT, .has_default = true, .default_value = DEFAULT, .most = SN_JOINT_MOST               \
    }
/* compliance and damping of what is locked */
#define SN_JOINT_LINEAR SN_JOINT_NUMBER("linear_compliance", "m/N", 0), SN_JOINT_NUMBER("linear_damping", "N s/m", 0)
#define SN_JOINT_ANGULAR                                                                                               \
    SN_JOINT_NUMBER("angular_compliance", "rad/(N m)", 0), SN_JOINT_NUMBER("angular_damping", "N m s", 0)

#define SN_JOINT_LIMIT(NAME, UNIT, BOUND, DEFAULT)                                                                     \
    {                                                                                                                  \
        .name = NAME, .unit = UNIT, .has_default = true, .default_value = DEFAULT, .least = -(BOUND), .most = BOUND    \
    }
#define SN_JOINT_SPEED(UNIT)                                                                                           \
    {                                                                                                                  \
        .name = "speed", .unit = UNIT, .has_default = true, .least = -SN_JOINT_MOST, .most = SN_JOINT_MOST             \
    }

/* The parameters of a single free axis, in the order of sn_joint_read_drive. */
#define SN_JOINT_AXIS(UNIT, FORCE, RATE, COMPLIANCE, DAMPING, BOUND)                                                   \
    SN_JOINT_LIMIT("least", UNIT, BOUND, -(BOUND)), SN_JOINT_LIMIT("most", UNIT, BOUND, BOUND),                        \
        {.name = "target", .unit = UNIT, .least = -(BOUND), .most = BOUND}, SN_JOINT_NUMBER("target_most", FORCE, 0),  \
        SN_JOINT_NUMBER("target_compliance", COMPLIANCE, 0), SN_JOINT_NUMBER("target_damping", DAMPING, 0),            \
        SN_JOINT_SPEED(RATE), SN_JOINT_NUMBER("speed_most", FORCE, 0), SN_JOINT_NUMBER("friction", FORCE, 0)
#define SN_JOINT_AXIS_PARAMS   9
#define SN_JOINT_AXIS_FRICTION 9 /* its number, counted from 1 */
#define SN_JOINT_WAY           SN_JOINT_AXIS("m", "N", "m/s", "m/N", "N s/m", SN_JOINT_MOST)
#define SN_JOINT_ANGLE         SN_JOINT_AXIS("rad", "N m", "rad/s", "rad/(N m)", "N m s", (sn_real)MATH_PI)

/* Reads them; limits at `bound` or beyond are none. */
sn_joint_drive sn_joint_read_drive(const sn_real *param, sn_real bound);

/* What is wrong with them together; NULL: nothing. */
const char *sn_joint_check_drive(const sn_real *param);

/* The angle that is the same on the circle and nearest to the arc from least to most: past most rather than far before
   least. */
double sn_joint_near_arc(double angle, double least, double most);

#endif
