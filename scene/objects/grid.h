/* Particles in rows, columns and layers, for cloth, lattice and block. Particle (i, j, k) of a grid is number i +
   count[0] (j + count[1] k). i is along x, j along y, k along z, and the middle is the origin of the frame. */
#ifndef SN_SCENE_OBJECTS_GRID_H
#define SN_SCENE_OBJECTS_GRID_H

#include "scene/object.h"

typedef struct sn_grid {
    uint32_t count[3]; /* particles along x, y and z, 2 or more; 1 along z makes a sheet */
    double size[3];    /* m, in the frame; size[2] of a sheet is its thickness, or 1 */
} sn_grid;

/* Axes, as bits: those along which an edge, the diagonal of a face or the diagonal of a cell runs. */
enum { SN_ALONG_X = 1, SN_ALONG_Y = 2, SN_ALONG_Z = 4 };

/* Reports an error, at the key "columns", "rows", "layers", "width", "height" or "depth", if the grid or its stuff
   makes no sense. In a scene file the ranges of records check this already, but not in a program. */
bool sn_grid_check(sn_build *build, const sn_grid *grid);

bool sn_grid_is_sheet(const sn_grid *grid);
double sn_grid_particle_count(const sn_grid *grid);
/* The area of a sheet, times size[2], or the volume of a box: m^2 or m^3, scaled. */
double sn_grid_measure(const sn_build *build, const sn_grid *grid);

/* Adds the particles. Each cell gives equal shares of its mass to its corners, so that particles at the border are
   lighter. *place (may be NULL) gets their positions in the frame, in the scratch. */
bool sn_grid_particles(sn_build *build, const sn_grid *grid, sn_vec3 **place);

/* ---- Links ------------------------------------------------------------------------------------------------------ */

/* Links between particles that are `reach` steps apart along each axis in `along`: one for each edge, two for each
   face, four for each cell. With `even`, only those whose particles have an even i + j + k: one diagonal of each
   face, such that the diagonals of neighbouring faces have common ends. */
typedef struct sn_grid_links {
    unsigned along;
    uint32_t reach; /* 1 or 2 */
    bool even;
} sn_grid_links;

double sn_grid_link_count(const sn_grid *grid, sn_grid_links links);

/* Writes two particles for each link, and to factor (may be NULL) softness divided by the number of cells that have
   the link: a link at the border has fewer of these, and so is softer. */
void sn_grid_link(const sn_grid *grid, sn_grid_links links, uint32_t *index, sn_real *factor, double softness);

/* The stiffness of a grid of links, in N/m for a sheet (E t) and N/m^2 for a box. Infinite is rigid. */
typedef struct sn_grid_stuff {
    double stretch; /* E: force per width, or area, and strain, with free sides */
    double shear;   /* G */
    bool even;      /* each face has one diagonal */
    bool body;      /* cells have diagonals too */
} sn_grid_stuff;

/* The part of a link's stiffness that one cell contributes, N/m; infinite is rigid. */
typedef struct sn_grid_stiffness {
    double edge[3]; /* along x, y, z */
    double face[3]; /* the diagonals of a face across x, y, z */
    double body;
    bool softened; /* the cells are too long for the shear stiffness that was given; it is lowered */
} sn_grid_stiffness;

sn_grid_stiffness sn_grid_stiffness_of(const sn_build *build, const sn_grid *grid, sn_grid_stuff stuff);

/* The shear modulus of an isotropic grid of links, as a share of Young's modulus. With the compliance `shear` of the
   stuff, G = this / shear: equal stretch and shear then make it isotropic. */
double sn_grid_shear(const sn_grid *grid);

/* ---- Parts and surface ------------------------------------------------------------------------------------------ */

/* Names the particles at one end of an axis (0 x, 1 y, 2 z). */
bool sn_grid_side_part(sn_build *build, const sn_grid *grid, const char *name, uint32_t axis, bool upper);
/* left, right, bottom, top, and, unless it is a sheet, back and front: x, y and z least and most. */
bool sn_grid_side_parts(sn_build *build, const sn_grid *grid);
/* corners: the four or eight of them, along z, y, x. */
bool sn_grid_corner_part(sn_build *build, const sn_grid *grid);

/* The triangles of the surface, facing outwards; a sheet is seen from +z. Their diagonals run between particles of
   even i + j + k, so that their direction alternates from cell to cell and the surface is symmetric. */
bool sn_grid_surface(sn_build *build, const sn_grid *grid);

/* Makes it a solid of cells, along whose faces it tears; not for a sheet, nor for tetrahedra. */
void sn_grid_cells(sn_build *build, const sn_grid *grid);

#endif
