/* Particles that trees of constraints press on fixed shapes; see particle_supports.c. */
#ifndef SN_CONTACT_PARTICLE_SUPPORTS_H
#define SN_CONTACT_PARTICLE_SUPPORTS_H

#include "solvers/forest.h"
#include "world/world.h"

/* reserve: once a step, when contacts have been found; false when memory runs out. begin: when a substep begins. */
bool sn_supports_reserve(sn_world *world);
void sn_supports_begin(sn_world *world, sn_real h);

/* Callbacks for sn_leaning. */
bool sn_supports_lean(void *world, uint32_t slot, sn_support *out);
void sn_supports_leant(void *world, uint32_t slot, const sn_support *support);

/* Warm starts. take_over: true if the contact was already solved with a tree in this substep; it then has those
   impulses. warm: called when all contacts are warm started. */
bool sn_supports_take_over(const sn_contacts *c, sn_static_contact *contact);
void sn_supports_warm(sn_world *world);

#endif
