/* Contact of particles with skins, and of those pairs of particles that are not pushed along the line between them: scratch of a
   step, like all of particle_contacts.h. */
#ifndef SN_CONTACT_SKIN_CONTACTS_H
#define SN_CONTACT_SKIN_CONTACTS_H

#include "base/vec.h"

#include <sinew/world.h>

#include <stdint.h>

/* Two materials that touch. */
typedef struct sn_friction {
    sn_real hold, drag; /* static and dynamic friction */
    sn_real restitution;
    sn_real rolling;
} sn_friction;

/* What a contact exerts in the mean of the last steps, by mass, m/s^2. All 0: it is new. */
typedef struct sn_contact_load {
    sn_real along; /* its normal */
    sn_vec3 across;
} sn_contact_load;

#define SN_SKIN_CONTACT_COLOURS 64u
#define SN_SKIN_CONTACT_PAIR    UINT32_MAX /* for the triangle: two particles */

/* A particle and a triangle of a skin that may touch. */
typedef struct sn_skin_contact {
    uint32_t slot[4];  /* the particle, and the triangle's corners */
    uint32_t triangle; /* in the world's table of triangles */
    uint32_t colour;
    uint32_t row;   /* its place when all are sorted by colour */
    bool one_sided; /* particles come through from behind */
    sn_real side;   /* of the triangle that the particle is on: 1 in front, -1 behind */
    sn_real reach;  /* m: radius and thickness */
    sn_friction friction;
    bool looked;                     /* clear and side are those at the start of this substep */
    sn_real clear;                   /* m: at least so far they were from each other when the substep began */
    sn_real closer;                  /* m: at most so much nearer they came in it, as of its end */
    sn_real normal_impulse, last;    /* m: as in wide/contact.h */
    sn_vec3 tangent_impulse, rolled; /* m; N m s: against rolling */
    sn_real weight[3];               /* of the corners, where they touch, or touched last */
    sn_vec3 normal;                  /* towards the particle */
    sn_vec3 before;                  /* m/s: relative velocity before the substep */
    sn_vec3 belt;                    /* m/s: the surface of the triangle, or of the other particle, runs so */
    sn_real stopped;                 /* m/s: what was still going in at the end of the substep, and stopped */
    sn_real impulse;                 /* N s: in this step */
    sn_real impact;                  /* m/s: how fast they came together in it, at most */
    bool touched;                    /* in this step */
    bool asked, off;                 /* the caller's functions were; and said no */
    bool belted;                     /* belt is not 0 */
    sn_contact_load load;
} sn_skin_contact;

/* Which way is out of the object that a particle belongs to. */
typedef struct sn_outward {
    sn_vec3 normal; /* length 1 */
    sn_real depth;  /* m: how far inside it is, 0 on the surface; SN_NO_OUTSIDE: its object has no such normals */
} sn_outward;

#define SN_NO_OUTSIDE ((sn_real)-1)

typedef struct sn_skin_contact_pass {
    sn_real h;
    sn_real part, ease, bounce_above; /* as in wide/wide.h */
    bool behind;                      /* as in contact/restitution.h */
} sn_skin_contact_pass;

struct sn_world;
struct sn_contacts;

/* ---- skin_narrow_phase.c: finding them ---------------------------------------------------------------------------------------------- */

void sn_skin_contacts_init(struct sn_contacts *contacts);
void sn_skin_contacts_release(struct sn_contacts *contacts, const sn_allocator *allocator);

sn_result sn_skin_contacts_find(struct sn_world *world, sn_real dt);

/* Once particles are where a substep leaves them so far: if one of them has left the margin with which grazes were looked for,
   they are looked for again. False if that failed: contacts.failed says why, and SN_OK there means lost tasks. */
bool sn_skin_contacts_follow(struct sn_world *world);

/* ---- skin_solve.c: parting ---------------------------------------------------------------------------------------------------- */

/* Substep i of so many begins; particles are where it starts. False here and below: lost tasks, or contacts.failed. */
bool sn_skin_contacts_begin(struct sn_world *world, uint32_t i, uint32_t substeps, sn_real h);
bool sn_skin_contacts_meet(struct sn_world *world);
bool sn_skin_contacts_warm(struct sn_world *world, const sn_skin_contact_pass *pass);
bool sn_skin_contacts_project(struct sn_world *world, const sn_skin_contact_pass *pass);

/* The end of a substep goes in rounds until nothing crosses anything: in the first ones what would pass a triangle is pushed again, then
   it is stopped before it, and at last it stays where the substep began. *crossed is set if there was something. The call after the
   last round says whether something may still cross. */
#define SN_ROUNDS_OF_PUSHES 8u
#define SN_ROUNDS_OF_STOPS  16u
#define SN_ROUNDS_OF_STAYS  64u
#define SN_ROUNDS           (SN_ROUNDS_OF_PUSHES + SN_ROUNDS_OF_STOPS + SN_ROUNDS_OF_STAYS)

bool sn_skin_contacts_round(struct sn_world *world, const sn_skin_contact_pass *pass, uint32_t round, bool *crossed);
bool sn_skin_contacts_end_rounds(struct sn_world *world, const sn_skin_contact_pass *pass, bool crossed);

bool sn_skin_contacts_bounce(struct sn_world *world, const sn_skin_contact_pass *pass);

/* ---- outward.c: the normals of objects ----------------------------------------------------------------------------------------- */

/* Whether some object may have such normals. */
bool sn_outward_any(const struct sn_world *world);

/* At the start of a step, once the tree of skins is there: the normals of all particles of directional objects.
   False when memory runs out. */
bool sn_outward_prepare(struct sn_world *world);

/* The direction in which a is to be pushed from b, by the normal of whichever is nearer to its surface; false if neither has
   one. */
bool sn_outward_way(const struct sn_contacts *contacts, uint32_t a, uint32_t b, sn_vec3 *out);

#endif
