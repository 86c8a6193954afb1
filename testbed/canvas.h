/* Drawing in software, quickly: flat triangles, balls and lines with a depth buffer, shadows on a ground, and text. Four samples a pixel. */
#ifndef TESTBED_CANVAS_H
#define TESTBED_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct vec {
    float x, y, z;
} vec;

vec vec_add(vec a, vec b);
vec vec_sub(vec a, vec b);
vec vec_scale(vec a, float by);
float vec_dot(vec a, vec b);
vec vec_cross(vec a, vec b);
vec vec_unit(vec a); /* of length 1; (0, 1, 0) if it has none */

/* Where it is seen from. */
typedef struct camera {
    vec eye, right, up, back; /* back: from what is looked at towards the eye */
    float slope;              /* half of the picture's height, at a distance of 1 */
    float nearest;            /* m: what is nearer is not drawn */
} camera;

typedef struct canvas canvas;

/* fine: two samples across a pixel and two down it; otherwise one. NULL when memory runs out. */
canvas *canvas_create(int width, int height, bool fine);
void canvas_destroy(canvas *c); /* NULL is fine */
int canvas_width(const canvas *c);
int canvas_height(const canvas *c);

/* A picture begins: the background, nothing on it. */
void canvas_begin(canvas *c, const camera *eye);

/* A level ground at this height (m), seen from above, that fades into the background beyond `far` (m). Draw it first. The camera must not be
   tilted sideways. */
void canvas_ground(canvas *c, float height, float far, uint32_t colour);

/* Colours are 0xrrggbb. A triangle is lit from both sides. */
void canvas_triangle(canvas *c, vec a, vec b, vec d, uint32_t colour);
/* radius: m; 0: a dot. Draws it at least so many pixels wide. */
void canvas_ball(canvas *c, vec place, float radius, float least_pixels, uint32_t colour);
/* Drawn a little nearer than it is, so that lines on a surface are seen. pixels: how wide. */
void canvas_line(canvas *c, vec from, vec to, float pixels, uint32_t colour);

/* Shadows on the plane through `ground` with the normal `up`, of what is above it. Draw what receives them first, and these after it. */
void canvas_shadow_triangle(canvas *c, vec ground, vec up, vec a, vec b, vec d);
void canvas_shadow_ball(canvas *c, vec ground, vec up, vec place, float radius);

/* What follows is drawn over all that is there, whatever its depth. */
void canvas_over(canvas *c);

/* Samples become pixels; what follows is drawn on those. */
void canvas_finish(canvas *c);

/* On the finished picture, in pixels from its upper left corner. A letter is 6 * size wide and 9 * size high. */
void canvas_text(canvas *c, int x, int y, int size, uint32_t colour, const char *text);
void canvas_box(canvas *c, int x, int y, int width, int height, uint32_t colour, float opacity);
/* Where a place is on the picture; false if it is behind the eye. */
bool canvas_project(const canvas *c, vec place, float *x, float *y);

/* The pixels, 0x00rrggbb, rows from above. */
const uint32_t *canvas_pixels(const canvas *c);

#endif
