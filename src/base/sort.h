/* Sorting without the C library's qsort, which may allocate. */
#ifndef SN_BASE_SORT_H
#define SN_BASE_SORT_H

#include <stdint.h>

typedef struct sn_sort_item {
    uint64_t key;
    uint32_t a, b; /* the object that the key belongs to */
} sn_sort_item;

/* Sorts by increasing key. Equal keys keep their order. scratch has room for count items. */
void sn_sort(sn_sort_item *items, sn_sort_item *scratch, uint32_t count);

/* The index of the first of the sorted items with a key of at least `key`. count: there is none. */
static inline uint32_t sort_lower_bound(const sn_sort_item *items, uint32_t count, uint64_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (items[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
