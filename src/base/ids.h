/* Numbers that users hold: each is alive under one generation, or free. */
#ifndef SN_BASE_IDS_H
#define SN_BASE_IDS_H

#include "base/memory.h"

#define SN_ID_FREE  UINT32_MAX
#define SN_ID_BLOCK 1024u

/* value[i] belongs to the owner (where a particle is stored, when a constraint was added) and is SN_ID_FREE when the
   number is free. generation[i] is the last one under which it was alive. */
typedef struct sn_ids {
    sn_table table;
    uint32_t *value;
    uint32_t *generation;
    uint32_t live;
    uint32_t lowest_free; /* no number below this one is free */
    uint32_t no_run_of;   /* no free run of this length exists among the numbers in use; 0: not known */
    uint32_t highest;     /* generation ever given out; never lowered, so a restored state cannot reuse one */
    uint32_t floor;       /* new generations lie above this */
    sn_table block_table; /* of uint32_t: how many of each SN_ID_BLOCK numbers are free, as far as blocks go. Derived */
    bool counted;         /* it is that of the numbers */
} sn_ids;

void sn_ids_init(sn_ids *ids);
void sn_ids_release(sn_ids *ids, const sn_allocator *allocator);

/* Finds count consecutive free numbers, the lowest, and makes room for them. Which they are depends on the numbers in use alone, so
   that a world answers edits with the same numbers after it was saved and loaded. Nothing else changes until they are
   taken. False when memory runs out or more than limit numbers would be needed. */
bool sn_ids_find(sn_ids *ids, const sn_allocator *allocator, uint32_t count, uint32_t limit, uint32_t *first);

/* Makes room for count more numbers behind those in use. False when memory runs out. */
bool sn_ids_reserve(sn_ids *ids, const sn_allocator *allocator, uint32_t count);

/* Takes numbers that sn_ids_find found; the owner sets their values at once. Returns their generation. */
uint32_t sn_ids_take(sn_ids *ids, uint32_t first, uint32_t count);

void sn_ids_free(sn_ids *ids, uint32_t index);

static inline bool sn_ids_is_live(const sn_ids *ids, uint32_t index)
{
    return index < ids->table.count && ids->value[index] != SN_ID_FREE;
}

static inline bool sn_ids_is_valid(const sn_ids *ids, uint32_t index, uint32_t generation)
{
    return sn_ids_is_live(ids, index) && ids->generation[index] == generation;
}

/* After the contents were replaced by those of a snapshot: takes the typed pointers again, and keeps generations from
   being given out twice. */
void sn_ids_restored(sn_ids *ids);

#endif
