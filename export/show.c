#include "export/torn_mesh.h"
#include "export/show.h"
#include "export/body_mesh.h"
#include "export/draw_mesh.h"
#include "export/palette.h"
#include "export/shape_mesh.h"
#include "export/show_ties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIE 0x59636eu

#define PLANE 3.0f /* m: half of the side of a plane that is not the ground */

typedef struct part {
    const sn_object *object; /* NULL: a static or kinematic body */
    uint32_t number;         /* of the object, which sets its colour */
    sn_body_mesh bodies;
    sn_facets solid;
    sn_body body;
    sn_body_pose pose; /* its last known pose */
    sn_shape_mesh mesh;
    sn_torn_mesh torn; /* of an object's particles, as drawn */
    bool is_plane, is_ground, is_clear;
} part;

struct sn_show {
    sn_scene *scene;
    sn_ties *ties;
    uint32_t count;
    part *part;
    sn_vec3 *place, *normal; /* room for the largest part */
    unsigned char *drawn;    /* for each particle of an object: it is part of a surface or a line */
    uint32_t room;
    uint32_t first_colour;
};

/* v + 2 q x (q x v + w v) */
static sn_vec3 turned(sn_quat q, sn_vec3 v)
{
    const sn_vec3 axis = {q.x, q.y, q.z}, c = sn_draw_cross(axis, v);
    const sn_vec3 d = sn_draw_cross(axis, (sn_vec3){c.x + q.w * v.x, c.y + q.w * v.y, c.z + q.w * v.z});
    return (sn_vec3){v.x + 2 * d.x, v.y + 2 * d.y, v.z + 2 * d.z};
}

/* ---- The content of a scene -------------------------------------------------------------------------------------- */

static void grow_room(sn_show *show, uint32_t count)
{
    show->room = count > show->room ? count : show->room;
}

static bool take_object(sn_show *show, const sn_object *object, uint32_t number)
{
    part *p = &show->part[show->count++];
    p->object = object;
    p->number = number;
    p->is_clear = strcmp(object->type, "container") == 0; /* so that its content is visible */
    grow_room(show, object->run.count);
    if (!object->body_count)
        return true;
    if (!sn_body_mesh_make(sn_scene_world(show->scene), object, &p->bodies))
        return false;
    grow_room(show, p->bodies.vertex_count);
    return sn_facets_make(&p->solid, p->bodies.vertex, p->bodies.vertex_count, p->bodies.triangle,
                          p->bodies.triangle_count);
}

static sn_vec3 place_of(const part *p, sn_vec3 own)
{
    return sn_frame_place(p->pose.position, p->pose.rotation, own);
}

/* A static plane that faces up is the ground. Other planes are shown as squares around the middle. */
static bool take_static(sn_show *show, const sn_scene_fixed *found, sn_vec3 middle)
{
    sn_world *world = sn_scene_world(show->scene);
    part *p = &show->part[show->count];
    sn_body_def def;
    bool nothing;
    if (!sn_body_is_valid(world, found->handle) || sn_body_read(world, found->handle, &def) != SN_OK ||
        def.shapes[0].sensor || !sn_body_pose_read(world, found->handle, &p->pose))
        return true;
    p->is_plane = def.shape_count == 1 && def.shapes[0].type == SN_SHAPE_PLANE;
    if (!sn_shape_mesh_of_body(&def, middle, (sn_real)PLANE, &p->mesh, &nothing))
        return nothing;
    p->body = found->handle;
    p->is_clear = p->is_plane || (found->name && (strstr(found->name, "glass") || strstr(found->name, "funnel")));
    show->count++;
    grow_room(show, p->mesh.vertex_count);
    if (p->is_plane && p->mesh.vertex_count) {
        const sn_vec3 from = place_of(p, p->mesh.vertex[0]);
        double largest = 0;
        for (uint32_t i = 1; i < p->mesh.vertex_count; ++i)
            largest = fmax(largest, fabs((double)(place_of(p, p->mesh.vertex[i]).y - from.y)));
        p->is_ground = largest < 0.03 * (double)PLANE;
    }
    return sn_facets_make(&p->solid, p->mesh.vertex, p->mesh.vertex_count, p->mesh.triangle, p->mesh.triangle_count);
}

sn_show *sn_show_create(sn_scene *scene)
{
    sn_show *show = calloc(1, sizeof *show);
    uint32_t objects = 0, statics = 0;
    while (sn_scene_object(scene, objects))
        ++objects;
    while (sn_scene_fixed_at(scene, statics))
        ++statics;
    bool good = show && (show->part = calloc((size_t)objects + statics + 1, sizeof *show->part));
    if (show) {
        show->scene = scene;
        show->first_colour = sn_palette_first(scene);
        show->ties = sn_ties_create(scene);
        good = good && show->ties;
    }
    for (uint32_t i = 0; good && i < objects; ++i)
        good = take_object(show, sn_scene_object(scene, i), i);
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (good)
        sn_show_bounds(show, low, high);
    const bool any = low[0] <= high[0];
    const sn_vec3 middle = {(sn_real)(any ? (low[0] + high[0]) / 2 : 0), (sn_real)(any ? (low[1] + high[1]) / 2 : 0),
                            (sn_real)(any ? (low[2] + high[2]) / 2 : 0)};
    for (uint32_t i = 0; good && i < statics; ++i)
        good = take_static(show, sn_scene_fixed_at(scene, i), middle);
    if (good) {
        show->place = calloc((size_t)show->room + 1, sizeof *show->place);
        show->normal = calloc((size_t)show->room + 1, sizeof *show->normal);
        show->drawn = calloc((size_t)show->room + 1, 1);
        good = show->place && show->normal && show->drawn;
    }
    if (!good) {
        sn_show_destroy(show);
        return NULL;
    }
    return show;
}

void sn_show_destroy(sn_show *show)
{
    if (!show)
        return;
    for (uint32_t i = 0; i < show->count; ++i) {
        sn_body_mesh_release(&show->part[i].bodies);
        sn_shape_mesh_release(&show->part[i].mesh);
        free(show->part[i].solid.normal);
        sn_torn_mesh_release(&show->part[i].torn);
    }
    sn_ties_destroy(show->ties);
    free(show->part);
    free(show->place);
    free(show->normal);
    free(show->drawn);
    free(show);
}

void sn_show_bounds(const sn_show *show, float low[3], float high[3])
{
    sn_world *world = sn_scene_world(show->scene);
    for (uint32_t i = 0; i < show->count; ++i) {
        const part *p = &show->part[i];
        if (!p->object)
            continue;
        for (uint32_t k = 0; k < p->object->run.count; ++k) {
            const sn_particle particle = sn_particles_at(p->object->run, k);
            if (sn_particle_is_valid(world, particle))
                sn_draw_extend(low, high, sn_particle_position(world, particle), sn_particle_radius(world, particle));
        }
        for (uint32_t k = 0; k < p->bodies.vertex_count; ++k) {
            sn_body_pose pose;
            if (sn_body_pose_read(world, p->object->body[p->bodies.body_of[k]].handle, &pose))
                sn_draw_extend(low, high, sn_draw_add(pose.position, turned(pose.rotation, p->bodies.vertex[k])), 0);
        }
    }
}

void sn_show_static_bounds(const sn_show *show, float most, float low[3], float high[3])
{
    float all_low[3], all_high[3];
    memcpy(all_low, low, sizeof all_low);
    memcpy(all_high, high, sizeof all_high);
    for (uint32_t i = 0; i < show->count; ++i) {
        const part *p = &show->part[i];
        for (uint32_t k = 0; !p->object && !p->is_plane && k < p->mesh.vertex_count; ++k)
            sn_draw_extend(all_low, all_high, place_of(p, p->mesh.vertex[k]), 0);
    }
    for (int k = 0; k < 3; ++k) {
        low[k] = fmaxf(all_low[k], low[k] - most);
        high[k] = fminf(all_high[k], high[k] + most);
    }
}

bool sn_show_ground(const sn_show *show, float *height)
{
    bool found = false;
    for (uint32_t i = 0; i < show->count; ++i) {
        const part *p = &show->part[i];
        if (!p->is_ground)
            continue;
        const float y = (float)place_of(p, p->mesh.vertex[0]).y;
        *height = found && *height > y ? *height : y;
        found = true;
    }
    return found;
}

/* ---- The present state ------------------------------------------------------------------------------------------- */

/* Whether a constraint between two particles of an object no longer exists. */
static bool is_cut(const sn_show *show, const sn_object *object, uint32_t a, uint32_t b)
{
    return sn_ties_is_cut(show->ties, object->run.first + a, object->run.first + b);
}

typedef struct torn_context {
    const sn_show *show;
    const sn_object *object;
} torn_context;

/* Whether a triangle is torn. The triangles of a skin are updated by the world, so these are not tested. */
static bool is_torn(const void *context, const uint32_t *corner)
{
    const torn_context *c = context;
    if (sn_skin_is_valid(sn_scene_world(c->show->scene), c->object->skin))
        return false;
    return is_cut(c->show, c->object, corner[0], corner[1]) || is_cut(c->show, c->object, corner[1], corner[2]) ||
           is_cut(c->show, c->object, corner[2], corner[0]);
}

static void add_lines(const sn_show *show, const part *p, float thin, uint32_t colour, sn_raster_model *model)
{
    sn_world *world = sn_scene_world(show->scene);
    const sn_object *object = p->object;
    bool is_net;
    const float own = (float)sn_particle_radius(world, sn_particles_at(object->run, 0));
    const float radius = sn_draw_line_radius(object->line_count, object->run.count, thin, own, &is_net);
    for (uint32_t i = 0; i < 2 * object->line_count; ++i) /* also particles of lines that are torn */
        show->drawn[object->line[i]] = 1;
    for (uint32_t i = 0; i < p->torn.line_count; ++i) {
        const uint32_t a = p->torn.line[2 * (size_t)i], b = p->torn.line[2 * (size_t)i + 1];
        float from[3], to[3];
        if (!sn_draw_is_finite(show->place[a]) || !sn_draw_is_finite(show->place[b]) || is_cut(show, object, a, b))
            continue;
        sn_draw_floats(from, show->place[a]);
        sn_draw_floats(to, show->place[b]);
        sn_raster_add_tube(model, from, to, radius, colour);
    }
    for (uint32_t i = 0; i < object->run.count; ++i) {
        sn_raster_ball ball = {.radius = radius * 1.02f, .colour = colour};
        if (!show->drawn[i] || !sn_draw_is_finite(show->place[i]))
            continue;
        ball.radius =
            fmaxf(ball.radius, is_net ? 0 : (float)sn_particle_radius(world, sn_particles_at(object->run, i)));
        sn_draw_floats(ball.place, show->place[i]);
        sn_raster_add_ball(model, &ball);
    }
}

static void add_particles(const sn_show *show, const sn_object *object, float size, uint32_t colour,
                          sn_raster_model *model)
{
    sn_world *world = sn_scene_world(show->scene);
    for (uint32_t i = 0; i < object->run.count; ++i) {
        const sn_particle particle = sn_particles_at(object->run, i);
        if (show->drawn[i] || !sn_draw_is_finite(show->place[i]) || !sn_particle_is_valid(world, particle))
            continue;
        const float radius = (float)sn_particle_radius(world, particle);
        sn_raster_ball ball = {.radius = radius > 0 ? radius : SN_DRAW_SINGLE * size,
                               .colour = object->run.count > 60 ? sn_draw_varied(colour, i) : colour};
        sn_draw_floats(ball.place, show->place[i]);
        sn_raster_add_ball(model, &ball);
    }
}

typedef sn_vec3 turn_fn(const part *p, uint32_t vertex, sn_vec3 normal);

static sn_vec3 turn_body_normal(const part *p, uint32_t vertex, sn_vec3 normal)
{
    return turned(p->bodies.pose[p->bodies.body_of[vertex]].rotation, normal);
}

static sn_vec3 turn_static_normal(const part *p, uint32_t vertex, sn_vec3 normal)
{
    (void)vertex;
    return sn_draw_sub(place_of(p, normal), place_of(p, (sn_vec3){0, 0, 0}));
}

/* Triangles of bodies have the colour of their object; if it has several bodies, each has its own colour. */
static void add_rigid(const sn_show *show, const part *p, turn_fn *turn, uint32_t first, sn_raster_model *model)
{
    for (uint32_t t = 0; t < p->solid.triangles; ++t) {
        const uint32_t *corner = p->solid.triangle + 3 * (size_t)t;
        const uint32_t body = p->object && p->object->body_count > 1 ? p->bodies.body_of[corner[0]] : 0;
        const uint32_t obstacle = p->is_clear ? SN_COLOUR_OBSTACLE | SN_RASTER_CLEAR : SN_COLOUR_OBSTACLE;
        sn_raster_triangle triangle = {.colour = p->object && !p->is_clear ? sn_palette_object(first, p->number, body)
                                                                           : obstacle};
        bool finite = true;
        for (uint32_t k = 0; k < 3; ++k) {
            const sn_vec3 n = turn(p, corner[k], p->solid.normal[3 * (size_t)t + k]);
            finite = sn_draw_corner(&triangle, k, show->place[corner[k]], n) && finite;
        }
        if (finite)
            sn_raster_add_triangle(model, &triangle);
    }
}

/* Reads the positions of the particles of an object, and of those that tearing added. */
static bool read_object(sn_show *show, part *p)
{
    sn_world *world = sn_scene_world(show->scene);
    const sn_object *object = p->object;
    if (!object->run.count || !sn_torn_mesh_read(&p->torn, world, object))
        return false;
    if (p->torn.vertex_count > show->room) {
        const size_t count = (size_t)p->torn.vertex_count + 1;
        sn_vec3 *place = realloc(show->place, count * sizeof *place);
        show->place = place ? place : show->place;
        sn_vec3 *normal = realloc(show->normal, count * sizeof *normal);
        show->normal = normal ? normal : show->normal;
        unsigned char *drawn = realloc(show->drawn, count);
        show->drawn = drawn ? drawn : show->drawn;
        if (!place || !normal || !drawn)
            return false;
        show->room = p->torn.vertex_count;
    }
    memset(show->drawn, 0, p->torn.vertex_count);
    for (uint32_t i = object->run.count; i < p->torn.vertex_count; ++i)
        show->place[i] = sn_particle_position(world, sn_torn_mesh_particle(&p->torn, world, object, i));
    return sn_particles_read_positions(world, object->run, &show->place[0].x, 0) == SN_OK;
}

static void add_object(sn_show *show, part *p, float size, uint32_t first, sn_raster_model *model)
{
    sn_world *world = sn_scene_world(show->scene);
    const sn_object *object = p->object;
    const uint32_t colour = sn_palette_object(first, p->number, 0);
    if (read_object(show, p)) {
        if (object->triangle_count)
            sn_draw_surface(show->place, show->normal, show->drawn, p->torn.vertex_count, p->torn.triangle,
                            p->torn.triangle_count, colour, is_torn, &(torn_context){show, object}, model);
        else if (object->line_count)
            add_lines(show, p, fminf(SN_DRAW_MOST_THIN, SN_DRAW_THIN * size), colour, model);
        add_particles(show, object, size, colour, model);
    }
    if (object->body_count && sn_body_mesh_place(world, object, &p->bodies, show->place, NULL))
        add_rigid(show, p, turn_body_normal, first, model);
}

static void add_static(const sn_show *show, part *p, sn_raster_model *model)
{
    sn_world *world = sn_scene_world(show->scene);
    if (!sn_body_pose_read(world, p->body, &p->pose))
        return;
    for (uint32_t i = 0; i < p->mesh.vertex_count; ++i)
        show->place[i] = place_of(p, p->mesh.vertex[i]);
    add_rigid(show, p, turn_static_normal, 0, model);
}

/* Adds strings and hangers: constraints between objects, bodies and points. */
static void add_ties(const sn_show *show, float thin, sn_raster_model *model)
{
    sn_constraint_walk walk = {0};
    sn_vec3 a, b;
    while (sn_ties_next(show->ties, &walk, &a, &b)) {
        float from[3], to[3];
        if (!sn_draw_is_finite(a) || !sn_draw_is_finite(b))
            continue;
        sn_draw_floats(from, a);
        sn_draw_floats(to, b);
        sn_raster_add_tube(model, from, to, 0.8f * thin, TIE);
    }
}

bool sn_show_model(sn_show *show, float size, sn_raster_model *model)
{
    const uint32_t first = show->first_colour;
    sn_raster_model_clear(model);
    for (uint32_t i = 0; i < show->count; ++i)
        if (show->part[i].object)
            add_object(show, &show->part[i], size, first, model);
        else if (!show->part[i].is_ground)
            add_static(show, &show->part[i], model);
    add_ties(show, fminf(SN_DRAW_MOST_THIN, SN_DRAW_THIN * size), model);
    return !model->failed;
}
