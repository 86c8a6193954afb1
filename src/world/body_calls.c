/* Rigid bodies of every type: short forms, reading, changing, forces. */
#include "world/body_work.h"

#include "integrators/integrator.h"

#include <string.h>

#define NOT_A_VECTOR vec3((sn_real)NAN, (sn_real)NAN, (sn_real)NAN)

/* A body that a call reads or changes. */
typedef struct found {
    uint32_t number;      /* SN_ID_FREE: no such body, and an error is set */
    sn_fixed_body *fixed; /* NULL: it is dynamic */
    sn_body_state *state; /* NULL: it is fixed and has no anchor */
} found;

static found find(const sn_world *world, sn_body body)
{
    found f = {.number = world ? sn_body_number(world, body) : SN_ID_FREE};
    if (f.number == SN_ID_FREE)
        return f;
    const uint32_t row = sn_body_row_of(world, f.number);
    f.fixed = sn_fixed_of(world, f.number);
    f.state = row == SN_ID_FREE ? NULL : &world->bodies.state[row];
    return f;
}

static sn_vec3 centre_of(const sn_world *world, const sn_body_state *body)
{
    return vec4_xyz(world->particles.x[world->ids.value[body->particle]]);
}

/* ---- Short forms ------------------------------------------------------------------------------------------------- */

static sn_body add_short(sn_world *world, sn_body_type type, sn_vec3 position, sn_quat rotation,
                         const sn_shape_def *shape, sn_real density)
{
    sn_body_def def = sn_default_body_def();
    sn_body body = {0};
    def.type = type;
    def.position = position;
    def.rotation = rotation;
    def.shapes = shape;
    def.shape_count = 1;
    if (type == SN_BODY_DYNAMIC)
        def.density = density;
    sn_body_add(world, &def, &body);
    return body;
}

static const sn_quat no_turn = {0, 0, 0, 1};

static sn_body add_sphere(sn_world *world, sn_body_type type, sn_vec3 centre, sn_real radius, sn_real density)
{
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_SPHERE);
    shape.radius = radius;
    return add_short(world, type, centre, no_turn, &shape, density);
}

static sn_body add_box(sn_world *world, sn_body_type type, sn_vec3 centre, sn_vec3 half, sn_real density)
{
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
    shape.half = half;
    return add_short(world, type, centre, no_turn, &shape, density);
}

static sn_vec3 half_of(sn_vec3 a)
{
    return vec3(a.x / 2, a.y / 2, a.z / 2);
}

/* A capsule or a cylinder along the segment from a to b. */
static sn_body add_along(sn_world *world, sn_body_type type, sn_shape_type of, sn_vec3 a, sn_vec3 b, sn_real radius,
                         sn_real density)
{
    sn_shape_def shape = sn_default_shape_def(of);
    sn_vec3 half = vec3_sub(half_of(b), half_of(a));
    shape.radius = radius;
    shape.half.y = (sn_real)sqrt(vec3_dot_double(half, half));
    if (!(shape.half.y > 0) || !vec3_is_finite(half)) {
        if (sn_world_enter(world) == SN_OK)
            world_fail(world, SN_ERROR_ARGUMENT,
                       "the ends of a %s are (%g, %g, %g) and (%g, %g, %g); they must be finite and apart",
                       sn_shape_type_name(of), (double)a.x, (double)a.y, (double)a.z, (double)b.x, (double)b.y,
                       (double)b.z);
        return (sn_body){0};
    }
    return add_short(world, type, vec3_add(half_of(a), half_of(b)), sn_quat_to(half), &shape, density);
}

sn_body sn_body_add_sphere(sn_world *world, sn_vec3 centre, sn_real radius, sn_real density)
{
    return add_sphere(world, SN_BODY_DYNAMIC, centre, radius, density);
}

sn_body sn_body_add_box(sn_world *world, sn_vec3 centre, sn_vec3 half, sn_real density)
{
    return add_box(world, SN_BODY_DYNAMIC, centre, half, density);
}

sn_body sn_body_add_capsule(sn_world *world, sn_vec3 a, sn_vec3 b, sn_real radius, sn_real density)
{
    return add_along(world, SN_BODY_DYNAMIC, SN_SHAPE_CAPSULE, a, b, radius, density);
}

sn_body sn_body_add_cylinder(sn_world *world, sn_vec3 a, sn_vec3 b, sn_real radius, sn_real density)
{
    return add_along(world, SN_BODY_DYNAMIC, SN_SHAPE_CYLINDER, a, b, radius, density);
}

sn_body sn_static_add_sphere(sn_world *world, sn_vec3 centre, sn_real radius)
{
    return add_sphere(world, SN_BODY_STATIC, centre, radius, 0);
}

sn_body sn_static_add_box(sn_world *world, sn_vec3 centre, sn_vec3 half)
{
    return add_box(world, SN_BODY_STATIC, centre, half, 0);
}

sn_body sn_static_add_capsule(sn_world *world, sn_vec3 a, sn_vec3 b, sn_real radius)
{
    return add_along(world, SN_BODY_STATIC, SN_SHAPE_CAPSULE, a, b, radius, 0);
}

sn_body sn_static_add_cylinder(sn_world *world, sn_vec3 a, sn_vec3 b, sn_real radius)
{
    return add_along(world, SN_BODY_STATIC, SN_SHAPE_CYLINDER, a, b, radius, 0);
}

sn_body sn_static_add_plane(sn_world *world, sn_vec3 point, sn_vec3 normal)
{
    const sn_shape_def shape = sn_default_shape_def(SN_SHAPE_PLANE);
    if (sn_world_enter(world) != SN_OK || sn_world_check_vector(world, "plane: normal", normal) != SN_OK)
        return (sn_body){0};
    if (normal.x == 0 && normal.y == 0 && normal.z == 0) {
        world_fail(world, SN_ERROR_ARGUMENT, "plane: normal is (0, 0, 0); it must have a direction");
        return (sn_body){0};
    }
    return add_short(world, SN_BODY_STATIC, point, sn_quat_to(normal), &shape, 0);
}

sn_result sn_body_remove(sn_world *world, sn_body body)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    const found f = find(world, body);
    if (f.number == SN_ID_FREE)
        return SN_ERROR_STALE;
    return f.fixed ? sn_fixed_remove(world, f.number) : sn_particle_remove(world, sn_body_particle(world, body));
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

bool sn_body_is_valid(const sn_world *world, sn_body body)
{
    return world && sn_ids_is_valid(&world->bodies.names, body.index, body.generation);
}

uint32_t sn_world_body_count(const sn_world *world)
{
    return world ? world->bodies.names.live : 0;
}

uint32_t sn_world_body_limit(const sn_world *world)
{
    return world ? world->bodies.names.table.count : 0;
}

sn_body sn_body_from_index(const sn_world *world, uint32_t index)
{
    if (world && sn_ids_is_live(&world->bodies.names, index))
        return (sn_body){index, world->bodies.names.generation[index]};
    if (world)
        world_fail(world, SN_ERROR_STALE, "there is no body number %u", index);
    return (sn_body){0};
}

sn_body_type sn_body_type_of(const sn_world *world, sn_body body)
{
    const found f = find(world, body);
    return f.fixed ? (sn_body_type)f.fixed->type : SN_BODY_DYNAMIC;
}

sn_particle sn_body_particle(const sn_world *world, sn_body body)
{
    const found f = find(world, body);
    return f.state ? (sn_particle){f.state->particle, world->ids.generation[f.state->particle]} : (sn_particle){0};
}

sn_body sn_particle_body(const sn_world *world, sn_particle particle)
{
    uint32_t slot = world ? sn_world_slot(world, particle) : SN_NO_SLOT, row;
    if (slot == SN_NO_SLOT || !(row = world->particles.body[slot]))
        return (sn_body){0};
    return sn_body_of_row(world, row - 1);
}

sn_vec3 sn_body_centre(const sn_world *world, sn_body body)
{
    const found f = find(world, body);
    return f.number == SN_ID_FREE ? NOT_A_VECTOR : f.fixed ? f.fixed->pose.position : centre_of(world, f.state);
}

sn_vec3 sn_body_to_world(const sn_world *world, sn_body body, sn_vec3 place)
{
    const found f = find(world, body);
    const sn_body_state *state = f.state;
    if (f.number == SN_ID_FREE)
        return NOT_A_VECTOR;
    if (f.fixed)
        return sn_pose_to_world(&f.fixed->pose, place);
    double a[3] = {(double)place.x - state->centre[0], (double)place.y - state->centre[1],
                   (double)place.z - state->centre[2]};
    sn_rotate_vector(state->own, a, a);
    sn_rotate_vector(state->q, a, a);
    sn_vec3 centre = centre_of(world, state);
    return vec3((sn_real)((double)centre.x + a[0]), (sn_real)((double)centre.y + a[1]),
                (sn_real)((double)centre.z + a[2]));
}

sn_vec3 sn_body_to_own(const sn_world *world, sn_body body, sn_vec3 place)
{
    const found f = find(world, body);
    const sn_body_state *state = f.state;
    if (f.number == SN_ID_FREE)
        return NOT_A_VECTOR;
    if (f.fixed)
        return sn_pose_to_own(&f.fixed->pose, place);
    sn_vec3 centre = centre_of(world, state);
    double a[3] = {(double)place.x - (double)centre.x, (double)place.y - (double)centre.y,
                   (double)place.z - (double)centre.z};
    sn_rotate_vector_back(state->q, a, a);
    sn_rotate_vector_back(state->own, a, a);
    for (int i = 0; i < 3; ++i)
        a[i] += state->centre[i];
    return round_vector(a);
}

sn_vec3 sn_body_position(const sn_world *world, sn_body body)
{
    return sn_body_to_world(world, body, vec3(0, 0, 0));
}

sn_quat sn_body_rotation(const sn_world *world, sn_body body)
{
    const found f = find(world, body);
    double q[4];
    if (f.number == SN_ID_FREE)
        return (sn_quat){(sn_real)NAN, (sn_real)NAN, (sn_real)NAN, (sn_real)NAN};
    if (f.fixed)
        return f.fixed->pose.rotation;
    sn_rotate_times(f.state->q, f.state->own, q);
    return round_quat(q);
}

sn_vec3 sn_body_velocity(const sn_world *world, sn_body body)
{
    const found f = find(world, body);
    if (f.number == SN_ID_FREE)
        return NOT_A_VECTOR;
    return f.fixed ? f.fixed->velocity : vec4_xyz(world->particles.v[world->ids.value[f.state->particle]]);
}

static void spin_of(const sn_body_state *body, double spin[3])
{
    double inverse[3];
    sn_body_inverse_moments(body, inverse);
    sn_rotate_velocity(body->q, body->l, inverse, spin);
}

sn_vec3 sn_body_spin(const sn_world *world, sn_body body)
{
    const found f = find(world, body);
    double spin[3];
    if (f.number == SN_ID_FREE)
        return NOT_A_VECTOR;
    if (f.fixed)
        return f.fixed->spin;
    spin_of(f.state, spin);
    return round_vector(spin);
}

sn_vec3 sn_body_angular_momentum(const sn_world *world, sn_body body)
{
    const found f = find(world, body);
    if (f.number == SN_ID_FREE || f.fixed)
        return NOT_A_VECTOR;
    double mass = (double)world->particles.v[world->ids.value[f.state->particle]].w;
    double l[3] = {mass * f.state->l[0], mass * f.state->l[1], mass * f.state->l[2]};
    return isinf(mass) ? NOT_A_VECTOR : round_vector(l);
}

sn_vec3 sn_body_velocity_at(const sn_world *world, sn_body body, sn_vec3 place)
{
    const found f = find(world, body);
    if (f.number == SN_ID_FREE)
        return NOT_A_VECTOR;
    return vec3_add(sn_body_velocity(world, body),
                    vec3_cross(sn_body_spin(world, body), vec3_sub(place, sn_body_centre(world, body))));
}

sn_real sn_body_mass(const sn_world *world, sn_body body)
{
    const found f = find(world, body);
    if (f.number == SN_ID_FREE)
        return (sn_real)NAN;
    return f.fixed ? SN_IMMOVABLE : world->particles.v[world->ids.value[f.state->particle]].w;
}

uint32_t sn_body_group(const sn_world *world, sn_body body)
{
    const found f = find(world, body);
    if (f.number == SN_ID_FREE)
        return 0;
    return f.fixed ? f.fixed->group : world->particles.group[world->ids.value[f.state->particle]];
}

uint64_t sn_body_user(const sn_world *world, sn_body body)
{
    const found f = find(world, body);
    if (f.number == SN_ID_FREE)
        return 0;
    return f.fixed ? f.fixed->user : world->particles.user[world->ids.value[f.state->particle]];
}

uint32_t sn_body_shape_count(const sn_world *world, sn_body body)
{
    const found f = find(world, body);
    return f.number == SN_ID_FREE ? 0 : f.fixed ? f.fixed->shapes : f.state->parts;
}

static bool has_shape(const sn_world *world, const found *f, uint32_t shape)
{
    const uint32_t count = f->fixed ? f->fixed->shapes : f->state->parts;
    if (shape < count)
        return true;
    world_fail(world, SN_ERROR_ARGUMENT, "shape %u of body %u does not exist; it has %u", shape, f->number, count);
    return false;
}

uint64_t sn_body_shape_user(const sn_world *world, sn_body body, uint32_t shape)
{
    const found f = find(world, body);
    if (f.number == SN_ID_FREE || !has_shape(world, &f, shape))
        return 0;
    return f.fixed ? contact_fixed_shape(&world->contact, f.fixed->first_shape + shape)->def.user
                   : world->bodies.part[f.state->part + shape].user;
}

const sn_contact_material *sn_part_material(const sn_world *world, uint32_t part, uint32_t slot)
{
    const sn_body_part *p = &world->bodies.part[part];
    return p->has_material ? &p->material : &sn_contact_group(&world->contact, world->particles.group[slot])->material;
}

sn_filter sn_part_filter(const sn_world *world, uint32_t part, uint32_t slot)
{
    const sn_body_part *p = &world->bodies.part[part];
    if (p->has_filter)
        return p->filter;
    const sn_group_contact *group = sn_contact_group(&world->contact, world->particles.group[slot]);
    return (sn_filter){group->category, group->mask};
}

/* Sets the sizes that the type of the shape uses. */
static void read_sizes(const sn_body_part *part, sn_shape_def *shape)
{
    const sn_vec3 half = part->convex.half;
    const bool revolved = sn_is_revolved(part->convex.type);
    shape->half = revolved ? vec3(0, half.y, 0) : half;
    const bool round = part->convex.type <= SN_SHAPE_CAPSULE; /* its rounding is included in its radius */
    shape->radius = revolved ? half.x : round ? part->convex.radius : 0;
    shape->rounding = round ? 0 : part->convex.radius;
}

/* The shapes of a body as a user would define them, in scratch memory of the world. */
static bool read_shapes(sn_world *world, const sn_body_state *body)
{
    sn_bodies *bodies = &world->bodies;
    const hull_source *source = bodies->hull_table.column[1];
    if (!sn_table_reserve(&bodies->shape_table, &world->allocator, body->parts))
        return false;
    for (uint32_t i = 0; i < body->parts; ++i) {
        const sn_body_part *part = &bodies->part[body->part + i];
        sn_shape_def *shape = (sn_shape_def *)bodies->shape_table.column[0] + i;
        *shape = sn_default_shape_def(part->convex.type);
        shape->position = sn_body_place(body, part->place);
        shape->rotation = sn_body_place_turn(body, part->turn);
        read_sizes(part, shape);
        shape->density = part->density;
        shape->user = part->user;
        shape->sensor = part->sensor != 0;
        shape->material = part->has_material ? &part->material : NULL;
        shape->filter = part->has_filter ? &part->filter : NULL;
        if (!part->hull)
            continue;
        shape->vertices = source[part->hull - 1].point;
        shape->vertex_count = source[part->hull - 1].count;
        shape->position =
            vec3_sub(shape->position, sn_quat_rotate(shape->rotation, dvec3_round(part->convex.hull->centroid)));
    }
    sn_body_keep_read(&bodies->shape_table, body->parts);
    return true;
}

sn_result sn_body_read(const sn_world *world, sn_body body, sn_body_def *def)
{
    const found f = find(world, body);
    const sn_body_state *state = f.state;
    if (f.number == SN_ID_FREE)
        return world ? SN_ERROR_STALE : SN_ERROR_ARGUMENT;
    if (!def)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is NULL");
    if (f.fixed)
        return sn_fixed_read(world, f.fixed, def);
    if (!read_shapes((sn_world *)world, state))
        return world_fail(world, SN_ERROR_MEMORY, "no memory to read the shapes of a body");
    uint32_t slot = world->ids.value[state->particle];
    *def = sn_default_body_def();
    def->position = sn_body_position(world, body);
    def->rotation = sn_body_rotation(world, body);
    def->velocity = sn_body_velocity(world, body);
    def->spin = sn_body_spin(world, body);
    def->shapes = state->parts ? world->bodies.shape_table.column[0] : NULL;
    def->shape_count = state->parts;
    def->mass = world->particles.v[slot].w;
    def->centre = round_vector(state->centre);
    def->axes =
        (sn_quat){-(sn_real)state->own[0], -(sn_real)state->own[1], -(sn_real)state->own[2], (sn_real)state->own[3]};
    def->spin_damping = state->spin_damping;
    def->group = world->particles.group[slot];
    def->user = world->particles.user[slot];
    if (def->mass == SN_IMMOVABLE)
        return SN_OK; /* its moments are measured again */
    double moment[3];
    for (int i = 0; i < 3; ++i)
        moment[i] = (double)def->mass * state->k[i] * state->k[i];
    def->moments = round_vector(moment);
    return SN_OK;
}

/* ---- Changing ---------------------------------------------------------------------------------------------------- */

/* Common start of the calls below. */
static sn_result begin(sn_world *world, sn_body body, found *f)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    *f = find(world, body);
    return f->number == SN_ID_FREE ? SN_ERROR_STALE : SN_OK;
}

/* The same for calls that only a dynamic body supports. */
static sn_result begin_dynamic(sn_world *world, sn_body body, const char *what, sn_body_state **state)
{
    found f;
    sn_result result = begin(world, body, &f);
    if (result != SN_OK)
        return result;
    if (f.fixed)
        return world_fail(world, SN_ERROR_ARGUMENT, "body %u is %s; it has no %s", f.number,
                          f.fixed->type == SN_BODY_STATIC ? "static" : "kinematic", what);
    *state = f.state;
    return SN_OK;
}

static sn_result check_pose(const sn_world *world, sn_vec3 position, sn_quat rotation)
{
    sn_result result = sn_world_check_vector(world, "position", position);
    if (result == SN_OK)
        result = body_check_quat(world, "rotation", rotation);
    return result == SN_OK ? body_check_planar(world, "rotation", rotation, vec3(0, 0, 0)) : result;
}

static sn_particle particle_of(const sn_world *world, uint32_t row)
{
    const uint32_t number = world->bodies.state[row].particle;
    return (sn_particle){number, world->ids.generation[number]};
}

sn_result sn_body_row_set_pose(sn_world *world, uint32_t row, sn_vec3 position, sn_quat rotation)
{
    double spin[3];
    sn_body_state turned = world->bodies.state[row];
    spin_of(&turned, spin);
    body_set_turn(&turned, rotation);
    body_set_spin(&turned, round_vector(spin));
    sn_result result = sn_particle_set_position(world, particle_of(world, row), body_centre_at(&turned, position));
    if (result != SN_OK)
        return result;
    world->bodies.state[row] = turned;
    sn_bodies_refresh(&world->bodies, row);
    return SN_OK;
}

sn_result sn_body_row_move_to(sn_world *world, uint32_t row, sn_vec3 position, sn_quat rotation)
{
    sn_body_state turned = world->bodies.state[row];
    body_set_turn(&turned, rotation);
    sn_result result = sn_particle_move_to(world, particle_of(world, row), body_centre_at(&turned, position));
    if (result != SN_OK)
        return result;
    sn_body_state *state = &world->bodies.state[row];
    memcpy(state->target, turned.q, sizeof state->target);
    state->kinematic = true;
    return SN_OK;
}

sn_result sn_body_set_pose(sn_world *world, sn_body body, sn_vec3 position, sn_quat rotation)
{
    found f;
    sn_result result = begin(world, body, &f);
    if (result != SN_OK)
        return result;
    if (f.fixed)
        return sn_fixed_set_pose(world, f.fixed, position, rotation);
    result = check_pose(world, position, rotation);
    return result == SN_OK ? sn_body_row_set_pose(world, sn_body_row_of(world, f.number), position, rotation) : result;
}

sn_result sn_body_set_velocity(sn_world *world, sn_body body, sn_vec3 velocity, sn_vec3 spin)
{
    found f;
    sn_result result = begin(world, body, &f);
    if (result != SN_OK)
        return result;
    if (f.fixed)
        return sn_fixed_set_velocity(world, f.fixed, velocity, spin);
    if ((result = body_check_planar(world, "spin", (sn_quat){0}, spin)) != SN_OK ||
        (result = body_check_spin(world, spin)) != SN_OK)
        return result;
    if ((result = sn_particle_set_velocity(world, sn_body_particle(world, body), velocity)) == SN_OK)
        body_set_spin(f.state, spin);
    return result;
}

sn_result sn_body_move_to(sn_world *world, sn_body body, sn_vec3 position, sn_quat rotation)
{
    found f;
    sn_result result = begin(world, body, &f);
    if (result != SN_OK)
        return result;
    if (f.fixed)
        return sn_fixed_move_to(world, f.fixed, position, rotation);
    result = check_pose(world, position, rotation);
    return result == SN_OK ? sn_body_row_move_to(world, sn_body_row_of(world, f.number), position, rotation) : result;
}

sn_result sn_body_set_type(sn_world *world, sn_body body, sn_body_type type)
{
    static const char *const names[] = {"dynamic", "static", "kinematic"};
    found f;
    sn_result result = begin(world, body, &f);
    if (result != SN_OK)
        return result;
    if ((unsigned)type > SN_BODY_KINEMATIC)
        return world_fail(world, SN_ERROR_ARGUMENT, "type is %d, which is no sn_body_type", (int)type);
    if (!f.fixed != (type == SN_BODY_DYNAMIC))
        return world_fail(world, SN_ERROR_ARGUMENT, "body %u is %s and cannot become %s", f.number,
                          names[f.fixed ? f.fixed->type : SN_BODY_DYNAMIC], names[type]);
    return f.fixed ? sn_fixed_set_type(world, f.fixed, type) : SN_OK;
}

sn_result sn_body_set_group(sn_world *world, sn_body body, uint32_t group)
{
    found f;
    sn_result result = begin(world, body, &f);
    if (result == SN_OK && f.state)
        result = sn_particle_set_group(world, sn_body_particle(world, body), group);
    if (result != SN_OK || !f.fixed)
        return result;
    f.fixed->group = group;
    for (uint32_t i = f.fixed->first_shape; i < f.fixed->first_shape + f.fixed->shapes; ++i) {
        sn_fixed_shape_changes(world, i);
        contact_fixed_shape(&world->contact, i)->group = group;
        sn_fixed_shape_changed(world, i);
    }
    return SN_OK;
}

sn_result sn_body_set_user(sn_world *world, sn_body body, uint64_t user)
{
    found f;
    sn_result result = begin(world, body, &f);
    if (result == SN_OK && f.state)
        result = sn_particle_set_user(world, sn_body_particle(world, body), user);
    if (result == SN_OK && f.fixed)
        f.fixed->user = user;
    return result;
}

/* Common start of the calls that change a shape. */
static sn_result begin_shape(sn_world *world, sn_body body, uint32_t shape, found *f)
{
    sn_result result = begin(world, body, f);
    if (result == SN_OK && !has_shape(world, f, shape))
        return SN_ERROR_ARGUMENT;
    return result;
}

sn_result sn_body_set_material(sn_world *world, sn_body body, uint32_t shape, const sn_contact_material *material)
{
    found f;
    sn_result result = begin_shape(world, body, shape, &f);
    if (result == SN_OK && material)
        result = sn_world_check_material(world, "material", material);
    if (result != SN_OK)
        return result;
    const sn_contact_material none = {0};
    if (f.fixed) {
        sn_fixed_shape *record = contact_fixed_shape(&world->contact, f.fixed->first_shape + shape);
        record->has_material = material != NULL;
        record->material = material ? *material : none;
        sn_fixed_shape_edited(&world->contact, record->number);
        sn_fixed_shape_changes(world, record->number);
        return SN_OK;
    }
    sn_body_part *part = &world->bodies.part[f.state->part + shape];
    part->has_material = material != NULL;
    part->material = material ? *material : none;
    world->contact.edits++;
    sn_sleep_disturb(world, f.state->particle);
    return SN_OK;
}

sn_result sn_body_set_filter(sn_world *world, sn_body body, uint32_t shape, const sn_filter *filter)
{
    found f;
    sn_result result = begin_shape(world, body, shape, &f);
    if (result != SN_OK)
        return result;
    const sn_filter none = {0, 0};
    if (f.fixed) {
        sn_fixed_shape *record = contact_fixed_shape(&world->contact, f.fixed->first_shape + shape);
        sn_fixed_shape_changes(world, record->number);
        record->has_filter = filter != NULL;
        record->filter = filter ? *filter : none;
        sn_fixed_shape_changed(world, record->number);
        return SN_OK;
    }
    sn_body_part *part = &world->bodies.part[f.state->part + shape];
    part->has_filter = filter != NULL;
    part->filter = filter ? *filter : none;
    world->contact.edits++;
    sn_sleep_disturb(world, f.state->particle);
    return SN_OK;
}

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

/* The torque of a force at a point, about the centre of mass. */
static void torque_of(const sn_world *world, const sn_body_state *state, sn_vec3 force, sn_vec3 place, double torque[3])
{
    sn_dvec3 arm = dvec3_sub(dvec3_from(place), dvec3_from(centre_of(world, state)));
    sn_dvec3 t = dvec3_cross(arm, dvec3_from(force));
    torque[0] = t.x;
    torque[1] = t.y;
    torque[2] = t.z;
}

/* In a 2D world only the component about z counts. */
static sn_result add_torque(sn_world *world, sn_body_state *state, const double torque[3])
{
    for (int i = 0; i < 3; ++i) {
        double sum = state->torque[i] + torque[i];
        if (!(fabs(sum) < 1e30))
            return world_fail(world, SN_ERROR_ARGUMENT, "the sum of the torques on the body would be %g N m", sum);
    }
    for (int i = world->dimensions == 2 ? 2 : 0; i < 3; ++i)
        state->torque[i] += torque[i];
    return SN_OK;
}

sn_result sn_body_apply_force(sn_world *world, sn_body body, sn_vec3 force, sn_vec3 place)
{
    sn_body_state *state = NULL;
    double torque[3];
    sn_result result = begin_dynamic(world, body, "force", &state);
    if (result != SN_OK || (result = sn_world_check_vector(world, "force", force)) != SN_OK ||
        (result = sn_world_check_vector(world, "place", place)) != SN_OK)
        return result;
    torque_of(world, state, force, place, torque);
    sn_body_state before = *state;
    if ((result = add_torque(world, state, torque)) != SN_OK)
        return result;
    if ((result = sn_particle_apply_force(world, sn_body_particle(world, body), force)) != SN_OK)
        *state = before;
    return result;
}

sn_result sn_body_apply_torque(sn_world *world, sn_body body, sn_vec3 torque)
{
    sn_body_state *state = NULL;
    sn_result result = begin_dynamic(world, body, "torque", &state);
    if (result != SN_OK)
        return result;
    double sum[3] = {(double)torque.x, (double)torque.y, (double)torque.z};
    if (!vec3_is_finite(torque))
        return world_fail(world, SN_ERROR_ARGUMENT, "torque is (%g, %g, %g) N m; it must be finite", sum[0], sum[1],
                          sum[2]);
    if ((result = add_torque(world, state, sum)) != SN_OK)
        return result;
    sn_sleep_disturb(world, state->particle);
    return SN_OK;
}

/* The angular momentum of a body after an angular impulse, per mass. */
static sn_result turned_momentum(const sn_world *world, const sn_body_state *state, const double impulse[3],
                                 double l[3])
{
    double w = (double)world->particles.x[world->ids.value[state->particle]].w;
    for (int i = 0; i < 3; ++i)
        l[i] = state->l[i] + (world->dimensions == 2 && i < 2 ? 0 : w * impulse[i]);
    if (!body_turns_soundly(state, state->q, l))
        return world_fail(
            world, SN_ERROR_ARGUMENT,
            "the impulse would give the body an angular momentum of (%g, %g, %g) m^2/s by its mass, with which it "
            "may turn at %g rad/s",
            l[0], l[1], l[2], SN_TOO_FAST);
    return SN_OK;
}

static void set_momentum(sn_world *world, sn_body_state *state, const double l[3])
{
    memcpy(state->l, l, sizeof state->l);
    sn_world_break_motion(world);
    sn_sleep_disturb(world, state->particle);
}

sn_result sn_body_apply_impulse(sn_world *world, sn_body body, sn_vec3 impulse, sn_vec3 place)
{
    sn_body_state *state = NULL;
    double turning[3], l[3];
    sn_result result = begin_dynamic(world, body, "impulse", &state);
    if (result != SN_OK || (result = sn_world_check_vector(world, "impulse", impulse)) != SN_OK ||
        (result = sn_world_check_vector(world, "place", place)) != SN_OK)
        return result;
    torque_of(world, state, impulse, place, turning);
    if ((result = turned_momentum(world, state, turning, l)) != SN_OK ||
        (result = sn_particle_apply_impulse(world, sn_body_particle(world, body), impulse)) != SN_OK)
        return result;
    set_momentum(world, state, l);
    return SN_OK;
}

sn_result sn_body_apply_angular_impulse(sn_world *world, sn_body body, sn_vec3 impulse)
{
    sn_body_state *state = NULL;
    sn_result result = begin_dynamic(world, body, "impulse", &state);
    double turning[3] = {(double)impulse.x, (double)impulse.y, (double)impulse.z}, l[3];
    if (result != SN_OK)
        return result;
    if (!vec3_is_finite(impulse))
        return world_fail(world, SN_ERROR_ARGUMENT, "impulse is (%g, %g, %g) N m s; it must be finite", turning[0],
                          turning[1], turning[2]);
    if ((result = turned_momentum(world, state, turning, l)) == SN_OK)
        set_momentum(world, state, l);
    return result;
}

sn_result sn_body_set_mass(sn_world *world, sn_body body, sn_real mass)
{
    sn_body_state *state = NULL;
    sn_result result = begin_dynamic(world, body, "mass", &state);
    return result == SN_OK ? sn_particle_set_mass(world, sn_body_particle(world, body), mass) : result;
}

sn_result sn_body_set_spin_damping(sn_world *world, sn_body body, sn_real damping)
{
    sn_body_state *state = NULL;
    sn_result result = begin_dynamic(world, body, "spin of its own", &state);
    if (result != SN_OK)
        return result;
    if (!isfinite(damping) || damping < 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "damping is %g 1/s; it must be finite and not negative",
                          (double)damping);
    state->spin_damping = damping;
    sn_world_break_motion(world);
    sn_sleep_disturb(world, state->particle);
    return SN_OK;
}
