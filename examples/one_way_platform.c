/* Callbacks of contact: a platform that is solid only from above, a conveyor belt, and a ghost without contact.

   A crate of 1 m is thrown up through the platform, falls back onto it and stays there. A ball lies on the belt and
   is carried off. The ghost, also a ball, falls through everything. */
#include <sinew/sinew.h>
#include <stdio.h>

/* The context of the callbacks. */
typedef struct level {
    sn_body platform, belt;
    sn_particle ghost;
} level;

static bool is_same(sn_body a, sn_body b)
{
    return a.index == b.index && a.generation == b.generation;
}

/* Whether the two may come into contact at all. */
static bool filter(void *context, const sn_contact_pair *pair)
{
    const level *l = context;
    return pair->particle.index != l->ghost.index;
}

/* Whether the contact acts in this step, and how. The normal points towards the particle or body. */
static bool pre_solve(void *context, sn_contact *contact)
{
    const level *l = context;
    if (is_same(contact->pair.other_body, l->belt))
        contact->surface_velocity.x = 2; /* m/s */
    if (!is_same(contact->pair.other_body, l->platform))
        return true;
    /* only from above, and not while the crate passes */
    return contact->normal.y > 0.9f && contact->separation > -0.02f;
}

int main(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK)
        return 1;
    level l;
    l.platform = sn_static_add_box(world, (sn_vec3){0, 3, 0}, (sn_vec3){2, 0.1f, 2});
    l.belt = sn_static_add_box(world, (sn_vec3){10, -0.5f, 0}, (sn_vec3){5, 0.5f, 2});
    sn_body crate = sn_body_add_box(world, (sn_vec3){0, 0.5f, 0}, (sn_vec3){0.5f, 0.5f, 0.5f}, 500);
    sn_particle ball = sn_particle_add_at(world, (sn_vec3){6, 0.1f, 0}, 1);
    l.ghost = sn_particle_add_at(world, (sn_vec3){8, 1, 0}, 1);
    sn_particle_set_radius(world, ball, 0.1f);
    sn_body_set_velocity(world, crate, (sn_vec3){0, 10, 0}, (sn_vec3){0, 0, 0});
    sn_world_set_contact_filter(world, filter, &l);
    sn_world_set_pre_solve(world, pre_solve, &l);
    for (int frame = 0; frame < 180; ++frame)
        if (sn_world_step(world, 1.0f / 60) != SN_OK) {
            puts(sn_world_error(world));
            return 1;
        }
    const double height = (double)sn_body_position(world, crate).y, way = (double)sn_particle_position(world, ball).x;
    const double depth = (double)sn_particle_position(world, l.ghost).y;
    printf("the crate stands at %.2f m, on the platform\n", height);
    printf("the ball came %.2f m on the belt, at %.2f m/s\n", way - 6, (double)sn_particle_velocity(world, ball).x);
    printf("the ghost is at %.0f m\n", depth);
    sn_world_destroy(world);
    return height > 3.59 && height < 3.61 && way > 11 && depth < -40 ? 0 : 1;
}
