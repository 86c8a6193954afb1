/* sinew sweep: all combinations of values, on all cores, on all machines that share the folder. */
#define _GNU_SOURCE
#include "cli/sweep.h"
#include "cli/plot.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#include <sys/prctl.h>
#endif

#define FIELD(name) offsetof(sn_sweep_options, name)

enum { MOST_WORKERS = 256 };

static const sn_option options[] = {
    {"vary", 'v', SN_OPTION_TEXTS, FIELD(vary), 0, "PATH=VALUES",
     "values for a path of the scene: 10,20,40, or 1e5:1e7:20 for 20 evenly spaced ones, 1e5:1e7:20:log for equal "
     "ratios; may be repeated, and all combinations are run"},
    {"seeds", 0, SN_OPTION_COUNT, FIELD(seeds), 1, "N",
     "the same as --vary variables.seed=0:N-1:N: the scene uses $seed"},
    {"set", 's', SN_OPTION_TEXTS, FIELD(set), 0, "PATH=VALUE",
     "change a value of the scene in all runs; may be repeated"},
    {"frames", 'n', SN_OPTION_COUNT, FIELD(frames), 0, "N", "run N frames instead of as many as the scene says"},
    {"out", 'o', SN_OPTION_TEXT, FIELD(out), 0, "DIR", "the folder of the sweep; default NAME.sweep"},
    {"workers", 'w', SN_OPTION_COUNT, FIELD(workers), 1, "N",
     "number of processes; default one for each core, and under mpirun or srun one for each rank"},
    {"fresh", 0, SN_OPTION_FLAG, FIELD(fresh), 0, NULL, "discard an earlier sweep in the folder, and start again"},
    {"plot", 'p', SN_OPTION_PICTURE, FIELD(plot), 0, "FILE",
     "plot a column with gnuplot, to a .svg or .png file; default plot.svg in the folder"},
    {"column", 'c', SN_OPTION_TEXT, FIELD(column), 0, "NAME", "the column that --plot draws; default worst_relative"},
    {"read-anywhere", 0, SN_OPTION_FLAG, FIELD(read_anywhere), 0, NULL,
     "let the scene read meshes outside of its folder"},
    {"quiet", 'q', SN_OPTION_FLAG, FIELD(quiet), 0, NULL, "print errors and warnings only"},
    SN_OPTION_END(sn_sweep_options)};

static void defaults(void *given)
{
    ((sn_sweep_options *)given)->frames = UINT32_MAX;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

const char *sn_sweep_value(const sn_sweep *sweep, uint32_t run, uint32_t axis)
{
    for (uint32_t i = sweep->axes; --i > axis;)
        run /= sweep->axis[i].count;
    return sweep->axis[axis].value[run % sweep->axis[axis].count];
}

static bool add_value(sn_sweep_axis *axis, const char *text)
{
    char **more = realloc(axis->value, (axis->count + 1) * sizeof *more);
    if (!more)
        return false;
    axis->value = more;
    return (axis->value[axis->count++] = strdup(text)) != NULL;
}

/* Reads "1e5:1e7:20" or "1e5:1e7:20:log". -1: not a range; 0: an invalid one. */
static int add_range(sn_sweep_axis *axis, const char *text)
{
    double from, to;
    unsigned long count;
    char rest[8] = "", number[64];
    int used = 0;
    if (sscanf(text, "%lf:%lf:%lu%n%7s", &from, &to, &count, &used, rest) < 3)
        return -1;
    const bool log = strcmp(rest, ":log") == 0;
    if ((rest[0] && !log) || !isfinite(from) || !isfinite(to) || count < 1 || count > SN_SWEEP_MOST ||
        (log && !(from > 0 && to > 0)))
        return 0;
    axis->logarithmic = log;
    for (unsigned long i = 0; i < count; ++i) {
        const double share = count > 1 ? (double)i / (double)(count - 1) : 0;
        const double value =
            log ? sn_math_exp(sn_math_log(from) * (1 - share) + sn_math_log(to) * share) : from + (to - from) * share;
        snprintf(number, sizeof number, "%.12g", i == 0 ? from : i + 1 == count ? to : value);
        if (!add_value(axis, number))
            return 0;
    }
    return 1;
}

static bool read_axis(sn_sweep *sweep, const char *text)
{
    const char *equals = strchr(text, '=');
    sn_sweep_axis *axis = &sweep->axis[sweep->axes];
    if (!equals || equals == text || !equals[1])
        return sn_complain(
                   0,
                   "--vary: expected PATH=VALUES, such as world.substeps=10,20 or materials.silk.young=1e5:1e7:20, "
                   "found %s",
                   text),
               false;
    axis->path = strndup(text, (size_t)(equals - text));
    ++sweep->axes;
    for (uint32_t i = 0; i + 1 < sweep->axes; ++i)
        if (axis->path && strcmp(sweep->axis[i].path, axis->path) == 0)
            return sn_complain(0, "--vary: %s is varied twice", axis->path), false;
    for (const char *at = equals + 1; axis->path && at;) {
        /* a comma inside brackets is part of a value */
        size_t length = 0;
        for (int depth = 0; at[length] && (at[length] != ',' || depth); ++length)
            depth += (at[length] == '[' || at[length] == '{') - (at[length] == ']' || at[length] == '}');
        char *one = strndup(at, length);
        const int range = one ? add_range(axis, one) : 0;
        const bool good = one && one[0] && (range > 0 || (range < 0 && add_value(axis, one)));
        if (!good)
            sn_complain(0, "--vary %s: expected a value, FROM:TO:COUNT or FROM:TO:COUNT:log (above 0), found '%s'",
                        axis->path, one ? one : "");
        free(one);
        if (!good)
            return false;
        at = at[length] ? at + length + 1 : NULL;
    }
    return axis->path != NULL;
}

static bool read_values(sn_sweep *sweep)
{
    const sn_sweep_options *o = sweep->asked;
    char seeds[64];
    sweep->axis = calloc(o->vary.count + 1, sizeof *sweep->axis);
    for (uint32_t i = 0; sweep->axis && i < o->vary.count; ++i)
        if (!read_axis(sweep, o->vary.item[i]))
            return false;
    snprintf(seeds, sizeof seeds, "variables.seed=0:%lu:%lu", (unsigned long)(o->seeds ? o->seeds - 1 : 0),
             (unsigned long)o->seeds);
    if (!sweep->axis || (o->seeds && !read_axis(sweep, seeds)))
        return false;
    if (!sweep->axes)
        return sn_complain(0, "sweep: nothing is varied; give --vary PATH=VALUES, or --seeds N"), false;
    uint64_t runs = 1;
    for (uint32_t i = 0; i < sweep->axes && runs <= SN_SWEEP_MOST; ++i)
        runs *= sweep->axis[i].count;
    if (runs > SN_SWEEP_MOST)
        return sn_complain(0, "sweep: there are more than %u combinations", SN_SWEEP_MOST), false;
    sweep->runs = (uint32_t)runs;
    return true;
}

/* ---- Workers ----------------------------------------------------------------------------------------------------- */

static void rest(long milliseconds)
{
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Makes a run that was claimed. False if this process must end. */
static bool work_on(sn_sweep *sweep, uint32_t run, bool lost)
{
    sn_sweep_row row = {.run = run, .status = SN_SWEEP_LOST};
    bool good;
    if (lost) {
        char text[96];
        snprintf(text, sizeof text, "%d workers ended while they made it", SN_SWEEP_ATTEMPTS);
        row.message = strdup(text);
        good = row.message != NULL;
    } else {
        good = sn_sweep_make(sweep, run, &row);
    }
    good = good && sn_sweep_put(sweep, &row);
    sn_sweep_leave(sweep, run);
    sn_sweep_row_release(&row);
    return good;
}

/* Claims runs until all are over, including runs of other processes that end before completing them. */
static int work(sn_sweep *sweep)
{
    unsigned char *state = malloc(sweep->runs);
    bool good = state && sn_sweep_begin(sweep), over = false;
    while (good && !over && !sn_signals_came()) {
        bool took = false, lost;
        good = sn_sweep_states(sweep, state);
        over = good;
        for (uint32_t run = 0; good && run < sweep->runs && !sn_signals_came(); ++run) {
            if (sn_sweep_is_over(state[run]))
                continue;
            over = false;
            if (!sn_sweep_take(sweep, run, &lost))
                continue;
            took = true;
            good = work_on(sweep, run, lost);
        }
        if (good && !over && !took)
            rest(50);
    }
    free(state);
    sn_sweep_close(sweep);
    return sn_signals_came() ? SN_EXIT_SIGNAL + sn_signals_came() : good ? SN_EXIT_FINE : SN_EXIT_FAILED;
}

/* A worker is killed when its parent process ends. */
static pid_t start_worker(sn_sweep *sweep)
{
    const pid_t parent = getpid(), pid = fork();
    if (pid != 0)
        return pid;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(SN_EXIT_FAILED);
    const int code = work(sweep);
    fflush(NULL);
    _exit(code);
}

/* A rank or number of processes set by mpirun or srun; -1: none. */
static long number_in(const char *const *names)
{
    for (; *names; ++names) {
        const char *text = getenv(*names);
        if (text && text[0])
            return strtol(text, NULL, 10);
    }
    return -1;
}

static const char *const rank_names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", NULL};
static const char *const size_names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL};

static uint32_t choose_workers(const sn_sweep *sweep)
{
    uint32_t count = sweep->asked->workers;
    if (!count && number_in(size_names) > 1)
        count = 1;
#ifdef __linux__
    cpu_set_t cores;
    if (!count && sched_getaffinity(0, sizeof cores, &cores) == 0)
        count = (uint32_t)CPU_COUNT(&cores);
#endif
    if (!count)
        count = 1;
    count = count < sweep->runs ? count : sweep->runs;
    return count < MOST_WORKERS ? count : MOST_WORKERS;
}

/* ---- Progress ---------------------------------------------------------------------------------------------------- */

typedef struct progress {
    bool quiet, terminal;
    double start, last;
    uint32_t before; /* runs that were over at that time */
} progress;

static uint32_t count_over(const sn_sweep *sweep, unsigned char *state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; sn_sweep_states(sweep, state) && i < sweep->runs; ++i)
        count += sn_sweep_is_over(state[i]);
    return count;
}

static void show(progress *p, const sn_sweep *sweep, uint32_t done, bool end)
{
    const double now = sn_seconds_now();
    char left[32] = "";
    if (p->quiet || (!end && now - p->last < (p->terminal ? 0.2 : 10)))
        return;
    p->last = now;
    if (done > p->before && done < sweep->runs)
        sn_time_text((now - p->start) / (done - p->before) * (sweep->runs - done), left, sizeof left);
    fprintf(stderr, "%s%s: %lu of %lu runs%s%s%s", p->terminal ? "\r\033[K" : "", sweep->name, (unsigned long)done,
            (unsigned long)sweep->runs, left[0] ? ", " : "", left, left[0] ? " left" : "");
    if (!p->terminal || end)
        fputc('\n', stderr);
}

/* Replaces workers that a run kills; such a run is tried SN_SWEEP_ATTEMPTS times, and then counts as lost. */
static int watch(sn_sweep *sweep, uint32_t workers)
{
    pid_t pid[MOST_WORKERS];
    unsigned char *state = malloc(sweep->runs);
    progress p = {.quiet = sweep->asked->quiet || number_in(rank_names) > 0,
                  .terminal = sn_is_terminal(stderr),
                  .start = sn_seconds_now()};
    int code = state ? SN_EXIT_FINE : SN_EXIT_FAILED;
    p.before = state ? count_over(sweep, state) : 0;
    uint32_t alive = 0;
    for (uint32_t i = 0; i < workers && code == SN_EXIT_FINE; ++i, ++alive)
        if ((pid[i] = start_worker(sweep)) < 0)
            code = sn_complain(SN_EXIT_FAILED, "no process for a worker: %s", strerror(errno));
    while (alive) {
        int status;
        const pid_t ended = waitpid(-1, &status, WNOHANG);
        uint32_t i = 0;
        if (ended <= 0) {
            show(&p, sweep, count_over(sweep, state), false);
            rest(20);
            continue;
        }
        while (i < workers && pid[i] != ended)
            ++i;
        if (i == workers)
            continue;
        --alive;
        if (WIFSIGNALED(status) && !sn_signals_came()) {
            sn_complain(0, "warning: a worker was ended by signal %d; what it was at is tried again", WTERMSIG(status));
            if ((pid[i] = start_worker(sweep)) > 0)
                ++alive;
        } else if (WIFEXITED(status) && WEXITSTATUS(status) != SN_EXIT_FINE) {
            code = WEXITSTATUS(status);
        }
    }
    if (sn_signals_came())
        code = SN_EXIT_SIGNAL + sn_signals_came();
    if (state)
        show(&p, sweep, count_over(sweep, state), true);
    free(state);
    return code;
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

static int conclude(const sn_sweep *sweep)
{
    sn_sweep_row *row = calloc(sweep->runs, sizeof *row);
    bool *found = calloc(sweep->runs, sizeof *found);
    uint32_t count[4] = {0}, missing = 0;
    int code = SN_EXIT_FAILED;
    if (row && found && sn_sweep_read(sweep, row, found)) {
        code = sn_sweep_tell(sweep, row, found);
        for (uint32_t i = 0; i < sweep->runs; ++i) {
            missing += !found[i];
            count[row[i].status] += found[i];
        }
    }
    if (code == SN_EXIT_FINE && !sweep->asked->quiet && number_in(rank_names) <= 0) {
        printf("%s: %lu runs", sweep->name, (unsigned long)sweep->runs);
        for (int i = SN_SWEEP_FAILED; i <= SN_SWEEP_LOST; ++i)
            if (count[i])
                printf(", %lu %s", (unsigned long)count[i], sn_sweep_status_name((sn_sweep_status)i));
        printf("; %s/table.csv, table.npy%s\n", sweep->folder, sweep->asked->plot ? ", and a picture" : "");
    }
    if (code == SN_EXIT_FINE && missing)
        code = sn_complain(SN_EXIT_FAILED, "%lu runs have left no row", (unsigned long)missing);
    if (code == SN_EXIT_FINE && count[SN_SWEEP_DONE] < sweep->runs)
        code = SN_EXIT_FAILED;
    for (uint32_t i = 0; row && i < sweep->runs; ++i)
        sn_sweep_row_release(&row[i]);
    free(row);
    free(found);
    return code;
}

/* Builds the scene once, so that invalid paths are reported before a thousand runs. */
static int try_first(const sn_sweep *sweep)
{
    const sn_sweep_options *o = sweep->asked;
    const char **set = calloc(o->set.count + sweep->axes + 1, sizeof *set);
    char *path = NULL;
    int code = SN_EXIT_FAILED;
    sn_loaded loaded = {0};
    sn_texts sets = {.count = 0, .item = set};
    for (uint32_t i = 0; set && i < o->set.count; ++i)
        set[sets.count++] = o->set.item[i];
    for (uint32_t i = 0; set && i < sweep->axes; ++i) {
        const size_t size = strlen(sweep->axis[i].path) + strlen(sweep->axis[i].value[0]) + 2;
        char *text = malloc(size);
        if (text)
            snprintf(text, size, "%s=%s", sweep->axis[i].path, sweep->axis[i].value[0]);
        set[sets.count++] = text ? text : "";
    }
    if (set)
        code = sn_load(
            &(sn_loading){
                .scene = sweep->scene, .sets = &sets, .threads = 1, .read_anywhere = o->read_anywhere, .quiet = true},
            &loaded, &path);
    sn_loaded_release(&loaded);
    for (uint32_t i = o->set.count; set && i < sets.count; ++i)
        free((char *)set[i]);
    free(set);
    free(path);
    return code;
}

static int run_sweep(sn_sweep *sweep)
{
    int code = try_first(sweep);
    if (code == SN_EXIT_FINE)
        code = sn_sweep_open(sweep);
    if (code == SN_EXIT_FINE && !sn_sweep_try_again(sweep))
        code = SN_EXIT_OUTPUT;
    sn_signals_catch();
    if (code == SN_EXIT_FINE)
        code = watch(sweep, choose_workers(sweep));
    if (code >= SN_EXIT_SIGNAL)
        sn_complain(0, "stopped; the same command goes on where it was");
    else if (code == SN_EXIT_FINE)
        code = conclude(sweep);
    sn_sweep_close(sweep);
    return code;
}

static int run(const void *given, const sn_texts *operands)
{
    sn_sweep sweep = {.asked = given, .claims = -1};
    const sn_sweep_options *o = given;
    int code = SN_EXIT_USAGE;
    if (o->plot && o->plot[0] && !sn_ends_with(o->plot, ".svg") && !sn_ends_with(o->plot, ".png"))
        return sn_complain(SN_EXIT_USAGE, "--plot: expected a name that ends with .svg or .png, found %s", o->plot);
    if (o->column && !o->plot)
        return sn_complain(SN_EXIT_USAGE, "--column is of --plot, which is not asked for");
    if (strcmp(operands->item[0], "-") == 0)
        return sn_complain(SN_EXIT_USAGE, "sweep: the scene is read many times, and must be a file");
    if (o->plot && !sn_plot_possible())
        return SN_EXIT_OUTPUT;
    if (read_values(&sweep)) {
        sweep.scene = sn_find_scene(operands->item[0]);
        sweep.name = sweep.scene ? sn_path_stem(sweep.scene) : NULL;
        const size_t size = sweep.name ? strlen(sweep.name) + 16 : 0;
        sweep.folder = o->out ? strdup(o->out) : size ? malloc(size) : NULL;
        if (!o->out && sweep.folder)
            snprintf(sweep.folder, size, "%s.sweep", sweep.name);
        code = !sweep.scene ? SN_EXIT_INPUT : sweep.name && sweep.folder ? run_sweep(&sweep) : SN_EXIT_FAILED;
    }
    for (uint32_t i = 0; i < sweep.axes; ++i) {
        for (uint32_t j = 0; j < sweep.axis[i].count; ++j)
            free(sweep.axis[i].value[j]);
        free(sweep.axis[i].value);
        free(sweep.axis[i].path);
    }
    free(sweep.axis);
    free(sweep.scene);
    free(sweep.name);
    free(sweep.folder);
    return code;
}

const sn_command sn_command_sweep = {
    .name = "sweep",
    .operands = "SCENE",
    .about = "Runs a scene with all combinations of some values, into one table",
    .details = "The result is table.csv and table.npy in the folder, with a row for each run: its values,\n"
               "how it ended (done, failed, refused, lost), the worst relative error of a constraint and\n"
               "the deepest overlap in m of all frames, and the columns of the last row of a trace.\n\n"
               "A sweep that was stopped continues when you give the same command again. The table is\n"
               "the same to the byte, for any number of workers. Several processes may work in one\n"
               "folder, also on machines that share it: start the same command in each, or under mpirun\n"
               "or srun. If a process dies, another one takes its run. A run that kills three processes\n"
               "is listed as lost.\n",
    .least = 1,
    .most = 1,
    .options = options,
    .defaults = defaults,
    .run = run};
