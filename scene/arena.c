#include "scene/arena.h"

#include <stdlib.h>
#include <string.h>

/* Pieces are cut from blocks of this many bytes; a larger piece gets a block of its own. */
#define BLOCK_SIZE ((size_t)64 * 1024)
#define ALIGNMENT  ((size_t)16)

typedef struct sn_arena_block {
    struct sn_arena_block *before;
    size_t size; /* of the whole block, including this header */
    size_t used;
} sn_arena_block;

#define HEAD_SIZE ((sizeof(sn_arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

static void *allocate(void *context, size_t size, size_t alignment)
{
    (void)context, (void)alignment; /* the alignment of malloc is enough */
    return malloc(size);
}

static void release(void *context, void *block, size_t size)
{
    (void)context, (void)size;
    free(block);
}

void sn_arena_init(sn_arena *arena, const sn_allocator *allocator)
{
    *arena = (sn_arena){.allocator = {allocate, release, NULL}};
    if (allocator && allocator->allocate)
        arena->allocator = *allocator;
}

static bool add_block(sn_arena *arena, size_t size)
{
    sn_arena_block *block = arena->allocator.allocate(arena->allocator.context, size, ALIGNMENT);
    if (!block)
        return false;
    *block = (sn_arena_block){arena->block, size, HEAD_SIZE};
    arena->block = block;
    arena->bytes += size;
    return true;
}

void *sn_arena_take(sn_arena *arena, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2 - BLOCK_SIZE) / size)
        return NULL;
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes == 0)
        bytes = ALIGNMENT;
    if (!arena->block || arena->block->size - arena->block->used < bytes) {
        bool large = bytes > BLOCK_SIZE / 4;
        if (!add_block(arena, large ? HEAD_SIZE + bytes : BLOCK_SIZE))
            return NULL;
        if (large && arena->block->before) { /* continue to cut from the previous block */
            sn_arena_block *own = arena->block, *cut = own->before;
            own->before = cut->before;
            cut->before = own;
            arena->block = cut;
            own->used = own->size;
            return memset((char *)own + HEAD_SIZE, 0, bytes);
        }
    }
    char *piece = (char *)arena->block + arena->block->used;
    arena->block->used += bytes;
    return memset(piece, 0, bytes);
}

char *sn_arena_copy(sn_arena *arena, const char *text, size_t length)
{
    char *copy = sn_arena_take(arena, length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void sn_arena_release(sn_arena *arena)
{
    for (sn_arena_block *block = arena->block; block;) {
        sn_arena_block *before = block->before;
        arena->allocator.release(arena->allocator.context, block, block->size);
        block = before;
    }
    arena->block = NULL;
    arena->bytes = 0;
}
