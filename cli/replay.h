/* A run that 'sinew run --out' wrote to a folder, for pictures: frame by frame as triangles and balls. Read are meshes of every frame
   (obj, ply), and point caches and poses of bodies with the meshes that belong to them (pc2). Constraints are not in these files, so strings
   between objects are not drawn. */
#ifndef SN_CLI_REPLAY_H
#define SN_CLI_REPLAY_H

#include "export/raster.h"

typedef struct sn_replay sn_replay;

/* Opens the folder of a run, or one point cache (NAME.pc2, with NAME.obj beside it), and goes to the first frame. NULL, with the file
   and the reason in message, if it cannot be read or has nothing that can be drawn. */
sn_replay *sn_replay_open(const char *path, char *message, size_t size);
void sn_replay_destroy(sn_replay *replay); /* NULL is fine */

/* How many frames there are, at least 1, and how many of them make a second. */
uint32_t sn_replay_frames(const sn_replay *replay);
double sn_replay_rate(const sn_replay *replay);

/* The name of the scene that was run, or of the point cache. */
const char *sn_replay_name(const sn_replay *replay);

/* Whether it is a run of a 2D world. One point cache does not tell, and is taken as one of a 3D world. */
bool sn_replay_is_flat(const sn_replay *replay);

/* Reads a frame, counted from 0. False, with the file and the reason in message. */
bool sn_replay_go_to(sn_replay *replay, uint32_t frame, char *message, size_t size);

/* The frame that was read last, as the calls of the same names in show.h. */
void sn_replay_bounds(const sn_replay *replay, float low[3], float high[3]);
void sn_replay_static_bounds(const sn_replay *replay, float most, float low[3], float high[3]);
bool sn_replay_ground(const sn_replay *replay, float *height);
bool sn_replay_model(sn_replay *replay, float size, sn_raster_model *model);

#endif
