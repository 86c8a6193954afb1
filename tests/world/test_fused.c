/* Steps whose stages run over one tile after the other: when one fails the world stands where it would stand otherwise; a warmed-up
   one asks for no memory, whatever was edited before it; and particles may come and go between them. */
#include "support/fixed.h"
#include "support/graphs.h"

#include "world/substep.h"

#include <math.h>
#include <time.h>

static sn_world_def plain_def(void)
{
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    def.settings.stiffening = SN_STIFFENING_OFF; /* sweeps */
    return def;
}

static sn_particle particle_at(const sn_world *world, uint32_t number)
{
    return (sn_particle){number, world->ids.generation[number]};
}

/* Two boxes on a hinge that a motor turns, one of them tied to particle 5, and one that is led; beside them a box that a push
   sets spinning. */
typedef struct menagerie {
    sn_body hung, turned, led, free;
    sn_constraint hinge;
} menagerie;

static sn_body box_at(sn_world *world, double x, double y, double z)
{
    sn_body body = sn_body_add_box(world, vec(x, y, z), vec(0.1, 0.2, 0.15), 100);
    assert_true(sn_body_is_valid(world, body));
    return body;
}

static menagerie add_bodies(sn_world *world)
{
    menagerie m = {
        box_at(world, 6, 1, 0), box_at(world, 6.3, 1, 0), box_at(world, 8, 1, 0), box_at(world, 9, 1, 0), {0}};
    sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_HINGE);
    def.a = m.hung;
    def.b = m.turned;
    def.anchor = vec(6.15, 1, 0);
    def.speed = 3;
    def.speed_most = 1;
    m.hinge = sn_joint_add(world, &def);
    assert_true(m.hinge.kind);
    assert_true(sn_constraint_add_pin_at(world, sn_on_body(m.hung, vec(0, 0.2, 0)), vec(6, 1.2, 0)).kind);
    assert_true(
        sn_constraint_add_distance_max(world, sn_on_body(m.hung, vec(0.1, 0, 0)), sn_at(particle_at(world, 5)), real(9))
            .kind);
    assert_ok(world, sn_body_apply_impulse(world, m.free, vec(0, 0, 1), vec(9.1, 1.2, 0)));
    assert_ok(world, sn_body_apply_torque(world, m.free, vec(1, 0, 0)));
    assert_ok(world, sn_body_move_to(world, m.led, vec(8, 1.1, 0), (sn_quat){0, real(0.1), 0, real(sqrt(0.99))}));
    return m;
}

/* A drag of rate 0 changes nothing, but tiles then leave their planes after every pass. */
static void disturb_tiles(sn_world *world)
{
    sn_drag_def drag = sn_default_drag_def();
    assert_ok(world, sn_drag_add(world, &drag, NULL));
}

/* ---- Steps that fail --------------------------------------------------------------------------------------------------------- */

#define STEP (1.0 / 60)

/* Infinite from the fourth substep of ten on. */
static sn_vec3 burst(void *context, const sn_field_in *in)
{
    (void)context;
    return vec(0, in->time > 2.5 * STEP / 10 && in->index == 7 ? INFINITY : 0, 0);
}

static bool eval_fragile(const sn_eval_in *in, const sn_eval_out *out)
{
    out->c[0] = in->x[0].y < in->param[0] ? (sn_real)NAN : 0;
    out->gradient[0] = vec(0, 1, 0);
    return true;
}

static const sn_kind fragile = {
    .name = "fragile", .points = 1, .rows = 1, .param = {{.name = "least", .unit = "m"}}, .eval = eval_fragile};

typedef void spoil_fn(sn_world *world);

static void spoil_field(sn_world *world)
{
    assert_ok(world, sn_field_add(world, burst, NULL, true, NULL));
}

/* Breaks when gravity has taken a particle through half of a step; on its own, or one among many of a hub. */
static void add_fragile(sn_world *world, uint32_t number)
{
    uint32_t kind = sn_kind_find(world, "fragile");
    sn_point point = sn_at(particle_at(world, number));
    if (!kind)
        kind = sn_kind_register(world, &fragile);
    assert_true(kind != 0);
    sn_constraint_def def = sn_default_constraint_def(kind);
    def.points = &point;
    def.param[0] = sn_particle_position(world, particle_at(world, number)).y - real(9.81 * 0.25 * STEP * STEP / 2);
    assert_ok(world, sn_constraint_add(world, &def, NULL));
}

static void spoil_kind(sn_world *world)
{
    add_fragile(world, 250);
}

static void spoil_extra(sn_world *world)
{
    assert_planned(world, "before");
    add_fragile(world, 250);
}

/* Too fast for numbers at once: a particle that has been planned, and one that has not. */
static void spoil_speed(sn_world *world)
{
    sn_particle p = sn_particle_add_at(world, vec(0, 3, 0), 1);
    assert_ok(world, sn_particle_set_velocity(world, p, vec(3e37, 0, 0)));
}

static void spoil_newcomer(sn_world *world)
{
    assert_planned(world, "before");
    spoil_speed(world);
}

/* A body that turns so fast that its momentum cannot be told. */
static void spoil_turn(sn_world *world)
{
    sn_body body = box_at(world, 20, 0, 0);
    for (uint32_t row = 0; row < world->bodies.table.count; ++row)
        if (row == body.index)
            world->bodies.state[row].torque[1] = INFINITY;
}

static sn_world *make_spoilt(uint32_t shape, spoil_fn *spoil, bool in_one_go, bool bodies)
{
    sn_world_def def = plain_def();
    sn_world *world = support_world_from(&def);
    uint64_t seed = 2;
    graph_shapes[shape].build(world, 300, &seed);
    assert_ok(world, sn_particle_apply_force(world, particle_at(world, 20), vec(0.1, 0, 0)));
    assert_ok(world, sn_particle_move_to(world, particle_at(world, 30), vec(0, 0.5, 0)));
    if (bodies)
        add_bodies(world);
    spoil(world);
    if (!in_one_go)
        disturb_tiles(world);
    return world;
}

static void diverge(uint32_t shape, spoil_fn *spoil, bool bodies)
{
    sn_world *quick = make_spoilt(shape, spoil, true, bodies), *slow = make_spoilt(shape, spoil, false, bodies);
    sn_result results[2] = {sn_world_step(quick, real(STEP)), sn_world_step(slow, real(STEP))};
    assert_int_equal(results[0], SN_ERROR_DIVERGED);
    assert_int_equal(results[1], SN_ERROR_DIVERGED);
    assert_string_equal(sn_world_error(quick), sn_world_error(slow));
    assert_true(sn_world_time(quick) == sn_world_time(slow));
    assert_true(sn_world_time(quick) == 0);
    if (spoil == spoil_field)
        assert_close(sn_world_fault(quick).time, 3 * STEP / 10, 1e-9);
    assert_true(graph_distance(quick, slow) == 0); /* a step that fails is taken again from the start */
    assert_int_equal(quick->state.forces_pending, slow->state.forces_pending);
    assert_int_equal(quick->target_table.count, slow->target_table.count);
    for (uint32_t row = 0; row < quick->bodies.table.count; ++row)
        assert_memory_equal(&quick->bodies.state[row], &slow->bodies.state[row], sizeof *quick->bodies.state);
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(quick, &walk))
        assert_true(sn_constraint_force(quick, walk.constraint).magnitude ==
                    sn_constraint_force(slow, walk.constraint).magnitude);
    sn_world_destroy(quick);
    sn_world_destroy(slow);
}

static void test_a_step_that_diverges(void **state)
{
    (void)state;
    spoil_fn *const ways[] = {spoil_field, spoil_kind, spoil_extra, spoil_speed, spoil_newcomer, spoil_turn};
    static const uint32_t shapes[] = {GRAPH_GRID, GRAPH_SHUFFLED, GRAPH_STAR, GRAPH_CLOTH};
    for (uint32_t i = 0; i < COUNT_OF(shapes); ++i)
        for (uint32_t way = 0; way < COUNT_OF(ways); ++way)
            for (int bodies = 0; bodies < 2; ++bodies)
                diverge(shapes[i], ways[way], bodies);
}

/* A world goes on after the cause is gone. */
static void test_it_goes_on(void **state)
{
    (void)state;
    sn_world_def def = plain_def();
    sn_world *world = support_world_from(&def);
    uint32_t field;
    graph_grid(world, 30, 30, true);
    assert_ok(world, sn_field_add(world, burst, NULL, true, &field));
    assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(STEP)));
    assert_result(world, SN_ERROR_DIVERGED, sn_world_step(world, real(STEP)));
    assert_ok(world, sn_field_remove(world, field));
    support_run(world, 5, STEP);
    sn_world_destroy(world);
}

/* ---- Tasks --------------------------------------------------------------------------------------------------------------------- */

static sn_world *make_shared(uint32_t shape, support_tasks *tasks)
{
    sn_world_def def = plain_def();
    uint64_t seed = 4;
    def.settings.substeps = 3;
    def.tasks = support_tasks_hook(tasks);
    sn_world *world = support_world_from(&def);
    graph_shapes[shape].build(world, 20000, &seed);
    assert_ok(world, sn_field_add(world, support_wind, NULL, true, NULL));
    support_run(world, 1, STEP);
    return world;
}

static double sum_of_forces(const sn_world *world)
{
    sn_constraint_walk walk = {0};
    double sum = 0;
    while (sn_constraint_next(world, &walk))
        sum += (double)sn_constraint_force(world, walk.constraint).magnitude;
    return sum;
}

/* One task of one loop of a step gets lost. The world is as it was, forces are still known, or none of them is, and the
   next step does what this one should have. */
static void lose_one(uint32_t shape, uint32_t run, const sn_world *plain)
{
    support_tasks tasks = {.mode = SUPPORT_TASKS_FORWARD};
    sn_world *world = make_shared(shape, &tasks);
    tasks = (support_tasks){.mode = SUPPORT_TASKS_LOSE, .lost = 1, .lossy_run = run};
    uint64_t hash = sn_world_hash(world);
    double before = sum_of_forces(world);
    assert_result(world, SN_ERROR_HOST, sn_world_step(world, real(STEP)));
    double after = sum_of_forces(world);
    assert_int_equal(sn_world_hash(world), hash);
    assert_true(after == 0 || after == before);
    support_run(world, 1, STEP);
    assert_same_world(world, plain);
    sn_world_destroy(world);
}

static void test_lost_tasks(void **state)
{
    (void)state;
    for (uint32_t shape = GRAPH_GRID; shape <= GRAPH_STAR; shape += GRAPH_STAR - GRAPH_GRID) {
        support_tasks tasks = {.mode = SUPPORT_TASKS_FORWARD};
        sn_world *plain = make_shared(shape, &tasks);
        tasks.runs = 0;
        support_run(plain, 1, STEP);
        assert_true(tasks.runs > 6);
        for (uint32_t run = shape == GRAPH_STAR; run < tasks.runs; run += support_long(1, 3))
            lose_one(shape, run, plain);
        sn_world_destroy(plain);
    }
}

/* A task system whose threads come late, and sleep over their tasks. */
typedef struct sleepy {
    void (*task)(void *data, uint32_t index);
    void *data;
    uint32_t first, count;
} sleepy;

static void *sleep_and_run(void *data)
{
    sleepy *s = data;
    for (uint32_t i = s->first; i < s->count; i += 3) {
        struct timespec nap = {0, 20000 * (long)(i % 4)};
        nanosleep(&nap, NULL);
        s->task(s->data, i);
    }
    return NULL;
}

static void run_sleepily(void *context, uint32_t count, void (*task)(void *data, uint32_t index), void *data)
{
    pthread_t thread[3];
    sleepy s[3];
    (void)context;
    for (uint32_t i = 0; i < 3; ++i) {
        s[i] = (sleepy){task, data, i, count};
        assert_int_equal(pthread_create(&thread[i], NULL, sleep_and_run, &s[i]), 0);
    }
    for (uint32_t i = 0; i < 3; ++i)
        pthread_join(thread[i], NULL);
}

static void test_sleeping_threads(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (uint32_t asleep = 0; asleep < 2; ++asleep) {
        sn_world_def def = plain_def();
        if (asleep)
            def.tasks.run = run_sleepily;
        sn_world *world = support_world_from(&def);
        graph_grid(world, 100, 100, true);
        uint64_t seed = 3;
        graph_shapes[GRAPH_SHUFFLED].build(world, 5000, &seed);
        graph_star(world, 3000);
        support_run(world, 2, STEP);
        hash[asleep] = sn_world_hash(world);
        sn_world_destroy(world);
    }
    assert_int_equal(hash[0], hash[1]);
}

/* ---- Memory --------------------------------------------------------------------------------------------------------------------- */

static void test_warm_steps_ask_for_nothing(void **state)
{
    (void)state;
    static const uint32_t shapes[] = {GRAPH_GRID, GRAPH_SHUFFLED, GRAPH_STAR, GRAPH_ROPES};
    for (uint32_t i = 0; i < COUNT_OF(shapes); ++i)
        for (uint32_t threads = 1; threads <= 4; threads += 3) {
            support_memory memory = {0};
            sn_world_def def = plain_def();
            def.allocator = support_allocator(&memory);
            def.threads = threads;
            sn_world *world = support_world_from(&def);
            uint64_t seed = 9;
            graph_shapes[shapes[i]].build(world, 5000, &seed);
            if (shapes[i] != GRAPH_ROPES)
                add_bodies(world);
            support_run(world, 1, STEP);
            for (uint32_t round = 0; round < 5; ++round) {
                uint64_t before = memory.requests;
                support_run(world, 2, STEP / 4);
                assert_int_equal(memory.requests, before);
                for (uint32_t k = 0; k < 4; ++k) { /* what they leave is used again */
                    sn_constraint c = graph_any_constraint(world, &seed);
                    sn_point points[SN_MAX_POINTS];
                    sn_constraint_def again;
                    assert_ok(world, sn_constraint_read(world, c, &again, points, SN_MAX_POINTS));
                    assert_ok(world, sn_constraint_remove(world, c));
                    assert_ok(world, sn_constraint_add(world, &again, NULL));
                }
                support_run(world, 1, STEP / 4);
            }
            assert_false(world->plan.canonical);
            sn_world_destroy(world);
            assert_memory_clean(&memory);
        }
}

/* ---- Newcomers -------------------------------------------------------------------------------------------------------------------- */

/* Particles that came since the plan was made move as all others do, loose or held. */
static void test_particles_come_and_go(void **state)
{
    (void)state;
    sn_world *world[2];
    uint64_t seed[2] = {6, 6};
    for (uint32_t k = 0; k < 2; ++k) {
        sn_world_def def = plain_def();
        def.settings.substeps = 20;
        world[k] = support_world_from(&def);
        graph_grid(world[k], 20, 20, true);
        if (k)
            disturb_tiles(world[k]);
    }
    for (uint32_t round = 0; round < 12; ++round) {
        for (uint32_t k = 0; k < 2; ++k) {
            sn_particle loose = sn_particle_add_at(world[k], vec(5, 5, 1), 1),
                        held = sn_particle_add_at(world[k], vec(1, 3, 0), 1);
            sn_particle other = graph_any_particle(world[k], &seed[k]);
            if (other.index != held.index)
                sn_constraint_add_distance(world[k], sn_at(held), sn_at(other), SN_MEASURE);
            support_run(world[k], 1, STEP);
            /* symplectic Euler: n substeps of h fall by g h^2 n (n + 1) / 2 */
            double h = STEP / 20;
            assert_vec_close(sn_particle_position(world[k], loose), vec(5, 5 - 9.81 * h * h * 210, 1), 2e-6);
            if (round % 3 == 0)
                assert_ok(world[k], sn_particle_remove(world[k], loose));
            if (round % 4 == 0)
                assert_ok(world[k], sn_particle_remove(world[k], held));
            if (round % 5 == 0)
                assert_ok(world[k], sn_particle_remove(world[k], particle_at(world[k], 37 + round)));
        }
        for (uint32_t k = 0; k < 2; ++k) /* it makes the plan, so both */
            assert_planned(world[k], "newcomers");
        assert_true(graph_distance(world[0], world[1]) < 1e-5);
    }
    sn_world_destroy(world[0]);
    sn_world_destroy(world[1]);
}

/* Particles that are moved, stopped, made heavy or immovable by hand between steps. */
static void test_particles_are_changed_between_steps(void **state)
{
    (void)state;
    sn_world *world[2];
    for (uint32_t k = 0; k < 2; ++k) {
        sn_world_def def = plain_def();
        def.settings.substeps = 20;
        world[k] = support_world_from(&def);
        graph_grid(world[k], 20, 20, false);
        if (k)
            disturb_tiles(world[k]);
        for (uint32_t round = 0; round < 8; ++round) {
            sn_particle p = particle_at(world[k], 11 * round + 5);
            sn_vec3 x = sn_particle_position(world[k], p);
            assert_ok(world[k], sn_particle_set_mass(world[k], p, round % 2 ? SN_IMMOVABLE : real(0.03)));
            assert_ok(world[k], sn_particle_set_velocity(world[k], p, vec(0, 0.5, 0)));
            assert_ok(world[k],
                      sn_particle_set_position(world[k], p, vec((double)x.x, (double)x.y, (double)x.z + 0.01)));
            support_run(world[k], 1, STEP);
        }
    }
    assert_true(graph_distance(world[0], world[1]) < 2e-5);
    sn_world_destroy(world[0]);
    sn_world_destroy(world[1]);
}

/* ---- Bodies --------------------------------------------------------------------------------------------------------------------- */

/* They move as they do where tiles are disturbed, but for rounding, with joints, motors, ties, targets and torques; and what a motor exerts
   is the same. */
static void test_bodies_move_alike(void **state)
{
    (void)state;
    sn_world *world[2];
    menagerie m[2];
    for (uint32_t k = 0; k < 2; ++k) {
        sn_world_def def = plain_def();
        def.settings.iterations = 2;
        world[k] = support_world_from(&def);
        graph_grid(world[k], 20, 20, true);
        m[k] = add_bodies(world[k]);
        if (k)
            disturb_tiles(world[k]);
    }
    for (uint32_t round = 0; round < 10; ++round) {
        for (uint32_t k = 0; k < 2; ++k) {
            support_run(world[k], 1, STEP);
            assert_planned(world[k], "bodies");
        }
        const sn_body body[2][4] = {{m[0].hung, m[0].turned, m[0].led, m[0].free},
                                    {m[1].hung, m[1].turned, m[1].led, m[1].free}};
        for (uint32_t i = 0; i < 4; ++i) {
            assert_vec_close(sn_body_position(world[0], body[0][i]), sn_body_position(world[1], body[1][i]), 1e-5);
            assert_vec_close(sn_body_spin(world[0], body[0][i]), sn_body_spin(world[1], body[1][i]), 2e-3);
        }
        sn_vec3 torque[2];
        for (uint32_t k = 0; k < 2; ++k)
            assert_ok(world[k], sn_joint_reaction(world[k], m[k].hinge, NULL, &torque[k]));
        assert_close(torque[0].x, torque[1].x, 0.02);
        assert_true(graph_distance(world[0], world[1]) < 1e-4);
    }
    assert_close((double)sn_body_spin(world[0], m[0].turned).x - (double)sn_body_spin(world[0], m[0].hung).x, 3, 0.1);
    sn_world_destroy(world[0]);
    sn_world_destroy(world[1]);
}

static sn_world *make_cloth(uint32_t side, double radius, uint32_t crates, bool first)
{
    sn_world_def def = plain_def();
    sn_world *world = support_world_from(&def);
    fixed_add_plane(world, vec(0, -3, 0), vec(0, 1, 0));
    for (uint32_t i = 0; first && i < crates; ++i)
        box_at(world, 40 + 0.5 * i, -2.5, 0);
    uint32_t count = sn_world_particle_count(world);
    graph_grid(world, side, side, true);
    for (uint32_t i = count; i < count + side * side; ++i)
        assert_ok(world, sn_particle_set_radius(world, particle_at(world, i), real(radius)));
    for (uint32_t i = 0; !first && i < crates; ++i)
        box_at(world, 40 + 0.5 * i, -2.5, 0);
    if (crates > 1) /* a joint with a motor among them */
        assert_true(sn_joint_add_hinge(world, sn_body_from_index(world, 0), sn_body_from_index(world, 1),
                                       vec(40.25, -2.5, 0), vec(0, 0, 1))
                        .kind);
    return world;
}

/* A cloth does not know of a body that is far away: the same bits, whatever the body does. */
static void test_far_bodies_change_nothing(void **state)
{
    (void)state;
    for (int radius = 0; radius < 2; ++radius)
        for (uint32_t side = 9; side <= 90; side *= 10) /* records, and planes */
            for (uint32_t crates = 1; crates <= 3; crates += 2)
                for (int first = 0; first < 2; ++first) {
                    sn_world *alone = make_cloth(side, 0.01 * radius, 0, false),
                             *beside = make_cloth(side, 0.01 * radius, crates, first);
                    uint32_t shift = first ? crates : 0;
                    support_run(alone, 5, STEP);
                    support_run(beside, 5, STEP);
                    for (uint32_t i = 0; i < side * side; ++i) {
                        assert_vec_same(sn_particle_position(alone, particle_at(alone, i)),
                                        sn_particle_position(beside, particle_at(beside, i + shift)));
                        assert_vec_same(sn_particle_velocity(alone, particle_at(alone, i)),
                                        sn_particle_velocity(beside, particle_at(beside, i + shift)));
                    }
                    sn_world_destroy(alone);
                    sn_world_destroy(beside);
                }
}

/* A body that is a hub: hundreds of threads to it, solved all at once, with its turn among what they move. */
static void test_a_body_as_a_hub(void **state)
{
    (void)state;
    sn_world *world[2];
    sn_body body[2];
    for (uint32_t k = 0; k < 2; ++k) {
        sn_world_def def = plain_def();
        world[k] = support_world_from(&def);
        body[k] = box_at(world[k], 0, 0, 0);
        for (uint32_t i = 0; i < 400; ++i) {
            double angle = 0.1 * i;
            sn_particle p =
                sn_particle_add_at(world[k], vec(2 * cos(angle), 1, 2 * sin(angle)), i % 7 ? real(0.01) : SN_IMMOVABLE);
            assert_true(sn_constraint_add_distance(world[k],
                                                   sn_on_body(body[k], vec(0.1 * cos(angle), 0.2, 0.1 * sin(angle))),
                                                   sn_at(p), SN_MEASURE)
                            .kind);
        }
        assert_ok(world[k], sn_body_apply_angular_impulse(world[k], body[k], vec(0, 0.2, 0)));
        if (k)
            disturb_tiles(world[k]);
        support_run(world[k], 10, STEP);
    }
    assert_true(world[0]->plan.hub_table.count >= 400);
    assert_true(support_gap(sn_body_spin(world[0], body[0]), vec(0, 0, 0)) > 0.01);
    assert_vec_close(sn_body_position(world[0], body[0]), sn_body_position(world[1], body[1]), 1e-4);
    assert_vec_close(sn_body_spin(world[0], body[0]), sn_body_spin(world[1], body[1]), 1e-2);
    sn_world_destroy(world[0]);
    sn_world_destroy(world[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_step_that_diverges),
        cmocka_unit_test(test_it_goes_on),
        cmocka_unit_test(test_lost_tasks),
        cmocka_unit_test(test_sleeping_threads),
        cmocka_unit_test(test_warm_steps_ask_for_nothing),
        cmocka_unit_test(test_particles_come_and_go),
        cmocka_unit_test(test_particles_are_changed_between_steps),
        cmocka_unit_test(test_bodies_move_alike),
        cmocka_unit_test(test_far_bodies_change_nothing),
        cmocka_unit_test(test_a_body_as_a_hub),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
