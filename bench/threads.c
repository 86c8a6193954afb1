/* The speed of one world on several threads, compared with as many independent worlds, one per core, in the same
   run:

       sinew-bench-threads [SCENE-N PATH ...] [--threads LIST] [--copies N] [--rounds N] [--frames N]
           [--warm N]

   A round steps every world through the same frames: one world for each number of threads, and the copies all at the
   same time. The median of the rounds counts. The copies show what the cores can do together, since they share only
   caches and memory. All worlds must end with the same hash. Bodies and piles fall for some frames before the first
   round (--warm); their paths are falling, and general. */
#include "cli/bench.h"

#include <sinew/sinew.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_THREADS 64
#define MOST_LIST    16
#define MOST_ROUNDS  101

typedef struct options {
    uint32_t threads[MOST_LIST], count, copies, rounds, frames;
    uint32_t warm; /* frames before the first round: plans are made, and falling things settle */
} options;

typedef struct entry {
    const char *scene;
    uint32_t n;
    const char *path;
} entry;

static const entry standard[] = {{"cloth", 128, "general"},
                                 {"cloth", 128, "grid"},
                                 {"cloth", 256, "general"},
                                 {"cloth", 256, "grid"},
                                 {"tets", 20, "general"}};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Worlds ------------------------------------------------------------------------------------------------------ */

static bool step(sn_world *world, uint32_t frames)
{
    bool good = true;
    for (uint32_t i = 0; good && i < frames; ++i)
        good = sn_world_step(world, (sn_real)SN_BENCH_DT) == SN_OK;
    return good;
}

/* ---- Copies ------------------------------------------------------------------------------------------------------ */

typedef struct copy {
    pthread_t thread;
    pthread_barrier_t *start;
    sn_world *world;
    uint32_t frames;
    double seconds;
    bool good;
} copy;

static void *run_copy(void *data)
{
    copy *c = data;
    pthread_barrier_wait(c->start);
    double begin = now();
    c->good = step(c->world, c->frames);
    c->seconds = now() - begin;
    return NULL;
}

/* Returns s per frame, counting the frames of all copies together; negative on failure. */
static double run_copies(sn_world **world, uint32_t count, uint32_t frames)
{
    copy copies[MOST_THREADS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, count);
    double rate = 0;
    bool good = true;
    for (uint32_t i = 0; i < count; ++i) {
        copies[i] = (copy){.start = &start, .world = world[i], .frames = frames};
        if (pthread_create(&copies[i].thread, NULL, run_copy, &copies[i]) != 0) {
            fprintf(stderr, "threads: a thread could not be made\n");
            exit(1); /* the other threads would wait for ever */
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        pthread_join(copies[i].thread, NULL);
        good = good && copies[i].good;
        rate += frames / copies[i].seconds;
    }
    pthread_barrier_destroy(&start);
    return good ? 1 / rate : -1;
}

/* ---- Figures ----------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct figure {
    double median, spread; /* s per frame; distance of the quartiles as a share of the median */
} figure;

static figure sum_up(double *value, uint32_t count)
{
    qsort(value, count, sizeof *value, compare);
    return (figure){value[count / 2], (value[3 * count / 4] - value[count / 4]) / value[count / 2]};
}

/* Column t of the samples is for threads[t]; the last column is for the copies. */
static void print_scene(const options *o, const char *name, double (*sample)[MOST_ROUNDS])
{
    figure one = {0}, copies = o->copies ? sum_up(sample[o->count], o->rounds) : (figure){0};
    for (uint32_t t = 0; t < o->count; ++t) {
        figure f = sum_up(sample[t], o->rounds);
        if (t == 0)
            one = f;
        printf("| %-18s | %7u | %9.4f | %5.1f %% | %6.2f | %13.2f |\n", name, (unsigned)o->threads[t], 1e3 * f.median,
               100 * f.spread, one.median / f.median, copies.median * o->copies / (f.median * o->threads[t]));
    }
    if (o->copies)
        printf("| %-18s | %u alone | %9.4f | %5.1f %% | %6.2f | %13.2f |\n", name, (unsigned)o->copies,
               1e3 * copies.median, 100 * copies.spread, one.median / copies.median, 1.0);
    fflush(stdout);
}

/* Whether all hashes are equal. */
static bool agree(sn_world **world, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i)
        if (sn_world_hash(world[i]) != sn_world_hash(world[0]))
            return false;
    return true;
}

/* The first world runs on the largest number of threads. The others get its state, and make one step to build their
   own tables. */
static bool warm_up(const options *o, sn_world **world)
{
    const uint32_t before = sn_world_threads(world[0]);
    bool good = sn_bench_set_threads(world[0], o->threads[o->count - 1]) && step(world[0], o->warm) &&
                sn_bench_set_threads(world[0], before);
    sn_snapshot *state = good ? sn_world_save(world[0]) : NULL;
    for (uint32_t i = 0; state && good && i < o->count + o->copies; ++i)
        good = sn_world_load(world[i], state) == SN_OK && step(world[i], 1);
    sn_snapshot_destroy(state);
    return good && state;
}

static bool measure(const options *o, const char *name, sn_world **world)
{
    static double sample[MOST_LIST + 1][MOST_ROUNDS];
    bool good = warm_up(o, world);
    for (uint32_t round = 0; good && round < o->rounds; ++round) {
        for (uint32_t t = 0; good && t < o->count; ++t) {
            double begin = now();
            good = step(world[t], o->frames);
            sample[t][round] = (now() - begin) / o->frames;
        }
        if (good && o->copies)
            good = (sample[o->count][round] = run_copies(world + o->count, o->copies, o->frames)) > 0;
    }
    if (!good)
        fprintf(stderr, "threads: %s: a step failed\n", name);
    else if (!(good = agree(world, o->count + o->copies)))
        fprintf(stderr, "threads: %s: the worlds differ\n", name);
    else
        print_scene(o, name, sample);
    return good;
}

static bool run_scene(const options *o, const entry *e)
{
    char name[64], status[SN_BENCH_TEXT] = "";
    sn_bench_case c;
    sn_bench_world *built = calloc(MOST_LIST + MOST_THREADS, sizeof *built);
    sn_world *world[MOST_LIST + MOST_THREADS] = {0};
    const uint32_t path = sn_bench_path_find(e->path), count = o->count + o->copies;
    snprintf(name, sizeof name, "%s %u %s", e->scene, (unsigned)e->n, e->path);
    if (!built || !path || !sn_bench_case_find(e->scene, e->n, &c) || !c.build || !(c.paths & path)) {
        fprintf(stderr, "threads: there is no scene '%s'\n", name);
        free(built);
        return false;
    }
    bool good = true;
    for (uint32_t i = 0; good && i < count; ++i) {
        const sn_bench_job job = {
            .what = &c, .path = path, .threads = i < o->count ? o->threads[i] : 1, .substeps = c.substeps};
        good = sn_bench_world_build(&job, NULL, &built[i], status);
        world[i] = built[i].world;
    }
    if (!good)
        fprintf(stderr, "threads: %s could not be built: %s\n", name, status);
    good = good && measure(o, name, world);
    for (uint32_t i = 0; i < count; ++i)
        sn_bench_world_release(&built[i]);
    free(built);
    return good;
}

/* ---- The program ------------------------------------------------------------------------------------------------- */

static bool read_threads(const char *text, options *o)
{
    for (o->count = 0; *text && o->count < MOST_LIST;) {
        char *end;
        unsigned long value = strtoul(text, &end, 10);
        if (end == text || value < 1 || value > MOST_THREADS || (o->count && value <= o->threads[o->count - 1]))
            return false;
        o->threads[o->count++] = (uint32_t)value;
        text = *end == ',' ? end + 1 : end;
    }
    return o->count > 0 && *text == 0;
}

static bool read_option(options *o, const char *name, const char *value)
{
    unsigned long number = strtoul(value, NULL, 10);
    if (strcmp(name, "--threads") == 0)
        return read_threads(value, o);
    if (strcmp(name, "--rounds") == 0 && number >= 1 && number <= MOST_ROUNDS)
        o->rounds = (uint32_t)number;
    else if (strcmp(name, "--copies") == 0 && number <= MOST_THREADS)
        o->copies = (uint32_t)number;
    else if (strcmp(name, "--warm") == 0 && number >= 1 && number <= 10000)
        o->warm = (uint32_t)number;
    else if (strcmp(name, "--frames") == 0 && number >= 1 && number <= 10000)
        o->frames = (uint32_t)number;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    options o = {.threads = {1, 2, 4, 8, 16}, .count = 5, .copies = 16, .rounds = 15, .frames = 10, .warm = 3};
    entry own[MOST_LIST];
    const entry *list = standard;
    size_t count = sizeof standard / sizeof *standard, owns = 0;
    for (int i = 1; i + 1 < argc + 1; i += 2) {
        char *dash = argv[i][0] == '-' ? NULL : strrchr(argv[i], '-');
        if (i + 1 >= argc || (argv[i][0] == '-' && !read_option(&o, argv[i], argv[i + 1])) ||
            (argv[i][0] != '-' && (!dash || owns == MOST_LIST))) {
            fprintf(stderr, "usage: sinew-bench-threads [SCENE-N PATH ...] [--threads 1,2,4] [--copies N] [--rounds N] "
                            "[--frames N] [--warm N]\n");
            return 2;
        }
        if (dash) {
            *dash = 0;
            own[owns++] = (entry){argv[i], (uint32_t)strtoul(dash + 1, NULL, 10), argv[i + 1]};
            list = own;
            count = owns;
        }
    }
    printf("| scene              | threads |  ms/frame |  spread | faster | of the copies |\n"
           "|--------------------|---------|-----------|---------|--------|---------------|\n");
    bool good = true;
    for (size_t i = 0; i < count; ++i)
        good = run_scene(&o, &list[i]) && good;
    return good ? 0 : 1;
}
