/* Pictures and films as PNG: a film is an animated one (APNG), which browsers play. */
#ifndef SN_EXPORT_PNG_H
#define SN_EXPORT_PNG_H

#include "export/file.h"

typedef struct sn_png {
    sn_file file;
    uint32_t width, height, rate;
    uint32_t frames;        /* written so far */
    uint32_t number;        /* of the next chunk of a film */
    unsigned char *earlier; /* the last frame of a film, RGB: only what changed is written */
} sn_png;

/* rate: frames a second of a film, 1 .. 1000; 0: it is a picture, and has one frame. False, with the reason in message, like the others; the
   file is then removed. */
bool sn_png_open(sn_png *png, const char *path, uint32_t width, uint32_t height, uint32_t rate, char *message,
                 size_t size);

/* rgb: 3 bytes a pixel, rows from above. */
bool sn_png_frame(sn_png *png, const unsigned char *rgb, char *message, size_t size);

/* A film without frames, like one that was never opened, is removed. */
bool sn_png_close(sn_png *png, char *message, size_t size);

#endif
