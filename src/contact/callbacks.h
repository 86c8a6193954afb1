/* Contact callbacks: filters and pre-solve functions of the caller. */
#ifndef SN_CONTACT_CALLBACKS_H
#define SN_CONTACT_CALLBACKS_H

#include "contact/body_contacts.h"
#include "world/world.h"

bool sn_callbacks_any(const sn_world *world);

/* Calls them for the contacts found at the start of a step, except those of bodies. Fails if a callback returns bad
   values, or memory runs out. */
sn_result sn_callbacks_begin(sn_world *world);

/* The same within a substep, for contacts that were found late. */
sn_result sn_callbacks_late(sn_world *world);
sn_result sn_callbacks_late_skins(sn_world *world);

/* Called when a substep begins, and before the guard stops a contact of surfaces. *acts: callbacks let the contact
   act. */
sn_result sn_callbacks_surface(sn_world *world, sn_surface_contact *contact, bool *acts);

/* When a substep begins: for bodies that came near each other. False: contacts.failed has the error. */
struct sn_body_contact_substep;
bool sn_callbacks_contacts(const struct sn_body_contact_substep *s);

/* ---- Contact pairs by handles, for callbacks and events ---------------------------------------------------------- */

sn_contact_pair sn_contact_pair_of(const sn_world *world, uint32_t slot,
                                   uint32_t other); /* SN_NO_SLOT: a fixed shape */
sn_contact_pair sn_contact_pair_of_static(const sn_world *world, const sn_static_contact *contact);
sn_contact_pair sn_contact_pair_of_skin_contact(const sn_world *world, const sn_skin_contact *skin_contact);

/* The body of the contact comes first. point: the contact point in the world. */
sn_contact_pair sn_contact_pair_of_contact(const sn_world *world, const sn_body_contact *contact, sn_vec3 point);

/* Puts the lower number first. True if the two were swapped. */
bool sn_contact_pair_sort(sn_contact_pair *pair);

#endif
