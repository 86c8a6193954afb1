/* Tiles and pairs of tiles follow a tear: those that it does not affect are kept, with their lists of near features.

   Features are made again after a tear, and their numbers are a function of the mesh. Tiles could be, too, but then
   one more triangle would change nearly all of them, and near features would have to be searched for everywhere. So
   tiles are kept. Only those that lost or got a triangle, or a feature that they own, are cut again.

   A world that was saved and loaded then has other tiles. No result may depend on them. So contacts of torn surfaces
   are solved in the order of features, not of tiles: see sn_surface_key. */
#include "contact/surface_contacts.h"

#include "world/world.h"

#include <string.h>

#define FEW_TRIANGLES 8u /* a tile, on the mean: with fewer, all tiles are made anew */

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
    sn_table_column(&b->number_table, sizeof(uint32_t), false);
    sn_table_column(&b->number_table, sizeof(uint32_t), false);
    sn_table_column(&b->triangle_table, sizeof(sn_surface_triangle), false);
    sn_table_column(&b->place_table, sizeof(uint32_t), false);
    sn_table_column(&b->skin_table, sizeof(sn_surface_skin), false);
    sn_table_column(&b->of_table, sizeof(uint32_t), false);
    sn_table_column(&b->of_table, sizeof(uint32_t), false);
    sn_table_column(&b->kept_table, sizeof(uint32_t), false);
    sn_table_column(&b->kept_table, sizeof(uint32_t), false);
    init_tiles(b);
}

void sn_surface_follow_release(sn_surfaces *s, const sn_allocator *allocator)
{
    sn_surface_before *b = &s->before;
    sn_table *const tables[] = {&b->number_table,      &b->triangle_table,  &b->place_table, &b->skin_table,
                                &b->tile_table,        &b->of_table,        &b->kept_table,  &b->tile_triangle_table,
                                &b->tile_vertex_table, &b->tile_edge_table, &b->corner_table};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
        sn_table_release(tables[i], allocator);
}

/* ---- Before ----------------------------------------------------------------------------------------------------------------- */

/* Segments of skins are few: where there are some, everything is made anew. */
static bool has_segments(const sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->skin_table.count; ++i)
        if (surface_skins(s)[i].segments)
            return true;
    return false;
}

bool sn_surface_follow_begin(sn_world *world, sn_surfaces *s)
{
    const sn_allocator *a = &world->allocator;
    sn_surface_before *b = &s->before;
    if (!s->tile_table.count || has_segments(s) || !sn_table_reserve(&b->number_table, a, s->all_vertices) ||
        !sn_table_reserve(&b->triangle_table, a, s->triangle_table.count) ||
        !sn_table_reserve(&b->place_table, a, s->edge_table.count) ||
        !sn_table_reserve(&b->skin_table, a, s->all_skins))
        return false;
    uint32_t *number = b->number_table.column[0], *place = b->place_table.column[0];
    b->vertices = s->vertex_table.count;
    b->all_vertices = s->all_vertices;
    b->edges = b->tail = s->edge_table.count;
    b->skin_table.count = s->all_skins;
    memcpy(b->skin_table.column[0], s->skin_table.column[0], s->all_skins * sizeof(sn_surface_skin));
    memcpy(b->triangle_table.column[0], s->triangle_table.column[0],
           s->triangle_table.count * sizeof(sn_surface_triangle));
    for (uint32_t i = 0; i < b->vertices; ++i)
        number[i] = surface_vertices(s)[i].number;
    memset(place, 0xff, b->edges * sizeof *place);
    for (uint32_t i = 0; i < 3 * s->triangle_table.count; ++i)
        if (surface_triangles(s)[i / 3].owns >> (3 + i % 3) & 1)
            place[surface_triangles(s)[i / 3].edge[i % 3]] = i, b->tail--;
    return true;
}

/* ---- What things are now ------------------------------------------------------------------------------------------------------ */

static const sn_surface_skin *skins_before(const sn_surfaces *s)
{
    return s->before.skin_table.column[0];
}

static const sn_surface_triangle *triangle_before(const sn_surfaces *s, uint32_t triangle)
{
    return (const sn_surface_triangle *)s->before.triangle_table.column[0] + triangle;
}

static uint32_t vertex_now(const sn_surfaces *s, uint32_t vertex)
{
    return ((const uint32_t *)s->before.number_table.column[1])[vertex];
}

/* Triangles that come to a skin are its last. */
static uint32_t triangle_now(const sn_surfaces *s, uint32_t triangle)
{
    const uint32_t skin = triangle_before(s, triangle)->skin;
    return triangle - skins_before(s)[skin].first + surface_skins(s)[skin].first;
}

/* Of a tile that is kept. */
static uint32_t edge_now(const sn_surfaces *s, uint32_t edge)
{
    const uint32_t place = ((const uint32_t *)s->before.place_table.column[0])[edge];
    return place == SN_SURFACE_NONE ? s->edge_table.count - (s->before.edges - edge)
                                    : surface_triangles(s)[triangle_now(s, place / 3)].edge[place % 3];
}

/* Whether skins and shells are those that were there; skins may have more triangles. */
static bool are_the_same(const sn_surfaces *s)
{
    const sn_surface_before *b = &s->before;
    uint32_t owned = 0;
    if (has_segments(s) || s->all_skins != b->skin_table.count ||
        s->all_vertices - s->vertex_table.count != b->all_vertices - b->vertices)
        return false;
    for (uint32_t i = 0; i < s->all_skins; ++i) {
        const sn_surface_skin *one = &skins_before(s)[i], *two = &surface_skins(s)[i];
        if (one->row != two->row || one->shell != two->shell || two->count < one->count ||
            (two->shell && (two->count != one->count || two->vertices != one->vertices)))
            return false;
    }
    for (uint32_t i = 0; i < 3 * s->triangle_table.count; ++i)
        owned += surface_triangles(s)[i / 3].owns >> (3 + i % 3) & 1;
    return s->edge_table.count - owned == b->tail;
}

static void find_vertices(sn_surfaces *s)
{
    const uint32_t *number = s->before.number_table.column[0], *index = s->index_table.column[0];
    uint32_t *now = s->before.number_table.column[1];
    for (uint32_t i = 0; i < s->before.vertices; ++i)
        now[i] = number[i] < s->index_table.count && index[number[i]] ? index[number[i]] - 1 : SN_SURFACE_NONE;
    for (uint32_t i = s->before.vertices; i < s->before.all_vertices; ++i)
        now[i] = i - s->before.vertices + s->vertex_table.count;
}

/* ---- Tiles ---------------------------------------------------------------------------------------------------------------------- */

static const sn_surface_tile *tile_before(const sn_surfaces *s, uint32_t tile)
{
    return (const sn_surface_tile *)s->before.tile_table.column[0] + tile;
}

static uint32_t triangle_of_tile(const sn_surfaces *s, const sn_surface_tile *tile, uint32_t i)
{
    return ((const uint32_t *)s->before.tile_triangle_table.column[0])[tile->first_triangle + i];
}

/* Whether its triangles have the vertices that they had, and own what they owned. */
static bool is_kept(const sn_surfaces *s, const sn_surface_tile *tile)
{
    for (uint32_t i = 0; i < tile->triangles; ++i) {
        const uint32_t triangle = triangle_of_tile(s, tile, i);
        const sn_surface_triangle *one = triangle_before(s, triangle),
                                  *two = &surface_triangles(s)[triangle_now(s, triangle)];
        if (one->owns != two->owns)
            return false;
        for (uint32_t k = 0; k < 3; ++k)
            if (vertex_now(s, one->vertex[k]) != two->vertex[k])
                return false;
    }
    return true;
}

/* A triangle comes to a tile, which is cut anew. */
static void give(sn_surface_before *b, uint32_t triangle, uint32_t tile)
{
    uint32_t *of = b->of_table.column[0], *next = b->of_table.column[1], *kept = b->kept_table.column[0],
             *first = b->kept_table.column[1];
    of[triangle] = tile;
    next[triangle] = first[tile];
    first[tile] = triangle;
    kept[tile] = SN_SURFACE_NONE;
}

/* Triangles that are new go to the tile of a neighbour; those that find none, to one of the skin. */
static void give_new(sn_surfaces *s)
{
    sn_surface_before *b = &s->before;
    const uint32_t *across = s->triangle_table.column[1], *of = b->of_table.column[0];
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        const sn_surface_skin *skin = &surface_skins(s)[i];
        const uint32_t first = skin->first + skins_before(s)[i].count, end = skin->first + skin->count;
        bool found = first < end;
        while (found) {
            found = false;
            for (uint32_t t = first; t < end; ++t)
                for (uint32_t k = 0; k < 3 && of[t] == SN_SURFACE_NONE; ++k) {
                    const uint32_t other = across[3 * (size_t)t + k];
                    if (other != SN_SURFACE_NONE && of[other] != SN_SURFACE_NONE)
                        give(b, t, of[other]), found = true;
                }
        }
        for (uint32_t t = first; t < end && skins_before(s)[i].count; ++t)
            if (of[t] == SN_SURFACE_NONE)
                give(b, t, of[skin->first]);
    }
}

/* Which tiles are kept. */
static void choose(sn_surfaces *s)
{
    sn_surface_before *b = &s->before;
    uint32_t *of = b->of_table.column[0], *kept = b->kept_table.column[0], *first = b->kept_table.column[1];
    memset(of, 0xff, s->triangle_table.count * sizeof *of);
    for (uint32_t i = 0; i < b->tile_table.count; ++i) {
        const sn_surface_tile *tile = tile_before(s, i);
        kept[i] = is_kept(s, tile) ? 0 : SN_SURFACE_NONE;
        first[i] = SN_SURFACE_NONE;
        for (uint32_t k = 0; k < tile->triangles; ++k)
            of[triangle_now(s, triangle_of_tile(s, tile, k))] = i;
    }
    give_new(s);
}

/* Numbers of features become others; which corners they have stays. */
static void copy_features(const sn_surfaces *s, sn_table *to, const sn_table *from, uint32_t first, uint32_t count,
                          size_t corners, uint32_t (*now)(const sn_surfaces *, uint32_t))
{
    const uint32_t *old = (const uint32_t *)from->column[0] + first;
    uint32_t *made = (uint32_t *)to->column[0] + to->count;
    for (uint32_t i = 0; i < count; ++i)
        made[i] = now(s, old[i]);
    if (count)
        memcpy((uint8_t *)to->column[1] + corners * to->count, (const uint8_t *)from->column[1] + corners * first,
               corners * count);
    to->count += count;
}

static void copy_tile(sn_surfaces *s, const sn_surface_tile *tile)
{
    const sn_surface_before *b = &s->before;
    sn_surface_tile *made = &surface_tiles(s)[s->tile_table.count++];
    *made = *tile;
    made->first_triangle = s->tile_triangle_table.count;
    made->first_vertex = s->tile_vertex_table.count;
    made->first_edge = s->tile_edge_table.count;
    made->first_corner = s->corner_table.count;
    copy_features(s, &s->tile_triangle_table, &b->tile_triangle_table, tile->first_triangle, tile->triangles, 3,
                  triangle_now);
    copy_features(s, &s->tile_vertex_table, &b->tile_vertex_table, tile->first_vertex, tile->vertices, 1, vertex_now);
    copy_features(s, &s->tile_edge_table, &b->tile_edge_table, tile->first_edge, tile->edges, 2, edge_now);
    copy_features(s, &s->corner_table, &b->corner_table, tile->first_corner, tile->corners, 2 * sizeof(sn_real),
                  vertex_now);
}

static void make_tiles(const sn_world *world, sn_surfaces *s)
{
    const sn_surface_before *b = &s->before;
    uint32_t *kept = b->kept_table.column[0];
    const uint32_t *first = b->kept_table.column[1], *next = b->of_table.column[1];
    sn_surface_cutting c = sn_surface_cutting_begin(s);
    for (uint32_t i = 0; i < b->tile_table.count; ++i) {
        const sn_surface_tile *tile = tile_before(s, i);
        uint32_t count = 0;
        if (kept[i] != SN_SURFACE_NONE) {
            kept[i] = s->tile_table.count;
            copy_tile(s, tile);
            continue;
        }
        for (uint32_t k = 0; k < tile->triangles; ++k)
            c.order[count++] = triangle_now(s, triangle_of_tile(s, tile, k));
        for (uint32_t t = first[i]; t != SN_SURFACE_NONE; t = next[t])
            c.order[count++] = t;
        sn_surface_cut(world, &c, 0, count);
    }
    sn_surface_tiles_number(s);
}

/* ---- Pairs ---------------------------------------------------------------------------------------------------------------------- */

/* A candidate with the numbers that its features have now. False: its vertices are in another order now, or the edges are. */
static bool renumber(const sn_surfaces *s, sn_surface_candidate *c)
{
    uint32_t now[4];
    const bool edges = c->edges;
    c->one = edges ? edge_now(s, c->one) : vertex_now(s, c->one);
    c->other = edges ? edge_now(s, c->other) : triangle_now(s, c->other);
    for (uint32_t k = 0; k < 4; ++k)
        c->vertex[k] = vertex_now(s, c->vertex[k]);
    memcpy(now, edges ? surface_edges(s)[c->one].vertex : &c->one, (edges ? 2 : 1) * sizeof *now);
    if (edges)
        memcpy(now + 2, surface_edges(s)[c->other].vertex, 2 * sizeof *now);
    else
        memcpy(now + 1, surface_triangles(s)[c->other].vertex, 3 * sizeof *now);
    return (!edges || c->one < c->other) && memcmp(now, c->vertex, sizeof now) == 0;
}

/* Those of two tiles that are kept; of shells none, as these are placed anew. */
static void keep_pairs(sn_surfaces *s)
{
    const uint32_t *kept = s->before.kept_table.column[0];
    sn_surface_pair *pair = surface_pairs(s);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->pair_table.count; ++i) {
        sn_surface_pair made = pair[i];
        made.a = kept[made.a];
        made.b = kept[made.b];
        if (made.a == SN_SURFACE_NONE || made.b == SN_SURFACE_NONE || !made.listed ||
            surface_skins(s)[surface_tiles(s)[made.b].skin].shell)
            continue;
        for (uint32_t k = 0; k < made.count && made.listed; ++k)
            made.listed = renumber(s, &surface_candidates(s)[made.first + k]);
        made.hoods = made.waits = 0;
        if (made.listed)
            pair[count++] = made;
    }
    s->pair_table.count = count;
}

static void exchange(sn_table *a, sn_table *b)
{
    const sn_table c = *a;
    *a = *b;
    *b = c;
}

bool sn_surface_follow(sn_world *world, sn_surfaces *s)
{
    sn_surface_before *b = &s->before;
    const sn_allocator *a = &world->allocator;
    if (s->tile_table.count > 64 + s->triangle_table.count / FEW_TRIANGLES || !are_the_same(s) ||
        !sn_table_reserve(&b->of_table, a, s->triangle_table.count) ||
        !sn_table_reserve(&b->kept_table, a, s->tile_table.count))
        return false;
    exchange(&s->tile_table, &b->tile_table);
    exchange(&s->tile_triangle_table, &b->tile_triangle_table);
    exchange(&s->tile_vertex_table, &b->tile_vertex_table);
    exchange(&s->tile_edge_table, &b->tile_edge_table);
    exchange(&s->corner_table, &b->corner_table);
    if (!sn_surface_tiles_reserve(world, s))
        return false;
    find_vertices(s);
    choose(s);
    make_tiles(world, s);
    keep_pairs(s);
    return true;
}

#else /* where code has to be fetched all tiles are made anew, which decides nothing */

void sn_surface_follow_init(sn_surfaces *s)
{
    (void)s;
}

void sn_surface_follow_release(sn_surfaces *s, const sn_allocator *allocator)
{
    (void)s, (void)allocator;
}

bool sn_surface_follow_begin(sn_world *world, sn_surfaces *s)
{
    (void)world, (void)s;
    return false;
}

bool sn_surface_follow(sn_world *world, sn_surfaces *s)
{
    (void)world, (void)s;
    return false;
}

#endif
