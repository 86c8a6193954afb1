/* Springs that are forces and too stiff for the substep: the warning comes when a chain of them really blows up, and only
   then, once for each change. */
#include "support/support.h"

#define LINKS 40
#define DT    (1.0 / 60)

static const sn_integrator integrators[] = {SN_INTEGRATOR_SYMPLECTIC_EULER, SN_INTEGRATOR_LEAPFROG,
                                            SN_INTEGRATOR_VERLET, SN_INTEGRATOR_FORWARD_EULER, SN_INTEGRATOR_BDF2};

typedef struct chain_def {
    sn_integrator integrator;
    uint32_t substeps;
    double stiffness, damping; /* of each spring */
    double world_damping;
    bool spots; /* the springs hold triangles by their middles */
} chain_def;

/* Warnings only: a chain that blows up ends in errors. */
typedef struct warnings {
    uint32_t count;
    char text[1024];
} warnings;

static void take_warning(void *context, sn_log_level level, const char *text)
{
    warnings *w = context;
    if (level != SN_LOG_WARNING)
        return;
    w->count++;
    snprintf(w->text, sizeof w->text, "%s", text);
}

typedef struct chain {
    sn_world *world;
    warnings log;
    sn_particles particles;
    sn_constraints springs;
} chain;

/* A chain of springs on a wall, masses of 1 kg, not quite at rest. Without gravity: what grows is an instability. */
static void make_chain(chain *c, const chain_def *d)
{
    sn_world_def def = sn_default_world_def();
    *c = (chain){.log = {0}};
    def.log = (sn_log){take_warning, &c->log};
    def.settings.gravity = vec(0, 0, 0);
    def.settings.integrator = d->integrator;
    def.settings.iterations = 2;
    def.settings.substeps = d->substeps;
    def.settings.damping = real(d->world_damping);
    c->world = support_world_from(&def);
    sn_real xyz[3 * (LINKS + 1)] = {0}, param[3 * LINKS];
    uint32_t index[2 * LINKS];
    for (uint32_t i = 0; i <= LINKS; ++i)
        xyz[3 * i] = real(i + (i % 2 ? 1e-6 : 0)); /* the shortest wave, which is the first to grow */
    for (uint32_t i = 0; i < LINKS; ++i) {
        index[2 * i] = i;
        index[2 * i + 1] = i + 1;
        param[3 * i] = 1;
        param[3 * i + 1] = real(d->stiffness);
        param[3 * i + 2] = real(d->damping);
    }
    c->particles = sn_particles_add(c->world, LINKS + 1, xyz, 0, 1);
    assert_ok(c->world, sn_particle_set_mass(c->world, sn_particles_at(c->particles, 0), SN_IMMOVABLE));
    c->springs = sn_constraints_add_kind(c->world, SN_KIND_SPRING, LINKS, index, param, NULL);
    assert_int_equal(c->springs.count, LINKS);
}

/* Steps that may fail. */
static void run(sn_world *world, uint32_t steps, double dt)
{
    for (uint32_t i = 0; i < steps; ++i)
        sn_world_step(world, real(dt));
}

static double energy(sn_world *world)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    return report.kinetic + report.elastic;
}

/* Whether it is a thousand times as lively after so many steps. */
static bool blows_up(sn_world *world, uint32_t steps)
{
    double start = energy(world);
    for (uint32_t i = 0; i < steps; ++i)
        if (sn_world_step(world, real(DT)) != SN_OK)
            return true;
    return !(energy(world) < 1000 * start);
}

/* A chain in which omega h of the fastest motion is so much: omega^2 = 4 k / m. */
static chain_def fast_chain(sn_integrator integrator, double omega_h)
{
    double h = DT / 10;
    return (chain_def){.integrator = integrator, .substeps = 10, .stiffness = omega_h * omega_h / (4 * h * h)};
}

/* ---- Warned when it blows up ------------------------------------------------------------------------------------- */

static void check_chain(const chain_def *def, bool expected, uint32_t steps)
{
    chain c;
    make_chain(&c, def);
    assert_ok(c.world, sn_world_step(c.world, real(DT)));
    bool warned = c.log.count > 0;
    bool blown = blows_up(c.world, steps);
    if (warned != expected || blown != expected)
        fail_msg("integrator %d, stiffness %g, damping %g, %g: warned %d, blew up %d, expected %d; %s",
                 (int)def->integrator, def->stiffness, def->damping, def->world_damping, warned, blown, expected,
                 c.log.text);
    sn_world_destroy(c.world);
}

/* Two per cent to either side of the limit, which is 2 for these. */
static void test_limit(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; ++i) {
        chain_def stable = fast_chain(integrators[i], 1.96), unstable = fast_chain(integrators[i], 2.04);
        check_chain(&stable, false, 200);
        check_chain(&unstable, true, 200);
    }
}

/* Forward Euler gains energy always, BDF2 always but little: told from e-fold in a second on. */
static void test_growth(void **state)
{
    (void)state;
    chain_def slow = fast_chain(SN_INTEGRATOR_FORWARD_EULER, 0.05),
              quick = fast_chain(SN_INTEGRATOR_FORWARD_EULER, 0.2);
    check_chain(&slow, false, 120); /* two seconds: at most e^4 times the energy */
    check_chain(&quick, true, 120);
    slow = fast_chain(SN_INTEGRATOR_BDF2, 0.25), quick = fast_chain(SN_INTEGRATOR_BDF2, 0.6);
    check_chain(&slow, false, 120);
    check_chain(&quick, true, 120);
}

/* Dampers lower the limit, or cause the trouble by themselves; for forward Euler and BDF2 they are the remedy. */
static void test_damping(void **state)
{
    (void)state;
    double h = DT / 10;
    static const struct {
        sn_integrator integrator;
        double omega_h, damped; /* gamma h of the fastest motion, gamma = 4 c / m */
        bool unstable;
    } cases[] = {{SN_INTEGRATOR_SYMPLECTIC_EULER, 1.70, 0.5, false}, /* the limit is sqrt(3) */
                 {SN_INTEGRATOR_SYMPLECTIC_EULER, 1.77, 0.5, true},
                 {SN_INTEGRATOR_SYMPLECTIC_EULER, 0.1, 1.9, false},
                 {SN_INTEGRATOR_SYMPLECTIC_EULER, 0.1, 2.1, true},
                 {SN_INTEGRATOR_LEAPFROG, 1.70, 1, false}, /* sqrt(3) as well */
                 {SN_INTEGRATOR_LEAPFROG, 1.77, 1, true},
                 {SN_INTEGRATOR_VERLET, 1.70, 1, false},
                 {SN_INTEGRATOR_VERLET, 1.77, 1, true},
                 {SN_INTEGRATOR_LEAPFROG, 0.1, 1.9, false},
                 {SN_INTEGRATOR_LEAPFROG, 0.1, 2.1, true},
                 {SN_INTEGRATOR_FORWARD_EULER, 0.5, 0.3, false}, /* gamma h > (omega h)^2 */
                 {SN_INTEGRATOR_FORWARD_EULER, 0.5, 0.1, true},
                 {SN_INTEGRATOR_FORWARD_EULER, 0.1, 2.1, true},
                 {SN_INTEGRATOR_BDF2, 0.6, 0.1, false},
                 {SN_INTEGRATOR_BDF2, 1.1, 1, false}, /* the limit is sqrt(4/3) */
                 {SN_INTEGRATOR_BDF2, 1.2, 1, true}};
    for (uint32_t i = 0; i < COUNT_OF(cases); ++i) {
        chain_def def = fast_chain(cases[i].integrator, cases[i].omega_h);
        def.damping = cases[i].damped / (4 * h);
        check_chain(&def, cases[i].unstable, 200);
    }
    /* what the whole world is damped by: the limit of symplectic Euler is sqrt(2 + 2 e^(-damping h)) */
    chain_def def = fast_chain(SN_INTEGRATOR_SYMPLECTIC_EULER, 1.70);
    def.world_damping = 0.6931 / h; /* half the velocity is left */
    check_chain(&def, false, 200);
    def = fast_chain(SN_INTEGRATOR_SYMPLECTIC_EULER, 1.77);
    def.world_damping = 0.6931 / h;
    check_chain(&def, true, 200);
}

/* As many substeps as it says are enough, and the next smaller number is not. */
static void test_advice(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(integrators); ++i) {
        chain_def def = fast_chain(integrators[i], 5);
        def.damping = 3;
        chain c;
        make_chain(&c, &def);
        sn_world_step(c.world, real(DT));
        assert_int_equal(c.log.count, 1);
        const char *at = strstr(c.log.text, "use ");
        assert_non_null(at);
        unsigned long enough = strtoul(at + 4, NULL, 10);
        assert_in_range(enough, 11, 100000);
        sn_world_destroy(c.world);
        def.substeps = (uint32_t)enough - 1;
        make_chain(&c, &def);
        sn_world_step(c.world, real(DT));
        assert_int_equal(c.log.count, 1);
        sn_world_destroy(c.world);
        def.substeps = (uint32_t)enough;
        make_chain(&c, &def);
        assert_ok(c.world, sn_world_step(c.world, real(DT)));
        assert_int_equal(c.log.count, 0);
        sn_world_destroy(c.world);
    }
}

/* One spring on a wall, a light mass on a heavy one, a spring to a spot. */
static void test_few(void **state)
{
    (void)state;
    const double h = DT / 10;
    for (int heavy = 0; heavy < 3; ++heavy)
        for (int over = 0; over < 2; ++over) {
            warnings log = {0};
            sn_world_def def = sn_default_world_def();
            def.log = (sn_log){take_warning, &log};
            sn_world *world = support_world_from(&def);
            sn_point a = sn_at(sn_particle_add_at(world, vec(0, 0, 0), heavy == 0 ? SN_IMMOVABLE : real(1e4)));
            sn_point b = sn_at(sn_particle_add_at(world, vec(1, 0, 0), 1));
            if (heavy == 2) { /* three masses of 1 kg that carry a third each move like one of 3 kg */
                sn_particle corner[3];
                for (int i = 0; i < 3; ++i)
                    corner[i] = sn_particle_add_at(world, vec(2, i, i == 1), real(1));
                b = sn_on_triangle(corner[0], corner[1], corner[2], real(1.0 / 3), real(1.0 / 3), real(1.0 / 3));
            }
            double mass = heavy == 2 ? 3 : 1;
            double omega = (over ? 2.05 : 1.95) / h;
            sn_constraint_add_spring(world, a, b, SN_MEASURE, real(omega * omega * mass), 0);
            sn_world_step(world, real(DT));
            assert_int_equal(log.count, over);
            sn_world_destroy(world);
        }
}

/* ---- Once for each change ---------------------------------------------------------------------------------------- */

static void test_once(void **state)
{
    (void)state;
    chain_def def = fast_chain(SN_INTEGRATOR_LEAPFROG, 2.2);
    chain c;
    make_chain(&c, &def);
    assert_int_equal(c.log.count, 0); /* it is found in a step, when dt is known */
    run(c.world, 3, DT);
    assert_int_equal(c.log.count, 1);
    assert_says(c.log.text, "spring particle leapfrog substeps compliance 2.2");

    /* what has nothing to do with it, and a dt that varies, do not repeat it; a much longer one does */
    sn_constraint rod = sn_constraint_add_distance(c.world, sn_at(sn_particles_at(c.particles, 3)),
                                                   sn_at(sn_particles_at(c.particles, 9)), SN_MEASURE);
    run(c.world, 1, DT);
    assert_ok(c.world, sn_constraint_remove(c.world, rod));
    run(c.world, 1, 1.02 * DT);
    run(c.world, 1, 0.5 * DT);
    run(c.world, 1, DT);
    assert_int_equal(c.log.count, 1);
    run(c.world, 1, 1.5 * DT);
    assert_int_equal(c.log.count, 2);

    /* settings */
    sn_settings settings = sn_world_settings(c.world);
    settings.substeps = 12;
    assert_ok(c.world, sn_world_configure(c.world, &settings));
    run(c.world, 2, DT);
    assert_int_equal(c.log.count, 2);
    settings.substeps = 9;
    assert_ok(c.world, sn_world_configure(c.world, &settings));
    run(c.world, 2, DT);
    assert_int_equal(c.log.count, 3);
    settings.integrator = SN_INTEGRATOR_SYMPLECTIC_EULER;
    assert_ok(c.world, sn_world_configure(c.world, &settings));
    run(c.world, 2, DT);
    assert_int_equal(c.log.count, 4);
    assert_says(c.log.text, "symplectic_euler");
    sn_world_destroy(c.world);
}

/* Parameters, masses and springs that come. */
static void test_edits(void **state)
{
    (void)state;
    chain_def def = fast_chain(SN_INTEGRATOR_SYMPLECTIC_EULER, 1.9);
    chain c;
    make_chain(&c, &def);
    run(c.world, 2, DT);
    assert_int_equal(c.log.count, 0);
    sn_real stiff = real(2 * def.stiffness), soft = real(def.stiffness);
    sn_constraint spring = sn_constraints_at(c.springs, 7);
    assert_ok(c.world, sn_constraint_set_param(c.world, spring, "stiffness", &stiff, 1));
    run(c.world, 2, DT);
    assert_int_equal(c.log.count, 1);
    assert_ok(c.world, sn_constraint_set_param(c.world, spring, "stiffness", &soft, 1));
    run(c.world, 2, DT);
    assert_int_equal(c.log.count, 1);
    assert_ok(c.world, sn_particle_set_mass(c.world, sn_particles_at(c.particles, 20), real(0.25)));
    run(c.world, 2, DT);
    assert_int_equal(c.log.count, 2);
    assert_says(c.log.text, "particle 20");
    assert_ok(c.world, sn_particle_set_mass(c.world, sn_particles_at(c.particles, 20), 1));
    run(c.world, 1, DT);
    assert_false(sn_constraint_add_spring(c.world, sn_at(sn_particles_at(c.particles, 12)),
                                          sn_at(sn_particles_at(c.particles, 14)), 2, stiff, 0)
                     .kind == 0);
    run(c.world, 2, DT);
    assert_int_equal(c.log.count, 3);
    sn_world_destroy(c.world);
}

static void test_snapshot(void **state)
{
    (void)state;
    chain_def def = fast_chain(SN_INTEGRATOR_LEAPFROG, 2.2), calm = fast_chain(SN_INTEGRATOR_LEAPFROG, 0.5);
    chain c, other;
    make_chain(&c, &def);
    run(c.world, 1, DT);
    assert_int_equal(c.log.count, 1);
    sn_snapshot *snapshot = sn_world_save(c.world);
    assert_non_null(snapshot);
    for (int i = 0; i < 3; ++i) { /* going back to what is known is no news */
        run(c.world, 1, DT);
        assert_ok(c.world, sn_world_load(c.world, snapshot));
    }
    assert_int_equal(c.log.count, 1);
    make_chain(&other, &calm);
    run(other.world, 1, DT);
    assert_int_equal(other.log.count, 0);
    assert_ok(other.world, sn_world_load(other.world, snapshot)); /* another world learns it */
    run(other.world, 2, DT);
    assert_int_equal(other.log.count, 1);
    sn_snapshot_destroy(snapshot);
    sn_world_destroy(other.world);
    sn_world_destroy(c.world);
}

/* Looking takes no memory, in the first step as in any other, and changes nothing: a world without a log goes the same
   way. */
static void test_free_of_charge(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    warnings log = {0};
    def.log = (sn_log){take_warning, &log};
    def.allocator = support_allocator(&memory);
    sn_world *world = support_world_from(&def), *same;
    def.log = (sn_log){0};
    def.allocator = (sn_allocator){0};
    same = support_world_from(&def);
    for (int i = 0; i < 2; ++i) {
        sn_world *w = i ? same : world;
        sn_particle a = sn_particle_add_at(w, vec(0, 0, 0), 1), b = sn_particle_add_at(w, vec(1, 0, 0), 1);
        sn_constraint_add_spring(w, sn_at(a), sn_at(b), SN_MEASURE, 10, 0);
    }
    run(world, 1, DT);
    run(same, 1, DT);
    assert_int_equal(log.count, 0);
    uint64_t requests = memory.requests;
    run(world, 1, 60 * DT); /* the substep changed, and it is looked at: 0.1 s, omega^2 = 20 */
    assert_int_equal(log.count, 0);
    run(world, 1, 600 * DT);
    run(same, 1, 60 * DT);
    run(same, 1, 600 * DT);
    assert_int_equal(log.count, 1);
    assert_int_equal(memory.requests, requests);
    assert_same_world(world, same);
    sn_world_destroy(world);
    sn_world_destroy(same);
    assert_memory_clean(&memory);
}

/* Statics moves by symplectic Euler, whatever the settings say. */
static void test_relax(void **state)
{
    (void)state;
    chain_def def = fast_chain(SN_INTEGRATOR_BDF2, 2.2);
    chain c;
    make_chain(&c, &def);
    sn_relax_def relax = sn_default_relax_def();
    relax.steps = 3;
    assert_ok(c.world, sn_world_relax(c.world, &relax, NULL));
    assert_int_equal(c.log.count, 1);
    assert_says(c.log.text, "symplectic_euler");
    sn_world_destroy(c.world);
}

/* ---- Kinds of one's own ------------------------------------------------------------------------------------------ */

static bool eval_tie(const sn_eval_in *in, const sn_eval_out *out)
{
    out->c[0] = in->x[0].y;
    out->gradient[0] = vec(0, 1, 0);
    return true;
}

static sn_real tie_force(const sn_eval_in *in, const sn_vec3 *v, sn_vec3 *force)
{
    (void)v;
    sn_real k = *(sn_real *)in->context;
    force[0] = vec(0, -k * in->x[0].y, 0);
    return k * in->x[0].y * in->x[0].y / 2;
}

static sn_real tie_stiffness(const sn_real *param, void *context, sn_real *damping)
{
    (void)param;
    assert_true(*damping == 0);
    return *(sn_real *)context;
}

/* Its stiffness is in its context. Without the function nothing is known, and nonsense is not believed. */
static void test_own_kind(void **state)
{
    (void)state;
    static const double stiffness[] = {2e6, 1e6, -1, NAN};
    for (uint32_t i = 0; i < 5; ++i) {
        warnings log = {0};
        sn_real k = real(stiffness[i % 4]);
        sn_kind kind = {.name = "tie",
                        .points = 1,
                        .rows = 1,
                        .eval = eval_tie,
                        .force = tie_force,
                        .context = &k,
                        .stiffness = i < 4 ? tie_stiffness : NULL};
        sn_world_def def = sn_default_world_def();
        def.log = (sn_log){take_warning, &log};
        sn_world *world = support_world_from(&def);
        sn_constraint_def tie = sn_default_constraint_def(sn_kind_register(world, &kind));
        sn_point point = sn_at(sn_particle_add_at(world, vec(0, 0, 0), 1));
        tie.points = &point;
        assert_ok(world, sn_constraint_add(world, &tie, NULL));
        sn_result result = sn_world_step(world, real(DT));
        if (result == SN_OK)
            assert_int_equal(log.count, i == 0); /* 4 / h^2 is 1.44e6 */
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limit),  cmocka_unit_test(test_growth),   cmocka_unit_test(test_damping),
        cmocka_unit_test(test_advice), cmocka_unit_test(test_few),      cmocka_unit_test(test_once),
        cmocka_unit_test(test_edits),  cmocka_unit_test(test_snapshot), cmocka_unit_test(test_free_of_charge),
        cmocka_unit_test(test_relax),  cmocka_unit_test(test_own_kind),
    };
    return cmocka_run_group_tests_name("springs", tests, NULL, NULL);
}
