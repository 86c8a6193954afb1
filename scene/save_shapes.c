/* Shapes as part of a document, and the static and kinematic bodies that have them. */
#include "scene/bodies.h"
#include "scene/state.h"

#include <stdio.h>
#include <string.h>

void sn_save_quaternion(sn_document *out, sn_value *record, const char *key, sn_quat q)
{
    const double numbers[4] = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    static const double none[4] = {0, 0, 0, 1};
    if (memcmp(numbers, none, sizeof none) != 0) /* -0 differs from 0 */
        sn_document_numbers(out, record, key, 4, numbers, NULL);
}

void sn_save_vectors(sn_document *out, sn_value *record, const char *key, uint32_t count, const sn_vec3 *v)
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

/* The largest number stands for "not given", and the writer omits it. Where the default is another number, it must
   be written. */
void sn_save_bits(sn_document *out, sn_value *record, const char *key, uint32_t bits, uint32_t standard)
{
    if (bits == UINT32_MAX && standard != UINT32_MAX)
        sn_document_number(out, record, key, bits);
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

static void save_triangles(sn_document *out, sn_value *record, const sn_shape_def *def)
{
    double *t;
    sn_save_vectors(out, record, "vertices", def->vertex_count, def->vertices);
    if (sn_document_numbers(out, record, "triangles", 3 * def->triangle_count, NULL, &t))
        for (size_t i = 0; i < 3 * (size_t)def->triangle_count; ++i)
            t[i] = def->triangles[i];
}

static void save_samples(sn_document *out, sn_value *record, const sn_shape_def *def)
{
    double counts[3], low[3] = {(double)def->low.x, (double)def->low.y, (double)def->low.z}, *samples;
    uint32_t count = 1;
    for (int k = 0; k < 3; ++k) {
        counts[k] = def->sample_count[k];
        count *= def->sample_count[k];
    }
    sn_document_numbers(out, record, "counts", 3, counts, NULL);
    sn_document_numbers(out, record, "low", 3, low, NULL);
    if (sn_document_numbers(out, record, "samples", count, NULL, &samples))
        for (uint32_t i = 0; i < count; ++i)
            samples[i] = (double)def->samples[i];
}

static void save_heights(sn_document *out, sn_value *record, const sn_shape_def *def)
{
    const double counts[2] = {def->height_count[0], def->height_count[1]};
    const uint32_t count = def->height_count[0] * def->height_count[1];
    double *heights;
    sn_document_numbers(out, record, "counts", 2, counts, NULL);
    sn_document_number(out, record, "cell", (double)def->cell);
    if (sn_document_numbers(out, record, "heights", count, NULL, &heights))
        for (uint32_t i = 0; i < count; ++i)
            heights[i] = (double)def->heights[i];
}

/* Saves the keys of the shape's type. */
static void save_form(sn_document *out, sn_value *record, const sn_shape_def *def)
{
    const double size[3] = {2 * (double)def->half.x, 2 * (double)def->half.y, 2 * (double)def->half.z};
    switch (def->type) {
    case SN_SHAPE_CAPSULE:
    case SN_SHAPE_CYLINDER:
    case SN_SHAPE_CONE:
        sn_document_number(out, record, "length", size[1]);
        sn_document_number(out, record, "radius", (double)def->radius);
        break;
    case SN_SHAPE_SPHERE:
        sn_document_number(out, record, "radius", (double)def->radius);
        break;
    case SN_SHAPE_BOX:
        sn_document_numbers(out, record, "size", 3, size, NULL);
        break;
    case SN_SHAPE_HULL:
        sn_save_vectors(out, record, "points", def->vertex_count, def->vertices);
        break;
    case SN_SHAPE_PLANE:
        break;
    case SN_SHAPE_HEIGHTS:
        save_heights(out, record, def);
        break;
    case SN_SHAPE_MESH:
    case SN_SHAPE_FIELD:
        if (def->one_sided && def->type == SN_SHAPE_MESH)
            sn_document_truth(out, record, "one_sided", true);
        if (def->vertices)
            save_triangles(out, record, def);
        else if (def->samples)
            save_samples(out, record, def);
        if (def->type == SN_SHAPE_FIELD && def->cell > 0)
            sn_document_number(out, record, "cell", (double)def->cell);
        break;
    }
}

void sn_save_shape(sn_document *out, sn_value *record, const sn_shape_def *shape)
{
    sn_shape_keys keys;
    sn_shape_record.defaults(&keys);
    const uint32_t category = keys.category, mask = keys.mask;
    keys.type = sn_shape_forms[shape->type].name;
    keys.position = shape->position;
    keys.rounding = shape->rounding;
    keys.sensor = shape->sensor;
    if (shape->density > 0)
        keys.density = shape->density;
    if (shape->material)
        keys.material = sn_surface_from(shape->material);
    if (shape->filter) {
        keys.category = shape->filter->category;
        keys.mask = shape->filter->mask;
    }
    sn_record_write(out, record, &sn_shape_record, &keys);
    if (shape->material && !sn_value_find(record, "material")) /* an empty material would mean that of the group */
        sn_document_number(out, sn_document_record(out, record, "material"), "restitution",
                           (double)shape->material->restitution);
    if (shape->filter) {
        sn_save_bits(out, record, "category", keys.category, category);
        sn_save_bits(out, record, "mask", keys.mask, mask);
        if (!sn_value_find(record, "category") && !sn_value_find(record, "mask"))
            sn_document_number(out, record, "category", keys.category);
    }
    sn_save_quaternion(out, record, "rotation", shape->rotation);
    save_form(out, record, shape);
}

/* ---- Static and kinematic bodies --------------------------------------------------------------------------------- */

static void save_group(const sn_scene *scene, sn_document *out, sn_value *record, uint32_t number)
{
    const sn_scene_group *group = scene->groups.items;
    for (uint32_t i = 0; i < scene->groups.count && number; ++i)
        if (group[i].number == number && group[i].name) {
            sn_document_text(out, record, "group", group[i].name);
            return;
        }
    if (number)
        sn_document_number(out, record, "group", number);
}

static void save_body(const sn_scene *scene, sn_document *out, sn_value *list, const char *name, const sn_body_def *def)
{
    sn_fixed_body_keys keys;
    sn_fixed_body_record.defaults(&keys);
    keys.name = name;
    keys.type = def->type;
    keys.position = def->position;
    keys.velocity = def->velocity;
    keys.spin = def->spin;
    sn_value *record = sn_document_record(out, list, NULL);
    sn_record_write(out, record, &sn_fixed_body_record, &keys);
    sn_save_quaternion(out, record, "rotation", def->rotation);
    sn_value *shapes = sn_document_list(out, record, "shapes");
    for (uint32_t i = 0; i < def->shape_count; ++i)
        sn_save_shape(out, sn_document_record(out, shapes, NULL), &def->shapes[i]);
    save_group(scene, out, record, def->group);
}

const char *sn_scene_fixed_name(const sn_scene *scene, sn_body body, char *made, size_t size)
{
    const sn_scene_fixed *known = scene->fixed.items;
    for (uint32_t i = 0; i < scene->fixed.count; ++i)
        if (known[i].handle.index == body.index && known[i].handle.generation == body.generation)
            return known[i].name;
    /* a body that the program has added: named by its number; or, if that name is taken, */
    snprintf(made, size, "fixed%u", body.index);
    for (uint32_t i = 2; sn_scene_has_name(scene, made); ++i)
        snprintf(made, size, "fixed%u-%u", body.index, i);
    return made;
}

/* Saves bodies in the order of their numbers, so that they get the same order again. */
const char *sn_scene_save_fixed(sn_scene *scene, sn_document *out, sn_value *root)
{
    sn_value *list = NULL;
    uint32_t left = sn_world_body_count(scene->world);
    for (uint32_t i = 0; left; ++i) {
        char made[40];
        sn_body_def def;
        sn_body body = sn_body_from_index(scene->world, i);
        if (!body.generation)
            continue; /* no body has this number */
        --left;
        if (sn_body_type_of(scene->world, body) == SN_BODY_DYNAMIC)
            continue;
        if (sn_body_read(scene->world, body, &def) != SN_OK)
            return "there is no memory to read a body";
        for (uint32_t k = 0; k < def.shape_count; ++k)
            if (def.shapes[k].function)
                return "the world has a shape that is a function, which a scene file cannot hold";
        if (!list)
            list = sn_document_list(out, root, "bodies");
        save_body(scene, out, list, sn_scene_fixed_name(scene, body, made, sizeof made), &def);
    }
    return NULL;
}
