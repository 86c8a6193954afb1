/* The list of integrators, and their loops over particles one at a time.

   Four of them consist of a kick by the forces and a drift, and differ in when the kick comes (Verlet, the fourth, is
   explained below):

       forward Euler       x' = x + h v,        v' = v + h a(x)
       symplectic Euler    v' = v + h a(x),     x' = x + h v'
       leapfrog            u = v + h/2 a(x),    x' = x + h u,    v' = u + h/2 a(x')

   Forward Euler is of first order and gains energy: a spring or an orbit spirals outwards. It is here for demonstration
   only. Symplectic Euler is of first order, but the energy of a conservative motion stays near its value for ever. It
   is the default: with constraints it is the loop of position-based dynamics as Mueller et al. (2007) wrote it.

   Leapfrog is of second order, and reversible. The velocities u that move the positions belong to the middle of the
   substep. Written as kick, drift, kick it needs no special start, the substep may change at any time, and impulses and
   teleports need no special treatment. Two neighbouring half kicks are the lectures' single kick from one half step to
   the next, u' = u + a (h_old + h) / 2. For the second half kick, a force that depends on velocity is evaluated with u
   + h/2 a(x), which keeps the second order.

   Verlet works on pairs of positions, x' = x + (x - x_old) h / h_old + a h (h + h_old) / 2; the last factors correct
   for a change of the substep. A pair is equivalent to a velocity: with

       v = (x - x_old) / h_old + a h_old / 2       this is       x' = x + h (v + a h / 2),

   and the next pair gives v' = (v + a h / 2) + a' h / 2. That is leapfrog, term by term, constraints included: what
   moves x' moves the next pair, "this displacement automatically causes an update of the velocity". So the engine
   stores the pair in the form of v, with its rounding remainder. A pair of positions in single precision would give a
   less precise velocity: four jointed bodies in free flight lost 2.7e-5 of their angular momentum in 10,000 substeps.
   Without a past, the pair x_old = x - v h + a h^2 / 2 is equivalent. An impulse, a teleport, damping and drag change
   v, and with it the pair. A test compares the engine's positions with the formula of pairs. */
#include "integrators/integrator.h"

#define SN_VECTOR 0
#include "integrators/stages.h"

static const sn_integrator_method forward_euler = {.name = "forward_euler", .kick = 0, .step_factor = 1};

static const sn_integrator_method symplectic_euler = {.name = "symplectic_euler", .kick = 1, .step_factor = 1};

static const sn_integrator_method leapfrog = {
    .name = "leapfrog", .kick = (sn_real)0.5, .asks_again = true, .step_factor = 1};

static const sn_integrator_method verlet = {
    .name = "verlet", .kick = (sn_real)0.5, .asks_again = true, .step_factor = 1};

static const sn_integrator_method bdf2 = {
    .name = "bdf2", .kick = (sn_real)0.5, .looks_back = true, .step_factor = (sn_real)(2.0 / 3)};

const sn_integrator_method *const sn_integrators[SN_INTEGRATOR_COUNT] = {
    [SN_INTEGRATOR_FORWARD_EULER] = &forward_euler,
    [SN_INTEGRATOR_SYMPLECTIC_EULER] = &symplectic_euler,
    [SN_INTEGRATOR_LEAPFROG] = &leapfrog,
    [SN_INTEGRATOR_VERLET] = &verlet,
    [SN_INTEGRATOR_BDF2] = &bdf2,
};

/* ---- One particle at a time -------------------------------------------------------------------------------------- */

static uint32_t slot_of(const sn_motion *motion, uint32_t i)
{
    return motion->list ? motion->list[i] : motion->first + i;
}

static moving load(const sn_motion *motion, uint32_t slot, uint32_t k)
{
    return (moving){*vec4_part(&motion->x[slot], k), *vec4_part(&motion->x_low[slot], k),
                    *vec4_part(&motion->v[slot], k), *vec4_part(&motion->v_low[slot], k)};
}

static void store(const sn_motion *motion, uint32_t slot, uint32_t k, moving m)
{
    *vec4_part(&motion->x[slot], k) = m.x;
    *vec4_part(&motion->x_low[slot], k) = m.x_low;
    *vec4_part(&motion->v[slot], k) = m.v;
    *vec4_part(&motion->v_low[slot], k) = m.v_low;
}

/* The past of one coordinate, as if the user's force had always had its present value; see stages.h. */
static past past_of(const sn_motion *motion, uint32_t slot, uint32_t k)
{
    past p = {*vec4_part(&motion->old_d[slot], k), *vec4_part(&motion->old_v[slot], k)};
    const sn_real h = motion->h;
    if (!motion->unsteady)
        return p;
    sn_real jump = (vec3_part(&motion->given[slot], k) - *vec4_part(&motion->old_f[slot], k)) * motion->x[slot].w;
    if (jump != 0) {
        p.d -= h * h / 2 * jump;
        p.v -= h * jump;
    }
    return p;
}

/* The acceleration at the end of the substep, a' = 2 a - a_old. The previous acceleration may be valid (the length of
   that substep is then h or -h) even if velocities jumped in between. */
static sn_real end_acceleration(const sn_motion *motion, uint32_t slot, uint32_t k, sn_real a)
{
    sn_real old_h = motion->old_d[slot].w;
    if (!motion->unsteady || (old_h != motion->h && old_h != -motion->h))
        return a;
    sn_real jump = (vec3_part(&motion->given[slot], k) - *vec4_part(&motion->old_f[slot], k)) * motion->x[slot].w;
    return 2 * a - (*vec4_part(&motion->old_a[slot], k) + jump);
}

static void predict_back(const sn_motion *motion, uint32_t slot, uint32_t k, sn_real a)
{
    moving m = load(motion, slot, k);
    sn_real *old_d = vec4_part(&motion->old_d[slot], k), *old_v = vec4_part(&motion->old_v[slot], k);
    if (motion->ends_previous)
        *old_d = stage_displacement(motion, m.v, *old_d);
    moving to = motion_has_past(motion, slot) || !motion->unsteady
                    ? stage_predict_back(motion, m, past_of(motion, slot, k), end_acceleration(motion, slot, k, a), -1)
                    : stage_predict(motion, m, a, -1);
    *old_v = m.v * motion->keep;
    store(motion, slot, k, to);
}

static bool settle(const sn_motion *motion)
{
    sn_motion own = *motion;
    flags sound = -1;
    for (uint32_t i = 0; i < own.count; ++i) {
        const uint32_t slot = slot_of(&own, i);
        own.rate = own.looks_back && own.unsteady && !motion_has_past(&own, slot) ? 1 / own.h : motion->rate;
        for (uint32_t k = 0; k < 3; ++k) {
            moving m = stage_settle(&own, load(&own, slot, k), *vec4_part(&own.mark[i], k));
            store(&own, slot, k, m);
            sound &= is_sound(&m);
        }
    }
    return sound != 0;
}

static bool predict(const sn_motion *motion)
{
    const bool sound = !motion->settles_previous || settle(motion);
    for (uint32_t i = 0; i < motion->count; ++i) {
        const uint32_t slot = motion->first + i;
        const flags moves = lanes_unequal(motion->x[slot].w, 0);
        const sn_vec3 a = motion_acceleration(motion, slot);
        if (motion->start && moves)
            motion->start[slot] = motion->x[slot];
        if (motion->start)
            motion->start_low[slot] = motion->x_low[slot];
        for (uint32_t k = 0; k < 3; ++k) {
            if (motion->looks_back && moves)
                predict_back(motion, slot, k, vec3_part(&a, k));
            else
                store(motion, slot, k, stage_predict(motion, load(motion, slot, k), vec3_part(&a, k), moves));
            *vec4_part(&motion->mark[i], k) = *vec4_part(&(motion->coarse ? motion->x : motion->x_low)[slot], k);
        }
        motion->mark[i].w = 0;
    }
    return sound;
}

static void note(const sn_motion *motion)
{
    const sn_vec4 *from = motion->coarse ? motion->x : motion->x_low;
    for (uint32_t i = 0; i < motion->count; ++i)
        motion->mark[i] = from[slot_of(motion, i)];
}

/* A particle without a past ends as in leapfrog. Its displacement is its drift. */
static void end_back(const sn_motion *motion, uint32_t slot, uint32_t k, sn_real a)
{
    moving m = load(motion, slot, k);
    sn_real *old_d = vec4_part(&motion->old_d[slot], k);
    if (motion_has_past(motion, slot) || !motion->unsteady) {
        *old_d = stage_displacement(motion, m.v, past_of(motion, slot, k).d);
        return;
    }
    *old_d = motion->h * m.v;
    stage_end(motion, &m, end_acceleration(motion, slot, k, a));
    store(motion, slot, k, m);
}

static void remember(const sn_motion *motion, uint32_t slot, sn_vec3 a)
{
    motion->old_d[slot].w = motion->jumps ? -motion->h : motion->h;
    motion->old_a[slot] = vec4(a, 0);
    motion->old_f[slot] = vec4(motion->given[slot], 0);
}

static bool end(const sn_motion *motion)
{
    bool sound = true;
    for (uint32_t slot = motion->first; slot < motion->first + motion->count; ++slot) {
        const sn_vec3 a = motion_acceleration(motion, slot);
        const bool moves = motion->x[slot].w != 0;
        for (uint32_t k = 0; moves && k < 3; ++k) {
            moving m = load(motion, slot, k);
            if (motion->looks_back) {
                end_back(motion, slot, k, vec3_part(&a, k));
            } else {
                stage_end(motion, &m, vec3_part(&a, k));
                store(motion, slot, k, m);
            }
            m = load(motion, slot, k);
            sound = sound && is_sound(&m);
        }
        if (motion->looks_back && motion->unsteady && moves)
            remember(motion, slot, a);
        else if (motion->looks_back && motion->unsteady)
            motion->old_d[slot] = motion->old_v[slot] = motion->old_a[slot] = motion->old_f[slot] = (sn_vec4){0};
    }
    return sound;
}

const sn_motion_table sn_motion_scalar = {predict, note, settle, end};
