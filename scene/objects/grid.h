/* Particles in rows, columns and layers: what cloth, lattice and block have in common. Particle (i, j, k) of a grid is
   number i + count[0] (j + count[1] k); x runs with i, y with j, z with k, and the middle is the origin of the frame.
   */
#ifndef SN_SCENE_OBJECTS_GRID_H
#define SN_SCENE_OBJECTS_GRID_H

#include "scene/object.h"

typedef struct sn_grid {
    uint32_t count[3]; /* particles along x, y and z, 2 or more; 1 along z makes a sheet */
    double size[3];    /* m, in the frame; size[2] of a sheet is its thickness, or 1 */
} sn_grid;

/* Axes, as bits: which of them an edge, the diagonal of a face or the diagonal of a cell runs along. */
enum { SN_ALONG_X = 1, SN_ALONG_Y = 2, SN_ALONG_Z = 4 };

/* Writes an error down, at the key "columns", "rows", "layers", "width", "height" or "depth", if the grid makes no
   sense, or if its stuff does not. The ranges of records have seen to that in a scene file, but not in a program. */
bool sn_grid_check(sn_build *build, const sn_grid *grid);

bool sn_grid_is_sheet(const sn_grid *grid);
double sn_grid_particle_count(const sn_grid *grid);
/* The area of a sheet or the volume of a box, m^2 or m^3, of a sheet times size[2]; scaled. */
double sn_grid_measure(const sn_build *build, const sn_grid *grid);

/* The particles. Each cell gives equal shares of its mass to its corners, so that those at the border are lighter.
   *place (may be NULL) gets their places in the frame, in the scratch. */
bool sn_grid_particles(sn_build *build, const sn_grid *grid, sn_vec3 **place);

/* ---- Links ------------------------------------------------------------------------------------------------------ */

/* Links between particles that are `reach` steps apart along each axis in `along`: one for each edge, two for each
   face, four for each cell. With `even`, only those whose particles have an even i + j + k: one diagonal of each face,
   such that the diagonals of neighbouring faces meet. */
typedef struct sn_grid_links {
    unsigned along;
    uint32_t reach; /* 1 or 2 */
    bool even;
} sn_grid_links;

double sn_grid_link_count(const sn_grid *grid, sn_grid_links links);

/* Writes two particles for each link, and to factor (may be NULL) softness divided by the number of cells that a link
   lies between: at the border it has the stiffness of fewer. */
void sn_grid_link(const sn_grid *grid, sn_grid_links links, uint32_t *index, sn_real *factor, double softness);

/* How stiff a grid of links is to be, in N/m for a sheet (E t) and N/m^2 for a box. Infinite is rigid. */
typedef struct sn_grid_stuff {
    double stretch; /* E: force per width, or area, and strain, where its sides are free */
    double shear;   /* G */
    bool even;      /* each face has one diagonal */
    bool body;      /* cells have diagonals too */
} sn_grid_stuff;

/* What one cell contributes to the stiffness of a link, N/m; infinite is rigid. */
typedef struct sn_grid_stiffness {
    double edge[3]; /* along x, y, z */
    double face[3]; /* the diagonals of a face across x, y, z */
    double body;
    bool softened; /* the cells are too long for as much shear stiffness as was asked for; there is less */
} sn_grid_stiffness;

sn_grid_stiffness sn_grid_stiffness_of(const sn_build *build, const sn_grid *grid, sn_grid_stuff stuff);

/* The share of the shear stiffness in a stuff that is alike in all directions, if its links are: G = this / shear. */
double sn_grid_shear(const sn_grid *grid);

/* ---- Parts and surface ------------------------------------------------------------------------------------------ */

/* Names the particles at one end of an axis (0 x, 1 y, 2 z). */
bool sn_grid_side_part(sn_build *build, const sn_grid *grid, const char *name, uint32_t axis, bool upper);
/* left, right, bottom, top, and, unless it is a sheet, back and front: x, y and z least and most. */
bool sn_grid_side_parts(sn_build *build, const sn_grid *grid);
/* corners: the four or eight of them, along z, y, x. */
bool sn_grid_corner_part(sn_build *build, const sn_grid *grid);

/* The triangles of the surface, facing outwards; a sheet is seen from +z. Their diagonals run between particles of even
   i + j + k, so that they turn from cell to cell and the surface looks the same in a mirror. */
bool sn_grid_surface(sn_build *build, const sn_grid *grid);

#endif
