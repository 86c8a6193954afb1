/* Verlet with position pairs:  x' = x + (x - x_old) h / h_old + a h (h + h_old) / 2.

   The velocity is implicit in the pair; the factor h / h_old and the (h + h_old) / 2 are the correction for a substep that
   changed. Where there is no past, at the start, and after an impulse, a teleport or a new velocity, the pair is made from
   the velocity:  x_old = x - v h + a h^2 / 2. Velocity damping shrinks the pair. What users read as velocity is
   v = (x - x_old) / h_old + a h_old / 2, up to date with the position. Constraints move x', and with it the next pair: "this
   displacement automatically causes an update of the velocity", as the lecture says.

   In exact numbers this is leapfrog; a test holds the two against each other. */
#include "integrators/integrator.h"

/* x - x_old, for a substep as long as the last one was, or this one if there was none. */
static sn_vec3 pair_of(const sn_motion *motion, uint32_t slot, sn_real *h_old)
{
    *h_old = motion->old_d[slot].w;
    if (*h_old > 0)
        return vec4_xyz(motion->old_d[slot]);
    *h_old = motion->h;
    sn_vec3 a = motion_acceleration(motion, slot), v = vec4_xyz(motion->v[slot]);
    return vec3_scale(vec3_sub(v, vec3_scale(a, *h_old / 2)), *h_old);
}

static void predict(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_real h_old, h = motion->h;
        sn_vec3 pair = pair_of(motion, slot, &h_old), a = motion_acceleration(motion, slot);
        /* damping takes its share of v, which is the pair and half a kick */
        sn_vec3 damped = vec3_scale(vec3_add(vec3_scale(pair, 1 / h_old), vec3_scale(a, h_old / 2)), motion->lose);
        sn_vec3 d = vec3_add(vec3_scale(pair, h / h_old), vec3_scale(a, h * (h + h_old) / 2));
        d = vec3_add(vec3_sub(d, vec3_scale(damped, h)), motion->x_low[slot]);
        motion->d[slot] = vec4(motion->x[slot].w != 0 ? d : vec3(0, 0, 0), 0);
    }
}

/* The new pair is what was moved. The velocity gets its half kick afterwards. */
static void update_velocities(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        bool moves = motion->x[slot].w != 0;
        sn_vec3 pair = vec3_sub(vec4_xyz(motion->d[slot]), motion->x_low[slot]);
        sn_pair v = {.high = vec3(pair.x / motion->h, pair.y / motion->h, pair.z / motion->h)};
        motion->old_d[slot] = vec4(pair, moves ? motion->h : 0);
        motion_set_velocity(motion, slot, &v);
    }
}

static void kick(const sn_motion *motion, uint32_t first, uint32_t end)
{
    sn_integrator_method const *leapfrog = &sn_integrator_leapfrog;
    leapfrog->kick(motion, first, end);
}

const sn_integrator_method sn_integrator_verlet = {.name = "verlet",
                                                   .looks_back = true,
                                                   .step_factor = 1,
                                                   .predict = predict,
                                                   .update_velocities = update_velocities,
                                                   .kick = kick};
