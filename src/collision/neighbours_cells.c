#include "collision/neighbours_work.h"

#include <string.h>

/* ---- Cell sizes -------------------------------------------------------------------------------------------------- */

/* Cells are slightly enlarged, so that rounding does not put two overlapping spheres into cells that are not
   neighbours. In units of cells, the rounding error of a coordinate is less than half of this below COORDINATE_LIMIT.
   Beyond that everything is in one cell. With floats the limit may be higher: from 2^25 cells on, two different
   coordinates differ by more than a cell. */
#define CELL_SLACK 0x1p-18
#if SINEW_DOUBLE
#define COORDINATE_LIMIT 0x1p31
#else
#define COORDINATE_LIMIT 0x1p50
#endif

/* Added to cell numbers, so that they are positive, and wrap around only far away from the origin. */
#define CELL_BIAS ((INT64_C(1) << 51) + (INT64_C(1) << 18))

/* Beyond these exponents, squares of reaches lose digits or overflow; such spheres are compared nevertheless. They are
   all in the lowest level, or in the highest, which is a single cell. */
#if SINEW_DOUBLE
#define LOWEST_LEVEL (1023u - 502u)
#define VAST_LEVEL   (1023u + 510u)
#else
#define LOWEST_LEVEL (1023u - 62u)
#define VAST_LEVEL   (1023u + 62u)
#endif

#define MANTISSA_BITS 52u

static uint64_t bits_of(double a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static double power_of_two(uint32_t level)
{
    uint64_t bits = (uint64_t)level << MANTISSA_BITS;
    double a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

static bool is_looked_at(const sn_vec4 *sphere)
{
    return sphere->w >= 0 && vec3_is_finite(vec4_xyz(*sphere));
}

/* The reach as the bits of a double: exponent and mantissa. -0 gives 0. */
static uint64_t reach_bits(const sn_vec4 *sphere)
{
    return sphere->w > 0 ? bits_of((double)sphere->w) : 0;
}

static void measure_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    near_job *job = data;
    near_measure m = {{0}, {0}};
    const uint32_t first = index * job->piece;
    const uint32_t end = job->in->count - first < job->piece ? job->in->count : first + job->piece;
    for (uint32_t i = first; i < end; ++i) {
        const sn_vec4 *sphere = &job->in->sphere[i];
        if (!(sphere->w >= 0))
            continue;
        uint64_t mantissa = reach_bits(sphere) & ((UINT64_C(1) << MANTISSA_BITS) - 1);
        uint32_t bin = (uint32_t)(mantissa >> (MANTISSA_BITS - 3));
        ++m.count[bin];
        if (mantissa > m.top[bin])
            m.top[bin] = mantissa;
    }
    job->measure[index] = m;
}

static double one_and(uint64_t mantissa)
{
    return 1 + (double)mantissa * 0x1p-52;
}

/* The relative cost of cells of width m 2^k: spheres that would fit into smaller cells are compared with more spheres,
   in proportion to the volume of the cell. */
static double cost_of(const near_measure *all, uint32_t chosen)
{
    double cost = 0, m = one_and(all->top[chosen]);
    for (uint32_t i = 0; i < NEAR_BINS; ++i) {
        double ratio = m / one_and(all->top[i]) * (i > chosen ? 2 : 1);
        cost += all->count[i] * (ratio * ratio * ratio);
    }
    return cost;
}

/* Chooses m among the largest mantissas of bins, so that cells fit most spheres as tightly as possible, and perfectly
   if all are of the same size. */
static void choose_edges(near_job *job)
{
    near_measure all = job->measure[0];
    for (uint32_t p = 1; p < job->pieces; ++p)
        for (uint32_t i = 0; i < NEAR_BINS; ++i) {
            all.count[i] += job->measure[p].count[i];
            if (job->measure[p].top[i] > all.top[i])
                all.top[i] = job->measure[p].top[i];
        }
    double best = (double)INFINITY;
    for (uint32_t i = 0; i < NEAR_BINS; ++i)
        if (all.count[i] && cost_of(&all, i) < best) {
            best = cost_of(&all, i);
            job->mantissa = all.top[i];
        }
    job->scale = 2 * one_and(job->mantissa) * (1 + CELL_SLACK);
}

static uint32_t level_of(const near_job *job, uint64_t reach)
{
    uint64_t level = (reach >> MANTISSA_BITS) + ((reach & ((UINT64_C(1) << MANTISSA_BITS) - 1)) > job->mantissa);
    level = level > LOWEST_LEVEL ? level : LOWEST_LEVEL;
    return level < VAST_LEVEL ? (uint32_t)level : VAST_LEVEL;
}

static double edge_of(const near_job *job, uint32_t level)
{
    return level < VAST_LEVEL ? job->scale * power_of_two(level) : (double)INFINITY;
}

/* ---- Blocks and their keys --------------------------------------------------------------------------------------- */

/* From the highest bit, a key consists of 11 bits for the level and 17 bits each for z, y and x of the block. */
#define AXIS_BITS 17u
#define AXIS_MASK UINT64_C(0x1ffff)

uint64_t sn_near_key(uint32_t level, uint64_t x, uint64_t y, uint64_t z)
{
    return (((uint64_t)level << AXIS_BITS | (z & AXIS_MASK)) << AXIS_BITS | (y & AXIS_MASK)) << AXIS_BITS |
           (x & AXIS_MASK);
}

near_place sn_near_place_of(uint64_t key)
{
    return (near_place){.level = (uint32_t)(key >> 3 * AXIS_BITS),
                        .x = (uint32_t)(key & AXIS_MASK),
                        .y = (uint32_t)(key >> AXIS_BITS & AXIS_MASK),
                        .z = (uint32_t)(key >> 2 * AXIS_BITS & AXIS_MASK)};
}

/* Spreads the bits of a 17-bit number: two zeros between neighbouring bits. */
static uint64_t spread(uint64_t a)
{
    a = (a | a << 32) & UINT64_C(0x001f00000000ffff);
    a = (a | a << 16) & UINT64_C(0x001f0000ff0000ff);
    a = (a | a << 8) & UINT64_C(0x100f00f00f00f00f);
    a = (a | a << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (a | a << 2) & UINT64_C(0x1249249249249249);
}

/* The order of blocks: by level, then along the Morton curve, so that neighbouring blocks are in the cache. */
static uint64_t order_of(uint64_t key)
{
    const near_place place = sn_near_place_of(key);
    return (uint64_t)place.level << 3 * AXIS_BITS | spread(place.z) << 2 | spread(place.y) << 1 | spread(place.x);
}

uint64_t sn_near_cell_along(double x, double inverse)
{
    double q = x * inverse;
    q = q < COORDINATE_LIMIT ? q : COORDINATE_LIMIT;
    q = q > -COORDINATE_LIMIT ? q : -COORDINATE_LIMIT;
    int64_t cell = (int64_t)q;
    cell -= q < (double)cell;
    return (uint64_t)(cell + CELL_BIAS);
}

static uint32_t home_of(const near_hash *hash, uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> hash->shift);
}

/* The most slots in use. Threads that insert at the same time may exceed it by one each. */
static uint32_t limit_of(const near_hash *hash)
{
    return hash->capacity / 2;
}

static bool is_full(near_hash *hash)
{
    return atomic_load_explicit(&hash->used, memory_order_relaxed) > limit_of(hash);
}

static uint32_t insert(near_hash *hash, uint64_t key)
{
    for (uint32_t slot = home_of(hash, key);; slot = (slot + 1) & (hash->capacity - 1)) {
        uint_least64_t there = atomic_load_explicit(&hash->key[slot], memory_order_relaxed);
        if (there == 0 && atomic_compare_exchange_strong_explicit(&hash->key[slot], &there, key + 1,
                                                                  memory_order_relaxed, memory_order_relaxed)) {
            hash->list[atomic_fetch_add_explicit(&hash->used, 1, memory_order_relaxed)] = slot;
            return slot;
        }
        if (there == key + 1)
            return slot;
    }
}

uint32_t sn_near_find_block(const near_job *job, uint64_t key)
{
    const near_hash *hash = &job->hash;
    for (uint32_t slot = home_of(hash, key);; slot = (slot + 1) & (hash->capacity - 1)) {
        uint_least64_t there = atomic_load_explicit(&hash->key[slot], memory_order_relaxed);
        if (there == key + 1)
            return hash->rank[slot];
        if (there == 0)
            return NEAR_NONE;
    }
}

/* Finds the block and the cell of each sphere of a piece. */
static void place_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    near_job *job = data;
    const uint32_t first = index * job->piece;
    const uint32_t end = job->in->count - first < job->piece ? job->in->count : first + job->piece;
    uint64_t last_reach = UINT64_MAX, last_key = UINT64_MAX;
    uint32_t level = 0, slot = NEAR_NONE;
    double inverse = 0;
    for (uint32_t i = first; i < end && !is_full(&job->hash); ++i) {
        const sn_vec4 *sphere = &job->in->sphere[i];
        job->slot[i] = NEAR_NONE;
        if (!is_looked_at(sphere))
            continue;
        uint64_t reach = reach_bits(sphere);
        if (reach != last_reach) {
            level = level_of(job, reach);
            inverse = 1 / edge_of(job, level);
            last_reach = reach;
        }
        uint64_t x = sn_near_cell_along((double)sphere->x, inverse), y = sn_near_cell_along((double)sphere->y, inverse);
        uint64_t z = sn_near_cell_along((double)sphere->z, inverse);
        uint64_t key = sn_near_key(level, x / NEAR_SIDE, y / NEAR_SIDE, z / NEAR_SIDE);
        if (key != last_key)
            slot = insert(&job->hash, key);
        last_key = key;
        job->slot[i] = slot;
        job->cell[i] = (uint8_t)((z % NEAR_SIDE * NEAR_SIDE + y % NEAR_SIDE) * NEAR_SIDE + x % NEAR_SIDE);
    }
}

static bool reserve_hash(near_job *job, uint64_t capacity)
{
    near_hash *hash = &job->hash;
    sn_table *table = &job->n->hash_table;
    if (!sn_table_reserve(table, job->allocator, capacity))
        return false;
    hash->key = table->column[0];
    hash->rank = table->column[1];
    hash->list = table->column[2];
    hash->capacity = (uint32_t)capacity;
    hash->shift = 64;
    while (capacity > 1) {
        capacity /= 2;
        --hash->shift;
    }
    for (uint32_t i = 0; i < hash->capacity; ++i)
        atomic_init(&hash->key[i], 0);
    atomic_init(&hash->used, 0);
    return true;
}

/* Most scenes have a hundred spheres per block and a small table. Others get a larger table at the second attempt. */
#define LEAST_HASH 1024u

static bool place_spheres(near_job *job)
{
    uint64_t capacity = LEAST_HASH;
    while (capacity < job->in->count / 4)
        capacity *= 2;
    while (2 * capacity <= job->n->hash_table.capacity && capacity < 2 * (uint64_t)job->in->count)
        capacity *= 2;
    for (;; capacity *= 4) {
        if (!reserve_hash(job, capacity) || !sn_near_run(job, job->pieces, 12.0 * job->in->count, place_piece))
            return false;
        if (!is_full(&job->hash))
            return true;
    }
}

static bool rank_blocks(near_job *job)
{
    near_hash *hash = &job->hash;
    sn_table *table = &job->n->cell_table;
    job->blocks = atomic_load_explicit(&hash->used, memory_order_relaxed);
    if (!sn_table_reserve(table, job->allocator, job->blocks))
        return false;
    job->block = table->column[0];
    sn_sort_item *item = table->column[1];
    for (uint32_t i = 0; i < job->blocks; ++i) {
        uint32_t slot = hash->list[i];
        uint64_t key = atomic_load_explicit(&hash->key[slot], memory_order_relaxed) - 1;
        item[i] = (sn_sort_item){.key = order_of(key), .a = slot};
    }
    sn_sort(item, table->column[2], job->blocks);
    for (uint32_t i = 0; i < job->blocks; ++i) {
        const uint32_t slot = item[i].a;
        hash->rank[slot] = i;
        job->block[i].key = atomic_load_explicit(&hash->key[slot], memory_order_relaxed) - 1;
    }
    return true;
}

static bool list_levels(near_job *job)
{
    sn_table *table = &job->n->level_table;
    job->levels = 0;
    for (uint32_t i = 0; i < job->blocks; ++i) {
        uint32_t level = sn_near_place_of(job->block[i].key).level;
        if (job->levels == 0 || level != job->level[job->levels - 1].level) {
            table->count = job->levels;
            if (!sn_table_reserve(table, job->allocator, job->levels + 1))
                return false;
            job->level = table->column[0];
            double edge = edge_of(job, level);
            job->level[job->levels++] = (near_level){.level = level, .first = i, .edge = edge, .inverse = 1 / edge};
        }
        job->level[job->levels - 1].end = i + 1;
        job->block[i].level = job->levels - 1;
    }
    table->count = 0;
    return true;
}

/* ---- Spheres by block and cell ----------------------------------------------------------------------------------- */

static void key_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    near_job *job = data;
    const uint32_t first = index * job->piece;
    const uint32_t end = job->in->count - first < job->piece ? job->in->count : first + job->piece;
    for (uint32_t i = first; i < end; ++i) {
        uint32_t rank = job->slot[i] != NEAR_NONE ? job->hash.rank[job->slot[i]] : job->blocks;
        uint32_t cell = job->slot[i] != NEAR_NONE ? job->cell[i] : 0;
        job->item[i] = (uint64_t)(rank * NEAR_CELLS + cell) << 32 | i;
    }
}

static uint32_t rank_at(const near_job *job, uint32_t place)
{
    return (uint32_t)(job->sorted[place] >> 32) / NEAR_CELLS;
}

/* Sets where blocks begin. Spheres that are left out come last, as if they were one more block. */
static void cut_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    near_job *job = data;
    const uint32_t first = index * job->piece;
    const uint32_t end = job->in->count - first < job->piece ? job->in->count : first + job->piece;
    for (uint32_t i = first; i < end; ++i) {
        uint32_t rank = rank_at(job, i);
        if (rank == job->blocks)
            break;
        if (i == 0 || rank_at(job, i - 1) != rank)
            job->block[rank].first = i;
        if (i + 1 == job->in->count || rank_at(job, i + 1) != rank)
            job->block[rank].end = i + 1;
    }
}

/* Moves item[at] down to its position in a heap with the highest number at the top. */
static void sink(const near_job *job, uint64_t *item, uint32_t at, uint32_t count)
{
    const uint64_t moved = item[at];
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && near_number(job, item[child + 1]) > near_number(job, item[child]);
        if (near_number(job, item[child]) <= near_number(job, moved))
            break;
        item[at] = item[child];
    }
    item[at] = moved;
}

/* Sorts the spheres of a cell by number. Mostly there are two; heap sort is for many spheres in one place. */
#define FEW_IN_CELL 16u

static void sort_cell(const near_job *job, uint64_t *item, uint32_t count)
{
    for (uint32_t i = count / 2; count > FEW_IN_CELL && i > 0; --i)
        sink(job, item, i - 1, count);
    for (; count > FEW_IN_CELL; --count) {
        const uint64_t top = item[0];
        item[0] = item[count - 1];
        sink(job, item, 0, count - 1);
        item[count - 1] = top;
    }
    for (uint32_t i = 1; i < count; ++i) {
        const uint64_t moved = item[i];
        uint32_t at = i;
        for (; at > 0 && near_number(job, item[at - 1]) > near_number(job, moved); --at)
            item[at] = item[at - 1];
        item[at] = moved;
    }
}

/* Lists the cells of a block, and copies centres into sorted order. */
static void divide_block(const near_job *job, sn_near_block *block)
{
    uint32_t cells = 0, last = NEAR_CELLS;
    block->cells = 0;
    block->cross = block->cross_end = 0;
    for (uint32_t i = block->first; i < block->end; ++i) {
        uint32_t cell = (uint32_t)(job->sorted[i] >> 32) % NEAR_CELLS;
        cells += cell != last;
        last = cell;
        block->cells |= UINT64_C(1) << cell;
        job->cell_end[block->first + cells - 1] = i + 1;
    }
    for (uint32_t i = 0; job->in->number && i < cells; ++i) {
        const uint32_t first = near_cell_start(job, block, i);
        sort_cell(job, job->sorted + first, job->cell_end[block->first + i] - first);
    }
    for (uint32_t i = block->first; i < block->end; ++i)
        job->centre[i] = job->in->sphere[(uint32_t)job->sorted[i]];
}

static void divide_blocks(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    near_job *job = data;
    for (uint32_t i = 0; i < NEAR_BLOCKS_A_TASK && index * NEAR_BLOCKS_A_TASK + i < job->blocks; ++i)
        divide_block(job, &job->block[index * NEAR_BLOCKS_A_TASK + i]);
}

static bool sort_spheres(near_job *job)
{
    const double count = job->in->count;
    if (!sn_near_run(job, job->pieces, 2 * count, key_piece))
        return false;
    if (!sn_near_sort(job, job->in->count, job->blocks * NEAR_CELLS))
        return false;
    job->sorted = job->item;
    return sn_near_run(job, job->pieces, 2 * count, cut_piece) &&
           sn_near_run(job, sn_near_block_tasks(job), 5 * count, divide_blocks);
}

bool sn_near_make_cells(near_job *job)
{
    if (!sn_near_run(job, job->pieces, 2.0 * job->in->count, measure_piece))
        return false;
    choose_edges(job);
    return place_spheres(job) && rank_blocks(job) && list_levels(job) && sort_spheres(job);
}
