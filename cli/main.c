/* The command `sinew`: finds the subcommand, reads its options, runs it. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const sn_command *const commands[] = {&sn_command_run,    &sn_command_check,       &sn_command_list,
                                             &sn_command_info,   &sn_command_plot,        &sn_command_bench,
                                             &sn_command_schema, &sn_command_help_command};

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

int sn_command_unknown(const char *typed)
{
    const char *names[COUNT(commands)];
    for (uint32_t i = 0; i < COUNT(commands); ++i)
        names[i] = commands[i]->name;
    const char *near = sn_nearest(typed, names, COUNT(commands));
    if (near)
        return sn_complain(SN_EXIT_USAGE, "there is no command '%s'; did you mean '%s'?", typed, near);
    return sn_complain(SN_EXIT_USAGE, "there is no command '%s'; 'sinew help' shows them all", typed);
}

static void print_version(void)
{
    printf("sinew %s, %s precision\n", sn_version(), sn_real_size() == 4 ? "single" : "double");
}

static int run_command(const sn_command *command, int argc, char **argv)
{
    union {
        unsigned char bytes[SN_OPTIONS_BYTES];
        long double widest;
        void *pointer;
        uint64_t whole;
    } options;
    sn_texts operands;
    int code = SN_EXIT_USAGE;
    if (sn_options_read(command, argc, argv, &options, &operands)) {
        if (sn_options_want_help(command, &options)) {
            sn_command_help(command, stdout);
            code = SN_EXIT_FINE;
        } else {
            code = command->run(&options, &operands);
        }
    }
    sn_options_release(command, &options, &operands);
    return code;
}

static int run_words(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        sn_help_print(stderr);
        return SN_EXIT_USAGE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        sn_help_print(stdout);
        return SN_EXIT_FINE;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        print_version();
        return SN_EXIT_FINE;
    }
    if (word[0] == '-')
        return sn_complain(SN_EXIT_USAGE, "expected a command before '%s'; 'sinew help' shows them all", word);
    const sn_command *command = sn_command_find(word);
    return command ? run_command(command, argc - 1, argv + 1) : sn_command_unknown(word);
}

int main(int argc, char **argv)
{
    sn_signals_ignore_pipe();
    int code = run_words(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == SN_EXIT_FINE)
        code = sn_complain(SN_EXIT_OUTPUT, "standard output: %s", strerror(errno));
    return code;
}
