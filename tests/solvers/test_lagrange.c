/* Constraint forces: the lecture's formulas, the equations against dense ones, motion against closed forms, and
   everything that must not upset them. */
#include "solver_cases.h"

#include "solvers/system.h"
#include "world/substep.h"

#define G  9.81
#define PI 3.14159265358979323846

static const sn_integrator second_order[] = {SN_INTEGRATOR_LEAPFROG, SN_INTEGRATOR_VERLET};

static void by_forces(sn_settings *s)
{
    s->solver = SN_SOLVER_LAGRANGE;
}

static void by_forces_leapfrog(sn_settings *s)
{
    s->solver = SN_SOLVER_LAGRANGE;
    s->integrator = SN_INTEGRATOR_LEAPFROG;
}

static void by_forces_verlet(sn_settings *s)
{
    s->solver = SN_SOLVER_LAGRANGE;
    s->integrator = SN_INTEGRATOR_VERLET;
}

static void by_least_squares(sn_settings *s)
{
    s->solver = SN_SOLVER_LAGRANGE;
    s->linear = SN_LINEAR_LEAST_SQUARES;
}

static solver_setup *const setups[] = {by_forces, by_forces_leapfrog, by_forces_verlet, by_least_squares};

static solver_setup *setup_of(sn_integrator integrator)
{
    return integrator == SN_INTEGRATOR_LEAPFROG ? by_forces_leapfrog : by_forces_verlet;
}

/* ---- The lecture's point on a circle ----------------------------------------------------------------------------- */

/* C = (x . x - 1) / 2 */
static bool eval_circle(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 x = in->x[0];
    out->c[0] = (x.x * x.x + x.y * x.y + x.z * x.z - 1) / 2;
    out->gradient[0] = x;
    return true;
}

static const sn_kind circle_kind = {.name = "test_circle",
                                    .formula = "C = (x . x - 1) / 2",
                                    .unit = "m^2",
                                    .points = 1,
                                    .rows = 1,
                                    .eval = eval_circle};

/* A particle of 2 kg on the unit circle in a plane without gravity, at that angle with that speed, under a force. What
   kind holds it is the caller's. */
static sn_particle on_unit_circle(sn_world *world, double angle, double speed, sn_vec3 force)
{
    solver_set_gravity(world, vec(0, 0, 0));
    sn_particle p = sn_particle_add_at(world, vec(cos(angle), sin(angle), 0), 2);
    assert_ok(world, sn_particle_set_velocity(world, p, vec(-speed * sin(angle), speed * cos(angle), 0)));
    assert_ok(world, sn_particle_apply_force(world, p, force));
    return p;
}

static sn_world *plane_world(solver_setup *setup)
{
    sn_world_def def = sn_default_world_def();
    def.dimensions = 2;
    def.settings.substeps = 1;
    setup(&def.settings);
    return support_world_from(&def);
}

/* lambda = -(f . x + m v . v) / (x . x) at legal states, and v gains nothing along itself. */
static void test_the_point_on_a_circle(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t i = 0; i < 200; ++i) {
        double angle = support_random_in(&seed, -4, 4), speed = support_random_in(&seed, -3, 3), h = 1e-3;
        sn_vec3 f = vec(support_random_in(&seed, -5, 5), support_random_in(&seed, -5, 5), 0);
        if (i % 4 == 0)
            f = vec(0, 0, 0);
        sn_world *world = plane_world(i % 2 ? by_forces : by_least_squares);
        uint32_t kind = sn_kind_register(world, &circle_kind);
        sn_particle p = on_unit_circle(world, angle, speed, f);
        sn_constraint c;
        sn_point point = sn_at(p);
        sn_constraint_def def = sn_default_constraint_def(kind);
        def.points = &point;
        assert_ok(world, sn_constraint_add(world, &def, &c));
        sn_vec3 x = sn_particle_position(world, p), v = sn_particle_velocity(world, p);
        assert_ok(world, sn_world_step(world, real(h)));
        double xx = (double)x.x * (double)x.x + (double)x.y * (double)x.y;
        double vv = (double)v.x * (double)v.x + (double)v.y * (double)v.y;
        double fx = (double)f.x * (double)x.x + (double)f.y * (double)x.y;
        double lambda = -(fx + 2 * vv) / xx, got = (double)sn_constraint_force(world, c).row[0];
        /* what rounding leaves of C and of its rate is an error of that size, times the gains */
        assert_close(got, lambda, EXACTNESS(0.03, 1e-9));
        if (i % 4 == 0) {
            sn_vec3 w = sn_particle_velocity(world, p);
            double gained = ((double)w.x - (double)v.x) * (double)v.x + ((double)w.y - (double)v.y) * (double)v.y;
            assert_close(gained / h, 0, EXACTNESS(0.02, 1e-9));
        }
        sn_world_destroy(world);
    }
}

/* The built-in kind has another C and exerts the same force. */
static void test_on_circle_exerts_the_same(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (uint32_t i = 0; i < 50; ++i) {
        double angle = support_random_in(&seed, -4, 4), speed = support_random_in(&seed, -3, 3);
        sn_vec3 f = vec(support_random_in(&seed, -5, 5), support_random_in(&seed, -5, 5), 0);
        sn_world *world = plane_world(by_forces);
        sn_particle p = on_unit_circle(world, angle, speed, f);
        sn_constraint c = sn_constraint_add_on_circle(world, sn_at(p), vec(0, 0, 0), vec(0, 0, 1), 1);
        double push = (double)f.x * cos(angle) + (double)f.y * sin(angle) + 2 * speed * speed;
        assert_ok(world, sn_world_step(world, real(1e-3)));
        /* here J' v is a difference over the substep: of second order */
        assert_close(sn_constraint_force(world, c).magnitude, fabs(push), EXACTNESS(0.03, 1e-4));
        sn_world_destroy(world);
    }
}

/* ---- The equations ----------------------------------------------------------------------------------------------- */

/* A world with everything in it that is moving and falls apart a little. */
static sn_world *busy_world(uint32_t dimensions)
{
    sn_world_def def = sn_default_world_def();
    uint64_t seed = 77;
    def.dimensions = dimensions;
    sn_world *world = support_world_from(&def);
    zoo_without_projections(world);
    support_run(world, 3, FRAME);
    for (uint32_t i = 0; i < SUPPORT_ZOO_PARTICLES; ++i) {
        sn_particle p = sn_particle_from_index(world, i);
        sn_vec3 v = vec(support_random_in(&seed, -1, 1), support_random_in(&seed, -1, 1),
                        dimensions == 2 ? 0 : support_random_in(&seed, -1, 1));
        assert_ok(world, sn_particle_set_velocity(world, p, v));
        assert_ok(world, sn_particle_apply_force(world, p, vec((double)v.y, (double)v.x, 0)));
    }
    return world;
}

static sn_system_in equations_of(sn_world *world, double h)
{
    return (sn_system_in){.store = &world->constraints,
                          .frame = sn_world_frame(world),
                          .v = world->particles.v,
                          .f = world->particles.force,
                          .gravity = world->state.settings.gravity,
                          .h = h,
                          .node_count = world->particles.table.count};
}

static sn_system build(sn_world *world, double h)
{
    sn_system system;
    sn_system_block fault;
    sn_system_in in = equations_of(world, h);
    sn_system_init(&system);
    assert_true(sn_system_reserve(&system, &sn_default_allocator, in.store, in.node_count));
    assert_true(sn_system_build(&system, &in, &fault));
    return system;
}

/* The gradient of an equation by all coordinates, evaluated anew. */
static void dense_row(sn_world *world, const sn_system_block *at, uint32_t r, double *row)
{
    sn_frame frame = sn_world_frame(world);
    sn_block block;
    sn_block_room room;
    memset(row, 0, 3 * SUPPORT_ZOO_PARTICLES * sizeof(*row));
    assert_true(evaluate(&world->constraints, world->constraints.pool[at->kind], at->row, &frame, &block, &room));
    for (uint32_t i = 0; i < block.count; ++i) {
        sn_vec3 g = block.gradient[r * block.count + i];
        double *to = row + 3 * block.slot[i];
        to[0] += (double)g.x;
        to[1] += (double)g.y;
        to[2] += (double)g.z;
    }
}

/* Two bodies that spin and fly freely, with a torque on one of them, and a constraint between them that nobody enforces. */
static sn_world *free_bodies(uint32_t kind, sn_body *body, sn_constraint *c)
{
    sn_world_def def = sn_default_world_def();
    def.settings.integrator = SN_INTEGRATOR_LEAPFROG;
    def.settings.solver = SN_SOLVER_GAUSS_SEIDEL;
    def.settings.substeps = 4;
    def.settings.iterations = 0;
    sn_world *world = support_world_from(&def);
    for (uint32_t i = 0; i < 2; ++i) {
        body[i] = sn_body_add_box(world, vec(1.2 * i, 0.1, 0), vec(0.5, 0.2, 0.1 + 0.2 * i), 100);
        assert_ok(world, sn_body_set_velocity(world, body[i], vec(0.1, 0.2 - i, 0.4), vec(1 + i, 2, -1.5 + i)));
    }
    if (kind == SN_KIND_ATTACHMENT)
        *c = sn_constraint_add_attachment(world, sn_on_body(body[0], vec(0.6, 0.1, 0.1)),
                                          sn_on_body(body[1], vec(-0.6, 0.1, 0)));
    else if (kind == SN_KIND_PIN)
        *c = sn_constraint_add_attachment(world, sn_at_place(vec(0.6, 0, 0)), sn_on_body(body[1], vec(-0.6, 0.1, 0)));
    else if (kind == SN_KIND_DISTANCE)
        *c = sn_constraint_add_distance(world, sn_on_body(body[0], vec(0, 0.2, 0.1)),
                                        sn_on_body(body[1], vec(0.1, 0, 0.2)), 1);
    else
        *c = sn_joint_add_hinge(world, body[0], body[1], vec(0.6, 0.1, 0), vec(0.2, 0.3, 1));
    assert_true(sn_constraint_is_valid(world, *c));
    return world;
}

/* C'' of the only constraint between two bodies, as equations have it. */
static void predict_curve(sn_world *world, double h, uint32_t rows, double *out)
{
    const sn_vec3 f[4] = {{0, 0, 0}};
    sn_system_in in = equations_of(world, h);
    sn_system s;
    sn_system_block fault;
    sn_turns_lay_out(world);
    in.f = f;
    in.node_count = 4;
    sn_system_init(&s);
    assert_true(sn_system_reserve(&s, &sn_default_allocator, in.store, in.node_count));
    assert_true(sn_system_build(&s, &in, &fault));
    assert_int_equal(s.row_table.count, rows);
    for (uint32_t r = 0; r < rows; ++r)
        out[r] = s.curve[r] + s.pull[r];
    sn_system_release(&s, &sn_default_allocator);
}

/* C'' = (dJ/dt) v + J a of bodies, gyroscopic terms included, against C of free flight at three moments. */
static void test_bodies_in_flight(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {SN_KIND_ATTACHMENT, SN_KIND_PIN, SN_KIND_DISTANCE, SN_KIND_JOINT_HINGE};
    const double h = EXACTNESS(1e-2, 1e-3);
    for (uint32_t k = 0; k < COUNT_OF(kinds); ++k) {
        sn_body body[2];
        sn_constraint c;
        sn_world *world = free_bodies(kinds[k], body, &c);
        sn_real value[3][SN_MAX_ROWS];
        double predicted[SN_MAX_ROWS];
        uint32_t rows = sn_kind_info(world, c.kind)->rows;
        for (uint32_t i = 0; i < 3; ++i) {
            assert_ok(world, sn_body_apply_torque(world, body[0], vec(20, -30, 10)));
            if (i == 2)
                predict_curve(world, h, rows, predicted);
            support_run(world, 1, h);
            assert_ok(world, sn_constraint_value(world, c, value[i]));
        }
        for (uint32_t r = 0; r < rows; ++r) {
            double found = ((double)value[2][r] - 2 * (double)value[1][r] + (double)value[0][r]) / (h * h);
            if (!(fabs(found - predicted[r]) < EXACTNESS(0.1, 1e-3) * (1 + fabs(found))))
                fail_msg("%s, row %u: C'' is %g, not %g", sn_kind_info(world, c.kind)->name, r, found, predicted[r]);
        }
        sn_world_destroy(world);
    }
}

/* All rows of all kinds: J W J^T y by scattering and gathering is that by dense rows, and J v and J a are. */
static void test_products_are_those_of_dense_matrices(void **state)
{
    (void)state;
    enum { WIDE = 3 * SUPPORT_ZOO_PARTICLES };
    for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
        sn_world *world = busy_world(dimensions);
        sn_system s = build(world, 1e-3);
        uint32_t rows = s.row_table.count;
        uint64_t seed = 5;
        assert_true(rows > 100);
        double *j = malloc((size_t)rows * WIDE * sizeof(*j)), *y = malloc(2 * rows * sizeof(*y)), *out = y + rows;
        double sum[WIDE] = {0};
        assert_non_null(j);
        assert_non_null(y);
        for (uint32_t b = 0; b < s.block_table.count; ++b)
            for (uint32_t r = 0; r < s.block[b].rows; ++r)
                dense_row(world, &s.block[b], r, j + (size_t)(s.block[b].first + r) * WIDE);
        for (uint32_t e = 0; e < rows; ++e) {
            y[e] = support_random_in(&seed, -1, 1);
            s.scale[e] = support_random_in(&seed, 0.5, 1);
            s.give[e] = support_random_in(&seed, 0, 1);
            for (uint32_t k = 0; k < WIDE; ++k)
                sum[k] += j[(size_t)e * WIDE + k] * s.scale[e] * y[e];
        }
        sn_system_product(&s, y, out);
        for (uint32_t e = 0; e < rows; ++e) {
            double product = s.give[e] * s.scale[e] * y[e], mobility = 0, rate = 0, pull = 0, size = 1;
            for (uint32_t k = 0; k < WIDE; ++k) {
                double g = j[(size_t)e * WIDE + k], w = (double)world->particles.x[k / 3].w;
                const sn_real *v = &world->particles.v[k / 3].x, *f = &world->particles.force[k / 3].x;
                product += g * w * sum[k];
                mobility += g * w * g;
                rate += g * (double)v[k % 3];
                pull += w == 0 ? 0 : g * ((k % 3 == 1 ? -G : 0) + w * (double)f[k % 3]);
                size += fabs(g) * (1 + fabs(w * sum[k]) + G);
            }
            assert_close(out[e], s.scale[e] * product, 1e-11 * size);
            assert_close(s.mobility[e], mobility, 1e-11 * size * size);
            assert_close(s.rate[e], rate, EXACTNESS(1e-6, 1e-13) * size);
            assert_close(s.pull[e], pull, EXACTNESS(1e-6, 1e-13) * size);
        }
        free(j);
        free(y);
        sn_system_release(&s, &sn_default_allocator);
        sn_world_destroy(world);
    }
}

/* (dJ/dt) v is the change of J v along the motion, for every row that is smooth: differences over two spans, the
   shorter of which is taken for the truth. */
static void test_the_change_of_gradients(void **state)
{
    (void)state;
    for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
        sn_world *world = busy_world(dimensions);
        double fine = EXACTNESS(2e-3, 1e-5), coarse = EXACTNESS(4e-3, 1e-4);
        sn_system a = build(world, fine), b = build(world, coarse);
        uint32_t close = 0, large = 0;
        for (uint32_t e = 0; e < a.row_table.count; ++e) {
            double size = 0.05 + fabs(a.curve[e]) + fabs(a.rate[e]);
            assert_true(isfinite(a.curve[e]));
            close += fabs(a.curve[e] - b.curve[e]) < EXACTNESS(0.05, 1e-3) * size;
            large += fabs(a.curve[e]) > 0.1;
        }
        assert_true(close > 0.95 * a.row_table.count); /* the others are at a corner of a box or a polyline */
        assert_true(large > a.row_table.count / 50);
        sn_system_release(&a, &sn_default_allocator);
        sn_system_release(&b, &sn_default_allocator);
        sn_world_destroy(world);
    }
}

/* For a rod that is known: |v across|^2 / length, also far away. */
static void test_the_change_of_a_rod(void **state)
{
    (void)state;
    sn_world *world = support_void();
    double far = EXACTNESS(1e3, 1e6);
    sn_particle a = sn_particle_add_at(world, vec(far, far, -far), 1),
                b = sn_particle_add_at(world, vec(far + 2, far, -far), 3);
    assert_ok(world, sn_particle_set_velocity(world, a, vec(20, 0, 5)));
    assert_ok(world, sn_particle_set_velocity(world, b, vec(20, 3, 5)));
    sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE);
    sn_system s = build(world, 1.0 / 600);
    assert_close(s.curve[0], 4.5, EXACTNESS(2e-3, 1e-4));
    assert_close(s.rate[0], 0, 1e-12);
    sn_system_release(&s, &sn_default_allocator);
    sn_world_destroy(world);
}

/* ---- Pendulums --------------------------------------------------------------------------------------------------- */

typedef struct pendulum {
    sn_world *world;
    sn_particle hook, bob;
    sn_constraint rod;
} pendulum;

static pendulum make_pendulum(solver_setup *setup, double degrees)
{
    pendulum p = {.world = solver_world(setup, 1, 1)};
    double angle = degrees * PI / 180;
    p.hook = sn_particle_add_at(p.world, vec(0, 0, 0), SN_IMMOVABLE);
    p.bob = sn_particle_add_at(p.world, vec(sin(angle), -cos(angle), 0), 1);
    p.rod = sn_constraint_add_distance(p.world, sn_at(p.hook), sn_at(p.bob), 1);
    return p;
}

static double pendulum_energy(const pendulum *p)
{
    double v = solver_speed(p->world, p->bob);
    return v * v / 2 + G * (double)sn_particle_position(p->world, p->bob).y;
}

static double pendulum_period(pendulum p, uint32_t n)
{
    double h = 1.0 / n, first = 0, before = (double)sn_particle_position(p.world, p.bob).x;
    for (uint32_t step = 0, crossings = 0;; ++step) {
        support_run(p.world, 1, h);
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

/* Row 5: within 0.02 % from any angle, and of second order. */
static void test_periods(void **state)
{
    (void)state;
    static const double swing[][2] = {{1, 2.00610}, {60, 2.1528747}, {90, 2.3678419}, {150, 3.5350982}};
    for (size_t k = 0; k < COUNT_OF(second_order); ++k)
        for (size_t i = 0; i < COUNT_OF(swing); ++i) {
            double period = pendulum_period(make_pendulum(setup_of(second_order[k]), swing[i][0]), 600);
            print_message("row 5, %s, from %g degrees: %.6f s, off by %.1e\n", k ? "verlet" : "leapfrog", swing[i][0],
                          period, fabs(period / swing[i][1] - 1));
            assert_close(period, swing[i][1], 2e-4 * swing[i][1]);
        }
}

/* Row 6 and beyond: energy over 10^5 steps at 1/600, or a part of them, and the rod keeps its length. */
static void test_energy_of_a_pendulum(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(second_order); ++k) {
        pendulum p = make_pendulum(setup_of(second_order[k]), 90);
        double worst = 0, rod = 0, early = 0;
        const uint32_t steps = support_long(100000, 25000);
        for (uint32_t i = 1; i <= steps; ++i) {
            support_run(p.world, 1, 1.0 / 600);
            worst = fmax(worst, fabs(pendulum_energy(&p)) / G);
            rod = fmax(rod, fabs(solver_distance(p.world, p.hook, p.bob) - 1));
            if (i == 3120)
                early = fabs(pendulum_energy(&p)) / G;
        }
        print_message("row 6, %s: %.1e after 5.2 s, at most %.1e in %u steps; rod off by %.1e m\n",
                      k ? "verlet" : "leapfrog", early, worst, steps, rod);
        assert_true(early < 5e-4);
        assert_true(worst < 5e-3);
        assert_true(rod < 1e-5);
        sn_world_destroy(p.world);
    }
}

/* Row 7: three times the weight at the bottom. */
static void test_force_at_the_bottom(void **state)
{
    (void)state;
    enum { N = 6000, WINDOW = N / 100 };
    for (size_t k = 0; k < COUNT_OF(second_order); ++k) {
        pendulum p = make_pendulum(setup_of(second_order[k]), 90);
        double force[2 * WINDOW + 1], sum = 0;
        uint32_t step = 0, bottom = UINT32_MAX;
        for (; bottom == UINT32_MAX || step <= bottom + WINDOW; ++step) {
            support_run(p.world, 1, 1.0 / N);
            force[step % COUNT_OF(force)] = -(double)sn_constraint_force(p.world, p.rod).row[0];
            if (bottom == UINT32_MAX && sn_particle_position(p.world, p.bob).x < 0)
                bottom = step;
        }
        for (size_t i = 0; i < COUNT_OF(force); ++i)
            sum += force[i] / COUNT_OF(force);
        print_message("row 7, %s: %.4f N\n", k ? "verlet" : "leapfrog", sum);
        assert_close(sum, 3 * G, 0.01 * 3 * G);
        sn_world_destroy(p.world);
    }
}

/* Row 8. */
static void test_double_pendulum(void **state)
{
    (void)state;
    static const double tip[2][2] = {{1.47346567, -1.20038944}, {-1.44481885, -1.32179446}};
    for (size_t k = 0; k < COUNT_OF(second_order); ++k) {
        solver_chain c = chain_in(solver_world(setup_of(second_order[k]), 10, 1), 2, 1, 1, 0);
        for (uint32_t half = 0; half < 2; ++half) {
            support_run(c.world, 30, FRAME);
            sn_vec3 x = sn_particle_position(c.world, c.node[2]);
            double error = hypot((double)x.x - tip[half][0], (double)x.y - tip[half][1]);
            print_message("row 8, %s: off by %.1e m\n", k ? "verlet" : "leapfrog", error);
            assert_true(error < 1e-4);
        }
        sn_world_destroy(c.world);
    }
}

/* The error of a double pendulum falls a hundredfold when h falls tenfold. */
static void test_second_order(void **state)
{
    (void)state;
    double error[2];
    if (sizeof(sn_real) == sizeof(float))
        skip();
    for (size_t k = 0; k < COUNT_OF(second_order); ++k) {
        for (uint32_t i = 0; i < 2; ++i) {
            solver_chain c = chain_in(solver_world(setup_of(second_order[k]), i ? 40 : 4, 1), 2, 1, 1, 0);
            support_run(c.world, 30, FRAME);
            error[i] = support_gap(sn_particle_position(c.world, c.node[2]), vec(1.47346567, -1.20038944, 0));
            sn_world_destroy(c.world);
        }
        assert_true(error[0] > 40 * error[1]);
    }
}

/* ---- Chains ------------------------------------------------------------------------------------------------------ */

static void hang_on_springs(sn_settings *s)
{
    by_forces_leapfrog(s);
    s->damping = 1;
}

/* Row 4: C = -compliance * force, however many substeps. */
static void test_hanging_springs(void **state)
{
    (void)state;
    static const uint32_t substeps[] = {1, 10, 50};
    for (size_t n = 0; n < support_long(COUNT_OF(substeps), 2); ++n) {
        sn_world *world = solver_world(hang_on_springs, substeps[n], 1);
        sn_particle node[11];
        double worst = 0, total = 0;
        for (uint32_t i = 0; i <= 10; ++i) {
            node[i] = sn_particle_add_at(world, vec(0, -0.1 * i, 0), i ? real(0.1) : SN_IMMOVABLE);
            if (i == 0)
                continue;
            sn_constraint c = sn_constraint_add_distance(world, sn_at(node[i - 1]), sn_at(node[i]), real(0.1));
            assert_ok(world, sn_constraint_set_material(world, c, (sn_material){real(1e-3), 0}));
        }
        support_run(world, support_long(3600, 1200), FRAME);
        for (uint32_t i = 1; i <= 10; ++i) {
            double stretch = solver_distance(world, node[i - 1], node[i]) - 0.1;
            total += stretch;
            worst = fmax(worst, fabs(stretch / ((11 - i) * 0.1 * G / 1000) - 1));
        }
        print_message("row 4, %u substeps: links off by %.1e, total %.7f m\n", substeps[n], worst, total);
        assert_true(worst < EXACTNESS(2e-3, 1e-3));
        sn_world_destroy(world);
    }
}

/* Row 9. */
static void test_catenary(void **state)
{
    (void)state;
    static const double sag[][2] = {{2, 0.798273}, {1.5, 0.503447}, {1.2, 0.292721}};
    for (size_t n = 0; n < support_long(COUNT_OF(sag), 1); ++n) {
        sn_world *world = solver_world(hang_on_springs, 10, 1);
        sn_particle node[21];
        double depth = sqrt(sag[n][0] * sag[n][0] - 1) / 2;
        for (uint32_t i = 0; i <= 20; ++i) {
            double t = i / 20.0;
            node[i] =
                sn_particle_add_at(world, vec(t, -depth * (1 - fabs(2 * t - 1)), 0), i % 20 ? real(0.1) : SN_IMMOVABLE);
            if (i > 0)
                sn_constraint_add_distance(world, sn_at(node[i - 1]), sn_at(node[i]), real(sag[n][0] / 20));
        }
        support_run(world, support_long(1800, 900), FRAME);
        double got = -(double)sn_particle_position(world, node[10]).y;
        print_message("row 9, length %g m: sag %.6f m, off by %.1e\n", sag[n][0], got, fabs(got / sag[n][1] - 1));
        assert_close(got, sag[n][1], 0.005 * sag[n][1]);
        sn_world_destroy(world);
    }
}

/* Row 18: momenta stay, with every integrator that conserves them. */
static void test_momenta(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(setups); ++k) {
        sn_world *world = tumbling_rods(setups[k], 1);
        momenta before = momenta_of(world, 5);
        support_run(world, 1000, 1.0 / 600);
        momenta after = momenta_of(world, 5);
        print_message("row 18, setup %zu: linear %.1e, angular %.1e\n", k, linear_drift(&before, &after),
                      angular_drift(&before, &after));
        assert_true(linear_drift(&before, &after) < EXACTNESS(1e-5, 1e-9));
        assert_true(angular_drift(&before, &after) < EXACTNESS(2e-5, 1e-9));
        sn_world_destroy(world);
    }
}

/* A rope of a thousand links with a bob up to a thousand times heavier, hanging and struck. Explicit integrators need a
   substep below sqrt(m l / tension), or the rope shakes itself to pieces sideways: 1/1400 s here. */
static void test_long_rope(void **state)
{
    (void)state;
    enum { LINKS = 1000 };
    static const double bob[] = {100, 1000, 1};
    for (size_t n = 0; n < support_long(COUNT_OF(bob), 1); ++n) {
        sn_world *world = solver_world(by_forces_leapfrog, 40, 1);
        sn_particle node[LINKS + 1];
        double worst = 0;
        for (uint32_t i = 0; i <= LINKS; ++i) {
            double mass = i == LINKS ? bob[n] : 1;
            node[i] = sn_particle_add_at(world, vec(0, -0.01 * i, 0), i ? real(mass) : SN_IMMOVABLE);
            if (i > 0)
                sn_constraint_add_distance(world, sn_at(node[i - 1]), sn_at(node[i]), real(0.01));
        }
        assert_ok(world, sn_particle_apply_impulse(world, node[LINKS / 2], vec(1, 0, 0)));
        assert_ok(world, sn_particle_apply_impulse(world, node[LINKS], vec(bob[n], 0, 0)));
        support_run(world, support_long(10, 5), FRAME);
        for (uint32_t i = 0; i < LINKS; ++i)
            worst = fmax(worst, fabs(solver_distance(world, node[i], node[i + 1]) / 0.01 - 1));
        print_message("rope of %d links, bob %g times heavier: stretch %.1e\n", LINKS, bob[n], worst);
        assert_true(worst < 1e-3);
        sn_world_destroy(world);
    }
}

/* Trees are solved at once, or with everything else as the lecture does: the same motion. */
static void test_linear_solvers_agree(void **state)
{
    (void)state;
    sn_vec3 end[2][2];
    for (uint32_t k = 0; k < 2; ++k) {
        sn_world *world = solver_world(k ? by_least_squares : by_forces, 10, 1);
        solver_chain c = chain_in(world, 8, 0.1, 0.3, 0); /* a tree */
        sn_particle body[4];                              /* and a net of rods */
        for (uint32_t i = 0; i < 4; ++i) {
            body[i] = sn_particle_add_at(world, vec(3 + i % 2, i / 2, 0.1 * i), real(1 + i));
            for (uint32_t j = 0; j < i; ++j)
                sn_constraint_add_distance(world, sn_at(body[j]), sn_at(body[i]), SN_MEASURE);
        }
        sn_constraint_add_pin(world, body[0]);
        support_run(world, 30, FRAME);
        end[k][0] = sn_particle_position(world, c.node[8]);
        end[k][1] = sn_particle_position(world, body[3]);
        sn_world_destroy(world);
    }
    assert_vec_close(end[0][0], end[1][0], EXACTNESS(1e-3, 1e-4));
    assert_vec_close(end[0][1], end[1][1], EXACTNESS(1e-4, 1e-6));
}

/* ---- Give -------------------------------------------------------------------------------------------------------- */

/* 1 kg on a spring of 100 N/m and 1 m, released at 2 m without gravity. */
static sn_world *oscillator(double compliance, double damping, uint32_t substeps, sn_particle *mass)
{
    sn_world *world = solver_world(by_forces_leapfrog, substeps, 1);
    solver_set_gravity(world, vec(0, 0, 0));
    sn_particle hook = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
    *mass = sn_particle_add_at(world, vec(2, 0, 0), 1);
    sn_constraint c = sn_constraint_add_distance(world, sn_at(hook), sn_at(*mass), 1);
    assert_ok(world, sn_constraint_set_material(world, c, (sn_material){real(compliance), real(damping)}));
    return world;
}

/* x = 1 + e^(-b t / 2) (cos w t + b / 2w sin w t), w^2 = k - b^2 / 4: after a second, damped by anything up to nearly
   critically. */
static void test_damped_oscillator(void **state)
{
    (void)state;
    static const double damping[] = {0, 0.5, 2, 10, 18};
    for (size_t i = 0; i < COUNT_OF(damping); ++i) {
        sn_particle p;
        double b = damping[i], w = sqrt(100 - b * b / 4), before = 0;
        for (uint32_t substeps = 10; substeps <= 40; substeps *= 4) {
            double worst = 0;
            sn_world *world = oscillator(0.01, b, substeps, &p);
            for (uint32_t frame = 1; frame <= 60; ++frame) {
                double t = frame / 60.0, exact = 1 + exp(-b * t / 2) * (cos(w * t) + b / (2 * w) * sin(w * t));
                support_run(world, 1, FRAME);
                worst = fmax(worst, fabs((double)sn_particle_position(world, p).x - exact));
            }
            sn_world_destroy(world);
            assert_true(worst < (substeps == 10 ? 1e-2 : 1e-3));
            if (substeps > 10)
                assert_true(worst < before / 10); /* second order */
            before = worst;
        }
    }
}

/* Springs and dampers of every strength: never faster than they were, and the stiff ones come to rest. */
static void test_stiff_springs_do_not_explode(void **state)
{
    (void)state;
    for (double compliance = 1e-12; compliance < 1e12; compliance *= 100)
        for (double damping = 0; damping <= 1e10; damping = damping == 0 ? 1e-2 : 1e3 * damping) {
            sn_particle p;
            sn_world *world = oscillator(compliance, damping, 1, &p);
            for (uint32_t i = 0; i < 240; ++i) {
                support_run(world, 1, FRAME);
                double x = (double)sn_particle_position(world, p).x;
                if (!(fabs(x - 1) < 1.2))
                    fail_msg("compliance %g, damping %g: at %g m", compliance, damping, x);
            }
            sn_world_destroy(world);
        }
}

/* Many stiff springs on a light hub, each of which knows nothing of the others. */
static void test_many_springs_on_a_hub(void **state)
{
    (void)state;
    for (double compliance = 1e-8; compliance < 1; compliance *= 10) {
        sn_world *world = solver_world(by_forces_leapfrog, 1, 1);
        sn_particle hub = sn_particle_add_at(world, vec(0.05, 0.03, 0), real(0.001));
        for (uint32_t i = 0; i < 50; ++i) {
            double angle = 2 * PI * i / 50;
            sn_particle p = sn_particle_add_at(world, vec(cos(angle), sin(angle), 0), SN_IMMOVABLE);
            sn_constraint c = sn_constraint_add_distance(world, sn_at(p), sn_at(hub), 1);
            assert_ok(world, sn_constraint_set_material(world, c, (sn_material){real(compliance), 0}));
        }
        for (uint32_t i = 0; i < 300; ++i) {
            support_run(world, 1, FRAME);
            assert_bounded(world, 1, 1.5, 50);
        }
        sn_world_destroy(world);
    }
}

/* The classic stiffness: a rod under a weight is longer by (1 / k - 1) g T^2, and with 0 it is none. */
static void test_classic_stiffness(void **state)
{
    (void)state;
    static const double stiffness[] = {1, 0.5, 0.1, 0};
    for (size_t i = 0; i < COUNT_OF(stiffness); ++i) {
        pendulum p = make_pendulum(by_forces, 0);
        double k = stiffness[i], t = 4 * FRAME;
        assert_ok(p.world, sn_constraint_set_stiffness(p.world, p.rod, real(k)));
        support_run(p.world, k > 0 ? 600 : 60, FRAME);
        double longer = solver_distance(p.world, p.hook, p.bob) - 1;
        if (k > 0)
            assert_close(longer, (1 / k - 1) * G * t * t, 1e-4 + 0.1 * longer * longer);
        else
            assert_true(longer > 4.8);
        sn_world_destroy(p.world);
    }
}

/* ---- Errors die out ---------------------------------------------------------------------------------------------- */

static void drift_slowly(sn_settings *s)
{
    by_forces(s);
    s->drift_time = real(0.1);
}

static void drift_too_fast(sn_settings *s)
{
    by_forces(s);
    s->drift_time = real(1e-9);
}

/* C = (1 + t / T) e^(-t / T) of what it was, critically damped, with the T that was asked for. */
static void test_errors_decay(void **state)
{
    (void)state;
    pendulum p = make_pendulum(drift_slowly, 90);
    solver_set_gravity(p.world, vec(0, 0, 0));
    assert_ok(p.world, sn_particle_set_position(p.world, p.bob, vec(1.001, 0, 0)));
    for (uint32_t i = 1; i <= 600; ++i) {
        support_run(p.world, 1, 1.0 / 1000);
        double t = i / 1000.0 / 0.1, expected = 1e-3 * (1 + t) * exp(-t);
        assert_close(solver_distance(p.world, p.hook, p.bob) - 1, expected, 1e-5);
    }
    sn_world_destroy(p.world);
    p = make_pendulum(drift_too_fast, 90); /* T is at least two substeps */
    support_run(p.world, 6000, 1.0 / 600);
    assert_close(solver_distance(p.world, p.hook, p.bob), 1, 1e-3);
    sn_world_destroy(p.world);
}

/* What C'' = -k_s C - k_d C' makes of C = c and C' = u after t seconds. */
static double error_after(double k_s, double k_d, double c, double u, double t)
{
    double a = k_d / 2, w2 = k_s - a * a, w = sqrt(fabs(w2)), b = u + a * c;
    if (w2 > 0)
        return exp(-a * t) * (c * cos(w * t) + b / w * sin(w * t));
    return exp(-a * t) * (w > 0 ? c * cosh(w * t) + b / w * sinh(w * t) : c + b * t);
}

static void set_gains(sn_world *world, double k_s, double k_d)
{
    sn_settings s = sn_world_settings(world);
    s.k_s = real(k_s);
    s.k_d = real(k_d);
    assert_ok(world, sn_world_configure(world, &s));
}

/* k_s and k_d are independent. A rod that is 2 mm too long, and becomes 1 cm longer each second: with 0 and 0 it goes on like
   that; a damper alone stops it, and leaves it too long; a spring alone makes it swing; -1 is what drift_time says. */
static void test_gains_of_the_lecture(void **state)
{
    (void)state;
    static const double gain[][2] = {{0, 0}, {0, 20}, {400, 0}, {400, 5}, {400, 100}, {-1, 0}, {0, -1}, {-1, -1}};
    for (size_t i = 0; i < 4 * COUNT_OF(gain); ++i) {
        pendulum p = make_pendulum(setups[i % 4], 90);
        double k_s = gain[i / 4][0], k_d = gain[i / 4][1], c = 0.002, u = 0.01;
        solver_set_gravity(p.world, vec(0, 0, 0));
        sn_settings s = sn_world_settings(p.world);
        s.drift_time = real(0.1);
        assert_ok(p.world, sn_world_configure(p.world, &s));
        set_gains(p.world, k_s, k_d);
        assert_ok(p.world, sn_particle_set_position(p.world, p.bob, vec(1 + c, 0, 0)));
        assert_ok(p.world, sn_particle_set_velocity(p.world, p.bob, vec(u, 0, 0)));
        for (uint32_t n = 1; n <= 500; ++n) {
            support_run(p.world, 1, 1e-3);
            double expected = error_after(k_s < 0 ? 100 : k_s, k_d < 0 ? 20 : k_d, c, u, n * 1e-3);
            assert_close(solver_distance(p.world, p.hook, p.bob) - 1, expected, 3e-5);
        }
        sn_world_destroy(p.world);
    }
}

/* By how much the rod of a pendulum is too long after so many seconds. */
static double drift_after(double seconds, double k_s, double k_d)
{
    pendulum p = make_pendulum(by_forces, 90);
    set_gains(p.world, k_s, k_d);
    support_run(p.world, (uint32_t)(seconds * 600), 1.0 / 600);
    double longer = solver_distance(p.world, p.hook, p.bob) - 1;
    sn_world_destroy(p.world);
    return longer;
}

/* Why there is anti-drift at all: C'' = 0 adds up what each substep gets wrong. */
static void test_without_gains_errors_add_up(void **state)
{
    (void)state;
    double kept = fabs(drift_after(8, -1, -1)), last = kept;
    for (double t = 2; t <= 8; t += 2) {
        double now = drift_after(t, 0, 0);
        assert_true(now > last);
        last = now;
    }
    assert_true(last > 100 * kept);
}

/* What is no drift does not depend on the gains: ground stops a ball, and a spring is as long as ever. */
static void test_gains_are_of_rigid_equalities(void **state)
{
    (void)state;
    sn_world *world = solver_world(by_forces, 10, 1);
    set_gains(world, 0, 0);
    sn_particle ball = sn_particle_add_at(world, vec(0, 0.5, 0), 1);
    sn_constraint_add_half_space(world, sn_at(ball), vec(0, 0, 0), vec(0, 1, 0));
    sn_particle hook = sn_particle_add_at(world, vec(2, 0, 0), SN_IMMOVABLE),
                bob = sn_particle_add_at(world, vec(2, -1, 0), 2);
    sn_constraint spring = sn_constraint_add_distance(world, sn_at(hook), sn_at(bob), 1);
    assert_ok(world, sn_constraint_set_material(world, spring, (sn_material){real(1e-3), real(50)}));
    support_run(world, 300, FRAME);
    assert_close((double)sn_particle_position(world, ball).y, 0, 1e-3);
    assert_close(solver_distance(world, hook, bob), 1 + 2 * G * 1e-3, 1e-3);
    sn_world_destroy(world);
}

/* More than two substeps allow is not taken: an explicit integrator would make the error grow. */
static void test_gains_too_large(void **state)
{
    (void)state;
    assert_close(drift_after(10, 1e12, 1e12), 0, 1e-3);
    assert_close(drift_after(10, -1, 1e12), 0, 1e-3);
}

/* A cloth with both diagonals has more rods than coordinates, and starts flat, where none of them can hold it. */
static void test_an_over_determined_cloth(void **state)
{
    (void)state;
    enum { SIDE = 6 };
    sn_world *world = solver_world(by_forces_leapfrog, 10, 1);
    sn_particle p[SIDE * SIDE];
    for (uint32_t i = 0; i < SIDE * SIDE; ++i)
        p[i] = sn_particle_add_at(world, vec(0.1 * (i % SIDE), 0, 0.1 * (i / SIDE)),
                                  i == 0 || i == SIDE - 1 ? SN_IMMOVABLE : real(0.1));
    static const uint32_t step[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, SIDE}};
    for (uint32_t i = 0; i < SIDE * SIDE; ++i)
        for (uint32_t k = 0; k < 4; ++k) {
            uint32_t across = k == 3 ? i - 1 : i + step[k][0], row = k == 0 ? 0 : 1;
            bool fits = k == 3 ? i % SIDE > 0 : i % SIDE + step[k][0] < SIDE;
            if (fits && across + row * SIDE < SIDE * SIDE)
                sn_constraint_add_distance(world, sn_at(p[i]), sn_at(p[across + row * SIDE]), SN_MEASURE);
        }
    for (uint32_t i = 0; i < support_long(90, 25); ++i) {
        support_run(world, 1, FRAME);
        assert_bounded(world, SIDE * SIDE, 1.5, 60);
    }
    sn_world_destroy(world);
}

/* ---- Inequalities ------------------------------------------------------------------------------------------------ */

/* A ball stops within a few T, passes the plane by less than T |v| / e and a bit, and rests; the plane never pulls. */
static void test_a_ball_falls_on_a_plane(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(setups); ++k)
        for (uint32_t substeps = 1; substeps <= 20; substeps *= 20) {
            sn_world *world = solver_world(setups[k], substeps, 1);
            sn_particle p = sn_particle_add_at(world, vec(0, 1, 0), 2);
            sn_constraint c = sn_constraint_add_half_space(world, sn_at(p), vec(0, 0, 0), vec(0, 1, 0));
            double lowest = 0, highest = 0, t = 4 * FRAME / substeps, speed = sqrt(2 * G);
            for (uint32_t i = 0; i < 180; ++i) {
                support_run(world, 1, FRAME);
                double y = (double)sn_particle_position(world, p).y;
                lowest = fmin(lowest, y);
                if (i > 30)
                    highest = fmax(highest, y);
                assert_true(sn_constraint_force(world, c).row[0] >= 0);
            }
            assert_true(lowest > -1.2 * speed * t / exp(1));
            assert_true(highest < 1e-3);
            assert_close(sn_particle_position(world, p).y, 0, 1e-5);
            assert_close(sn_constraint_force(world, c).row[0], 2 * G, 0.01);
            sn_world_destroy(world);
        }
}

/* Lifted, it leaves without sticking. */
static void test_a_ball_is_let_go(void **state)
{
    (void)state;
    sn_world *world = solver_world(by_forces_leapfrog, 10, 1);
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1);
    sn_constraint_add_half_space(world, sn_at(p), vec(0, 0, 0), vec(0, 1, 0));
    support_run(world, 30, FRAME);
    assert_ok(world, sn_particle_set_velocity(world, p, vec(0, 3, 0)));
    support_run(world, 18, FRAME);
    assert_close(sn_particle_position(world, p).y, 3 * 0.3 - G * 0.09 / 2, 1e-4);
    sn_world_destroy(world);
}

/* Balls on balls on a plane: each carries those above it. The plane is there twice. */
static void test_a_pile(void **state)
{
    (void)state;
    enum { BALLS = 5 };
    sn_world *world = solver_world(by_forces_leapfrog, 10, 1);
    sn_particle ball[BALLS];
    sn_constraint below[BALLS], again = {0, 0, 0};
    for (uint32_t i = 0; i < BALLS; ++i) {
        ball[i] = sn_particle_add_at(world, vec(0, 0.02 + 0.21 * i, 0), 1);
        below[i] = i ? sn_constraint_add_distance_min(world, sn_at(ball[i - 1]), sn_at(ball[i]), real(0.2))
                     : sn_constraint_add_half_space(world, sn_at(ball[0]), vec(0, 0, 0), vec(0, 1, 0));
        if (i == 0)
            again = sn_constraint_add_half_space(world, sn_at(ball[0]), vec(0, 0, 0), vec(0, 1, 0));
    }
    support_run(world, 300, FRAME);
    for (uint32_t i = 0; i < BALLS; ++i) {
        double carried = (double)sn_constraint_force(world, below[i]).row[0];
        if (i == 0)
            carried += (double)sn_constraint_force(world, again).row[0];
        assert_close(carried, (BALLS - i) * G, 0.05);
        assert_close(sn_particle_position(world, ball[i]).y, 0.2 * i, 1e-3);
    }
    sn_world_destroy(world);
}

/* A rope that hangs slack exerts nothing; taut it swings like a rod. */
static void test_a_rope_goes_taut(void **state)
{
    (void)state;
    sn_world *world = solver_world(by_forces_leapfrog, 10, 1);
    sn_particle hook = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE),
                p = sn_particle_add_at(world, vec(0, -0.5, 0), 1);
    sn_constraint c = sn_constraint_add_distance_max(world, sn_at(hook), sn_at(p), 1);
    support_run(world, 12, FRAME);
    assert_true(sn_constraint_force(world, c).row[0] == 0);
    assert_close(sn_particle_position(world, p).y, -0.5 - G * 0.04 / 2, 1e-5);
    support_run(world, 120, FRAME);
    assert_close(solver_distance(world, hook, p), 1, 1e-4);
    assert_close(fabs((double)sn_constraint_force(world, c).row[0]), G, 0.01);
    sn_world_destroy(world);
}

/* ---- Everything else --------------------------------------------------------------------------------------------- */

/* A pivot that is led to and fro takes its pendulum along. */
static void test_a_pivot_that_moves(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(setups); ++k) {
        sn_world *world = solver_world(setups[k], 10, 1);
        solver_set_gravity(world, vec(0, 0, 0));
        sn_particle pivot = sn_particle_add_at(world, vec(0, 0, 0), 5),
                    bob = sn_particle_add_at(world, vec(-1, 0, 0), 1);
        sn_constraint rod = sn_constraint_add_distance(world, sn_at(pivot), sn_at(bob), 1);
        for (uint32_t i = 1; i <= 120; ++i) {
            assert_ok(world, sn_particle_move_to(world, pivot, vec(0.02 * i, 0, 0)));
            support_run(world, 1, FRAME);
        }
        assert_close(solver_distance(world, pivot, bob), 1, 1e-3);
        assert_close(sn_particle_position(world, bob).x, 2.4 - 1, 1e-2);
        assert_close(sn_particle_velocity(world, bob).x, 1.2, 1e-2);
        assert_close(sn_constraint_force(world, rod).magnitude, 0, 0.1);
        sn_world_destroy(world);
    }
}

/* Nothing that could move: nothing happens, and a soft rod still says what it exerts. */
static void test_immovable_particles(void **state)
{
    (void)state;
    sn_world *world = solver_world(by_forces_leapfrog, 1, 1);
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE),
                b = sn_particle_add_at(world, vec(1, 0, 0), SN_IMMOVABLE);
    sn_constraint rigid = sn_constraint_add_distance(world, sn_at(a), sn_at(b), real(0.5));
    sn_constraint soft = sn_constraint_add_distance(world, sn_at(a), sn_at(b), real(0.5));
    assert_ok(world, sn_constraint_set_material(world, soft, (sn_material){real(0.1), 0}));
    support_run(world, 3, FRAME);
    assert_true(sn_constraint_force(world, rigid).magnitude == 0);
    assert_close(sn_constraint_force(world, soft).row[0], -5, 1e-4);
    sn_world_destroy(world);
}

/* Two points in one place have no distance to speak of: the rod rests, and holds again once they are apart. */
static void test_what_cannot_be_evaluated_rests(void **state)
{
    (void)state;
    sn_world *world = solver_world(by_forces_leapfrog, 1, 1);
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE),
                b = sn_particle_add_at(world, vec(0, 0, 0), 1);
    sn_constraint c = sn_constraint_add_distance(world, sn_at(a), sn_at(b), real(0.25));
    support_run(world, 1, FRAME);
    support_run(world, 300, FRAME);
    assert_true(isfinite(sn_constraint_force(world, c).magnitude));
    assert_close(solver_distance(world, a, b), 0.25, 1e-3);
    sn_world_destroy(world);
}

static bool eval_broken(const sn_eval_in *in, const sn_eval_out *out)
{
    out->c[0] = in->x[0].x > real(0.5) ? (sn_real)INFINITY : 0;
    out->gradient[0] = vec(1, 0, 0);
    return true;
}

/* A kind that says infinity makes the step fail, by name, and nothing has moved. */
static void test_infinities_are_named(void **state)
{
    (void)state;
    sn_kind kind = {.name = "test_broken", .points = 1, .rows = 1, .eval = eval_broken};
    for (uint32_t inequality = 0; inequality < 2; ++inequality) {
        sn_world *world = solver_world(by_forces_leapfrog, 1, 1);
        sn_particle p = sn_particle_add_at(world, vec(1, 0, 0), 1);
        sn_point point = sn_at(p);
        kind.inequality = inequality; /* one that holds by an infinite margin holds */
        sn_constraint_def def = sn_default_constraint_def(sn_kind_register(world, &kind));
        def.points = &point;
        assert_ok(world, sn_constraint_add(world, &def, NULL));
        uint64_t hash = sn_world_hash(world);
        if (inequality) {
            support_run(world, 1, FRAME);
        } else {
            assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(FRAME)));
            assert_says(sn_world_error(world), "test_broken");
            assert_true(sn_world_hash(world) == hash);
        }
        sn_world_destroy(world);
    }
}

/* The limit on iterations is one on passes. */
static void test_iterations_are_limited(void **state)
{
    (void)state;
    for (uint32_t limit = 1; limit <= 4; limit += 3) {
        sn_world *world = solver_world(by_least_squares, 1, limit);
        chain_in(world, 40, 0.1, 1, 0);
        sn_report report;
        support_run(world, 5, FRAME);
        assert_ok(world, sn_world_report(world, &report));
        assert_true(limit == 1 ? report.passes > 20 : report.passes == 4);
        sn_world_destroy(world);
    }
}

/* ---- What every solver has to stand
 * ----------------------------------------------------------------------------------- */

static void test_every_rod_twice(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(setups); k += support_long(1, 3))
        check_every_rod_twice(setups[k], k % 3 ? 1e-3 : 1e-2); /* symplectic Euler is of first order */
}

static void test_triangle_with_a_double_edge(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(setups); k += support_long(1, 3))
        check_triangle_with_a_double_edge(setups[k], 1e-3);
}

static void test_comings_and_goings(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(setups); k += support_long(1, 3))
        check_comings_and_goings(setups[k], 1e-2);
}

static void test_switching(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(setups); k += support_long(1, 3))
        check_switching(setups[k], 0.2);
}

static void test_zoo(void **state)
{
    (void)state;
    check_zoo(by_forces);
    for (size_t k = 1; k < COUNT_OF(setups); ++k) {
        sn_world *world = solver_world(setups[k], 10, 1);
        zoo_without_projections(world);
        support_run(world, support_long(5, 1), FRAME);
        assert_bounded(world, SUPPORT_ZOO_PARTICLES, 100, 2000);
        sn_world_destroy(world);
    }
}

static void test_projections_are_refused(void **state)
{
    (void)state;
    check_projections_are_refused(by_forces, "lagrange");
}

static void test_no_allocation(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(setups); k += support_long(1, 3))
        check_no_allocation(setups[k]);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    check_out_of_memory(by_forces);
}

static void test_snapshots(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(setups); k += support_long(1, 3))
        check_snapshots(setups[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_point_on_a_circle),
        cmocka_unit_test(test_on_circle_exerts_the_same),
        cmocka_unit_test(test_products_are_those_of_dense_matrices),
        cmocka_unit_test(test_the_change_of_gradients),
        cmocka_unit_test(test_the_change_of_a_rod),
        cmocka_unit_test(test_periods),
        cmocka_unit_test(test_energy_of_a_pendulum),
        cmocka_unit_test(test_force_at_the_bottom),
        cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_hanging_springs),
        cmocka_unit_test(test_catenary),
        cmocka_unit_test(test_momenta),
        cmocka_unit_test(test_long_rope),
        cmocka_unit_test(test_linear_solvers_agree),
        cmocka_unit_test(test_damped_oscillator),
        cmocka_unit_test(test_stiff_springs_do_not_explode),
        cmocka_unit_test(test_many_springs_on_a_hub),
        cmocka_unit_test(test_classic_stiffness),
        cmocka_unit_test(test_errors_decay),
        cmocka_unit_test(test_gains_of_the_lecture),
        cmocka_unit_test(test_without_gains_errors_add_up),
        cmocka_unit_test(test_gains_are_of_rigid_equalities),
        cmocka_unit_test(test_gains_too_large),
        cmocka_unit_test(test_an_over_determined_cloth),
        cmocka_unit_test(test_a_ball_falls_on_a_plane),
        cmocka_unit_test(test_a_ball_is_let_go),
        cmocka_unit_test(test_a_pile),
        cmocka_unit_test(test_a_rope_goes_taut),
        cmocka_unit_test(test_a_pivot_that_moves),
        cmocka_unit_test(test_immovable_particles),
        cmocka_unit_test(test_what_cannot_be_evaluated_rests),
        cmocka_unit_test(test_infinities_are_named),
        cmocka_unit_test(test_iterations_are_limited),
        cmocka_unit_test(test_every_rod_twice),
        cmocka_unit_test(test_triangle_with_a_double_edge),
        cmocka_unit_test(test_comings_and_goings),
        cmocka_unit_test(test_switching),
        cmocka_unit_test(test_zoo),
        cmocka_unit_test(test_projections_are_refused),
        cmocka_unit_test(test_bodies_in_flight),
        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
