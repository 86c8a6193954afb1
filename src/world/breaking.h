/* Constraints that break. They are few beside those that do not, so they have a list of their own: without one, a step
   looks at nothing. */
#ifndef SN_WORLD_BREAKING_H
#define SN_WORLD_BREAKING_H

#include "base/memory.h"

#include <sinew/joints.h>
#include "world/tear.h"

#include <sinew/tear.h>

struct sn_world;

/* A constraint that may break. One that was removed stays in the list until it is tidied. */
typedef struct sn_weak {
    sn_constraint constraint;
    sn_real force, torque; /* N, N m: its strength; 0: any */
    sn_real strain;        /* the same, for rods */
    uint32_t tears;        /* what hangs on it goes with it: sn_constraints_set_tear */
    sn_real fatigue;       /* see sn_tear_def */
    sn_wear wear;          /* its generation counts nowhere */
} sn_weak;

typedef struct sn_breaking {
    sn_table table; /* of sn_weak, in the order of kinds and numbers: state; and of sn_break: what each exerted */
    sn_table broken_table; /* of sn_break: what broke in the last step */
    sn_table rest_table;   /* of uint32_t: which of the list are in no batch of the plan */
    uint64_t edits;        /* rises when the list changes */
    bool any_tears;        /* some of the list does; as of the start of a step */
    bool changed;          /* the list did, since the plan was told, */
    uint64_t serial;       /*   which was this one */
    bool in_lanes;     /* in this substep the solver noted what batches exert: only the rest is looked at one by one */
    bool any_in_lanes; /* in one of the substeps so far */
} sn_breaking;

void sn_breaking_init(sn_breaking *breaking);
void sn_breaking_release(sn_breaking *breaking, const sn_allocator *allocator);

/* Before a step: nothing has broken. False when memory runs out. */
bool sn_breaking_begin(struct sn_world *world);

/* Once there is a plan: tells it which constraints are looked at after every substep. False when memory runs out. */
bool sn_breaking_tell_plan(struct sn_world *world);

/* Before the first substep of every attempt at a step: nothing has been exerted. */
void sn_breaking_watch_anew(struct sn_world *world);

/* After a substep: notes what was exerted in it. sn_solve has said what the solver noted itself. */
void sn_breaking_watch(struct sn_world *world);

/* After a step: removes what broke. */
void sn_breaking_end(struct sn_world *world);

/* Checks a strength for a constraint of the kind, and makes room for it: setting it cannot fail then. */
sn_result sn_breaking_prepare(struct sn_world *world, const sn_kind *kind, sn_real force, sn_real torque);

/* Whether a constraint that exists may break. */
bool sn_breaking_has(const struct sn_world *world, uint32_t kind, uint32_t row);

/* Gives the constraints of a run, which are there, the strengths of a def; NULL: none. Room is made. */
sn_result sn_breaking_set_run(struct sn_world *world, sn_constraints run, const sn_tear_def *def);

/* Makes room for the strengths of so many more. */
bool sn_breaking_reserve(struct sn_world *world, uint32_t count);

/* A constraint gets the strength of another, if that has one; and the n-th part of what it has. There is room. */
void sn_breaking_copy(struct sn_world *world, uint32_t kind, uint32_t row, sn_constraint to);
void sn_breaking_weaken(struct sn_world *world, uint32_t kind, uint32_t row, uint32_t n);

/* Forgets the strength of what is gone. */
void sn_breaking_tidy(struct sn_world *world);

uint64_t sn_breaking_hash(uint64_t hash, const struct sn_world *world);

#endif
