/* The benchmark: rows of figures, the limits of the machine, and the calls that measure. */
#ifndef SN_CLI_BENCH_H
#define SN_CLI_BENCH_H

#include "cli/bench_scenes.h"
#include "cli/bench_time.h"
#include "cli/info.h"
#include "scene/document.h"
#include "scene/scene.h"

#include <sinew/sinew.h>

#define SN_BENCH_NAME  64
#define SN_BENCH_TEXT  160
#define SN_BENCH_LIST  32     /* most numbers of --threads and the like */
#define SN_BENCH_COSTS 10     /* variants of a kind's constraints: see sn_bench_cost_name */
#define SN_BENCH_EDITS 10000u /* constraints removed and added again to measure edits */

/* The figures of one scene on one engine. Figures that do not exist are NaN. */
typedef struct sn_bench_row {
    char scene[SN_BENCH_NAME];
    char engine[SN_BENCH_NAME]; /* "sinew", "bullet" */
    char version[SN_BENCH_NAME];
    char path[SN_BENCH_NAME];
    char status[SN_BENCH_TEXT]; /* "" if it was measured, otherwise the reason why not */
    uint32_t n;                 /* 0 for a scene file */
    uint32_t threads;
    uint32_t particles, constraints;
    uint32_t bodies; /* all particles are their centres; 0: no bodies */
    uint32_t substeps, iterations;
    uint32_t settled, frames, blocks; /* frames before the measured ones; measured frames; blocks of these */
    bool distances;                   /* all its constraints are rods: the limits apply */

    double projections;                /* per frame */
    double ns;                         /* per projection */
    double ms;                         /* per frame, median */
    double wall_ms;                    /* per frame, wall time, of a row in CPU time */
    double spread;                     /* between the quartiles, as a share of the median */
    double stretch_mean, stretch_max;  /* of a pile: overlap, as a share of the radius */
    double kinetic, fastest, contacts; /* of a pile at the end: J per particle, m/s, contacts per sphere */
    double build_ms;                   /* for making the world */
    double first_ms;                   /* for the first frame, which includes preparations */
    double bytes;                      /* memory of the world after it */
    double edit_ns;                    /* for removing or adding one constraint */
    double volume_ns;                  /* per volume row: the time added to the scene without them */
    double speed_up;                   /* relative to one thread */
    double limit_ns;                   /* the limit of this machine, */
    bool memory_bound;                 /* set by memory instead of arithmetic, */
    double limit_share;                /* and the share of it that is reached */
    double bullet;                     /* how many times faster than Bullet, */
    double bullet_stretch;             /* and how many times smaller the mean stretch is */

    char feature[SN_BENCH_NAME], against[SN_BENCH_NAME]; /* "" unless the row is about a feature */
    char about[SN_BENCH_TEXT];                           /* the feature in words */
    double ratio, ratio_spread;                          /* of its time to that of the row `against`, */
    double ratio_target;                                 /* and the largest that is wanted; NaN: no target */

    char kind[SN_BENCH_NAME]; /* "" unless the row is about a kind: its name */
    bool wide;                /* at the machine's vector width; otherwise one constraint at a time */
    uint32_t points, rows;    /* of the kind; rows 0: several kinds */
    double cost[SN_BENCH_COSTS], cost_spread[SN_BENCH_COSTS]; /* ns per constraint and pass, with each variant */

    char residual_kind[SN_BENCH_NAME]; /* of a scene file: the kind with the most constraints, "" if none */
    double residual_mean, residual_worst;
} sn_bench_row;

/* A row without figures. */
sn_bench_row sn_bench_row_new(const char *scene, uint32_t n, const char *engine, const char *path, uint32_t threads);

/* ---- The machine (bench_limits.c) -------------------------------------------------------------------------------- */

typedef struct sn_bench_machine {
    char cpu[SN_BENCH_TEXT], compiler[SN_BENCH_TEXT];
    char system[SN_BENCH_TEXT];
    const char *lanes;     /* vector instructions of the microbenchmark: "AVX2" or "baseline" */
    uint32_t cores;        /* available to this process */
    double l1, l2, l3;     /* bytes of data cache; 0: unknown */
    double contiguous_ns;  /* of a distance projection in first-level cache, with exact root and division */
    double copy_bandwidth; /* bytes/s of memcpy beyond all caches, read and written bytes together */
} sn_bench_machine;

/* False, after a message, when memory runs out. */
bool sn_bench_machine_measure(sn_bench_machine *machine, bool quick);

/* Fills in the limit of a row on this machine, and the share of it that is reached. */
void sn_bench_limit(const sn_bench_machine *machine, sn_bench_row *row);

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

/* The settled state of a case, which all its rows share. Zero it first, and release it after the last row. */
typedef struct sn_bench_settled {
    sn_meter meter; /* counts the memory of the snapshot */
    sn_snapshot *snapshot;
    uint32_t path; /* the path for which it was settled */
    double *place; /* positions of its particles, m, by number, or seven numbers per body; other engines start there */
    size_t numbers;
} sn_bench_settled;

void sn_bench_settled_release(sn_bench_settled *settled);

typedef struct sn_bench_job {
    const sn_bench_case *what;
    uint32_t path, threads, substeps, settle, frames;
    sn_bench_settled *settled; /* needed if settle is more than 0 */
    double seconds;            /* repeat until this much time was measured */
    bool edits;                /* also measure edits */
} sn_bench_job;

/* Runs the frames before the measured ones, unless there are none or job->settled has them already (bench_world.c).
   False, with the reason in status, of SN_BENCH_TEXT bytes, on failure. */
bool sn_bench_settle(const sn_bench_job *job, char *status);

/* A standard scene as a world. */
typedef struct sn_bench_world {
    sn_bench_model model;
    sn_meter meter;
    sn_world *world;
    sn_particles particles;
    sn_constraints rods;
    sn_body *body; /* the bodies of the model */
} sn_bench_world;

/* Builds it (bench_world.c). meter: counts the world's memory; NULL: its own meter. False, with the reason in
   status, on failure; release it in either case. */
bool sn_bench_world_build(const sn_bench_job *job, sn_meter *meter, sn_bench_world *b, char *status);
void sn_bench_world_release(sn_bench_world *b);

/* Steps one frame; an sn_bench_step. */
bool sn_bench_world_step(void *context);

/* Fills in the quality: stretch, or, for a pile, overlap and remaining motion. */
bool sn_bench_world_quality(const sn_bench_world *b, sn_bench_row *row);

/* Measures a standard scene with Sinew (bench_world.c). False, with the reason in row->status, on failure. */
bool sn_bench_measure(const sn_bench_job *job, sn_bench_row *row);

/* The cost of a feature (bench_features.c): the scene of the job with one more thing or another setting, compared
   with the same scene without it. Both run alternately, job->frames frames at a time after one that is not measured,
   `rounds` times; the ratio is the median of the ratios of the rounds. Measures feature i of
   sn_bench_feature_count(). */
uint32_t sn_bench_feature_count(void);
bool sn_bench_measure_feature(const sn_bench_job *job, uint32_t i, uint32_t rounds, sn_bench_row *row);

/* The cost of a kind (bench_kinds.c): job->what->n constraints that share no particles, on one thread, compared with
   the same world without them. Both run alternately, as above, and always from the same start; the cost is the
   median of the differences. Not measured: forces, which are not projected, and kinds with any number of points. */
bool sn_bench_kind_is_measured(uint32_t kind);
bool sn_bench_measure_kind(const sn_bench_job *job, uint32_t kind, bool wide, uint32_t rounds, sn_bench_row *row);
/* The same for the joints of ragdolls without contact. */
bool sn_bench_measure_joints(const sn_bench_job *job, bool wide, uint32_t rounds, sn_bench_row *row);
const char *sn_bench_cost_name(uint32_t i); /* "plain", "damping" */

/* The same on Bullet, by a separate program (bench_bullet.c). A pile starts from job->settled. */
bool sn_bench_bullet(const char *program, const sn_bench_job *job, sn_bench_row *row);

/* The path of that program, beside this one; NULL if it is not there. Free it. */
char *sn_bench_bullet_find(void);

/* Measures a scene that was loaded (bench_file.c). */
bool sn_bench_measure_scene(sn_scene *scene, uint32_t threads, uint32_t frames, sn_bench_row *row);

/* For scenes with bodies (bench_bodies_world.c): add the bodies to a world; add their joints; read their poses,
   seven numbers each; and compute how well they hold and how they move. False when memory runs out, or, of the first
   two, if the world refuses. */
bool sn_bench_add_bodies(sn_world *world, const sn_bench_model *model, sn_body *body);
bool sn_bench_add_joints(sn_world *world, const sn_bench_model *model, const sn_body *body);
void sn_bench_read_bodies(const sn_world *world, uint32_t count, const sn_body *body, double *pose);
bool sn_bench_measure_bodies(const sn_world *world, const sn_bench_model *model, const sn_body *body,
                             sn_bench_row *row);

/* Sets the threads of a world. False if they are not available. */
bool sn_bench_set_threads(sn_world *world, uint32_t threads);

/* ---- Output (bench_tell.c) --------------------------------------------------------------------------------------- */

void sn_bench_print_head(const sn_bench_machine *machine);
void sn_bench_print_row(const sn_bench_row *row);
void sn_bench_print_feature_head(uint32_t n, const char *path);
void sn_bench_print_kind_head(uint32_t n);
void sn_bench_print_list(void);

/* Prints a row as a line of JSON. False, after a message, if it cannot be written. */
bool sn_bench_say_row(const sn_bench_row *row);

/* Writes the machine, its limits and all rows to a file. False after a message. */
bool sn_bench_save(const char *path, const sn_bench_machine *machine, uint32_t count, const sn_bench_row *rows);

/* The cost of queries (bench_queries.c), as a table or as a JSON object each. False when memory runs out. */
bool sn_bench_queries(bool quick, bool json);

/* Many worlds, on each of these numbers of threads (bench_worlds.c); result as above. */
bool sn_bench_worlds(const uint32_t *threads, uint32_t count, bool quick, bool json);

/* Layers of cloth that collide with each other (bench_layers.c); result as above. */
bool sn_bench_layers(const uint32_t *threads, uint32_t count, bool quick, bool json);

#endif
