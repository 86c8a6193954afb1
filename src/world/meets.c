/* Contact of bodies.

   A meet is two convex pieces that may touch, or a piece and a ball or a collider, with up to four points that share a normal n.
   Points are found where things are when a substep begins; how deep they are then, the *gap*, is what the pass over velocities
   at its end needs to know. With v the relative velocity at a point, after everything else in the substep acted, and K the
   inverse of the mass that it moves,

       normal      P' = max(0, P - (v.n + max(gap, 0) / h) / K)      no nearer than touching, and not deeper
       friction    T' = T - v_t / K, cut to the length mu P'

   P and T are impulses of this substep so far. A substep begins with those that the last one ended with, but with no more than
   twice what the one before that ended with: a weight presses in both, a blow does not. As gaps and arms are those at the start
   of the substep, momentum is kept. Velocities move places: what changed of them is added to places and turns, times h.
   Restitution follows, and things that overlap are parted, slowly, without a velocity, which costs a little of the angular
   momentum.

   Fast things. Points of two that are apart are those where they are nearest when the substep begins; who would pass them is
   followed along its way, and either meets elsewhere, or passes by (`clear`). For what turns, gaps are those at the end of the
   substep (`bend`). Who may be struck by somebody fast is looked at as if it were as fast (`blow`), and when somebody has come
   farther than was looked for at the start of the step, it is looked again (sn_meets_find_again). As long as somebody would come
   far into another there are more sweeps.

   It is the contact of particles (wide/contact.h) in terms of impulses: for balls both are the same. */
#include "world/meets.h"

#include "base/quat.h"
#include "bodies/rotation.h"
#include "integrators/integrator.h"
#include "world/meets_work.h"

#include <stdatomic.h>
#include <string.h>

/* Sweeps over all meets in a pass. With one, a tower of twenty boxes sways by centimetres for ever; with two it is at rest, to
   1e-8 J of a hundred tons, after seven seconds. */
#define SWEEPS 2u
#define SETTLED                                                                                                        \
    ((sn_real)1e-6)       /* of what presses: less than that need not be shared out further; 1e-4 let towers tremble */
#define ROUNDS        6u  /* over the points of a meet, to find what they press */
#define BOUNCE_ROUNDS 40u /* the same when they bounce: there is no next substep that could do better */
#define STALE         ((sn_real)10) /* times the slop: points of two that came so much farther are looked for anew */
#define AHEAD         ((sn_real)4)  /* substeps: things that are apart are looked for so far ahead */
#define CLOSE         ((sn_real)5) /* times the overlap that is left alone: who is no farther apart meets, whatever the way */
#define FAR_OFF       ((sn_real)50) /* times the same: a tenth of the size. As long as somebody is wrong by so much */
#define MORE          30u           /*   in a substep there are more sweeps, up to so many times as many */
#define ALONG         ((sn_real)0.9999) /* the cosine of an angle that is none */
#define HANDED_ON     8u                /* from one to the next so many times in a substep */
#define AGAIN         3u                /* so often in a substep it is looked for what bodies meet */
#define OFF_COURSE    ((sn_real)0.05)   /* of a velocity */
#define EASE          ((sn_real)0.2) /* the share of an overlap that is parted in a substep, at most at the speed of push_out */

static sn_real magnitude(sn_real a)
{
    return a < 0 ? -a : a;
}

static bool is_zero(sn_vec3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

/* ---- Where things are ------------------------------------------------------------------------------------------------- */

static sn_mover *movers(const sn_world *world)
{
    return world->meets.mover_table.column[0];
}

sn_pose sn_meet_pose(const sn_world *world, const sn_mover *mover)
{
    sn_pose pose = {vec4_xyz(world->particles.x[mover->slot]), {0, 0, 0, 1}};
    if (mover->body != SN_ID_FREE)
        pose.rotation = world->bodies.turn[mover->body].start;
    return pose;
}

static sn_pose part_pose(const sn_world *world, const sn_pose *body, uint32_t part)
{
    const sn_body_part *p = &world->bodies.part[part];
    if (p->plain)
        return *body;
    return (sn_pose){sn_pose_to_world(body, p->place), sn_quat_times(body->rotation, p->turn)};
}

static const sn_collider_motion *motion_of(const sn_world *world, uint32_t number)
{
    return (const sn_collider_motion *)world->contacts.motion_table.column[0] + number;
}

/* The frame that the spots of b are seen in. */
static sn_pose pose_of_b(const sn_world *world, const sn_meet *meet)
{
    return meet->b == SN_NO_MOVER ? motion_of(world, meet->collider)->start
                                  : sn_meet_pose(world, &movers(world)[meet->b]);
}

/* ---- Points ------------------------------------------------------------------------------------------------------------ */

/* Points keep what they pushed as long as their features meet. */
static void take_points(const sn_world *world, sn_meet *meet, const sn_manifold *m, const sn_pose *b, sn_real factor)
{
    sn_meet_point old[SN_MANIFOLD_MOST];
    uint32_t olds = meet->count;
    memcpy(old, meet->point, sizeof old);
    meet->normal = sn_quat_turn_back(b->rotation, m->normal);
    meet->count = m->count;
    for (uint32_t i = 0; i < m->count; ++i) {
        sn_meet_point point = {.feature = m->point[i].feature};
        bool known = false;
        for (uint32_t k = 0; k < olds && !known; ++k)
            if (old[k].feature == point.feature) {
                known = true;
                point = old[k];
            }
        if (!known)
            sn_meet_recall(world, meet, factor, &point);
        point.a = meet->part_a == SN_ID_FREE ? m->point[i].a : sn_part_spot(world, meet->part_a, m->point[i].a);
        point.b = meet->part_b == SN_ID_FREE ? m->point[i].b : sn_part_spot(world, meet->part_b, m->point[i].b);
        meet->point[i] = point;
    }
}

#define DEEP ((sn_real)8) /* times the larger of its other sides: a box of a flat world is so deep */

/* The solid of a part. In a flat world boxes are deep, so that the shortest way out of one lies in the plane. */
static sn_convex solid_of(const sn_world *world, uint32_t part)
{
    const sn_body_part *p = &world->bodies.part[part];
    sn_convex convex = p->convex;
    if (world->dimensions == 2 && convex.type == SN_CONVEX_BOX && p->turn.x == 0 && p->turn.y == 0)
        convex.half.z += DEEP * (convex.half.x > convex.half.y ? convex.half.x : convex.half.y);
    return convex;
}

/* In a flat world normals lie in the plane; what touches along z does not touch. */
static bool lies_in_plane(const sn_world *world, sn_manifold *m)
{
    if (world->dimensions != 2)
        return true;
    sn_real length = real_sqrt(m->normal.x * m->normal.x + m->normal.y * m->normal.y);
    if (!(length > (sn_real)0.5))
        return false;
    m->normal = vec3(m->normal.x / length, m->normal.y / length, 0);
    return true;
}

/* A ball and a part of a body. */
static bool meet_ball(const sn_world *world, const sn_convex *convex, const sn_pose *pa, sn_real reach,
                      const sn_mover *ball, sn_manifold *m)
{
    sn_vec3 centre = vec4_xyz(world->particles.x[ball->slot]);
    sn_real radius = world->particles.radius[ball->slot];
    sn_touch touch;
    if (!sn_convex_near(convex, sn_pose_to_own(pa, centre), reach + radius, &touch))
        return false;
    sn_vec3 out = sn_quat_turn(pa->rotation, touch.normal);
    m->normal = vec3_scale(out, -1); /* from the ball to the body */
    m->count = 1;
    m->point[0] = (sn_manifold_point){touch.point, vec3_scale(m->normal, radius), touch.distance - radius, 0};
    return true;
}

/* Two as they are when a substep begins. */
typedef struct looking {
    const sn_world *world;
    sn_meet *meet;
    sn_convex a, b;        /* solids; of a body and another */
    sn_pose pa, pb;        /* of the solids */
    sn_pose other;         /* of b itself, or of the collider */
    const sn_shape *shape; /* of a collider */
    sn_vec3 way;           /* m: by which a goes in the substep, seen from b */
    sn_real stray;         /* m: from which it may differ because they turn */
    sn_manifold m[SN_MEET_LAYERS];
} looking;

/* Where a would touch b if it were at pose pa. */
static bool touches_at(looking *l, const sn_pose *pa, sn_real reach)
{
    const sn_meet *meet = l->meet;
    bool touches;
    if (l->shape) {
        uint32_t found =
            sn_manifold_shape(&l->a, pa, l->shape, &l->other, reach + l->shape->guard, l->m, SN_MEET_LAYERS);
        touches = meet->layer < found;
        if (touches && meet->layer)
            l->m[0] = l->m[meet->layer];
    } else if (meet->part_b == SN_ID_FREE) {
        touches = meet_ball(l->world, &l->a, pa, reach, &movers(l->world)[meet->b], &l->m[0]);
    } else {
        touches = sn_manifold_convex(&l->a, pa, &l->b, &l->pb, reach, &l->m[0]);
    }
    return touches && lies_in_plane(l->world, &l->m[0]);
}

static looking look_at(const sn_world *world, sn_meet *meet)
{
    sn_pose body = sn_meet_pose(world, &movers(world)[meet->a]);
    looking l = {.world = world, .meet = meet, .a = solid_of(world, meet->part_a), .other = pose_of_b(world, meet)};
    l.pa = part_pose(world, &body, meet->part_a);
    if (meet->b == SN_NO_MOVER) {
        l.shape = &sn_meet_record(world, meet->collider)->shape;
    } else if (meet->part_b != SN_ID_FREE) {
        l.b = solid_of(world, meet->part_b);
        l.pb = part_pose(world, &l.other, meet->part_b);
    }
    return l;
}

/* m/s: of a's centre, seen from b. */
static sn_vec3 course_of(const sn_world *world, const sn_meet *meet)
{
    sn_vec3 v = movers(world)[meet->a].v;
    return vec3_sub(v, meet->b == SN_NO_MOVER ? motion_of(world, meet->collider)->velocity : movers(world)[meet->b].v);
}

/* Where a body is at the end of a substep in which it goes on as it does. */
static sn_pose goes_to(const sn_world *world, const sn_mover *m, sn_real h)
{
    sn_pose pose = sn_meet_pose(world, m);
    sn_vec3 half = vec3_scale(m->spin, h / 2);
    pose.position = vec3_add(pose.position, vec3_scale(m->v, h));
    pose.rotation = sn_quat_normal(sn_quat_times((sn_quat){half.x, half.y, half.z, 1}, pose.rotation));
    return pose;
}

/* The way of a ball, seen from a body that turns, too. */
static bool ball_is_met(looking *l, sn_real h)
{
    const sn_mover *ball = &movers(l->world)[l->meet->b];
    sn_pose body = goes_to(l->world, &movers(l->world)[l->meet->a], h),
            end = part_pose(l->world, &body, l->meet->part_a);
    sn_vec3 x = vec4_xyz(l->world->particles.x[ball->slot]), from = sn_pose_to_own(&l->pa, x);
    sn_vec3 to = sn_pose_to_own(&end, vec3_add(x, vec3_scale(ball->v, h)));
    sn_real t, radius = l->world->particles.radius[ball->slot];
    sn_path path = {from, vec3_sub(to, from), radius};
    sn_touch touch;
    if (!sn_convex_cast(&l->a, &path, &t, &touch))
        return false;
    l->m[0].normal = sn_quat_turn(l->pa.rotation, vec3_scale(touch.normal, -1));
    l->m[0].point[0].a = touch.point;
    l->m[0].point[0].b = vec3_scale(l->m[0].normal, radius);
    return lies_in_plane(l->world, &l->m[0]);
}

/* Whether a and b meet on their ways; then the points are those where they do. */
static bool is_met(looking *l, sn_real h)
{
    sn_real t;
    sn_vec3 normal;
    if (!l->shape && l->meet->part_b == SN_ID_FREE)
        return ball_is_met(l, h);
    sn_convex wide = l->a;
    sn_manifold before = l->m[0];
    wide.radius += l->stray;
    if (l->shape ? !sn_manifold_cast_shape(&wide, &l->pa, l->way, l->shape, &l->other, &t, &normal)
                 : !sn_manifold_cast(&wide, &l->pa, l->way, &l->b, &l->pb, &t, &normal))
        return false;
    sn_pose there = {vec3_add(l->pa.position, vec3_scale(l->way, t)), l->pa.rotation};
    if (!touches_at(l, &there, l->meet->reach)) /* far enough for corners that come after the first */
        l->m[0] = before;
    return true;
}

/* m: how far spots of the two may come by turning. */
static sn_real turns(const sn_world *world, const sn_meet *meet, sn_real h)
{
    const sn_mover *a = &movers(world)[meet->a];
    sn_real sum = vec3_length(a->spin) * a->extent;
    if (meet->b != SN_NO_MOVER)
        return h * (sum + vec3_length(movers(world)[meet->b].spin) * movers(world)[meet->b].extent);
    const sn_collider_motion *m = motion_of(world, meet->collider);
    return h * (is_zero(m->spin) ? sum : sum + m->speed);
}

/* Points are those where the two are nearest when a substep begins, but what is fast may be about to pass beside, or to meet
   elsewhere. So it is followed along its way. */
static bool follow(looking *l, bool touches, sn_real h)
{
    sn_meet *meet = l->meet;
    sn_real nearest = (sn_real)INFINITY;
    if (!touches ||
        (l->shape && (l->shape->type == SN_COLLIDER_PLANE || !is_zero(motion_of(l->world, meet->collider)->spin))))
        return touches;
    for (uint32_t i = 0; i < l->m[0].count; ++i)
        nearest = l->m[0].point[i].distance < nearest ? l->m[0].point[i].distance : nearest;
    l->way = vec3_scale(course_of(l->world, meet), h);
    l->stray = turns(l->world, meet, h);
    if (nearest <= CLOSE * meet->slop || -vec3_dot(l->way, l->m[0].normal) + l->stray < nearest)
        return true;
    meet->clear = !is_met(l, h);
    meet->course = course_of(l->world, meet);
    return true;
}

/* Looks where two touch, as they are now. */
static void look(const sn_world *world, sn_meet *meet, sn_real factor, sn_real h)
{
    looking l = look_at(world, meet);
    bool was_fresh = meet->fresh;
    meet->fresh = true;
    meet->clear = false;
    if (!follow(&l, touches_at(&l, &l.pa, meet->reach), h)) {
        meet->count = 0;
        return;
    }
    if (!was_fresh) {
        sn_meet_point rubbed = {.feature = SN_MEET_RUB};
        meet->rub.rubbed = sn_meet_recall(world, meet, factor, &rubbed);
        meet->rub.twisted = rubbed.pressed;
        rubbed.feature = SN_MEET_ROLL;
        meet->rub.rolled = sn_meet_recall(world, meet, factor, &rubbed);
    }
    take_points(world, meet, &l.m[0], &l.other, factor);
}

/* ---- A substep begins ---------------------------------------------------------------------------------------------------- */

typedef struct substep {
    sn_world *world;
    sn_real h, inverse_h, factor;
    sn_real bounce_above, push_out;
    bool begins;
    atomic_bool *violent; /* gets true when somebody would come far into another, or was pushed out of it as far */
    uint32_t first;       /* meet of the colour that runs */
    void (*one)(const struct substep *s, sn_meet *meet);
} substep;

static sn_vec3 times_inverse(const sn_mover *m, sn_vec3 a)
{
    const sn_real *i = m->inverse;
    return vec3(i[0] * a.x + i[3] * a.y + i[4] * a.z, i[3] * a.x + i[1] * a.y + i[5] * a.z,
                i[4] * a.x + i[5] * a.y + i[2] * a.z);
}

/* m/s: of a's spot, seen from b's; where b is a collider, without that one's own velocity. */
static sn_vec3 relative_velocity(const sn_world *world, const sn_meet *meet, sn_vec3 ra, sn_vec3 rb)
{
    const sn_mover *a = &movers(world)[meet->a];
    sn_vec3 v = vec3_add(a->v, vec3_cross(a->spin, ra));
    if (meet->b == SN_NO_MOVER)
        return v;
    const sn_mover *b = &movers(world)[meet->b];
    return vec3_sub(v, vec3_add(b->v, vec3_cross(b->spin, rb)));
}

/* m/s: of the surface of a collider. */
static sn_vec3 surface_velocity(const sn_world *world, const sn_meet *meet, sn_vec3 rb)
{
    if (meet->b != SN_NO_MOVER)
        return vec3(0, 0, 0);
    const sn_collider_motion *m = motion_of(world, meet->collider);
    return vec3_add(m->velocity, vec3_cross(m->spin, rb));
}

/* m/s: along the normal, at a point. */
static sn_real approach(const sn_world *world, const sn_meet *meet, const sn_meet_point *p)
{
    const sn_mover *a = &movers(world)[meet->a];
    sn_real v = vec3_dot(a->v, meet->n) + vec3_dot(a->spin, p->arm_a) - p->slide;
    if (meet->b == SN_NO_MOVER)
        return v;
    const sn_mover *b = &movers(world)[meet->b];
    return v - vec3_dot(b->v, meet->n) - vec3_dot(b->spin, p->arm_b);
}

/* The share of what is between the spots of both by which the arm of a is longer than to its own spot: pushes act on both in one
   place, or angular momentum would be lost. Whoever does not turn has no arm; otherwise the larger one bears more. */
static sn_real share_of_arm(const sn_world *world, const sn_meet *meet)
{
    if (meet->b == SN_NO_MOVER || meet->part_b == SN_ID_FREE || movers(world)[meet->b].w == 0)
        return 0;
    if (movers(world)[meet->a].w == 0)
        return 1;
    sn_real a = movers(world)[meet->a].extent, b = movers(world)[meet->b].extent;
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
    point->turn_a = times_inverse(&movers(world)[meet->a], point->arm_a);
    point->slide = vec3_dot(surface_velocity(world, meet, rb), meet->n);
    if (meet->b == SN_NO_MOVER)
        point->gap -= sn_meet_record(world, meet->collider)->shape.guard;
    else
        point->turn_b = times_inverse(&movers(world)[meet->b], point->arm_b);
    point->before = approach(world, meet, point);
    point->parted = point->bend = 0;
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
    bool along = magnitude(n.x) > ALONG || magnitude(n.y) > ALONG || magnitude(n.z) > ALONG;
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
        return world->particles.radius[movers(world)[meet->b].slot];
    const sn_shape *shape = &sn_meet_record(world, meet->collider)->shape;
    bool round = shape->type == SN_COLLIDER_SPHERE || shape->type == SN_COLLIDER_CAPSULE;
    return shape->thickness + (round ? shape->solid.radius : 0);
}

/* Two where they are at the end of a substep, if they go on as they do. */
typedef struct ending {
    sn_pose a, b;
    sn_vec3 n;
} ending;

static ending end_of(const substep *s, const sn_meet *meet, const sn_pose *a)
{
    const sn_world *world = s->world;
    ending e = {.a = goes_to(world, &movers(world)[meet->a], s->h)};
    e.b =
        meet->b == SN_NO_MOVER ? motion_of(world, meet->collider)->end : goes_to(world, &movers(world)[meet->b], s->h);
    sn_vec3 own = sn_quat_turn_back(a->rotation, meet->n);
    owner whose = owner_of(world, meet, own);
    e.n = whose == OWNER_A   ? sn_quat_turn(e.a.rotation, own)
          : whose == OWNER_B ? sn_quat_turn(e.b.rotation, meet->normal)
                             : meet->n;
    return e;
}

/* Points of things that turn move on curves, and so does the normal: how wide gaps are at the end, and in what that differs from
   what velocities say. What is round touches with another spot then. n: the normal when the substep begins. */
static void bend_gaps(const substep *s, sn_meet *meet, const ending *e, const sn_pose *a, const sn_pose *b, sn_vec3 n)
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
    const sn_mover *a = &movers(world)[meet->a], *b = meet->b == SN_NO_MOVER ? NULL : &movers(world)[meet->b];
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
        const sn_mover *m = &movers(world)[who];
        sn_vec3 r = side ? meet->rub.rb : meet->rub.ra, at = vec3_cross(r, t), as = vec3_cross(r, s);
        sn_vec3 turn = times_inverse(m, at);
        tt += m->w + vec3_dot(at, turn);
        ts += vec3_dot(as, turn);
        ss += m->w + vec3_dot(as, times_inverse(m, as));
    }
    sn_real half = (tt - ss) / 2;
    return (tt + ss) / 2 + real_sqrt(half * half + ts * ts); /* the larger eigenvalue */
}

/* kg m^2: with which the two resist a torque about any axis, at least. */
static sn_real roll_of(const sn_world *world, const sn_meet *meet)
{
    sn_real sum[6] = {0}, most = 0;
    for (int k = 0; k < 6; ++k)
        sum[k] = movers(world)[meet->a].inverse[k] + (meet->b == SN_NO_MOVER ? 0 : movers(world)[meet->b].inverse[k]);
    for (int k = 0; k < 3; ++k) { /* no eigenvalue is larger than the largest sum of a row */
        sn_real row = sum[k] + magnitude(sum[k < 2 ? 3 : 4]) + magnitude(sum[k == 0 ? 4 : 5]);
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
    rub->surface = surface_velocity(world, meet, rub->rb);
    rub->spin = meet->b == SN_NO_MOVER ? vec3_dot(motion_of(world, meet->collider)->spin, meet->n) : 0;
    rub->turn_a = times_inverse(&movers(world)[meet->a], meet->n);
    rub->turn_b = meet->b == SN_NO_MOVER ? vec3(0, 0, 0) : times_inverse(&movers(world)[meet->b], meet->n);
    sn_real slip = slip_of(world, meet), about = vec3_dot(vec3_add(rub->turn_a, rub->turn_b), meet->n);
    rub->across = slip > 0 ? 1 / slip : 0;
    rub->about = about > 0 && meet->count > 1 ? 1 / about : 0;
    rub->roll = meet->round > 0 ? roll_of(world, meet) : 0;
    rub->rubbed = vec3_sub(rub->rubbed, vec3_scale(meet->n, vec3_dot(rub->rubbed, meet->n))); /* the normal turns */
}

/* m: how far the two can come towards each other in a substep, at most. */
static sn_real closing(const sn_world *world, const sn_meet *meet, sn_real h)
{
    sn_vec3 v = movers(world)[meet->a].v;
    sn_real speed = 2 * h * vec3_length(world->state.settings.gravity);
    if (meet->b != SN_NO_MOVER)
        v = vec3_sub(v, movers(world)[meet->b].v);
    else if (isfinite(motion_of(world, meet->collider)->speed))
        speed += motion_of(world, meet->collider)->speed;
    else
        return (sn_real)INFINITY;
    return h * (vec3_length(v) + speed) + turns(world, meet, h);
}

static sn_meet *all_meets(const sn_world *world)
{
    return world->meets.meet_table.column[0];
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
    sn_real a = movers(world)[meet->a].blow, b = meet->b == SN_NO_MOVER ? 0 : movers(world)[meet->b].blow;
    return a > b ? a : b;
}

/* What was found is used as long as it may. */
static void begin_piece(void *data, uint32_t first, uint32_t end)
{
    const substep *s = data;
    const sn_world *world = s->world;
    for (uint32_t i = first; i < end; ++i) {
        sn_meet *meet = &all_meets(world)[i];
        sn_real way = closing(world, meet, s->h), blow = blow_to(world, meet);
        way = blow > way ? blow : way;
        if (is_stale(meet, way)) {
            meet->reach = way * (meet->part_b == SN_ID_FREE ? 1 : AHEAD) + 2 * meet->slop;
            meet->moved = 0;
            look(world, meet, s->factor, s->h);
        }
        meet->moved += way;
        sn_pose a = sn_meet_pose(world, &movers(world)[meet->a]), b = pose_of_b(world, meet);
        meet->n = sn_quat_turn(b.rotation, meet->normal);
        meet->lean = share_of_arm(world, meet);
        sn_vec3 n = meet->n;
        sn_real turn =
            turns(world, meet, s->h); /* its square, by the size, is how far it leads away from the straight way */
        bool bends =
            meet->count && turn * turn > meet->slop * movers(world)[meet->a].extent / 2 &&
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
}

/* One that is led moves as it will, not as it did. */
static void lead(const sn_world *world, sn_mover *m)
{
    const sn_target *target = (const sn_target *)world->target_table.column[0] + world->particles.target[m->slot] - 1;
    sn_vec3 way = vec3_sub(target->place, vec4_xyz(world->particles.x[m->slot]));
    double spin[3], inverse[3];
    m->v = m->v0 = vec3_scale(way, 1 / world->meets.left);
    if (m->body == SN_ID_FREE)
        return;
    sn_body_inverse_moments(&world->bodies.state[m->body], inverse);
    sn_rotate_velocity(world->bodies.state[m->body].q, world->bodies.motion[m->body].l, inverse, spin);
    m->spin = m->spin0 = vec3((sn_real)spin[0], (sn_real)spin[1], (sn_real)spin[2]);
}

/* How movers move now, and what they resist with. */
static void load_piece(void *data, uint32_t first, uint32_t end)
{
    const substep *s = data;
    const sn_world *world = s->world;
    for (uint32_t i = first; i < end; ++i) {
        sn_mover *m = &movers(world)[i];
        if (m->slot == SN_NO_SLOT)
            continue;
        double spin[3] = {0}, inverse[3], r[3][3];
        m->w = world->particles.x[m->slot].w;
        m->v = m->v0 = vec4_xyz(world->particles.v[m->slot]);
        m->spin = m->place = m->turn = vec3(0, 0, 0);
        memset(m->inverse, 0, sizeof m->inverse);
        if (m->body != SN_ID_FREE) {
            const sn_body_state *body = &world->bodies.state[m->body];
            sn_body_inverse_moments(body, inverse);
            sn_rotate_velocity(body->q, body->l, inverse, spin);
            sn_rotate_matrix(body->q, r);
            for (int k = 0; k < 6; ++k) {
                int a = k < 3 ? k : k == 5 ? 1 : 0, b = k < 3 ? k : k == 3 ? 1 : 2;
                double sum = 0;
                for (int j = 0; j < 3; ++j)
                    sum += r[a][j] * inverse[j] * r[b][j];
                m->inverse[k] = (sn_real)((double)m->w * sum);
            }
        }
        m->spin = m->spin0 = vec3((sn_real)spin[0], (sn_real)spin[1], (sn_real)spin[2]);
        if (s->begins && world->particles.target[m->slot])
            lead(world, m);
    }
}

static substep make_substep(sn_world *world, sn_real h)
{
    const sn_contact_settings *settings = &world->contact.settings;
    sn_real gravity = vec3_length(world->state.settings.gravity);
    return (substep){.world = world,
                     .h = h,
                     .inverse_h = 1 / h,
                     .factor = world->meets.factor,
                     .push_out = settings->push_out,
                     .bounce_above = settings->bounce_above >= 0 ? settings->bounce_above : 2 * gravity * h};
}

typedef struct watching {
    const substep *s;
    atomic_bool fast, left;
} watching;

/* Who comes farther than was thought, because of what was exerted on it, may meet things that were not looked at. */
static void watch_piece(void *data, uint32_t first, uint32_t end)
{
    watching *w = data;
    const sn_world *world = w->s->world;
    sn_real fall = vec3_length(world->state.settings.gravity) * w->s->h;
    for (uint32_t i = first; i < end; ++i) {
        sn_mover *m = &movers(world)[i];
        m->blow = 0;
        if (m->slot == SN_NO_SLOT || m->body == SN_ID_FREE)
            continue;
        sn_real way = w->s->h * (vec3_length(m->v) + vec3_length(m->spin) * m->extent + fall);
        if (way > m->thin) {
            m->blow = way;
            atomic_store_explicit(&w->fast, true, memory_order_relaxed);
        }
        if (m->w != 0 && (m->room -= way) < 0)
            atomic_store_explicit(&w->left, true, memory_order_relaxed);
    }
}

/* One that is fast may throw another as far in the same substep. Whether it may, and that was not known. */
static bool threaten(const sn_world *world, const sn_mover *fast, sn_mover *other)
{
    if (other->w == 0 || !(fast->blow > other->blow))
        return false;
    sn_vec3 d = vec3_sub(vec4_xyz(world->particles.x[fast->slot]), vec4_xyz(world->particles.x[other->slot]));
    if (vec3_length(d) > fast->extent + other->extent + 2 * fast->blow)
        return false;
    other->blow = fast->blow;
    return true;
}

/* Blows are handed on. Whether somebody may be thrown farther than was looked. */
static bool hand_on_blows(const sn_world *world)
{
    bool more = true, left = false;
    for (uint32_t round = 0; more && round < HANDED_ON; ++round) {
        more = false;
        for (uint32_t i = 0; i < world->meets.meets; ++i) {
            const sn_meet *meet = &all_meets(world)[i];
            if (meet->part_b == SN_ID_FREE || meet->sensor)
                continue;
            sn_mover *a = &movers(world)[meet->a], *b = &movers(world)[meet->b];
            more = threaten(world, a, b) || threaten(world, b, a) || more;
        }
    }
    for (uint32_t i = 0; i < bodies_rows(&world->bodies); ++i)
        left = left || (movers(world)[i].w != 0 && movers(world)[i].blow > movers(world)[i].room);
    return left;
}

/* Movers as they are when a substep begins, and what may meet. */
static bool begin_movers(substep *s)
{
    sn_world *world = s->world;
    sn_parallel *all = &world->parallel;
    for (uint32_t round = 0;; ++round) {
        watching w = {.s = s};
        if (!sn_parallel_for(all, world->meets.mover_table.count, load_piece, s) ||
            !sn_parallel_for(all, bodies_rows(&world->bodies), watch_piece, &w))
            return false;
        if (w.fast && hand_on_blows(world))
            w.left = true;
        if (!w.left || round == AGAIN)
            return true;
        world->contacts.failed = sn_meets_find_again(world);
        if (world->contacts.failed != SN_OK)
            return false;
    }
}

bool sn_meets_begin(sn_world *world, sn_real h)
{
    substep s = make_substep(world, h);
    s.begins = true;
    if (!world->meets.mover_table.count)
        return true;
    bool good = begin_movers(&s) &&
                (!world->meets.meets || sn_parallel_for(&world->parallel, world->meets.meets, begin_piece, &s));
    world->meets.left -= h;
    return good;
}

/* ---- A pass --------------------------------------------------------------------------------------------------------------- */

/* A push across the normal, where the two rub. */
static void push_across(const sn_world *world, const sn_meet *meet, sn_vec3 impulse)
{
    sn_mover *a = &movers(world)[meet->a];
    a->v = vec3_add(a->v, vec3_scale(impulse, a->w));
    a->spin = vec3_add(a->spin, times_inverse(a, vec3_cross(meet->rub.ra, impulse)));
    if (meet->b == SN_NO_MOVER)
        return;
    sn_mover *b = &movers(world)[meet->b];
    b->v = vec3_sub(b->v, vec3_scale(impulse, b->w));
    b->spin = vec3_sub(b->spin, times_inverse(b, vec3_cross(meet->rub.rb, impulse)));
}

/* A torque about the normal. */
static void twist(const sn_world *world, const sn_meet *meet, sn_real impulse)
{
    sn_mover *a = &movers(world)[meet->a];
    a->spin = vec3_add(a->spin, vec3_scale(meet->rub.turn_a, impulse));
    if (meet->b == SN_NO_MOVER)
        return;
    sn_mover *b = &movers(world)[meet->b];
    b->spin = vec3_sub(b->spin, vec3_scale(meet->rub.turn_b, impulse));
}

static void turn_both(const sn_world *world, const sn_meet *meet, sn_vec3 impulse)
{
    sn_mover *a = &movers(world)[meet->a];
    a->spin = vec3_add(a->spin, times_inverse(a, impulse));
    if (meet->b == SN_NO_MOVER)
        return;
    sn_mover *b = &movers(world)[meet->b];
    b->spin = vec3_sub(b->spin, times_inverse(b, impulse));
}

/* So much more at each point, along the normal. */
static void push_along(const sn_world *world, const sn_meet *meet, const sn_real *more)
{
    sn_vec3 turn_a = vec3(0, 0, 0), turn_b = turn_a;
    sn_real total = 0;
    for (uint32_t i = 0; i < meet->count; ++i) {
        total += more[i];
        turn_a = vec3_add(turn_a, vec3_scale(meet->point[i].turn_a, more[i]));
        turn_b = vec3_add(turn_b, vec3_scale(meet->point[i].turn_b, more[i]));
    }
    sn_mover *a = &movers(world)[meet->a];
    a->v = vec3_add(a->v, vec3_scale(meet->n, a->w * total));
    a->spin = vec3_add(a->spin, turn_a);
    if (meet->b == SN_NO_MOVER)
        return;
    sn_mover *b = &movers(world)[meet->b];
    b->v = vec3_sub(b->v, vec3_scale(meet->n, b->w * total));
    b->spin = vec3_sub(b->spin, turn_b);
}

static void warm(const substep *s, sn_meet *meet)
{
    sn_real more[SN_MANIFOLD_MOST], before = 0, after = 0;
    for (uint32_t i = 0; i < meet->count; ++i) {
        sn_meet_point *p = &meet->point[i];
        sn_real pressed = p->pressed, steady = pressed < 2 * p->last ? pressed : 2 * p->last;
        before += pressed;
        after += steady;
        p->last = pressed;
        p->pressed = more[i] = steady;
    }
    sn_real share = before > 0 ? after / before : 0;
    meet->rub.rubbed = vec3_scale(meet->rub.rubbed, share);
    meet->rub.twisted *= share;
    meet->rub.rolled = vec3_scale(meet->rub.rolled, share);
    if (!(after > 0))
        return;
    push_along(s->world, meet, more);
    push_across(s->world, meet, meet->rub.rubbed);
    twist(s->world, meet, meet->rub.twisted);
    if (meet->round > 0)
        turn_both(s->world, meet, meet->rub.rolled);
}

/* The points of a meet press together: each alone would tilt the bodies onto the others, and towers would sway for ever. Their
   impulses are found by going round them a few times, which touches nothing but a matrix of four by four. v: how fast they come
   apart beyond what is wanted. */
static void press_together(const substep *s, sn_meet *meet, sn_real *v, uint32_t rounds)
{
    sn_real more[SN_MANIFOLD_MOST], pressed[SN_MANIFOLD_MOST];
    for (uint32_t i = 0; i < meet->count; ++i)
        pressed[i] = meet->point[i].pressed;
    for (uint32_t round = 0; round < (meet->count > 1 ? rounds : 1); ++round) {
        sn_real changed = 0, total = 0;
        for (uint32_t i = 0; i < meet->count; ++i) {
            sn_real wanted = pressed[i] - v[i] * meet->point[i].mass, change;
            wanted = wanted > 0 ? wanted : 0;
            change = wanted - pressed[i];
            pressed[i] = wanted;
            changed += change < 0 ? -change : change;
            total += wanted;
            for (uint32_t k = 0; k < meet->count; ++k)
                v[k] += meet->coupling[i][k] * change;
        }
        if (changed <= SETTLED * total)
            break;
    }
    for (uint32_t i = 0; i < meet->count; ++i) {
        more[i] = pressed[i] - meet->point[i].pressed;
        meet->point[i].pressed = pressed[i];
    }
    push_along(s->world, meet, more);
}

/* m/s: how fast a point comes nearer than touching; negative if it does. */
static sn_real excess(const substep *s, const sn_meet *meet, const sn_meet_point *p)
{
    return approach(s->world, meet, p) + ((p->gap > 0 ? p->gap : 0) + p->bend) * s->inverse_h;
}

static void press(const substep *s, sn_meet *meet)
{
    sn_real v[SN_MANIFOLD_MOST], wrong = 0;
    bool acts = false;
    for (uint32_t i = 0; i < meet->count; ++i) {
        v[i] = excess(s, meet, &meet->point[i]);
        bool active = v[i] < 0 || meet->point[i].pressed > 0;
        acts = acts || active;
        wrong = active && magnitude(v[i]) > wrong ? magnitude(v[i]) : wrong;
    }
    if (wrong * s->h > FAR_OFF * meet->slop)
        atomic_store_explicit(s->violent, true, memory_order_relaxed);
    if (acts)
        press_together(s, meet, v, ROUNDS);
}

/* What friction holds is left, the rest is cut to what it drags with. */
static sn_real cut(sn_real much, sn_real hold, sn_real drag)
{
    return much > hold ? drag / much : 1;
}

/* What is round resists rolling with a torque, up to a share of what presses. */
static void resist_rolling(const substep *s, sn_meet *meet, sn_real pressed)
{
    sn_meet_rub *r = &meet->rub;
    sn_vec3 spin = movers(s->world)[meet->a].spin, wanted;
    spin = vec3_sub(spin, meet->b == SN_NO_MOVER ? motion_of(s->world, meet->collider)->spin
                                                 : movers(s->world)[meet->b].spin);
    wanted = vec3_sub(r->rolled, vec3_scale(spin, r->roll));
    sn_real most = meet->grip.rolling * meet->round * pressed;
    wanted = vec3_scale(wanted, cut(vec3_length(wanted), most, most));
    turn_both(s->world, meet, vec3_sub(wanted, r->rolled));
    r->rolled = wanted;
}

/* One mass for all directions, that of the one that yields most: what slides is then dragged against its slip, whatever way its
   body yields. */
static void rub(const substep *s, sn_meet *meet)
{
    sn_meet_rub *r = &meet->rub;
    sn_real pressed = 0, lever = 0;
    for (uint32_t i = 0; i < meet->count; ++i) {
        pressed += meet->point[i].pressed;
        lever += meet->point[i].pressed * meet->point[i].far;
    }
    if (!(pressed > 0) && r->twisted == 0 && vec3_dot(r->rubbed, r->rubbed) == 0 && is_zero(r->rolled))
        return;
    sn_vec3 v = vec3_sub(relative_velocity(s->world, meet, r->ra, r->rb), r->surface);
    v = vec3_sub(v, vec3_scale(meet->n, vec3_dot(v, meet->n)));
    sn_vec3 wanted = vec3_sub(r->rubbed, vec3_scale(v, r->across));
    wanted = vec3_scale(wanted, cut(vec3_length(wanted), meet->grip.hold * pressed, meet->grip.drag * pressed));
    push_across(s->world, meet, vec3_sub(wanted, r->rubbed));
    r->rubbed = wanted;
    if (meet->round > 0)
        resist_rolling(s, meet, pressed);
    if (!(r->about > 0))
        return;
    sn_real spin = vec3_dot(movers(s->world)[meet->a].spin, meet->n) - r->spin;
    if (meet->b != SN_NO_MOVER)
        spin -= vec3_dot(movers(s->world)[meet->b].spin, meet->n);
    sn_real turn = r->twisted - spin * r->about;
    turn *= cut(turn < 0 ? -turn : turn, meet->grip.hold * lever, meet->grip.drag * lever);
    twist(s->world, meet, turn - r->twisted);
    r->twisted = turn;
}

/* Two that were to pass each other may be thrown together. */
static bool is_off_course(const substep *s, const sn_meet *meet)
{
    sn_vec3 off = vec3_sub(course_of(s->world, meet), meet->course);
    return vec3_dot(off, off) > OFF_COURSE * OFF_COURSE * vec3_dot(meet->course, meet->course);
}

/* Friction first, with what presses so far: what presses then has the last word, and nothing sinks in. */
static void project(const substep *s, sn_meet *meet)
{
    if (meet->clear && !is_off_course(s, meet))
        return;
    rub(s, meet);
    press(s, meet);
}

/* Whoever came fast goes back, a share as fast: all points together, so that a box that falls flat does not begin to turn. */
static void bounce(const substep *s, sn_meet *meet)
{
    sn_real v[SN_MANIFOLD_MOST];
    bool acts = false;
    for (uint32_t i = 0; i < meet->count; ++i) {
        const sn_meet_point *p = &meet->point[i];
        bool struck = p->pressed > 0 && p->before < -s->bounce_above;
        v[i] = struck ? approach(s->world, meet, p) + meet->grip.restitution * p->before : excess(s, meet, p);
        acts = acts || struck;
    }
    if (acts && meet->grip.restitution > 0)
        press_together(s, meet, v, BOUNCE_ROUNDS);
}

/* Parts what overlapped at the start of the substep. */
static void part(const substep *s, sn_meet *meet)
{
    sn_mover *a = &movers(s->world)[meet->a], *b = meet->b == SN_NO_MOVER ? NULL : &movers(s->world)[meet->b];
    for (uint32_t i = 0; i < meet->count; ++i) {
        sn_meet_point *p = &meet->point[i];
        sn_real deep = -p->gap - meet->slop;
        if (!(deep > 0))
            continue;
        sn_real most = s->push_out * s->h, wanted = EASE * deep < most ? EASE * deep : most;
        wanted -= vec3_dot(a->place, meet->n) + vec3_dot(a->turn, p->arm_a);
        if (b)
            wanted += vec3_dot(b->place, meet->n) + vec3_dot(b->turn, p->arm_b);
        sn_real parted = p->parted + wanted * p->mass;
        parted = parted > 0 ? parted : 0;
        sn_real by = parted - p->parted;
        p->parted = parted;
        a->place = vec3_add(a->place, vec3_scale(meet->n, a->w * by));
        a->turn = vec3_add(a->turn, vec3_scale(p->turn_a, by));
        if (b) {
            b->place = vec3_sub(b->place, vec3_scale(meet->n, b->w * by));
            b->turn = vec3_sub(b->turn, vec3_scale(p->turn_b, by));
        }
    }
}

static void colour_piece(void *data, uint32_t first, uint32_t end)
{
    const substep *s = data;
    for (uint32_t i = first; i < end; ++i) {
        sn_meet *meet = &all_meets(s->world)[s->first + i];
        if (!meet->sensor)
            s->one(s, meet);
    }
}

/* Meets of a colour share no mover; the last colour is for those that found no other, one by one. */
static bool by_colour(substep *s, void (*one)(const substep *s, sn_meet *meet))
{
    const uint32_t *start = s->world->meets.start;
    s->one = one;
    for (uint32_t colour = 0; colour < SN_MEET_COLOURS; ++colour) {
        uint32_t count = start[colour + 1] - start[colour];
        s->first = start[colour];
        if (colour + 1 == SN_MEET_COLOURS || count < SN_MEET_FEW)
            colour_piece(s, 0, count);
        else if (!sn_meets_share(s->world, count, colour_piece, s))
            return false;
    }
    return true;
}

/* ---- What came of it -------------------------------------------------------------------------------------------------------- */

/* The momentum that goes with a change of spin is k^2 times that, along principal axes and per unit of mass. */
static void turn_body(sn_world *world, const sn_mover *m, sn_real h)
{
    sn_body_state *body = &world->bodies.state[m->body];
    sn_vec3 gain = vec3_sub(m->spin, m->spin0), by = vec3_add(vec3_scale(gain, h), m->turn);
    double l[3] = {(double)gain.x, (double)gain.y, (double)gain.z};
    double half[3] = {(double)by.x / 2, (double)by.y / 2, (double)by.z / 2};
    sn_rotate_vector_back(body->q, l, l);
    for (int i = 0; i < 3; ++i)
        l[i] *= isinf(body->k[i]) ? 0 : body->k[i] * body->k[i];
    sn_rotate_vector(body->q, l, l);
    for (int i = 0; i < 3; ++i)
        body->l[i] += l[i];
    sn_rotate_vector_back(body->q, half, half);
    sn_rotate_by(body->q, half);
    if (sn_integrators[world->state.settings.integrator]->is_smooth)
        sn_history_forget(&world->history, m->slot);
    sn_bodies_refresh(&world->bodies, m->body);
}

static void store_piece(void *data, uint32_t first, uint32_t end)
{
    const substep *s = data;
    sn_world *world = s->world;
    for (uint32_t i = first; i < end; ++i) {
        const sn_mover *m = &movers(world)[i];
        if (m->slot == SN_NO_SLOT || m->w == 0)
            continue;
        sn_vec3 gain = vec3_sub(m->v, m->v0), by = vec3_add(vec3_scale(gain, s->h), m->place);
        if (!is_zero(gain)) {
            sn_pair v = {vec4_xyz(world->particles.v[m->slot]), vec4_xyz(world->particles.v_low[m->slot])};
            pair_add(&v, gain);
            world->particles.v[m->slot] = vec4(v.high, world->particles.v[m->slot].w);
            world->particles.v_low[m->slot] = vec4(v.low, 0);
            sn_history_forget(&world->history, m->slot);
        }
        if (!is_zero(by))
            sn_contacts_add(world, m->slot, by);
        if (m->body != SN_ID_FREE && !(is_zero(vec3_sub(m->spin, m->spin0)) && is_zero(m->turn)))
            turn_body(world, m, s->h);
    }
}

static void note_piece(void *data, uint32_t first, uint32_t end)
{
    const substep *s = data;
    for (uint32_t i = first; i < end; ++i) {
        sn_meet *meet = &all_meets(s->world)[i];
        for (uint32_t k = 0; k < meet->count; ++k) {
            meet->point[k].impulse += meet->sensor ? 0 : meet->point[k].pressed;
            meet->touched = meet->touched || (meet->sensor ? meet->point[k].gap < 0 : meet->point[k].pressed > 0);
        }
    }
}

bool sn_meets_pass(sn_world *world, sn_real h)
{
    substep s = make_substep(world, h);
    uint32_t passes = world->state.settings.iterations;
    atomic_bool violent = false;
    s.violent = &violent;
    if (!world->meets.meets)
        return true;
    bool good =
        sn_parallel_for(&world->parallel, world->meets.mover_table.count, load_piece, &s) && by_colour(&s, warm);
    uint32_t sweeps = SWEEPS * (passes ? passes : 1);
    for (uint32_t i = 0; good && (i < sweeps || (violent && i < MORE * sweeps)); ++i) {
        atomic_store_explicit(&violent, false, memory_order_relaxed);
        good = by_colour(&s, project);
    }
    good = good && (!world->meets.bounces || by_colour(&s, bounce)) && by_colour(&s, part) &&
           sn_parallel_for(&world->parallel, world->meets.mover_table.count, store_piece, &s);
    return good && sn_parallel_for(&world->parallel, world->meets.meets, note_piece, &s);
}
