/* The pairs of a block.

   Every cell is compared with itself and with the 13 cells after it: the next one along x, three of the next row, and
   three each of three rows of the next layer. First the spheres of the block and of all neighbouring cells needed, 6 x
   6 x 5 cells, are gathered row by row. Then the cells from its own to the last one in the next row form one range. The
   nine cells of the next layer, with six unneeded ones between them, form another. Two long ranges are faster to
   compare than five short ones. */
#include "collision/neighbours_compare.h"

#include <string.h>

/* ---- The footprint ----------------------------------------------------------------------------------------------- */

static void gather_cell(const near_job *job, near_scratch *s, uint32_t first, uint32_t end)
{
    if (end - first > s->sphere_capacity - s->spheres || s->spheres > s->sphere_capacity) {
        s->crowded = true;
    } else {
        for (uint32_t i = first, to = s->spheres; i < end; ++i, ++to)
            near_gather(job, s, to, i, (uint32_t)job->sorted[i]);
    }
    s->spheres += end - first;
}

/* Gathers the cells cell .. cell + cells - 1 of a block, if the block exists. */
static uint32_t gather_cells(const near_job *job, near_scratch *s, const sn_near_block *block, uint32_t cell,
                             uint32_t cells, uint32_t at)
{
    if (!block || !(block->cells >> cell & ((UINT64_C(1) << cells) - 1))) {
        for (uint32_t i = 0; i < cells; ++i)
            s->start[at++] = s->spheres;
        return at;
    }
    uint32_t ordinal = bits_count(block->cells & ((UINT64_C(1) << cell) - 1));
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

/* The blocks around, beginning with the previous one along x and y, and the next layer. NULL where there are no
   spheres. */
#define BLOCKS_AROUND 18u
#define THE_BLOCK     4u /* the index of the block itself */

/* The cells of a block with neighbours in the previous block, in the block itself, and in the next block, along each
   axis. */
static const uint64_t looks_x[3] = {UINT64_C(0x1111111111111111), UINT64_MAX, UINT64_C(0x8888888888888888)};
static const uint64_t looks_y[3] = {UINT64_C(0x000f000f000f000f), UINT64_MAX, UINT64_C(0xf000f000f000f000)};
static const uint64_t looks_z[2] = {UINT64_MAX, UINT64_C(0xffff000000000000)};

/* Returns the number of spheres in them. */
static uint64_t find_around(const near_job *job, const sn_near_block *block, const sn_near_block **around)
{
    const near_place place = sn_near_place_of(block->key);
    uint64_t spheres = 0;
    for (uint32_t i = 0; i < BLOCKS_AROUND; ++i) {
        around[i] = NULL;
        if (!(block->cells & looks_x[i % 3] & looks_y[i / 3 % 3] & looks_z[i / 9]))
            continue;
        uint32_t x = place.x + i % 3 - 1, y = place.y + i / 3 % 3 - 1, z = place.z + i / 9;
        uint32_t rank = i == THE_BLOCK ? (uint32_t)(block - job->block)
                                       : sn_near_find_block(job, sn_near_key(place.level, x, y, z));
        if (rank == NEAR_NONE)
            continue;
        around[i] = &job->block[rank];
        spheres += around[i]->end - around[i]->first;
    }
    return spheres;
}

/* Cell i along an axis of the footprint is cell (i + 3) % 4 of block (i + 3) / 4. Along z there is no previous
   block. */
static void gather(const near_job *job, const sn_near_block *const *around, near_scratch *s)
{
    uint32_t at = 0;
    for (uint32_t z = 0; z < NEAR_FOOT_Z; ++z)
        for (uint32_t y = NEAR_SIDE - 1; y < NEAR_SIDE - 1 + NEAR_FOOT; ++y) {
            const sn_near_block *const *row = &around[z / NEAR_SIDE * 9 + y / NEAR_SIDE * 3];
            const uint32_t cell = (z % NEAR_SIDE * NEAR_SIDE + y % NEAR_SIDE) * NEAR_SIDE;
            at = gather_cells(job, s, row[0], cell + NEAR_SIDE - 1, 1, at);
            at = gather_cells(job, s, row[1], cell, NEAR_SIDE, at);
            at = gather_cells(job, s, row[2], cell, 1, at);
        }
    s->start[at] = s->spheres;
}

/* ---- Pairs of the level ------------------------------------------------------------------------------------------ */

/* The number, in the footprint, of a cell of the block. */
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
        near_compare(s, a, a + 1, start[row + 2]);
        near_compare(s, a, start[layer - row - 1], start[layer + row + 2]);
    }
}

static void compare_cells(const sn_near_block *block, near_scratch *s)
{
    for (uint64_t cells = block->cells; cells; cells &= cells - 1)
        compare_cell(s, foot_cell(bits_lowest(cells)));
}

/* ---- Blocks with few spheres ------------------------------------------------------------------------------------- */

/* With so few spheres in the block and around it, all are compared: rows of cells do not pay. */
#define FEW_SPHERES 24u

/* Gathers the spheres of a neighbouring block that are in the footprint, each with the number of its cell there. */
static void gather_few(const near_job *job, const sn_near_block *block, uint32_t direction, near_scratch *s,
                       uint32_t *cell)
{
    const uint32_t x0 = direction % 3 * NEAR_SIDE, y0 = direction / 3 % 3 * NEAR_SIDE, z = direction / 9 * NEAR_SIDE;
    for (uint32_t i = block->first; i < block->end; ++i) {
        uint32_t in_block = (uint32_t)(job->sorted[i] >> 32) % NEAR_CELLS;
        uint32_t x = x0 + in_block % NEAR_SIDE + 1 - NEAR_SIDE,
                 y = y0 + in_block / NEAR_SIDE % NEAR_SIDE + 1 - NEAR_SIDE;
        if (x >= NEAR_FOOT || y >= NEAR_FOOT) /* negative numbers wrap to large ones */
            continue;
        cell[s->spheres] = ((z + in_block / (NEAR_SIDE * NEAR_SIDE)) * NEAR_FOOT + y) * NEAR_FOOT + x;
        near_gather(job, s, s->spheres++, i, (uint32_t)job->sorted[i]);
    }
}

/* The block's own spheres come first, by cell. A pair belongs to this block if the cell of the block's own sphere comes
   first. */
static void compare_few(const near_job *job, const sn_near_block *const *around, near_scratch *s)
{
    uint32_t cell[FEW_SPHERES];
    gather_few(job, around[THE_BLOCK], THE_BLOCK, s, cell);
    const uint32_t own = s->spheres;
    for (uint32_t i = 0; i < BLOCKS_AROUND; ++i)
        if (around[i] && i != THE_BLOCK)
            gather_few(job, around[i], i, s, cell);
    for (uint32_t a = 0; a < own; ++a)
        for (uint32_t b = a + 1; b < s->spheres; ++b)
            if ((b < own || cell[b] > cell[a]) && near_touch(s, a, b) & 1)
                s->pair[s->pairs++] = (near_pair){a, b};
    for (uint32_t i = 0; i < own; ++i)
        s->local[i] = i;
}

/* ---- Pairs with smaller spheres ---------------------------------------------------------------------------------- */

/* Sets the local numbers of the block's own spheres, by their positions in sorted order. */
static void number_own(near_scratch *s)
{
    uint32_t place = 0;
    for (uint32_t cell = 0; cell < NEAR_CELLS; ++cell) {
        const uint32_t at = foot_cell(cell);
        for (uint32_t i = s->start[at]; i < s->start[at + 1]; ++i)
            s->local[place++] = i;
    }
}

/* Adds pairs with smaller spheres. They are sorted by the smaller sphere, which gets a local number at its first
   pair. */
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
    for (uint32_t i = block->cross; i < block->cross_end; ++i) {
        near_pair places = job->cross[(uint32_t)job->route[i]];
        if (places.a != last)
            s->id[s->spheres++] = (uint32_t)job->sorted[places.a];
        last = places.a;
        s->pair[s->pairs++] = (near_pair){s->spheres - 1, s->local[places.b - block->first]};
    }
}

/* ---- Batches ----------------------------------------------------------------------------------------------------- */

/* The spheres of a pair, the lower number first. */
static near_pair in_order(const near_job *job, const near_scratch *s, uint32_t pair)
{
    const uint32_t a = s->id[s->pair[pair].a], b = s->id[s->pair[pair].b];
    return near_number(job, a) < near_number(job, b) ? (near_pair){a, b} : (near_pair){b, a};
}

static void filter(const near_job *job, near_scratch *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->pairs; ++i) {
        const near_pair ids = in_order(job, s, i);
        if (job->in->wanted(job->in->data, ids.a, ids.b))
            s->pair[kept++] = s->pair[i];
    }
    s->pairs = kept;
}

/* Gives each pair the lowest colour that neither of its spheres has, or NEAR_COLOURS if there is none. Pairs are
   ordered by their first sphere, so its colours stay in a register. */
static void colour_pairs(near_scratch *s, uint32_t *count)
{
    memset(s->used, 0, s->spheres * sizeof *s->used);
    for (uint32_t i = 0; i < s->pairs;) {
        const uint32_t a = s->pair[i].a;
        uint64_t used = s->used[a];
        for (; i < s->pairs && s->pair[i].a == a; ++i) {
            uint64_t *other = &s->used[s->pair[i].b];
            uint64_t unused = ~(used | *other), bit = unused & (0 - unused);
            uint32_t colour = unused ? bits_lowest(unused) : NEAR_COLOURS;
            used |= bit;
            *other |= bit;
            s->lane[i] = colour;
            ++count[colour];
        }
        s->used[a] = used;
    }
}

static void close_batch(near_scratch *s, uint32_t slot)
{
    near_window *w = &s->window;
    const uint64_t others = ~(UINT64_C(1) << slot);
    for (uint32_t i = 0; i < w->count[slot]; ++i) {
        s->used[w->pair[slot][i].a] &= others;
        s->used[w->pair[slot][i].b] &= others;
    }
    w->open &= others;
}

/* Puts a pair into the first open batch that has neither of its spheres. If there is none, a new batch is opened; for
   this another may have to be closed before it is full. */
static void put_into_window(near_scratch *s, uint32_t i, uint32_t *batches)
{
    near_window *w = &s->window;
    const near_pair pair = s->pair[i];
    uint64_t room = ~(s->used[pair.a] | s->used[pair.b]);
    if (!room) {
        close_batch(s, w->next);
        room = UINT64_C(1) << w->next;
        w->next = (w->next + 1) % NEAR_OPEN;
    }
    const uint32_t slot = bits_lowest(room & w->open ? room & w->open : room);
    const uint64_t bit = UINT64_C(1) << slot;
    if (!(w->open & bit)) {
        w->open |= bit;
        w->batch[slot] = (*batches)++;
        w->count[slot] = 0;
    }
    s->lane[i] = w->batch[slot] * SN_NEAR_LANES + w->count[slot];
    s->used[pair.a] |= bit;
    s->used[pair.b] |= bit;
    w->pair[slot][w->count[slot]++] = pair;
    if (w->count[slot] == SN_NEAR_LANES)
        close_batch(s, slot);
}

/* Makes as many full batches as possible, colour by colour. The remaining pairs, and those without a colour (of spheres
   with very many pairs), share batches in their order. Returns the number of batches. */
static uint32_t share_lanes(near_scratch *s)
{
    uint32_t count[NEAR_COLOURS + 1] = {0}, lane[NEAR_COLOURS + 1], end[NEAR_COLOURS + 1], batches = 0;
    colour_pairs(s, count);
    for (uint32_t c = 0; c <= NEAR_COLOURS; ++c) {
        lane[c] = batches * SN_NEAR_LANES;
        batches += c < NEAR_COLOURS ? count[c] / SN_NEAR_LANES : 0;
        end[c] = batches * SN_NEAR_LANES;
    }
    memset(s->used, 0, s->spheres * sizeof *s->used);
    s->window.open = 0;
    s->window.next = 0;
    for (uint32_t i = 0; i < s->pairs; ++i) {
        const uint32_t c = s->lane[i];
        if (lane[c] < end[c])
            s->lane[i] = lane[c]++;
        else
            put_into_window(s, i, &batches);
    }
    return batches;
}

static void fill_batches(const near_job *job, const near_scratch *s, sn_near_batch *batch, uint8_t *lanes,
                         uint32_t batches)
{
    memset(lanes, 0, batches);
    for (uint32_t i = 0; i < s->pairs; ++i) {
        const uint32_t at = s->lane[i] / SN_NEAR_LANES, lane = s->lane[i] % SN_NEAR_LANES;
        const near_pair ids = in_order(job, s, i);
        batch[at].a[lane] = ids.a;
        batch[at].b[lane] = ids.b;
        ++lanes[at];
    }
    for (uint32_t i = 0; i < batches; ++i)
        for (uint32_t k = lanes[i]; k < SN_NEAR_LANES; ++k) {
            batch[i].a[k] = batch[i].a[0];
            batch[i].b[k] = batch[i].b[0];
        }
}

static void pairs_of_level(const near_job *job, const sn_near_block *block, near_scratch *s)
{
    const sn_near_block *around[BLOCKS_AROUND];
    const uint64_t spheres = find_around(job, block, around);
    if (spheres <= FEW_SPHERES && spheres <= s->sphere_capacity && spheres * (spheres - 1) / 2 <= s->pair_capacity) {
        compare_few(job, around, s);
        return;
    }
    gather(job, around, s);
    if (s->crowded)
        return;
    compare_cells(block, s);
    if (block->cross < block->cross_end)
        number_own(s);
}

static void pairs_of_block(near_job *job, uint32_t rank, near_scratch *s)
{
    sn_near_block *block = &job->block[rank];
    s->spheres = 0;
    s->pairs = 0;
    s->crowded = false;
    pairs_of_level(job, block, s);
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
    block->pairs = (uint32_t)s->pairs;
    block->batches = share_lanes(s);
    const uint64_t at = atomic_fetch_add_explicit(&job->bump, block->batches, memory_order_relaxed);
    block->batch_at = (uint32_t)at;
    if (at + block->batches <= job->batch_capacity)
        fill_batches(job, s, job->batch + at, job->lanes + at, block->batches);
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
