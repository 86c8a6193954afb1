/* The times of the stages of a run: a table, a JSON record, or an event trace for a profiler. */
#include "cli/job.h"

#include <errno.h>
#include <string.h>

/* ---- The file: trace events, as chrome://tracing and Perfetto read them ------------------------------------------ */

/* Stage names need no escapes. */
static void write_event(void *context, const char *name, char phase)
{
    sn_job *job = context;
    FILE *file = job->profile.file;
    fprintf(file, "%s\n{\"name\": \"%s\", \"ph\": \"%c\", \"ts\": %.3f, \"pid\": 1, \"tid\": 1}",
            job->profile.events++ ? "," : "", name, phase, 1e6 * (sn_seconds_now() - job->profile.start));
}

static void on_begin(void *context, const char *name)
{
    write_event(context, name, 'B');
}

static void on_end(void *context, const char *name)
{
    write_event(context, name, 'E');
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

bool sn_job_profile_open(sn_job *job)
{
    const char *path = job->asked->profile;
    if (!path || !path[0])
        return true;
    job->profile.file = fopen(path, "w");
    if (!job->profile.file)
        sn_job_fail(job, SN_EXIT_OUTPUT, "%s: %s", path, strerror(errno));
    else
        fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [", job->profile.file);
    return job->profile.file != NULL;
}

bool sn_job_profile_begin(sn_job *job)
{
    sn_settings settings = sn_world_settings(job->world);
    settings.profile = true; /* also reports the deepest overlap: see job_worst.c */
    job->profile.start = sn_seconds_now();
    bool good = sn_world_configure(job->world, &settings) == SN_OK;
    if (good && job->profile.file)
        good = sn_world_set_trace(job->world, on_begin, on_end, job) == SN_OK;
    if (!good)
        sn_job_fail(job, SN_EXIT_FAILED, "%s", sn_world_error(job->world));
    return good;
}

void sn_job_profile_step(sn_job *job)
{
    sn_profile last = sn_world_profile(job->world);
    sn_job_profile *p = &job->profile;
    if (!last.measured)
        return;
    p->steps++;
    p->seconds += last.seconds;
    for (int i = 0; i < SN_STAGE_COUNT; ++i)
        p->stage[i] += last.stage[i];
    p->candidates += (double)last.counts.candidates;
    p->contacts += (double)last.counts.contacts;
    p->manifolds += (double)last.counts.manifolds;
    p->sweeps += (double)last.counts.sweeps;
    p->passes += (double)last.counts.passes;
    p->awake += (double)last.counts.awake;
    p->last = last.counts;
}

void sn_job_profile_close(sn_job *job)
{
    FILE *file = job->profile.file;
    if (!file)
        return;
    sn_world_set_trace(job->world, NULL, NULL, NULL);
    job->profile.file = NULL;
    bool good = fputs("\n]}\n", file) >= 0 && !ferror(file);
    if (fclose(file) != 0 || !good)
        sn_job_fail(job, SN_EXIT_OUTPUT, "%s: %s", job->asked->profile, strerror(errno));
}

/* ---- Output ------------------------------------------------------------------------------------------------------ */

static double mean(const sn_job_profile *p, double sum)
{
    return p->steps ? sum / (double)p->steps : 0;
}

static double filled(const sn_job_profile *p)
{
    return p->last.lanes ? (double)p->last.lanes_filled / (double)p->last.lanes : 0;
}

void sn_job_profile_print(const sn_job *job)
{
    const sn_job_profile *p = &job->profile;
    if (!job->asked->profile)
        return;
    printf("  %-13s%-14s %10s %7s %12s\n", "profile", "stage", "seconds", "share", "us a step");
    for (int i = 1; i <= SN_STAGE_COUNT; ++i) { /* the remaining time comes last */
        const int stage = i % SN_STAGE_COUNT;
        if (p->stage[stage] > 0)
            printf("  %-13s%-14s %10.4f %6.1f%% %12.1f\n", "", sn_stage_name((sn_stage)stage), p->stage[stage],
                   100 * p->stage[stage] / p->seconds, 1e6 * mean(p, p->stage[stage]));
    }
    printf("  %-13s%-14s %10.4f %6.1f%% %12.1f\n", "", "step", p->seconds, p->seconds > 0 ? 100.0 : 0,
           1e6 * mean(p, p->seconds));
    printf("  %-13scandidates %.6g, contacts %.6g, manifolds made anew %.6g, sweeps %.4g, passes %.4g\n", "a step",
           mean(p, p->candidates), mean(p, p->contacts), mean(p, p->manifolds), mean(p, p->sweeps), mean(p, p->passes));
    printf("  %-13sawake %.6g of %u, bodies %u, batches %u", "", mean(p, p->awake), (unsigned)p->last.particles,
           (unsigned)p->last.bodies, (unsigned)p->last.batches);
    if (p->last.lanes)
        printf(" with %.1f%% of their lanes filled", 100 * filled(p));
    putchar('\n');
    if (job->asked->profile[0])
        printf("  %-13s%s: open it at https://ui.perfetto.dev or chrome://tracing\n", "timeline", job->asked->profile);
}

void sn_job_profile_say(const sn_job *job, sn_document *d, sn_value *root)
{
    const sn_job_profile *p = &job->profile;
    if (!job->asked->profile)
        return;
    sn_value *profile = sn_document_record(d, root, "profile");
    sn_document_number(d, profile, "steps", (double)p->steps);
    sn_document_number(d, profile, "seconds", p->seconds);
    sn_value *stages = sn_document_record(d, profile, "stages");
    for (int i = 0; i < SN_STAGE_COUNT; ++i)
        sn_document_number(d, stages, sn_stage_name((sn_stage)i), p->stage[i]);
    sn_value *counts = sn_document_record(d, profile, "mean_counts");
    sn_document_number(d, counts, "candidates", mean(p, p->candidates));
    sn_document_number(d, counts, "contacts", mean(p, p->contacts));
    sn_document_number(d, counts, "manifolds", mean(p, p->manifolds));
    sn_document_number(d, counts, "sweeps", mean(p, p->sweeps));
    sn_document_number(d, counts, "passes", mean(p, p->passes));
    sn_document_number(d, counts, "awake", mean(p, p->awake));
    sn_document_number(d, profile, "bodies", p->last.bodies);
    sn_document_number(d, profile, "batches", p->last.batches);
    sn_document_number(d, profile, "lanes_filled", filled(p));
}
