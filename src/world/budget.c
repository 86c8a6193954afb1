/* Stepping to a budget.

   A step costs `fixed`, and `each` for every substep; both are learned. The error falls roughly with the square of the
   number of substeps, so the number is scaled by the square root of the error relative to the aim. */
#include "world/budget.h"

#include "world/world.h"

#include <math.h>
#include <string.h>

#define RISE 0.5 /* a cost above the estimate is learned with this share */
#define FALL                                                                                                           \
    0.125 /* a cost below it with this: smaller, because a step that takes too long is worse than a short one */
#define CALM     0.5  /* share of the aimed error: while the error stays below it, substeps are reduced */
#define NEARLY   0.8  /* share of the aimed error: above it, substeps are increased */
#define MEMORY   0.98 /* factor per step of the largest recent error, as the error of a swinging motion varies */
#define MOST_UP  1.5  /* factor of substeps from one step to the next, at most */
#define MOST_OFF 0.9

static void learn(double *known, double now)
{
    *known = *known == 0 ? now : *known + (now > *known ? RISE : FALL) * (now - *known);
}

static uint32_t clamp(double number, uint32_t least, uint32_t most)
{
    return !(number > least) ? least : number >= most ? most : (uint32_t)number;
}

/* Changes substeps (or iterations) so that the error is kept with as few as possible. */
static void follow_error(sn_budget *b, const sn_budget_step *step)
{
    const double n = step->substeps;
    b->recent = fmax(step->wrong, MEMORY * b->recent);
    if (step->wrong > NEARLY && step->substeps >= b->most_substeps)
        b->iterations = clamp((double)step->iterations + 1, 1, b->most_iterations);
    else if (step->wrong > NEARLY)
        b->substeps =
            clamp(fmax(n + 1, n * fmin(MOST_UP, sqrt(step->wrong / NEARLY))), b->least_substeps, b->most_substeps);
    else if (b->recent < CALM && step->iterations > 1)
        b->iterations = step->iterations - 1;
    else if (b->recent < CALM)
        b->substeps = clamp(fmin(n - 1, n * MOST_OFF), b->least_substeps, b->most_substeps);
}

/* Reduces iterations first, then substeps, until the step fits into the time. */
static void keep_time(sn_budget *b, const sn_budget_step *step)
{
    const double pass = b->each / (step->iterations ? step->iterations : 1), room = b->seconds - b->fixed;
    while (b->iterations > 1 && room < pass * b->iterations * b->substeps)
        b->iterations--;
    const uint32_t fits =
        clamp(room / (pass * (b->iterations ? b->iterations : 1)), b->least_substeps, b->most_substeps);
    const bool aims = b->relative > 0 || b->metres > 0;
    b->substeps = !aims || fits < b->substeps ? fits : b->substeps;
}

void sn_budget_decide(sn_budget *b, const sn_budget_step *step)
{
    learn(&b->fixed, step->fixed);
    learn(&b->each, step->each);
    b->substeps = clamp(step->substeps, b->least_substeps, b->most_substeps);
    b->iterations = step->iterations;
    if (b->relative > 0 || b->metres > 0)
        follow_error(b, step);
    if (b->seconds > 0 && b->each > 0)
        keep_time(b, step);
}

sn_budget sn_default_budget(void)
{
    return (sn_budget){.least_substeps = 1, .most_substeps = 100, .most_iterations = 8};
}

/* ---- Error and cost of a step ------------------------------------------------------------------------------------ */

static bool is_length(const sn_world *world, uint32_t number)
{
    const sn_kind *kind = sn_kind_info(world, number);
    return kind && !kind->force && (!kind->unit || strcmp(kind->unit, "m") == 0);
}

static double energy_of(const sn_report *report)
{
    return report->kinetic + report->potential + report->elastic;
}

static void judge(const sn_world *world, sn_certificate *c)
{
    for (uint32_t i = 0; i < c->report.kind_count; ++i) {
        const sn_kind_report *kind = &c->report.kinds[i];
        if (!is_length(world, kind->kind))
            continue;
        c->metres = fmax(c->metres, kind->largest);
        if (kind->relative > c->relative) {
            c->relative = kind->relative;
            c->worst = kind->worst_relative;
        }
    }
    c->penetration = c->report.profile.counts.penetration;
    c->energy = energy_of(&c->report);
}

/* The error as a share of the aim: the larger of the relative error and the error in metres. */
static double wrong_by(const sn_budget *b, const sn_certificate *c)
{
    const double share = b->relative > 0 ? c->relative / b->relative : 0;
    return fmax(share, b->metres > 0 ? fmax(c->metres, c->penetration) / b->metres : 0);
}

/* Stages that run once per step. The plan, which is made once for many steps, is not counted. */
static double fixed_cost(const sn_profile *profile)
{
    static const sn_stage once[] = {SN_STAGE_OTHER, SN_STAGE_SLEEP, SN_STAGE_BROAD_PHASE, SN_STAGE_EVENTS};
    double sum = 0;
    for (size_t i = 0; i < sizeof once / sizeof *once; ++i)
        sum += profile->stage[once[i]];
    return sum;
}

/* ---- The step ---------------------------------------------------------------------------------------------------- */

static sn_result check(const sn_world *world, const sn_budget *b)
{
    if (!b)
        return world_fail(world, SN_ERROR_ARGUMENT, "budget is NULL");
    const struct {
        const char *name;
        double value;
    } number[] = {{"seconds", b->seconds}, {"relative", b->relative}, {"metres", b->metres},
                  {"fixed", b->fixed},     {"each", b->each},         {"recent", b->recent}};
    for (size_t i = 0; i < sizeof number / sizeof *number; ++i)
        if (!isfinite(number[i].value) || number[i].value < 0)
            return world_fail(world, SN_ERROR_ARGUMENT, "budget: %s is %g; it must be finite and not negative",
                              number[i].name, number[i].value);
    if (b->least_substeps < 1 || b->least_substeps > b->most_substeps || b->most_substeps > SN_MOST_PASSES)
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "budget: least_substeps is %u and most_substeps %u; they must be between 1 and %u, in order",
                          b->least_substeps, b->most_substeps, SN_MOST_PASSES);
    if (b->most_iterations < 1 || b->most_iterations > SN_MOST_PASSES)
        return world_fail(world, SN_ERROR_ARGUMENT, "budget: most_iterations is %u; it must be between 1 and %u",
                          b->most_iterations, SN_MOST_PASSES);
    if (b->substeps > SN_MOST_PASSES || b->iterations > SN_MOST_PASSES)
        return world_fail(world, SN_ERROR_ARGUMENT, "budget: %s is %u; it must be at most %u",
                          b->substeps > SN_MOST_PASSES ? "substeps" : "iterations",
                          b->substeps > SN_MOST_PASSES ? b->substeps : b->iterations, SN_MOST_PASSES);
    return SN_OK;
}

/* Takes the step with its own settings. Profiling does not change the result. */
static sn_result step_with(sn_world *world, sn_real dt, uint32_t substeps, uint32_t iterations)
{
    sn_settings *settings = &world->state.settings;
    const sn_settings before = *settings;
    settings->substeps = substeps;
    settings->iterations = iterations;
    settings->profile = true;
    const sn_result result = sn_world_step(world, dt);
    settings->substeps = before.substeps;
    settings->iterations = before.iterations;
    settings->profile = before.profile;
    return result;
}

sn_result sn_world_step_budget(sn_world *world, sn_real dt, sn_budget *budget, sn_certificate *certificate)
{
    sn_certificate c = {0};
    sn_result result = sn_world_enter(world);
    if (result != SN_OK || (result = check(world, budget)) != SN_OK || (result = sn_world_check_dt(world, dt)) != SN_OK)
        return result;
    const bool aims = budget->relative > 0 || budget->metres > 0;
    if (certificate && (result = sn_world_report(world, &c.report)) != SN_OK)
        return result;
    const double before = energy_of(&c.report);
    c.substeps = budget->substeps ? budget->substeps : world->state.settings.substeps;
    c.substeps = clamp(c.substeps, budget->least_substeps, budget->most_substeps);
    c.iterations = budget->iterations ? budget->iterations : world->state.settings.iterations;
    if ((result = step_with(world, dt, c.substeps, c.iterations)) != SN_OK || dt == 0)
        return result;
    const sn_profile profile = sn_world_profile(world);
    c.seconds = profile.seconds;
    if ((certificate || aims) && sn_world_report(world, &c.report) == SN_OK)
        judge(world, &c);
    c.change = certificate ? c.energy - before : 0;
    const double fixed = fixed_cost(&profile);
    const sn_budget_step step = {c.substeps, c.iterations, fixed,
                                 fmax(0, profile.seconds - profile.stage[SN_STAGE_PLAN] - fixed) / c.substeps,
                                 wrong_by(budget, &c)};
    sn_budget_decide(budget, &step);
    if (certificate)
        *certificate = c;
    return SN_OK;
}
