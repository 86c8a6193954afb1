/* How deep things overlap at the end of a step. */
#ifndef SN_CONTACT_DEEPEST_H
#define SN_CONTACT_DEEPEST_H

#include "world/world.h"

/* Into counts: manifolds that were made, and the deepest overlap of all pairs that were looked at in the step that ends, whether they pressed each other or not. */
void sn_contacts_find_deepest(sn_world *world, sn_step_counts *counts);

#endif
