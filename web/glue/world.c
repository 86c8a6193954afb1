/* Worlds, each with the scene from which it is made: making, settings, running, returning to a moment. */
#include "scene/tables.h"
#include "web/glue/glue.h"

#include <stdlib.h>
#include <string.h>

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static bool read_file(void *context, const char *name, sn_arena *arena, const void **bytes, size_t *size, char *message,
                      size_t message_size)
{
    const web_engine *engine = context;
    for (const web_file *file = engine->files; file; file = file->next) {
        if (strcmp(file->name, name) != 0)
            continue;
        *size = file->size;
        *bytes = sn_arena_copy(arena, file->bytes, file->size);
        if (!*bytes)
            snprintf(message, message_size, "no memory for it");
        return *bytes != NULL;
    }
    snprintf(message, message_size, "it is not among the files that were given");
    return false;
}

/* Adds warnings of the world, such as of a spring that is too stiff for a substep, to the problems of the scene. */
static void note_warning(void *context, sn_log_level level, const char *text)
{
    web_world *w = context;
    if (level == SN_LOG_WARNING)
        sn_problems_add(&w->loaded.problems, SN_PROBLEM_WARNING, "", false, "%s", text);
}

WEB(web_world_destroy) void web_world_destroy(web_world *w)
{
    sn_loaded_release(&w->loaded);
    for (int i = 0; i < WEB_ARRAY_COUNT; ++i)
        free(w->array[i].data);
    free(w->name);
    free(w);
}

/* Makes the scene of a text. Takes ownership of name, which is from web_take. NULL on failure. In either case the
   result text is the list of problems. */
WEB(web_scene_load)
web_world *web_scene_load(web_engine *engine, char *name, const char *text, size_t length, uint32_t set_count,
                          const char *const *sets)
{
    web_world *w = calloc(1, sizeof *w);
    if (!w) {
        free(name);
        return NULL;
    }
    w->engine = engine;
    w->name = name;
    sn_load_options options = sn_default_load_options();
    options.scene.tasks = web_pool_tasks(engine->pool);
    options.scene.log = (sn_log){note_warning, w};
    options.scene.read_file = read_file;
    options.scene.read_file_context = engine;
    options.scene.memory = (uint64_t)2 << 30;
    options.set_count = set_count;
    options.sets = sets;
    bool made = sn_scene_load_text(name, text, length, &options, &w->loaded);
    bool told = web_answer_problems(engine, &w->loaded, &w->loaded.problems, name);
    if (!made || !told) {
        web_world_destroy(w);
        return NULL;
    }
    sn_document_release(&w->loaded.document);
    w->scene = w->loaded.scene;
    w->world = sn_scene_world(w->scene);
    return w;
}

/* The result is the list of problems so far, including those from running. */
WEB(web_problems) bool web_problems(web_world *w)
{
    return web_answer_problems(w->engine, &w->loaded, &w->loaded.problems, w->name);
}

/* Reads a text that the package itself has written into a document; false, with the problems as the result. */
static bool read_document(web_world *w, const char *text, size_t length, sn_document *d, sn_problems *problems)
{
    char message[512] = "";
    sn_document_init(d, NULL);
    sn_problems_init(problems, NULL);
    if (sn_json_read(d, text, length, NULL, message, sizeof message))
        return true;
    sn_problems_add(problems, SN_PROBLEM_ERROR, "", false, "%s", message);
    web_answer_problems(w->engine, NULL, problems, w->name);
    return false;
}

static void let_go(sn_document *d, sn_problems *problems)
{
    sn_document_release(d);
    sn_problems_release(problems);
}

/* Adds the content of a document to the scene. The result is the list of problems. */
WEB(web_extend) bool web_extend(web_world *w, const char *text, size_t length)
{
    sn_document d;
    sn_problems problems;
    bool good = read_document(w, text, length, &d, &problems);
    if (good) {
        good = sn_scene_extend(w->scene, &d, &problems);
        good = web_answer_problems(w->engine, NULL, &problems, w->name) && good;
    }
    let_go(&d, &problems);
    return good;
}

/* Removes an object or a body by name. */
WEB(web_remove) sn_result web_remove(web_world *w, const char *name)
{
    return sn_scene_remove(w->scene, name);
}

WEB(web_breeze) sn_result web_breeze(web_world *w, double x, double y, double z)
{
    return sn_scene_set_breeze(w->scene, (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z});
}

WEB(web_friction) sn_result web_friction(web_world *w, double friction)
{
    return sn_scene_set_friction(w->scene, (sn_real)friction);
}

/* ---- Settings, from the table of the scene format ---------------------------------------------------------------- */

static void tell_setting(sn_document *d, sn_value *record, const sn_key *key, const void *at)
{
    const sn_real *real = at;
    double numbers[3];
    uint32_t number;
    switch (key->type) {
    case SN_KEY_REAL:
        sn_document_number(d, record, key->name, (double)*real);
        break;
    case SN_KEY_COUNT:
        sn_document_number(d, record, key->name, *(const uint32_t *)at);
        break;
    case SN_KEY_TRUTH:
        sn_document_truth(d, record, key->name, *(const bool *)at);
        break;
    case SN_KEY_CHOICE:
        memcpy(&number, at, sizeof number);
        sn_document_text(d, record, key->name, ((const sn_choices *)key->of)->name[number]);
        break;
    case SN_KEY_VECTOR:
        for (int i = 0; i < 3; ++i)
            numbers[i] = (double)real[i];
        sn_document_numbers(d, record, key->name, 3, numbers, NULL);
        break;
    default: /* drags are not settings here */
        break;
    }
}

static void tell_settings(web_world *w, sn_document *d)
{
    sn_world_keys keys;
    sn_world_record.defaults(&keys);
    keys.settings = sn_world_settings(w->world);
    keys.dimensions = sn_world_dimensions(w->world);
    sn_value *record = sn_document_record(d, NULL, NULL);
    for (const sn_key *key = sn_world_record.keys; key->name; ++key)
        tell_setting(d, record, key, (const char *)&keys + key->offset);
}

WEB(web_settings) bool web_settings(web_world *w)
{
    sn_document d;
    sn_document_init(&d, NULL);
    tell_settings(w, &d);
    bool good = !d.failed && web_answer(w->engine, d.root, false);
    sn_document_release(&d);
    return good;
}

/* Overwrites the present settings with those that were given. */
static bool merge(sn_document *into, const sn_document *given, sn_problems *problems)
{
    char message[512];
    if (given->root->type != SN_VALUE_RECORD) {
        sn_problems_add(problems, SN_PROBLEM_ERROR, "", false, "expected a record of settings");
        return false;
    }
    for (const sn_value *value = given->root->first; value; value = value->next) {
        char path[SN_PATH_KEY_SIZE] = "";
        sn_path_key(path, sizeof path, value->key);
        if (strcmp(value->key, "drags") == 0) {
            sn_problems_add(problems, SN_PROBLEM_ERROR, path, true, "drags are made with the world");
            return false;
        }
        if (!sn_document_set(into, path, value, message, sizeof message)) {
            sn_problems_add(problems, SN_PROBLEM_ERROR, path, true, "%s", message);
            return false;
        }
    }
    return true;
}

static bool configure(web_world *w, const sn_document *given, sn_problems *problems)
{
    sn_document d;
    sn_document_init(&d, NULL);
    tell_settings(w, &d);
    sn_world_keys keys;
    sn_reader reader;
    sn_reader_init(&reader, &d.arena, problems);
    bool good = !d.failed && merge(&d, given, problems) && sn_record_read_one(&reader, d.root, &sn_world_record, &keys);
    if (good && keys.dimensions != sn_world_dimensions(w->world))
        good = sn_reader_fail_key(&reader, "dimensions", "a world keeps the dimensions that it was made with");
    if (good) {
        keys.settings.profile = sn_world_settings(w->world).profile;
        if (sn_world_configure(w->world, &keys.settings) != SN_OK)
            good = sn_reader_fail(&reader, "%s", sn_world_error(w->world));
    }
    sn_document_release(&d);
    return good;
}

/* Changes the settings that a text names. The result is the list of problems. */
WEB(web_configure) bool web_configure(web_world *w, const char *text, size_t length)
{
    sn_document d;
    sn_problems problems;
    bool good = read_document(w, text, length, &d, &problems);
    if (good) {
        good = configure(w, &d, &problems);
        good = web_answer_problems(w->engine, NULL, &problems, w->name) && good;
    }
    let_go(&d, &problems);
    return good;
}

WEB(web_profile) void web_profile(web_world *w, bool on)
{
    sn_settings settings = sn_world_settings(w->world);
    settings.profile = on;
    sn_world_configure(w->world, &settings);
}

WEB(web_profiled) bool web_profiled(web_world *w)
{
    return sn_world_settings(w->world).profile;
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

WEB(web_step) sn_result web_step(web_world *w, double dt)
{
    return sn_world_step(w->world, (sn_real)dt);
}

WEB(web_frame) sn_result web_frame(web_world *w)
{
    return sn_scene_step(w->scene);
}

WEB(web_frames) uint32_t web_frames(web_world *w)
{
    return sn_scene_frame(w->scene);
}

WEB(web_time) double web_time(web_world *w)
{
    return sn_world_time(w->world);
}

WEB(web_hash) uint64_t web_hash(web_world *w)
{
    return sn_world_hash(w->world);
}

WEB(web_error) const char *web_error(web_world *w)
{
    return sn_world_error(w->world);
}

WEB(web_reverse) sn_result web_reverse(web_world *w)
{
    return sn_world_reverse(w->world);
}

/* in: dt, steps, displacement, patience; NaN leaves the default. out: rested, steps, displacement, speed, residual. */
WEB(web_relax) sn_result web_relax(web_world *w, const double *in, double *out)
{
    sn_relax_def def = sn_default_relax_def();
    sn_relax_info info = {0};
    def.dt = isnan(in[0]) ? def.dt : (sn_real)in[0];
    def.steps = isnan(in[1]) ? def.steps : (uint32_t)in[1];
    def.displacement = isnan(in[2]) ? def.displacement : (sn_real)in[2];
    def.patience = isnan(in[3]) ? def.patience : (sn_real)in[3];
    sn_result result = sn_world_relax(w->world, &def, &info);
    out[0] = info.rested;
    out[1] = info.steps;
    out[2] = info.displacement;
    out[3] = info.speed;
    out[4] = info.residual;
    return result;
}

/* ---- Returning to a moment --------------------------------------------------------------------------------------- */

WEB(web_mark) sn_scene_moment *web_mark(web_world *w)
{
    return sn_scene_mark(w->scene);
}

WEB(web_mark_again) sn_result web_mark_again(web_world *w, sn_scene_moment *moment)
{
    return sn_scene_mark_again(w->scene, moment);
}

WEB(web_return) sn_result web_return(web_world *w, const sn_scene_moment *moment)
{
    return sn_scene_return(w->scene, moment);
}

WEB(web_moment_time) double web_moment_time(const sn_scene_moment *moment)
{
    return sn_scene_moment_time(moment);
}

WEB(web_moment_size) size_t web_moment_size(const sn_scene_moment *moment)
{
    return sn_scene_moment_size(moment);
}

WEB(web_moment_destroy) void web_moment_destroy(sn_scene_moment *moment)
{
    sn_scene_moment_destroy(moment);
}

/* The result is the present scene as indented text; if it cannot be saved, the reason. */
WEB(web_save) bool web_save(web_world *w)
{
    sn_document d;
    char message[512] = "out of memory";
    sn_document_init(&d, NULL);
    bool good = sn_scene_save(w->scene, &d, message, sizeof message) && web_answer(w->engine, d.root, true);
    sn_document_release(&d);
    if (!good) {
        sn_document_init(&d, NULL);
        sn_document_text(&d, NULL, NULL, message);
        web_answer(w->engine, d.root, false);
        sn_document_release(&d);
    }
    return good;
}
