/* Contact of bodies: what the pass at the end of a substep needs to know of two that touch, and what does not change in it. */
#include "world/meets_work.h"

#include <string.h>

#define STALE ((sn_real)10)     /* times the slop: points of two that came so much farther are looked for anew */
#define AHEAD ((sn_real)4)      /* substeps: things that are apart are looked for so far ahead */
#define ALONG ((sn_real)0.9999) /* the cosine of an angle that is none */

/* The share of what is between the spots of both by which the arm of a is longer than to its own spot: pushes act on both in one
   place, or angular momentum would be lost. Whoever does not turn has no arm; otherwise the larger one bears more. */
static sn_real share_of_arm(const sn_world *world, const sn_meet *meet)
{
    if (meet->b == SN_NO_MOVER || meet->part_b == SN_ID_FREE || meet_movers(world)[meet->b].w == 0)
        return 0;
    if (meet_movers(world)[meet->a].w == 0)
        return 1;
    sn_real a = meet_movers(world)[meet->a].extent, b = meet_movers(world)[meet->b].extent;
    return a / (a + b);
}

/* Coordinates of the points, or of what goes with them. */
typedef struct rows {
    sn_real x[3][SN_MANIFOLD_MOST];
} rows;

/* Spots of a or b, turned into the world. */
static rows turned_spots(const sn_meet *meet, sn_quat q, bool of_b)
{
    rows spot = {0}, out;
    for (uint32_t k = 0; k < meet->count; ++k) {
        sn_vec3 at = of_b ? meet->point[k].b : meet->point[k].a;
        spot.x[0][k] = at.x;
        spot.x[1][k] = at.y;
        spot.x[2][k] = at.z;
    }
    const sn_real xx = 2 * q.x * q.x, yy = 2 * q.y * q.y, zz = 2 * q.z * q.z, xy = 2 * q.x * q.y, xz = 2 * q.x * q.z;
    const sn_real yz = 2 * q.y * q.z, wx = 2 * q.w * q.x, wy = 2 * q.w * q.y, wz = 2 * q.w * q.z;
    const sn_real m[3][3] = {
        {1 - (yy + zz), xy - wz, xz + wy}, {xy + wz, 1 - (xx + zz), yz - wx}, {xz - wy, yz + wx, 1 - (xx + yy)}};
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < SN_MANIFOLD_MOST; ++k)
            out.x[c][k] = m[c][0] * spot.x[0][k] + m[c][1] * spot.x[1][k] + m[c][2] * spot.x[2][k];
    return out;
}

/* r x n */
static void cross_rows(const rows *r, sn_vec3 n, sn_real arm[3][SN_MANIFOLD_MOST])
{
    for (int k = 0; k < SN_MANIFOLD_MOST; ++k) {
        arm[0][k] = r->x[1][k] * n.z - r->x[2][k] * n.y;
        arm[1][k] = r->x[2][k] * n.x - r->x[0][k] * n.z;
        arm[2][k] = r->x[0][k] * n.y - r->x[1][k] * n.x;
    }
}

/* The spins that pushes give a mover, and what they do to the points of it. */
static void turn_rows(const sn_mover *m, sn_real arm[3][SN_MANIFOLD_MOST], sn_real turn[SN_MANIFOLD_MOST][4],
                      sn_real coupling[SN_MANIFOLD_MOST][SN_MANIFOLD_MOST])
{
    static const int entry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    sn_real spin[3][SN_MANIFOLD_MOST];
    for (int c = 0; c < 3; ++c) {
        const sn_real i0 = m->inverse[entry[c][0]], i1 = m->inverse[entry[c][1]], i2 = m->inverse[entry[c][2]];
        for (int k = 0; k < SN_MANIFOLD_MOST; ++k)
            spin[c][k] = i0 * arm[0][k] + i1 * arm[1][k] + i2 * arm[2][k];
    }
    for (int k = 0; k < SN_MANIFOLD_MOST; ++k) {
        turn[k][0] = spin[0][k];
        turn[k][1] = spin[1][k];
        turn[k][2] = spin[2][k];
        turn[k][3] = 0;
    }
    for (int i = 0; i < SN_MANIFOLD_MOST; ++i)
        for (int k = 0; k < SN_MANIFOLD_MOST; ++k)
            coupling[i][k] += m->w + (spin[0][i] * arm[0][k] + spin[1][i] * arm[1][k] + spin[2][i] * arm[2][k]);
}

/* Makes the arms of both lead to one place; gap: what was between, along n. */
static void unite_rows(const sn_meet *meet, sn_vec3 between, sn_vec3 n, rows *ra, rows *rb, sn_real *gap)
{
    const sn_real lean = meet->lean, other = meet->b == SN_NO_MOVER ? 0 : 1 - lean;
    const sn_real from[3] = {between.x, between.y, between.z}, along[3] = {n.x, n.y, n.z};
    for (int k = 0; k < SN_MANIFOLD_MOST; ++k)
        gap[k] = 0;
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < SN_MANIFOLD_MOST; ++k) {
            sn_real apart = from[c] + (ra->x[c][k] - rb->x[c][k]);
            gap[k] += apart * along[c];
            ra->x[c][k] -= apart * lean;
            rb->x[c][k] += apart * other;
        }
}

/* m/s: of the surface of a collider along the normal. */
static void set_up_slide(const sn_world *world, const sn_meet *meet, const rows *rb, sn_meet_pass *pass)
{
    const sn_collider_motion *m = meet_motion(world, meet->collider);
    const sn_real guard = sn_meet_record(world, meet->collider)->shape.guard;
    for (uint32_t k = 0; k < meet->count; ++k) {
        sn_vec3 r = vec3(rb->x[0][k], rb->x[1][k], rb->x[2][k]);
        pass->slide[k] = vec3_dot(vec3_add(m->velocity, vec3_cross(m->spin, r)), meet->n);
        pass->gap[k] -= guard;
    }
}

/* Along the normal: what does not change in a substep. n: the normal when it begins. */
static void set_up_points(const sn_world *world, sn_meet *meet, const sn_pose *a, const sn_pose *b, sn_vec3 n,
                          sn_meet_pass *pass)
{
    rows ra = turned_spots(meet, a->rotation, false), rb = turned_spots(meet, b->rotation, true);
    sn_real before[SN_MANIFOLD_MOST];
    unite_rows(meet, vec3_sub(a->position, b->position), n, &ra, &rb, pass->gap);
    memset(pass->coupling, 0, sizeof pass->coupling);
    memset(pass->slide, 0, sizeof pass->slide);
    cross_rows(&ra, meet->n, pass->arm_a);
    turn_rows(&meet_movers(world)[meet->a], pass->arm_a, pass->turn_a, pass->coupling);
    if (meet->b == SN_NO_MOVER) {
        set_up_slide(world, meet, &rb, pass);
    } else {
        cross_rows(&rb, meet->n, pass->arm_b);
        turn_rows(&meet_movers(world)[meet->b], pass->arm_b, pass->turn_b, pass->coupling);
    }
    meet_speeds(world, pass, before);
    for (uint32_t k = 0; k < SN_MANIFOLD_MOST; ++k) {
        bool is = k < meet->count;
        pass->mass[k] = is && pass->coupling[k][k] > 0 ? 1 / pass->coupling[k][k] : 0;
        if (is)
            meet->point[k].before = before[k];
    }
}

/* Whose face the normal is one of, so that it turns with it. Of two that are round nobody's. */
typedef enum owner { OWNER_NONE, OWNER_A, OWNER_B } owner;

static bool has_faces(const sn_world *world, uint32_t part)
{
    sn_convex_type type = world->bodies.part[part].convex.type;
    return type == SN_CONVEX_BOX || type == SN_CONVEX_HULL;
}

/* own: the normal along the principal axes of a. */
static owner owner_of(const sn_world *world, const sn_meet *meet, sn_vec3 own)
{
    const sn_body_part *part = &world->bodies.part[meet->part_a];
    sn_vec3 n = sn_quat_turn_back(part->turn, own);
    bool along = meet_magnitude(n.x) > ALONG || meet_magnitude(n.y) > ALONG || meet_magnitude(n.z) > ALONG;
    if (part->convex.type == SN_CONVEX_BOX && along)
        return OWNER_A;
    if (meet->b == SN_NO_MOVER) {
        sn_collider_type type = sn_meet_record(world, meet->collider)->shape.type;
        return type == SN_COLLIDER_SPHERE || type == SN_COLLIDER_CAPSULE ? OWNER_NONE : OWNER_B;
    }
    if (meet->part_b != SN_ID_FREE && has_faces(world, meet->part_b))
        return OWNER_B;
    return part->convex.type == SN_CONVEX_HULL ? OWNER_A : OWNER_NONE;
}

/* m: by which spots are rounded. */
static sn_real rounding_of(const sn_world *world, const sn_meet *meet, bool of_b)
{
    uint32_t part = of_b ? meet->part_b : meet->part_a;
    if (part != SN_ID_FREE)
        return world->bodies.part[part].convex.radius;
    if (meet->b != SN_NO_MOVER)
        return world->particles.radius[meet_movers(world)[meet->b].slot];
    const sn_shape *shape = &sn_meet_record(world, meet->collider)->shape;
    bool round = shape->type == SN_COLLIDER_SPHERE || shape->type == SN_COLLIDER_CAPSULE;
    return shape->thickness + (round ? shape->solid.radius : 0);
}

/* Two where they are at the end of a substep, if they go on as they do. */
typedef struct ending {
    sn_pose a, b;
    sn_vec3 n;
} ending;

static ending end_of(const sn_meet_substep *s, const sn_meet *meet, const sn_pose *a)
{
    const sn_world *world = s->world;
    ending e = {.a = meet_goes_to(world, &meet_movers(world)[meet->a], s->h)};
    e.b = meet->b == SN_NO_MOVER ? meet_motion(world, meet->collider)->end
                                 : meet_goes_to(world, &meet_movers(world)[meet->b], s->h);
    sn_vec3 own = sn_quat_turn_back(a->rotation, meet->n);
    owner whose = owner_of(world, meet, own);
    e.n = whose == OWNER_A   ? sn_quat_turn(e.a.rotation, own)
          : whose == OWNER_B ? sn_quat_turn(e.b.rotation, meet->normal)
                             : meet->n;
    return e;
}

/* Points of things that turn move on curves, and so does the normal: how wide gaps are at the end, and in what that differs from
   what velocities say. What is round touches with another spot then. n: the normal when the substep begins. */
static void bend_gaps(const sn_meet_substep *s, const sn_meet *meet, const ending *e, const sn_pose *a,
                      const sn_pose *b, sn_vec3 n, sn_real *bend)
{
    sn_vec3 own = sn_quat_turn_back(a->rotation, n);
    sn_real round_a = rounding_of(s->world, meet, false), round_b = rounding_of(s->world, meet, true);
    for (uint32_t i = 0; i < meet->count; ++i) {
        const sn_meet_point *p = &meet->point[i];
        sn_vec3 ra = vec3_add(p->a, vec3_scale(own, round_a)), rb = vec3_sub(p->b, vec3_scale(meet->normal, round_b));
        sn_vec3 there = vec3_sub(sn_pose_to_world(&e->a, ra), sn_pose_to_world(&e->b, rb));
        sn_vec3 now = vec3_sub(sn_pose_to_world(a, ra), sn_pose_to_world(b, rb));
        bend[i] = vec3_dot(there, e->n) - vec3_dot(now, n) - s->h * p->before;
    }
}

/* Normal to n, of length 1: n x the axis that it is farthest from. */
static sn_vec3 any_normal(sn_vec3 n)
{
    sn_real x = meet_magnitude(n.x), y = meet_magnitude(n.y), z = meet_magnitude(n.z);
    sn_vec3 t = x <= y && x <= z ? vec3(0, n.z, -n.y) : y <= z ? vec3(-n.z, 0, n.x) : vec3(n.y, -n.x, 0);
    return vec3_scale(t, 1 / real_sqrt(vec3_dot(t, t)));
}

/* 1/kg: by how much a push across the normal moves the two apart at most, in any direction. */
static sn_real slip_of(const sn_world *world, const sn_meet_pass *meet)
{
    sn_vec3 t = any_normal(meet->n), s = vec3_cross(meet->n, t);
    sn_real tt = 0, ss = 0, ts = 0;
    for (int side = 0; side < 2; ++side) {
        uint32_t who = side ? meet->b : meet->a;
        if (who == SN_NO_MOVER)
            break;
        const sn_mover *m = &meet_movers(world)[who];
        sn_vec3 r = side ? meet->rb : meet->ra, at = vec3_cross(r, t), as = vec3_cross(r, s);
        sn_vec3 turn = meet_times_inverse(m, at);
        tt += m->w + vec3_dot(at, turn);
        ts += vec3_dot(as, turn);
        ss += m->w + vec3_dot(as, meet_times_inverse(m, as));
    }
    sn_real half = (tt - ss) / 2;
    return (tt + ss) / 2 + real_sqrt(half * half + ts * ts); /* the larger eigenvalue */
}

/* kg m^2: with which the two resist a torque about any axis, at least. */
static sn_real roll_of(const sn_world *world, const sn_meet *meet)
{
    sn_real sum[6] = {0}, most = 0;
    for (int k = 0; k < 6; ++k)
        sum[k] = meet_movers(world)[meet->a].inverse[k] +
                 (meet->b == SN_NO_MOVER ? 0 : meet_movers(world)[meet->b].inverse[k]);
    for (int k = 0; k < 3; ++k) { /* no eigenvalue is larger than the largest sum of a row */
        sn_real row = sum[k] + meet_magnitude(sum[k < 2 ? 3 : 4]) + meet_magnitude(sum[k == 0 ? 4 : 5]);
        most = row > most ? row : most;
    }
    return most > 0 ? 1 / most : 0;
}

/* Where the two rub, and how they yield there. */
static void set_up_rub(const sn_world *world, sn_meet *meet, const sn_pose *a, const sn_pose *b, sn_meet_pass *pass)
{
    sn_vec3 middle_a = vec3(0, 0, 0), middle_b = middle_a, n = meet->n;
    sn_real total = 0;
    for (uint32_t i = 0; i < meet->count; ++i)
        total += meet->point[i].pressed;
    const sn_real by = total > 0 ? 1 / total : 1 / (sn_real)meet->count;
    for (uint32_t i = 0; i < meet->count; ++i) {
        sn_real share = total > 0 ? meet->point[i].pressed * by : by;
        middle_a = vec3_add(middle_a, vec3_scale(meet->point[i].a, share));
        middle_b = vec3_add(middle_b, vec3_scale(meet->point[i].b, share));
    }
    for (uint32_t i = 0; i < meet->count; ++i)
        pass->far[i] = vec3_length(vec3_sub(meet->point[i].a, middle_a));
    pass->ra = sn_quat_turn(a->rotation, middle_a);
    pass->rb = sn_quat_turn(b->rotation, middle_b);
    sn_vec3 apart = vec3_add(vec3_sub(a->position, b->position), vec3_sub(pass->ra, pass->rb));
    pass->ra = vec3_sub(pass->ra, vec3_scale(apart, meet->lean));
    if (meet->b != SN_NO_MOVER)
        pass->rb = vec3_add(pass->rb, vec3_scale(apart, 1 - meet->lean));
    pass->surface = meet_surface_velocity(world, meet, pass->rb);
    pass->spin = meet->b == SN_NO_MOVER ? vec3_dot(meet_motion(world, meet->collider)->spin, n) : 0;
    pass->turn_n_a = meet_times_inverse(&meet_movers(world)[meet->a], n);
    pass->turn_n_b = meet->b == SN_NO_MOVER ? vec3(0, 0, 0) : meet_times_inverse(&meet_movers(world)[meet->b], n);
    sn_real slip = slip_of(world, pass), about = vec3_dot(vec3_add(pass->turn_n_a, pass->turn_n_b), n);
    pass->across = slip > 0 ? 1 / slip : 0;
    pass->about = about > 0 && meet->count > 1 ? 1 / about : 0;
    pass->roll = meet->round > 0 ? roll_of(world, meet) : 0;
    meet->rub.rubbed = vec3_sub(meet->rub.rubbed, vec3_scale(n, vec3_dot(meet->rub.rubbed, n))); /* the normal turns */
}

/* m: how far the two can come towards each other in a substep, at most. */
static sn_real closing(const sn_meet_substep *s, const sn_meet *meet)
{
    const sn_world *world = s->world;
    const sn_real h = s->h;
    sn_vec3 v = meet_movers(world)[meet->a].v;
    sn_real speed = 2 * h * s->gravity;
    if (meet->b != SN_NO_MOVER)
        v = vec3_sub(v, meet_movers(world)[meet->b].v);
    else if (isfinite(meet_motion(world, meet->collider)->speed))
        speed += meet_motion(world, meet->collider)->speed;
    else
        return (sn_real)INFINITY;
    return h * (vec3_length(v) + speed) + meet_turns(world, meet, h);
}

/* Whether the points must be looked for: they are not known yet, or the two may have come so far since that these are no longer
   theirs, or, where there were none, that there are some. */
static bool is_stale(const sn_meet *meet, sn_real way)
{
    if (!meet->fresh || (meet->b != SN_NO_MOVER && meet->part_b == SN_ID_FREE))
        return true;
    if (meet->rolls || meet->clear || 2 * way > meet->reach)
        return true;
    return meet->count ? meet->moved > meet->slop * STALE : meet->moved + way > meet->reach;
}

/* m: how far one of the two may be thrown. */
static sn_real blow_to(const sn_world *world, const sn_meet *meet)
{
    sn_real a = meet_movers(world)[meet->a].blow, b = meet->b == SN_NO_MOVER ? 0 : meet_movers(world)[meet->b].blow;
    return a > b ? a : b;
}

/* Along the normal. */
static void set_up_pass(const sn_meet_substep *s, sn_meet *meet, const sn_pose *a, const sn_pose *b, sn_meet_pass *pass)
{
    const sn_world *world = s->world;
    sn_vec3 n = meet->n;
    sn_real bend[SN_MANIFOLD_MOST] = {0};
    /* its square, by the size, is how far it leads away from the straight way */
    sn_real turn = meet_turns(world, meet, s->h);
    bool bends = turn * turn > meet->slop * meet_movers(world)[meet->a].extent / 2 &&
                 !(meet->b == SN_NO_MOVER && sn_meet_record(world, meet->collider)->shape.type == SN_COLLIDER_FIELD);
    ending e = {0};
    if (bends) {
        e = end_of(s, meet, a);
        meet->n = e.n;
    }
    pass->a = meet->a;
    pass->b = meet->b;
    pass->count = meet->count;
    pass->may_miss = meet->clear;
    pass->n = meet->n;
    pass->slop = meet->slop;
    pass->hold = meet->grip.hold;
    pass->drag = meet->grip.drag;
    pass->rolling = meet->grip.rolling * meet->round;
    set_up_points(world, meet, a, b, n, pass);
    if (bends)
        bend_gaps(s, meet, &e, a, b, n, bend);
    for (uint32_t k = 0; k < SN_MANIFOLD_MOST; ++k)
        pass->room[k] =
            k < meet->count ? ((pass->gap[k] > 0 ? pass->gap[k] : 0) + bend[k]) * s->inverse_h : SN_MEET_EVER;
}

/* What was found is used as long as it may. */
void sn_meet_ready(const sn_meet_substep *s, sn_meet *meet, sn_meet_pass *pass)
{
    const sn_world *world = s->world;
    sn_real way = closing(s, meet), blow = blow_to(world, meet);
    way = blow > way ? blow : way;
    if (is_stale(meet, way)) {
        meet->reach = way * (meet->part_b == SN_ID_FREE ? 1 : AHEAD) + 2 * meet->slop;
        meet->moved = 0;
        sn_meet_look(world, meet, s->factor, s->h);
    }
    meet->moved += way;
    if (!meet->count)
        return;
    sn_pose a = meet_pose(world, &meet_movers(world)[meet->a]), b = meet_pose_of_b(world, meet);
    meet->n = sn_quat_turn(b.rotation, meet->normal);
    meet->lean = share_of_arm(world, meet);
    set_up_pass(s, meet, &a, &b, pass);
    set_up_rub(world, meet, &a, &b, pass);
}
