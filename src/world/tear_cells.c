/* The cells of solids: tetrahedra and the cells of lattices, which ones are at a particle, and which share a face. */
#include "world/tear_cells.h"

#include "world/world.h"

/* The corners of the faces of a tetrahedron; face i is opposite to corner i. */
static const uint8_t face_corner[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};

/* The same for a cell of a lattice: bits 0, 1, 2 of a corner are its place along x, y, z. Counter-clockwise as seen
   from outside. */
static const uint8_t square_corner[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                            {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

static sn_cell *lattice_cells(const sn_world *world)
{
    return world->contact.cell_table.column[0];
}

const uint32_t *sn_cell_corners(const sn_world *world, uint32_t cell)
{
    return cell & SN_CELL_LATTICE ? lattice_cells(world)[cell & ~SN_CELL_LATTICE].corner
                                  : world->constraints.pool[SN_KIND_VOLUME]->point + 4 * (size_t)cell;
}

uint32_t sn_cell_corner_count(uint32_t cell)
{
    return cell & SN_CELL_LATTICE ? 8 : 4;
}

uint32_t sn_cell_face_count(uint32_t cell)
{
    return cell & SN_CELL_LATTICE ? 6 : 4;
}

const uint8_t *sn_cell_face(uint32_t cell, uint32_t f)
{
    return cell & SN_CELL_LATTICE ? square_corner[f] : face_corner[f];
}

bool sn_cell_is_tetrahedron(const sn_world *world, uint32_t row)
{
    const uint32_t *p = sn_cell_corners(world, row);
    return sn_ids_is_live(&world->constraints.pool[SN_KIND_VOLUME]->ids, row) &&
           !((p[0] | p[1] | p[2] | p[3]) & SN_ANCHOR_BIT);
}

sn_dvec3 sn_cell_place(const sn_world *world, uint32_t particle)
{
    return dvec3_from(vec4_xyz(world->particles.x[world->ids.value[particle]]));
}

sn_dvec3 sn_cell_middle(const sn_world *world, const uint32_t *number, uint32_t count)
{
    sn_dvec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i)
        sum = dvec3_add(sum, sn_cell_place(world, number[i]));
    return dvec3_scale(sum, 1.0 / count);
}

bool sn_cell_has(const sn_world *world, uint32_t cell, uint32_t particle)
{
    const uint32_t *corner = sn_cell_corners(world, cell);
    for (uint32_t i = 0; i < sn_cell_corner_count(cell); ++i)
        if (corner[i] == particle)
            return true;
    return false;
}

/* Adds the cells of lattices at a particle to a list of cells, in the order of their rows. */
static uint32_t add_lattice_cells(const sn_world *world, uint32_t particle, uint32_t *cell, uint32_t count)
{
    const sn_tearing *t = &world->tearing;
    const uint32_t *next = t->cell_next_table.column[0], first = count;
    if (particle >= t->head_table.count)
        return count;
    uint32_t at = ((const sn_tear_head *)t->head_table.column[0])[particle].cell;
    for (; at != SN_TEAR_NONE; at = next[at]) {
        if (count == SN_TEAR_FAN)
            return UINT32_MAX;
        uint32_t to = count++;
        for (; to > first && cell[to - 1] > (SN_CELL_LATTICE | at / 8); --to)
            cell[to] = cell[to - 1];
        cell[to] = SN_CELL_LATTICE | at / 8;
    }
    return count;
}

uint32_t sn_cells_at(sn_world *world, uint32_t particle, uint32_t *cell)
{
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    const uint32_t found = sn_tear_constraints_at(world, particle, node, SN_TEAR_CONSTRAINTS);
    uint32_t count = 0;
    for (uint32_t i = 0; found != UINT32_MAX && i < found; ++i) {
        if (node[i].kind != SN_KIND_VOLUME || !sn_cell_is_tetrahedron(world, node[i].row))
            continue;
        if (count == SN_TEAR_FAN)
            return UINT32_MAX;
        cell[count++] = node[i].row;
    }
    return found == UINT32_MAX ? UINT32_MAX : add_lattice_cells(world, particle, cell, count);
}

bool sn_solid_has(const sn_world *world, uint32_t particle)
{
    return particle < world->tearing.head_table.count &&
           ((const sn_tear_head *)world->tearing.head_table.column[0])[particle].solid;
}

/* ---- The index of cells ------------------------------------------------------------------------------------------ */

static void link_cell(sn_tearing *t, uint32_t particle, uint32_t place)
{
    sn_tear_head *head = (sn_tear_head *)t->head_table.column[0] + particle;
    ((uint32_t *)t->cell_next_table.column[0])[place] = head->cell;
    head->cell = place;
}

static void unlink_cell(sn_tearing *t, uint32_t particle, uint32_t place)
{
    uint32_t *next = t->cell_next_table.column[0];
    uint32_t *at = &((sn_tear_head *)t->head_table.column[0])[particle].cell;
    while (*at != place)
        at = &next[*at];
    *at = next[place];
}

bool sn_solid_index(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    const uint32_t cells = world->contact.cell_table.count;
    if (!sn_table_reserve(&t->cell_next_table, &world->allocator, 8 * (uint64_t)cells))
        return false;
    for (uint32_t i = 0; i < 8 * cells; ++i) {
        const sn_cell *cell = &lattice_cells(world)[i / 8];
        link_cell(t, cell->corner[i % 8], i);
        ((sn_tear_head *)t->head_table.column[0])[cell->corner[i % 8]].solid =
            2 + world->contact.skin_ids.value[cell->skin];
    }
    return true;
}

void sn_cell_replace(sn_world *world, uint32_t cell, uint32_t from, uint32_t to)
{
    const uint32_t row = cell & ~SN_CELL_LATTICE;
    uint32_t *corner = lattice_cells(world)[row].corner;
    for (uint32_t k = 0; k < 8; ++k)
        if (corner[k] == from) {
            unlink_cell(&world->tearing, from, 8 * row + k);
            corner[k] = to;
            link_cell(&world->tearing, to, 8 * row + k);
        }
}

/* ---- Faces ------------------------------------------------------------------------------------------------------- */

uint32_t sn_cell_take_face(const sn_world *world, uint32_t cell, uint32_t f, uint32_t corner[4])
{
    const uint32_t *own = sn_cell_corners(world, cell), count = cell & SN_CELL_LATTICE ? 4 : 3;
    for (uint32_t i = 0; i < count; ++i)
        corner[i] = own[sn_cell_face(cell, f)[i]];
    return count;
}

/* True if another cell of the same sort has all corners of a face. */
static bool has_all(const sn_world *world, uint32_t cell, uint32_t other, const uint32_t *corner, uint32_t count)
{
    if (cell == other || ((cell ^ other) & SN_CELL_LATTICE))
        return false;
    for (uint32_t i = 0; i < count; ++i)
        if (!sn_cell_has(world, other, corner[i]))
            return false;
    return true;
}

uint32_t sn_cell_behind(sn_world *world, uint32_t cell, const uint32_t *corner, uint32_t count)
{
    uint32_t around[SN_TEAR_FAN];
    const uint32_t cells = sn_cells_at(world, corner[0], around);
    for (uint32_t i = 0; cells != UINT32_MAX && i < cells; ++i)
        if (has_all(world, cell, around[i], corner, count))
            return around[i];
    return UINT32_MAX;
}

uint32_t sn_cell_shared_face(const sn_world *world, uint32_t a, uint32_t b, uint32_t vertex, uint32_t corner[4])
{
    for (uint32_t f = 0; f < sn_cell_face_count(a); ++f) {
        const uint32_t count = sn_cell_take_face(world, a, f, corner);
        bool at = false;
        for (uint32_t i = 0; i < count; ++i)
            at = at || corner[i] == vertex;
        if (at && has_all(world, a, b, corner, count))
            return f;
    }
    return UINT32_MAX;
}

double sn_cell_volume(const sn_world *world, uint32_t cell)
{
    const uint32_t *p = sn_cell_corners(world, cell);
    sn_dvec3 edge[3];
    for (uint32_t k = 0; k < 3; ++k) {
        edge[k] = dvec3(0, 0, 0);
        if (!(cell & SN_CELL_LATTICE))
            edge[k] = dvec3_sub(sn_cell_place(world, p[k + 1]), sn_cell_place(world, p[0]));
        for (uint32_t i = 0; cell & SN_CELL_LATTICE && i < 8; ++i)
            edge[k] = dvec3_add(edge[k], dvec3_scale(sn_cell_place(world, p[i]), i >> k & 1 ? 0.25 : -0.25));
    }
    return fabs(dvec3_dot(edge[0], dvec3_cross(edge[1], edge[2]))) / (cell & SN_CELL_LATTICE ? 1 : 6);
}
