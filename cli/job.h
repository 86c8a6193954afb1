/* A run under way: what `sinew run` was asked for, and how far it is. */
#ifndef SN_CLI_JOB_H
#define SN_CLI_JOB_H

#include "cli/cli.h"
#include "cli/progress.h"
#include "export/output.h"
#include "export/trace.h"

#define SN_MESSAGE_SIZE 1024

typedef struct sn_run_options {
    uint32_t frames; /* UINT32_MAX: as many as the scene says */
    uint32_t every;
    uint32_t certify; /* 0: not asked for */
    uint32_t threads; /* 0: one for each core */
    const char *out, *format, *trace, *plot, *save;
    const char *budget, *steps; /* NULL: not asked for */
    const char *profile;        /* NULL: not asked for; "": no file */
    sn_texts set;
    uint64_t memory;
    bool quiet, json, read_anywhere, help;
} sn_run_options;

/* Sums over the steps of a run; of counts that hardly change, the last. */
typedef struct sn_job_profile {
    FILE *file; /* NULL: no trace of events is written */
    uint64_t events, steps;
    double start; /* s, of sn_seconds_now */
    double seconds, stage[SN_STAGE_COUNT];
    double candidates, contacts, manifolds, sweeps, passes, awake;
    sn_step_counts last;
} sn_job_profile;

/* What --certify found. */
typedef struct sn_job_certificate {
    uint32_t checked, bad; /* frames; in so many of them something intersects */
    uint32_t first_frame;  /* of the latter */
    sn_intersection first; /*   and there */
    uint32_t worst, worst_frame;
} sn_job_certificate;

/* How far a kind of constraints was off in a run. */
typedef struct sn_job_worst {
    bool seen;
    double largest;  /* in the unit of its C, in any frame */
    double relative; /* see sn_kind_report */
    double wrong;    /* s: since when it has been off by much; -1: it is not */
    bool warned;     /*   which was told */
} sn_job_worst;

/* What --budget chose. */
typedef struct sn_job_budget {
    bool on; /* it was asked for, and the first frame has come */
    sn_budget budget;
    FILE *file;              /* of --steps; NULL: not asked for */
    uint32_t least, most;    /* substeps in a frame */
    uint64_t substeps;       /* in all frames together */
    uint32_t missed, late;   /* frames in which the error was above what is aimed at, or that took longer */
    double relative, metres; /* the worst of all frames */
    double seconds, longest; /* of all frames together, and of one */
} sn_job_budget;

#define SN_JOB_KINDS 128u /* kinds that are told apart; those beyond are taken together */

typedef struct sn_job {
    const sn_run_options *asked;
    const char *name; /* of the scene, for people */
    sn_scene *scene;
    sn_world *world;
    sn_scene_info info;
    uint32_t frames;  /* to run */
    uint32_t done;    /* frames run */
    double started;   /* s, of sn_seconds_now: the first frame began */
    double wall;      /* s that the frames took, writing included */
    double simulated; /* s */
    unsigned formats;
    sn_output *output;
    uint32_t output_frames; /* once it is closed */
    uint64_t output_bytes;
    sn_trace *trace;
    sn_trace *plot_trace; /* for the picture, if the trace above is none or not a .csv */
    char *plot_folder;    /* that was made for it; NULL if it lies elsewhere */
    char *plot_csv;
    char *picture;
    bool drawn, saved;
    sn_job_profile profile;
    sn_job_certificate certificate;
    sn_job_budget budget;
    double deepest; /* m: the deepest overlap of all frames, */
    uint32_t deepest_frame;
    sn_progress progress;
    sn_job_worst worst[SN_JOB_KINDS]; /* by kind */
    int code;
    char failure[SN_MESSAGE_SIZE]; /* why it stopped early; "" if it did not */
} sn_job;

/* Says why the job stops, and remembers it. The first reason counts. */
void sn_job_fail(sn_job *job, int code, const char *format, ...) SN_PRINTS(3, 4);

/* Why it stopped early, in words: the failure, or the signal. */
const char *sn_job_reason(const sn_job *job);

/* Files (job_files.c): opens what is to be written, writes the present frame, closes everything. False after
   sn_job_fail. */
#define SN_RUN_FILE "sinew-run.json" /* in the folder of --out: how far the run came */
bool sn_job_open(sn_job *job);
bool sn_job_write(sn_job *job);
void sn_job_close(sn_job *job);
void sn_job_save(sn_job *job);
void sn_job_draw(sn_job *job);

/* How well constraints held (job_worst.c): before the first frame, and after each; and what there is to tell of a kind. */
void sn_job_worst_begin(sn_job *job);
void sn_job_worst_frame(sn_job *job);
const sn_job_worst *sn_job_worst_of(const sn_job *job, uint32_t kind);

/* --profile (job_profile.c): opens the file, if there is one; begins to measure, after the warm-up; adds up a step; closes the file;
   and tells. All of them do nothing if it was not asked for. False after sn_job_fail. */
bool sn_job_profile_open(sn_job *job);
bool sn_job_profile_begin(sn_job *job);
void sn_job_profile_step(sn_job *job);
void sn_job_profile_close(sn_job *job);
void sn_job_profile_print(const sn_job *job);
void sn_job_profile_say(const sn_job *job, sn_document *d, sn_value *root);

/* --budget and --steps (job_budget.c): whether the text is good, which complains if not; begins, after the warm-up; takes a step; ends; and tells. */
bool sn_job_budget_check(const sn_run_options *asked);
bool sn_job_budget_begin(sn_job *job);
sn_result sn_job_budget_step(sn_job *job);
void sn_job_budget_end(sn_job *job);
void sn_job_budget_print(const sn_job *job);
void sn_job_budget_say(const sn_job *job, sn_document *d, sn_value *root);

/* --certify (job_certify.c): looks at the present frame; fails the job at the end if something intersected; and tells. */
void sn_job_certify(sn_job *job);
void sn_job_certify_end(sn_job *job);
void sn_job_certify_print(const sn_job *job);
void sn_job_certify_say(const sn_job *job, sn_document *d, sn_value *root);

/* Telling (job_tell.c). The first two are for programs and do nothing without --json. */
bool sn_job_tell_start(sn_job *job);
bool sn_job_tell_frame(sn_job *job);
void sn_job_tell_end(sn_job *job);

#endif
