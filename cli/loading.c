#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- Warnings of the world --------------------------------------------------------------------------------------- */

/* Prints warnings of the world. Its errors are results of calls and are reported by the caller. */
static void tell_warning(void *context, sn_log_level level, const char *text)
{
    const bool *json = context;
    if (level != SN_LOG_WARNING)
        return;
    if (*json) {
        sn_problem problem = {.severity = SN_PROBLEM_WARNING, .path = "", .text = text};
        sn_say_problem(NULL, &problem);
    } else {
        sn_complain(0, "warning: %s", text);
    }
}

static sn_log warnings(bool json)
{
    /* The log may be used after this call, and its context must not change: hence two constants. */
    static bool as_text = false, as_json = true;
    return (sn_log){tell_warning, json ? &as_json : &as_text};
}

/* ---- Problems of the document ------------------------------------------------------------------------------------ */

static bool tell_problems(const sn_loading *loading, const sn_loaded *loaded)
{
    bool good = true;
    for (const sn_problem *p = loaded->problems.first; p && good; p = p->next) {
        if (loading->json)
            good = sn_say_problem(loaded, p);
        else if (p->severity != SN_PROBLEM_NOTE || !loading->quiet)
            sn_loaded_print(loaded, p, stderr);
    }
    uint32_t told = 0;
    for (const sn_problem *p = loaded->problems.first; p; p = p->next)
        told += p->severity == SN_PROBLEM_ERROR;
    if (!loading->json && loaded->problems.errors > told)
        sn_complain(0, "%s: and %u more errors", loaded->path, (unsigned)(loaded->problems.errors - told));
    if (loaded->problems.out_of_memory)
        sn_complain(0, "%s: out of memory", loaded->path);
    return good;
}

int sn_load(const sn_loading *loading, sn_loaded *loaded, char **path)
{
    memset(loaded, 0, sizeof *loaded);
    *path = sn_find_scene(loading->scene);
    if (!*path)
        return SN_EXIT_INPUT;
    sn_load_options options = sn_default_load_options();
    options.scene.log = warnings(loading->json);
    if (loading->allocator)
        options.scene.allocator = *loading->allocator;
    if (loading->memory)
        options.scene.memory = loading->memory;
    options.read_anywhere = loading->read_anywhere;
    if (loading->sets) {
        options.set_count = loading->sets->count;
        options.sets = loading->sets->item;
    }
    bool good = sn_scene_load(*path, &options, loaded);
    fflush(stdout);
    if (!tell_problems(loading, loaded))
        return SN_EXIT_OUTPUT;
    if (good && sn_world_set_threads(sn_scene_world(loaded->scene), loading->threads) != SN_OK)
        return sn_complain(SN_EXIT_USAGE, "--threads: found %u, expected 1 to 256, or 0: one for each core",
                           (unsigned)loading->threads);
    return good ? SN_EXIT_FINE : SN_EXIT_INPUT;
}
