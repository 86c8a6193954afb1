#include "testbed/view.h"
#include "export/raster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- The camera ----------------------------------------------------------------------------------------------------- */

#define SLOPE 0.40f /* half the height of the picture at a distance of 1 */

orbit orbit_around(const play *p, float aspect)
{
    const bool flat = p->world && sn_world_dimensions(p->world) == 2;
    orbit o = {.yaw = flat ? 0 : 0.45f, .pitch = flat ? 0 : 0.28f, .distance = 1};
    const vec back = orbit_camera(&o).back;
    const float low[3] = {p->low.x, p->low.y, p->low.z}, high[3] = {p->high.x, p->high.y, p->high.z},
                from[3] = {back.x, back.y, back.z};
    sn_raster_view fitted = {.slope = SLOPE};
    sn_raster_fit(&fitted, low, high, from, aspect);
    o.target = (vec){fitted.target[0], fitted.target[1], fitted.target[2]};
    const vec eye = {fitted.eye[0], fitted.eye[1], fitted.eye[2]}, way = vec_sub(eye, o.target);
    o.distance = 1.08f * sqrtf(vec_dot(way, way)); /* panels take some of the picture */
    return o;
}

void orbit_turn(orbit *o, float right, float up)
{
    o->yaw = remainderf(o->yaw + right, 6.2831853f);
    o->pitch = fminf(fmaxf(o->pitch + up, -1.55f), 1.55f);
}

camera orbit_camera(const orbit *o)
{
    const float c = cosf(o->pitch), s = sinf(o->pitch);
    camera eye = {.slope = SLOPE, .nearest = o->distance / 200};
    eye.back = (vec){c * sinf(o->yaw), s, c * cosf(o->yaw)};
    eye.right = (vec){cosf(o->yaw), 0, -sinf(o->yaw)};
    eye.up = vec_cross(eye.back, eye.right);
    eye.eye = vec_add(o->target, vec_scale(eye.back, o->distance));
    return eye;
}

void orbit_pan(orbit *o, float right, float up)
{
    const camera c = orbit_camera(o);
    const float by = 2 * SLOPE * o->distance;
    o->target = vec_sub(o->target, vec_add(vec_scale(c.right, by * right), vec_scale(c.up, by * up)));
}

void orbit_zoom(orbit *o, float by)
{
    o->distance = fminf(fmaxf(o->distance / by, 1e-3f), 1e5f);
}

vec camera_ray(const camera *c, int width, int height, float x, float y)
{
    const float by = 2 * c->slope / (float)height;
    return vec_sub(
        vec_add(vec_scale(c->right, by * (x - 0.5f * (float)width)), vec_scale(c->up, by * (0.5f * (float)height - y))),
        c->back);
}

/* ---- What the world draws ------------------------------------------------------------------------------------------- */

typedef struct item {
    vec a, b, c;
    float radius;
    uint32_t colour;
} item;

typedef struct items {
    item *item;
    size_t count, room;
} items;

#define LABELS 400 /* more of them hide each other */

typedef struct label {
    vec place;
    uint32_t colour;
    char text[24];
} label;

struct view {
    items triangles, balls, lines;
    label label[LABELS];
    size_t labels;
};

view *view_create(void)
{
    return calloc(1, sizeof(view));
}

void view_destroy(view *v)
{
    if (!v)
        return;
    free(v->triangles.item);
    free(v->balls.item);
    free(v->lines.item);
    free(v);
}

static void clear(view *v)
{
    v->triangles.count = v->balls.count = v->lines.count = v->labels = 0;
}

/* What finds no memory is not seen. */
static void keep(items *list, item one)
{
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 1024;
        item *grown = realloc(list->item, room * sizeof *grown);
        if (!grown)
            return;
        list->item = grown;
        list->room = room;
    }
    list->item[list->count++] = one;
}

static void on_point(void *context, sn_vec3 place, sn_real radius, uint32_t colour)
{
    view *v = context;
    keep(&v->balls, (item){.a = vec_of(place), .radius = (float)radius, .colour = colour});
}

static void on_line(void *context, sn_vec3 from, sn_vec3 to, uint32_t colour)
{
    view *v = context;
    keep(&v->lines, (item){.a = vec_of(from), .b = vec_of(to), .colour = colour});
}

static void on_triangle(void *context, sn_vec3 a, sn_vec3 b, sn_vec3 c, uint32_t colour)
{
    view *v = context;
    keep(&v->triangles, (item){.a = vec_of(a), .b = vec_of(b), .c = vec_of(c), .colour = colour});
}

static void on_text(void *context, sn_vec3 place, const char *text, uint32_t colour)
{
    view *v = context;
    if (v->labels == LABELS)
        return;
    label *l = &v->label[v->labels++];
    l->place = vec_of(place);
    l->colour = colour;
    snprintf(l->text, sizeof l->text, "%s", text);
}

/* Surfaces of the scene's objects, each with a colour of its own. */
static void collect_surfaces(view *v, const play *p)
{
    static const uint32_t colours[] = {0xc96f55, 0x5f8fc4, 0xd0a24c, 0x6fae7a, 0x9a7fc0, 0x57a9ab};
    const sn_view x = sn_world_view_positions(p->world);
    const sn_object *object;
    for (uint32_t i = 0; (object = sn_scene_object(p->loaded.scene, i)) != NULL; ++i)
        for (uint32_t t = 0; t < object->triangle_count; ++t) {
            vec corner[3];
            bool there = true;
            for (int k = 0; k < 3; ++k) {
                const sn_real *at = sn_view_find(&x, object->run.first + object->triangle[3 * (size_t)t + (size_t)k]);
                there = there && at;
                corner[k] = at ? (vec){(float)at[0], (float)at[1], (float)at[2]} : (vec){0, 0, 0};
            }
            if (there)
                keep(&v->triangles, (item){corner[0], corner[1], corner[2], 0, colours[i % 6]});
        }
}

/* What is drawn over all else, so that nothing hides it. */
#define OVER (SN_DRAW_AXES | SN_DRAW_ANCHORS | SN_DRAW_CONTACTS | SN_DRAW_FORCES | SN_DRAW_VELOCITIES | SN_DRAW_NAMES)

static void collect(view *v, const play *p, uint32_t layers)
{
    const float size = play_size(p);
    sn_draw draw = sn_default_draw();
    draw.layers = layers;
    draw.point = on_point;
    draw.line = on_line;
    draw.triangle = on_triangle;
    draw.text = on_text;
    draw.context = v;
    draw.axis_length = (sn_real)(0.04f * size);
    draw.velocity_length = 0.1f;
    if (p->mass > 1e-9 && p->mass < 1e9) /* the weight of all is a line half as long as the scene is large */
        draw.force_length = (sn_real)(size / (20 * p->mass));
    draw.plane_size = (sn_real)(2 * size);
    sn_world_draw(p->world, &draw);
}

/* ---- The picture ---------------------------------------------------------------------------------------------------- */

static void draw_shadows(const view *v, const play *p, canvas *c)
{
    const vec ground = {0, p->ground, 0}, up = {0, 1, 0};
    const float low = p->ground + 1e-3f * play_size(p);
    for (size_t i = 0; i < v->triangles.count; ++i) {
        const item *t = &v->triangles.item[i];
        if (t->a.y > low || t->b.y > low || t->c.y > low) /* not the ground itself */
            canvas_shadow_triangle(c, ground, up, t->a, t->b, t->c);
    }
    for (size_t i = 0; i < v->balls.count; ++i)
        if (v->balls.item[i].radius > 0)
            canvas_shadow_ball(c, ground, up, v->balls.item[i].a, v->balls.item[i].radius);
}

static void draw_held(const play *p, canvas *c)
{
    vec spot;
    if (!play_held_at(p, &spot))
        return;
    canvas_line(c, spot, p->target, 2, 0xffe066);
    canvas_ball(c, p->target, 0, 7, 0xffe066);
}

static void draw_labels(const view *v, canvas *c)
{
    float x, y;
    for (size_t i = 0; i < v->labels; ++i)
        if (canvas_project(c, v->label[i].place, &x, &y) && fabsf(x) < 1e5f && fabsf(y) < 1e5f) {
            canvas_text(c, (int)x + 5, (int)y - 3, 1, 0x101418, v->label[i].text);
            canvas_text(c, (int)x + 4, (int)y - 4, 1, v->label[i].colour, v->label[i].text);
        }
}

static void draw_lists(const view *v, canvas *c, float dot, float line)
{
    for (size_t i = 0; i < v->triangles.count; ++i)
        canvas_triangle(c, v->triangles.item[i].a, v->triangles.item[i].b, v->triangles.item[i].c,
                        v->triangles.item[i].colour);
    for (size_t i = 0; i < v->balls.count; ++i)
        canvas_ball(c, v->balls.item[i].a, v->balls.item[i].radius, dot, v->balls.item[i].colour);
    for (size_t i = 0; i < v->lines.count; ++i)
        canvas_line(c, v->lines.item[i].a, v->lines.item[i].b, line, v->lines.item[i].colour);
}

static void draw_world(view *v, const play *p, uint32_t layers, canvas *c)
{
    const uint32_t solid = layers & ~(uint32_t)(OVER | VIEW_SURFACES);
    clear(v);
    if (p->has_ground)
        canvas_ground(c, p->ground, 3 * play_size(p), 0x46505c);
    if (layers & VIEW_SURFACES)
        collect_surfaces(v, p);
    const bool has_surfaces = v->triangles.count > 0;
    if (solid)
        collect(v, p, solid);
    draw_lists(v, c, has_surfaces ? 2.5f : 3.5f, has_surfaces ? 0.6f : 1.2f);
    if (p->has_ground)
        draw_shadows(v, p, c);
    clear(v);
    canvas_over(c);
    if (layers & OVER)
        collect(v, p, layers & OVER);
    draw_lists(v, c, 4, 1.6f);
    draw_held(p, c);
}

void view_draw(view *v, const play *p, uint32_t layers, const camera *eye, canvas *c)
{
    canvas_begin(c, eye);
    if (p->world)
        draw_world(v, p, layers, c);
    canvas_finish(c);
    if (p->world)
        draw_labels(v, c);
}
