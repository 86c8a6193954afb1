/* Contact of bodies: a first look at two that are near each other.

   Most pairs that are near do not touch in a substep: they lie or fly side by side. To find the points where they would touch takes
   thousands of instructions. To see that some axis keeps them apart takes a hundred. Along an axis n two are apart by

       s = n . (x_a - x_b) - r_a(n) - r_b(n),      r(n): how far a solid reaches along n,

   and by the end of the substep they are nearer by no more than their velocities along n and their spins say. Axes are the normals of
   faces of boxes and planes, and what leads from one segment to another where they are nearest.

   This depends on nothing but where the two are now and how they move. So it does not matter whether they were looked at before. */
#include "contact/body_work.h"

#define CUSHION ((sn_real)0.25) /* of the way that they may come in any direction: others may push them aside */
#define ROOM    ((sn_real)5)    /* times the slop: so near to each other they are looked at, whatever they do */

/* A solid in the world: all within a radius of a point, a segment along its second axis, or a box. */
typedef struct solid {
    const sn_convex *convex;
    sn_vec3 x, axis[3];
} solid;

/* How two come towards each other in the substep. */
typedef struct course {
    sn_vec3 way;   /* m: of a, seen from b */
    sn_real stray; /* m: they may come nearer by so much besides */
    sn_real apart; /* m: gets how far apart they are along an axis that keeps them apart */
} course;

static solid solid_at(const sn_convex *convex, const sn_pose *pose)
{
    const sn_quat q = pose->rotation;
    solid s = {.convex = convex, .x = pose->position};
    if (convex->type == SN_SHAPE_BOX) {
        s.axis[0] = vec3(1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y));
        s.axis[2] = vec3(2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y));
    }
    s.axis[1] = vec3(2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x));
    return s;
}

/* m: how far it reaches along an axis, either way. */
static sn_real reach_along(const solid *s, sn_vec3 n)
{
    const sn_vec3 half = s->convex->half;
    switch (s->convex->type) {
    case SN_SHAPE_SPHERE:
        return s->convex->radius;
    case SN_SHAPE_CAPSULE:
        return s->convex->radius + half.y * contact_magnitude(vec3_dot(n, s->axis[1]));
    default:
        return s->convex->radius + half.x * contact_magnitude(vec3_dot(n, s->axis[0])) +
               half.y * contact_magnitude(vec3_dot(n, s->axis[1])) +
               half.z * contact_magnitude(vec3_dot(n, s->axis[2]));
    }
}

/* Whether two that are apart by s along n, which leads from b to a, stay so. */
static bool stay_apart(course *c, sn_vec3 n, sn_real s)
{
    const sn_real along = vec3_dot(c->way, n);
    c->apart = s;
    return s + (along < 0 ? along : 0) > c->stray;
}

/* Along the normals of the faces of a box. between: from the other one to the box. */
static bool is_beside(course *c, const solid *box, const solid *other, sn_vec3 between, sn_real side)
{
    const sn_real half[3] = {box->convex->half.x, box->convex->half.y, box->convex->half.z};
    const sn_real least = sn_convex_inner(other->convex) + c->stray;
    for (uint32_t i = 0; i < 3; ++i) {
        const sn_real along = vec3_dot(between, box->axis[i]), sign = along < 0 ? -1 : 1;
        const sn_real s = sign * along - half[i] - box->convex->radius;
        if (s > least && stay_apart(c, vec3_scale(box->axis[i], sign * side), s - reach_along(other, box->axis[i])))
            return true;
    }
    return false;
}

static sn_real within(sn_real t, sn_real most)
{
    return t < -most ? -most : t > most ? most : t;
}

/* Along what leads from one segment to the other where they are nearest. Points are segments of length 0. Any direction would do: it need not be
   exactly the nearest one. */
static bool are_beside(course *c, const solid *a, const solid *b)
{
    const sn_vec3 between = vec3_sub(a->x, b->x);
    const sn_real half_a = a->convex->type == SN_SHAPE_CAPSULE ? a->convex->half.y : 0;
    const sn_real half_b = b->convex->type == SN_SHAPE_CAPSULE ? b->convex->half.y : 0;
    const sn_real uv = vec3_dot(a->axis[1], b->axis[1]), ur = vec3_dot(a->axis[1], between),
                  vr = vec3_dot(b->axis[1], between), area = 1 - uv * uv;
    sn_real s = area > (sn_real)1e-5 ? within((uv * vr - ur) / area, half_a) : 0;
    const sn_real t = within(uv * s + vr, half_b);
    s = within(uv * t - ur, half_a);
    const sn_vec3 d = vec3_sub(vec3_add(between, vec3_scale(a->axis[1], s)), vec3_scale(b->axis[1], t));
    const sn_real length = vec3_length(d);
    if (!(length > a->convex->radius + b->convex->radius))
        return false;
    const sn_vec3 n = vec3_scale(d, 1 / length);
    return stay_apart(c, n, vec3_dot(n, between) - reach_along(a, n) - reach_along(b, n));
}

/* Along the normal of the points that were found last in this step: what lay between two then lies between them for a while. */
static bool is_beside_normal(course *c, const solid *a, const solid *b, sn_vec3 n)
{
    return stay_apart(c, n, vec3_dot(n, vec3_sub(a->x, b->x)) - reach_along(a, n) - reach_along(b, n));
}

static course course_of(const sn_body_contact_substep *s, const sn_body_contact *contact)
{
    const sn_vec4 *a = contact_record(s->world, contact->a),
                  *b = contact_record(s->world, contact_other(s->world, contact));
    const sn_vec3 way = vec3_scale(vec3_sub(vec4_xyz(a[0]), vec4_xyz(b[0])), s->h);
    const sn_real turns = s->h * (a[1].w + b[1].w), thrown = contact_thrown(s->world, a, b);
    return (course){way, ROOM * contact->slop + CUSHION * (vec3_length(way) + turns) + turns + s->run.fall + thrown, 0};
}

static bool is_known(const sn_convex *convex)
{
    return convex->type <= SN_SHAPE_BOX;
}

/* Above a plane that does not turn. */
static bool is_above(const sn_world *world, const sn_body_contact *contact, const solid *a, course *c)
{
    const sn_fixed_motion *m = contact_motion(world, contact->fixed_shape);
    const sn_shape *shape = &sn_body_contact_record(world, contact->fixed_shape)->shape;
    const sn_real height = vec3_dot(m->normal, vec3_sub(a->x, m->start.position));
    return m->plain && stay_apart(c, m->normal, height - reach_along(a, m->normal) - shape->thickness - shape->guard);
}

static bool is_clear(const sn_world *world, const sn_body_contact *contact, course *c)
{
    const sn_convex *convex = &world->bodies.part[contact->part_a].convex;
    if (!is_known(convex) || contact->sensor || world->dimensions == 2)
        return false;
    const sn_pose body = contact_recorded_pose(contact_record(world, contact->a)),
                  pose = contact_part_pose(world, &body, contact->part_a);
    const solid a = solid_at(convex, &pose);
    if (contact->b == SN_NO_MOVER)
        return is_above(world, contact, &a, c);
    if (contact->part_b == SN_ID_FREE || !is_known(&world->bodies.part[contact->part_b].convex))
        return false;
    const sn_pose other = contact_recorded_pose(contact_record(world, contact->b)),
                  there = contact_part_pose(world, &other, contact->part_b);
    const solid b = solid_at(&world->bodies.part[contact->part_b].convex, &there);
    const sn_vec3 between = vec3_sub(a.x, b.x);
    if (a.convex->type != SN_SHAPE_BOX && b.convex->type != SN_SHAPE_BOX)
        return are_beside(c, &a, &b);
    if (!contact_is_zero(contact->in_a) && is_beside_normal(c, &a, &b, sn_quat_turn(body.rotation, contact->in_a)))
        return true;
    return (a.convex->type == SN_SHAPE_BOX && is_beside(c, &a, &b, between, 1)) ||
           (b.convex->type == SN_SHAPE_BOX && is_beside(c, &b, &a, vec3_scale(between, -1), -1));
}

bool sn_body_contact_stays_clear(const sn_body_contact_substep *s, const sn_body_contact *contact, sn_real *apart)
{
    course c = course_of(s, contact);
    const bool clear = is_clear(s->world, contact, &c);
    *apart = c.apart;
    return clear;
}
