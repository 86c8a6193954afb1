/* What many worlds are made of: worlds.c makes, steps and resets them, worlds_beside.c lays those that are alike beside each other,
   worlds_channels.c has the arrays. */
#ifndef SN_WORLD_WORLDS_H
#define SN_WORLD_WORLDS_H

#include "world/world.h"

#include <sinew/worlds.h>

#include <stdatomic.h>

/* Copies of a world that are stepped as one, at most: enough to fill sixteen lanes twice; few enough that a thread has them in its cache. */
#define SN_BESIDE 32u

/* And so many where that many would not fill lanes as well. */
#define SN_BESIDE_FEW 16u

/* And for the last ones of ropes that are solved directly, eight at once. */
#define SN_BESIDE_ROPES 8u

/* Fewer than this are stepped alone: a batch costs about what so many cost. */
#define SN_BESIDE_LEAST 4u

#define SN_NO_WORLD UINT32_MAX

/* A world of copies, into which worlds that are alike are copied for a step. */
typedef struct sn_beside {
    sn_world *inner;     /* NULL: a place that is free */
    unsigned char *form; /* what its members are like: see form_walk in worlds_beside.c */
    size_t form_size;
    uint64_t hash;              /* of that */
    uint32_t copies;            /* SN_BESIDE at most */
    uint32_t particles;         /* of a copy */
    uint32_t *slot;             /* [copy * particles + slot in a member]: the slot in inner */
    uint32_t member[SN_BESIDE]; /* numbers of worlds; SN_NO_WORLD: none */
    uint32_t members;
    uint32_t kinds[SN_KIND_BUILTIN_END], kind_count; /* that they have */
    bool leaves[SN_BESIDE];                          /* set by a step: the member is no longer alike */
    uint32_t stepped;                                /* members that the last step took side by side */
} sn_beside;

/* What is known of one world. */
typedef struct sn_worlds_entry {
    sn_world *world;
    sn_snapshot *kept;
    bool plan_tried;       /* of what is kept: see keep_plan */
    uint64_t judged_calls; /* sn_world.calls when it was last compared; 0: never */
    uint64_t hash;         /* of what it is like, as it was found then; 0: it must be stepped alone */
    uint32_t batch;        /* 1 + the place of its batch; 0: none */
    uint32_t copy;         /* and its place in there */
    sn_result stepped;     /* how the last step went */
    sn_result result;      /* of the loop that runs, or ran last */
} sn_worlds_entry;

typedef struct sn_channels {
    sn_channel *channel;
    uint32_t count;
    uint32_t size; /* numbers in a row */
} sn_channels;

struct sn_worlds {
    sn_allocator allocator;
    sn_errors errors;
    sn_parallel parallel;
    uint32_t count;
    bool busy;
    bool side_by_side;
    sn_worlds_entry *entry;
    uint32_t *alone; /* numbers of the worlds that a step takes one by one: those in no batch */
    uint32_t alone_count;
    sn_sort_item *sorted;  /* two times as many as there are worlds: scratch of grouping */
    sn_table beside_table; /* of sn_beside */
    sn_channels observed, acted;

    /* Set by tasks, so that the calling thread need not look at every world, whose entry lies in the cache of another core. */
    atomic_bool trouble; /* a loop over worlds: some result is not SN_OK */
    atomic_bool leaving; /* a step: some batch has a member that leaves */

    /* of the step, the reset or the arrays that are being worked on */
    sn_real dt;
    const uint8_t *flags;
    sn_real *out;
    const sn_real *in;
};

/* Puts worlds that are alike into batches and notes all others in `alone`. On the calling thread, before the loop of a step. Without memory for a
   batch its worlds are stepped alone. */
void sn_beside_group(sn_worlds *worlds);

/* Steps the members of a batch. Threads may step different ones at once. */
void sn_beside_step(sn_worlds *worlds, sn_beside *batch);

void sn_beside_release(sn_worlds *worlds);

/* Steps one world alone and notes how it went. */
void sn_worlds_step_one(sn_worlds *worlds, sn_worlds_entry *entry);

/* Notes how the step of a world went. Nothing is written if it went as before: entries of many worlds stay where they are. */
void sn_worlds_note_step(sn_worlds *worlds, sn_worlds_entry *entry, sn_result result);

/* First check of every call. */
sn_result sn_worlds_enter(sn_worlds *worlds);

/* The first world with a failure becomes the error. `what` was being done. */
sn_result sn_worlds_conclude(sn_worlds *worlds);

/* Runs task over all worlds, in pieces. False if the task hook lost tasks. */
bool sn_worlds_each(sn_worlds *worlds, void (*each)(sn_worlds *worlds, uint32_t number));

void sn_channels_release(sn_worlds *worlds, sn_channels *channels);

#endif
