/* Finds trees that are chains, and prepares the arguments of the kernel that solves them (wide/chain.h). */
#include "solvers/chain.h"

#define LEAST_PIVOT 4 /* of a row, relative to its compliance; the same as in elimination.c */

/* ---- Finding chains ---------------------------------------------------------------------------------------------- */

void sn_chain_init(sn_forest *forest)
{
    static const size_t width[] = {4, 4, 4, 4, sizeof(sn_real), 4, sizeof(double), 4, sizeof(sn_real), 4};
    for (uint32_t i = 0; i < SN_CHAIN_COLUMNS; ++i)
        sn_table_column(&forest->chain_table, width[i], false);
    sn_table_column(&forest->chain_scratch_table, SN_CHAIN_REALS * sizeof(sn_real), false);
    sn_table_column(&forest->chain_scratch_table, SN_CHAIN_DOUBLES * sizeof(double), false);
}

/* The number of links of a stretch; and the entries of a chain in the tables: in each stretch one row more than
   links. */
static uint32_t rows_of(uint32_t links)
{
    return (links + SN_CHAIN_STRETCHES - 1) / SN_CHAIN_STRETCHES;
}

static uint32_t size_of(uint32_t links)
{
    return SN_CHAIN_STRETCHES * (rows_of(links) + 1);
}

bool sn_chain_reserve(sn_forest *forest, const sn_allocator *allocator, uint64_t constraints)
{
    const uint64_t chains = constraints / SN_CHAIN_LEAST, more = 2 * SN_CHAIN_STRETCHES - 1;
    return sn_table_reserve(&forest->chain_table, allocator, chains ? constraints + more * chains : 0) &&
           sn_table_reserve(&forest->chain_scratch_table, allocator, chains ? constraints + more * chains : 0);
}

/* A rod between two particles. */
static bool is_rod(const sn_store *store, const sn_item *it)
{
    if (!it->is_link || it->kind != SN_KIND_DISTANCE)
        return false;
    const uint32_t *point = store->pool[SN_KIND_DISTANCE]->point + 2 * (size_t)it->row;
    return !((point[0] | point[1]) & SN_ANCHOR_BIT);
}

/* The particle of a rod that is not its parent. */
static uint32_t far_end(const sn_forest *forest, const sn_item *it)
{
    const uint32_t *particle = (const uint32_t *)forest->mention_table.column[SN_MENTION_PARTICLE] + it->mention;
    const uint32_t *node = (const uint32_t *)forest->mention_table.column[SN_MENTION_NODE] + it->mention;
    const uint32_t *number = forest->node_table.column[SN_NODE_NUMBER];
    return particle[0] == number[node[it->parent]] ? particle[1] : particle[0];
}

/* The walk began at some particle. Its one arm, or both if it is not at an end, follow each other, each from there
   outwards. The chain is the first arm backwards and then the second. */
void sn_chain_find(sn_forest *forest, const sn_store *store, sn_tree *t)
{
    const sn_item *items = forest->item_table.column[0];
    const uint32_t *node_number = forest->node_table.column[SN_NODE_NUMBER];
    const uint32_t n = t->item_end - t->item;
    uint32_t arms = 0, second = t->item_end;
    t->links = 0;
    if (n < SN_CHAIN_LEAST)
        return;
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        if (!is_rod(store, &items[i]) || (!items[i].hanging && ++arms > 2)) /* a fork begins two more arms */
            return;
        if (arms == 2 && !items[i].hanging)
            second = i;
    }
    void **column = forest->chain_table.column;
    uint32_t *number = column[SN_CHAIN_NUMBER], *item = column[SN_CHAIN_ITEM], *row = column[SN_CHAIN_ROW];
    uint32_t at = forest->chain_table.count;
    t->chain = at;
    t->links = n;
    for (uint32_t i = second; i-- > t->item; ++at) {
        number[at] = far_end(forest, &items[i]);
        item[at] = i;
        row[at] = items[i].row;
    }
    number[at] = node_number[t->node];
    for (uint32_t i = second; i < t->item_end; ++i, ++at) {
        item[at] = i;
        row[at] = items[i].row;
        number[at + 1] = far_end(forest, &items[i]);
    }
    forest->chain_table.count = t->chain + size_of(n);
    forest->largest_chain = size_of(n) > forest->largest_chain ? size_of(n) : forest->largest_chain;
}

void sn_chain_look(const sn_forest *forest, const sn_store *store, const sn_frame *frame, sn_tree *t)
{
    t->plain = t->looked = false;
    if (!t->links) /* there may be no table then */
        return;
    const uint32_t *row = (const uint32_t *)forest->chain_table.column[SN_CHAIN_ROW] + t->chain;
    const sn_pool *pool = store->pool[SN_KIND_DISTANCE];
    bool plain = !frame->planar;
    for (uint32_t i = 0; plain && i < t->links; ++i) {
        const sn_give *give = &pool->give[row[i]];
        plain = give->compliance == 0 && give->stiffness == 1 && !store_compromise(store, pool, row[i]);
    }
    t->plain = plain;
}

/* The places of particles and rods of a chain, for a kernel: those of stretch s and row r, in a chain of its own or
   in a team. */
typedef struct places {
    uint32_t *slot, *link;
    sn_real *rest;
    uint32_t stretch, row; /* the distance from one to the next */
} places;

static places own_places(const sn_forest *forest, const sn_tree *t)
{
    void *const *column = forest->chain_table.column;
    return (places){(uint32_t *)column[SN_CHAIN_SLOT] + t->chain, (uint32_t *)column[SN_CHAIN_LINK] + t->chain,
                    (sn_real *)column[SN_CHAIN_REST] + t->chain, 1, SN_CHAIN_STRETCHES};
}

static places team_places(const sn_forest *forest, const sn_tree *first, uint32_t member)
{
    void *const *column = forest->chain_table.column;
    const size_t at = first->chain + member;
    return (places){(uint32_t *)column[SN_CHAIN_TEAM_SLOT] + at, (uint32_t *)column[SN_CHAIN_TEAM_LINK] + at,
                    (sn_real *)column[SN_CHAIN_TEAM_REST] + at, (rows_of(first->links) + 1) * SN_CHAIN_TEAM,
                    SN_CHAIN_TEAM};
}

static void fill_places(const sn_forest *forest, const sn_store *store, const sn_frame *frame, const sn_tree *t,
                        places to)
{
    const uint32_t *number = (const uint32_t *)forest->chain_table.column[SN_CHAIN_NUMBER] + t->chain;
    const uint32_t *row = (const uint32_t *)forest->chain_table.column[SN_CHAIN_ROW] + t->chain;
    const sn_pool *pool = store->pool[SN_KIND_DISTANCE];
    const uint32_t n = t->links, rows = rows_of(n);
    for (uint32_t s = 0; s < SN_CHAIN_STRETCHES; ++s)
        for (uint32_t r = 0; r <= rows; ++r) {
            const uint32_t p = s * rows + r, link = p < n ? p : n - 1, at = s * to.stretch + r * to.row;
            to.slot[at] = frame->slot[number[p <= n ? p : n - (p - n) % 2]];
            to.link[at] = row[link];
            to.rest[at] = pool->param[(size_t)row[link] * pool->param_count];
        }
}

/* ---- Teams ------------------------------------------------------------------------------------------------------- */

static bool is_team(const sn_tree *t, uint32_t left)
{
    if (left < SN_CHAIN_TEAM || !t->plain || t->links > SN_CHAIN_TEAM_LINKS)
        return false;
    for (uint32_t i = 1; i < SN_CHAIN_TEAM; ++i)
        if (!t[i].plain || t[i].links != t->links || t[i].soft != t->soft ||
            t[i].chain != t->chain + i * size_of(t->links))
            return false;
    return true;
}

/* True if the particles of each row of a team are adjacent, as SN_TEAM_PLACE requires. */
static bool lies_together(const sn_forest *forest, const sn_tree *first)
{
    const uint32_t *slot = (const uint32_t *)forest->chain_table.column[SN_CHAIN_TEAM_SLOT] + first->chain;
    const uint32_t *end = slot + (size_t)SN_CHAIN_TEAM * size_of(first->links);
    uint32_t apart = 0;
    for (; slot < end && !apart; slot += SN_CHAIN_TEAM)
        for (uint32_t i = 0; i < SN_CHAIN_TEAM; ++i)
            apart |= slot[i] - slot[0] - SN_TEAM_PLACE(i);
    return !apart;
}

void sn_chain_team_up(const sn_forest *forest, const sn_store *store, const sn_frame *frame)
{
    sn_tree *tree = forest->tree_table.column[0];
    const uint32_t count = forest->tree_table.count;
    for (uint32_t i = 0, of; i < count; i += of) {
        const bool team = is_team(&tree[i], count - i);
        of = team ? SN_CHAIN_TEAM : 1;
        tree[i].in_team = 0;
        for (uint32_t j = 0; team && j < of; ++j) {
            tree[i + j].in_team = (uint8_t)(j + 1);
            fill_places(forest, store, frame, &tree[i + j], team_places(forest, &tree[i], j));
        }
        tree[i].together = team && lies_together(forest, &tree[i]);
    }
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

/* The index of a worker's scratch. Each worker has its own, for a team, and reuses it. If there is no room for all
   workers, each chain has its own scratch. */
static size_t scratch_of(const sn_forest *forest, const sn_forest_job *job, const sn_tree *t)
{
    const uint64_t own = (uint64_t)SN_CHAIN_TEAM * forest->largest_chain, all = job->workers * own;
    return all <= forest->chain_table.count ? (size_t)(job->worker * own) : t->chain;
}

/* Sets the columns that a solve reads. */
static sn_wide_chain run_of(const sn_forest *forest, const sn_forest_job *job, const sn_store *store, const sn_tree *t,
                            bool team)
{
    void *const *column = forest->chain_table.column;
    const size_t scratch = scratch_of(forest, job, t);
    return (sn_wide_chain){.links = t->links,
                           .rows = rows_of(t->links),
                           .slot = (const uint32_t *)column[team ? SN_CHAIN_TEAM_SLOT : SN_CHAIN_SLOT] + t->chain,
                           .rest = (const sn_real *)column[team ? SN_CHAIN_TEAM_REST : SN_CHAIN_REST] + t->chain,
                           .row = (const uint32_t *)column[team ? SN_CHAIN_TEAM_LINK : SN_CHAIN_LINK] + t->chain,
                           .fresh = job->fresh,
                           .drops = job->drops,
                           .together = team && t->together,
                           .lambda = store->pool[SN_KIND_DISTANCE]->lambda,
                           .x = job->frame->x,
                           .d = job->frame->d,
                           .kappa = (double *)column[SN_CHAIN_KAPPA] + t->chain,
                           .turning = t->turning,
                           .real = (sn_real *)forest->chain_scratch_table.column[0] + scratch * SN_CHAIN_REALS,
                           .number = (double *)forest->chain_scratch_table.column[1] + scratch * SN_CHAIN_DOUBLES,
                           .soft = t->soft,
                           .least_pivot = LEAST_PIVOT * t->soft,
                           .turning_from = SN_TREE_TURNING,
                           .stale = SN_TREE_STALE,
                           .calm = SN_TREE_CALM,
                           .precise = SN_TREE_PRECISE,
                           .rounding = SN_TREE_ROUNDING,
                           .rounds = SN_TREE_TURNS};
}

bool sn_chain_solve(const sn_forest *forest, const sn_forest_job *job, const sn_store *store, sn_tree *t)
{
    if (!t->looked)
        fill_places(forest, store, job->frame, t, own_places(forest, t));
    t->looked = true;
    sn_wide_chain run = run_of(forest, job, store, t, false);
    if (!(job->wide ? job->wide->chain : sn_wide_choose_chain())(&run))
        return false;
    t->turning = run.turning;
    return true;
}

void sn_chain_solve_team(const sn_forest *forest, const sn_forest_job *job, const sn_store *store, sn_tree *first)
{
    const sn_wide_chain run = run_of(forest, job, store, first, true);
    const uint32_t solved = job->wide->team(&run);
    for (uint32_t i = 0; i < SN_CHAIN_TEAM; ++i)
        first[i].as_chain = solved >> i & 1;
}

/* ---- As any tree ------------------------------------------------------------------------------------------------- */

/* kappa of link i: where a chain stores it, and where a tree does. */
static double *kappa_in_lanes(const sn_forest *forest, const sn_tree *t, uint32_t i)
{
    const uint32_t rows = rows_of(t->links), at = i % rows * SN_CHAIN_STRETCHES + i / rows;
    return (double *)forest->chain_table.column[SN_CHAIN_KAPPA] + t->chain + at;
}

static double *kappa_in_tree(const sn_forest *forest, const sn_tree *t, uint32_t i)
{
    const sn_item *items = forest->item_table.column[0];
    const uint32_t *item = (const uint32_t *)forest->chain_table.column[SN_CHAIN_ITEM] + t->chain;
    return record_at((double *)forest->record_table.column[0] + items[item[i]].record, 1).kappa;
}

void sn_chain_lend(const sn_forest *forest, const sn_tree *t)
{
    for (uint32_t i = 0; t->turning && i < t->links; ++i)
        *kappa_in_tree(forest, t, i) = *kappa_in_lanes(forest, t, i);
}

/* Copies kappa from a tree to a chain. Beyond the end it stays 0. */
void sn_chain_take_back(const sn_forest *forest, const sn_tree *t)
{
    const uint32_t whole = SN_CHAIN_STRETCHES * rows_of(t->links);
    for (uint32_t i = 0; t->turning && i < whole; ++i)
        *kappa_in_lanes(forest, t, i) = i < t->links ? *kappa_in_tree(forest, t, i) : 0;
}
