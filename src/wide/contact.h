/* Contact of balls: non-penetration, friction and restitution. Eight pairs at a time, of which no two share a ball.

   Positions and velocities of a pair are corrected together. Before this the velocities are those of the motion in this
   substep, so v h is the displacement, and an impulse p (a length) adds p to the position and p / h to the velocity.
   With n the direction from b to a, g the gap between them, u the relative displacement in this substep and g0 = g -
   u.n the gap at its start,

       normal      P' = max(0, P + min(g0, 0) - g)          applies P' - P: no deeper than before, and no pull
       friction    T' = T - u_t, cut to the length mu P'      applies T' - T; mu_s while it sticks, mu_d when it slides

   P and T are the impulses in this substep so far, along the normal and across it. A substep begins with those of the
   substep before (warm start), so that a pile at rest is held by P alone. Without it every ball would have to sink in
   according to the load above it, and piles would tremble. The warm start is at most twice the impulse of the substep
   before the last: a load acts in both, an impact does not. (With a limit of once that impulse a little would be lost
   in every substep, because impulses vary: deep piles crept.) All are lengths that two particles share by their inverse
   masses, so masses cancel from friction.

   Overlapping balls are also separated, slowly, without a change of velocity; see sn_wide_contacts.part. A pair that
   bounces gets its new speed at once, -e times that of its approach. */
#ifndef SN_WIDE_CONTACT_H
#define SN_WIDE_CONTACT_H

#include "base/simd.h"
#include "wide/wide.h"

/* The two balls of several pairs, one pair in each lane. */
typedef struct contact_pair {
    const uint32_t *a, *b;
    records place_a, place_b, speed_a, speed_b; /* as they are in memory */
    lanes3 xa, xb, va, vb;
    lanes wa, wb;
} contact_pair;

SN_INLINE void contact_places(const sn_wide_contacts *run, uint32_t batch, uint32_t first, contact_pair *p)
{
    p->a = run->index + (size_t)batch * 2 * SN_NEAR + first;
    p->b = p->a + SN_NEAR;
    p->place_a = records_load_far(run->x, p->a);
    p->place_b = records_load_far(run->x, p->b);
    records a = records_transpose(p->place_a), b = records_transpose(p->place_b);
    p->xa = (lanes3){a.part[0], a.part[1], a.part[2]};
    p->xb = (lanes3){b.part[0], b.part[1], b.part[2]};
    p->wa = a.part[3];
    p->wb = b.part[3];
}

SN_INLINE void contact_velocities(const sn_wide_contacts *run, contact_pair *p)
{
    p->speed_a = records_load_far(run->v, p->a);
    p->speed_b = records_load_far(run->v, p->b);
    records a = records_transpose(p->speed_a), b = records_transpose(p->speed_b);
    p->va = (lanes3){a.part[0], a.part[1], a.part[2]};
    p->vb = (lanes3){b.part[0], b.part[1], b.part[2]};
}

/* The lanes that move. In a full batch, lanes that do not move are moved by -0, which changes no number, and stored
   again: a branch for each of them would be mispredicted too often. */
typedef struct contact_movers {
    flags which;
    uint32_t mask;
    bool full; /* every lane has a pair */
} contact_movers;

SN_INLINE lanes3 contact_by(const contact_movers *m, lanes3 by)
{
    const lanes none = lanes_all((lane_number)-0.0);
    return (lanes3){lanes_choose(m->which, by.x, none), lanes_choose(m->which, by.y, none),
                    lanes_choose(m->which, by.z, none)};
}

SN_INLINE void contact_store(sn_vec4 *column, const uint32_t *index, records r, const contact_movers *m)
{
    if (m->full)
        records_store_far(column, index, &r);
    else
        records_store_some_far(column, index, &r, m->mask);
}

/* Adds to positions, and the rounding error to their remainders: a ball at rest is moved to and fro by the same length
   in every substep, and would otherwise creep. */
SN_INLINE void contact_add_place(sn_vec4 *x, sn_vec4 *x_low, const uint32_t *index, records place, lanes3 displacement,
                                 const contact_movers *m)
{
    const lanes3 by = contact_by(m, displacement);
    records add = records_transpose((records){{by.x, by.y, by.z, lanes_all((lane_number)-0.0)}});
    records sum = records_add(place, add), dropped = records_sub(add, records_sub(sum, place));
    contact_store(x, index, sum, m);
    contact_store(x_low, index, records_add(records_load_far(x_low, index), dropped), m);
}

SN_INLINE void contact_add_speed(sn_vec4 *v, const uint32_t *index, records speed, lanes3 change,
                                 const contact_movers *m)
{
    const lanes3 by = contact_by(m, change);
    records add = records_transpose((records){{by.x, by.y, by.z, lanes_all((lane_number)-0.0)}});
    contact_store(v, index, records_add(speed, add), m);
}

/* The lanes of a batch that act and have a pair. have: number of lanes with a pair. */
SN_INLINE contact_movers contact_movers_of(flags acts, uint32_t have, uint32_t first)
{
    const uint32_t all = (1u << SN_WIDTH) - 1, present = ((1u << have) - 1) >> first & all;
    return (contact_movers){acts, flags_bits(acts) & present, present == all};
}

/* The direction from b to a, and the distance. Balls with the same centre separate upwards. */
SN_INLINE lanes3 contact_normal(const contact_pair *p, lanes *length)
{
    lanes3 d = lanes3_sub(p->xa, p->xb);
    *length = lanes_sqrt(lanes3_dot(d, d));
    flags apart = lanes_above(*length, lanes_all((lane_number)1e-18));
    lanes inverse = lanes_all(1) / *length;
    return (lanes3){lanes_keep(apart, d.x * inverse), lanes_choose(apart, d.y * inverse, lanes_all(1)),
                    lanes_keep(apart, d.z * inverse)};
}

/* One number for each pair, or one for all. */
SN_INLINE lanes contact_number(const lane_number *each, lane_number all, size_t at)
{
    return each ? lanes_load(each + at) : lanes_all(all);
}

SN_INLINE lanes3 contact_vector(const lane_number *from, size_t batch, uint32_t first)
{
    from += batch * 3 * SN_NEAR + first;
    return (lanes3){lanes_load(from), lanes_load(from + SN_NEAR), lanes_load(from + 2 * SN_NEAR)};
}

SN_INLINE void contact_set_vector(lane_number *to, size_t batch, uint32_t first, lanes3 a)
{
    to += batch * 3 * SN_NEAR + first;
    lanes_store(to, a.x);
    lanes_store(to + SN_NEAR, a.y);
    lanes_store(to + 2 * SN_NEAR, a.z);
}

/* Lanes without a pair may be overwritten. */
SN_INLINE void contact_keep(lane_number *to, const contact_movers *m, lanes a, lanes was)
{
    lanes_store(to, lanes_choose(m->which, a, was));
}

SN_INLINE void contact_keep_vector(lane_number *to, const contact_movers *m, lanes3 a, lanes3 was)
{
    contact_keep(to, m, a.x, was.x);
    contact_keep(to + SN_NEAR, m, a.y, was.y);
    contact_keep(to + 2 * SN_NEAR, m, a.z, was.z);
}

/* Changes the relative position and the relative velocity of both. */
SN_INLINE void contact_move(const sn_wide_contacts *run, const contact_pair *p, lanes3 place, lanes3 speed,
                            const contact_movers *m)
{
    lanes share = lanes_all(1) / (p->wa + p->wb), wa = p->wa * share, wb = lanes_all(0) - p->wb * share;
    contact_add_place(run->x, run->x_low, p->a, p->place_a, lanes3_scale(place, wa), m);
    contact_add_place(run->x, run->x_low, p->b, p->place_b, lanes3_scale(place, wb), m);
    contact_add_speed(run->v, p->a, p->speed_a, lanes3_scale(speed, wa), m);
    contact_add_speed(run->v, p->b, p->speed_b, lanes3_scale(speed, wb), m);
}

/* Records the velocity change of pairs, if requested: see world/contact_rigid.c. */
SN_INLINE void contact_note(const sn_wide_contacts *run, size_t batch, uint32_t first, lanes3 speed,
                            const contact_movers *m)
{
    if (!run->given)
        return;
    const lanes3 was = contact_vector(run->given, batch, first);
    contact_keep_vector(run->given + batch * 3 * SN_NEAR + first, m, lanes3_add(was, speed), was);
}

/* Relative to the sum of the radii: no load separates two balls by more in a substep. */
#define CONTACT_MOST ((lane_number)4)

/* The warm start from the previous substep. It is 0 for an impulse too large for a load: a light ball caught between
   heavy ones would be thrown farther each time. */
SN_INLINE void contact_warm(const sn_wide_contacts *run, uint32_t batch, uint32_t first)
{
    const size_t at = (size_t)batch * SN_NEAR + first;
    const lanes zero = lanes_all(0), last = lanes_load(run->normal_impulse + at),
                most = lanes_min(last, lanes_load(run->last + at) * lanes_all(2)),
                steady = lanes_keep(lanes_above(lanes_load(run->reach + at) * lanes_all(CONTACT_MOST), most), most);
    lanes length;
    lanes_store(run->last + at, last);
    if (!flags_bits(lanes_above(last, zero)))
        return;
    lanes share = lanes_keep(lanes_above(steady, zero), steady / last);
    lanes3 tangent_impulse = lanes3_scale(contact_vector(run->tangent_impulse, batch, first), share);
    lanes_store(run->normal_impulse + at, steady);
    contact_set_vector(run->tangent_impulse, batch, first, tangent_impulse);
    const contact_movers m = contact_movers_of(lanes_above(steady, zero), run->lanes[batch], first);
    contact_pair p;
    if (!m.mask)
        return;
    contact_places(run, batch, first, &p);
    contact_velocities(run, &p);
    lanes3 push = lanes3_add(tangent_impulse, lanes3_scale(contact_normal(&p, &length), steady));
    lanes3 speed = lanes3_scale(push, lanes_all(run->inverse_h));
    contact_move(run, &p, push, speed, &m);
    contact_note(run, batch, first, speed, &m);
}

/* Clamps a friction impulse: unchanged up to static friction; otherwise cut to dynamic friction. */
SN_INLINE lanes3 contact_cut(lanes3 wanted, lanes static_friction, lanes dynamic_friction)
{
    lanes much = lanes_sqrt(lanes3_dot(wanted, wanted));
    return lanes3_scale(wanted,
                        lanes_choose(lanes_above(much, static_friction), dynamic_friction / much, lanes_all(1)));
}

/* T' from T - slip. */
SN_INLINE lanes3 contact_friction(const sn_wide_contacts *run, size_t at, lanes3 wanted, lanes normal_impulse)
{
    return contact_cut(wanted, contact_number(run->static_friction, run->static_friction_all, at) * normal_impulse,
                       contact_number(run->dynamic_friction, run->dynamic_friction_all, at) * normal_impulse);
}

/* The pairs that bounce. There the impulse reverses the speed at once, and is not used for warm starting. So a ball
   that hits a row of others passes its speed on from one to the next. */
SN_INLINE flags contact_bounces(const sn_wide_contacts *run, const contact_pair *p, size_t at, lanes3 n, lanes gap,
                                lanes along, lanes *normal_impulse)
{
    const lanes zero = lanes_all(0), h = lanes_all(run->h);
    if (!run->bounces)
        return lanes_unequal(zero, zero);
    lanes restitution = contact_number(run->restitution, run->restitution_all, at);
    flags bounces = lanes_above(zero - along, lanes_all(run->bounce_above * run->h)) & lanes_above(zero, gap) &
                    lanes_above(restitution, zero);
    /* Gravity acts on both equally, unless one is immovable; see sn_restitution. */
    const lanes fall =
        n.x * lanes_all(run->gravity.x) + n.y * lanes_all(run->gravity.y) + n.z * lanes_all(run->gravity.z);
    const lanes a = lanes_keep(lanes_above(p->wa, zero), fall) - lanes_keep(lanes_above(p->wb, zero), fall);
    const lanes half = a * h * h * lanes_all((lane_number)0.5), start = along - half;
    const lanes square = start * start - lanes_all(2) * a * h * h * lanes_max(zero, gap - along);
    const lanes leaves = restitution * lanes_sqrt(lanes_max(zero, square)) - half;
    *normal_impulse = lanes_choose(bounces, lanes_max(zero, leaves) - along, *normal_impulse);
    return bounces;
}

/* Relative to the sum of the radii: a pair that approached by more in a substep is swept. */
#define CONTACT_FAR ((lane_number)0.25)

/* The sweep of two balls. Relative to b, a moves from d0 = d - u by u. With q the point of nearest approach on that
   line, at the time s, they touch first at

       t = s - sqrt((reach^2 - |q|^2) / |u|^2)

   or at once, if they overlap already. Then the normal becomes that of the first contact, and the gap is measured from
   the plane through that contact: it is negative also where a has passed b. It is computed from q, because |d0|^2 -
   reach^2 would lose all digits on a long path. Pairs that bounce use the normal of the first contact at any speed. */
SN_INLINE flags contact_sweep(lanes3 d, lanes3 u, lanes reach, flags bouncy, lanes3 *n, lanes *gap)
{
    const lanes zero = lanes_all(0), one = lanes_all(1), square = lanes3_dot(u, u), limit = reach * reach;
    const lanes3 from = lanes3_sub(d, u);
    const lanes s = (zero - lanes3_dot(from, u)) / square;
    const lanes3 q = lanes3_add(from, lanes3_scale(u, s));
    const lanes inside = limit - lanes3_dot(q, q), t = s - lanes_sqrt(lanes_max(zero, inside) / square);
    const lanes3 at = lanes3_add(from, lanes3_scale(u, lanes_max(zero, t)));
    const lanes length = lanes_sqrt(lanes3_dot(at, at)), inverse = one / length;
    const lanes3 normal = lanes3_scale(at, inverse);
    const flags far = lanes_above(square, limit * lanes_all(CONTACT_FAR * CONTACT_FAR));
    flags touched = (far | (bouncy & lanes_above(t, zero))) & lanes_above(square, zero) & lanes_above(s, zero) &
                    lanes_above(inside, zero) & lanes_at_least(one, t) &
                    lanes_above(length, lanes_all((lane_number)1e-18));
    const lanes there = lanes3_dot(d, normal) - reach;
    *n = (lanes3){lanes_choose(touched, normal.x, n->x), lanes_choose(touched, normal.y, n->y),
                  lanes_choose(touched, normal.z, n->z)};
    *gap = lanes_choose(touched, there, *gap);
    return touched & far & lanes_above(zero, there);
}

/* swept: some balls may have moved far in this substep, some surfaces move, or velocity changes are recorded. Most
   worlds have none of these. */
SN_INLINE void contact_project(const sn_wide_contacts *run, uint32_t batch, uint32_t first, const bool swept)
{
    const size_t at = (size_t)batch * SN_NEAR + first;
    const lanes zero = lanes_all(0), reach = lanes_load(run->reach + at),
                normal_impulse = lanes_load(run->normal_impulse + at);
    contact_pair p;
    contact_places(run, batch, first, &p);
    lanes3 d = lanes3_sub(p.xa, p.xb);
    const flags moves = lanes_above(p.wa + p.wb, zero);
    flags acts = (lanes_above(reach * reach, lanes3_dot(d, d)) | lanes_above(normal_impulse, zero)) & moves;
    contact_movers m = contact_movers_of(acts, run->lanes[batch], first);
    if (!swept && !m.mask)
        return;
    lanes length;
    contact_velocities(run, &p);
    lanes3 n = contact_normal(&p, &length), u = lanes3_scale(lanes3_sub(p.va, p.vb), lanes_all(run->h));
    lanes gap = length - reach;
    flags touched = lanes_unequal(zero, zero);
    if (swept || run->bounces) {
        const lanes restitution = contact_number(run->restitution, run->restitution_all, at);
        touched = contact_sweep(d, u, reach, lanes_above(restitution, zero), &n, &gap) & lanes_above(reach, zero);
    }
    if (swept) {
        m = contact_movers_of(acts | (touched & moves), run->lanes[batch], first);
        if (!m.mask)
            return;
    }
    lanes along = lanes3_dot(u, n), before = gap - along;
    lanes after = lanes_max(zero, normal_impulse + lanes_min(before, zero) - gap), normal = after - normal_impulse;
    flags bounces = contact_bounces(run, &p, at, n, gap, along, &after);
    if (swept) { /* An impact: it removes the whole approach velocity, not only the part after the contact. */
        touched = touched & lanes_above(zero, along) & ~bounces;
        after = lanes_choose(touched, normal_impulse - along, after);
    }
    const lanes3 was = contact_vector(run->tangent_impulse, batch, first);
    lanes3 slip = lanes3_sub(u, lanes3_scale(n, along));
    if (swept && run->belt) {
        const lanes3 belt = contact_vector(run->belt, batch, first), off = lanes3_scale(n, lanes3_dot(belt, n));
        slip = lanes3_sub(slip, lanes3_scale(lanes3_sub(belt, off), lanes_all(run->h)));
    }
    const lanes3 tangent_impulse = lanes3_sub(was, lanes3_scale(n, lanes3_dot(was, n))); /* the tangent plane rotates */
    lanes3 tangential = contact_friction(run, at, lanes3_sub(tangent_impulse, slip), after),
           across = lanes3_sub(tangential, tangent_impulse);
    lanes deep = lanes_max(zero, (zero - before) - lanes_all(run->slop) * reach);
    deep = lanes_min(lanes_all(run->part), deep * lanes_all(run->ease));
    lanes place = lanes_choose(bounces, zero - gap, normal + deep), speed = lanes_choose(bounces, after, normal);
    if (swept)
        speed = lanes_choose(touched, zero - along, speed);
    const lanes3 change = lanes3_scale(lanes3_add(across, lanes3_scale(n, speed)), lanes_all(run->inverse_h));
    contact_move(run, &p, lanes3_add(across, lanes3_scale(n, place)), change, &m);
    if (swept)
        contact_note(run, batch, first, change, &m);
    contact_keep(run->normal_impulse + at, &m, after, normal_impulse);
    contact_keep_vector(run->tangent_impulse + (size_t)batch * 3 * SN_NEAR + first, &m, tangential, was);
}

SN_INLINE void contact_project_slow(const sn_wide_contacts *run, uint32_t batch, uint32_t first)
{
    contact_project(run, batch, first, false);
}

SN_INLINE void contact_project_swept(const sn_wide_contacts *run, uint32_t batch, uint32_t first)
{
    contact_project(run, batch, first, true);
}

/* Contact with a plane. A plane does not move: the ball gets the whole correction. */
SN_INLINE void contact_plane(sn_wide_plane *run, uint32_t first)
{
    const lanes zero = lanes_all(0), h = lanes_all(run->h), radius = lanes_load(run->radius + first);
    const lanes3 n = {lanes_all(run->normal.x), lanes_all(run->normal.y), lanes_all(run->normal.z)};
    const lanes3 surface = {lanes_all(run->velocity.x), lanes_all(run->velocity.y), lanes_all(run->velocity.z)};
    const uint32_t *slot = run->slot + first;
    records lies = records_load_far(run->x, slot), place = records_transpose(lies);
    lanes3 x = {place.part[0], place.part[1], place.part[2]};
    lanes gap = lanes3_dot(n, x) - lanes_all(run->offset) - radius,
          normal_impulse = lanes_load(run->normal_impulse + first);
    lanes_store(run->gap + first, gap);
    const contact_movers m =
        contact_movers_of(lanes_above(zero, gap) | lanes_above(normal_impulse, zero), run->lanes, first);
    if (!m.mask)
        return;
    records goes = records_load_far(run->v, slot), speed = records_transpose(goes);
    lanes3 v = {speed.part[0], speed.part[1], speed.part[2]}, u = lanes3_scale(lanes3_sub(v, surface), h);
    lanes along = lanes3_dot(u, n), before = gap - along;
    lanes after = lanes_max(zero, normal_impulse + lanes_min(before, zero) - gap);
    const lanes3 was = contact_vector(run->tangent_impulse, 0, first);
    const lanes3 tangent_impulse = lanes3_sub(was, lanes3_scale(n, lanes3_dot(was, n)));
    lanes3 wanted = lanes3_sub(tangent_impulse, lanes3_sub(u, lanes3_scale(n, along)));
    lanes3 tangential = contact_cut(wanted, lanes_load(run->static_friction + first) * after,
                                    lanes_load(run->dynamic_friction + first) * after);
    lanes3 push = lanes3_add(lanes3_scale(n, after - normal_impulse), lanes3_sub(tangential, tangent_impulse));
    lanes deep = lanes_max(zero, (zero - before) - lanes_all(run->slop) * radius);
    lanes3 moved = lanes3_add(push, lanes3_scale(n, lanes_min(lanes_all(run->part), deep * lanes_all(run->ease))));
    contact_add_place(run->x, run->x_low, slot, lies, moved, &m);
    contact_add_speed(run->v, slot, goes, lanes3_scale(push, lanes_all(run->inverse_h)), &m);
    contact_keep(run->normal_impulse + first, &m, after, normal_impulse);
    contact_keep_vector(run->tangent_impulse + first, &m, tangential, was);
}

static void contact_plane_all(sn_wide_plane *run)
{
    for (uint32_t first = 0; first < run->lanes; first += SN_WIDTH)
        contact_plane(run, first);
}

#define CONTACT_LOOP(name, one)                                                                                        \
    static void name(const sn_wide_contacts *given)                                                                    \
    {                                                                                                                  \
        const sn_wide_contacts own = *given; /* a local copy: stores cannot change it */                               \
        for (uint32_t b = own.first; b < own.end; ++b)                                                                 \
            for (uint32_t first = 0; first < own.lanes[b]; first += SN_WIDTH)                                          \
                one(&own, b, first);                                                                                   \
    }

CONTACT_LOOP(contact_warm_all, contact_warm)
CONTACT_LOOP(contact_project_all, contact_project_slow)
CONTACT_LOOP(contact_sweep_all, contact_project_swept)

#endif
