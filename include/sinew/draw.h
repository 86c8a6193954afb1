/* Debug drawing: a world as points, lines, triangles and labels, for whatever a program draws with.

   Set the functions that you have, choose layers, and call sn_world_draw whenever you like between steps. What it shows is the
   state: particles, constraints, shapes, contacts, sleep, the plan. examples/draw.c makes a picture of a scene with it, and so
   does `sinew draw scene.json`. */
#ifndef SINEW_DRAW_H
#define SINEW_DRAW_H

#include <sinew/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is drawn. (The flags of b2DebugDraw, and more.) */
typedef enum sn_draw_layer {
    SN_DRAW_PARTICLES = 1 << 0,   /* points, with their radius; those of bodies that have a shape are left out */
    SN_DRAW_CONSTRAINTS = 1 << 1, /* lines from point to point, coloured by kind */
    SN_DRAW_SKINS = 1 << 2,       /* triangles, and lines around them */
    SN_DRAW_SHAPES = 1 << 3,      /* those of bodies: lines, and triangles if you take them. Roundings of boxes
                                     are part of their size, those of hulls are left out; of a plane a piece is drawn,
                                     of a distance field its box */
    SN_DRAW_AXES = 1 << 4, /* of bodies: their own frame, x red, y green, z blue; and a point at the centre of mass */
    SN_DRAW_ANCHORS =
        1 << 5, /* where constraints hold bodies, triangles or places in the world: points, and lines from bodies */
    SN_DRAW_CONTACTS = 1 << 6,   /* that press: a point, and the normal with sn_draw.axis_length */
    SN_DRAW_FORCES = 1 << 7,     /* what presses there, N, as a line of force_length m/N */
    SN_DRAW_VELOCITIES = 1 << 8, /* of particles and bodies: lines of velocity_length s */
    SN_DRAW_BOUNDS = 1 << 9,     /* boxes of the broad phase around bodies and skins */
    SN_DRAW_NAMES = 1 << 10,     /* labels: numbers of particles and bodies, as their handles have them */

    /* How it is coloured; of several of these the first counts. */
    SN_DRAW_STRAIN =
        1 << 16, /* constraints by how far they are from holding: red longer, blue shorter, green not at all */
    SN_DRAW_ISLANDS =
        1
        << 17, /* particles and shapes: a colour for each island, as far as they are known (sn_contact_settings.sleep) */
    SN_DRAW_TILES = 1 << 18, /* particles and constraints: a colour for each tile of the plan; grey: between tiles */
    SN_DRAW_BATCHES =
        1
        << 19, /* constraints: a colour for each group of them that is solved side by side; grey: one by one. Before the first step, and after an edit until
                                  the next one, as if this were not asked for */

    SN_DRAW_ALL = 0x7ff /* all that is drawn, in the usual colours */
} sn_draw_layer;

/* Colours are 0xRRGGBB. Functions that are NULL are not called. They may read the world by calls that take a const one;
   others are refused with SN_ERROR_BUSY. Texts live for the call. */
typedef struct sn_draw {
    uint32_t layers; /* bits of sn_draw_layer; default particles, constraints, skins, shapes */
    void (*point)(void *context, sn_vec3 place, sn_real radius,
                  uint32_t colour); /* radius (m) 0: as small as you like */
    void (*line)(void *context, sn_vec3 from, sn_vec3 to, uint32_t colour);
    void (*triangle)(void *context, sn_vec3 a, sn_vec3 b, sn_vec3 c,
                     uint32_t colour); /* counter-clockwise seen from outside */
    void (*text)(void *context, sn_vec3 place, const char *text, uint32_t colour);
    void *context;

    sn_vec3 low, high;   /* m: what is all outside of this box is left out; default: nothing is (-INFINITY, INFINITY) */
    sn_real axis_length; /* m: of axes and normals; not negative; default 0.2 */
    sn_real velocity_length; /* s: of lines for velocities; default 0.1 */
    sn_real force_length;    /* m/N: of lines for forces; default 0.01 */
    sn_real
        full_strain; /* the share of its length by which a constraint is off that has the full colour; positive; default 0.01 */
    sn_real plane_size; /* m: half the piece of a plane that is drawn; positive; default 5 */
} sn_draw;

/* No functions yet. Start from this always: later versions append fields. */
SN_API sn_draw sn_default_draw(void);

/* Draws the world as it is. Refused, with nothing drawn: unknown layers, numbers that are not finite (but for the box) or
   out of range. It allocates nothing, changes nothing, and costs a world that does not call it nothing. Several threads may draw one
   world at once, and ask it meanwhile, as for queries; kinds of your own are then evaluated on these threads (SN_DRAW_STRAIN). The order is that of layers, and within them by number. */
SN_API sn_result sn_world_draw(const sn_world *world, const sn_draw *draw);

#ifdef __cplusplus
}
#endif
#endif
