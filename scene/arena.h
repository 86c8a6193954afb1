/* Memory that is taken piece by piece and freed all at once. Pieces never move. */
#ifndef SN_SCENE_ARENA_H
#define SN_SCENE_ARENA_H

#include <sinew/base.h>

typedef struct sn_arena {
    sn_allocator allocator;
    struct sn_arena_block *block; /* the newest, from which pieces are cut; it points to the previous one */
    size_t bytes;                 /* taken from the allocator so far */
} sn_arena;

/* An empty arena; it takes nothing yet. allocator NULL (or zeroed) means the C library's. */
void sn_arena_init(sn_arena *arena, const sn_allocator *allocator);

/* Room for count items of so many bytes, zeroed and aligned for any type. NULL when memory runs out or the product
   overflows. A count of 0 gives a pointer that is not NULL and not to be read. */
void *sn_arena_take(sn_arena *arena, size_t count, size_t size);

/* A copy with a terminating zero. NULL when memory runs out. */
char *sn_arena_copy(sn_arena *arena, const char *text, size_t length);

/* Frees everything. The arena is empty afterwards and can be used again. */
void sn_arena_release(sn_arena *arena);

#endif
