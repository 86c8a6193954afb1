#include "cli/job.h"
#include "cli/plot.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(sn_run_options, name)

static const sn_option options[] = {
    {"frames", 'n', SN_OPTION_COUNT, FIELD(frames), 0, "N", "run N frames instead of as many as the scene says"},
    {"out", 'o', SN_OPTION_TEXT, FIELD(out), 0, "DIR", "write every frame into this folder, which is made if needed"},
    {"format", 'f', SN_OPTION_TEXT, FIELD(format), 0, "LIST",
     "the formats to write: pc2, obj, ply, npy, poses, glb, vtk, separated by commas; default pc2"},
    {"every", 0, SN_OPTION_COUNT, FIELD(every), 1, "N", "write only every Nth frame into the folder"},
    {"set", 's', SN_OPTION_TEXTS, FIELD(set), 0, "PATH=VALUE",
     "change a value of the scene, by its path: world.substeps=20, objects[0].length=2; may be repeated"},
    {"trace", 't', SN_OPTION_TEXT, FIELD(trace), 0, "FILE",
     "write energies, momenta, residuals and the records of the scene to a .csv or .npy file"},
    {"plot", 'p', SN_OPTION_PICTURE, FIELD(plot), 0, "FILE",
     "plot the trace with gnuplot, to a .svg or .png file; default trace.svg in the folder of --out, or NAME.svg here"},
    {"profile", 0, SN_OPTION_PICTURE, FIELD(profile), 0, "FILE",
     "measure the stages of every step and print a table; with a FILE that ends with .json, also write them as trace "
     "events for Perfetto or chrome://tracing"},
    {"budget", 0, SN_OPTION_TEXT, FIELD(budget), 0, "LIST",
     "choose substeps and passes frame by frame, to keep within limits separated by commas: 5ms a frame, 1% error of "
     "a rod relative to its length, 2mm error of anything"},
    {"steps", 0, SN_OPTION_TEXT, FIELD(steps), 0, "FILE",
     "with --budget: write the chosen steps to FILE; without: read them and take the same steps again, to the bit"},
    {"certify", 0, SN_OPTION_COUNT, FIELD(certify), 1, "N",
     "check every Nth frame exactly for intersecting triangles of skins; if there are any, print where and exit with "
     "1"},
    {"save", 0, SN_OPTION_TEXT, FIELD(save), 0, "FILE", "save the final state as a scene file"},
    {"threads", 0, SN_OPTION_COUNT, FIELD(threads), 0, "N",
     "the number of threads, 1 to 256; default 0: one for each core. Results do not depend on it"},
    {"memory", 0, SN_OPTION_SIZE, FIELD(memory), 0, "SIZE",
     "the most memory that a scene may take, such as 512M; default 4G"},
    {"read-anywhere", 0, SN_OPTION_FLAG, FIELD(read_anywhere), 0, NULL,
     "let the scene read meshes outside of its folder"},
    {"quiet", 'q', SN_OPTION_FLAG, FIELD(quiet), 0, NULL, "print errors and warnings only"},
    {"json", 'j', SN_OPTION_FLAG, FIELD(json), 0, NULL, "print one JSON object per line, the last a summary"},
    SN_OPTION_END(sn_run_options)};

static const char details[] = "SCENE is a file, - for standard input, or the name of a scene that comes with\n"
                              "Sinew. Nothing is written unless an option asks for it.\n\n"
                              "Frame 0 is the start, and is written too. sinew-run.json in the folder of --out\n"
                              "says how many frames are complete. Ctrl-C finishes the frame, or cancels it if it\n"
                              "takes long, closes the files properly and exits with 130. A second Ctrl-C exits\n"
                              "at once.\n\n"
                              "Examples:\n"
                              "  sinew run curtain\n"
                              "  sinew run curtain --out out --frames 120\n"
                              "  sinew run rope.json --set world.substeps=20 --plot rope.svg\n"
                              "  sinew run curtain --budget 8ms,2% --steps chosen.txt\n";

static void defaults(void *given)
{
    sn_run_options *o = given;
    o->frames = UINT32_MAX;
    o->every = 1;
}

void sn_job_fail(sn_job *job, int code, const char *format, ...)
{
    if (job->code != SN_EXIT_FINE)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(job->failure, sizeof job->failure, format, arguments);
    va_end(arguments);
    job->code = code;
    sn_progress_clear(&job->progress);
    sn_complain(0, "%s", job->failure);
}

const char *sn_job_reason(const sn_job *job)
{
    if (job->failure[0])
        return job->failure;
    switch (job->code - SN_EXIT_SIGNAL) {
    case SIGINT:
        return "interrupted (SIGINT)";
    case SIGTERM:
        return "told to end (SIGTERM)";
    case SIGHUP:
        return "hung up (SIGHUP)";
    default:
        return "something else could not be written";
    }
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* The bits of "pc2,obj"; 0 after a message. */
static unsigned read_formats(const char *list)
{
    const char *names[16], *name;
    sn_format format;
    uint32_t count = 0;
    while (count < 16 && (name = sn_format_name(count, &format, NULL)) != NULL)
        names[count++] = name;
    unsigned formats = 0;
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char word[32], hint[64];
        uint32_t i = 0;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        while (i < count && strcmp(names[i], word) != 0)
            ++i;
        if (i == count) {
            sn_did_you_mean(word, names, count, hint, sizeof hint);
            sn_complain(0, "--format: there is no format '%s'%s; 'sinew list formats' shows them all", word, hint);
            return 0;
        }
        sn_format_name(i, &format, NULL);
        formats |= (unsigned)format;
    }
    return formats;
}

static bool check_asked(const sn_run_options *o)
{
    const char *wrong = NULL, *what = "";
    if (o->quiet && o->json)
        wrong = "--quiet and --json exclude each other";
    else if (o->format && !o->out)
        wrong = "--format needs --out DIR, the folder to write into";
    else if (o->every > 1 && !o->out)
        wrong = "--every needs --out DIR, the folder to write into";
    else if (o->trace && !sn_ends_with(o->trace, ".csv") && !sn_ends_with(o->trace, ".npy"))
        wrong = "--trace: expected a name that ends with .csv or .npy, found ", what = o->trace;
    else if (o->plot && o->plot[0] && !sn_ends_with(o->plot, ".svg") && !sn_ends_with(o->plot, ".png"))
        wrong = "--plot: expected a name that ends with .svg or .png, found ", what = o->plot;
    else if (o->profile && o->profile[0] && !sn_ends_with(o->profile, ".json"))
        wrong = "--profile: expected a name that ends with .json, found ", what = o->profile;
    else if (o->profile && !o->profile[0] && o->quiet)
        wrong = "--profile prints a table and --quiet forbids it; give it a file: --profile=FILE.json";
    else if (o->steps && !o->steps[0])
        wrong = "--steps: expected the name of a file";
    for (uint32_t i = 0; i < o->set.count && !wrong; ++i)
        if (!strchr(o->set.item[i], '='))
            wrong = "--set: expected PATH=VALUE, such as world.substeps=20, found ", what = o->set.item[i];
    if (wrong)
        sn_complain(0, "%s%s", wrong, what);
    return !wrong && sn_job_budget_check(o);
}

/* ---- The run ----------------------------------------------------------------------------------------------------- */

/* Takes one step; false if it was the last. */
static bool step(sn_job *job, const char *what, uint32_t frame)
{
    int signal = sn_signals_came();
    if (signal) {
        job->code = SN_EXIT_SIGNAL + signal;
        return false;
    }
    sn_result result = sn_job_budget_step(job);
    if (result == SN_CANCELLED)
        job->code = SN_EXIT_SIGNAL + sn_signals_came();
    else if (result != SN_OK)
        sn_job_fail(job, SN_EXIT_FAILED, "%s: %s %u failed: %s", job->name, what, (unsigned)frame,
                    sn_world_error(job->world));
    return result == SN_OK;
}

static void run_frames(sn_job *job)
{
    for (uint32_t i = 0; i < job->info.warm_up; ++i)
        if (!step(job, "warm-up frame", i + 1))
            return;
    job->started = sn_seconds_now();
    double begin = sn_scene_time(job->scene);
    sn_job_worst_begin(job);
    sn_progress_begin(&job->progress, job->name, job->frames, job->asked->quiet || job->asked->json);
    sn_job_certify(job);
    if (!sn_job_write(job) || !sn_job_tell_frame(job) || !sn_job_profile_begin(job) || !sn_job_budget_begin(job))
        return;
    while (job->done < job->frames && step(job, "frame", job->done + 1)) {
        ++job->done;
        sn_job_profile_step(job);
        sn_job_certify(job);
        sn_job_worst_frame(job);
        sn_job_torn_frame(job);
        job->simulated = sn_scene_time(job->scene) - begin;
        if (!sn_job_write(job) || !sn_job_tell_frame(job))
            break;
        sn_progress_update(&job->progress, job->done, sn_scene_time(job->scene));
    }
    job->wall = sn_seconds_now() - job->started;
    sn_progress_clear(&job->progress);
}

static int run_job(sn_job *job)
{
    sn_signals_catch();
    sn_signals_end_steps(job->scene);
    if (sn_job_open(job) && sn_job_tell_start(job))
        run_frames(job);
    sn_job_close(job);
    sn_job_save(job);
    sn_job_draw(job);
    sn_job_certify_end(job);
    sn_job_budget_end(job);
    sn_job_tell_end(job);
    free(job->plot_csv);
    free(job->plot_folder);
    free(job->picture);
    return job->code;
}

static int run(const void *given, const sn_texts *operands)
{
    const sn_run_options *o = given;
    unsigned formats = SN_FORMAT_PC2;
    if (!check_asked(o) || (o->format && !(formats = read_formats(o->format))))
        return SN_EXIT_USAGE;
    if (o->plot && !sn_plot_possible())
        return SN_EXIT_OUTPUT;
    sn_loading loading = {.scene = operands->item[0],
                          .sets = &o->set,
                          .memory = o->memory,
                          .threads = o->threads,
                          .read_anywhere = o->read_anywhere,
                          .json = o->json,
                          .quiet = o->quiet};
    sn_loaded loaded;
    char *path, *name = NULL;
    int code = sn_load(&loading, &loaded, &path);
    if (code == SN_EXIT_FINE && !(name = sn_path_stem(path)))
        code = sn_complain(SN_EXIT_FAILED, "out of memory");
    if (code == SN_EXIT_FINE) {
        sn_job job = {.asked = o,
                      .name = name,
                      .scene = loaded.scene,
                      .world = sn_scene_world(loaded.scene),
                      .info = sn_scene_describe(loaded.scene),
                      .formats = formats};
        job.frames = o->frames == UINT32_MAX ? job.info.frames : o->frames;
        code = run_job(&job);
    }
    sn_loaded_release(&loaded);
    free(name);
    free(path);
    return code;
}

const sn_command sn_command_run = {.name = "run",
                                   .operands = "SCENE",
                                   .about = "Runs a scene; writes frames, traces and plots if you ask for them",
                                   .details = details,
                                   .least = 1,
                                   .most = 1,
                                   .options = options,
                                   .defaults = defaults,
                                   .run = run};
