/* Radix sort from the lowest digit up, shared by several threads. The division into pieces depends only on the number
   of items. Each piece counts its digits, and the sums give the positions of its items. */
#include "collision/neighbours_work.h"

#include <string.h>

/* With more values the write positions would no longer fit into the first-level cache. */
#define MOST_DIGIT_BITS 11u

uint32_t sn_near_piece(uint32_t items)
{
    uint32_t piece = items / NEAR_PIECES + (items % NEAR_PIECES != 0);
    return piece > SN_PIECE ? piece : SN_PIECE;
}

static uint32_t digit_of(const near_job *job, uint64_t item)
{
    return (uint32_t)(item >> job->digit_at) & ((1u << job->digit_bits) - 1);
}

static uint32_t piece_end(const near_job *job, uint32_t first)
{
    return job->items - first < job->item_piece ? job->items : first + job->item_piece;
}

static void count_digits(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const near_job *job = data;
    uint32_t *count = job->count + ((size_t)index << job->digit_bits);
    const uint32_t first = index * job->item_piece, end = piece_end(job, first);
    memset(count, 0, sizeof *count << job->digit_bits);
    for (uint32_t i = first; i < end; ++i)
        ++count[digit_of(job, job->item[i])];
}

/* Turns counts into first positions: by digit, and for equal digits by piece. */
static void sum_counts(const near_job *job)
{
    uint32_t before[1u << MOST_DIGIT_BITS] = {0}, values = 1u << job->digit_bits, all = 0;
    for (uint32_t p = 0; p < job->item_pieces; ++p)
        for (uint32_t v = 0; v < values; ++v)
            before[v] += job->count[((size_t)p << job->digit_bits) + v];
    for (uint32_t v = 0; v < values; ++v) {
        uint32_t here = before[v];
        before[v] = all;
        all += here;
    }
    for (uint32_t p = 0; p < job->item_pieces; ++p)
        for (uint32_t v = 0; v < values; ++v) {
            uint32_t *count = &job->count[((size_t)p << job->digit_bits) + v], here = *count;
            *count = before[v];
            before[v] += here;
        }
}

static void move_items(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const near_job *job = data;
    uint32_t *place = job->count + ((size_t)index << job->digit_bits);
    const uint32_t first = index * job->item_piece, end = piece_end(job, first);
    for (uint32_t i = first; i < end; ++i)
        job->other[place[digit_of(job, job->item[i])]++] = job->item[i];
}

bool sn_near_sort(near_job *job, uint32_t items, uint32_t most)
{
    uint32_t bits = 0;
    while (bits < 32 && most >> bits)
        ++bits;
    const uint32_t passes = bits / MOST_DIGIT_BITS + (bits % MOST_DIGIT_BITS != 0);
    if (passes == 0 || items < 2)
        return true;
    job->items = items;
    job->item_piece = sn_near_piece(items);
    job->item_pieces = items / job->item_piece + (items % job->item_piece != 0);
    job->digit_bits = bits / passes + (bits % passes != 0);
    if (!sn_table_reserve(&job->n->count_table, job->allocator, (uint64_t)job->item_pieces << job->digit_bits))
        return false;
    job->count = job->n->count_table.column[0];
    for (uint32_t i = 0; i < passes; ++i) {
        job->digit_at = 32 + i * job->digit_bits;
        if (!sn_near_run(job, job->item_pieces, 1.0 * items, count_digits))
            return false;
        sum_counts(job);
        if (!sn_near_run(job, job->item_pieces, 3.0 * items, move_items))
            return false;
        uint64_t *swap = job->item;
        job->item = job->other;
        job->other = swap;
    }
    return true;
}
