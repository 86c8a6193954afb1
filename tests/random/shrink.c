/* Makes a failing program short: drops runs of ops as long as it still fails, then makes numbers plain. */
#include "random/net.h"

#include <time.h>

#define MOST_TRIES   3000
#define MOST_SECONDS 60

typedef struct shrinker {
    net_program *program;
    net_fails *fails;
    void *context;
    uint32_t tries;
    time_t end;
} shrinker;

static bool still_fails(shrinker *s, const net_program *program)
{
    return s->tries++ < MOST_TRIES && time(NULL) < s->end && s->fails(program, s->context);
}

/* Without `count` ops from `first` on. */
static bool drop(shrinker *s, uint32_t first, uint32_t count)
{
    static net_program shorter;
    shorter = *s->program; /* shares its cells */
    memmove(shorter.op + first, shorter.op + first + count, (shorter.ops - first - count) * sizeof *shorter.op);
    shorter.ops -= count;
    if (!still_fails(s, &shorter))
        return false;
    for (uint32_t i = first; i < first + count; ++i)
        free(s->program->op[i].cell);
    *s->program = shorter;
    return true;
}

static bool drop_runs(shrinker *s)
{
    bool any = false;
    for (uint32_t size = s->program->ops / 2; size >= 1; size /= 2)
        for (uint32_t end = s->program->ops; end >= size; end = end > size ? end - size : 0) {
            if (end <= s->program->ops && drop(s, end - size, size))
                any = true;
            end = end > s->program->ops ? s->program->ops : end;
        }
    return any;
}

static bool put(shrinker *s, net_cell *cell, double value)
{
    net_cell before = *cell;
    if (cell->type == CELL_REAL ? cell->as.real == value : cell->as.number == (uint64_t)value)
        return false;
    if (cell->type == CELL_REAL)
        cell->as.real = value;
    else
        cell->as.number = (uint64_t)value;
    if (still_fails(s, s->program))
        return true;
    *cell = before;
    return false;
}

static bool make_plain(shrinker *s)
{
    bool any = false;
    for (uint32_t i = s->program->ops; i-- > 0;)
        for (uint32_t k = 0; k < s->program->op[i].cells; ++k) {
            net_cell *cell = &s->program->op[i].cell[k];
            double x = cell->as.real;
            if (cell->type == CELL_NUMBER)
                any |= cell->as.number <= 100000 && put(s, cell, 0);
            else if (cell->type == CELL_REAL && x == x && x != (double)SN_MEASURE)
                any |= put(s, cell, 0) || put(s, cell, 1) ||
                       (fabs(x) < 1e6 &&
                        (put(s, cell, floor(x + 0.5)) || put(s, cell, (double)(sn_real)(floor(4 * x + 0.5) / 4)) ||
                         put(s, cell, (double)(sn_real)(floor(100 * x + 0.5) / 100))));
        }
    return any;
}

void net_shrink(net_program *program, net_fails *fails, void *context)
{
    shrinker s = {.program = program, .fails = fails, .context = context, .end = time(NULL) + MOST_SECONDS};
    while (drop_runs(&s) && s.tries < MOST_TRIES)
        ;
    for (int i = 0; i < 3 && s.tries < MOST_TRIES && make_plain(&s); ++i)
        drop_runs(&s);
}
