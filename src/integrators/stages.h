/* The formulas of the integrators, for one coordinate of as many particles as there are lanes. Define SN_WIDTH first.

   A substep consists of predict, constraints, settle and end. Between these the state is complete: the position is x +
   x_low and the velocity v + v_low. Constraints change x_low (or x, see sn_motion.coarse); settle adds the
   corresponding velocity to v. In exact arithmetic v is then the rate of the positions. With rounding, a particle
   without constraints keeps its velocity to the last bit.

   Sums keep their rounding error: s = a + b, error = b - (s - a) (Dekker's FastTwoSum), which is exact where b is not
   the larger one, and within a last place of the smaller one otherwise.

   BDF2, the second-order backward difference, for the position step (English and Bridson 2008 for cloth):

       v' = (4 v - v_old) / 3 + 2h/3 (a' + constraints),      x' = (4 x - x_old) / 3 + 2h/3 v'.

   With d = x' - x, and the acceleration at the end extrapolated from the two that are known, a' = 2 a - a_old (with a
   alone, varying forces would be of first order only), this is

       d = d_old / 3 + 2h/3 v',      v' = (3 d - d_old) / (2 h).

   So a correction of d changes v' by 3/(2h) times as much. d need not be stored: it is (2h v' + d_old) / 3, in which an
   error of d_old falls to a third in every substep.

   Damping and drag are exact in the variable e^(damping t) v: v is multiplied by e^(-damping h), v_old by the square of
   that. It is stored after the first multiplication. Displacements are not damped, because they have happened.

   The effective step is 2h/3: a force f moves x' by 4/9 h^2 f / m, and so compliance is scaled with it. A particle
   without a past of the same h takes one substep of leapfrog, whose second half kick is with a', or a where no a_old is
   known. Its response to a force is h^2 f / m; so the step reduces its mass accordingly while constraints are solved
   (world/past.c).

   A user's force acts for a step, and may jump between two steps. So the past is changed as if the present force had
   acted before: the particle reaches its position, with its velocity, under the present force. A jump of the
   acceleration by j changes the past by

       a_old += j,      v_old -= h j,      d_old -= h^2/2 j,

   and then d changes by h^2/2 j and v' by h j, as it should, without a restart. (If a program applies a new force in
   every step, a restart in each of them would be of first order, and the particle would not match those that it is
   attached to: a string pulled at its ends oscillated 9 % too fast.)

   A past that spans a jump of the velocity is worse than none: for a particle that was stopped, (3 d - d_old) / 2h is
   half its speed, backwards. Jumps are impulses, teleports, kinematic targets, added or removed constraints, and
   contacts. Then the step restarts every particle, because rods transmit a jump at once (see sn_world_break_motion). If
   only an acceleration jumps for another reason, by a new mass, only that particle restarts. */
#ifndef SN_INTEGRATORS_STAGES_H
#define SN_INTEGRATORS_STAGES_H

#include "base/simd.h"
#include "integrators/integrator.h"

#if SINEW_DOUBLE
#define STAGE_MAX DBL_MAX
#else
#define STAGE_MAX FLT_MAX
#endif
#define STAGE_TOO_FAST ((lane_number)1e37) /* m/s, per coordinate; above this the next steps would overflow */

typedef struct moving {
    lanes x, x_low, v, v_low;
} moving;

/* BDF2: displacement in the previous substep, and velocity at its start. */
typedef struct past {
    lanes d, v;
} past;

SN_INLINE void add_lanes(lanes *high, lanes *low, lanes increment)
{
    lanes sum = *high + increment;
    *low = increment - (sum - *high);
    *high = sum;
}

/* Damping acts on the velocity before forces are added. Otherwise gravity would be damped too, and free fall would
   depend on the substep. */
SN_INLINE void stage_change(const sn_motion *motion, moving *m, lanes change)
{
    if (motion->lose < (sn_real)0.5) {
        change = change - lanes_all(motion->lose) * m->v;
    } else {
        m->v = m->v * lanes_all(motion->keep);
        m->v_low = m->v_low * lanes_all(motion->keep);
    }
    add_lanes(&m->v, &m->v_low, change + m->v_low);
}

SN_INLINE moving stage_choose(flags moves, moving to, moving m)
{
    return (moving){lanes_choose(moves, to.x, m.x), lanes_choose(moves, to.x_low, m.x_low), lanes_keep(moves, to.v),
                    lanes_keep(moves, to.v_low)};
}

/* The rest of the kick. */
SN_INLINE void stage_end(const sn_motion *motion, moving *m, lanes a)
{
    add_lanes(&m->v, &m->v_low, a * lanes_all(motion->end_kick) + m->v_low);
}

SN_INLINE moving stage_predict(const sn_motion *motion, moving m, lanes a, flags moves)
{
    moving to = m;
    if (motion->ends_previous)
        stage_end(motion, &to, a);
    stage_change(motion, &to, a * lanes_all(motion->kick));
    add_lanes(&to.x, &to.x_low, to.v * lanes_all(motion->h) + m.x_low);
    return stage_choose(moves, to, m);
}

/* BDF2: the displacement in a substep at whose end the velocity is v. */
SN_INLINE lanes stage_displacement(const sn_motion *motion, lanes v, lanes old_d)
{
    return (v * lanes_all(2 * motion->h) + old_d) * lanes_all((lane_number)(1.0 / 3));
}

SN_INLINE moving stage_predict_back(const sn_motion *motion, moving m, past p, lanes end, flags moves)
{
    const lanes h23 = lanes_all(motion->h * (sn_real)(2.0 / 3));
    moving to = m;
    stage_change(motion, &to, (m.v - p.v) * lanes_all(motion->keep / 3) + end * h23);
    add_lanes(&to.x, &to.x_low, p.d * lanes_all((lane_number)(1.0 / 3)) + to.v * h23 + m.x_low);
    return stage_choose(moves, to, m);
}

/* Adds the velocity of the corrections since the mark. If this is left to the next predict, the state is incomplete
   until then: the velocity lacks these corrections. */
SN_INLINE moving stage_settle(const sn_motion *motion, moving m, lanes mark)
{
    lanes low = motion->coarse ? m.x : m.x_low;
    add_lanes(&m.v, &m.v_low, (low - mark) * lanes_all(motion->rate) + m.v_low);
    if (!motion->coarse)
        add_lanes(&m.x, &m.x_low, low);
    return m;
}

SN_INLINE flags is_sound(const moving *m)
{
    return lanes_at_least(lanes_all(STAGE_MAX), lanes_abs(m->x)) &
           lanes_above(lanes_all(STAGE_TOO_FAST), lanes_abs(m->v));
}

#endif
