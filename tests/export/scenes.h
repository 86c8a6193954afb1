/* Scenes for these tests, from JSON in the source. Include after support.h. */
#ifndef SINEW_TESTS_EXPORT_SCENES_H
#define SINEW_TESTS_EXPORT_SCENES_H

#include "scene/json.h"
#include "scene/scene.h"

static inline sn_scene *scene_from(const char *json)
{
    char message[512];
    sn_document document;
    sn_problems problems;
    sn_document_init(&document, NULL);
    sn_problems_init(&problems, NULL);
    if (!sn_json_read(&document, json, strlen(json), NULL, message, sizeof message))
        fail_msg("%s", message);
    sn_scene *scene = sn_scene_create(&document, NULL, &problems);
    if (!scene)
        fail_msg("%s: %s", problems.first ? problems.first->path : "",
                 problems.first ? problems.first->text : "no scene");
    sn_problems_release(&problems);
    sn_document_release(&document);
    return scene;
}

/* A rope of four particles with a trace of its end and of its first link, and two loose ones. */
#define SCENE_ROPE                                                                                                     \
    "{\"objects\": [{\"type\": \"rope\", \"name\": \"rope\", \"length\": 0.9, \"segments\": 3,"                        \
    "                \"direction\": [1, 0, 0], \"pins\": \"start\", \"radius\": 0.01},"                                \
    "               {\"type\": \"particles\", \"name\": \"dust\", \"positions\": [0, 1, 0, 0.1, 2, -3]}],"             \
    " \"run\": {\"rate\": 25},"                                                                                        \
    " \"record\": {\"particles\": [\"rope.end\"], \"forces\": [\"rope.links[0]\"]}}"

#endif
