/* The formulas of the integrators, for one coordinate of as many particles as there are lanes. Define SN_WIDTH first.

   A substep is predict, constraints, settle, end. Between them a particle is always whole: x + x_low is where it is, and
   v + v_low how fast. Constraints move x_low (or x, see sn_motion.coarse); settle gives v what goes with that. In exact numbers
   v is then what the places did. In ours a particle that no constraint touched keeps its velocity to the last bit.

   Sums keep what rounding dropped of them: s = a + b, error = b - (s - a) (Dekker's FastTwoSum), which is exact where b is not
   the larger one, and within a last place of the smaller one otherwise.

   BDF2, the second-order backward difference, for the position step (English and Bridson 2008 for cloth):

       v' = (4 v - v_old) / 3 + 2h/3 (a' + constraints),      x' = (4 x - x_old) / 3 + 2h/3 v'.

   With d = x' - x, and the acceleration at the end extrapolated from the two that are known, a' = 2 a - a_old (with a alone,
   forces that change along the way would be of first order), that is

       d = d_old / 3 + 2h/3 v',      v' = (3 d - d_old) / (2 h).

   So a correction of d is 3/(2h) times as much of v', and d itself need not be kept: it is (2h v' + d_old) / 3, in which an error
   of d_old becomes a third with every substep.

   Damping and drag are exact in the variable e^(damping t) v: v counts e^(-damping h) times, v_old the square of that. It is kept
   after the first of the two. Displacements are not damped: they are what happened.

   The effective step is 2h/3: a force f moves x' by 4/9 h^2 f / m, and so compliance is scaled with it. A particle without a
   past of the same h takes one substep of leapfrog, whose second half kick is with a', or a where no a_old is known. It answers
   to a force with h^2 f / m; the step makes it lighter for that while constraints are solved (world/past.c).

   A force that a user gives acts for a step, and may jump between two. Its past is therefore taken to be what it is now: as if
   the particle had come to where it is, with the velocity that it has, under the force of now. A jump of the acceleration by j
   changes that past by

       a_old += j,      v_old -= h j,      d_old -= h^2/2 j,

   and then d gains h^2/2 j and v' gains h j, as they should, without a new start. (A new start in each step, where a program gives
   a force in each, would be of first order, and that particle would be out of step with those it is tied to: a string pulled at
   its ends swung 9 % too fast.)

   A past across which a velocity jumped is worse than none: (3 d - d_old) / 2h of a particle that was stopped is half its speed,
   backwards. Jumps are impulses, teleports, kinematic targets, constraints that come and go, and contacts: the step has every
   particle start anew there, since rods pass a jump on at once (see sn_world_break_motion). Where only an acceleration jumps
   otherwise, by a new mass, the particle starts anew alone. */
#ifndef SN_INTEGRATORS_STAGES_H
#define SN_INTEGRATORS_STAGES_H

#include "base/simd.h"
#include "integrators/integrator.h"

#if SINEW_DOUBLE
#define STAGE_MAX DBL_MAX
#else
#define STAGE_MAX FLT_MAX
#endif
#define STAGE_TOO_FAST ((lane_number)1e37) /* m/s by coordinate; the next steps would overflow */

typedef struct moving {
    lanes x, x_low, v, v_low;
} moving;

/* Of BDF2: displacement in the substep before, and velocity at its start. */
typedef struct past {
    lanes d, v;
} past;

SN_INLINE void add_lanes(lanes *high, lanes *low, lanes increment)
{
    lanes sum = *high + increment;
    *low = increment - (sum - *high);
    *high = sum;
}

/* Damping acts on the velocity that the particle had, before forces are added: otherwise gravity would be damped too, and free
   fall would depend on the substep. */
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

/* What constraints moved since the mark. Where it is left to the next predict, the particle is not whole until then: its velocity
   lacks what goes with that. */
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
