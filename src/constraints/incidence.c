#include "constraints/incidence.h"

#include <string.h>

/* Constraints added after the index was built are searched one by one. If there are more than this many (and an eighth
   of all) it is rebuilt. */
#define UNCOVERED_MOST 1024u

void sn_incidence_init(sn_incidence *incidence)
{
    *incidence = (sn_incidence){0};
    sn_table_column(&incidence->start_table, sizeof(uint32_t), false);
    sn_table_column(&incidence->entry_table, sizeof(sn_incidence_entry), false);
    sn_table_column(&incidence->head_table, sizeof(uint32_t), false);
    sn_table_column(&incidence->node_table, sizeof(sn_incidence_node), false);
}

void sn_incidence_release(sn_incidence *incidence, const sn_allocator *allocator)
{
    sn_table_release(&incidence->start_table, allocator);
    sn_table_release(&incidence->entry_table, allocator);
    sn_table_release(&incidence->head_table, allocator);
    sn_table_release(&incidence->node_table, allocator);
    incidence->built = false;
}

/* Visits all live constraints. With `entry` NULL it counts into start; otherwise it fills the entries and advances
   start. */
static void walk(const sn_store *store, uint32_t *start, sn_incidence_entry *entry)
{
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        const sn_pool *pool = store->pool[kind];
        for (uint32_t row = 0; row < pool->ids.table.count; ++row) {
            if (!sn_ids_is_live(&pool->ids, row))
                continue;
            uint32_t small[4 * SN_MAX_POINTS], count;
            const uint32_t *particle = sn_store_particles(store, pool, row, small, &count);
            for (uint32_t i = 0; i < count; ++i) {
                if (entry)
                    entry[start[particle[i]]] = (sn_incidence_entry){kind, row};
                start[particle[i]]++;
            }
        }
    }
}

static bool build(sn_incidence *incidence, const sn_allocator *allocator, const sn_store *store,
                  uint32_t particle_count)
{
    incidence->built = false; /* if memory runs out, it stays unbuilt */
    incidence->start_table.count = incidence->sequence = 0;
    incidence->head_table.count = incidence->node_table.count = 0;
    if (!sn_table_reserve(&incidence->start_table, allocator, (uint64_t)particle_count + 1))
        return false;
    uint32_t *start = incidence->start_table.column[0];
    memset(start, 0, ((size_t)particle_count + 1) * sizeof *start);
    walk(store, start, NULL);
    uint64_t total = 0;
    for (uint32_t i = 0; i <= particle_count; ++i) {
        uint32_t count = start[i];
        start[i] = (uint32_t)total;
        total += count;
    }
    if (total >= UINT32_MAX || !sn_table_reserve(&incidence->entry_table, allocator, total))
        return false;
    walk(store, start, incidence->entry_table.column[0]);
    memmove(start + 1, start, (size_t)particle_count * sizeof *start); /* filling moved each start to its end */
    start[0] = 0;
    incidence->start_table.count = particle_count;
    incidence->sequence = store->counts.next_sequence;
    incidence->compactions = store->counts.compactions;
    incidence->built = true;
    return true;
}

bool sn_incidence_prepare(sn_incidence *incidence, const sn_allocator *allocator, const sn_store *store,
                          uint32_t particle_count)
{
    if (store->counts.live == 0)
        return true;
    bool current = incidence->built && incidence->compactions == store->counts.compactions;
    uint32_t uncovered = store->counts.next_sequence - incidence->sequence;
    if (current && uncovered <= UNCOVERED_MOST + store->counts.live / 8)
        return true;
    return build(incidence, allocator, store, particle_count);
}

bool sn_incidence_prepare_all(sn_incidence *incidence, const sn_allocator *allocator, const sn_store *store,
                              uint32_t particle_count)
{
    if (store->counts.live == 0)
        return true;
    const uint32_t numbers = incidence->start_table.count > incidence->head_table.count ? incidence->start_table.count
                                                                                        : incidence->head_table.count;
    if (incidence->built && incidence->compactions == store->counts.compactions &&
        incidence->sequence == store->counts.next_sequence && numbers >= particle_count)
        return true;
    return build(incidence, allocator, store, particle_count);
}

bool sn_incidence_prepare_exact(sn_incidence *incidence, const sn_allocator *allocator, const sn_store *store,
                                uint32_t particle_count)
{
    incidence->built = incidence->built && incidence->node_table.count == 0;
    return sn_incidence_prepare_all(incidence, allocator, store, particle_count);
}

/* ---- Tears ------------------------------------------------------------------------------------------------------- */

/* With more nodes than this and an eighth of the entries, it is rebuilt. */
#define NODES_MOST 65536u

bool sn_incidence_reserve(sn_incidence *incidence, const sn_allocator *allocator, uint64_t numbers, uint64_t nodes)
{
    /* Also if it is not built: contact may build it between this call and the tears of the step. */
    return sn_table_reserve(&incidence->head_table, allocator, numbers) &&
           sn_table_reserve(&incidence->node_table, allocator, incidence->node_table.count + nodes);
}

void sn_incidence_begin(sn_incidence *incidence, const sn_store *store)
{
    incidence->follows = incidence->built && incidence->compactions == store->counts.compactions &&
                         incidence->sequence == store->counts.next_sequence;
}

void sn_incidence_add(sn_incidence *incidence, uint32_t kind, uint32_t row, uint32_t particle)
{
    if (!incidence->follows)
        return;
    if (particle >= incidence->head_table.capacity || incidence->node_table.count == incidence->node_table.capacity) {
        incidence->follows = false;
        return;
    }
    uint32_t *head = incidence->head_table.column[0];
    for (; incidence->head_table.count <= particle; incidence->head_table.count++)
        head[incidence->head_table.count] = 0;
    sn_incidence_node *node = incidence->node_table.column[0];
    node[incidence->node_table.count] = (sn_incidence_node){{kind, row}, head[particle]};
    head[particle] = ++incidence->node_table.count;
}

void sn_incidence_end(sn_incidence *incidence, const sn_store *store)
{
    const uint32_t start = incidence->start_table.count;
    const uint64_t entries = start ? ((const uint32_t *)incidence->start_table.column[0])[start] : 0;
    incidence->built = incidence->follows && incidence->node_table.count <= NODES_MOST + entries / 8;
    incidence->follows = false;
    incidence->sequence = store->counts.next_sequence;
}

/* Iterates over the constraints at a particle. Some may no longer hold it. */
typedef struct cursor {
    uint32_t at, end; /* in entries, */
    uint32_t node;    /* then in nodes */
} cursor;

static cursor entries_at(const sn_incidence *incidence, uint32_t particle)
{
    const uint32_t *start = incidence->start_table.column[0], *head = incidence->head_table.column[0];
    const bool in_table = particle < incidence->start_table.count;
    return (cursor){in_table ? start[particle] : 0, in_table ? start[particle + 1] : 0,
                    particle < incidence->head_table.count ? head[particle] : 0};
}

static bool next_entry(const sn_incidence *incidence, cursor *c, sn_incidence_entry *entry)
{
    const sn_incidence_node *node = incidence->node_table.column[0];
    if (c->at < c->end) {
        *entry = ((const sn_incidence_entry *)incidence->entry_table.column[0])[c->at++];
        return true;
    }
    if (!c->node)
        return false;
    *entry = node[c->node - 1].entry;
    c->node = node[c->node - 1].next;
    return true;
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

/* True if a constraint holds both particles, which may be the same. */
static bool holds(const sn_store *store, const sn_pool *pool, uint32_t row, uint32_t one, uint32_t other)
{
    uint32_t small[4 * SN_MAX_POINTS], count;
    const uint32_t *held = sn_store_particles(store, pool, row, small, &count);
    bool has_one = false, has_other = false;
    for (uint32_t i = 0; i < count; ++i) {
        has_one = has_one || held[i] == one;
        has_other = has_other || held[i] == other;
    }
    return has_one && has_other;
}

static void remove_if_holds(sn_store *store, uint32_t kind, uint32_t row, uint32_t particle)
{
    sn_pool *pool = store->pool[kind];
    if (sn_ids_is_live(&pool->ids, row) && holds(store, pool, row, particle, particle))
        sn_store_remove(store, kind, row);
}

/* Entries may be out of date, because constraints are added and removed. So each is checked before use. */
void sn_incidence_remove_all(const sn_incidence *incidence, sn_store *store, uint32_t particle)
{
    if (store->counts.live == 0)
        return;
    for (uint32_t r = store->run_table.count; r > 0; --r) { /* constraints not in the index are last in the order */
        sn_run run = store->run[r - 1];
        if (run.sequence + run.count <= incidence->sequence)
            break;
        uint32_t covered = run.sequence < incidence->sequence ? incidence->sequence - run.sequence : 0;
        for (uint32_t i = covered; i < run.count; ++i)
            remove_if_holds(store, run.kind, run.first + i, particle);
    }
    cursor c = entries_at(incidence, particle);
    for (sn_incidence_entry entry; next_entry(incidence, &c, &entry);)
        remove_if_holds(store, entry.kind, entry.row, particle);
}

bool sn_store_joins(const sn_store *store, uint32_t a, uint32_t b)
{
    for (uint32_t r = 0; r < store->run_table.count; ++r) {
        const sn_run run = store->run[r];
        const sn_pool *pool = store->pool[run.kind];
        for (uint32_t row = run.first; !pool_has_lists(pool) && row < run.first + run.count; ++row)
            if (sn_ids_is_live(&pool->ids, row) && holds(store, pool, row, a, b))
                return true;
    }
    return false;
}

/* colliding: constraints count that let what they join collide. */
static bool joins(const sn_incidence *incidence, const sn_store *store, uint32_t a, uint32_t b, bool colliding)
{
    if (store->counts.live == 0)
        return false;
    cursor c = entries_at(incidence, a), d = entries_at(incidence, b);
    const bool first = c.end - c.at <= d.end - d.at;
    const uint32_t one = first ? a : b, other = first ? b : a;
    c = first ? c : d;
    for (sn_incidence_entry entry; next_entry(incidence, &c, &entry);) {
        const sn_pool *pool = store->pool[entry.kind];
        if (!pool_has_lists(pool) && sn_ids_is_live(&pool->ids, entry.row) &&
            (colliding || !sn_pool_collides(pool, entry.row)) && holds(store, pool, entry.row, one, other))
            return true;
    }
    return false;
}

bool sn_incidence_joins(const sn_incidence *incidence, const sn_store *store, uint32_t a, uint32_t b)
{
    return joins(incidence, store, a, b, false);
}

bool sn_incidence_ties(const sn_incidence *incidence, const sn_store *store, uint32_t a, uint32_t b)
{
    return joins(incidence, store, a, b, true);
}

bool sn_incidence_holds(const sn_incidence *incidence, const sn_store *store, uint32_t particle)
{
    if (store->counts.live == 0)
        return false;
    cursor c = entries_at(incidence, particle);
    for (sn_incidence_entry entry; next_entry(incidence, &c, &entry);) {
        const sn_pool *pool = store->pool[entry.kind];
        if (sn_ids_is_live(&pool->ids, entry.row) && holds(store, pool, entry.row, particle, particle))
            return true;
    }
    return false;
}

/* ---- Leashes ----------------------------------------------------------------------------------------------------- */

/* The most rods in a row that are followed. A leash within a body is short. */
#define MOST_RODS 16u

typedef struct leash {
    const sn_incidence *incidence;
    const sn_store *store;
    uint32_t body, goal;
} leash;

static bool is_rod(uint32_t kind)
{
    return kind == SN_KIND_DISTANCE || kind == SN_KIND_DISTANCE_MAX;
}

/* Follows rods from a particle to the goal, up to the length `left`, m. from: the particle that it came from. */
static bool follow(const leash *l, uint32_t particle, uint32_t from, sn_real left, uint32_t rods)
{
    if (particle == l->goal)
        return true;
    if (rods == MOST_RODS)
        return false;
    cursor c = entries_at(l->incidence, particle);
    for (sn_incidence_entry entry; next_entry(l->incidence, &c, &entry);) {
        const sn_pool *pool = l->store->pool[entry.kind];
        const uint32_t row = entry.row;
        if (!is_rod(entry.kind) || !sn_ids_is_live(&pool->ids, row))
            continue;
        const uint32_t *point = pool->point + 2 * (size_t)row;
        if (point[0] != particle && point[1] != particle)
            continue;
        const uint32_t other = point[0] == particle ? point[1] : point[0];
        const sn_real length = pool->param[(size_t)row * pool->param_count];
        if (!((point[0] | point[1]) & SN_ANCHOR_BIT) && other != from && length < left &&
            follow(l, other, particle, left - length, rods + 1))
            return true;
    }
    return false;
}

/* The anchor of a constraint on the body, in its frame. */
static sn_vec3 held_at(const leash *l, const sn_pool *pool, uint32_t row)
{
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        const uint32_t code = pool->point[(size_t)row * pool->kind->points + i];
        const sn_anchor *anchor = code & SN_ANCHOR_BIT ? &l->store->anchor[code & ~SN_ANCHOR_BIT] : NULL;
        if (anchor && anchor->type == SN_POINT_BODY && anchor->particle[0] == l->body)
            return anchor->place;
    }
    return vec3(0, 0, 0);
}

bool sn_incidence_leashes(const sn_incidence *incidence, const sn_store *store, uint32_t a, uint32_t b, sn_vec3 centre,
                          sn_real radius)
{
    const leash l = {incidence, store, a, b};
    if (store->counts.live == 0)
        return false;
    cursor c = entries_at(incidence, a);
    for (sn_incidence_entry entry; next_entry(incidence, &c, &entry);) {
        const sn_pool *pool = store->pool[entry.kind];
        uint32_t small[4 * SN_MAX_POINTS], count;
        if (pool_has_lists(pool) || !sn_ids_is_live(&pool->ids, entry.row) || !holds(store, pool, entry.row, a, a))
            continue;
        const uint32_t *held = sn_store_particles(store, pool, entry.row, small, &count);
        sn_real left = radius - vec3_length(vec3_sub(held_at(&l, pool, entry.row), centre));
        if (is_rod(entry.kind))
            left -= pool->param[(size_t)entry.row * pool->param_count];
        for (uint32_t k = 0; left > 0 && k < count; ++k)
            if (held[k] != a && follow(&l, held[k], a, left, 0))
                return true;
    }
    return false;
}
