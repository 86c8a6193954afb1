/* The files that a run writes. */
#include "cli/job.h"
#include "cli/plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The trace behind a picture ---------------------------------------------------------------------------------- */

/* Makes a temporary folder for a trace that is not kept. */
static bool make_temporary(sn_job *job)
{
    const char *place = getenv("TMPDIR");
    job->plot_folder = sn_path_join(place && place[0] ? place : "/tmp", "sinew-XXXXXX");
    if (job->plot_folder && !mkdtemp(job->plot_folder)) {
        sn_job_fail(job, SN_EXIT_OUTPUT, "%s: %s", job->plot_folder, strerror(errno));
        free(job->plot_folder);
        job->plot_folder = NULL;
        return false;
    }
    job->plot_csv = job->plot_folder ? sn_path_join(job->plot_folder, "trace.csv") : NULL;
    return job->plot_csv != NULL;
}

/* x.svg for x.csv. */
static char *picture_beside(const char *path)
{
    char *picture = sn_path_join("", path);
    if (picture)
        memcpy(picture + strlen(picture) - 3, "svg", 3);
    return picture;
}

static char *picture_named(const char *name)
{
    size_t size = strlen(name) + sizeof ".svg";
    char *picture = malloc(size);
    if (picture)
        snprintf(picture, size, "%s.svg", name);
    return picture;
}

/* Chooses the trace of the picture: the .csv of --trace, else a file beside the results, else a temporary file. */
static bool place_plot(sn_job *job)
{
    const sn_run_options *o = job->asked;
    bool has_csv = o->trace && sn_ends_with(o->trace, ".csv");
    if (has_csv)
        job->plot_csv = sn_path_join("", o->trace);
    else if (o->out)
        job->plot_csv = sn_path_join(o->out, "trace.csv");
    else if (!make_temporary(job))
        sn_job_fail(job, SN_EXIT_FAILED, "out of memory");
    if (job->code != SN_EXIT_FINE)
        return false;
    if (o->plot[0])
        job->picture = sn_path_join("", o->plot);
    else if (job->plot_csv)
        job->picture = job->plot_folder ? picture_named(job->name) : picture_beside(job->plot_csv);
    if (!job->plot_csv || !job->picture)
        sn_job_fail(job, SN_EXIT_FAILED, "out of memory");
    char message[SN_MESSAGE_SIZE];
    if (job->code == SN_EXIT_FINE && !has_csv &&
        !(job->plot_trace = sn_trace_open(job->scene, job->plot_csv, message, sizeof message)))
        sn_job_fail(job, SN_EXIT_OUTPUT, "%s", message);
    return job->code == SN_EXIT_FINE;
}

/* ---- The state of the run ---------------------------------------------------------------------------------------- */

static void put_names(const sn_job *job, sn_document *d, sn_value *root)
{
    sn_value *formats = sn_document_list(d, root, "formats"), *names = sn_document_list(d, root, "names");
    sn_format format;
    const char *name;
    for (uint32_t i = 0; (name = sn_format_name(i, &format, NULL)); ++i)
        if (job->formats & (unsigned)format)
            sn_document_text(d, formats, NULL, name);
    for (uint32_t i = 0; (name = sn_output_name(job->output, i)); ++i)
        sn_document_text(d, names, NULL, name);
}

/* Writes what the folder contains. It is written twice: as "running" before the first frame, which remains if the
   run is killed, and at the end. */
static bool tell_folder(const sn_job *job, bool running)
{
    sn_document d;
    sn_document_init(&d, NULL);
    sn_value *root = sn_document_record(&d, NULL, NULL);
    uint32_t written = sn_output_frames(job->output);
    bool whole = job->code == SN_EXIT_FINE && job->done == job->frames;
    sn_document_text(&d, root, "state", running ? "running" : whole ? "complete" : "cut short");
    if (!running && !whole)
        sn_document_text(&d, root, "reason", sn_job_reason(job));
    sn_document_number(&d, root, "frames_asked", job->frames);
    if (!running)
        sn_document_number(&d, root, "frames_run", job->done);
    if (!running)
        sn_document_number(&d, root, "frames_written", written);
    if (written && !running)
        sn_document_number(&d, root, "last_frame", (double)(written - 1) * job->asked->every);
    sn_document_number(&d, root, "every", job->asked->every);
    sn_document_number(&d, root, "rate", (double)job->info.rate);
    sn_document_number(&d, root, "dimensions", sn_world_dimensions(sn_scene_world(job->scene)));
    sn_document_text(&d, root, "scene", job->name);
    sn_document_text(&d, root, "sinew", sn_version());
    put_names(job, &d, root);
    char *path = sn_path_join(job->asked->out, SN_RUN_FILE);
    bool good = path && !d.failed && sn_write_json_file(path, root);
    if (!path || d.failed)
        sn_complain(0, "out of memory");
    free(path);
    sn_document_release(&d);
    return good;
}

/* ---- Opening, writing, closing ----------------------------------------------------------------------------------- */

bool sn_job_open(sn_job *job)
{
    const sn_run_options *o = job->asked;
    char message[SN_MESSAGE_SIZE];
    if (o->out && !(job->output = sn_output_open(job->scene, o->out, job->formats, message, sizeof message)))
        sn_job_fail(job, SN_EXIT_OUTPUT, "%s", message);
    if (job->output && !tell_folder(job, true))
        job->code = SN_EXIT_OUTPUT;
    if (job->code == SN_EXIT_FINE && o->trace &&
        !(job->trace = sn_trace_open(job->scene, o->trace, message, sizeof message)))
        sn_job_fail(job, SN_EXIT_OUTPUT, "%s", message);
    return job->code == SN_EXIT_FINE && sn_job_profile_open(job) && (!o->plot || place_plot(job));
}

bool sn_job_write(sn_job *job)
{
    char message[SN_MESSAGE_SIZE];
    uint32_t every = sn_scene_traces(job->scene).every;
    bool good = true;
    if (job->output && job->done % job->asked->every == 0)
        good = sn_output_frame(job->output, message, sizeof message);
    if (job->done % (every ? every : 1) == 0) {
        if (good && job->trace)
            good = sn_trace_row(job->trace, message, sizeof message);
        if (good && job->plot_trace)
            good = sn_trace_row(job->plot_trace, message, sizeof message);
    }
    if (!good)
        sn_job_fail(job, SN_EXIT_OUTPUT, "%s", message);
    return good;
}

void sn_job_close(sn_job *job)
{
    char message[SN_MESSAGE_SIZE];
    sn_job_profile_close(job);
    if (job->output) {
        job->output_frames = sn_output_frames(job->output);
        job->output_bytes = sn_output_bytes(job->output);
        if (!tell_folder(job, false) && job->code == SN_EXIT_FINE)
            job->code = SN_EXIT_OUTPUT;
        if (!sn_output_close(job->output, message, sizeof message))
            sn_job_fail(job, SN_EXIT_OUTPUT, "%s", message);
    }
    if (job->trace && !sn_trace_close(job->trace, message, sizeof message))
        sn_job_fail(job, SN_EXIT_OUTPUT, "%s", message);
    if (job->plot_trace && !sn_trace_close(job->plot_trace, message, sizeof message))
        sn_job_fail(job, SN_EXIT_OUTPUT, "%s", message);
}

/* ---- After the run ----------------------------------------------------------------------------------------------- */

/* An interrupted or diverged scene is saved too: it may be needed most then. */
void sn_job_save(sn_job *job)
{
    if (!job->asked->save)
        return;
    char message[SN_MESSAGE_SIZE] = "";
    sn_document document;
    sn_document_init(&document, NULL);
    if (!sn_scene_save(job->scene, &document, message, sizeof message))
        sn_job_fail(job, SN_EXIT_FAILED, "%s: %s", job->asked->save, message[0] ? message : "out of memory");
    else if (!(job->saved = sn_write_json_file(job->asked->save, document.root)) && job->code == SN_EXIT_FINE)
        job->code = SN_EXIT_OUTPUT;
    sn_document_release(&document);
}

void sn_job_draw(sn_job *job)
{
    if (job->picture && job->code != SN_EXIT_OUTPUT) {
        job->drawn = sn_plot(job->plot_csv, job->picture, NULL) == SN_EXIT_FINE;
        if (!job->drawn && job->code == SN_EXIT_FINE)
            job->code = SN_EXIT_OUTPUT;
    }
    if (job->plot_folder) {
        if (job->plot_csv)
            unlink(job->plot_csv);
        rmdir(job->plot_folder);
    }
}
