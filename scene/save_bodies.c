/* Rigid bodies as part of a document.

   A body is saved as it was defined, since what sn_body_read returns is rounded. Pose, mass and so on are those of
   now if they differ from the beginning. */
#include "scene/bodies.h"
#include "scene/state.h"

#include <math.h>
#include <string.h>

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

static bool same_vector(sn_vec3 a, sn_vec3 b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* An infinite moment of inertia is 0 in the file. */
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
    sn_save_quaternion(out, record, "rotation", placed ? def->rotation : now.rotation);
    if (!isnan(keys.moments.x))
        sn_save_quaternion(out, record, "axes", def->axes);
    sn_value *shapes = def->shape_count ? sn_document_list(out, record, "shapes") : NULL;
    for (uint32_t i = 0; i < def->shape_count; ++i)
        sn_save_shape(out, sn_document_record(out, shapes, NULL), &def->shapes[i]);
    double *t;
    if (!def->vertices)
        return;
    sn_save_vectors(out, record, "vertices", def->vertex_count, def->vertices);
    if (sn_document_numbers(out, record, "triangles", 3 * def->triangle_count, NULL, &t))
        for (size_t i = 0; i < 3 * (size_t)def->triangle_count; ++i)
            t[i] = def->triangles[i];
}
