/* Forces of constraints, and their values. */
#include "base/dvec.h"
#include "solvers/tiled.h"
#include "world/world.h"

#include <string.h>

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

/* The force of the multiplier of a row in the last substep, lambda / h^2; 0 before the first step. */
static double own_force(const sn_world *world, const sn_pool *pool, uint32_t index, uint32_t row)
{
    const double h = (double)world->state.h;
    return h > 0 ? (double)pool->lambda[(size_t)index * pool->kind->rows + row] / (h * h) : 0;
}

/* What hinges that are solved at once exert on a particle that a pin or an attachment holds. */
static double hinge_lambda(const sn_world *world, const sn_pool *pool, uint32_t index, uint32_t row)
{
    sn_pool *const *pools = world->constraints.pool;
    const uint32_t kind = pool == pools[SN_KIND_PIN]          ? SN_KIND_PIN
                          : pool == pools[SN_KIND_ATTACHMENT] ? SN_KIND_ATTACHMENT
                                                              : SN_KIND_NONE;
    return world->busy ? 0
                       : sn_tiled_held_load(&world->scratch, &world->plan, &world->constraints, kind, index,
                                            world->ids.value, row);
}

/* The same with what limits of a stiff mesh carried, and hinges. */
static double row_force(const sn_world *world, const sn_pool *pool, uint32_t index, uint32_t row)
{
    const double h = (double)world->state.h,
                 more = h > 0 ? sn_limit_lambda(world, pool, index, row) + hinge_lambda(world, pool, index, row) : 0;
    return own_force(world, pool, index, row) + (more != 0 ? more / (h * h) : 0);
}

/* A constraint evaluated at the present positions, with gradients by point. */
typedef struct evaluated {
    sn_real c[SN_MAX_ROWS];
    sn_row row[SN_MAX_ROWS];
    sn_vec3 *gradient; /* in the store's scratch memory */
    sn_vec3 turn[SN_MAX_ROWS * SN_MAX_POINTS];
} evaluated;

/* `forces`: with the directions that forces had in the last step. False if the constraint cannot be evaluated. */
static bool evaluate_points(const sn_world *world, uint32_t kind, uint32_t index, bool forces, evaluated *e)
{
    const sn_pool *pool = world->constraints.pool[kind];
    const sn_table *many = &world->constraints.many;
    sn_frame frame = sn_world_frame(world);
    sn_quat q[SN_MAX_POINTS];
    sn_vec3 *x = many->column[SN_MANY_X];
    sn_eval_in in = sn_evaluate_input(&world->constraints, pool, index, &frame, x, q);
    if (forces)
        sn_tiled_place_points(&world->scratch, &world->plan, &world->constraints, kind, index, world->ids.value, x);
    memset(e, 0, sizeof *e);
    e->gradient = many->column[SN_MANY_BY_POINT];
    memset(e->gradient, 0, (size_t)pool->kind->rows * in.points * sizeof *e->gradient);
    sn_eval_out out = {e->c, e->gradient, pool->kind->oriented ? e->turn : NULL, pool->kind->own_rows ? e->row : NULL};
    bool was_busy = world->busy;
    ((sn_world *)world)->busy = true; /* eval may be the caller's function */
    bool exists = pool->kind->eval(&in, &out);
    ((sn_world *)world)->busy = was_busy;
    if (forces && exists)
        sn_tiled_direct(&world->scratch, &world->plan, kind, index, e->gradient);
    return exists;
}

/* The forces of a force element on each of its points, at the present positions and velocities. In the store's scratch
   memory. */
static const sn_vec3 *element_force(const sn_world *world, const sn_pool *pool, uint32_t index)
{
    sn_frame frame = sn_world_frame(world);
    sn_real energy;
    bool was_busy = world->busy;
    sn_turns_refresh(world, pool, index);
    ((sn_world *)world)->busy = true; /* it may be the caller's function */
    const sn_vec3 *force = sn_evaluate_force(&world->constraints, pool, index, &frame, world->particles.v, &energy);
    ((sn_world *)world)->busy = was_busy;
    return force;
}

/* The force of an element along the gradient of its C. Positive increases C, as for a constraint. */
static sn_real element_row(const sn_world *world, const sn_pool *pool, sn_constraint constraint)
{
    const uint32_t index = constraint.index;
    evaluated e;
    if (!evaluate_points(world, constraint.kind, index, true, &e))
        return 0;
    sn_vec3 g = e.gradient[0];
    sn_real length2 = vec3_dot(g, g);
    return length2 > 0 ? vec3_dot(element_force(world, pool, index)[0], g) / length2 : 0;
}

sn_force sn_constraint_force(const sn_world *world, sn_constraint constraint)
{
    sn_force force = {.magnitude = (sn_real)NAN};
    const sn_pool *pool = sn_constraint_pool(world, constraint);
    if (!pool)
        return force;
    if (pool->kind->force) {
        force.rows = 1;
        force.row[0] = element_row(world, pool, constraint);
        force.magnitude = vec3_length(element_force(world, pool, constraint.index)[0]);
        return force;
    }
    double sum = 0;
    force.rows = pool->kind->rows;
    for (uint32_t row = 0; row < pool->kind->rows; ++row) {
        double f = row_force(world, pool, constraint.index, row);
        force.row[row] = (sn_real)f;
        sum += f * f;
    }
    force.magnitude = (sn_real)sqrt(sum);
    return force;
}

/* The force of a constraint on one of its points, or its torque about that point. */
static sn_vec3 exerted_on(const sn_world *world, sn_constraint constraint, uint32_t point, bool torque)
{
    sn_vec3 none = vec3((sn_real)NAN, (sn_real)NAN, (sn_real)NAN);
    const sn_pool *pool = sn_constraint_pool(world, constraint);
    if (!pool)
        return none;
    uint32_t points = pool_point_count(pool, constraint.index);
    if (point >= points) {
        world_fail(world, SN_ERROR_ARGUMENT, "point %u of a constraint of kind '%s', which has %u", point,
                   pool->kind->name, points);
        return none;
    }
    if (torque && !pool->kind->oriented)
        return vec3(0, 0, 0);
    if (pool->kind->force)
        return element_force(world, pool, constraint.index)[point];
    evaluated e;
    sn_vec3 sum = vec3(0, 0, 0);
    if (!evaluate_points(world, constraint.kind, constraint.index, true, &e)) {
        world_fail(world, SN_ERROR_ARGUMENT, "%s constraint %u has no direction as positions are now", pool->kind->name,
                   constraint.index);
        return none;
    }
    for (uint32_t row = 0; row < pool->kind->rows; ++row) {
        sn_real f = (sn_real)row_force(world, pool, constraint.index, row);
        sum = vec3_add(sum, vec3_scale((torque ? e.turn : e.gradient)[row * points + point], f));
    }
    return sum;
}

void sn_constraint_exerted(const sn_world *world, uint32_t kind, uint32_t index, sn_real *force, sn_real *torque)
{
    const sn_pool *pool = world->constraints.pool[kind];
    double sum = 0;
    *torque = 0;
    if (pool->kind->force) {
        *force = vec3_length(element_force(world, pool, index)[0]);
        return;
    }
    if (!pool->kind->oriented) {
        for (uint32_t row = 0; row < pool->kind->rows; ++row) {
            double f = row_force(world, pool, index, row);
            sum += f * f;
        }
        *force = (sn_real)sqrt(sum);
        return;
    }
    evaluated e;
    sn_vec3 push = vec3(0, 0, 0), turn = vec3(0, 0, 0);
    const uint32_t points = pool->kind->points;
    if (!evaluate_points(world, kind, index, true, &e)) {
        *force = (sn_real)NAN;
        return;
    }
    for (uint32_t row = 0; row < pool->kind->rows; ++row) {
        sn_real f = (sn_real)row_force(world, pool, index, row);
        push = vec3_add(push, vec3_scale(e.gradient[row * points + points - 1], f));
        turn = vec3_add(turn, vec3_scale(e.turn[row * points + points - 1], f));
    }
    *force = vec3_length(push);
    *torque = vec3_length(turn);
}

sn_vec3 sn_constraint_force_on(const sn_world *world, sn_constraint constraint, uint32_t point)
{
    return exerted_on(world, constraint, point, false);
}

/* ---- Loads of particles --------------------------------------------------------------------------------------------------- */

/* Adds what the multipliers of a constraint exert on a particle. */
static void add_force_on(const sn_world *world, uint32_t kind, uint32_t index, uint32_t slot, sn_dvec3 *sum)
{
    const sn_pool *pool = world->constraints.pool[kind];
    const sn_frame frame = sn_world_frame(world);
    const uint32_t points = pool_point_count(pool, index);
    const sn_vec3 *force = NULL;
    bool evaluates = false, exists = true;
    evaluated e;
    for (uint32_t point = 0; point < points && exists; ++point) {
        uint32_t corner[4];
        sn_real weight[4];
        const uint32_t corners = sn_point_corners(&world->constraints, pool, index, &frame, point, corner, weight);
        for (uint32_t i = 0; i < corners && exists; ++i) {
            if (corner[i] != slot)
                continue;
            if (!evaluates && pool->kind->force)
                force = element_force(world, pool, index);
            else if (!evaluates)
                exists = evaluate_points(world, kind, index, true, &e);
            evaluates = true;
            if (force)
                *sum = dvec3_add(*sum, dvec3_scale(dvec3_from(force[point]), (double)weight[i]));
            for (uint32_t row = 0; !force && exists && row < pool->kind->rows; ++row)
                *sum = dvec3_add(*sum, dvec3_scale(dvec3_from(e.gradient[row * points + point]),
                                                   own_force(world, pool, index, row) * (double)weight[i]));
        }
    }
}

sn_vec3 sn_particle_load(const sn_world *world, sn_particle particle)
{
    const uint32_t slot = world ? sn_world_slot(world, particle) : SN_NO_SLOT;
    if (slot == SN_NO_SLOT)
        return vec3((sn_real)NAN, (sn_real)NAN, (sn_real)NAN);
    const sn_store *store = &world->constraints;
    const double h = (double)world->state.h;
    sn_dvec3 sum;
    if (h > 0 && sn_tiled_pulled(&world->scratch, &world->plan, slot, &sum))
        return dvec3_round(dvec3_scale(sum, -1 / h));
    sum = sn_limit_force_on(world, slot);
    for (uint32_t r = 0; r < store->run_table.count; ++r) {
        const sn_run *run = &store->run[r];
        for (uint32_t i = 0; i < run->count; ++i)
            if (run_has(store->pool[run->kind], run, i))
                add_force_on(world, run->kind, run->first + i, slot, &sum);
    }
    return dvec3_round(sum);
}

sn_vec3 sn_constraint_torque_on(const sn_world *world, sn_constraint constraint, uint32_t point)
{
    return exerted_on(world, constraint, point, true);
}

sn_result sn_constraint_value(const sn_world *world, sn_constraint constraint, sn_real *value)
{
    const sn_pool *pool = sn_constraint_pool(world, constraint);
    if (!pool)
        return world ? SN_ERROR_STALE : SN_ERROR_ARGUMENT;
    if (!value)
        return world_fail(world, SN_ERROR_ARGUMENT, "value is NULL");
    evaluated e;
    bool exists = evaluate_points(world, constraint.kind, constraint.index, false, &e);
    for (uint32_t row = 0; row < pool->kind->rows; ++row)
        value[row] = exists ? e.c[row] : (sn_real)NAN;
    return SN_OK;
}

bool sn_constraint_next(const sn_world *world, sn_constraint_walk *walk)
{
    if (!world || !walk)
        return false;
    if (walk->constraint.kind) /* otherwise the walk has not begun */
        walk->item++;
    walk->constraint = (sn_constraint){0};
    const sn_store *store = &world->constraints;
    if (!sn_store_next(store, &walk->run, &walk->item))
        return false;
    const sn_run *run = &store->run[walk->run];
    uint32_t index = run->first + walk->item;
    walk->constraint = (sn_constraint){run->kind, index, store->pool[run->kind]->ids.generation[index]};
    return true;
}
