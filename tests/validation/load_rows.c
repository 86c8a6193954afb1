/* The validation cases of what lies on bodies that move or that joints hold, of rolling, and of leaning. */
#include "validation/row_tools.h"

static sn_body must_be(sn_world *world, sn_body body)
{
    if (!sn_body_is_valid(world, body))
        give_up("body", sn_world_error(world));
    return body;
}

/* A tray of 64 kg on three links, with a box on it: the force of the upper joint is the weight of all. */
void loaded_tray(records *out)
{
    static const double density[] = {1e3, 1e4, 1e5};
    for (size_t k = 0; k < COUNT_OF(density); ++k) {
        sn_world *world = make_world(10, 1, 0);
        const sn_body hook = must_be(world, sn_static_add_box(world, vec(0, 5, 0), vec(0.05, 0.05, 0.05))),
                      tray = must_be(world, sn_body_add_box(world, vec(0, 2.75, 0), vec(0.4, 0.05, 0.4), 1000)),
                      box =
                          must_be(world, sn_body_add_box(world, vec(0, 2.9, 0), vec(0.1, 0.1, 0.1), real(density[k])));
        double mass = (double)sn_body_mass(world, tray) + (double)sn_body_mass(world, box);
        sn_body last = hook;
        sn_constraint top = {0};
        for (int i = 0; i < 4; ++i) {
            const sn_body next =
                i < 3 ? must_be(world, sn_body_add_box(world, vec(0, 4.75 - 0.4 * i, 0), vec(0.03, 0.2, 0.03), 1000))
                      : tray;
            const sn_constraint joint = sn_joint_add_ball(world, last, next, vec(0, 4.95 - 0.4 * i, 0));
            mass += i < 3 ? (double)sn_body_mass(world, next) : 0;
            top = i ? top : joint;
            last = next;
        }
        run(world, 180, FRAME);
        sn_vec3 force;
        must(world, sn_joint_reaction(world, top, &force, NULL), "reaction");
        const double measured = sqrt((double)force.x * (double)force.x + (double)force.y * (double)force.y +
                                     (double)force.z * (double)force.z);
        record *r = append(out, 0, JUDGE_WITHIN, mass * G, measured, 0.01 * mass * G);
        SETUP(r, "tray on a chain of bodies, %g kg on it, force of the upper joint in N", density[k] * 0.008);
        r = append(out, 0, JUDGE_WITHIN, 2.9, (double)sn_body_position(world, box).y, 0.001);
        SETUP(r, "tray on a chain of bodies, %g kg on it, height of the load in m", density[k] * 0.008);
        sn_world_destroy(world);
    }
}

/* A box on a platform that accelerates for a second: by how much it slides. */
void accelerated_platform(records *out)
{
    static const double share[] = {0.5, 0.9, 1.5};
    const double friction = 0.5;
    for (size_t k = 0; k < COUNT_OF(share); ++k) {
        sn_world *world = make_world(10, 1, 0);
        const double a = share[k] * friction * G, slides = share[k] > 1 ? (1 - share[k]) * friction * G / 2 : 0;
        sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
        sn_body_def def = sn_default_body_def();
        sn_body platform;
        shape.half = vec(10, 0.5, 5);
        def.type = SN_BODY_KINEMATIC;
        def.shapes = &shape;
        def.shape_count = 1;
        def.position = vec(0, -0.5, 0);
        must(world, sn_body_add(world, &def, &platform), "platform");
        const sn_body box = must_be(world, sn_body_add_box(world, vec(0, 0.1, 0), vec(0.1, 0.1, 0.1), 1000));
        set_materials(world, platform, friction, 0);
        run(world, 30, FRAME);
        const double from = (double)sn_body_position(world, box).x;
        for (int i = 1; i <= 60; ++i) {
            const double to = a * i * FRAME * i * FRAME / 2;
            must(world, sn_body_move_to(world, platform, vec(to, -0.5, 0), (sn_quat){0, 0, 0, 1}), "platform");
            run(world, 1, FRAME);
        }
        const double slid = (double)sn_body_position(world, box).x - from - a / 2;
        record *r = append(out, 0, JUDGE_WITHIN, slides, slid, share[k] > 1 ? 0.02 : 0.002);
        SETUP(r, "box on a platform that accelerates with %g of µ g, slides in 1 s by m", share[k]);
        sn_world_destroy(world);
    }
}

/* A sphere and a cylinder that slide at first, and then roll with 5/7 and 2/3 of their speed. */
void slide_to_roll(records *out)
{
    for (int cylinder = 0; cylinder < 2; ++cylinder) {
        sn_world *world = make_world(10, 1, 0);
        const sn_body ground = must_be(world, sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0)));
        set_materials(world, ground, 0.2, 0);
        const sn_body body = cylinder
                                 ? sn_body_add_cylinder(world, vec(0, 0.1, -0.2), vec(0, 0.1, 0.2), real(0.1), 1000)
                                 : sn_body_add_sphere(world, vec(0, 0.1, 0), real(0.1), 1000);
        must_be(world, body);
        run(world, 10, FRAME);
        must(world, sn_body_set_velocity(world, body, vec(7, 0, 0), vec(0, 0, 0)), "velocity");
        run(world, 180, FRAME);
        const double expected = cylinder ? 14.0 / 3 : 5;
        record *r = append(out, 0, JUDGE_WITHIN, expected, (double)sn_body_velocity(world, body).x, 0.002);
        SETUP(r, "%s that slides at 7 m/s, speed once it rolls", cylinder ? "cylinder" : "sphere");
        sn_world_destroy(world);
    }
}
