/* The same scene under several solvers, side by side. */
#include "cli/compare.h"
#include "cli/plot.h"
#include "export/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(sn_compare_options, name)

static const sn_option options[] = {
    {"solvers", 0, SN_OPTION_TEXT, FIELD(solvers), 0, "LIST",
     "the solvers, separated by commas: gauss_seidel,jacobi:averaged,lagrange+integrator=leapfrog; default all"},
    {"iterations", 'i', SN_OPTION_TEXT, FIELD(iterations), 0, "LIST",
     "numbers of iterations to try, separated by commas; default 1,2,4,8,16,32"},
    {"budget-ms", 'b', SN_OPTION_TEXT, FIELD(budget), 0, "X",
     "instead of --iterations: as many substeps as fit into X ms of CPU time a frame"},
    {"frames", 'n', SN_OPTION_COUNT, FIELD(frames), 1, "N", "run N frames instead of as many as the scene says"},
    {"out", 'o', SN_OPTION_TEXT, FIELD(out), 0, "DIR",
     "write tables and plots into this folder, which is made if needed"},
    {"set", 's', SN_OPTION_TEXTS, FIELD(set), 0, "PATH=VALUE",
     "change a value of the scene, for all solvers; may be repeated"},
    {"memory", 0, SN_OPTION_SIZE, FIELD(memory), 0, "SIZE",
     "the most memory that a scene may take, such as 512M; default 4G"},
    {"read-anywhere", 0, SN_OPTION_FLAG, FIELD(read_anywhere), 0, NULL,
     "let the scene read meshes outside of its folder"},
    {"quiet", 'q', SN_OPTION_FLAG, FIELD(quiet), 0, NULL, "print errors and warnings only"},
    {"json", 'j', SN_OPTION_FLAG, FIELD(json), 0, NULL, "print one JSON object per line, the last a summary"},
    SN_OPTION_END(sn_compare_options)};

static const char details[] = "A solver is NAME[:CHOICE...][+SETTING=VALUE...]. A CHOICE is a value of any setting of\n"
                              "the world: averaged (of jacobi), soft (of drift), leapfrog (of integrator). A SETTING\n"
                              "is one of the world, or a whole path. 'sinew list settings' shows them.\n\n"
                              "The error of a constraint is the distance by which its points are off, divided by the\n"
                              "mean size of the scene's constraints: for a rod, its stretch. A solver that does not\n"
                              "support the scene is listed as refused.\n\n"
                              "--out writes table.csv, curves.csv, error_iterations.svg, error_time.svg, energy.svg\n"
                              "and momentum.svg; plots need gnuplot.\n\n"
                              "Examples:\n"
                              "  sinew compare heavy_bob\n"
                              "  sinew compare pendulum --solvers gauss_seidel,lagrange:leapfrog --iterations 8\n"
                              "  sinew compare hitman --budget-ms 1 --out out\n";

static void defaults(void *given)
{
    sn_compare_options *o = given;
    o->frames = UINT32_MAX;
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static bool read_budget(const char *text, double *seconds)
{
    char *end;
    double value = strtod(text, &end);
    if (*end || end == text || !(value > 0) || !isfinite(value)) {
        sn_complain(0, "--budget-ms: found '%s', expected a positive number of milliseconds", text);
        return false;
    }
    *seconds = 1e-3 * value;
    return true;
}

static bool check_asked(sn_comparison *c, const char *scene)
{
    const sn_compare_options *o = c->asked;
    const char *wrong = NULL, *what = "";
    if (o->quiet && o->json)
        wrong = "--quiet and --json exclude each other";
    else if (o->iterations && o->budget)
        wrong = "--iterations and --budget-ms exclude each other";
    else if (strcmp(scene, "-") == 0)
        wrong = "compare loads the scene several times and so cannot take it from standard input; give a file";
    for (uint32_t i = 0; i < o->set.count && !wrong; ++i)
        if (!strchr(o->set.item[i], '='))
            wrong = "--set: expected PATH=VALUE, such as world.substeps=20, found ", what = o->set.item[i];
    if (wrong) {
        sn_complain(0, "%s%s", wrong, what);
        return false;
    }
    if (o->budget)
        return read_budget(o->budget, &c->budget);
    return sn_counts_read("iterations", o->iterations ? o->iterations : "1,2,4,8,16,32", &c->count, &c->counts);
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* Loads the scene once without changes: reports its problems, and measures what all runs share. */
static int look(sn_comparison *c, const char *scene, char **path)
{
    const sn_compare_options *o = c->asked;
    sn_loading loading = {.scene = scene,
                          .sets = &o->set,
                          .memory = o->memory,
                          .read_anywhere = o->read_anywhere,
                          .json = o->json,
                          .quiet = o->quiet};
    sn_loaded loaded;
    int code = sn_load(&loading, &loaded, path);
    if (code == SN_EXIT_FINE) {
        sn_world *world = sn_scene_world(loaded.scene);
        c->settings = sn_world_settings(world);
        c->frames = o->frames == UINT32_MAX ? sn_scene_describe(loaded.scene).frames : o->frames;
        c->needs_world = !sn_value_find(loaded.document.root, "world");
        if (!sn_error_scale_take(&c->scale, &loaded.document, world))
            code = sn_complain(SN_EXIT_FAILED, "out of memory");
    }
    sn_loaded_release(&loaded);
    return code;
}

static bool none_finished(const sn_comparison *c)
{
    for (uint32_t i = 0; i < c->trials; ++i)
        if (c->trial[i].end == SN_TRIAL_FINISHED)
            return false;
    return true;
}

/* The folder is made before the runs, so that a failure does not waste hours of computing. */
static int make_folder(const sn_comparison *c)
{
    char message[SN_COMPARE_MESSAGE];
    if (c->asked->out && !sn_folder_make(c->asked->out, message, sizeof message))
        return sn_complain(SN_EXIT_OUTPUT, "%s", message);
    return SN_EXIT_FINE;
}

static int write_all(sn_comparison *c)
{
    int code = sn_comparison_write(c);
    if (code == SN_EXIT_FINE)
        code = sn_plot_possible() ? sn_comparison_draw(c) : SN_EXIT_OUTPUT;
    return code;
}

static int compare(sn_comparison *c)
{
    if (c->asked->json && !sn_comparison_say_start(c))
        return SN_EXIT_OUTPUT;
    sn_signals_catch();
    sn_comparison_run(c);
    if (c->code == SN_EXIT_FINE && none_finished(c))
        c->code = sn_complain(SN_EXIT_FAILED, "%s: no solver took it to its end", c->name);
    if (c->code == SN_EXIT_USAGE)
        return c->code;
    if (!c->asked->json && !c->asked->quiet)
        sn_comparison_print(c);
    if (c->asked->out) {
        int code = write_all(c);
        c->code = c->code == SN_EXIT_FINE ? code : c->code;
    }
    if (c->asked->json && !sn_comparison_say(c) && c->code == SN_EXIT_FINE)
        c->code = SN_EXIT_OUTPUT;
    return c->code;
}

static void release(sn_comparison *c)
{
    for (uint32_t i = 0; i < c->trials; ++i)
        free(c->trial[i].sample);
    free(c->trial);
    free(c->count);
    sn_error_scale_release(&c->scale);
    sn_contestants_release(&c->contestants);
}

static int run(const void *given, const sn_texts *operands)
{
    sn_comparison c = {.asked = given};
    char *path = NULL, *name = NULL;
    int code = SN_EXIT_USAGE;
    if (check_asked(&c, operands->item[0]) &&
        (code = sn_contestants_read(c.asked->solvers, &c.contestants)) == SN_EXIT_FINE &&
        (code = look(&c, operands->item[0], &path)) == SN_EXIT_FINE && (code = make_folder(&c)) == SN_EXIT_FINE) {
        c.path = path;
        c.name = name = sn_path_stem(path);
        code = name ? compare(&c) : sn_complain(SN_EXIT_FAILED, "out of memory");
    }
    release(&c);
    free(name);
    free(path);
    return code;
}

const sn_command sn_command_compare = {.name = "compare",
                                       .operands = "SCENE",
                                       .about = "Runs a scene under several solvers, side by side",
                                       .details = details,
                                       .least = 1,
                                       .most = 1,
                                       .options = options,
                                       .defaults = defaults,
                                       .run = run};
