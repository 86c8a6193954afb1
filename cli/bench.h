/* The benchmark: rows of figures, the limits of the machine that they are held against, and what makes them. */
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
#define SN_BENCH_LIST  32     /* numbers that --threads and the like take */
#define SN_BENCH_COSTS 10     /* what constraints of a kind may have: see sn_bench_cost_name */
#define SN_BENCH_EDITS 10000u /* constraints taken out and put in again to see what an edit costs */

/* One scene on one engine. Figures that do not exist are NaN. */
typedef struct sn_bench_row {
    char scene[SN_BENCH_NAME];
    char engine[SN_BENCH_NAME]; /* "sinew", "bullet" */
    char version[SN_BENCH_NAME];
    char path[SN_BENCH_NAME];
    char status[SN_BENCH_TEXT]; /* "" if it was measured, otherwise why not */
    uint32_t n;                 /* 0 for a scene file */
    uint32_t threads;
    uint32_t particles, constraints;
    uint32_t bodies; /* all particles are theirs; 0: none */
    uint32_t substeps, iterations;
    uint32_t settled, frames, blocks; /* frames before those that were measured, and those */
    bool distances;                   /* all its constraints are rods: it can be held against the limits */

    double projections;                /* in a frame */
    double ns;                         /* of a projection */
    double ms;                         /* of a frame, median */
    double wall_ms;                    /* the same by the clock on the wall, of a row in CPU time */
    double spread;                     /* between the quartiles, as a share of the median */
    double stretch_mean, stretch_max;  /* of a pile: overlap, as a share of the radius */
    double kinetic, fastest, contacts; /* of a pile at the end: J a particle, m/s, and what one touches on the mean */
    double build_ms;                   /* to make the world */
    double first_ms;                   /* the first frame, with all that is made ready in it */
    double bytes;                      /* that the world holds after it */
    double edit_ns;                    /* to remove a constraint or to add one */
    double volume_ns;                  /* of one volume row: what they add to the scene without them */
    double speed_up;                   /* against one thread */
    double limit_ns;                   /* what this machine allows, */
    bool memory_bound;                 /*   by memory instead of arithmetic, */
    double limit_share;                /*   and how much of it is reached */
    double bullet;                     /* how many times faster than Bullet, */
    double bullet_stretch;             /* and how many times less stretched on the mean */

    char feature[SN_BENCH_NAME], against[SN_BENCH_NAME]; /* "" unless it is a row of what a feature costs */
    char about[SN_BENCH_TEXT];                           /* the feature in words */
    double ratio, ratio_spread;                          /* of its time to that of the row `against`, */
    double ratio_target;                                 /*   and what that should be at most; NaN: no target */

    char kind[SN_BENCH_NAME]; /* "" unless it is a row of what a kind costs: its name */
    bool wide;                /* at the machine's width; otherwise one constraint at a time */
    uint32_t points, rows;    /* of the kind; no rows: of several kinds */
    double cost[SN_BENCH_COSTS], cost_spread[SN_BENCH_COSTS]; /* ns a constraint and pass, with each feature */

    char residual_kind[SN_BENCH_NAME]; /* of a scene file: the kind with the most constraints, "" if none */
    double residual_mean, residual_worst;
} sn_bench_row;

/* A row of nothing measured yet. */
sn_bench_row sn_bench_row_new(const char *scene, uint32_t n, const char *engine, const char *path, uint32_t threads);

/* ---- The machine (bench_limits.c) -------------------------------------------------------------------------------- */

typedef struct sn_bench_machine {
    char cpu[SN_BENCH_TEXT], compiler[SN_BENCH_TEXT];
    char system[SN_BENCH_TEXT];
    const char *lanes; /* with which the microbenchmark ran: "AVX2" or "baseline" */
    uint32_t cores;    /* that this process may use */
    double l1, l2, l3; /* bytes of data cache; 0 where the system does not tell */
    double
        contiguous_ns; /* of a distance projection in contiguous arrays in the first cache, exact root and division */
    double copy_bandwidth; /* bytes/s of memcpy beyond all caches, read and written ones together */
} sn_bench_machine;

/* False, after a message, when memory runs out. */
bool sn_bench_machine_measure(sn_bench_machine *machine, bool quick);

/* What limits a row on this machine, and how much of that it reaches. */
void sn_bench_limit(const sn_bench_machine *machine, sn_bench_row *row);

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

/* A world that was settled once, for all rows of a case. Zero it, and release it after the last one. */
typedef struct sn_bench_settled {
    sn_meter meter; /* of the memory that the snapshot is in */
    sn_snapshot *snapshot;
    uint32_t path; /* for which it was settled */
    double *
        place; /* where its particles are, m, by their numbers, or its bodies, seven numbers each; other engines start there */
    size_t numbers;
} sn_bench_settled;

void sn_bench_settled_release(sn_bench_settled *settled);

typedef struct sn_bench_job {
    const sn_bench_case *what;
    uint32_t path, threads, substeps, settle, frames;
    sn_bench_settled *settled; /* needed if settle is more than 0 */
    double seconds;            /* repeat until so much was measured */
    bool edits;                /* also measure what an edit costs */
} sn_bench_job;

/* Runs the frames that come before those that are measured, if there are any and job->settled has none of them yet
   (bench_world.c). False, with the reason in status, of SN_BENCH_TEXT bytes, if it fails. */
bool sn_bench_settle(const sn_bench_job *job, char *status);

/* A standard scene as a world. */
typedef struct sn_bench_world {
    sn_bench_model model;
    sn_meter meter;
    sn_world *world;
    sn_particles particles;
    sn_constraints rods;
    sn_body *body; /* of the model's */
} sn_bench_world;

/* Builds it (bench_world.c). meter: of the world's memory; NULL: its own. False, with the reason in status, if it fails; release it
   in either case. */
bool sn_bench_world_build(const sn_bench_job *job, sn_meter *meter, sn_bench_world *b, char *status);
void sn_bench_world_release(sn_bench_world *b);

/* A frame; an sn_bench_step. */
bool sn_bench_world_step(void *context);

/* How well it holds: stretch, or of a pile overlap and what still moves. */
bool sn_bench_world_quality(const sn_bench_world *b, sn_bench_row *row);

/* Measures a standard scene with Sinew (bench_world.c). False, with the reason in row->status, if it fails. */
bool sn_bench_measure(const sn_bench_job *job, sn_bench_row *row);

/* What a feature costs (bench_features.c): the scene of the job with one more thing in it or another setting, beside the same
   without it. Both run by turns, job->frames frames at a time after one that is not measured, `rounds` times; the ratio is the
   median of those of the rounds. Measures feature number i, of which there are so many. */
uint32_t sn_bench_feature_count(void);
bool sn_bench_measure_feature(const sn_bench_job *job, uint32_t i, uint32_t rounds, sn_bench_row *row);

/* What a kind costs (bench_kinds.c): job->what->n constraints that share nothing, on one thread, beside the same world without them.
   Both run by turns, as above, and every time from the same start; the cost is the median of what the first takes longer. Forces, which
   nothing projects, and kinds with any number of points are not measured. */
bool sn_bench_kind_is_measured(uint32_t kind);
bool sn_bench_measure_kind(const sn_bench_job *job, uint32_t kind, bool wide, uint32_t rounds, sn_bench_row *row);
/* The same for the joints of ragdolls that touch nothing. */
bool sn_bench_measure_joints(const sn_bench_job *job, bool wide, uint32_t rounds, sn_bench_row *row);
const char *sn_bench_cost_name(uint32_t i); /* "plain", "damping" */

/* The same on Bullet, by a program of its own (bench_bullet.c). A pile starts as job->settled has it. */
bool sn_bench_bullet(const char *program, const sn_bench_job *job, sn_bench_row *row);

/* The program beside this one; NULL if it is not there. Free it. */
char *sn_bench_bullet_find(void);

/* A scene that was loaded (bench_file.c). */
bool sn_bench_measure_scene(sn_scene *scene, uint32_t threads, uint32_t frames, sn_bench_row *row);

/* Of a scene with bodies (bench_bodies_world.c): puts them into a world; then their joints; reads how they lie, seven numbers each; and how well they hold
   and how they move. False when memory runs out, or, of the first two, with the world's reason. */
bool sn_bench_add_bodies(sn_world *world, const sn_bench_model *model, sn_body *body);
bool sn_bench_add_joints(sn_world *world, const sn_bench_model *model, const sn_body *body);
void sn_bench_read_bodies(const sn_world *world, uint32_t count, const sn_body *body, double *pose);
bool sn_bench_measure_bodies(const sn_world *world, const sn_bench_model *model, const sn_body *body,
                             sn_bench_row *row);

/* Sets the threads of a world. False if they cannot be had. */
bool sn_bench_set_threads(sn_world *world, uint32_t threads);

/* ---- Telling (bench_tell.c) -------------------------------------------------------------------------------------- */

void sn_bench_print_head(const sn_bench_machine *machine);
void sn_bench_print_row(const sn_bench_row *row);
void sn_bench_print_feature_head(uint32_t n, const char *path);
void sn_bench_print_kind_head(uint32_t n);
void sn_bench_print_list(void);

/* A row as a line of JSON. False, after a message, if it cannot be written. */
bool sn_bench_say_row(const sn_bench_row *row);

/* The machine, its limits and all rows as a file. False after a message. */
bool sn_bench_save(const char *path, const sn_bench_machine *machine, uint32_t count, const sn_bench_row *rows);

/* What queries cost (bench_queries.c), in a table or as a JSON object each. False when memory runs out. */
bool sn_bench_queries(bool quick, bool json);

/* Many worlds, on each of these numbers of threads (bench_worlds.c); the same. */
bool sn_bench_worlds(const uint32_t *threads, uint32_t count, bool quick, bool json);

/* Layers of cloth that collide with each other (bench_layers.c); the same. */
bool sn_bench_layers(const uint32_t *threads, uint32_t count, bool quick, bool json);

#endif
