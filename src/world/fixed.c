/* Static and kinematic bodies. */
#include "world/fixed.h"

#include "base/hash.h"
#include "world/world.h"

#include <string.h>

static sn_fixed_body *fixed_bodies(const sn_world *world)
{
    return world->bodies.fixed_table.column[0];
}

sn_fixed_body *sn_fixed_of(const sn_world *world, uint32_t number)
{
    const uint32_t value = world->bodies.names.value[number];
    return value & SN_NAME_FIXED ? &fixed_bodies(world)[value & ~SN_NAME_FIXED] : NULL;
}

uint32_t sn_fixed_shape_of(const sn_world *world, sn_body body, uint32_t shape)
{
    return sn_fixed_of(world, body.index)->first_shape + shape;
}

/* ---- Adding and removing ----------------------------------------------------------------------------------------- */

static bool is_zero(sn_vec3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

static sn_result check_velocity(const sn_world *world, uint32_t type, sn_vec3 velocity, sn_vec3 spin)
{
    sn_result result = sn_world_check_vector(world, "velocity", velocity);
    if (result != SN_OK || (result = sn_world_check_spin(world, "spin", spin)) != SN_OK)
        return result;
    if (type == SN_BODY_STATIC && !(is_zero(velocity) && is_zero(spin)))
        return world_fail(
            world, SN_ERROR_ARGUMENT,
            "velocity is (%g, %g, %g) m/s and spin (%g, %g, %g) rad/s; a static body has none, a kinematic "
            "one may",
            (double)velocity.x, (double)velocity.y, (double)velocity.z, (double)spin.x, (double)spin.y, (double)spin.z);
    return SN_OK;
}

static sn_result check(const sn_world *world, const sn_body_def *def)
{
    sn_result result;
    if ((result = sn_world_check_vector(world, "position", def->position)) != SN_OK ||
        (result = sn_world_check_rotation(world, "rotation", def->rotation)) != SN_OK ||
        (result = check_velocity(world, def->type, def->velocity, def->spin)) != SN_OK)
        return result;
    if (def->mass != SN_MEASURE && def->mass != SN_IMMOVABLE)
        return world_fail(world, SN_ERROR_ARGUMENT, "mass is %g kg; a static or kinematic body has none",
                          (double)def->mass);
    if (!def->shapes || !def->shape_count)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s; a static or kinematic body needs one",
                          def->shapes ? "shape_count is 0" : "shapes is NULL");
    return SN_OK;
}

sn_result sn_fixed_add(sn_world *world, const sn_body_def *def, sn_body *body)
{
    sn_bodies *b = &world->bodies;
    sn_fixed_body made;
    uint32_t number, row = b->fixed_table.count;
    sn_result result = check(world, def);
    if (result != SN_OK)
        return result;
    if (!sn_ids_find(&b->names, &world->allocator, 1, SN_MAX_COUNT, &number) ||
        !sn_table_reserve(&b->fixed_table, &world->allocator, (uint64_t)row + 1))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a body (%u are there)", b->names.live);
    memset(&made, 0, sizeof made);
    made.number = number;
    made.type = def->type;
    made.shapes = def->shape_count;
    made.anchor = SN_ID_FREE;
    made.group = def->group;
    made.user = def->user;
    made.pose = (sn_pose){def->position, sn_quat_normal(def->rotation)};
    made.velocity = def->velocity;
    made.spin = def->spin;
    uint32_t generation = sn_ids_take(&b->names, number, 1);
    b->names.value[number] = SN_NAME_FIXED | row;
    fixed_bodies(world)[b->fixed_table.count++] = made; /* first, because waking reads it */
    result =
        sn_fixed_shapes_add(world, def->shapes, def->shape_count, number, def->group, &made.pose, &made.first_shape);
    if (result != SN_OK) {
        b->fixed_table.count--;
        sn_ids_free(&b->names, number);
        return result;
    }
    fixed_bodies(world)[row].first_shape = made.first_shape;
    *body = (sn_body){number, generation};
    return SN_OK;
}

/* The last body moves into the gap; numbers stay. */
static void forget(sn_world *world, uint32_t number)
{
    sn_bodies *b = &world->bodies;
    const sn_fixed_body *body = sn_fixed_of(world, number);
    const uint32_t row = (uint32_t)(body - fixed_bodies(world)), last = b->fixed_table.count - 1;
    sn_fixed_shapes_remove(world, body->first_shape, body->shapes);
    sn_table_copy_row(&b->fixed_table, row, last);
    b->names.value[fixed_bodies(world)[row].number] = SN_NAME_FIXED | row;
    b->fixed_table.count = last;
    sn_ids_free(&b->names, number);
}

sn_result sn_fixed_remove(sn_world *world, uint32_t number)
{
    const sn_fixed_body *body = sn_fixed_of(world, number);
    if (body->anchor == SN_ID_FREE) {
        forget(world, number);
        return SN_OK;
    }
    const uint32_t particle = world->bodies.state[body->anchor].particle;
    return sn_particle_remove(world, (sn_particle){particle, world->ids.generation[particle]}); /* this also removes the
                                                                                                   body */
}

void sn_fixed_loses_anchor(sn_world *world, uint32_t row)
{
    sn_fixed_body *body = sn_fixed_of(world, world->bodies.state[row].number);
    if (body->anchor == row)
        forget(world, body->number);
}

void sn_fixed_drop_anchor(sn_world *world, sn_fixed_body *body)
{
    const uint32_t particle = world->bodies.state[body->anchor].particle;
    body->anchor = SN_ID_FREE; /* first, so that the body stays */
    sn_particle_remove(world, (sn_particle){particle, world->ids.generation[particle]});
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

sn_result sn_fixed_read(const sn_world *world, const sn_fixed_body *body, sn_body_def *def)
{
    sn_table *table = &((sn_world *)world)->bodies.shape_table;
    if (!sn_table_reserve(table, &world->allocator, body->shapes))
        return world_fail(world, SN_ERROR_MEMORY, "no memory to read the shapes of a body");
    sn_shape_def *shape = table->column[0];
    for (uint32_t i = 0; i < body->shapes; ++i)
        sn_fixed_shape_read_def(&world->contact, contact_fixed_shape(&world->contact, body->first_shape + i),
                                &shape[i]);
    sn_body_keep_read(table, body->shapes);
    *def = sn_default_body_def();
    def->type = (sn_body_type)body->type;
    def->position = body->pose.position;
    def->rotation = body->pose.rotation;
    def->velocity = body->velocity;
    def->spin = body->spin;
    def->shapes = shape;
    def->shape_count = body->shapes;
    def->group = body->group;
    def->user = body->user;
    return SN_OK;
}

/* ---- Changing ---------------------------------------------------------------------------------------------------- */

static sn_result check_pose(const sn_world *world, sn_vec3 position, sn_quat rotation)
{
    sn_result result = sn_world_check_vector(world, "position", position);
    return result == SN_OK ? sn_world_check_rotation(world, "rotation", rotation) : result;
}

static void place(sn_world *world, const sn_fixed_body *body)
{
    for (uint32_t i = 0; i < body->shapes; ++i) {
        sn_fixed_shape *record = contact_fixed_shape(&world->contact, body->first_shape + i);
        record->pose = sn_pose_of(&body->pose, &record->own);
    }
}

sn_result sn_fixed_set_pose(sn_world *world, sn_fixed_body *body, sn_vec3 position, sn_quat rotation)
{
    sn_result result = check_pose(world, position, rotation);
    if (result == SN_OK && body->anchor != SN_ID_FREE)
        result = sn_body_row_set_pose(world, body->anchor, position, rotation);
    if (result != SN_OK)
        return result;
    for (uint32_t i = 0; i < body->shapes; ++i)
        sn_fixed_shape_changes(world, body->first_shape + i);
    body->pose = (sn_pose){position, sn_quat_normal(rotation)};
    body->has_target = 0;
    place(world, body);
    for (uint32_t i = 0; i < body->shapes; ++i)
        sn_fixed_shape_changed(world, body->first_shape + i);
    return SN_OK;
}

static void note_edits(sn_world *world, const sn_fixed_body *body)
{
    for (uint32_t i = 0; i < body->shapes; ++i)
        sn_fixed_shape_edited(&world->contact, body->first_shape + i);
}

sn_result sn_fixed_set_velocity(sn_world *world, sn_fixed_body *body, sn_vec3 velocity, sn_vec3 spin)
{
    sn_result result = check_velocity(world, body->type, velocity, spin);
    if (result != SN_OK)
        return result;
    body->velocity = velocity;
    body->spin = spin;
    note_edits(world, body);
    return SN_OK;
}

sn_result sn_fixed_move_to(sn_world *world, sn_fixed_body *body, sn_vec3 position, sn_quat rotation)
{
    if (body->type == SN_BODY_STATIC)
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "body %u is static and cannot be moved to a target; a kinematic one can", body->number);
    sn_result result = check_pose(world, position, rotation);
    if (result == SN_OK && body->anchor != SN_ID_FREE)
        result = sn_body_row_move_to(world, body->anchor, position, rotation);
    if (result != SN_OK)
        return result;
    body->target = (sn_pose){position, sn_quat_normal(rotation)};
    body->has_target = 1;
    note_edits(world, body);
    return SN_OK;
}

sn_result sn_fixed_set_type(sn_world *world, sn_fixed_body *body, sn_body_type type)
{
    if (type == SN_BODY_STATIC && (body->has_target || !is_zero(body->velocity) || !is_zero(body->spin)))
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "body %u moves and cannot become static; set its velocity to 0 first", body->number);
    body->type = type;
    return SN_OK;
}

sn_vec3 sn_fixed_surface_velocity(const sn_world *world, const sn_fixed_shape *shape)
{
    return sn_quat_rotate(sn_fixed_of(world, shape->body)->pose.rotation,
                          sn_fixed_shape_material(&world->contact, shape)->surface_velocity);
}

bool sn_fixed_joins(const sn_world *world, uint32_t number, uint32_t particle)
{
    const uint32_t row = sn_fixed_of(world, number)->anchor;
    return row != SN_ID_FREE &&
           sn_incidence_joins(&world->incidence, &world->constraints, world->bodies.state[row].particle, particle);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

sn_pose sn_fixed_end(const sn_fixed_body *body, sn_real dt)
{
    if (body->has_target)
        return body->target;
    return (sn_pose){vec3_add(body->pose.position, vec3_scale(body->velocity, dt)),
                     sn_quat_rotated(body->pose.rotation, vec3_scale(body->spin, dt))};
}

/* An acceleration as far as it continues the one before: not against it, and at most twice as large. */
static sn_vec3 lasting(sn_vec3 now, sn_vec3 before)
{
    const sn_real along = 2 * vec3_dot(now, before), square = vec3_dot(now, now);
    if (!(along > 0))
        return vec3(0, 0, 0);
    return along < square ? vec3_scale(now, along / square) : now;
}

/* A change of velocity in a step that does not turn it round: the body would go beyond the end of its path, and come
   back. Something may lie there. */
static sn_vec3 without_reversal(sn_vec3 change, sn_vec3 velocity)
{
    const sn_real square = vec3_dot(change, change), most = 4 * vec3_dot(velocity, velocity);
    return square > most ? vec3_scale(change, real_sqrt(most / square)) : change;
}

/* A kinematic body gets a velocity, or a target, for each step. With one velocity throughout the step it would jump
   from step to step, and what lies on it would slide by (change of velocity)^2 / 2 mu g each time. So a body that
   accelerates does so evenly: with v the mean velocity, a the acceleration from the last step to this one, and t the
   time since the middle of the step, its velocity is v + a t. It ends where it would have ended. Only acceleration that
   lasts counts: after a jump, or where velocities tremble, the body moves at one velocity. So it does where it stops. */
sn_fixed_course sn_fixed_follow(const sn_world *world, const sn_fixed_body *body, sn_vec3 velocity, sn_vec3 spin,
                                sn_real dt, sn_vec3 *change, sn_vec3 *spin_change)
{
    const sn_fixed_course none = {0}, *was = body->moved == world->state.steps ? &body->course : &none;
    const sn_real between = was == &none ? dt : (dt + was->dt) / 2;
    const sn_fixed_course now = {.velocity = velocity,
                                 .spin = spin,
                                 .gain = vec3_scale(vec3_sub(velocity, was->velocity), 1 / between),
                                 .spin_gain = vec3_scale(vec3_sub(spin, was->spin), 1 / between),
                                 .dt = dt};
    *change = without_reversal(vec3_scale(lasting(now.gain, was->gain), dt), velocity);
    *spin_change = without_reversal(vec3_scale(lasting(now.spin_gain, was->spin_gain), dt), spin);
    return now;
}

void sn_fixed_arrive(sn_world *world, uint32_t number, const sn_pose *pose, const sn_fixed_course *course)
{
    sn_fixed_body *body = sn_fixed_of(world, number);
    body->pose = *pose;
    body->has_target = 0;
    body->moved = world->state.steps + 1;
    body->course = *course;
}

uint32_t sn_fixed_anchor(sn_world *world, sn_fixed_body *body)
{
    if (body->anchor == SN_ID_FREE)
        body->anchor = sn_bodies_add_anchor(world, body);
    return body->anchor;
}

sn_result sn_fixed_lead(sn_world *world, sn_real dt, uint32_t *kinematic)
{
    sn_result result = SN_OK;
    *kinematic = world->target_table.count;
    for (uint32_t i = 0; i < world->bodies.fixed_table.count && result == SN_OK; ++i) {
        const sn_fixed_body *body = &fixed_bodies(world)[i];
        if (body->anchor == SN_ID_FREE || body->has_target || (is_zero(body->velocity) && is_zero(body->spin)))
            continue;
        const sn_pose end = sn_fixed_end(body, dt);
        if (!vec3_is_finite(end.position))
            return world_fail(world, SN_ERROR_DIVERGED, "at %g s body %u: it would come to (%g, %g, %g) m",
                              world->state.time, body->number, (double)end.position.x, (double)end.position.y,
                              (double)end.position.z);
        result = sn_body_row_move_to(world, body->anchor, end.position, end.rotation);
    }
    return result;
}

void sn_fixed_let_go(sn_world *world, uint32_t kinematic)
{
    const sn_target *target = world->target_table.column[0];
    for (uint32_t i = kinematic; i < world->target_table.count; ++i) {
        const uint32_t slot = world->ids.value[target[i].index];
        world->particles.target[slot] = 0;
        world->bodies.state[world->particles.body[slot] - 1].kinematic = false;
    }
    world->target_table.count = kinematic;
}

bool sn_fixed_shift(sn_world *world, sn_vec3 offset, bool check_only)
{
    for (uint32_t i = 0; i < world->bodies.fixed_table.count; ++i) {
        sn_fixed_body *body = &fixed_bodies(world)[i];
        sn_vec3 position = vec3_sub(body->pose.position, offset), target = vec3_sub(body->target.position, offset);
        if (check_only && (!vec3_is_finite(position) || (body->has_target && !vec3_is_finite(target))))
            return false;
        if (check_only)
            continue;
        body->pose.position = position;
        if (body->has_target)
            body->target.position = target;
    }
    return true;
}

static uint64_t hash_pose(uint64_t hash, const sn_pose *pose)
{
    const sn_quat q = pose->rotation;
    hash = hash_real(hash_real(hash_vec3(hash, pose->position), q.x), q.y);
    return hash_real(hash_real(hash, q.z), q.w);
}

uint64_t sn_fixed_hash(uint64_t hash, const sn_world *world, uint32_t number, const sn_pose *pose)
{
    const sn_fixed_body *body = sn_fixed_of(world, number);
    hash = hash_vec3(hash_vec3(hash_pose(hash, pose), body->velocity), body->spin);
    if (body->moved && body->moved == world->state.steps) {
        const sn_fixed_course *c = &body->course;
        hash = hash_vec3(hash_vec3(hash_vec3(hash, c->velocity), c->spin), c->gain);
        hash = hash_real(hash_vec3(hash, c->spin_gain), c->dt);
    }
    return body->has_target ? hash_pose(hash, &body->target) : hash;
}
