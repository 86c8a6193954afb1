/* Scratch memory that is requested again, in the same order, each time something is rebuilt. Blocks of the last time
   are reused. So a rebuild allocates nothing if no block has grown. */
#ifndef SN_BASE_ROOMS_H
#define SN_BASE_ROOMS_H

#include "base/memory.h"

#include <string.h>

#define SN_ROOMS 64

typedef struct sn_rooms {
    void *block[SN_ROOMS];
    size_t size[SN_ROOMS];
    uint32_t count; /* blocks taken since the caller last set this to 0 */
    bool failed;    /* memory ran out. The caller resets it */
} sn_rooms;

/* The next block, zeroed. NULL from the first failure on. */
static inline void *rooms_take(sn_rooms *rooms, const sn_allocator *allocator, size_t count, size_t size)
{
    const size_t bytes = count * size + 1;
    void **block = &rooms->block[rooms->count];
    size_t *has = &rooms->size[rooms->count++];
    if (!rooms->failed && bytes > *has) {
        sn_release(allocator, *block, *has);
        *has = bytes + bytes / 4;
        *block = sn_allocate(allocator, *has);
        *has = *block ? *has : 0;
    }
    rooms->failed = rooms->failed || !*block;
    return rooms->failed ? NULL : memset(*block, 0, bytes);
}

static inline void rooms_release(sn_rooms *rooms, const sn_allocator *allocator)
{
    for (uint32_t i = 0; i < SN_ROOMS; ++i)
        sn_release(allocator, rooms->block[i], rooms->size[i]);
    *rooms = (sn_rooms){0};
}

#endif
