/* Finds which triangles share which edges. Each triangle has three sides; sides with the same two ends are the same
   edge. Sorting brings them together: two counting sorts, by the higher end and then by the lower one. They take
   time proportional to sides and vertices on any mesh, and keep sides of one edge in the order of the triangles. */
#include "scene/mesh.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Side i belongs to triangle i / 3 and runs from corner i to the next one. */
typedef struct connect_work {
    const sn_mesh *mesh;
    uint32_t side_count;
    uint32_t *sorted; /* the sides, sorted: those of one edge are consecutive */
    uint32_t *spare;  /* of the same length */
    uint32_t *start;  /* for each vertex: where its sides begin; later: its parent in the search for pieces */
    char *message;
    size_t message_size;
} connect_work;

static bool fail(const connect_work *work, const char *format, ...)
{
    if (work->message && work->message_size) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(work->message, work->message_size, format, arguments);
        va_end(arguments);
    }
    return false;
}

static uint32_t side_from(const sn_mesh *mesh, uint32_t side)
{
    return mesh->triangle[side];
}

static uint32_t side_to(const sn_mesh *mesh, uint32_t side)
{
    return mesh->triangle[side % 3 == 2 ? side - 2 : side + 1];
}

static uint32_t side_opposite(const sn_mesh *mesh, uint32_t side)
{
    return mesh->triangle[side % 3 == 0 ? side + 2 : side - 1];
}

static uint32_t side_low(const sn_mesh *mesh, uint32_t side)
{
    uint32_t from = side_from(mesh, side), to = side_to(mesh, side);
    return from < to ? from : to;
}

static uint32_t side_high(const sn_mesh *mesh, uint32_t side)
{
    uint32_t from = side_from(mesh, side), to = side_to(mesh, side);
    return from > to ? from : to;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static bool check_triangles(const connect_work *work)
{
    const sn_mesh *mesh = work->mesh;
    for (uint32_t side = 0; side < work->side_count; ++side) {
        if (side_from(mesh, side) >= mesh->vertex_count)
            return fail(work, "triangle %" PRIu32 " has vertex %" PRIu32 ", but there are %" PRIu32, side / 3,
                        side_from(mesh, side), mesh->vertex_count);
        if (side_from(mesh, side) == side_to(mesh, side))
            return fail(work, "triangle %" PRIu32 " is degenerate: it has vertex %" PRIu32 " twice", side / 3,
                        side_from(mesh, side));
    }
    return true;
}

static bool fail_crowded(const connect_work *work, const uint32_t *side, uint32_t count)
{
    const sn_mesh *mesh = work->mesh;
    uint32_t a = side_low(mesh, side[0]), b = side_high(mesh, side[0]);
    sn_vec3 p = mesh->vertex[a], q = mesh->vertex[b];
    return fail(work,
                "not a manifold: the edge from vertex %" PRIu32 " (%g, %g, %g) to vertex %" PRIu32
                " (%g, %g, %g) belongs to %" PRIu32 " triangles (%" PRIu32 ", %" PRIu32 ", %" PRIu32
                "%s); two are the most",
                a, (double)p.x, (double)p.y, (double)p.z, b, (double)q.x, (double)q.y, (double)q.z, count, side[0] / 3,
                side[1] / 3, side[2] / 3, count > 3 ? ", ..." : "");
}

/* ---- Edges ------------------------------------------------------------------------------------------------------- */

/* Sorts the sides by one of their ends. The sort is stable. */
static void sort_sides(const connect_work *work, const uint32_t *given, uint32_t *sorted,
                       uint32_t (*end)(const sn_mesh *, uint32_t))
{
    const sn_mesh *mesh = work->mesh;
    uint32_t *start = work->start, total = 0;
    memset(start, 0, mesh->vertex_count * sizeof *start);
    for (uint32_t i = 0; i < work->side_count; ++i)
        ++start[end(mesh, i)];
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        uint32_t count = start[v];
        start[v] = total;
        total += count;
    }
    for (uint32_t i = 0; i < work->side_count; ++i)
        sorted[start[end(mesh, given[i])]++] = given[i];
}

/* The number of sides from this place on that are the same edge. */
static uint32_t run_length(const connect_work *work, uint32_t place)
{
    const uint32_t *side = work->sorted + place;
    uint32_t count = 1, low = side_low(work->mesh, side[0]), high = side_high(work->mesh, side[0]);
    while (place + count < work->side_count && side_low(work->mesh, side[count]) == low &&
           side_high(work->mesh, side[count]) == high)
        ++count;
    return count;
}

/* Counts the edges. spare[side] becomes the number of the edge, in the order in which first sides occur. */
static bool number_edges(const connect_work *work, sn_mesh_topology *topology)
{
    memset(work->spare, 0, work->side_count * sizeof *work->spare);
    for (uint32_t place = 0, run; place < work->side_count; place += run) {
        run = run_length(work, place);
        if (run > 2)
            return fail_crowded(work, work->sorted + place, run);
        work->spare[work->sorted[place]] = 1;
        topology->border_count += run == 1;
    }
    for (uint32_t side = 0; side < work->side_count; ++side)
        if (work->spare[side])
            work->spare[side] = topology->edge_count++;
    return true;
}

static void fill_edges(const connect_work *work, sn_mesh_topology *topology)
{
    const sn_mesh *mesh = work->mesh;
    topology->oriented = true;
    for (uint32_t place = 0, run; place < work->side_count; place += run) {
        const uint32_t *side = work->sorted + place;
        run = run_length(work, place);
        sn_mesh_edge *edge = &topology->edge[work->spare[side[0]]];
        *edge = (sn_mesh_edge){side_low(mesh, side[0]), side_high(mesh, side[0]), {SN_NO_VERTEX, SN_NO_VERTEX}};
        bool forward = side_from(mesh, side[0]) == edge->a;
        bool agrees = run == 1 || side_from(mesh, side[0]) != side_from(mesh, side[1]);
        topology->oriented &= agrees;
        uint32_t first = agrees && !forward;
        edge->opposite[first] = side_opposite(mesh, side[0]);
        if (run == 2)
            edge->opposite[!first] = side_opposite(mesh, side[1]);
    }
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

/* The vertex that represents the piece of v (union-find with path halving). */
static uint32_t find_piece(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

/* Each used vertex begins as a piece of its own; each side that joins two pieces makes one less. */
static uint32_t count_pieces(const connect_work *work)
{
    const sn_mesh *mesh = work->mesh;
    uint32_t *parent = work->start, pieces = 0;
    memset(parent, 0xff, mesh->vertex_count * sizeof *parent);
    for (uint32_t side = 0; side < work->side_count; ++side) {
        uint32_t v = side_from(mesh, side);
        if (parent[v] == SN_NO_VERTEX) {
            parent[v] = v;
            ++pieces;
        }
    }
    for (uint32_t side = 0; side < work->side_count; ++side) {
        uint32_t a = find_piece(parent, side_from(mesh, side)), b = find_piece(parent, side_to(mesh, side));
        if (a == b)
            continue;
        parent[a > b ? a : b] = a > b ? b : a;
        --pieces;
    }
    return pieces;
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static bool connect(sn_arena *arena, sn_arena *scratch, connect_work *work, sn_mesh_topology *topology)
{
    const sn_mesh *mesh = work->mesh;
    if (mesh->triangle_count > UINT32_MAX / 3)
        return fail(work, "%" PRIu32 " triangles, but edges are found for %" PRIu32 " at most", mesh->triangle_count,
                    UINT32_MAX / 3);
    work->side_count = 3 * mesh->triangle_count;
    if (!check_triangles(work))
        return false;
    work->sorted = sn_arena_take(scratch, work->side_count, sizeof *work->sorted);
    work->spare = sn_arena_take(scratch, work->side_count, sizeof *work->spare);
    work->start = sn_arena_take(scratch, mesh->vertex_count, sizeof *work->start);
    if (!work->sorted || !work->spare || !work->start)
        return fail(work, "no memory to find the edges of %" PRIu32 " triangles", mesh->triangle_count);
    for (uint32_t side = 0; side < work->side_count; ++side)
        work->sorted[side] = side;
    sort_sides(work, work->sorted, work->spare, side_high);
    sort_sides(work, work->spare, work->sorted, side_low);
    if (!number_edges(work, topology))
        return false;
    topology->edge = sn_arena_take(arena, topology->edge_count, sizeof *topology->edge);
    if (!topology->edge)
        return fail(work, "no memory for %" PRIu32 " edges", topology->edge_count);
    fill_edges(work, topology);
    topology->closed = topology->border_count == 0 && mesh->triangle_count > 0;
    topology->piece_count = count_pieces(work);
    return true;
}

bool sn_mesh_connect(sn_arena *arena, const sn_mesh *mesh, sn_mesh_topology *topology, char *message,
                     size_t message_size)
{
    sn_arena scratch;
    sn_arena_init(&scratch, &arena->allocator);
    connect_work work = {.mesh = mesh, .message = message, .message_size = message_size};
    *topology = (sn_mesh_topology){0};
    bool done = connect(arena, &scratch, &work, topology);
    sn_arena_release(&scratch);
    if (!done)
        *topology = (sn_mesh_topology){0};
    return done;
}
