/* Internals of an output: output.c reads the state and writes files of each object, output_scene.c those of the
   whole scene. */
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

/* File names are cut at this many bytes. */
#define SN_MOST_NAME 100

/* File names of a frame have at least this many digits, so that they sort. */
#define SN_FRAME_DIGITS 4

/* An entry: the files of the particles of an object, of its bodies, or of one static or kinematic body. */
typedef struct sn_output_entry {
    const sn_object *object; /* NULL: a static or kinematic body */
    uint32_t number;         /* of the object */
    bool bodies;             /* of the object, and not its particles */
    sn_body_mesh body_mesh;  /* of the bodies */
    sn_body body;
    sn_shape_mesh mesh; /* of the static or kinematic body */
    sn_body_pose last;  /* its last known pose */
    char own_type[32];
    char own_title[SN_MOST_NAME + 16];
    const char *title, *type;
    uint32_t count;               /* vertices, at the start */
    sn_torn_mesh torn;            /* surface and lines of an object's particles at present */
    char name[SN_MOST_NAME + 16]; /* with room for "-4294967295" */
    sn_point_cache cache;
    sn_npy poses; /* of rigid bodies, instead of a cache */
    sn_npy npy;
    unsigned meshes; /* formats whose mesh of the present frame has been written */
} sn_output_entry;

struct sn_output {
    sn_scene *scene;
    char *folder;
    unsigned formats;
    uint32_t count;
    /* one per object, then one per static or kinematic body, then one for the bodies of each object that has both */
    sn_output_entry *entry;
    sn_poses poses;       /* if this format is selected */
    sn_glb *glb;          /* likewise */
    sn_pvd pvd;           /* likewise */
    double start;         /* s: the time of the first frame */
    uint32_t soft, rigid; /* things of the .glb that are in the present frame already */
    sn_vec3 *place;       /* room for the largest entry, */
    sn_vec3 *velocity;    /* of both arrays, */
    uint32_t room;        /* in vertices */
    char *path;           /* room for the longest name */
    size_t path_size;
    uint32_t frames;
    uint64_t mesh_bytes; /* in completed files */
    bool failed;
};

/* About an entry: whether it is rigid bodies, and how many; the mesh that was last read; the pose of body i,
   relative to the first origin. */
bool sn_output_is_rigid(const sn_output_entry *e);
uint32_t sn_output_bodies(const sn_output_entry *e);
sn_mesh_view sn_output_view(const sn_output *output, const sn_output_entry *e);
void sn_output_pose(const sn_output *output, const sn_output_entry *e, uint32_t i, sn_real pose[7]);

/* Files of the whole scene, of the selected formats. Open them; begin a frame; put an entry into it, once that was
   read and its own files of this frame are written; end the frame; take it back, so that so many frames are left;
   close. False, with the reason in message. */
bool sn_output_scene_open(sn_output *output, char *message, size_t size);
void sn_output_scene_begin(sn_output *output);
void sn_output_scene_put(sn_output *output, const sn_output_entry *e);
bool sn_output_scene_frame(sn_output *output, char *message, size_t size);
void sn_output_scene_take_back(sn_output *output);
bool sn_output_scene_close(sn_output *output, char *message, size_t size);
uint64_t sn_output_scene_bytes(const sn_output *output);

#endif
