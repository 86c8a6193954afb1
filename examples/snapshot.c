/* Return, branch, compare: a double pendulum is saved in motion and continued twice, once unchanged and once with an
   impulse of a hundredth of a newton second, which is enough to change the outcome. */
#include <sinew/sinew.h>
#include <inttypes.h>
#include <stdio.h>

/* Runs five more seconds, and prints the result. */
static uint64_t run_on(sn_world *world, const char *what, sn_particle bob)
{
    for (int frame = 0; frame < 300; ++frame)
        if (sn_world_step(world, 1.0 / 60) != SN_OK)
            return 0;
    sn_vec3 x = sn_particle_position(world, bob);
    printf("%-14s %016" PRIx64 "  bob at %8.5f %8.5f\n", what, sn_world_hash(world), (double)x.x, (double)x.y);
    return sn_world_hash(world);
}

int main(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK)
        return 1;
    sn_particle pivot = sn_particle_add_at(world, (sn_vec3){0, 0, 0}, SN_IMMOVABLE);
    sn_particle elbow = sn_particle_add_at(world, (sn_vec3){0.1, 1, 0}, 1);
    sn_particle bob = sn_particle_add_at(world, (sn_vec3){0, 2, 0}, 1);
    sn_constraint_add_distance(world, sn_at(pivot), sn_at(elbow), SN_MEASURE);
    sn_constraint_add_distance(world, sn_at(elbow), sn_at(bob), SN_MEASURE);

    run_on(world, "before", bob);
    sn_snapshot *moment = sn_world_save(world);
    uint64_t first = run_on(world, "first run", bob);
    sn_world_load(world, moment);
    uint64_t again = run_on(world, "same again", bob); /* same bits from here on */
    sn_world_load(world, moment);
    sn_particle_apply_impulse(world, bob, (sn_vec3){0.01, 0, 0});
    uint64_t pushed = run_on(world, "with a push", bob);

    int failed = *sn_world_error(world) != '\0' || first != again || first == pushed;
    if (failed)
        fprintf(stderr, "failed: %s\n", sn_world_error(world));
    sn_snapshot_destroy(moment);
    sn_world_destroy(world);
    return failed;
}
