/* Sheets of triangles, for cloth and balloon. */
#ifndef SN_SCENE_OBJECTS_SHEET_H
#define SN_SCENE_OBJECTS_SHEET_H

#include "scene/object.h"

extern const sn_choices sn_bending_choices;

/* A mesh of an object, with its topology. */
typedef struct sn_sheet {
    sn_mesh mesh;
    sn_mesh_topology topology;
} sn_sheet;

/* Reads the mesh that the object's key "mesh" names, welds it, finds its edges, and reports both as notes. Refused,
   at that key: no triangles, a triangle without area, an edge of three triangles. */
bool sn_sheet_read(sn_build *build, const char *file, sn_real weld, sn_sheet *sheet);

/* Finds the edges of a mesh that the object has generated. */
bool sn_sheet_connect(sn_build *build, sn_sheet *sheet);

/* The number of constraints that sn_sheet_rods and sn_sheet_bend together will add. */
double sn_sheet_constraint_count(const sn_build *build, const sn_sheet *sheet, sn_bending_method method);

/* Adds a particle for each vertex, with a third of the mass of the triangles around it. Also sets the triangles to
   draw. */
bool sn_sheet_particles(sn_build *build, const sn_sheet *sheet);

/* Adds a rod for each edge, "edges", such that the sheet is as stiff as its stuff. */
bool sn_sheet_rods(sn_build *build, const sn_sheet *sheet);

/* Adds bending, "bend", at each edge of two triangles, if the stuff resists it. */
bool sn_sheet_bend(sn_build *build, const sn_sheet *sheet, sn_bending_method method);

/* Whether stuff and method add bending constraints. Adds a note if a method was chosen and the stuff has no `bend`. */
bool sn_sheet_bends(sn_build *build, sn_bending_method method, sn_bending_method usual);

/* The same as sn_sheet_bend for count hinges, four particles each: the corners a and b and the shared edge cd of
   triangles a, c, d and b, d, c. place holds the particles in the frame. */
bool sn_sheet_hinges(sn_build *build, sn_bending_method method, const sn_vec3 *place, uint32_t count,
                     const uint32_t *hinge);

/* The stiffness, N/m per plate stiffness, of a rod across a hinge, such that at a fold by a right angle it stores as
   much energy as a plate. shape is l^2 / (A + B); shortening, m, is by how much the fold shortens the rod. */
double sn_sheet_rod_over_hinge(double shape, double shortening);

#endif
