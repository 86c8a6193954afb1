/* Times in which surfaces are far from any contact: surface_quiet.c. */
#ifndef SN_CONTACT_SURFACE_QUIET_H
#define SN_CONTACT_SURFACE_QUIET_H

#include "contact/surface_contacts.h"

/* Bounds of a tile while nothing is near anything; see surface_quiet.c. */
typedef struct sn_surface_quiet_tile {
    sn_real away;               /* m: no corner is farther from its expected position, now, */
    sn_real before;             /* and at the last check that succeeded */
    sn_real astir;              /* m/s: no velocity has changed by more since the quiet time began */
    uint32_t first, count;      /* rows in quiet.vertex_table: of its vertices; */
    uint32_t borrowed, borrows; /* in quiet.borrowed_table: of its corners that are vertices of other tiles */
    uint32_t piece;             /* that all its vertices are of; SN_SURFACE_NONE: there are several */
} sn_surface_quiet_tile;

/* Bounds of two tiles when the quiet time began. */
typedef struct sn_surface_quiet_pair {
    uint32_t a, b;
    /* m, a lower bound of distance minus reach of features that share no corner: of those that are near
       when they are listed, and of the others */
    sn_real spare[2];
    sn_real nearer[2]; /* m/s: upper bounds of their speed of approach, without a common rotation, */
    sn_real differ;    /* m/s: no two velocities differ by more, */
    sn_real turn;      /* rad/s: angular velocity of the first tile */
} sn_surface_quiet_pair;

/* At the start of a substep: bounds of the speed of approach of features of a pair, and of their spare. ahead: s, for
   which a rough bound is enough. */
sn_surface_quiet_pair sn_surface_pair_quiet(const sn_surfaces *s, const sn_surface_pair *pair, sn_real ahead);

/* surface_quiet.c, at the start of a substep of h. begin: true if nothing can touch in it, so that nothing else needs
   to be done. try: if that is not known and nothing touches, tries to find bounds that hold for several substeps.
   fall: m, as in surface_pairs.c. False: contacts.failed, or lost tasks. */
bool sn_surface_quiet_begin(struct sn_world *world, sn_real h, sn_real fall);
bool sn_surface_quiet_try(struct sn_world *world, sn_real h, sn_real fall);

/* At its end: true if nothing can have touched. If false, the usual start of the substep is made up for. *failed:
   contacts.failed, or lost tasks. */
bool sn_surface_quiet_end(struct sn_world *world, sn_real h, bool *failed);

/* After a substep without contact: true if no piece can have gained energy. If false, the motions of vertices are
   known. */
bool sn_surface_quiet_rests(struct sn_world *world);

bool sn_surface_quiet_is_all(const struct sn_world *world); /* in this substep nothing at all is in contact */
bool sn_surface_quiet_reserve(struct sn_world *world, sn_surfaces *s); /* when features are made; false: no memory */
void sn_surface_quiet_slots(sn_surfaces *s); /* finds the slots of vertices, at the start of a step */
void sn_surface_quiet_leave(sn_surfaces *s); /* ends a quiet time: everything is checked again */
void sn_surface_quiet_init(sn_surface_quiet *quiet);

#endif
