/* Debug drawing: a world as points, lines, triangles and labels, for any drawing library.

   Set your drawing functions, choose layers, and call sn_world_draw at any time between steps. It shows the state:
   particles, constraints, shapes, contacts, sleep, the plan. examples/draw.c makes a picture of a scene with it, and
   so does `sinew draw scene.json`. */
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
    SN_DRAW_SHAPES = 1 << 3, /* of bodies: lines, and triangles if there is a function for them. The rounding of boxes
                                     is part of their size, that of hulls is left out; for a plane a square is drawn,
                                     for a distance field its box */
    SN_DRAW_AXES = 1 << 4,   /* of bodies: their own frame, x red, y green, z blue; and a point at the centre of mass */
    SN_DRAW_ANCHORS =
        1 << 5, /* points of constraints on bodies, triangles or the world: points, and lines from bodies */
    SN_DRAW_CONTACTS = 1 << 6,   /* contacts with a force: a point, and the normal with sn_draw.axis_length */
    SN_DRAW_FORCES = 1 << 7,     /* contact forces, N, as lines of force_length m/N */
    SN_DRAW_VELOCITIES = 1 << 8, /* of particles and bodies: lines of velocity_length s */
    SN_DRAW_BOUNDS = 1 << 9,     /* boxes of the broad phase around bodies and skins */
    SN_DRAW_NAMES = 1 << 10,     /* labels: numbers of particles and bodies, as their handles have them */

    /* Colours; if several are set, the first is used. */
    SN_DRAW_STRAIN = 1 << 16, /* constraints by their error: red too long, blue too short, green none */
    /* Particles and shapes: a colour for each island. Islands are known only with sn_contact_settings.sleep */
    SN_DRAW_ISLANDS = 1 << 17,
    SN_DRAW_TILES = 1 << 18, /* particles and constraints: a colour for each tile of the plan; grey: between tiles */
    /* Constraints: a colour for each batch that is solved side by side; grey: one by one. It has no effect before the
       first step, and after an edit until the next step */
    SN_DRAW_BATCHES = 1 << 19,

    SN_DRAW_ALL = 0x7ff /* all layers, in the usual colours */
} sn_draw_layer;

/* Colours are 0xRRGGBB. Functions that are NULL are not called. They may make calls that take a const world;
   others are refused with SN_ERROR_BUSY. Texts are valid during the call. */
typedef struct sn_draw {
    uint32_t layers; /* bits of sn_draw_layer; default particles, constraints, skins, shapes */
    void (*point)(void *context, sn_vec3 place, sn_real radius,
                  uint32_t colour); /* radius (m) 0: as small as you like */
    void (*line)(void *context, sn_vec3 from, sn_vec3 to, uint32_t colour);
    void (*triangle)(void *context, sn_vec3 a, sn_vec3 b, sn_vec3 c,
                     uint32_t colour); /* counter-clockwise seen from outside */
    void (*text)(void *context, sn_vec3 place, const char *text, uint32_t colour);
    void *context;

    sn_vec3 low, high;       /* m: things outside of this box are left out; default: none are (-INFINITY, INFINITY) */
    sn_real axis_length;     /* m: of axes and normals; not negative; default 0.2 */
    sn_real velocity_length; /* s: of lines for velocities; default 0.1 */
    sn_real force_length;    /* m/N: of lines for forces; default 0.01 */
    sn_real full_strain;     /* the relative error of a constraint that gets the full colour; positive; default 0.01 */
    sn_real plane_size;      /* m: half the side of the square that is drawn for a plane; positive; default 5 */
} sn_draw;

/* Without functions. Always start from this: later versions append fields. */
SN_API sn_draw sn_default_draw(void);

/* Draws the current state. Refused, with nothing drawn: unknown layers, numbers that are not finite (except those of
   the box) or out of range. It allocates nothing and changes nothing, and costs nothing if it is not called. Several
   threads may draw one world at once, also during queries. Kinds of your own are then evaluated on these threads
   (SN_DRAW_STRAIN). The order is that of the layers, and by number within a layer. */
SN_API sn_result sn_world_draw(const sn_world *world, const sn_draw *draw);

#ifdef __cplusplus
}
#endif
#endif
