/* Pictures and films as PNG. A film is an animated PNG (APNG), which browsers play. */
#ifndef SN_EXPORT_PNG_H
#define SN_EXPORT_PNG_H

#include "export/file.h"

typedef struct sn_png {
    sn_file file;
    uint32_t width, height, rate;
    uint32_t frames;        /* written so far */
    uint32_t number;        /* of the next chunk of a film */
    unsigned char *earlier; /* the previous frame of a film, RGB: only changes are written */
} sn_png;

/* rate: frames a second of a film, 1 .. 1000; 0: a picture, with one frame. Like the others it returns false, with
   the reason in message, on failure; the file is then removed. */
bool sn_png_open(sn_png *png, const char *path, uint32_t width, uint32_t height, uint32_t rate, char *message,
                 size_t size);

/* rgb: 3 bytes a pixel, rows from top to bottom. */
bool sn_png_frame(sn_png *png, const unsigned char *rgb, char *message, size_t size);

/* The file of a film without frames is removed. */
bool sn_png_close(sn_png *png, char *message, size_t size);

#endif
