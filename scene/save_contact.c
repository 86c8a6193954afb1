/* Contact as part of a document: settings, groups and colliders. */
#include "scene/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Groups ------------------------------------------------------------------------------------------------------------ */

static bool same_surface(const sn_contact_material *a, const sn_contact_material *b)
{
    return a->static_friction == b->static_friction && a->dynamic_friction == b->dynamic_friction &&
           a->restitution == b->restitution && a->rolling == b->rolling && a->friction_mix == b->friction_mix &&
           a->restitution_mix == b->restitution_mix;
}

static bool is_plain(uint32_t group, const sn_group_contact *c)
{
    sn_group_contact plain = sn_default_group_contact(group);
    return same_surface(&c->material, &plain.material) && c->category == plain.category && c->mask == plain.mask &&
           c->self == plain.self && c->rest_gap == plain.rest_gap && c->rolls == plain.rolls &&
           c->directional == plain.directional;
}

/* The largest number stands for "not given", and the writer leaves it out; where that is not the default it is meant. */
static void save_bits(sn_document *out, sn_value *record, const char *key, uint32_t bits, uint32_t standard)
{
    if (bits == UINT32_MAX && standard != UINT32_MAX)
        sn_document_number(out, record, key, bits);
}

static void save_group(sn_scene *scene, sn_document *out, sn_value *groups, const sn_scene_group *group)
{
    sn_group_contact c = sn_world_group_contact(scene->world, group->number);
    sn_group_keys keys;
    sn_group_record.defaults(&keys);
    uint32_t standard = keys.category;
    keys.material = sn_surface_from(&c.material);
    keys.category = c.category;
    keys.mask = c.mask;
    keys.self = c.self;
    if (group->rest)
        keys.rest_gap = c.rest_gap;
    keys.rolls = c.rolls;
    keys.directional = c.directional;
    keys.field = group->field;
    char number[16];
    snprintf(number, sizeof number, "%u", group->number);
    if (group->name)
        keys.number = group->number;
    sn_value *record = sn_document_record(out, groups, group->name ? group->name : number);
    sn_record_write(out, record, &sn_group_record, &keys);
    save_bits(out, record, "category", c.category, standard);
    if (!c.self && sn_default_group_contact(group->number).self) /* false is what the writer leaves out */
        sn_document_truth(out, record, "self", false);
}

static bool is_described(const sn_scene *scene, uint32_t number)
{
    const sn_scene_group *group = scene->groups.items;
    for (uint32_t i = 0; i < scene->groups.count; ++i)
        if (group[i].number == number)
            return true;
    return false;
}

static sn_value *list_of_groups(sn_document *out, sn_value *root, sn_value **groups)
{
    if (!*groups)
        *groups = sn_document_record(out, root, "groups");
    return *groups;
}

/* Those that the scene describes, and those of objects that the program has given a way of contact. */
static void save_groups(sn_scene *scene, sn_document *out, sn_value *root)
{
    sn_value *groups = NULL;
    const sn_scene_group *group = scene->groups.items;
    for (uint32_t i = 0; i < scene->groups.count; ++i)
        save_group(scene, out, list_of_groups(out, root, &groups), &group[i]);
    for (uint32_t i = 0; i < scene->objects.count; ++i) {
        sn_scene_group own = {.number = scene_object(scene, i)->group};
        sn_group_contact c = sn_world_group_contact(scene->world, own.number);
        bool seen = is_plain(own.number, &c) || is_described(scene, own.number);
        for (uint32_t k = 0; k < i && !seen; ++k)
            seen = scene_object(scene, k)->group == own.number;
        if (!seen)
            save_group(scene, out, list_of_groups(out, root, &groups), &own);
    }
}

/* ---- Colliders --------------------------------------------------------------------------------------------------------- */

static void save_vertices(sn_document *out, sn_value *record, const sn_collider_def *def)
{
    double *x, *t;
    if (!sn_document_numbers(out, record, "vertices", 3 * def->vertex_count, NULL, &x) ||
        !sn_document_numbers(out, record, "triangles", 3 * def->triangle_count, NULL, &t))
        return;
    for (uint32_t i = 0; i < def->vertex_count; ++i) {
        x[3 * (size_t)i] = (double)def->vertices[i].x;
        x[3 * (size_t)i + 1] = (double)def->vertices[i].y;
        x[3 * (size_t)i + 2] = (double)def->vertices[i].z;
    }
    for (size_t i = 0; i < 3 * (size_t)def->triangle_count; ++i)
        t[i] = def->triangles[i];
}

static void save_samples(sn_document *out, sn_value *record, const sn_collider_def *def)
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

static void save_shape(sn_document *out, sn_value *record, const sn_collider_def *def)
{
    double size[3] = {2 * (double)def->half.x, 2 * (double)def->half.y, 2 * (double)def->half.z};
    if (def->type == SN_COLLIDER_BOX)
        sn_document_numbers(out, record, "size", 3, size, NULL);
    if (def->type == SN_COLLIDER_CAPSULE)
        sn_document_number(out, record, "length", size[1]);
    if (def->type == SN_COLLIDER_SPHERE || def->type == SN_COLLIDER_CAPSULE)
        sn_document_number(out, record, "radius", (double)def->radius);
    if (def->type == SN_COLLIDER_MESH && def->one_sided)
        sn_document_truth(out, record, "one_sided", true);
    if (def->vertices)
        save_vertices(out, record, def);
    else if (def->samples)
        save_samples(out, record, def);
    if (def->type == SN_COLLIDER_FIELD && def->cell > 0)
        sn_document_number(out, record, "cell", (double)def->cell);
}

static void save_collider(sn_document *out, sn_value *list, const char *name, const sn_collider_def *def)
{
    double q[4] = {(double)def->rotation.x, (double)def->rotation.y, (double)def->rotation.z, (double)def->rotation.w};
    sn_collider_keys keys;
    sn_collider_record.defaults(&keys);
    uint32_t standard = keys.category;
    keys.type = sn_collider_forms[def->type].name;
    keys.name = name;
    keys.position = def->position;
    keys.velocity = def->velocity;
    keys.spin = def->spin;
    keys.thickness = def->thickness;
    keys.material = sn_surface_from(&def->material);
    keys.category = def->category;
    keys.mask = def->mask;
    keys.sensor = def->sensor;
    sn_value *record = sn_document_record(out, list, NULL);
    static const double none[4] = {0, 0, 0, 1};
    if (memcmp(q, none, sizeof none) != 0) /* -0 is not 0 */
        keys.rotation = (sn_numbers){4, q};
    sn_record_write(out, record, &sn_collider_record, &keys);
    save_bits(out, record, "category", def->category, standard);
    save_shape(out, record, def);
}

static const char *name_of(const sn_scene *scene, sn_collider collider, char *made, size_t size)
{
    const sn_scene_collider *known = scene->colliders.items;
    for (uint32_t i = 0; i < scene->colliders.count; ++i)
        if (known[i].handle.index == collider.index && known[i].handle.generation == collider.generation)
            return known[i].name;
    snprintf(made, size, "collider%u", collider.index); /* the program's own, by its number; or, if that is taken, */
    for (uint32_t i = 2; sn_scene_find_collider(scene, made); ++i)
        snprintf(made, size, "collider%u-%u", collider.index, i);
    return made;
}

/* By their numbers, which they get again. */
static const char *save_colliders(sn_scene *scene, sn_document *out, sn_value *root)
{
    uint32_t left = sn_world_collider_count(scene->world);
    sn_value *list = left ? sn_document_list(out, root, "colliders") : NULL;
    for (uint32_t i = 0; left; ++i) {
        char made[40];
        sn_collider_def def;
        sn_collider collider = sn_collider_from_index(scene->world, i);
        if (sn_collider_read(scene->world, collider, &def) != SN_OK)
            continue; /* a number that is free */
        if (def.function)
            return "the world has a collider that is a function, which a scene file cannot hold";
        save_collider(out, list, name_of(scene, collider, made, sizeof made), &def);
        --left;
    }
    return NULL;
}

/* A field that the program gave to a group is nowhere in the scene. */
static bool has_foreign_field(const sn_scene *scene)
{
    const sn_scene_group *group = scene->groups.items;
    for (uint32_t i = 0; i < scene->objects.count; ++i) {
        uint32_t number = scene_object(scene, i)->group;
        bool known = false;
        for (uint32_t k = 0; k < scene->groups.count; ++k)
            known = known || (group[k].number == number && group[k].field);
        if (!known && sn_world_has_group_field(scene->world, number))
            return true;
    }
    return false;
}

const char *sn_scene_save_contact(sn_scene *scene, sn_document *document, sn_value *root)
{
    sn_contact_settings settings = sn_world_contact_settings(scene->world), plain = sn_default_contact_settings();
    if (settings.on != plain.on || settings.particles != plain.particles || settings.push_out != plain.push_out ||
        settings.bounce_above != plain.bounce_above || settings.sleep != plain.sleep ||
        settings.sleep_speed != plain.sleep_speed || settings.sleep_time != plain.sleep_time)
        sn_record_write(document, sn_document_record(document, root, "contact"), &sn_contact_record, &settings);
    save_groups(scene, document, root);
    if (has_foreign_field(scene))
        return "the program gave a group a distance field, which a scene file cannot hold";
    return save_colliders(scene, document, root);
}
