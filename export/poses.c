#include "export/poses.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LABEL 160

struct sn_posed {
    sn_body body;
    sn_body_pose pose;
    char label[MOST_LABEL];
};

static bool take_bodies(sn_poses *poses, sn_scene *scene)
{
    const sn_object *object;
    uint32_t count = 0;
    for (uint32_t i = 0; (object = sn_scene_object(scene, i)); ++i)
        count += object->body_count;
    poses->body = calloc(count + (size_t)1, sizeof *poses->body);
    if (!poses->body)
        return false;
    for (uint32_t i = 0; (object = sn_scene_object(scene, i)); ++i)
        for (uint32_t k = 0; k < object->body_count; ++k) {
            struct sn_posed *posed = &poses->body[poses->count++];
            posed->body = object->body[k].handle;
            sn_object_label(object, object->run.count + k, posed->label, sizeof posed->label);
        }
    return true;
}

/* Allocates FOLDER/NAME, to be freed by the caller. */
static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

bool sn_poses_open(sn_poses *poses, sn_scene *scene, const char *folder, char *message, size_t size)
{
    char *csv = join(folder, "poses.csv"), *npy = join(folder, "poses.npy");
    *poses = (sn_poses){.csv.handle = -1, .npy.file.handle = -1};
    bool good = csv && npy && take_bodies(poses, scene);
    if (!good)
        snprintf(message, size, "%s: no memory for the poses of bodies", folder);
    const uint32_t shape[2] = {poses->count, 7};
    good = good && sn_file_open(&poses->csv, csv, message, size) &&
           sn_npy_open_array(&poses->npy, npy, SN_NPY_REAL, 2, shape, message, size);
    if (good) {
        sn_file_put_text(&poses->csv, "frame,time,body,x,y,z,qx,qy,qz,qw\n");
        good = sn_file_keep(&poses->csv, message, size);
    }
    free(csv);
    free(npy);
    return good;
}

static void put_number(sn_poses *poses, sn_real value)
{
    char text[SN_NUMBER_TEXT];
    sn_number_real(text, value);
    sn_file_put_text(&poses->csv, ",");
    sn_file_put_text(&poses->csv, text);
    sn_file_put_real(&poses->npy.file, value);
}

static void put_body(sn_poses *poses, const struct sn_posed *posed, uint32_t frame, double time, const double origin[3])
{
    char text[MOST_LABEL + SN_NUMBER_TEXT + 32], when[SN_NUMBER_TEXT];
    sn_vec3 x = posed->pose.position;
    sn_quat q = posed->pose.rotation;
    sn_number_f64(when, time);
    snprintf(text, sizeof text, "%" PRIu32 ",%s,%s", frame, when, posed->label);
    sn_file_put_text(&poses->csv, text);
    put_number(poses, origin[0] == 0 ? x.x : (sn_real)((double)x.x + origin[0]));
    put_number(poses, origin[1] == 0 ? x.y : (sn_real)((double)x.y + origin[1]));
    put_number(poses, origin[2] == 0 ? x.z : (sn_real)((double)x.z + origin[2]));
    put_number(poses, q.x);
    put_number(poses, q.y);
    put_number(poses, q.z);
    put_number(poses, q.w);
    sn_file_put_text(&poses->csv, "\n");
}

bool sn_poses_frame(sn_poses *poses, sn_scene *scene, uint32_t frame, char *message, size_t size)
{
    sn_world *world = sn_scene_world(scene);
    double origin[3] = {0, 0, 0};
    bool good = sn_world_origin(world, origin) == SN_OK;
    poses->before = poses->csv.length;
    for (uint32_t i = 0; i < poses->count && good; ++i) {
        good = sn_body_pose_read(world, poses->body[i].body, &poses->body[i].pose);
        put_body(poses, &poses->body[i], frame, sn_scene_time(scene), origin);
    }
    if (!good) {
        snprintf(message, size, "the poses of bodies cannot be read: %s", sn_world_error(world));
        sn_file_cut(&poses->csv, poses->before);
        return false;
    }
    if (!sn_file_keep(&poses->csv, message, size)) {
        sn_file_cut(&poses->csv, poses->before);
        return false;
    }
    return sn_npy_row(&poses->npy, message, size);
}

void sn_poses_take_back(sn_poses *poses, uint32_t frames)
{
    sn_file_cut(&poses->csv, poses->before);
    sn_npy_keep(&poses->npy, frames, NULL, 0);
}

bool sn_poses_close(sn_poses *poses, char *message, size_t size)
{
    bool closed = sn_file_close(&poses->csv, message, size);
    closed = sn_npy_close(&poses->npy, closed ? message : NULL, closed ? size : 0) && closed;
    free(poses->body);
    *poses = (sn_poses){.csv.handle = -1, .npy.file.handle = -1};
    return closed;
}
