/* Adding a closed surface: checks whether its triangles close, which a constraint's own check cannot do. */
#include "base/dvec.h"
#include "base/sort.h"
#include "world/world.h"

/* Memory of one call. */
typedef struct scratch {
    sn_point *points; /* the corners, three for each triangle */
    /* one for each corner; key: the two ends, a: the corner at which the edge starts, b: its direction */
    sn_sort_item *edges, *sort;
} scratch;

static sn_result check_corners(sn_world *world, uint32_t corners, const uint32_t *index, sn_point *points)
{
    for (uint32_t i = 0; i < corners; ++i) {
        uint32_t next = i % 3 == 2 ? i - 2 : i + 1;
        if (!sn_ids_is_live(&world->ids, index[i]))
            return world_fail(world, SN_ERROR_STALE, "triangle %u of the surface: there is no particle number %u",
                              i / 3, index[i]);
        if (index[i] == index[next])
            return world_fail(world, SN_ERROR_ARGUMENT, "triangle %u of the surface: particle %u is two of its corners",
                              i / 3, index[i]);
        points[i] = sn_at((sn_particle){index[i], world->ids.generation[index[i]]});
    }
    return SN_OK;
}

/* Every edge must occur twice, once in each direction. */
static sn_result check_edges(sn_world *world, uint32_t corners, const uint32_t *index, const scratch *s)
{
    for (uint32_t i = 0; i < corners; ++i) {
        uint32_t from = index[i], to = index[i % 3 == 2 ? i - 2 : i + 1];
        bool up = from < to;
        s->edges[i] = (sn_sort_item){(uint64_t)(up ? from : to) << 32 | (up ? to : from), i, up};
    }
    sn_sort(s->edges, s->sort, corners);
    for (uint32_t i = 0, count; i < corners; i += count) {
        const sn_sort_item *edge = &s->edges[i];
        uint32_t low = (uint32_t)(edge->key >> 32), high = (uint32_t)edge->key;
        for (count = 1; i + count < corners && edge[count].key == edge->key; ++count)
            ;
        if (count != 2)
            return world_fail(
                world, SN_ERROR_ARGUMENT,
                "the surface is not closed: the edge between particles %u and %u belongs to %u triangle%s, "
                "not two (one is triangle %u)",
                low, high, count, count == 1 ? "" : "s", edge->a / 3);
        if (edge[0].b == edge[1].b)
            return world_fail(world, SN_ERROR_ARGUMENT,
                              "triangles %u and %u of the surface face opposite ways: both run along the edge between "
                              "particles %u and %u in the same direction",
                              edge[0].a / 3, edge[1].a / 3, low, high);
    }
    return SN_OK;
}

/* Triangles with consistent orientation may still all face inwards. */
static sn_result check_volume(sn_world *world, uint32_t corners, const uint32_t *index)
{
    double sum = 0;
    sn_vec3 x[3], first = vec4_xyz(world->particles.x[world->ids.value[index[0]]]);
    for (uint32_t i = 0; i < corners; i += 3) {
        for (uint32_t j = 0; j < 3; ++j)
            x[j] = vec4_xyz(world->particles.x[world->ids.value[index[i + j]]]);
        sum += dvec3_dot(dvec3_cross(dvec3_seen(first, x[0]), dvec3_seen(first, x[1])), dvec3_seen(first, x[2])) / 6;
    }
    if (sum > 0)
        return SN_OK;
    return world_fail(world, SN_ERROR_ARGUMENT,
                      "the volume inside of the surface is %g m^3; it must be positive, with every triangle "
                      "counter-clockwise seen from outside",
                      sum);
}

static sn_result check_arguments(sn_world *world, uint32_t kind, uint32_t count, const uint32_t *index)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (kind != SN_KIND_SURFACE_VOLUME && kind != SN_KIND_SURFACE_SCALING)
        return world_fail(world, SN_ERROR_ARGUMENT, "kind %u is none of a closed surface", kind);
    if (count < 4 || count > SN_MAX_COUNT / 16)
        return world_fail(world, SN_ERROR_ARGUMENT, "%u triangles do not make a surface; 4 to %u do", count,
                          SN_MAX_COUNT / 16);
    if (!index)
        return world_fail(world, SN_ERROR_ARGUMENT, "the array of particle numbers is NULL");
    return SN_OK;
}

sn_constraint sn_constraint_add_surface(sn_world *world, uint32_t kind, uint32_t count, const uint32_t *index,
                                        sn_real rest, sn_real pressure)
{
    sn_constraint constraint = {0};
    if (check_arguments(world, kind, count, index) != SN_OK)
        return constraint;
    uint32_t corners = 3 * count;
    size_t edges_size = corners * sizeof(sn_sort_item), size = corners * sizeof(sn_point) + 2 * edges_size;
    char *block = sn_allocate(&world->allocator, size);
    if (!block) {
        world_fail(world, SN_ERROR_MEMORY, "no memory to check a surface of %u triangles", count);
        return constraint;
    }
    scratch s = {.edges = (sn_sort_item *)(void *)block, .sort = (sn_sort_item *)(void *)(block + edges_size)};
    s.points = (sn_point *)(void *)(block + 2 * edges_size);
    if (check_corners(world, corners, index, s.points) == SN_OK && check_edges(world, corners, index, &s) == SN_OK &&
        check_volume(world, corners, index) == SN_OK) {
        sn_constraint_def def = sn_default_constraint_def(kind);
        def.point_count = corners;
        def.points = s.points;
        def.param[0] = rest;
        def.param[1] = pressure;
        sn_constraint_add(world, &def, &constraint);
    }
    sn_release(&world->allocator, block, size);
    return constraint;
}
