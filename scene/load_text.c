/* From the text of a scene to the scene; files are for load.c. */
#include "scene/load.h"

#include <stdlib.h>
#include <string.h>

sn_load_options sn_default_load_options(void)
{
    return (sn_load_options){.scene = sn_default_scene_options()};
}

/* ---- Changes --------------------------------------------------------------------------------------------------------------- */

/* Where the path of a change ends: the first = that is not inside of a quoted key, as in materials["a=b"].bend=3. */
static const char *find_equals(const char *set)
{
    bool quoted = false;
    for (; *set; ++set) {
        if (*set == '"')
            quoted = !quoted;
        else if (quoted && *set == '\\' && set[1])
            ++set;
        else if (*set == '=' && !quoted)
            return set;
    }
    return NULL;
}

/* A change of the form path=value. */
static bool apply_set(sn_loaded *loaded, const char *set)
{
    char message[512] = "no memory";
    const char *equals = find_equals(set);
    sn_document value;
    if (!equals || equals == set) {
        sn_problems_add(&loaded->problems, SN_PROBLEM_ERROR, "", false,
                        "--set %.200s: expected path=value, such as world.substeps=20", set);
        return false;
    }
    sn_document_init(&value, NULL);
    if (!sn_json_read(&value, equals + 1, strlen(equals + 1), NULL, message, sizeof message)) {
        sn_document_release(&value);
        sn_document_init(&value, NULL);
        sn_document_text(&value, NULL, NULL, equals + 1); /* then it is a text */
        snprintf(message, sizeof message, "no memory");
    }
    char *path = sn_arena_copy(&value.arena, set, (size_t)(equals - set));
    bool good = !value.failed && path && sn_document_set(&loaded->document, path, value.root, message, sizeof message);
    if (!good)
        sn_problems_add(&loaded->problems, SN_PROBLEM_ERROR, "", false, "--set %.200s: %s", set, message);
    sn_document_release(&value);
    return good;
}

/* ---- Loading -------------------------------------------------------------------------------------------------------------- */

void sn_loaded_begin(sn_loaded *loaded, const char *name, const sn_load_options *options)
{
    *loaded = (sn_loaded){.path = name};
    sn_document_init(&loaded->document, &options->scene.allocator);
    sn_problems_init(&loaded->problems, NULL);
}

static bool parse(sn_loaded *loaded, const sn_load_options *options)
{
    char message[512] = "";
    if (!sn_json_read(&loaded->document, loaded->text, loaded->length, &loaded->syntax, message, sizeof message)) {
        sn_problems_add(&loaded->problems, SN_PROBLEM_ERROR, "", false, "%s", message);
        return false;
    }
    loaded->syntax = (sn_place){0, 0};
    bool good = true;
    for (uint32_t i = 0; i < options->set_count; ++i)
        good = apply_set(loaded, options->sets[i]) && good;
    return good;
}

bool sn_loaded_build(sn_loaded *loaded, const sn_load_options *options)
{
    if (!parse(loaded, options))
        return false;
    loaded->scene = sn_scene_create(&loaded->document, &options->scene, &loaded->problems);
    return loaded->scene != NULL;
}

bool sn_scene_load_text(const char *name, const char *text, size_t length, const sn_load_options *options,
                        sn_loaded *loaded)
{
    sn_load_options defaults = sn_default_load_options();
    if (!options)
        options = &defaults;
    sn_loaded_begin(loaded, name, options);
    if (!(loaded->text = malloc(length + 1))) {
        sn_problems_add(&loaded->problems, SN_PROBLEM_ERROR, "", false, "no memory for a scene");
        return false;
    }
    memcpy(loaded->text, text, length);
    loaded->text[length] = 0;
    loaded->length = length;
    return sn_loaded_build(loaded, options);
}

void sn_loaded_release(sn_loaded *loaded)
{
    sn_scene_destroy(loaded->scene);
    sn_document_release(&loaded->document);
    sn_problems_release(&loaded->problems);
    free(loaded->text);
    if (loaded->files)
        loaded->release_files(loaded->files);
    *loaded = (sn_loaded){0};
}

sn_place sn_loaded_place(const sn_loaded *loaded, const sn_problem *problem)
{
    if (loaded->syntax.line)
        return loaded->syntax;
    if (!loaded->text || !problem->path[0])
        return (sn_place){0, 0};
    return sn_json_locate(loaded->text, loaded->length, problem->path, problem->at_key);
}

void sn_loaded_print(const sn_loaded *loaded, const sn_problem *problem, FILE *file)
{
    static const char *const severity[] = {"error", "warning", "note"};
    sn_place place = sn_loaded_place(loaded, problem);
    fprintf(file, "%s:", strcmp(loaded->path, "-") == 0 ? "(standard input)" : loaded->path);
    if (place.line)
        fprintf(file, "%u:%u:", place.line, place.column);
    fprintf(file, " %s: %s%s%s\n", severity[problem->severity], problem->path, problem->path[0] ? ": " : "",
            problem->text);
}
