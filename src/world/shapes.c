/* Short calls for shape matching: some particles, all particles of a group, and overlapping clusters for a soft
   body. */
#include "world/world.h"

#include "base/sets.h"
#include "base/sort.h"

#include <float.h>
#include <string.h>

/* Clusters are two cells long along each axis, so a particle is in up to eight of them. */
#define AROUND 8u

/* Limit of the cells along an axis, so that a cluster has a number. */
#define MOST_CELLS 0x100000u

/* A particle that is this close to the end of a cell, in rounding errors of a coordinate, counts as at the beginning of
   the next. Without this a layer of a grid is sometimes counted to the cell before, and the cell after it is empty. */
#define ROUNDINGS 8

/* Factor by which clusters are enlarged until they are connected, to report a sufficient size. */
#define LARGER 1.25

static bool is_shape(const sn_world *world, uint32_t kind)
{
    return kind < world->constraints.kind_count && kind > 0 && world->constraints.pool[kind]->point_param_count;
}

static sn_result check_particles(sn_world *world, uint32_t kind, uint32_t count, const uint32_t *index)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!is_shape(world, kind))
        return world_fail(world, SN_ERROR_ARGUMENT, "kind %u does not match shapes", kind);
    if (!index)
        return world_fail(world, SN_ERROR_ARGUMENT, "the array of particle numbers is NULL");
    if (count > SN_MAX_COUNT / AROUND)
        return world_fail(world, SN_ERROR_LIMIT, "%u particles are too many for shapes; %u are possible", count,
                          SN_MAX_COUNT / AROUND);
    for (uint32_t i = 0; i < count; ++i)
        if (!sn_ids_is_live(&world->ids, index[i]))
            return world_fail(world, SN_ERROR_STALE, "there is no particle number %u", index[i]);
    return SN_OK;
}

sn_constraint sn_constraint_add_shape_match(sn_world *world, uint32_t kind, uint32_t count, const uint32_t *index,
                                            sn_real stiffness)
{
    sn_constraints run = {0};
    const uint32_t start[2] = {0, count};
    if (check_particles(world, kind, count, index) != SN_OK)
        return (sn_constraint){0};
    sn_constraint_def def = sn_default_constraint_def(kind);
    def.stiffness = stiffness;
    sn_constraints_add_lists(world, &def, 1, start, index, &run);
    return sn_constraints_at(run, 0);
}

sn_constraint sn_constraint_add_rigid_group(sn_world *world, uint32_t group)
{
    sn_constraint constraint = {0};
    uint32_t count = 0;
    if (sn_world_enter(world) != SN_OK)
        return constraint;
    size_t size = (world->ids.table.count + (size_t)1) * sizeof(uint32_t);
    uint32_t *index = sn_allocate(&world->allocator, size);
    if (!index) {
        world_fail(world, SN_ERROR_MEMORY, "no memory for the particles of group %u", group);
        return constraint;
    }
    for (uint32_t i = 0; i < world->ids.table.count; ++i)
        if (sn_ids_is_live(&world->ids, i) && world->particles.group[world->ids.value[i]] == group)
            index[count++] = i;
    if (count < 2)
        world_fail(world, SN_ERROR_ARGUMENT, "group %u has %u particles; a shape has 2 or more", group, count);
    else
        constraint = sn_constraint_add_shape_match(world, SN_KIND_SHAPE_MATCH, count, index, 1);
    sn_release(&world->allocator, index, size);
    return constraint;
}

/* ---- Clusters ---------------------------------------------------------------------------------------------------- */

/* The cells of a body, and its particles by cluster. */
typedef struct clustering {
    sn_world *world;
    const uint32_t *index;
    uint32_t count;
    sn_vec3 low;
    double cell[3];    /* m */
    double slack;      /* m: tolerance for rounding of positions */
    uint32_t cells[3]; /* along each axis */
    /* pairs of cluster and particle: the key is the cluster's number; room for AROUND pairs per particle */
    sn_sort_item *item, *sort;
    uint32_t *start, *number;
    uint32_t items, clusters;
} clustering;

static double coordinate(sn_vec3 v, int axis)
{
    return (double)(axis == 0 ? v.x : axis == 1 ? v.y : v.z);
}

static sn_vec3 place_of(const clustering *c, uint32_t i)
{
    return vec4_xyz(c->world->particles.x[c->world->ids.value[c->index[i]]]);
}

/* Divides the box of the particles so that two cells are at most as long as a cluster. */
static sn_result lay_cells(clustering *c, sn_real size)
{
    sn_vec3 low = place_of(c, 0), high = low;
    for (uint32_t i = 1; i < c->count; ++i) {
        sn_vec3 x = place_of(c, i);
        low = vec3(x.x < low.x ? x.x : low.x, x.y < low.y ? x.y : low.y, x.z < low.z ? x.z : low.z);
        high = vec3(x.x > high.x ? x.x : high.x, x.y > high.y ? x.y : high.y, x.z > high.z ? x.z : high.z);
    }
    const double epsilon = SINEW_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON;
    c->low = low;
    c->slack = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double extent = coordinate(high, axis) - coordinate(low, axis), wanted = ceil(2 * extent / (double)size);
        if (!(wanted < MOST_CELLS))
            return world_fail(c->world, SN_ERROR_LIMIT,
                              "clusters of %g m are too small for a body of %g m; %g m is the least", (double)size,
                              extent, 2 * extent / MOST_CELLS);
        c->cells[axis] = wanted > 2 ? (uint32_t)wanted : 2;
        c->cell[axis] = extent / c->cells[axis];
        double largest = fmax(fabs(coordinate(low, axis)), fabs(coordinate(high, axis)));
        c->slack = fmax(c->slack, ROUNDINGS * epsilon * largest);
    }
    return SN_OK;
}

/* The clusters along an axis that contain a coordinate. *first: the first one. Returns 1 or 2, their number. */
static uint32_t clusters_along(const clustering *c, sn_vec3 x, int axis, uint32_t *first)
{
    double at = coordinate(x, axis) - coordinate(c->low, axis) + c->slack;
    uint32_t last = c->cells[axis] - 2, cell = 0;
    if (c->cell[axis] > 0)
        cell = at / c->cell[axis] < c->cells[axis] - 1 ? (uint32_t)(at / c->cell[axis]) : c->cells[axis] - 1;
    *first = cell > 0 ? cell - 1 : 0;
    return cell == 0 || cell > last ? 1 : 2;
}

static void sort_into_clusters(clustering *c)
{
    c->items = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        uint32_t first[3], many[3];
        for (int axis = 0; axis < 3; ++axis)
            many[axis] = clusters_along(c, place_of(c, i), axis, &first[axis]);
        for (uint32_t n = 0; n < AROUND; ++n) {
            uint32_t x = n & 1, y = n >> 1 & 1, z = n >> 2;
            if (x >= many[0] || y >= many[1] || z >= many[2])
                continue;
            uint64_t key = ((uint64_t)(first[2] + z) * c->cells[1] + first[1] + y) * c->cells[0] + first[0] + x;
            c->item[c->items++] = (sn_sort_item){key, c->index[i], i};
        }
    }
    sn_sort(c->item, c->sort, c->items);
}

/* Makes the lists, without clusters of one particle, which have no effect. Returns the first particle (index in
   `index`) that no chain of clusters connects with particle 0; count if all are connected. */
static uint32_t list_clusters(clustering *c)
{
    uint32_t *with = (uint32_t *)(void *)c->sort, numbers = 0;
    c->clusters = 0;
    for (uint32_t i = 0; i < c->count; ++i)
        with[i] = i;
    for (uint32_t i = 0, end; i < c->items; i = end) {
        for (end = i + 1; end < c->items && c->item[end].key == c->item[i].key;)
            ++end;
        if (end == i + 1)
            continue;
        c->start[c->clusters++] = numbers;
        for (uint32_t k = i; k < end; ++k) {
            sets_join(with, c->item[i].b, c->item[k].b);
            c->number[numbers++] = c->item[k].a;
        }
    }
    c->start[c->clusters] = numbers;
    for (uint32_t i = 1; i < c->count; ++i)
        if (sets_find(with, i) != 0)
            return i;
    return c->count;
}

/* Reports an unconnected particle, and a sufficient size of clusters. Such a size exists, because two cells are one
   cluster. */
static sn_result fail_apart(clustering *c, sn_real size, uint32_t apart)
{
    double enough = (double)size;
    sn_result result;
    do {
        enough *= LARGER;
        result = lay_cells(c, (sn_real)enough);
        if (result != SN_OK)
            return result;
        sort_into_clusters(c);
    } while (list_clusters(c) < c->count);
    return world_fail(c->world, SN_ERROR_ARGUMENT,
                      "clusters of %g m do not join particle %u to particle %u; choose larger clusters: %g m join all",
                      (double)size, c->index[apart], c->index[0], enough);
}

static sn_result add_clusters(clustering *c, const sn_constraint_def *def, sn_real size, sn_constraints *run)
{
    sn_result result = lay_cells(c, size);
    if (result != SN_OK)
        return result;
    sort_into_clusters(c);
    uint32_t apart = list_clusters(c);
    if (apart < c->count)
        return fail_apart(c, size, apart);
    return sn_constraints_add_lists(c->world, def, c->clusters, c->start, c->number, run);
}

sn_constraints sn_constraints_add_clusters(sn_world *world, const sn_constraint_def *def, uint32_t count,
                                           const uint32_t *index, sn_real size)
{
    sn_constraints run = {0};
    if (check_particles(world, def ? def->kind : 0, count, index) != SN_OK)
        return run;
    if (count < 2 || !(size > 0) || !isfinite(size)) {
        world_fail(world, SN_ERROR_ARGUMENT,
                   count < 2 ? "%.0f particles do not make a body"
                             : "clusters of %g m; the size must be positive and finite",
                   count < 2 ? (double)count : (double)size);
        return run;
    }
    const size_t most = (size_t)count * AROUND, items = most * sizeof(sn_sort_item),
                 numbers = (most + 1) * sizeof(uint32_t);
    char *block = sn_allocate(&world->allocator, 2 * items + 2 * numbers);
    if (!block) {
        world_fail(world, SN_ERROR_MEMORY, "no memory for the clusters of %u particles", count);
        return run;
    }
    clustering c = {.world = world, .index = index, .count = count, .item = (sn_sort_item *)(void *)block};
    c.sort = (sn_sort_item *)(void *)(block + items);
    c.start = (uint32_t *)(void *)(block + 2 * items);
    c.number = (uint32_t *)(void *)(block + 2 * items + numbers);
    add_clusters(&c, def, size, &run);
    sn_release(&world->allocator, block, 2 * items + 2 * numbers);
    return run;
}
