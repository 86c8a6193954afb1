/* Alike worlds, side by side.

   Worlds are alike if they differ only in positions, velocities and forces. Sixteen or 32 of them are copied into one
   inner world with as many copies of their contents, stepped as one, and copied back. The plan of the inner world puts
   its copies side by side, so that each lane has a constraint of one copy.

   The bits are those of a world alone. The plan divides and orders each connected body by itself, whatever else there
   is (plan.h). Everything that couples bodies is excluded: contact, sleep, drags, a tolerance by which passes end. A
   plan that was changed by edits, so that it differs from one made as a whole, is excluded too: a copy of the world,
   planned again, must have exactly the plan of the world. Worlds with forces and worlds without are stepped separately,
   because a tile without forces is predicted without them.

   If a step of the inner world fails, it is unknown which copy failed: then each member is stepped alone. */
#include "world/worlds.h"

#include "base/sort.h"
#include "constraints/store.h"
#include "world/substep.h"

#include <string.h>

/* ---- Batches ----------------------------------------------------------------------------------------------------- */

static sn_beside *batch_at(const sn_worlds *worlds, uint32_t i)
{
    return (sn_beside *)worlds->beside_table.column[0] + i;
}

static void release_batch(sn_beside *batch)
{
    if (batch->form)
        sn_form_leave(batch->form, batch->place);
    *batch = (sn_beside){.form = NULL};
}

void sn_beside_release(sn_worlds *worlds)
{
    for (uint32_t i = 0; i < worlds->beside_table.count; ++i)
        release_batch(batch_at(worlds, i));
    sn_table_release(&worlds->beside_table, &worlds->allocator);
}

/* Makes a batch of this form, at a free index or after the others. NULL without memory. */
static sn_beside *make_batch(sn_worlds *worlds, sn_form *form, const sn_world *model)
{
    uint32_t at = 0;
    while (at < worlds->beside_table.count && batch_at(worlds, at)->form)
        ++at;
    if (!sn_table_reserve(&worlds->beside_table, &worlds->allocator, (uint64_t)at + 1))
        return NULL;
    sn_beside batch = {.form = form};
    if (!sn_form_take(form, model, worlds->dt, &batch.place))
        return NULL;
    for (uint32_t i = 0; i < form->copies; ++i)
        batch.member[i] = SN_NO_WORLD;
    if (at == worlds->beside_table.count)
        worlds->beside_table.count++;
    *batch_at(worlds, at) = batch;
    return batch_at(worlds, at);
}

static void join(sn_worlds *worlds, sn_beside *batch, uint32_t number)
{
    uint32_t copy = 0;
    while (batch->member[copy] != SN_NO_WORLD)
        ++copy;
    batch->member[copy] = number;
    batch->members++;
    worlds->entry[number].batch = 1 + (uint32_t)(batch - batch_at(worlds, 0));
    worlds->entry[number].copy = copy;
}

static void leave(sn_worlds *worlds, sn_beside *batch, uint32_t copy)
{
    sn_worlds_entry *entry = &worlds->entry[batch->member[copy]];
    entry->batch = 0;
    entry->judged_calls = 0;
    batch->member[copy] = SN_NO_WORLD;
    batch->leaves[copy] = false;
    if (--batch->members == 0)
        release_batch(batch);
}

/* ---- Grouping ---------------------------------------------------------------------------------------------------- */

/* Compares worlds in no batch that were changed since. True if one of them may join a batch. */
static bool judge(sn_worlds *worlds)
{
    bool any = false;
    for (uint32_t i = 0; i < worlds->alone_count; ++i) {
        sn_worlds_entry *entry = &worlds->entry[worlds->alone[i]];
        if (entry->judged_calls == entry->world->calls)
            continue;
        entry->hash = sn_form_hash(entry->world);
        entry->judged_calls = entry->world->calls;
        any = any || entry->hash;
    }
    return any;
}

/* Worlds of a list with one hash join a batch while it has room and they have its form. Returns how many did. */
static uint32_t fill(sn_worlds *worlds, sn_beside *batch, const sn_sort_item *item, uint32_t count)
{
    uint32_t joined = 0;
    while (joined < count && batch->members < batch->form->copies &&
           sn_form_fits(batch->form, worlds->entry[item[joined].a].world))
        join(worlds, batch, item[joined++].a);
    return joined;
}

/* Worlds with one hash join batches that have room, then new ones. */
static void group_alike(sn_worlds *worlds, const sn_sort_item *item, uint32_t count)
{
    uint32_t next = 0;
    sn_form *form = NULL;
    for (uint32_t b = 0; b < worlds->beside_table.count; ++b)
        if (batch_at(worlds, b)->form && batch_at(worlds, b)->form->hash == item->key) {
            form = batch_at(worlds, b)->form;
            next += fill(worlds, batch_at(worlds, b), item + next, count - next);
        }
    while (count - next >= SN_BESIDE_LEAST) {
        const sn_world *model = worlds->entry[item[next].a].world;
        if (!form || !sn_form_fits(form, model))
            form = sn_form_create(worlds, model);
        sn_beside *batch = form ? make_batch(worlds, form, model) : NULL;
        if (form && !form->batches)
            sn_form_destroy(form);
        for (; !batch && next < count; ++next) /* until they are changed */
            worlds->entry[item[next].a].hash = 0;
        if (batch)
            next += fill(worlds, batch, item + next, count - next);
    }
}

static void form_groups(sn_worlds *worlds)
{
    sn_sort_item *item = worlds->sorted;
    uint32_t count = 0;
    for (uint32_t i = 0; i < worlds->count; ++i)
        if (!worlds->entry[i].batch && worlds->entry[i].hash)
            item[count++] = (sn_sort_item){worlds->entry[i].hash, i, 0};
    sn_sort(item, item + worlds->count, count);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && item[end].key == item[first].key;)
            ++end;
        group_alike(worlds, item + first, end - first);
    }
}

static void list_alone(sn_worlds *worlds)
{
    worlds->alone_count = 0;
    for (uint32_t i = 0; i < worlds->count; ++i)
        if (!worlds->entry[i].batch)
            worlds->alone[worlds->alone_count++] = i;
}

static void dismiss(sn_worlds *worlds)
{
    for (uint32_t b = 0; b < worlds->beside_table.count; ++b)
        for (uint32_t c = 0; batch_at(worlds, b)->form && c < batch_at(worlds, b)->form->copies; ++c)
            if (batch_at(worlds, b)->leaves[c])
                leave(worlds, batch_at(worlds, b), c);
}

/* All other threads wait while this runs. So it visits batches only if some member leaves, and worlds only if they are
   in no batch. */
void sn_beside_group(sn_worlds *worlds)
{
    if (atomic_exchange_explicit(&worlds->leaving, false, memory_order_relaxed)) {
        dismiss(worlds);
        list_alone(worlds);
    }
    if (worlds->side_by_side && judge(worlds)) {
        form_groups(worlds);
        list_alone(worlds);
    }
}

/* ---- The step ---------------------------------------------------------------------------------------------------- */

/* Worlds are all over memory. First the data with their addresses are prefetched for all members, and other data that a
   step changes. */
static void fetch_heads(const sn_worlds *worlds, const sn_beside *batch)
{
#ifdef __GNUC__
    for (uint32_t c = 0; c < batch->form->copies; ++c) {
        if (batch->member[c] == SN_NO_WORLD)
            continue;
        const sn_world *world = worlds->entry[batch->member[c]].world;
        const void *const part[] = {&world->calls,        &world->state,
                                    &world->state.steps,  &world->particles.table,
                                    &world->particles.x,  &world->constraints.pool[batch->form->kinds[0]],
                                    &world->target_table, &world->fault,
                                    &world->moves,        &world->contact.spin_table};
        for (uint32_t i = 0; i < sizeof part / sizeof *part; ++i)
            __builtin_prefetch(part[i], 1);
    }
    for (uint32_t c = 0; c < batch->form->copies; ++c)
        for (uint32_t i = 0; i < batch->form->kind_count && batch->member[c] != SN_NO_WORLD; ++i)
            __builtin_prefetch(&worlds->entry[batch->member[c]].world->constraints.pool[batch->form->kinds[i]]->lambda);
#else
    (void)worlds;
    (void)batch;
#endif
}

/* While one world is copied, the next is prefetched. */
static void fetch(const sn_world *world, uint32_t particles)
{
#ifdef __GNUC__
    const sn_vec4 *const column[] = {world->particles.x, world->particles.v, world->particles.x_low,
                                     world->particles.v_low};
    for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t at = 0; at < particles; at += 64 / sizeof(sn_vec4))
            __builtin_prefetch(column[i] + at, 1);
#else
    (void)world;
    (void)particles;
#endif
}

/* Copies the rows with which the next substep begins, between a pool of the inner world and that of a world, whose
   constraints are consecutive in it. */
static void copy_rows(const sn_beside *batch, uint32_t copy, const sn_world *world, bool in)
{
    for (uint32_t i = 0; i < batch->form->kind_count; ++i) {
        const sn_pool *inner = batch->inner->constraints.pool[batch->form->kinds[i]],
                      *outer = world->constraints.pool[batch->form->kinds[i]];
        const size_t rows = (size_t)(inner->table.count / batch->form->copies) * inner->kind->rows, at = copy * rows;
        sn_real *const pair[2][2] = {{inner->lambda + at, outer->lambda}, {inner->preload + at, outer->preload}};
        for (uint32_t c = 0; c < 2; ++c)
            memcpy(pair[c][!in], pair[c][in], rows * sizeof *inner->lambda);
    }
}

static bool is_warm(const sn_beside *batch)
{
    return sn_world_is_warm(&batch->inner->state.settings);
}

static void copy_in(const sn_beside *batch, uint32_t copy, const sn_world *world, bool forces)
{
    const sn_particle_store *from = &world->particles, *to = &batch->inner->particles;
    const uint32_t *slot = batch->form->slot + (size_t)copy * batch->form->particles;
    for (uint32_t i = 0; i < batch->form->particles; ++i) {
        to->x[slot[i]] = from->x[i];
        to->v[slot[i]] = from->v[i];
        to->x_low[slot[i]] = from->x_low[i];
        to->v_low[slot[i]] = from->v_low[i];
    }
    for (uint32_t i = 0; forces && i < batch->form->particles; ++i)
        to->force[slot[i]] = from->force[i];
    if (is_warm(batch))
        copy_rows(batch, copy, world, true);
}

static void copy_out(const sn_beside *batch, uint32_t copy, sn_world *world)
{
    const sn_particle_store *to = &world->particles, *from = &batch->inner->particles;
    const uint32_t *slot = batch->form->slot + (size_t)copy * batch->form->particles;
    for (uint32_t i = 0; i < batch->form->particles; ++i) {
        to->x[i] = from->x[slot[i]];
        to->v[i] = from->v[slot[i]];
        to->x_low[i] = from->x_low[slot[i]];
        to->v_low[i] = from->v_low[slot[i]];
    }
    copy_rows(batch, copy, world, false);
}

/* The other changes that steps make to a world. */
static void pass_time(sn_world *world, const sn_world *inner, sn_real dt, uint32_t steps)
{
    const uint32_t substeps = world->state.settings.substeps;
    for (uint32_t i = 0; i < steps; ++i)
        world->state.time = world->state.time + (double)dt * substeps / substeps; /* as in take_substeps */
    world->state.h = inner->state.h;
    world->state.passes = inner->state.passes;
    world->fault = (sn_fault){0};
    world->moves += steps;
    sn_world_finish_step(world);
    world->state.steps += steps;
}

/* Lists the members with forces, or those without. Their multipliers must be from a substep of the same h, which is
   returned; other members are stepped alone. */
static sn_real choose(sn_worlds *worlds, sn_beside *batch, bool forces, uint32_t first, uint32_t steps,
                      uint32_t *chosen, uint32_t *count)
{
    sn_real h = 0;
    *count = 0;
    for (uint32_t c = 0; c < batch->form->copies; ++c) {
        if (batch->member[c] == SN_NO_WORLD || batch->leaves[c])
            continue;
        const sn_worlds_entry *entry = &worlds->entry[batch->member[c]];
        const sn_world_state *state = &entry->world->state;
        if (state->forces_pending != forces || !sn_worlds_goes_on(entry, first))
            continue;
        h = *count ? h : state->h;
        if (is_warm(batch) && state->h != h)
            sn_worlds_step_alone(worlds, batch->member[c], first, steps);
        else
            chosen[(*count)++] = c;
    }
    return h;
}

/* Copies without a world get the data of the first one. */
static void copy_all_in(const sn_worlds *worlds, const sn_beside *batch, bool forces, const uint32_t *chosen,
                        uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t c = 0; c < batch->form->copies; ++c) {
        const bool own = next < count && chosen[next] == c;
        if (own && next + 1 < count)
            fetch(worlds->entry[batch->member[chosen[next + 1]]].world, batch->form->particles);
        copy_in(batch, c, worlds->entry[batch->member[chosen[own ? next : 0]]].world, forces);
        next += own;
    }
}

/* False if one of the steps fails. Then the inner world is invalid until others are copied in. */
static bool step_inner(sn_world *inner, sn_real dt, uint32_t steps)
{
    sn_result result = SN_OK;
    for (uint32_t i = 0; result == SN_OK && i < steps; ++i) {
        inner->state.time = 0;
        result = sn_world_step(inner, dt);
    }
    if (result != SN_OK)
        sn_forces_clear(inner);
    return result == SN_OK;
}

/* Steps the members with forces, or those without: all steps at once, without copying in between. */
static void step_some(sn_worlds *worlds, sn_beside *batch, bool forces, uint32_t first, uint32_t steps)
{
    uint32_t chosen[SN_BESIDE], count;
    const sn_real h = choose(worlds, batch, forces, first, steps, chosen, &count);
    bool done = count >= SN_BESIDE_LEAST && worlds->dt > 0; /* without time nothing is done, and nothing stored */
    if (done) {
        copy_all_in(worlds, batch, forces, chosen, count);
        batch->inner->state.forces_pending = forces;
        batch->inner->state.h = h;
        done = step_inner(batch->inner, worlds->dt, steps);
        batch->stepped += done ? count : 0;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t number = batch->member[chosen[i]];
        if (!done) {
            sn_worlds_step_alone(worlds, number, first, steps);
            continue;
        }
        copy_out(batch, chosen[i], worlds->entry[number].world);
        pass_time(worlds->entry[number].world, batch->inner, worlds->dt, steps);
        sn_worlds_note_step(worlds, &worlds->entry[number], SN_OK, first);
    }
}

/* Members that are not alike any more are stepped alone until the end of the call. */
static void judge_members(sn_worlds *worlds, sn_beside *batch, uint32_t first, uint32_t steps)
{
    for (uint32_t c = 0; c < batch->form->copies; ++c) {
        if (batch->member[c] == SN_NO_WORLD)
            continue;
        sn_worlds_entry *entry = &worlds->entry[batch->member[c]];
        if (!batch->leaves[c] && (entry->judged_calls != entry->world->calls || entry->world->busy)) {
            batch->leaves[c] = entry->world->busy || !sn_form_fits(batch->form, entry->world);
            entry->judged_calls = entry->world->calls;
        }
        if (batch->leaves[c]) {
            atomic_store_explicit(&worlds->leaving, true, memory_order_relaxed);
            sn_worlds_step_alone(worlds, batch->member[c], first, steps);
        }
    }
}

static void step_members(sn_worlds *worlds, sn_beside *batch, uint32_t first, uint32_t steps)
{
    batch->stepped = 0;
    step_some(worlds, batch, false, first, steps);
    step_some(worlds, batch, true, first, steps);
}

static bool has_forces(const sn_worlds *worlds, const sn_beside *batch)
{
    bool any = false;
    for (uint32_t c = 0; c < batch->form->copies; ++c)
        any = any || (batch->member[c] != SN_NO_WORLD && worlds->entry[batch->member[c]].world->state.forces_pending);
    return any;
}

/* Forces act for one step. So while there are any, steps are taken one by one. */
void sn_beside_step(sn_worlds *worlds, sn_beside *batch, uint32_t first, uint32_t steps, uint32_t worker)
{
    batch->inner = sn_form_inner(batch->form, batch->place, worker);
    fetch_heads(worlds, batch);
    for (uint32_t done = 0, now; done < steps; done += now) {
        for (uint32_t c = 0; worlds->acts && c < batch->form->copies; ++c)
            if (batch->member[c] != SN_NO_WORLD)
                sn_worlds_act_again(worlds, batch->member[c], first + done);
        now = worlds->acts || has_forces(worlds, batch) ? 1 : steps - done;
        judge_members(worlds, batch, first + done, now);
        step_members(worlds, batch, first + done, now);
    }
}
