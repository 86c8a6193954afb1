/* Point caches in the PC2 format: the positions of the same points in every frame. Blender, 3ds Max and others read
   them.

   The file is a header of 32 bytes, then for every frame three floats for every point, all little-endian:

        0  "POINTCACHE2" and a zero byte
       12  int32   version, 1
       16  int32   points
       20  float   frame of the first sample
       24  float   frames between samples
       28  int32   samples

   The last number is updated after every frame, so that the file can be opened while it grows. */
#ifndef SN_EXPORT_POINT_CACHE_H
#define SN_EXPORT_POINT_CACHE_H

#include "export/file.h"

typedef struct sn_point_cache {
    sn_file file;
    uint32_t points;
    uint32_t frames; /* complete ones */
} sn_point_cache;

/* Makes an empty cache. Like all that follow it returns false, with the file and the reason in message, on failure. */
bool sn_point_cache_open(sn_point_cache *cache, const char *path, uint32_t points, float start, float rate,
                         char *message, size_t size);

/* Appends a frame, rounded to float in a double build. If it cannot be written completely, the file is as before. */
bool sn_point_cache_frame(sn_point_cache *cache, const sn_vec3 *place, char *message, size_t size);

/* Discards all but the first `frames` frames. */
bool sn_point_cache_keep(sn_point_cache *cache, uint32_t frames, char *message, size_t size);

bool sn_point_cache_close(sn_point_cache *cache, char *message, size_t size);

typedef struct sn_point_cache_info {
    uint32_t points;
    uint32_t frames;
    float start;
    float rate;
    uint64_t bytes;      /* of the file */
    uint64_t unfinished; /* bytes of an incomplete frame at the end: less than one frame */
} sn_point_cache_info;

/* Reads the header, and compares it with the size of the file. Errors: too short, another magic or version, or a
   size that contradicts the counts. */
bool sn_point_cache_read_header(const char *path, sn_point_cache_info *info, char *message, size_t size);

#endif
