/* Sheets of triangles: what a cloth and a balloon have in common. */
#ifndef SN_SCENE_OBJECTS_SHEET_H
#define SN_SCENE_OBJECTS_SHEET_H

#include "scene/object.h"

extern const sn_choices sn_bending_choices;

/* A mesh as an object takes it. */
typedef struct sn_sheet {
    sn_mesh mesh;
    sn_mesh_topology topology;
} sn_sheet;

/* Reads the mesh that the object's key "mesh" names, welds it, connects it, and notes what that did. Refused, at that
   key: no triangles, a triangle without area, an edge of three triangles. */
bool sn_sheet_read(sn_build *build, const char *file, sn_real weld, sn_sheet *sheet);

/* Finds the edges of a mesh that the object has made itself. */
bool sn_sheet_connect(sn_build *build, sn_sheet *sheet);

/* How many constraints sn_sheet_rods and sn_sheet_bend together will make. */
double sn_sheet_constraint_count(const sn_build *build, const sn_sheet *sheet, sn_bending_method method);

/* The particles: the vertices, each with a third of the mass of the triangles around it. Also says what is drawn. */
bool sn_sheet_particles(sn_build *build, const sn_sheet *sheet);

/* A rod for each edge, "edges", such that the sheet is as stiff as its stuff. */
bool sn_sheet_rods(sn_build *build, const sn_sheet *sheet);

/* Bending, "bend", at each edge of two triangles, if the stuff resists it. */
bool sn_sheet_bend(sn_build *build, const sn_sheet *sheet, sn_bending_method method);

/* Whether the stuff and the method make anything; notes it if a method was chosen and the stuff has no `bend`. */
bool sn_sheet_bends(sn_build *build, sn_bending_method method, sn_bending_method usual);

/* The same as sn_sheet_bend for count hinges, four particles each: the corners a and b and the shared edge cd of
   triangles a, c, d and b, d, c. place holds the particles in the frame. */
bool sn_sheet_hinges(sn_build *build, sn_bending_method method, const sn_vec3 *place, uint32_t count,
                     const uint32_t *hinge);

/* The stiffness, N/m per plate stiffness, of a rod across a hinge that folded by a right angle stores as much energy as
   a plate: shape is l^2 / (A + B) as below, shortening what the fold takes off the rod, m. */
double sn_sheet_rod_over_hinge(double shape, double shortening);

#endif
