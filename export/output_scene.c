/* Files of the whole scene: scene.glb, scene.pvd, poses. */
#include "export/output_data.h"
#include "export/palette.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Entries ----------------------------------------------------------------------------------------------------- */

bool sn_output_is_rigid(const sn_output_entry *e)
{
    return e->bodies || !e->object;
}

uint32_t sn_output_bodies(const sn_output_entry *e)
{
    return e->bodies ? e->body_mesh.body_count : 1;
}

/* The mesh that read_entry read. */
sn_mesh_view sn_output_view(const sn_output *output, const sn_output_entry *e)
{
    sn_mesh_view mesh = {.vertex_count = e->count, .place = output->place};
    if (e->bodies) {
        mesh.velocity = output->velocity;
        mesh.triangle_count = e->body_mesh.triangle_count;
        mesh.triangle = e->body_mesh.triangle;
        mesh.piece_of = e->body_mesh.body_of;
    } else if (e->object) {
        mesh.velocity = output->velocity;
        mesh.vertex_count = e->torn.vertex_count;
        mesh.triangle_count = e->torn.triangle_count;
        mesh.triangle = e->torn.triangle;
        mesh.line_count = e->torn.line_count;
        mesh.line = e->torn.line;
    } else {
        mesh.triangle_count = e->mesh.triangle_count;
        mesh.triangle = e->mesh.triangle;
    }
    return mesh;
}

/* The pose of body i of a rigid entry, relative to the first origin, as read_entry read it. */
void sn_output_pose(const sn_output *output, const sn_output_entry *e, uint32_t i, sn_real pose[7])
{
    const sn_body_pose *read = e->bodies ? &e->body_mesh.pose[i] : &e->last;
    const sn_vec3 x = read->position;
    const sn_quat q = read->rotation;
    double origin[3] = {0, 0, 0};
    sn_world_origin(sn_scene_world(output->scene), origin);
    pose[0] = origin[0] == 0 ? x.x : (sn_real)((double)x.x + origin[0]);
    pose[1] = origin[1] == 0 ? x.y : (sn_real)((double)x.y + origin[1]);
    pose[2] = origin[2] == 0 ? x.z : (sn_real)((double)x.z + origin[2]);
    pose[3] = q.x;
    pose[4] = q.y;
    pose[5] = q.z;
    pose[6] = q.w;
}

/* ---- glTF -------------------------------------------------------------------------------------------------------- */

/* Every body of an object is a node of its own; several are children of a node with the object's name. */
static bool add_bodies(sn_output *output, const sn_output_entry *e, uint32_t first)
{
    const sn_body_mesh *all = &e->body_mesh;
    const uint32_t parent = all->body_count > 1 ? sn_glb_add_group(output->glb, e->title ? e->title : "") : 0;
    uint32_t *own = malloc((3 * (size_t)all->triangle_count + 1) * sizeof *own), vertex = 0, triangle = 0;
    bool good = own && (parent || all->body_count < 2);
    for (uint32_t i = 0; i < all->body_count && good; ++i) {
        const uint32_t from = vertex, begin = triangle;
        while (vertex < all->vertex_count && all->body_of[vertex] == i)
            ++vertex;
        for (; triangle < all->triangle_count && all->triangle[3 * (size_t)triangle] < vertex; ++triangle)
            for (size_t k = 0; k < 3; ++k)
                own[3 * (size_t)(triangle - begin) + k] = all->triangle[3 * (size_t)triangle + k] - from;
        const sn_mesh_view mesh = {.vertex_count = vertex - from,
                                   .place = all->vertex + from,
                                   .triangle_count = triangle - begin,
                                   .triangle = own};
        char label[SN_MOST_NAME + 32];
        sn_object_label(e->object, e->object->run.count + i, label, sizeof label);
        good = sn_glb_add_rigid(output->glb, label, sn_palette_object(first, e->number, all->body_count > 1 ? i : 0),
                                parent, &mesh);
    }
    free(own);
    return good;
}

static bool open_glb(sn_output *output, char *message, size_t size)
{
    snprintf(output->path, output->path_size, "%s/scene.glb", output->folder);
    if (!(output->glb = sn_glb_open(output->path, message, size)))
        return false;
    const uint32_t first = sn_palette_first(output->scene);
    bool good = true;
    for (uint32_t i = 0; i < output->count && good; ++i) {
        const sn_output_entry *e = &output->entry[i];
        const char *title = e->title ? e->title : "";
        const sn_mesh_view mesh = {.vertex_count = e->mesh.vertex_count,
                                   .place = e->mesh.vertex,
                                   .triangle_count = e->mesh.triangle_count,
                                   .triangle = e->mesh.triangle};
        good = e->bodies   ? add_bodies(output, e, first)
               : e->object ? sn_glb_add_soft(output->glb, title, sn_palette_object(first, e->number, 0), 0)
                           : sn_glb_add_rigid(output->glb, title, SN_COLOUR_OBSTACLE, 0, &mesh);
    }
    if (!good)
        snprintf(message, size, "%s: no memory for what is written there", output->path);
    return good;
}

/* Puts the last read state of an entry. */
static void put_glb(sn_output *output, const sn_output_entry *e)
{
    const sn_mesh_view mesh = sn_output_view(output, e);
    if (!sn_output_is_rigid(e)) {
        sn_glb_put_soft(output->glb, output->soft++, &mesh);
        return;
    }
    for (uint32_t i = 0; i < sn_output_bodies(e); ++i) {
        sn_real pose[7];
        sn_output_pose(output, e, i, pose);
        sn_glb_put_rigid(output->glb, output->rigid++, pose);
    }
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

bool sn_output_scene_open(sn_output *output, char *message, size_t size)
{
    if (output->formats & SN_FORMAT_POSES &&
        !sn_poses_open(&output->poses, output->scene, output->folder, message, size))
        return false;
    if (output->formats & SN_FORMAT_GLB && !open_glb(output, message, size))
        return false;
    snprintf(output->path, output->path_size, "%s/scene.pvd", output->folder);
    return !(output->formats & SN_FORMAT_VTK) || sn_pvd_open(&output->pvd, output->path, message, size);
}

void sn_output_scene_begin(sn_output *output)
{
    output->soft = output->rigid = 0;
    if (output->frames == 0)
        output->start = sn_scene_time(output->scene);
    if (output->formats & SN_FORMAT_VTK)
        sn_pvd_begin(&output->pvd);
}

void sn_output_scene_put(sn_output *output, const sn_output_entry *e)
{
    if (output->glb)
        put_glb(output, e);
    if (output->formats & SN_FORMAT_VTK) {
        char mesh[SN_MOST_NAME + 48];
        snprintf(mesh, sizeof mesh, "%s_%0*" PRIu32 ".vtp", e->name, SN_FRAME_DIGITS, output->frames);
        sn_pvd_put(&output->pvd, sn_scene_time(output->scene) - output->start, (uint32_t)(e - output->entry), mesh);
    }
}

/* Poses are last, since they take back their own frame on failure. */
bool sn_output_scene_frame(sn_output *output, char *message, size_t size)
{
    if ((output->glb && !sn_glb_frame(output->glb, sn_scene_time(output->scene) - output->start, message, size)) ||
        (output->formats & SN_FORMAT_VTK && !sn_pvd_frame(&output->pvd, message, size)))
        return false;
    if (!(output->formats & SN_FORMAT_POSES) ||
        sn_poses_frame(&output->poses, output->scene, output->frames, message, size))
        return true;
    sn_poses_take_back(&output->poses, output->frames);
    return false;
}

void sn_output_scene_take_back(sn_output *output)
{
    if (output->glb)
        sn_glb_keep(output->glb, output->frames);
    if (output->formats & SN_FORMAT_VTK)
        sn_pvd_take_back(&output->pvd);
}

bool sn_output_scene_close(sn_output *output, char *message, size_t size)
{
    bool closed = !(output->formats & SN_FORMAT_POSES) || sn_poses_close(&output->poses, message, size);
    closed = sn_pvd_close(&output->pvd, closed ? message : NULL, closed ? size : 0) && closed;
    closed = sn_glb_close(output->glb, closed ? message : NULL, closed ? size : 0) && closed;
    output->glb = NULL;
    return closed;
}

uint64_t sn_output_scene_bytes(const sn_output *output)
{
    return output->poses.csv.length + output->poses.npy.file.length + output->pvd.file.length +
           (output->glb ? sn_glb_bytes(output->glb) : 0);
}
