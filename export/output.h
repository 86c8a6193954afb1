/* What a run leaves in a folder: point caches, meshes, arrays. Everything is written as it comes, frame by frame, so
   memory does not grow with them, and what is there is valid at every moment: counts in headers are brought up to
   date after each frame, and a frame that could not be written whole does not count. Only scene.glb is written in the end. */
#ifndef SN_EXPORT_OUTPUT_H
#define SN_EXPORT_OUTPUT_H

#include "scene/scene.h"

/* Formats, to be or-ed. */
typedef enum sn_format {
    SN_FORMAT_PC2 =
        1, /* NAME.obj, the surface at the start, and NAME.pc2, the places of its vertices in every frame. Of rigid bodies, each an `o`
                          of the mesh, called after its number, NAME.poses.npy instead: a NumPy array [frame][body][7], position and quaternion */
    SN_FORMAT_OBJ = 2,    /* NAME_0000.obj: a mesh a frame */
    SN_FORMAT_PLY = 4,    /* NAME_0000.ply: the same, binary, with velocities */
    SN_FORMAT_NPY = 8,    /* NAME.npy: places as a NumPy array [frame][particle][3] */
    SN_FORMAT_POSES = 16, /* poses.csv and poses.npy: position and rotation of every rigid body, see poses.h */
    SN_FORMAT_GLB = 32,   /* scene.glb: all that moves in one file of glTF, see glb.h; written when this is closed */
    SN_FORMAT_VTK = 64    /* NAME_0000.vtp: a mesh a frame, and scene.pvd with their times, for ParaView, see vtk.h */
} sn_format;

/* The names, "pc2", "obj", ...; NULL beyond the last. about is a sentence. */
const char *sn_format_name(uint32_t i, sn_format *format, const char **about);

typedef struct sn_output sn_output;

/* Makes the folder (and those above it) if it is not there, and opens the files of the first frame: every object of
   the scene gets files of its own, called after it, and so does every static or kinematic body: a plane as a square that is larger than
   everything else, fields only if they were baked of a mesh. The bodies of an object are one mesh; one that has particles as
   well has them in files of its own, called NAME_bodies. What comes later gets none. NULL, with the reason (the
   file, and what the system says) in message. Files of that name are overwritten, and meshes of frames of the same names and formats
   that an earlier run left there are removed, which their first line tells; others in the folder are left alone. */
sn_output *sn_output_open(sn_scene *scene, const char *folder, unsigned formats, char *message, size_t size);

/* Writes the present state as the next frame: 0000 is the first. Places are in the first origin, whatever shifts
   there were. False, with the reason; what was written before stays valid, all files then end with the frame before,
   and the output can only be closed. */
bool sn_output_frame(sn_output *output, char *message, size_t size);

/* Closes all files. False if one of them could not be brought to its end. NULL is fine. */
bool sn_output_close(sn_output *output, char *message, size_t size);

uint32_t sn_output_frames(const sn_output *output);
uint64_t sn_output_bytes(const sn_output *output);

/* What the files of object i, or behind the last object those of static or of other bodies, are called, without folder and ending: its name in letters, digits, '-' and '_', the rest
   replaced by '_', and with a number if that is taken ("rope-2"). NULL beyond the last. */
const char *sn_output_name(const sn_output *output, uint32_t i);

#endif
