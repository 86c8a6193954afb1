/* Rows whose kind says what they mean: rates, bounds of the force, limits of C, in all combinations, one row and
   several, however many passes there are. The kinds are made up: a particle of 1 kg between the walls of a corridor,
   along x, and along x and y together. */
#include "support/support.h"

#include <math.h>

#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))

/* What the rows are asked for: read by the kind's function from its context. */
typedef struct request {
    sn_row row[2];
    double from; /* m: C is x - from, or y - from */
} request;

static bool eval_axes(const sn_eval_in *in, const sn_eval_out *out, uint32_t rows)
{
    const request *r = in->context;
    const sn_real x[2] = {in->x[0].x, in->x[0].y};
    for (uint32_t i = 0; i < rows; ++i) {
        out->c[i] = x[i] - real(r->from);
        out->gradient[i] = vec(i == 0, i == 1, 0);
        out->row[i] = r->row[i];
    }
    return true;
}

static bool eval_one(const sn_eval_in *in, const sn_eval_out *out)
{
    return eval_axes(in, out, 1);
}

/* The second row leans: both are about x. */
static bool eval_two(const sn_eval_in *in, const sn_eval_out *out)
{
    eval_axes(in, out, 2);
    out->c[1] = in->x[0].x * real(0.6) + in->x[0].y * real(0.8);
    out->gradient[1] = vec(0.6, 0.8, 0);
    return true;
}

typedef struct stage {
    sn_world *world;
    sn_particle particle;
    sn_constraint constraint;
    request ask;
} stage;

static void set(stage *s, uint32_t rows, sn_solver solver, uint32_t iterations, sn_vec3 at)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.solver = solver;
    def.settings.iterations = iterations;
    s->world = support_world_from(&def);
    sn_kind kind = {.name = "asked",
                    .points = 1,
                    .rows = rows,
                    .eval = rows == 1 ? eval_one : eval_two,
                    .own_rows = true,
                    .context = &s->ask};
    uint32_t number = sn_kind_register(s->world, &kind);
    assert_true(number != 0);
    s->particle = sn_particle_add_at(s->world, at, 1);
    sn_point point = sn_at(s->particle);
    sn_constraint_def constraint = sn_default_constraint_def(number);
    constraint.points = &point;
    assert_ok(s->world, sn_constraint_add(s->world, &constraint, &s->constraint));
}

/* Seconds under a force, in frames of 1/60 s; returns the largest x on the way. */
static double run(stage *s, double seconds, sn_vec3 force)
{
    double most = -(double)INFINITY;
    for (double t = 0; t < seconds - 1e-9; t += 1.0 / 60) {
        assert_ok(s->world, sn_particle_apply_force(s->world, s->particle, force));
        support_run(s->world, 1, 1.0 / 60);
        most = fmax(most, (double)sn_particle_position(s->world, s->particle).x);
    }
    return most;
}

static double x_of(const stage *s)
{
    return (double)sn_particle_position(s->world, s->particle).x;
}

static double v_of(const stage *s)
{
    return (double)sn_particle_velocity(s->world, s->particle).x;
}

static double force_of(const stage *s)
{
    return (double)sn_constraint_force(s->world, s->constraint).row[0];
}

static const sn_solver solvers[] = {SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_TILED, SN_SOLVER_JACOBI};

typedef void stage_test(stage *s);

/* With each solver, in one pass and in several. */
static void on_every_stage(uint32_t rows, sn_vec3 at, stage_test *test)
{
    for (size_t i = 0; i < COUNT_OF(solvers); ++i)
        for (uint32_t iterations = 1; iterations <= 7; iterations += 3) {
            stage s = {0};
            set(&s, rows, solvers[i], iterations, at);
            test(&s);
            sn_world_destroy(s.world);
        }
}

/* ---- One row ---------------------------------------------------------------------------------------------------- */

static void rests(stage *s)
{
    s->ask.row[0].type = SN_ROW_REST;
    run(s, 1, vec(1, 0, 0));
    assert_close(v_of(s), 1, 1e-4);
    assert_true(force_of(s) == 0);
}

static void keeps_a_rate(stage *s)
{
    s->ask.row[0] = (sn_row){.type = SN_ROW_RATE, .rate = 2};
    run(s, 1, vec(-3, 0, 0));
    assert_close(v_of(s), 2, EXACTNESS(1e-4, 1e-10));
    assert_close(force_of(s), 3, EXACTNESS(0.1, 1e-6));
    s->ask.row[0].most = 1; /* too little: what is left over of the force accelerates it */
    run(s, 1, vec(-3, 0, 0));
    assert_close(v_of(s), 0, 1e-3);
}

static void stands_by_friction(stage *s)
{
    s->ask.row[0] = (sn_row){.type = SN_ROW_RATE, .most = 1};
    run(s, 1, vec(0.9, 0, 0));
    assert_close(v_of(s), 0, EXACTNESS(1e-5, 1e-12));
    assert_close(force_of(s), -0.9, EXACTNESS(0.01, 1e-6));
    run(s, 1, vec(1.5, 0, 0));
    assert_close(v_of(s), 0.5, 1e-3);
    run(s, 0.25, vec(0, 0, 0));
    assert_close(v_of(s), 0.25, 2e-3);
    run(s, 1, vec(0, 0, 0));
    assert_close(v_of(s), 0, EXACTNESS(1e-5, 1e-12));
}

/* Between walls at 0 and 0.5: it runs into one, stays there, and leaves when it is pulled away. */
static void stays_between_limits(stage *s)
{
    s->ask.row[0] = (sn_row){.type = SN_ROW_REST, .low = 0, .high = real(0.5)};
    assert_true(run(s, 2, vec(1, 0, 0)) < 0.5 + 1e-5);
    assert_close(x_of(s), 0.5, 1e-5);
    assert_close(v_of(s), 0, 1e-4);
    assert_close(force_of(s), -1, EXACTNESS(0.05, 1e-6));
    run(s, 0.5, vec(-1, 0, 0));
    assert_close(v_of(s), -0.5, 2e-3);
    run(s, 2, vec(-1, 0, 0));
    assert_close(x_of(s), 0, 1e-5);
    assert_close(force_of(s), 1, EXACTNESS(0.05, 1e-6));
}

/* A motor that runs into a wall: the wall is the stronger one, by as much as it takes; whoever pushes. */
static void limits_beat_rates(stage *s)
{
    s->ask.row[0] = (sn_row){.type = SN_ROW_RATE, .rate = 1, .most = 2, .low = -1, .high = real(0.5)};
    assert_true(run(s, 2, vec(0, 0, 0)) < 0.5 + 1e-5);
    assert_close(x_of(s), 0.5, 1e-5);
    assert_close(v_of(s), 0, 1e-4);
    run(s, 1, vec(5, 0, 0));
    assert_close(x_of(s), 0.5, 1e-5);
    assert_close(force_of(s), -5, EXACTNESS(0.1, 1e-5));
    run(s, 2, vec(-5, 0, 0)); /* against the motor, which does what it can */
    assert_close(x_of(s), -1, 1e-5);
    assert_close(v_of(s), 0, 1e-4);
    assert_close(force_of(s), 5, EXACTNESS(0.1, 1e-5));
    run(s, 2, vec(0, 0, 0)); /* and takes it back */
    assert_close(x_of(s), 0.5, 1e-5);
}

/* The same of a soft spring towards 2, which is beyond the wall. */
static void limits_beat_springs(stage *s)
{
    s->ask.from = 2;
    s->ask.row[0] = (sn_row){.compliance = real(0.1), .damping = 10, .most = 50, .low = -3, .high = -1};
    assert_true(run(s, 3, vec(0, 0, 0)) < 1 + 1e-5);
    assert_close(x_of(s), 1, 1e-5);
    run(s, 8, vec(-20, 0, 0)); /* the spring alone: 2 - x = 2 */
    assert_close(x_of(s), 0, 2e-3);
    run(s, 4, vec(-70, 0, 0)); /* more than it may exert */
    assert_close(x_of(s), -1, 1e-5);
    assert_close(force_of(s), 70, EXACTNESS(1, 1e-3));
}

static void bounded_springs_slip(stage *s)
{
    s->ask.row[0] = (sn_row){.compliance = real(0.01), .damping = 20, .most = 4};
    run(s, 2, vec(3, 0, 0));
    assert_close(x_of(s), 0.03, 1e-4);
    assert_close(force_of(s), -3, 0.05);
    double before = v_of(s);
    run(s, 1, vec(6, 0, 0));
    assert_close(v_of(s) - before, 2, 0.1);
}

static void one_row(void **unused)
{
    (void)unused;
    static stage_test *const tests[] = {rests,
                                        keeps_a_rate,
                                        stands_by_friction,
                                        stays_between_limits,
                                        limits_beat_rates,
                                        limits_beat_springs,
                                        bounded_springs_slip};
    for (size_t i = 0; i < COUNT_OF(tests); ++i)
        on_every_stage(1, vec(0, 0, 0), tests[i]);
}

/* ---- Two rows that have to do with each other ------------------------------------------------------------------- */

/* x between limits while 0.6 x + 0.8 y is held: y goes where it must. */
static void limit_beside_equality(stage *s)
{
    s->ask.row[0] = (sn_row){.type = SN_ROW_REST, .low = -1, .high = real(0.5)};
    run(s, 4, vec(1, 0, 0));
    sn_vec3 x = sn_particle_position(s->world, s->particle);
    assert_close(x.x, 0.5, 1e-4);
    assert_close(x.y, -0.375, 1e-4);
    sn_force force = sn_constraint_force(s->world, s->constraint);
    assert_close(force.row[0], -1, EXACTNESS(0.05, 1e-5));
    assert_close(force.row[1], 0, EXACTNESS(0.05, 1e-5));
}

/* Friction along x of 1 N, while the other row carries what it has to. */
static void bound_beside_equality(stage *s)
{
    s->ask.row[0] = (sn_row){.type = SN_ROW_RATE, .most = 1};
    run(s, 1, vec(0, 5, 0)); /* the row across pushes it along x by 5 * 0.6 / 0.8, too much for friction */
    sn_vec3 v = sn_particle_velocity(s->world, s->particle);
    assert_close((double)v.x * 0.6 + (double)v.y * 0.8, 0, 1e-4);
    assert_close(v.x, -(3.75 - 1) * 0.64, 5e-3);
}

static void two_rows(void **unused)
{
    (void)unused;
    on_every_stage(2, vec(0, 0, 0), limit_beside_equality);
    on_every_stage(2, vec(0, 0, 0), bound_beside_equality);
}

/* Far from the origin, where positions have few digits, a rate is as good as velocities are. */
static void rates_far_away(void **unused)
{
    (void)unused;
    stage s = {0};
    set(&s, 1, SN_SOLVER_GAUSS_SEIDEL, 1, vec(500, 0, 0));
    s.ask.row[0] = (sn_row){.type = SN_ROW_RATE, .rate = real(0.1)};
    run(&s, 0.5, vec(3, 0, 0));
    double start = x_of(&s);
    for (int i = 0; i < 60; ++i) {
        run(&s, 1.0 / 60, vec(3, 0, 0));
        assert_close(v_of(&s), 0.1, EXACTNESS(1e-5, 1e-9));
    }
    assert_close(x_of(&s) - start, 0.1, EXACTNESS(2e-4, 1e-9));
    sn_world_destroy(s.world);
}

/* What is reported as missed: nothing of what may give way, but limits. */
static void reports_know_them(void **unused)
{
    (void)unused;
    stage s = {0};
    sn_report report;
    set(&s, 1, SN_SOLVER_GAUSS_SEIDEL, 0, vec(0.7, 0, 0)); /* no pass at all */
    s.ask.row[0] = (sn_row){.type = SN_ROW_REST};
    support_run(s.world, 1, 0.01);
    assert_ok(s.world, sn_world_report(s.world, &report));
    assert_true(sn_report_kind(&report, s.constraint.kind)->largest == 0);
    s.ask.row[0] = (sn_row){.type = SN_ROW_RATE, .rate = 1};
    assert_ok(s.world, sn_world_report(s.world, &report));
    assert_true(sn_report_kind(&report, s.constraint.kind)->largest == 0);
    s.ask.row[0] = (sn_row){.type = SN_ROW_REST, .low = -1, .high = real(0.5)};
    assert_ok(s.world, sn_world_report(s.world, &report));
    assert_close(sn_report_kind(&report, s.constraint.kind)->largest, 0.2, 1e-6);
    s.ask.row[0] = (sn_row){.compliance = real(0.1)};
    assert_ok(s.world, sn_world_report(s.world, &report));
    assert_close(report.elastic, 0.49 / 0.2, 1e-5);
    sn_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row),
        cmocka_unit_test(two_rows),
        cmocka_unit_test(rates_far_away),
        cmocka_unit_test(reports_know_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
