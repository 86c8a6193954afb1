/* The loops over particles for tiles that stay in planes during a whole step. Lanes without a particle have w = 0 and
   do not move. `side`: rows of velocities. `back`: rows of BDF2's past, which all moving particles must have. */
#ifndef SN_WIDE_PLANES_H
#define SN_WIDE_PLANES_H

#include "wide/motion.h"

/* One coordinate of SN_WIDTH particles. at: in a row of positions; beside: in a row of velocities. */
SN_INLINE moving planes_load(const float *at, const float *beside)
{
    return (moving){lanes_load(at + SN_PLANE_X * SN_BATCH), lanes_load(at + SN_PLANE_D * SN_BATCH),
                    lanes_load(beside + SN_PLANE_V * SN_BATCH), lanes_load(beside + SN_PLANE_V_LOW * SN_BATCH)};
}

SN_INLINE void planes_store(float *at, float *beside, moving m)
{
    lanes_store(at + SN_PLANE_X * SN_BATCH, m.x);
    lanes_store(at + SN_PLANE_D * SN_BATCH, m.x_low);
    lanes_store(beside + SN_PLANE_V * SN_BATCH, m.v);
    lanes_store(beside + SN_PLANE_V_LOW * SN_BATCH, m.v_low);
}

SN_INLINE moving planes_predict_moving(const sn_motion *motion, moving m, float *back, lanes a, flags moves)
{
    if (!motion->looks_back)
        return stage_predict(motion, m, a, moves);
    past p = {lanes_load(back + SN_PLANE_OLD_D * SN_BATCH), lanes_load(back + SN_PLANE_OLD_V * SN_BATCH)};
    if (motion->ends_previous) {
        p.d = lanes_choose(moves, stage_displacement(motion, m.v, p.d), p.d);
        lanes_store(back + SN_PLANE_OLD_D * SN_BATCH, p.d);
    }
    lanes_store(back + SN_PLANE_OLD_V * SN_BATCH, lanes_keep(moves, m.v * lanes_all(motion->keep)));
    return stage_predict_back(motion, m, p, a, moves);
}

SN_INLINE bool planes_predict_all(const sn_motion *motion, float *plane, float *side, float *back, uint32_t rows)
{
    const float gravity[3] = {motion->gravity.x, motion->gravity.y, motion->gravity.z};
    flags sound = flags_everywhere();
    float *mark = motion->mark_rows, *start = motion->start_rows;
    for (uint32_t r = 0; r < rows; ++r, plane += SN_ROW, side += SN_SIDE_ROW, mark += SN_MARK_ROW) {
        for (uint32_t lane = 0; lane < SN_BATCH; lane += SN_WIDTH) {
            flags moves = lanes_unequal(lanes_load(plane + SN_PLANE_W * SN_BATCH + lane), lanes_all(0));
            for (uint32_t k = 0; k < 3; ++k) {
                const uint32_t i = k * SN_BATCH + lane;
                moving m = planes_load(plane + i, side + i);
                if (motion->settles_previous) {
                    m = stage_settle(motion, m, lanes_load(mark + i));
                    sound &= is_sound(&m);
                }
                if (start) {
                    lanes_store(start + SN_PLANE_D * SN_BATCH + i, m.x);
                    lanes_store(start + SN_PLANE_X * SN_BATCH + i, m.x_low);
                }
                m = planes_predict_moving(motion, m, back ? back + i : NULL, lanes_all(gravity[k]), moves);
                planes_store(plane + i, side + i, m);
                lanes_store(mark + i, motion->coarse ? m.x : m.x_low);
            }
        }
        back = back ? back + SN_PAST_ROW : NULL;
        start = start ? start + SN_ROW : NULL;
    }
    return flags_all(sound);
}

static bool motion_predict_planes(const sn_motion *motion, float *plane, float *side, float *back, uint32_t rows)
{
    sn_motion own = *motion; /* a local copy: stores cannot change it */
    if (own.looks_back)
        return planes_predict_all(&own, plane, side, back, rows);
    own.looks_back = false;
    if (!own.coarse || own.ends_previous || !own.settles_previous)
        return planes_predict_all(&own, plane, side, NULL, rows);
    own.coarse = own.settles_previous = true; /* the usual case */
    own.ends_previous = false;
    return planes_predict_all(&own, plane, side, NULL, rows);
}

static bool motion_settle_planes(const sn_motion *motion, float *plane, float *side, uint32_t rows)
{
    const sn_motion own = *motion;
    const float *mark = own.mark_rows;
    flags sound = flags_everywhere();
    for (uint32_t r = 0; r < rows; ++r, plane += SN_ROW, side += SN_SIDE_ROW, mark += SN_MARK_ROW)
        for (uint32_t lane = 0; lane < SN_BATCH; lane += SN_WIDTH)
            for (uint32_t k = 0; k < 3; ++k) {
                const uint32_t i = k * SN_BATCH + lane;
                moving m = stage_settle(&own, planes_load(plane + i, side + i), lanes_load(mark + i));
                if (own.coarse) {
                    lanes_store(side + i + SN_PLANE_V * SN_BATCH, m.v);
                    lanes_store(side + i + SN_PLANE_V_LOW * SN_BATCH, m.v_low);
                } else {
                    planes_store(plane + i, side + i, m);
                }
                sound &= is_sound(&m);
            }
    return flags_all(sound);
}

#if SN_WIDTH <= 8
static void motion_enter(const sn_motion *motion, float *plane, float *side)
{
    motion_spread(motion->x + motion->first, motion->x_low + motion->first, motion->count, plane);
    motion_transpose_in(motion->v + motion->first, motion->count, side + SN_PLANE_V * SN_BATCH, SN_SIDE_ROW, NULL);
    motion_transpose_in(motion->v_low + motion->first, motion->count, side + SN_PLANE_V_LOW * SN_BATCH, SN_SIDE_ROW,
                        NULL);
}

static void motion_leave(const sn_motion *motion, const float *plane, const float *side)
{
    motion_transpose_out(motion->x + motion->first, motion->count, plane + SN_PLANE_X * SN_BATCH, SN_ROW);
    motion_transpose_out(motion->x_low + motion->first, motion->count, plane + SN_PLANE_D * SN_BATCH, SN_ROW);
    motion_transpose_out(motion->v + motion->first, motion->count, side + SN_PLANE_V * SN_BATCH, SN_SIDE_ROW);
    motion_transpose_out(motion->v_low + motion->first, motion->count, side + SN_PLANE_V_LOW * SN_BATCH, SN_SIDE_ROW);
}

static void motion_enter_past(const sn_motion *motion, float *back)
{
    motion_transpose_in(motion->old_d + motion->first, motion->count, back + SN_PLANE_OLD_D * SN_BATCH, SN_PAST_ROW,
                        NULL);
    motion_transpose_in(motion->old_v + motion->first, motion->count, back + SN_PLANE_OLD_V * SN_BATCH, SN_PAST_ROW,
                        NULL);
}

static void motion_leave_past(const sn_motion *motion, const float *back)
{
    motion_transpose_out(motion->old_d + motion->first, motion->count, back + SN_PLANE_OLD_D * SN_BATCH, SN_PAST_ROW);
    motion_transpose_out(motion->old_v + motion->first, motion->count, back + SN_PLANE_OLD_V * SN_BATCH, SN_PAST_ROW);
}
#endif

#endif
