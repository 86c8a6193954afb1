/* The loops over particles. In memory a particle is x, y, z and a number that stays as it is, so a vector of lanes holds the
   records of SN_WIDTH / 4 particles one after the other; at width 1 coordinates are taken one by one.

   Sums keep what rounding dropped of them: s = a + b, error = b - (s - a) (Dekker's FastTwoSum), which is exact where b is not
   the larger one, and within a last place of the smaller one otherwise. */
#ifndef SN_WIDE_MOTION_H
#define SN_WIDE_MOTION_H

#include "base/simd.h"
#include "wide/wide.h"

#define MOTION_TOO_FAST 1e37f /* m/s by coordinate; the next steps would overflow */

typedef struct moving {
    lanes x, x_low, v, v_low;
} moving;

/* ---- Arithmetic ---------------------------------------------------------------------------------------------------------- */

SN_INLINE void add_lanes(lanes *high, lanes *low, lanes increment)
{
    lanes sum = *high + increment;
    *low = increment - (sum - *high);
    *high = sum;
}

SN_INLINE moving predict_lanes(const sn_wide_motion *motion, moving m, lanes acceleration, flags moves)
{
    moving to = m;
    lanes change = acceleration * lanes_all(motion->h);
    if (motion->lose < 0.5f) {
        change = change - lanes_all(motion->lose) * m.v;
    } else {
        to.v = m.v * lanes_all(motion->keep);
        to.v_low = m.v_low * lanes_all(motion->keep);
    }
    add_lanes(&to.v, &to.v_low, change + to.v_low);
    add_lanes(&to.x, &to.x_low, to.v * lanes_all(motion->h) + m.x_low);
    return (moving){lanes_choose(moves, to.x, m.x), lanes_choose(moves, to.x_low, m.x_low), lanes_keep(moves, to.v),
                    lanes_keep(moves, to.v_low)};
}

/* Where x itself was moved. */
SN_INLINE moving settle_alone(const sn_wide_motion *motion, moving m, lanes mark)
{
    add_lanes(&m.v, &m.v_low, (m.x - mark) * lanes_all(motion->inverse_h) + m.v_low);
    return m;
}

SN_INLINE moving settle_lanes(const sn_wide_motion *motion, moving m, lanes mark)
{
    lanes low = m.x_low;
    add_lanes(&m.v, &m.v_low, (low - mark) * lanes_all(motion->inverse_h) + m.v_low);
    add_lanes(&m.x, &m.x_low, low);
    return m;
}

SN_INLINE flags is_sound(const moving *m)
{
    return lanes_at_least(lanes_all(FLT_MAX), lanes_abs(m->x)) &
           lanes_above(lanes_all(MOTION_TOO_FAST), lanes_abs(m->v));
}

SN_INLINE uint32_t motion_slot(const sn_wide_motion *motion, uint32_t i)
{
    return motion->list ? motion->list[i] : motion->first + i;
}

#if SN_WIDTH <= 8
static void motion_note(const sn_wide_motion *motion)
{
    const sn_vec4 *from = motion->alone ? motion->x : motion->x_low;
    if (!motion->list)
        memcpy(motion->mark, from + motion->first, motion->count * sizeof *motion->mark);
    for (uint32_t i = 0; motion->list && i < motion->count; ++i)
        motion->mark[i] = from[motion->list[i]];
}
#endif

#if SN_WIDTH == 1
/* ---- One coordinate at a time ---------------------------------------------------------------------------------------------- */

SN_INLINE moving motion_load(const sn_wide_motion *motion, uint32_t slot, int k)
{
    return (moving){(&motion->x[slot].x)[k], (&motion->x_low[slot].x)[k], (&motion->v[slot].x)[k],
                    (&motion->v_low[slot].x)[k]};
}

SN_INLINE void motion_store(const sn_wide_motion *motion, uint32_t slot, int k, moving m)
{
    (&motion->x[slot].x)[k] = m.x;
    (&motion->x_low[slot].x)[k] = m.x_low;
    (&motion->v[slot].x)[k] = m.v;
    (&motion->v_low[slot].x)[k] = m.v_low;
}

static void motion_predict(const sn_wide_motion *motion)
{
    for (uint32_t i = 0; i < motion->count; ++i) {
        uint32_t slot = motion->first + i;
        flags moves = lanes_unequal(motion->x[slot].w, 0);
        for (int k = 0; k < 3; ++k) {
            lanes a = (&motion->gravity.x)[k];
            if (motion->force)
                a = a + (&motion->force[slot].x)[k] * motion->x[slot].w;
            moving m = predict_lanes(motion, motion_load(motion, slot, k), a, moves);
            motion_store(motion, slot, k, m);
            (&motion->mark[i].x)[k] = motion->alone ? m.x : m.x_low;
        }
        motion->mark[i].w = 0;
    }
}

static bool motion_settle(const sn_wide_motion *motion)
{
    flags sound = -1;
    for (uint32_t i = 0; i < motion->count; ++i)
        for (int k = 0; k < 3; ++k) {
            uint32_t slot = motion_slot(motion, i);
            moving m = motion_load(motion, slot, k);
            lanes mark = (&motion->mark[i].x)[k];
            m = motion->alone ? settle_alone(motion, m, mark) : settle_lanes(motion, m, mark);
            motion_store(motion, slot, k, m);
            sound &= is_sound(&m);
        }
    return sound != 0;
}
#elif SN_WIDTH <= 8
/* ---- Whole particles ----------------------------------------------------------------------------------------------------------- */

#define MOTION_STEP (SN_WIDTH / 4u)

/* Of one or two particles, wherever they are; the same one twice at the end of an odd number. */
typedef struct motion_places {
    uint32_t slot[2];
    bool together; /* one after the other; a constant wherever it is used */
} motion_places;

SN_INLINE lanes motion_column(const sn_vec4 *column, motion_places at)
{
#if SN_WIDTH == 8
    if (at.together)
        return lanes_load(&column[at.slot[0]].x);
    return record_pair(&column[at.slot[0]], &column[at.slot[1]]);
#else
    return lanes_load(&column[at.slot[0]].x);
#endif
}

SN_INLINE void motion_put(sn_vec4 *column, motion_places at, lanes a)
{
    if (at.together) {
        lanes_store(&column[at.slot[0]].x, a);
        return;
    }
    for (uint32_t i = 0; i < MOTION_STEP; ++i)
        memcpy(&column[at.slot[i]], (const char *)&a + i * sizeof *column, sizeof *column);
}

SN_INLINE moving motion_load(const sn_wide_motion *motion, motion_places at)
{
    return (moving){motion_column(motion->x, at), motion_column(motion->x_low, at), motion_column(motion->v, at),
                    motion_column(motion->v_low, at)};
}

SN_INLINE flags motion_xyz(void)
{
    flags xyz = flags_everywhere();
    for (int i = 3; i < SN_WIDTH; i += 4)
        xyz[i] = 0;
    return xyz;
}

/* The coordinates of `to`, and what stays of `from`. */
SN_INLINE void motion_store(const sn_wide_motion *motion, motion_places at, moving from, moving to)
{
    flags xyz = motion_xyz();
    motion_put(motion->x, at, lanes_choose(xyz, to.x, from.x));
    motion_put(motion->x_low, at, lanes_keep(xyz, to.x_low));
    motion_put(motion->v, at, lanes_choose(xyz, to.v, from.v));
    motion_put(motion->v_low, at, lanes_keep(xyz, to.v_low));
}

/* w of each particle in all of its places. */
SN_INLINE lanes motion_w(lanes x)
{
    records r = {{x, x, x, x}};
    return records_w(r).part[0];
}

SN_INLINE lanes motion_force(const sn_wide_motion *motion, motion_places at)
{
    float all[SN_WIDTH] = {0};
    for (uint32_t i = 0; i < MOTION_STEP; ++i)
        memcpy(all + 4 * i, &motion->force[at.slot[i]], sizeof *motion->force);
    return lanes_load(all);
}

SN_INLINE void motion_predict_some(const sn_wide_motion *motion, motion_places at, motion_places mark, lanes gravity)
{
    moving m = motion_load(motion, at);
    lanes w = motion_w(m.x), a = gravity;
    if (motion->force)
        a = a + motion_force(motion, at) * w;
    flags moves = lanes_unequal(w, lanes_all(0));
    moving to; /* nearly all move, and need not choose */
    if (SN_WIDTH == 4 && flags_bits(moves) == 0xf)
        to = predict_lanes(motion, m, a, flags_everywhere());
    else
        to = predict_lanes(motion, m, a, moves);
    motion_store(motion, at, m, to);
    motion_put(motion->mark, mark, lanes_keep(motion_xyz(), motion->alone ? to.x : to.x_low));
}

SN_INLINE void motion_predict_all(const sn_wide_motion *motion)
{
    lanes gravity = lanes_all(0);
    for (int i = 0; i < SN_WIDTH; i += 4) {
        gravity[i] = motion->gravity.x;
        gravity[i + 1] = motion->gravity.y;
        gravity[i + 2] = motion->gravity.z;
    }
    uint32_t i = 0, first = motion->first;
    for (; i + MOTION_STEP <= motion->count; i += MOTION_STEP)
        motion_predict_some(motion, (motion_places){{first + i, first + i + 1}, true},
                            (motion_places){{i, i + 1}, true}, gravity);
    if (i < motion->count)
        motion_predict_some(motion, (motion_places){{first + i, first + i}, SN_WIDTH == 4},
                            (motion_places){{i, i}, SN_WIDTH == 4}, gravity);
}

static void motion_predict(const sn_wide_motion *given)
{
    sn_wide_motion own = *given; /* what is stored cannot change this one */
    if (SN_WIDTH == 4 && !own.force && own.lose < 0.5f && own.alone) {
        own.force = NULL; /* the usual: constants, so that the loop need not ask */
        own.alone = true;
        motion_predict_all(&own);
    } else {
        motion_predict_all(&own);
    }
}

SN_INLINE flags motion_settle_some(const sn_wide_motion *motion, motion_places at, motion_places mark)
{
    moving m = motion_load(motion, at), to = settle_lanes(motion, m, motion_column(motion->mark, mark));
    motion_store(motion, at, m, to);
    return is_sound(&to);
}

/* Only velocities change. */
SN_INLINE flags motion_settle_alone(const sn_wide_motion *motion, motion_places at, motion_places mark)
{
    moving m = {.x = motion_column(motion->x, at),
                .v = motion_column(motion->v, at),
                .v_low = motion_column(motion->v_low, at)};
    moving to = settle_alone(motion, m, motion_column(motion->mark, mark));
    motion_put(motion->v, at, lanes_choose(motion_xyz(), to.v, m.v));
    motion_put(motion->v_low, at, lanes_keep(motion_xyz(), to.v_low));
    return is_sound(&to);
}

#define MOTION_SETTLE(settle_some)                                                                                     \
    if (motion->list)                                                                                                  \
        for (; i + MOTION_STEP <= count; i += MOTION_STEP) {                                                           \
            motion_places at = {{motion->list[i], motion->list[i + MOTION_STEP - 1]}, SN_WIDTH == 4};                  \
            sound &= settle_some(motion, at, (motion_places){{i, i + 1}, true});                                       \
        }                                                                                                              \
    else                                                                                                               \
        for (; i + MOTION_STEP <= count; i += MOTION_STEP)                                                             \
            sound &= settle_some(motion, (motion_places){{first + i, first + i + 1}, true},                            \
                                 (motion_places){{i, i + 1}, true});                                                   \
    if (i < count) {                                                                                                   \
        uint32_t slot = motion_slot(motion, i);                                                                        \
        sound &=                                                                                                       \
            settle_some(motion, (motion_places){{slot, slot}, SN_WIDTH == 4}, (motion_places){{i, i}, SN_WIDTH == 4}); \
    }

static bool motion_settle(const sn_wide_motion *given)
{
    const sn_wide_motion own = *given, *motion = &own;
    flags sound = flags_everywhere();
    uint32_t i = 0, first = motion->first, count = motion->count;
    if (motion->alone) {
        MOTION_SETTLE(motion_settle_alone)
    } else {
        MOTION_SETTLE(motion_settle_some)
    }
    return flags_all(sound | ~motion_xyz());
}
#endif

/* ---- Between records and planes ----------------------------------------------------------------------------------------------- */

#if SN_WIDTH <= 8
static const uint32_t motion_row[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Where particle i of a range is, in rows of so many floats. */
SN_INLINE size_t motion_place(uint32_t i, size_t row)
{
    return i / SN_BATCH * row + i % SN_BATCH;
}

/* Turns the records of a column into three planes and back, and w into a fourth; count is a multiple of 16. */
SN_INLINE void motion_turn_in(const sn_vec4 *from, uint32_t count, float *plane, size_t row, float *w)
{
    for (uint32_t i = 0; i < count; i += SN_WIDTH) {
        records r = records_turn(records_load_far(from + i, motion_row));
        float *at = plane + motion_place(i, row);
        for (uint32_t k = 0; k < 3; ++k)
            lanes_store(at + k * SN_BATCH, r.part[k]);
        if (w)
            lanes_store(w + motion_place(i, row), r.part[3]);
    }
}

SN_INLINE void motion_turn_out(sn_vec4 *to, uint32_t count, const float *plane, size_t row)
{
    for (uint32_t i = 0; i < count; i += SN_WIDTH) {
        const float *at = plane + motion_place(i, row);
        records r = {{lanes_load(at), lanes_load(at + SN_BATCH), lanes_load(at + 2 * SN_BATCH), lanes_all(0)}};
        r = records_with_w(records_turn(r), records_load_far(to + i, motion_row));
        records_store_far(to + i, motion_row, &r);
    }
}

static void motion_spread(const sn_vec4 *x, const sn_vec4 *d, uint32_t count, float *plane)
{
    motion_turn_in(x, count, plane + SN_PLANE_X * SN_BATCH, SN_ROW, plane + SN_PLANE_W * SN_BATCH);
    motion_turn_in(d, count, plane + SN_PLANE_D * SN_BATCH, SN_ROW, NULL);
}

static void motion_collect(sn_vec4 *d, uint32_t count, const float *plane)
{
    motion_turn_out(d, count, plane + SN_PLANE_D * SN_BATCH, SN_ROW);
}
#endif

#endif
