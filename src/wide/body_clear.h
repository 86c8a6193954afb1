/* Contact of bodies: a conservative separation test for nearby pairs, eight at a time; contact/body_clear.c has the
   reasons.

   Along an axis n two solids are separated by

       s = n . (x_a - x_b) - r_a(n) - r_b(n),      r(n): extent of a solid along n,

   and until the end of the substep this falls by no more than their velocities along n and their angular velocities
   allow. All solids here are rounded boxes: a segment is a box without width, and a point a box without size. Any axis
   may be used: those of both boxes, the cross products of their edges, the last contact normal, and the shortest line
   between two segments. */
#ifndef SN_WIDE_BODY_CLEAR_H
#define SN_WIDE_BODY_CLEAR_H

#include "wide/body_manifold.h"
#include "wide/body_move.h"

#define CLEAR_PARALLEL                                                                                                 \
    ((lane_number)1e-4) /* squared sine between edges, or segments: below it they have no common normal */

typedef struct clear_solid {
    body_pose at;
    lanes3 axis[3];
    lanes half[3];
    lanes between[3], displacement[3]; /* m: from b to a, and relative displacement of a, along its axes */
} clear_solid;

typedef struct clear_pair {
    clear_solid a, b;
    lanes3 between, displacement;
    lanes radius, stray; /* m: sum of both; additional approach in any direction */
    lanes apart;         /* m: largest separation along an axis that keeps them apart */
    flags clear;
} clear_pair;

/* Tests one axis. along: distance from b to a; displacement: displacement of a; filled: sum of their extents. */
SN_INLINE void clear_ask(clear_pair *p, lanes along, lanes displacement, lanes filled)
{
    const lanes zero = lanes_all(0), s = lanes_abs(along) - filled - p->radius;
    const lanes nearer = lanes_choose(lanes_above(zero, along), zero - displacement, displacement);
    const flags stays = lanes_above(s + lanes_min(nearer, zero), p->stray);
    p->apart = lanes_choose(stays & lanes_above(s, p->apart), s, p->apart);
    p->clear = p->clear | stays;
}

SN_INLINE void clear_place(clear_solid *s, lanes3 between, lanes3 displacement)
{
    const body_matrix m = body_matrix_of(s->at.q);
    s->axis[0] = (lanes3){m.x.x, m.y.x, m.z.x};
    s->axis[1] = (lanes3){m.x.y, m.y.y, m.z.y};
    s->axis[2] = (lanes3){m.x.z, m.y.z, m.z.z};
    for (uint32_t i = 0; i < 3; ++i) {
        s->between[i] = lanes3_dot(s->axis[i], between);
        s->displacement[i] = lanes3_dot(s->axis[i], displacement);
    }
}

/* Moves a pose from a body to a part of it. */
SN_INLINE void clear_move(const sn_wide_part_rows *part, uint32_t first, body_pose *p)
{
    const body_matrix m = body_matrix_of(p->q);
    const body_turn q = p->q, r = {body_row(part->turn[0], first), body_row(part->turn[1], first),
                                   body_row(part->turn[2], first), body_row(part->turn[3], first)};
    p->x = lanes3_add(p->x, body_turned(&m, body_rows(&part->place, first)));
    p->q =
        (body_turn){q.w * r.x + r.w * q.x + (q.y * r.z - q.z * r.y), q.w * r.y + r.w * q.y + (q.z * r.x - q.x * r.z),
                    q.w * r.z + r.w * q.z + (q.x * r.y - q.y * r.x), q.w * r.w - (q.x * r.x + q.y * r.y + q.z * r.z)};
}

/* Tests the contact normal last found in this step: it often stays a separating axis for a while. */
SN_INLINE void clear_ask_normal(clear_pair *p, lanes3 in_a)
{
    const lanes3 n = lanes3_add(lanes3_add(lanes3_scale(p->a.axis[0], in_a.x), lanes3_scale(p->a.axis[1], in_a.y)),
                                lanes3_scale(p->a.axis[2], in_a.z));
    lanes filled =
        p->a.half[0] * lanes_abs(in_a.x) + p->a.half[1] * lanes_abs(in_a.y) + p->a.half[2] * lanes_abs(in_a.z);
    for (uint32_t i = 0; i < 3; ++i)
        filled = filled + p->b.half[i] * lanes_abs(lanes3_dot(n, p->b.axis[i]));
    clear_ask(p, lanes3_dot(n, p->between), lanes3_dot(n, p->displacement), filled);
}

/* Tests the axes of both boxes, and the cross products of their edges (Gottschalk, Lin and Manocha 1996). */
SN_INLINE void clear_ask_boxes(clear_pair *p)
{
    static const uint32_t next[5] = {0, 1, 2, 0, 1};
    lanes turn[3][3], size[3][3];
    for (uint32_t i = 0; i < 3; ++i)
        for (uint32_t j = 0; j < 3; ++j) {
            turn[i][j] = lanes3_dot(p->b.axis[i], p->a.axis[j]);
            size[i][j] = lanes_abs(turn[i][j]);
        }
    for (uint32_t k = 0; k < 3; ++k) {
        clear_ask(p, p->b.between[k], p->b.displacement[k],
                  p->b.half[k] + (p->a.half[0] * size[k][0] + p->a.half[1] * size[k][1] + p->a.half[2] * size[k][2]));
        clear_ask(p, p->a.between[k], p->a.displacement[k],
                  p->a.half[k] + (p->b.half[0] * size[0][k] + p->b.half[1] * size[1][k] + p->b.half[2] * size[2][k]));
    }
    for (uint32_t i = 0; i < 3; ++i)
        for (uint32_t j = 0; j < 3; ++j) {
            const uint32_t i1 = next[i + 1], i2 = next[i + 2], j1 = next[j + 1], j2 = next[j + 2];
            const lanes x = turn[i1][j], y = turn[i2][j], square = x * x + y * y;
            const lanes by =
                lanes_keep(lanes_above(square, lanes_all(CLEAR_PARALLEL)), lanes_all(1) / lanes_sqrt(square));
            clear_ask(p, (p->b.between[i2] * x - p->b.between[i1] * y) * by,
                      (p->b.displacement[i2] * x - p->b.displacement[i1] * y) * by,
                      (p->b.half[i1] * size[i2][j] + p->b.half[i2] * size[i1][j] + p->a.half[j1] * size[i][j2] +
                       p->a.half[j2] * size[i][j1]) *
                          by);
        }
}

SN_INLINE lanes clear_within(lanes t, lanes most)
{
    return lanes_min(lanes_max(t, lanes_all(0) - most), most);
}

/* Tests the shortest line between two segments, or nearly that. */
SN_INLINE void clear_ask_segments(clear_pair *p)
{
    const lanes3 u = p->a.axis[1], v = p->b.axis[1];
    const lanes uv = lanes3_dot(u, v), ur = p->a.between[1], vr = p->b.between[1], area = lanes_all(1) - uv * uv;
    lanes s =
        lanes_keep(lanes_above(area, lanes_all(CLEAR_PARALLEL)), clear_within((uv * vr - ur) / area, p->a.half[1]));
    const lanes t = clear_within(uv * s + vr, p->b.half[1]);
    s = clear_within(uv * t - ur, p->a.half[1]);
    const lanes3 d = lanes3_sub(lanes3_add(p->between, lanes3_scale(u, s)), lanes3_scale(v, t));
    const lanes length = lanes_sqrt(lanes3_dot(d, d));
    const lanes3 n = lanes3_scale(d, lanes_keep(lanes_above(length, p->radius), lanes_all(1) / length));
    clear_ask(p, lanes3_dot(n, p->between), lanes3_dot(n, p->displacement),
              p->a.half[1] * lanes_abs(lanes3_dot(n, u)) + p->b.half[1] * lanes_abs(lanes3_dot(n, v)));
}

SN_INLINE uint32_t clear_lanes(const sn_wide_body_contacts *run, sn_wide_pairs *pairs, uint32_t first)
{
    const records va = records_transpose(records_load_far(run->mover, pairs->a + first));
    const records vb = records_transpose(records_load_far(run->mover, pairs->b + first));
    const lanes h = lanes_all(run->h);
    const lanes turns = h * (records_transpose(records_load_far(run->mover + 1, pairs->a + first)).part[3] +
                             records_transpose(records_load_far(run->mover + 1, pairs->b + first)).part[3]);
    const lanes thrown = lanes_max(records_transpose(records_load_far(run->mover + 3, pairs->a + first)).part[2],
                                   records_transpose(records_load_far(run->mover + 3, pairs->b + first)).part[2]);
    clear_pair p = {.apart = lanes_all(0), .radius = body_row(pairs->radius, first)};
    p.a.at = body_pose_of(run, pairs->a + first);
    p.b.at = body_pose_of(run, pairs->b + first);
    if (pairs->parts) {
        clear_move(&pairs->part_a, first, &p.a.at);
        clear_move(&pairs->part_b, first, &p.b.at);
    }
    p.displacement =
        lanes3_scale((lanes3){va.part[0] - vb.part[0], va.part[1] - vb.part[1], va.part[2] - vb.part[2]}, h);
    p.between = lanes3_sub(p.a.at.x, p.b.at.x);
    p.stray = lanes_all(SN_CLEAR_ROOM) * body_row(pairs->slop, first) +
              lanes_all(SN_CLEAR_CUSHION) * (lanes_sqrt(lanes3_dot(p.displacement, p.displacement)) + turns) + turns +
              lanes_all(run->fall) + thrown;
    p.clear = lanes_above(lanes_all(0), lanes_all(0));
    for (uint32_t k = 0; k < 3; ++k) {
        p.a.half[k] = body_row(pairs->half_a[k], first);
        p.b.half[k] = body_row(pairs->half_b[k], first);
    }
    clear_place(&p.a, p.between, p.displacement);
    clear_place(&p.b, p.between, p.displacement);
    /* The axes tested for a pair must depend only on that pair, not on others of its batch. */
    const lanes stray = p.stray, ever = lanes_all(BODY_EVER);
    const flags box = lanes_above(p.a.half[0] + p.b.half[0], lanes_all(0));
    p.stray = lanes_choose(box, stray, ever);
    if (pairs->boxes) {
        clear_ask_normal(&p, body_rows(&pairs->normal, first));
        clear_ask_boxes(&p);
    }
    p.stray = lanes_choose(box, ever, stray);
    if (pairs->segments)
        clear_ask_segments(&p);
    lanes_store(pairs->apart + first, p.apart);
    return flags_bits(p.clear) << first;
}

static uint32_t body_clear(const sn_wide_body_contacts *run, sn_wide_pairs *pairs)
{
    uint32_t clear = 0;
    for (uint32_t first = 0; first < pairs->count; first += SN_WIDTH)
        clear |= clear_lanes(run, pairs, first);
    return clear & ((1u << pairs->count) - 1);
}

#define BODY_TABLE                                                                                                     \
    {                                                                                                                  \
        move_begin, body_clear, body_drift, body_set_up_all, body_weigh_all, body_warm_all, body_project_all,          \
            body_strike_all, body_part_all                                                                             \
    }

#endif
