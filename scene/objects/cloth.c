/* Cloth.

   A grid has rods along its rows (the weft) and columns (the warp) and both diagonals of each cell (shear); grid.c
   derives their stiffness. Triangles and hinges use one diagonal of each cell: the one between particles with an
   even sum of column and row, so that its direction alternates. An edge of a cell thus has one even end and one odd
   end. The diagonals of the two cells beside the edge start at the even end, and end at the two corners opposite to
   the edge, which are beside its odd end. */
#include "scene/objects/cloth.h"
#include "scene/objects/grid.h"

sn_cloth_def sn_default_cloth_def(void)
{
    return (sn_cloth_def){.width = 1, .height = 1, .columns = 32, .rows = 32, .bending = SN_BENDING_ISOMETRIC};
}

static void cloth_defaults(void *record)
{
    *(sn_cloth_def *)record = sn_default_cloth_def();
}

static const sn_key cloth_keys[] = {
    {.name = "width",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_cloth_def, width),
     .unit = "m",
     .most = 1e6,
     .flags = SN_KEY_POSITIVE,
     .about = "how wide the cloth is, along x of its frame, whose origin is in the middle"},
    {.name = "height",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_cloth_def, height),
     .unit = "m",
     .most = 1e6,
     .flags = SN_KEY_POSITIVE,
     .about = "how high it is, along y of its frame"},
    {.name = "columns",
     .type = SN_KEY_COUNT,
     .offset = offsetof(sn_cloth_def, columns),
     .least = 2,
     .most = 100000,
     .about = "how many particles lie along x"},
    {.name = "rows",
     .type = SN_KEY_COUNT,
     .offset = offsetof(sn_cloth_def, rows),
     .least = 2,
     .most = 100000,
     .about = "how many particles lie along y"},
    {.name = "bending",
     .type = SN_KEY_CHOICE,
     .offset = offsetof(sn_cloth_def, bending),
     .of = &sn_bending_choices,
     .about = "how it resists bending, if its material has a `bend`"},
    {.name = "mesh",
     .type = SN_KEY_TEXT,
     .offset = offsetof(sn_cloth_def, mesh),
     .about = "an OBJ or PLY file with the triangles of the cloth, instead of width, height, columns and rows; its "
              "`shear` is then that of a sheet alike in all directions"},
    {.name = "weld",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_cloth_def, weld),
     .unit = "m",
     .most = 1e6,
     .about = "vertices of the mesh that are at most this far apart become one; 0 merges equal ones only"},
    {.name = "by_vertex",
     .type = SN_KEY_TRUTH,
     .offset = offsetof(sn_cloth_def, by_vertex),
     .about = "the rods of a grid are added vertex by vertex instead of direction by direction, all under the name "
              "`rods`: to study what the order of sweeps does"},
    {.name = NULL}};

static const sn_record cloth_record = {.name = "cloth",
                                       .about = "Cloth, from a grid or from a mesh file",
                                       .size = sizeof(sn_cloth_def),
                                       .keys = cloth_keys,
                                       .defaults = cloth_defaults};

/* ---- From a grid ------------------------------------------------------------------------------------------------ */

static const sn_grid_links weft = {SN_ALONG_X, 1, false}, warp = {SN_ALONG_Y, 1, false};
static const sn_grid_links diagonals = {SN_ALONG_X | SN_ALONG_Y, 1, false};
static const sn_grid_links second_weft = {SN_ALONG_X, 2, false}, second_warp = {SN_ALONG_Y, 2, false};

/* The number of edges with two triangles: all inner edges, and a diagonal in each cell. */
static double hinge_count(const sn_grid *grid)
{
    double nx = grid->count[0], ny = grid->count[1];
    return (nx - 2) * (ny - 1) + (nx - 1) * (ny - 2) + (nx - 1) * (ny - 1);
}

static double bend_count(const sn_grid *grid, sn_bending_method method)
{
    if (method == SN_BENDING_DISTANCE)
        return sn_grid_link_count(grid, second_weft) + sn_grid_link_count(grid, second_warp);
    return hinge_count(grid);
}

/* Adds links under a name; each_cell is the part of their stiffness that one cell contributes. */
static bool add_links(sn_build *build, const sn_grid *grid, const char *name, sn_grid_links links, double each_cell)
{
    uint32_t count = (uint32_t)sn_grid_link_count(grid, links);
    double compliance = 1 / each_cell;
    uint32_t *index = sn_build_take(build, 2 * (uint64_t)count, sizeof *index);
    sn_real *factor = compliance > 0 ? sn_build_take(build, count, sizeof *factor) : NULL;
    if (!index || (compliance > 0 && !factor))
        return false;
    sn_grid_link(grid, links, index, factor, 1);
    sn_constraint_def rod = sn_default_constraint_def(SN_KIND_DISTANCE);
    return sn_build_constraints(build, name, &rod, count, index, NULL, compliance, factor);
}

/* Adds weft, warp and diagonals in one run, sorted by the lower of their two particles: a stable counting sort. */
static bool add_by_vertex(sn_build *build, const sn_grid *grid, const sn_grid_stiffness *k)
{
    const sn_grid_links links[] = {weft, warp, diagonals};
    const double stiffness[] = {k->edge[0], k->edge[1], k->face[2]};
    uint64_t particles = (uint64_t)sn_grid_particle_count(grid), count = 0, at[3];
    for (int i = 0; i < 3; ++i) {
        at[i] = count;
        count += (uint64_t)sn_grid_link_count(grid, links[i]);
    }
    uint32_t *index = sn_build_take(build, 2 * count, sizeof *index);
    uint32_t *sorted = sn_build_take(build, 2 * count, sizeof *sorted);
    sn_real *compliance = sn_build_take(build, count, sizeof *compliance);
    sn_real *sorted_compliance = sn_build_take(build, count, sizeof *sorted_compliance);
    uint32_t *first = sn_build_take(build, particles + 1, sizeof *first);
    if (!index || !sorted || !compliance || !sorted_compliance || !first)
        return false;
    for (int i = 0; i < 3; ++i)
        sn_grid_link(grid, links[i], index + 2 * at[i], compliance + at[i], 1 / stiffness[i]);
    for (uint64_t n = 0; n < count; ++n) {
        const uint32_t *pair = index + 2 * n;
        ++first[(pair[0] < pair[1] ? pair[0] : pair[1]) + 1];
    }
    for (uint64_t p = 0; p < particles; ++p)
        first[p + 1] += first[p];
    for (uint64_t n = 0; n < count; ++n) {
        const uint32_t *pair = index + 2 * n;
        uint32_t to = first[pair[0] < pair[1] ? pair[0] : pair[1]]++;
        sorted[2 * (uint64_t)to] = pair[0];
        sorted[2 * (uint64_t)to + 1] = pair[1];
        sorted_compliance[to] = compliance[n];
    }
    sn_constraint_def rod = sn_default_constraint_def(SN_KIND_DISTANCE);
    return sn_build_constraints(build, "rods", &rod, (uint32_t)count, sorted, NULL, 1, sorted_compliance);
}

static bool add_rods(sn_build *build, const sn_grid *grid, bool by_vertex)
{
    sn_grid_stuff stuff = {.stretch = 1 / (double)build->stuff->stretch,
                           .shear = sn_grid_shear(grid) / (double)build->stuff->shear};
    sn_grid_stiffness k = sn_grid_stiffness_of(build, grid, stuff);
    if (k.softened)
        sn_build_note(build,
                      "the cells are too long for their width to resist shear as much as asked for; it gives more");
    if (by_vertex)
        return add_by_vertex(build, grid, &k);
    return add_links(build, grid, "weft", weft, k.edge[0]) && add_links(build, grid, "warp", warp, k.edge[1]) &&
           add_links(build, grid, "shear", diagonals, k.face[2]);
}

/* Adds rods to the second neighbours in both directions, in one run. A hinge of width s and two sides l has l^2 / (A
   + B) = s / l; a fold by a right angle shortens 2 l by (2 - sqrt(2)) l. At the border the width is half. */
static bool add_second_neighbours(sn_build *build, const sn_grid *grid)
{
    double scale = sn_build_scale(build), bend = (double)build->stuff->bend, taken = 2 - sqrt(2.0);
    double lx = grid->size[0] * scale / (grid->count[0] - 1), ly = grid->size[1] * scale / (grid->count[1] - 1);
    uint64_t along_x = (uint64_t)sn_grid_link_count(grid, second_weft);
    uint64_t count = along_x + (uint64_t)sn_grid_link_count(grid, second_warp);
    uint32_t *index = sn_build_take(build, 2 * count, sizeof *index);
    sn_real *factor = sn_build_take(build, count, sizeof *factor);
    if (!index || !factor)
        return false;
    sn_grid_link(grid, second_weft, index, factor, 2 / sn_sheet_rod_over_hinge(ly / lx, taken * lx));
    sn_grid_link(grid, second_warp, index + 2 * along_x, factor + along_x,
                 2 / sn_sheet_rod_over_hinge(lx / ly, taken * ly));
    sn_constraint_def rod = sn_default_constraint_def(SN_KIND_DISTANCE);
    return count == 0 ||
           sn_build_constraints(build, "bend", &rod, (uint32_t)count, index, NULL, bend, bend > 0 ? factor : NULL);
}

/* The hinge at the edge from particle p at (i, j) to p + along; across is the step to the neighbours on both sides. */
static uint32_t *edge_hinge(uint32_t *hinge, uint32_t p, uint32_t along, uint32_t across, uint32_t parity)
{
    uint32_t odd = parity ? p : p + along; /* the odd end */
    *hinge++ = odd - across;
    *hinge++ = odd + across;
    *hinge++ = p;
    *hinge++ = p + along;
    return hinge;
}

static uint32_t *cell_hinge(uint32_t *hinge, uint32_t p, uint32_t up, uint32_t parity)
{
    uint32_t even[2] = {p, p + up + 1}, odd[2] = {p + up, p + 1};
    for (uint32_t n = 0; n < 2; ++n)
        *hinge++ = parity ? even[n] : odd[n];
    for (uint32_t n = 0; n < 2; ++n)
        *hinge++ = parity ? odd[n] : even[n];
    return hinge;
}

static bool add_hinges(sn_build *build, const sn_grid *grid, const sn_vec3 *place, sn_bending_method method)
{
    uint32_t nx = grid->count[0], ny = grid->count[1], count = (uint32_t)hinge_count(grid);
    uint32_t *hinge = sn_build_take(build, 4 * (uint64_t)count, sizeof *hinge), *next = hinge;
    if (!hinge)
        return false;
    for (uint32_t j = 0; j < ny; ++j)
        for (uint32_t i = 0; i < nx; ++i) {
            uint32_t p = i + nx * j, parity = (i + j) % 2;
            if (i + 1 < nx && j > 0 && j + 1 < ny)
                next = edge_hinge(next, p, 1, nx, parity);
            if (j + 1 < ny && i > 0 && i + 1 < nx)
                next = edge_hinge(next, p, nx, 1, parity);
            if (i + 1 < nx && j + 1 < ny)
                next = cell_hinge(next, p, nx, parity);
        }
    return sn_sheet_hinges(build, method, place, count, hinge);
}

/* Names the one, two or four particles in the middle. */
static bool add_centre(sn_build *build, const sn_grid *grid)
{
    uint32_t index[4], n = 0, nx = grid->count[0], ny = grid->count[1];
    for (uint32_t j = (ny - 1) / 2; j <= ny / 2; ++j)
        for (uint32_t i = (nx - 1) / 2; i <= nx / 2; ++i)
            index[n++] = i + nx * j;
    return sn_build_part(build, "centre", n, index);
}

static bool add_border(sn_build *build, const sn_grid *grid)
{
    uint32_t nx = grid->count[0], ny = grid->count[1], n = 0;
    uint32_t *index = sn_build_take(build, 2 * ((uint64_t)nx + ny), sizeof *index);
    if (!index)
        return false;
    for (uint32_t j = 0; j < ny; ++j)
        for (uint32_t i = 0; i < nx; i += j == 0 || j == ny - 1 ? 1 : nx - 1)
            index[n++] = i + nx * j;
    return sn_build_part(build, "border", n, index);
}

static bool add_parts(sn_build *build, const sn_grid *grid)
{
    uint32_t nx = grid->count[0], last = nx * (grid->count[1] - 1);
    return sn_build_range(build, "bottom_left", 0, 1) && sn_build_range(build, "bottom_right", nx - 1, 1) &&
           sn_build_range(build, "top_left", last, 1) && sn_build_range(build, "top_right", last + nx - 1, 1) &&
           sn_grid_side_parts(build, grid) && add_centre(build, grid) && add_border(build, grid);
}

static bool build_grid(sn_build *build, const sn_cloth_def *def)
{
    /* a thickness of 1 m whatever the scale: the stiffness of a sheet includes its thickness */
    sn_grid grid = {{def->columns, def->rows, 1}, {(double)def->width, (double)def->height, 1 / sn_build_scale(build)}};
    if (!sn_grid_check(build, &grid))
        return false;
    bool bends = sn_sheet_bends(build, def->bending, SN_BENDING_ISOMETRIC);
    double rods = sn_grid_link_count(&grid, weft) + sn_grid_link_count(&grid, warp);
    rods += sn_grid_link_count(&grid, diagonals);
    sn_vec3 *place;
    if (!sn_build_begin(build, sn_grid_particle_count(&grid), rods + (bends ? bend_count(&grid, def->bending) : 0)) ||
        !sn_grid_particles(build, &grid, &place) || !sn_grid_surface(build, &grid) || !add_parts(build, &grid) ||
        !add_rods(build, &grid, def->by_vertex))
        return false;
    if (!bends)
        return true;
    return def->bending == SN_BENDING_DISTANCE ? add_second_neighbours(build, &grid)
                                               : add_hinges(build, &grid, place, def->bending);
}

/* ---- From a mesh ------------------------------------------------------------------------------------------------ */

/* The name of a key that cannot be combined with a mesh; NULL if there is none. */
static const char *grid_key(const sn_cloth_def *def)
{
    sn_cloth_def usual = sn_default_cloth_def();
    return def->width != usual.width       ? "width"
           : def->height != usual.height   ? "height"
           : def->columns != usual.columns ? "columns"
           : def->rows != usual.rows       ? "rows"
                                           : NULL;
}

/* Names the vertices of edges with one triangle. */
static bool add_mesh_border(sn_build *build, const sn_sheet *sheet)
{
    uint32_t vertices = sheet->mesh.vertex_count, n = 0;
    bool *marked = sn_build_take(build, vertices, sizeof *marked);
    uint32_t *index = sn_build_take(build, vertices, sizeof *index);
    if (!marked || !index)
        return false;
    for (uint32_t i = 0; i < sheet->topology.edge_count; ++i) {
        const sn_mesh_edge *edge = &sheet->topology.edge[i];
        if (edge->opposite[0] == SN_NO_VERTEX || edge->opposite[1] == SN_NO_VERTEX)
            marked[edge->a] = marked[edge->b] = true;
    }
    for (uint32_t i = 0; i < vertices; ++i)
        if (marked[i])
            index[n++] = i;
    return n == 0 || sn_build_part(build, "border", n, index);
}

static bool build_mesh(sn_build *build, const sn_cloth_def *def)
{
    const char *key = grid_key(def);
    sn_sheet sheet;
    if (key)
        return sn_build_fail(build, key,
                             "is given beside mesh, expected one of them: a cloth is a grid or a mesh, whose "
                             "size is changed with scale");
    if (!sn_sheet_read(build, def->mesh, def->weld, &sheet))
        return false;
    bool bends = sn_sheet_bends(build, def->bending, SN_BENDING_ISOMETRIC);
    double constraints = sn_sheet_constraint_count(build, &sheet, def->bending);
    return sn_build_begin(build, sheet.mesh.vertex_count, constraints) && sn_sheet_particles(build, &sheet) &&
           add_mesh_border(build, &sheet) && sn_sheet_rods(build, &sheet) &&
           (!bends || sn_sheet_bend(build, &sheet, def->bending));
}

static bool build_cloth(sn_build *build, const void *own)
{
    const sn_cloth_def *def = own;
    if (def->mesh)
        return build_mesh(build, def);
    if (def->weld != 0)
        return sn_build_fail(build, "weld", "is given without mesh, which it is about");
    return build_grid(build, def);
}

const sn_object_type sn_object_cloth = {
    .name = "cloth",
    .about = "Cloth from a grid, in the x-y plane of its frame, or from a mesh file.",
    .parts = "parts: top_left, top_right, bottom_left, bottom_right, top, bottom, left, right, centre (the one, two or "
             "four particles in the middle), border; of a mesh: border; constraints: weft (along x), warp (along y), "
             "shear, bend, or rods, bend if added by vertex; of a mesh: edges, bend",
    .dimension = 2,
    .spatial = true,
    .record = &cloth_record,
    .build = build_cloth,
};
