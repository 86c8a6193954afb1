/* Times of the stages of a step, what was counted in it, and the hooks of a tracing profiler. */
#include "contact/deepest.h"
#include "world/world.h"

#include "base/clock.h"

static const char *const names[SN_STAGE_COUNT] = {
    [SN_STAGE_OTHER] = "other",
    [SN_STAGE_PLAN] = "plan",
    [SN_STAGE_SLEEP] = "sleep",
    [SN_STAGE_BROAD_PHASE] = "broad phase",
    [SN_STAGE_NARROW_PHASE] = "narrow phase",
    [SN_STAGE_FORCES] = "forces",
    [SN_STAGE_PREDICT] = "predict",
    [SN_STAGE_CONSTRAINTS] = "constraints",
    [SN_STAGE_CONTACT] = "contact",
    [SN_STAGE_VELOCITIES] = "velocities",
    [SN_STAGE_EVENTS] = "events",
};

const char *sn_stage_name(sn_stage stage)
{
    return (unsigned)stage < SN_STAGE_COUNT ? names[stage] : "";
}

/* ---- Hooks ------------------------------------------------------------------------------------------------------- */

static void call(sn_world *world, sn_trace_fn *function, const char *name)
{
    const bool busy = world->busy;
    if (!function)
        return;
    world->busy = true;
    function(world->profiler.context, name);
    world->busy = busy;
}

/* The stage `other` has no name in a trace: it is the step itself. */
static void call_stage(sn_world *world, sn_trace_fn *function)
{
    if (world->profiler.stage != SN_STAGE_OTHER)
        call(world, function, names[world->profiler.stage]);
}

sn_result sn_world_set_trace(sn_world *world, sn_trace_fn *begin, sn_trace_fn *end, void *context)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!begin != !end)
        return world_fail(world, SN_ERROR_ARGUMENT, "trace: %s is NULL and the other is not; give both or neither",
                          begin ? "end" : "begin");
    world->profiler.begin = begin;
    world->profiler.end = end;
    world->profiler.context = context;
    return SN_OK;
}

/* ---- Stages ------------------------------------------------------------------------------------------------------ */

void sn_stage_switch(sn_world *world, sn_stage stage)
{
    sn_profiler *p = &world->profiler;
    if (stage == p->stage)
        return;
    if (p->last.measured) {
        const double now = sn_clock();
        p->last.stage[p->stage] += now - p->clock;
        p->clock = now;
    }
    call_stage(world, p->end);
    p->stage = stage;
    call_stage(world, p->begin);
}

void sn_profile_begin(sn_world *world)
{
    sn_profiler *p = &world->profiler;
    p->last = (sn_profile){.measured = world->state.settings.profile};
    p->on = p->last.measured || p->begin;
    p->stage = SN_STAGE_OTHER;
    if (!p->on)
        return;
    call(world, p->begin, SN_TRACE_STEP);
    if (p->last.measured)
        p->clock = p->start = sn_clock();
}

/* ---- Counts ------------------------------------------------------------------------------------------------------ */

static uint32_t bits(uint32_t mask)
{
    uint32_t count = 0;
    for (; mask; mask &= mask - 1)
        ++count;
    return count;
}

static void count_lanes(const sn_plan *plan, sn_step_counts *counts)
{
    for (uint32_t i = 0; plan->made && i < plan->run_table.count; ++i) {
        const sn_plan_run *run = &plan->run[i];
        for (uint32_t b = 0; b < run->batches; ++b)
            counts->lanes_filled += bits(plan->mask[run->batch + b]);
        counts->batches += run->batches;
    }
    counts->lanes = (uint64_t)counts->batches * SN_BATCH;
}

static void count_contacts(sn_world *world, sn_step_counts *counts)
{
    const sn_contacts *c = &world->contacts;
    counts->candidates = world->body_contacts.count;
    if (c->any)
        counts->candidates += (uint64_t)c->pairs[SN_PAIRS_FIRST].near.pairs + c->static_contacts + c->skin_contacts -
                              c->skin_contact_pairs;
    counts->contacts = (uint64_t)world->contact.impulse_table.count + world->body_contacts.kept_table.count;
    sn_contacts_find_deepest(world, counts);
}

void sn_profile_end(sn_world *world, sn_result result)
{
    sn_profiler *p = &world->profiler;
    sn_step_counts *counts = &p->last.counts;
    if (!p->on)
        return;
    sn_stage_switch(world, SN_STAGE_OTHER);
    if (result == SN_OK && p->last.measured) {
        count_contacts(world, counts);
        if (world->state.settings.solver == SN_SOLVER_TILED)
            count_lanes(&world->plan, counts);
        counts->passes = world->state.passes;
        counts->awake = sn_world_awake_count(world);
        counts->particles = world->particles.table.count;
        counts->bodies = world->bodies.ids.live;
    } else {
        *counts = (sn_step_counts){0};
    }
    if (p->last.measured) {
        const double now = sn_clock();
        p->last.stage[SN_STAGE_OTHER] += now - p->clock;
        p->last.seconds = now - p->start;
    }
    call(world, p->end, SN_TRACE_STEP);
    p->on = false;
}

sn_profile sn_world_profile(const sn_world *world)
{
    return world ? world->profiler.last : (sn_profile){0};
}
