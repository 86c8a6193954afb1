/* Bodies that are made of particles: what contact does to them as a whole. */
#ifndef SN_CONTACT_PARTICLE_BODIES_H
#define SN_CONTACT_PARTICLE_BODIES_H

#include "base/dvec.h"
#include "base/memory.h"
#include "integrators/integrator.h"

#include <sinew/base.h>

/* A body, and how it moves as a whole. Bodies are counted from 1 on. */
typedef struct sn_rigid_motion {
    uint32_t first, count; /* members */
    bool shared;           /* some of its particles are of another one, too */
    bool alone;            /* no constraints but its own hold its particles, */
    bool expects;          /*   and it is known which angular momentum it has before contact acts: */
    sn_dvec3 expected;     /* kg m^2/s: about its centre */
    bool held;             /* by a particle that nothing moves */
    bool touched;          /* in this substep */
    double mass;           /* kg */
    sn_dvec3 centre, v, spin;
    sn_dvec3 l;        /* kg m^2/s: about its centre */
    double inverse[6]; /* of its inertia */
} sn_rigid_motion;

typedef struct sn_rigid {
    sn_table group_table; /* of uint32_t, by number of a particle: its body; 0: it is in none; and four times scratch */
    sn_table member_table;    /* of uint32_t: numbers of particles, by body */
    sn_table neighbour_table; /* of uint32_t: scratch */
    sn_table motion_table;    /* of sn_rigid_motion, by body */
    sn_table push_table;      /* of sn_rigid_push, and of sn_sort_item twice; see particle_bodies.c */
    uint64_t changes;         /* of the constraints, when groups were looked for */
    uint32_t groups;
    bool known;
} sn_rigid;

struct sn_world;

void sn_rigid_init(sn_rigid *rigid);
void sn_rigid_release(sn_rigid *rigid, const sn_allocator *allocator);

/* Finds the bodies, if constraints have changed (particle_bodies_find.c). False when memory runs out. */
bool sn_rigid_find(struct sn_world *world);

/* Once contacts were found: bodies, and room for what presses on them. False when memory runs out. */
bool sn_rigid_prepare(struct sn_world *world);

/* When a substep begins: which angular momentum bodies will have when its constraints were solved. */
void sn_rigid_expect(struct sn_world *world, const sn_motion *motion);

/* Before contact pushes for the first time in a substep. */
void sn_rigid_begin(struct sn_world *world);

/* At the end of a substep of h, when contact has pushed: takes back what would throw a body. */
void sn_rigid_calm(struct sn_world *world, sn_real h);

#endif
