/* A rope of 19 rods that hangs from a pin and carries a bob of 10 kg. */
#include <sinew/sinew.h>
#include <stdio.h>

int main(void)
{
    sn_world_def def = sn_default_world_def(); /* SI units, gravity on, 10 substeps */
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK)
        return 1;

    sn_particle last = {0};
    for (int i = 0; i < 20; ++i) {
        sn_particle p = sn_particle_add_at(world, (sn_vec3){0.1 * i, 2, 0}, i < 19 ? 0.1 : 10);
        if (i == 0)
            sn_constraint_add_pin(world, p);
        else
            sn_constraint_add_distance(world, sn_at(last), sn_at(p), SN_MEASURE); /* rest length as it is now */
        last = p;
    }
    for (int frame = 0; frame < 600; ++frame)
        if (sn_world_step(world, 1.0 / 60) != SN_OK)
            break;

    sn_vec3 x = sn_particle_position(world, last);
    printf("after %g s the bob is at %g %g %g\n", sn_world_time(world), (double)x.x, (double)x.y, (double)x.z);

    int failed = *sn_world_error(world) != '\0'; /* why the last failing call failed; empty when none has */
    if (failed)
        fprintf(stderr, "%s\n", sn_world_error(world));
    sn_world_destroy(world);
    return failed;
}
