/* A program of somebody else: a rope of three particles that swings and comes to rest. Built in each way in which the
   library can be had, as C and as C++, so it keeps to what both languages understand. */
#include <sinew/sinew.h>

#include <stdio.h>
#include <string.h>

static sn_vec3 at(sn_real x, sn_real y)
{
    sn_vec3 v;
    v.x = x;
    v.y = y;
    v.z = 0;
    return v;
}

static int fail(const char *what, const sn_world *world)
{
    printf("consumer: %s %s\n", what, world != NULL ? sn_world_error(world) : "");
    return 1;
}

int main(void)
{
    char version[32];
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    sn_particle rope[3];
    sn_vec3 end;
    int i;

    snprintf(version, sizeof version, "%d.%d.%d", SN_VERSION_MAJOR, SN_VERSION_MINOR, SN_VERSION_PATCH);
    if (strcmp(version, sn_version()) != 0)
        return fail("the header and the library are of different versions", NULL);
    if (sn_real_size() != sizeof(sn_real))
        return fail("the header and the library disagree about sn_real", NULL);

    def.settings.damping = 2;
    if (sn_world_create(&def, &world) != SN_OK)
        return fail("no world", NULL);
    for (i = 0; i < 3; ++i) {
        rope[i] = sn_particle_add_at(world, at((sn_real)0.5 * (sn_real)i, 2), i == 0 ? SN_IMMOVABLE : 1);
        if (i > 0 && sn_constraint_add_distance(world, sn_at(rope[i - 1]), sn_at(rope[i]), SN_MEASURE).kind == 0)
            return fail("no rod:", world);
    }
    for (i = 0; i < 600; ++i) {
        if (sn_world_step(world, (sn_real)1 / 60) != SN_OK)
            return fail("a step failed:", world);
    }

    end = sn_particle_position(world, rope[2]);
    printf("version %s, sn_real of %u bytes: the end of the rope hangs at %g %g %g\n", version,
           (unsigned)sn_real_size(), (double)end.x, (double)end.y, (double)end.z);
    if (!(fabs((double)end.x) < 0.05 && fabs((double)end.y - 1) < 0.01 && end.z == 0))
        return fail("the rope does not hang straight down, at 0 1 0", NULL);
    sn_world_destroy(world);
    return 0;
}
