/* The loops over particles for tiles that stay in planes during a whole step: 16 planes, in the order below. What the
   planes hold besides particles has w = 0 and stays where it is. */
#ifndef SN_WIDE_PLANES_H
#define SN_WIDE_PLANES_H

#include "wide/motion.h"

/* Eight particles, or as many as there are lanes, of one coordinate k. */
SN_INLINE moving planes_load(const float *at, size_t s, uint32_t k)
{
    return (moving){lanes_load(at + (SN_PLANE_X + k) * s), lanes_load(at + (SN_PLANE_D + k) * s),
                    lanes_load(at + (SN_PLANE_V + k) * s), lanes_load(at + (SN_PLANE_V_LOW + k) * s)};
}

SN_INLINE void planes_store(float *at, size_t s, uint32_t k, moving m)
{
    lanes_store(at + (SN_PLANE_X + k) * s, m.x);
    lanes_store(at + (SN_PLANE_D + k) * s, m.x_low);
    lanes_store(at + (SN_PLANE_V + k) * s, m.v);
    lanes_store(at + (SN_PLANE_V_LOW + k) * s, m.v_low);
}

static void motion_predict_planes(const sn_wide_motion *motion, float *plane, size_t s, uint32_t count)
{
    const float gravity[3] = {motion->gravity.x, motion->gravity.y, motion->gravity.z};
    for (uint32_t i = 0; i < count; i += SN_WIDTH) {
        flags moves = lanes_unequal(lanes_load(plane + SN_PLANE_W * s + i), lanes_all(0));
        for (uint32_t k = 0; k < 3; ++k) {
            moving m = predict_lanes(motion, planes_load(plane + i, s, k), lanes_all(gravity[k]), moves);
            planes_store(plane + i, s, k, m);
            lanes_store(plane + (SN_PLANE_MARK + k) * s + i, m.x_low);
        }
    }
}

static bool motion_settle_planes(const sn_wide_motion *motion, float *plane, size_t s, uint32_t count)
{
    flags sound = flags_everywhere();
    for (uint32_t i = 0; i < count; i += SN_WIDTH)
        for (uint32_t k = 0; k < 3; ++k) {
            moving m =
                settle_lanes(motion, planes_load(plane + i, s, k), lanes_load(plane + (SN_PLANE_MARK + k) * s + i));
            planes_store(plane + i, s, k, m);
            sound &= is_sound(&m);
        }
    return flags_all(sound);
}

#if SN_WIDTH <= 8
/* Turns the records of some columns into planes and back; count is a multiple of 8. */
SN_INLINE void planes_spread(const sn_vec4 *from, uint32_t count, float *plane, size_t s, float *fourth)
{
    for (uint32_t i = 0; i < count; i += SN_WIDTH) {
        records r = records_turn(records_load_far(from + i, motion_row));
        for (uint32_t k = 0; k < 3; ++k)
            lanes_store(plane + k * s + i, r.part[k]);
        if (fourth)
            lanes_store(fourth + i, r.part[3]);
    }
}

SN_INLINE void planes_collect(sn_vec4 *to, uint32_t count, const float *plane, size_t s)
{
    for (uint32_t i = 0; i < count; i += SN_WIDTH) {
        const float *at = plane + i;
        records r = {{lanes_load(at), lanes_load(at + s), lanes_load(at + 2 * s), lanes_all(0)}};
        r = records_with_w(records_turn(r), records_load_far(to + i, motion_row));
        records_store_far(to + i, motion_row, &r);
    }
}

static void motion_enter(const sn_wide_motion *motion, float *plane, size_t s)
{
    uint32_t first = motion->first, count = motion->count;
    planes_spread(motion->x + first, count, plane + SN_PLANE_X * s, s, plane + SN_PLANE_W * s);
    planes_spread(motion->x_low + first, count, plane + SN_PLANE_D * s, s, NULL);
    planes_spread(motion->v + first, count, plane + SN_PLANE_V * s, s, NULL);
    planes_spread(motion->v_low + first, count, plane + SN_PLANE_V_LOW * s, s, NULL);
}

static void motion_leave(const sn_wide_motion *motion, const float *plane, size_t s)
{
    uint32_t first = motion->first, count = motion->count;
    planes_collect(motion->x + first, count, plane + SN_PLANE_X * s, s);
    planes_collect(motion->x_low + first, count, plane + SN_PLANE_D * s, s);
    planes_collect(motion->v + first, count, plane + SN_PLANE_V * s, s);
    planes_collect(motion->v_low + first, count, plane + SN_PLANE_V_LOW * s, s);
}
#endif

#endif
