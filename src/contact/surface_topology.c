/* The features of surfaces: vertices, edges and triangles of skins that collide with themselves. Made when skins are edited.

   Every vertex and every edge is owned by one of its triangles, so that a pair of triangles whose boxes touch stands for the pairs of features that
   they own, and each pair of features is found once (Curtis et al. 2008, "Fast collision detection for deformable models using
   representative-triangles"). */
#include "contact/surface_contacts.h"

#include "base/sort.h"
#include "world/world.h"

#include <stdatomic.h>
#include <string.h>

void sn_surfaces_init(sn_surfaces *s)
{
    sn_table_column(&s->index_table, sizeof(uint32_t), false);
    sn_table_column(&s->vertex_table, sizeof(sn_surface_vertex), false);
    sn_table_column(&s->vertex_table, sizeof(sn_surface_motion), false);
    sn_table_column(&s->vertex_table, sizeof(atomic_uint), false);
    sn_table_column(&s->vertex_table, sizeof(uint32_t), false);
    sn_table_column(&s->vertex_table, sizeof(uint8_t), false);
    sn_table_column(&s->triangle_table, sizeof(sn_surface_triangle), false);
    sn_table_column(&s->triangle_table, 3 * sizeof(uint32_t), false);
    for (uint32_t i = 0; i < 3; ++i)
        sn_table_column(&s->triangle_table, sizeof(uint32_t), false);
    sn_table_column(&s->edge_table, sizeof(sn_surface_edge), false);
    sn_table_column(&s->ring_start_table, sizeof(uint32_t), false);
    sn_table_column(&s->ring_table, sizeof(uint32_t), false);
    sn_table_column(&s->sort_table, sizeof(sn_sort_item), false);
    sn_table_column(&s->sort_table, sizeof(sn_sort_item), false);
    sn_table_column(&s->skin_table, sizeof(sn_surface_skin), false);
    sn_table_column(&s->tile_table, sizeof(sn_surface_tile), false);
    sn_table_column(&s->tile_table, sizeof(sn_bounds), false);
    sn_table_column(&s->tile_triangle_table, sizeof(uint32_t), false);
    sn_table_column(&s->tile_triangle_table, 3 * sizeof(uint8_t), false);
    sn_table_column(&s->tile_vertex_table, sizeof(uint32_t), false);
    sn_table_column(&s->tile_vertex_table, sizeof(uint8_t), false);
    sn_table_column(&s->tile_edge_table, sizeof(uint32_t), false);
    sn_table_column(&s->tile_edge_table, 2 * sizeof(uint8_t), false);
    sn_table_column(&s->corner_table, sizeof(uint32_t), false);
    sn_table_column(&s->corner_table, 2 * sizeof(sn_real), false);
    sn_bvh_init(&s->tree);
    sn_table_column(&s->pair_table, sizeof(sn_surface_pair), false);
    sn_table_column(&s->found_table, sizeof(sn_surface_pair), false);
    sn_table_column(&s->candidate_table, sizeof(sn_surface_candidate), false);
    sn_table_column(&s->moved_table, sizeof(sn_surface_candidate), false);
    sn_table_column(&s->touch_table, sizeof(sn_surface_touch), false);
    sn_table_column(&s->list_table, sizeof(sn_surface_candidate), false);
    sn_table_column(&s->due_table, sizeof(uint32_t), false);
    sn_table_column(&s->near_table, sizeof(uint32_t), false);
    sn_table_column(&s->near_table, sizeof(sn_real), false);
    sn_table_column(&s->contact_table, sizeof(sn_surface_contact), false);
    sn_table_column(&s->contact_table, sizeof(sn_surface_contact), false);
    sn_table_column(&s->colour_table, sizeof(uint64_t), false);
}

void sn_surfaces_release(sn_surfaces *s, const sn_allocator *allocator)
{
    sn_bvh_release(&s->tree, allocator);
    sn_table *const tables[] = {
        &s->index_table,       &s->vertex_table,    &s->triangle_table, &s->edge_table, &s->ring_start_table,
        &s->ring_table,        &s->sort_table,      &s->skin_table,     &s->tile_table, &s->tile_triangle_table,
        &s->tile_vertex_table, &s->tile_edge_table, &s->corner_table,   &s->pair_table, &s->found_table,
        &s->candidate_table,   &s->moved_table,     &s->touch_table,    &s->list_table, &s->due_table,
        &s->near_table,        &s->contact_table,   &s->colour_table};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
        sn_table_release(tables[i], allocator);
}

bool sn_surfaces_has(const sn_world *world, uint32_t number)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    return s->on && number < s->index_table.count && ((const uint32_t *)s->index_table.column[0])[number];
}

/* ---- Making them --------------------------------------------------------------------------------------------------------- */

static const uint32_t *corners_of(const sn_world *world, uint32_t triangle)
{
    return (const uint32_t *)world->contact.triangle_table.column[0] + 3 * (size_t)triangle;
}

/* How many skins and triangles there are. */
static void count_skins(const sn_world *world, uint32_t *skins, uint32_t *triangles)
{
    const sn_skin_record *skin = contact_skins(&world->contact);
    *skins = *triangles = 0;
    for (uint32_t i = 0; i < world->contact.skin_table.count; ++i)
        if (skin[i].self_collision && skin[i].count) {
            ++*skins;
            *triangles += skin[i].count;
        }
}

static bool reserve(sn_world *world, sn_surfaces *s, uint32_t skins, uint32_t triangles)
{
    const sn_allocator *a = &world->allocator;
    const uint32_t numbers = world->ids.table.count;
    const uint64_t most = 3 * (uint64_t)triangles; /* vertices, and edges */
    if (!sn_table_reserve(&s->index_table, a, numbers) || !sn_table_reserve(&s->vertex_table, a, most) ||
        !sn_table_reserve(&s->triangle_table, a, triangles) || !sn_table_reserve(&s->edge_table, a, most) ||
        !sn_table_reserve(&s->ring_start_table, a, most + 1) || !sn_table_reserve(&s->ring_table, a, 2 * most) ||
        !sn_table_reserve(&s->sort_table, a, most) || !sn_table_reserve(&s->skin_table, a, skins))
        return false;
    return true;
}

/* Vertices of a skin's triangles, those that no skin before it has, in the order in which they come. */
static void add_skin(sn_world *world, sn_surfaces *s, const sn_skin_record *record, uint32_t row)
{
    uint32_t *index = s->index_table.column[0];
    sn_surface_skin *skin = &surface_skins(s)[s->skin_table.count];
    *skin = (sn_surface_skin){.row = row,
                              .first = s->triangle_table.count,
                              .count = record->count,
                              .first_vertex = s->vertex_table.count,
                              .thickness = record->thickness,
                              .group = world->particles.group[world->ids.value[corners_of(world, record->first)[0]]]};
    for (uint32_t t = record->first; t < record->first + record->count; ++t) {
        const uint32_t *corner = corners_of(world, t), made = s->triangle_table.count++;
        sn_surface_triangle *triangle = &surface_triangles(s)[made];
        *triangle = (sn_surface_triangle){.skin = s->skin_table.count};
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t *vertex = &index[corner[k]];
            if (!*vertex) {
                surface_vertices(s)[s->vertex_table.count] =
                    (sn_surface_vertex){.number = corner[k], .skin = s->skin_table.count, .triangle = made};
                *vertex = ++s->vertex_table.count;
                triangle->owns |= 1u << k;
            }
            triangle->vertex[k] = *vertex - 1;
        }
    }
    skin->vertices = s->vertex_table.count - skin->first_vertex;
    s->skin_table.count++;
}

/* Edges of triangles that have the same ends are one: sorted by ends, then by triangle. */
static void add_edges(sn_surfaces *s)
{
    sn_sort_item *item = s->sort_table.column[0];
    const uint32_t count = 3 * s->triangle_table.count;
    sn_surface_triangle *triangle = surface_triangles(s);
    uint32_t *across = s->triangle_table.column[1];
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t a = triangle[i / 3].vertex[i % 3], b = triangle[i / 3].vertex[(i + 1) % 3];
        item[i] = (sn_sort_item){.key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a, .a = i};
    }
    sn_sort(item, s->sort_table.column[1], count);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t of = item[i].a / 3, side = item[i].a % 3;
        if (i == 0 || item[i].key != item[i - 1].key) {
            surface_edges(s)[s->edge_table.count++] =
                (sn_surface_edge){.vertex = {(uint32_t)(item[i].key >> 32), (uint32_t)item[i].key},
                                  .across = {SN_SURFACE_NONE, SN_SURFACE_NONE},
                                  .triangle = of};
            triangle[of].owns |= 8u << side;
        }
        sn_surface_edge *edge = &surface_edges(s)[s->edge_table.count - 1];
        triangle[of].edge[side] = s->edge_table.count - 1;
        across[3 * (size_t)of + side] = SN_SURFACE_NONE;
        if (i > 0 && item[i].key == item[i - 1].key) { /* those around an edge are neighbours in a row */
            across[3 * (size_t)of + side] = item[i - 1].a / 3;
            if (i < 2 || item[i].key != item[i - 2].key)
                across[item[i - 1].a] = of;
        }
        for (uint32_t k = 0; k < 2; ++k)
            if (edge->across[k] == SN_SURFACE_NONE) {
                edge->across[k] = triangle[of].vertex[(side + 2) % 3];
                break;
            }
    }
}

/* The vertices around each vertex. */
static void add_rings(sn_surfaces *s)
{
    uint32_t *start = s->ring_start_table.column[0], *ring = s->ring_table.column[0];
    const sn_surface_edge *edge = surface_edges(s);
    const uint32_t vertices = s->vertex_table.count, edges = s->edge_table.count;
    memset(start, 0, (vertices + 1) * sizeof *start);
    for (uint32_t i = 0; i < 2 * edges; ++i)
        start[edge[i / 2].vertex[i % 2] + 1]++;
    for (uint32_t i = 0; i < vertices; ++i)
        start[i + 1] += start[i];
    for (uint32_t i = 0; i < 2 * edges; ++i)
        ring[start[edge[i / 2].vertex[i % 2]]++] = edge[i / 2].vertex[1 - i % 2];
    for (uint32_t i = vertices; i > 0; --i)
        start[i] = start[i - 1];
    start[0] = 0;
}

static void measure_edges(const sn_world *world, sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        sn_surface_skin *skin = &surface_skins(s)[i];
        double sum = 0;
        for (uint32_t t = skin->first; t < skin->first + skin->count; ++t)
            for (uint32_t k = 0; k < 3; ++k) {
                const sn_surface_triangle *triangle = &surface_triangles(s)[t];
                const uint32_t a = surface_vertices(s)[triangle->vertex[k]].number;
                const uint32_t b = surface_vertices(s)[triangle->vertex[(k + 1) % 3]].number;
                sum += (double)vec3_length(vec3_sub(vec4_xyz(world->particles.x[world->ids.value[a]]),
                                                    vec4_xyz(world->particles.x[world->ids.value[b]])));
            }
        skin->edge = (sn_real)(sum / (3.0 * skin->count));
    }
}

bool sn_surfaces_make(sn_world *world)
{
    sn_surfaces *s = &world->contacts.surfaces;
    uint32_t skins, triangles;
    if (s->edits == world->contact.edits + 1)
        return true;
    count_skins(world, &skins, &triangles);
    s->edits = 0;
    s->on = s->searched = false;
    s->vertex_table.count = s->triangle_table.count = s->edge_table.count = s->skin_table.count = s->index_table.count =
        0;
    s->pair_table.count = s->candidate_table.count = s->near_table.count = s->contact_table.count = 0;
    if (skins && !reserve(world, s, skins, triangles))
        return false;
    if (skins) {
        s->index_table.count = world->ids.table.count;
        memset(s->index_table.column[0], 0, s->index_table.count * sizeof(uint32_t));
    }
    for (uint32_t i = 0; skins && i < world->contact.skin_table.count; ++i) {
        const sn_skin_record *record = &contact_skins(&world->contact)[i];
        if (record->self_collision && record->count)
            add_skin(world, s, record, i);
    }
    if (skins) {
        memset(s->vertex_table.column[1], 0, s->vertex_table.count * sizeof(sn_surface_motion));
        add_edges(s);
        add_rings(s);
        measure_edges(world, s);
    }
    if (skins && !sn_surface_tiles_make(world, s))
        return false;
    s->edits = world->contact.edits + 1;
    return true;
}
