/* What many worlds are made of: worlds.c makes and resets them, worlds_step.c steps them on all threads, worlds_beside.c lays those that are alike
   beside each other, worlds_form.c has what they have in common, worlds_channels.c has the arrays. */
#ifndef SN_WORLD_WORLDS_H
#define SN_WORLD_WORLDS_H

#include "world/world.h"

#include <sinew/worlds.h>

#include <stdatomic.h>

/* Copies of a world that are stepped as one, at most: enough to fill sixteen lanes twice; few enough that a thread has them in its cache. */
#define SN_BESIDE 32u

/* And so many where that many would not fill lanes as well. */
#define SN_BESIDE_FEW 16u

/* Fewer than this are stepped alone: a batch costs about what so many cost. */
#define SN_BESIDE_LEAST 4u

#define SN_NO_WORLD UINT32_MAX

/* A world of copies, into which worlds that are alike are copied for a step. */
typedef struct sn_inner {
    sn_world *world;
    bool taken; /* by a batch; says nothing once there are as many as threads */
} sn_inner;

/* What worlds that are alike have in common, and inner worlds of copies of it. See worlds_form.c. */
typedef struct sn_form {
    sn_allocator allocator;
    unsigned char *bytes; /* what they are like: see form_walk */
    size_t size;
    uint64_t hash;      /* of that */
    uint32_t copies;    /* in an inner world; SN_BESIDE at most */
    uint32_t particles; /* of a copy */
    uint32_t *slot;     /* [copy * particles + slot in a member]: the slot in an inner world */
    uint32_t kinds[SN_KIND_BUILTIN_END], kind_count; /* that they have */
    sn_inner *inner;
    uint32_t inner_count;
    uint32_t inner_most; /* one for each thread */
    uint64_t inner_hash; /* of what all of them are like */
    uint32_t batches;
} sn_form;

/* Worlds that are stepped as one. */
typedef struct sn_beside {
    sn_form *form;              /* NULL: a place that is free */
    uint32_t place;             /* of the inner world that it has as long as there are fewer than threads */
    sn_world *inner;            /* that the present step, or the last one, uses */
    uint32_t member[SN_BESIDE]; /* numbers of worlds; SN_NO_WORLD: none */
    uint32_t members;
    bool leaves[SN_BESIDE]; /* set by a step: the member is no longer alike */
    uint32_t stepped;       /* members that the last step took side by side */
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
    uint32_t step;         /* if it failed: which one of the call, from 0 */
    sn_result result;      /* of the loop that runs, or ran last */
} sn_worlds_entry;

typedef struct sn_channels {
    sn_channel *channel;
    uint32_t count;
    uint32_t size; /* numbers in a row */
} sn_channels;

/* What threads step as one: a batch, or a world in none. */
typedef struct sn_worlds_unit {
    atomic_uint asked; /* portions of its steps that are to be taken by the thread that has it; 0: no thread has it */
    uint32_t taken;    /* steps of this call */
} sn_worlds_unit;

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
    sn_worlds_unit *unit;  /* batches first: they take longest */
    sn_channels observed, acted;

    /* Set by tasks, so that the calling thread need not look at every world, whose entry lies in the cache of another core. */
    atomic_bool trouble; /* a loop over worlds: some result is not SN_OK */
    atomic_bool leaving; /* a step: some batch has a member that leaves */

    /* of the step, the reset or the arrays that are being worked on */
    sn_real dt;
    uint32_t steps;    /* 0: no step */
    uint32_t portions; /* in which a unit takes them */
    bool acts;         /* the actions are applied again before every step but the first */
    const uint8_t *flags;
    sn_real *out;
    const sn_real *in;
};

/* Of what the world is like; 0: it must be stepped alone. */
uint64_t sn_form_hash(const sn_world *world);

/* Whether a world is of this form, and may be laid beside others. */
bool sn_form_fits(const sn_form *form, const sn_world *world);

/* The form of a world that may; NULL without memory, or if copies of it would not be solved as it is alone. */
sn_form *sn_form_create(const sn_worlds *worlds, const sn_world *model);
void sn_form_destroy(sn_form *form);

/* A batch begins, and gets a place; false without memory. And it ends: the form of the last one is destroyed. */
bool sn_form_take(sn_form *form, const sn_world *model, sn_real dt, uint32_t *place);
void sn_form_leave(sn_form *form, uint32_t place);

/* The inner world that a worker steps a batch in. */
static inline sn_world *sn_form_inner(const sn_form *form, uint32_t place, uint32_t worker)
{
    return form->inner[form->inner_count == form->inner_most ? worker : place].world;
}

/* Puts worlds that are alike into batches and notes all others in `alone`. On the calling thread, before the loop of a step. Without memory for a
   batch its worlds are stepped alone. */
void sn_beside_group(sn_worlds *worlds);

/* Takes so many steps of the members of a batch, of which `first` were taken in this call. Threads, which are workers with different numbers, may step different ones at
   once. */
void sn_beside_step(sn_worlds *worlds, sn_beside *batch, uint32_t first, uint32_t steps, uint32_t worker);

void sn_beside_release(sn_worlds *worlds);

/* Steps one world alone, and notes how it went. Once it has failed in this call it takes no more steps. */
void sn_worlds_step_alone(sn_worlds *worlds, uint32_t number, uint32_t first, uint32_t steps);

/* Whether a world takes the step with this number, from 0, of this call: unless one before it failed. */
static inline bool sn_worlds_goes_on(const sn_worlds_entry *entry, uint32_t step)
{
    return step == 0 || entry->stepped == SN_OK;
}

/* Applies the actions before a step, unless it is the first one of the call: there they are. A world that refuses one takes no more steps. */
void sn_worlds_act_again(sn_worlds *worlds, uint32_t number, uint32_t step);

/* Notes how a step of a world went. Nothing is written if it went as before: entries of many worlds stay where they are. */
void sn_worlds_note_step(sn_worlds *worlds, sn_worlds_entry *entry, sn_result result, uint32_t step);

/* First check of every call. */
sn_result sn_worlds_enter(sn_worlds *worlds);

/* Runs tasks on all threads. False if the task hook lost some. */
bool sn_worlds_run(sn_worlds *worlds, uint32_t count, sn_task_fn *task, void *data);

/* The same over all worlds, in pieces. */
bool sn_worlds_each(sn_worlds *worlds, void (*each)(sn_worlds *worlds, uint32_t number));

/* What a call returns after one of these: the first world with a failure becomes the error. */
sn_result sn_worlds_end(sn_worlds *worlds, bool done);

/* Applies the actions of its row to a world, and notes the first that was refused in its result. */
void sn_channels_act(sn_worlds *worlds, uint32_t number);

void sn_channels_release(sn_worlds *worlds, sn_channels *channels);

#endif
