/* Pieces of surfaces, and their members: surface_pieces.c. */
#ifndef SN_CONTACT_SURFACE_PIECES_H
#define SN_CONTACT_SURFACE_PIECES_H

#include "contact/surface_contacts.h"
#include "contact/surface_zones.h"

#include <stdatomic.h>

/* Of pieces that touch each other, the first one has the sums. */
typedef struct sn_surface_piece {
    bool open;               /* constraints join it to a body, or hold a body of it */
    bool left;               /* it is left alone in this substep: it is open, or touches something movable that is in no
                             piece */
    bool touches;            /* it touches something in this substep */
    bool tangled;            /* it is pulled out of another, or of itself */
    bool held;               /* it has an immovable vertex */
    bool leans;              /* it touches a fixed shape in this substep; known if it asks */
    bool rests;              /* it cannot have gained energy, and has no sums */
    bool asks;               /* it has gained energy, which must be taken back */
    bool cloth, bodies;      /* it has movable vertices, and movable bodies */
    atomic_uint pushes, far; /* its contacts with an impulse, and those whose impulse was large in the last pass */
    double mass;             /* kg; */
    double driven_mass;      /*   without bodies, */
    double bodies_mass;      /*   and of bodies */
    double before;           /* J: kinetic energy at the start of the substep, */
    double kinetic;          /* and at its end; */
    double within;           /* the part of that which is not a rigid motion */
    double work;             /* J: of forces */
    double released;         /* J: by compliant constraints */
    double driven;           /* m^2/s^2: squared velocity of what drives it */
    double share;            /* of the non-rigid motion: the share that is left to it */
    sn_dvec3 lost;           /* kg m/s: momentum that vertices lost, which the others get */
    sn_surface_zone rigid;
} sn_surface_piece;

/* A particle that constraints join to vertices, and that is no vertex and no body. Its motion is that at the start of the
   substep. */
typedef struct sn_surface_inner {
    uint32_t number, slot, piece;
    sn_vec3 start, low; /* m: its position, and the rounding remainder of that */
    sn_vec3 velocity;   /* m/s */
} sn_surface_inner;

/* A vertex or an inner particle. */
typedef struct sn_surface_mass {
    uint32_t slot, piece;
    sn_vec3 *start, *low;
    sn_vec3 velocity;
} sn_surface_mass;

static inline sn_surface_piece *surface_pieces(const sn_surfaces *s)
{
    return s->piece_table.column[0];
}

/* Vertices come first. */
static inline uint32_t surface_masses(const sn_surfaces *s)
{
    return s->vertex_table.count + s->inner_table.count;
}

static inline sn_surface_mass surface_mass(const sn_surfaces *s, uint32_t i)
{
    if (i < s->vertex_table.count) {
        const sn_surface_vertex *v = &surface_vertices(s)[i];
        sn_surface_motion *m = &surface_motions(s)[i];
        return (sn_surface_mass){v->slot, v->piece, &m->start, &surface_start_lows(s)[i], m->velocity};
    }
    sn_surface_inner *inner = (sn_surface_inner *)s->inner_table.column[0] + (i - s->vertex_table.count);
    return (sn_surface_mass){inner->slot, inner->piece, &inner->start, &inner->low, inner->velocity};
}

/* find: finds pieces at the start of a step; false when memory runs out. begin: notes the motions of inner particles at
   the start of a substep. */
bool sn_surface_pieces_find(struct sn_world *world, sn_surfaces *s);
void sn_surface_pieces_begin(const struct sn_world *world, sn_surfaces *s);

/* Joins pieces that touch in this substep. False: lost tasks. */
bool sn_surface_pieces_touch(struct sn_world *world, sn_surfaces *s);

/* Finds which kinds of constraints may store energy. */
void sn_surface_pieces_find_storing(const struct sn_world *world, sn_surfaces *s);

/* number: the piece of a particle, or SN_SURFACE_NONE. shell: that of a shell. root: after sn_surface_pieces_touch, the
   first of those that a piece touches. */
uint32_t sn_surface_piece_of(const sn_surfaces *s, uint32_t number);
uint32_t sn_surface_piece_of_shell(const sn_surfaces *s, uint32_t shell);
static inline sn_surface_piece *surface_piece_root(const sn_surfaces *s, uint32_t piece)
{
    return &surface_pieces(s)[((const uint32_t *)s->piece_table.column[1])[piece]];
}

#endif
