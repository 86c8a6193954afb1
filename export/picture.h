/* A picture of a world, with the content of sn_world_draw: an SVG file, seen from far away (without perspective). */
#ifndef SN_EXPORT_PICTURE_H
#define SN_EXPORT_PICTURE_H

#include <sinew/sinew.h>

typedef struct sn_picture_def {
    sn_draw draw;           /* layers and lengths; its functions are set by sn_picture_write */
    double from[3];         /* the direction towards the eye, not 0; default (0.5, 0.4, 1), of 2D worlds (0, 0, 1) */
    uint32_t width, height; /* pixels; default 1200 x 900 */
    const char *title;      /* written into a corner; may be NULL */
} sn_picture_def;

sn_picture_def sn_default_picture_def(const sn_world *world);

/* Writes the picture. All particles and bodies are in view, and static bodies near them. Takes memory for everything
   that is drawn. False, with the file and the reason in message. */
bool sn_picture_write(const sn_world *world, const sn_picture_def *def, const char *path, char *message, size_t size);

#endif
