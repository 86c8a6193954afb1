/* Sleep: things that rest in contact are left out of the step. See sleep.c. */
#ifndef SN_WORLD_SLEEP_H
#define SN_WORLD_SLEEP_H

#include "base/memory.h"
#include "base/vec.h"

typedef struct sn_sleep {
    sn_table table;    /* by particle number; see sleep_work.h. Numbers beyond its end are awake and new. State */
    uint32_t sleepers; /* number of sleepers; derived */
    bool woke, held;   /* in the present step: something woke; sleepers are immovable. Not state */
    bool news;         /* in the present step: something was edited, or has a target. Not state */
    uint64_t changes;  /* counts how often something fell asleep or woke, also in the present step. Not state */
    uint32_t searched; /* numbers below this have a parent from the last search for islands; see sn_sleep_island. Not
                          state */
    sn_real factor;    /* factor for impulses of sleepers in the present step; see sn_sleep_begin */
} sn_sleep;

struct sn_world;
struct sn_pool;
struct sn_kept_impulse;

void sn_sleep_init(sn_sleep *sleep);
void sn_sleep_release(sn_sleep *sleep, const sn_allocator *allocator);

/* After the table was read from a snapshot. */
void sn_sleep_restored(sn_sleep *sleep);

/* Leaves the hash unchanged if sleep is off. */
uint64_t sn_sleep_hash(uint64_t hash, const struct sn_world *world);

bool sn_sleep_has(const sn_sleep *sleep, uint32_t number);

/* The lowest number of a particle's island, as of the last search; the particle's own number if it is unknown. */
uint32_t sn_sleep_island(const struct sn_world *world, uint32_t number);

/* True if a particle sleeps, and does not wake in the present step. */
bool sn_sleep_holds(const struct sn_world *world, uint32_t number);

/* ---- Edits wake -------------------------------------------------------------------------------------------------- */

/* Call it when a particle is added, changed or removed: wakes its island, and in the next step everything that it
   touches or holds. */
void sn_sleep_disturb(struct sn_world *world, uint32_t number);

/* The same for all particles of a constraint. */
void sn_sleep_disturb_constraint(struct sn_world *world, const struct sn_pool *pool, uint32_t row);

/* Wakes all particles. */
void sn_sleep_wake_all(struct sn_world *world);

/* Before a fixed shape is removed or changed: wakes things that touch it. */
void sn_sleep_fixed_shape_leaves(struct sn_world *world, uint32_t number);

/* After a fixed shape was added or changed: wakes things that touch it now. */
void sn_sleep_fixed_shape_comes(struct sn_world *world, uint32_t number);

/* ---- A step ------------------------------------------------------------------------------------------------------ */

/* At the start of a step of dt: sleepers become immovable until sn_sleep_end, except those that edits or targets wake.
   False when memory runs out. */
bool sn_sleep_begin(struct sn_world *world, sn_real dt);

/* After the motions of fixed shapes were computed: moving shapes wake sleepers that they may touch. */
void sn_sleep_touch_fixed_shapes(struct sn_world *world, sn_real dt);

/* After pairs and contacts with skins were found: moving particles wake sleepers that they come near. True if something
   woke: then everything must be searched again. */
bool sn_sleep_touch(struct sn_world *world, sn_real dt);

/* The same for four vertices of surfaces at this distance. */
void sn_sleep_touch_surfaces(struct sn_world *world, const uint32_t slot[4], sn_real distance, sn_real reach,
                             sn_real dt);

/* m: two surfaces do not wake each other if the gap between them is larger than this plus the displacement due to their
   velocities in dt. */
sn_real sn_sleep_surface_slack(const struct sn_world *world, sn_real dt);

/* The same after contacts of bodies were found. */
bool sn_sleep_touch_bodies(struct sn_world *world, sn_real dt);

/* True if contact of these, all of which are immovable in this step, must be examined: one sleeps, and another may wake
   it. */
bool sn_sleep_asks(const struct sn_world *world, const uint32_t *slot, uint32_t count);

/* After all substeps: wakes bodies that were hit or pushed by others whose approach was not detected, and that would
   have become faster than sleep_speed if they had been awake. True if one woke: then the step is undone, these bodies
   are stirred again, and the step is repeated. */
bool sn_sleep_struck(struct sn_world *world);
void sn_sleep_stir_again(struct sn_world *world);

/* The step has succeeded: particles that woke stay awake. After a failed step they are asleep. */
void sn_sleep_keep_awake(struct sn_world *world);

/* True if a contact is between sleepers and resting things, so that its impulse is kept unchanged. For use during a
   step. */
bool sn_sleep_has_impulse(const struct sn_world *world, const struct sn_kept_impulse *kept);

void sn_sleep_end(struct sn_world *world);

/* After a step of dt: islands that have been calm for long enough fall asleep. */
void sn_sleep_settle(struct sn_world *world, sn_real dt);

#endif
