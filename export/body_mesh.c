#include "export/body_mesh.h"
#include "export/shape_mesh.h"

#include <math.h>
#include <stdlib.h>

/* ---- The mesh ---------------------------------------------------------------------------------------------------- */

/* Appends all shapes of a body except sensors, in its frame. */
static bool append_body(sn_body_mesh *m, uint32_t body, const sn_body_def *def)
{
    sn_shape_mesh all = {m->vertex_count, m->vertex, m->triangle_count, m->triangle};
    bool good = true, nothing;
    for (uint32_t k = 0; k < def->shape_count && good; ++k) {
        const sn_shape_def *shape = &def->shapes[k];
        sn_shape_mesh one;
        if (shape->sensor)
            continue;
        good = sn_shape_mesh_make(shape, (sn_vec3){0, 0, 0}, 1, &one, &nothing) &&
               sn_shape_mesh_append(&all, &one, shape->position, shape->rotation);
        sn_shape_mesh_release(&one);
    }
    uint32_t *of = good ? realloc(m->body_of, (all.vertex_count + (size_t)1) * sizeof *of) : NULL;
    m->body_of = of ? of : m->body_of;
    for (uint32_t i = m->vertex_count; of && i < all.vertex_count; ++i)
        of[i] = body;
    m->vertex = all.vertex;
    m->triangle = all.triangle;
    m->vertex_count = all.vertex_count;
    m->triangle_count = all.triangle_count;
    return of != NULL;
}

bool sn_body_mesh_make(const sn_world *world, const sn_object *object, sn_body_mesh *mesh)
{
    *mesh = (sn_body_mesh){.body_count = object->body_count};
    bool good = (mesh->pose = calloc(object->body_count + (size_t)1, sizeof *mesh->pose)) != NULL;
    for (uint32_t i = 0; i < object->body_count && good; ++i) {
        sn_body_def def;
        if (!sn_body_is_valid(world, object->body[i].handle))
            continue;
        good = sn_body_read(world, object->body[i].handle, &def) == SN_OK && append_body(mesh, i, &def);
    }
    if (!good)
        sn_body_mesh_release(mesh);
    return good;
}

void sn_body_mesh_release(sn_body_mesh *mesh)
{
    free(mesh->vertex);
    free(mesh->body_of);
    free(mesh->triangle);
    free(mesh->pose);
    *mesh = (sn_body_mesh){0};
}

bool sn_body_pose_read(const sn_world *world, sn_body body, sn_body_pose *pose)
{
    if (!sn_body_is_valid(world, body))
        return true;
    pose->position = sn_body_position(world, body);
    pose->rotation = sn_body_rotation(world, body);
    pose->centre = sn_body_centre(world, body);
    pose->velocity = sn_body_velocity(world, body);
    pose->spin = sn_body_spin(world, body);
    return isfinite(pose->position.x) && isfinite(pose->rotation.w);
}

bool sn_body_mesh_place(const sn_world *world, const sn_object *object, sn_body_mesh *mesh, sn_vec3 *place,
                        sn_vec3 *velocity)
{
    for (uint32_t i = 0; i < mesh->body_count; ++i)
        if (!sn_body_pose_read(world, object->body[i].handle, &mesh->pose[i]))
            return false;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        const sn_body_pose *pose = &mesh->pose[mesh->body_of[i]];
        place[i] = sn_frame_place(pose->position, pose->rotation, mesh->vertex[i]);
        if (!velocity)
            continue;
        sn_vec3 r = {place[i].x - pose->centre.x, place[i].y - pose->centre.y, place[i].z - pose->centre.z};
        sn_vec3 w = pose->spin, v = pose->velocity;
        velocity[i] = (sn_vec3){v.x + w.y * r.z - w.z * r.y, v.y + w.z * r.x - w.x * r.z, v.z + w.x * r.y - w.y * r.x};
    }
    return true;
}
