/* Random worlds: see net.h, and CONTRIBUTING.md for how to read a failure.

       test_worlds [--seed N] [--worlds N] [--ops N] [--seconds N] [--twin NAME] [--no-twin NAME] [--no-check NAME]
                   [--check NAME] [--program FILE] [--all] [--keep-going] [--hash] [--trace] [--list]

   Without options: the same worlds every time, as many as a test may take. Each is played plain and in up to three variants (all of
   them with --all). A failure is shrunk and written to FILE (random_worlds.c) as a C program. --hash plays the worlds plain and
   prints a hash of all that happened, which is the same for every build of the same sn_real; --trace also that of every op, and
   writes the last world as a program. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "random/net.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const check_names[] = {"refused", "failed", "finite", "query", "counts", "bad", "memory", "twins"};

static struct {
    uint64_t seed;
    uint32_t worlds, ops, checks, twins; /* bits of variants */
    double seconds;
    bool all, keep_going, hash, trace, cover;
    const char *program;
} options = {
    .seed = 1, .ops = 45, .checks = CHECK_ALL, .twins = (1u << NET_VARIANTS) - 1, .program = "random_worlds.c"};

/* What a child tells its parent, also when it dies. */
static struct {
    uint64_t seed;
    uint32_t variant;
    uint32_t done;
    bool making; /* it is at making the program */
    net_failure failure;
} * shared;

/* ---- Children: a crash must not end the search ---------------------------------------------------------------------- */

/* Seconds of the processor for one world, and for one that is played again to shrink it; longer is a hang. Where threads wait for
   each other no time of the processor passes, hence the other limit. */
#define MOST_SECONDS  support_rounds(20, 60)
#define SHORT_SECONDS support_rounds(3, 12)
#define MOST_WAITING  600

static void limit(uint32_t seconds)
{
    struct itimerval timer = {.it_value.tv_sec = (time_t)seconds};
    setitimer(ITIMER_PROF, &timer, NULL);
    alarm(MOST_WAITING);
}

/* Runs something in a child. 0: it returned true; 1: false; otherwise it crashed or hung. */
static int in_child(bool (*what)(void *), void *context)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        limit(MOST_SECONDS);
        bool good = what(context);
        fflush(NULL);
        _exit(good ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) <= 1 ? WEXITSTATUS(status) : 2;
}

/* ---- One world ------------------------------------------------------------------------------------------------------ */

static net_program program;

static bool is_large(uint64_t seed)
{
    return seed % 50 == 7;
}

static uint32_t ops_of(uint64_t seed)
{
    uint64_t random = ~seed;
    return options.ops / 2 + support_random_below(&random, options.ops);
}

/* Which variants a world is played in: all of them, or some. */
static bool is_wanted(uint64_t seed, uint32_t variant)
{
    uint64_t random = seed ^ 0xabcdef;
    if (!(options.twins >> variant & 1))
        return false;
    if (options.all)
        return true;
    for (int i = 0; i < 3; ++i)
        if (1 + support_random_below(&random, NET_VARIANTS - 1) == variant)
            return true;
    return false;
}

static bool play_seed(void *context)
{
    shared->seed = *(const uint64_t *)context;
    shared->making = true;
    shared->variant = 0;
    net_make_program(&program, shared->seed, ops_of(shared->seed), is_large(shared->seed));
    shared->making = false;
    bool good = true, any = false;
    for (uint32_t v = 1; good && v < NET_VARIANTS; ++v)
        if (is_wanted(shared->seed, v) && !(is_large(shared->seed) && net_variant_list[v].scarce)) {
            shared->variant = v;
            good = net_compare(&program, v, options.checks, &shared->failure);
            any = true;
        }
    if (!any)
        good = net_compare(&program, 0, options.checks, &shared->failure);
    net_program_clear(&program);
    return good;
}

typedef struct stretch {
    uint64_t first, count;
} stretch;

static bool play_stretch(void *context)
{
    const stretch *s = context;
    for (uint64_t i = 0; i < s->count; ++i) {
        uint64_t seed = s->first + i;
        limit(MOST_SECONDS * (is_large(seed) ? 10 : 1));
        if (!play_seed(&seed))
            return false;
        shared->done++;
    }
    return true;
}

/* ---- A failure -------------------------------------------------------------------------------------------------------- */

typedef struct search {
    uint32_t variant, check;
    bool crash;
    const net_program *candidate;
} search;

static bool candidate_holds(void *context)
{
    const search *s = context;
    if (s->crash)
        limit(SHORT_SECONDS);
    return net_compare(s->candidate, s->variant, options.checks, &shared->failure);
}

static bool still_fails(const net_program *candidate, void *context)
{
    search *s = context;
    s->candidate = candidate;
    shared->failure.check = 0;
    if (!s->crash)
        return !candidate_holds(s) && shared->failure.check == s->check;
    return in_child(candidate_holds, s) == 2;
}

/* Ops are written to a file before they are played, so that what crashed can be read. */
static bool make_recorded(void *context)
{
    net_record = fopen(context, "wb");
    net_make_program(&program, shared->seed, ops_of(shared->seed), is_large(shared->seed));
    return true;
}

static void recover_program(void)
{
    char path[] = "/tmp/random_worlds_XXXXXX";
    int file = mkstemp(path);
    close(file);
    int status = in_child(make_recorded, path);
    FILE *in = fopen(path, "rb");
    memset(&program, 0, sizeof program);
    program.seed = shared->seed;
    net_program_read(&program, in);
    fclose(in);
    unlink(path);
    printf("  %u ops%s\n", program.ops, status == 2 ? ", crashed while it was made" : "");
}

static void show_failure(bool crash)
{
    search s = {.variant = shared->variant, .check = shared->failure.check, .crash = crash};
    printf("seed %llu, twin '%s': %s\n", (unsigned long long)shared->seed, net_variant_list[s.variant].name,
           crash ? "CRASHED OR HUNG" : shared->failure.text);
    net_failure first = shared->failure;
    if (s.variant == 0 || first.check != CHECK_TWINS) { /* does the plain world do? */
        recover_program();
        search plain = s;
        plain.variant = 0;
        if (still_fails(&program, &plain))
            s = plain;
    } else
        recover_program();
    if (!still_fails(&program, &s)) {
        printf("  does not fail when it is played again: memory that was not set, or time?\n");
        return;
    }
    net_shrink(&program, still_fails, &s);
    still_fails(&program, &s);
    char name[300];
    snprintf(name, sizeof name, options.keep_going ? "%s.%llu.c" : "%s", options.program,
             (unsigned long long)shared->seed);
    FILE *file = fopen(name, "w");
    if (!file)
        return;
    net_write(file, &program, s.variant, crash ? &(net_failure){.text = "crashes or hangs"} : &shared->failure);
    fclose(file);
    printf("  shrunk to %u ops (%s), written to %s\n", program.ops, crash ? "crash" : shared->failure.text, name);
    net_program_clear(&program);
}

/* ---- The search ------------------------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int search_worlds(void)
{
    double start = now();
    uint64_t seed = options.seed, failures = 0;
    shared->done = 0;
    while (options.seconds > 0 ? now() - start < options.seconds : shared->done + failures < options.worlds) {
        stretch s = {seed, options.seconds > 0 ? 20 : options.worlds - shared->done - failures};
        uint32_t before = shared->done;
        int status = in_child(play_stretch, &s);
        seed += shared->done - before;
        if (status == 0)
            continue;
        failures++;
        seed++;
        show_failure(status == 2);
        if (!options.keep_going)
            break;
    }
    printf("%u random worlds in %.1f s, %llu failures\n", shared->done, now() - start, (unsigned long long)failures);
    return failures != 0;
}

/* Worlds that fail say so elsewhere. */
static bool print_hash(void *context)
{
    static net_moment moment[NET_OPS];
    uint64_t hash = 0;
    (void)context;
    for (uint64_t seed = options.seed; seed < options.seed + options.worlds; ++seed) {
        net_make_program(&program, seed, ops_of(seed), is_large(seed));
        memset(moment, 0, sizeof moment);
        limit(MOST_SECONDS);
        net_play(&program, &net_variant_list[0], 0, moment, &shared->failure);
        for (uint32_t i = 0; i < program.ops && options.trace; ++i)
            printf("%llu: %u %s: %s, hash %016llx, events %016llx\n", (unsigned long long)seed, program.op[i].serial,
                   program.op[i].call < CALL_COUNT ? net_call_of((net_call)program.op[i].call)->name : "other",
                   sn_result_text(moment[i].result), (unsigned long long)moment[i].hash,
                   (unsigned long long)moment[i].events);
        for (uint32_t i = 0; i < program.ops; ++i)
            hash = support_random(&(uint64_t){hash ^ moment[i].hash}) + moment[i].events + moment[i].result;
        FILE *file = options.trace ? fopen(options.program, "w") : NULL;
        if (file) {
            net_write(file, &program, 0, &(net_failure){.text = "as it was made"});
            fclose(file);
        }
        net_program_clear(&program);
    }
    printf("%zu %016llx\n", sn_real_size(), (unsigned long long)hash);
    return true;
}

static bool print_cover(void *context)
{
    (void)context;
    for (uint64_t seed = options.seed; seed < options.seed + options.worlds; ++seed) {
        limit(MOST_SECONDS * (is_large(seed) ? 10 : 1));
        net_make_program(&program, seed, ops_of(seed), is_large(seed));
        net_play(&program, &net_variant_list[0], CHECK_COVER, NULL, &shared->failure);
        net_program_clear(&program);
    }
    net_print_cover();
    return true;
}

static _Noreturn void give_up(const char *why, const char *name)
{
    fprintf(stderr, "test_worlds: %s '%s'\n", why, name);
    exit(2);
}

static uint32_t variant_of(const char *name)
{
    for (uint32_t i = 0; i < NET_VARIANTS; ++i)
        if (strcmp(net_variant_list[i].name, name) == 0)
            return i;
    give_up("no twin is called", name);
}

static void read_option(const char *name, const char *value)
{
    if (strcmp(name, "--seed") == 0)
        options.seed = strtoull(value, NULL, 10);
    else if (strcmp(name, "--worlds") == 0)
        options.worlds = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(name, "--ops") == 0)
        options.ops = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(name, "--seconds") == 0)
        options.seconds = strtod(value, NULL);
    else if (strcmp(name, "--twin") == 0) {
        options.twins = 1u << variant_of(value);
        options.all = true;
    } else if (strcmp(name, "--no-twin") == 0)
        options.twins &= ~(1u << variant_of(value));
    else if (strcmp(name, "--program") == 0)
        options.program = value;
    else if (strcmp(name, "--no-check") == 0 || strcmp(name, "--check") == 0) {
        uint32_t i = 0;
        while (i < COUNT_OF(check_names) && strcmp(check_names[i], value) != 0)
            ++i;
        if (i == COUNT_OF(check_names))
            give_up("no check is called", value);
        options.checks = name[2] == 'n' ? options.checks & ~(1u << i) : 1u << i;
    } else
        give_up("there is no option", name);
}

int main(int count, char **argument)
{
    options.worlds =
        support_rounds(support_long(1600, 800), support_long(120, 45)); /* 100 in "make test", with a sanitizer 45 */
    for (int i = 1; i < count; ++i)
        if (strcmp(argument[i], "--all") == 0)
            options.all = true;
        else if (strcmp(argument[i], "--keep-going") == 0)
            options.keep_going = true;
        else if (strcmp(argument[i], "--hash") == 0)
            options.hash = true;
        else if (strcmp(argument[i], "--cover") == 0)
            options.cover = true;
        else if (strcmp(argument[i], "--trace") == 0)
            options.hash = options.trace = true;
        else if (strcmp(argument[i], "--list") == 0) {
            for (uint32_t k = 0; k < NET_VARIANTS; ++k)
                printf("twin '%s'\n", net_variant_list[k].name);
            for (uint32_t k = 0; k < COUNT_OF(check_names); ++k)
                printf("check '%s'\n", check_names[k]);
            return 0;
        } else if (i + 1 == count)
            give_up("there is no such option, or it needs a value:", argument[i]);
        else {
            read_option(argument[i], argument[i + 1]);
            ++i;
        }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 2;
    return options.cover ? in_child(print_cover, NULL) : options.hash ? in_child(print_hash, NULL) : search_worlds();
}
