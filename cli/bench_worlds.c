/* Many worlds: how many are stepped per second, on one thread and on several, compared with as many separate
   processes, and with the same worlds one by one. Wall time. The alternatives are measured in turn, and the median
   counts. */
#include "cli/bench.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DT ((sn_real)(1.0 / 60))

enum { ROUNDS = 5, MOST_PROCESSES = 64, CALLS = 2 };

static const uint32_t steps_of_calls[CALLS] = {1, 8};

/* ---- Worlds ------------------------------------------------------------------------------------------------------ */

/* A cart on a rail and a bob at the end of a rod. */
static sn_result build_cart(void *context, sn_world *world, uint32_t number)
{
    (void)context;
    const sn_particle cart = sn_particle_add_at(world, (sn_vec3){0, 0, 0}, 1);
    const sn_particle bob = sn_particle_add_at(world, (sn_vec3){0, 1, 0}, (sn_real)0.1);
    const sn_constraint rail = sn_constraint_add_on_line(world, sn_at(cart), (sn_vec3){0, 0, 0}, (sn_vec3){1, 0, 0});
    const sn_constraint rod = sn_constraint_add_distance(world, sn_at(cart), sn_at(bob), 1);
    if (!rail.generation || !rod.generation)
        return SN_ERROR_MEMORY;
    return sn_particle_set_velocity(world, bob, (sn_vec3){(sn_real)(number % 97) / 100, 0, 0});
}

/* The same with rigid bodies: a slider and a hinge. */
static sn_result build_bodies(void *context, sn_world *world, uint32_t number)
{
    (void)context;
    const sn_body base = sn_static_add_box(world, (sn_vec3){0, -1, 0}, (sn_vec3){1, (sn_real)0.1, 1});
    const sn_body cart =
        sn_body_add_box(world, (sn_vec3){0, 0, 0}, (sn_vec3){(sn_real)0.2, (sn_real)0.1, (sn_real)0.1}, 100);
    const sn_body pole = sn_body_add_box(world, (sn_vec3){0, (sn_real)0.6, 0},
                                         (sn_vec3){(sn_real)0.02, (sn_real)0.5, (sn_real)0.02}, 100);
    const sn_constraint slider = sn_joint_add_slider(world, base, cart, (sn_vec3){0, 0, 0}, (sn_vec3){1, 0, 0});
    const sn_constraint hinge =
        sn_joint_add_hinge(world, cart, pole, (sn_vec3){0, (sn_real)0.1, 0}, (sn_vec3){0, 0, 1});
    if (!slider.generation || !hinge.generation)
        return SN_ERROR_MEMORY;
    return sn_body_set_velocity(world, pole, (sn_vec3){0, 0, 0}, (sn_vec3){0, 0, (sn_real)(number % 97) / 100});
}

enum { LINKS = 32 };

static sn_result build_rope(void *context, sn_world *world, uint32_t number)
{
    (void)context;
    sn_real xyz[3 * (LINKS + 1)] = {0};
    for (uint32_t i = 0; i <= LINKS; ++i)
        xyz[3 * i] = (sn_real)(0.05 * i);
    const sn_particles run = sn_particles_add(world, LINKS + 1, xyz, 0, (sn_real)0.01);
    sn_result result = sn_particle_set_mass(world, sn_particles_at(run, 0), SN_IMMOVABLE);
    for (uint32_t i = 0; result == SN_OK && i < LINKS; ++i)
        if (!sn_constraint_add_distance(world, sn_at(sn_particles_at(run, i)), sn_at(sn_particles_at(run, i + 1)),
                                        (sn_real)0.05)
                 .generation)
            result = SN_ERROR_MEMORY;
    return result == SN_OK ? sn_particle_set_velocity(world, sn_particles_at(run, LINKS),
                                                      (sn_vec3){0, 0, (sn_real)(number % 97) / 10})
                           : result;
}

typedef struct population {
    const char *name;
    uint32_t count;
    sn_worlds_build_fn *build;
    bool swept; /* without direct solves */
} population;

static const population populations[] = {
    {"cart-poles", 4096, build_cart, false},
    {"cart-poles of bodies", 4096, build_bodies, false},
    {"ropes of 32", 1024, build_rope, false},
    {"ropes of 32, swept", 1024, build_rope, true},
};

static sn_worlds *make(const population *p, uint32_t count, uint32_t threads, bool side_by_side)
{
    sn_worlds_def def = sn_default_worlds_def();
    sn_worlds *worlds;
    def.count = count;
    def.build = p->build;
    def.threads = threads;
    def.side_by_side = side_by_side;
    def.world.contact.on = false;
    def.world.settings.stiffening = p->swept ? SN_STIFFENING_OFF : SN_STIFFENING_AUTO;
    if (sn_worlds_create(&def, &worlds) != SN_OK)
        return NULL;
    for (uint32_t i = 0; i < 4; ++i) /* makes plans, batches, threads */
        if (sn_worlds_step(worlds, DT) != SN_OK) {
            sn_worlds_destroy(worlds);
            return NULL;
        }
    return worlds;
}

/* World steps per second, measured for at least so many seconds, with so many steps per call. */
static double measure(sn_worlds *worlds, uint32_t steps, double seconds)
{
    const double start = sn_seconds_now();
    double now = start;
    uint64_t taken = 0;
    for (; now - start < seconds; now = sn_seconds_now(), taken += steps)
        if (sn_worlds_step_many(worlds, DT, steps, NULL) != SN_OK)
            return 0;
    return (double)taken * sn_worlds_count(worlds) / (now - start);
}

/* ---- Processes --------------------------------------------------------------------------------------------------- */

/* A separate process. It makes its share of the worlds and reports that it is ready. Each time it receives the steps
   of a call, it measures and reports. */
static void work_apart(const population *p, uint32_t share, double seconds, int told, int tells)
{
    sn_worlds *worlds = make(p, share, 1, true);
    double rate = worlds ? 1 : 0;
    uint32_t steps;
    while (write(tells, &rate, sizeof rate) == (ssize_t)sizeof rate && worlds &&
           read(told, &steps, sizeof steps) == (ssize_t)sizeof steps)
        rate = measure(worlds, steps, seconds);
    _exit(0);
}

typedef struct crew {
    uint32_t count;
    struct {
        pid_t pid;
        int tell, told;
    } process[MOST_PROCESSES];
} crew;

static bool hear(const crew *c, double *sum)
{
    *sum = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        double rate;
        if (read(c->process[i].told, &rate, sizeof rate) != (ssize_t)sizeof rate || rate <= 0)
            return false;
        *sum += rate;
    }
    return true;
}

static bool hire(crew *c, const population *p, uint32_t processes, double seconds)
{
    c->count = 0;
    for (uint32_t i = 0; i < processes; ++i) {
        int there[2], back[2];
        if (pipe(there) != 0 || pipe(back) != 0)
            return false;
        const uint32_t share = p->count / processes + (i < p->count % processes);
        const pid_t pid = fork();
        if (pid < 0)
            return false;
        for (uint32_t j = 0; pid == 0 && j < c->count;
             ++j) { /* ends of other processes' pipes, which must close when those processes end */
            close(c->process[j].tell);
            close(c->process[j].told);
        }
        if (pid == 0) {
            close(there[1]);
            close(back[0]);
        }
        if (pid == 0)
            work_apart(p, share, seconds, there[0], back[1]);
        close(there[0]);
        close(back[1]);
        c->process[c->count].pid = pid;
        c->process[c->count].tell = there[1];
        c->process[c->count++].told = back[0];
    }
    double ready;
    return hear(c, &ready);
}

static double measure_apart(const crew *c, uint32_t steps)
{
    double sum;
    for (uint32_t i = 0; i < c->count; ++i)
        if (write(c->process[i].tell, &steps, sizeof steps) != (ssize_t)sizeof steps)
            return 0;
    return hear(c, &sum) ? sum : 0;
}

static void dismiss(crew *c)
{
    for (uint32_t i = 0; i < c->count; ++i) {
        close(c->process[i].tell);
        close(c->process[i].told);
    }
    for (uint32_t i = 0; i < c->count; ++i)
        waitpid(c->process[i].pid, NULL, 0);
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value)
{
    qsort(value, ROUNDS, sizeof *value, compare);
    return value[ROUNDS / 2];
}

/* World steps per second. */
typedef struct rates {
    double together[ROUNDS], apart[ROUNDS], alone[ROUNDS];
} rates;

static void tell(const population *p, uint32_t threads, uint32_t steps, uint32_t beside, rates *r, bool json)
{
    const double together = median(r->together), apart = median(r->apart), alone = median(r->alone);
    if (json)
        printf("{\"scene\": \"worlds\", \"what\": \"%s\", \"count\": %u, \"threads\": %u, \"steps_per_call\": %u, "
               "\"side_by_side\": %u, \"worlds_per_s\": %.6g, \"processes_worlds_per_s\": %.6g, "
               "\"one_by_one_worlds_per_s\": %.6g}\n",
               p->name, p->count, threads, steps, beside, together, apart, alone);
    else
        printf("  %5u %-22s %8u %6u %12.0f %12.0f %6.2f %12.0f %7.1f\n", p->count, p->name, threads, steps, together,
               apart, apart > 0 ? together / apart : 0, alone, alone > 0 ? together / alone : 0);
    fflush(stdout);
}

/* The processes are made first, before this process has the threads of its worlds. */
static bool measure_population(const population *p, uint32_t threads, double seconds, bool json)
{
    rates rate[CALLS];
    crew c = {0};
    const bool apart = threads <= MOST_PROCESSES && hire(&c, p, threads, seconds);
    sn_worlds *all = make(p, p->count, threads, true), *single = make(p, p->count, threads, false);
    const bool made = all && single;
    for (uint32_t i = 0; made && i < ROUNDS; ++i)
        for (uint32_t k = 0; k < CALLS; ++k) {
            rate[k].together[i] = measure(all, steps_of_calls[k], seconds);
            rate[k].apart[i] = apart ? measure_apart(&c, steps_of_calls[k]) : 0;
            rate[k].alone[i] = measure(single, steps_of_calls[k], seconds);
        }
    dismiss(&c);
    for (uint32_t k = 0; made && k < CALLS; ++k)
        tell(p, threads, steps_of_calls[k], sn_worlds_beside_count(all), &rate[k], json);
    sn_worlds_destroy(all);
    sn_worlds_destroy(single);
    return made;
}

bool sn_bench_worlds(const uint32_t *threads, uint32_t count, bool quick, bool json)
{
    bool good = true;
    if (!json)
        printf("\nworlds: small worlds stepped together, 10 substeps of a step of 1/60 s; worlds a second, by calls of "
               "so many steps\n\n"
               "  %5s %-22s %8s %6s %12s %12s %6s %12s %7s\n",
               "", "", "threads", "steps", "together", "processes", "share", "one by one", "lanes x");
    for (uint32_t i = 0; i < sizeof populations / sizeof *populations; ++i)
        for (uint32_t t = 0; t < count; ++t)
            good = measure_population(&populations[i], threads[t], quick ? 0.05 : 0.4, json) && good;
    return good;
}
