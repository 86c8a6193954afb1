/* Aggregates of meshes, level by level, and the limits between them. */
#include "solvers/hierarchy_work.h"

#include "solvers/tiled_work.h"

#include <string.h>

/* The fewest movable aggregates in the largest level. (With one or a few, a cloth that hung by a corner ended a fifth
   of its length too high.) */
#define LEAST_NODES 40u

#define NONE SN_PLAN_NONE

/* ---- The graph --------------------------------------------------------------------------------------------------- */

void sn_hierarchy_find_tiles(hierarchy_work *w)
{
    const sn_plan *plan = w->in->plan;
    w->tile = sn_hierarchy_scratch(w, w->slots, sizeof *w->tile);
    w->place = sn_hierarchy_scratch(w, w->slots, sizeof *w->place);
    for (uint32_t t = 0; t < plan->layer[1] && !w->failed; ++t)
        for (uint32_t i = 0; i < plan->tile[t].count; ++i)
            w->tile[plan->tile[t].first + i] = t;
}

/* Rods within a tile come first. */
void sn_hierarchy_find_edges(hierarchy_work *w)
{
    w->start = sn_hierarchy_scratch(w, (size_t)w->slots + 2, sizeof *w->start);
    w->leaves = sn_hierarchy_scratch(w, w->slots, sizeof *w->leaves);
    w->edge = sn_hierarchy_scratch(w, 2 * (size_t)w->rods, sizeof *w->edge);
    if (w->failed)
        return;
    uint32_t *at = w->start + 1; /* where the next edge of each particle goes; finally the start of the next particle */
    for (uint32_t i = 0; i < w->rods; ++i) {
        if (w->rod[i].a + 1 < w->slots)
            at[w->rod[i].a + 1]++;
        if (w->rod[i].b + 1 < w->slots)
            at[w->rod[i].b + 1]++;
    }
    for (uint32_t i = 1; i < w->slots; ++i)
        at[i] += at[i - 1];
    for (uint32_t leaves = 0; leaves < 2; ++leaves) {
        for (uint32_t i = 0; i < w->rods; ++i) {
            const sn_mesh_rod *rod = &w->rod[i];
            if ((w->tile[rod->a] != w->tile[rod->b]) != leaves)
                continue;
            w->edge[at[rod->a]++] = (hierarchy_edge){rod->b, rod->rest};
            w->edge[at[rod->b]++] = (hierarchy_edge){rod->a, rod->rest};
        }
        if (!leaves && w->slots)
            memcpy(w->leaves, at, w->slots * sizeof *w->leaves);
    }
}

/* ---- Aggregates -------------------------------------------------------------------------------------------------- */

uint32_t sn_hierarchy_cut(const hierarchy_graph *g, uint32_t first, uint32_t end, uint32_t next)
{
    const uint32_t before = next;
#define IS_NEAR(i, to) ((to) >= first && (to) < end && g->class[to] == g->class[i])
    for (uint32_t i = first; i < end; ++i) {
        bool alone = g->aggregate[i] == NONE && g->start[i] < g->start[i + 1];
        for (uint32_t e = g->start[i]; alone && e < g->start[i + 1]; ++e)
            alone = !IS_NEAR(i, g->edge[e].to) || g->aggregate[g->edge[e].to] == NONE;
        if (!alone)
            continue;
        g->aggregate[i] = next;
        g->root[i] = i;
        g->size[next] = 1;
        for (uint32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const uint32_t to = g->edge[e].to;
            if (!IS_NEAR(i, to) || g->aggregate[to] != NONE) /* there may be two rods */
                continue;
            g->aggregate[to] = next;
            g->root[to] = i;
            g->to_root[to] = g->edge[e].rest;
            g->size[next]++;
        }
        next++;
    }
    for (uint32_t i = first; i < end; ++i) {
        if (g->aggregate[i] != NONE || g->start[i] == g->start[i + 1])
            continue;
        uint32_t best = NONE; /* there is one: otherwise i would be a root */
        for (uint32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const uint32_t to = g->edge[e].to;
            if (IS_NEAR(i, to) && g->root[to] != NONE && (best == NONE || g->size[g->aggregate[to]] < g->size[best]))
                best = g->aggregate[to];
        }
        g->aggregate[i] = best;
        g->size[best]++;
        for (uint32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const uint32_t to = g->edge[e].to;
            const sn_real path = g->edge[e].rest + (IS_NEAR(i, to) ? g->to_root[to] : 0);
            if (IS_NEAR(i, to) && g->root[to] != NONE && g->aggregate[to] == best &&
                (g->to_root[i] == 0 || path < g->to_root[i]))
                g->to_root[i] = path;
        }
    }
#undef IS_NEAR
    return next - before;
}

/* Cuts the particles of every tile, and numbers the aggregates by tile and mesh. */
void sn_hierarchy_cut_tiles(hierarchy_work *w)
{
    const sn_plan *plan = w->in->plan;
    uint64_t most = w->slots; /* aggregates; planes may have some that are empty */
    for (uint32_t t = 0; t < plan->layer[1]; ++t)
        most += (uint64_t)plan->tile[t].rows * SN_BATCH;
    uint8_t *class = sn_hierarchy_scratch(w, w->slots, sizeof *class);
    uint32_t *size = sn_hierarchy_scratch(w, most, sizeof *size);
    w->node = sn_hierarchy_scratch(w, w->slots, sizeof *w->node);
    w->root = sn_hierarchy_scratch(w, w->slots, sizeof *w->root);
    w->to_root = sn_hierarchy_scratch(w, w->slots, sizeof *w->to_root);
    uint32_t *mesh = sn_hierarchy_scratch(w, most, sizeof *mesh), /* by aggregate */
        *sorted = sn_hierarchy_scratch(w, most, sizeof *sorted);
    if (!sn_hierarchy_reserve_rows(w) || !sn_hierarchy_grow(w, &w->h->part_of_table, plan->layer[1] + 1))
        return;
    for (uint32_t i = 0; i < w->slots; ++i) {
        w->node[i] = w->root[i] = NONE;
        class[i] = hierarchy_class(w, i);
    }
    const hierarchy_graph g = {w->start, w->edge, class, w->node, w->root, size, w->to_root};
    uint32_t nodes = 0;
    for (uint32_t t = 0; t < plan->layer[1]; ++t) {
        const uint32_t first = plan->tile[t].first, end = first + plan->tile[t].count, before = nodes;
        w->h->part_of[t] = w->h->part_table.count;
        const uint32_t regular = sn_hierarchy_cut_rows(w, t, nodes);
        nodes += regular ? regular : sn_hierarchy_cut(&g, first, end, nodes);
        for (uint32_t i = first; !regular && i < end; ++i)
            if (w->node[i] != NONE)
                mesh[w->node[i]] = w->mesh[i];
        for (uint32_t done = before; !regular && done < nodes;) { /* mesh by mesh; in most cases there is one */
            uint32_t lowest = NONE, from = done;
            for (uint32_t n = before; n < nodes; ++n)
                lowest = mesh[n] < lowest ? mesh[n] : lowest;
            for (uint32_t n = before; n < nodes; ++n)
                if (mesh[n] == lowest) {
                    mesh[n] = NONE;
                    sorted[n] = done++;
                }
            if (!sn_hierarchy_grow(w, &w->h->part_table, 1))
                return;
            w->h->part[w->h->part_table.count - 1] =
                (sn_hierarchy_part){.tile = t, .mesh = lowest, .node = from, .nodes = done - from};
        }
        for (uint32_t i = first; !regular && i < end; ++i)
            if (w->node[i] != NONE)
                w->node[i] = sorted[w->node[i]];
        if (nodes > before && sn_hierarchy_grow(w, &w->h->tile_table, 1))
            w->h->tile[w->h->tile_table.count - 1] = t;
    }
    w->h->part_of[plan->layer[1]] = w->h->part_table.count;
    if (!sn_hierarchy_grow(w, &w->h->node_table, nodes + 1))
        return;
    w->h->node_table.count--; /* the last entry only has a first member */
}

void sn_hierarchy_weigh(hierarchy_work *w, uint32_t node, const sn_real *w_of)
{
    sn_hierarchy *h = w->h;
    const uint32_t count = h->last[node] - h->first[node];
    double mass = 0;
    for (uint32_t k = h->first[node]; k < h->last[node]; ++k)
        mass += w_of[h->member[k]] > 0 ? 1 / (double)w_of[h->member[k]] : 0;
    for (uint32_t k = h->first[node]; k < h->last[node]; ++k)
        h->weight[k] = (sn_real)(mass > 0 ? 1 / ((double)w_of[h->member[k]] * mass) : 1.0 / count);
    h->w[node] = mass > 0 ? (sn_real)(1 / mass) : 0;
}

static uint32_t place_in_planes(const sn_tile *tile, uint32_t slot)
{
    uint32_t lane, row = place_in_rows(tile, slot - tile->first, &lane);
    return row * SN_ROW + lane;
}

void sn_hierarchy_list_particles(hierarchy_work *w)
{
    sn_hierarchy *h = w->h;
    uint32_t total = 0;
    for (uint32_t i = 0; i < w->slots; ++i)
        total += w->node[i] != NONE;
    if (!sn_hierarchy_grow(w, &h->member_table, total))
        return;
    memset(h->first, 0, ((size_t)h->node_table.count + 1) * sizeof *h->first);
    for (uint32_t i = 0; i < w->slots; ++i)
        if (w->node[i] != NONE)
            h->first[w->node[i] + 1]++;
    for (uint32_t n = 0; n < h->node_table.count; ++n)
        h->first[n + 1] += h->first[n];
    for (uint32_t i = 0; i < w->slots; ++i) {
        if (w->node[i] == NONE)
            continue;
        const sn_tile *tile = &w->in->plan->tile[w->tile[i]];
        const uint32_t k = h->first[w->node[i]]++;
        h->member[k] = i;
        h->at[k] = w->place[i] = tile->rows ? place_in_planes(tile, i) : 0;
    }
    memmove(h->first + 1, h->first, h->node_table.count * sizeof *h->first);
    h->first[0] = 0;
    w->form_room = h->node_table.count + h->node_table.count / 2 + 64;
    w->form = sn_hierarchy_scratch(w, w->form_room, sizeof *w->form);
    for (uint32_t n = 0; n < h->node_table.count && !w->failed; ++n) {
        h->last[n] = h->first[n + 1];
        h->parent[n] = NONE;
        sn_hierarchy_weigh(w, n, w->w);
        sn_hierarchy_find_form(w, n);
    }
    if (!w->failed)
        sn_hierarchy_weigh_rows(w);
}

/* ---- Limits ------------------------------------------------------------------------------------------------------ */

void sn_hierarchy_add_runs(hierarchy_work *w, const hierarchy_link *link, uint32_t count, uint32_t *first,
                           uint32_t *runs)
{
    sn_hierarchy *h = w->h;
    uint32_t in_colour[64] = {0}, batch[64];
    *first = h->run_table.count;
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t taken = w->colours[link[i].a] | w->colours[link[i].b];
        uint32_t c = 0;
        while (c < 63 && taken >> c & 1)
            ++c;
        w->colour[i] = (uint8_t)(taken >> c & 1 ? 64 : c); /* more than 64 limits at one aggregate are left out */
        if (w->colour[i] == 64)
            continue;
        w->colours[link[i].a] |= UINT64_C(1) << c;
        w->colours[link[i].b] |= UINT64_C(1) << c;
        in_colour[c]++;
    }
    for (uint32_t i = 0; i < count; ++i)
        w->colours[link[i].a] = w->colours[link[i].b] = 0;
    for (uint32_t c = 0; c < 64 && in_colour[c]; ++c) {
        const uint32_t batches = (in_colour[c] + SN_BATCH - 1) / SN_BATCH;
        if (!sn_hierarchy_grow(w, &h->run_table, 1) || !sn_hierarchy_grow(w, &h->batch_table, batches))
            return;
        batch[c] = h->batch_table.count - batches;
        h->run[h->run_table.count - 1] = (sn_limit_run){batch[c], batches};
        memset(h->mask + batch[c], 0, batches * sizeof *h->mask);
        in_colour[c] = 0;
    }
    *runs = h->run_table.count - *first;
    for (uint32_t i = 0; i < count; ++i) {
        if (w->colour[i] == 64)
            continue;
        const uint32_t at = in_colour[w->colour[i]]++, b = batch[w->colour[i]] + at / SN_BATCH, lane = at % SN_BATCH;
        h->end[2 * (size_t)b * SN_BATCH + lane] = 2 * link[i].a;
        h->end[(2 * (size_t)b + 1) * SN_BATCH + lane] = 2 * link[i].b;
        h->most[(size_t)b * SN_BATCH + lane] = link[i].most;
        h->mask[b] |= (uint16_t)(1u << lane);
    }
    for (uint32_t r = *first; r < h->run_table.count; ++r) { /* empty lanes refer to aggregates of the run */
        const uint32_t b = h->run[r].batch + h->run[r].batches - 1;
        for (uint32_t lane = 0; lane < SN_BATCH; ++lane)
            if (!(h->mask[b] >> lane & 1)) {
                h->end[2 * (size_t)b * SN_BATCH + lane] = h->end[2 * (size_t)b * SN_BATCH];
                h->end[(2 * (size_t)b + 1) * SN_BATCH + lane] = h->end[(2 * (size_t)b + 1) * SN_BATCH];
                h->most[(size_t)b * SN_BATCH + lane] = h->most[(size_t)b * SN_BATCH];
            }
    }
}

/* Adds the limit between two aggregates, if there is one and it is new. stamp: by aggregate, 1 + the last aggregate
   that was linked to it. */
static void add_link(hierarchy_work *w, uint32_t a, uint32_t b, uint32_t *links)
{
    if (b <= a || w->stamp[b] == a + 1 || (w->h->w[a] == 0 && w->h->w[b] == 0))
        return;
    w->stamp[b] = a + 1;
    const double most = sn_hierarchy_limit(&w->form[a], &w->form[b]);
    if (most > 0)
        w->link[(*links)++] = (hierarchy_link){a, b, (sn_real)most};
}

static uint32_t root_of(const hierarchy_work *w, uint32_t node)
{
    for (uint32_t k = w->h->first[node]; k < w->h->first[node + 1]; ++k)
        if (w->root[w->h->member[k]] == w->h->member[k])
            return w->h->member[k];
    return NONE;
}

static bool is_detour(const hierarchy_work *w, uint32_t a, uint32_t b, double path)
{
    hierarchy_form from = {0}, to = {0};
    sn_hierarchy_put_form(w, &from, a);
    sn_hierarchy_put_form(w, &to, b);
    return sn_hierarchy_is_detour(&from, &to, path);
}

/* Adds the limits of one aggregate behind the first `links`, except those across a fold. Returns their new number. */
static uint32_t limit_node(hierarchy_work *w, uint32_t node, uint32_t links)
{
    const sn_hierarchy *h = w->h;
    const uint32_t before = links, root = root_of(w, node);
    for (uint32_t k = h->first[node]; k < h->first[node + 1]; ++k)
        for (uint32_t e = w->start[h->member[k]]; e < w->start[h->member[k] + 1]; ++e) {
            const uint32_t to = w->edge[e].to, other = w->node[to];
            if (other <= node) /* inside, or found from the other end */
                continue;
            const double path = (double)w->to_root[h->member[k]] + (double)w->edge[e].rest + (double)w->to_root[to];
            if (w->stamp[other] != node + 1 || path < w->path[other])
                w->path[other] = path;
            add_link(w, node, other, &links);
        }
    uint32_t kept = before;
    for (uint32_t i = before; i < links; ++i) {
        const uint32_t other = root_of(w, w->link[i].b);
        if (root == NONE || other == NONE || !is_detour(w, root, other, w->path[w->link[i].b]))
            w->link[kept++] = w->link[i];
    }
    return kept;
}

/* Finds the limits of the first level: those inside parts, and those between parts. */
static void limit_parts(hierarchy_work *w, uint32_t *total)
{
    sn_hierarchy *h = w->h;
    hierarchy_link *own = w->own, *between = w->between;
    for (uint32_t p = 0; p < h->part_table.count && !w->failed; ++p) {
        sn_hierarchy_part *part = &h->part[p];
        uint32_t links = 0, owns = 0, in_rows = 0, end = part->node + part->nodes;
        const uint32_t grouped = part->node + part->groups * SN_BATCH;
        for (uint32_t n = part->node; n < end; ++n)
            links = limit_node(w, n, links);
        for (uint32_t i = 0; i < links; ++i) {
            w->all[(*total)++] = w->link[i];
            if (w->link[i].b < grouped)
                w->link[in_rows++] = w->link[i];
            else if (w->link[i].b < end)
                own[owns++] = w->link[i];
            else
                between[w->betweens++] = w->link[i];
        }
        uint32_t run, runs;
        sn_hierarchy_add_runs(w, own, owns, &run, &runs);
        h->part[p].run = run;
        h->part[p].runs = runs;
        sn_hierarchy_add_row_runs(w, &h->part[p], w->link, in_rows);
    }
}

/* ---- Levels ------------------------------------------------------------------------------------------------------ */

/* The aggregates of one level of a mesh, and the limits between them. */
typedef struct level_graph {
    uint32_t *id; /* of the aggregates */
    uint32_t count;
    const hierarchy_link *link;
    uint32_t links;
} level_graph;

/* Cuts a level into the aggregates of the next. Returns their number; w->graph has the aggregate of each number in the
   level. *free: how many are movable. */
static uint32_t cut_level(hierarchy_work *w, const level_graph *level, uint32_t *free)
{
    const sn_hierarchy *h = w->h;
    hierarchy_graph *g = &w->graph;
    memset(g->start, 0, ((size_t)level->count + 2) * sizeof *g->start);
    for (uint32_t i = 0; i < level->count; ++i) {
        w->local[level->id[i]] = i;
        g->aggregate[i] = g->root[i] = NONE;
        g->class[i] = h->w[level->id[i]] == 0 ? HIERARCHY_FIXED : HIERARCHY_LIGHT;
    }
    uint32_t *at = g->start + 1;
    for (uint32_t i = 0; i < level->links; ++i) {
        at[w->local[level->link[i].a] + 1]++;
        at[w->local[level->link[i].b] + 1]++;
    }
    for (uint32_t i = 1; i <= level->count; ++i)
        at[i] += at[i - 1];
    for (uint32_t i = 0; i < level->links; ++i) {
        const uint32_t a = w->local[level->link[i].a], b = w->local[level->link[i].b];
        const sn_real apart = sn_hierarchy_distance(&w->form[level->link[i].a], &w->form[level->link[i].b]);
        g->edge[at[a]++] = (hierarchy_edge){b, apart};
        g->edge[at[b]++] = (hierarchy_edge){a, apart};
    }
    const uint32_t count = sn_hierarchy_cut(g, 0, level->count, 0);
    *free = 0;
    for (uint32_t i = 0; i < level->count; ++i)
        *free += g->root[i] == i && g->class[i] != HIERARCHY_FIXED;
    return count;
}

/* Makes the aggregates of the next level from those of this one. */
static bool make_level(hierarchy_work *w, const level_graph *level, uint32_t count)
{
    sn_hierarchy *h = w->h;
    const hierarchy_graph *g = &w->graph;
    const uint32_t node = h->node_table.count;
    uint32_t members = 0;
    for (uint32_t i = 0; i < level->count; ++i)
        members += g->aggregate[i] != NONE;
    const uint32_t from = h->member_table.count;
    if (!sn_hierarchy_grow(w, &h->node_table, count + 1) || !sn_hierarchy_grow(w, &h->member_table, members))
        return false;
    h->node_table.count--;
    memset(h->first + node, 0, ((size_t)count + 1) * sizeof *h->first);
    for (uint32_t i = 0; i < level->count; ++i)
        if (g->aggregate[i] != NONE)
            h->first[node + g->aggregate[i] + 1]++;
    h->first[node] = from;
    for (uint32_t n = 0; n < count; ++n)
        h->first[node + n + 1] += h->first[node + n];
    for (uint32_t i = 0; i < level->count; ++i)
        if (g->aggregate[i] != NONE)
            h->member[h->first[node + g->aggregate[i]]++] = level->id[i];
    memmove(h->first + node + 1, h->first + node, count * sizeof *h->first);
    h->first[node] = from;
    for (uint32_t n = node; n < node + count; ++n) {
        h->last[n] = h->first[n + 1];
        h->parent[n] = NONE;
        sn_hierarchy_weigh(w, n, h->w);
        for (uint32_t k = h->first[n]; k < h->first[n + 1]; ++k)
            h->parent[h->member[k]] = n;
        sn_hierarchy_join_forms(w, n);
    }
    return true;
}

/* Assigns the tethers of a level of a mesh, which were found last: in the first level to parts, in higher ones to
   shares. */
static void note_fars(hierarchy_work *w, uint32_t mesh, uint32_t far)
{
    sn_hierarchy *h = w->h;
    const uint32_t end = h->far_table.count;
    if (h->mesh[mesh].levels) {
        sn_hierarchy_deal_fars(w, &h->level[h->level_table.count - 1], far);
        return;
    }
    for (uint32_t p = 0; p < h->part_table.count; ++p) {
        sn_hierarchy_part *part = &h->part[p];
        if (part->mesh != mesh)
            continue;
        part->far = far;
        while (far < end && h->far[far].node - part->node < part->nodes)
            ++far;
        part->fars = far - part->far;
    }
}

/* Adds the levels of a mesh above its first, which is `level`. Overwrites `links`. */
static void add_levels(hierarchy_work *w, uint32_t mesh, level_graph level, hierarchy_link *links)
{
    sn_hierarchy *h = w->h;
    h->mesh[mesh].level = h->level_table.count;
    for (;;) {
        uint32_t free, count = cut_level(w, &level, &free), node = h->node_table.count, found = 0;
        const uint32_t far = h->far_table.count;
        sn_hierarchy_tether_level(w, mesh, level.id, level.count);
        note_fars(w, mesh, far);
        if (free < LEAST_NODES || count >= level.count || node + count > w->form_room || !make_level(w, &level, count))
            break;
        for (uint32_t i = 0; i < level.links; ++i) { /* in the order of the lower level; each once */
            uint32_t a = h->parent[level.link[i].a], b = h->parent[level.link[i].b];
            if (a != NONE && b != NONE && a != b)
                links[found++] = (hierarchy_link){a < b ? a : b, a < b ? b : a, 0};
        }
        uint32_t kept = 0;
        for (uint32_t n = node; n < node + count; ++n)
            w->local[n] = 0;
        for (uint32_t i = 0; i < found; ++i) /* sorted by the lower end, by counting */
            w->local[links[i].a]++;
        for (uint32_t n = node, sum = 0; n < node + count; ++n) {
            const uint32_t here = w->local[n];
            w->local[n] = sum;
            sum += here;
        }
        for (uint32_t i = 0; i < found; ++i)
            w->own[w->local[links[i].a]++] = links[i];
        for (uint32_t i = 0; i < found; ++i)
            add_link(w, w->own[i].a, w->own[i].b, &kept);
        memcpy(links, w->link, kept * sizeof *links);
        for (uint32_t n = 0; n < count; ++n)
            level.id[n] = node + n;
        sn_hierarchy_level made = {.node = node, .nodes = count};
        sn_hierarchy_deal_level(w, mesh, w->link, kept, level.id, &made);
        if (!sn_hierarchy_grow(w, &h->level_table, 1))
            return;
        h->level[h->level_table.count - 1] = made;
        h->mesh[mesh].levels++;
        level.count = count;
        level.link = links;
        level.links = kept;
    }
}

/* The number of pairs of aggregates connected by rods: a bound of the number of limits in any level. */
static uint32_t count_pairs(hierarchy_work *w)
{
    const sn_hierarchy *h = w->h;
    uint32_t pairs = 0;
    for (uint32_t n = 0; n < h->node_table.count; ++n)
        for (uint32_t k = h->first[n]; k < h->first[n + 1]; ++k)
            for (uint32_t e = w->start[h->member[k]]; e < w->start[h->member[k] + 1]; ++e) {
                const uint32_t other = w->node[w->edge[e].to];
                if (other <= n)
                    continue;
                pairs += w->stamp[other] != n + 1;
                w->stamp[other] = n + 1;
            }
    memset(w->stamp, 0, w->form_room * sizeof *w->stamp);
    return pairs;
}

void sn_hierarchy_add_levels(hierarchy_work *w)
{
    sn_hierarchy *h = w->h;
    const uint32_t nodes = h->node_table.count;
    uint32_t total = 0;
    w->stamp = sn_hierarchy_scratch(w, w->form_room, sizeof *w->stamp);
    const uint32_t pairs = w->failed ? 0 : count_pairs(w);
    w->link = sn_hierarchy_scratch(w, pairs, sizeof *w->link);
    w->own = sn_hierarchy_scratch(w, pairs, sizeof *w->own);
    w->between = sn_hierarchy_scratch(w, pairs, sizeof *w->between);
    w->all = sn_hierarchy_scratch(w, pairs, sizeof *w->all);
    hierarchy_link *links = sn_hierarchy_scratch(w, pairs, sizeof *links),
                   *mine = sn_hierarchy_scratch(w, pairs, sizeof *mine);
    w->colour = sn_hierarchy_scratch(w, pairs, sizeof *w->colour);
    w->batch = sn_hierarchy_scratch(w, pairs, sizeof *w->batch);
    w->batch_at = sn_hierarchy_scratch(w, pairs, sizeof *w->batch_at);
    w->colours = sn_hierarchy_scratch(w, w->form_room, sizeof *w->colours);
    w->path = sn_hierarchy_scratch(w, w->form_room, sizeof *w->path);
    w->local = sn_hierarchy_scratch(w, w->form_room, sizeof *w->local);
    uint32_t *id = sn_hierarchy_scratch(w, nodes, sizeof *id);
    w->firsts = nodes;
    w->held_by = sn_hierarchy_scratch(w, SN_TETHER_GROUPS * (size_t)nodes, sizeof *w->held_by);
    w->visit = sn_hierarchy_scratch(w, SN_TETHER_GROUPS * (size_t)nodes, sizeof *w->visit);
    w->visits = sn_hierarchy_scratch(w, nodes, sizeof *w->visits);
    w->graph = (hierarchy_graph){.start = sn_hierarchy_scratch(w, (size_t)nodes + 3, sizeof(uint32_t)),
                                 .edge = sn_hierarchy_scratch(w, 2 * (size_t)pairs, sizeof(hierarchy_edge)),
                                 .class = sn_hierarchy_scratch(w, nodes, sizeof(uint8_t)),
                                 .aggregate = sn_hierarchy_scratch(w, nodes, sizeof(uint32_t)),
                                 .root = sn_hierarchy_scratch(w, nodes, sizeof(uint32_t)),
                                 .size = sn_hierarchy_scratch(w, nodes, sizeof(uint32_t)),
                                 .to_root = sn_hierarchy_scratch(w, nodes, sizeof(sn_real))};
    if (w->failed || !sn_hierarchy_reserve_deal(w, pairs))
        return;
    limit_parts(w, &total);
    for (uint32_t m = 0; m < h->mesh_table.count && !w->failed; ++m) {
        level_graph level = {.id = id, .link = mine};
        uint32_t betweens = 0;
        for (uint32_t p = 0; p < h->part_table.count; ++p)
            for (uint32_t n = 0; h->part[p].mesh == m && n < h->part[p].nodes; ++n)
                id[level.count++] = h->part[p].node + n;
        for (uint32_t i = 0; i < total; ++i)
            if (w->mesh[h->member[h->first[w->all[i].a]]] == m)
                mine[level.links++] = w->all[i];
        for (uint32_t i = 0; i < w->betweens; ++i)
            if (w->mesh[h->member[h->first[w->between[i].a]]] == m)
                w->own[betweens++] = w->between[i];
        sn_hierarchy_deal_between(w, m, w->own, betweens, id, level.count);
        const sn_stiffened choice = level.links ? SN_STIFFENED : SN_PLAIN_SHAPE;
        h->mesh[m].linked = level.links >= level.count; /* a net with triangles only at its border has few */
        h->count[choice]++;
        for (uint32_t i = 0; i < w->slots; ++i)
            h->particles[choice] += w->mesh[i] == m;
        add_levels(w, m, level, links);
    }
}
