#include "cli/plot.h"
#include "cli/cli.h"
#include "cli/csv.h"

#include <errno.h>
#include <math.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; /* POSIX leaves this declaration to the program */

#define NO_COLUMN UINT32_MAX

/* ---- gnuplot ----------------------------------------------------------------------------------------------------- */

/* Started without a shell, so that no name is interpreted by one. */
static int start_gnuplot(int input, int output, const char *argument, pid_t *process)
{
    char name[] = "gnuplot", word[32];
    snprintf(word, sizeof word, "%s", argument);
    char *words[] = {name, word, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (!error)
        error = posix_spawnp(process, name, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int finish_gnuplot(pid_t process)
{
    int status;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool sn_plot_possible(void)
{
    pid_t process;
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0)
        return true; /* unknown; a failure will be reported when drawing */
    int error = start_gnuplot(nowhere, nowhere, "--version", &process);
    bool possible = error == 0 && finish_gnuplot(process) != 127;
    close(nowhere);
    if (!possible)
        sn_complain(0, "pictures are drawn by gnuplot, which is not installed here; it is the package gnuplot-nox of "
                       "Debian and Ubuntu, gnuplot of Fedora, Arch and Homebrew");
    return possible;
}

/* ---- The script -------------------------------------------------------------------------------------------------- */

typedef struct panel {
    const char *label; /* of the y axis */
    bool logarithmic;
    uint32_t count;
    uint32_t *column;
} panel;

/* A text that gnuplot takes literally: in single quotes, with ' written as ''. Control characters become spaces. */
void sn_plot_put_quoted(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text; ++text) {
        if (*text == '\'')
            fputc('\'', script);
        fputc((unsigned char)*text < 32 ? ' ' : *text, script);
    }
    fputc('\'', script);
}

static void put_data(FILE *script, const sn_csv *csv)
{
    fputs("$trace << SINEW_END_OF_DATA\n", script);
    for (size_t row = 0; row < csv->rows; ++row) {
        for (uint32_t i = 0; i < csv->columns; ++i) {
            double value = csv->value[row * csv->columns + i];
            if (isfinite(value))
                fprintf(script, i ? " %.9g" : "%.9g", value);
            else
                fputs(i ? " NaN" : "NaN", script);
        }
        fputc('\n', script);
    }
    fputs("SINEW_END_OF_DATA\n", script);
}

static void put_panel(FILE *script, const sn_csv *csv, const panel *p, uint32_t x)
{
    fputs(p->logarithmic ? "set logscale y\nset format y '%.0e'\n" : "unset logscale y\nset format y '%g'\n", script);
    fputs("set ylabel ", script);
    sn_plot_put_quoted(script, p->label);
    fputs(" noenhanced\nplot ", script);
    for (uint32_t i = 0; i < p->count; ++i) {
        uint32_t y = p->column[i] + 1;
        fputs(i ? ", \\\n     " : "", script);
        fprintf(script, "$trace using %u:", x == NO_COLUMN ? 0 : x + 1); /* column 0 is the number of the row */
        /* 0 has no logarithm and becomes a gap instead of an error */
        if (p->logarithmic)
            fprintf(script, "($%u > 0 ? $%u : NaN)", y, y);
        else
            fprintf(script, "%u", y);
        fputs(" with lines lw 1.5 title ", script);
        sn_plot_put_quoted(script, csv->name[p->column[i]]);
        fputs(" noenhanced", script);
    }
    fputc('\n', script);
}

/* In characters, up to the limit of the space. */
static unsigned longest_title(const sn_csv *csv, const panel *panels, uint32_t count)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < panels[i].count; ++k) {
            size_t length = strlen(csv->name[panels[i].column[k]]);
            longest = length > longest ? length : longest;
        }
    return longest > 40 ? 40 : (unsigned)longest;
}

/* The parts of a trace that are drawn. */
typedef struct figure {
    const sn_csv *csv;
    const panel *panels;
    uint32_t count;
} figure;

static void put_script(FILE *script, bool png, const void *context)
{
    const figure *f = context;
    const sn_csv *csv = f->csv;
    const panel *panels = f->panels;
    uint32_t count = f->count;
    uint32_t x = sn_csv_find(csv, "time");
    unsigned height = count == 1 ? 480 : 300 * count;
    fprintf(script, "set terminal %s size 900,%u noenhanced background rgb 'white' font 'sans,11'\n",
            png ? "pngcairo" : "svg", height);
    put_data(script, csv);
    fprintf(script,
            "set multiplot layout %u,1\nset grid back lt 1 lc rgb '#d0d0d0'\nset key outside right top Left reverse\n"
            "set lmargin 12\nset rmargin %u\n",
            count, longest_title(csv, panels, count) + 10);
    for (uint32_t i = 0; i < count; ++i) {
        if (i + 1 == count)
            fputs(x == NO_COLUMN ? "set xlabel 'row'\n" : "set xlabel 'time / s'\n", script);
        put_panel(script, csv, &panels[i], x);
    }
    fputs("unset multiplot\n", script);
}

/* ---- Choosing columns -------------------------------------------------------------------------------------------- */

static void add_to_panel(panel *p, const sn_csv *csv, const char *name)
{
    uint32_t column = sn_csv_find(csv, name);
    if (column != UINT32_MAX)
        p->column[p->count++] = column;
}

static void add_starting_with(panel *p, const sn_csv *csv, const char *start)
{
    for (uint32_t i = 0; i < csv->columns; ++i)
        if (strncmp(csv->name[i], start, strlen(start)) == 0)
            p->column[p->count++] = i;
}

/* A logarithmic axis needs a positive value. */
static bool has_positive(const sn_csv *csv, const panel *p)
{
    for (size_t row = 0; row < csv->rows; ++row)
        for (uint32_t i = 0; i < p->count; ++i)
            if (csv->value[row * csv->columns + p->column[i]] > 0)
                return true;
    return false;
}

/* Energies, momenta and residuals, if the trace has them; otherwise everything except the time. */
static uint32_t choose_panels(const sn_csv *csv, panel panels[3])
{
    static const char *const energies[] = {"kinetic", "potential", "elastic", "energy"};
    panel energy = panels[0], momentum = panels[1], residual = panels[2];
    uint32_t count = 0;
    for (int i = 0; i < 4; ++i)
        add_to_panel(&energy, csv, energies[i]);
    add_starting_with(&momentum, csv, "momentum_");
    add_starting_with(&momentum, csv, "angular_");
    add_starting_with(&residual, csv, "residual_");
    energy.label = "energy / J";
    momentum.label = "momentum / SI";
    residual.label = "worst residual";
    residual.logarithmic = has_positive(csv, &residual);
    if (energy.count)
        panels[count++] = energy;
    if (momentum.count)
        panels[count++] = momentum;
    if (residual.count)
        panels[count++] = residual;
    if (count > 0)
        return count;
    panels[0].label = "";
    for (uint32_t i = 0; i < csv->columns; ++i)
        if (i != sn_csv_find(csv, "time") && strcmp(csv->name[i], "frame") != 0)
            panels[0].column[panels[0].count++] = i;
    return panels[0].count > 0;
}

/* The columns that the user chose. False after a message. */
static bool read_columns(const sn_csv *csv, const char *trace, const char *list, panel *p)
{
    p->label = "";
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[128], hint[160];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        uint32_t column = sn_csv_find(csv, name);
        if (column == UINT32_MAX) {
            sn_did_you_mean(name, (const char *const *)csv->name, csv->columns, hint, sizeof hint);
            sn_complain(0, "%s: has no column '%s'%s; 'sinew info %s' shows them all", trace, name, hint, trace);
            return false;
        }
        if (p->count == csv->columns) {
            sn_complain(0, "--columns: the same column several times");
            return false;
        }
        p->column[p->count++] = column;
    }
    return true;
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* Whether a picture is complete: gnuplot does not report a full disk, but a complete picture ends in a known way. */
static bool is_whole(FILE *file, bool png)
{
    char end[16] = {0};
    bool whole = fseek(file, -8, SEEK_END) == 0 && fread(end, 1, 8, file) == 8;
    return whole && (png ? memcmp(end, "IEND", 4) == 0 : strstr(end, "</svg>") != NULL);
}

static bool feed(int output, sn_plot_script *put, const void *context, bool png)
{
    int ends[2];
    pid_t process;
    if (pipe(ends) != 0) {
        sn_complain(0, "gnuplot cannot be reached: %s", strerror(errno));
        return false;
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC); /* otherwise gnuplot would inherit it and never reach the end of its input */
    int error = start_gnuplot(ends[0], output, "-", &process);
    close(ends[0]);
    FILE *script = error ? NULL : fdopen(ends[1], "w");
    if (!script) {
        close(ends[1]);
        sn_complain(0, "gnuplot cannot be started: %s", strerror(error ? error : errno));
        if (!error)
            finish_gnuplot(process);
        return false;
    }
    put(script, png, context);
    bool fed = fclose(script) == 0;
    bool good = finish_gnuplot(process) == 0 && fed;
    if (!good)
        sn_complain(0, "gnuplot failed");
    return good;
}

/* Copies a complete picture to its path; a partial copy is removed. */
static bool put_in_place(FILE *drawn, const char *picture)
{
    char piece[4096];
    struct stat about;
    FILE *out = fopen(picture, "wb");
    bool good = out != NULL;
    rewind(drawn);
    for (size_t length; good && (length = fread(piece, 1, sizeof piece, drawn)) > 0;)
        good = fwrite(piece, 1, length, out) == length;
    good = good && fflush(out) == 0 && !ferror(drawn);
    int reason = errno;
    if (out && fclose(out) != 0 && good) {
        reason = errno;
        good = false;
    }
    if (!good)
        sn_complain(0, "%s: %s", picture, strerror(reason));
    if (!good && out && stat(picture, &about) == 0 && S_ISREG(about.st_mode))
        unlink(picture);
    return good;
}

/* gnuplot draws into a file without a name, so that the file of the picture is complete or does not exist, and
   gnuplot never sees its name. */
int sn_plot_draw(const char *picture, sn_plot_script *put, const void *context)
{
    bool png = sn_ends_with(picture, ".png");
    FILE *drawn = tmpfile();
    if (!drawn)
        return sn_complain(SN_EXIT_OUTPUT, "%s: no temporary file: %s", picture, strerror(errno));
    bool good = feed(fileno(drawn), put, context, png);
    if (good && !is_whole(drawn, png)) {
        sn_complain(0, "%s: gnuplot did not draw it to its end; is the disk for temporary files full?", picture);
        good = false;
    }
    good = good && put_in_place(drawn, picture);
    fclose(drawn);
    return good ? SN_EXIT_FINE : SN_EXIT_OUTPUT;
}

static int plot_csv(const sn_csv *csv, const char *trace, const char *picture, const char *columns)
{
    if (csv->rows == 0)
        return sn_complain(SN_EXIT_INPUT, "%s: has no rows to draw", trace);
    uint32_t *room = calloc(3 * ((size_t)csv->columns + 1), sizeof *room);
    if (!room)
        return sn_complain(SN_EXIT_FAILED, "%s: out of memory", trace);
    panel panels[3] = {{0}};
    for (int i = 0; i < 3; ++i)
        panels[i].column = room + (size_t)i * csv->columns;
    uint32_t count = 1;
    int code = SN_EXIT_INPUT;
    if (columns ? read_columns(csv, trace, columns, &panels[0]) : (count = choose_panels(csv, panels)) > 0)
        code = sn_plot_draw(picture, put_script, &(figure){csv, panels, count});
    else if (!columns)
        sn_complain(0, "%s: has no columns to draw", trace);
    free(room);
    return code;
}

int sn_plot(const char *trace, const char *picture, const char *columns)
{
    char message[256];
    size_t length;
    char *text = sn_read_whole(trace, false, UINT64_C(1) << 32, &length);
    if (!text)
        return SN_EXIT_INPUT;
    sn_csv csv;
    int code = SN_EXIT_INPUT;
    if (sn_csv_read(&csv, text, length, message, sizeof message))
        code = plot_csv(&csv, trace, picture, columns);
    else
        sn_complain(0, "%s: %s", trace, message);
    sn_csv_release(&csv);
    free(text);
    return code;
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

typedef struct plot_options {
    const char *out, *columns;
    bool help;
} plot_options;

static const sn_option options[] = {{"output", 'o', SN_OPTION_TEXT, offsetof(plot_options, out), 0, "FILE",
                                     "the picture, .svg or .png; default the name of the trace with .svg"},
                                    {"columns", 'c', SN_OPTION_TEXT, offsetof(plot_options, columns), 0, "LIST",
                                     "the columns to plot in one panel, separated by commas"},
                                    SN_OPTION_END(plot_options)};

static int run(const void *given, const sn_texts *operands)
{
    const plot_options *o = given;
    const char *trace = operands->item[0];
    if (sn_ends_with(trace, ".npy"))
        return sn_complain(SN_EXIT_USAGE, "%s: only traces that end with .csv can be drawn; run with --trace FILE.csv",
                           trace);
    if (!sn_ends_with(trace, ".csv"))
        return sn_complain(SN_EXIT_USAGE, "%s: expected a trace that ends with .csv", trace);
    if (o->out && !sn_ends_with(o->out, ".svg") && !sn_ends_with(o->out, ".png"))
        return sn_complain(SN_EXIT_USAGE, "--output: expected a name that ends with .svg or .png, found %s", o->out);
    char *picture = sn_path_join("", o->out ? o->out : trace);
    if (!picture)
        return sn_complain(SN_EXIT_FAILED, "out of memory");
    if (!o->out)
        memcpy(picture + strlen(picture) - 3, "svg", 3);
    int code = sn_plot_possible() ? sn_plot(trace, picture, o->columns) : SN_EXIT_OUTPUT;
    if (code == SN_EXIT_FINE)
        printf("%s\n", picture);
    free(picture);
    return code;
}

const sn_command sn_command_plot = {
    .name = "plot",
    .operands = "TRACE.csv",
    .about = "Draws a trace with gnuplot",
    .details = "Without --columns it draws energies, momenta and the worst residual of each kind.\n"
               "'sinew info TRACE.csv' shows which columns there are.\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run};
