/* Contact callbacks: a filter and a pre-solve function.

   They are called here for everything that was found near each other, on the thread of the caller, in the order in
   which it was found, which does not depend on threads. A contact that may not act stays in its list without an
   effect: a fixed shape becomes a sensor without events, a pair of balls gets no reach. So the rest of the step does
   not know about callbacks, except for conveyor belts: the velocity of a surface is subtracted from the slip that
   friction acts on. */
#include "contact/callbacks.h"

#include "collision/triangle.h"
#include "contact/particle_work.h"
#include "contact/body_work.h"

#include <stdio.h>
#include <string.h>

bool sn_callbacks_any(const sn_world *world)
{
    return world->filter || world->pre_solve;
}

/* ---- Setting them ------------------------------------------------------------------------------------------------ */

sn_result sn_world_set_contact_filter(sn_world *world, sn_contact_filter_fn *function, void *context)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    world->filter = function;
    world->filter_context = context;
    sn_sleep_wake_all(world);
    return SN_OK;
}

sn_result sn_world_set_pre_solve(sn_world *world, sn_pre_solve_fn *function, void *context)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    world->pre_solve = function;
    world->pre_solve_context = context;
    sn_sleep_wake_all(world);
    return SN_OK;
}

/* ---- Handles ----------------------------------------------------------------------------------------------------- */

static void name_particle(const sn_world *world, uint32_t slot, sn_particle *particle, sn_body *body)
{
    const uint32_t number = world->particles.index[slot], row = world->particles.body[slot];
    *particle = (sn_particle){number, world->ids.generation[number]};
    *body = row ? sn_body_of_row(world, row - 1) : (sn_body){0};
}

sn_contact_pair sn_contact_pair_of(const sn_world *world, uint32_t slot, uint32_t other)
{
    sn_contact_pair pair = {.triangle = SN_NO_TRIANGLE};
    name_particle(world, slot, &pair.particle, &pair.body);
    if (other != SN_NO_SLOT)
        name_particle(world, other, &pair.other, &pair.other_body);
    return pair;
}

static void name_fixed_shape(const sn_world *world, const sn_fixed_shape *record, sn_contact_pair *pair)
{
    pair->other_body = (sn_body){record->body, world->bodies.names.generation[record->body]};
    pair->other_shape = record->index;
}

sn_contact_pair sn_contact_pair_of_static(const sn_world *world, const sn_static_contact *contact)
{
    sn_contact_pair pair = sn_contact_pair_of(world, contact->slot, SN_NO_SLOT);
    const sn_fixed_shape *record = record_of(world, contact->number);
    name_fixed_shape(world, record, &pair);
    if (record->shape.type == SN_SHAPE_MESH)
        pair.triangle = contact->triangle;
    return pair;
}

sn_contact_pair sn_contact_pair_of_skin_contact(const sn_world *world, const sn_skin_contact *g)
{
    uint32_t most = 0;
    for (uint32_t k = 1; k < 3; ++k)
        most = g->weight[k] > g->weight[most] ? k : most;
    sn_contact_pair pair = sn_contact_pair_of(world, g->slot[0], g->slot[most + 1]);
    if (g->triangle == SN_SKIN_CONTACT_PAIR)
        return pair;
    const sn_skin_record *skin =
        contact_skins(&world->contact) + ((const uint32_t *)world->contacts.triangle_table.column[1])[g->triangle];
    pair.skin = (sn_skin){skin->number, world->contact.skin_ids.generation[skin->number]};
    pair.triangle = g->triangle - skin->first;
    return pair;
}

static uint32_t shape_of(const sn_world *world, uint32_t slot, uint32_t part)
{
    const uint32_t row = world->particles.body[slot];
    return row && part != SN_ID_FREE ? part - world->bodies.state[row - 1].part : 0;
}

bool sn_contact_pair_sort(sn_contact_pair *pair)
{
    if (!pair->other.generation || pair->particle.index < pair->other.index)
        return false;
    const sn_contact_pair was = *pair;
    pair->particle = was.other;
    pair->body = was.other_body;
    pair->shape = was.other_shape;
    pair->other = was.particle;
    pair->other_body = was.body;
    pair->other_shape = was.shape;
    return true;
}

sn_contact_pair sn_contact_pair_of_contact(const sn_world *world, const sn_body_contact *contact, sn_vec3 point)
{
    const uint32_t slot = contact_movers(world)[contact->a].slot;
    const uint32_t other = contact->b == SN_NO_MOVER ? SN_NO_SLOT : contact_movers(world)[contact->b].slot;
    sn_contact_pair pair = sn_contact_pair_of(world, slot, other);
    pair.shape = shape_of(world, slot, contact->part_a);
    if (other != SN_NO_SLOT) {
        pair.other_shape = shape_of(world, other, contact->part_b);
        return pair;
    }
    const sn_fixed_shape *record = sn_body_contact_record(world, contact->fixed_shape);
    sn_touch touch;
    name_fixed_shape(world, record, &pair);
    if (record->shape.type == SN_SHAPE_MESH &&
        sn_shape_near(&record->shape, sn_pose_to_own(&contact_motion(world, contact->fixed_shape)->end, point),
                      (sn_real)INFINITY, &touch))
        pair.triangle = touch.part;
    return pair;
}

/* ---- Calling ----------------------------------------------------------------------------------------------------- */

/* "particle 3 and body 0", and so on. */
static void name_pair(const sn_contact_pair *pair, char *text, size_t size)
{
    char other[64];
    if (pair->skin.generation)
        snprintf(other, sizeof other, "triangle %u of skin %u", pair->triangle, pair->skin.index);
    else if (pair->other_body.generation)
        snprintf(other, sizeof other, "body %u", pair->other_body.index);
    else
        snprintf(other, sizeof other, "particle %u", pair->other.index);
    if (pair->body.generation)
        snprintf(text, size, "body %u and %s", pair->body.index, other);
    else
        snprintf(text, size, "particle %u and %s", pair->particle.index, other);
}

static sn_result refuse(const sn_world *world, const sn_contact_pair *pair, const char *what, sn_real value,
                        const char *rule)
{
    char two[128];
    name_pair(pair, two, sizeof two);
    return world_fail(world, SN_ERROR_HOST, "at %g s the pre-solve function gave %s %s %g; it must be %s",
                      world->state.time, two, what, (double)value, rule);
}

/* Checks the values that the function left in the contact. */
static sn_result check(const sn_world *world, const sn_contact_pair *pair, const sn_contact *c)
{
    const sn_vec3 v = c->surface_velocity;
    if (!isfinite(c->static_friction) || c->static_friction < 0)
        return refuse(world, pair, "static_friction", c->static_friction, "finite and not negative");
    if (!isfinite(c->dynamic_friction) || c->dynamic_friction < 0 || c->dynamic_friction > c->static_friction)
        return refuse(world, pair, "dynamic_friction", c->dynamic_friction,
                      "not negative and not more than static_friction");
    if (!(c->restitution >= 0 && c->restitution <= 1))
        return refuse(world, pair, "restitution", c->restitution, "from 0 to 1");
    if (!contact_reaches(v))
        return refuse(world, pair, "a surface_velocity of length", vec3_length(v), "finite");
    return SN_OK;
}

/* Calls both functions. *acts: the contact acts; friction and surface velocity are then as returned. */
static sn_result ask(const sn_world *world, sn_contact *c, bool sensor, sn_friction *friction, bool *acts)
{
    const sn_contact_pair pair = c->pair;
    *acts = !world->filter || world->filter(world->filter_context, &pair);
    if (!*acts || sensor || !world->pre_solve)
        return SN_OK;
    c->static_friction = friction->static_friction;
    c->dynamic_friction = friction->dynamic_friction;
    c->restitution = friction->restitution;
    *acts = world->pre_solve(world->pre_solve_context, c);
    if (!*acts)
        return SN_OK;
    friction->static_friction = c->static_friction;
    friction->dynamic_friction = c->dynamic_friction;
    friction->restitution = c->restitution;
    return check(world, &pair, c);
}

/* The position of a particle when the step begins; for late contacts, when the substep began. */
static sn_vec3 place_of(const sn_world *world, uint32_t slot, bool late)
{
    return vec4_xyz(late ? starts(&world->contacts)[slot] : world->particles.x[slot]);
}

static sn_vec3 velocity_of(const sn_world *world, uint32_t slot)
{
    return vec4_xyz(world->particles.v[slot]);
}

static sn_vec3 fixed_shape_velocity(const sn_fixed_motion *m, const sn_pose *pose, sn_vec3 point)
{
    return vec3_add(m->velocity, vec3_cross(m->spin, vec3_sub(point, pose->position)));
}

/* ---- Fixed shapes and particles ---------------------------------------------------------------------------------- */

static sn_result ask_static(sn_world *world, sn_static_contact *contact, bool late)
{
    const sn_shape *shape = &record_of(world, contact->number)->shape;
    const sn_fixed_motion *m = &motions(&world->contacts)[contact->number];
    const sn_pose *pose = late ? &m->start : &m->step_start;
    sn_touch touch;
    bool acts;
    contact->asked = true;
    if (!sn_shape_near(shape, sn_pose_to_own(pose, place_of(world, contact->slot, late)), (sn_real)INFINITY, &touch))
        return SN_OK;
    contact->triangle = touch.part;
    sn_contact c = {.pair = sn_contact_pair_of_static(world, contact),
                    .point = sn_pose_to_world(pose, touch.point),
                    .normal = sn_quat_rotate(pose->rotation, touch.normal),
                    .separation = touch.distance - world->particles.radius[contact->slot],
                    .surface_velocity = contact->belt};
    c.velocity = vec3_sub(velocity_of(world, contact->slot), fixed_shape_velocity(m, pose, c.point));
    sn_result result = ask(world, &c, contact->sensor, &contact->friction, &acts);
    contact->belt = c.surface_velocity;
    contact->belted = !contact_is_zero(contact->belt);
    world->contacts.bounces = world->contacts.bounces || contact->friction.restitution > 0;
    if (!acts) {
        contact->sensor = contact->off = true;
        contact->normal_impulse = contact->last = 0;
        contact->tangent_impulse = contact->rolled = vec3(0, 0, 0);
    }
    return result;
}

static sn_result ask_statics(sn_world *world, bool late)
{
    sn_static_contact *contact = world->contacts.static_table.column[0];
    sn_result result = SN_OK;
    for (uint32_t i = 0; result == SN_OK && i < world->contacts.static_contacts; ++i)
        if (!contact[i].asked)
            result = ask_static(world, &contact[i], late);
    return result;
}

/* ---- Balls ------------------------------------------------------------------------------------------------------- */

/* The contact of two balls; normal and gap from b to a. */
static sn_contact contact_of_balls(const sn_world *world, uint32_t a, uint32_t b, bool late)
{
    const sn_vec3 xb = place_of(world, b, late), d = vec3_sub(place_of(world, a, late), xb);
    const sn_real length = vec3_length(d), *radius = world->particles.radius;
    sn_contact c = {.pair = sn_contact_pair_of(world, a, b),
                    .normal = length > 0 ? vec3_scale(d, 1 / length) : vec3(0, 1, 0),
                    .separation = length - radius[a] - radius[b],
                    .velocity = vec3_sub(velocity_of(world, a), velocity_of(world, b))};
    c.point = vec3_add(xb, vec3_scale(c.normal, radius[b]));
    return c;
}

static void set_belt(const sn_contact_pairs *set, uint32_t batch, uint32_t lane, sn_vec3 belt)
{
    sn_real *to = (sn_real *)set->belt_table.column[0] + (size_t)batch * 3 * SN_NEAR + lane;
    to[0] = belt.x;
    to[SN_NEAR] = belt.y;
    to[2 * SN_NEAR] = belt.z;
}

static sn_result ask_pair(sn_world *world, const sn_contact_pairs *set, uint32_t batch, uint32_t lane, bool late)
{
    const size_t at = (size_t)batch * SN_NEAR + lane;
    const sn_near_batch *pairs = &set->near.batch[batch];
    const bool varied = world->contacts.varied;
    sn_contact c = contact_of_balls(world, pairs->a[lane], pairs->b[lane], late);
    sn_friction friction = {0};
    bool acts;
    if (varied)
        friction =
            (sn_friction){pair_column(set, PAIR_STATIC_FRICTION)[at], pair_column(set, PAIR_DYNAMIC_FRICTION)[at],
                          pair_column(set, PAIR_RESTITUTION)[at], 0};
    sn_result result = ask(world, &c, false, &friction, &acts);
    if (!acts) {
        pair_column(set, PAIR_REACH)[at] = pair_column(set, PAIR_NORMAL_IMPULSE)[at] = pair_column(set, PAIR_LAST)[at] =
            0;
        return result;
    }
    if (!varied)
        return result;
    pair_column(set, PAIR_STATIC_FRICTION)[at] = friction.static_friction;
    pair_column(set, PAIR_DYNAMIC_FRICTION)[at] = friction.dynamic_friction;
    pair_column(set, PAIR_RESTITUTION)[at] = friction.restitution;
    world->contacts.bounces = world->contacts.bounces || friction.restitution > 0;
    if (!contact_is_zero(c.surface_velocity)) {
        set_belt(set, batch, lane, c.surface_velocity);
        world->contacts.belts = true;
    }
    return result;
}

static sn_result ask_pairs(sn_world *world, sn_contact_pairs *set, bool late)
{
    const sn_vec4 *x = world->particles.x;
    sn_result result = SN_OK;
    if (world->pre_solve && !sn_table_reserve(&set->belt_table, &world->allocator, set->near.batches))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact");
    if (world->pre_solve && set->near.batches)
        memset(set->belt_table.column[0], 0, (size_t)set->near.batches * 3 * SN_NEAR * sizeof(sn_real));
    for (uint32_t b = 0; b < set->near.batches; ++b)
        for (uint32_t i = 0; result == SN_OK && i < set->near.lanes[b]; ++i) {
            const bool taken = !(pair_column(set, PAIR_REACH)[(size_t)b * SN_NEAR + i] > 0);
            if (!taken && x[set->near.batch[b].a[i]].w + x[set->near.batch[b].b[i]].w > 0)
                result = ask_pair(world, set, b, i, late);
        }
    return result;
}

/* ---- Skins, and balls that rotate or have an outward normal ------------------------------------------------------ */

static sn_contact contact_of_triangle(const sn_world *world, sn_skin_contact *g, bool late)
{
    sn_vec3 x[4], v = velocity_of(world, g->slot[0]), point = vec3(0, 0, 0);
    for (uint32_t k = 0; k < 4; ++k)
        x[k] = place_of(world, g->slot[k], late);
    sn_triangle_near(x[0], x[1], x[2], x[3], g->weight);
    for (uint32_t k = 0; k < 3; ++k) {
        point = vec3_add(point, vec3_scale(x[k + 1], g->weight[k]));
        v = vec3_sub(v, vec3_scale(velocity_of(world, g->slot[k + 1]), g->weight[k]));
    }
    const sn_vec3 d = vec3_sub(x[0], point), n = vec3_cross(vec3_sub(x[2], x[1]), vec3_sub(x[3], x[1]));
    const sn_real far = vec3_length(d), area = vec3_length(n);
    sn_vec3 normal = far > 0 ? vec3_scale(d, 1 / far) : vec3(0, 1, 0);
    if (!(far > 0) && area > 0)
        normal = vec3_scale(n, g->side / area);
    return (sn_contact){.pair = sn_contact_pair_of_skin_contact(world, g),
                        .point = point,
                        .normal = normal,
                        .separation = far - g->reach,
                        .velocity = v};
}

static sn_result ask_skin_contact(sn_world *world, sn_skin_contact *g, bool late)
{
    bool acts;
    sn_contact c = g->triangle == SN_SKIN_CONTACT_PAIR ? contact_of_balls(world, g->slot[0], g->slot[1], late)
                                                       : contact_of_triangle(world, g, late);
    sn_result result = ask(world, &c, false, &g->friction, &acts);
    g->asked = true;
    g->belt = c.surface_velocity;
    g->belted = !contact_is_zero(g->belt);
    world->contacts.bounces = world->contacts.bounces || g->friction.restitution > 0;
    if (!acts) {
        g->off = true;
        g->normal_impulse = g->last = 0;
        g->tangent_impulse = g->rolled = vec3(0, 0, 0);
    }
    return result;
}

static sn_result ask_skin_contacts(sn_world *world, bool late)
{
    sn_skin_contact *skin_contact = world->contacts.skin_contact_table.column[0];
    const sn_vec4 *x = world->particles.x;
    sn_result result = SN_OK;
    for (uint32_t i = 0; result == SN_OK && i < world->contacts.skin_contacts; ++i) {
        const uint32_t *slot = skin_contact[i].slot;
        if (!skin_contact[i].asked && x[slot[0]].w + x[slot[1]].w + x[slot[2]].w + x[slot[3]].w > 0)
            result = ask_skin_contact(world, &skin_contact[i], late);
    }
    return result;
}

sn_result sn_callbacks_surface(sn_world *world, sn_surface_contact *contact, bool *acts)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    bool turned;
    *acts = true;
    if (!sn_callbacks_any(world))
        return SN_OK;
    sn_vec3 velocity = {0, 0, 0}, apart = velocity;
    for (uint32_t k = 0; k < 4; ++k) {
        const sn_surface_motion *m = &surface_motions(s)[contact->vertex[k]];
        velocity = vec3_add(velocity, vec3_scale(m->velocity, contact->weight[k]));
        apart = vec3_add(apart, vec3_scale(m->start, contact->weight[k]));
    }
    sn_contact c = {.pair = sn_surface_contact_pair(world, contact, &turned),
                    .point = sn_surface_contact_point(s, contact),
                    .separation = vec3_dot(apart, contact->normal) - contact->reach};
    const sn_real side = turned ? -1 : 1;
    c.normal = vec3_scale(contact->normal, side);
    c.velocity = vec3_scale(velocity, side);
    sn_result result = ask(world, &c, false, &contact->friction, acts);
    contact->belt = vec3_scale(c.surface_velocity, side);
    world->contacts.bounces = world->contacts.bounces || contact->friction.restitution > 0;
    return result;
}

sn_result sn_callbacks_begin(sn_world *world)
{
    world->contacts.belts = false;
    if (!sn_callbacks_any(world) || !world->contacts.any)
        return SN_OK;
    sn_result result = ask_statics(world, false);
    if (result == SN_OK)
        result = ask_pairs(world, &world->contacts.pairs[SN_PAIRS_FIRST], false);
    return result == SN_OK ? ask_skin_contacts(world, false) : result;
}

sn_result sn_callbacks_late(sn_world *world)
{
    if (!sn_callbacks_any(world))
        return SN_OK;
    sn_result result = ask_statics(world, true);
    return result == SN_OK ? ask_pairs(world, &world->contacts.pairs[SN_PAIRS_LATE], true) : result;
}

sn_result sn_callbacks_late_skins(sn_world *world)
{
    return sn_callbacks_any(world) ? ask_skin_contacts(world, true) : SN_OK;
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

/* m/s: of the point of a mover that is at this place. */
static sn_vec3 mover_velocity(const sn_world *world, const sn_mover *m, sn_vec3 place)
{
    const sn_vec4 *record = contact_record(world, (uint32_t)(m - contact_movers(world)));
    const sn_vec3 arm = vec3_sub(place, vec4_xyz(world->particles.x[m->slot]));
    return vec3_add(vec4_xyz(record[0]), vec3_cross(vec4_xyz(record[1]), arm));
}

static sn_contact contact_of_contact(const sn_world *world, const sn_body_contact *contact, const sn_manifold *manifold)
{
    const sn_mover *a = &contact_movers(world)[contact->a];
    const sn_pose pose = contact_pose(world, a);
    uint32_t deepest = 0;
    for (uint32_t i = 1; i < manifold->count; ++i)
        if (manifold->point[i].distance < manifold->point[deepest].distance)
            deepest = i;
    sn_contact c = {.normal = manifold->normal, .separation = manifold->point[deepest].distance};
    c.point = sn_pose_to_world(&pose, sn_part_point(world, contact->part_a, manifold->point[deepest].a));
    c.pair = sn_contact_pair_of_contact(world, contact, c.point);
    c.velocity = mover_velocity(world, a, c.point);
    if (contact->b == SN_NO_MOVER) {
        const sn_fixed_motion *m = contact_motion(world, contact->fixed_shape);
        c.velocity = vec3_sub(c.velocity, fixed_shape_velocity(m, &m->start, c.point));
    } else {
        c.velocity = vec3_sub(c.velocity, mover_velocity(world, &contact_movers(world)[contact->b], c.point));
    }
    return c;
}

static sn_result ask_contact(sn_world *world, sn_body_contact *contact, const sn_manifold *manifold)
{
    sn_contact c = contact_of_contact(world, contact, manifold);
    c.surface_velocity = contact->belt;
    bool acts, turned = sn_contact_pair_sort(&c.pair);
    if (turned) {
        c.normal = vec3_scale(c.normal, -1);
        c.velocity = vec3_scale(c.velocity, -1);
        c.surface_velocity = vec3_scale(c.surface_velocity, -1);
    }
    sn_result result = ask(world, &c, contact->sensor, &contact->friction, &acts);
    contact->asked = true;
    contact->belt = vec3_scale(c.surface_velocity, turned ? -1 : 1);
    world->body_contacts.bounces = world->body_contacts.bounces || contact->friction.restitution > 0;
    if (!acts)
        contact->sensor = contact->off = true;
    return result;
}

bool sn_callbacks_contacts(const sn_body_contact_substep *s)
{
    sn_world *world = s->world;
    const sn_body_contact_watch *watch = world->body_contacts.contact_table.column[4];
    sn_result result = SN_OK;
    for (uint32_t i = 0; sn_callbacks_any(world) && result == SN_OK && i < world->body_contacts.count; ++i) {
        sn_body_contact *contact = &contact_all(world)[i];
        sn_manifold manifold;
        if (!contact->asked && !sn_body_contact_stays_apart(s, &watch[i]) &&
            sn_body_contact_manifold(world, contact, sn_body_contact_reach(s, contact), &manifold))
            result = ask_contact(world, contact, &manifold);
    }
    world->contacts.failed = result;
    return result == SN_OK;
}
