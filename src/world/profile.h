/* What a step does and how long it takes, for those that want to know. Nothing of it is state.

   A step is in one stage at a time: entering one ends the one before. So a step that fails, wherever it returns from, leaves
   nothing open but the last stage, which sn_profile_end ends. Stages are entered on the stepping thread only. */
#ifndef SN_WORLD_PROFILE_H
#define SN_WORLD_PROFILE_H

#include <sinew/report.h>

typedef struct sn_profiler {
    bool on;        /* times are measured in the step that runs */
    sn_stage stage; /* that runs, */
    double clock;   /* s: since then */
    double start;   /* s: of the step */
    sn_profile last;
    sn_trace_fn *begin, *end; /* NULL: no hook */
    void *context;
} sn_profiler;

struct sn_world;

/* Around a step. What counts as the step begins and ends here, also if it fails. */
void sn_profile_begin(struct sn_world *world);
void sn_profile_end(struct sn_world *world, sn_result result);

/* The step is in this stage from now on. One branch if nothing is measured. */
#define sn_stage_enter(world, stage) ((world)->profiler.on ? sn_stage_switch((world), (stage)) : (void)0)
void sn_stage_switch(struct sn_world *world, sn_stage stage);

#endif
