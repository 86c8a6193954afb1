#include "export/point_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HEAD_SIZE  32
#define SAMPLES_AT 28
static const char magic[12] = "POINTCACHE2";

static uint64_t frame_size(uint32_t points)
{
    return (uint64_t)points * 12;
}

bool sn_point_cache_open(sn_point_cache *cache, const char *path, uint32_t points, float start, float rate,
                         char *message, size_t size)
{
    *cache = (sn_point_cache){.points = points};
    if (points > INT32_MAX) {
        snprintf(message, size, "%s: a point cache holds at most %" PRId32 " points, not %" PRIu32, path, INT32_MAX,
                 points);
        return false;
    }
    sn_file *file = &cache->file;
    if (!sn_file_open(file, path, message, size))
        return false;
    sn_file_put(file, magic, sizeof magic);
    sn_file_put_u32(file, 1);
    sn_file_put_u32(file, points);
    sn_file_put_f32(file, start);
    sn_file_put_f32(file, rate);
    sn_file_put_u32(file, 0);
    if (sn_file_keep(file, message, size))
        return true;
    sn_file_close(file, NULL, 0);
    return false;
}

static bool write_count(sn_point_cache *cache, uint32_t frames, char *message, size_t size)
{
    unsigned char bytes[4];
    for (int i = 0; i < 4; ++i)
        bytes[i] = (unsigned char)(frames >> 8 * i & 0xff);
    return sn_file_patch(&cache->file, SAMPLES_AT, bytes, sizeof bytes, message, size);
}

bool sn_point_cache_frame(sn_point_cache *cache, const sn_vec3 *place, char *message, size_t size)
{
    sn_file *file = &cache->file;
    if (cache->frames == INT32_MAX) {
        snprintf(message, size, "%s: a point cache holds at most %" PRId32 " frames", file->path, INT32_MAX);
        return false;
    }
    for (uint32_t i = 0; i < cache->points; ++i) {
        sn_file_put_f32(file, (float)place[i].x);
        sn_file_put_f32(file, (float)place[i].y);
        sn_file_put_f32(file, (float)place[i].z);
    }
    if (sn_file_keep(file, message, size) && write_count(cache, cache->frames + 1, message, size)) {
        ++cache->frames;
        return true;
    }
    sn_point_cache_keep(cache, cache->frames, NULL, 0);
    return false;
}

bool sn_point_cache_keep(sn_point_cache *cache, uint32_t frames, char *message, size_t size)
{
    if (frames < cache->frames)
        cache->frames = frames;
    sn_file_cut(&cache->file, HEAD_SIZE + cache->frames * frame_size(cache->points));
    return write_count(cache, cache->frames, message, size);
}

bool sn_point_cache_close(sn_point_cache *cache, char *message, size_t size)
{
    return sn_file_close(&cache->file, message, size);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static uint32_t get_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static float get_f32(const unsigned char *bytes)
{
    uint32_t bits = get_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool check_size(const char *path, const sn_point_cache_info *info, char *message, size_t size)
{
    uint64_t frame = frame_size(info->points), promised = HEAD_SIZE + info->frames * frame;
    if (info->bytes < promised) {
        snprintf(message, size,
                 "%s: truncated: has %" PRIu64 " bytes, and %" PRIu32 " frames of %" PRIu32 " points take %" PRIu64,
                 path, info->bytes, info->frames, info->points, promised);
        return false;
    }
    if (info->bytes - promised > frame) { /* part of the next frame may have been written already */
        snprintf(message, size,
                 "%s: has %" PRIu64 " bytes, but %" PRIu32 " frames of %" PRIu32 " points take only %" PRIu64, path,
                 info->bytes, info->frames, info->points, promised);
        return false;
    }
    return true;
}

bool sn_point_cache_read_header(const char *path, sn_point_cache_info *info, char *message, size_t size)
{
    unsigned char head[HEAD_SIZE];
    size_t count;
    *info = (sn_point_cache_info){0};
    if (!sn_file_head(path, head, sizeof head, &count, &info->bytes, message, size))
        return false;
    if (count < sizeof magic || memcmp(head, magic, sizeof magic) != 0) {
        snprintf(message, size, "%s: not a point cache: does not start with POINTCACHE2", path);
        return false;
    }
    if (count < HEAD_SIZE) {
        snprintf(message, size, "%s: truncated: has %llu bytes, and the head takes %d", path, (unsigned long long)count,
                 HEAD_SIZE);
        return false;
    }
    if (get_u32(head + 12) != 1) {
        snprintf(message, size, "%s: a point cache of version %" PRId32 ", expected 1", path,
                 (int32_t)get_u32(head + 12));
        return false;
    }
    info->points = get_u32(head + 16);
    info->start = get_f32(head + 20);
    info->rate = get_f32(head + 24);
    info->frames = get_u32(head + SAMPLES_AT);
    if (info->points > INT32_MAX || info->frames > INT32_MAX) {
        snprintf(message, size, "%s: a point cache with %" PRId32 " points and %" PRId32 " frames, expected 0 or more",
                 path, (int32_t)info->points, (int32_t)info->frames);
        return false;
    }
    if (!check_size(path, info, message, size))
        return false;
    info->unfinished = info->bytes - HEAD_SIZE - info->frames * frame_size(info->points);
    return true;
}
