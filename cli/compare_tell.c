/* The results of a comparison, as a table and as lines of JSON. */
#include "cli/compare.h"

#include <math.h>
#include <string.h>

double sn_trial_energy_drift(const sn_comparison *c, const sn_trial *t)
{
    return t->sample && t->frames && c->energy_scale > 0 ? t->energy / c->energy_scale : NAN;
}

/* The momentum for that energy follows from E = p^2 / 2 m. */
double sn_trial_momentum_drift(const sn_comparison *c, const sn_trial *t)
{
    double scale = t->sample ? sqrt(2 * t->sample[0].mass * c->energy_scale) : 0;
    return t->frames && scale > 0 ? t->momentum / scale : NAN;
}

const char *sn_trial_end_name(const sn_trial *t)
{
    static const char *const names[] = {"finished", "diverged", "refused", "interrupted"};
    return names[t->end];
}

/* ---- Table ------------------------------------------------------------------------------------------------------- */

static int longest_label(const sn_comparison *c)
{
    size_t longest = strlen("solver");
    for (uint32_t i = 0; i < c->contestants.count; ++i)
        if (strlen(c->contestants.item[i].label) > longest)
            longest = strlen(c->contestants.item[i].label);
    return longest > 60 ? 60 : (int)longest;
}

/* Formats a number; NaN is shown as missing. */
static const char *cell(const char *format, double value, char text[32])
{
    if (isfinite(value))
        snprintf(text, 32, format, value);
    else
        snprintf(text, 32, "-");
    return text;
}

/* A remark about a run; "" if there is none. */
static const char *note(const sn_trial *t, char text[SN_COMPARE_MESSAGE + 32])
{
    if (t->end == SN_TRIAL_FINISHED)
        return t->over_budget ? "over the budget with one substep" : "";
    snprintf(text, SN_COMPARE_MESSAGE + 32, "%s: %s", sn_trial_end_name(t), t->message);
    return text;
}

static void print_row(const sn_comparison *c, const sn_trial *t, int width)
{
    char text[8][32], room[SN_COMPARE_MESSAGE + 32];
    bool ran = t->sample && t->frames;
    printf("| %-*s | %10s | %8u | %6s | %8s | %10s | %11s | %12s | %14s |%s%s\n", width, t->who->label,
           cell("%.0f", t->iterations ? t->iterations : NAN, text[0]), (unsigned)t->substeps,
           cell("%.3g", ran ? t->passes : NAN, text[1]), cell("%.3g", ran ? 1e3 * t->seconds : NAN, text[2]),
           cell("%.2e", ran ? t->error : NAN, text[3]), cell("%.2e", ran ? t->worst : NAN, text[4]),
           cell("%+.2e", sn_trial_energy_drift(c, t), text[5]), cell("%.2e", sn_trial_momentum_drift(c, t), text[6]),
           note(t, room)[0] ? " " : "", note(t, room));
}

static void print_head(int width)
{
    printf("| %-*s | iterations | substeps | passes | ms/frame | mean error | worst error | energy drift | momentum "
           "drift |\n|",
           width, "solver");
    for (int i = 0; i < width + 2; ++i)
        putchar('-');
    printf(
        "|-----------:|---------:|-------:|---------:|-----------:|------------:|-------------:|---------------:|\n");
}

void sn_comparison_print(const sn_comparison *c)
{
    int width = longest_label(c);
    printf("%s, %u frames; Sinew %s, %s precision, one thread\n", c->name, (unsigned)c->frames, sn_version(),
           sn_real_size() == 4 ? "single" : "double");
    if (c->budget > 0)
        printf("as many substeps as fit into %g ms of CPU time a frame\n", 1e3 * c->budget);
    printf("errors are shares of %.3g m, the mean size of a constraint", c->scale.length);
    if (c->energy_scale > 0)
        printf("; energy drifts, of %.3g J, the largest kinetic energy", c->energy_scale);
    printf("\n\n");
    print_head(width);
    for (uint32_t i = 0; i < c->trials; ++i)
        print_row(c, &c->trial[i], width);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

bool sn_comparison_say_start(const sn_comparison *c)
{
    sn_document d;
    sn_value *root = sn_say_begin(&d, "start");
    sn_document_text(&d, root, "version", sn_version());
    sn_document_text(&d, root, "precision", sn_real_size() == 4 ? "single" : "double");
    sn_document_text(&d, root, "scene", c->name);
    sn_document_number(&d, root, "frames", c->frames);
    sn_document_number(&d, root, "error_length", c->scale.length);
    if (c->budget > 0)
        sn_document_number(&d, root, "budget_ms", 1e3 * c->budget);
    sn_value *list = sn_document_list(&d, root, "solvers");
    for (uint32_t i = 0; i < c->contestants.count; ++i)
        sn_document_text(&d, list, NULL, c->contestants.item[i].label);
    return sn_say_end(&d);
}

static void say_number(sn_document *d, sn_value *root, const char *key, double value)
{
    if (isfinite(value))
        sn_document_number(d, root, key, value);
}

static bool say_trial(const sn_comparison *c, const sn_trial *t)
{
    sn_document d;
    sn_value *root = sn_say_begin(&d, "result");
    sn_document_text(&d, root, "solver", t->who->label);
    say_number(&d, root, "iterations", t->iterations ? t->iterations : NAN);
    sn_document_number(&d, root, "substeps", t->substeps);
    sn_document_number(&d, root, "frames", t->frames);
    if (t->sample && t->frames) {
        sn_document_number(&d, root, "passes", t->passes);
        sn_document_number(&d, root, "ms_per_frame", 1e3 * t->seconds);
        sn_document_number(&d, root, "error_mean", t->error);
        sn_document_number(&d, root, "error_worst", t->worst);
        sn_document_number(&d, root, "energy_change", t->energy);
        say_number(&d, root, "energy_drift", sn_trial_energy_drift(c, t));
        say_number(&d, root, "momentum_drift", sn_trial_momentum_drift(c, t));
    }
    sn_document_text(&d, root, "end", sn_trial_end_name(t));
    if (t->message[0])
        sn_document_text(&d, root, "message", t->message);
    if (c->budget > 0)
        sn_document_truth(&d, root, "over_budget", t->over_budget);
    return sn_say_end(&d);
}

bool sn_comparison_say(const sn_comparison *c)
{
    bool good = true;
    for (uint32_t i = 0; i < c->trials && good; ++i)
        good = say_trial(c, &c->trial[i]);
    if (!good)
        return false;
    sn_document d;
    sn_value *root = sn_say_begin(&d, "summary");
    sn_document_text(&d, root, "scene", c->name);
    say_number(&d, root, "energy_scale", c->energy_scale > 0 ? c->energy_scale : NAN);
    if (c->asked->out)
        sn_document_text(&d, root, "out", c->asked->out);
    sn_document_number(&d, root, "exit_code", c->code);
    return sn_say_end(&d);
}
