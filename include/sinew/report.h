/* The report: how well the last step went. Computed when asked for; a step does nothing for it. */
#ifndef SINEW_REPORT_H
#define SINEW_REPORT_H

#include <sinew/constraints.h>

#ifdef __cplusplus
extern "C" {
#endif

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

    bool profiled;          /* the times were measured (sn_settings.profile) */
    double seconds_step;    /* wall time of the last step, and of its phases in all substeps together: */
    double seconds_predict; /*   damping, forces, predicted positions */
    double seconds_solve;   /*   constraints */
    double seconds_update;  /*   velocities from positions */
} sn_report;

/* Fills the report. Allocates only when the world has more kinds than at the last report. */
SN_API sn_result sn_world_report(sn_world *world, sn_report *report);

/* What made the last step fail with SN_ERROR_DIVERGED: one of these, the others are null. All of them are where it was a
   collider, which sn_world_error names. */
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
