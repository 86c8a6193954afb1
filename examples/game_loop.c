/* The loop of a game: a screen of 144 Hz over a world of 60 Hz, with irregular frame times.

   A crate slides at 3 m/s and rotates, under a lantern on a rope. Every frame shows them. The program prints how
   smooth the motion looks: by how much the crate moves on the screen compared with 3 m/s times the time of the
   frame, once drawn at its position in the world, and once interpolated. */
#include <sinew/sinew.h>
#include <stdio.h>

/* What a renderer needs: vertices of the rope, and a pose for the mesh of the crate. */
typedef struct picture {
    sn_vec3 rope[20];
    sn_vec3 crate;
    sn_quat crate_rotation;
} picture;

/* A frame time as of a screen: about 1/144 s; sometimes a frame is missed. */
static double next_frame(unsigned *random)
{
    *random = *random * 1664525u + 1013904223u;
    double noise = (*random >> 8) / 16777216.0;
    return noise > 0.97 ? 2.0 / 144 : (1 + 0.2 * (noise - 0.5)) / 144;
}

static sn_particles hang_rope(sn_world *world)
{
    sn_vec3 x[20];
    for (int i = 0; i < 20; ++i)
        x[i] = (sn_vec3){(sn_real)(0.1 * i), 3, 0};
    sn_particles rope = sn_particles_add(world, 20, &x[0].x, 0, (sn_real)0.1);
    sn_particle_set_mass(world, sn_particles_at(rope, 0), SN_IMMOVABLE);
    for (uint32_t i = 1; i < 20; ++i)
        sn_constraint_add_distance(world, sn_at(sn_particles_at(rope, i - 1)), sn_at(sn_particles_at(rope, i)),
                                   SN_MEASURE);
    return rope;
}

static double worst_error(const sn_vec3 *before, const sn_vec3 *now, double seconds, double worst)
{
    double error = fabs((double)now->x - (double)before->x - 3 * seconds);
    return error > worst ? error : worst;
}

int main(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK)
        return 1;
    sn_particles rope = hang_rope(world);
    sn_body crate = sn_body_add_box(world, (sn_vec3){0, 0, 0}, (sn_vec3){1, 1, 1}, 200);
    sn_body_set_velocity(world, crate, (sn_vec3){3, 0, 0}, (sn_vec3){0, 1, 0});
    sn_accumulator *accumulator = sn_accumulator_create(world, NULL); /* steps of 1/60 s, at most 5 per frame */

    picture drawn, last;
    sn_vec3 plain = {0, 0, 0}, last_plain = {0, 0, 0};
    double shown = 0, dropped, uneven = 0, uneven_plain = 0;
    unsigned random = 1, steps = 0, frames = 0;
    sn_result result = SN_OK;
    for (; frames < 1000 && result == SN_OK; ++frames) {
        double seconds = next_frame(&random);
        result = sn_accumulator_add(accumulator, world, seconds, &dropped);
        for (; result == SN_OK && sn_accumulator_due(accumulator) > 0; ++steps) {
            /* forces act for one step: here one that carries the crate */
            sn_body_apply_force(world, crate, (sn_vec3){0, (sn_real)(9.81 * 1600), 0}, sn_body_centre(world, crate));
            result = sn_accumulator_step(accumulator, world);
        }

        sn_real alpha = sn_accumulator_alpha(accumulator);
        last = drawn;
        last_plain = plain;
        sn_accumulator_read_positions(accumulator, world, rope, alpha, &drawn.rope[0].x, 0);
        sn_accumulator_body_pose(accumulator, world, crate, alpha, &drawn.crate, &drawn.crate_rotation);
        plain = sn_body_position(world, crate); /* the position without interpolation */
        shown += seconds;
        if (shown > 0.1) { /* once there are two states */
            uneven = worst_error(&last.crate, &drawn.crate, seconds, uneven);
            uneven_plain = worst_error(&last_plain, &plain, seconds, uneven_plain);
        }
    }
    printf("%u frames, %u steps, %g s\n", frames, steps, sn_world_time(world));
    printf("from frame to frame the crate is off by up to %.1f mm drawn as the world has it\n", 1e3 * uneven_plain);
    printf("and by up to %.3f mm drawn in between\n", 1e3 * uneven);

    int failed = result != SN_OK || !(uneven < 1e-4) || !(uneven_plain > 1e-2);
    if (*sn_world_error(world))
        fprintf(stderr, "%s\n", sn_world_error(world));
    sn_accumulator_destroy(accumulator);
    sn_world_destroy(world);
    return failed;
}
