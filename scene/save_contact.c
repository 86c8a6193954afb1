/* Contact as part of a document: settings and groups. */
#include "scene/bodies.h"
#include "scene/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

static bool same_surface(const sn_contact_material *a, const sn_contact_material *b)
{
    return a->static_friction == b->static_friction && a->dynamic_friction == b->dynamic_friction &&
           a->restitution == b->restitution && a->rolling == b->rolling && a->friction_mix == b->friction_mix &&
           a->restitution_mix == b->restitution_mix && a->surface_velocity.x == b->surface_velocity.x &&
           a->surface_velocity.y == b->surface_velocity.y && a->surface_velocity.z == b->surface_velocity.z;
}

static bool is_plain(uint32_t group, const sn_group_contact *c)
{
    sn_group_contact plain = sn_default_group_contact(group);
    return same_surface(&c->material, &plain.material) && c->category == plain.category && c->mask == plain.mask &&
           c->self == plain.self && c->rest_gap == plain.rest_gap && c->rolls == plain.rolls &&
           c->directional == plain.directional;
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
    sn_save_bits(out, record, "category", c.category, standard);
    if (!c.self && sn_default_group_contact(group->number).self) /* the writer omits false */
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

/* Saves the groups of the scene file, and groups of objects whose settings the program has changed. */
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

/* Whether the program has given a field to a group: the scene has no description of it. */
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
    return sn_scene_save_fixed(scene, document, root);
}
