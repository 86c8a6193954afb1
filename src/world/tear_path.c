/* The paths of a blade over triangles: from which crossing of an edge to which.

   A plane, or a triangle, crosses two edges of a triangle, or ends in it. A segment enters a triangle over one edge and
   leaves it over another, or over the same one. It may begin or end in the triangle, and enter it again.

   So the crossings of a triangle are taken in the order of their times, and each entry is joined with the next exit. An
   exit without an entry is joined with the point where an earlier cut ended, at a corner of the triangle. */
#include "world/world.h"

#include "base/dvec.h"
#include "base/sort.h"

/* True if the segment enters the triangle over that edge; false if it leaves. */
static bool is_into(const sn_world *world, const sn_blade_shape *b, const uint32_t *corner, const sn_crossing *at)
{
    sn_dvec3 x[3];
    bool along = false;
    for (uint32_t k = 0; k < 3; ++k) {
        x[k] = sn_blade_sweep_place(world, b, corner[k], at->time);
        along = along || (corner[k] == at->p && corner[(k + 1) % 3] == at->q);
    }
    const sn_dvec3 normal = dvec3_cross(dvec3_sub(x[1], x[0]), dvec3_sub(x[2], x[0]));
    return (along == at->up) == (dvec3_dot(normal, sn_blade_sweep_displacement(b, at->time)) > 0);
}

/* Adds the paths of one triangle. Its crossings, at most three, are in the order of their times. */
static uint32_t add_paths(const sn_world *world, const sn_blade_shape *b, const uint32_t *corner,
                          const sn_crossing *crossing, const uint32_t *at, uint32_t count, sn_cut_path *path)
{
    uint32_t paths = 0, from = SN_TEAR_NONE;
    for (uint32_t i = 0; i < count; ++i) {
        const bool into =
            b->def->blade == SN_BLADE_SEGMENT ? is_into(world, b, corner, &crossing[at[i]]) : i == 0 && count > 1;
        const uint32_t tip = into || from != SN_TEAR_NONE ? SN_TEAR_NONE : sn_blade_tip_of(world, corner);
        if (!into && (from != SN_TEAR_NONE || tip != SN_TEAR_NONE))
            path[paths++] = (sn_cut_path){from, tip, at[i]};
        from = into ? at[i] : SN_TEAR_NONE;
    }
    return paths;
}

bool sn_path_find(sn_world *world, const sn_blade_shape *b, const sn_table *crossing_table, sn_table *path_table,
                  sn_table *item_table)
{
    const sn_crossing *crossing = crossing_table->column[0];
    const uint64_t most = (uint64_t)SN_TEAR_SIDES * crossing_table->count;
    if (!sn_table_reserve(item_table, &world->allocator, most) ||
        !sn_table_reserve(path_table, &world->allocator, most))
        return false;
    const uint32_t *corner = world->contact.triangle_table.column[0];
    sn_sort_item *item = item_table->column[0];
    sn_cut_path *path = path_table->column[0];
    uint32_t items = 0;
    for (uint32_t i = 0; i < crossing_table->count; ++i) {
        uint32_t triangle[SN_TEAR_SIDES];
        const uint32_t sides = sn_tear_edge_sides(world, crossing[i].p, crossing[i].q, triangle, SN_TEAR_SIDES);
        for (uint32_t k = 0; k < sides; ++k)
            item[items++] = (sn_sort_item){.key = triangle[k], .a = i};
    }
    if (items)
        sn_sort(item, item_table->column[1], items);
    for (uint32_t first = 0, end; first < items; first = end) {
        uint32_t at[3], count = 0;
        for (end = first; end < items && item[end].key == item[first].key; ++end) {
            uint32_t place = count < 3 ? count++ : 2;
            for (; place > 0 && crossing[at[place - 1]].time > crossing[item[end].a].time; --place)
                at[place] = at[place - 1];
            at[place] = item[end].a;
        }
        path_table->count +=
            add_paths(world, b, corner + 3 * item[first].key, crossing, at, count, path + path_table->count);
    }
    return true;
}
