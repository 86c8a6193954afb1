/* Particles near immovable ones: how far rods lead to them, by the shortest way. */
#include "solvers/hierarchy_work.h"

/* So many rods of average length from an immovable particle. Nearer, the load of a whole mesh comes together in a few rods. */
#define HOLD_RODS 32.0

/* As of limits: what rounding makes of places is no stretch. */
#define SLACK ((sn_real)(1 + 1e-4))

typedef struct heap_entry {
    sn_real far;
    uint32_t slot;
} heap_entry;

typedef struct heap {
    heap_entry *entry;
    uint32_t count;
} heap;

static bool is_before(heap_entry a, heap_entry b)
{
    return a.far < b.far || (a.far == b.far && a.slot < b.slot);
}

static void push(heap *h, heap_entry e)
{
    uint32_t i = h->count++;
    for (; i > 0 && is_before(e, h->entry[(i - 1) / 2]); i = (i - 1) / 2)
        h->entry[i] = h->entry[(i - 1) / 2];
    h->entry[i] = e;
}

static heap_entry pop(heap *h)
{
    const heap_entry top = h->entry[0], last = h->entry[--h->count];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < h->count; i = child) {
        child += child + 1 < h->count && is_before(h->entry[child + 1], h->entry[child]);
        if (!is_before(h->entry[child], last))
            break;
        h->entry[i] = h->entry[child];
    }
    h->entry[i] = last;
    return top;
}

/* What moves, and is next to an immovable particle: it has a normal. */
static uint32_t beside(const hierarchy_work *w, uint32_t pin)
{
    for (uint32_t e = w->start[pin]; e < w->start[pin + 1]; ++e)
        if (w->w[w->edge[e].to] > 0)
            return w->node[w->edge[e].to];
    return SN_PLAN_NONE;
}

/* How flat the way to a particle is, seen from the aggregate beside the immovable one: by the cosine of the angle of their normals. 0: it is
   not known to be. */
static sn_real flatness(const hierarchy_work *w, uint32_t node, uint32_t slot)
{
    const hierarchy_form *a = node == SN_PLAN_NONE ? NULL : &w->form[node], *b = &w->form[w->node[slot]];
    if (!a || !a->sound || !b->sound || a->solid != b->solid || a->since != b->since)
        return 0;
    if (a->solid)
        return 1;
    return (sn_real)fabs(a->normal[0] * b->normal[0] + a->normal[1] * b->normal[1] + a->normal[2] * b->normal[2]);
}

/* From each mesh's immovable particles on. far: by slot, or infinite; pin: the immovable one that it is far from; flat: the least flatness
   on the way. */
static void spread(const hierarchy_work *w, const double *reach, heap *h, sn_real *far, uint32_t *pin, sn_real *flat)
{
    for (uint32_t i = 0; i < w->slots; ++i) {
        far[i] = (sn_real)INFINITY;
        if (w->mesh[i] == SN_PLAN_NONE || w->w[i] != 0)
            continue;
        far[i] = 0;
        flat[i] = 1;
        pin[i] = i;
        push(h, (heap_entry){0, i});
    }
    while (h->count) {
        const heap_entry top = pop(h);
        if (top.far > far[top.slot])
            continue;
        for (uint32_t e = w->start[top.slot]; e < w->start[top.slot + 1]; ++e) {
            const uint32_t to = w->edge[e].to;
            const sn_real next = top.far + w->edge[e].rest;
            if (!(next < far[to]) || (double)next > reach[w->mesh[to]])
                continue;
            far[to] = next;
            pin[to] = pin[top.slot];
            const sn_real here = w->w[to] > 0 ? flatness(w, beside(w, pin[to]), to) : 0;
            flat[to] = here < flat[top.slot] ? here : flat[top.slot];
            push(h, (heap_entry){next, to});
        }
    }
}

/* The cosine of the largest angle by which the mesh may turn on the way. */
#define LEAST_FLAT ((sn_real)0.9)

/* The straight way, where the mesh is flat and braced: in a mesh of squares or triangles rods lead there by a longer one. Where it is curved
   a little, it is longer by 1 / flat at most. 0: it is not flat. */
static double straight_from(const hierarchy_work *w, uint32_t pin, uint32_t slot, double way, sn_real flat)
{
    if (flat < LEAST_FLAT || sn_hierarchy_is_detour(w, pin, slot, way))
        return 0;
    hierarchy_form a = w->form[beside(w, pin)], b = w->form[w->node[slot]];
    sn_hierarchy_put_form(w, &a, pin);
    sn_hierarchy_put_form(w, &b, slot);
    return sn_hierarchy_limit(&a, &b) / (double)flat;
}

void sn_hierarchy_find_holds(hierarchy_work *w)
{
    sn_hierarchy *h = w->h;
    double *reach = sn_hierarchy_scratch(w, h->mesh_table.count, sizeof *reach);
    uint32_t *rods = sn_hierarchy_scratch(w, h->mesh_table.count, sizeof *rods),
             *pin = sn_hierarchy_scratch(w, w->slots, sizeof *pin);
    sn_real *far = sn_hierarchy_scratch(w, w->slots, sizeof *far),
            *flat = sn_hierarchy_scratch(w, w->slots, sizeof *flat);
    heap queue = {.entry = sn_hierarchy_scratch(w, 2 * (size_t)w->rods + w->slots, sizeof *queue.entry)};
    if (w->failed)
        return;
    for (uint32_t i = 0; i < w->rods; ++i) {
        reach[w->mesh[w->rod[i].a]] += (double)w->rod[i].rest;
        rods[w->mesh[w->rod[i].a]]++;
    }
    for (uint32_t m = 0; m < h->mesh_table.count; ++m)
        reach[m] *= HOLD_RODS / rods[m];
    spread(w, reach, &queue, far, pin, flat);
    for (uint32_t p = 0; p < h->part_table.count; ++p) {
        h->part[p].hold = h->hold_table.count;
        for (uint32_t k = h->first[h->part[p].node]; k < h->first[h->part[p].node + h->part[p].nodes]; ++k) {
            const uint32_t slot = h->member[k];
            if (!(far[slot] > 0) || !isfinite(far[slot]))
                continue;
            if (!sn_hierarchy_grow(w, &h->hold_table, 1))
                return;
            const double way = (double)far[slot], straight = straight_from(w, pin[slot], slot, way, flat[slot]);
            const bool shorter = straight > 0 && straight < way;
            h->hold[h->hold_table.count - 1] =
                (sn_hierarchy_hold){.slot = slot,
                                    .at = h->at[k],
                                    .pin = pin[slot],
                                    .most = shorter ? (sn_real)straight : far[slot] * SLACK};
        }
        h->part[p].holds = h->hold_table.count - h->part[p].hold;
    }
}
