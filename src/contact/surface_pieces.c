/* Pieces of surfaces: particles that constraints join, and what touches them in a substep. Their energy is limited, see
   surface_energy.c.

   A piece has vertices, and inner particles, which are no vertices and no bodies: the inside of a solid of tetrahedra,
   or a string that carries a cloth. Surfaces and groups, which are lists of particles, join nothing.

   A tear changes little, and most tears part nothing. So after a tear only what is near is searched: all vertices of
   changed triangles, and the ends of rods that were cut, begin a breadth-first search at the same time, by edges and
   constraints. Searches that meet are one set. When one set of a piece is left that is not exhausted, the search ends
   there. Exhausted sets are pieces of their own now. The cost grows with the tear and with the smaller part. Worlds
   with inner particles find all pieces anew.

   Names of pieces differ from those of a loaded world. No result depends on names: sums of a piece are taken in the
   order of vertices and constraints. */
#include "contact/surface_pieces.h"

#include "base/sets.h"
#include "contact/body_work.h"
#include "contact/particle_work.h"
#include "contact/surface_shells.h"
#include "contact/surface_zones.h"
#include "world/world.h"

#include <string.h>

static double square(sn_vec3 v)
{
    return (double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z;
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
    uint32_t codes = pool_has_lists(pool) ? SN_ANCHOR_BIT : 0;
    for (uint32_t i = 0; i < pool->kind->points; ++i)
        codes |= point[i];
    if (codes & SN_ANCHOR_BIT)
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
                    sets_join(nodes(s), first, node);
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
            sets_join(nodes(s), a, b);
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
           sn_table_reserve(&s->piece_row_table, &world->allocator, world->constraints.kind_count) &&
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
        nodes(s)[i] = sets_find(nodes(s), i);
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

/* The piece of a constraint, that of its first member; SN_SURFACE_NONE: it has none, or stores nothing. A piece that it
   joins to a body is open. What it stores may depend on more than vertices. */
static uint32_t piece_of_constraint(const sn_world *world, sn_surfaces *s, const sn_pool *pool, uint32_t row)
{
    uint32_t small[4 * SN_MAX_POINTS], count = 0, others = 0, of = SN_SURFACE_NONE;
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
    if (of != SN_SURFACE_NONE && outside && !pool_has_lists(pool))
        surface_pieces(s)[of].open = true;
    of = pool->kind->force ? SN_SURFACE_NONE : of;
    if (of != SN_SURFACE_NONE && (others || pool->kind->state || !pool->kind->lanes))
        s->keeps_stored = false;
    return of;
}

static uint32_t *piece_by_row(const sn_surfaces *s)
{
    return s->stored_table.column[0];
}

/* Finds the piece of each constraint, and whether what all of them store depends on vertices alone. */
static void find_pieces_of_constraints(const sn_world *world, sn_surfaces *s)
{
    uint32_t *piece = piece_by_row(s);
    s->keeps_stored = true;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; row < pool->ids.table.count; ++row)
            *piece++ = piece_of_constraint(world, s, pool, row);
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
        if (pool->give[row].compliance != 0 || codes & SN_ANCHOR_BIT)
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

static uint32_t *rows_of_kinds(const sn_surfaces *s)
{
    return s->piece_row_table.column[0];
}

/* Records for which state pieces are known. */
static void note_state(const sn_world *world, sn_surfaces *s)
{
    s->stored_table.count = 0;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        rows_of_kinds(s)[kind] = world->constraints.pool[kind]->ids.table.count;
        s->stored_table.count += rows_of_kinds(s)[kind];
    }
    s->piece_row_table.count = world->constraints.kind_count;
    s->piece_shells = s->shell_table.count;
    s->piece_edits = sn_limits_edits(world);
    s->piece_breaks = world->tearing.breaks;
    s->pieces = world->constraints.edits + 1;
    s->pieces_follow = false;
}

/* ---- After a tear ------------------------------------------------------------------------------------------------ */

#ifndef __wasm__ /* a page has to be fetched */

/* A search, and the set that it is in. */
typedef struct search {
    uint32_t parent; /* union-find of searches */
    uint32_t left;   /* of a root: vertices that are still to be looked at */
    uint32_t piece;  /* the piece that the set has been a part of */
    uint32_t name;   /* the piece that it is now */
} search;

typedef struct searching {
    sn_world *world;
    sn_surfaces *s;
    search *all;
    uint32_t *label; /* by vertex: which search reached it */
    uint32_t *queue;
    uint32_t searches, queued;
} searching;

static uint32_t set_of(searching *q, uint32_t label)
{
    while (q->all[label].parent != label) {
        q->all[label].parent = q->all[q->all[label].parent].parent;
        label = q->all[label].parent;
    }
    return label;
}

/* The sets of a piece that are not exhausted are counted in `pushes`, which contact counts anew in every pass. */
static atomic_uint *open_sets(const searching *q, uint32_t set)
{
    return &surface_pieces(q->s)[q->all[set].piece].pushes;
}

static void reach(searching *q, uint32_t from, uint32_t vertex)
{
    const uint32_t own = set_of(q, q->label[from]);
    if (q->label[vertex] == SN_SURFACE_NONE) {
        q->label[vertex] = own;
        q->queue[q->queued++] = vertex;
        q->all[own].left++;
        return;
    }
    const uint32_t other = set_of(q, q->label[vertex]), low = own < other ? own : other,
                   high = own < other ? other : own;
    if (own == other)
        return;
    q->all[high].parent = low;
    *open_sets(q, low) -= q->all[low].left && q->all[high].left;
    q->all[low].left += q->all[high].left;
}

/* Reaches the neighbours of a vertex. False: it has too many constraints. */
static bool look_at(searching *q, uint32_t vertex)
{
    const sn_surfaces *s = q->s;
    const uint32_t *start = s->ring_start_table.column[0], *ring = s->ring_table.column[0];
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    for (uint32_t i = start[vertex]; i < start[vertex + 1]; ++i)
        if (ring[i] < s->vertex_table.count)
            reach(q, vertex, ring[i]);
    const uint32_t nodes =
        sn_tear_constraints_at(q->world, surface_vertices(s)[vertex].number, node, SN_TEAR_CONSTRAINTS);
    for (uint32_t i = 0; nodes != UINT32_MAX && i < nodes; ++i) {
        const sn_pool *pool = q->world->constraints.pool[node[i].kind];
        uint32_t small[4 * SN_MAX_POINTS], count;
        if (pool_has_lists(pool))
            continue;
        const uint32_t *number = particles_of(q->world, pool, node[i].row, small, &count);
        for (uint32_t k = 0; k < count; ++k) {
            const uint32_t other = vertex_of(s, number[k]);
            if (other)
                reach(q, vertex, other - 1);
        }
    }
    return nodes != UINT32_MAX;
}

/* New vertices have no piece: each gets that of a neighbour, until all have one. False: some have no such neighbour. */
static bool give_pieces(sn_surfaces *s)
{
    const uint32_t *marked = s->before.marked_table.column[0], *start = s->ring_start_table.column[0],
                   *ring = s->ring_table.column[0];
    uint32_t left = 0;
    for (uint32_t v = s->before.vertices; v < s->vertex_table.count; ++v)
        surface_vertices(s)[v].piece = SN_SURFACE_NONE;
    for (bool changed = true; changed;) {
        changed = false;
        left = 0;
        for (uint32_t i = 0; i < s->before.marked_table.count; ++i) {
            uint32_t *piece = &surface_vertices(s)[marked[i]].piece;
            for (uint32_t k = start[marked[i]]; *piece == SN_SURFACE_NONE && k < start[marked[i] + 1]; ++k)
                if (ring[k] < s->vertex_table.count && surface_vertices(s)[ring[k]].piece != SN_SURFACE_NONE)
                    *piece = surface_vertices(s)[ring[k]].piece, changed = true;
            left += *piece == SN_SURFACE_NONE;
        }
    }
    for (uint32_t v = s->before.vertices; v < s->vertex_table.count; ++v)
        left += surface_vertices(s)[v].piece == SN_SURFACE_NONE;
    return !left;
}

/* Begins a search at a vertex. False: its piece is open. */
static bool begin_search(searching *q, uint32_t vertex)
{
    sn_surface_piece *piece = &surface_pieces(q->s)[surface_vertices(q->s)[vertex].piece];
    if (q->label[vertex] != SN_SURFACE_NONE)
        return true;
    q->all[q->searches] = (search){
        .parent = q->searches, .left = 1, .piece = surface_vertices(q->s)[vertex].piece, .name = SN_SURFACE_NONE};
    q->label[vertex] = q->searches++;
    q->queue[q->queued++] = vertex;
    piece->pushes++;
    return !piece->open;
}

/* Begins at all marked vertices and ends of cut rods. */
static bool begin_searches(searching *q)
{
    sn_surfaces *s = q->s;
    const sn_table *parted = &q->world->tearing.parted_table;
    const uint32_t *marked = s->before.marked_table.column[0], *end = parted->column[0];
    memset(q->label, 0xff, s->vertex_table.count * sizeof *q->label);
    for (uint32_t i = 0; i < s->piece_table.count; ++i)
        surface_pieces(s)[i].pushes = 0;
    bool good = true;
    for (uint32_t i = 0; i < s->before.marked_table.count && good; ++i)
        good = begin_search(q, marked[i]);
    for (uint32_t i = 0; i < parted->count && good; ++i) {
        const uint32_t vertex = vertex_of(s, end[i]);
        good = vertex && begin_search(q, vertex - 1);
    }
    return good;
}

/* False: it cannot be followed. */
static bool search_all(searching *q)
{
    if (!begin_searches(q))
        return false;
    for (uint32_t i = 0; i < q->queued; ++i) {
        const uint32_t set = set_of(q, q->label[q->queue[i]]);
        if (*open_sets(q, set) < 2) /* the others of its piece have joined it, or are exhausted */
            continue;
        if (!look_at(q, q->queue[i]))
            return false;
        const uint32_t now = set_of(q, set);
        if (--q->all[now].left == 0)
            --*open_sets(q, now);
    }
    return true;
}

/* The set that is not exhausted keeps the name; if all are, the first. The others get names. */
static void name_sets(searching *q)
{
    sn_surfaces *s = q->s;
    for (uint32_t i = 0; i < q->searches; ++i)
        if (set_of(q, i) == i && (q->all[i].left || !surface_pieces(s)[q->all[i].piece].pushes)) {
            q->all[i].name = q->all[i].piece;
            surface_pieces(s)[q->all[i].piece].pushes = 1;
        }
    for (uint32_t i = 0; i < q->searches; ++i)
        if (set_of(q, i) == i && q->all[i].name == SN_SURFACE_NONE) {
            q->all[i].name = s->piece_table.count;
            surface_pieces(s)[s->piece_table.count++] = (sn_surface_piece){.open = false};
        }
    for (uint32_t i = 0; i < q->queued; ++i)
        surface_vertices(s)[q->queue[i]].piece = q->all[set_of(q, q->label[q->queue[i]])].name;
}

/* Moves rows of kinds up to where they are now, and takes out those of constraints that are gone. */
static void move_rows(const sn_world *world, sn_surfaces *s)
{
    uint32_t from = s->stored_table.count, to = 0;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind)
        to += world->constraints.pool[kind]->ids.table.count;
    for (uint32_t kind = world->constraints.kind_count; kind-- > 1;) {
        const sn_ids *ids = &world->constraints.pool[kind]->ids;
        const uint32_t before = rows_of_kinds(s)[kind], rows = ids->table.count;
        from -= before, to -= rows;
        uint32_t *piece = piece_by_row(s) + to;
        if (from != to)
            memmove(piece, piece_by_row(s) + from, before * sizeof *piece);
        for (uint32_t row = before; row < rows; ++row)
            piece[row] = SN_SURFACE_NONE;
        for (uint32_t row = 0; ids->live != rows && row < rows; ++row)
            piece[row] = ids->value[row] == SN_ID_FREE ? SN_SURFACE_NONE : piece[row];
    }
}

/* Constraints at vertices that the search has reached. */
static void set_rows(searching *q)
{
    const sn_store *store = &q->world->constraints;
    uint32_t *first = q->s->before.kept_table.column[0], sum = 0;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind)
        first[kind] = sum, sum += store->pool[kind]->ids.table.count;
    for (uint32_t i = 0; i < q->queued; ++i) {
        sn_tear_node node[SN_TEAR_CONSTRAINTS];
        const uint32_t nodes =
            sn_tear_constraints_at(q->world, surface_vertices(q->s)[q->queue[i]].number, node, SN_TEAR_CONSTRAINTS);
        for (uint32_t k = 0; nodes != UINT32_MAX && k < nodes; ++k)
            piece_by_row(q->s)[first[node[k].kind] + node[k].row] =
                piece_of_constraint(q->world, q->s, store->pool[node[k].kind], node[k].row);
    }
}

/* True if only tears have changed anything since pieces were found, and the index of constraints is up to date. */
static bool may_follow(const sn_world *world, const sn_surfaces *s)
{
    const sn_tearing *t = &world->tearing;
    return s->pieces_follow && !s->inner_table.count && s->piece_edits == sn_limits_edits(world) &&
           s->piece_breaks == t->breaks && s->piece_shells == s->shell_table.count &&
           s->piece_row_table.count == world->constraints.kind_count && t->indexed &&
           t->compactions == world->constraints.counts.compactions &&
           t->sequence == world->constraints.counts.next_sequence && t->head_table.count == world->ids.table.count;
}

/* False: pieces must be found anew. */
static bool follow(sn_world *world, sn_surfaces *s)
{
    const sn_allocator *a = &world->allocator;
    sn_surface_before *b = &s->before;
    const uint64_t vertices = s->vertex_table.count,
                   begins = (uint64_t)b->marked_table.count + world->tearing.parted_table.count;
    const uint64_t most = vertices + begins + s->shell_table.count;
    const uint32_t others = s->node_table.count - b->vertices;
    if (!may_follow(world, s) ||
        !sn_table_reserve(&s->node_table, a, vertices + (others ? world->ids.table.count : 0)) ||
        !sn_table_reserve(&s->piece_search_table, a, begins) || !sn_table_reserve(&b->next_table, a, vertices) ||
        !sn_table_reserve(&b->kept_table, a, world->constraints.kind_count) ||
        !sn_table_reserve(&s->piece_table, a, most))
        return false;
    searching q = {.world = world,
                   .s = s,
                   .all = s->piece_search_table.column[0],
                   .label = s->piece_table.column[1],
                   .queue = b->next_table.column[0]};
    sn_surface_piece *of_shells = surface_pieces(s) + sn_surface_piece_of_shell(s, 0);
    if (!give_pieces(s) || !search_all(&q))
        return false;
    bool open[SN_SURFACE_FEW_SHELLS];
    if (s->shell_table.count > SN_SURFACE_FEW_SHELLS)
        return false;
    for (uint32_t i = 0; i < s->shell_table.count; ++i)
        open[i] = of_shells[i].open;
    s->piece_table.count -= s->shell_table.count;
    name_sets(&q);
    s->piece_table.count += s->shell_table.count;
    for (uint32_t i = s->vertex_table.count; i < s->all_vertices; ++i)
        surface_vertices(s)[i].piece =
            sn_surface_piece_of_shell(s, surface_skins(s)[surface_vertices(s)[i].skin].shell - 1);
    for (uint32_t i = 0; i < s->shell_table.count; ++i)
        surface_pieces(s)[sn_surface_piece_of_shell(s, i)] = (sn_surface_piece){.open = open[i]};
    s->node_table.count = s->vertex_table.count + (others ? world->ids.table.count : 0);
    for (uint32_t i = s->vertex_table.count; i < s->node_table.count; ++i) /* none is an inner particle */
        nodes(s)[i] = SN_SURFACE_NONE;
    move_rows(world, s);
    set_rows(&q);
    return true;
}
#else
static bool follow(sn_world *world, sn_surfaces *s)
{
    (void)world, (void)s;
    return false;
}
#endif

/* ---- All --------------------------------------------------------------------------------------------------------- */

bool sn_surface_pieces_find(sn_world *world, sn_surfaces *s)
{
    if (!reserve(world, s))
        return false;
    if (s->pieces == world->constraints.edits + 1)
        return true;
    const bool followed = follow(world, s);
    s->piece_follows += followed;
    if (!followed) {
        if (!begin_nodes(world, s))
            return false;
        join_by_edges(s);
        join_by_constraints(world, s);
        if (!number_pieces(world, s))
            return false;
        find_pieces_of_constraints(world, s);
    }
    note_state(world, s);
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
            sets_join(parent, sn_surface_piece_of_shell(s, i), sn_surface_piece_of_shell(s, shells(s)[i].first));
    for (uint32_t i = 0; s->shell_table.count && i < world->body_contacts.count; ++i) {
        const sn_body_contact *c = &contact_all(world)[i];
        if (c->sensor || c->b == SN_NO_MOVER)
            continue;
        const uint32_t a = piece_of_mover(world, s, &contact_movers(world)[c->a]),
                       b = piece_of_mover(world, s, &contact_movers(world)[c->b]);
        if (a != SN_SURFACE_NONE && b != SN_SURFACE_NONE)
            sets_join(parent, a, b);
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

/* Which pieces a contact joins. */
typedef struct outcome {
    uint32_t piece[4];
} outcome;

static bool is_among(const outcome *known, uint32_t count, const outcome *m)
{
    for (uint32_t i = 0; i < count; ++i)
        if (memcmp(&known[i], m, sizeof *m) == 0)
            return true;
    return false;
}

/* Notes contacts that push in sort_table: of each SN_PIECE contacts 1 + their numbers, up to a 0. Those that join what
   one of the last ones joined are left out: nearly all. */
static void meet_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_surfaces *s = data;
    const sn_surface_contact *contact = s->contact_table.column[0];
    sn_sort_item *item = s->sort_table.column[0];
    for (uint32_t start = first; start < end; start += SN_PIECE) {
        const uint32_t last = end - start < SN_PIECE ? end : start + SN_PIECE;
        outcome known[8], m;
        uint32_t count = 0, to = start;
        for (uint32_t i = start; i < last; ++i) {
            if (!(contact[i].normal_impulse > 0))
                continue;
            for (uint32_t k = 0; k < 4; ++k)
                m.piece[k] = surface_vertices(s)[contact[i].vertex[k]].piece;
            if (square(contact[i].belt) == 0 && is_among(known, count < 8 ? count : 8, &m))
                continue;
            known[count++ % 8] = m;
            item[to++].a = 1 + i;
        }
        if (to < last)
            item[to].a = 0;
    }
}

bool sn_surface_pieces_touch(sn_world *world, sn_surfaces *s)
{
    const sn_surface_contact *contact = s->contact_table.column[0];
    const sn_sort_item *item = s->sort_table.column[0];
    uint32_t *parent = s->piece_table.column[1];
    sn_surface_piece *piece = surface_pieces(s);
    bool any = s->zone_table.count > 0;
    for (uint32_t i = 0; i < s->piece_table.count; ++i) {
        parent[i] = i;
        piece[i] = (sn_surface_piece){.open = piece[i].open, .left = piece[i].open};
    }
    if (!sn_parallel_for(&world->parallel, s->contact_table.count, meet_piece, s))
        return false;
    for (uint32_t i = 0; i < s->contact_table.count; ++i) {
        if (!item[i].a) {
            i += SN_PIECE - 1 - i % SN_PIECE;
            continue;
        }
        const sn_surface_contact *c = &contact[item[i].a - 1];
        const uint32_t first = surface_vertices(s)[c->vertex[0]].piece;
        piece[first].touches = any = true;
        piece[first].driven = fmax(piece[first].driven, square(c->belt));
        for (uint32_t k = 1; k < 4; ++k)
            sets_join(parent, first, surface_vertices(s)[c->vertex[k]].piece);
    }
    const sn_surface_tangle *tangle = s->tangle_table.column[0];
    for (uint32_t i = 0; i < s->tangle_table.count; ++i) {
        const uint32_t first = surface_vertices(s)[tangle[i].vertex[0]].piece;
        piece[first].touches = piece[first].tangled = any = true;
        for (uint32_t k = 1; k < 5; ++k)
            sets_join(parent, first, surface_vertices(s)[tangle[i].vertex[k]].piece);
    }
    for (uint32_t i = 0; s->zone_table.count && i < s->vertex_table.count; ++i) {
        const uint32_t zone = sn_surface_zone_of(s, i), own = surface_vertices(s)[i].piece;
        if (zone != i || surface_motions(s)[i].share < 1)
            piece[own].touches = true, sets_join(parent, own, surface_vertices(s)[zone].piece);
    }
    for (uint32_t i = s->vertex_table.count; i < s->zone_table.count; ++i) /* bodies */
        sets_join(parent, piece_of_zone(s, i), piece_of_zone(s, sn_surface_zone_root(s, i)));
    const sn_surface_kinematic *kinematic = s->kinematic_table.column[0];
    for (uint32_t i = 0; i < s->kinematic_table.count; ++i)
        sets_join(parent, piece_of_zone(s, kinematic[i].zone), surface_vertices(s)[kinematic[i].vertex].piece);
    if (any)
        join_bodies(world, s);
    for (uint32_t i = 0; any && i < s->piece_table.count; ++i) {
        parent[i] = sets_find(parent, i);
        sn_surface_piece *root = &piece[parent[i]];
        root->left = root->left || piece[i].left;
        root->touches = root->touches || piece[i].touches;
        root->tangled = root->tangled || piece[i].tangled;
        root->driven = fmax(root->driven, piece[i].driven);
    }
    return true;
}
