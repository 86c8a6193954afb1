/* Scenes from texts, for tests. Texts are JSON with ' in the place of ", which C would want escaped. */
#ifndef SINEW_TESTS_SCENE_FIXTURE_H
#define SINEW_TESTS_SCENE_FIXTURE_H

#include "support/support.h"

#include "scene/json.h"
#include "scene/scene.h"
#include "scene/state.h"

typedef struct fixture {
    sn_document document;
    sn_problems problems;
    sn_scene *scene;
    sn_world *world;
} fixture;

/* A copy with every ' made a ". To be freed. */
static inline char *fixture_json(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    assert_non_null(copy);
    strcpy(copy, text);
    for (char *at = copy; (at = strchr(at, '\'')) != NULL;)
        *at = '"';
    return copy;
}

static inline void fixture_parse(sn_document *document, const char *text)
{
    char message[256], *json = fixture_json(text);
    sn_document_init(document, NULL);
    if (!sn_json_read(document, json, strlen(json), NULL, message, sizeof message))
        fail_msg("the test's own JSON is wrong: %s\n%s", message, json);
    free(json);
}

/* Makes a scene, or not: then f.scene is NULL. */
static inline fixture fixture_try(const char *text, const sn_scene_options *options)
{
    fixture f;
    fixture_parse(&f.document, text);
    sn_problems_init(&f.problems, NULL);
    f.scene = sn_scene_create(&f.document, options, &f.problems);
    f.world = f.scene ? sn_scene_world(f.scene) : NULL;
    assert_true(f.scene || f.problems.errors > 0); /* never without a reason */
    assert_true(!f.scene || f.problems.errors == 0);
    return f;
}

static inline void fixture_print(const sn_problems *problems)
{
    for (const sn_problem *p = problems->first; p; p = p->next)
        print_error("  %s: %s\n", p->path, p->text);
}

static inline void fixture_close(fixture *f)
{
    sn_scene_destroy(f->scene);
    sn_document_release(&f->document);
    sn_problems_release(&f->problems);
}

/* A scene and another one that was made of it. */
static inline void fixture_close_both(fixture *other, fixture *f)
{
    fixture_close(other);
    fixture_close(f);
}

/* A scene that must be good. Its document is gone: a scene does not need it any more. */
static inline fixture fixture_good(const char *text)
{
    fixture f = fixture_try(text, NULL);
    if (!f.scene) {
        fixture_print(&f.problems);
        fail_msg("no scene from %s", text);
    }
    sn_document_release(&f.document);
    return f;
}

/* The problem at a path that says all of the words; NULL if there is none. */
static inline const sn_problem *fixture_problem(const sn_problems *problems, const char *path, const char *words)
{
    for (const sn_problem *p = problems->first; p; p = p->next)
        if (strcmp(p->path, path) == 0 && support_says(p->text, words))
            return p;
    return NULL;
}

#define assert_problem(problems, path, words) fixture_assert_problem((problems), (path), (words), __FILE__, __LINE__)
static inline void fixture_assert_problem(const sn_problems *problems, const char *path, const char *words,
                                          const char *file, int line)
{
    if (fixture_problem(problems, path, words))
        return;
    print_error("%s:%d: no problem at '%s' that says '%s', but:\n", file, line, path, words);
    fixture_print(problems);
    _fail(file, line);
}

/* The scene is refused, with this among the reasons. */
#define assert_refused(text, path, words) fixture_assert_refused((text), (path), (words), __FILE__, __LINE__)
static inline void fixture_assert_refused(const char *text, const char *path, const char *words, const char *file,
                                          int line)
{
    fixture f = fixture_try(text, NULL);
    if (f.scene) {
        print_error("%s:%d: accepted: %s\n", file, line, text);
        _fail(file, line);
    }
    fixture_assert_problem(&f.problems, path, words, file, line);
    fixture_close(&f);
}

/* Something that is no good in a scene, and what is said about it. */
typedef struct fixture_bad {
    const char *thing, *path, *words;
} fixture_bad;

/* Each of them is refused where a format has its %s; its path goes on where `at` ends. Numbers that only a double can hold are
   good where sn_real is one. */
#define assert_all_refused(format, at, bads)                                                                           \
    fixture_assert_all_refused((format), (at), COUNT_OF(bads), (bads), __FILE__, __LINE__)
static inline void fixture_assert_all_refused(const char *format, const char *at, size_t count, const fixture_bad *bad,
                                              const char *file, int line)
{
    for (size_t i = 0; i < count; ++i) {
        char text[2000], path[120];
        if (sizeof(sn_real) == 8 && (strstr(bad[i].thing, "1e39") || strstr(bad[i].thing, "1e38")))
            continue;
        snprintf(text, sizeof text, format, bad[i].thing);
        snprintf(path, sizeof path, "%s%s", at, bad[i].path);
        fixture_assert_refused(text, path, bad[i].words, file, line);
    }
}

/* The scene is made, and this is said about it. */
#define assert_warned(text, path, words) fixture_assert_warned((text), (path), (words), __FILE__, __LINE__)
static inline void fixture_assert_warned(const char *text, const char *path, const char *words, const char *file,
                                         int line)
{
    fixture f = fixture_try(text, NULL);
    fixture_assert_problem(&f.problems, path, words, file, line);
    assert_non_null(f.scene);
    fixture_close(&f);
}

static inline void fixture_steps(fixture *f, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; ++i)
        assert_ok(f->world, sn_scene_step(f->scene));
}

/* The saved scene as JSON. To be freed. */
static inline char *fixture_save(sn_scene *scene)
{
    sn_document document;
    char message[256] = "", *text = NULL;
    size_t length = 0;
    sn_document_init(&document, NULL);
    if (!sn_scene_save(scene, &document, message, sizeof message))
        fail_msg("not saved: %s", message);
    FILE *file = open_memstream(&text, &length);
    assert_true(file && sn_json_write(file, document.root));
    fclose(file);
    sn_document_release(&document);
    return text;
}

/* Saved and loaded again. */
static inline fixture fixture_again(sn_scene *scene)
{
    char *text = fixture_save(scene);
    fixture f = fixture_good(text);
    free(text);
    return f;
}

static inline sn_vec3 fixture_place(const fixture *f, uint32_t number)
{
    return sn_particle_position(f->world, sn_particle_from_index(f->world, number));
}

static inline sn_vec3 fixture_speed(const fixture *f, uint32_t number)
{
    return sn_particle_velocity(f->world, sn_particle_from_index(f->world, number));
}

static inline sn_real fixture_mass(const fixture *f, uint32_t number)
{
    return sn_particle_mass(f->world, sn_particle_from_index(f->world, number));
}

#endif
