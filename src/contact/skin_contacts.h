/* Contact of particles with skins, and of pairs of particles that are not pushed along the line between them. Scratch
   of a step, like all of particle_contacts.h. */
#ifndef SN_CONTACT_SKIN_CONTACTS_H
#define SN_CONTACT_SKIN_CONTACTS_H

#include "base/vec.h"

#include <sinew/world.h>

#include <stdint.h>

/* The combined material of two surfaces in contact. */
typedef struct sn_friction {
    sn_real static_friction, dynamic_friction; /* static and dynamic friction */
    sn_real restitution;
    sn_real rolling;
} sn_friction;

/* What a contact exerts in the mean of the last steps, by mass, m/s^2. All 0: it is new. */
typedef struct sn_contact_load {
    sn_real along; /* its normal */
    sn_vec3 across;
} sn_contact_load;

#define SN_SKIN_CONTACT_COLOURS 64u
#define SN_SKIN_CONTACT_PAIR    UINT32_MAX /* in place of the triangle: a contact of two particles */

/* A particle and a triangle of a skin that may come into contact. */
typedef struct sn_skin_contact {
    uint32_t slot[4];  /* the particle, and the triangle's corners */
    uint32_t triangle; /* in the world's table of triangles */
    uint32_t colour;
    uint32_t row;   /* its index among all, sorted by colour */
    bool one_sided; /* particles pass through from behind */
    sn_real side;   /* the side of the triangle on which the particle is: 1 front, -1 behind */
    sn_real reach;  /* m: radius and thickness */
    sn_friction friction;
    bool looked;                     /* clear and side are known for this substep */
    sn_real clear;                   /* m: a lower bound of their distance when the substep began */
    sn_real closer;                  /* m: an upper bound of their approach in it, as of its end */
    sn_real normal_impulse, last;    /* m: as in wide/contact.h */
    sn_vec3 tangent_impulse, rolled; /* m; N m s: angular impulse of rolling friction */
    sn_real weight[3];               /* barycentric weights of the corners at the last contact */
    sn_vec3 normal;                  /* towards the particle */
    sn_vec3 before;                  /* m/s: relative velocity before the substep */
    sn_vec3 belt;                    /* m/s: surface velocity of the triangle, or of the other particle */
    sn_real stopped;                 /* m/s: added along the normal when the substep ended, to stop or bounce */
    sn_real impulse;                 /* N s: in this step */
    sn_real impact;                  /* m/s: the largest approach speed in this step */
    bool touched;                    /* in this step */
    bool asked, off;                 /* callbacks were called; they refused */
    bool belted;                     /* belt is not 0 */
    sn_contact_load load;
} sn_skin_contact;

/* The outward normal of the object that a particle belongs to. */
typedef struct sn_outward {
    sn_vec3 normal; /* length 1 */
    sn_real depth;  /* m: depth inside the object, 0 on the surface; SN_NO_OUTSIDE: the object has no such normals */
} sn_outward;

#define SN_NO_OUTSIDE ((sn_real)-1)

typedef struct sn_skin_contact_pass {
    sn_real h;
    sn_real part, ease, bounce_above; /* as in wide/wide.h */
    bool behind;                      /* as in contact/restitution.h */
} sn_skin_contact_pass;

struct sn_world;
struct sn_contacts;

/* ---- skin_narrow_phase.c: the search ----------------------------------------------------------------------------- */

void sn_skin_contacts_init(struct sn_contacts *contacts);
void sn_skin_contacts_release(struct sn_contacts *contacts, const sn_allocator *allocator);

sn_result sn_skin_contacts_find(struct sn_world *world, sn_real dt);

/* Called when particles have moved within a substep. If a particle has left the margin of the last search for skin
   contacts, it searches again. False on failure: contacts.failed has the error; SN_OK there means lost tasks. */
bool sn_skin_contacts_follow(struct sn_world *world);

/* ---- skin_solve.c: solving --------------------------------------------------------------------------------------- */

/* Substep i of `substeps` begins; particles are at its start. False here and below: lost tasks, or contacts.failed. */
bool sn_skin_contacts_begin(struct sn_world *world, uint32_t i, uint32_t substeps, sn_real h);
bool sn_skin_contacts_solve_hits(struct sn_world *world);
bool sn_skin_contacts_warm(struct sn_world *world, const sn_skin_contact_pass *pass);
bool sn_skin_contacts_project(struct sn_world *world, const sn_skin_contact_pass *pass);

/* The end of a substep goes in rounds until nothing crosses anything. In the first rounds a particle that would pass
   through a triangle is pushed again, then it is stopped before the triangle, and at last it stays where it was when
   the substep began. *crossed is set if there was a crossing. end_rounds is called after the last round; crossed:
   something may still cross. */
#define SN_ROUNDS_OF_PUSHES 8u
#define SN_ROUNDS_OF_STOPS  16u
#define SN_ROUNDS_OF_STAYS  64u
#define SN_ROUNDS           (SN_ROUNDS_OF_PUSHES + SN_ROUNDS_OF_STOPS + SN_ROUNDS_OF_STAYS)

bool sn_skin_contacts_round(struct sn_world *world, const sn_skin_contact_pass *pass, uint32_t round, bool *crossed);
bool sn_skin_contacts_end_rounds(struct sn_world *world, const sn_skin_contact_pass *pass, bool crossed);

bool sn_skin_contacts_bounce(struct sn_world *world, const sn_skin_contact_pass *pass);

/* ---- outward.c: outward normals of objects ----------------------------------------------------------------------- */

/* True if some object may have outward normals. */
bool sn_outward_any(const struct sn_world *world);

/* At the start of a step, when the tree of skins is built: the normals of all particles of directional objects. False
   when memory runs out. */
bool sn_outward_prepare(struct sn_world *world);

/* The direction in which a is pushed away from b: the normal of the particle that is nearer to its own surface. False
   if neither has a normal. */
bool sn_outward_direction(const struct sn_contacts *contacts, uint32_t a, uint32_t b, sn_vec3 *out);

#endif
