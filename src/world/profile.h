/* What a step does and how long it takes. None of it is state.

   A step is in one stage at a time: entering a stage ends the previous one. So a step that fails, wherever it returns,
   leaves only the last stage open, which sn_profile_end ends. Stages are entered only on the stepping thread. */
#ifndef SN_WORLD_PROFILE_H
#define SN_WORLD_PROFILE_H

#include <sinew/report.h>

typedef struct sn_profiler {
    bool on;        /* stages are recorded in the step that runs */
    sn_stage stage; /* the present stage */
    double clock;   /* s: its start */
    double start;   /* s: start of the step */
    sn_profile last;
    sn_trace_fn *begin, *end; /* NULL: no hook */
    void *context;
} sn_profiler;

struct sn_world;

/* Around a step. They also mark the begin and end of the step in a trace, also if it fails. */
void sn_profile_begin(struct sn_world *world);
void sn_profile_end(struct sn_world *world, sn_result result);

/* Enters a stage. Costs one branch if nothing is recorded. */
#define sn_stage_enter(world, stage) ((world)->profiler.on ? sn_stage_switch((world), (stage)) : (void)0)
void sn_stage_switch(struct sn_world *world, sn_stage stage);

#endif
