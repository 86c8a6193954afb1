/* What the files of sleep share. */
#ifndef SN_WORLD_SLEEP_WORK_H
#define SN_WORLD_SLEEP_WORK_H

#include "contact/body_work.h"
#include "world/sleep.h"
#include "world/world.h"

/* Islands are looked for in one of so many steps: something that rests may wait a moment. */
#define SN_SLEEP_SEARCH_EVERY 4u

/* What is known of a particle, by number. */
enum {
    SLEEP_CALM, /* sn_real: for so many seconds it was not fast; or DISTURBED */
    SLEEP_NEXT, /* uint32_t: 1 + the number of the next one of its island; 0: awake */
    SLEEP_SAVED,
    SLEEP_W = SLEEP_SAVED, /* sn_real: inverse mass, put aside in a step */
    SLEEP_STIRRED,         /* bool: wakes in this step */
    SLEEP_PARENT,          /* uint32_t, for the search: another one of its island with a lower number, or itself */
    SLEEP_MARKS,           /* uint32_t, for the search: what is said of the island */
    SLEEP_LAST             /* uint32_t, for the search: 1 + the last in the ring that is being made, of the first */
};

static inline sn_real *sleep_calm(const sn_world *world)
{
    return world->contact.sleep.table.column[SLEEP_CALM];
}

static inline uint32_t *sleep_column(const sn_world *world, int which)
{
    return world->contact.sleep.table.column[which];
}

/* Whether things may fall asleep in this world. */
bool sn_sleep_is_on(const sn_world *world);

/* m/s: how fast its surface turns. */
sn_real sn_sleep_turning(const sn_world *world, uint32_t slot);

/* The particles of a contact, by number: one, two or four. */
uint32_t sn_sleep_members(const sn_contact_world *c, const sn_kept_impulse *kept, uint32_t *number);

/* Contacts of bodies name their two in the same way. */
sn_kept_impulse sn_sleep_impulse_of_bodies(const sn_kept_manifold *kept);

#endif
