/* Verlet with position pairs:  x' = x + (x - x_old) h / h_old + a h (h + h_old) / 2.

   The velocity is implicit in the pair; the factor h / h_old and the (h + h_old) / 2 are the correction for a substep
   that changed. Where there is no past, at the start, and after an impulse, a teleport or a new velocity, the pair is
   made from the velocity:  x_old = x - v h + a h^2 / 2; so it is under drag, too. Global damping shrinks the pair.
   What users read as velocity is v = (x - x_old) / h_old + a h_old / 2, up to date with the position. Constraints
   move x', and with it the next pair: "this displacement automatically causes an update of the velocity", as the
   lecture says.

   The a of h_old / 2 is the one at the end of the last substep, that of h / 2 the one at the start of this: where
   forces are functions of the place they are the same, but one that sets in or ends in between acts in its own
   substeps only. In exact numbers this is leapfrog; a test holds the two against each other.

   A pair in single precision knows a displacement to 2^-24 of itself, which is the precision of the velocity, too, and
   every substep rounds it anew: four jointed bodies in free flight lost 2.7e-5 of their angular momentum in 10,000
   substeps. So what rounding left over is kept, in the place of the old velocity, which Verlet does not need. */
#include "integrators/integrator.h"

/* A pair: x - x_old, the acceleration at x, and the time between the two. */
typedef struct pair {
    sn_pair d;
    sn_vec3 a;
    sn_real h;
} pair;

static pair pair_of(const sn_motion *motion, uint32_t slot)
{
    sn_vec4 old_d = motion->old_d[slot];
    if (old_d.w > 0 && !motion->start.dragged)
        return (pair){{vec4_xyz(old_d), vec4_xyz(motion->old_v[slot])}, vec4_xyz(motion->old_a[slot]), old_d.w};
    const sn_real h = motion->h;
    sn_vec3 a = motion_acceleration(motion, slot), v = vec4_xyz(motion->start.v[slot]);
    return (pair){{vec3_scale(vec3_sub(v, vec3_scale(a, h / 2)), h), {0, 0, 0}}, a, h};
}

/* The displacement that comes, without constraints. */
static sn_pair next_way(const sn_motion *motion, uint32_t slot)
{
    const sn_real h = motion->h;
    pair past = pair_of(motion, slot);
    sn_vec3 v = vec3_add(vec3_scale(past.d.high, 1 / past.h), vec3_scale(past.a, past.h / 2));
    sn_vec3 a = motion_acceleration(motion, slot), kick = vec3_scale(a, h);
    if (motion->lose > (sn_real)0.5) /* damping takes most of v: the rest by itself is more precise */
        return (sn_pair){.high = vec3_scale(vec3_add(vec3_scale(v, motion->keep), vec3_scale(kick, (sn_real)0.5)), h)};
    sn_pair d = {vec3_scale(past.d.high, h / past.h), vec3_scale(past.d.low, h / past.h)};
    pair_add(&d, vec3_scale(vec3_add(vec3_scale(past.a, past.h), kick), h / 2));
    if (motion->lose > 0)
        pair_add(&d, vec3_scale(v, -h * motion->lose));
    return d;
}

static void predict(const sn_motion *motion, uint32_t first, uint32_t end)
{
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_vec3 d = next_way(motion, slot).high;
        motion->d[slot] = vec4(motion->x[slot].w != 0 ? vec3_add(d, vec4_xyz(motion->x_low[slot])) : vec3(0, 0, 0), 0);
    }
}

/* d / h, which single precision does not hold. volatile, because gcc 12 otherwise makes vectors of three calls (SLP) and
   takes the rounding to single precision and back for nothing at all: what is left over was 0 then. */
static void divide(sn_real high, sn_real low, sn_real h, sn_real *to_high, sn_real *to_low)
{
    double v = ((double)high + (double)low) / (double)h;
    volatile sn_real rounded = (sn_real)v;
    *to_high = rounded;
    *to_low = (sn_real)(v - (double)*to_high);
}

/* The new pair is what was moved. */
static void update_velocities(const sn_motion *motion, uint32_t first, uint32_t end)
{
    const sn_real h = motion->h;
    for (uint32_t slot = first; slot < end; ++slot) {
        bool moves = motion->x[slot].w != 0;
        sn_vec3 low = vec4_xyz(motion->x_low[slot]), a = motion_acceleration(motion, slot);
        sn_pair d = {.high = vec3_sub(motion_way(motion, slot), low)}, v;
        if (moves) {
            d = next_way(motion, slot);
            pair_add(&d, motion_push(motion, slot, vec3_add(d.high, low)));
        }
        divide(d.high.x, d.low.x, h, &v.high.x, &v.low.x);
        divide(d.high.y, d.low.y, h, &v.high.y, &v.low.y);
        divide(d.high.z, d.low.z, h, &v.high.z, &v.low.z);
        if (moves)
            pair_add(&v, vec3_scale(a, h / 2));
        motion->old_d[slot] = vec4(d.high, moves ? h : 0);
        motion->old_v[slot] = vec4(d.low, 0);
        motion->old_a[slot] = vec4(a, 0);
        motion_set_velocity(motion, slot, &v);
    }
}

static void kick(const sn_motion *motion, uint32_t first, uint32_t end)
{
    sn_integrator_leapfrog.kick(motion, first, end);
    for (uint32_t slot = first; slot < end; ++slot)
        motion->old_a[slot] = vec4(motion_acceleration(motion, slot), 0);
}

const sn_integrator_method sn_integrator_verlet = {.name = "verlet",
                                                   .looks_back = true,
                                                   .drift_kick = (sn_real)0.5,
                                                   .step_factor = 1,
                                                   .predict = predict,
                                                   .update_velocities = update_velocities,
                                                   .kick = kick};
