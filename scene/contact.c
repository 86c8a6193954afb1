/* Contact of objects: groups, skins and rest shapes. */
#include "scene/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The distance field of an object has so many samples along its longest side, and some beyond its ends. That is
   finer than the shape of a mesh whose particles are a few cells apart. */
#define FIELD_CELLS  32.0
#define CELLS_BEYOND 8.0

/* ---- Materials --------------------------------------------------------------------------------------------------- */

sn_contact_material sn_surface_material(const sn_surface_keys *keys)
{
    sn_contact_material m = sn_default_contact_material();
    sn_real hold = keys->static_friction, drag = keys->dynamic_friction, both = keys->friction;
    if (isnan(both)) { /* only one is given: the other changes if static friction would be less than dynamic friction */
        m.static_friction = !isnan(hold) ? hold : !isnan(drag) && drag > m.static_friction ? drag : m.static_friction;
        m.dynamic_friction = !isnan(drag) ? drag : hold < m.dynamic_friction ? hold : m.dynamic_friction;
    } else {
        m.static_friction = isnan(hold) ? both : hold;
        m.dynamic_friction = isnan(drag) ? both : drag;
    }
    m.static_friction += 0; /* turns -0 into 0, so that equal materials have equal bits */
    m.dynamic_friction += 0;
    m.restitution = keys->restitution;
    m.rolling = keys->rolling;
    m.friction_mix = keys->friction_mix;
    m.restitution_mix = keys->restitution_mix;
    m.surface_velocity = keys->surface_velocity;
    return m;
}

sn_surface_keys sn_surface_from(const sn_contact_material *material)
{
    sn_contact_material standard = sn_default_contact_material();
    sn_surface_keys keys;
    sn_surface_record.defaults(&keys);
    if (material->static_friction != material->dynamic_friction) {
        keys.static_friction = material->static_friction;
        keys.dynamic_friction = material->dynamic_friction;
    } else if (material->static_friction != standard.static_friction) {
        keys.friction = material->static_friction;
    }
    keys.restitution = material->restitution;
    keys.rolling = material->rolling;
    keys.friction_mix = material->friction_mix;
    keys.restitution_mix = material->restitution_mix;
    keys.surface_velocity = material->surface_velocity;
    return keys;
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

static sn_scene_group *find_group(const sn_scene *scene, const char *name, uint32_t number)
{
    sn_scene_group *group = scene->groups.items;
    for (uint32_t i = 0; i < scene->groups.count; ++i)
        if (name ? group[i].name && strcmp(group[i].name, name) == 0 : group[i].number == number)
            return &group[i];
    return NULL;
}

/* Named groups get numbers from the top downwards; objects get theirs from the bottom upwards. */
static uint32_t free_number(const sn_scene *scene)
{
    uint32_t number = SN_OWN_GROUP - 1;
    while (find_group(scene, NULL, number))
        --number;
    return number;
}

static bool set_group(sn_scene *scene, sn_reader *reader, const sn_group_keys *keys, uint32_t number, bool self_given)
{
    sn_group_contact contact = sn_default_group_contact(number);
    contact.material = sn_surface_material(&keys->material);
    contact.category = keys->category;
    contact.mask = keys->mask;
    contact.self = self_given ? keys->self : sn_world_group_contact(scene->world, number).self;
    if (!isnan(keys->rest_gap))
        contact.rest_gap = keys->rest_gap;
    contact.rolls = keys->rolls;
    contact.directional = keys->directional;
    return sn_world_set_group_contact(scene->world, number, &contact) == SN_OK || sn_scene_refused(scene, reader);
}

bool sn_scene_describe_group(sn_scene *scene, sn_reader *reader, const sn_value *value, const char *name,
                             uint32_t number)
{
    sn_group_keys keys;
    if (!sn_record_read_one(reader, value, &sn_group_record, &keys))
        return false;
    if (keys.number != UINT32_MAX && !name)
        return sn_reader_fail_key(reader, "number", "only a group with a name in 'groups' has one");
    if (name)
        number = keys.number != UINT32_MAX ? keys.number : free_number(scene);
    const sn_scene_group *known = find_group(scene, NULL, number);
    if (known && known->name)
        return sn_reader_fail(reader, "this describes group %u, which is '%.80s' and described already", number,
                              known->name);
    if (known)
        return sn_reader_fail(reader, "this describes group %u, which is described already", number);
    sn_scene_group *group = sn_growing_add(&scene->groups, &scene->arena, sizeof *group);
    char *copy = name ? sn_arena_copy(&scene->arena, name, strlen(name)) : NULL;
    if (!group || (name && !copy))
        return sn_reader_fail(reader, "no memory for a group");
    *group = (sn_scene_group){copy, number, !isnan(keys.rest_gap), keys.field};
    return set_group(scene, reader, &keys, number, sn_value_find(value, "self") != NULL);
}

/* A key of digits alone is a number. The largest number is excluded: it stands for "not given". */
static bool read_number(const char *text, uint32_t *number)
{
    double x = 0;
    for (const char *at = text; *at; ++at) {
        if (*at < '0' || *at > '9' || at - text > 9)
            return false;
        x = 10 * x + (*at - '0');
    }
    if (!*text || x >= SN_OWN_GROUP || (text[0] == '0' && text[1]))
        return false;
    *number = (uint32_t)x;
    return true;
}

/* Groups with a given number are read first; the others then get free numbers. */
bool sn_scene_read_groups(sn_scene *scene, sn_reader *reader, const sn_value *record)
{
    if (record->type != SN_VALUE_RECORD)
        return sn_reader_expected(reader, record, "a record of groups by name or number");
    bool good = true;
    for (int pass = 0; pass < 2; ++pass)
        for (const sn_value *item = record->first; item; item = item->next) {
            uint32_t number = 0;
            bool numbered = read_number(item->key, &number);
            bool fixed = numbered || (item->type == SN_VALUE_RECORD && sn_value_find(item, "number"));
            if (fixed != (pass == 0))
                continue;
            size_t length = sn_reader_enter_key(reader, item->key);
            bool one = true;
            if (!numbered && !sn_is_name(item->key))
                one = sn_reader_fail(reader,
                                     "'%.80s' is neither a name nor a number of a group: expected letters, digits, "
                                     "'_' and '-', a letter first, or a number below 4294967295",
                                     item->key);
            else if (!numbered && find_group(scene, item->key, 0))
                one = sn_reader_fail(reader, "there is another group called '%s'", item->key);
            else
                one = sn_scene_describe_group(scene, reader, item, numbered ? NULL : item->key, number);
            if (!one)
                sn_reader_doubt(reader, item);
            good = one && good;
            sn_reader_leave(reader, length);
        }
    return good;
}

bool sn_scene_use_group(sn_scene *scene, sn_reader *reader, const sn_value *value, uint32_t *group)
{
    if (value->type == SN_VALUE_NUMBER) {
        if (!sn_read_count(reader, value, group))
            return false;
        return *group != SN_OWN_GROUP || sn_reader_fail(reader, "found 4294967295, expected 0 to 4294967294");
    }
    if (value->type != SN_VALUE_TEXT)
        return sn_reader_expected(reader, value, "a number, or the name of a group");
    const sn_scene_group *found = find_group(scene, value->text, 0);
    if (found) {
        *group = found->number;
        return true;
    }
    if (sn_reader_doubts(reader, value->text))
        return false;
    const char *names[64];
    char near[160];
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->groups.count && count < 64; ++i)
        if (((const sn_scene_group *)scene->groups.items)[i].name)
            names[count++] = ((const sn_scene_group *)scene->groups.items)[i].name;
    return sn_reader_fail(reader, "there is no group '%.80s'%s", value->text,
                          sn_did_you_mean(value->text, names, count, near, sizeof near));
}

/* ---- Skins ------------------------------------------------------------------------------------------------------- */

bool sn_scene_use_skin(sn_reader *reader, const sn_value *value, sn_object_skin *skin)
{
    if (value->type == SN_VALUE_TRUTH) {
        sn_skin_record.defaults(skin);
        skin->on = value->number != 0;
        return true;
    }
    if (value->type != SN_VALUE_RECORD)
        return sn_reader_expected(reader, value, "true, false or a record {...}: a skin");
    return sn_record_read_one(reader, value, &sn_skin_record, skin);
}

/* ---- Rest shapes ----------------------------------------------------------------------------------------------------

   The rest shape of an object is its shape at the start. An object of a saved scene stores it beside its present
   positions. What depends on the rest shape is then computed with the particles moved there for the time being. */

static bool read_places(sn_scene *scene, const sn_object *object, sn_arena *arena, sn_vec3 **out)
{
    *out = sn_arena_take(arena, object->run.count, sizeof **out);
    return *out && sn_particles_read_positions(scene->world, object->run, &(*out)->x, sizeof **out) == SN_OK;
}

static bool put_places(sn_scene *scene, const sn_object *object, const sn_vec3 *x)
{
    return sn_particles_write_positions(scene->world, object->run, &x->x, sizeof *x) == SN_OK;
}

/* Moves the particles of an object to the rest shape, if it has one, and returns their present positions in *now.
   Without one, the present positions become the rest shape, and *now is NULL. */
static bool go_to_rest(sn_scene *scene, sn_object *object, sn_vec3 **now)
{
    sn_vec3 *here;
    *now = NULL;
    if (!object->rest) {
        bool good = read_places(scene, object, &scene->arena, &here);
        object->rest = here;
        return good;
    }
    return read_places(scene, object, &scene->scratch, now) && put_places(scene, object, object->rest);
}

/* Tells the world the cells of a lattice, so that it tears and is cut along their faces. */
static bool add_cells(sn_scene *scene, sn_reader *reader, const sn_object *object)
{
    const uint32_t *cells = object->cells, nx = cells[0] + 1, ny = cells[1] + 1;
    const uint64_t count = (uint64_t)cells[0] * cells[1] * cells[2];
    if (!count)
        return true;
    uint32_t *index = sn_arena_take(&scene->scratch, (size_t)count, 8 * sizeof *index);
    if (!index)
        return sn_reader_fail(reader, "no memory for the cells of a lattice");
    for (uint64_t i = 0; i < 8 * count; ++i) {
        const uint32_t at = (uint32_t)(i / 8), corner = i % 8;
        const uint32_t x = at % cells[0] + (corner & 1), y = at / cells[0] % cells[1] + (corner >> 1 & 1),
                       z = at / cells[0] / cells[1] + (corner >> 2);
        index[i] = object->run.first + x + nx * (y + ny * z);
    }
    return sn_skin_set_cells(scene->world, object->skin, index, (uint32_t)count) == SN_OK ||
           sn_scene_refused(scene, reader);
}

bool sn_scene_add_skin(sn_scene *scene, sn_reader *reader, sn_object *object, const sn_object_skin *skin)
{
    if (!skin->on)
        return true;
    const bool lines = !object->triangle_count;
    if (lines && !object->line_count)
        return sn_reader_fail_key(reader, "skin", "the %s '%s' has no triangles and no lines, so it has no skin",
                                  object->type, object->name);
    if (lines && !skin->self_collision)
        return sn_reader_fail_key(reader, "skin",
                                  "the %s '%s' has no triangles, and its lines collide with 'self_collision' alone",
                                  object->type, object->name);
    const uint64_t count = lines ? 2 * (uint64_t)object->line_count : 3 * (uint64_t)object->triangle_count;
    const uint32_t *from = lines ? object->line : object->triangle;
    uint32_t *corner = sn_arena_take(&scene->scratch, (size_t)count, sizeof *corner);
    bool good = corner || sn_reader_fail(reader, "no memory for a skin");
    for (uint64_t i = 0; i < count && good; ++i)
        corner[i] = object->run.first + from[i];
    sn_skin_def def = sn_default_skin_def();
    def.triangles = lines ? NULL : corner;
    def.triangle_count = object->triangle_count;
    def.segments = lines ? corner : NULL;
    def.segment_count = lines ? object->line_count : 0;
    def.thickness = skin->thickness;
    def.one_sided = skin->one_sided;
    def.self_collision = skin->self_collision;
    sn_vec3 *now = NULL; /* for self-collision: the skin measures in the rest shape what is near */
    good = good && (!skin->self_collision || go_to_rest(scene, object, &now) ||
                    sn_reader_fail(reader, "no memory for a rest shape"));
    size_t length = sn_reader_enter_key(reader, "skin");
    good = good && (sn_skin_add(scene->world, &def, &object->skin) == SN_OK || sn_scene_refused(scene, reader)) &&
           add_cells(scene, reader, object);
    if (now)
        good = put_places(scene, object, now) && good;
    sn_reader_leave(reader, length);
    sn_arena_release(&scene->scratch);
    return good;
}

/* The triangles of all objects of the group in one mesh. The memory that it takes has been checked. */
static bool gather_shell(sn_scene *scene, const sn_scene_group *group, sn_shape_def *def)
{
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t i = 0; i < scene->objects.count; ++i)
        if (scene_object(scene, i)->group == group->number) {
            vertices += scene_object(scene, i)->run.count;
            triangles += scene_object(scene, i)->triangle_count;
        }
    sn_vec3 *vertex = sn_arena_take(&scene->scratch, (size_t)vertices + 1, sizeof *vertex);
    uint32_t *corner = sn_arena_take(&scene->scratch, 3 * (size_t)triangles + 1, sizeof *corner);
    if (!vertex || !corner || vertices > UINT32_MAX || triangles > UINT32_MAX)
        return false;
    *def = sn_default_shape_def(SN_SHAPE_FIELD);
    def->vertices = vertex;
    def->triangles = corner;
    for (uint32_t i = 0; i < scene->objects.count; ++i) {
        const sn_object *object = scene_object(scene, i);
        if (object->group != group->number)
            continue;
        for (uint32_t k = 0; k < 3 * object->triangle_count; ++k)
            corner[3 * (size_t)def->triangle_count + k] = def->vertex_count + object->triangle[k];
        if (object->run.count &&
            sn_particles_read_positions(scene->world, object->run, &vertex[def->vertex_count].x, 0) != SN_OK)
            return false;
        def->vertex_count += object->run.count;
        def->triangle_count += object->triangle_count;
    }
    return true;
}

static sn_real longest_side(const sn_shape_def *def)
{
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 3 * def->triangle_count; ++i) {
        const sn_vec3 *v = &def->vertices[def->triangles[i]];
        low = (sn_vec3){v->x < low.x ? v->x : low.x, v->y < low.y ? v->y : low.y, v->z < low.z ? v->z : low.z};
        high = (sn_vec3){v->x > high.x ? v->x : high.x, v->y > high.y ? v->y : high.y, v->z > high.z ? v->z : high.z};
    }
    sn_real x = high.x - low.x, y = high.y - low.y, z = high.z - low.z;
    return x > y ? (x > z ? x : z) : y > z ? y : z;
}

/* Makes the distance field of a group. Its objects must be in their rest shapes. */
static bool give_field(sn_scene *scene, sn_reader *reader, const sn_scene_group *group)
{
    const double bytes =
        (FIELD_CELLS + CELLS_BEYOND) * (FIELD_CELLS + CELLS_BEYOND) * (FIELD_CELLS + CELLS_BEYOND) * sizeof(sn_real);
    sn_shape_def def;
    if (!sn_scene_fits(scene, reader, bytes))
        return false;
    if (!gather_shell(scene, group, &def))
        return sn_reader_fail(reader, "no memory for the field of group %u", group->number);
    if (!def.triangle_count)
        return sn_reader_fail(reader, "no object of group %u has triangles, so it has no field", group->number);
    scene->planned += bytes;
    def.cell = longest_side(&def) / (sn_real)FIELD_CELLS;
    return sn_world_set_group_field(scene->world, group->number, &def) == SN_OK || sn_scene_refused(scene, reader);
}

static bool take_rest_shape(sn_scene *scene, sn_reader *reader, const sn_scene_group *group)
{
    uint32_t count = scene->objects.count, members = 0;
    sn_vec3 **now = sn_arena_take(&scene->scratch, count ? count : 1, sizeof *now);
    bool good = now != NULL, told = false;
    for (uint32_t i = 0; i < count && good; ++i)
        if (scene_object(scene, i)->group == group->number && scene_object(scene, i)->run.count) {
            good = go_to_rest(scene, scene_object(scene, i), &now[i]);
            ++members;
        }
    if (good && members && group->rest)
        good = sn_world_take_rest_shape(scene->world, group->number) == SN_OK;
    if (good && members && group->field) {
        good = give_field(scene, reader, group);
        told = !good;
    }
    for (uint32_t i = 0; i < count && good; ++i)
        if (now[i])
            good = put_places(scene, scene_object(scene, i), now[i]);
    sn_arena_release(&scene->scratch);
    if (told)
        return false;
    if (!good)
        return sn_reader_fail(reader, "no rest shape of group %u: %s", group->number,
                              *sn_world_error(scene->world) ? sn_world_error(scene->world) : "no memory");
    if (!members)
        sn_problems_add(reader->problems, SN_PROBLEM_WARNING, reader->path, false,
                        "no object is of this group, so it has no %s", group->rest ? "rest shape" : "field");
    return true;
}

bool sn_scene_take_rest_shapes(sn_scene *scene, sn_reader *reader, uint32_t from)
{
    size_t length = sn_reader_enter_key(reader, "groups");
    bool good = true;
    for (uint32_t i = from; i < scene->groups.count && good; ++i) {
        const sn_scene_group *group = (const sn_scene_group *)scene->groups.items + i;
        char number[16];
        snprintf(number, sizeof number, "%u", group->number);
        size_t own = sn_reader_enter_key(reader, group->name ? group->name : number);
        if (group->rest || group->field)
            good = take_rest_shape(scene, reader, group);
        sn_reader_leave(reader, own);
    }
    sn_reader_leave(reader, length);
    return good;
}
