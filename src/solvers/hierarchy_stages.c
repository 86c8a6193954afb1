/* How the levels of meshes are divided among threads.

   The limits of a level are solved in *phases*. In the first phase, each aggregate belongs to one share, with the
   others of the same tiles, and a share has the limits between its own aggregates. The remaining limits are between
   shares, along seams. Connected sets of these are the shares of the next phase, cut where they are too large. The
   limits cut there come in later phases. So in every phase shares have no common aggregate, and may run in parallel,
   with the same bits for any number of threads. A small level is one share.

   A *stage* is a set of parallel tasks: the shares of one phase, of all meshes. Small levels run one after the other in
   one task. */
#include "solvers/hierarchy_work.h"

#include <string.h>

#define NONE SN_PLAN_NONE

/* Sweeps over the limits of a level. The first level, with nine times as many limits, is swept once: the sweep over the
   rods follows. (Inside tiles that are not regular, twice: see hierarchy_solve.c.) */
#define SWEEPS       4
#define SWEEPS_FIRST 1

/* The shares of a divided level are visited in this number of rounds, with SWEEPS / ROUNDS sweeps over each. Threads
   synchronise after every phase. (With four rounds, the mean stretch of grids of 256 is 0.074 and 0.052 % instead of
   0.079 and 0.061, and that of meshes of triangles is the same.) */
#define ROUNDS 2

/* The fewest aggregates of a level that is divided, and of a share. In later phases a share has at most 1 / SHARES of
   the remaining aggregates, so that there are enough shares. */
#define LEAST_DEALT 512u
#define LEAST_SHARE 48u
#define SHARES      14u

/* The most remaining limits that make up a single share. */
#define FEW_LIMITS 64u

/* ---- Division into shares ---------------------------------------------------------------------------------------- */

static uint32_t tile_of(const hierarchy_work *w, uint32_t node)
{
    while (node >= w->firsts)
        node = w->h->member[w->h->first[node]];
    return w->tile[w->h->member[w->h->first[node]]];
}

/* Finds the shares of the first phase. Returns their number. */
static uint32_t group_by_tiles(hierarchy_work *w, uint32_t node, uint32_t nodes)
{
    uint32_t groups = 0, size = 0, last = 0;
    for (uint32_t n = node; n < node + nodes; ++n, ++size) {
        const uint32_t tile = nodes < LEAST_DEALT ? 0 : tile_of(w, n);
        if (size >= LEAST_SHARE && tile > last) {
            ++groups;
            size = 0;
        }
        last = tile > last ? tile : last;
        w->deal.group[n] = groups;
    }
    return groups + 1;
}

/* Numbers the aggregates of limits, in order of occurrence, and finds their neighbours by these numbers. Returns how
   many there are. */
static uint32_t find_graph(hierarchy_work *w, const hierarchy_link *link, uint32_t count)
{
    hierarchy_graph *g = &w->graph;
    hierarchy_deal *d = &w->deal;
    uint32_t named = 0;
    for (uint32_t i = 0; i < count; ++i)
        d->local[link[i].a] = d->local[link[i].b] = NONE;
    for (uint32_t i = 0; i < 2 * count; ++i) {
        const uint32_t n = i & 1 ? link[i / 2].b : link[i / 2].a;
        if (d->local[n] != NONE)
            continue;
        d->local[n] = named;
        d->named[named++] = n;
    }
    memset(g->start, 0, ((size_t)named + 2) * sizeof *g->start);
    uint32_t *at = g->start + 1;
    for (uint32_t i = 0; i < count; ++i) {
        at[d->local[link[i].a] + 1]++;
        at[d->local[link[i].b] + 1]++;
    }
    for (uint32_t i = 1; i <= named; ++i)
        at[i] += at[i - 1];
    for (uint32_t i = 0; i < count; ++i) {
        g->edge[at[d->local[link[i].a]]++].to = d->local[link[i].b];
        g->edge[at[d->local[link[i].b]]++].to = d->local[link[i].a];
    }
    return named;
}

/* Finds the shares of a later phase: connected by remaining limits, breadth first, up to a size. */
static uint32_t group_by_limits(hierarchy_work *w, const hierarchy_link *link, uint32_t count)
{
    const hierarchy_graph *g = &w->graph;
    hierarchy_deal *d = &w->deal;
    const uint32_t named = find_graph(w, link, count), part = named / SHARES,
                   most = part > LEAST_SHARE ? part : LEAST_SHARE;
    uint32_t groups = 0;
    for (uint32_t i = 0; i < named; ++i)
        d->group[d->named[i]] = NONE;
    for (uint32_t i = 0; i < named; ++i) {
        uint32_t reached = 0, head = 0;
        if (d->group[d->named[i]] != NONE)
            continue;
        d->group[d->named[i]] = groups;
        for (d->queue[reached++] = i; head < reached; ++head)
            for (uint32_t e = g->start[d->queue[head]]; e < g->start[d->queue[head] + 1] && reached < most; ++e) {
                uint32_t *group = &d->group[d->named[g->edge[e].to]];
                if (*group != NONE)
                    continue;
                *group = groups;
                d->queue[reached++] = g->edge[e].to;
            }
        ++groups;
    }
    return groups;
}

/* Puts everything into one share. */
static uint32_t group_as_one(hierarchy_work *w, const hierarchy_link *link, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        w->deal.group[link[i].a] = w->deal.group[link[i].b] = 0;
    return 1;
}

/* Sorts limits by share, those between shares last. Returns the number of limits in shares. deal.start, by share: its
   first limit, and the end. */
static uint32_t sort_by_group(hierarchy_work *w, hierarchy_link *link, uint32_t count, uint32_t groups)
{
    hierarchy_deal *d = &w->deal;
    memset(d->start, 0, ((size_t)groups + 2) * sizeof *d->start);
#define SHARE_OF(l) (d->group[(l).a] == d->group[(l).b] ? d->group[(l).a] : groups)
    for (uint32_t i = 0; i < count; ++i)
        d->start[SHARE_OF(link[i]) + 1]++;
    for (uint32_t i = 0; i <= groups; ++i)
        d->start[i + 1] += d->start[i];
    for (uint32_t i = 0; i < count; ++i)
        d->sorted[d->start[SHARE_OF(link[i])]++] = link[i];
#undef SHARE_OF
    memmove(d->start + 1, d->start, ((size_t)groups + 1) * sizeof *d->start);
    d->start[0] = 0;
    memcpy(link, d->sorted, count * sizeof *link);
    return d->start[groups];
}

/* Adds the shares of a phase with their limits. In later phases, only those with limits. An aggregate is fresh in its
   first share, and held in its last. */
static void add_shares(hierarchy_work *w, uint32_t mesh, const hierarchy_link *link, uint32_t groups, bool later)
{
    sn_hierarchy *h = w->h;
    hierarchy_deal *d = &w->deal;
    for (uint32_t i = 0; i < groups && !w->failed; ++i) {
        const uint32_t limits = d->start[i + 1] - d->start[i], number = h->share_table.count;
        if (later && !limits)
            continue;
        if (!sn_hierarchy_grow(w, &h->share_table, 1))
            return;
        uint32_t run, runs;
        sn_hierarchy_add_runs(w, link + d->start[i], limits, &run, &runs);
        h->share[number] = (sn_hierarchy_share){.mesh = mesh, .run = run, .runs = runs};
        for (uint32_t k = 0; k < 2 * limits; ++k) {
            const uint32_t n = k & 1 ? link[d->start[i] + k / 2].b : link[d->start[i] + k / 2].a;
            d->from[n] = d->from[n] == NONE ? number : d->from[n];
            d->to[n] = number;
        }
    }
}

/* Lists the fresh aggregates of the shares from `first` on. */
static void list_fresh(hierarchy_work *w, const uint32_t *id, uint32_t count, uint32_t first)
{
    sn_hierarchy *h = w->h;
    const hierarchy_deal *d = &w->deal;
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; ++i)
        if (d->from[id[i]] != NONE) {
            h->share[d->from[id[i]]].fresh_count++;
            ++total;
        }
    uint32_t at = h->listed_table.count;
    if (!sn_hierarchy_grow(w, &h->listed_table, total))
        return;
    for (uint32_t s = first; s < h->share_table.count; ++s) {
        h->share[s].fresh = at;
        at += h->share[s].fresh_count;
        h->share[s].fresh_count = 0;
    }
    for (uint32_t i = 0; i < count; ++i)
        if (d->from[id[i]] != NONE) {
            sn_hierarchy_share *share = &h->share[d->from[id[i]]];
            h->listed[share->fresh + share->fresh_count++] = id[i];
        }
}

/* Divides the remaining limits, from phase `phase` on. */
static void deal_rest(hierarchy_work *w, uint32_t mesh, hierarchy_link *link, uint32_t count, uint32_t phase,
                      uint32_t *share)
{
    for (; phase < SN_HIERARCHY_PHASES; ++phase) {
        const bool last = phase + 1 == SN_HIERARCHY_PHASES || count <= FEW_LIMITS;
        share[phase] = w->h->share_table.count;
        if (!count || w->failed)
            continue;
        const uint32_t groups = last ? group_as_one(w, link, count) : group_by_limits(w, link, count);
        const uint32_t dealt = sort_by_group(w, link, count, groups);
        add_shares(w, mesh, link, groups, true);
        link += dealt;
        count -= dealt;
    }
    share[phase] = w->h->share_table.count;
}

static void forget_shares(hierarchy_work *w, const uint32_t *id, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        w->deal.from[id[i]] = w->deal.to[id[i]] = NONE;
}

bool sn_hierarchy_reserve_deal(hierarchy_work *w, uint32_t pairs)
{
    w->deal = (hierarchy_deal){
        .group = sn_hierarchy_scratch(w, w->form_room, sizeof(uint32_t)),
        .local = sn_hierarchy_scratch(w, w->form_room, sizeof(uint32_t)),
        .named = sn_hierarchy_scratch(w, w->form_room, sizeof(uint32_t)),
        .queue = sn_hierarchy_scratch(w, w->form_room, sizeof(uint32_t)),
        .start = sn_hierarchy_scratch(w, (size_t)w->form_room + 2, sizeof(uint32_t)),
        .from = sn_hierarchy_scratch(w, w->form_room, sizeof(uint32_t)),
        .to = sn_hierarchy_scratch(w, w->form_room, sizeof(uint32_t)),
        .far = sn_hierarchy_scratch(w, SN_TETHER_GROUPS * (size_t)w->form_room, sizeof(sn_hierarchy_far)),
        .sorted = sn_hierarchy_scratch(w, pairs, sizeof(hierarchy_link))};
    return !w->failed;
}

void sn_hierarchy_deal_between(hierarchy_work *w, uint32_t mesh, hierarchy_link *link, uint32_t count,
                               const uint32_t *id, uint32_t nodes)
{
    sn_hierarchy *h = w->h;
    const uint32_t first = h->share_table.count;
    forget_shares(w, id, nodes);
    deal_rest(w, mesh, link, count, 0, h->mesh[mesh].share);
    list_fresh(w, id, nodes, first);
    for (uint32_t p = 0; p < h->part_table.count && !w->failed; ++p) { /* aggregates without limits to other tiles */
        sn_hierarchy_part *part = &h->part[p];
        if (part->mesh != mesh)
            continue;
        part->fresh = h->listed_table.count;
        if (!sn_hierarchy_grow(w, &h->listed_table, part->nodes))
            return;
        for (uint32_t n = part->node; n < part->node + part->nodes; ++n)
            if (w->deal.from[n] == NONE)
                h->listed[part->fresh + part->fresh_count++] = n;
        h->listed_table.count = part->fresh + part->fresh_count;
    }
}

void sn_hierarchy_deal_level(hierarchy_work *w, uint32_t mesh, hierarchy_link *link, uint32_t count, const uint32_t *id,
                             sn_hierarchy_level *level)
{
    sn_hierarchy *h = w->h;
    const uint32_t first = h->share_table.count, groups = group_by_tiles(w, level->node, level->nodes);
    forget_shares(w, id, level->nodes);
    const uint32_t dealt = sort_by_group(w, link, count, groups);
    level->share[0] = first;
    add_shares(w, mesh, link, groups, false);
    for (uint32_t n = level->node; n < level->node + level->nodes && !w->failed; ++n) {
        sn_hierarchy_share *share = &h->share[first + w->deal.group[n]];
        share->node = share->nodes++ ? share->node : n;
        w->deal.from[n] = first + w->deal.group[n];
        w->deal.to[n] = w->deal.from[n];
    }
    deal_rest(w, mesh, link + dealt, count - dealt, 1, level->share);
    list_fresh(w, id, level->nodes, first);
}

void sn_hierarchy_deal_fars(hierarchy_work *w, const sn_hierarchy_level *level, uint32_t far)
{
    const sn_hierarchy *h = w->h;
    const uint32_t count = h->far_table.count - far;
    sn_hierarchy_far *sorted = w->deal.far;
    if (count)
        memcpy(sorted, h->far + far, count * sizeof *sorted);
    for (uint32_t i = 0; i < count; ++i)
        h->share[w->deal.to[sorted[i].node]].fars++;
    for (uint32_t s = level->share[0], at = far; s < level->share[SN_HIERARCHY_PHASES]; ++s) {
        h->share[s].far = at;
        at += h->share[s].fars;
        h->share[s].fars = 0;
    }
    for (uint32_t i = 0; i < count; ++i) {
        sn_hierarchy_share *share = &h->share[w->deal.to[sorted[i].node]];
        h->far[share->far + share->fars++] = sorted[i];
    }
}

/* ---- Stages ------------------------------------------------------------------------------------------------------ */

/* The tasks of one mesh, while they are added. */
typedef struct staging {
    hierarchy_work *w;
    uint32_t stage; /* of the next task */
    bool open;      /* the last task is one of small levels, and can be extended */
} staging;

static void add_turn(staging *s, sn_hierarchy_turn turn)
{
    sn_hierarchy *h = s->w->h;
    if (sn_hierarchy_grow(s->w, &h->turn_table, 1)) {
        h->turn[h->turn_table.count - 1] = turn;
        h->task[h->task_table.count - 1].turns++;
    }
}

static bool add_task(staging *s)
{
    sn_hierarchy *h = s->w->h;
    if (!sn_hierarchy_grow(s->w, &h->task_table, 1))
        return false;
    h->task[h->task_table.count - 1] = (sn_hierarchy_task){.turn = h->turn_table.count, .stage = s->stage};
    return true;
}

/* Adds the same turn for shares first .. end - 1, in parallel. A single share extends the last task, if that is
   open. */
static void add_turns(staging *s, uint32_t first, uint32_t end, sn_hierarchy_turn turn)
{
    const bool alone = end - first == 1;
    if (s->open && !alone) {
        s->stage++;
        s->open = false;
    }
    for (turn.share = first; turn.share < end; ++turn.share)
        if (s->open || add_task(s))
            add_turn(s, turn);
    if (alone)
        s->open = true;
    else
        s->stage += first < end;
}

static void stage_level(staging *s, const sn_hierarchy_level *level)
{
    const uint32_t *share = level->share, rounds = share[SN_HIERARCHY_PHASES] - share[0] == 1 ? 1 : ROUNDS;
    for (uint32_t i = 0; i < rounds; ++i)
        for (uint32_t p = 0; p < SN_HIERARCHY_PHASES; ++p)
            if (share[p] < share[p + 1])
                add_turns(s, share[p], share[p + 1],
                          (sn_hierarchy_turn){
                              .begins = i == 0, .sweeps = (uint8_t)(SWEEPS / rounds), .ends = i + 1 == rounds});
}

static void stage_mesh(staging *s, const sn_hierarchy_mesh *mesh)
{
    const sn_hierarchy *h = s->w->h;
    for (uint32_t l = mesh->level; l < mesh->level + mesh->levels; ++l)
        add_turns(s, h->level[l].share[0], h->level[l].share[1], (sn_hierarchy_turn){.gathers = true});
    for (uint32_t l = mesh->level + mesh->levels; l-- > mesh->level;)
        stage_level(s, &h->level[l]);
    for (uint32_t p = 0; p < SN_HIERARCHY_PHASES; ++p)
        if (mesh->share[p] < mesh->share[p + 1])
            add_turns(s, mesh->share[p], mesh->share[p + 1],
                      (sn_hierarchy_turn){.begins = true, .sweeps = SWEEPS_FIRST});
}

/* ns, about, of a batch of limits, and of a member of an aggregate. */
#define WORK_OF_BATCH  45.0
#define WORK_OF_MEMBER 4.0

static double work_of(const sn_hierarchy *h, const sn_hierarchy_task *task)
{
    double work = 0;
    for (uint32_t i = task->turn; i < task->turn + task->turns; ++i) {
        const sn_hierarchy_turn *turn = &h->turn[i];
        const sn_hierarchy_share *share = &h->share[turn->share];
        for (uint32_t r = share->run; r < share->run + share->runs; ++r)
            work += WORK_OF_BATCH * turn->sweeps * h->run[r].batches;
        if (turn->gathers)
            work += WORK_OF_MEMBER * (h->first[share->node + share->nodes] - h->first[share->node]);
    }
    return work;
}

void sn_hierarchy_add_stages(hierarchy_work *w)
{
    sn_hierarchy *h = w->h;
    uint32_t stages = 0;
    for (uint32_t m = 0; m < h->mesh_table.count && !w->failed; ++m) {
        staging s = {.w = w};
        stage_mesh(&s, &h->mesh[m]);
        s.stage += s.open;
        stages = s.stage > stages ? s.stage : stages;
    }
    sn_hierarchy_task *task = sn_hierarchy_scratch(w, h->task_table.count, sizeof *task);
    if (!sn_hierarchy_grow(w, &h->stage_table, stages) || !stages)
        return;
    memset(h->stage, 0, stages * sizeof *h->stage);
    memcpy(task, h->task, h->task_table.count * sizeof *task);
    for (uint32_t i = 0; i < h->task_table.count; ++i) {
        h->stage[task[i].stage].tasks++;
        h->stage[task[i].stage].work += work_of(h, &task[i]);
    }
    uint32_t most = 0;
    for (uint32_t i = 0, at = 0; i < stages; ++i) {
        most = h->stage[i].tasks > most ? h->stage[i].tasks : most;
        h->stage[i].task = at;
        at += h->stage[i].tasks;
        h->stage[i].tasks = 0;
    }
    for (uint32_t i = 0; i < h->task_table.count; ++i) {
        sn_hierarchy_stage *stage = &h->stage[task[i].stage];
        h->task[stage->task + stage->tasks++] = task[i];
    }
    w->failed = !sn_parallel_reserve_tasks(w->in->parallel, w->allocator, most);
}
