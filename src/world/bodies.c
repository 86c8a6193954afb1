/* Rigid bodies: adding, removing, reading and changing them. How they move in a step is told in turns.c. */
#include "world/world.h"

#include "base/hash.h"
#include "bodies/mass.h"
#include "bodies/rotation.h"
#include "collision/convex.h"
#include "integrators/integrator.h"

#include <stdio.h>
#include <string.h>

/* What a definition that was not started from sn_default_body_def does not hold by accident. */
#define DEF_MADE 0xb0d1e5u

/* Beyond these, squares of radii of gyration would leave the range of a float. */
#define LEAST_RADIUS 1e-15
#define MOST_RADIUS  1e15

#define NOT_A_VECTOR vec3((sn_real)NAN, (sn_real)NAN, (sn_real)NAN)

/* The points that a hull was made of, as they were given: those that are read back must make the same hull. */
typedef struct hull_source {
    sn_vec3 *point;
    uint32_t count;
} hull_source;

/* ---- Storage ------------------------------------------------------------------------------------------------------- */

void sn_bodies_bind(sn_bodies *bodies)
{
    bodies->state = bodies->table.column[0];
    bodies->turn = bodies->turn_table.column[0];
    bodies->motion = bodies->turn_table.column[1];
    bodies->part = bodies->part_table.column[0];
}

void sn_bodies_init(sn_bodies *bodies)
{
    memset(bodies, 0, sizeof *bodies);
    sn_ids_init(&bodies->ids);
    sn_table_column(&bodies->table, sizeof *bodies->state, true);
    sn_table_column(&bodies->turn_table, sizeof *bodies->turn, false);
    sn_table_column(&bodies->turn_table, sizeof *bodies->motion, false);
    sn_table_column(&bodies->part_table, sizeof *bodies->part, true);
    sn_table_column(&bodies->hull_table, sizeof(sn_hull *), false);
    sn_table_column(&bodies->hull_table, sizeof(hull_source), false);
    sn_table_column(&bodies->shape_table, sizeof(sn_body_shape), false);
    sn_table_column(&bodies->awake_table, sizeof(uint32_t), false);
}

void sn_bodies_release(sn_bodies *bodies, const sn_allocator *allocator)
{
    sn_hull **hull = bodies->hull_table.column[0];
    const hull_source *source = bodies->hull_table.column[1];
    for (uint32_t i = 0; i < bodies->hull_table.count; ++i) {
        sn_hull_destroy(hull[i], allocator);
        sn_release(allocator, source[i].point, source[i].count * sizeof *source[i].point);
    }
    sn_ids_release(&bodies->ids, allocator);
    sn_table_release(&bodies->table, allocator);
    sn_table_release(&bodies->turn_table, allocator);
    sn_table_release(&bodies->part_table, allocator);
    sn_table_release(&bodies->hull_table, allocator);
    sn_table_release(&bodies->shape_table, allocator);
    sn_table_release(&bodies->awake_table, allocator);
}

static sn_quat round_quat(const double q[4])
{
    return (sn_quat){(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]};
}

void sn_bodies_turned(sn_bodies *bodies, uint32_t row)
{
    const sn_body_state *body = &bodies->state[row];
    sn_turn *turn = &bodies->turn[row];
    turn->start = turn->now = round_quat(body->q);
    turn->pull = vec3(0, 0, 0);
    if (body->torque[0] != 0 || body->torque[1] != 0 || body->torque[2] != 0) {
        double pull[3];
        sn_rotate_vector_back(body->q, body->torque, pull);
        turn->pull =
            vec3((sn_real)(pull[0] / body->k[0]), (sn_real)(pull[1] / body->k[1]), (sn_real)(pull[2] / body->k[2]));
    }
}

void sn_bodies_refresh(sn_bodies *bodies, uint32_t row)
{
    const sn_body_state *body = &bodies->state[row];
    sn_turn *turn = &bodies->turn[row];
    turn->give = vec3((sn_real)(1 / body->k[0]), (sn_real)(1 / body->k[1]), (sn_real)(1 / body->k[2]));
    turn->centre = body->particle;
    sn_bodies_turned(bodies, row);
}

void sn_bodies_restored(sn_bodies *bodies)
{
    sn_bodies_bind(bodies);
    bodies->turn_table.count = bodies->table.count;
    for (uint32_t row = 0; row < bodies->table.count; ++row)
        sn_bodies_refresh(bodies, row);
}

uint32_t sn_body_row(const sn_world *world, sn_body body)
{
    if (sn_ids_is_valid(&world->bodies.ids, body.index, body.generation))
        return body.index;
    if (body.generation == 0)
        world_fail(world, SN_ERROR_STALE, "the body is null");
    else
        world_fail(world, SN_ERROR_STALE, "body %u (generation %u) does not exist (any more)", body.index,
                   body.generation);
    return SN_ID_FREE;
}

/* Parts of bodies lie one behind the other; a gap is closed at once. */
static void remove_parts(sn_bodies *bodies, uint32_t first, uint32_t count)
{
    uint32_t behind = bodies->part_table.count - first - count;
    if (!count)
        return;
    memmove(bodies->part + first, bodies->part + first + count, behind * sizeof *bodies->part);
    bodies->part_table.count -= count;
    for (uint32_t row = 0; row < bodies->table.count; ++row)
        if (bodies->state[row].part > first)
            bodies->state[row].part -= count;
}

void sn_bodies_forget(sn_world *world, uint32_t row)
{
    sn_bodies *bodies = &world->bodies;
    sn_body_state *body = &bodies->state[row];
    remove_parts(bodies, body->part, body->parts);
    memset(body, 0, sizeof *body);
    body->particle = SN_ID_FREE;
    body->k[0] = body->k[1] = body->k[2] = INFINITY;
    body->q[3] = 1;
    sn_bodies_refresh(bodies, row);
    sn_ids_free(&bodies->ids, row);
    world->contact.edits++;
}

static uint64_t hash_part(uint64_t hash, const sn_body_part *part)
{
    const sn_real numbers[] = {part->convex.half.x, part->convex.half.y, part->convex.half.z, part->convex.radius,
                               part->place.x,       part->place.y,       part->place.z,       part->turn.x,
                               part->turn.y,        part->turn.z,        part->turn.w};
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        hash = hash_real(hash, numbers[i]);
    return hash_u64(hash_u64(hash, part->convex.type), part->hull ? part->hull_hash : 0);
}

uint64_t sn_bodies_hash(uint64_t hash, const sn_bodies *bodies)
{
    for (uint32_t row = 0; row < bodies->table.count; ++row) {
        const sn_body_state *body = &bodies->state[row];
        const double *lists[] = {body->q, body->l, body->k, body->torque, body->own, body->centre, body->target};
        const uint32_t counts[] = {4, 3, 3, 3, 4, 3, body->led ? 4 : 0};
        if (!bodies_has(bodies, row))
            continue;
        for (uint32_t i = 0; i < sizeof counts / sizeof *counts; ++i)
            for (uint32_t j = 0; j < counts[i]; ++j)
                hash = hash_double(hash, lists[i][j]);
        hash = hash_u64(hash_real(hash, body->spin_damping), (uint64_t)row << 32 | body->particle);
        for (uint32_t i = 0; i < body->parts; ++i)
            hash = hash_part(hash, &bodies->part[body->part + i]);
    }
    return hash;
}

/* ---- Frames -------------------------------------------------------------------------------------------------------- */

static sn_vec3 round_vector(const double a[3])
{
    return vec3((sn_real)a[0], (sn_real)a[1], (sn_real)a[2]);
}

sn_vec3 sn_body_spot(const sn_body_state *body, sn_vec3 place)
{
    double a[3] = {(double)place.x - body->centre[0], (double)place.y - body->centre[1],
                   (double)place.z - body->centre[2]};
    sn_rotate_vector(body->own, a, a);
    return round_vector(a);
}

sn_vec3 sn_body_place(const sn_body_state *body, sn_vec3 spot)
{
    double a[3] = {(double)spot.x, (double)spot.y, (double)spot.z};
    sn_rotate_vector_back(body->own, a, a);
    for (int i = 0; i < 3; ++i)
        a[i] += body->centre[i];
    return round_vector(a);
}

sn_quat sn_body_spot_turn(const sn_body_state *body, sn_quat turn)
{
    double from[4] = {(double)turn.x, (double)turn.y, (double)turn.z, (double)turn.w}, q[4];
    sn_rotate_times(body->own, from, q);
    sn_rotate_normalise(q);
    return round_quat(q);
}

sn_quat sn_body_place_turn(const sn_body_state *body, sn_quat turn)
{
    double back[4] = {-body->own[0], -body->own[1], -body->own[2], body->own[3]};
    double from[4] = {(double)turn.x, (double)turn.y, (double)turn.z, (double)turn.w}, q[4];
    sn_rotate_times(back, from, q);
    sn_rotate_normalise(q);
    return round_quat(q);
}

sn_real sn_body_reach(const sn_world *world, uint32_t row)
{
    const sn_body_state *body = &world->bodies.state[row];
    sn_real most = 0;
    for (uint32_t i = body->part; i < body->part + body->parts; ++i) {
        const sn_body_part *part = &world->bodies.part[i];
        sn_real reach = vec3_length(part->place) + sn_convex_outer(&part->convex);
        most = reach > most ? reach : most;
    }
    return most;
}

sn_real sn_body_turning(const sn_world *world, uint32_t row)
{
    const sn_body_state *body = &world->bodies.state[row];
    double inverse[3], spin[3];
    sn_body_inverse_moments(body, inverse);
    sn_rotate_velocity(body->q, body->l, inverse, spin);
    return (sn_real)sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]) * sn_body_reach(world, row);
}

void sn_body_stop(sn_world *world, uint32_t row)
{
    memset(world->bodies.state[row].l, 0, sizeof world->bodies.state[row].l);
}

/* ---- Definitions ---------------------------------------------------------------------------------------------------- */

sn_body_shape sn_default_body_shape(sn_body_shape_type type)
{
    sn_body_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.type = type;
    shape.rotation.w = 1;
    shape.half = vec3((sn_real)0.5, (sn_real)0.5, (sn_real)0.5);
    shape.radius = type == SN_BODY_SPHERE || type == SN_BODY_CAPSULE ? (sn_real)0.5 : 0;
    return shape;
}

sn_body_def sn_default_body_def(void)
{
    sn_body_def def;
    memset(&def, 0, sizeof def);
    def.made = DEF_MADE;
    def.rotation.w = def.axes.w = 1;
    def.density = 1000;
    def.mass = SN_MEASURE;
    def.centre = def.moments = vec3(SN_MEASURE, SN_MEASURE, SN_MEASURE);
    return def;
}

/* A body on its way into the world. */
typedef struct making {
    sn_world *world;
    const sn_body_def *def;
    char reason[SN_ERROR_SIZE - 64];
    bool out_of_memory;
    sn_mass_properties mass;
    sn_body_state state;
    double kilograms; /* INFINITY: immovable */
    uint32_t hulls;   /* of the world, before */
} making;

static sn_result refuse(making *m, const char *what)
{
    if (m->out_of_memory)
        return world_fail(m->world, SN_ERROR_MEMORY, "no memory for the shapes of a body");
    return world_fail(m->world, SN_ERROR_ARGUMENT, "%s: %s", what, m->reason);
}

static bool is_measured(sn_vec3 a)
{
    return a.x == SN_MEASURE && a.y == SN_MEASURE && a.z == SN_MEASURE;
}

static bool good_size(sn_real size)
{
    return size > 0 && size <= (sn_real)SN_SHAPE_REACH;
}

static bool good_quat(sn_quat q)
{
    double square =
        (double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z + (double)q.w * (double)q.w;
    return isfinite(square) && square > 0;
}

static sn_result check_quat(const sn_world *world, const char *what, sn_quat q)
{
    if (good_quat(q))
        return SN_OK;
    return world_fail(world, SN_ERROR_ARGUMENT, "%s is (%g, %g, %g, %g); it must be finite and not zero", what,
                      (double)q.x, (double)q.y, (double)q.z, (double)q.w);
}

bool sn_body_shape_check(const sn_body_shape *shape, char *reason, size_t size)
{
    sn_vec3 h = shape->half, at = shape->position;
    sn_quat q = shape->rotation;
    if (!vec3_is_finite(at))
        snprintf(reason, size, "position is (%g, %g, %g); it must be finite", (double)at.x, (double)at.y, (double)at.z);
    else if (!good_quat(q))
        snprintf(reason, size, "rotation is (%g, %g, %g, %g); it must be finite and not zero", (double)q.x, (double)q.y,
                 (double)q.z, (double)q.w);
    else if ((unsigned)shape->type > SN_BODY_HULL)
        snprintf(reason, size, "type is %d, which is no sn_body_shape_type", (int)shape->type);
    else if (shape->type == SN_BODY_BOX && !(good_size(h.x) && good_size(h.y) && good_size(h.z)))
        snprintf(reason, size, "half is (%g, %g, %g) m; each must be positive and at most 1e15", (double)h.x,
                 (double)h.y, (double)h.z);
    else if (shape->type == SN_BODY_CAPSULE && !good_size(h.y))
        snprintf(reason, size, "half.y is %g m; it must be positive and at most 1e15", (double)h.y);
    else if (shape->type <= SN_BODY_CAPSULE ? !good_size(shape->radius)
                                            : !(shape->radius == 0 || good_size(shape->radius)))
        snprintf(reason, size, "radius is %g m; it must be positive and at most 1e15%s", (double)shape->radius,
                 shape->type <= SN_BODY_CAPSULE ? "" : ", or 0");
    else if (!isfinite(shape->density) || shape->density < 0)
        snprintf(reason, size, "density is %g kg/m^3; it must be finite and not negative", (double)shape->density);
    else if (shape->type == SN_BODY_HULL && !shape->vertices)
        snprintf(reason, size, "vertices is NULL; a hull needs points");
    else
        return true;
    return false;
}

/* The triangles of a hull, and its mass. */
static bool mass_of_hull(making *m, const sn_hull *hull, sn_real radius, double density, sn_mass_properties *mass)
{
    sn_vec3 vertex[SN_HULL_VERTICES];
    uint32_t index[3 * 2 * SN_HULL_VERTICES], triangles = 0;
    for (uint32_t i = 0; i < hull->vertices; ++i)
        vertex[i] = dvec3_round(hull->vertex[i]);
    for (uint32_t f = 0; f < hull->faces; ++f) {
        const uint8_t *loop = hull->loop + hull->face[f].first;
        for (uint32_t i = 2; i < hull->face[f].count; ++i, ++triangles) {
            index[3 * triangles] = loop[0];
            index[3 * triangles + 1] = loop[i - 1];
            index[3 * triangles + 2] = loop[i];
        }
    }
    return sn_mass_of_convex(mass, &m->world->allocator, vertex, hull->vertices, index, triangles, (double)radius,
                             density, &m->out_of_memory, m->reason, sizeof m->reason);
}

/* ---- Hulls ---------------------------------------------------------------------------------------------------------
   They stay until the world ends. Those of the same points are one; of others that happen to have the same corners they are not,
   for what was given must be read back. */

const sn_vec3 *sn_bodies_hull_points(const sn_bodies *bodies, uint32_t number, uint32_t *count)
{
    const hull_source *source = bodies->hull_table.column[1];
    *count = source[number].count;
    return source[number].point;
}

bool sn_bodies_use_hull(const sn_bodies *bodies, uint32_t number)
{
    const sn_body_part *part = bodies->part_table.column[0];
    for (uint32_t i = 0; i < bodies->part_table.count; ++i)
        if (part[i].hull == number + 1)
            return true;
    return false;
}

uint32_t sn_bodies_find_hull(const sn_bodies *bodies, const void *points, uint32_t count)
{
    const hull_source *source = bodies->hull_table.column[1];
    for (uint32_t i = 0; i < bodies->hull_table.count; ++i)
        if (source[i].count == count && memcmp(source[i].point, points, count * sizeof(sn_vec3)) == 0)
            return i + 1;
    return 0;
}

/* A hull, and the points that it was made of, which it then owns. False, and both are gone, if there is no memory. */
static bool store_hull(sn_bodies *bodies, const sn_allocator *allocator, sn_hull *hull, hull_source source)
{
    if (!hull || !sn_table_reserve(&bodies->hull_table, allocator, (uint64_t)bodies->hull_table.count + 1)) {
        sn_release(allocator, source.point, source.count * sizeof *source.point);
        sn_hull_destroy(hull, allocator);
        return false;
    }
    ((sn_hull **)bodies->hull_table.column[0])[bodies->hull_table.count] = hull;
    ((hull_source *)bodies->hull_table.column[1])[bodies->hull_table.count++] = source;
    return true;
}

uint32_t sn_bodies_take_hull(sn_bodies *bodies, const sn_allocator *allocator, const void *points, uint32_t count)
{
    uint32_t found = sn_bodies_find_hull(bodies, points, count);
    if (found)
        return found;
    sn_vec3 *point = sn_allocate(allocator, count * sizeof *point);
    bool out_of_memory = false;
    char reason[SN_ERROR_SIZE];
    if (!point)
        return 0;
    memcpy(point, points, count * sizeof *point);
    sn_hull *hull = sn_hull_create(allocator, point, count, &out_of_memory, reason, sizeof reason);
    return store_hull(bodies, allocator, hull, (hull_source){point, count}) ? bodies->hull_table.count : 0;
}

void sn_bodies_bind_hull(sn_bodies *bodies, uint32_t theirs, uint32_t own)
{
    sn_body_part *part = bodies->part_table.column[0];
    for (uint32_t i = 0; i < bodies->part_table.count; ++i)
        if (part[i].hull == theirs)
            part[i].convex.hull = ((sn_hull **)bodies->hull_table.column[0])[own - 1];
}

void sn_bodies_hulls_bound(sn_bodies *bodies)
{
    sn_body_part *part = bodies->part_table.column[0];
    sn_hull *const *hull = bodies->hull_table.column[0];
    for (uint32_t i = 0; i < bodies->part_table.count; ++i) {
        for (uint32_t k = 0; part[i].hull && k < bodies->hull_table.count; ++k)
            if (hull[k] == part[i].convex.hull) {
                part[i].hull = k + 1;
                break;
            }
        if (!part[i].hull)
            part[i].convex.hull = NULL;
    }
}

/* A hull like the ones there are is one of those. Returns 1 + its number; 0 if there is no memory. */
static uint32_t keep_hull(making *m, sn_hull *hull, const sn_body_shape *shape)
{
    sn_bodies *bodies = &m->world->bodies;
    const sn_allocator *allocator = &m->world->allocator;
    uint32_t found = sn_bodies_find_hull(bodies, shape->vertices, shape->vertex_count);
    if (found) {
        sn_hull_destroy(hull, allocator);
        return found;
    }
    sn_vec3 *point = sn_allocate(allocator, shape->vertex_count * sizeof *point);
    if (point)
        memcpy(point, shape->vertices, shape->vertex_count * sizeof *point);
    else
        sn_hull_destroy(hull, allocator);
    if (point && store_hull(bodies, allocator, hull, (hull_source){point, shape->vertex_count}))
        return bodies->hull_table.count;
    m->out_of_memory = true;
    return 0;
}

/* What a shape does not use is 0, so that it is no part of the state and its hash. */
static sn_vec3 used_half(const sn_body_shape *shape)
{
    if (shape->type == SN_BODY_BOX)
        return shape->half;
    return vec3(0, shape->type == SN_BODY_CAPSULE ? shape->half.y : 0, 0);
}

/* One shape as a part, in the user's frame, and its mass. */
static bool make_part(making *m, const sn_body_shape *shape, sn_body_part *part, sn_mass_properties *mass)
{
    double half[3] = {(double)shape->half.x, (double)shape->half.y, (double)shape->half.z};
    double density = (double)(shape->density > 0 ? shape->density : m->def->density), radius = (double)shape->radius;
    sn_vec3 at = shape->position;
    memset(part, 0, sizeof *part);
    part->convex = (sn_convex){(sn_convex_type)shape->type, used_half(shape), shape->radius, NULL};
    part->density = shape->density;
    part->turn = sn_quat_normal(shape->rotation);
    bool good;
    if (shape->type == SN_BODY_HULL) {
        sn_hull *hull = sn_hull_create(&m->world->allocator, shape->vertices, shape->vertex_count, &m->out_of_memory,
                                       m->reason, sizeof m->reason);
        if (!hull || !(part->hull = keep_hull(m, hull, shape)))
            return false;
        part->convex.hull = ((sn_hull **)m->world->bodies.hull_table.column[0])[part->hull - 1];
        part->hull_hash = part->convex.hull->hash;
        at = vec3_add(at, sn_quat_turn(part->turn, dvec3_round(part->convex.hull->centroid)));
        good = mass_of_hull(m, part->convex.hull, shape->radius, density, mass);
    } else if (shape->type == SN_BODY_SPHERE) {
        good = sn_mass_of_sphere(mass, radius, density, m->reason, sizeof m->reason);
    } else if (shape->type == SN_BODY_CAPSULE) {
        good = sn_mass_of_capsule(mass, half[1], radius, density, m->reason, sizeof m->reason);
    } else {
        good = sn_mass_of_box(mass, half, radius, density, m->reason, sizeof m->reason);
    }
    part->place = at;
    double way[3] = {(double)at.x, (double)at.y, (double)at.z};
    if (good)
        sn_mass_move(mass, part->turn, way);
    return good;
}

static sn_result make_parts(making *m)
{
    sn_bodies *bodies = &m->world->bodies;
    uint64_t total = (uint64_t)bodies->part_table.count + m->def->shape_count;
    if (m->def->shape_count && !m->def->shapes)
        return world_fail(m->world, SN_ERROR_ARGUMENT, "shapes is NULL, but shape_count is %u", m->def->shape_count);
    if (!sn_table_reserve(&bodies->part_table, &m->world->allocator, total))
        return world_fail(m->world, SN_ERROR_MEMORY, "no memory for a body of %u shapes", m->def->shape_count);
    sn_bodies_bind(bodies);
    for (uint32_t i = 0; i < m->def->shape_count; ++i) {
        char name[32];
        sn_mass_properties mass;
        const sn_body_shape *shape = &m->def->shapes[i];
        snprintf(name, sizeof name, "shape %u", i);
        if (!sn_body_shape_check(shape, m->reason, sizeof m->reason) ||
            !make_part(m, shape, &bodies->part[bodies->part_table.count + i], &mass))
            return refuse(m, name);
        if (!m->def->vertices)
            sn_mass_add(&m->mass, &mass);
    }
    return SN_OK;
}

static sn_result measure_mesh(making *m)
{
    const sn_body_def *def = m->def;
    if (!def->vertices && !def->triangles)
        return SN_OK;
    if (!def->vertices || !def->triangles)
        return world_fail(m->world, SN_ERROR_ARGUMENT, "%s is NULL; a mesh needs both",
                          def->vertices ? "triangles" : "vertices");
    if (!sn_mass_of_mesh(&m->mass, &m->world->allocator, def->vertices, def->vertex_count, def->triangles,
                         def->triangle_count, (double)def->density, &m->out_of_memory, m->reason, sizeof m->reason))
        return refuse(m, "the mesh of a body");
    return SN_OK;
}

/* ---- Mass ------------------------------------------------------------------------------------------------------------ */

/* Below this share of a moment that is infinite, a body is not locked by it: rounding of its axes. */
#define LEAST_SHARE 1e-12

/* In a 2D world a body turns about z, which then counts as a principal axis. Its moment is that about z. */
static void turn_about_z(sn_body_state *body, double moment[3])
{
    double z[3] = {0, 0, 1}, sum = 0;
    if (body->own[0] == 0 && body->own[1] == 0)
        return;
    sn_rotate_vector(body->own, z, z);
    for (int i = 0; i < 3; ++i)
        if (!isinf(moment[i]) || z[i] * z[i] > LEAST_SHARE)
            sum += z[i] * z[i] * moment[i];
    moment[2] = sum;
    memcpy(body->own, (const double[4]){0, 0, 0, 1}, sizeof body->own);
}

/* Radii of gyration from the moments of a mass. */
static sn_result set_radii(making *m, double moment[3], double mass)
{
    if (m->world->dimensions == 2)
        turn_about_z(&m->state, moment);
    for (int i = 0; i < 3; ++i) {
        double k = sqrt(moment[i] / mass);
        if (m->world->dimensions == 2 && i < 2)
            k = INFINITY;
        if (!isinf(k) && !(k >= LEAST_RADIUS && k <= MOST_RADIUS))
            return world_fail(
                m->world, SN_ERROR_ARGUMENT,
                "moments[%d] = %g kg m^2 and a mass of %g kg make a radius of gyration of %g m; it must lie in "
                "[%g, %g], or the moment be INFINITY",
                i, moment[i], mass, k, LEAST_RADIUS, MOST_RADIUS);
        m->state.k[i] = k;
    }
    return SN_OK;
}

static sn_result given_moments(making *m)
{
    const sn_body_def *def = m->def;
    double moment[3] = {(double)def->moments.x, (double)def->moments.y, (double)def->moments.z}, finite[3];
    sn_quat axes = sn_quat_normal(def->axes);
    if (check_quat(m->world, "axes", def->axes) != SN_OK)
        return SN_ERROR_ARGUMENT;
    bool locked = false;
    for (int i = 0; i < 3; ++i) {
        locked = locked || isinf(moment[i]);
        finite[i] = isinf(moment[i]) ? 0 : moment[i];
        if (!(moment[i] > 0))
            return world_fail(m->world, SN_ERROR_ARGUMENT, "moments[%d] is %g kg m^2; it must be positive", i,
                              moment[i]);
    }
    if (!locked && !sn_mass_check_moments(finite, m->reason, sizeof m->reason))
        return refuse(m, "moments");
    if (isinf(m->kilograms))
        return world_fail(m->world, SN_ERROR_ARGUMENT, "an immovable body has no moments of its own to give");
    double turn[4] = {-(double)axes.x, -(double)axes.y, -(double)axes.z, (double)axes.w};
    memcpy(m->state.own, turn, sizeof turn);
    return set_radii(m, moment, m->kilograms);
}

static sn_result measured_moments(making *m)
{
    double moment[3], q[4];
    if (!(m->mass.mass > 0))
        return world_fail(m->world, SN_ERROR_ARGUMENT,
                          "a body has neither a shape nor moments; give it a shape, or mass and moments");
    sn_mass_principal(m->mass.inertia, moment, q);
    for (int i = 0; i < 3; ++i)
        m->state.own[i] = -q[i];
    m->state.own[3] = q[3];
    return set_radii(m, moment, m->mass.mass);
}

/* Mass, centre, and radii of gyration. */
static sn_result make_mass(making *m)
{
    const sn_body_def *def = m->def;
    if (def->mass == SN_MEASURE && !(m->mass.mass > 0))
        return world_fail(m->world, SN_ERROR_ARGUMENT, "a body has no shape to take its mass from; give it a mass");
    m->kilograms = def->mass == SN_MEASURE ? m->mass.mass : (double)def->mass;
    bool centred = is_measured(def->centre);
    if (!centred && !vec3_is_finite(def->centre))
        return world_fail(m->world, SN_ERROR_ARGUMENT, "centre is (%g, %g, %g) m; it must be finite",
                          (double)def->centre.x, (double)def->centre.y, (double)def->centre.z);
    double given[3] = {(double)def->centre.x, (double)def->centre.y, (double)def->centre.z};
    memcpy(m->state.centre, centred ? m->mass.centre : given, sizeof given);
    m->state.own[3] = 1;
    if (!is_measured(def->moments))
        return given_moments(m);
    if (isinf(m->kilograms) && !(m->mass.mass > 0)) { /* nothing will ever ask */
        m->state.k[0] = m->state.k[1] = m->state.k[2] = 1;
        return SN_OK;
    }
    return measured_moments(m);
}

/* ---- Adding ---------------------------------------------------------------------------------------------------------- */

/* The user's frame to the principal one, times how the body is turned: q takes principal axes to the world. */
static void set_turn(sn_body_state *body, sn_quat rotation)
{
    sn_quat unit = sn_quat_normal(rotation);
    double turn[4] = {(double)unit.x, (double)unit.y, (double)unit.z, (double)unit.w};
    double back[4] = {-body->own[0], -body->own[1], -body->own[2], body->own[3]};
    sn_rotate_normalise(turn);
    sn_rotate_times(turn, back, body->q);
    sn_rotate_normalise(body->q);
}

static void set_spin(sn_body_state *body, sn_vec3 spin)
{
    double omega[3] = {(double)spin.x, (double)spin.y, (double)spin.z};
    sn_rotate_vector_back(body->q, omega, omega);
    for (int i = 0; i < 3; ++i)
        body->l[i] = isinf(body->k[i]) ? 0 : body->k[i] * body->k[i] * omega[i];
    sn_rotate_vector(body->q, body->l, body->l);
}

/* Where the centre of mass is, of a body whose own frame is at position. */
static sn_vec3 centre_at(const sn_body_state *body, sn_vec3 position)
{
    double a[3];
    sn_rotate_vector(body->own, body->centre, a); /* to principal axes, and on to the world */
    sn_rotate_vector(body->q, a, a);
    return vec3((sn_real)((double)position.x + a[0]), (sn_real)((double)position.y + a[1]),
                (sn_real)((double)position.z + a[2]));
}

static sn_result check_spin(const sn_world *world, sn_vec3 spin)
{
    const double most = fmax(fabs((double)spin.x), fmax(fabs((double)spin.y), fabs((double)spin.z)));
    if (vec3_is_finite(spin) && most < SN_TOO_FAST)
        return SN_OK;
    return world_fail(world, SN_ERROR_ARGUMENT, "spin is (%g, %g, %g) rad/s; it must be finite and below %g",
                      (double)spin.x, (double)spin.y, (double)spin.z, SN_TOO_FAST);
}

/* In a 2D world what turns, turns about z. */
static sn_result check_planar(const sn_world *world, const char *what, sn_quat turn, sn_vec3 spin)
{
    if (world->dimensions == 3 || (turn.x == 0 && turn.y == 0 && spin.x == 0 && spin.y == 0))
        return SN_OK;
    return world_fail(world, SN_ERROR_ARGUMENT, "%s is not about z; in a 2D world bodies turn about z only", what);
}

static sn_result check_def(making *m)
{
    const sn_body_def *def = m->def;
    const sn_world *world = m->world;
    sn_result result;
    if (!def || def->made != DEF_MADE)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is %s; start from sn_default_body_def()",
                          def ? "not initialised" : "NULL");
    if ((result = sn_world_check_vector(world, "position", def->position)) != SN_OK ||
        (result = sn_world_check_vector(world, "velocity", def->velocity)) != SN_OK ||
        (result = check_quat(world, "rotation", def->rotation)) != SN_OK ||
        (result = check_planar(world, "rotation", def->rotation, vec3(0, 0, 0))) != SN_OK ||
        (result = check_planar(world, "spin", (sn_quat){0}, def->spin)) != SN_OK)
        return result;
    if ((result = check_spin(world, def->spin)) != SN_OK)
        return result;
    if (!isfinite(def->density) || !(def->density > 0))
        return world_fail(world, SN_ERROR_ARGUMENT, "density is %g kg/m^3; it must be positive and finite",
                          (double)def->density);
    if (!isfinite(def->spin_damping) || def->spin_damping < 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "spin_damping is %g 1/s; it must be finite and not negative",
                          (double)def->spin_damping);
    return SN_OK;
}

static void turn_part(const sn_body_state *body, sn_body_part *part)
{
    part->turn = sn_body_spot_turn(body, part->turn);
    part->place = sn_body_spot(body, part->place);
    part->plain = part->place.x == 0 && part->place.y == 0 && part->place.z == 0 && part->turn.x == 0 &&
                  part->turn.y == 0 && part->turn.z == 0;
}

static void store_body(making *m, uint32_t row, sn_particle particle)
{
    sn_bodies *bodies = &m->world->bodies;
    m->state.particle = particle.index;
    m->state.part = bodies->part_table.count;
    m->state.parts = m->def->shape_count;
    m->state.spin_damping = m->def->spin_damping;
    for (uint32_t i = 0; i < m->state.parts; ++i)
        turn_part(&m->state, &bodies->part[m->state.part + i]);
    bodies->part_table.count += m->state.parts;
    if (row >= bodies->table.count)
        bodies->table.count = bodies->turn_table.count = row + 1;
    bodies->state[row] = m->state;
    bodies->ids.value[row] = row;
    m->world->particles.body[m->world->ids.value[particle.index]] = row + 1;
    sn_bodies_refresh(bodies, row);
    m->world->contact.edits++;
}

static sn_result add(making *m, sn_body *body)
{
    sn_world *world = m->world;
    sn_bodies *bodies = &world->bodies;
    sn_result result = check_def(m);
    uint32_t row;
    sn_particle particle;
    if (result != SN_OK || (result = make_parts(m)) != SN_OK || (result = measure_mesh(m)) != SN_OK ||
        (result = make_mass(m)) != SN_OK)
        return result;
    set_turn(&m->state, m->def->rotation);
    set_spin(&m->state, m->def->spin);
    bool room = sn_ids_find(&bodies->ids, &world->allocator, 1, SN_MAX_COUNT, &row) &&
                sn_table_reserve(&bodies->table, &world->allocator, (uint64_t)row + 1) &&
                sn_table_reserve(&bodies->turn_table, &world->allocator, (uint64_t)row + 1);
    sn_bodies_bind(bodies); /* one of them may have moved before the other could not */
    if (!room)
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a body");
    sn_particle_def def = sn_default_particle_def();
    def.position = centre_at(&m->state, m->def->position);
    def.velocity = m->def->velocity;
    def.mass = isinf(m->kilograms) ? SN_IMMOVABLE : (sn_real)m->kilograms;
    def.group = m->def->group;
    def.user = m->def->user;
    if ((result = sn_particle_add(world, &def, &particle)) != SN_OK)
        return result;
    uint32_t generation = sn_ids_take(&bodies->ids, row, 1);
    store_body(m, row, particle);
    if (body)
        *body = (sn_body){row, generation};
    return SN_OK;
}

sn_result sn_body_add(sn_world *world, const sn_body_def *def, sn_body *body)
{
    if (body)
        *body = (sn_body){0};
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    making m = {.world = world, .def = def};
    return add(&m, body);
}

static sn_body add_short(sn_world *world, sn_vec3 position, sn_quat rotation, const sn_body_shape *shape,
                         sn_real density)
{
    sn_body_def def = sn_default_body_def();
    sn_body body = {0};
    def.position = position;
    def.rotation = rotation;
    def.shapes = shape;
    def.shape_count = 1;
    def.density = density;
    sn_body_add(world, &def, &body);
    return body;
}

sn_body sn_add_sphere_body(sn_world *world, sn_vec3 centre, sn_real radius, sn_real density)
{
    sn_body_shape shape = sn_default_body_shape(SN_BODY_SPHERE);
    shape.radius = radius;
    return add_short(world, centre, (sn_quat){0, 0, 0, 1}, &shape, density);
}

sn_body sn_add_box_body(sn_world *world, sn_vec3 centre, sn_vec3 half, sn_real density)
{
    sn_body_shape shape = sn_default_body_shape(SN_BODY_BOX);
    shape.half = half;
    return add_short(world, centre, (sn_quat){0, 0, 0, 1}, &shape, density);
}

sn_body sn_add_capsule_body(sn_world *world, sn_vec3 a, sn_vec3 b, sn_real radius, sn_real density)
{
    sn_body_shape shape = sn_default_body_shape(SN_BODY_CAPSULE);
    sn_vec3 along = vec3_sub(b, a);
    shape.radius = radius;
    shape.half.y = vec3_length(along) / 2;
    if (!(shape.half.y > 0) || !vec3_is_finite(along)) {
        if (sn_world_enter(world) == SN_OK)
            world_fail(world, SN_ERROR_ARGUMENT,
                       "the ends of a capsule are (%g, %g, %g) and (%g, %g, %g); they must be "
                       "finite and apart",
                       (double)a.x, (double)a.y, (double)a.z, (double)b.x, (double)b.y, (double)b.z);
        return (sn_body){0};
    }
    return add_short(world, vec3_scale(vec3_add(a, b), (sn_real)0.5), sn_quat_to(along), &shape, density);
}

sn_result sn_body_remove(sn_world *world, sn_body body)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (sn_body_row(world, body) == SN_ID_FREE)
        return SN_ERROR_STALE;
    return sn_particle_remove(world, sn_body_particle(world, body));
}

/* ---- Reading --------------------------------------------------------------------------------------------------------- */

bool sn_body_is_valid(const sn_world *world, sn_body body)
{
    return world && sn_ids_is_valid(&world->bodies.ids, body.index, body.generation);
}

uint32_t sn_world_body_count(const sn_world *world)
{
    return world ? world->bodies.ids.live : 0;
}

uint32_t sn_world_body_limit(const sn_world *world)
{
    return world ? world->bodies.table.count : 0;
}

sn_body sn_body_from_index(const sn_world *world, uint32_t index)
{
    if (world && sn_ids_is_live(&world->bodies.ids, index))
        return (sn_body){index, world->bodies.ids.generation[index]};
    if (world)
        world_fail(world, SN_ERROR_STALE, "there is no body number %u", index);
    return (sn_body){0};
}

/* The state of a body that is read; NULL, and an error, if there is none. */
static const sn_body_state *find(const sn_world *world, sn_body body)
{
    uint32_t row = world ? sn_body_row(world, body) : SN_ID_FREE;
    return row == SN_ID_FREE ? NULL : &world->bodies.state[row];
}

sn_particle sn_body_particle(const sn_world *world, sn_body body)
{
    const sn_body_state *state = find(world, body);
    return state ? (sn_particle){state->particle, world->ids.generation[state->particle]} : (sn_particle){0};
}

sn_body sn_particle_body(const sn_world *world, sn_particle particle)
{
    uint32_t slot = world ? sn_world_slot(world, particle) : SN_NO_SLOT, row;
    if (slot == SN_NO_SLOT || !(row = world->particles.body[slot]))
        return (sn_body){0};
    return (sn_body){row - 1, world->bodies.ids.generation[row - 1]};
}

static sn_vec3 centre_of(const sn_world *world, const sn_body_state *body)
{
    return vec4_xyz(world->particles.x[world->ids.value[body->particle]]);
}

sn_vec3 sn_body_centre(const sn_world *world, sn_body body)
{
    const sn_body_state *state = find(world, body);
    return state ? centre_of(world, state) : NOT_A_VECTOR;
}

sn_vec3 sn_body_to_world(const sn_world *world, sn_body body, sn_vec3 place)
{
    const sn_body_state *state = find(world, body);
    if (!state)
        return NOT_A_VECTOR;
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
    const sn_body_state *state = find(world, body);
    if (!state)
        return NOT_A_VECTOR;
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
    const sn_body_state *state = find(world, body);
    double q[4];
    if (!state)
        return (sn_quat){(sn_real)NAN, (sn_real)NAN, (sn_real)NAN, (sn_real)NAN};
    sn_rotate_times(state->q, state->own, q);
    return round_quat(q);
}

sn_vec3 sn_body_velocity(const sn_world *world, sn_body body)
{
    const sn_body_state *state = find(world, body);
    return state ? vec4_xyz(world->particles.v[world->ids.value[state->particle]]) : NOT_A_VECTOR;
}

static void spin_of(const sn_body_state *body, double spin[3])
{
    double inverse[3];
    sn_body_inverse_moments(body, inverse);
    sn_rotate_velocity(body->q, body->l, inverse, spin);
}

sn_vec3 sn_body_spin(const sn_world *world, sn_body body)
{
    const sn_body_state *state = find(world, body);
    double spin[3];
    if (!state)
        return NOT_A_VECTOR;
    spin_of(state, spin);
    return round_vector(spin);
}

sn_vec3 sn_body_angular_momentum(const sn_world *world, sn_body body)
{
    const sn_body_state *state = find(world, body);
    if (!state)
        return NOT_A_VECTOR;
    double mass = (double)world->particles.v[world->ids.value[state->particle]].w;
    double l[3] = {mass * state->l[0], mass * state->l[1], mass * state->l[2]};
    return isinf(mass) ? NOT_A_VECTOR : round_vector(l);
}

sn_vec3 sn_body_velocity_at(const sn_world *world, sn_body body, sn_vec3 place)
{
    const sn_body_state *state = find(world, body);
    if (!state)
        return NOT_A_VECTOR;
    double spin[3];
    spin_of(state, spin);
    return vec3_add(sn_body_velocity(world, body),
                    vec3_cross(round_vector(spin), vec3_sub(place, centre_of(world, state))));
}

sn_real sn_body_mass(const sn_world *world, sn_body body)
{
    const sn_body_state *state = find(world, body);
    return state ? world->particles.v[world->ids.value[state->particle]].w : (sn_real)NAN;
}

/* The shapes of a body as a user would write them, in scratch of the world. */
static bool read_shapes(sn_world *world, const sn_body_state *body)
{
    sn_bodies *bodies = &world->bodies;
    const hull_source *source = bodies->hull_table.column[1];
    if (!sn_table_reserve(&bodies->shape_table, &world->allocator, body->parts))
        return false;
    for (uint32_t i = 0; i < body->parts; ++i) {
        const sn_body_part *part = &bodies->part[body->part + i];
        sn_body_shape *shape = (sn_body_shape *)bodies->shape_table.column[0] + i;
        *shape = sn_default_body_shape((sn_body_shape_type)part->convex.type);
        shape->position = sn_body_place(body, part->place);
        shape->rotation = sn_body_place_turn(body, part->turn);
        shape->half = part->convex.half;
        shape->radius = part->convex.radius;
        shape->density = part->density;
        if (!part->hull)
            continue;
        shape->vertices = source[part->hull - 1].point;
        shape->vertex_count = source[part->hull - 1].count;
        shape->position =
            vec3_sub(shape->position, sn_quat_turn(shape->rotation, dvec3_round(part->convex.hull->centroid)));
    }
    return true;
}

sn_result sn_body_read(const sn_world *world, sn_body body, sn_body_def *def)
{
    const sn_body_state *state = find(world, body);
    if (!state)
        return world ? SN_ERROR_STALE : SN_ERROR_ARGUMENT;
    if (!def)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is NULL");
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

/* ---- Changing --------------------------------------------------------------------------------------------------------- */

/* Common start of the calls below. */
static sn_result begin(sn_world *world, sn_body body, sn_body_state **state)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    uint32_t row = sn_body_row(world, body);
    *state = row == SN_ID_FREE ? NULL : &world->bodies.state[row];
    return *state ? SN_OK : SN_ERROR_STALE;
}

static sn_result check_pose(const sn_world *world, sn_vec3 position, sn_quat rotation)
{
    sn_result result = sn_world_check_vector(world, "position", position);
    if (result == SN_OK)
        result = check_quat(world, "rotation", rotation);
    return result == SN_OK ? check_planar(world, "rotation", rotation, vec3(0, 0, 0)) : result;
}

sn_result sn_body_set_pose(sn_world *world, sn_body body, sn_vec3 position, sn_quat rotation)
{
    sn_body_state *state = NULL;
    sn_result result = begin(world, body, &state);
    if (result != SN_OK || (result = check_pose(world, position, rotation)) != SN_OK)
        return result;
    sn_body_state turned = *state;
    sn_vec3 spin = sn_body_spin(world, body);
    set_turn(&turned, rotation);
    set_spin(&turned, spin);
    result = sn_particle_set_position(world, sn_body_particle(world, body), centre_at(&turned, position));
    if (result != SN_OK)
        return result;
    *state = turned;
    sn_bodies_refresh(&world->bodies, body.index);
    return SN_OK;
}

sn_result sn_body_set_velocity(sn_world *world, sn_body body, sn_vec3 velocity, sn_vec3 spin)
{
    sn_body_state *state = NULL;
    sn_result result = begin(world, body, &state);
    if (result != SN_OK || (result = check_planar(world, "spin", (sn_quat){0}, spin)) != SN_OK)
        return result;
    if ((result = check_spin(world, spin)) != SN_OK)
        return result;
    if ((result = sn_particle_set_velocity(world, sn_body_particle(world, body), velocity)) == SN_OK)
        set_spin(state, spin);
    return result;
}

sn_result sn_body_move_to(sn_world *world, sn_body body, sn_vec3 position, sn_quat rotation)
{
    sn_body_state *state = NULL;
    sn_result result = begin(world, body, &state);
    if (result != SN_OK || (result = check_pose(world, position, rotation)) != SN_OK)
        return result;
    sn_body_state turned = *state;
    set_turn(&turned, rotation);
    result = sn_particle_move_to(world, sn_body_particle(world, body), centre_at(&turned, position));
    if (result != SN_OK)
        return result;
    memcpy(state->target, turned.q, sizeof state->target);
    state->led = true;
    return SN_OK;
}

/* ---- Forces ----------------------------------------------------------------------------------------------------------- */

/* The torque of a force at a place, about the centre. */
static void torque_of(const sn_world *world, const sn_body_state *state, sn_vec3 force, sn_vec3 place, double torque[3])
{
    sn_dvec3 arm = dvec3_sub(dvec3_from(place), dvec3_from(centre_of(world, state)));
    sn_dvec3 t = dvec3_cross(arm, dvec3_from(force));
    torque[0] = t.x;
    torque[1] = t.y;
    torque[2] = t.z;
}

/* In a 2D world only what turns about z counts. */
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

sn_result sn_body_add_force(sn_world *world, sn_body body, sn_vec3 force, sn_vec3 place)
{
    sn_body_state *state = NULL;
    double torque[3];
    sn_result result = begin(world, body, &state);
    if (result != SN_OK || (result = sn_world_check_vector(world, "force", force)) != SN_OK ||
        (result = sn_world_check_vector(world, "place", place)) != SN_OK)
        return result;
    torque_of(world, state, force, place, torque);
    sn_body_state before = *state;
    if ((result = add_torque(world, state, torque)) != SN_OK)
        return result;
    if ((result = sn_particle_add_force(world, sn_body_particle(world, body), force)) != SN_OK)
        *state = before;
    return result;
}

sn_result sn_body_add_torque(sn_world *world, sn_body body, sn_vec3 torque)
{
    sn_body_state *state = NULL;
    sn_result result = begin(world, body, &state);
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

/* The momentum that a body would have after an impulse that turns it. */
static sn_result turned_momentum(const sn_world *world, const sn_body_state *state, const double impulse[3],
                                 double l[3])
{
    double w = (double)world->particles.x[world->ids.value[state->particle]].w;
    for (int i = 0; i < 3; ++i)
        l[i] = state->l[i] + (world->dimensions == 2 && i < 2 ? 0 : w * impulse[i]);
    if (!sn_body_turns_soundly(state, state->q, l))
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

sn_result sn_body_add_impulse(sn_world *world, sn_body body, sn_vec3 impulse, sn_vec3 place)
{
    sn_body_state *state = NULL;
    double turning[3], l[3];
    sn_result result = begin(world, body, &state);
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

sn_result sn_body_add_angular_impulse(sn_world *world, sn_body body, sn_vec3 impulse)
{
    sn_body_state *state = NULL;
    sn_result result = begin(world, body, &state);
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
    sn_result result = begin(world, body, &state);
    return result == SN_OK ? sn_particle_set_mass(world, sn_body_particle(world, body), mass) : result;
}

sn_result sn_body_set_spin_damping(sn_world *world, sn_body body, sn_real damping)
{
    sn_body_state *state = NULL;
    sn_result result = begin(world, body, &state);
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
