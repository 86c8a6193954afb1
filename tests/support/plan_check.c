/* Checks a plan against the description in solvers/plan.h. */
#include "support/plan_check.h"

#include "solvers/plan_work.h"
#include "solvers/row.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct checker {
    const sn_plan *plan;
    const sn_store *store;
    const sn_plan_particles *particles;
    char *message;
    size_t size;

    /* by slot: */
    uint32_t *layer; /* the last layer that has it, counted from 1 */
    uint32_t *tile;  /* the tile of that layer */
    uint32_t *run;   /* the last run of batches that has it, counted from 1 */
    uint32_t *place; /* by row of a plane: the same as `run` */

    /* the numbers found so far: */
    uint64_t constraints;
    uint32_t runs, batches, visits, near, far, offsets, params, list, gives, anchors, fixed;
} checker;

static bool complain(checker *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(c->message, c->size, format, list);
    va_end(list);
    return false;
}

static bool expect(checker *c, const char *what, uint64_t found, uint64_t expected)
{
    return found == expected ||
           complain(c, "%s is %llu, not %llu", what, (unsigned long long)found, (unsigned long long)expected);
}

/* ---- Constraints ------------------------------------------------------------------------------------------------- */

/* Checks a constraint that is in the plan: it exists, and its place is right. */
static bool check_constraint(checker *c, uint32_t kind, uint32_t row, uint32_t where, uint32_t at)
{
    if (kind == 0 || kind >= c->store->kind_count)
        return complain(c, "entry %u of list %u is of kind %u, which does not exist", at, where, kind);
    const sn_pool *pool = c->store->pool[kind];
    if (pool->kind->force || !sn_ids_is_live(&pool->ids, row))
        return complain(c, "%s constraint %u, entry %u of list %u, is %s", pool->kind->name, row, at, where,
                        pool->kind->force ? "a force" : "removed");
    if (pool->place[row] != plan_place(where, at))
        return complain(c, "%s constraint %u is at %u of list %u, but says %u", pool->kind->name, row, at, where,
                        pool->place[row]);
    c->constraints++;
    return true;
}

/* Writes the slots of its particles, each once, to `slot`, which has space for SN_MAX_BLOCK. Returns their number; 0 if
   one of them does not exist. */
static uint32_t slots_of(const checker *c, uint32_t kind, uint32_t row, uint32_t *slot)
{
    uint32_t count;
    sn_store_particles(c->store, c->store->pool[kind], row, slot, &count);
    for (uint32_t i = 0; i < count; ++i) {
        if (slot[i] >= c->particles->numbers || c->particles->slot[slot[i]] >= c->particles->count)
            return 0;
        slot[i] = c->particles->slot[slot[i]];
    }
    return sn_plan_once(slot, count);
}

static bool check_list(checker *c, const sn_visit *visit, uint32_t count, uint32_t where)
{
    for (uint32_t i = 0; i < count; ++i)
        if (visit[i].kind && !check_constraint(c, visit[i].kind, visit[i].row, where, i))
            return false;
    return true;
}

/* Checks the constraints of trees: their particles are in tiles of records that are not coarse, so that only positions
   are exchanged. */
static bool check_trees(checker *c)
{
    const sn_plan *plan = c->plan;
    for (uint32_t i = 0; i < plan->tree_table.count; ++i) {
        uint32_t slot[SN_MAX_BLOCK],
            count = plan->tree[i].kind ? slots_of(c, plan->tree[i].kind, plan->tree[i].row, slot) : 0;
        for (uint32_t k = 0; k < count; ++k) {
            const sn_tile *tile = slot[k] < plan->loose ? &plan->tile[sn_plan_owner(plan, slot[k])] : NULL;
            if (c->particles->x && c->particles->x[slot[k]].w == 0)
                continue;
            if (!tile || tile->rows || tile->large || !tile->tree_like)
                return complain(c, "constraint %u of the trees holds slot %u, whose tile cannot be one of a tree", i,
                                slot[k]);
        }
    }
    return check_list(c, plan->tree, plan->tree_table.count, PLACE_TREE);
}

/* Checks that constraints that are not in the plan have no place, and that no others are missing. */
static bool check_places(checker *c)
{
    uint64_t live = 0;
    for (uint32_t kind = 1; kind < c->store->kind_count; ++kind) {
        const sn_pool *pool = c->store->pool[kind];
        for (uint32_t row = 0; row < pool->table.count; ++row) {
            bool expected = !pool->kind->force && sn_ids_is_live(&pool->ids, row);
            live += expected;
            if (expected != (pool->place[row] != 0))
                return complain(c, "%s constraint %u is %s, but its place is %u", pool->kind->name, row,
                                expected ? "to be projected" : "not to be projected", pool->place[row]);
        }
    }
    return expect(c, "the number of constraints in the plan", c->constraints, live);
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

/* The tile that is being checked. */
typedef struct asked_tile {
    const sn_tile *tile;
    uint32_t number, layer;
} asked_tile;

static bool is_in_tile(const checker *c, const asked_tile *a, uint32_t slot)
{
    if (slot >= c->plan->loose)
        return false;
    if (a->layer == 0)
        return slot - a->tile->first < a->tile->count;
    return c->layer[slot] == a->layer + 1 && c->tile[slot] == a->number;
}

static bool check_visit(checker *c, const asked_tile *a, const sn_plan_run *run, uint32_t i)
{
    sn_visit visit = c->plan->visit[run->visit + i];
    uint32_t slot[SN_MAX_BLOCK];
    if (!visit.kind)
        return true;
    if (!check_constraint(c, visit.kind, visit.row, PLACE_VISIT, run->visit + i))
        return false;
    uint32_t count = slots_of(c, visit.kind, visit.row, slot);
    for (uint32_t k = 0; k < count; ++k)
        if (!is_in_tile(c, a, slot[k]))
            return complain(c, "visit %u has slot %u, which is not in its tile %u", run->visit + i, slot[k], a->number);
    return count || complain(c, "visit %u has a particle that does not exist", run->visit + i);
}

static bool check_copies(checker *c, const sn_plan_run *run, uint32_t batch, uint32_t lane)
{
    const sn_pool *pool = c->store->pool[run->kind];
    uint32_t at = (run->batch + batch) * SN_BATCH + lane, row = c->plan->row[at], params = pool->param_count;
    if (!c->plan->filled)
        return true;
    for (uint32_t n = 0; n < params; ++n) {
        float copy = c->plan->param[run->param + (batch * params + n) * SN_BATCH + lane];
        float own = (float)pool->param[(size_t)row * pool->param_count + n];
        if (memcmp(&copy, &own, sizeof copy) != 0)
            return complain(c, "parameter %u of %s constraint %u is %g, but %g in the plan", n, pool->kind->name, row,
                            (double)own, (double)copy);
    }
    if (c->plan->compliance[at] != (float)pool->give[row].compliance)
        return complain(c, "the compliance of %s constraint %u is %g, but %g in the plan", pool->kind->name, row,
                        (double)pool->give[row].compliance, (double)c->plan->compliance[at]);
    if (c->plan->compliance[at] > 0 && !(c->plan->feature[run - c->plan->run] & SN_RUN_SOFT))
        return complain(c, "%s constraint %u has compliance, which its run does not know", pool->kind->name, row);
    if (run->give == SN_PLAN_NONE && sn_plan_gives(c->store, run->kind, row))
        return complain(c, "%s constraint %u has damping or a stiffness, which its run has not", pool->kind->name, row);
    if (run->give != SN_PLAN_NONE &&
        c->plan->give[run->give + batch * SN_BATCH + lane] != (float)pool->give[row].damping)
        return complain(c, "the damping of %s constraint %u is not that in the plan", pool->kind->name, row);
    if (run->give != SN_PLAN_NONE && c->plan->give[run->give + (run->batches + batch) * SN_BATCH + lane] !=
                                         (float)row_stiffness(pool->give[row].stiffness, c->plan->stiffness_root))
        return complain(c, "the stiffness of %s constraint %u is not that in the plan", pool->kind->name, row);
    return true;
}

/* Checks that the anchors of a constraint are those of its points. */
static bool check_anchors(checker *c, const sn_plan_run *run, uint32_t batch, uint32_t lane)
{
    const sn_pool *pool = c->store->pool[run->kind];
    const uint32_t points = pool->kind->points, row = c->plan->row[(run->batch + batch) * SN_BATCH + lane];
    for (uint32_t i = 0; run->corners && i < points; ++i) {
        const uint32_t *at =
            c->plan->anchor + run->anchor + (batch * points + i) * (run->corners + 1) * SN_BATCH + lane;
        const uint32_t code = pool->point[(size_t)row * points + i];
        const sn_anchor *anchor = code & SN_ANCHOR_BIT ? &c->store->anchor[code & ~SN_ANCHOR_BIT] : NULL;
        const uint32_t body = anchor && anchor->type == SN_POINT_BODY ? anchor->body : SN_NO_BODY;
        if (at[run->corners * SN_BATCH] != body)
            return complain(c, "point %u of %s constraint %u is on body %u, but %u in the plan", i, pool->kind->name,
                            row, body, at[run->corners * SN_BATCH]);
        if (anchor && anchor->type == SN_POINT_PLACE)
            continue;
        const uint32_t slot = c->particles->slot[anchor ? anchor->particle[0] : code];
        if (at[0] != slot)
            return complain(c, "point %u of %s constraint %u is slot %u, but %u in the plan", i, pool->kind->name, row,
                            slot, at[0]);
    }
    return true;
}

/* Checks a constraint in a batch: its slots are those of its particles, in the tile, and used by no other constraint of
   the run. */
static bool check_lane(checker *c, const asked_tile *a, const sn_plan_run *run, uint32_t batch, uint32_t lane)
{
    uint32_t at = (run->batch + batch) * SN_BATCH + lane, row = c->plan->row[at], slot[SN_MAX_BLOCK];
    if (!check_constraint(c, run->kind, row, PLACE_LANE, at))
        return false;
    const char *name = c->store->pool[run->kind]->kind->name;
    const sn_plan_form form = sn_plan_form_of(c->store, run->kind, row);
    if (form == SN_FORM_SINGLE || (form == SN_FORM_PLAIN) != (run->corners == 0) ||
        (form == SN_FORM_WEIGHTED) != (run->corners == 4))
        return complain(c, "%s constraint %u is in a batch of another form", name, row);
    const uint32_t count = slots_of(c, run->kind, row, slot);
    if (!run->corners && count != c->store->pool[run->kind]->kind->points)
        return complain(c, "%s constraint %u has not as many particles as its kind has points", name, row);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t planned = run->corners ? slot[i] : sn_plan_slot(c->plan, a->tile, run, count, batch, lane, i);
        if (planned != slot[i])
            return complain(c, "point %u of %s constraint %u is slot %u, but %u in the plan", i, name, row, slot[i],
                            planned);
        if (!is_in_tile(c, a, slot[i]))
            return complain(c, "%s constraint %u has slot %u, which is not in its tile %u", name, row, slot[i],
                            a->number);
        if (c->run[slot[i]] == c->runs + 1)
            return complain(c, "%s constraint %u shares slot %u with another of its run %u", name, row, slot[i],
                            c->runs);
        c->run[slot[i]] = c->runs + 1;
    }
    return check_anchors(c, run, batch, lane) && check_copies(c, run, batch, lane);
}

/* Checks that an empty lane reads slots of the tile. */
static bool check_empty(checker *c, const asked_tile *a, const sn_plan_run *run, uint32_t batch, uint32_t lane)
{
    const uint32_t points = c->store->pool[run->kind]->kind->points;
    for (uint32_t i = 0; i < points && !a->tile->rows && !run->corners; ++i) {
        uint32_t slot = sn_plan_slot(c->plan, a->tile, run, points, batch, lane, i);
        if (slot >= c->plan->particles || !is_in_tile(c, a, slot))
            return complain(c, "an empty lane of run %u reads slot %u, which is not in its tile", c->runs, slot);
    }
    return true;
}

/* Planes: a point of a batch uses a whole row, even if lanes are empty. No other point of the run may use that row. */
static bool check_windows(checker *c, const asked_tile *a, const sn_plan_run *run, uint32_t batch)
{
    uint32_t points = c->store->pool[run->kind]->kind->points;
    for (uint32_t i = 0; i < points && a->tile->rows; ++i) {
        int32_t lanes;
        uint32_t row = plan_row_of_offset(c->plan->offset[run->index + batch * points + i], &lanes);
        if (row >= a->tile->rows || lanes <= -(int32_t)SN_BATCH || lanes >= (int32_t)SN_BATCH)
            return complain(c, "a batch of run %u reads row %u in planes of %u rows, %d lanes on", c->runs, row,
                            a->tile->rows, lanes);
        if (c->place[row] == c->runs + 1)
            return complain(c, "two points of run %u (%s) write to row %u of tile %u", c->runs,
                            c->store->pool[run->kind]->kind->name, row, a->number);
        c->place[row] = c->runs + 1;
    }
    return true;
}

static bool check_batches(checker *c, const asked_tile *a, const sn_plan_run *run)
{
    if (run->kind >= c->store->kind_count || !c->store->pool[run->kind]->kind->lanes)
        return complain(c, "run %u has batches of kind %u, which has no formula over lanes", c->runs, run->kind);
    const uint32_t points = c->store->pool[run->kind]->kind->points, lanes = run->batches * SN_BATCH;
    uint32_t *index = a->tile->rows ? &c->offsets : a->layer == 0 || a->tile->copied ? &c->near : &c->far;
    if (!expect(c, "the first index of a run", run->index, *index) ||
        !expect(c, "the first parameter of a run", run->param, c->params) ||
        !expect(c, "the first anchor of a run", run->anchor, c->anchors) ||
        !expect(c, "the first number of anchors of a run", run->fixed, c->fixed) ||
        (run->give != SN_PLAN_NONE && !expect(c, "the first damping of a run", run->give, c->gives)))
        return false;
    for (uint32_t b = 0; b < run->batches; ++b) {
        for (uint32_t lane = 0; lane < SN_BATCH; ++lane) {
            bool empty = !(c->plan->mask[run->batch + b] >> lane & 1);
            if (!(empty ? check_empty(c, a, run, b, lane) : check_lane(c, a, run, b, lane)))
                return false;
        }
        if (!check_windows(c, a, run, b))
            return false;
    }
    *index += run->corners ? 0 : points * (a->tile->rows ? run->batches : lanes);
    c->params += lanes * c->store->pool[run->kind]->param_count;
    c->gives += run->give != SN_PLAN_NONE ? 2 * lanes : 0;
    c->anchors += run->corners ? lanes * points * (run->corners + 1) : 0;
    c->fixed += run->corners ? lanes * points * SN_ANCHOR_NUMBERS : 0;
    return true;
}

static bool check_runs(checker *c, const asked_tile *a)
{
    if (!expect(c, "the first run of a tile", a->tile->run, c->runs))
        return false;
    for (uint32_t end = c->runs + a->tile->runs; c->runs < end; ++c->runs) {
        const sn_plan_run *run = &c->plan->run[c->runs];
        if (!expect(c, "the first batch of a run", run->batch, c->batches))
            return false;
        if (run->batches && !check_batches(c, a, run))
            return false;
        if (!run->batches && !expect(c, "the first visit of a run", run->visit, c->visits))
            return false;
        for (uint32_t i = 0; i < run->visits; ++i)
            if (!check_visit(c, a, run, i))
                return false;
        c->batches += run->batches;
        c->visits += run->visits;
    }
    return true;
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------- */

/* Tiles of the first layer are consecutive ranges. */
static bool check_range(checker *c, const asked_tile *a, uint32_t *slots, uint32_t *widest)
{
    const sn_tile *t = a->tile;
    if (!expect(c, "the first slot of a tile", t->first, *slots))
        return false;
    if (t->rows && (t->count <= (SN_BATCH - 1) * t->rows || t->count > SN_BATCH * t->rows))
        return complain(c, "tile %u has %u particles in planes of %u rows", a->number, t->count, t->rows);
    if (!t->rows && t->count > UINT16_MAX)
        return complain(c, "tile %u has %u particles, too many for its indices", a->number, t->count);
    *slots += t->count;
    *widest = t->rows > *widest ? t->rows : *widest;
    return true;
}

/* Tiles of later layers are lists, which share no slot within a layer. */
static bool check_slots(checker *c, const asked_tile *a)
{
    if (!expect(c, "the start of a tile's list", a->tile->first, c->list) ||
        !expect(c, "the rows of a tile of a later layer", a->tile->rows, 0))
        return false;
    for (uint32_t i = 0; i < a->tile->count; ++i) {
        uint32_t slot = c->plan->list[c->list++];
        if (slot >= c->plan->loose)
            return complain(c, "tile %u lists slot %u of %u", a->number, slot, c->plan->loose);
        if (c->layer[slot] == a->layer + 1)
            return complain(c, "slot %u is twice in layer %u, in tiles %u and %u", slot, a->layer, c->tile[slot],
                            a->number);
        c->layer[slot] = a->layer + 1;
        c->tile[slot] = a->number;
    }
    return true;
}

static bool check_tiles(checker *c)
{
    const sn_plan *plan = c->plan;
    uint32_t slots = 0, widest = 0, layers = plan->layer_table.count;
    if (layers < 2 || plan->layer[0] != 0 || plan->layer[layers - 1] != plan->tile_table.count)
        return complain(c, "%u tiles in %u layers are not cut well", plan->tile_table.count, layers);
    for (uint32_t layer = 0; layer + 1 < layers; ++layer) {
        if (plan->layer[layer] > plan->layer[layer + 1])
            return complain(c, "layer %u ends before it starts", layer);
        for (uint32_t t = plan->layer[layer]; t < plan->layer[layer + 1]; ++t) {
            asked_tile a = {&plan->tile[t], t, layer};
            if (!(layer == 0 ? check_range(c, &a, &slots, &widest) : check_slots(c, &a)) || !check_runs(c, &a))
                return false;
        }
    }
    return expect(c, "the number of particles in tiles", slots, plan->particles) &&
           expect(c, "the widest tile", plan->widest_rows, widest);
}

/* ---- The whole plan ---------------------------------------------------------------------------------------------- */

/* Checks that the tables contain nothing else. */
static bool check_sizes(checker *c)
{
    const sn_plan *plan = c->plan;
    return expect(c, "the number of runs", plan->run_table.count, c->runs) &&
           expect(c, "the number of masks", plan->mask_table.count, c->batches) &&
           expect(c, "the number of rows", plan->row_table.count, (uint64_t)c->batches * SN_BATCH) &&
           expect(c, "the number of near indices", plan->near_table.count, c->near) &&
           expect(c, "the number of far indices", plan->far_table.count, c->far) &&
           expect(c, "the number of offsets", plan->offset_table.count, c->offsets) &&
           expect(c, "the number of anchors", plan->anchor_table.count, c->anchors) &&
           expect(c, "the length of the list", plan->list_table.count, c->list) &&
           expect(c, "the number of visits", plan->visit_table.count, c->visits) &&
           (!plan->filled ||
            (expect(c, "the number of parameters", plan->param_table.count, c->params) &&
             expect(c, "the number of dampings and stiffnesses", plan->give_table.count, c->gives) &&
             expect(c, "the numbers of anchors", plan->fixed_table.count, c->fixed) &&
             expect(c, "the number of compliances", plan->compliance_table.count, plan->row_table.count)));
}

static bool check_particles(checker *c)
{
    if (c->plan->particles > c->particles->count)
        return complain(c, "%u particles are planned, but there are %u", c->plan->particles, c->particles->count);
    if (c->plan->loose > c->plan->particles)
        return complain(c, "%u particles have constraints, but %u are planned", c->plan->loose, c->plan->particles);
    for (uint32_t slot = 0; slot < c->particles->count; ++slot) {
        uint32_t number = c->particles->index[slot];
        if (number >= c->particles->numbers || c->particles->slot[number] != slot)
            return complain(c, "particle %u is said to be in slot %u, but is not", number, slot);
    }
    return true;
}

static bool check_all(checker *c)
{
    const sn_plan *plan = c->plan;
    if (!plan->made)
        return complain(c, "there is no plan");
    return check_particles(c) && check_tiles(c) && check_sizes(c) &&
           check_list(c, plan->hub, plan->hub_table.count, PLACE_HUB) &&
           check_list(c, plan->many, plan->many_table.count, PLACE_MANY) && check_trees(c) &&
           check_list(c, plan->extra, plan->extra_table.count, PLACE_EXTRA) && check_places(c);
}

bool support_check_plan(const sn_plan *plan, const sn_store *store, const sn_plan_particles *particles, char *message,
                        size_t size)
{
    checker c = {.plan = plan, .store = store, .particles = particles, .message = message, .size = size};
    size_t slots = (size_t)particles->count + 1, places = ((size_t)plan->widest_rows + 2) * SN_BATCH;
    size_t bytes = (3 * slots + places) * sizeof(uint32_t);
    c.layer = sn_allocate(&sn_default_allocator, bytes);
    if (!c.layer)
        return complain(&c, "there is no memory for checking");
    memset(c.layer, 0, bytes);
    c.tile = c.layer + slots;
    c.run = c.tile + slots;
    c.place = c.run + slots;
    bool good = check_all(&c);
    sn_release(&sn_default_allocator, c.layer, bytes);
    return good;
}
