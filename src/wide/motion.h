/* The loops over particles. In memory a particle is x, y, z and a fourth number that does not change. So a vector of
   lanes holds the records of SN_WIDTH / 4 particles, one after the other. */
#ifndef SN_WIDE_MOTION_H
#define SN_WIDE_MOTION_H

#include "integrators/stages.h"
#include "wide/wide.h"

#if SN_WIDTH > 1 && SN_WIDTH <= 8
/* ---- Whole particles --------------------------------------------------------------------------------------------- */

static void motion_note(const sn_motion *motion)
{
    const sn_vec4 *from = motion->coarse ? motion->x : motion->x_low;
    if (!motion->list)
        memcpy(motion->mark, from + motion->first, motion->count * sizeof *motion->mark);
    for (uint32_t i = 0; motion->list && i < motion->count; ++i)
        motion->mark[i] = from[motion->list[i]];
}

#define MOTION_STEP (SN_WIDTH / 4u)

/* One or two particles at any slots; the same one twice at the end of an odd number. */
typedef struct motion_places {
    uint32_t slot[2];
    bool together; /* consecutive; a constant wherever it is used */
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

SN_INLINE moving motion_load(const sn_motion *motion, motion_places at)
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

/* Stores the coordinates of `to`, and the fourth number of `from`. */
SN_INLINE void motion_store(const sn_motion *motion, motion_places at, moving from, moving to)
{
    flags xyz = motion_xyz();
    motion_put(motion->x, at, lanes_choose(xyz, to.x, from.x));
    motion_put(motion->x_low, at, lanes_keep(xyz, to.x_low));
    motion_put(motion->v, at, lanes_choose(xyz, to.v, from.v));
    motion_put(motion->v_low, at, lanes_keep(xyz, to.v_low));
}

/* w of each particle in all four of its lanes. */
SN_INLINE lanes motion_w(lanes x)
{
    records r = {{x, x, x, x}};
    return records_w(r).part[0];
}

/* Not through memory: a load of a vector that was stored in parts has to wait. */
SN_INLINE lanes motion_force(const sn_motion *motion, motion_places at)
{
    const sn_vec3 *f = &motion->force[at.slot[0]];
#if SN_WIDTH == 8
    const sn_vec3 *g = &motion->force[at.slot[1]];
    return (lanes){f->x, f->y, f->z, 0, g->x, g->y, g->z, 0};
#else
    return (lanes){f->x, f->y, f->z, 0};
#endif
}

/* Predicts some particles. BDF2: all of them have a past, and only gravity acts. */
SN_INLINE moving motion_predict_moving(const sn_motion *motion, motion_places at, moving m, lanes a, flags moves)
{
    if (!motion->looks_back)
        return stage_predict(motion, m, a, moves);
    lanes old_d = motion_column(motion->old_d, at);
    past p = {old_d, motion_column(motion->old_v, at)};
    if (motion->ends_previous) {
        p.d = lanes_choose(moves, stage_displacement(motion, m.v, p.d), p.d);
        motion_put(motion->old_d, at, lanes_choose(motion_xyz(), p.d, old_d));
    }
    motion_put(motion->old_v, at, lanes_keep(motion_xyz() & moves, m.v * lanes_all(motion->keep)));
    return stage_predict_back(motion, m, p, a, moves);
}

SN_INLINE flags motion_predict_some(const sn_motion *motion, motion_places at, motion_places mark, lanes gravity)
{
    moving m = motion_load(motion, at), from = m;
    flags sound = flags_everywhere();
    if (motion->settles_previous) {
        m = stage_settle(motion, m, motion_column(motion->mark, mark));
        sound = is_sound(&m);
    }
    lanes w = motion_w(from.x), a = gravity;
    if (motion->force)
        a = a + motion_force(motion, at) * w;
    flags moves = lanes_unequal(w, lanes_all(0));
    if (motion->start) {
        motion_put(motion->start, at, lanes_choose(moves, m.x, motion_column(motion->start, at)));
        motion_put(motion->start_low, at, m.x_low);
    }
    moving to; /* nearly all particles move: then no selection is needed */
    if (SN_WIDTH == 4 && flags_bits(moves) == 0xf)
        to = motion_predict_moving(motion, at, m, a, flags_everywhere());
    else
        to = motion_predict_moving(motion, at, m, a, moves);
    motion_store(motion, at, from, to);
    motion_put(motion->mark, mark, lanes_keep(motion_xyz(), motion->coarse ? to.x : to.x_low));
    return sound;
}

/* x, y, z and 0 of each particle. */
SN_INLINE lanes motion_gravity(const sn_motion *motion)
{
    lanes gravity = lanes_all(0);
    for (int i = 0; i < SN_WIDTH; i += 4) {
        gravity[i] = motion->gravity.x;
        gravity[i + 1] = motion->gravity.y;
        gravity[i + 2] = motion->gravity.z;
    }
    return gravity;
}

SN_INLINE bool motion_predict_all(const sn_motion *motion)
{
    const lanes gravity = motion_gravity(motion);
    flags sound = flags_everywhere();
    uint32_t i = 0, first = motion->first;
    for (; i + MOTION_STEP <= motion->count; i += MOTION_STEP)
        sound &= motion_predict_some(motion, (motion_places){{first + i, first + i + 1}, true},
                                     (motion_places){{i, i + 1}, true}, gravity);
    if (i < motion->count)
        sound &= motion_predict_some(motion, (motion_places){{first + i, first + i}, SN_WIDTH == 4},
                                     (motion_places){{i, i}, SN_WIDTH == 4}, gravity);
    return flags_all(sound | ~motion_xyz());
}

static bool motion_predict(const sn_motion *given)
{
    sn_motion own = *given; /* a local copy: stores cannot change it */
    if (own.looks_back) {
        own.force = NULL;
        return motion_predict_all(&own);
    }
    own.looks_back = false;
    if (own.force || own.start || own.lose >= 0.5f || own.ends_previous || !own.settles_previous)
        return motion_predict_all(&own);
    own.force = NULL; /* the usual case: constants, so that the loop has no branches */
    own.start = NULL;
    own.settles_previous = true;
    own.ends_previous = false;
    if (own.coarse) {
        own.coarse = true;
        return motion_predict_all(&own);
    }
    own.coarse = false;
    return motion_predict_all(&own);
}

SN_INLINE flags motion_settle_fine(const sn_motion *motion, motion_places at, motion_places mark)
{
    moving m = motion_load(motion, at), to = stage_settle(motion, m, motion_column(motion->mark, mark));
    motion_store(motion, at, m, to);
    return is_sound(&to);
}

/* Changes only velocities. */
SN_INLINE flags motion_settle_coarse(const sn_motion *motion, motion_places at, motion_places mark)
{
    moving m = {.x = motion_column(motion->x, at),
                .v = motion_column(motion->v, at),
                .v_low = motion_column(motion->v_low, at)};
    moving to = stage_settle(motion, m, motion_column(motion->mark, mark));
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
        uint32_t slot = motion->list ? motion->list[i] : first + i;                                                    \
        sound &=                                                                                                       \
            settle_some(motion, (motion_places){{slot, slot}, SN_WIDTH == 4}, (motion_places){{i, i}, SN_WIDTH == 4}); \
    }

static bool motion_settle(const sn_motion *given)
{
    sn_motion own = *given, *motion = &own;
    flags sound = flags_everywhere();
    uint32_t i = 0, first = motion->first, count = motion->count;
    if (motion->coarse) {
        own.coarse = true;
        MOTION_SETTLE(motion_settle_coarse)
    } else {
        own.coarse = false;
        MOTION_SETTLE(motion_settle_fine)
    }
    return flags_all(sound | ~motion_xyz());
}

SN_INLINE flags motion_end_some(const sn_motion *motion, motion_places at, lanes gravity)
{
    moving m = {.x = motion_column(motion->x, at),
                .v = motion_column(motion->v, at),
                .v_low = motion_column(motion->v_low, at)};
    lanes w = motion_w(m.x), a = gravity;
    flags moves = motion_xyz() & lanes_unequal(w, lanes_all(0));
    if (motion->looks_back) {
        lanes d = motion_column(motion->old_d, at);
        motion_put(motion->old_d, at, lanes_choose(moves, stage_displacement(motion, m.v, d), d));
        return is_sound(&m);
    }
    if (motion->force)
        a = a + motion_force(motion, at) * w;
    moving to = m;
    stage_end(motion, &to, a);
    motion_put(motion->v, at, lanes_choose(moves, to.v, m.v));
    motion_put(motion->v_low, at, lanes_choose(moves, to.v_low, m.v_low));
    return is_sound(&to) | ~moves;
}

static bool motion_end(const sn_motion *given)
{
    const sn_motion own = *given, *motion = &own;
    const lanes gravity = motion_gravity(motion);
    flags sound = flags_everywhere();
    uint32_t i = 0, first = own.first;
    for (; i + MOTION_STEP <= own.count; i += MOTION_STEP)
        sound &= motion_end_some(motion, (motion_places){{first + i, first + i + 1}, true}, gravity);
    if (i < own.count)
        sound &= motion_end_some(motion, (motion_places){{first + i, first + i}, SN_WIDTH == 4}, gravity);
    return flags_all(sound | ~motion_xyz());
}

static const sn_motion_table motion_functions = {motion_predict, motion_note, motion_settle, motion_end};
#endif

/* ---- Between records and planes ---------------------------------------------------------------------------------- */

#if SN_WIDTH <= 8
static const uint32_t motion_row[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/* The position of particle i of a range, in rows of `row` floats. */
SN_INLINE size_t motion_place(uint32_t i, size_t row)
{
    return i / SN_BATCH * row + i % SN_BATCH;
}

/* Transposes the records of a column into three planes, or back, and w into a fourth. count is a multiple of 16. */
SN_INLINE void motion_transpose_in(const sn_vec4 *from, uint32_t count, float *plane, size_t row, float *w)
{
    for (uint32_t i = 0; i < count; i += SN_WIDTH) {
        records r = records_transpose(records_load_far(from + i, motion_row));
        float *at = plane + motion_place(i, row);
        for (uint32_t k = 0; k < 3; ++k)
            lanes_store(at + k * SN_BATCH, r.part[k]);
        if (w)
            lanes_store(w + motion_place(i, row), r.part[3]);
    }
}

SN_INLINE void motion_transpose_out(sn_vec4 *to, uint32_t count, const float *plane, size_t row)
{
    for (uint32_t i = 0; i < count; i += SN_WIDTH) {
        const float *at = plane + motion_place(i, row);
        records r = {{lanes_load(at), lanes_load(at + SN_BATCH), lanes_load(at + 2 * SN_BATCH), lanes_all(0)}};
        r = records_with_w(records_transpose(r), records_load_far(to + i, motion_row));
        records_store_far(to + i, motion_row, &r);
    }
}

static void motion_spread(const sn_vec4 *x, const sn_vec4 *d, uint32_t count, float *plane)
{
    motion_transpose_in(x, count, plane + SN_PLANE_X * SN_BATCH, SN_ROW, plane + SN_PLANE_W * SN_BATCH);
    motion_transpose_in(d, count, plane + SN_PLANE_D * SN_BATCH, SN_ROW, NULL);
}

static void motion_restore(const sn_vec4 *from, uint32_t count, float *plane, bool coarse)
{
    motion_transpose_in(from, count, plane + (coarse ? SN_PLANE_X : SN_PLANE_D) * SN_BATCH, SN_ROW, NULL);
}

static void motion_collect(sn_vec4 *to, uint32_t count, const float *plane, bool coarse)
{
    motion_transpose_out(to, count, plane + (coarse ? SN_PLANE_X : SN_PLANE_D) * SN_BATCH, SN_ROW);
}
#endif

#endif
