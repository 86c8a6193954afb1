/* The validation cases of rigid contact: forces in a stack, tipping, a top on its tip, a cradle, bounces one after the other, and loads on
   what is light. */
#include "validation/row_tools.h"

static sn_body add_box(sn_world *world, sn_vec3 at, sn_vec3 half, double density)
{
    sn_body body = sn_body_add_box(world, at, half, real(density));
    if (!sn_body_is_valid(world, body))
        give_up("box", sn_world_error(world));
    return body;
}

static sn_body add_ground(sn_world *world, sn_vec3 normal, double friction, double restitution)
{
    sn_body ground = fixed_add_plane(world, vec(0, 0, 0), normal);
    set_materials(world, ground, friction, restitution);
    return ground;
}

static void want_events(sn_world *world)
{
    sn_contact_settings settings = sn_world_contact_settings(world);
    settings.events = true;
    must(world, sn_world_set_contact_settings(world, &settings), "events");
}

/* Ten boxes of 8 kg on each other: between two of them there is the weight of all above. */
void stack_forces(records *out)
{
    sn_world *world = make_world(10, 1, 0);
    double worst = 0, lowest = 0;
    uint32_t count;
    add_ground(world, vec(0, 1, 0), 0.5, 0);
    want_events(world);
    for (int i = 0; i < 10; ++i)
        add_box(world, vec(0, 0.1 + 0.2 * i, 0), vec(0.1, 0.1, 0.1), 1000);
    run(world, 300, FRAME);
    const sn_contact_event *e = sn_world_contact_events(world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        const bool ground = e[i].other.generation == 0;
        const double above = 8 * G * (ground ? 10 : 10 - (double)e[i].other.index);
        const double force = (double)e[i].impulse / FRAME;
        worst = fmax(worst, fabs(force - above) / above);
        lowest = ground ? force : lowest;
    }
    record *r = append(out, 0, JUDGE_WITHIN, 10, count, 0);
    SETUP(r, "stack of ten boxes, contacts");
    r = append(out, 0, JUDGE_WITHIN, 80 * G, lowest, 0.001 * 80 * G);
    SETUP(r, "stack of ten boxes, force on the ground in N");
    r = append(out, 0, JUDGE_AT_MOST, 0.01, worst, 0);
    SETUP(r, "stack of ten boxes, forces between them, largest relative error");
    sn_world_destroy(world);
}

/* rad: how far a box of 0.2 m x 0.4 m on a slope turns in 2 s. It tips over where tan a > 1/2, if friction holds it. */
static double tipping(double slope)
{
    sn_world *world = make_world(10, 1, 0);
    const double angle = atan(slope), rise = sin(angle), along = cos(angle);
    add_ground(world, vec(-rise, along, 0), 2, 0);
    sn_body box = add_box(world, vec(0, 0, 0), vec(0.1, 0.2, 0.1), 1000);
    sn_quat q = {0, 0, real(sin(angle / 2)), real(cos(angle / 2))};
    must(world, sn_body_set_pose(world, box, vec(-0.2 * rise, 0.2 * along, 0), q), "pose");
    run(world, 120, FRAME);
    q = sn_body_rotation(world, box);
    const double turned = fabs(2 * atan2((double)q.z, (double)q.w) - angle);
    sn_world_destroy(world);
    return turned;
}

void tipping_box(records *out)
{
    record *r = append(out, 0, JUDGE_AT_MOST, 0.01, tipping(0.5 * 0.98), 0);
    SETUP(r, "box twice as high as wide on a slope 2 %% below tipping, turned in 2 s in rad");
    r = append(out, 0, JUDGE_AT_LEAST, 1, tipping(0.5 * 1.02), 0);
    SETUP(r, "the same on a slope 2 %% above tipping, turned in rad");
}

/* A top on its tip, steady: with A = I1 + m l^2 about the tip, C = I3, spin s about its own axis, lean a and precession w,
   (A - C) w^2 cos a - C s w + m g l = 0, s without what precession adds to it; the slow one of the two. Friction holds the tip. */
void spinning_top(records *out)
{
    const double mass = 0.5, l = 0.06, i1 = 4e-4, c = 6e-4, lean = 0.3, spin = 200;
    const double a = i1 + mass * l * l, k = (a - c) * cos(lean), torque = mass * G * l;
    const double precession = 2 * torque / (c * spin + sqrt(c * c * spin * spin - 4 * k * torque));
    sn_world *world = make_world(10, 1, 0);
    sn_shape_def tip = sn_default_shape_def(SN_SHAPE_SPHERE);
    sn_body_def def = sn_default_body_def();
    sn_body top;
    add_ground(world, vec(0, 1, 0), 2, 0);
    tip.radius = real(0.0005);
    def.shapes = &tip;
    def.shape_count = 1;
    def.mass = real(mass);
    def.centre = vec(0, l, 0);
    def.moments = vec(i1, c, i1);
    def.position = vec(0, 0.0005, 0);
    def.rotation = (sn_quat){0, 0, real(sin(-lean / 2)), real(cos(lean / 2))};
    const double axis[2] = {sin(lean), cos(lean)}; /* x, y */
    def.spin = vec(spin * axis[0], spin * axis[1] + precession, 0);
    def.velocity = vec(0, 0, -precession * l * axis[0]);
    must(world, sn_body_add(world, &def, &top), "top");
    double turned = 0, before = 0;
    for (int frame = 0; frame < 120; ++frame) {
        run(world, 1, FRAME);
        const sn_vec3 tip_at = sn_body_to_world(world, top, vec(0, 0, 0)),
                      up = sn_body_to_world(world, top, vec(0, 1, 0));
        const double now = atan2(-((double)up.z - (double)tip_at.z), (double)up.x - (double)tip_at.x);
        turned += remainder(now - before, 2 * acos(-1.0));
        before = now;
    }
    record *r = append(out, 0, JUDGE_WITHIN, precession, turned / 2, 0.03 * precession);
    SETUP(r, "top on its tip, 200 rad/s, precession in rad/s");
    sn_world_destroy(world);
}

/* Five in a row that touch, e = 1: the last goes on as the first came. */
void cradle_of_bodies(records *out)
{
    sn_world *world = make_world(10, 1, 0);
    sn_body ball[5];
    double energy = 0;
    set_gravity(world, vec(0, 0, 0));
    add_ground(world, vec(0, 1, 0), 0, 1);
    for (int i = 0; i < 5; ++i)
        ball[i] = sn_body_add_sphere(world, vec(0.2 * i - (i ? 0 : 0.3), 5, 0), real(0.1), 1000);
    must(world, sn_body_set_velocity(world, ball[0], vec(1, 0, 0), vec(0, 0, 0)), "velocity");
    run(world, 60, FRAME);
    for (int i = 0; i < 5; ++i) {
        const double v = (double)sn_body_velocity(world, ball[i]).x;
        energy += v * v;
        record *r = append(out, 0, JUDGE_WITHIN, i == 4, v, 1e-3);
        SETUP(r, "cradle of five bodies, e = 1, speed of number %d", i + 1);
    }
    record *r = append(out, 0, JUDGE_AT_MOST, 1 + 1e-5, energy, 0);
    SETUP(r, "cradle of five bodies, e = 1, energy, of what there was");
    sn_world_destroy(world);
}

/* Heights of six bounces from a metre, of what they should be: e^2 each. */
static double ladder(bool box, double restitution)
{
    const double radius = 0.05, behind = FRAME / 20; /* the velocity is that of half a substep before */
    sn_world *world = make_world(10, 1, 0);
    add_ground(world, vec(0, 1, 0), 0.5, restitution);
    const sn_vec3 at = vec(0, 1 + radius, 0);
    sn_body body =
        box ? add_box(world, at, vec(radius, radius, radius), 1000) : sn_body_add_sphere(world, at, real(radius), 1000);
    double was = 0, height = 0;
    int bounces = 0;
    while (bounces < 6) {
        run(world, 1, FRAME);
        const double v = (double)sn_body_velocity(world, body).y, now = v - G * behind;
        height = (double)sn_body_position(world, body).y - radius + now * now / (2 * G);
        bounces += was < 0 && v > 0;
        was = v;
    }
    sn_world_destroy(world);
    return height / pow(restitution, 12);
}

void bounce_ladder(records *out)
{
    static const double restitution[] = {0.7, 0.8, 0.9};
    for (size_t i = 0; i < COUNT_OF(restitution); ++i)
        for (int box = 0; box < 2; ++box) {
            record *r = append(out, 0, JUDGE_WITHIN, 1, ladder(box, restitution[i]), 0.01);
            SETUP(r, "%s, e = %.1f, height of the sixth bounce, of e^12", box ? "box" : "sphere", restitution[i]);
        }
}

/* A heavy box on a light one: the light one neither sinks in nor is pushed away. */
void heavy_on_light(records *out)
{
    static const double ratio[] = {10, 100, 1000, 10000};
    for (size_t i = 0; i < COUNT_OF(ratio); ++i) {
        sn_world *world = make_world(10, 1, 0);
        add_ground(world, vec(0, 1, 0), 0.5, 0);
        sn_body light = add_box(world, vec(0, 0.5, 0), vec(0.5, 0.5, 0.5), 100);
        sn_body heavy = add_box(world, vec(0, 1.5, 0), vec(0.5, 0.5, 0.5), 100 * ratio[i]);
        run(world, 300, FRAME);
        const sn_vec3 a = sn_body_position(world, light), b = sn_body_position(world, heavy);
        record *r = append(out, 0, JUDGE_WITHIN, 1.5, (double)b.y, 0.01);
        SETUP(r, "box of %g times the mass on a box of 1 m, its height after 5 s in m", ratio[i]);
        r = append(out, 0, JUDGE_AT_MOST, 0.01, hypot((double)a.x, (double)a.z), 0);
        SETUP(r, "box below %g times its mass, way sideways in 5 s in m", ratio[i]);
        sn_world_destroy(world);
    }
}
