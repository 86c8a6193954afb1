/* The pairs of a block.

   Every cell is compared with itself and with the 13 cells after it: the next one along x, those of the next row, and those of
   three rows of the next layer. Spheres of the block and of all cells that this reaches into, 6 x 6 x 5, are gathered row by row
   first; three cells of a row are then one range. */
#include "collision/neighbours_work.h"

#include <string.h>

/* ---- The footprint ----------------------------------------------------------------------------------------------------- */

static void gather_cell(const near_job *job, near_scratch *s, uint32_t first, uint32_t end)
{
    if (end - first > s->sphere_capacity - s->spheres || s->spheres > s->sphere_capacity) {
        s->crowded = true;
    } else {
        for (uint32_t i = first, to = s->spheres; i < end; ++i, ++to) {
            s->centre[to] = job->centre[i];
            s->id[to] = (uint32_t)job->sorted[i];
        }
    }
    s->spheres += end - first;
}

/* The cells cell .. cell + cells - 1 of a block, if there is such a block. */
static uint32_t gather_cells(const near_job *job, near_scratch *s, const sn_near_block *block, uint32_t cell,
                             uint32_t cells, uint32_t at)
{
    if (!block || !(block->cells >> cell & ((UINT64_C(1) << cells) - 1))) {
        for (uint32_t i = 0; i < cells; ++i)
            s->start[at++] = s->spheres;
        return at;
    }
    uint32_t ordinal = near_count_bits(block->cells & ((UINT64_C(1) << cell) - 1));
    uint32_t first = near_cell_start(job, block, ordinal);
    for (uint32_t i = 0; i < cells; ++i) {
        s->start[at++] = s->spheres;
        if (block->cells >> (cell + i) & 1) {
            uint32_t end = job->cell_end[block->first + ordinal++];
            gather_cell(job, s, first, end);
            first = end;
        }
    }
    return at;
}

/* The blocks around, from the one before along x and y on, and the next layer; NULL where there are no spheres. */
#define BLOCKS_AROUND 18u

static void find_around(const near_job *job, const sn_near_block *block, const sn_near_block **around)
{
    const near_place place = sn_near_place_of(block->key);
    for (uint32_t i = 0; i < BLOCKS_AROUND; ++i) {
        uint32_t x = place.x + i % 3 - 1, y = place.y + i / 3 % 3 - 1, z = place.z + i / 9;
        uint32_t rank = sn_near_find_block(job, sn_near_key(place.level, x, y, z));
        around[i] = rank != NEAR_NONE ? &job->block[rank] : NULL;
    }
}

/* Cell i along an axis of the footprint is cell (i + 3) % 4 of the block (i + 3) / 4; along z there is none before. */
static void gather(const near_job *job, const sn_near_block *block, near_scratch *s)
{
    const sn_near_block *around[BLOCKS_AROUND];
    uint32_t at = 0;
    find_around(job, block, around);
    for (uint32_t z = 0; z < NEAR_FOOT_Z; ++z)
        for (uint32_t y = NEAR_SIDE - 1; y < NEAR_SIDE - 1 + NEAR_FOOT; ++y) {
            const sn_near_block **row = &around[z / NEAR_SIDE * 9 + y / NEAR_SIDE * 3];
            const uint32_t cell = (z % NEAR_SIDE * NEAR_SIDE + y % NEAR_SIDE) * NEAR_SIDE;
            at = gather_cells(job, s, row[0], cell + NEAR_SIDE - 1, 1, at);
            at = gather_cells(job, s, row[1], cell, NEAR_SIDE, at);
            at = gather_cells(job, s, row[2], cell, 1, at);
        }
    s->start[at] = s->spheres;
}

/* ---- Pairs of the level ------------------------------------------------------------------------------------------------ */

/* Compares a with first .. end - 1. What does not fit is counted only. */
static inline void compare(near_scratch *s, uint32_t a, uint32_t first, uint32_t end)
{
    const sn_vec4 centre = s->centre[a];
    uint64_t pairs = s->pairs;
    if (pairs > s->pair_capacity || end - first > s->pair_capacity - pairs) {
        for (uint32_t b = first; b < end; ++b)
            pairs += near_meet(&centre, &s->centre[b]);
        s->crowded = true;
    } else {
        for (uint32_t b = first; b < end;
             ++b) { /* one in five is a pair: no branch that would be guessed wrong so often */
            s->pair[pairs] = (near_pair){a, b};
            pairs += near_meet(&centre, &s->centre[b]);
        }
    }
    s->pairs = pairs;
}

/* The number of a cell of the block in its footprint. */
static uint32_t foot_cell(uint32_t cell)
{
    uint32_t x = cell % NEAR_SIDE, y = cell / NEAR_SIDE % NEAR_SIDE, z = cell / (NEAR_SIDE * NEAR_SIDE);
    return (z * NEAR_FOOT + y + 1) * NEAR_FOOT + x + 1;
}

static void compare_cell(near_scratch *s, uint32_t cell)
{
    const uint32_t row = NEAR_FOOT, layer = NEAR_FOOT * NEAR_FOOT;
    const uint32_t *start = &s->start[cell];
    for (uint32_t a = start[0]; a < start[1] && s->pairs < NEAR_MOST_PAIRS; ++a) {
        compare(s, a, a + 1, start[2]);
        compare(s, a, start[row - 1], start[row + 2]);
        for (uint32_t at = layer - row; at <= layer + row; at += row)
            compare(s, a, start[at - 1], start[at + 2]);
    }
}

static void compare_cells(const sn_near_block *block, near_scratch *s)
{
    for (uint64_t cells = block->cells; cells; cells &= cells - 1)
        compare_cell(s, foot_cell(near_lowest_bit(cells)));
}

/* ---- Pairs with smaller spheres ---------------------------------------------------------------------------------------- */

/* Local numbers of the block's own spheres, by their places in sorted order. */
static void number_own(near_scratch *s)
{
    uint32_t place = 0;
    for (uint32_t cell = 0; cell < NEAR_CELLS; ++cell) {
        const uint32_t at = foot_cell(cell);
        for (uint32_t i = s->start[at]; i < s->start[at + 1]; ++i)
            s->local[place++] = i;
    }
}

/* Adds them to the pairs. They are sorted by the smaller sphere, which gets a number when it comes. */
static void add_cross(const near_job *job, const sn_near_block *block, near_scratch *s)
{
    const uint32_t count = block->cross_end - block->cross;
    uint32_t last = NEAR_NONE;
    if (count == 0)
        return;
    s->crowded |= s->pairs > s->pair_capacity || count > s->pair_capacity - s->pairs;
    s->crowded |= s->spheres > s->sphere_capacity || count > s->sphere_capacity - s->spheres;
    if (s->crowded) {
        s->pairs += count;
        s->spheres += count;
        return;
    }
    number_own(s);
    for (uint32_t i = block->cross; i < block->cross_end; ++i) {
        near_pair places = job->cross[(uint32_t)job->route[i]];
        if (places.a != last)
            s->id[s->spheres++] = (uint32_t)job->sorted[places.a];
        last = places.a;
        s->pair[s->pairs++] = (near_pair){s->spheres - 1, s->local[places.b - block->first]};
    }
}

/* ---- Batches ----------------------------------------------------------------------------------------------------------- */

static void filter(const near_job *job, near_scratch *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->pairs; ++i) {
        uint32_t a = s->id[s->pair[i].a], b = s->id[s->pair[i].b];
        if (job->in->wanted(job->in->data, a < b ? a : b, a < b ? b : a))
            s->pair[kept++] = s->pair[i];
    }
    s->pairs = kept;
}

/* Each pair gets the lowest colour that neither of its spheres has; beyond the last, it is alone. Pairs come by their first
   sphere, whose colours need not go through memory. */
static void colour_pairs(near_scratch *s)
{
    memset(s->used, 0, s->spheres * sizeof *s->used);
    memset(s->count, 0, sizeof s->count);
    for (uint32_t i = 0; i < s->pairs;) {
        const uint32_t a = s->pair[i].a;
        uint64_t used = s->used[a];
        for (; i < s->pairs && s->pair[i].a == a; ++i) {
            uint64_t *other = &s->used[s->pair[i].b];
            uint64_t unused = ~(used | *other);
            uint32_t colour = unused ? near_lowest_bit(unused) : NEAR_COLOURS;
            uint64_t bit = unused & (0 - unused);
            used |= bit;
            *other |= bit;
            s->colour[i] = (uint8_t)colour;
            ++s->count[colour];
        }
        s->used[a] = used;
    }
}

/* Where the lanes of each colour begin, in batches from 0 on; and how many batches there are. */
static uint32_t share_batches(const near_scratch *s, uint32_t *lane)
{
    uint32_t batches = 0;
    for (uint32_t c = 0; c < NEAR_COLOURS; ++c) {
        lane[c] = batches * SN_NEAR_LANES;
        batches += (s->count[c] + SN_NEAR_LANES - 1) / SN_NEAR_LANES;
    }
    lane[NEAR_COLOURS] = batches * SN_NEAR_LANES;
    return batches + s->count[NEAR_COLOURS];
}

static void close_batch(sn_near_batch *batch, uint8_t *lanes, uint32_t count)
{
    *lanes = (uint8_t)count;
    for (uint32_t i = count; i < SN_NEAR_LANES; ++i) {
        batch->a[i] = batch->a[0];
        batch->b[i] = batch->b[0];
    }
}

static void close_batches(const near_scratch *s, sn_near_batch *batch, uint8_t *lanes)
{
    for (uint32_t c = 0; c <= NEAR_COLOURS; ++c) {
        const uint32_t most = c < NEAR_COLOURS ? SN_NEAR_LANES : 1;
        for (uint32_t left = s->count[c]; left;) {
            uint32_t count = left < most ? left : most;
            close_batch(batch++, lanes++, count);
            left -= count;
        }
    }
}

static void fill_batches(const near_scratch *s, uint32_t *lane, sn_near_batch *batch, uint8_t *lanes)
{
    for (uint32_t i = 0; i < s->pairs; ++i) {
        const uint32_t c = s->colour[i], at = lane[c];
        const uint32_t a = s->id[s->pair[i].a], b = s->id[s->pair[i].b];
        lane[c] = at + (c < NEAR_COLOURS ? 1 : SN_NEAR_LANES);
        batch[at / SN_NEAR_LANES].a[at % SN_NEAR_LANES] = a < b ? a : b;
        batch[at / SN_NEAR_LANES].b[at % SN_NEAR_LANES] = a < b ? b : a;
    }
    close_batches(s, batch, lanes);
}

static void pairs_of_block(near_job *job, uint32_t rank, near_scratch *s)
{
    sn_near_block *block = &job->block[rank];
    s->spheres = s->pairs = 0;
    s->crowded = false;
    gather(job, block, s);
    if (!s->crowded)
        compare_cells(block, s);
    add_cross(job, block, s);
    block->crowded = s->crowded;
    block->crowd_spheres = s->spheres;
    block->crowd_pairs = s->pairs;
    block->pairs = block->batches = 0;
    if (s->crowded)
        return;
    if (job->in->wanted)
        filter(job, s);
    if (s->pairs == 0)
        return;
    uint32_t lane[NEAR_COLOURS + 1];
    colour_pairs(s);
    block->pairs = s->pairs;
    block->batches = share_batches(s, lane);
    const uint64_t at = atomic_fetch_add_explicit(&job->bump, block->batches, memory_order_relaxed);
    block->batch_at = (uint32_t)at;
    if (at + block->batches <= job->batch_capacity)
        fill_batches(s, lane, job->batch + at, job->lanes + at);
}

bool sn_near_find_pairs(near_job *job)
{
    sn_table *table = &job->n->batch_table[0];
    for (;;) {
        job->batch = table->column[0];
        job->lanes = table->column[1];
        job->batch_capacity = table->capacity;
        if (!sn_near_run_blocks(job, 90.0 * job->in->count, pairs_of_block))
            return false;
        uint64_t batches = atomic_load_explicit(&job->bump, memory_order_relaxed);
        if (batches <= job->batch_capacity)
            return true;
        if (!sn_table_reserve(table, job->allocator, batches))
            return false;
    }
}
