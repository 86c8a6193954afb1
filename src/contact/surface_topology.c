/* The features of surfaces: vertices, edges and triangles of skins with self_collision. They are made when skins are
   edited.

   Every vertex and every edge is owned by one of its triangles. So a pair of triangles whose boxes overlap stands
   for the pairs of features that they own, and each pair of features is found once (Curtis et al. 2008, "Fast
   collision detection for deformable models using representative-triangles"). */
#include "contact/surface_pieces.h"
#include "contact/surface_loads.h"
#include "contact/surface_quiet.h"
#include "contact/surface_shells.h"
#include "contact/surface_zones.h"

#include "base/sort.h"
#include "world/world.h"

#include <string.h>

#define SAMPLES 4096u /* number of triangles of a skin whose edges are measured, about */

/* What skins are made of, and tiles of it. */
static void init_features(sn_surfaces *s)
{
    sn_table_column(&s->index_table, sizeof(uint32_t), false);
    sn_table_column(&s->vertex_table, sizeof(sn_surface_vertex), false);
    sn_table_column(&s->vertex_table, sizeof(sn_surface_motion), false);
    sn_table_column(&s->vertex_table, sizeof(uint32_t), false);
    sn_table_column(&s->vertex_table, sizeof(uint8_t), false);
    sn_table_column(&s->vertex_table, sizeof(sn_real), false);
    sn_table_column(&s->vertex_table, sizeof(sn_vec3), false);
    sn_table_column(&s->vertex_table, sizeof(sn_surface_place), false);
    sn_table_column(&s->triangle_table, sizeof(sn_surface_triangle), false);
    sn_table_column(&s->triangle_table, 3 * sizeof(uint32_t), false);
    for (uint32_t i = 0; i < 3; ++i)
        sn_table_column(&s->triangle_table, sizeof(uint32_t), false);
    sn_table_column(&s->triangle_table, sizeof(sn_surface_sheet), false);
    sn_table_column(&s->edge_table, sizeof(sn_surface_edge), false);
    sn_table_column(&s->edge_table, sizeof(uint32_t), false);
    sn_table_column(&s->edge_table, sizeof(uint32_t), false);
    sn_table_column(&s->compromise_table, sizeof(uint8_t), false);
    sn_table_column(&s->ring_start_table, sizeof(uint32_t), false);
    sn_table_column(&s->ring_table, sizeof(uint32_t), false);
    sn_table_column(&s->ring_table, sizeof(uint32_t), false);
    sn_table_column(&s->sort_table, sizeof(sn_sort_item), false);
    sn_table_column(&s->sort_table, sizeof(sn_sort_item), false);
    sn_table_column(&s->skin_table, sizeof(sn_surface_skin), false);
    sn_table_column(&s->shell_table, sizeof(sn_surface_shell), false);
    sn_table_column(&s->shell_table, sizeof(sn_surface_member), false);
    sn_table_column(&s->body_table, sizeof(uint32_t), false);
    sn_table_column(&s->shell_corner_table, sizeof(sn_vec3), false);
    sn_table_column(&s->tile_table, sizeof(sn_surface_tile), false);
    sn_table_column(&s->tile_table, sizeof(sn_bounds), false);
    sn_table_column(&s->tile_table, sizeof(sn_surface_quiet_tile), false);
    sn_table_column(&s->tile_triangle_table, sizeof(uint32_t), false);
    sn_table_column(&s->tile_triangle_table, 3 * sizeof(uint8_t), false);
    sn_table_column(&s->tile_vertex_table, sizeof(uint32_t), false);
    sn_table_column(&s->tile_vertex_table, sizeof(uint8_t), false);
    sn_table_column(&s->tile_edge_table, sizeof(uint32_t), false);
    sn_table_column(&s->tile_edge_table, 2 * sizeof(uint8_t), false);
    sn_table_column(&s->corner_table, sizeof(uint32_t), false);
    sn_table_column(&s->corner_table, 2 * sizeof(sn_real), false);
}

/* What may touch, and what does. */
static void init_contacts(sn_surfaces *s)
{
    sn_table_column(&s->pair_table, sizeof(sn_surface_pair), false);
    sn_table_column(&s->pair_table, sizeof(sn_surface_quiet_pair), false);
    sn_table_column(&s->found_table, sizeof(sn_surface_pair), false);
    sn_table_column(&s->found_table, sizeof(sn_surface_quiet_pair), false);
    sn_table_column(&s->recall_table, sizeof(uint32_t), false);
    sn_table_column(&s->candidate_table, sizeof(sn_surface_candidate), false);
    sn_table_column(&s->candidate_table, sizeof(sn_real), false);
    sn_table_column(&s->moved_table, sizeof(sn_surface_candidate), false);
    sn_table_column(&s->moved_table, sizeof(sn_real), false);
    sn_table_column(&s->touch_table, sizeof(sn_surface_touch), false);
    sn_table_column(&s->list_table, sizeof(sn_surface_candidate), false);
    sn_table_column(&s->list_table, sizeof(sn_real), false);
    sn_table_column(&s->sweep_table, SN_WIDE_SWEEP_ROWS * SN_BATCH * sizeof(sn_real), false);
    sn_table_column(&s->due_table, sizeof(uint32_t), false);
    sn_table_column(&s->look_table, sizeof(uint32_t), false);
    sn_table_column(&s->change_table, sizeof(sn_surface_change), false);
    sn_table_column(&s->mark_table, sizeof(uint32_t), false);
    sn_table_column(&s->mark_table, sizeof(uint32_t), false);
    sn_table_column(&s->near_table, sizeof(uint32_t), false);
    sn_table_column(&s->near_table, sizeof(sn_real), false);
    sn_table_column(&s->near_table, sizeof(float), false);
    sn_table_column(&s->zone_table, sizeof(sn_surface_zone), false);
    sn_table_column(&s->kinematic_table, sizeof(sn_surface_kinematic), false);
    sn_table_column(&s->piece_table, sizeof(sn_surface_piece), false);
    sn_table_column(&s->piece_table, sizeof(uint32_t), false);
    sn_table_column(&s->inner_table, sizeof(sn_surface_inner), false);
    sn_table_column(&s->node_table, sizeof(uint32_t), false);
    sn_table_column(&s->piece_row_table, sizeof(uint32_t), false);
    sn_table_column(&s->piece_search_table, 4 * sizeof(uint32_t), false);
    sn_table_column(&s->stored_table, sizeof(uint32_t), false);
    for (uint32_t i = 0; i < 4; ++i)
        sn_table_column(&s->stored_table, sizeof(double), false);
    sn_table_column(&s->contact_table, sizeof(sn_surface_contact), false);
    sn_table_column(&s->contact_table, sizeof(sn_surface_contact), false);
    sn_table_column(&s->colour_table, sizeof(uint64_t), false);
    sn_table_column(&s->told_table, sizeof(sn_surface_told), false);
    sn_surface_loads_init(s);
    sn_table_column(&s->tangle_table, sizeof(sn_surface_tangle), false);
    sn_table_column(&s->part_table, sizeof(uint32_t), false);
    sn_table_column(&s->part_table, sizeof(uint32_t), false);
    sn_table_column(&s->past_table, sizeof(sn_surface_past), false);
}

void sn_surfaces_init(sn_surfaces *s)
{
    sn_bvh_init(&s->tree);
    init_features(s);
    init_contacts(s);
    sn_surface_follow_init(s);
    sn_surface_quiet_init(&s->quiet);
}

void sn_surfaces_release(sn_surfaces *s, const sn_allocator *allocator)
{
    sn_bvh_release(&s->tree, allocator);
    sn_surface_follow_release(s, allocator);
    sn_table *const tables[] = {
        &s->index_table,        &s->vertex_table,        &s->triangle_table,       &s->edge_table,
        &s->ring_start_table,   &s->ring_table,          &s->sort_table,           &s->skin_table,
        &s->tile_table,         &s->tile_triangle_table, &s->tile_vertex_table,    &s->tile_edge_table,
        &s->corner_table,       &s->pair_table,          &s->found_table,          &s->candidate_table,
        &s->moved_table,        &s->touch_table,         &s->list_table,           &s->due_table,
        &s->near_table,         &s->contact_table,       &s->colour_table,         &s->compromise_table,
        &s->piece_row_table,    &s->piece_search_table,  &s->zone_table,           &s->piece_table,
        &s->inner_table,        &s->node_table,          &s->told_table,           &s->kinematic_table,
        &s->shell_table,        &s->shell_corner_table,  &s->tangle_table,         &s->part_table,
        &s->recall_table,       &s->stored_table,        &s->past_table,           &s->sweep_table,
        &s->load_table,         &s->load_place_table,    &s->load_node_table,      &s->joint_table,
        &s->joint_matrix_table, &s->quiet.vertex_table,  &s->quiet.borrowed_table, &s->body_table,
        &s->look_table,         &s->mark_table,          &s->change_table};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
        sn_table_release(tables[i], allocator);
}

bool sn_surfaces_has(const sn_world *world, uint32_t number)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    return s->on && number < s->index_table.count && ((const uint32_t *)s->index_table.column[0])[number];
}

/* ---- Making them ------------------------------------------------------------------------------------------------- */

static const uint32_t *corners_of(const sn_world *world, uint32_t triangle)
{
    return (const uint32_t *)world->contact.triangle_table.column[0] + 3 * (size_t)triangle;
}

static const uint32_t *ends_of(const sn_world *world, uint32_t segment)
{
    return (const uint32_t *)world->contact.segment_table.column[0] + 2 * (size_t)segment;
}

/* m: in the rest shape, so that it is the same in a world that was saved and loaded. */
static double length_of(const sn_world *world, uint32_t a, uint32_t b)
{
    const sn_table *table = &world->contact.rest_table;
    const sn_vec4 *rest = table->column[0], *x = world->particles.x;
    if (a < table->count && b < table->count && rest[a].w != 0 && rest[b].w != 0)
        return (double)vec3_length(vec3_sub(vec4_xyz(rest[a]), vec4_xyz(rest[b])));
    return (double)vec3_length(vec3_sub(vec4_xyz(x[world->ids.value[a]]), vec4_xyz(x[world->ids.value[b]])));
}

/* m: mean edge length of some triangles and segments all over the skin. */
static sn_real mean_edge(const sn_world *world, const sn_skin_record *record)
{
    const uint32_t step = 1 + (record->count > record->segments ? record->count : record->segments) / SAMPLES;
    uint32_t edges = 0;
    double sum = 0;
    for (uint32_t i = 0; i < record->count; i += step, edges += 3)
        for (uint32_t k = 0; k < 3; ++k)
            sum += length_of(world, corners_of(world, record->first + i)[k],
                             corners_of(world, record->first + i)[(k + 1) % 3]);
    for (uint32_t i = 0; i < record->segments; i += step, ++edges)
        sum += length_of(world, ends_of(world, record->first_segment + i)[0],
                         ends_of(world, record->first_segment + i)[1]);
    return (sn_real)(sum / edges);
}

static bool is_surface(const sn_skin_record *record)
{
    return record->self_collision && (record->count || record->segments);
}

/* The numbers of skins, triangles and segments, and the largest mean edge (m). */
static void count_skins(const sn_world *world, uint32_t *skins, uint32_t *triangles, uint32_t *segments,
                        sn_real *longest)
{
    const sn_skin_record *skin = contact_skins(&world->contact);
    *skins = *triangles = *segments = 0;
    *longest = 0;
    for (uint32_t i = 0; i < world->contact.skin_table.count; ++i)
        if (is_surface(&skin[i])) {
            ++*skins;
            *triangles += skin[i].count;
            *segments += skin[i].segments;
            const sn_real edge = mean_edge(world, &skin[i]);
            *longest = edge > *longest ? edge : *longest;
        }
}

static bool reserve(sn_world *world, sn_surfaces *s, uint32_t skins, uint32_t triangles, uint32_t segments,
                    sn_real longest)
{
    const sn_allocator *a = &world->allocator;
    const uint32_t numbers = world->ids.table.count;
    sn_surface_shells_size shells;
    sn_surface_shells_count(world, longest, &shells);
    const uint64_t all = triangles + shells.triangles; /* and vertices, and edges: */
    const uint64_t most = 3 * all + 2 * ((uint64_t)segments + shells.edges) + shells.vertices;
    if (!sn_table_reserve(&s->index_table, a, numbers) || !sn_table_reserve(&s->vertex_table, a, most) ||
        !sn_table_reserve(&s->zone_table, a, most) || !sn_table_reserve(&s->triangle_table, a, all) ||
        !sn_table_reserve(&s->edge_table, a, most) || !sn_table_reserve(&s->ring_start_table, a, most + 1) ||
        !sn_table_reserve(&s->ring_table, a, 2 * most) || !sn_table_reserve(&s->sort_table, a, most) ||
        !sn_table_reserve(&s->skin_table, a, (uint64_t)skins + shells.shells) ||
        !sn_table_reserve(&s->shell_table, a, shells.shells) ||
        !sn_table_reserve(&s->body_table, a, bodies_rows(&world->bodies)) ||
        !sn_table_reserve(&s->shell_corner_table, a, shells.vertices))
        return false;
    return true;
}

/* Vertices are in the order of particles. So those that tears add, which are the last particles, come last. */
static void number_vertices(const sn_world *world, sn_surfaces *s)
{
    uint32_t *index = s->index_table.column[0];
    const uint8_t *held = s->compromise_table.column[0];
    s->index_table.count = world->ids.table.count;
    memset(index, 0, s->index_table.count * sizeof *index);
    for (uint32_t i = 0; i < world->contact.skin_table.count; ++i) {
        const sn_skin_record *record = &contact_skins(&world->contact)[i];
        for (uint32_t k = 0; record->self_collision && k < 3 * record->count; ++k)
            index[corners_of(world, record->first)[k]] = 1;
        for (uint32_t k = 0; record->self_collision && k < 2 * record->segments; ++k)
            if (held[record->first_segment + k / 2])
                index[ends_of(world, record->first_segment)[k]] = 1;
    }
    for (uint32_t number = 0; number < s->index_table.count; ++number)
        if (index[number]) {
            surface_vertices(s)[s->vertex_table.count] =
                (sn_surface_vertex){.number = number, .skin = SN_SURFACE_NONE, .triangle = SN_SURFACE_NONE};
            index[number] = ++s->vertex_table.count;
        }
}

/* Finds the vertex of a particle. True if this triangle or segment is the first with that vertex; it owns it then. */
static bool take_vertex(sn_surfaces *s, uint32_t number, uint32_t triangle, uint32_t *vertex)
{
    *vertex = ((const uint32_t *)s->index_table.column[0])[number] - 1;
    sn_surface_vertex *v = &surface_vertices(s)[*vertex];
    if (v->skin != SN_SURFACE_NONE)
        return false;
    v->skin = s->skin_table.count;
    v->triangle = triangle;
    return true;
}

static void add_skin(sn_world *world, sn_surfaces *s, const sn_skin_record *record, uint32_t row)
{
    sn_surface_skin *skin = &surface_skins(s)[s->skin_table.count];
    *skin = (sn_surface_skin){
        .row = row,
        .first = s->triangle_table.count,
        .count = record->count,
        .thickness = record->thickness,
        .group = world->particles.group[world->ids.value[record->count ? *corners_of(world, record->first)
                                                                       : *ends_of(world, record->first_segment)]]};
    for (uint32_t t = record->first; t < record->first + record->count; ++t) {
        const uint32_t *corner = corners_of(world, t), made = s->triangle_table.count++;
        sn_surface_triangle *triangle = &surface_triangles(s)[made];
        *triangle = (sn_surface_triangle){.skin = s->skin_table.count};
        for (uint32_t k = 0; k < 3; ++k)
            if (take_vertex(s, corner[k], made, &triangle->vertex[k]))
                triangle->owns |= 1u << k;
    }
    const uint8_t *held = s->compromise_table.column[0];
    for (uint32_t i = record->first_segment; i < record->first_segment + record->segments; ++i)
        for (uint32_t k = 0, vertex; held[i] && k < 2; ++k)
            take_vertex(s, ends_of(world, i)[k], SN_SURFACE_NONE, &vertex);
    s->skin_table.count++;
}

/* Sorts the sides of the triangles of skins by their lower vertex, then by the other, then by triangle; into the
   second column. Each vertex has few sides, so they are counted by vertex. That takes a third of the time of a sort
   of all. */
static sn_sort_item *sort_sides(sn_surfaces *s)
{
    sn_sort_item *item = s->sort_table.column[0], *sorted = s->sort_table.column[1];
    uint32_t *start = s->ring_start_table.column[0];
    const uint32_t count = 3 * s->triangle_table.count, vertices = s->vertex_table.count;
    memset(start, 0, (vertices + 1) * sizeof *start);
    for (uint32_t i = 0; i < count; ++i) {
        item[i] = sn_surface_side(s, i);
        start[(item[i].key >> 32) + 1]++;
    }
    for (uint32_t i = 0; i < vertices; ++i)
        start[i + 1] += start[i];
    for (uint32_t i = 0; i < count; ++i)
        sorted[start[item[i].key >> 32]++] = item[i];
    for (uint32_t i = 0, first = 0; i < vertices; first = start[i++])
        sn_sort(sorted + first, item, start[i] - first);
    return sorted;
}

void sn_surface_sides_join(sn_surfaces *s, const sn_sort_item *item, uint32_t count)
{
    sn_surface_triangle *triangle = surface_triangles(s);
    uint32_t *across = s->triangle_table.column[1];
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t of = item[i].a / 3, side = item[i].a % 3, before = i ? item[i - 1].a : 0;
        const bool first = i == 0 || item[i].key != item[i - 1].key;
        const uint32_t number = first ? item[i].b : triangle[before / 3].edge[before % 3];
        sn_surface_edge *edge = &surface_edges(s)[number];
        if (first)
            *edge = (sn_surface_edge){.vertex = {(uint32_t)(item[i].key >> 32), (uint32_t)item[i].key},
                                      .across = {SN_SURFACE_NONE, SN_SURFACE_NONE},
                                      .triangle = of};
        triangle[of].owns = (triangle[of].owns & ~(8u << side)) | (first ? 8u << side : 0);
        triangle[of].edge[side] = number;
        across[item[i].a] = SN_SURFACE_NONE;
        if (!first) { /* triangles at an edge are linked in a chain */
            across[item[i].a] = before / 3;
            if (i < 2 || item[i].key != item[i - 2].key)
                across[before] = of;
        }
        for (uint32_t k = 0; k < 2; ++k)
            if (edge->across[k] == SN_SURFACE_NONE) {
                edge->across[k] = triangle[of].vertex[(side + 2) % 3];
                break;
            }
    }
}

/* Sides of triangles with the same ends become one edge, with the next number. */
static void add_edges(sn_surfaces *s, sn_sort_item *item, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (i == 0 || item[i].key != item[i - 1].key)
            item[i].b = s->edge_table.count++;
    sn_surface_sides_join(s, item, count);
}

/* Adds segments as edges, behind those of triangles. */
static void add_segments(const sn_world *world, sn_surfaces *s)
{
    const uint8_t *held = s->compromise_table.column[0];
    const uint32_t *index = s->index_table.column[0];
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        sn_surface_skin *skin = &surface_skins(s)[i];
        const sn_skin_record *record = &contact_skins(&world->contact)[skin->row];
        skin->first_edge = s->edge_table.count;
        for (uint32_t k = record->first_segment; k < record->first_segment + record->segments; ++k) {
            const uint32_t *end = ends_of(world, k);
            if (held[k])
                surface_edges(s)[s->edge_table.count++] =
                    (sn_surface_edge){.vertex = {index[end[0]] - 1, index[end[1]] - 1},
                                      .across = {SN_SURFACE_NONE, SN_SURFACE_NONE},
                                      .triangle = SN_SURFACE_NONE};
        }
        skin->segments = s->edge_table.count - skin->first_edge;
    }
}

/* Lists the neighbours of each vertex, and its first edge, for vertices and edges from these numbers on. */
static void add_rings(sn_surfaces *s, uint32_t first_vertex, uint32_t first_edge)
{
    uint32_t *start = s->ring_start_table.column[0], *ring = s->ring_table.column[0], *to = s->ring_table.column[1];
    const sn_surface_edge *edge = surface_edges(s);
    const uint32_t vertices = s->all_vertices, edges = s->edge_table.count,
                   begin = first_vertex ? start[first_vertex] : 0;
    memset(start + first_vertex, 0, (vertices - first_vertex + 1) * sizeof *start);
    start[first_vertex] = begin;
    for (uint32_t i = 2 * first_edge; i < 2 * edges; ++i)
        start[edge[i / 2].vertex[i % 2] + 1]++;
    for (uint32_t i = first_vertex; i < vertices; ++i)
        start[i + 1] += start[i];
    for (uint32_t i = 2 * first_edge; i < 2 * edges; ++i) {
        to[start[edge[i / 2].vertex[i % 2]]] = i / 2;
        ring[start[edge[i / 2].vertex[i % 2]]++] = edge[i / 2].vertex[1 - i % 2];
    }
    for (uint32_t i = vertices; i > first_vertex; --i)
        start[i] = start[i - 1];
    start[first_vertex] = begin;
    for (uint32_t i = first_vertex; i < vertices; ++i)
        surface_vertices(s)[i].edge = start[i] < start[i + 1] ? to[start[i]] : SN_SURFACE_NONE;
}

/* Makes skins, their vertices and edges. */
static void add_skins(sn_world *world, sn_surfaces *s)
{
    s->vertex_table.count = s->triangle_table.count = s->edge_table.count = s->skin_table.count = 0;
    number_vertices(world, s);
    for (uint32_t i = 0; i < world->contact.skin_table.count; ++i) {
        const sn_skin_record *record = &contact_skins(&world->contact)[i];
        if (is_surface(record))
            add_skin(world, s, record, i);
    }
    s->own_triangles = s->triangle_table.count;
    s->all_vertices = s->vertex_table.count;
    s->all_skins = s->skin_table.count;
    add_edges(s, sort_sides(s), 3 * s->own_triangles);
    s->own_edges = s->edge_table.count;
}

/* Makes the features of shells, behind those of skins. Segments follow the edges of all triangles. */
static void add_shells(const sn_world *world, sn_surfaces *s, sn_real longest)
{
    sn_sort_item *item = s->sort_table.column[0];
    s->shell_table.count = 0;
    sn_surface_shells_add(world, s, longest);
    const uint32_t count = 3 * (s->triangle_table.count - s->own_triangles);
    for (uint32_t i = 0; i < count; ++i)
        item[i] = sn_surface_side(s, 3 * s->own_triangles + i);
    sn_sort(item, s->sort_table.column[1], count);
    add_edges(s, item, count);
    add_segments(world, s);
    sn_surface_shells_edges(s);
}

/* ---- Tears ------------------------------------------------------------------------------------------------------- */

/* True if skins were only torn since features were made. Then it records the data of vertices. */
static bool note_past(const sn_world *world, sn_surfaces *s)
{
    s->past_table.count = 0;
    if (!s->edits || world->contact.edits + 1 - s->edits != world->contact.tears - s->tears || s->suspect ||
        !sn_table_reserve(&s->past_table, &world->allocator, s->index_table.count))
        return false;
    sn_surface_past *past = s->past_table.column[0];
    s->past_table.count = s->index_table.count;
    if (s->past_table.count)
        memset(past, 0, s->past_table.count * sizeof *past);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        const sn_surface_motion *m = &surface_motions(s)[i];
        const sn_surface_vertex *v = &surface_vertices(s)[i];
        past[v->number] = (sn_surface_past){m->end, true, m->tangled != 0, v->joined, m->suspect};
    }
    return true;
}

/* Restores the recorded data. New vertices are suspect. Vertices that the tear moved become so when tiles are
   measured. Shells were not torn: tangled vertices of shells are found through the vertices of skins that they are
   tangled with. */
static void take_past(const sn_world *world, sn_surfaces *s)
{
    const sn_surface_past *past = s->past_table.column[0];
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        const uint32_t number = surface_vertices(s)[i].number;
        const bool there = number < s->past_table.count && past[number].there;
        sn_surface_motion *m = &surface_motions(s)[i];
        m->end = there ? past[number].end : vec4_xyz(world->particles.x[world->ids.value[number]]);
        m->suspect = !there || past[number].tangled ? SN_SUSPECT : past[number].suspect;
        surface_vertices(s)[i].joined = there && past[number].joined;
    }
    s->some_suspect = true;
}

bool sn_surfaces_make(sn_world *world)
{
    sn_surfaces *s = &world->contacts.surfaces;
    uint32_t skins, triangles, segments;
    sn_real longest;
    if (s->edits == world->contact.edits + 1)
        return true;
    sn_surface_quiet_leave(s);
    const bool past = note_past(world, s);
    count_skins(world, &skins, &triangles, &segments, &longest);
    const bool known = s->pieces != 0;
    s->edits = s->joins = s->pieces = 0;
    s->pieces_follow = false;
    s->on = s->searched = s->torn = false;
    s->near_table.count = s->contact_table.count = s->tangle_table.count = 0;
    s->suspect = !past;
    if (skins) {
        const bool follows = past && sn_surface_follow_begin(world, s, skins);
        if (!reserve(world, s, skins, triangles, segments, longest))
            return false;
        const bool followed = follows && sn_surface_follow_skins(world, s);
        s->pieces_follow = followed && known;
        if (!followed)
            add_skins(world, s);
        for (uint32_t i = 0; i < s->skin_table.count; ++i) {
            const sn_skin_record *record = &contact_skins(&world->contact)[surface_skins(s)[i].row];
            surface_skins(s)[i].edge = mean_edge(world, record);
            s->torn = s->torn || record->self_collision == SN_SKIN_TORN;
        }
        add_shells(world, s, longest);
        add_rings(s, followed ? s->vertex_table.count : 0, followed ? s->own_edges : 0);
        sn_surface_strands_measure(world, s);
        memset(s->vertex_table.column[1], 0, s->all_vertices * sizeof(sn_surface_motion));
        if (past)
            take_past(world, s);
        if (!(followed && sn_surface_follow_tiles(world, s))) {
            if (!sn_surface_tiles_make(world, s))
                return false;
            sn_surface_smooth_make(world, s);
        }
    } else {
        s->vertex_table.count = s->triangle_table.count = s->edge_table.count = s->skin_table.count =
            s->index_table.count = s->shell_table.count = s->all_vertices = s->all_skins = 0;
        s->tile_table.count = s->pair_table.count = s->candidate_table.count = 0;
    }
    if (!sn_surface_quiet_reserve(world, s))
        return false;
    s->edits = world->contact.edits + 1;
    s->tears = world->contact.tears;
    s->topology = world->tearing.topology;
    return true;
}
