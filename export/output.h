/* The files of a run in a folder: point caches, meshes, arrays. Everything is written frame by frame, so memory does
   not grow with frames, and the files are valid at any time: counts in headers are updated after each frame, and a
   frame that could not be written completely does not count. Only scene.glb is written at the end. */
#ifndef SN_EXPORT_OUTPUT_H
#define SN_EXPORT_OUTPUT_H

#include "scene/scene.h"

/* Formats, to be combined by |. */
typedef enum sn_format {
    /* NAME.obj, the surface at the start, and NAME.pc2, the positions of its vertices in every frame. Rigid bodies
       are each an `o` of the mesh, named by number, with NAME.poses.npy instead of NAME.pc2: a NumPy array
       [frame][body][7], position and quaternion */
    SN_FORMAT_PC2 = 1,
    SN_FORMAT_OBJ = 2,    /* NAME_0000.obj: a mesh per frame */
    SN_FORMAT_PLY = 4,    /* NAME_0000.ply: the same, binary, with velocities */
    SN_FORMAT_NPY = 8,    /* NAME.npy: positions as a NumPy array [frame][particle][3] */
    SN_FORMAT_POSES = 16, /* poses.csv and poses.npy: position and rotation of every rigid body, see poses.h */
    /* scene.glb: everything that moves in one file of glTF, see glb.h; written when the output is closed */
    SN_FORMAT_GLB = 32,
    SN_FORMAT_VTK = 64 /* NAME_0000.vtp: a mesh per frame, and scene.pvd with their times, for ParaView, see vtk.h */
} sn_format;

/* The names, "pc2", "obj", ...; NULL beyond the last. *about is a sentence. */
const char *sn_format_name(uint32_t i, sn_format *format, const char **about);

typedef struct sn_output sn_output;

/* Makes the folder (and those above it) if needed, and opens the files of the first frame. Every object of the scene
   gets its own files, named after it, and so does every static or kinematic body: a plane as a square that is larger
   than everything else, a field only if it was baked from a mesh. The bodies of an object are one mesh; if it has
   particles as well, the bodies are in files called NAME_bodies. Objects that are added later get no files.

   NULL, with the reason (the file, and the system's error) in message. Files of the same names are overwritten. Mesh
   files of the same names and formats that an earlier run left are removed, which are recognised by their first
   line; other files in the folder are kept. */
sn_output *sn_output_open(sn_scene *scene, const char *folder, unsigned formats, char *message, size_t size);

/* Writes the present state as the next frame; the first is 0000. Positions are relative to the first origin,
   whatever shifts there were. False, with the reason; what was written before stays valid, all files then end with
   the previous frame, and the output can only be closed. */
bool sn_output_frame(sn_output *output, char *message, size_t size);

/* Closes all files. False if a file could not be completed. NULL is ignored. */
bool sn_output_close(sn_output *output, char *message, size_t size);

uint32_t sn_output_frames(const sn_output *output);
uint64_t sn_output_bytes(const sn_output *output);

/* The file name, without folder and ending, of object i, and after the last object of static or other bodies: the
   name in letters, digits, '-' and '_', with others replaced by '_', and with a number if that is taken ("rope-2").
   NULL beyond the last. */
const char *sn_output_name(const sn_output *output, uint32_t i);

#endif
