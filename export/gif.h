/* Films as GIF, which everything plays. 255 colours a frame, chosen anew for each; only what changed is written. */
#ifndef SN_EXPORT_GIF_H
#define SN_EXPORT_GIF_H

#include "export/file.h"

/* Frames a second at most: players show a shorter delay than 0.02 s as 0.1 s. */
#define SN_GIF_MOST_RATE 50

typedef struct sn_gif {
    sn_file file;
    uint32_t width, height, rate;
    uint32_t frames;        /* written so far */
    unsigned char *earlier; /* the last frame, RGB */
    struct sn_gif_scratch *scratch;
} sn_gif;

/* width, height: 1 .. 65535. rate: frames a second, 1 .. SN_GIF_MOST_RATE. The film is played again and again. False, with the reason
   in message, like the others; the file is then removed. */
bool sn_gif_open(sn_gif *gif, const char *path, uint32_t width, uint32_t height, uint32_t rate, char *message,
                 size_t size);

/* rgb: 3 bytes a pixel, rows from above. */
bool sn_gif_frame(sn_gif *gif, const unsigned char *rgb, char *message, size_t size);

/* A film without frames, like one that was never opened, is removed. */
bool sn_gif_close(sn_gif *gif, char *message, size_t size);

#endif
