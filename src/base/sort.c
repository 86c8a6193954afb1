#include "base/sort.h"

#include <string.h>

#define FEW 48u /* up to this many items, insertion sort */

static void insert(sn_sort_item *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        const sn_sort_item here = items[i];
        uint32_t at = i;
        for (; at > 0 && here.key < items[at - 1].key; --at)
            items[at] = items[at - 1];
        items[at] = here;
    }
}

/* Sorts by one byte of the key. Items with the same byte keep their order. */
static void sort_by_byte(const sn_sort_item *from, sn_sort_item *to, uint32_t count, uint32_t shift)
{
    uint32_t start[257] = {0};
    for (uint32_t i = 0; i < count; ++i)
        start[(from[i].key >> shift & 255) + 1]++;
    for (uint32_t i = 0; i < 256; ++i)
        start[i + 1] += start[i];
    for (uint32_t i = 0; i < count; ++i)
        to[start[from[i].key >> shift & 255]++] = from[i];
}

/* Radix sort, the lowest byte first. Bytes that all keys share are skipped. */
void sn_sort(sn_sort_item *items, sn_sort_item *scratch, uint32_t count)
{
    if (count <= FEW) {
        insert(items, count);
        return;
    }
    uint64_t differ = 0;
    for (uint32_t i = 1; i < count; ++i)
        differ |= items[i].key ^ items[0].key;
    sn_sort_item *from = items, *to = scratch;
    for (uint32_t shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 255))
            continue;
        sort_by_byte(from, to, count, shift);
        sn_sort_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, (size_t)count * sizeof *items);
}
