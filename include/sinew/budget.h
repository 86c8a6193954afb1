/* Stepping to a budget: say how long a step may take, or how wrong it may be, and the engine chooses the number of
   substeps and passes.

       sn_budget budget = sn_default_budget();
       budget.seconds = 0.004;                      a step should take four milliseconds
       budget.relative = 0.01;                      and no rod should be off by more than 1 % of its length

       sn_certificate certificate;
       sn_world_step_budget(world, dt, &budget, &certificate);

   It learns from what steps cost and from how well constraints hold. With an error alone, a step takes as few substeps as
   keep it. With a time alone, as many as fit. With both, as few as keep the error, but no more than fit: time wins.

   What is chosen. Substeps come first, because at equal cost they hold better than passes (docs/convergence.md); passes are
   added where substeps are at their most. Large stiff meshes and trees are solved as sn_settings.stiffening says: at equal
   time that is always better than more substeps.

   Repeats. The certificate tells what a step was made of. A budget without time and error takes the `substeps` and
   `iterations` that are in it: with those of the certificate the same step gives the same bits. A budget without `seconds` asks no clock: it
   chooses the same on every machine and any number of threads. One with `seconds` does not: record what it chose. What a
   budget has learned is in the struct; copy it beside a snapshot to go back. */
#ifndef SINEW_BUDGET_H
#define SINEW_BUDGET_H

#include <sinew/report.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_budget {
    double
        seconds; /* of wall time for a step; 0: as long as it takes. The first step of a world makes a plan besides */
    double relative; /* the largest residual of a constraint whose C is a length, as a share of its own size; 0: any.
                        See sn_kind_report.relative */
    double metres;   /* the largest residual of such a constraint, and the deepest overlap; 0: any */
    uint32_t least_substeps;  /* at least so many; default 1 */
    uint32_t most_substeps;   /* at most so many; default 100 */
    uint32_t most_iterations; /* passes in a substep, at most; default 8 */

    /* What it has learned; 0 to begin with. */
    uint32_t substeps, iterations; /* of the next step; 0: those of sn_settings */
    double fixed, each;            /* s: what a step costs by itself, and each substep of it */
    double recent;                 /* the largest error of late, as a share of the one that is aimed at */
} sn_budget;

/* No time, no error: substeps as sn_settings says. */
SN_API sn_budget sn_default_budget(void);

/* What a step was made of, and how good it is. */
typedef struct sn_certificate {
    uint32_t substeps, iterations; /* that were taken */
    double seconds;                /* that it took */
    double relative;     /* the largest residual of a constraint whose C is a length, as a share of its size, */
    double metres;       /* and in metres */
    sn_constraint worst; /* the one that `relative` is of; null: none is off */
    double penetration;  /* m: the deepest overlap; see sn_step_counts */
    double energy; /* J: kinetic, potential and elastic, at the end; elastic also counts what stiff constraints miss, */
    double change; /*   and by how much it changed in the step. Without fields, forces, motors and kinematic bodies a
                        world that gains energy is wrong */
    sn_report report; /* all of it at the end of the step, by kind; see sn_world_report for how long it lives */
} sn_certificate;

/* sn_world_step with as many substeps and passes as the budget says; settings are what they were afterwards. certificate
   may be NULL. Fails as sn_world_step does; then, as with bad input (NULL, a number that is negative or not finite, least_substeps
   of 0 or above most_substeps, numbers that sn_settings would not take), neither world nor budget nor certificate has
   changed. What it costs besides the step: a report if the budget has an error, two with a certificate. */
SN_API sn_result sn_world_step_budget(sn_world *world, sn_real dt, sn_budget *budget, sn_certificate *certificate);

#ifdef __cplusplus
}
#endif
#endif
