/* Sleep: what rests in contact is left out of the step. See sleep.c. */
#ifndef SN_WORLD_SLEEP_H
#define SN_WORLD_SLEEP_H

#include "base/memory.h"
#include "base/vec.h"

typedef struct sn_sleep {
    sn_table table;    /* by particle number; see sleep_work.h. Numbers beyond its end are awake and just came. State */
    uint32_t sleepers; /* how many sleep; derived */
    bool woke, held;   /* in the step that runs: something woke; sleepers are immovable. Not state */
    bool news;         /* in the step that runs: something was edited, or is led somewhere. Not state */
    uint64_t changes;  /* so often something fell asleep or woke, also for the step that runs. Not state */
    uint32_t
        searched; /* numbers below this have a parent of the last search for islands; see sn_sleep_island. Not state */
    sn_real factor; /* what pushes of sleepers are to be multiplied by in it; see sn_sleep_begin */
} sn_sleep;

struct sn_world;
struct sn_pool;
struct sn_kept_impulse;

void sn_sleep_init(sn_sleep *sleep);
void sn_sleep_release(sn_sleep *sleep, const sn_allocator *allocator);

/* After the table was read from a snapshot. */
void sn_sleep_restored(sn_sleep *sleep);

/* Does nothing to the hash where sleep is off. */
uint64_t sn_sleep_hash(uint64_t hash, const struct sn_world *world);

bool sn_sleep_has(const sn_sleep *sleep, uint32_t number);

/* A number that all particles of an island share, as of the last search: one of theirs. Its own for one that is not known. */
uint32_t sn_sleep_island(const struct sn_world *world, uint32_t number);

/* Whether a particle sleeps, and goes on doing so in the step that runs. */
bool sn_sleep_holds(const struct sn_world *world, uint32_t number);

/* ---- Edits: they wake --------------------------------------------------------------------------------------------------- */

/* Something about a particle was changed, or it comes, or goes: wakes its island, and in the next step whatever it touches
   or holds. */
void sn_sleep_disturb(struct sn_world *world, uint32_t number);

/* The same for all particles of a constraint. */
void sn_sleep_disturb_constraint(struct sn_world *world, const struct sn_pool *pool, uint32_t row);

/* Wakes everything. */
void sn_sleep_wake_all(struct sn_world *world);

/* A fixed shape is about to go, or to become another: wakes what touches it. */
void sn_sleep_fixed_shape_leaves(struct sn_world *world, uint32_t number);

/* A fixed shape has come, or become another: wakes what touches it now. */
void sn_sleep_fixed_shape_comes(struct sn_world *world, uint32_t number);

/* ---- A step --------------------------------------------------------------------------------------------------------------- */

/* At the start of one of dt: those that sleep become immovable until sn_sleep_end, but for those that edits or targets wake.
   False when memory runs out. */
bool sn_sleep_begin(struct sn_world *world, sn_real dt);

/* Once the motions of fixed shapes are known: those that move wake what they may touch. */
void sn_sleep_meet_fixed_shapes(struct sn_world *world, sn_real dt);

/* Once pairs and contacts with skins are found: what moves wakes what it comes to. Whether something woke: then all must be
   found anew. */
bool sn_sleep_meet(struct sn_world *world, sn_real dt);

/* The same for four vertices of surfaces that are so far apart. */
void sn_sleep_meet_surfaces(struct sn_world *world, const uint32_t slot[4], sn_real distance, sn_real reach,
                            sn_real dt);

/* m: pairs of surfaces that have more to spare than this, and what their velocities may lead to in dt, do not wake each other. */
sn_real sn_sleep_surface_slack(const struct sn_world *world, sn_real dt);

/* The same once contacts of bodies are found. */
bool sn_sleep_meet_bodies(struct sn_world *world, sn_real dt);

/* Whether contact of these, all of which are immovable in this step, is to be looked at: one sleeps, and another may wake it. */
bool sn_sleep_asks(const struct sn_world *world, const uint32_t *slot, uint32_t count);

/* When all substeps are taken: wakes bodies that were struck or pushed in them by others that were not seen to come, and that would have
   become faster than sleep_speed had they been awake. Whether one woke: then the step is put back, these are stirred again, and it is taken
   again. */
bool sn_sleep_struck(struct sn_world *world);
void sn_sleep_stir_again(struct sn_world *world);

/* The step has succeeded: what woke stays awake. A step that fails leaves it asleep. */
void sn_sleep_keep_awake(struct sn_world *world);

/* Whether a contact is one of sleepers with things that stand, and stays what it was. During a step. */
bool sn_sleep_has_impulse(const struct sn_world *world, const struct sn_kept_impulse *kept);

void sn_sleep_end(struct sn_world *world);

/* After a step of dt: what has been calm for long enough falls asleep. */
void sn_sleep_settle(struct sn_world *world, sn_real dt);

#endif
