/* Rigid bodies of a scene: reading bodies and their shapes, and the calls with which builders make bodies and
   joints. */
#include "scene/bodies.h"
#include "scene/solids.h"
#include "scene/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Roughly what a body and a shape take, in bytes: state, contact, and what is kept for saving. */
#define BYTES_PER_BODY  1500.0
#define BYTES_PER_SHAPE 700.0

/* ---- Rotations and points ---------------------------------------------------------------------------------------- */

/* A rotation by 90 degrees about z takes x to y; sn_rotation_facing takes y to the direction. Along x no rotation is
   needed. */
sn_quat sn_rotation_along(sn_vec3 direction)
{
    if (direction.y == 0 && direction.z == 0)
        return direction.x > 0 ? (sn_quat){0, 0, 0, 1} : (sn_quat){0, 1, 0, 0};
    const sn_real half = (sn_real)0.70710678118654752;
    return sn_rotation_after(sn_rotation_facing(direction), (sn_quat){0, 0, half, half});
}

/* The half-way quaternion (a x b, |a| |b| + a.b): a rotation without twist. */
sn_quat sn_rotation_between(sn_vec3 from, sn_vec3 to)
{
    double a[3] = {(double)from.x, (double)from.y, (double)from.z}, b[3] = {(double)to.x, (double)to.y, (double)to.z};
    double size = sqrt((a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]));
    double q[4] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
                   size + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]};
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 1e-9 * size) ||
        (q[0] == 0 && q[1] == 0 && q[2] == 0)) /* the same, or opposite, which no caller passes */
        return (sn_quat){0, 0, 0, 1};
    return (sn_quat){(sn_real)(q[0] / length), (sn_real)(q[1] / length), (sn_real)(q[2] / length),
                     (sn_real)(q[3] / length)};
}

sn_point sn_point_of_body(const sn_world *world, sn_body body, sn_vec3 place, sn_quat turn)
{
    if (body.generation == 0)
        return sn_at_place_turned(place, turn);
    sn_quat q = sn_body_rotation(world, body), back = {-q.x, -q.y, -q.z, q.w};
    return sn_on_body_turned(body, sn_body_to_own(world, body, place), sn_rotation_after(back, turn));
}

/* ---- Making bodies ----------------------------------------------------------------------------------------------- */

static void *copied(sn_arena *arena, const void *from, uint64_t count, size_t size)
{
    void *to = sn_arena_take(arena, (size_t)count, size);
    if (to && count)
        memcpy(to, from, (size_t)count * size);
    return to;
}

/* Copies a definition, with all its lists, into the memory of the scene. NULL when memory runs out. */
static sn_body_def *keep_def(sn_scene *scene, const sn_body_def *def)
{
    sn_body_def *kept = copied(&scene->arena, def, 1, sizeof *def);
    sn_shape_def *shape = copied(&scene->arena, def->shapes, def->shape_count, sizeof *shape);
    if (!kept || !shape)
        return NULL;
    kept->shapes = def->shape_count ? shape : NULL;
    for (uint32_t i = 0; i < def->shape_count; ++i)
        if ((shape[i].vertices &&
             !(shape[i].vertices = copied(&scene->arena, shape[i].vertices, shape[i].vertex_count, sizeof(sn_vec3)))) ||
            (shape[i].material &&
             !(shape[i].material = copied(&scene->arena, shape[i].material, 1, sizeof *shape[i].material))) ||
            (shape[i].filter &&
             !(shape[i].filter = copied(&scene->arena, shape[i].filter, 1, sizeof *shape[i].filter))))
            return NULL;
    if (def->vertices &&
        (!(kept->vertices = copied(&scene->arena, def->vertices, def->vertex_count, sizeof(sn_vec3))) ||
         !(kept->triangles =
               copied(&scene->arena, def->triangles, 3 * (uint64_t)def->triangle_count, sizeof(uint32_t)))))
        return NULL;
    return kept;
}

static void scale_vector(sn_vec3 *v, sn_real scale)
{
    v->x *= scale, v->y *= scale, v->z *= scale;
}

static void scale_vertices(const sn_vec3 *vertex, uint32_t count, sn_real scale)
{
    for (uint32_t i = 0; i < count; ++i)
        scale_vector((sn_vec3 *)&vertex[i], scale);
}

/* Scales a kept definition in place: its lists are the scene's own copies. */
static void scale_def(sn_body_def *def, sn_real scale)
{
    if (scale == 1)
        return;
    sn_shape_def *shape = (sn_shape_def *)def->shapes;
    for (uint32_t i = 0; i < def->shape_count; ++i) {
        scale_vector(&shape[i].position, scale);
        scale_vector(&shape[i].half, scale);
        shape[i].radius *= scale;
        shape[i].rounding *= scale;
        scale_vertices(shape[i].vertices, shape[i].vertex_count, scale);
    }
    scale_vertices(def->vertices, def->vertex_count, scale);
    if (def->centre.x != SN_MEASURE)
        scale_vector(&def->centre, scale);
    if (def->moments.x != SN_MEASURE)
        scale_vector(&def->moments, scale * scale);
}

/* Moves a definition from the frame of the object into the world. */
static void place_def(const sn_build *build, sn_body_def *def)
{
    const sn_object_def *frame = build->def;
    scale_def(def, frame->scale);
    def->position = sn_build_place(build, def->position);
    def->velocity = sn_build_turn_vector(build, def->velocity);
    def->spin = sn_build_turn_vector(build, def->spin);
    if (frame->turn.angle != 0)
        def->rotation =
            sn_rotation_after(sn_rotation_about(frame->turn.axis, (double)frame->turn.angle), def->rotation);
    def->group = build->object->group;
}

/* Counts one more item of the name "all". */
static bool count_item(sn_build *build)
{
    sn_object *object = build->object;
    for (uint32_t i = 0; i < object->part_count; ++i)
        if (strcmp(object->part[i].name, "all") == 0) {
            object->part[i].count++;
            return true;
        }
    return sn_build_range(build, "all", 0, 1);
}

bool sn_build_body(sn_build *build, const sn_body_def *def, uint32_t *item)
{
    sn_scene *scene = build->scene;
    sn_object *object = build->object;
    sn_body_def *kept = keep_def(scene, def);
    if (object->body_count == object->body_capacity) {
        sn_growing list = {object->body_count, object->body_count, object->body};
        sn_object_body *grown = sn_growing_add(&list, &scene->arena, sizeof *grown);
        if (!grown)
            return sn_build_fail(build, NULL, "no memory for a body");
        object->body = list.items;
        object->body_capacity = list.capacity;
    }
    if (!kept)
        return sn_build_fail(build, NULL, "no memory for a body");
    place_def(build, kept);
    sn_object_body *body = &object->body[object->body_count];
    *body = (sn_object_body){.def = kept};
    if (sn_body_add(scene->world, kept, &body->handle) != SN_OK)
        return sn_scene_refused(scene, build->reader);
    if (item)
        *item = object->run.count + object->body_count;
    object->body_count++;
    return count_item(build);
}

sn_body sn_object_body_at(const sn_object *object, uint32_t item)
{
    sn_body none = {0, 0};
    return item >= object->run.count && item - object->run.count < object->body_count
               ? object->body[item - object->run.count].handle
               : none;
}

/* ---- Velocities of the whole object ------------------------------------------------------------------------------ */

typedef struct sum {
    double mass, moment[3];
} sum;

static void add_to_sum(sum *s, sn_real mass, sn_vec3 x)
{
    double m = isinf(mass) ? 0 : (double)mass;
    s->mass += m;
    s->moment[0] += m * (double)x.x, s->moment[1] += m * (double)x.y, s->moment[2] += m * (double)x.z;
}

static sum sum_of_particles(const sn_build *build)
{
    sum s = {0};
    for (uint32_t i = 0; i < build->object->run.count; ++i) {
        sn_particle p = sn_particles_at(build->object->run, i);
        add_to_sum(&s, sn_particle_mass(build->scene->world, p), sn_particle_position(build->scene->world, p));
    }
    return s;
}

static sn_vec3 middle_of(const sum *s)
{
    double m = s->mass > 0 ? s->mass : 1;
    return (sn_vec3){(sn_real)(s->moment[0] / m), (sn_real)(s->moment[1] / m), (sn_real)(s->moment[2] / m)};
}

/* w x (x - c) */
static sn_vec3 swirl(sn_vec3 w, sn_vec3 x, sn_vec3 c)
{
    sn_vec3 r = {x.x - c.x, x.y - c.y, x.z - c.z};
    return (sn_vec3){w.y * r.z - w.z * r.y, w.z * r.x - w.x * r.z, w.x * r.y - w.y * r.x};
}

static sn_vec3 plus(sn_vec3 a, sn_vec3 b)
{
    return (sn_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* So far the particles rotate about their own centre of mass, `from`. They are to rotate about that of the whole
   object, `to`, which also has bodies: adds w x (from - to). */
static sn_result shift_particles(sn_build *build, sn_vec3 w, sn_vec3 from, sn_vec3 to)
{
    sn_world *world = build->scene->world;
    sn_vec3 more = swirl(w, from, to);
    sn_result result = SN_OK;
    for (uint32_t i = 0; i < build->object->run.count && result == SN_OK; ++i) {
        sn_particle p = sn_particles_at(build->object->run, i);
        result = sn_particle_set_velocity(world, p, plus(sn_particle_velocity(world, p), more));
    }
    return result;
}

bool sn_build_move_bodies(sn_build *build)
{
    sn_object *object = build->object;
    sn_world *world = build->scene->world;
    sn_vec3 v = build->def->velocity, w = build->def->spin;
    bool moves = !sn_is_zero(v) || !sn_is_zero(w);
    sum own = sum_of_particles(build), all = own;
    for (uint32_t i = 0; i < object->body_count && moves; ++i)
        add_to_sum(&all, sn_body_mass(world, object->body[i].handle), sn_body_centre(world, object->body[i].handle));
    sn_vec3 middle = middle_of(&all);
    sn_result result = SN_OK;
    if (object->body_count && !sn_is_zero(w) && object->run.count)
        result = shift_particles(build, w, middle_of(&own), middle);
    for (uint32_t i = 0; i < object->body_count && result == SN_OK; ++i) {
        sn_object_body *body = &object->body[i];
        if (moves && !isinf(sn_body_mass(world, body->handle))) {
            sn_vec3 turning = swirl(w, sn_body_centre(world, body->handle), middle);
            body->def->velocity = plus(body->def->velocity, plus(v, turning));
            body->def->spin = plus(body->def->spin, w);
            result = sn_body_set_velocity(world, body->handle, body->def->velocity, body->def->spin);
        }
        if (result == SN_OK)
            result = sn_body_read(world, body->handle, &body->first);
        body->first.shapes = NULL; /* these lists belong to the world, which may free them */
    }
    return result == SN_OK || sn_scene_refused(build->scene, build->reader);
}

/* ---- Joints ------------------------------------------------------------------------------------------------------ */

bool sn_scene_keep_points(sn_scene *scene, sn_constraint c, uint32_t count, const sn_point *points)
{
    sn_given_points *given = sn_growing_add(&scene->given_points, &scene->arena, sizeof *given);
    sn_constraint_def def;
    if (!given)
        return false;
    *given = (sn_given_points){.constraint = c, .count = count};
    given->given = copied(&scene->arena, points, count, sizeof *points);
    sn_point *read = sn_arena_take(&scene->arena, count, sizeof *read);
    given->read = read;
    return given->given && read && sn_constraint_read(scene->world, c, &def, read, count) == SN_OK;
}

double sn_build_density(const sn_build *build, double volume)
{
    if (!isnan(build->def->mass))
        return (double)build->def->mass / volume;
    return isnan(build->stuff->density) ? (double)sn_default_body_def().density : (double)build->stuff->density;
}

bool sn_build_joint(sn_build *build, const char *name, const sn_joint_def *joint, uint32_t a, uint32_t b)
{
    return sn_build_joint_leaning(build, name, joint, a, b, joint->axis);
}

/* The points are made here, not by sn_joint_add, so that they can be saved to the last bit. */
bool sn_build_joint_leaning(sn_build *build, const char *name, const sn_joint_def *joint, uint32_t a, uint32_t b,
                            sn_vec3 axis_b)
{
    sn_world *world = build->scene->world;
    sn_vec3 anchor = sn_build_place(build, joint->anchor), axis = sn_build_turn_vector(build, joint->axis);
    sn_quat turn = sn_rotation_along(axis);
    sn_quat lean = sn_rotation_between(axis, sn_build_turn_vector(build, axis_b));
    sn_point points[2] = {
        sn_point_of_body(world, sn_object_body_at(build->object, a), anchor, turn),
        sn_point_of_body(world, sn_object_body_at(build->object, b), anchor, sn_rotation_after(lean, turn))};
    sn_constraint_def def;
    sn_constraint c;
    if (sn_joint_constraint(world, joint, &def) != SN_OK)
        return sn_scene_refused(build->scene, build->reader);
    def.points = points;
    if (sn_constraint_add(world, &def, &c) != SN_OK ||
        ((joint->strength > 0 || joint->torque_strength > 0) &&
         sn_constraint_set_strength(world, c, joint->strength, joint->torque_strength) != SN_OK))
        return sn_scene_refused(build->scene, build->reader);
    if (!sn_scene_keep_points(build->scene, c, 2, points))
        return sn_build_fail(build, NULL, "no memory for a joint");
    return sn_build_hold(build, name, (sn_constraints){c.kind, c.index, 1, c.generation});
}

bool sn_build_tie(sn_build *build, const char *name, const sn_constraint_def *def)
{
    sn_constraint c;
    uint32_t count = sn_kind_info(build->scene->world, def->kind)->points;
    if (sn_constraint_add(build->scene->world, def, &c) != SN_OK)
        return sn_scene_refused(build->scene, build->reader);
    if (!sn_scene_keep_points(build->scene, c, count, def->points))
        return sn_build_fail(build, NULL, "no memory for a constraint");
    return sn_build_hold(build, name, (sn_constraints){c.kind, c.index, 1, c.generation});
}

/* ---- Reading bodies ---------------------------------------------------------------------------------------------- */

static bool read_triangles(sn_scene *scene, sn_reader *reader, const sn_numbers *list, sn_body_def *def)
{
    uint32_t *corner = sn_arena_take(&scene->scratch, list->count, sizeof *corner);
    if (list->count % 3 || !list->count)
        return sn_reader_fail_key(reader, "triangles", "found %u numbers, expected three for each triangle",
                                  list->count);
    if (!corner)
        return sn_reader_fail(reader, "no memory for a mesh");
    for (uint32_t i = 0; i < list->count; ++i) {
        double x = list->data[i];
        if (!(x >= 0 && x < def->vertex_count && x == floor(x)))
            return sn_reader_fail_key(reader, "triangles", "item %u is %g, expected a vertex, 0 to %u", i, x,
                                      def->vertex_count - 1);
        corner[i] = (uint32_t)x;
    }
    def->triangles = corner;
    def->triangle_count = list->count / 3;
    return true;
}

/* Reads the mesh from which the mass of the body follows. */
static bool read_mesh(sn_scene *scene, sn_reader *reader, const sn_body_keys *keys, sn_body_def *def)
{
    sn_mesh mesh = {0};
    sn_mesh_notes notes = {0};
    bool lists = keys->vertices.data || keys->triangles.data;
    if (keys->mesh && lists)
        return sn_reader_fail_key(reader, "mesh", "both a file and 'vertices' or 'triangles' are given");
    if (lists && (!keys->vertices.data || !keys->triangles.data))
        return sn_reader_fail(reader, "'vertices' and 'triangles' go together, and '%s' is missing",
                              keys->vertices.data ? "triangles" : "vertices");
    if (lists) {
        mesh.vertex = sn_read_vectors(scene, reader, "vertices", &keys->vertices);
        def->vertex_count = keys->vertices.count / 3;
        def->vertices = mesh.vertex;
        return mesh.vertex && sn_scale_points(reader, mesh.vertex, def->vertex_count, keys->scale) &&
               read_triangles(scene, reader, &keys->triangles, def);
    }
    if (!keys->mesh)
        return true;
    if (!sn_scene_read_mesh(scene, reader, "mesh", keys->mesh, &mesh, &notes))
        return false;
    if (!sn_mesh_weld(&scene->scratch, &mesh, keys->weld, true, &notes))
        return sn_reader_fail_key(reader, "weld", "no memory to weld vertices");
    def->vertices = mesh.vertex;
    def->vertex_count = mesh.vertex_count;
    def->triangles = mesh.triangle;
    def->triangle_count = mesh.triangle_count;
    return sn_scale_points(reader, mesh.vertex, mesh.vertex_count, keys->scale);
}

static bool read_mass(sn_reader *reader, const sn_body_keys *keys, sn_body_def *def)
{
    sn_vec3 m = keys->moments;
    if (!isnan(keys->mass))
        def->mass = keys->mass;
    if (keys->immovable && (!isnan(keys->mass) || !isnan(m.x)))
        return sn_reader_fail_key(reader, "immovable", "it is, so 'mass' and 'moments' cannot be given");
    if (keys->immovable)
        def->mass = SN_IMMOVABLE;
    if (!isnan(keys->centre.x))
        def->centre = keys->centre;
    if (!isnan(m.x))
        def->moments = (sn_vec3){m.x == 0 ? (sn_real)INFINITY : m.x, m.y == 0 ? (sn_real)INFINITY : m.y,
                                 m.z == 0 ? (sn_real)INFINITY : m.z};
    if (!keys->axes.data)
        return true;
    if (isnan(m.x))
        return sn_reader_fail_key(reader, "axes", "they are those of 'moments', which are not given");
    return sn_read_quaternion(reader, "axes", &keys->axes, &def->axes);
}

/* The definition of a body of the file. Its lists are in the scratch. */
static bool read_body(sn_scene *scene, sn_reader *reader, const sn_body_keys *keys, sn_body_def *def)
{
    bool flat = sn_world_dimensions(scene->world) == 2, good = true;
    *def = sn_default_body_def();
    def->position = keys->position;
    def->velocity = keys->velocity;
    def->spin = keys->spin;
    def->density = keys->density;
    def->spin_damping = keys->spin_damping;
    if (!sn_read_rotation(reader, flat, &keys->turn, &keys->rotation, &def->rotation) || !read_mass(reader, keys, def))
        return false;
    if (keys->shapes) {
        size_t length = sn_reader_enter_key(reader, "shapes");
        good = sn_read_shapes(scene, reader, keys->shapes, def);
        sn_reader_leave(reader, length);
    }
    if (!good || !read_mesh(scene, reader, keys, def))
        return false;
    if (!def->shape_count && !def->vertices && !(def->mass != SN_MEASURE && def->moments.x != SN_MEASURE) &&
        !keys->immovable)
        return sn_reader_fail(reader, "it has no shapes, and neither a mesh nor 'mass' and 'moments'");
    double bytes = BYTES_PER_BODY + BYTES_PER_SHAPE * def->shape_count;
    if (!sn_scene_fits(scene, reader, bytes))
        return false;
    scene->planned += bytes;
    return true;
}

static bool build_body(sn_build *build, const void *own)
{
    sn_body_def def;
    return read_body(build->scene, build->reader, own, &def) && sn_build_body(build, &def, NULL);
}

bool sn_build_bodies(sn_build *build, const sn_value *list)
{
    bool good = true;
    uint32_t i = 0;
    size_t length = sn_reader_enter_key(build->reader, "bodies");
    if (list->type != SN_VALUE_LIST || list->numbers)
        good = sn_reader_expected(build->reader, list, "a list of bodies");
    for (const sn_value *item = good ? list->first : NULL; item; item = item->next) {
        sn_body_keys keys;
        size_t inner = sn_reader_enter_item(build->reader, sn_value_index(item, i++));
        good = sn_record_read_one(build->reader, item, &sn_body_record, &keys) && good && build_body(build, &keys);
        sn_reader_leave(build->reader, inner);
    }
    sn_reader_leave(build->reader, length);
    return good;
}

/* ---- The list "bodies" ------------------------------------------------------------------------------------------- */

/* For the rest of the scene a body of this list is an object without particles and with one body. */
static const sn_object_type body_type = {
    .name = "body", .about = "A rigid body", .record = &sn_body_record, .build = build_body};

bool sn_scene_is_lone_body(const sn_object *object)
{
    return object->type == body_type.name;
}

static bool use_group(sn_scene *scene, sn_reader *reader, const sn_lone_body_keys *lone, sn_object_def *def)
{
    bool good = true;
    def->group = lone->contact ? SN_OWN_GROUP : 0;
    if (lone->group) {
        size_t length = sn_reader_enter_key(reader, "group");
        good = sn_scene_use_group(scene, reader, lone->group, &def->group);
        sn_reader_leave(reader, length);
    }
    if (good && lone->contact) {
        size_t length = sn_reader_enter_key(reader, "contact");
        if (def->group == SN_OWN_GROUP)
            def->group = scene->objects.count + 1;
        good = sn_scene_describe_group(scene, reader, lone->contact, NULL, def->group);
        sn_reader_leave(reader, length);
    }
    return good;
}

static bool read_lone_body(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    sn_body_keys keys;
    sn_lone_body_keys lone;
    sn_object_def def = sn_default_object_def();
    const sn_record *tables[] = {&sn_lone_body_record, &sn_body_record};
    void *structs[] = {&lone, &keys};
    if (sn_scene_is_fixed(value))
        return true; /* not dynamic: see fixed_bodies.c */
    if (!sn_record_read(reader, value, 2, tables, structs) || !use_group(scene, reader, &lone, &def))
        return false;
    def.name = lone.name;
    const sn_object *object = sn_scene_build(scene, reader, &body_type, &def, &keys);
    if (!object || !lone.pinned)
        return object != NULL;
    uint32_t number = sn_object_number(scene->world, object, 0);
    return sn_scene_pin(scene, 1, &number) || sn_reader_fail(reader, "no memory for a pin");
}

bool sn_scene_read_bodies(sn_scene *scene, sn_reader *reader, const sn_value *list)
{
    return sn_each_item(scene, reader, list, read_lone_body);
}
