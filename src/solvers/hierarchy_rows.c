/* Aggregates of tiles in planes: the same rows in every lane, so that sixteen aggregates are summed and moved at once,
   and limits between two groups of sixteen are a batch. Immovable particles among them are aggregates of their own. If
   that is not possible (an aggregate would not be connected, since rods were removed), the tile is cut as others
   are. */
#include "solvers/hierarchy_work.h"

#include "solvers/tiled_work.h"

#include <string.h>

#define NONE SN_PLAN_NONE

/* The most rows of an aggregate. */
#define MOST_ROWS 64u

/* The particle in a row and a lane; NONE: the last lane is shorter. */
static uint32_t slot_at(const sn_tile *tile, uint32_t row, uint32_t lane)
{
    const uint32_t full = in_full_rows(tile);
    if (row < full / LANES)
        return tile->first + row * LANES + lane;
    return lane == LANES - 1 ? NONE : tile->first + full + (row - full / LANES) * (LANES - 1) + lane;
}

static bool is_one_mesh(const hierarchy_work *w, const sn_tile *tile)
{
    bool one = tile->rows > 0 && w->mesh[tile->first] != NONE;
    for (uint32_t i = 1; one && i < tile->count; ++i)
        one = w->mesh[tile->first + i] == w->mesh[tile->first];
    return one;
}

/* Reserves memory for the rows of the largest tile, and the rods between them. */
bool sn_hierarchy_reserve_rows(hierarchy_work *w)
{
    const sn_plan *plan = w->in->plan;
    uint32_t rows = 0, edges = 0;
    for (uint32_t t = 0; t < plan->layer[1]; ++t) {
        uint32_t here = 0;
        for (uint32_t r = 0; r < plan->tile[t].rows; ++r) {
            const uint32_t slot = slot_at(&plan->tile[t], r, 0);
            here += w->start[slot + 1] - w->start[slot];
        }
        rows = plan->tile[t].rows > rows ? plan->tile[t].rows : rows;
        edges = here > edges ? here : edges;
    }
    w->rows = (hierarchy_graph){.start = sn_hierarchy_scratch(w, (size_t)rows + 2, sizeof(uint32_t)),
                                .edge = sn_hierarchy_scratch(w, edges, sizeof(hierarchy_edge)),
                                .class = sn_hierarchy_scratch(w, rows, sizeof(uint8_t)),
                                .aggregate = sn_hierarchy_scratch(w, rows, sizeof(uint32_t)),
                                .root = sn_hierarchy_scratch(w, rows, sizeof(uint32_t)),
                                .size = sn_hierarchy_scratch(w, rows, sizeof(uint32_t)),
                                .to_root = sn_hierarchy_scratch(w, rows, sizeof(sn_real))};
    return !w->failed;
}

/* Finds the graph of rows from the first lane. */
static void find_rows(hierarchy_work *w, const sn_tile *tile)
{
    hierarchy_graph *g = &w->rows;
    uint32_t edges = 0;
    for (uint32_t r = 0; r < tile->rows; ++r) {
        const uint32_t slot = slot_at(tile, r, 0);
        g->start[r] = edges;
        g->aggregate[r] = g->root[r] = NONE;
        for (uint32_t e = w->start[slot]; e < w->start[slot + 1]; ++e) {
            const uint32_t to = w->edge[e].to;
            uint32_t lane = NONE, row = NONE;
            if (to - tile->first < tile->count)
                row = place_in_rows(tile, to - tile->first, &lane);
            if (lane == 0)
                g->edge[edges++] = (hierarchy_edge){row, w->edge[e].rest};
        }
    }
    g->start[tile->rows] = edges;
}

/* Sets the root of a particle, if the root took it in this lane, too. */
static void find_root(hierarchy_work *w, const sn_tile *tile, uint32_t slot, uint32_t row, uint32_t lane)
{
    const bool alone = hierarchy_class(w, slot) != HIERARCHY_LIGHT;
    const uint32_t of = alone ? NONE : w->rows.root[row];
    if (alone)
        w->root[slot] = slot;
    if (of == NONE)
        return;
    const uint32_t root = slot_at(tile, of, lane);
    if (root == NONE || w->node[root] != w->node[slot])
        return;
    if (root == slot)
        w->root[slot] = slot;
    for (uint32_t e = w->start[slot]; e < w->start[slot + 1]; ++e)
        if (w->edge[e].to == root) {
            w->root[slot] = root;
            w->to_root[slot] = w->edge[e].rest;
        }
}

/* Sets the distance from the root for a particle that joined later: over a neighbour with a root. */
static void find_path(hierarchy_work *w, uint32_t slot)
{
    for (uint32_t e = w->start[slot]; w->root[slot] == NONE && e < w->start[slot + 1]; ++e) {
        const uint32_t to = w->edge[e].to;
        const sn_real path = w->edge[e].rest + w->to_root[to];
        if (w->node[to] == w->node[slot] && w->root[to] != NONE && (w->to_root[slot] == 0 || path < w->to_root[slot]))
            w->to_root[slot] = path;
    }
}

/* Whether the particles of an aggregate are connected. */
static bool is_whole(const hierarchy_work *w, const uint32_t *slot, uint32_t count)
{
    uint32_t reached = count > 0, queue[MOST_ROWS];
    bool seen[MOST_ROWS] = {true};
    queue[0] = 0;
    for (uint32_t head = 0; head < reached; ++head) {
        const uint32_t from = slot[queue[head]];
        for (uint32_t e = w->start[from]; e < w->start[from + 1]; ++e)
            for (uint32_t i = 1; w->node[w->edge[e].to] == w->node[from] && i < count; ++i)
                if (slot[i] == w->edge[e].to && !seen[i]) {
                    seen[i] = true;
                    queue[reached++] = i;
                }
    }
    return reached == count;
}

static bool are_whole(const hierarchy_work *w, const sn_tile *tile, uint32_t group, const sn_wide_row *row)
{
    const uint32_t from = w->h->group[group], rows = w->h->group[group + 1] - from;
    if (rows > MOST_ROWS)
        return false;
    for (uint32_t lane = 0; lane < LANES; ++lane) {
        uint32_t slot[MOST_ROWS], count = 0;
        for (uint32_t i = 0; i < rows; ++i) {
            const uint32_t s = slot_at(tile, row[from + i].row, lane);
            if (s != NONE && hierarchy_class(w, s) == HIERARCHY_LIGHT)
                slot[count++] = s;
        }
        if (!is_whole(w, slot, count))
            return false;
    }
    return true;
}

/* Lists the rows of each group. False when memory runs out. */
static bool list_rows(hierarchy_work *w, const sn_tile *tile, uint32_t groups)
{
    sn_hierarchy *h = w->h;
    const uint32_t group = h->group_table.count, from = h->row_table.count;
    if (!sn_hierarchy_grow(w, &h->group_table, groups + 1) || !sn_hierarchy_grow(w, &h->row_table, tile->rows))
        return false;
    memset(h->group + group, 0, ((size_t)groups + 1) * sizeof *h->group);
    for (uint32_t r = 0; r < tile->rows; ++r)
        h->group[group + w->rows.aggregate[r] + 1]++;
    h->group[group] = from;
    for (uint32_t g = 0; g < groups; ++g)
        h->group[group + g + 1] += h->group[group + g];
    for (uint32_t r = 0; r < tile->rows; ++r)
        h->row[h->group[group + w->rows.aggregate[r]]++] = (sn_wide_row){.row = r};
    memmove(h->group + group + 1, h->group + group, groups * sizeof *h->group);
    h->group[group] = from;
    return true;
}

uint32_t sn_hierarchy_cut_rows(hierarchy_work *w, uint32_t index, uint32_t next)
{
    sn_hierarchy *h = w->h;
    const sn_tile *tile = &w->in->plan->tile[index];
    const uint32_t group = h->group_table.count, from = h->row_table.count;
    if (!is_one_mesh(w, tile))
        return 0;
    find_rows(w, tile);
    const uint32_t groups = sn_hierarchy_cut(&w->rows, 0, tile->rows, 0);
    bool good = true;
    for (uint32_t r = 0; r < tile->rows; ++r)
        good = good && w->rows.aggregate[r] != NONE;
    if (!good || !list_rows(w, tile, groups))
        return 0;
    uint32_t nodes = groups * LANES, lane;
    for (uint32_t i = 0; i < tile->count; ++i) {
        const uint32_t slot = tile->first + i, row = place_in_rows(tile, i, &lane);
        w->node[slot] =
            next + (hierarchy_class(w, slot) == HIERARCHY_LIGHT ? w->rows.aggregate[row] * LANES + lane : nodes++);
    }
    for (uint32_t g = 0; good && g < groups; ++g)
        good = are_whole(w, tile, group + g, h->row);
    for (uint32_t i = 0; good && i < tile->count; ++i) {
        const uint32_t row = place_in_rows(tile, i, &lane);
        find_root(w, tile, tile->first + i, row, lane);
    }
    for (uint32_t i = 0; good && i < tile->count; ++i)
        find_path(w, tile->first + i);
    if (good && sn_hierarchy_grow(w, &h->part_table, 1)) {
        h->part[h->part_table.count - 1] = (sn_hierarchy_part){.tile = index,
                                                               .mesh = w->mesh[tile->first],
                                                               .node = next,
                                                               .nodes = nodes,
                                                               .group = group,
                                                               .groups = groups};
        return nodes;
    }
    for (uint32_t i = 0; i < tile->count; ++i)
        w->node[tile->first + i] = NONE;
    h->group_table.count = group;
    h->row_table.count = from;
    return 0;
}

void sn_hierarchy_weigh_rows(hierarchy_work *w)
{
    const sn_hierarchy *h = w->h;
    for (uint32_t p = 0; p < h->part_table.count; ++p)
        for (uint32_t g = 0; g < h->part[p].groups; ++g)
            for (uint32_t lane = 0; lane < LANES; ++lane) {
                const uint32_t node = h->part[p].node + g * LANES + lane;
                sn_wide_row *row = h->row + h->group[h->part[p].group + g];
                for (uint32_t k = h->first[node]; k < h->first[node + 1]; ++k) { /* both are in the order of rows */
                    while (row->row != h->at[k] / SN_ROW)
                        ++row;
                    row->weight[lane] = (float)h->weight[k];
                }
            }
}

/* ---- Limits ------------------------------------------------------------------------------------------------------ */

/* Limits that may be in one batch: they lead from one group to another, with the same shift in lanes. Within a group, a
   batch only takes every other stretch of that shift. */
typedef struct row_key {
    uint32_t from, to, lanes, turn;
} row_key;

static row_key key_of(const sn_hierarchy_part *part, const hierarchy_link *link)
{
    const uint32_t a = link->a - part->node, b = link->b - part->node;
    row_key key = {a / LANES, b / LANES, b % LANES - a % LANES, 0};
    if (key.from == key.to)
        key.turn = a % LANES / key.lanes % 2;
    return key;
}

/* Puts `count` limits that start in the same group into batches, and colours these. Returns the new number of
   batches. */
static uint32_t batch_group(hierarchy_work *w, const sn_hierarchy_part *part, const hierarchy_link *link,
                            uint32_t count, uint32_t *number, uint32_t batches)
{
    for (uint32_t i = 0; i < count; ++i)
        number[i] = NONE;
    for (uint32_t i = 0; i < count; ++i) {
        if (number[i] != NONE)
            continue;
        const row_key key = key_of(part, &link[i]);
        uint64_t *from = &w->colours[part->node + key.from * LANES], *to = &w->colours[part->node + key.to * LANES];
        uint32_t c = 0;
        while (c < 63 && (*from | *to) >> c & 1)
            ++c;
        w->colour[batches] = (uint8_t)((*from | *to) >> c & 1 ? 64 : c); /* more are left out */
        *from |= UINT64_C(1) << c;
        *to |= UINT64_C(1) << c;
        for (uint32_t k = i; k < count; ++k) {
            const row_key other = key_of(part, &link[k]);
            if (!memcmp(&other, &key, sizeof key))
                number[k] = batches;
        }
        ++batches;
    }
    return batches;
}

/* Adds a run for each colour. */
static bool add_colours(hierarchy_work *w, sn_hierarchy_part *part, uint32_t batches)
{
    sn_hierarchy *h = w->h;
    uint32_t in_colour[65] = {0};
    for (uint32_t i = 0; i < batches; ++i)
        in_colour[w->colour[i]]++;
    part->row_run = h->run_table.count;
    for (uint32_t c = 0; c < 64 && in_colour[c]; ++c) {
        const uint32_t first = h->batch_table.count;
        if (!sn_hierarchy_grow(w, &h->run_table, 1) || !sn_hierarchy_grow(w, &h->batch_table, in_colour[c]))
            return false;
        h->run[h->run_table.count - 1] = (sn_limit_run){first, in_colour[c]};
        memset(h->mask + first, 0, in_colour[c] * sizeof *h->mask);
        in_colour[c] = first;
    }
    part->row_runs = h->run_table.count - part->row_run;
    for (uint32_t i = 0; i < batches; ++i)
        w->batch_at[i] = w->colour[i] == 64 ? NONE : in_colour[w->colour[i]]++;
    return true;
}

void sn_hierarchy_add_row_runs(hierarchy_work *w, sn_hierarchy_part *part, const hierarchy_link *link, uint32_t count)
{
    sn_hierarchy *h = w->h;
    uint32_t batches = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        const uint32_t group = (link[i].a - part->node) / LANES;
        for (end = i; end < count && (link[end].a - part->node) / LANES == group;)
            ++end;
        batches = batch_group(w, part, link + i, end - i, w->batch + i, batches);
    }
    for (uint32_t i = 0; i < count; ++i)
        w->colours[part->node + (link[i].a - part->node) / LANES * LANES] =
            w->colours[part->node + (link[i].b - part->node) / LANES * LANES] = 0;
    if (!add_colours(w, part, batches))
        return;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t b = w->batch_at[w->batch[i]];
        const row_key key = key_of(part, &link[i]);
        if (b == NONE)
            continue;
        for (uint32_t lane = 0; !h->mask[b] && lane < LANES; ++lane) { /* empty lanes: aggregates of the batch */
            h->end[2 * (size_t)b * LANES + lane] = 2 * link[i].a;
            h->end[(2 * (size_t)b + 1) * LANES + lane] = 2 * link[i].b;
            h->most[(size_t)b * LANES + lane] = link[i].most;
        }
        const uint32_t lane = (link[i].a - part->node) % LANES;
        h->end[2 * (size_t)b * LANES + lane] = 2 * link[i].a;
        h->end[(2 * (size_t)b + 1) * LANES + lane] = 2 * link[i].b;
        h->most[(size_t)b * LANES + lane] = link[i].most;
        h->mask[b] |= (uint16_t)(1u << lane);
        h->offset[2 * (size_t)b] = PLANE_MARGIN + key.from * SN_ROW;
        h->offset[2 * (size_t)b + 1] = PLANE_MARGIN + key.to * SN_ROW + key.lanes; /* the shift may be negative */
    }
}
