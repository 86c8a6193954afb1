/* Mass, centre of mass and inertia of solids, in double. */
#ifndef SN_BODIES_MASS_H
#define SN_BODIES_MASS_H

#include "collision/convex.h"
#include "collision/trimesh.h"

/* Zeroed it is nothing, to which parts can be added. */
typedef struct sn_mass_properties {
    double mass;       /* kg */
    double centre[3];  /* m */
    double inertia[6]; /* kg m^2 about the centre: xx, yy, zz, xy, xz, yz. The last three are entries of the matrix, so
                              minus the integral of x y, and so on */
} sn_mass_properties;

/* ---- Solids of one density (kg/m^3) --------------------------------------------------------------------------------
   Their centre is the origin of their own frame. False, with the reason in words, where a length or the density is
   negative or not finite, or where mass or inertia come out as 0 or beyond the range of numbers. */

bool sn_mass_of_sphere(sn_mass_properties *mass, double radius, double density, char *message, size_t size);

/* All within radius of a segment along the y axis, half its length to both sides. A half length of 0 is a sphere. */
bool sn_mass_of_capsule(sn_mass_properties *mass, double half_length, double radius, double density, char *message,
                        size_t size);

/* All within radius of a box with these half edges: 0 for sharp edges. */
bool sn_mass_of_box(sn_mass_properties *mass, const double half[3], double radius, double density, char *message,
                    size_t size);

/* What a closed mesh encloses. False for one that is not closed or is inside out, with the reason of
   sn_trimesh_is_closed, and as above. Pieces add up, and a piece inside another that runs the other way is a cavity. */
bool sn_mass_of_trimesh(sn_mass_properties *mass, const sn_trimesh *mesh, double density, char *message, size_t size);

/* The same of plain arrays; also refused is what sn_trimesh_create refuses. *out_of_memory tells when memory ran out. */
bool sn_mass_of_mesh(sn_mass_properties *mass, const sn_allocator *allocator, const sn_vec3 *vertex, uint32_t vertices,
                     const uint32_t *index, uint32_t triangles, double density, bool *out_of_memory, char *message,
                     size_t size);

/* All within radius of a convex polyhedron whose faces are cut into triangles, counter-clockwise seen from outside.
   Triangles in one plane are fine, and slivers without area, as the cutting of a face may give. False, with the reason,
   for a bad index or coordinate, an edge that does not join two triangles, an edge that is hollow by more than
   SN_MASS_MOST_HOLLOW, a polyhedron without volume or inside out, and as above. */
#define SN_MASS_MOST_HOLLOW 1e-2 /* rad: less is what rounding made of a flat face; the mass is right to that order */
bool sn_mass_of_convex(sn_mass_properties *mass, const sn_allocator *allocator, const sn_vec3 *vertex,
                       uint32_t vertices, const uint32_t *index, uint32_t triangles, double radius, double density,
                       bool *out_of_memory, char *message, size_t size);

/* Any convex shape, in its own frame; the centre need not be the origin. As above. */
bool sn_mass_of_shape(sn_mass_properties *mass, const sn_allocator *allocator, const sn_convex *convex, double density,
                      bool *out_of_memory, char *message, size_t size);

/* ---- Arithmetic ---------------------------------------------------------------------------------------------------- */

/* Turned about the origin (the rotation need not have length 1) and then moved along. */
void sn_mass_move(sn_mass_properties *mass, sn_quat rotation, const double way[3]);

/* Two solids as one. Where they overlap, matter is counted twice. */
void sn_mass_add(sn_mass_properties *sum, const sn_mass_properties *part);

/* The same solid of another density, so that it has this mass (kg). False, with the reason, if either mass is not
   positive and finite, or the inertia leaves the range of numbers. */
bool sn_mass_scale_to(sn_mass_properties *mass, double kilograms, char *message, size_t size);

/* ---- Principal axes -------------------------------------------------------------------------------------------------- */

/* The moments along three axes that do not mix, and the turn from these axes, as x, y and z, to those that the inertia
   is given in: R diag(moment) R^T = inertia. q is a unit quaternion (x, y, z, w) with w >= 0, and nothing but (0, 0, 0, 1)
   if the axes do not mix as they are, but for rounding. Moments that rounding made negative are 0. */
void sn_mass_principal(const double inertia[6], double moment[3], double q[4]);

/* Whether a body can have these: finite, not negative, and no moment greater than the two others together. Otherwise the
   reason in words. SN_MASS_SLACK of the greatest moment is let pass: a thin plate has exactly that, but for rounding. */
#define SN_MASS_SLACK 1e-6
bool sn_mass_check_moments(const double moment[3], char *message, size_t size);

/* The same of a whole matrix, by its moments. */
bool sn_mass_check_inertia(const double inertia[6], char *message, size_t size);

#endif
