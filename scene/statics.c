/* Static and kinematic bodies of a scene: the list "statics". */
#include "scene/bodies.h"
#include "scene/solids.h"
#include "scene/state.h"

#include <stdio.h>
#include <string.h>

const sn_scene_static *sn_scene_find_static(const sn_scene *scene, const char *name)
{
    const sn_scene_static *known = scene->statics.items;
    for (uint32_t i = 0; i < scene->statics.count; ++i)
        if (strcmp(known[i].name, name) == 0)
            return &known[i];
    return NULL;
}

static const char *name_static(sn_scene *scene, sn_reader *reader, const char *given, const char *type)
{
    char made[140];
    if (given && !sn_is_name(given)) {
        sn_reader_fail_key(reader, "name", "'%.80s' is no name: expected letters, digits, '_' and '-', a letter first",
                           given);
        return NULL;
    }
    if (given && sn_scene_find_static(scene, given)) {
        sn_reader_fail_key(reader, "name", "there is another static body called '%s'", given);
        return NULL;
    }
    for (uint32_t i = scene->statics.count + 1; !given; ++i) {
        snprintf(made, sizeof made, "%s%u", type, i);
        if (!sn_scene_find_static(scene, made))
            given = made;
    }
    char *copy = sn_arena_copy(&scene->arena, given, strlen(given));
    if (!copy)
        sn_reader_fail(reader, "no memory for a name");
    return copy;
}

/* One shape, whose place is that of the body. */
static bool read_lone(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_static_keys *keys, sn_body_def *def)
{
    sn_shape_def *shape = sn_arena_take(&scene->scratch, 1, sizeof *shape);
    if (!shape)
        return sn_reader_fail(reader, "no memory for a shape");
    if (!sn_read_shape(scene, reader, value, &sn_static_record, keys, shape))
        return false;
    def->position = shape->position;
    def->rotation = shape->rotation;
    shape->position = (sn_vec3){0, 0, 0};
    shape->rotation = (sn_quat){0, 0, 0, 1};
    def->shapes = shape;
    def->shape_count = 1;
    return true;
}

static bool read_several(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_static_keys *keys,
                         sn_body_def *def)
{
    const sn_record *tables[] = {&sn_static_record, &sn_static_list_record};
    sn_static_list_keys own;
    void *structs[] = {keys, &own};
    if (!sn_record_read(reader, value, 2, tables, structs) ||
        !sn_read_rotation(reader, sn_world_dimensions(scene->world) == 2, &own.turn, &own.rotation, &def->rotation))
        return false;
    def->position = own.position;
    size_t length = sn_reader_enter_key(reader, "shapes");
    bool good = sn_read_shapes(scene, reader, own.shapes, def);
    sn_reader_leave(reader, length);
    return good;
}

static bool add_static(sn_scene *scene, sn_reader *reader, const sn_body_def *def, const char *given)
{
    const char *name = name_static(scene, reader, given, sn_shape_type_name(def->shapes[0].type));
    if (!name)
        return false;
    sn_scene_static *added = sn_growing_add(&scene->statics, &scene->arena, sizeof *added);
    if (!added)
        return sn_reader_fail(reader, "no memory for a static body");
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

static bool read_static(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    sn_static_keys keys;
    sn_body_def def = sn_default_body_def();
    if (value->type != SN_VALUE_RECORD)
        return sn_reader_expected(reader, value, "a record {...}: a static body");
    bool several = sn_value_find(value, "shapes") != NULL;
    bool good = (several ? read_several : read_lone)(scene, reader, value, &keys, &def);
    if (good) {
        bool moves = keys.kinematic || !sn_is_zero(keys.velocity) || !sn_is_zero(keys.spin);
        def.type = moves ? SN_BODY_KINEMATIC : SN_BODY_STATIC;
        def.velocity = keys.velocity;
        def.spin = keys.spin;
        good = use_group(scene, reader, keys.group, &def.group) && add_static(scene, reader, &def, keys.name);
    }
    sn_arena_release(&scene->scratch);
    return good;
}

bool sn_scene_read_statics(sn_scene *scene, sn_reader *reader, const sn_value *list)
{
    return sn_each_item(scene, reader, list, read_static);
}
