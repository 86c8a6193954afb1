#include "export/png.h"
#include "export/deflate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Part of a frame. */
typedef struct region {
    uint32_t x, y, width, height;
} region;

/* ---- Chunks ------------------------------------------------------------------------------------------------------ */

static void put_u32(sn_bytes *to, uint32_t value)
{
    const unsigned char b[4] = {(unsigned char)(value >> 24), (unsigned char)(value >> 16), (unsigned char)(value >> 8),
                                (unsigned char)value};
    sn_bytes_put(to, b, 4);
}

static void put_u16(sn_bytes *to, uint32_t value)
{
    const unsigned char b[2] = {(unsigned char)(value >> 8), (unsigned char)value};
    sn_bytes_put(to, b, 2);
}

static uint32_t checksum(const unsigned char *data, size_t count)
{
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < count; ++i) {
        sum ^= data[i];
        for (int bit = 0; bit < 8; ++bit)
            sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
    }
    return ~sum;
}

/* A chunk is written once its data are known: its name and data are first collected in `bytes`. */
static void begin_chunk(sn_bytes *bytes, const char *name)
{
    bytes->count = 0;
    sn_bytes_put(bytes, name, 4);
}

static bool end_chunk(sn_png *png, sn_bytes *bytes)
{
    sn_bytes frame = {0};
    if (!bytes->failed) {
        put_u32(&frame, (uint32_t)bytes->count - 4);
        sn_file_put(&png->file, frame.data, frame.count);
        sn_file_put(&png->file, bytes->data, bytes->count);
        frame.count = 0;
        put_u32(&frame, checksum(bytes->data, bytes->count));
        sn_file_put(&png->file, frame.data, frame.count);
    }
    const bool good = !bytes->failed && !frame.failed;
    free(frame.data);
    return good;
}

/* ---- Filters ----------------------------------------------------------------------------------------------------- */

static unsigned char paeth(int left, int above, int corner)
{
    const int guess = left + above - corner, l = abs(guess - left), a = abs(guess - above), c = abs(guess - corner);
    return (unsigned char)(l <= a && l <= c ? left : a <= c ? above : corner);
}

/* Filters a row: subtracts a prediction from its neighbours. Returns roughly how much is left. */
static uint64_t filter_row(int type, const unsigned char *row, const unsigned char *above, size_t count,
                           unsigned char *to)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        const int left = i >= 3 ? row[i - 3] : 0, up = above ? above[i] : 0,
                  corner = above && i >= 3 ? above[i - 3] : 0;
        const int guess = type == 0   ? 0
                          : type == 1 ? left
                          : type == 2 ? up
                          : type == 3 ? (left + up) / 2
                                      : paeth(left, up, corner);
        to[i] = (unsigned char)(row[i] - guess);
        sum += to[i] < 128 ? to[i] : 256u - to[i];
    }
    return sum;
}

/* Each row has the filter that leaves least, as the specification advises. */
static bool put_pixels(sn_bytes *to, const sn_png *png, const unsigned char *rgb, region r)
{
    const size_t line = 3 * (size_t)r.width;
    unsigned char *all = malloc((line + 1) * r.height), *tried = malloc(line);
    bool good = all && tried;
    for (uint32_t y = 0; good && y < r.height; ++y) {
        const unsigned char *row = rgb + 3 * ((size_t)(r.y + y) * png->width + r.x);
        const unsigned char *above = y ? row - 3 * (size_t)png->width : NULL;
        unsigned char *out = all + (line + 1) * y;
        uint64_t least = UINT64_MAX;
        for (int type = 0; type < 5; ++type) {
            const uint64_t sum = filter_row(type, row, above, line, tried);
            if (sum >= least)
                continue;
            least = sum;
            out[0] = (unsigned char)type;
            memcpy(out + 1, tried, line);
        }
    }
    good = good && sn_deflate(to, all, (line + 1) * r.height);
    free(all);
    free(tried);
    return good;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static void fail(sn_png *png, const char *why, char *message, size_t size)
{
    if (why)
        snprintf(message, size, "%s: %s", png->file.path ? png->file.path : "picture", why);
    sn_file_discard(&png->file);
    free(png->earlier);
    png->earlier = NULL;
    png->frames = 0; /* sn_png_close then does nothing */
}

bool sn_png_open(sn_png *png, const char *path, uint32_t width, uint32_t height, uint32_t rate, char *message,
                 size_t size)
{
    *png = (sn_png){.width = width, .height = height, .rate = rate};
    if (!sn_file_open(&png->file, path, message, size))
        return false;
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'},
                               format[5] = {8, 2, 0, 0, 0}; /* 8 bits, RGB */
    sn_bytes bytes = {0};
    sn_file_put(&png->file, signature, sizeof signature);
    begin_chunk(&bytes, "IHDR");
    put_u32(&bytes, width);
    put_u32(&bytes, height);
    sn_bytes_put(&bytes, format, sizeof format);
    bool good = end_chunk(png, &bytes);
    if (rate) { /* the number of frames is set when the film is closed */
        begin_chunk(&bytes, "acTL");
        put_u32(&bytes, 1);
        put_u32(&bytes, 0); /* for ever */
        good = good && end_chunk(png, &bytes) && (png->earlier = malloc(3 * (size_t)width * height)) != NULL;
    }
    free(bytes.data);
    if (!good)
        fail(png, "out of memory", message, size);
    return good && sn_file_keep(&png->file, message, size);
}

/* The smallest region with all pixels that changed; a single pixel if none did. */
static region changed(const sn_png *png, const unsigned char *rgb)
{
    const size_t line = 3 * (size_t)png->width;
    uint32_t left = png->width, right = 0, top = png->height, bottom = 0;
    for (uint32_t y = 0; y < png->height; ++y) {
        const unsigned char *now = rgb + line * y, *then = png->earlier + line * y;
        if (memcmp(now, then, line) == 0)
            continue;
        uint32_t first = 0, last = png->width - 1;
        while (memcmp(now + 3 * (size_t)first, then + 3 * (size_t)first, 3) == 0)
            ++first;
        while (memcmp(now + 3 * (size_t)last, then + 3 * (size_t)last, 3) == 0)
            --last;
        left = first < left ? first : left;
        right = last > right ? last : right;
        top = y < top ? y : top;
        bottom = y;
    }
    return top == png->height ? (region){0, 0, 1, 1} : (region){left, top, right - left + 1, bottom - top + 1};
}

static bool put_control(sn_png *png, region r)
{
    sn_bytes bytes = {0};
    begin_chunk(&bytes, "fcTL");
    put_u32(&bytes, png->number++);
    put_u32(&bytes, r.width);
    put_u32(&bytes, r.height);
    put_u32(&bytes, r.x);
    put_u32(&bytes, r.y);
    put_u16(&bytes, 1);
    put_u16(&bytes, png->rate);
    put_u16(&bytes, 0); /* the frame stays, and replaces what was there */
    const bool good = end_chunk(png, &bytes);
    free(bytes.data);
    return good;
}

bool sn_png_frame(sn_png *png, const unsigned char *rgb, char *message, size_t size)
{
    const region r = png->frames ? changed(png, rgb) : (region){0, 0, png->width, png->height};
    sn_bytes bytes = {0};
    bool good = !png->rate || put_control(png, r);
    begin_chunk(&bytes, png->frames ? "fdAT" : "IDAT");
    if (png->frames)
        put_u32(&bytes, png->number++);
    good = good && put_pixels(&bytes, png, rgb, r) && end_chunk(png, &bytes);
    free(bytes.data);
    if (!good) {
        fail(png, "out of memory", message, size);
        return false;
    }
    if (!sn_file_keep(&png->file, message, size)) {
        fail(png, NULL, message, size);
        return false;
    }
    if (png->rate)
        memcpy(png->earlier, rgb, 3 * (size_t)png->width * png->height);
    png->frames++;
    return true;
}

/* Where the name of the chunk acTL is, after the signature and IHDR. */
#define CONTROL_AT (8 + 25 + 4)

static bool put_count(sn_png *png, char *message, size_t size)
{
    sn_bytes bytes = {0};
    begin_chunk(&bytes, "acTL");
    put_u32(&bytes, png->frames);
    put_u32(&bytes, 0);
    if (!bytes.failed)
        put_u32(&bytes, checksum(bytes.data, bytes.count));
    bool good = !bytes.failed && sn_file_patch(&png->file, CONTROL_AT, bytes.data, bytes.count, message, size);
    free(bytes.data);
    return good;
}

bool sn_png_close(sn_png *png, char *message, size_t size)
{
    sn_bytes bytes = {0};
    if (!png->frames) {
        fail(png, NULL, message, size);
        return true;
    }
    begin_chunk(&bytes, "IEND");
    bool good = end_chunk(png, &bytes) && sn_file_keep(&png->file, message, size) &&
                (!png->rate || put_count(png, message, size));
    free(bytes.data);
    free(png->earlier);
    png->earlier = NULL;
    return sn_file_close(&png->file, message, size) && good;
}
