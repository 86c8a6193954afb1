/* --budget and --steps: substeps and passes are chosen frame by frame, or read from a file. */
#include "cli/job.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit {
    const char *name;
    size_t field; /* offset in sn_budget */
    double factor;
} unit;

static const unit units[] = {{"ms", offsetof(sn_budget, seconds), 1e-3},
                             {"mm", offsetof(sn_budget, metres), 1e-3},
                             {"%", offsetof(sn_budget, relative), 1e-2},
                             {"s", offsetof(sn_budget, seconds), 1},
                             {"m", offsetof(sn_budget, metres), 1}};

/* Reads one number with its unit, up to a comma or the end. Returns where it ends, or NULL if it is wrong. */
static const char *read_one(const char *text, sn_budget *budget)
{
    char *end;
    const double number = strtod(text, &end);
    const size_t length = strcspn(end, ",");
    for (size_t i = 0; end != text && i < sizeof units / sizeof *units; ++i) {
        if (strlen(units[i].name) != length || strncmp(end, units[i].name, length) != 0)
            continue;
        double *field = (double *)((char *)budget + units[i].field);
        if (!isfinite(number) || !(number > 0) || *field > 0)
            return NULL;
        *field = number * units[i].factor;
        return end + length;
    }
    return NULL;
}

static bool read_budget(const char *text, sn_budget *budget)
{
    *budget = sn_default_budget();
    for (text = read_one(text, budget); text && *text == ',';)
        text = read_one(text + 1, budget);
    return text != NULL;
}

bool sn_job_budget_check(const sn_run_options *asked)
{
    sn_budget budget;
    if (!asked->budget || read_budget(asked->budget, &budget))
        return true;
    sn_complain(0,
                "--budget: expected positive numbers with a unit, each of them once: 5ms or 0.005s, 1%%, 2mm or "
                "0.002m; found %s",
                asked->budget);
    return false;
}

bool sn_job_budget_begin(sn_job *job)
{
    sn_job_budget *b = &job->budget;
    const char *path = job->asked->steps;
    b->on = job->asked->budget || path;
    b->budget = sn_default_budget();
    if (job->asked->budget)
        read_budget(job->asked->budget, &b->budget);
    if (path && !(b->file = fopen(path, job->asked->budget ? "w" : "r")))
        sn_job_fail(job, job->asked->budget ? SN_EXIT_OUTPUT : SN_EXIT_INPUT, "%s: %s", path, strerror(errno));
    return !path || b->file;
}

static bool is_count(double number, double least)
{
    return number >= least && number <= 1e5 && number == floor(number);
}

/* Reads substeps and passes from the next line of --steps. */
static bool read_step(sn_job *job)
{
    sn_job_budget *b = &job->budget;
    const uint32_t frame = job->done + 1;
    double substeps, passes; /* double, to read too large numbers without overflow */
    if (fscanf(b->file, "%lf%lf", &substeps, &passes) == 2 && is_count(substeps, 1) && is_count(passes, 0)) {
        b->budget.substeps = b->budget.most_substeps = (uint32_t)substeps;
        b->budget.iterations = (uint32_t)passes;
        return true;
    }
    sn_job_fail(job, SN_EXIT_INPUT,
                "%s: line %u: expected the substeps and passes of frame %u, two whole numbers up to 100000",
                job->asked->steps, frame, frame);
    return false;
}

static void note(sn_job_budget *b, const sn_certificate *c)
{
    b->least = b->substeps == 0 || c->substeps < b->least ? c->substeps : b->least;
    b->most = c->substeps > b->most ? c->substeps : b->most;
    b->substeps += c->substeps;
    b->relative = fmax(b->relative, c->relative);
    b->metres = fmax(b->metres, fmax(c->metres, c->penetration));
    b->missed += (b->budget.relative > 0 && c->relative > b->budget.relative) ||
                 (b->budget.metres > 0 && fmax(c->metres, c->penetration) > b->budget.metres);
    b->late += b->budget.seconds > 0 && c->seconds > b->budget.seconds;
    b->seconds += c->seconds;
    b->longest = fmax(b->longest, c->seconds);
}

sn_result sn_job_budget_step(sn_job *job)
{
    sn_job_budget *b = &job->budget;
    sn_certificate c;
    if (!b->on)
        return sn_scene_step(job->scene);
    const bool repeats = !job->asked->budget;
    if (repeats && !read_step(job))
        return SN_ERROR_ARGUMENT;
    const sn_result result = sn_scene_step_budget(job->scene, &b->budget, &c);
    if (result != SN_OK)
        return result;
    note(b, &c);
    if (b->file && !repeats)
        fprintf(b->file, "%u %u\n", c.substeps, c.iterations);
    return SN_OK;
}

void sn_job_budget_end(sn_job *job)
{
    FILE *file = job->budget.file;
    if (!file)
        return;
    const bool bad = ferror(file) != 0;
    job->budget.file = NULL;
    if ((fclose(file) != 0 || bad) && job->asked->budget)
        sn_job_fail(job, SN_EXIT_OUTPUT, "%s: %s", job->asked->steps, strerror(errno));
}

void sn_job_budget_print(const sn_job *job)
{
    const sn_job_budget *b = &job->budget;
    if (!job->asked->budget || !job->done)
        return;
    printf("  %-13s%u to %u substeps, mean %.1f; a frame took %.3g ms, the longest %.3g ms", "budget", b->least,
           b->most, (double)b->substeps / job->done, 1e3 * b->seconds / job->done, 1e3 * b->longest);
    if (b->budget.seconds > 0)
        printf("; %u of %u frames took longer than %g ms", b->late, job->done, 1e3 * b->budget.seconds);
    if (b->budget.relative > 0 || b->budget.metres > 0)
        printf("; the error was above what is aimed at in %u", b->missed);
    printf("\n");
}

void sn_job_budget_say(const sn_job *job, sn_document *d, sn_value *root)
{
    const sn_job_budget *b = &job->budget;
    if (!job->asked->budget)
        return;
    sn_value *told = sn_document_record(d, root, "budget");
    sn_document_number(d, told, "least_substeps", b->least);
    sn_document_number(d, told, "most_substeps", b->most);
    sn_document_number(d, told, "mean_substeps", job->done ? (double)b->substeps / job->done : 0);
    sn_document_number(d, told, "worst_relative", b->relative);
    sn_document_number(d, told, "worst_metres", b->metres);
    sn_document_number(d, told, "longest_seconds", b->longest);
    sn_document_number(d, told, "frames_above_error", b->missed);
    sn_document_number(d, told, "frames_above_time", b->late);
}
