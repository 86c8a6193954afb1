/* How limits follow tears, at a cost that grows with the size of the tear.

   A tear changes the rods and masses of some particles: these are *torn*. An aggregate loses its torn members. When
   rods no longer connect the others, it is dissolved: its limits are removed, it is not moved, and its larger aggregate
   loses it as a member. That one is dissolved, too, when limits no longer connect its other members. A limit is removed
   when nothing connects the members of its two aggregates any more: no rod, or no limit. So the two halves of a torn
   mesh are not joined in any level. A tether is released when its path to the immovable particle leads over something
   torn.

   Nothing is restored before limits are made anew. So the result depends on the tears step by step: an aggregate whose
   halves were separated stays dissolved when one half is torn up later. A snapshot only needs the base (sn_limits_base)
   and the list of tears. Limits that are made from the base and then follow the list have the same bits. */
#include "solvers/hierarchy_work.h"

#include <string.h>

#define NONE SN_PLAN_NONE

/* m: the length of a released tether. */
#define FREE ((sn_real)INFINITY)

/* Flags of aggregates. */
enum { GONE = 1, LISTED = 2 };

/* ---- Memory and lists -------------------------------------------------------------------------------------------- */

void sn_hierarchy_reserve_tears(hierarchy_work *w)
{
    const sn_hierarchy *h = w->h;
    hierarchy_tears *t = &w->tears;
    const size_t nodes = (size_t)h->node_table.count + 2, batches = h->batch_table.count;
    const size_t most = nodes > w->slots ? nodes : w->slots;
    size_t visits = 0;
    for (uint32_t i = 0; i < w->slots && !w->failed; ++i)
        visits += w->tether_visits[i];
    *t = (hierarchy_tears){.turn = w->form_room + 1, /* earlier stamps are lower */
                           .torn = sn_hierarchy_scratch(w, w->slots, sizeof *t->torn),
                           .state = sn_hierarchy_scratch(w, nodes, sizeof *t->state),
                           .there = sn_hierarchy_scratch(w, batches, sizeof *t->there),
                           .start = sn_hierarchy_scratch(w, nodes, sizeof *t->start),
                           .limit = sn_hierarchy_scratch(w, 2 * batches * SN_BATCH, sizeof *t->limit),
                           .path_start = sn_hierarchy_scratch(w, nodes, sizeof *t->path_start),
                           .path_of = sn_hierarchy_scratch(w, h->path_table.count, sizeof *t->path_of),
                           .far_at = sn_hierarchy_scratch(w, h->far_table.count, sizeof *t->far_at),
                           .seen = sn_hierarchy_scratch(w, most, sizeof *t->seen),
                           .queue = sn_hierarchy_scratch(w, most, sizeof *t->queue),
                           .stack = sn_hierarchy_scratch(w, visits, sizeof *t->stack),
                           .list = {sn_hierarchy_scratch(w, nodes, sizeof *t->list[0]),
                                    sn_hierarchy_scratch(w, nodes, sizeof *t->list[1])}};
}

static uint32_t end_of(const sn_hierarchy *h, uint32_t limit, uint32_t which)
{
    return h->end[(2 * (size_t)(limit / SN_BATCH) + which) * SN_BATCH + limit % SN_BATCH] / 2;
}

/* Turns counts, one behind their place, into starts of lists. Filling the lists moves every start to the next one;
   put_back undoes that. */
static void add_up(uint32_t *start, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i)
        start[i] += start[i - 1];
}

static void put_back(uint32_t *start, uint32_t count)
{
    memmove(start + 1, start, (count - 1) * sizeof *start);
    start[0] = 0;
}

/* Indexes the limits and paths of aggregates, once, with the first tear. */
static void index_all(hierarchy_work *w)
{
    const sn_hierarchy *h = w->h;
    hierarchy_tears *t = &w->tears;
    const uint32_t nodes = h->node_table.count + 1, limits = h->batch_table.count * SN_BATCH;
    if (t->indexed)
        return;
    t->indexed = true;
    memcpy(t->there, h->mask, h->batch_table.count * sizeof *t->there);
    for (uint32_t i = 0; i < 2 * limits; ++i)
        t->start[end_of(h, i / 2, i & 1) + 1] += h->mask[i / 2 / SN_BATCH] >> i / 2 % SN_BATCH & 1;
    add_up(t->start, nodes);
    for (uint32_t i = 0; i < 2 * limits; ++i)
        if (h->mask[i / 2 / SN_BATCH] >> i / 2 % SN_BATCH & 1)
            t->limit[t->start[end_of(h, i / 2, i & 1)]++] = i / 2;
    put_back(t->start, nodes);
    for (uint32_t i = 0; i < h->path_table.count; ++i)
        t->path_start[h->path[i].node + 1]++;
    add_up(t->path_start, nodes);
    for (uint32_t i = 0; i < h->path_table.count; ++i)
        t->path_of[t->path_start[h->path[i].node]++] = h->path[i].item;
    put_back(t->path_start, nodes);
    for (uint32_t i = 0; i < h->far_table.count; ++i)
        t->far_at[h->far[i].id] = i;
}

/* ---- Tethers ----------------------------------------------------------------------------------------------------- */

static void set_most(const sn_hierarchy *h, uint32_t tether, sn_real most)
{
    h->tether[tether].most = most;
    if (h->tether[tether].row != NONE)
        h->row_tether[h->tether[tether].row].most[h->tether[tether].at % SN_ROW] = (float)most;
}

static void set_far(const sn_hierarchy *h, sn_hierarchy_far *far, sn_real most)
{
    far->most = most;
    if (far->row != NONE)
        h->row_tether[far->row].most[far->lane] = (float)most;
}

/* Releases a particle from an immovable one, and all particles whose path leads over it. */
static void free_visit(hierarchy_work *w, uint32_t first)
{
    const sn_hierarchy *h = w->h;
    uint32_t *stack = w->tears.stack, count = 0;
    if (!isfinite(w->tether_visit[first].far))
        return;
    w->tether_visit[first].far = FREE;
    stack[count++] = first;
    while (count) {
        const uint32_t index = stack[--count];
        const hierarchy_visit *visit = &w->tether_visit[index];
        if (visit->tether != NONE)
            set_most(h, visit->tether, FREE);
        for (uint32_t e = w->start[visit->node]; e < w->start[visit->node + 1]; ++e) {
            const uint32_t to = w->edge[e].to;
            for (uint32_t k = 0; k < w->tether_visits[to]; ++k) {
                hierarchy_visit *next = &w->tether_visit[SN_TETHER_GROUPS * to + k];
                if (next->from != index || !isfinite(next->far))
                    continue;
                next->far = FREE;
                stack[count++] = SN_TETHER_GROUPS * to + k;
            }
        }
    }
}

/* Releases a particle's tethers whose path comes from another particle; with NONE: all. */
static void free_visits(hierarchy_work *w, uint32_t slot, uint32_t from)
{
    for (uint32_t k = 0; k < w->tether_visits[slot]; ++k) {
        const uint32_t index = SN_TETHER_GROUPS * slot + k, before = w->tether_visit[index].from;
        if (from == NONE || (before != NONE && before / SN_TETHER_GROUPS == from))
            free_visit(w, index);
    }
}

/* Holds a particle along rods, and all particles whose tether is shorter than that because its own was. */
static void tether_along_rods(const hierarchy_work *w, uint32_t first)
{
    uint32_t *stack = w->tears.stack, count = 0;
    stack[count++] = first;
    while (count) {
        const uint32_t index = stack[--count];
        const hierarchy_visit *visit = &w->tether_visit[index];
        if (visit->tether != NONE)
            set_most(w->h, visit->tether, visit->far * SN_TETHER_SLACK);
        for (uint32_t e = w->start[visit->node]; e < w->start[visit->node + 1]; ++e) {
            const uint32_t to = w->edge[e].to;
            for (uint32_t k = 0; k < w->tether_visits[to]; ++k) {
                hierarchy_visit *next = &w->tether_visit[SN_TETHER_GROUPS * to + k];
                if (next->from != index || !next->leans || !isfinite(next->far))
                    continue;
                next->leans = false;
                stack[count++] = SN_TETHER_GROUPS * to + k;
            }
        }
    }
}

/* Particles of an aggregate whose tether was released are held along rods: the straight path may be outside of the
   mesh. */
static void tether_members(const hierarchy_work *w, uint32_t node, uint32_t pin)
{
    const sn_hierarchy *h = w->h;
    for (uint32_t m = h->first[node]; m < h->first[node + 1]; ++m)
        for (uint32_t k = 0; k < w->tether_visits[h->member[m]]; ++k) {
            const uint32_t index = SN_TETHER_GROUPS * h->member[m] + k;
            const hierarchy_visit *visit = &w->tether_visit[index];
            if (isfinite(visit->far) && w->group[visit->pin] == w->group[pin])
                tether_along_rods(w, index);
        }
}

static void free_far(const hierarchy_work *w, sn_hierarchy_far *far)
{
    if (far->by == 0)
        return;
    far->by = 0;
    set_far(w->h, far, FREE);
    if (far->node < w->firsts)
        tether_members(w, far->node, far->pin);
}

/* Whether the path of an item leads over an aggregate. */
static bool leads_over(const hierarchy_tears *t, uint32_t item, uint32_t node)
{
    for (uint32_t i = t->path_start[node]; i < t->path_start[node + 1]; ++i)
        if (t->path_of[i] == item)
            return true;
    return false;
}

/* Releases the items whose path leads over a dissolved aggregate, or, if other is not NONE, over both ends of a removed
   limit. */
static void free_paths(hierarchy_work *w, uint32_t node, uint32_t other)
{
    const sn_hierarchy *h = w->h;
    const hierarchy_tears *t = &w->tears;
    for (uint32_t i = t->path_start[node]; i < t->path_start[node + 1]; ++i) {
        const uint32_t item = t->path_of[i];
        if (other != NONE && !leads_over(t, item, other))
            continue;
        if (item & SN_PATH_SPAN)
            h->span[item & ~SN_PATH_SPAN].most = FREE;
        else
            free_far(w, &h->far[t->far_at[item]]);
    }
}

/* Updates the tethers of an aggregate, whose centre has changed with its members. */
static void tether_anew(hierarchy_work *w, uint32_t node)
{
    const hierarchy_tears *t = &w->tears;
    for (uint32_t i = t->path_start[node]; i < t->path_start[node + 1]; ++i) {
        sn_hierarchy_far *far = t->path_of[i] & SN_PATH_SPAN ? NULL : &w->h->far[t->far_at[t->path_of[i]]];
        if (!far || far->node != node || far->by == 0)
            continue;
        set_far(w->h, far, far->by * sn_hierarchy_far_from(w, node, far->pin));
    }
}

/* Updates spans over particles: their length is the sum of the two tethers. */
static void look_at_spans(const hierarchy_work *w)
{
    const sn_hierarchy *h = w->h;
    for (uint32_t i = 0; i < h->span_table.count; ++i) {
        sn_hierarchy_span *span = &h->span[i];
        const hierarchy_visit *visit = span->slot == NONE ? NULL : &w->tether_visit[SN_TETHER_GROUPS * span->slot];
        if (visit)
            span->most = (sn_real)((double)h->tether[visit[0].tether].most + (double)h->tether[visit[1].tether].most) *
                         SN_TETHER_SLACK;
    }
}

/* Releases tethers to torn immovable particles: their copies may move apart. */
static void look_at_pins(const hierarchy_work *w)
{
    const sn_hierarchy *h = w->h;
    const bool *torn = w->tears.torn;
    for (uint32_t i = 0; i < h->far_table.count; ++i)
        if (torn[h->pin_slot[h->far[i].pin]])
            free_far(w, &h->far[i]);
    for (uint32_t i = 0; i < h->span_table.count; ++i)
        if (torn[h->pin_slot[h->span[i].pin[0]]] || torn[h->pin_slot[h->span[i].pin[1]]])
            h->span[i].most = FREE;
}

/* ---- Aggregates -------------------------------------------------------------------------------------------------- */

static void list_node(hierarchy_tears *t, uint32_t node, uint32_t *list, uint32_t *count)
{
    if (node == NONE || t->state[node] & (LISTED | GONE))
        return;
    t->state[node] |= LISTED;
    list[(*count)++] = node;
}

static void remove_limit(const hierarchy_work *w, uint32_t limit)
{
    const uint16_t lane = (uint16_t)(1u << limit % SN_BATCH);
    w->tears.there[limit / SN_BATCH] &= (uint16_t)~lane;
    w->h->mask[limit / SN_BATCH] &= (uint16_t)~lane;
}

static bool is_there(const hierarchy_work *w, uint32_t limit)
{
    return w->tears.there[limit / SN_BATCH] >> limit % SN_BATCH & 1;
}

/* The aggregate at the other end of a limit. */
static uint32_t beyond(const hierarchy_work *w, uint32_t limit, uint32_t node)
{
    const uint32_t a = end_of(w->h, limit, 0);
    return a == node ? end_of(w->h, limit, 1) : a;
}

/* Updates the weights of planes for the remaining members. */
static void weigh_rows(const hierarchy_work *w, uint32_t node)
{
    const sn_hierarchy *h = w->h;
    const uint32_t tile = w->tile[h->member[h->first[node]]];
    for (uint32_t p = h->part_of[tile]; p < h->part_of[tile + 1]; ++p) {
        const sn_hierarchy_part *part = &h->part[p];
        const uint32_t at = node - part->node, group = part->group + at / SN_BATCH, lane = at % SN_BATCH;
        if (node < part->node || at >= part->groups * SN_BATCH)
            continue;
        for (uint32_t r = h->group[group]; r < h->group[group + 1]; ++r) {
            h->row[r].weight[lane] = 0;
            for (uint32_t k = h->first[node]; k < h->last[node]; ++k)
                if (h->at[k] / SN_ROW == h->row[r].row)
                    h->row[r].weight[lane] = (float)h->weight[k];
        }
    }
}

/* Dissolves an aggregate: removes its limits, and lists the larger aggregates that they connected in `next`. */
static void dissolve(hierarchy_work *w, uint32_t node, uint32_t *next, uint32_t *count)
{
    const sn_hierarchy *h = w->h;
    hierarchy_tears *t = &w->tears;
    t->state[node] |= GONE;
    h->w[node] = hierarchy_x(h, node)->w = 0;
    for (uint32_t k = h->first[node]; node >= w->firsts && k < h->last[node]; ++k)
        h->parent[h->member[k]] = NONE;
    h->last[node] = h->first[node];
    if (node < w->firsts)
        weigh_rows(w, node);
    for (uint32_t i = t->start[node]; i < t->start[node + 1]; ++i) {
        if (!is_there(w, t->limit[i]))
            continue;
        remove_limit(w, t->limit[i]);
        list_node(t, h->parent[beyond(w, t->limit[i], node)], next, count);
    }
    list_node(t, h->parent[node], next, count);
    free_paths(w, node, NONE);
}

static bool is_gone(const hierarchy_work *w, uint32_t node, uint32_t member)
{
    return node < w->firsts ? w->tears.torn[member] : (w->tears.state[member] & GONE) != 0;
}

/* Moves lost members behind the others. */
static void sort_members(hierarchy_work *w, uint32_t node)
{
    const sn_hierarchy *h = w->h;
    uint32_t left = h->first[node];
    for (uint32_t k = h->first[node]; k < h->last[node]; ++k) {
        const uint32_t member = h->member[k], at = h->at[k];
        if (is_gone(w, node, member))
            continue;
        h->member[k] = h->member[left], h->at[k] = h->at[left];
        h->member[left] = member, h->at[left++] = at;
    }
    h->last[node] = left;
}

/* *other: the i-th neighbour of a member; NONE: the connection is gone. False: there are no more neighbours. */
static bool joined_to(const hierarchy_work *w, uint32_t node, uint32_t member, uint32_t i, uint32_t *other)
{
    const uint32_t *start = node < w->firsts ? w->start : w->tears.start;
    if (i >= start[member + 1] - start[member])
        return false;
    if (node < w->firsts) {
        const hierarchy_edge *edge = &w->edge[start[member] + i];
        *other = isfinite(edge->rest) ? edge->to : NONE;
    } else {
        const uint32_t limit = w->tears.limit[start[member] + i];
        *other = is_there(w, limit) ? beyond(w, limit, member) : NONE;
    }
    return true;
}

static uint32_t owner_of(const hierarchy_work *w, uint32_t node, uint32_t member)
{
    return member == NONE ? NONE : node < w->firsts ? w->node[member] : w->h->parent[member];
}

/* Whether an aggregate has members left, and they are connected. */
static bool is_joined(const hierarchy_work *w, uint32_t node)
{
    const sn_hierarchy *h = w->h;
    const uint32_t first = h->first[node], left = h->last[node] - first;
    uint32_t *queue = w->tears.queue, reached = 0, other;
    bool *seen = w->tears.seen;
    for (uint32_t k = first; k < first + left; ++k)
        seen[h->member[k]] = false;
    if (!left)
        return false;
    queue[reached++] = h->member[first];
    seen[queue[0]] = true;
    for (uint32_t head = 0; head < reached; ++head)
        for (uint32_t i = 0; joined_to(w, node, queue[head], i, &other); ++i)
            if (owner_of(w, node, other) == node && !seen[other]) {
                seen[other] = true;
                queue[reached++] = other;
            }
    return reached == left;
}

/* Updates mass and centre for the remaining members. */
static void weigh_anew(hierarchy_work *w, uint32_t node)
{
    const sn_hierarchy *h = w->h;
    sn_hierarchy_weigh(w, node, node < w->firsts ? w->w : h->w);
    hierarchy_x(h, node)->w = h->w[node];
    if (node >= w->firsts) {
        sn_hierarchy_join_forms(w, node);
        return;
    }
    sn_hierarchy_find_form(w, node);
    weigh_rows(w, node);
}

/* Marks the aggregates that are connected to this one by members: sets `stamp` to `turn`. */
static void mark_below(hierarchy_work *w, uint32_t node)
{
    const sn_hierarchy *h = w->h;
    uint32_t other;
    w->tears.turn++;
    for (uint32_t k = h->first[node]; k < h->last[node]; ++k)
        for (uint32_t i = 0; joined_to(w, node, h->member[k], i, &other); ++i) {
            const uint32_t owner = owner_of(w, node, other);
            if (owner != NONE)
                w->stamp[owner] = w->tears.turn;
        }
}

/* Updates the limits of an aggregate that has lost members, after all centres of the level have been updated. */
static void limit_anew(hierarchy_work *w, uint32_t node, uint32_t *next, uint32_t *count)
{
    const sn_hierarchy *h = w->h;
    hierarchy_tears *t = &w->tears;
    mark_below(w, node);
    for (uint32_t i = t->start[node]; i < t->start[node + 1]; ++i) {
        const uint32_t limit = t->limit[i], other = beyond(w, limit, node);
        const uint16_t lane = (uint16_t)(1u << limit % SN_BATCH);
        if (!is_there(w, limit))
            continue;
        if (w->stamp[other] != t->turn) { /* nothing connects their members any more */
            remove_limit(w, limit);
            free_paths(w, node, other);
            list_node(t, h->parent[other], next, count);
            continue;
        }
        const double most = sn_hierarchy_limit(&w->form[node], &w->form[other]);
        h->most[limit] = most > 0 ? (sn_real)most : h->most[limit];
        h->mask[limit / SN_BATCH] =
            (uint16_t)(most > 0 ? h->mask[limit / SN_BATCH] | lane : h->mask[limit / SN_BATCH] & ~lane);
    }
    list_node(t, h->parent[node], next, count);
    tether_anew(w, node);
}

/* Follows from level to level. */
static void follow_levels(hierarchy_work *w, uint32_t count)
{
    hierarchy_tears *t = &w->tears;
    for (uint32_t turn = 0; count; turn ^= 1) {
        uint32_t *now = t->list[turn], *next = t->list[turn ^ 1], left = 0, later = 0;
        for (uint32_t i = 0; i < count; ++i) {
            t->state[now[i]] &= (uint8_t)~LISTED;
            sort_members(w, now[i]);
            if (is_joined(w, now[i])) {
                weigh_anew(w, now[i]);
                now[left++] = now[i];
            } else {
                dissolve(w, now[i], next, &later);
            }
        }
        for (uint32_t i = 0; i < left; ++i)
            limit_anew(w, now[i], next, &later);
        count = later;
    }
}

/* ---- Torn particles ---------------------------------------------------------------------------------------------- */

/* Stops mending rods from one particle to another; with NONE: all of its rods, in both directions. */
static void forget_rods(const hierarchy_work *w, uint32_t slot, uint32_t other)
{
    for (uint32_t e = w->start[slot]; e < w->start[slot + 1]; ++e) {
        if (other == NONE)
            forget_rods(w, w->edge[e].to, slot);
        if (other == NONE || w->edge[e].to == other)
            w->edge[e].rest = FREE;
    }
}

static void tear_particle(hierarchy_work *w, uint32_t slot, uint32_t *next, uint32_t *count)
{
    hierarchy_tears *t = &w->tears;
    t->torn[slot] = true;
    free_visits(w, slot, NONE);
    forget_rods(w, slot, NONE);
    t->pins = t->pins || w->pin_of[slot] != NONE;
    list_node(t, w->node[slot], next, count);
}

static void tear_rod(hierarchy_work *w, sn_torn rod, uint32_t *next, uint32_t *count)
{
    free_visits(w, rod.a, rod.b);
    free_visits(w, rod.b, rod.a);
    forget_rods(w, rod.a, rod.b);
    forget_rods(w, rod.b, rod.a);
    list_node(&w->tears, w->node[rod.a], next, count);
    list_node(&w->tears, w->node[rod.b], next, count);
}

void sn_hierarchy_follow(hierarchy_work *w, const sn_solver_in *in)
{
    const sn_limits_base *base = in->stiffen.base;
    const sn_torn *torn = base->torn_table.column[0];
    hierarchy_tears *t = &w->tears;
    uint32_t count = 0;
    if (t->followed == base->torn_table.count)
        return;
    w->in = in;
    index_all(w);
    for (; t->followed < base->torn_table.count; ++t->followed) {
        const sn_torn now = {torn[t->followed].a, torn[t->followed].b & ~SN_TORN_LAST, 0};
        const bool known = w->node[now.a] != NONE && w->node[now.b] != NONE;
        if (known && now.a == now.b)
            tear_particle(w, now.a, t->list[0], &count);
        else if (known)
            tear_rod(w, now, t->list[0], &count);
        if (torn[t->followed].b & SN_TORN_LAST) {
            follow_levels(w, count);
            count = 0;
        }
    }
    if (t->pins)
        look_at_pins(w);
    look_at_spans(w);
    sn_hierarchy_free_slings(w);
}
