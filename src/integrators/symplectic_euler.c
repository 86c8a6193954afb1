/* Symplectic Euler:  v' = e^(-damping h) v + h (g + w f),   x' = x + h v'.

   Damping acts on the velocity that the particle had, before forces are added: otherwise gravity would be damped too, and
   free fall would depend on the substep. Velocities are always what the positions did: v = d / h. */
#include "integrators/integrator.h"

static void predict(const sn_motion *motion, uint32_t slot, sn_vec3 force)
{
    sn_vec3 v = vec3_scale(vec4_xyz(motion->v[slot]), motion->keep);
    sn_vec3 a = vec3_add(motion->gravity, vec3_scale(force, motion->x[slot].w));
    v = vec3_add(v, vec3_scale(a, motion->h));
    motion->d[slot] = vec4(vec3_scale(v, motion->h), 0);
}

static sn_vec3 velocity(const sn_motion *motion, uint32_t slot)
{
    /* divided, not multiplied by 1 / h: that factor's rounding error would act the same way in every substep */
    sn_vec4 d = motion->d[slot];
    return vec3(d.x / motion->h, d.y / motion->h, d.z / motion->h);
}

const sn_integrator_method sn_integrator_symplectic_euler = {"symplectic_euler", predict, velocity};
