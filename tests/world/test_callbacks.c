/* Calls of a world from inside its own callbacks: force fields, kinds, hooks. All are refused with SN_ERROR_BUSY,
   change nothing, and the call that they interrupt goes on as if nothing had happened. */
#include "support/bench.h"

/* What a callback needs to call its own world, and what came of it. */
typedef struct intruder {
    sn_world *world;
    sn_particle p;
    sn_particles run;
    sn_constraint rod;
    sn_snapshot *snapshot;
    support_log log;
    bool armed;        /* intrudes once per arming */
    bool hook_only;    /* and only from the task hook */
    uint32_t calls;    /* that were refused as they should */
    uint32_t failures; /* that were not */
} intruder;

static void expect_busy(intruder *in, bool refused, const char *call)
{
    const char *error = sn_world_error(in->world);
    if (refused && support_says(error, "callback")) {
        in->calls++;
        return;
    }
    in->failures++;
    print_error("from a callback: %s; error \"%s\"\n", call, error);
}

#define BUSY(call)      expect_busy(in, (call) == SN_ERROR_BUSY, #call)
#define BUSY_NULL(call) expect_busy(in, (call), #call)

static void intrude_on_particles(intruder *in)
{
    sn_world *w = in->world;
    sn_real xyz[3 * 8] = {0};
    sn_particle_def def = sn_default_particle_def();
    BUSY(sn_particle_add(w, &def, NULL));
    BUSY_NULL(bench_is_null_particle(sn_particle_add_at(w, vec(0, 0, 0), 1)));
    BUSY_NULL(bench_is_null_run(sn_particles_add(w, 2, xyz, 0, 1)));
    BUSY(sn_particle_remove(w, in->p));
    BUSY(sn_particles_remove(w, in->run));
    BUSY(sn_particle_set_position(w, in->p, vec(5, 5, 0)));
    BUSY(sn_particle_set_velocity(w, in->p, vec(5, 5, 0)));
    BUSY(sn_particle_set_mass(w, in->p, 5));
    BUSY(sn_particle_set_radius(w, in->p, 5));
    BUSY(sn_particle_set_group(w, in->p, 5));
    BUSY(sn_particle_set_user(w, in->p, 5));
    BUSY(sn_particle_apply_impulse(w, in->p, vec(5, 5, 0)));
    BUSY(sn_particle_apply_force(w, in->p, vec(5, 5, 0)));
    BUSY(sn_particle_move_to(w, in->p, vec(5, 5, 0)));
    BUSY(sn_particles_write_positions(w, in->run, xyz, 0));
    BUSY(sn_particles_write_velocities(w, in->run, xyz, 0));
    BUSY(sn_particles_write_inverse_masses(w, in->run, xyz, 0));
}

static void intrude_on_constraints(intruder *in)
{
    sn_world *w = in->world;
    uint32_t index[] = {in->run.first, in->run.first + 1};
    sn_point p = sn_at(in->p), q = sn_at(sn_particles_at(in->run, 1)), points[2] = {p, q};
    sn_constraint_def def = bench_rod_def(points);
    sn_real rest = 3;
    BUSY(sn_constraint_add(w, &def, NULL));
    BUSY(sn_constraints_add(w, &def, 1, index, NULL, NULL));
    BUSY_NULL(bench_is_null_constraints(sn_constraints_add_kind(w, SN_KIND_DISTANCE, 1, index, NULL, NULL)));
    BUSY(sn_constraint_change(w, in->rod, &def));
    BUSY(sn_constraint_remove(w, in->rod));
    BUSY(sn_constraints_remove(w, (sn_constraints){in->rod.kind, in->rod.index, 1, in->rod.generation}));
    BUSY(sn_constraint_set_param(w, in->rod, "rest", &rest, 1));
    BUSY(sn_constraint_set_material(w, in->rod, (sn_material){1, 1}));
    BUSY(sn_constraint_set_stiffness(w, in->rod, real(0.5)));
    BUSY_NULL(bench_is_null_constraint(sn_constraint_add_distance(w, p, q, 1)));
    BUSY_NULL(bench_is_null_constraint(sn_constraint_add_distance_min(w, p, q, 1)));
    BUSY_NULL(bench_is_null_constraint(sn_constraint_add_distance_max(w, p, q, 1)));
    BUSY_NULL(bench_is_null_constraint(sn_constraint_add_distance_band(w, p, q, 1, 2)));
    BUSY_NULL(bench_is_null_constraint(sn_constraint_add_pin(w, in->p)));
    BUSY_NULL(bench_is_null_constraint(sn_constraint_add_pin_at(w, p, vec(0, 0, 0))));
    BUSY_NULL(bench_is_null_constraint(sn_constraint_add_attachment(w, p, q)));
    BUSY_NULL(bench_is_null_constraint(sn_constraint_add_half_space(w, p, vec(0, 0, 0), vec(0, 1, 0))));
    BUSY_NULL(bench_is_null_constraint(sn_constraint_add_box(w, p, vec(0, 0, 0), vec(1, 1, 0))));
    sn_kind kind = support_kind_gap;
    kind.name = "test_intruder";
    BUSY_NULL(sn_kind_register(w, &kind) == 0);
}

static void intrude_on_world(intruder *in)
{
    sn_world *w = in->world;
    sn_settings settings = sn_world_settings(w);
    sn_report report;
    settings.gravity = vec(1, 2, 0);
    BUSY(sn_world_step(w, real(0.1)));
    BUSY(sn_world_step(w, 0));
    BUSY(sn_world_configure(w, &settings));
    BUSY(sn_world_shift_origin(w, vec(1, 0, 0)));
    BUSY(sn_field_add(w, support_wind, NULL, false, NULL));
    BUSY(sn_field_remove(w, 1));
    BUSY(sn_world_report(w, &report));
    BUSY_NULL(sn_world_save(w) == NULL);
    BUSY(sn_world_save_into(w, in->snapshot));
    BUSY(sn_world_load(w, in->snapshot));
    uint32_t logged = in->log.count;
    sn_world_destroy(w);
    expect_busy(in, in->log.count == logged + 1, "sn_world_destroy");
}

static void intrude(intruder *in)
{
    if (!in->armed)
        return;
    in->armed = false;
    intrude_on_particles(in);
    intrude_on_constraints(in);
    intrude_on_world(in);
}

static sn_vec3 intruding_field(void *context, const sn_field_in *field_in)
{
    intruder *in = context;
    (void)field_in;
    if (!in->hook_only)
        intrude(in);
    return vec(1, 0, 0);
}

static bool intruding_eval(const sn_eval_in *in, const sn_eval_out *out)
{
    intruder *who = in->context;
    if (!who->hook_only)
        intrude(who);
    return support_kind_gap.eval(in, out);
}

static void intruding_measure(const sn_eval_in *in, sn_real *param)
{
    intrude(in->context);
    support_kind_gap.measure(in, param);
}

static intruder *checked_intruder; /* a check has no context */

static const char *intruding_check(const sn_real *param)
{
    (void)param;
    if (checked_intruder)
        intrude(checked_intruder);
    return NULL;
}

static void intruding_run(void *context, uint32_t count, void (*task)(void *data, uint32_t index), void *data)
{
    intrude(context);
    for (uint32_t i = 0; i < count; ++i)
        task(data, i);
}

/* A world with a field, a kind and a task hook that can turn on it. */
static intruder *intruder_open(void)
{
    intruder *in = calloc(1, sizeof *in);
    sn_world_def def = sn_default_world_def();
    def.log = support_log_hook(&in->log);
    def.tasks.run = intruding_run;
    def.tasks.context = in;
    in->world = support_world_from(&def);
    sn_kind kind = support_kind_gap;
    kind.eval = intruding_eval;
    kind.measure = intruding_measure;
    kind.check = intruding_check;
    kind.context = in;
    uint32_t number = sn_kind_register(in->world, &kind);
    assert_int_equal(number, SN_KIND_BUILTIN_END);
    sn_real xyz[3 * 8];
    for (uint32_t i = 0; i < 24; ++i)
        xyz[i] = real(i % 3 == 2 ? 0 : i);
    in->run = sn_particles_add(in->world, 8, xyz, 0, 1);
    in->p = sn_particles_at(in->run, 0);
    in->rod = sn_constraint_add_distance(in->world, sn_at(in->p), sn_at(sn_particles_at(in->run, 1)), SN_MEASURE);
    uint32_t index[] = {in->run.first + 2, in->run.first + 3};
    assert_int_equal(sn_constraints_add_kind(in->world, number, 1, index, NULL, NULL).count, 1);
    assert_ok(in->world, sn_field_add(in->world, intruding_field, in, true, NULL));
    in->snapshot = sn_world_save(in->world);
    return in;
}

static void intruder_close(intruder *in)
{
    sn_snapshot_destroy(in->snapshot);
    sn_world_destroy(in->world);
    free(in);
}

/* The intruding world goes the way of one whose callbacks behave, and lives on. */
static void test_calls_from_callbacks(void **state)
{
    (void)state;
    intruder *in = intruder_open(), *twin = intruder_open();
    for (uint32_t i = 0; i < 5; ++i) {
        in->armed = true;
        assert_ok(in->world, sn_world_step(in->world, real(0.01)));
        assert_ok(twin->world, sn_world_step(twin->world, real(0.01)));
        assert_same_world(in->world, twin->world);
    }
    assert_int_equal(in->failures, 0);
    assert_true(in->calls > 5 * 40);
    intruder_close(in);
    intruder_close(twin);
}

/* The same by each callback on its own; a field that is not parallel, an eval, a measure and a check. */
static void test_calls_from_each_callback(void **state)
{
    (void)state;
    intruder *in = intruder_open();
    sn_point points[2] = {sn_at(sn_particles_at(in->run, 4)), sn_at(sn_particles_at(in->run, 5))};
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_BUILTIN_END);
    def.points = points;
    in->armed = true; /* by measure */
    assert_ok(in->world, sn_constraint_add(in->world, &def, NULL));
    assert_false(in->armed);
    def.param[0] = 1;
    in->armed = true; /* by check */
    checked_intruder = in;
    assert_ok(in->world, sn_constraint_add(in->world, &def, NULL));
    checked_intruder = NULL;
    assert_false(in->armed);
    in->armed = true; /* by eval, as there are no steps here */
    sn_constraint c = {SN_KIND_BUILTIN_END, 0, 0};
    sn_real value[SN_MAX_ROWS];
    assert_ok(in->world, sn_constraint_add(in->world, &def, &c));
    assert_ok(in->world, sn_constraint_value(in->world, c, value));
    assert_false(in->armed);
    assert_int_equal(in->failures, 0);
    assert_int_equal(sn_world_constraint_count(in->world, SN_KIND_NONE), 5);
    intruder_close(in);
}

/* And by the task hook, which is asked when there are particles enough. */
static void test_calls_from_tasks(void **state)
{
    (void)state;
    enum { CROWD = 10000 };
    intruder *in = intruder_open(), *twin = intruder_open();
    sn_real *xyz = calloc(3 * CROWD, sizeof *xyz);
    assert_int_equal(sn_particles_add(in->world, CROWD, xyz, 0, SN_IMMOVABLE).count, CROWD);
    assert_int_equal(sn_particles_add(twin->world, CROWD, xyz, 0, SN_IMMOVABLE).count, CROWD);
    free(xyz);
    in->hook_only = true;
    in->armed = true;
    assert_ok(in->world, sn_world_step(in->world, real(0.01)));
    assert_ok(twin->world, sn_world_step(twin->world, real(0.01)));
    assert_false(in->armed);
    assert_int_equal(in->failures, 0);
    assert_same_world(in->world, twin->world);
    intruder_close(in);
    intruder_close(twin);
}

static void intruding_log(void *context, sn_log_level level, const char *text)
{
    intruder *in = context;
    (void)level;
    in->log.count++;
    snprintf(in->log.text, sizeof in->log.text, "%s", text);
    if (!in->armed)
        return;
    in->armed = false;
    in->calls += sn_world_step(in->world, 1) == SN_ERROR_BUSY;
    in->calls += bench_is_null_particle(sn_particle_add_at(in->world, vec(0, 0, 0), 1));
    sn_world_destroy(in->world);
}

/* A log hook that calls the world does not bring it down. */
static void test_calls_from_log(void **state)
{
    (void)state;
    intruder in;
    memset(&in, 0, sizeof in);
    sn_world_def def = sn_default_world_def();
    def.log.write = intruding_log;
    def.log.context = &in;
    in.world = support_world_from(&def);
    sn_particle_add_at(in.world, vec(0, 1, 0), 1);
    uint64_t hash = sn_world_hash(in.world);
    in.armed = true;
    assert_int_equal(sn_world_step(in.world, -1), SN_ERROR_ARGUMENT);
    assert_int_equal(in.calls, 2);
    assert_true(sn_world_hash(in.world) == hash);
    support_run(in.world, 1, 0.1);
    sn_world_destroy(in.world);
}

typedef struct two_worlds {
    sn_world *other;
    sn_result result;
    uint32_t calls;
} two_worlds;

static sn_vec3 step_other(void *context, const sn_field_in *in)
{
    two_worlds *worlds = context;
    (void)in;
    worlds->calls++;
    sn_result result = sn_world_step(worlds->other, real(0.01));
    if (result != SN_OK)
        worlds->result = result;
    return vec(0, 0, 0);
}

/* Another world may be called from a callback: nothing is shared. */
static void test_other_world_from_callback(void **state)
{
    (void)state;
    sn_world *outer = support_world();
    two_worlds worlds = {support_world(), SN_OK, 0};
    support_zoo(worlds.other);
    sn_particle_add_at(outer, vec(0, 0, 0), 1);
    assert_ok(outer, sn_field_add(outer, step_other, &worlds, false, NULL));
    support_run(outer, 1, 0.1);
    assert_int_equal(worlds.result, SN_OK);
    assert_int_equal(worlds.calls, 10);
    assert_close(sn_world_time(worlds.other), 0.1, 1e-6);
    sn_world_destroy(outer);
    sn_world_destroy(worlds.other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_from_callbacks),      cmocka_unit_test(test_calls_from_each_callback),
        cmocka_unit_test(test_calls_from_tasks),          cmocka_unit_test(test_calls_from_log),
        cmocka_unit_test(test_other_world_from_callback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
