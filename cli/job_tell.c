/* The output of a run: lines of JSON, and a summary as text. */
#include "cli/job.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static bool say(sn_job *job, sn_document *document)
{
    bool good = sn_say_end(document);
    if (!good && job->code == SN_EXIT_FINE)
        job->code = SN_EXIT_OUTPUT;
    return good;
}

bool sn_job_tell_start(sn_job *job)
{
    if (!job->asked->json)
        return true;
    sn_settings settings = sn_world_settings(job->world);
    sn_document d;
    sn_value *root = sn_say_begin(&d, "start");
    sn_document_text(&d, root, "version", sn_version());
    sn_document_text(&d, root, "precision", sn_real_size() == 4 ? "single" : "double");
    sn_document_text(&d, root, "scene", job->name);
    sn_document_text(&d, root, "title", job->info.title);
    sn_document_number(&d, root, "frames", job->frames);
    sn_document_number(&d, root, "rate", (double)job->info.rate);
    sn_document_number(&d, root, "warm_up", job->info.warm_up);
    sn_document_number(&d, root, "substeps", settings.substeps);
    sn_document_number(&d, root, "iterations", settings.iterations);
    sn_document_number(&d, root, "particles", sn_world_particle_count(job->world));
    sn_document_number(&d, root, "constraints", sn_world_constraint_count(job->world, SN_KIND_NONE));
    return say(job, &d);
}

bool sn_job_tell_frame(sn_job *job)
{
    if (!job->asked->json)
        return true;
    sn_document d;
    sn_value *root = sn_say_begin(&d, "frame");
    sn_document_number(&d, root, "frame", job->done);
    sn_document_number(&d, root, "time", sn_scene_time(job->scene));
    sn_document_number(&d, root, "wall_seconds", sn_seconds_now() - job->started);
    return say(job, &d);
}

static void say_residuals(const sn_job *job, sn_document *d, sn_value *root, const sn_report *report)
{
    sn_value *list = sn_document_record(d, root, "residuals");
    for (uint32_t i = 0; i < report->kind_count; ++i) {
        const sn_kind_report *kind = &report->kinds[i];
        sn_value *entry = sn_document_record(d, list, kind->name);
        sn_document_number(d, entry, "count", kind->count);
        sn_document_number(d, entry, "undefined", kind->undefined);
        sn_document_number(d, entry, "largest", kind->largest);
        sn_document_number(d, entry, "mean", kind->mean);
        const sn_job_worst *worst = sn_job_worst_of(job, kind->kind);
        if (!worst->seen)
            continue;
        sn_document_number(d, entry, "worst_of_run", worst->largest);
        sn_document_number(d, entry, "worst_of_run_relative", worst->relative);
    }
}

static void say_report(const sn_job *job, sn_document *d, sn_value *root, const sn_report *report)
{
    sn_value *energies = sn_document_record(d, root, "energies");
    sn_document_number(d, energies, "kinetic", report->kinetic);
    sn_document_number(d, energies, "potential", report->potential);
    sn_document_number(d, energies, "elastic", report->elastic);
    sn_document_number(d, energies, "total", report->kinetic + report->potential + report->elastic);
    sn_value *momenta = sn_document_record(d, root, "momenta");
    sn_say_vector(d, momenta, "linear", report->momentum);
    sn_say_vector(d, momenta, "angular", report->angular_momentum);
    sn_document_number(d, root, "mass", report->mass);
    sn_say_vector(d, root, "centre", report->centre);
    if (report->meshes[0])
        sn_document_text(d, root, "meshes", report->meshes);
    say_residuals(job, d, root, report);
    sn_value *overlap = sn_document_record(d, root, "overlap");
    sn_document_number(d, overlap, "deepest", job->deepest);
    sn_document_number(d, overlap, "deepest_frame", job->deepest_frame);
    sn_document_number(d, overlap, "end", report->profile.counts.penetration);
    sn_document_number(d, root, "direct_trees", report->direct_trees);
    sn_document_number(d, root, "direct_constraints", report->direct_constraints);
}

static void say_slopes(sn_document *d, sn_value *root, const sn_job *job)
{
    sn_trace_list traces = sn_scene_traces(job->scene);
    sn_value *slopes = traces.heap_count ? sn_document_record(d, root, "slopes") : NULL;
    for (uint32_t i = 0; i < traces.heap_count; ++i) {
        double slope = sn_scene_slope(job->scene, traces.heap[i].object);
        if (isfinite(slope) && !sn_value_find(slopes, traces.heap[i].label))
            sn_document_number(d, slopes, traces.heap[i].label, slope);
    }
}

static void say_files(sn_document *d, sn_value *root, const sn_job *job)
{
    sn_value *files = sn_document_record(d, root, "files");
    if (job->output) {
        sn_document_text(d, files, "out", job->asked->out);
        sn_document_number(d, files, "out_frames", job->output_frames);
        sn_document_number(d, files, "out_bytes", (double)job->output_bytes);
    }
    if (job->trace)
        sn_document_text(d, files, "trace", job->asked->trace);
    else if (job->plot_trace && !job->plot_folder)
        sn_document_text(d, files, "trace", job->plot_csv);
    if (job->drawn)
        sn_document_text(d, files, "plot", job->picture);
    if (job->saved)
        sn_document_text(d, files, "save", job->asked->save);
}

static void tell_program(sn_job *job, const sn_report *report)
{
    sn_document d;
    sn_value *root = sn_say_begin(&d, "summary");
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, sn_world_hash(job->world));
    sn_document_number(&d, root, "frames", job->done);
    sn_document_number(&d, root, "time", sn_scene_time(job->scene));
    sn_document_number(&d, root, "simulated_seconds", job->simulated);
    sn_document_number(&d, root, "wall_seconds", job->wall);
    sn_document_number(&d, root, "particles", sn_world_particle_count(job->world));
    sn_document_number(&d, root, "constraints", sn_world_constraint_count(job->world, SN_KIND_NONE));
    if (report)
        say_report(job, &d, root, report);
    say_slopes(&d, root, job);
    sn_job_torn_say(job, &d, root);
    sn_document_text(&d, root, "state_hash", hash);
    say_files(&d, root, job);
    sn_job_certify_say(job, &d, root);
    sn_job_budget_say(job, &d, root);
    sn_job_profile_say(job, &d, root);
    sn_document_truth(&d, root, "interrupted", job->code > SN_EXIT_SIGNAL);
    if (job->failure[0])
        sn_document_text(&d, root, "failure", job->failure);
    sn_document_number(&d, root, "exit_code", job->code);
    say(job, &d);
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

static void print_headline(const sn_job *job)
{
    printf("%s: %u frame%s", job->name, (unsigned)job->done, job->done == 1 ? "" : "s");
    if (job->done < job->frames)
        printf(" of %u (%s)", (unsigned)job->frames, job->code > SN_EXIT_SIGNAL ? "interrupted" : "stopped early");
    printf(", %.4g s of motion in %.3g s", job->simulated, job->wall);
    if (job->wall > 0 && job->simulated > 0)
        printf(": %.3g times real time", job->simulated / job->wall);
    putchar('\n');
}

/* "" for a number without a unit. */
static const char *unit_name(const sn_kind *kind)
{
    const char *unit = kind && kind->unit ? kind->unit : "m";
    return strcmp(unit, "1") == 0 ? "" : unit;
}

static void print_residuals(const sn_job *job, const sn_report *report)
{
    for (uint32_t i = 0; i < report->kind_count; ++i) {
        const sn_kind_report *kind = &report->kinds[i];
        const sn_kind *info = sn_kind_info(job->world, kind->kind);
        if (info && info->force)
            continue; /* a force has no error */
        const sn_job_worst *worst = sn_job_worst_of(job, kind->kind);
        const double largest =
            worst->seen ? worst->largest : kind->largest; /* without a frame, the error at the start */
        const double relative = worst->seen ? worst->relative : kind->relative;
        printf("  %-13s%-18s worst %.3g%s%s", i == 0 ? "residuals" : "", kind->name, largest,
               unit_name(info)[0] ? " " : "", unit_name(info));
        if (strcmp(unit_name(info), "m") == 0 && relative > 0)
            printf(" (%.3g %% of its size)", 100 * relative);
        printf(", at the end %.3g, mean %.3g, of %u\n", kind->largest, kind->mean, (unsigned)kind->count);
    }
}

static void print_report(const sn_job *job, const sn_report *report)
{
    const double *p = report->momentum, *l = report->angular_momentum;
    printf("  %-13s%u\n", "particles", (unsigned)report->particles);
    printf("  %-13s%u\n", "constraints", (unsigned)report->constraints);
    printf("  %-13skinetic %.6g J, potential %.6g J, elastic %.6g J\n", "energies", report->kinetic, report->potential,
           report->elastic);
    printf("  %-13slinear %.4g kg m/s, angular %.4g kg m^2/s\n", "momenta",
           sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]));
    if (report->meshes[0])
        printf("  %-13s%s\n", "meshes", report->meshes);
    print_residuals(job, report);
    if (job->deepest > 0)
        printf("  %-13sdeepest %.3g m, in frame %u; at the end %.3g m\n", "overlap", job->deepest,
               (unsigned)job->deepest_frame, report->profile.counts.penetration);
    if (report->direct_trees)
        printf("  %-13s%u constraints in %u %s, because they carry 8 times their lightest particle, or more\n",
               "direct", (unsigned)report->direct_constraints, (unsigned)report->direct_trees,
               report->direct_trees == 1 ? "tree or loop" : "trees or loops");
}

static void print_slopes(const sn_job *job)
{
    sn_trace_list traces = sn_scene_traces(job->scene);
    for (uint32_t i = 0; i < traces.heap_count; ++i) {
        double slope = sn_scene_slope(job->scene, traces.heap[i].object);
        if (isfinite(slope))
            printf("  %-13s%.3g degrees, the sides of %s\n", i ? "" : "slope", slope * 180 / SN_PI,
                   traces.heap[i].label);
        else
            printf("  %-13s%s is no heap\n", i ? "" : "slope", traces.heap[i].label);
    }
}

static void print_output(const sn_job *job)
{
    char bytes[32];
    const char *out = job->asked->out;
    printf("  %-13s%s: %u frames, %s%s\n", "results", out, (unsigned)job->output_frames,
           sn_bytes_text((double)job->output_bytes, bytes, sizeof bytes),
           job->done < job->frames ? "; cut short, as " SN_RUN_FILE " there says" : "");
    if (job->formats & SN_FORMAT_PC2) {
        char *script = sn_find_shared("blender/import_sinew.py", "tools/blender/import_sinew.py");
        printf("  %-13sblender --python %s -- %s\n", "open with", script ? script : "import_sinew.py", out);
        free(script);
    }
    if (job->formats & SN_FORMAT_NPY)
        printf("  %-13snumpy.load(\"%s/NAME.npy\")\n", job->formats & SN_FORMAT_PC2 ? "" : "open with", out);
}

static void print_files(const sn_job *job)
{
    if (job->output)
        print_output(job);
    if (job->trace)
        printf("  %-13s%s\n", "trace", job->asked->trace);
    else if (job->plot_trace && !job->plot_folder)
        printf("  %-13s%s\n", "trace", job->plot_csv);
    if (job->drawn)
        printf("  %-13s%s\n", "picture", job->picture);
    if (job->saved)
        printf("  %-13s%s\n", "saved", job->asked->save);
}

void sn_job_tell_end(sn_job *job)
{
    bool started = job->done > 0 || job->code != SN_EXIT_OUTPUT;
    if (job->asked->quiet || ferror(stdout) || (!started && !job->asked->json))
        return;
    sn_report report;
    bool has_report = sn_world_report(job->world, &report) == SN_OK;
    if (job->asked->json) {
        tell_program(job, has_report ? &report : NULL);
        return;
    }
    print_headline(job);
    if (has_report)
        print_report(job, &report);
    sn_job_torn_print(job);
    print_slopes(job);
    sn_job_certify_print(job);
    sn_job_budget_print(job);
    printf("  %-13s%016" PRIx64 "\n", "state hash", sn_world_hash(job->world));
    print_files(job);
    sn_job_profile_print(job);
}
