/* Contact of bodies: the passes over contacts, eight at a time, of which no two share a body. contact/body_solve.c
   explains the method.

   Poses stay fixed; linear and angular velocities change. With n the normal from b to a, r the arms of the points and I
   the inertia, an impulse P along n at a point gives

       v += n P / m,   w += I^-1 (r x n) P       to a, and the opposite to b.

   An impulse acts on both at the same point. With d from the centre of b to that of a, the arms of b are r + d, and

       (r + d) x n = r x n + d x n,

   so it is enough to store those of a, and d x n, which is the same for all points.

   Lanes are independent: the result of a lane depends only on its own numbers and on those of its batch (the number of
   points), which are the same for every width. */
#ifndef SN_WIDE_BODY_CONTACT_H
#define SN_WIDE_BODY_CONTACT_H

#include "base/simd.h"
#include "wide/copies.h"
#include "wide/wide.h"

/* Relative to the normal impulses: smaller changes end the iteration over points. With 1e-4 towers trembled. */
#define BODY_SETTLED ((lane_number)1e-6)
#define BODY_ROUNDS  6u /* iterations over the points of a contact, to find their impulses */

#define BODY_SETTLES ((lane_number)2) /* from this sweep on */

#define BODY_EVER  ((lane_number)1e30) /* m, m/s: more than ever occurs */
/* Normal impulses of every other sweep change by this much more than what one contact alone needs (successive
   over-relaxation). What a tower carries gets to its foot in fewer sweeps: without it one of thirty bricks leaned
   further and further, and fell. The last sweep is exact, so a contact alone neither bounces nor sinks. Below 2 no
   sweep adds energy. It is for two bodies that rest on each other: what slides on the ground has the friction of its
   exact weight. Sweeps over violent contacts do the same for all of them, but for those that settle: an impact gets
   through a heap in fewer. Not where something bounces: capsules that bounced at one substep got 11 % of their energy
   back, twice in 24 heaps. */
#define BODY_EAGER 1.5

#define BODY_NOTHING   ((lane_number)1e-37) /* N s: a smaller impulse counts as none, and has no inverse */
#define BODY_ONE_POINT ((lane_number)1e-4)  /* of the product of the diagonal: below this two points count as one */

/* How the threshold of a violent approach falls with depth: an overlap three times the slop may deepen only half as
   much. Without this, boxes were crushed by those that fell on them, by a hundredth in each substep. */
#define BODY_DEEPER ((lane_number)0.5)

/* Times the slop: smaller overlaps are not separated. Resting contacts are about as deep as the slop, and without this
   margin all of them would be corrected by a little in every substep. */
#define BODY_DEEP ((lane_number)1.1)

#define BODY_EASE      ((lane_number)0.2)  /* share of an overlap that is corrected in a substep */
#define BODY_EASE_MOST ((lane_number)0.4)  /* the same for deep overlaps, at most */
#define BODY_EASE_RISE ((lane_number)0.02) /* increase of the share for each slop of depth */
#define BODY_PARTED    ((lane_number)0.1)  /* relative to the correction: if less is missing, it is complete */

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

SN_INLINE lanes body_row(const lane_number *row, uint32_t first)
{
    return lanes_load(row + first);
}

SN_INLINE lanes3 body_rows(const sn_lane_rows *rows, uint32_t first)
{
    return (lanes3){lanes_load(rows->x + first), lanes_load(rows->y + first), lanes_load(rows->z + first)};
}

SN_INLINE void body_set_rows(sn_lane_rows *rows, uint32_t first, lanes3 a)
{
    lanes_store(rows->x + first, a.x);
    lanes_store(rows->y + first, a.y);
    lanes_store(rows->z + first, a.z);
}

/* The index of the coupling of two points, i < k. */
SN_INLINE uint32_t body_couple(uint32_t i, uint32_t k)
{
    return i == 0 ? k - 1 : i + k;
}

SN_INLINE lanes3 body_choose(flags where, lanes3 a, lanes3 b)
{
    return (lanes3){lanes_choose(where, a.x, b.x), lanes_choose(where, a.y, b.y), lanes_choose(where, a.z, b.z)};
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

typedef struct body_mover {
    lanes3 v, spin;
    lanes stirred; /* the last sweep in which a contact of the body was violent */
    lanes w, xx, yy, zz, xy, xz, yz;
} body_mover;

SN_INLINE body_mover body_load(const sn_wide_body_contacts *run, const uint32_t *index)
{
    records v = records_transpose(records_load_far(run->mover, index));
    records s = records_transpose(records_load_far(run->mover + 1, index));
    records i = records_transpose(records_load_far(run->inertia, index));
    records j = records_transpose(records_load_far(run->inertia + 1, index));
    return (body_mover){.v = {v.part[0], v.part[1], v.part[2]},
                        .spin = {s.part[0], s.part[1], s.part[2]},
                        .stirred = s.part[3],
                        .w = v.part[3],
                        .xx = i.part[0],
                        .yy = i.part[1],
                        .zz = i.part[2],
                        .xy = i.part[3],
                        .xz = j.part[0],
                        .yz = j.part[1]};
}

/* Stores the bodies that are movable. The others may be in several lanes, and are never written. */
SN_INLINE void body_store(const sn_wide_body_contacts *run, const uint32_t *index, uint32_t moves, const body_mover *m)
{
    const uint32_t all = (1u << SN_WIDTH) - 1, mask = moves & all;
    records v = records_transpose((records){{m->v.x, m->v.y, m->v.z, m->w}});
    records s = records_transpose((records){{m->spin.x, m->spin.y, m->spin.z, m->stirred}});
    if (mask == all) {
        records_store_far(run->mover, index, &v);
        records_store_far(run->mover + 1, index, &s);
    } else if (mask) {
        records_store_some_far(run->mover, index, &v, mask);
        records_store_some_far(run->mover + 1, index, &s, mask);
    }
}

SN_INLINE lanes3 body_turn_of(const body_mover *m, lanes3 torque)
{
    return (lanes3){m->xx * torque.x + m->xy * torque.y + m->xz * torque.z,
                    m->xy * torque.x + m->yy * torque.y + m->yz * torque.z,
                    m->xz * torque.x + m->yz * torque.y + m->zz * torque.z};
}

/* The two bodies of each contact. */
typedef struct body_two {
    body_mover a, b;
    lanes3 n, off; /* off: (arm of b - arm of a) x n */
} body_two;

SN_INLINE lanes3 body_off(const sn_wide_body_contact *m, uint32_t first, lanes3 n)
{
    return lanes3_cross(body_rows(&m->between, first), n);
}

SN_INLINE body_two body_load_two(const sn_wide_body_contacts *run, const sn_wide_body_contact *m, uint32_t first)
{
    const lanes3 n = body_rows(&m->n, first);
    return (body_two){body_load(run, m->a + first), body_load(run, m->b + first), n, body_off(m, first, n)};
}

SN_INLINE void body_store_two(const sn_wide_body_contacts *run, const sn_wide_body_contact *m, uint32_t first,
                              const body_two *two)
{
    body_store(run, m->a + first, m->moves_a >> first, &two->a);
    body_store(run, m->b + first, m->moves_b >> first, &two->b);
}

/* Applies a friction impulse at the friction point. */
SN_INLINE void body_push_across(const sn_wide_body_contact *m, uint32_t first, body_two *two, lanes3 push)
{
    two->a.v = lanes3_add(two->a.v, lanes3_scale(push, two->a.w));
    two->b.v = lanes3_sub(two->b.v, lanes3_scale(push, two->b.w));
    const lanes3 ra = body_rows(&m->ra, first), rb = lanes3_add(ra, body_rows(&m->between, first));
    lanes3 turn_a = body_turn_of(&two->a, lanes3_cross(ra, push));
    lanes3 turn_b = body_turn_of(&two->b, lanes3_cross(rb, push));
    two->a.spin = lanes3_add(two->a.spin, turn_a);
    two->b.spin = lanes3_sub(two->b.spin, turn_b);
}

SN_INLINE void body_turn_both(body_two *two, lanes3 torque)
{
    two->a.spin = lanes3_add(two->a.spin, body_turn_of(&two->a, torque));
    two->b.spin = lanes3_sub(two->b.spin, body_turn_of(&two->b, torque));
}

/* Applies additional normal impulses at each point. */
SN_INLINE void body_push_along(const sn_wide_body_contact *m, uint32_t first, uint32_t points, body_two *two,
                               const lanes *more)
{
    lanes total = more[0];
    lanes3 of_a = lanes3_scale(body_rows(&m->point[0].arm, first), more[0]);
    for (uint32_t k = 1; k < points; ++k) {
        total = total + more[k];
        of_a = lanes3_add(of_a, lanes3_scale(body_rows(&m->point[k].arm, first), more[k]));
    }
    const lanes3 of_b = lanes3_add(of_a, lanes3_scale(two->off, total));
    two->a.v = lanes3_add(two->a.v, lanes3_scale(two->n, two->a.w * total));
    two->b.v = lanes3_sub(two->b.v, lanes3_scale(two->n, two->b.w * total));
    two->a.spin = lanes3_add(two->a.spin, body_turn_of(&two->a, of_a));
    two->b.spin = lanes3_sub(two->b.spin, body_turn_of(&two->b, of_b));
}

/* m/s: relative velocity of a against b along the normal, at each point. */
SN_INLINE void body_speeds(const sn_wide_body_contact *m, uint32_t first, uint32_t points, const body_two *two,
                           lanes *v)
{
    const lanes3 spin = lanes3_sub(two->a.spin, two->b.spin);
    const lanes along = lanes3_dot(lanes3_sub(two->a.v, two->b.v), two->n) - lanes3_dot(two->b.spin, two->off);
    for (uint32_t k = 0; k < points; ++k)
        v[k] = along + lanes3_dot(spin, body_rows(&m->point[k].arm, first));
}

/* ---- Normal impulses --------------------------------------------------------------------------------------------- */

/* Two points, solved exactly: both have an impulse, or only one and the other separates, or none. Points so near to
   each other that they count as one are left to the iteration: their flags are returned. */
SN_INLINE flags body_push_two(const sn_wide_body_contact *m, uint32_t first, const lanes *v, lanes *pushed)
{
    const lanes k00 = body_row(m->rest[0].yield, first), k11 = body_row(m->rest[1].yield, first);
    const lanes k01 = body_row(m->coupling[0], first), det = k00 * k11 - k01 * k01, zero = lanes_all(0);
    const flags done = lanes_above(det, lanes_all(BODY_ONE_POINT) * (k00 * k11));
    const lanes b0 = v[0] - (k00 * pushed[0] + k01 * pushed[1]), b1 = v[1] - (k01 * pushed[0] + k11 * pushed[1]);
    const lanes both0 = k01 * b1 - k11 * b0, both1 = k01 * b0 - k00 * b1; /* times det */
    const flags both = lanes_at_least(both0, zero) & lanes_at_least(both1, zero);
    const lanes by = lanes_all(1) / det;
    const lanes one0 = lanes_max(zero - b0 * body_row(m->point[0].mass, first), zero);
    const lanes one1 = lanes_max(zero - b1 * body_row(m->point[1].mass, first), zero);
    const flags firsts = lanes_at_least(b1 + k01 * one0, zero);
    lanes p0 = lanes_choose(both, both0 * by, lanes_keep(firsts, one0));
    lanes p1 = lanes_choose(both, both1 * by, lanes_choose(firsts, zero, one1));
    pushed[0] = lanes_choose(done, p0, pushed[0]);
    pushed[1] = lanes_choose(done, p1, pushed[1]);
    return ~done;
}

/* The effect of an impulse at point k on the impulse that point i needs. */
SN_INLINE lanes body_share(const sn_wide_body_contact *m, uint32_t first, uint32_t i, uint32_t k)
{
    return body_row(m->coupling[i < k ? body_couple(i, k) : body_couple(k, i)], first) *
           body_row(m->point[i].mass, first);
}

/* Gauss-Seidel iteration over the points of a contact. With d the additional impulse of each, o = -v / K its value if
   the point were alone and p the impulse so far,

       d_i' = max(o_i - sum over k != i of d_k K_ik / K_i, -p_i).

   The newest value comes last in the sum, which shortens the dependency chain. */
SN_INLINE void body_go_round(const sn_wide_body_contact *m, uint32_t first, uint32_t points, const lanes *v,
                             lanes *pushed, uint32_t rounds, flags left)
{
    const lanes zero = lanes_all(0);
    lanes own[SN_BODY_CONTACT_POINTS], least[SN_BODY_CONTACT_POINTS], more[SN_BODY_CONTACT_POINTS];
    lanes share[SN_BODY_CONTACT_POINTS][SN_BODY_CONTACT_POINTS];
    for (uint32_t i = 0; i < points; ++i) {
        own[i] = zero - v[i] * body_row(m->point[i].mass, first);
        least[i] = zero - pushed[i];
        more[i] = zero;
        for (uint32_t k = 0; k < points; ++k)
            if (k != i)
                share[i][k] = body_share(m, first, i, k);
    }
    for (uint32_t round = 0; round < rounds && flags_bits(left); ++round) {
        lanes changed = zero, total = zero, next[SN_BODY_CONTACT_POINTS];
        for (uint32_t i = 0; i < points; ++i) {
            lanes wanted = own[i];
            for (uint32_t k = i + 1; k < points; ++k)
                wanted = wanted - share[i][k] * more[k];
            for (uint32_t k = 0; k < i; ++k)
                wanted = wanted - share[i][k] * next[k];
            next[i] = lanes_max(wanted, least[i]);
            changed = changed + lanes_abs(next[i] - more[i]);
            total = total + (next[i] - least[i]);
        }
        for (uint32_t i = 0; i < points; ++i)
            more[i] = lanes_choose(left, next[i], more[i]);
        left &= lanes_above(changed, lanes_all(BODY_SETTLED) * total);
    }
    for (uint32_t i = 0; i < points; ++i)
        pushed[i] = pushed[i] + more[i];
}

/* Finds impulses such that each point has its wanted velocity, or has no impulse. v: excess velocity at each point;
   pushed: impulses so far. More than two points are solved by iteration, which uses only a 4 x 4 matrix. */
SN_INLINE void body_balance(const sn_wide_body_contact *m, uint32_t first, uint32_t points, const lanes *v,
                            lanes *pushed, uint32_t rounds)
{
    flags left = flags_everywhere();
    if (points == 1) {
        pushed[0] = lanes_max(pushed[0] - v[0] * body_row(m->point[0].mass, first), lanes_all(0));
        return;
    }
    if (points == 2)
        left = body_push_two(m, first, v, pushed);
    if (flags_bits(left))
        body_go_round(m, first, points, v, pushed, rounds, left);
}

/* Solves the points of a contact together: each alone would tilt the bodies onto the others, and towers would sway for
   ever. v: separation velocity in excess of the wanted one. eager: times what is needed. Only where flagged. */
SN_INLINE void body_impulse_together(sn_wide_body_contact *m, uint32_t first, uint32_t points, body_two *two, lanes *v,
                                     flags where, uint32_t rounds, lanes eager)
{
    lanes was[SN_BODY_CONTACT_POINTS], normal_impulse[SN_BODY_CONTACT_POINTS], more[SN_BODY_CONTACT_POINTS];
    for (uint32_t k = 0; k < points; ++k)
        was[k] = normal_impulse[k] = body_row(m->point[k].normal_impulse, first);
    body_balance(m, first, points, v, normal_impulse, rounds);
    for (uint32_t k = 0; k < points; ++k) {
        normal_impulse[k] = lanes_max(was[k] + eager * (normal_impulse[k] - was[k]), lanes_all(0));
        more[k] = lanes_keep(where, normal_impulse[k] - was[k]);
        lanes_store(m->point[k].normal_impulse + first, lanes_choose(where, normal_impulse[k], was[k]));
    }
    body_push_along(m, first, points, two, more);
}

/* How much more than needed normal impulses change. */
typedef enum body_eagerness { BODY_EXACT, BODY_EAGER_AT_REST, BODY_EAGER_ALL } body_eagerness;

/* Normal impulses. Returns the lanes that are violent: far from their wanted velocities. */
SN_INLINE flags body_impulse(sn_wide_body_contact *m, uint32_t first, uint32_t points, body_two *two, flags where,
                             body_eagerness eager)
{
    const lanes zero = lanes_all(0);
    lanes v[SN_BODY_CONTACT_POINTS], wrong = zero;
    flags acts = where & ~where;
    body_speeds(m, first, points, two, v);
    for (uint32_t k = 0; k < points; ++k) {
        v[k] = v[k] + body_row(m->point[k].room, first);
        flags active = lanes_above(zero, v[k]) | lanes_above(body_row(m->point[k].normal_impulse, first), zero);
        acts |= active;
        wrong = lanes_max(lanes_keep(active, lanes_abs(v[k])), wrong);
    }
    if (!flags_bits(acts & where))
        return acts & ~acts;
    const flags violent = where & lanes_above(wrong, body_row(m->violent_above, first));
    const flags rests =
        lanes_above(body_row(m->steady, first), zero) & lanes_above(two->a.w * two->b.w, zero) & ~violent;
    const flags more = eager == BODY_EAGER_ALL ? where : eager == BODY_EAGER_AT_REST ? rests : where & ~where;
    body_impulse_together(m, first, points, two, v, where, BODY_ROUNDS,
                          lanes_choose(more, lanes_all(BODY_EAGER), lanes_all(1)));
    return violent;
}

/* ---- Friction ---------------------------------------------------------------------------------------------------- */

/* The scale of a friction impulse: 1 up to static friction; otherwise cut to dynamic friction. If the slip that would
   be left is no more than friction changes in a substep, the contact counts as sticking and is cut to static friction:
   a body that was just put down slips a little until the normal impulse is known, and would slide on. */
SN_INLINE lanes body_cut(lanes much, lanes static_friction, lanes dynamic_friction)
{
    const lanes limit =
        lanes_choose(lanes_above(much, static_friction + static_friction), dynamic_friction, static_friction);
    return lanes_choose(lanes_above(much, static_friction), limit / much, lanes_all(1));
}

/* Rolling resistance of round bodies: a torque of at most a share of the normal impulse. */
SN_INLINE void body_resist_rolling(sn_wide_body_contact *m, uint32_t first, body_two *two, lanes normal_impulse,
                                   flags where)
{
    lanes3 spin = lanes3_sub(two->a.spin, two->b.spin);
    lanes3 was = body_rows(&m->rolled, first);
    lanes3 wanted = lanes3_sub(was, lanes3_scale(spin, body_row(m->roll, first)));
    const lanes most = body_row(m->rolling, first) * normal_impulse;
    wanted = lanes3_scale(wanted, body_cut(lanes_sqrt(lanes3_dot(wanted, wanted)), most, most));
    wanted = body_choose(where, wanted, was);
    body_turn_both(two, lanes3_sub(wanted, was));
    body_set_rows(&m->rolled, first, wanted);
}

/* N s: the normal impulse of a point in this substep, including impacts. */
SN_INLINE lanes body_normal_impulse(const sn_wide_body_contact *m, uint32_t first, uint32_t k)
{
    const lanes normal = body_row(m->point[k].normal_impulse, first);
    return m->bounces ? normal + body_row(m->rest[k].struck, first) : normal;
}

/* Torsional friction. A face with the normal impulse N slips at the velocity u and rotates at w about its normal: each
   point slips at u + w x r. With r the mean distance of the pressure from its centre, friction is close to

       T = -mu N u / sqrt(u^2 + (r w)^2),      M = -mu N r (r w) / sqrt(u^2 + (r w)^2):

   both together are within the ellipsoid T^2 + (M / r)^2 = (mu N)^2 (Goyal, Ruina and Papadopoulos 1991). So a spinning
   puck slides farther. This function computes M from what T leaves. For a new contact, perhaps at one corner, r is not
   known: then T and M are independent. cut: T after clamping, N s; limit: mu N, N s; lever: mu N r. */
SN_INLINE void body_twist_friction(sn_wide_body_contact *m, uint32_t first, body_two *two, lanes lever, lanes cut,
                                   lanes limit, flags where)
{
    const lanes zero = lanes_all(0), was = body_row(m->twisted, first);
    const lanes spin = lanes3_dot(lanes3_sub(two->a.spin, two->b.spin), two->n);
    const lanes wanted = was - spin * body_row(m->about, first), share = cut / limit;
    const flags shares = lanes_above(body_row(m->steady, first), zero);
    const lanes left = lanes_sqrt(lanes_max(lanes_all(1) - lanes_keep(shares, share * share), zero));
    const lanes most = lanes_keep(lanes_above(limit, zero), lever * left), least = zero - most;
    const lanes turn = lanes_choose(where, lanes_max(lanes_min(wanted, most), least), was);
    body_turn_both(two, lanes3_scale(two->n, turn - was));
    lanes_store(m->twisted + first, turn);
}

/* m/s: the tangential velocity of a relative to b at the contact. */
SN_INLINE lanes3 body_slips(const sn_wide_body_contact *m, uint32_t first, const body_two *two)
{
    const lanes3 spin = lanes3_sub(two->a.spin, two->b.spin), ra = body_rows(&m->ra, first);
    lanes3 v = lanes3_add(lanes3_sub(two->a.v, two->b.v), lanes3_cross(spin, ra));
    v = lanes3_sub(v, lanes3_cross(two->b.spin, body_rows(&m->between, first)));
    if (m->belted)
        v = lanes3_sub(v, body_rows(&m->belt, first));
    if (m->arcs)
        v = lanes3_add(v, body_rows(&m->arc, first));
    return lanes3_sub(v, lanes3_scale(two->n, lanes3_dot(v, two->n)));
}

/* Friction. It uses one mass for all directions, the smallest effective mass. So dynamic friction is opposed to the
   slip, whatever the inertia of the bodies. */
SN_INLINE void body_friction(sn_wide_body_contact *m, uint32_t first, uint32_t points, body_two *two, flags where)
{
    const lanes zero = lanes_all(0);
    lanes normal_impulse = body_normal_impulse(m, first, 0);
    lanes lever = normal_impulse * body_row(m->point[0].far, first);
    for (uint32_t k = 1; k < points; ++k) {
        const lanes more = body_normal_impulse(m, first, k);
        normal_impulse = normal_impulse + more;
        lever = lever + more * body_row(m->point[k].far, first);
    }
    lanes3 was = body_rows(&m->tangent_impulse, first);
    const lanes3 spin = lanes3_sub(two->a.spin, two->b.spin), v = body_slips(m, first, two);
    const lanes across = body_row(m->across, first), static_friction = body_row(m->static_friction, first),
                dynamic_friction = body_row(m->dynamic_friction, first);
    lanes3 wanted = lanes3_sub(was, lanes3_scale(v, across));
    lanes square = lanes3_dot(wanted, wanted);
    if (m->twists) { /* rotation counts like slip at the distance r */
        const lanes about = body_row(m->about, first);
        const lanes turn = body_row(m->twisted, first) - lanes3_dot(spin, two->n) * about;
        const flags has_normal = lanes_above(normal_impulse, zero) & lanes_above(about, zero) &
                                 lanes_above(body_row(m->steady, first), zero);
        const lanes slips = lanes_keep(has_normal, turn * (lever / normal_impulse) * (across / about));
        square = square + slips * slips;
    }
    const lanes much = lanes_sqrt(square);
    const lanes limit = lanes_choose(lanes_above(much, (static_friction + static_friction) * normal_impulse),
                                     dynamic_friction, static_friction);
    wanted = lanes3_scale(wanted, body_cut(much, static_friction * normal_impulse, dynamic_friction * normal_impulse));
    const lanes cut = m->twists ? lanes_sqrt(lanes3_dot(wanted, wanted)) : zero;
    wanted = body_choose(where, wanted, was);
    body_push_across(m, first, two, lanes3_sub(wanted, was));
    body_set_rows(&m->tangent_impulse, first, wanted);
    if (m->rolls)
        body_resist_rolling(m, first, two, normal_impulse, where);
    if (m->twists)
        body_twist_friction(m, first, two, limit * lever, cut, limit * normal_impulse, where);
}

/* ---- Passes ------------------------------------------------------------------------------------------------------ */

/* Lanes that do not miss each other. Bodies on their way past each other may be thrown together by other contacts. */
SN_INLINE flags body_not_missing(const sn_wide_body_contact *m, uint32_t first, const body_two *two)
{
    if (!m->misses)
        return flags_everywhere();
    lanes3 off = lanes3_sub(lanes3_sub(two->a.v, two->b.v), body_rows(&m->course, first));
    return lanes_above(lanes3_dot(off, off), body_row(m->stray, first));
}

SN_INLINE void body_warm(const sn_wide_body_contacts *run, sn_wide_body_contact *m, uint32_t first, uint32_t points)
{
    body_two two = body_load_two(run, m, first);
    lanes normal_impulse[SN_BODY_CONTACT_POINTS], v[SN_BODY_CONTACT_POINTS];
    if (m->bounces)
        body_speeds(m, first, points, &two, v);
    for (uint32_t k = 0; k < points; ++k) {
        normal_impulse[k] = body_row(m->point[k].normal_impulse, first);
        if (m->bounces)
            lanes_store(m->rest[k].thrown + first, v[k]);
    }
    if (!run->friction_only)
        body_push_along(m, first, points, &two, normal_impulse);
    body_push_across(m, first, &two, body_rows(&m->tangent_impulse, first));
    if (m->twists)
        body_turn_both(&two, lanes3_scale(two.n, body_row(m->twisted, first)));
    if (m->rolls)
        body_turn_both(&two, body_rows(&m->rolled, first));
    body_store_two(run, m, first, &two);
}

/* Lanes that have just had an impact, have a normal impulse and friction. */
SN_INLINE flags body_is_fresh(const sn_wide_body_contact *m, uint32_t first, uint32_t points)
{
    const lanes zero = lanes_all(0);
    flags has_normal = lanes_above(zero, zero);
    for (uint32_t k = 0; k < points; ++k)
        has_normal |= lanes_above(body_normal_impulse(m, first, k), zero);
    return has_normal & lanes_above(zero, body_row(m->steady, first));
}

/* What an impact changes in the other impulses of a contact: in body_impacts.h. */
static void body_finish_impact(sn_wide_body_contact *m, uint32_t first, uint32_t points, body_two *two, flags fresh);

SN_INLINE body_eagerness body_eager(const sn_wide_body_contacts *run, const sn_wide_body_contact *m)
{
    if (!run->eager)
        return BODY_EXACT;
    if (run->stirred_only)
        return run->settles || m->bounces ? BODY_EXACT : BODY_EAGER_ALL;
    return (uint32_t)run->sweep % 2 == 1 ? BODY_EAGER_AT_REST : BODY_EXACT;
}

/* Friction comes first, with the normal impulses so far. The normal impulses come last, so that nothing sinks in. */
SN_INLINE bool body_project(const sn_wide_body_contacts *run, sn_wide_body_contact *m, uint32_t first, uint32_t points)
{
    body_two two = body_load_two(run, m, first);
    const flags where = body_not_missing(m, first, &two);
    body_friction(m, first, points, &two, where);
    const flags violent = body_impulse(m, first, points, &two, where, body_eager(run, m));
    if (run->settles || (m->bounces && run->sweep >= BODY_SETTLES)) { /* what others do to both is known better then */
        const flags fresh = where & body_is_fresh(m, first, points);
        if (flags_bits(fresh)) {
            body_two own = two; /* a copy has an address, so that `two` stays in registers */
            body_finish_impact(m, first, points, &own, fresh);
            two = own;
        }
    }
    two.a.stirred = lanes_choose(violent, lanes_all(run->sweep), two.a.stirred);
    two.b.stirred = lanes_choose(violent, lanes_all(run->sweep), two.b.stirred);
    body_store_two(run, m, first, &two);
    return flags_bits(violent) != 0;
}

/* Separates overlaps of the start of the substep: by a share of the depth beyond the slop. Deep overlaps use a larger
   share: with one share for all, single boxes of a pile stayed wedged in others for seconds. All points of a contact
   are solved together, like normal impulses: one after the other, the first would tilt the bodies, always to the same
   side, and a body lifted so falls again; a tower of flat bricks swayed, and fell. Points that do not overlap may
   approach up to the slop, and no nearer: without this, separating some bodies drove others into each other, deeper
   than before, wherever bodies were close. True if there is a deep overlap that is not yet sufficiently corrected. */
SN_INLINE bool body_part(const sn_wide_body_contacts *run, sn_wide_body_contact *m, uint32_t first, uint32_t points)
{
    body_two two = body_load_two(run, m, first);
    const lanes slop = body_row(m->slop, first), zero = lanes_all(0);
    lanes apart[SN_BODY_CONTACT_POINTS], parted[SN_BODY_CONTACT_POINTS], was[SN_BODY_CONTACT_POINTS], deepest = zero,
                                                                                                      lacks = zero;
    body_speeds(m, first, points, &two, apart);
    for (uint32_t k = 0; k < points; ++k) {
        const flags is = lanes_above(body_row(m->point[k].mass, first), zero);
        lanes deep = zero - body_row(m->rest[k].gap, first) - slop;
        lanes share = lanes_all(BODY_EASE) + deep * lanes_all(BODY_EASE_RISE) / slop;
        lanes wanted = lanes_min(share, lanes_all(BODY_EASE_MOST)) * deep;
        wanted = lanes_choose(lanes_above(deep, zero), lanes_min(wanted, lanes_all(run->most)), deep);
        apart[k] = lanes_choose(is, apart[k] - wanted, lanes_all(BODY_EVER));
        parted[k] = was[k] = m->was_parted ? body_row(m->rest[k].parted, first) : zero;
        deepest = lanes_max(lanes_keep(is, deep), deepest);
        lacks = lanes_max(zero - apart[k] - lanes_all(BODY_PARTED) * wanted, lacks);
    }
    body_balance(m, first, points, apart, parted, BODY_ROUNDS);
    for (uint32_t k = 0; k < points; ++k) {
        lanes_store(m->rest[k].parted + first, parted[k]);
        parted[k] = parted[k] - was[k];
    }
    body_push_along(m, first, points, &two, parted);
    const flags violent = lanes_above(deepest, lanes_all(run->deep) * slop) & lanes_above(lacks, zero);
    two.a.stirred = lanes_choose(violent, lanes_all(run->sweep), two.a.stirred);
    two.b.stirred = lanes_choose(violent, lanes_all(run->sweep), two.b.stirred);
    body_store_two(run, m, first, &two);
    return flags_bits(violent) != 0;
}

/* Points of a batch: 1 to 4. */
SN_INLINE uint32_t body_points(const sn_wide_body_contact *m)
{
    return m->points - 1 < 3 ? m->points : 4;
}

static void body_warm_all(const sn_wide_body_contacts *given)
{
    const sn_wide_body_contacts own = *given;
    for (uint32_t b = own.first; b < own.end; ++b) {
        sn_wide_body_contact *m = &own.batch[b];
        for (uint32_t first = 0; first < m->lanes; first += SN_WIDTH)
            body_warm(&own, m, first, body_points(m));
    }
}

/* True if a body of the batch was recently violent. All lanes are tested, whatever the width. */
static bool body_is_stirred(const sn_wide_body_contacts *run, const sn_wide_body_contact *m)
{
    bool stirred = false;
    for (uint32_t lane = 0; lane < m->lanes; ++lane)
        stirred |= run->mover[m->a[lane] + 1].w >= run->since || run->mover[m->b[lane] + 1].w >= run->since;
    return stirred;
}

SN_INLINE bool body_note_violent(const sn_wide_body_contacts *run, sn_wide_body_contact *m, bool violent)
{
    if (violent)
        m->stirred = run->sweep;
    return violent;
}

/* In this loop, that of every sweep, the usual numbers of points are constants, so that loops over them are unrolled. In
   the others, which run once in a substep, or rarely, this brought nothing. */
SN_INLINE bool body_project_lanes(const sn_wide_body_contacts *run, sn_wide_body_contact *m, uint32_t first)
{
#if SN_COPIES
    if (m->points == 1)
        return body_project(run, m, first, 1);
    if (m->points == 4)
        return body_project(run, m, first, 4);
#endif
    return body_project(run, m, first, body_points(m));
}

static bool body_project_all(const sn_wide_body_contacts *given)
{
    const sn_wide_body_contacts own = *given;
    bool violent = false;
    for (uint32_t b = own.first; b < own.end; ++b) {
        sn_wide_body_contact *m = &own.batch[b];
        if (own.stirred_only && !body_is_stirred(&own, m))
            continue;
        bool here = false;
        for (uint32_t first = 0; first < m->lanes; first += SN_WIDTH)
            here |= body_project_lanes(&own, m, first);
        violent |= body_note_violent(&own, m, here);
    }
    return violent;
}

static bool body_part_all(const sn_wide_body_contacts *given)
{
    const sn_wide_body_contacts own = *given;
    bool violent = false;
    for (uint32_t b = own.first; b < own.end; ++b) {
        sn_wide_body_contact *m = &own.batch[b];
        if (!(own.stirred_only ? body_is_stirred(&own, m) : m->deep))
            continue;
        bool here = false;
        for (uint32_t first = 0; first < m->lanes; first += SN_WIDTH)
            here |= body_part(&own, m, first, body_points(m));
        m->was_parted = true;
        violent |= body_note_violent(&own, m, here);
    }
    return violent;
}

#endif
