/* Contact of bodies: poses, speeds and possible motion of bodies at the start of a substep, eight at a time. */
#ifndef SN_WIDE_BODY_MOVE_H
#define SN_WIDE_BODY_MOVE_H

#include "base/simd.h"
#include "wide/wide.h"

SN_INLINE lanes move_sum4(const records *a)
{
    return a->part[0] + a->part[1] + a->part[2] + a->part[3];
}

SN_INLINE lanes move_length(records a)
{
    return lanes_sqrt(a.part[0] * a.part[0] + a.part[1] * a.part[1] + a.part[2] * a.part[2]);
}

/* m: the largest displacement of points by a rotation from p to q. 0 if p is not known. */
SN_INLINE lanes move_turned(lanes extent, records p, records q)
{
    const lanes zero = lanes_all(0), one = lanes_all(1);
    flags known = flags_nowhere();
    for (uint32_t k = 0; k < 4; ++k)
        known |= lanes_unequal(p.part[k], zero);
    records along = records_mul(p, q);
    const lanes sign = lanes_choose(lanes_above(zero, move_sum4(&along)), -one, one);
    for (uint32_t k = 0; k < 4; ++k)
        p.part[k] = q.part[k] - sign * p.part[k];
    along = records_mul(p, p);
    return lanes_keep(known, lanes_all((double)SN_CHORD) * extent * lanes_sqrt(move_sum4(&along)));
}

SN_INLINE void move_begin_lanes(const sn_wide_body_contacts *run, sn_wide_movers *m, uint32_t first)
{
    sn_real *const *const record = m->record + first, *const *const own = m->own + first;
    const lanes h = lanes_all(run->h), fall = lanes_all(m->fall), zero = lanes_all(0);
    const flags watched = flags_of(m->watched >> first);
    const records place = records_load_at(m->x + first, 0), rotation = records_load_at(m->turn + first, 0);
    const records x = records_transpose(place), size = records_transpose(records_load_at(own, SN_MOVER_SIZES));
    const records sought = records_transpose(records_load_at(own, SN_MOVER_SOUGHT));
    const records before = records_transpose(records_load_at(own, SN_MOVER_TURN));
    const lanes w = x.part[3], extent = size.part[0], thin = size.part[1], room = size.part[2];
    records v = records_transpose(records_load_at(m->v + first, 0)),
            spin = records_transpose(records_load_at(record, 4));
    records displacements = records_transpose(records_load_at(own, SN_MOVER_DISPLACEMENTS)), pose = x;
    const lanes turning = move_length(spin) * extent + lanes_load(m->driven + first);
    const lanes spun = displacements.part[0] + move_turned(extent, before, records_transpose(rotation));
    const lanes displacement = h * (move_length(v) + turning + fall),
                turned = displacements.part[1] + h * (turning + fall);
    const records gone = records_sub(x, sought);
    const flags stays = lanes_above(lanes_all((double)SN_CERTAIN) * room, move_length(gone) + displacement + turned);
    m->left |= flags_bits(watched & lanes_unequal(w, zero) & ~stays) << first;
    m->fast = m->fast || flags_any(watched & lanes_above(displacement, thin));
    displacements = (records){{spun, lanes_choose(watched, turned, displacements.part[1]),
                               lanes_choose(watched, displacement, displacements.part[2]), displacements.part[3]}};
    v.part[3] = w;
    spin.part[3] = turning;
    pose.part[3] = spun;
    v = records_transpose(v), spin = records_transpose(spin), pose = records_transpose(pose),
    displacements = records_transpose(displacements);
    records_store_at(record, 0, &v);
    records_store_at(record, 4, &spin);
    records_store_at(record, 16, &pose);
    records_store_at(record, 20, &rotation);
    records_store_at(own, SN_MOVER_DISPLACEMENTS, &displacements);
    records_store_at(own, SN_MOVER_PLACE, &place);
    records_store_at(own, SN_MOVER_TURN, &rotation);
}

static void move_begin(const sn_wide_body_contacts *run, sn_wide_movers *movers)
{
    for (uint32_t first = 0; first < movers->count; first += SN_WIDTH)
        move_begin_lanes(run, movers, first);
    movers->left &= (1u << movers->count) - 1;
}

#endif
