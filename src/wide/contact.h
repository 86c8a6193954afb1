/* Contact of balls: two that touch are parted, rub, and bounce. Eight pairs at a time, of which no two share a ball.

   A pair is corrected where it is, in places and velocities at once: before this the velocities are what the particles did in
   this substep, so v h is how far they came, and a push p adds p to the place and p / h to the velocity. With n the direction
   from b to a, l the distance of the centres, and u the relative way in this substep,

       normal      p = min(R - l, max(0, -u.n) + push_out h)       what overlaps without having come this way parts slowly
       friction    |u_t| <= mu_s P: all of u_t is taken back; otherwise mu_d P of it

   P is what was pushed along the normal in this substep so far. Both are lengths that two particles share out by their inverse
   masses, so masses cancel from friction.

   After the last pass the speed at which pressed pairs part is set to what restitution gives back of the speed of approach
   before the substep, which is 0 for most: so a push out of an overlap leaves no speed behind. (Mueller et al. 2020,
   sections 3.5 and 3.6.) */
#ifndef SN_WIDE_CONTACT_H
#define SN_WIDE_CONTACT_H

#include "base/simd.h"
#include "wide/wide.h"

/* The two balls of as many pairs as there are lanes. */
typedef struct contact_pair {
    const uint32_t *a, *b;
    lanes3 xa, xb, va, vb;
    lanes wa, wb;
} contact_pair;

SN_INLINE void contact_places(const sn_wide_contacts *run, uint32_t batch, uint32_t first, contact_pair *p)
{
    p->a = run->index + (size_t)batch * 2 * SN_NEAR + first;
    p->b = p->a + SN_NEAR;
    records a = records_turn(records_load_far(run->x, p->a)), b = records_turn(records_load_far(run->x, p->b));
    p->xa = (lanes3){a.part[0], a.part[1], a.part[2]};
    p->xb = (lanes3){b.part[0], b.part[1], b.part[2]};
    p->wa = a.part[3];
    p->wb = b.part[3];
}

/* Velocities, and what is stored behind them. */
SN_INLINE void contact_velocities(const sn_wide_contacts *run, contact_pair *p, lanes *beside_a, lanes *beside_b)
{
    records a = records_turn(records_load_far(run->v, p->a)), b = records_turn(records_load_far(run->v, p->b));
    p->va = (lanes3){a.part[0], a.part[1], a.part[2]};
    p->vb = (lanes3){b.part[0], b.part[1], b.part[2]};
    *beside_a = a.part[3];
    *beside_b = b.part[3];
}

SN_INLINE void contact_store(sn_vec4 *column, const uint32_t *index, lanes3 a, lanes w, uint32_t mask)
{
    records r = records_turn((records){{a.x, a.y, a.z, w}});
    records_store_some_far(column, index, &r, mask);
}

SN_INLINE uint32_t contact_bits(flags where)
{
#if SN_WIDTH == 1
    return where != 0;
#elif SN_WIDTH == 8 && defined(__AVX__)
    return (uint32_t)_mm256_movemask_ps((__m256)where);
#elif SN_WIDTH == 4 && defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)where);
#else
    uint32_t bits = 0;
    for (int i = 0; i < SN_WIDTH; ++i)
        bits |= (uint32_t)(where[i] & 1) << i;
    return bits;
#endif
}

/* Those lanes of a batch that have a pair. */
SN_INLINE uint32_t contact_present(const sn_wide_contacts *run, uint32_t batch, uint32_t first)
{
    return ((1u << run->lanes[batch]) - 1) >> first & ((1u << SN_WIDTH) - 1);
}

/* The direction from b to a, and the distance. Balls with one centre part upwards. */
SN_INLINE lanes3 contact_normal(const contact_pair *p, lanes *length)
{
    lanes3 d = lanes3_sub(p->xa, p->xb);
    *length = lanes_sqrt(lanes3_dot(d, d));
    flags apart = lanes_above(*length, lanes_all((lane_number)1e-18));
    lanes inverse = lanes_all(1) / *length;
    return (lanes3){lanes_keep(apart, d.x * inverse), lanes_choose(apart, d.y * inverse, lanes_all(1)),
                    lanes_keep(apart, d.z * inverse)};
}

/* One number of each pair, or one for all. */
SN_INLINE lanes contact_number(const lane_number *each, lane_number all, size_t at)
{
    return each ? lanes_load(each + at) : lanes_all(all);
}

SN_INLINE flags contact_touches(const sn_wide_contacts *run, const contact_pair *p, size_t at)
{
    lanes reach = lanes_load(run->reach + at);
    lanes3 d = lanes3_sub(p->xa, p->xb);
    return lanes_above(reach * reach, lanes3_dot(d, d)) & lanes_above(p->wa + p->wb, lanes_all(0));
}

SN_INLINE void contact_project(const sn_wide_contacts *run, uint32_t batch, uint32_t first)
{
    const size_t at = (size_t)batch * SN_NEAR + first;
    contact_pair p;
    contact_places(run, batch, first, &p);
    uint32_t now = contact_bits(contact_touches(run, &p, at)) & contact_present(run, batch, first);
    if (run->first_pass) {
        lanes_store(run->pressed + at, lanes_all(0));
        lanes_store(run->rubbed + at, lanes_all(0));
    }
    if (!now)
        return;
    const lanes zero = lanes_all(0), h = lanes_all(run->h);
    lanes beside_a, beside_b, length;
    contact_velocities(run, &p, &beside_a, &beside_b);
    lanes3 n = contact_normal(&p, &length), u = lanes3_scale(lanes3_sub(p.va, p.vb), h);
    lanes along = lanes3_dot(u, n), give = p.wa + p.wb;
    lanes push = lanes_min(lanes_load(run->reach + at) - length, lanes_max(zero, zero - along) + lanes_all(run->part));
    lanes pressed = lanes_load(run->pressed + at) + push, rubbed = lanes_load(run->rubbed + at);
    lanes3 slip = lanes3_sub(u, lanes3_scale(n, along));
    lanes far = lanes_sqrt(lanes3_dot(slip, slip));
    lanes hold = contact_number(run->hold, run->hold_all, at) * pressed - rubbed;
    lanes drag = lanes_max(zero, contact_number(run->drag, run->drag_all, at) * pressed - rubbed);
    lanes back = lanes_choose(lanes_at_least(hold, far), far, lanes_min(drag, far));
    lanes share = lanes_keep(lanes_above(far, zero), back / far);
    lanes3 change = lanes3_scale(lanes3_sub(lanes3_scale(n, push), lanes3_scale(slip, share)), lanes_all(1) / give);
    lanes3 a = lanes3_scale(change, p.wa), b = lanes3_scale(change, p.wb);
    lanes faster = lanes_all(run->inverse_h);
    contact_store(run->x, p.a, lanes3_add(p.xa, a), p.wa, now);
    contact_store(run->x, p.b, lanes3_sub(p.xb, b), p.wb, now);
    contact_store(run->v, p.a, lanes3_add(p.va, lanes3_scale(a, faster)), beside_a, now);
    contact_store(run->v, p.b, lanes3_sub(p.vb, lanes3_scale(b, faster)), beside_b, now);
    lane_number all_pressed[SN_WIDTH], all_rubbed[SN_WIDTH];
    lanes_store(all_pressed, pressed);
    lanes_store(all_rubbed, rubbed + back);
    for (uint32_t i = 0; i < SN_WIDTH; ++i)
        if (now >> i & 1) {
            run->pressed[at + i] = all_pressed[i];
            run->rubbed[at + i] = all_rubbed[i];
        }
}

/* The speed at which they come nearer, at the start of a substep; positive when they do. */
SN_INLINE void contact_meet(const sn_wide_contacts *run, uint32_t batch, uint32_t first)
{
    contact_pair p;
    lanes beside_a, beside_b, length;
    contact_places(run, batch, first, &p);
    contact_velocities(run, &p, &beside_a, &beside_b);
    lanes3 n = contact_normal(&p, &length);
    lanes_store(run->approach + (size_t)batch * SN_NEAR + first, lanes3_dot(lanes3_sub(p.vb, p.va), n));
}

SN_INLINE void contact_bounce(const sn_wide_contacts *run, uint32_t batch, uint32_t first)
{
    const size_t at = (size_t)batch * SN_NEAR + first;
    const lanes zero = lanes_all(0);
    contact_pair p;
    lanes pressed = lanes_load(run->pressed + at);
    uint32_t now = contact_bits(lanes_above(pressed, zero)) & contact_present(run, batch, first);
    if (!now)
        return;
    lanes beside_a, beside_b, length, wanted = zero;
    contact_places(run, batch, first, &p);
    contact_velocities(run, &p, &beside_a, &beside_b);
    lanes3 n = contact_normal(&p, &length);
    if (run->approach) {
        lanes came = lanes_load(run->approach + at);
        wanted = lanes_keep(lanes_above(came, lanes_all(run->bounce_above)),
                            contact_number(run->restitution, run->restitution_all, at) * came);
    }
    lanes along = lanes3_dot(lanes3_sub(p.va, p.vb), n);
    flags acts = lanes_above(along, zero) | lanes_above(wanted, zero);
    now &= contact_bits(acts);
    if (!now)
        return;
    lanes3 change = lanes3_scale(n, (wanted - along) / (p.wa + p.wb));
    contact_store(run->v, p.a, lanes3_add(p.va, lanes3_scale(change, p.wa)), beside_a, now);
    contact_store(run->v, p.b, lanes3_sub(p.vb, lanes3_scale(change, p.wb)), beside_b, now);
}

#define CONTACT_LOOP(name, one)                                                                                        \
    static void name(const sn_wide_contacts *given)                                                                    \
    {                                                                                                                  \
        const sn_wide_contacts own = *given; /* what is stored cannot change this one */                               \
        for (uint32_t b = own.first; b < own.end; ++b)                                                                 \
            for (uint32_t first = 0; first < own.lanes[b]; first += SN_WIDTH)                                          \
                one(&own, b, first);                                                                                   \
    }

CONTACT_LOOP(contact_project_all, contact_project)
CONTACT_LOOP(contact_meet_all, contact_meet)
CONTACT_LOOP(contact_bounce_all, contact_bounce)

#endif
