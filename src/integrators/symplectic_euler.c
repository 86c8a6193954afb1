/* Symplectic Euler:  v' = e^(-damping h) v + h (g + w f),   x' = x + h v'.

   Damping acts on the velocity that the particle had, before forces are added: otherwise gravity would be damped too, and
   free fall would depend on the substep. */
#include "integrators/integrator.h"

static sn_pair predicted_velocity(const sn_motion *motion, uint32_t slot, sn_vec3 force)
{
    sn_pair v = {vec4_xyz(motion->v[slot]), motion->v_low[slot]};
    sn_vec3 a = vec3_add(motion->gravity, vec3_scale(force, motion->x[slot].w));
    pair_add(&v, vec3_sub(vec3_scale(a, motion->h), vec3_scale(v.high, motion->lose)));
    return v;
}

static sn_vec3 predicted_displacement(const sn_motion *motion, uint32_t slot, const sn_pair *v)
{
    return vec3_add(vec3_scale(v->high, motion->h), motion->x_low[slot]);
}

static void predict(const sn_motion *motion, uint32_t slot, sn_vec3 force)
{
    sn_pair v = predicted_velocity(motion, slot, force);
    motion->d[slot] = vec4(predicted_displacement(motion, slot, &v), 0);
}

/* Velocities are what the positions did: v = d / h, written as the predicted velocity plus what the constraints changed.
   In exact numbers that is the same; in ours a particle that no constraint touched keeps its velocity to the last bit. */
static sn_pair velocity(const sn_motion *motion, uint32_t slot, sn_vec3 force)
{
    sn_pair v = predicted_velocity(motion, slot, force);
    sn_vec3 correction = vec3_sub(vec4_xyz(motion->d[slot]), predicted_displacement(motion, slot, &v));
    pair_add(&v, vec3(correction.x / motion->h, correction.y / motion->h, correction.z / motion->h));
    return v;
}

const sn_integrator_method sn_integrator_symplectic_euler = {"symplectic_euler", predict, velocity};
