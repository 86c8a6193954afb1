/* Sequential impulses: what single impulses do, drift, inequalities, warm starting, momentum, and systems that have too
   many constraints. */
#include "solver_cases.h"

static void baumgarte(sn_settings *s)
{
    s->solver = SN_SOLVER_IMPULSES;
}

static void cold(sn_settings *s)
{
    s->solver = SN_SOLVER_IMPULSES;
    s->warm_start = false;
}

static void soft(sn_settings *s)
{
    s->solver = SN_SOLVER_IMPULSES;
    s->drift = SN_DRIFT_SOFT;
}

static void soft_leapfrog(sn_settings *s)
{
    soft(s);
    s->integrator = SN_INTEGRATOR_LEAPFROG;
}

static void soft_verlet(sn_settings *s)
{
    soft(s);
    s->integrator = SN_INTEGRATOR_VERLET;
}

static void leapfrog(sn_settings *s)
{
    baumgarte(s);
    s->integrator = SN_INTEGRATOR_LEAPFROG;
}

static void verlet(sn_settings *s)
{
    baumgarte(s);
    s->integrator = SN_INTEGRATOR_VERLET;
}

static solver_setup *const setups[] = {baumgarte, cold, soft, soft_leapfrog, soft_verlet, leapfrog, verlet};

/* Without gravity, one substep. */
static sn_world *empty_space(solver_setup *setup)
{
    sn_world *world = solver_world(setup, 1, 1);
    solver_set_gravity(world, vec(0, 0, 0));
    return world;
}

static void set_baumgarte(sn_world *world, double share)
{
    sn_settings s = sn_world_settings(world);
    s.baumgarte = real(share);
    assert_ok(world, sn_world_configure(world, &s));
}

/* ---- One rod ----------------------------------------------------------------------------------------------------- */

/* Only the part of a velocity along the rod is taken away, by an impulse that the masses share. */
static void an_impulse_takes_the_velocity_along_the_rod(void **state)
{
    (void)state;
    for (size_t way = 0; way < 3; ++way) {
        sn_world *world = empty_space(setups[way]);
        sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 1), b = sn_particle_add_at(world, vec(1, 0, 0), 3);
        sn_constraint rod = sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1);
        assert_ok(world, sn_particle_set_velocity(world, a, vec(-2, 0.5, 0)));
        assert_ok(world, sn_particle_set_velocity(world, b, vec(2, 0.5, 0)));
        support_run(world, 1, 0.001);
        double exact =
            way < 2 ? EXACTNESS(1e-6, 1e-13) : 1e-5; /* the soft step leaves what rounding makes of its spring */
        assert_vec_close(sn_particle_velocity(world, a), vec(1, 0.5, 0), exact);
        assert_vec_close(sn_particle_velocity(world, b), vec(1, 0.5, 0), exact);
        assert_close(sn_constraint_force(world, rod).magnitude * real(0.001), 3, 1e-4); /* N s */
        sn_world_destroy(world);
    }
}

/* A velocity across the rod is legal and stays as it is; the rod grows by what a straight line cannot help, to sqrt(1 +
   (v h)^2). */
static void gradients_are_those_at_the_start(void **state)
{
    (void)state;
    sn_world *world = empty_space(baumgarte);
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE),
                b = sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1);
    assert_ok(world, sn_particle_set_velocity(world, b, vec(0, 1, 0)));
    support_run(world, 1, 0.1);
    assert_vec_close(sn_particle_velocity(world, b), vec(0, 1, 0), EXACTNESS(1e-6, 1e-14));
    assert_close(solver_distance(world, a, b), sqrt(1.01), EXACTNESS(1e-6, 1e-14));
    sn_world_destroy(world);
}

/* ---- Drift ------------------------------------------------------------------------------------------------------- */

/* A rod that is 0.1 m too long, on the x axis at rest. */
static sn_world *stretched_rod(solver_setup *setup, sn_particle *b, sn_constraint *rod)
{
    sn_world *world = empty_space(setup);
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
    *b = sn_particle_add_at(world, vec(1.1, 0, 0), 1);
    *rod = sn_constraint_add_distance(world, sn_at(a), sn_at(*b), 1);
    return world;
}

/* Baumgarte: the error falls by the same share in every substep, and its speed is in the motion. */
static void baumgarte_takes_a_share(void **state)
{
    (void)state;
    static const double shares[] = {0, 0.2, 0.5, 1};
    for (size_t n = 0; n < COUNT_OF(shares); ++n)
        for (uint32_t warm = 0; warm < 2; ++warm) {
            sn_particle b;
            sn_constraint rod;
            sn_world *world = stretched_rod(warm ? baumgarte : cold, &b, &rod);
            double error = 0.1;
            set_baumgarte(world, shares[n]);
            for (uint32_t i = 0; i < 20; ++i) {
                support_run(world, 1, 0.01);
                double speed = shares[n] * error / 0.01;
                error *= 1 - shares[n];
                assert_close(sn_particle_position(world, b).x, 1 + error, EXACTNESS(1e-6, 1e-13));
                assert_close(sn_particle_velocity(world, b).x, -speed, EXACTNESS(1e-4, 1e-11));
            }
            sn_world_destroy(world);
        }
}

/* Soft: the error falls faster than by a tenth a substep, without ever passing 0, and no speed is left of it. */
static void the_soft_step_leaves_no_speed(void **state)
{
    (void)state;
    for (size_t way = 2; way < 5; ++way) {
        sn_particle b;
        sn_constraint rod;
        sn_world *world = stretched_rod(setups[way], &b, &rod);
        double error = 0.1;
        for (uint32_t i = 0; i < 40; ++i) {
            support_run(world, 1, 0.01);
            double now = (double)sn_particle_position(world, b).x - 1;
            assert_true(now > -1e-6 && now < 0.9 * error + 1e-6);
            assert_true(solver_speed(world, b) < EXACTNESS(1e-4, 1e-11));
            error = now;
        }
        sn_world_destroy(world);
    }
}

/* What hangs on it stretches the soft step's spring by g / w^2, with w = pi / h. With leapfrog by half of that: the
   second half of gravity's kick comes after the spring, and goes to the passes without it. */
static void the_soft_step_is_a_spring(void **state)
{
    (void)state;
    for (size_t way = 2; way < 5; ++way) {
        sn_world *world = solver_world(setups[way], 1, 1);
        sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE),
                    b = sn_particle_add_at(world, vec(0, -1, 0), 3);
        sn_constraint rod = sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1);
        support_run(world, 200, 0.05);
        double w = 3.141592653589793 / 0.05, stretch = (way == 2 ? 1 : 0.5) * 9.81 / (w * w);
        assert_close(solver_distance(world, a, b) - 1, stretch, 1e-2 * stretch);
        assert_close(sn_constraint_force(world, rod).magnitude, 3 * 9.81, 1e-3);
        assert_true(solver_speed(world, b) < 1e-4);
        sn_world_destroy(world);
    }
}

/* With Baumgarte the speed stays: released from its rod, the particle flies on. With the soft step it rests. */
static void what_is_left_of_a_correction(void **state)
{
    (void)state;
    for (size_t way = 0; way < 3; way += 2) {
        sn_particle b;
        sn_constraint rod;
        sn_world *world = stretched_rod(setups[way], &b, &rod);
        support_run(world, 1, 0.01);
        assert_ok(world, sn_constraint_remove(world, rod));
        support_run(world, 10, 0.01);
        assert_close(sn_particle_velocity(world, b).x, way ? 0 : -2, 1e-4);
        sn_world_destroy(world);
    }
}

/* ---- Pendulums: the claims that are cheap to check --------------------------------------------------------------- */

/* From 90 degrees at h = 1/600: at most 0.5 % of the energy is lost or gained in 5.2 s, though there is one pass
   only. */
static void a_pendulum_keeps_its_energy(void **state)
{
    (void)state;
    for (size_t n = 0; n < 2 * COUNT_OF(setups); ++n) {
        sn_world *world = solver_world(setups[n / 2], 1, 1);
        solver_chain c = chain_in(world, 1, 1, 1, 0);
        sn_report report;
        if (n % 2) /* a kilometre away a float knows places to 0.06 mm: what rounding leaves over counts */
            assert_ok(world, sn_world_shift_origin(world, vec(-1000, 0, 0)));
        for (uint32_t i = 0; i < 3120; ++i) {
            support_run(world, 1, 1.0 / 600);
            assert_true(chain_strain(&c) < 1e-3);
        }
        assert_ok(world, sn_world_report(world, &report));
        assert_true(fabs(report.kinetic + report.potential) < 0.005 * 9.81);
        sn_world_destroy(world);
    }
}

/* The tip of a double pendulum with leapfrog and Verlet, against the exact solution: of second order. */
static void a_double_pendulum_is_of_second_order(void **state)
{
    (void)state;
    static solver_setup *const ways[] = {leapfrog, verlet, soft_leapfrog, soft_verlet};
    for (size_t way = 0; way < COUNT_OF(ways); ++way) {
        double error[2];
        for (uint32_t fine = 0; fine < 2; ++fine) {
            solver_chain c = chain_in(solver_world(ways[way], fine ? 40 : 10, 50), 2, 1, 1, 0);
            support_run(c.world, 30, FRAME);
            error[fine] = support_gap(sn_particle_position(c.world, c.node[2]), vec(1.47346567, -1.20038944, 0));
            sn_world_destroy(c.world);
        }
        assert_true(error[0] < 4e-4);
        assert_true(error[1] < error[0] / 10);
    }
}

/* A mass on a soft rod is integrated by backward Euler, as with the cascade. */
static void springs_are_those_of_the_cascade(void **state)
{
    (void)state;
    for (size_t way = 0; way < 3; ++way)
        for (uint32_t damping = 0; damping < 2; ++damping) {
            double x[2], force[2];
            for (uint32_t n = 0; n < 2; ++n) {
                sn_world *world = empty_space(n ? setups[way] : solver_cascade);
                sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
                sn_particle b = sn_particle_add_at(world, vec(2, 0, 0), 1);
                sn_constraint rod = sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1);
                assert_ok(world, sn_constraint_set_material(world, rod, (sn_material){real(0.01), real(damping)}));
                support_run(world, 60, FRAME);
                x[n] = (double)sn_particle_position(world, b).x;
                force[n] = (double)sn_constraint_force(world, rod).magnitude;
                sn_world_destroy(world);
            }
            assert_close(x[0], x[1], EXACTNESS(1e-5, 1e-12));
            assert_close(force[0], force[1], EXACTNESS(2e-3, 1e-9));
        }
}

/* ---- Inequalities ------------------------------------------------------------------------------------------------ */

/* A particle above a floor at y = 0. */
static sn_world *floor_world(solver_setup *setup, double height, double speed, sn_particle *p, sn_constraint *ground)
{
    sn_world *world = solver_world(setup, 1, 1);
    *p = sn_particle_add_at(world, vec(0, height, 0), 2);
    *ground = sn_constraint_add_half_space(world, sn_at(*p), vec(0, 0, 0), vec(0, 1, 0));
    assert_ok(world, sn_particle_set_velocity(world, *p, vec(0, -speed, 0)));
    return world;
}

/* What comes fast is stopped on the floor, not in front of it and not below it; then it lies there with its weight. */
static void a_floor_is_met_and_not_overrun(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way) {
        sn_particle p;
        sn_constraint ground;
        sn_world *world = floor_world(setups[way], 1, 30, &p, &ground);
        support_run(world, 1, 0.01);
        assert_true(sn_constraint_force(world, ground).magnitude == 0); /* 0.7 m: nothing to do yet */
        double height = (double)sn_particle_position(world, p).y;
        while (height > 0.31) {
            support_run(world, 1, 0.01);
            height = (double)sn_particle_position(world, p).y;
        }
        assert_true(solver_speed(world, p) > 30); /* 0.1 m, the next substep would go below: it is not slowed before */
        support_run(world, 1, 0.01);
        assert_close(sn_particle_position(world, p).y, 0, EXACTNESS(1e-6, 1e-14));
        support_run(world, 50, 0.01);
        assert_close(sn_particle_position(world, p).y, 0, 1e-4);
        assert_close(sn_constraint_force(world, ground).magnitude, 2 * 9.81, 1e-3);
        assert_true(solver_speed(world, p) < 0.06); /* leapfrog shows half a kick of gravity */
        sn_world_destroy(world);
    }
}

/* A floor never pulls: what is thrown up leaves it, though the impulses of the substep before said otherwise. */
static void a_floor_lets_go(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way) {
        sn_particle p;
        sn_constraint ground;
        sn_world *world = floor_world(setups[way], 0, 0, &p, &ground);
        support_run(world, 10, 0.01);
        assert_true(sn_constraint_force(world, ground).magnitude > 1);
        assert_ok(world, sn_particle_set_velocity(world, p, vec(0, 3, 0)));
        support_run(world, 1, 0.01);
        assert_true(sn_constraint_force(world, ground).magnitude == 0);
        assert_close(sn_particle_velocity(world, p).y, 3 - 0.0981, 1e-4);
        sn_world_destroy(world);
    }
}

/* In a corner of two walls that are not square, accumulated impulses settle where both hold: clamping every single
   change instead would leave the first wall's push too large. */
static void two_walls_share_the_weight(void **state)
{
    (void)state;
    sn_world *world = solver_world(baumgarte, 1, 50);
    double s = sqrt(0.5);
    sn_particle p = sn_particle_add_at(world, vec(0, 0, 0), 1);
    sn_constraint level = sn_constraint_add_half_space(world, sn_at(p), vec(0, 0, 0), vec(0, 1, 0));
    sn_constraint slope = sn_constraint_add_half_space(world, sn_at(p), vec(0, 0, 0), vec(s, s, 0));
    solver_set_gravity(world, vec(-3, -10, 0));
    support_run(world, 20, 0.01);
    assert_vec_close(sn_particle_position(world, p), vec(0, 0, 0), 1e-4);
    assert_close(sn_constraint_force(world, slope).magnitude, 3 / s,
                 1e-2); /* the slope alone can hold what pulls left */
    assert_close(sn_constraint_force(world, level).magnitude, 10 - 3, 1e-2);
    sn_world_destroy(world);
}

/* A rope is slack, taut and slack again. */
static void a_rope_only_pulls(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way) {
        sn_world *world = solver_world(setups[way], 10, 1);
        sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
        sn_particle b = sn_particle_add_at(world, vec(0, -0.5, 0), 1);
        sn_constraint rope = sn_constraint_add_distance_max(world, sn_at(a), sn_at(b), 1);
        support_run(world, 10, FRAME);
        assert_true(sn_constraint_force(world, rope).magnitude == 0);
        support_run(world, 120, FRAME);
        assert_close(sn_particle_position(world, b).y, -1, 1e-3);
        assert_close(sn_constraint_force(world, rope).magnitude, 9.81, 1e-2);
        assert_ok(world, sn_particle_set_velocity(world, b, vec(0, 2, 0)));
        support_run(world, 6, FRAME);
        assert_true(sn_constraint_force(world, rope).magnitude == 0);
        assert_close(sn_particle_velocity(world, b).y, 2 - 0.981, 2e-2);
        sn_world_destroy(world);
    }
}

/* ---- Warm starting ----------------------------------------------------------------------------------------------- */

/* A vertical chain that begins at rest, with one pass a substep; the strain of it after so many seconds. */
static double hanging_strain(solver_setup *setup, uint32_t links, double compliance, double seconds, double *most)
{
    sn_world *world = solver_world(setup, 10, 1);
    solver_chain c = chain_in(world, links, 1.0 / links, 0.1, compliance);
    *most = 0;
    for (uint32_t i = 1; i <= c.links; ++i)
        assert_ok(world, sn_particle_set_position(world, c.node[i], vec(0, -c.link * i, 0)));
    for (uint32_t frame = 0; frame < 60 * seconds; ++frame) {
        support_run(world, 1, FRAME);
        *most = fmax(*most, chain_strain(&c));
    }
    double strain = chain_strain(&c);
    sn_world_destroy(world);
    return strain;
}

static void warm_starting_holds_a_chain(void **state)
{
    (void)state;
    double most;
    assert_true(hanging_strain(baumgarte, 20, 0, 20, &most) < hanging_strain(cold, 20, 0, 20, &most) / 4);
}

/* What is remembered must not drive long chains past their goal, farther each time: with too few passes all of them
   did, from 8 links on, when nothing was forgotten. */
static void warm_starting_does_not_wind_up(void **state)
{
    (void)state;
    static const uint32_t links[] = {4, 8, 20, 60};
    for (size_t way = 0; way < COUNT_OF(setups); ++way)
        for (size_t n = 0; n < COUNT_OF(links); ++n)
            for (uint32_t soft_rods = 0; soft_rods < 2; ++soft_rods) {
                double most,
                    strain = hanging_strain(setups[way], links[n], soft_rods ? 1e-7 : 0, support_rounds(20, 5), &most);
                if (!(most < 1) || !(strain < 1.01 * most))
                    fail_msg("setup %zu, %u links, %s: strain %g at the end, %g at most", way, links[n],
                             soft_rods ? "stiff springs" : "rods", strain, most);
            }
}

/* When the substep changes, what is remembered is scaled, and a chain at rest does not notice. */
static void warm_starting_survives_another_substep(void **state)
{
    (void)state;
    for (size_t way = 0; way < 3; way += 2) {
        sn_world *world = solver_world(setups[way], 1, 2);
        sn_settings s = sn_world_settings(world);
        s.damping = 5;
        assert_ok(world, sn_world_configure(world, &s));
        solver_chain c = chain_in(world, 4, 0.1, 0.1, 0);
        for (uint32_t i = 1; i <= c.links; ++i)
            assert_ok(world, sn_particle_set_position(world, c.node[i], vec(0, -0.1 * i, 0)));
        support_run(world, 6000, FRAME / 10);
        double top = (double)sn_constraint_force(world, c.rod[0]).magnitude;
        assert_close(top, 4 * 0.1 * 9.81, 0.01);
        for (uint32_t i = 0; i < 8; ++i) {
            support_run(world, 1, i % 2 ? FRAME / 10 : FRAME / 20);
            assert_bounded(world, c.links + 1, 1, 0.02);
            assert_close(sn_constraint_force(world, c.rod[0]).magnitude, top, 0.6 * top); /* unscaled: 1.9 */
        }
        sn_world_destroy(world);
    }
}

/* What decides the future is part of the hash: the impulses, if they start the next substep. */
static void the_hash_knows_of_warm_starting(void **state)
{
    (void)state;
    for (uint32_t warm = 0; warm < 2; ++warm) {
        sn_world *world = solver_world(warm ? baumgarte : cold, 1, 1);
        solver_chain c = chain_in(world, 2, 1, 1, 0);
        support_run(world, 3, FRAME);
        uint64_t hash = sn_world_hash(world);
        sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
        sn_point points[2] = {sn_at(c.node[0]), sn_at(c.node[1])};
        def.points = points;
        def.param[0] = 1;
        assert_true(sn_constraint_force(world, c.rod[0]).magnitude > 0);
        assert_ok(world,
                  sn_constraint_change(world, c.rod[0], &def)); /* into itself: only what was exerted is forgotten */
        assert_true(sn_constraint_force(world, c.rod[0]).magnitude == 0);
        assert_true((sn_world_hash(world) == hash) == !warm);
        sn_world_destroy(world);
    }
}

/* A rod of stiffness 0 does nothing; one in between stays in between, however long it hangs. */
static void soft_stiffness_does_not_add_up(void **state)
{
    (void)state;
    double fallen[3];
    static const double stiffness[3] = {0, 0.5, 1};
    for (uint32_t n = 0; n < 3; ++n) {
        sn_world *world = solver_world(baumgarte, 1, 1);
        sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE);
        sn_particle b = sn_particle_add_at(world, vec(0, -1, 0), 1);
        sn_constraint rod = sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1);
        assert_ok(world, sn_constraint_set_stiffness(world, rod, real(stiffness[n])));
        support_run(world, 120, FRAME);
        fallen[n] = -1 - (double)sn_particle_position(world, b).y;
        sn_world_destroy(world);
    }
    assert_true(fallen[0] > 19);
    assert_true(fallen[1] > 0.005 && fallen[1] < 0.1); /* half of what a substep adds is left, divided by b */
    assert_close(fallen[2], 0, 1e-5);
}

/* ---- Passes ------------------------------------------------------------------------------------------------------ */

/* All orders end in the same place when they are given time. */
static void all_orders_agree(void **state)
{
    (void)state;
    sn_vec3 end[4];
    for (int order = SN_ORDER_INSERTION; order <= SN_ORDER_THERE_AND_BACK; ++order) {
        sn_world *world = solver_world(baumgarte, 10, 300);
        sn_settings s = sn_world_settings(world);
        s.order = (sn_order)order;
        assert_ok(world, sn_world_configure(world, &s));
        solver_chain c = chain_in(world, 5, 0.2, 0.1, 0);
        support_run(world, 30, FRAME);
        end[order] = sn_particle_position(world, c.node[5]);
        sn_world_destroy(world);
        assert_vec_close(end[order], end[0], EXACTNESS(1e-4, 1e-9));
    }
}

/* With a tolerance, passes end when nothing is missed by more, in every order. */
static void tolerance_ends_the_passes(void **state)
{
    (void)state;
    for (int order = SN_ORDER_INSERTION; order <= SN_ORDER_THERE_AND_BACK; ++order)
        for (size_t way = 0; way < 3; ++way) {
            uint32_t last = 0;
            for (double tolerance = 1e-3; tolerance > 1e-6; tolerance /= 10) {
                sn_world *world = solver_world(setups[way], 1, 1000);
                sn_settings s = sn_world_settings(world);
                s.order = (sn_order)order;
                s.tolerance = real(tolerance);
                assert_ok(world, sn_world_configure(world, &s));
                solver_chain c = chain_in(world, 9, 1, 1, 0);
                sn_report report;
                assert_ok(world, sn_particle_set_velocity(world, c.node[9], vec(5, 1, 0)));
                assert_ok(world, sn_world_step(world, real(0.01)));
                assert_ok(world, sn_world_report(world, &report));
                assert_true(report.passes > last && report.passes < 1000);
                last = (uint32_t)report.passes;
                sn_world_destroy(world);
            }
        }
}

/* Zero passes: nothing is enforced, and nothing remembered. */
static void no_passes_no_impulses(void **state)
{
    (void)state;
    for (size_t way = 0; way < 3; ++way) {
        sn_world *world = solver_world(setups[way], 1, 1);
        solver_chain c = chain_in(world, 1, 1, 1, 0);
        support_run(world, 30, FRAME);
        sn_settings s = sn_world_settings(world);
        s.iterations = 0;
        assert_ok(world, sn_world_configure(world, &s));
        sn_vec3 v = sn_particle_velocity(world, c.node[1]);
        support_run(world, 1, 0.01);
        assert_vec_close(sn_particle_velocity(world, c.node[1]), vec((double)v.x, (double)v.y - 0.0981, 0), 1e-5);
        assert_true(sn_constraint_force(world, c.rod[0]).magnitude == 0);
        sn_world_destroy(world);
    }
}

/* ---- Momentum ---------------------------------------------------------------------------------------------------- */

/* Both momenta, however few the passes and whatever the drift. */
static void momenta_are_conserved(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way)
        for (uint32_t iterations = 1; iterations <= 20; iterations += 19) {
            sn_world *world = tumbling_rods(setups[way], iterations);
            momenta before = momenta_of(world, 5);
            support_run(world, 1000, 1.0 / 600);
            momenta after = momenta_of(world, 5);
            sn_world_destroy(world);
            double linear = linear_drift(&before, &after), angular = angular_drift(&before, &after);
            if (linear > EXACTNESS(1e-5, 1e-9) || angular > EXACTNESS(2e-5, 1e-9))
                fail_msg("setup %zu, %u passes: linear momentum changes by %g, the angular one by %g", way, iterations,
                         linear, angular);
        }
}

/* ---- Statics and refusals ---------------------------------------------------------------------------------------- */

/* At rest there are no velocities to make legal; rest is found all the same. */
static void statics_work(void **state)
{
    (void)state;
    for (size_t way = 0; way < 3; ++way) {
        solver_chain c = chain_in(solver_world(setups[way], 10, 10), 3, 0.3, 0.1, 0);
        sn_relax_info info;
        assert_ok(c.world, sn_world_relax(c.world, NULL, &info));
        assert_true(info.rested);
        assert_close(sn_particle_position(c.world, c.node[3]).y, -0.9, 1e-2);
        support_run(c.world, 60, FRAME);
        assert_close(sn_particle_position(c.world, c.node[3]).y, -0.9, 1e-2);
        sn_world_destroy(c.world);
    }
}

static void bdf2_is_refused(void **state)
{
    (void)state;
    sn_world *world = solver_world(baumgarte, 1, 1);
    sn_settings s = sn_world_settings(world);
    s.integrator = SN_INTEGRATOR_BDF2;
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_configure(world, &s));
    assert_says(sn_world_error(world), "impulses BDF2");
    sn_world_destroy(world);
}

/* ---- What all solvers have to do --------------------------------------------------------------------------------- */

static void too_many_constraints(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way) {
        check_every_rod_twice(setups[way], 0.01);
        check_triangle_with_a_double_edge(setups[way], 0.01);
    }
}

static void comings_and_goings(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way)
        check_comings_and_goings(setups[way], 0.05);
}

static void switched_without_a_jump(void **state)
{
    (void)state;
    for (size_t way = 0; way < 3; ++way)
        check_switching(setups[way], 0.5);
}

static void every_kind(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way)
        check_zoo(setups[way]);
    check_projections_are_refused(baumgarte, "impulses");
}

static void memory_and_snapshots(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way)
        check_snapshots(setups[way]);
    check_no_allocation(soft_verlet);
    check_out_of_memory(baumgarte);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impulse_takes_the_velocity_along_the_rod),
        cmocka_unit_test(gradients_are_those_at_the_start),
        cmocka_unit_test(baumgarte_takes_a_share),
        cmocka_unit_test(the_soft_step_leaves_no_speed),
        cmocka_unit_test(the_soft_step_is_a_spring),
        cmocka_unit_test(what_is_left_of_a_correction),
        cmocka_unit_test(a_pendulum_keeps_its_energy),
        cmocka_unit_test(a_double_pendulum_is_of_second_order),
        cmocka_unit_test(springs_are_those_of_the_cascade),
        cmocka_unit_test(a_floor_is_met_and_not_overrun),
        cmocka_unit_test(a_floor_lets_go),
        cmocka_unit_test(two_walls_share_the_weight),
        cmocka_unit_test(a_rope_only_pulls),
        cmocka_unit_test(warm_starting_holds_a_chain),
        cmocka_unit_test(warm_starting_does_not_wind_up),
        cmocka_unit_test(warm_starting_survives_another_substep),
        cmocka_unit_test(the_hash_knows_of_warm_starting),
        cmocka_unit_test(soft_stiffness_does_not_add_up),
        cmocka_unit_test(all_orders_agree),
        cmocka_unit_test(tolerance_ends_the_passes),
        cmocka_unit_test(no_passes_no_impulses),
        cmocka_unit_test(momenta_are_conserved),
        cmocka_unit_test(statics_work),
        cmocka_unit_test(bdf2_is_refused),
        cmocka_unit_test(too_many_constraints),
        cmocka_unit_test(comings_and_goings),
        cmocka_unit_test(switched_without_a_jump),
        cmocka_unit_test(every_kind),
        cmocka_unit_test(memory_and_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
