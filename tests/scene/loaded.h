/* Scenes that are loaded from a text, and stepped. */
#ifndef SINEW_TESTS_SCENE_LOADED_H
#define SINEW_TESTS_SCENE_LOADED_H

#include "support/support.h"

#include "scene/load.h"

/* To be released with sn_loaded_release. allocator: NULL for the default. */
static inline sn_scene *load_text(const char *text, sn_loaded *loaded, const sn_allocator *allocator)
{
    sn_load_options options = sn_default_load_options();
    if (allocator)
        options.scene.allocator = *allocator;
    if (!sn_scene_load_text("test", text, strlen(text), &options, loaded))
        fail_msg("%s", loaded->problems.first ? loaded->problems.first->text : "no scene");
    return loaded->scene;
}

/* One of scenes/. */
static inline sn_scene *load_scene(const char *name, sn_loaded *loaded)
{
    sn_load_options options = sn_default_load_options();
    char path[512];
    snprintf(path, sizeof path, "%s/%s.json", SINEW_SCENES_DIR, name);
    if (!sn_scene_load(path, &options, loaded)) {
        for (const sn_problem *p = loaded->problems.first; p; p = p->next)
            sn_loaded_print(loaded, p, stderr);
        fail_msg("%s does not load", path);
    }
    return loaded->scene;
}

/* The hash after so many frames more. */
static inline uint64_t run(sn_scene *scene, int frames)
{
    for (int i = 0; i < frames; ++i)
        assert_ok(sn_scene_world(scene), sn_scene_step(scene));
    return sn_world_hash(sn_scene_world(scene));
}

#endif
