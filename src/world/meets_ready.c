/* Contact of bodies: which manifolds are looked for anew, and how they come into the lanes of batches. */
#include "world/meets_work.h"

#include <string.h>

#define AHEAD ((sn_real)8) /* substeps: things that are apart are looked for so far ahead */
#define ROOM  ((sn_real)5) /* times the slop: and so much farther, so that what rests is looked for once a step */

/* Times the slop, a tenth of the size: anchors that slid so far off each other are looked for anew. Of what is round half of that: a pipe
   that rolls is held where its anchors are, and they lag behind. */
#define SLIDE       ((sn_real)50)
#define SLIDE_ROUND ((sn_real)25)

#define OFF_COURSE ((sn_real)0.05) /* of a velocity: who turns from it by more may not miss whom it was to pass */

/* The share of what is between the anchors of both by which the arm of a is longer than to its own: pushes act on both in one
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

static bool is_with_plane(const sn_world *world, const sn_meet *meet)
{
    return meet->b == SN_NO_MOVER && sn_meet_record(world, meet->collider)->shape.type == SN_COLLIDER_PLANE;
}

/* m: how far the two can come towards each other in a substep, at most. Who goes along a plane comes no nearer to it. */
static sn_real closing(const sn_meet_substep *s, const sn_meet *meet)
{
    const sn_vec4 *a = meet_record(s->world, meet->a), *b = meet_record(s->world, meet_other(s->world, meet));
    const sn_vec3 v = vec3_sub(vec4_xyz(a[0]), vec4_xyz(b[0]));
    const bool plain = meet->b == SN_NO_MOVER && meet_motion(s->world, meet->collider)->plain;
    const sn_real speed =
        plain ? meet_magnitude(vec3_dot(v, meet_motion(s->world, meet->collider)->normal)) : vec3_length(v);
    sn_real way = s->h * (speed + (a[1].w + b[1].w)) + s->run.fall;
    return way + meet_thrown(s->world, a, b);
}

static bool is_ball(const sn_meet *meet)
{
    return meet->b != SN_NO_MOVER && meet->part_b == SN_ID_FREE;
}

static sn_real guard_of(const sn_world *world, const sn_meet *meet)
{
    return meet->b == SN_NO_MOVER ? sn_meet_record(world, meet->collider)->shape.guard : 0;
}

/* ---- Which pairs may press -------------------------------------------------------------------------------------------------------- */

/* A sensor presses nothing; it notes what is in it. */
static void sense(const sn_world *world, sn_meet *meet)
{
    const sn_pose a = meet_pose(world, &meet_movers(world)[meet->a]), b = meet_pose_of_b(world, meet);
    meet->n = meet->owner == SN_NORMAL_OF_A   ? sn_quat_turn(a.rotation, meet->normal)
              : meet->owner == SN_NORMAL_OF_B ? sn_quat_turn(b.rotation, meet->normal)
                                              : meet->normal;
    for (uint32_t k = 0; k < meet->count; ++k) {
        sn_vec3 apart = vec3_sub(sn_pose_to_world(&a, meet->point[k].a), sn_pose_to_world(&b, meet->point[k].b));
        sn_real gap = vec3_dot(apart, meet->n) - meet->round_a - meet->round_b;
        meet->touched = meet->touched || gap < guard_of(world, meet);
    }
}

sn_real sn_meet_reach(const sn_meet_substep *s, const sn_meet *meet)
{
    return closing(s, meet) * (meet->part_b == SN_ID_FREE ? 1 : AHEAD) + ROOM * meet->slop;
}

static sn_real most_slid(const sn_world *world, const sn_meet *meet)
{
    if (is_with_plane(world, meet))
        return SN_MEET_EVER;
    return (meet->round_a > 0 || meet->round_b > 0 ? SLIDE_ROUND : SLIDE) * meet->slop;
}

/* What rests is where it was when its points were found, in this step or an earlier one. */
static bool reuse(const sn_meet_substep *s, sn_meet *meet, sn_real way)
{
    sn_real moved;
    if (meet->kept != SN_ID_FREE)
        return false;
    meet->kept = sn_meet_find_kept(s->world, meet);
    sn_meet_recall_rub(s->world, meet, s->factor);
    const sn_kept_manifold *kept = meet_kept(s->world, meet);
    if (!kept || !(kept->reach > way))
        return false;
    const sn_real slid = most_slid(s->world, meet), room = kept->reach - way;
    if (!sn_meet_reuse(s->world, meet, s->factor, slid < room ? slid : room, &moved))
        return false;
    meet->slid = moved;
    meet->moved = moved + way;
    return true;
}

/* A sphere or a capsule touches a plane at the ends of its core, wherever it is: they need not be found again. */
static bool has_few_corners(const sn_world *world, const sn_meet *meet)
{
    const sn_convex_type type = world->bodies.part[meet->part_a].convex.type;
    return type == SN_CONVEX_SPHERE || type == SN_CONVEX_CAPSULE;
}

bool sn_meet_look_again(const sn_meet_substep *s, sn_meet *meet)
{
    const sn_real way = closing(s, meet);
    if (reuse(s, meet, way))
        return true;
    meet->reach =
        has_few_corners(s->world, meet) && is_with_plane(s->world, meet) ? SN_MEET_EVER : sn_meet_reach(s, meet);
    sn_meet_look(s->world, meet, s->factor, s->h);
    meet->moved = way; /* of the substep that begins */
    if (meet->sensor)
        sense(s->world, meet);
    return meet->count && !meet->sensor && meet->nearest <= way;
}

/* ---- Lanes ---------------------------------------------------------------------------------------------------------------- */

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

/* m: how far the core of a part, or of a ball, reaches from the centre of its body: what turns moves no spot of it by more. A core that
   is a point in the centre is moved by nothing. */
static sn_real core_of(const sn_world *world, uint32_t mover, uint32_t part)
{
    return part == SN_ID_FREE ? 0 : meet_movers(world)[mover].extent - world->bodies.part[part].convex.radius;
}

static void fill_limits(const sn_world *world, const sn_meet *meet, uint32_t lane, sn_wide_manifold *f)
{
    const sn_collider_type type =
        meet->b == SN_NO_MOVER ? sn_meet_record(world, meet->collider)->shape.type : SN_COLLIDER_BOX;
    const sn_real a = core_of(world, meet->a, meet->part_a);
    const sn_real b = meet->b == SN_NO_MOVER ? a : core_of(world, meet->b, meet->part_b);
    f->size[lane] = a < b ? a : b;
    f->bent[lane] = type == SN_COLLIDER_FIELD ? SN_MEET_EVER : meet->slop * meet_movers(world)[meet->a].extent / 2;
    f->impact[lane] = meet->impact;
    f->slid[lane] = meet->slid;
    f->moved[lane] = meet->moved;
    f->reach[lane] = meet->count ? meet->reach : meet->nearest;
    f->most_slid[lane] = most_slid(world, meet);
    if (is_ball(meet) || meet->clear)
        f->most_slid[lane] = -1;
}

static void fill_point(const sn_meet_point *from, uint32_t lane, sn_wide_meet_point *point, sn_wide_anchor *anchor)
{
    point->pressed[lane] = from->pressed;
    point->struck[lane] = point->before[lane] = 0;
    anchor->last[lane] = from->last;
    anchor->impulse[lane] = from->impulse;
    set_lane(&anchor->a, lane, from->a);
    set_lane(&anchor->b, lane, from->b);
}

static void fill_manifold(const sn_world *world, const sn_meet *meet, uint32_t lane, sn_wide_meet *batch,
                          sn_wide_manifold *f)
{
    static const sn_meet_point none;
    f->count[lane] = (sn_real)meet->count;
    f->owner[lane] = (sn_real)meet->owner;
    f->round_a[lane] = meet->round_a;
    f->round_b[lane] = meet->round_b;
    f->lean[lane] = share_of_arm(world, meet);
    f->guard[lane] = guard_of(world, meet);
    set_lane(&f->normal, lane, meet->normal);
    fill_limits(world, meet, lane, f);
    for (uint32_t k = 0; k < SN_MEET_POINTS; ++k)
        fill_point(k < meet->count ? &meet->point[k] : &none, lane, &batch->point[k], &f->point[k]);
    batch->points = meet->count > batch->points ? meet->count : batch->points;
    batch->twists = batch->twists || meet->count > 1;
    set_lane(&batch->rubbed, lane, meet->rub.rubbed);
    batch->twisted[lane] = meet->rub.twisted;
    set_lane(&batch->rolled, lane, meet->rub.rolled);
    batch->stray[lane] = meet->clear ? OFF_COURSE * OFF_COURSE * vec3_dot(meet->course, meet->course) : -1;
    batch->misses = batch->misses || meet->clear;
    set_lane(&batch->course, lane, meet->course);
}

#define UNEVEN ((sn_real)20) /* times the mass: a load that a few sweeps carry */

/* Sweeps hand a load on to what is lighter by a share that is the smaller the lighter that is. So where one is many times as heavy as the
   other there are more of them, until what is missing is as much smaller. */
static sn_real ease_of(const sn_mover *mover, const sn_meet *meet)
{
    if (meet->b == SN_NO_MOVER || mover[meet->a].w == 0 || mover[meet->b].w == 0)
        return 1;
    sn_real ratio = mover[meet->a].w / mover[meet->b].w;
    ratio = ratio < 1 ? 1 / ratio : ratio;
    return ratio > UNEVEN ? UNEVEN * UNEVEN / (ratio * ratio) : 1;
}

/* What does not change in the step. */
static void fill_pair(const sn_world *world, sn_meet *meet, uint32_t lane, sn_wide_meet *batch)
{
    const sn_mover *mover = meet_movers(world);
    batch->a[lane] = SN_MEET_RECORD * meet->a;
    batch->b[lane] = SN_MEET_RECORD * meet_other(world, meet);
    batch->moves_a |= (uint32_t)(mover[meet->a].w != 0) << lane;
    batch->moves_b |= (uint32_t)(meet->b != SN_NO_MOVER && mover[meet->b].w != 0) << lane;
    batch->slop[lane] = meet->slop;
    batch->far_off[lane] = SN_MEET_FAR_OFF * meet->slop * ease_of(mover, meet);
    batch->hold[lane] = meet->grip.hold;
    batch->drag[lane] = meet->grip.drag;
    batch->restitution[lane] = meet->grip.restitution;
    batch->bounces = batch->bounces || meet->grip.restitution > 0;
    batch->rolls = batch->rolls || meet->round > 0;
    batch->rolling[lane] = meet->grip.rolling * meet->round;
    batch->belted = batch->belted || !meet_is_zero(meet->belt);
    set_lane(&batch->belt, lane, meet->belt);
}

void sn_meet_fill(const sn_meet_substep *s, uint32_t index, uint32_t at, uint32_t lane)
{
    sn_wide_meet *batch = &s->run.batch[at];
    sn_wide_manifold *f = &s->run.manifold[at];
    sn_meet *meet = &meet_all(s->world)[index];
    if (!meet->lane) {
        if (lane == 0) {
            memset(batch, 0, sizeof *batch);
            memset(f, 0, sizeof *f);
            for (uint32_t i = 0; i < SN_MEETS; ++i)
                batch->a[i] = batch->b[i] = SN_MEET_RECORD * s->world->meets.mover_table.count; /* nobody */
        }
        batch->lanes = lane + 1;
        batch->meet[lane] = index;
        meet->lane = at * SN_MEETS + lane + 1;
        fill_pair(s->world, meet, lane, batch);
    }
    fill_manifold(s->world, meet, lane, batch, f);
}

void sn_meet_note(const sn_world *world, sn_meet *meet)
{
    const uint32_t at = (meet->lane - 1) / SN_MEETS, lane = (meet->lane - 1) % SN_MEETS;
    const sn_wide_meet *batch = (const sn_wide_meet *)world->meets.batch_table.column[0] + at;
    const sn_wide_manifold *f = (const sn_wide_manifold *)world->meets.batch_table.column[1] + at;
    meet->impact = f->impact[lane];
    for (uint32_t k = 0; k < meet->count; ++k) {
        const sn_real came = -batch->point[k].before[lane];
        if (batch->point[k].pressed[lane] + batch->point[k].struck[lane] > 0 && came > meet->impact)
            meet->impact = came;
        meet->point[k].pressed = batch->point[k].pressed[lane];
        meet->point[k].last = f->point[k].last[lane];
        meet->point[k].impulse = f->point[k].impulse[lane] + batch->point[k].struck[lane];
    }
    meet->slid = f->slid[lane];
    meet->moved = f->moved[lane];
    meet->n = lane_of(&batch->n, lane);
    meet->rub.rubbed = lane_of(&batch->rubbed, lane);
    meet->rub.twisted = batch->twisted[lane];
    if (meet->round > 0)
        meet->rub.rolled = lane_of(&batch->rolled, lane);
}
