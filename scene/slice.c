/* Cutting in a scene: surfaces without a skin get one if the blade goes through them, so that they can be cut. */
#include "scene/state.h"

#include <stdio.h>

typedef struct place {
    double x, y, z;
} place;

static place from_real(sn_vec3 v)
{
    return (place){(double)v.x, (double)v.y, (double)v.z};
}

static place minus(place a, place b)
{
    return (place){a.x - b.x, a.y - b.y, a.z - b.z};
}

static place cross(place a, place b)
{
    return (place){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(place a, place b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Whether the segment from p to q goes through a triangle, edges included: by the signs of volumes. */
static bool goes_through(place p, place q, place a, place b, place c)
{
    place n = cross(minus(b, a), minus(c, a)), d = minus(q, p);
    double side_p = dot(n, minus(p, a)), side_q = dot(n, minus(q, a));
    if ((side_p > 0) == (side_q > 0))
        return false;
    double u = dot(d, cross(minus(a, p), minus(b, p))), v = dot(d, cross(minus(b, p), minus(c, p))),
           w = dot(d, cross(minus(c, p), minus(a, p)));
    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

static bool crosses(const sn_cut_def *blade, place p, place q)
{
    place a = from_real(blade->a), b = from_real(blade->b), to_a = from_real(blade->to_a),
          to_b = from_real(blade->to_b);
    if (blade->blade == SN_BLADE_PLANE)
        return (dot(b, minus(p, a)) > 0) != (dot(b, minus(q, a)) > 0);
    if (goes_through(p, q, a, b, to_a))
        return true;
    return blade->blade == SN_BLADE_SEGMENT && goes_through(p, q, b, to_b, to_a);
}

static bool touches(const sn_scene *scene, const sn_cut_def *blade, const sn_object *object)
{
    for (uint32_t i = 0; i < object->triangle_count; ++i) {
        place x[3];
        for (uint32_t k = 0; k < 3; ++k)
            x[k] = from_real(
                sn_particle_position(scene->world, sn_particles_at(object->run, object->triangle[3 * i + k])));
        for (uint32_t k = 0; k < 3; ++k)
            if (crosses(blade, x[k], x[(k + 1) % 3]))
                return true;
        /* it may have ended or begun inside the triangle, without crossing an edge */
        if (blade->blade == SN_BLADE_SEGMENT &&
            (goes_through(from_real(blade->a), from_real(blade->b), x[0], x[1], x[2]) ||
             goes_through(from_real(blade->to_a), from_real(blade->to_b), x[0], x[1], x[2])))
            return true;
    }
    return false;
}

static sn_result give_skin(sn_scene *scene, sn_object *object)
{
    sn_skin_def def = sn_default_skin_def();
    uint32_t *corner = sn_arena_take(&scene->scratch, 3 * (size_t)object->triangle_count, sizeof *corner);
    for (size_t i = 0; corner && i < 3 * (size_t)object->triangle_count; ++i)
        corner[i] = object->run.first + object->triangle[i];
    def.triangles = corner;
    def.triangle_count = object->triangle_count;
    sn_result result = corner ? sn_skin_add(scene->world, &def, &object->skin) : SN_ERROR_MEMORY;
    sn_arena_release(&scene->scratch);
    return result;
}

/* Whether shape matching holds an object. Such an object tears at its groups; new vertices of a skin would be in no
   group. */
static bool is_soft(const sn_object *object)
{
    bool soft = false;
    for (uint32_t i = 0; i < object->hold_count; ++i)
        soft = soft || (object->hold[i].run.kind >= SN_KIND_SHAPE_MATCH &&
                        object->hold[i].run.kind <= SN_KIND_SHAPE_MATCH_QUADRATIC);
    return soft;
}

sn_result sn_scene_slice(sn_scene *scene, const sn_cut_def *def, sn_cut_info *info)
{
    sn_cut_info none = {0};
    info = info ? info : &none;
    if (!scene || !def)
        return SN_ERROR_ARGUMENT;
    sn_scene_moment *before =
        NULL; /* set once a skin is added; without one, a cut that fails or cuts nothing changes nothing */
    sn_result result = SN_OK;
    bool marked = true;
    for (uint32_t i = 0; i < scene->objects.count && result == SN_OK; ++i) {
        sn_object *object = scene_object(scene, i);
        bool chosen = object->triangle_count && (!def->one_group || object->group == def->group) && !is_soft(object);
        if (!chosen || sn_skin_is_valid(scene->world, object->skin) || !touches(scene, def, object))
            continue;
        before = before ? before : sn_scene_mark(scene);
        marked = before != NULL;
        result = marked ? give_skin(scene, object) : SN_ERROR_MEMORY;
    }
    *info = (sn_cut_info){0};
    result = result == SN_OK ? sn_world_cut(scene->world, def, info) : result;
    bool nothing = !info->inserted && !info->split && !info->removed && !info->left;
    if (result != SN_OK)
        snprintf(scene->error, sizeof scene->error, "%s", marked ? sn_world_error(scene->world) : "no memory to cut");
    if (before && (result != SN_OK || nothing))
        sn_scene_return(scene, before);
    /* cut again without the new skins: the world remembers where the blade was */
    if (before && result == SN_OK && nothing)
        result = sn_world_cut(scene->world, def, NULL);
    sn_scene_moment_destroy(before);
    return result;
}
