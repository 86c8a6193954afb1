/* Mass, centre of mass and inertia of solids, in double. */
#ifndef SN_BODIES_MASS_H
#define SN_BODIES_MASS_H

#include "collision/convex.h"
#include "collision/trimesh.h"

/* If zeroed it has no mass, and parts can be added. */
typedef struct sn_mass_properties {
    double mass;       /* kg */
    double centre[3];  /* m */
    double inertia[6]; /* kg m^2 about the centre: xx, yy, zz, xy, xz, yz. The last three are entries of the matrix: xy
                          is minus the integral of x y, and so on */
} sn_mass_properties;

/* ---- Solids of one density (kg/m^3) --------------------------------------------------------------------------------
   Their centre is the origin of their own frame. False, with the reason as a message, if a length or the density is
   negative or not finite, or if the mass or inertia is 0 or out of range. */

bool sn_mass_of_sphere(sn_mass_properties *mass, double radius, double density, char *message, size_t size);

/* A segment along the y axis, half_length to each side, rounded by radius. A half length of 0 is a sphere. */
bool sn_mass_of_capsule(sn_mass_properties *mass, double half_length, double radius, double density, char *message,
                        size_t size);

/* A box with these half edges, rounded by radius; 0: sharp edges. */
bool sn_mass_of_box(sn_mass_properties *mass, const double half[3], double radius, double density, char *message,
                    size_t size);

/* The solid enclosed by a closed mesh. False, with the reason, if the mesh is not closed or is inside out (see
   sn_trimesh_is_closed), and as above. Pieces add up. A piece inside another with opposite orientation is a cavity. */
bool sn_mass_of_trimesh(sn_mass_properties *mass, const sn_trimesh *mesh, double density, char *message, size_t size);

/* The same for plain arrays. Also rejects what sn_trimesh_create rejects. *out_of_memory: true if memory ran out. */
bool sn_mass_of_mesh(sn_mass_properties *mass, const sn_allocator *allocator, const sn_vec3 *vertex, uint32_t vertices,
                     const uint32_t *index, uint32_t triangles, double density, bool *out_of_memory, char *message,
                     size_t size);

/* A convex polyhedron, rounded by radius. Its faces are cut into triangles, counter-clockwise seen from outside.
   Coplanar triangles and slivers without area, as may come from cutting a face, are allowed. False, with the reason,
   for a bad index or coordinate, an edge that does not join two triangles, an edge that is concave by more than
   SN_MASS_MOST_HOLLOW, a polyhedron without volume or inside out, and as above. */
#define SN_MASS_MOST_HOLLOW 1e-2 /* rad. Less comes from rounding of a flat face; the mass is precise to that order */
bool sn_mass_of_convex(sn_mass_properties *mass, const sn_allocator *allocator, const sn_vec3 *vertex,
                       uint32_t vertices, const uint32_t *index, uint32_t triangles, double radius, double density,
                       bool *out_of_memory, char *message, size_t size);

/* Any convex shape, in its own frame. The centre need not be the origin. Fails as above. */
bool sn_mass_of_shape(sn_mass_properties *mass, const sn_allocator *allocator, const sn_convex *convex, double density,
                      bool *out_of_memory, char *message, size_t size);

/* ---- Arithmetic -------------------------------------------------------------------------------------------------- */

/* Rotates the solid about the origin (the quaternion need not have length 1), then moves it by `displacement`. */
void sn_mass_move(sn_mass_properties *mass, sn_quat rotation, const double displacement[3]);

/* Joins two solids. Where they overlap, matter counts twice. */
void sn_mass_add(sn_mass_properties *sum, const sn_mass_properties *part);

/* ---- Principal axes ---------------------------------------------------------------------------------------------- */

/* The principal moments, and the rotation from the principal axes (as x, y and z) to the axes in which the inertia is
   given: R diag(moment) R^T = inertia. q is a unit quaternion (x, y, z, w) with w >= 0. It is exactly (0, 0, 0, 1) if
   the inertia is diagonal up to rounding. Moments that rounding made negative are set to 0. */
void sn_mass_principal(const double inertia[6], double moment[3], double q[4]);

/* True if a body can have these moments: finite, not negative, and none larger than the sum of the two others.
   Otherwise message has the reason. An excess of SN_MASS_SLACK times the largest moment is allowed, because a thin
   plate has exactly that sum, up to rounding. */
#define SN_MASS_SLACK 1e-6
bool sn_mass_check_moments(const double moment[3], char *message, size_t size);

#endif
