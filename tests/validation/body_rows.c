/* The validation cases of rigid bodies: contact (14 to 16), free rotation (17), momenta of what is jointed (18), a pendulum, and a
   chain with a heavy end. */
#include "validation/row_tools.h"

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void numbers_of(sn_vec3 v, double out[3])
{
    out[0] = (double)v.x;
    out[1] = (double)v.y;
    out[2] = (double)v.z;
}

static void must_be(const sn_world *world, bool good, const char *what)
{
    if (!good)
        give_up(what, sn_world_error(world));
}

/* ---- Rows 14 and 15: a box that slides --------------------------------------------------------------------------------------- */

typedef struct slide {
    sn_world *world;
    sn_body box;
} slide;

/* A flat box of 0.4 m x 0.1 m x 0.4 m on a plane through the origin that rises by so many degrees towards +x. */
static slide make_slide(double mass, double friction, double degrees)
{
    slide s = {.world = make_world(10, 1, 0)};
    double angle = degrees * acos(-1.0) / 180, rise = sin(angle), run_ = cos(angle);
    set_materials(s.world, fixed_add_plane(s.world, vec(0, 0, 0), vec(-rise, run_, 0)), friction, 0);
    s.box = sn_body_add_box(s.world, vec(0, 0, 0), vec(0.2, 0.05, 0.2), 1000);
    must_be(s.world, sn_body_is_valid(s.world, s.box), "box");
    must(s.world, sn_body_set_mass(s.world, s.box, real(mass)), "mass");
    sn_quat q = {0, 0, real(sin(angle / 2)), real(cos(angle / 2))};
    must(s.world, sn_body_set_pose(s.world, s.box, vec(-0.05 * rise, 0.05 * run_, 0), q), "pose");
    run(s.world, 12, FRAME);
    return s;
}

/* m: how far it comes in 2 s. */
static double slide_way(const slide *s)
{
    double from[3], to[3];
    numbers_of(sn_body_centre(s->world, s->box), from);
    run(s->world, 120, FRAME);
    numbers_of(sn_body_centre(s->world, s->box), to);
    for (int k = 0; k < 3; ++k)
        to[k] -= from[k];
    return length_of(to);
}

void rigid_box_on_a_ramp(records *out)
{
    static const double friction[] = {0.1, 0.3, 0.5, 0.7, 1}, degrees[] = {3, 10, 20, 30, 40};
    for (size_t i = 0; i < COUNT_OF(friction); ++i)
        for (size_t j = 0; j < COUNT_OF(degrees); ++j) {
            bool slides = tan(degrees[j] * acos(-1.0) / 180) > friction[i];
            slide s = make_slide(1, friction[i], degrees[j]);
            double way = slide_way(&s);
            sn_world_destroy(s.world);
            record *r = append(out, 14, slides ? JUDGE_AT_LEAST : JUDGE_AT_MOST, slides ? 0.1 : 1e-3, way, 0);
            SETUP(r, "rigid box on a ramp, µ = %.1f, %.0f°, %s, distance in 2 s in m", friction[i], degrees[j],
                  slides ? "slides" : "stays");
        }
}

void rigid_sliding_stop(records *out)
{
    static const double friction[] = {0.2, 0.4, 0.7}, mass[] = {0.1, 1, 10, 100};
    for (size_t i = 0; i < COUNT_OF(friction); ++i)
        for (size_t j = 0; j < COUNT_OF(mass); ++j) {
            double expected = 4 / (2 * friction[i] * G);
            slide s = make_slide(mass[j], friction[i], 0);
            must(s.world, sn_body_set_velocity(s.world, s.box, vec(2, 0, 0), vec(0, 0, 0)), "velocity");
            double way = slide_way(&s);
            sn_world_destroy(s.world);
            record *r = append(out, 15, JUDGE_WITHIN, expected, way, 0.03 * expected);
            SETUP(r, "rigid box, sliding stop from 2 m/s, µ = %.1f, %g kg, h = 1/600, distance in m", friction[i],
                  mass[j]);
        }
}

/* ---- Row 16: restitution ----------------------------------------------------------------------------------------------------- */

/* m: how high the lowest point of a body rises again after a fall of 1 m; `low` is how far that is below its centre. */
static double rebound_of(sn_world *world, sn_body body, double low)
{
    double highest = 0;
    for (int step = 0; step < 6000; ++step) {
        bool rises = (double)sn_body_velocity(world, body).y > 0;
        run(world, 1, 1.0 / 6000);
        highest = fmax(highest, rises ? (double)sn_body_centre(world, body).y - low : 0);
    }
    return highest;
}

void rigid_rebound(records *out)
{
    static const double restitution[] = {0.5, 0.8};
    for (int flat = 0; flat < 2; ++flat)
        for (size_t i = 0; i < COUNT_OF(restitution); ++i) {
            double e = restitution[i], expected = e * e, low = flat ? 0.05 : 0.1;
            sn_world *world = make_world(1, 1, 0);
            set_materials(world, fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0)), 0.5, e);
            sn_vec3 place = vec(0, 1 + low, 0);
            sn_body body = flat ? sn_body_add_box(world, place, vec(0.2, low, 0.2), 1000)
                                : sn_body_add_sphere(world, place, real(low), 1000);
            must_be(world, sn_body_is_valid(world, body), "body");
            record *r = append(out, 16, JUDGE_WITHIN, expected, rebound_of(world, body, low), 0.01 * expected);
            SETUP(r, "rigid %s dropped from 1 m, restitution %.1f, h = 1/6000, rebound in m",
                  flat ? "box, flat," : "sphere", e);
            sn_world_destroy(world);
        }
}

/* ---- Row 17: a free body ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    sn_integrator integrator;
} integrators[] = {{"symplectic Euler", SN_INTEGRATOR_SYMPLECTIC_EULER},
                   {"forward Euler", SN_INTEGRATOR_FORWARD_EULER},
                   {"leapfrog", SN_INTEGRATOR_LEAPFROG},
                   {"Verlet", SN_INTEGRATOR_VERLET},
                   {"BDF2", SN_INTEGRATOR_BDF2}};

/* The spin about the second axis of the body itself. */
static double second_spin(const sn_world *world, sn_body body)
{
    sn_quat q = sn_body_rotation(world, body);
    double w[3], x = (double)q.x, y = (double)q.y, z = (double)q.z, s = (double)q.w;
    numbers_of(sn_body_spin(world, body), w);
    return 2 * (x * y - s * z) * w[0] + (1 - 2 * (x * x + z * z)) * w[1] + 2 * (y * z + s * x) * w[2];
}

typedef struct tumbling {
    double first, interval;   /* s: when its spin first changes sign, and the worst time between two changes */
    double length, direction; /* most that the angular momentum was off: as a share of it, and in rad */
    double energy;            /* and the energy, as a share of it */
} tumbling;

#define TUMBLE_INTERVAL 5.025929 /* s */

static void watch_momentum(const sn_world *world, sn_body body, const double start[3], tumbling *t)
{
    double l[3], cross[3];
    numbers_of(sn_body_angular_momentum(world, body), l);
    double dot = l[0] * start[0] + l[1] * start[1] + l[2] * start[2];
    for (int i = 0; i < 3; ++i)
        cross[i] = start[(i + 1) % 3] * l[(i + 2) % 3] - start[(i + 2) % 3] * l[(i + 1) % 3];
    t->length = fmax(t->length, fabs(length_of(l) / length_of(start) - 1));
    t->direction = fmax(t->direction, atan2(length_of(cross), dot));
}

static double kinetic_of(sn_world *world)
{
    sn_report report;
    must(world, sn_world_report(world, &report), "report");
    return report.kinetic;
}

/* Moments 1, 2, 3 and a spin about the middle one, which is unstable: it turns over again and again. 20 s at h = 1/600. */
static tumbling tumble(sn_integrator integrator)
{
    enum { STEPS = 20 * 600 };
    tumbling t = {0, TUMBLE_INTERVAL, 0, 0, 0};
    sn_world *world = make_world(1, 1, 0);
    sn_settings s = sn_world_settings(world);
    s.integrator = integrator;
    s.gravity = vec(0, 0, 0);
    must(world, sn_world_configure(world, &s), "integrator");
    sn_body_def def = sn_default_body_def();
    def.mass = 1;
    def.moments = vec(1, 2, 3);
    def.spin = vec(0.01, 5, 0.01);
    sn_body body;
    must(world, sn_body_add(world, &def, &body), "body");
    double start[3], before = second_spin(world, body), energy = kinetic_of(world), last = 0;
    numbers_of(sn_body_angular_momentum(world, body), start);
    for (int step = 0; step < STEPS; ++step) {
        run(world, 1, 1.0 / 600);
        double after = second_spin(world, body);
        if ((before < 0) != (after < 0)) {
            double time = (step + before / (before - after)) / 600;
            if (t.first == 0)
                t.first = time;
            else if (fabs(time - last - TUMBLE_INTERVAL) > fabs(t.interval - TUMBLE_INTERVAL))
                t.interval = time - last;
            last = time;
        }
        before = after;
        watch_momentum(world, body, start, &t);
        t.energy = fmax(t.energy, fabs(kinetic_of(world) / energy - 1));
    }
    if (last < 15)
        t.interval = (double)INFINITY; /* it should have turned over four times */
    sn_world_destroy(world);
    return t;
}

void free_body(records *out)
{
    for (size_t i = 0; i < COUNT_OF(integrators); ++i) {
        tumbling t = tumble(integrators[i].integrator);
        const char *name = integrators[i].name;
        record *r = append(out, 17, JUDGE_WITHIN, 2.741068, t.first, 0.01 * 2.741068);
        SETUP(r, "free body, I = (1, 2, 3), h = 1/600, %s, first turns over after, s", name);
        r = append(out, 17, JUDGE_WITHIN, TUMBLE_INTERVAL, t.interval, 0.01 * TUMBLE_INTERVAL);
        SETUP(r, "free body, I = (1, 2, 3), h = 1/600, %s, time between, worst of 20 s, s", name);
        r = append(out, 17, JUDGE_AT_MOST, 5e-4, t.length, 0);
        SETUP(r, "free body, I = (1, 2, 3), h = 1/600, %s, drift of the length of L in 20 s, share", name);
        r = append(out, 17, JUDGE_AT_MOST, 5e-3, t.direction, 0);
        SETUP(r, "free body, I = (1, 2, 3), h = 1/600, %s, drift of the direction of L in 20 s, rad", name);
        r = append(out, 17, JUDGE_AT_MOST, 1e-3, t.energy, 0);
        SETUP(r, "free body, I = (1, 2, 3), h = 1/600, %s, energy off in 20 s, share", name);
    }
}

/* ---- Row 18: momenta of jointed bodies ------------------------------------------------------------------------------------------ */

typedef struct way_to_solve {
    const char *name;
    sn_solver solver;
    sn_integrator integrator;
    sn_gradients gradients;
    sn_drift drift;
    uint32_t passes;
    bool turns_exactly; /* it keeps angular momentum to rounding */
} way_to_solve;

static const way_to_solve ways_to_solve[] = {
    {"plain projection, tiled", SN_SOLVER_TILED, 0, 0, 0, 20, false},
    {"plain projection, Gauss-Seidel", SN_SOLVER_GAUSS_SEIDEL, 0, 0, 0, 20, false},
    {"plain projection, Jacobi", SN_SOLVER_JACOBI, 0, 0, 0, 60, false},
    {"plain projection, direct", SN_SOLVER_DIRECT, 0, 0, 0, 3, false},
    {"gradients at the start, symplectic Euler", SN_SOLVER_GAUSS_SEIDEL, 0, SN_GRADIENTS_START, 0, 20, true},
    {"gradients at the start, leapfrog", SN_SOLVER_TILED, SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_START, 0, 20, true},
    {"gradients at the start, Verlet", SN_SOLVER_TILED, SN_INTEGRATOR_VERLET, SN_GRADIENTS_START, 0, 20, true},
    {"impulses, Baumgarte", SN_SOLVER_IMPULSES, 0, 0, SN_DRIFT_BAUMGARTE, 20, true},
    {"impulses, soft", SN_SOLVER_IMPULSES, 0, 0, SN_DRIFT_SOFT, 20, true},
    {"constraint forces, symplectic Euler", SN_SOLVER_LAGRANGE, 0, 0, 0, 1, true},
    {"constraint forces, leapfrog", SN_SOLVER_LAGRANGE, SN_INTEGRATOR_LEAPFROG, 0, 0, 1, true},
    {"BDF2, tiled", SN_SOLVER_TILED, SN_INTEGRATOR_BDF2, 0, 0, 20, false},
    {"BDF2, direct", SN_SOLVER_DIRECT, SN_INTEGRATOR_BDF2, 0, 0, 3, false},
};

enum { FLYERS = 4 };

typedef struct flock {
    sn_world *world;
    sn_body body[FLYERS];
    sn_constraint joint[FLYERS - 1];
} flock;

/* Four boxes of 1 to 4 kg in a row, joined by a ball joint, a hinge and a slider, without gravity. They start as one rigid body would,
   whose joints then bend. Where they may touch, two of them that no joint joins do so after 2.5 s. */
static flock make_flock(const way_to_solve *way, uint32_t substeps, bool touch)
{
    flock f = {.world = make_world(substeps, way->passes, 0)};
    const double spin[3] = {0.5, 1.1, -1.7}, v[3] = {0.2, -0.1, 0.3};
    sn_settings s = sn_world_settings(f.world);
    s.solver = way->solver;
    s.integrator = way->integrator;
    s.gradients = way->gradients;
    s.drift = way->drift;
    s.gravity = vec(0, 0, 0);
    must(f.world, sn_world_configure(f.world, &s), "solver");
    sn_contact_settings contact = sn_default_contact_settings();
    contact.on = touch;
    must(f.world, sn_world_set_contact_settings(f.world, &contact), "contact");
    for (int i = 0; i < FLYERS; ++i) {
        double x[3] = {i - 1.5, 0.1 * (i % 2), 0.05 * i}, fast[3];
        f.body[i] = sn_body_add_box(f.world, vec(x[0], x[1], x[2]), vec(0.4, 0.1 + 0.05 * i, 0.2), 1000);
        must_be(f.world, sn_body_is_valid(f.world, f.body[i]), "body");
        must(f.world, sn_body_set_mass(f.world, f.body[i], real(1 + i)), "mass");
        for (int k = 0; k < 3; ++k)
            fast[k] = v[k] + spin[(k + 1) % 3] * x[(k + 2) % 3] - spin[(k + 2) % 3] * x[(k + 1) % 3];
        must(f.world,
             sn_body_set_velocity(f.world, f.body[i], vec(fast[0], fast[1], fast[2]), vec(spin[0], spin[1], spin[2])),
             "velocity");
    }
    sn_body *b = f.body;
    f.joint[0] = sn_joint_add_ball(f.world, b[0], b[1], vec(-1, 0.05, 0));
    f.joint[1] = sn_joint_add_hinge(f.world, b[1], b[2], vec(0, 0.05, 0.1), vec(0, 1, 1));
    f.joint[2] = sn_joint_add_slider(f.world, b[2], b[3], vec(1, 0, 0.1), vec(1, 0.2, 0));
    for (int i = 0; i < FLYERS - 1; ++i)
        must_be(f.world, sn_constraint_is_valid(f.world, f.joint[i]), "joint");
    return f;
}

typedef struct momenta {
    double linear[3], angular[3]; /* about the origin */
} momenta;

static momenta momenta_of(const flock *f)
{
    momenta sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < FLYERS; ++i) {
        double m = (double)sn_body_mass(f->world, f->body[i]), x[3], v[3], l[3];
        numbers_of(sn_body_centre(f->world, f->body[i]), x);
        numbers_of(sn_body_velocity(f->world, f->body[i]), v);
        numbers_of(sn_body_angular_momentum(f->world, f->body[i]), l);
        for (int k = 0; k < 3; ++k) {
            sum.linear[k] += m * v[k];
            sum.angular[k] += l[k] + m * (x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3]);
        }
    }
    return sum;
}

/* As a share of the length of b. */
static double change_of(const double a[3], const double b[3])
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return length_of(d) / length_of(b);
}

/* How far the momenta are off after so many frames, as shares of them. */
static void fly(const way_to_solve *way, uint32_t substeps, uint32_t frames, bool touch, double *linear,
                double *angular)
{
    flock f = make_flock(way, substeps, touch);
    momenta start = momenta_of(&f);
    run(f.world, frames, FRAME);
    momenta end = momenta_of(&f);
    *linear = change_of(end.linear, start.linear);
    *angular = change_of(end.angular, start.angular);
    sn_world_destroy(f.world);
}

/* Contact keeps both momenta as well. */
static void report_touching(records *out)
{
    enum { FRAMES = 200 };
    const uint32_t frames = FRAMES;
    double linear, angular;
    fly(&ways_to_solve[4], 10, frames, true, &linear, &angular);
    record *r = append(out, 18, JUDGE_AT_MOST, BUILD(1e-5, 1e-9), linear, 0);
    SETUP(r, "four jointed bodies that also touch, %u frames, h = 1/600, %s, linear momentum off, share", frames,
          ways_to_solve[4].name);
    r = append(out, 18, JUDGE_AT_MOST, BUILD(2e-5, 1e-9), angular, 0);
    SETUP(r, "four jointed bodies that also touch, %u frames, h = 1/600, %s, angular momentum off, share", frames,
          ways_to_solve[4].name);
}

void jointed_bodies(records *out)
{
    uint32_t frames,
        some = support_rounds(support_long(1000, 100), 50); /* of ten steps each: 1000 steps at the least */
    for (size_t i = 0; i < COUNT_OF(ways_to_solve); ++i) {
        const way_to_solve *way = &ways_to_solve[i];
        double linear, angular;
        /* what rounding does to pairs of places adds up slowly: it is watched to the end */
        if (IS_FLOAT && way->integrator == SN_INTEGRATOR_VERLET)
            frames = support_rounds(1000, 50);
        else
            frames = some;
        fly(way, 10, frames, false, &linear, &angular);
        record *r = append(out, 18, JUDGE_AT_MOST, BUILD(1e-5, 1e-9), linear, 0);
        SETUP(r, "four jointed bodies, %u frames, h = 1/600, %s, linear momentum off, share", frames, way->name);
        r = append(out, 18, way->turns_exactly ? JUDGE_AT_MOST : JUDGE_REPORTED, BUILD(2e-5, 1e-9), angular, 0);
        SETUP(r, "four jointed bodies, %u frames, h = 1/600, %s, angular momentum off, share", frames, way->name);
    }
    report_touching(out);
    double before = 0;
    for (uint32_t substeps = 10; !IS_FLOAT && substeps <= 1000; substeps *= 10) {
        double linear, angular;
        fly(&ways_to_solve[1], substeps, support_long(60, 12), false, &linear, &angular);
        if (substeps > 10) {
            record *r = append(out, 18, JUDGE_AT_LEAST, FIRST_ORDER, before / angular, 0);
            SETUP(r, "four jointed bodies, plain projection, angular momentum lost: fall from h = 1/%u to 1/%u",
                  6 * substeps, 60 * substeps);
        }
        before = angular;
    }
}

/* ---- A pendulum that is a body ----------------------------------------------------------------------------------------------------- */

#define ROD_PERIOD 1.748780422 /* s: 4 sqrt(I / (m g l / 2)) K(sin 0.5), I = m (1 + 0.01) / 12 + m / 4 */

/* A rod of 1 m and 10 cm thick on a hinge at its end, from 1 rad: the time between the first and the third time that it hangs down. */
static double rod_period(const way_to_solve *way, uint32_t n)
{
    sn_world *world = make_world(1, way->passes, 0);
    sn_settings s = sn_world_settings(world);
    s.solver = way->solver;
    s.integrator = way->integrator;
    s.gradients = way->gradients;
    s.drift = way->drift;
    must(world, sn_world_configure(world, &s), "solver");
    sn_body rod = sn_body_add_box(world, vec(0, 0, 0), vec(0.05, 0.5, 0.05), 1000);
    sn_vec3 start = vec(0.5 * sin(1), -0.5 * cos(1), 0);
    must(world, sn_body_set_pose(world, rod, start, (sn_quat){0, 0, real(sin(0.5)), real(cos(0.5))}), "pose");
    sn_constraint hinge = sn_joint_add_hinge(world, (sn_body){0, 0}, rod, vec(0, 0, 0), vec(0, 0, 1));
    must_be(world, sn_constraint_is_valid(world, hinge), "hinge");
    double before = (double)start.x, first = 0;
    for (uint32_t step = 0, crossings = 0; step < 5 * n; ++step) {
        run(world, 1, 1.0 / n);
        double after = (double)sn_body_centre(world, rod).x;
        double time = (step + before / (before - after)) / n;
        if ((before < 0) != (after < 0) && ++crossings == 1)
            first = time;
        if (crossings == 3) {
            sn_world_destroy(world);
            return time - first;
        }
        before = after;
    }
    sn_world_destroy(world);
    return (double)INFINITY;
}

void body_pendulum(records *out)
{
    for (size_t i = 1; i < COUNT_OF(ways_to_solve); ++i) {
        const way_to_solve *way = &ways_to_solve[i];
        double share = way->turns_exactly || way->integrator == SN_INTEGRATOR_BDF2 ? 5e-4 : 5e-3;
        record *r = append(out, 0, JUDGE_WITHIN, ROD_PERIOD, rod_period(way, 600), share * ROD_PERIOD);
        SETUP(r, "rigid rod on a hinge from 1 rad, h = 1/600, %s, period in s", way->name);
    }
    double error[2] = {0, 0};
    for (int fine = 0; !IS_FLOAT && fine < 2; ++fine)
        error[fine] = fabs(rod_period(&ways_to_solve[1], fine ? 6000 : 600) - ROD_PERIOD);
    if (!IS_FLOAT) {
        record *r = append(out, 0, JUDGE_AT_LEAST, FIRST_ORDER, error[0] / error[1], 0);
        SETUP(r,
              "rigid rod on a hinge from 1 rad, plain projection, error of the period: fall from h = 1/600 to 1/6000");
    }
}

/* ---- A chain of bodies ------------------------------------------------------------------------------------------------------------ */

enum { CHAIN_BODIES = 100 };

#define CHAIN_LINK 0.1 /* m */

typedef struct body_chain {
    sn_world *world;
    sn_body body[CHAIN_BODIES];
    sn_constraint joint[CHAIN_BODIES];
} body_chain;

/* Boxes of 1 kg on ball joints, the last of 100 kg, solved directly in one pass; it hangs, or is let go level. */
static void make_body_chain(body_chain *c, bool level)
{
    c->world = make_world(10, 1, 0);
    sn_settings s = sn_world_settings(c->world);
    s.solver = SN_SOLVER_DIRECT;
    must(c->world, sn_world_configure(c->world, &s), "solver");
    const double thick = 0.1 * CHAIN_LINK, along = 0.45 * CHAIN_LINK;
    for (int i = 0; i < CHAIN_BODIES; ++i) {
        double at = (i + 0.5) * CHAIN_LINK, top = i * CHAIN_LINK;
        c->body[i] = sn_body_add_box(c->world, level ? vec(at, 0, 0) : vec(0, -at, 0),
                                     level ? vec(along, thick, thick) : vec(thick, along, thick), 1000);
        must_be(c->world, sn_body_is_valid(c->world, c->body[i]), "link");
        must(c->world, sn_body_set_mass(c->world, c->body[i], i + 1 < CHAIN_BODIES ? 1 : 100), "mass");
        c->joint[i] = sn_joint_add_ball(c->world, i ? c->body[i - 1] : (sn_body){0, 0}, c->body[i],
                                        level ? vec(top, 0, 0) : vec(0, -top, 0));
        must_be(c->world, sn_constraint_is_valid(c->world, c->joint[i]), "joint");
    }
}

/* The widest joint, as a share of a link. */
static double widest_joint(const body_chain *c)
{
    double most = 0;
    for (int i = 0; i < CHAIN_BODIES; ++i) {
        sn_real value[SN_MAX_ROWS];
        must(c->world, sn_constraint_value(c->world, c->joint[i], value), "joint");
        double gap[3] = {(double)value[0], (double)value[1], (double)value[2]};
        most = fmax(most, length_of(gap) / CHAIN_LINK);
    }
    return most;
}

/* The largest error of the force of a joint, as a share of the weight below it. */
static double worst_joint_force(const body_chain *c)
{
    double worst = 0;
    for (int i = 0; i < CHAIN_BODIES; ++i) {
        sn_vec3 force;
        must(c->world, sn_joint_reaction(c->world, c->joint[i], &force, NULL), "reaction");
        double weight = G * (CHAIN_BODIES - 1 - i + 100);
        worst = fmax(worst, fabs((double)force.y / weight - 1));
    }
    return worst;
}

static double energy_of(sn_world *world)
{
    sn_report report;
    must(world, sn_world_report(world, &report), "report");
    return report.kinetic + report.potential;
}

void chain_of_bodies(records *out)
{
    body_chain c;
    double force = 0, gap = 0, gain = 0;
    make_body_chain(&c, false);
    for (int frame = 0; frame < 120; ++frame) {
        run(c.world, 1, FRAME);
        force = frame < 60 ? 0 : fmax(force, worst_joint_force(&c));
        gap = fmax(gap, widest_joint(&c));
    }
    sn_world_destroy(c.world);
    record *r = append(out, 0, JUDGE_AT_MOST, 0.02, force, 0);
    SETUP(r, "hanging chain of 100 bodies, the last 100 × heavier, direct, 10 × 1, worst force of a joint against the "
             "weight "
             "below it, share");
    r = append(out, 0, JUDGE_AT_MOST, 0.01, gap, 0);
    SETUP(r, "hanging chain of 100 bodies, the last 100 × heavier, direct, 10 × 1, widest joint, share of a link");
    make_body_chain(&c, true);
    double start = energy_of(c.world), size = G * CHAIN_LINK * (99 * 50 + 100 * 100);
    gap = 0;
    const uint32_t frames = support_long(300, 120);
    for (uint32_t frame = 0; frame < frames; ++frame) {
        run(c.world, 1, FRAME);
        gap = fmax(gap, widest_joint(&c));
        gain = fmax(gain, (energy_of(c.world) - start) / size);
    }
    sn_world_destroy(c.world);
    r = append(out, 0, JUDGE_AT_MOST, 0.01, gap, 0);
    SETUP(r, "the same, let go level, %u s, widest joint, share of a link", frames / 60);
    r = append(out, 0, JUDGE_AT_MOST, 1e-4, gain, 0);
    SETUP(r, "the same, let go level, %u s, energy gained, share of what the fall gives", frames / 60);
}
