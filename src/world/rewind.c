/* Rewind: the latest states in one block of memory, and running backwards.

   States are stored one behind the other in the block, each in one piece. A new state is stored behind the newest, or
   at the start of the block if the rest is too short. The oldest states, which are there, are dropped. So memory is
   bounded without bookkeeping, and recording never allocates. */
#include "world/world.h"

#include <string.h>

/* The location of a state in the block. */
typedef struct record {
    size_t at;
    size_t size;
    double time;
} record;

struct sn_rewind {
    sn_allocator allocator; /* that of the world; the rewind may outlive the world */
    size_t total;           /* allocated bytes: this struct, the list of records and the block, one behind the other */
    record *record;         /* a ring: the oldest is record[oldest], followed by later ones */
    uint32_t capacity, oldest, count;
    unsigned char *block;
    size_t block_size;
};

/* The i-th record from the oldest. */
static record *record_at(const sn_rewind *rewind, uint32_t i)
{
    return &rewind->record[(rewind->oldest + (uint64_t)i) % rewind->capacity];
}

static void drop_oldest(sn_rewind *rewind)
{
    rewind->oldest = (uint32_t)((rewind->oldest + UINT64_C(1)) % rewind->capacity);
    rewind->count--;
}

/* Rounded up, so that the records behind it are aligned. */
static size_t head_size(void)
{
    return (sizeof(sn_rewind) + SN_ALIGNMENT - 1) / SN_ALIGNMENT * SN_ALIGNMENT;
}

sn_rewind *sn_rewind_create(sn_world *world, size_t bytes)
{
    if (sn_world_enter(world) != SN_OK)
        return NULL;
    size_t state = sn_state_measure(world), least = head_size() + sizeof(record) + state;
    if (!state) {
        world_fail(world, SN_ERROR_MEMORY, "no memory to measure a state");
        return NULL;
    }
    if (bytes < least) {
        world_fail(world, SN_ERROR_LIMIT, "a rewind of %zu bytes cannot hold a state of this world: that takes %zu",
                   bytes, least);
        return NULL;
    }
    size_t capacity = (bytes - head_size()) / (sizeof(record) + state);
    if (capacity > UINT32_MAX)
        capacity = UINT32_MAX;
    char *memory = sn_allocate(&world->allocator, bytes);
    if (!memory) {
        world_fail(world, SN_ERROR_MEMORY, "no memory for a rewind of %zu bytes", bytes);
        return NULL;
    }
    size_t head = head_size() + capacity * sizeof(record);
    sn_rewind *rewind = (sn_rewind *)(void *)memory;
    *rewind = (sn_rewind){.allocator = world->allocator,
                          .total = bytes,
                          .record = (record *)(void *)(memory + head_size()),
                          .capacity = (uint32_t)capacity,
                          .block = (unsigned char *)memory + head,
                          .block_size = bytes - head};
    return rewind;
}

void sn_rewind_destroy(sn_rewind *rewind)
{
    if (!rewind)
        return;
    sn_allocator allocator = rewind->allocator;
    sn_release(&allocator, rewind, rewind->total);
}

/* Finds a place for a state that fits into the block, and drops the states there. The records are in ascending order
   from the oldest to the end of the block, and on from its start to the newest. */
static size_t make_room(sn_rewind *rewind, size_t size)
{
    size_t at = 0;
    if (rewind->count) {
        const record *newest = record_at(rewind, rewind->count - 1);
        at = newest->at + newest->size;
    }
    if (at + size > rewind->block_size) {
        while (rewind->count && record_at(rewind, 0)->at >= at) /* the oldest, which are behind the newest */
            drop_oldest(rewind);
        at = 0;
    }
    while (rewind->count && record_at(rewind, 0)->at >= at && record_at(rewind, 0)->at < at + size)
        drop_oldest(rewind);
    if (rewind->count == rewind->capacity)
        drop_oldest(rewind);
    return at;
}

sn_result sn_rewind_record(sn_rewind *rewind, sn_world *world)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!rewind)
        return world_fail(world, SN_ERROR_ARGUMENT, "rewind is NULL");
    size_t size = sn_state_measure(world);
    if (!size)
        return world_fail(world, SN_ERROR_MEMORY, "no memory to measure a state");
    if (size > rewind->block_size)
        return world_fail(world, SN_ERROR_LIMIT, "the state takes %zu bytes, but the rewind has room for only %zu",
                          size, rewind->block_size);
    size_t at = make_room(rewind, size);
    sn_state_write(world, rewind->block + at);
    *record_at(rewind, rewind->count++) = (record){at, size, world->state.time};
    return SN_OK;
}

uint32_t sn_rewind_count(const sn_rewind *rewind)
{
    return rewind ? rewind->count : 0;
}

double sn_rewind_time(const sn_rewind *rewind, uint32_t ago)
{
    return ago < sn_rewind_count(rewind) ? record_at(rewind, rewind->count - 1 - ago)->time : (double)NAN;
}

sn_result sn_rewind_back(sn_rewind *rewind, sn_world *world, uint32_t ago)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!rewind)
        return world_fail(world, SN_ERROR_ARGUMENT, "rewind is NULL");
    if (ago >= rewind->count)
        return world_fail(world, SN_ERROR_ARGUMENT, "there is no state %u records ago; %u are there", ago,
                          rewind->count);
    const record *r = record_at(rewind, rewind->count - 1 - ago);
    if ((result = sn_state_load(world, rewind->block + r->at, r->size)) != SN_OK)
        return result;
    rewind->count -= ago;
    return SN_OK;
}

size_t sn_rewind_size(const sn_rewind *rewind)
{
    return rewind ? rewind->total : 0;
}

/* ---- True reversal ---------------------------------------------------------------------------------------------- */

/* With two positions, as in Verlet, these would have to be reversed about the acceleration in between. The history that
   is made again from the velocity does just that: x_old = x - v h + a h^2 / 2 with -v is the position where the
   particle would have gone next. */
sn_result sn_world_reverse(sn_world *world)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot) {
        sn_vec4 *v = &world->particles.v[slot];
        *v = vec4(vec3_scale(vec4_xyz(*v), -1), v->w);
        world->particles.v_low[slot] = vec4(vec3_scale(vec4_xyz(world->particles.v_low[slot]), -1), 0);
    }
    sn_world_forget_history(world);
    return SN_OK;
}
