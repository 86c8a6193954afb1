/* The engine: memory, texts, files, and calls without a world. */
#include "scene/tables.h"
#include "web/glue/glue.h"

#include <stdlib.h>
#include <string.h>

WEB(web_take) void *web_take(size_t size)
{
    return malloc(size ? size : 1);
}

WEB(web_give) void web_give(void *block)
{
    free(block);
}

WEB(web_version) const char *web_version(void)
{
    return sn_version();
}

WEB(web_engine_create) web_engine *web_engine_create(web_pool *pool)
{
    web_engine *engine = calloc(1, sizeof *engine);
    if (engine)
        engine->pool = pool;
    return engine;
}

/* ---- Texts ------------------------------------------------------------------------------------------------------- */

WEB(web_text) const char *web_text(const web_engine *engine)
{
    return engine->text;
}

WEB(web_text_length) size_t web_text_length(const web_engine *engine)
{
    return engine->length;
}

bool web_answer(web_engine *engine, const sn_value *value, bool for_people)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    bool good = file && value && (for_people ? sn_json_write(file, value) : sn_json_write_line(file, value));
    if (file)
        good = fclose(file) == 0 && good;
    if (!good) {
        free(text);
        text = NULL;
        length = 0;
    }
    free(engine->text);
    engine->text = text;
    engine->length = length;
    return good;
}

bool web_answer_problems(web_engine *engine, const sn_loaded *loaded, const sn_problems *problems, const char *name)
{
    static const char *const severity[] = {"error", "warning", "note"};
    sn_document d;
    sn_document_init(&d, NULL);
    sn_value *list = sn_document_list(&d, NULL, NULL);
    for (const sn_problem *problem = problems->first; problem; problem = problem->next) {
        sn_place place = loaded ? sn_loaded_place(loaded, problem) : (sn_place){0, 0};
        char where[32] = "";
        if (place.line)
            snprintf(where, sizeof where, "%u:%u:", (unsigned)place.line, (unsigned)place.column);
        size_t size = strlen(name) + strlen(problem->path) + strlen(problem->text) + 80;
        char *text = sn_arena_take(&d.arena, size, 1);
        if (text)
            snprintf(text, size, "%s:%s %s: %s%s%s", name, where, severity[problem->severity], problem->path,
                     problem->path[0] ? ": " : "", problem->text);
        sn_value *record = sn_document_record(&d, list, NULL);
        sn_document_text(&d, record, "severity", severity[problem->severity]);
        sn_document_text(&d, record, "path", problem->path);
        sn_document_number(&d, record, "line", place.line);
        sn_document_number(&d, record, "column", place.column);
        sn_document_text(&d, record, "message", problem->text);
        sn_document_text(&d, record, "text", text ? text : "");
    }
    bool good = !d.failed && web_answer(engine, d.root, false);
    sn_document_release(&d);
    return good;
}

void *web_array_take(web_array *array, size_t count)
{
    if (count > array->capacity || !array->data) {
        size_t capacity = count + count / 4 + 1;
        void *data = malloc(capacity * 4);
        if (!data)
            return NULL;
        free(array->data);
        array->data = data;
        array->capacity = capacity;
    }
    array->count = count;
    return array->data;
}

/* ---- Files that a scene may name --------------------------------------------------------------------------------- */

/* Takes ownership of name and bytes, both from web_take. False when memory runs out. */
WEB(web_file_add) bool web_file_add(web_engine *engine, char *name, char *bytes, size_t size)
{
    web_file *file = malloc(sizeof *file);
    if (!file)
        return false;
    *file = (web_file){name, bytes, size, engine->files};
    engine->files = file;
    return true;
}

WEB(web_files_clear) void web_files_clear(web_engine *engine)
{
    for (web_file *file = engine->files, *next; file; file = next) {
        next = file->next;
        free(file->name);
        free(file->bytes);
        free(file);
    }
    engine->files = NULL;
}

/* ---- Tables: kinds, names of settings, types of objects, all at once --------------------------------------------- */

static void tell_params(sn_document *d, sn_value *record, const char *key, const sn_param *param)
{
    sn_value *list = sn_document_list(d, record, key);
    for (; param->name; ++param) {
        sn_value *one = sn_document_record(d, list, NULL);
        sn_document_text(d, one, "name", param->name);
        sn_document_text(d, one, "unit", param->unit ? param->unit : "");
        sn_document_number(d, one, "numbers", param->type == SN_PARAM_REAL ? 1 : 3);
        if (param->has_default)
            sn_document_number(d, one, "default", (double)param->default_value);
        else
            sn_document_null(d, one, "default");
        sn_document_number(d, one, "least", (double)param->least);
        sn_document_number(d, one, "most", (double)param->most);
    }
}

static void tell_kinds(sn_document *d, sn_value *list)
{
    for (uint32_t i = 1; i < sn_kind_count(NULL); ++i) {
        const sn_kind *kind = sn_kind_info(NULL, i);
        sn_value *record = sn_document_record(d, list, NULL);
        sn_document_text(d, record, "name", kind->name);
        sn_document_text(d, record, "about", kind->about ? kind->about : "");
        sn_document_text(d, record, "formula", kind->formula ? kind->formula : "");
        sn_document_text(d, record, "unit", kind->unit ? kind->unit : "m");
        sn_document_number(d, record, "points", kind->points);
        sn_document_number(d, record, "rows", kind->rows);
        tell_params(d, record, "params", kind->param);
    }
}

static void tell_choices(sn_document *d, sn_value *root, const char *key, const sn_choices *choices)
{
    sn_value *list = sn_document_list(d, root, key);
    for (uint32_t i = 0; i < choices->count; ++i)
        sn_document_text(d, list, NULL, choices->name[i]);
}

WEB(web_tables) bool web_tables(web_engine *engine)
{
    sn_document d;
    sn_document_init(&d, NULL);
    sn_value *root = sn_document_record(&d, NULL, NULL);
    tell_choices(&d, root, "solvers", &sn_solver_choices);
    tell_choices(&d, root, "integrators", &sn_integrator_choices);
    tell_choices(&d, root, "orders", &sn_order_choices);
    tell_choices(&d, root, "gradients", &sn_gradients_choices);
    tell_kinds(&d, sn_document_list(&d, root, "kinds"));
    sn_value *types = sn_document_list(&d, root, "objectTypes");
    for (uint32_t i = 0; i < sn_object_type_count(); ++i) {
        sn_value *type = sn_document_record(&d, types, NULL);
        sn_document_text(&d, type, "name", sn_object_type_at(i)->name);
        sn_document_text(&d, type, "about", sn_object_type_at(i)->about);
    }
    bool good = !d.failed && web_answer(engine, d.root, false);
    sn_document_release(&d);
    return good;
}

WEB(web_schema) bool web_schema(web_engine *engine)
{
    sn_document d;
    sn_document_init(&d, NULL);
    bool good = sn_scene_schema(&d) && web_answer(engine, d.root, false);
    sn_document_release(&d);
    return good;
}
