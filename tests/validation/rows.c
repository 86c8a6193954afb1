/* The validation cases of particles, and the table of all. */
#include "validation/row_tools.h"

/* ---- Records ---------------------------------------------------------------------------------------------------- */

void records_free(records *list)
{
    free(list->item);
    *list = (records){NULL, 0, 0};
}

bool record_passes(const record *r)
{
    switch (r->judge) {
    case JUDGE_WITHIN:
        return fabs(r->measured - r->expected) <= r->tolerance;
    case JUDGE_AT_MOST:
        return r->measured <= r->expected;
    case JUDGE_AT_LEAST:
        return r->measured >= r->expected;
    case JUDGE_BELOW:
        return r->measured < r->expected;
    case JUDGE_REPORTED:
        return isfinite(r->measured);
    }
    return false;
}

void record_write_expected(const record *r, FILE *file)
{
    static const char *const sign[] = {"", "≤ ", "≥ ", "", ""};
    if (r->judge == JUDGE_BELOW)
        fputs("lower", file);
    else if (r->judge == JUDGE_REPORTED)
        fputs("reported", file);
    else
        fprintf(file, "%s%.9g", sign[r->judge], r->expected);
}

void record_write_measured(const record *r, FILE *file)
{
    if (r->judge == JUDGE_WITHIN)
        fprintf(file, "%.9g", r->measured);
    else if (r->judge == JUDGE_BELOW)
        fprintf(file, "%.3g against %.3g", r->measured, r->expected);
    else
        fprintf(file, "%.3g", r->measured);
}

void record_write_tolerance(const record *r, FILE *file)
{
    if (r->judge == JUDGE_WITHIN)
        fprintf(file, "%.3g", r->tolerance);
    else
        fputs("–", file);
}

/* ---- Worlds ----------------------------------------------------------------------------------------------------- */

static sn_particle add(sn_world *world, double x, double y, double mass)
{
    sn_particle p = sn_particle_add_at(world, vec(x, y, 0), real(mass));
    if (!sn_particle_is_valid(world, p))
        give_up("particle", sn_world_error(world));
    return p;
}

static sn_constraint join(sn_world *world, sn_particle a, sn_particle b, double rest, double compliance)
{
    sn_constraint c = sn_constraint_add_distance(world, sn_at(a), sn_at(b), real(rest));
    must(world, sn_constraint_set_material(world, c, (sn_material){real(compliance), 0}), "distance");
    return c;
}

static double distance(const sn_real *a, const sn_real *b)
{
    double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1], z = (double)a[2] - (double)b[2];
    return sqrt(x * x + y * y + z * z);
}

/* ---- Row 1: free fall ------------------------------------------------------------------------------------------- */

/* Falls for one second in so many steps and substeps; returns y. */
static double fall(uint32_t steps, uint32_t substeps)
{
    sn_world *world = make_world(substeps, 1, 0);
    sn_particle p = add(world, 0, 0, 1);
    run(world, steps, 1.0 / steps);
    double y = (double)sn_particle_position(world, p).y;
    sn_world_destroy(world);
    return y;
}

/* v = -g h i after i substeps, so y = -g h^2 (1 + 2 + ... + n) = -g h^2 n (n + 1) / 2 after n of them. */
static void free_fall(records *out)
{
    static const struct {
        uint32_t steps, substeps;
        double single; /* tolerance of the float build */
    } cut[] = {{60, 1, 1e-6}, {60, 10, 1e-5}, {600, 1, 1e-5}, {60, 100, 5e-5}, {6000, 1, 5e-5}};
    for (size_t i = 0; i < COUNT_OF(cut); ++i) {
        double n = (double)cut[i].steps * cut[i].substeps;
        double y = fall(cut[i].steps, cut[i].substeps);
        record *r = append(out, 1, JUDGE_WITHIN, -G * (n + 1) / (2 * n), y, BUILD(cut[i].single, 1e-9));
        SETUP(r, "free fall for 1 s, h = 1/%.0f (%u steps of %u), y in m", n, cut[i].steps, cut[i].substeps);
    }
    for (uint32_t coarse = 10; !IS_FLOAT && coarse <= 100; coarse *= 10) {
        double ratio = fabs(fall(60, coarse) + G / 2) / fabs(fall(60, 10 * coarse) + G / 2);
        record *r = append(out, 1, JUDGE_AT_LEAST, FIRST_ORDER, ratio, 0);
        SETUP(r, "free fall, error against -g/2: fall from h = 1/%u to 1/%u", 60 * coarse, 600 * coarse);
    }
}

/* ---- Rows 2 and 3: a mass on a spring --------------------------------------------------------------------------- */

#define SPRING_OMEGA 10.0 /* 1/s: sqrt(k / m) with k = 100 N/m and m = 1 kg */

typedef struct spring {
    sn_world *world;
    sn_particle mass;
} spring;

/* 1 kg on a spring of 1 m and 0.01 m/N, released at 2 m, without gravity. */
static spring make_spring(uint32_t substeps)
{
    spring s = {.world = make_world(substeps, 1, 0)};
    set_gravity(s.world, vec(0, 0, 0));
    sn_particle hook = add(s.world, 0, 0, FIXED);
    s.mass = add(s.world, 2, 0, 1);
    join(s.world, hook, s.mass, 1, 0.01);
    return s;
}

/* (x - 1)^2 + (v / omega)^2: twice the energy over k. */
static double spring_energy(spring s)
{
    double x = (double)sn_particle_position(s.world, s.mass).x - 1;
    double v = (double)sn_particle_velocity(s.world, s.mass).x / SPRING_OMEGA;
    return x * x + v * v;
}

static double amplitude_after_a_second(uint32_t substeps)
{
    spring s = make_spring(substeps);
    run(s.world, 60, FRAME);
    double amplitude = sqrt(spring_energy(s));
    sn_world_destroy(s.world);
    return amplitude;
}

/* A compliant constraint integrates its spring by backward Euler, which scales the amplitude by 1 / sqrt(1 + (omega
   h)^2) in every substep (Macklin, Mueller and Chentanez 2016). */
static double backward_euler_amplitude(double n)
{
    double wh = SPRING_OMEGA / n;
    return pow(1 + wh * wh, -n / 2);
}

static void spring_amplitude(records *out)
{
    for (uint32_t substeps = 1; substeps <= 100; substeps *= 10) {
        double n = 60.0 * substeps;
        record *r = append(out, 2, JUDGE_WITHIN, backward_euler_amplitude(n), amplitude_after_a_second(substeps), 1e-4);
        SETUP(r, "mass on a spring of compliance 0.01, amplitude after 1 s, h = 1/%.0f", n);
    }
    for (uint32_t coarse = 10; !IS_FLOAT && coarse <= 100; coarse *= 10) {
        double ratio = (1 - amplitude_after_a_second(coarse)) / (1 - amplitude_after_a_second(10 * coarse));
        record *r = append(out, 2, JUDGE_AT_LEAST, FIRST_ORDER, ratio, 0);
        SETUP(r, "mass on a spring, amplitude lost: fall from h = 1/%u to 1/%u", 60 * coarse, 600 * coarse);
    }
}

/* The loss of energy in one step of h is 1 - 1 / (1 + (omega h)^2). Of all steps of a second the worst one counts. */
static void spring_energy_loss(records *out)
{
    for (uint32_t n = 60; n <= 600; n *= 10) {
        double wh = SPRING_OMEGA / n, expected = 1 - 1 / (1 + wh * wh), worst = expected;
        spring s = make_spring(1);
        double before = spring_energy(s);
        for (uint32_t i = 0; i < n; ++i) {
            run(s.world, 1, 1.0 / n);
            double after = spring_energy(s), loss = 1 - after / before;
            if (fabs(loss - expected) > fabs(worst - expected))
                worst = loss;
            before = after;
        }
        sn_world_destroy(s.world);
        record *r = append(out, 3, JUDGE_WITHIN, expected, worst, 0.01 * expected);
        SETUP(r, "mass on a spring, energy lost per step, worst of 1 s, h = 1/%u", n);
    }
}

/* ---- Row 4: hanging chain of springs ---------------------------------------------------------------------------- */

enum { CHAIN_LINKS = 10 };

/* Stretch of every link of a chain of 0.1 kg masses on links of 0.1 m and 1000 N/m, after a minute of hanging, or a
   quarter of it. */
static void hang_chain(uint32_t iterations, uint32_t substeps, double *stretch)
{
    sn_world *world = make_world(substeps, iterations, 1);
    sn_particle node[CHAIN_LINKS + 1];
    for (uint32_t i = 0; i <= CHAIN_LINKS; ++i) {
        node[i] = add(world, 0, -0.1 * i, i ? 0.1 : FIXED);
        if (i)
            join(world, node[i - 1], node[i], 0.1, 1e-3);
    }
    run(world, support_long(3600, 900), FRAME);
    for (uint32_t i = 1; i <= CHAIN_LINKS; ++i) {
        sn_vec3 a = sn_particle_position(world, node[i - 1]), b = sn_particle_position(world, node[i]);
        stretch[i - 1] = distance(&a.x, &b.x) - 0.1;
    }
    sn_world_destroy(world);
}

/* Link i (from 1 at the top) carries 11 - i masses and stretches by (11 - i) m g / k. */
static double link_stretch(uint32_t link)
{
    return (CHAIN_LINKS + 1 - link) * 0.1 * G / 1000;
}

static void hanging_chain(records *out)
{
    static const uint32_t passes[][2] = {{50, 1}, {200, 1}, {10, 10}, {10, 1}, {50, 10}, {200, 10}};
    for (size_t n = 0; n < COUNT_OF(passes) - support_long(0, 2); ++n) {
        double stretch[CHAIN_LINKS], total = 0, expected = 0, worst = 0;
        hang_chain(passes[n][0], passes[n][1], stretch);
        for (uint32_t i = 0; i < CHAIN_LINKS; ++i) {
            double should = link_stretch(i + 1);
            total += stretch[i];
            expected += should;
            worst = fmax(worst, fabs(stretch[i] / should - 1));
        }
        bool rough = passes[n][0] * passes[n][1] == 10; /* too few passes for the single links */
        record *r = append(out, 4, JUDGE_WITHIN, expected, total, (rough ? 0.05 : BUILD(2e-3, 1e-3)) * expected);
        SETUP(r, "hanging chain, %u × %u (passes × substeps), total stretch in m", passes[n][0], passes[n][1]);
        if (rough)
            continue;
        r = append(out, 4, JUDGE_AT_MOST, BUILD(2e-3, 1e-3), worst, 0);
        SETUP(r, "hanging chain, %u × %u (passes × substeps), largest relative error of a link", passes[n][0],
              passes[n][1]);
    }
}

/* ---- Rows 5, 6 and 7: rod pendulum ------------------------------------------------------------------------------ */

typedef struct pendulum {
    sn_world *world;
    sn_particle bob;
    sn_constraint rod;
} pendulum;

/* 1 kg on a rod of 1 m, at rest at so many degrees from the vertical. Its steps are substeps, to be watched one by
   one. */
static pendulum make_pendulum(double degrees)
{
    pendulum p = {.world = make_world(1, 1, 0)};
    double angle = degrees * acos(-1.0) / 180;
    sn_particle hook = add(p.world, 0, 0, FIXED);
    p.bob = add(p.world, sin(angle), -cos(angle), 1);
    p.rod = join(p.world, hook, p.bob, 1, 0);
    return p;
}

/* The time from the first to the third crossing of the vertical, interpolated between steps. */
static double pendulum_period(pendulum p, uint32_t n)
{
    double h = 1.0 / n, first = 0, before = (double)sn_particle_position(p.world, p.bob).x;
    for (uint32_t step = 0, crossings = 0;; ++step) {
        run(p.world, 1, h);
        double after = (double)sn_particle_position(p.world, p.bob).x;
        if ((before < 0) != (after < 0)) {
            double time = (step + before / (before - after)) * h;
            if (++crossings == 1)
                first = time;
            if (crossings == 3) {
                sn_world_destroy(p.world);
                return time - first;
            }
        }
        before = after;
    }
}

/* The exact periods are 2.1528747, 2.3678419 and 3.5350982 s. Plain position-based dynamics is of first order and has
   to give the figures below, which an independent program computed. */
static void pendulum_periods(records *out)
{
    static const struct {
        double degrees, coarse, fine;
    } swing[] = {{60, 2.14607, 2.15217}, {90, 2.33892, 2.36473}, {150, 3.08529, 3.46473}};
    for (size_t i = 0; i < COUNT_OF(swing); ++i)
        for (uint32_t n = 600; n <= 6000; n *= 10) {
            double expected = n == 600 ? swing[i].coarse : swing[i].fine;
            record *r =
                append(out, 5, JUDGE_WITHIN, expected, pendulum_period(make_pendulum(swing[i].degrees), n), 1e-4);
            SETUP(r, "rod pendulum from %.0f°, h = 1/%u, period in s (of this method)", swing[i].degrees, n);
        }
}

/* Energy lost in 5.2 s from 90 degrees, as a share of m g L. */
static double pendulum_loss(pendulum p, uint32_t n)
{
    sn_report report;
    run(p.world, 26 * n / 5, 1.0 / n);
    must(p.world, sn_world_report(p.world, &report), "report");
    sn_world_destroy(p.world);
    return -(report.kinetic + report.potential) / G;
}

static void pendulum_energy(records *out)
{
    static const double expected[] = {0.1506, 0.01632};
    for (uint32_t i = 0, n = 600; i < 2; ++i, n *= 10) {
        record *r = append(out, 6, JUDGE_WITHIN, expected[i], pendulum_loss(make_pendulum(90), n), 1e-4);
        SETUP(r, "rod pendulum from 90°, h = 1/%u, energy lost in 5.2 s (by this method)", n);
    }
}

/* At the bottom m v^2 / L = 2 m g, so the rod pulls with 3 m g. The mean of 10 ms before and after the passage. */
static double force_at_the_bottom(pendulum p)
{
    enum { N = 6000, WINDOW = N / 100 };
    double force[2 * WINDOW + 1], sum = 0;
    uint32_t step = 0, bottom = UINT32_MAX;
    for (; bottom == UINT32_MAX || step <= bottom + WINDOW; ++step) {
        run(p.world, 1, 1.0 / N);
        force[step % COUNT_OF(force)] = -(double)sn_constraint_force(p.world, p.rod).row[0];
        if (bottom == UINT32_MAX && sn_particle_position(p.world, p.bob).x < 0)
            bottom = step;
    }
    for (size_t i = 0; i < COUNT_OF(force); ++i)
        sum += force[i];
    sn_world_destroy(p.world);
    return sum / COUNT_OF(force);
}

static void pendulum_force(records *out)
{
    record *r = append(out, 7, JUDGE_WITHIN, 3 * G, force_at_the_bottom(make_pendulum(90)), 0.01 * 3 * G);
    SETUP(r, "rod pendulum from 90°, h = 1/6000, force at the bottom in N, mean of ±10 ms");
}

/* ---- Rows 5, 6 and 7 by the methods of second order ------------------------------------------------------------------------------ */

typedef struct method {
    const char *name;
    sn_integrator integrator;
    sn_gradients gradients;
} method;

static const method methods[] = {
    {"BDF2", SN_INTEGRATOR_BDF2, SN_GRADIENTS_CURRENT},
    {"SHAKE, symplectic Euler", SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_START},
    {"SHAKE, leapfrog", SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_START},
    {"SHAKE, Verlet", SN_INTEGRATOR_VERLET, SN_GRADIENTS_START},
};

static pendulum make_pendulum_by(const method *m, double degrees)
{
    pendulum p = make_pendulum(degrees);
    sn_settings s = sn_world_settings(p.world);
    s.integrator = m->integrator;
    s.gradients = m->gradients;
    s.iterations = 20;
    must(p.world, sn_world_configure(p.world, &s), "method");
    return p;
}

/* The exact periods. Plain projection, too, is right where the swing is small. */
static const struct {
    double degrees, seconds;
} exact_period[] = {{1, 2.00610}, {60, 2.1528747}, {90, 2.3678419}, {150, 3.5350982}};

#define NEAR_EXACT                                                                                                     \
    2e-4 /* the share of a period that a method of second order may be off at h = 1/600, from 90 degrees */

static void row_5(records *out)
{
    record *r = append(out, 5, JUDGE_WITHIN, exact_period[0].seconds, pendulum_period(make_pendulum(1), 600), 1e-4);
    SETUP(r, "rod pendulum from 1°, h = 1/600, period in s");
    double plain[COUNT_OF(exact_period)][2];
    for (size_t i = 0; i < COUNT_OF(exact_period); ++i)
        for (uint32_t k = 0; k < 2 && exact_period[i].degrees >= 60; ++k)
            plain[i][k] =
                fabs(pendulum_period(make_pendulum(exact_period[i].degrees), k ? 6000 : 600) - exact_period[i].seconds);
    for (size_t m = 0; m < COUNT_OF(methods); ++m)
        for (size_t i = 0; i < COUNT_OF(exact_period); ++i)
            for (uint32_t n = 600; n <= 6000; n *= 10) {
                double degrees = exact_period[i].degrees, exact = exact_period[i].seconds;
                if (n > 600 && (m + i) % support_long(1, 4)) /* a quarter of the long ones, of all sorts */
                    continue;
                double period = pendulum_period(make_pendulum_by(&methods[m], degrees), n);
                if (degrees < 60 || degrees == 90) {
                    r = append(out, 5, JUDGE_WITHIN, exact, period, NEAR_EXACT * exact);
                    SETUP(r, "rod pendulum from %.0f°, h = 1/%u, period in s, %s", degrees, n, methods[m].name);
                } else {
                    r = append(out, 5, JUDGE_BELOW, plain[i][n > 600], fabs(period - exact), 0);
                    SETUP(r, "rod pendulum from %.0f°, h = 1/%u, error of the period in s, %s against plain projection",
                          degrees, n, methods[m].name);
                }
            }
}

static void row_6(records *out)
{
    for (size_t m = 0; m < COUNT_OF(methods); ++m) {
        pendulum p = make_pendulum_by(&methods[m], 90);
        record *r = append(out, 6, JUDGE_AT_MOST, 0.005, fabs(pendulum_loss(p, 600)), 0);
        SETUP(r, "rod pendulum from 90°, h = 1/600, energy lost or gained in 5.2 s, %s", methods[m].name);
    }
}

static void row_7(records *out)
{
    for (size_t m = 0; m < COUNT_OF(methods); ++m) {
        double force = force_at_the_bottom(make_pendulum_by(&methods[m], 90));
        record *r = append(out, 7, JUDGE_WITHIN, 3 * G, force, 0.01 * 3 * G);
        SETUP(r, "rod pendulum from 90°, h = 1/6000, force at the bottom in N, mean of ±10 ms, %s", methods[m].name);
    }
}

/* ---- Row 8: double pendulum ------------------------------------------------------------------------------------- */

/* How far the tip is from where the exact solution has it, at 0.5 and at 1 s. */
static void swing_double_pendulum(uint32_t substeps, double error[2])
{
    static const double tip[2][2] = {{1.47346567, -1.20038944}, {-1.44481885, -1.32179446}};
    sn_world *world = make_world(substeps, 100, 0);
    set_tolerance(world, BUILD(1e-9, 1e-14));
    sn_particle hook = add(world, 0, 0, FIXED), elbow = add(world, 1, 0, 1), bob = add(world, 2, 0, 1);
    join(world, hook, elbow, 1, 0);
    join(world, elbow, bob, 1, 0);
    for (uint32_t half = 0; half < 2; ++half) {
        run(world, 30, FRAME);
        sn_vec3 x = sn_particle_position(world, bob);
        error[half] = hypot((double)x.x - tip[half][0], (double)x.y - tip[half][1]);
    }
    sn_world_destroy(world);
}

static void double_pendulum(records *out)
{
    static const double most[3][2] = {{3.3e-3, 3.2e-2}, {3.3e-4, 3.3e-3}, {3.3e-5, 3.3e-4}};
    static const double most_float[2][2] = {{3.3e-3, 3.2e-2}, {4e-4, 3.5e-3}};
    double error[3][2];
    for (uint32_t i = 0, substeps = 10; i < (IS_FLOAT ? 2 : 3); ++i, substeps *= 10) {
        swing_double_pendulum(substeps, error[i]);
        for (uint32_t half = 0; half < 2; ++half) {
            double limit = IS_FLOAT ? most_float[i][half] : most[i][half];
            if (i < 2) {
                record *r = append(out, 8, JUDGE_AT_MOST, limit, error[i][half], 0);
                SETUP(r, "double pendulum, h = 1/%u, error of the tip at %.1f s in m", 60 * substeps, 0.5 * (half + 1));
            }
            if (i > 0 && !IS_FLOAT) {
                record *r = append(out, 8, JUDGE_AT_LEAST, FIRST_ORDER, error[i - 1][half] / error[i][half], 0);
                SETUP(r, "double pendulum, error of the tip at %.1f s: fall from h = 1/%u to 1/%u", 0.5 * (half + 1),
                      6 * substeps, 60 * substeps);
            }
        }
    }
}

/* ---- Row 9: catenary -------------------------------------------------------------------------------------------- */

enum { CATENARY_LINKS = 20 };

typedef struct catenary {
    sn_world *world;
    sn_particles nodes;
    double link; /* rest length in m */
} catenary;

/* An inextensible chain of 21 nodes between two points 1 m apart, hung up as a V. */
static catenary make_catenary(double length, uint32_t substeps, uint32_t iterations)
{
    catenary c = {.world = make_world(substeps, iterations, 1), .link = length / CATENARY_LINKS};
    double depth = sqrt(length * length - 1) / 2;
    sn_real xyz[3 * (CATENARY_LINKS + 1)], weightless = 0;
    for (uint32_t i = 0; i <= CATENARY_LINKS; ++i) {
        double t = (double)i / CATENARY_LINKS;
        xyz[3 * i] = real(t);
        xyz[3 * i + 1] = real(-depth * (1 - fabs(2 * t - 1)));
        xyz[3 * i + 2] = 0;
    }
    c.nodes = sn_particles_add(c.world, CATENARY_LINKS + 1, xyz, 0, real(0.1));
    for (uint32_t i = 0; i < CATENARY_LINKS; ++i)
        join(c.world, sn_particles_at(c.nodes, i), sn_particles_at(c.nodes, i + 1), c.link, 0);
    sn_particles ends[2] = {c.nodes, c.nodes};
    ends[1].first += CATENARY_LINKS;
    for (uint32_t i = 0; i < 2; ++i) {
        ends[i].count = 1;
        must(c.world, sn_particles_write_inverse_masses(c.world, ends[i], &weightless, 0), "fixed end");
    }
    return c;
}

static double catenary_sag(catenary c)
{
    return -(double)sn_particle_position(c.world, sn_particles_at(c.nodes, CATENARY_LINKS / 2)).y;
}

/* Sag of a uniform chain: l = 2 a sinh(1 / 2a) gives a, the sag is a (cosh(1 / 2a) - 1), here with the chain's 20 links
   instead of a curve. */
static void catenary_rest(records *out)
{
    static const double sag[][2] = {{2, 0.798273}, {1.5, 0.503447}, {1.2, 0.292721}};
    for (size_t i = 0; i < COUNT_OF(sag); i += support_long(1, 2)) { /* test_claims has the one in the middle, too */
        catenary c = make_catenary(sag[i][0], 10, 50);
        run(c.world, support_long(1800, 450), FRAME);
        record *r = append(out, 9, JUDGE_WITHIN, sag[i][1], catenary_sag(c), 0.005 * sag[i][1]);
        SETUP(r, "inextensible chain of %.1f m between points 1 m apart, h = 1/600, 50 passes, sag in m", sag[i][0]);
        sn_world_destroy(c.world);
    }
}

/* ---- Cloth for rows 19 and 21 ----------------------------------------------------------------------------------- */

typedef struct cloth {
    uint32_t side; /* nodes */
    uint32_t edge_count;
    uint32_t (*edge)[2];
    double *rest;
    sn_real *xyz; /* 3 per node */
    sn_world *world;
    sn_particles nodes;
} cloth;

/* Structural edges and both diagonals, direction by direction. coloured: within a direction first every other edge,
   then the rest, so that neighbours in the order share no node. */
static void list_edges(cloth *c, bool coloured)
{
    static const int direction[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
    int n = (int)c->side;
    for (uint32_t d = 0; d < 4; ++d)
        for (int colour = 0; colour < (coloured ? 2 : 1); ++colour)
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) {
                    int k = i + direction[d][0], l = j + direction[d][1];
                    bool turn = !coloured || (direction[d][1] ? j : i) % 2 == colour;
                    if (k < 0 || k >= n || l >= n || !turn)
                        continue;
                    c->edge[c->edge_count][0] = (uint32_t)(j * n + i);
                    c->edge[c->edge_count++][1] = (uint32_t)(l * n + k);
                }
}

/* Fisher and Yates, with a generator of Knuth's. */
static void shuffle_edges(cloth *c)
{
    uint64_t state = 1;
    for (uint32_t i = c->edge_count - 1; i > 0; --i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint32_t j = (uint32_t)(state >> 33) % (i + 1), edge[2];
        memcpy(edge, c->edge[i], sizeof(edge));
        memcpy(c->edge[i], c->edge[j], sizeof(edge));
        memcpy(c->edge[j], edge, sizeof(edge));
    }
}

typedef enum edge_order { BY_DIRECTION, COLOURED, SHUFFLED } edge_order;

static const char *const edge_order_name[] = {"by direction", "coloured", "shuffled"};

/* A square cloth of rigid edges; node (i, j) lies at origin + (i u + j v) spacing. */
static cloth make_cloth(uint32_t side, edge_order order, const double origin[3], const double u[3], const double v[3])
{
    cloth c = {.side = side};
    c.xyz = malloc(3 * (size_t)side * side * sizeof(*c.xyz));
    c.edge = malloc(4 * (size_t)side * side * sizeof(*c.edge));
    c.rest = malloc(4 * (size_t)side * side * sizeof(*c.rest));
    if (!c.xyz || !c.edge || !c.rest)
        give_up("cloth", "out of memory");
    for (uint32_t n = 0; n < side * side; ++n)
        for (uint32_t axis = 0; axis < 3; ++axis)
            c.xyz[3 * n + axis] = real(origin[axis] + n % side * u[axis] + n / side * v[axis]);
    list_edges(&c, order == COLOURED);
    if (order == SHUFFLED)
        shuffle_edges(&c);
    for (uint32_t i = 0; i < c.edge_count; ++i)
        c.rest[i] = distance(c.xyz + 3 * c.edge[i][0], c.xyz + 3 * c.edge[i][1]);
    return c;
}

static void enter_world(cloth *c, uint32_t substeps, uint32_t iterations)
{
    c->world = make_world(substeps, iterations, 0);
    c->nodes = sn_particles_add(c->world, c->side * c->side, c->xyz, 0, 1);
    if (!c->nodes.count)
        give_up("cloth", sn_world_error(c->world));
    if (!sn_constraints_add_kind(c->world, SN_KIND_DISTANCE, c->edge_count, c->edge[0], NULL, NULL).count)
        give_up("cloth", sn_world_error(c->world));
}

static void leave_world(cloth *c)
{
    sn_world_destroy(c->world);
    c->world = NULL;
}

static void free_cloth(cloth *c)
{
    free(c->xyz);
    free(c->edge);
    free(c->rest);
}

/* The largest |length - rest| in m, and the root of the mean squared strain. */
static void cloth_stretch(const cloth *c, double *largest, double *rms)
{
    sn_real *xyz = malloc(3 * (size_t)c->nodes.count * sizeof(*xyz));
    if (!xyz)
        give_up("cloth", "out of memory");
    must(c->world, sn_particles_read_positions(c->world, c->nodes, xyz, 0), "read");
    double squares = 0, most = 0;
    for (uint32_t i = 0; i < c->edge_count; ++i) {
        double stretch = distance(xyz + 3 * c->edge[i][0], xyz + 3 * c->edge[i][1]) - c->rest[i];
        most = fmax(most, fabs(stretch));
        squares += stretch * stretch / (c->rest[i] * c->rest[i]);
    }
    free(xyz);
    *largest = most;
    *rms = sqrt(squares / c->edge_count);
}

/* ---- Row 19: falling cloth -------------------------------------------------------------------------------------- */

/* How far the centre of mass went sideways, and the node that went furthest. */
static void horizontal_drift(const cloth *c, double *centre, double *node)
{
    double sum[2] = {0, 0}, most = 0;
    for (uint32_t i = 0; i < c->nodes.count; ++i) {
        sn_vec3 x = sn_particle_position(c->world, sn_particles_at(c->nodes, i));
        double dx = (double)x.x - (double)c->xyz[3 * i], dz = (double)x.z - (double)c->xyz[3 * i + 2];
        sum[0] += dx;
        sum[1] += dz;
        most = fmax(most, hypot(dx, dz));
    }
    *centre = hypot(sum[0], sum[1]) / c->nodes.count;
    *node = most;
}

/* A cloth of 30 x 30 nodes and 1 m, tilted by 30 degrees, 1 m from the origin, falls for 1 s: nothing pulls on it, so
   nothing may turn, drift or stretch it. */
static void falling_cloth(records *out)
{
    const double spacing = 1.0 / 29, tilt = acos(-1.0) / 6;
    const double origin[3] = {1, 0, 0}, u[3] = {spacing * cos(tilt), spacing * sin(tilt), 0}, v[3] = {0, 0, spacing};
    for (int order = BY_DIRECTION; order <= SHUFFLED; ++order) {
        double largest, rms, centre, node;
        cloth c = make_cloth(30, (edge_order)order, origin, u, v);
        enter_world(&c, 10, 1);
        run(c.world, 60, FRAME);
        cloth_stretch(&c, &largest, &rms);
        horizontal_drift(&c, &centre, &node);
        record *r = append(out, 19, JUDGE_AT_MOST, 1e-5, centre, 0);
        SETUP(r, "tilted cloth in free fall for 1 s, h = 1/600, %s, horizontal drift of the centre in m",
              edge_order_name[order]);
        r = append(out, 19, JUDGE_AT_MOST, 1e-5, node, 0);
        SETUP(r, "tilted cloth in free fall for 1 s, h = 1/600, %s, horizontal drift of the worst node in m",
              edge_order_name[order]);
        r = append(out, 19, JUDGE_AT_MOST, 1e-5, largest, 0);
        SETUP(r, "tilted cloth in free fall for 1 s, h = 1/600, %s, largest stretch in m", edge_order_name[order]);
        leave_world(&c);
        free_cloth(&c);
    }
}

/* ---- Row 21: substeps against iterations ------------------------------------------------------------------------ */

/* By sweeps: the row compares two ways to spend ten of them. By default the chain is solved directly, and its strain is
   rounding either way. */
static double catenary_stretch(double length, uint32_t substeps, uint32_t iterations)
{
    catenary c = make_catenary(length, substeps, iterations);
    sn_settings sweeps = sn_world_settings(c.world);
    sweeps.stiffening = SN_STIFFENING_OFF;
    must(c.world, sn_world_configure(c.world, &sweeps), "sweeps");
    double squares = 0;
    run(c.world, 1800, FRAME);
    for (uint32_t i = 0; i < CATENARY_LINKS; ++i) {
        sn_vec3 a = sn_particle_position(c.world, sn_particles_at(c.nodes, i));
        sn_vec3 b = sn_particle_position(c.world, sn_particles_at(c.nodes, i + 1));
        double strain = distance(&a.x, &b.x) / c.link - 1;
        squares += strain * strain;
    }
    sn_world_destroy(c.world);
    return sqrt(squares / CATENARY_LINKS);
}

/* The cloth of row 23: 100 x 100 unit masses a centimetre apart, two corners held, dropped from horizontal. Its rms
   strain over the second half of the run. */
static double hanging_cloth_strain(cloth *c, uint32_t substeps, uint32_t iterations)
{
    const uint32_t frames = support_long(60, 20);
    double sum = 0, largest, rms;
    enter_world(c, substeps, iterations);
    for (uint32_t corner = 0; corner < 2; ++corner)
        must(c->world, sn_particle_set_mass(c->world, sn_particles_at(c->nodes, corner * (c->side - 1)), SN_IMMOVABLE),
             "corner");
    for (uint32_t frame = 0; frame < frames; ++frame) {
        run(c->world, 1, FRAME);
        cloth_stretch(c, &largest, &rms);
        sum += 2 * frame >= frames ? rms : 0;
    }
    leave_world(c);
    return 2 * sum / frames;
}

/* Ten substeps of one pass stretch less than one substep of ten passes, at the same price. */
static void substeps_against_iterations(records *out)
{
    static const double length[] = {2, 1.5, 1.2};
    const double origin[3] = {0, 0, 0}, u[3] = {0.01, 0, 0}, v[3] = {0, 0, 0.01};
    for (size_t i = 0; i < COUNT_OF(length); ++i) {
        double substepped = catenary_stretch(length[i], 10, 1), iterated = catenary_stretch(length[i], 1, 10);
        record *r = append(out, 21, JUDGE_BELOW, iterated, substepped, 0);
        SETUP(r, "chain of %.1f m at rest, by sweeps, rms strain of 10 substeps × 1 pass against 1 × 10", length[i]);
    }
    for (int order = BY_DIRECTION; order <= SHUFFLED; ++order) {
        cloth c = make_cloth(100, (edge_order)order, origin, u, v);
        double substepped = hanging_cloth_strain(&c, 10, 1), iterated = hanging_cloth_strain(&c, 1, 10);
        record *r = append(out, 21, JUDGE_BELOW, iterated, substepped, 0);
        SETUP(r,
              "falling cloth of 100 × 100 held at two corners, %s, rms strain of 10 substeps × 1 pass against 1 × 10",
              edge_order_name[order]);
        free_cloth(&c);
    }
}

/* ---- Rows 14, 15 and 16: contact --------------------------------------------------------------------------------------- */

enum { CRATE_CORNERS = 8 };

/* A flat box, 0.4 m x 0.1 m x 0.4 m between the centres of its corners, which are small balls; rods between all of them. It is
   so flat that it does not tip over. */
typedef struct crate {
    sn_world *world;
    sn_particle corner[CRATE_CORNERS];
} crate;

#define CORNER_RADIUS 0.02 /* m */

/* Lies on a plane through the origin that rises by so many degrees towards +x. */
static crate make_crate(double mass, double friction, double degrees)
{
    crate c = {.world = make_world(10, 1, 0)};
    double angle = degrees * acos(-1.0) / 180, s = sin(angle), k = cos(angle);
    sn_body ramp = fixed_add_plane(c.world, vec(0, 0, 0), vec(-s, k, 0));
    set_materials(c.world, ramp, friction, 0);
    for (int i = 0; i < CRATE_CORNERS; ++i) {
        double along = i & 1 ? 0.4 : 0, up = (i & 2 ? 0.1 : 0) + CORNER_RADIUS;
        sn_particle_def def = sn_default_particle_def();
        def.position = vec(k * along - s * up, s * along + k * up, i & 4 ? 0.4 : 0);
        def.mass = real(mass / CRATE_CORNERS);
        def.radius = real(CORNER_RADIUS);
        must(c.world, sn_particle_add(c.world, &def, &c.corner[i]), "corner");
        for (int j = 0; j < i; ++j) {
            sn_vec3 a = sn_particle_position(c.world, c.corner[i]), b = sn_particle_position(c.world, c.corner[j]);
            join(c.world, c.corner[i], c.corner[j], distance(&a.x, &b.x), 0);
        }
    }
    return c;
}

static void crate_centre(const crate *c, double centre[3])
{
    centre[0] = centre[1] = centre[2] = 0;
    for (int i = 0; i < CRATE_CORNERS; ++i) {
        sn_vec3 x = sn_particle_position(c->world, c->corner[i]);
        centre[0] += (double)x.x / CRATE_CORNERS;
        centre[1] += (double)x.y / CRATE_CORNERS;
        centre[2] += (double)x.z / CRATE_CORNERS;
    }
}

/* m: how far the crate comes in the time. */
static double crate_way(const crate *c, double seconds)
{
    double from[3], to[3], square = 0;
    crate_centre(c, from);
    run(c->world, (uint32_t)(seconds / FRAME + 0.5), FRAME);
    crate_centre(c, to);
    for (int k = 0; k < 3; ++k)
        square += (to[k] - from[k]) * (to[k] - from[k]);
    return sqrt(square);
}

/* Slides exactly if the angle exceeds atan mu. */
static void friction_ramp(records *out)
{
    static const double friction[] = {0.1, 0.3, 0.5, 0.7, 1}, degrees[] = {3, 10, 20, 30, 40};
    for (size_t i = 0; i < COUNT_OF(friction); ++i)
        for (size_t j = 0; j < COUNT_OF(degrees); ++j) {
            crate c = make_crate(1, friction[i], degrees[j]);
            bool slides = tan(degrees[j] * acos(-1.0) / 180) > friction[i];
            run(c.world, 12, FRAME);
            double way = crate_way(&c, 2);
            sn_world_destroy(c.world);
            record *r = append(out, 14, slides ? JUDGE_AT_LEAST : JUDGE_AT_MOST, slides ? 0.1 : 1e-3, way, 0);
            SETUP(r, "box on a ramp, µ = %.1f, %.0f°, %s, distance in 2 s in m", friction[i], degrees[j],
                  slides ? "slides" : "stays");
        }
}

/* From 2 m/s it comes v^2 / (2 mu g) far, whatever its mass. */
static void sliding_stop(records *out)
{
    static const double friction[] = {0.2, 0.4, 0.7}, mass[] = {0.1, 1, 100};
    for (size_t i = 0; i < COUNT_OF(friction); ++i)
        for (size_t j = 0; j < COUNT_OF(mass); ++j) {
            double expected = 4 / (2 * friction[i] * G);
            crate c = make_crate(mass[j], friction[i], 0);
            run(c.world, 12, FRAME);
            for (int k = 0; k < CRATE_CORNERS; ++k)
                must(c.world, sn_particle_set_velocity(c.world, c.corner[k], vec(2, 0, 0)), "velocity");
            double way = crate_way(&c, 2);
            sn_world_destroy(c.world);
            record *r = append(out, 15, JUDGE_WITHIN, expected, way, 0.03 * expected);
            SETUP(r, "sliding stop from 2 m/s, µ = %.1f, %g kg, h = 1/600, distance in m", friction[i], mass[j]);
        }
}

/* m: how high the lowest point of a ball rises again after a fall of 1 m. */
static double rebound(double restitution)
{
    sn_world *world = make_world(1, 1, 0);
    set_materials(world, fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0)), 0.5, restitution);
    sn_particle ball = add(world, 0, 1.1, 1);
    double highest = 0;
    must(world, sn_particle_set_radius(world, ball, real(0.1)), "radius");
    for (int step = 0; step < 6000; ++step) {
        bool rises = (double)sn_particle_velocity(world, ball).y > 0;
        run(world, 1, 1.0 / 6000);
        highest = fmax(highest, rises ? (double)sn_particle_position(world, ball).y - 0.1 : 0);
    }
    sn_world_destroy(world);
    return highest;
}

static void bouncing_ball(records *out)
{
    static const double restitution[] = {0.5, 0.8};
    for (size_t i = 0; i < COUNT_OF(restitution); ++i) {
        double e = restitution[i], expected = e * e;
        record *r = append(out, 16, JUDGE_WITHIN, expected, rebound(e), 0.01 * expected);
        SETUP(r, "ball dropped from 1 m, restitution %.1f, h = 1/6000, rebound in m", e);
    }
}

const row validation_rows[] = {
    {1, "free fall", free_fall},
    {2, "spring, amplitude", spring_amplitude},
    {3, "spring, energy", spring_energy_loss},
    {4, "hanging chain", hanging_chain},
    {5, "pendulum, period", pendulum_periods},
    {5, "pendulum, period, second order", row_5},
    {6, "pendulum, energy", pendulum_energy},
    {6, "pendulum, energy, second order", row_6},
    {7, "pendulum, force", pendulum_force},
    {7, "pendulum, force, second order", row_7},
    {8, "double pendulum", double_pendulum},
    {9, "catenary", catenary_rest},
    {11, "elastica", elastica},
    {12, "ring that is twisted", twisted_ring},
    {14, "box on a ramp", friction_ramp},
    {14, "rigid box on a ramp", rigid_box_on_a_ramp},
    {15, "sliding stop", sliding_stop},
    {15, "rigid box, sliding stop", rigid_sliding_stop},
    {16, "bouncing ball", bouncing_ball},
    {16, "rigid bodies that bounce", rigid_rebound},
    {17, "free body", free_body},
    {18, "jointed bodies, momenta", jointed_bodies},
    {19, "falling cloth", falling_cloth},
    {21, "substeps against iterations", substeps_against_iterations},
    {0, "pendulum that is a body", body_pendulum},
    {0, "chain of bodies", chain_of_bodies},
    {0, "stack of boxes, forces", stack_forces},
    {0, "box that tips over", tipping_box},
    {0, "top on its tip", spinning_top},
    {0, "cradle of bodies", cradle_of_bodies},
    {0, "bounces one after the other", bounce_ladder},
    {0, "heavy on light", heavy_on_light},
    {0, "loads on jointed bodies", loaded_tray},
    {0, "platforms that accelerate", accelerated_platform},
    {0, "sliding to rolling", slide_to_roll},
    {0, "wedge and block", wedge_and_block},
    {0, "ladders", ladders},
    {0, "billiards", billiards},
    {0, "rolling", rolling},
    {0, "turntable and belt", turntable_and_belt},
    {0, "blows", blows},
    {0, "pulls and bowls", pulls_and_bowls},
    {0, "rubbing", rubbing},
    {0, "books and a beam", books_and_beam},
    {0, "pendulums that are solids", solid_pendulums},
    {0, "rods, cranks and gears", rods_cranks_and_gears},
    {0, "things that spin", things_that_spin},
    {0, "wires", wires},
    {0, "orbit and pulleys", orbit_and_pulleys},
    {0, "column that buckles", buckling_column},
};
const size_t validation_row_count = COUNT_OF(validation_rows);
