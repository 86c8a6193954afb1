#include "cli/bench_time.h"

#include <stdlib.h>

/* Seconds by the clock, and by the wall clock if there is one. */
typedef struct times {
    double clock, wall;
} times;

static bool time_frames(uint32_t frames, sn_bench_step *step, void *context, sn_bench_clock *clock,
                        sn_bench_clock *wall, times *taken)
{
    double start = clock(), wall_start = wall ? wall() : 0;
    for (uint32_t i = 0; i < frames; ++i)
        if (!step(context))
            return false;
    taken->clock = clock() - start;
    taken->wall = wall ? wall() - wall_start : 0;
    return true;
}

bool sn_bench_run_blocks(sn_bench_samples *s, uint32_t frames, sn_bench_step *step, void *context,
                         sn_bench_clock *clock)
{
    times taken;
    uint32_t rest = frames > SN_BENCH_LEAST ? frames - 1 : SN_BENCH_LEAST;
    uint32_t blocks = rest < SN_BENCH_BLOCKS ? SN_BENCH_LEAST : SN_BENCH_BLOCKS;
    if (!time_frames(1, step, context, clock, s->wall_clock, &taken))
        return false;
    if (s->count == 0)
        s->first = taken.clock;
    for (uint32_t i = 0; i < blocks; ++i) {
        uint32_t length = (uint32_t)((i + 1ull) * rest / blocks - (uint64_t)i * rest / blocks);
        if (!time_frames(length, step, context, clock, s->wall_clock, &taken))
            return false;
        s->total += taken.clock;
        if (s->count < SN_BENCH_SAMPLES) {
            s->wall[s->count] = taken.wall / length;
            s->value[s->count++] = taken.clock / length;
        }
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

/* Interpolates between the two nearest samples. */
static double quantile(uint32_t count, double *value, double share)
{
    if (count == 0)
        return 0;
    qsort(value, count, sizeof *value, by_value);
    double at = share * (count - 1);
    uint32_t below = (uint32_t)at, above = below + 1 < count ? below + 1 : below;
    return value[below] + (at - below) * (value[above] - value[below]);
}

double sn_bench_median(sn_bench_samples *s)
{
    return quantile(s->count, s->value, 0.5);
}

double sn_bench_wall_median(sn_bench_samples *s)
{
    return quantile(s->count, s->wall, 0.5);
}

double sn_bench_spread(sn_bench_samples *s)
{
    double median = sn_bench_median(s);
    return median > 0 ? (quantile(s->count, s->value, 0.75) - quantile(s->count, s->value, 0.25)) / median : 0;
}
