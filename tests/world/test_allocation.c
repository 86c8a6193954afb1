/* Memory: every request of a whole scenario fails once, and nothing is lost but the call that needed it; a warmed-up
   step asks for nothing, neither from the caller's allocator nor from the C library; and what is given back is what was
   given out. */
#include "support/support.h"

#include <stdatomic.h>

/* ---- Counting the C library's allocations ---------------------------------------------------------------------------
   Under the address sanitizer through its hooks, with glibc by standing in front of malloc. Elsewhere they are not
   counted (the thread sanitizer has the hooks, but forgets aligned allocations). */

static atomic_ulong libc_requests;

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER
#elif defined(__SANITIZE_THREAD__)
#define OTHER_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER
#elif __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define OTHER_SANITIZER
#endif
#endif

#if defined(ADDRESS_SANITIZER)
/* of the sanitizer's runtime; gcc has no header for it */
extern int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *, size_t),
                                                     void (*free_hook)(const volatile void *));

static void count_malloc(const volatile void *block, size_t size)
{
    (void)block, (void)size;
    libc_requests++;
}

static void ignore_free(const volatile void *block)
{
    (void)block;
}

static bool count_libc(void)
{
    return __sanitizer_install_malloc_and_free_hooks(count_malloc, ignore_free) != 0;
}

#elif defined(__GLIBC__) && !defined(OTHER_SANITIZER)
#include <malloc.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

void *malloc(size_t size)
{
    libc_requests++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    libc_requests++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    libc_requests++;
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    libc_requests++;
    return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size)
{
    libc_requests++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    libc_requests++;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : 12; /* ENOMEM */
}

void free(void *block)
{
    __libc_free(block);
}

static bool count_libc(void)
{
    return true;
}

#else
static bool count_libc(void)
{
    return false;
}
#endif

/* ---- A scenario, call by call ------------------------------------------------------------------------------------ */

/* Everything that its calls share. */
typedef struct scenario {
    support_memory memory;
    support_log log;
    sn_world *world, *other;
    uint32_t own_kind, field;
    sn_particles run, second_run;
    sn_particle single[40];
    sn_constraint one[SN_KIND_BUILTIN_END + 1];
    sn_constraints many;
    sn_snapshot *saved, *other_saved;
} scenario;

/* One call that may run out of memory; i counts its repetitions. */
typedef sn_result scenario_call(scenario *s, uint32_t i);

/* For calls that give back a handle. */
static sn_result unless_null(bool made)
{
    return made ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result make_world(scenario *s, uint32_t i)
{
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&s->memory);
    def.log = support_log_hook(&s->log);
    def.settings.substeps = 2;
    return sn_world_create(&def, i == 0 ? &s->world : &s->other);
}

static sn_result register_kind(scenario *s, uint32_t i)
{
    static const char *const names[] = {"test_a", "test_b", "test_c", "test_d", "test_e", "test_f"};
    sn_kind kind = support_kind_gap;
    kind.name = names[i];
    uint32_t number = sn_kind_register(s->world, &kind);
    if (i == 0)
        s->own_kind = number;
    return unless_null(number != 0);
}

static sn_result add_run(scenario *s, uint32_t i)
{
    sn_real xyz[3 * 100];
    for (uint32_t j = 0; j < 300; ++j)
        xyz[j] = real(0.1 * ((j * 7 + i) % 31));
    *(i == 0 ? &s->run : &s->second_run) = sn_particles_add(s->world, 100, xyz, 0, 1);
    return unless_null((i == 0 ? s->run : s->second_run).count == 100);
}

static sn_result add_single(scenario *s, uint32_t i)
{
    s->single[i] = sn_particle_add_at(s->world, vec(i, 1, 0), 2);
    return unless_null(s->single[i].generation != 0);
}

/* Every kind in turn, between particles and between spots. */
static sn_result add_one(scenario *s, uint32_t i)
{
    uint32_t kind = 1 + i % (s->own_kind ? s->own_kind : SN_KIND_BOX);
    if (sn_kind_info(s->world, kind)->oriented) /* takes bodies */
        kind = SN_KIND_ATTACHMENT;
    const sn_kind *info = sn_kind_info(s->world, kind);
    bool on_spots = i % 3 == 1 && support_kind_takes_spots(info);
    sn_point points[SUPPORT_MOST_POINTS];
    sn_real third = real(1.0 / 3);
    for (uint32_t j = 0; j < support_point_count(info, false); ++j) {
        uint32_t at = (3 * i + 5 * support_particle_of_point(info, false, j)) % 90;
        sn_particle a = sn_particles_at(s->run, at), b = sn_particles_at(s->run, at + 1);
        points[j] = on_spots ? sn_on_triangle(a, b, sn_particles_at(s->run, at + 2), third, third, third) : sn_at(a);
    }
    sn_constraint_def def = support_constraint_def(s->world, kind, points);
    def.compliance = i % 2 && support_kind_gives(info) ? real(1e-4) : 0;
    return sn_constraint_add(s->world, &def, &s->one[i]);
}

static sn_result add_many(scenario *s, uint32_t i)
{
    uint32_t index[2 * 99];
    (void)i;
    for (uint32_t j = 0; j < 99; ++j) {
        index[2 * j] = s->run.first + j;
        index[2 * j + 1] = s->run.first + j + 1;
    }
    s->many = sn_constraints_add_kind(s->world, SN_KIND_DISTANCE_MAX, 99, index, NULL, NULL);
    return unless_null(s->many.count == 99);
}

static sn_result add_field(scenario *s, uint32_t i)
{
    (void)i;
    return sn_field_add(s->world, support_wind, NULL, false, &s->field);
}

static sn_result configure(scenario *s, uint32_t i)
{
    sn_settings settings = sn_world_settings(s->world);
    support_set_sweep(&settings, (int)(i % SUPPORT_SWEEPS));
    settings.iterations = 2;
    return sn_world_configure(s->world, &settings);
}

static sn_result push(scenario *s, uint32_t i)
{
    return sn_particle_apply_force(s->world, s->single[i], vec(1, 2, 3));
}

static sn_result pull(scenario *s, uint32_t i)
{
    return sn_particle_move_to(s->world, s->single[i], vec(i, 5, 3));
}

static sn_result step(scenario *s, uint32_t i)
{
    (void)i;
    return sn_world_step(s->world, real(1.0 / 60));
}

/* In turns: choose an order, step in it. */
static sn_result configure_or_step(scenario *s, uint32_t i)
{
    return i % 2 == 0 ? configure(s, i / 2) : step(s, i);
}

static sn_result report(scenario *s, uint32_t i)
{
    sn_report r;
    (void)i;
    return sn_world_report(s->world, &r);
}

static sn_result save(scenario *s, uint32_t i)
{
    (void)i;
    s->saved = sn_world_save(s->world);
    return unless_null(s->saved);
}

static sn_result save_into(scenario *s, uint32_t i)
{
    (void)i;
    return sn_world_save_into(s->world, s->saved);
}

static sn_result load(scenario *s, uint32_t i)
{
    (void)i;
    return sn_world_load(s->world, s->saved);
}

static sn_result save_other(scenario *s, uint32_t i)
{
    (void)i;
    s->other_saved = sn_world_save(s->other);
    return unless_null(s->other_saved);
}

/* A state that is larger than anything this world held. */
static sn_result load_other(scenario *s, uint32_t i)
{
    (void)i;
    return sn_world_load(s->other, s->saved);
}

static sn_result register_in_other(scenario *s, uint32_t i)
{
    sn_world *world = s->world;
    uint32_t own = s->own_kind;
    s->world = s->other;
    sn_result result = register_kind(s, i);
    s->world = world;
    s->own_kind = own;
    return result;
}

static sn_result step_other(scenario *s, uint32_t i)
{
    (void)i;
    return sn_world_step(s->other, real(1.0 / 60));
}

static sn_result remove_one(scenario *s, uint32_t i)
{
    return sn_constraint_remove(s->world, s->one[i]);
}

static sn_result remove_many(scenario *s, uint32_t i)
{
    (void)i;
    return sn_constraints_remove(s->world, s->many);
}

static sn_result remove_single(scenario *s, uint32_t i)
{
    return sn_particle_remove(s->world, s->single[i]);
}

static sn_result remove_from_run(scenario *s, uint32_t i)
{
    return sn_particle_remove(s->world, sn_particles_at(s->run, 10 + 7 * i));
}

static sn_result remove_run(scenario *s, uint32_t i)
{
    (void)i;
    return sn_particles_remove(s->world, s->second_run);
}

/* From particles to spots. */
static sn_result change_one(scenario *s, uint32_t i)
{
    sn_particle p[4];
    for (uint32_t j = 0; j < 4; ++j)
        p[j] = s->single[25 + (i + j) % 15];
    sn_real q = real(0.25);
    sn_point points[2] = {sn_at(s->single[24]), sn_in_tetrahedron(p[0], p[1], p[2], p[3], q, q, q, q)};
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE_MAX);
    def.points = points;
    return sn_constraint_change(s->world, sn_constraints_at(s->many, 80 + i), &def);
}

static sn_result set_rest(scenario *s, uint32_t i)
{
    sn_real most = real(0.5);
    return sn_constraint_set_param(s->world, sn_constraints_at(s->many, 90 + i), "most", &most, 1);
}

static sn_result shift(scenario *s, uint32_t i)
{
    (void)i;
    return sn_world_shift_origin(s->world, vec(1, 2, 3));
}

static sn_result remove_field(scenario *s, uint32_t i)
{
    (void)i;
    return sn_field_remove(s->world, s->field);
}

static const struct {
    const char *name;
    scenario_call *call;
    uint32_t times;
} script[] = {
    {"create", make_world, 2},
    {"register kind", register_kind, 6},
    {"add run", add_run, 2},
    {"add particle", add_single, 40},
    {"add constraint", add_one, SN_KIND_BUILTIN_END + 1},
    {"add constraints", add_many, 1},
    {"add field", add_field, 1},
    {"step", step, 1},
    {"force", push, 3},
    {"target", pull, 20},
    {"step in every order", configure_or_step, 8},
    {"report", report, 2},
    {"save", save, 1},
    {"add field", add_field, 9},
    {"add constraints", add_many, 2},
    {"change to spots", change_one, 8},
    {"set parameter", set_rest, 4},
    {"save into, larger", save_into, 1},
    {"remove constraint", remove_one, 5},
    {"remove particle", remove_single, 20},
    {"remove particle of run", remove_from_run, 6},
    {"remove run", remove_run, 1},
    {"step after removals", configure_or_step, 8},
    {"load", load, 1},
    {"remove particle again", remove_single, 20},
    {"add particle again", add_single, 20},
    {"step in every order", configure_or_step, 8},
    {"add constraints again", add_many, 1},
    {"remove constraints", remove_many, 1},
    {"shift origin", shift, 1},
    {"save other, empty", save_other, 1},
    {"register kind in other", register_in_other, 6},
    {"load in other", load_other, 1},
    {"step other", step_other, 1},
    {"remove field", remove_field, 1},
    {"report", report, 1},
};

static void destroy(scenario *s)
{
    sn_world_destroy(s->world);
    sn_world_destroy(s->other);
    sn_snapshot_destroy(s->saved);
    sn_snapshot_destroy(s->other_saved);
}

/* A call that failed says so in words, was logged once, and left both worlds as they were. */
static void expect_clean_failure(scenario *s, sn_result result, const char *name, const uint64_t hash[2])
{
    if (result != SN_ERROR_MEMORY || !support_says(s->log.text, "memory") || s->log.count != 1 ||
        sn_world_hash(s->world) != hash[0] || sn_world_hash(s->other) != hash[1])
        fail_msg("request %llu failed in \"%s\": result \"%s\", logged %u: \"%s\", worlds %s",
                 (unsigned long long)s->memory.fail_at, name, sn_result_text(result), s->log.count, s->log.text,
                 sn_world_hash(s->world) == hash[0] && sn_world_hash(s->other) == hash[1] ? "as before" : "changed");
}

/* Runs the script with one request failing; a call that fails for it is repeated and must then succeed. */
static void run_script(scenario *s)
{
    for (uint32_t i = 0; i < COUNT_OF(script); ++i)
        for (uint32_t j = 0; j < script[i].times; ++j) {
            uint64_t hash[2] = {sn_world_hash(s->world), sn_world_hash(s->other)}, failures = s->memory.failures;
            s->log.count = 0;
            sn_result result = script[i].call(s, j);
            if (result == SN_OK)
                continue;
            if (s->memory.failures == failures)
                fail_msg("\"%s\" %u failed by itself: %s", script[i].name, j, s->log.text);
            expect_clean_failure(s, result, script[i].name, hash);
            result = script[i].call(s, j);
            if (result != SN_OK)
                fail_msg("\"%s\" %u did not recover: %s", script[i].name, j, s->log.text);
        }
}

static scenario *scenario_open(uint64_t fail_at, bool ever_after)
{
    scenario *s = calloc(1, sizeof *s);
    s->memory.fail_at = fail_at;
    s->memory.fail_ever_after = ever_after;
    return s;
}

/* The n-th request fails, for every n: the failing call changes nothing, and with a second try everything ends as if
   nothing had happened. */
static void test_each_request_fails_once(void **state)
{
    (void)state;
    scenario *s = scenario_open(0, false);
    run_script(s);
    uint64_t hash[2] = {sn_world_hash(s->world), sn_world_hash(s->other)};
    destroy(s);
    assert_memory_clean(&s->memory);
    assert_true(s->memory.requests > 50);
    free(s);
    for (uint64_t n = 1;; n += support_long(1, 29)) {
        s = scenario_open(n, false);
        run_script(s);
        bool failed = s->memory.failures > 0;
        assert_true(sn_world_hash(s->world) == hash[0] && sn_world_hash(s->other) == hash[1]);
        destroy(s);
        assert_memory_clean(&s->memory);
        free(s);
        if (!failed)
            break;
    }
}

/* From the n-th request on nothing is given out any more, and the script stumbles on to its end. Each call that fails
   still changes nothing, and all memory comes back. */
static void test_memory_runs_out(void **state)
{
    (void)state;
    for (uint64_t n = support_long(1, 6);; n += support_long(1, 29)) {
        scenario *s = scenario_open(n, true);
        for (uint32_t i = 0; i < COUNT_OF(script) && (s->world || i == 0); ++i)
            for (uint32_t j = 0; j < script[i].times; ++j) {
                uint64_t hash[2] = {sn_world_hash(s->world), sn_world_hash(s->other)};
                if (script[i].call == save && s->saved)
                    continue;
                if (script[i].call(s, j) == SN_OK)
                    continue;
                assert_true(sn_world_hash(s->world) == hash[0] && sn_world_hash(s->other) == hash[1]);
                if (s->world && script[i].call != make_world)
                    assert_true(s->log.text[0] != '\0');
            }
        bool failed = s->memory.failures > 0;
        destroy(s);
        assert_memory_clean(&s->memory);
        free(s);
        if (!failed)
            break;
    }
}

/* ---- Steps that ask for nothing ---------------------------------------------------------------------------------- */

/* What a game does in a frame. */
static void frame(sn_world *world, const support_animals *zoo, sn_snapshot *snapshot)
{
    sn_report r;
    for (uint32_t i = 10; i < 20; ++i) {
        assert_ok(world, sn_particle_apply_force(world, sn_particles_at(zoo->grid, i), vec(1, 0, 0)));
        assert_ok(world, sn_particle_move_to(world, sn_particles_at(zoo->grid, i - 10), vec(i - 10, 1, 0)));
    }
    assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    assert_ok(world, sn_world_report(world, &r));
    assert_true(sn_world_hash(world) != 0);
    assert_ok(world, sn_world_save_into(world, snapshot));
}

static void expect_no_allocation(sn_world *world, support_memory *memory)
{
    assert_int_equal(sn_kind_register(world, &support_kind_gap), SN_KIND_BUILTIN_END);
    support_animals zoo = support_zoo(world);
    assert_ok(world, sn_field_add(world, support_wind, NULL, false, NULL));
    sn_snapshot *snapshot = sn_world_save(world);
    frame(world, &zoo, snapshot);
    for (int i = 0; i < 2 * SUPPORT_SWEEPS; ++i) {
        sn_settings settings = sn_world_settings(world);
        support_set_sweep(&settings, i / 2);
        settings.iterations = 3;
        settings.tolerance = i % 2 ? real(1e-6) : 0; /* with none, the tiled solver takes another way */
        settings.correct_stiffness = true;
        settings.profile = true;
        assert_ok(world, sn_world_configure(world, &settings));
        frame(world, &zoo, snapshot); /* warms up */
        frame(world, &zoo, snapshot);
        unsigned long libc_before = libc_requests;
        uint64_t before = memory ? memory->requests : 0;
        for (uint32_t j = 0; j < support_long(20, 3); ++j)
            frame(world, &zoo, snapshot);
        assert_int_equal(libc_requests - libc_before, 0);
        if (memory)
            assert_int_equal(memory->requests - before, 0);
    }
    sn_snapshot_destroy(snapshot);
}

static bool counting;

static int start_counting(void **state)
{
    (void)state;
    counting = count_libc();
    return 0;
}

/* That the counting counts, where it can. */
static void test_libc_is_counted(void **state)
{
    (void)state;
    if (!counting)
        skip();
    unsigned long before = libc_requests;
    void *volatile block = malloc(100);
    assert_non_null(block);
    free(block);
    assert_true(libc_requests > before);
    before = libc_requests;
    sn_world *world = support_world();
    assert_true(libc_requests > before);
    sn_world_destroy(world);
}

static void test_warm_steps_with_caller_memory(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    sn_world *world = support_world_from(&def);
    expect_no_allocation(world, &memory);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

static void test_warm_steps_with_own_memory(void **state)
{
    (void)state;
    sn_world *world = support_world();
    expect_no_allocation(world, NULL);
    sn_world_destroy(world);
}

/* Enough particles for several tasks. */
static void test_warm_steps_with_tasks(void **state)
{
    (void)state;
    support_memory memory = {0};
    support_tasks tasks = {.mode = SUPPORT_TASKS_REVERSE};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    def.tasks = support_tasks_hook(&tasks);
    sn_world *world = support_world_from(&def);
    enum { CROWD = 10000 };
    sn_real *xyz = calloc(3 * CROWD, sizeof *xyz);
    assert_int_equal(sn_particles_add(world, CROWD, xyz, 0, 1).count, CROWD);
    free(xyz);
    assert_ok(world, sn_field_add(world, support_wind, NULL, true, NULL));
    support_run(world, 1, 1.0 / 60);
    unsigned long libc_before = libc_requests;
    uint64_t before = memory.requests;
    support_run(world, 5, 1.0 / 60);
    assert_int_equal(memory.requests - before, 0);
    assert_int_equal(libc_requests - libc_before, 0);
    assert_true(tasks.runs > 0);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

/* ---- No creep ---------------------------------------------------------------------------------------------------- */

/* Things come and go, and what they leave is used again. */
static void come_and_go(sn_world *world, const support_animals *zoo)
{
    sn_particle p[4];
    sn_real xyz[3 * 4] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, q = real(0.25);
    uint32_t field;
    sn_particles run = sn_particles_add(world, 4, xyz, 0, 1);
    for (uint32_t i = 0; i < 4; ++i)
        p[i] = sn_particles_at(run, i);
    sn_point points[2] = {sn_at(sn_particles_at(zoo->grid, 20)), sn_in_tetrahedron(p[0], p[1], p[2], p[3], q, q, q, q)};
    sn_constraint rod = sn_constraint_add_distance(world, points[0], points[1], SN_MEASURE);
    sn_constraint other =
        sn_constraint_add_distance(world, points[0], sn_on_triangle(p[0], p[1], p[2], q, q, 2 * q), SN_MEASURE);
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    def.points = points;
    assert_ok(world, sn_constraint_change(world, rod, &def)); /* from spot to spot */
    assert_ok(world, sn_constraint_remove(world, other));
    assert_ok(world, sn_particle_move_to(world, p[3], vec(1, 1, 1)));
    assert_ok(world, sn_field_add(world, support_wind, NULL, false, &field));
    support_run(world, 1, 1.0 / 60);
    assert_ok(world, sn_field_remove(world, field));
    assert_ok(world, sn_particle_remove(world, p[0])); /* and with it the rod */
    for (uint32_t i = 1; i < 4; ++i)
        assert_ok(world, sn_particle_remove(world, p[i]));
}

static void check_no_creep(int sweep)
{
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    support_set_sweep(&def.settings, sweep);
    def.settings.substeps = 1;
    sn_world *world = support_world_from(&def);
    support_animals zoo = support_zoo(world);
    for (uint32_t i = 0; i < support_long(500, 200); ++i)
        come_and_go(world, &zoo);
    size_t bytes = memory.bytes;
    for (uint32_t i = 0; i < support_long(1000, 150); ++i)
        come_and_go(world, &zoo);
    assert_true(memory.bytes <= bytes);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

static void test_no_creep(void **state)
{
    (void)state;
    check_no_creep(SN_ORDER_WORST_FIRST);
    check_no_creep(SUPPORT_TILED);
}

/* ---- Sizes and alignments ---------------------------------------------------------------------------------------- */

/* The allocator gives each block just the alignment that was asked for, checks the sizes that come back, and fills
   blocks with rubbish, on which nothing may depend. */
static void test_sizes_and_alignments(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    sn_world *world = support_world_from(&def), *plain = support_world();
    support_animals zoo = support_zoo(world);
    support_zoo(plain);
    support_run(world, 10, 1.0 / 60);
    support_run(plain, 10, 1.0 / 60);
    assert_same_world(world, plain);
    sn_snapshot *snapshot = sn_world_save(world);
    for (uint32_t i = 5; i < 30; ++i)
        assert_ok(world, sn_particle_remove(world, sn_particles_at(zoo.grid, i)));
    support_zoo(world);
    support_run(world, 5, 1.0 / 60);
    assert_ok(world, sn_world_load(world, snapshot));
    assert_same_world(world, plain);
    sn_snapshot_destroy(snapshot);
    sn_world_destroy(world);
    sn_world_destroy(plain);
    assert_true(memory.requests > 10);
    assert_memory_clean(&memory);
}

/* A plan that cannot be made for lack of memory leaves the one that is there. */
static void test_replan_without_memory(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = support_scarce(&memory);
    sn_world *world = support_world_from(&def);
    support_zoo(world);
    support_run(world, 1, 1.0 / 60);
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 1), b = sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE); /* is not where a new plan would have it */
    uint32_t failed = 0;
    for (bool full = true; full; ++failed) {
        uint64_t before = sn_world_hash(world);
        memory.fail_at = memory.requests + failed + 1;
        full = ran_out(world, before, sn_world_replan(world));
        memory.fail_at = 0;
        assert_true(failed < 1000);
    }
    assert_true(failed > 2);
    support_run(world, 1, 1.0 / 60);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_request_fails_once),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_libc_is_counted),
        cmocka_unit_test(test_warm_steps_with_caller_memory),
        cmocka_unit_test(test_warm_steps_with_own_memory),
        cmocka_unit_test(test_warm_steps_with_tasks),
        cmocka_unit_test(test_no_creep),
        cmocka_unit_test(test_sizes_and_alignments),
        cmocka_unit_test(test_replan_without_memory),
    };
    return cmocka_run_group_tests(tests, start_counting, NULL);
}
