/* The folder of a sweep: claims of runs, and their results. */
#define _GNU_SOURCE
#include "cli/sweep.h"
#include "export/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A byte of `claims`: the number of attempts so far, or one of these. */
enum { IS_DONE = 'd', IS_LOST = 'l' };

static const char *const status_names[] = {"done", "failed", "refused", "lost"};

const char *sn_sweep_status_name(sn_sweep_status status)
{
    return status_names[status];
}

void sn_sweep_row_release(sn_sweep_row *row)
{
    free(row->names);
    free(row->values);
    free(row->message);
    memset(row, 0, sizeof *row);
}

static bool complain_of(const char *path, const char *what)
{
    sn_complain(0, "%s: %s: %s", path, what, strerror(errno));
    return false;
}

static char *path_in(const sn_sweep *sweep, const char *name)
{
    return sn_path_join(sweep->folder, name);
}

/* A file name that is unique to this process and machine. */
static void own_name(char *text, size_t size, const char *end)
{
    char host[128] = "host";
    (void)gethostname(host, sizeof host - 1);
    snprintf(text, size, "%s-%ld%s", host, (long)getpid(), end);
}

/* ---- The definition ---------------------------------------------------------------------------------------------- */

static uint64_t hash_bytes(const char *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* A text with everything that decides the results of the runs. */
static char *define(const sn_sweep *sweep)
{
    size_t length, size;
    char *text = sn_read_whole(sweep->scene, true, UINT64_MAX, &length), *definition = NULL;
    FILE *file = text ? open_memstream(&definition, &size) : NULL;
    if (file) {
        fprintf(file, "sinew sweep 1\nversion %s, %u bytes a number\nscene %016llx\nframes %lu\n", sn_version(),
                (unsigned)sn_real_size(), (unsigned long long)hash_bytes(text, length),
                (unsigned long)sweep->asked->frames);
        for (uint32_t i = 0; i < sweep->asked->set.count; ++i)
            fprintf(file, "set %s\n", sweep->asked->set.item[i]);
        for (uint32_t i = 0; i < sweep->axes; ++i) {
            fprintf(file, "vary %s", sweep->axis[i].path);
            for (uint32_t j = 0; j < sweep->axis[i].count; ++j)
                fprintf(file, "%c%s", j ? ',' : '=', sweep->axis[i].value[j]);
            fputc('\n', file);
        }
        if (fclose(file) != 0) {
            free(definition);
            definition = NULL;
        }
    }
    free(text);
    return definition;
}

/* Writes the definition. If another process was first, it must be the same. */
static int agree(const sn_sweep *sweep, const char *definition)
{
    char own[256];
    own_name(own, sizeof own, ".definition");
    char *path = path_in(sweep, "definition"), *mine = path_in(sweep, own), *there = NULL;
    size_t length = 0;
    int code = SN_EXIT_FINE;
    FILE *file = path && mine ? fopen(mine, "w") : NULL;
    if (!file || fputs(definition, file) < 0 || fclose(file) != 0) {
        complain_of(mine ? mine : sweep->folder, "cannot be written");
        code = SN_EXIT_OUTPUT;
    } else if (link(mine, path) != 0 && errno != EEXIST) {
        complain_of(path, "cannot be made");
        code = SN_EXIT_OUTPUT;
    } else if (!(there = sn_read_whole(path, true, UINT64_MAX, &length))) {
        code = SN_EXIT_INPUT;
    } else if (strcmp(there, definition) != 0) {
        code = sn_complain(SN_EXIT_USAGE,
                           "%s has another sweep: the scene, its values, --set, --frames or the version differ. Choose "
                           "another --out, or --fresh to start again",
                           sweep->folder);
    }
    if (mine)
        remove(mine);
    free(there);
    free(mine);
    free(path);
    return code;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* Whether a file is one that a sweep makes. */
static bool is_own(const char *name)
{
    return strcmp(name, "definition") == 0 || strcmp(name, "claims") == 0 || strcmp(name, "table.csv") == 0 ||
           strcmp(name, "table.npy") == 0 || sn_ends_with(name, ".rows") || sn_ends_with(name, ".run.csv");
}

typedef bool each_file(const sn_sweep *sweep, const char *name, void *context);

static bool go_through(const sn_sweep *sweep, each_file *each, void *context)
{
    DIR *folder = opendir(sweep->folder);
    bool good = true;
    if (!folder)
        return complain_of(sweep->folder, "cannot be read");
    for (const struct dirent *entry; good && (entry = readdir(folder));)
        good = each(sweep, entry->d_name, context);
    closedir(folder);
    return good;
}

static bool forget(const sn_sweep *sweep, const char *name, void *context)
{
    (void)context;
    char *path = is_own(name) ? path_in(sweep, name) : NULL;
    const bool good = !path || remove(path) == 0 || errno == ENOENT || complain_of(path, "cannot be removed");
    free(path);
    return good;
}

int sn_sweep_open(sn_sweep *sweep)
{
    char message[SN_SWEEP_TEXT];
    if (!sn_folder_make(sweep->folder, message, sizeof message))
        return sn_complain(SN_EXIT_OUTPUT, "%s", message);
    if (sweep->asked->fresh && !go_through(sweep, forget, NULL))
        return SN_EXIT_OUTPUT;
    char *definition = define(sweep), *path = path_in(sweep, "claims");
    int code = definition && path ? agree(sweep, definition) : SN_EXIT_INPUT;
    free(definition);
    if (code == SN_EXIT_FINE && (sweep->claims = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666)) < 0) {
        complain_of(path, "cannot be opened");
        code = SN_EXIT_OUTPUT;
    }
    free(path);
    return code;
}

void sn_sweep_close(sn_sweep *sweep)
{
    if (sweep->claims >= 0)
        close(sweep->claims);
    if (sweep->rows)
        fclose(sweep->rows);
    if (sweep->trace)
        remove(sweep->trace);
    free(sweep->trace);
    sweep->claims = -1;
    sweep->rows = NULL;
    sweep->trace = NULL;
}

/* ---- Claims ------------------------------------------------------------------------------------------------------ */

static bool lock_run(const sn_sweep *sweep, uint32_t run, short how)
{
    struct flock lock = {.l_type = how, .l_whence = SEEK_SET, .l_start = run, .l_len = 1};
    return fcntl(sweep->claims, F_SETLK, &lock) == 0;
}

static unsigned char state_of(const sn_sweep *sweep, uint32_t run)
{
    unsigned char state = 0;
    return pread(sweep->claims, &state, 1, (off_t)run) == 1 ? state : 0;
}

static bool set_state(const sn_sweep *sweep, uint32_t run, unsigned char state)
{
    return pwrite(sweep->claims, &state, 1, (off_t)run) == 1 || complain_of(sweep->folder, "claims cannot be written");
}

bool sn_sweep_is_over(unsigned char state)
{
    return state == IS_DONE || state == IS_LOST;
}

bool sn_sweep_states(const sn_sweep *sweep, unsigned char *state)
{
    memset(state, 0, sweep->runs);
    for (size_t at = 0; at < sweep->runs;) {
        const ssize_t got = pread(sweep->claims, state + at, sweep->runs - at, (off_t)at);
        if (got < 0)
            return complain_of(sweep->folder, "claims cannot be read");
        if (got == 0)
            break;
        at += (size_t)got;
    }
    return true;
}

bool sn_sweep_take(const sn_sweep *sweep, uint32_t run, bool *lost)
{
    if (!lock_run(sweep, run, F_WRLCK))
        return false;
    const unsigned char state = state_of(sweep, run);
    *lost = state >= SN_SWEEP_ATTEMPTS && !sn_sweep_is_over(state);
    if (!sn_sweep_is_over(state) && (*lost || set_state(sweep, run, (unsigned char)(state + 1))))
        return true;
    lock_run(sweep, run, F_UNLCK);
    return false;
}

void sn_sweep_leave(const sn_sweep *sweep, uint32_t run)
{
    lock_run(sweep, run, F_UNLCK);
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

bool sn_sweep_begin(sn_sweep *sweep)
{
    char name[256];
    own_name(name, sizeof name, ".rows");
    char *path = path_in(sweep, name);
    sweep->rows = path ? fopen(path, "a") : NULL;
    if (!sweep->rows)
        complain_of(path ? path : sweep->folder, "cannot be opened");
    own_name(name, sizeof name, ".run.csv");
    sweep->trace = path_in(sweep, name);
    free(path);
    return sweep->rows && sweep->trace;
}

/* Writes a field; tabs and line ends, which would end it, are replaced. */
static void put_field(FILE *file, const char *text)
{
    for (; text && *text; ++text)
        fputc(*text == '\t' || *text == '\n' || *text == '\r' ? ' ' : *text, file);
    fputc('\t', file);
}

bool sn_sweep_put(sn_sweep *sweep, const sn_sweep_row *row)
{
    char *line = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&line, &length);
    if (!file)
        return false;
    fprintf(file, "%lu\t%d\t%.17g\t%.17g\t", (unsigned long)row->run, (int)row->status, row->relative, row->overlap);
    put_field(file, row->names);
    put_field(file, row->values);
    put_field(file, row->message);
    bool good = fclose(file) == 0;
    /* one write of a whole line: if the process is killed, the line is complete or its checksum is wrong */
    good = good && fprintf(sweep->rows, "%s%016llx\n", line, (unsigned long long)hash_bytes(line, length)) > 0 &&
           fflush(sweep->rows) == 0;
    if (!good)
        complain_of(sweep->folder, "rows cannot be written");
    free(line);
    return good && set_state(sweep, row->run, row->status == SN_SWEEP_LOST ? IS_LOST : IS_DONE);
}

/* Splits a line into its fields, in place; false if it is incomplete. */
static bool read_row(char *line, uint32_t runs, sn_sweep_row *row)
{
    char *field[7], *at = line, *end;
    char *sum = strrchr(line, '\t');
    if (!sum || strlen(sum + 1) != 16)
        return false;
    if (strtoull(sum + 1, &end, 16) != hash_bytes(line, (size_t)(sum + 1 - line)) || *end)
        return false;
    for (int i = 0; i < 7; ++i) {
        field[i] = at;
        if (!(at = strchr(at, '\t')))
            return false;
        *at++ = 0;
    }
    const unsigned long run = strtoul(field[0], &end, 10), status = strtoul(field[1], NULL, 10);
    if (run >= runs || status > SN_SWEEP_LOST)
        return false;
    *row = (sn_sweep_row){.run = (uint32_t)run,
                          .status = (sn_sweep_status)status,
                          .relative = strtod(field[2], NULL),
                          .overlap = strtod(field[3], NULL),
                          .names = strdup(field[4]),
                          .values = strdup(field[5]),
                          .message = strdup(field[6])};
    return true;
}

typedef struct reading {
    sn_sweep_row *row;
    bool *found;
} reading;

/* Every process gets the same result for a run; a result takes precedence over `lost`. */
static bool read_rows(const sn_sweep *sweep, const char *name, void *context)
{
    const reading *r = context;
    if (!sn_ends_with(name, ".rows"))
        return true;
    char *path = path_in(sweep, name), *line = NULL;
    size_t room = 0;
    ssize_t length;
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file) {
        complain_of(path ? path : name, "cannot be read");
        free(path);
        return false;
    }
    while ((length = getline(&line, &room, file)) > 0) {
        sn_sweep_row row;
        if (line[length - 1] != '\n')
            break;
        line[length - 1] = 0;
        if (!read_row(line, sweep->runs, &row))
            continue;
        if (!r->found[row.run] || r->row[row.run].status == SN_SWEEP_LOST) {
            sn_sweep_row_release(&r->row[row.run]);
            r->row[row.run] = row;
            r->found[row.run] = true;
        } else {
            sn_sweep_row_release(&row);
        }
    }
    free(line);
    free(path);
    fclose(file);
    return true;
}

bool sn_sweep_read(const sn_sweep *sweep, sn_sweep_row *row, bool *found)
{
    reading r = {row, found};
    return go_through(sweep, read_rows, &r);
}

/* States are read before rows: a run that is done by then has its row, unless the row was lost in a crash of the
   machine. */
bool sn_sweep_try_again(sn_sweep *sweep)
{
    unsigned char *state = malloc(sweep->runs);
    sn_sweep_row *row = calloc(sweep->runs, sizeof *row);
    bool *found = calloc(sweep->runs, sizeof *found);
    bool good = state && row && found && sn_sweep_states(sweep, state) && sn_sweep_read(sweep, row, found);
    for (uint32_t run = 0; good && run < sweep->runs; ++run) {
        if (state[run] == 0 || (state[run] == IS_DONE && found[run]) || !lock_run(sweep, run, F_WRLCK))
            continue;
        if (state_of(sweep, run) == state[run])
            good = set_state(sweep, run, 0);
        lock_run(sweep, run, F_UNLCK);
    }
    for (uint32_t run = 0; row && run < sweep->runs; ++run)
        sn_sweep_row_release(&row[run]);
    free(state);
    free(row);
    free(found);
    return good;
}
