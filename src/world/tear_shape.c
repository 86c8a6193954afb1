/* Shape matching groups that tear: members leave, and groups are divided.

   The deviation of a member i from its goal position in the unstretched shape is x_i - c - R r_i (shape_match.c). Its
   *strain* is the length of that divided by the radius of the group, which is the root mean square distance from the
   centre at rest. When the worst member exceeds the strength of the group, it leaves, together with all members that
   deviate in the same direction, with at least half as much along it: a member that is pulled out leaves alone, and if
   a bar is pulled at its end, that end comes off. If they are enough to have a shape they form a group of their own,
   with their rest positions. Fewer are loose, and so are members of a group of which too few are left. No particle
   moves, so mass and momenta are conserved; groups store no energy. */
#include "world/world.h"

#include "base/dvec.h"

#include <string.h>

/* Of the worst one, along the same way: those that are off by more leave with it. */
#define WITH_WORST 0.5

bool sn_shape_is_group(uint32_t kind)
{
    return kind == SN_KIND_SHAPE_MATCH || kind == SN_KIND_SHAPE_MATCH_LINEAR || kind == SN_KIND_SHAPE_MATCH_QUADRATIC;
}

/* The deviations of members from their goal positions, relative to the radius, in the store's scratch memory. NULL if
   undefined. */
static const sn_vec3 *find_offs(const sn_world *world, uint32_t kind, uint32_t row)
{
    const sn_pool *pool = world->constraints.pool[kind];
    const sn_table *many = &world->constraints.many;
    const sn_list list = pool_list(pool, row);
    const sn_real *rest = pool_own(pool, row);
    sn_vec3 *x = many->column[SN_MANY_X], *off = many->column[SN_MANY_BY_POINT];
    sn_dvec3 middle = {0, 0, 0};
    double square = 0;
    sn_real c[SN_MAX_ROWS], param[SN_MAX_PARAM_NUMBERS];
    const sn_vec3 origin = vec4_xyz(world->particles.x[world->ids.value[list.particle[list.local[0]]]]);
    for (uint32_t i = 0; i < list.point_count; ++i) {
        x[i] = vec3_sub(vec4_xyz(world->particles.x[world->ids.value[list.particle[list.local[i]]]]), origin);
        middle = dvec3_add(middle, dvec3_scale(dvec3_from(vec3(rest[3 * i], rest[3 * i + 1], rest[3 * i + 2])),
                                               1.0 / list.point_count));
    }
    for (uint32_t i = 0; i < list.point_count; ++i) {
        const sn_dvec3 r = dvec3_sub(dvec3_from(vec3(rest[3 * i], rest[3 * i + 1], rest[3 * i + 2])), middle);
        square += dvec3_dot(r, r) / list.point_count;
    }
    memcpy(param, pool->param + (size_t)row * pool->param_count, pool->param_count * sizeof *param);
    if (kind != SN_KIND_SHAPE_MATCH)
        param[0] = 0; /* beta: the part of the deformation that a soft shape follows also counts as strain */
    const sn_eval_in in = {.x = x,
                           .param = param,
                           .points = list.point_count,
                           .point_param = rest,
                           .state = pool_state(pool, row),
                           .planar = sn_world_frame(world).planar};
    const sn_eval_out out = {.c = c, .gradient = off};
    if (!(square > 0) || !pool->kind->eval(&in, &out))
        return NULL;
    for (uint32_t i = 0; i < list.point_count; ++i) /* a gradient is 2 / n of the deviation */
        off[i] = vec3_scale(off[i], (sn_real)(list.point_count / (2 * sqrt(square))));
    return off;
}

/* The member with the largest strain, and its strain. */
static uint32_t worst_of(const sn_vec3 *off, uint32_t count, double *strain)
{
    uint32_t worst = 0;
    *strain = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const double by = dvec3_length(dvec3_from(off[i]));
        if (by > *strain)
            *strain = by, worst = i;
    }
    return worst;
}

double sn_shape_strain(const sn_world *world, uint32_t kind, uint32_t row)
{
    double strain = 0;
    const sn_vec3 *off = find_offs(world, kind, row);
    if (off)
        worst_of(off, pool_point_count(world->constraints.pool[kind], row), &strain);
    return strain;
}

/* Keeps the members of a group that stay, in the order that they had. */
static void keep_members(sn_pool *pool, uint32_t row, const bool *leaves)
{
    const sn_list list = pool_list(pool, row);
    uint32_t *at = (uint32_t *)pool->list_table.column[0] + pool->point[2 * (size_t)row], kept = 0;
    sn_real *rest = pool_own(pool, row);
    for (uint32_t i = 0; i < list.point_count;
         ++i) { /* no member is there twice: particle and point are in one order */
        if (leaves[i])
            continue;
        at[1 + kept] = at[1 + i];
        memmove(rest + (size_t)kept * pool->point_param_count, rest + (size_t)i * pool->point_param_count,
                pool->point_param_count * sizeof *rest);
        ++kept;
    }
    for (uint32_t i = 0; i < kept; ++i)
        at[1 + kept + i] = i;
    at[0] = kept;
    pool->point[2 * (size_t)row + 1] = kept;
    pool->list_waste += 2 * (list.point_count - kept);
}

/* Makes a group of the members that leave. Memory must be reserved. */
static sn_constraint form_group(sn_world *world, uint32_t kind, uint32_t row, const bool *leaves)
{
    sn_store *store = &world->constraints;
    sn_pool *pool = store->pool[kind];
    const uint32_t all = pool_point_count(pool, row), made = sn_split_copy_untold(world, kind, row);
    uint32_t *member = store->many.column[SN_MANY_NUMBER], count = 0;
    const sn_list list = pool_list(pool, row);
    for (uint32_t i = 0; i < all; ++i)
        if (leaves[i])
            member[count++] = list.particle[list.local[i]];
    sn_store_set_list(store, kind, made, member, count);
    const size_t width = pool->point_param_count;
    sn_real *to = pool_own(pool, made);
    for (uint32_t i = 0; i < all; ++i)
        if (leaves[i])
            memcpy(to, pool_own(pool, row) + i * width, width * sizeof *to), to += width;
    return (sn_constraint){kind, made, pool->ids.generation[made]};
}

/* ---- Skins -------------------------------------------------------------------------------------------------------
   A triangle whose corners were in one group, and are in no common group any more, spans a gap: it is removed from its
   skin, which is then open there. */

static bool has(const uint32_t *list, uint32_t count, uint32_t number)
{
    for (uint32_t i = 0; i < count; ++i)
        if (list[i] == number)
            return true;
    return false;
}

/* True if one of the indexed groups contains all corners. but: a group that will be removed. */
static bool is_held(sn_world *world, const uint32_t *corner, const sn_constraint *but)
{
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    const uint32_t count = sn_tear_constraints_at(world, corner[0], node, SN_TEAR_CONSTRAINTS);
    for (uint32_t i = 0; count != UINT32_MAX && i < count; ++i) {
        if (!sn_shape_is_group(node[i].kind) || (but && node[i].kind == but->kind && node[i].row == but->index))
            continue;
        const sn_list list = pool_list(world->constraints.pool[node[i].kind], node[i].row);
        if (has(list.particle, list.particle_count, corner[1]) && has(list.particle, list.particle_count, corner[2]))
            return true;
    }
    return count == UINT32_MAX;
}

/* Marks torn triangles after members have left a group. together: they form a group, which is not in the index yet.
   too_few: the rest of the group is too small, and it will be removed. */
static void tear_skins(sn_world *world, const sn_constraint *group, const uint32_t *gone, uint32_t count, bool together,
                       bool too_few)
{
    const sn_list left = pool_list(world->constraints.pool[group->kind], group->index);
    const uint32_t *corner = world->contact.triangle_table.column[0], *asked = too_few ? left.particle : gone;
    uint8_t *torn = world->tearing.torn_table.column[0];
    for (uint32_t i = 0; i < (too_few ? left.particle_count : count); ++i) {
        uint32_t place[SN_TEAR_FAN], fan = sn_tear_triangles_at(world, asked[i], place, SN_TEAR_FAN);
        for (uint32_t k = 0; fan != UINT32_MAX && k < fan; ++k) {
            const uint32_t *of = corner + place[k] / 3 * 3;
            uint32_t there = 0, here = 0;
            for (uint32_t n = 0; n < 3; ++n) {
                const bool went = has(gone, count, of[n]);
                there += went;
                here += went || has(left.particle, left.particle_count, of[n]);
            }
            if (here == 3 && !(together && there == 3) && !is_held(world, of, too_few ? group : NULL))
                torn[place[k] / 3] = 1, world->tearing.torn = true;
        }
    }
}

void sn_shape_finish(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    uint8_t *torn = t->torn_table.column[0];
    uint32_t *corner = world->contact.triangle_table.column[0];
    if (!t->torn)
        return;
    for (uint32_t i = 0; i < t->torn_table.count; ++i)
        if (torn[i])
            corner[3 * (size_t)i] = SN_TEAR_NONE; /* not a particle */
    t->torn = false;
    t->torn_table.count = 0;
    sn_skins_forget(world, 0, UINT32_MAX);
}

/* Makes sure that there are no marks yet. */
static bool reserve_torn(sn_world *world)
{
    sn_table *table = &world->tearing.torn_table;
    const uint32_t count = world->contact.triangle_table.count;
    if (!sn_table_reserve(table, &world->allocator, count))
        return false;
    if (table->count != count)
        memset(table->column[0], 0, count);
    table->count = count;
    return true;
}

void sn_shape_follow_gaps(sn_world *world)
{
    sn_table *table = &world->tearing.torn_table;
    table->count = world->contact.triangle_table.count;
    memset(table->column[0], 0, table->count);
}

bool sn_shape_reserve(sn_world *world, uint32_t kind, uint32_t row)
{
    sn_pool *pool = world->constraints.pool[kind];
    sn_tearing *t = &world->tearing;
    const uint32_t count = pool_point_count(pool, row);
    if (!reserve_torn(world))
        return false;
    t->shape_points += count; /* all groups may tear in one step */
    t->shapes++;
    /* each member is of one list that is new, with its place in it, and no list is empty */
    return sn_table_reserve(&pool->list_table, &world->allocator,
                            pool->list_table.count + 3 * (uint64_t)t->shape_points) &&
           sn_table_reserve(&pool->own_table, &world->allocator, (uint64_t)pool->own_table.count + t->shape_points) &&
           sn_table_reserve(&t->leave_table, &world->allocator, count);
}

/* Lists the members that leave, in their order, in the store's scratch memory. */
static uint32_t list_leaving(sn_world *world, sn_constraint group, uint32_t *to)
{
    const bool *leaves = world->tearing.leave_table.column[0];
    const sn_list list = pool_list(world->constraints.pool[group.kind], group.index);
    uint32_t count = 0;
    for (uint32_t i = 0; i < list.point_count; ++i)
        if (leaves[i])
            to[count++] = list.particle[list.local[i]];
    return count;
}

static void set_member(const sn_world *world, sn_tear *tear, uint32_t member)
{
    tear->particle = (sn_particle){member, world->ids.generation[member]};
    tear->place = vec4_xyz(world->particles.x[world->ids.value[member]]);
}

bool sn_shape_leave(sn_world *world, sn_constraint group, sn_tear *tear)
{
    sn_pool *pool = world->constraints.pool[group.kind];
    const bool *leaves = world->tearing.leave_table.column[0];
    uint32_t *tell = world->constraints.many.column[SN_MANY_SLOT];
    const uint32_t gone = list_leaving(world, group, tell), left = pool_point_count(pool, group.index) - gone;
    tear->type = SN_TEAR_LEAVE;
    set_member(world, tear, tell[0]);
    if (!sn_tear_allowed(world, tear))
        return false;
    if (gone >= SN_SHAPE_LEAST)
        tear->formed = form_group(world, group.kind, group.index, leaves);
    list_leaving(world, group, tell); /* again, because forming a group used the same scratch memory */
    for (uint32_t i = 0; i < gone; ++i) {
        set_member(world, tear, tell[i]);
        sn_sleep_disturb(world, tell[i]);
        sn_tear_tell(world, tear);
    }
    sn_sleep_disturb_constraint(world, pool, group.index);
    if (left >= SN_SHAPE_LEAST) {
        keep_members(pool, group.index, leaves);
        sn_split_log(world, group.kind, group.index);
    }
    tear_skins(world, &group, tell, gone, gone >= SN_SHAPE_LEAST, left < SN_SHAPE_LEAST);
    sn_world_break_motion(world);
    return true;
}

bool sn_shape_part(sn_world *world, sn_constraint group, sn_tear *tear)
{
    const sn_pool *pool = world->constraints.pool[group.kind];
    const uint32_t count = pool_point_count(pool, group.index);
    const sn_vec3 *off = find_offs(world, group.kind, group.index);
    bool *leaves = world->tearing.leave_table.column[0];
    double strain;
    uint32_t left = count;
    if (!off)
        return false;
    const sn_dvec3 displacement = dvec3_from(off[worst_of(off, count, &strain)]);
    for (uint32_t i = 0; i < count; ++i) {
        leaves[i] = dvec3_dot(dvec3_from(off[i]), displacement) > WITH_WORST * strain * strain;
        left -= leaves[i];
    }
    tear->strain = (sn_real)strain;
    return sn_shape_leave(world, group, tear) && left < SN_SHAPE_LEAST;
}
