#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <malloc.h>
#endif

static void *allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
#ifdef _WIN32
    return _aligned_malloc(size, alignment);
#else
    size_t rounded = (size + alignment - 1) / alignment * alignment; /* aligned_alloc needs a multiple of the
                                                                        alignment */
    return rounded < size ? NULL : aligned_alloc(alignment, rounded);
#endif
}

static void release(void *context, void *block, size_t size)
{
    (void)context;
    (void)size;
#ifdef _WIN32
    _aligned_free(block);
#else
    free(block);
#endif
}

const sn_allocator sn_default_allocator = {allocate, release, NULL};

void *sn_allocate(const sn_allocator *allocator, size_t size)
{
    return allocator->allocate(allocator->context, size ? size : 1, SN_ALIGNMENT);
}

void sn_release(const sn_allocator *allocator, void *block, size_t size)
{
    if (block)
        allocator->release(allocator->context, block, size ? size : 1);
}

/* The columns of tables that have no block. Never written. */
static void *const no_column[SN_MAX_COLUMNS];

void sn_table_column(sn_table *table, size_t width, bool is_state)
{
    assert(table->columns < SN_MAX_COLUMNS && table->capacity == 0 && width <= UINT16_MAX);
    table->column = (void **)no_column;
    table->width[table->columns++] = (uint16_t)width;
    if (is_state)
        table->saved = table->columns;
}

/* Rounds size up so that whatever follows is aligned. */
static uint64_t aligned(uint64_t size)
{
    return (size + SN_ALIGNMENT - 1) / SN_ALIGNMENT * SN_ALIGNMENT;
}

bool sn_table_reserve(sn_table *table, const sn_allocator *allocator, uint64_t count)
{
    if (count <= table->capacity)
        return true;
    uint64_t grown = (uint64_t)table->capacity + table->capacity / 2;
    uint64_t capacity = count > grown ? count : grown;
    if (capacity < 8)
        capacity = 8;
    if (capacity > UINT32_MAX)
        capacity = UINT32_MAX;
    if (count > capacity)
        return false;

    uint64_t size = aligned(table->columns * sizeof(void *));
    for (uint32_t i = 0; i < table->columns; ++i)
        size += aligned(capacity * table->width[i]);
    if (size > SIZE_MAX / 2)
        return false;
    void **column = sn_allocate(allocator, (size_t)size);
    if (!column)
        return false;

    char *at = (char *)column + aligned(table->columns * sizeof(void *));
    for (uint32_t i = 0; i < table->columns; ++i) {
        if (table->count && table->width[i])
            memcpy(at, table->column[i], (size_t)table->count * table->width[i]);
        column[i] = at;
        at += aligned(capacity * table->width[i]);
    }
    if (table->block_size)
        sn_release(allocator, table->column, table->block_size);
    table->column = column;
    table->block_size = (size_t)size;
    table->capacity = (uint32_t)capacity;
    return true;
}

void sn_table_copy_row(sn_table *table, uint32_t to, uint32_t from)
{
    for (uint32_t i = 0; i < table->columns; ++i) {
        char *column = table->column[i];
        size_t width = table->width[i];
        if (to != from && width)
            memcpy(column + to * width, column + from * width, width);
    }
}

void sn_table_release(sn_table *table, const sn_allocator *allocator)
{
    if (table->block_size)
        sn_release(allocator, table->column, table->block_size);
    table->column = (void **)no_column;
    table->block_size = 0;
    table->count = 0;
    table->capacity = 0;
}
