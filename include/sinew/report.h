/* The report: energies, momenta and errors of constraints after the last step, and the times of its stages. It is
   computed when you ask for it; a step does no work for it. */
#ifndef SINEW_REPORT_H
#define SINEW_REPORT_H

#include <sinew/constraints.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Where the time goes --------------------------------------------------------------------- */

/* The stages of a step. A step is in one of them at a time, and goes through most of them in every substep. */
typedef enum sn_stage {
    SN_STAGE_OTHER = 0,    /* none of the following, such as the copy that a failing step goes back to */
    SN_STAGE_PLAN,         /* after edits: contradictions, the plan, memory */
    SN_STAGE_SLEEP,        /* waking and falling asleep */
    SN_STAGE_BROAD_PHASE,  /* finding things that may touch in this step */
    SN_STAGE_NARROW_PHASE, /* manifolds of bodies. For particles this is part of SN_STAGE_CONTACT */
    SN_STAGE_FORCES,       /* springs and force fields */
    SN_STAGE_PREDICT,      /* particles and bodies move without constraints and contact */
    /* Passes over the constraints. If tiles are predicted, solved and given their velocities in one loop, all of it
       counts here. */
    SN_STAGE_CONSTRAINTS,
    SN_STAGE_CONTACT,    /* impulses, friction, restitution; impulses kept for the next step */
    SN_STAGE_VELOCITIES, /* velocities from positions */
    SN_STAGE_EVENTS,     /* contact events */
    SN_STAGE_COUNT
} sn_stage;

/* The name of a stage, such as "broad phase"; "" for a bad number. The string is static. */
SN_API const char *sn_stage_name(sn_stage stage);

/* How much work a step had. */
typedef struct sn_step_counts {
    uint64_t candidates; /* pairs that the broad phase found: of particles, bodies, static shapes, and triangles of
                            skins */
    uint64_t contacts;   /* pairs that push each other apart at the end of the step, and those of sleeping things */
    uint64_t manifolds;  /* of bodies, remade in all substeps together */
    uint64_t sweeps;     /* over the contacts of bodies, in all substeps together */
    uint64_t passes;     /* over the constraints, in all substeps together */
    /* SN_SOLVER_TILED: batches of constraints that share no particle and are solved side by side (in single
       precision); the number of lanes in them; and how many lanes have a constraint. The others are solved one by one.
       */
    uint32_t batches;
    uint64_t lanes;
    uint64_t lanes_filled;
    uint32_t particles; /* the number of particles, */
    uint32_t awake;     /*   and of those that do not sleep; see sn_world_awake_count */
    uint32_t bodies;    /* the number of bodies */

    double penetration; /* m: the deepest overlap at the end of the step, of all pairs that contact measured; 0: nothing
                           overlaps. Pairs of skins are not in it: see sn_query_intersections */
    sn_particle deepest, deepest_other; /* the two, of bodies their particles, of a triangle a corner; null: nothing
                                           overlaps, or the other is a static or kinematic body */
} sn_step_counts;

typedef struct sn_profile {
    bool measured;                /* sn_settings.profile was on; otherwise all of this is 0 */
    double seconds;               /* wall time of the last step, also of one that failed */
    double stage[SN_STAGE_COUNT]; /* s: of its stages. They add up to `seconds`, but for rounding */
    sn_step_counts counts;        /* 0 after a step that failed */
} sn_profile;

/* Times and counts of the last step; all zero for NULL. Costs nothing, so it can be called after every step.
   sn_world_report has the same, but goes over all constraints. Results do not depend on whether it is measured. */
SN_API sn_profile sn_world_profile(const sn_world *world);

#define SN_TRACE_STEP "step"

/* Called when a step or a stage of it begins or ends. name is SN_TRACE_STEP or the name of a stage, a static string. */
typedef void sn_trace_fn(void *context, const char *name);

/* Hooks for a tracing profiler, such as Tracy or Perfetto: begin and end are called in pairs, those of stages within
   those of their step, also when a step fails or is cancelled. SN_STAGE_OTHER is not reported. Both are called on the
   thread that steps the world. Tasks on other threads are not reported, but a host with its own sn_tasks sees them
   itself. The hooks must be quick and must not call the world. NULL for both removes them; NULL for one is refused.
   They work with and without sn_settings.profile. Not part of the state. Without them, and without
   sn_settings.profile, a step spends a branch for each stage. */
SN_API sn_result sn_world_set_trace(sn_world *world, sn_trace_fn *begin, sn_trace_fn *end, void *context);

/* ---- The report ------------------------------------------------------------------------------ */

/* How well the constraints of one kind hold in the present positions. */
typedef struct sn_kind_report {
    uint32_t kind;
    const char *name;    /* valid as long as the world */
    uint32_t count;      /* constraints of the kind */
    uint32_t undefined;  /* how many of them cannot be evaluated at current positions, or overflow; they are left out of
                           the following */
    double largest;      /* the largest and the mean residual, in the unit of C: |C| for a rigid equality, */
    double mean;         /*   |C + compliance * force| for a soft one, the violation of an inequality */
    sn_constraint worst; /* the constraint with the largest; null if all hold exactly */
    double relative;     /* the largest residual of a constraint relative to its own size: its rest length, or else the
                        distance between its two farthest points. 0 for a constraint without a size, such as an
                        attachment. For kinds whose C is not a length it is the residual itself (rad, 1) */
    sn_constraint worst_relative; /* the constraint with that; null if all hold exactly */
} sn_kind_report;

typedef struct sn_report {
    double time;     /* s simulated so far */
    uint64_t steps;  /* completed so far */
    uint64_t passes; /* over the constraints, in all substeps of the last step together */
    uint32_t particles;
    uint32_t constraints;
    uint32_t kind_count;
    const sn_kind_report *kinds; /* of the kinds that have constraints; valid until the next report or edit */

    double kinetic;     /* J: sum of m v^2 / 2 */
    double potential;   /* J: sum of -m g . x, in the first origin; without the potentials of force fields */
    double elastic;     /* J: sum of C^2 / (2 compliance); for inequalities while violated. If a solver makes too few
                                   passes for very stiff constraints, it is mostly their error */
    double mass;        /* kg; immovable particles are not in any of these sums */
    double centre[3];   /* m: the centre of mass, in the first origin */
    double momentum[3]; /* kg m/s */
    double angular_momentum[3]; /* kg m^2/s about the first origin */

    char meshes[256]; /* text: which large meshes of rods were stiffened in the last step, which were not, and why; see
                         sn_settings.stiffening. Empty if there are none, or under another solver */

    sn_profile profile; /* times and counts of the last step */

    uint32_t
        direct_trees; /* SN_SOLVER_TILED: trees and loops of constraints that it solved directly in the last step, */
    uint32_t direct_constraints; /*   and constraints in them; see sn_settings.stiffening */
} sn_report;

/* Fills the report. Allocates only when the world has more kinds than at the last report. */
SN_API sn_result sn_world_report(sn_world *world, sn_report *report);

/* What made the last step fail with SN_ERROR_DIVERGED: a constraint or a particle; the other is null. Both are null
   if it was a kinematic body, which sn_world_error names. */
typedef struct sn_fault {
    sn_constraint constraint; /* its projection, or force, was not finite */
    sn_particle particle;     /* its position or velocity would have become infinite; for a body, its particle */
    uint32_t field;           /* the force field that gave that particle an infinite force */
    double time;              /* s: sn_world_time at the start of the substep that failed; the whole step was undone */
} sn_fault;

/* All zero after a step that did not fail, and for NULL. A program may remove or change the thing, and then step
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
