/* The results of a sweep as .csv and .npy, and a picture of one column. */
#include "cli/csv.h"
#include "cli/plot.h"
#include "cli/sweep.h"
#include "export/npy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Recorded values: the names of all runs, in the order of their first occurrence, and a number for each run and
   name. */
typedef struct recorded {
    uint32_t count;
    char **name;
    double *value; /* [run * count + column]; NaN: none */
    sn_csv *csv;   /* by run */
    char **text;   /* the texts into which they point */
} recorded;

static void recorded_release(recorded *r, uint32_t runs)
{
    for (uint32_t i = 0; i < runs; ++i) {
        if (r->csv)
            sn_csv_release(&r->csv[i]);
        if (r->text)
            free(r->text[i]);
    }
    free(r->csv);
    free(r->text);
    free(r->name);
    free(r->value);
}

static bool add_names(recorded *r, const sn_csv *csv)
{
    for (uint32_t i = 0; i < csv->columns; ++i) {
        uint32_t at = 0;
        while (at < r->count && strcmp(r->name[at], csv->name[i]) != 0)
            ++at;
        if (at < r->count)
            continue;
        char **more = realloc(r->name, (r->count + 1) * sizeof *more);
        if (!more)
            return false;
        r->name = more;
        r->name[r->count++] = csv->name[i];
    }
    return true;
}

static bool collect(recorded *r, const sn_sweep_row *row, const bool *found, uint32_t runs)
{
    char message[SN_SWEEP_TEXT];
    bool good = (r->csv = calloc(runs, sizeof *r->csv)) && (r->text = calloc(runs, sizeof *r->text));
    for (uint32_t i = 0; good && i < runs; ++i) {
        if (!found[i] || !row[i].names[0])
            continue;
        const size_t size = strlen(row[i].names) + strlen(row[i].values) + 3;
        if (!(r->text[i] = malloc(size)))
            return false;
        const int length = snprintf(r->text[i], size, "%s\n%s\n", row[i].names, row[i].values);
        good = sn_csv_read(&r->csv[i], r->text[i], (size_t)length, message, sizeof message) && add_names(r, &r->csv[i]);
    }
    good = good && (r->value = malloc(((size_t)runs * r->count + 1) * sizeof *r->value));
    for (uint32_t i = 0; good && i < runs; ++i)
        for (uint32_t j = 0; j < r->count; ++j) {
            const uint32_t at = r->csv[i].rows ? sn_csv_find(&r->csv[i], r->name[j]) : UINT32_MAX;
            r->value[(size_t)i * r->count + j] = at == UINT32_MAX ? (double)NAN : r->csv[i].value[at];
        }
    return good;
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* A path beside the file, unique to this process; the file is renamed once it is complete. */
static char *beside(const char *path)
{
    const size_t size = strlen(path) + 32;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s.%ld.new", path, (long)getpid());
    return text;
}

static void put_text(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; ++text)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', file);
}

static void put_number(FILE *file, double value)
{
    char text[40] = "";
    const int digits[] = {9, 15, 16, 17}; /* the least digits that give the same number */
    for (uint32_t i = 0; isfinite(value) && i < 4 && (i == 0 || strtod(text, NULL) != value); ++i)
        snprintf(text, sizeof text, "%.*g", digits[i], value);
    fprintf(file, ",%s", text);
}

static bool write_csv(const sn_sweep *sweep, const sn_sweep_row *row, const bool *found, const recorded *r,
                      const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fputs("run", file);
    for (uint32_t i = 0; i < sweep->axes; ++i) {
        fputc(',', file);
        put_text(file, sweep->axis[i].path);
    }
    fputs(",status,worst_relative,worst_overlap", file);
    for (uint32_t i = 0; i < r->count; ++i) {
        fputc(',', file);
        put_text(file, r->name[i]);
    }
    fputs(",message\n", file);
    for (uint32_t run = 0; run < sweep->runs; ++run) {
        if (!found[run])
            continue;
        fprintf(file, "%lu", (unsigned long)run);
        for (uint32_t i = 0; i < sweep->axes; ++i) {
            fputc(',', file);
            put_text(file, sn_sweep_value(sweep, run, i));
        }
        fprintf(file, ",%s", sn_sweep_status_name(row[run].status));
        const bool made = row[run].status <= SN_SWEEP_FAILED;
        put_number(file, made ? row[run].relative : (double)NAN);
        put_number(file, made ? row[run].overlap : (double)NAN);
        for (uint32_t i = 0; i < r->count; ++i)
            put_number(file, r->value[(size_t)run * r->count + i]);
        fputc(',', file);
        put_text(file, row[run].message);
        fputc('\n', file);
    }
    return fclose(file) == 0;
}

/* The value of an axis as a number; NaN if it is not a number. */
static double number_of(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    return end == text || *end ? (double)NAN : value;
}

static bool write_npy(const sn_sweep *sweep, const sn_sweep_row *row, const bool *found, const recorded *r,
                      const char *path)
{
    char message[SN_SWEEP_TEXT];
    const uint32_t count = sweep->axes + r->count + 4;
    sn_npy_field *field = calloc(count, sizeof *field);
    sn_npy npy = {0};
    uint32_t at = 0;
    if (!field)
        return false;
    field[at++] = (sn_npy_field){"run", SN_NPY_U4};
    for (uint32_t i = 0; i < sweep->axes; ++i)
        field[at++] = (sn_npy_field){sweep->axis[i].path, SN_NPY_F8};
    field[at++] = (sn_npy_field){"status", SN_NPY_U4};
    field[at++] = (sn_npy_field){"worst_relative", SN_NPY_F8};
    field[at++] = (sn_npy_field){"worst_overlap", SN_NPY_F8};
    for (uint32_t i = 0; i < r->count; ++i)
        field[at++] = (sn_npy_field){r->name[i], SN_NPY_F8};
    bool good = sn_npy_open_table(&npy, path, count, field, message, sizeof message);
    for (uint32_t run = 0; good && run < sweep->runs; ++run) {
        if (!found[run])
            continue;
        sn_file_put_u32(&npy.file, run);
        for (uint32_t i = 0; i < sweep->axes; ++i)
            sn_file_put_f64(&npy.file, number_of(sn_sweep_value(sweep, run, i)));
        const bool made = row[run].status <= SN_SWEEP_FAILED;
        sn_file_put_u32(&npy.file, (uint32_t)row[run].status);
        sn_file_put_f64(&npy.file, made ? row[run].relative : (double)NAN);
        sn_file_put_f64(&npy.file, made ? row[run].overlap : (double)NAN);
        for (uint32_t i = 0; i < r->count; ++i)
            sn_file_put_f64(&npy.file, r->value[(size_t)run * r->count + i]);
        good = sn_npy_row(&npy, message, sizeof message);
    }
    good = sn_npy_close(&npy, message, sizeof message) && good;
    free(field);
    return good;
}

typedef bool write_fn(const sn_sweep *sweep, const sn_sweep_row *row, const bool *found, const recorded *r,
                      const char *path);

/* Writes a file that is complete or does not exist. */
static bool write_whole(const sn_sweep *sweep, const sn_sweep_row *row, const bool *found, const recorded *r,
                        const char *name, write_fn *write)
{
    char *path = sn_path_join(sweep->folder, name), *new = path ? beside(path) : NULL;
    const bool good = new &&write(sweep, row, found, r, new) && rename(new, path) == 0;
    if (!good)
        sn_complain(0, "%s/%s cannot be written", sweep->folder, name);
    if (!good && new)
        remove(new);
    free(new);
    free(path);
    return good;
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

typedef struct picture {
    const sn_sweep *sweep;
    const sn_sweep_row *row;
    const bool *found;
    const recorded *r;
    uint32_t column; /* of the recorded values; UINT32_MAX: the worst relative error */
} picture;

static double shown(const picture *p, uint32_t run)
{
    if (!p->found[run] || p->row[run].status > SN_SWEEP_DONE)
        return (double)NAN;
    return p->column == UINT32_MAX ? p->row[run].relative : p->r->value[(size_t)run * p->r->count + p->column];
}

enum { COLOURS = 12 }; /* more colours cannot be told apart */

/* Draws a point per run, at the value of the first axis, with a colour for each value of the second axis, unless
   that is the seed. */
static void put_points(FILE *script, bool png, const void *context)
{
    const picture *p = context;
    const sn_sweep *s = p->sweep;
    const bool coloured = s->axes > 1 && s->axis[1].count <= COLOURS && strcmp(s->axis[1].path, "variables.seed") != 0;
    const uint32_t second = coloured ? s->axis[1].count : 1;
    const bool numbers = !isnan(number_of(s->axis[0].value[0]));
    fprintf(script,
            "set terminal %s size 900,600 noenhanced background rgb 'white' font 'sans,11'\n"
            "set grid back lt 1 lc rgb '#d0d0d0'\nset key outside right top Left reverse\nset xlabel ",
            png ? "pngcairo" : "svg");
    sn_plot_put_quoted(script, s->axis[0].path);
    fputs("\nset ylabel ", script);
    sn_plot_put_quoted(script, p->column == UINT32_MAX ? "worst relative error" : p->r->name[p->column]);
    fputs(s->axis[0].logarithmic ? "\nset logscale x\n" : "\n", script);
    for (uint32_t k = 0; k < second; ++k) {
        fprintf(script, "$runs%u << SINEW_END_OF_DATA\n", (unsigned)k);
        for (uint32_t run = 0; run < s->runs; ++run) {
            const double y = shown(p, run), x = numbers ? number_of(sn_sweep_value(s, run, 0)) : (double)run;
            if ((!coloured || sn_sweep_value(s, run, 1) == s->axis[1].value[k]) && isfinite(x) && isfinite(y))
                fprintf(script, "%.9g %.9g\n", x, y);
        }
        fputs("NaN NaN\nSINEW_END_OF_DATA\n", script); /* gnuplot fails without any data */
    }
    for (uint32_t k = 0; k < second; ++k) {
        fprintf(script, "%s$runs%u with points pt 7 ps 0.6 title ", k ? ", " : "plot ", (unsigned)k);
        char title[SN_SWEEP_TEXT];
        snprintf(title, sizeof title, "%s = %s", coloured ? s->axis[1].path : "", coloured ? s->axis[1].value[k] : "");
        sn_plot_put_quoted(script, coloured ? title : "runs");
    }
    fputc('\n', script);
}

static int draw(const sn_sweep *sweep, const sn_sweep_row *row, const bool *found, const recorded *r)
{
    picture p = {sweep, row, found, r, UINT32_MAX};
    const char *column = sweep->asked->column;
    if (column && strcmp(column, "worst_relative") != 0) {
        for (p.column = 0; p.column < r->count && strcmp(r->name[p.column], column) != 0;)
            ++p.column;
        if (p.column == r->count)
            return sn_complain(SN_EXIT_USAGE, "--column: the table has no '%s'", column);
    }
    char *own = sweep->asked->plot[0] ? NULL : sn_path_join(sweep->folder, "plot.svg");
    const int code = sn_plot_draw(own ? own : sweep->asked->plot, put_points, &p);
    free(own);
    return code;
}

int sn_sweep_tell(const sn_sweep *sweep, const sn_sweep_row *row, const bool *found)
{
    recorded r = {0};
    int code = SN_EXIT_OUTPUT;
    if (!collect(&r, row, found, sweep->runs))
        code = sn_complain(SN_EXIT_FAILED, "out of memory, or a row that cannot be read");
    else if (write_whole(sweep, row, found, &r, "table.csv", write_csv) &&
             write_whole(sweep, row, found, &r, "table.npy", write_npy))
        code = sweep->asked->plot ? draw(sweep, row, found, &r) : SN_EXIT_FINE;
    recorded_release(&r, sweep->runs);
    return code;
}
