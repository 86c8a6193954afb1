/* The surface of rigid bodies as triangles, for display: all shapes of all bodies of an object in one mesh. */
#ifndef SN_EXPORT_BODY_MESH_H
#define SN_EXPORT_BODY_MESH_H

#include "scene/object.h"

/* The last known pose of a body. */
typedef struct sn_body_pose {
    sn_vec3 position;
    sn_quat rotation;
    sn_vec3 centre, velocity, spin;
} sn_body_pose;

typedef struct sn_body_mesh {
    uint32_t vertex_count;
    sn_vec3 *vertex;   /* m, in the frame of its body */
    uint32_t *body_of; /* the index of each vertex's body in the object */
    uint32_t triangle_count;
    uint32_t *triangle; /* counter-clockwise seen from outside */
    uint32_t body_count;
    sn_body_pose *pose;
} sn_body_mesh;

/* Makes the mesh. Round shapes have facets, and the size of rounded hulls is approximate. False when memory runs
   out. */
bool sn_body_mesh_make(const sn_world *world, const sn_object *object, sn_body_mesh *mesh);
void sn_body_mesh_release(sn_body_mesh *mesh);

/* Reads the pose of a body. A body that no longer exists keeps its last pose. */
bool sn_body_pose_read(const sn_world *world, sn_body body, sn_body_pose *pose);

/* The same for all bodies of a mesh. Also writes the positions of its vertices, m, and their velocities, m/s, unless
   velocity is NULL. */
bool sn_body_mesh_place(const sn_world *world, const sn_object *object, sn_body_mesh *mesh, sn_vec3 *place,
                        sn_vec3 *velocity);

#endif
