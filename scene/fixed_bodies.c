/* Static and kinematic bodies of a scene: the items of the list "bodies" of these types. */
#include "scene/bodies.h"
#include "scene/solids.h"
#include "scene/state.h"

#include <string.h>

const sn_scene_fixed *sn_scene_find_fixed(const sn_scene *scene, const char *name)
{
    const sn_scene_fixed *known = scene->fixed.items;
    for (uint32_t i = 0; i < scene->fixed.count; ++i)
        if (strcmp(known[i].name, name) == 0)
            return &known[i];
    return NULL;
}

bool sn_scene_is_fixed(const sn_value *body)
{
    const sn_value *type = body->type == SN_VALUE_RECORD ? sn_value_find(body, "type") : NULL;
    return type && type->type == SN_VALUE_TEXT &&
           (strcmp(type->text, "static") == 0 || strcmp(type->text, "kinematic") == 0);
}

static bool add_fixed(sn_scene *scene, sn_reader *reader, const sn_body_def *def, const char *given)
{
    const char *name = sn_scene_name(scene, reader, given, sn_shape_type_name(def->shapes[0].type), scene->fixed.count);
    if (!name)
        return false;
    sn_scene_fixed *added = sn_growing_add(&scene->fixed, &scene->arena, sizeof *added);
    if (!added)
        return sn_reader_fail(reader, "no memory for a body");
    added->name = name;
    return sn_body_add(scene->world, def, &added->handle) == SN_OK || sn_scene_refused(scene, reader);
}

static bool use_group(sn_scene *scene, sn_reader *reader, const sn_value *group, uint32_t *number)
{
    if (!group)
        return true;
    size_t length = sn_reader_enter_key(reader, "group");
    bool good = sn_scene_use_group(scene, reader, group, number);
    sn_reader_leave(reader, length);
    return good;
}

static bool read_shapes(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_body_def *def)
{
    size_t length = sn_reader_enter_key(reader, "shapes");
    bool good = sn_read_shapes(scene, reader, value, def);
    sn_reader_leave(reader, length);
    return good;
}

static bool read_fixed(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    sn_fixed_body_keys keys;
    sn_body_def def = sn_default_body_def();
    if (!sn_scene_is_fixed(value))
        return true; /* dynamic: sn_scene_read_bodies reads it later */
    const bool flat = sn_world_dimensions(scene->world) == 2;
    bool good = sn_record_read_one(reader, value, &sn_fixed_body_record, &keys) &&
                sn_read_rotation(reader, flat, &keys.turn, &keys.rotation, &def.rotation) &&
                read_shapes(scene, reader, keys.shapes, &def);
    if (good) {
        def.type = keys.type;
        def.position = keys.position;
        def.velocity = keys.velocity;
        def.spin = keys.spin;
        good = use_group(scene, reader, keys.group, &def.group) && add_fixed(scene, reader, &def, keys.name);
    }
    sn_arena_release(&scene->scratch);
    return good;
}

/* Mistakes in the list itself are reported when the dynamic bodies are read. */
bool sn_scene_read_fixed(sn_scene *scene, sn_reader *reader, const sn_value *list)
{
    return list->type != SN_VALUE_LIST || list->numbers || sn_each_item(scene, reader, list, read_fixed);
}
