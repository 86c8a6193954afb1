/* Particles of trees of constraints that lean on fixed shapes; see particle_supports.c. */
#ifndef SN_CONTACT_PARTICLE_SUPPORTS_H
#define SN_CONTACT_PARTICLE_SUPPORTS_H

#include "solvers/forest.h"
#include "world/world.h"

/* Once a step, when contacts have been found; false when memory runs out. And when a substep begins. */
bool sn_supports_reserve(sn_world *world);
void sn_supports_begin(sn_world *world, sn_real h);

/* For sn_leaning. */
bool sn_supports_lean(void *world, uint32_t slot, sn_support *out);
void sn_supports_leant(void *world, uint32_t slot, const sn_support *support);

/* When contact begins with what it exerted in the substep before: whether a contact has begun already, in the tree; and when all have. */
bool sn_supports_take_over(const sn_contacts *c, sn_static_contact *contact);
void sn_supports_warm(sn_world *world);

#endif
