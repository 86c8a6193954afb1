/* The motion of rigid bodies, frame by frame, as numbers.

       poses.csv    frame (the start is 0), time (s), the name of a body, its position x, y, z (m, relative to the first
                    origin) and its rotation, a quaternion qx, qy, qz, qw: a row for every body in every frame
       poses.npy    the same as a NumPy array [frame][body][7], bodies in the order of the rows

   Position and rotation are those of the body's own frame, in which its shapes are given. */
#ifndef SN_EXPORT_POSES_H
#define SN_EXPORT_POSES_H

#include "export/body_mesh.h"
#include "export/npy.h"
#include "scene/scene.h"

typedef struct sn_poses {
    sn_file csv;
    sn_npy npy;
    uint32_t count;
    struct sn_posed *body; /* all bodies of the scene, in the order of its objects */
    uint64_t before;       /* bytes of the CSV before the last frame */
} sn_poses;

/* Opens both files in a folder. False, with the reason in message, like the next. */
bool sn_poses_open(sn_poses *poses, sn_scene *scene, const char *folder, char *message, size_t size);
bool sn_poses_frame(sn_poses *poses, sn_scene *scene, uint32_t frame, char *message, size_t size);

/* Discards the last frame, so that `frames` are left. */
void sn_poses_take_back(sn_poses *poses, uint32_t frames);
bool sn_poses_close(sn_poses *poses, char *message, size_t size);

#endif
