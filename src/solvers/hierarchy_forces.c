/* What limits exert on immovable particles.

   Limits move the particles of a mesh, but not what holds it: neither its immovable particles nor those with rigid
   pins. So what they exert there appears in no multiplier of a constraint, and it is nearly the whole weight of a cloth
   that hangs. It is

       sum of m dx      over the particles that tethers of this immovable particle pulled by dx,
     + sum of M dx      over aggregates: those that its tethers pulled,
                        and those that limits pulled to an immovable aggregate, whose particles share this evenly,
     + sum of m dx      over particles that mending pulled to it,
     + the part of m dx of heavy particles that slings moved, along its tether.

   Passes of the last substep note dx: tethers by lane, in the registers that they use anyway, and limits for the few
   lanes that end at an immovable aggregate. Nothing is noted in other substeps. After the step the sums are made, in
   the order of storage, and added to the multipliers of pins, as a force times h^2. So whatever reads the force of a
   pin has all of it. For a cloth that hangs by its edge this is 2 to 3 % of a step of ten substeps. */
#include "solvers/hierarchy_work.h"

#include "base/bits.h"

#include <string.h>

void sn_hierarchy_note_anew(sn_hierarchy *h)
{
    if (!h->pin_table.count)
        return;
    memset(h->row_pulled, 0, h->row_tether_table.count * sizeof *h->row_pulled);
    memset(h->far_pulled, 0, h->far_table.count * sizeof *h->far_pulled);
    memset(h->node_pulled, 0, h->node_table.count * sizeof *h->node_pulled);
    memset(h->pull, 0, h->pin_table.count * sizeof *h->pull);
    memset(h->told, 0, h->pin_table.count * sizeof *h->told);
    for (uint32_t i = 0; i < h->sling_table.count; ++i)
        h->sling[i].pulled = dvec3(0, 0, 0);
}

static void add(sn_dvec3 *to, sn_dvec3 by, double times)
{
    *to = dvec3_add(*to, dvec3_scale(by, times));
}

/* An aggregate, at x + d. */
typedef struct place {
    sn_dvec3 x, d;
} place;

static place place_of(const sn_hierarchy *h, uint32_t node)
{
    return (place){dvec3_from(vec4_xyz(*hierarchy_x(h, node))), dvec3_from(vec4_xyz(*hierarchy_d(h, node)))};
}

static place place_in_rows(const float *nodes, uint32_t node)
{
    const float *x = nodes + (size_t)(node / SN_BATCH) * SN_ROW + SN_PLANE_X * SN_BATCH + node % SN_BATCH;
    const float *d = x + (SN_PLANE_D - SN_PLANE_X) * SN_BATCH;
    return (place){{(double)x[0], (double)x[SN_BATCH], (double)x[2 * SN_BATCH]},
                   {(double)d[0], (double)d[SN_BATCH], (double)d[2 * SN_BATCH]}};
}

void sn_hierarchy_note_limits(const sn_hierarchy *h, const sn_limit_run *run, const sn_hierarchy_part *part,
                              const float *nodes)
{
    for (uint32_t b = run->batch; b < run->batch + run->batches; ++b)
        for (uint32_t left = h->to_fixed[b] & h->mask[b]; left; left &= left - 1) {
            const uint32_t lane = bits_lowest(left);
            const uint32_t *end = &h->end[2 * (size_t)b * SN_BATCH + lane];
            const uint32_t one = end[0] / 2, other = end[SN_BATCH] / 2;
            const uint32_t fixed = h->w[one] == 0 ? one : other, moved = fixed == one ? other : one;
            const place to = nodes ? place_in_rows(nodes, fixed - part->node) : place_of(h, fixed),
                        from = nodes ? place_in_rows(nodes, moved - part->node) : place_of(h, moved);
            const sn_dvec3 apart = dvec3_add(dvec3_sub(from.x, to.x), dvec3_sub(from.d, to.d));
            const double most = (double)h->most[(size_t)b * SN_BATCH + lane], length = dvec3_length(apart);
            if (length > most && h->w[moved] > 0)
                add(&h->node_pulled[fixed], apart, (most / length - 1) / (double)h->w[moved]);
        }
}

/* The number of an immovable particle; SN_PLAN_NONE: it is not one. */
static uint32_t pin_at(const sn_hierarchy *h, uint32_t slot)
{
    uint32_t from = 0, end = h->pin_table.count;
    while (from < end) {
        const uint32_t middle = from + (end - from) / 2;
        if (h->pin_slot[middle] < slot)
            from = middle + 1;
        else
            end = middle;
    }
    return from < h->pin_table.count && h->pin_slot[from] == slot ? from : SN_PLAN_NONE;
}

void sn_hierarchy_note_moves(const sn_hierarchy *h, uint32_t first, uint32_t count, const float *nodes)
{
    for (uint32_t n = 0; n < count; ++n)
        if (h->w[first + n] > 0)
            add(&h->node_pulled[first + n], nodes ? place_in_rows(nodes, n).d : place_of(h, first + n).d, 1);
}

void sn_hierarchy_note_mended(const sn_hierarchy *h, uint32_t slot, sn_vec3 by)
{
    const uint32_t pin = pin_at(h, slot);
    if (pin != SN_PLAN_NONE)
        add(&h->pull[pin], dvec3_from(by), 1);
}

/* The two tethers pull along `first` and `second`, from where the light end of the sling can be at most. */
void sn_hierarchy_note_sling(const sn_hierarchy *h, sn_hierarchy_sling *sling, sn_vec3 first, sn_vec3 second,
                             sn_dvec3 by)
{
    const sn_dvec3 a = dvec3_from(first), b = dvec3_from(second);
    const double aa = dvec3_dot(a, a), bb = dvec3_dot(b, b), ab = dvec3_dot(a, b), det = aa * bb - ab * ab,
                 on_a = dvec3_dot(by, a), on_b = dvec3_dot(by, b);
    const uint32_t pin[2] = {h->tether[sling->tether[0]].pin, h->tether[sling->tether[1]].pin};
    add(&sling->pulled, by, 1);
    if (!(det > 1e-9 * aa * bb)) {
        add(&h->pull[pin[0]], by, 1);
        return;
    }
    add(&h->pull[pin[0]], a, (bb * on_a - ab * on_b) / det);
    add(&h->pull[pin[1]], b, (aa * on_b - ab * on_a) / det);
}

static void add_lanes(const sn_hierarchy *h, const sn_wide_tether *tether, sn_wide_pulled *sum)
{
    for (uint32_t lane = 0; lane < SN_BATCH; ++lane)
        add(&h->pull[tether->pin[lane] / 2], hierarchy_pulled(sum, lane), 1);
    *sum = (sn_wide_pulled){{{0}}};
}

/* Sums of tethers of particles. Consecutive entries have the same immovable particles in most cases. */
static void sum_particles(const sn_hierarchy *h)
{
    for (uint32_t p = 0; p < h->part_table.count; ++p) {
        const uint32_t first = h->part[p].row_tether, end = first + h->part[p].row_tethers;
        sn_wide_pulled sum = {{{0}}};
        for (uint32_t i = first; i < end; ++i) {
            const float *from = h->row_pulled[i].by[0];
            float *to = sum.by[0];
            for (uint32_t k = 0; k < 3 * SN_BATCH; ++k)
                to[k] += from[k];
            if (i + 1 == end || !h->row_tether[i + 1].again)
                add_lanes(h, &h->row_tether[i], &sum);
        }
    }
}

/* Sums of tethers of aggregates; those in lanes were noted there. */
static void sum_aggregates(const sn_hierarchy *h)
{
    for (uint32_t i = 0; i < h->far_table.count; ++i) {
        const sn_hierarchy_far *far = &h->far[i];
        add(&h->pull[far->pin], h->far_pulled[i], 1);
        if (far->row != SN_PLAN_NONE)
            add(&h->pull[far->pin], hierarchy_pulled(&h->row_pulled[far->row], far->lane), 1);
    }
}

/* Sums of limits to immovable aggregates: the larger ones pass them on to their members. */
static void sum_limits(const sn_hierarchy *h)
{
    for (uint32_t n = h->node_table.count; n > 0; --n) {
        const sn_dvec3 by = h->node_pulled[n - 1];
        const bool larger = n - 1 >= h->work->firsts;
        if (h->w[n - 1] > 0 || (by.x == 0 && by.y == 0 && by.z == 0))
            continue;
        for (uint32_t k = h->first[n - 1]; k < h->last[n - 1]; ++k) {
            const uint32_t pin = larger ? 0 : pin_at(h, h->member[k]);
            if (pin != SN_PLAN_NONE)
                add(larger ? &h->node_pulled[h->member[k]] : &h->pull[pin], by, (double)h->weight[k]);
        }
    }
}

/* Adds the sums to the multipliers of what holds particles rigidly, whose rows are the coordinates. Of several pins of a
   particle the first one gets them. */
static void add_to_pins(sn_hierarchy *h, const sn_solver_in *in)
{
    const sn_store *store = in->store;
    bool second;
    for (uint32_t r = 0; in->stiffen.base->pinned_table.count && r < store->run_table.count; ++r)
        for (uint32_t i = 0; i < store->run[r].count; ++i) {
            const sn_run *run = &store->run[r];
            if (run->kind != SN_KIND_PIN && run->kind != SN_KIND_ATTACHMENT)
                break;
            const uint32_t held = sn_hierarchy_held_by(store, run, i, in->frame.slot, in->plan->particles, in->frame.x,
                                                       in->stiffen.breaks, in->stiffen.world, &second),
                           pin = held != SN_PLAN_NONE ? pin_at(h, held) : SN_PLAN_NONE;
            if (pin == SN_PLAN_NONE || h->told[pin])
                continue;
            const sn_dvec3 by = dvec3_scale(h->pull[pin], second ? -1 : 1);
            sn_real *lambda = store->pool[run->kind]->lambda + 3 * (size_t)(run->first + i);
            lambda[0] += (sn_real)by.x;
            lambda[1] += (sn_real)by.y;
            lambda[2] += (sn_real)by.z;
            h->told[pin] = true;
        }
}

void sn_hierarchy_add_pulls(sn_hierarchy *h, const sn_solver_in *in)
{
    if (!h->notes || !h->pin_table.count)
        return;
    sum_particles(h);
    sum_aggregates(h);
    sum_limits(h);
    add_to_pins(h, in);
    h->noted = true;
    h->notes_made++;
}

sn_dvec3 sn_hierarchy_exerted_on(const sn_hierarchy *h, const sn_vec4 *x, uint32_t slot)
{
    const uint32_t pin = pin_at(h, slot), node = slot < h->slots ? h->work->node[slot] : SN_PLAN_NONE;
    sn_dvec3 by = {0, 0, 0};
    if (pin != SN_PLAN_NONE)
        return dvec3_scale(h->pull[pin], -1);
    if (node != SN_PLAN_NONE && h->w[node] > 0 && x[slot].w > 0)
        add(&by, h->node_pulled[node], 1 / (double)x[slot].w);
    for (uint32_t i = 0; i < h->tether_table.count; ++i)
        if (h->tether[i].slot == slot && h->tether[i].row != SN_PLAN_NONE)
            add(&by, hierarchy_pulled(&h->row_pulled[h->tether[i].row], h->tether[i].at % SN_ROW), 1);
    for (uint32_t i = 0; i < h->sling_table.count; ++i)
        if (h->sling[i].heavy == slot)
            add(&by, h->sling[i].pulled, 1);
    return by;
}
