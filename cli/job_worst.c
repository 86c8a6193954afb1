/* The errors of constraints in a run: the worst of all frames, by kind, with a warning if an error persists. */
#include "cli/job.h"

#include <stdio.h>
#include <string.h>

/* A constraint with an error above this share of its size for so long causes a warning. */
#define STAYS_WRONG 0.1
#define TOO_LONG    1.0 /* s */

/* Other kinds have no length to compare with. */
static bool is_length(const sn_job *job, uint32_t number)
{
    const sn_kind *kind = sn_kind_info(job->world, number);
    return kind && (!kind->unit || strcmp(kind->unit, "m") == 0);
}

/* The advice depends on the solver. */
static void warn(const sn_job *job, const sn_kind_report *kind, const sn_report *report)
{
    const sn_settings settings = sn_world_settings(job->world);
    fprintf(
        stderr,
        "%s: warning: for a second now constraints of the kind '%s' have been wrong: number %u by %.0f %% of its size.",
        job->name, kind->name, (unsigned)kind->worst_relative.index, 100 * kind->relative);
    if (settings.solver == SN_SOLVER_TILED && settings.stiffening == SN_STIFFENING_OFF)
        fputs(" \"stiffening\" is off.", stderr);
    fprintf(stderr, " Try more substeps (%u now) or passes (%u now), lighter loads or heavier links%s\n",
            settings.substeps, settings.iterations,
            report->direct_trees ? "; or contact keeps it from where it should be." : ".");
}

static void look_at(sn_job *job, const sn_kind_report *kind, const sn_report *report)
{
    sn_job_worst *w = &job->worst[kind->kind < SN_JOB_KINDS ? kind->kind : 0];
    const double wrong = kind->relative > STAYS_WRONG ? w->wrong : -1;
    w->largest = kind->largest > w->largest ? kind->largest : w->largest;
    w->relative = kind->relative > w->relative ? kind->relative : w->relative;
    w->seen = true;
    w->wrong = wrong < 0 && kind->relative > STAYS_WRONG ? report->time : wrong;
    if (!is_length(job, kind->kind) || w->wrong < 0 || report->time - w->wrong < TOO_LONG || w->warned)
        return;
    w->warned = true;
    sn_progress_clear(&job->progress);
    warn(job, kind, report);
}

void sn_job_worst_begin(sn_job *job)
{
    for (uint32_t i = 0; i < SN_JOB_KINDS; ++i)
        job->worst[i] = (sn_job_worst){.wrong = -1};
}

void sn_job_worst_frame(sn_job *job)
{
    sn_report report;
    if (sn_world_report(job->world, &report) != SN_OK)
        return;
    if (report.profile.counts.penetration > job->deepest) {
        job->deepest = report.profile.counts.penetration;
        job->deepest_frame = job->done;
    }
    for (uint32_t i = 0; i < report.kind_count; ++i) {
        const sn_kind *kind = sn_kind_info(job->world, report.kinds[i].kind);
        if (kind && !kind->force) /* a force has no error */
            look_at(job, &report.kinds[i], &report);
    }
}

const sn_job_worst *sn_job_worst_of(const sn_job *job, uint32_t kind)
{
    return &job->worst[kind < SN_JOB_KINDS ? kind : 0];
}
