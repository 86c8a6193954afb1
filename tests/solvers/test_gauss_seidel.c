/* The cascade, in the orders of SN_SOLVER_GAUSS_SEIDEL and as SN_SOLVER_TILED plans it: orders, tolerance and N_MAX, and systems that have no solution or need none. */
#include "support/support.h"

#include <math.h>

#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))

static void configure(sn_world *world, int sweep, uint32_t iterations, double tolerance)
{
    sn_settings s = sn_world_settings(world);
    support_set_sweep(&s, sweep);
    s.iterations = iterations;
    s.tolerance = real(tolerance);
    assert_ok(world, sn_world_configure(world, &s));
}

static uint32_t passes_of(sn_world *world)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    return report.passes;
}

static double x_of(sn_world *world, sn_particle p)
{
    return (double)sn_particle_position(world, p).x;
}

/* ---- Orders, by hand -------------------------------------------------------------------------------------------- */

/* a is fixed at 0, b and c of 1 kg on the x axis, rods ab and bc of 1 m. */
typedef struct line {
    sn_world *world;
    sn_particle a, b, c;
} line;

static line line_of(double b, double c, bool far_rod_first)
{
    line l = {.world = support_void()};
    l.a = sn_particle_add_at(l.world, vec(0, 0, 0), SN_IMMOVABLE);
    l.b = sn_particle_add_at(l.world, vec(b, 0, 0), 1);
    l.c = sn_particle_add_at(l.world, vec(c, 0, 0), 1);
    if (far_rod_first)
        sn_constraint_add_distance(l.world, sn_at(l.b), sn_at(l.c), 1);
    sn_constraint_add_distance(l.world, sn_at(l.a), sn_at(l.b), 1);
    if (!far_rod_first)
        sn_constraint_add_distance(l.world, sn_at(l.b), sn_at(l.c), 1);
    return l;
}

static void check_line(line l, sn_order order, uint32_t iterations, double b, double c)
{
    configure(l.world, order, iterations, 0);
    assert_ok(l.world, sn_world_step(l.world, 1));
    assert_close(x_of(l.world, l.b), b, EXACTNESS(1e-6, 1e-14));
    assert_close(x_of(l.world, l.c), c, EXACTNESS(1e-6, 1e-14));
    sn_world_destroy(l.world);
}

/* From b = 1.2, c = 2.6: ab puts b to 1.0, bc then shares 0.6 between b and c. The other way round bc shares 0.4, and
   ab has the last word about b. */
static void cascade_follows_insertion(void **state)
{
    (void)state;
    check_line(line_of(1.2, 2.6, false), SN_ORDER_INSERTION, 1, 1.3, 2.3);
    check_line(line_of(1.2, 2.6, true), SN_ORDER_INSERTION, 1, 1.0, 2.4);
    check_line(line_of(1.2, 2.6, false), SN_ORDER_INSERTION, 2, 1.15, 2.15);
    check_line(line_of(1.2, 2.6, false), SN_ORDER_INSERTION, 0, 1.2, 2.6);
}

/* Forward ab, bc and back bc, ab: b = 1.3, c = 2.3, then b = 1.0. */
static void symmetric_comes_back(void **state)
{
    (void)state;
    check_line(line_of(1.2, 2.6, false), SN_ORDER_SYMMETRIC, 1, 1.0, 2.3);
    check_line(line_of(1.2, 2.6, true), SN_ORDER_SYMMETRIC, 1, 1.2, 2.2);
    check_line(line_of(1.2, 2.6, false), SN_ORDER_SYMMETRIC, 2, 1.0, 2.15);
}

/* From b = 1.2, c = 2.8 bc is the worse one and goes first, whichever was added first: b = 1.5, c = 2.5, then b = 1.0.
   From b = 1.9, c = 3.0 it is ab. */
static void worst_goes_first(void **state)
{
    (void)state;
    check_line(line_of(1.2, 2.8, false), SN_ORDER_WORST_FIRST, 1, 1.0, 2.5);
    check_line(line_of(1.2, 2.8, true), SN_ORDER_WORST_FIRST, 1, 1.0, 2.5);
    check_line(line_of(1.9, 3.0, false), SN_ORDER_WORST_FIRST, 1, 1.5, 2.5);
    check_line(line_of(1.9, 3.0, true), SN_ORDER_WORST_FIRST, 1, 1.5, 2.5);
}

/* ---- Orders, against a model ------------------------------------------------------------------------------------ */

enum { MODEL_RODS = 7 };

/* kg: different ones, or rods on both sides of one that was projected would be missed by the same, but for rounding. */
static double model_mass(uint32_t node)
{
    return 1 + 0.125 * node;
}

/* The cascade on a line of rods, in double: node i and i + 1 stay 1 m apart. */
static void model_project(double *x, uint32_t rod)
{
    double a = 1 / model_mass(rod), b = 1 / model_mass(rod + 1), missed = x[rod + 1] - x[rod] - 1;
    x[rod] += a / (a + b) * missed;
    x[rod + 1] -= b / (a + b) * missed;
}

/* As many projections as there are rods, each of the one that is then missed by most; but every fourth is for the worst of those
   that had no turn yet, whose bits are in `turn` from one pass to the next. */
static void model_worst_first(double *x, uint32_t *turn)
{
    for (uint32_t n = 1; n <= MODEL_RODS; ++n) {
        uint32_t worst = MODEL_RODS;
        double most = -1;
        if (n % 4 == 0 && *turn == 0)
            *turn = (1u << MODEL_RODS) - 1;
        for (uint32_t i = 0; i < MODEL_RODS; ++i) {
            double miss = fabs(x[i + 1] - x[i] - 1);
            if ((n % 4 || *turn >> i & 1) && miss > most) {
                most = miss;
                worst = i;
            }
        }
        model_project(x, worst);
        *turn &= ~(1u << worst);
    }
}

static void model_pass(sn_order order, double *x, uint32_t *turn)
{
    if (order == SN_ORDER_WORST_FIRST) {
        model_worst_first(x, turn);
        return;
    }
    for (uint32_t i = 0; i < MODEL_RODS; ++i)
        model_project(x, i);
    for (uint32_t i = MODEL_RODS; order == SN_ORDER_SYMMETRIC && i-- > 0;)
        model_project(x, i);
}

/* Several passes over a line of rods. */
static void orders_match_a_model(void **state)
{
    (void)state;
    static const sn_order orders[] = {SN_ORDER_INSERTION, SN_ORDER_SYMMETRIC, SN_ORDER_WORST_FIRST};
    uint64_t seed = 7;
    for (uint32_t n = 0; n < 60; ++n) {
        sn_order order = orders[n % 3];
        uint32_t passes = 1 + n % 5;
        double x[MODEL_RODS + 1];
        sn_particle p[MODEL_RODS + 1];
        sn_world *world = support_void();
        configure(world, order, passes, 0);
        for (uint32_t i = 0; i <= MODEL_RODS; ++i) {
            sn_real place = real(i + support_random_in(&seed, -0.4, 0.4));
            x[i] = (double)place;
            p[i] = sn_particle_add_at(world, vec(x[i], 0, 0), real(model_mass(i)));
            if (i > 0)
                sn_constraint_add_distance(world, sn_at(p[i - 1]), sn_at(p[i]), 1);
        }
        assert_ok(world, sn_world_step(world, 1));
        uint32_t turn = (1u << MODEL_RODS) - 1;
        for (uint32_t i = 0; i < passes; ++i)
            model_pass(order, x, &turn);
        for (uint32_t i = 0; i <= MODEL_RODS; ++i)
            assert_close(x_of(world, p[i]), x[i], EXACTNESS(5e-6, 1e-13));
        sn_world_destroy(world);
    }
}

/* ---- Worst first ------------------------------------------------------------------------------------------------ */

/* Residuals after so many passes. */
static double largest_after(sn_world *world, int sweep, uint32_t passes)
{
    sn_report report;
    configure(world, sweep, passes, 0);
    assert_ok(world, sn_world_step(world, real(1e-3)));
    assert_ok(world, sn_world_report(world, &report));
    double largest = 0;
    for (uint32_t i = 0; i < report.kind_count; ++i)
        largest = fmax(largest, report.kinds[i].largest);
    sn_world_destroy(world);
    return largest;
}

/* A rope of 100 links of 0.1 m that lies straight, but that its end was pulled by 5 cm. */
static sn_world *pulled_rope(void)
{
    enum { LINKS = 100 };
    sn_world *world = support_void();
    sn_particle last = {0, 0};
    for (uint32_t i = 0; i <= LINKS; ++i) {
        sn_particle p =
            sn_particle_add_at(world, vec(0.1 * i + (i == LINKS ? 0.05 : 0), 0, 0), i == 0 ? SN_IMMOVABLE : 1);
        if (i > 0)
            sn_constraint_add_distance(world, sn_at(last), sn_at(p), real(0.1));
        last = p;
    }
    return world;
}

/* Where an error is in one place, most of the other orders' projections find nothing to do. */
static void worst_first_goes_where_the_error_is(void **state)
{
    (void)state;
    double few = largest_after(pulled_rope(), SN_ORDER_WORST_FIRST, 6);
    assert_true(few < 5e-4);
    assert_true(largest_after(pulled_rope(), SN_ORDER_INSERTION, 20) > few);
    assert_true(largest_after(pulled_rope(), SN_ORDER_THERE_AND_BACK, 24) > few);
}

/* Two rods of different length between the same points, beside a rope that carries a load: they are always the worst, and leave
   the rope its share of the projections. One pass in a substep, so that there is no second one to help. */
static double stretch_beside(bool contradiction, sn_solver solver)
{
    enum { LINKS = 12 };
    sn_world_def def = sn_default_world_def();
    def.settings.solver = solver;
    def.settings.order = SN_ORDER_WORST_FIRST;
    sn_world *world = support_world_from(&def);
    sn_particle a = sn_particle_add_at(world, vec(5, 0, 0), 1), b = sn_particle_add_at(world, vec(6, 0, 0), 1);
    if (contradiction)
        sn_constraint_add_distance(world, sn_at(a), sn_at(b), real(0.5));
    sn_constraint_add_distance(world, sn_at(a), sn_at(b), real(1.5));
    sn_particle top = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE), end = top;
    for (uint32_t i = 1; i <= LINKS; ++i) {
        sn_particle p = sn_particle_add_at(world, vec(0, -0.1 * i, 0), 1);
        sn_constraint_add_distance(world, sn_at(end), sn_at(p), real(0.1));
        end = p;
    }
    support_run(world, 120, 1.0 / 60);
    double length = -(double)sn_particle_position(world, end).y;
    sn_world_destroy(world);
    return length / (0.1 * LINKS) - 1;
}

static void contradictions_starve_nobody(void **state)
{
    (void)state;
    static const sn_solver solvers[] = {SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_IMPULSES};
    for (size_t i = 0; i < COUNT_OF(solvers); ++i) {
        double alone = stretch_beside(false, solvers[i]), beside = stretch_beside(true, solvers[i]);
        assert_true(fabs(alone) < 0.002);
        assert_true(fabs(beside) < 0.03); /* it is -2.7, upside down, if the worst have all projections */
    }
}

/* What cannot be lowered: immovable points, stiffness 0, and k < 1, which is a share for each pass and no more. */
static void what_stays_missed_starves_nobody(void **state)
{
    (void)state;
    for (uint32_t passes = 1; passes <= 3; ++passes) {
        sn_world *world = support_void();
        configure(world, SN_ORDER_WORST_FIRST, passes, 0);
        sn_particle p[8];
        for (uint32_t i = 0; i < 8; ++i)
            p[i] = sn_particle_add_at(world, vec(3.0 * (i % 2), i / 2, 0), i < 2 ? SN_IMMOVABLE : 1);
        sn_constraint rod[4];
        for (uint32_t i = 0; i < 4; ++i)
            rod[i] = sn_constraint_add_distance(world, sn_at(p[2 * i]), sn_at(p[2 * i + 1]), i == 3 ? real(2.9) : 1);
        assert_ok(world, sn_constraint_set_stiffness(world, rod[1], 0));
        assert_ok(world, sn_constraint_set_stiffness(world, rod[2], real(0.5)));
        assert_ok(world, sn_world_step(world, real(1e-3)));
        static const double rest[] = {1, 1, 1, 2.9};
        double expected[] = {3, 3, 1 + 2 * pow(0.5, passes), 2.9};
        for (uint32_t i = 0; i < 4; ++i) {
            sn_real c;
            assert_ok(world, sn_constraint_value(world, rod[i], &c));
            assert_close((double)c + rest[i], expected[i], 1e-5);
        }
        sn_world_destroy(world);
    }
}

/* Equal residuals: the one that was added first. b is between two rods that are both 0.2 m too long, and has a turn twice. */
static void ties_go_by_number(void **state)
{
    (void)state;
    check_line(line_of(1.25, 2.5, false), SN_ORDER_WORST_FIRST, 1, 1.25,
               2.25); /* ab: b = 1.0, then bc, too long by 0.5 */
    check_line(line_of(1.25, 2.5, true), SN_ORDER_WORST_FIRST, 1, 1.0, 2.375); /* bc: b = 1.375, c = 2.375, then ab */
}

/* A motor asks for a speed, which no residual shows. */
static void motors_run_in_every_order(void **state)
{
    (void)state;
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
        sn_world *world = support_void();
        configure(world, sweep, 2, 0);
        sn_body wheel = sn_body_add_box(world, vec(0, 0, 0), vec(0.5, 0.1, 0.1), 1000);
        sn_joint_def hinge = sn_default_joint_def(SN_KIND_JOINT_HINGE);
        hinge.b = wheel;
        hinge.axis = vec(0, 0, 1);
        hinge.speed = 2;
        hinge.speed_most = 1000;
        sn_constraint joint = sn_joint_add(world, &hinge);
        support_run(world, 60, 1.0 / 60);
        assert_close((double)sn_body_spin(world, wheel).z, 2, 1e-3);
        assert_close((double)sn_joint_angle(world, joint), 2, 0.05);
        sn_world_destroy(world);
    }
}

/* ---- When to stop ----------------------------------------------------------------------------------------------- */

/* A rope of rods, pulled out of shape. */
static sn_world *crooked_rope(void)
{
    sn_world *world = support_void();
    uint64_t seed = 11;
    sn_particle last = {0, 0};
    for (uint32_t i = 0; i < 10; ++i) {
        sn_vec3 x = vec(i, support_random_in(&seed, -0.2, 0.2), support_random_in(&seed, -0.2, 0.2));
        sn_particle p = sn_particle_add_at(world, x, i == 0 ? SN_IMMOVABLE : 1);
        if (i > 0)
            sn_constraint_add_distance(world, sn_at(last), sn_at(p), 1);
        last = p;
    }
    return world;
}

/* Without a tolerance every pass is made, in every substep; a symmetric pass counts once. */
static void all_passes_without_tolerance(void **state)
{
    (void)state;
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
        sn_world *world = crooked_rope();
        configure(world, sweep, 7, 0);
        sn_settings s = sn_world_settings(world);
        s.substeps = 3;
        assert_ok(world, sn_world_configure(world, &s));
        assert_ok(world, sn_world_step(world, real(0.01)));
        assert_int_equal(passes_of(world), 21);
        sn_world_destroy(world);
    }
}

/* With one, passes end when the largest residual of a pass is below it, and no later; N_MAX has the last word. */
static void check_tolerance(int sweep)
{
    static const double tolerances[] = {1e-2, 1e-3, 1e-4};
    uint32_t last = 0;
    for (size_t i = 0; i < COUNT_OF(tolerances); ++i) {
        sn_world *world = crooked_rope();
        sn_report report;
        configure(world, sweep, 1000, tolerances[i]);
        assert_ok(world, sn_world_step(world, 1));
        uint32_t passes = passes_of(world);
        assert_true(passes > last && passes < 1000);
        last = passes;
        assert_ok(world, sn_world_report(world, &report));
        assert_int_equal(report.kind_count, 1);
        assert_true(report.kinds[0].largest < 3 * tolerances[i]); /* m, where the gradient of a rod has length sqrt 2 */
        sn_world_destroy(world);

        world = crooked_rope(); /* one pass fewer than needed is all there are */
        configure(world, sweep, passes - 1, tolerances[i]);
        assert_ok(world, sn_world_step(world, 1));
        assert_int_equal(passes_of(world), passes - 1);
        sn_world_destroy(world);
    }
}

static void tolerance_ends_the_passes(void **state)
{
    (void)state;
    check_tolerance(SN_ORDER_INSERTION);
    check_tolerance(SUPPORT_TILED);
}

/* What is satisfied already takes one pass to find out. */
static void satisfied_takes_one_pass(void **state)
{
    (void)state;
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
        line l = line_of(1, 2, false);
        configure(l.world, sweep, 50, 1e-4);
        assert_ok(l.world, sn_world_step(l.world, 1));
        assert_int_equal(passes_of(l.world), 1);
        sn_world_destroy(l.world);
    }
}

/* ---- Contradictions --------------------------------------------------------------------------------------------- */

/* Two pins a metre apart for one particle: it stays between them, under gravity as well. */
static void two_pins_for_one_particle(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 2 * SUPPORT_SWEEPS; ++n) {
        sn_world *world = support_world();
        configure(world, (int)(n % SUPPORT_SWEEPS), n < SUPPORT_SWEEPS ? 1 : 10, 0);
        sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1);
        sn_constraint_add_pin_at(world, sn_at(p), vec(-0.5, 0, 0));
        sn_constraint_add_pin_at(world, sn_at(p), vec(0.5, 0, 0));
        for (uint32_t frame = 0; frame < 600; ++frame) {
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
            assert_true(support_gap(sn_particle_position(world, p), vec(0, 0, 0)) < 0.5001);
        }
        sn_world_destroy(world);
    }
}

/* ---- Redundancy and degeneracy ---------------------------------------------------------------------------------- */

/* A rod that is there three times is one rod, to round-off. */
static void check_duplicates(int sweep)
{
    sn_world *world[2];
    for (uint32_t n = 0; n < 2; ++n) {
        world[n] = support_world();
        configure(world[n], sweep, 1, 0);
        sn_particle a = sn_particle_add_at(world[n], vec(0, 0, 0), SN_IMMOVABLE);
        sn_particle b = sn_particle_add_at(world[n], vec(1, 0.5, 0), 1);
        for (uint32_t i = 0; i < (n ? 3 : 1); ++i)
            sn_constraint_add_distance(world[n], sn_at(a), sn_at(b), 1);
        support_run(world[n], 60, 1.0 / 60);
    }
    assert_vec_close(sn_particle_position(world[0], sn_particle_from_index(world[0], 1)),
                     sn_particle_position(world[1], sn_particle_from_index(world[1], 1)), EXACTNESS(1e-4, 1e-12));
    sn_world_destroy(world[0]);
    sn_world_destroy(world[1]);
}

static void duplicates_change_nothing(void **state)
{
    (void)state;
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep)
        check_duplicates(sweep);
}

/* Rigid constraints between immovable particles cannot do anything, and say so by a force of zero. */
static void immovable_ends_rest(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
    sn_particle b = sn_particle_add_at(world, vec(3, 0, 0), SN_IMMOVABLE);
    sn_constraint c[] = {sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1),
                         sn_constraint_add_attachment(world, sn_at(a), sn_at(b)),
                         sn_constraint_add_pin_at(world, sn_at(a), vec(9, 9, 9)),
                         sn_constraint_add_half_space(world, sn_at(b), vec(0, 5, 0), vec(0, 1, 0))};
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
        configure(world, sweep, 5, 1e-6);
        support_run(world, 5, 0.01);
        assert_vec_same(sn_particle_position(world, a), vec(0, 0, 0));
        assert_vec_same(sn_particle_position(world, b), vec(3, 0, 0));
        for (size_t i = 0; i < COUNT_OF(c); ++i)
            assert_true(sn_constraint_force(world, c[i]).magnitude == 0);
    }
    sn_world_destroy(world);
}

/* What nothing can change is not waited for: a rigid rod that is violated for good does not keep the passes from
   ending, next to one that they satisfy. */
static void tolerance_ignores_what_cannot_move(void **state)
{
    (void)state;
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
        line l = line_of(1, 2, false);
        sn_particle far = sn_particle_add_at(l.world, vec(5, 0, 0), SN_IMMOVABLE);
        sn_constraint_add_distance(l.world, sn_at(l.a), sn_at(far), 1);
        sn_constraint_add_attachment(l.world, sn_at(l.a), sn_at(far));
        sn_constraint_add_half_space(l.world, sn_at(far), vec(0, 5, 0), vec(0, 1, 0));
        configure(l.world, sweep, 50, 1e-4);
        assert_ok(l.world, sn_world_step(l.world, 1));
        assert_int_equal(passes_of(l.world), 1);
        sn_report report; /* the report names it all the same */
        assert_ok(l.world, sn_world_report(l.world, &report));
        assert_close(sn_report_kind(&report, SN_KIND_DISTANCE)->largest, 4, 1e-5);
        sn_world_destroy(l.world);
    }
}

/* A soft rod between immovable particles is a spring that is held stretched: it pulls with C / compliance. */
static void soft_rods_between_immovable_ends_pull(void **state)
{
    (void)state;
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
        sn_world *world = support_void();
        configure(world, sweep, 5, 0);
        sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
        sn_particle b = sn_particle_add_at(world, vec(3, 0, 0), SN_IMMOVABLE);
        sn_constraint rod = sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1);
        sn_constraint rope = sn_constraint_add_distance_max(world, sn_at(a), sn_at(b), real(2.5));
        sn_constraint prop = sn_constraint_add_distance_min(world, sn_at(a), sn_at(b), 2);
        sn_constraint joint = sn_constraint_add_attachment(world, sn_at(a), sn_at(b));
        sn_constraint all[] = {rod, rope, prop, joint};
        for (size_t i = 0; i < COUNT_OF(all); ++i)
            assert_ok(world, sn_constraint_set_material(world, all[i], (sn_material){real(0.5), 0}));
        support_run(world, 3, 0.01);
        assert_close(sn_constraint_force(world, rod).row[0], -4, 1e-4);
        assert_vec_close(sn_constraint_force_on(world, rod, 0), vec(4, 0, 0), 1e-4);
        assert_vec_close(sn_constraint_force_on(world, rod, 1), vec(-4, 0, 0), 1e-4);
        assert_close(sn_constraint_force(world, rope).row[0], 1, 1e-4);
        assert_true(sn_constraint_force(world, prop).magnitude == 0);
        assert_vec_close(sn_constraint_force_on(world, joint, 0), vec(6, 0, 0), 1e-4);
        assert_vec_same(sn_particle_position(world, b), vec(3, 0, 0));
        sn_world_destroy(world);
    }
}

/* Two points in one place that shall be in one place have no direction and need none: the rod rests, C reads as NaN,
   and once something else moves the points apart it works again. */
static void check_coincident_points_rest(int sweep)
{
    sn_world *world = support_void();
    configure(world, sweep, 1, 0);
    sn_particle a = sn_particle_add_at(world, vec(1, 1, 1), 1), b = sn_particle_add_at(world, vec(1, 1, 1), 1);
    sn_constraint rod = sn_constraint_add_distance(world, sn_at(a), sn_at(b), 0);
    sn_constraint rope = sn_constraint_add_distance_max(world, sn_at(a), sn_at(b), 2);
    sn_real c = 0, slack = 0;
    support_run(world, 3, 0.01);
    assert_vec_same(sn_particle_position(world, a), vec(1, 1, 1));
    assert_vec_same(sn_particle_position(world, b), vec(1, 1, 1));
    assert_ok(world, sn_constraint_value(world, rod, &c));
    assert_ok(world, sn_constraint_value(world, rope, &slack));
    assert_true(isnan(c) && isnan(slack));
    assert_ok(world, sn_particle_set_position(world, b, vec(1, 1.5, 1)));
    assert_ok(world, sn_world_step(world, 1));
    assert_vec_close(sn_particle_position(world, a), vec(1, 1.25, 1), 1e-5);
    assert_vec_close(sn_particle_position(world, b), vec(1, 1.25, 1), 1e-5);
    sn_world_destroy(world);
}

static void coincident_points_rest(void **state)
{
    (void)state;
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep)
        check_coincident_points_rest(sweep);
}

/* Those that shall be apart part along x, by their masses, rather than stay collapsed for ever. */
static void coincident_points_part(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3 * SUPPORT_SWEEPS; ++i) {
        uint32_t n = i % 3;
        sn_world *world = support_void();
        configure(world, (int)(i / 3), 1, 0);
        sn_particle a = sn_particle_add_at(world, vec(1, 1, 1), 1), b = sn_particle_add_at(world, vec(1, 1, 1), 3);
        sn_constraint c = n == 0   ? sn_constraint_add_distance(world, sn_at(a), sn_at(b), 2)
                          : n == 1 ? sn_constraint_add_distance_min(world, sn_at(a), sn_at(b), 2)
                                   : sn_constraint_add_distance_band(world, sn_at(a), sn_at(b), 2, 5);
        sn_real value[SN_MAX_ROWS] = {0};
        assert_ok(world, sn_constraint_value(world, c, value));
        assert_close(value[0], -2, 0);
        assert_ok(world, sn_world_step(world, 1));
        assert_vec_close(sn_particle_position(world, a), vec(2.5, 1, 1), EXACTNESS(1e-6, 1e-14));
        assert_vec_close(sn_particle_position(world, b), vec(0.5, 1, 1), EXACTNESS(1e-6, 1e-14));
        sn_world_destroy(world);
    }
}

/* ---- The box of four particles and six rods --------------------------------------------------------------------- */

static const double box_corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};

static double box_strain(sn_world *world)
{
    double worst = 0;
    for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t j = 0; j < i; ++j) {
            double rest = hypot(box_corner[i][0] - box_corner[j][0], box_corner[i][1] - box_corner[j][1]);
            sn_vec3 a = sn_particle_position(world, sn_particle_from_index(world, i));
            sn_vec3 b = sn_particle_position(world, sn_particle_from_index(world, j));
            worst = fmax(worst, fabs(support_gap(a, b) / rest - 1));
        }
    return worst;
}

/* Rigid objects as emerging behaviour (lecture 003): thrown and spinning, the box falls, lands on the ground, tumbles,
   and stays the box it is; its turns add up to more than one. */
static void tumbling_box_stays_rigid(void **state)
{
    (void)state;
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
        sn_world *world = support_world_2d();
        configure(world, sweep, 10, 0);
        for (uint32_t i = 0; i < 4; ++i) {
            double x = box_corner[i][0], y = box_corner[i][1];
            sn_particle p = sn_particle_add_at(world, vec(x, y + 3, 0), 1);
            assert_ok(world, sn_particle_set_velocity(world, p, vec(1 - 6 * (y - 0.5), 6 * (x - 0.5), 0)));
            for (uint32_t j = 0; j < i; ++j)
                sn_constraint_add_distance(world, sn_at(sn_particle_from_index(world, j)), sn_at(p), SN_MEASURE);
            sn_constraint_add_half_space(world, sn_at(p), vec(0, 0, 0), vec(0, 1, 0));
        }
        double turned = 0, angle = 0;
        for (uint32_t frame = 0; frame < 300; ++frame) {
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
            assert_true(box_strain(world) < 5e-3);
            sn_vec3 a = sn_particle_position(world, sn_particle_from_index(world, 0));
            sn_vec3 b = sn_particle_position(world, sn_particle_from_index(world, 1));
            double now = atan2((double)b.y - (double)a.y, (double)b.x - (double)a.x);
            turned += remainder(now - angle, 2 * acos(-1));
            angle = now;
            assert_true(a.z == 0 && a.y > real(-1e-2));
        }
        assert_true(turned > 3);
        sn_world_destroy(world);
    }
}

/* ---- Stiffness corrected for the number of passes --------------------------------------------------------------- */

/* What is left of a stretch of 1 m after a step with stiffness k. Damping this strong forgets velocities between
   substeps, so that only projections count. */
static double left_after(int sweep, double k, bool correct, uint32_t iterations, uint32_t substeps)
{
    sn_world *world = support_void();
    sn_settings s = sn_world_settings(world);
    support_set_sweep(&s, sweep);
    s.iterations = iterations;
    s.substeps = substeps;
    s.correct_stiffness = correct;
    s.damping = real(1e6);
    assert_ok(world, sn_world_configure(world, &s));
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 1), b = sn_particle_add_at(world, vec(2, 0, 0), 3);
    sn_constraint rod = sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1);
    assert_ok(world, sn_constraint_set_stiffness(world, rod, real(k)));
    assert_ok(world, sn_world_step(world, 1));
    sn_real c;
    assert_ok(world, sn_constraint_value(world, rod, &c));
    sn_world_destroy(world);
    return (double)c;
}

/* n passes with k leave (1 - k)^n; with k' = 1 - (1 - k)^(1/n) they leave 1 - k (Mueller et al. 2007). */
static void corrected_stiffness_is_independent_of_passes(void **state)
{
    (void)state;
    static const uint32_t passes[][2] = {{1, 1}, {2, 1}, {10, 1}, {1, 10}, {4, 5}, {50, 1}};
    static const double stiffness[] = {0, 0.1, 0.5, 0.9, 1};
    for (size_t i = 0; i < COUNT_OF(passes); ++i)
        for (size_t j = 0; j < COUNT_OF(stiffness); ++j) {
            int sweep = (i + j) % 2 ? SUPPORT_TILED : SN_ORDER_THERE_AND_BACK;
            double k = stiffness[j], n = passes[i][0] * passes[i][1];
            assert_close(left_after(sweep, k, true, passes[i][0], passes[i][1]), 1 - k, EXACTNESS(2e-5, 1e-12));
            assert_close(left_after(sweep, k, false, passes[i][0], passes[i][1]), pow(1 - k, n),
                         EXACTNESS(2e-5, 1e-12));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cascade_follows_insertion),
        cmocka_unit_test(symmetric_comes_back),
        cmocka_unit_test(worst_goes_first),
        cmocka_unit_test(worst_first_goes_where_the_error_is),
        cmocka_unit_test(contradictions_starve_nobody),
        cmocka_unit_test(what_stays_missed_starves_nobody),
        cmocka_unit_test(ties_go_by_number),
        cmocka_unit_test(motors_run_in_every_order),
        cmocka_unit_test(orders_match_a_model),
        cmocka_unit_test(all_passes_without_tolerance),
        cmocka_unit_test(tolerance_ends_the_passes),
        cmocka_unit_test(satisfied_takes_one_pass),
        cmocka_unit_test(two_pins_for_one_particle),
        cmocka_unit_test(duplicates_change_nothing),
        cmocka_unit_test(immovable_ends_rest),
        cmocka_unit_test(tolerance_ignores_what_cannot_move),
        cmocka_unit_test(soft_rods_between_immovable_ends_pull),
        cmocka_unit_test(coincident_points_rest),
        cmocka_unit_test(coincident_points_part),
        cmocka_unit_test(tumbling_box_stays_rigid),
        cmocka_unit_test(corrected_stiffness_is_independent_of_passes),
    };
    return cmocka_run_group_tests_name("Gauss-Seidel", tests, NULL, NULL);
}
