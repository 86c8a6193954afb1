/* The validation cases of bodies in contact that have closed forms in any textbook of mechanics: wedges, ladders, billiards,
   turntables, belts, brakes. All at ten substeps of one pass. */
#include "validation/row_tools.h"

static void note(records *out, double expected, double measured, double tolerance, const char *setup)
{
    record *r = append(out, 0, JUDGE_WITHIN, expected, measured, tolerance);
    SETUP(r, "%s", setup);
}

static sn_quat about_z(double angle)
{
    return (sn_quat){0, 0, real(sin(angle / 2)), real(cos(angle / 2))};
}

static const sn_quat unturned = {0, 0, 0, 1};

static sn_shape_def sphere(double radius)
{
    sn_shape_def s = sn_default_shape_def(SN_SHAPE_SPHERE);
    s.radius = real(radius);
    return s;
}

static sn_shape_def box(double x, double y, double z)
{
    sn_shape_def s = sn_default_shape_def(SN_SHAPE_BOX);
    s.half = vec(x, y, z);
    return s;
}

/* Its axis is z. */
static sn_shape_def drum(double radius, double half)
{
    sn_shape_def s = sn_default_shape_def(SN_SHAPE_CYLINDER);
    s.radius = real(radius);
    s.half.y = real(half);
    s.rotation = (sn_quat){real(sqrt(0.5)), 0, 0, real(sqrt(0.5))};
    return s;
}

/* moment: about every axis; 0: from the shape. */
static sn_body add(sn_world *world, sn_body_type type, const sn_shape_def *shapes, uint32_t count, double mass,
                   double moment, sn_vec3 at, sn_quat turn)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.type = type;
    def.shapes = shapes;
    def.shape_count = count;
    def.position = at;
    def.rotation = turn;
    if (mass > 0)
        def.mass = real(mass);
    if (moment > 0) {
        def.moments = vec(moment, moment, moment);
        def.centre = vec(0, 0, 0);
    }
    must(world, sn_body_add(world, &def, &body), "body");
    return body;
}

static sn_body add_one(sn_world *world, sn_shape_def shape, double mass, sn_vec3 at, sn_quat turn)
{
    return add(world, SN_BODY_DYNAMIC, &shape, 1, mass, 0, at, turn);
}

/* Each pair of things has the mean of their friction, and of their restitution. */
static sn_body rub(sn_world *world, sn_body body, double friction, double restitution)
{
    sn_contact_material material = sn_default_contact_material();
    material.static_friction = material.dynamic_friction = real(friction);
    material.restitution = real(restitution);
    for (uint32_t i = 0; i < sn_body_shape_count(world, body); ++i)
        must(world, sn_body_set_material(world, body, i, &material), "material");
    return body;
}

static sn_body floor_of(sn_world *world, double friction, double restitution)
{
    return rub(world, sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0)), friction, restitution);
}

static void throw_it(sn_world *world, sn_body body, sn_vec3 velocity, sn_vec3 spin)
{
    must(world, sn_body_set_velocity(world, body, velocity, spin), "velocity");
}

static double size(sn_vec3 v)
{
    return sqrt((double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z);
}

#define X(body) ((double)sn_body_position(world, body).x)
#define Y(body) ((double)sn_body_position(world, body).y)
#define V(body) ((double)sn_body_velocity(world, body).x)
#define W(body) ((double)sn_body_spin(world, body).z)

/* A block of mass m on a smooth wedge of mass M and slope a, on a smooth floor: the wedge goes off with
   m g sin a cos a / (M + m sin^2 a). */
void wedge_and_block(records *out)
{
    const double slope = 0.5, wide = 2, high = wide * tan(slope), along = 0.4, M = 3, m = 1;
    sn_world *world = make_world(10, 1, 0);
    const sn_vec3 corner[6] = {vec(0, 0, -0.5), vec(wide, 0, -0.5), vec(0, high, -0.5),
                               vec(0, 0, 0.5),  vec(wide, 0, 0.5),  vec(0, high, 0.5)};
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_HULL);
    shape.vertices = corner;
    shape.vertex_count = 6;
    floor_of(world, 0, 0);
    const sn_body wedge = rub(world, add_one(world, shape, M, vec(0, 0, 0), unturned), 0, 0);
    const sn_vec3 on = vec(along + 0.1 * sin(slope), high - along * tan(slope) + 0.1 * cos(slope), 0);
    const sn_body block = rub(world, add_one(world, box(0.1, 0.1, 0.1), m, on, about_z(-slope)), 0, 0);
    run(world, 30, FRAME);
    const double speed = m * G * sin(slope) * cos(slope) / (M + m * sin(slope) * sin(slope)) / 2;
    note(out, -speed, V(wedge), 1e-3, "smooth wedge of 3 kg under a block of 1 kg, its speed after 0.5 s in m/s");
    note(out, speed * M / m, V(block), 3e-3, "the block's speed across in m/s");
    sn_world_destroy(world);
}

/* A rod of two small balls, from foot to head. */
static sn_body lean(sn_world *world, double length, double angle, double friction)
{
    const double r = 0.01;
    sn_shape_def ends[2] = {sphere(r), sphere(r)};
    ends[0].position = vec(-length / 2, 0, 0);
    ends[1].position = vec(length / 2, 0, 0);
    const sn_vec3 middle = vec(length / 2 * cos(angle) + r, length / 2 * sin(angle) + r, 0);
    return rub(world, add(world, SN_BODY_DYNAMIC, ends, 2, 1, length * length / 12, middle, about_z(PI - angle)),
               friction, 0);
}

/* A ladder that slides down a smooth wall leaves it at 2/3 of the sine at which it began, and keeps the speed across that it
   has then, s/3 sqrt(g L s). With friction at the floor and the wall it slips below tan a = (1 - f w) / 2 f. */
void ladders(records *out)
{
    sn_world *world = make_world(10, 1, 0);
    floor_of(world, 0, 0);
    rub(world, sn_static_add_plane(world, vec(0, 0, 0), vec(1, 0, 0)), 0, 0);
    const double s = sin(1.2);
    sn_body ladder = lean(world, 1, 1.2, 0);
    while (Y(ladder) > 0.1)
        run(world, 1, FRAME);
    note(out, s / 3 * sqrt(G * s), V(ladder), 2e-3,
         "ladder of 1 m on a smooth wall from 1.2 rad, speed across once it has left in m/s");
    sn_world_destroy(world);
    for (int slips = 0; slips < 2; ++slips) {
        const double on_floor = 0.4, on_wall = 0.3,
                     angle = atan((1 - on_floor * on_wall) / (2 * on_floor) * (slips ? 0.97 : 1.03));
        world = make_world(10, 1, 0);
        floor_of(world, 2 * on_floor, 0);
        rub(world, sn_static_add_plane(world, vec(0, 0, 0), vec(1, 0, 0)), 2 * on_wall, 0);
        ladder = lean(world, 2, angle, 0);
        const sn_vec3 from = sn_body_position(world, ladder);
        run(world, 120, FRAME);
        const sn_vec3 to = sn_body_position(world, ladder);
        const double way = hypot((double)to.x - (double)from.x, (double)to.y - (double)from.y);
        record *r = append(out, 0, slips ? JUDGE_AT_LEAST : JUDGE_AT_MOST, slips ? 0.1 : 0.001, way, 0);
        SETUP(r, "ladder with µ = 0.4 and 0.3, 3 %% %s where it slips, way in 2 s in m", slips ? "below" : "above");
        sn_world_destroy(world);
    }
}

/* A ball that rolls into one at rest keeps its spin: once both roll again they have 2/7 and 5/7 of the speed. A cut shot
   with friction between the balls throws the other off its line by atan µ. Three walls send a ball back. */
void billiards(records *out)
{
    const double r = 0.0286;
    sn_world *world = make_world(10, 1, 0);
    floor_of(world, 0.4, 0);
    sn_body a = rub(world, add_one(world, sphere(r), 0.17, vec(0, r, 0), unturned), 0, 1);
    sn_body b = rub(world, add_one(world, sphere(r), 0.17, vec(0.5, r, 0), unturned), 0, 1);
    run(world, 6, FRAME);
    throw_it(world, a, vec(2, 0, 0), vec(0, 0, -2 / r));
    run(world, 150, FRAME);
    note(out, 4.0 / 7, V(a), 0.002, "ball that rolled into another with 2 m/s, its speed once it rolls again");
    note(out, 10.0 / 7, V(b), 0.005, "speed of the other once it rolls");
    sn_world_destroy(world);

    world = make_world(10, 1, 0);
    set_gravity(world, vec(0, 0, 0));
    a = rub(world, add_one(world, sphere(r), 0.17, vec(0, 0, 0), unturned), 0.06, 1);
    b = rub(world, add_one(world, sphere(r), 0.17, vec(0.1, 0, 2 * r * sin(PI / 6)), unturned), 0.06, 1);
    throw_it(world, a, vec(3, 0, 0), vec(0, 0, 0));
    run(world, 30, FRAME);
    const sn_vec3 v = sn_body_velocity(world, b);
    note(out, PI / 6 - atan(0.06), atan2((double)v.z, (double)v.x), 1e-3,
         "cut shot of 30° with µ = 0.06, direction of the other ball in rad");
    sn_world_destroy(world);

    world = make_world(10, 1, 0);
    set_gravity(world, vec(0, 0, 0));
    for (int i = 0; i < 3; ++i)
        rub(world, sn_static_add_plane(world, vec(0, 0, 0), vec(i == 0, i == 1, i == 2)), 0, 1);
    a = rub(world, add_one(world, sphere(0.1), 1, vec(1, 1.1, 1.3), unturned), 0, 1);
    throw_it(world, a, vec(-3, -3.1, -2.9), vec(1, 2, 3));
    run(world, 60, FRAME);
    const sn_vec3 back = sn_body_velocity(world, a);
    note(out, 0, fabs((double)back.x - 3) + fabs((double)back.y - 3.1) + fabs((double)back.z - 2.9), 1e-4,
         "ball into a corner of three walls, e = 1, velocity off from reversed in m/s");
    sn_world_destroy(world);
}

/* J, of a body. */
static double energy_of(const sn_world *world, sn_body body, double mass)
{
    const sn_vec3 v = sn_body_velocity(world, body), l = sn_body_angular_momentum(world, body),
                  w = sn_body_spin(world, body);
    const double spin = (double)l.x * (double)w.x + (double)l.y * (double)w.y + (double)l.z * (double)w.z;
    return (mass * size(v) * size(v) + spin) / 2 + mass * G * Y(body);
}

/* A ball that spins about the vertical rolls straight on: that spin moves no point on the ground. A thin coin of radius a that
   leans by l rolls steadily on a circle of radius c with W^2 = g tan l / (a sin l / 4 + 1.5 c), and loses nothing. */
void rolling(records *out)
{
    const double r = 0.0286, a = 0.1, lean = 0.37, circle = 0.5, mass = 0.5;
    sn_world *world = make_world(10, 1, 0);
    floor_of(world, 0.2, 0);
    const sn_body ball = rub(world, add_one(world, sphere(r), 0.17, vec(0, r, 0), unturned), 0.2, 0);
    run(world, 6, FRAME);
    throw_it(world, ball, vec(2, 0, 0), vec(0, 60, -2 / r));
    run(world, 120, FRAME);
    note(out, 0, (double)sn_body_position(world, ball).z, 1e-4,
         "ball with side spin that rolls 4 m, off its line by m");
    sn_world_destroy(world);

    world = make_world(10, 1, 0);
    floor_of(world, 1, 0);
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_CYLINDER);
    shape.radius = real(a);
    shape.half.y = real(0.0005);
    const double rate = sqrt(G * tan(lean) / (a * sin(lean) / 4 + 1.5 * circle)), along = -rate * circle / a;
    const double s = cos(lean), c = sin(lean); /* of the plane of the coin and the ground */
    const sn_body coin = rub(world, add_one(world, shape, mass, vec(0, a * s, 0), about_z(PI / 2 - lean)), 1, 0);
    throw_it(world, coin, vec(0, 0, -along * a), vec(rate * s * c - along * s, rate * s * s + along * c, 0));
    run(world, 6, FRAME);
    const double before = energy_of(world, coin, mass);
    run(world, 180, FRAME);
    note(out, 1, energy_of(world, coin, mass) / before, 0.002,
         "coin that rolls on a circle, energy after 3 s of what it was");
    note(out, rate * circle, size(sn_body_velocity(world, coin)), 0.02 * rate * circle, "its speed in m/s");
    sn_world_destroy(world);
}

/* A ball that rolls on a turntable goes round in circles at 2/7 of its rate. Put on a belt it ends with 2/7 of its speed. A
   box on a belt slides until it has its speed. */
void turntable_and_belt(records *out)
{
    const double rate = 3, r = 0.05, v = 0.3;
    sn_world *world = make_world(10, 1, 0);
    sn_shape_def plate = box(5, 0.5, 5);
    sn_body table = add(world, SN_BODY_KINEMATIC, &plate, 1, 0, 0, vec(0, -0.5, 0), unturned);
    rub(world, table, 1, 0);
    throw_it(world, table, vec(0, 0, 0), vec(0, rate, 0));
    sn_body ball = rub(world, add_one(world, sphere(r), 1, vec(1, r, 0), unturned), 1, 0);
    throw_it(world, ball, vec(0, 0, -v), vec((rate - v) / r, 0, 0));
    double turned = 0, before = atan2(v, 0);
    for (int i = 0; i < 120; ++i) {
        run(world, 1, FRAME);
        const sn_vec3 now = sn_body_velocity(world, ball);
        const double angle = atan2(-(double)now.z, (double)now.x);
        turned += remainder(angle - before, 2 * PI);
        before = angle;
    }
    note(out, 2.0 / 7 * rate, turned / 2, 0.01, "ball on a turntable of 3 rad/s, rate of its circle in rad/s");
    sn_world_destroy(world);

    world = make_world(10, 1, 0);
    sn_contact_material moving = sn_default_contact_material();
    moving.static_friction = moving.dynamic_friction = real(0.3);
    moving.surface_velocity = vec(1.5, 0, 0);
    table = sn_static_add_box(world, vec(0, -0.5, 0), vec(10, 0.5, 5));
    must(world, sn_body_set_material(world, table, 0, &moving), "belt");
    const sn_body crate = rub(world, add_one(world, box(0.1, 0.1, 0.1), 2, vec(-5, 0.1, 1), unturned), 0.3, 0);
    ball = rub(world, add_one(world, sphere(0.1), 2, vec(-5, 0.1, -1), unturned), 0.3, 0);
    run(world, 120, FRAME);
    const double until = 1.5 / (0.3 * G);
    note(out, 1.5 * (2 - until / 2), X(crate) + 5, 0.01, "box put on a belt of 1.5 m/s, way in 2 s in m");
    note(out, 1.5 * 2 / 7, V(ball), 0.002, "ball put on the belt, speed once it rolls in m/s");
    sn_world_destroy(world);
}

/* Bounces. A light ball on a heavy one leaves with (3M - m) / (M + m) of the speed. All bounces of a ball take
   (1 + e) / (1 - e) of the time of its fall. A ball hits a free rod beside its centre. A hinged rod swings into a wall. */
void blows(records *out)
{
    const double M = 0.6, m = 0.06, speed = (3 * M - m) / (M + m) * sqrt(2 * G);
    sn_world *world = make_world(10, 1, 0);
    floor_of(world, 0, 1);
    rub(world, add_one(world, sphere(0.12), M, vec(0, 1.12, 0), unturned), 0, 1);
    sn_body ball = rub(world, add_one(world, sphere(0.03), m, vec(0, 1.27, 0), unturned), 0, 1);
    double top = 0;
    for (int i = 0; i < 120; ++i) {
        run(world, 1, FRAME);
        top = fmax(top, Y(ball));
    }
    note(out, 0.27 + speed * speed / (2 * G), top, 0.05,
         "tennis ball on a basketball, dropped by 1 m, how high it flies in m");
    sn_world_destroy(world);

    world = make_world(10, 1, 0);
    floor_of(world, 0, 0.85);
    ball = rub(world, add_one(world, sphere(0.1), 1, vec(0, 1.1, 0), unturned), 0, 0.85);
    double last = 0;
    for (int i = 1; i <= 480; ++i) {
        run(world, 1, FRAME);
        last = Y(ball) > 0.1 + 1e-5 ? i * FRAME : last;
    }
    note(out, sqrt(2 / G) * 1.85 / 0.15, last, 0.06, "ball dropped by 1 m, e = 0.85, time until it rests in s");
    sn_world_destroy(world);

    world = make_world(10, 1, 0);
    set_gravity(world, vec(0, 0, 0));
    const double inertia = 2 * (1 + 0.0016) / 12, impulse = 1.5 * 3 / (1 / 0.5 + 1.0 / 2 + 0.16 / inertia);
    const sn_body rod = rub(world, add_one(world, box(0.5, 0.02, 0.02), 2, vec(0, 0, 0), unturned), 0, 0.5);
    ball = rub(world, add_one(world, sphere(0.05), 0.5, vec(0.4, -0.3, 0), unturned), 0, 0.5);
    throw_it(world, ball, vec(0, 3, 0), vec(0, 0, 0));
    run(world, 12, FRAME);
    note(out, impulse * 0.4 / inertia, W(rod), 0.01,
         "ball hits a free rod 0.4 m beside its centre, e = 0.5, spin in rad/s");
    sn_world_destroy(world);

    world = make_world(10, 1, 0);
    rub(world, sn_static_add_box(world, vec(-0.52, -1, 0), vec(0.5, 0.5, 0.5)), 0, 0.6);
    const sn_body bat =
        rub(world, add_one(world, box(0.02, 0.5, 0.02), 1, vec(sin(1) / 2, -cos(1) / 2, 0), about_z(1)), 0, 0.6);
    const sn_body none = {0, 0};
    sn_joint_add_hinge(world, none, bat, vec(0, 0, 0), vec(0, 0, 1));
    double most = 0;
    for (int i = 0; i < 90 && !(most > 0 && W(bat) < 0); ++i) {
        run(world, 1, FRAME);
        const sn_quat q = sn_body_rotation(world, bat);
        most = W(bat) > 0 ? fmax(most, 2 * atan2((double)q.z, (double)q.w)) : most;
    }
    note(out, 0.36 * (1 - cos(1)), 1 - cos(most), 0.004,
         "hinged rod from 1 rad into a wall, e = 0.6, 1 - cos of the angle back");
    sn_world_destroy(world);
}

/* A block on a block that is pulled with 1.5 times what friction can carry: both slide. A spool goes where it is pulled, also
   below its axis. A ball slides and rolls in a smooth and in a rough bowl. */
static sn_real bowl(void *context, sn_vec3 p)
{
    (void)context;
    return real(1 - size(p));
}

void pulls_and_bowls(records *out)
{
    const double friction = 0.3, force = friction * G * 4 * 1.5;
    sn_world *world = make_world(10, 1, 0);
    floor_of(world, 0, 0);
    const sn_body lower = rub(world, add_one(world, box(2, 0.1, 0.2), 3, vec(0, 0.1, 0), unturned), 0, 0);
    const sn_body upper = rub(world, add_one(world, box(0.1, 0.1, 0.1), 1, vec(0, 0.3, 0), unturned), 2 * friction, 0);
    run(world, 12, FRAME);
    for (int i = 0; i < 30; ++i) {
        must(world, sn_body_apply_force(world, lower, vec(force, 0, 0), sn_body_position(world, lower)), "force");
        run(world, 1, FRAME);
    }
    note(out, friction * G / 2, V(upper), 0.002,
         "block on a block that is pulled away below it, its speed after 0.5 s in m/s");
    note(out, (force - friction * G) / 6, V(lower), 0.003, "speed of the lower one in m/s");
    sn_world_destroy(world);

    world = make_world(10, 1, 0);
    floor_of(world, 0.8, 0);
    const sn_body spool = rub(world, add_one(world, drum(0.2, 0.1), 1, vec(0, 0.2, 0), unturned), 0.8, 0);
    for (int i = 0; i < 60; ++i) {
        must(world, sn_body_apply_force(world, spool, vec(2, 0, 0), vec(X(spool), Y(spool) - 0.1, 0)), "pull");
        run(world, 1, FRAME);
    }
    note(out, 2.0 / 3, V(spool), 0.003,
         "spool of 1 kg pulled by 2 N at half its radius below its axis, speed after 1 s in m/s");
    sn_world_destroy(world);

    for (int rolls = 0; rolls < 2; ++rolls) {
        const double r = 0.1, way = 1 - r, from = 0.3;
        world = make_world(10, 1, 0);
        sn_shape_def shape = sn_default_shape_def(SN_SHAPE_FIELD);
        shape.function = bowl;
        shape.low = vec(-1.1, -1.1, -1.1);
        shape.high = vec(1.1, 1.1, 1.1);
        rub(world, add(world, SN_BODY_STATIC, &shape, 1, 0, 0, vec(0, 0, 0), unturned), rolls, 0);
        const sn_vec3 at = vec(way * sin(from), -way * cos(from), 0);
        const sn_body ball = rub(world, add_one(world, sphere(r), 1, at, unturned), rolls, 0);
        double first = 0, last = 0, before = X(ball);
        for (int i = 0, met = 0; met < 5; ++i) {
            run(world, 1, FRAME);
            const double now = X(ball), when = (i + before / (before - now)) * FRAME;
            if ((now > 0) != (before > 0)) {
                first = met == 0 ? when : first;
                last = when;
                ++met;
            }
            before = now;
        }
        const double exact = 2 * PI * sqrt(way / G * (rolls ? 1.4 : 1)) * (1 + from * from / 16);
        record *r_ = append(out, 0, JUDGE_WITHIN, exact, (last - first) / 2, 0.003 * exact);
        SETUP(r_, "ball that %s in a bowl of 1 m from 0.3 rad, period in s", rolls ? "rolls" : "slides");
        sn_world_destroy(world);
    }
}

/* A drum drives another by friction until both go alike at their rims. A block brakes a drum. A disc falls on another, with a
   torque of 2/3 µ m g R, until both spin alike. */
static sn_body on_rail(sn_world *world, sn_shape_def shape, double mass, sn_vec3 at, sn_vec3 axis, sn_vec3 rail)
{
    const sn_body body = add_one(world, shape, mass, at, unturned), none = {0, 0};
    const bool same = (double)axis.y > 0;
    sn_constraint joint = sn_joint_add_six(world, none, body, at, axis, same ? vec(1, 0, 0) : rail);
    must(world, sn_joint_set_axis_limits(world, joint, same ? 0 : 1, -SN_JOINT_MOST, SN_JOINT_MOST), "rail");
    must(world, sn_joint_set_axis_limits(world, joint, 3, real(-PI), real(PI)), "axle");
    return body;
}

void rubbing(records *out)
{
    const sn_body none = {0, 0};
    sn_world *world = make_world(10, 1, 0);
    sn_body a = rub(world, add_one(world, drum(0.2, 0.1), 2, vec(0, 0, 0), unturned), 0.5, 0);
    sn_joint_add_hinge(world, none, a, vec(0, 0, 0), vec(0, 0, 1));
    sn_body b = rub(world, on_rail(world, drum(0.1, 0.1), 1, vec(0, 0.3, 0), vec(0, 0, 1), vec(0, 1, 0)), 0.5, 0);
    throw_it(world, a, vec(0, 0, 0), vec(0, 0, 20));
    run(world, 120, FRAME);
    note(out, 20.0 * 2 / 3, W(a), 0.15,
         "drum of 2 kg and 20 rad/s that drives one of 1 kg by friction, its spin at last");
    note(out, -2 * 20.0 * 2 / 3, W(b), 0.3, "spin of the other, of half its radius");
    sn_world_destroy(world);

    world = make_world(10, 1, 0);
    a = rub(world, add_one(world, drum(0.2, 0.1), 2, vec(0, 0, 0), unturned), 0.4, 0);
    sn_joint_add_hinge(world, none, a, vec(0, 0, 0), vec(0, 0, 1));
    b = rub(world, add_one(world, box(0.1, 0.05, 0.1), 1, vec(0, 0.25, 0), unturned), 0.4, 0);
    sn_joint_add_slider(world, none, b, vec(0, 0.25, 0), vec(0, 1, 0));
    throw_it(world, a, vec(0, 0, 0), vec(0, 0, 20));
    run(world, 30, FRAME);
    note(out, 20 - 0.4 * G * 0.2 / 0.04 / 2, W(a), 0.1,
         "drum of 20 rad/s with a block of 1 kg on it, µ = 0.4, spin after 0.5 s");
    sn_world_destroy(world);

    world = make_world(10, 1, 0);
    sn_shape_def disc = sn_default_shape_def(SN_SHAPE_CYLINDER);
    disc.radius = real(0.3);
    disc.half.y = real(0.05);
    a = rub(world, add_one(world, disc, 4, vec(0, 0.05, 0), unturned), 0.4, 0);
    sn_joint_add_hinge(world, none, a, vec(0, 0.05, 0), vec(0, 1, 0));
    b = rub(world, on_rail(world, disc, 2, vec(0, 0.15, 0), vec(0, 1, 0), vec(0, 1, 0)), 0.4, 0);
    throw_it(world, b, vec(0, 0, 0), vec(0, 15, 0));
    run(world, 24, FRAME);
    const double torque = 0.4 * 2 * G * 0.2;
    note(out, 0.4 * torque / 0.18, (double)sn_body_spin(world, a).y, 0.1,
         "disc under one that spins, its spin after 0.4 s");
    run(world, 60, FRAME);
    note(out, 5, (double)sn_body_spin(world, a).y, 0.02, "the same once both spin alike");
    sn_world_destroy(world);
}

/* Four books on a table, each as far out as the ones above it allow (1, 1/2, 1/3, 1/4 of half a length), 4 % less and 4 %
   more. A beam with a load lies on two edges, 1/4 and 3/4 of the load on each. */
void books_and_beam(records *out)
{
    for (int over = 0; over < 2; ++over) {
        const double half = 0.5, far = over ? 1.04 : 0.96;
        sn_world *world = make_world(10, 1, 0);
        sn_static_add_box(world, vec(-1, 0.5, 0), vec(1, 0.5, 1));
        double edge = 0;
        sn_body top = {0, 0};
        for (int i = 3; i >= 0; --i) {
            edge += far * half / (i + 1);
            top = add_one(world, box(half, 0.05, 0.2), 3, vec(edge - half, 1.35 - 0.1 * i, 0), unturned);
        }
        const sn_vec3 from = sn_body_position(world, top);
        run(world, 120, FRAME);
        const sn_vec3 to = sn_body_position(world, top);
        const double way = hypot((double)to.x - (double)from.x, (double)to.y - (double)from.y);
        record *r = append(out, 0, over ? JUDGE_AT_LEAST : JUDGE_AT_MOST, over ? 0.1 : 0.002, way, 0);
        SETUP(r, "four books over the edge of a table, 4 %% %s they can, way of the top one in m",
              over ? "farther than" : "less far than");
        sn_world_destroy(world);
    }
    sn_world *world = make_world(10, 1, 0);
    sn_contact_settings settings = sn_world_contact_settings(world);
    settings.events = true;
    must(world, sn_world_set_contact_settings(world, &settings), "events");
    const sn_body left = sn_static_add_capsule(world, vec(-1, 0, -0.1), vec(-1, 0, 0.1), real(0.05));
    sn_static_add_capsule(world, vec(1, 0, -0.1), vec(1, 0, 0.1), real(0.05));
    add_one(world, box(1.2, 0.05, 0.1), 10, vec(0, 0.1, 0), unturned);
    add_one(world, box(0.1, 0.1, 0.1), 20, vec(0.5, 0.25, 0), unturned);
    run(world, 120, FRAME);
    uint32_t count;
    double force = 0;
    const sn_contact_event *e = sn_world_contact_events(world, &count);
    for (uint32_t i = 0; i < count; ++i)
        force += e[i].other_body.index == left.index && e[i].other_body.generation ? (double)e[i].impulse / FRAME : 0;
    note(out, 10 * G, force, 0.01 * G,
         "beam of 10 kg with 20 kg at 3/4 of it, force of the edge at the light end in N");
    sn_world_destroy(world);
}
