/* The matrix of a plate: elimination order, sparse factor, solution. See plates.h. */
#include "solvers/plates.h"

#include <math.h>
#include <string.h>

/* The most multiplications of a factorisation: two seconds, for a sheet of 300 by 300. Larger sheets are left to
   sweeps. */
#define MOST_WORK 2e9

/* Parts with this number of vertices are not divided further. */
#define SMALLEST_PART 24u

#define NONE SN_PLAN_NONE

typedef struct planning {
    sn_plates *p;
    uint32_t *hinge_start, *hinge; /* by vertex: its hinges */
    uint32_t *start, *near;        /* by vertex: vertices of the same hinges; immovable ones list movable ones only */
    uint32_t *order;               /* vertices in the order of their new numbers */
    uint32_t *part;                /* by vertex: its part */
    uint32_t *level, *queue;       /* by vertex */
    uint32_t *segment;             /* parts that are to be divided: two numbers each */
    uint32_t waiting, parts;
} planning;

/* ---- Neighbours -------------------------------------------------------------------------------------------------- */

static void list_hinges(planning *w)
{
    const sn_plates *p = w->p;
    for (uint32_t i = 0; i < p->hinges; ++i)
        for (uint32_t k = 0; k < p->hinge[i].points; ++k)
            w->hinge_start[p->hinge[i].vertex[k] + 2]++;
    for (uint32_t i = 0; i < p->vertices; ++i)
        w->hinge_start[i + 2] += w->hinge_start[i + 1];
    for (uint32_t i = 0; i < p->hinges; ++i)
        for (uint32_t k = 0; k < p->hinge[i].points; ++k)
            w->hinge[w->hinge_start[p->hinge[i].vertex[k] + 1]++] = i;
}

/* `mark` has NONE for every vertex, or the numbers of earlier vertices. */
static void list_neighbours(planning *w, uint32_t *mark)
{
    const sn_plates *p = w->p;
    uint32_t count = 0;
    for (uint32_t v = 0; v < p->vertices; ++v) {
        w->start[v] = count;
        mark[v] = v;
        for (uint32_t i = w->hinge_start[v]; i < w->hinge_start[v + 1]; ++i)
            for (uint32_t k = 0; k < 4; ++k) {
                const uint32_t other = p->hinge[w->hinge[i]].vertex[k];
                if (mark[other] == v || !(p->mass[v] > 0 || p->mass[other] > 0))
                    continue;
                mark[other] = v;
                w->near[count++] = other;
            }
    }
    w->start[p->vertices] = count;
}

/* ---- Nested dissection ------------------------------------------------------------------------------------------- */

/* Breadth-first search from `first` within its part. The vertices are left in the queue, and their number is returned.
   Levels start at base + 1; base must be above all levels of the last search in this part. */
static uint32_t search(planning *w, uint32_t first, uint32_t part, uint32_t base)
{
    uint32_t count = 1;
    w->queue[0] = first;
    w->level[first] = base + 1;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t v = w->queue[i];
        for (uint32_t k = w->start[v]; k < w->start[v + 1]; ++k) {
            const uint32_t other = w->near[k];
            if (w->part[other] != part || w->level[other] > base)
                continue;
            w->level[other] = w->level[v] + 1;
            w->queue[count++] = other;
        }
    }
    return count;
}

/* The side of a vertex: 0 or 1, before or behind the middle level; 2: the separator. */
static uint32_t side_of(const planning *w, uint32_t v, uint32_t part, uint32_t middle)
{
    uint32_t side = w->level[v] <= middle ? 0 : 1;
    for (uint32_t k = w->start[v]; w->level[v] == middle && k < w->start[v + 1]; ++k)
        if (w->part[w->near[k]] == part && w->level[w->near[k]] == middle + 1)
            side = 2;
    return side;
}

/* Adds a part to those that are to be divided. */
static void wait_for(planning *w, uint32_t first, uint32_t end)
{
    if (end - first <= SMALLEST_PART)
        return;
    w->parts++;
    for (uint32_t i = first; i < end; ++i)
        w->part[w->order[i]] = w->parts;
    w->segment[2 * w->waiting] = first;
    w->segment[2 * w->waiting++ + 1] = end;
}

/* Divides a connected part, which is in the queue: one side, the other side, and then the separator. */
static void cut_in_two(planning *w, uint32_t first, uint32_t count)
{
    const uint32_t part = w->part[w->order[first]];
    uint32_t end[3], at = first;
    for (uint32_t turn = 0; turn < 2; ++turn) /* from one end to the other */
        search(w, w->queue[count - 1], part, w->level[w->queue[count - 1]]);
    const uint32_t middle = w->level[w->queue[count / 2]];
    for (uint32_t side = 0; side < 3; ++side) {
        for (uint32_t i = 0; i < count; ++i)
            if (side_of(w, w->queue[i], part, middle) == side)
                w->order[at++] = w->queue[i];
        end[side] = at;
    }
    if (end[0] == first || end[1] == end[0]) /* it has too few levels */
        return;
    wait_for(w, first, end[0]);
    wait_for(w, end[0], end[1]);
}

static void cut(planning *w)
{
    const uint32_t first = w->segment[2 * --w->waiting], end = w->segment[2 * w->waiting + 1];
    uint32_t at = first;
    for (uint32_t i = first; i < end; ++i)
        w->level[w->order[i]] = 0;
    const uint32_t count = search(w, w->order[first], w->part[w->order[first]], 0);
    if (count == end - first) {
        cut_in_two(w, first, count);
        return;
    }
    for (uint32_t i = first; i < end; ++i) /* the vertices that are not connected to these */
        if (!w->level[w->order[i]])
            w->order[at++] = w->order[i];
    for (uint32_t i = 0; i < count; ++i)
        w->order[at + i] = w->queue[i];
    wait_for(w, first, at);
    wait_for(w, at, end);
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* Renumbers the vertices. `number` and `copy` are scratch, by vertex. */
static void renumber(planning *w, uint32_t *number, double *copy)
{
    sn_plates *p = w->p;
    for (uint32_t i = 0; i < p->vertices; ++i) {
        number[w->order[i]] = i;
        copy[i] = p->mass[w->order[i]];
    }
    for (uint32_t i = 0; i < p->vertices; ++i)
        p->mass[i] = copy[i];
    for (uint32_t i = 0; i < p->vertices; ++i)
        w->level[i] = p->slot[w->order[i]];
    for (uint32_t i = 0; i < p->vertices; ++i)
        p->slot[i] = w->level[i];
    for (uint32_t i = 0; i < p->hinges; ++i)
        for (uint32_t k = 0; k < 4; ++k)
            p->hinge[i].vertex[k] = number[p->hinge[i].vertex[k]];
}

/* Fills the lower half of the matrix, row by row. place, by vertex: its index in this row. */
static void fill_rows(planning *w, const uint32_t *number, uint32_t *place)
{
    sn_plates *p = w->p;
    uint32_t count = 0;
    for (uint32_t v = 0; v < p->vertices; ++v) {
        const uint32_t old = w->order[v];
        p->near_start[v] = count;
        for (uint32_t k = w->start[old]; k < w->start[old + 1]; ++k)
            if (number[w->near[k]] < v) {
                place[number[w->near[k]]] = count;
                p->near[count++] = number[w->near[k]];
            }
        for (uint32_t i = w->hinge_start[old]; i < w->hinge_start[old + 1]; ++i) {
            const sn_plate_hinge *hinge = &p->hinge[w->hinge[i]];
            double mine = 0;
            for (uint32_t k = 0; k < hinge->points; ++k)
                mine = hinge->vertex[k] == v ? hinge->k[k] : mine;
            for (uint32_t k = 0; k < hinge->points; ++k) {
                const uint32_t other = hinge->vertex[k];
                const double product = mine * hinge->k[k];
                if (other > v || !(p->mass[v] > 0 || p->mass[other] > 0))
                    continue;
                *(other == v ? &p->stiff[v] : &p->near_stiff[place[other]]) += product * hinge->stiffness;
                *(other == v ? &p->loss[v] : &p->near_loss[place[other]]) += product * hinge->damping;
            }
        }
    }
    p->near_start[p->vertices] = count;
}

/* ---- The elimination tree ---------------------------------------------------------------------------------------- */

uint32_t sn_plates_reach(const sn_plates *p, const sn_plate *plate, uint32_t v)
{
    uint32_t top = plate->vertex + plate->unknowns, *path = p->path + plate->vertex;
    p->seen[v] = v;
    for (uint32_t k = p->near_start[v]; k < p->near_start[v + 1]; ++k) {
        uint32_t length = 0;
        for (uint32_t i = p->near[k]; p->seen[i] != v; i = p->parent[i]) {
            path[length++] = i;
            p->seen[i] = v;
        }
        while (length)
            p->stack[--top] = path[--length];
    }
    return top;
}

static void find_parents(const sn_plates *p, const sn_plate *plate, uint32_t *ancestor)
{
    for (uint32_t v = plate->vertex; v < plate->vertex + plate->unknowns; ++v) {
        p->parent[v] = ancestor[v] = p->seen[v] = NONE;
        for (uint32_t k = p->near_start[v]; k < p->near_start[v + 1]; ++k)
            for (uint32_t i = p->near[k], next; i != NONE && i < v; i = next) {
                next = ancestor[i];
                ancestor[i] = v;
                if (next == NONE)
                    p->parent[i] = v;
            }
    }
}

/* Finds where columns begin. Returns the number of multiplications of the factorisation. */
static double measure(const sn_plates *p, const sn_plate *plate, size_t *entries)
{
    const uint32_t end = plate->vertex + plate->unknowns;
    double work = 0;
    for (uint32_t v = plate->vertex; v < end; ++v)
        for (uint32_t i = sn_plates_reach(p, plate, v); i < end; ++i)
            p->filled[p->stack[i]]++;
    for (uint32_t v = plate->vertex; v < end; ++v) {
        p->column[v] = *entries;
        *entries += p->filled[v];
        work += (double)p->filled[v] * p->filled[v] / 2;
        p->seen[v] = NONE;
    }
    for (uint32_t v = plate->vertex, alike; v < end; v += alike) {
        for (alike = 1; alike < 4 && v + alike < end && p->parent[v + alike - 1] == v + alike &&
                        p->filled[v + alike - 1] == p->filled[v + alike] + 1;)
            alike++;
        alike = alike == 4 ? 4 : 1;
        p->width[v] = p->width[v + alike - 1] = (uint8_t)alike;
    }
    return work;
}

static void order_all(planning *w)
{
    sn_plates *p = w->p;
    for (uint32_t i = 0; i < p->vertices; ++i)
        w->order[i] = i;
    for (uint32_t i = 0; i < p->count; ++i) {
        wait_for(w, p->plate[i].vertex, p->plate[i].vertex + p->plate[i].unknowns);
        while (w->waiting)
            cut(w);
    }
}

void sn_plates_plan_factors(sn_plates *p, const sn_allocator *allocator)
{
    const size_t n = p->vertices;
    size_t entries = 0;
#define ROOM(to, count) (to) = rooms_take(&p->rooms, allocator, (count), sizeof *(to))
    planning w = {.p = p};
    uint32_t *number;
    double *copy;
    ROOM(w.hinge_start, n + 2);
    ROOM(w.hinge, 4 * (size_t)p->hinges);
    ROOM(w.start, n + 1);
    ROOM(w.near, 12 * (size_t)p->hinges);
    ROOM(w.order, n);
    ROOM(w.part, n);
    ROOM(w.level, n);
    ROOM(w.queue, n);
    ROOM(w.segment, 2 * n);
    ROOM(number, n);
    ROOM(copy, n);
    ROOM(p->near_start, n + 1);
    ROOM(p->near, 6 * (size_t)p->hinges);
    ROOM(p->near_stiff, 6 * (size_t)p->hinges);
    ROOM(p->near_loss, 6 * (size_t)p->hinges);
    ROOM(p->stiff, n);
    ROOM(p->loss, n);
    ROOM(p->parent, n);
    ROOM(p->seen, n);
    ROOM(p->path, n);
    ROOM(p->stack, n);
    ROOM(p->filled, n);
    ROOM(p->column, n + 1);
    ROOM(p->width, n);
    ROOM(p->pivot, n);
    ROOM(p->sum, n);
    if (p->rooms.failed)
        return;
    list_hinges(&w);
    for (size_t i = 0; i < n; ++i)
        number[i] = NONE;
    list_neighbours(&w, number);
    order_all(&w);
    renumber(&w, number, copy);
    fill_rows(&w, number, w.level);
    for (uint32_t i = 0; i < p->count; ++i) {
        const size_t before = entries;
        find_parents(p, &p->plate[i], w.level);
        p->plate[i].too_large = measure(p, &p->plate[i], &entries) > MOST_WORK;
        entries = p->plate[i].too_large ? before : entries;
    }
    ROOM(p->row, entries);
    ROOM(p->factor, entries);
#undef ROOM
}

/* ---- Factoring and solving --------------------------------------------------------------------------------------- */

void sn_plates_factor(const sn_plates *p, sn_plate *plate, double h)
{
    const uint32_t end = plate->vertex + plate->unknowns;
    for (uint32_t v = plate->vertex; v < end; ++v) {
        p->filled[v] = 0;
        p->seen[v] = NONE;
        p->sum[v] = 0;
    }
    for (uint32_t v = plate->vertex; v < end; ++v) {
        double diagonal = p->mass[v] + h * h * p->stiff[v] + h * p->loss[v];
        for (uint32_t k = p->near_start[v]; k < p->near_start[v + 1]; ++k)
            p->sum[p->near[k]] = h * h * p->near_stiff[k] + h * p->near_loss[k];
        for (uint32_t i = sn_plates_reach(p, plate, v); i < end; ++i) {
            const uint32_t j = p->stack[i];
            const size_t first = p->column[j], last = first + p->filled[j]++;
            const double by = p->sum[j] * p->pivot[j];
            p->sum[j] = 0;
            for (size_t e = first; e < last; ++e)
                p->sum[p->row[e]] -= p->factor[e] * by;
            p->row[last] = v;
            p->factor[last] = by;
            diagonal -= by * by;
        }
        p->pivot[v] = 1 / sqrt(diagonal > 0 ? diagonal : p->mass[v]); /* it is at least the mass, apart from rounding */
    }
    plate->h = h;
}

/* Two numbers in a vector. A displacement and a fourth number are two of these. */
#ifdef __GNUC__
typedef double two __attribute__((vector_size(16)));
#define TWO_LESS(a, b, s) ((a) - (b) * (s))
#define TWO_SCALE(a, s)   ((a) * (s))
#else
typedef struct two {
    double a, b;
} two;
#define TWO_LESS(x, y, s) ((two){(x).a - (y).a * (s), (x).b - (y).b * (s)})
#define TWO_SCALE(x, s)   ((two){(x).a * (s), (x).b * (s)})
#endif

static inline two load(const double *from)
{
    two a;
    memcpy(&a, from, sizeof a);
    return a;
}

static inline void store(double *to, two a)
{
    memcpy(to, &a, sizeof a);
}

/* to -= from * by, of four numbers. */
#define LESS(to, from, by)                                                                                             \
    do {                                                                                                               \
        const double factor_ = (by);                                                                                   \
        to##0 = TWO_LESS(to##0, from##0, factor_);                                                                     \
        to##1 = TWO_LESS(to##1, from##1, factor_);                                                                     \
    } while (0)
#define LOAD(name, from) two name##0 = load(from), name##1 = load((from) + 2)
#define STORE(to, name)  (store(to, name##0), store((to) + 2, name##1))
#define SCALE(name, by)  (name##0 = TWO_SCALE(name##0, by), name##1 = TWO_SCALE(name##1, by))

static void solve_down(const sn_plates *p, uint32_t v, double (*x)[4])
{
    const double *factor = p->factor + p->column[v];
    const uint32_t *row = p->row + p->column[v], rows = p->filled[v];
    LOAD(a, x[v]);
    SCALE(a, p->pivot[v]);
    STORE(x[v], a);
    for (uint32_t e = 0; e < rows; ++e) {
        LOAD(to, x[row[e]]);
        LESS(to, a, factor[e]);
        STORE(x[row[e]], to);
    }
}

static void solve_up(const sn_plates *p, uint32_t v, double (*x)[4])
{
    const double *factor = p->factor + p->column[v];
    const uint32_t *row = p->row + p->column[v], rows = p->filled[v];
    LOAD(a, x[v]);
    for (uint32_t e = 0; e < rows; ++e) {
        LOAD(from, x[row[e]]);
        LESS(a, from, factor[e]);
    }
    SCALE(a, p->pivot[v]);
    STORE(x[v], a);
}

/* Four columns with the same rows below them. These rows come after the entries of the columns in each other's rows. */
typedef struct columns {
    const double *a, *b, *c, *d;
    const uint32_t *row;
    uint32_t rows;
} columns;

static columns columns_from(const sn_plates *p, uint32_t v)
{
    const size_t *column = p->column + v;
    return (columns){p->factor + column[0], p->factor + column[1], p->factor + column[2],
                     p->factor + column[3], p->row + column[3],    p->filled[v + 3]};
}

static void solve_four_down(const sn_plates *p, uint32_t v, double (*x)[4])
{
    const columns at = columns_from(p, v);
    LOAD(a, x[v]);
    LOAD(b, x[v + 1]);
    LOAD(c, x[v + 2]);
    LOAD(d, x[v + 3]);
    SCALE(a, p->pivot[v]);
    LESS(b, a, at.a[0]);
    SCALE(b, p->pivot[v + 1]);
    LESS(c, a, at.a[1]);
    LESS(c, b, at.b[0]);
    SCALE(c, p->pivot[v + 2]);
    LESS(d, a, at.a[2]);
    LESS(d, b, at.b[1]);
    LESS(d, c, at.c[0]);
    SCALE(d, p->pivot[v + 3]);
    STORE(x[v], a);
    STORE(x[v + 1], b);
    STORE(x[v + 2], c);
    STORE(x[v + 3], d);
    for (uint32_t e = 0; e < at.rows; ++e) {
        LOAD(to, x[at.row[e]]);
        LESS(to, a, at.a[e + 3]);
        LESS(to, b, at.b[e + 2]);
        LESS(to, c, at.c[e + 1]);
        LESS(to, d, at.d[e]);
        STORE(x[at.row[e]], to);
    }
}

static void solve_four_up(const sn_plates *p, uint32_t v, double (*x)[4])
{
    const columns at = columns_from(p, v);
    LOAD(a, x[v]);
    LOAD(b, x[v + 1]);
    LOAD(c, x[v + 2]);
    LOAD(d, x[v + 3]);
    for (uint32_t e = 0; e < at.rows; ++e) {
        LOAD(from, x[at.row[e]]);
        LESS(a, from, at.a[e + 3]);
        LESS(b, from, at.b[e + 2]);
        LESS(c, from, at.c[e + 1]);
        LESS(d, from, at.d[e]);
    }
    SCALE(d, p->pivot[v + 3]);
    LESS(c, d, at.c[0]);
    SCALE(c, p->pivot[v + 2]);
    LESS(b, d, at.b[1]);
    LESS(b, c, at.b[0]);
    SCALE(b, p->pivot[v + 1]);
    LESS(a, d, at.a[2]);
    LESS(a, c, at.a[1]);
    LESS(a, b, at.a[0]);
    SCALE(a, p->pivot[v]);
    STORE(x[v], a);
    STORE(x[v + 1], b);
    STORE(x[v + 2], c);
    STORE(x[v + 3], d);
}

void sn_plates_solve(const sn_plates *p, const sn_plate *plate, double (*x)[4])
{
    const uint32_t end = plate->vertex + plate->unknowns;
    for (uint32_t v = plate->vertex; v < end; v += p->width[v])
        (p->width[v] == 1 ? solve_down : solve_four_down)(p, v, x);
    for (uint32_t v = end; v > plate->vertex;) {
        v -= p->width[v - 1];
        (p->width[v] == 1 ? solve_up : solve_four_up)(p, v, x);
    }
}

/* y -= (stiff * S + loss * B) x, from the diagonal and the lower half, which also gives the upper half. */
void sn_plates_multiply(const sn_plates *p, const sn_plate *plate, double stiff, double loss, double (*x)[4],
                        double (*y)[4])
{
    for (uint32_t v = plate->vertex; v < plate->vertex + plate->vertices; ++v) {
        const double diagonal = stiff * p->stiff[v] + loss * p->loss[v];
        LOAD(a, x[v]);
        LOAD(sum, y[v]);
        LESS(sum, a, diagonal);
        for (uint32_t k = p->near_start[v]; k < p->near_start[v + 1]; ++k) {
            const double by = stiff * p->near_stiff[k] + loss * p->near_loss[k];
            LOAD(b, x[p->near[k]]);
            LOAD(to, y[p->near[k]]);
            LESS(sum, b, by);
            LESS(to, a, by);
            STORE(y[p->near[k]], to);
        }
        STORE(y[v], sum);
    }
}
