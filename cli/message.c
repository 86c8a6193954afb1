#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int sn_complain(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout); /* to keep the order of output if both streams go to the same file */
    fputs("sinew: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return code;
}

int sn_complain_of_output(void)
{
    return errno == EPIPE ? SN_EXIT_OUTPUT : sn_complain(SN_EXIT_OUTPUT, "standard output: %s", strerror(errno));
}

bool sn_is_terminal(FILE *file)
{
    const char *term = getenv("TERM");
    return isatty(fileno(file)) && !(term && strcmp(term, "dumb") == 0);
}

bool sn_is_colourful(FILE *file)
{
    const char *no = getenv("NO_COLOR");
    return sn_is_terminal(file) && !(no && no[0]);
}

double sn_seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double sn_cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *sn_bytes_text(double bytes, char *text, size_t size)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 999.5 && unit < 4; ++unit)
        bytes /= 1000;
    snprintf(text, size, unit == 0 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
    return text;
}

const char *sn_time_text(double seconds, char *text, size_t size)
{
    if (!(seconds >= 0) || seconds > 3.6e6) {
        snprintf(text, size, "-:--");
        return text;
    }
    unsigned long s = (unsigned long)ceil(seconds);
    if (s >= 3600)
        snprintf(text, size, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, size, "%lu:%02lu", s / 60, s % 60);
    return text;
}

void sn_print_wrapped(FILE *file, const char *text, int column, int width)
{
    int at = column;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at > column && at + 1 + length > width) {
            fprintf(file, "\n%*s", column, "");
            at = column;
        } else if (at > column) {
            fputc(' ', file);
            ++at;
        }
        fprintf(file, "%.*s", length, text);
        at += length;
        text += length;
        while (*text == ' ')
            ++text;
    }
    fputc('\n', file);
}
