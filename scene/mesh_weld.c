/* Welding. Space is divided into cells, and each vertex that is kept is stored in the bucket of its cell. No two
   kept vertices are within the distance of each other, so a cell has few of them, whatever the mesh. */
#include "scene/mesh.h"

#include <float.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct weld_grid {
    const sn_vec3 *vertex;
    double distance; /* m; may be 0 or infinite */
    double cell;     /* m, edge of a cell; infinite: there is only one cell */
    uint32_t bucket_mask;
    uint32_t *bucket; /* the last vertex in it, or NONE */
    uint32_t *before; /* for each vertex the previous one in its bucket, or NONE */
} weld_grid;

/* ---- Cells ------------------------------------------------------------------------------------------------------- */

/* From here on the coordinate itself is the number of its cell: the distance is less than half of the step to the
   next representable number, so only equal coordinates can be merged. */
#define MOST_CELLS_ALONG 0x1p54

/* With a distance beyond this, sums could overflow. The range of coordinates is only a few such distances, so one
   cell is enough. */
#define LARGEST_DISTANCE 0x1p1020

/* The larger the cells, the fewer lie within reach of a vertex (3.4 on average), but the more vertices each can
   have. Cells of two distances, of which eight are searched, took 1.4 times as long on a mesh of a million vertices. */
#define CELL_DISTANCES 4

static double cell_size(double distance)
{
    return distance > LARGEST_DISTANCE ? (double)INFINITY : CELL_DISTANCES * distance;
}

static bool is_exact(const weld_grid *grid, double x)
{
    return grid->distance > 0 && fabs(x / grid->cell) < MOST_CELLS_ALONG;
}

static double cell_of(const weld_grid *grid, double x)
{
    if (isinf(grid->cell))
        return 0;
    double number = is_exact(grid, x) ? floor(x / grid->cell) : x;
    return number + 0.0; /* -0 becomes 0: they must have the same bits */
}

/* Rounding can make two vertices seem to be within the distance; the search is wider by this factor, so that it
   finds them, too. */
#define ROUND_OFF 0x1p-50

#define MOST_NEIGHBOURS 4

/* The numbers of all cells along one axis that can hold something within the distance of x: one or two, or more by
   rounding. Sum, quotient and floor are monotonic, rounded or not, so nothing within the distance is missed. */
static int cells_around(const weld_grid *grid, double x, double number[MOST_NEIGHBOURS])
{
    number[0] = cell_of(grid, x);
    if (isinf(grid->cell) || !is_exact(grid, x))
        return 1;
    double reach = grid->distance * (1 + ROUND_OFF);
    double low = floor(fmax(x - reach, -DBL_MAX) / grid->cell);
    double high = floor(fmin(x + reach, DBL_MAX) / grid->cell);
    int count = 0;
    for (double n = low; n <= high && count < MOST_NEIGHBOURS; n = fmax(n + 1, nextafter(n, DBL_MAX)))
        number[count++] = n + 0.0;
    return count;
}

static uint64_t mix(uint64_t hash, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15;
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93;
    return hash ^ hash >> 29;
}

static uint32_t *bucket_of(const weld_grid *grid, double x, double y, double z)
{
    return &grid->bucket[mix(mix(mix(0, x), y), z) & grid->bucket_mask];
}

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

/* The squared distance of two vertices in units of the welding distance: the square of a tiny distance in metres
   would underflow. */
static double gap(const weld_grid *grid, sn_vec3 a, sn_vec3 b)
{
    if (a.x == b.x && a.y == b.y && a.z == b.z)
        return 0;
    if (grid->distance == 0)
        return (double)INFINITY;
    if (isinf(grid->distance))
        return 1;
    double x = ((double)a.x - (double)b.x) / grid->distance;
    double y = ((double)a.y - (double)b.y) / grid->distance;
    double z = ((double)a.z - (double)b.z) / grid->distance;
    return x * x + y * y + z * z;
}

typedef struct nearest {
    uint32_t vertex;
    double gap;
} nearest;

static void look_into(const weld_grid *grid, const uint32_t *bucket, sn_vec3 x, nearest *best)
{
    for (uint32_t i = *bucket; i != NONE; i = grid->before[i]) {
        double g = gap(grid, x, grid->vertex[i]);
        if (g <= 1 && (g < best->gap || (g == best->gap && i < best->vertex)))
            *best = (nearest){i, g};
    }
}

static uint32_t find_nearest(const weld_grid *grid, sn_vec3 x)
{
    double i[MOST_NEIGHBOURS], j[MOST_NEIGHBOURS], k[MOST_NEIGHBOURS];
    int is = cells_around(grid, (double)x.x, i);
    int js = cells_around(grid, (double)x.y, j);
    int ks = cells_around(grid, (double)x.z, k);
    nearest best = {NONE, (double)INFINITY};
    for (int a = 0; a < is; ++a)
        for (int b = 0; b < js; ++b)
            for (int c = 0; c < ks; ++c)
                look_into(grid, bucket_of(grid, i[a], j[b], k[c]), x, &best);
    return best.vertex;
}

static void keep(const weld_grid *grid, uint32_t vertex)
{
    sn_vec3 x = grid->vertex[vertex];
    uint32_t *bucket =
        bucket_of(grid, cell_of(grid, (double)x.x), cell_of(grid, (double)x.y), cell_of(grid, (double)x.z));
    grid->before[vertex] = *bucket;
    *bucket = vertex;
}

/* into[i] becomes the vertex into which i is merged: i itself if it is kept. Returns the number of merged vertices. */
static uint32_t merge(const weld_grid *grid, uint32_t count, uint32_t *into)
{
    uint32_t merged = 0;
    for (uint32_t i = 0; i < count; ++i) {
        into[i] = find_nearest(grid, grid->vertex[i]);
        if (into[i] == NONE) {
            into[i] = i;
            keep(grid, i);
        } else {
            ++merged;
        }
    }
    return merged;
}

static bool make_grid(sn_arena *scratch, const sn_mesh *mesh, sn_real distance, weld_grid *grid)
{
    *grid = (weld_grid){.vertex = mesh->vertex, .distance = distance > 0 ? (double)distance : 0};
    grid->cell = cell_size(grid->distance);
    size_t buckets = 1;
    while (buckets < mesh->vertex_count)
        buckets *= 2;
    grid->bucket_mask = (uint32_t)(buckets - 1);
    grid->bucket = sn_arena_take(scratch, buckets, sizeof *grid->bucket);
    grid->before = sn_arena_take(scratch, mesh->vertex_count, sizeof *grid->before);
    if (!grid->bucket || !grid->before)
        return false;
    memset(grid->bucket, 0xff, buckets * sizeof *grid->bucket);
    return true;
}

/* ---- The remaining mesh ------------------------------------------------------------------------------------------ */

static bool is_whole(const uint32_t *into, const uint32_t *corner, uint32_t corners)
{
    uint32_t a = into[corner[0]], b = into[corner[1]];
    if (corners == 2)
        return a != b;
    uint32_t c = into[corner[2]];
    return a != b && b != c && c != a;
}

/* Counts the triangles (three corners) or lines (two) whose corners remain different, and marks the vertices that
   they use. */
static uint32_t mark(const uint32_t *into, const uint32_t *item, uint32_t count, uint32_t corners, uint32_t *used)
{
    uint32_t whole = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t *corner = item + i * corners;
        if (!is_whole(into, corner, corners))
            continue;
        ++whole;
        for (uint32_t j = 0; j < corners; ++j)
            used[into[corner[j]]] = 1;
    }
    return whole;
}

/* Copies these items, with the new numbers of their vertices. */
static void copy_items(const uint32_t *into, const uint32_t *number, const uint32_t *item, uint32_t count,
                       uint32_t corners, uint32_t *out)
{
    for (size_t i = 0; i < count; ++i) {
        const uint32_t *corner = item + i * corners;
        if (!is_whole(into, corner, corners))
            continue;
        for (uint32_t j = 0; j < corners; ++j)
            *out++ = number[into[corner[j]]];
    }
}

/* Turns marks into new numbers: used[i] becomes the number of vertex i. Returns the number of vertices. */
static uint32_t number_vertices(const uint32_t *into, uint32_t *used, uint32_t count, bool drop_unused,
                                uint32_t *unused)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        bool stays = into[i] == i, drop = stays && drop_unused && !used[i];
        *unused += drop;
        used[i] = stays && !drop ? kept++ : NONE;
    }
    return kept;
}

/* Makes the new mesh beside the old one, which is unchanged if memory runs out. */
static bool rebuild(sn_arena *arena, sn_mesh *mesh, const uint32_t *into, uint32_t *used, bool drop_unused,
                    sn_mesh_notes *notes)
{
    sn_mesh made = {
        .triangle_count = mark(into, mesh->triangle, mesh->triangle_count, 3, used),
        .line_count = mark(into, mesh->line, mesh->line_count, 2, used),
    };
    made.vertex_count = number_vertices(into, used, mesh->vertex_count, drop_unused, &notes->unused);
    made.vertex = sn_arena_take(arena, made.vertex_count, sizeof *made.vertex);
    made.triangle = sn_arena_take(arena, made.triangle_count, 3 * sizeof *made.triangle);
    made.line = sn_arena_take(arena, made.line_count, 2 * sizeof *made.line);
    if (!made.vertex || !made.triangle || !made.line)
        return false;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
        if (used[i] != NONE)
            made.vertex[used[i]] = mesh->vertex[i];
    copy_items(into, used, mesh->triangle, mesh->triangle_count, 3, made.triangle);
    copy_items(into, used, mesh->line, mesh->line_count, 2, made.line);
    notes->degenerate = mesh->triangle_count - made.triangle_count;
    notes->short_lines = mesh->line_count - made.line_count;
    *mesh = made;
    return true;
}

static bool weld(sn_arena *arena, sn_arena *scratch, sn_mesh *mesh, sn_real distance, bool drop_unused,
                 sn_mesh_notes *notes)
{
    weld_grid grid;
    uint32_t *into = sn_arena_take(scratch, mesh->vertex_count, sizeof *into);
    uint32_t *used = sn_arena_take(scratch, mesh->vertex_count, sizeof *used);
    if (!into || !used || !make_grid(scratch, mesh, distance, &grid))
        return false;
    notes->merged = merge(&grid, mesh->vertex_count, into);
    return rebuild(arena, mesh, into, used, drop_unused, notes);
}

bool sn_mesh_weld(sn_arena *arena, sn_mesh *mesh, sn_real distance, bool drop_unused, sn_mesh_notes *notes)
{
    sn_arena scratch;
    sn_arena_init(&scratch, &arena->allocator);
    sn_mesh_notes made = {0};
    bool done = weld(arena, &scratch, mesh, distance, drop_unused, &made);
    sn_arena_release(&scratch);
    if (done && notes) {
        notes->merged += made.merged;
        notes->degenerate += made.degenerate;
        notes->unused += made.unused;
        notes->short_lines += made.short_lines;
    }
    return done;
}
