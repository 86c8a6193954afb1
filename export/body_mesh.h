/* The surface of rigid bodies as triangles, to be looked at: that of all shapes of all bodies of an object, in one mesh. */
#ifndef SN_EXPORT_BODY_MESH_H
#define SN_EXPORT_BODY_MESH_H

#include "scene/object.h"

/* Where a body was when it was last seen. */
typedef struct sn_body_pose {
    sn_vec3 position;
    sn_quat rotation;
    sn_vec3 centre, velocity, spin;
} sn_body_pose;

typedef struct sn_body_mesh {
    uint32_t vertex_count;
    sn_vec3 *vertex;   /* m, in the frame of its body */
    uint32_t *body_of; /* which body of the object each belongs to */
    uint32_t triangle_count;
    uint32_t *triangle; /* counter-clockwise seen from outside */
    uint32_t body_count;
    sn_body_pose *pose;
} sn_body_mesh;

/* Round things have facets, and rounded hulls are only about as large as they are. False when memory runs out. */
bool sn_body_mesh_make(const sn_world *world, const sn_object *object, sn_body_mesh *mesh);
void sn_body_mesh_release(sn_body_mesh *mesh);

/* Where a body is now; one that is gone stays where it was last. */
bool sn_body_pose_read(const sn_world *world, sn_body body, sn_body_pose *pose);

/* The same for all bodies of a mesh, and where its vertices are then, m; and their velocities, m/s, unless that is NULL. */
bool sn_body_mesh_place(const sn_world *world, const sn_object *object, sn_body_mesh *mesh, sn_vec3 *place,
                        sn_vec3 *velocity);

#endif
