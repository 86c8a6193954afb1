/* Contact of bodies: what the pass at the end of a substep needs to know of two that touch, and what does not change in it. */
#include "world/meets_work.h"

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

/* Makes the arms of both lead to one place. Returns what was between. */
static sn_vec3 unite_arms(const sn_meet *meet, const sn_pose *a, const sn_pose *b, sn_vec3 *ra, sn_vec3 *rb)
{
    sn_vec3 apart = vec3_add(vec3_sub(a->position, b->position), vec3_sub(*ra, *rb));
    *ra = vec3_sub(*ra, vec3_scale(apart, meet->lean));
    if (meet->b != SN_NO_MOVER)
        *rb = vec3_add(*rb, vec3_scale(apart, 1 - meet->lean));
    return apart;
}

/* What does not change in a substep. n: the normal when it begins. */
static void set_up_point(const sn_world *world, const sn_meet *meet, sn_meet_point *point, const sn_pose *a,
                         const sn_pose *b, sn_vec3 n)
{
    sn_vec3 ra = sn_quat_turn(a->rotation, point->a), rb = sn_quat_turn(b->rotation, point->b);
    point->gap = vec3_dot(unite_arms(meet, a, b, &ra, &rb), n);
    point->arm_a = vec3_cross(ra, meet->n);
    point->arm_b = vec3_cross(rb, meet->n);
    point->turn_a = meet_times_inverse(&meet_movers(world)[meet->a], point->arm_a);
    point->slide = vec3_dot(meet_surface_velocity(world, meet, rb), meet->n);
    if (meet->b == SN_NO_MOVER)
        point->gap -= sn_meet_record(world, meet->collider)->shape.guard;
    else
        point->turn_b = meet_times_inverse(&meet_movers(world)[meet->b], point->arm_b);
    point->before = meet_approach(world, meet, point);
    point->bend = 0;
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
static void bend_gaps(const sn_meet_substep *s, sn_meet *meet, const ending *e, const sn_pose *a, const sn_pose *b,
                      sn_vec3 n)
{
    sn_vec3 own = sn_quat_turn_back(a->rotation, n);
    sn_real round_a = rounding_of(s->world, meet, false), round_b = rounding_of(s->world, meet, true);
    for (uint32_t i = 0; i < meet->count; ++i) {
        sn_meet_point *p = &meet->point[i];
        sn_vec3 ra = vec3_add(p->a, vec3_scale(own, round_a)), rb = vec3_sub(p->b, vec3_scale(meet->normal, round_b));
        sn_vec3 there = vec3_sub(sn_pose_to_world(&e->a, ra), sn_pose_to_world(&e->b, rb));
        sn_vec3 now = vec3_sub(sn_pose_to_world(a, ra), sn_pose_to_world(b, rb));
        p->bend = vec3_dot(there, e->n) - vec3_dot(now, n) - s->h * p->before;
    }
}

/* By how much a push at one point changes the speed at another, along the normal. */
static void couple(const sn_world *world, sn_meet *meet)
{
    const sn_mover *a = &meet_movers(world)[meet->a], *b = meet->b == SN_NO_MOVER ? NULL : &meet_movers(world)[meet->b];
    for (uint32_t i = 0; i < meet->count; ++i) {
        for (uint32_t k = 0; k <= i; ++k) {
            const sn_meet_point *p = &meet->point[i], *q = &meet->point[k];
            sn_real sum = a->w + vec3_dot(p->arm_a, q->turn_a);
            if (b)
                sum += b->w + vec3_dot(p->arm_b, q->turn_b);
            meet->coupling[i][k] = meet->coupling[k][i] = sum;
        }
        meet->point[i].mass = meet->coupling[i][i] > 0 ? 1 / meet->coupling[i][i] : 0;
    }
}

/* 1/kg: by how much a push across the normal moves the two apart at most, in any direction. */
static sn_real slip_of(const sn_world *world, const sn_meet *meet)
{
    sn_vec3 t = dvec3_round(dvec3_any_normal(dvec3_from(meet->n))), s = vec3_cross(meet->n, t);
    sn_real tt = 0, ss = 0, ts = 0;
    for (int side = 0; side < 2; ++side) {
        uint32_t who = side ? meet->b : meet->a;
        if (who == SN_NO_MOVER)
            break;
        const sn_mover *m = &meet_movers(world)[who];
        sn_vec3 r = side ? meet->rub.rb : meet->rub.ra, at = vec3_cross(r, t), as = vec3_cross(r, s);
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
static void set_up_rub(const sn_world *world, sn_meet *meet, const sn_pose *a, const sn_pose *b)
{
    sn_meet_rub *rub = &meet->rub;
    sn_vec3 middle_a = vec3(0, 0, 0), middle_b = middle_a;
    sn_real total = 0;
    for (uint32_t i = 0; i < meet->count; ++i)
        total += meet->point[i].pressed;
    for (uint32_t i = 0; i < meet->count; ++i) {
        sn_real share = total > 0 ? meet->point[i].pressed / total : 1 / (sn_real)meet->count;
        middle_a = vec3_add(middle_a, vec3_scale(meet->point[i].a, share));
        middle_b = vec3_add(middle_b, vec3_scale(meet->point[i].b, share));
    }
    for (uint32_t i = 0; i < meet->count; ++i)
        meet->point[i].far = vec3_length(vec3_sub(meet->point[i].a, middle_a));
    rub->ra = sn_quat_turn(a->rotation, middle_a);
    rub->rb = sn_quat_turn(b->rotation, middle_b);
    unite_arms(meet, a, b, &rub->ra, &rub->rb);
    rub->surface = meet_surface_velocity(world, meet, rub->rb);
    rub->spin = meet->b == SN_NO_MOVER ? vec3_dot(meet_motion(world, meet->collider)->spin, meet->n) : 0;
    rub->turn_a = meet_times_inverse(&meet_movers(world)[meet->a], meet->n);
    rub->turn_b = meet->b == SN_NO_MOVER ? vec3(0, 0, 0) : meet_times_inverse(&meet_movers(world)[meet->b], meet->n);
    sn_real slip = slip_of(world, meet), about = vec3_dot(vec3_add(rub->turn_a, rub->turn_b), meet->n);
    rub->across = slip > 0 ? 1 / slip : 0;
    rub->about = about > 0 && meet->count > 1 ? 1 / about : 0;
    rub->roll = meet->round > 0 ? roll_of(world, meet) : 0;
    rub->rubbed = vec3_sub(rub->rubbed, vec3_scale(meet->n, vec3_dot(rub->rubbed, meet->n))); /* the normal turns */
}

/* m: how far the two can come towards each other in a substep, at most. */
static sn_real closing(const sn_world *world, const sn_meet *meet, sn_real h)
{
    sn_vec3 v = meet_movers(world)[meet->a].v;
    sn_real speed = 2 * h * vec3_length(world->state.settings.gravity);
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

/* What was found is used as long as it may. */
void sn_meet_ready(const sn_meet_substep *s, sn_meet *meet)
{
    const sn_world *world = s->world;
    sn_real way = closing(world, meet, s->h), blow = blow_to(world, meet);
    way = blow > way ? blow : way;
    if (is_stale(meet, way)) {
        meet->reach = way * (meet->part_b == SN_ID_FREE ? 1 : AHEAD) + 2 * meet->slop;
        meet->moved = 0;
        sn_meet_look(world, meet, s->factor, s->h);
    }
    meet->moved += way;
    sn_pose a = meet_pose(world, &meet_movers(world)[meet->a]), b = meet_pose_of_b(world, meet);
    meet->n = sn_quat_turn(b.rotation, meet->normal);
    meet->lean = share_of_arm(world, meet);
    sn_vec3 n = meet->n;
    sn_real turn =
        meet_turns(world, meet, s->h); /* its square, by the size, is how far it leads away from the straight way */
    bool bends = meet->count && turn * turn > meet->slop * meet_movers(world)[meet->a].extent / 2 &&
                 !(meet->b == SN_NO_MOVER && sn_meet_record(world, meet->collider)->shape.type == SN_COLLIDER_FIELD);
    ending e = {0};
    if (bends) {
        e = end_of(s, meet, &a);
        meet->n = e.n;
    }
    for (uint32_t k = 0; k < meet->count; ++k)
        set_up_point(world, meet, &meet->point[k], &a, &b, n);
    if (bends)
        bend_gaps(s, meet, &e, &a, &b, n);
    couple(world, meet);
    if (meet->count)
        set_up_rub(world, meet, &a, &b);
}
