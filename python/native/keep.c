/* Memory of a world whose views are shared with Python. An array that NumPy shows may live longer than what it shows: the world adds
   particles and moves to larger memory, or is closed. This allocator then keeps the old memory until the last such array is gone, so that to
   look at it is never a crash. While nothing is shared it is malloc and free.

   Calls come from the thread that uses the world; but an array may be dropped on any thread, so there is a lock. */
#include "keep.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct block {
    struct block *next;
} block;

struct sn_python_keep {
    pthread_mutex_t lock;
    size_t holds; /* worlds and snapshots */
    size_t pins;  /* arrays */
    size_t kept;  /* bytes that were released and are kept */
    block *first; /* of those */
};

/* Room before each block, for its place in the list. It is the largest alignment that is asked for. */
#define AHEAD 64

static void *allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    (void)alignment;
    void *memory;
    if (size > SIZE_MAX - AHEAD || posix_memalign(&memory, AHEAD, size + AHEAD))
        return NULL;
    return (char *)memory + AHEAD;
}

static void release(void *context, void *data, size_t size)
{
    sn_python_keep *keep = context;
    if (!data)
        return;
    block *b = (block *)(void *)((char *)data - AHEAD);
    pthread_mutex_lock(&keep->lock);
    if (keep->pins) {
        b->next = keep->first;
        keep->first = b;
        keep->kept += size;
        b = NULL;
    }
    pthread_mutex_unlock(&keep->lock);
    free(b);
}

static void free_all(block *b)
{
    while (b) {
        block *next = b->next;
        free(b);
        b = next;
    }
}

/* Gives up one hold or pin. Without pins what was kept goes, and with the last of both the keep itself. */
static void give_up(sn_python_keep *keep, size_t *count)
{
    block *all = NULL;
    pthread_mutex_lock(&keep->lock);
    --*count;
    if (!keep->pins) {
        all = keep->first;
        keep->first = NULL;
        keep->kept = 0;
    }
    bool last = !keep->pins && !keep->holds;
    pthread_mutex_unlock(&keep->lock);
    free_all(all);
    if (last) {
        pthread_mutex_destroy(&keep->lock);
        free(keep);
    }
}

static void take(sn_python_keep *keep, size_t *count)
{
    pthread_mutex_lock(&keep->lock);
    ++*count;
    pthread_mutex_unlock(&keep->lock);
}

sn_python_keep *sn_python_keep_create(void)
{
    sn_python_keep *keep = calloc(1, sizeof *keep);
    if (keep && pthread_mutex_init(&keep->lock, NULL)) {
        free(keep);
        return NULL;
    }
    if (keep)
        keep->holds = 1;
    return keep;
}

sn_allocator sn_python_keep_allocator(sn_python_keep *keep)
{
    return (sn_allocator){allocate, release, keep};
}

void sn_python_keep_hold(sn_python_keep *keep)
{
    take(keep, &keep->holds);
}

void sn_python_keep_drop(sn_python_keep *keep)
{
    give_up(keep, &keep->holds);
}

void sn_python_keep_pin(sn_python_keep *keep)
{
    take(keep, &keep->pins);
}

void sn_python_keep_unpin(sn_python_keep *keep)
{
    give_up(keep, &keep->pins);
}

size_t sn_python_keep_size(sn_python_keep *keep)
{
    pthread_mutex_lock(&keep->lock);
    size_t kept = keep->kept;
    pthread_mutex_unlock(&keep->lock);
    return kept;
}

/* ---- Many particles by number ------------------------------------------------------------------------------------------- */

typedef sn_result set_fn(sn_world *world, sn_particle particle, sn_vec3 value);

static sn_result write_each(sn_world *world, uint32_t count, const uint32_t *numbers, const sn_real *xyz, set_fn *set)
{
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 value = {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
        sn_particle particle = sn_particle_from_index(world, numbers[i]);
        sn_result result = particle.generation ? set(world, particle, value) : SN_ERROR_STALE;
        if (result != SN_OK)
            return result;
    }
    return SN_OK;
}

sn_result sn_python_write_positions(sn_world *world, uint32_t count, const uint32_t *numbers, const sn_real *xyz)
{
    return write_each(world, count, numbers, xyz, sn_particle_set_position);
}

sn_result sn_python_write_velocities(sn_world *world, uint32_t count, const uint32_t *numbers, const sn_real *xyz)
{
    return write_each(world, count, numbers, xyz, sn_particle_set_velocity);
}

/* ---- Force fields ----------------------------------------------------------------------------------------------------------- */

static sn_vec3 ask_field(void *context, const sn_field_in *in)
{
    sn_python_field *field = context;
    sn_vec3 force = {0, 0, 0};
    field->function(field->context, in, &force);
    return force;
}

sn_result sn_python_field_add(sn_world *world, sn_python_field *field, uint32_t *number)
{
    return sn_field_add(world, ask_field, field, false, number);
}
