/* Features, tiles and pairs of tiles after a tear: whatever the tear does not affect is kept, with its numbers.

   The topology of skins records which triangles a tear changed. A vertex of such a triangle, before or after the tear,
   is *marked*. A triangle with a marked vertex is *touched*. Only these can have changed: marked vertices, edges of
   changed triangles (both ends of which are marked), and the features that triangles there own. Vertices are in the
   order of particles. A tear adds particles at the end, so new vertices come behind the others. New triangles of a skin
   are its last; the triangles of later skins move up. An edge that has disappeared passes its number to a new one;
   further edges come behind the others. Shells of bodies are behind the features of skins, and are rebuilt.

   A tile is cut again if one of its triangles has other vertices or owns other features. All other tiles are kept, and
   so are the lists of their pairs.

   A world that was saved and loaded has other tiles, and other numbers of edges. No result may depend on them. So
   contacts of torn surfaces are solved in the order of vertices and triangles: see sn_surface_key.

   Work that depends on the size of the whole cloth: a pass over triangles that finds the touched ones, and copies of
   rings, tiles and what is known of vertices. */
#include "contact/surface_contacts.h"
#include "contact/surface_quiet.h"

#include "world/world.h"

#include <string.h>

#define FEW_TRIANGLES 8u /* triangles a tile, on average: with fewer, all tiles are rebuilt */
#define MUCH          8u /* if more than one triangle in this many has changed, everything is rebuilt */

#ifndef __wasm__

static void init_tiles(sn_surface_before *b)
{
    sn_table_column(&b->tile_table, sizeof(sn_surface_tile), false);
    sn_table_column(&b->tile_table, sizeof(sn_bounds), false);
    sn_table_column(&b->tile_table, sizeof(sn_surface_quiet_tile), false);
    sn_table_column(&b->tile_triangle_table, sizeof(uint32_t), false);
    sn_table_column(&b->tile_triangle_table, 3 * sizeof(uint8_t), false);
    sn_table_column(&b->tile_vertex_table, sizeof(uint32_t), false);
    sn_table_column(&b->tile_vertex_table, sizeof(uint8_t), false);
    sn_table_column(&b->tile_edge_table, sizeof(uint32_t), false);
    sn_table_column(&b->tile_edge_table, 2 * sizeof(uint8_t), false);
    sn_table_column(&b->corner_table, sizeof(uint32_t), false);
    sn_table_column(&b->corner_table, 2 * sizeof(sn_real), false);
}

void sn_surface_follow_init(sn_surfaces *s)
{
    sn_surface_before *b = &s->before;
    sn_table_column(&b->change_table, sizeof(uint32_t), false);
    sn_table_column(&b->marked_table, sizeof(uint32_t), false);
    sn_table_column(&b->loose_table, sizeof(uint32_t), false);
    sn_table_column(&b->touched_table, sizeof(uint32_t), false);
    sn_table_column(&b->touched_table, sizeof(sn_surface_triangle), false);
    sn_table_column(&b->skin_table, sizeof(uint32_t), false);
    sn_table_column(&b->skin_table, sizeof(uint32_t), false);
    sn_table_column(&b->ring_start_table, sizeof(uint32_t), false);
    sn_table_column(&b->ring_table, sizeof(uint32_t), false);
    sn_table_column(&b->ring_table, sizeof(uint32_t), false);
    sn_table_column(&b->next_table, sizeof(uint32_t), false);
    sn_table_column(&b->kept_table, sizeof(uint32_t), false);
    sn_table_column(&b->kept_table, sizeof(uint32_t), false);
    init_tiles(b);
}

void sn_surface_follow_release(sn_surfaces *s, const sn_allocator *allocator)
{
    sn_surface_before *b = &s->before;
    sn_table *const tables[] = {
        &b->change_table,        &b->marked_table,      &b->loose_table,     &b->touched_table, &b->skin_table,
        &b->ring_start_table,    &b->ring_table,        &b->next_table,      &b->kept_table,    &b->tile_table,
        &b->tile_triangle_table, &b->tile_vertex_table, &b->tile_edge_table, &b->corner_table};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
        sn_table_release(tables[i], allocator);
}

static uint32_t *items(const sn_table *table)
{
    return table->column[0];
}

/* ---- What has changed -------------------------------------------------------------------------------------------- */

/* True if the skins are the same as before, some with more triangles. With segments, which are few, everything is
   rebuilt. */
static bool are_the_same(const sn_world *world, const sn_surfaces *s, uint32_t skins)
{
    if (s->skin_table.count != skins)
        return false;
    for (uint32_t i = 0; i < skins; ++i) {
        const sn_surface_skin *skin = &surface_skins(s)[i];
        if (skin->row >= world->contact.skin_table.count || skin->segments)
            return false;
        const sn_skin_record *record = &contact_skins(&world->contact)[skin->row];
        if (!record->self_collision || record->segments || record->count < skin->count || !skin->count)
            return false;
    }
    return true;
}

/* The index of the skin with this handle; SN_SURFACE_NONE: none. */
static uint32_t skin_of(const sn_world *world, const sn_surfaces *s, sn_skin skin)
{
    for (uint32_t i = 0; i < s->skin_table.count; ++i)
        if (contact_skins(&world->contact)[surface_skins(s)[i].row].number == skin.index)
            return i;
    return SN_SURFACE_NONE;
}

/* By skin: its first triangle; and one entry more. */
static uint32_t *place_now(const sn_surfaces *s)
{
    return s->before.skin_table.column[0];
}

static uint32_t *place_before(const sn_surfaces *s)
{
    return s->before.skin_table.column[1];
}

static void find_places(const sn_world *world, sn_surfaces *s)
{
    place_now(s)[0] = 0;
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        place_before(s)[i] = surface_skins(s)[i].first;
        place_now(s)[i + 1] = place_now(s)[i] + contact_skins(&world->contact)[surface_skins(s)[i].row].count;
    }
    place_before(s)[s->skin_table.count] = s->own_triangles;
}

bool sn_surface_follow_begin(sn_world *world, sn_surfaces *s, uint32_t skins)
{
    const sn_allocator *a = &world->allocator;
    sn_surface_before *b = &s->before;
    const sn_topology_change *change;
    uint32_t count;
    if (!s->tile_table.count || !are_the_same(world, s, skins) ||
        !sn_world_topology_since(world, s->topology, &change, &count) || count > s->own_triangles / MUCH + 64 ||
        !sn_table_reserve(&b->change_table, a, count) || !sn_table_reserve(&b->skin_table, a, (uint64_t)skins + 1))
        return false;
    find_places(world, s);
    b->change_table.count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t skin = skin_of(world, s, change[i].skin);
        if (skin == SN_SURFACE_NONE)
            continue;
        if (change[i].triangle >= place_now(s)[skin + 1] - place_now(s)[skin])
            return false;
        items(&b->change_table)[b->change_table.count++] = place_now(s)[skin] + change[i].triangle;
    }
    b->vertices = s->vertex_table.count;
    b->shell_vertices = s->all_vertices - s->vertex_table.count;
    b->triangles = s->own_triangles;
    b->edges = s->own_edges;
    b->shell_triangles = s->triangle_table.count - s->own_triangles;
    b->shell_edges = s->edge_table.count - s->own_edges;
    /* shells are added again behind the new features of skins */
    s->triangle_table.count = s->own_triangles;
    s->edge_table.count = s->own_edges;
    s->all_vertices = s->vertex_table.count;
    s->all_skins = skins;
    s->ring_start_table.count = b->vertices + 1;
    s->ring_table.count = items(&s->ring_start_table)[b->vertices];
    return true;
}

static bool reserve(sn_world *world, sn_surfaces *s)
{
    const sn_allocator *a = &world->allocator;
    sn_surface_before *b = &s->before;
    const uint64_t changes = b->change_table.count, triangles = s->triangle_table.capacity;
    b->marked_table.count = b->loose_table.count = b->touched_table.count = 0;
    return sn_table_reserve(&b->marked_table, a, 6 * changes) && sn_table_reserve(&b->loose_table, a, 3 * changes) &&
           sn_table_reserve(&b->touched_table, a, triangles) && sn_table_reserve(&b->next_table, a, triangles) &&
           sn_table_reserve(&s->sort_table, a, 3 * changes) &&
           sn_table_reserve(&b->ring_start_table, a, s->ring_start_table.capacity) &&
           sn_table_reserve(&b->ring_table, a, s->ring_table.capacity);
}

/* ---- Triangles --------------------------------------------------------------------------------------------------- */

/* The new number of an old triangle. */
static uint32_t triangle_now(const sn_surfaces *s, uint32_t triangle)
{
    uint32_t low = 0, high = s->skin_table.count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (place_before(s)[middle] <= triangle)
            low = middle;
        else
            high = middle;
    }
    return triangle - place_before(s)[low] + place_now(s)[low];
}

/* True if a skin behind one with new triangles moves up. */
static bool moves(const sn_surfaces *s)
{
    const uint32_t last = s->skin_table.count - 1;
    return place_before(s)[last] != place_now(s)[last];
}

/* Renumbers the triangles that features refer to. */
static void renumber_triangles(sn_surfaces *s)
{
    uint32_t *across = s->triangle_table.column[1];
    for (uint32_t i = 0; i < 3 * s->before.triangles; ++i)
        across[i] = across[i] == SN_SURFACE_NONE ? across[i] : triangle_now(s, across[i]);
    for (uint32_t i = 0; i < s->edge_table.count; ++i)
        surface_edges(s)[i].triangle = triangle_now(s, surface_edges(s)[i].triangle);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        surface_vertices(s)[i].triangle = triangle_now(s, surface_vertices(s)[i].triangle);
}

/* Makes gaps for new triangles. */
static void move_triangles(sn_surfaces *s)
{
    sn_surface_sheet *sheet = s->triangle_table.column[5];
    uint32_t(*across)[3] = s->triangle_table.column[1];
    for (uint32_t i = s->skin_table.count; i-- > 0;) {
        const uint32_t to = place_now(s)[i], from = place_before(s)[i], count = place_before(s)[i + 1] - from;
        if (to != from) {
            memmove(surface_triangles(s) + to, surface_triangles(s) + from, count * sizeof(sn_surface_triangle));
            memmove(across + to, across + from, count * sizeof *across);
            memmove(sheet + to, sheet + from, count * sizeof *sheet);
        }
        surface_skins(s)[i].first = to;
        surface_skins(s)[i].count = place_now(s)[i + 1] - to;
        for (uint32_t t = to + count; t < place_now(s)[i + 1]; ++t) {
            surface_triangles(s)[t] = (sn_surface_triangle){.skin = i, .vertex = {SN_SURFACE_NONE}};
            memset(across[t], 0xff, sizeof *across);
            sheet[t] = (sn_surface_sheet){.tile = SN_SURFACE_NONE};
        }
    }
    s->triangle_table.count = s->own_triangles = place_now(s)[s->skin_table.count];
}

static bool is_new(const sn_surfaces *s, uint32_t triangle)
{
    return ((const sn_surface_sheet *)s->triangle_table.column[5])[triangle].tile == SN_SURFACE_NONE;
}

/* The corners of a triangle, as numbers of particles. */
static const uint32_t *corners_now(const sn_world *world, const sn_surfaces *s, uint32_t triangle)
{
    const uint32_t skin = surface_triangles(s)[triangle].skin;
    const sn_skin_record *record = &contact_skins(&world->contact)[surface_skins(s)[skin].row];
    return (const uint32_t *)world->contact.triangle_table.column[0] +
           3 * (size_t)(record->first + triangle - place_now(s)[skin]);
}

/* ---- Vertices ---------------------------------------------------------------------------------------------------- */

/* Adds particles that have become vertices. False: they do not come behind the others. */
static bool add_vertices(sn_world *world, sn_surfaces *s)
{
    const sn_surface_before *b = &s->before;
    sn_sort_item *item = s->sort_table.column[0];
    uint32_t count = 0, *index = items(&s->index_table);
    const uint32_t last = surface_vertices(s)[b->vertices - 1].number;
    for (uint32_t i = s->index_table.count; i < world->ids.table.count; ++i)
        index[i] = 0;
    s->index_table.count = world->ids.table.count;
    for (uint32_t i = 0; i < 3 * b->change_table.count; ++i) {
        const uint32_t number = corners_now(world, s, items(&b->change_table)[i / 3])[i % 3];
        if (!index[number])
            item[count++] = (sn_sort_item){.key = number};
    }
    sn_sort(item, s->sort_table.column[1], count);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t number = (uint32_t)item[i].key;
        if (number < last)
            return false;
        if (index[number])
            continue;
        surface_vertices(s)[s->vertex_table.count] =
            (sn_surface_vertex){.number = number, .edge = SN_SURFACE_NONE, .triangle = SN_SURFACE_NONE};
        index[number] = ++s->vertex_table.count;
    }
    s->all_vertices = s->vertex_table.count;
    return true;
}

/* Scratch by vertex and by edge. */
enum { MARKED = 1 };
enum { LOOSE = 1, USED };

static uint32_t *marks(const sn_surfaces *s)
{
    return s->vertex_table.column[2];
}

static uint32_t *states(const sn_surfaces *s)
{
    return s->edge_table.column[1];
}

static void mark(sn_surfaces *s, uint32_t vertex)
{
    sn_surface_before *b = &s->before;
    if (marks(s)[vertex] != MARKED)
        items(&b->marked_table)[b->marked_table.count++] = vertex;
    marks(s)[vertex] = MARKED;
}

/* Sets the corners of changed triangles, and makes their edges loose. */
static void change_triangles(sn_world *world, sn_surfaces *s)
{
    sn_surface_before *b = &s->before;
    memset(marks(s), 0, s->vertex_table.count * sizeof(uint32_t));
    memset(states(s), 0, s->edge_table.count * sizeof(uint32_t));
    for (uint32_t i = 0; i < b->change_table.count; ++i) {
        const uint32_t changed = items(&b->change_table)[i], *corner = corners_now(world, s, changed);
        sn_surface_triangle *t = &surface_triangles(s)[changed];
        for (uint32_t k = 0; k < 3; ++k) {
            if (!is_new(s, changed)) {
                mark(s, t->vertex[k]);
                if (states(s)[t->edge[k]] != LOOSE)
                    items(&b->loose_table)[b->loose_table.count++] = t->edge[k];
                states(s)[t->edge[k]] = LOOSE;
            }
            t->vertex[k] = items(&s->index_table)[corner[k]] - 1;
            mark(s, t->vertex[k]);
        }
    }
}

/* Finds the touched triangles. False: a triangle is new but was not recorded. */
static bool find_touched(sn_surfaces *s)
{
    sn_table *table = &s->before.touched_table;
    const uint32_t *marked = marks(s);
    for (uint32_t i = 0; i < s->triangle_table.count; ++i) {
        const sn_surface_triangle *t = &surface_triangles(s)[i];
        if (t->vertex[0] == SN_SURFACE_NONE)
            return false;
        if (marked[t->vertex[0]] | marked[t->vertex[1]] | marked[t->vertex[2]]) {
            ((sn_surface_triangle *)table->column[1])[table->count] = *t;
            items(table)[table->count++] = i;
        }
    }
    return true;
}

/* Makes the first triangle with a vertex its owner. False: some vertex has no triangle any more. */
static bool own_vertices(sn_surfaces *s)
{
    const sn_surface_before *b = &s->before;
    for (uint32_t i = 0; i < b->marked_table.count; ++i)
        surface_vertices(s)[items(&b->marked_table)[i]].triangle = SN_SURFACE_NONE;
    for (uint32_t i = 0; i < b->touched_table.count; ++i) {
        const uint32_t number = items(&b->touched_table)[i];
        sn_surface_triangle *t = &surface_triangles(s)[number];
        for (uint32_t k = 0; k < 3; ++k) {
            sn_surface_vertex *v = &surface_vertices(s)[t->vertex[k]];
            if (marks(s)[t->vertex[k]] != MARKED)
                continue;
            t->owns &= ~(1u << k);
            if (v->triangle == SN_SURFACE_NONE) {
                v->triangle = number;
                v->skin = t->skin;
                t->owns |= 1u << k;
            }
        }
    }
    for (uint32_t i = 0; i < b->marked_table.count; ++i)
        if (surface_vertices(s)[items(&b->marked_table)[i]].triangle == SN_SURFACE_NONE)
            return false;
    return true;
}

/* ---- Edges ------------------------------------------------------------------------------------------------------- */

/* True if two old vertices have an edge that is not loose. */
static bool has_edge(const sn_surfaces *s, uint32_t a, uint32_t b)
{
    const uint32_t *start = items(&s->ring_start_table), *ring = items(&s->ring_table), *to = s->ring_table.column[1];
    for (uint32_t i = start[a]; b < s->before.vertices && i < start[a + 1]; ++i)
        if (ring[i] == b && !states(s)[to[i]])
            return true;
    return false;
}

/* Lists the sides of loose edges and of new triangles, sorted. */
static uint32_t find_sides(sn_surfaces *s)
{
    const sn_surface_before *b = &s->before;
    sn_sort_item *item = s->sort_table.column[0];
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->touched_table.count; ++i) {
        const uint32_t number = items(&b->touched_table)[i];
        for (uint32_t k = 0; k < 3; ++k)
            if (is_new(s, number) || states(s)[surface_triangles(s)[number].edge[k]])
                item[count++] = sn_surface_side(s, 3 * number + k);
    }
    sn_sort(item, s->sort_table.column[1], count);
    return count;
}

/* The old edge of a side, if it has the same ends now, and no other side has taken it. */
static uint32_t edge_kept(const sn_surfaces *s, const sn_sort_item *side)
{
    if (is_new(s, side->a / 3))
        return SN_SURFACE_NONE;
    const uint32_t number = surface_triangles(s)[side->a / 3].edge[side->a % 3];
    const uint32_t *end = surface_edges(s)[number].vertex;
    return states(s)[number] == LOOSE && ((uint64_t)end[0] << 32 | end[1]) == side->key ? number : SN_SURFACE_NONE;
}

/* False: a new edge would duplicate an existing one, or there are fewer edges than before. */
static bool follow_edges(sn_surfaces *s)
{
    const sn_surface_before *b = &s->before;
    sn_sort_item *item = s->sort_table.column[0];
    const uint32_t count = find_sides(s);
    uint32_t free_ones = 0;
    for (uint32_t i = 0, first = 0; i < count; ++i) {
        if (i == 0 || item[i].key != item[i - 1].key)
            first = i, item[i].b = SN_SURFACE_NONE;
        const uint32_t kept = item[first].b == SN_SURFACE_NONE ? edge_kept(s, &item[i]) : SN_SURFACE_NONE;
        if (kept != SN_SURFACE_NONE)
            item[first].b = kept, states(s)[kept] = USED;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if ((i && item[i].key == item[i - 1].key) || item[i].b != SN_SURFACE_NONE)
            continue;
        if ((item[i].key >> 32) < b->vertices && has_edge(s, (uint32_t)(item[i].key >> 32), (uint32_t)item[i].key))
            return false;
        while (free_ones < b->loose_table.count && states(s)[items(&b->loose_table)[free_ones]] == USED)
            ++free_ones;
        item[i].b = free_ones < b->loose_table.count ? items(&b->loose_table)[free_ones++] : s->edge_table.count++;
    }
    while (free_ones < b->loose_table.count && states(s)[items(&b->loose_table)[free_ones]] == USED)
        ++free_ones;
    if (free_ones < b->loose_table.count)
        return false;
    sn_surface_sides_join(s, item, count);
    s->own_edges = s->edge_table.count;
    return true;
}

/* ---- Rings ------------------------------------------------------------------------------------------------------- */

static void exchange(sn_table *a, sn_table *b)
{
    const sn_table c = *a;
    *a = *b;
    *b = c;
}

/* Lists the edges at marked vertices, sorted by vertex, then by the other end. */
static uint32_t find_spokes(sn_surfaces *s)
{
    const sn_surface_before *b = &s->before;
    sn_sort_item *item = s->sort_table.column[0];
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->touched_table.count; ++i) {
        const sn_surface_triangle *t = &surface_triangles(s)[items(&b->touched_table)[i]];
        for (uint32_t k = 0; k < 6; ++k) {
            const uint32_t number = t->edge[k / 2], *end = surface_edges(s)[number].vertex, at = end[k % 2];
            if (t->owns >> (3 + k / 2) & 1 && marks(s)[at] == MARKED)
                item[count++] = (sn_sort_item){.key = (uint64_t)at << 32 | end[1 - k % 2], .a = number};
        }
    }
    sn_sort(item, s->sort_table.column[1], count);
    return count;
}

/* Copies the rings of a range of old vertices. Returns the end of what is written. */
static uint32_t copy_rings(sn_surfaces *s, uint32_t from, uint32_t to, uint32_t end)
{
    const sn_surface_before *b = &s->before;
    const uint32_t *old = items(&b->ring_start_table);
    uint32_t *start = items(&s->ring_start_table);
    if (from >= to)
        return end;
    const uint32_t count = old[to] - old[from];
    for (uint32_t column = 0; column < 2; ++column)
        memcpy((uint32_t *)s->ring_table.column[column] + end,
               (const uint32_t *)b->ring_table.column[column] + old[from], count * sizeof(uint32_t));
    for (uint32_t i = from; i < to; ++i)
        start[i] = end + (old[i] - old[from]);
    return end + count;
}

static void follow_rings(sn_surfaces *s)
{
    sn_surface_before *b = &s->before;
    const sn_sort_item *item = s->sort_table.column[0];
    const uint32_t count = find_spokes(s);
    exchange(&s->ring_start_table, &b->ring_start_table);
    exchange(&s->ring_table, &b->ring_table);
    uint32_t *start = items(&s->ring_start_table), *ring = items(&s->ring_table), *to = s->ring_table.column[1];
    uint32_t end = 0, next = 0; /* the next vertex */
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t vertex = (uint32_t)(item[i].key >> 32);
        if (i == 0 || item[i - 1].key >> 32 != vertex) {
            end = copy_rings(s, next, vertex < b->vertices ? vertex : b->vertices, end);
            start[vertex] = end;
            surface_vertices(s)[vertex].edge = item[i].a;
            next = vertex + 1;
        }
        ring[end] = (uint32_t)item[i].key;
        to[end++] = item[i].a;
    }
    end = copy_rings(s, next, b->vertices, end);
    start[s->vertex_table.count] = end;
}

bool sn_surface_follow_skins(sn_world *world, sn_surfaces *s)
{
    if (!reserve(world, s))
        return false;
    if (moves(s))
        renumber_triangles(s);
    move_triangles(s);
    if (!add_vertices(world, s))
        return false;
    change_triangles(world, s);
    if (!find_touched(s) ||
        !sn_table_reserve(&s->sort_table, &world->allocator, 6 * (uint64_t)s->before.touched_table.count) ||
        !own_vertices(s) || !follow_edges(s))
        return false;
    follow_rings(s);
    return true;
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------- */

static const sn_surface_tile *tile_before(const sn_surfaces *s, uint32_t tile)
{
    return (const sn_surface_tile *)s->before.tile_table.column[0] + tile;
}

/* Adds a triangle to a tile, which has to be cut again. */
static void give(sn_surfaces *s, uint32_t triangle, uint32_t tile)
{
    sn_surface_before *b = &s->before;
    uint32_t *kept = b->kept_table.column[0], *first = b->kept_table.column[1];
    ((sn_surface_sheet *)s->triangle_table.column[5])[triangle].tile = tile;
    items(&b->next_table)[triangle] = first[tile];
    first[tile] = triangle;
    kept[tile] = SN_SURFACE_NONE;
}

/* Adds new triangles to the tile of a neighbour, or, if there is none, to a tile of the skin. */
static void give_new(sn_surfaces *s)
{
    const uint32_t *across = s->triangle_table.column[1];
    const sn_surface_sheet *sheet = s->triangle_table.column[5];
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        const uint32_t first = place_now(s)[i] + place_before(s)[i + 1] - place_before(s)[i], end = place_now(s)[i + 1];
        bool found = first < end;
        while (found) {
            found = false;
            for (uint32_t t = first; t < end; ++t)
                for (uint32_t k = 0; k < 3 && is_new(s, t); ++k) {
                    const uint32_t other = across[3 * (size_t)t + k];
                    if (other != SN_SURFACE_NONE && !is_new(s, other))
                        give(s, t, sheet[other].tile), found = true;
                }
        }
        for (uint32_t t = first; t < end; ++t)
            if (is_new(s, t))
                give(s, t, sheet[place_now(s)[i]].tile);
    }
}

/* Chooses the tiles that are kept: those whose triangles have the same vertices and own the same features. */
static void choose(sn_surfaces *s)
{
    sn_surface_before *b = &s->before;
    const sn_surface_triangle *old = b->touched_table.column[1];
    const sn_surface_sheet *sheet = s->triangle_table.column[5];
    uint32_t *kept = b->kept_table.column[0], *first = b->kept_table.column[1];
    memset(kept, 0, b->tile_table.count * sizeof *kept);
    memset(first, 0xff, b->tile_table.count * sizeof *first);
    for (uint32_t i = 0; i < b->change_table.count; ++i)
        if (!is_new(s, items(&b->change_table)[i]))
            kept[sheet[items(&b->change_table)[i]].tile] = SN_SURFACE_NONE;
    for (uint32_t i = 0; i < b->touched_table.count; ++i) {
        const uint32_t number = items(&b->touched_table)[i];
        const sn_surface_triangle *t = &surface_triangles(s)[number];
        if (!is_new(s, number) && (t->owns != old[i].owns || memcmp(t->edge, old[i].edge, sizeof t->edge) != 0))
            kept[sheet[number].tile] = SN_SURFACE_NONE;
    }
    give_new(s);
}

/* Copies the features of a tile. Their numbers increase by `higher`; corner indices within the tile stay. */
static void copy_features(sn_table *to, const sn_table *from, uint32_t first, uint32_t count, size_t corners,
                          uint32_t higher)
{
    const uint32_t *old = (const uint32_t *)from->column[0] + first;
    uint32_t *made = (uint32_t *)to->column[0] + to->count;
    for (uint32_t i = 0; i < count; ++i)
        made[i] = old[i] + higher;
    if (count)
        memcpy((uint8_t *)to->column[1] + corners * to->count, (const uint8_t *)from->column[1] + corners * first,
               corners * count);
    to->count += count;
}

/* The increase of the numbers of triangles, vertices and edges. */
typedef struct higher {
    uint32_t triangles, vertices, edges;
} higher;

static void copy_tile(sn_surfaces *s, const sn_surface_tile *tile, higher by)
{
    const sn_surface_before *b = &s->before;
    sn_surface_tile *made = &surface_tiles(s)[s->tile_table.count++];
    *made = *tile;
    made->first_triangle = s->tile_triangle_table.count;
    made->first_vertex = s->tile_vertex_table.count;
    made->first_edge = s->tile_edge_table.count;
    made->first_corner = s->corner_table.count;
    copy_features(&s->tile_triangle_table, &b->tile_triangle_table, tile->first_triangle, tile->triangles, 3,
                  by.triangles);
    copy_features(&s->tile_vertex_table, &b->tile_vertex_table, tile->first_vertex, tile->vertices, 1, by.vertices);
    copy_features(&s->tile_edge_table, &b->tile_edge_table, tile->first_edge, tile->edges, 2, by.edges);
    copy_features(&s->corner_table, &b->corner_table, tile->first_corner, tile->corners, 2 * sizeof(sn_real),
                  by.vertices);
}

static void cut_tile(const sn_world *world, sn_surfaces *s, sn_surface_cutting *c, uint32_t number, uint32_t up)
{
    const sn_surface_tile *tile = tile_before(s, number);
    const uint32_t *triangle = items(&s->before.tile_triangle_table) + tile->first_triangle;
    const uint32_t *first = s->before.kept_table.column[1], *next = items(&s->before.next_table);
    uint32_t count = 0;
    for (uint32_t k = 0; k < tile->triangles; ++k)
        c->order[count++] = triangle[k] + up;
    for (uint32_t t = first[number]; t != SN_SURFACE_NONE; t = next[t])
        c->order[count++] = t;
    sn_surface_cut(world, c, 0, count);
}

static void make_tiles(const sn_world *world, sn_surfaces *s)
{
    const sn_surface_before *b = &s->before;
    const higher of_shells = {s->own_triangles - b->triangles, s->vertex_table.count - b->vertices,
                              s->own_edges - b->edges};
    uint32_t *kept = b->kept_table.column[0];
    sn_surface_cutting c = sn_surface_cutting_begin(s);
    for (uint32_t i = 0; i < b->tile_table.count; ++i) {
        const uint32_t skin = tile_before(s, i)->skin;
        const higher by =
            skin < s->skin_table.count ? (higher){.triangles = place_now(s)[skin] - place_before(s)[skin]} : of_shells;
        if (kept[i] == SN_SURFACE_NONE) {
            cut_tile(world, s, &c, i, by.triangles);
            continue;
        }
        kept[i] = s->tile_table.count;
        copy_tile(s, tile_before(s, i), by);
    }
    sn_surface_tiles_number(s);
}

/* ---- Pairs ------------------------------------------------------------------------------------------------------- */

/* Keeps the pairs of two kept tiles. Pairs with shells are dropped, because shells are placed again. */
static void keep_pairs(sn_surfaces *s)
{
    const uint32_t *kept = s->before.kept_table.column[0];
    const bool moved = moves(s);
    sn_surface_pair *pair = surface_pairs(s);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->pair_table.count; ++i) {
        sn_surface_pair made = pair[i];
        made.a = kept[made.a];
        made.b = kept[made.b];
        if (made.a == SN_SURFACE_NONE || made.b == SN_SURFACE_NONE || !made.listed ||
            surface_skins(s)[surface_tiles(s)[made.b].skin].shell)
            continue;
        for (uint32_t k = 0; moved && k < made.count; ++k) {
            sn_surface_candidate *c = &surface_candidates(s)[made.first + k];
            c->other = c->edges ? c->other : triangle_now(s, c->other);
        }
        made.hoods = made.waits = 0;
        pair[count++] = made;
    }
    s->pair_table.count = count;
}

bool sn_surface_follow_tiles(sn_world *world, sn_surfaces *s)
{
    sn_surface_before *b = &s->before;
    if (s->tile_table.count > 64 + s->triangle_table.count / FEW_TRIANGLES ||
        s->all_vertices - s->vertex_table.count != b->shell_vertices ||
        s->triangle_table.count - s->own_triangles != b->shell_triangles ||
        s->edge_table.count - s->own_edges != b->shell_edges ||
        !sn_table_reserve(&b->kept_table, &world->allocator, s->tile_table.count))
        return false;
    exchange(&s->tile_table, &b->tile_table);
    exchange(&s->tile_triangle_table, &b->tile_triangle_table);
    exchange(&s->tile_vertex_table, &b->tile_vertex_table);
    exchange(&s->tile_edge_table, &b->tile_edge_table);
    exchange(&s->corner_table, &b->corner_table);
    if (!sn_surface_tiles_reserve(world, s))
        return false;
    choose(s);
    make_tiles(world, s);
    keep_pairs(s);
    sn_surface_smooth_follow(world, s, items(&b->touched_table), b->touched_table.count);
    s->follows++;
    return true;
}

#else /* where code has to be downloaded (WebAssembly) everything is rebuilt; results are the same */

void sn_surface_follow_init(sn_surfaces *s)
{
    (void)s;
}

void sn_surface_follow_release(sn_surfaces *s, const sn_allocator *allocator)
{
    (void)s, (void)allocator;
}

bool sn_surface_follow_begin(sn_world *world, sn_surfaces *s, uint32_t skins)
{
    (void)world, (void)s, (void)skins;
    return false;
}

bool sn_surface_follow_skins(sn_world *world, sn_surfaces *s)
{
    (void)world, (void)s;
    return false;
}

bool sn_surface_follow_tiles(sn_world *world, sn_surfaces *s)
{
    (void)world, (void)s;
    return false;
}

#endif
