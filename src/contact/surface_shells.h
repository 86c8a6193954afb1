/* Features of the shapes of bodies: surface_shells.c. */
#ifndef SN_CONTACT_SURFACE_SHELLS_H
#define SN_CONTACT_SURFACE_SHELLS_H

#include "contact/surface_contacts.h"

/* The features of a shape of a body; see surface_shells.c. */
typedef struct sn_surface_shell {
    uint32_t skin;              /* its row in skin_table */
    uint32_t number;            /* of the fixed shape; SN_SURFACE_NONE: it is a part of a dynamic body, */
    uint32_t row, part;         /* with this row, and this index among all parts */
    uint32_t first;             /* the first shell of that body */
    uint32_t first_tile, tiles; /* in tile_table */
    bool near;                  /* its corners are placed in this substep */
    sn_pose start, end;         /* at the start and at the end of the substep */
    /* Of the first shell of a body, in a substep in which something is near: */
    uint32_t slot;      /* of its particle */
    sn_real inverse[6]; /* 1/(kg m^2): of its inertia, in the world: xx, yy, zz, xy, yz, zx */
    sn_vec3 spin;       /* rad/s: at the start of the substep, */
    sn_vec3 twist;      /* and what contacts have added since */
} sn_surface_shell;

/* Numbers of features of shells. */
typedef struct sn_surface_shells_size {
    uint32_t shells;
    uint64_t vertices, triangles, edges;
} sn_surface_shells_size;

/* surface_shells.c. count: numbers of features. add: makes vertices and triangles. edges: makes edges, once those of
   triangles exist. edge: m, the largest mean edge length of a skin. */
void sn_surface_shells_count(const struct sn_world *world, sn_real edge, sn_surface_shells_size *size);
void sn_surface_shells_add(const struct sn_world *world, sn_surfaces *s, sn_real edge);
void sn_surface_shells_edges(sn_surfaces *s);
sn_vec3 sn_surface_shell_corner(const sn_surfaces *s, uint32_t vertex); /* m, in the frame of its shape */

/* Places the corners of shells that may touch something in this box, at the start of a substep or within it. Returns
   the largest squared distance (m^2) of a corner from its last known position. */
sn_real sn_surface_shells_place(const struct sn_world *world, sn_surfaces *s, const sn_bounds *box, sn_real h,
                                bool begins);

/* True if a shell is near this box, so that it would be placed. */
bool sn_surface_shells_are_near(const struct sn_world *world, const sn_surfaces *s, const sn_bounds *box, sn_real h);

/* In a round of the guard: marks the corners and tiles that have changed; all: all of them, in the first round. */
void sn_surface_shells_change(sn_surfaces *s, bool all);

/* of: the shell of a vertex; NULL: it is a particle. agrees: filters let the shell and the skin touch. joins: a
   constraint joins the two sides of a candidate. */
sn_surface_shell *sn_surface_shell_of(const sn_surfaces *s, uint32_t vertex);
bool sn_surface_shell_agrees(const struct sn_world *world, const sn_surface_skin *shell, const sn_surface_skin *skin);
bool sn_surface_shells_are_one(const struct sn_world *world, const sn_surface_shell *a,
                               const sn_surface_shell *b); /* both are of one body; NULL is of none */
bool sn_surface_shell_joins(const struct sn_world *world, const sn_surface_candidate *c);

/* material: of a shell; belt: m/s, its surface velocity. pair: the handles of a contact of a particle (slot) with a
   shell. */
const sn_contact_material *sn_surface_shell_material(const struct sn_world *world, const sn_surface_shell *shell,
                                                     sn_vec3 *belt);
sn_contact_pair sn_surface_shell_pair(const struct sn_world *world, const sn_surface_shell *shell, uint32_t slot);

/* rad/s: the change of a body's angular velocity by an angular impulse (N m s). */
static inline sn_vec3 sn_surface_shell_gives(const sn_surface_shell *body, sn_vec3 l)
{
    const sn_real *i = body->inverse;
    return vec3(i[0] * l.x + i[3] * l.y + i[5] * l.z, i[3] * l.x + i[1] * l.y + i[4] * l.z,
                i[5] * l.x + i[4] * l.y + i[2] * l.z);
}

/* turn: adds to bodies the angular velocity from contacts in this substep of h, and, if `moves`, the rotation by it.
   end: moves corners to where bodies end. */
void sn_surface_shells_turn(struct sn_world *world, sn_real h, bool moves);
void sn_surface_shells_end(const struct sn_world *world, sn_surfaces *s);

#endif
