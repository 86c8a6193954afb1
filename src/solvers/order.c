/* There and back: the order in which a pass visits constraints.

   A pass in one direction carries errors along with it. In a body with loops, such as a cloth, a short wave that runs
   with the pass is amplified in every substep (1.5 times in a flat cloth that is swept vertex by vertex) until it
   reaches the other end. A small cloth only shakes, a large one explodes, although every eigenvalue of its pass
   indicates that it is stable. docs/stability.md has the mechanism and the measurements.

   So a pass must have no direction. Constraints are sorted by their particles' numbers. Half of them, chosen by a hash,
   are visited in ascending order, then the other half in descending order. The neighbours of a constraint then come
   before and after it with equal chance on all sides, and what the pass carries in one direction it also carries in the
   other. It still reaches from one end to the other. An order without any direction, shuffled or coloured, does not,
   and stretches more. Tried and rejected: every other constraint on the way back (regular, and unstable in a sheared
   cloth).

   - A body without loops, such as a rope, is not amplified in any order. All of it is visited in ascending order, which
     stretches less.
   - Constraints of one particle (pins, planes) come last, in the order of addition: they couple no particles, and are
     fulfilled best at the end.
   - The order depends on the constraints' particles. The order of addition only matters between constraints of the same
     particles. A change somewhere changes nothing elsewhere. */
#include "solvers/order.h"

#include "base/hash.h"
#include "base/sets.h"

/* A particle's number has 31 bits, so two numbers and the part of the pass make one sort key. */
#define NUMBER_BITS 31
#define NUMBER_MASK UINT64_C(0x7fffffff)

/* The parts of a pass. */
enum { PASS_THERE, PASS_BACK, AT_THE_END };

/* The particles of one constraint. */
typedef struct span {
    const uint32_t *particle;
    uint32_t count;
    uint32_t small[SN_MAX_BLOCK];
} span;

static void get_span(const sn_store *store, const sn_sort_item *item, span *s)
{
    s->particle = sn_store_particles(store, store->pool[item->a], item->b, s->small, &s->count);
}

/* Lists all constraints that are projected, in the order of addition. */
static uint32_t list_constraints(const sn_store *store, sn_sort_item *items)
{
    uint32_t count = 0;
    for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i)
        if (!store->pool[store->run[r].kind]->kind->force)
            items[count++] = (sn_sort_item){0, store->run[r].kind, store->run[r].first + i};
    return count;
}

uint64_t sn_order_fingerprint(const sn_store *store)
{
    uint64_t hash = SN_HASH_SEED;
    span s;
    for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i) {
        sn_sort_item item = {0, store->run[r].kind, store->run[r].first + i};
        hash = hash_u64(hash, (uint64_t)item.a << 32 | item.b);
        get_span(store, &item, &s);
        for (uint32_t j = 0; j < s.count; ++j)
            hash = hash_u64(hash, s.particle[j]);
        uint32_t body[SN_MAX_POINTS], bodies = sn_evaluate_bodies(store, store->pool[item.a], item.b, body);
        for (uint32_t j = 0; j < bodies; ++j) /* a point of a body also involves its orientation */
            hash = hash_u64(hash, (uint64_t)1 << 32 | body[j]);
    }
    return hash;
}

/* One more than the highest number of a particle. */
static uint32_t number_limit(const sn_store *store, const sn_sort_item *items, uint32_t count)
{
    uint32_t limit = 0;
    span s;
    for (uint32_t i = 0; i < count; ++i) {
        get_span(store, &items[i], &s);
        for (uint32_t j = 0; j < s.count; ++j)
            if (s.particle[j] >= limit)
                limit = s.particle[j] + 1;
    }
    return limit;
}

/* ---- Bodies: particles joined by constraints; those with loops are marked ---------------------------------------- */

static void find_bodies(const sn_store *store, const sn_sort_item *items, uint32_t count, uint32_t *parent,
                        uint32_t limit)
{
    span s;
    for (uint32_t i = 0; i < limit; ++i)
        parent[i] = i;
    for (uint32_t i = 0; i < count; ++i) {
        get_span(store, &items[i], &s);
        for (uint32_t j = 1; j < s.count; ++j)
            sets_join_marked(parent, s.particle[0], s.particle[j]);
    }
}

/* ---- The order --------------------------------------------------------------------------------------------------- */

/* Spreads a number over 64 bits (the end of splitmix64, Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A random bit for a set of particles, independent of their order. */
static bool toss(const span *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->count; ++i)
        sum += mix(s->particle[i]);
    return mix(sum) >> 63;
}

static uint64_t key_of(const span *s, uint32_t *parent)
{
    uint64_t low = s->particle[0], high = s->particle[0], pass = PASS_THERE;
    for (uint32_t i = 1; i < s->count; ++i) {
        low = s->particle[i] < low ? s->particle[i] : low;
        high = s->particle[i] > high ? s->particle[i] : high;
    }
    if (low == high)
        return (uint64_t)AT_THE_END << 2 * NUMBER_BITS;
    if (sets_is_marked(parent, (uint32_t)low) && toss(s)) {
        pass = PASS_BACK;
        low = ~low & NUMBER_MASK;
        high = ~high & NUMBER_MASK;
    }
    return pass << 2 * NUMBER_BITS | low << NUMBER_BITS | high;
}

/* Sets the keys of all items. False when memory runs out. */
static bool set_keys(const sn_store *store, const sn_allocator *allocator, sn_sort_item *items, uint32_t count)
{
    uint32_t limit = number_limit(store, items, count);
    uint32_t *parent = sn_allocate(allocator, limit * sizeof *parent);
    span s;
    if (!parent)
        return false;
    find_bodies(store, items, count, parent, limit);
    for (uint32_t i = 0; i < count; ++i) {
        get_span(store, &items[i], &s);
        items[i].key = key_of(&s, parent);
    }
    sn_release(allocator, parent, limit * sizeof *parent);
    return true;
}

/* Sorts the constraints in `work`, which has two columns of sn_sort_item, and writes the list. */
static bool build(sn_solver_scratch *scratch, sn_table *work, const sn_allocator *allocator, const sn_store *store)
{
    if (!sn_table_reserve(work, allocator, store->counts.live) ||
        !sn_table_reserve(&scratch->visit_table, allocator, store->counts.live))
        return false;
    sn_sort_item *items = work->column[0];
    sn_visit *visit = scratch->visit_table.column[0];
    uint32_t count = list_constraints(store, items);
    if (!set_keys(store, allocator, items, count))
        return false;
    sn_sort(items, work->column[1], count);
    for (uint32_t i = 0; i < count; ++i)
        visit[i] = (sn_visit){items[i].a, items[i].b};
    scratch->visit_table.count = count;
    return true;
}

bool sn_order_build(sn_solver_scratch *scratch, const sn_allocator *allocator, const sn_store *store)
{
    if (scratch->edits == store->edits) /* both are 0 while there is nothing to order */
        return true;
    uint64_t print = sn_order_fingerprint(store);
    if (print != scratch->fingerprint) { /* the same after loading a snapshot with these constraints */
        sn_table work = {0};
        sn_table_column(&work, sizeof(sn_sort_item), false);
        sn_table_column(&work, sizeof(sn_sort_item), false);
        scratch->fingerprint = 0;
        bool built = build(scratch, &work, allocator, store);
        sn_table_release(&work, allocator);
        if (!built)
            return false;
    }
    scratch->fingerprint = print;
    scratch->edits = store->edits;
    return true;
}
