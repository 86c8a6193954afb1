/* Drawing in progress; only for draw*.c. */
#ifndef SN_WORLD_DRAW_H
#define SN_WORLD_DRAW_H

#include "world/world.h"

#include <sinew/draw.h>

typedef struct sn_drawing {
    const sn_world *world;
    const sn_draw *draw;
} sn_drawing;

enum {
    SN_COLOUR_PARTICLE = 0xe8e8e8,
    SN_COLOUR_STILL = 0x909090, /* immovable */
    SN_COLOUR_ASLEEP = 0x5070a0,
    SN_COLOUR_SKIN = 0xd09860,
    SN_COLOUR_BODY = 0x70b070,
    SN_COLOUR_FIXED = 0x808890,
    SN_COLOUR_SENSOR = 0xc0c040,
    SN_COLOUR_ANCHOR = 0xff60ff,
    SN_COLOUR_CONTACT = 0xff4030,
    SN_COLOUR_FORCE = 0xffa020,
    SN_COLOUR_VELOCITY = 0x40c0ff,
    SN_COLOUR_BOUNDS = 0x506050,
    SN_COLOUR_TEXT = 0xffffff
};

static inline bool drawing_wants(const sn_drawing *d, uint32_t layer)
{
    return (d->draw->layers & layer) != 0;
}

/* ---- draw.c: calls of the caller's functions --------------------------------------------------------------------- */

/* Omitted if it is outside the box, or not finite. */
void sn_drawing_point(const sn_drawing *d, sn_vec3 place, sn_real radius, uint32_t colour);
void sn_drawing_line(const sn_drawing *d, sn_vec3 from, sn_vec3 to, uint32_t colour);
void sn_drawing_triangle(const sn_drawing *d, sn_vec3 a, sn_vec3 b, sn_vec3 c, uint32_t colour);
void sn_drawing_text(const sn_drawing *d, sn_vec3 place, const char *text, uint32_t colour);
void sn_drawing_box(const sn_drawing *d, const sn_bounds *bounds, uint32_t colour);

/* A colour for a number, different from those of nearby numbers. */
uint32_t sn_drawing_hue(uint32_t number);

/* The colour of a particle, with the layers that colour by state; `usual` without these. */
uint32_t sn_drawing_colour(const sn_drawing *d, uint32_t slot, uint32_t usual);

/* The tile of a slot; SN_ID_FREE if it is in none. */
uint32_t sn_drawing_tile(const sn_drawing *d, uint32_t slot);

/* ---- Layers ------------------------------------------------------------------------------------------------------ */

void sn_draw_shapes(const sn_drawing *d);      /* draw_shapes.c: shapes, skins, boxes */
void sn_draw_constraints(const sn_drawing *d); /* draw_constraints.c: constraints, anchors */
void sn_draw_contacts(const sn_drawing *d);    /* draw_contacts.c: contacts, forces */

#endif
