/* The pile of the benchmark: spheres that are dropped into a box, and their overlap once they lie there. */
#include "cli/bench_scenes.h"

#include <math.h>
#include <stdlib.h>

#define RADIUS 0.05    /* m */
#define BOX    2.0     /* m: the side of the box for a pile of */
#define IN_BOX 20000.0 /* spheres; with other numbers they lie equally deep */

/* The start: a lattice so wide that jitter makes no two spheres overlap, and that columns do not survive the fall.
   Spheres that start closer (2.3 radii) settle as columns with 3.7 contacts per sphere, which are cheaper to solve. */
#define PITCH  2.6  /* radii between neighbours */
#define JITTER 0.29 /* radii to either side, along every axis */

/* ---- Building ---------------------------------------------------------------------------------------------------- */

static double draw_jitter(uint64_t *state)
{
    return JITTER * RADIUS * (2 * ((double)(sn_bench_draw(state) >> 11) / 9007199254740992.0) - 1);
}

bool sn_bench_build_pile(uint32_t n, sn_bench_model *m)
{
    if (!sn_bench_model_reserve(m, n, 0, 0))
        return false;
    m->radius = RADIUS;
    m->box = BOX * sqrt(n / IN_BOX);
    double pitch = PITCH * RADIUS, wall = (1 + JITTER) * RADIUS; /* m from a wall to the first sphere of a row */
    uint32_t row = m->box > 2 * wall ? (uint32_t)((m->box - 2 * wall) / pitch) + 1 : 1;
    uint64_t state = 20261116;
    for (uint32_t i = 0; i < n; ++i) {
        double *p = &m->xyz[3 * (size_t)i];
        uint32_t in_layer = i % (row * row), layer = i / (row * row);
        p[0] = pitch * (in_layer % row - (row - 1) / 2.0) + draw_jitter(&state);
        p[1] = wall + pitch * layer + draw_jitter(&state);
        p[2] = pitch * (in_layer / row - (row - 1) / 2.0) + draw_jitter(&state);
        m->mass[i] = 1;
    }
    return true;
}

/* ---- Overlap ----------------------------------------------------------------------------------------------------- */

/* Spheres are sorted into cells as wide as a sphere, so that overlapping spheres are in neighbouring cells. A cell
   is a key of three times 21 bits, x lowest, so that three consecutive cells of a row are one range of the sorted
   list. */
#define CELL_BITS 21
#define CELL_HALF (1 << (CELL_BITS - 1))

typedef struct celled {
    uint64_t key;
    uint32_t sphere;
} celled;

typedef struct tally {
    const sn_bench_model *model;
    const double *xyz;
    celled *cell;
    double sum, most;
    double pairs, walls;
} tally;

static int by_key(const void *a, const void *b)
{
    const celled *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->sphere > y->sphere) - (x->sphere < y->sphere);
}

/* False for a position that is not a number, or too far away to have a cell. */
static bool find_cell(const sn_bench_model *m, const double *p, uint64_t *key)
{
    *key = 0;
    for (int k = 2; k >= 0; --k) {
        double at = floor(p[k] / (2 * m->radius)) + CELL_HALF;
        if (!(at >= 1 && at < 2 * CELL_HALF - 1))
            return false;
        *key = *key << CELL_BITS | (uint64_t)at;
    }
    return true;
}

static void note(tally *t, double depth, double *count)
{
    if (!(depth > 0))
        return;
    t->sum += depth;
    t->most = depth > t->most ? depth : t->most;
    *count += 1;
}

/* Tests the spheres from `at` on in the sorted list, up to a key. */
static void meet_stretch(tally *t, uint32_t at, uint64_t last, const double *p)
{
    for (; at < t->model->particles && t->cell[at].key <= last; ++at) {
        const double *q = &t->xyz[3 * (size_t)t->cell[at].sphere];
        double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
        note(t, 2 * t->model->radius - sqrt(x * x + y * y + z * z), &t->pairs);
    }
}

static uint32_t lower_bound(const celled *cell, uint32_t count, uint64_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cell[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Tests every pair once: with spheres that follow in the list in the same row, and with the four rows after it. */
static void meet_neighbours(tally *t, uint32_t at)
{
    const uint64_t y = (uint64_t)1 << CELL_BITS, z = y << CELL_BITS;
    const uint64_t rows[4] = {y, z - y, z, z + y};
    uint64_t key = t->cell[at].key;
    const double *p = &t->xyz[3 * (size_t)t->cell[at].sphere];
    meet_stretch(t, at + 1, key + 1, p);
    for (int i = 0; i < 4; ++i)
        meet_stretch(t, lower_bound(t->cell, t->model->particles, key + rows[i] - 1), key + rows[i] + 1, p);
    note(t, t->model->radius - p[1], &t->walls);
    for (int k = 0; k < 3; k += 2)
        note(t, t->model->radius - (t->model->box / 2 - fabs(p[k])), &t->walls);
}

bool sn_bench_model_overlap(const sn_bench_model *m, const double *xyz, sn_bench_overlap *overlap)
{
    tally t = {.model = m, .xyz = xyz, .cell = malloc(((size_t)m->particles + 1) * sizeof *t.cell)};
    bool whole = t.cell != NULL;
    *overlap = (sn_bench_overlap){NAN, NAN, NAN};
    for (uint32_t i = 0; i < m->particles && whole; ++i) {
        t.cell[i].sphere = i;
        whole = find_cell(m, &xyz[3 * (size_t)i], &t.cell[i].key);
    }
    if (whole) {
        qsort(t.cell, m->particles, sizeof *t.cell, by_key);
        for (uint32_t i = 0; i < m->particles; ++i)
            meet_neighbours(&t, i);
        double touches = t.pairs + t.walls;
        overlap->mean = touches > 0 ? t.sum / touches / m->radius : 0;
        overlap->largest = t.most / m->radius;
        overlap->contacts = (2 * t.pairs + t.walls) / m->particles;
    }
    bool good = t.cell != NULL;
    free(t.cell);
    return good;
}
