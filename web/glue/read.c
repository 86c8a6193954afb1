/* Reading a world: arrays by the numbers of particles and bodies, the report, meshes for drawing, ray queries. */
#include "export/body_mesh.h"
#include "export/shape_mesh.h"
#include "web/glue/glue.h"

#include <stdlib.h>
#include <string.h>

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

/* Copies vectors or scalars of a view, ordered by the numbers of particles; `none` for unused numbers. */
static bool put_in_order(web_array *array, const sn_view *view, uint32_t width, sn_real none)
{
    sn_real *out = web_array_take(array, (size_t)view->slot_count * width);
    if (!out)
        return false;
    for (uint32_t number = 0; number < view->slot_count; ++number, out += width) {
        const sn_real *from = sn_view_find(view, number);
        for (uint32_t i = 0; i < width; ++i)
            out[i] = from ? from[i] : none;
    }
    return true;
}

static bool put_radii(web_world *w, web_array *array)
{
    sn_view view = sn_world_view_positions(w->world);
    sn_real *out = web_array_take(array, view.slot_count);
    for (uint32_t number = 0; out && number < view.slot_count; ++number)
        out[number] =
            sn_view_find(&view, number) ? sn_particle_radius(w->world, sn_particle_from_index(w->world, number)) : 0;
    return out != NULL;
}

static void put_pose(sn_real *out, sn_vec3 p, sn_quat q)
{
    const sn_real pose[7] = {p.x, p.y, p.z, q.x, q.y, q.z, q.w};
    memcpy(out, pose, sizeof pose);
}

static void put_no_pose(sn_real *out)
{
    put_pose(out, (sn_vec3){(sn_real)NAN, (sn_real)NAN, (sn_real)NAN},
             (sn_quat){(sn_real)NAN, (sn_real)NAN, (sn_real)NAN, (sn_real)NAN});
}

static bool put_bodies(web_world *w, web_array *array)
{
    uint32_t limit = sn_world_body_limit(w->world);
    sn_real *out = web_array_take(array, (size_t)limit * 7);
    for (uint32_t i = 0; out && i < limit; ++i) {
        sn_body body = sn_body_from_index(w->world, i);
        if (body.generation)
            put_pose(out + 7 * i, sn_body_position(w->world, body), sn_body_rotation(w->world, body));
        else
            put_no_pose(out + 7 * i);
    }
    return out != NULL;
}

static bool is_link(uint32_t kind)
{
    return kind == SN_KIND_DISTANCE || kind == SN_KIND_DISTANCE_MAX || kind == SN_KIND_DISTANCE_BAND ||
           kind == SN_KIND_SPRING;
}

static bool put_links(web_world *w, web_array *array)
{
    sn_constraint_walk walk = {0};
    size_t count = 0;
    uint32_t *out = web_array_take(array, 2 * (size_t)sn_world_constraint_count(w->world, SN_KIND_NONE));
    while (out && sn_constraint_next(w->world, &walk)) {
        sn_constraint_def def;
        sn_point points[SN_MAX_POINTS];
        if (!is_link(walk.constraint.kind) ||
            sn_constraint_read(w->world, walk.constraint, &def, points, SN_MAX_POINTS) != SN_OK ||
            points[0].count != 1 || points[1].count != 1)
            continue;
        out[count++] = points[0].particle[0].index;
        out[count++] = points[1].particle[0].index;
    }
    array->count = count;
    return out != NULL;
}

static void put_end(sn_real *out, const sn_point *point)
{
    uint32_t corner = 0;
    for (uint32_t i = 1; i < point->count; ++i)
        corner = point->weight[i] > point->weight[corner] ? i : corner;
    out[0] = point->type == SN_POINT_BODY ? 1 : point->type == SN_POINT_PLACE ? 2 : 0;
    out[1] = (sn_real)(point->type == SN_POINT_BODY    ? point->body.index
                       : point->type == SN_POINT_PLACE ? 0
                                                       : point->particle[corner].index);
    out[2] = point->place.x, out[3] = point->place.y, out[4] = point->place.z;
}

/* Lists rods, ropes and springs that are attached to a body, to a barycentric point or to a point of the world; and
   hinges, whose ends coincide. */
static bool put_ties(web_world *w, web_array *array)
{
    sn_constraint_walk walk = {0};
    size_t count = 0, capacity = 0;
    for (int pass = 0; pass < 2; ++pass, walk = (sn_constraint_walk){0}) { /* the first pass only counts */
        sn_real *out = pass ? web_array_take(array, capacity) : NULL;
        while (sn_constraint_next(w->world, &walk)) {
            sn_constraint_def def;
            sn_point points[SN_MAX_POINTS];
            bool tie = is_link(walk.constraint.kind) || walk.constraint.kind == SN_KIND_JOINT_HINGE;
            if (!tie || sn_constraint_read(w->world, walk.constraint, &def, points, SN_MAX_POINTS) != SN_OK ||
                (points[0].count == 1 && points[1].count == 1))
                continue;
            capacity += pass ? 0 : 10;
            if (!out)
                continue;
            put_end(out + count, &points[0]);
            put_end(out + count + 5, &points[1]);
            count += 10;
        }
    }
    array->count = count;
    return true;
}

static bool put(web_world *w, web_array_of which)
{
    web_array *array = &w->array[which];
    sn_view view;
    switch (which) {
    case WEB_POSITIONS:
        view = sn_world_view_positions(w->world);
        return put_in_order(array, &view, 3, (sn_real)NAN);
    case WEB_VELOCITIES:
        view = sn_world_view_velocities(w->world);
        return put_in_order(array, &view, 3, (sn_real)NAN);
    case WEB_INVERSE_MASSES:
        view = sn_world_view_inverse_masses(w->world);
        return put_in_order(array, &view, 1, 0);
    case WEB_RADII:
        return put_radii(w, array);
    case WEB_BODY_POSES:
        return put_bodies(w, array);
    case WEB_LINKS:
        return put_links(w, array);
    case WEB_TIES:
        return put_ties(w, array);
    default:
        return false;
    }
}

/* Updates an array. out: its address and count. False when memory runs out. */
WEB(web_array_of_world) bool web_array_of_world(web_world *w, int which, uint32_t *out)
{
    if (!put(w, (web_array_of)which))
        return false;
    out[0] = (uint32_t)(uintptr_t)w->array[which].data;
    out[1] = (uint32_t)w->array[which].count;
    return true;
}

/* The storage of particles, without copying. out: positions, velocities, items, stride in bytes, slot, numbers,
   index. */
WEB(web_storage) void web_storage(web_world *w, uint32_t *out)
{
    sn_view x = sn_world_view_positions(w->world), v = sn_world_view_velocities(w->world);
    out[0] = (uint32_t)(uintptr_t)x.data;
    out[1] = (uint32_t)(uintptr_t)v.data;
    out[2] = x.count;
    out[3] = (uint32_t)x.stride;
    out[4] = (uint32_t)(uintptr_t)x.slot;
    out[5] = x.slot_count;
    out[6] = (uint32_t)(uintptr_t)x.index;
}

/* out: particles, constraints, bodies, dimensions. */
WEB(web_counts) void web_counts(web_world *w, uint32_t *out)
{
    out[0] = sn_world_particle_count(w->world);
    out[1] = sn_world_constraint_count(w->world, SN_KIND_NONE);
    out[2] = sn_world_body_count(w->world);
    out[3] = sn_world_dimensions(w->world);
}

/* ---- The report -------------------------------------------------------------------------------------------------- */

#define REPORT_HEAD 22
#define REPORT_KIND 6

/* out: the REPORT_HEAD numbers of the report, then REPORT_KIND for each kind; it must have room for these. *kinds:
   how many kinds. */
WEB(web_report) sn_result web_report(web_world *w, double *out, uint32_t *kinds)
{
    sn_report r;
    sn_result result = sn_world_report(w->world, &r);
    if (result != SN_OK)
        return result;
    const double head[REPORT_HEAD] = {r.time,
                                      (double)r.steps,
                                      (double)r.passes,
                                      r.particles,
                                      r.constraints,
                                      r.kinetic,
                                      r.potential,
                                      r.elastic,
                                      r.mass,
                                      r.centre[0],
                                      r.centre[1],
                                      r.centre[2],
                                      r.momentum[0],
                                      r.momentum[1],
                                      r.momentum[2],
                                      r.angular_momentum[0],
                                      r.angular_momentum[1],
                                      r.angular_momentum[2],
                                      r.profile.seconds,
                                      r.profile.stage[SN_STAGE_FORCES] + r.profile.stage[SN_STAGE_PREDICT],
                                      r.profile.stage[SN_STAGE_CONSTRAINTS],
                                      r.profile.stage[SN_STAGE_VELOCITIES]};
    memcpy(out, head, sizeof head);
    out += REPORT_HEAD;
    for (uint32_t i = 0; i < r.kind_count; ++i, out += REPORT_KIND) {
        out[0] = r.kinds[i].kind;
        out[1] = r.kinds[i].count;
        out[2] = r.kinds[i].undefined;
        out[3] = r.kinds[i].largest;
        out[4] = r.kinds[i].mean;
        out[5] = r.kinds[i].relative;
    }
    *kinds = r.kind_count;
    return SN_OK;
}

/* ---- Meshes for drawing ------------------------------------------------------------------------------------------ */

static void tell_vector(sn_document *d, sn_value *record, const char *key, sn_vec3 v)
{
    double numbers[3] = {(double)v.x, (double)v.y, (double)v.z};
    sn_document_numbers(d, record, key, 3, numbers, NULL);
}

static void tell_shape(sn_document *d, sn_value *list, const sn_shape_def *shape)
{
    double q[4] = {(double)shape->rotation.x, (double)shape->rotation.y, (double)shape->rotation.z,
                   (double)shape->rotation.w};
    sn_value *record = sn_document_record(d, list, NULL);
    sn_document_text(d, record, "type", sn_shape_type_name(shape->type));
    tell_vector(d, record, "position", shape->position);
    sn_document_numbers(d, record, "rotation", 4, q, NULL);
    tell_vector(d, record, "half", shape->half);
    sn_document_number(d, record, "radius", (double)shape->radius);
    sn_document_number(d, record, "rounding", (double)shape->rounding);
    sn_document_truth(d, record, "sensor", shape->sensor);
    bool hull = shape->type == SN_SHAPE_HULL && shape->vertex_count;
    sn_value *points = sn_document_list(d, record, "vertices");
    for (uint32_t i = 0; hull && i < shape->vertex_count; ++i) {
        sn_document_number(d, points, NULL, (double)shape->vertices[i].x);
        sn_document_number(d, points, NULL, (double)shape->vertices[i].y);
        sn_document_number(d, points, NULL, (double)shape->vertices[i].z);
    }
}

static void tell_body(web_world *w, sn_document *d, sn_value *list, const sn_object *object, uint32_t i)
{
    char name[160];
    sn_body handle = object->body[i].handle;
    sn_body_def def;
    sn_object_label(object, object->run.count + i, name, sizeof name);
    if (!sn_body_is_valid(w->world, handle) || sn_body_read(w->world, handle, &def) != SN_OK)
        return;
    sn_value *record = sn_document_record(d, list, NULL);
    sn_document_text(d, record, "name", name);
    sn_document_number(d, record, "body", handle.index);
    sn_document_number(d, record, "particle", sn_body_particle(w->world, handle).index);
    sn_document_number(d, record, "item", i);
    sn_value *shapes = sn_document_list(d, record, "shapes");
    for (uint32_t k = 0; k < def.shape_count; ++k)
        tell_shape(d, shapes, &def.shapes[k]);
}

static void tell_object(web_world *w, sn_document *d, sn_value *list, const sn_object *object)
{
    sn_value *record = sn_document_record(d, list, NULL);
    sn_document_text(d, record, "name", object->name);
    sn_document_text(d, record, "type", object->type);
    sn_document_number(d, record, "group", object->group);
    sn_document_number(d, record, "first", object->run.first);
    sn_document_number(d, record, "count", object->run.count);
    sn_value *bodies = sn_document_list(d, record, "bodies");
    for (uint32_t k = 0; k < object->body_count; ++k)
        tell_body(w, d, bodies, object, k);
}

static void tell_fixed(web_world *w, sn_document *d, sn_value *list, const sn_scene_fixed *found)
{
    sn_body_def def;
    if (!sn_body_is_valid(w->world, found->handle) || sn_body_read(w->world, found->handle, &def) != SN_OK)
        return;
    sn_value *record = sn_document_record(d, list, NULL);
    sn_document_text(d, record, "name", found->name ? found->name : "");
    sn_document_number(d, record, "body", found->handle.index);
    sn_document_text(d, record, "type", def.type == SN_BODY_KINEMATIC ? "kinematic" : "static");
    sn_value *shapes = sn_document_list(d, record, "shapes");
    for (uint32_t k = 0; k < def.shape_count; ++k)
        tell_shape(d, shapes, &def.shapes[k]);
}

/* The result is a description of the scene's content. */
WEB(web_describe) bool web_describe(web_world *w)
{
    sn_document d;
    sn_scene_info info = sn_scene_describe(w->scene);
    const sn_object *object;
    const sn_scene_fixed *found;
    bool good = true;
    sn_document_init(&d, NULL);
    sn_value *root = sn_document_record(&d, NULL, NULL);
    sn_document_text(&d, root, "title", info.title);
    sn_document_text(&d, root, "about", info.about);
    sn_document_text(&d, root, "topic", info.topic);
    sn_document_number(&d, root, "frames", info.frames);
    sn_document_number(&d, root, "rate", (double)info.rate);
    sn_document_number(&d, root, "warmUp", info.warm_up);
    sn_value *objects = sn_document_list(&d, root, "objects"), *fixed = sn_document_list(&d, root, "fixed");
    for (uint32_t i = 0; (object = sn_scene_object(w->scene, i)); ++i)
        tell_object(w, &d, objects, object);
    for (uint32_t i = 0; (found = sn_scene_fixed_at(w->scene, i)); ++i)
        tell_fixed(w, &d, fixed, found);
    good = !d.failed && web_answer(w->engine, d.root, false);
    sn_document_release(&d);
    return good;
}

/* The surface of the bodies of an object, in their frames. out: vertices and their count, the body of each vertex
   (as its index in the object), triangles and their count; the three blocks are freed by web_give. */
WEB(web_body_mesh) bool web_body_mesh(web_world *w, uint32_t object, uint32_t *out)
{
    sn_body_mesh mesh;
    const sn_object *of = sn_scene_object(w->scene, object);
    if (!of || !sn_body_mesh_make(w->world, of, &mesh))
        return false;
    out[0] = (uint32_t)(uintptr_t)mesh.vertex;
    out[1] = mesh.vertex_count;
    out[2] = (uint32_t)(uintptr_t)mesh.body_of;
    out[3] = (uint32_t)(uintptr_t)mesh.triangle;
    out[4] = mesh.triangle_count;
    mesh.vertex = NULL;
    mesh.body_of = NULL;
    mesh.triangle = NULL;
    sn_body_mesh_release(&mesh);
    return true;
}

/* The same for one body, without the body of each vertex; planes reach `reach` m around a centre. Empty for fields
   without a mesh. */
WEB(web_fixed_mesh)
bool web_fixed_mesh(web_world *w, uint32_t number, double x, double y, double z, double reach, uint32_t *out)
{
    sn_body_def def;
    sn_shape_mesh mesh;
    bool nothing = false;
    memset(out, 0, 5 * sizeof *out);
    if (sn_body_read(w->world, sn_body_from_index(w->world, number), &def) != SN_OK)
        return false;
    if (!sn_shape_mesh_of_body(&def, (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z}, (sn_real)reach, &mesh, &nothing))
        return nothing;
    out[0] = (uint32_t)(uintptr_t)mesh.vertex;
    out[1] = mesh.vertex_count;
    out[3] = (uint32_t)(uintptr_t)mesh.triangle;
    out[4] = mesh.triangle_count;
    return true;
}

/* ---- Debug drawing ----------------------------------------------------------------------------------------------- */

/* The drawing of sn_world_draw, as numbers; the first pass only counts. Colours, 0xrrggbb, are exact in a float. */
typedef struct web_drawing {
    float *points, *lines;
    size_t point_count, line_count;
} web_drawing;

static void put_numbers(float *to, sn_vec3 place)
{
    to[0] = (float)place.x;
    to[1] = (float)place.y;
    to[2] = (float)place.z;
}

static void draw_point(void *context, sn_vec3 place, sn_real radius, uint32_t colour)
{
    web_drawing *d = context;
    if (d->points) {
        float *to = d->points + 5 * d->point_count;
        put_numbers(to, place);
        to[3] = (float)radius;
        to[4] = (float)colour;
    }
    d->point_count++;
}

static void draw_line(void *context, sn_vec3 from, sn_vec3 to, uint32_t colour)
{
    web_drawing *d = context;
    if (d->lines) {
        float *at = d->lines + 7 * d->line_count;
        put_numbers(at, from);
        put_numbers(at + 3, to);
        at[6] = (float)colour;
    }
    d->line_count++;
}

/* layers: bits of sn_draw_layer. size, m: the size of the scene, from which the lengths of axes, normals and pieces
   of planes follow. out: points, how many, lines, how many. */
WEB(web_draw) sn_result web_draw(web_world *w, uint32_t layers, double size, uint32_t *out)
{
    web_drawing d = {0};
    sn_draw draw = sn_default_draw();
    draw.layers = layers;
    draw.point = draw_point;
    draw.line = draw_line;
    draw.context = &d;
    draw.axis_length = (sn_real)(0.04 * size);
    draw.plane_size = (sn_real)size;
    sn_result result = sn_world_draw(w->world, &draw);
    if (result != SN_OK)
        return result;
    web_array *points = &w->array[WEB_DRAWN_POINTS], *lines = &w->array[WEB_DRAWN_LINES];
    d.points = web_array_take(points, 5 * d.point_count);
    d.lines = web_array_take(lines, 7 * d.line_count);
    if ((d.point_count && !d.points) || (d.line_count && !d.lines))
        return SN_ERROR_MEMORY;
    d.point_count = d.line_count = 0;
    result = sn_world_draw(w->world, &draw);
    out[0] = (uint32_t)(uintptr_t)d.points;
    out[1] = (uint32_t)d.point_count;
    out[2] = (uint32_t)(uintptr_t)d.lines;
    out[3] = (uint32_t)d.line_count;
    return result;
}

/* ---- The mouse --------------------------------------------------------------------------------------------------- */

/* in: origin, direction, length, reach. out: particle, body (or -1), distance, point. False: the ray hits nothing. */
WEB(web_pick) bool web_pick(web_world *w, const double *in, double *out)
{
    sn_vec3 origin = {(sn_real)in[0], (sn_real)in[1], (sn_real)in[2]};
    sn_vec3 direction = {(sn_real)in[3], (sn_real)in[4], (sn_real)in[5]};
    sn_real distance;
    sn_point point = sn_query_pick(w->world, origin, direction, (sn_real)in[6], (sn_real)in[7], &distance);
    uint32_t corner = 0;
    if (isnan(distance))
        return false;
    for (uint32_t i = 1; i < point.count; ++i)
        corner = point.weight[i] > point.weight[corner] ? i : corner;
    bool of_body = point.type == SN_POINT_BODY;
    sn_particle p = of_body ? sn_body_particle(w->world, point.body) : point.particle[corner];
    sn_body body = of_body ? point.body : sn_particle_body(w->world, p);
    sn_vec3 at = sn_point_position(w->world, point);
    out[0] = p.index;
    out[1] = body.generation ? (double)body.index : -1;
    out[2] = (double)distance;
    out[3] = (double)at.x;
    out[4] = (double)at.y;
    out[5] = (double)at.z;
    return true;
}

/* ---- Inspecting one particle or body ----------------------------------------------------------------------------- */

/* Whether a point belongs to the particle or to the body. */
static bool is_of(const sn_point *point, uint32_t particle, int32_t body)
{
    if (point->type == SN_POINT_BODY)
        return body >= 0 && point->body.index == (uint32_t)body;
    for (uint32_t i = 0; i < point->count; ++i)
        if (point->particle[i].index == particle)
            return true;
    return false;
}

/* The error of a constraint, in the unit of its kind: the largest of its rows. */
static double missed(const web_world *w, sn_constraint c)
{
    sn_real value[SN_MAX_ROWS];
    const sn_kind *kind = sn_kind_info(w->world, c.kind);
    double worst = 0;
    if (!kind || kind->force || sn_constraint_value(w->world, c, value) != SN_OK)
        return 0;
    for (uint32_t row = 0; row < kind->rows; ++row) {
        double by = (kind->inequality >> row & 1) != 0 ? fmax(0, -(double)value[row]) : fabs((double)value[row]);
        worst = by > worst ? by : worst;
    }
    return worst;
}

/* The constraints on a particle, or on the body whose centre particle it is. out: mass, velocity, number of
   constraints, kind and force (N) of the one with the largest force, kind and error of the one with the largest
   error (in the unit of its kind), sum of the forces (N). */
WEB(web_inspect) sn_result web_inspect(web_world *w, uint32_t number, int32_t body, double *out)
{
    sn_particle p = sn_particle_from_index(w->world, number);
    sn_constraint_walk walk = {0};
    double count = 0, force = -1, error = -1, sum[3] = {0, 0, 0};
    uint32_t forced = 0, erring = 0;
    if (!p.generation)
        return SN_ERROR_STALE;
    while (sn_constraint_next(w->world, &walk)) {
        sn_constraint_def def;
        sn_point points[SN_MAX_POINTS];
        sn_constraint c = walk.constraint;
        if (sn_constraint_read(w->world, c, &def, points, SN_MAX_POINTS) != SN_OK)
            continue;
        for (uint32_t i = 0; i < def.point_count && i < SN_MAX_POINTS; ++i) {
            if (!is_of(&points[i], number, body))
                continue;
            double pull = (double)sn_constraint_force(w->world, c).magnitude, by = missed(w, c);
            sn_vec3 on = sn_constraint_force_on(w->world, c, i);
            count++;
            forced = pull > force ? c.kind : forced, force = pull > force ? pull : force;
            erring = by > error ? c.kind : erring, error = by > error ? by : error;
            if (isfinite(on.x) && isfinite(on.y) && isfinite(on.z))
                sum[0] += (double)on.x, sum[1] += (double)on.y, sum[2] += (double)on.z;
            break;
        }
    }
    sn_vec3 v = sn_particle_velocity(w->world, p);
    const double all[12] = {(double)sn_particle_mass(w->world, p),
                            (double)v.x,
                            (double)v.y,
                            (double)v.z,
                            count,
                            forced,
                            fmax(0, force),
                            erring,
                            fmax(0, error),
                            sum[0],
                            sum[1],
                            sum[2]};
    memcpy(out, all, sizeof all);
    return SN_OK;
}
