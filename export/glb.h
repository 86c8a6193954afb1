/* A moving scene as one file of glTF 2.0 (.glb), which Blender, three.js, game engines and most viewers open.

   What deforms is a mesh with morph targets. The first frame is the mesh; every later frame is a target, the
   displacement of each vertex from there. The weight of a target is 1 at its time and 0 at those of its neighbours,
   so that vertices move on straight lines from frame to frame. A vertex is at its simulated position up to the
   rounding of two floats. When something is torn or cut, so that vertices or triangles change, a new mesh begins;
   each mesh is visible only in its time (its scale is 0 otherwise). Rigid bodies are nodes that move and rotate;
   equal ones share a mesh, and those that never move have no track.

   In glTF the text comes before the numbers, and it has the count of frames. So frames are written to two temporary
   files, FILE.frames and FILE.poses, which are deleted at the end, and the .glb is written when it is closed.
   Numbers are floats, in metres and seconds, with y up. */
#ifndef SN_EXPORT_GLB_H
#define SN_EXPORT_GLB_H

#include "export/mesh_file.h"

typedef struct sn_glb sn_glb;

/* Begins; a file of that name is replaced. NULL, with the file and the reason in message. */
sn_glb *sn_glb_open(const char *path, char *message, size_t size);

/* Add things, before the first frame. Names are UTF-8; colours 0xrrggbb. A group is a node with child nodes; parent:
   a result of sn_glb_add_group, or 0 for none. The mesh of a rigid thing is in its own frame. 0, or false, when
   memory runs out. */
uint32_t sn_glb_add_group(sn_glb *glb, const char *name);
bool sn_glb_add_soft(sn_glb *glb, const char *name, uint32_t colour, uint32_t parent);
bool sn_glb_add_rigid(sn_glb *glb, const char *name, uint32_t colour, uint32_t parent, const sn_mesh_view *mesh);

/* For a frame, put every thing once, numbered by kind in the order in which they were added, then call sn_glb_frame.
   That call reports all failures: no memory, a number that is not finite, a file beyond the 4 GiB of the format. It
   then returns false, with the reason, and the frame does not count. pose: position and quaternion (x, y, z, w). */
void sn_glb_put_soft(sn_glb *glb, uint32_t soft, const sn_mesh_view *mesh);
void sn_glb_put_rigid(sn_glb *glb, uint32_t rigid, const sn_real pose[7]);
bool sn_glb_frame(sn_glb *glb, double time, char *message, size_t size);

/* Discards what was put since the last frame, and all but the first `frames` frames. */
void sn_glb_keep(sn_glb *glb, uint32_t frames);

uint64_t sn_glb_bytes(const sn_glb *glb); /* written so far */

/* Writes the file and frees everything. On failure it returns false, with the reason; there is then no file, nor if
   there was no frame. NULL is ignored. */
bool sn_glb_close(sn_glb *glb, char *message, size_t size);

#endif
