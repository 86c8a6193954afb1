#include "cli/cli.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Global, since a signal handler has no other way to pass information. */
static volatile sig_atomic_t came;

static void take_note(int number)
{
    if (came) {
        ssize_t ignored = write(STDERR_FILENO, "\n", 1);
        (void)ignored;
        _exit(SN_EXIT_SIGNAL + number);
    }
    came = number;
}

static void catch_signal(int number, bool unless_ignored)
{
    struct sigaction action, before;
    if (unless_ignored && sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = take_note;
    action.sa_flags = SA_RESTART; /* interrupted system calls are restarted */
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void sn_signals_catch(void)
{
    catch_signal(SIGINT, false); /* also in a background job of a script, where SIGINT is initially ignored */
    catch_signal(SIGTERM, false);
    catch_signal(SIGHUP, true); /* remains ignored under nohup */
}

int sn_signals_came(void)
{
    return (int)came;
}

static bool has_come(void *context)
{
    (void)context;
    return came != 0;
}

void sn_signals_end_steps(sn_scene *scene)
{
    sn_world_set_cancel(sn_scene_world(scene), has_come, NULL);
}

void sn_signals_ignore_pipe(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    sigemptyset(&action.sa_mask);
    sigaction(SIGPIPE, &action, NULL);
}
