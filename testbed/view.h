/* What is seen: the camera, and a picture of a world as sn_world_draw shows it. */
#ifndef TESTBED_VIEW_H
#define TESTBED_VIEW_H

#include "testbed/play.h"

typedef struct orbit {
    vec target;
    float yaw, pitch; /* rad */
    float distance;   /* m */
} orbit;

/* All of the scene is seen; a flat one from the front. */
orbit orbit_around(const play *p, float aspect);
void orbit_turn(orbit *o, float right, float up); /* rad */
void orbit_pan(orbit *o, float right, float up);  /* as shares of the picture's height */
void orbit_zoom(orbit *o, float by);              /* 2: twice as near */
camera orbit_camera(const orbit *o);
vec camera_ray(const camera *c, int width, int height, float x, float y); /* through a pixel, not of length 1 */

/* What sn_world_draw gave, kept for as long as a picture takes. */
typedef struct view view;

view *view_create(void); /* NULL when memory runs out */
void view_destroy(view *v);

/* A layer of the testbed's own, beside those of sn_draw: surfaces of the scene's objects. */
#define VIEW_SURFACES (1u << 31)

/* Draws the world of a scene and finishes the picture. */
void view_draw(view *v, const play *p, uint32_t layers, const camera *eye, canvas *c);

#endif
