#include "cli/bench_time.h"

#include <stdlib.h>

static bool time_frames(uint32_t frames, sn_bench_step *step, void *context, sn_bench_clock *clock, double *seconds)
{
    double start = clock();
    for (uint32_t i = 0; i < frames; ++i)
        if (!step(context))
            return false;
    *seconds = clock() - start;
    return true;
}

bool sn_bench_run_blocks(sn_bench_samples *s, uint32_t frames, sn_bench_step *step, void *context,
                         sn_bench_clock *clock)
{
    double seconds;
    uint32_t rest = frames > SN_BENCH_LEAST ? frames - 1 : SN_BENCH_LEAST;
    uint32_t blocks = rest < SN_BENCH_BLOCKS ? SN_BENCH_LEAST : SN_BENCH_BLOCKS;
    if (!time_frames(1, step, context, clock, &seconds))
        return false;
    if (s->count == 0)
        s->first = seconds;
    for (uint32_t i = 0; i < blocks; ++i) {
        uint32_t length = (uint32_t)((i + 1ull) * rest / blocks - (uint64_t)i * rest / blocks);
        if (!time_frames(length, step, context, clock, &seconds))
            return false;
        s->total += seconds;
        if (s->count < SN_BENCH_SAMPLES)
            s->value[s->count++] = seconds / length;
    }
    return true;
}

bool sn_bench_wants_more(const sn_bench_samples *s, double seconds)
{
    return s->total < seconds && s->count + SN_BENCH_BLOCKS <= SN_BENCH_SAMPLES;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the two nearest where the share falls between samples. */
static double quantile(sn_bench_samples *s, double share)
{
    if (s->count == 0)
        return 0;
    qsort(s->value, s->count, sizeof *s->value, by_value);
    double at = share * (s->count - 1);
    uint32_t below = (uint32_t)at, above = below + 1 < s->count ? below + 1 : below;
    return s->value[below] + (at - below) * (s->value[above] - s->value[below]);
}

double sn_bench_median(sn_bench_samples *s)
{
    return quantile(s, 0.5);
}

double sn_bench_spread(sn_bench_samples *s)
{
    double median = quantile(s, 0.5);
    return median > 0 ? (quantile(s, 0.75) - quantile(s, 0.25)) / median : 0;
}
