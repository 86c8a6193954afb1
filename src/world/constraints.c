/* Constraints: points, kinds, adding. Handles, changes and removal are in constraint_edits.c. */
#include "world/constraint_work.h"

#include <stdio.h>
#include <string.h>

/* The weights of a barycentric point must sum to 1 within this tolerance. A smaller error is distributed over them. */
#define WEIGHT_SLACK 1e-3

/* Marks a definition that was made by sn_default_constraint_def; other memory is unlikely to contain it. */
#define DEF_MADE 0x5157e11u

/* ---- Points ----------------------------------------------------------------------------------------------------- */

sn_point sn_at(sn_particle particle)
{
    return (sn_point){.particle = {particle}, .weight = {1}, .count = 1};
}

sn_point sn_on_triangle(sn_particle a, sn_particle b, sn_particle c, sn_real u, sn_real v, sn_real w)
{
    return (sn_point){.particle = {a, b, c}, .weight = {u, v, w}, .count = 3};
}

sn_point sn_in_tetrahedron(sn_particle a, sn_particle b, sn_particle c, sn_particle d, sn_real t, sn_real u, sn_real v,
                           sn_real w)
{
    return (sn_point){.particle = {a, b, c, d}, .weight = {t, u, v, w}, .count = 4};
}

sn_point sn_on_body_turned(sn_body body, sn_vec3 place, sn_quat turn)
{
    return (sn_point){.type = SN_POINT_BODY, .body = body, .place = place, .turn = turn};
}

sn_point sn_on_body(sn_body body, sn_vec3 place)
{
    return sn_on_body_turned(body, place, (sn_quat){0, 0, 0, 1});
}

sn_point sn_at_place_turned(sn_vec3 place, sn_quat turn)
{
    return (sn_point){.type = SN_POINT_PLACE, .place = place, .turn = turn};
}

sn_point sn_at_place(sn_vec3 place)
{
    return sn_at_place_turned(place, (sn_quat){0, 0, 0, 1});
}

/* Checks an anchor on a body or in the world. */
static sn_result check_anchor(const sn_world *world, sn_point *point)
{
    sn_quat q = point->turn;
    double square =
        (double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z + (double)q.w * (double)q.w;
    if (point->type != SN_POINT_BODY && point->type != SN_POINT_PLACE)
        return world_fail(world, SN_ERROR_ARGUMENT, "a point has the type %d, which is no sn_point_type",
                          (int)point->type);
    if (point->type == SN_POINT_BODY && sn_body_number(world, point->body) == SN_ID_FREE)
        return SN_ERROR_STALE;
    sn_result result = sn_world_check_vector(world, "the place of a point", point->place);
    if (result != SN_OK)
        return result;
    if (!isfinite(square) || !(square > 0))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "the turn of a point is (%g, %g, %g, %g); it must be finite and not zero", (double)q.x,
                          (double)q.y, (double)q.z, (double)q.w);
    point->turn = sn_quat_normal(q);
    point->count = 0;
    return SN_OK;
}

/* Checks a point and scales its weights to a sum of 1, up to rounding. */
static sn_result check_point(const sn_world *world, sn_point *point)
{
    if (point->type != SN_POINT_PARTICLES)
        return check_anchor(world, point);
    if (point->count != 1 && point->count != 3 && point->count != 4)
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "a point has %u particles; it must have 1, 3 or 4 (use sn_at, sn_on_triangle or "
                          "sn_in_tetrahedron)",
                          point->count);
    double sum = 0;
    for (uint32_t i = 0; i < point->count; ++i) {
        if (sn_world_slot(world, point->particle[i]) == SN_NO_SLOT)
            return SN_ERROR_STALE;
        sum += (double)point->weight[i];
        for (uint32_t j = 0; j < i; ++j)
            if (point->particle[i].index == point->particle[j].index)
                return world_fail(world, SN_ERROR_ARGUMENT, "particle %u is two corners of one point",
                                  point->particle[i].index);
    }
    if (!isfinite(sum) || fabs(sum - 1) > WEIGHT_SLACK)
        return world_fail(world, SN_ERROR_ARGUMENT, "the weights of a point sum to %g; they must sum to 1", sum);
    /* if the sum is 1 up to rounding, weights keep their bits, so that a point that was read and added again is
       identical */
    if (fabs(sum - 1) > point->count * (SINEW_DOUBLE ? 2.3e-16 : 1.2e-7))
        for (uint32_t i = 0; i < point->count; ++i)
            point->weight[i] += (sn_real)((1 - sum) / point->count);
    return SN_OK;
}

sn_vec3 sn_point_position(const sn_world *world, sn_point point)
{
    if (!world || check_point(world, &point) != SN_OK)
        return vec3((sn_real)NAN, (sn_real)NAN, (sn_real)NAN);
    if (point.type == SN_POINT_PLACE)
        return point.place;
    if (point.type == SN_POINT_BODY)
        return sn_body_to_world(world, point.body, point.place);
    sn_vec3 sum = vec3(0, 0, 0);
    for (uint32_t i = 0; i < point.count; ++i)
        sum = vec3_add(
            sum, vec3_scale(vec4_xyz(world->particles.x[world->ids.value[point.particle[i].index]]), point.weight[i]));
    return sum;
}

/* ---- Kinds ------------------------------------------------------------------------------------------------------ */

uint32_t sn_kind_count(const sn_world *world)
{
    return world ? world->constraints.kind_count : SN_KIND_BUILTIN_END;
}

const sn_kind *sn_kind_info(const sn_world *world, uint32_t kind)
{
    if (kind < SN_KIND_BUILTIN_END)
        return sn_builtin_kinds[kind];
    return world && kind < world->constraints.kind_count ? world->constraints.pool[kind]->kind : NULL;
}

uint32_t sn_kind_find(const sn_world *world, const char *name)
{
    for (uint32_t kind = 1; name && kind < sn_kind_count(world); ++kind)
        if (strcmp(sn_kind_info(world, kind)->name, name) == 0)
            return kind;
    return 0;
}

uint32_t sn_kind_register(sn_world *world, const sn_kind *kind)
{
    char reason[SN_ERROR_SIZE];
    if (sn_world_enter(world) != SN_OK)
        return 0;
    if (!kind)
        world_fail(world, SN_ERROR_ARGUMENT, "kind is NULL");
    else if (!sn_kind_check(kind, reason, sizeof reason))
        world_fail(world, SN_ERROR_ARGUMENT, "%s", reason);
    else if (sn_kind_find(world, kind->name))
        world_fail(world, SN_ERROR_ARGUMENT, "a kind named '%s' exists already", kind->name);
    else if (world->constraints.kind_count == SN_MAX_KINDS)
        world_fail(world, SN_ERROR_LIMIT, "kind '%s' is one more than the %u that a world can hold", kind->name,
                   SN_MAX_KINDS - 1);
    else {
        uint32_t number = sn_store_register(&world->constraints, &world->allocator, kind);
        if (!number)
            world_fail(world, SN_ERROR_MEMORY, "no memory for the kind '%s'", kind->name);
        return number;
    }
    return 0;
}

/* ---- Adding ----------------------------------------------------------------------------------------------------- */

sn_constraint_def sn_default_constraint_def(uint32_t kind)
{
    sn_constraint_def def;
    memset(&def, 0, sizeof def);
    def.made = DEF_MADE;
    def.kind = kind;
    def.stiffness = 1;
    for (uint32_t i = 0; i < SN_MAX_PARAM_NUMBERS; ++i)
        def.param[i] = SN_MEASURE;
    return def;
}

sn_result sn_constraint_check_give(const sn_world *world, const sn_kind *kind, sn_give give)
{
    if (give.compliance != 0 && (kind->project || kind->force))
        return world_fail(world, SN_ERROR_ARGUMENT, "compliance is %g; kind '%s' is a %s and must have 0",
                          (double)give.compliance, kind->name, kind->force ? "force" : "projection of its own");
    if (!isfinite(give.compliance) || give.compliance < 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "compliance is %g; it must be finite and not negative",
                          (double)give.compliance);
    if (!isfinite(give.damping) || give.damping < 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "damping is %g; it must be finite and not negative",
                          (double)give.damping);
    if (!(give.stiffness >= 0 && give.stiffness <= 1))
        return world_fail(world, SN_ERROR_ARGUMENT, "stiffness is %g; k lies in [0, 1]", (double)give.stiffness);
    return SN_OK;
}

/* Finds the pool and the material of a definition. */
static sn_result check_def(sn_world *world, const sn_constraint_def *def, sn_pool **pool, sn_give *give)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!def || def->made != DEF_MADE)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is %s; start from sn_default_constraint_def()",
                          def ? "not initialised" : "NULL");
    if (def->kind == 0 || def->kind >= world->constraints.kind_count)
        return world_fail(world, SN_ERROR_ARGUMENT, "kind %u is not known to this world", def->kind);
    *pool = world->constraints.pool[def->kind];
    if ((*pool)->kind->spatial && world->dimensions == 2)
        return world_fail(world, SN_ERROR_ARGUMENT, "a constraint of kind '%s' makes no sense in a 2D world",
                          (*pool)->kind->name);
    *give = (sn_give){def->compliance, def->damping, def->stiffness};
    return sn_constraint_check_give(world, (*pool)->kind, *give);
}

/* In a 2D world positions must be in its plane. */
static bool check_planar(const sn_kind *kind, const sn_real *param, char *reason, size_t size)
{
    for (uint32_t i = 0; i < SN_MAX_PARAMS && kind->param[i].name; param += param_width(&kind->param[i++]))
        if (kind->param[i].type == SN_PARAM_POSITION && param[2] != 0) {
            snprintf(reason, size, "%s: parameter '%s' has z = %g; in a 2D world it must be 0", kind->name,
                     kind->param[i].name, (double)param[2]);
            return false;
        }
    return true;
}

/* Completes the parameters of a constraint whose points are at x. number: its index in a bulk call, or
   SN_CONSTRAINT_ALONE. */
sn_result sn_constraint_complete_params(sn_world *world, const sn_pool *pool, const sn_vec3 *x, const sn_quat *q,
                                        uint32_t points, sn_real *param, uint32_t number)
{
    char reason[SN_ERROR_SIZE - 48];
    sn_real measured[SN_MAX_PARAM_NUMBERS];
    bool wanted = false;
    for (uint32_t i = 0; i < pool->param_count; ++i) {
        measured[i] = SN_MEASURE;
        wanted = wanted || param[i] == SN_MEASURE;
    }
    world->busy = true; /* the kind's functions may be the caller's */
    if (wanted && pool->kind->measure) {
        sn_eval_in in = {.x = x,
                         .param = param,
                         .points = points,
                         .context = pool->kind->context,
                         .q = pool->kind->oriented ? q : NULL};
        pool->kind->measure(&in, measured);
    }
    bool good = sn_kind_complete_params(pool->kind, measured, param, reason, sizeof reason);
    world->busy = false;
    if (good && (world->dimensions == 3 || check_planar(pool->kind, param, reason, sizeof reason)))
        return SN_OK;
    if (number == SN_CONSTRAINT_ALONE)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s", reason);
    return world_fail(world, SN_ERROR_ARGUMENT, "constraint %u of the call: %s", number, reason);
}

/* The origin relative to which an internal kind is evaluated. */
static sn_vec3 first_place(const sn_world *world, const sn_point *point)
{
    if (point->type == SN_POINT_PLACE)
        return point->place;
    if (point->type == SN_POINT_BODY)
        return sn_body_centre(world, point->body);
    const uint32_t number = point->particle[0].index;
    return vec4_xyz(world->particles.x[world->ids.value[number]]);
}

/* The position of an anchor relative to `origin`, and the orientation of its axes, as evaluation sees them. */
static sn_vec3 anchor_position(const sn_world *world, const sn_point *point, sn_vec3 origin, sn_quat *q)
{
    if (point->type == SN_POINT_PLACE) {
        *q = point->turn;
        return vec3_sub(point->place, origin);
    }
    const sn_fixed_body *fixed = sn_fixed_of(world, point->body.index);
    if (fixed) {
        *q = sn_quat_times(fixed->pose.rotation, point->turn);
        return vec3_add(vec3_sub(fixed->pose.position, origin), sn_quat_rotate(fixed->pose.rotation, point->place));
    }
    const uint32_t row = sn_body_row_of(world, point->body.index);
    const sn_body_state *body = &world->bodies.state[row];
    sn_quat turn = world->bodies.turn[row].start;
    *q = sn_quat_times(turn, sn_body_principal_turn(body, point->turn));
    return vec3_add(vec3_sub(first_place(world, point), origin),
                    sn_quat_rotate(turn, sn_body_principal_place(body, point->place)));
}

/* Positions for measuring, relative to the origin that evaluation uses. The points are checked. */
static void point_positions(const sn_world *world, const sn_pool *pool, const sn_point *points, sn_vec3 *x, sn_quat *q)
{
    const sn_vec4 *stored = world->particles.x;
    sn_vec3 origin = vec3(0, 0, 0);
    if (pool->kind->internal)
        origin = first_place(world, &points[0]);
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        if (points[i].type != SN_POINT_PARTICLES) {
            x[i] = anchor_position(world, &points[i], origin, &q[i]);
            continue;
        }
        x[i] = vec3(0, 0, 0);
        for (uint32_t j = 0; j < points[i].count; ++j) {
            sn_vec3 corner = vec4_xyz(stored[world->ids.value[points[i].particle[j].index]]);
            corner = vec3_sub(corner, origin);
            x[i] = points[i].count == 1 ? corner : vec3_add(x[i], vec3_scale(corner, points[i].weight[j]));
        }
    }
}

/* True if all points are on one body, so that their relative positions cannot change. */
static bool is_within_a_body(const sn_pool *pool, const sn_point *points)
{
    for (uint32_t i = 0; i < pool->kind->points; ++i)
        if (points[i].type != SN_POINT_BODY || points[i].body.index != points[0].body.index)
            return false;
    return pool->kind->oriented && pool->kind->internal && pool->kind->points > 1;
}

/* Checks the points of a definition, writes them to `points`, and counts those that are not plain particles. */
static sn_result check_points(sn_world *world, const sn_pool *pool, const sn_constraint_def *def, sn_point *points,
                              uint32_t *anchors)
{
    if (!def->points)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s: def.points is NULL", pool->kind->name);
    bool held = false;
    *anchors = 0;
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        points[i] = def->points[i];
        sn_result result = check_point(world, &points[i]);
        if (result != SN_OK)
            return result;
        *anchors += points[i].count != 1;
        held = held || points[i].type == SN_POINT_PARTICLES ||
               (points[i].type == SN_POINT_BODY && !sn_fixed_of(world, points[i].body.index));
        if (pool->kind->oriented && points[i].type == SN_POINT_PARTICLES)
            return world_fail(world, SN_ERROR_ARGUMENT,
                              "%s: point %u is neither on a body nor a place; a particle has no axes", pool->kind->name,
                              i);
        if (*anchors && pool->kind->project)
            return world_fail(world, SN_ERROR_ARGUMENT, "%s: point %u is no particle; this kind takes particles only",
                              pool->kind->name, i);
        for (uint32_t j = 0; j < i; ++j)
            if (points[i].count == 1 && points[j].count == 1 &&
                points[i].particle[0].index == points[j].particle[0].index)
                return world_fail(world, SN_ERROR_ARGUMENT, "%s: particle %u is both point %u and point %u",
                                  pool->kind->name, points[i].particle[0].index, j, i);
    }
    if (!held)
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "%s: all points are places, or on static and kinematic bodies, which nothing moves",
                          pool->kind->name);
    if (is_within_a_body(pool, points))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "%s: all points are on the same body, %u; a joint holds two bodies, or one and a place",
                          pool->kind->name, points[0].body.index);
    return SN_OK;
}

/* A constraint that is added, changed or removed interrupts the motion of its particles. */
void sn_constraint_disturb(sn_world *world, const sn_pool *pool, uint32_t row)
{
    sn_sleep_disturb_constraint(world, pool, row);
    if (world->history.table.count)
        sn_world_break_motion(world);
}

/* A point in its stored form. On a body it is relative to the centre of mass, along the principal axes. */
static sn_anchor make_anchor(const sn_world *world, const sn_point *point)
{
    sn_anchor anchor = {.count = point->count, .type = point->type, .place = point->place, .turn = point->turn};
    for (uint32_t j = 0; j < anchor.count; ++j) {
        anchor.particle[j] = point->particle[j].index;
        anchor.weight[j] = point->weight[j];
    }
    if (point->type == SN_POINT_PARTICLES)
        anchor.turn = (sn_quat){0, 0, 0, 1};
    if (point->type != SN_POINT_BODY)
        return anchor;
    const uint32_t row = sn_body_row_of(world, point->body.index);
    const sn_body_state *body = &world->bodies.state[row];
    anchor.count = 1;
    anchor.particle[0] = body->particle;
    anchor.weight[0] = 1;
    anchor.body = row;
    anchor.place = sn_body_principal_place(body, point->place);
    anchor.turn = sn_body_principal_turn(body, point->turn);
    return anchor;
}

/* Writes points, anchors, parameters and material to a row. Memory for the anchors must be reserved. */
static void fill(sn_world *world, sn_pool *pool, uint32_t row, const sn_point *points, const sn_real *param,
                 sn_give give)
{
    uint32_t *code = pool->point + (size_t)row * pool->kind->points;
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        if (points[i].count == 1) {
            code[i] = points[i].particle[0].index;
            continue;
        }
        sn_anchor anchor = make_anchor(world, &points[i]);
        code[i] = sn_store_add_anchor(&world->constraints, &anchor);
    }
    if (pool->param_count)
        memcpy(pool->param + (size_t)row * pool->param_count, param, pool->param_count * sizeof *param);
    pool->give[row] = give;
}

/* Reserves memory for count constraints. */
static sn_result reserve(sn_world *world, sn_pool *pool, uint32_t kind, uint32_t count, uint32_t anchors, uint64_t user,
                         uint32_t *first)
{
    uint64_t total = (uint64_t)pool->ids.live + count;
    if (total > SN_MAX_COUNT)
        return world_fail(world, SN_ERROR_LIMIT, "%llu constraints of kind '%s' are more than the %u possible",
                          (unsigned long long)total, pool->kind->name, SN_MAX_COUNT);
    if (!sn_store_reserve(&world->constraints, &world->allocator, kind, count, anchors, first) ||
        !sn_pool_reserve_user(pool, &world->allocator, *first, count, user))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for %u more constraints of kind '%s'", count,
                          pool->kind->name);
    return SN_OK;
}

/* Checks the initial state of a constraint. */
static sn_result check_state(const sn_world *world, const sn_kind *kind, const sn_real *given, sn_real *state)
{
    for (uint32_t i = 0; i < kind->state; ++i) {
        state[i] = given ? given[i] : 0;
        if (!isfinite(state[i]))
            return world_fail(world, SN_ERROR_ARGUMENT, "%s: number %u of the state is %g; it must be finite",
                              kind->name, i, (double)state[i]);
    }
    return SN_OK;
}

/* Completes the numbers of the points of a list. Memory for them is reserved behind those of the pool, and does not
   belong to a constraint yet. x: positions of the points. number: its index in a bulk call, or SN_CONSTRAINT_ALONE. */
static sn_result complete_own(sn_world *world, sn_pool *pool, const sn_vec3 *x, uint32_t points, const sn_real *param,
                              const sn_real *given, uint32_t number)
{
    char reason[SN_ERROR_SIZE - 48];
    if (!pool->point_param_count)
        return SN_OK;
    sn_real *own = (sn_real *)pool->own_table.column[0] + (size_t)pool->own_table.count * pool->point_param_count;
    for (size_t i = 0; i < (size_t)points * pool->point_param_count; ++i)
        own[i] = SN_MEASURE;
    world->busy = true; /* it may be the caller's function */
    if (pool->kind->measure_points) {
        sn_eval_in in = {
            .x = x, .param = param, .points = points, .context = pool->kind->context, .planar = world->dimensions == 2};
        pool->kind->measure_points(&in, own);
    }
    world->busy = false;
    if (sn_kind_complete_points(pool->kind, given, points, own, reason, sizeof reason))
        return SN_OK;
    if (number == SN_CONSTRAINT_ALONE)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s", reason);
    return world_fail(world, SN_ERROR_ARGUMENT, "constraint %u of the call: %s", number, reason);
}

/* Reserves memory for a list. If `given` points into the table (numbers that were read back), which may be moved, it is
   updated. */
static bool reserve_list(sn_world *world, const sn_pool *pool, uint32_t kind, uint32_t points, const sn_real **given)
{
    uintptr_t at = (uintptr_t)*given, old = (uintptr_t)pool->own_table.column;
    bool inside = *given && at - old < pool->own_table.block_size;
    if (!sn_store_reserve_list(&world->constraints, &world->allocator, kind, points))
        return false;
    if (inside)
        *given = (const sn_real *)(const void *)((const char *)pool->own_table.column + (at - old));
    return true;
}

/* Checks the points of a kind with any number of points. Leaves their numbers and positions in the store's scratch
   memory. */
static sn_result check_list(sn_world *world, const sn_pool *pool, const sn_constraint_def *def, const sn_real **given)
{
    const sn_kind *kind = pool->kind;
    uint32_t count = def->point_count, step = kind->point_step ? kind->point_step : 1;
    if (count < kind->least_points || (count - kind->least_points) % step || count > SN_MAX_COUNT / 4)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s: def.point_count is %u; it must be %u or more in steps of %u",
                          kind->name, count, kind->least_points, step);
    if (!def->points)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s: def.points is NULL", kind->name);
    if (!reserve_list(world, pool, def->kind, count, given))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for the %u points of a %s constraint", count, kind->name);
    uint32_t *number = world->constraints.many.column[SN_MANY_NUMBER];
    sn_vec3 *x = world->constraints.many.column[SN_MANY_X], origin = vec3(0, 0, 0);
    for (uint32_t i = 0; i < count; ++i) {
        if (def->points[i].count != 1)
            return world_fail(world, SN_ERROR_ARGUMENT, "%s: point %u is no particle; this kind takes particles only",
                              kind->name, i);
        uint32_t slot = sn_world_slot(world, def->points[i].particle[0]);
        if (slot == SN_NO_SLOT)
            return SN_ERROR_STALE;
        number[i] = def->points[i].particle[0].index;
        x[i] = vec4_xyz(world->particles.x[slot]);
        if (i == 0 && kind->internal)
            origin = x[0];
        x[i] = vec3_sub(x[i], origin);
    }
    uint32_t repeat = kind->repeats ? count : sn_store_find_repeat(&world->constraints, number, count);
    if (repeat < count)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s: particle %u is point %u and an earlier one", kind->name,
                          number[repeat], repeat);
    return SN_OK;
}

/* Gives an anchor to static and kinematic bodies that the points use. If memory runs out, the new ones are removed. */
static sn_result anchor_points(sn_world *world, const sn_point *points, uint32_t count)
{
    uint32_t made[SN_MAX_POINTS], makes = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sn_fixed_body *fixed = points[i].type == SN_POINT_BODY ? sn_fixed_of(world, points[i].body.index) : NULL;
        if (!fixed || fixed->anchor != SN_ID_FREE)
            continue;
        if (sn_fixed_anchor(world, fixed) != SN_ID_FREE) {
            made[makes++] = fixed->number;
            continue;
        }
        while (makes)
            sn_fixed_drop_anchor(world, sn_fixed_of(world, made[--makes]));
        return SN_ERROR_MEMORY;
    }
    return SN_OK;
}

/* Does all checks and reserves all memory for adding or changing a constraint. */
sn_result sn_constraint_check(sn_world *world, const sn_constraint_def *def, sn_checked_constraint *c)
{
    uint32_t anchors = 0;
    sn_vec3 small[SN_MAX_POINTS], *x = small;
    sn_quat q[SN_MAX_POINTS];
    const sn_real *given = def ? def->point_param : NULL;
    sn_result result = check_def(world, def, &c->pool, &c->give);
    if (result != SN_OK || (result = check_state(world, c->pool->kind, def->state, c->state)) != SN_OK)
        return result;
    if (pool_has_lists(c->pool)) {
        c->point_count = def->point_count;
        if ((result = check_list(world, c->pool, def, &given)) != SN_OK)
            return result;
        x = world->constraints.many.column[SN_MANY_X];
    } else {
        c->point_count = c->pool->kind->points;
        if ((result = check_points(world, c->pool, def, c->points, &anchors)) != SN_OK)
            return result;
        point_positions(world, c->pool, c->points, x, q);
    }
    memcpy(c->param, def->param, sizeof c->param);
    if ((result = sn_constraint_complete_params(world, c->pool, x, q, c->point_count, c->param, SN_CONSTRAINT_ALONE)) !=
            SN_OK ||
        (result = complete_own(world, c->pool, x, c->point_count, c->param, given, SN_CONSTRAINT_ALONE)) != SN_OK)
        return result;
    result = reserve(world, c->pool, def->kind, 1, anchors, def->user, &c->row);
    return result == SN_OK && !pool_has_lists(c->pool) ? anchor_points(world, c->points, c->point_count) : result;
}

void sn_constraint_fill(sn_world *world, uint32_t kind, uint32_t row, const sn_checked_constraint *c)
{
    if (pool_has_lists(c->pool))
        sn_store_set_list(&world->constraints, kind, row, world->constraints.many.column[SN_MANY_NUMBER],
                          c->point_count);
    fill(world, c->pool, row, c->points, c->param, c->give);
    if (c->pool->kind->state)
        memcpy(pool_state(c->pool, row), c->state, c->pool->kind->state * sizeof *c->state);
    sn_constraint_disturb(world, c->pool, row);
}

sn_result sn_constraint_add(sn_world *world, const sn_constraint_def *def, sn_constraint *constraint)
{
    if (constraint)
        *constraint = (sn_constraint){0};
    sn_checked_constraint c;
    sn_result result = sn_constraint_check(world, def, &c);
    if (result != SN_OK)
        return result;
    uint32_t generation = sn_store_take(&world->constraints, def->kind, c.row, 1);
    sn_constraint_fill(world, def->kind, c.row, &c);
    sn_pool_set_user(c.pool, c.row, 1, def->user);
    if (constraint)
        *constraint = (sn_constraint){def->kind, c.row, generation};
    return SN_OK;
}

/* The points of one constraint of a bulk call, from particle numbers. */
static sn_result bulk_points(const sn_world *world, const sn_pool *pool, uint32_t i, const uint32_t *index,
                             sn_point *points)
{
    const uint32_t n = pool->kind->points;
    for (uint32_t j = 0; j < n; ++j) {
        uint32_t number = index[(size_t)i * n + j];
        if (!sn_ids_is_live(&world->ids, number))
            return world_fail(world, SN_ERROR_STALE, "%s %u of the call: there is no particle number %u",
                              pool->kind->name, i, number);
        for (uint32_t k = 0; k < j; ++k)
            if (points[k].particle[0].index == number)
                return world_fail(world, SN_ERROR_ARGUMENT, "%s %u of the call: particle %u is both point %u and %u",
                                  pool->kind->name, i, number, k, j);
        points[j] = sn_at((sn_particle){number, world->ids.generation[number]});
    }
    return SN_OK;
}

/* Writes constraints directly to rows that are reserved but not yet taken, so that a failure leaves no trace. */
static sn_result fill_bulk(sn_world *world, sn_pool *pool, const sn_constraint_def *def, sn_give give, uint32_t first,
                           uint32_t count, const uint32_t *index, const sn_real *param)
{
    for (uint32_t i = 0; i < count; ++i) {
        sn_point points[SN_MAX_POINTS];
        sn_vec3 x[SN_MAX_POINTS];
        sn_quat q[SN_MAX_POINTS];
        sn_real own[SN_MAX_PARAM_NUMBERS];
        sn_result result = bulk_points(world, pool, i, index, points);
        if (result != SN_OK)
            return result;
        point_positions(world, pool, points, x, q);
        memcpy(own, param ? param + (size_t)i * pool->param_count : def->param, pool->param_count * sizeof *own);
        if ((result = sn_constraint_complete_params(world, pool, x, q, pool->kind->points, own, i)) != SN_OK)
            return result;
        fill(world, pool, first + i, points, own, give);
    }
    return SN_OK;
}

sn_result sn_constraints_add(sn_world *world, const sn_constraint_def *def, uint32_t count, const uint32_t *index,
                             const sn_real *param, sn_constraints *run)
{
    if (run)
        *run = (sn_constraints){0};
    sn_pool *pool = NULL;
    sn_give give = {0};
    uint32_t first;
    sn_result result = check_def(world, def, &pool, &give);
    if (result != SN_OK)
        return result;
    if (pool_has_lists(pool))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "constraints of kind '%s' have any number of points and must be added one by one",
                          pool->kind->name);
    if (pool->kind->oriented)
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "constraints of kind '%s' need points with axes, which particles have not; add them one by "
                          "one, to points of bodies",
                          pool->kind->name);
    if (count == 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "count is 0");
    if (!index)
        return world_fail(world, SN_ERROR_ARGUMENT, "the array of particle numbers is NULL");
    if ((result = reserve(world, pool, def->kind, count, 0, def->user, &first)) != SN_OK ||
        (result = fill_bulk(world, pool, def, give, first, count, index, param)) != SN_OK)
        return result;
    uint32_t generation = sn_store_take(&world->constraints, def->kind, first, count);
    sn_pool_set_user(pool, first, count, def->user);
    for (uint32_t i = 0; i < count; ++i)
        sn_constraint_disturb(world, pool, first + i);
    if (run)
        *run = (sn_constraints){def->kind, first, count, generation};
    return SN_OK;
}

/* Reserves memory for all lists of a bulk call, and checks their lengths. */
static sn_result reserve_lists(sn_world *world, const sn_pool *pool, uint32_t kind, uint32_t count,
                               const uint32_t *start)
{
    const uint32_t least = pool->kind->least_points, step = pool->kind->point_step ? pool->kind->point_step : 1;
    uint32_t longest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t points = start[i + 1] - start[i];
        if (start[i] > start[i + 1] || start[0] || points < least || (points - least) % step)
            return world_fail(world, SN_ERROR_ARGUMENT,
                              "%s %u of the call has the points %u to %u; there must be %u or more in steps of %u",
                              pool->kind->name, i, start[i], start[i + 1], least, step);
        longest = points > longest ? points : longest;
    }
    sn_table *list = &world->constraints.pool[kind]->list_table, *own = &world->constraints.pool[kind]->own_table;
    if (sn_store_reserve_many(&world->constraints, &world->allocator, longest) &&
        sn_table_reserve(list, &world->allocator, list->count + (uint64_t)count + 2 * (uint64_t)start[count]) &&
        (!pool->point_param_count || sn_table_reserve(own, &world->allocator, own->count + (uint64_t)start[count])))
        return SN_OK;
    return world_fail(world, SN_ERROR_MEMORY, "no memory for the %u points of %u %s constraints", start[count], count,
                      pool->kind->name);
}

/* Writes one list of a bulk call to a row that is reserved but not yet taken. */
static sn_result fill_list(sn_world *world, sn_pool *pool, const sn_constraint_def *def, sn_give give, uint32_t row,
                           uint32_t number, uint32_t points, const uint32_t *index)
{
    sn_vec3 *x = world->constraints.many.column[SN_MANY_X], origin = vec3(0, 0, 0);
    sn_real param[SN_MAX_PARAM_NUMBERS];
    sn_result result;
    for (uint32_t i = 0; i < points; ++i) {
        if (!sn_ids_is_live(&world->ids, index[i]))
            return world_fail(world, SN_ERROR_STALE, "%s %u of the call: there is no particle number %u",
                              pool->kind->name, number, index[i]);
        x[i] = vec4_xyz(world->particles.x[world->ids.value[index[i]]]);
        if (i == 0 && pool->kind->internal)
            origin = x[0];
        x[i] = vec3_sub(x[i], origin);
    }
    uint32_t repeat = pool->kind->repeats ? points : sn_store_find_repeat(&world->constraints, index, points);
    if (repeat < points)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s %u of the call: particle %u is point %u and an earlier one",
                          pool->kind->name, number, index[repeat], repeat);
    memcpy(param, def->param, sizeof param);
    if ((result = sn_constraint_complete_params(world, pool, x, NULL, points, param, number)) != SN_OK ||
        (result = complete_own(world, pool, x, points, param, NULL, number)) != SN_OK)
        return result;
    sn_store_set_list(&world->constraints, def->kind, row, index, points);
    fill(world, pool, row, NULL, param, give);
    return SN_OK;
}

sn_result sn_constraints_add_lists(sn_world *world, const sn_constraint_def *def, uint32_t count, const uint32_t *start,
                                   const uint32_t *index, sn_constraints *run)
{
    if (run)
        *run = (sn_constraints){0};
    sn_pool *pool = NULL;
    sn_give give = {0};
    uint32_t first;
    sn_result result = check_def(world, def, &pool, &give);
    if (result != SN_OK)
        return result;
    if (!pool_has_lists(pool))
        return world_fail(world, SN_ERROR_ARGUMENT, "constraints of kind '%s' have %u points each: sn_constraints_add",
                          pool->kind->name, pool->kind->points);
    if (count == 0 || !start || !index)
        return world_fail(world, SN_ERROR_ARGUMENT, count == 0 ? "count is 0" : "the array of %s is NULL",
                          start ? "particle numbers" : "starts");
    if ((result = reserve_lists(world, pool, def->kind, count, start)) != SN_OK ||
        (result = reserve(world, pool, def->kind, count, 0, def->user, &first)) != SN_OK)
        return result;
    const uint32_t lists = pool->list_table.count, own = pool->own_table.count;
    const uint32_t most = world->constraints.counts.most_points;
    for (uint32_t i = 0; i < count && result == SN_OK; ++i)
        result = fill_list(world, pool, def, give, first + i, i, start[i + 1] - start[i], index + start[i]);
    if (result != SN_OK) { /* lists stored so far do not belong to a constraint */
        pool->list_table.count = lists;
        pool->own_table.count = own;
        world->constraints.counts.most_points = most;
        return result;
    }
    uint32_t generation = sn_store_take(&world->constraints, def->kind, first, count);
    sn_pool_set_user(pool, first, count, def->user);
    for (uint32_t i = 0; i < count; ++i)
        sn_constraint_disturb(world, pool, first + i);
    if (run)
        *run = (sn_constraints){def->kind, first, count, generation};
    return SN_OK;
}
