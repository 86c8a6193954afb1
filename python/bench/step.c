/* The C side of python/bench/step.py: a cloth of SIDE x SIDE particles that is warmed up by WARM steps. Every line of input is a number of steps; the answer is a line
   with the seconds that each took. At the end of the input it prints the hash of the world.

       bench SIDE WARM */
#include <sinew/sinew.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(call)                                                                                                    \
    if ((call) != SN_OK)                                                                                               \
    return fprintf(stderr, "bench: %s\n", sn_world_error(world)), 1

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Rods from each particle to the next one along a row, or along a column. */
static sn_result add_rods(sn_world *world, uint32_t side, bool columns)
{
    uint32_t count = 0, *index = malloc(sizeof *index * 2 * side * side);
    if (!index)
        return SN_ERROR_MEMORY;
    for (uint32_t y = 0; y + (columns ? 1 : 0) < side; ++y)
        for (uint32_t x = 0; x + (columns ? 0 : 1) < side; ++x, ++count) {
            index[2 * count] = y * side + x;
            index[2 * count + 1] = y * side + x + (columns ? side : 1);
        }
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    sn_result result = sn_constraints_add(world, &def, count, index, NULL, NULL);
    free(index);
    return result;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return fputs("bench SIDE WARM\n", stderr), 2;
    uint32_t side = (uint32_t)atoi(argv[1]), warm = (uint32_t)atoi(argv[2]);
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    def.contact.on = false;
    sn_world *world = NULL;
    CHECK(sn_world_create(&def, &world));

    sn_real *xyz = calloc((size_t)side * side, 3 * sizeof *xyz);
    if (!xyz)
        return 1;
    for (uint32_t i = 0; i < side * side; ++i) {
        xyz[3 * i] = (sn_real)((i % side) * 0.01);
        xyz[3 * i + 1] = (sn_real)((i / side) * 0.01);
    }
    sn_particles run = sn_particles_add(world, side * side, xyz, 0, (sn_real)0.001);
    free(xyz);
    CHECK(add_rods(world, side, false));
    CHECK(add_rods(world, side, true));
    CHECK(sn_particle_set_mass(world, sn_particles_at(run, 0), SN_IMMOVABLE));
    CHECK(sn_particle_set_mass(world, sn_particles_at(run, side - 1), SN_IMMOVABLE));
    for (uint32_t i = 0; i < warm; ++i)
        CHECK(sn_world_step(world, (sn_real)0.01));

    int steps;
    while (scanf("%d", &steps) == 1) {
        for (int i = 0; i < steps; ++i) {
            double begin = now();
            CHECK(sn_world_step(world, (sn_real)0.01));
            printf("%.9f ", now() - begin);
        }
        puts("");
        fflush(stdout);
    }
    printf("%" PRIx64 "\n", sn_world_hash(world));
    sn_world_destroy(world);
    return 0;
}
