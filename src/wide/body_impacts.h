/* Contact of bodies: impacts, in the substep in which they happen. */
#ifndef SN_WIDE_BODY_IMPACTS_H
#define SN_WIDE_BODY_IMPACTS_H

#include "wide/body_contact.h"

#define BODY_BOUNCES 400u /* iterations over the points of an impact, where no next substep could improve the result */

/* Relative to bounce_above: a faster impact is solved to the end at once. Softer ones are not, because light bodies
   between bodies a hundred times as heavy would tremble for ever. */
#define BODY_HITS ((lane_number)2)

/* Relative to the path in a substep: points that are so near at its end count as touching. A flat body that lands just
   then would otherwise touch with one end alone, by rounding, and tilt. */
#define BODY_ALMOST ((lane_number)1e-3)

/* Relative to friction: an iteration that changes it by less is the last one, */
#define BODY_TURNED ((lane_number)1e-3)
#define BODY_TURNS  20u /* of so many at most */

/* ---- Compiled once ----------------------------------------------------------------------------------------------- */

/* Impacts are rare and their code is long, so it is not inlined, and serves any number of points. */

SN_APART void body_balance_apart(const sn_wide_body_contact *m, uint32_t first, uint32_t points, const lanes *v,
                                 lanes *pushed, uint32_t rounds)
{
    body_balance(m, first, points, v, pushed, rounds);
}

SN_APART void body_friction_apart(sn_wide_body_contact *m, uint32_t first, uint32_t points, body_two *two, flags where)
{
    body_friction(m, first, points, two, where);
}

/* ---- Impacts with friction --------------------------------------------------------------------------------------- */

/* Lanes in which this iteration changed friction. */
SN_INLINE flags body_still_turns(const sn_wide_body_contact *m, uint32_t first, lanes3 was)
{
    const lanes3 now = body_rows(&m->tangent_impulse, first), more = lanes3_sub(now, was);
    return lanes_above(lanes3_dot(more, more), lanes_all(BODY_TURNED * BODY_TURNED) * lanes3_dot(now, now));
}

/* Friction and normal impulses by turns, because each changes the velocity that the other constrains. A lasting contact
   finds both over several substeps, by its warm start. An impact has one substep. */
SN_INLINE void body_settle(sn_wide_body_contact *m, uint32_t first, uint32_t points, body_two *two, flags left)
{
    for (uint32_t turn = 0; turn < BODY_TURNS && flags_bits(left); ++turn) {
        const lanes3 was = body_rows(&m->tangent_impulse, first);
        body_friction_apart(m, first, points, two, left);
        body_impulse(m, first, points, two, left, BODY_EXACT);
        left &= body_still_turns(m, first, was);
    }
}

/* Finds the impulses of impacts again, so that points with an impact separate as fast as they would without friction.
   Other points get normal impulses. */
SN_APART void body_throw(sn_wide_body_contact *m, uint32_t first, uint32_t points, body_two *two, flags where)
{
    lanes v[SN_BODY_CONTACT_POINTS] = {lanes_all(0)}, pushed[SN_BODY_CONTACT_POINTS] = {lanes_all(0)}; /* for gcc */
    lanes more[SN_BODY_CONTACT_POINTS];
    body_speeds(m, first, points, two, v);
    for (uint32_t k = 0; k < points; ++k) {
        const flags struck = lanes_above(body_row(m->rest[k].struck, first), lanes_all(0));
        v[k] =
            lanes_choose(struck, v[k] - body_row(m->rest[k].thrown, first), v[k] + body_row(m->point[k].room, first));
        pushed[k] = body_normal_impulse(m, first, k);
    }
    body_balance_apart(m, first, points, v, pushed, BODY_ROUNDS);
    for (uint32_t k = 0; k < points; ++k) {
        const lanes normal = body_row(m->point[k].normal_impulse, first), struck = body_row(m->rest[k].struck, first);
        const flags is = lanes_above(struck, lanes_all(0));
        more[k] = lanes_keep(where, pushed[k] - (normal + struck));
        lanes_store(m->rest[k].struck + first, struck + lanes_keep(is, more[k]));
        lanes_store(m->point[k].normal_impulse + first, normal + lanes_keep(~is, more[k]));
    }
    body_push_along(m, first, points, two, more);
}

/* Restitution with friction. Friction at a corner changes the velocity at which it separates, so the impulse of the
   impact is found again with it. With the normal impulse N, friction T and velocities before and after, energy changes
   by

       sum of N (v_n + v_n') / 2 + T . (v_t + v_t') / 2,

   and v_n' is -e v_n. So energy falls wherever friction opposes the slip. If the impact reverses the slip, the lane is
   left as it was. Returns the lanes that were changed. */
SN_INLINE flags body_rebound(sn_wide_body_contact *m, uint32_t first, uint32_t points, body_two *two, flags fresh)
{
    const lanes zero = lanes_all(0);
    const body_two before = *two;
    const lanes3 by_friction = body_rows(&m->tangent_impulse, first), rolled = body_rows(&m->rolled, first);
    const lanes twisted = body_row(m->twisted, first);
    lanes struck[SN_BODY_CONTACT_POINTS], normal[SN_BODY_CONTACT_POINTS];
    flags is = lanes_above(zero, zero);
    for (uint32_t k = 0; k < points; ++k) {
        struck[k] = body_row(m->rest[k].struck, first);
        normal[k] = body_row(m->point[k].normal_impulse, first);
        is |= lanes_above(struck[k], zero);
    }
    is &= fresh;
    flags left = is;
    for (uint32_t turn = 0; turn < BODY_TURNS && flags_bits(left); ++turn) {
        const lanes3 was = body_rows(&m->tangent_impulse, first);
        body_throw(m, first, points, two, left);
        body_friction_apart(m, first, points, two, left);
        left &= body_still_turns(m, first, was);
    }
    body_throw(m, first, points, two, is);
    const lanes3 slip = lanes3_add(body_rows(&m->slip, first), body_slips(m, first, two));
    const flags undone = is & lanes_above(lanes3_dot(body_rows(&m->tangent_impulse, first), slip), zero);
    if (!flags_bits(undone))
        return is;
    two->a.v = body_choose(undone, before.a.v, two->a.v);
    two->b.v = body_choose(undone, before.b.v, two->b.v);
    two->a.spin = body_choose(undone, before.a.spin, two->a.spin);
    two->b.spin = body_choose(undone, before.b.spin, two->b.spin);
    body_set_rows(&m->tangent_impulse, first, body_choose(undone, by_friction, body_rows(&m->tangent_impulse, first)));
    body_set_rows(&m->rolled, first, body_choose(undone, rolled, body_rows(&m->rolled, first)));
    lanes_store(m->twisted + first, lanes_choose(undone, twisted, body_row(m->twisted, first)));
    for (uint32_t k = 0; k < points; ++k) {
        lanes_store(m->rest[k].struck + first, lanes_choose(undone, struck[k], body_row(m->rest[k].struck, first)));
        lanes_store(m->point[k].normal_impulse + first,
                    lanes_choose(undone, normal[k], body_row(m->point[k].normal_impulse, first)));
    }
    return is & ~undone;
}

SN_APART void body_finish_impact(sn_wide_body_contact *m, uint32_t first, uint32_t points, body_two *two, flags fresh)
{
    if (m->bounces)
        fresh &= ~body_rebound(m, first, points, two, fresh);
    body_settle(m, first, points, two, fresh);
}

/* ---- Rebound ----------------------------------------------------------------------------------------------------- */

/* m: a displacement in addition to that of the velocity. */
SN_INLINE void body_shift(const sn_wide_body_contacts *run, const uint32_t *index, uint32_t moves, lanes3 by)
{
    records displacement = records_transpose(records_load_far(run->mover + 6, index));
    displacement = records_transpose((records){
        {displacement.part[0] + by.x, displacement.part[1] + by.y, displacement.part[2] + by.z, displacement.part[3]}});
    records_store_some_far(run->mover + 6, index, &displacement, moves & ((1u << SN_WIDTH) - 1));
}

/* Impacts. A body that approaches fast rebounds at a share of that speed. All points of a contact are solved together,
   so that a box that falls flat does not begin to rotate. Contacts are solved one after the other, so that an impact is
   passed from one to the next, as in Newton's cradle. Let v be the speed at the end of the substep, a the acceleration,
   u = v - a h / 2 the speed at its start, and g the gap then. They touch after the time t, at the speed c:

       c = sqrt(u^2 - 2 a g),  t = 2 g / (|u| + c),      v' = e c + a (h / 2 - t),

   and then they separate: the gap at the end is e c (h - t) + a (h - t)^2 / 2, which is less than v' h. The centre is
   shifted by the difference, so that bounces have the right height wherever in a substep the impact is. The rotation is
   not corrected: a rotation without momentum changes the energy of a body with unequal moments. If both bodies move
   there is no shift, because it would change their angular momentum. A point without impact is left to the next sweep:
   constrained in the same impact it adds energy if it separates, and removes up to half of it if it approaches. Round
   bodies get the impulse along the line between them at the moment of contact (body_first_touch): shifting those
   conserves angular momentum. */
SN_INLINE bool body_strike(const sn_wide_body_contacts *run, sn_wide_body_contact *m, uint32_t first, uint32_t points)
{
    body_two two = body_load_two(run, m, first);
    const lanes zero = lanes_all(0), share = body_row(m->restitution, first), h = lanes_all(run->h);
    const lanes half = lanes_all((lane_number)0.5), slow = lanes_all(run->bounce_above);
    const flags may = lanes_above(share, zero) & body_not_missing(m, first, &two);
    const flags alone =
        ~lanes_above(lanes_min(two.a.w, two.b.w), zero) | lanes_above(body_row(m->touched, first), zero);
    lanes v[SN_BODY_CONTACT_POINTS], late[SN_BODY_CONTACT_POINTS], pushed[SN_BODY_CONTACT_POINTS];
    flags acts = may & ~may;
    body_speeds(m, first, points, &two, v);
    for (uint32_t k = 0; k < points; ++k) {
        const lanes room = body_row(m->point[k].room, first), gap = lanes_max(body_row(m->rest[k].gap, first), zero);
        const lanes a = body_row(m->rest[k].pull, first), u = v[k] - a * h * half;
        const lanes c = lanes_sqrt(lanes_max(u * u - (a + a) * gap, zero));
        const flags near = lanes_above(zero - lanes_all(BODY_ALMOST) * u, v[k] + room);
        const flags struck = may & near & lanes_above(zero, u) & lanes_above(c, slow);
        const lanes t = lanes_min(lanes_keep(struck, (gap + gap) / (c - u)), h), left = h - t;
        const lanes wanted = share * c + a * (half * h - t), end = (share * c + half * a * left) * left;
        late[k] = lanes_keep(struck & alone, (gap + wanted * h - end) / (wanted - v[k]));
        v[k] = lanes_choose(struck, v[k] - wanted, lanes_all(BODY_EVER));
        pushed[k] = zero;
        acts |= struck;
    }
    if (!flags_bits(acts))
        return false;
    body_balance_apart(m, first, points, v, pushed, BODY_BOUNCES);
    lanes shift = zero;
    for (uint32_t k = 0; k < points; ++k) {
        pushed[k] = lanes_keep(acts, pushed[k]);
        shift = shift - pushed[k] * late[k];
        lanes_store(m->rest[k].struck + first, body_row(m->rest[k].struck, first) + pushed[k]);
    }
    body_push_along(m, first, points, &two, pushed);
    body_shift(run, m->a + first, m->moves_a >> first, lanes3_scale(two.n, shift * two.a.w));
    body_shift(run, m->b + first, m->moves_b >> first, lanes3_scale(two.n, zero - shift * two.b.w));
    body_store_two(run, m, first, &two);
    return true;
}

/* Before impacts: the acceleration without contact. */
SN_INLINE void body_pull(const sn_wide_body_contacts *run, sn_wide_body_contact *m, uint32_t first, uint32_t points)
{
    const body_two two = body_load_two(run, m, first);
    lanes v[SN_BODY_CONTACT_POINTS];
    body_speeds(m, first, points, &two, v);
    for (uint32_t k = 0; k < points; ++k)
        lanes_store(m->rest[k].pull + first, (v[k] - body_row(m->rest[k].before, first)) * lanes_all(run->inverse_h));
}

static bool body_strike_all(const sn_wide_body_contacts *given)
{
    const sn_wide_body_contacts own = *given;
    bool struck = false;
    for (uint32_t b = own.first; b < own.end; ++b) {
        sn_wide_body_contact *m = &own.batch[b];
        for (uint32_t first = 0; m->bounces && first < m->lanes; first += SN_WIDTH)
            if (own.sweep < 1)
                body_pull(&own, m, first, body_points(m));
            else
                struck |= body_strike(&own, m, first, body_points(m));
    }
    return struck;
}

#endif
