/* Drawing in three dimensions, in software: triangles and balls in sunlight, with shadows, over a ground that fades
   into the distance. A picture is the same on every machine with the same rounding. */
#ifndef SN_EXPORT_RASTER_H
#define SN_EXPORT_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The things to draw, in metres, y up. Colours are 0xrrggbb; with SN_RASTER_CLEAR triangles are half transparent and
   cast no shadow. */
#define SN_RASTER_CLEAR 0x01000000u

typedef struct sn_raster_triangle {
    float place[3][3];
    float normal[3][3]; /* unit vectors; both sides are visible */
    uint32_t colour;
} sn_raster_triangle;

typedef struct sn_raster_ball {
    float place[3], radius;
    uint32_t colour;
} sn_raster_ball;

typedef struct sn_raster_model {
    sn_raster_triangle *triangle;
    size_t triangles, triangle_room;
    sn_raster_ball *ball;
    size_t balls, ball_room;
    bool failed; /* memory ran out */
} sn_raster_model;

/* Each adds a thing. If memory runs out, it is left out, and `failed` is set. */
void sn_raster_add_triangle(sn_raster_model *model, const sn_raster_triangle *triangle);
void sn_raster_add_ball(sn_raster_model *model, const sn_raster_ball *ball);

/* A tube between two points; its ends are open, for balls to close them. */
void sn_raster_add_tube(sn_raster_model *model, const float from[3], const float to[3], float radius, uint32_t colour);

void sn_raster_model_clear(sn_raster_model *model);   /* keeps its memory */
void sn_raster_model_release(sn_raster_model *model); /* NULL members are allowed */

typedef struct sn_raster_view {
    float eye[3], target[3]; /* m */
    float slope;             /* half of the picture's height, at a distance of 1 */
    float centre[3], radius; /* m: everything that casts shadows is in this ball */
    bool has_ground;
    float ground; /* m: the height of the ground, */
    float square; /* m: and the size of its squares */
    bool dark;    /* the colours of the sky and of the ground */
} sn_raster_view;

/* Places the eye so that all of a box is in the picture, in the direction `from` (of any length but 0). */
void sn_raster_fit(sn_raster_view *view, const float low[3], const float high[3], const float from[3], float aspect);

typedef struct sn_raster sn_raster;

/* Makes a picture of so many pixels. NULL when memory runs out. */
sn_raster *sn_raster_create(uint32_t width, uint32_t height);
void sn_raster_destroy(sn_raster *raster); /* NULL is ignored */

/* Draws. Returns the pixels, 3 bytes each, rows from top to bottom. They are valid until the next picture. */
const unsigned char *sn_raster_draw(sn_raster *raster, const sn_raster_model *model, const sn_raster_view *view);

#endif
