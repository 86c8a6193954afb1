/* Shared by the files of sleep. */
#ifndef SN_WORLD_SLEEP_WORK_H
#define SN_WORLD_SLEEP_WORK_H

#include "contact/body_work.h"
#include "world/sleep.h"
#include "world/world.h"

/* Islands are searched in one of this many steps: things at rest can wait a little. */
#define SN_SLEEP_SEARCH_EVERY 4u

/* Columns of the table, by particle number. */
enum {
    SLEEP_CALM, /* sn_real: time without fast motion, s; or DISTURBED */
    SLEEP_NEXT, /* uint32_t: 1 + the number of the next particle of its island; 0: awake */
    SLEEP_SAVED,
    SLEEP_W = SLEEP_SAVED, /* sn_real: inverse mass, saved during a step */
    SLEEP_STIRRED,         /* bool: wakes in this step */
    SLEEP_PARENT,          /* uint32_t, for the search: a particle of its island with a lower number, or itself */
    SLEEP_MARKS,           /* uint32_t, for the search: marks of the island */
    SLEEP_LAST             /* uint32_t, for the search: 1 + the last one of the new ring; stored for the first one */
};

static inline sn_real *sleep_calm(const sn_world *world)
{
    return world->contact.sleep.table.column[SLEEP_CALM];
}

static inline uint32_t *sleep_column(const sn_world *world, int which)
{
    return world->contact.sleep.table.column[which];
}

/* True if sleep is switched on in this world. */
bool sn_sleep_is_on(const sn_world *world);

/* m/s: the speed of its surface due to rotation. */
sn_real sn_sleep_turning(const sn_world *world, uint32_t slot);

/* The particles of a contact, by number: one, two or four. */
uint32_t sn_sleep_members(const sn_contact_world *c, const sn_kept_impulse *kept, uint32_t *number);

/* For contacts of bodies: has the numbers of both in the same form. */
sn_kept_impulse sn_sleep_impulse_of_bodies(const sn_kept_manifold *kept);

#endif
