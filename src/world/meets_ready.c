/* Contact of bodies: what the pass at the end of a substep needs to know of two that touch, and what does not change in it. */
#include "world/meets_work.h"

#include <stddef.h>
#include <string.h>

#define STALE ((sn_real)10)     /* times the slop: points of two that came so much farther are looked for anew */
#define AHEAD ((sn_real)4)      /* substeps: things that are apart are looked for so far ahead */
#define ALONG ((sn_real)0.9999) /* the cosine of an angle that is none */

#define OFF_COURSE ((sn_real)0.05) /* of a velocity: who turns from it by more may not miss whom it was to pass */

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

static ending end_of(const sn_meet_substep *s, const sn_meet *meet, const sn_pose *a, sn_vec3 n)
{
    const sn_world *world = s->world;
    ending e = {.a = meet_goes_to(world, &meet_movers(world)[meet->a], s->h)};
    e.b = meet->b == SN_NO_MOVER ? meet_motion(world, meet->collider)->end
                                 : meet_goes_to(world, &meet_movers(world)[meet->b], s->h);
    sn_vec3 own = sn_quat_turn_back(a->rotation, n);
    owner whose = owner_of(world, meet, own);
    e.n = whose == OWNER_A   ? sn_quat_turn(e.a.rotation, own)
          : whose == OWNER_B ? sn_quat_turn(e.b.rotation, meet->normal)
                             : n;
    return e;
}

/* Points of things that turn move on curves, and so does the normal: in what gaps at the end differ from what velocities say. What is
   round touches with another spot then. n: the normal when the substep begins. */
static void bend_gaps(const sn_meet_substep *s, const sn_meet *meet, const ending *e, sn_vec3 n, sn_wide_meet *batch,
                      uint32_t lane)
{
    const sn_pose a = meet_pose(s->world, &meet_movers(s->world)[meet->a]), b = meet_pose_of_b(s->world, meet);
    sn_vec3 own = sn_quat_turn_back(a.rotation, n);
    sn_real round_a = rounding_of(s->world, meet, false), round_b = rounding_of(s->world, meet, true);
    for (uint32_t i = 0; i < meet->count; ++i) {
        const sn_meet_point *p = &meet->point[i];
        sn_vec3 ra = vec3_add(p->a, vec3_scale(own, round_a)), rb = vec3_sub(p->b, vec3_scale(meet->normal, round_b));
        sn_vec3 there = vec3_sub(sn_pose_to_world(&e->a, ra), sn_pose_to_world(&e->b, rb));
        sn_vec3 now = vec3_sub(sn_pose_to_world(&a, ra), sn_pose_to_world(&b, rb));
        sn_real bend = vec3_dot(there, e->n) - vec3_dot(now, n) - s->h * batch->point[i].before[lane];
        batch->point[i].room[lane] += bend * s->inverse_h;
    }
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
    if (!meet->count)
        return meet->moved + way > meet->nearest;
    return meet->rolls || meet->clear || 2 * way > meet->reach || meet->moved > meet->slop * STALE;
}

/* m: how far one of the two may be thrown. */
static sn_real blow_to(const sn_world *world, const sn_meet *meet)
{
    sn_real a = meet_movers(world)[meet->a].blow, b = meet->b == SN_NO_MOVER ? 0 : meet_movers(world)[meet->b].blow;
    return a > b ? a : b;
}

static sn_real guard_of(const sn_world *world, const sn_meet *meet)
{
    return meet->b == SN_NO_MOVER ? sn_meet_record(world, meet->collider)->shape.guard : 0;
}

/* A sensor presses nobody; it notes who is in it. */
static void sense(const sn_world *world, sn_meet *meet)
{
    sn_pose a = meet_pose(world, &meet_movers(world)[meet->a]), b = meet_pose_of_b(world, meet);
    sn_vec3 n = sn_quat_turn(b.rotation, meet->normal);
    for (uint32_t k = 0; k < meet->count; ++k) {
        sn_vec3 apart = vec3_sub(sn_pose_to_world(&a, meet->point[k].a), sn_pose_to_world(&b, meet->point[k].b));
        meet->touched = meet->touched || vec3_dot(apart, n) < guard_of(world, meet);
    }
    meet->n = n;
}

/* They do not press in this substep. */
static void rest(sn_meet *meet)
{
    for (uint32_t k = 0; k < meet->count; ++k) {
        meet->point[k].last = meet->point[k].pressed;
        meet->point[k].pressed = 0;
    }
    meet->rub = (sn_meet_rub){0};
}

/* What was found is used as long as it may. Who cannot come near enough in this substep is left out. */
bool sn_meet_ready(const sn_meet_substep *s, sn_meet *meet)
{
    const sn_world *world = s->world;
    sn_real way = closing(s, meet), blow = blow_to(world, meet);
    way = blow > way ? blow : way;
    if (is_stale(meet, way)) {
        meet->reach = way * (meet->part_b == SN_ID_FREE ? 1 : AHEAD) + 2 * meet->slop;
        meet->moved = 0;
        sn_meet_look(world, meet, s->factor, s->h);
    }
    bool near = meet->nearest - meet->moved <= way;
    meet->moved += way;
    if (!meet->count)
        return false;
    if (meet->sensor)
        sense(world, meet);
    else if (!near)
        rest(meet);
    return near && !meet->sensor;
}

/* ---- Batches ---------------------------------------------------------------------------------------------------------- */

static void set_lane(sn_meet_rows *rows, uint32_t lane, sn_vec3 v)
{
    rows->x[lane] = v.x;
    rows->y[lane] = v.y;
    rows->z[lane] = v.z;
}

static sn_vec3 lane_of(const sn_meet_rows *rows, uint32_t lane)
{
    return vec3(rows->x[lane], rows->y[lane], rows->z[lane]);
}

static void set_turn(sn_meet_turns *rows, uint32_t lane, sn_quat q)
{
    rows->x[lane] = q.x;
    rows->y[lane] = q.y;
    rows->z[lane] = q.z;
    rows->w[lane] = q.w;
}

/* Whether the way of the two is bent by how they turn: its square, by the size, is how far that leads away from the straight way. */
static bool bends(const sn_meet_substep *s, const sn_meet *meet)
{
    sn_real turn = meet_turns(s->world, meet, s->h);
    return turn * turn > meet->slop * meet_movers(s->world)[meet->a].extent / 2 &&
           !(meet->b == SN_NO_MOVER && sn_meet_record(s->world, meet->collider)->shape.type == SN_COLLIDER_FIELD);
}

/* A substep begins with what the last one pushed, but with no more than twice what the one before that did. Its points, and the middle
   of them, weighted by what they press. */
static void fill_points(sn_meet *meet, uint32_t lane, sn_wide_meet *batch, sn_wide_meet_start *start)
{
    sn_real before = 0, after = 0;
    for (uint32_t k = 0; k < meet->count; ++k) {
        sn_meet_point *p = &meet->point[k];
        sn_real steady = p->pressed < 2 * p->last ? p->pressed : 2 * p->last;
        before += p->pressed;
        after += steady;
        start->weight[k][lane] = p->pressed;
        batch->point[k].pressed[lane] = steady;
        p->last = p->pressed;
        set_lane(&batch->point[k].arm_a, lane, p->a);
        set_lane(&batch->point[k].arm_b, lane, p->b);
    }
    const sn_real by = before > 0 ? 1 / before : 1 / (sn_real)meet->count, share = before > 0 ? after * by : 0;
    for (uint32_t k = 0; k < meet->count; ++k)
        start->weight[k][lane] = before > 0 ? start->weight[k][lane] * by : by;
    set_lane(&batch->rubbed, lane, vec3_scale(meet->rub.rubbed, share));
    batch->twisted[lane] = meet->rub.twisted * share;
    if (meet->round > 0)
        set_lane(&batch->rolled, lane, vec3_scale(meet->rub.rolled, share));
}

static void fill_rolling(const sn_world *world, const sn_meet *meet, uint32_t lane, sn_wide_meet *batch)
{
    batch->rolls = true;
    batch->roll[lane] = roll_of(world, meet);
    batch->rolling[lane] = meet->grip.rolling * meet->round;
    if (meet->b == SN_NO_MOVER)
        set_lane(&batch->roller, lane, meet_motion(world, meet->collider)->spin);
}

static void fill_course(const sn_world *world, const sn_meet *meet, uint32_t lane, sn_wide_meet *batch)
{
    sn_vec3 course = meet->course;
    batch->misses = true;
    batch->stray[lane] = OFF_COURSE * OFF_COURSE * vec3_dot(course, course);
    if (meet->b == SN_NO_MOVER)
        course = vec3_add(course, meet_motion(world, meet->collider)->velocity);
    set_lane(&batch->course, lane, course);
}

/* e: the normal, and, if the way is bent, where they are at the end of the substep. */
static void fill_lane(const sn_meet_substep *s, sn_meet *meet, uint32_t lane, sn_wide_meet *batch,
                      sn_wide_meet_start *start, ending *e)
{
    const sn_world *world = s->world;
    const sn_mover *a = &meet_movers(world)[meet->a], *b = meet->b == SN_NO_MOVER ? NULL : &meet_movers(world)[meet->b];
    const sn_pose pa = meet_pose(world, a), pb = meet_pose_of_b(world, meet);
    sn_vec3 n = sn_quat_turn(pb.rotation, meet->normal);
    batch->a[lane] = 4 * meet->a;
    batch->b[lane] = 4 * (b ? meet->b : world->meets.mover_table.count);
    batch->moves_a |= (uint32_t)(a->w != 0) << lane;
    batch->moves_b |= (uint32_t)(b && b->w != 0) << lane;
    batch->slop[lane] = meet->slop;
    batch->hold[lane] = meet->grip.hold;
    batch->drag[lane] = meet->grip.drag;
    batch->restitution[lane] = meet->grip.restitution;
    batch->bounces = batch->bounces || meet->grip.restitution > 0;
    batch->twists = batch->twists || meet->count > 1;
    batch->stray[lane] = -1;
    start->count[lane] = (sn_real)meet->count;
    set_turn(&start->turn_a, lane, pa.rotation);
    set_turn(&start->turn_b, lane, pb.rotation);
    set_lane(&start->between, lane, vec3_sub(pa.position, pb.position));
    set_lane(&start->n, lane, n);
    start->lean[lane] = share_of_arm(world, meet);
    start->other[lane] = b ? 1 - start->lean[lane] : 0;
    start->guard[lane] = guard_of(world, meet);
    fill_points(meet, lane, batch, start);
    if (meet->round > 0)
        fill_rolling(world, meet, lane, batch);
    if (meet->clear)
        fill_course(world, meet, lane, batch);
    e->n = n;
    if (bends(s, meet))
        *e = end_of(s, meet, &pa, n);
    set_lane(&batch->n, lane, e->n);
    meet->n = e->n;
}

/* m/s: of the surface of a collider, along the normal at the points, and where they rub. */
static void add_motion(const sn_world *world, const sn_meet *meet, uint32_t lane, sn_wide_meet *batch)
{
    const sn_collider_motion *m = meet_motion(world, meet->collider);
    const sn_vec3 n = lane_of(&batch->n, lane);
    const sn_vec3 rb = lane_of(&batch->rb, lane);
    const sn_quat turn = m->start.rotation;
    if (meet_is_zero(m->velocity) && meet_is_zero(m->spin))
        return;
    set_lane(&batch->surface, lane, vec3_add(m->velocity, vec3_cross(m->spin, rb)));
    batch->spin[lane] = vec3_dot(m->spin, n);
    for (uint32_t k = 0; k < meet->count; ++k) {
        sn_vec3 r = sn_quat_turn(turn, meet->point[k].b);
        sn_real slide = -vec3_dot(vec3_add(m->velocity, vec3_cross(m->spin, r)), n);
        batch->point[k].slide[lane] = slide;
        batch->point[k].before[lane] += slide;
        batch->point[k].room[lane] += slide;
    }
}

/* What is not filled in for every lane. gaps: some lanes have no meet, or fewer points. */
static void clear(sn_wide_meet *batch, sn_wide_meet_start *start, uint32_t points, bool gaps)
{
    if (gaps) {
        memset(batch, 0, offsetof(sn_wide_meet, point) + points * sizeof batch->point[0]);
        memset(start, 0, sizeof *start);
        return;
    }
    batch->moves_a = batch->moves_b = 0;
    batch->misses = batch->rolls = batch->twists = batch->deep = batch->bounces = false;
    memset(&batch->surface, 0, offsetof(sn_wide_meet, point) - offsetof(sn_wide_meet, surface));
    for (uint32_t k = 0; k < points; ++k)
        memset(batch->point[k].slide, 0, sizeof batch->point[k].slide);
}

void sn_meet_fill(const sn_meet_substep *s, const uint32_t *list, uint32_t lanes, sn_wide_meet *batch)
{
    sn_wide_meet_start start;
    ending e[SN_MEETS];
    sn_meet *all = meet_all(s->world);
    const uint32_t points = all[list[0]].count;
    clear(batch, &start, points, lanes < SN_MEETS || all[list[lanes - 1]].count < points);
    batch->lanes = lanes;
    batch->points = points;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        batch->meet[lane] = list[lane];
        fill_lane(s, &all[list[lane]], lane, batch, &start, &e[lane]);
    }
    for (uint32_t lane = lanes; lane < SN_MEETS; ++lane)
        batch->a[lane] = batch->b[lane] = 4 * s->world->meets.mover_table.count;
    s->wide->set_up(&s->run, batch, &start);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        const sn_meet *meet = &all[list[lane]];
        if (meet->b == SN_NO_MOVER)
            add_motion(s->world, meet, lane, batch);
        if (bends(s, meet))
            bend_gaps(s, meet, &e[lane], lane_of(&start.n, lane), batch, lane);
    }
}
