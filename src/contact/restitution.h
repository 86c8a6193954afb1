/* Restitution: the velocity after an impact within a substep.

   A substep knows velocities only at its start and end, and a ball that falls on a floor hits it in between. With the
   velocity at the start it would lose what gravity adds until the impact, up to g h, at every bounce. So the impact is
   computed on the true parabola. Along the normal, with a the acceleration by gravity and v the velocity with which a
   substep of symplectic Euler begins, which is that of half a substep before,

       V0 = v + a h / 2              the true velocity at the start
       V1^2 = V0^2 - 2 a gap         at the impact, after a displacement of `gap`
       v' = e |V1| - a h / 2         after the substep, at whose end the ball leaves the surface with e |V1|

   With other integrators velocities are the true ones, and there is no a h / 2. Heights are then e^2 times those
   before, for any h. No energy is gained: |V1| is the speed that the ball really has there. */
#ifndef SN_CONTACT_RESTITUTION_H
#define SN_CONTACT_RESTITUTION_H

#include "base/vec.h"

#include <stdbool.h>

/* m/s: the separating speed along the normal. approach: minus the velocity along the normal at the start, positive.
   left: the velocity along the normal at the end of the substep, after contact stopped the ball at the surface; it
   gives the gap at the start. gravity: along the normal, m/s^2. behind: velocities are those of half a substep
   before. */
static inline sn_real sn_restitution(sn_real restitution, sn_real approach, sn_real left, sn_real gravity, sn_real h,
                                     bool behind)
{
    const sn_real half = gravity * h / 2, offset = behind ? half : 0;
    const sn_real gap = (behind ? -left : half - left) * h, start = offset - approach;
    const sn_real square = start * start - 2 * gravity * (gap > 0 ? gap : 0);
    const sn_real leaves = restitution * (square > 0 ? real_sqrt(square) : 0) - offset;
    return leaves > 0 ? leaves : 0;
}

#endif
