/* Segments of surfaces: ropes, nets and fringes. They are edges without triangles. They take part in contacts of edges
   with edges and, by their ends, of vertices with triangles. Here is what they have of their own: which of them exist,
   their arc length along a strand, and their tiles. */
#include "contact/surface_contacts.h"

#include "world/world.h"

#include <string.h>

#define SEGMENTS_A_TILE 32u

/* ---- Existing segments ------------------------------------------------------------------------------------------- */

/* True if a constraint joins the ends, or neither of them moves. */
static bool is_held(const sn_world *world, const uint32_t *end)
{
    return (world->particles.x[world->ids.value[end[0]]].w == 0 &&
            world->particles.x[world->ids.value[end[1]]].w == 0) ||
           sn_incidence_ties(&world->incidence, &world->constraints, end[0], end[1]);
}

bool sn_surface_strands_hold(sn_world *world, bool *changed)
{
    sn_surfaces *s = &world->contacts.surfaces;
    const uint32_t count = world->contact.segment_table.count;
    const uint32_t(*segment)[2] = (const uint32_t(*)[2])world->contact.segment_table.column[0];
    *changed = s->compromise_table.count != count;
    if (!count) {
        s->compromise_table.count = 0;
        return true;
    }
    if (!sn_table_reserve(&s->compromise_table, &world->allocator, count) ||
        !sn_incidence_prepare_all(&world->incidence, &world->allocator, &world->constraints, world->ids.table.count))
        return false;
    uint8_t *held = s->compromise_table.column[0];
    s->compromise_table.count = count;
    for (uint32_t i = 0; i < count; ++i) {
        const uint8_t now = is_held(world, segment[i]);
        *changed = *changed || now != held[i];
        held[i] = now;
    }
    return true;
}

/* ---- Strands ----------------------------------------------------------------------------------------------------- */

static sn_real rest_length(const sn_world *world, const sn_surfaces *s, uint32_t a, uint32_t b)
{
    const sn_contact_world *contact = &world->contact;
    const sn_vec4 *rest = contact->rest_table.column[0], *x = world->particles.x;
    const uint32_t one = surface_vertices(s)[a].number, two = surface_vertices(s)[b].number;
    if (one < contact->rest_table.count && two < contact->rest_table.count && rest[one].w != 0 && rest[two].w != 0)
        return vec3_length(vec3_sub(vec4_xyz(rest[one]), vec4_xyz(rest[two])));
    return vec3_length(vec3_sub(vec4_xyz(x[world->ids.value[one]]), vec4_xyz(x[world->ids.value[two]])));
}

static uint32_t ring_size(const sn_surfaces *s, uint32_t vertex)
{
    const uint32_t *start = s->ring_start_table.column[0];
    return start[vertex + 1] - start[vertex];
}

/* True if the vertex has only segments, and not more than two. */
static bool is_plain(const sn_surfaces *s, uint32_t vertex)
{
    return surface_vertices(s)[vertex].triangle == SN_SURFACE_NONE && ring_size(s, vertex) <= 2;
}

/* Follows a strand from a vertex to where it ends, branches or closes. */
static void walk(const sn_world *world, sn_surfaces *s, uint32_t from, uint32_t strand)
{
    const uint32_t *start = s->ring_start_table.column[0], *ring = s->ring_table.column[0];
    uint32_t at = from, before = SN_SURFACE_NONE;
    sn_real arc = 0;
    for (;;) {
        sn_surface_vertex *v = &surface_vertices(s)[at];
        v->strand = strand;
        v->arc = arc;
        uint32_t next = SN_SURFACE_NONE;
        for (uint32_t i = start[at]; i < start[at + 1] && next == SN_SURFACE_NONE; ++i)
            if (ring[i] != before && is_plain(s, ring[i]) &&
                (!surface_vertices(s)[ring[i]].strand || (ring[i] == from && before != SN_SURFACE_NONE)))
                next = ring[i];
        if (next == SN_SURFACE_NONE)
            return;
        arc += rest_length(world, s, at, next);
        if (next == from)
            break;
        before = at;
        at = next;
    }
    before = SN_SURFACE_NONE;
    at = from;
    do { /* closed: goes around once more */
        surface_vertices(s)[at].around = arc;
        const uint32_t next = ring[start[at]] != before ? ring[start[at]] : ring[start[at] + 1];
        before = at;
        at = next;
    } while (at != from);
}

void sn_surface_strands_measure(const sn_world *world, sn_surfaces *s)
{
    const uint32_t *start = s->ring_start_table.column[0], *ring = s->ring_table.column[0];
    uint32_t strands = 0;
    for (uint32_t closed = 0; closed < 2; ++closed) /* strands with ends first: those that are left then are closed */
        for (uint32_t i = 0; s->compromise_table.count && i < s->vertex_table.count; ++i) {
            uint32_t plain = 0;
            for (uint32_t k = start[i]; k < start[i + 1]; ++k)
                plain += is_plain(s, ring[k]);
            if (is_plain(s, i) && !surface_vertices(s)[i].strand && (closed || plain < 2))
                walk(world, s, i, ++strands);
        }
}

bool sn_surface_along_strand(const sn_surfaces *s, const sn_surface_candidate *c, sn_real *apart)
{
    const sn_surface_vertex *vertex = surface_vertices(s), *first = &vertex[c->vertex[0]];
    *apart = (sn_real)INFINITY;
    for (uint32_t i = 0; i < 4; ++i)
        if (!first->strand || vertex[c->vertex[i]].strand != first->strand)
            return false;
    for (uint32_t i = 0; i < 2; ++i)
        for (uint32_t k = 2; k < 4; ++k) {
            const sn_real displacement = vertex[c->vertex[i]].arc - vertex[c->vertex[k]].arc;
            sn_real here = displacement < 0 ? -displacement : displacement;
            if (first->around > 0 && first->around - here < here)
                here = first->around - here;
            *apart = here < *apart ? here : *apart;
        }
    return true;
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------- */

typedef struct cutting {
    const sn_world *world;
    sn_surfaces *s;
    uint32_t *taken, *queue; /* by edge: it is in a tile; the edges to be visited */
    uint32_t *marked;        /* by vertex */
    uint8_t *place;          /* by vertex: its corner of the tile */
    uint32_t marks;
} cutting;

/* Makes a tile of a segment and those around it, nearest first. */
static void cut(cutting *c, uint32_t skin, uint32_t from)
{
    sn_surfaces *s = c->s;
    const uint32_t *start = s->ring_start_table.column[0], *to = s->ring_table.column[1];
    const uint32_t first = surface_skins(s)[skin].first_edge, end = first + surface_skins(s)[skin].segments;
    uint32_t *edge = s->tile_edge_table.column[0], *vertex = s->tile_vertex_table.column[0], found = 0;
    sn_surface_tile *tile = &surface_tiles(s)[s->tile_table.count++];
    *tile = (sn_surface_tile){.skin = skin,
                              .first_triangle = s->tile_triangle_table.count,
                              .first_vertex = s->tile_vertex_table.count,
                              .first_edge = s->tile_edge_table.count,
                              .first_corner = s->corner_table.count};
    c->queue[found++] = from;
    c->taken[from] = 1;
    for (uint32_t done = 0; done < found; ++done) {
        const uint32_t at = c->queue[done];
        edge[s->tile_edge_table.count++] = at;
        for (uint32_t k = 0; k < 2; ++k) {
            const uint32_t v = surface_edges(s)[at].vertex[k];
            if (surface_vertices(s)[v].triangle == SN_SURFACE_NONE && surface_vertices(s)[v].edge == at)
                vertex[s->tile_vertex_table.count++] = v;
            for (uint32_t i = start[v]; i < start[v + 1] && found < SEGMENTS_A_TILE; ++i)
                if (to[i] >= first && to[i] < end && !c->taken[to[i]]) {
                    c->taken[to[i]] = 1;
                    c->queue[found++] = to[i];
                }
        }
    }
    tile->edges = s->tile_edge_table.count - tile->first_edge;
    tile->vertices = s->tile_vertex_table.count - tile->first_vertex;
    sn_surface_tile_corners(c->world, s, tile, c->marked, c->place, ++c->marks);
}

void sn_surface_strands_cut(const sn_world *world, sn_surfaces *s)
{
    cutting c = {.world = world,
                 .s = s,
                 .taken = s->edge_table.column[1],
                 .queue = s->edge_table.column[2],
                 .marked = s->vertex_table.column[2],
                 .place = s->vertex_table.column[3]};
    if (!s->compromise_table.count && !s->shell_table.count)
        return;
    memset(c.marked, 0, s->all_vertices * sizeof *c.marked);
    memset(c.taken, 0, s->edge_table.count * sizeof *c.taken);
    for (uint32_t i = 0; i < s->all_skins; ++i)
        for (uint32_t e = surface_skins(s)[i].first_edge;
             e < surface_skins(s)[i].first_edge + surface_skins(s)[i].segments; ++e)
            if (!c.taken[e])
                cut(&c, i, e);
}
