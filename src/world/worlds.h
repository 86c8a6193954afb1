/* Many worlds: worlds.c creates and resets them, worlds_step.c steps them on all threads, worlds_beside.c steps alike
   worlds side by side, worlds_form.c has their common form, worlds_channels.c has the arrays. */
#ifndef SN_WORLD_WORLDS_H
#define SN_WORLD_WORLDS_H

#include "world/world.h"

#include <sinew/worlds.h>

#include <stdatomic.h>

/* The most copies of a world that are stepped as one: enough to fill sixteen lanes twice, and few enough that they fit
   into the cache of a thread. */
#define SN_BESIDE 32u

/* The same where SN_BESIDE copies would not fill lanes as well. */
#define SN_BESIDE_FEW 16u

/* Fewer worlds than this are stepped alone: a batch costs about as much as so many. */
#define SN_BESIDE_LEAST 4u

#define SN_NO_WORLD UINT32_MAX

/* A world of copies. Alike worlds are copied into it for a step. */
typedef struct sn_inner {
    sn_world *world;
    bool taken; /* used by a batch; not valid once there are as many as threads */
} sn_inner;

/* The common form of alike worlds, and inner worlds of copies of it. See worlds_form.c. */
typedef struct sn_form {
    sn_allocator allocator;
    unsigned char *bytes; /* the common data: see form_walk */
    size_t size;
    uint64_t hash;      /* hash of these */
    uint32_t copies;    /* number in an inner world; at most SN_BESIDE */
    uint32_t particles; /* number in a copy */
    uint32_t *slot;     /* [copy * particles + slot in a member]: the slot in an inner world */
    uint32_t kinds[SN_KIND_BUILTIN_END], kind_count; /* kinds of their constraints */
    sn_inner *inner;
    uint32_t inner_count;
    uint32_t inner_most; /* number of threads */
    uint64_t inner_hash; /* of the form of all of them */
    uint32_t batches;
} sn_form;

/* A batch: worlds that are stepped as one. */
typedef struct sn_beside {
    sn_form *form;              /* NULL: free */
    uint32_t place;             /* index of its inner world, while there are fewer of these than threads */
    sn_world *inner;            /* used by the present step, or the last one */
    uint32_t member[SN_BESIDE]; /* numbers of worlds; SN_NO_WORLD: none */
    uint32_t members;
    bool leaves[SN_BESIDE]; /* set by a step: the member is not alike any more */
    uint32_t stepped;       /* number of members that the last step took side by side */
} sn_beside;

/* The data of one world. */
typedef struct sn_worlds_entry {
    sn_world *world;
    sn_snapshot *kept;
    bool plan_tried;       /* for the stored state: see keep_plan */
    uint64_t judged_calls; /* sn_world.calls at its last comparison; 0: never */
    uint64_t hash;         /* of its form, as of that comparison; 0: it must be stepped alone */
    uint32_t batch;        /* 1 + the index of its batch; 0: none */
    uint32_t copy;         /* its index in the batch */
    sn_result stepped;     /* result of the last step */
    uint32_t step;         /* if it failed: which step of the call, from 0 */
    sn_result result;      /* of the present or last loop */
} sn_worlds_entry;

typedef struct sn_channels {
    sn_channel *channel;
    uint32_t count;
    uint32_t size; /* numbers per row */
} sn_channels;

/* A unit of work of a thread: a batch, or a world in none. */
typedef struct sn_worlds_unit {
    atomic_uint asked; /* number of portions of its steps that its thread is asked to take; 0: no thread has it */
    uint32_t taken;    /* steps taken in this call */
} sn_worlds_unit;

struct sn_worlds {
    sn_allocator allocator;
    sn_errors errors;
    sn_parallel parallel;
    uint32_t count;
    bool busy;
    bool side_by_side;
    sn_worlds_entry *entry;
    uint32_t *alone; /* numbers of the worlds in no batch */
    uint32_t alone_count;
    sn_sort_item *sorted;  /* room for twice as many items as worlds: scratch for grouping */
    sn_table beside_table; /* of sn_beside */
    sn_worlds_unit *unit;  /* batches first, because they take longest */
    sn_channels observed, acted;

    /* Set by tasks, so that the calling thread need not read every world, whose entry is in the cache of another
       core. */
    atomic_bool trouble; /* some result of a loop over worlds is not SN_OK */
    atomic_bool leaving; /* some batch has a member that leaves */

    /* Of the present step, reset or access to arrays: */
    sn_real dt;
    uint32_t steps;    /* 0: no step */
    uint32_t portions; /* number of portions in which a unit takes them */
    bool acts;         /* the actions are applied again before every step but the first */
    const uint8_t *flags;
    sn_real *out;
    const sn_real *in;
};

/* The hash of the form of a world; 0: it must be stepped alone. */
uint64_t sn_form_hash(const sn_world *world);

/* True if a world has this form, and may be stepped beside others. */
bool sn_form_fits(const sn_form *form, const sn_world *world);

/* The form of such a world. NULL without memory, or if copies of it would not be solved like the world alone. */
sn_form *sn_form_create(const sn_worlds *worlds, const sn_world *model);
void sn_form_destroy(sn_form *form);

/* Take: for a new batch; returns a place for it, and false without memory. Leave: at the end of a batch; at the end of
   the last one the form is destroyed. */
bool sn_form_take(sn_form *form, const sn_world *model, sn_real dt, uint32_t *place);
void sn_form_leave(sn_form *form, uint32_t place);

/* The inner world in which a worker steps a batch. */
static inline sn_world *sn_form_inner(const sn_form *form, uint32_t place, uint32_t worker)
{
    return form->inner[form->inner_count == form->inner_most ? worker : place].world;
}

/* Puts alike worlds into batches and lists all others in `alone`. Called on the calling thread, before the loop of a
   step. Without memory for a batch its worlds are stepped alone. */
void sn_beside_group(sn_worlds *worlds);

/* Takes `steps` steps of the members of a batch, after `first` steps in this call. Different batches may be stepped at
   once by threads, which are workers with different numbers. */
void sn_beside_step(sn_worlds *worlds, sn_beside *batch, uint32_t first, uint32_t steps, uint32_t worker);

void sn_beside_release(sn_worlds *worlds);

/* Steps one world alone, and stores the results. After a failure in this call it takes no more steps. */
void sn_worlds_step_alone(sn_worlds *worlds, uint32_t number, uint32_t first, uint32_t steps);

/* True if a world takes this step of the call (from 0): no step before it failed. */
static inline bool sn_worlds_goes_on(const sn_worlds_entry *entry, uint32_t step)
{
    return step == 0 || entry->stepped == SN_OK;
}

/* Applies the actions before a step, except the first of the call, before which they were applied. If one is refused,
   the world takes no more steps. */
void sn_worlds_act_again(sn_worlds *worlds, uint32_t number, uint32_t step);

/* Stores the result of a step of a world. Nothing is written if it did not change, so that entries of many worlds stay
   in the caches where they are. */
void sn_worlds_note_step(sn_worlds *worlds, sn_worlds_entry *entry, sn_result result, uint32_t step);

/* First check of every call. */
sn_result sn_worlds_enter(sn_worlds *worlds);

/* Runs tasks on all threads. False if the task hook lost some. */
bool sn_worlds_run(sn_worlds *worlds, uint32_t count, sn_task_fn *task, void *data);

/* The same over all worlds, several per task. */
bool sn_worlds_each(sn_worlds *worlds, void (*each)(sn_worlds *worlds, uint32_t number));

/* The result of a call after one of these: the error of the first world with a failure becomes the error. */
sn_result sn_worlds_end(sn_worlds *worlds, bool done);

/* Applies the actions of its row to a world. Its result gets the first refusal. */
void sn_channels_act(sn_worlds *worlds, uint32_t number);

void sn_channels_release(sn_worlds *worlds, sn_channels *channels);

#endif
