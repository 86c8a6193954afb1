#include "cli/cli.h"

#include <stdlib.h>

typedef struct check_options {
    sn_texts set;
    uint64_t memory;
    bool read_anywhere, json, quiet, help;
} check_options;

#define FIELD(name) offsetof(check_options, name)

static const sn_option options[] = {
    {"set", 's', SN_OPTION_TEXTS, FIELD(set), 0, "PATH=VALUE", "change the scene before it is built, as run does"},
    {"memory", 0, SN_OPTION_SIZE, FIELD(memory), 0, "SIZE", "what a scene may take, such as 512M; default 4G"},
    {"read-anywhere", 0, SN_OPTION_FLAG, FIELD(read_anywhere), 0, NULL,
     "let the scene read meshes outside of its folder"},
    {"quiet", 'q', SN_OPTION_FLAG, FIELD(quiet), 0, NULL, "print problems only"},
    {"json", 'j', SN_OPTION_FLAG, FIELD(json), 0, NULL, "print one JSON object per line"},
    SN_OPTION_END(check_options)};

static bool tell_json(const char *name, const sn_loaded *loaded, sn_world *world)
{
    sn_document document;
    sn_value *root = sn_say_begin(&document, "checked");
    sn_document_text(&document, root, "file", name);
    sn_document_truth(&document, root, "good", world != NULL);
    sn_document_number(&document, root, "errors", world ? 0 : loaded->problems.errors ? loaded->problems.errors : 1);
    sn_document_number(&document, root, "warnings", loaded->problems.warnings);
    if (world) {
        sn_document_number(&document, root, "particles", sn_world_particle_count(world));
        sn_document_number(&document, root, "constraints", sn_world_constraint_count(world, SN_KIND_NONE));
    }
    return sn_say_end(&document);
}

static int check(const check_options *o, const char *name)
{
    sn_loading loading = {.scene = name,
                          .sets = &o->set,
                          .memory = o->memory,
                          .read_anywhere = o->read_anywhere,
                          .json = o->json,
                          .quiet = o->quiet};
    sn_loaded loaded;
    char *path;
    int code = sn_load(&loading, &loaded, &path);
    sn_world *world = code == SN_EXIT_FINE ? sn_scene_world(loaded.scene) : NULL;
    if (o->json) {
        if (code != SN_EXIT_OUTPUT && !tell_json(path ? path : name, &loaded, world))
            code = SN_EXIT_OUTPUT;
    } else if (world && !o->quiet) {
        printf("%s: good, %u particles, %u constraints\n", path, (unsigned)sn_world_particle_count(world),
               (unsigned)sn_world_constraint_count(world, SN_KIND_NONE));
    }
    sn_loaded_release(&loaded);
    free(path);
    return code;
}

static int run(const void *given, const sn_texts *operands)
{
    int worst = SN_EXIT_FINE;
    for (uint32_t i = 0; i < operands->count && worst != SN_EXIT_OUTPUT; ++i) {
        int code = check(given, operands->item[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}

const sn_command sn_command_check = {
    .name = "check",
    .operands = "SCENE...",
    .about = "Says whether scenes are good, and all that is wrong with them",
    .details = "A scene is a file, - for standard input, or the name of one that comes with Sinew.\n"
               "The exit code is 3 if any of them is bad.\n",
    .least = 1,
    .most = UINT32_MAX,
    .options = options,
    .run = run};
