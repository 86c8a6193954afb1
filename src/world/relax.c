/* Statics: steps a world until it rests.

   The lectures find rest by very strong drag. That makes every mode of a world slow: a mode that swings with a period T
   without drag needs many T to creep to rest. Critical drag would be fast, but is different for every mode. Kinetic
   damping (Cundall 1976; Barnes 1988, for nets and membranes) has no number to choose. The world swings freely. When
   its kinetic energy has passed a peak it is near equilibrium, and is stopped there. The other modes are left, and the
   same is repeated for them.

   Rest is measured by displacements, not by velocities or forces: within `patience` nothing has moved by more than a
   given distance. A particle that is still on its way would have moved by some of it in that time. */
#include "bodies/rotation.h"
#include "solvers/row.h"
#include "world/world.h"

#include <string.h>

/* The kinetic energy has passed a peak if it is below the peak by this factor; so small ripples do not count. */
#define PAST_PEAK 0.9

/* A world without a peak for this many times `patience` rotates or drifts freely, for ever: it is also stopped. */
#define SPANS_TO_PEAK 20

sn_relax_def sn_default_relax_def(void)
{
    sn_relax_def def;
    memset(&def, 0, sizeof def);
    def.dt = (sn_real)(1.0 / 60);
    def.steps = 10000;
    def.displacement = (sn_real)1e-5;
    def.speed = (sn_real)INFINITY;
    def.patience = (sn_real)0.5;
    return def;
}

static sn_result check(const sn_world *world, const sn_relax_def *def)
{
    if (!(def->dt > 0))
        return world_fail(world, SN_ERROR_ARGUMENT, "relax: dt is %g s; it must be positive", (double)def->dt);
    if (def->steps == 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "relax: steps is 0; it must be 1 or more");
    if (!(def->displacement > 0))
        return world_fail(world, SN_ERROR_ARGUMENT, "relax: displacement is %g m; it must be positive",
                          (double)def->displacement);
    if (!(def->speed > 0))
        return world_fail(world, SN_ERROR_ARGUMENT, "relax: speed is %g m/s; it must be positive", (double)def->speed);
    if (!(def->patience > 0))
        return world_fail(world, SN_ERROR_ARGUMENT, "relax: patience is %g s; it must be positive",
                          (double)def->patience);
    return sn_world_check_dt(world, def->dt);
}

static void stop(sn_world *world)
{
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot) {
        world->particles.v[slot] = vec4(vec3(0, 0, 0), world->particles.v[slot].w);
        world->particles.v_low[slot] = vec4(vec3(0, 0, 0), 0);
    }
    for (uint32_t row = 0; row < bodies_rows(&world->bodies); ++row)
        memset(world->bodies.state[row].l, 0, sizeof world->bodies.state[row].l);
}

/* Kinetic energy in J; raises *fastest, in m/s. */
static double kinetic_energy(const sn_world *world, double *fastest)
{
    double energy = 0, square = *fastest * *fastest;
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot) {
        sn_vec3 v = vec4_xyz(world->particles.v[slot]);
        double v2 = vec3_dot_double(v, v);
        if (world->particles.x[slot].w == 0)
            continue;
        energy += (double)world->particles.v[slot].w * v2 / 2;
        square = v2 > square ? v2 : square;
    }
    for (uint32_t row = 0; row < bodies_rows(&world->bodies); ++row) {
        const sn_body_state *body = &world->bodies.state[row];
        double inverse[3];
        if (!bodies_has(&world->bodies, row) || world->particles.x[world->ids.value[body->particle]].w == 0)
            continue;
        sn_body_inverse_moments(body, inverse);
        double turning = sn_rotate_energy(body->q, body->l, inverse); /* about half the square of the speed of its
                                                                         rim */
        energy += (double)world->particles.v[world->ids.value[body->particle]].w * turning;
        square = fmax(square, 2 * turning);
    }
    *fastest = sqrt(square);
    return energy;
}

/* Stores all positions. */
static void mark(sn_world *world)
{
    uint32_t count = world->particles.table.count;
    if (!count)
        return;
    memcpy(world->rest_table.column[0], world->particles.x, count * sizeof *world->particles.x);
    memcpy(world->rest_table.column[1], world->particles.x_low, count * sizeof *world->particles.x_low);
}

/* m: the largest displacement of a particle since then. */
static double farthest(const sn_world *world)
{
    const sn_vec4 *x0 = world->rest_table.column[0], *x = world->particles.x;
    const sn_vec4 *low0 = world->rest_table.column[1], *low = world->particles.x_low;
    double most = 0;
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot) {
        double dx = ((double)x[slot].x - (double)x0[slot].x) + ((double)low[slot].x - (double)low0[slot].x);
        double dy = ((double)x[slot].y - (double)x0[slot].y) + ((double)low[slot].y - (double)low0[slot].y);
        double dz = ((double)x[slot].z - (double)x0[slot].z) + ((double)low[slot].z - (double)low0[slot].z);
        most = fmax(most, dx * dx + dy * dy + dz * dz);
    }
    return sqrt(most);
}

/* The largest residual of a constraint at rest, in m. Dampers exert no force at rest. */
static double worst_residual(sn_world *world)
{
    sn_frame frame = sn_world_frame(world);
    double worst = 0;
    world->busy = true; /* kinds may be the caller's functions */
    for (uint32_t kind = 1; world->state.h > 0 && kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; !pool->kind->force && row < pool->ids.table.count; ++row) {
            sn_block block;
            sn_block_room room;
            if (!sn_ids_is_live(&pool->ids, row) || !evaluate(&world->constraints, pool, row, &frame, &block, &room))
                continue;
            sn_row_give give = row_give(&pool->give[row], 1 / world->state.h);
            give.gamma = 0;
            worst = fmax(worst, (double)sn_row_residual(&block, pool->kind->inequality, give, &frame,
                                                        pool->lambda + (size_t)row * pool->kind->rows));
        }
    }
    world->busy = false;
    return worst;
}

/* Steps until rest, or until the steps are used up. */
static sn_result run(sn_world *world, const sn_relax_def *def, sn_relax_info *info)
{
    double peak = 0, fastest = 0;
    double span = ceil((double)def->patience / (double)def->dt); /* number of steps */
    double longest = SPANS_TO_PEAK * span;
    uint32_t since = 0, going = 0; /* steps since the stored positions, and since the last stop */
    mark(world);
    while (!info->rested && info->steps < def->steps) {
        sn_result result = sn_world_advance(world, def->dt, true);
        if (result != SN_OK)
            return result;
        info->steps++;
        double energy = kinetic_energy(world, &fastest);
        peak = fmax(peak, energy);
        if (energy < PAST_PEAK * peak || ++going > longest) {
            stop(world);
            peak = 0;
            going = 0;
        }
        if (++since < span && info->steps < def->steps)
            continue;
        info->displacement = farthest(world);
        info->speed = fastest;
        info->rested =
            since >= span && info->displacement <= (double)def->displacement && fastest <= (double)def->speed;
        since = 0;
        fastest = 0;
        mark(world);
    }
    return SN_OK;
}

/* Reserves memory for everything except later contacts, and runs. */
static sn_result relax(sn_world *world, const sn_relax_def *def, sn_relax_info *info)
{
    const bool planned = world->plan.made;
    if (!sn_world_reserve_step(world, def->dt, true) ||
        !sn_table_reserve(&world->rest_table, &world->allocator, world->particles.table.count)) {
        world->plan.made = world->plan.made && planned;
        return world_fail(world, SN_ERROR_MEMORY, "no memory to look for rest");
    }
    sn_world_forget_history(world); /* velocities are reset, so the history is invalid */
    sn_sleep_wake_all(world);
    stop(world);
    sn_result result = run(world, def, info);
    stop(world);
    if (result == SN_OK)
        sn_world_finish_step(world);
    info->residual = worst_residual(world);
    return result;
}

/* Memory may run out during the run, if there are more contacts than before. So the state is saved first. */
sn_result sn_world_relax(sn_world *world, const sn_relax_def *def, sn_relax_info *info)
{
    sn_relax_info unused;
    const sn_relax_def usual = sn_default_relax_def();
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = check(world, def ? def : &usual)) != SN_OK)
        return result;
    info = info ? info : &unused;
    *info = (sn_relax_info){0};
    size_t size = sn_state_measure(world);
    unsigned char *kept = size ? sn_allocate(&world->allocator, size) : NULL;
    if (!kept)
        return world_fail(world, SN_ERROR_MEMORY, "no memory to look for rest");
    sn_state_write(world, kept);
    result = relax(world, def ? def : &usual, info);
    if (result == SN_ERROR_MEMORY)
        sn_state_load(world, kept, size);
    sn_release(&world->allocator, kept, size);
    return result;
}
