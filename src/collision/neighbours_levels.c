/* Pairs between levels. A smaller sphere searches for larger ones, in the few cells of each higher level within reach.
   In the opposite direction there may be any number of cells. The spheres of a block search as a group: first for all
   larger spheres that overlap the box around the group, which are mostly none. Then each half of the group keeps those
   that overlap its own box, and so on. */
#include "collision/neighbours_compare.h"

#include <string.h>

/* A group of spheres that search together. They are the first ones in the scratch; larger spheres come after them.
   Instead of indices, positions in sorted order are kept. */
typedef struct near_group {
    uint32_t first, end;
    sn_vec3 low, high; /* around their centres */
    sn_real reach;     /* the largest */
} near_group;

static sn_real least(sn_real a, sn_real b)
{
    return a < b ? a : b;
}

static sn_real most(sn_real a, sn_real b)
{
    return a > b ? a : b;
}

static near_group group_of(const near_scratch *s, uint32_t first, uint32_t end)
{
    const sn_vec3 centre = vec3(s->x[first], s->y[first], s->z[first]);
    near_group g = {first, end, centre, centre, s->w[first]};
    for (uint32_t i = first + 1; i < end; ++i) {
        g.low = vec3(least(g.low.x, s->x[i]), least(g.low.y, s->y[i]), least(g.low.z, s->z[i]));
        g.high = vec3(most(g.high.x, s->x[i]), most(g.high.y, s->y[i]), most(g.high.z, s->z[i]));
        g.reach = most(g.reach, s->w[i]);
    }
    return g;
}

static sn_real outside(sn_real x, sn_real low, sn_real high)
{
    return most(most(low - x, x - high), 0);
}

/* True if a sphere of the group may overlap b. Rounding is monotonic, so no overlap is missed. */
static bool may_touch(const near_group *g, sn_vec4 b)
{
    sn_real x = outside(b.x, g->low.x, g->high.x), y = outside(b.y, g->low.y, g->high.y);
    sn_real z = outside(b.z, g->low.z, g->high.z), reach = g->reach + b.w;
    return x * x + y * y + z * z <= reach * reach;
}

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

/* Compares the larger spheres first .. end - 1 with each of a group. Pairs are ordered by their smaller sphere. */
static void compare_group(const near_group *g, near_scratch *s, uint32_t first, uint32_t end)
{
    const uint64_t before = s->pairs;
    for (uint32_t a = g->first; a < g->end && s->pairs < NEAR_MOST_PAIRS; ++a)
        near_compare(s, a, first, end);
    for (uint64_t i = before; i < s->pairs && !s->crowded; ++i)
        s->pair[i] = (near_pair){s->id[s->pair[i].a], s->id[s->pair[i].b]};
}

/* A group of this size is not divided further. */
#define FEW_SPHERES 8u

/* Compares a group with the larger spheres first .. end - 1, which are the last in the scratch. The larger spheres that
   a half keeps are added after them, as long as there is room. */
static void divide_group(const near_group *g, near_scratch *s, uint32_t first, uint32_t end)
{
    if (g->end - g->first <= FEW_SPHERES || end - first > s->sphere_capacity - end) {
        compare_group(g, s, first, end);
        return;
    }
    const uint32_t middle = g->first + (g->end - g->first) / 2;
    const near_group half[2] = {group_of(s, g->first, middle), group_of(s, middle, g->end)};
    for (uint32_t k = 0; k < 2; ++k) {
        uint32_t kept = end;
        for (uint32_t i = first; i < end; ++i) {
            const sn_vec4 b = {s->x[i], s->y[i], s->z[i], s->w[i]};
            s->x[kept] = b.x;
            s->y[kept] = b.y;
            s->z[kept] = b.z;
            s->w[kept] = b.w;
            s->id[kept] = s->id[i];
            kept += may_touch(&half[k], b);
        }
        if (kept > end)
            divide_group(&half[k], s, end, kept);
    }
}

/* ---- Searching --------------------------------------------------------------------------------------------------- */

/* Adds the larger spheres that may overlap the group. False if there are too many. For a group of one there may be any
   number: when the scratch is full, they are compared at once. */
static bool add_larger(const near_job *job, const near_group *g, near_scratch *s, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; ++i) {
        if (!may_touch(g, job->centre[i]))
            continue;
        if (s->spheres == s->sphere_capacity) {
            if (g->end - g->first > 1)
                return false;
            compare_group(g, s, g->end, s->spheres);
            s->spheres = g->end;
        }
        near_gather(job, s, s->spheres++, i, i);
    }
    return true;
}

/* A box of cells: lowest and highest cell along x, y and z, inclusive. */
typedef struct near_box {
    uint64_t low[3], high[3];
} near_box;

static near_box box_of(const near_group *g, const near_level *level)
{
    const double low[3] = {(double)g->low.x, (double)g->low.y, (double)g->low.z};
    const double high[3] = {(double)g->high.x, (double)g->high.y, (double)g->high.z};
    const double reach = (double)g->reach + level->edge / 2; /* the cell size has some slack */
    near_box box;
    for (uint32_t i = 0; i < 3; ++i) { /* for an infinite edge every point is in the level's single cell */
        box.low[i] = sn_near_cell_along(level->inverse > 0 ? low[i] - reach : 0, level->inverse);
        box.high[i] = sn_near_cell_along(level->inverse > 0 ? high[i] + reach : 0, level->inverse);
    }
    return box;
}

/* The number of blocks that a box touches along an axis. More than two: the group is spread too far, as where distant
   spheres share a block because coordinates wrap around. A single sphere touches at most two. */
static uint64_t blocks_along(const near_box *box, uint32_t axis)
{
    return box->high[axis] / NEAR_SIDE - box->low[axis] / NEAR_SIDE + 1;
}

static bool cell_in_box(const near_box *box, const uint64_t *base, uint32_t cell)
{
    const uint32_t along[3] = {cell % NEAR_SIDE, cell / NEAR_SIDE % NEAR_SIDE, cell / (NEAR_SIDE * NEAR_SIDE)};
    for (uint32_t i = 0; i < 3; ++i)
        if (base[i] + along[i] < box->low[i] || base[i] + along[i] > box->high[i])
            return false;
    return true;
}

/* Searches the cells of one block. base: its lowest cell. */
static bool look_into(const near_job *job, const near_group *g, near_scratch *s, const near_box *box, uint32_t level,
                      const uint64_t *base)
{
    uint32_t rank =
        sn_near_find_block(job, sn_near_key(level, base[0] / NEAR_SIDE, base[1] / NEAR_SIDE, base[2] / NEAR_SIDE));
    if (rank == NEAR_NONE)
        return true;
    const sn_near_block *block = &job->block[rank];
    uint32_t ordinal = 0;
    for (uint64_t cells = block->cells; cells; cells &= cells - 1, ++ordinal)
        if (cell_in_box(box, base, bits_lowest(cells)) &&
            !add_larger(job, g, s, near_cell_start(job, block, ordinal), job->cell_end[block->first + ordinal]))
            return false;
    return true;
}

/* Finds all larger spheres of one level that overlap the box around the group. */
static bool look_up(const near_job *job, const near_group *g, near_scratch *s, const near_level *level)
{
    const near_box box = box_of(g, level);
    const bool alone = g->end - g->first == 1;
    for (uint32_t i = 0; i < 3; ++i)
        if (!alone && blocks_along(&box, i) > 2)
            return false;
    const uint64_t inside = ~(uint64_t)(NEAR_SIDE - 1);
    uint64_t base[3];
    for (base[2] = box.low[2] & inside; base[2] <= box.high[2]; base[2] += NEAR_SIDE)
        for (base[1] = box.low[1] & inside; base[1] <= box.high[1]; base[1] += NEAR_SIDE)
            for (base[0] = box.low[0] & inside; base[0] <= box.high[0]; base[0] += NEAR_SIDE)
                if (!look_into(job, g, s, &box, level->level, base))
                    return false;
    return true;
}

static bool look_up_all(const near_job *job, const near_group *g, near_scratch *s, uint32_t level)
{
    for (uint32_t i = level + 1; i < job->levels; ++i)
        if (!look_up(job, g, s, &job->level[i]))
            return false;
    return true;
}

/* The largest group: there must be room for the spheres that it finds. */
#define MOST_TOGETHER 256u

/* Finds the pairs of the spheres first .. end - 1 in sorted order. The recursion is as deep as their number has
   bits. */
static void pairs_of_spheres(const near_job *job, near_scratch *s, uint32_t level, uint32_t first, uint32_t end)
{
    if (end - first <= MOST_TOGETHER && end - first < s->sphere_capacity) {
        for (uint32_t i = first; i < end; ++i)
            near_gather(job, s, i - first, i, i);
        const near_group g = group_of(s, 0, end - first);
        s->spheres = g.end;
        if (look_up_all(job, &g, s, level)) {
            divide_group(&g, s, g.end, s->spheres);
            return;
        }
    }
    const uint32_t middle = first + (end - first) / 2;
    pairs_of_spheres(job, s, level, first, middle);
    pairs_of_spheres(job, s, level, middle, end);
}

static void pairs_of_block(near_job *job, uint32_t rank, near_scratch *s)
{
    sn_near_block *block = &job->block[rank];
    s->pairs = 0;
    s->crowded = false;
    pairs_of_spheres(job, s, block->level, block->first, block->end);
    block->crowded = s->crowded;
    block->crowd_spheres = s->sphere_capacity; /* any number is enough */
    block->crowd_pairs = s->pairs;
    if (s->crowded)
        return;
    const uint64_t at = atomic_fetch_add_explicit(&job->bump, s->pairs, memory_order_relaxed);
    block->found = (uint32_t)s->pairs;
    block->found_at = (uint32_t)at;
    if (s->pairs && at + s->pairs <= job->found_capacity)
        memcpy(job->found + at, s->pair, (size_t)s->pairs * sizeof *s->pair);
}

static bool find_pairs(near_job *job)
{
    sn_table *table = &job->n->found_table;
    for (;;) {
        job->found = table->column[0];
        job->found_capacity = table->capacity;
        if (!sn_near_run_blocks(job, 50.0 * job->in->count, pairs_of_block))
            return false;
        uint64_t found = atomic_load_explicit(&job->bump, memory_order_relaxed);
        if (found <= job->found_capacity)
            return true;
        if (!sn_table_reserve(table, job->allocator, found))
            return false;
    }
}

/* ---- Routing to the blocks of the larger spheres ----------------------------------------------------------------- */

static uint32_t rank_of(const near_job *job, uint32_t place)
{
    return (uint32_t)(job->sorted[place] >> 32) / NEAR_CELLS;
}

/* Puts pairs into the order of their smaller spheres, which does not depend on when they were found. */
static void address_blocks(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    near_job *job = data;
    for (uint32_t i = 0; i < NEAR_BLOCKS_A_TASK && index * NEAR_BLOCKS_A_TASK + i < job->blocks; ++i) {
        const sn_near_block *block = &job->block[index * NEAR_BLOCKS_A_TASK + i];
        for (uint32_t k = 0; k < block->found; ++k) {
            near_pair pair = job->found[block->found_at + k];
            job->cross[block->sorted_at + k] = pair;
            job->item[block->sorted_at + k] = (uint64_t)rank_of(job, pair.b) << 32 | (block->sorted_at + k);
        }
    }
}

static bool route_pairs(near_job *job, uint32_t found)
{
    sn_table *table = &job->n->route_table;
    if (!sn_table_reserve(table, job->allocator, found))
        return false;
    job->cross = table->column[0];
    job->item = table->column[1];
    job->other = table->column[2];
    for (uint32_t i = 0, at = 0; i < job->blocks; ++i) {
        job->block[i].sorted_at = at;
        at += job->block[i].found;
    }
    if (!sn_near_run(job, sn_near_block_tasks(job), 4.0 * found, address_blocks) ||
        !sn_near_sort(job, found, job->blocks - 1))
        return false;
    job->route = job->item;
    for (uint32_t i = 0; i < found; ++i) {
        sn_near_block *block = &job->block[job->route[i] >> 32];
        if (block->cross_end == 0)
            block->cross = i;
        block->cross_end = i + 1;
    }
    return true;
}

bool sn_near_find_between_levels(near_job *job)
{
    if (job->levels < 2)
        return true;
    if (!find_pairs(job))
        return false;
    uint64_t found = atomic_load_explicit(&job->bump, memory_order_relaxed);
    return found == 0 || route_pairs(job, (uint32_t)found);
}
