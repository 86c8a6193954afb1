/* The inside of an output: output.c reads the state and writes files of an object, output_scene.c those of the whole scene. */
#ifndef SN_EXPORT_OUTPUT_DATA_H
#define SN_EXPORT_OUTPUT_DATA_H

#include "export/body_mesh.h"
#include "export/glb.h"
#include "export/mesh_file.h"
#include "export/npy.h"
#include "export/output.h"
#include "export/point_cache.h"
#include "export/poses.h"
#include "export/shape_mesh.h"
#include "export/torn_mesh.h"
#include "export/vtk.h"

/* Names of files are cut off here, in bytes. */
#define SN_MOST_NAME 100

/* File names of a frame have at least this many digits, so that they sort. */
#define SN_FRAME_DIGITS 4

/* The files of the particles of an object, of its bodies, or of one static or kinematic body. */
typedef struct sn_output_entry {
    const sn_object *object; /* NULL: a static or kinematic body */
    uint32_t number;         /* of the object */
    bool bodies;             /* of the object */
    sn_body_mesh body_mesh;  /* of those */
    sn_body body;
    sn_shape_mesh mesh; /* of it */
    sn_body_pose last;  /* where it was when it was last seen */
    char own_type[32];
    char own_title[SN_MOST_NAME + 16];
    const char *title, *type;
    uint32_t count;               /* vertices, at the start */
    sn_torn_mesh torn;            /* of an object's particles, now */
    char name[SN_MOST_NAME + 16]; /* with room for "-4294967295" */
    sn_point_cache cache;
    sn_npy poses; /* of rigid bodies, in the place of a cache */
    sn_npy npy;
    unsigned meshes; /* formats of which there is a mesh of the frame that is being written */
} sn_output_entry;

struct sn_output {
    sn_scene *scene;
    char *folder;
    unsigned formats;
    uint32_t count;
    sn_output_entry *
        entry; /* one per object, then one per static or kinematic body, then one for the bodies of each object that has both */
    sn_poses poses;       /* if they are asked for */
    sn_glb *glb;          /* too */
    sn_pvd pvd;           /* too */
    double start;         /* s: the time of the first frame */
    uint32_t soft, rigid; /* of the .glb, that have their place in this frame */
    sn_vec3 *place;       /* room for the largest of them, */
    sn_vec3 *velocity;    /*   both, */
    uint32_t room;        /*   as of these */
    char *path;           /* room for the longest name */
    size_t path_size;
    uint32_t frames;
    uint64_t mesh_bytes; /* in files that are finished */
    bool failed;
};

/* Of an entry: whether it is bodies, and how many; what was read of it last, as a mesh; position, in the first origin, and rotation of its
   body i. */
bool sn_output_is_rigid(const sn_output_entry *e);
uint32_t sn_output_bodies(const sn_output_entry *e);
sn_mesh_view sn_output_view(const sn_output *output, const sn_output_entry *e);
void sn_output_pose(const sn_output *output, const sn_output_entry *e, uint32_t i, sn_real pose[7]);

/* Files of the whole scene, as far as they are asked for: opens them; puts an entry, once it was read and its own files of this frame are written, into the
   frame; ends the frame; takes it back, and what was put since, so that so many are left; closes them. False, with the reason in message. */
bool sn_output_scene_open(sn_output *output, char *message, size_t size);
void sn_output_scene_begin(sn_output *output);
void sn_output_scene_put(sn_output *output, const sn_output_entry *e);
bool sn_output_scene_frame(sn_output *output, char *message, size_t size);
void sn_output_scene_take_back(sn_output *output);
bool sn_output_scene_close(sn_output *output, char *message, size_t size);
uint64_t sn_output_scene_bytes(const sn_output *output);

#endif
