/* BDF2, the second-order backward difference, for the position step (English and Bridson 2008 for cloth):

       v' = (4 v - v_old) / 3 + 2h/3 (a' + constraints),      x' = (4 x - x_old) / 3 + 2h/3 v'.

   With d = x' - x and the acceleration at the end extrapolated from the two that are known, a' = 2 a - a_old (with a
   alone, forces that change along the way would be of first order), the prediction and, once the constraints have
   moved it, the velocity are

       d = d_old / 3 + 2h/9 (4 v - v_old) + 4/9 h^2 a',      v' = (3 d - d_old) / (2 h).

   Damping and drag are exact in the variable e^(damping t) v: v counts e^(-damping h) times, v_old the square of
   that. It is kept after the first of the two. Displacements are not damped: they are what happened.

   The effective step is 2h/3: a force f moves x' by 4/9 h^2 f / m, and so compliance is scaled with it. A particle
   without a past of the same h takes one substep of leapfrog, whose second half kick is with a', or a where no a_old
   is known. It answers to a force with h^2 f / m; the step makes it lighter for that while constraints are solved.

   A force that a user gives acts for a step, and may jump between two. Its past is therefore taken to be what it is now: as if
   the particle had come to where it is, with the velocity that it has, under the force of now. A jump of the acceleration by j
   changes that past by

       a_old += j,      v_old -= h j,      d_old -= h^2/2 j,

   and then d gains h^2/2 j and v' gains h j, as they should, without a new start. (A new start in each step, where a program gives
   a force in each, would be of first order, and that particle would be out of step with those it is tied to: a string pulled at
   its ends swung 9 % too fast.)

   A past across which a velocity jumped is worse than none: (3 d - d_old) / 2h of a particle that was stopped is half
   its speed, backwards. Jumps are impulses, teleports, kinematic targets, constraints that come and go, and contacts:
   the step has every particle start anew there, since rods pass a jump on at once (see sn_world_break_motion). Where
   only an acceleration jumps otherwise, by a new mass, the particle starts anew alone. */
#include "integrators/integrator.h"

/* By how much the user's force made the acceleration jump since the substep before. */
static sn_vec3 jump(const sn_motion *motion, uint32_t slot)
{
    return vec3_scale(vec3_sub(motion->given[slot], vec4_xyz(motion->old_f[slot])), motion->x[slot].w);
}

/* a', the acceleration at the end. The one before may be known (then the length of that substep is h or -h) though
   velocities jumped in between. */
static sn_vec3 end_acceleration(const sn_motion *motion, uint32_t slot)
{
    sn_vec3 a = motion_acceleration(motion, slot);
    sn_real old_h = motion->old_d[slot].w;
    if (old_h != motion->h && old_h != -motion->h)
        return a;
    sn_vec3 old_a = vec3_add(vec4_xyz(motion->old_a[slot]), jump(motion, slot));
    return vec3_sub(vec3_scale(a, 2), old_a);
}

/* The velocity at the end if there were no constraints, (4 v - v_old) / 3 + 2h/3 a', written as a change of v: what
   is small is then computed as such, and single precision does not drift. */
static sn_pair free_velocity(const sn_motion *motion, uint32_t slot)
{
    sn_pair v = motion_kicked(motion, slot, 0);
    sn_vec3 a = end_acceleration(motion, slot);
    sn_vec3 change = vec3_sub(vec4_xyz(motion->start.v[slot]), vec4_xyz(motion->start.old_v[slot]));
    change = vec3_add(change, vec3_scale(jump(motion, slot), motion->h));
    change = vec3_scale(change, motion->keep / 3);
    pair_add(&v, vec3_add(change, vec3_scale(a, motion->h * (sn_real)(2.0 / 3))));
    return v;
}

/* d = d_old / 3 + 2h/3 v'. */
static sn_vec3 free_way(const sn_motion *motion, uint32_t slot, const sn_pair *v)
{
    sn_vec3 old_d = vec4_xyz(motion->old_d[slot]), by = vec3_scale(jump(motion, slot), motion->h * motion->h / 2);
    sn_vec3 d = vec3_scale(vec3_sub(old_d, by), (sn_real)(1.0 / 3));
    d = vec3_add(d, vec3_scale(v->high, motion->h * (sn_real)(2.0 / 3)));
    return vec3_add(d, vec4_xyz(motion->x_low[slot]));
}

static void predict(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        if (motion->x[slot].w != 0 && motion_has_past(motion, slot)) {
            sn_pair v = free_velocity(motion, slot);
            motion->d[slot] = vec4(free_way(motion, slot, &v), 0);
        } else {
            sn_pair v = motion_kicked(motion, slot, (sn_real)0.5);
            motion_drift(motion, slot, &v);
        }
    }
}

/* v' = (3 d - d_old) / 2h, as the free velocity and what constraints changed. */
static sn_pair velocity_looking_back(const sn_motion *motion, uint32_t slot)
{
    const sn_real h = motion->h;
    sn_pair v = free_velocity(motion, slot);
    sn_vec3 push = motion_push(motion, slot, free_way(motion, slot, &v));
    pair_add(&v, vec3(push.x * 3 / (2 * h), push.y * 3 / (2 * h), push.z * 3 / (2 * h)));
    return v;
}

static sn_pair velocity_starting(const sn_motion *motion, uint32_t slot)
{
    sn_pair v = motion_corrected(motion, slot, motion_kicked(motion, slot, (sn_real)0.5));
    if (motion->x[slot].w != 0)
        pair_add(&v, vec3_scale(end_acceleration(motion, slot), motion->h / 2));
    return v;
}

static void update_velocities(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        bool moves = motion->x[slot].w != 0;
        sn_vec3 d = vec3_sub(motion_way(motion, slot), vec4_xyz(motion->x_low[slot]));
        sn_pair v = moves && motion_has_past(motion, slot) ? velocity_looking_back(motion, slot)
                                                           : velocity_starting(motion, slot);
        motion->old_d[slot] = vec4(d, !moves ? 0 : motion->jumps ? -motion->h : motion->h);
        motion->old_v[slot] = vec4(vec3_scale(vec4_xyz(motion->start.v[slot]), motion->keep), 0);
        motion->old_a[slot] = vec4(motion_acceleration(motion, slot), 0);
        motion->old_f[slot] = vec4(motion->given[slot], 0);
        motion_set_velocity(motion, slot, &v);
    }
}

const sn_integrator_method sn_integrator_bdf2 = {.name = "bdf2",
                                                 .looks_back = true,
                                                 .is_smooth = true,
                                                 .step_factor = (sn_real)(2.0 / 3),
                                                 .predict = predict,
                                                 .update_velocities = update_velocities};
