/* Tiles of records: colouring, and packing into batches. */
#include "solvers/plan_work.h"

#include <string.h>

#define COLOURS 128u

/* Two bits; constraints that are projected singly come last. */
static uint64_t form_key(const plan_item *item)
{
    return item->form == SN_FORM_SINGLE ? 3 : item->form - 1u;
}

static uint64_t make_key(uint64_t phase, uint64_t x, uint64_t y, uint64_t form)
{
    return phase << 62 | x << 33 | y << 2 | form;
}

/* ---- The order of constraints ------------------------------------------------------------------------------------ */

static void refresh(plan_work *w, uint32_t slot, uint32_t stamp)
{
    if (w->stamp[slot] == stamp)
        return;
    w->stamp[slot] = stamp;
    w->used[slot][0] = w->used[slot][1] = 0;
    w->last[slot] = 0;
}

static uint32_t lowest_zero(uint64_t bits)
{
#ifdef __GNUC__
    return (uint32_t)__builtin_ctzll(~bits);
#else
    uint32_t i = 0;
    while (bits >> i & 1)
        ++i;
    return i;
#endif
}

/* The lowest colour that none of its particles has. Beyond the last colour, each constraint has a colour of its own. */
static uint32_t colour_of(plan_work *w, const plan_item *item, uint32_t stamp, uint32_t *beyond)
{
    const uint32_t *p = w->particle + item->first;
    uint64_t low = 0, high = 0;
    for (uint32_t i = 0; i < item->count; ++i) {
        refresh(w, p[i], stamp);
        low |= w->used[p[i]][0];
        high |= w->used[p[i]][1];
    }
    uint32_t colour = 0;
    uint64_t *half = NULL;
    if (~low) {
        colour = lowest_zero(low);
    } else if (~high) {
        colour = 64 + lowest_zero(high);
    } else {
        return COLOURS + (*beyond)++;
    }
    for (uint32_t i = 0; i < item->count; ++i) {
        half = &w->used[p[i]][colour / 64];
        *half |= UINT64_C(1) << colour % 64;
    }
    return colour;
}

/* One later than the latest level of its particles: so constraints of a particle keep their order. */
static uint32_t level_of(plan_work *w, const plan_item *item, uint32_t stamp)
{
    const uint32_t *p = w->particle + item->first;
    uint32_t level = 0;
    for (uint32_t i = 0; i < item->count; ++i) {
        refresh(w, p[i], stamp);
        level = w->last[p[i]] > level ? w->last[p[i]] : level;
    }
    for (uint32_t i = 0; i < item->count; ++i)
        w->last[p[i]] = level + 1;
    return level;
}

static uint64_t span_key(const plan_work *w, const plan_item *item)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t i = 0; i < item->count; ++i) {
        uint64_t number = w->order[w->particle[item->first + i]];
        low = number < low ? number : low;
        high = number > high ? number : high;
    }
    return low << 31 | high;
}

/* Bodies without loops are visited in the order of their particles' numbers, as SN_ORDER_THERE_AND_BACK does. */
static uint32_t place_chains(plan_work *w, const uint32_t *list, uint32_t count, sn_sort_item *out)
{
    uint32_t found = 0, stamp = ++w->stamps;
    for (uint32_t i = 0; i < count; ++i)
        if (w->item[list[i]].phase == PLAN_WITHOUT_LOOPS)
            out[found++] = (sn_sort_item){span_key(w, &w->item[list[i]]), list[i], 0};
    sn_sort(out, w->sort_scratch, found);
    for (uint32_t i = 0; i < found; ++i) {
        const plan_item *item = &w->item[out[i].a];
        out[i].key = make_key(PLAN_WITHOUT_LOOPS, level_of(w, item, stamp), item->kind, form_key(item));
    }
    return found;
}

/* Sorts by turn, in b; equal items keep their order. */
static void sort_by_rank(plan_work *w, sn_sort_item *items, uint32_t count, uint32_t ranks)
{
    uint32_t *start = w->queue; /* w->queue has space for all numbers, and some more: see make */
    if (ranks > w->particles->numbers + 2 * COLOURS) {
        sn_sort(items, w->sort_scratch, count);
        return;
    }
    memset(start, 0, ((size_t)ranks + 1) * sizeof *start);
    for (uint32_t i = 0; i < count; ++i)
        start[items[i].b + 1]++;
    for (uint32_t i = 0; i < ranks; ++i)
        start[i + 1] += start[i];
    for (uint32_t i = 0; i < count; ++i)
        w->sort_scratch[start[items[i].b]++] = items[i];
    memcpy(items, w->sort_scratch, count * sizeof *items);
}

/* Orders the batches colour by colour, all kinds of a colour together: even colours on the way there, and odd ones, in
   descending order, on the way back. So neighbours come earlier and later equally on all sides, and rods come both
   before and after volumes. With kind after kind, and colours in their order, bodies of two kinds gained energy; see
   docs/stability.md. The keys hold colour, kind and form. */
static void rank_by_colour(plan_work *w, sn_sort_item *items, uint32_t count, uint32_t colours, uint32_t kinds)
{
    uint32_t ranks = 8 * colours * kinds;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t colour = (uint32_t)(items[i].key >> 32), rank = 4 * colour * kinds + (uint32_t)items[i].key;
        items[i].b = colour % 2 ? ranks - 1 - rank : rank;
        items[i].key = make_key(PLAN_WITH_LOOPS, 0, items[i].b, 0);
    }
    sort_by_rank(w, items, count, ranks);
}

/* Every kind is coloured separately. */
static uint32_t place_loops(plan_work *w, const uint32_t *list, uint32_t count, sn_sort_item *out)
{
    uint32_t found = 0, kind = 0, kinds = 0, colours = 0, beyond = 0, left = 0;
    for (uint32_t i = 0; i < count; ++i)
        left += w->item[list[i]].phase == PLAN_WITH_LOOPS;
    for (; found < left; ++kinds) {
        uint32_t next = PLAN_NONE, stamp = ++w->stamps;
        for (uint32_t i = 0; i < count; ++i) {
            const plan_item *item = &w->item[list[i]];
            if (item->phase == PLAN_WITH_LOOPS && item->kind > kind && item->kind < next)
                next = item->kind;
        }
        kind = next;
        for (uint32_t i = 0; i < count; ++i) {
            const plan_item *item = &w->item[list[i]];
            if (item->kind != kind || item->phase != PLAN_WITH_LOOPS)
                continue;
            uint32_t colour = colour_of(w, item, stamp, &beyond);
            colours = colour >= colours ? colour + 1 : colours;
            out[found++] = (sn_sort_item){(uint64_t)colour << 32 | (4 * kinds + form_key(item)), list[i], 0};
        }
    }
    rank_by_colour(w, out, found, colours, kinds);
    return found;
}

static uint32_t place_singles(plan_work *w, const uint32_t *list, uint32_t count, sn_sort_item *out)
{
    uint32_t found = 0, stamp = ++w->stamps;
    for (uint32_t i = 0; i < count; ++i) {
        const plan_item *item = &w->item[list[i]];
        if (item->phase == PLAN_SINGLES)
            out[found++] = (sn_sort_item){make_key(PLAN_SINGLES, level_of(w, item, stamp), item->kind, form_key(item)),
                                          list[i], 0};
    }
    return found;
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

/* Appends `more` zeros to one of the plan's arrays. */
static void *grow_zeroed(plan_work *w, sn_table *table, uint32_t more)
{
    void *at = sn_plan_grow(w, table, more);
    if (at && more)
        memset(at, 0, (size_t)more * table->width[0]);
    return at;
}

static uint32_t corners_of(sn_plan_form form)
{
    return form == SN_FORM_WEIGHTED ? 4 : form == SN_FORM_ANCHORED ? 1 : 0;
}

sn_plan_run *sn_plan_open_run(plan_work *w, sn_tile *tile, const plan_run_def *def)
{
    sn_plan *plan = w->plan;
    const sn_pool *pool = w->store->pool[def->kind];
    sn_table *index = tile->rows                         ? &plan->offset_table
                      : def->indices == sizeof(uint16_t) ? &plan->near_table
                                                         : &plan->far_table;
    sn_plan_run run = {.kind = def->kind,
                       .batches = def->batches,
                       .batch = plan->mask_table.count,
                       .index = index->count,
                       .param = plan->param_table.count,
                       .visit = plan->visit_table.count,
                       .give = def->gives ? plan->give_table.count : SN_PLAN_NONE,
                       .corners = corners_of(def->form),
                       .anchor = plan->anchor_table.count,
                       .fixed = plan->fixed_table.count};
    const uint32_t lanes = def->batches * SN_BATCH, points = pool->kind->points;
    tile->runs++;
    if (lanes) {
        if (run.corners) {
            grow_zeroed(w, &plan->anchor_table, lanes * points * (run.corners + 1));
            grow_zeroed(w, &plan->fixed_table, lanes * points * SN_ANCHOR_NUMBERS);
        } else {
            grow_zeroed(w, index, points * (tile->rows ? def->batches : lanes));
        }
        grow_zeroed(w, &plan->mask_table, def->batches);
        grow_zeroed(w, &plan->param_table, lanes * pool->param_count);
        grow_zeroed(w, &plan->compliance_table, lanes);
        grow_zeroed(w, &plan->give_table, def->gives ? 2 * lanes : 0);
        grow_zeroed(w, &plan->row_table, lanes);
    }
    sn_plan_run *to = sn_plan_grow(w, &plan->run_table, 1);
    if (to)
        *to = run;
    return to;
}

void sn_plan_fill_lane(plan_work *w, const sn_plan_run *run, uint32_t batch, uint32_t lane, const plan_item *item)
{
    sn_plan *plan = w->plan;
    uint32_t global = run->batch + batch;
    ((uint16_t *)plan->mask_table.column[0])[global] |= (uint16_t)(1u << lane);
    ((uint32_t *)plan->row_table.column[0])[global * SN_BATCH + lane] = item->row;
}

/* Writes the slots of an anchored point and its body; returns the number of its particles. A place in the world has no
   particle, and gets one of the constraint's, which it does not move. */
static uint32_t set_anchor(const plan_work *w, uint32_t code, const plan_item *item, uint32_t corners, uint32_t *to)
{
    const sn_anchor *anchor = code & SN_ANCHOR_BIT ? &w->store->anchor[code & ~SN_ANCHOR_BIT] : NULL;
    uint32_t count = anchor ? anchor->count : 1;
    if (anchor && anchor->type == SN_POINT_BODY)
        count = 1;
    for (uint32_t k = 0; k < corners; ++k) {
        uint32_t number = !anchor ? code : k < count ? anchor->particle[k] : anchor->particle[0];
        to[k * SN_BATCH] = count ? w->slot[number] : w->particle[item->first];
    }
    to[corners * SN_BATCH] = anchor && anchor->type == SN_POINT_BODY ? anchor->body : SN_NO_BODY;
    return count;
}

/* Sets the indices of a lane. Lanes without a constraint use the particles of the batch's first constraint, so that
   they load valid data. */
static void set_index(plan_work *w, sn_plan_run *run, const sn_tile *tile, bool near, uint32_t batch, uint32_t lane,
                      const plan_item *item)
{
    const sn_pool *pool = w->store->pool[run->kind];
    uint32_t points = pool->kind->points, particles = 0;
    for (uint32_t i = 0; i < points; ++i) {
        if (run->corners) {
            uint32_t *to = (uint32_t *)w->plan->anchor_table.column[0] + run->anchor +
                           (batch * points + i) * (run->corners + 1) * SN_BATCH + lane;
            particles += set_anchor(w, pool->point[(size_t)item->row * points + i], item, run->corners, to);
            run->bodies |= to[run->corners * SN_BATCH] != SN_NO_BODY;
            continue;
        }
        size_t at = run->index + ((size_t)batch * points + i) * SN_BATCH + lane;
        uint32_t slot = w->particle[item->first + i];
        if (near)
            ((uint16_t *)w->plan->near_table.column[0])[at] =
                (uint16_t)(w->copied ? w->claim[slot] : slot - tile->first);
        else
            ((uint32_t *)w->plan->far_table.column[0])[at] = slot;
    }
    run->shared |= run->corners && particles != item->count;
}

static void emit_batches(plan_work *w, const sn_sort_item *group, uint32_t count, bool near, sn_tile *tile)
{
    const plan_item *first = &w->item[group[0].a];
    plan_run_def def = {.kind = first->kind,
                        .batches = (count + SN_BATCH - 1) / SN_BATCH,
                        .indices = near ? sizeof(uint16_t) : sizeof(uint32_t),
                        .form = (sn_plan_form)first->form};
    for (uint32_t i = 0; i < count && !def.gives; ++i)
        def.gives = sn_plan_gives(w->store, def.kind, w->item[group[i].a].row);
    sn_plan_run *run = sn_plan_open_run(w, tile, &def);
    if (!run)
        return;
    for (uint32_t i = 0; i < count; ++i) {
        sn_plan_fill_lane(w, run, i / SN_BATCH, i % SN_BATCH, &w->item[group[i].a]);
        set_index(w, run, tile, near, i / SN_BATCH, i % SN_BATCH, &w->item[group[i].a]);
    }
    for (uint32_t i = count; i < def.batches * SN_BATCH; ++i)
        set_index(w, run, tile, near, i / SN_BATCH, i % SN_BATCH, &w->item[group[i / SN_BATCH * SN_BATCH].a]);
}

static void emit_visits(plan_work *w, const sn_sort_item *group, uint32_t count, sn_tile *tile)
{
    sn_plan *plan = w->plan;
    sn_plan_run *run = plan->run_table.column[0];
    run = tile->runs ? run + plan->run_table.count - 1 : NULL;
    if (!run || run->batches) /* visits continue those before them */
        run = sn_plan_open_run(w, tile, &(plan_run_def){.kind = w->item[group[0].a].kind, .indices = sizeof(uint16_t)});
    sn_visit *visit = sn_plan_grow(w, &plan->visit_table, count);
    if (w->failed)
        return;
    for (uint32_t i = 0; i < count; ++i)
        visit[i] = (sn_visit){w->item[group[i].a].kind, w->item[group[i].a].row};
    run->visits += count;
}

void sn_plan_records(plan_work *w, const uint32_t *list, uint32_t count, bool near, sn_tile *tile)
{
    tile->run = w->plan->run_table.count;
    tile->runs = 0;
    tile->work = count;
    uint32_t chains = place_chains(w, list, count, w->sort);
    sn_sort(w->sort, w->sort_scratch, chains);
    uint32_t found = chains + place_loops(w, list, count, w->sort + chains);
    uint32_t singles = place_singles(w, list, count, w->sort + found);
    sn_sort(w->sort + found, w->sort_scratch, singles);
    found += singles;
    for (uint32_t i = 0, end; i < found && !w->failed; i = end) {
        for (end = i + 1; end < found && w->sort[end].key == w->sort[i].key;)
            ++end;
        if (w->item[w->sort[i].a].form != SN_FORM_SINGLE)
            emit_batches(w, w->sort + i, end - i, near, tile);
        else
            emit_visits(w, w->sort + i, end - i, tile);
    }
}
