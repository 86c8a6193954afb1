/* Making a hierarchy: which meshes get one, their aggregates and limits.

   A mesh is what rods join: distances, and largest distances, between particles. It gets a hierarchy if it has loops, enough particles
   that can move, rods that hardly give under the weight of the mesh, and none that can break (what a rod exerts is then looked at, and
   limits would take a part of it) or is held at a compromise. All else stays with plain sweeps. */
#include "solvers/hierarchy_work.h"

#include "solvers/tiled_work.h"

#include <string.h>

/* Aggregates that can move, at least, in the largest level. (With one or a few, a cloth that hung by a corner ended a fifth of its length
   too high.) */
#define LEAST_NODES 40u

/* Particles that can move, at least: what is smaller has too few aggregates. */
#define LEAST_MESH 400u

/* The share of their length by which rods may give under the weight of the mesh. Above that they are soft: limits do not give, and would
   make the mesh too stiff, where sweeps converge. */
#define SOFT 1e-3

/* m/s^2: the weight is what it is here, whatever gravity is now. */
#define WEIGHT 9.81

#define NONE SN_PLAN_NONE

/* ---- Memory --------------------------------------------------------------------------------------------------------------------- */

void sn_hierarchy_init(sn_hierarchy *h)
{
    *h = (sn_hierarchy){0};
    sn_table_column(&h->w_table, sizeof(sn_real), false);
    sn_table_column(&h->mesh_table, sizeof *h->mesh, false);
    sn_table_column(&h->part_table, sizeof *h->part, false);
    sn_table_column(&h->part_of_table, sizeof *h->part_of, false);
    sn_table_column(&h->tile_table, sizeof *h->tile, false);
    sn_table_column(&h->level_table, sizeof *h->level, false);
    sn_table_column(&h->node_table, sizeof *h->x, false);
    sn_table_column(&h->node_table, sizeof *h->d, false);
    sn_table_column(&h->node_table, sizeof *h->w, false);
    sn_table_column(&h->node_table, sizeof *h->parent, false);
    sn_table_column(&h->node_table, sizeof *h->first, false);
    sn_table_column(&h->member_table, sizeof *h->member, false);
    sn_table_column(&h->member_table, sizeof *h->at, false);
    sn_table_column(&h->member_table, sizeof *h->weight, false);
    sn_table_column(&h->run_table, sizeof *h->run, false);
    sn_table_column(&h->batch_table, 2 * SN_BATCH * sizeof *h->end, false);
    sn_table_column(&h->batch_table, SN_BATCH * sizeof *h->most, false);
    sn_table_column(&h->batch_table, sizeof *h->mask, false);
    sn_table_column(&h->hold_table, sizeof *h->hold, false);
}

#define FOR_TABLES(DO)                                                                                                 \
    DO(mesh_table)                                                                                                     \
    DO(part_table)                                                                                                     \
    DO(part_of_table)                                                                                                  \
    DO(tile_table) DO(level_table) DO(node_table) DO(member_table) DO(run_table) DO(batch_table) DO(hold_table)

void sn_hierarchy_release(sn_hierarchy *h, const sn_allocator *allocator)
{
#define RELEASE(name) sn_table_release(&h->name, allocator);
    FOR_TABLES(RELEASE)
#undef RELEASE
    sn_table_release(&h->w_table, allocator);
}

static void clear(sn_hierarchy *h)
{
#define EMPTY(name) h->name.count = 0;
    FOR_TABLES(EMPTY)
#undef EMPTY
    memset(h->count, 0, sizeof h->count);
    memset(h->particles, 0, sizeof h->particles);
    h->made = false;
}

void sn_hierarchy_bind(sn_hierarchy *h)
{
    h->mesh = h->mesh_table.column[0];
    h->part = h->part_table.column[0];
    h->part_of = h->part_of_table.column[0];
    h->tile = h->tile_table.column[0];
    h->level = h->level_table.column[0];
    h->x = h->node_table.column[0];
    h->d = h->node_table.column[1];
    h->w = h->node_table.column[2];
    h->parent = h->node_table.column[3];
    h->first = h->node_table.column[4];
    h->member = h->member_table.column[0];
    h->at = h->member_table.column[1];
    h->weight = h->member_table.column[2];
    h->run = h->run_table.column[0];
    h->end = h->batch_table.column[0];
    h->most = h->batch_table.column[1];
    h->mask = h->batch_table.column[2];
    h->hold = h->hold_table.column[0];
}

void *sn_hierarchy_scratch(hierarchy_work *w, size_t count, size_t size)
{
    size_t bytes = count * size + 1;
    void *block = w->failed || w->blocks == HIERARCHY_BLOCKS ? NULL : sn_allocate(w->allocator, bytes);
    if (!block) {
        w->failed = true;
        return NULL;
    }
    memset(block, 0, bytes);
    w->block[w->blocks] = block;
    w->block_size[w->blocks++] = bytes;
    return block;
}

bool sn_hierarchy_grow(hierarchy_work *w, sn_table *table, uint32_t more)
{
    uint64_t count = (uint64_t)table->count + more;
    if (w->failed || !sn_table_reserve(table, w->allocator, count + count / 2 + 16)) /* it is doubled anyway */
        w->failed = true;
    else
        table->count += more;
    sn_hierarchy_bind(w->h);
    return !w->failed;
}

/* ---- Meshes --------------------------------------------------------------------------------------------------------------------- */

/* What is known of one, by the lowest of its slots. */
typedef struct mesh_facts {
    uint32_t particles, free, rods;
    double mass;       /* kg, of those that can move */
    double compliance; /* m/N, the largest by length: 1/N */
    bool breaks, held;
    sn_stiffened choice;
} mesh_facts;

static uint32_t find(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static bool is_rod(uint32_t kind)
{
    return kind == SN_KIND_DISTANCE || kind == SN_KIND_DISTANCE_MAX;
}

/* Reads all rods between particles of the plan, in the order in which they were added. */
static void read_rods(hierarchy_work *w, mesh_facts **facts)
{
    const sn_store *store = w->in->store;
    const sn_stiffen *s = &w->in->stiffen;
    uint32_t most = store->pool[SN_KIND_DISTANCE]->ids.live + store->pool[SN_KIND_DISTANCE_MAX]->ids.live;
    w->rod = sn_hierarchy_scratch(w, most, sizeof *w->rod);
    uint32_t *parent = w->mesh = sn_hierarchy_scratch(w, w->slots, sizeof *parent);
    bool *breaks = sn_hierarchy_scratch(w, w->slots, sizeof *breaks),
         *held = sn_hierarchy_scratch(w, w->slots, sizeof *held);
    *facts = sn_hierarchy_scratch(w, w->slots, sizeof **facts);
    if (w->failed)
        return;
    for (uint32_t i = 0; i < w->slots; ++i)
        parent[i] = i;
    for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i) {
        const uint32_t kind = store->run[r].kind, row = store->run[r].first + i;
        if (!is_rod(kind)) { /* the rest of the run is none either */
            i = store->run[r].count;
            continue;
        }
        const sn_pool *pool = store->pool[kind];
        const uint32_t *point = pool->point + (size_t)row * 2;
        if ((point[0] | point[1]) & SN_SPOT_BIT || pool->give[row].stiffness != 1)
            continue;
        const uint32_t a = w->in->frame.slot[point[0]], b = w->in->frame.slot[point[1]];
        if (a >= w->slots || b >= w->slots || a == b)
            continue;
        uint32_t one = find(parent, a), other = find(parent, b);
        if (one != other)
            parent[one > other ? one : other] = one < other ? one : other;
        held[a] = held[a] || store_held(store, pool, row);
        breaks[a] = breaks[a] || (s->breaks && s->breaks(s->world, kind, row));
        w->rod[w->rods++] =
            (hierarchy_rod){a, b, pool->param[(size_t)row * pool->param_count], pool->give[row].compliance};
    }
    for (uint32_t i = 0; i < w->slots; ++i) {
        mesh_facts *f = &(*facts)[find(parent, i)];
        f->particles++;
        f->free += w->w[i] > 0;
        f->mass += w->w[i] > 0 ? 1 / (double)w->w[i] : 0;
        f->breaks = f->breaks || breaks[i];
        f->held = f->held || held[i];
    }
    for (uint32_t i = 0; i < w->rods; ++i) {
        mesh_facts *f = &(*facts)[find(parent, w->rod[i].a)];
        const double gives = (double)w->rod[i].compliance / (double)w->rod[i].rest;
        f->rods++;
        f->compliance = gives > f->compliance ? gives : f->compliance;
    }
}

/* A row of particles from one side of the mesh to the other hangs from one rod. */
static bool is_soft(const mesh_facts *f)
{
    return !(f->compliance * f->mass * WEIGHT <= SOFT * sqrt((double)f->free));
}

static sn_stiffened choose(const mesh_facts *f)
{
    return f->free < LEAST_MESH     ? SN_PLAIN_SMALL
           : f->rods < f->particles ? SN_PLAIN_TREE
           : f->held                ? SN_PLAIN_HELD
           : f->breaks              ? SN_PLAIN_BREAKS
           : is_soft(f)             ? SN_PLAIN_SOFT
                                    : SN_STIFFENED;
}

/* Those that get a hierarchy are numbered; rods of others are dropped. */
static void choose_meshes(hierarchy_work *w, mesh_facts *facts)
{
    uint32_t *number = sn_hierarchy_scratch(w, w->slots, sizeof *number), kept = 0;
    if (w->failed)
        return;
    for (uint32_t i = 0; i < w->slots && !w->failed; ++i) {
        mesh_facts *f = &facts[i];
        number[i] = NONE;
        if (find(w->mesh, i) != i || !f->rods)
            continue;
        f->choice = choose(f);
        w->h->count[f->choice]++;
        w->h->particles[f->choice] += f->particles;
        if (f->choice != SN_STIFFENED || !sn_hierarchy_grow(w, &w->h->mesh_table, 1))
            continue;
        number[i] = w->h->mesh_table.count - 1;
        w->h->mesh[number[i]] = (sn_hierarchy_mesh){.first = i};
    }
    for (uint32_t i = w->slots; i-- > 0;) /* roots are the lowest, and needed until the last */
        w->mesh[i] = find(w->mesh, i);
    for (uint32_t i = 0; i < w->slots; ++i)
        w->mesh[i] = number[w->mesh[i]];
    for (uint32_t i = 0; i < w->rods; ++i)
        if (w->mesh[w->rod[i].a] != NONE)
            w->rod[kept++] = w->rod[i];
    w->rods = kept;
}

/* ---- The graph ------------------------------------------------------------------------------------------------------------------ */

static void find_edges(hierarchy_work *w)
{
    w->start = sn_hierarchy_scratch(w, (size_t)w->slots + 2, sizeof *w->start);
    w->edge = sn_hierarchy_scratch(w, 2 * (size_t)w->rods, sizeof *w->edge);
    if (w->failed)
        return;
    uint32_t *at = w->start + 1; /* where the next one of each goes, and in the end where the next particle's begin */
    for (uint32_t i = 0; i < w->rods; ++i) {
        if (w->rod[i].a + 1 < w->slots)
            at[w->rod[i].a + 1]++;
        if (w->rod[i].b + 1 < w->slots)
            at[w->rod[i].b + 1]++;
    }
    for (uint32_t i = 1; i < w->slots; ++i)
        at[i] += at[i - 1];
    for (uint32_t i = 0; i < w->rods; ++i) {
        w->edge[at[w->rod[i].a]++] = (hierarchy_edge){w->rod[i].b, w->rod[i].rest};
        w->edge[at[w->rod[i].b]++] = (hierarchy_edge){w->rod[i].a, w->rod[i].rest};
    }
}

static void find_tiles(hierarchy_work *w)
{
    const sn_plan *plan = w->in->plan;
    w->tile = sn_hierarchy_scratch(w, w->slots, sizeof *w->tile);
    for (uint32_t t = 0; t < plan->layer[1] && !w->failed; ++t)
        for (uint32_t i = 0; i < plan->tile[t].count; ++i)
            w->tile[plan->tile[t].first + i] = t;
}

/* ---- Aggregates ----------------------------------------------------------------------------------------------------------------- */

uint32_t sn_hierarchy_cut(const hierarchy_graph *g, uint32_t first, uint32_t end, uint32_t next)
{
    const uint32_t before = next;
#define IS_NEAR(i, to) ((to) >= first && (to) < end && g->fixed[to] == g->fixed[i])
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
            if (!IS_NEAR(i, to) || g->aggregate[to] != NONE) /* a rod may be there twice */
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
        uint32_t best = NONE; /* there is one: otherwise it would be a root */
        for (uint32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const uint32_t to = g->edge[e].to;
            if (IS_NEAR(i, to) && g->root[to] != NONE && (best == NONE || g->size[g->aggregate[to]] < g->size[best]))
                best = g->aggregate[to];
        }
        g->aggregate[i] = best;
        g->size[best]++;
    }
#undef IS_NEAR
    return next - before;
}

/* Cuts the particles of every tile, and numbers the aggregates by tile and mesh. */
static void cut_tiles(hierarchy_work *w)
{
    const sn_plan *plan = w->in->plan;
    bool *fixed = sn_hierarchy_scratch(w, w->slots, sizeof *fixed);
    uint32_t *size = sn_hierarchy_scratch(w, w->slots, sizeof *size);
    w->node = sn_hierarchy_scratch(w, w->slots, sizeof *w->node);
    w->root = sn_hierarchy_scratch(w, w->slots, sizeof *w->root);
    w->to_root = sn_hierarchy_scratch(w, w->slots, sizeof *w->to_root);
    uint32_t *mesh = sn_hierarchy_scratch(w, w->slots, sizeof *mesh), /* by aggregate */
        *sorted = sn_hierarchy_scratch(w, w->slots, sizeof *sorted);
    if (w->failed || !sn_hierarchy_grow(w, &w->h->part_of_table, plan->layer[1] + 1))
        return;
    for (uint32_t i = 0; i < w->slots; ++i) {
        w->node[i] = w->root[i] = NONE;
        fixed[i] = w->w[i] == 0;
    }
    const hierarchy_graph g = {w->start, w->edge, fixed, w->node, w->root, size, w->to_root};
    uint32_t nodes = 0;
    for (uint32_t t = 0; t < plan->layer[1]; ++t) {
        const uint32_t first = plan->tile[t].first, end = first + plan->tile[t].count, before = nodes;
        w->h->part_of[t] = w->h->part_table.count;
        nodes += sn_hierarchy_cut(&g, first, end, nodes);
        for (uint32_t i = first; i < end; ++i)
            if (w->node[i] != NONE)
                mesh[w->node[i]] = w->mesh[i];
        for (uint32_t done = before; done < nodes;) { /* mesh after mesh: mostly there is one */
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
        for (uint32_t i = first; i < end; ++i)
            if (w->node[i] != NONE)
                w->node[i] = sorted[w->node[i]];
        if (nodes > before && sn_hierarchy_grow(w, &w->h->tile_table, 1))
            w->h->tile[w->h->tile_table.count - 1] = t;
    }
    w->h->part_of[plan->layer[1]] = w->h->part_table.count;
    if (!sn_hierarchy_grow(w, &w->h->node_table, nodes + 1))
        return;
    w->h->node_table.count--; /* the last one only has a first member */
}

/* Masses of aggregates, and the shares of their members. */
static void weigh(hierarchy_work *w, uint32_t node, const sn_real *w_of)
{
    sn_hierarchy *h = w->h;
    const uint32_t count = h->first[node + 1] - h->first[node];
    double mass = 0;
    for (uint32_t k = h->first[node]; k < h->first[node + 1]; ++k)
        mass += w_of[h->member[k]] > 0 ? 1 / (double)w_of[h->member[k]] : 0;
    for (uint32_t k = h->first[node]; k < h->first[node + 1]; ++k)
        h->weight[k] = (sn_real)(mass > 0 ? 1 / ((double)w_of[h->member[k]] * mass) : 1.0 / count);
    h->w[node] = mass > 0 ? (sn_real)(1 / mass) : 0;
    h->parent[node] = NONE;
}

static uint32_t place_in_planes(const sn_tile *tile, uint32_t slot)
{
    uint32_t lane, row = place_in_rows(tile, slot - tile->first, &lane);
    return row * SN_ROW + lane;
}

static void list_particles(hierarchy_work *w)
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
        h->at[k] = tile->rows ? place_in_planes(tile, i) : 0;
    }
    memmove(h->first + 1, h->first, h->node_table.count * sizeof *h->first);
    h->first[0] = 0;
    w->form_room = h->node_table.count + h->node_table.count / 2 + 64;
    w->form = sn_hierarchy_scratch(w, w->form_room, sizeof *w->form);
    for (uint32_t n = 0; n < h->node_table.count && !w->failed; ++n) {
        weigh(w, n, w->w);
        sn_hierarchy_find_form(w, n);
    }
}

/* ---- Limits ---------------------------------------------------------------------------------------------------------------------- */

/* Colours limits, and writes them as batches. */
static void add_runs(hierarchy_work *w, const hierarchy_link *link, uint32_t count, uint32_t *first, uint32_t *runs)
{
    sn_hierarchy *h = w->h;
    uint32_t in_colour[64] = {0}, batch[64];
    *first = h->run_table.count;
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t taken = w->colours[link[i].a] | w->colours[link[i].b];
        uint32_t c = 0;
        while (c < 63 && taken >> c & 1)
            ++c;
        w->colour[i] = (uint8_t)(taken >> c & 1 ? 64 : c); /* sixty-four limits at one aggregate: more are left out */
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
        h->end[2 * (size_t)b * SN_BATCH + lane] = link[i].a;
        h->end[(2 * (size_t)b + 1) * SN_BATCH + lane] = link[i].b;
        h->most[(size_t)b * SN_BATCH + lane] = link[i].most;
        h->mask[b] |= (uint16_t)(1u << lane);
    }
    for (uint32_t r = *first; r < h->run_table.count; ++r) { /* empty lanes name aggregates of the run */
        const uint32_t b = h->run[r].batch + h->run[r].batches - 1;
        for (uint32_t lane = 0; lane < SN_BATCH; ++lane)
            if (!(h->mask[b] >> lane & 1)) {
                h->end[2 * (size_t)b * SN_BATCH + lane] = h->end[2 * (size_t)b * SN_BATCH];
                h->end[(2 * (size_t)b + 1) * SN_BATCH + lane] = h->end[(2 * (size_t)b + 1) * SN_BATCH];
                h->most[(size_t)b * SN_BATCH + lane] = h->most[(size_t)b * SN_BATCH];
            }
    }
}

/* Notes the limit between two aggregates, if there is to be one and it is not noted yet. stamp: by aggregate, the last that it was
   noted for. */
static void add_link(hierarchy_work *w, uint32_t a, uint32_t b, uint32_t *links)
{
    if (b <= a || w->stamp[b] == a + 1 || (w->h->w[a] == 0 && w->h->w[b] == 0))
        return;
    w->stamp[b] = a + 1;
    const double most = sn_hierarchy_limit(&w->form[a], &w->form[b]);
    if (most > 0)
        w->link[(*links)++] = (hierarchy_link){a, b, (sn_real)most};
}

/* Limits of the first level: those inside of parts, and those between them. */
static void limit_parts(hierarchy_work *w, uint32_t *total)
{
    sn_hierarchy *h = w->h;
    hierarchy_link *own = w->own, *between = w->between;
    for (uint32_t p = 0; p < h->part_table.count && !w->failed; ++p) {
        sn_hierarchy_part *part = &h->part[p];
        uint32_t links = 0, owns = 0, end = part->node + part->nodes;
        for (uint32_t n = part->node; n < end; ++n)
            for (uint32_t k = h->first[n]; k < h->first[n + 1]; ++k)
                for (uint32_t e = w->start[h->member[k]]; e < w->start[h->member[k] + 1]; ++e)
                    add_link(w, n, w->node[w->edge[e].to], &links);
        for (uint32_t i = 0; i < links; ++i) {
            if (w->link[i].b < end)
                own[owns++] = w->link[i];
            else
                between[w->betweens++] = w->link[i];
            w->all[(*total)++] = w->link[i];
        }
        uint32_t run, runs;
        add_runs(w, own, owns, &run, &runs);
        h->part[p].run = run;
        h->part[p].runs = runs;
    }
}

/* ---- Levels ---------------------------------------------------------------------------------------------------------------------- */

/* The aggregates of one level of a mesh, and the limits between them. */
typedef struct level_graph {
    uint32_t *id; /* of the aggregates, */
    uint32_t count;
    const hierarchy_link *link;
    uint32_t links;
} level_graph;

/* Cuts a level into the aggregates of the next. Gives how many there are; `members`, by number in the level, says which. */
static uint32_t cut_level(hierarchy_work *w, const level_graph *level, uint32_t *free)
{
    const sn_hierarchy *h = w->h;
    hierarchy_graph *g = &w->graph;
    memset(g->start, 0, ((size_t)level->count + 2) * sizeof *g->start);
    for (uint32_t i = 0; i < level->count; ++i) {
        w->local[level->id[i]] = i;
        g->aggregate[i] = g->root[i] = NONE;
        g->fixed[i] = h->w[level->id[i]] == 0;
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
        g->edge[at[a]++] = (hierarchy_edge){b, 0};
        g->edge[at[b]++] = (hierarchy_edge){a, 0};
    }
    const uint32_t count = sn_hierarchy_cut(g, 0, level->count, 0);
    *free = 0;
    for (uint32_t i = 0; i < level->count; ++i)
        *free += g->root[i] == i && !g->fixed[i];
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
        weigh(w, n, h->w);
        for (uint32_t k = h->first[n]; k < h->first[n + 1]; ++k)
            h->parent[h->member[k]] = n;
        sn_hierarchy_join_forms(w, n);
    }
    return true;
}

/* The levels of a mesh above its first, which `level` is at the start. Links are written over. */
static void add_levels(hierarchy_work *w, uint32_t mesh, level_graph level, hierarchy_link *links)
{
    sn_hierarchy *h = w->h;
    h->mesh[mesh].level = h->level_table.count;
    for (;;) {
        uint32_t free, count = cut_level(w, &level, &free), node = h->node_table.count, found = 0;
        if (free < LEAST_NODES || count >= level.count || node + count > w->form_room || !make_level(w, &level, count))
            break;
        for (uint32_t i = 0; i < level.links; ++i) { /* in the order of those below; each once */
            uint32_t a = h->parent[level.link[i].a], b = h->parent[level.link[i].b];
            if (a != NONE && b != NONE && a != b)
                links[found++] = (hierarchy_link){a < b ? a : b, a < b ? b : a, 0};
        }
        uint32_t kept = 0;
        for (uint32_t n = node; n < node + count; ++n)
            w->local[n] = 0;
        for (uint32_t i = 0; i < found; ++i) /* counted by the lower end, and sorted by it */
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
        sn_hierarchy_level made = {.node = node, .nodes = count, .mesh = mesh};
        add_runs(w, links, kept, &made.run, &made.runs);
        if (!sn_hierarchy_grow(w, &h->level_table, 1))
            return;
        h->level[h->level_table.count - 1] = made;
        h->mesh[mesh].levels++;
        for (uint32_t n = 0; n < count; ++n)
            level.id[n] = node + n;
        level.count = count;
        level.link = links;
        level.links = kept;
    }
}

static void add_all_levels(hierarchy_work *w)
{
    sn_hierarchy *h = w->h;
    const uint32_t nodes = h->node_table.count;
    uint32_t total = 0;
    w->link = sn_hierarchy_scratch(w, w->rods, sizeof *w->link);
    w->own = sn_hierarchy_scratch(w, w->rods, sizeof *w->own);
    w->between = sn_hierarchy_scratch(w, w->rods, sizeof *w->between);
    w->all = sn_hierarchy_scratch(w, w->rods, sizeof *w->all);
    hierarchy_link *links = sn_hierarchy_scratch(w, w->rods, sizeof *links),
                   *mine = sn_hierarchy_scratch(w, w->rods, sizeof *mine);
    w->colour = sn_hierarchy_scratch(w, w->rods, sizeof *w->colour);
    w->colours = sn_hierarchy_scratch(w, w->form_room, sizeof *w->colours);
    w->stamp = sn_hierarchy_scratch(w, w->form_room, sizeof *w->stamp);
    w->local = sn_hierarchy_scratch(w, w->form_room, sizeof *w->local);
    uint32_t *id = sn_hierarchy_scratch(w, nodes, sizeof *id);
    w->graph = (hierarchy_graph){.start = sn_hierarchy_scratch(w, (size_t)nodes + 3, sizeof(uint32_t)),
                                 .edge = sn_hierarchy_scratch(w, 2 * (size_t)w->rods, sizeof(hierarchy_edge)),
                                 .fixed = sn_hierarchy_scratch(w, nodes, sizeof(bool)),
                                 .aggregate = sn_hierarchy_scratch(w, nodes, sizeof(uint32_t)),
                                 .root = sn_hierarchy_scratch(w, nodes, sizeof(uint32_t)),
                                 .size = sn_hierarchy_scratch(w, nodes, sizeof(uint32_t)),
                                 .to_root = sn_hierarchy_scratch(w, nodes, sizeof(sn_real))};
    if (w->failed)
        return;
    limit_parts(w, &total);
    for (uint32_t m = 0; m < h->mesh_table.count && !w->failed; ++m) {
        level_graph level = {.id = id, .link = mine};
        uint32_t betweens = 0, run, runs;
        for (uint32_t p = 0; p < h->part_table.count; ++p)
            for (uint32_t n = 0; h->part[p].mesh == m && n < h->part[p].nodes; ++n)
                id[level.count++] = h->part[p].node + n;
        for (uint32_t i = 0; i < total; ++i)
            if (w->mesh[h->member[h->first[w->all[i].a]]] == m)
                mine[level.links++] = w->all[i];
        for (uint32_t i = 0; i < w->betweens; ++i)
            if (w->mesh[h->member[h->first[w->between[i].a]]] == m)
                w->own[betweens++] = w->between[i];
        add_runs(w, w->own, betweens, &run, &runs);
        h->mesh[m].run = run;
        h->mesh[m].runs = runs;
        add_levels(w, m, level, links);
    }
}

/* ---- Making it ------------------------------------------------------------------------------------------------------------------ */

static void make(hierarchy_work *w)
{
    mesh_facts *facts;
    read_rods(w, &facts);
    if (!w->failed)
        choose_meshes(w, facts);
    if (w->failed || !w->h->mesh_table.count)
        return;
    if (!sn_hierarchy_note_shapes(w)) {
        w->failed = true;
        return;
    }
    find_edges(w);
    find_tiles(w);
    if (!w->failed)
        cut_tiles(w);
    if (!w->failed)
        list_particles(w);
    if (!w->failed)
        add_all_levels(w);
    if (!w->failed)
        sn_hierarchy_find_holds(w);
}

/* Inverse masses as they will be in the step; whether they are what they were. */
static bool are_masses_same(sn_hierarchy *h, const sn_solver_in *in)
{
    const uint32_t *target = in->stiffen.target;
    sn_real *w = h->w_table.column[0];
    bool same = h->w_table.count == in->plan->particles;
    h->w_table.count = in->plan->particles;
    for (uint32_t i = 0; i < in->plan->particles; ++i) {
        const sn_real now = target && target[i] ? 0 : in->frame.x[i].w;
        same = same && w[i] == now;
        w[i] = now;
    }
    return same;
}

bool sn_hierarchy_reserve(sn_hierarchy *h, const sn_allocator *allocator, const sn_solver_in *in)
{
    const sn_stiffen *s = &in->stiffen;
    const sn_store *store = in->store;
    if (!s->on || store->pool[SN_KIND_DISTANCE]->ids.live + store->pool[SN_KIND_DISTANCE_MAX]->ids.live < LEAST_MESH) {
        clear(h);
        return true;
    }
    if (!sn_table_reserve(&h->w_table, allocator, in->plan->particles))
        return false;
    const bool same = are_masses_same(h, in);
    if (h->made && same && h->serial == in->plan->serial && h->breaks == s->break_edits && h->shapes == s->rest_edits)
        return true;
    clear(h);
    hierarchy_work w = {
        .h = h, .in = in, .allocator = allocator, .slots = in->plan->particles, .w = h->w_table.column[0]};
    make(&w);
    for (uint32_t i = 0; i < w.blocks; ++i)
        sn_release(allocator, w.block[i], w.block_size[i]);
    if (w.failed) {
        clear(h);
        return false;
    }
    h->made = true;
    h->serial = in->plan->serial;
    h->breaks = s->break_edits;
    h->shapes = s->rest_edits;
    return true;
}

void sn_hierarchy_begin(sn_hierarchy *h, const sn_solver_in *in)
{
    const sn_real *w = h->w_table.column[0];
    for (uint32_t m = 0; m < h->mesh_table.count; ++m) {
        sn_hierarchy_mesh *mesh = &h->mesh[m];
        mesh->origin = in->frame.x[mesh->first];
        mesh->acts = true;
    }
    for (uint32_t p = 0; p < h->part_table.count; ++p) {
        const sn_hierarchy_part *part = &h->part[p];
        bool same = h->mesh[part->mesh].acts;
        for (uint32_t k = h->first[part->node]; same && k < h->first[part->node + part->nodes]; ++k)
            same = in->frame.x[h->member[k]].w == w[h->member[k]];
        h->mesh[part->mesh].acts = same;
    }
    for (uint32_t n = 0; n < h->node_table.count; ++n)
        h->x[n].w = h->w[n];
}
