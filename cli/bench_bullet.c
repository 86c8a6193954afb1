/* The same scenes on Bullet, run by a separate program: neither the library nor the command is linked with Bullet. */
#include "cli/bench.h"
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM    "sinew-bench-bullet"
#define MOST_REPLY 4096 /* bytes of the row that the program prints */

char *sn_bench_bullet_find(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    *slash = 0;
    char *program = sn_path_join(path, PROGRAM);
    if (program && access(program, X_OK) == 0)
        return program;
    free(program);
    return NULL;
}

/* ---- Starting the program ---------------------------------------------------------------------------------------- */

/* The program's name in quotes, so that the shell takes it literally, and its arguments. Allocated. */
static char *command_line(const char *program, const sn_bench_job *job, int places)
{
    size_t room = 4 * strlen(program) + 256, at = 0;
    char *line = malloc(room);
    if (!line)
        return NULL;
    line[at++] = '\'';
    if (!strchr(program, '/')) { /* in this folder; the shell would search PATH */
        memcpy(line + at, "./", 2);
        at += 2;
    }
    for (const char *p = program; *p; ++p) {
        if (*p == '\'') {
            memcpy(line + at, "'\\'", 3);
            at += 3;
        }
        line[at++] = *p;
    }
    snprintf(line + at, room - at, "' %s %u %u %u %g %u %d", job->what->scene, (unsigned)job->what->n,
             (unsigned)job->substeps, (unsigned)job->frames, job->seconds, (unsigned)job->settle, places);
    return line;
}

/* Writes the settled positions to a file without a name, which the program inherits. NULL if it cannot be written. */
static FILE *hand_over(const sn_bench_job *job)
{
    size_t count = job->settled->numbers;
    FILE *file = tmpfile();
    if (file && (fwrite(job->settled->place, sizeof(double), count, file) != count || fflush(file) != 0 ||
                 fseek(file, 0, SEEK_SET) != 0)) {
        fclose(file);
        file = NULL;
    }
    return file;
}

/* Reads what the program prints, and returns its exit code; -1 if it could not be started. */
static int listen_to(const char *line, char reply[MOST_REPLY])
{
    fflush(NULL); /* so that buffered output is not written twice */
    FILE *pipe = popen(line, "r");
    if (!pipe)
        return -1;
    size_t length = fread(reply, 1, MOST_REPLY - 1, pipe);
    reply[length] = 0;
    while (!feof(pipe) && !ferror(pipe)) { /* more than a row: reads on until it ends */
        char rest[256];
        if (fread(rest, 1, sizeof rest, pipe) == 0)
            break;
    }
    int status = pclose(pipe);
    return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- Reading the row --------------------------------------------------------------------------------------------- */

static double number_of(const sn_value *record, const char *key)
{
    const sn_value *value = sn_value_find(record, key);
    return value && value->type == SN_VALUE_NUMBER ? value->number : NAN;
}

static bool count_of(const sn_value *record, const char *key, uint32_t *count)
{
    double number = number_of(record, key);
    bool good = number >= 0 && number <= UINT32_MAX;
    if (good)
        *count = (uint32_t)number;
    return good;
}

static bool read_row(const sn_value *root, sn_bench_row *row)
{
    const sn_value *version = sn_value_find(root, "version");
    if (version && version->type == SN_VALUE_TEXT)
        snprintf(row->version, sizeof row->version, "%s", version->text);
    row->ns = number_of(root, "ns_per_projection");
    row->ms = number_of(root, "ms_per_frame");
    row->spread = number_of(root, "spread");
    row->first_ms = number_of(root, "first_ms");
    row->stretch_mean = number_of(root, "stretch_mean");
    row->stretch_max = number_of(root, "stretch_max");
    row->kinetic = number_of(root, "kinetic_per_particle");
    row->fastest = number_of(root, "speed_max");
    row->contacts = number_of(root, "contacts_per_particle");
    if (!count_of(root, "settle_frames", &row->settled)) /* only piles have it */
        row->settled = 0;
    bool good = count_of(root, "particles", &row->particles) && count_of(root, "constraints", &row->constraints) &&
                count_of(root, "substeps", &row->substeps) && count_of(root, "iterations", &row->iterations) &&
                count_of(root, "frames", &row->frames) && count_of(root, "blocks", &row->blocks);
    bool bodies = strcmp(row->path, "falling") == 0 || strcmp(row->path, "settled") == 0;
    row->bodies = bodies ? row->particles : 0;
    row->distances = row->constraints > 0 && !bodies;
    row->projections = (double)row->substeps * row->iterations * (row->distances ? row->constraints : row->particles);
    return good && row->ns > 0 && row->ms > 0;
}

static bool understand(const char *reply, sn_bench_row *row)
{
    sn_document document;
    char message[256];
    sn_document_init(&document, NULL);
    bool good =
        sn_json_read(&document, reply, strlen(reply), NULL, message, sizeof message) && read_row(document.root, row);
    sn_document_release(&document);
    return good;
}

bool sn_bench_bullet(const char *program, const sn_bench_job *job, sn_bench_row *row)
{
    char reply[MOST_REPLY];
    if (!program || access(program, X_OK) != 0) {
        snprintf(row->status, sizeof row->status, "not installed");
        return false;
    }
    if (!sn_bench_settle(job, row->status))
        return false;
    FILE *places = job->settle > 0 ? hand_over(job) : NULL;
    if (job->settle > 0 && !places) {
        snprintf(row->status, sizeof row->status, "what settled could not be handed over");
        return false;
    }
    char *line = command_line(program, job, places ? fileno(places) : -1);
    int code = line ? listen_to(line, reply) : -1;
    bool good = code == 0 && understand(reply, row);
    if (!line)
        snprintf(row->status, sizeof row->status, "out of memory");
    else if (code != 0)
        snprintf(row->status, sizeof row->status, "the program failed (exit code %d)", code);
    else if (!good)
        snprintf(row->status, sizeof row->status, "the program printed no row");
    if (places)
        fclose(places);
    free(line);
    return good;
}
