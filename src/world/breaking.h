/* Constraints that can break. They are few, so they have a list of their own; if it is empty, a step costs nothing. */
#ifndef SN_WORLD_BREAKING_H
#define SN_WORLD_BREAKING_H

#include "base/memory.h"

#include <sinew/joints.h>
#include "world/tear.h"

#include <sinew/tear.h>

struct sn_world;

/* A constraint that can break. A removed one stays in the list until the list is tidied. */
typedef struct sn_weak {
    sn_constraint constraint;
    sn_real force, torque; /* N, N m: its strength; 0: unbreakable */
    sn_real strain;        /* the same, for rods */
    uint32_t tears;        /* its dependents are removed with it: see sn_constraints_set_tear */
    sn_real fatigue;       /* see sn_tear_def */
    sn_wear wear;          /* its generation is not used */
} sn_weak;

typedef struct sn_breaking {
    sn_table table;        /* of sn_weak, in the order of kinds and numbers: state; and of sn_break: the largest force
                              and torque of each */
    sn_table broken_table; /* of sn_break: constraints that broke in the last step */
    sn_table rest_table;   /* of uint32_t: indices in the list of those that are in no batch of the plan */
    uint64_t edits;        /* rises when the list changes */
    uint64_t tidied;       /* the edits of constraints after which entries of removed ones were removed */
    bool any_tears;        /* some entry has `tears`, as of the start of a step */
    bool changed;          /* the list has changed since the plan was given it */
    uint64_t serial;       /* number of that plan */
    bool in_lanes;         /* in this substep the solver records the forces of batches; only the rest is evaluated one
                              by one */
    bool any_in_lanes;     /* so in one of the substeps so far */
} sn_breaking;

void sn_breaking_init(sn_breaking *breaking);
void sn_breaking_release(sn_breaking *breaking, const sn_allocator *allocator);

/* Before a step: clears the list of broken constraints. False when memory runs out. */
bool sn_breaking_begin(struct sn_world *world);

/* After the plan was made: tells it which constraints to watch after each substep. False when memory runs out. */
bool sn_breaking_tell_plan(struct sn_world *world);

/* Before the first substep of each attempt at a step: resets the recorded forces. */
void sn_breaking_watch_anew(struct sn_world *world);

/* After a substep: records its forces. sn_solve has set whether the solver recorded those of batches. */
void sn_breaking_watch(struct sn_world *world);

/* After a step: removes constraints that broke. */
void sn_breaking_end(struct sn_world *world);

/* Checks a strength for a constraint of the kind, and reserves memory: setting it afterwards cannot fail. */
sn_result sn_breaking_prepare(struct sn_world *world, const sn_kind *kind, sn_real force, sn_real torque);

/* True if an existing constraint can break. */
bool sn_breaking_has(const struct sn_world *world, uint32_t kind, uint32_t row);

/* Gives the existing constraints of a run the strengths of a def; NULL: none. Memory must be reserved. */
sn_result sn_breaking_set_run(struct sn_world *world, sn_constraints run, const sn_tear_def *def);

/* Reserves memory for the strengths of this many more. */
bool sn_breaking_reserve(struct sn_world *world, uint32_t count);

/* Copies the strength of a constraint, if it has one, to another; divides its strength by n. Memory must be
   reserved. */
void sn_breaking_copy(struct sn_world *world, uint32_t kind, uint32_t row, sn_constraint to);
void sn_breaking_weaken(struct sn_world *world, uint32_t kind, uint32_t row, uint32_t n);

/* Removes entries of constraints that no longer exist. */
void sn_breaking_tidy(struct sn_world *world);

uint64_t sn_breaking_hash(uint64_t hash, const struct sn_world *world);

#endif
