/* Shared by several test programs; see support.h. */
#include "support/support.h"

#include <ctype.h>
#include <stdatomic.h>

#if defined(__SANITIZE_ADDRESS__)
#define SUPPORT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SUPPORT_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SUPPORT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SUPPORT_TSAN 1
#endif
#endif
#ifdef SUPPORT_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size)   ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

bool support_is_finite(sn_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

bool support_is_nan(sn_vec3 v)
{
    return isnan(v.x) && isnan(v.y) && isnan(v.z);
}

double support_gap(sn_vec3 a, sn_vec3 b)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

void support_assert_close(double a, double b, double tolerance, const char *what, const char *file, int line)
{
    if (fabs(a - b) <= tolerance)
        return;
    print_error("%s: %.17g and %.17g differ by %g, more than %g\n", what, a, b, fabs(a - b), tolerance);
    _fail(file, line);
}

void support_assert_vec_close(sn_vec3 a, sn_vec3 b, double tolerance, const char *what, const char *file, int line)
{
    if (support_gap(a, b) <= tolerance)
        return;
    print_error("%s: (%.9g %.9g %.9g) and (%.9g %.9g %.9g) are %g apart, more than %g\n", what, (double)a.x,
                (double)a.y, (double)a.z, (double)b.x, (double)b.y, (double)b.z, support_gap(a, b), tolerance);
    _fail(file, line);
}

void support_assert_vec_same(sn_vec3 a, sn_vec3 b, const char *what, const char *file, int line)
{
    if (memcmp(&a, &b, sizeof a) == 0)
        return;
    print_error("%s: (%.17g %.17g %.17g) and (%.17g %.17g %.17g) are not the same bits\n", what, (double)a.x,
                (double)a.y, (double)a.z, (double)b.x, (double)b.y, (double)b.z);
    _fail(file, line);
}

void support_assert_result(const sn_world *world, sn_result got, sn_result expected, const char *call, const char *file,
                           int line)
{
    if (got == expected)
        return;
    print_error("%s gave \"%s\" instead of \"%s\"", call, sn_result_text(got), sn_result_text(expected));
    print_error("; the last error is: %s\n", world ? sn_world_error(world) : "(no world)");
    _fail(file, line);
}

/* ---- Rounds ------------------------------------------------------------------------------------------------------ */

uint32_t support_rounds(uint32_t full, uint32_t watched)
{
    if (getenv("SINEW_LONG_TESTS"))
        return full;
#if defined(SUPPORT_ASAN) || defined(SUPPORT_TSAN)
    return watched;
#else
    if (watched == 0 || watched >= full)
        return full;
    return full / 8 > watched ? full / 8 : watched;
#endif
}

uint32_t support_long(uint32_t full, uint32_t brief)
{
    return getenv("SINEW_LONG_TESTS") ? full : brief;
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

static bool starts_with(const char *text, const char *word, size_t length)
{
    for (size_t i = 0; i < length; ++i)
        if (tolower((unsigned char)text[i]) != tolower((unsigned char)word[i]))
            return false;
    return true;
}

static bool contains(const char *text, const char *word, size_t length)
{
    for (size_t remaining = strlen(text); remaining >= length; --remaining, ++text)
        if (starts_with(text, word, length))
            return true;
    return false;
}

/* Whether a text contains one of "a|b|c". */
static bool contains_one(const char *text, const char *words, size_t length)
{
    const char *end = words + length;
    while (words <= end) {
        const char *bar = memchr(words, '|', (size_t)(end - words));
        const char *stop = bar ? bar : end;
        if (contains(text, words, (size_t)(stop - words)))
            return true;
        words = stop + 1;
    }
    return false;
}

bool support_says(const char *text, const char *words)
{
    for (const char *word = words; *word;) {
        size_t length = strcspn(word, " ");
        if (!contains_one(text, word, length))
            return false;
        word += length + strspn(word + length, " ");
    }
    return true;
}

void support_assert_says(const char *text, const char *words, const char *call, const char *file, int line)
{
    if (support_says(text, words))
        return;
    print_error("%s: \"%s\" does not say \"%s\"\n", call, text, words);
    _fail(file, line);
}

/* ---- Worlds compared --------------------------------------------------------------------------------------------- */

static bool same_vectors(sn_view a, sn_view b, const char *what)
{
    uint32_t numbers = a.slot_count < b.slot_count ? a.slot_count : b.slot_count;
    for (uint32_t i = 0; i < numbers; ++i) {
        if ((a.slot[i] == SN_NO_SLOT) != (b.slot[i] == SN_NO_SLOT)) {
            print_error("particle %u lives in one world only\n", i);
            return false;
        }
        if (a.slot[i] == SN_NO_SLOT)
            continue;
        const char *in_a = (const char *)a.data + a.slot[i] * a.stride;
        const char *in_b = (const char *)b.data + b.slot[i] * b.stride;
        if (memcmp(in_a, in_b, 3 * sizeof(sn_real)) != 0) {
            print_error("the %s of particle %u differ\n", what, i);
            return false;
        }
    }
    return true;
}

void support_assert_same_world(const sn_world *a, const sn_world *b, const char *file, int line)
{
    bool same = sn_world_particle_count(a) == sn_world_particle_count(b) &&
                same_vectors(sn_world_view_positions(a), sn_world_view_positions(b), "positions") &&
                same_vectors(sn_world_view_velocities(a), sn_world_view_velocities(b), "velocities");
    if (same && sn_world_hash(a) == sn_world_hash(b))
        return;
    print_error("two worlds differ: %u and %u particles, hash %016llx and %016llx\n", sn_world_particle_count(a),
                sn_world_particle_count(b), (unsigned long long)sn_world_hash(a), (unsigned long long)sn_world_hash(b));
    _fail(file, line);
}

/* ---- Random numbers ---------------------------------------------------------------------------------------------- */

uint64_t support_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

uint32_t support_random_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(support_random(state) % limit);
}

double support_random_in(uint64_t *state, double least, double most)
{
    return least + (most - least) * (double)(support_random(state) >> 11) / 9007199254740992.0;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Directly before each block, at any alignment, so it is copied in and out. */
typedef struct block_header {
    void *raw;
    size_t size;
    size_t room; /* bytes after the block that belong to it */
    uint64_t mark;
} block_header;

#define BLOCK_MARK  0x5AFEB10C5AFEB10Cu
#define MOST_ALIGN  64
#define GUARD_BYTES 16
#define GUARD       0xA5

static void note_thread(support_memory *memory)
{
    if (!memory->owned) {
        memory->owned = true;
        memory->owner = pthread_self();
    }
    if (!pthread_equal(memory->owner, pthread_self()))
        memory->wrong_thread++;
}

static bool must_fail(const support_memory *memory)
{
    if (memory->fail_at == 0 || memory->requests < memory->fail_at)
        return false;
    return memory->fail_ever_after || memory->requests == memory->fail_at;
}

/* An address with this alignment and no larger one. */
static unsigned char *align_exactly(unsigned char *address, size_t alignment)
{
    size_t cycle = 2 * alignment;
    return address + (cycle - (uintptr_t)address % cycle) + alignment;
}

static void *count_and_allocate(void *context, size_t size, size_t alignment)
{
    support_memory *memory = context;
    note_thread(memory);
    memory->requests++;
    if (must_fail(memory)) {
        memory->failures++;
        return NULL;
    }
    if (alignment == 0 || alignment > MOST_ALIGN || (alignment & (alignment - 1)) != 0) {
        memory->wrong_align++;
        alignment = MOST_ALIGN;
    }
    size_t overhead = sizeof(block_header) + 3 * MOST_ALIGN + GUARD_BYTES;
    if (size > SIZE_MAX / 4 || size + overhead > (size_t)1 << 32)
        return NULL; /* more than any machine has */
    unsigned char *raw = malloc(size + overhead);
    if (!raw)
        return NULL;
    unsigned char *block = align_exactly(raw + sizeof(block_header), alignment);
    block_header header = {raw, size, (size_t)(raw + size + overhead - (block + size)), BLOCK_MARK};
    memcpy(block - sizeof header, &header, sizeof header);
    memset(block, memory->rubbish ? memory->rubbish : 0xCD, size);
    memset(block + size, GUARD, header.room);
    ASAN_POISON_MEMORY_REGION(block + size, header.room);
    memory->blocks++;
    memory->bytes += size;
    return block;
}

static void count_and_release(void *context, void *address, size_t size)
{
    support_memory *memory = context;
    unsigned char *block = address;
    note_thread(memory);
    if (!block)
        return;
    block_header header;
    memcpy(&header, block - sizeof header, sizeof header);
    if (header.mark != BLOCK_MARK) {
        memory->overruns++;
        return;
    }
    if (header.size != size)
        memory->wrong_size++;
    ASAN_UNPOISON_MEMORY_REGION(block + header.size, header.room);
    bool overrun = false;
    for (size_t i = 0; i < header.room; ++i)
        overrun |= block[header.size + i] != GUARD;
    memory->overruns += overrun;
    memory->blocks--;
    memory->bytes -= header.size;
    memset(block - sizeof header, 0xDD, sizeof header + header.size);
    free(header.raw);
}

sn_allocator support_allocator(support_memory *memory)
{
    sn_allocator allocator = {count_and_allocate, count_and_release, memory};
    return allocator;
}

void support_assert_memory_clean(const support_memory *memory, const char *file, int line)
{
    if (memory->blocks == 0 && memory->bytes == 0 && memory->wrong_size == 0 && memory->wrong_align == 0 &&
        memory->wrong_thread == 0 && memory->overruns == 0)
        return;
    print_error(
        "memory: %zu blocks of %zu bytes leaked, %llu wrong sizes, %llu wrong alignments, %llu calls from other "
        "threads, %llu overruns (request %llu failed)\n",
        memory->blocks, memory->bytes, (unsigned long long)memory->wrong_size, (unsigned long long)memory->wrong_align,
        (unsigned long long)memory->wrong_thread, (unsigned long long)memory->overruns,
        (unsigned long long)memory->fail_at);
    _fail(file, line);
}

sn_world_def support_scarce(support_memory *memory)
{
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(memory);
    return def;
}

bool support_ran_out(const sn_world *world, uint64_t before, sn_result got, const char *call, const char *file,
                     int line)
{
    if (got == SN_OK)
        return false;
    support_assert_result(world, got, SN_ERROR_MEMORY, call, file, line);
    support_assert_says(sn_world_error(world), "memory", call, file, line);
    if (sn_world_hash(world) != before) {
        print_error("%s: it ran out of memory and changed the world\n", call);
        _fail(file, line);
    }
    return true;
}

bool support_had_failed(sn_world *world, const support_memory *memory)
{
    sn_world_destroy(world);
    assert_memory_clean(memory);
    return memory->failures > 0;
}

/* ---- Known failures ---------------------------------------------------------------------------------------------- */

void support_known_failure(const char *name, bool holds, const char *file, int line)
{
    if (!holds) {
        printf("KNOWN FAILURE: %s\n", name);
        return;
    }
    print_error("'%s' now passes: take it off the list of known failures, and assert it\n", name);
    _fail(file, line);
}

/* ---- Logs -------------------------------------------------------------------------------------------------------- */

static void keep_last(void *context, sn_log_level level, const char *text)
{
    support_log *log = context;
    log->count++;
    log->level = level;
    snprintf(log->text, sizeof log->text, "%s", text);
}

sn_log support_log_hook(support_log *log)
{
    sn_log hook = {keep_last, log};
    return hook;
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

typedef struct task_queue {
    void (*task)(void *data, uint32_t index);
    void *data;
    atomic_uint left;
} task_queue;

static void *work(void *context)
{
    task_queue *queue = context;
    for (;;) {
        unsigned left = atomic_load(&queue->left);
        while (left > 0 && !atomic_compare_exchange_weak(&queue->left, &left, left - 1)) {
        }
        if (left == 0)
            return NULL;
        queue->task(queue->data, left - 1);
    }
}

#define MOST_THREADS 16

static void run_on_threads(uint32_t threads, uint32_t count, void (*task)(void *data, uint32_t index), void *data)
{
    task_queue queue = {.task = task, .data = data};
    pthread_t helper[MOST_THREADS];
    uint32_t helpers = 0;
    atomic_init(&queue.left, count);
    while (helpers + 1 < threads && helpers < MOST_THREADS && pthread_create(&helper[helpers], NULL, work, &queue) == 0)
        helpers++;
    work(&queue);
    while (helpers > 0)
        pthread_join(helper[--helpers], NULL);
}

static bool is_lost(const support_tasks *tasks, uint32_t index, uint32_t count)
{
    if (tasks->mode != SUPPORT_TASKS_LOSE || tasks->runs != tasks->lossy_run)
        return false;
    return tasks->lost == SUPPORT_LOSE_ALL || tasks->lost % count == index;
}

static void run_tasks(void *context, uint32_t count, void (*task)(void *data, uint32_t index), void *data)
{
    support_tasks *tasks = context;
    if (tasks->mode == SUPPORT_TASKS_THREADS)
        run_on_threads(tasks->threads, count, task, data);
    for (uint32_t i = 0; i < count && tasks->mode != SUPPORT_TASKS_THREADS; ++i) {
        uint32_t index = tasks->mode == SUPPORT_TASKS_REVERSE ? count - 1 - i : i;
        if (is_lost(tasks, index, count))
            continue;
        task(data, index);
        if (tasks->mode == SUPPORT_TASKS_TWICE)
            task(data, index);
    }
    if (tasks->mode == SUPPORT_TASKS_ECHO)
        run_on_threads(tasks->threads, count, task, data);
    tasks->runs++;
    tasks->most = count > tasks->most ? count : tasks->most;
}

sn_tasks support_tasks_hook(support_tasks *tasks)
{
    sn_tasks hook = {run_tasks, tasks};
    return hook;
}

/* ---- Worlds ------------------------------------------------------------------------------------------------------ */

sn_world *support_world_from(const sn_world_def *def)
{
    sn_world *world = NULL;
    assert_ok(NULL, sn_world_create(def, &world));
    assert_non_null(world);
    return world;
}

sn_world *support_world(void)
{
    sn_world_def def = sn_default_world_def();
    return support_world_from(&def);
}

sn_world *support_world_2d(void)
{
    sn_world_def def = sn_default_world_def();
    def.dimensions = 2;
    return support_world_from(&def);
}

void support_set_sweep(sn_settings *settings, int sweep)
{
    bool tiled = sweep == SUPPORT_TILED;
    assert_in_range(sweep, 0, SUPPORT_SWEEPS - 1);
    settings->solver = tiled ? SN_SOLVER_TILED : SN_SOLVER_GAUSS_SEIDEL;
    settings->stiffening = SN_STIFFENING_OFF;
    settings->order = tiled ? SN_ORDER_THERE_AND_BACK : (sn_order)sweep;
}

sn_world *support_void(void)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.settings.substeps = 1;
    def.settings.iterations = 1;
    return support_world_from(&def);
}

void support_run(sn_world *world, uint32_t steps, double dt)
{
    for (uint32_t i = 0; i < steps; ++i)
        assert_ok(world, sn_world_step(world, real(dt)));
}

sn_vec3 support_wind(void *context, const sn_field_in *in)
{
    (void)context;
    double t = in->time, x = (double)in->position.x, y = (double)in->position.y;
    return vec((double)in->mass * (0.5 + 0.25 * t - 0.125 * y), (double)in->mass * 0.25 * x, 0);
}

/* ---- A registered kind ------------------------------------------------------------------------------------------- */

/* C = x1.x - x0.x - gap; its gradient is (-1, 0, 0) with respect to the first point and (1, 0, 0) with respect to
   the second. */
static bool gap_eval(const sn_eval_in *in, const sn_eval_out *out)
{
    out->c[0] = in->x[1].x - in->x[0].x - in->param[0];
    out->gradient[0].x = -1;
    out->gradient[1].x = 1;
    return true;
}

static void gap_measure(const sn_eval_in *in, sn_real *param)
{
    param[0] = in->x[1].x - in->x[0].x;
}

const sn_kind support_kind_gap = {
    .name = "test_gap",
    .about = "Two points keep their distance along x.",
    .formula = "x1.x - x0.x - gap",
    .unit = "m",
    .points = 2,
    .rows = 1,
    .internal = true,
    .param = {{.name = "gap", .unit = "m", .type = SN_PARAM_REAL}},
    .eval = gap_eval,
    .measure = gap_measure,
};

/* ---- The zoo ----------------------------------------------------------------------------------------------------- */

bool support_kind_fits(const sn_world *world, uint32_t kind)
{
    const sn_kind *info = sn_kind_info(world, kind);
    return !info->oriented && (sn_world_dimensions(world) == 3 || !info->spatial);
}

bool support_kind_gives(const sn_kind *kind)
{
    return !kind->project && !kind->force;
}

bool support_kind_takes_spots(const sn_kind *kind)
{
    return kind->points > 0 && !kind->project;
}

bool support_kind_is_surface(const sn_kind *kind)
{
    return kind->points == 0 && kind->repeats && kind->point_step == 3;
}

static const uint32_t tetrahedron[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
static const uint32_t octahedron[] = {0, 2, 4, 1, 4, 2, 0, 4, 3, 1, 3, 4, 0, 5, 2, 1, 2, 5, 0, 3, 5, 1, 5, 3};

uint32_t support_point_count(const sn_kind *kind, bool longer)
{
    if (kind->points)
        return kind->points;
    uint32_t step = kind->point_step ? kind->point_step : 1, count = kind->least_points + (longer ? 3 * step : 0);
    if (support_kind_is_surface(kind))
        count = (uint32_t)(longer ? COUNT_OF(octahedron) : COUNT_OF(tetrahedron));
    assert_in_range(count, kind->least_points, SUPPORT_MOST_POINTS);
    return count;
}

uint32_t support_particle_of_point(const sn_kind *kind, bool longer, uint32_t i)
{
    if (!support_kind_is_surface(kind))
        return i;
    return longer ? octahedron[i] : tetrahedron[i];
}

/* A harmless value for a parameter that can neither be measured nor has a default. */
static void fill_param(const sn_param *param, bool flat, sn_real *value)
{
    bool any = param->least == 0 && param->most == 0;
    sn_real middle = any ? 0 : param->least + (param->most - param->least) / 2;
    if (middle > 1) /* half of an unlimited stiffness is not harmless */
        middle = param->least > 1 ? param->least : 1;
    if (strcmp(param->name, "least") == 0)
        middle = any ? -100 : param->least;
    if (strcmp(param->name, "most") == 0)
        middle = any ? 100 : param->most;
    uint32_t numbers = param->type == SN_PARAM_REAL ? 1 : 3;
    for (uint32_t i = 0; i < numbers; ++i)
        value[i] = param->type == SN_PARAM_DIRECTION ? real(i == 1) : middle;
    if (flat && numbers == 3)
        value[2] = 0;
}

sn_constraint_def support_constraint_def(const sn_world *world, uint32_t kind, const sn_point *points)
{
    const sn_kind *info = sn_kind_info(world, kind);
    assert_non_null(info);
    sn_constraint_def def = sn_default_constraint_def(kind);
    def.points = points;
    def.point_count = support_point_count(info, false);
    sn_real measured[SN_MAX_PARAM_NUMBERS], *value = def.param;
    sn_vec3 x[SUPPORT_MOST_POINTS];
    for (uint32_t i = 0; i < def.point_count; ++i)
        x[i] = sn_point_position(world, points[i]);
    memcpy(measured, def.param, sizeof measured);
    sn_eval_in in = {.x = x, .param = def.param, .points = def.point_count, .context = info->context};
    if (info->measure && !info->oriented)
        info->measure(&in, measured);
    for (const sn_param *param = info->param; param->name; ++param) {
        if (measured[value - def.param] == SN_MEASURE && !param->has_default && !info->oriented)
            fill_param(param, sn_world_dimensions(world) == 2, value);
        value += param->type == SN_PARAM_REAL ? 1 : 3;
    }
    return def;
}

static sn_constraint zoo_add(sn_world *world, const sn_constraint_def *def)
{
    sn_constraint constraint;
    sn_result result = sn_constraint_add(world, def, &constraint);
    if (result != SN_OK)
        print_error("the zoo has no %s: %s\n", sn_kind_info(world, def->kind)->name, sn_world_error(world));
    assert_int_equal(result, SN_OK);
    return constraint;
}

/* Each kind has its own five particles. The first four particles of all are immovable and belong to no kind. */
enum { ZOO_CAGE = 5 };

static sn_particle zoo_particle(sn_particles grid, uint32_t kind, uint32_t i)
{
    return sn_particles_at(grid, 4 + ZOO_CAGE * (kind - 1) + i);
}

/* Barycentric points use particles of other kinds: a triangle has a corner of the next kind, and a tetrahedron also
   an immovable one. So the constraints of the zoo are connected. */
static sn_point zoo_spot(sn_particles grid, uint32_t kind, uint32_t i, bool solid)
{
    sn_particle a = zoo_particle(grid, kind, i), b = zoo_particle(grid, kind, (i + 1) % ZOO_CAGE);
    sn_particle c = zoo_particle(grid, kind + 1, i);
    if (solid)
        return sn_in_tetrahedron(a, b, c, sn_particles_at(grid, i % 4), real(0.3), real(0.4), real(0.2), real(0.1));
    return sn_on_triangle(a, b, c, real(0.25), real(0.25), real(0.5));
}

static void zoo_kind(sn_world *world, support_animals *zoo, uint32_t kind)
{
    const sn_kind *info = sn_kind_info(world, kind);
    sn_point by_particle[SUPPORT_MOST_POINTS], by_spot[SN_MAX_POINTS];
    for (uint32_t i = 0; i < support_point_count(info, false); ++i)
        by_particle[i] = sn_at(zoo_particle(zoo->grid, kind, support_particle_of_point(info, false, i)));
    sn_constraint_def def = support_constraint_def(world, kind, by_particle);
    zoo->rigid[kind] = zoo_add(world, &def);
    def.stiffness = real(0.5);
    zoo->half_stiff[kind] = zoo_add(world, &def);
    def.stiffness = 1;
    def.compliance = real(1e-3);
    def.damping = real(0.25);
    if (support_kind_gives(info))
        zoo->soft[kind] = zoo_add(world, &def);
    if (!support_kind_takes_spots(info))
        return;
    for (uint32_t i = 0; i < info->points; ++i)
        by_spot[i] = zoo_spot(zoo->grid, kind, i, i % 2 == 1);
    def = support_constraint_def(world, kind, by_spot);
    zoo->on_spots[kind] = zoo_add(world, &def);
}

static sn_particles zoo_grid(sn_world *world)
{
    sn_real xyz[3 * SUPPORT_ZOO_PARTICLES];
    uint64_t seed = 1;
    bool flat = sn_world_dimensions(world) == 2;
    for (uint32_t i = 0; i < SUPPORT_ZOO_PARTICLES; ++i) {
        xyz[3 * i] = real(0.5 * (i % 8) + support_random_in(&seed, -0.1, 0.1));
        xyz[3 * i + 1] = real(1 + 0.5 * (i / 8) + support_random_in(&seed, -0.1, 0.1));
        xyz[3 * i + 2] = flat ? 0 : real(support_random_in(&seed, -0.5, 0.5));
    }
    sn_particles grid = sn_particles_add(world, SUPPORT_ZOO_PARTICLES, xyz, 0, real(0.5));
    assert_int_equal(grid.count, SUPPORT_ZOO_PARTICLES);
    for (uint32_t i = 0; i < 4; ++i)
        assert_ok(world, sn_particle_set_mass(world, sn_particles_at(grid, i), SN_IMMOVABLE));
    return grid;
}

/* Soft tethers at the initial positions of the particles. Without them, constraints with a large initial error, or
   without rods to keep their particles apart, would gradually throw particles to infinity. */
static sn_constraints zoo_tethers(sn_world *world, sn_particles grid)
{
    const sn_material soft = {real(0.01), 2};
    uint32_t index[SUPPORT_ZOO_PARTICLES];
    for (uint32_t i = 0; i < SUPPORT_ZOO_PARTICLES; ++i)
        index[i] = grid.first + i;
    sn_constraints tethers = sn_constraints_add_kind(world, SN_KIND_PIN, SUPPORT_ZOO_PARTICLES, index, NULL, &soft);
    assert_int_equal(tethers.count, SUPPORT_ZOO_PARTICLES);
    return tethers;
}

support_animals support_zoo(sn_world *world)
{
    support_animals zoo;
    memset(&zoo, 0, sizeof zoo);
    zoo.grid = zoo_grid(world);
    zoo.tethers = zoo_tethers(world, zoo.grid);
    zoo.kind_count = sn_kind_count(world);
    assert_in_range(zoo.kind_count, SN_KIND_BUILTIN_END, SUPPORT_ZOO_KINDS);
    for (uint32_t kind = 1; kind < zoo.kind_count; ++kind)
        if (support_kind_fits(world, kind))
            zoo_kind(world, &zoo, kind);
    return zoo;
}

bool support_has_width(sn_simd simd)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.simd = simd;
    const bool has = sn_world_create(&def, &world) == SN_OK;
    sn_world_destroy(world);
    return has;
}
