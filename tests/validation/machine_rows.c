/* The validation cases of joints, wires and fields that have closed forms, or equations that are integrated here: pendulums
   of bodies, cranks, gears, tops, catenaries, hanging chains, orbits. All at ten substeps of one pass. */
#include "validation/row_tools.h"

static const sn_body nowhere = {0, 0};

static void note(records *out, double expected, double measured, double tolerance, const char *setup)
{
    record *r = append(out, 0, JUDGE_WITHIN, expected, measured, tolerance);
    SETUP(r, "%s", setup);
}

static sn_quat about_z(double angle)
{
    return (sn_quat){0, 0, real(sin(angle / 2)), real(cos(angle / 2))};
}

/* A body without a shape. */
static sn_body add_mass(sn_world *world, double mass, double moment, sn_vec3 at, double angle)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.mass = real(mass);
    def.moments = vec(moment, moment, moment);
    def.position = at;
    def.rotation = about_z(angle);
    must(world, sn_body_add(world, &def, &body), "body");
    return body;
}

static sn_constraint made(const sn_world *world, sn_constraint joint)
{
    if (!joint.kind)
        give_up("joint", sn_world_error(world));
    return joint;
}

static double angle_of(const sn_world *world, sn_body body)
{
    const sn_quat q = sn_body_rotation(world, body);
    return remainder(2 * atan2((double)q.z, (double)q.w), 2 * PI);
}

static double size(sn_vec3 v)
{
    return sqrt((double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z);
}

/* Between the first and the fifth time that something is 0. */
typedef double gauge(const sn_world *world, const void *of);

static double two_periods(sn_world *world, gauge *look, const void *of)
{
    double before = look(world, of), first = 0;
    for (int i = 0, met = 0; i < 1200; ++i) {
        run(world, 1, FRAME);
        const double now = look(world, of), when = (i + before / (before - now)) * FRAME;
        if ((now > 0) != (before > 0)) {
            first = met == 0 ? when : first;
            if (++met == 5)
                return when - first;
        }
        before = now;
    }
    return NAN;
}

static double turn_of_body(const sn_world *world, const void *of)
{
    return angle_of(world, *(const sn_body *)of);
}

static double x_of_particle(const sn_world *world, const void *of)
{
    return (double)sn_particle_position(world, *(const sn_particle *)of).x;
}

/* y' = f(y), by Runge and Kutta. */
typedef void slope_fn(const double *y, double *slope);

static void integrate(slope_fn *slope, double *y, int count, double time)
{
    enum { STEPS = 4000 };
    const double h = time / STEPS, share[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (int step = 0; step < STEPS; ++step) {
        double k[4], sum[4] = {0}, at[4];
        for (int stage = 0; stage < 4; ++stage) {
            for (int i = 0; i < count; ++i)
                at[i] = y[i] + (stage ? share[stage] * h * k[i] : 0);
            slope(at, k);
            for (int i = 0; i < count; ++i)
                sum[i] += weight[stage] * h * k[i];
        }
        for (int i = 0; i < count; ++i)
            y[i] += sum[i];
    }
}

/* A solid on a hinge 0.8 m above its centre of mass, from 1 rad. The centre is off the origin of its shape. */
void solid_pendulums(records *out)
{
    static const sn_vec3 corner[4] = {
        {(sn_real)-0.3, (sn_real)-0.2, (sn_real)-0.2},
        {(sn_real)0.3, (sn_real)-0.2, (sn_real)-0.2},
        {0, (sn_real)-0.2, (sn_real)0.4},
        {0, (sn_real)0.6, 0},
    };
    const double arm = 0.8, from = 1, agm = 0.9377923; /* of 1 and cos(from / 2) */
    for (int hull = 0; hull < 2; ++hull) {
        sn_world *world = make_world(10, 1, 0);
        sn_shape_def shape = sn_default_shape_def(hull ? SN_SHAPE_HULL : SN_SHAPE_CONE);
        sn_body_def def = sn_default_body_def();
        sn_body body;
        shape.radius = real(0.2);
        shape.half.y = real(0.3);
        shape.vertices = corner;
        shape.vertex_count = 4;
        def.shapes = &shape;
        def.shape_count = 1;
        must(world, sn_body_add(world, &def, &body), "body");
        double inertia = 3.0 / 20 * 0.04 + 3.0 / 80 * 0.36; /* for 1 kg, about z */
        const double centre = hull ? 0 : -0.15, pivot = centre + arm;
        for (int i = 0; i < 4 && hull; ++i)
            inertia = (i ? inertia : 0) +
                      ((double)corner[i].x * (double)corner[i].x + (double)corner[i].y * (double)corner[i].y) / 20;
        made(world, sn_joint_add_hinge(world, nowhere, body, vec(0, pivot, 0), vec(0, 0, 1)));
        const sn_vec3 at = vec(pivot * sin(from), pivot - pivot * cos(from), 0);
        must(world, sn_body_set_pose(world, body, at, about_z(from)), "pose");
        const double exact = 2 * PI * sqrt((inertia + arm * arm) / (G * arm)) / agm;
        record *r = append(out, 0, JUDGE_WITHIN, exact, two_periods(world, turn_of_body, &body) / 2, 0.001 * exact);
        SETUP(r, "%s on a hinge from 1 rad, period in s", hull ? "tetrahedron" : "cone");
        sn_world_destroy(world);
    }
}

static void slope_of_rods(const double *y, double *slope)
{
    const double c = cos(y[0] - y[1]), s = sin(y[0] - y[1]), a = 4.0 / 3, b = c / 2, d = 1.0 / 3;
    const double p = -y[3] * y[3] * s / 2 - 1.5 * G * sin(y[0]), q = y[2] * y[2] * s / 2 - 0.5 * G * sin(y[1]);
    slope[0] = y[2];
    slope[1] = y[3];
    slope[2] = (p * d - b * q) / (a * d - b * b);
    slope[3] = (a * q - b * p) / (a * d - b * b);
}

/* Two rods on hinges. A crank of 0.3 m drives a piston by a rod of 1 m. A hinge drives another by gears, and that a rack. */
void rods_cranks_and_gears(records *out)
{
    double y[4] = {1, 1.5, 0, 0};
    sn_world *world = make_world(10, 1, 0);
    const sn_body upper = add_mass(world, 1, 1.0 / 12, vec(sin(y[0]) / 2, -cos(y[0]) / 2, 0), y[0]);
    const sn_body lower =
        add_mass(world, 1, 1.0 / 12, vec(sin(y[0]) + sin(y[1]) / 2, -cos(y[0]) - cos(y[1]) / 2, 0), y[1]);
    made(world, sn_joint_add_hinge(world, nowhere, upper, vec(0, 0, 0), vec(0, 0, 1)));
    made(world, sn_joint_add_hinge(world, upper, lower, vec(sin(y[0]), -cos(y[0]), 0), vec(0, 0, 1)));
    run(world, 60, FRAME);
    integrate(slope_of_rods, y, 4, 1);
    note(out, y[0], angle_of(world, upper), 0.005,
         "two rods on hinges from 1 and 1.5 rad, angle of the upper after 1 s");
    note(out, y[1], angle_of(world, lower), 0.005, "angle of the lower");
    sn_world_destroy(world);

    const double r = 0.3, l = 1;
    world = make_world(10, 1, 0);
    const sn_body crank = add_mass(world, 1, 0.1, vec(0, 0, 0), 0),
                  rod = add_mass(world, 1, 0.1, vec(r + l / 2, 0, 0), 0),
                  piston = add_mass(world, 1, 0.1, vec(r + l, 0, 0), 0);
    const sn_constraint shaft = made(world, sn_joint_add_hinge(world, nowhere, crank, vec(0, 0, 0), vec(0, 0, 1)));
    made(world, sn_joint_add_hinge(world, crank, rod, vec(r, 0, 0), vec(0, 0, 1)));
    made(world, sn_joint_add_hinge(world, rod, piston, vec(r + l, 0, 0), vec(0, 0, 1)));
    made(world, sn_joint_add_slider(world, nowhere, piston, vec(r + l, 0, 0), vec(1, 0, 0)));
    must(world, sn_joint_set_motor(world, shaft, 6, real(1e6)), "motor");
    double worst = 0;
    for (int i = 0; i < 120; ++i) {
        run(world, 1, FRAME);
        const double a = angle_of(world, crank), exact = r * cos(a) + sqrt(l * l - r * r * sin(a) * sin(a));
        worst = fmax(worst, fabs((double)sn_body_position(world, piston).x - exact));
    }
    record *worst_of_all = append(out, 0, JUDGE_AT_MOST, 0.001, worst, 0);
    SETUP(worst_of_all, "slider crank of 0.3 m at 6 rad/s, worst error of the piston in m");
    sn_world_destroy(world);

    world = make_world(10, 1, 0);
    set_gravity(world, vec(0, 0, 0));
    const sn_body a = add_mass(world, 1, 0.2, vec(0, 0, 0), 0), b = add_mass(world, 1, 0.1, vec(1, 0, 0), 0),
                  rack = add_mass(world, 3, 1, vec(2, 0, 0), 0);
    const sn_constraint first = made(world, sn_joint_add_hinge(world, nowhere, a, vec(0, 0, 0), vec(0, 0, 1)));
    const sn_constraint second = made(world, sn_joint_add_hinge(world, nowhere, b, vec(1, 0, 0), vec(0, 0, 1)));
    const sn_constraint rail = made(world, sn_joint_add_slider(world, nowhere, rack, vec(2, 0, 0), vec(1, 0, 0)));
    made(world, sn_joint_add_gear(world, first, second, real(0.5)));
    made(world, sn_joint_add_gear(world, second, rail, real(0.25)));
    for (int i = 0; i < 60; ++i) {
        must(world, sn_body_apply_torque(world, a, vec(0, 0, 3)), "torque");
        run(world, 1, FRAME);
    }
    const double spin = 3 / (0.2 + 0.1 * 4 + 3 * 0.25);
    note(out, spin, (double)sn_body_spin(world, a).z, 0.005,
         "gears and a rack under 3 N m for 1 s, spin of the first in rad/s");
    note(out, 0.5 * spin, (double)sn_body_velocity(world, rack).x, 0.005, "speed of the rack in m/s");
    sn_world_destroy(world);
}

/* A, C: moments about the tip, across and along the axis; y: lean, its rate, the angle of precession. */
#define TOP_A    (0.02 + 0.3 * 0.3)
#define TOP_L    (0.015 * 80)
#define TOP_LEAN 0.6

static void slope_of_top(const double *y, double *slope)
{
    const double s = sin(y[0]), c = cos(y[0]), w = (TOP_L * cos(TOP_LEAN) - TOP_L * c) / (TOP_A * s * s);
    slope[0] = y[1];
    slope[1] = (TOP_A * w * w * s * c - TOP_L * w * s + 0.3 * G * s) / TOP_A;
    slope[2] = w;
}

/* A top on a ball joint that is let go falls and rises again. A wheel on a bearing that is turned. A bead in a turning tube. */
void things_that_spin(records *out)
{
    sn_world *world = make_world(10, 1, 0);
    sn_body_def def = sn_default_body_def();
    sn_body top;
    def.mass = 1;
    def.moments = vec(0.02, 0.015, 0.02);
    def.position = vec(-0.3 * sin(TOP_LEAN), 0.3 * cos(TOP_LEAN), 0);
    def.rotation = about_z(TOP_LEAN);
    def.spin = vec(-80 * sin(TOP_LEAN), 80 * cos(TOP_LEAN), 0);
    must(world, sn_body_add(world, &def, &top), "top");
    made(world, sn_joint_add_ball(world, nowhere, top, vec(0, 0, 0)));
    double turned = 0, before = 0, most = 0, exact_most = 0, y[3] = {TOP_LEAN, 0, 0};
    for (int i = 0; i < 120; ++i) {
        run(world, 1, FRAME);
        integrate(slope_of_top, y, 3, FRAME);
        const sn_vec3 at = sn_body_position(world, top);
        const double now = atan2((double)at.z, -(double)at.x);
        turned += remainder(now - before, 2 * PI);
        before = now;
        most = fmax(most, acos((double)at.y / size(at)));
        exact_most = fmax(exact_most, y[0]);
    }
    note(out, y[2], turned, 0.01 * y[2],
         "top of 80 rad/s on a ball joint, let go at 0.6 rad, precession in 2 s in rad");
    note(out, exact_most, most, 0.005, "its largest lean in rad");
    sn_world_destroy(world);

    world = make_world(10, 1, 0);
    set_gravity(world, vec(0, 0, 0));
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
    sn_body holder, wheel;
    def = sn_default_body_def();
    def.type = SN_BODY_KINEMATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    def.spin = vec(0, 1.5, 0);
    must(world, sn_body_add(world, &def, &holder), "holder");
    def = sn_default_body_def();
    def.mass = 2;
    def.moments = vec(0.04, 0.02, 0.02);
    def.spin = vec(60, 1.5, 0);
    must(world, sn_body_add(world, &def, &wheel), "wheel");
    const sn_constraint bearing = made(world, sn_joint_add_hinge(world, holder, wheel, vec(0, 0, 0), vec(1, 0, 0)));
    double torque = 0;
    run(world, 12, FRAME);
    for (int i = 0; i < 20; ++i) {
        sn_vec3 t;
        run(world, 1, FRAME);
        must(world, sn_joint_reaction(world, bearing, NULL, &t), "reaction");
        torque += hypot((double)t.x, (double)t.z) / 20;
    }
    note(out, 0.04 * 60 * 1.5, torque, 0.02,
         "wheel of 60 rad/s on a bearing that is turned by 1.5 rad/s, torque in N m");
    const sn_body bead = add_mass(world, 1, 0.01, vec(0.5, 0, 5), 0);
    must(world, sn_body_set_velocity(world, holder, vec(0, 0, 0), vec(0, 0, 2)), "tube");
    must(world, sn_body_set_velocity(world, bead, vec(0, 1, 0), vec(0, 0, 2)), "bead");
    made(world, sn_joint_add_slider(world, holder, bead, vec(0.5, 0, 5), vec(1, 0, 0)));
    must(world, sn_body_remove(world, wheel), "wheel");
    run(world, 60, FRAME);
    const sn_vec3 at = sn_body_position(world, bead);
    note(out, 0.5 * cosh(2), hypot((double)at.x, (double)at.y), 0.015,
         "bead in a tube that turns by 2 rad/s, way out after 1 s in m");
    sn_world_destroy(world);
}

/* Particles 0 .. count from a to b, the first one fixed. */
static void add_chain(sn_world *world, sn_particle *p, int count, double mass, double length, double compliance,
                      double x, double y)
{
    for (int i = 0; i <= count; ++i) {
        p[i] = sn_particle_add_at(world, vec(x * i / count, y * i / count, 0), i ? real(mass) : SN_IMMOVABLE);
        if (i == 0)
            continue;
        sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
        const sn_point ends[2] = {sn_at(p[i - 1]), sn_at(p[i])};
        def.points = ends;
        def.param[0] = real(length);
        def.compliance = real(compliance);
        must(world, sn_constraint_add(world, &def, NULL), "link");
    }
}

/* Bessel's function of the first kind, of order 0, for arguments of a few. */
static double bessel(double x)
{
    double sum = 0, term = 1;
    for (int k = 1; k < 40; ++k) {
        sum += term;
        term *= -x * x / (4.0 * k * k);
    }
    return sum;
}

/* A wire of 40 links, EA = 300 N, 2 kg and 2.6 m between two points 2 m apart: each link has the pull across H and carries
   the weight below it. The first two modes of a hanging chain: w = z/2 sqrt(g/L), z a zero of J0. A bead on a cycloid. */
void wires(records *out)
{
    enum { LINKS = 40 };
    const double length = 2.6 / LINKS, ea = 300, weight = 2.0 / LINKS * G;
    sn_particle p[LINKS + 1];
    double low = 1e-3, high = 1e4, sag = 0;
    for (int k = 0; k < 200; ++k) {
        const double across = sqrt(low * high);
        double x = 0;
        sag = 0;
        for (int i = 0; i < LINKS; ++i) {
            const double up = (LINKS / 2.0 - i - 0.5) * weight, pull = hypot(across, up), l = length * (1 + pull / ea);
            x += l * across / pull;
            sag += i < LINKS / 2 ? l * up / pull : 0;
        }
        *(x > 2 ? &high : &low) = across;
    }
    sn_world *world = make_world(10, 1, 2);
    add_chain(world, p, LINKS, 2.0 / LINKS, length, length / ea, 2, 0);
    must(world, sn_particle_set_mass(world, p[LINKS], SN_IMMOVABLE), "end");
    run(world, 480, FRAME);
    note(out, -sag, (double)sn_particle_position(world, p[LINKS / 2]).y, 0.002,
         "elastic wire of 2.6 m between points 2 m apart, height of its middle in m");
    sn_world_destroy(world);

    static const double zero[2] = {2.404826, 5.520078};
    for (int mode = 0; mode < 2; ++mode) {
        world = make_world(10, 1, 0);
        add_chain(world, p, LINKS, 1.0 / LINKS, 2.0 / LINKS, 0, 0, -2);
        must(world, sn_particle_set_mass(world, p[LINKS], real(0.5 / LINKS)), "end");
        for (int i = 1; i <= LINKS; ++i) {
            const sn_vec3 at = sn_particle_position(world, p[i]);
            const double x = 0.02 * bessel(zero[mode] * sqrt((double)(LINKS - i) / LINKS));
            must(world, sn_particle_set_position(world, p[i], vec(x, (double)at.y, 0)), "mode");
        }
        const double exact = 4 * PI / zero[mode] * sqrt(2 / G);
        record *r = append(out, 0, JUDGE_WITHIN, exact, two_periods(world, x_of_particle, &p[LINKS]) / 2, 0.01 * exact);
        SETUP(r, "chain of 2 m that hangs, period of mode %d in s", mode + 1);
        sn_world_destroy(world);
    }

    enum { KNOTS = 61 };
    sn_particle knot[KNOTS];
    world = make_world(10, 1, 0);
    for (int i = 0; i < KNOTS; ++i) {
        const double t = 2 * PI * i / (KNOTS - 1);
        knot[i] = sn_particle_add_at(world, vec((t - sin(t) - PI) / 2, (cos(t) - 1) / 2, 0), SN_IMMOVABLE);
    }
    const sn_particle bead = sn_particle_add_at(world, vec((2 - sin(2) - PI) / 2, (cos(2) - 1) / 2, 0), 1);
    made(world, sn_constraint_add_on_spline(world, bead, KNOTS, knot));
    const double exact = 4 * PI * sqrt(0.5 / G);
    note(out, exact, two_periods(world, x_of_particle, &bead) / 2, 0.003 * exact,
         "bead on a cycloid of 0.5 m, period in s, however far it swings");
    sn_world_destroy(world);
}

static sn_vec3 attract(void *context, const sn_field_in *in)
{
    (void)context;
    const double r = size(in->position), k = -(double)in->mass / (r * r * r);
    return vec(k * (double)in->position.x, k * (double)in->position.y, k * (double)in->position.z);
}

/* An orbit of eccentricity 1/2 about a mass at the origin, by a force field. Masses on a rope over pulleys, with a ratio. */
void orbit_and_pulleys(records *out)
{
    sn_world *world = make_world(10, 1, 0);
    set_gravity(world, vec(0, 0, 0));
    must(world, sn_field_add(world, attract, NULL, false, NULL), "field");
    const sn_particle planet = sn_particle_add_at(world, vec(0.5, 0, 0), 1);
    must(world, sn_particle_set_velocity(world, planet, vec(0, sqrt(3), 0)), "velocity");
    double before = 0, period = 0;
    for (int i = 0; i < 480 && period == 0; ++i) {
        run(world, 1, FRAME);
        const double now = (double)sn_particle_position(world, planet).y;
        if (before < 0 && now >= 0)
            period = (i + before / (before - now)) * FRAME;
        before = now;
    }
    note(out, 2 * PI, period, 0.005, "orbit of eccentricity 1/2 by a force field, period in s");
    sn_world_destroy(world);

    for (int bodies = 0; bodies < 2; ++bodies) {
        world = make_world(10, 1, 0);
        const sn_body a = add_mass(world, 1, 1, vec(0, 0, 0), 0), b = add_mass(world, 3, 1, vec(1, 0, 0), 0);
        const sn_particle p = sn_particle_add_at(world, vec(0, 0, 1), 1),
                          q = sn_particle_add_at(world, vec(1, 0, 1), 3);
        made(world, sn_constraint_add_pulley(world, bodies ? sn_on_body(a, vec(0, 0, 0)) : sn_at(p),
                                             sn_at_place(vec(0, 5, !bodies)), sn_at_place(vec(1, 5, !bodies)),
                                             bodies ? sn_on_body(b, vec(0, 0, 0)) : sn_at(q), 2, SN_MEASURE));
        run(world, 30, FRAME);
        const sn_vec3 v = bodies ? sn_body_velocity(world, b) : sn_particle_velocity(world, q);
        record *r = append(out, 0, JUDGE_WITHIN, -G / 7 / 2, (double)v.y, 0.002);
        SETUP(r, "%s of 1 and 3 kg on a tackle of ratio 2, speed after 0.5 s in m/s", bodies ? "bodies" : "particles");
        sn_world_destroy(world);
    }
}
