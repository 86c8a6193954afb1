/* A sweep: the same scene many times, each time with other values.

   All that processes share is a folder. Which run is being made, is done, or has failed to end stands in one byte of the file `claims`, and a process that makes a run
   holds a lock on that byte (fcntl). The system takes the lock away when the process ends, however it ends: what it was at can then be taken by another. What a run came to is
   one line with a checksum, in a file of the process that made it; a line that is not whole is none. So processes may come and go, on one machine or on several that share a
   file system with locks, and nothing is handed out by a process that could be lost. */
#ifndef SN_CLI_SWEEP_H
#define SN_CLI_SWEEP_H

#include "cli/cli.h"

#define SN_SWEEP_TEXT     512u
#define SN_SWEEP_ATTEMPTS 3 /* a run that ended so many workers is lost */
#define SN_SWEEP_MOST     10000000u

typedef struct sn_sweep_options {
    sn_texts vary, set;
    uint32_t seeds, frames, workers;
    const char *out, *column;
    const char *plot; /* NULL: not asked for; "": plot.svg in the folder */
    bool quiet, fresh, read_anywhere, help;
} sn_sweep_options;

/* A path and the values that it takes. */
typedef struct sn_sweep_axis {
    char *path;
    uint32_t count;
    char **value;
    bool logarithmic;
} sn_sweep_axis;

typedef struct sn_sweep {
    const sn_sweep_options *asked;
    char *scene; /* the file */
    char *name;
    char *folder; /* with what is written */
    sn_sweep_axis *axis;
    uint32_t axes;
    uint32_t runs;
    int claims;  /* the file */
    FILE *rows;  /* of this process */
    char *trace; /* a file of this process: what the last run recorded */
} sn_sweep;

/* What became of a run. */
typedef enum sn_sweep_status {
    SN_SWEEP_DONE,
    SN_SWEEP_FAILED,  /* a step failed */
    SN_SWEEP_REFUSED, /* the scene cannot be built with these values */
    SN_SWEEP_LOST     /* those that made it came to an end before it did */
} sn_sweep_status;

const char *sn_sweep_status_name(sn_sweep_status status);

typedef struct sn_sweep_row {
    uint32_t run;
    sn_sweep_status status;
    double relative, overlap; /* the worst of all frames: of constraints, as a share of their size, and m */
    char *names, *values;     /* what was recorded at the end, as a .csv has it; "" if nothing */
    char *message;            /* why it did not end well; "" if it did */
} sn_sweep_row;

void sn_sweep_row_release(sn_sweep_row *row);

/* The text that an axis has in a run (sweep.c). */
const char *sn_sweep_value(const sn_sweep *sweep, uint32_t run, uint32_t axis);

/* Makes a run (sweep_run.c). False when memory runs out, or a signal came. */
bool sn_sweep_make(const sn_sweep *sweep, uint32_t run, sn_sweep_row *row);

/* ---- What is shared (sweep_journal.c). False, or an exit code other than SN_EXIT_FINE, after a message. ---- */

/* Makes the folder, or finds that it is of the same sweep. fresh: what is there is forgotten. */
int sn_sweep_open(sn_sweep *sweep);
void sn_sweep_close(sn_sweep *sweep);

/* At the start of a command: what others began and did not end is tried anew. */
bool sn_sweep_try_again(sn_sweep *sweep);

/* The state of all runs: a byte for each. */
bool sn_sweep_states(const sn_sweep *sweep, unsigned char *state);
bool sn_sweep_is_over(unsigned char state);

/* In the process that works: opens its files; then takes a run if it can be had, which `lost` says is not to be tried any more; writes what it came to, and lets it go. */
bool sn_sweep_begin(sn_sweep *sweep);
bool sn_sweep_take(const sn_sweep *sweep, uint32_t run, bool *lost);
bool sn_sweep_put(sn_sweep *sweep, const sn_sweep_row *row);
void sn_sweep_leave(const sn_sweep *sweep, uint32_t run);

/* All rows, by run; `found` of each says whether there is one. */
bool sn_sweep_read(const sn_sweep *sweep, sn_sweep_row *row, bool *found);

/* ---- What comes of it (sweep_table.c): table.csv, table.npy, and the picture. ---- */
int sn_sweep_tell(const sn_sweep *sweep, const sn_sweep_row *row, const bool *found);

#endif
