/* A character walks up stairs onto a lift, rides it, pushes a crate off, and fails to climb a slope that is too
   steep.

   The character is a struct of the program. In every frame the program sets its velocity, and sn_character_move
   moves it as far as there is room. */
#include <sinew/sinew.h>
#include <stdio.h>

static const float dt = 1.0f / 60;

/* Walks for some seconds, under gravity. */
static bool walk(sn_world *world, sn_character *c, float x, float z, float seconds)
{
    for (float t = 0; t < seconds; t += dt) {
        c->velocity.x = x;
        c->velocity.z = z;
        c->velocity.y = c->grounded ? 0 : c->velocity.y - 9.81f * dt;
        if (sn_world_step(world, dt) != SN_OK || sn_character_move(world, c, dt) != SN_OK) {
            puts(sn_world_error(world));
            return false;
        }
    }
    return true;
}

static void tell(const char *what, const sn_character *c)
{
    printf("%-28s at %5.2f %5.2f %5.2f%s%s\n", what, (double)c->position.x, (double)c->position.y,
           (double)c->position.z, c->grounded ? ", on the ground" : "", c->blocked ? ", blocked" : "");
}

static bool is_near(float a, float b)
{
    return a > b - 0.05f && a < b + 0.05f;
}

int main(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK)
        return 1;
    sn_static_add_plane(world, (sn_vec3){0, 0, 0}, (sn_vec3){0, 1, 0});
    for (int i = 0; i < 5; ++i) /* five steps of 20 cm, from x = 2 on */
        sn_static_add_box(world, (sn_vec3){2.2f + 0.4f * i, 0.1f * (i + 1), 0}, (sn_vec3){0.2f, 0.1f * (i + 1), 1});
    sn_body lift = sn_static_add_box(world, (sn_vec3){5, 0.9f, 0}, (sn_vec3){1, 0.1f, 1});
    sn_body_set_type(world, lift, SN_BODY_KINEMATIC); /* a static body cannot move */
    sn_body crate = sn_body_add_box(world, (sn_vec3){0, 0.25f, 3}, (sn_vec3){0.25f, 0.25f, 0.25f}, 200);
    sn_body slope = sn_static_add_box(world, (sn_vec3){-5, 0, 0}, (sn_vec3){3, 0.5f, 3});
    sn_body_set_pose(world, slope, (sn_vec3){-5, 0, 0}, (sn_quat){0, 0, -0.5f, 0.866f}); /* 60 degrees */

    sn_character c = sn_default_character(); /* 1.8 m, climbs 30 cm and 50 degrees */
    bool good = walk(world, &c, 0, 0, 0.2f);
    tell("it stands", &c);
    good = good && walk(world, &c, 2, 0, 2.4f); /* 2 m/s */
    tell("up the stairs, on the lift", &c);
    good = good && is_near(c.position.y, 1) && c.grounded;
    sn_body_set_velocity(world, lift, (sn_vec3){0, 1, 0.5f}, (sn_vec3){0, 0, 0});
    good = good && walk(world, &c, 0, 0, 2);
    tell("two seconds later", &c);
    good = good && is_near(c.position.y, 3) && is_near(c.position.z, 1) && c.grounded;
    sn_body_set_velocity(world, lift, (sn_vec3){0, 0, 0}, (sn_vec3){0, 0, 0});

    c.position = (sn_vec3){0, 0.01f, 1}; /* elsewhere */
    c.grounded = false;
    good = good && walk(world, &c, 0, 1.5f, 2);
    tell("it pushes a crate", &c);
    const float pushed = sn_body_position(world, crate).z;
    printf("the crate of 25 kg went from 3 to %.2f m\n", (double)pushed);
    good = good && pushed > 3.4f;

    c.position = (sn_vec3){0, 0.01f, 0};
    c.grounded = false;
    good = good && walk(world, &c, -2, 0, 3);
    tell("a slope of 60 degrees", &c);
    good = good && c.position.y < 0.1f && c.blocked;
    sn_world_destroy(world);
    return good ? 0 : 1;
}
