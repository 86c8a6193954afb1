/* The cells of solids. A cell is known by a number: a tetrahedron by the row of its constraint, a cell of a lattice by
   its row in cell_table and a bit. */
#ifndef SN_WORLD_TEAR_CELLS_H
#define SN_WORLD_TEAR_CELLS_H

#include "base/dvec.h"

#include <stdbool.h>
#include <stdint.h>

struct sn_world;

#define SN_CELL_LATTICE 0x80000000u

/* True if a row of the constraints of the kind volume is a tetrahedron of particles. */
bool sn_cell_is_tetrahedron(const struct sn_world *world, uint32_t row);

/* The numbers of the corners of a cell, and how many these are. */
const uint32_t *sn_cell_corners(const struct sn_world *world, uint32_t cell);
uint32_t sn_cell_corner_count(uint32_t cell);
bool sn_cell_has(const struct sn_world *world, uint32_t cell, uint32_t particle);

/* m: the position of a particle, and the mean of several. */
sn_dvec3 sn_cell_place(const struct sn_world *world, uint32_t particle);
sn_dvec3 sn_cell_middle(const struct sn_world *world, const uint32_t *number, uint32_t count);

/* m^3, at present. Of a cell of a lattice: that of a box with its mean edges. */
double sn_cell_volume(const struct sn_world *world, uint32_t cell);

/* The cells at a particle, at most SN_TEAR_FAN; UINT32_MAX if there are more. */
uint32_t sn_cells_at(struct sn_world *world, uint32_t particle, uint32_t *cell);

/* Gives a cell of a lattice another corner. */
void sn_cell_replace(struct sn_world *world, uint32_t cell, uint32_t from, uint32_t to);

/* The faces of a cell: how many there are, which corners of the cell a face has, and the numbers of these. The latter
   returns how many they are. */
uint32_t sn_cell_face_count(uint32_t cell);
const uint8_t *sn_cell_face(uint32_t cell, uint32_t face);
uint32_t sn_cell_take_face(const struct sn_world *world, uint32_t cell, uint32_t face, uint32_t corner[4]);

/* The cell on the other side of a face; UINT32_MAX if there is none. */
uint32_t sn_cell_behind(struct sn_world *world, uint32_t cell, const uint32_t *corner, uint32_t count);

/* The face of cell a that cell b has, too, and that is at the vertex: which of a's faces it is, and its corners.
   UINT32_MAX: there is none. */
uint32_t sn_cell_shared_face(const struct sn_world *world, uint32_t a, uint32_t b, uint32_t vertex, uint32_t corner[4]);

#endif
