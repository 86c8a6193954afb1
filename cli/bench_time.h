/* Times of a benchmark: frames run in blocks; the median of the blocks counts, and the spread is shown. It uses
   neither Sinew nor the command, since the comparison program in bench/ is also built from it. */
#ifndef SN_CLI_BENCH_TIME_H
#define SN_CLI_BENCH_TIME_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SN_BENCH_BLOCKS  10  /* per run, or as many as it has frames */
#define SN_BENCH_LEAST   5   /* blocks, and so frames after the first */
#define SN_BENCH_SAMPLES 200 /* most samples of all runs of a case together */

/* Short cases run again until so many seconds were measured, up to SN_BENCH_SAMPLES. */
#define SN_BENCH_SECONDS 1.0

typedef struct sn_bench_samples {
    uint32_t count;
    double value[SN_BENCH_SAMPLES]; /* s per frame, one for each block */
    double total;                   /* s in all blocks */
    double (*wall_clock)(void);     /* if it is set, blocks are also timed by this clock: */
    double wall[SN_BENCH_SAMPLES];  /* s per frame, in the order of blocks until a median sorts them */
    double first;                   /* s: the first frame of the first run, which includes the engine's preparations */
} sn_bench_samples;

typedef bool sn_bench_step(void *context);
typedef double sn_bench_clock(void);

/* Runs so many frames, at least SN_BENCH_LEAST + 1. The first one is timed separately, the others in blocks, whose
   times are added to the samples (zeroed before the first run). False if a step fails. */
bool sn_bench_run_blocks(sn_bench_samples *samples, uint32_t frames, sn_bench_step *step, void *context,
                         sn_bench_clock *clock);

/* Whether the case should run once more. */
bool sn_bench_wants_more(const sn_bench_samples *samples, double seconds);

/* These sort the samples. The spread is the distance of the quartiles as a share of the median, on which a single
   interruption by other programs has little effect. */
double sn_bench_median(sn_bench_samples *samples);
double sn_bench_spread(sn_bench_samples *samples);

/* The median by the wall clock; 0 without one. */
double sn_bench_wall_median(sn_bench_samples *samples);

#ifdef __cplusplus
}
#endif
#endif
