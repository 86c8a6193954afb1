/* The loops over particles for tiles that stay in planes during a whole step. Lanes without a particle have w = 0 and stay
   where they are. */
#ifndef SN_WIDE_PLANES_H
#define SN_WIDE_PLANES_H

#include "wide/motion.h"

/* One coordinate of as many particles as there are lanes: at is in a row of places, beside in one of velocities. */
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

static void motion_predict_planes(const sn_wide_motion *motion, float *plane, float *side, uint32_t rows)
{
    const float gravity[3] = {motion->gravity.x, motion->gravity.y, motion->gravity.z};
    const sn_wide_motion own = *motion; /* what is stored cannot change this one */
    float *mark = own.mark_rows;
    for (uint32_t r = 0; r < rows; ++r, plane += SN_ROW, side += SN_SIDE_ROW, mark += SN_MARK_ROW)
        for (uint32_t lane = 0; lane < SN_BATCH; lane += SN_WIDTH) {
            flags moves = lanes_unequal(lanes_load(plane + SN_PLANE_W * SN_BATCH + lane), lanes_all(0));
            for (uint32_t k = 0; k < 3; ++k) {
                float *at = plane + k * SN_BATCH + lane, *beside = side + k * SN_BATCH + lane;
                moving m = predict_lanes(&own, planes_load(at, beside), lanes_all(gravity[k]), moves);
                planes_store(at, beside, m);
                lanes_store(mark + k * SN_BATCH + lane, own.alone ? m.x : m.x_low);
            }
        }
}

static bool motion_settle_planes(const sn_wide_motion *motion, float *plane, float *side, uint32_t rows)
{
    const sn_wide_motion own = *motion;
    const float *mark = own.mark_rows;
    flags sound = flags_everywhere();
    for (uint32_t r = 0; r < rows; ++r, plane += SN_ROW, side += SN_SIDE_ROW, mark += SN_MARK_ROW)
        for (uint32_t lane = 0; lane < SN_BATCH; lane += SN_WIDTH)
            for (uint32_t k = 0; k < 3; ++k) {
                float *at = plane + k * SN_BATCH + lane, *beside = side + k * SN_BATCH + lane;
                lanes was = lanes_load(mark + k * SN_BATCH + lane);
                moving m;
                if (own.alone) {
                    m = settle_alone(&own, planes_load(at, beside), was);
                    lanes_store(beside + SN_PLANE_V * SN_BATCH, m.v);
                    lanes_store(beside + SN_PLANE_V_LOW * SN_BATCH, m.v_low);
                } else {
                    m = settle_lanes(&own, planes_load(at, beside), was);
                    planes_store(at, beside, m);
                }
                sound &= is_sound(&m);
            }
    return flags_all(sound);
}

#if SN_WIDTH <= 8
static void motion_enter(const sn_wide_motion *motion, float *plane, float *side)
{
    motion_spread(motion->x + motion->first, motion->x_low + motion->first, motion->count, plane);
    motion_turn_in(motion->v + motion->first, motion->count, side + SN_PLANE_V * SN_BATCH, SN_SIDE_ROW, NULL);
    motion_turn_in(motion->v_low + motion->first, motion->count, side + SN_PLANE_V_LOW * SN_BATCH, SN_SIDE_ROW, NULL);
}

static void motion_leave(const sn_wide_motion *motion, const float *plane, const float *side)
{
    motion_turn_out(motion->x + motion->first, motion->count, plane + SN_PLANE_X * SN_BATCH, SN_ROW);
    motion_turn_out(motion->x_low + motion->first, motion->count, plane + SN_PLANE_D * SN_BATCH, SN_ROW);
    motion_turn_out(motion->v + motion->first, motion->count, side + SN_PLANE_V * SN_BATCH, SN_SIDE_ROW);
    motion_turn_out(motion->v_low + motion->first, motion->count, side + SN_PLANE_V_LOW * SN_BATCH, SN_SIDE_ROW);
}
#endif

#endif
