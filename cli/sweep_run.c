/* One run of a sweep. */
#include "cli/sweep.h"
#include "export/trace.h"

#include <stdlib.h>
#include <string.h>

/* The changes for a run: the values of the axes and --set. */
static char **list_sets(const sn_sweep *sweep, uint32_t run, uint32_t *count)
{
    const sn_texts *user = &sweep->asked->set;
    char **set = calloc(user->count + sweep->axes + 1, sizeof *set);
    *count = 0;
    for (uint32_t i = 0; set && i < user->count; ++i)
        set[(*count)++] = strdup(user->item[i]);
    for (uint32_t i = 0; set && i < sweep->axes; ++i) {
        const char *path = sweep->axis[i].path, *value = sn_sweep_value(sweep, run, i);
        const size_t size = strlen(path) + strlen(value) + 2;
        if ((set[*count] = malloc(size)))
            snprintf(set[(*count)++], size, "%s=%s", path, value);
    }
    return set;
}

static char *explain(const sn_loaded *loaded)
{
    const sn_problem *p = loaded->problems.first;
    char text[SN_SWEEP_TEXT];
    while (p && p->severity != SN_PROBLEM_ERROR)
        p = p->next;
    snprintf(text, sizeof text, "%s%s%s", p ? p->path : "", p && p->path[0] ? ": " : "", p ? p->text : "out of memory");
    return strdup(text);
}

static void look(sn_scene *scene, sn_sweep_row *row)
{
    sn_world *world = sn_scene_world(scene);
    sn_report report;
    if (sn_world_report(world, &report) != SN_OK)
        return;
    if (report.profile.counts.penetration > row->overlap)
        row->overlap = report.profile.counts.penetration;
    for (uint32_t i = 0; i < report.kind_count; ++i) {
        const sn_kind *kind = sn_kind_info(world, report.kinds[i].kind);
        if (kind && !kind->force && report.kinds[i].relative > row->relative)
            row->relative = report.kinds[i].relative;
    }
}

/* Reads what a trace would have in its last row. */
static bool record(const sn_sweep *sweep, sn_scene *scene, sn_sweep_row *row)
{
    char message[SN_SWEEP_TEXT];
    sn_trace *trace = sn_trace_open(scene, sweep->trace, message, sizeof message);
    bool good = trace && sn_trace_row(trace, message, sizeof message);
    good = trace && sn_trace_close(trace, message, sizeof message) && good;
    size_t length;
    char *text = good ? sn_read_whole(sweep->trace, true, UINT64_MAX, &length) : NULL;
    if (!good)
        sn_complain(0, "%s", message);
    char *second = text ? strchr(text, '\n') : NULL;
    if (second) {
        *second++ = 0;
        second[strcspn(second, "\r\n")] = 0;
        free(row->names);
        free(row->values);
        row->names = strdup(text);
        row->values = strdup(second);
    }
    free(text);
    return second != NULL;
}

static bool run_frames(const sn_sweep *sweep, sn_scene *scene, sn_sweep_row *row)
{
    const sn_scene_info info = sn_scene_describe(scene);
    const uint32_t frames = sweep->asked->frames == UINT32_MAX ? info.frames : sweep->asked->frames;
    for (uint32_t i = 0; i < info.warm_up + frames; ++i) {
        const sn_result result = sn_signals_came() ? SN_CANCELLED : sn_scene_step(scene);
        if (result == SN_CANCELLED)
            return false;
        if (result != SN_OK) {
            char text[SN_SWEEP_TEXT];
            snprintf(text, sizeof text, "frame %u: %s", (unsigned)(i + 1), sn_world_error(sn_scene_world(scene)));
            row->status = SN_SWEEP_FAILED;
            free(row->message);
            row->message = strdup(text);
            break;
        }
        if (i >= info.warm_up)
            look(scene, row);
    }
    return record(sweep, scene, row);
}

bool sn_sweep_make(const sn_sweep *sweep, uint32_t run, sn_sweep_row *row)
{
    uint32_t count;
    char **set = list_sets(sweep, run, &count);
    sn_loaded loaded = {0};
    *row = (sn_sweep_row){.run = run, .names = strdup(""), .values = strdup(""), .message = strdup("")};
    sn_load_options options = sn_default_load_options();
    options.read_anywhere = sweep->asked->read_anywhere;
    options.set_count = count;
    options.sets = (const char **)set;
    bool good = set && row->names && row->values && row->message;
    if (good && sn_scene_load(sweep->scene, &options, &loaded)) {
        sn_world_set_threads(sn_scene_world(loaded.scene), 1);
        sn_signals_end_steps(loaded.scene);
        good = run_frames(sweep, loaded.scene, row);
    } else if (good) {
        row->status = SN_SWEEP_REFUSED;
        free(row->message);
        row->message = explain(&loaded);
        good = row->message != NULL;
    }
    sn_loaded_release(&loaded);
    for (uint32_t i = 0; set && i < count; ++i)
        free(set[i]);
    free(set);
    return good;
}
