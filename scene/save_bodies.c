/* Rigid bodies as part of a document.

   A body is saved as it was given, since what the world reads back is rounded: moved, turned and weighed as it is now if that
   is not how it began. */
#include "scene/state.h"

#include <math.h>
#include <string.h>

static void save_quaternion(sn_document *out, sn_value *record, const char *key, sn_quat q)
{
    const double numbers[4] = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    static const double none[4] = {0, 0, 0, 1};
    if (memcmp(numbers, none, sizeof none) != 0) /* -0 is not 0 */
        sn_document_numbers(out, record, key, 4, numbers, NULL);
}

static void save_vectors(sn_document *out, sn_value *record, const char *key, uint32_t count, const sn_vec3 *v)
{
    double *x;
    if (!sn_document_numbers(out, record, key, 3 * count, NULL, &x))
        return;
    for (uint32_t i = 0; i < count; ++i) {
        x[3 * (size_t)i] = (double)v[i].x;
        x[3 * (size_t)i + 1] = (double)v[i].y;
        x[3 * (size_t)i + 2] = (double)v[i].z;
    }
}

/* ---- Shapes -------------------------------------------------------------------------------------------------------------- */

static void save_shape(sn_document *out, sn_value *list, const sn_body_shape *shape)
{
    sn_shape_keys keys;
    sn_shape_record.defaults(&keys);
    keys.type = sn_shape_forms[shape->type].name;
    keys.position = shape->position;
    if (shape->density > 0)
        keys.density = shape->density;
    sn_value *record = sn_document_record(out, list, NULL);
    sn_record_write(out, record, &sn_shape_record, &keys);
    save_quaternion(out, record, "rotation", shape->rotation);
    bool round = shape->type == SN_BODY_SPHERE || shape->type == SN_BODY_CAPSULE;
    double size[3] = {2 * (double)shape->half.x, 2 * (double)shape->half.y, 2 * (double)shape->half.z};
    if (shape->type == SN_BODY_BOX)
        sn_document_numbers(out, record, "size", 3, size, NULL);
    if (shape->type == SN_BODY_CAPSULE)
        sn_document_number(out, record, "length", size[1]);
    if (shape->type == SN_BODY_HULL)
        save_vectors(out, record, "points", shape->vertex_count, shape->vertices);
    if (round || shape->radius != 0)
        sn_document_number(out, record, round ? "radius" : "rounding", (double)shape->radius);
}

/* ---- Bodies -------------------------------------------------------------------------------------------------------------- */

static bool same_vector(sn_vec3 a, sn_vec3 b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* 0 says in the file what an infinite one says to the world. */
static sn_real moment_of(sn_real moment, double factor)
{
    return isinf(moment) ? 0 : (sn_real)((double)moment * factor);
}

static void weigh(const sn_object_body *body, sn_real mass, sn_body_keys *keys)
{
    const sn_body_def *def = body->def;
    bool changed = mass != body->first.mass;
    keys->immovable = isinf(mass);
    if (def->centre.x != SN_MEASURE)
        keys->centre = def->centre;
    if (keys->immovable)
        return;
    if (changed || def->mass != SN_MEASURE)
        keys->mass = changed ? mass : def->mass;
    if (def->moments.x == SN_MEASURE)
        return;
    double factor = changed && !isinf(body->first.mass) ? (double)mass / (double)body->first.mass : 1;
    keys->moments = (sn_vec3){moment_of(def->moments.x, factor), moment_of(def->moments.y, factor),
                              moment_of(def->moments.z, factor)};
}

void sn_scene_save_body(sn_scene *scene, sn_document *out, sn_value *record, const sn_object_body *body, sn_real mass)
{
    const sn_body_def *def = body->def, *first = &body->first;
    sn_body_def now;
    sn_body_keys keys;
    if (sn_body_read(scene->world, body->handle, &now) != SN_OK) {
        out->failed = true;
        return;
    }
    bool placed =
        same_vector(now.position, first->position) && memcmp(&now.rotation, &first->rotation, sizeof now.rotation) == 0;
    sn_body_record.defaults(&keys);
    keys.position = placed ? def->position : now.position;
    keys.velocity = same_vector(now.velocity, first->velocity) ? def->velocity : now.velocity;
    keys.spin = same_vector(now.spin, first->spin) ? def->spin : now.spin;
    keys.density = def->density;
    keys.spin_damping = now.spin_damping;
    weigh(body, mass, &keys);
    sn_record_write(out, record, &sn_body_record, &keys);
    save_quaternion(out, record, "rotation", placed ? def->rotation : now.rotation);
    if (!isnan(keys.moments.x))
        save_quaternion(out, record, "axes", def->axes);
    sn_value *shapes = def->shape_count ? sn_document_list(out, record, "shapes") : NULL;
    for (uint32_t i = 0; i < def->shape_count; ++i)
        save_shape(out, shapes, &def->shapes[i]);
    double *t;
    if (!def->vertices)
        return;
    save_vectors(out, record, "vertices", def->vertex_count, def->vertices);
    if (sn_document_numbers(out, record, "triangles", 3 * def->triangle_count, NULL, &t))
        for (size_t i = 0; i < 3 * (size_t)def->triangle_count; ++i)
            t[i] = def->triangles[i];
}
