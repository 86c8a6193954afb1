/* The runs of a comparison. Each is loaded anew from the file, with the settings of the solver set in the document. */
#include "cli/compare.h"
#include "cli/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROBE_FRAMES  5 /* after one for preparations, to measure a number of substeps */
#define MOST_SUBSTEPS 100000u

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

/* Receives warnings of the world; a repeated warning counts once. */
typedef struct listener {
    sn_comparison *c;
    const sn_contestant *who;
} listener;

static void hear(void *context, sn_log_level level, const char *text)
{
    listener *l = context;
    char line[SN_COMPARE_MESSAGE];
    if (level != SN_LOG_WARNING)
        return;
    snprintf(line, sizeof line, "%s: %s", l->who->label, text);
    if (strcmp(line, l->c->heard) == 0)
        return;
    memcpy(l->c->heard, line, sizeof line);
    sn_problem problem = {.severity = SN_PROBLEM_WARNING, .path = "", .text = line};
    if (!l->c->asked->json)
        sn_complain(0, "warning: %s", line);
    else if (!sn_say_problem(NULL, &problem))
        l->c->code = SN_EXIT_OUTPUT;
}

/* The changes to the document for one run: the user's, then those of this run, then the contestant's own. */
static const char **list_sets(const sn_comparison *c, const sn_trial *t, char room[2][64], uint32_t *count)
{
    const sn_texts *user = &c->asked->set;
    const char **set = malloc((user->count + t->who->set_count + 3) * sizeof *set);
    *count = 0;
    if (!set)
        return NULL;
    if (c->needs_world)
        set[(*count)++] = "world={}";
    for (uint32_t i = 0; i < user->count; ++i)
        set[(*count)++] = user->item[i];
    snprintf(room[0], 64, "world.substeps=%u", (unsigned)t->substeps);
    snprintf(room[1], 64, "world.iterations=%u", (unsigned)t->iterations);
    set[(*count)++] = room[0];
    set[(*count)++] = room[1];
    for (uint32_t i = 0; i < t->who->set_count; ++i)
        set[(*count)++] = t->who->set[i];
    return set;
}

static void explain(const sn_loaded *loaded, sn_trial *t)
{
    const sn_problem *p = loaded->problems.first;
    while (p && p->severity != SN_PROBLEM_ERROR)
        p = p->next;
    t->end = SN_TRIAL_REFUSED;
    snprintf(t->message, sizeof t->message, "%s%s%s", p ? p->path : "", p && p->path[0] ? ": " : "",
             p ? p->text : "out of memory");
}

/* Whether the contestant's own settings are wrong (a problem at a path that it set), and not just unsupported by the
   solver. */
static bool is_mistake(const sn_loaded *loaded, const sn_contestant *who)
{
    for (const sn_problem *p = loaded->problems.first; p; p = p->next) {
        if (p->severity != SN_PROBLEM_ERROR)
            continue;
        if (strncmp(p->text, "--set ", 6) == 0)
            return true;
        for (uint32_t i = 1; i < who->set_count; ++i) {
            size_t length = strcspn(who->set[i], "=");
            if (strncmp(p->path, who->set[i], length) == 0 && !p->path[length])
                return true;
        }
    }
    return false;
}

static bool load(sn_comparison *c, sn_trial *t, listener *l, sn_loaded *loaded)
{
    char room[2][64];
    uint32_t count;
    const char **sets = list_sets(c, t, room, &count);
    *loaded = (sn_loaded){0};
    if (!sets) {
        c->code = sn_complain(SN_EXIT_FAILED, "out of memory");
        return false;
    }
    sn_load_options options = sn_default_load_options();
    options.scene.log = (sn_log){hear, l};
    if (c->asked->memory)
        options.scene.memory = c->asked->memory;
    options.read_anywhere = c->asked->read_anywhere;
    options.set_count = count;
    options.sets = sets;
    bool good = sn_scene_load(c->path, &options, loaded);
    free(sets);
    if (!good) {
        explain(loaded, t);
        if (is_mistake(loaded, t->who))
            c->code = sn_complain(SN_EXIT_USAGE, "--solvers: %s: %s", t->who->label, t->message);
    }
    return good;
}

/* ---- A run ------------------------------------------------------------------------------------------------------- */

static bool was_interrupted(sn_comparison *c, sn_trial *t)
{
    int signal = sn_signals_came();
    if (signal) {
        c->code = SN_EXIT_SIGNAL + signal;
        t->end = SN_TRIAL_INTERRUPTED;
        snprintf(t->message, sizeof t->message, "at frame %u", (unsigned)t->frames);
    }
    return signal != 0;
}

/* A failed step ends the run: refused, diverged, or, for other reasons, a failure of the command. */
static void blame(sn_comparison *c, sn_trial *t, sn_result result, sn_world *world, uint32_t frame)
{
    if (result == SN_ERROR_ARGUMENT) {
        t->end = SN_TRIAL_REFUSED;
        snprintf(t->message, sizeof t->message, "%s", sn_world_error(world));
        return;
    }
    t->end = SN_TRIAL_DIVERGED;
    snprintf(t->message, sizeof t->message, "at frame %u: %s", (unsigned)frame, sn_world_error(world));
    if (result != SN_ERROR_DIVERGED)
        c->code = sn_complain(SN_EXIT_FAILED, "%s: %s: frame %u failed: %s", c->name, t->who->label, (unsigned)frame,
                              sn_world_error(world));
}

static bool take_sample(sn_comparison *c, sn_trial *t, sn_scene *scene)
{
    sn_world *world = sn_scene_world(scene);
    sn_report report;
    sn_result result = sn_world_report(world, &report);
    if (result != SN_OK) {
        blame(c, t, result, world, t->frames);
        return false;
    }
    sn_sample *s = &t->sample[t->frames];
    *s = (sn_sample){.time = sn_scene_time(scene),
                     .energy = report.kinetic + report.potential + report.elastic,
                     .kinetic = report.kinetic,
                     .mass = report.mass};
    memcpy(s->momentum, report.momentum, sizeof s->momentum);
    memcpy(s->angular, report.angular_momentum, sizeof s->angular);
    sn_error_of(&c->scale, world, &report, &s->error, &s->worst);
    t->passes += t->frames ? (double)report.passes / t->substeps : 0;
    return true;
}

/* Runs one frame and adds its CPU time. */
static bool step(sn_comparison *c, sn_trial *t, sn_scene *scene, double *seconds)
{
    if (was_interrupted(c, t))
        return false;
    double start = sn_cpu_seconds();
    sn_result result = sn_scene_step(scene);
    *seconds += sn_cpu_seconds() - start;
    if (result == SN_CANCELLED)
        was_interrupted(c, t);
    else if (result != SN_OK)
        blame(c, t, result, sn_scene_world(scene), sn_scene_frame(scene) + 1);
    return result == SN_OK;
}

static void run_frames(sn_comparison *c, sn_trial *t, sn_scene *scene)
{
    double unused = 0;
    for (uint32_t i = sn_scene_describe(scene).warm_up; i > 0; --i)
        if (!step(c, t, scene, &unused))
            return;
    if (!take_sample(c, t, scene))
        return;
    sn_progress progress;
    char title[96];
    snprintf(title, sizeof title, "%.60s, %u x %u", t->who->label, (unsigned)t->substeps, (unsigned)t->iterations);
    sn_progress_begin(&progress, title, c->frames, c->asked->quiet || c->asked->json);
    while (t->frames < c->frames && step(c, t, scene, &t->seconds)) {
        ++t->frames;
        if (!take_sample(c, t, scene))
            break;
        sn_progress_update(&progress, t->frames, sn_scene_time(scene));
    }
    sn_progress_clear(&progress);
}

/* Computes the results of a run from its samples. */
static void sum_up(const sn_comparison *c, sn_trial *t)
{
    const sn_sample *first = t->sample, *last = &t->sample[t->frames];
    const sn_vec3 g = t->gravity;
    uint32_t frames = t->frames ? t->frames : 1;
    t->seconds /= frames;
    t->passes /= frames;
    t->energy = last->energy - first->energy;
    for (const sn_sample *s = first; s <= last; ++s) {
        double way = s->mass * (s->time - first->time);
        double dx = s->momentum[0] - first->momentum[0] - way * (double)g.x;
        double dy = s->momentum[1] - first->momentum[1] - way * (double)g.y;
        double dz = s->momentum[2] - first->momentum[2] - way * (double)g.z;
        t->momentum = fmax(t->momentum, sqrt(dx * dx + dy * dy + dz * dz));
        t->peak = fmax(t->peak, s->kinetic);
        if (s == first && t->frames)
            continue; /* the error at the start is not the solver's */
        t->error += s->error / frames;
        t->worst = fmax(t->worst, s->worst);
    }
    if (c->scale.held)
        t->momentum = NAN;
}

static void run_trial(sn_comparison *c, sn_trial *t)
{
    listener l = {.c = c, .who = t->who};
    sn_loaded loaded;
    if (load(c, t, &l, &loaded)) {
        sn_settings settings = sn_world_settings(sn_scene_world(loaded.scene));
        t->substeps = settings.substeps;
        t->iterations = settings.iterations;
        t->gravity = settings.gravity;
        sn_signals_end_steps(loaded.scene);
        t->sample = calloc((size_t)c->frames + 1, sizeof *t->sample);
        if (t->sample) {
            run_frames(c, t, loaded.scene);
            sum_up(c, t);
        } else {
            c->code = sn_complain(SN_EXIT_FAILED, "no memory for the samples of %u frames", (unsigned)c->frames);
        }
    }
    sn_loaded_release(&loaded);
}

/* ---- A budget ---------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* CPU seconds per frame with so many substeps: the median of a few frames. Negative if the run fails. */
static double probe(sn_comparison *c, const sn_trial *like, listener *l, uint32_t substeps)
{
    sn_trial t = *like;
    sn_loaded loaded;
    double unused = 0, seconds[PROBE_FRAMES] = {0};
    t.substeps = substeps;
    bool good = load(c, &t, l, &loaded) && step(c, &t, loaded.scene, &unused);
    for (int i = 0; good && i < PROBE_FRAMES; ++i)
        good = step(c, &t, loaded.scene, &seconds[i]);
    sn_loaded_release(&loaded);
    qsort(seconds, PROBE_FRAMES, sizeof *seconds, by_value);
    return good ? seconds[PROBE_FRAMES / 2] : -1;
}

/* Finds the largest number of substeps whose frames fit the budget: doubles until they do not, then bisects. A
   solver that fails with few substeps may work with more, so a failure counts as fitting; the run itself will show. */
static void fit_substeps(sn_comparison *c, sn_trial *t)
{
    listener l = {.c = c, .who = t->who};
    uint32_t fits = 0, over = MOST_SUBSTEPS + 1;
    for (uint32_t n = 1; n < over && c->code == SN_EXIT_FINE; n *= 2) {
        if (probe(c, t, &l, n) > c->budget)
            over = n;
        else
            fits = n;
        if (n > MOST_SUBSTEPS / 2)
            break;
    }
    while (fits + 1 < over && over - fits > fits / 50 && over <= MOST_SUBSTEPS && c->code == SN_EXIT_FINE) {
        uint32_t middle = fits + (over - fits) / 2;
        if (probe(c, t, &l, middle) > c->budget)
            over = middle;
        else
            fits = middle;
    }
    t->over_budget = fits == 0;
    t->substeps = fits ? fits : 1;
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

static sn_trial *add_trial(sn_comparison *c, const sn_contestant *who, uint32_t iterations)
{
    if (c->trials == c->room) {
        uint32_t room = c->room ? 2 * c->room : 16;
        sn_trial *more = realloc(c->trial, room * sizeof *more);
        if (!more) {
            c->code = sn_complain(SN_EXIT_FAILED, "out of memory");
            return NULL;
        }
        c->trial = more;
        c->room = room;
    }
    sn_trial *t = &c->trial[c->trials++];
    *t = (sn_trial){.who = who, .substeps = c->settings.substeps, .iterations = iterations};
    return t;
}

static void run_contestant(sn_comparison *c, const sn_contestant *who)
{
    bool once = who->iterations || c->budget > 0;
    for (uint32_t i = 0; i < (once ? 1 : c->counts) && c->code == SN_EXIT_FINE; ++i) {
        sn_trial *t = add_trial(c, who, once ? c->settings.iterations : c->count[i]);
        if (t && c->budget > 0 && !who->substeps)
            fit_substeps(c, t);
        if (t && c->code == SN_EXIT_FINE)
            run_trial(c, t);
        if (t && c->code != SN_EXIT_FINE && t->end == SN_TRIAL_FINISHED) {
            t->end = SN_TRIAL_INTERRUPTED;
            snprintf(t->message, sizeof t->message, "before it was run");
        }
        if (t && t->end == SN_TRIAL_REFUSED) {
            t->iterations = once ? t->iterations : 0; /* every other number of iterations would be refused as well */
            return;
        }
    }
}

/* The reference for changes of energy: the median of the largest kinetic energies of all finished runs, so that a
   run that gains much energy does not make the others look good. */
static double find_energy_scale(const sn_comparison *c)
{
    double *peak = calloc(c->trials ? c->trials : 1, sizeof *peak), scale = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; peak && i < c->trials; ++i)
        if (c->trial[i].end == SN_TRIAL_FINISHED)
            peak[count++] = c->trial[i].peak;
    if (count) {
        qsort(peak, count, sizeof *peak, by_value);
        scale = peak[(count - 1) / 2];
    }
    free(peak);
    return scale;
}

bool sn_trial_is_shown(const sn_comparison *c, const sn_trial *trial)
{
    return trial->sample && trial->frames && (trial->who->iterations || c->budget > 0 || trial->iterations == c->shown);
}

void sn_comparison_run(sn_comparison *c)
{
    for (uint32_t i = 0; i < c->contestants.count && c->code == SN_EXIT_FINE; ++i)
        run_contestant(c, &c->contestants.item[i]);
    c->energy_scale = find_energy_scale(c);
    for (uint32_t i = 0; i < c->counts; ++i) /* in ascending order */
        if (i == 0 ||
            fabs((double)c->count[i] - c->settings.iterations) < fabs((double)c->shown - c->settings.iterations))
            c->shown = c->count[i];
}
