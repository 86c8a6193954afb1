/* The loop over particles with four of them in a vector of sixteen lanes: only the usual prediction, under gravity.
   Everything else is left to motion.h with eight lanes. */
#ifndef SN_WIDE_MOTION_FOURS_H
#define SN_WIDE_MOTION_FOURS_H

#include "integrators/stages.h"
#include "wide/wide.h"

#define FOURS 4u

/* Lane masks and values for each particle: x, y and z; w in all four of its lanes. */
SN_INLINE flags fours_xyz(void)
{
    flags xyz = flags_everywhere();
    for (int i = 3; i < SN_WIDTH; i += 4)
        xyz[i] = 0;
    return xyz;
}

SN_INLINE lanes fours_w(lanes x)
{
    return (lanes)_mm512_permute_ps((__m512)x, 0xff);
}

/* Like motion_predict_some. With sixteen lanes selection uses masks and is free. */
SN_INLINE flags fours_predict_some(const sn_motion *motion, uint32_t slot, sn_vec4 *mark, lanes gravity)
{
    const flags xyz = fours_xyz();
    const moving from = {lanes_load(&motion->x[slot].x), lanes_load(&motion->x_low[slot].x),
                         lanes_load(&motion->v[slot].x), lanes_load(&motion->v_low[slot].x)};
    moving m = from;
    flags sound = flags_everywhere();
    if (motion->settles_previous) {
        m = stage_settle(motion, m, lanes_load(&mark->x));
        sound = is_sound(&m);
    }
    m = stage_predict(motion, m, gravity, lanes_unequal(fours_w(from.x), lanes_all(0)));
    lanes_store(&motion->x[slot].x, lanes_choose(xyz, m.x, from.x));
    lanes_store(&motion->x_low[slot].x, lanes_keep(xyz, m.x_low));
    lanes_store(&motion->v[slot].x, lanes_choose(xyz, m.v, from.v));
    lanes_store(&motion->v_low[slot].x, lanes_keep(xyz, m.v_low));
    lanes_store(&mark->x, lanes_keep(xyz, motion->coarse ? m.x : m.x_low));
    return sound;
}

/* Predicts the particles of a range from `i` to `end` (exclusive): whole vectors. settles and coarse are constants. */
SN_INLINE bool fours_predict(const sn_motion *given, uint32_t i, uint32_t end, bool settles, bool coarse)
{
    sn_motion own = *given; /* a local copy: stores cannot change it */
    lanes gravity = lanes_all(0);
    flags sound = flags_everywhere();
    own.settles_previous = settles;
    own.coarse = coarse;
    own.ends_previous = false;
    for (int k = 0; k < SN_WIDTH; k += 4) {
        gravity[k] = own.gravity.x;
        gravity[k + 1] = own.gravity.y;
        gravity[k + 2] = own.gravity.z;
    }
    for (; i < end; i += FOURS)
        sound &= fours_predict_some(&own, own.first + i, own.mark + i, gravity);
    return flags_all(sound | ~fours_xyz());
}

/* True for the usual case. */
SN_INLINE bool fours_may_predict(const sn_motion *motion)
{
    return !motion->looks_back && !motion->force && !motion->start && motion->lose < (sn_real)0.5 &&
           !motion->ends_previous;
}

static bool motion_predict_fours(const sn_motion *motion, uint32_t skip, uint32_t count)
{
    const uint32_t end = skip + count;
    if (motion->settles_previous)
        return motion->coarse ? fours_predict(motion, skip, end, true, true)
                              : fours_predict(motion, skip, end, true, false);
    return motion->coarse ? fours_predict(motion, skip, end, false, true)
                          : fours_predict(motion, skip, end, false, false);
}

#endif
