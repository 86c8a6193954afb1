/* Joint friction, with its stored hold position, and joint parameters. */
#define SN_LANE_DOUBLE 0
#include "constraints/joint.h"

/* Parameters of SN_JOINT_AXIS. */
enum { LEAST, MOST, TARGET, TARGET_MOST, SPEED_MOST = 7 };

/* Relative to the greatest friction force: a larger force counts as the full one. */
#define SLIPS 0.999

/* rad or m: a smaller displacement counts as none. */
#define STANDS 1e-6

/* A row at a limit exerts more force but does not move, so it does not slip. A displacement in the direction of the
   friction force is not slip either: other rows, or contact, which is solved after the joints, moved one of the two
   bodies to and fro within a substep, and friction saw half of that. If friction gave up its hold position then, it
   would drive the joint: hands of figures in a heap rotated for ever. */
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
    double displacement = value - (double)in->keep[1 + i];
    if (turns && fabs(displacement) > MATH_PI)
        displacement -= displacement > 0 ? 2 * MATH_PI : -2 * MATH_PI;
    return displacement;
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
    const sn_real *p = in->param;
    if (!(p[TARGET_MOST] > 0) && !(p[SPEED_MOST] > 0)) {
        double moved = sn_joint_moved(in, 0, value, turns);
        bool slips = sn_joint_slips(in->exerted + rows - 1, &moved, 1, (double)p[SN_JOINT_AXIS_FRICTION - 1]);
        sn_joint_hold(in, h, 1, &value, slips, turns);
    }
}

const char *sn_joint_check_drive(const sn_real *param)
{
    if (param[LEAST] > param[MOST])
        return "'least' exceeds 'most'";
    if (param[TARGET_MOST] > 0 && param[SPEED_MOST] > 0)
        return "it cannot have both a target ('target_most' is not 0) and a speed ('speed_most' is not 0)";
    return NULL;
}
