/* The deepest overlap at the end of a step. */
#ifndef SN_CONTACT_DEEPEST_H
#define SN_CONTACT_DEEPEST_H

#include "world/world.h"

/* Fills in counts: the number of manifolds, and the deepest overlap of all pairs tested in the step that ends, whether
   impulses acted or not. */
void sn_contacts_find_deepest(sn_world *world, sn_step_counts *counts);

#endif
