/* What is shot, and what drives it. */
#include "shots/shots.h"

#include "base/quat.h"

#include <math.h>

enum { FIRST_GROUP = 1, LAST_GROUP = 8, HAND_GROUP = 9, ROPE_LENGTH = 5, ANCHOR = 12 };

#define LEAST_SIZE 0.0005 /* m: half of the thinnest thing */

/* A thing before it is in the world: its lowest point is `low` below its place. */
typedef struct start {
    sn_vec3 at, velocity, spin; /* in the frame of the shot */
    double size, mass;
    uint32_t group;
    bool compact; /* about as long as wide: two of them cannot pass each other in a tube */
} start;

static sn_quat any_turn(shot *s)
{
    if (shot_among(&s->seed, 4) == 0)
        return (sn_quat){0, 0, 0, 1};
    const double angle = support_random_in(&s->seed, 0, 3.1);
    return sn_quat_rotated((sn_quat){0, 0, 0, 1}, vec3_scale(shot_direction(&s->seed), real(angle)));
}

/* m: a size that is perhaps much smaller. */
static double slim(shot *s, const start *at)
{
    const double least = fmin(LEAST_SIZE, at->size);
    return at->compact ? at->size : fmax(least, at->size / shot_exponential(&s->seed, 1, 20));
}

/* ---- Particles --------------------------------------------------------------------------------------------------- */

static shot_part *add_particle(shot *s, const start *at, sn_vec3 place, double radius, double mass)
{
    sn_particle_def def = sn_default_particle_def();
    shot_part *p = &s->part[s->parts++];
    def.position = shot_place(s, place);
    def.velocity = shot_along(s, at->velocity);
    def.radius = real(radius);
    def.mass = real(mass);
    def.group = at->group;
    assert_ok(s->world, sn_particle_add(s->world, &def, &p->particle));
    p->extent = p->round = radius;
    p->points = 1;
    return p;
}

static void add_rope(shot *s, const start *at)
{
    const double radius = at->size / ROPE_LENGTH;
    const sn_vec3 along = shot_among(&s->seed, 2) ? vec(0, 0, 1) : sn_quat_rotate(any_turn(s), vec(0, 0, 1));
    for (int i = 0; i < ROPE_LENGTH; ++i) {
        const double by = (i - ROPE_LENGTH / 2) * 2 * radius * 0.79;
        shot_part *p =
            add_particle(s, at, vec3_add(at->at, vec3_scale(along, real(by))), 0.79 * radius, at->mass / ROPE_LENGTH);
        if (i)
            sn_constraint_add_distance(s->world, sn_at((p - 1)->particle), sn_at(p->particle), SN_MEASURE);
    }
}

static void add_rigid_group(shot *s, const start *at)
{
    const double a = at->size / 3.2;
    for (uint32_t i = 0; i < 8; ++i)
        add_particle(s, at, vec3_add(at->at, vec(i & 1 ? a : -a, i & 2 ? a : -a, i & 4 ? a : -a)), 0.9 * a,
                     at->mass / 8);
    sn_constraint_add_rigid_group(s->world, at->group);
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

static void add_point(shot_part *p, sn_vec3 at)
{
    p->point[p->points++] = at;
}

static void add_ring(shot_part *p, double radius, double y)
{
    for (int k = 0; k < 7; ++k)
        add_point(p, vec(radius * cos(k * 0.897598), y, radius * sin(k * 0.897598)));
}

/* One convex shape that fits into a ball of at->size, about. */
static sn_shape_def make_shape(shot *s, const start *at, thing what, shot_part *p)
{
    static const sn_shape_type types[] = {
        [SPHERE_BODY] = SN_SHAPE_SPHERE, [CAPSULE] = SN_SHAPE_CAPSULE,   [BOX_BODY] = SN_SHAPE_BOX,
        [HULL_BODY] = SN_SHAPE_HULL,     [CYLINDER] = SN_SHAPE_CYLINDER, [CONE] = SN_SHAPE_CONE};
    sn_shape_def shape = sn_default_shape_def(types[what]);
    const double k = at->compact ? 0.58 : 0.55, long_one = k * at->size, slim_one = k * slim(s, at),
                 other = what == HULL_BODY ? slim_one : k * slim(s, at);
    const bool flat = shot_among(&s->seed, 2);
    shape.half = flat ? vec(long_one, slim_one, other) : vec(slim_one, long_one, other);
    shape.radius = real(flat ? long_one : slim_one);
    if (what == SPHERE_BODY)
        shape.radius = real(at->size);
    if (what == SPHERE_BODY || what == CAPSULE)
        p->round = (double)shape.radius;
    if (what == SPHERE_BODY)
        add_point(p, vec(0, 0, 0));
    for (int i = -1; i <= 1 && what == CAPSULE; i += 2)
        add_point(p, vec(0, i * (double)shape.half.y, 0));
    if (what == CYLINDER)
        add_ring(p, (double)shape.radius, (double)shape.half.y);
    if (what == CYLINDER || what == CONE)
        add_ring(p, (double)shape.radius, -(double)shape.half.y);
    if (what == CONE)
        add_point(p, vec(0, shape.half.y, 0));
    for (uint32_t i = 0; i < 8 && what == BOX_BODY; ++i)
        add_point(p, vec(i & 1 ? shape.half.x : -shape.half.x, i & 2 ? shape.half.y : -shape.half.y,
                         i & 4 ? shape.half.z : -shape.half.z));
    if (what == HULL_BODY) {
        for (uint32_t i = 0; i < 12; ++i) {
            sn_vec3 v = shot_direction(&s->seed);
            if (i < 6)
                v = vec(i / 2 == 0 ? i % 2 * 2 - 1.0 : 0, i / 2 == 1 ? i % 2 * 2 - 1.0 : 0,
                        i / 2 == 2 ? i % 2 * 2 - 1.0 : 0);
            add_point(p, vec((double)v.x * (double)shape.half.x, (double)v.y * (double)shape.half.y,
                             (double)v.z * (double)shape.half.z));
        }
        shape.vertices = p->point;
        shape.vertex_count = p->points;
    }
    return shape;
}

static void measure(shot_part *p)
{
    p->extent = 0;
    for (uint32_t i = 0; i < p->points; ++i)
        p->extent = fmax(p->extent, (double)vec3_length(p->point[i]) + p->round);
}

static shot_part *add_body(shot *s, const start *at, const sn_shape_def *shape, uint32_t shapes, sn_vec3 place,
                           sn_quat turn)
{
    shot_part *p = &s->part[s->parts++];
    sn_body_def def = sn_default_body_def();
    measure(p);
    def.shapes = shape;
    def.shape_count = shapes;
    def.position = shot_place(s, place);
    def.rotation = turn;
    def.velocity = shot_along(s, at->velocity);
    def.spin = at->spin;
    def.mass = real(at->mass);
    def.group = at->group;
    sn_shape_def fewer = *shape;
    if (shape->type == SN_SHAPE_HULL && sn_body_add(s->world, &def, &p->body) != SN_OK) {
        fewer.vertex_count = p->points = 6; /* a hull of points that are nearly in one plane may be refused */
        def.shapes = &fewer;
    }
    if (!p->body.generation)
        assert_ok(s->world, sn_body_add(s->world, &def, &p->body));
    p->particle = sn_body_particle(s->world, p->body);
    p->is_body = true;
    return p;
}

/* A box with a ball or two beside it. */
static void add_compound(shot *s, const start *at)
{
    shot_part *p = &s->part[s->parts];
    start small = *at;
    sn_shape_def shape[3];
    const uint32_t count = 2 + shot_among(&s->seed, 2);
    small.size = at->size / 1.6;
    shape[0] = make_shape(s, &small, BOX_BODY, p);
    for (uint32_t i = 1; i < count; ++i) {
        shape[i] = sn_default_shape_def(SN_SHAPE_SPHERE);
        shape[i].radius = real(at->size / 5);
        shape[i].position = vec3_scale(shot_direction(&s->seed), real(0.5 * at->size));
        add_point(p, shape[i].position);
    }
    add_body(s, at, shape, count, at->at, any_turn(s));
}

static void add_jointed(shot *s, const start *at)
{
    static const thing halves[] = {CAPSULE, BOX_BODY, SPHERE_BODY, CYLINDER};
    static const uint32_t kinds[] = {SN_KIND_JOINT_BALL, SN_KIND_JOINT_HINGE, SN_KIND_JOINT_FIXED};
    start half = *at;
    sn_joint_def joint = sn_default_joint_def(kinds[shot_among(&s->seed, 3)]);
    const sn_quat turn = any_turn(s);
    half.size = at->size / 2;
    half.mass = at->mass / 2;
    for (int i = -1; i <= 1; i += 2) {
        shot_part *p = &s->part[s->parts];
        const sn_shape_def shape = make_shape(s, &half, halves[shot_among(&s->seed, COUNT_OF(halves))], p);
        const sn_vec3 place = vec3_add(at->at, sn_quat_rotate(turn, vec(0, i * 0.5 * at->size, 0)));
        add_body(s, &half, &shape, 1, place, turn);
    }
    joint.a = s->part[s->parts - 2].body;
    joint.b = s->part[s->parts - 1].body;
    joint.anchor = shot_place(s, at->at);
    joint.axis = shot_along(s, sn_quat_rotate(turn, vec(1, 0, 0)));
    assert_int_not_equal(sn_joint_add(s->world, &joint).generation, 0);
}

static void add_thing(shot *s, const start *at, thing what)
{
    const uint32_t first = s->parts;
    if (what == POINT || what == BALL)
        add_particle(s, at, at->at, what == BALL ? at->size : 0, at->mass);
    else if (what == ROPE)
        add_rope(s, at);
    else if (what == GROUP)
        add_rigid_group(s, at);
    else if (what == COMPOUND)
        add_compound(s, at);
    else if (what == JOINTED)
        add_jointed(s, at);
    else {
        const sn_shape_def shape = make_shape(s, at, what, &s->part[s->parts]);
        add_body(s, at, &shape, 1, at->at, any_turn(s));
    }
    for (uint32_t i = first; i < s->parts; ++i)
        s->part[i].what = what;
}

/* ---- Arenas ------------------------------------------------------------------------------------------------------ */

static start start_of(shot *s, double z, double size, double mass, uint32_t group)
{
    start at = {.at = vec(s->aside[0], s->aside[1], z), .size = size, .mass = mass, .group = group};
    at.spin = vec3_scale(shot_direction(&s->seed), real(s->spin));
    return at;
}

static void add_at_plate(shot *s)
{
    start at = start_of(s, s->far + s->size, s->size, s->mass, FIRST_GROUP);
    const bool thrown = s->by == BY_VELOCITY || s->by == BY_MOTOR;
    if (s->at == SWINGING)
        at.at.x = real(support_random_in(&s->seed, -0.4, 0.4) * s->wide);
    if (s->at == SPHERE || s->at == ROLLER)
        at.at.x *= real(s->size), at.at.y *= real(s->size);
    if (s->at == GRID)
        at.at.x *= real(s->wide), at.at.y *= real(s->wide);
    if (thrown && s->at != COMING)
        at.velocity = vec(0.2 * s->aside[0] * s->speed, 0.2 * s->aside[1] * s->speed, -s->speed);
    if (s->by != BY_VELOCITY && s->by != BY_IMPULSE)
        at.spin = vec3_scale(at.spin, real(0.1));
    add_thing(s, &at, s->what);
}

/* Things at the corners of a cube around the middle, which fly anywhere. */
static void add_in_room(shot *s)
{
    const double q = s->half / 2;
    for (uint32_t i = 0; i < s->count; ++i) {
        start at = start_of(s, 0, s->size, s->mass, FIRST_GROUP + i);
        at.at = s->count == 1 ? vec(0, 0, 0) : vec(i & 1 ? q : -q, i & 2 ? q : -q, (i ^ (i >> 1)) & 1 ? q : -q);
        at.velocity = vec3_scale(shot_direction(&s->seed), real(s->speed));
        if (shot_among(&s->seed, 4) == 0) /* into a corner */
            at.velocity = vec(s->speed / 2, s->speed / 2, s->speed / 2);
        at.size = fmin(at.size, 0.45 * q);
        at.mass = i % 2 ? s->mass * s->ratio : s->mass;
        const thing what = i == 0 ? s->what : (thing)shot_among(&s->seed, THINGS);
        add_thing(s, &at, s->parts > 8 && (what == GROUP || what == ROPE) ? BALL : what);
    }
}

/* One behind the other in a tube, so narrow that none gets past the next. */
static void add_in_tube(shot *s)
{
    static const thing things[] = {BALL, SPHERE_BODY, BOX_BODY};
    double z = s->far + s->size;
    for (uint32_t i = 0; i <= s->count; ++i) {
        const thing what = things[shot_among(&s->seed, COUNT_OF(things))];
        start at = start_of(s, z, s->size, i % 2 ? s->mass * s->ratio : s->mass, FIRST_GROUP + i);
        at.compact = true;
        at.at.x = at.at.y = 0;
        if (i == s->count || shot_among(&s->seed, 2))
            at.velocity = vec(0, 0, -s->speed * (i == s->count ? 1 : support_random_in(&s->seed, -1, 1)));
        add_thing(s, &at, what);
        z += s->size * (2 + shot_exponential(&s->seed, 0.001, 1));
    }
}

/* Two balls, head-on: the second from above. */
static void add_pair(shot *s)
{
    const double other = shot_exponential(&s->seed, 0.001, 1);
    const bool bodies = shot_among(&s->seed, 2);
    for (uint32_t i = 0; i < 2; ++i) {
        start at = start_of(s, i ? s->far + s->size + other : 0, i ? s->size : other, i ? s->mass : s->mass * s->ratio,
                            FIRST_GROUP + i);
        at.at.x = at.at.y = 0;
        if (i)
            at.velocity = vec(0, 0, -s->speed);
        add_thing(s, &at, bodies ? SPHERE_BODY : BALL);
    }
}

/* ---- Drivers ----------------------------------------------------------------------------------------------------- */

static sn_vec3 push(void *context, const sn_field_in *in)
{
    return in->group < FIRST_GROUP || in->group > LAST_GROUP ? vec(0, 0, 0)
                                                             : vec3_scale(*(const sn_vec3 *)context, in->mass);
}

static sn_point grip(const shot *s)
{
    return s->part[0].is_body ? sn_on_body(s->part[0].body, vec(0, 0, 0)) : sn_at(s->part[0].particle);
}

static sn_particle add_anchor(shot *s, sn_vec3 at)
{
    sn_particle_def def = sn_default_particle_def();
    sn_particle anchor;
    def.position = shot_place(s, at);
    def.mass = SN_IMMOVABLE;
    def.group = HAND_GROUP;
    assert_ok(s->world, sn_particle_add(s->world, &def, &anchor));
    return anchor;
}

/* A rope to something behind the target, which is too short; a motor on a rail. */
static void add_puller(shot *s)
{
    const double z = s->far + s->size;
    if (s->by == BY_MOTOR && s->part[0].is_body) {
        sn_joint_def rail = sn_default_joint_def(SN_KIND_JOINT_SLIDER);
        rail.b = s->part[0].body;
        rail.anchor = sn_body_centre(s->world, rail.b);
        rail.axis = shot_along(s, vec(0, 0, -1));
        rail.speed = real(s->speed);
        assert_int_not_equal(sn_joint_add(s->world, &rail).generation, 0);
    } else if (s->by == BY_ROPE || s->by == BY_MOTOR) {
        const double length =
            fmax(0.5, ANCHOR + z - s->speed * s->dt / s->substeps); /* a rope that is too short pulls at once */
        const bool taut = shot_among(&s->seed, 2);
        const sn_point to = sn_at(add_anchor(s, vec(s->aside[0], s->aside[1], -ANCHOR)));
        assert_int_not_equal((taut ? sn_constraint_add_distance(s->world, grip(s), to, real(length))
                                   : sn_constraint_add_distance_max(s->world, grip(s), to, real(length)))
                                 .generation,
                             0);
    }
    if (s->by == BY_HAND) {
        const sn_particle hand = add_anchor(s, vec(s->aside[0], s->aside[1], z));
        sn_constraint_add_distance_max(s->world, grip(s), sn_at(hand), real(s->size));
        assert_ok(s->world, sn_particle_move_to(
                                s->world, hand,
                                shot_place(s, vec(s->aside[0], s->aside[1], z - fmin(ANCHOR, s->speed * s->dt)))));
    }
}

static double press_height(const shot *s)
{
    return s->far + 3 * s->size;
}

static void add_pusher(shot *s)
{
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
    sn_body_def def = sn_default_body_def();
    const bool press = s->by == BY_PRESS;
    shape.half = press ? vec(s->wide, s->wide, s->thick / 2) : vec(1.5 * s->size, 1.5 * s->size, s->size);
    def.shapes = &shape;
    def.shape_count = 1;
    def.type = press ? SN_BODY_KINEMATIC : SN_BODY_DYNAMIC;
    def.position = shot_place(s, vec(press ? 0 : s->aside[0], press ? 0 : s->aside[1],
                                     press_height(s) + (press ? s->thick / 2 : 3 * s->size)));
    def.rotation = s->turn;
    if (!press) {
        def.mass = real(s->mass * s->ratio);
        def.velocity = shot_along(s, vec(0, 0, -s->speed));
    }
    assert_ok(s->world, sn_body_add(s->world, &def, &s->pusher));
}

void shot_add_things(shot *s)
{
    if (s->where == AT_PLATE)
        add_at_plate(s);
    else if (s->where == IN_ROOM)
        add_in_room(s);
    else if (s->where == IN_TUBE)
        add_in_tube(s);
    else
        add_pair(s);
    s->force = shot_along(s, vec(0, 0, -s->speed / s->dt));
    if (s->by == BY_FIELD)
        assert_ok(s->world, sn_field_add(s->world, push, &s->force, false, NULL));
    if (s->by == BY_BLOW || s->by == BY_PRESS)
        add_pusher(s);
    add_puller(s);
}

static void press_on(shot *s, uint32_t frame)
{
    const double height = press_height(s) - s->speed * s->dt * (frame + 1), least = s->gap * s->size;
    assert_ok(s->world,
              sn_body_move_to(s->world, s->pusher,
                              shot_place(s, vec(0, 0, fmax(height, fmin(least, press_height(s))) + s->thick / 2)),
                              s->turn));
}

static void shake_room(shot *s)
{
    const sn_vec3 by = vec3_scale(shot_direction(&s->seed), real(s->speed * s->dt));
    assert_ok(s->world, sn_body_move_to(s->world, s->frame, vec3_add(sn_body_position(s->world, s->frame), by),
                                        sn_body_rotation(s->world, s->frame)));
}

void shot_drive(shot *s, uint32_t frame)
{
    for (uint32_t i = 0; i < s->parts; ++i) {
        shot_part *p = &s->part[i];
        const double mass = (double)sn_particle_mass(s->world, p->particle);
        if (s->by == BY_FORCE) /* off the middle of a body now and then */
            assert_ok(s->world, sn_particle_apply_force(s->world, p->particle, vec3_scale(s->force, real(mass))));
        if (s->by != BY_IMPULSE)
            continue;
        const sn_vec3 by = s->where == IN_ROOM ? vec3_scale(shot_direction(&s->seed), real(mass * s->speed))
                                               : shot_along(s, vec(0, 0, -mass * s->speed));
        const sn_vec3 own = vec3_scale(p->point[0], real(0.3));
        if (p->is_body && shot_among(&s->seed, 2))
            assert_ok(s->world, sn_body_apply_impulse(s->world, p->body, by, sn_body_to_world(s->world, p->body, own)));
        else
            assert_ok(s->world, sn_particle_apply_impulse(s->world, p->particle, by));
    }
    if (s->by == BY_PRESS)
        press_on(s, frame);
    if (s->where == IN_ROOM && s->motion == SHAKEN)
        shake_room(s);
}
