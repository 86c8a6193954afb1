#include "collision/neighbours_work.h"

#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

typedef struct near_columns {
    sn_table *table;
    size_t width[8];
} near_columns;

#define NEAR_TABLES 14u

/* Lists all tables and their columns. The scratch table has cache lines as rows; cut_scratch divides it. */
static void list_tables(sn_neighbours *n, near_columns *list)
{
    const near_columns all[NEAR_TABLES] = {
        {&n->measure_table, {sizeof(near_measure)}},
        {&n->sphere_table,
         {sizeof(uint64_t), sizeof(uint64_t), sizeof(sn_vec4), sizeof(uint32_t), sizeof(uint32_t), sizeof(uint8_t)}},
        {&n->count_table, {sizeof(uint32_t)}},
        {&n->hash_table, {sizeof(atomic_uint_least64_t), sizeof(uint32_t), sizeof(uint32_t)}},
        {&n->cell_table, {sizeof(sn_near_block), sizeof(sn_sort_item), sizeof(sn_sort_item)}},
        {&n->level_table, {sizeof(near_level)}},
        {&n->found_table, {sizeof(near_pair)}},
        {&n->route_table, {sizeof(near_pair), sizeof(uint64_t), sizeof(uint64_t)}},
        {&n->scratch_table, {SN_ALIGNMENT}},
        {&n->crowd_table, {SN_ALIGNMENT}},
        {&n->batch_table[0], {sizeof(sn_near_batch), sizeof(uint8_t)}},
        {&n->batch_table[1], {sizeof(sn_near_batch), sizeof(uint8_t)}},
        {&n->block_table, {sizeof(uint32_t), sizeof(uint32_t)}},
        {&n->colour_table, {sizeof(uint32_t)}},
    };
    memcpy(list, all, sizeof all);
}

void sn_neighbours_init(sn_neighbours *neighbours)
{
    near_columns list[NEAR_TABLES];
    *neighbours = (sn_neighbours){0};
    list_tables(neighbours, list);
    for (uint32_t i = 0; i < NEAR_TABLES; ++i)
        for (const size_t *width = list[i].width; *width; ++width)
            sn_table_column(list[i].table, *width, false);
}

void sn_neighbours_release(sn_neighbours *neighbours, const sn_allocator *allocator)
{
    near_columns list[NEAR_TABLES];
    list_tables(neighbours, list);
    for (uint32_t i = 0; i < NEAR_TABLES; ++i)
        sn_table_release(list[i].table, allocator);
    sn_neighbours_init(neighbours);
}

static bool reserve_spheres(near_job *job)
{
    sn_table *measure = &job->n->measure_table, *spheres = &job->n->sphere_table;
    if (!sn_table_reserve(measure, job->allocator, job->pieces) ||
        !sn_table_reserve(spheres, job->allocator, job->in->count))
        return false;
    job->measure = measure->column[0];
    job->item = spheres->column[0];
    job->other = spheres->column[1];
    job->centre = spheres->column[2];
    job->cell_end = spheres->column[3];
    job->slot = spheres->column[4];
    job->cell = spheres->column[5];
    return true;
}

/* ---- Scratch ----------------------------------------------------------------------------------------------------- */

/* The capacity of a worker's scratch: several times what spheres of one size in a heap need. */
#define WORKER_SPHERES 2048u
#define WORKER_PAIRS   8192u

/* Takes bytes, in whole cache lines. If *from is NULL it only counts the lines. */
static void *take(char **from, uint64_t *lines, uint64_t bytes)
{
    void *taken = *from;
    uint64_t count = (bytes + SN_ALIGNMENT - 1) / SN_ALIGNMENT;
    if (*from)
        *from += count * SN_ALIGNMENT;
    *lines += count;
    return taken;
}

/* Lays out one scratch. Returns the number of cache lines that it takes. */
static uint64_t cut_scratch(near_scratch **scratch, char *from, uint64_t spheres, uint64_t pairs)
{
    near_scratch cut = {.sphere_capacity = (uint32_t)spheres, .pair_capacity = pairs};
    uint64_t lines = 0;
    near_scratch *s = take(&from, &lines, sizeof *s);
    sn_real **coordinate[4] = {&cut.x, &cut.y, &cut.z, &cut.w};
    for (uint32_t i = 0; i < 4; ++i)
        *coordinate[i] = take(&from, &lines, (spheres + NEAR_SPARE) * sizeof(sn_real));
    cut.id = take(&from, &lines, spheres * sizeof *cut.id);
    cut.local = take(&from, &lines, spheres * sizeof *cut.local);
    cut.used = take(&from, &lines, spheres * sizeof *cut.used);
    cut.pair = take(&from, &lines, (pairs + NEAR_SPARE) * sizeof *cut.pair);
    cut.lane = take(&from, &lines, pairs * sizeof *cut.lane);
    if (s)
        *s = cut;
    *scratch = s;
    return lines;
}

static bool reserve_scratch(near_job *job)
{
    const uint64_t count = job->in->count, all = count * (count - 1) / 2;
    job->scratch_spheres = count < WORKER_SPHERES ? (uint32_t)count : WORKER_SPHERES;
    job->scratch_pairs = all < WORKER_PAIRS ? (uint32_t)all : WORKER_PAIRS;
    near_scratch *one;
    job->scratch_lines = cut_scratch(&one, NULL, job->scratch_spheres, job->scratch_pairs);
    if (!sn_table_reserve(&job->n->scratch_table, job->allocator, job->workers * job->scratch_lines))
        return false;
    job->scratch = job->n->scratch_table.column[0];
    for (uint32_t i = 0; i < job->workers; ++i)
        cut_scratch(&one, job->scratch + i * job->scratch_lines * SN_ALIGNMENT, job->scratch_spheres,
                    job->scratch_pairs);
    return true;
}

/* ---- Loops ------------------------------------------------------------------------------------------------------- */

bool sn_near_run(near_job *job, uint32_t tasks, double work, sn_task_fn *task)
{
    sn_parallel *shared = job->parallel && sn_parallel_wants(job->parallel, work) ? job->parallel : NULL;
    if (shared && !sn_parallel_reserve_tasks(shared, job->allocator, tasks))
        return false;
    if (!sn_parallel_tasks(shared, tasks, task, job)) {
        job->lost = true;
        return false;
    }
    return true;
}

uint32_t sn_near_block_tasks(const near_job *job)
{
    return job->blocks / NEAR_BLOCKS_A_TASK + (job->blocks % NEAR_BLOCKS_A_TASK != 0);
}

static void run_pass(void *data, uint32_t index, uint32_t worker)
{
    near_job *job = data;
    near_scratch *scratch = (near_scratch *)(job->scratch + worker * job->scratch_lines * SN_ALIGNMENT);
    for (uint32_t i = 0; i < NEAR_BLOCKS_A_TASK && index * NEAR_BLOCKS_A_TASK + i < job->blocks; ++i)
        job->pass(job, index * NEAR_BLOCKS_A_TASK + i, scratch);
}

/* Repeats a block that had too little scratch memory. It reports how much it needs, and perhaps a second time: the
   number of pairs is known only when there is room for its spheres. */
static bool run_crowded(near_job *job, uint32_t rank)
{
    const sn_near_block *block = &job->block[rank];
    sn_table *table = &job->n->crowd_table;
    uint64_t spheres = 0, pairs = 0;
    while (block->crowded) {
        spheres = block->crowd_spheres > spheres ? block->crowd_spheres : spheres;
        pairs = block->crowd_pairs > pairs ? block->crowd_pairs : pairs;
        const uint64_t room = pairs + spheres + WORKER_SPHERES; /* for all candidates that a sphere is compared with at
                                                                   once */
        near_scratch *scratch;
        if (pairs >= NEAR_MOST_PAIRS ||
            !sn_table_reserve(table, job->allocator, cut_scratch(&scratch, NULL, spheres, room)))
            return false;
        cut_scratch(&scratch, table->column[0], spheres, room);
        job->pass(job, rank, scratch);
    }
    return true;
}

bool sn_near_run_blocks(near_job *job, double work, near_pass_fn *pass)
{
    job->pass = pass;
    atomic_store_explicit(&job->bump, 0, memory_order_relaxed);
    if (!sn_near_run(job, sn_near_block_tasks(job), work, run_pass))
        return false;
    for (uint32_t i = 0; i < job->blocks; ++i)
        if (job->block[i].crowded && !run_crowded(job, i))
            return false;
    return true;
}

/* ---- The final order --------------------------------------------------------------------------------------------- */

static void copy_blocks(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const near_job *job = data;
    for (uint32_t i = 0; i < NEAR_BLOCKS_A_TASK && index * NEAR_BLOCKS_A_TASK + i < job->blocks; ++i) {
        const sn_near_block *b = &job->block[index * NEAR_BLOCKS_A_TASK + i];
        if (b->batches) {
            memcpy(job->n->batch + b->final_at, job->batch + b->batch_at, b->batches * sizeof *job->batch);
            memcpy(job->n->lanes + b->final_at, job->lanes + b->batch_at, b->batches);
        }
    }
}

static uint32_t colour_of(const sn_near_block *block)
{
    const near_place place = sn_near_place_of(block->key);
    return (place.z & 1) << 2 | (place.y & 1) << 1 | (place.x & 1);
}

/* Lists the blocks of a level and colour that have batches, and sets where their batches go. */
static void list_colour(near_job *job, const near_level *level, uint32_t colour, uint64_t *pairs)
{
    sn_neighbours *n = job->n;
    const uint32_t blocks = n->blocks;
    for (uint32_t i = level->first; i < level->end; ++i) {
        sn_near_block *block = &job->block[i];
        if (block->batches == 0 || colour_of(block) != colour)
            continue;
        block->final_at = n->batches;
        block->final_block = n->blocks;
        n->block[n->blocks++] = n->batches;
        n->batches += block->batches;
        *pairs += block->pairs;
    }
    if (n->blocks > blocks)
        n->colour[n->colours++] = blocks;
}

static bool order_batches(near_job *job)
{
    sn_neighbours *n = job->n;
    uint64_t pairs = 0;
    if (!sn_table_reserve(&n->block_table, job->allocator, (uint64_t)job->blocks + 1) ||
        !sn_table_reserve(&n->colour_table, job->allocator, 8 * (uint64_t)job->levels + 1) ||
        !sn_table_reserve(&n->batch_table[1], job->allocator, atomic_load_explicit(&job->bump, memory_order_relaxed)))
        return false;
    n->block = n->block_table.column[0];
    n->by_place = n->block_table.column[1];
    n->colour = n->colour_table.column[0];
    n->batch = n->batch_table[1].column[0];
    n->lanes = n->batch_table[1].column[1];
    for (uint32_t i = 0; i < job->levels; ++i)
        for (uint32_t colour = 0; colour < 8; ++colour)
            list_colour(job, &job->level[i], colour, &pairs);
    for (uint32_t i = 0, at = 0; i < job->blocks; ++i)
        if (job->block[i].batches)
            n->by_place[at++] = job->block[i].final_block;
    n->block[n->blocks] = n->batches;
    n->colour[n->colours] = n->blocks;
    n->pairs = (uint32_t)pairs;
    return pairs <= UINT32_MAX && sn_near_run(job, sn_near_block_tasks(job), 8.0 * n->batches, copy_blocks);
}

/* ---- The whole search -------------------------------------------------------------------------------------------- */

static void forget(sn_neighbours *n)
{
    n->pairs = n->batches = n->blocks = n->colours = 0;
    n->batch = NULL;
    n->lanes = NULL;
    n->block = n->by_place = n->colour = NULL;
}

static bool make_cells(near_job *job)
{
    job->workers = job->parallel ? sn_parallel_workers(job->parallel) : 1;
    job->piece = sn_near_piece(job->in->count);
    job->pieces = job->in->count / job->piece + (job->in->count % job->piece != 0);
    return job->in->count <= SN_NEAR_MOST && reserve_spheres(job) && sn_near_make_cells(job);
}

static bool find(near_job *job)
{
    return job->in->count < 2 || (make_cells(job) && reserve_scratch(job) && sn_near_find_between_levels(job) &&
                                  sn_near_find_pairs(job) && order_batches(job));
}

bool sn_neighbours_find(sn_neighbours *neighbours, const sn_allocator *allocator, sn_parallel *parallel,
                        const sn_near_input *input, bool *lost)
{
    near_job job = {.n = neighbours, .in = input, .allocator = allocator, .parallel = parallel};
    forget(neighbours);
    bool found = find(&job);
    if (!found)
        forget(neighbours);
    *lost = job.lost;
    return found;
}

const uint64_t *sn_neighbours_order(sn_neighbours *neighbours, const sn_allocator *allocator, sn_parallel *parallel,
                                    const sn_near_input *input, bool *lost)
{
    near_job job = {.n = neighbours, .in = input, .allocator = allocator, .parallel = parallel};
    forget(neighbours);
    bool made = make_cells(&job);
    *lost = job.lost;
    return made ? job.sorted : NULL;
}
