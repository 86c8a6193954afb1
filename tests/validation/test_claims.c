/* What each way of enforcing constraints claims of the validation cases: rows 4 to 9 and 18 of the list.

       test_claims               asserts every claim
       test_claims --markdown    prints the table of docs/solvers.md

   Everything is measured for every method, claimed or not: a cell without a claim is a figure to know. */
#include "support/support.h"

#include <math.h>

#define G     9.81
#define FRAME (1.0 / 60)

/* ---- Methods ------------------------------------------------------------------------------------------------------ */

typedef struct method {
    const char *name;
    sn_solver solver;
    sn_integrator integrator;
    sn_gradients gradients;
    sn_drift drift;
    uint32_t few, many; /* iterations for mechanisms, and for chains */
    unsigned claims;    /* bit by row, below */
} method;

enum {
    HANGING_CHAIN, /* 4 */
    PERIOD,        /* 5 */
    PERIOD_PLAIN,
    ENERGY, /* 6 */
    FORCE,  /* 7 */
    TIP,    /* 8 */
    SAG,    /* 9 */
    LINEAR, /* 18 */
    ANGULAR,
    ROWS
};

#define CLAIM(row) (1u << (row))

/* ---- Worlds ------------------------------------------------------------------------------------------------------- */

static sn_world *make_world(const method *m, double substeps_a_second, uint32_t iterations, double damping,
                            bool gravity)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, gravity ? -G : 0, 0);
    def.settings.solver = m->solver;
    def.settings.integrator = m->integrator;
    def.settings.gradients = m->gradients;
    def.settings.drift = m->drift;
    def.settings.substeps = (uint32_t)(substeps_a_second * FRAME + 0.5);
    def.settings.iterations = iterations;
    def.settings.damping = real(damping);
    return support_world_from(&def);
}

/* The test lets a chain swing for a third of the time, which is still long against the damping; the table takes all of it. */
static bool brief;

static void settle(sn_world *world, int seconds)
{
    for (int i = 0; i < 60 * seconds / (brief ? 3 : 1); ++i)
        assert_ok(world, sn_world_step(world, real(FRAME)));
}

static void step(sn_world *world, double dt)
{
    assert_ok(world, sn_world_step(world, real(dt)));
}

/* ---- Row 4: a hanging chain of soft links. The worst error of a link, relative. -------------------------------------- */

static double hanging_chain(const method *m)
{
    enum { LINKS = 10 };
    const double mass = 0.1, rest = 0.1, k = 1000;
    sn_world *world = make_world(m, 600, m->many, 1, true);
    sn_particle p[LINKS + 1];
    for (int i = 0; i <= LINKS; ++i) {
        p[i] = sn_particle_add_at(world, vec(0, -rest * i, 0), i ? real(mass) : SN_IMMOVABLE);
        if (i) {
            sn_constraint c = sn_constraint_add_distance(world, sn_at(p[i - 1]), sn_at(p[i]), real(rest));
            assert_ok(world, sn_constraint_set_material(world, c, (sn_material){.compliance = real(1 / k)}));
        }
    }
    settle(world, 60);
    double worst = 0;
    for (int i = 1; i <= LINKS; ++i) {
        double length = support_gap(sn_particle_position(world, p[i - 1]), sn_particle_position(world, p[i]));
        double stretch = (LINKS + 1 - i) * mass * G / k;
        worst = fmax(worst, fabs(length - rest - stretch) / stretch);
    }
    sn_world_destroy(world);
    return worst;
}

/* ---- Rows 5 to 7: a rod pendulum from 90 degrees ---------------------------------------------------------------------- */

typedef struct swing {
    sn_world *world;
    sn_particle bob;
    sn_constraint rod;
} swing;

static swing make_swing(const method *m, double rate)
{
    swing s = {.world = make_world(m, rate < 60 ? 60 : rate, m->few, 0, true)};
    sn_settings settings = sn_world_settings(s.world);
    settings.substeps = 1;
    assert_ok(s.world, sn_world_configure(s.world, &settings));
    sn_particle pivot = sn_particle_add_at(s.world, vec(0, 0, 0), SN_IMMOVABLE);
    s.bob = sn_particle_add_at(s.world, vec(1, 0, 0), 1);
    s.rod = sn_constraint_add_distance(s.world, sn_at(pivot), sn_at(s.bob), 1);
    return s;
}

/* The time between the first and the third passage of the vertical. */
static double period(const method *m)
{
    const double h = 1.0 / 600;
    swing s = make_swing(m, 600);
    double before = 1, crossing[3] = {0, 0, 0};
    for (int i = 0, found = 0; i < 6 * 600 && found < 3; ++i) {
        step(s.world, h);
        double x = (double)sn_particle_position(s.world, s.bob).x;
        if (before * x < 0 || x == 0)
            crossing[found++] = h * (i + before / (before - x));
        before = x;
    }
    sn_world_destroy(s.world);
    return crossing[2] - crossing[0];
}

static double period_error(const method *m)
{
    return fabs(period(m) / 2.3678419 - 1);
}

/* Against plain projection at this substep, which is known as well. */
static double plain_error(const method *m)
{
    return fabs(period(m) - 2.33892);
}

static double energy_loss(const method *m)
{
    swing s = make_swing(m, 600);
    for (int i = 0; i < 3120; ++i) /* 5.2 s */
        step(s.world, 1.0 / 600);
    sn_vec3 x = sn_particle_position(s.world, s.bob), v = sn_particle_velocity(s.world, s.bob);
    double energy = G * (double)x.y;
    energy += 0.5 * ((double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z);
    sn_world_destroy(s.world);
    return fabs(energy) / G;
}

/* The force of the rod about the first passage of the bottom, averaged over 20 ms, against 3 m g. */
static double force_error(const method *m)
{
    const double h = 1.0 / 6000;
    swing s = make_swing(m, 6000);
    double ring[120], sum = 0;
    int bottom = -1;
    for (int i = 0; bottom < 0 || i < bottom + 60; ++i) {
        step(s.world, h);
        ring[i % 120] = (double)sn_constraint_force(s.world, s.rod).magnitude;
        if (bottom < 0 && (double)sn_particle_position(s.world, s.bob).x < 0)
            bottom = i;
        assert_true(i < 12000);
    }
    for (int i = 0; i < 120; ++i)
        sum += ring[i] / 120;
    sn_world_destroy(s.world);
    return fabs(sum / (3 * G) - 1);
}

/* ---- Row 8: a double pendulum. The error of its tip after half a second, against what plain projection may have. ------- */

static double tip_error(const method *m)
{
    const double h = 1.0 / 600;
    swing s = make_swing(m, 600);
    sn_particle tip = sn_particle_add_at(s.world, vec(2, 0, 0), 1);
    sn_constraint_add_distance(s.world, sn_at(s.bob), sn_at(tip), 1);
    for (int i = 0; i < 300; ++i)
        step(s.world, h);
    double error = support_gap(sn_particle_position(s.world, tip), vec(1.47346567, -1.20038944, 0));
    sn_world_destroy(s.world);
    return error;
}

/* ---- Row 9: a chain between two hooks. The error of its sag, relative. ------------------------------------------------- */

static double sag_error(const method *m)
{
    enum { NODES = 21 };
    const double length = 1.5, link = length / (NODES - 1), depth = sqrt(length * length - 1) / 2;
    sn_world *world =
        make_world(m, 600, m->solver == SN_SOLVER_LAGRANGE || m->solver == SN_SOLVER_DIRECT ? 1 : 50, 1, true);
    sn_particle p[NODES];
    for (int i = 0; i < NODES; ++i) {
        double t = i / (NODES - 1.0), y = -depth * (t < 0.5 ? 2 * t : 2 - 2 * t);
        p[i] = sn_particle_add_at(world, vec(t, y, 0), i == 0 || i == NODES - 1 ? SN_IMMOVABLE : real(0.1));
        if (i)
            sn_constraint_add_distance(world, sn_at(p[i - 1]), sn_at(p[i]), real(link));
    }
    settle(world, 30);
    double error = fabs(-(double)sn_particle_position(world, p[NODES / 2]).y / 0.503447 - 1);
    sn_world_destroy(world);
    return error;
}

/* ---- Row 18: four rods, free and spinning. Relative loss of momentum in 1000 steps of 1/600 s. -------------------------- */

static double momentum_loss(const method *m, bool angular)
{
    sn_world *world = make_world(m, 600, m->many, 0, false);
    sn_settings settings = sn_world_settings(world);
    settings.substeps = 1;
    assert_ok(world, sn_world_configure(world, &settings));
    sn_particle last = {0};
    for (int i = 0; i < 5; ++i) { /* a bent chain that turns about z and flies along x */
        sn_particle_def def = sn_default_particle_def();
        def.position = vec(0.3 * (i - 2), 0.1 * (i % 2), 0);
        def.velocity = vec(0.5 - 2 * 0.1 * (i % 2), 2 * 0.3 * (i - 2), 0);
        def.mass = real(1 + 0.25 * i);
        sn_particle p;
        assert_ok(world, sn_particle_add(world, &def, &p));
        if (i)
            sn_constraint_add_distance(world, sn_at(last), sn_at(p), SN_MEASURE);
        last = p;
    }
    sn_report before, after;
    assert_ok(world, sn_world_report(world, &before));
    for (int i = 0; i < 1000; ++i)
        step(world, 1.0 / 600);
    assert_ok(world, sn_world_report(world, &after));
    double change = 0, was = 0;
    for (int i = 0; i < 3; ++i) {
        double a = angular ? before.angular_momentum[i] : before.momentum[i];
        double b = angular ? after.angular_momentum[i] : after.momentum[i];
        change += (b - a) * (b - a);
        was += a * a;
    }
    sn_world_destroy(world);
    return sqrt(change / was);
}

static double linear_loss(const method *m)
{
    return momentum_loss(m, false);
}

static double angular_loss(const method *m)
{
    return momentum_loss(m, true);
}

/* ---- The table ------------------------------------------------------------------------------------------------------- */

static const struct row {
    const char *number, *what;
    double (*measure)(const method *);
    double allowed;
} rows[ROWS] = {
    [HANGING_CHAIN] = {"4", "hanging chain, worst link", hanging_chain, SINEW_DOUBLE ? 1e-3 : 2e-3},
    [PERIOD] = {"5", "period at 90°, against the truth", period_error, 2e-4},
    [PERIOD_PLAIN] = {"5", "period at 90°, s off plain projection", plain_error, 1e-4},
    [ENERGY] = {"6", "energy lost in 5.2 s", energy_loss, 5e-3},
    [FORCE] = {"7", "force at the bottom", force_error, 1e-2},
    [TIP] = {"8", "double pendulum, m after 0.5 s", tip_error, 3.3e-3},
    [SAG] = {"9", "sag of a chain", sag_error, 5e-3},
    [LINEAR] = {"18", "momentum", linear_loss, SINEW_DOUBLE ? 1e-9 : 1e-5},
    [ANGULAR] = {"18", "angular momentum", angular_loss, SINEW_DOUBLE ? 1e-9 : 2e-5},
};

#define PLAIN (CLAIM(HANGING_CHAIN) | CLAIM(PERIOD_PLAIN) | CLAIM(FORCE) | CLAIM(TIP) | CLAIM(SAG) | CLAIM(LINEAR))
#define SECOND                                                                                                         \
    (CLAIM(HANGING_CHAIN) | CLAIM(PERIOD) | CLAIM(ENERGY) | CLAIM(FORCE) | CLAIM(TIP) | CLAIM(SAG) | CLAIM(LINEAR))

#define IMPULSES ((SECOND & ~CLAIM(TIP)) | CLAIM(ANGULAR))

static const method methods[] = {
    {"`gauss_seidel`", SN_SOLVER_GAUSS_SEIDEL, .few = 1, .many = 10, .claims = PLAIN},
    {"`gauss_seidel`, BDF2", SN_SOLVER_GAUSS_SEIDEL, SN_INTEGRATOR_BDF2, .few = 4, .many = 10, .claims = SECOND},
    {"`gauss_seidel`, leapfrog, SHAKE", SN_SOLVER_GAUSS_SEIDEL, SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_START, .few = 20,
     .many = 20, .claims = SECOND | CLAIM(ANGULAR)},
    {"`jacobi`", SN_SOLVER_JACOBI, .few = 4, .many = 50, .claims = PLAIN},
    {"`impulses`", SN_SOLVER_IMPULSES, .few = 10, .many = 20, .claims = IMPULSES},
    {"`impulses`, soft", SN_SOLVER_IMPULSES, .drift = SN_DRIFT_SOFT, .few = 10, .many = 20, .claims = IMPULSES},
    {"`lagrange`, leapfrog", SN_SOLVER_LAGRANGE, SN_INTEGRATOR_LEAPFROG, .few = 1, .many = 1,
     .claims = SECOND | CLAIM(ANGULAR)},
    {"`lagrange`, Verlet", SN_SOLVER_LAGRANGE, SN_INTEGRATOR_VERLET, .few = 1, .many = 1,
     .claims = SECOND | CLAIM(ANGULAR)},
    {"`direct`", SN_SOLVER_DIRECT, .few = 1, .many = 1, .claims = PLAIN},
    {"`direct`, BDF2", SN_SOLVER_DIRECT, SN_INTEGRATOR_BDF2, .few = 1, .many = 1, .claims = SECOND},
};

static void test_claims(void **state)
{
    (void)state;
    int broken = 0;
    brief = support_long(0, 1);
    for (size_t i = 0; i < COUNT_OF(methods); ++i)
        for (int r = 0; r < ROWS; ++r) {
            if (!(methods[i].claims >> r & 1) ||
                (i + (size_t)r) % support_long(1, 3)) /* a third of them, of all sorts */
                continue;
            double error = rows[r].measure(&methods[i]);
            if (error <= rows[r].allowed)
                continue;
            ++broken;
            print_message("%s, row %s, %s: %g, claimed is at most %g\n", methods[i].name, rows[r].number, rows[r].what,
                          error, rows[r].allowed);
        }
    assert_int_equal(broken, 0);
}

static void print_table(void)
{
    printf("| row | at most |");
    for (size_t i = 0; i < COUNT_OF(methods); ++i)
        printf(" %s |", methods[i].name);
    printf("\n|---|---|");
    for (size_t i = 0; i < COUNT_OF(methods); ++i)
        printf("---|");
    for (int r = 0; r < ROWS; ++r) {
        printf("\n| %s: %s | %g |", rows[r].number, rows[r].what, rows[r].allowed);
        for (size_t i = 0; i < COUNT_OF(methods); ++i)
            printf(methods[i].claims >> r & 1 ? " **%.2g** |" : " %.2g |", rows[r].measure(&methods[i]));
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--markdown") == 0) {
        print_table();
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_claims)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
