#include "constraints/joint.h"

/* Below this angle, in rad, series are more precise than quotients of differences. */
#define SMALL 1e-3

/* What a quaternion of a point has besides a length of 1. */
typedef struct quat {
    sn_dvec3 v;
    double w;
} quat;

/* A squared length as near to 1 as that needs only three terms of a series to be made 1. */
#define NEAR_UNIT 1e-5

static quat quat_of(sn_quat q)
{
    sn_dvec3 v = dvec3((double)q.x, (double)q.y, (double)q.z);
    double w = (double)q.w, beyond = dvec3_dot(v, v) + w * w - 1;
    double scale = fabs(beyond) < NEAR_UNIT ? 1 - beyond * (0.5 - 0.375 * beyond) : 1 / sqrt(1 + beyond);
    return (quat){dvec3_scale(v, scale), w * scale};
}

static inline quat times(quat a, quat b)
{
    sn_dvec3 v = dvec3_add(dvec3_scale(b.v, a.w), dvec3_scale(a.v, b.w));
    return (quat){dvec3_add(v, dvec3_cross(a.v, b.v)), a.w * b.w - dvec3_dot(a.v, b.v)};
}

/* The columns of the matrix of a quaternion. */
static inline void axes_of(quat q, sn_dvec3 axis[3])
{
    double x = q.v.x, y = q.v.y, z = q.v.z, w = q.w;
    axis[0] = dvec3(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y));
    axis[1] = dvec3(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x));
    axis[2] = dvec3(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y));
}

sn_joint_pose sn_joint_look(const sn_eval_in *in)
{
    quat a = quat_of(in->q[0]), b = quat_of(in->q[1]), back = {dvec3_scale(a.v, -1), a.w}, r = times(back, b);
    if (r.w < 0) /* the same turn */
        r = (quat){dvec3_scale(r.v, -1), -r.w};
    sn_joint_pose pose = {.p = dvec3_seen(in->x[0], in->x[1]), .v = r.v, .w = r.w};
    axes_of(a, pose.axis);
    return pose;
}

/* From the axes of a to the world. */
static inline sn_dvec3 to_world(const sn_joint_pose *pose, sn_dvec3 a)
{
    sn_dvec3 sum = dvec3_scale(pose->axis[0], a.x);
    return dvec3_add(dvec3_add(sum, dvec3_scale(pose->axis[1], a.y)), dvec3_scale(pose->axis[2], a.z));
}

/* Where the axes point against each other there is no twist: it counts as 0 then. */
sn_joint_turn sn_joint_twist(const sn_joint_pose *pose)
{
    double x = pose->v.x, y = pose->v.y, z = pose->v.z, w = pose->w, n = x * x + w * w;
    if (!(n > 1e-12))
        return (sn_joint_turn){0, pose->axis[0]};
    double angle = 2 * math_atan2(x, w); /* w is not negative: so it lies between -pi and pi */
    return (sn_joint_turn){angle, to_world(pose, dvec3(1, (w * z + x * y) / n, (x * z - w * y) / n))};
}

double sn_joint_lean(const sn_joint_pose *pose, sn_joint_turn swing[2])
{
    double x = pose->v.x, y = pose->v.y, z = pose->v.z, w = pose->w;
    double c = 1 - 2 * (y * y + z * z), u = 2 * (x * y + w * z), v = 2 * (x * z - w * y);
    double sine = sqrt(u * u + v * v), t = math_atan2(sine, c);
    if (c < 0 && !(sine > 1e-6)) { /* the other way round: any way back will do */
        swing[0] = (sn_joint_turn){t, pose->axis[1]};
        swing[1] = (sn_joint_turn){0, pose->axis[2]};
        return t;
    }
    double f = t < SMALL ? 1 + t * t / 6 : t / sine;
    double df = t < SMALL ? -1.0 / 3 - 2 * t * t / 15 : -(sine - t * c) / (sine * sine * sine);
    swing[0] = (sn_joint_turn){-f * v, to_world(pose, dvec3(-f * u, f * c - v * v * df, u * v * df))};
    swing[1] = (sn_joint_turn){f * u, to_world(pose, dvec3(-f * v, u * v * df, f * c - u * u * df))};
    return t;
}

/* A turn, given as axis times angle. */
static quat quat_from_turn(sn_dvec3 turn)
{
    double t = dvec3_length(turn), scale = t > 0 ? math_sin(t / 2) / t : 0.5;
    return (quat){dvec3_scale(turn, scale), math_cos(t / 2)};
}

void sn_joint_whole_turn(const sn_joint_pose *pose, sn_dvec3 from, sn_joint_turn turn[3])
{
    quat r = {pose->v, pose->w}, rest = quat_from_turn(from), back = {dvec3_scale(rest.v, -1), rest.w};
    if (from.x != 0 || from.y != 0 || from.z != 0)
        r = times(r, back);
    if (r.w < 0)
        r = (quat){dvec3_scale(r.v, -1), -r.w};
    double sine = dvec3_length(r.v), t = 2 * math_atan2(sine, r.w), scale = t < SMALL ? 2 + t * t / 12 : t / sine;
    double k = t < SMALL ? 1.0 / 12 + t * t / 720 : 1 / (t * t) - r.w / (2 * t * sine);
    sn_dvec3 a = dvec3_scale(r.v, scale);
    const double value[3] = {a.x, a.y, a.z};
    for (uint32_t i = 0; i < 3; ++i) {
        /* what becomes of axis i under the transposed of t_b -> t_b + t_b x r / 2 + k r x (r x t_b) */
        sn_dvec3 e = dvec3(i == 0, i == 1, i == 2);
        sn_dvec3 g = dvec3_add(e, dvec3_scale(dvec3_cross(a, e), 0.5));
        g = dvec3_add(g, dvec3_scale(dvec3_cross(a, dvec3_cross(a, e)), k));
        turn[i] = (sn_joint_turn){value[i], to_world(pose, g)};
    }
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* A target wins over a speed, a speed over friction. */
void sn_joint_apply(const sn_eval_out *out, uint32_t row, const sn_joint_drive *drive)
{
    sn_row *r = &out->row[row];
    double offset = 0;
    if (drive->target_most > 0) {
        offset = drive->target;
        r->type = SN_ROW_BY_KIND;
        r->compliance = (sn_real)drive->target_compliance;
        r->damping = (sn_real)drive->target_damping;
        r->most = (sn_real)drive->target_most;
    } else {
        bool runs = drive->speed_most > 0;
        r->type = runs || drive->friction > 0 ? SN_ROW_RATE : SN_ROW_REST;
        r->rate = (sn_real)(runs ? drive->speed : drive->back);
        r->most = (sn_real)(runs ? drive->speed_most : drive->friction);
    }
    out->c[row] = (sn_real)((double)out->c[row] - offset);
    if (!isinf(drive->least) || !isinf(drive->most)) {
        r->low = (sn_real)(drive->least - offset);
        r->high = (sn_real)(drive->most - offset);
    }
    if (r->low == 0 && r->high == 0 &&
        !isinf(drive->least)) /* both limits in one place: that is no limit, but a lock */
        *r = (sn_row){.type = SN_ROW_BY_KIND};
}

/* ---- Friction ---------------------------------------------------------------------------------------------------- */

/* Of all that it may exert: more is all but rounding. */
#define SLIPS 0.999

/* rad or m: who was moved by less stands. */
#define STANDS 1e-6

/* A row at a limit exerts more, but does not move; and what was moved the way that friction pushes did not slip: other rows, or contact,
   which has its turn after the joints, moved one of the two to and fro within a substep, and friction saw half of that. If it held
   nothing then it would drive: hands of figures in a heap went round for ever. */
bool sn_joint_slips(const sn_real *exerted, const double *moved, uint32_t n, double friction)
{
    bool slips = false;
    for (uint32_t i = 0; i < n; ++i) {
        double along = exerted[i] < 0 ? -moved[i] : moved[i];
        slips = slips || (!(fabs((double)exerted[i]) < SLIPS * friction) && !(along > -STANDS));
    }
    return slips;
}

double sn_joint_moved(const sn_eval_in *in, uint32_t i, double value, bool turns)
{
    double way = value - (double)in->keep[1 + i];
    if (turns && fabs(way) > MATH_PI)
        way -= way > 0 ? 2 * MATH_PI : -2 * MATH_PI;
    return way;
}

void sn_joint_hold(const sn_eval_in *in, sn_real h, uint32_t n, const double *value, bool slips, bool turns)
{
    sn_real *at = in->keep + 1, *back = at + n;
    bool anew = in->keep[0] == 0 || slips;
    in->keep[0] = 1;
    for (uint32_t i = 0; i < n; ++i) {
        back[i] = anew ? 0 : (sn_real)(-SN_JOINT_UNDO * sn_joint_moved(in, i, value[i], turns) / (double)h);
        if (anew)
            at[i] = (sn_real)value[i];
    }
}

void sn_joint_hold_axis(const sn_eval_in *in, sn_real h, double value, uint32_t rows, bool turns)
{
    sn_joint_drive drive = sn_joint_read_drive(in->param, SN_JOINT_MOST);
    if (!(drive.target_most > 0) && !(drive.speed_most > 0)) {
        double moved = sn_joint_moved(in, 0, value, turns);
        bool slips = sn_joint_slips(in->exerted + rows - 1, &moved, 1, drive.friction);
        sn_joint_hold(in, h, 1, &value, slips, turns);
    }
}

/* ---- Parameters ------------------------------------------------------------------------------------------------- */

sn_joint_drive sn_joint_read_drive(const sn_real *param, sn_real bound)
{
    return (sn_joint_drive){.least = param[0] > -bound ? (double)param[0] : -(double)INFINITY,
                            .most = param[1] < bound ? (double)param[1] : (double)INFINITY,
                            .target = (double)param[2],
                            .target_most = (double)param[3],
                            .target_compliance = (double)param[4],
                            .target_damping = (double)param[5],
                            .speed = (double)param[6],
                            .speed_most = (double)param[7],
                            .friction = (double)param[8]};
}

const char *sn_joint_check_drive(const sn_real *param)
{
    if (param[0] > param[1])
        return "'least' exceeds 'most'";
    if (param[3] > 0 && param[7] > 0)
        return "it cannot have both a target ('target_most' is not 0) and a speed ('speed_most' is not 0)";
    return NULL;
}

double sn_joint_near_arc(double angle, double least, double most)
{
    if (angle < least && angle + 2 * MATH_PI - most < least - angle)
        return angle + 2 * MATH_PI;
    if (angle > most && least - (angle - 2 * MATH_PI) < angle - most)
        return angle - 2 * MATH_PI;
    return angle;
}
