/* Constraints: handles, runs, the order in which they act, reading and changing them, what they exert, and how the
   settings of the solver show in what they do. */
#include "support/support.h"

static sn_world *world;

static int setup_void(void **state)
{
    (void)state;
    world = support_void();
    return 0;
}

static int setup_default(void **state)
{
    (void)state;
    world = support_world();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sn_world_destroy(world);
    world = NULL;
    return 0;
}

static sn_particle at(double x, double y, double z)
{
    sn_particle p = sn_particle_add_at(world, vec(x, y, z), 1);
    assert_true(sn_particle_is_valid(world, p));
    return p;
}

static sn_particle fixed_at(double x, double y, double z)
{
    return sn_particle_add_at(world, vec(x, y, z), SN_IMMOVABLE);
}

static sn_vec3 position(sn_particle p)
{
    return sn_particle_position(world, p);
}

static sn_constraint live(sn_constraint c)
{
    if (!sn_constraint_is_valid(world, c))
        fail_msg("%s", sn_world_error(world));
    return c;
}

static void configure(int sweep, uint32_t substeps, uint32_t iterations, double tolerance)
{
    sn_settings settings = sn_world_settings(world);
    support_set_sweep(&settings, sweep);
    settings.substeps = substeps;
    settings.iterations = iterations;
    settings.tolerance = real(tolerance);
    assert_ok(world, sn_world_configure(world, &settings));
}

static sn_report report(void)
{
    sn_report r;
    assert_ok(world, sn_world_report(world, &r));
    return r;
}

/* ---- Points ------------------------------------------------------------------------------------------------------ */

static void test_points(void **state)
{
    (void)state;
    sn_particle a = at(0, 0, 0), b = at(4, 0, 0), c = at(0, 4, 0), d = at(0, 0, 8);
    sn_real q = real(0.25), h = real(0.5);
    assert_int_equal(sn_at(a).count, 1);
    assert_int_equal(sn_on_triangle(a, b, c, q, q, h).count, 3);
    assert_int_equal(sn_in_tetrahedron(a, b, c, d, q, q, q, q).count, 4);
    assert_vec_same(sn_point_position(world, sn_at(b)), vec(4, 0, 0));
    assert_vec_close(sn_point_position(world, sn_on_triangle(a, b, c, q, q, h)), vec(1, 2, 0), 1e-6);
    assert_vec_close(sn_point_position(world, sn_in_tetrahedron(a, b, c, d, q, q, q, q)), vec(1, 1, 2), 1e-6);
    assert_vec_close(sn_point_position(world, sn_on_triangle(a, b, c, 2, -1, 0)), vec(-4, 0, 0), 1e-6); /* outside */
    sn_real third = real(0.3333); /* sums to 0.9999: the rest is spread */
    assert_vec_close(sn_point_position(world, sn_on_triangle(a, b, c, third, third, third)), vec(4.0 / 3, 4.0 / 3, 0),
                     1e-5);
}

/* A pin on a spot moves its particles in the ratio of their weights, and the spot is then where it should be. */
static void test_spot_shares_the_correction(void **state)
{
    (void)state;
    sn_particle a = at(0, 0, 0), b = at(4, 0, 0), c = at(0, 4, 0);
    sn_point spot = sn_on_triangle(a, b, c, real(0.25), real(0.25), real(0.5));
    live(sn_constraint_add_pin_at(world, spot, vec(1, 2, 3)));
    support_run(world, 1, 0.1);
    assert_vec_close(sn_point_position(world, spot), vec(1, 2, 3), 1e-5);
    /* dx = w b dlambda with sum b^2 = 0.375: 0.25 / 0.375 and 0.5 / 0.375 of 3 */
    assert_vec_close(position(a), vec(0, 0, 2), 1e-5);
    assert_vec_close(position(b), vec(4, 0, 2), 1e-5);
    assert_vec_close(position(c), vec(0, 4, 4), 1e-5);
}

/* A rod from a particle to a spot of which it is a corner: the gradients of the shared particle add up. */
static void test_spot_and_its_own_corner(void **state)
{
    (void)state;
    sn_particle a = at(0, 0, 0), b = at(3, 0, 0), c = at(0, 3, 0);
    sn_real third = real(1.0 / 3);
    sn_point middle = sn_on_triangle(a, b, c, third, third, third);
    sn_constraint rod = live(sn_constraint_add_distance(world, sn_at(a), middle, 1));
    support_run(world, 1, 0.1);
    sn_real value = 1;
    assert_ok(world, sn_constraint_value(world, rod, &value));
    assert_close(value, 0, 1e-5); /* with sum b^2 w as the denominator it would miss by far */
    sn_report r = report();
    for (uint32_t i = 0; i < 3; ++i)
        assert_close(r.momentum[i], 0, 1e-4);
}

/* ---- Handles and runs -------------------------------------------------------------------------------------------- */

static void test_handles(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(1, 0, 0);
    sn_constraint a = live(sn_constraint_add_distance(world, sn_at(p), sn_at(q), 1));
    sn_constraint b = live(sn_constraint_add_distance(world, sn_at(p), sn_at(q), 2));
    sn_constraint pin = live(sn_constraint_add_pin(world, p));
    assert_int_equal(a.kind, SN_KIND_DISTANCE);
    assert_int_equal(pin.kind, SN_KIND_PIN);
    assert_int_not_equal(a.index, b.index);
    assert_ok(world, sn_constraint_remove(world, a));
    assert_false(sn_constraint_is_valid(world, a));
    live(b);
    live(pin);
    sn_constraint heir = live(sn_constraint_add_distance(world, sn_at(p), sn_at(q), 3));
    assert_int_equal(heir.index, a.index);
    assert_false(sn_constraint_is_valid(world, a));
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_DISTANCE), 2);
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_PIN), 1);
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_NONE), 3);
}

static double rest_of(sn_constraint c)
{
    sn_point points[SN_MAX_POINTS];
    sn_constraint_def def;
    assert_ok(world, sn_constraint_read(world, c, &def, points, SN_MAX_POINTS));
    return (double)def.param[0];
}

static void test_runs(void **state)
{
    (void)state;
    sn_real xyz[3 * 6], rest[5] = {1, 2, 3, 4, 5};
    uint32_t index[2 * 5];
    for (uint32_t i = 0; i < 18; ++i)
        xyz[i] = real(i);
    sn_particles line = sn_particles_add(world, 6, xyz, 0, 1);
    for (uint32_t i = 0; i < 5; ++i) {
        index[2 * i] = line.first + i;
        index[2 * i + 1] = line.first + i + 1;
    }
    sn_constraints given = sn_constraints_add_kind(world, SN_KIND_DISTANCE, 5, index, rest, NULL);
    sn_constraints measured = sn_constraints_add_kind(world, SN_KIND_DISTANCE, 5, index, NULL, NULL);
    assert_int_equal(given.count, 5);
    assert_int_equal(measured.count, 5);
    for (uint32_t i = 0; i < 5; ++i) {
        assert_close(rest_of(sn_constraints_at(given, i)), 1 + i, 0);
        assert_close(rest_of(sn_constraints_at(measured, i)), sqrt(27.0), 1e-5);
    }
    sn_constraint beyond = sn_constraints_at(given, 5);
    assert_true(beyond.kind == 0 && beyond.index == 0 && beyond.generation == 0);
    assert_ok(world, sn_constraint_remove(world, sn_constraints_at(given, 2)));
    for (uint32_t i = 0; i < 5; ++i)
        assert_int_equal(sn_constraint_is_valid(world, sn_constraints_at(given, i)), i != 2);
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    def.param[0] = 7;
    def.compliance = real(0.5);
    def.stiffness = real(0.25);
    sn_constraints shared;
    assert_ok(world, sn_constraints_add(world, &def, 3, index, NULL, &shared));
    assert_close(rest_of(sn_constraints_at(shared, 2)), 7, 0);
    assert_ok(world, sn_constraints_add(world, &def, 1, index, NULL, NULL));
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_DISTANCE), 13);
}

/* Random additions and removals, single and in runs, against a plain list. */
#define CROWD 128

static void test_numbers_stay(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(1, 0, 0);
    uint32_t index[] = {p.index, q.index, q.index, p.index};
    sn_constraint handle[CROWD];
    double rest[CROWD];
    bool alive[CROWD] = {false};
    uint64_t seed = 7;
    uint32_t count = 0;
    for (uint32_t round = 0; round < 4000; ++round) {
        uint32_t i = support_random_below(&seed, CROWD / 2) * 2;
        if (alive[i] || alive[i + 1]) {
            i += alive[i] ? 0 : 1;
            assert_ok(world, sn_constraint_remove(world, handle[i]));
            alive[i] = false;
            count--;
        } else {
            sn_real both[2] = {real(round), real(round + 0.5)};
            sn_constraints run = sn_constraints_add_kind(world, SN_KIND_DISTANCE, 2, index, both, NULL);
            assert_int_equal(run.count, 2);
            for (uint32_t j = 0; j < 2; ++j) {
                handle[i + j] = sn_constraints_at(run, j);
                rest[i + j] = (double)both[j];
                alive[i + j] = true;
            }
            count += 2;
        }
        assert_int_equal(sn_world_constraint_count(world, SN_KIND_DISTANCE), count);
    }
    for (uint32_t i = 0; i < CROWD; ++i)
        if (alive[i])
            assert_close(rest_of(handle[i]), rest[i], 0);
}

/* ---- Reading and changing ---------------------------------------------------------------------------------------- */

static void expect_same_def(const sn_constraint_def *a, const sn_constraint_def *b, const sn_kind *kind)
{
    assert_int_equal(a->kind, b->kind);
    assert_true(a->compliance == b->compliance && a->damping == b->damping && a->stiffness == b->stiffness);
    assert_memory_equal(a->param, b->param, sn_kind_param_count(kind) * sizeof(sn_real));
    assert_int_equal(a->point_count, support_point_count(kind, false));
    assert_int_equal(b->point_count, a->point_count);
    for (uint32_t i = 0; i < a->point_count; ++i) {
        assert_int_equal(a->points[i].count, b->points[i].count);
        for (uint32_t j = 0; j < a->points[i].count; ++j) {
            assert_int_equal(a->points[i].particle[j].index, b->points[i].particle[j].index);
            assert_int_equal(a->points[i].particle[j].generation, b->points[i].particle[j].generation);
            assert_true(a->points[i].weight[j] == b->points[i].weight[j]);
        }
    }
}

/* A fixed number of them, and no spots. */
static bool only_particles(const sn_constraint_def *def)
{
    bool plain = sn_kind_info(world, def->kind)->points > 0;
    for (uint32_t i = 0; i < def->point_count; ++i)
        plain = plain && def->points[i].count == 1;
    return plain;
}

/* What is read of any constraint of any kind can be added, and reads the same again. */
static void check_read_round_trip(int sweep)
{
    configure(sweep, 10, 1, 0);
    assert_int_equal(sn_kind_register(world, &support_kind_gap), SN_KIND_BUILTIN_END);
    support_animals zoo = support_zoo(world);
    support_run(world, 5, 1.0 / 60);
    for (uint32_t kind = 1; kind < zoo.kind_count; ++kind) {
        const sn_constraint all[] = {zoo.rigid[kind], zoo.on_spots[kind], zoo.soft[kind], zoo.half_stiff[kind]};
        for (uint32_t i = 0; i < COUNT_OF(all); ++i) {
            sn_point points[SUPPORT_MOST_POINTS], again_points[SUPPORT_MOST_POINTS];
            sn_constraint_def def, again;
            sn_constraint copy;
            if (all[i].generation == 0) /* this kind does not take that */
                continue;
            uint32_t count = sn_constraint_point_count(world, all[i]);
            assert_int_equal(count, support_point_count(sn_kind_info(world, kind), false));
            assert_result(world, SN_ERROR_ARGUMENT, sn_constraint_read(world, all[i], &def, points, count - 1));
            assert_ok(world, sn_constraint_read(world, all[i], &def, points, count));
            assert_ptr_equal(def.points, points);
            assert_ok(world, sn_constraint_add(world, &def, &copy));
            assert_ok(world, sn_constraint_read(world, copy, &again, again_points, SUPPORT_MOST_POINTS));
            expect_same_def(&def, &again, sn_kind_info(world, kind));
            uint64_t hash = sn_world_hash(world);
            assert_ok(world, sn_constraint_change(world, copy, &again));
            if (sweep != SUPPORT_TILED || only_particles(&def)) /* otherwise it may get another place in the plan */
                assert_true(sn_world_hash(world) == hash);      /* a change to the same is no change */
        }
    }
}

static void test_read_round_trip(void **state)
{
    (void)state;
    check_read_round_trip(SN_ORDER_THERE_AND_BACK);
}

static void test_read_round_trip_with_a_plan(void **state)
{
    (void)state;
    check_read_round_trip(SUPPORT_TILED);
}

static void test_change(void **state)
{
    (void)state;
    sn_particle p[5] = {at(0, 0, 0), at(1, 0, 0), at(0, 2, 0), at(0, 0, 3), at(4, 4, 4)};
    sn_constraint rod = live(sn_constraint_add_distance(world, sn_at(p[0]), sn_at(p[1]), 1));
    sn_point to[2] = {sn_at(p[0]), sn_on_triangle(p[1], p[2], p[3], real(0.25), real(0.25), real(0.5))}, back[8];
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE), read;
    def.points = to;
    def.compliance = real(0.5);
    def.damping = real(0.25);
    def.stiffness = real(0.75);
    assert_ok(world, sn_constraint_change(world, rod, &def)); /* the rest length is measured anew */
    assert_ok(world, sn_constraint_read(world, rod, &read, back, SN_MAX_POINTS));
    assert_close(read.param[0], support_gap(vec(0, 0, 0), vec(0.25, 0.5, 1.5)), 1e-6);
    assert_true(read.compliance == real(0.5) && read.damping == real(0.25) && read.stiffness == real(0.75));
    assert_int_equal(back[1].count, 3);
    assert_int_equal(back[1].particle[2].index, p[3].index);
    to[1] = sn_at(p[4]);
    assert_ok(world, sn_constraint_change(world, rod, &def)); /* and from a spot to a particle */
    assert_ok(world, sn_constraint_read(world, rod, &read, back, SN_MAX_POINTS));
    assert_int_equal(back[1].count, 1);
    assert_int_equal(back[1].particle[0].index, p[4].index);
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_NONE), 1);
}

static void test_set_param(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(1, 0, 0);
    sn_constraint rod = live(sn_constraint_add_distance(world, sn_at(p), sn_at(q), 1));
    sn_constraint plane = live(sn_constraint_add_half_space(world, sn_at(p), vec(0, -1, 0), vec(0, 1, 0)));
    sn_real rest = 3, normal[3] = {0, 0, -2}, origin[3] = {1, 2, 3};
    assert_ok(world, sn_constraint_set_param(world, rod, "rest", &rest, 1));
    assert_close(rest_of(rod), 3, 0);
    assert_ok(world, sn_constraint_set_param(world, plane, "normal", normal, 3));
    assert_ok(world, sn_constraint_set_param(world, plane, "origin", origin, 3));
    sn_point points[SN_MAX_POINTS];
    sn_constraint_def def;
    assert_ok(world, sn_constraint_read(world, plane, &def, points, SN_MAX_POINTS));
    const sn_real expected[6] = {1, 2, 3, 0, 0, -1}; /* the direction is normalised */
    for (uint32_t i = 0; i < 6; ++i)
        assert_true(def.param[i] == expected[i]);
    assert_ok(world, sn_particle_remove(world, p)); /* takes the plane along */
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_NONE), 0);
}

/* A parameter on its own can be measured again. */
static void test_set_param_measures(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(1, 0, 0);
    sn_constraint rod = live(sn_constraint_add_distance(world, sn_at(p), sn_at(q), 5));
    sn_real rest = SN_MEASURE;
    assert_ok(world, sn_constraint_set_param(world, rod, "rest", &rest, 1));
    assert_close(rest_of(rod), 1, 1e-6);
}

static void test_set_material(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(1, 0, 0);
    sn_constraint rod = live(sn_constraint_add_distance(world, sn_at(p), sn_at(q), 1));
    sn_material material = {sn_compliance(4), 3};
    assert_true(material.compliance == real(0.25));
    assert_ok(world, sn_constraint_set_stiffness(world, rod, real(0.5)));
    assert_ok(world, sn_constraint_set_material(world, rod, material));
    sn_point points[SN_MAX_POINTS];
    sn_constraint_def def;
    assert_ok(world, sn_constraint_read(world, rod, &def, points, SN_MAX_POINTS));
    assert_true(def.compliance == real(0.25) && def.damping == 3 && def.stiffness == real(0.5));
}

/* Whether a kind measures something that moves the zero of its C: a place, or a number in the unit of C. The weights of
   isometric bending do not; whatever they are, at rest it is flat. */
static bool measures_its_rest(const sn_kind *kind)
{
    for (const sn_param *p = kind->param; kind->measure && p->name; ++p)
        if (p->type == SN_PARAM_POSITION || strcmp(p->unit, kind->unit) == 0)
            return true;
    return false;
}

/* Every parameter of every kind that was measured makes the constraint hold as it stands. */
static void test_measured_constraints_hold(void **state)
{
    (void)state;
    assert_int_equal(sn_kind_register(world, &support_kind_gap), SN_KIND_BUILTIN_END);
    support_animals zoo = support_zoo(world);
    for (uint32_t kind = 1; kind < zoo.kind_count; ++kind) {
        const sn_kind *info = sn_kind_info(world, kind);
        sn_real value[SN_MAX_ROWS];
        if (!measures_its_rest(info) || info->oriented)
            continue;
        assert_ok(world, sn_constraint_value(world, zoo.rigid[kind], value));
        for (uint32_t row = 0; row < info->rows; ++row) {
            if (info->inequality >> row & 1)
                assert_true((double)value[row] >= -1e-6);
            else
                assert_close(value[row], 0, 1e-6);
        }
    }
}

static void test_value(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(3, 4, 0), r = at(0, 0, 0);
    sn_constraint rod = live(sn_constraint_add_distance(world, sn_at(p), sn_at(q), 2));
    sn_constraint band = live(sn_constraint_add_distance_band(world, sn_at(p), sn_at(q), 6, 8));
    sn_constraint collapsed = live(sn_constraint_add_distance(world, sn_at(p), sn_at(r), 0));
    sn_constraint closed = live(sn_constraint_add_distance(world, sn_at(p), sn_at(r), 2));
    sn_real value[SN_MAX_ROWS] = {0};
    assert_ok(world, sn_constraint_value(world, rod, value));
    assert_close(value[0], 3, 1e-6);
    assert_ok(world, sn_constraint_value(world, band, value));
    assert_close(value[0], -1, 1e-6);
    assert_close(value[1], 3, 1e-6);
    assert_ok(world, sn_constraint_value(world, collapsed, value)); /* no direction, and none needed: not evaluated */
    assert_true(isnan(value[0]));
    assert_ok(world, sn_constraint_value(world, closed, value)); /* has to open, in a direction that is chosen */
    assert_close(value[0], -2, 0);
}

/* ---- Order ------------------------------------------------------------------------------------------------------- */

/* One particle, pinned to several places at once: the last pin that acts has it. */
static sn_particle torn;

/* The order of these tests is that of addition, whatever the default is. */
static void visit_as_added(void)
{
    sn_settings settings = sn_world_settings(world);
    support_set_sweep(&settings, SN_ORDER_INSERTION);
    assert_ok(world, sn_world_configure(world, &settings));
}

static sn_constraint pin_to(double x)
{
    return live(sn_constraint_add_pin_at(world, sn_at(torn), vec(x, 0, 0)));
}

/* Where it ends up, from x = 0. */
static double pulled_to(void)
{
    assert_ok(world, sn_particle_set_position(world, torn, vec(0, 0, 0)));
    assert_ok(world, sn_particle_set_velocity(world, torn, vec(0, 0, 0)));
    support_run(world, 1, 0.1);
    return (double)position(torn).x;
}

static void test_insertion_order(void **state)
{
    (void)state;
    visit_as_added();
    torn = at(0, 0, 0);
    sn_constraint one = pin_to(1), two = pin_to(2);
    pin_to(3);
    assert_close(pulled_to(), 3, 1e-6);
    assert_ok(world, sn_constraint_remove(world, two));
    assert_close(pulled_to(), 3, 1e-6);
    pin_to(4); /* takes the number of the one that was removed, but comes last */
    assert_close(pulled_to(), 4, 1e-6);
    sn_real target[3] = {9, 0, 0};
    assert_ok(world, sn_constraint_set_param(world, one, "target", target, 3)); /* a change keeps the place */
    assert_close(pulled_to(), 4, 1e-6);
    sn_point point = sn_at(torn);
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_PIN);
    def.points = &point;
    for (uint32_t i = 0; i < 3; ++i)
        def.param[i] = i == 0 ? 8 : 0;
    assert_ok(world, sn_constraint_change(world, one, &def));
    assert_close(pulled_to(), 4, 1e-6);
}

/* Kinds that are added in turns act in turns. */
static void test_insertion_order_across_kinds(void **state)
{
    (void)state;
    visit_as_added();
    torn = at(0, 0, 0);
    sn_particle anchor = fixed_at(-1, 0, 0);
    pin_to(1);
    sn_constraint rod = live(sn_constraint_add_distance(world, sn_at(torn), sn_at(anchor), 3)); /* to x = 2 */
    assert_close(pulled_to(), 2, 1e-5);
    sn_constraint last = pin_to(3);
    assert_close(pulled_to(), 3, 1e-5);
    assert_ok(world, sn_constraint_remove(world, last));
    assert_close(pulled_to(), 2, 1e-5);
    uint32_t index[] = {torn.index, torn.index};
    sn_real targets[] = {5, 0, 0, 6, 0, 0};
    sn_constraints run = sn_constraints_add_kind(world, SN_KIND_PIN, 2, index, targets, NULL);
    assert_close(pulled_to(), 6, 1e-5);
    assert_ok(world, sn_constraint_remove(world, sn_constraints_at(run, 1)));
    assert_close(pulled_to(), 5, 1e-5);
    assert_ok(world, sn_constraint_remove(world, sn_constraints_at(run, 0)));
    assert_ok(world, sn_constraint_remove(world, rod));
    assert_close(pulled_to(), 1, 1e-5);
}

/* Many removals and additions later, what was added last still acts last. */
static void test_insertion_order_survives(void **state)
{
    (void)state;
    visit_as_added();
    torn = at(0, 0, 0);
    sn_constraint pins[40];
    double place[40];
    uint64_t seed = 3;
    for (uint32_t i = 0; i < 40; ++i) {
        place[i] = i + 1;
        pins[i] = pin_to(place[i]);
    }
    for (uint32_t round = 0; round < 500; ++round) {
        uint32_t i = support_random_below(&seed, 40);
        assert_ok(world, sn_constraint_remove(world, pins[i]));
        place[i] = 100 + round;
        pins[i] = pin_to(place[i]);
        if (round % 50 == 0)
            assert_close(pulled_to(), place[i], 1e-4);
    }
}

/* Forward and back: what was added first has the last word. */
static void test_symmetric_order(void **state)
{
    (void)state;
    visit_as_added();
    torn = at(0, 0, 0);
    configure(SN_ORDER_SYMMETRIC, 1, 1, 0);
    pin_to(1);
    pin_to(2);
    pin_to(3);
    assert_close(pulled_to(), 1, 1e-6);
    assert_int_equal(report().passes, 1); /* two sweeps are one pass */
}

/* The worst first, whatever the order of insertion: 4, then -3, then 4 again, and the fourth is for the worst of those that had no
   turn: -2. */
static void test_worst_first_order(void **state)
{
    (void)state;
    visit_as_added();
    torn = at(0, 0, 0);
    configure(SN_ORDER_WORST_FIRST, 1, 1, 0);
    pin_to(-2);
    pin_to(1);
    pin_to(-3);
    pin_to(4);
    assert_close(pulled_to(), -2, 1e-6);
}

/* ---- Passes, tolerance, convergence ------------------------------------------------------------------------------ */

/* A chain that hangs from the first of its particles. */
static sn_particles hang_chain(uint32_t count)
{
    sn_real xyz[3 * 64] = {0};
    for (uint32_t i = 0; i < count; ++i)
        xyz[3 * i] = real(0.1 * i);
    sn_particles chain = sn_particles_add(world, count, xyz, 0, real(0.1));
    assert_ok(world, sn_particle_set_mass(world, sn_particles_at(chain, 0), SN_IMMOVABLE));
    for (uint32_t i = 0; i + 1 < count; ++i)
        live(sn_constraint_add_distance(world, sn_at(sn_particles_at(chain, i)), sn_at(sn_particles_at(chain, i + 1)),
                                        SN_MEASURE));
    return chain;
}

static double largest_residual(void)
{
    sn_report r = report();
    double largest = 0;
    for (uint32_t i = 0; i < r.kind_count; ++i)
        largest = r.kinds[i].largest > largest ? r.kinds[i].largest : largest;
    return largest;
}

static void test_passes_without_tolerance(void **state)
{
    (void)state;
    hang_chain(5);
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
        configure(sweep, 4, 7, 0);
        support_run(world, 1, 0.01);
        assert_int_equal(report().passes, 28);
    }
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
        configure(sweep, 3, 0, 0); /* no passes at all: constraints are ignored */
        support_run(world, 1, 0.01);
        assert_int_equal(report().passes, 0);
    }
}

static void test_tolerance_stops_early(void **state)
{
    (void)state;
    const double tolerance = 1e-3;
    hang_chain(12);
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
        configure(sweep, 1, 5000, tolerance);
        support_run(world, 20, 1.0 / 60);
        sn_report r = report();
        assert_in_range(r.passes, 2, 4999);
        assert_true(largest_residual() <=
                    2 * tolerance);        /* the tolerance is in metres, the gradient's length is sqrt(2) */
        configure(sweep, 1, 3, tolerance); /* at most so many */
        support_run(world, 1, 1.0 / 60);
        assert_true(report().passes <= 3);
    }
}

/* Nothing to do takes one pass to find out. */
static void test_tolerance_when_satisfied(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(1, 0, 0);
    live(sn_constraint_add_distance(world, sn_at(p), sn_at(q), SN_MEASURE));
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
        configure(sweep, 5, 100, 1e-4);
        support_run(world, 1, 0.1);
        assert_int_equal(report().passes, 5);
        assert_vec_close(position(p), vec(0, 0, 0), 0);
        assert_vec_close(position(q), vec(1, 0, 0), 0);
    }
}

/* Every order reaches the same shape, and more passes bring it closer. */
static void test_orders_converge(void **state)
{
    (void)state;
    sn_particles chain = hang_chain(10);
    sn_snapshot *start = sn_world_save(world);
    sn_vec3 end[SUPPORT_SWEEPS];
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
        double rough, fine;
        configure(sweep, 1, 5, 0);
        support_run(world, 10, 1.0 / 60);
        rough = largest_residual();
        assert_ok(world, sn_world_load(world, start));
        configure(sweep, 1, 600, 0);
        support_run(world, 10, 1.0 / 60);
        fine = largest_residual();
        end[sweep] = position(sn_particles_at(chain, 9));
        assert_ok(world, sn_world_load(world, start));
        assert_true(fine < rough / 10);
    }
    for (int sweep = 1; sweep < SUPPORT_SWEEPS; ++sweep)
        assert_vec_close(end[0], end[sweep], 1e-3);
    sn_snapshot_destroy(start);
}

/* The report by kind: only kinds that are there, each with its worst. */
static void test_report_by_kind(void **state)
{
    (void)state;
    sn_report r = report();
    assert_int_equal(r.kind_count, 0);
    assert_null(sn_report_kind(&r, SN_KIND_DISTANCE));
    sn_particle p = at(0, 0, 0), q = at(1, 0, 0);
    live(sn_constraint_add_distance(world, sn_at(p), sn_at(q), real(1.5)));
    sn_constraint worst = live(sn_constraint_add_distance(world, sn_at(p), sn_at(q), 3));
    live(sn_constraint_add_pin(world, p));
    r = report();
    assert_int_equal(r.kind_count, 2);
    assert_int_equal(r.constraints, 3);
    assert_int_equal(r.particles, 2);
    const sn_kind_report *rods = sn_report_kind(&r, SN_KIND_DISTANCE), *pins = sn_report_kind(&r, SN_KIND_PIN);
    assert_non_null(rods);
    assert_non_null(pins);
    assert_null(sn_report_kind(&r, SN_KIND_BOX));
    assert_null(sn_report_kind(&r, SN_KIND_NONE));
    assert_string_equal(rods->name, "distance");
    assert_int_equal(rods->count, 2);
    assert_close(rods->largest, 2, 1e-6);
    assert_close(rods->mean, 1.25, 1e-6);
    assert_memory_equal(&rods->worst, &worst, sizeof worst);
    assert_int_equal(pins->count, 1);
    assert_close(pins->largest, 0, 0);
    assert_int_equal(pins->worst.generation, 0);
}

/* ---- Stiffness k ------------------------------------------------------------------------------------------------- */

/* What is left of a stretch of 1 m after one step, in one substep of so many passes. */
static double left_over(double k, uint32_t iterations, bool correct)
{
    sn_particle p = fixed_at(0, 0, 0), q = at(2, 0, 0);
    sn_constraint rod = live(sn_constraint_add_distance(world, sn_at(p), sn_at(q), 1));
    assert_ok(world, sn_constraint_set_stiffness(world, rod, real(k)));
    sn_settings settings = sn_world_settings(world);
    settings.iterations = iterations;
    settings.correct_stiffness = correct;
    assert_ok(world, sn_world_configure(world, &settings));
    support_run(world, 1, 0.1);
    double left = (double)position(q).x - 1;
    assert_ok(world, sn_particle_remove(world, p));
    assert_ok(world, sn_particle_remove(world, q));
    return left;
}

static void test_stiffness(void **state)
{
    (void)state;
    const double k[] = {0, 0.1, 0.5, 0.9, 1};
    const uint32_t iterations[] = {1, 2, 5, 20};
    for (uint32_t i = 0; i < COUNT_OF(k); ++i)
        for (uint32_t j = 0; j < COUNT_OF(iterations); ++j) {
            assert_close(left_over(k[i], iterations[j], false), pow(1 - k[i], iterations[j]), 1e-5);
            assert_close(left_over(k[i], iterations[j], true), 1 - k[i], 1e-5);
        }
}

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

/* A weight on a rod: the rod pulls with m g. Before the first step it pulls with nothing. */
static void test_force(void **state)
{
    (void)state;
    sn_particle top = fixed_at(0, 0, 0), bob = sn_particle_add_at(world, vec(0, -1, 0), 2);
    sn_constraint rod = live(sn_constraint_add_distance(world, sn_at(top), sn_at(bob), 1));
    sn_force before = sn_constraint_force(world, rod);
    assert_true(before.magnitude == 0 && before.rows == 1 && before.row[0] == 0);
    assert_vec_close(sn_constraint_force_on(world, rod, 0), vec(0, 0, 0), 0);
    support_run(world, 5, 1.0 / 60);
    sn_force force = sn_constraint_force(world, rod);
    double tolerance = sizeof(sn_real) == 4 ? 0.2 : 1e-6;
    assert_close(force.magnitude, 2 * 9.81, tolerance);
    assert_close(force.row[0], -2 * 9.81, tolerance); /* a stretched rod pulls C down */
    assert_vec_close(sn_constraint_force_on(world, rod, 1), vec(0, 2 * 9.81, 0), tolerance);
    assert_vec_close(sn_constraint_force_on(world, rod, 0), vec(0, -2 * 9.81, 0), tolerance);
}

/* The forces of an internal kind on its points sum to zero, whatever the points are. */
static void test_forces_balance(void **state)
{
    (void)state;
    support_animals zoo = support_zoo(world);
    support_run(world, 20, 1.0 / 60);
    for (uint32_t kind = 1; kind < zoo.kind_count; ++kind) {
        const sn_kind *info = sn_kind_info(world, kind);
        const sn_constraint all[] = {zoo.rigid[kind], zoo.on_spots[kind], zoo.soft[kind], zoo.half_stiff[kind]};
        for (uint32_t i = 0; info->internal && i < COUNT_OF(all); ++i) {
            sn_vec3 sum = vec(0, 0, 0);
            sn_real value[SN_MAX_ROWS];
            if (all[i].generation == 0)
                continue;
            assert_ok(world, sn_constraint_value(world, all[i], value));
            if (isnan(value[0])) /* no direction as positions are now */
                continue;
            for (uint32_t point = 0; point < support_point_count(info, false); ++point) {
                sn_vec3 f = sn_constraint_force_on(world, all[i], point);
                assert_true(support_is_finite(f));
                sum = (sn_vec3){sum.x + f.x, sum.y + f.y, sum.z + f.z};
            }
            double size = (double)sn_constraint_force(world, all[i]).magnitude;
            assert_vec_close(sum, vec(0, 0, 0), 1e-5 * (1 + size));
        }
    }
}

/* Where a constraint has no direction it cannot say where it pulls, and the report counts it apart. */
static void test_undefined(void **state)
{
    (void)state;
    sn_particle p = at(0, 0, 0), q = at(0, 0, 0), r = at(3, 0, 0);
    sn_constraint collapsed = live(sn_constraint_add_distance(world, sn_at(p), sn_at(q), 0));
    sn_constraint rod = live(sn_constraint_add_distance(world, sn_at(p), sn_at(r), 1));
    assert_true(support_is_nan(sn_constraint_force_on(world, collapsed, 0)));
    assert_says(sn_world_error(world), "distance direction");
    assert_true(support_is_nan(sn_constraint_force_on(world, collapsed, 1)));
    assert_vec_same(sn_constraint_force_on(world, rod, 0), vec(0, 0, 0)); /* no step yet */
    assert_true(sn_constraint_force(world, collapsed).magnitude == 0);
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    const sn_kind_report *rods = sn_report_kind(&report, SN_KIND_DISTANCE);
    assert_non_null(rods);
    assert_string_equal(rods->name, "distance");
    assert_int_equal(rods->count, 2);
    assert_int_equal(rods->undefined, 1);
    assert_close(rods->largest, 2, 1e-6);
    assert_close(rods->mean, 2, 1e-6); /* of those that are defined */
    assert_int_equal(rods->worst.index, rod.index);
    assert_null(sn_report_kind(&report, SN_KIND_PIN));
    assert_ok(world, sn_constraint_remove(world, rod));
    assert_ok(world, sn_world_report(world, &report));
    rods = sn_report_kind(&report, SN_KIND_DISTANCE);
    assert_true(rods->undefined == 1 && rods->largest == 0 && rods->mean == 0 && rods->worst.generation == 0);
}

/* ---- Runs that go together --------------------------------------------------------------------------------------- */

/* A rope of rods in a world of its own, on its way. */
static sn_world *rope_world(sn_integrator integrator, sn_constraints *rods)
{
    sn_world_def def = sn_default_world_def();
    def.settings.integrator = integrator;
    sn_world *rope = support_world_from(&def);
    sn_real xyz[3 * 20] = {0};
    uint32_t index[2 * 19];
    for (uint32_t i = 0; i < 20; ++i)
        xyz[3 * i] = real(0.1 * i);
    sn_particles run = sn_particles_add(rope, 20, xyz, 0, 1);
    for (uint32_t i = 0; i < 19; ++i) {
        index[2 * i] = run.first + i;
        index[2 * i + 1] = run.first + i + 1;
    }
    sn_constraint_add_pin(rope, sn_particles_at(run, 0));
    *rods = sn_constraints_add_kind(rope, SN_KIND_DISTANCE, 19, index, NULL, NULL);
    assert_int_equal(rods->count, 19);
    support_run(rope, 5, 1.0 / 60);
    return rope;
}

/* A run removed at once is its constraints removed one by one, whatever the integrator remembers of their motion. */
static void test_remove_run(void **state)
{
    (void)state;
    for (int integrator = SN_INTEGRATOR_SYMPLECTIC_EULER; integrator <= SN_INTEGRATOR_BDF2; ++integrator) {
        sn_constraints at_once, one_by_one;
        sn_world *a = rope_world((sn_integrator)integrator, &at_once);
        sn_world *b = rope_world((sn_integrator)integrator, &one_by_one);
        assert_ok(a, sn_constraints_remove(a, at_once));
        for (uint32_t i = 0; i < one_by_one.count; ++i)
            assert_ok(b, sn_constraint_remove(b, sn_constraints_at(one_by_one, i)));
        assert_int_equal(sn_world_constraint_count(a, SN_KIND_DISTANCE), 0);
        assert_int_equal(sn_world_constraint_count(a, SN_KIND_NONE), 1);
        for (uint32_t i = 0; i < at_once.count; ++i)
            assert_false(sn_constraint_is_valid(a, sn_constraints_at(at_once, i)));
        assert_same_world(a, b);
        support_run(a, 5, 1.0 / 60);
        support_run(b, 5, 1.0 / 60);
        assert_same_world(a, b);
        sn_world_destroy(a);
        sn_world_destroy(b);
    }
}

/* Bad runs change nothing: null, removed already, removed in part, too long, of no kind. */
static void test_remove_bad_runs(void **state)
{
    (void)state;
    sn_constraints rods, bad;
    sn_world *rope = rope_world(SN_INTEGRATOR_SYMPLECTIC_EULER, &rods);
    uint64_t hash = sn_world_hash(rope);
    assert_int_equal(sn_constraints_remove(NULL, rods), SN_ERROR_ARGUMENT);
    assert_result(rope, SN_ERROR_STALE, sn_constraints_remove(rope, (sn_constraints){0, 0, 0, 0}));
    assert_says(sn_world_error(rope), "run null");
    bad = rods;
    bad.count = UINT32_MAX;
    assert_result(rope, SN_ERROR_STALE, sn_constraints_remove(rope, bad));
    bad = rods;
    bad.first = UINT32_MAX - 2;
    assert_result(rope, SN_ERROR_STALE, sn_constraints_remove(rope, bad));
    bad = rods;
    bad.kind = SN_KIND_NONE;
    assert_result(rope, SN_ERROR_STALE, sn_constraints_remove(rope, bad));
    bad.kind = UINT32_MAX;
    assert_result(rope, SN_ERROR_STALE, sn_constraints_remove(rope, bad));
    bad = rods;
    bad.generation++;
    assert_result(rope, SN_ERROR_STALE, sn_constraints_remove(rope, bad));
    assert_true(sn_world_hash(rope) == hash);
    assert_ok(rope, sn_constraint_remove(rope, sn_constraints_at(rods, 18)));
    hash = sn_world_hash(rope);
    assert_result(rope, SN_ERROR_STALE, sn_constraints_remove(rope, rods));
    assert_true(sn_world_hash(rope) == hash);
    bad = rods;
    bad.count = 18; /* the part that is left is a run as well */
    assert_ok(rope, sn_constraints_remove(rope, bad));
    assert_result(rope, SN_ERROR_STALE, sn_constraints_remove(rope, bad));
    assert_int_equal(sn_world_constraint_count(rope, SN_KIND_NONE), 1);
    support_run(rope, 1, 1.0 / 60);
    sn_world_destroy(rope);
}

/* ---- Volumes ----------------------------------------------------------------------------------------------------- */

/* The short form: a tetrahedron that is squeezed flat by half gets its volume back. */
static void test_volume(void **state)
{
    (void)state;
    sn_point a = sn_at(at(0, 0, 0)), b = sn_at(at(1, 0, 0)), c = sn_at(at(0, 1, 0)), d = sn_at(at(0, 0, 1));
    sn_constraint tetrahedron = live(sn_constraint_add_volume(world, a, b, c, d, SN_MEASURE));
    sn_real value = 1;
    assert_close(rest_of(tetrahedron), 1.0 / 6, 1e-6);
    assert_ok(world, sn_particle_set_position(world, d.particle[0], vec(0, 0, 0.5)));
    for (uint32_t i = 0; i < 10; ++i) {
        support_run(world, 1, 1);
        for (uint32_t j = 0; j < 4; ++j)
            assert_ok(world, sn_particle_set_velocity(world, sn_particle_from_index(world, j), vec(0, 0, 0)));
    }
    assert_ok(world, sn_constraint_value(world, tetrahedron, &value));
    assert_close(value, 0, 1e-6);
    assert_int_equal(sn_constraint_point_count(world, tetrahedron), 4);
    assert_int_equal(sn_constraint_add_volume(world, a, b, c, c, 1).generation, 0);
    assert_int_equal(sn_constraint_add_volume(world, a, b, c, d, (sn_real)NAN).generation, 0);
    assert_int_equal(sn_constraint_add_volume(NULL, a, b, c, d, 1).generation, 0);
}

/* ---- Kinds of one's own ------------------------------------------------------------------------------------------ */

static void test_own_kind(void **state)
{
    (void)state;
    uint32_t kind = sn_kind_register(world, &support_kind_gap);
    assert_int_equal(kind, SN_KIND_BUILTIN_END);
    assert_int_equal(sn_kind_count(world), SN_KIND_BUILTIN_END + 1);
    assert_int_equal(sn_kind_find(world, "test_gap"), kind);
    assert_int_equal(sn_kind_find(NULL, "test_gap"), 0);
    const sn_kind *info = sn_kind_info(world, kind);
    assert_non_null(info);
    assert_string_equal(info->name, "test_gap");
    assert_ptr_not_equal(info->name, support_kind_gap.name); /* strings are copied */
    assert_int_equal(sn_kind_param_count(info), 1);
    sn_particle p = at(0, 0, 0), q = at(3, 1, 0);
    uint32_t index[] = {p.index, q.index};
    sn_real gap = 1;
    sn_constraints run = sn_constraints_add_kind(world, kind, 1, index, &gap, NULL);
    assert_int_equal(run.count, 1);
    support_run(world, 1, 0.1);
    assert_vec_close(position(p), vec(1, 0, 0), 1e-6);
    assert_vec_close(position(q), vec(2, 1, 0), 1e-6);
    assert_int_equal(sn_world_constraint_count(world, kind), 1);
}

/* Names and units that the caller forgets after the registration live on. */
static void test_own_kind_is_copied(void **state)
{
    (void)state;
    char name[] = "test_copy", unit[] = "m", about[] = "about", param[] = "gap";
    sn_kind kind = support_kind_gap;
    kind.name = name;
    kind.unit = unit;
    kind.about = about;
    kind.formula = NULL;
    kind.param[0].name = param;
    kind.param[0].unit = unit;
    uint32_t number = sn_kind_register(world, &kind);
    assert_int_not_equal(number, 0);
    memset(name, '?', sizeof name - 1);
    memset(unit, '?', sizeof unit - 1);
    memset(about, '?', sizeof about - 1);
    memset(param, '?', sizeof param - 1);
    const sn_kind *info = sn_kind_info(world, number);
    assert_string_equal(info->name, "test_copy");
    assert_string_equal(info->unit, "m");
    assert_string_equal(info->about, "about");
    assert_string_equal(info->param[0].name, "gap");
    assert_string_equal(info->param[0].unit, "m");
    assert_null(info->param[1].name);
    sn_particle p = at(0, 0, 0), q = at(3, 1, 0);
    uint32_t index[] = {p.index, q.index};
    sn_constraints run = sn_constraints_add_kind(world, number, 1, index, NULL, NULL);
    sn_real gap = 2;
    assert_ok(world, sn_constraint_set_param(world, sn_constraints_at(run, 0), "gap", &gap, 1));
}

/* An evaluation that gives up rests, and nothing happens to its points. */
static bool give_up(const sn_eval_in *in, const sn_eval_out *out)
{
    (void)in;
    out->c[0] = 100;
    out->gradient[0].x = 1;
    return false;
}

static void test_resting_kind(void **state)
{
    (void)state;
    sn_kind kind = {.name = "test_rest", .points = 1, .rows = 1, .eval = give_up};
    uint32_t number = sn_kind_register(world, &kind);
    sn_particle p = at(1, 2, 3);
    sn_constraints run = sn_constraints_add_kind(world, number, 1, &p.index, NULL, NULL);
    assert_int_equal(run.count, 1);
    support_run(world, 3, 0.1);
    assert_vec_same(position(p), vec(1, 2, 3));
    sn_real value[SN_MAX_ROWS] = {0};
    assert_ok(world, sn_constraint_value(world, sn_constraints_at(run, 0), value));
    assert_true(isnan(value[0]));
    assert_true(sn_constraint_force(world, sn_constraints_at(run, 0)).magnitude == 0);
}

/* ---- Divergence -------------------------------------------------------------------------------------------------- */

/* A gap that turns bad after some evaluations: in its value or in its gradient. */
typedef struct time_bomb {
    uint32_t calls, bad_from;
    bool in_gradient;
    sn_real bad;
} time_bomb;

static bool bomb_eval(const sn_eval_in *in, const sn_eval_out *out)
{
    time_bomb *bomb = in->context;
    support_kind_gap.eval(in, out);
    if (bomb->calls++ < bomb->bad_from)
        return true;
    if (bomb->in_gradient)
        out->gradient[1].y = bomb->bad;
    else
        out->c[0] = bomb->bad;
    return true;
}

static sn_world *bomb_world(time_bomb *bomb)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = 4;
    sn_world *w = support_world_from(&def);
    sn_kind kind = support_kind_gap;
    kind.name = "test_bomb";
    kind.eval = bomb_eval;
    kind.context = bomb;
    uint32_t number = sn_kind_register(w, &kind);
    support_animals zoo = support_zoo(w);
    for (uint32_t i = 0; i < 3; ++i) /* only the first of the zoo's four stays */
        assert_ok(w, sn_constraint_remove(w, i == 0   ? zoo.on_spots[number]
                                             : i == 1 ? zoo.soft[number]
                                                      : zoo.half_stiff[number]));
    bomb->calls = 0;
    return w;
}

/* In the third of four substeps of the second step. The world then stands where the first step brings its twin. */
static void expect_divergence(bool in_gradient, sn_real bad)
{
    time_bomb bomb = {.bad_from = UINT32_MAX, .in_gradient = in_gradient, .bad = bad}, dud = {.bad_from = UINT32_MAX};
    sn_world *w = bomb_world(&bomb), *twin = bomb_world(&dud);
    support_run(w, 1, 0.0625);
    support_run(twin, 1, 0.0625);
    assert_int_equal(bomb.calls, 5); /* one more, because it was new: it might have contradicted others */
    bomb.bad_from = 7;
    assert_result(w, SN_ERROR_DIVERGED, sn_world_step(w, real(0.0625)));
    assert_says(sn_world_error(w), "test_bomb");
    assert_close(sn_world_time(w), 0.0625, 1e-9);
    assert_same_world(w, twin);
    uint64_t hash = sn_world_hash(w);
    assert_result(w, SN_ERROR_DIVERGED, sn_world_step(w, real(0.0625))); /* still */
    assert_true(sn_world_hash(w) == hash);
    bomb.bad_from = UINT32_MAX;
    support_run(w, 2, 0.0625);
    support_run(twin, 2, 0.0625);
    assert_same_world(w, twin);
    sn_world_destroy(w);
    sn_world_destroy(twin);
}

static void test_divergence(void **state)
{
    (void)state;
    expect_divergence(false, (sn_real)NAN);
    expect_divergence(false, (sn_real)INFINITY);
    expect_divergence(false, -(sn_real)INFINITY);
    expect_divergence(true, (sn_real)NAN);
    expect_divergence(true, (sn_real)INFINITY);
}

/* The same for an inequality and in the other orders. */
static void test_divergence_in_every_order(void **state)
{
    (void)state;
    for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep)
        for (uint32_t inequality = 0; inequality < 2; ++inequality) {
            time_bomb bomb = {.bad_from = 0, .bad = (sn_real)NAN};
            sn_kind kind = support_kind_gap;
            sn_world *w = support_void();
            kind.eval = bomb_eval;
            kind.context = &bomb;
            kind.inequality = inequality;
            uint32_t number = sn_kind_register(w, &kind), index[2];
            index[0] = sn_particle_add_at(w, vec(0, 0, 0), 1).index;
            index[1] = sn_particle_add_at(w, vec(1, 0, 0), 1).index;
            sn_real gap = 1;
            assert_int_equal(sn_constraints_add_kind(w, number, 1, index, &gap, NULL).count, 1);
            sn_settings settings = sn_world_settings(w);
            support_set_sweep(&settings, sweep);
            settings.iterations = 3;
            settings.tolerance = real(1e-4);
            assert_ok(w, sn_world_configure(w, &settings));
            uint64_t hash = sn_world_hash(w);
            assert_result(w, SN_ERROR_DIVERGED, sn_world_step(w, real(0.1)));
            assert_says(sn_world_error(w), "test_gap 0");
            assert_true(sn_world_hash(w) == hash);
            sn_world_destroy(w);
        }
}

#define IN_VOID(test)    cmocka_unit_test_setup_teardown(test, setup_void, teardown)
#define IN_DEFAULT(test) cmocka_unit_test_setup_teardown(test, setup_default, teardown)

/* The walk visits every live constraint once, in the order in which they were added, whatever was removed or reused. */
static void check_walk(const sn_constraint *expected, uint32_t count)
{
    sn_constraint_walk walk = {0};
    for (uint32_t i = 0; i < count; ++i) {
        assert_true(sn_constraint_next(world, &walk));
        assert_memory_equal(&walk.constraint, &expected[i], sizeof expected[i]);
    }
    assert_false(sn_constraint_next(world, &walk));
    assert_int_equal(walk.constraint.kind, SN_KIND_NONE);
}

static void test_walk_over_constraints(void **state)
{
    (void)state;
    sn_constraint c[12] = {{0}};
    check_walk(c, 0);
    sn_particle a = at(0, 0, 0), b = at(1, 0, 0);
    for (uint32_t i = 0; i < 12; ++i)
        c[i] = i % 4 == 3 ? live(sn_constraint_add_pin(world, a))
                          : live(sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE));
    check_walk(c, 12);
    assert_ok(world, sn_constraint_remove(world, c[0]));
    assert_ok(world, sn_constraint_remove(world, c[5]));
    assert_ok(world, sn_constraint_remove(world, c[11]));
    memmove(c, c + 1, 10 * sizeof c[0]);    /* 1 to 10 */
    memmove(c + 4, c + 5, 5 * sizeof c[0]); /* without 5 */
    check_walk(c, 9);
    c[9] = live(sn_constraint_add_distance(world, sn_at(a), sn_at(b),
                                           2)); /* takes a place that was left, and is still the last */
    check_walk(c, 10);
    assert_false(sn_constraint_next(NULL, &(sn_constraint_walk){0}));
    assert_false(sn_constraint_next(world, NULL));
}

/* User data: given with a definition, alone and in bulk, set, read back, changed, kept in a snapshot, told of what broke. A row that is
   used again has none, and the hash does not look. */
static void test_user_data(void **state)
{
    (void)state;
    sn_particle a = at(0, 0, 0), b = at(1, 0, 0), c = at(2, 0, 0);
    const uint32_t index[4] = {a.index, b.index, b.index, c.index};
    const uint64_t hash = sn_world_hash(world);
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE), read;
    sn_point points[2] = {sn_at(a), sn_at(c)}, out[SN_MAX_POINTS];
    sn_constraint plain = live(sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1)), one;
    const uint64_t held = sn_world_hash(world);
    assert_true(held != hash);
    assert_ok(world, sn_constraint_set_user(world, plain, UINT64_MAX));
    assert_true(sn_world_hash(world) == held);
    def.points = points;
    def.user = 7;
    assert_ok(world, sn_constraint_add(world, &def, &one));
    sn_constraints run;
    def.user = 9;
    assert_ok(world, sn_constraints_add(world, &def, 2, index, NULL, &run));
    assert_true(sn_constraint_user(world, plain) == UINT64_MAX && sn_constraint_user(world, one) == 7);
    assert_true(sn_constraint_user(world, sn_constraints_at(run, 1)) == 9);
    assert_ok(world, sn_constraint_read(world, one, &read, out, SN_MAX_POINTS));
    assert_true(read.user == 7);
    sn_snapshot *then = sn_world_save(world);
    read.user = 8;
    assert_ok(world, sn_constraint_change(world, one, &read));
    assert_true(sn_constraint_user(world, one) == 8);
    assert_ok(world, sn_constraint_remove(world, plain));
    assert_true(sn_constraint_user(world, plain) == 0);
    assert_says(sn_world_error(world), "does not exist");
    sn_constraint again = live(sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1));
    assert_int_equal(again.index, plain.index);
    assert_true(sn_constraint_user(world, again) == 0);
    assert_ok(world, sn_world_load(world, then));
    assert_true(sn_constraint_user(world, plain) == UINT64_MAX && sn_constraint_user(world, one) == 7);
    sn_snapshot_destroy(then);
    assert_ok(world, sn_constraint_set_strength(world, one, 1e-6f, 0));
    assert_ok(world, sn_particle_set_velocity(world, c, vec(5, 0, 0)));
    assert_ok(world, sn_world_step(world, 1 / (sn_real)60));
    uint32_t count;
    const sn_break *broken = sn_world_broken(world, &count);
    assert_int_equal(count, 1);
    assert_true(broken[0].user == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_VOID(test_points),
        IN_VOID(test_spot_shares_the_correction),
        IN_VOID(test_spot_and_its_own_corner),
        IN_VOID(test_handles),
        IN_VOID(test_runs),
        IN_VOID(test_numbers_stay),
        IN_DEFAULT(test_read_round_trip),
        IN_DEFAULT(test_read_round_trip_with_a_plan),
        IN_VOID(test_change),
        IN_VOID(test_user_data),
        IN_VOID(test_set_param),
        IN_VOID(test_set_param_measures),
        IN_VOID(test_set_material),
        IN_DEFAULT(test_measured_constraints_hold),
        IN_VOID(test_value),
        IN_VOID(test_insertion_order),
        IN_VOID(test_insertion_order_across_kinds),
        IN_VOID(test_insertion_order_survives),
        IN_VOID(test_symmetric_order),
        IN_VOID(test_worst_first_order),
        IN_DEFAULT(test_passes_without_tolerance),
        IN_DEFAULT(test_tolerance_stops_early),
        IN_VOID(test_tolerance_when_satisfied),
        IN_DEFAULT(test_orders_converge),
        IN_VOID(test_report_by_kind),
        IN_VOID(test_stiffness),
        IN_DEFAULT(test_force),
        IN_DEFAULT(test_forces_balance),
        IN_VOID(test_undefined),
        cmocka_unit_test(test_remove_run),
        cmocka_unit_test(test_remove_bad_runs),
        cmocka_unit_test_setup_teardown(test_walk_over_constraints, setup_void, teardown),
        IN_VOID(test_volume),
        IN_VOID(test_own_kind),
        IN_VOID(test_own_kind_is_copied),
        IN_VOID(test_resting_kind),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_divergence_in_every_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
