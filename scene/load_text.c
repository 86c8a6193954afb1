/* Builds a scene from its text. load.c reads files. */
#include "scene/load.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

sn_load_options sn_default_load_options(void)
{
    return (sn_load_options){.scene = sn_default_scene_options()};
}

/* ---- Changes ----------------------------------------------------------------------------------------------------- */

/* The end of the path in a change: the first = outside of a quoted key, as in materials["a=b"].bend=3. */
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

/* A change that was made to the document. */
typedef struct sn_applied_set {
    const char *text; /* as given by the caller */
    const char *path; /* the path of the value that it replaced, or of the first key that it added, as in problems */
    struct sn_applied_set *next;
} sn_applied_set;

/* Writes the path of a change as far as it exists in the document, with one more step. */
static void find_start(const sn_document *document, const char *path, char *out, size_t size)
{
    const sn_value *at = document->root;
    sn_path_step step;
    for (const char *rest = path; at && *rest && sn_path_next(&rest, rest == path, &step);) {
        if (step.item)
            sn_path_item(out, size, step.index);
        else
            sn_path_key(out, size, step.key);
        uint32_t i = 0;
        const sn_value *next = step.item ? at->first : sn_value_find(at, step.key);
        for (; step.item && next && i < step.index; ++i)
            next = next->next;
        at = next;
    }
}

/* Stores a change before it is made. If memory runs out, problems of this change are looked for in the file. */
static void remember(sn_loaded *loaded, const char *set, const char *path)
{
    char start[SN_PATH_KEY_SIZE] = "";
    sn_arena *arena = &loaded->problems.arena;
    find_start(&loaded->document, path, start, sizeof start);
    sn_applied_set *applied = sn_arena_take(arena, 1, sizeof *applied);
    char *text = sn_arena_copy(arena, set, strlen(set)), *where = sn_arena_copy(arena, start, strlen(start));
    if (!applied || !text || !where)
        return;
    *applied = (sn_applied_set){text, where, loaded->set};
    loaded->set = applied;
}

/* Makes a change of the form path=value. */
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
        sn_document_text(&value, NULL, NULL, equals + 1); /* not JSON: a text */
        snprintf(message, sizeof message, "no memory");
    }
    char *path = sn_arena_copy(&value.arena, set, (size_t)(equals - set));
    if (path)
        remember(loaded, set, path);
    bool good = !value.failed && path && sn_document_set(&loaded->document, path, value.root, message, sizeof message);
    if (!good)
        sn_problems_add(&loaded->problems, SN_PROBLEM_ERROR, "", false, "--set %.200s: %s", set, message);
    sn_document_release(&value);
    return good;
}

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

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

static bool comes_before(const sn_problem *a, const sn_problem *b)
{
    return a->line < b->line || (a->line == b->line && a->column < b->column);
}

/* The readers do not visit a scene in the order of the file. The list is short (SN_MOST_PROBLEMS), so insertion sort
   will do. */
static void sort_problems(sn_loaded *loaded)
{
    sn_problem *sorted = NULL, *next;
    for (sn_problem *p = loaded->problems.first; p; p = next) {
        sn_place place = sn_loaded_place(loaded, p);
        sn_problem **at = &sorted;
        p->line = place.line;
        p->column = place.column;
        while (*at && !comes_before(p, *at))
            at = &(*at)->next;
        next = p->next;
        p->next = *at;
        *at = p;
    }
    loaded->problems.first = loaded->problems.last = sorted;
    while (loaded->problems.last && loaded->problems.last->next)
        loaded->problems.last = loaded->problems.last->next;
}

bool sn_loaded_build(sn_loaded *loaded, const sn_load_options *options)
{
    if (!parse(loaded, options))
        return false;
    loaded->scene = sn_scene_create(&loaded->document, &options->scene, &loaded->problems);
    sort_problems(loaded);
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

const char *sn_loaded_set(const sn_loaded *loaded, const sn_problem *problem)
{
    for (const sn_applied_set *set = loaded->set; set; set = set->next) {
        size_t length = strlen(set->path);
        if (length && strncmp(problem->path, set->path, length) == 0 &&
            !isalnum((unsigned char)problem->path[length]) &&
            !strchr("_-", problem->path[length] ? problem->path[length] : '.'))
            return set->text;
    }
    return NULL;
}

sn_place sn_loaded_place(const sn_loaded *loaded, const sn_problem *problem)
{
    if (loaded->syntax.line)
        return loaded->syntax;
    if (problem->line)
        return (sn_place){problem->line, problem->column};
    if (!loaded->text || !problem->path[0] || sn_loaded_set(loaded, problem))
        return (sn_place){0, 0};
    return sn_json_locate(loaded->text, loaded->length, problem->path, problem->at_key);
}

size_t sn_loaded_tell(const sn_loaded *loaded, const sn_problem *problem, char *text, size_t size)
{
    static const char *const severity[] = {"error", "warning", "note"};
    const char *name = strcmp(loaded->path, "-") == 0 ? "(standard input)" : loaded->path;
    const char *set = sn_loaded_set(loaded, problem);
    sn_place place = sn_loaded_place(loaded, problem);
    char where[32] = "";
    if (place.line)
        snprintf(where, sizeof where, "%u:%u:", place.line, place.column);
    int length = snprintf(text, size, "%s:%s %s: %s%s%s%s%.200s%s\n", name, where, severity[problem->severity],
                          problem->path, problem->path[0] ? ": " : "", problem->text, set ? " (from --set " : "",
                          set ? set : "", set ? ")" : "");
    return length > 0 ? (size_t)length : 0;
}

void sn_loaded_print(const sn_loaded *loaded, const sn_problem *problem, FILE *file)
{
    char brief[1000];
    size_t length = sn_loaded_tell(loaded, problem, brief, sizeof brief);
    char *text = length < sizeof brief ? NULL : malloc(length + 1);
    if (text)
        sn_loaded_tell(loaded, problem, text, length + 1);
    fputs(text ? text : brief, file);
    free(text);
}
