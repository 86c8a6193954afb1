/* The places of constraints in a plan, the copies of their data in batches, and how the plan follows edits. */
#include "solvers/plan_work.h"
#include "solvers/row.h"

#include <string.h>

/* ---- Places ------------------------------------------------------------------------------------------------------ */

static void set_places(sn_store *store, const sn_visit *visit, uint32_t count, uint32_t where)
{
    for (uint32_t i = 0; i < count; ++i)
        if (visit[i].kind)
            store->pool[visit[i].kind]->place[visit[i].row] = plan_place(where, i);
}

/* Copies the numbers of an anchored point; see SN_ANCHOR_PLACE and so on. */
static void copy_anchor(const sn_store *store, uint32_t code, float *to)
{
    sn_anchor anchor = {.weight = {1}, .turn = {0, 0, 0, 1}};
    if (code & SN_ANCHOR_BIT)
        anchor = store->anchor[code & ~SN_ANCHOR_BIT];
    if (anchor.type != SN_POINT_PARTICLES)
        anchor.weight[0] = 1;
    const sn_real number[SN_ANCHOR_NUMBERS] = {anchor.place.x,
                                               anchor.place.y,
                                               anchor.place.z,
                                               anchor.turn.x,
                                               anchor.turn.y,
                                               anchor.turn.z,
                                               anchor.turn.w,
                                               anchor.weight[0],
                                               anchor.count > 1 ? anchor.weight[1] : 0,
                                               anchor.count > 2 ? anchor.weight[2] : 0,
                                               anchor.count > 3 ? anchor.weight[3] : 0,
                                               anchor.type == SN_POINT_PLACE};
    for (uint32_t n = 0; n < SN_ANCHOR_NUMBERS; ++n)
        to[n * SN_BATCH] = (float)number[n];
}

static void copy_lane(sn_plan *plan, const sn_store *store, const sn_plan_run *run, uint32_t batch, uint32_t lane)
{
    uint32_t global = run->batch + batch, row = plan->row[global * SN_BATCH + lane];
    const sn_pool *pool = store->pool[run->kind];
    const sn_give *give = &pool->give[row];
    const uint32_t params = pool->param_count, points = pool->kind->points;
    uint8_t *feature = &plan->feature[run - plan->run];
    for (uint32_t n = 0; n < params; ++n)
        plan->param[run->param + (batch * params + n) * SN_BATCH + lane] = (float)pool->param[(size_t)row * params + n];
    plan->compliance[global * SN_BATCH + lane] = (float)give->compliance;
    *feature |= (give->compliance > 0 ? SN_RUN_SOFT : 0) |
                ((pool->kind->settle || pool->kind->state) && pool_settles(pool, row) ? SN_RUN_SETTLES : 0);
    if (run->give != SN_PLAN_NONE) {
        float *damping = plan->give + run->give + batch * SN_BATCH + lane;
        *damping = (float)give->damping;
        damping[run->batches * SN_BATCH] = (float)row_stiffness(give->stiffness, plan->stiffness_root);
        *feature |=
            (give->damping * give->compliance != 0 ? SN_RUN_DAMPED : 0) | (give->stiffness != 1 ? SN_RUN_LIMP : 0);
    }
    for (uint32_t i = 0; run->corners && i < points; ++i)
        copy_anchor(store, pool->point[(size_t)row * points + i],
                    plan->fixed + run->fixed + (batch * points + i) * SN_ANCHOR_NUMBERS * SN_BATCH + lane);
}

void sn_plan_correct_stiffness(sn_plan *plan, const sn_store *store, uint32_t root)
{
    if (plan->stiffness_root == root)
        return;
    plan->stiffness_root = root;
    for (uint32_t r = 0; r < plan->run_table.count; ++r) {
        const sn_plan_run *run = &plan->run[r];
        for (uint32_t i = 0; run->give != SN_PLAN_NONE && i < run->batches * SN_BATCH; ++i)
            if (plan->mask[run->batch + i / SN_BATCH] >> i % SN_BATCH & 1)
                copy_lane(plan, store, run, i / SN_BATCH, i % SN_BATCH);
    }
}

/* Prefetches the data of a later lane. */
static void ask_for_lane(const sn_plan *plan, const sn_pool *pool, uint32_t at)
{
    if (at >= plan->row_table.count || plan->row[at] >= pool->table.count)
        return;
    const uint32_t row = plan->row[at];
    PLAN_FETCH(&pool->give[row]);
    PLAN_FETCH(&pool->place[row]);
    if (pool->param_count)
        PLAN_FETCH(&pool->param[(size_t)row * pool->param_count]);
}

/* Copies data of constraints into the batches, and sets their places. Empty lanes keep zeros, or the numbers of removed
   constraints. */
static void fill_batches(sn_plan *plan, const sn_store *store)
{
    for (uint32_t r = 0; r < plan->run_table.count; ++r) {
        const sn_plan_run *run = &plan->run[r];
        for (uint32_t b = 0; b < run->batches; ++b)
            for (uint32_t lane = 0; lane < SN_BATCH; ++lane) {
                uint32_t at = (run->batch + b) * SN_BATCH + lane;
                ask_for_lane(plan, store->pool[run->kind], at + PLAN_AHEAD);
                if (!(plan->mask[run->batch + b] >> lane & 1))
                    continue;
                copy_lane(plan, store, run, b, lane);
                store->pool[run->kind]->place[plan->row[at]] = plan_place(PLACE_LANE, at);
            }
    }
}

void sn_plan_find_places(sn_plan *plan, sn_store *store)
{
    if (plan->run_table.count)
        memset(plan->feature, 0, plan->run_table.count * sizeof *plan->feature);
    for (uint32_t kind = 1; kind < store->kind_count; ++kind)
        if (store->pool[kind]->table.count)
            memset(store->pool[kind]->place, 0, store->pool[kind]->table.count * sizeof(uint32_t));
    fill_batches(plan, store);
    set_places(store, plan->visit, plan->visit_table.count, PLACE_VISIT);
    set_places(store, plan->hub, plan->hub_table.count, PLACE_HUB);
    set_places(store, plan->many, plan->many_table.count, PLACE_MANY);
    set_places(store, plan->extra, plan->extra_table.count, PLACE_EXTRA);
    set_places(store, plan->tree, plan->tree_table.count, PLACE_TREE);
    plan->tree_edits++;
}

/* The slot of a lane; SN_NO_SLOT if it is outside of the tile, or in the shorter last lane. */
static uint32_t slot_of_lane(const sn_tile *tile, uint32_t offset, uint32_t lane)
{
    int32_t lanes;
    uint32_t full = tile->count - (SN_BATCH - 1) * tile->rows, row = plan_row_of_offset(offset, &lanes);
    lane += (uint32_t)lanes;
    if (lane >= SN_BATCH || row >= tile->rows)
        return SN_NO_SLOT;
    if (row < full)
        return tile->first + row * SN_BATCH + lane;
    return lane == SN_BATCH - 1 ? SN_NO_SLOT : tile->first + full * SN_BATCH + (row - full) * (SN_BATCH - 1) + lane;
}

uint32_t sn_plan_slot(const sn_plan *plan, const sn_tile *tile, const sn_plan_run *run, uint32_t points, uint32_t batch,
                      uint32_t lane, uint32_t point)
{
    const size_t at = (size_t)batch * points + point, index = run->index + at * SN_BATCH + lane;
    if (tile->rows)
        return slot_of_lane(tile, plan->offset[run->index + at], lane);
    if (tile < plan->tile + plan->layer[1])
        return tile->first + plan->near[index];
    if (!tile->copied)
        return plan->far[index];
    return plan->near[index] < tile->count ? plan->list[tile->first + plan->near[index]] : SN_NO_SLOT;
}

/* The number of edits that are followed. Following an edit costs as much as planning several constraints anew, and
   every added constraint makes a pass slower. */
static uint32_t most_edits(uint32_t live)
{
    return 256 + live / 8;
}

bool sn_plan_reserve_log(sn_store *store, const sn_allocator *allocator, uint32_t live)
{
    return sn_store_log_reserve(store, allocator, most_edits(live));
}

/* Memory for edits is reserved beforehand: following them must not fail, since results must not depend on memory. */
bool sn_plan_reserve_edits(sn_plan *plan, const sn_allocator *allocator, sn_store *store)
{
    bool room = sn_table_reserve(&plan->feature_table, allocator, plan->run_table.count) &&
                sn_table_reserve(&plan->watched_table, allocator, plan->run_table.count) &&
                sn_table_reserve(&plan->extra_table, allocator, most_edits(plan->live)) &&
                sn_plan_reserve_log(store, allocator, plan->live);
    plan->feature = plan->feature_table.column[0];
    plan->watched = plan->watched_table.column[0];
    if (room)
        sn_plan_watch_none(plan);
    plan->extra = plan->extra_table.column[0];
    return room;
}

/* Fills a table with `count` zeros. */
static bool refill(sn_table *table, const sn_allocator *allocator, uint32_t count)
{
    if (!sn_table_reserve(table, allocator, count))
        return false;
    table->count = count;
    if (count)
        memset(table->column[0], 0, (size_t)count * table->width[0]);
    return true;
}

bool sn_plan_restored(sn_plan *plan, const sn_allocator *allocator, sn_store *store)
{
    uint32_t params = 0, gives = 0, fixed = 0;
    sn_plan_bind(plan);
    for (uint32_t r = 0; r < plan->run_table.count; ++r) {
        const sn_plan_run *run = &plan->run[r];
        const uint32_t lanes = run->batches * SN_BATCH;
        if (!lanes)
            continue;
        params += lanes * store->pool[run->kind]->param_count;
        gives += run->give != SN_PLAN_NONE ? 2 * lanes : 0;
        fixed += run->corners ? lanes * SN_ANCHOR_NUMBERS * store->pool[run->kind]->kind->points : 0;
    }
    if (!sn_plan_reserve_edits(plan, allocator, store) || !refill(&plan->param_table, allocator, params) ||
        !refill(&plan->compliance_table, allocator, plan->row_table.count) ||
        !refill(&plan->give_table, allocator, gives) || !refill(&plan->fixed_table, allocator, fixed))
        return false;
    sn_plan_bind(plan);
    sn_plan_find_places(plan, store);
    plan->filled = true;
    plan->serial++;
    return true;
}

/* ---- Following edits --------------------------------------------------------------------------------------------- */

static void forget(sn_plan *plan, sn_pool *pool, uint32_t row)
{
    uint32_t place = pool->place[row];
    if (!place)
        return;
    uint32_t where = (place - 1) >> PLACE_SHIFT, at = (place - 1) & PLACE_MASK;
    sn_visit *visits[] = {[PLACE_VISIT] = plan->visit,
                          [PLACE_HUB] = plan->hub,
                          [PLACE_MANY] = plan->many,
                          [PLACE_EXTRA] = plan->extra,
                          [PLACE_TREE] = plan->tree};
    pool->place[row] = 0;
    plan->tree_edits += where == PLACE_TREE;
    if (where == PLACE_LANE)
        plan->mask[at / SN_BATCH] &= (uint16_t) ~(1u << at % SN_BATCH);
    else
        visits[where][at].kind = 0;
}

/* Whether a constraint has a particle of a tile with trees: their loads may change, or they may get loops. */
static bool touches_tree(const sn_plan *plan, const sn_store *store, const uint32_t *slot, uint32_t kind, uint32_t row)
{
    uint32_t small[SN_MAX_BLOCK], count;
    const uint32_t *number = sn_store_particles(store, store->pool[kind], row, small, &count);
    bool any = false;
    for (uint32_t i = 0; i < count && !any; ++i)
        any = slot[number[i]] < plan->particles && plan->tile[sn_plan_owner(plan, slot[number[i]])].tree_like;
    return any;
}

static bool add_extra(sn_plan *plan, sn_store *store, const uint32_t *slot, uint32_t kind, uint32_t row)
{
    uint32_t count = plan->extra_table.count;
    if (store->pool[kind]->kind->force || !sn_ids_is_live(&store->pool[kind]->ids, row))
        return true; /* removed again: a later entry of the log */
    if (count >= most_edits(plan->live) || touches_tree(plan, store, slot, kind, row))
        return false;
    plan->extra[count] = (sn_visit){kind, row};
    plan->extra_table.count++;
    store->pool[kind]->place[row] = plan_place(PLACE_EXTRA, count);
    return true;
}

/* Large changes: a mass that changes by half or more, or a particle that becomes immovable or movable. */
bool sn_plan_weighs(sn_plan *plan, uint32_t slot, sn_real before, sn_real after)
{
    if (!plan->made || slot >= plan->particles || before == after || !plan->tile[sn_plan_owner(plan, slot)].tree_like)
        return true;
    plan->canonical = false;
    return before != 0 && after != 0 && after < 2 * before && before < 2 * after;
}

/* The run of a batch. */
static const sn_plan_run *run_of(const sn_plan *plan, uint32_t batch)
{
    uint32_t low = 0, high = plan->run_table.count; /* first batches of runs ascend; runs of visits have none */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (plan->run[middle].batch <= batch)
            low = middle;
        else
            high = middle;
    }
    while (!plan->run[low].batches)
        --low;
    return &plan->run[low];
}

bool sn_plan_watch(sn_plan *plan, const sn_store *store, uint32_t kind, uint32_t row, sn_plan_seen *seen)
{
    const uint32_t place = store->pool[kind]->place[row], batch = (place - 1) / SN_BATCH;
    if (!place || (place - 1) >> PLACE_SHIFT != PLACE_LANE)
        return false;
    if (seen->batch[batch % SN_PLAN_SEEN] != batch + 1)
        plan->watched[run_of(plan, batch) - plan->run] = plan->any_watched = true;
    seen->batch[batch % SN_PLAN_SEEN] = batch + 1;
    return true;
}

/* Follows a change of parameters, compliance, damping or stiffness. It may take a constraint out of its batch. */
static bool change(sn_plan *plan, sn_store *store, const uint32_t *slot, uint32_t kind, uint32_t row)
{
    sn_pool *pool = store->pool[kind];
    if (!sn_ids_is_live(&pool->ids, row) || !pool->place[row])
        return true;
    uint32_t place = pool->place[row] - 1;
    if (place >> PLACE_SHIFT == PLACE_TREE) {
        plan->tree_edits++;
        return true;
    }
    if (place >> PLACE_SHIFT != PLACE_LANE) { /* a plan made anew might have the constraint in a batch */
        plan->canonical = plan->canonical && sn_plan_form_of(store, kind, row) == SN_FORM_SINGLE;
        return true;
    }
    const sn_plan_run *run = run_of(plan, place / SN_BATCH);
    if (sn_plan_form_of(store, kind, row) == SN_FORM_SINGLE ||
        (run->give == SN_PLAN_NONE && sn_plan_gives(store, kind, row))) {
        forget(plan, pool, row);
        plan->canonical = false;
        return add_extra(plan, store, slot, kind, row);
    }
    copy_lane(plan, store, run, place / SN_BATCH - run->batch, place % SN_BATCH);
    return true;
}

static bool change_all(sn_plan *plan, sn_store *store, const uint32_t *slot)
{
    for (uint32_t r = 0; r < plan->run_table.count; ++r)
        for (uint32_t b = 0; b < plan->run[r].batches; ++b)
            for (uint32_t lane = 0; lane < SN_BATCH; ++lane) {
                uint32_t batch = plan->run[r].batch + b;
                if ((plan->mask[batch] >> lane & 1) &&
                    !change(plan, store, slot, plan->run[r].kind, plan->row[batch * SN_BATCH + lane]))
                    return false;
            }
    return true;
}

/* Whether the log has more edits than are followed. It may, since its memory may be from a larger plan. */
static bool is_too_much(const sn_plan *plan, const sn_store *store)
{
    const sn_edit *edit = store->edit_table.column[0];
    uint32_t most = most_edits(plan->live);
    bool much = store->edit_table.count > most;
    for (uint32_t i = 0; !much && i < store->edit_table.count; ++i)
        much = edit[i].count > most;
    return much;
}

bool sn_plan_follow(sn_plan *plan, sn_store *store, const uint32_t *slot)
{
    if (!plan->made || store->log_lost || !store->logging || is_too_much(plan, store))
        return false;
    plan->serial += store->edit_table.count != 0 || store->all_changed;
    const sn_edit *edit = store->edit_table.column[0];
    for (uint32_t i = 0; i < store->edit_table.count; ++i) {
        sn_pool *pool = store->pool[edit[i].kind];
        for (uint32_t k = 0; k < edit[i].count; ++k) {
            uint32_t row = edit[i].row + k;
            if (edit[i].what == SN_EDIT_CHANGED) {
                if (!change(plan, store, slot, edit[i].kind, row))
                    return false;
                continue;
            }
            plan->canonical = plan->canonical && pool->kind->force;
            forget(plan, pool, row);
            if (edit[i].what == SN_EDIT_ADDED && !add_extra(plan, store, slot, edit[i].kind, row))
                return false;
        }
    }
    if (store->all_changed && !change_all(plan, store, slot))
        return false;
    sn_store_log_begin(store);
    return true;
}
