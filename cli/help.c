#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct help_options {
    bool help;
} help_options;

static const sn_option options[] = {SN_OPTION_END(help_options)};

static const char exit_codes[] = "Exit codes:\n"
                                 "    0  success\n"
                                 "    1  the run failed: the world diverged, memory ran out\n"
                                 "    2  the command line is wrong\n"
                                 "    3  a scene or another input file is wrong or cannot be read\n"
                                 "    4  something could not be written\n"
                                 "  130  interrupted by Ctrl-C; files are closed properly (143: by SIGTERM, 129: by\n"
                                 "       SIGHUP)\n";

void sn_help_print(FILE *file)
{
    fputs("usage: sinew COMMAND [OPTIONS] [ARGUMENTS]\n\nSinew simulates scenes of particles, rigid bodies and "
          "constraints.\n\n"
          "Commands:\n",
          file);
    for (uint32_t i = 0; sn_command_at(i); ++i)
        fprintf(file, "  %-7s %-16s %s\n", sn_command_at(i)->name, sn_command_at(i)->operands, sn_command_at(i)->about);
    fputs("\n  sinew help COMMAND   shows the options of a command\n"
          "  sinew --version      prints the version\n\n"
          "Try it:\n"
          "  sinew list scenes\n"
          "  sinew render curtain\n"
          "  sinew run curtain --out out\n\n",
          file);
    fputs(exit_codes, file);
}

static int run(const void *unused, const sn_texts *operands)
{
    (void)unused;
    if (operands->count == 0) {
        sn_help_print(stdout);
        return SN_EXIT_FINE;
    }
    const char *name = operands->item[0];
    const sn_command *command = sn_command_find(name);
    if (!command)
        return sn_command_unknown(name);
    sn_command_help(command, stdout);
    return SN_EXIT_FINE;
}

const sn_command sn_command_help_command = {.name = "help",
                                            .operands = "[COMMAND]",
                                            .about = "Shows the commands, or how one of them is used",
                                            .most = 1,
                                            .options = options,
                                            .run = run};
