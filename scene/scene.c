/* A scene from a document. sn_scene_create shows the order of its steps. */
#include "scene/characters.h"
#include "scene/expand.h"
#include "scene/state.h"
#include "scene/young.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_MEMORY ((uint64_t)4 << 30)

sn_scene_options sn_default_scene_options(void)
{
    return (sn_scene_options){.memory = DEFAULT_MEMORY};
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

bool sn_each_item(sn_scene *scene, sn_reader *reader, const sn_value *list, sn_item_fn *read)
{
    if (list->type != SN_VALUE_LIST || list->numbers)
        return sn_reader_expected(reader, list, "a list of records");
    bool good = true;
    uint32_t i = 0;
    for (const sn_value *item = list->first; item; item = item->next) {
        size_t length = sn_reader_enter_item(reader, sn_value_index(item, i++));
        if (!read(scene, reader, item)) {
            sn_reader_doubt(reader, item);
            good = false;
        }
        sn_reader_leave(reader, length);
    }
    return good;
}

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

bool sn_is_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return *text && strspn(text, letters) == strlen(text) && !strchr("-0123456789", *text) && strlen(text) < 100;
}

bool sn_scene_has_name(const sn_scene *scene, const char *name)
{
    return sn_scene_find_object(scene, name) || sn_scene_find_fixed(scene, name);
}

const char *sn_scene_name(sn_scene *scene, sn_reader *reader, const char *given, const char *type, uint32_t count)
{
    char made[140];
    if (given && !sn_is_name(given)) {
        sn_reader_fail_key(reader, "name",
                           "'%.80s' is not a name: expected letters, digits, '_' and '-', a letter first", given);
        return NULL;
    }
    if (given && sn_scene_has_name(scene, given)) {
        sn_reader_fail_key(reader, "name", "there is another object or body called '%s'", given);
        return NULL;
    }
    for (uint32_t i = count + 1; !given; ++i) {
        snprintf(made, sizeof made, "%s%u", type, i);
        if (!sn_scene_has_name(scene, made))
            given = made;
    }
    char *copy = sn_arena_copy(&scene->arena, given, strlen(given));
    if (!copy)
        sn_reader_fail(reader, "no memory for a name");
    return copy;
}

static bool check_object(const sn_scene *scene, sn_reader *reader, const sn_object_type *type, const sn_object_def *def)
{
    sn_vec3 axis = def->turn.axis;
    bool flat = sn_world_dimensions(scene->world) == 2;
    if (flat && type->spatial)
        return sn_reader_fail(reader, "a %s needs three dimensions, and this world has two", type->name);
    if (axis.x == 0 && axis.y == 0 && axis.z == 0)
        return sn_reader_fail_key(reader, "turn", "the axis has length 0");
    if (flat && def->turn.angle != 0 && (axis.x != 0 || axis.y != 0))
        return sn_reader_fail_key(reader, "turn", "in a 2D world things turn about the axis [0, 0, 1] only");
    if (flat && (def->spin.x != 0 || def->spin.y != 0))
        return sn_reader_fail_key(reader, "spin", "in a 2D world things spin about z only: [0, 0, rate]");
    return true;
}

/* Removes what a builder had made before it failed. */
static void unbuild(sn_scene *scene, sn_object *object)
{
    for (uint32_t i = 0; i < object->body_count; ++i)
        sn_body_remove(scene->world, object->body[i].handle);
    if (object->run.count)
        sn_particles_remove(scene->world, object->run);
}

static uint32_t group_of(const sn_scene *scene, const sn_object_def *def)
{
    return def->group == SN_OWN_GROUP ? scene->objects.count + 1 : def->group;
}

/* Lets the bodies or balls of an object collide with each other, if its type asks for that. The settings of a group in the
   file take precedence. */
static bool let_collide(sn_scene *scene, sn_reader *reader, const sn_object_type *type, uint32_t group)
{
    sn_group_contact contact = sn_world_group_contact(scene->world, group);
    const sn_scene_group *known = scene->groups.items;
    if (!type->collides || contact.self)
        return true;
    for (uint32_t i = 0; i < scene->groups.count; ++i)
        if (known[i].number == group)
            return true;
    contact.self = true;
    return sn_world_set_group_contact(scene->world, group, &contact) == SN_OK || sn_scene_refused(scene, reader);
}

const sn_object *sn_scene_build(sn_scene *scene, sn_reader *reader, const sn_object_type *type,
                                const sn_object_def *def, const void *own)
{
    if (!check_object(scene, reader, type, def) || !let_collide(scene, reader, type, group_of(scene, def)))
        return NULL;
    const char *name = sn_scene_name(scene, reader, def->name, type->name, scene->objects.count);
    sn_object *object = sn_arena_take(&scene->arena, 1, sizeof *object);
    if (!name)
        return NULL;
    if (!object) {
        sn_reader_fail(reader, "no memory for an object");
        return NULL;
    }
    *object = (sn_object){.name = name, .type = type->name, .group = group_of(scene, def), .skin_def = def->skin};
    sn_stuff stuff = def->stuff;
    if (!sn_young_fill(reader, &stuff, type->lines ? 1 : type->dimension, (double)def->radius))
        return NULL;
    if (isnan(stuff.shear))
        stuff.shear = stuff.stretch;
    double planned = scene->planned;
    sn_build build = {.scene = scene,
                      .def = def,
                      .stuff = &stuff,
                      .scratch = &scene->scratch,
                      .object = object,
                      .dimensions = sn_world_dimensions(scene->world),
                      .reader = reader};
    bool built = type->build(&build, own) && sn_build_move_bodies(&build);
    if (built)
        sn_build_warn_damping(&build);
    sn_arena_release(&scene->scratch);
    built = built && sn_scene_add_skin(scene, reader, object, &def->skin) &&
            sn_scene_add_tear(scene, reader, object, &stuff);
    sn_object **place = built ? sn_growing_add(&scene->objects, &scene->arena, sizeof *place) : NULL;
    if (!place) {
        if (built)
            sn_reader_fail(reader, "no memory for an object");
        unbuild(scene, object);
        scene->planned = planned;
        return NULL;
    }
    *place = object;
    return object;
}

const sn_object *sn_scene_add(sn_scene *scene, const sn_object_type *type, const sn_object_def *def, const void *own,
                              sn_problems *problems)
{
    sn_reader reader;
    sn_reader_init(&reader, &scene->arena, problems);
    sn_object_keys keys = {.def = *def};
    bool good = sn_record_check(&reader, &sn_object_record, &keys);
    good = sn_record_check(&reader, &sn_stuff_record, &def->stuff) && good;
    good = sn_record_check(&reader, type->record, own) && good;
    return good ? sn_scene_build(scene, &reader, type, def, own) : NULL;
}

bool sn_scene_pin(sn_scene *scene, uint32_t count, const uint32_t *number)
{
    for (uint32_t i = 0; i < count; ++i) {
        sn_particle p = sn_particle_from_index(scene->world, number[i]);
        sn_real mass = sn_particle_mass(scene->world, p);
        if (isinf(mass))
            continue;
        sn_pinned *pinned = sn_growing_add(&scene->pinned, &scene->arena, sizeof *pinned);
        if (!pinned)
            return false;
        *pinned = (sn_pinned){number[i], mass};
        sn_particle_set_mass(scene->world, p, SN_IMMOVABLE);
        sn_particle_set_velocity(scene->world, p, (sn_vec3){0, 0, 0});
        sn_body body = sn_particle_body(scene->world, p);
        if (body.generation)
            sn_body_set_velocity(scene->world, body, (sn_vec3){0, 0, 0}, (sn_vec3){0, 0, 0});
    }
    return true;
}

bool sn_scene_release(sn_scene *scene, uint32_t count, const uint32_t *number)
{
    uint32_t most = 0, left = 0;
    sn_pinned *pinned = scene->pinned.items;
    for (uint32_t k = 0; k < scene->pinned.count; ++k)
        most = pinned[k].number > most ? pinned[k].number : most;
    bool *go = sn_arena_take(&scene->scratch, (size_t)most + 1, sizeof *go); /* by the number of the particle */
    if (!go)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        if (number[i] <= most)
            go[number[i]] = true;
    for (uint32_t k = 0; k < scene->pinned.count; ++k) {
        sn_particle p = sn_particle_from_index(scene->world, pinned[k].number);
        if (go[pinned[k].number])
            sn_particle_set_mass(scene->world, p, pinned[k].mass);
        else
            pinned[left++] = pinned[k];
    }
    scene->pinned.count = left;
    sn_arena_release(&scene->scratch);
    return true;
}

/* ---- Materials --------------------------------------------------------------------------------------------------- */

typedef struct named_stuff {
    const char *name;
    sn_stuff stuff;
} named_stuff;

static bool read_materials(sn_reader *reader, const sn_value *value, sn_growing *out)
{
    if (value->type != SN_VALUE_RECORD)
        return sn_reader_expected(reader, value, "a record of materials by name");
    bool good = true;
    for (const sn_value *item = value->first; item; item = item->next) {
        named_stuff *stuff = sn_growing_add(out, reader->arena, sizeof *stuff);
        if (!stuff)
            return sn_reader_fail(reader, "no memory for a material");
        size_t length = sn_reader_enter_key(reader, item->key);
        stuff->name = item->key;
        good = sn_record_read_one(reader, item, &sn_stuff_record, &stuff->stuff) && good;
        sn_reader_leave(reader, length);
    }
    return good;
}

static bool use_material(sn_reader *reader, const sn_value *value, const sn_growing *materials, sn_stuff *out)
{
    const named_stuff *known = materials->items;
    if (value->type != SN_VALUE_TEXT)
        return sn_record_read_one(reader, value, &sn_stuff_record, out);
    for (uint32_t i = 0; i < materials->count; ++i)
        if (strcmp(known[i].name, value->text) == 0) {
            *out = known[i].stuff;
            return true;
        }
    const char *names[64];
    char near[160];
    uint32_t count = 0;
    for (; count < materials->count && count < 64; ++count)
        names[count] = known[count].name;
    return sn_reader_fail(reader, "there is no material '%.80s'%s", value->text,
                          sn_did_you_mean(value->text, names, count, near, sizeof near));
}

/* ---- Reading objects --------------------------------------------------------------------------------------------- */

static const sn_object_type *read_type(sn_reader *reader, const sn_value *value)
{
    const sn_value *type = sn_value_find(value, "type");
    const char *names[64];
    char near[900];
    uint32_t count = 0;
    for (; count < sn_object_type_count() && count < 64; ++count)
        names[count] = sn_object_type_at(count)->name;
    if (value->type != SN_VALUE_RECORD)
        sn_reader_expected(reader, value, "a record {...}: an object");
    else if (!type)
        sn_reader_fail(reader, "the key 'type' is missing: which object is it?");
    else if (type->type != SN_VALUE_TEXT)
        sn_reader_fail_key(reader, "type", "expected the name of an object type, such as \"rope\"");
    else if (sn_object_type_find(type->text))
        return sn_object_type_find(type->text);
    else
        sn_reader_fail_key(reader, "type", "there is no object type '%.80s'%s", type->text,
                           sn_meant_or_all(type->text, names, count, near, sizeof near));
    return NULL;
}

static bool read_pins(sn_scene *scene, sn_reader *reader, const sn_value *pins, const sn_object *object)
{
    sn_selection selection = {0};
    size_t length = sn_reader_enter_key(reader, "pins");
    bool good = sn_select(scene, reader, pins, object, &scene->scratch, &selection);
    if (good && !sn_scene_pin(scene, selection.count, selection.number))
        good = sn_reader_fail(reader, "no memory for pins");
    sn_arena_release(&scene->scratch);
    sn_reader_leave(reader, length);
    return good;
}

/* Applies the group or the skin of an object. */
static bool use_key(sn_scene *scene, sn_reader *reader, sn_object_keys *keys, const char *key)
{
    size_t length = sn_reader_enter_key(reader, key);
    bool good = *key == 'g' ? sn_scene_use_group(scene, reader, keys->group, &keys->def.group)
                            : sn_scene_use_skin(reader, keys->skin, &keys->def.skin);
    sn_reader_leave(reader, length);
    return good;
}

/* Builds an object that has an error, with defaults in place of wrong values, so that its pins and references to it
   can be checked. Problems found by the builder may follow from the first error and are not reported. */
static const sn_object *build_anyhow(sn_scene *scene, sn_reader *reader, const sn_object_type *type,
                                     const sn_object_def *def, const void *own)
{
    sn_problems *heard = reader->problems, unheard;
    sn_problems_init(&unheard, &scene->arena.allocator);
    reader->problems = &unheard;
    const sn_object *object = sn_scene_build(scene, reader, type, def, own);
    reader->problems = heard;
    sn_problems_release(&unheard);
    return object;
}

static bool doubt_object(sn_reader *reader, const sn_value *value)
{
    sn_reader_doubt(reader, value);
    reader->doubts_numbers = true;
    return false;
}

static bool read_object(sn_scene *scene, sn_reader *reader, const sn_value *value, const sn_growing *materials)
{
    const sn_object_type *type = read_type(reader, value);
    if (!type)
        return doubt_object(reader, value);
    sn_object_keys keys;
    void *own = sn_arena_take(reader->arena, 1, type->record->size);
    if (!own)
        return sn_reader_fail(reader, "no memory for an object");
    const sn_record *tables[] = {&sn_object_record, type->record};
    void *structs[] = {&keys, own};
    bool good = sn_record_read(reader, value, 2, tables, structs);
    if (keys.material) {
        size_t length = sn_reader_enter_key(reader, "material");
        good = use_material(reader, keys.material, materials, &keys.def.stuff) && good;
        sn_reader_leave(reader, length);
    }
    good = (!keys.group || use_key(scene, reader, &keys, "group")) && good;
    good = (!keys.skin || use_key(scene, reader, &keys, "skin")) && good;
    size_t length = sn_reader_enter_key(reader, "contact");
    good = let_collide(scene, reader, type, group_of(scene, &keys.def)) &&
           (!keys.contact || sn_scene_describe_group(scene, reader, keys.contact, NULL, group_of(scene, &keys.def))) &&
           good;
    sn_reader_leave(reader, length);
    const sn_object *object =
        good ? sn_scene_build(scene, reader, type, &keys.def, own) : build_anyhow(scene, reader, type, &keys.def, own);
    if (!object || !good) /* this object may have other parts or another number of particles than the file means */
        doubt_object(reader, value);
    return object && (!keys.pins || read_pins(scene, reader, keys.pins, object)) && good;
}

static bool read_objects(sn_scene *scene, sn_reader *reader, const sn_scene_keys *keys)
{
    sn_growing materials = {0};
    bool good = true;
    size_t length = sn_reader_enter_key(reader, "materials");
    if (keys->materials)
        good = read_materials(reader, keys->materials, &materials);
    sn_reader_leave(reader, length);
    if (!keys->objects)
        return good;
    length = sn_reader_enter_key(reader, "objects");
    if (keys->objects->type != SN_VALUE_LIST || keys->objects->numbers)
        good = sn_reader_expected(reader, keys->objects, "a list of objects");
    uint32_t i = 0;
    for (const sn_value *item = keys->objects->first; item && keys->objects->type == SN_VALUE_LIST; item = item->next) {
        size_t inner = sn_reader_enter_item(reader, sn_value_index(item, i++));
        good = read_object(scene, reader, item, &materials) && good;
        sn_reader_leave(reader, inner);
    }
    sn_reader_leave(reader, length);
    return good;
}

/* ---- Records of values ------------------------------------------------------------------------------------------- */

uint32_t sn_object_number(const sn_world *world, const sn_object *object, uint32_t item)
{
    sn_body body = sn_object_body_at(object, item);
    return body.generation ? sn_body_particle(world, body).index : object->run.first + item;
}

void sn_object_label(const sn_object *object, uint32_t item, char *text, size_t size)
{
    if (sn_scene_is_lone_body(object)) {
        snprintf(text, size, "%s", object->name);
        return;
    }
    snprintf(text, size, "%s[%u]", object->name, item);
    for (uint32_t p = 0; p < object->part_count; ++p) { /* the name of a part of one particle is preferred */
        const sn_part *part = &object->part[p];
        if (part->count == 1 && (part->index ? part->index[0] : part->first) == item && sn_object_items(object) > 1)
            snprintf(text, size, "%s.%.40s", object->name, part->name);
    }
}

/* The item of a particle with this number in the object; SN_NO_ITEM if it has none. */
static uint32_t find_item(const sn_scene *scene, const sn_object *object, uint32_t number)
{
    if (number >= object->run.first && number - object->run.first < object->run.count)
        return number - object->run.first;
    for (uint32_t i = object->run.count; i < sn_object_items(object); ++i)
        if (sn_object_number(scene->world, object, i) == number)
            return i;
    return SN_NO_ITEM;
}

const sn_object *sn_scene_label(const sn_scene *scene, uint32_t number, char *text, size_t size)
{
    for (uint32_t i = 0; i < scene->objects.count; ++i) {
        uint32_t item = find_item(scene, scene_object(scene, i), number);
        if (item == SN_NO_ITEM)
            continue;
        sn_object_label(scene_object(scene, i), item, text, size);
        return scene_object(scene, i);
    }
    snprintf(text, size, "particle[%u]", number);
    return NULL;
}

static const char *label_particle(sn_scene *scene, uint32_t number)
{
    char text[160];
    sn_scene_label(scene, number, text, sizeof text);
    return sn_arena_copy(&scene->arena, text, strlen(text));
}

static bool read_traced_particles(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    sn_selection selection = {0};
    if (!sn_select(scene, reader, value, NULL, &scene->arena, &selection))
        return false;
    for (uint32_t i = 0; i < selection.count; ++i) {
        sn_traced_particle *t = sn_growing_add(&scene->traced_particles, &scene->arena, sizeof *t);
        const char *label = label_particle(scene, selection.number[i]);
        if (!t || !label)
            return sn_reader_fail(reader, "no memory for what to record");
        *t = (sn_traced_particle){label, sn_particle_from_index(scene->world, selection.number[i])};
    }
    return true;
}

/* *place: the index of a range's first constraint among all constraints of that name. */
static bool first_of_range(sn_scene *scene, sn_reader *reader, const char *name, size_t length, sn_constraint first,
                           uint32_t *place)
{
    char *base = sn_arena_copy(&scene->scratch, name, length);
    sn_value value = {.type = SN_VALUE_TEXT, .text = base, .count = (uint32_t)length};
    const sn_constraint *all;
    uint32_t count;
    if (!base)
        return sn_reader_fail(reader, "no memory for what to record");
    if (!sn_select_constraints(scene, reader, &value, &scene->scratch, &count, &all))
        return false;
    for (*place = 0; *place < count; ++*place)
        if (all[*place].index == first.index && all[*place].kind == first.kind)
            break;
    sn_arena_release(&scene->scratch);
    return true;
}

/* Reads the name of constraints to record. If there are many, each gets a label with its index. */
static bool read_traced_name(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    uint32_t count, first = 0;
    const sn_constraint *c;
    if (value->type != SN_VALUE_TEXT)
        return sn_reader_expected(reader, value, "the name of constraints, such as 'rope.links[3]'");
    if (!sn_select_constraints(scene, reader, value, &scene->arena, &count, &c))
        return false;
    size_t base = strcspn(value->text, "[");
    if (count > 1 && value->text[base] && !first_of_range(scene, reader, value->text, base, c[0], &first))
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        char text[280];
        sn_traced_constraint *t = sn_growing_add(&scene->traced_constraints, &scene->arena, sizeof *t);
        if (count > 1)
            snprintf(text, sizeof text, "%.*s[%u]", (int)base, value->text, first + i);
        else
            snprintf(text, sizeof text, "%s", value->text);
        char *label = sn_arena_copy(&scene->arena, text, strlen(text));
        if (!t || !label)
            return sn_reader_fail(reader, "no memory for what to record");
        *t = (sn_traced_constraint){label, c[i]};
    }
    return true;
}

static bool read_traced_heap(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    if (value->type != SN_VALUE_TEXT)
        return sn_reader_expected(reader, value, "the name of an object");
    const sn_object *object = sn_scene_find_object(scene, value->text);
    if (!object)
        return sn_reader_doubts(reader, value->text)
                   ? false
                   : sn_reader_fail(reader, "there is no object '%.80s'", value->text);
    sn_traced_heap *heap = sn_growing_add(&scene->traced_heaps, &scene->arena, sizeof *heap);
    if (!heap)
        return sn_reader_fail(reader, "no memory for what to record");
    *heap = (sn_traced_heap){object->name, object};
    return true;
}

/* Reads a name, or a list of names. */
static bool read_names(sn_scene *scene, sn_reader *reader, const char *key, const sn_value *value, sn_item_fn *read)
{
    if (!value)
        return true;
    size_t length = sn_reader_enter_key(reader, key);
    bool list = value->type == SN_VALUE_LIST && !value->numbers;
    bool good = list ? sn_each_item(scene, reader, value, read) : read(scene, reader, value);
    sn_reader_leave(reader, length);
    return good;
}

static bool read_record(sn_scene *scene, sn_reader *reader, const sn_record_keys *keys)
{
    bool good = true;
    size_t length = sn_reader_enter_key(reader, "record"), inner;
    if (keys->particles) {
        inner = sn_reader_enter_key(reader, "particles");
        good = read_traced_particles(scene, reader, keys->particles);
        sn_reader_leave(reader, inner);
    }
    good = read_names(scene, reader, "forces", keys->forces, read_traced_name) && good;
    good = read_names(scene, reader, "slopes", keys->slopes, read_traced_heap) && good;
    scene->record.every = keys->every;
    sn_reader_leave(reader, length);
    return good;
}

/* ---- The scene --------------------------------------------------------------------------------------------------- */

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

static bool create_world(sn_scene *scene, sn_reader *reader, const sn_scene_keys *keys)
{
    sn_world_def def = sn_default_world_def();
    def.settings = keys->world.settings;
    def.dimensions = keys->world.dimensions;
    def.allocator = scene->options.allocator;
    def.log = scene->options.log;
    def.tasks = scene->options.tasks;
    char message[512];
    if (sn_world_def_check(&def, message, sizeof message) != SN_OK)
        return sn_reader_fail_key(reader, "world", "%s", message);
    if (sn_world_create(&def, &scene->world) != SN_OK)
        return sn_reader_fail(reader, "no memory for a world");
    if (sn_world_set_contact_settings(scene->world, &keys->contact) != SN_OK)
        return sn_reader_fail_key(reader, "contact", "%s", sn_world_error(scene->world));
    scene->info = (sn_scene_info){text_or_empty(keys->title),
                                  text_or_empty(keys->about),
                                  text_or_empty(keys->topic),
                                  keys->run.frames,
                                  keys->run.rate,
                                  keys->run.warm_up};
    scene->start_time = (double)keys->run.time;
    scene->start_frame = keys->run.frame;
    return true;
}

/* Reads a list or record of the document that may be missing. */
static bool read_section(sn_scene *scene, sn_reader *reader, const char *key, const sn_value *value,
                         bool (*read)(sn_scene *, sn_reader *, const sn_value *))
{
    size_t length = sn_reader_enter_key(reader, key);
    bool good = !value || read(scene, reader, value);
    sn_reader_leave(reader, length);
    return good;
}

/* Reads all parts of a scene into a world. good: no error so far. */
static bool read_parts(sn_scene *scene, sn_reader *reader, const sn_scene_keys *keys, bool good)
{
    uint32_t groups = scene->groups.count;
    good = read_section(scene, reader, "groups", keys->groups, sn_scene_read_groups) && good;
    good = read_section(scene, reader, "bodies", keys->bodies, sn_scene_read_fixed) && good;
    good = read_objects(scene, reader, keys) && good;
    if (!read_section(scene, reader, "bodies", keys->bodies, sn_scene_read_bodies)) {
        reader->doubts_numbers = true;
        good = false;
    }
    good = good && sn_scene_take_rest_shapes(scene, reader, groups);
    good = sn_scene_read_drags(scene, reader, &keys->world.drags) && good;
    good = read_section(scene, reader, "constraints", keys->constraints, sn_scene_read_constraints) && good;
    good = read_section(scene, reader, "names", keys->names, sn_scene_read_names) && good;
    good = read_section(scene, reader, "attachments", keys->attachments, sn_scene_read_attachments) && good;
    good = sn_scene_read_program(scene, reader, keys) && good;
    return read_record(scene, reader, &keys->record) && good;
}

/* The dimensions are needed before the world is read: vectors of its settings depend on them. */
static uint32_t dimensions_of(const sn_value *root)
{
    const sn_value *world = sn_value_find(root, "world"), *given = world ? sn_value_find(world, "dimensions") : NULL;
    return given && given->type == SN_VALUE_NUMBER && given->number == 2 ? 2 : 3;
}

static bool read_scene(sn_scene *scene, sn_reader *reader, const sn_value *root)
{
    sn_scene_keys keys;
    reader->dimensions = dimensions_of(root);
    bool good = sn_record_read_one(reader, root, &sn_scene_record, &keys);
    if (root->type != SN_VALUE_RECORD)
        return false;
    if (!good) { /* continue with a default world, so that problems of objects are reported too */
        sn_world_record.defaults(&keys.world);
        sn_contact_record.defaults(&keys.contact);
        keys.world.dimensions = reader->dimensions;
    }
    if (!create_world(scene, reader, &keys)) {
        if (!good || scene->world)
            return false;
        sn_world_record.defaults(&keys.world); /* the settings contradict each other */
        sn_contact_record.defaults(&keys.contact);
        keys.world.dimensions = reader->dimensions;
        good = false;
        if (!create_world(scene, reader, &keys))
            return false;
    }
    return read_parts(scene, reader, &keys, good);
}

static sn_scene *make_scene(const sn_scene_options *options)
{
    sn_arena arena;
    sn_arena_init(&arena, &options->allocator);
    sn_scene *scene = sn_arena_take(&arena, 1, sizeof *scene);
    if (!scene)
        return NULL;
    scene->options = *options;
    scene->arena = arena;
    sn_arena_init(&scene->scratch, &options->allocator);
    return scene;
}

sn_scene *sn_scene_create(const sn_document *document, const sn_scene_options *options, sn_problems *problems)
{
    sn_scene_options defaults = sn_default_scene_options();
    sn_scene *scene = make_scene(options ? options : &defaults);
    if (!scene) {
        sn_problems_add(problems, SN_PROBLEM_ERROR, "", false, "no memory for a scene");
        return NULL;
    }
    sn_reader reader;
    sn_document expanded;
    sn_document_init(&expanded, &scene->options.allocator);
    sn_reader_init(&reader, &scene->arena, problems);
    const sn_value *root = sn_expanded(document, scene->options.memory, &expanded, problems);
    if (!root || !read_scene(scene, &reader, root)) {
        sn_scene_destroy(scene);
        scene = NULL;
    }
    sn_document_release(&expanded);
    return scene;
}

void sn_scene_destroy(sn_scene *scene)
{
    if (!scene)
        return;
    sn_world_destroy(scene->world);
    if (scene->files)
        scene->release_files(scene->files);
    sn_arena_release(&scene->scratch);
    sn_arena arena = scene->arena; /* the scene itself is in the arena */
    sn_arena_release(&arena);
}

/* ---- Adding to a scene ------------------------------------------------------------------------------------------- */

/* Refuses keys that are fixed when a scene is made. */
static bool refuse_settings(sn_reader *reader, const sn_value *root)
{
    static const char *const settled[] = {"sinew", "title", "about", "topic", "world", "run", "contact", "record"};
    bool good = true;
    for (size_t i = 0; i < sizeof settled / sizeof settled[0]; ++i)
        if (sn_value_find(root, settled[i]))
            good =
                sn_reader_fail_key(reader, settled[i], "a scene that is there has it already, and it cannot be added");
    return good;
}

static bool extend(sn_scene *scene, const sn_value *root, sn_problems *problems)
{
    sn_reader reader;
    sn_scene_keys keys;
    sn_reader_init(&reader, &scene->arena, problems);
    reader.dimensions = sn_world_dimensions(scene->world);
    if (!sn_record_read_one(&reader, root, &sn_scene_record, &keys) || !refuse_settings(&reader, root))
        return false;
    keys.record.every = scene->record.every;
    sn_scene_moment *before = sn_scene_mark(scene);
    if (!before)
        return sn_reader_fail(&reader, "no memory to remember how the scene was");
    bool good = read_parts(scene, &reader, &keys, true);
    if (!good && sn_scene_return(scene, before) != SN_OK)
        sn_reader_fail(&reader, "the scene could not be put back as it was: %s", sn_world_error(scene->world));
    sn_scene_moment_destroy(before);
    return good;
}

bool sn_scene_extend(sn_scene *scene, const sn_document *document, sn_problems *problems)
{
    sn_document expanded;
    sn_document_init(&expanded, &scene->options.allocator);
    const sn_value *root = sn_expanded(document, scene->options.memory, &expanded, problems);
    bool good = root && extend(scene, root, problems);
    sn_document_release(&expanded);
    return good;
}

sn_world *sn_scene_world(sn_scene *scene)
{
    return scene->world;
}

sn_scene_info sn_scene_describe(const sn_scene *scene)
{
    return scene->info;
}

const sn_object *sn_scene_object(const sn_scene *scene, uint32_t i)
{
    return scene_object(scene, i);
}

const sn_object *sn_scene_find_object(const sn_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->objects.count; ++i)
        if (strcmp(scene_object(scene, i)->name, name) == 0)
            return scene_object(scene, i);
    return NULL;
}

const sn_scene_fixed *sn_scene_fixed_at(const sn_scene *scene, uint32_t i)
{
    return i < scene->fixed.count ? (const sn_scene_fixed *)scene->fixed.items + i : NULL;
}

sn_result sn_scene_step(sn_scene *scene)
{
    return sn_scene_step_budget(scene, NULL, NULL);
}

sn_result sn_scene_step_budget(sn_scene *scene, sn_budget *budget, sn_certificate *certificate)
{
    double dt = 1 / (double)scene->info.rate;
    sn_result result = SN_OK;
    if (!scene->prepared)
        result = sn_scene_prepare(scene, sn_scene_time(scene), dt);
    if (result == SN_OK)
        result = budget ? sn_world_step_budget(scene->world, (sn_real)dt, budget, certificate)
                        : sn_world_step(scene->world, (sn_real)dt);
    scene->prepared = result == SN_CANCELLED;
    if (result == SN_OK) {
        scene->frame++;
        sn_scene_look_at_triggers(scene); /* before anything changes the world, since contact events are lost then */
        result = sn_scene_move_characters(scene, sn_scene_time(scene), dt);
    }
    if (result != SN_OK)
        snprintf(scene->error, sizeof scene->error, "frame %u: %s", scene->frame + 1, sn_world_error(scene->world));
    return result;
}

uint32_t sn_scene_frame(const sn_scene *scene)
{
    return scene->frame;
}

double sn_scene_time(const sn_scene *scene)
{
    return scene->start_time + ((double)scene->start_frame + scene->frame) / (double)scene->info.rate;
}

sn_trace_list sn_scene_traces(const sn_scene *scene)
{
    return (sn_trace_list){.particle_count = scene->traced_particles.count,
                           .particle = scene->traced_particles.items,
                           .constraint_count = scene->traced_constraints.count,
                           .constraint = scene->traced_constraints.items,
                           .heap_count = scene->traced_heaps.count,
                           .heap = scene->traced_heaps.items,
                           .every = scene->record.every};
}
