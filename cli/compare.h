/* The same scene with several solvers: options, runs, and their measurements. */
#ifndef SN_CLI_COMPARE_H
#define SN_CLI_COMPARE_H

#include "cli/cli.h"

#define SN_COMPARE_MESSAGE 512

typedef struct sn_compare_options {
    const char *solvers, *iterations, *budget, *out;
    uint32_t frames; /* UINT32_MAX: as many as the scene has */
    sn_texts set;
    uint64_t memory;
    bool quiet, json, read_anywhere, help;
} sn_compare_options;

/* ---- Contestants (compare_spec.c) -------------------------------------------------------------------------------- */

/* A solver with its settings: NAME[:WORD...][+PATH=VALUE...], as in jacobi:averaged+relaxation=1.5. A WORD is a
   value of a setting of the world with choices (averaged of jacobi, leapfrog of integrator). A PATH without a dot is
   a setting of the world. */
typedef struct sn_contestant {
    char *label; /* as given on the command line */
    uint32_t set_count;
    char **set;      /* PATH=VALUE, the solver first */
    bool iterations; /* it sets iterations itself; likewise substeps */
    bool substeps;
} sn_contestant;

typedef struct sn_contestants {
    uint32_t count;
    sn_contestant *item;
} sn_contestants;

/* Reads a list with commas; NULL: every solver. Returns SN_EXIT_FINE, or a code after a message. Release it either
   way. */
int sn_contestants_read(const char *list, sn_contestants *contestants);
void sn_contestants_release(sn_contestants *contestants);

/* Reads "1,2,4": ascending counts. False after a message. Free *count. */
bool sn_counts_read(const char *option, const char *list, uint32_t **count, uint32_t *length);

/* ---- The error (compare_error.c) ------------------------------------------------------------------------------------

   One number for constraints of all kinds. The error of a constraint (sn_kind_report) is in the unit of its C:
   metres, radians, cubic metres. Divided by the length of the gradient of C with respect to one point it is the
   distance by which that point is displaced. Divided by the size of the scene's constraints it is a share: for a
   rod, its stretch as a share of its length. */
typedef struct sn_error_scale {
    double length; /* m: the mean distance between points of a constraint; 1 if there are none */
    uint32_t kinds;
    /* by kind: the mean, over its constraints, of the length of the gradient; 1 if there are none */
    double *gradient;
    bool held; /* something outside changes momentum: ground, pins, immovable particles, drag, forces */
} sn_error_scale;

/* Measures the scale for a scene at its start. False when memory runs out. Release it either way. */
bool sn_error_scale_take(sn_error_scale *scale, const sn_document *document, sn_world *world);
void sn_error_scale_release(sn_error_scale *scale);

/* The mean error over all constraints, and the largest. Force elements have no error. */
void sn_error_of(const sn_error_scale *scale, sn_world *world, const sn_report *report, double *mean, double *worst);

/* ---- Runs (compare_run.c) ---------------------------------------------------------------------------------------- */

typedef struct sn_sample {
    double time;         /* s */
    double error, worst; /* shares, as above */
    double energy;       /* J: kinetic, potential and elastic */
    double kinetic;      /* J */
    double momentum[3];  /* kg m/s */
    double angular[3];   /* kg m^2/s */
    double mass;         /* kg */
} sn_sample;

typedef enum sn_trial_end {
    SN_TRIAL_FINISHED,
    SN_TRIAL_DIVERGED,
    SN_TRIAL_REFUSED,    /* the solver does not support this scene, or not with these settings */
    SN_TRIAL_INTERRUPTED /* by a signal */
} sn_trial_end;

typedef struct sn_trial {
    const sn_contestant *who;
    uint32_t substeps, iterations;
    sn_vec3 gravity; /* m/s^2 */
    sn_trial_end end;
    char message[SN_COMPARE_MESSAGE]; /* why it ended early; "" otherwise */
    uint32_t frames;                  /* frames completed; there is one more sample */
    sn_sample *sample;
    double seconds;   /* CPU time per frame */
    double passes;    /* over the constraints in a substep, as completed */
    double error;     /* the mean of the samples, */
    double worst;     /*   and the worst of them */
    double energy;    /* J: the change from start to end */
    double peak;      /* J: the largest kinetic energy */
    double momentum;  /* kg m/s: the largest change that is not gravity's; NaN if something holds the scene */
    bool over_budget; /* even one substep exceeds the time budget */
} sn_trial;

typedef struct sn_comparison {
    const sn_compare_options *asked;
    const char *path; /* of the scene */
    const char *name; /* for output */
    sn_contestants contestants;
    uint32_t *count; /* iterations to try */
    uint32_t counts;
    double budget; /* s; 0: none */
    uint32_t frames;
    bool needs_world; /* the document has no record "world" for settings yet */
    sn_settings settings;
    sn_error_scale scale;
    uint32_t trials, room;
    sn_trial *trial;
    double energy_scale; /* J: see find_energy_scale; 0: nothing moved */
    uint32_t shown;      /* iterations of the runs whose energies are drawn: those nearest to the scene's own */
    char heard[SN_COMPARE_MESSAGE]; /* the last warning */
    int code;
} sn_comparison;

/* Makes all runs. An exit code other than SN_EXIT_FINE is in c->code, after a message. */
void sn_comparison_run(sn_comparison *c);

/* Whether the energy and momentum of a run are drawn. */
bool sn_trial_is_shown(const sn_comparison *c, const sn_trial *trial);

/* ---- Output (compare_tell.c, compare_files.c, compare_draw.c) ---------------------------------------------------- */

/* The change of energy as a share of the largest kinetic energy, and that of momentum as a share of the momentum for
   that energy. NaN where this has no meaning. */
double sn_trial_energy_drift(const sn_comparison *c, const sn_trial *trial);
double sn_trial_momentum_drift(const sn_comparison *c, const sn_trial *trial);

/* "finished", "diverged", "refused", "interrupted". */
const char *sn_trial_end_name(const sn_trial *trial);

void sn_comparison_print(const sn_comparison *c);
bool sn_comparison_say_start(const sn_comparison *c);
bool sn_comparison_say(const sn_comparison *c);

/* Writes table.csv and curves.csv into the folder. Returns SN_EXIT_FINE or another code, after a message. */
int sn_comparison_write(const sn_comparison *c);

/* Draws the pictures. */
extern const char *const sn_comparison_pictures[]; /* their names; NULL ends the list */
int sn_comparison_draw(const sn_comparison *c);

#endif
