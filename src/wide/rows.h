/* Groups of rows of a tile in planes: their weighted sums by lane, and their displacement. See solvers/hierarchy.h. */
#ifndef SN_WIDE_ROWS_H
#define SN_WIDE_ROWS_H

#include "wide/motion.h"

/* The weighted sum over the rows of a group: one coordinate, for SN_WIDTH lanes. */
SN_INLINE lanes rows_sum(const sn_wide_groups *run, uint32_t first, uint32_t end, uint32_t at, lanes origin)
{
    lanes sum = lanes_all(0);
    for (uint32_t r = first; r < end; ++r) {
        const float *p = run->plane + (size_t)run->row[r].row * SN_ROW + at;
        lanes x = lanes_load(p) - origin;
        if (!run->coarse)
            x = x + lanes_load(p + SN_PLANE_D * SN_BATCH);
        sum = sum + x * lanes_load(run->row[r].weight + at % SN_BATCH);
    }
    return sum;
}

/* All sums, by coordinate and lane. */
SN_INLINE void rows_sum_all(const sn_wide_groups *run, uint32_t group, float *sum)
{
    const float origin[3] = {run->origin.x, run->origin.y, run->origin.z};
    for (uint32_t at = 0; at < 3 * SN_BATCH; at += SN_WIDTH)
        lanes_store(sum + at,
                    rows_sum(run, run->first[group], run->first[group + 1], at, lanes_all(origin[at / SN_BATCH])));
}

SN_INLINE void rows_push(const sn_wide_groups *run)
{
    float *moved = run->plane + (run->coarse ? SN_PLANE_X : SN_PLANE_D) * SN_BATCH;
    for (uint32_t g = 0; g < run->groups; ++g) {
        const float *by = run->nodes + (size_t)g * SN_ROW + SN_PLANE_D * SN_BATCH;
        for (uint32_t r = run->first[g]; r < run->first[g + 1]; ++r) {
            float *to = moved + (size_t)run->row[r].row * SN_ROW;
            for (uint32_t lane = 0; lane < SN_BATCH; lane += SN_WIDTH) {
                const flags in = lanes_unequal(lanes_load(run->row[r].weight + lane), lanes_all(0));
                for (uint32_t at = lane; at < 3 * SN_BATCH; at += SN_BATCH) {
                    const lanes x = lanes_load(to + at);
                    lanes_store(to + at, lanes_choose(in, x + lanes_load(by + at), x));
                }
            }
        }
    }
}

SN_INLINE void rows_note(sn_wide_pulled *pulled, uint32_t lane, flags held, lanes3 by, lanes w)
{
    const lanes mass = lanes_all(1) / w, part[3] = {by.x * mass, by.y * mass, by.z * mass};
    for (uint32_t i = 0; i < 3; ++i) {
        float *to = pulled->by[i] + lane;
        lanes_store(to, lanes_load(to) + lanes_keep(held, part[i]));
    }
}

/* Pulls back the particles of a row that are too far from their pins. pins: for each lane the pin's position, followed
   by the remainders. */
SN_INLINE void rows_pull(const sn_wide_tethers *run, const sn_wide_tether *tether, const float *pins)
{
    const uint32_t moved = (run->coarse ? SN_PLANE_X : SN_PLANE_D) * SN_BATCH, low = SN_PLANE_D * SN_BATCH;
    const lanes3 nowhere = {lanes_all(0), lanes_all(0), lanes_all(0)};
    for (uint32_t lane = 0; lane < SN_BATCH; lane += SN_WIDTH) {
        const lanes3 x = wide_load3(pins + lane), d = wide_load3(pins + 3 * SN_BATCH + lane);
        float *at = run->plane + (size_t)tether->row * SN_ROW + lane, *to = at + moved;
        const lanes3 away =
            lanes3_add(lanes3_sub(wide_load3(at), x), lanes3_sub(run->coarse ? nowhere : wide_load3(at + low), d));
        const lanes most = lanes_load(tether->most + lane), square = lanes3_dot(away, away);
        const flags held = lanes_above(square, most * most); /* without a branch: it would be unpredictable */
        const lanes3 now = wide_load3(to), by = lanes3_scale(away, most / lanes_sqrt(square) - lanes_all(1)),
                     back = lanes3_add(now, by);
        lanes_store(to, lanes_choose(held, back.x, now.x));
        lanes_store(to + SN_BATCH, lanes_choose(held, back.y, now.y));
        lanes_store(to + 2 * SN_BATCH, lanes_choose(held, back.z, now.z));
        if (run->pulled)
            rows_note(&run->pulled[tether - run->tether], lane, held, by, lanes_load(at + SN_PLANE_W * SN_BATCH));
    }
}

#if SN_WIDTH <= 8
/* Writes three rows of sixteen to every other one of 32 records; w is unchanged. */
static const uint32_t rows_node[8] = {0, 2, 4, 6, 8, 10, 12, 14};

SN_INLINE void rows_put(sn_vec4 *to, const float *row)
{
    for (uint32_t i = 0; i < SN_BATCH; i += SN_WIDTH, to += 2 * SN_WIDTH) {
        records r = {
            {lanes_load(row + i), lanes_load(row + SN_BATCH + i), lanes_load(row + 2 * SN_BATCH + i), lanes_all(0)}};
        r = records_with_w(records_transpose(r), records_load_far(to, rows_node));
        records_store_far(to, rows_node, &r);
    }
}

static void rows_take(const sn_wide_groups *run)
{
    const sn_vec4 *from = run->node, *d = from + 1;
    float *row = run->nodes;
    for (uint32_t g = 0; g < run->groups; ++g, row += SN_ROW)
        for (uint32_t i = 0; i < SN_BATCH; i += SN_WIDTH, from += 2 * SN_WIDTH, d += 2 * SN_WIDTH) {
            const records x = records_transpose(records_load_far(from, rows_node)),
                          by = records_transpose(records_load_far(d, rows_node));
            for (uint32_t k = 0; k < 4; ++k)
                lanes_store(row + (SN_PLANE_X + k) * SN_BATCH + i, x.part[k]);
            for (uint32_t k = 0; k < 3; ++k)
                lanes_store(row + (SN_PLANE_D + k) * SN_BATCH + i, by.part[k]);
        }
}

/* sum: rows_sum_all at any width. */
static void rows_gather_by(const sn_wide_groups *run, void (*sum)(const sn_wide_groups *, uint32_t, float *))
{
    for (uint32_t g = 0; g < run->groups; ++g) {
        float all[3 * SN_BATCH];
        sum(run, g, all);
        rows_put(run->node + 2 * (size_t)g * SN_BATCH, all);
    }
}

static void rows_sum_here(const sn_wide_groups *run, uint32_t group, float *sum)
{
    rows_sum_all(run, group, sum);
}

static void rows_gather(const sn_wide_groups *run)
{
    rows_gather_by(run, rows_sum_here);
}

static void rows_move(const sn_wide_groups *run)
{
    rows_push(run);
}

/* Gathers the immovable particles of the lanes: positions, followed by their remainders. */
SN_INLINE void rows_pins(const sn_wide_tethers *run, const uint32_t *pin, float *to)
{
    const sn_vec4 *x = &run->pin->x, *low = x + 1;
    for (uint32_t lane = 0; lane < SN_BATCH; lane += SN_WIDTH) {
        const records rx = records_transpose(records_load_far(x, pin + lane)),
                      rlow = records_transpose(records_load_far(low, pin + lane));
        for (uint32_t i = 0; i < 3; ++i) {
            const lanes from = lanes_all(run->nodes ? vec3_part(&run->origin, i) : 0);
            lanes_store(to + i * SN_BATCH + lane, run->nodes ? rx.part[i] - from + rlow.part[i] : rx.part[i]);
            lanes_store(to + (3 + i) * SN_BATCH + lane, run->nodes ? lanes_all(0) : rlow.part[i]);
        }
    }
}

/* pull: rows_pull at any width. */
static void rows_tether_by(const sn_wide_tethers *run,
                           void (*pull)(const sn_wide_tethers *, const sn_wide_tether *, const float *))
{
    float pins[6 * SN_BATCH] = {0};
    for (const sn_wide_tether *tether = run->tether, *end = tether + run->count; tether < end; ++tether) {
        if (!tether->again)
            rows_pins(run, tether->pin, pins);
        pull(run, tether, pins);
    }
}

static void rows_pull_here(const sn_wide_tethers *run, const sn_wide_tether *tether, const float *pins)
{
    rows_pull(run, tether, pins);
}

static void rows_tether(const sn_wide_tethers *run)
{
    rows_tether_by(run, rows_pull_here);
}

SN_INLINE lanes3 rows_place(const sn_vec4 *from, const uint32_t *at)
{
    const records r = records_transpose(records_load_far(from, at));
    return (lanes3){r.part[0], r.part[1], r.part[2]};
}

static void rows_tether_lanes(const sn_wide_tethers *run)
{
    const lanes3 nowhere = {lanes_all(0), lanes_all(0), lanes_all(0)};
    for (const sn_wide_tether *tether = run->tether, *end = tether + run->count; tether < end; ++tether)
        for (uint32_t lane = 0; lane < SN_BATCH; lane += SN_WIDTH) {
            const uint32_t *slot = tether->slot + lane, *pin = tether->pin + lane;
            const sn_vec4 *x = &run->pin->x, *low = x + 1;
            const lanes3 from = rows_place(x, pin), left = run->coarse ? nowhere : rows_place(run->moved, slot);
            const lanes3 away =
                lanes3_add(lanes3_sub(rows_place(run->x, slot), from), lanes3_sub(left, rows_place(low, pin)));
            const lanes most = lanes_load(tether->most + lane), square = lanes3_dot(away, away);
            const flags far = lanes_above(square, most * most);
            uint32_t held = flags_bits(far);
            if (!held)
                continue;
            const lanes3 back = lanes3_scale(away, most / lanes_sqrt(square) - lanes_all(1));
            if (run->pulled)
                rows_note(&run->pulled[tether - run->tether], lane, far, back,
                          records_transpose(records_load_far(run->x, slot)).part[3]);
            float by[3][SN_WIDTH];
            lanes_store(by[0], back.x);
            lanes_store(by[1], back.y);
            lanes_store(by[2], back.z);
            for (uint32_t i = 0; held; ++i, held >>= 1)
                if (held & 1) {
                    sn_vec4 *to = &run->moved[slot[i]];
                    *to = (sn_vec4){to->x + by[0][i], to->y + by[1][i], to->z + by[2][i], to->w};
                }
        }
}
#endif

#endif
