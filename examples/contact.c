/* Contact: three balls on a ramp, of which one is held by friction, one slides and one rolls; a moving box that
   pushes the first; the contact events; and a ray that picks up a ball as a mouse would.

   The ramp falls by 3 m for every 4 m (sin a = 0.6, cos a = 0.8). From rest, a ball moves in a time t by

       if friction mu < tan a, sliding              (g sin a - mu g cos a) t^2 / 2
       rolling, if mu is at least 2/7 tan a         5/7 g sin a t^2 / 2 */
#include <sinew/sinew.h>
#include <stdio.h>
#include <tgmath.h>

enum { HOLDS = 1, SLIDES, ROLLS }; /* groups: all particles of a group have the same material */

static const sn_real radius = (sn_real)0.05;
static const sn_quat turn = {0, 0, -1, 3}; /* about z; need not have length 1 */

/* The point so far down the ramp, above its surface, and to the side. */
static sn_vec3 on_ramp(sn_real along, sn_real above, sn_real side)
{
    const sn_real s = (sn_real)0.6, c = (sn_real)0.8;
    return (sn_vec3){c * along + s * above, c * above - s * along, side};
}

/* Adds a kinematic box, which moves at a velocity and is not pushed by anything. */
static sn_body add_box(sn_world *world, sn_vec3 position, sn_vec3 half, sn_vec3 velocity)
{
    sn_contact_material material = sn_default_contact_material();
    material.static_friction = material.dynamic_friction = 0.5; /* averaged with that of the other side */
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
    shape.half = half;
    shape.material = &material;
    sn_body_def def = sn_default_body_def();
    def.type = SN_BODY_KINEMATIC;
    def.position = position;
    def.rotation = turn;
    def.velocity = velocity;
    def.shapes = &shape;
    def.shape_count = 1;
    sn_body body;
    sn_body_add(world, &def, &body); /* null on failure, and sn_world_error says why */
    return body;
}

/* Adds a ball, alone in its group. */
static sn_particle add_ball(sn_world *world, uint32_t group, sn_real friction, bool rolls)
{
    sn_group_contact contact = sn_default_group_contact(group);
    contact.material.static_friction = contact.material.dynamic_friction = friction;
    contact.rolls = rolls;
    sn_world_set_group_contact(world, group, &contact);
    sn_particle_def def = sn_default_particle_def();
    def.position = on_ramp(-2, radius, (sn_real)group);
    def.mass = 0.2;
    def.radius = radius; /* without a radius it would be a point */
    def.group = group;
    sn_particle ball = {0};
    sn_particle_add(world, &def, &ball);
    return ball;
}

/* Handles are equal if both parts are. A null handle has the index 0, as the first particle has, but the generation
   0. */
static bool is_same(sn_particle a, sn_particle b)
{
    return a.index == b.index && a.generation == b.generation;
}

/* Runs a second. Returns the time at which the ball first comes into contact with the box, or 0. */
static double run(sn_world *world, sn_particle ball, sn_body box)
{
    double met = 0;
    for (int frame = 0; frame < 60 && sn_world_step(world, 1.0 / 60) == SN_OK; ++frame) {
        uint32_t count;
        /* events of this step, valid until the next one */
        const sn_contact_event *event = sn_world_contact_events(world, &count);
        for (uint32_t i = 0; i < count; ++i)
            if (event[i].phase == SN_CONTACT_BEGIN && is_same(event[i].particle, ball) &&
                event[i].other_body.generation && event[i].other_body.index == box.index) {
                met = sn_world_time(world);
                printf("at %.2f s the box hits a ball, with an impulse of %.3f N s\n", met, (double)event[i].impulse);
            }
    }
    return met;
}

/* Prints the path of a ball down the ramp. Returns whether it is exact to a hundredth. */
static bool tell(const sn_world *world, const char *what, sn_particle ball, double exact)
{
    sn_vec3 x = sn_particle_position(world, ball), x0 = on_ramp(-2, radius, 0);
    double way = 0.8 * (double)(x.x - x0.x) - 0.6 * (double)(x.y - x0.y);
    printf("%-16s %.3f m; expected: %.3f m\n", what, way, exact);
    return fabs(way - exact) <= 0.001 + 0.01 * exact;
}

/* Picks the ball up with a ray, as with a mouse, and pulls it up by 1 m. */
static bool pick_up(sn_world *world, sn_particle ball)
{
    sn_vec3 x = sn_particle_position(world, ball), back = on_ramp(0, 3, 0), ray = on_ramp(0, -1, 0);
    sn_vec3 eye = {x.x + back.x, x.y + back.y, x.z};
    sn_hit hit;
    if (!sn_query_ray(world, eye, ray, 10, sn_default_query_filter(), &hit) || !is_same(hit.particle, ball))
        return false;
    printf("a ray meets it after %.2f m", (double)hit.distance);
    sn_point grip = sn_query_pick(world, eye, ray, 10, 0, NULL); /* the same as a point for constraints */
    sn_vec3 up = {x.x, x.y + 1, x.z};
    sn_constraint_add_pin_at(world, grip, up);
    run(world, ball, (sn_body){0});
    x = sn_particle_position(world, ball);
    printf(", and now it hangs at %.2f %.2f %.2f\n", (double)x.x, (double)x.y, (double)x.z);
    return fabs(x.y - up.y) < (sn_real)0.001;
}

int main(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK)
        return 1;
    sn_contact_settings settings = sn_default_contact_settings();
    settings.events = true; /* they cost a little, so they are off by default */
    sn_world_set_contact_settings(world, &settings);

    /* the ramp, with the middle of its surface at the origin; and a box 0.6 m before the first ball, at 0.5 m/s */
    add_box(world, on_ramp(0, -0.1, 2), (sn_vec3){4, 0.1, 2}, (sn_vec3){0});
    sn_real gap = (sn_real)0.6 + radius + (sn_real)0.1;
    sn_body box = add_box(world, on_ramp(-2 - gap, 0.11, HOLDS), (sn_vec3){0.1, 0.1, 0.1}, on_ramp(0.5, 0, 0));
    sn_particle holds = add_ball(world, HOLDS, 1.2, false);   /* with the ramp's 0.5: 0.85, more than tan a = 0.75 */
    sn_particle slides = add_ball(world, SLIDES, 0.1, false); /* 0.3 */
    sn_particle rolls = add_ball(world, ROLLS, 0.5, true);    /* 0.5 */

    run(world, holds, box);
    bool good = tell(world, "holds", holds, 0);
    good &= tell(world, "slides", slides, 9.81 * (0.6 - 0.3 * 0.8) / 2);
    good &= tell(world, "rolls", rolls, 9.81 * 0.6 * 5 / 7 / 2);
    good &= fabs(run(world, holds, box) - 1.2) < 1.5 / 60; /* 0.6 m at 0.5 m/s */
    good &= tell(world, "was pushed", holds, 0.5 * (2 - 1.2));
    good &= pick_up(world, holds);

    bool failed = *sn_world_error(world) != '\0';
    if (failed)
        fprintf(stderr, "%s\n", sn_world_error(world));
    sn_world_destroy(world);
    return failed || !good;
}
