/* Rigid bodies: a crate hangs on a rope of particles; a door swings on a hinge to its limit; a tower of boxes stands
   on the ground. At the end the rope carries the weight of the crate, and the tower stands where it was.

   A body is a particle that also rotates: ropes are attached to points of a body as they are to particles. */
#include <sinew/sinew.h>
#include <stdio.h>
#include <tgmath.h>

enum { LINKS = 10, BOXES = 5 };

static const sn_real g = (sn_real)9.81;

/* Adds a rope from a fixed point down to the top of a crate of 8 kg. Returns its first link. */
static sn_constraint hang_crate(sn_world *world, sn_body *crate)
{
    sn_vec3 size = {(sn_real)0.1, (sn_real)0.1, (sn_real)0.1}; /* half its edges */
    *crate = sn_body_add_box(world, (sn_vec3){.x = -1, .y = (sn_real)0.9}, size, 1000);
    sn_point above = sn_at_place((sn_vec3){.x = -1, .y = 2});
    sn_constraint first = {0};
    for (int i = 1; i <= LINKS; ++i) {
        sn_real y = 2 - (sn_real)i / LINKS;
        sn_point below = i < LINKS ? sn_at(sn_particle_add_at(world, (sn_vec3){.x = -1, .y = y}, (sn_real)0.01))
                                   : sn_on_body(*crate, (sn_vec3){.y = (sn_real)0.1}); /* in the crate's own frame */
        sn_constraint link = sn_constraint_add_distance(world, above, below, SN_MEASURE);
        first = i == 1 ? link : first;
        above = below;
    }
    return first;
}

/* Adds a door with a vertical hinge, and pushes it open. */
static sn_constraint hang_door(sn_world *world)
{
    sn_vec3 half = {(sn_real)0.4, 1, (sn_real)0.02};
    sn_body door = sn_body_add_box(world, (sn_vec3){.x = (sn_real)1.4, .y = (sn_real)1.1}, half, 500);
    sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_HINGE);
    def.a = door;
    def.anchor = (sn_vec3){.x = 1, .y = (sn_real)1.1};
    def.axis = (sn_vec3){.y = 1};
    def.least = -(sn_real)1.2; /* rad */
    def.most = (sn_real)1.2;
    sn_constraint hinge = sn_joint_add(world, &def); /* b is null: the world */
    sn_body_apply_impulse(world, door, (sn_vec3){.z = 10}, (sn_vec3){.x = (sn_real)1.8, .y = 1});
    return hinge;
}

int main(void)
{
    sn_world_def def = sn_default_world_def();
    def.settings.solver =
        SN_SOLVER_DIRECT; /* the crate is 800 times heavier than a link, so the rope is solved directly, as a whole */
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK)
        return 1;
    sn_body crate, box = {0};
    sn_constraint link = hang_crate(world, &crate), hinge = hang_door(world);
    sn_static_add_plane(world, (sn_vec3){0}, (sn_vec3){.y = 1});
    for (int i = 0; i < BOXES; ++i)
        box = sn_body_add_box(world, (sn_vec3){.y = (sn_real)0.2 + (sn_real)0.4 * (sn_real)i},
                              (sn_vec3){(sn_real)0.2, (sn_real)0.2, (sn_real)0.2}, 500);
    sn_real widest = 0, pull = 0;
    for (int frame = 0; frame < 600; ++frame) {
        if (sn_world_step(world, (sn_real)(1.0 / 60)) != SN_OK) {
            puts(sn_world_error(world));
            return 1;
        }
        sn_real angle = fabs(sn_joint_angle(world, hinge));
        widest = angle > widest ? angle : widest;
        if (frame >= 480) /* forces of rigid constraints are noisy: takes the mean over two seconds */
            pull += sn_constraint_force(world, link).magnitude / 120;
    }
    sn_real weight = (sn_body_mass(world, crate) + (LINKS - 1) * (sn_real)0.01) * g;
    sn_real height = sn_body_position(world, box).y;
    printf("the rope pulls with %.2f N; crate and rope weigh %.2f N\n", (double)pull, (double)weight);
    printf("the door opened by %.3f rad; its limit is 1.2\n", (double)widest);
    printf("the highest box is at %.3f m; it was put at %.3f m\n", (double)height, 0.2 + 0.4 * (BOXES - 1));
    bool good = fabs(pull - weight) < (sn_real)0.02 * weight && widest > 1 && widest < (sn_real)1.21 &&
                fabs(height - (sn_real)1.8) < (sn_real)0.005;
    sn_world_destroy(world);
    return good ? 0 : 1;
}
