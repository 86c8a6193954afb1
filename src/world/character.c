/* A character: collide and slide with casts of a capsule, with steps, slopes and platforms. It uses only the public
   queries.

   A move has four parts: the ground carries the character; it is pushed out of overlaps; it moves along its velocity;
   and it goes down onto the ground if it was on the ground before. A surface that it hits removes the component of the
   path into that surface. Of two such surfaces only the direction of their crease is left, of three nothing (as in
   Quake). A surface that is too steep to walk up acts as a wall: the vertical part of its normal is removed. If it is a
   step, the character moves up, ahead and down instead. */
#include "base/math.h"
#include "base/quat.h"
#include "world/query_tree.h"
#include "world/world.h"

#include <sinew/character.h>

/* The most straight pieces of a move. */
#define SLIDES 6u

/* The most rounds of pushing out of overlaps, and the most overlaps in a round. */
#define ROUNDS 4u
#define MOST   8u

/* Share of the skin: shorter displacements are ignored. */
#define LEAST_DISTANCE ((sn_real)1e-3)

/* Cosine: above it, the contact normal is that of the face below, so the contact is not at an edge. */
#define SAME_DIRECTION ((sn_real)0.999)

/* Share of the radius: how far beside a contact the face behind an edge is searched. */
#define BESIDE ((sn_real)0.05)

/* The least length of a step ahead, in skins. */
#define OVER_EDGE ((sn_real)2.5)

/* m: beyond it nothing is found, and squares of lengths would overflow. */
#define FARTHEST ((sn_real)1e18)

/* Share of the radius: tolerance for rounding of heights. */
#define HEIGHT_SLACK ((sn_real)1e-3)

sn_character sn_default_character(void)
{
    sn_character c = {.radius = (sn_real)0.3,
                      .height = (sn_real)1.8,
                      .up = {0, 1, 0},
                      .step_height = (sn_real)0.3,
                      .slope_limit = (sn_real)0.87,
                      .skin = (sn_real)0.006,
                      .mass = 80,
                      .push = 500,
                      .filter = sn_default_query_filter()};
    c.filter.what = SN_QUERY_STATICS | SN_QUERY_BODIES;
    return c;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static bool check_number(const sn_world *world, const char *name, sn_real value, sn_real least, sn_real most)
{
    if (value >= least && value <= most)
        return true;
    sn_query_refuse(world, "character.%s is %g; it must be from %g to %g", name, (double)value, (double)least,
                    (double)most);
    return false;
}

static bool check_place(const sn_world *world, const char *name, sn_vec3 value)
{
    if (vec3_is_finite(value) && (world->dimensions == 3 || value.z == 0))
        return true;
    sn_query_refuse(world, "character.%s is (%g, %g, %g); it must be finite%s", name, (double)value.x, (double)value.y,
                    (double)value.z, world->dimensions == 3 ? "" : ", with z = 0 in a 2D world");
    return false;
}

static bool is_within(sn_vec3 a, sn_real most)
{
    return fabs((double)a.x) <= (double)most && fabs((double)a.y) <= (double)most && fabs((double)a.z) <= (double)most;
}

/* True if the position and the path are small enough to compute with. */
static bool check_displacement(const sn_world *world, const sn_character *c, sn_real dt)
{
    if (is_within(c->position, FARTHEST) && is_within(vec3_scale(c->velocity, dt), FARTHEST))
        return true;
    sn_query_refuse(world,
                    "character.position is (%g, %g, %g) m and its velocity (%g, %g, %g) m/s; where it is, and the way "
                    "of a move of %g s, "
                    "must be within %g m",
                    (double)c->position.x, (double)c->position.y, (double)c->position.z, (double)c->velocity.x,
                    (double)c->velocity.y, (double)c->velocity.z, (double)dt, (double)FARTHEST);
    return false;
}

static bool check(const sn_world *world, const sn_character *c)
{
    const sn_real most = (sn_real)1e9, none = (sn_real)1e-9;
    if (!c) {
        sn_query_refuse(world, "character is NULL");
        return false;
    }
    if (!check_number(world, "radius", c->radius, none, most) ||
        !check_number(world, "height", c->height, 2 * c->radius, most) ||
        !check_number(world, "step_height", c->step_height, 0, most) ||
        !check_number(world, "slope_limit", c->slope_limit, 0, (sn_real)(SN_PI / 2)) ||
        !check_number(world, "skin", c->skin, c->radius * (sn_real)1e-5, c->radius) ||
        !check_number(world, "mass", c->mass, 0, most) || !check_number(world, "push", c->push, 0, (sn_real)1e30) ||
        !check_place(world, "up", c->up) || !check_place(world, "position", c->position) ||
        !check_place(world, "velocity", c->velocity))
        return false;
    if (!(vec3_length(c->up) > 0)) {
        sn_query_refuse(world, "character.up is (0, 0, 0); it must point somewhere");
        return false;
    }
    if (c->body.generation && !sn_body_is_valid(world, c->body)) {
        sn_query_refuse(world, "character.body %u is gone", c->body.index);
        return false;
    }
    if (c->body.generation && sn_body_type_of(world, c->body) != SN_BODY_KINEMATIC) {
        sn_query_refuse(world, "character.body %u is not kinematic, so it cannot be moved along", c->body.index);
        return false;
    }
    return true;
}

/* ---- Casts ------------------------------------------------------------------------------------------------------- */

/* A move in progress. */
typedef struct walk {
    sn_world *world;
    sn_character *c;
    sn_vec3 up;       /* length 1 */
    sn_quat rotation; /* of its capsule */
    sn_real walkable; /* cosine of the slope limit */
    sn_real dt;
    sn_vec3 heading; /* direction of the cast that runs, length 1 */
    bool casting;
    bool was_grounded;
} walk;

static walk walk_of(const sn_world *world, const sn_character *c, sn_real dt)
{
    walk w = {.world = (sn_world *)world, .c = (sn_character *)c, .dt = dt};
    w.up = vec3_scale(c->up, 1 / vec3_length(c->up));
    w.walkable = (sn_real)sn_math_cos((double)c->slope_limit);
    const sn_vec3 y = vec3(0, 1, 0);
    const sn_vec3 axis = vec3_cross(y, w.up);
    const sn_quat half = {axis.x, axis.y, axis.z, 1 + w.up.y};
    w.rotation = w.up.y > (sn_real)-0.999999 ? sn_quat_normal(half) : (sn_quat){1, 0, 0, 0};
    w.was_grounded = c->grounded;
    return w;
}

/* Excludes its own body, and in casts also surfaces that it touches and moves away from. */
static bool counts(void *context, const sn_hit *hit)
{
    const walk *w = context;
    const sn_query_filter *filter = &w->c->filter;
    if (hit->body.generation && hit->body.index == w->c->body.index && hit->body.generation == w->c->body.generation)
        return false;
    if (w->casting && hit->distance == 0 && vec3_dot(hit->normal, w->heading) >= 0)
        return false;
    return !filter->function || filter->function(filter->context, hit);
}

static sn_query_filter filter_of(walk *w)
{
    sn_query_filter filter = w->c->filter;
    filter.function = counts;
    filter.context = w;
    w->c->casts++;
    return filter;
}

/* Its shape with the foot at this point, enlarged by `more`. */
static sn_shape_def shape_at(const walk *w, sn_vec3 foot, sn_real more)
{
    const sn_character *c = w->c;
    const sn_real half = c->height / 2 - c->radius;
    const bool ball = half <= c->radius * (sn_real)1e-3;
    sn_shape_def shape = sn_default_shape_def(ball ? SN_SHAPE_SPHERE : SN_SHAPE_CAPSULE);
    shape.position = vec3_add(foot, vec3_scale(w->up, c->height / 2));
    shape.rotation = w->rotation;
    shape.half.y = half;
    shape.radius = c->radius + more;
    return shape;
}

static sn_real height_over(const walk *w, sn_vec3 place, sn_vec3 foot)
{
    return vec3_dot(vec3_sub(place, foot), w->up);
}

/* For a step. The foot is one skin above the ground. */
static bool is_too_high(const walk *w, sn_vec3 place, sn_vec3 foot)
{
    return height_over(w, place, foot) + w->c->skin > w->c->step_height + HEIGHT_SLACK * w->c->radius;
}

/* Moves along `heading` as far as there is room, minus the skin. Returns the distance in m. *met: something was in the
   way. */
static sn_real advance(walk *w, sn_vec3 *foot, sn_vec3 heading, sn_hit *hit, bool *touched)
{
    const sn_real length = vec3_length(heading), skin = w->c->skin;
    *touched = false;
    if (!(length > LEAST_DISTANCE * skin))
        return 0;
    const sn_vec3 direction = vec3_scale(heading, 1 / length);
    const sn_shape_def shape = shape_at(w, *foot, 0);
    w->heading = direction;
    w->casting = true;
    /* longer than the path, because at a slanted surface a distance of one skin is longer along the path */
    *touched = sn_query_shape_cast(w->world, &shape, direction, length + 4 * skin, filter_of(w), hit);
    w->casting = false;
    sn_real room = length;
    if (*touched) {
        const sn_real against = -vec3_dot(hit->normal, direction);
        room = hit->distance - (against > (sn_real)0.25 ? skin / against : 4 * skin);
        *touched = room < length;
        room = room > 0 ? room < length ? room : length : 0;
    }
    *foot = vec3_add(*foot, vec3_scale(direction, room));
    return room;
}

/* ---- Ground ------------------------------------------------------------------------------------------------------ */

/* The normal of the face at a contact, seen from above; at an edge, of the face behind the edge. False if there is
   none. */
static bool face_at(walk *w, const sn_hit *hit, sn_vec3 foot, sn_vec3 *normal)
{
    const sn_vec3 side = vec3_sub(hit->point, foot), level = vec3_sub(side, vec3_scale(w->up, vec3_dot(side, w->up)));
    const sn_real length = vec3_length(level), radius = w->c->radius, rise = radius * (sn_real)0.5;
    const sn_vec3 out = length > 0 ? vec3_scale(level, BESIDE * radius / length) : vec3(0, 0, 0);
    const sn_vec3 from = vec3_add(hit->point, vec3_add(out, vec3_scale(w->up, rise)));
    sn_hit face;
    if (!sn_query_ray(w->world, from, vec3_scale(w->up, -1), 2 * rise, filter_of(w), &face) || face.distance == 0)
        return false;
    *normal = face.normal;
    return true;
}

/* How a surface below supports the character. */
typedef enum footing {
    FOOTING_NONE,
    FOOTING_EDGE, /* an edge of a walkable face, no higher than a step, where the contact normal is too steep */
    FOOTING_SLOPE /* it is walkable */
} footing;

static footing footing_of(walk *w, const sn_hit *hit, sn_vec3 foot)
{
    sn_vec3 face;
    const sn_real rise = vec3_dot(hit->normal, w->up);
    if (!(rise > 0))
        return FOOTING_NONE;
    const bool known = face_at(w, hit, foot, &face), flat = known && vec3_dot(face, w->up) >= w->walkable;
    if (rise >= w->walkable && (!known || vec3_dot(face, hit->normal) > SAME_DIRECTION))
        return FOOTING_SLOPE;
    if (!flat || is_too_high(w, hit->point, foot))
        return FOOTING_NONE;
    return rise >= w->walkable ? FOOTING_SLOPE : FOOTING_EDGE;
}

/* A falling character slides off an edge; one that was on the ground stands on it. */
static bool is_ground(walk *w, const sn_hit *hit, sn_vec3 foot)
{
    const footing f = footing_of(w, hit, foot);
    return f == FOOTING_SLOPE || (f == FOOTING_EDGE && w->was_grounded);
}

/* Goes down by at most `reach` onto ground. Without ground it stays where it is. */
static bool land(walk *w, sn_vec3 *foot, sn_real reach, sn_hit *ground)
{
    sn_vec3 there = *foot;
    bool touched;
    advance(w, &there, vec3_scale(w->up, -reach), ground, &touched);
    if (!touched || !is_ground(w, ground, there))
        return false;
    *foot = there;
    return true;
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

/* Applies an impulse to the body that it runs into: enough to give both the same velocity, up to its limit. */
static void push_body(walk *w, const sn_hit *hit, sn_vec3 velocity)
{
    const sn_real mass = w->c->mass;
    if (!hit->body.generation || !(mass > 0))
        return;
    const sn_real other = sn_body_mass(w->world, hit->body);
    if (!isfinite(other))
        return;
    const sn_vec3 there = sn_body_velocity_at(w->world, hit->body, hit->point);
    const sn_real closing = -vec3_dot(vec3_sub(velocity, there), hit->normal);
    sn_real impulse = closing * mass * other / (mass + other);
    if (!(impulse > 0))
        return;
    impulse = impulse < w->c->push * w->dt ? impulse : w->c->push * w->dt;
    sn_body_apply_impulse(w->world, hit->body, vec3_scale(hit->normal, -impulse), hit->point);
}

/* Applies its weight to the body that it stands on. */
static void push_ground(walk *w, const sn_hit *ground)
{
    const sn_real weight = -vec3_dot(w->world->state.settings.gravity, w->up) * w->c->mass;
    if (ground->body.generation && weight > 0 && isfinite(sn_body_mass(w->world, ground->body)))
        sn_body_apply_impulse(w->world, ground->body, vec3_scale(w->up, -weight * w->dt), ground->point);
}

/* ---- Platforms --------------------------------------------------------------------------------------------------- */

/* A position in the frame of the ground, and back. False if the ground was removed. */
static sn_vec3 to_ground(const sn_world *world, const sn_hit *ground, sn_vec3 place)
{
    if (ground->body.generation)
        return sn_body_to_own(world, ground->body, place);
    if (ground->particle.generation)
        return vec3_sub(place, sn_particle_position(world, ground->particle));
    return place;
}

static bool from_ground(const sn_world *world, const sn_hit *ground, sn_vec3 own, sn_vec3 *place)
{
    if (ground->body.generation && sn_body_is_valid(world, ground->body)) {
        *place = sn_body_to_world(world, ground->body, own);
        return true;
    }
    if (ground->particle.generation && sn_particle_is_valid(world, ground->particle)) {
        *place = vec3_add(sn_particle_position(world, ground->particle), own);
        return true;
    }
    return false;
}

/* ---- Moving ------------------------------------------------------------------------------------------------------ */

/* Pushes the character out of things that overlap it or are nearer than half the skin, until a whole skin is left. At
   the skin, where casts leave it up to rounding, it stays: otherwise it would creep down slopes. */
static void push_out(walk *w, sn_vec3 *foot)
{
    const sn_real skin = w->c->skin;
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        sn_hit hits[MOST];
        const sn_shape_def shape = shape_at(w, *foot, skin / 2);
        uint32_t count = sn_query_shape_overlap(w->world, &shape, filter_of(w), hits, MOST);
        count = count < MOST ? count : MOST;
        sn_vec3 out = vec3(0, 0, 0);
        for (uint32_t i = 0; i < count; ++i) { /* only the part that is left after the other pushes */
            const sn_real deep = skin / 2 - hits[i].distance - vec3_dot(out, hits[i].normal);
            if (deep > 0)
                out = vec3_add(out, vec3_scale(hits[i].normal, deep));
        }
        if (!(vec3_length(out) > LEAST_DISTANCE * skin))
            return;
        *foot = vec3_add(*foot, out);
    }
}

/* The part of `heading` that does not go into any of these planes. */
static sn_vec3 along_planes(sn_vec3 heading, const sn_vec3 *plane, uint32_t planes)
{
    for (uint32_t i = 0; i < planes; ++i) {
        const sn_real into = vec3_dot(heading, plane[i]);
        if (into >= 0)
            continue;
        const sn_vec3 slide = vec3_sub(heading, vec3_scale(plane[i], into));
        bool free = true;
        for (uint32_t k = 0; k < planes && free; ++k)
            free = k == i || vec3_dot(slide, plane[k]) >= -(sn_real)1e-6 * vec3_length(heading);
        if (free)
            return slide;
        for (uint32_t k = 0; k < planes; ++k) { /* along the crease of two planes, unless a third blocks it */
            sn_vec3 crease = vec3_cross(plane[i], plane[k]);
            const sn_real length = vec3_length(crease);
            if (k == i || !(length > (sn_real)1e-4))
                continue;
            crease = vec3_scale(crease, 1 / length);
            const sn_vec3 edge = vec3_scale(crease, vec3_dot(heading, crease));
            bool open = true;
            for (uint32_t j = 0; j < planes && open; ++j)
                open = vec3_dot(edge, plane[j]) >= -(sn_real)1e-4 * vec3_length(heading);
            if (open)
                return edge;
        }
        return vec3(0, 0, 0);
    }
    return heading;
}

/* Moves up, ahead and down again. True, and *foot is moved, if that ends on ground that is no higher than a step. */
static bool climb(walk *w, sn_vec3 *foot, sn_vec3 heading)
{
    const sn_character *c = w->c;
    const sn_vec3 level = vec3_sub(heading, vec3_scale(w->up, vec3_dot(heading, w->up)));
    sn_vec3 there = *foot;
    sn_hit hit, ground;
    bool touched;
    /* at least from one skin before the edge to one behind it, even if the displacement is short */
    const sn_real far = vec3_length(level), least = OVER_EDGE * c->skin, ahead = far > least ? far : least;
    if (!w->was_grounded || !(c->step_height > 0) || !(far > LEAST_DISTANCE * c->skin))
        return false;
    const sn_real risen = advance(w, &there, vec3_scale(w->up, c->step_height + c->skin), &hit, &touched);
    const sn_real gone = advance(w, &there, vec3_scale(level, ahead / far), &hit, &touched);
    if (!(gone > LEAST_DISTANCE * c->skin) || !(risen > 0))
        return false;
    if (!land(w, &there, risen + c->skin, &ground))
        return false;
    if (is_too_high(w, ground.point, *foot) || !(height_over(w, there, *foot) > c->skin / 2))
        return false; /* not a step: the character only came nearer to the wall */
    *foot = there;
    return true;
}

/* The normal for sliding. For a surface that is too steep to walk up it is horizontal, so that the character is not
   lifted. */
static sn_vec3 surface_of(walk *w, const sn_hit *hit, sn_vec3 foot, bool *wall)
{
    const sn_vec3 n = hit->normal;
    const sn_real rise = vec3_dot(n, w->up);
    *wall = rise > (sn_real)-0.1 && footing_of(w, hit, foot) != FOOTING_SLOPE;
    if (!*wall || rise <= 0 || !w->was_grounded)
        return n;
    const sn_vec3 level = vec3_sub(n, vec3_scale(w->up, rise));
    const sn_real length = vec3_length(level);
    return length > (sn_real)1e-3 ? vec3_scale(level, 1 / length) : n;
}

/* Moves along `heading`, sliding. Surfaces that it hits also remove their component of *velocity. */
static void slide(walk *w, sn_vec3 *foot, sn_vec3 heading, sn_vec3 *velocity)
{
    const sn_vec3 whole = heading, wanted = *velocity;
    sn_vec3 plane[SLIDES];
    uint32_t planes = 0;
    for (uint32_t i = 0; i < SLIDES; ++i) {
        sn_hit hit;
        bool touched, wall;
        const sn_vec3 from = *foot;
        advance(w, foot, heading, &hit, &touched);
        if (!touched)
            return;
        heading = vec3_sub(heading, vec3_sub(*foot, from));
        push_body(w, &hit, wanted);
        plane[planes] = surface_of(w, &hit, *foot, &wall);
        if (wall && climb(w, foot, heading))
            return;
        if (wall) {
            w->c->blocked = true;
            w->c->wall = hit;
        }
        ++planes;
        heading = along_planes(heading, plane, planes);
        *velocity = along_planes(*velocity, plane, planes);
        if (vec3_dot(heading, whole) <= 0 || !(vec3_length(heading) > LEAST_DISTANCE * w->c->skin))
            return; /* never backwards: this avoids trembling in corners */
    }
}

/* ---- The move ---------------------------------------------------------------------------------------------------- */

/* Moves the character with the ground, which has moved since the last move. */
static void ride(walk *w, sn_vec3 *foot)
{
    sn_character *c = w->c;
    sn_vec3 there, none = {0, 0, 0};
    if (!w->was_grounded || !from_ground(w->world, &c->ground, c->anchor, &there))
        return;
    const sn_vec3 heading = vec3_sub(there, *foot);
    c->ground_velocity = vec3_scale(heading, 1 / w->dt);
    if (vec3_length(heading) > 0)
        slide(w, foot, heading, &none);
}

/* Puts the character on the ground, if there is ground and it does not jump. */
static void settle(walk *w, sn_vec3 *foot, bool jumps)
{
    sn_character *c = w->c;
    const sn_real reach = 2 * c->skin + (w->was_grounded && !jumps ? c->step_height : 0);
    sn_hit ground;
    c->grounded = !jumps && land(w, foot, reach, &ground);
    if (!c->grounded)
        return;
    c->ground = ground;
    c->anchor = to_ground(w->world, &ground, *foot);
    /* going up or down a slope is not a vertical velocity for the next move */
    c->velocity = vec3_sub(c->velocity, vec3_scale(w->up, vec3_dot(c->velocity, w->up)));
    push_ground(w, &ground);
}

static void lead_body(walk *w)
{
    if (!w->c->body.generation)
        return;
    const sn_vec3 middle = vec3_add(w->c->position, vec3_scale(w->up, w->c->height / 2));
    sn_body_move_to(w->world, w->c->body, middle, w->rotation);
}

sn_result sn_character_move(sn_world *world, sn_character *character, sn_real dt)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!check(world, character))
        return SN_ERROR_ARGUMENT;
    if (!(isfinite(dt) && dt > 0)) {
        sn_query_refuse(world, "dt is %g s; it must be positive and finite", (double)dt);
        return SN_ERROR_ARGUMENT;
    }
    if (!check_displacement(world, character, dt))
        return SN_ERROR_ARGUMENT;
    const sn_query_filter filter = character->filter;
    if (!filter.what || (filter.what & ~(uint32_t)(SN_QUERY_ALL | SN_QUERY_SENSORS))) {
        sn_query_refuse(world, "character.filter.what is 0x%x; it must be bits of sn_query_what, at least one",
                        filter.what);
        return SN_ERROR_ARGUMENT;
    }
    walk w = walk_of(world, character, dt);
    sn_vec3 foot = character->position;
    const bool jumps = vec3_dot(character->velocity, w.up) > 0;
    character->casts = 0;
    character->blocked = false;
    character->wall = (sn_hit){0};
    character->ground_velocity = vec3(0, 0, 0);
    ride(&w, &foot);
    push_out(&w, &foot);
    slide(&w, &foot, vec3_scale(character->velocity, dt), &character->velocity);
    character->ground = (sn_hit){0};
    settle(&w, &foot, jumps);
    character->moved = vec3_sub(foot, character->position);
    character->position = foot;
    lead_body(&w);
    return SN_OK;
}

bool sn_character_fits(const sn_world *world, const sn_character *character, sn_vec3 position)
{
    if (!world || !check(world, character) || !check_place(world, "position", position))
        return false;
    sn_character asking = *character; /* a copy, because queries are counted */
    walk w = walk_of(world, &asking, 1);
    const sn_shape_def shape = shape_at(&w, position, 0);
    sn_hit hits[MOST];
    const uint32_t count = sn_query_shape_overlap(world, &shape, filter_of(&w), hits, MOST);
    bool free = count <= MOST;
    for (uint32_t i = 0; i < count && free; ++i) /* touching is allowed */
        free = !(hits[i].distance < 0);
    return free;
}
