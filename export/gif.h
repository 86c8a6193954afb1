/* Films as GIF, which all players support. Each frame has its own 255 colours; only changed pixels are written. */
#ifndef SN_EXPORT_GIF_H
#define SN_EXPORT_GIF_H

#include "export/file.h"

/* The most frames a second: players show a delay of less than 0.02 s as 0.1 s. */
#define SN_GIF_MOST_RATE 50

typedef struct sn_gif {
    sn_file file;
    uint32_t width, height, rate;
    uint32_t frames;        /* written so far */
    unsigned char *earlier; /* the previous frame, RGB */
    struct sn_gif_scratch *scratch;
} sn_gif;

/* width, height: 1 .. 65535. rate: frames a second, 1 .. SN_GIF_MOST_RATE. The film repeats for ever. Like the
   others it returns false, with the reason in message, on failure; the file is then removed. */
bool sn_gif_open(sn_gif *gif, const char *path, uint32_t width, uint32_t height, uint32_t rate, char *message,
                 size_t size);

/* rgb: 3 bytes a pixel, rows from top to bottom. */
bool sn_gif_frame(sn_gif *gif, const unsigned char *rgb, char *message, size_t size);

/* The file of a film without frames is removed. */
bool sn_gif_close(sn_gif *gif, char *message, size_t size);

#endif
