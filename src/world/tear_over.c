/* Finds the rods of skins that are over their strength at the end of a step. All rods are tested, but most are ruled
   out quickly by the strength of the weakest. */
#include "world/world.h"

#include "base/dvec.h"

#include <string.h>

/* The strength of the weakest rod of all skins, for a quick test. */
typedef struct limits {
    const sn_world *world;
    double strain, force; /* infinite: no skin tears by it */
    double h2;
    bool wears; /* some skin has fatigue */
} limits;

static limits weakest(const sn_world *world)
{
    const sn_skin_record *skin = contact_skins(&world->contact);
    limits l = {world, HUGE_VAL, HUGE_VAL, (double)world->state.h * (double)world->state.h, false};
    for (uint32_t i = 0; i < world->contact.skin_table.count; ++i) {
        const double least = 1 - (double)skin[i].tear.spread;
        const double strain = (double)skin[i].tear.strain * least, force = (double)skin[i].tear.force * least;
        l.strain = strain > 0 && strain < l.strain ? strain : l.strain;
        l.force = force > 0 && force < l.force ? force : l.force;
        l.wears = l.wears || skin[i].tear.fatigue > 0;
    }
    return l;
}

double sn_tear_pull(const sn_world *world, uint32_t kind, uint32_t row, double h2)
{
    const sn_pool *pool = world->constraints.pool[kind];
    const double strain = sn_tear_strain(world, kind, row);
    if (kind == SN_KIND_SPRING)
        return strain * (double)sn_tear_rest(pool, kind, row) *
               (double)pool->param[(size_t)row * pool->param_count + 1];
    return strain > -1e-3 && h2 > 0 ? fabs((double)pool->lambda[row]) / h2 : 0;
}

/* The range that contains an item. */
static const sn_tear_range *range_of(const sn_tearing *t, uint32_t item)
{
    const sn_tear_range *range = t->range_table.column[0];
    uint32_t low = 0, high = t->range_table.count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (range[middle].item <= item)
            low = middle;
        else
            high = middle;
    }
    return &range[low];
}

/* Flags the rods whose load exceeds the strength of the weakest. */
static void sift(const limits *l, const sn_tear_range *range, uint32_t first, uint32_t end, uint8_t *flag)
{
    const sn_world *world = l->world;
    const sn_pool *pool = world->constraints.pool[range->kind];
    const uint32_t *slot = world->ids.value, *point = pool->point, offset = range->kind == SN_KIND_DISTANCE_BAND;
    const sn_vec4 *x = world->particles.x;
    const sn_real most = (sn_real)(l->strain < 1e18 ? (1 + l->strain) * (1 + l->strain) * (1 - 1e-5) : HUGE_VAL);
    const sn_real force = (sn_real)(l->force * l->h2 * (1 - 1e-5)), *lambda = pool->lambda;
    const bool by_force = l->force < HUGE_VAL, springs = by_force && range->kind == SN_KIND_SPRING;
    const sn_real *param = pool->param + (size_t)first * pool->param_count + offset;
    const uint32_t *value = pool->ids.value, step = pool->param_count;
    for (uint32_t row = first; row < end; ++row, ++flag, param += step) {
        const uint32_t i = point[2 * (size_t)row], k = point[2 * (size_t)row + 1];
        *flag = 0;
        if (value[row] == SN_ID_FREE || (i | k) & SN_ANCHOR_BIT)
            continue;
        const sn_vec4 a = x[slot[i]], b = x[slot[k]];
        const sn_vec3 d = {b.x - a.x, b.y - a.y, b.z - a.z};
        const sn_real rest = *param, square = vec3_dot(d, d);
        *flag = square > most * rest * rest;
        if (by_force)
            *flag |= (lambda[row] < 0 ? -lambda[row] : lambda[row]) > force || (springs && square > rest * rest);
    }
}

/* The load of a rod, as a share of its strength when new; and the fatigue of its skin. */
static double load_of(const sn_world *world, uint32_t kind, uint32_t row, double h2, sn_real *fatigue)
{
    const sn_tear_head *head = world->tearing.head_table.column[0];
    const uint32_t *point = world->constraints.pool[kind]->point + 2 * (size_t)row;
    const uint32_t skin = sn_tear_skin_of(&head[point[0]]);
    *fatigue = 0;
    if (!skin || skin != sn_tear_skin_of(&head[point[1]]))
        return 0;
    const sn_tear_def *tear = &contact_skins(&world->contact)[skin - 1].tear;
    const double factor = sn_tear_factor(tear->seed, (double)tear->spread, kind, row);
    const double by_strain = tear->strain > 0 ? sn_tear_strain(world, kind, row) / ((double)tear->strain * factor) : 0;
    const double by_force = tear->force > 0 ? sn_tear_pull(world, kind, row, h2) / ((double)tear->force * factor) : 0;
    *fatigue = tear->fatigue;
    return by_strain > by_force ? by_strain : by_force;
}

/* The load relative to the present strength. */
static double ratio_of(const sn_world *world, uint32_t kind, uint32_t row, double h2)
{
    sn_real fatigue;
    const double load = load_of(world, kind, row, h2, &fatigue);
    const sn_wear *wear = fatigue > 0 ? sn_wear_of(world, kind, row) : NULL;
    return wear ? load / (1 - (double)wear->lost) : load;
}

/* For skins with fatigue: updates the wear of every rod, and flags rods whose load exceeds their strength. */
static void wear(const limits *l, const sn_tear_range *range, uint32_t first, uint32_t end, uint8_t *flag)
{
    const sn_pool *pool = l->world->constraints.pool[range->kind];
    for (uint32_t row = first; row < end; ++row, ++flag) {
        sn_real fatigue = 0;
        const double load = sn_ids_is_live(&pool->ids, row) ? load_of(l->world, range->kind, row, l->h2, &fatigue) : 0;
        sn_wear *of = fatigue > 0 ? sn_wear_of(l->world, range->kind, row) : NULL;
        if (!of)
            continue;
        sn_wear_by(of, load, fatigue);
        *flag = load > 1 - (double)of->lost;
    }
}

static void sift_piece(void *data, uint32_t first, uint32_t end)
{
    const limits *l = data;
    const sn_tearing *t = &l->world->tearing;
    while (first < end) {
        const sn_tear_range *range = range_of(t, first);
        const uint32_t row = range->first + (first - range->item);
        uint32_t count = range->end - row < end - first ? range->end - row : end - first;
        sift(l, range, row, row + count, (uint8_t *)t->flag_table.column[0] + first);
        if (l->wears)
            wear(l, range, row, row + count, (uint8_t *)t->flag_table.column[0] + first);
        first += count;
    }
}

/* A heap of the worst rods so far, with the least of them at the top. Of two equal ones, the one with the higher number
   counts as less. */
static bool is_less(const sn_tear_over *a, const sn_tear_over *b)
{
    if (a->ratio != b->ratio)
        return a->ratio < b->ratio;
    return a->kind != b->kind ? a->kind > b->kind : a->row > b->row;
}

static void sink(sn_tear_over *heap, uint32_t count, uint32_t i)
{
    for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && is_less(&heap[child + 1], &heap[child]))
            ++child;
        if (!is_less(&heap[child], &heap[i]))
            return;
        const sn_tear_over moved = heap[i];
        heap[i] = heap[child];
        heap[child] = moved;
    }
}

static void push(sn_tearing *t, sn_tear_over over)
{
    sn_tear_over *heap = t->over_table.column[0];
    if (t->over_table.count == SN_TEAR_OVER) {
        if (is_less(&heap[0], &over))
            heap[0] = over, sink(heap, SN_TEAR_OVER, 0);
        return;
    }
    uint32_t i = t->over_table.count++;
    for (; i > 0 && is_less(&over, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = over;
}

void sn_tear_find_over(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    limits l = weakest(world);
    const uint8_t *flag = t->flag_table.column[0];
    sn_parallel_begin_step(&world->parallel);
    if (!sn_parallel_for(&world->parallel, t->items, sift_piece, &l))
        sn_parallel_repair(&world->parallel);
    sn_parallel_end_step(&world->parallel);
    t->over_table.count = 0;
    for (uint32_t i = 0; i < t->items;) {
        uint64_t eight = 0;
        if (i + 8 <= t->items)
            memcpy(&eight, flag + i, 8);
        if (i + 8 <= t->items && !eight) {
            i += 8;
            continue;
        }
        if (flag[i]) {
            const sn_tear_range *range = range_of(t, i);
            const uint32_t row = range->first + (i - range->item);
            const double ratio = ratio_of(world, range->kind, row, l.h2);
            if (ratio > 1 && isfinite(ratio))
                push(t, (sn_tear_over){range->kind, row, ratio});
        }
        ++i;
    }
    sn_tear_over *heap = t->over_table.column[0];
    for (uint32_t count = t->over_table.count; count > 1; --count) { /* moves the least to the end */
        const sn_tear_over least = heap[0];
        heap[0] = heap[count - 1];
        heap[count - 1] = least;
        sink(heap, count - 1, 0);
    }
}
