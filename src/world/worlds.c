/* Many worlds: creating, calling and resetting them. */
#include "world/worlds.h"

#include "base/sort.h"
#include "world/substep.h"

#include <stdio.h>
#include <string.h>

sn_worlds_def sn_default_worlds_def(void)
{
    sn_worlds_def def;
    memset(&def, 0, sizeof def);
    def.count = 1;
    def.world = sn_default_world_def();
    def.side_by_side = true;
    return def;
}

/* ---- Creating ---------------------------------------------------------------------------------------------------- */

/* Upper bound of the number of units: every world alone, and batches besides. */
static uint32_t most_units(uint32_t worlds)
{
    return worlds + worlds / SN_BESIDE_LEAST + 1;
}

static void release(sn_worlds *worlds)
{
    const sn_allocator allocator = worlds->allocator;
    const size_t count = worlds->count;
    for (uint32_t i = 0; worlds->entry && i < count; ++i) {
        sn_snapshot_destroy(worlds->entry[i].kept);
        if (worlds->entry[i].world)
            worlds->entry[i].world->owned = false;
        sn_world_destroy(worlds->entry[i].world);
    }
    sn_beside_release(worlds);
    sn_channels_release(worlds, &worlds->observed);
    sn_channels_release(worlds, &worlds->acted);
    sn_parallel_release(&worlds->parallel, &allocator);
    sn_release(&allocator, worlds->entry, count * sizeof *worlds->entry);
    sn_release(&allocator, worlds->alone, count * sizeof *worlds->alone);
    sn_release(&allocator, worlds->sorted, 2 * count * sizeof *worlds->sorted);
    sn_release(&allocator, worlds->unit, most_units(worlds->count) * sizeof *worlds->unit);
    sn_release(&allocator, worlds, sizeof *worlds);
}

static sn_result check_def(const sn_worlds_def *def, sn_errors *errors)
{
    char reason[SN_ERROR_SIZE];
    if (!def)
        return sn_fail(errors, SN_ERROR_ARGUMENT, "sn_worlds_create: def is NULL; start from sn_default_worlds_def()");
    if (def->count < 1 || def->count > SN_WORLDS_MOST)
        return sn_fail(errors, SN_ERROR_ARGUMENT, "sn_worlds_create: def.count is %u; it must lie in [1, %u]",
                       def->count, SN_WORLDS_MOST);
    if (!def->build)
        return sn_fail(errors, SN_ERROR_ARGUMENT, "sn_worlds_create: def.build is NULL; it must fill a world");
    if (def->threads > SN_MOST_THREADS)
        return sn_fail(errors, SN_ERROR_ARGUMENT,
                       "sn_worlds_create: def.threads is %u; at most %u are possible, and 0 takes one for each core",
                       def->threads, SN_MOST_THREADS);
    if (sn_world_def_check(&def->world, reason, sizeof reason) != SN_OK)
        return sn_fail(errors, SN_ERROR_ARGUMENT, "sn_worlds_create: def.world: %s", reason);
    return SN_OK;
}

static sn_result build(sn_worlds *worlds, const sn_worlds_def *def, uint32_t number)
{
    sn_worlds_entry *entry = &worlds->entry[number];
    sn_world_def one = def->world;
    one.threads = 1;
    one.tasks = (sn_tasks){0};
    if (sn_world_create(&one, &entry->world) != SN_OK)
        return sn_fail(&worlds->errors, SN_ERROR_MEMORY, "sn_worlds_create: no memory for world %u", number);
    entry->world->owned = true;
    const sn_result result = def->build(def->context, entry->world, number);
    if (result != SN_OK)
        return sn_fail(&worlds->errors, result, "sn_worlds_create: world %u could not be built: %s", number,
                       entry->world->errors.text[0] ? entry->world->errors.text : sn_result_text(result));
    entry->kept = sn_world_save(entry->world);
    if (!entry->kept)
        return sn_fail(&worlds->errors, SN_ERROR_MEMORY, "sn_worlds_create: no memory to keep world %u", number);
    return SN_OK;
}

static sn_result make(const sn_worlds_def *def, sn_worlds *worlds)
{
    const size_t count = def->count;
    sn_table_column(&worlds->beside_table, sizeof(sn_beside), false);
    worlds->parallel.tasks = def->tasks;
    worlds->parallel.threads = def->tasks.run ? 1 : sn_threads_for(def->threads);
    worlds->side_by_side = def->side_by_side;
    worlds->count = def->count;
    worlds->entry = sn_allocate(&worlds->allocator, count * sizeof *worlds->entry);
    worlds->alone = sn_allocate(&worlds->allocator, count * sizeof *worlds->alone);
    worlds->sorted = sn_allocate(&worlds->allocator, 2 * count * sizeof *worlds->sorted);
    worlds->unit = sn_allocate(&worlds->allocator, most_units(def->count) * sizeof *worlds->unit);
    if (worlds->entry)
        memset(worlds->entry, 0, count * sizeof *worlds->entry);
    if (worlds->unit)
        memset(worlds->unit, 0, most_units(def->count) * sizeof *worlds->unit);
    for (uint32_t i = 0; worlds->alone && i < def->count; ++i)
        worlds->alone[worlds->alone_count++] = i;
    if (!worlds->entry || !worlds->alone || !worlds->sorted || !worlds->unit ||
        !sn_table_reserve(&worlds->beside_table, &worlds->allocator, count / SN_BESIDE_LEAST + 1) ||
        !sn_parallel_reserve_tasks(&worlds->parallel, &worlds->allocator, most_units(def->count)))
        return sn_fail(&worlds->errors, SN_ERROR_MEMORY, "sn_worlds_create: no memory for %u worlds", def->count);
    sn_result result = SN_OK;
    for (uint32_t i = 0; result == SN_OK && i < def->count; ++i)
        result = build(worlds, def, i);
    return result;
}

sn_result sn_worlds_create(const sn_worlds_def *def, sn_worlds **worlds)
{
    sn_errors errors = {.log = def ? def->world.log : (sn_log){0}};
    if (worlds)
        *worlds = NULL;
    sn_result result = check_def(def, &errors);
    if (result != SN_OK)
        return result;
    if (!worlds)
        return sn_fail(&errors, SN_ERROR_ARGUMENT, "sn_worlds_create: worlds is NULL");
    const sn_allocator *allocator = def->world.allocator.allocate ? &def->world.allocator : &sn_default_allocator;
    sn_worlds *made = sn_allocate(allocator, sizeof *made);
    if (!made)
        return sn_fail(&errors, SN_ERROR_MEMORY, "sn_worlds_create: no memory for %u worlds", def->count);
    memset(made, 0, sizeof *made);
    made->allocator = *allocator;
    made->errors = errors;
    made->errors.busy = &made->busy;
    result = make(def, made);
    if (result != SN_OK)
        release(made);
    else
        *worlds = made;
    return result;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* A world in the middle of a call of its own reports that itself when it is used. */
sn_result sn_worlds_enter(sn_worlds *worlds)
{
    if (!worlds)
        return SN_ERROR_ARGUMENT;
    if (worlds->busy)
        return sn_fail(&worlds->errors, SN_ERROR_BUSY,
                       "the worlds were called from inside a callback of one of them, in the middle of a call");
    return SN_OK;
}

static sn_result enter_one(sn_worlds *worlds, uint32_t number)
{
    const sn_result result = sn_worlds_enter(worlds);
    if (result == SN_OK && number >= worlds->count)
        return sn_fail(&worlds->errors, SN_ERROR_ARGUMENT, "there is no world %u; there are %u, from 0", number,
                       worlds->count);
    return result;
}

void sn_worlds_destroy(sn_worlds *worlds)
{
    sn_result result = sn_worlds_enter(worlds);
    for (uint32_t i = 0; result == SN_OK && i < worlds->count; ++i)
        result = sn_world_enter(worlds->entry[i].world);
    if (result == SN_OK)
        release(worlds);
}

const char *sn_worlds_error(const sn_worlds *worlds)
{
    return worlds ? worlds->errors.text : "the worlds are NULL";
}

uint32_t sn_worlds_count(const sn_worlds *worlds)
{
    return worlds ? worlds->count : 0;
}

uint32_t sn_worlds_beside_count(const sn_worlds *worlds)
{
    uint32_t count = 0;
    for (uint32_t i = 0; worlds && i < worlds->beside_table.count; ++i)
        count += ((const sn_beside *)worlds->beside_table.column[0])[i].stepped;
    return count;
}

sn_world *sn_worlds_at(sn_worlds *worlds, uint32_t number)
{
    return enter_one(worlds, number) == SN_OK ? worlds->entry[number].world : NULL;
}

sn_result sn_worlds_result(const sn_worlds *worlds, uint32_t number)
{
    if (!worlds)
        return SN_ERROR_ARGUMENT;
    if (number >= worlds->count)
        return sn_fail((sn_errors *)&worlds->errors, SN_ERROR_ARGUMENT, "there is no world %u; there are %u, from 0",
                       number, worlds->count);
    return worlds->entry[number].stepped;
}

/* ---- Loops over worlds ------------------------------------------------------------------------------------------- */

/* Worlds per task, in loops that do little for each. */
#define PIECE 64u

typedef struct each_loop {
    sn_worlds *worlds;
    void (*each)(sn_worlds *worlds, uint32_t number);
} each_loop;

static void each_task(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const each_loop *loop = data;
    const uint32_t end = (index + 1) * PIECE, count = loop->worlds->count;
    for (uint32_t i = index * PIECE; i < end && i < count; ++i) {
        sn_world *world = loop->worlds->entry[i].world;
        const sn_log log = world->errors.log;
        world->errors.log = (sn_log){0}; /* sn_worlds_end reports */
        loop->each(loop->worlds, i);
        world->errors.log = log;
        if (loop->worlds->entry[i].result != SN_OK)
            atomic_store_explicit(&loop->worlds->trouble, true, memory_order_relaxed);
    }
}

bool sn_worlds_run(sn_worlds *worlds, uint32_t count, sn_task_fn *task, void *data)
{
    worlds->busy = true;
    atomic_store_explicit(&worlds->trouble, false, memory_order_relaxed);
    sn_parallel_begin_step(&worlds->parallel);
    const bool done = sn_parallel_tasks(&worlds->parallel, count, task, data);
    if (!done)
        sn_parallel_repair(&worlds->parallel);
    sn_parallel_end_step(&worlds->parallel);
    worlds->busy = false;
    return done;
}

bool sn_worlds_each(sn_worlds *worlds, void (*each)(sn_worlds *worlds, uint32_t number))
{
    each_loop loop = {worlds, each};
    return sn_worlds_run(worlds, (worlds->count + PIECE - 1) / PIECE, each_task, &loop);
}

/* The error of the first world with a failure becomes the error. */
static sn_result conclude(sn_worlds *worlds)
{
    const bool trouble = atomic_load_explicit(&worlds->trouble, memory_order_relaxed);
    for (uint32_t i = 0; trouble && i < worlds->count; ++i) {
        const sn_worlds_entry *entry = &worlds->entry[i];
        if (entry->result == SN_CANCELLED)
            return SN_CANCELLED;
        if (entry->result != SN_OK && worlds->steps > 1)
            return sn_fail(&worlds->errors, entry->result, "world %u, step %u of %u: %s", i, entry->step + 1,
                           worlds->steps, entry->world->errors.text);
        if (entry->result != SN_OK)
            return sn_fail(&worlds->errors, entry->result, "world %u: %s", i, entry->world->errors.text);
    }
    return SN_OK;
}

sn_result sn_worlds_end(sn_worlds *worlds, bool done)
{
    if (done)
        return conclude(worlds);
    return sn_fail(&worlds->errors, SN_ERROR_HOST, "the task system did not run all tasks of a loop over worlds");
}

/* ---- Resetting --------------------------------------------------------------------------------------------------- */

sn_result sn_worlds_keep(sn_worlds *worlds, uint32_t number)
{
    sn_result result = enter_one(worlds, number);
    if (result != SN_OK)
        return result;
    sn_worlds_entry *entry = &worlds->entry[number];
    result = sn_world_save_into(entry->world, entry->kept);
    if (result != SN_OK)
        return sn_fail(&worlds->errors, result, "world %u: %s", number, entry->world->errors.text);
    entry->plan_tried = false;
    return SN_OK;
}

/* If the stored state has no plan, it would be planned again after every reset. So the plan is made once, as the step
   would make it, and stored; unless constraints contradict each other, because then a step does more. The world is in
   the stored state. */
static void keep_plan(sn_worlds_entry *entry)
{
    sn_world *world = entry->world;
    if (world->plan.made || entry->plan_tried)
        return;
    entry->plan_tried = true;
    const uint64_t before = sn_world_hash(world);
    const sn_result result = sn_compromise_find(world);
    sn_compromise_end(world, result != SN_OK);
    if (result != SN_OK || sn_world_hash(world) != before || !sn_world_plan(world) ||
        sn_world_save_into(world, entry->kept) != SN_OK)
        entry->result = sn_world_load(world, entry->kept); /* memory for it is reserved */
}

static void reset(sn_worlds *worlds, uint32_t number)
{
    sn_worlds_entry *entry = &worlds->entry[number];
    entry->result = SN_OK;
    if (worlds->flags && !worlds->flags[number])
        return;
    entry->result = sn_world_load(entry->world, entry->kept);
    if (entry->result == SN_OK)
        keep_plan(entry);
}

sn_result sn_worlds_reset(sn_worlds *worlds, const uint8_t *flags)
{
    const sn_result result = sn_worlds_enter(worlds);
    if (result != SN_OK)
        return result;
    worlds->flags = flags;
    return sn_worlds_end(worlds, sn_worlds_each(worlds, reset));
}
