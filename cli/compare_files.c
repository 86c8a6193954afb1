/* Writes table.csv, a line per run, and curves.csv, a line per frame of each run. */
#include "cli/compare.h"
#include "export/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A text as a field: in quotes if it has a comma, a quote or a line break. */
static void put_text(sn_file *file, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        sn_file_put_text(file, text);
        return;
    }
    sn_file_put_text(file, "\"");
    for (; *text; ++text)
        sn_file_put(file, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    sn_file_put_text(file, "\"");
}

/* A comma and a number; the field is empty for NaN. */
static void put_number(sn_file *file, double value)
{
    char text[SN_NUMBER_TEXT];
    sn_file_put_text(file, ",");
    if (isfinite(value))
        sn_file_put(file, text, sn_number_f64(text, value));
}

static void put_row(sn_file *file, const sn_comparison *c, const sn_trial *t)
{
    bool ran = t->sample && t->frames;
    put_text(file, t->who->label);
    put_number(file, t->iterations ? t->iterations : NAN);
    put_number(file, t->substeps);
    put_number(file, t->frames);
    put_number(file, ran ? t->passes : NAN);
    put_number(file, ran ? 1e3 * t->seconds : NAN);
    put_number(file, ran ? t->error : NAN);
    put_number(file, ran ? t->worst : NAN);
    put_number(file, ran ? t->energy : NAN);
    put_number(file, sn_trial_energy_drift(c, t));
    put_number(file, sn_trial_momentum_drift(c, t));
    sn_file_put_text(file, ",");
    put_text(file, sn_trial_end_name(t));
    sn_file_put_text(file, ",");
    put_text(file, t->message);
    sn_file_put_text(file, "\n");
}

static void put_table(sn_file *file, const sn_comparison *c)
{
    sn_file_put_text(file, "solver,iterations,substeps,frames,passes,ms_per_frame,error_mean,error_worst,energy_change,"
                           "energy_drift,momentum_drift,end,message\n");
    for (uint32_t i = 0; i < c->trials; ++i)
        put_row(file, c, &c->trial[i]);
}

static double size_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void put_curves(sn_file *file, const sn_comparison *c)
{
    sn_file_put_text(file, "solver,iterations,substeps,frame,time,error_mean,error_worst,energy,kinetic,momentum,"
                           "angular_momentum\n");
    for (uint32_t i = 0; i < c->trials; ++i) {
        const sn_trial *t = &c->trial[i];
        for (uint32_t frame = 0; t->sample && frame <= t->frames; ++frame) {
            const sn_sample *s = &t->sample[frame];
            double number[] = {
                t->iterations,        t->substeps,        frame, s->time, s->error, s->worst, s->energy, s->kinetic,
                size_of(s->momentum), size_of(s->angular)};
            put_text(file, t->who->label);
            for (uint32_t k = 0; k < sizeof number / sizeof *number; ++k)
                put_number(file, number[k]);
            sn_file_put_text(file, "\n");
        }
    }
}

static int write_file(const sn_comparison *c, const char *name, void (*put)(sn_file *, const sn_comparison *))
{
    char message[SN_COMPARE_MESSAGE];
    sn_file file = {0};
    char *path = sn_path_join(c->asked->out, name);
    if (!path)
        return sn_complain(SN_EXIT_FAILED, "out of memory");
    int code = SN_EXIT_FINE;
    if (!sn_file_open(&file, path, message, sizeof message)) {
        code = sn_complain(SN_EXIT_OUTPUT, "%s", message);
    } else {
        put(&file, c);
        if (!sn_file_keep(&file, message, sizeof message)) {
            code = sn_complain(SN_EXIT_OUTPUT, "%s", message);
            sn_file_discard(&file);
        } else if (!sn_file_close(&file, message, sizeof message)) {
            code = sn_complain(SN_EXIT_OUTPUT, "%s", message);
        }
    }
    free(path);
    return code;
}

int sn_comparison_write(const sn_comparison *c)
{
    int code = write_file(c, "table.csv", put_table);
    return code == SN_EXIT_FINE ? write_file(c, "curves.csv", put_curves) : code;
}
