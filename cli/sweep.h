/* A sweep: many runs of the same scene, each with other values.

   The processes share only a folder. The state of each run (claimed, done, lost) is one byte of the file `claims`,
   and a process that makes a run holds a lock on its byte (fcntl). The system releases the lock when the process
   ends, however it ends; another process can then claim the run. The result of a run is one line with a checksum, in
   a file of the process that made it; an incomplete line is ignored. So processes may start and end at any time, on
   one machine or on several that share a file system with locks, and no single process has to survive. */
#ifndef SN_CLI_SWEEP_H
#define SN_CLI_SWEEP_H

#include "cli/cli.h"

#define SN_SWEEP_TEXT     512u
#define SN_SWEEP_ATTEMPTS 3 /* a run that ended so many workers counts as lost */
#define SN_SWEEP_MOST     10000000u

typedef struct sn_sweep_options {
    sn_texts vary, set;
    uint32_t seeds, frames, workers;
    const char *out, *column;
    const char *plot; /* NULL: off; "": plot.svg in the folder */
    bool quiet, fresh, read_anywhere, help;
} sn_sweep_options;

/* A path and its values. */
typedef struct sn_sweep_axis {
    char *path;
    uint32_t count;
    char **value;
    bool logarithmic;
} sn_sweep_axis;

typedef struct sn_sweep {
    const sn_sweep_options *asked;
    char *scene; /* the path of the file */
    char *name;
    char *folder; /* for the results */
    sn_sweep_axis *axis;
    uint32_t axes;
    uint32_t runs;
    int claims;  /* the open file */
    FILE *rows;  /* of this process */
    char *trace; /* the path of a file of this process, for the recorded values of a run */
} sn_sweep;

/* The end of a run. */
typedef enum sn_sweep_status {
    SN_SWEEP_DONE,
    SN_SWEEP_FAILED,  /* a step failed */
    SN_SWEEP_REFUSED, /* the scene cannot be built with these values */
    SN_SWEEP_LOST     /* every process that made it ended before the run did */
} sn_sweep_status;

const char *sn_sweep_status_name(sn_sweep_status status);

typedef struct sn_sweep_row {
    uint32_t run;
    sn_sweep_status status;
    double relative, overlap; /* the worst of all frames: error of constraints, as a share of their size; overlap, m */
    char *names, *values;     /* recorded values at the end, as in a .csv; "": none */
    char *message;            /* why it ended early; "" otherwise */
} sn_sweep_row;

void sn_sweep_row_release(sn_sweep_row *row);

/* The value of an axis in a run, as text (sweep.c). */
const char *sn_sweep_value(const sn_sweep *sweep, uint32_t run, uint32_t axis);

/* Makes a run (sweep_run.c). False when memory runs out, or after a signal. */
bool sn_sweep_make(const sn_sweep *sweep, uint32_t run, sn_sweep_row *row);

/* ---- Shared files (sweep_journal.c). False, or an exit code other than SN_EXIT_FINE, after a message. ------------ */

/* Makes the folder, or checks that it is of the same sweep. fresh: earlier results are removed. */
int sn_sweep_open(sn_sweep *sweep);
void sn_sweep_close(sn_sweep *sweep);

/* At the start of a command: runs that were begun and not completed get new attempts. */
bool sn_sweep_try_again(sn_sweep *sweep);

/* The state of all runs: a byte for each. */
bool sn_sweep_states(const sn_sweep *sweep, unsigned char *state);
bool sn_sweep_is_over(unsigned char state);

/* In a worker: open its files; claim a run, if possible, where `lost` means that it must not be tried again; write
   its result and release the claim. */
bool sn_sweep_begin(sn_sweep *sweep);
bool sn_sweep_take(const sn_sweep *sweep, uint32_t run, bool *lost);
bool sn_sweep_put(sn_sweep *sweep, const sn_sweep_row *row);
void sn_sweep_leave(const sn_sweep *sweep, uint32_t run);

/* Reads all rows, by run; `found` of each: whether there is one. */
bool sn_sweep_read(const sn_sweep *sweep, sn_sweep_row *row, bool *found);

/* ---- Results (sweep_table.c): table.csv, table.npy, and the picture. --------------------------------------------- */
int sn_sweep_tell(const sn_sweep *sweep, const sn_sweep_row *row, const bool *found);

#endif
