/* Springs that are forces are explicit: if they are too stiff for the substep, the motion blows up. This file warns
   before that happens.

   Stiffness. With M the masses, K the sum of k n n^T over the springs and w = 1/m, the squared frequencies of a system
   of springs are the eigenvalues of M^-1/2 K M^-1/2. By Gershgorin none is larger than the largest sum over a row of
   blocks, that is, over the springs of a particle i

       omega^2 <= sum_e k_e a_i sqrt(w_i) sum_j a_j sqrt(w_j),

   where j runs over the particles that carry the ends of spring e, and a is the share that each carries: 1, or a weight
   of a barycentric point. One spring to a static contact has omega^2 = k w, a long chain 4 k w, and the bound equals
   both. Dampers sum up in the same way to a rate gamma. A spring that is rotated or compressed has a smaller stiffness
   than that.

   Stability. With z = (h omega)^2 and g = h gamma, it follows from the characteristic polynomial of the integrator for
   one such motion (Jury's criterion). q = e^(-damping h) is the factor of the world's damping:

       symplectic Euler    z / 2 + g < 1 + q
       leapfrog, Verlet    z < 4 - 2 g + g^2 and g < 2     the last half kick gives dampers a predicted velocity
       forward Euler       q (1 + z) - g < 1, g < 1 + q + q z / 2     never without dampers: the motion grows
       BDF2                z + 4 g < 2/3 (1 + q) (3 + q)   and it grows by z^2 / 4 a substep: forces are extrapolated

   With the last two, slow growth is normal. The warning is given if the motion grows by a factor of e or more in a
   second. */
#include "world/substep.h"

#include "base/math.h"

#include <stdio.h>

#define GROWTH 1.0 /* 1/s: slower growth gives no warning */
#define WORSE  1.1 /* if only dt changed, the warning is repeated when the motion is worse by this factor */

/* Upper bounds for the motion of one particle on its springs. */
typedef struct spring_motion {
    double stiffness; /* omega^2, 1/s^2 */
    double damping;   /* gamma, 1/s */
} spring_motion;

/* ---- Stability --------------------------------------------------------------------------------------------------- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double bad_leapfrog(double z, double g)
{
    return larger(z / (4 - 2 * g + g * g), g / 2);
}

static double bad_forward_euler(double z, double g, double q, double h)
{
    double squared = q + q * z - g; /* the product of the two growth factors of a substep */
    double growth = squared > 1 ? math_log(squared) / (2 * h) : 0;
    return larger(growth / GROWTH, g / (1 + q + q * z / 2));
}

/* The growth is z^2 / 4 for small z, less the damping; the denominator was fitted to the largest root up to z = 1. */
static double bad_bdf2(double z, double g, double q, double h)
{
    double growth = (z * z / (4 * (1 + z + 1.5 * z * z)) - (g + 1 - q) / 2) / h;
    return larger(growth / GROWTH, (z + 4 * g) / (2.0 / 3 * (1 + q) * (3 + q)));
}

/* Above 1 the motion is unstable with the substep h; 0 if there are no springs. */
static double badness(const spring_motion *motion, sn_integrator integrator, double damping, double h)
{
    double z = h * h * motion->stiffness, g = h * motion->damping, q = math_exp(-damping * h);
    switch (integrator) {
    case SN_INTEGRATOR_LEAPFROG:
    case SN_INTEGRATOR_VERLET:
        return bad_leapfrog(z, g);
    case SN_INTEGRATOR_FORWARD_EULER:
        return bad_forward_euler(z, g, q, h);
    case SN_INTEGRATOR_BDF2:
        return bad_bdf2(z, g, q, h);
    case SN_INTEGRATOR_SYMPLECTIC_EULER:
        break;
    }
    return (z / 2 + g) / (1 + q);
}

/* ---- Stiffness --------------------------------------------------------------------------------------------------- */

/* Sums the shares of the particles in an element, times the roots of their inverse masses. */
static double sum_shares(const sn_world *world, const sn_pool *pool, uint32_t row)
{
    sn_frame frame = sn_world_frame(world);
    double sum = 0;
    for (uint32_t i = 0; i < pool_point_count(pool, row); ++i) {
        uint32_t slot[4];
        sn_real weight[4];
        uint32_t count = sn_point_corners(&world->constraints, pool, row, &frame, i, slot, weight);
        for (uint32_t j = 0; j < count; ++j)
            sum += fabs((double)weight[j]) * sqrt((double)world->particles.x[slot[j]].w);
    }
    return sum;
}

/* Adds an element to the row of each of its particles. The scratch memory for forces has the sums: x of stiffness, y of
   damping. */
static void add_element(sn_world *world, const sn_pool *pool, uint32_t row)
{
    sn_frame frame = sn_world_frame(world);
    sn_real damping = 0;
    double stiffness =
        (double)pool->kind->stiffness(pool->param + (size_t)row * pool->param_count, pool->kind->context, &damping);
    double sum = sum_shares(world, pool, row);
    for (uint32_t i = 0; i < pool_point_count(pool, row); ++i) {
        uint32_t slot[4];
        sn_real weight[4];
        uint32_t count = sn_point_corners(&world->constraints, pool, row, &frame, i, slot, weight);
        for (uint32_t j = 0; j < count; ++j) {
            double share = fabs((double)weight[j]) * sqrt((double)world->particles.x[slot[j]].w) * sum;
            sn_vec3 *f = &world->particles.f[slot[j]];
            f->x += (sn_real)(stiffness * share);
            f->y += (sn_real)((double)damping * share);
        }
    }
}

/* False if there is no element with a known stiffness. */
static bool add_elements(sn_world *world)
{
    bool any = false;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        if (!pool->ids.live || !pool->kind->force || !pool->kind->stiffness)
            continue;
        for (uint32_t slot = 0; !any && slot < world->particles.table.count; ++slot)
            world->particles.f[slot] = vec3(0, 0, 0);
        any = true;
        for (uint32_t row = 0; row < pool->ids.table.count; ++row)
            if (sn_ids_is_live(&pool->ids, row))
                add_element(world, pool, row);
    }
    return any;
}

static spring_motion motion_at(const sn_world *world, uint32_t slot)
{
    return (spring_motion){(double)world->particles.f[slot].x, (double)world->particles.f[slot].y};
}

/* ---- Warnings ---------------------------------------------------------------------------------------------------- */

/* The least number of substeps for which every motion is stable; more than the maximum if there is none. */
static uint32_t enough_substeps(const sn_world *world, sn_integrator integrator, double damping, double dt)
{
    uint32_t enough = 1;
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot) {
        spring_motion motion = motion_at(world, slot);
        uint32_t low = enough, high = SN_MOST_PASSES + 1; /* low - 1 is too few, high is enough */
        if (!(badness(&motion, integrator, damping, dt / low) > 1))
            continue;
        while (low + 1 < high) {
            uint32_t middle = low + (high - low) / 2;
            if (badness(&motion, integrator, damping, dt / middle) > 1)
                low = middle;
            else
                high = middle;
        }
        enough = high;
    }
    return enough;
}

/* The largest stable omega h with the present dampers. */
static double bearable(spring_motion motion, sn_integrator integrator, double damping, double h)
{
    double low = 0, high = 4 / h; /* rad/s: twice the limit of any integrator */
    for (int i = 0; i < 40; ++i) {
        double middle = (low + high) / 2;
        motion.stiffness = middle * middle;
        if (badness(&motion, integrator, damping, h) > 1)
            high = middle;
        else
            low = middle;
    }
    return low * h;
}

static void tell(sn_world *world, const sn_spring_watch *now, uint32_t slot)
{
    char text[512], remedy[96];
    spring_motion motion = motion_at(world, slot);
    uint32_t substeps = world->state.settings.substeps;
    double h = (double)now->h, omega = sqrt(motion.stiffness);
    uint32_t enough = enough_substeps(world, now->integrator, now->damping, h * substeps);
    if (enough <= SN_MOST_PASSES)
        snprintf(remedy, sizeof remedy, "use %u substeps instead of %u", enough, substeps);
    else
        snprintf(remedy, sizeof remedy, "no number of substeps is enough: use fewer newtons per metre");
    snprintf(
        text, sizeof text,
        "springs at particle %u are too stiff for forces: with h = %.3g s and omega = %.4g rad/s, omega h is %.3g and "
        "dampers take %.3g times the velocity a substep; '%s' bears an omega h of %.3g. They will %s; %s, or rods with "
        "compliance, "
        "which may be as stiff as you like",
        world->particles.index[slot], h, omega, h * omega, h * motion.damping, sn_integrators[now->integrator]->name,
        bearable(motion, now->integrator, now->damping, h),
        now->integrator == SN_INTEGRATOR_FORWARD_EULER ? "gain energy" : "blow up", remedy);
    sn_warn(&world->errors, text);
}

/* ---- Test -------------------------------------------------------------------------------------------------------- */

/* The particle with the most unstable motion; SN_NO_SLOT if none is on springs. */
static uint32_t find_worst(sn_world *world, const sn_spring_watch *now, double *bad)
{
    uint32_t worst = SN_NO_SLOT;
    *bad = 0;
    world->busy = true; /* kinds may be the caller's functions */
    bool any = add_elements(world);
    world->busy = false;
    for (uint32_t slot = 0; any && slot < world->particles.table.count; ++slot) {
        spring_motion motion = motion_at(world, slot);
        double here = badness(&motion, now->integrator, now->damping, (double)now->h);
        if (here > *bad) {
            *bad = here;
            worst = slot;
        }
    }
    return worst;
}

static bool is_same(const sn_spring_watch *a, const sn_spring_watch *b)
{
    return a->edits == b->edits && a->h == b->h && a->integrator == b->integrator && a->damping == b->damping;
}

void sn_springs_watch(sn_world *world, sn_real dt, bool still)
{
    const sn_settings *settings = &world->state.settings;
    sn_spring_watch *last = &world->springs;
    sn_spring_watch now = {.edits = world->constraints.edits,
                           .h = dt / (sn_real)settings->substeps,
                           .integrator = still ? SN_INTEGRATOR_SYMPLECTIC_EULER : settings->integrator,
                           .damping = still ? 0 : (double)settings->damping,
                           .looked = true,
                           .substeps = settings->substeps};
    if (last->looked && is_same(last, &now))
        return;
    double bad;
    uint32_t slot = find_worst(world, &now, &bad);
    if (slot != SN_NO_SLOT) {
        now.particle = world->particles.index[slot];
        now.stiffness = world->particles.f[slot].x;
        now.decay = world->particles.f[slot].y;
    }
    /* unrelated constraints that are added or removed, or a variable dt, do not repeat the warning */
    bool known = last->particle == now.particle && last->stiffness == now.stiffness && last->decay == now.decay &&
                 last->integrator == now.integrator && last->substeps == now.substeps;
    now.told = known ? last->told : 0;
    if (bad > 1 && bad > WORSE * now.told) {
        now.told = bad;
        tell(world, &now, slot);
    }
    *last = now;
}
