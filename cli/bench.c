/* The time of a step, and how well the constraints hold at that price. The time alone would mean nothing: no solving
   at all is fastest. */
#include "cli/bench.h"
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define QUICK_FRAMES 10
#define MOST_FRAMES  300 /* at most, of a scene file */
#define MOST_THREADS 256
#define MOST_PASSES  100000
#define ROUNDS       15  /* rounds in which a feature and the plain scene alternate, */
#define QUICK_ROUNDS 5   /* with --quick, */
#define QUICK_SIDE   16  /* with --quick: particles on a side of that cloth */
#define KIND_ROUNDS  5   /* rounds for each kind of constraint, of which there are many, */
#define QUICK_KINDS  16  /* with --quick: constraints of each kind */
#define BUSY         0.5 /* busy processes, mean of the last minute, above which a warning is printed */
#define EDITED       512 /* side of the cloth on which edits are measured: about a million constraints */

typedef struct bench_options {
    sn_texts set;
    const char *threads, *substeps, *path, *bullet, *save;
    uint32_t frames;
    bool quick, slow, list, json, help;
} bench_options;

#define FIELD(name) offsetof(bench_options, name)

static const sn_option options[] = {
    {"threads", 't', SN_OPTION_TEXT, FIELD(threads), 0, "LIST",
     "numbers of threads, separated by commas; default 1 and the number of cores"},
    {"path", 'p', SN_OPTION_TEXT, FIELD(path), 0, "LIST",
     "only these paths of the standard scenes: grid, general, sequential, direct, falling, settled"},
    {"substeps", 0, SN_OPTION_TEXT, FIELD(substeps), 0, "LIST",
     "run the standard scenes with these numbers of passes a frame instead of their own; Bullet makes as many"},
    {"bullet", 'b', SN_OPTION_TEXT, FIELD(bullet), 0, "PROGRAM",
     "the program that runs the scenes on Bullet; default sinew-bench-bullet beside this program; none: no Bullet"},
    {"quick", 0, SN_OPTION_FLAG, FIELD(quick), 0, NULL, "only a few frames of small scenes, too few to measure"},
    {"long", 0, SN_OPTION_FLAG, FIELD(slow), 0, NULL, "also the scenes that take many minutes"},
    {"frames", 'n', SN_OPTION_COUNT, FIELD(frames), SN_BENCH_LEAST, "N",
     "measure N frames; default as many as the scene says, for a file at most 300"},
    {"set", 's', SN_OPTION_TEXTS, FIELD(set), 0, "PATH=VALUE", "change scene files before they are built, as run does"},
    {"save", 'o', SN_OPTION_TEXT, FIELD(save), 0, "FILE", "write the machine, its limits and all rows, as JSON"},
    {"list", 'l', SN_OPTION_FLAG, FIELD(list), 0, NULL, "print the standard scenes and measure nothing"},
    {"json", 'j', SN_OPTION_FLAG, FIELD(json), 0, NULL, "print one JSON object per row"},
    SN_OPTION_END(bench_options)};

typedef struct numbers {
    uint32_t count, item[SN_BENCH_LIST];
} numbers;

/* All data of one run of the command. */
typedef struct bench {
    const bench_options *o;
    numbers threads, substeps; /* no substeps: those of the scene */
    uint32_t paths;
    char *bullet; /* the path of the Bullet program; NULL if there is none */
    sn_bench_machine machine;
    uint32_t count, capacity;
    sn_bench_row *row;
    int code;
} bench;

/* ---- Lists on the command line ----------------------------------------------------------------------------------- */

static bool read_numbers(const char *option, const char *text, uint32_t most, numbers *list)
{
    list->count = 0;
    for (const char *at = text;;) {
        char *end;
        unsigned long value = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || value < 1 || value > most || (*end != 0 && *end != ',') ||
            list->count == SN_BENCH_LIST) {
            sn_complain(0, "bench: --%s '%s': expected whole numbers from 1 to %u, at most %d, with commas between",
                        option, text, (unsigned)most, SN_BENCH_LIST);
            return false;
        }
        list->item[list->count++] = (uint32_t)value;
        if (*end == 0)
            return true;
        at = end + 1;
    }
}

static bool read_paths(const char *text, uint32_t *paths)
{
    *paths = 0;
    for (const char *at = text;; ++at) {
        char name[SN_BENCH_NAME];
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < SN_BENCH_NAME ? length : SN_BENCH_NAME - 1), at);
        uint32_t path = sn_bench_path_find(name);
        if (path == 0) {
            sn_complain(
                0,
                "bench: --path: there is no path '%s'; expected grid, general, sequential, direct, falling or settled",
                name);
            return false;
        }
        *paths |= path;
        at += length;
        if (*at == 0)
            return true;
    }
}

/* Reads the lists of the options; the default for threads follows from the machine. */
static bool read_options(bench *b)
{
    const bench_options *o = b->o;
    b->paths = SN_BENCH_PATH_END - 1;
    return (!o->threads || read_numbers("threads", o->threads, MOST_THREADS, &b->threads)) &&
           (!o->substeps || read_numbers("substeps", o->substeps, MOST_PASSES, &b->substeps)) &&
           (!o->path || read_paths(o->path, &b->paths));
}

static void default_threads(bench *b)
{
    if (b->threads.count > 0)
        return;
    b->threads.item[b->threads.count++] = 1;
    if (b->machine.cores > 1)
        b->threads.item[b->threads.count++] = b->machine.cores;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static void worsen(bench *b, int code)
{
    b->code = code > b->code ? code : b->code;
}

/* The row of the same scene that was measured before, of this engine and path and on so many threads. */
static const sn_bench_row *find_row(const bench *b, const sn_bench_row *like, const char *scene, const char *engine,
                                    const char *path, uint32_t threads)
{
    for (uint32_t i = 0; i < b->count; ++i) {
        const sn_bench_row *r = &b->row[i];
        if (!r->status[0] && r->n == like->n && r->threads == threads &&
            r->substeps * r->iterations == like->substeps * like->iterations && strcmp(r->scene, scene) == 0 &&
            strcmp(r->engine, engine) == 0 && (!path || strcmp(r->path, path) == 0))
            return r;
    }
    return NULL;
}

/* Fills in figures that follow from other rows and from the machine. */
static void relate(const bench *b, sn_bench_row *r)
{
    if (r->status[0])
        return;
    sn_bench_limit(&b->machine, r);
    const sn_bench_row *one = find_row(b, r, r->scene, r->engine, r->path, 1);
    /* CPU time (of one thread) is not compared with wall time (of several): the load of other programs would decide
       the ratio. */
    if (one && r->threads > 1)
        r->speed_up = one->wall_ms / r->ms;
    const sn_bench_row *bullet =
        r->n && r->threads == 1 ? find_row(b, r, r->scene, "bullet", r->bodies ? r->path : NULL, 1) : NULL;
    if (bullet && strcmp(r->engine, "sinew") == 0) {
        r->bullet = bullet->ns / r->ns;
        r->bullet_stretch = r->stretch_mean > 0 ? bullet->stretch_mean / r->stretch_mean : NAN;
    }
    const sn_bench_row *links =
        strcmp(r->scene, "tets") == 0 ? find_row(b, r, "tets_links", r->engine, r->path, r->threads) : NULL;
    if (links && r->constraints > links->constraints)
        r->volume_ns = 1e6 * (r->ms - links->ms) / ((double)r->substeps * (r->constraints - links->constraints));
}

static void keep(bench *b, sn_bench_row *row)
{
    relate(b, row);
    if (b->count == b->capacity) {
        uint32_t capacity = b->capacity ? 2 * b->capacity : 64;
        sn_bench_row *grown = realloc(b->row, capacity * sizeof *grown);
        if (!grown) {
            worsen(b, sn_complain(SN_EXIT_FAILED, "out of memory"));
            return;
        }
        b->row = grown;
        b->capacity = capacity;
    }
    b->row[b->count++] = *row;
    if (!b->o->json)
        sn_bench_print_row(row);
    else if (!sn_bench_say_row(row))
        worsen(b, SN_EXIT_OUTPUT);
}

/* ---- Standard scenes --------------------------------------------------------------------------------------------- */

static sn_bench_job make_job(const bench *b, const sn_bench_case *c, uint32_t substeps)
{
    bool whole = !b->o->quick && !b->o->frames;
    return (sn_bench_job){.what = c,
                          .substeps = substeps,
                          .threads = 1,
                          .settle = b->o->quick && c->settle > QUICK_FRAMES ? QUICK_FRAMES : c->settle,
                          .frames = b->o->frames  ? b->o->frames
                                    : b->o->quick ? QUICK_FRAMES
                                                  : c->frames,
                          .seconds = whole ? SN_BENCH_SECONDS : 0};
}

static void bench_bullet(bench *b, const sn_bench_job *job)
{
    const char *path = sn_bench_case_is_bodies(job->what) ? sn_bench_path_name(job->path)
                       : sn_bench_case_is_pile(job->what) ? "spheres"
                                                          : "links";
    sn_bench_row row = sn_bench_row_new(job->what->scene, job->what->n, "bullet", path, 1);
    if (!sn_bench_bullet(b->bullet, job, &row) && strcmp(row.status, "not installed") != 0)
        worsen(b, SN_EXIT_FAILED);
    keep(b, &row);
}

static void bench_path(bench *b, sn_bench_job *job)
{
    for (uint32_t i = 0; i < b->threads.count && b->code != SN_EXIT_OUTPUT; ++i) {
        job->threads = b->threads.item[i];
        job->edits = job->seconds > 0 && job->threads == 1 && job->what->n == EDITED && !b->substeps.count;
        sn_bench_row row =
            sn_bench_row_new(job->what->scene, job->what->n, "sinew", sn_bench_path_name(job->path), job->threads);
        if (!sn_bench_measure(job, &row))
            worsen(b, SN_EXIT_FAILED);
        keep(b, &row);
    }
}

static bool with_bullet(const bench *b, const sn_bench_case *c)
{
    return c->bullet && !(b->o->bullet && strcmp(b->o->bullet, "none") == 0) && b->code != SN_EXIT_OUTPUT;
}

/* Bodies are measured twice, falling and settled, and so is Bullet. */
static void bench_bodies(bench *b, sn_bench_job *job)
{
    const uint32_t settle = job->settle;
    for (job->path = SN_BENCH_FALLING; job->path <= SN_BENCH_SETTLED; job->path <<= 1) {
        if (!(job->what->paths & b->paths & job->path))
            continue;
        job->settle = job->path == SN_BENCH_SETTLED ? settle : 0;
        if (with_bullet(b, job->what))
            bench_bullet(b, job);
        bench_path(b, job);
    }
}

/* On one thread, whatever --threads says: CPU time can then be measured, and ratios are steady. */
static void bench_features(bench *b, const sn_bench_case *c)
{
    sn_bench_case small = *c;
    small.n = b->o->quick && c->n > QUICK_SIDE ? QUICK_SIDE : c->n;
    sn_bench_job job = make_job(b, &small, c->substeps);
    job.frames = b->o->quick ? 1 : c->frames;
    for (job.path = SN_BENCH_GRID; job.path <= SN_BENCH_GENERAL; job.path <<= 1) {
        if (!(c->paths & b->paths & job.path))
            continue;
        if (!b->o->json)
            sn_bench_print_feature_head(small.n, sn_bench_path_name(job.path));
        for (uint32_t i = 0; i < sn_bench_feature_count() && b->code != SN_EXIT_OUTPUT; ++i) {
            sn_bench_row row = sn_bench_row_new(c->scene, small.n, "sinew", sn_bench_path_name(job.path), 1);
            if (!sn_bench_measure_feature(&job, i, b->o->quick ? QUICK_ROUNDS : ROUNDS, &row))
                worsen(b, SN_EXIT_FAILED);
            keep(b, &row);
        }
    }
}

static void bench_kind(bench *b, const sn_bench_job *job, uint32_t kind)
{
    for (int wide = 0; wide <= 1 && b->code != SN_EXIT_OUTPUT; ++wide) {
        const uint32_t rounds = b->o->quick ? QUICK_ROUNDS : KIND_ROUNDS;
        sn_bench_row row = sn_bench_row_new(job->what->scene, job->what->n, "sinew", sn_bench_path_name(job->path), 1);
        if (!(kind ? sn_bench_measure_kind(job, kind, wide, rounds, &row)
                   : sn_bench_measure_joints(job, wide, rounds, &row)))
            worsen(b, SN_EXIT_FAILED);
        keep(b, &row);
    }
}

static void bench_kinds(bench *b, const sn_bench_case *c)
{
    sn_bench_case small = *c;
    small.n = b->o->quick && c->n > QUICK_KINDS ? QUICK_KINDS : c->n;
    sn_bench_job job = make_job(b, &small, c->substeps);
    job.frames = b->o->quick ? 1 : c->frames;
    job.path = SN_BENCH_GENERAL;
    if (!(b->paths & job.path))
        return;
    if (!b->o->json)
        sn_bench_print_kind_head(small.n);
    for (uint32_t kind = 1; kind < sn_kind_count(NULL) && b->code != SN_EXIT_OUTPUT; ++kind)
        if (sn_bench_kind_is_measured(kind))
            bench_kind(b, &job, kind);
    bench_kind(b, &job, SN_KIND_NONE);
}

/* Bullet is measured first, so that the rows that follow have the ratio. */
static void bench_case(bench *b, const sn_bench_case *c)
{
    if (sn_bench_case_is_features(c)) {
        bench_features(b, c);
        return;
    }
    if (sn_bench_case_is_kinds(c)) {
        bench_kinds(b, c);
        return;
    }
    numbers own = {1, {c->substeps}};
    const numbers *substeps = b->substeps.count ? &b->substeps : &own;
    for (uint32_t i = 0; i < substeps->count; ++i) {
        sn_bench_settled settled = {0};
        sn_bench_job job = make_job(b, c, substeps->item[i]);
        job.settled = &settled;
        job.path = sn_bench_case_is_pile(c) ? SN_BENCH_GENERAL : SN_BENCH_GRID; /* the numbering that Bullet gets */
        if (sn_bench_case_is_bodies(c)) {
            bench_bodies(b, &job);
        } else {
            if (with_bullet(b, c))
                bench_bullet(b, &job);
            for (job.path = 1; job.path < SN_BENCH_PATH_END; job.path <<= 1)
                if (c->paths & b->paths & job.path && b->code != SN_EXIT_OUTPUT)
                    bench_path(b, &job);
        }
        sn_bench_settled_release(&settled);
    }
}

/* Runs the standard scenes of a name: "cloth" all sizes, "cloth-64" one. False if no scene has the name. b NULL:
   only looks for the name. */
static bool bench_named(bench *b, const char *name)
{
    bool found = false;
    for (uint32_t i = 0; sn_bench_case_at(i); ++i)
        if (strcmp(sn_bench_case_at(i)->scene, name) == 0) {
            if (b && (!sn_bench_case_at(i)->slow || b->o->slow))
                bench_case(b, sn_bench_case_at(i));
            found = true;
        }
    const char *dash = strrchr(name, '-');
    char scene[SN_BENCH_NAME], *end;
    if (found || !dash || dash[1] < '1' || dash[1] > '9' || (size_t)(dash - name) >= sizeof scene)
        return found;
    unsigned long n = strtoul(dash + 1, &end, 10);
    snprintf(scene, sizeof scene, "%.*s", (int)(dash - name), name);
    sn_bench_case c;
    found = *end == 0 && n <= UINT32_MAX && sn_bench_case_find(scene, (uint32_t)n, &c);
    if (found && b)
        bench_case(b, &c);
    return found;
}

/* Whether all names exist; tested before anything is measured. */
static bool all_exist(const sn_texts *operands)
{
    for (uint32_t i = 0; i < operands->count; ++i) {
        const char *name = operands->item[i];
        char *path = NULL;
        if (strcmp(name, "queries") != 0 && strcmp(name, "worlds") != 0 && strcmp(name, "layers") != 0 &&
            !bench_named(NULL, name) && strcmp(name, "-") != 0 && !(path = sn_find_scene(name))) {
            sn_complain(0, "bench: standard scenes are those of 'sinew bench --list'");
            return false;
        }
        free(path);
    }
    return true;
}

/* Warns of other programs, which make times longer and ratios random. */
static void warn_of_load(void)
{
    double load = 0;
    FILE *file = fopen("/proc/loadavg", "r");
    if (!file)
        return;
    const bool known = fscanf(file, "%lf", &load) == 1;
    fclose(file);
    if (known && load > BUSY)
        sn_complain(0, "warning: other programs are at work here (load average %.1f): times are not to be trusted",
                    load);
}

/* ---- Scene files ------------------------------------------------------------------------------------------------- */

static uint32_t choose_frames(const bench_options *o, const sn_scene *scene)
{
    if (o->frames)
        return o->frames;
    if (o->quick)
        return QUICK_FRAMES;
    uint32_t frames = sn_scene_describe(scene).frames;
    return frames < SN_BENCH_LEAST ? SN_BENCH_LEAST : frames > MOST_FRAMES ? MOST_FRAMES : frames;
}

static int bench_file(bench *b, const char *name, uint32_t threads)
{
    sn_loading loading = {.scene = name, .sets = &b->o->set, .json = b->o->json, .quiet = true};
    sn_loaded loaded;
    char *path, *stem = NULL;
    int code = sn_load(&loading, &loaded, &path);
    if (code == SN_EXIT_FINE && !(stem = sn_path_stem(path)))
        code = sn_complain(SN_EXIT_FAILED, "out of memory");
    if (code == SN_EXIT_FINE) {
        sn_bench_row row = sn_bench_row_new(stem, 0, "sinew", "file", threads);
        if (!sn_bench_measure_scene(loaded.scene, threads, choose_frames(b->o, loaded.scene), &row))
            code = sn_complain(SN_EXIT_FAILED, "%s: %s", stem, row.status);
        keep(b, &row);
    }
    sn_loaded_release(&loaded);
    free(stem);
    free(path);
    return code;
}

static void bench_operand(bench *b, const char *name)
{
    if (strcmp(name, "queries") == 0) {
        if (!sn_bench_queries(b->o->quick, b->o->json))
            worsen(b, sn_complain(SN_EXIT_FAILED, "out of memory"));
        return;
    }
    if (strcmp(name, "worlds") == 0) {
        if (!sn_bench_worlds(b->threads.item, b->threads.count, b->o->quick, b->o->json))
            worsen(b, sn_complain(SN_EXIT_FAILED, "out of memory"));
        return;
    }
    if (strcmp(name, "layers") == 0) {
        if (!sn_bench_layers(b->threads.item, b->threads.count, b->o->quick, b->o->json))
            worsen(b, sn_complain(SN_EXIT_FAILED, "out of memory"));
        return;
    }
    if (bench_named(b, name))
        return;
    for (uint32_t i = 0; i < b->threads.count && b->code != SN_EXIT_OUTPUT; ++i) {
        int code = bench_file(b, name, b->threads.item[i]);
        worsen(b, code);
        if (code == SN_EXIT_INPUT)
            return; /* the mistake is reported once */
    }
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

static bool wanted(const bench *b, const sn_bench_case *c)
{
    return b->o->quick ? c->quick : !c->slow || b->o->slow;
}

/* Saves after every scene: if a run of an hour is stopped, what was measured is kept. */
static void save(bench *b)
{
    if (b->o->save && !sn_bench_save(b->o->save, &b->machine, b->count, b->row))
        worsen(b, SN_EXIT_OUTPUT);
}

static void bench_all(bench *b, const sn_texts *operands)
{
    if (!sn_bench_machine_measure(&b->machine, b->o->quick)) {
        b->code = SN_EXIT_FAILED;
        return;
    }
    default_threads(b);
    if (!b->o->json)
        sn_bench_print_head(&b->machine);
    save(b); /* at once, so that a file that cannot be written is reported before the run */
    for (uint32_t i = 0; i < operands->count && b->code != SN_EXIT_OUTPUT; ++i) {
        bench_operand(b, operands->item[i]);
        save(b);
    }
    for (uint32_t i = 0; operands->count == 0 && sn_bench_case_at(i) && b->code != SN_EXIT_OUTPUT; ++i)
        if (wanted(b, sn_bench_case_at(i))) {
            bench_case(b, sn_bench_case_at(i));
            save(b);
        }
}

static int run(const void *given, const sn_texts *operands)
{
    bench b = {.o = given};
    if (b.o->list) {
        sn_bench_print_list();
        return SN_EXIT_FINE;
    }
    if (!read_options(&b))
        return SN_EXIT_USAGE;
    if (b.o->set.count > 0 && operands->count == 0)
        return sn_complain(SN_EXIT_USAGE, "bench: --set changes scene files, and none is named");
    if (!all_exist(operands))
        return SN_EXIT_INPUT;
    warn_of_load();
    b.bullet = b.o->bullet ? sn_path_join("", b.o->bullet) : sn_bench_bullet_find();
    bench_all(&b, operands);
    free(b.bullet);
    free(b.row);
    return b.code;
}

const sn_command sn_command_bench = {
    .name = "bench",
    .operands = "[SCENE...]",
    .about = "Measures the time of a step, and how well constraints hold",
    .details = "SCENE is a standard scene (--list shows them; cloth-96 or boxes-100 sets the size) or a\n"
               "scene file. Without SCENE all standard scenes are measured.\n\n"
               "Columns of the table:\n"
               "  time     the median of blocks of frames, and the spread between their quartiles; for a\n"
               "           pile per sphere and substep, for rigid bodies per body and substep\n"
               "  stretch  |l - l0| / l0 at the end. For a pile: overlap, as a share of the radius; for\n"
               "           boxes: overlap, as a share of half an edge; for ragdolls: the gap of joints, as\n"
               "           a share of their height\n"
               "  limit    the share that is reached of what the machine allows, measured in the same run\n"
               "  path     grid: numbered row by row. general: shuffled, as any mesh may be. Rigid bodies\n"
               "           have falling and settled. A pile settles in its box before it is measured\n\n"
               "Special scenes (name the last three alone; --save leaves those out):\n"
               "  features a cloth with one feature after the other, beside the plain cloth\n"
               "  kinds    a constraint of each kind\n"
               "  queries  rays, casts and overlaps\n"
               "  worlds   small worlds a second, beside as many processes as threads and one by one\n"
               "  layers   sheets with self_collision that press on each other, by number and size\n",
    .most = UINT32_MAX,
    .options = options,
    .run = run};
