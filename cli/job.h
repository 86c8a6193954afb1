/* A job: the options of `sinew run`, and the state of the run. */
#ifndef SN_CLI_JOB_H
#define SN_CLI_JOB_H

#include "cli/cli.h"
#include "cli/progress.h"
#include "export/output.h"
#include "export/trace.h"

#define SN_MESSAGE_SIZE 1024

typedef struct sn_run_options {
    uint32_t frames; /* UINT32_MAX: as many as the scene has */
    uint32_t every;
    uint32_t certify; /* 0: off */
    uint32_t threads; /* 0: one per core */
    const char *out, *format, *trace, *plot, *save;
    const char *budget, *steps; /* NULL: off */
    const char *profile;        /* NULL: off; "": without a file */
    sn_texts set;
    uint64_t memory;
    bool quiet, json, read_anywhere, help;
} sn_run_options;

/* Sums over the steps of a run; of counts that hardly change, the last values. */
typedef struct sn_job_profile {
    FILE *file; /* NULL: no event trace is written */
    uint64_t events, steps;
    double start; /* s, by sn_seconds_now */
    double seconds, stage[SN_STAGE_COUNT];
    double candidates, contacts, manifolds, sweeps, passes, awake;
    sn_step_counts last;
} sn_job_profile;

/* The result of --certify. */
typedef struct sn_job_certificate {
    uint32_t checked, bad; /* frames checked, and frames with an intersection */
    uint32_t first_frame;  /* the first of these */
    sn_intersection first; /* and an intersection in it */
    uint32_t worst, worst_frame;
} sn_job_certificate;

/* The largest errors of a kind of constraints in a run. */
typedef struct sn_job_worst {
    bool seen;
    double largest;  /* in the unit of its C, over all frames */
    double relative; /* as in sn_kind_report */
    double wrong;    /* s: how long the error has been large, less how long it has not; 0 or more */
    double time;     /* s: of the last frame */
    bool warned;     /* a warning was given */
} sn_job_worst;

/* What broke and tore in a run, other than by cuts. */
typedef struct sn_job_torn {
    uint32_t broken, split; /* constraints; vertices that became two */
    uint32_t first_frame;
} sn_job_torn;

/* The results of --budget. */
typedef struct sn_job_budget {
    bool on; /* the option is given, and the first frame has begun */
    sn_budget budget;
    FILE *file;              /* of --steps; NULL: off */
    uint32_t least, most;    /* substeps in a frame */
    uint64_t substeps;       /* in all frames together */
    uint32_t missed, late;   /* frames with a larger error than the target; that took longer than the budget */
    double relative, metres; /* the worst of all frames */
    double seconds, longest; /* of all frames together, and of one */
} sn_job_budget;

#define SN_JOB_KINDS 128u /* kinds with separate errors; all others are combined */

typedef struct sn_job {
    const sn_run_options *asked;
    const char *name; /* of the scene, for output */
    sn_scene *scene;
    sn_world *world;
    sn_scene_info info;
    uint32_t frames;  /* to run */
    uint32_t done;    /* frames completed */
    double started;   /* s, by sn_seconds_now, at the beginning of the first frame */
    double wall;      /* s that the frames took, including output */
    double simulated; /* s */
    unsigned formats;
    sn_output *output;
    uint32_t output_frames; /* set once the output is closed */
    uint64_t output_bytes;
    sn_trace *trace;
    sn_trace *plot_trace; /* for the picture, if `trace` is NULL or not a .csv */
    char *plot_folder;    /* a temporary folder for it; NULL: none */
    char *plot_csv;
    char *picture;
    bool drawn, saved;
    sn_job_profile profile;
    sn_job_certificate certificate;
    sn_job_budget budget;
    sn_job_torn torn;
    double deepest; /* m: the deepest overlap of all frames, */
    uint32_t deepest_frame;
    sn_progress progress;
    sn_job_worst worst[SN_JOB_KINDS]; /* by kind */
    double span;                      /* m: of the particles, at the start */
    int code;
    char failure[SN_MESSAGE_SIZE]; /* why it ended early; "" otherwise */
} sn_job;

/* Reports a failure that ends the job, and stores it. Only the first one is stored. */
void sn_job_fail(sn_job *job, int code, const char *format, ...) SN_PRINTS(3, 4);

/* Why it ended early: the failure, or the signal. */
const char *sn_job_reason(const sn_job *job);

/* Files (job_files.c): open the files; write the present frame; close everything. False after sn_job_fail. */
#define SN_RUN_FILE "sinew-run.json" /* in the folder of --out: the state of the run */
bool sn_job_open(sn_job *job);
bool sn_job_write(sn_job *job);
void sn_job_close(sn_job *job);
void sn_job_save(sn_job *job);
void sn_job_draw(sn_job *job);

/* Errors of constraints (job_worst.c): call these before the first frame and after each; query the error of a kind. */
void sn_job_worst_begin(sn_job *job);
void sn_job_worst_frame(sn_job *job);
const sn_job_worst *sn_job_worst_of(const sn_job *job, uint32_t kind);

/* --profile (job_profile.c): open the file, if there is one; begin to measure, after the warm-up; add up a step;
   close the file; print. They do nothing without the option. False after sn_job_fail. */
bool sn_job_profile_open(sn_job *job);
bool sn_job_profile_begin(sn_job *job);
void sn_job_profile_step(sn_job *job);
void sn_job_profile_close(sn_job *job);
void sn_job_profile_print(const sn_job *job);
void sn_job_profile_say(const sn_job *job, sn_document *d, sn_value *root);

/* --budget and --steps (job_budget.c): check the text, with a message if it is wrong; begin, after the warm-up; take
   a step; end; print. */
bool sn_job_budget_check(const sn_run_options *asked);
bool sn_job_budget_begin(sn_job *job);
sn_result sn_job_budget_step(sn_job *job);
void sn_job_budget_end(sn_job *job);
void sn_job_budget_print(const sn_job *job);
void sn_job_budget_say(const sn_job *job, sn_document *d, sn_value *root);

/* --certify (job_certify.c): check the present frame; at the end, fail the job if something intersected; print. */
void sn_job_certify(sn_job *job);
void sn_job_certify_end(sn_job *job);
void sn_job_certify_print(const sn_job *job);
void sn_job_certify_say(const sn_job *job, sn_document *d, sn_value *root);

/* What breaks and tears (job_torn.c): count it after a frame; print. */
void sn_job_torn_frame(sn_job *job);
void sn_job_torn_print(const sn_job *job);
void sn_job_torn_say(const sn_job *job, sn_document *d, sn_value *root);

/* Output (job_tell.c). The first two write JSON and do nothing without --json. */
bool sn_job_tell_start(sn_job *job);
bool sn_job_tell_frame(sn_job *job);
void sn_job_tell_end(sn_job *job);

#endif
