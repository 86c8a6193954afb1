/* Events of contact: when they come, in which order, and how hard. */
#include "world/body_worlds.h"

static sn_world *world_with_events_from(sn_world_def def)
{
    return contact_world(def, false, true);
}

static sn_world *world_with_events(void)
{
    return world_with_events_from(sn_default_world_def());
}

/* The one event of the last step; NULL if there was none. */
static const sn_contact_event *only_event(const sn_world *world)
{
    uint32_t count = 7;
    const sn_contact_event *event = sn_world_contact_events(world, &count);
    assert_true(count <= 1);
    assert_true(!event == !count);
    return event;
}

/* ---- Phases -------------------------------------------------------------------------------------------------------------- */

static void resting_ball_begins_and_stays(void **state)
{
    (void)state;
    sn_world *world = world_with_events();
    sn_body floor = add_floor(world);
    sn_particle p = ball(world, vec(0, 0.3, 0), 2, 0.1);
    uint32_t before = 0;
    step(world);
    while (!only_event(world)) {
        assert_true(++before < 60);
        step(world);
    }
    assert_true(before > 5);
    const sn_contact_event *e = only_event(world);
    assert_int_equal(e->phase, SN_CONTACT_BEGIN);
    assert_int_equal(e->particle.index, p.index);
    assert_int_equal(e->particle.generation, p.generation);
    assert_int_equal(e->other.generation, 0);
    assert_int_equal(e->other_body.index, floor.index);
    assert_int_equal(e->other_body.generation, floor.generation);
    assert_false(e->sensor);
    assert_close(e->impulse, 2 * sqrt(2 * GRAVITY * 0.2),
                 0.1 * 2 * 2); /* it stops what fell 0.2 m, and carries a little */
    assert_vec_close(e->normal, vec(0, 1, 0), 1e-6);
    assert_vec_close(e->point, vec(0, 0, 0), 0.01);
    for (int i = 0; i < 60; ++i) {
        step(world);
        assert_non_null(e = only_event(world));
        assert_int_equal(e->phase, SN_CONTACT_STAY);
    }
    sn_world_destroy(world);
}

/* N s: of the floor on a ball that rests, with any solver. */
static void rest_presses_with_the_weight(void **state)
{
    (void)state;
    static const sn_solver solver[] = {SN_SOLVER_TILED, SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_JACOBI};
    for (size_t i = 0; i < COUNT_OF(solver); ++i)
        for (int low = 0; low < 2; ++low) { /* also when another one lies on top */
            sn_world_def def = sn_default_world_def();
            def.settings.solver = solver[i];
            sn_world *world = world_with_events_from(def);
            uint32_t count;
            add_floor(world);
            ball(world, vec(0, 0.1, 0), 3, 0.1);
            if (low)
                ball(world, vec(0, 0.3, 0), 5, 0.1);
            support_run(world, 60, FRAME);
            const sn_contact_event *e = sn_world_contact_events(world, &count);
            assert_int_equal(count, 1 + low);
            double weight = GRAVITY * FRAME;
            if (low) {
                assert_int_equal(e[0].other.index, 1);
                assert_vec_close(e[0].normal, vec(0, -1, 0), 1e-4);
                assert_vec_close(e[0].point, vec(0, 0.2, 0), 0.001);
                assert_close(e[0].impulse, 5 * weight, 0.01 * 5 * weight);
            }
            assert_close(e[low].impulse, (low ? 8 : 3) * weight, 0.01 * (low ? 8 : 3) * weight);
            sn_world_destroy(world);
        }
}

/* Begins and ends again and again; what is exchanged in a step is twice the momentum, for a bounce without loss. */
static void bouncing_ball_begins_and_ends(void **state)
{
    (void)state;
    sn_world *world = world_with_events();
    add_floor(world);
    set_materials(world, 0, 1);
    sn_particle p = ball(world, vec(0, 0.6, 0), 2, 0.1);
    uint32_t begun = 0, ended = 0;
    bool touches = false;
    for (int i = 0; i < 120; ++i) {
        sn_vec3 before = speed(world, p);
        step(world);
        const sn_contact_event *e = only_event(world);
        assert_true(!e || (e->phase == SN_CONTACT_BEGIN ? !touches : touches));
        double change = 2 * ((double)speed(world, p).y - (double)before.y + GRAVITY * FRAME);
        assert_close(e && e->phase != SN_CONTACT_END ? e->impulse : 0, change, 0.02 * (1 + change));
        begun += e && e->phase == SN_CONTACT_BEGIN;
        if (e && e->phase == SN_CONTACT_END) {
            ++ended;
            assert_true(e->impulse == 0);
            assert_vec_same(e->normal, vec(0, 0, 0));
            assert_vec_same(e->point, place(world, p));
        }
        touches = e && e->phase != SN_CONTACT_END;
    }
    assert_true(begun >= 3 && ended >= 2 && begun - ended <= 1);
    sn_world_destroy(world);
}

/* Two balls that meet head on, with and without a bounce: both momenta change by the impulse. */
static void blow_exchanges_momentum(void **state)
{
    (void)state;
    for (int bounce = 0; bounce < 3; ++bounce) {
        sn_world_def def = sn_default_world_def();
        def.settings.gravity = vec(0, 0, 0);
        sn_world *world = world_with_events_from(def);
        sn_particle a = flying_ball(world, vec(-0.5, 0, 0), vec(2, 0, 0), 1, 0.1);
        sn_particle b = flying_ball(world, vec(0.5, 0, 0), vec(-1, 0, 0), 3, 0.1);
        set_materials(world, 0, 0.5 * bounce);
        double sum = 0;
        for (int i = 0; i < 60; ++i) {
            step(world);
            const sn_contact_event *e = only_event(world);
            if (!e)
                continue;
            assert_int_equal(e->particle.index, a.index);
            assert_int_equal(e->other.index, b.index);
            sum += (double)e->impulse;
        }
        double expected = 0.75 * 3 * (1 + 0.5 * bounce); /* reduced mass and speed of approach */
        assert_close(sum, expected, 0.01 * expected);
        assert_close(sum, 2 - (double)speed(world, a).x, 1e-4);
        sn_world_destroy(world);
    }
}

static void sensor_notices_and_does_nothing(void **state)
{
    (void)state;
    sn_world *world = world_with_events();
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_BOX;
    def.half = vec(0.2, 0.2, 0.2);
    def.sensor = true;
    sn_body sensor;
    assert_ok(world, fixed_add(world, &def, &sensor));
    sn_particle p = flying_ball(world, vec(-1, 0, 0), vec(2, 0, 0), 1, 0.1);
    set_gravity(world, vec(0, 0, 0));
    uint32_t phases[3] = {0};
    for (int i = 0; i < 60; ++i) {
        step(world);
        const sn_contact_event *e = only_event(world);
        bool inside = fabs((double)place(world, p).x) < 0.3 - 0.034; /* well inside, the whole step */
        assert_true(!inside || (e && e->phase != SN_CONTACT_END));
        if (!e)
            continue;
        phases[e->phase]++;
        assert_true(e->sensor);
        assert_true(e->impulse == 0);
        assert_int_equal(e->other_body.index, sensor.index);
    }
    assert_int_equal(phases[SN_CONTACT_BEGIN], 1);
    assert_int_equal(phases[SN_CONTACT_END], 1);
    assert_in_range(phases[SN_CONTACT_STAY], 14, 22); /* 0.6 m at 2 m/s */
    assert_vec_close(place(world, p), vec(1, 0, 0), 1e-5);
    sn_world_destroy(world);
}

/* A ball on a sheet whose rim is held: `other` is a corner of the triangle that carries it. */
static void skin_names_a_corner(void **state)
{
    (void)state;
    sn_world *world = world_with_events();
    const sn_real corner[] = {-1, 0, -1, 1, 0, -1, 0, 0, 2};
    sn_particles rim = sn_particles_add(world, 3, corner, 0, SN_IMMOVABLE);
    for (uint32_t i = 0; i < 3; ++i)
        assert_ok(world, sn_particle_set_group(world, sn_particles_at(rim, i), 1));
    static const uint32_t triangle[] = {0, 2, 1};
    sn_skin_def def = sn_default_skin_def();
    def.triangles = triangle;
    def.triangle_count = 1;
    assert_ok(world, sn_skin_add(world, &def, NULL));
    sn_particle p = ball(world, vec(0.4, 0.1, -0.5), 2, 0.1);
    support_run(world, 60, FRAME);
    const sn_contact_event *e = only_event(world);
    assert_non_null(e);
    assert_int_equal(e->phase, SN_CONTACT_STAY);
    assert_int_equal(e->particle.index, p.index);
    assert_int_equal(e->other.index, 1); /* the nearest */
    assert_vec_close(e->normal, vec(0, 1, 0), 1e-4);
    assert_vec_close(e->point, vec(0.4, 0, -0.5), 0.001);
    assert_close(e->impulse, 2 * GRAVITY * FRAME, 0.02 * GRAVITY * FRAME);
    sn_world_destroy(world);
}

/* ---- Sums of impulses, and impacts ---------------------------------------------------------------------------------------- */

enum {
    PARTICLE_ON_PLANE,
    PARTICLE_ON_BOX,
    PARTICLE_ON_HELD,
    PARTICLE_ON_SKIN,
    SPHERE_ON_PLANE,
    BOX_ON_PLANE,
    BOX_ON_BODY,
    DROPS
};

static sn_particle held(sn_world *world, sn_vec3 at, double radius, uint32_t group)
{
    sn_particle p = ball(world, at, SN_IMMOVABLE, radius);
    assert_ok(world, sn_particle_set_group(world, p, group));
    return p;
}

static void add_ground(sn_world *world, int drop)
{
    if (drop == PARTICLE_ON_PLANE || drop == SPHERE_ON_PLANE || drop == BOX_ON_PLANE)
        add_floor(world);
    else if (drop == PARTICLE_ON_BOX)
        fixed_add_box(world, vec(0, -0.5, 0), vec(2, 0.5, 2));
    else if (drop == PARTICLE_ON_HELD)
        held(world, vec(0, -1, 0), 1, 0);
    else if (drop == BOX_ON_BODY)
        assert_ok(world, sn_body_set_mass(world, box_body(world, vec(0, -0.5, 0), vec(2, 0.5, 2), 1000), SN_IMMOVABLE));
    else {
        const uint32_t corner[3] = {held(world, vec(-2, 0, -2), 0, 5).index, held(world, vec(0, 0, 4), 0, 5).index,
                                    held(world, vec(2, 0, -2), 0, 5).index};
        sn_skin_def def = sn_default_skin_def();
        def.triangles = corner;
        def.triangle_count = 1;
        assert_ok(world, sn_skin_add(world, &def, NULL));
    }
}

static sn_particle add_falling(sn_world *world, int drop)
{
    const sn_vec3 at = vec(0, 1.05, 0);
    if (drop < SPHERE_ON_PLANE)
        return ball(world, at, 2, 0.05);
    sn_body body =
        drop == SPHERE_ON_PLANE ? sphere_body(world, at, 0.05, 1000) : box_body(world, at, vec(0.05, 0.05, 0.05), 2000);
    assert_ok(world, sn_body_set_mass(world, body, 2));
    return sn_body_particle(world, body);
}

/* From a metre onto the ground: the sum of impulses is what changed the momentum, every bounce begins and ends, and its first impact is
   as fast as the fall. */
static void drop(int which, double restitution, uint32_t substeps)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = substeps;
    sn_world *world = world_with_events_from(def);
    const uint32_t frames = 120;
    double exerted = 0, impact = 0, was = 0;
    uint32_t begun = 0, bounces = 0;
    add_ground(world, which);
    sn_particle p = add_falling(world, which);
    set_materials(world, 0.5, restitution);
    for (uint32_t frame = 0; frame < frames; ++frame) {
        uint32_t count;
        step(world);
        const double v = (double)speed(world, p).y;
        const sn_contact_event *e = sn_world_contact_events(world, &count);
        for (uint32_t i = 0; i < count; ++i) {
            exerted += (double)e[i].impulse;
            begun += e[i].phase == SN_CONTACT_BEGIN;
            impact = impact > 0 ? impact : (double)e[i].impact;
            assert_true(e[i].phase != SN_CONTACT_END || (e[i].impulse == 0 && e[i].impact == 0));
            assert_int_equal(e[i].body.generation || (e[i].other.generation && e[i].other_body.generation),
                             which >= SPHERE_ON_PLANE);
            assert_int_equal(e[i].skin.generation && e[i].triangle == 0,
                             which == PARTICLE_ON_SKIN && e[i].phase != SN_CONTACT_END);
        }
        bounces += was < -0.5 && v > 0;
        was = v;
    }
    const double changed = 2 * ((double)speed(world, p).y + GRAVITY * frames * FRAME);
    const double fall = sqrt(2 * GRAVITY), slack = GRAVITY * FRAME / substeps;
    if (!(fabs(exerted - changed) < 2e-3 * changed) || begun < bounces || (restitution > 0) != (bounces > 1) ||
        !(fabs(impact - fall) < 0.01 * fall + 2 * slack))
        fail_msg("drop %d, e = %g, %u substeps: %g of %g N s, %u of %u begun, impact %g of %g m/s", which, restitution,
                 substeps, exerted, changed, begun, bounces, impact, fall);
    sn_world_destroy(world);
}

static void sums_are_what_changed(void **state)
{
    (void)state;
    for (int which = 0; which < DROPS; ++which)
        for (uint32_t substeps = 1; substeps <= 20; substeps += substeps < 6 ? 1 : 7) {
            drop(which, 0.8, substeps);
            drop(which, 0, substeps);
        }
}

/* Weight is no impact, however much of it there is. */
static void rest_is_no_impact(void **state)
{
    (void)state;
    sn_world *world = world_with_events();
    add_floor(world);
    for (int i = 0; i < 10; ++i) {
        ball(world, vec(0, 0.1 + 0.2 * i, 0), 5, 0.1);
        box_body(world, vec(3, 0.1 + 0.2 * i, 0), vec(0.1, 0.1, 0.1), 1000);
    }
    support_run(world, 60, FRAME); /* until the weights are where they belong */
    for (int frame = 0; frame < 60; ++frame) {
        uint32_t count;
        step(world);
        const sn_contact_event *e = sn_world_contact_events(world, &count);
        for (uint32_t i = 0; i < count; ++i)
            assert_true(e[i].impact == 0);
        assert_int_equal(count, 20);
    }
    sn_contact_settings settings = sn_world_contact_settings(world);
    flying_ball(world, vec(3, 3, 0), vec(0, -5, 0), 1, 0.1);
    double hardest = 0;
    for (int round = 0; round < 2; ++round) { /* then with a threshold above it */
        sn_snapshot *snapshot = sn_world_save(world);
        hardest = 0;
        for (int frame = 0; frame < 20; ++frame) {
            uint32_t count;
            step(world);
            const sn_contact_event *e = sn_world_contact_events(world, &count);
            for (uint32_t i = 0; i < count; ++i)
                hardest = fmax(hardest, (double)e[i].impact);
        }
        assert_close(hardest, round ? 0 : sqrt(25 + 2 * GRAVITY * 0.9), 0.05);
        assert_ok(world, sn_world_load(world, snapshot));
        sn_snapshot_destroy(snapshot);
        settings.impact_above = 8;
        assert_ok(world, sn_world_set_contact_settings(world, &settings));
    }
    sn_world_destroy(world);
}

/* The shape of a body, and the triangle of a mesh, that touch. */
static void shapes_and_triangles_are_named(void **state)
{
    (void)state;
    static const sn_vec3 corner[6] = {{-2, 0, -2}, {-2, 0, 2}, {0, 0, 2}, {0, 0, -2}, {2, 0, 2}, {2, 0, -2}};
    static const uint32_t triangle[12] = {0, 1, 2, 0, 2, 3, 3, 2, 4, 3, 4, 5};
    sn_world *world = world_with_events();
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_MESH;
    def.vertices = corner;
    def.vertex_count = 6;
    def.triangles = triangle;
    def.triangle_count = 4;
    assert_ok(world, fixed_add(world, &def, NULL));
    sn_shape_def shape[3];
    for (int i = 0; i < 3; ++i) { /* a pillar: the last one is at the bottom */
        shape[i] = sn_default_shape_def(SN_SHAPE_BOX);
        shape[i].half = vec(0.1, 0.1, 0.1);
        shape[i].radius = 0;
        shape[i].position = vec(0, -0.2 * i, 0);
    }
    sn_body pillar = compound_body(world, vec(-1, 0.5, 1), shape, 3, 500);
    sn_particle p = ball(world, vec(1.5, 0.1, -1.5), 1, 0.1);
    support_run(world, 20, FRAME);
    uint32_t count;
    const sn_contact_event *e = sn_world_contact_events(world, &count);
    assert_int_equal(count, 2);
    assert_int_equal(e[0].body.index, pillar.index);
    assert_int_equal(e[0].body.generation, pillar.generation);
    assert_int_equal(e[0].shape, 2);
    assert_int_equal(e[0].triangle, 0);
    assert_int_equal(e[1].particle.index, p.index);
    assert_int_equal(e[1].body.generation, 0);
    assert_int_equal(e[1].triangle, 3);
    sn_world_destroy(world);
}

/* ---- Order, and who is gone ----------------------------------------------------------------------------------------------- */

static int compare(const sn_contact_event *a, const sn_contact_event *b)
{
    if (a->particle.index != b->particle.index)
        return a->particle.index < b->particle.index ? -1 : 1;
    bool wall_a = a->other_body.generation != 0, wall_b = b->other_body.generation != 0;
    if (wall_a != wall_b)
        return wall_a ? 1 : -1;
    uint32_t other_a = wall_a ? a->other_body.index : a->other.index,
             other_b = wall_b ? b->other_body.index : b->other.index;
    return other_a < other_b ? -1 : other_a > other_b;
}

static void events_are_in_order(void **state)
{
    (void)state;
    sn_world *world = world_with_events();
    uint32_t seen = 0;
    add_tub(world, 0.6, 0.6);
    pour(world, 60, 0.6, 0.05, 3);
    for (int i = 0; i < 60; ++i) {
        uint32_t count;
        step(world);
        const sn_contact_event *e = sn_world_contact_events(world, &count);
        for (uint32_t k = 0; k < count; ++k) {
            assert_true(sn_particle_is_valid(world, e[k].particle));
            assert_true(sn_particle_is_valid(world, e[k].other) != sn_body_is_valid(world, e[k].other_body));
            assert_true(!e[k].other.generation || e[k].particle.index < e[k].other.index);
            assert_true(k == 0 || compare(&e[k - 1], &e[k]) < 0);
        }
        seen += count;
    }
    assert_true(seen > 1000);
    sn_world_destroy(world);
}

/* What is removed ends without an event, and what comes under its number begins. */
static void removed_ones_end_in_silence(void **state)
{
    (void)state;
    sn_world *world = world_with_events();
    sn_body floor = add_floor(world);
    sn_particle p = ball(world, vec(0, 0.1, 0), 1, 0.1);
    ball(world, vec(1, 0.1, 0), 1, 0.1);
    support_run(world, 30, FRAME);
    assert_ok(world, sn_particle_remove(world, p));
    sn_particle q = ball(world, vec(0, 0.0999, 0), 1, 0.1);
    assert_int_equal(q.index, p.index);
    step(world);
    uint32_t count;
    const sn_contact_event *e = sn_world_contact_events(world, &count);
    assert_int_equal(count, 2);
    assert_int_equal(e[0].phase, SN_CONTACT_BEGIN);
    assert_int_equal(e[0].particle.generation, q.generation);
    assert_int_equal(e[1].phase, SN_CONTACT_STAY);
    assert_ok(world, sn_body_remove(world, floor));
    step(world);
    assert_null(only_event(world));
    sn_world_destroy(world);
}

static void off_means_none(void **state)
{
    (void)state;
    sn_world *world = world_with_events();
    uint32_t count = 9;
    assert_null(sn_world_contact_events(NULL, &count));
    assert_int_equal(count, 0);
    add_floor(world);
    ball(world, vec(0, 0.1, 0), 1, 0.1);
    support_run(world, 30, FRAME);
    assert_non_null(only_event(world));
    sn_contact_settings settings = sn_world_contact_settings(world);
    settings.events = false;
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    assert_null(sn_world_contact_events(world, NULL));
    step(world);
    assert_null(only_event(world));
    settings.events = true;
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    step(world);
    assert_int_equal(only_event(world)->phase, SN_CONTACT_BEGIN); /* since somebody looks */
    sn_world_destroy(world);
}

/* Events do not change what happens. */
static void collecting_changes_nothing(void **state)
{
    (void)state;
    sn_world *worlds[2] = {support_world(), world_with_events()};
    for (int i = 0; i < 2; ++i) {
        add_tub(worlds[i], 0.6, 0.6);
        pour(worlds[i], 60, 0.6, 0.05, 3);
        set_materials(worlds[i], 0.3, 0.4);
        support_run(worlds[i], 60, FRAME);
    }
    for (uint32_t i = 0; i < 60; ++i) {
        sn_particle p = sn_particle_from_index(worlds[0], i);
        assert_vec_same(place(worlds[0], p), place(worlds[1], p));
        assert_vec_same(speed(worlds[0], p), speed(worlds[1], p));
    }
    sn_world_destroy(worlds[0]);
    sn_world_destroy(worlds[1]);
}

/* ---- State, threads and memory ------------------------------------------------------------------------------------------- */

static void assert_same_events(const sn_world *a, const sn_world *b)
{
    uint32_t count, other;
    const sn_contact_event *e = sn_world_contact_events(a, &count), *f = sn_world_contact_events(b, &other);
    assert_int_equal(count, other);
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(e[i].phase, f[i].phase);
        assert_int_equal(e[i].particle.index, f[i].particle.index);
        assert_int_equal(e[i].other.index, f[i].other.index);
        assert_int_equal(e[i].other_body.index, f[i].other_body.index);
        assert_vec_same(e[i].point, f[i].point);
        assert_vec_same(e[i].normal, f[i].normal);
        assert_memory_equal(&e[i].impulse, &f[i].impulse, sizeof(sn_real));
        assert_memory_equal(&e[i].impact, &f[i].impact, sizeof(sn_real));
    }
}

static void fill(sn_world *world)
{
    add_tub(world, 0.6, 0.6);
    pour(world, 100, 0.6, 0.05, 5);
    set_materials(world, 0.3, 0.3);
}

/* The step after a load gives the events that it gave before. */
static void snapshot_knows_who_touches(void **state)
{
    (void)state;
    sn_world *world = world_with_events(), *other = world_with_events();
    fill(world);
    fill(other);
    support_run(world, 40, FRAME);
    support_run(other, 40, FRAME);
    sn_snapshot *snapshot = sn_world_save(world);
    uint64_t hash = sn_world_hash(world);
    support_run(world, 20, FRAME);
    assert_ok(world, sn_world_load(world, snapshot));
    assert_true(sn_world_hash(world) == hash);
    assert_null(sn_world_contact_events(world, NULL)); /* those of another step */
    for (int i = 0; i < 5; ++i) {
        step(world);
        step(other);
        assert_same_events(world, other);
        assert_true(sn_world_hash(world) == sn_world_hash(other));
    }
    sn_snapshot_destroy(snapshot);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

static void events_do_not_depend_on_threads(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    sn_world *world = world_with_events_from(def);
    fill(world);
    support_run(world, 50, FRAME);
    for (int variant = 0; variant < CONTACT_VARIANTS; ++variant) {
        support_tasks tasks = {.mode = SUPPORT_TASKS_REVERSE};
        sn_world *again = world_with_events_from(contact_variant(variant, &tasks));
        fill(again);
        support_run(again, 50, FRAME);
        assert_same_events(world, again);
        assert_true(sn_world_hash(world) == sn_world_hash(again));
        sn_world_destroy(again);
    }
    sn_world_destroy(world);
}

/* Every request of a step fails once; the step then changes nothing, and succeeds when tried again. */
static void memory_may_run_out(void **state)
{
    (void)state;
    uint64_t at = 1;
    for (;; ++at) {
        support_memory memory = {0};
        sn_world *world = world_with_events_from(support_scarce(&memory));
        add_floor(world);
        for (int i = 0; i < 8; ++i) /* the first steps find few contacts, later ones more */
            ball(world, vec(0.3 * i, 0.1 + 0.02 * i, 0), 1, 0.1);
        ball(world, vec(0, 0.3, 0), 1, 0.1);
        memory.fail_at = memory.requests + at;
        for (int i = 0; i < 20; ++i) {
            uint64_t before = sn_world_hash(world);
            if (ran_out(world, before, sn_world_step(world, real(FRAME))))
                step(world);
        }
        uint32_t count;
        assert_non_null(sn_world_contact_events(world, &count));
        assert_int_equal(count, 9);
        uint64_t requests = memory.requests;
        support_run(world, 5, FRAME);
        assert_true(memory.requests == requests);
        if (!support_had_failed(world, &memory))
            break;
    }
    assert_true(at > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resting_ball_begins_and_stays),   cmocka_unit_test(rest_presses_with_the_weight),
        cmocka_unit_test(bouncing_ball_begins_and_ends),   cmocka_unit_test(blow_exchanges_momentum),
        cmocka_unit_test(sensor_notices_and_does_nothing), cmocka_unit_test(skin_names_a_corner),
        cmocka_unit_test(sums_are_what_changed),           cmocka_unit_test(rest_is_no_impact),
        cmocka_unit_test(shapes_and_triangles_are_named),  cmocka_unit_test(events_are_in_order),
        cmocka_unit_test(removed_ones_end_in_silence),     cmocka_unit_test(off_means_none),
        cmocka_unit_test(collecting_changes_nothing),      cmocka_unit_test(snapshot_knows_who_touches),
        cmocka_unit_test(events_do_not_depend_on_threads), cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
