/* Existing constraints: handles, changes and removal. */
#include "world/constraint_work.h"

#include <stdio.h>
#include <string.h>

/* ---- Handles ---------------------------------------------------------------------------------------------------- */

bool sn_constraint_is_valid(const sn_world *world, sn_constraint constraint)
{
    return world && constraint.kind && constraint.kind < world->constraints.kind_count &&
           sn_ids_is_valid(&world->constraints.pool[constraint.kind]->ids, constraint.index, constraint.generation);
}

sn_pool *sn_constraint_pool(const sn_world *world, sn_constraint constraint)
{
    if (!world)
        return NULL;
    if (sn_constraint_is_valid(world, constraint))
        return world->constraints.pool[constraint.kind];
    if (constraint.generation == 0)
        world_fail(world, SN_ERROR_STALE, "the constraint is null");
    else if (constraint.kind == 0 || constraint.kind >= world->constraints.kind_count)
        world_fail(world, SN_ERROR_STALE, "constraint %u is of kind %u, which is not known to this world",
                   constraint.index, constraint.kind);
    else
        world_fail(world, SN_ERROR_STALE, "%s constraint %u (generation %u) does not exist (any more)",
                   world->constraints.pool[constraint.kind]->kind->name, constraint.index, constraint.generation);
    return NULL;
}

/* Common start of the calls that change a constraint. */
static sn_result begin_change(const sn_world *world, sn_constraint constraint, sn_pool **pool)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    *pool = sn_constraint_pool(world, constraint);
    return *pool ? SN_OK : SN_ERROR_STALE;
}

sn_result sn_constraints_check_run(const sn_world *world, sn_constraints run)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (run.count == 0)
        return world_fail(world, SN_ERROR_STALE, "the run of constraints is null");
    for (uint32_t i = 0; i < run.count; ++i)
        if (!sn_constraint_pool(world, sn_constraints_at(run, i)))
            return SN_ERROR_STALE;
    return SN_OK;
}

uint32_t sn_world_constraint_count(const sn_world *world, uint32_t kind)
{
    if (!world || kind >= world->constraints.kind_count)
        return 0;
    return kind == SN_KIND_NONE ? world->constraints.counts.live : world->constraints.pool[kind]->ids.live;
}

/* ---- Changing and removing -------------------------------------------------------------------------------------- */

sn_result sn_constraint_remove(sn_world *world, sn_constraint constraint)
{
    sn_pool *pool = NULL;
    sn_result result = begin_change(world, constraint, &pool);
    if (result != SN_OK)
        return result;
    sn_constraint_disturb(world, pool, constraint.index);
    sn_store_remove(&world->constraints, constraint.kind, constraint.index);
    sn_store_tidy(&world->constraints, &world->allocator);
    return SN_OK;
}

sn_result sn_constraints_remove(sn_world *world, sn_constraints run)
{
    sn_result result = sn_constraints_check_run(world, run);
    if (result != SN_OK)
        return result;
    for (uint32_t i = 0; i < run.count; ++i) {
        sn_constraint_disturb(world, world->constraints.pool[run.kind], run.first + i);
        sn_store_remove(&world->constraints, run.kind, run.first + i);
    }
    sn_store_tidy(&world->constraints, &world->allocator);
    return SN_OK;
}

/* True if a constraint already has the particles of the definition. Barycentric points and lists count as different. */
static bool holds_the_same(const sn_pool *pool, uint32_t row, const sn_checked_constraint *c)
{
    if (pool_has_lists(pool) || pool->kind->turn_param)
        return false;
    for (uint32_t i = 0; i < pool->kind->points; ++i)
        if (c->points[i].count != 1 ||
            pool->point[(size_t)row * pool->kind->points + i] != c->points[i].particle[0].index)
            return false;
    return true;
}

sn_result sn_constraint_change(sn_world *world, sn_constraint constraint, const sn_constraint_def *def)
{
    sn_pool *pool = NULL;
    sn_result result = begin_change(world, constraint, &pool);
    if (result != SN_OK)
        return result;
    if (def && def->kind != constraint.kind)
        return world_fail(world, SN_ERROR_ARGUMENT, "a constraint of kind '%s' cannot become one of kind %u",
                          pool->kind->name, def->kind);
    sn_checked_constraint c;
    if ((result = sn_constraint_check(world, def, &c)) != SN_OK)
        return result;
    if (!sn_pool_reserve_user(pool, &world->allocator, constraint.index, 1, def->user))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for user data of a %s constraint", pool->kind->name);
    sn_pool_set_user(pool, constraint.index, 1, def->user);
    sn_constraint_disturb(world, pool, constraint.index);
    bool same = holds_the_same(pool, constraint.index, &c);
    if (!same)
        sn_store_log(&world->constraints, constraint.kind, constraint.index, 1, SN_EDIT_REMOVED);
    sn_store_free_anchors(&world->constraints, pool, constraint.index);
    sn_constraint_fill(world, constraint.kind, constraint.index, &c);
    sn_store_log(&world->constraints, constraint.kind, constraint.index, 1, same ? SN_EDIT_CHANGED : SN_EDIT_ADDED);
    sn_pool_forget(pool, constraint.index, 1);
    sn_store_tidy(&world->constraints, &world->allocator);
    world->incidence.built = false; /* it has other particles now */
    sn_tear_constraint_changed(world);
    world->constraints.edits++;
    return SN_OK;
}

uint32_t sn_constraint_point_count(const sn_world *world, sn_constraint constraint)
{
    const sn_pool *pool = sn_constraint_pool(world, constraint);
    return pool ? pool_point_count(pool, constraint.index) : 0;
}

/* One point of a constraint, as a user would define it. */
static sn_point read_point(const sn_world *world, const sn_pool *pool, uint32_t index, uint32_t i)
{
    uint32_t code;
    if (pool_has_lists(pool)) {
        sn_list list = pool_list(pool, index);
        code = list.particle[list.local[i]];
    } else {
        code = pool->point[(size_t)index * pool->kind->points + i];
    }
    sn_anchor anchor = {.particle = {code}, .weight = {1}, .count = 1, .turn = {0, 0, 0, 1}};
    if (code & SN_ANCHOR_BIT)
        anchor = world->constraints.anchor[code & ~SN_ANCHOR_BIT];
    if (anchor.type == SN_POINT_PLACE)
        return sn_at_place_turned(anchor.place, anchor.turn);
    if (anchor.type == SN_POINT_BODY) {
        const sn_body_state *body = &world->bodies.state[anchor.body];
        return sn_on_body_turned(sn_body_of_row(world, anchor.body), sn_body_place(body, anchor.place),
                                 sn_body_place_turn(body, anchor.turn));
    }
    sn_point point = {.count = anchor.count};
    for (uint32_t j = 0; j < anchor.count; ++j) {
        point.particle[j] = (sn_particle){anchor.particle[j], world->ids.generation[anchor.particle[j]]};
        point.weight[j] = anchor.weight[j];
    }
    return point;
}

sn_result sn_constraint_read(const sn_world *world, sn_constraint constraint, sn_constraint_def *def, sn_point *points,
                             uint32_t capacity)
{
    const sn_pool *pool = sn_constraint_pool(world, constraint);
    if (!pool)
        return world ? SN_ERROR_STALE : SN_ERROR_ARGUMENT;
    if (!def || !points)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s is NULL", def ? "points" : "def");
    uint32_t count = pool_point_count(pool, constraint.index);
    if (count > capacity)
        return world_fail(world, SN_ERROR_ARGUMENT, "the constraint has %u points; there is room for %u", count,
                          capacity);
    *def = sn_default_constraint_def(constraint.kind);
    def->points = points;
    def->point_count = count;
    for (uint32_t i = 0; i < count; ++i)
        points[i] = read_point(world, pool, constraint.index, i);
    if (pool->param_count)
        memcpy(def->param, pool->param + (size_t)constraint.index * pool->param_count,
               pool->param_count * sizeof *def->param);
    sn_give give = pool->give[constraint.index];
    def->compliance = give.compliance;
    def->damping = give.damping;
    def->stiffness = give.stiffness;
    def->point_param = pool_own(pool, constraint.index);
    def->state = pool_state(pool, constraint.index);
    def->user = sn_pool_user(pool, constraint.index);
    return SN_OK;
}

uint64_t sn_constraint_user(const sn_world *world, sn_constraint constraint)
{
    const sn_pool *pool = sn_constraint_pool(world, constraint);
    return pool ? sn_pool_user(pool, constraint.index) : 0;
}

sn_result sn_constraint_set_user(sn_world *world, sn_constraint constraint, uint64_t user)
{
    sn_pool *pool = NULL;
    sn_result result = begin_change(world, constraint, &pool);
    if (result != SN_OK)
        return result;
    if (!sn_pool_reserve_user(pool, &world->allocator, constraint.index, 1, user))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for user data of a %s constraint", pool->kind->name);
    sn_pool_set_user(pool, constraint.index, 1, user);
    return SN_OK;
}

bool sn_constraint_collides(const sn_world *world, sn_constraint constraint)
{
    const sn_pool *pool = sn_constraint_pool(world, constraint);
    return pool && sn_pool_collides(pool, constraint.index);
}

sn_result sn_constraint_set_collides(sn_world *world, sn_constraint constraint, bool collides)
{
    sn_pool *pool = NULL;
    sn_result result = begin_change(world, constraint, &pool);
    if (result != SN_OK)
        return result;
    if (!sn_pool_reserve_collides(pool, &world->allocator, constraint.index, collides))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact of what a %s constraint joins",
                          pool->kind->name);
    if (sn_pool_collides(pool, constraint.index) == collides)
        return SN_OK;
    sn_pool_set_collides(pool, constraint.index, collides);
    sn_constraint_disturb(world, pool, constraint.index);
    world->constraints.edits++;
    return SN_OK;
}

/* The parameter, and its offset in a row; NULL if the kind has none of that name. */
static const sn_param *find_param(const sn_kind *kind, const char *name, uint32_t *offset)
{
    *offset = 0;
    for (uint32_t i = 0; i < SN_MAX_PARAMS && kind->param[i].name; ++i) {
        if (strcmp(kind->param[i].name, name) == 0)
            return &kind->param[i];
        *offset += param_width(&kind->param[i]);
    }
    return NULL;
}

/* Writes "rest, stiffness, damping", as far as it fits. */
static const char *list_params(const sn_kind *kind, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none");
    for (uint32_t i = 0; i < SN_MAX_PARAMS && kind->param[i].name && used < size; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", kind->param[i].name);
    return text;
}

sn_result sn_constraint_set_param(sn_world *world, sn_constraint constraint, const char *name, const sn_real *value,
                                  uint32_t count)
{
    sn_pool *pool = NULL;
    uint32_t offset;
    sn_result result = begin_change(world, constraint, &pool);
    if (result != SN_OK)
        return result;
    if (!name || !value)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s is NULL", name ? "value" : "name");
    const sn_param *found = find_param(pool->kind, name, &offset);
    char names[200];
    if (!found)
        return world_fail(world, SN_ERROR_ARGUMENT, "a constraint of kind '%s' has no parameter '%.80s'; it has: %s",
                          pool->kind->name, name, list_params(pool->kind, names, sizeof names));
    if (count != param_width(found))
        return world_fail(world, SN_ERROR_ARGUMENT, "parameter '%s' of kind '%s' has %u numbers, not %u", name,
                          pool->kind->name, param_width(found), count);
    sn_real *row = pool->param + (size_t)constraint.index * pool->param_count, param[SN_MAX_PARAM_NUMBERS];
    sn_quat q[SN_MAX_POINTS];
    sn_frame frame = sn_world_frame(world);
    memcpy(param, row, pool->param_count * sizeof *param);
    memcpy(param + offset, value, param_width(found) * sizeof *param);
    sn_eval_in in = sn_evaluate_input(&world->constraints, pool, constraint.index, &frame,
                                      world->constraints.many.column[SN_MANY_X], q);
    if ((result = sn_constraint_complete_params(world, pool, in.x, in.q, in.points, param, SN_CONSTRAINT_ALONE)) !=
        SN_OK)
        return result;
    const bool held = pool_holds_turn(pool, constraint.index);
    memcpy(row, param, pool->param_count * sizeof *param);
    if (held == pool_holds_turn(pool, constraint.index)) {
        sn_store_log(&world->constraints, constraint.kind, constraint.index, 1, SN_EDIT_CHANGED);
    } else { /* for the plan it is a different constraint: see plan_trees.c */
        sn_store_log(&world->constraints, constraint.kind, constraint.index, 1, SN_EDIT_REMOVED);
        sn_store_log(&world->constraints, constraint.kind, constraint.index, 1, SN_EDIT_ADDED);
    }
    sn_constraint_disturb(world, pool, constraint.index);
    if (pool->kind->stiffness)
        world->springs.looked = false;
    return SN_OK;
}

static sn_result set_give(sn_world *world, uint32_t kind, uint32_t row, sn_give give)
{
    sn_pool *pool = world->constraints.pool[kind];
    sn_result result = sn_constraint_check_give(world, pool->kind, give);
    if (result != SN_OK)
        return result;
    pool->give[row] = give;
    sn_store_log(&world->constraints, kind, row, 1, SN_EDIT_CHANGED);
    sn_constraint_disturb(world, pool, row);
    return SN_OK;
}

sn_result sn_constraint_set_material(sn_world *world, sn_constraint constraint, sn_material material)
{
    sn_pool *pool = NULL;
    sn_result result = begin_change(world, constraint, &pool);
    if (result != SN_OK)
        return result;
    sn_real stiffness = pool->give[constraint.index].stiffness;
    return set_give(world, constraint.kind, constraint.index,
                    (sn_give){material.compliance, material.damping, stiffness});
}

sn_result sn_constraint_set_stiffness(sn_world *world, sn_constraint constraint, sn_real stiffness)
{
    sn_pool *pool = NULL;
    sn_result result = begin_change(world, constraint, &pool);
    if (result != SN_OK)
        return result;
    sn_give give = pool->give[constraint.index];
    give.stiffness = stiffness;
    return set_give(world, constraint.kind, constraint.index, give);
}
