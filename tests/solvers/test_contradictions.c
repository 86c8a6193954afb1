/* Constraints that contradict each other, under every solver, integrator and way of taking gradients: they end as a compromise of
   least squares, at once, and are a set like any other from then on. */
#include "solver_cases.h"

typedef struct method {
    const char *name;
    sn_solver solver;
    sn_integrator integrator;
    sn_gradients gradients;
    sn_order order;
    sn_jacobi jacobi;
    double relaxation;
    sn_drift drift;
    sn_linear linear;
} method;

#define CASCADE(...) .solver = SN_SOLVER_GAUSS_SEIDEL, .order = SN_ORDER_THERE_AND_BACK, __VA_ARGS__

static const method methods[] = {
    {"tiled", SN_SOLVER_TILED, .order = SN_ORDER_THERE_AND_BACK},
    {"tiled, start", SN_SOLVER_TILED, .order = SN_ORDER_THERE_AND_BACK, .gradients = SN_GRADIENTS_START},
    {"cascade", CASCADE(.integrator = SN_INTEGRATOR_SYMPLECTIC_EULER)},
    {"cascade, insertion", SN_SOLVER_GAUSS_SEIDEL, .order = SN_ORDER_INSERTION},
    {"cascade, symmetric", SN_SOLVER_GAUSS_SEIDEL, .order = SN_ORDER_SYMMETRIC},
    {"cascade, worst first", SN_SOLVER_GAUSS_SEIDEL, .order = SN_ORDER_WORST_FIRST},
    {"cascade, forward Euler", CASCADE(.integrator = SN_INTEGRATOR_FORWARD_EULER)},
    {"cascade, leapfrog", CASCADE(.integrator = SN_INTEGRATOR_LEAPFROG)},
    {"cascade, Verlet", CASCADE(.integrator = SN_INTEGRATOR_VERLET)},
    {"cascade, BDF2", CASCADE(.integrator = SN_INTEGRATOR_BDF2)},
    {"cascade, start", CASCADE(.gradients = SN_GRADIENTS_START)},
    {"cascade, leapfrog, start", CASCADE(.integrator = SN_INTEGRATOR_LEAPFROG, .gradients = SN_GRADIENTS_START)},
    {"cascade, Verlet, start", CASCADE(.integrator = SN_INTEGRATOR_VERLET, .gradients = SN_GRADIENTS_START)},
    {"jacobi", SN_SOLVER_JACOBI, .order = SN_ORDER_THERE_AND_BACK},
    {"jacobi, averaged", SN_SOLVER_JACOBI, .order = SN_ORDER_THERE_AND_BACK, .jacobi = SN_JACOBI_AVERAGED},
    {"jacobi, BDF2", SN_SOLVER_JACOBI, SN_INTEGRATOR_BDF2, .order = SN_ORDER_THERE_AND_BACK},
    {"impulses", SN_SOLVER_IMPULSES, .order = SN_ORDER_THERE_AND_BACK},
    {"impulses, leapfrog", SN_SOLVER_IMPULSES, SN_INTEGRATOR_LEAPFROG, .order = SN_ORDER_THERE_AND_BACK},
    {"impulses, soft", SN_SOLVER_IMPULSES, .order = SN_ORDER_THERE_AND_BACK, .drift = SN_DRIFT_SOFT},
    {"lagrange", SN_SOLVER_LAGRANGE, .order = SN_ORDER_THERE_AND_BACK},
    {"lagrange, leapfrog", SN_SOLVER_LAGRANGE, SN_INTEGRATOR_LEAPFROG, .order = SN_ORDER_THERE_AND_BACK},
    {"lagrange, Verlet", SN_SOLVER_LAGRANGE, SN_INTEGRATOR_VERLET, .order = SN_ORDER_THERE_AND_BACK},
    {"lagrange, least squares", SN_SOLVER_LAGRANGE, .order = SN_ORDER_THERE_AND_BACK,
     .linear = SN_LINEAR_LEAST_SQUARES},
    {"direct", SN_SOLVER_DIRECT, .order = SN_ORDER_THERE_AND_BACK},
    {"direct, BDF2", SN_SOLVER_DIRECT, SN_INTEGRATOR_BDF2, .order = SN_ORDER_THERE_AND_BACK},
};

/* The last warning. */
static char warned[512];

static void keep_warning(void *context, sn_log_level level, const char *text)
{
    (void)context;
    if (level == SN_LOG_WARNING)
        snprintf(warned, sizeof warned, "%s", text);
}

static sn_world *make_world(const method *m, uint32_t substeps, uint32_t iterations, double gravity)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, -gravity, 0);
    def.settings.substeps = substeps;
    def.settings.iterations = iterations;
    def.settings.solver = m->solver;
    def.settings.integrator = m->integrator;
    def.settings.gradients = m->gradients;
    def.settings.order = m->order;
    def.settings.jacobi = m->jacobi;
    def.settings.drift = m->drift;
    def.settings.linear = m->linear;
    def.log.write = keep_warning;
    warned[0] = 0;
    return support_world_from(&def);
}

static sn_vec3 random_place(uint64_t *seed)
{
    double x = support_random_in(seed, 0, 1), y = support_random_in(seed, 0, 1);
    return vec(x, y, support_random_in(seed, 0, 1));
}

static double kinetic(const sn_world *world)
{
    double sum = 0;
    for (uint32_t i = 0; i < sn_world_particle_count(world); ++i) {
        sn_particle p = sn_particle_from_index(world, i);
        double mass = (double)sn_particle_mass(world, p), v = solver_speed(world, p);
        sum += isfinite(mass) ? mass * v * v / 2 : 0;
    }
    return sum;
}

/* ---- Sets ---------------------------------------------------------------------------------------------------------- */

typedef void set_fn(sn_world *world);

/* Returns its first rod. */
static sn_constraint triangle_of(sn_world *world, double longest)
{
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 1), b = sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_particle c = sn_particle_add_at(world, vec(0.5, 0.6, 0), 1);
    sn_constraint first = sn_constraint_add_distance(world, sn_at(a), sn_at(b), real(longest));
    sn_constraint_add_distance(world, sn_at(b), sn_at(c), 1);
    sn_constraint_add_distance(world, sn_at(c), sn_at(a), 1);
    return first;
}

static void triangle(sn_world *world)
{
    triangle_of(world, 3);
}

/* Two rods of different lengths between the same particles, too. Returns the third rod. */
static sn_constraint four_rods(sn_world *world)
{
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 1), b = sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_particle c = sn_particle_add_at(world, vec(0.4, 0.8, 0.1), 2);
    sn_constraint_add_distance(world, sn_at(a), sn_at(b), real(1.1));
    sn_constraint_add_distance(world, sn_at(a), sn_at(b), real(0.9));
    sn_constraint third = sn_constraint_add_distance(world, sn_at(b), sn_at(c), 1);
    sn_constraint_add_distance(world, sn_at(c), sn_at(a), 5);
    return third;
}

static void free_rods(sn_world *world)
{
    four_rods(world);
}

static void tetrahedron(sn_world *world)
{
    static const double at[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.4, 0.9, 0}, {0.5, 0.3, 0.8}};
    static const double rest[] = {1, 3, 1, 1, 3, 1};
    sn_particle p[4];
    uint32_t k = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        p[i] = sn_particle_add_at(world, vec(at[i][0], at[i][1], at[i][2]), real(1 + 0.5 * i));
        for (uint32_t j = 0; j < i; ++j)
            sn_constraint_add_distance(world, sn_at(p[j]), sn_at(p[i]), real(rest[k++]));
    }
}

/* Eight particles, all joined, with rods that are wrong by up to a share of their lengths; the mass is that of the first. */
static void wrong_by(sn_world *world, double share, sn_real mass)
{
    uint64_t seed = 7;
    sn_particle p[8];
    for (uint32_t i = 0; i < 8; ++i) {
        p[i] = sn_particle_add_at(world, random_place(&seed), i ? 1 : mass);
        for (uint32_t j = 0; j < i; ++j)
            sn_constraint_add_distance(
                world, sn_at(p[j]), sn_at(p[i]),
                real(solver_distance(world, p[i], p[j]) * (1 + share * support_random_in(&seed, -1, 1))));
    }
}

static void wrong_by_a_third(sn_world *world)
{
    wrong_by(world, 0.3, 1);
}

static void wrong_by_a_little(sn_world *world)
{
    wrong_by(world, 0.01, 1);
}

/* An angle that the rods do not have, and a tetrahedron of another volume. */
static void other_kinds(sn_world *world)
{
    sn_particle p[4] = {sn_particle_add_at(world, vec(0, 0, 0), 1), sn_particle_add_at(world, vec(1, 0, 0), 1),
                        sn_particle_add_at(world, vec(0, 1, 0), 2), sn_particle_add_at(world, vec(0, 0, 1), 1)};
    for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t j = 0; j < i; ++j)
            sn_constraint_add_distance(world, sn_at(p[j]), sn_at(p[i]), SN_MEASURE);
    sn_constraint_add_angle(world, sn_at(p[1]), sn_at(p[0]), sn_at(p[2]), real(1.2));
    sn_constraint_add_volume(world, sn_at(p[0]), sn_at(p[1]), sn_at(p[2]), sn_at(p[3]), real(0.25));
}

static set_fn *const sets[] = {triangle, free_rods, tetrahedron, wrong_by_a_third, wrong_by_a_little, other_kinds};

/* ---- At rest ------------------------------------------------------------------------------------------------------- */

/* Nothing moves, after the first step as little as after the last. (The triangle had 384 J after one frame, and 46 kg m^2/s;
   with gradients at the start it was 1e11 m away. The tetrahedron had a megajoule for ever.) */
static void nothing_comes_of_nothing(void **state)
{
    (void)state;
    static const uint32_t passes[][2] = {{1, 1}, {10, 1}, {10, 5}};
    for (size_t n = 0; n < COUNT_OF(methods) * COUNT_OF(sets) * COUNT_OF(passes); ++n) {
        const method *m = &methods[n % COUNT_OF(methods)];
        const uint32_t *pass = passes[n / COUNT_OF(methods) % COUNT_OF(passes)];
        const size_t set = n / COUNT_OF(methods) / COUNT_OF(passes);
        sn_world *world = make_world(m, pass[0], pass[1], 0);
        sets[set](world);
        for (uint32_t frame = 0; frame < support_long(20, 8); ++frame) {
            assert_ok(world, sn_world_step(world, real(FRAME)));
            momenta moved = momenta_of(world, sn_world_particle_count(world)), none;
            memset(&none, 0, sizeof none);
            if (kinetic(world) > 1e-9 || angular_drift(&moved, &none) > 1e-6)
                fail_msg("%s, set %zu, %u substeps, %u passes: frame %u has %g J, %g kg m^2/s", m->name, set, pass[0],
                         pass[1], frame, kinetic(world), angular_drift(&moved, &none));
        }
        assert_says(warned, "contradict each other");
        sn_world_destroy(world);
    }
}

/* What they agree on is the least sum of squares: along a line, each rod of the triangle misses a third of what is too much. */
static void the_compromise_is_least_squares(void **state)
{
    (void)state;
    for (double longest = 2.5; longest < 6; longest += 0.5) {
        sn_world *world = make_world(&methods[0], 10, 1, 0);
        double missed = (longest - 2) / 3;
        triangle_of(world, longest);
        support_run(world, 1, FRAME);
        sn_particle p[3];
        sn_vec3 middle = vec(0, 0, 0);
        for (uint32_t i = 0; i < 3; ++i) {
            p[i] = sn_particle_from_index(world, i);
            sn_vec3 x = sn_particle_position(world, p[i]);
            middle = vec((double)(middle.x + x.x / 3), (double)(middle.y + x.y / 3), (double)(middle.z + x.z / 3));
        }
        assert_close(solver_distance(world, p[0], p[1]), longest - missed, 1e-3);
        assert_close(solver_distance(world, p[1], p[2]), 1 + missed, 1e-3);
        assert_close(solver_distance(world, p[2], p[0]), 1 + missed, 1e-3);
        assert_vec_close(middle, vec(0.5, 0.2, 0), 1e-5);
        sn_world_destroy(world);
    }
}

/* The warning names the worst one, and values and parameters are what they are: nothing is hidden. */
static void it_is_told(void **state)
{
    (void)state;
    sn_world *world = make_world(&methods[0], 10, 1, 0);
    sn_constraint worst = four_rods(world);
    support_run(world, 1, FRAME);
    assert_says(warned, "4 constraints contradict each other");
    assert_says(warned, "the worst, distance constraint");
    sn_real c[SN_MAX_ROWS];
    sn_constraint_def def;
    sn_point points[2];
    assert_ok(world, sn_constraint_value(world, worst, c));
    assert_close(fabs((double)c[0]), 1.2, 2e-3);
    assert_ok(world, sn_constraint_read(world, worst, &def, points, 2));
    assert_true(def.param[0] == 1);
    sn_world_destroy(world);
}

/* ---- In motion ------------------------------------------------------------------------------------------------------ */

/* Hung up on an immovable particle it swings: energy does not grow, and the rods keep what they agreed on. The claims of single
   solvers about pendulums are theirs: forward Euler gains, and so do averages, which do not conserve momentum. */
static void a_compromise_swings(void **state)
{
    (void)state;
    for (size_t n = 0; n < COUNT_OF(methods); ++n) {
        sn_world *world = make_world(&methods[n], 10, methods[n].solver == SN_SOLVER_LAGRANGE ? 1 : 20, 9.81);
        bool gains = methods[n].integrator == SN_INTEGRATOR_FORWARD_EULER || methods[n].solver == SN_SOLVER_LAGRANGE;
        double allowed = methods[n].jacobi == SN_JACOBI_AVERAGED ? 8 : gains ? 2 : 0.3;
        double start = 0, most = 0, length[8] = {0};
        wrong_by(world, 0.2, SN_IMMOVABLE);
        for (uint32_t frame = 0; frame < support_long(60, 30); ++frame) {
            sn_report report;
            assert_ok(world, sn_world_step(world, real(FRAME)));
            assert_ok(world, sn_world_report(world, &report));
            start = frame ? start : report.kinetic + report.potential;
            most = fmax(most, report.kinetic + report.potential - start);
            for (uint32_t i = 0; i < 8; ++i) {
                double now = solver_distance(world, sn_particle_from_index(world, i),
                                             sn_particle_from_index(world, (i + 1) % 8));
                length[i] = frame ? length[i] : now;
                if (fabs(now - length[i]) > 0.01)
                    fail_msg("%s: %g m became %g", methods[n].name, length[i], now);
            }
        }
        if (most > allowed) /* J, of 80 that swing: symplectic Euler goes to and fro by 0.2 */
            fail_msg("%s gains %g J", methods[n].name, most);
        sn_world_destroy(world);
    }
}

/* ---- Edits and snapshots ------------------------------------------------------------------------------------------- */

/* What is made possible again holds again, and what is made impossible later on, too, is found. */
static void edits_are_followed(void **state)
{
    (void)state;
    sn_world *world = make_world(&methods[0], 10, 5, 0);
    sn_constraint longest = triangle_of(world, 3);
    support_run(world, 5, FRAME);
    sn_particle p[3] = {sn_particle_from_index(world, 0), sn_particle_from_index(world, 1),
                        sn_particle_from_index(world, 2)};
    sn_real rest = real(1.5);
    assert_ok(world, sn_constraint_set_param(world, longest, "rest", &rest, 1));
    support_run(world, 30, FRAME);
    assert_close(solver_distance(world, p[0], p[1]), 1.5, 1e-4);
    assert_close(solver_distance(world, p[1], p[2]), 1, 1e-4);
    warned[0] = 0;
    rest = 4;
    assert_ok(world, sn_constraint_set_param(world, longest, "rest", &rest, 1));
    support_run(world, 1, FRAME);
    assert_says(warned, "contradict each other");
    assert_close(solver_distance(world, p[0], p[1]), 4 - 2.0 / 3, 1e-2);
    assert_ok(world, sn_constraint_remove(world, longest));
    support_run(world, 30, FRAME);
    assert_close(solver_distance(world, p[1], p[2]), 1, 1e-4);
    assert_close(solver_distance(world, p[2], p[0]), 1, 1e-4);
    sn_world_destroy(world);
}

/* Saved before it was looked for, and after. */
static void snapshots_have_it(void **state)
{
    (void)state;
    for (uint32_t steps = 0; steps < 2; ++steps) {
        sn_world *world = make_world(&methods[0], 10, 1, 9.81);
        wrong_by(world, 0.2, SN_IMMOVABLE);
        support_run(world, steps, FRAME);
        sn_snapshot *snapshot = sn_world_save(world);
        assert_non_null(snapshot);
        support_run(world, 20, FRAME);
        uint64_t hash = sn_world_hash(world);
        assert_ok(world, sn_world_load(world, snapshot));
        support_run(world, 20, FRAME);
        assert_true(sn_world_hash(world) == hash);
        sn_snapshot_destroy(snapshot);
        sn_world_destroy(world);
    }
}

/* One pass of averages that goes too far is told of beforehand: it does not come to rest between two pins. */
static void too_much_relaxation_is_told(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 4; ++n) {
        sn_world_def def = sn_default_world_def();
        def.settings.solver = SN_SOLVER_JACOBI;
        def.settings.jacobi = SN_JACOBI_AVERAGED;
        def.settings.relaxation = real(n % 2 ? 1.4 : 1.3);
        def.settings.iterations = 1 + n / 2;
        def.log.write = keep_warning;
        warned[0] = 0;
        sn_world *world = support_world_from(&def);
        sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1);
        sn_constraint_add_pin_at(world, sn_at(p), vec(0, 0.5, 0));
        sn_constraint_add_pin_at(world, sn_at(p), vec(0.2, -0.5, 0));
        support_run(world, 10, FRAME);
        double off = support_gap(sn_particle_position(world, p), vec(0.1, 0, 0));
        assert_true(n == 1 ? off > 1 : off < 0.01);
        if (n == 1)
            assert_says(warned, "relaxation above 4/3");
        else
            assert_string_equal(warned, "");
        sn_world_destroy(world);
    }
}

/* ---- What does not contradict itself -------------------------------------------------------------------------------- */

/* Eight particles, all joined, far from where they belong, get there: lengths are theirs, not those of a compromise. */
static void a_bad_start_is_no_contradiction(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t n = 0; n < 20; ++n) {
        sn_world *world = make_world(&methods[0], 10, 10, 0);
        sn_vec3 home[6];
        for (uint32_t i = 0; i < 6; ++i) {
            home[i] = random_place(&seed);
            sn_vec3 off = random_place(&seed);
            sn_particle_add_at(
                world,
                vec((double)(home[i].x + off.x / 2), (double)(home[i].y + off.y / 2), (double)(home[i].z + off.z / 2)),
                1);
            for (uint32_t j = 0; j < i; ++j)
                sn_constraint_add_distance(world, sn_at(sn_particle_from_index(world, i)),
                                           sn_at(sn_particle_from_index(world, j)),
                                           real(support_gap(home[i], home[j])));
        }
        support_run(world, 1, FRAME);
        assert_string_equal(warned, "");
        sn_world_destroy(world);
    }
}

/* Flat, its spokes are too long; it bulges. */
static void what_bulges_is_no_contradiction(void **state)
{
    (void)state;
    sn_world *world = make_world(&methods[0], 10, 10, 9.81);
    static const double at[4][2] = {{-1, 0}, {0, -1}, {1, 0}, {0, 1}};
    sn_particle middle = sn_particle_add_at(world, vec(0, 0, 0), 1), rim[4];
    for (uint32_t i = 0; i < 4; ++i) {
        rim[i] = sn_particle_add_at(world, vec(at[i][0], 0, at[i][1]), 1);
        sn_constraint_add_distance(world, sn_at(middle), sn_at(rim[i]), real(1.2));
    }
    for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t j = 0; j < i; ++j)
            sn_constraint_add_distance(world, sn_at(rim[j]), sn_at(rim[i]), SN_MEASURE);
    support_run(world, 1, FRAME);
    assert_string_equal(warned, "");
    sn_world_destroy(world);
}

/* Two particles that are to be in one place, and are nearly, in a set that begins a little off: they have no size to be compared
   with, and what rounding leaves is no contradiction. */
static void what_has_no_size_is_no_contradiction(void **state)
{
    (void)state;
    sn_world *world = make_world(&methods[0], 10, 10, 0);
    sn_particle p[4] = {sn_particle_add_at(world, vec(3, 0, 0), 1), sn_particle_add_at(world, vec(4, 0, 0), 1),
                        sn_particle_add_at(world, vec(3.5, 0.8, 0), 1),
                        sn_particle_add_at(world, vec(3.5, 0.8000002, 0), 1)};
    sn_constraint_add_distance(world, sn_at(p[0]), sn_at(p[1]), real(1.01));
    sn_constraint_add_distance(world, sn_at(p[1]), sn_at(p[2]), SN_MEASURE);
    sn_constraint_add_distance(world, sn_at(p[3]), sn_at(p[0]), SN_MEASURE);
    sn_constraint_add_distance(world, sn_at(p[3]), sn_at(p[1]), SN_MEASURE);
    sn_constraint_add_distance(world, sn_at(p[2]), sn_at(p[3]), 0);
    support_run(world, 10, FRAME);
    assert_string_equal(warned, "");
    sn_world_destroy(world);
}

/* With gradients at the start, what begins so far off that rods turn over in a substep: it rests until they have a direction
   again. (Of 200, 30 were infinitely far away within two seconds.) */
static void a_bad_start_with_gradients_at_the_start(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (uint32_t n = 0; n < support_rounds(100, 30); ++n) {
        sn_world *world = make_world(&methods[1], 10, 1, 0);
        sn_vec3 home[4];
        for (uint32_t i = 0; i < 4; ++i) {
            home[i] = random_place(&seed);
            sn_vec3 at = random_place(&seed);
            sn_particle_add_at(world, at, 1);
            for (uint32_t j = 0; j < i; ++j)
                sn_constraint_add_distance(world, sn_at(sn_particle_from_index(world, i)),
                                           sn_at(sn_particle_from_index(world, j)),
                                           real(support_gap(home[i], home[j])));
        }
        support_run(world, 120, FRAME);
        assert_true(kinetic(world) < 1);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_comes_of_nothing),
        cmocka_unit_test(the_compromise_is_least_squares),
        cmocka_unit_test(it_is_told),
        cmocka_unit_test(a_compromise_swings),
        cmocka_unit_test(edits_are_followed),
        cmocka_unit_test(snapshots_have_it),
        cmocka_unit_test(too_much_relaxation_is_told),
        cmocka_unit_test(a_bad_start_is_no_contradiction),
        cmocka_unit_test(what_bulges_is_no_contradiction),
        cmocka_unit_test(what_has_no_size_is_no_contradiction),
        cmocka_unit_test(a_bad_start_with_gradients_at_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
