/* What a step costs, and how well the constraints hold at that price. A figure without the residual beside it would
   mean nothing: not solving at all is fastest. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS       5 /* samples, of which the median is shown */
#define QUICK_FRAMES 10
#define MOST_FRAMES  300 /* of a scene that says more */

typedef struct bench_options {
    sn_texts set;
    uint32_t frames;
    bool quick, json, help;
} bench_options;

#define FIELD(name) offsetof(bench_options, name)

static const sn_option options[] = {
    {"quick", 0, SN_OPTION_FLAG, FIELD(quick), 0, NULL, "a few frames only: a glance rather than a measurement"},
    {"frames", 'n', SN_OPTION_COUNT, FIELD(frames), BLOCKS, "N",
     "measure so many frames; default what the scene says, at most 300"},
    {"set", 's', SN_OPTION_TEXTS, FIELD(set), 0, "PATH=VALUE", "change the scenes before they are built, as run does"},
    {"json", 'j', SN_OPTION_FLAG, FIELD(json), 0, NULL, "print one JSON object per line"},
    SN_OPTION_END(bench_options)};

/* What was measured. Times are CPU time of this process. */
typedef struct result {
    const char *name;
    uint32_t particles, constraints;
    uint32_t substeps, iterations;
    uint32_t frames;
    double projections;  /* in a frame */
    double frame;        /* s, median of the blocks */
    double projection;   /* s */
    double spread;       /* between the fastest and the slowest block, as a share of the median */
    sn_kind_report kind; /* of which there are most */
    const char *unit;
} result;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint32_t count_solved(const sn_world *world)
{
    uint32_t count = 0;
    for (uint32_t kind = 1; kind < sn_kind_count(world); ++kind)
        if (!sn_kind_info(world, kind)->force)
            count += sn_world_constraint_count(world, kind);
    return count;
}

/* Frames of one block: CPU seconds and projections, both of a frame. */
static bool measure_block(sn_scene *scene, uint32_t frames, double *seconds, double *projections)
{
    sn_world *world = sn_scene_world(scene);
    bool varies = sn_world_settings(world).tolerance > 0; /* then every frame has passes of its own */
    double passes = 0;
    sn_report report;
    *seconds = 0;
    for (uint32_t i = 0; i < frames; ++i) {
        double start = sn_cpu_seconds();
        if (sn_scene_step(scene) != SN_OK)
            return false;
        *seconds += sn_cpu_seconds() - start;
        if (varies || i + 1 == frames) {
            if (sn_world_report(world, &report) != SN_OK)
                return false;
            passes += (double)report.passes * (varies ? 1 : frames);
        }
    }
    *seconds /= frames;
    *projections = passes / frames * count_solved(world);
    return true;
}

static bool measure_residual(sn_world *world, result *r)
{
    sn_report report;
    if (sn_world_report(world, &report) != SN_OK)
        return false;
    for (uint32_t i = 0; i < report.kind_count; ++i)
        if (report.kinds[i].count > r->kind.count && !sn_kind_info(world, report.kinds[i].kind)->force)
            r->kind = report.kinds[i];
    const sn_kind *info = sn_kind_info(world, r->kind.kind);
    r->unit = info && info->unit ? strcmp(info->unit, "1") == 0 ? "" : info->unit : "m";
    return true;
}

static bool measure(sn_scene *scene, uint32_t frames, result *r)
{
    sn_world *world = sn_scene_world(scene);
    sn_settings settings = sn_world_settings(world);
    double sample[BLOCKS], cost[BLOCKS], projections;
    uint32_t block = frames / BLOCKS;
    for (uint32_t i = sn_scene_describe(scene).warm_up; i > 0; --i)
        if (sn_scene_step(scene) != SN_OK)
            return false;
    for (int i = 0; i < BLOCKS; ++i) {
        if (!measure_block(scene, block, &sample[i], &projections))
            return false;
        cost[i] = projections > 0 ? sample[i] / projections : 0;
        r->projections += projections / BLOCKS;
    }
    qsort(sample, BLOCKS, sizeof *sample, by_value);
    qsort(cost, BLOCKS, sizeof *cost, by_value);
    r->frames = BLOCKS * block;
    r->frame = sample[BLOCKS / 2];
    r->projection = cost[BLOCKS / 2];
    r->spread = r->frame > 0 ? (sample[BLOCKS - 1] - sample[0]) / r->frame : 0;
    r->particles = sn_world_particle_count(world);
    r->constraints = sn_world_constraint_count(world, SN_KIND_NONE);
    r->substeps = settings.substeps;
    r->iterations = settings.iterations;
    return measure_residual(world, r);
}

/* ---- Telling ----------------------------------------------------------------------------------------------------- */

static void print_head(void)
{
    printf("Sinew %s, %s precision, one thread; CPU time, median of %d blocks\n\n", sn_version(),
           sn_real_size() == 4 ? "single" : "double", BLOCKS);
    printf(
        "| scene            | particles | constraints |  passes | ns/project | us per frame |  spread | residual of  "
        "|       worst |        mean |\n");
    printf(
        "|------------------|----------:|------------:|--------:|-----------:|-------------:|--------:|--------------"
        "|------------:|------------:|\n");
    fflush(stdout);
}

static void print_result(const result *r)
{
    char passes[32], worst[32] = "-", mean[32] = "-";
    snprintf(passes, sizeof passes, "%u x %u", (unsigned)r->substeps, (unsigned)r->iterations);
    if (r->kind.count) {
        snprintf(worst, sizeof worst, "%.3g %s", r->kind.largest, r->unit);
        snprintf(mean, sizeof mean, "%.3g %s", r->kind.mean, r->unit);
    }
    printf("| %-16s | %9u | %11u | %7s | %10.1f | %12.1f | %5.1f %% | %-12s | %11s | %11s |\n", r->name,
           (unsigned)r->particles, (unsigned)r->constraints, passes, r->projection * 1e9, r->frame * 1e6,
           100 * r->spread, r->kind.count ? r->kind.name : "-", worst, mean);
    fflush(stdout);
}

static bool say_result(const result *r)
{
    sn_document d;
    sn_value *root = sn_say_begin(&d, "bench");
    sn_document_text(&d, root, "scene", r->name);
    sn_document_text(&d, root, "version", sn_version());
    sn_document_text(&d, root, "precision", sn_real_size() == 4 ? "single" : "double");
    sn_document_number(&d, root, "particles", r->particles);
    sn_document_number(&d, root, "constraints", r->constraints);
    sn_document_number(&d, root, "substeps", r->substeps);
    sn_document_number(&d, root, "iterations", r->iterations);
    sn_document_number(&d, root, "frames", r->frames);
    sn_document_number(&d, root, "projections_per_frame", r->projections);
    sn_document_number(&d, root, "ns_per_projection", r->projection * 1e9);
    sn_document_number(&d, root, "us_per_frame", r->frame * 1e6);
    sn_document_number(&d, root, "spread", r->spread);
    if (r->kind.count) {
        sn_document_text(&d, root, "residual_kind", r->kind.name);
        sn_document_number(&d, root, "residual_worst", r->kind.largest);
        sn_document_number(&d, root, "residual_mean", r->kind.mean);
    }
    return sn_say_end(&d);
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

static uint32_t choose_frames(const bench_options *o, const sn_scene *scene)
{
    if (o->frames)
        return o->frames;
    if (o->quick)
        return QUICK_FRAMES;
    uint32_t frames = sn_scene_describe(scene).frames;
    return frames < BLOCKS ? BLOCKS : frames > MOST_FRAMES ? MOST_FRAMES : frames;
}

static int bench_scene(const bench_options *o, const char *name)
{
    sn_loading loading = {.scene = name, .sets = &o->set, .json = o->json, .quiet = true};
    sn_loaded loaded;
    char *path, *stem = NULL;
    int code = sn_load(&loading, &loaded, &path);
    if (code == SN_EXIT_FINE && !(stem = sn_path_stem(path)))
        code = sn_complain(SN_EXIT_FAILED, "out of memory");
    if (code == SN_EXIT_FINE) {
        result r = {.name = stem};
        if (!measure(loaded.scene, choose_frames(o, loaded.scene), &r))
            code =
                sn_complain(SN_EXIT_FAILED, "%s: frame %u failed: %s", stem, (unsigned)sn_scene_frame(loaded.scene) + 1,
                            sn_world_error(sn_scene_world(loaded.scene)));
        else if (!o->json)
            print_result(&r);
        else if (!say_result(&r))
            code = SN_EXIT_OUTPUT;
    }
    sn_loaded_release(&loaded);
    free(stem);
    free(path);
    return code;
}

static int run(const void *given, const sn_texts *operands)
{
    const bench_options *o = given;
    sn_scene_names names = {0, NULL, NULL};
    bool own = operands->count > 0;
    if (!own && !sn_scene_names_find("bench", &names)) {
        sn_scene_names_release(&names);
        return sn_complain(SN_EXIT_FAILED, "out of memory");
    }
    uint32_t count = own ? operands->count : names.count;
    int worst =
        count ? SN_EXIT_FINE : sn_complain(SN_EXIT_INPUT, "there are no scenes in bench/ where scenes are looked for");
    if (!o->json && count)
        print_head();
    for (uint32_t i = 0; i < count && worst != SN_EXIT_OUTPUT; ++i) {
        int code = bench_scene(o, own ? operands->item[i] : names.path[i]);
        worst = code > worst ? code : worst;
    }
    sn_scene_names_release(&names);
    return worst;
}

const sn_command sn_command_bench = {
    .name = "bench",
    .operands = "[SCENE...]",
    .about = "Measures what a step of a scene costs",
    .details = "Without scenes: those in bench/. Frames run in five blocks; the table shows the median\n"
               "of the blocks and the spread between the fastest and the slowest. The residual is\n"
               "that of the kind with the most constraints, at the end.\n",
    .most = UINT32_MAX,
    .options = options,
    .run = run};
