/* sinew/scene.h: the calls for programs, made of documents, problems and the loader. */
#include "scene/folder.h"
#include "scene/load.h"
#include "scene/objects/balloon.h"
#include "scene/objects/block.h"
#include "scene/objects/body_chain.h"
#include "scene/objects/box.h"
#include "scene/objects/bridge.h"
#include "scene/objects/chain.h"
#include "scene/objects/cloth.h"
#include "scene/objects/figure.h"
#include "scene/objects/container.h"
#include "scene/objects/grains.h"
#include "scene/objects/jelly.h"
#include "scene/objects/lattice.h"
#include "scene/objects/net.h"
#include "scene/objects/pendulum.h"
#include "scene/objects/pile.h"
#include "scene/objects/ragdoll.h"
#include "scene/objects/rope.h"
#include "scene/objects/wall.h"
#include "scene/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sn_scene_def sn_default_scene_def(void)
{
    return (sn_scene_def){.memory = sn_default_scene_options().memory, .rate = 60};
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static void begin_message(char *message, size_t size)
{
    if (message && size)
        message[0] = 0;
}

/* Writes all problems, a line each. Lines that do not fit are left out; the first is cut instead. */
static void tell_all(const sn_loaded *loaded, char *message, size_t size)
{
    size_t used = 0;
    begin_message(message, size);
    for (const sn_problem *p = loaded->problems.first; p && message && used < size; p = p->next) {
        size_t length = sn_loaded_tell(loaded, p, message + used, size - used);
        if (length >= size - used) {
            message[used ? used : sn_utf8_cut(message, size - 1)] = 0;
            return;
        }
        used += length;
    }
}

/* Stores the errors of a call, a line each, for sn_scene_error. */
static void keep_error(sn_scene *scene, const sn_problems *problems)
{
    size_t used = 0, size = sizeof scene->error;
    scene->error[0] = 0;
    if (problems->out_of_memory)
        used = (size_t)snprintf(scene->error, size, "no memory");
    for (const sn_problem *p = problems->first; p && used < size - 1; p = p->next)
        if (p->severity == SN_PROBLEM_ERROR) {
            int length = snprintf(scene->error + used, size - used, "%s%s%s%s", used ? "\n" : "", p->path,
                                  p->path[0] ? ": " : "", p->text);
            used += length > 0 ? (size_t)length : 0;
        }
    scene->error[sn_utf8_cut(scene->error, strlen(scene->error))] = 0;
}

static sn_result refuse(sn_scene *scene, sn_result result, const char *why)
{
    snprintf(scene->error, sizeof scene->error, "%s", why);
    return result;
}

const char *sn_scene_error(const sn_scene *scene)
{
    return scene ? scene->error : "";
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static sn_load_options options_of(const sn_scene_def *def)
{
    sn_load_options o = sn_default_load_options();
    o.scene.allocator = def->allocator;
    o.scene.log = def->log;
    o.scene.tasks = def->tasks;
    o.scene.memory = def->memory;
    o.read_anywhere = def->read_anywhere;
    o.set_count = def->set_count;
    o.sets = def->set;
    return o;
}

/* Passes ownership of the loaded scene to the caller. */
static sn_result hand_over(sn_loaded *loaded, const sn_scene_def *def, sn_scene **scene, char *message, size_t size)
{
    sn_result result = loaded->scene ? SN_OK : loaded->problems.out_of_memory ? SN_ERROR_MEMORY : SN_ERROR_ARGUMENT;
    tell_all(loaded, message, size);
    if (loaded->scene && !def->tasks.run && def->threads) {
        result = sn_world_set_threads(sn_scene_world(loaded->scene), def->threads);
        if (result != SN_OK && message)
            snprintf(message, size, "%s\n", sn_world_error(sn_scene_world(loaded->scene)));
    }
    if (result == SN_OK) {
        *scene = loaded->scene;
        (*scene)->files = loaded->files;
        (*scene)->release_files = loaded->release_files;
        loaded->scene = NULL;
        loaded->files = NULL;
    }
    sn_loaded_release(loaded);
    return result;
}

sn_result sn_scene_open(const char *path, const sn_scene_def *def, sn_scene **scene, char *message, size_t size)
{
    sn_scene_def defaults = sn_default_scene_def();
    sn_loaded loaded;
    begin_message(message, size);
    if (!scene || !path)
        return SN_ERROR_ARGUMENT;
    *scene = NULL;
    def = def ? def : &defaults;
    sn_load_options options = options_of(def);
    sn_scene_load(path, &options, &loaded);
    return hand_over(&loaded, def, scene, message, size);
}

/* An empty scene has no file; it reads meshes from the folder of its definition. */
static struct sn_scene_files *open_folder(const sn_scene_def *def, sn_scene_options *options)
{
    const char *folder = def->folder ? def->folder : ".";
    char *path = malloc(strlen(folder) + 2);
    if (!path)
        return NULL;
    snprintf(path, strlen(folder) + 2, "%s/", folder);
    struct sn_scene_files *files = sn_scene_files_open(path, def->read_anywhere, options);
    free(path);
    return files;
}

sn_result sn_scene_open_text(const char *name, const char *text, size_t length, const sn_scene_def *def,
                             sn_scene **scene, char *message, size_t size)
{
    sn_scene_def defaults = sn_default_scene_def();
    sn_loaded loaded;
    begin_message(message, size);
    if (!scene || !text || !name)
        return SN_ERROR_ARGUMENT;
    *scene = NULL;
    def = def ? def : &defaults;
    sn_load_options options = options_of(def);
    struct sn_scene_files *files = open_folder(def, &options.scene);
    if (!files) {
        if (message)
            snprintf(message, size, "no memory for a scene\n");
        return SN_ERROR_MEMORY;
    }
    sn_scene_load_text(name, text, length == SIZE_MAX ? strlen(text) : length, &options, &loaded);
    loaded.files = files;
    loaded.release_files = sn_scene_files_release;
    return hand_over(&loaded, def, scene, message, size);
}

sn_result sn_scene_create_empty(const sn_scene_def *given, const sn_world_def *world, sn_scene **scene, char *message,
                                size_t size)
{
    sn_world_def standard = sn_default_world_def();
    sn_scene_def def = given ? *given : sn_default_scene_def();
    world = world ? world : &standard;
    begin_message(message, size);
    if (!scene)
        return SN_ERROR_ARGUMENT;
    *scene = NULL;
    sn_result result = sn_world_def_check(world, message, size);
    if (result != SN_OK)
        return result;
    if (!(def.rate > 0 && def.rate <= 1e6f)) {
        if (message)
            snprintf(message, size, "rate is %g, expected more than 0 and at most 1e6 frames a second",
                     (double)def.rate);
        return SN_ERROR_ARGUMENT;
    }
    def.allocator = world->allocator;
    def.log = world->log;
    def.tasks = world->tasks;
    def.threads = 0;
    def.set_count = 0;
    result = sn_scene_open_text("scene", "{}", 2, &def, scene, message, size);
    if (result != SN_OK)
        return result;
    sn_world_destroy((*scene)->world);
    result = sn_world_create(world, &(*scene)->world);
    (*scene)->info.rate = def.rate;
    if (result == SN_OK)
        return SN_OK;
    if (message)
        snprintf(message, size, "the world cannot be made: no memory");
    sn_scene_destroy(*scene);
    *scene = NULL;
    return result;
}

sn_result sn_scene_extend_text(sn_scene *scene, const char *name, const char *text, size_t length)
{
    if (!scene)
        return SN_ERROR_ARGUMENT;
    if (!name || !text)
        return refuse(scene, SN_ERROR_ARGUMENT, "the text, or its name, is NULL");
    char message[512] = "";
    sn_load_options options = sn_default_load_options();
    sn_loaded loaded;
    length = length == SIZE_MAX ? strlen(text) : length;
    options.scene.allocator = scene->options.allocator;
    sn_loaded_begin(&loaded, name, &options);
    loaded.text = malloc(length + 1);
    loaded.length = length;
    bool good = loaded.text != NULL;
    if (good) {
        memcpy(loaded.text, text, length);
        loaded.text[length] = 0;
        good = sn_json_read(&loaded.document, loaded.text, length, &loaded.syntax, message, sizeof message);
        if (!good)
            sn_problems_add(&loaded.problems, SN_PROBLEM_ERROR, "", false, "%s", message);
        else
            loaded.syntax = (sn_place){0, 0};
    }
    good = good && sn_scene_extend(scene, &loaded.document, &loaded.problems);
    sn_result result = good ? SN_OK : loaded.text ? SN_ERROR_ARGUMENT : SN_ERROR_MEMORY;
    if (!good) {
        tell_all(&loaded, scene->error, sizeof scene->error);
        size_t end = strlen(scene->error);
        if (end && scene->error[end - 1] == '\n')
            scene->error[end - 1] = 0;
        if (!loaded.text)
            refuse(scene, result, "no memory for a text");
    }
    sn_loaded_release(&loaded);
    return result;
}

sn_result sn_scene_save_file(sn_scene *scene, const char *path)
{
    if (!scene)
        return SN_ERROR_ARGUMENT;
    if (!path)
        return refuse(scene, SN_ERROR_ARGUMENT, "the path is NULL");
    char message[512] = "no memory for a document";
    sn_document document;
    sn_document_init(&document, &scene->options.allocator);
    bool good = sn_scene_save(scene, &document, message, sizeof message);
    if (good) {
        FILE *file = fopen(path, "w");
        good = file != NULL;
        if (file) {
            good = sn_json_write(file, document.root);
            good = fclose(file) == 0 && good;
        }
        if (!good)
            snprintf(message, sizeof message, "%.400s: it could not be written", path);
    }
    sn_document_release(&document);
    return good ? SN_OK : refuse(scene, SN_ERROR_ARGUMENT, message);
}

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

sn_object_info sn_object_describe(const sn_object *o)
{
    if (!o)
        return (sn_object_info){.name = "", .type = ""};
    return (sn_object_info){.name = o->name,
                            .type = o->type,
                            .group = o->group,
                            .particles = o->run,
                            .body_count = o->body_count,
                            .triangle_count = o->triangle_count,
                            .triangles = o->triangle,
                            .line_count = o->line_count,
                            .lines = o->line,
                            .skin = o->skin};
}

sn_body sn_object_nth_body(const sn_object *object, uint32_t i)
{
    return object && i < object->body_count ? object->body[i].handle : (sn_body){0, 0};
}

static const sn_object *add(sn_scene *scene, const sn_object_type *type, const sn_object_def *def, const void *own)
{
    sn_object_def standard = sn_default_object_def();
    sn_problems problems;
    if (!scene)
        return NULL;
    sn_problems_init(&problems, NULL);
    const sn_object *object = sn_scene_add(scene, type, def ? def : &standard, own, &problems);
    if (!object)
        keep_error(scene, &problems);
    sn_problems_release(&problems);
    return object;
}

#define ADD(type)                                                                                                      \
    const sn_object *sn_scene_add_##type(sn_scene *scene, const sn_object_def *def, const sn_##type##_def *own)        \
    {                                                                                                                  \
        sn_##type##_def standard = sn_default_##type##_def();                                                          \
        return add(scene, &sn_object_##type, def, own ? own : &standard);                                              \
    }

ADD(grains)
ADD(container)
ADD(rope)
ADD(chain)
ADD(net)
ADD(pendulum)
ADD(box)
ADD(cloth)
ADD(lattice)
ADD(block)
ADD(balloon)
ADD(figure)
ADD(jelly)
ADD(body_chain)
ADD(bridge)
ADD(wall)
ADD(pile)
ADD(ragdoll)

/* ---- Selectors --------------------------------------------------------------------------------------------------- */

/* A selector text as a value: a name, or JSON. */
typedef struct selector {
    sn_problems problems;
    sn_document document;
    sn_reader reader;
    sn_value text;
    const sn_value *value;
} selector;

static bool begin_selector(sn_scene *scene, const char *text, selector *s)
{
    char message[256] = "";
    sn_place place;
    *s = (selector){.value = NULL};
    if (!scene)
        return false;
    sn_problems_init(&s->problems, NULL);
    sn_document_init(&s->document, &scene->options.allocator);
    sn_reader_init(&s->reader, &scene->scratch, &s->problems);
    s->reader.dimensions = sn_world_dimensions(scene->world);
    if (!text) {
        sn_reader_fail(&s->reader, "the selector is NULL");
    } else if (text[0] == '{' || text[0] == '[') {
        if (sn_json_read(&s->document, text, strlen(text), &place, message, sizeof message))
            s->value = s->document.root;
        else
            sn_reader_fail(&s->reader, "the selector is no JSON, at column %u: %s", place.column, message);
    } else {
        s->text = (sn_value){.type = SN_VALUE_TEXT, .text = text, .count = (uint32_t)strlen(text)};
        s->value = &s->text;
    }
    return s->value != NULL;
}

/* Returns `good`, false also if problems were found. */
static bool end_selector(sn_scene *scene, selector *s, bool good)
{
    if (!scene)
        return false;
    if (!good)
        keep_error(scene, &s->problems);
    sn_arena_release(&scene->scratch);
    sn_document_release(&s->document);
    sn_problems_release(&s->problems);
    return good;
}

uint32_t sn_scene_select(sn_scene *scene, const char *text, uint32_t capacity, sn_particle *particles)
{
    selector s;
    sn_selection of = {0};
    bool good = begin_selector(scene, text, &s) && sn_select(scene, &s.reader, s.value, NULL, &scene->scratch, &of);
    for (uint32_t i = 0; good && particles && i < of.count && i < capacity; ++i)
        particles[i] = sn_particle_from_index(scene->world, of.number[i]);
    return end_selector(scene, &s, good) ? of.count : 0;
}

sn_point sn_scene_find_point(sn_scene *scene, const char *text)
{
    selector s;
    sn_point point = {0};
    bool good = begin_selector(scene, text, &s) && sn_select_point(scene, &s.reader, s.value, &point);
    return end_selector(scene, &s, good) ? point : (sn_point){0};
}

sn_particle sn_scene_find_particle(sn_scene *scene, const char *text)
{
    sn_point point = sn_scene_find_point(scene, text);
    if (point.type == SN_POINT_PARTICLES && point.count == 1)
        return point.particle[0];
    if (scene && (point.count || point.type != SN_POINT_PARTICLES))
        refuse(scene, SN_ERROR_ARGUMENT, "this is a place, expected a particle");
    return (sn_particle){0, 0};
}

sn_body sn_scene_find_body(sn_scene *scene, const char *text)
{
    selector s;
    sn_body body = {0, 0};
    bool good = begin_selector(scene, text, &s) && sn_select_body(scene, &s.reader, s.value, &body);
    return end_selector(scene, &s, good) ? body : (sn_body){0, 0};
}

sn_constraint sn_scene_find_constraint(sn_scene *scene, const char *text)
{
    selector s;
    uint32_t count = 0;
    const sn_constraint *list = NULL;
    sn_constraint found = {0};
    bool good = begin_selector(scene, text, &s) &&
                sn_select_constraints(scene, &s.reader, s.value, &scene->scratch, &count, &list) &&
                (count == 1 || sn_reader_fail(&s.reader, "this names %u constraints, expected one", count));
    if (good)
        found = list[0];
    return end_selector(scene, &s, good) ? found : (sn_constraint){0};
}

static sn_result hold(sn_scene *scene, const char *text, bool (*act)(sn_scene *, uint32_t, const uint32_t *))
{
    selector s;
    sn_selection of = {0};
    sn_arena own;
    if (!scene)
        return SN_ERROR_ARGUMENT;
    sn_arena_init(&own, &scene->options.allocator); /* removing uses the scratch of the scene */
    bool good = begin_selector(scene, text, &s) && sn_select(scene, &s.reader, s.value, NULL, &own, &of);
    good = end_selector(scene, &s, good);
    sn_result result = SN_ERROR_ARGUMENT;
    if (good)
        result = act(scene, of.count, of.number) ? SN_OK : refuse(scene, SN_ERROR_MEMORY, "no memory for pins");
    sn_arena_release(&own);
    return result;
}

sn_result sn_scene_pin_selected(sn_scene *scene, const char *text)
{
    return hold(scene, text, sn_scene_pin);
}

sn_result sn_scene_release_selected(sn_scene *scene, const char *text)
{
    return hold(scene, text, sn_scene_release);
}

sn_result sn_scene_cut(sn_scene *scene, const char *text)
{
    selector s;
    uint32_t count = 0;
    const sn_constraint *list = NULL;
    bool good = begin_selector(scene, text, &s) &&
                sn_select_constraints(scene, &s.reader, s.value, &scene->scratch, &count, &list);
    sn_result result = good ? SN_OK : SN_ERROR_ARGUMENT;
    for (uint32_t i = 0; good && i < count && result == SN_OK; ++i)
        if (sn_constraint_is_valid(scene->world, list[i]))
            result = sn_constraint_remove(scene->world, list[i]);
    end_selector(scene, &s, good);
    if (good && result != SN_OK)
        refuse(scene, result, sn_world_error(scene->world));
    return result;
}

/* ---- Meshes ------------------------------------------------------------------------------------------------------ */

struct sn_mesh_file {
    sn_arena arena;
    sn_mesh mesh;
};

#define MOST_MESH_BYTES ((uint64_t)1 << 30)

sn_result sn_mesh_file_open(const char *path, sn_real weld, sn_mesh_file **file, char *message, size_t size)
{
    char why[512] = "no memory";
    size_t length = 0;
    begin_message(message, size);
    if (!path || !file)
        return SN_ERROR_ARGUMENT;
    *file = NULL;
    char *bytes = sn_read_path(path, false, MOST_MESH_BYTES, &length, why, sizeof why);
    sn_mesh_file *made = bytes ? calloc(1, sizeof *made) : NULL;
    bool good = made != NULL;
    if (good) {
        sn_arena_init(&made->arena, NULL);
        good = sn_mesh_read(&made->arena, bytes, length, &made->mesh, NULL, why, sizeof why);
        if (good && weld >= 0 && !sn_mesh_weld(&made->arena, &made->mesh, weld, true, NULL)) {
            snprintf(why, sizeof why, "no memory to weld it");
            good = false;
        }
    }
    free(bytes);
    if (good) {
        *file = made;
        return SN_OK;
    }
    if (message)
        snprintf(message, size, "%s: %s", path, why);
    sn_mesh_file_destroy(made);
    return SN_ERROR_ARGUMENT;
}

const sn_mesh *sn_mesh_file_mesh(const sn_mesh_file *file)
{
    return file ? &file->mesh : NULL;
}

void sn_mesh_file_destroy(sn_mesh_file *file)
{
    if (file)
        sn_arena_release(&file->arena);
    free(file);
}
