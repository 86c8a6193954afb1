/* Symplectic Euler:  v' = e^(-damping h) v + h (g + w f),   x' = x + h v'.

   Damping acts on the velocity that the particle had, before forces are added: otherwise gravity would be damped too, and
   free fall would depend on the substep. */
#include "integrators/integrator.h"

static sn_pair predicted_velocity(const sn_motion *motion, uint32_t slot)
{
    sn_pair v = {vec4_xyz(motion->v[slot]), motion->v_low[slot]};
    sn_vec3 a = vec3_add(motion->gravity, vec3_scale(motion->force[slot], motion->x[slot].w));
    sn_vec3 change = vec3_scale(a, motion->h);
    if (motion->lose < (sn_real)0.5)
        change = vec3_sub(change, vec3_scale(v.high, motion->lose));
    else
        v = (sn_pair){vec3_scale(v.high, motion->keep), vec3_scale(v.low, motion->keep)};
    pair_add(&v, change);
    return v;
}

static sn_vec3 predicted_displacement(const sn_motion *motion, uint32_t slot, const sn_pair *v)
{
    return vec3_add(vec3_scale(v->high, motion->h), motion->x_low[slot]);
}

static void predict(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_pair v = predicted_velocity(motion, slot);
        sn_vec3 d = motion->x[slot].w != 0 ? predicted_displacement(motion, slot, &v) : vec3(0, 0, 0);
        motion->d[slot] = vec4(d, 0);
    }
}

/* Velocities are what the positions did: v = d / h, written as the predicted velocity plus what the constraints changed.
   In exact numbers that is the same; in ours a particle that no constraint touched keeps its velocity to the last bit. An
   immovable particle was not predicted, and its displacement is all there is. */
static void update_velocities(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_pair v = predicted_velocity(motion, slot);
        sn_vec3 predicted = predicted_displacement(motion, slot, &v);
        if (motion->x[slot].w == 0) {
            v = (sn_pair){0};
            predicted = vec3(0, 0, 0);
        }
        sn_vec3 change = vec3_sub(vec4_xyz(motion->d[slot]), predicted);
        pair_add(&v, vec3(change.x / motion->h, change.y / motion->h, change.z / motion->h));
        motion->v[slot] = vec4(v.high, motion->v[slot].w);
        motion->v_low[slot] = v.low;
    }
}

const sn_integrator_method sn_integrator_symplectic_euler = {"symplectic_euler", predict, update_velocities};
