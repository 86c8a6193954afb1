/* Shared by the programs that measure one world. */
#ifndef SN_BENCH_SHARED_H
#define SN_BENCH_SHARED_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define MOST_LIST 24

/* s: CPU time of this program. */
static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reads numbers separated by commas, MOST_LIST at most. Returns how many there are. */
static inline uint32_t read_list(const char *text, uint32_t *list)
{
    uint32_t count = 0;
    for (char *end; *text && count < MOST_LIST; text = *end ? end + 1 : end)
        list[count++] = (uint32_t)strtoul(text, &end, 10);
    return count;
}

#endif
