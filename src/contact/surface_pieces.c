/* Pieces of surfaces: particles that constraints join, and what touches them in a substep. Their energy is limited, see
   surface_energy.c.

   A piece has vertices, and inner particles, which are no vertices and no bodies: the inside of a solid of tetrahedra,
   or a string that carries a cloth. Surfaces and groups, which are lists of particles, join nothing. */
#include "contact/surface_pieces.h"

#include "contact/body_work.h"
#include "contact/particle_work.h"
#include "contact/surface_shells.h"
#include "contact/surface_zones.h"
#include "world/world.h"

static double square(sn_vec3 v)
{
    return (double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z;
}

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = root_of(parent, a), b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

static uint32_t *nodes(const sn_surfaces *s)
{
    return s->node_table.column[0];
}

/* 1 + the vertex that a particle is; 0: none. */
static uint32_t vertex_of(const sn_surfaces *s, uint32_t number)
{
    return number < s->index_table.count ? ((const uint32_t *)s->index_table.column[0])[number] : 0;
}

uint32_t sn_surface_piece_of(const sn_surfaces *s, uint32_t number)
{
    const uint32_t vertex = vertex_of(s, number), others = s->node_table.count - s->vertex_table.count;
    if (vertex)
        return surface_vertices(s)[vertex - 1].piece;
    return number < others ? nodes(s)[s->vertex_table.count + number] : SN_SURFACE_NONE;
}

uint32_t sn_surface_piece_of_shell(const sn_surfaces *s, uint32_t shell)
{
    return s->piece_table.count - s->shell_table.count + shell;
}

static const sn_surface_shell *shells(const sn_surfaces *s)
{
    return s->shell_table.column[0];
}

/* ---- What constraints join --------------------------------------------------------------------------------------- */

/* Most constraints have particles as points. */
static const uint32_t *particles_of(const sn_world *world, const sn_pool *pool, uint32_t row, uint32_t *small,
                                    uint32_t *count)
{
    const uint32_t *point = pool->point + (size_t)row * pool->kind->points;
    uint32_t codes = pool_has_lists(pool) ? SN_SPOT_BIT : 0;
    for (uint32_t i = 0; i < pool->kind->points; ++i)
        codes |= point[i];
    if (codes & SN_SPOT_BIT)
        return sn_store_particles(&world->constraints, pool, row, small, count);
    *count = pool->kind->points;
    return point;
}

/* The node of a particle; SN_SURFACE_NONE: it is no vertex, and immovable or the centre of a body. */
static uint32_t node_of(const sn_world *world, const sn_surfaces *s, uint32_t number)
{
    const uint32_t vertex = vertex_of(s, number);
    if (vertex)
        return vertex - 1;
    if (number >= s->node_table.count - s->vertex_table.count)
        return SN_SURFACE_NONE;
    const uint32_t slot = world->ids.value[number];
    const bool moves = world->particles.x[slot].w != 0 && !world->particles.body[slot];
    return moves ? s->vertex_table.count + number : SN_SURFACE_NONE;
}

static void join_by_constraints(const sn_world *world, sn_surfaces *s)
{
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; !pool_has_lists(pool) && row < pool->ids.table.count; ++row) {
            uint32_t small[4 * SN_MAX_POINTS], count, first = SN_SURFACE_NONE;
            if (!sn_ids_is_live(&pool->ids, row))
                continue;
            const uint32_t *number = particles_of(world, pool, row, small, &count);
            for (uint32_t i = 0; i < count; ++i) {
                const uint32_t node = node_of(world, s, number[i]);
                if (node == SN_SURFACE_NONE)
                    continue;
                if (first != SN_SURFACE_NONE && nodes(s)[node] != nodes(s)[first])
                    join(nodes(s), first, node);
                first = first == SN_SURFACE_NONE ? node : first;
            }
        }
    }
}

static void join_by_edges(sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->edge_table.count; ++i) {
        const uint32_t a = surface_edges(s)[i].vertex[0], b = surface_edges(s)[i].vertex[1];
        if (a < s->vertex_table.count && nodes(s)[a] != nodes(s)[b])
            join(nodes(s), a, b);
    }
}

/* Makes room for the pieces, one for each vertex at most, and for what constraints store. */
static bool reserve(sn_world *world, sn_surfaces *s)
{
    uint64_t count = 0;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind)
        count += world->constraints.pool[kind]->ids.table.count;
    s->is_stored = false;
    return count <= SN_MAX_COUNT && sn_table_reserve(&s->stored_table, &world->allocator, count) &&
           sn_parallel_reserve(&world->parallel, &world->allocator, (uint32_t)count);
}

/* False when memory runs out. */
static bool begin_nodes(sn_world *world, sn_surfaces *s)
{
    const uint32_t vertices = s->vertex_table.count;
    const bool others = world->particles.table.count - vertices > world->bodies.ids.live;
    const uint64_t count = (uint64_t)vertices + (others ? world->ids.table.count : 0);
    if (!sn_table_reserve(&s->node_table, &world->allocator, count))
        return false;
    s->node_table.count = (uint32_t)count;
    for (uint32_t i = 0; i < s->node_table.count; ++i)
        nodes(s)[i] = i;
    return true;
}

/* Numbers pieces in the order of their first vertices, and finds their inner particles. False when memory runs out. */
static bool number_pieces(sn_world *world, sn_surfaces *s)
{
    const uint32_t vertices = s->vertex_table.count;
    uint32_t pieces = s->shell_table.count, inner = 0;
    for (uint32_t i = 0; i < s->node_table.count; ++i) {
        nodes(s)[i] = root_of(nodes(s), i);
        pieces += i < vertices && nodes(s)[i] == i;
        inner += i >= vertices && nodes(s)[i] < vertices;
    }
    if (!sn_table_reserve(&s->piece_table, &world->allocator, pieces) ||
        !sn_table_reserve(&s->inner_table, &world->allocator, inner))
        return false;
    s->piece_table.count = s->inner_table.count = 0;
    for (uint32_t i = 0; i < vertices; ++i)
        surface_vertices(s)[i].piece =
            nodes(s)[i] == i ? s->piece_table.count++ : surface_vertices(s)[nodes(s)[i]].piece;
    for (uint32_t i = vertices; i < s->all_vertices; ++i) /* of a shell one */
        surface_vertices(s)[i].piece = s->piece_table.count + surface_skins(s)[surface_vertices(s)[i].skin].shell - 1;
    for (uint32_t i = vertices; i < s->node_table.count; ++i) {
        const bool is_inner = nodes(s)[i] < vertices;
        nodes(s)[i] = is_inner ? surface_vertices(s)[nodes(s)[i]].piece : SN_SURFACE_NONE;
        if (is_inner)
            ((sn_surface_inner *)s->inner_table.column[0])[s->inner_table.count++] =
                (sn_surface_inner){.number = i - vertices, .piece = nodes(s)[i]};
    }
    s->piece_table.count = pieces;
    for (uint32_t i = 0; i < pieces; ++i)
        surface_pieces(s)[i] = (sn_surface_piece){.open = false};
    return true;
}

/* Finds the piece of each constraint, that of its first member, and whether what all of them store depends on vertices
   alone. Pieces that a constraint joins to a body are open. */
static void find_pieces_of_constraints(const sn_world *world, sn_surfaces *s)
{
    uint32_t *piece = s->stored_table.column[0];
    s->keeps_stored = true;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; row < pool->ids.table.count; ++row, ++piece) {
            uint32_t small[SN_MAX_BLOCK], count = 0, others = 0, of = SN_SURFACE_NONE;
            const uint32_t *number = NULL;
            bool outside = false;
            if (sn_ids_is_live(&pool->ids, row))
                number = particles_of(world, pool, row, small, &count);
            for (uint32_t i = 0; i < count; ++i) {
                const uint32_t vertex = vertex_of(s, number[i]);
                const uint32_t own = vertex ? surface_vertices(s)[vertex - 1].piece : sn_surface_piece_of(s, number[i]);
                of = of == SN_SURFACE_NONE ? own : of;
                if (vertex)
                    continue;
                const uint32_t slot = world->ids.value[number[i]], body = world->particles.body[slot];
                const uint32_t shell = body ? ((const uint32_t *)s->body_table.column[0])[body - 1] : 0;
                if (shell)
                    surface_pieces(s)[sn_surface_piece_of_shell(s, shell - 1)].open = true;
                others++;
                outside = outside || (own == SN_SURFACE_NONE && world->particles.x[slot].w != 0);
            }
            *piece = pool->kind->force ? SN_SURFACE_NONE : of;
            if (of != SN_SURFACE_NONE && outside && !pool_has_lists(pool))
                surface_pieces(s)[of].open = true;
            if (*piece != SN_SURFACE_NONE && (others || pool->kind->state || !pool->kind->lanes))
                s->keeps_stored = false;
        }
    }
}

/* True if constraints of a kind may store energy, or pull single particles: if they have particles as points, at least
   two, they only do it if they give. */
static bool may_store(const sn_pool *pool)
{
    const uint32_t points = pool->kind->points;
    if (!pool->ids.live || pool->kind->force)
        return false;
    if (points < 2)
        return true;
    for (uint32_t row = 0; row < pool->ids.table.count; ++row) {
        if (!sn_ids_is_live(&pool->ids, row))
            continue;
        uint32_t codes = 0;
        for (uint32_t i = 0; i < points; ++i)
            codes |= pool->point[(size_t)row * points + i];
        if (pool->give[row].compliance != 0 || codes & SN_SPOT_BIT)
            return true;
    }
    return false;
}

void sn_surface_pieces_find_storing(const sn_world *world, sn_surfaces *s)
{
    if (s->storing_known == world->constraints.changes + 1)
        return;
    s->any_stores = false;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        s->stores[kind] = may_store(world->constraints.pool[kind]);
        s->any_stores = s->any_stores || s->stores[kind];
    }
    s->storing_known = world->constraints.changes + 1;
    s->is_stored = false;
}

bool sn_surface_pieces_find(sn_world *world, sn_surfaces *s)
{
    if (!reserve(world, s))
        return false;
    if (s->pieces == world->constraints.edits + 1)
        return true;
    if (!begin_nodes(world, s))
        return false;
    join_by_edges(s);
    join_by_constraints(world, s);
    if (!number_pieces(world, s))
        return false;
    find_pieces_of_constraints(world, s);
    s->pieces = world->constraints.edits + 1;
    return true;
}

void sn_surface_pieces_begin(const sn_world *world, sn_surfaces *s)
{
    sn_surface_inner *inner = s->inner_table.column[0];
    for (uint32_t i = 0; i < s->inner_table.count; ++i) {
        const uint32_t slot = world->ids.value[inner[i].number];
        inner[i].slot = slot;
        inner[i].start = vec4_xyz(world->particles.x[slot]);
        inner[i].low = vec4_xyz(world->particles.x_low[slot]);
        inner[i].velocity = vec4_xyz(world->particles.v[slot]);
    }
}

/* ---- What touches in a substep ----------------------------------------------------------------------------------- */

/* The piece of what may move in a contact of bodies, or SN_SURFACE_NONE. */
static uint32_t piece_of_mover(const sn_world *world, const sn_surfaces *s, const sn_mover *m)
{
    if (m->body == SN_ID_FREE)
        return sn_surface_piece_of(s, world->particles.index[m->slot]);
    const uint32_t shell = ((const uint32_t *)s->body_table.column[0])[m->body];
    return shell ? sn_surface_piece_of_shell(s, shell - 1) : SN_SURFACE_NONE;
}

/* Parts of one body are one; so are bodies, and vertices, that are near each other. What touches something that moves
   and is of no piece is open. */
static void join_bodies(const sn_world *world, sn_surfaces *s)
{
    uint32_t *parent = s->piece_table.column[1];
    for (uint32_t i = 0; i < s->shell_table.count; ++i)
        if (shells(s)[i].number == SN_SURFACE_NONE)
            join(parent, sn_surface_piece_of_shell(s, i), sn_surface_piece_of_shell(s, shells(s)[i].first));
    for (uint32_t i = 0; s->shell_table.count && i < world->body_contacts.count; ++i) {
        const sn_body_contact *c = &contact_all(world)[i];
        if (c->sensor || c->b == SN_NO_MOVER)
            continue;
        const uint32_t a = piece_of_mover(world, s, &contact_movers(world)[c->a]),
                       b = piece_of_mover(world, s, &contact_movers(world)[c->b]);
        if (a != SN_SURFACE_NONE && b != SN_SURFACE_NONE)
            join(parent, a, b);
        else if (a != SN_SURFACE_NONE || b != SN_SURFACE_NONE)
            surface_pieces(s)[a != SN_SURFACE_NONE ? a : b].left = true;
    }
}

/* Of what a zone is numbered by: a vertex, or a body. */
static uint32_t piece_of_zone(const sn_surfaces *s, uint32_t zone)
{
    return zone < s->vertex_table.count ? surface_vertices(s)[zone].piece
                                        : sn_surface_piece_of_shell(s, zone - s->vertex_table.count);
}

void sn_surface_pieces_touch(const sn_world *world, sn_surfaces *s)
{
    const sn_surface_contact *contact = s->contact_table.column[0];
    uint32_t *parent = s->piece_table.column[1];
    sn_surface_piece *piece = surface_pieces(s);
    bool any = s->zone_table.count > 0;
    for (uint32_t i = 0; i < s->piece_table.count; ++i) {
        parent[i] = i;
        piece[i] = (sn_surface_piece){.open = piece[i].open, .left = piece[i].open};
    }
    for (uint32_t i = 0; i < s->contact_table.count; ++i) {
        if (!(contact[i].normal_impulse > 0))
            continue;
        const uint32_t first = surface_vertices(s)[contact[i].vertex[0]].piece;
        piece[first].touches = any = true;
        piece[first].driven = fmax(piece[first].driven, square(contact[i].belt));
        for (uint32_t k = 1; k < 4; ++k)
            join(parent, first, surface_vertices(s)[contact[i].vertex[k]].piece);
    }
    for (uint32_t i = 0; s->zone_table.count && i < s->vertex_table.count; ++i) {
        const uint32_t zone = sn_surface_zone_of(s, i), own = surface_vertices(s)[i].piece;
        if (zone != i || surface_motions(s)[i].share < 1)
            piece[own].touches = true, join(parent, own, surface_vertices(s)[zone].piece);
    }
    for (uint32_t i = s->vertex_table.count; i < s->zone_table.count; ++i) /* bodies */
        join(parent, piece_of_zone(s, i), piece_of_zone(s, sn_surface_zone_root(s, i)));
    const sn_surface_led *led = s->led_table.column[0];
    for (uint32_t i = 0; i < s->led_table.count; ++i)
        join(parent, piece_of_zone(s, led[i].zone), surface_vertices(s)[led[i].vertex].piece);
    if (any)
        join_bodies(world, s);
    for (uint32_t i = 0; any && i < s->piece_table.count; ++i) {
        parent[i] = root_of(parent, i);
        sn_surface_piece *root = &piece[parent[i]];
        root->left = root->left || piece[i].left;
        root->touches = root->touches || piece[i].touches;
        root->driven = fmax(root->driven, piece[i].driven);
    }
}
