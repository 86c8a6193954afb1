/* Contact of bodies: decides which manifolds are found again, and writes them to the lanes of batches. */
#include "contact/body_work.h"

#include <string.h>

#define AHEAD ((sn_real)12) /* substeps: points of pairs that are apart are found so far ahead */
#define ROOM  ((sn_real)5)  /* times the slop: and so much farther, so that resting pairs are measured once a step */

/* Times the slop, 15 % of the size: anchors that slid apart by this are found again. With a fifth, boxes that fell on
   each other overlapped by up to 9 %, and with this by 6 %. For rounded surfaces a third of it: a rolling pipe is
   supported at its anchors, and they lag behind. */
#define SLIDE       ((sn_real)75)
#define SLIDE_ROUND ((sn_real)25)

#define OFF_COURSE                                                                                                     \
    ((sn_real)0.05) /* of a velocity: a body that deviates from it by more may hit what it was expected to pass */

/* The share of the offset between the two anchors that is added to the arm of a: an impulse must act on both bodies at
   one point, or angular momentum would be lost. A body that does not rotate has no arm. Otherwise the larger body
   takes the larger share. */
static sn_real share_of_arm(const sn_world *world, const sn_body_contact *contact)
{
    if (contact->b == SN_NO_MOVER || contact->part_b == SN_ID_FREE || contact_movers(world)[contact->b].w == 0)
        return 0;
    if (contact_movers(world)[contact->a].w == 0)
        return 1;
    sn_real a = contact_movers(world)[contact->a].extent, b = contact_movers(world)[contact->b].extent;
    return a / (a + b);
}

static bool is_with_plane(const sn_world *world, const sn_body_contact *contact)
{
    return contact->b == SN_NO_MOVER &&
           sn_body_contact_record(world, contact->fixed_shape)->shape.type == SN_SHAPE_PLANE;
}

/* m: an upper bound of the approach of a pair in a substep. Motion along a plane does not approach it. */
static sn_real closing(const sn_body_contact_substep *s, const sn_body_contact *contact)
{
    const sn_vec4 *a = contact_record(s->world, contact->a),
                  *b = contact_record(s->world, contact_other(s->world, contact));
    const sn_vec3 v = vec3_sub(vec4_xyz(a[0]), vec4_xyz(b[0]));
    const bool plain = contact->b == SN_NO_MOVER && contact_motion(s->world, contact->fixed_shape)->plain;
    const sn_real speed =
        plain ? contact_magnitude(vec3_dot(v, contact_motion(s->world, contact->fixed_shape)->normal)) : vec3_length(v);
    sn_real displacement = s->h * (speed + (a[1].w + b[1].w)) + s->run.fall;
    return displacement + contact_thrown(s->world, a, b);
}

static bool is_ball(const sn_body_contact *contact)
{
    return contact->b != SN_NO_MOVER && contact->part_b == SN_ID_FREE;
}

static sn_real guard_of(const sn_world *world, const sn_body_contact *contact)
{
    return contact->b == SN_NO_MOVER ? sn_body_contact_record(world, contact->fixed_shape)->shape.guard : 0;
}

/* ---- Pairs that may exert impulses ------------------------------------------------------------------------------- */

/* A sensor exerts no impulses. It records whether something is in it. */
static void sense(const sn_world *world, sn_body_contact *contact)
{
    const sn_pose a = contact_pose(world, &contact_movers(world)[contact->a]), b = contact_pose_of_b(world, contact);
    contact->n = contact->owner == SN_NORMAL_OF_A   ? sn_quat_rotate(a.rotation, contact->normal)
                 : contact->owner == SN_NORMAL_OF_B ? sn_quat_rotate(b.rotation, contact->normal)
                                                    : contact->normal;
    for (uint32_t k = 0; k < contact->count; ++k) {
        sn_vec3 apart = vec3_sub(sn_pose_to_world(&a, contact->point[k].a), sn_pose_to_world(&b, contact->point[k].b));
        sn_real gap = vec3_dot(apart, contact->n) - contact->round_a - contact->round_b;
        contact->touched = contact->touched || gap < guard_of(world, contact);
    }
}

sn_real sn_body_contact_reach(const sn_body_contact_substep *s, const sn_body_contact *contact)
{
    return closing(s, contact) * (contact->part_b == SN_ID_FREE ? 1 : AHEAD) + ROOM * contact->slop;
}

static sn_real most_slid(const sn_world *world, const sn_body_contact *contact)
{
    if (is_with_plane(world, contact))
        return SN_BODY_CONTACT_EVER;
    return (contact->round_a > 0 || contact->round_b > 0 ? SLIDE_ROUND : SLIDE) * contact->slop;
}

/* Takes over the points of an earlier step, if the two are still where these were found: bodies at rest. */
static bool reuse(const sn_body_contact_substep *s, sn_body_contact *contact, sn_real displacement)
{
    sn_real moved;
    if (!(contact->kept & SN_KEPT_UNSEEN))
        return false;
    contact->kept &= ~SN_KEPT_UNSEEN;
    sn_body_contact_recall_friction(s->world, contact);
    const sn_kept_manifold *kept = contact_kept(s->world, contact);
    if (!kept || !(kept->reach > displacement))
        return false;
    const sn_real slid = most_slid(s->world, contact), room = kept->reach - displacement;
    if (!sn_body_contact_reuse(s->world, contact, slid < room ? slid : room, &moved))
        return false;
    contact->slid = moved;
    contact->moved = moved + displacement;
    return true;
}

/* A sphere or a capsule touches a plane at the ends of its core, in every pose. Its points need not be found again. */
static bool has_few_corners(const sn_world *world, const sn_body_contact *contact)
{
    const sn_shape_type type = world->bodies.part[contact->part_a].convex.type;
    return type == SN_SHAPE_SPHERE || type == SN_SHAPE_CAPSULE;
}

bool sn_body_contact_look_again(const sn_body_contact_substep *s, sn_body_contact *contact)
{
    const sn_real displacement = closing(s, contact);
    if (reuse(s, contact, displacement))
        return true;
    contact->reach = has_few_corners(s->world, contact) && is_with_plane(s->world, contact)
                         ? SN_BODY_CONTACT_EVER
                         : sn_body_contact_reach(s, contact);
    sn_body_contact_look(s->world, contact, s->h);
    contact->moved = displacement; /* of the substep that begins */
    if (contact->sensor)
        sense(s->world, contact);
    return contact->count && !contact->sensor && contact->nearest <= displacement;
}

bool sn_body_contact_is_idle(const sn_body_contact *contact)
{
    for (uint32_t k = 0; k < contact->count; ++k)
        if (contact->point[k].normal_impulse > 0)
            return false;
    return true;
}

void sn_body_contact_pass_clear(const sn_body_contact_substep *s, sn_body_contact *contact, sn_real apart)
{
    sn_body_contact_lose_points(contact);
    contact->nearest = apart * SN_CERTAIN;
    contact->moved = closing(s, contact);
    contact->slid = 0;
    contact->clear = false;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

static void set_lane(sn_lane_rows *rows, uint32_t lane, sn_vec3 v)
{
    rows->x[lane] = v.x;
    rows->y[lane] = v.y;
    rows->z[lane] = v.z;
}

static sn_vec3 lane_of(const sn_lane_rows *rows, uint32_t lane)
{
    return vec3(rows->x[lane], rows->y[lane], rows->z[lane]);
}

/* m: extent of the core of a part, or of a ball, from the centre of its body: an upper bound for the motion of its
   points by rotation. 0 for a point at the centre. */
static sn_real core_of(const sn_world *world, uint32_t mover, uint32_t part)
{
    return part == SN_ID_FREE ? 0 : contact_movers(world)[mover].extent - world->bodies.part[part].convex.radius;
}

/* Points are the corners of the contact area, and the pressure of a face is spread evenly over the area. So this is
   the mean distance of the pressure from the middle, as a share of that of the corners. Friction about the normal
   acts at this distance. For a rectangle with half edges a and b and half a diagonal d it is

       1/3 + (a^2 / 6 b d) log((b + d) / a) + (b^2 / 6 a d) log((a + d) / b),

   0.541 for a square and 0.5 for an edge, and 2/3 for a disk. */
#define SPREAD_OF_EDGE ((sn_real)0.5)
#define SPREAD_OF_FACE ((sn_real)0.53)
#define SPREAD_OF_DISK ((sn_real)(2.0 / 3))

static bool is_revolved(sn_shape_type type)
{
    return type == SN_SHAPE_CYLINDER || type == SN_SHAPE_CONE;
}

static sn_real spread_of(const sn_world *world, const sn_body_contact *contact)
{
    if (contact->count < 3)
        return SPREAD_OF_EDGE;
    if (is_revolved(world->bodies.part[contact->part_a].convex.type))
        return SPREAD_OF_DISK;
    const bool disk =
        contact->b == SN_NO_MOVER
            ? is_revolved(sn_body_contact_record(world, contact->fixed_shape)->shape.type)
            : contact->part_b != SN_ID_FREE && is_revolved(world->bodies.part[contact->part_b].convex.type);
    return disk ? SPREAD_OF_DISK : SPREAD_OF_FACE;
}

/* Cosine of the angle between the axis of a solid of revolution and the normal: above, it lies on its base. */
#define ON_BASE ((sn_real)0.9995)

/* own: the normal in the frame of the solid. */
static bool is_rim(const sn_convex *convex, sn_real round, sn_vec3 own)
{
    return is_revolved(convex->type) && !(round > convex->radius) && contact_magnitude(own.y) < ON_BASE;
}

static void fill_rounds(const sn_world *world, const sn_body_contact *contact, uint32_t lane, sn_wide_manifold *f)
{
    const sn_body_part *a = &world->bodies.part[contact->part_a],
                       *b = contact->part_b != SN_ID_FREE ? &world->bodies.part[contact->part_b] : NULL;
    const sn_vec3 in_b = sn_quat_rotate(contact->seen.rotation, contact->in_a);
    f->round_a[lane] = contact->round_a;
    f->round_b[lane] = contact->round_b;
    f->rim_a[lane] = is_rim(&a->convex, contact->round_a, sn_quat_rotate_back(a->turn, contact->in_a));
    if (contact->b == SN_NO_MOVER)
        f->rim_b[lane] =
            is_rim(&sn_body_contact_record(world, contact->fixed_shape)->shape.convex, contact->round_b, in_b);
    else
        f->rim_b[lane] = b && is_rim(&b->convex, contact->round_b, sn_quat_rotate_back(b->turn, in_b));
}

static void fill_limits(const sn_world *world, const sn_body_contact *contact, uint32_t lane, sn_wide_manifold *f)
{
    const sn_shape_type type =
        contact->b == SN_NO_MOVER ? sn_body_contact_record(world, contact->fixed_shape)->shape.type : SN_SHAPE_BOX;
    const sn_real a = core_of(world, contact->a, contact->part_a);
    const sn_real b = contact->b == SN_NO_MOVER ? a : core_of(world, contact->b, contact->part_b);
    f->size[lane] = a < b ? a : b;
    const sn_real bent = contact->slop * contact_movers(world)[contact->a].extent / 2;
    f->bent[lane] = type == SN_SHAPE_FIELD ? -bent : bent;
    f->impact[lane] = contact->impact;
    f->slid[lane] = contact->slid;
    f->moved[lane] = contact->moved;
    f->reach[lane] = contact->count ? contact->reach : contact->nearest;
    f->most_slid[lane] = most_slid(world, contact);
    if (is_ball(contact) || contact->clear)
        f->most_slid[lane] = -1;
}

static void fill_point(const sn_body_contact_point *from, uint32_t lane, uint32_t k, sn_wide_body_contact *batch,
                       sn_wide_anchor *anchor)
{
    batch->point[k].normal_impulse[lane] = from->normal_impulse;
    batch->rest[k].struck[lane] = batch->rest[k].before[lane] = 0;
    anchor->last[lane] = from->last;
    anchor->impulse[lane] = from->impulse;
    set_lane(&anchor->a, lane, from->a);
    set_lane(&anchor->b, lane, from->b);
}

static void fill_manifold(const sn_world *world, const sn_body_contact *contact, uint32_t lane,
                          sn_wide_body_contact *batch, sn_wide_manifold *f)
{
    static const sn_body_contact_point none;
    f->count[lane] = (sn_real)contact->count;
    f->owner[lane] = (sn_real)contact->owner;
    fill_rounds(world, contact, lane, f);
    f->lean[lane] = share_of_arm(world, contact);
    f->spread[lane] = spread_of(world, contact);
    f->guard[lane] = guard_of(world, contact);
    set_lane(&f->normal, lane, contact->normal);
    fill_limits(world, contact, lane, f);
    for (uint32_t k = 0; k < SN_BODY_CONTACT_POINTS; ++k)
        fill_point(k < contact->count ? &contact->point[k] : &none, lane, k, batch, &f->point[k]);
    batch->points = contact->count > batch->points ? contact->count : batch->points;
    batch->twists = batch->twists || contact->count > 1;
    set_lane(&batch->tangent_impulse, lane, contact->friction_impulses.tangent_impulse);
    batch->twisted[lane] = contact->friction_impulses.twisted;
    set_lane(&batch->rolled, lane, contact->friction_impulses.rolled);
    batch->stray[lane] = contact->clear ? OFF_COURSE * OFF_COURSE * vec3_dot(contact->course, contact->course) : -1;
    batch->misses = batch->misses || contact->clear;
    set_lane(&batch->course, lane, contact->course);
}

#define UNEVEN ((sn_real)20) /* mass ratio up to which a few sweeps are enough */

/* A sweep passes a load on to a lighter body by a share, which is smaller the lighter the body is. So where one body
   is many times as heavy as the other, the limit of errors is lower by the square of that, and there are more
   sweeps. */
static sn_real ease_of(const sn_mover *mover, const sn_body_contact *contact)
{
    if (contact->b == SN_NO_MOVER || mover[contact->a].w == 0 || mover[contact->b].w == 0)
        return 1;
    sn_real ratio = mover[contact->a].w / mover[contact->b].w;
    ratio = ratio < 1 ? 1 / ratio : ratio;
    return ratio > UNEVEN ? UNEVEN * UNEVEN / (ratio * ratio) : 1;
}

/* Data that do not change in the step. */
static void fill_pair(const sn_world *world, sn_body_contact *contact, uint32_t lane, sn_wide_body_contact *batch)
{
    const sn_mover *mover = contact_movers(world);
    batch->a[lane] = SN_BODY_CONTACT_RECORD * contact->a;
    batch->b[lane] = SN_BODY_CONTACT_RECORD * contact_other(world, contact);
    batch->moves_a |= (uint32_t)(mover[contact->a].w != 0) << lane;
    batch->moves_b |= (uint32_t)(contact->b != SN_NO_MOVER && mover[contact->b].w != 0) << lane;
    batch->slop[lane] = contact->slop;
    batch->far_off[lane] = SN_BODY_CONTACT_FAR_OFF * contact->slop * ease_of(mover, contact);
    batch->static_friction[lane] = contact->friction.static_friction;
    batch->dynamic_friction[lane] = contact->friction.dynamic_friction;
    batch->restitution[lane] = contact->friction.restitution;
    batch->bounces = batch->bounces || contact->friction.restitution > 0;
    batch->rolls = batch->rolls || contact->round > 0;
    batch->rolling[lane] = contact->friction.rolling * contact->round;
    batch->belted = batch->belted || !contact_is_zero(contact->belt);
    set_lane(&batch->belt, lane, contact->belt);
}

void sn_body_contact_fill(const sn_body_contact_substep *s, uint32_t index, uint32_t at, uint32_t lane)
{
    sn_wide_body_contact *batch = &s->run.batch[at];
    sn_wide_manifold *f = &s->run.manifold[at];
    sn_body_contact *contact = &contact_all(s->world)[index];
    if (!contact->lane) {
        if (lane == 0) {
            memset(batch, 0, sizeof *batch);
            memset(f, 0, sizeof *f);
            for (uint32_t i = 0; i < SN_BODY_CONTACTS; ++i)
                batch->a[i] = batch->b[i] =
                    SN_BODY_CONTACT_RECORD * s->world->body_contacts.mover_table.count; /* the empty record */
        }
        batch->lanes = lane + 1;
        batch->contact[lane] = index;
        contact->lane = at * SN_BODY_CONTACTS + lane + 1;
        fill_pair(s->world, contact, lane, batch);
    }
    fill_manifold(s->world, contact, lane, batch, f);
}

void sn_body_contact_note(const sn_world *world, sn_body_contact *contact)
{
    const uint32_t at = (contact->lane - 1) / SN_BODY_CONTACTS, lane = (contact->lane - 1) % SN_BODY_CONTACTS;
    const sn_wide_body_contact *batch = (const sn_wide_body_contact *)world->body_contacts.batch_table.column[0] + at;
    const sn_wide_manifold *f = (const sn_wide_manifold *)world->body_contacts.batch_table.column[1] + at;
    contact->impact = f->impact[lane];
    for (uint32_t k = 0; k < contact->count; ++k) {
        const sn_real came = -batch->rest[k].before[lane];
        if (batch->point[k].normal_impulse[lane] + batch->rest[k].struck[lane] > 0 && came > contact->impact)
            contact->impact = came;
        contact->point[k].normal_impulse = batch->point[k].normal_impulse[lane];
        contact->point[k].last = f->point[k].last[lane];
        contact->point[k].impulse = f->point[k].impulse[lane] + batch->rest[k].struck[lane];
    }
    contact->slid = f->slid[lane];
    contact->moved = f->moved[lane];
    contact->n = lane_of(&batch->n, lane);
    contact->friction_impulses.tangent_impulse = lane_of(&batch->tangent_impulse, lane);
    contact->friction_impulses.twisted = batch->twisted[lane];
    if (contact->round > 0)
        contact->friction_impulses.rolled = lane_of(&batch->rolled, lane);
}
