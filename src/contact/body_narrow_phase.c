/* Contact of bodies, the narrow phase: contact points of a pair at the start of a substep. */
#include "contact/body_work.h"

#include <string.h>

#define CLOSE                                                                                                          \
    ((sn_real)5) /* times the slop: a pair of bodies that is no farther apart is always measured, whatever its path */

#define ALONG ((sn_real)0.9999) /* cosine of an angle that counts as 0 */

/* ---- Manifolds --------------------------------------------------------------------------------------------------- */

static bool has_faces(const sn_world *world, uint32_t part)
{
    sn_shape_type type = world->bodies.part[part].convex.type;
    return type >= SN_SHAPE_BOX;
}

/* Sine of an angle: a normal so nearly perpendicular to the axis of a cylinder is that of its side. */
#define ON_SIDE ((sn_real)0.02)

/* A share of the radius of a cylinder. A point that is moved inwards by the radius, and is then farther from the axis
   than this, is not on the line where the side touches. Corners of its polyhedron are 0.39 away, and the middles of
   faces, which touch fields, 0.19. */
#define OFF_AXIS ((sn_real)0.1)

/* m: the distance from the core of a cylinder to its surface. Where its side touches, its core is the axis, as that of
   a capsule, so that it rolls. Contact is along a line then, and corners of the polyhedron beside that are left
   out: it would roll over them. own: the normal in the frame of the solid, towards the axis. */
static sn_real round_side(const sn_convex *convex, sn_real rounding, sn_vec3 own, sn_manifold *m, bool of_a)
{
    const sn_real round = rounding + convex->half.x, most = OFF_AXIS * convex->half.x;
    uint32_t left = 0;
    if (!(contact_magnitude(own.y) < ON_SIDE))
        return rounding;
    for (uint32_t i = 0; i < m->count; ++i) {
        const sn_vec3 core = vec3_add(of_a ? m->point[i].a : m->point[i].b, vec3_scale(own, round));
        if (core.x * core.x + core.z * core.z <= most * most)
            m->point[left++] = m->point[i];
    }
    m->count = left ? left : m->count;
    return round;
}

static sn_real round_of(const sn_body_part *part, sn_vec3 inwards, sn_manifold *m, bool of_a)
{
    const sn_convex *convex = &part->convex;
    return convex->type == SN_SHAPE_CYLINDER
               ? round_side(convex, convex->radius, sn_quat_rotate_back(part->turn, inwards), m, of_a)
               : convex->radius;
}

/* The distances of the surfaces from the cores, which depend on where cylinders are touched. */
static void round_sides(const sn_world *world, sn_body_contact *contact, sn_manifold *m, sn_vec3 in_a, sn_vec3 in_b)
{
    const sn_vec3 inwards = vec3_scale(in_b, -1);
    contact->round_a = round_of(&world->bodies.part[contact->part_a], in_a, m, true);
    if (contact->part_b != SN_ID_FREE) {
        contact->round_b = round_of(&world->bodies.part[contact->part_b], inwards, m, false);
    } else if (contact->b == SN_NO_MOVER) {
        const sn_shape *shape = &sn_body_contact_record(world, contact->fixed_shape)->shape;
        if (shape->type == SN_SHAPE_CYLINDER)
            contact->round_b = round_side(&shape->convex, shape->thickness, inwards, m, false);
    }
}

/* True if the side of a cylinder faces the other body, so that no face has the normal. */
static bool is_side(const sn_convex *convex, sn_real round)
{
    return convex->type == SN_SHAPE_CYLINDER && round > convex->radius;
}

/* The owner of the normal: the body with a face of this normal. Where the cores overlap, the normal does not have the
   direction from one core to the other. */
static sn_normal_owner owner_of(const sn_world *world, const sn_body_contact *contact, const sn_manifold *m,
                                sn_vec3 in_a)
{
    const sn_body_part *part = &world->bodies.part[contact->part_a];
    const bool between = m->count == 1 && m->point[0].distance + contact->round_a + contact->round_b >= 0;
    const sn_normal_owner none = between ? SN_NORMAL_BETWEEN : SN_NORMAL_OF_NONE;
    const sn_vec3 own = part->plain ? in_a : sn_quat_rotate_back(part->turn, in_a);
    bool along =
        contact_magnitude(own.x) > ALONG || contact_magnitude(own.y) > ALONG || contact_magnitude(own.z) > ALONG;
    if (part->convex.type == SN_SHAPE_BOX && along)
        return SN_NORMAL_OF_A;
    if (contact->b == SN_NO_MOVER) {
        const sn_shape *shape = &sn_body_contact_record(world, contact->fixed_shape)->shape;
        const sn_shape_type type = shape->type;
        const bool round = type == SN_SHAPE_SPHERE || type == SN_SHAPE_CAPSULE ||
                           (type == SN_SHAPE_CYLINDER && contact->round_b > shape->thickness);
        return round ? none : SN_NORMAL_OF_B;
    }
    const sn_body_part *other = contact->part_b != SN_ID_FREE ? &world->bodies.part[contact->part_b] : NULL;
    if (other && has_faces(world, contact->part_b) && !is_side(&other->convex, contact->round_b))
        return SN_NORMAL_OF_B;
    return part->convex.type > SN_SHAPE_BOX && !is_side(&part->convex, contact->round_a) ? SN_NORMAL_OF_A : none;
}

/* The impulses of points that no longer exist still count for the step. */
static void let_go(sn_body_contact *contact, const sn_body_contact_point *point)
{
    const sn_real impulse = point->impulse + point->normal_impulse, sum = contact->gone + impulse;
    if (!(impulse > 0))
        return;
    contact->contact_point =
        vec3_add(contact->contact_point, vec3_scale(vec3_sub(point->a, contact->contact_point), impulse / sum));
    contact->gone = sum;
}

/* Points keep their impulses as long as their features touch. */
static bool keep_point(const sn_body_contact_point *old, uint32_t olds, sn_body_contact_point *point, uint32_t *kept)
{
    for (uint32_t k = 0; k < olds; ++k)
        if (!(*kept >> k & 1) && old[k].feature == point->feature) {
            *kept |= 1u << k;
            *point = old[k];
            return true;
        }
    return false;
}

static void take_points(const sn_world *world, sn_body_contact *contact, sn_manifold *m, const sn_pose *a,
                        const sn_pose *b)
{
    const sn_vec3 in_a = sn_quat_rotate_back(a->rotation, m->normal),
                  in_b = sn_quat_rotate_back(b->rotation, m->normal);
    sn_body_contact_point old[SN_MANIFOLD_MOST];
    uint32_t olds = contact->count, kept = 0;
    memcpy(old, contact->point, olds * sizeof *old);
    contact->in_a = in_a;
    round_sides(world, contact, m, in_a, in_b);
    contact->owner = (uint8_t)owner_of(world, contact, m, in_a);
    contact->normal = contact->owner == SN_NORMAL_OF_A ? in_a : contact->owner == SN_NORMAL_OF_B ? in_b : m->normal;
    contact->count = m->count;
    for (uint32_t i = 0; i < m->count; ++i) {
        sn_body_contact_point point = {.feature = m->point[i].feature};
        if (!keep_point(old, olds, &point, &kept)) {
            sn_body_contact_recall(world, contact, &point);
            point.impulse = -point.normal_impulse; /* which belongs to the step before */
        }
        point.a = contact->part_a == SN_ID_FREE ? m->point[i].a : sn_part_point(world, contact->part_a, m->point[i].a);
        point.b = contact->part_b == SN_ID_FREE ? m->point[i].b : sn_part_point(world, contact->part_b, m->point[i].b);
        point.a = vec3_add(point.a, vec3_scale(in_a, contact->round_a));
        point.b = vec3_sub(point.b, vec3_scale(in_b, contact->round_b));
        contact->point[i] = point;
    }
    for (uint32_t k = 0; k < olds; ++k)
        if (!(kept >> k & 1))
            let_go(contact, &old[k]);
}

void sn_body_contact_lose_points(sn_body_contact *contact)
{
    for (uint32_t k = 0; k < contact->count; ++k)
        let_go(contact, &contact->point[k]);
    contact->count = 0;
    contact->friction_impulses = (sn_body_friction_impulses){0};
}

#define DEEP ((sn_real)8) /* depth of a box in a 2D world, times the larger of its other sides */

/* The solid of a part. In a 2D world boxes are deep, so that the shortest way out of one is in the plane. */
static sn_convex solid_of(const sn_world *world, uint32_t part)
{
    const sn_body_part *p = &world->bodies.part[part];
    sn_convex convex = p->convex;
    if (world->dimensions == 2 && convex.type == SN_SHAPE_BOX && p->turn.x == 0 && p->turn.y == 0)
        convex.half.z += DEEP * (convex.half.x > convex.half.y ? convex.half.x : convex.half.y);
    return convex;
}

/* A capsule of a 2D world as a deep solid: all points within its radius of a rectangle. */
static sn_convex sheet_of(const sn_world *world, uint32_t part, const sn_convex *solid)
{
    const sn_body_part *p = &world->bodies.part[part];
    sn_convex sheet = *solid;
    if (solid->type != SN_SHAPE_CAPSULE || p->turn.x != 0 || p->turn.y != 0)
        return sheet;
    sheet.type = SN_SHAPE_BOX;
    sheet.half = vec3(0, solid->half.y, DEEP * (solid->half.y + solid->radius));
    return sheet;
}

/* In a 2D world normals are in the plane. A contact along z does not count: false. */
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

/* The contact of a ball and a part of a body. */
static bool contact_ball(const sn_world *world, const sn_convex *convex, const sn_pose *pa, sn_real reach,
                         const sn_mover *ball, sn_manifold *m)
{
    sn_vec3 centre = vec4_xyz(world->particles.x[ball->slot]);
    sn_real radius = world->particles.radius[ball->slot];
    sn_touch touch;
    if (!sn_convex_near(convex, sn_pose_to_own(pa, centre), reach + radius, &touch))
        return false;
    sn_vec3 out = sn_quat_rotate(pa->rotation, touch.normal);
    m->normal = vec3_scale(out, -1); /* from the ball to the body */
    m->count = 1;
    m->point[0] = (sn_manifold_point){touch.point, vec3_scale(m->normal, radius), touch.distance - radius, 0};
    return true;
}

/* A pair at the start of a substep. */
typedef struct looking {
    const sn_world *world;
    sn_body_contact *contact;
    sn_convex a, b;        /* solids of a, and of b if that is a body */
    sn_pose pa, pb;        /* of the solids */
    sn_pose body, other;   /* of a; of b or the fixed shape */
    const sn_shape *shape; /* of a fixed shape */
    sn_vec3 displacement;  /* m: displacement of a relative to b in the substep */
    sn_real stray;         /* m: how far points may deviate from that by rotation */
    sn_manifold m[SN_BODY_CONTACT_LAYERS];
} looking;

/* The contact of a at pose pa with b, with a normal in any direction. */
static bool hits_at(looking *l, const sn_pose *pa, sn_real reach)
{
    l->m[0].count = 0;
    const sn_body_contact *contact = l->contact;
    bool touches;
    if (l->shape) {
        uint32_t found =
            sn_manifold_shape(&l->a, pa, l->shape, &l->other, reach + l->shape->guard, l->m, SN_BODY_CONTACT_LAYERS);
        touches = contact->layer < found;
        if (touches && contact->layer)
            l->m[0] = l->m[contact->layer];
    } else if (contact->part_b == SN_ID_FREE) {
        touches = contact_ball(l->world, &l->a, pa, reach, &contact_movers(l->world)[contact->b], &l->m[0]);
    } else {
        touches = sn_manifold_convex(&l->a, pa, &l->b, &l->pb, reach, &l->m[0]);
    }
    return touches;
}

/* The same, in the plane in a 2D world. The shortest way out of two capsules whose axes cross leads out of the plane.
   For deep solids (sheet_of) it does not. */
static bool touches_at(looking *l, const sn_pose *pa, sn_real reach)
{
    const sn_body_contact *contact = l->contact;
    if (!hits_at(l, pa, reach))
        return false;
    if (lies_in_plane(l->world, &l->m[0]))
        return true;
    looking deep = *l;
    deep.a = sheet_of(l->world, contact->part_a, &l->a);
    if (!l->shape && contact->part_b != SN_ID_FREE)
        deep.b = sheet_of(l->world, contact->part_b, &l->b);
    if (!hits_at(&deep, pa, reach) || !lies_in_plane(l->world, &deep.m[0]))
        return false;
    l->m[0] = deep.m[0];
    return true;
}

static void look_at(const sn_world *world, sn_body_contact *contact, looking *l)
{
    l->body = contact_pose(world, &contact_movers(world)[contact->a]);
    l->world = world;
    l->contact = contact;
    l->a = solid_of(world, contact->part_a);
    l->other = contact_pose_of_b(world, contact);
    l->shape = NULL;
    l->pa = contact_part_pose(world, &l->body, contact->part_a);
    if (contact->b == SN_NO_MOVER) {
        l->shape = &sn_body_contact_record(world, contact->fixed_shape)->shape;
    } else if (contact->part_b != SN_ID_FREE) {
        l->b = solid_of(world, contact->part_b);
        l->pb = contact_part_pose(world, &l->other, contact->part_b);
    }
}

/* True if a ball hits a on its path, seen from a, which may rotate; then the point is where it does. */
static bool ball_is_touched(looking *l, sn_real h)
{
    const sn_mover *ball = &contact_movers(l->world)[l->contact->b];
    sn_pose body = contact_goes_to(l->world, &contact_movers(l->world)[l->contact->a], h),
            end = contact_part_pose(l->world, &body, l->contact->part_a);
    sn_vec3 x = vec4_xyz(l->world->particles.x[ball->slot]), from = sn_pose_to_own(&l->pa, x);
    const sn_vec3 v = vec4_xyz(contact_record(l->world, l->contact->b)[0]);
    sn_vec3 to = sn_pose_to_own(&end, vec3_add(x, vec3_scale(v, h)));
    sn_real t, radius = l->world->particles.radius[ball->slot];
    sn_path path = {from, vec3_sub(to, from), radius};
    sn_touch touch;
    if (!sn_convex_cast(&l->a, &path, &t, &touch))
        return false;
    l->m[0].normal = sn_quat_rotate(l->pa.rotation, vec3_scale(touch.normal, -1));
    l->m[0].point[0].a = touch.point;
    l->m[0].point[0].b = vec3_scale(l->m[0].normal, radius);
    return lies_in_plane(l->world, &l->m[0]);
}

/* True if a and b come into contact on their paths; then the points are those where they do. */
static bool is_touched(looking *l, sn_real h)
{
    sn_real t;
    sn_vec3 normal;
    if (!l->shape && l->contact->part_b == SN_ID_FREE)
        return ball_is_touched(l, h);
    sn_convex wide = l->a;
    sn_manifold before = l->m[0];
    wide.radius += l->stray;
    const bool boxes = !l->shape && l->a.type == SN_SHAPE_BOX && l->b.type == SN_SHAPE_BOX;
    if (l->shape ? !sn_manifold_cast_shape(&wide, &l->pa, l->displacement, l->shape, &l->other, &t, &normal)
        : boxes  ? !sn_boxes_hit(&wide, &l->pa, l->displacement, &l->b, &l->pb, &t)
                 : !sn_manifold_cast(&wide, &l->pa, l->displacement, &l->b, &l->pb, &t, &normal))
        return false;
    if (t == 0) /* the points are those of the start */
        return true;
    sn_pose there = {vec3_add(l->pa.position, vec3_scale(l->displacement, t)), l->pa.rotation};
    if (!touches_at(l, &there, l->contact->reach)) /* far enough for corners that touch after the first */
        l->m[0] = before;
    return true;
}

/* m: the smallest distance of the points. */
static sn_real nearest_of(const looking *l)
{
    sn_real nearest = (sn_real)INFINITY;
    for (uint32_t i = 0; i < l->m[0].count; ++i)
        nearest = l->m[0].point[i].distance < nearest ? l->m[0].point[i].distance : nearest;
    return nearest;
}

/* m: a lower bound of the distance of a pair that is apart. */
static sn_real apart(const looking *l)
{
    const sn_real reach = l->contact->reach;
    if (l->m[0].count) /* they touch along z, which does not count in a 2D world */
        return 0;
    bool known = !l->shape && l->contact->part_b != SN_ID_FREE && l->world->dimensions == 3;
    return known && l->m[0].apart > reach ? l->m[0].apart * SN_CERTAIN : reach;
}

/* Points are those where the two are nearest at the start of a substep. A fast body may be about to miss the other, or
   to hit it elsewhere. So it is followed along its path. */
static bool follow(looking *l, bool touches, sn_real h)
{
    sn_body_contact *contact = l->contact;
    sn_real nearest;
    if (!touches || (l->shape && (l->shape->type == SN_SHAPE_PLANE ||
                                  !contact_is_zero(contact_motion(l->world, contact->fixed_shape)->spin))))
        return touches;
    nearest = nearest_of(l);
    l->displacement = vec3_scale(contact_course(l->world, contact), h);
    l->stray = contact_turns(l->world, contact, h);
    if (nearest <= CLOSE * contact->slop || -vec3_dot(l->displacement, l->m[0].normal) + l->stray < nearest)
        return true;
    contact->clear = !is_touched(l, h);
    contact->course = contact_course(l->world, contact);
    return true;
}

/* A body that misses the other is not solved. So it must not begin with its earlier impulses either: no sweep would
   take them back. */
static void drop_impulses(sn_body_contact *contact)
{
    for (uint32_t k = 0; k < contact->count; ++k) {
        contact->point[k].impulse += contact->point[k].normal_impulse; /* which counts for the step */
        contact->point[k].normal_impulse = 0;
    }
    contact->friction_impulses = (sn_body_friction_impulses){0};
}

void sn_body_contact_look(const sn_world *world, sn_body_contact *contact, sn_real h)
{
    looking l;
    look_at(world, contact, &l);
    contact->looks++;
    contact->clear = false;
    contact->slid = contact->moved = 0;
    bool touches = touches_at(&l, &l.pa, contact->reach);
    contact->nearest = touches ? nearest_of(&l) - (l.shape ? l.shape->guard : 0) : apart(&l);
    if (!follow(&l, touches, h)) {
        sn_body_contact_lose_points(contact);
        return;
    }
    contact->seen = sn_body_contact_seen(&l.body, &l.other);
    take_points(world, contact, &l.m[0], &l.body, &l.other);
    if (contact->clear)
        drop_impulses(contact);
}

bool sn_body_contact_manifold(const sn_world *world, sn_body_contact *contact, sn_real reach, sn_manifold *manifold)
{
    looking l;
    look_at(world, contact, &l);
    if (!touches_at(&l, &l.pa, reach))
        return false;
    *manifold = l.m[0];
    return true;
}
