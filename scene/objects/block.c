/* A block of tetrahedra.

   Each cell of a grid is cut into five. The four particles with an even sum of column, row and layer span the
   tetrahedron in the middle; each of the other four spans one in its corner, together with its three neighbours.
   Since the number of the particle decides, neighbouring cells are cut in mirror image and their faces match. Edges
   are those of the cells and one diagonal of each face; no diagonal runs through a cell.

   Stiffness. The stuff has Young's modulus E = 1 / stretch and bulk modulus K = 1 / volume. Rods alone make a stuff
   with Poisson's ratio 1/4 (see grid.c): with the modulus E_n they have the shear modulus G = 2/5 E_n and the bulk
   modulus 2/3 E_n. Tetrahedra that keep their volume have no shear modulus and add the missing part of K. From E = 9
   K G / (3 K + G):

       G = 3 K E / (9 K - E),     E_n = 5/2 G,     K_v = K - 5/3 G,

   and if volume is 0, G = E / 3. A stuff with K < 2/3 E, Poisson's ratio below 1/4, is not possible in this way; it
   is made of rods alone, with E_n = E. The energy of a tetrahedron is 1/2 K_v (dV / V)^2 V, so that its compliance
   is V / K_v.

   E and K hold for uniform stretch. A block that is bent or twisted is stiffer: five tetrahedra in a cell have more
   volumes to keep than the cell has degrees of freedom, which is known as locking. */
#include "scene/objects/block.h"
#include "scene/objects/grid.h"

sn_block_def sn_default_block_def(void)
{
    return (sn_block_def){.width = 1, .height = 1, .depth = 1, .columns = 6, .rows = 6, .layers = 6};
}

static void block_defaults(void *record)
{
    *(sn_block_def *)record = sn_default_block_def();
}

static const sn_key block_keys[] = {
    {.name = "width",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_block_def, width),
     .unit = "m",
     .most = 1e6,
     .flags = SN_KEY_POSITIVE,
     .about = "how wide the block is, along x of its frame, whose origin is in the middle"},
    {.name = "height",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_block_def, height),
     .unit = "m",
     .most = 1e6,
     .flags = SN_KEY_POSITIVE,
     .about = "how high it is, along y of its frame"},
    {.name = "depth",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_block_def, depth),
     .unit = "m",
     .most = 1e6,
     .flags = SN_KEY_POSITIVE,
     .about = "how deep it is, along z of its frame"},
    {.name = "columns",
     .type = SN_KEY_COUNT,
     .offset = offsetof(sn_block_def, columns),
     .least = 2,
     .most = 100000,
     .about = "how many particles lie along x"},
    {.name = "rows",
     .type = SN_KEY_COUNT,
     .offset = offsetof(sn_block_def, rows),
     .least = 2,
     .most = 100000,
     .about = "how many particles lie along y"},
    {.name = "layers",
     .type = SN_KEY_COUNT,
     .offset = offsetof(sn_block_def, layers),
     .least = 2,
     .most = 100000,
     .about = "how many particles lie along z"},
    {.name = NULL}};

static const sn_record block_record = {.name = "block",
                                       .about = "A solid block of tetrahedra that keep their volume",
                                       .size = sizeof(sn_block_def),
                                       .keys = block_keys,
                                       .defaults = block_defaults};

/* ---- Stiffness -------------------------------------------------------------------------------------------------- */

/* E_n and K_v. */
typedef struct block_moduli {
    double network, volume; /* N/m^2; infinite is rigid. volume 0: nothing keeps volumes */
} block_moduli;

static block_moduli moduli(const sn_stuff *stuff)
{
    double e = 1 / (double)stuff->stretch, k = isnan(stuff->volume) ? (double)INFINITY : 1 / (double)stuff->volume;
    if (!isfinite(e))
        return (block_moduli){e, k}; /* rigid rods fix the shape, and with it the volume */
    if (!isfinite(k))
        return (block_moduli){5.0 / 6 * e, k};
    if (k <= 2.0 / 3 * e)
        return (block_moduli){e, 0};
    double g = 3 * k * e / (9 * k - e);
    return (block_moduli){2.5 * g, k - 5.0 / 3 * g};
}

/* ---- Rods ------------------------------------------------------------------------------------------------------- */

#define LINK_SETS 6

/* Edges along the axes, then diagonals of the faces across them. */
static const sn_grid_links links_of[LINK_SETS] = {{SN_ALONG_X, 1, false},
                                                  {SN_ALONG_Y, 1, false},
                                                  {SN_ALONG_Z, 1, false},
                                                  {SN_ALONG_Y | SN_ALONG_Z, 1, true},
                                                  {SN_ALONG_X | SN_ALONG_Z, 1, true},
                                                  {SN_ALONG_X | SN_ALONG_Y, 1, true}};

static double rod_count(const sn_grid *grid)
{
    double sum = 0;
    for (uint32_t i = 0; i < LINK_SETS; ++i)
        sum += sn_grid_link_count(grid, links_of[i]);
    return sum;
}

static bool add_rods(sn_build *build, const sn_grid *grid, double modulus)
{
    sn_grid_stuff stuff = {.stretch = modulus, .shear = sn_grid_shear(grid) * modulus, .even = true};
    sn_grid_stiffness k = sn_grid_stiffness_of(build, grid, stuff);
    uint64_t count = (uint64_t)rod_count(grid), n = 0;
    double compliance = 1 / k.edge[0];
    uint32_t *index = sn_build_take(build, 2 * count, sizeof *index);
    sn_real *factor = compliance > 0 ? sn_build_take(build, count, sizeof *factor) : NULL;
    if (!index || (compliance > 0 && !factor))
        return false;
    if (k.softened)
        sn_build_note(build,
                      "the cells are too long for their width to be alike in all directions; it gives more in shear");
    for (uint32_t i = 0; i < LINK_SETS; ++i) {
        double softness = k.edge[0] / (i < 3 ? k.edge[i] : k.face[i - 3]);
        sn_grid_link(grid, links_of[i], index + 2 * n, factor ? factor + n : NULL, softness);
        n += (uint64_t)sn_grid_link_count(grid, links_of[i]);
    }
    sn_constraint_def rod = sn_default_constraint_def(SN_KIND_DISTANCE);
    return sn_build_constraints(build, "edges", &rod, (uint32_t)count, index, NULL, compliance, factor);
}

/* ---- Tetrahedra ------------------------------------------------------------------------------------------------- */

/* The five tetrahedra of an even and of an odd cell, the one in the middle first, by the eight corners of the cell:
   bits 0, 1, 2 of a corner's number are its place along x, y, z. All have a positive volume: seen from the last
   corner, the first three run counter-clockwise. */
static const uint8_t tetrahedra[2][5][4] = {
    {{0, 3, 6, 5}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 0, 6}, {7, 6, 3, 5}},
    {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}},
};

static double cell_count(const sn_grid *grid)
{
    return (double)(grid->count[0] - 1) * (grid->count[1] - 1) * (grid->count[2] - 1);
}

static uint32_t *cell_tetrahedra(const sn_grid *grid, uint32_t i, uint32_t j, uint32_t k, uint32_t *out)
{
    uint32_t nx = grid->count[0], ny = grid->count[1], lower = i + nx * (j + ny * k);
    for (uint32_t t = 0; t < 5; ++t)
        for (uint32_t n = 0; n < 4; ++n) {
            uint32_t corner = tetrahedra[(i + j + k) % 2][t][n];
            *out++ = lower + (corner & 1u) + nx * ((corner >> 1 & 1u) + ny * (corner >> 2 & 1u));
        }
    return out;
}

/* compliance = V / K_v. The one in the middle has a third of the cell's volume, twice that of the others, a sixth. */
static bool add_volumes(sn_build *build, const sn_grid *grid, double modulus)
{
    uint64_t cells = (uint64_t)cell_count(grid);
    double compliance = sn_grid_measure(build, grid) / (double)cells / 6 / modulus;
    uint32_t *index = sn_build_take(build, 20 * cells, sizeof *index), *next = index;
    sn_real *factor = compliance > 0 ? sn_build_take(build, 5 * cells, sizeof *factor) : NULL;
    if (!index || (compliance > 0 && !factor))
        return false;
    for (uint32_t k = 0; k + 1 < grid->count[2]; ++k)
        for (uint32_t j = 0; j + 1 < grid->count[1]; ++j)
            for (uint32_t i = 0; i + 1 < grid->count[0]; ++i)
                next = cell_tetrahedra(grid, i, j, k, next);
    for (uint64_t t = 0; factor && t < 5 * cells; ++t)
        factor[t] = t % 5 == 0 ? 2 : 1;
    sn_constraint_def keep = sn_default_constraint_def(SN_KIND_VOLUME);
    return sn_build_constraints(build, "volume", &keep, (uint32_t)(5 * cells), index, NULL, compliance, factor);
}

/* ---- The object ------------------------------------------------------------------------------------------------- */

static bool build_block(sn_build *build, const void *own)
{
    const sn_block_def *def = own;
    sn_grid grid = {{def->columns, def->rows, def->layers},
                    {(double)def->width, (double)def->height, (double)def->depth}};
    if (sn_grid_is_sheet(&grid))
        return sn_build_fail(build, "layers", "found 1, expected at least 2 particles: a block is solid");
    if (!sn_grid_check(build, &grid))
        return false;
    block_moduli m = moduli(build->stuff);
    if (!(m.volume > 0))
        sn_build_note(build,
                      "the material gives so much in volume that rods alone resist more; it keeps no volumes, and its "
                      "bulk modulus is two thirds of 1 / stretch");
    double constraints = rod_count(&grid) + (m.volume > 0 ? 5 * cell_count(&grid) : 0);
    if (!(m.volume > 0))
        sn_grid_cells(build, &grid);
    return sn_build_begin(build, sn_grid_particle_count(&grid), constraints) && sn_grid_particles(build, &grid, NULL) &&
           sn_grid_surface(build, &grid) && sn_grid_side_parts(build, &grid) && sn_grid_corner_part(build, &grid) &&
           add_rods(build, &grid, m.network) && (!(m.volume > 0) || add_volumes(build, &grid, m.volume));
}

const sn_object_type sn_object_block = {
    .name = "block",
    .about = "A solid block of tetrahedra that keep their volume, unless their material says otherwise, with rods "
             "along their edges.",
    .parts =
        "parts: left, right (x least, most), bottom, top (y), back, front (z), corners; constraints: edges, volume",
    .dimension = 3,
    .spatial = true,
    .record = &block_record,
    .build = build_block,
};
