/* A cloth added in two calls and read without a copy: 40 x 40 particles held by their top corners. */
#include <sinew/sinew.h>
#include <stdio.h>

enum { SIDE = 40, PARTICLES = SIDE * SIDE, RODS = 2 * SIDE * (SIDE - 1) };

/* Lists a rod to the right of every particle but those of the last column, then one down from all but the last row. */
static void weave(uint32_t rods[RODS][2], uint32_t first)
{
    for (uint32_t i = 0, k = 0; i < SIDE; ++i)
        for (uint32_t j = 0; j + 1 < SIDE; ++j, ++k) {
            rods[k][0] = first + i * SIDE + j;
            rods[k][1] = rods[k][0] + 1;
            rods[k + RODS / 2][0] = first + j * SIDE + i;
            rods[k + RODS / 2][1] = first + (j + 1) * SIDE + i;
        }
}

/* Reads the engine's own memory: item after item, stride bytes apart. */
static double lowest_point(sn_view x)
{
    double lowest = 0;
    for (uint32_t slot = 0; slot < x.count; ++slot) {
        const sn_real *xyz = (const sn_real *)((const char *)x.data + slot * x.stride);
        lowest = fmin(lowest, (double)xyz[1]);
    }
    return lowest;
}

int main(void)
{
    static sn_real xyz[PARTICLES][3];
    static uint32_t rods[RODS][2];
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = 40; /* a cloth of many rods stretches less with more substeps */
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK)
        return 1;

    for (int i = 0; i < PARTICLES; ++i) {
        xyz[i][0] = 0.025 * (i % SIDE);
        xyz[i][2] = 0.025 * (i / SIDE);
    }
    sn_particles cloth = sn_particles_add(world, PARTICLES, xyz[0], sizeof xyz[0], 0.0005);
    weave(rods, cloth.first);
    sn_constraints_add_kind(world, SN_KIND_DISTANCE, RODS, rods[0], NULL, &(sn_material){.compliance = 1e-7});
    sn_constraint_add_pin(world, sn_particles_at(cloth, 0));
    sn_constraint_add_pin(world, sn_particles_at(cloth, SIDE - 1));

    /* shows the present positions after every step, until particles are added or removed */
    sn_view x = sn_world_view_positions(world);
    for (int frame = 0; frame <= 120 && *sn_world_error(world) == '\0'; ++frame) {
        if (frame % 20 == 0)
            printf("%4.2f s: lowest point %6.3f m\n", sn_world_time(world), lowest_point(x));
        sn_world_step(world, 1.0 / 60);
    }
    int failed = *sn_world_error(world) != '\0';
    if (failed)
        fprintf(stderr, "%s\n", sn_world_error(world));
    sn_world_destroy(world);
    return failed;
}
