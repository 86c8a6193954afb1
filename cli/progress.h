/* The progress of a run: a bar on a terminal, occasional lines elsewhere. */
#ifndef SN_CLI_PROGRESS_H
#define SN_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sn_progress {
    bool quiet;
    bool terminal;
    bool colour;
    bool shown; /* a bar is on the terminal */
    const char *name;
    uint32_t total;
    double start; /* s, by sn_seconds_now */
    double last;  /* s: the time of the last update */
} sn_progress;

/* name is not copied. */
void sn_progress_begin(sn_progress *progress, const char *name, uint32_t total, bool quiet);

/* done frames are completed, and the world is at this time in seconds. Cheap: output is limited to regular
   intervals. */
void sn_progress_update(sn_progress *progress, uint32_t done, double time);

/* Removes the bar from the terminal, so that something else can be printed. */
void sn_progress_clear(sn_progress *progress);

#endif
