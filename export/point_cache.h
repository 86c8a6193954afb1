/* Point caches in the PC2 format: the places of the same points in every frame. Blender, 3ds Max and others read them.

   The file is a head of 32 bytes, then for every frame three floats for every point, all little-endian:

        0  "POINTCACHE2" and a zero byte
       12  int32   version, 1
       16  int32   points
       20  float   frame of the first sample
       24  float   frames between samples
       28  int32   samples

   The last number is brought up to date after every frame, so that the file can be opened while it grows. */
#ifndef SN_EXPORT_POINT_CACHE_H
#define SN_EXPORT_POINT_CACHE_H

#include "export/file.h"

typedef struct sn_point_cache {
    sn_file file;
    uint32_t points;
    uint32_t frames; /* written whole */
} sn_point_cache;

/* Makes an empty cache. False, with the file and the reason in message, like all that follow. */
bool sn_point_cache_open(sn_point_cache *cache, const char *path, uint32_t points, float start, float rate,
                         char *message, size_t size);

/* Appends a frame, rounded to float in a double build. If it cannot be written whole, the file is as before. */
bool sn_point_cache_frame(sn_point_cache *cache, const sn_vec3 *place, char *message, size_t size);

/* Forgets all but the first so many frames. */
bool sn_point_cache_keep(sn_point_cache *cache, uint32_t frames, char *message, size_t size);

bool sn_point_cache_close(sn_point_cache *cache, char *message, size_t size);

typedef struct sn_point_cache_info {
    uint32_t points;
    uint32_t frames;
    float start;
    float rate;
    uint64_t bytes;      /* of the file */
    uint64_t unfinished; /* of them, belonging to a frame that is not whole yet: less than one frame */
} sn_point_cache_info;

/* Reads the head, and holds it against the size of the file: too short, another magic or version, or a size that does
   not go with the counts are errors. */
bool sn_point_cache_read_header(const char *path, sn_point_cache_info *info, char *message, size_t size);

#endif
