/* A scene that moves as one file of glTF 2.0 (.glb), which Blender, three.js, game engines and most viewers open.

   What deforms is a mesh with morph targets: the first frame is the mesh, and every later one a target, which is how far each vertex is from there; the
   weights make each target 1 at its time and 0 at those of its neighbours, so that vertices move on straight lines from frame to frame. A
   vertex is where it was simulated but for the rounding of two floats. When something is torn or cut, so that vertices or triangles change,
   a mesh of its own begins; each is seen in its time only (its scale is 0 otherwise). Rigid bodies are nodes that move and turn; equal ones share a
   mesh, and those that never move have no track.

   glTF keeps its text in front of the numbers, and the text counts the frames. So frames go to two files beside it, FILE.frames and FILE.poses,
   which are gone in the end, and the .glb is written when it is closed. Numbers are floats, in metres, seconds and with y up. */
#ifndef SN_EXPORT_GLB_H
#define SN_EXPORT_GLB_H

#include "export/mesh_file.h"

typedef struct sn_glb sn_glb;

/* Begins; a file of that name is deleted. NULL, with the file and the reason in message. */
sn_glb *sn_glb_open(const char *path, char *message, size_t size);

/* What there is, before the first frame. Names are UTF-8; colours 0xrrggbb. A group is a node that others hang on; parent: what
   sn_glb_add_group returned, or 0 for none. The mesh of something rigid is in its own frame. 0, or false, when memory runs out. */
uint32_t sn_glb_add_group(sn_glb *glb, const char *name);
bool sn_glb_add_soft(sn_glb *glb, const char *name, uint32_t colour, uint32_t parent);
bool sn_glb_add_rigid(sn_glb *glb, const char *name, uint32_t colour, uint32_t parent, const sn_mesh_view *mesh);

/* A frame is made of one of these for everything there is, counted by kind in the order in which they were added, and ended with
   sn_glb_frame, which knows what went wrong: no memory, something that is not finite, a file beyond the 4 GiB that the format can hold. False then, with
   the reason, and the frame does not count. pose: position and quaternion (x, y, z, w). */
void sn_glb_put_soft(sn_glb *glb, uint32_t soft, const sn_mesh_view *mesh);
void sn_glb_put_rigid(sn_glb *glb, uint32_t rigid, const sn_real pose[7]);
bool sn_glb_frame(sn_glb *glb, double time, char *message, size_t size);

/* Forgets what was put since the last frame, and frames behind the first so many. */
void sn_glb_keep(sn_glb *glb, uint32_t frames);

uint64_t sn_glb_bytes(const sn_glb *glb); /* written so far */

/* Writes the file and releases all. False, with the reason, if that failed: there is no file then, nor if there was
   no frame. NULL is fine. */
bool sn_glb_close(sn_glb *glb, char *message, size_t size);

#endif
