/* Rigid bodies that are made of particles: contact with them as a whole. */
#ifndef SN_CONTACT_PARTICLE_BODIES_H
#define SN_CONTACT_PARTICLE_BODIES_H

#include "base/dvec.h"
#include "base/memory.h"
#include "integrators/integrator.h"

#include <sinew/base.h>

/* A body and its rigid motion. Bodies are numbered from 1. */
typedef struct sn_rigid_motion {
    uint32_t first, count; /* particles, in member_table */
    bool shared;           /* some of its particles belong to another body, too */
    bool alone;            /* no other constraints act on its particles */
    bool expects;          /* `expected` is known */
    sn_dvec3 expected;     /* kg m^2/s: angular momentum about the centre before contact acts */
    double energy;         /* J: the kinetic energy then; */
    double others;         /* m/s: the fastest that what it touches in this substep may be; INFINITY: not known */
    bool held;             /* one of its particles is immovable, or shared */
    bool touched;          /* by a contact in this substep */
    double mass;           /* kg */
    sn_dvec3 centre, v, spin;
    sn_dvec3 l;        /* kg m^2/s: angular momentum about the centre */
    double inverse[6]; /* of the inertia: 1/(kg m^2) */
} sn_rigid_motion;

typedef struct sn_rigid {
    /* of uint32_t, by number of a particle: its body, 0: none; and four columns of scratch */
    sn_table group_table;
    sn_table member_table;    /* of uint32_t: numbers of particles, by body */
    sn_table neighbour_table; /* of uint32_t: scratch */
    sn_table motion_table;    /* of sn_rigid_motion, by body */
    sn_table push_table;      /* of sn_rigid_push, and of sn_sort_item twice; see particle_bodies.c */
    uint64_t changes;         /* the change count of the constraints at the last search for bodies */
    uint32_t groups;
    bool known;
} sn_rigid;

struct sn_world;

void sn_rigid_init(sn_rigid *rigid);
void sn_rigid_release(sn_rigid *rigid, const sn_allocator *allocator);

/* Finds the bodies, if constraints have changed (particle_bodies_find.c). False when memory runs out. */
bool sn_rigid_find(struct sn_world *world);

/* Called when contacts have been found: finds bodies, and makes room for the contacts that act on them. False when
   memory runs out. */
bool sn_rigid_prepare(struct sn_world *world);

/* Called when a substep begins: predicts the angular momenta of bodies after its constraints are solved. */
void sn_rigid_expect(struct sn_world *world, const sn_motion *motion);

/* Called before contact acts for the first time in a substep. */
void sn_rigid_begin(struct sn_world *world);

/* At the end of a substep of h: removes the part of contact impulses that would throw a body back. */
void sn_rigid_calm(struct sn_world *world, sn_real h);

#endif
