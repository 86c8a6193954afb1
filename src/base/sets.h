/* Disjoint sets of numbers (union-find with path halving). parent[i] leads towards the lowest number in the set of i,
   which represents the set; at the start it is i. Which numbers are together does not depend on the order of joins. */
#ifndef SN_BASE_SETS_H
#define SN_BASE_SETS_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t sets_find(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static inline void sets_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = sets_find(parent, a), b = sets_find(parent, b);
    parent[a > b ? a : b] = a < b ? a : b;
}

/* The same with marks: the parent of the number that represents a set has this bit if the set is marked. Joining a set
   with itself, as a loop does, marks it. */
#define SETS_MARK 0x80000000u

static inline uint32_t sets_find_marked(uint32_t *parent, uint32_t i)
{
    while ((parent[i] & ~SETS_MARK) != i)
        i = parent[i] = parent[parent[i]] & ~SETS_MARK; /* what represents a set is never skipped and keeps its bit */
    return i;
}

static inline void sets_mark(uint32_t *parent, uint32_t i)
{
    parent[sets_find_marked(parent, i)] |= SETS_MARK;
}

static inline bool sets_is_marked(uint32_t *parent, uint32_t i)
{
    return (parent[sets_find_marked(parent, i)] & SETS_MARK) != 0;
}

static inline void sets_join_marked(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = sets_find_marked(parent, a), b = sets_find_marked(parent, b);
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    parent[low] |= a == b ? SETS_MARK : parent[high] & SETS_MARK;
    if (a != b)
        parent[high] = low;
}

#endif
