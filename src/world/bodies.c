/* Rigid bodies: storage and creation. The other calls for bodies are in body_calls.c, static and kinematic bodies in
   fixed.c, and their motion in a step in turns.c. */
#include "world/body_work.h"

#include "base/hash.h"
#include "bodies/mass.h"
#include "collision/convex.h"
#include "integrators/integrator.h"

#include <stdio.h>
#include <string.h>

/* Marks a definition that was made by sn_default_body_def; other memory is unlikely to contain it. */
#define DEF_MADE 0xb0d1e5u

/* Beyond these, squares of radii of gyration would leave the range of a float. */
#define LEAST_RADIUS 1e-15
#define MOST_RADIUS  1e15

/* ---- Storage ----------------------------------------------------------------------------------------------------- */

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
    sn_ids_init(&bodies->names);
    sn_table_column(&bodies->fixed_table, sizeof(sn_fixed_body), true);
    sn_ids_init(&bodies->ids);
    sn_table_column(&bodies->table, sizeof *bodies->state, true);
    sn_table_column(&bodies->turn_table, sizeof *bodies->turn, false);
    sn_table_column(&bodies->turn_table, sizeof *bodies->motion, false);
    sn_table_column(&bodies->part_table, sizeof *bodies->part, true);
    sn_table_column(&bodies->hull_table, sizeof(sn_hull *), false);
    sn_table_column(&bodies->hull_table, sizeof(hull_source), false);
    sn_table_column(&bodies->shape_table, sizeof(sn_shape_def), false);
    sn_table_column(&bodies->shape_table, sizeof(sn_contact_material), false);
    sn_table_column(&bodies->shape_table, sizeof(sn_filter), false);
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
    sn_ids_release(&bodies->names, allocator);
    sn_table_release(&bodies->fixed_table, allocator);
    sn_ids_release(&bodies->ids, allocator);
    sn_table_release(&bodies->table, allocator);
    sn_table_release(&bodies->turn_table, allocator);
    sn_table_release(&bodies->part_table, allocator);
    sn_table_release(&bodies->hull_table, allocator);
    sn_table_release(&bodies->shape_table, allocator);
    sn_table_release(&bodies->awake_table, allocator);
}

void sn_body_keep_read(sn_table *shape_table, uint32_t count)
{
    sn_shape_def *shape = shape_table->column[0];
    sn_contact_material *material = shape_table->column[1];
    sn_filter *filter = shape_table->column[2];
    for (uint32_t i = 0; i < count; ++i) {
        if (shape[i].material)
            material[i] = *shape[i].material, shape[i].material = &material[i];
        if (shape[i].filter)
            filter[i] = *shape[i].filter, shape[i].filter = &filter[i];
    }
}

void sn_bodies_pull(sn_bodies *bodies, uint32_t row)
{
    const sn_body_state *body = &bodies->state[row];
    double pull[3];
    sn_rotate_vector_back(body->q, body->torque, pull);
    bodies->turn[row].pull =
        vec3((sn_real)(pull[0] / body->k[0]), (sn_real)(pull[1] / body->k[1]), (sn_real)(pull[2] / body->k[2]));
}

void sn_bodies_refresh(sn_bodies *bodies, uint32_t row)
{
    const sn_body_state *body = &bodies->state[row];
    sn_turn *turn = &bodies->turn[row];
    turn->give = vec3((sn_real)(1 / body->k[0]), (sn_real)(1 / body->k[1]), (sn_real)(1 / body->k[2]));
    turn->centre = body->particle;
    bodies_turned(bodies, row);
}

void sn_bodies_restored(sn_bodies *bodies)
{
    sn_bodies_bind(bodies);
    bodies->turn_table.count = bodies->table.count;
    for (uint32_t row = 0; row < bodies->table.count; ++row)
        sn_bodies_refresh(bodies, row);
}

uint32_t sn_body_number(const sn_world *world, sn_body body)
{
    if (sn_ids_is_valid(&world->bodies.names, body.index, body.generation))
        return body.index;
    if (body.generation == 0)
        world_fail(world, SN_ERROR_STALE, "the body is null");
    else
        world_fail(world, SN_ERROR_STALE, "body %u (generation %u) does not exist (any more)", body.index,
                   body.generation);
    return SN_ID_FREE;
}

uint32_t sn_body_row_of(const sn_world *world, uint32_t number)
{
    const sn_fixed_body *fixed = sn_fixed_of(world, number);
    return fixed ? fixed->anchor : world->bodies.names.value[number];
}

sn_body sn_body_of_row(const sn_world *world, uint32_t row)
{
    const uint32_t number = world->bodies.state[row].number;
    return (sn_body){number, world->bodies.names.generation[number]};
}

/* Parts of all bodies are stored consecutively. A gap is closed at once. */
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
    if (bodies->names.value[body->number] & SN_NAME_FIXED)
        sn_fixed_loses_anchor(world, row);
    else
        sn_ids_free(&bodies->names, body->number);
    remove_parts(bodies, body->part, body->parts);
    memset(body, 0, sizeof *body);
    body->particle = SN_ID_FREE;
    body->k[0] = body->k[1] = body->k[2] = INFINITY;
    body->q[3] = 1;
    sn_bodies_refresh(bodies, row);
    sn_ids_free(&bodies->ids, row);
    world->contact.edits++;
}

/* Added to the hash for a part that is a sensor. */
#define HASH_SENSOR UINT64_C(0x73656e736f72)

static uint64_t hash_part(uint64_t hash, const sn_body_part *part)
{
    const sn_real numbers[] = {part->convex.half.x, part->convex.half.y, part->convex.half.z, part->convex.radius,
                               part->place.x,       part->place.y,       part->place.z,       part->turn.x,
                               part->turn.y,        part->turn.z,        part->turn.w};
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        hash = hash_real(hash, numbers[i]);
    if (part->has_material)
        hash = sn_contact_hash_material(hash, &part->material);
    if (part->has_filter)
        hash = hash_u64(hash_u64(hash, part->filter.category), part->filter.mask);
    if (part->sensor)
        hash = hash_u64(hash, HASH_SENSOR);
    return hash_u64(hash_u64(hash, part->convex.type), part->hull ? part->hull_hash : 0);
}

uint64_t sn_bodies_hash(uint64_t hash, const sn_bodies *bodies)
{
    for (uint32_t row = 0; row < bodies->table.count; ++row) {
        const sn_body_state *body = &bodies->state[row];
        const double *lists[] = {body->q, body->l, body->k, body->torque, body->own, body->centre, body->target};
        const uint32_t counts[] = {4, 3, 3, 3, 4, 3, body->kinematic ? 4 : 0};
        if (!bodies_has(bodies, row))
            continue;
        for (uint32_t i = 0; i < sizeof counts / sizeof *counts; ++i)
            for (uint32_t j = 0; j < counts[i]; ++j)
                hash = hash_double(hash, lists[i][j]);
        hash = hash_u64(hash_real(hash, body->spin_damping), (uint64_t)row << 32 | body->particle);
        if (body->lost != 0) /* the next substep adds it back */
            hash = hash_real(hash, body->lost);
        for (uint32_t i = 0; i < body->parts; ++i)
            hash = hash_part(hash, &bodies->part[body->part + i]);
    }
    return hash;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

sn_vec3 sn_body_principal_place(const sn_body_state *body, sn_vec3 place)
{
    double a[3] = {(double)place.x - body->centre[0], (double)place.y - body->centre[1],
                   (double)place.z - body->centre[2]};
    sn_rotate_vector(body->own, a, a);
    return round_vector(a);
}

sn_vec3 sn_body_place(const sn_body_state *body, sn_vec3 principal)
{
    double a[3] = {(double)principal.x, (double)principal.y, (double)principal.z};
    sn_rotate_vector_back(body->own, a, a);
    for (int i = 0; i < 3; ++i)
        a[i] += body->centre[i];
    return round_vector(a);
}

sn_quat sn_body_principal_turn(const sn_body_state *body, sn_quat turn)
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

sn_real sn_body_reach(const sn_world *world, uint32_t row, bool sensors)
{
    const sn_body_state *body = &world->bodies.state[row];
    sn_real most = 0;
    for (uint32_t i = body->part; i < body->part + body->parts; ++i) {
        const sn_body_part *part = &world->bodies.part[i];
        if (part->sensor && !sensors)
            continue;
        sn_real reach = vec3_length(part->place) + sn_convex_outer(&part->convex);
        most = reach > most ? reach : most;
    }
    return most;
}

static sn_real size_of(sn_real a)
{
    return a < 0 ? -a : a;
}

/* Upper bound of |turn x r| for all r in the bounding box of a part. turn: along the axes of the body. */
static sn_real swept_by_part(const sn_body_part *part, sn_vec3 turn)
{
    const sn_bounds own = sn_convex_bounds(&part->convex);
    const sn_vec3 t = sn_quat_rotate_back(part->turn, turn);
    const sn_vec3 middle = vec3_scale(vec3_add(own.low, own.high), (sn_real)0.5), half = vec3_sub(own.high, middle);
    const sn_vec3 across =
        vec3(size_of(t.y) * half.z + size_of(t.z) * half.y, size_of(t.x) * half.z + size_of(t.z) * half.x,
             size_of(t.x) * half.y + size_of(t.y) * half.x);
    const sn_vec3 centre = vec3_add(part->place, sn_quat_rotate(part->turn, middle));
    return vec3_length(vec3_cross(turn, centre)) + vec3_length(across);
}

sn_real sn_body_sweep(const sn_world *world, uint32_t row, sn_vec3 turn, bool sensors)
{
    const sn_body_state *body = &world->bodies.state[row];
    const sn_vec3 own = sn_quat_rotate_back(world->bodies.turn[row].start, turn);
    const sn_real simple = vec3_length(turn) * sn_body_reach(world, row, sensors);
    sn_real most = 0;
    for (uint32_t i = body->part; i < body->part + body->parts; ++i) {
        const sn_body_part *part = &world->bodies.part[i];
        const sn_real swept = part->sensor && !sensors ? 0 : swept_by_part(part, own);
        most = swept > most ? swept : most;
    }
    return most < simple ? most : simple;
}

sn_real sn_body_turning(const sn_world *world, uint32_t row)
{
    const sn_body_state *body = &world->bodies.state[row];
    double inverse[3], spin[3];
    sn_body_inverse_moments(body, inverse);
    sn_rotate_velocity(body->q, body->l, inverse, spin);
    return sn_body_sweep(world, row, vec3((sn_real)spin[0], (sn_real)spin[1], (sn_real)spin[2]), true);
}

void sn_body_stop(sn_world *world, uint32_t row)
{
    memset(world->bodies.state[row].l, 0, sizeof world->bodies.state[row].l);
    world->bodies.state[row].lost = 0;
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

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

/* A body that is being created. */
typedef struct making {
    sn_world *world;
    const sn_body_def *def;
    char reason[SN_ERROR_SIZE - 64];
    bool out_of_memory;
    sn_mass_properties mass;
    sn_body_state state;
    double kilograms; /* mass; INFINITY: immovable */
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

/* ---- Hulls -------------------------------------------------------------------------------------------------------
   Hulls are kept until the world is destroyed. Shapes with the same points share a hull. Shapes with different points
   do not, even if their corners are the same, because the given points must be read back. */

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

/* Stores a hull and the points from which it was made, and takes ownership of both. False if there is no memory; both
   are then freed. */
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

/* Stores the hull, or frees it if there is one of the same points. Returns 1 + its number; 0 if there is no memory. */
static uint32_t keep_hull(making *m, sn_hull *hull, const sn_shape_def *shape)
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

/* Makes the hull of a shape. It stays in the world. */
static bool take_hull(making *m, const sn_shape_def *shape, sn_body_part *part)
{
    sn_hull *hull = sn_hull_create(&m->world->allocator, shape->vertices, shape->vertex_count, &m->out_of_memory,
                                   m->reason, sizeof m->reason);
    if (!hull || !(part->hull = keep_hull(m, hull, shape)))
        return false;
    part->convex.hull = ((sn_hull **)m->world->bodies.hull_table.column[0])[part->hull - 1];
    part->hull_hash = part->convex.hull->hash;
    part->place = vec3_add(part->place, sn_quat_rotate(part->turn, dvec3_round(part->convex.hull->centroid)));
    return true;
}

/* Makes a part of one shape, in the user's frame, and computes its mass. */
static bool make_part(making *m, const sn_shape_def *shape, sn_body_part *part, sn_mass_properties *mass)
{
    double density = (double)(shape->density > 0 ? shape->density : m->def->density);
    memset(part, 0, sizeof *part);
    part->convex = sn_shape_convex_of(shape, NULL);
    part->convex.radius += shape->rounding;
    part->density = shape->density;
    part->user = shape->user;
    part->turn = sn_quat_normal(shape->rotation);
    part->place = shape->position;
    part->has_material = shape->material != NULL;
    part->has_filter = shape->filter != NULL;
    part->sensor = shape->sensor;
    if (shape->material)
        part->material = *shape->material;
    if (shape->filter)
        part->filter = *shape->filter;
    if ((shape->type == SN_SHAPE_HULL && !take_hull(m, shape, part)) ||
        !sn_mass_of_shape(mass, &m->world->allocator, &part->convex, density, &m->out_of_memory, m->reason,
                          sizeof m->reason))
        return false;
    double displacement[3] = {(double)part->place.x, (double)part->place.y, (double)part->place.z};
    sn_mass_move(mass, part->turn, displacement);
    return true;
}

/* True if a dynamic body may have this shape. */
static bool check_shape(making *m, const sn_shape_def *shape)
{
    const char *type = sn_shape_type_name(shape->type);
    if (type && !sn_shape_is_convex(shape->type))
        snprintf(m->reason, sizeof m->reason,
                 "what is not convex cannot be part of a dynamic body, only of a static or kinematic one");
    else
        return sn_shape_def_check(shape, m->reason, sizeof m->reason);
    return false;
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
        const sn_shape_def *shape = &m->def->shapes[i];
        const char *type = sn_shape_type_name(shape->type);
        snprintf(name, sizeof name, "shape %u (%s)", i, type ? type : "of no type");
        if (shape->material && sn_world_check_material(m->world, "material of a shape", shape->material) != SN_OK)
            return SN_ERROR_ARGUMENT;
        if (!check_shape(m, shape) || !make_part(m, shape, &bodies->part[bodies->part_table.count + i], &mass))
            return refuse(m, name);
        if (!m->def->vertices && !shape->sensor)
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

/* ---- Mass -------------------------------------------------------------------------------------------------------- */

/* If an infinite moment has a smaller share than this in the moment about z, the body is not locked by it: the share is
   rounding of its axes. */
#define LEAST_SHARE 1e-12

/* In a 2D world a body rotates about z, which becomes a principal axis. Its moment is the moment of inertia about z. */
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

/* Computes radii of gyration from moments of inertia and the mass. */
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
    if (body_check_quat(m->world, "axes", def->axes) != SN_OK)
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
        return world_fail(
            m->world, SN_ERROR_ARGUMENT,
            "a body has neither a shape that is no sensor nor moments; give it a shape, or mass and moments");
    sn_mass_principal(m->mass.inertia, moment, q);
    for (int i = 0; i < 3; ++i)
        m->state.own[i] = -q[i];
    m->state.own[3] = q[3];
    return set_radii(m, moment, m->mass.mass);
}

/* Computes mass, centre, and radii of gyration. */
static sn_result make_mass(making *m)
{
    const sn_body_def *def = m->def;
    if (def->mass == SN_MEASURE && !(m->mass.mass > 0))
        return world_fail(m->world, SN_ERROR_ARGUMENT,
                          "a body has no shape to take its mass from, and sensors have none; give it a mass");
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
    if (isinf(m->kilograms) && !(m->mass.mass > 0)) { /* an immovable body never uses them */
        m->state.k[0] = m->state.k[1] = m->state.k[2] = 1;
        return SN_OK;
    }
    return measured_moments(m);
}

/* ---- Adding ------------------------------------------------------------------------------------------------------ */

static sn_result check_def(making *m)
{
    const sn_body_def *def = m->def;
    const sn_world *world = m->world;
    sn_result result;
    if (!def || def->made != DEF_MADE)
        return world_fail(world, SN_ERROR_ARGUMENT, "def is %s; start from sn_default_body_def()",
                          def ? "not initialised" : "NULL");
    if ((unsigned)def->type > SN_BODY_KINEMATIC)
        return world_fail(world, SN_ERROR_ARGUMENT, "type is %d, which is no sn_body_type", (int)def->type);
    if (def->type != SN_BODY_DYNAMIC)
        return SN_OK; /* checked by sn_fixed_add */
    if ((result = sn_world_check_vector(world, "position", def->position)) != SN_OK ||
        (result = sn_world_check_vector(world, "velocity", def->velocity)) != SN_OK ||
        (result = body_check_quat(world, "rotation", def->rotation)) != SN_OK ||
        (result = body_check_planar(world, "rotation", def->rotation, vec3(0, 0, 0))) != SN_OK ||
        (result = body_check_planar(world, "spin", (sn_quat){0}, def->spin)) != SN_OK)
        return result;
    if ((result = body_check_spin(world, def->spin)) != SN_OK)
        return result;
    if (!isfinite(def->density) || !(def->density > 0))
        return world_fail(world, SN_ERROR_ARGUMENT, "density is %g kg/m^3; it must be positive and finite",
                          (double)def->density);
    if (!isfinite(def->spin_damping) || def->spin_damping < 0)
        return world_fail(world, SN_ERROR_ARGUMENT, "spin_damping is %g 1/s; it must be finite and not negative",
                          (double)def->spin_damping);
    return SN_OK;
}

static void rotate_part(const sn_body_state *body, sn_body_part *part)
{
    part->turn = sn_body_principal_turn(body, part->turn);
    part->place = sn_body_principal_place(body, part->place);
    part->plain = part->place.x == 0 && part->place.y == 0 && part->place.z == 0 && part->turn.x == 0 &&
                  part->turn.y == 0 && part->turn.z == 0;
}

static void store_body(making *m, uint32_t row, uint32_t number, sn_particle particle)
{
    sn_bodies *bodies = &m->world->bodies;
    m->state.particle = particle.index;
    m->state.number = number;
    m->state.part = bodies->part_table.count;
    m->state.parts = m->def->shape_count;
    m->state.spin_damping = m->def->spin_damping;
    for (uint32_t i = 0; i < m->state.parts; ++i)
        rotate_part(&m->state, &bodies->part[m->state.part + i]);
    bodies->part_table.count += m->state.parts;
    if (row >= bodies->table.count)
        bodies->table.count = bodies->turn_table.count = row + 1;
    bodies->state[row] = m->state;
    bodies->ids.value[row] = row;
    m->world->particles.body[m->world->ids.value[particle.index]] = row + 1;
    sn_bodies_refresh(bodies, row);
    m->world->contact.edits++;
}

/* Adds a row, and its particle. number: of the body, or of the fixed body whose anchor it is. */
static sn_result add_row(making *m, uint32_t number, uint32_t *row)
{
    sn_world *world = m->world;
    sn_bodies *bodies = &world->bodies;
    sn_result result;
    sn_particle particle;
    body_set_turn(&m->state, m->def->rotation);
    body_set_spin(&m->state, m->def->spin);
    bool room = sn_ids_find(&bodies->ids, &world->allocator, 1, SN_MAX_COUNT, row) &&
                sn_table_reserve(&bodies->table, &world->allocator, (uint64_t)*row + 1) &&
                sn_table_reserve(&bodies->turn_table, &world->allocator, (uint64_t)*row + 1);
    sn_bodies_bind(bodies); /* also after a failure: one table may have grown before the other failed */
    if (!room)
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a body");
    sn_particle_def def = sn_default_particle_def();
    def.position = body_centre_at(&m->state, m->def->position);
    def.velocity = m->def->velocity;
    def.mass = isinf(m->kilograms) ? SN_IMMOVABLE : (sn_real)m->kilograms;
    def.group = m->def->group;
    def.user = m->def->user;
    if ((result = sn_particle_add(world, &def, &particle)) != SN_OK)
        return result;
    sn_ids_take(&bodies->ids, *row, 1);
    store_body(m, *row, number, particle);
    return SN_OK;
}

static sn_result add(making *m, sn_body *body)
{
    sn_world *world = m->world;
    sn_bodies *bodies = &world->bodies;
    sn_result result = check_def(m);
    uint32_t row, number;
    if (result != SN_OK)
        return result;
    if (m->def->type != SN_BODY_DYNAMIC)
        return sn_fixed_add(world, m->def, body);
    if ((result = make_parts(m)) != SN_OK || (result = measure_mesh(m)) != SN_OK || (result = make_mass(m)) != SN_OK)
        return result;
    if (!sn_ids_find(&bodies->names, &world->allocator, 1, SN_MAX_COUNT, &number))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for a body");
    if ((result = add_row(m, number, &row)) != SN_OK)
        return result;
    const uint32_t generation = sn_ids_take(&bodies->names, number, 1);
    bodies->names.value[number] = row;
    *body = (sn_body){number, generation};
    return SN_OK;
}

uint32_t sn_bodies_add_anchor(sn_world *world, const sn_fixed_body *body)
{
    sn_body_def def = sn_default_body_def();
    making m = {.world = world, .def = &def};
    uint32_t row;
    def.position = body->pose.position;
    def.rotation = body->pose.rotation;
    def.mass = SN_IMMOVABLE;
    def.group = body->group;
    def.user = body->user;
    if (make_mass(&m) != SN_OK || add_row(&m, body->number, &row) != SN_OK)
        return SN_ID_FREE;
    return row;
}

sn_result sn_body_add(sn_world *world, const sn_body_def *def, sn_body *body)
{
    sn_body made;
    if (!body)
        body = &made;
    *body = (sn_body){0};
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    making m = {.world = world, .def = def};
    return add(&m, body);
}
