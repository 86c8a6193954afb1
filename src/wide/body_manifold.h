/* Contact of bodies: manifolds in a substep, eight at a time: their drift, their points at the start of the substep,
   and the initial impulses. */
#ifndef SN_WIDE_BODY_MANIFOLD_H
#define SN_WIDE_BODY_MANIFOLD_H

#include "wide/body_impacts.h"

/* A rotation matrix. */
typedef struct body_matrix {
    lanes3 x, y, z; /* rows */
} body_matrix;

typedef struct body_turn {
    lanes x, y, z, w;
} body_turn;

SN_INLINE body_matrix body_matrix_of(body_turn q)
{
    const lanes two = lanes_all(2), one = lanes_all(1);
    const lanes xx = two * q.x * q.x, yy = two * q.y * q.y, zz = two * q.z * q.z, xy = two * q.x * q.y;
    const lanes xz = two * q.x * q.z, yz = two * q.y * q.z, wx = two * q.w * q.x, wy = two * q.w * q.y;
    const lanes wz = two * q.w * q.z;
    return (body_matrix){
        {one - (yy + zz), xy - wz, xz + wy}, {xy + wz, one - (xx + zz), yz - wx}, {xz - wy, yz + wx, one - (xx + yy)}};
}

SN_INLINE lanes3 body_turned(const body_matrix *m, lanes3 v)
{
    return (lanes3){lanes3_dot(m->x, v), lanes3_dot(m->y, v), lanes3_dot(m->z, v)};
}

/* The pose of a body: position and orientation. */
typedef struct body_pose {
    lanes3 x;
    body_turn q;
} body_pose;

SN_INLINE body_pose body_pose_of(const sn_wide_body_contacts *run, const uint32_t *index)
{
    records x = records_transpose(records_load_far(run->mover + 4, index));
    records q = records_transpose(records_load_far(run->mover + 5, index));
    return (body_pose){{x.part[0], x.part[1], x.part[2]}, {q.part[0], q.part[1], q.part[2], q.part[3]}};
}

/* The predicted pose at the end of the substep. */
SN_INLINE body_pose body_pose_after(const body_pose *p, const body_mover *m, lanes h)
{
    const lanes3 s = lanes3_scale(m->spin, h * lanes_all((lane_number)0.5));
    const body_turn q = p->q;
    body_turn r = {q.x + (s.x * q.w + s.y * q.z - s.z * q.y), q.y + (s.y * q.w + s.z * q.x - s.x * q.z),
                   q.z + (s.z * q.w + s.x * q.y - s.y * q.x), q.w - (s.x * q.x + s.y * q.y + s.z * q.z)};
    const lanes by = lanes_all(1) / lanes_sqrt(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
    return (body_pose){lanes3_add(p->x, lanes3_scale(m->v, h)), {r.x * by, r.y * by, r.z * by, r.w * by}};
}

/* The pose of a pair: rotations from both frames to the world, the vector from the centre of b to that of a, and the
   normal. */
typedef struct body_place {
    body_matrix of_a, of_b;
    lanes3 between, n;
} body_place;

/* The vector from the anchor on the core of b to that on the core of a. */
SN_INLINE lanes3 body_cores(const sn_wide_manifold *f, uint32_t first, uint32_t k, const body_place *at)
{
    const lanes3 a = body_turned(&at->of_a, body_rows(&f->point[k].a, first));
    const lanes3 b = body_turned(&at->of_b, body_rows(&f->point[k].b, first));
    return lanes3_add(at->between, lanes3_sub(a, b));
}

#define BODY_NO_DIRECTION                                                                                              \
    ((lane_number)1e-3) /* relative to the roundings: between cores nearer than this there is no direction */

SN_INLINE body_place body_placed(const sn_wide_manifold *f, uint32_t first, const body_pose *a, const body_pose *b)
{
    body_place at = {body_matrix_of(a->q), body_matrix_of(b->q), lanes3_sub(a->x, b->x), body_rows(&f->normal, first)};
    const lanes owner = body_row(f->owner, first);
    const flags of_a = ~lanes_unequal(owner, lanes_all(SN_NORMAL_OF_A));
    const flags of_b = ~lanes_unequal(owner, lanes_all(SN_NORMAL_OF_B));
    const flags between = ~lanes_unequal(owner, lanes_all(SN_NORMAL_BETWEEN));
    const lanes3 turned_a = body_turned(&at.of_a, at.n), turned_b = body_turned(&at.of_b, at.n);
    at.n = body_choose(of_a, turned_a, body_choose(of_b, turned_b, at.n));
    if (flags_bits(between)) {
        const lanes3 d = body_cores(f, first, 0, &at);
        const lanes length = lanes_sqrt(lanes3_dot(d, d));
        const lanes least = (body_row(f->round_a, first) + body_row(f->round_b, first)) * lanes_all(BODY_NO_DIRECTION);
        at.n = body_choose(between & lanes_above(length, least), lanes3_scale(d, lanes_all(1) / length), at.n);
    }
    return at;
}

#define BODY_TOUCH_AHEAD ((lane_number)16) /* substeps: how far ahead the first touch is looked for */

/* Two round bodies bounce off each other along the normal where they first touch, not along the normal at the start of
   the substep. Seen from b, the core of a moves from d by u. With q the point of nearest approach, at the time s, they
   touch at t = s - sqrt((reach^2 - |q|^2) / |u|^2). Returns the displacement until then; 0: they do not touch in this
   substep. If they touch in a later one, or pass, the normal is that of then, too: along the normal at the start they
   may seem to touch already. */
SN_INLINE lanes3 body_first_touch(sn_wide_body_contact *m, const sn_wide_manifold *f, uint32_t first, lanes h,
                                  const body_two *two, body_place *at)
{
    const lanes zero = lanes_all(0), one = lanes_all(1);
    const lanes3 nowhere = {zero, zero, zero};
    if (!m->bounces)
        return nowhere;
    flags may = ~lanes_unequal(body_row(f->owner, first), lanes_all(SN_NORMAL_BETWEEN)) &
                lanes_above(body_row(m->restitution, first), zero);
    const lanes reach = body_row(f->round_a, first) + body_row(f->round_b, first);
    const lanes3 d = body_cores(f, first, 0, at), u = lanes3_scale(lanes3_sub(two->a.v, two->b.v), h);
    const lanes square = lanes3_dot(u, u), s = (zero - lanes3_dot(d, u)) / square;
    const lanes3 q = lanes3_add(d, lanes3_scale(u, s));
    const lanes inside = reach * reach - lanes3_dot(q, q), t = s - lanes_sqrt(lanes_max(zero, inside) / square);
    may &= lanes_above(square, zero) & lanes_above(t, zero) & lanes_at_least(lanes_all(BODY_TOUCH_AHEAD), t);
    const flags touched = may & lanes_above(inside, zero) & lanes_at_least(lanes_all(1 + BODY_ALMOST), t);
    const lanes3 displacement = lanes3_scale(u, t), there = lanes3_add(d, displacement);
    at->n = body_choose(may, lanes3_scale(there, one / lanes_sqrt(lanes3_dot(there, there))), at->n);
    lanes_store(m->touched + first, lanes_keep(touched, one));
    return lanes3_keep(touched, displacement);
}

/* Anchors slide apart by the slip of the cores, and by relative rotation. */
SN_INLINE uint32_t body_drift_lanes(const sn_wide_body_contacts *run, const sn_wide_body_contact *m,
                                    sn_wide_manifold *f, uint32_t first)
{
    const body_two two = body_load_two(run, m, first);
    const lanes turning = records_transpose(records_load_far(run->mover + 1, m->a + first)).part[3] +
                          records_transpose(records_load_far(run->mover + 1, m->b + first)).part[3];
    const lanes thrown = lanes_max(records_transpose(records_load_far(run->mover + 3, m->a + first)).part[2],
                                   records_transpose(records_load_far(run->mover + 3, m->b + first)).part[2]);
    const lanes h = lanes_all(run->h);
    const lanes3 core_a = lanes3_add(body_rows(&m->ra, first), lanes3_scale(two.n, body_row(f->round_a, first)));
    const lanes3 rb = lanes3_add(body_rows(&m->ra, first), body_rows(&m->between, first));
    const lanes3 core_b = lanes3_sub(rb, lanes3_scale(two.n, body_row(f->round_b, first)));
    const lanes most = body_row(f->most_slid, first);
    const flags plane = lanes_at_least(most, lanes_all(BODY_EVER)); /* along which anchors may slide freely */
    const lanes3 along = lanes3_sub(two.a.v, two.b.v), spin = lanes3_sub(two.a.spin, two.b.spin);
    lanes3 slip = lanes3_add(along, lanes3_sub(lanes3_cross(two.a.spin, core_a), lanes3_cross(two.b.spin, core_b)));
    slip = lanes3_sub(slip, lanes3_scale(two.n, lanes3_dot(slip, two.n)));
    const lanes slides =
        h * (lanes_sqrt(lanes3_dot(slip, slip)) + lanes_sqrt(lanes3_dot(spin, spin)) * body_row(f->size, first));
    const lanes speed = lanes_choose(plane, lanes_abs(lanes3_dot(along, two.n)), lanes_sqrt(lanes3_dot(along, along)));
    const lanes displacement = h * (speed + turning) + lanes_all(run->fall) + thrown;
    const lanes slid = body_row(f->slid, first) + slides, moved = body_row(f->moved, first) + displacement;
    lanes_store(f->slid + first, slid);
    lanes_store(f->moved + first, moved);
    return flags_bits(lanes_above(slid, most) | lanes_above(moved, body_row(f->reach, first)));
}

static uint32_t body_drift(const sn_wide_body_contacts *run, uint32_t batch)
{
    uint32_t stale = 0;
    for (uint32_t first = 0; first < run->batch[batch].lanes; first += SN_WIDTH)
        stale |= body_drift_lanes(run, &run->batch[batch], &run->manifold[batch], first) << first;
    return stale & ((1u << run->batch[batch].lanes) - 1);
}

/* The data of set_up. */
typedef struct body_start {
    body_two two;
    body_place at;
    lanes3 gap_n;        /* the normal along which gaps are measured; two.n is that at the end of the substep */
    lanes3 displacement; /* displacement of a before it touches b: arms are from there */
    lanes lean, other;
} body_start;

/* Makes both arms lead to one point: impulses must act on both at the same point, or angular momentum would not be
   conserved. Returns the vector that was between the points. */
SN_INLINE lanes3 body_unite(const body_start *s, lanes3 *ra, lanes3 *rb)
{
    lanes3 apart = lanes3_add(lanes3_add(s->at.between, s->displacement), lanes3_sub(*ra, *rb));
    *ra = lanes3_sub(*ra, lanes3_scale(apart, s->lean));
    *rb = lanes3_add(*rb, lanes3_scale(apart, s->other));
    return apart;
}

/* True in lanes that have a point k. */
SN_INLINE flags body_has(const sn_wide_manifold *f, uint32_t first, uint32_t k)
{
    return lanes_above(body_row(f->count, first), lanes_all((lane_number)k));
}

SN_INLINE void body_set_up_point(const sn_wide_body_contacts *run, sn_wide_body_contact *m, const sn_wide_manifold *f,
                                 uint32_t first, uint32_t k, const body_start *s)
{
    sn_wide_body_contact_point *p = &m->point[k];
    const flags is = body_has(f, first, k);
    const lanes zero = lanes_all(0);
    lanes3 ra = lanes3_sub(body_turned(&s->at.of_a, body_rows(&f->point[k].a, first)),
                           lanes3_scale(s->gap_n, body_row(f->round_a, first)));
    lanes3 rb = lanes3_add(body_turned(&s->at.of_b, body_rows(&f->point[k].b, first)),
                           lanes3_scale(s->gap_n, body_row(f->round_b, first)));
    lanes gap = lanes3_dot(lanes3_sub(body_unite(s, &ra, &rb), s->displacement), s->gap_n) - body_row(f->guard, first);
    lanes room = lanes_max(gap, zero) * lanes_all(run->inverse_h);
    body_set_rows(&p->arm, first, lanes3_keep(is, lanes3_cross(ra, s->two.n)));
    lanes_store(m->rest[k].gap + first, lanes_keep(is, gap));
    lanes_store(p->room + first, lanes_choose(is, room, lanes_all(BODY_EVER)));
    m->deep = m->deep || flags_bits(is & lanes_above(zero - gap, lanes_all(BODY_DEEP) * body_row(m->slop, first)));
}

/* The effect of an impulse at a point on itself and on others. */
SN_INLINE void body_couple_point(sn_wide_body_contact *m, const sn_wide_manifold *f, uint32_t first, uint32_t points,
                                 uint32_t i, const body_two *two)
{
    const lanes zero = lanes_all(0), w = two->a.w + two->b.w;
    const flags is = body_has(f, first, i);
    const lanes3 arm_a = body_rows(&m->point[i].arm, first), arm_b = lanes3_add(arm_a, two->off);
    const lanes3 turn_a = body_turn_of(&two->a, arm_a), turn_b = body_turn_of(&two->b, arm_b);
    lanes yield = lanes_keep(is, w + (lanes3_dot(turn_a, arm_a) + lanes3_dot(turn_b, arm_b)));
    lanes_store(m->rest[i].yield + first, yield);
    lanes_store(m->point[i].mass + first, lanes_keep(lanes_above(yield, zero), lanes_all(1) / yield));
    for (uint32_t k = i + 1; k < points; ++k) {
        const lanes3 other = body_rows(&m->point[k].arm, first);
        const lanes coupling = w + (lanes3_dot(turn_a, other) + lanes3_dot(turn_b, lanes3_add(other, two->off)));
        lanes_store(m->coupling[body_couple(i, k)] + first, lanes_keep(body_has(f, first, k), coupling));
    }
}

/* A unit vector normal to n: n x the axis that is farthest from it. */
SN_INLINE lanes3 body_any_normal(lanes3 n)
{
    const lanes x = lanes_abs(n.x), y = lanes_abs(n.y), z = lanes_abs(n.z), zero = lanes_all(0);
    const flags by_x = lanes_at_least(y, x) & lanes_at_least(z, x), by_y = lanes_at_least(z, y);
    lanes3 t = body_choose(by_y, (lanes3){zero - n.z, zero, n.x}, (lanes3){n.y, zero - n.x, zero});
    t = body_choose(by_x, (lanes3){zero, n.z, zero - n.y}, t);
    return lanes3_scale(t, lanes_all(1) / lanes_sqrt(lanes3_dot(t, t)));
}

/* 1/kg: the largest response, over all directions, to an impulse across the normal. */
SN_INLINE lanes body_slip(const body_two *two, lanes3 ra, lanes3 rb)
{
    const lanes3 t = body_any_normal(two->n), u = lanes3_cross(two->n, t);
    const lanes3 at = lanes3_cross(ra, t), au = lanes3_cross(ra, u), bt = lanes3_cross(rb, t), bu = lanes3_cross(rb, u);
    const lanes3 turn_a = body_turn_of(&two->a, at), turn_b = body_turn_of(&two->b, bt);
    const lanes w = two->a.w + two->b.w;
    const lanes tt = w + (lanes3_dot(at, turn_a) + lanes3_dot(bt, turn_b));
    const lanes tu = lanes3_dot(au, turn_a) + lanes3_dot(bu, turn_b);
    const lanes uu = w + (lanes3_dot(au, body_turn_of(&two->a, au)) + lanes3_dot(bu, body_turn_of(&two->b, bu)));
    const lanes half = (tt - uu) * lanes_all((lane_number)0.5);
    return (tt + uu) * lanes_all((lane_number)0.5) + lanes_sqrt(half * half + tu * tu); /* the larger eigenvalue */
}

/* kg m^2: a lower bound of the pair's inertia for a torque about any axis. No eigenvalue of the inverse inertia is
   larger than its largest row sum. */
SN_INLINE lanes body_roll_of(const body_two *two)
{
    const body_mover *a = &two->a, *b = &two->b;
    const lanes xy = lanes_abs(a->xy + b->xy), xz = lanes_abs(a->xz + b->xz), yz = lanes_abs(a->yz + b->yz);
    const lanes most =
        lanes_max(lanes_max((a->xx + b->xx) + xy + xz, (a->yy + b->yy) + xy + yz), (a->zz + b->zz) + xz + yz);
    return lanes_keep(lanes_above(most, lanes_all(0)), lanes_all(1) / most);
}

/* Computes the response to impulses from the inertia and the arms: at each point and at others, across the normal,
   about it, and for rolling. */
SN_INLINE void body_weigh(sn_wide_body_contact *m, const sn_wide_manifold *f, uint32_t first, uint32_t points,
                          const body_two *two)
{
    const lanes zero = lanes_all(0), one = lanes_all(1);
    const lanes3 ra = body_rows(&m->ra, first);
    const lanes slip = body_slip(two, ra, lanes3_add(ra, body_rows(&m->between, first)));
    const lanes3 turn = lanes3_add(body_turn_of(&two->a, two->n), body_turn_of(&two->b, two->n));
    const lanes about = lanes3_dot(turn, two->n);
    lanes_store(m->across + first, lanes_keep(lanes_above(slip, zero), one / slip));
    lanes_store(m->about + first,
                lanes_keep(lanes_above(about, zero) & lanes_above(body_row(f->count, first), one), one / about));
    if (m->rolls)
        lanes_store(m->roll + first, body_roll_of(two));
    for (uint32_t k = 0; k < points; ++k)
        body_couple_point(m, f, first, points, k, two);
}

/* Initial impulses: those of the last substep, but at most twice those of the substep before it. A load acts in both,
   an impact does not. weight: of each point, for the centre of pressure. Returns the share of friction that is kept. */
SN_INLINE lanes body_begin_points(sn_wide_body_contact *m, sn_wide_manifold *f, uint32_t first, uint32_t points,
                                  lanes *weight)
{
    const lanes zero = lanes_all(0), one = lanes_all(1);
    lanes before = zero, after = zero, impact = body_row(f->impact, first);
    for (uint32_t k = 0; k < points; ++k) {
        const lanes normal_impulse = body_row(m->point[k].normal_impulse, first),
                    last = body_row(f->point[k].last, first);
        const lanes steady = lanes_min(normal_impulse, last + last), exerted = body_normal_impulse(m, first, k);
        const lanes came = zero - body_row(m->rest[k].before, first);
        impact = lanes_max(lanes_keep(lanes_above(exerted, zero), came), impact);
        before = before + normal_impulse;
        after = after + steady;
        weight[k] = normal_impulse;
        lanes_store(f->point[k].impulse + first, body_row(f->point[k].impulse, first) + exerted);
        if (m->bounces)
            lanes_store(m->rest[k].struck + first, zero);
        lanes_store(f->point[k].last + first, normal_impulse);
        lanes_store(m->point[k].normal_impulse + first, steady);
    }
    lanes_store(f->impact + first, impact);
    const flags kept_impulses = lanes_above(before, lanes_all(BODY_NOTHING));
    const lanes by = one / lanes_choose(kept_impulses, before, body_row(f->count, first));
    for (uint32_t k = 0; k < points; ++k)
        weight[k] = lanes_choose(kept_impulses, weight[k] * by, lanes_keep(body_has(f, first, k), by));
    return lanes_keep(kept_impulses, after * by);
}

/* Sets the friction point, in the centre of the points, and the response there. */
SN_INLINE void body_set_up_friction(sn_wide_body_contact *m, sn_wide_manifold *f, uint32_t first, uint32_t points,
                                    const body_start *s)
{
    const lanes zero = lanes_all(0);
    lanes weight[SN_BODY_CONTACT_POINTS];
    lanes3 ra = {zero, zero, zero}, rb = ra;
    const lanes share = body_begin_points(m, f, first, points, weight);
    for (uint32_t k = 0; k < points; ++k) {
        ra = lanes3_add(ra, lanes3_scale(body_rows(&f->point[k].a, first), weight[k]));
        rb = lanes3_add(rb, lanes3_scale(body_rows(&f->point[k].b, first), weight[k]));
    }
    for (uint32_t k = 0; k < points; ++k) {
        const lanes3 off = lanes3_sub(body_rows(&f->point[k].a, first), ra);
        const lanes far = lanes_sqrt(lanes3_dot(off, off)) * body_row(f->spread, first);
        lanes_store(m->point[k].far + first, lanes_keep(body_has(f, first, k), far));
    }
    ra = lanes3_sub(body_turned(&s->at.of_a, ra), lanes3_scale(s->gap_n, body_row(f->round_a, first)));
    rb = lanes3_add(body_turned(&s->at.of_b, rb), lanes3_scale(s->gap_n, body_row(f->round_b, first)));
    body_unite(s, &ra, &rb);
    const lanes3 was = lanes3_scale(body_rows(&m->tangent_impulse, first), share);
    body_set_rows(&m->ra, first, ra);
    body_set_rows(&m->tangent_impulse, first,
                  lanes3_sub(was, lanes3_scale(s->two.n, lanes3_dot(was, s->two.n)))); /* the tangent plane rotates */
    lanes_store(m->twisted + first, body_row(m->twisted, first) * share);
    lanes_store(m->steady + first, share);
    if (m->rolls)
        body_set_rows(&m->rolled, first, lanes3_scale(body_rows(&m->rolled, first), share));
}

/* rad^2: for smaller rotations in a substep the path counts as straight; larger ones are not corrected. */
#define BODY_ARC_LEAST ((lane_number)1e-8)
#define BODY_ARC_MOST  ((lane_number)0.25)

/* m/s: where a contact point moves by c in a second as seen from the centre, the velocity of the body there changes by
   w x c, and so by h w x c / 2 in the mean of a substep. For a point of the body c is w x r. */
SN_INLINE lanes3 body_arc_of(lanes3 spin, lanes3 c, lanes h, flags *arcs)
{
    const lanes turn = lanes3_dot(spin, spin) * h * h;
    const flags is = lanes_above(turn, lanes_all(BODY_ARC_LEAST)) & lanes_above(lanes_all(BODY_ARC_MOST), turn);
    *arcs |= is;
    return lanes3_keep(is, lanes3_scale(lanes3_cross(spin, c), h * lanes_all((lane_number)0.5)));
}

/* Where a round body rolls, the contact point is not one of the body: it goes with the core, and with those of both
   where both are round. As if it went with the surface, a ball with side spin rolled in a curve, and coins lost energy.
   Gives the velocity of the point as seen from both centres. */
SN_INLINE void body_roll_along(const sn_wide_manifold *f, uint32_t first, const body_start *s, lanes3 ra, lanes3 rb,
                               lanes3 *from_a, lanes3 *from_b)
{
    const lanes zero = lanes_all(0), one = lanes_all(1);
    const body_mover *a = &s->two.a, *b = &s->two.b;
    const lanes round_a = body_row(f->round_a, first), round_b = body_row(f->round_b, first), both = round_a + round_b;
    const lanes rim_a = body_row(f->rim_a, first), rim_b = body_row(f->rim_b, first);
    const flags a_rolls = lanes_above(round_a + rim_a, zero), b_rolls = lanes_above(round_b + rim_b, zero);
    if (!flags_bits(a_rolls | b_rolls))
        return;
    const lanes3 core_a = lanes3_scale(lanes3_add(ra, lanes3_scale(s->gap_n, round_a)), one - rim_a),
                 core_b = lanes3_scale(lanes3_sub(rb, lanes3_scale(s->gap_n, round_b)), one - rim_b);
    const lanes shared = lanes_choose(lanes_above(both, zero), round_b / both, lanes_all((lane_number)0.5));
    const lanes with_a = lanes_choose(a_rolls & b_rolls, shared, lanes_keep(a_rolls, one));
    const lanes3 apart = lanes3_sub(a->v, b->v);
    const lanes3 along = lanes3_add(lanes3_scale(lanes3_cross(b->spin, core_b), one - with_a),
                                    lanes3_scale(lanes3_add(apart, lanes3_cross(a->spin, core_a)), with_a));
    *from_a = body_choose(a_rolls | b_rolls, lanes3_sub(along, apart), *from_a);
    *from_b = body_choose(a_rolls | b_rolls, along, *from_b);
}

/* For the friction point. Without this, things on a turntable crept outwards along the tangents. */
SN_INLINE void body_set_up_arc(sn_wide_body_contact *m, const sn_wide_manifold *f, uint32_t first, const body_start *s,
                               lanes h)
{
    const body_mover *a = &s->two.a, *b = &s->two.b;
    const lanes3 ra = body_rows(&m->ra, first), rb = lanes3_add(ra, body_rows(&m->between, first));
    lanes3 from_a = lanes3_cross(a->spin, ra), from_b = lanes3_cross(b->spin, rb);
    flags arcs = lanes_above(h, h); /* none */
    body_roll_along(f, first, s, ra, rb, &from_a, &from_b);
    const lanes3 arc_a = body_arc_of(a->spin, from_a, h, &arcs), arc_b = body_arc_of(b->spin, from_b, h, &arcs);
    body_set_rows(&m->arc, first, lanes3_sub(arc_a, arc_b));
    m->arcs = m->arcs || flags_bits(arcs);
}

/* Deep contacts count as violent sooner. */
SN_INLINE void body_set_up_limit(const sn_wide_body_contacts *run, sn_wide_body_contact *m, uint32_t first,
                                 uint32_t points)
{
    const lanes slop = body_row(m->slop, first);
    lanes deepest = slop;
    for (uint32_t k = 0; k < points; ++k)
        deepest = lanes_max(lanes_all(0) - body_row(m->rest[k].gap, first), deepest);
    const lanes deeper = slop + (deepest - slop) * lanes_all(BODY_DEEPER);
    lanes_store(m->violent_above + first, body_row(m->far_off, first) * lanes_all(run->inverse_h) *
                                              lanes_choose(lanes_above(deeper, lanes_all(0)), slop / deeper, slop));
}

/* Points of rotating bodies move on curves, and so does the normal: corrects for the difference between the gap at the
   end and the prediction from velocities. Round surfaces then touch at another point; rims are left out for that. The
   correction is never negative: demanding separation throws up bodies that rotate by radians, faster each time. */
SN_INLINE void body_bend(const sn_wide_body_contacts *run, sn_wide_body_contact *m, const sn_wide_manifold *f,
                         uint32_t first, uint32_t points, const body_start *s, const body_place *end, flags bends)
{
    for (uint32_t k = 0; k < points; ++k) {
        const lanes now = lanes3_dot(body_cores(f, first, k, &s->at), s->gap_n);
        const lanes there = lanes3_dot(body_cores(f, first, k, end), end->n);
        const lanes displacement = body_row(m->rest[k].before, first) * lanes_all(run->h);
        const lanes room = body_row(m->point[k].room, first);
        const lanes bent = lanes_max(room + ((there - now) - displacement) * lanes_all(run->inverse_h), lanes_all(0));
        lanes_store(m->point[k].room + first, lanes_choose(bends & body_has(f, first, k), bent, room));
    }
}

SN_INLINE void body_set_up_lanes(const sn_wide_body_contacts *run, sn_wide_body_contact *m, sn_wide_manifold *f,
                                 uint32_t first, uint32_t points)
{
    const body_pose a = body_pose_of(run, m->a + first), b = body_pose_of(run, m->b + first);
    const lanes h = lanes_all(run->h), lean = body_row(f->lean, first);
    const lanes turning = h * (records_transpose(records_load_far(run->mover + 1, m->a + first)).part[3] +
                               records_transpose(records_load_far(run->mover + 1, m->b + first)).part[3]);
    const lanes bent = body_row(f->bent, first), square = turning * turning;
    const flags rim = lanes_above(body_row(f->rim_a, first) + body_row(f->rim_b, first), lanes_all(0));
    const flags bends = lanes_above(square, bent) & lanes_above(bent, lanes_all(0)) & ~rim;
    m->bends = m->bends || flags_bits(lanes_above(square, lanes_abs(bent)));
    body_start s = {.two = body_load_two(run, m, first),
                    .at = body_placed(f, first, &a, &b),
                    .lean = lean,
                    .other = lanes_all(1) - lean};
    s.displacement = body_first_touch(m, f, first, h, &s.two, &s.at);
    body_place end = s.at;
    s.gap_n = s.two.n = s.at.n;
    if (flags_bits(bends)) {
        const body_pose after_a = body_pose_after(&a, &s.two.a, h), after_b = body_pose_after(&b, &s.two.b, h);
        const flags turns = lanes_above(lanes_all(SN_NORMAL_OF_NONE), body_row(f->owner, first)); /* the normal rotates
                                                                                                     with its face */
        end = body_placed(f, first, &after_a, &after_b);
        end.n = body_choose(turns, end.n, s.at.n);
        s.two.n = body_choose(bends, end.n, s.at.n);
    }
    body_set_rows(&m->n, first, s.two.n);
    body_set_rows(&m->between, first, lanes3_add(s.at.between, s.displacement));
    s.two.off = body_off(m, first, s.two.n);
    body_set_up_friction(m, f, first, points, &s);
    body_set_up_arc(m, f, first, &s, h);
    for (uint32_t k = 0; k < points; ++k)
        body_set_up_point(run, m, f, first, k, &s);
    body_set_up_limit(run, m, first, points);
    body_weigh(m, f, first, points, &s.two);
    lanes v[SN_BODY_CONTACT_POINTS];
    body_speeds(m, first, points, &s.two, v);
    lanes came = lanes_all(0);
    for (uint32_t k = 0; k < points; ++k) {
        lanes_store(m->rest[k].before + first, v[k]);
        came = lanes_max(lanes_all(0) - v[k], came);
    }
    const lanes steady = body_row(m->steady, first), zero = lanes_all(0);
    const flags hits = lanes_above(came, lanes_all(BODY_HITS * run->bounce_above)) & ~lanes_above(steady, zero) &
                       lanes_above(body_row(m->static_friction, first), zero);
    lanes_store(m->steady + first, lanes_choose(hits, lanes_all(-1), steady));
    if (m->bounces)
        body_set_rows(&m->slip, first, body_slips(m, first, &s.two));
    if (flags_bits(bends))
        body_bend(run, m, f, first, points, &s, &end, bends);
}

static void body_set_up_all(const sn_wide_body_contacts *given)
{
    const sn_wide_body_contacts own = *given;
    for (uint32_t b = own.first; b < own.end; ++b) {
        sn_wide_body_contact *m = &own.batch[b];
        m->deep = m->bends = m->arcs = m->was_parted = false;
        for (uint32_t first = 0; first < m->lanes; first += SN_WIDTH)
            body_set_up_lanes(&own, m, &own.manifold[b], first, body_points(m));
    }
}

/* Computes the response again with the inertia at the end of the substep, on which impulses act. With that at the
   start, a capsule that rotates by radians in a substep was driven to and fro, each time farther, until numbers
   overflowed. */
SN_INLINE void body_weigh_again(const sn_wide_body_contacts *run, sn_wide_body_contact *m, const sn_wide_manifold *f,
                                uint32_t first, uint32_t points)
{
    const body_two two = body_load_two(run, m, first);
    body_weigh(m, f, first, points, &two);
}

static void body_weigh_all(const sn_wide_body_contacts *given)
{
    const sn_wide_body_contacts own = *given;
    for (uint32_t b = own.first; b < own.end; ++b) {
        sn_wide_body_contact *m = &own.batch[b];
        for (uint32_t first = 0; m->bends && first < m->lanes; first += SN_WIDTH)
            body_weigh_again(&own, m, &own.manifold[b], first, body_points(m));
    }
}

#endif
