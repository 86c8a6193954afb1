/* Finds pieces: what constraints and edges of surfaces join; surface_energy.c keeps the energy of each.

   A tear changes little, and most tears part nothing. So after a tear only what is near is searched: all vertices of
   changed triangles, and the ends of rods that were cut, begin a breadth-first search at the same time, by edges and
   constraints. Searches that meet are one
   set. When one set of a piece is left that is not exhausted, the search ends there. Exhausted sets are pieces of their
   own now. The cost grows with the tear and with the smaller part.

   Names of pieces differ from those of a loaded world. No result depends on names: sums of a piece are taken in the
   order of vertices and constraints. */
#include "contact/surface_pieces.h"

#include "world/world.h"

#include <string.h>

/* Most constraints hold particles by themselves, and no spots. */
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

/* Nearly all constraints of cloth are rods. Whether this is one, between two particles, which is asked quickly: their vertices. */
static bool is_rod(const sn_surfaces *s, const sn_pool *pool, uint32_t row, uint32_t *a, uint32_t *b)
{
    const uint32_t *point = pool->point + 2 * (size_t)row;
    if (pool->kind->points != 2 || (point[0] | point[1]) & SN_SPOT_BIT)
        return false;
    *a = surface_vertex_of(s, point[0]);
    *b = surface_vertex_of(s, point[1]);
    return true;
}

/* Vertices that a constraint holds are of one piece. Surfaces and groups, which are lists of particles, join nothing. */
static void join_by_constraints(const sn_world *world, sn_surfaces *s)
{
    uint32_t *parent = s->piece_table.column[1], a, b;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; !pool_has_lists(pool) && row < pool->ids.table.count; ++row) {
            uint32_t small[4 * SN_MAX_POINTS], count, first = 0;
            if (!sn_ids_is_live(&pool->ids, row))
                continue;
            if (is_rod(s, pool, row, &a, &b)) {
                if (a && b && parent[a - 1] != parent[b - 1])
                    pieces_join(parent, a - 1, b - 1);
                continue;
            }
            const uint32_t *number = particles_of(world, pool, row, small, &count);
            for (uint32_t i = 0; i < count; ++i) {
                const uint32_t vertex = surface_vertex_of(s, number[i]);
                if (vertex && first && parent[vertex - 1] != parent[first - 1])
                    pieces_join(parent, first - 1, vertex - 1);
                first = first ? first : vertex;
            }
        }
    }
}

/* Room for what constraints store; values are kept. */
static bool reserve_stored(sn_world *world, sn_surfaces *s)
{
    uint64_t count = 0;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind)
        count += world->constraints.pool[kind]->ids.table.count;
    s->is_stored = false;
    return count <= SN_MAX_COUNT && sn_table_reserve(&s->stored_table, &world->allocator, count) &&
           sn_table_reserve(&s->piece_row_table, &world->allocator, world->constraints.kind_count) &&
           sn_parallel_reserve(&world->parallel, &world->allocator, (uint32_t)count);
}

/* The piece of a constraint, that of its first vertex; SN_SURFACE_NONE: it has none, or stores nothing. A piece that it
   joins to what is no vertex, and moves, is open. What it stores may depend on more than vertices. */
static uint32_t piece_of_constraint(const sn_world *world, sn_surfaces *s, const sn_pool *pool, uint32_t row)
{
    uint32_t small[4 * SN_MAX_POINTS], count = 0, others = 0, of = SN_SURFACE_NONE, a, b;
    bool outside = false;
    if (!sn_ids_is_live(&pool->ids, row))
        return SN_SURFACE_NONE;
    if (!pool->kind->force && !pool_has_lists(pool) && is_rod(s, pool, row, &a, &b) && a && b)
        return surface_vertices(s)[a - 1].piece;
    const uint32_t *number = particles_of(world, pool, row, small, &count);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t vertex = surface_vertex_of(s, number[i]);
        const uint32_t body = vertex ? 0 : world->particles.body[world->ids.value[number[i]]];
        const uint32_t shell = body ? ((const uint32_t *)s->body_table.column[0])[body - 1] : 0;
        if (shell)
            surface_pieces(s)[surface_piece_of_shell(s, shell - 1)].open = true;
        others += !vertex;
        outside = outside || (!vertex && world->particles.x[world->ids.value[number[i]]].w != 0);
        if (vertex && of == SN_SURFACE_NONE)
            of = surface_vertices(s)[vertex - 1].piece;
    }
    if (of != SN_SURFACE_NONE && outside && !pool_has_lists(pool))
        surface_pieces(s)[of].open = true;
    of = pool->kind->force ? SN_SURFACE_NONE : of;
    if (of != SN_SURFACE_NONE && (others || pool->kind->state || !pool->kind->lanes))
        s->keeps_stored = false;
    return of;
}

/* By constraint, kind by kind. */
static uint32_t *piece_by_row(const sn_surfaces *s)
{
    return s->stored_table.column[0];
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

/* Names the pieces of shells, and gives them to the vertices of these. */
static void add_shell_pieces(sn_surfaces *s)
{
    for (uint32_t i = s->vertex_table.count; i < s->all_vertices; ++i)
        surface_vertices(s)[i].piece = s->piece_table.count + surface_skins(s)[surface_vertices(s)[i].skin].shell - 1;
    s->piece_table.count += s->shell_table.count;
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
static uint32_t *open_sets(const searching *q, uint32_t set)
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
            const uint32_t other = surface_vertex_of(s, number[k]);
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
        const uint32_t vertex = surface_vertex_of(s, end[i]);
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
    return s->pieces_follow && s->piece_edits == sn_limits_edits(world) && s->piece_breaks == t->breaks &&
           s->piece_shells == s->shell_table.count && s->piece_row_table.count == world->constraints.kind_count &&
           t->indexed && t->compactions == world->constraints.counts.compactions &&
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
    if (!may_follow(world, s) || !sn_table_reserve(&s->piece_search_table, a, begins) ||
        !sn_table_reserve(&b->next_table, a, vertices) ||
        !sn_table_reserve(&b->kept_table, a, world->constraints.kind_count) ||
        !sn_table_reserve(&s->piece_table, a, most))
        return false;
    searching q = {.world = world,
                   .s = s,
                   .all = s->piece_search_table.column[0],
                   .label = s->piece_table.column[1],
                   .queue = b->next_table.column[0]};
    sn_surface_piece *of_shells = surface_pieces(s) + surface_piece_of_shell(s, 0);
    if (!give_pieces(s) || !search_all(&q))
        return false;
    bool open[SN_SURFACE_FEW_SHELLS];
    if (s->shell_table.count > SN_SURFACE_FEW_SHELLS)
        return false;
    for (uint32_t i = 0; i < s->shell_table.count; ++i)
        open[i] = of_shells[i].open;
    s->piece_table.count -= s->shell_table.count;
    name_sets(&q);
    add_shell_pieces(s);
    for (uint32_t i = 0; i < s->shell_table.count; ++i)
        surface_pieces(s)[surface_piece_of_shell(s, i)] = (sn_surface_piece){.open = open[i]};
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

/* ---- Anew -------------------------------------------------------------------------------------------------------- */

static void find_all(const sn_world *world, sn_surfaces *s)
{
    uint32_t *parent = s->piece_table.column[1];
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        parent[i] = i;
    for (uint32_t i = 0; i < s->edge_table.count; ++i)
        if (surface_edges(s)[i].vertex[0] < s->vertex_table.count &&
            parent[surface_edges(s)[i].vertex[0]] != parent[surface_edges(s)[i].vertex[1]])
            pieces_join(parent, surface_edges(s)[i].vertex[0], surface_edges(s)[i].vertex[1]);
    join_by_constraints(world, s);
    s->piece_table.count = 0;
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        const uint32_t root = pieces_root(parent, i);
        sn_surface_vertex *v = &surface_vertices(s)[i];
        v->piece = root == i ? s->piece_table.count++ : surface_vertices(s)[root].piece;
        if (root == i)
            surface_pieces(s)[v->piece] = (sn_surface_piece){.open = false};
    }
    add_shell_pieces(s);
    for (uint32_t i = 0; i < s->shell_table.count; ++i)
        surface_pieces(s)[surface_piece_of_shell(s, i)] = (sn_surface_piece){.open = false};
    uint32_t *piece = piece_by_row(s);
    s->keeps_stored = true;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; row < pool->ids.table.count; ++row)
            *piece++ = piece_of_constraint(world, s, pool, row);
    }
}

bool sn_surface_pieces_find(sn_world *world, sn_surfaces *s)
{
    if (!reserve_stored(world, s))
        return false;
    if (s->pieces == world->constraints.edits + 1)
        return true;
    if (follow(world, s)) {
        s->piece_follows++;
    } else {
        if (!sn_table_reserve(&s->piece_table, &world->allocator,
                              (uint64_t)s->vertex_table.count + s->shell_table.count))
            return false;
        find_all(world, s);
    }
    note_state(world, s);
    return true;
}
