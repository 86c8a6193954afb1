/* The report: how well the last step went. Computed when asked for; a step does nothing for it. And where its time went. */
#ifndef SINEW_REPORT_H
#define SINEW_REPORT_H

#include <sinew/constraints.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Where the time goes ---------------------------------------------------------------------------------------------- */

/* The stages of a step. A step is in one of them at a time, and comes to most of them in every substep. */
typedef enum sn_stage {
    SN_STAGE_OTHER = 0,    /* none of the following, such as the copy that a step which fails goes back to */
    SN_STAGE_PLAN,         /* after edits: contradictions, the plan, memory */
    SN_STAGE_SLEEP,        /* what wakes, what falls asleep */
    SN_STAGE_BROAD_PHASE,  /* which things may touch in this step */
    SN_STAGE_NARROW_PHASE, /* where bodies touch: manifolds. Of particles that is done in SN_STAGE_CONTACT */
    SN_STAGE_FORCES,       /* springs and force fields */
    SN_STAGE_PREDICT,      /* particles and bodies move as if each were alone */
    /* Passes over the constraints. Where tiles are predicted, solved and given their velocities in one loop, that is all here. */
    SN_STAGE_CONSTRAINTS,
    SN_STAGE_CONTACT,    /* impulses, friction, restitution; what the next step begins with */
    SN_STAGE_VELOCITIES, /* velocities from positions */
    SN_STAGE_EVENTS,     /* contact events */
    SN_STAGE_COUNT
} sn_stage;

/* "broad phase"; "" for a number that is none. The string is static. */
SN_API const char *sn_stage_name(sn_stage stage);

/* What was there to do in a step. */
typedef struct sn_step_counts {
    uint64_t
        candidates; /* pairs that the broad phase found: of particles, bodies, static shapes, and triangles of skins */
    uint64_t contacts;  /* pairs that push each other apart at the end of the step, and those of sleepers */
    uint64_t manifolds; /* of bodies, made anew in all substeps together */
    uint64_t sweeps;    /* over the contacts of bodies, in all substeps together */
    uint64_t passes;    /* over the constraints, in all substeps together */
    /* SN_SOLVER_TILED: groups of constraints that share no particle, which single precision solves side by side; the room in them;
       and how many constraints are in it. The others are solved one by one. */
    uint32_t batches;
    uint64_t lanes;
    uint64_t lanes_filled;
    uint32_t particles; /* alive, and */
    uint32_t awake;     /*   so many of them do not sleep; see sn_world_awake_count */
    uint32_t bodies;    /* alive */

    double
        penetration; /* m: how deep the deepest overlap is at the end of the step, of all pairs that contact looked at; 0: nothing overlaps.
                           What skins do among themselves is not in it: see sn_query_intersections */
    sn_particle deepest, deepest_other; /* the two, of bodies their particles, of a triangle a corner; null: nothing
                                           overlaps, or the other is a static or kinematic body */
} sn_step_counts;

typedef struct sn_profile {
    bool measured;                /* sn_settings.profile was on; otherwise all of this is 0 */
    double seconds;               /* wall time of the last step, also of one that failed */
    double stage[SN_STAGE_COUNT]; /* s: of its stages. They add up to `seconds`, but for rounding */
    sn_step_counts counts;        /* 0 after a step that failed */
} sn_profile;

/* Times and counts of the last step; all zero for NULL. Costs nothing: call it after every step, where sn_world_report, which has the
   same, goes over all constraints. No result depends on whether it is measured. */
SN_API sn_profile sn_world_profile(const sn_world *world);

#define SN_TRACE_STEP "step"

/* Told when a step or a stage of it begins or ends. name is SN_TRACE_STEP or that of a stage, a static string. */
typedef void sn_trace_fn(void *context, const char *name);

/* Hooks for a tracing profiler, such as Tracy or Perfetto: begin and end are called in pairs, those of stages within those of their step,
   also when a step fails or is cancelled. SN_STAGE_OTHER is not told. Both are called on the thread that steps the world; tasks
   on other threads are not told, but a host that brings sn_tasks sees those itself. They must be quick and must not call the
   world. NULL and NULL take them away; NULL and something is refused. They work with and without sn_settings.profile. No part of
   the state. Without them, and without sn_settings.profile, a step spends a branch for each stage. */
SN_API sn_result sn_world_set_trace(sn_world *world, sn_trace_fn *begin, sn_trace_fn *end, void *context);

/* ---- The report ------------------------------------------------------------------------------------------------------- */

/* How well the constraints of one kind hold in the present positions. */
typedef struct sn_kind_report {
    uint32_t kind;
    const char *name; /* lives as long as the world */
    uint32_t count;   /* constraints of the kind, of which */
    uint32_t
        undefined; /*   so many cannot be evaluated as positions are now, or overflow; they do not count in what follows */
    double largest;      /* the largest and the mean residual, in the unit of C: |C| for a rigid equality, */
    double mean;         /*   |C + compliance * force| for a soft one, what is missing to 0 for an inequality */
    sn_constraint worst; /* the one with the largest; null if nothing is missed */
    double
        relative; /* the largest residual of a constraint as a share of its own size: of its rest length, or else of the distance
                        between its two farthest points. Of one without a size, such as an attachment, it is 0; and for kinds whose
                        C is no length it is the residual itself (rad, 1) */
    sn_constraint worst_relative; /* the one with that; null if nothing is missed */
} sn_kind_report;

typedef struct sn_report {
    double time;          /* s simulated so far */
    uint64_t steps;       /* completed so far */
    uint64_t passes;      /* over the constraints, in all substeps of the last step together */
    uint32_t particles;   /* alive */
    uint32_t constraints; /* alive */
    uint32_t kind_count;
    const sn_kind_report *kinds; /* of the kinds that have constraints; dies with the next report or edit */

    double kinetic;     /* J: sum of m v^2 / 2 */
    double potential;   /* J: sum of -m g . x, in the first origin; force fields are not known to have one */
    double elastic;     /* J: sum of C^2 / (2 compliance); for inequalities while violated. Where a solver makes too few
                                   passes for constraints that are very stiff, it is mostly what those miss */
    double mass;        /* kg; immovable particles count in none of these sums */
    double centre[3];   /* m: the centre of mass, in the first origin */
    double momentum[3]; /* kg m/s */
    double angular_momentum[3]; /* kg m^2/s about the first origin */

    char meshes
        [256]; /* which large meshes of rods were stiffened in the last step, which were not, and why, in words: see
                         sn_settings.stiffening. Empty where there are none, or the solver is another one */

    sn_profile profile; /* times and counts of the last step */

    uint32_t direct_trees;       /* SN_SOLVER_TILED: trees of constraints that it solved directly in the last step, */
    uint32_t direct_constraints; /*   and constraints in them; see sn_settings.stiffening */
} sn_report;

/* Fills the report. Allocates only when the world has more kinds than at the last report. */
SN_API sn_result sn_world_report(sn_world *world, sn_report *report);

/* What made the last step fail with SN_ERROR_DIVERGED: one of these, the others are null. All of them are where it was a
   kinematic body, which sn_world_error names. */
typedef struct sn_fault {
    sn_constraint constraint; /* whose projection, or force, was not finite */
    sn_particle particle;     /* that would have reached an infinite place or speed; of a body, its own */
    uint32_t field;           /* the force field that gave that particle an infinite force */
    double time; /* s: sn_world_time at the start of the substep that failed; the whole step was taken back */
} sn_fault;

/* All zero after a step that did not fail, and for NULL. A program may remove or change what is named, and then step
   again. */
SN_API sn_fault sn_world_fault(const sn_world *world);

/* The entry of one kind; NULL if the world has no constraint of it. */
static inline const sn_kind_report *sn_report_kind(const sn_report *report, uint32_t kind)
{
    for (uint32_t i = 0; i < report->kind_count; ++i)
        if (report->kinds[i].kind == kind)
            return &report->kinds[i];
    return NULL;
}

#ifdef __cplusplus
}
#endif
#endif
