/* Numbers of objects that users hold. Each is alive under one generation, or free. */
#ifndef SN_BASE_IDS_H
#define SN_BASE_IDS_H

#include "base/memory.h"

#define SN_ID_FREE  UINT32_MAX
#define SN_ID_BLOCK 1024u

/* value[i] belongs to the owner of the table (for example, where a particle is stored). It is SN_ID_FREE when number i
   is free. generation[i] is the last generation under which number i was alive. */
typedef struct sn_ids {
    sn_table table;
    uint32_t *value;
    uint32_t *generation;
    uint32_t live;
    uint32_t lowest_free; /* no number below this one is free */
    uint32_t no_run_of;   /* no free run of this length exists among the numbers in use; 0: not known */
    uint32_t highest;     /* the highest generation ever used. Never lowered, so that a restored state cannot reuse
                             one */
    uint32_t floor;       /* new generations are above this */
    sn_table block_table; /* uint32_t: free numbers in each block of SN_ID_BLOCK, for as many blocks as there are.
                             Derived */
    bool counted;         /* the block table is up to date */
} sn_ids;

void sn_ids_init(sn_ids *ids);
void sn_ids_release(sn_ids *ids, const sn_allocator *allocator);

/* Finds the lowest count consecutive free numbers and makes room for them. The result depends only on the numbers in
   use, so that a world gives new objects the same numbers after it was saved and loaded. Nothing else changes until
   sn_ids_take. False when memory runs out or when more than limit numbers would be needed. */
bool sn_ids_find(sn_ids *ids, const sn_allocator *allocator, uint32_t count, uint32_t limit, uint32_t *first);

/* Makes room for count more numbers after those in use. False when memory runs out. */
bool sn_ids_reserve(sn_ids *ids, const sn_allocator *allocator, uint32_t count);

/* Takes the numbers found by sn_ids_find. The owner sets their values at once. Returns their generation. */
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

/* Call this after a snapshot has replaced the contents. It fetches the typed pointers again and prevents generations
   from being used twice. */
void sn_ids_restored(sn_ids *ids);

#endif
