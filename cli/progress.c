#include "cli/progress.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define BAR_SECONDS  0.1 /* s between updates of the bar */
#define LINE_SECONDS 1.0 /* s between lines */
#define MOST_BAR     60  /* columns */

void sn_progress_begin(sn_progress *progress, const char *name, uint32_t total, bool quiet)
{
    double now = sn_seconds_now();
    bool terminal = sn_is_terminal(stderr);
    *progress = (sn_progress){.quiet = quiet,
                              .terminal = terminal,
                              .colour = sn_is_colourful(stderr),
                              .name = name,
                              .total = total,
                              .start = now,
                              .last = now};
}

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(fileno(stderr), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    int width = columns ? atoi(columns) : 0;
    return width > 0 ? width : 80;
}

/* "curtain [=====>      ] 123/300  41 %  0:12 left", as much of it as fits. */
static void show_bar(sn_progress *p, uint32_t done, const char *left)
{
    char counts[96], bar[MOST_BAR + 1];
    double share = p->total ? (double)done / p->total : 1;
    int digits = snprintf(counts, sizeof counts, "%u", (unsigned)p->total);
    int length = snprintf(counts, sizeof counts, "%*u/%u %3.0f %%  %s left", digits, (unsigned)done, (unsigned)p->total,
                          100 * share, left);
    int width = terminal_width() - 1; /* writing the last column would wrap on some terminals */
    int name = (int)strlen(p->name);
    int room = width - length - name - 4;
    bool has_name = room >= 10;
    if (!has_name)
        room = width - length - 3;
    if (room > MOST_BAR)
        room = MOST_BAR;
    fprintf(stderr, "\r\033[K");
    if (has_name)
        fprintf(stderr, "%s ", p->name);
    if (room >= 5) {
        int full = (int)(share * room);
        memset(bar, ' ', sizeof bar);
        memset(bar, '=', (size_t)full);
        if (full < room)
            bar[full] = '>';
        bar[room] = 0;
        fprintf(stderr, "[%s%s%s] ", p->colour ? "\033[32m" : "", bar, p->colour ? "\033[0m" : "");
    }
    fprintf(stderr, "%.*s", width > 0 ? width : 0, counts);
    fflush(stderr);
    p->shown = true;
}

void sn_progress_update(sn_progress *p, uint32_t done, double time)
{
    if (p->quiet)
        return;
    double now = sn_seconds_now();
    if (now - p->last < (p->terminal ? BAR_SECONDS : LINE_SECONDS))
        return;
    p->last = now;
    char left[32];
    sn_time_text(done ? (now - p->start) * (p->total - done) / done : -1, left, sizeof left);
    if (p->terminal)
        show_bar(p, done, left);
    else
        fprintf(stderr, "%s: frame %u of %u, at %.3f s, %s left\n", p->name, (unsigned)done, (unsigned)p->total, time,
                left);
}

void sn_progress_clear(sn_progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r\033[K");
    fflush(stderr);
    p->shown = false;
}
