/* Steps of many worlds, on all threads.

   A unit is a batch of worlds side by side, or a world in no batch; one thread steps it at a time. In a call of several
   steps no unit waits for another: threads are joined once, at the end of the call. The steps of a unit are done in
   portions. Each portion is three quarters of the remaining steps. A thread does one portion of each of its units, then
   the next portion of each. So long portions come first, in which worlds stay in the cache, and short ones last, which
   idle threads take from others. (1,024 ropes on sixteen threads, eight steps a call: threads work 94 % of the time;
   with one portion 87 %. Halves balance as well but cost more, because data are loaded into the cache again for each
   portion. For the same reason, every second time a thread visits its units backwards.)

   A task asks for the next portion of its unit. If another thread has the unit, that thread takes this portion after
   its own, and the task is done: nothing waits, and tasks may run in any order. */
#include "world/worlds.h"

#include <math.h>

/* ---- One world --------------------------------------------------------------------------------------------------- */

void sn_worlds_note_step(sn_worlds *worlds, sn_worlds_entry *entry, sn_result result, uint32_t step)
{
    if (entry->stepped != result || entry->result != result)
        entry->stepped = entry->result = result;
    if (result != SN_OK) {
        entry->step = step;
        atomic_store_explicit(&worlds->trouble, true, memory_order_relaxed);
    }
}

static void step_once(sn_worlds *worlds, sn_worlds_entry *entry, uint32_t step)
{
    sn_world *world = entry->world;
    const bool judged = entry->judged_calls == world->calls && !world->target_table.count && world->plan.made;
    const uint64_t serial = world->plan.serial;
    sn_worlds_note_step(worlds, entry, sn_world_step(world, worlds->dt), step);
    if (judged && world->plan.made && world->plan.serial == serial)
        entry->judged_calls = world->calls;
}

void sn_worlds_step_alone(sn_worlds *worlds, uint32_t number, uint32_t first, uint32_t steps)
{
    sn_worlds_entry *entry = &worlds->entry[number];
    const sn_log log = entry->world->errors.log;
    entry->world->errors.log = (sn_log){0}; /* sn_worlds_end reports */
    for (uint32_t step = first; step < first + steps && sn_worlds_goes_on(entry, step); ++step)
        step_once(worlds, entry, step);
    entry->world->errors.log = log;
}

void sn_worlds_act_again(sn_worlds *worlds, uint32_t number, uint32_t step)
{
    sn_worlds_entry *entry = &worlds->entry[number];
    if (step == 0 || !sn_worlds_goes_on(entry, step))
        return;
    const sn_log log = entry->world->errors.log;
    entry->world->errors.log = (sn_log){0};
    sn_channels_act(worlds, number);
    entry->world->errors.log = log;
    if (entry->result != SN_OK)
        sn_worlds_note_step(worlds, entry, entry->result, step);
}

/* ---- Units ------------------------------------------------------------------------------------------------------- */

static void step_unit(sn_worlds *worlds, uint32_t unit, uint32_t first, uint32_t steps, uint32_t worker)
{
    const uint32_t batches = worlds->beside_table.count;
    if (unit < batches) {
        sn_beside *batch = (sn_beside *)worlds->beside_table.column[0] + unit;
        if (batch->form)
            sn_beside_step(worlds, batch, first, steps, worker);
        return;
    }
    const uint32_t number = worlds->alone[unit - batches];
    for (uint32_t step = first; worlds->acts && step < first + steps; ++step) {
        sn_worlds_act_again(worlds, number, step);
        sn_worlds_step_alone(worlds, number, step, 1);
    }
    if (!worlds->acts)
        sn_worlds_step_alone(worlds, number, first, steps);
}

/* The size of the next portion of the remaining steps. */
static uint32_t portion(uint32_t left)
{
    return left - left / 4;
}

static uint32_t count_portions(uint32_t steps)
{
    uint32_t count = 0;
    for (; steps; steps -= portion(steps))
        ++count;
    return count;
}

static void take_portion(sn_worlds *worlds, uint32_t unit, uint32_t worker)
{
    sn_worlds_unit *u = &worlds->unit[unit];
    const uint32_t first = u->taken, steps = portion(worlds->steps - first);
    step_unit(worlds, unit, first, steps, worker);
    u->taken = first + steps < worlds->steps ? first + steps : 0; /* 0: ready for the next call */
}

/* A thread gets consecutive tasks (base/threads.h). These are all portions of its share of the units: once forwards,
   once backwards, and so on. */
static uint32_t unit_of(const sn_worlds *worlds, uint32_t task)
{
    const uint64_t units = worlds->beside_table.count + worlds->alone_count, portions = worlds->portions,
                   workers = sn_parallel_workers(&worlds->parallel);
    const uint64_t share = (workers * (task / portions + 1) - 1) / units, begin = units * share / workers,
                   end = units * (share + 1) / workers;
    const uint64_t round = (task - portions * begin) / (end - begin), at = (task - portions * begin) % (end - begin);
    return (uint32_t)(round % 2 ? end - 1 - at : begin + at);
}

static void step_task(void *data, uint32_t index, uint32_t worker)
{
    sn_worlds *worlds = data;
    if (worlds->portions == 1) {
        step_unit(worlds, index, 0, worlds->steps, worker);
        return;
    }
    const uint32_t unit = unit_of(worlds, index);
    atomic_uint *asked = &worlds->unit[unit].asked;
    if (atomic_fetch_add_explicit(asked, 1, memory_order_acq_rel))
        return;
    do
        take_portion(worlds, unit, worker);
    while (atomic_fetch_sub_explicit(asked, 1, memory_order_acq_rel) != 1);
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

static sn_result check_dt(sn_worlds *worlds, sn_real dt)
{
    if (!isfinite(dt) || dt < 0)
        return sn_fail(&worlds->errors, SN_ERROR_ARGUMENT, "dt is %g s; it must be finite and not negative",
                       (double)dt);
    return SN_OK;
}

static sn_result step_all(sn_worlds *worlds, sn_real dt, uint32_t steps, bool acts)
{
    worlds->dt = dt;
    sn_beside_group(worlds);
    const uint32_t units = worlds->beside_table.count + worlds->alone_count;
    worlds->steps = steps;
    worlds->acts = acts;
    worlds->portions = sn_parallel_workers(&worlds->parallel) > 1 ? count_portions(steps) : 1;
    /* memory for one portion of each is reserved; without more, all steps are one portion */
    if ((uint64_t)units * worlds->portions > UINT32_MAX ||
        (worlds->portions > 1 &&
         !sn_parallel_reserve_tasks(&worlds->parallel, &worlds->allocator, units * worlds->portions)))
        worlds->portions = 1;
    const bool done = sn_worlds_run(worlds, units * worlds->portions, step_task, worlds);
    const sn_result result = sn_worlds_end(worlds, done);
    worlds->steps = 0;
    return result;
}

sn_result sn_worlds_step(sn_worlds *worlds, sn_real dt)
{
    return sn_worlds_step_many(worlds, dt, 1, NULL);
}

sn_result sn_worlds_step_many(sn_worlds *worlds, sn_real dt, uint32_t steps, const sn_real *actions)
{
    sn_result result = sn_worlds_enter(worlds);
    if (result == SN_OK)
        result = check_dt(worlds, dt);
    if (result == SN_OK && steps && actions)
        result = sn_worlds_act(worlds, actions);
    if (result != SN_OK || !steps)
        return result;
    return step_all(worlds, dt, steps, actions && worlds->acted.size);
}
