/* Direct solves: ropes that do not stretch whatever hangs on them, with one iteration a substep; what tension, slack
   and contradictions do to them; and what every solver has to do. */
#include "support/support.h"

#include "solvers/forest.h"
#include "solvers/solver_cases.h"
#include "world/world.h"

#include <time.h>

#define G 9.81

static void direct(sn_settings *s)
{
    s->solver = SN_SOLVER_DIRECT;
}

static void direct_bdf2(sn_settings *s)
{
    s->solver = SN_SOLVER_DIRECT;
    s->integrator = SN_INTEGRATOR_BDF2;
}

static solver_setup *const setups[] = {direct, direct_bdf2};

/* How many constraints were in trees in the last step. */
static uint32_t direct_count(const sn_world *world)
{
    return sn_forest_count(world->scratch.direct); /* its first member */
}

static double energy_of(sn_world *world)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    return report.kinetic + report.potential;
}

/* ---- Ropes
   ------------------------------------------------------------------------------------------------------------ */

typedef struct rope {
    sn_world *world;
    uint32_t links;
    double link; /* m */
    sn_particles node;
    sn_constraints rods;
} rope;

/* A level rope from the origin along x, 1 kg each, the first immovable and the last of another mass. */
static rope rope_in(sn_world *world, uint32_t kind, uint32_t links, double link, double bob)
{
    rope r = {.world = world, .links = links, .link = link};
    sn_real *xyz = malloc(3 * (size_t)(links + 1) * sizeof *xyz);
    uint32_t *pair = malloc(2 * (size_t)links * sizeof *pair);
    assert_non_null(xyz);
    assert_non_null(pair);
    for (uint32_t i = 0; i <= links; ++i) {
        xyz[3 * i] = real(link * i);
        xyz[3 * i + 1] = xyz[3 * i + 2] = 0;
    }
    r.node = sn_particles_add(world, links + 1, xyz, 0, 1);
    assert_int_equal(r.node.count, links + 1);
    for (uint32_t i = 0; i < links; ++i) {
        pair[2 * i] = r.node.first + i;
        pair[2 * i + 1] = r.node.first + i + 1;
    }
    sn_constraint_def def = sn_default_constraint_def(kind);
    def.param[0] = real(link);
    assert_ok(world, sn_constraints_add(world, &def, links, pair, NULL, &r.rods));
    assert_ok(world, sn_particle_set_mass(world, sn_particles_at(r.node, 0), SN_IMMOVABLE));
    assert_ok(world, sn_particle_set_mass(world, sn_particles_at(r.node, links), real(bob)));
    free(xyz);
    free(pair);
    return r;
}

/* The largest (length - rest) / rest, and with `both` also of those that are too short. */
static double rope_strain(const rope *r, bool both)
{
    double worst = 0;
    sn_real *xyz = malloc(3 * (size_t)(r->links + 1) * sizeof *xyz);
    assert_non_null(xyz);
    assert_ok(r->world, sn_particles_read_positions(r->world, r->node, xyz, 0));
    for (uint32_t i = 0; i < r->links; ++i) {
        double a = (double)xyz[3 * i] - (double)xyz[3 * i + 3], b = (double)xyz[3 * i + 1] - (double)xyz[3 * i + 4],
               c = (double)xyz[3 * i + 2] - (double)xyz[3 * i + 5], strain = sqrt(a * a + b * b + c * c) / r->link - 1;
        if (!isfinite(strain))
            fail_msg("link %u is nowhere", i);
        worst = fmax(worst, both ? fabs(strain) : strain);
    }
    free(xyz);
    return worst;
}

/* A rope of a thousand links swings down from level, one iteration a substep: it must not stretch, and gain no energy.
   Its places are rounded to 4e-6 m, or 1e-4 of a link, in single precision. */
static void swing(uint32_t kind, double bob, uint32_t substeps, uint32_t frames)
{
    rope r = rope_in(solver_world(direct, substeps, 1), kind, 999, 0.05, bob);
    double start = energy_of(r.world), lowest = 0;
    for (uint32_t i = 0; i < frames; ++i) {
        support_run(r.world, 1, FRAME);
        double strain = rope_strain(&r, kind == SN_KIND_DISTANCE), energy = energy_of(r.world);
        lowest = fmin(lowest, (double)sn_particle_position(r.world, sn_particles_at(r.node, 999)).y);
        if (strain > 1e-3 || energy > start + 1)
            fail_msg("bob of %g kg, %u substeps, frame %u: stretched by %g, and the energy is %g J", bob, substeps, i,
                     strain, energy);
    }
    assert_true(lowest < -40); /* it did swing */
    sn_world_destroy(r.world);
}

static void long_ropes_do_not_stretch(void **state)
{
    (void)state;
    static const double bob[] = {1, 100, 1000};
    for (size_t i = 0; i < support_rounds(COUNT_OF(bob), 1); ++i)
        for (uint32_t substeps = 10; substeps <= support_rounds(20, 10); substeps += 10)
            swing(SN_KIND_DISTANCE, bob[i], substeps, 250);
    swing(SN_KIND_DISTANCE, 1000, 2, 250);
    swing(SN_KIND_DISTANCE_MAX, 1000, 10, 250);
}

/* What hangs still: every link carries what is below it. */
static void a_hanging_rope_knows_its_load(void **state)
{
    (void)state;
    rope r = rope_in(solver_world(direct, 20, 1), SN_KIND_DISTANCE, 200, 0.05, 1000);
    sn_settings s = sn_world_settings(r.world);
    s.damping = 2;
    assert_ok(r.world, sn_world_configure(r.world, &s));
    for (uint32_t i = 0; i <= r.links; ++i)
        assert_ok(r.world, sn_particle_set_position(r.world, sn_particles_at(r.node, i), vec(0, -0.05 * i, 0)));
    support_run(r.world, 120, FRAME);
    for (uint32_t i = 0; i < r.links; ++i) {
        double load = (1000 + (r.links - 1.0 - i)) * G;
        double force = -(double)sn_constraint_force(r.world, sn_constraints_at(r.rods, i)).row[0];
        assert_close(force, load, EXACTNESS(0.05, 1e-3) * load);
    }
    sn_world_destroy(r.world);
}

/* ---- Validation rows
   -------------------------------------------------------------------------------------------------- */

/* Row 4 with one iteration instead of ten and more. */
static void springs_hang_as_they_should(void **state)
{
    (void)state;
    for (uint32_t substeps = 1; substeps <= 10; substeps += 9) {
        sn_world *world = solver_world(direct, substeps, 1);
        sn_settings s = sn_world_settings(world);
        s.damping = 1;
        assert_ok(world, sn_world_configure(world, &s));
        solver_chain c = chain_in(world, 10, 0.1, 0.1, 1e-3);
        for (uint32_t i = 1; i <= 10; ++i)
            assert_ok(world, sn_particle_set_position(world, c.node[i], vec(0, -0.1 * i, 0)));
        support_run(world, 3600, FRAME);
        for (uint32_t i = 0; i < 10; ++i) {
            double expected = (10 - i) * 0.1 * G / 1000;
            assert_close(solver_distance(world, c.node[i], c.node[i + 1]) - 0.1, expected,
                         EXACTNESS(2e-3, 1e-3) * expected);
        }
        sn_world_destroy(world);
    }
}

/* Rows 5, 6 and 7: a single constraint is projected as the cascade does it. */
static void a_pendulum_is_that_of_the_cascade(void **state)
{
    (void)state;
    solver_setup *const ways[] = {solver_cascade, direct};
    sn_vec3 x[2];
    double force[2];
    for (uint32_t i = 0; i < 2; ++i) {
        solver_chain c = chain_in(solver_world(ways[i], 10, 1), 1, 1, 1, 0);
        support_run(c.world, 300, FRAME);
        x[i] = sn_particle_position(c.world, c.node[1]);
        force[i] = (double)sn_constraint_force(c.world, c.rod[0]).row[0];
        sn_world_destroy(c.world);
    }
    assert_vec_close(x[0], x[1], EXACTNESS(1e-4, 1e-6));
    assert_close(force[0], force[1], EXACTNESS(0.5, 1e-4));
}

/* Row 6 with BDF2. */
static void second_order_with_bdf2(void **state)
{
    (void)state;
    solver_chain c = chain_in(solver_world(direct_bdf2, 1, 20), 1, 1, 1, 0);
    support_run(c.world, 3120, 1.0 / 600);
    assert_true(fabs(energy_of(c.world) / G) < 0.005);
    sn_world_destroy(c.world);
}

/* Row 8 with three iterations instead of up to a hundred. */
static void a_double_pendulum(void **state)
{
    (void)state;
    static const double tip[2][2] = {{1.47346567, -1.20038944}, {-1.44481885, -1.32179446}};
    static const double most[2][2] = {{3.3e-3, 3.2e-2}, {EXACTNESS(4e-4, 3.3e-4), EXACTNESS(3.5e-3, 3.3e-3)}};
    for (uint32_t n = 0; n < 2; ++n) {
        solver_chain c = chain_in(solver_world(direct, n ? 100 : 10, 3), 2, 1, 1, 0);
        for (uint32_t half = 0; half < 2; ++half) {
            support_run(c.world, 30, FRAME);
            sn_vec3 x = sn_particle_position(c.world, c.node[2]);
            assert_true(hypot((double)x.x - tip[half][0], (double)x.y - tip[half][1]) <= most[n][half]);
        }
        sn_world_destroy(c.world);
    }
}

/* Row 9 with one iteration instead of fifty: pinned at both ends. */
static void a_catenary(void **state)
{
    (void)state;
    static const double sag[][2] = {{2, 0.798273}, {1.5, 0.503447}, {1.2, 0.292721}};
    for (size_t i = 0; i < COUNT_OF(sag); ++i) {
        sn_world *world = solver_world(direct, 10, 1);
        sn_settings s = sn_world_settings(world);
        s.damping = 1;
        assert_ok(world, sn_world_configure(world, &s));
        solver_chain c = chain_in(world, 20, sag[i][0] / 20, 0.1, 0);
        double depth = sqrt(sag[i][0] * sag[i][0] - 1) / 2;
        for (uint32_t k = 0; k <= 20; ++k)
            assert_ok(world,
                      sn_particle_set_position(world, c.node[k], vec(k / 20.0, -depth * (1 - fabs(k / 10.0 - 1)), 0)));
        assert_ok(world, sn_particle_set_mass(world, c.node[20], SN_IMMOVABLE));
        support_run(world, 1800, FRAME);
        assert_int_equal(direct_count(world), 20);
        assert_close(-(double)sn_particle_position(world, c.node[10]).y, sag[i][1], 0.005 * sag[i][1]);
        assert_true(chain_strain(&c) < 1e-4);
        sn_world_destroy(world);
    }
}

/* Row 18, linear momentum; turning or not. */
static void momentum_is_kept(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way) {
        sn_world *world = tumbling_rods(setups[way], 1);
        momenta before = momenta_of(world, 5);
        support_run(world, 1000, FRAME);
        momenta after = momenta_of(world, 5);
        assert_int_equal(direct_count(world), 4);
        assert_true(linear_drift(&before, &after) < EXACTNESS(1e-5, 1e-9));
        sn_world_destroy(world);
    }
    /* a heavy ball whirled about by a light rope: s is far above 1 */
    sn_world *world = solver_world(direct, 1, 1);
    solver_set_gravity(world, vec(0, 0, 0));
    rope r = rope_in(world, SN_KIND_DISTANCE, 20, 0.05, 1000);
    for (uint32_t i = 0; i <= 20; ++i) {
        assert_ok(world, sn_particle_set_mass(world, sn_particles_at(r.node, i), i % 20 ? 1 : 1000));
        assert_ok(world, sn_particle_set_velocity(world, sn_particles_at(r.node, i), vec(0, i - 10.0, 0.1 * i)));
    }
    momenta before = momenta_of(world, 21);
    support_run(world, 600, FRAME);
    momenta after = momenta_of(world, 21);
    assert_true(linear_drift(&before, &after) < EXACTNESS(1e-5, 1e-12) * after.scale[0]);
    assert_true(rope_strain(&r, true) < 0.02);
    sn_world_destroy(world);
}

/* ---- What is a tree
   --------------------------------------------------------------------------------------------------- */

/* Three ropes tied together, of which one is held, each with its load. */
static void branches(void **state)
{
    (void)state;
    sn_world *world = solver_world(direct, 10, 1);
    rope arm[3];
    for (uint32_t i = 0; i < 3; ++i) {
        arm[i] = rope_in(world, SN_KIND_DISTANCE, 100, 0.02, i ? 200 * i : 1);
        for (uint32_t k = 0; k <= 100; ++k) {
            double t = 0.02 * k, x = i == 0 ? t : 2 + t, z = i == 0 ? 0 : i == 1 ? 0.5 * t : -0.5 * t;
            double stretch = i == 0 ? 1 : sqrt(1.25);
            assert_ok(world, sn_particle_set_position(world, sn_particles_at(arm[i].node, k),
                                                      vec(i == 0 ? x : 2 + t / stretch, 0, z / stretch)));
        }
        if (i > 0) {
            assert_ok(world, sn_particle_set_mass(world, sn_particles_at(arm[i].node, 0), 1));
            sn_constraint_add_attachment(world, sn_at(sn_particles_at(arm[0].node, 100)),
                                         sn_at(sn_particles_at(arm[i].node, 0)));
        }
    }
    double lowest = 0;
    for (uint32_t i = 0; i < 240; ++i) {
        support_run(world, 1, FRAME);
        for (uint32_t k = 0; k < 3; ++k)
            assert_true(rope_strain(&arm[k], true) < 1e-3);
        lowest = fmin(lowest, (double)sn_particle_position(world, sn_particles_at(arm[2].node, 100)).y);
    }
    assert_int_equal(direct_count(world), 302);
    assert_true(lowest < -3);
    sn_world_destroy(world);
}

enum { SIDE = 6 };

static void add_cloth(sn_world *world, sn_particle corner[2])
{
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        sn_particle p = sn_particle_add_at(world, vec(0.1 * (i % SIDE), 0, 0.1 * (i / SIDE)), real(0.1));
        if (i == 0 || i == SIDE - 1)
            assert_ok(world, sn_particle_set_mass(world, p, SN_IMMOVABLE));
        if (i % SIDE)
            sn_constraint_add_distance(world, sn_at(sn_particle_from_index(world, p.index - 1)), sn_at(p), SN_MEASURE);
        if (i / SIDE)
            sn_constraint_add_distance(world, sn_at(sn_particle_from_index(world, p.index - SIDE)), sn_at(p),
                                       SN_MEASURE);
        if (i == 0)
            corner[0] = p;
        corner[1] = p;
    }
}

/* A rope that hangs from a corner of a cloth that moves is part of what has cycles: all is left to the cascade, to the
   bit. One that hangs from a corner that is held is a tree of its own. */
static void ropes_and_cloth(void **state)
{
    (void)state;
    solver_setup *const ways[] = {solver_cascade, direct};
    for (uint32_t held = 0; held < 2; ++held) {
        sn_world *world[2];
        for (uint32_t i = 0; i < 2; ++i) {
            sn_particle corner[2], last;
            world[i] = solver_world(ways[i], 10, 1);
            add_cloth(world[i], corner);
            last = corner[!held];
            for (uint32_t k = 1; k <= 10; ++k) {
                sn_vec3 x = sn_particle_position(world[i], corner[!held]);
                sn_particle p = sn_particle_add_at(world[i], vec((double)x.x, -0.1 * k, (double)x.z), k < 10 ? 1 : 50);
                sn_constraint_add_distance(world[i], sn_at(last), sn_at(p), SN_MEASURE);
                last = p;
            }
            support_run(world[i], 60, FRAME);
        }
        assert_int_equal(direct_count(world[1]), held ? 10 : 0);
        if (held) {
            for (uint32_t k = SIDE * SIDE; k < SIDE * SIDE + 9; ++k)
                assert_close(solver_distance(world[1], sn_particle_from_index(world[1], k),
                                             sn_particle_from_index(world[1], k + 1)),
                             0.1, 1e-5);
        } else {
            sn_settings s = sn_world_settings(world[0]);
            direct(&s); /* so that the hashes compare */
            assert_ok(world[0], sn_world_configure(world[0], &s));
            assert_same_world(world[0], world[1]);
        }
        sn_world_destroy(world[0]);
        sn_world_destroy(world[1]);
    }
}

/* Cut in the middle, both halves are still direct; and pinned and let go between steps. */
static void cut_and_pinned(void **state)
{
    (void)state;
    rope r = rope_in(solver_world(direct, 10, 1), SN_KIND_DISTANCE, 200, 0.02, 100);
    support_run(r.world, 60, FRAME);
    assert_int_equal(direct_count(r.world), 200);
    sn_particle middle = sn_particles_at(r.node, 100);
    for (uint32_t i = 0; i < 20; ++i) { /* the pin is a leaf; an immovable particle is none and cuts the tree in two */
        sn_constraint pin = i % 2 ? sn_constraint_add_pin(r.world, middle) : (sn_constraint){0, 0, 0};
        if (i % 2 == 0)
            assert_ok(r.world, sn_particle_set_mass(r.world, middle, SN_IMMOVABLE));
        support_run(r.world, 5, FRAME);
        assert_int_equal(direct_count(r.world), 200 + i % 2);
        assert_true(rope_strain(&r, true) < 5e-3); /* it was moving, and must stop at once */
        if (i % 2)
            assert_ok(r.world, sn_constraint_remove(r.world, pin));
        else
            assert_ok(r.world, sn_particle_set_mass(r.world, middle, 1));
        support_run(r.world, 5, FRAME);
        assert_true(rope_strain(&r, true) < 5e-3);
    }
    assert_ok(r.world, sn_constraint_remove(r.world, sn_constraints_at(r.rods, 100)));
    support_run(r.world, 60, FRAME);
    assert_int_equal(direct_count(r.world), 199);
    for (uint32_t i = 0; i < 200; ++i)
        if (i != 100)
            assert_close(solver_distance(r.world, sn_particles_at(r.node, i), sn_particles_at(r.node, i + 1)), 0.02,
                         2e-5 + 1e-7 * fabs((double)sn_particle_position(r.world, sn_particles_at(r.node, i)).y) * 10);
    sn_world_destroy(r.world);
}

/* ---- One constraint is the cascade
   ------------------------------------------------------------------------------------- */

/* Soft, damped, of half the stiffness, or all of it, in several iterations: a tree of one constraint. */
static void one_constraint_is_the_cascade(void **state)
{
    (void)state;
    solver_setup *const ways[] = {solver_cascade, direct};
    for (uint32_t n = 0; n < 24; ++n) {
        sn_vec3 x[2];
        for (uint32_t i = 0; i < 2; ++i) {
            sn_world *world = solver_world(ways[i], 2, 1 + n / 8 * 2);
            sn_settings s = sn_world_settings(world);
            s.correct_stiffness = n & 4;
            s.integrator = n & 1 && n & 2 ? SN_INTEGRATOR_BDF2 : SN_INTEGRATOR_SYMPLECTIC_EULER;
            assert_ok(world, sn_world_configure(world, &s));
            sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 1),
                        b = sn_particle_add_at(world, vec(1, 0.5, 0), 3);
            sn_constraint c = sn_constraint_add_distance(world, sn_at(a), sn_at(b), real(0.8));
            if (n & 1)
                assert_ok(world, sn_constraint_set_material(world, c, (sn_material){real(1e-3), real(n & 2 ? 20 : 0)}));
            if (n & 4)
                assert_ok(world, sn_constraint_set_stiffness(world, c, real(n % 8 == 4 ? 0 : 0.5)));
            support_run(world, 30, FRAME);
            x[i] = sn_particle_position(world, a);
            sn_world_destroy(world);
        }
        assert_vec_close(x[0], x[1], EXACTNESS(2e-5, 1e-9));
    }
}

/* It stops when the residual that a pass met is below the tolerance. */
static void tolerance_ends_the_passes(void **state)
{
    (void)state;
    sn_report report;
    sn_world *world = solver_world(direct, 1, 50);
    sn_settings s = sn_world_settings(world);
    s.tolerance = real(1e-5);
    assert_ok(world, sn_world_configure(world, &s));
    solver_chain c = chain_in(world, 20, 0.1, 1, 0);
    for (uint32_t i = 0; i < 60; ++i) {
        support_run(world, 1, FRAME);
        assert_true(chain_strain(&c) < 2e-4);
        assert_ok(world, sn_world_report(world, &report));
        assert_in_range(report.passes, 1, 6);
    }
    sn_world_destroy(world);
}

/* ---- Slack and taut
   ------------------------------------------------------------------------------------------------------ */

/* A ball on a slack rope falls as if there were none, until the rope is taut, and then hangs on it. Nothing pushes. */
static void slack_ropes(void **state)
{
    (void)state;
    rope r = rope_in(solver_world(direct, 10, 1), SN_KIND_DISTANCE_MAX, 40, 0.05, 100);
    for (uint32_t i = 0; i <= 40; ++i) /* to and fro in five folds */
        assert_ok(r.world, sn_particle_set_position(r.world, sn_particles_at(r.node, i),
                                                    vec(0.04 * (i / 8 % 2 ? 8 - i % 8 : i % 8), 0, 0.02 * (i / 8))));
    sn_vec3 start = sn_particle_position(r.world, sn_particles_at(r.node, 40));
    double taut = 0;
    for (uint32_t frame = 1; frame <= 600; ++frame) {
        support_run(r.world, 1, FRAME);
        sn_vec3 x = sn_particle_position(r.world, sn_particles_at(r.node, 40));
        double n = 10.0 * frame, fallen = G * n * (n + 1) / 2 / 360000;
        if (fallen < 1.5)
            assert_close((double)x.y, (double)start.y - fallen, EXACTNESS(1e-4, 1e-9));
        else
            taut = fmax(taut, support_gap(x, vec(0, 0, 0)));
        assert_true(rope_strain(&r, false) < 3e-3); /* 1e-3 but for the moment when it gets taut */
        for (uint32_t i = 0; i < 40; ++i)
            assert_true(sn_constraint_force(r.world, sn_constraints_at(r.rods, i)).row[0] >= 0);
    }
    assert_true(taut > 1.9 && taut < 2.003);
    sn_world_destroy(r.world);
}

/* A rope let down on a floor: contacts of all its particles are leaves of the tree. */
static void a_rope_on_the_floor(void **state)
{
    (void)state;
    sn_world *world = solver_world(direct, 10, 1);
    solver_chain c = chain_in(world, 30, 0.05, 0.1, 0);
    for (uint32_t i = 0; i <= 30; ++i)
        sn_constraint_add_half_space(world, sn_at(c.node[i]), vec(0, -0.7, 0), vec(0, 1, 0));
    for (uint32_t frame = 0; frame < 900; ++frame) {
        support_run(world, 1, FRAME);
        assert_true(chain_strain(&c) < 0.01);
        for (uint32_t i = 0; i <= 30; ++i)
            assert_true((double)sn_particle_position(world, c.node[i]).y > -0.701);
    }
    assert_int_equal(direct_count(world), 61);
    sn_world_destroy(world);
}

/* Between two places that are pulled apart, farther than it is long, for seconds, and back; or squeezed together. */
static void torn_and_squeezed(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {SN_KIND_DISTANCE, SN_KIND_DISTANCE_MAX};
    const uint32_t second = support_rounds(support_long(300, 160), 40); /* of slow motion, in frames */
    for (uint32_t n = 0; n < 8; ++n) {
        rope r = rope_in(solver_world(direct, n & 2 ? 10 : 1, n & 4 ? 5 : 1), kinds[n & 1], 50, 0.02, 1);
        sn_particle end = sn_particles_at(r.node, 50);
        for (uint32_t frame = 0; frame < 4 * second; ++frame) {
            double t = (double)frame / second, way = t < 1   ? 1 + 0.3 * t
                                                     : t < 2 ? 1.3
                                                     : t < 3 ? 1.3 - 1.2 * (t - 2)
                                                             : 0.1 + 0.7 * (t - 3);
            assert_ok(r.world, sn_particle_move_to(r.world, end, vec(way, 0, 0)));
            support_run(r.world, 1, FRAME);
            assert_bounded(r.world, 51, 3, 200);
        }
        assert_int_equal(direct_count(r.world), 50);
        support_run(r.world, support_long(300, 120), FRAME); /* let go: it swings */
        assert_bounded(r.world, 51, 1.1, 50);
        assert_true(rope_strain(&r, false) < 0.01);
        sn_world_destroy(r.world);
    }
}

/* A straight rope between two hooks that is exactly as long as their distance, or a little shorter: nothing to gain. */
static void as_short_as_can_be(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 4; ++n) {
        rope r = rope_in(solver_world(direct, n & 1 ? 10 : 1, n & 2 ? 5 : 1), SN_KIND_DISTANCE, 50, 0.02, 1);
        assert_ok(r.world, sn_particle_set_mass(r.world, sn_particles_at(r.node, 50), SN_IMMOVABLE));
        for (uint32_t frame = 0; frame < support_rounds(600, 120); ++frame) {
            support_run(r.world, 1, FRAME);
            assert_bounded(r.world, 51, 1.2, 20);
        }
        sn_real shorter = real(0.019);
        for (uint32_t i = 0; i < 50; ++i)
            assert_ok(r.world, sn_constraint_set_param(r.world, sn_constraints_at(r.rods, i), "rest", &shorter, 1));
        for (uint32_t frame = 0; frame < support_rounds(600, 120); ++frame) {
            support_run(r.world, 1, FRAME);
            assert_bounded(r.world, 51, 1.2, 20);
        }
        sn_world_destroy(r.world);
    }
}

/* ---- What all solvers have to do
   ------------------------------------------------------------------------------------------- */

static void too_many_constraints(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way) {
        check_every_rod_twice(setups[way], 0.05);
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
    check_switching(direct, 0.5);
}

/* Those that project by themselves, too: they are left to the cascade. */
static void every_kind(void **state)
{
    (void)state;
    for (size_t way = 0; way < COUNT_OF(setups); ++way)
        check_zoo(setups[way]);
    for (uint32_t n = 0; n < 4; ++n) {
        sn_world_def def = sn_default_world_def();
        def.dimensions = 2 + n % 2;
        def.settings.order = n / 2 ? SN_ORDER_WORST_FIRST : SN_ORDER_SYMMETRIC;
        direct(&def.settings);
        sn_world *world = support_world_from(&def);
        support_zoo(world);
        for (uint32_t frame = 0; frame < support_rounds(60, 8); ++frame) {
            assert_ok(world, sn_world_step(world, real(FRAME)));
            assert_bounded(world, SUPPORT_ZOO_PARTICLES, 100, 2000);
        }
        sn_world_destroy(world);
    }
}

/* Every kind that has a gradient, alone and so in a tree, rigid and soft: it comes as near to what it asks for as it
   does under the cascade. */
static void every_kind_alone(void **state)
{
    (void)state;
    solver_setup *const ways[] = {solver_cascade, direct};
    for (uint32_t kind = 1; kind < sn_kind_count(NULL); ++kind)
        for (uint32_t soft = 0; soft < 2; ++soft) {
            const sn_kind *info = sn_kind_info(NULL, kind);
            if (info->force || info->project || info->points == 0 || info->oriented)
                continue;
            double x[2][3 * SN_MAX_POINTS];
            for (uint32_t i = 0; i < 2; ++i) {
                sn_world *world = solver_world(ways[i], 1, 4);
                sn_point point[SN_MAX_POINTS];
                uint64_t seed = kind;
                for (uint32_t k = 0; k < info->points; ++k)
                    point[k] =
                        sn_at(sn_particle_add_at(world,
                                                 vec(support_random_in(&seed, 0, 1), support_random_in(&seed, 0, 1),
                                                     support_random_in(&seed, 0, 1)),
                                                 real(1 + k)));
                sn_constraint_def def = support_constraint_def(world, kind, point);
                def.compliance = real(soft ? 1e-4 : 0);
                assert_ok(world, sn_constraint_add(world, &def, NULL));
                support_run(world, 20, FRAME);
                if (i == 1)
                    assert_int_equal(direct_count(world), 1);
                for (uint32_t k = 0; k < info->points; ++k) {
                    sn_vec3 p = sn_point_position(world, point[k]);
                    x[i][3 * k] = (double)p.x, x[i][3 * k + 1] = (double)p.y, x[i][3 * k + 2] = (double)p.z;
                }
                sn_world_destroy(world);
            }
            for (uint32_t k = 0; k < 3 * info->points; ++k)
                if (fabs(x[0][k] - x[1][k]) > 2e-3)
                    fail_msg("%s, %s: %g by the cascade, %g directly", info->name, soft ? "soft" : "rigid", x[0][k],
                             x[1][k]);
        }
}

static void memory_and_snapshots(void **state)
{
    (void)state;
    check_no_allocation(direct);
    check_out_of_memory(direct);
    check_snapshots(direct);
    check_snapshots(direct_bdf2);
}

/* Particles that are led come and go from step to step, and with them trees; nothing is allocated for that. And a
   snapshot in between is followed by the same bits, although it is loaded into a world that found its trees in another
   way. */
static void led_about(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    direct(&def.settings);
    sn_world *world = support_world_from(&def);
    rope r = rope_in(world, SN_KIND_DISTANCE, 100, 0.02, 500);
    sn_constraint_add_distance(world, sn_at(sn_particles_at(r.node, 40)), sn_at(sn_particles_at(r.node, 60)),
                               SN_MEASURE);
    support_run(world, 30, FRAME);
    assert_int_equal(direct_count(world), 0); /* a cycle */
    sn_particle led = sn_particles_at(r.node, 50);
    uint64_t requests = 0;
    for (uint32_t i = 0; i < 40; ++i) {
        sn_vec3 x = sn_particle_position(world, led);
        if (i % 3)
            assert_ok(world, sn_particle_move_to(world, led, vec((double)x.x, (double)x.y + 1e-3, (double)x.z)));
        if (i == 3)
            requests = memory.requests;
        support_run(world, 1, FRAME);
        assert_int_equal(direct_count(world), i % 3 ? 101 : 0);
    }
    assert_true(memory.requests == requests);
    sn_snapshot *saved = sn_world_save(world);
    assert_non_null(saved);
    sn_world *other = solver_world(direct, 1, 1);
    assert_ok(other, sn_world_load(other, saved));
    assert_ok(world, sn_particle_move_to(world, led, vec(0.8, -0.3, 0)));
    assert_ok(other, sn_particle_move_to(other, led, vec(0.8, -0.3, 0)));
    support_run(world, 20, FRAME);
    support_run(other, 20, FRAME);
    assert_same_world(world, other);
    sn_snapshot_destroy(saved);
    sn_world_destroy(other);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

static bool eval_trap(const sn_eval_in *in, const sn_eval_out *out)
{
    out->c[0] = in->x[1].x - in->x[0].x - 1;
    out->gradient[0] = vec(-1, 0, 0);
    out->gradient[1] = vec(in->param[0] < 0 ? (double)NAN : 1, 0, 0);
    return true;
}

/* A constraint in the middle of a rope whose gradient is no number is named; the world stays where it was. */
static void faults_are_named(void **state)
{
    (void)state;
    sn_kind trap = {
        .name = "trap", .points = 2, .rows = 1, .internal = true, .param = {{.name = "snap"}}, .eval = eval_trap};
    sn_world *world = solver_world(direct, 1, 1);
    uint32_t kind = sn_kind_register(world, &trap);
    rope r = rope_in(world, SN_KIND_DISTANCE, 10, 1, 1);
    sn_particle p = sn_particle_add_at(world, vec(11, 0, 0), 1);
    sn_constraint_def def = sn_default_constraint_def(kind);
    sn_point point[2] = {sn_at(sn_particles_at(r.node, 10)), sn_at(p)};
    sn_constraint bad;
    def.points = point;
    def.param[0] = 1;
    assert_ok(world, sn_constraint_add(world, &def, &bad));
    support_run(world, 2, FRAME);
    assert_int_equal(direct_count(world), 11);
    sn_real snap = -1;
    assert_ok(world, sn_constraint_set_param(world, bad, "snap", &snap, 1));
    uint64_t hash = sn_world_hash(world);
    assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(FRAME)));
    assert_says(sn_world_error(world), "trap constraint 0");
    assert_true(sn_world_hash(world) == hash);
    sn_world_destroy(world);
}

/* A million links are found, and solved, in a time that is proportional to their number, without recursion. */
static void a_million_links(void **state)
{
    (void)state;
    uint32_t links = support_rounds(support_long(1000000, 400000), 50000);
    rope r = rope_in(solver_world(direct, 2, 1), SN_KIND_DISTANCE, links, 0.05, 10);
    support_run(r.world, 2, FRAME);
    assert_int_equal(direct_count(r.world), links);
    assert_true(rope_strain(&r, true) < EXACTNESS(0.2, 1e-3)); /* places are rounded to 4e-3 m out there */
    sn_world_destroy(r.world);
}

/* ---- Cost

   -------------------------------------------------------------------------------------------------------------------- */

static double seconds_of(rope *r, uint32_t frames)
{
    clock_t start = clock();
    support_run(r->world, frames, FRAME);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* Says what a step costs, against one with the cascade, of a rope of 1000 links on which a ton hangs, while it swings
   through its lowest point. Not judged: times are no test. */
static void cost(void **state)
{
    (void)state;
    enum { BLOCKS = 5 };
    rope r[2] = {rope_in(solver_world(solver_cascade, 20, 1), SN_KIND_DISTANCE, 999, 0.05, 1000),
                 rope_in(solver_world(direct, 20, 1), SN_KIND_DISTANCE, 999, 0.05, 1000)};
    double time[2][BLOCKS];
    const uint32_t frames = support_rounds(10, 1);
    support_run(r[1].world, support_rounds(170, 10), FRAME);
    for (uint32_t block = 0; block < BLOCKS; ++block)
        for (uint32_t i = 0; i < 2; ++i)
            time[i][block] = seconds_of(&r[i], frames);
    for (uint32_t i = 0; i < 2; ++i)
        for (uint32_t a = 0; a < BLOCKS; ++a)
            for (uint32_t b = a + 1; b < BLOCKS; ++b)
                if (time[i][b] < time[i][a]) {
                    double swap = time[i][a];
                    time[i][a] = time[i][b];
                    time[i][b] = swap;
                }
    print_message("a step of the rope: %.0f us by the cascade, %.0f us directly, ratio %.2f\n",
                  time[0][BLOCKS / 2] * 1e6 / frames, time[1][BLOCKS / 2] * 1e6 / frames,
                  time[1][BLOCKS / 2] / time[0][BLOCKS / 2]);
    sn_world_destroy(r[0].world);
    sn_world_destroy(r[1].world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_ropes_do_not_stretch),
        cmocka_unit_test(a_hanging_rope_knows_its_load),
        cmocka_unit_test(springs_hang_as_they_should),
        cmocka_unit_test(a_pendulum_is_that_of_the_cascade),
        cmocka_unit_test(second_order_with_bdf2),
        cmocka_unit_test(a_double_pendulum),
        cmocka_unit_test(a_catenary),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(branches),
        cmocka_unit_test(ropes_and_cloth),
        cmocka_unit_test(cut_and_pinned),
        cmocka_unit_test(one_constraint_is_the_cascade),
        cmocka_unit_test(tolerance_ends_the_passes),
        cmocka_unit_test(slack_ropes),
        cmocka_unit_test(a_rope_on_the_floor),
        cmocka_unit_test(torn_and_squeezed),
        cmocka_unit_test(as_short_as_can_be),
        cmocka_unit_test(too_many_constraints),
        cmocka_unit_test(comings_and_goings),
        cmocka_unit_test(switched_without_a_jump),
        cmocka_unit_test(every_kind),
        cmocka_unit_test(every_kind_alone),
        cmocka_unit_test(memory_and_snapshots),
        cmocka_unit_test(led_about),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(a_million_links),
        cmocka_unit_test(cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
