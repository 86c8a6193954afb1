/* The caller's say in contacts. */
#ifndef SN_CONTACT_CALLBACKS_H
#define SN_CONTACT_CALLBACKS_H

#include "contact/body_contacts.h"
#include "world/world.h"

bool sn_callbacks_any(const sn_world *world);

/* Asks about what was found at the start of a step, but for bodies. Fails with an error if an answer is bad, or memory runs out. */
sn_result sn_callbacks_begin(sn_world *world);

/* The same within a substep, about what was found late. */
sn_result sn_callbacks_late(sn_world *world);
sn_result sn_callbacks_late_skins(sn_world *world);

/* When a substep begins: a contact of surfaces, and before the guard stops one. *acts: it does. */
sn_result sn_callbacks_surface(sn_world *world, sn_surface_contact *contact, bool *acts);

/* When a substep begins: bodies that came near each other. False: contacts.failed says why. */
struct sn_body_contact_substep;
bool sn_callbacks_contacts(const struct sn_body_contact_substep *s);

/* ---- What two are, by handles; for events, too ---- */

sn_contact_pair sn_contact_pair_of(const sn_world *world, uint32_t slot,
                                   uint32_t other); /* SN_NO_SLOT: a fixed shape */
sn_contact_pair sn_contact_pair_of_static(const sn_world *world, const sn_static_contact *contact);
sn_contact_pair sn_contact_pair_of_skin_contact(const sn_world *world, const sn_skin_contact *skin_contact);

/* The body of the contact is the first. point: where they touch, in the world. */
sn_contact_pair sn_contact_pair_of_contact(const sn_world *world, const sn_body_contact *contact, sn_vec3 point);

/* The lower number first. Whether they changed sides. */
bool sn_contact_pair_turn(sn_contact_pair *pair);

#endif
