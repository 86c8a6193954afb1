#include "world/breaking.h"

#include "base/hash.h"
#include "solvers/tiled.h"
#include "world/substep.h"

#include <string.h>

#define GUESSES 4u   /* of the interpolation in the list */
#define NEAR    16u  /* and how far from a guess is looked */
#define MARGIN  1e-5 /* of lengths in a quick test, for its rounding errors */

void sn_breaking_init(sn_breaking *breaking)
{
    sn_table_column(&breaking->table, sizeof(sn_weak), true);
    sn_table_column(&breaking->table, sizeof(sn_break), false);
    sn_table_column(&breaking->broken_table, sizeof(sn_break), false);
    sn_table_column(&breaking->rest_table, sizeof(uint32_t), false);
}

void sn_breaking_release(sn_breaking *breaking, const sn_allocator *allocator)
{
    sn_table_release(&breaking->table, allocator);
    sn_table_release(&breaking->broken_table, allocator);
    sn_table_release(&breaking->rest_table, allocator);
}

/* ---- The list --------------------------------------------------------------------------------------------------- */

static sn_weak *weak_list(const sn_world *world)
{
    return world->breaking.table.column[0];
}

void sn_breaking_tidy(sn_world *world)
{
    sn_weak *weak = weak_list(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->breaking.table.count; ++i)
        if (sn_ids_is_valid(&world->constraints.pool[weak[i].constraint.kind]->ids, weak[i].constraint.index,
                            weak[i].constraint.generation))
            weak[count++] = weak[i];
    world->breaking.changed = world->breaking.changed || count != world->breaking.table.count;
    world->breaking.table.count = count;
    world->breaking.tidied = world->constraints.edits;
}

static uint64_t place_of(sn_constraint c)
{
    return (uint64_t)c.kind << 32 | c.index;
}

/* The index of a constraint in the list, or the index at which it would be inserted. Numbers of a run follow each other
   with few gaps, so the search begins by interpolation. */
static uint32_t find(const sn_world *world, sn_constraint constraint)
{
    const sn_weak *weak = weak_list(world);
    const uint64_t place = place_of(constraint);
    uint32_t low = 0, high = world->breaking.table.count;
    for (uint32_t guess = 0; guess < GUESSES && high - low > NEAR; ++guess) {
        const uint64_t first = place_of(weak[low].constraint), last = place_of(weak[high - 1].constraint);
        if (place <= first || place > last)
            return place <= first ? low : high;
        const uint32_t at = low + (uint32_t)((double)(place - first) / (double)(last - first) * (high - 1 - low)),
                       below = at > low + NEAR ? at - NEAR : low, above = at < high - NEAR ? at + NEAR : high - 1;
        low = place_of(weak[below].constraint) < place ? below + 1 : low;
        high = place_of(weak[below].constraint) < place ? high : below;
        if (low <= above && above < high && place_of(weak[above].constraint) >= place)
            high = above;
        else if (low <= above && above < high)
            low = above + 1;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (place_of(weak[middle].constraint) < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const sn_world *world, uint32_t at, sn_constraint constraint)
{
    const sn_weak *weak = weak_list(world);
    return at < world->breaking.table.count && weak[at].constraint.generation == constraint.generation &&
           place_of(weak[at].constraint) == place_of(constraint);
}

bool sn_breaking_has(const sn_world *world, uint32_t kind, uint32_t row)
{
    const sn_constraint constraint = {.kind = kind, .index = row};
    const uint32_t at = find(world, constraint);
    return at < world->breaking.table.count && place_of(weak_list(world)[at].constraint) == place_of(constraint);
}

/* Sets an error if the constraint does not exist. */
static bool exists(const sn_world *world, sn_constraint constraint)
{
    return sn_constraint_point_count(world, constraint) > 0;
}

static sn_result check_strength(const sn_world *world, const sn_kind *kind, sn_real force, sn_real torque)
{
    if (!isfinite(force) || force < 0 || !isfinite(torque) || torque < 0)
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "the strength of a %s constraint is %g N and %g N m; both must be finite and not negative",
                          kind->name, (double)force, (double)torque);
    if (torque > 0 && !kind->oriented)
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "the torque strength of a %s constraint is %g N m; only joints exert torques, it must be 0",
                          kind->name, (double)torque);
    if (force > 0 && kind->project)
        return world_fail(
            world, SN_ERROR_ARGUMENT,
            "a %s constraint, which is a projection of its own, exerts no force that is known, and cannot break",
            kind->name);
    return SN_OK;
}

sn_result sn_breaking_prepare(sn_world *world, const sn_kind *kind, sn_real force, sn_real torque)
{
    sn_table *table = &world->breaking.table;
    sn_result result = check_strength(world, kind, force, torque);
    if (result == SN_OK && !sn_table_reserve(table, &world->allocator, (uint64_t)table->count + 1))
        result = world_fail(world, SN_ERROR_MEMORY, "no memory for the strength of one more constraint");
    return result;
}

sn_result sn_constraint_set_strength(sn_world *world, sn_constraint constraint, sn_real force, sn_real torque)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!exists(world, constraint))
        return SN_ERROR_STALE;
    if ((result = sn_breaking_prepare(world, sn_kind_info(world, constraint.kind), force, torque)) != SN_OK)
        return result;
    /* Removed constraints stay in the list until the next step: tidying here would make setting many strengths
       quadratic. Such an entry keeps the list in order, and is replaced when its number is used again. */
    sn_table *table = &world->breaking.table;
    sn_weak *weak = weak_list(world), entry = {constraint, force, torque, 0, 0, 0, {0}};
    uint32_t at = find(world, constraint);
    bool there = is_at(world, at, constraint);
    if (there)
        entry = weak[at], entry.force = force, entry.torque = torque;
    bool stays = force > 0 || torque > 0 || entry.strain > 0;
    bool taken = at < table->count && place_of(weak[at].constraint) == place_of(constraint);
    size_t after = (table->count - at) * sizeof *weak;
    if (taken && !stays)
        memmove(weak + at, weak + at + 1, after - sizeof *weak);
    else if (!taken && stays)
        memmove(weak + at + 1, weak + at, after);
    table->count = table->count + (stays && !taken) - (taken && !stays);
    world->breaking.changed = world->breaking.changed || stays != there || taken != there;
    world->breaking.edits++;
    if (stays)
        weak[at] = entry;
    return SN_OK;
}

sn_result sn_breaking_set_run(sn_world *world, sn_constraints run, const sn_tear_def *def)
{
    sn_table *table = &world->breaking.table;
    const uint32_t count = def ? run.count : 0;
    if (!sn_table_reserve(table, &world->allocator, (uint64_t)table->count + count))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for the strengths of %u constraints", count);
    sn_weak *weak = weak_list(world);
    const uint32_t first = find(world, (sn_constraint){run.kind, run.first, 0});
    const uint32_t end = find(world, (sn_constraint){run.kind, run.first + run.count, 0});
    memmove(weak + first + count, weak + end, (table->count - end) * sizeof *weak);
    table->count = table->count - (end - first) + count;
    for (uint32_t i = 0; i < count; ++i) {
        const sn_real factor =
            (sn_real)sn_tear_factor(def->seed, (double)def->spread, run.kind, sn_constraints_at(run, i).index);
        weak[first + i] =
            (sn_weak){sn_constraints_at(run, i), def->force * factor, 0, def->strain * factor, 1, def->fatigue, {0}};
    }
    world->breaking.changed = true;
    world->breaking.edits++;
    return SN_OK;
}

sn_result sn_constraint_read_tear(const sn_world *world, sn_constraint constraint, sn_tear_def *def)
{
    if (!world)
        return SN_ERROR_ARGUMENT;
    if (!def)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is NULL");
    if (!exists(world, constraint))
        return SN_ERROR_STALE;
    const uint32_t at = find(world, constraint);
    const sn_weak *weak = weak_list(world);
    *def = sn_default_tear_def();
    if (is_at(world, at, constraint) && weak[at].tears) {
        const sn_real left = 1 - weak[at].wear.lost;
        *def = (sn_tear_def){
            .force = left * weak[at].force, .strain = left * weak[at].strain, .fatigue = weak[at].fatigue};
    }
    return SN_OK;
}

bool sn_breaking_reserve(sn_world *world, uint32_t count)
{
    sn_table *table = &world->breaking.table;
    return !table->count || sn_table_reserve(table, &world->allocator, (uint64_t)table->count + count);
}

void sn_breaking_copy(sn_world *world, uint32_t kind, uint32_t row, sn_constraint to)
{
    sn_table *table = &world->breaking.table;
    sn_weak *weak = weak_list(world);
    if (!sn_breaking_has(world, kind, row))
        return;
    sn_weak entry = weak[find(world, (sn_constraint){.kind = kind, .index = row})];
    const uint32_t at = find(world, to);
    const bool taken = at < table->count && place_of(weak[at].constraint) == place_of(to);
    if (!taken)
        memmove(weak + at + 1, weak + at, (table->count++ - at) * sizeof *weak);
    entry.constraint = to;
    weak[at] = entry;
    world->breaking.changed = true;
    world->breaking.edits++;
}

void sn_breaking_weaken(sn_world *world, uint32_t kind, uint32_t row, uint32_t n)
{
    sn_weak *weak = weak_list(world);
    if (!sn_breaking_has(world, kind, row))
        return;
    sn_weak *entry = &weak[find(world, (sn_constraint){.kind = kind, .index = row})];
    entry->force /= (sn_real)n;
    entry->torque /= (sn_real)n;
    world->breaking.edits++;
}

sn_result sn_constraint_strength(const sn_world *world, sn_constraint constraint, sn_real *force, sn_real *torque)
{
    if (!world)
        return SN_ERROR_ARGUMENT;
    if (!exists(world, constraint))
        return SN_ERROR_STALE;
    uint32_t at = find(world, constraint);
    sn_weak found = {constraint, 0, 0, 0, 0, 0, {0}};
    if (is_at(world, at, constraint))
        found = weak_list(world)[at];
    if (force)
        *force = found.force;
    if (torque)
        *torque = found.torque;
    return SN_OK;
}

/* ---- In a step -------------------------------------------------------------------------------------------------- */

bool sn_breaking_begin(sn_world *world)
{
    sn_breaking *breaking = &world->breaking;
    breaking->broken_table.count = 0;
    if (!breaking->table.count)
        return true;
    if (breaking->tidied != world->constraints.edits)
        sn_breaking_tidy(world);
    breaking->any_tears = false;
    world->tearing.shapes = world->tearing.shape_points = 0;
    bool good = true;
    for (uint32_t i = 0; i < breaking->table.count && !breaking->any_tears; ++i)
        breaking->any_tears = weak_list(world)[i].tears;
    for (uint32_t kind = SN_KIND_SHAPE_MATCH; kind <= SN_KIND_SHAPE_MATCH_QUADRATIC; ++kind) {
        const uint32_t end = find(world, (sn_constraint){kind + 1, 0, 0});
        for (uint32_t i = find(world, (sn_constraint){kind, 0, 0}); i < end && good; ++i)
            good = sn_shape_reserve(world, kind, weak_list(world)[i].constraint.index);
    }
    for (uint32_t kind = SN_KIND_SHAPE_MATCH; world->tearing.shapes && kind <= SN_KIND_SHAPE_MATCH_QUADRATIC; ++kind)
        good = good && sn_store_reserve_rows(&world->constraints, &world->allocator, kind, world->tearing.shapes);
    return good && sn_table_reserve(&breaking->broken_table, &world->allocator, breaking->table.count) &&
           sn_breaking_reserve(world, world->tearing.shapes);
}

void sn_breaking_watch_anew(sn_world *world)
{
    world->breaking.any_in_lanes = false;
    if (world->breaking.table.count)
        memset(world->breaking.table.column[1], 0, world->breaking.table.count * sizeof(sn_break));
}

bool sn_breaking_tell_plan(sn_world *world)
{
    sn_breaking *breaking = &world->breaking;
    const sn_weak *weak = weak_list(world);
    if (!world->plan.made || (!breaking->changed && breaking->serial == world->plan.serial))
        return true;
    if (!sn_table_reserve(&breaking->rest_table, &world->allocator, breaking->table.count))
        return false;
    uint32_t *rest = breaking->rest_table.column[0];
    breaking->rest_table.count = 0;
    sn_plan_seen seen = {{0}};
    sn_plan_watch_none(&world->plan);
    for (uint32_t i = 0; i < breaking->table.count; ++i)
        if (!sn_plan_watch(&world->plan, &world->constraints, weak[i].constraint.kind, weak[i].constraint.index, &seen))
            rest[breaking->rest_table.count++] = i;
    breaking->changed = false;
    breaking->serial = world->plan.serial;
    return true;
}

static void raise(sn_break *most, sn_real force, sn_real torque)
{
    most->force = force > most->force ? force : most->force;
    most->torque = torque > most->torque ? torque : most->torque;
}

static void watch(const sn_world *world, uint32_t i)
{
    const sn_constraint c = weak_list(world)[i].constraint;
    sn_real force, torque;
    sn_constraint_exerted(world, c.kind, c.index, &force, &torque);
    raise((sn_break *)world->breaking.table.column[1] + i, force, torque);
}

void sn_breaking_watch(sn_world *world)
{
    sn_breaking *breaking = &world->breaking;
    const uint32_t *rest = breaking->rest_table.column[0];
    const uint32_t count = breaking->in_lanes ? breaking->rest_table.count : breaking->table.count;
    breaking->any_in_lanes = breaking->any_in_lanes || breaking->in_lanes;
    for (uint32_t i = 0; i < count; ++i)
        watch(world, breaking->in_lanes ? rest[i] : i);
}

/* Reads the force that the solver recorded for a constraint in a batch. */
static void fetch_exerted(const sn_world *world, const sn_solver_in *in, uint32_t i)
{
    const double h = (double)world->state.h, square = h * h;
    const sn_constraint c = weak_list(world)[i].constraint;
    float force, torque;
    sn_tiled_exerted(in, c.kind, c.index, &force, &torque);
    raise((sn_break *)world->breaking.table.column[1] + i, (sn_real)((double)force / square),
          (sn_real)((double)torque / square));
}

/* Removes constraints that broke, with their dependents, unless the caller's function refuses. */
static void let_go(sn_world *world)
{
    sn_table *table = &world->breaking.broken_table;
    sn_break *broken = table->column[0];
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->count; ++i) {
        const sn_constraint c = broken[i].constraint;
        double released = 0;
        if (!sn_constraint_is_valid(world, c)) /* it was a dependent of an earlier one */
            continue;
        sn_tear tear = {.type = SN_TEAR_BREAK,
                        .constraint = c,
                        .place = sn_tear_place(world, c.kind, c.index),
                        .strain = (sn_real)sn_tear_strain(world, c.kind, c.index),
                        .force = broken[i].force};
        if (sn_shape_is_group(c.kind)) {
            if (!sn_shape_part(world, c, &tear))
                continue;
            tear = (sn_tear){.type = SN_TEAR_BREAK, .constraint = c, .place = tear.place, .strain = tear.strain};
        } else if (!sn_tear_allowed(world, &tear)) {
            continue;
        }
        if (weak_list(world)[find(world, c)].tears)
            sn_tear_remove_dependents(world, c.kind, c.index, &released);
        released += sn_tear_energy(world, c.kind, c.index);
        sn_limits_touch_rod(world, c.kind, c.index);
        sn_constraint_remove(world, c);
        tear.released = (sn_real)released;
        sn_tear_tell(world, &tear);
        broken[count++] = broken[i];
    }
    table->count = count;
    sn_shape_finish(world);
}

static double strain_of(const sn_world *world, sn_constraint c)
{
    return sn_shape_is_group(c.kind) ? sn_shape_strain(world, c.kind, c.index) : sn_tear_strain(world, c.kind, c.index);
}

/* The load of a constraint, as a share of its strength when new. */
static double load_of(const sn_world *world, const sn_weak *weak, const sn_break *most)
{
    const double load[] = {weak->force > 0 ? (double)most->force / (double)weak->force : 0,
                           weak->torque > 0 ? (double)most->torque / (double)weak->torque : 0,
                           weak->strain > 0 ? strain_of(world, weak->constraint) / (double)weak->strain : 0};
    return fmax(load[0], fmax(load[1], load[2]));
}

/* True if the constraint breaks. Also updates its wear. */
static bool gives_way(const sn_world *world, sn_weak *weak, const sn_break *most)
{
    if (weak->fatigue > 0) {
        const double load = load_of(world, weak, most);
        sn_wear_by(&weak->wear, load, weak->fatigue);
        return load > 1 - (double)weak->wear.lost;
    }
    return (weak->force > 0 && most->force > weak->force) || (weak->torque > 0 && most->torque > weak->torque) ||
           (weak->strain > 0 && strain_of(world, weak->constraint) > (double)weak->strain);
}

/* True if a rod is shorter than what its strength allows, by more than any rounding. */
static bool is_surely_short(const sn_world *world, const sn_weak *weak)
{
    const sn_constraint c = weak->constraint;
    const sn_pool *pool = world->constraints.pool[c.kind];
    if (c.kind != SN_KIND_DISTANCE || weak->force > 0 || weak->torque > 0 || weak->fatigue > 0)
        return false;
    const uint32_t *point = pool->point + 2 * (size_t)c.index;
    if ((point[0] | point[1]) & SN_ANCHOR_BIT)
        return false;
    const sn_vec4 a = world->particles.x[world->ids.value[point[0]]],
                  b = world->particles.x[world->ids.value[point[1]]];
    const double x = (double)b.x - (double)a.x, y = (double)b.y - (double)a.y, z = (double)b.z - (double)a.z,
                 most = (1 + (double)weak->strain) * (double)pool->param[(size_t)c.index * pool->param_count];
    return x * x + y * y + z * z < (1 - MARGIN) * most * most;
}

void sn_breaking_end(sn_world *world)
{
    sn_breaking *breaking = &world->breaking;
    sn_weak *weak = weak_list(world);
    const sn_break *most = breaking->table.column[1];
    sn_break *broken = breaking->broken_table.column[0];
    const uint32_t *rest = breaking->rest_table.column[0];
    const sn_solver_in in = sn_world_solver_input(world, world->state.h);
    for (uint32_t i = 0, r = 0; i < breaking->table.count; ++i) {
        const bool alone = breaking->any_in_lanes && r < breaking->rest_table.count && rest[r] == i;
        r += alone;
        if (is_surely_short(world, &weak[i]))
            continue;
        if (breaking->any_in_lanes && !alone)
            fetch_exerted(world, &in, i);
        if (gives_way(world, &weak[i], &most[i]))
            broken[breaking->broken_table.count++] = (sn_break){weak[i].constraint, most[i].force, most[i].torque,
                                                                sn_constraint_user(world, weak[i].constraint)};
    }
    let_go(world);
    if (breaking->broken_table.count)
        sn_breaking_tidy(world);
}

const sn_break *sn_world_broken(const sn_world *world, uint32_t *count)
{
    uint32_t broken = world ? world->breaking.broken_table.count : 0;
    if (count)
        *count = broken;
    return broken ? world->breaking.broken_table.column[0] : NULL;
}

/* Strengths without strain keep the hash that they had before strain was added. */
static uint64_t hash_weak(uint64_t hash, const sn_weak *weak)
{
    hash = hash_real(hash_real(hash_u64(hash, place_of(weak->constraint)), weak->force), weak->torque);
    hash = weak->tears || weak->strain > 0 ? hash_u64(hash_real(hash, weak->strain), weak->tears) : hash;
    return weak->fatigue > 0 ? hash_real(hash_real(hash_real(hash, weak->fatigue), weak->wear.peak), weak->wear.lost)
                             : hash;
}

uint64_t sn_breaking_hash(uint64_t hash, const sn_world *world)
{
    const sn_weak *weak = weak_list(world);
    for (uint32_t i = 0; i < world->breaking.table.count; ++i)
        if (sn_constraint_is_valid(world, weak[i].constraint))
            hash = hash_weak(hash, &weak[i]);
    return hash;
}
