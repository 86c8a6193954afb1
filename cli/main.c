/* The command `sinew`: finds the subcommand, reads its options, runs it. */
#include "cli/cli.h"

#include <string.h>

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
        code = sn_complain_of_output();
    return code;
}
