/* The errors of constraints in a run: the worst of all frames, by kind, with a warning if an error persists. */
#include "cli/job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A constraint with an error above this share of its size for so long causes a warning. Time without such an error is
   subtracted, so that what swings causes one, too. */
#define STAYS_WRONG 0.1
#define TOO_LONG    1.0 /* s */

/* The size of a constraint that has none, such as an attachment: this share of what the particles of the scene span at
   the start. */
#define SHARE_OF_SPAN 0.1

/* Other kinds have no length to compare with. */
static bool is_length(const sn_job *job, uint32_t number)
{
    const sn_kind *kind = sn_kind_info(job->world, number);
    return kind && (!kind->unit || strcmp(kind->unit, "m") == 0);
}

/* m: the diagonal of the box around all particles. */
static double span_of(const sn_world *world)
{
    const sn_view x = sn_world_view_positions(world);
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, sum = 0;
    for (uint32_t i = 0; i < x.count; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], (double)sn_view_at(&x, i)[k]);
            high[k] = fmax(high[k], (double)sn_view_at(&x, i)[k]);
        }
    for (uint32_t k = 0; x.count && k < 3; ++k)
        sum += (high[k] - low[k]) * (high[k] - low[k]);
    return sqrt(sum);
}

static bool is_wrong(const sn_job *job, const sn_kind_report *kind)
{
    const double size = SHARE_OF_SPAN * job->span;
    const bool sizeless = is_length(job, kind->kind) && kind->relative == 0 && size > 0;
    return kind->relative > STAYS_WRONG || (sizeless && kind->largest > STAYS_WRONG * size);
}

/* The advice depends on the solver. */
static void warn(const sn_job *job, const sn_kind_report *kind, const sn_report *report)
{
    const sn_settings settings = sn_world_settings(job->world);
    fprintf(stderr, "%s: warning: for a second now constraints of the kind '%s' have been wrong: number %u by ",
            job->name, kind->name, (unsigned)(kind->relative > 0 ? kind->worst_relative : kind->worst).index);
    if (kind->relative > 0)
        fprintf(stderr, "%.0f %% of its size.", 100 * kind->relative);
    else
        fprintf(stderr, "%.3g m.", kind->largest);
    if (settings.solver == SN_SOLVER_TILED && settings.stiffening == SN_STIFFENING_OFF)
        fputs(" \"stiffening\" is off.", stderr);
    fprintf(stderr, " Try more substeps (%u now) or passes (%u now), lighter loads or heavier links%s\n",
            settings.substeps, settings.iterations,
            report->direct_trees ? "; or contact keeps it from where it should be." : ".");
}

static void look_at(sn_job *job, const sn_kind_report *kind, const sn_report *report)
{
    sn_job_worst *w = &job->worst[kind->kind < SN_JOB_KINDS ? kind->kind : 0];
    const bool is = is_wrong(job, kind);
    w->largest = kind->largest > w->largest ? kind->largest : w->largest;
    w->relative = kind->relative > w->relative ? kind->relative : w->relative;
    w->seen = true;
    w->wrong = fmax(0, w->wrong + (is ? report->time - w->time : w->time - report->time));
    w->time = report->time;
    if (!is_length(job, kind->kind) || w->wrong < TOO_LONG || w->warned)
        return;
    w->warned = true;
    sn_progress_clear(&job->progress);
    warn(job, kind, report);
}

void sn_job_worst_begin(sn_job *job)
{
    job->span = span_of(job->world);
    for (uint32_t i = 0; i < SN_JOB_KINDS; ++i)
        job->worst[i] = (sn_job_worst){.time = sn_world_time(job->world)};
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
