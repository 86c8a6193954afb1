/* The table of subcommands. Each is a file of its own. */
#include "cli/cli.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const sn_command *const commands[] = {
    &sn_command_list,  &sn_command_render, &sn_command_run,         &sn_command_view,  &sn_command_check,
    &sn_command_info,  &sn_command_plot,   &sn_command_draw,        &sn_command_sweep, &sn_command_compare,
    &sn_command_bench, &sn_command_schema, &sn_command_help_command};

const sn_command *sn_command_at(uint32_t i)
{
    return i < COUNT(commands) ? commands[i] : NULL;
}

const sn_command *sn_command_find(const char *name)
{
    for (uint32_t i = 0; i < COUNT(commands); ++i)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* What other programs call it, and the command that does it. */
static const struct {
    const char *typed, *meant;
} elsewhere[] = {
    {"export", "run SCENE --out DIR"},
    {"simulate", "run"},
    {"convert", "run SCENE --out DIR"},
    {"validate", "check"},
    {"play", "view"},
    {"show", "view"},
    {"open", "view"},
    {"film", "render"},
    {"animate", "render"},
    {"scenes", "list"},
    {"profile", "run SCENE --profile"},
    {"version", "--version"},
};

int sn_command_unknown(const char *typed)
{
    for (uint32_t i = 0; i < COUNT(elsewhere); ++i)
        if (strcmp(elsewhere[i].typed, typed) == 0)
            return sn_complain(SN_EXIT_USAGE, "there is no command '%s'; did you mean '%s'?", typed,
                               elsewhere[i].meant);
    const char *names[COUNT(commands)];
    for (uint32_t i = 0; i < COUNT(commands); ++i)
        names[i] = commands[i]->name;
    const char *near = sn_nearest(typed, names, COUNT(commands));
    if (near)
        return sn_complain(SN_EXIT_USAGE, "there is no command '%s'; did you mean '%s'?", typed, near);
    return sn_complain(SN_EXIT_USAGE, "there is no command '%s'; 'sinew help' shows them all", typed);
}
