/* Numbers at the ends of their range: whatever a call accepts, a step either gives finite numbers or says which particle, body or
   constraint it failed at, and a query gives a finite hit or none. Most of what is tested here is that nothing crashes, hangs or does
   something undefined, which the sanitizers see. */
#include "support/fixed.h"
#include "support/support.h"

#include <math.h>

/* ---- Random worlds -------------------------------------------------------------------------------------------------- */

typedef struct wild {
    uint64_t seed;
    uint32_t share; /* of 512 numbers this many are extreme, */
    bool huge;      /*   and those are large, which is where products overflow */
    sn_world *world;
} wild;

static bool chance(wild *w, uint32_t of_64)
{
    return support_random_below(&w->seed, 64) < of_64;
}

/* Of any size that there is, zeroes and the largest included. */
static double extreme(wild *w)
{
    const double odd[] = {0, -0.0, SUPPORT_REAL_MAX, -SUPPORT_REAL_MAX, 1e-45, -1e-45, 1e19, -1e19, 1.8e19, 6e12};
    if (chance(w, 16))
        return odd[support_random_below(&w->seed, COUNT_OF(odd))];
    const double size = pow(10, support_random_in(&w->seed, w->huge ? 4 : -45, w->huge ? 20 : 38.5));
    return chance(w, 32) ? size : -size;
}

static sn_real number(wild *w, double least, double most)
{
    double x = support_random_below(&w->seed, 512) < w->share ? extreme(w) : support_random_in(&w->seed, least, most);
    return (sn_real)(fabs(x) <= SUPPORT_REAL_MAX ? x : SUPPORT_REAL_MAX);
}

/* Sizes and the like are rarely negative. */
static sn_real size_of(wild *w, double least, double most)
{
    sn_real x = number(w, least, most);
    return x < 0 && chance(w, 60) ? -x : x;
}

static sn_vec3 place(wild *w, double reach)
{
    sn_vec3 v = {number(w, -reach, reach), number(w, -reach, reach), number(w, -reach, reach)};
    return v;
}

static sn_quat turn(wild *w)
{
    sn_quat q = {number(w, -1, 1), number(w, -1, 1), number(w, -1, 1), number(w, -1, 1)};
    sn_quat none = {0, 0, 0, 1};
    return chance(w, 32) ? none : q;
}

static sn_contact_material stuff(wild *w)
{
    sn_contact_material m = sn_default_contact_material();
    m.static_friction = m.dynamic_friction = size_of(w, 0, 1);
    m.restitution = chance(w, 32) ? 0 : real(support_random_in(&w->seed, 0, 1));
    m.rolling = chance(w, 32) ? 0 : size_of(w, 0, 1);
    return m;
}

static sn_real ball(void *context, sn_vec3 p)
{
    (void)context;
    return real(sqrt((double)p.x * (double)p.x + (double)p.y * (double)p.y + (double)p.z * (double)p.z) - 0.4);
}

static const uint32_t corners[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};

static fixed_def some_fixed_shape(wild *w, sn_vec3 *vertices)
{
    fixed_def def = default_fixed();
    def.type = (sn_shape_type)support_random_below(&w->seed, 6);
    def.position = place(w, 1);
    def.rotation = turn(w);
    def.velocity = chance(w, 40) ? vec(0, 0, 0) : place(w, 1);
    def.spin = chance(w, 40) ? vec(0, 0, 0) : place(w, 1);
    def.half = (sn_vec3){size_of(w, 0.1, 1), size_of(w, 0.1, 1), size_of(w, 0.1, 1)};
    def.radius = size_of(w, 0.1, 1);
    def.rounding = chance(w, 50) ? 0 : size_of(w, 0, 0.1);
    def.material = stuff(w);
    def.one_sided = chance(w, 16);
    def.sensor = chance(w, 8);
    vertices[0] = place(w, 0.1);
    for (uint32_t i = 1; i < 4; ++i)
        vertices[i] =
            (sn_vec3){number(w, 0.5 * (i == 1), 1), number(w, 0.5 * (i == 2), 1), number(w, 0.5 * (i == 3), 1)};
    def.vertices = vertices;
    def.vertex_count = 4;
    def.triangles = corners;
    def.triangle_count = chance(w, 16) ? 3 : 4;
    if (def.type == SN_SHAPE_FIELD && chance(w, 48)) {
        def.function = ball;
        def.low = vec(-0.5, -0.5, -0.5);
        def.high = (sn_vec3){size_of(w, 0.5, 0.6), size_of(w, 0.5, 0.6), size_of(w, 0.5, 0.6)};
    } else if (def.type == SN_SHAPE_FIELD)
        def.cell = real(support_random_in(&w->seed, 0.2, 0.4));
    return def;
}

static void add_fixed_shapes(wild *w)
{
    sn_vec3 vertices[4];
    sn_body fixed_shape;
    for (uint32_t i = support_random_below(&w->seed, 4); i > 0; --i) {
        fixed_def def = some_fixed_shape(w, vertices);
        if (fixed_add(w->world, &def, &fixed_shape) == SN_OK && chance(w, 8))
            sn_body_move_to(w->world, fixed_shape, place(w, 1), turn(w));
    }
}

static void add_bodies(wild *w)
{
    sn_vec3 points[8];
    sn_body last = {0};
    for (uint32_t i = support_random_below(&w->seed, 5); i > 0; --i) {
        sn_shape_def shape[2];
        sn_body_def def = sn_default_body_def();
        def.shape_count = 1 + chance(w, 16);
        for (uint32_t k = 0; k < def.shape_count; ++k) {
            shape[k] = sn_default_shape_def((sn_shape_type)support_random_below(&w->seed, 4));
            shape[k].position = chance(w, 48) ? vec(0, 0, 0) : place(w, 0.5);
            shape[k].rotation = turn(w);
            shape[k].half = (sn_vec3){size_of(w, 0.1, 0.5), size_of(w, 0.1, 0.5), size_of(w, 0.1, 0.5)};
            const bool sharp = shape[k].type >= SN_SHAPE_BOX && chance(w, 48);
            const sn_real round = sharp ? 0 : size_of(w, 0.05, 0.5);
            *(shape[k].type >= SN_SHAPE_BOX ? &shape[k].rounding : &shape[k].radius) = round;
            shape[k].density = chance(w, 48) ? 0 : size_of(w, 1, 1000);
            for (uint32_t p = 0; p < 8; ++p)
                points[p] = place(w, 0.4);
            shape[k].vertices = points;
            shape[k].vertex_count = 4 + support_random_below(&w->seed, 5);
        }
        def.shapes = shape;
        def.position = place(w, 0.7);
        def.rotation = turn(w);
        def.velocity = place(w, 2);
        def.spin = place(w, 5);
        def.density = size_of(w, 100, 1000);
        def.group = support_random_below(&w->seed, 3);
        if (chance(w, 16))
            def.mass = chance(w, 32) ? SN_IMMOVABLE : size_of(w, 1, 10);
        if (chance(w, 8)) {
            def.centre = place(w, 0.1);
            def.moments = (sn_vec3){size_of(w, 1, 1.5), size_of(w, 1, 1.5), size_of(w, 1, 1.5)};
        }
        sn_body body;
        if (sn_body_add(w->world, &def, &body) != SN_OK)
            continue;
        if (last.generation && chance(w, 16))
            sn_joint_add_ball(w->world, last, body, place(w, 1));
        if (chance(w, 8))
            sn_body_apply_force(w->world, body, place(w, 10), place(w, 1));
        if (chance(w, 4))
            sn_body_move_to(w->world, body, place(w, 1), turn(w));
        if (chance(w, 4))
            sn_body_apply_impulse(w->world, body, place(w, 10), place(w, 1));
        last = body;
    }
}

static void add_particles(wild *w)
{
    sn_particle p;
    for (uint32_t i = support_random_below(&w->seed, 12); i > 0; --i) {
        sn_particle_def def = sn_default_particle_def();
        def.position = place(w, 0.6);
        def.velocity = place(w, 2);
        def.mass = chance(w, 8) ? SN_IMMOVABLE : size_of(w, 1, 10);
        def.radius = chance(w, 16) ? 0 : size_of(w, 0.05, 0.3);
        def.group = support_random_below(&w->seed, 3);
        if (sn_particle_add(w->world, &def, &p) != SN_OK)
            continue;
        if (chance(w, 8))
            sn_particle_set_spin(w->world, p, place(w, 5));
        if (chance(w, 4))
            sn_particle_move_to(w->world, p, place(w, 1));
    }
}

/* Of four particles each; some become objects with a direction, from a skin or from a field. */
static void add_skins(wild *w)
{
    for (uint32_t i = support_random_below(&w->seed, 3); i > 0; --i) {
        sn_real xyz[12];
        uint32_t index[12];
        for (uint32_t k = 0; k < 12; ++k)
            xyz[k] = number(w, k % 3 + 1 == k / 3 ? 0.5 : -0.1, k % 3 + 1 == k / 3 ? 1 : 0.1);
        sn_particles four = sn_particles_add(w->world, 4, xyz, 0, size_of(w, 1, 2));
        if (!four.count)
            continue;
        for (uint32_t k = 0; k < 4; ++k) {
            sn_particle_set_group(w->world, sn_particles_at(four, k), i);
            sn_particle_set_radius(w->world, sn_particles_at(four, k), size_of(w, 0.05, 0.1));
        }
        for (uint32_t k = 0; k < 12; ++k)
            index[k] = four.first + corners[k];
        sn_skin_def def = sn_default_skin_def();
        sn_skin skin;
        def.triangles = index;
        def.triangle_count = 4;
        def.thickness = size_of(w, 0, 0.05);
        def.one_sided = chance(w, 16);
        sn_skin_add(w->world, &def, &skin);
        if (chance(w, 16)) {
            sn_shape_def field = sn_default_shape_def(SN_SHAPE_FIELD);
            field.function = ball;
            field.low = vec(-0.5, -0.5, -0.5);
            field.high = vec(0.5, 0.5, 0.5);
            field.position = place(w, 0.2);
            sn_world_set_group_field(w->world, i, &field);
        }
    }
}

static void make_world(wild *w)
{
    sn_world_def def = sn_default_world_def();
    const sn_solver solvers[] = {SN_SOLVER_TILED, SN_SOLVER_TILED, SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_JACOBI};
    def.threads = 1;
    def.dimensions = chance(w, 8) ? 2 : 3;
    def.settings.substeps = 1 + support_random_below(&w->seed, 3);
    def.settings.solver = solvers[support_random_below(&w->seed, COUNT_OF(solvers))];
    if (chance(w, 24))
        def.settings.gravity = place(w, 10);
    if (sn_world_create(&def, &w->world) != SN_OK) {
        def.settings.gravity = vec(0, -10, 0);
        w->world = support_world_from(&def);
    }
    sn_contact_settings contact = sn_default_contact_settings();
    contact.sleep = chance(w, 16);
    contact.events = chance(w, 32);
    contact.push_out = size_of(w, 0.5, 1);
    sn_world_set_contact_settings(w->world, &contact);
    for (uint32_t group = 0; group < 3; ++group) {
        sn_group_contact g = sn_default_group_contact(group);
        g.material = stuff(w);
        g.rolls = chance(w, 16);
        g.directional = chance(w, 24);
        g.self = chance(w, 32);
        g.rest_gap = chance(w, 56) ? 0 : size_of(w, 0, 0.1);
        sn_world_set_group_contact(w->world, group, &g);
    }
    add_skins(w);
    add_particles(w);
    add_fixed_shapes(w);
    add_bodies(w);
    if (chance(w, 4))
        sn_world_take_rest_shape(w->world, support_random_below(&w->seed, 3));
}

/* ---- What has to hold of them ----------------------------------------------------------------------------------------- */

static uint64_t current; /* for the message */

static void complain(const char *what, uint32_t index)
{
    print_error("seed %llu: %s %u is not finite\n", (unsigned long long)current, what, index);
    fail();
}

static void check_state(const sn_world *world)
{
    for (uint32_t i = 0; i < sn_world_particle_count(world); ++i) {
        sn_particle p = sn_particle_from_index(world, i);
        if (!support_is_finite(sn_particle_position(world, p)) || !support_is_finite(sn_particle_velocity(world, p)) ||
            !support_is_finite(sn_particle_spin(world, p)))
            complain("particle", i);
    }
    for (uint32_t i = 0; i < sn_world_body_limit(world); ++i) {
        sn_body b = sn_body_from_index(world, i);
        if (!b.generation)
            continue;
        sn_quat q = sn_body_rotation(world, b);
        if (!support_is_finite(sn_body_position(world, b)))
            complain("the place of body", i);
        if (!support_is_finite(sn_body_spin(world, b)))
            complain("the spin of body", i);
        if (!isfinite(q.x) || !isfinite(q.y) || !isfinite(q.z) || !isfinite(q.w))
            complain("the rotation of body", i);
    }
}

static void check_hit(const sn_hit *hit, const char *query)
{
    if (!support_is_finite(hit->point) || !support_is_finite(hit->normal) || !isfinite(hit->distance))
        complain(query, 0);
    const double length = support_gap(hit->normal, vec(0, 0, 0));
    if (fabs(length - 1) > 1e-3) {
        print_error("seed %llu: the normal of a hit by %s has length %g\n", (unsigned long long)current, query, length);
        fail();
    }
}

static void ask(wild *w)
{
    sn_query_filter all = sn_default_query_filter();
    sn_hit hit[4];
    sn_real length = chance(w, 32) ? (sn_real)INFINITY : size_of(w, 0, 4), distance;
    if (sn_query_ray(w->world, place(w, 2), place(w, 1), length, all, hit))
        check_hit(hit, "ray");
    if (sn_query_sphere_cast(w->world, place(w, 2), size_of(w, 0, 0.3), place(w, 1), length, all, hit))
        check_hit(hit, "sphere cast");
    if (sn_query_closest(w->world, place(w, 2), length, all, hit))
        check_hit(hit, "closest");
    uint32_t count = sn_query_overlap(w->world, place(w, 2), size_of(w, 0, 2), all, hit, 4);
    for (uint32_t i = 0; i < count && i < 4; ++i)
        check_hit(&hit[i], "overlap");
    sn_point point = sn_query_pick(w->world, place(w, 2), place(w, 1), length, size_of(w, 0, 0.1), &distance);
    if (point.count && !isfinite(distance))
        complain("pick", 0);
}

static void check_step(const sn_world *world, sn_result result)
{
    if (result == SN_OK)
        return;
    assert_int_equal(result, SN_ERROR_DIVERGED);
    sn_fault fault = sn_world_fault(world);
    bool named = fault.particle.generation || fault.constraint.generation || fault.field;
    if (!support_says(sn_world_error(world), named ? "particle|body|constraint" : "body")) {
        print_error("seed %llu: '%s' names nothing\n", (unsigned long long)current, sn_world_error(world));
        fail();
    }
}

static void run_seed(uint64_t seed)
{
    wild w = {.seed = seed * 7919, .share = (uint32_t)(seed % 12), .huge = seed % 2};
    current = seed;
    make_world(&w);
    if (chance(&w, 32))
        ask(&w);
    for (uint32_t i = 0; i < 3; ++i) {
        sn_real dt = chance(&w, 60) ? real(1.0 / 60) : size_of(&w, 0.01, 0.1);
        sn_result result = sn_world_step(w.world, dt);
        if (result == SN_ERROR_ARGUMENT) /* a dt that is too small or infinite */
            continue;
        check_step(w.world, result);
        check_state(w.world);
        ask(&w);
        if (result != SN_OK)
            break;
    }
    sn_world_destroy(w.world);
}

/* SINEW_SEED=n: that one alone, or the SINEW_SEEDS that begin with it. */
static void test_random_worlds(void **state)
{
    (void)state;
    const char *one = getenv("SINEW_SEED"), *many = getenv("SINEW_SEEDS");
    const uint64_t from = one ? strtoull(one, NULL, 10) : 1;
    const uint64_t count = many ? strtoull(many, NULL, 10) : one ? 1 : support_long(100000, support_rounds(1500, 120));
    for (uint64_t seed = from; seed < from + count; ++seed)
        run_seed(seed);
}

/* ---- What was found -------------------------------------------------------------------------------------------------- */

static void assert_blamed(sn_world *world, double dt, const char *words)
{
    uint64_t before = sn_world_hash(world);
    assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(dt)));
    assert_says(sn_world_error(world), words);
    assert_true(sn_world_hash(world) == before);
    sn_world_destroy(world);
}

/* The distance to a particle at 1e20 m overflows. */
static void test_far_particles(void **state)
{
    (void)state;
    const uint32_t triangle[] = {0, 1, 2};
    sn_world *world = support_world();
    sn_group_contact group = sn_default_group_contact(0);
    group.directional = true;
    assert_ok(world, sn_world_set_group_contact(world, 0, &group));
    sn_particle_add_at(world, vec(0, 0, 0), 1);
    sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_particle_add_at(world, vec(0, 0, 1), 1);
    sn_particle far = sn_particle_add_at(world, vec(1e20, 0, 0), 1);
    sn_skin_def def = sn_default_skin_def();
    sn_skin skin;
    def.triangles = triangle;
    def.triangle_count = 1;
    assert_ok(world, sn_skin_add(world, &def, &skin));
    assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(1.0 / 60)));
    assert_int_equal(sn_world_fault(world).particle.index, far.index);
    assert_blamed(world, 1.0 / 60, "particle 3 1e+20 contact");
}

/* Two bodies whose ways add up to more than the largest number. */
static void test_fast_bodies(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_body a = sn_body_add_box(world, vec(0, 0, 0), vec(0.2, 0.2, 0.2), 500);
    sn_body b = sn_body_add_capsule(world, vec(1, -0.1, 0), vec(1, 0.1, 0), real(0.1), 500);
    assert_ok(world, sn_body_set_velocity(world, a, vec(9e36, 0, 0), vec(0, 0, 1)));
    assert_ok(world, sn_body_set_velocity(world, b, vec(-9e36, 0, 0), vec(0, 0, 0)));
    assert_blamed(world, 30, "body 0 particle 0 contact");
}

static void test_fast_fixed_shapes(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_body fixed_shape = fixed_add_sphere(world, vec(0, 0, 0), 1);
    sn_particle_add_at(world, vec(0, 2, 0), 1);
    assert_ok(world, sn_body_set_velocity(world, fixed_shape, vec(3e38, 0, 0), vec(0, 0, 0)));
    assert_blamed(world, 1, "body 0");
}

static void test_fast_spins(void **state)
{
    (void)state;
    for (uint32_t contact = 0; contact < 2; ++contact)
        for (uint32_t box = 0; box < 2; ++box) {
            sn_world *world = support_world();
            sn_contact_settings settings = sn_default_contact_settings();
            settings.on = contact;
            assert_ok(world, sn_world_set_contact_settings(world, &settings));
            sn_body body = box ? sn_body_add_box(world, vec(0, 0, 0), vec(0.3, 0.1, 0.2), 1000)
                               : sn_body_add_sphere(world, vec(0, 0, 0), real(0.1), 1000);
            assert_result(world, SN_ERROR_ARGUMENT,
                          sn_body_set_velocity(world, body, vec(0, 0, 0), vec(1.9, 3.4e38, 1)));
            assert_says(sn_world_error(world), "spin 3.4e+38");
            assert_result(world, SN_ERROR_ARGUMENT, sn_body_apply_angular_impulse(world, body, vec(0, 3.4e38, 0)));
            assert_ok(world, sn_body_set_velocity(world, body, vec(0, 0, 0), vec(1.9, 9e36, 1)));
            if (box || contact) { /* a box may tumble faster still, and contact cannot follow a corner */
                assert_blamed(world, 1.0 / 60, "body 0");
                continue;
            }
            support_run(world, 20, 1.0 / 60);
            check_state(world);
            sn_world_destroy(world);
        }
}

static void test_far_hits(void **state)
{
    (void)state;
    const double far[] = {1e17, 1e18, 1e20, 1e30, 1e38, 3e38};
    uint32_t found = 0;
    for (uint32_t what = 0; what < 4; ++what)
        for (uint32_t i = 0; i < COUNT_OF(far); ++i) {
            sn_world *world = support_world();
            sn_vec3 at = vec(far[i], -far[i], far[i]);
            sn_hit hit[2];
            if (what == 0)
                sn_body_add_box(world, at, vec(0.2, 0.2, 0.2), 500);
            else if (what == 1)
                sn_body_add_sphere(world, at, real(0.2), 500);
            else if (what == 2)
                sn_particle_add_at(world, at, 1);
            else
                sn_body_add_capsule(world, at, vec(far[i], -far[i] * 1.001, far[i]), real(0.2), 500);
            if (sn_query_closest(world, vec(0, 0, 0), (sn_real)INFINITY, sn_default_query_filter(), hit)) {
                check_hit(hit, "closest");
                found++;
            }
            uint32_t hits =
                sn_query_overlap(world, vec(0, 0, 0), (sn_real)SUPPORT_REAL_MAX, sn_default_query_filter(), hit, 2);
            for (uint32_t k = 0; k < hits; ++k)
                check_hit(&hit[k], "overlap");
            sn_world_destroy(world);
        }
    assert_true(found >= 4); /* those at 1e17 m, at least */
}

/* ---- Nothing ----------------------------------------------------------------------------------------------------------- */

/* Worlds without particles, without constraints, with nothing that moves: what is empty may have no memory at all. */
static bool step_little(const sn_settings *settings, uint32_t what)
{
    sn_world_def def = sn_default_world_def();
    def.settings = *settings;
    def.threads = 1;
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK) /* two settings that do not go together */
        return false;
    if (what & 1)
        sn_particle_add_at(world, vec(0, 0, 0), what & 4 ? SN_IMMOVABLE : 1);
    if (what & 2)
        sn_body_add_sphere(world, vec(1, 0, 0), real(0.1), what & 4 ? 100 : 1000);
    if (what & 8)
        fixed_add_plane(world, vec(0, -1, 0), vec(0, 1, 0));
    support_run(world, 2, 0.01);
    sn_relax_def relax = sn_default_relax_def();
    relax.steps = 2;
    assert_ok(world, sn_world_relax(world, &relax, NULL));
    check_state(world);
    sn_world_destroy(world);
    return true;
}

static void test_little(void **state)
{
    (void)state;
    uint32_t stepped = 0;
    for (uint32_t solver = 0; solver <= SN_SOLVER_TILED; ++solver)
        for (uint32_t integrator = 0; integrator <= SN_INTEGRATOR_BDF2; ++integrator)
            for (uint32_t way = 0; way < 2; ++way) {
                sn_settings settings = sn_default_world_def().settings;
                settings.solver = (sn_solver)solver;
                settings.integrator = (sn_integrator)integrator;
                settings.drift = (sn_drift)way;
                settings.linear = (sn_linear)way;
                for (uint32_t what = 0; what < 16; ++what)
                    stepped += step_little(&settings, what);
            }
    assert_true(stepped > 16 * 6 * 5);
}

/* Rows without rules beside a joint with limits, in memory that was never written to. */
static void test_rules_of_some_rows(void **state)
{
    (void)state;
    for (uint32_t solver = 0; solver <= SN_SOLVER_TILED; ++solver) {
        sn_world_def def = sn_default_world_def();
        def.settings.solver = (sn_solver)solver;
        sn_world *world = support_world_from(&def);
        sn_particle p[4];
        for (uint32_t i = 0; i < 4; ++i)
            p[i] = sn_particle_add_at(world, vec(i, 0, 0), i ? 1 : SN_IMMOVABLE);
        for (uint32_t i = 0; i < 3; ++i)
            sn_constraint_add_distance(world, sn_at(p[i]), sn_at(p[i + 1]), SN_MEASURE);
        sn_constraint_add_distance(world, sn_at(p[1]), sn_at(p[3]), SN_MEASURE); /* a loop */
        sn_body a = sn_body_add_box(world, vec(0, 2, 0), vec(0.1, 0.1, 0.1), 100);
        sn_body b = sn_body_add_box(world, vec(0.5, 2, 0), vec(0.1, 0.1, 0.1), 100);
        sn_constraint hinge = sn_joint_add_hinge(world, a, b, vec(0.25, 2, 0), vec(0, 0, 1));
        assert_ok(world, sn_joint_set_limits(world, hinge, real(-0.1), real(0.1)));
        assert_ok(world, sn_body_set_velocity(world, b, vec(0, 1, 0), vec(0, 0, 4)));
        support_run(world, 5, 0.01);
        check_state(world);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_worlds), cmocka_unit_test(test_far_particles),
        cmocka_unit_test(test_fast_bodies),   cmocka_unit_test(test_fast_fixed_shapes),
        cmocka_unit_test(test_fast_spins),    cmocka_unit_test(test_far_hits),
        cmocka_unit_test(test_little),        cmocka_unit_test(test_rules_of_some_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
