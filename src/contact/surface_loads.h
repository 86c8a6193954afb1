/* Contacts of ropes with a heavy load, solved together with their rods. */
#ifndef SN_CONTACT_SURFACE_LOADS_H
#define SN_CONTACT_SURFACE_LOADS_H

#include "contact/surface_contacts.h"

/* surface_loads.c. find: at the start of a substep, finds ropes that carry a heavy load. hold: true if a contact is on
   one of them. begin: makes room for those contacts, once they are known. pass: solves them. False when memory runs
   out. */
void sn_surface_loads_init(sn_surfaces *s);
bool sn_surface_loads_find(struct sn_world *world);
bool sn_surface_loads_hold(const sn_surfaces *s, const sn_surface_contact *contact);
bool sn_surface_loads_begin(struct sn_world *world);
void sn_surface_loads_pass(struct sn_world *world, sn_real h, sn_real part, sn_real ease);

#endif
