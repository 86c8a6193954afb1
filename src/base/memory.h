/* Memory: the caller's allocator, and tables of equally long columns that grow together. */
#ifndef SN_BASE_MEMORY_H
#define SN_BASE_MEMORY_H

#include <sinew/base.h>

/* Every block is aligned so that a vector load of any width is aligned too. */
#define SN_ALIGNMENT 64

/* The C library's allocator, for callers that give none. */
extern const sn_allocator sn_default_allocator;

void *sn_allocate(const sn_allocator *allocator, size_t size);
void sn_release(const sn_allocator *allocator, void *block, size_t size);

#define SN_MAX_COLUMNS 16

/* A structure of arrays in one block: column[i] holds `count` items of width[i] bytes. Rows are counted in 32 bits. The
   first `saved` columns are state (they go into snapshots), the others are scratch. A world has hundreds of tables,
   most of them empty. So everything that grows with the number of columns is in the block, and the table itself fits in
   one cache line. */
typedef struct sn_table {
    uint32_t count;
    uint32_t capacity;
    void **column; /* the start of the block. Without a block all columns are NULL */
    size_t block_size;
    uint8_t columns;
    uint8_t saved;
    uint16_t width[SN_MAX_COLUMNS]; /* bytes per row. Multiply as size_t */
} sn_table;

/* Adds a column to an empty table. A width of 0 is a column without content. */
void sn_table_column(sn_table *table, size_t width, bool is_state);

/* Makes room for count rows in total. The count and contents stay. False, with nothing changed, when memory runs out.
   The column pointers change, so typed copies of them must be fetched again. */
bool sn_table_reserve(sn_table *table, const sn_allocator *allocator, uint64_t count);

/* Copies row `from` over row `to`. */
void sn_table_copy_row(sn_table *table, uint32_t to, uint32_t from);

void sn_table_release(sn_table *table, const sn_allocator *allocator);

#endif
