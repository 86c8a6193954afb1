#include "cli/cli.h"

#include <stdlib.h>

typedef struct check_options {
    sn_texts set;
    uint64_t memory;
    bool read_anywhere, json, quiet, help;
} check_options;

#define FIELD(name) offsetof(check_options, name)

static const sn_option options[] = {
    {"set", 's', SN_OPTION_TEXTS, FIELD(set), 0, "PATH=VALUE", "change a value of the scene, as run does"},
    {"memory", 0, SN_OPTION_SIZE, FIELD(memory), 0, "SIZE",
     "the most memory that a scene may take, such as 512M; default 4G"},
    {"read-anywhere", 0, SN_OPTION_FLAG, FIELD(read_anywhere), 0, NULL,
     "let the scene read meshes outside of its folder"},
    {"quiet", 'q', SN_OPTION_FLAG, FIELD(quiet), 0, NULL, "print errors and warnings only"},
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

/* ---- The first frame --------------------------------------------------------------------------------------------- */

/* A frame that takes longer than this is stopped; the check has then passed. */
#define PATIENCE 10.0 /* s */

static bool took_long(void *context)
{
    return sn_seconds_now() - *(const double *)context > PATIENCE;
}

static bool tell(const check_options *o, sn_loaded *loaded, sn_severity severity, const char *text)
{
    sn_problem problem = {.severity = severity, .path = "", .text = text};
    if (o->json)
        return sn_say_problem(loaded, &problem);
    if (severity != SN_PROBLEM_NOTE || !o->quiet)
        sn_loaded_print(loaded, &problem, stderr);
    return true;
}

/* Runs one frame: many mistakes of a scene show only when it moves. */
static int try_frame(const check_options *o, sn_loaded *loaded)
{
    char text[600];
    double start = sn_seconds_now();
    sn_world *world = sn_scene_world(loaded->scene);
    sn_world_set_cancel(world, took_long, &start);
    sn_result result = sn_scene_step(loaded->scene);
    bool told = true;
    if (result == SN_CANCELLED) {
        snprintf(text, sizeof text, "the first frame takes more than %g s, and was not run to its end", PATIENCE);
        told = tell(o, loaded, SN_PROBLEM_NOTE, text);
    } else if (result != SN_OK) {
        snprintf(text, sizeof text, "the first frame fails: %s", sn_world_error(world));
        loaded->problems.errors++;
        told = tell(o, loaded, SN_PROBLEM_ERROR, text);
    }
    return !told ? SN_EXIT_OUTPUT : result == SN_OK || result == SN_CANCELLED ? SN_EXIT_FINE : SN_EXIT_INPUT;
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
    if (code == SN_EXIT_FINE)
        code = try_frame(o, &loaded);
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
    .about = "Lists all mistakes in scenes",
    .details = "SCENE is a file, - for standard input, or the name of a scene that comes with Sinew.\n"
               "All mistakes are listed at once, in the order of the file. If there are none, the first\n"
               "frame is run. The exit code is 3 if any scene has an error; warnings do not count.\n",
    .least = 1,
    .most = UINT32_MAX,
    .options = options,
    .run = run};
