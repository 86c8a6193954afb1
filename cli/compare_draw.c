/* The pictures of a comparison, drawn by gnuplot: error against iterations and against time, and energy and momentum
   over time. */
#include "cli/compare.h"
#include "cli/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const sn_comparison_pictures[] = {"error_iterations.svg", "error_time.svg", "energy.svg", "momentum.svg",
                                              NULL};

static bool has_points(const sn_comparison *c, const sn_contestant *who)
{
    for (uint32_t i = 0; i < c->trials; ++i)
        if (c->trial[i].who == who && c->trial[i].end == SN_TRIAL_FINISHED)
            return true;
    return false;
}

static void put_head(FILE *script, bool png, unsigned height)
{
    fprintf(script,
            "set terminal %s size 900,%u noenhanced background rgb 'white' font 'sans,11'\n"
            "set grid back lt 1 lc rgb '#d0d0d0'\nset key outside right top Left reverse\n",
            png ? "pngcairo" : "svg", height);
}

static void put_number(FILE *script, double value, const char *end)
{
    if (isfinite(value))
        fprintf(script, "%.9g%s", value, end);
    else
        fprintf(script, "NaN%s", end);
}

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

/* The runs of each contestant: passes, milliseconds, mean and worst error. */
static void put_errors(FILE *script, const sn_comparison *c)
{
    for (uint32_t k = 0; k < c->contestants.count; ++k) {
        const sn_contestant *who = &c->contestants.item[k];
        if (!has_points(c, who))
            continue;
        fprintf(script, "$runs%u << SINEW_END_OF_DATA\n", (unsigned)k);
        for (uint32_t i = 0; i < c->trials; ++i) {
            const sn_trial *t = &c->trial[i];
            if (t->who != who || t->end != SN_TRIAL_FINISHED)
                continue;
            put_number(script, t->passes, " ");
            put_number(script, 1e3 * t->seconds, " ");
            put_number(script, t->error > 0 ? t->error : NAN, " "); /* 0 has no logarithm and becomes a gap */
            put_number(script, t->worst > 0 ? t->worst : NAN, "\n");
        }
        fputs("SINEW_END_OF_DATA\n", script);
    }
}

/* gnuplot fails on a logarithmic axis without data. */
static bool has_errors(const sn_comparison *c)
{
    for (uint32_t i = 0; i < c->trials; ++i)
        if (c->trial[i].end == SN_TRIAL_FINISHED && c->trial[i].error > 0 && c->trial[i].worst > 0)
            return true;
    return false;
}

static void put_error_panel(FILE *script, const sn_comparison *c, int x, int y, const char *label)
{
    fprintf(script, "set ylabel '%s'\nplot ", label);
    bool first = true;
    for (uint32_t k = 0; k < c->contestants.count; ++k) {
        if (!has_points(c, &c->contestants.item[k]))
            continue;
        fprintf(script, "%s$runs%u using %d:%d smooth unique with linespoints lw 1.5 pt 7 ps 0.6 lc %u title ",
                first ? "" : ", \\\n     ", (unsigned)k, x, y, (unsigned)k + 1);
        sn_plot_put_quoted(script, c->contestants.item[k].label);
        fputs(" noenhanced", script);
        first = false;
    }
    fputs(first ? "NaN notitle\n" : "\n", script);
}

static void put_error_script(FILE *script, const sn_comparison *c, bool png, int x, const char *label)
{
    put_head(script, png, 640);
    put_errors(script, c);
    if (has_errors(c))
        fputs("set logscale y\nset format y '%.0e'\n", script);
    else
        fputs("set xrange [1:100]\nset yrange [0:1]\n", script);
    fputs("set logscale x\nset multiplot layout 2,1\nset lmargin 12\n", script);
    put_error_panel(script, c, x, 3, "mean error");
    fprintf(script, "set xlabel '%s'\n", label);
    put_error_panel(script, c, x, 4, "worst error");
    fputs("unset multiplot\n", script);
}

static void put_iterations_script(FILE *script, bool png, const void *context)
{
    put_error_script(script, context, png, 1, "passes over the constraints in a substep");
}

static void put_time_script(FILE *script, bool png, const void *context)
{
    put_error_script(script, context, png, 2, "CPU time of a frame / ms");
}

/* ---- Energy and momentum over time ------------------------------------------------------------------------------- */

static double size_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The runs that are drawn: time, energy, momentum, angular momentum. */
static void put_courses(FILE *script, const sn_comparison *c)
{
    for (uint32_t i = 0; i < c->trials; ++i) {
        const sn_trial *t = &c->trial[i];
        if (!sn_trial_is_shown(c, t))
            continue;
        fprintf(script, "$course%u << SINEW_END_OF_DATA\n", (unsigned)i);
        for (uint32_t frame = 0; frame <= t->frames; ++frame) {
            const sn_sample *s = &t->sample[frame];
            put_number(script, s->time, " ");
            put_number(script, s->energy, " ");
            put_number(script, size_of(s->momentum), " ");
            put_number(script, size_of(s->angular), "\n");
        }
        fputs("SINEW_END_OF_DATA\n", script);
    }
}

/* Sets the range of the energy axis. Energies that differ from that at the start by more than three times the scale
   are ignored: a run that explodes would make the others invisible. */
static void put_energy_range(FILE *script, const sn_comparison *c)
{
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < c->trials; ++i) {
        const sn_trial *t = &c->trial[i];
        for (uint32_t frame = 0; sn_trial_is_shown(c, t) && frame <= t->frames; ++frame) {
            double e = t->sample[frame].energy, change = e - t->sample[0].energy;
            if (c->energy_scale > 0 && fabs(change) > 3 * c->energy_scale)
                continue;
            least = fmin(least, e);
            most = fmax(most, e);
        }
    }
    if (most > least)
        fprintf(script, "set yrange [%.9g:%.9g]\n", least - 0.05 * (most - least), most + 0.05 * (most - least));
}

static void put_course_panel(FILE *script, const sn_comparison *c, int column, const char *label)
{
    bool first = true;
    fprintf(script, "set ylabel '%s'\nplot ", label);
    for (uint32_t i = 0; i < c->trials; ++i) {
        const sn_trial *t = &c->trial[i];
        if (!sn_trial_is_shown(c, t))
            continue;
        char title[128];
        snprintf(title, sizeof title, "%.90s, %u x %u", t->who->label, (unsigned)t->substeps, (unsigned)t->iterations);
        fprintf(script, "%s$course%u using 1:%d with lines lw 1.5 lc %u title ", first ? "" : ", \\\n     ",
                (unsigned)i, column, (unsigned)(t->who - c->contestants.item) + 1);
        sn_plot_put_quoted(script, title);
        fputs(" noenhanced", script);
        first = false;
    }
    fputs(first ? "[0:1] [0:1] NaN notitle\n" : "\n", script);
}

static void put_energy_script(FILE *script, bool png, const void *context)
{
    const sn_comparison *c = context;
    put_head(script, png, 480);
    put_courses(script, c);
    put_energy_range(script, c);
    fputs("set lmargin 12\nset xlabel 'time / s'\n", script);
    put_course_panel(script, c, 2, "energy / J");
}

static void put_momentum_script(FILE *script, bool png, const void *context)
{
    const sn_comparison *c = context;
    put_head(script, png, 640);
    put_courses(script, c);
    fputs("set multiplot layout 2,1\nset lmargin 12\n", script);
    put_course_panel(script, c, 3, "momentum / kg m/s");
    fputs("set xlabel 'time / s'\n", script);
    put_course_panel(script, c, 4, "angular momentum / kg m^2/s");
    fputs("unset multiplot\n", script);
}

int sn_comparison_draw(const sn_comparison *c)
{
    static sn_plot_script *const scripts[] = {put_iterations_script, put_time_script, put_energy_script,
                                              put_momentum_script};
    int code = SN_EXIT_FINE;
    for (uint32_t i = 0; sn_comparison_pictures[i] && code == SN_EXIT_FINE; ++i) {
        char *path = sn_path_join(c->asked->out, sn_comparison_pictures[i]);
        code = path ? sn_plot_draw(path, scripts[i], c) : sn_complain(SN_EXIT_FAILED, "out of memory");
        free(path);
    }
    return code;
}
