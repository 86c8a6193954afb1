/* The stiffness of a grid of links.

   Links that carry only forces along themselves make a stuff whose elastic energy per volume is

       1/2 sum over links of (k L^2 / V) (n . strain . n)^2,

   V the volume (for a sheet: area) of a cell, n the direction of a link. Let a_i stand for k L^2 / V summed over the
   edges of a cell along axis i and d_ij for the same over the diagonals of its faces. Then

       C_ii = a_i + sum over j of d_ij n_i^4,     C_ij = d_ij n_i^2 n_j^2,     G_ij = C_ij

   (the last is Cauchy's relation, which all such networks obey). We want one G for all planes, hence d_ij = G / (n_i
   n_j)^2 and d_ij n_i^4 = G (l_i / l_j)^2, and one modulus E for pulling along any axis with free sides. With C_ii =
   C for all axes and N axes, E = C - (N - 1) G^2 / (C + (N - 2) G), that is

       C^2 + ((N - 2) G - E) C - (N - 1) G^2 - (N - 2) E G = 0,     a_i = C - G sum over j of (l_i / l_j)^2.

   A square sheet with G = 3/8 E and a cubic box with G = 2/5 E are isotropic, with Poisson's ratio 1/3 and 1/4: this
   is the case of equal stretch and shear. Where cells are long, the diagonals alone resist stretching along the cell
   by more than E, and a_i would be negative. Then G is lowered until the smallest a_i is EDGE_SHARE of E. Inserting
   C = a + q G, q the largest of the sums of (l_i / l_j)^2, this G solves

       (q^2 + (N - 2) q - (N - 1)) G^2 + (2 a q + (N - 2) (a - E) - E q) G + a^2 - a E = 0.

   Diagonals of cells, with b = k L^2 / V summed over the four, add b n_i^2 n_j^2 to C_ij and b n_i^4 to C_ii. What
   they add to C_ij is taken from the diagonals of the faces, half of it where they add most; a_i then grows by b
   n_i^4. */
#include "scene/objects/grid.h"

/* The least share of E that edges carry. */
#define EDGE_SHARE 0.25
/* Shear stiffness above this many E is practically rigid and would cost digits. */
#define MOST_SHEAR 1e4

static const char *const count_key[3] = {"columns", "rows", "layers"};
static const char *const size_key[3] = {"width", "height", "depth"};

bool sn_grid_is_sheet(const sn_grid *grid)
{
    return grid->count[2] == 1;
}

/* Refuses impossible values, which would otherwise become infinities unnoticed. */
static bool check_stuff(sn_build *build)
{
    const sn_stuff *stuff = build->stuff;
    if (!(stuff->stretch >= 0 && isfinite(stuff->stretch)))
        return sn_build_fail(build, NULL, "its material has the stretch %g, expected 0 or more",
                             (double)stuff->stretch);
    if (!(stuff->shear >= 0 && isfinite(stuff->shear)))
        return sn_build_fail(build, NULL, "its material has the shear %g, expected 0 or more", (double)stuff->shear);
    if (stuff->volume < 0)
        return sn_build_fail(build, NULL, "its material has the volume %g, expected 0 or more", (double)stuff->volume);
    return true;
}

bool sn_grid_check(sn_build *build, const sn_grid *grid)
{
    for (uint32_t axis = 0; axis < 3; ++axis) {
        if (grid->count[axis] < 2 && !(axis == 2 && sn_grid_is_sheet(grid)))
            return sn_build_fail(build, count_key[axis], "found %u, expected at least 2 particles",
                                 (unsigned)grid->count[axis]);
        if (!(grid->size[axis] > 0 && isfinite(grid->size[axis])))
            return sn_build_fail(build, size_key[axis], "found %g m, expected more than 0", grid->size[axis]);
    }
    return check_stuff(build);
}

double sn_grid_particle_count(const sn_grid *grid)
{
    return (double)grid->count[0] * grid->count[1] * grid->count[2];
}

double sn_grid_measure(const sn_build *build, const sn_grid *grid)
{
    double scale = sn_build_scale(build);
    return grid->size[0] * grid->size[1] * grid->size[2] * scale * scale * scale;
}

/* ---- Particles -------------------------------------------------------------------------------------------------- */

static double along(const sn_grid *grid, uint32_t axis, uint32_t i)
{
    uint32_t steps = grid->count[axis] - 1;
    return steps ? grid->size[axis] * ((double)i / steps - 0.5) : 0;
}

/* The share of the whole mass that a place along one axis has. */
static double share(const sn_grid *grid, uint32_t axis, uint32_t i)
{
    uint32_t steps = grid->count[axis] - 1;
    if (!steps)
        return 1;
    return (i == 0 || i == steps ? 0.5 : 1.0) / steps;
}

bool sn_grid_particles(sn_build *build, const sn_grid *grid, sn_vec3 **place)
{
    uint32_t count = (uint32_t)sn_grid_particle_count(grid);
    sn_vec3 *at = sn_build_take(build, count, sizeof *at);
    sn_real *mass = sn_build_take(build, count, sizeof *mass);
    if (!at || !mass)
        return false;
    double total = (double)sn_build_mass(build, sn_grid_measure(build, grid));
    uint32_t n = 0;
    for (uint32_t k = 0; k < grid->count[2]; ++k)
        for (uint32_t j = 0; j < grid->count[1]; ++j) {
            double y = along(grid, 1, j), z = along(grid, 2, k), line = total * share(grid, 1, j) * share(grid, 2, k);
            for (uint32_t i = 0; i < grid->count[0]; ++i, ++n) {
                at[n] = (sn_vec3){(sn_real)along(grid, 0, i), (sn_real)y, (sn_real)z};
                mass[n] = (sn_real)(line * share(grid, 0, i));
            }
        }
    if (place)
        *place = at;
    return sn_build_particles(build, count, at, mass, (sn_real)total);
}

/* ---- Links ------------------------------------------------------------------------------------------------------ */

static uint32_t bits(unsigned along_axes)
{
    return (along_axes & 1u) + (along_axes >> 1 & 1u) + (along_axes >> 2 & 1u);
}

/* The number of lower corners along an axis. */
static uint32_t places(const sn_grid *grid, sn_grid_links links, uint32_t axis)
{
    uint32_t count = grid->count[axis];
    if (!(links.along >> axis & 1u))
        return count;
    return count > links.reach ? count - links.reach : 0;
}

double sn_grid_link_count(const sn_grid *grid, sn_grid_links links)
{
    double spans = (double)places(grid, links, 0) * places(grid, links, 1) * places(grid, links, 2);
    double each = (double)(1u << (bits(links.along) - 1));
    return spans * (links.even ? each / 2 : each);
}

/* From the lower corner of a face or cell to the ends of a link. The bits of a diagonal's number are the ends of the
   axes at which it starts. */
typedef struct diagonal {
    uint32_t from, to; /* added to the number of the lower corner */
    uint32_t odd;      /* whether its start is an odd number of steps away */
} diagonal;

static uint32_t diagonals(const sn_grid *grid, sn_grid_links links, diagonal out[4])
{
    const uint32_t step[3] = {links.reach, links.reach * grid->count[0], links.reach * grid->count[0] * grid->count[1]};
    unsigned lowest = links.along & (~links.along + 1);
    uint32_t count = 0;
    for (unsigned start = 0; start <= links.along; ++start) {
        /* each diagonal once: all of them start at the lower end of one axis */
        if ((start & ~links.along) || (start & lowest))
            continue;
        diagonal d = {0, 0, bits(start) * links.reach % 2};
        for (uint32_t axis = 0; axis < 3; ++axis) {
            if (start >> axis & 1u)
                d.from += step[axis];
            else if (links.along >> axis & 1u)
                d.to += step[axis];
        }
        out[count++] = d;
    }
    return count;
}

/* The number of cells beside a place, along an axis that the link does not follow. */
static uint32_t beside(const sn_grid *grid, sn_grid_links links, uint32_t axis, uint32_t i)
{
    if (grid->count[axis] == 1 || links.along >> axis & 1u)
        return 1;
    return i == 0 || i == grid->count[axis] - 1 ? 1 : 2;
}

void sn_grid_link(const sn_grid *grid, sn_grid_links links, uint32_t *index, sn_real *factor, double softness)
{
    diagonal diagonal_of[4];
    uint32_t count = diagonals(grid, links, diagonal_of);
    uint32_t nx = places(grid, links, 0), ny = places(grid, links, 1), nz = places(grid, links, 2);
    uint64_t n = 0;
    for (uint32_t k = 0; k < nz; ++k)
        for (uint32_t j = 0; j < ny; ++j) {
            uint32_t lower = grid->count[0] * (j + grid->count[1] * k);
            uint32_t cells = beside(grid, links, 1, j) * beside(grid, links, 2, k);
            for (uint32_t i = 0; i < nx; ++i, ++lower)
                for (uint32_t d = 0; d < count; ++d) {
                    if (links.even && (i + j + k + diagonal_of[d].odd) % 2)
                        continue;
                    index[2 * n] = lower + diagonal_of[d].from;
                    index[2 * n + 1] = lower + diagonal_of[d].to;
                    if (factor)
                        factor[n] = (sn_real)(softness / (cells * beside(grid, links, 0, i)));
                    ++n;
                }
        }
}

/* ---- Stiffness -------------------------------------------------------------------------------------------------- */

double sn_grid_shear(const sn_grid *grid)
{
    return sn_grid_is_sheet(grid) ? 3.0 / 8 : 2.0 / 5;
}

/* The positive root of a x^2 + b x + c = 0 with a >= 0 and c <= 0; infinite if there is none. */
static double positive_root(double a, double b, double c)
{
    if (!(a > 0))
        return b > 0 ? -c / b : (double)INFINITY;
    double root = sqrt(b * b - 4 * a * c);
    return b > 0 ? -2 * c / (b + root) : (root - b) / (2 * a);
}

/* C for given E and G, in a grid of that many axes. */
static double axial(double axes, double stretch, double shear)
{
    double b = (axes - 2) * shear - stretch, c = -(axes - 1) * shear * shear - (axes - 2) * stretch * shear;
    return positive_root(1, b, c);
}

/* The largest G that leaves EDGE_SHARE of E to the edges. */
static double most_shear(double axes, double stretch, double longest)
{
    double q = longest, e = stretch, a = EDGE_SHARE * e;
    return positive_root(q * q + (axes - 2) * q - (axes - 1), 2 * a * q + (axes - 2) * (a - e) - e * q, a * a - a * e);
}

/* A cell: its sides in m, scaled, and the sums of (l_i / l_j)^2. */
typedef struct cell {
    uint32_t axes;
    double side[3], sum[3], longest; /* the largest of the sums */
    double volume, diagonal2;        /* its volume (of a sheet times its thickness), and the square of its diagonal */
} cell;

static cell cell_of(const sn_build *build, const sn_grid *grid)
{
    cell c = {.axes = sn_grid_is_sheet(grid) ? 2 : 3, .volume = 1};
    double scale = sn_build_scale(build);
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t steps = grid->count[i] > 1 ? grid->count[i] - 1 : 1;
        c.side[i] = grid->size[i] * scale / steps;
        c.volume *= c.side[i];
    }
    for (uint32_t i = 0; i < c.axes; ++i) {
        for (uint32_t j = 0; j < c.axes; ++j)
            if (j != i)
                c.sum[i] += c.side[i] / c.side[j] * (c.side[i] / c.side[j]);
        c.longest = c.sum[i] > c.longest ? c.sum[i] : c.longest;
        c.diagonal2 += c.side[i] * c.side[i];
    }
    return c;
}

/* n_i^2 n_j^2 of a cell's diagonals, for the plane across an axis. */
static double slant(const cell *c, uint32_t across)
{
    double i = c->side[(across + 1) % 3], j = c->side[(across + 2) % 3];
    return i * i / c->diagonal2 * (j * j / c->diagonal2);
}

/* The stiffness b of the diagonals of cells (above): half of G where they add most. */
static double body_stiffness(const cell *c, double shear)
{
    double most = 0;
    for (uint32_t across = 0; across < 3; ++across)
        most = fmax(most, slant(c, across));
    return shear / 2 / most;
}

sn_grid_stiffness sn_grid_stiffness_of(const sn_build *build, const sn_grid *grid, sn_grid_stuff stuff)
{
    cell c = cell_of(build, grid);
    sn_grid_stiffness out = {.softened = false};
    double e = stuff.stretch, g = stuff.shear, rigid = (double)INFINITY;
    if (isfinite(e)) {
        double most = fmin(most_shear(c.axes, e, c.longest), MOST_SHEAR * e);
        out.softened = g > most && most < MOST_SHEAR * e;
        g = fmin(g, most);
    }
    double axis = isfinite(e) ? axial(c.axes, e, g) : rigid;
    double b = stuff.body && c.axes == 3 ? body_stiffness(&c, g) : 0;
    double edges = c.axes == 3 ? 4 : 2,
           faces = c.axes == 3 && !stuff.even ? 4 : 2; /* diagonals of one face direction in a cell */
    for (uint32_t i = 0; i < 3; ++i) {
        double l2 = c.side[i] * c.side[i], j2 = c.side[(i + 1) % 3], k2 = c.side[(i + 2) % 3];
        j2 *= j2;
        k2 *= k2;
        double a = isfinite(axis) ? axis - g * c.sum[i] + b * (l2 / c.diagonal2) * (l2 / c.diagonal2) : rigid;
        out.edge[i] = a * c.volume / (edges * l2);
        double left = isfinite(g) ? g - (b > 0 ? b * slant(&c, i) : 0) : rigid;
        out.face[i] = left * c.volume * (j2 + k2) / (faces * j2 * k2);
    }
    out.body = isfinite(g) ? b * c.volume / (4 * c.diagonal2) : rigid;
    return out;
}

/* ---- Parts ------------------------------------------------------------------------------------------------------ */

bool sn_grid_side_part(sn_build *build, const sn_grid *grid, const char *name, uint32_t axis, bool upper)
{
    uint32_t nx = grid->count[0], ny = grid->count[1], nz = grid->count[2], n = 0;
    uint64_t count = (uint64_t)nx * ny * nz / grid->count[axis];
    uint32_t *index = sn_build_take(build, count, sizeof *index);
    if (!index)
        return false;
    const uint32_t first[3] = {axis == 0 && upper ? nx - 1 : 0, axis == 1 && upper ? ny - 1 : 0,
                               axis == 2 && upper ? nz - 1 : 0};
    const uint32_t end[3] = {axis == 0 ? first[0] + 1 : nx, axis == 1 ? first[1] + 1 : ny,
                             axis == 2 ? first[2] + 1 : nz};
    for (uint32_t k = first[2]; k < end[2]; ++k)
        for (uint32_t j = first[1]; j < end[1]; ++j)
            for (uint32_t i = first[0]; i < end[0]; ++i)
                index[n++] = i + nx * (j + ny * k);
    return sn_build_part(build, name, n, index);
}

bool sn_grid_side_parts(sn_build *build, const sn_grid *grid)
{
    static const char *const name[3][2] = {{"left", "right"}, {"bottom", "top"}, {"back", "front"}};
    for (uint32_t axis = 0; axis < (sn_grid_is_sheet(grid) ? 2u : 3u); ++axis)
        if (!sn_grid_side_part(build, grid, name[axis][0], axis, false) ||
            !sn_grid_side_part(build, grid, name[axis][1], axis, true))
            return false;
    return true;
}

bool sn_grid_corner_part(sn_build *build, const sn_grid *grid)
{
    uint32_t nx = grid->count[0], ny = grid->count[1], nz = grid->count[2], count = sn_grid_is_sheet(grid) ? 4 : 8;
    uint32_t index[8];
    for (uint32_t n = 0; n < count; ++n)
        index[n] = (n & 1u ? nx - 1 : 0) + nx * ((n & 2u ? ny - 1 : 0) + ny * (n & 4u ? nz - 1 : 0));
    return sn_build_part(build, "corners", count, index);
}

/* ---- Surface ---------------------------------------------------------------------------------------------------- */

/* The triangles of one side, across an axis. u and v are the other two axes, such that u x v points outwards. */
static uint32_t *side_triangles(const sn_grid *grid, uint32_t axis, bool upper, uint32_t *out)
{
    const uint32_t step[3] = {1, grid->count[0], grid->count[0] * grid->count[1]};
    uint32_t u = (axis + (upper ? 1 : 2)) % 3, v = (axis + (upper ? 2 : 1)) % 3;
    uint32_t end = upper ? grid->count[axis] - 1 : 0;
    for (uint32_t j = 0; j + 1 < grid->count[v]; ++j)
        for (uint32_t i = 0; i + 1 < grid->count[u]; ++i) {
            uint32_t a = end * step[axis] + i * step[u] + j * step[v];
            uint32_t corner[4] = {a, a + step[u], a + step[u] + step[v], a + step[v]};
            uint32_t odd = (i + j + end) % 2; /* where the diagonal starts */
            for (uint32_t n = 0; n < 2; ++n) {
                uint32_t from = odd + 2 * n;
                *out++ = corner[from];
                *out++ = corner[(from + 1) % 4];
                *out++ = corner[(from + 2) % 4];
            }
        }
    return out;
}

static uint64_t side_cells(const sn_grid *grid, uint32_t axis)
{
    return (uint64_t)(grid->count[(axis + 1) % 3] - 1) * (grid->count[(axis + 2) % 3] - 1);
}

bool sn_grid_surface(sn_build *build, const sn_grid *grid)
{
    bool sheet = sn_grid_is_sheet(grid);
    uint64_t cells = side_cells(grid, 2);
    if (!sheet)
        cells = 2 * (cells + side_cells(grid, 0) + side_cells(grid, 1));
    uint32_t *triangle = sn_build_take(build, 6 * cells, sizeof *triangle);
    if (!triangle)
        return false;
    uint32_t *end = triangle;
    if (sheet) {
        side_triangles(grid, 2, true, end);
    } else {
        for (uint32_t axis = 0; axis < 3; ++axis) {
            end = side_triangles(grid, axis, false, end);
            end = side_triangles(grid, axis, true, end);
        }
    }
    return sn_build_triangles(build, (uint32_t)(2 * cells), triangle);
}

void sn_grid_cells(sn_build *build, const sn_grid *grid)
{
    for (uint32_t axis = 0; axis < 3 && !sn_grid_is_sheet(grid); ++axis)
        build->object->cells[axis] = grid->count[axis] - 1;
}
