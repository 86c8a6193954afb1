/* Tiles of surfaces: makes them, and finds pairs of tiles that are near each other.

   A skin is cut into connected pieces of some seventy triangles. At the start of a substep a tile sums up the
   positions, the velocities and the deformation of its vertices, in a frame that moves and rotates with it. So most
   of what pairs of features need is known for pairs of tiles: see surface_pairs.c.

   Each tile has a box in which it is expected, relative to the mean of all vertices, so that a flight of the whole
   does not count. Two tiles whose boxes do not overlap cannot touch, as long as both stay inside. Once a tile
   leaves its box, pairs are searched for again. That is little work, because there are few tiles. */
#include "contact/particle_contacts.h"
#include "contact/surface_shells.h"

#include "world/world.h"

#include <string.h>

#define TRIANGLES_A_TILE 72u            /* about: with this number, few tiles exceed the limit of corners */
#define SLACK            ((sn_real)0.5) /* of the mean edge: boxes are larger by this on every side, */
#define AHEAD            ((sn_real)16)  /* and by this many substeps of the motion of a tile, */
#define FARTHEST         ((sn_real)2)   /* but by no more than this many edges */
#define REBUILT          64u            /* searches after which the tree is rebuilt */
#define ROUNDED                                                                                                        \
    (SINEW_DOUBLE ? (sn_real)1e-15 : (sn_real)5e-7) /* of the coordinates: rounding error of relative positions */

/* ---- Making them ------------------------------------------------------------------------------------------------- */

typedef sn_surface_cutting cutting;

/* Walks through a part from a triangle on, nearest first, and orders its triangles like that. Triangles that are not
   connected to the first come last. */
static void walk(cutting *c, uint32_t first, uint32_t count, uint32_t from)
{
    const uint32_t *across = c->s->triangle_table.column[1], part = c->part[from], walked = ++c->parts;
    uint32_t found = 0, done = 0, left = first;
    c->queue[found++] = from;
    c->part[from] = walked;
    for (;;) {
        for (; done < found; ++done)
            for (uint32_t k = 0; k < 3; ++k) {
                const uint32_t next = across[3 * (size_t)c->queue[done] + k];
                if (next != SN_SURFACE_NONE && c->part[next] == part) {
                    c->part[next] = walked;
                    c->queue[found++] = next;
                }
            }
        if (found == count)
            break;
        while (c->part[c->order[left]] != part)
            ++left;
        c->part[c->order[left]] = walked;
        c->queue[found++] = c->order[left];
    }
    memcpy(c->order + first, c->queue, count * sizeof *c->order);
}

static uint32_t count_corners(cutting *c, uint32_t first, uint32_t count)
{
    uint32_t corners = 0;
    c->marks++;
    for (uint32_t i = first; i < first + count; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t *marked = &c->marked[surface_triangles(c->s)[c->order[i]].vertex[k]];
            corners += *marked != c->marks;
            *marked = c->marks;
        }
    return corners;
}

static void remember_corner(sn_surfaces *s, sn_surface_tile *tile, uint32_t vertex, uint32_t *marked, uint8_t *place,
                            uint32_t marks)
{
    if (marked[vertex] == marks)
        return;
    marked[vertex] = marks;
    place[vertex] = (uint8_t)tile->corners;
    ((uint32_t *)s->corner_table.column[0])[tile->first_corner + tile->corners++] = vertex;
}

static sn_dvec3 place_of(const sn_world *world, const sn_surfaces *s, uint32_t vertex)
{
    if (vertex >= s->vertex_table.count)
        return dvec3_from(sn_surface_shell_corner(s, vertex));
    return dvec3_from(vec4_xyz(world->particles.x[world->ids.value[surface_vertices(s)[vertex].number]]));
}

/* Weights for the axes of a tile: coordinates of its corners along the shortest edge of its first triangle, or its
   first segment, and across it. Boxes along edges are smaller than others. */
static void weigh_corners(const sn_world *world, sn_surfaces *s, sn_surface_tile *tile)
{
    const uint32_t *corner = (const uint32_t *)s->corner_table.column[0] + tile->first_corner;
    sn_real *weight = (sn_real *)s->corner_table.column[1] + 2 * (size_t)tile->first_corner;
    const uint32_t *triangle = (const uint32_t *)s->tile_triangle_table.column[0] + tile->first_triangle;
    const uint32_t *first_edge = (const uint32_t *)s->tile_edge_table.column[0] + tile->first_edge;
    if (!tile->triangles && !tile->edges) { /* a point makes no axes */
        weight[0] = weight[1] = 0;
        return;
    }
    const uint32_t *v = tile->triangles ? surface_triangles(s)[*triangle].vertex : surface_edges(s)[*first_edge].vertex;
    sn_dvec3 mean = {0, 0, 0}, along = mean, wide = mean;
    double shortest = HUGE_VAL;
    for (uint32_t k = 0; k < (tile->triangles ? 3u : 1u); ++k) {
        const sn_dvec3 edge = dvec3_sub(place_of(world, s, v[(k + 1) % 3]), place_of(world, s, v[k]));
        if (dvec3_dot(edge, edge) < shortest)
            shortest = dvec3_dot(edge, edge), along = edge;
    }
    for (uint32_t k = 0; k < tile->corners; ++k)
        mean = dvec3_add(mean, dvec3_scale(place_of(world, s, corner[k]), 1.0 / tile->corners));
    for (uint32_t k = 0; k < tile->corners; ++k) {
        const sn_dvec3 y = dvec3_sub(place_of(world, s, corner[k]), mean);
        const sn_dvec3 off = dvec3_sub(y, dvec3_scale(along, shortest > 0 ? dvec3_dot(y, along) / shortest : 0));
        wide = dvec3_dot(off, off) > dvec3_dot(wide, wide) ? off : wide;
    }
    for (uint32_t k = 0; k < tile->corners; ++k) {
        const sn_dvec3 y = dvec3_sub(place_of(world, s, corner[k]), mean);
        weight[2 * k] = (sn_real)dvec3_dot(y, along);
        weight[2 * k + 1] = (sn_real)dvec3_dot(y, wide);
    }
}

/* Finds the corners of a tile whose features are known, and stores their indices in the tile beside the features. */
void sn_surface_tile_corners(const sn_world *world, sn_surfaces *s, sn_surface_tile *tile, uint32_t *marked,
                             uint8_t *place, uint32_t marks)
{
    const uint32_t *triangle = s->tile_triangle_table.column[0], *vertex = s->tile_vertex_table.column[0],
                   *edge = s->tile_edge_table.column[0];
    uint8_t *corner_of = s->tile_triangle_table.column[1], *own = s->tile_vertex_table.column[1],
            *end = s->tile_edge_table.column[1];
    for (uint32_t i = 3 * tile->first_triangle; i < 3 * (tile->first_triangle + tile->triangles); ++i) {
        const uint32_t v = surface_triangles(s)[triangle[i / 3]].vertex[i % 3];
        remember_corner(s, tile, v, marked, place, marks);
        corner_of[i] = place[v];
    }
    for (uint32_t i = 2 * tile->first_edge; i < 2 * (tile->first_edge + tile->edges); ++i) {
        const uint32_t v = surface_edges(s)[edge[i / 2]].vertex[i % 2];
        remember_corner(s, tile, v, marked, place, marks);
        end[i] = place[v];
    }
    for (uint32_t i = tile->first_vertex; i < tile->first_vertex + tile->vertices; ++i) {
        remember_corner(s, tile, vertex[i], marked, place, marks);
        own[i] = place[vertex[i]];
    }
    s->corner_table.count += tile->corners;
    weigh_corners(world, s, tile);
}

static void add_tile(const sn_world *world, cutting *c, uint32_t first, uint32_t count)
{
    sn_surfaces *s = c->s;
    uint32_t *triangle = s->tile_triangle_table.column[0], *vertex = s->tile_vertex_table.column[0],
             *edge = s->tile_edge_table.column[0];
    sn_surface_tile *tile = &surface_tiles(s)[s->tile_table.count++];
    *tile = (sn_surface_tile){.skin = surface_triangles(s)[c->order[first]].skin,
                              .first_triangle = s->tile_triangle_table.count,
                              .triangles = count,
                              .first_vertex = s->tile_vertex_table.count,
                              .first_edge = s->tile_edge_table.count,
                              .first_corner = s->corner_table.count};
    for (uint32_t i = first; i < first + count; ++i) {
        const sn_surface_triangle *t = &surface_triangles(s)[c->order[i]];
        triangle[s->tile_triangle_table.count++] = c->order[i];
        for (uint32_t k = 0; k < 3; ++k) {
            if (t->owns >> k & 1)
                vertex[s->tile_vertex_table.count++] = t->vertex[k];
            if (t->owns >> (3 + k) & 1)
                edge[s->tile_edge_table.count++] = t->edge[k];
        }
    }
    tile->vertices = s->tile_vertex_table.count - tile->first_vertex;
    tile->edges = s->tile_edge_table.count - tile->first_edge;
    sn_surface_tile_corners(world, s, tile, c->marked, c->place, ++c->marks);
}

/* A part that is too large is cut across a walk from one end to the other, so that tiles are as large as possible. */
void sn_surface_cut(const sn_world *world, cutting *c, uint32_t first, uint32_t count)
{
    if (count <= SN_TILE_TRIANGLES && count_corners(c, first, count) <= SN_TILE_CORNERS) {
        add_tile(world, c, first, count);
        return;
    }
    const uint32_t part = ++c->parts, pieces = count / TRIANGLES_A_TILE;
    const uint32_t half = pieces > 1 ? (uint32_t)((uint64_t)count * (pieces / 2) / pieces) : count / 2;
    for (uint32_t i = first; i < first + count; ++i)
        c->part[c->order[i]] = part;
    walk(c, first, count, c->order[first]);
    walk(c, first, count, c->order[first + count - 1]);
    sn_surface_cut(world, c, first, half);
    sn_surface_cut(world, c, first + half, count - half);
}

/* Makes tiles of shells that are points. */
static void add_points(const sn_world *world, cutting *c)
{
    sn_surfaces *s = c->s;
    for (uint32_t i = s->skin_table.count; i < s->all_skins; ++i) {
        if (surface_skins(s)[i].vertices != 1)
            continue;
        sn_surface_tile *tile = &surface_tiles(s)[s->tile_table.count++];
        *tile = (sn_surface_tile){.skin = i,
                                  .first_triangle = s->tile_triangle_table.count,
                                  .first_vertex = s->tile_vertex_table.count,
                                  .vertices = 1,
                                  .first_edge = s->tile_edge_table.count,
                                  .first_corner = s->corner_table.count};
        ((uint32_t *)s->tile_vertex_table.column[0])[s->tile_vertex_table.count++] = surface_skins(s)[i].first_vertex;
        sn_surface_tile_corners(world, s, tile, c->marked, c->place, ++c->marks);
    }
}

/* Finds the tiles of each shell. They are contiguous. */
void sn_surface_tiles_number(sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        sn_surface_tile *tile = &surface_tiles(s)[i];
        if (!surface_skins(s)[tile->skin].shell)
            continue;
        sn_surface_shell *shell = (sn_surface_shell *)s->shell_table.column[0] + surface_skins(s)[tile->skin].shell - 1;
        tile->off = true;
        shell->first_tile = shell->tiles ? shell->first_tile : i;
        shell->tiles++;
    }
}

bool sn_surface_tiles_reserve(sn_world *world, sn_surfaces *s)
{
    const sn_allocator *a = &world->allocator;
    const uint32_t triangles = s->triangle_table.count, edges = s->edge_table.count;
    return sn_table_reserve(&s->tile_table, a, (uint64_t)triangles + edges + s->shell_table.count) &&
           sn_table_reserve(&s->tile_triangle_table, a, triangles) &&
           sn_table_reserve(&s->tile_vertex_table, a, s->all_vertices) &&
           sn_table_reserve(&s->tile_edge_table, a, s->edge_table.count) &&
           sn_table_reserve(&s->corner_table, a, 3 * (uint64_t)triangles + 2 * (uint64_t)edges + s->shell_table.count);
}

cutting sn_surface_cutting_begin(sn_surfaces *s)
{
    const cutting c = {.s = s,
                       .order = s->triangle_table.column[2],
                       .queue = s->triangle_table.column[3],
                       .part = s->triangle_table.column[4],
                       .marked = s->vertex_table.column[2],
                       .place = s->vertex_table.column[3]};
    s->tile_table.count = s->tile_triangle_table.count = s->tile_vertex_table.count = s->tile_edge_table.count =
        s->corner_table.count = 0;
    s->tree.items = 0;
    if (s->triangle_table.count) /* skins of segments alone have no triangles */
        memset(c.part, 0, s->triangle_table.count * sizeof *c.part);
    memset(c.marked, 0, s->all_vertices * sizeof *c.marked);
    return c;
}

bool sn_surface_tiles_make(sn_world *world, sn_surfaces *s)
{
    if (!sn_surface_tiles_reserve(world, s))
        return false;
    cutting c = sn_surface_cutting_begin(s);
    s->pair_table.count = s->candidate_table.count = 0;
    for (uint32_t i = 0; i < s->triangle_table.count; ++i)
        c.order[i] = i;
    for (uint32_t i = 0; i < s->all_skins; ++i)
        if (surface_skins(s)[i].count)
            sn_surface_cut(world, &c, surface_skins(s)[i].first, surface_skins(s)[i].count);
    sn_surface_strands_cut(world, s);
    add_points(world, &c);
    sn_surface_tiles_number(s);
    return true;
}

static sn_real lower(sn_real a, sn_real b)
{
    return b < a ? b : a;
}

static sn_real larger(sn_real a, sn_real b)
{
    return a > b ? a : b;
}

static void include(sn_bounds *box, sn_vec3 p)
{
    box->low = vec3(lower(box->low.x, p.x), lower(box->low.y, p.y), lower(box->low.z, p.z));
    box->high = vec3(larger(box->high.x, p.x), larger(box->high.y, p.y), larger(box->high.z, p.z));
}

static sn_bounds moved_by(sn_bounds a, sn_vec3 by, sn_real grown)
{
    a.low = vec3_sub(vec3_add(a.low, by), vec3(grown, grown, grown));
    a.high = vec3_add(vec3_add(a.high, by), vec3(grown, grown, grown));
    return a;
}

static bool is_inside(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x >= b->low.x && a->low.y >= b->low.y && a->low.z >= b->low.z && a->high.x <= b->high.x &&
           a->high.y <= b->high.y && a->high.z <= b->high.z;
}

/* ---- Pairs of tiles ---------------------------------------------------------------------------------------------- */

static sn_vec3 negative(sn_dvec3 a)
{
    return dvec3_round(dvec3_scale(a, -1));
}

/* m: rounding error of a box relative to the mean. */
static sn_real rounded(const sn_bounds *box, sn_vec3 mean)
{
    return ROUNDED * (vec3_length(box->low) + vec3_length(box->high) + vec3_length(mean));
}

/* The box of a tile, with half of the thickness and the distance at which its features may come into contact in a
   substep of h. */
static sn_bounds needed(const sn_surfaces *s, const sn_surface_tile *tile, sn_real h, sn_real more)
{
    const sn_vec3 from = negative(s->mean);
    const sn_real speed = vec3_length(vec3_sub(tile->velocity.mean, dvec3_round(s->velocity))) + tile->velocity.spread;
    return moved_by(tile->box, from,
                    surface_skins(s)[tile->skin].thickness + 2 * h * speed * SN_SURFACE_LONGER + more +
                        rounded(&tile->box, from));
}

static sn_bounds needed_at_end(const sn_surfaces *s, const sn_surface_tile *tile)
{
    const sn_vec3 to = negative(s->end);
    return moved_by(tile->ends, to, surface_skins(s)[tile->skin].thickness + rounded(&tile->ends, to));
}

static void expect(sn_surfaces *s, sn_real h, sn_real more, bool ends)
{
    sn_bounds *fat = s->tile_table.column[1];
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        sn_surface_tile *tile = &surface_tiles(s)[i];
        const sn_real edge = surface_skins(s)[tile->skin].edge;
        if (tile->off) {
            fat[i] = tile->fat;
            continue;
        }
        sn_bounds box = needed(s, tile, h, more);
        sn_vec3 displacement = vec3_scale(vec3_sub(tile->velocity.mean, dvec3_round(s->velocity)), AHEAD * h);
        const sn_real length = vec3_length(displacement);
        if (length > FARTHEST * edge)
            displacement = vec3_scale(displacement, FARTHEST * edge / length);
        include(&box, vec3_add(box.low, displacement));
        include(&box, vec3_add(box.high, displacement));
        if (ends) {
            const sn_bounds end = needed_at_end(s, tile);
            include(&box, end.low);
            include(&box, end.high);
        }
        fat[i] = tile->fat = moved_by(box, vec3(0, 0, 0), SLACK * edge);
    }
}

/* True if the groups of two skins collide. */
static bool skins_agree(const sn_world *world, uint32_t a, uint32_t b)
{
    const sn_surface_skin *skin = surface_skins(&world->contacts.surfaces);
    if (skin[a].shell || skin[b].shell)
        return skin[a].shell ? !skin[b].shell && sn_surface_shell_agrees(world, &skin[a], &skin[b])
                             : sn_surface_shell_agrees(world, &skin[b], &skin[a]);
    const sn_group_contact *one = sn_contact_group(&world->contact, skin[a].group),
                           *two = sn_contact_group(&world->contact, skin[b].group);
    return a == b || sn_contacts_agree(one->category, one->mask, two->category, two->mask);
}

typedef struct tile_search {
    sn_world *world;
    sn_surfaces *s;
    uint32_t tile;
    uint32_t count; /* of the tiles that it is compared with, in order, in due_table */
    bool full;
} tile_search;

static bool look_at_tile(void *data, uint32_t other)
{
    tile_search *m = data;
    sn_surfaces *s = m->s;
    const sn_surface_tile *tile = surface_tiles(s);
    if (other < m->tile || tile[other].off || !skins_agree(m->world, tile[m->tile].skin, tile[other].skin))
        return true;
    const sn_bounds *a = &tile[m->tile].fat, *b = &tile[other].fat;
    if (a->low.x > b->high.x || b->low.x > a->high.x || a->low.y > b->high.y || b->low.y > a->high.y ||
        a->low.z > b->high.z || b->low.z > a->high.z)
        return true;
    uint32_t *touched = s->due_table.column[0], at = m->count++;
    for (; at > 0 && touched[at - 1] > other; --at)
        touched[at] = touched[at - 1];
    touched[at] = other;
    return true;
}

/* Adds the pairs of a tile. */
static void meet_tile(tile_search *m)
{
    sn_surfaces *s = m->s;
    const uint32_t *touched = s->due_table.column[0];
    m->count = 0;
    sn_bvh_overlap(&s->tree, &surface_tiles(s)[m->tile].fat, look_at_tile, m);
    m->full = !sn_table_reserve(&s->found_table, &m->world->allocator, (uint64_t)s->found_table.count + m->count);
    if (m->full)
        return;
    sn_surface_pair *pair = (sn_surface_pair *)s->found_table.column[0] + s->found_table.count;
    for (uint32_t i = 0; i < m->count; ++i)
        pair[i] = (sn_surface_pair){.a = m->tile, .b = touched[i]};
    s->found_table.count += m->count;
}

/* Copies the data of pairs that existed before. Both lists are in the same order. */
static void carry_over(sn_surfaces *s)
{
    const sn_surface_pair *old = surface_pairs(s);
    sn_surface_pair *pair = s->found_table.column[0];
    const uint32_t before = s->pair_table.count;
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->found_table.count; ++i) {
        while (at < before && (old[at].a < pair[i].a || (old[at].a == pair[i].a && old[at].b < pair[i].b)))
            ++at;
        if (at < before && old[at].a == pair[i].a && old[at].b == pair[i].b)
            pair[i] = old[at];
    }
    const sn_table found = s->found_table;
    s->found_table = s->pair_table;
    s->pair_table = found;
}

static bool search(sn_world *world, sn_real h, sn_real more, bool ends)
{
    sn_surfaces *s = &world->contacts.surfaces;
    const uint32_t tiles = s->tile_table.count;
    tile_search m = {.world = world, .s = s, .full = !sn_table_reserve(&s->due_table, &world->allocator, tiles)};
    expect(s, h, more, ends);
    s->searches++;
    if (s->tree.items == tiles && ++s->tree_age < REBUILT) {
        sn_bvh_refit(&s->tree, s->tile_table.column[1]);
    } else {
        s->tree_age = 0;
        m.full |= !sn_bvh_build(&s->tree, &world->allocator, s->tile_table.column[1], tiles);
    }
    s->found_table.count = 0;
    for (; m.tile < tiles && !m.full; ++m.tile)
        if (!surface_tiles(s)[m.tile].off) /* tiles of segments are behind those of shells */
            meet_tile(&m);
    s->searched = !m.full;
    if (m.full) {
        world->contacts.failed = world_fail(world, SN_ERROR_MEMORY, "no memory for contact of surfaces");
        return false;
    }
    carry_over(s);
    return true;
}

bool sn_surface_tiles_compare(sn_world *world, sn_real h, sn_real more)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    bool inside = s->searched;
    for (uint32_t i = 0; i < s->tile_table.count && inside; ++i) {
        const sn_bounds box = needed(s, &surface_tiles(s)[i], h, more);
        inside = surface_tiles(s)[i].off || is_inside(&box, &surface_tiles(s)[i].fat);
    }
    return inside || search(world, h, more, false);
}

bool sn_surface_tiles_compare_ends(sn_world *world)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    bool inside = s->searched;
    for (uint32_t i = 0; i < s->tile_table.count && inside; ++i) {
        const sn_bounds box = needed_at_end(s, &surface_tiles(s)[i]);
        inside = surface_tiles(s)[i].off || is_inside(&box, &surface_tiles(s)[i].fat);
    }
    return inside || search(world, 0, 0, true);
}
