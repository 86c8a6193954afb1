#include "base/ids.h"

static void bind(sn_ids *ids)
{
    ids->value = ids->table.column[0];
    ids->generation = ids->table.column[1];
}

void sn_ids_init(sn_ids *ids)
{
    *ids = (sn_ids){0};
    sn_table_column(&ids->table, sizeof *ids->value, true);
    sn_table_column(&ids->table, sizeof *ids->generation, true);
    sn_table_column(&ids->block_table, sizeof(uint32_t), false);
}

void sn_ids_release(sn_ids *ids, const sn_allocator *allocator)
{
    sn_table_release(&ids->table, allocator);
    sn_table_release(&ids->block_table, allocator);
    bind(ids);
}

/* The end of the numbers in use. Free numbers at the end of the table do not count. */
static uint32_t used_end(const sn_ids *ids)
{
    uint32_t end = ids->live ? ids->table.count : 0;
    while (end && ids->value[end - 1] == SN_ID_FREE)
        --end;
    return end;
}

/* ---- Blocks: so that the next free number is found though it is far away ---------------------------------------- */

/* Counts the free numbers of each block. A table of one block, or without free numbers, needs no counts. False when
   memory runs out. */
static bool count_blocks(sn_ids *ids, const sn_allocator *allocator)
{
    const uint32_t blocks = ids->table.count / SN_ID_BLOCK + 1;
    uint32_t have = ids->block_table.count;
    if (blocks == 1 || ids->live == ids->table.count || (ids->counted && have >= blocks))
        return true;
    if (!sn_table_reserve(&ids->block_table, allocator, blocks))
        return false;
    uint32_t *count = ids->block_table.column[0];
    for (uint32_t b = ids->counted ? have : 0; b < blocks; ++b)
        count[b] = 0;
    for (uint32_t i = ids->counted ? have * SN_ID_BLOCK : 0; i < ids->table.count; ++i)
        count[i / SN_ID_BLOCK] += ids->value[i] == SN_ID_FREE;
    ids->block_table.count = blocks;
    ids->counted = true;
    return true;
}

static void note_free(sn_ids *ids, uint32_t index, uint32_t by)
{
    if (ids->counted && index / SN_ID_BLOCK < ids->block_table.count)
        ((uint32_t *)ids->block_table.column[0])[index / SN_ID_BLOCK] += by;
}

/* The first free number at or after index. There must be one. */
static uint32_t next_free(const sn_ids *ids, uint32_t index)
{
    const uint32_t *count = ids->block_table.column[0], blocks = ids->counted ? ids->block_table.count : 0;
    while (ids->value[index] != SN_ID_FREE)
        index = index % SN_ID_BLOCK == 0 && index / SN_ID_BLOCK < blocks && count[index / SN_ID_BLOCK] == 0
                    ? index + SN_ID_BLOCK
                    : index + 1;
    return index;
}

/* The start of the first run of count free numbers. The last run may continue beyond the table. */
static uint32_t find_run(sn_ids *ids, uint32_t count)
{
    uint32_t end = ids->table.count;
    uint32_t free_count = end - ids->live;
    if (free_count < count || (ids->no_run_of && count >= ids->no_run_of))
        return used_end(ids);
    uint32_t run = 0;
    ids->lowest_free = next_free(ids, ids->lowest_free); /* some are free, and no number below has to be looked at
                                                            again */
    for (uint32_t i = ids->lowest_free; i < end; ++i) {
        run = ids->value[i] == SN_ID_FREE ? run + 1 : 0;
        if (run == count)
            return i + 1 - count;
    }
    ids->no_run_of = count;
    return end - run;
}

bool sn_ids_find(sn_ids *ids, const sn_allocator *allocator, uint32_t count, uint32_t limit, uint32_t *first)
{
    if (!count_blocks(ids, allocator))
        return false;
    *first = find_run(ids, count);
    uint64_t end = (uint64_t)*first + count;
    if (end <= ids->table.count)
        return true;
    if (end > limit || !sn_table_reserve(&ids->table, allocator, end))
        return false;
    bind(ids);
    return true;
}

bool sn_ids_reserve(sn_ids *ids, const sn_allocator *allocator, uint32_t count)
{
    const uint64_t all = (uint64_t)ids->table.count + count;
    if (!sn_table_reserve(&ids->table, allocator, all))
        return false;
    bind(ids);
    return sn_table_reserve(&ids->block_table, allocator, all / SN_ID_BLOCK + 1);
}

uint32_t sn_ids_take(sn_ids *ids, uint32_t first, uint32_t count)
{
    uint32_t end = first + count;
    uint32_t generation = ids->floor;
    for (uint32_t i = first; i < end; ++i) {
        if (i >= ids->table.count)
            ids->generation[i] = 0;
        else
            note_free(ids, i, UINT32_MAX); /* one free number less */
        if (ids->generation[i] > generation)
            generation = ids->generation[i];
    }
    ++generation;
    for (uint32_t i = first; i < end; ++i)
        ids->generation[i] = generation;
    if (end > ids->table.count)
        ids->table.count = end;
    if (generation > ids->highest)
        ids->highest = generation;
    if (ids->lowest_free == first)
        ids->lowest_free = end;
    ids->live += count;
    return generation;
}

void sn_ids_free(sn_ids *ids, uint32_t index)
{
    ids->value[index] = SN_ID_FREE;
    note_free(ids, index, 1);
    ids->live--;
    ids->no_run_of = 0;
    if (index < ids->lowest_free)
        ids->lowest_free = index;
}

void sn_ids_restored(sn_ids *ids)
{
    bind(ids);
    ids->floor = ids->highest;
    ids->counted = false;
    ids->no_run_of = 0;
}
