/* How far a run is: a bar on a terminal, a line now and then elsewhere. */
#ifndef SN_CLI_PROGRESS_H
#define SN_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sn_progress {
    bool quiet;
    bool terminal;
    bool colour;
    bool shown; /* a bar stands on the terminal */
    const char *name;
    uint32_t total;
    double start; /* s, of sn_seconds_now */
    double last;  /* when it was last shown */
} sn_progress;

/* Of total frames. name must live as long. */
void sn_progress_begin(sn_progress *progress, const char *name, uint32_t total, bool quiet);

/* So many are done, and the world's clock stands at time seconds. Cheap: it shows something only every so often. */
void sn_progress_update(sn_progress *progress, uint32_t done, double time);

/* Takes the bar off the terminal, so that something else can be printed. */
void sn_progress_clear(sn_progress *progress);

#endif
