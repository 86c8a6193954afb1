/* A run that 'sinew run --out' wrote to a folder, for pictures: each frame as triangles and balls. It reads meshes
   per frame (obj, ply), and point caches and poses of bodies with their meshes (pc2). These files have no
   constraints, so strings between objects are not drawn. */
#ifndef SN_CLI_REPLAY_H
#define SN_CLI_REPLAY_H

#include "export/raster.h"

typedef struct sn_replay sn_replay;

/* Opens the folder of a run, or one point cache (NAME.pc2, with NAME.obj beside it), and reads the first frame.
   NULL, with the file and the reason in message, if it cannot be read or has nothing to draw. */
sn_replay *sn_replay_open(const char *path, char *message, size_t size);
void sn_replay_destroy(sn_replay *replay); /* NULL is ignored */

/* The number of frames, at least 1, and the frames per second. */
uint32_t sn_replay_frames(const sn_replay *replay);
double sn_replay_rate(const sn_replay *replay);

/* The name of the scene, or of the point cache. */
const char *sn_replay_name(const sn_replay *replay);

/* Whether the world of the run is 2D. A single point cache does not tell, and counts as 3D. */
bool sn_replay_is_flat(const sn_replay *replay);

/* Reads a frame, counted from 0. False, with the file and the reason in message. */
bool sn_replay_go_to(sn_replay *replay, uint32_t frame, char *message, size_t size);

/* The frame that was read last; these are as the calls of the same names in show.h. */
void sn_replay_bounds(const sn_replay *replay, float low[3], float high[3]);
void sn_replay_static_bounds(const sn_replay *replay, float most, float low[3], float high[3]);
bool sn_replay_ground(const sn_replay *replay, float *height);
bool sn_replay_model(sn_replay *replay, float size, sn_raster_model *model);

#endif
