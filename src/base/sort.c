#include "base/sort.h"

#include <string.h>

static void merge(const sn_sort_item *left, const sn_sort_item *right, const sn_sort_item *end, sn_sort_item *out)
{
    const sn_sort_item *middle = right;
    while (left < middle && right < end)
        *out++ = right->key < left->key ? *right++ : *left++;
    memcpy(out, left, (size_t)(middle - left) * sizeof *out);
    memcpy(out + (middle - left), right, (size_t)(end - right) * sizeof *out);
}

/* Merge sort from the bottom up: runs of 1, 2, 4 ... are merged from one array into the other and back. */
void sn_sort(sn_sort_item *items, sn_sort_item *scratch, uint32_t count)
{
    sn_sort_item *from = items, *to = scratch;
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t i = 0; i < count; i += 2 * width) {
            uint64_t middle = i + width < count ? i + width : count;
            uint64_t end = i + 2 * width < count ? i + 2 * width : count;
            merge(from + i, from + middle, from + end, to + i);
        }
        sn_sort_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, (size_t)count * sizeof *items);
}
