/* Steps with a budget: set how long a step may take, or how large its errors may be, and the engine chooses the
   number of substeps and passes.

       sn_budget budget = sn_default_budget();
       budget.seconds = 0.004;                      a step should take four milliseconds
       budget.relative = 0.01;                      and no rod should be off by more than 1 % of its length

       sn_certificate certificate;
       sn_world_step_budget(world, dt, &budget, &certificate);

   It learns from the cost of steps and from the errors of constraints. With an error alone, a step takes as few
   substeps as keep the error. With a time alone, it takes as many as fit. With both, it takes as few as keep the
   error, but no more than fit.

   What is chosen. Substeps come first, because at equal cost they help more than passes (docs/convergence.md). Passes
   are added when substeps have reached their limit. Large stiff meshes and trees are solved as sn_settings.stiffening
   says: at equal time that is always better than more substeps.

   Repetition. The certificate has the numbers of a step. A budget without time and error uses its own `substeps` and
   `iterations`: with those of the certificate the same step gives the same bits. A budget without `seconds` uses no
   clock: it chooses the same on every machine and any number of threads. A budget with `seconds` does not: record
   what it chose. What a budget has learned is in the struct; copy it together with a snapshot. */
#ifndef SINEW_BUDGET_H
#define SINEW_BUDGET_H

#include <sinew/report.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_budget {
    double seconds;  /* of wall time for a step; 0: no limit. The first step of a world takes longer, since it makes a
                       plan */
    double relative; /* the largest residual of a constraint whose C is a length, as a share of its own size; 0: any.
                        See sn_kind_report.relative */
    double metres;   /* the largest residual of such a constraint, and the deepest overlap; 0: any */
    uint32_t least_substeps;  /* the fewest substeps; default 1 */
    uint32_t most_substeps;   /* the most substeps; default 100 */
    uint32_t most_iterations; /* the most passes in a substep; default 8 */

    /* What it has learned; 0 to begin with. */
    uint32_t substeps, iterations; /* of the next step; 0: those of sn_settings */
    double fixed, each;            /* s: the fixed cost of a step, and the cost of each substep */
    double recent;                 /* the largest recent error, as a share of the allowed one */
} sn_budget;

/* No time, no error: substeps as sn_settings says. */
SN_API sn_budget sn_default_budget(void);

/* The numbers of a step, and its errors. */
typedef struct sn_certificate {
    uint32_t substeps, iterations; /* of the step */
    double seconds;                /* its wall time */
    double relative;     /* the largest residual of a constraint whose C is a length, as a share of its size, */
    double metres;       /* and in metres */
    sn_constraint worst; /* the constraint with that error; null: all hold exactly */
    double penetration;  /* m: the deepest overlap; see sn_step_counts */
    double energy;    /* J: kinetic, potential and elastic, at the end; elastic includes errors of stiff constraints */
    double change;    /* J: the change of energy in the step. Without fields, forces, motors and kinematic bodies a
                        gain is an error */
    sn_report report; /* the whole report at the end of the step; valid as long as that of sn_world_report */
} sn_certificate;

/* sn_world_step with the substeps and passes that the budget chooses; the settings are unchanged afterwards.
   certificate may be NULL. Fails as sn_world_step does, and for bad input: NULL, a number that is negative or not
   finite, least_substeps of 0 or above most_substeps, numbers that sn_settings would not take. Then neither world nor
   budget nor certificate has changed. In addition to the step it costs a report if the budget has an error, two with
   a certificate. */
SN_API sn_result sn_world_step_budget(sn_world *world, sn_real dt, sn_budget *budget, sn_certificate *certificate);

#ifdef __cplusplus
}
#endif
#endif
