/* Plays a program in one world, and checks after every op what must always hold. */
#include "random/net.h"

#include "base/float_mode.h"
#include "base/hash.h"
#include "world/world.h"

#include <fenv.h>

/* ---- Worlds --------------------------------------------------------------------------------------------------------- */

sn_world *net_create(net_stage *stage, uint32_t dimensions, const net_variant *variant, support_memory *memory,
                     support_tasks *tasks)
{
    sn_world_def def = sn_default_world_def();
    def.dimensions = dimensions;
    def.settings.substeps = 2;
    def.threads = variant->threads ? variant->threads : 1;
    def.simd = variant->simd;
    def.log = (sn_log){.write = net_note_error, .context = stage};
    if (memory)
        def.allocator = support_allocator(memory);
    if (variant->hooked && tasks)
        def.tasks = support_tasks_hook(tasks);
    stage->world = NULL;
    if (sn_world_create(&def, &stage->world) == SN_OK)
        stage->world->parallel.eager = variant->eager;
    return stage->world;
}

void net_note_error(void *context, sn_log_level level, const char *text)
{
    net_stage *stage = context;
    (void)text;
    stage->errors += level == SN_LOG_ERROR;
}

void net_destroy(net_stage *stage)
{
    for (uint32_t i = 0; i <= NET_OPS; ++i) {
        net_made *made = &stage->made[i];
        if (made->type == TYPE_SNAPSHOT)
            sn_snapshot_destroy(made->as.snapshot);
        if (made->type == TYPE_REWIND)
            sn_rewind_destroy(made->as.rewind);
        if (made->type == TYPE_ACCUMULATOR)
            sn_accumulator_destroy(made->as.accumulator);
        made->type = TYPE_NONE;
    }
    sn_world_destroy(stage->world);
    stage->world = NULL;
}

void net_set_mode(net_float_mode mode)
{
    static const int rounding[MODE_COUNT] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    fesetround(rounding[mode]);
#if defined(__SSE2__)
    if (mode == MODE_FLUSH)
        _mm_setcsr(_mm_getcsr() | 0x8040u); /* results and operands that are denormal become 0 */
    else
        _mm_setcsr(_mm_getcsr() & ~0x8040u);
#endif
}

/* ---- What must hold ------------------------------------------------------------------------------------------------- */

static bool refuse(net_failure *failure, uint32_t check, const net_op *op, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool refuse(net_failure *failure, uint32_t check, const net_op *op, const char *format, ...)
{
    va_list list;
    failure->check = check;
    failure->serial = op->serial;
    va_start(list, format);
    vsnprintf(failure->text, sizeof failure->text, format, list);
    va_end(list);
    return false;
}

static const char *name_of(const net_op *op)
{
    static const char *const others[] = {"a query", "removing what events name", "copying", "adding a grid"};
    return op->call < CALL_COUNT ? net_call_of((net_call)op->call)->name : others[op->call - CALL_COUNT];
}

static bool all_finite(const sn_real *x, int count)
{
    for (int i = 0; i < count; ++i)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static bool check_finite(const net_stage *stage, const net_op *op, net_failure *failure)
{
    const sn_world *w = stage->world;
    sn_view x = sn_world_view_positions(w), v = sn_world_view_velocities(w);
    for (uint32_t i = 0; i < x.count; ++i)
        if (!all_finite(sn_view_at(&x, i), 3) || !all_finite(sn_view_at(&v, i), 3))
            return refuse(failure, CHECK_FINITE, op, "after %s particle %u has a place or velocity that is not finite",
                          name_of(op), x.index[i]);
    for (uint32_t i = 0; i < x.count; ++i) {
        sn_vec3 spin = sn_particle_spin(w, sn_particle_from_index(w, x.index[i]));
        if (!all_finite(&spin.x, 3))
            return refuse(failure, CHECK_FINITE, op, "after %s particle %u has a spin that is not finite", name_of(op),
                          x.index[i]);
    }
    uint32_t seen = 0;
    for (uint32_t i = 0; seen < sn_world_body_count(w); ++i) {
        if (!sn_ids_is_live(&w->bodies.names, i))
            continue;
        sn_body b = sn_body_from_index(w, i);
        sn_vec3 spin = sn_body_spin(w, b), place = sn_body_position(w, b);
        sn_quat q = sn_body_rotation(w, b);
        ++seen;
        if (!all_finite(&spin.x, 3) || !all_finite(&q.x, 4) || !all_finite(&place.x, 3))
            return refuse(failure, CHECK_FINITE, op,
                          "after %s body %u has a spin, a rotation or a place that is not finite", name_of(op), i);
        double length = (double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z +
                        (double)q.w * (double)q.w;
        if (fabs(length - 1) > 1e-4)
            return refuse(failure, CHECK_FINITE, op, "after %s the rotation of body %u has length %g", name_of(op), i,
                          sqrt(length));
    }
    return true;
}

static bool check_counts(const net_stage *stage, const net_op *op, net_failure *failure)
{
    const sn_world *w = stage->world;
    sn_view x = sn_world_view_positions(w);
    uint32_t constraints = 0;
    if (x.count != sn_world_particle_count(w))
        return refuse(failure, CHECK_COUNTS, op, "%u particles, but a view of %u", sn_world_particle_count(w), x.count);
    for (uint32_t i = 0; i < x.count; ++i)
        if (x.index[i] >= x.slot_count || x.slot[x.index[i]] != i)
            return refuse(failure, CHECK_COUNTS, op, "slot %u holds particle %u, which is said to be elsewhere", i,
                          x.index[i]);
    if (sn_world_awake_count(w) > x.count)
        return refuse(failure, CHECK_COUNTS, op, "%u of %u particles are awake", sn_world_awake_count(w), x.count);
    for (sn_constraint_walk walk = {0}; sn_constraint_next(w, &walk); ++constraints)
        if (!sn_constraint_is_valid(w, walk.constraint))
            return refuse(failure, CHECK_COUNTS, op, "a walk over all constraints comes to one that is not alive");
    if (constraints != sn_world_constraint_count(w, SN_KIND_NONE))
        return refuse(failure, CHECK_COUNTS, op, "%u constraints, but a walk over %u",
                      sn_world_constraint_count(w, SN_KIND_NONE), constraints);
    return true;
}

static bool check_report(net_stage *stage, const net_op *op, net_failure *failure)
{
    sn_report report;
    sn_result result = sn_world_report(stage->world, &report);
    if (result == SN_ERROR_MEMORY)
        return true;
    if (result != SN_OK)
        return refuse(failure, CHECK_QUERY, op, "sn_world_report: %s", sn_world_error(stage->world));
    const double numbers[] = {report.time,
                              report.kinetic,
                              report.potential,
                              report.elastic,
                              report.mass,
                              report.centre[0],
                              report.centre[1],
                              report.centre[2],
                              report.momentum[0],
                              report.momentum[1],
                              report.momentum[2],
                              report.angular_momentum[0],
                              report.angular_momentum[1],
                              report.angular_momentum[2]};
    for (size_t i = 0; i < COUNT_OF(numbers); ++i)
        if (!isfinite(numbers[i]) && !SINEW_DOUBLE)
            return refuse(failure, CHECK_QUERY, op, "number %zu of the report is %g", i, numbers[i]);
    for (uint32_t i = 0; i < report.kind_count; ++i)
        if (isnan(report.kinds[i].largest) || isnan(report.kinds[i].mean))
            return refuse(failure, CHECK_QUERY, op, "the report of kind %s is NaN", report.kinds[i].name);
    return true;
}

/* ---- Asking ---------------------------------------------------------------------------------------------------------- */

static bool check_hit(const sn_hit *hit, const net_op *op, net_failure *failure)
{
    int things = (hit->particle.generation != 0) + (hit->skin.generation != 0) + (hit->body.generation != 0);
    if (things != 1)
        return refuse(failure, CHECK_QUERY, op, "a query found %d things at once", things);
    if (!all_finite(&hit->point.x, 3) || !all_finite(&hit->normal.x, 3) || !isfinite(hit->distance) ||
        !all_finite(hit->weight, 3))
        return refuse(failure, CHECK_QUERY, op,
                      "a query found something at (%g, %g, %g), normal (%g, %g, %g), distance %g", (double)hit->point.x,
                      (double)hit->point.y, (double)hit->point.z, (double)hit->normal.x, (double)hit->normal.y,
                      (double)hit->normal.z, (double)hit->distance);
    return true;
}

static bool ask(net_stage *stage, const net_op *op, uint64_t which, const double *x, uint32_t what,
                net_failure *failure)
{
    const sn_world *w = stage->world;
    sn_query_filter filter = sn_default_query_filter();
    filter.what = what;
    sn_vec3 from = vec(x[0], x[1], x[2]), to = vec(x[3], x[4], x[5]);
    sn_real length = (sn_real)x[6], radius = (sn_real)x[7], distance = 0;
    sn_hit hit[8] = {0};
    uint32_t found = 0;
    switch (which) {
    case 0:
        found = sn_query_ray(w, from, to, length, filter, hit);
        break;
    case 1:
        found = sn_query_sphere_cast(w, from, radius, to, length, filter, hit);
        break;
    case 2:
        found = sn_query_closest(w, from, length, filter, hit);
        break;
    case 3:
        found = sn_query_overlap(w, from, radius, filter, hit, COUNT_OF(hit));
        break;
    default:
        if (sn_query_pick(w, from, to, length, radius, &distance).count && !isfinite(distance))
            return refuse(failure, CHECK_QUERY, op, "sn_query_pick found something at %g m", (double)distance);
    }
    for (uint32_t i = 0; i < found && i < COUNT_OF(hit); ++i)
        if (!check_hit(&hit[i], op, failure))
            return false;
    return true;
}

/* Asks so much that the world makes a tree for it. */
static bool ask_much(net_stage *stage, const net_op *op, net_failure *failure)
{
    uint64_t random = op->serial;
    bool good = check_report(stage, op, failure);
    for (uint32_t i = 0; good && i < 40; ++i) {
        double x[8];
        for (int k = 0; k < 8; ++k)
            x[k] = support_random_in(&random, k < 6 ? -2 : 0, 2);
        good = ask(stage, op, i % 5, x, SN_QUERY_ALL, failure);
    }
    return good;
}

/* ---- What is no call of the list ------------------------------------------------------------------------------------- */

/* After a step, since events die with the next edit. */
static sn_result remove_in_events(net_stage *stage, uint64_t which)
{
    /* a constant for the compiler: the host may round in another way */
    sn_result result = sn_world_step(stage->world, (sn_real)(1.0 / 60));
    if (result != SN_OK)
        return result;
    uint32_t count = 0, broken = 0;
    const sn_contact_event *events = sn_world_contact_events(stage->world, &count);
    const sn_break *breaks = sn_world_broken(stage->world, &broken);
    for (uint32_t i = 0; i < broken; ++i)
        if (sn_constraint_is_valid(stage->world, breaks[i].constraint))
            return SN_ERROR_HOST;
    if (!events || !count)
        return SN_OK;
    sn_contact_event e = events[which % count];
    if (which & 1 && !e.other.generation)
        return sn_body_remove(stage->world, e.other_body);
    if (which & 2 && e.other.generation && sn_particle_is_valid(stage->world, e.other))
        return sn_particle_remove(stage->world, e.other);
    return sn_particle_is_valid(stage->world, e.particle) ? sn_particle_remove(stage->world, e.particle) : SN_OK;
}

static sn_result copy(net_stage *stage, const net_op *op)
{
    const net_made *made = &stage->made[op->cell[0].as.number];
    sn_result result = SN_ERROR_STALE;
    if (made->type == TYPE_BODY) {
        sn_body_def def;
        sn_body body;
        if ((result = sn_body_read(stage->world, made->as.body, &def)) == SN_OK &&
            (result = sn_body_add(stage->world, &def, &body)) == SN_OK)
            stage->made[op->serial] = (net_made){.type = TYPE_BODY, .as.body = body};
    } else if (made->type == TYPE_FIXED) {
        fixed_def def;
        sn_body fixed_shape;
        if ((result = fixed_read(stage->world, made->as.body, &def)) == SN_OK &&
            (result = fixed_add(stage->world, &def, &fixed_shape)) == SN_OK)
            stage->made[op->serial] = (net_made){.type = TYPE_FIXED, .as.body = fixed_shape};
    } else {
        sn_constraint_def def;
        sn_constraint constraint;
        sn_point points[64];
        if ((result = sn_constraint_read(stage->world, net_constraint(stage, op->cell), &def, points, 64)) == SN_OK &&
            (result = sn_constraint_add(stage->world, &def, &constraint)) == SN_OK)
            stage->made[op->serial] = (net_made){.type = TYPE_CONSTRAINT, .as.constraint = constraint};
    }
    return result;
}

static sn_result add_grid(net_stage *stage, const net_op *op)
{
    uint32_t n = (uint32_t)op->cell[0].as.number, count = 0;
    bool cloth = op->cell[1].as.number != 0;
    sn_real *xyz = calloc((size_t)3 * n * n, sizeof *xyz);
    uint32_t *index = calloc((size_t)4 * n * n, sizeof *index);
    for (uint32_t i = 0; i < n * n; ++i) {
        xyz[3 * i] = (sn_real)(i % n) / 8;
        xyz[3 * i + 1] = (sn_real)(i / n) / 8;
    }
    sn_particles run = sn_particles_add(stage->world, n * n, xyz, 0, 1);
    for (uint32_t i = 0; i < n * n; ++i) {
        if (i % n + 1 < n) {
            index[count++] = run.first + i;
            index[count++] = run.first + i + 1;
        }
        if (i / n + 1 < n) {
            index[count++] = run.first + i;
            index[count++] = run.first + i + n;
        }
    }
    sn_result result = run.count ? SN_OK : SN_ERROR_MEMORY;
    if (run.count && cloth &&
        !sn_constraints_add_kind(stage->world, SN_KIND_DISTANCE, count / 2, index, NULL, NULL).count)
        result = sn_particles_remove(stage->world, run) == SN_OK ? SN_ERROR_MEMORY : SN_ERROR_HOST;
    if (result == SN_OK)
        stage->made[op->serial] = (net_made){.type = TYPE_RUN, .as.run = run};
    free(xyz);
    free(index);
    return result;
}

sn_result net_play_op(net_stage *stage, const net_op *op)
{
    sn_result result = SN_OK;
    switch (op->call) {
    case OP_QUERY: {
        net_failure failure = {0};
        double x[8];
        for (int i = 0; i < 8; ++i)
            x[i] = (double)(sn_real)op->cell[1 + i].as.real;
        net_set_mode(stage->mode);
        ask(stage, op, op->cell[0].as.number, x, (uint32_t)op->cell[9].as.number, &failure);
        if (!failure.check)
            check_report(stage, op, &failure);
        stage->answer = failure;
        break;
    }
    case OP_EVENTS:
        net_set_mode(stage->mode);
        result = remove_in_events(stage, op->cell[0].as.number);
        break;
    case OP_COPY:
        net_set_mode(stage->mode);
        result = copy(stage, op);
        break;
    case OP_GRID:
        net_set_mode(stage->mode);
        result = add_grid(stage, op);
        break;
    default:
        result = net_invoke(stage, op);
    }
    net_set_mode(MODE_NEAREST);
    return result;
}

/* ---- Playing ---------------------------------------------------------------------------------------------------------- */

/* A world that plays a program, and how. */
typedef struct player {
    net_stage stage;
    const net_program *program;
    const net_variant *variant;
    uint32_t checks;
    support_memory memory;
    support_tasks tasks;
    net_failure *failure;
} player;

static uint64_t events_of(const net_stage *stage)
{
    uint32_t count = 0, broken = 0;
    const sn_contact_event *e = sn_world_contact_events(stage->world, &count);
    const sn_break *b = sn_world_broken(stage->world, &broken);
    uint64_t hash = hash_u64(hash_u64(SN_HASH_SEED, count), broken);
    for (uint32_t i = 0; i < count; ++i) {
        hash = hash_u64(hash_u64(hash_u64(hash, e[i].phase), e[i].particle.index), e[i].other.index);
        hash = hash_u64(hash_u64(hash, e[i].other_body.index), e[i].sensor);
        hash = hash_real(hash_vec3(hash_vec3(hash, e[i].point), e[i].normal), e[i].impulse);
        hash = hash_u64(hash_u64(hash_real(hash, e[i].impact), e[i].body.index), e[i].other_body.index);
        hash = hash_u64(hash_u64(hash, (uint64_t)e[i].shape << 32 | e[i].other_shape), e[i].triangle);
    }
    for (uint32_t i = 0; i < broken; ++i)
        hash = hash_real(hash_u64(hash_u64(hash, b[i].constraint.kind), b[i].constraint.index), b[i].force);
    return hash;
}

static bool has_null_world(const net_op *op)
{
    const net_call_info *call = op->call < CALL_COUNT ? net_call_of((net_call)op->call) : NULL;
    if (!call)
        return false;
    uint32_t at = call->argument[0].type == TYPE_WORLD ? 0 : 1;
    return op->cell[at].as.number == 0 && op->cell[at].type == CELL_NUMBER;
}

/* After a call that was refused. */
static bool check_refused(player *p, const net_op *op, sn_result result, uint64_t before)
{
    bool relax = op->call == CALL_sn_world_relax, step = op->call == CALL_sn_world_step || op->call == OP_EVENTS;
    uint32_t check = step || relax ? CHECK_FAILED : CHECK_REFUSED;
    const net_stage *stage = &p->stage;
    if (has_null_world(op))
        return true;
    if (relax && (result == SN_ERROR_DIVERGED || result == SN_ERROR_HOST || result == SN_CANCELLED))
        return true; /* it got somewhere */
    if ((p->checks & check) && sn_world_hash(stage->world) != before)
        return refuse(p->failure, check, op, "%s failed (%s) and changed the hash: %s", name_of(op),
                      sn_result_text(result), sn_world_error(stage->world));
    if ((p->checks & CHECK_REFUSED) && op->call < CALL_COUNT && stage->errors != (result != SN_CANCELLED) &&
        !stage->intrusions)
        return refuse(p->failure, CHECK_REFUSED, op, "%s failed (%s) and logged %llu errors", name_of(op),
                      sn_result_text(result), (unsigned long long)stage->errors);
    if ((p->checks & CHECK_REFUSED) && result != SN_CANCELLED && !sn_world_error(stage->world)[0])
        return refuse(p->failure, CHECK_REFUSED, op, "%s failed (%s) and does not say why", name_of(op),
                      sn_result_text(result));
    return true;
}

/* Every request for memory of the op fails once, and each time nothing must have happened. OP_EVENTS is two calls, and the first may
   have succeeded; both are ops of their own as well. */
static bool play_scarce(player *p, const net_op *op, sn_result *result)
{
    if (op->call == OP_EVENTS) {
        *result = net_play_op(&p->stage, op);
        return true;
    }
    for (uint32_t n = 1;; ++n) {
        uint64_t before = sn_world_hash(p->stage.world), failures = p->memory.failures;
        p->memory.fail_at = n < 400 ? p->memory.requests + n : 0;
        p->memory.fail_ever_after = n & 1;
        *result = net_play_op(&p->stage, op);
        p->memory.fail_at = 0;
        p->memory.fail_ever_after = false;
        if (p->memory.failures == failures || *result == SN_OK)
            return true;
        if (!check_refused(p, op, *result, before))
            return false;
    }
}

/* Saves, goes on, and comes back. */
static bool play_again(player *p, const net_op *op)
{
    net_stage *stage = &p->stage;
    uint64_t before = sn_world_hash(stage->world);
    if (op->serial % 2) {
        sn_snapshot *saved = sn_world_save(stage->world);
        if (!saved)
            return refuse(p->failure, CHECK_TWINS, op, "sn_world_save: %s", sn_world_error(stage->world));
        sn_world_step(stage->world, (sn_real)0.01);
        sn_particle_add_at(stage->world, vec(0, 0, 0), 1);
        sn_world_step(stage->world, (sn_real)0.02);
        sn_result result = sn_world_load(stage->world, saved);
        sn_snapshot_destroy(saved);
        if (result != SN_OK)
            return refuse(p->failure, CHECK_TWINS, op, "sn_world_load: %s", sn_world_error(stage->world));
    } else {
        sn_rewind *rewind = sn_rewind_create(stage->world, 16u << 20);
        if (!rewind)
            return refuse(p->failure, CHECK_TWINS, op, "sn_rewind_create: %s", sn_world_error(stage->world));
        for (int i = 0; i < 3; ++i) {
            sn_rewind_record(rewind, stage->world);
            sn_world_step(stage->world, (sn_real)0.01);
        }
        sn_result result = sn_rewind_back(rewind, stage->world, 2);
        sn_rewind_destroy(rewind);
        if (result != SN_OK)
            return refuse(p->failure, CHECK_TWINS, op, "sn_rewind_back: %s", sn_world_error(stage->world));
    }
    if (sn_world_hash(stage->world) != before)
        return refuse(p->failure, CHECK_TWINS, op, "the hash is another one after going back");
    return true;
}

/* Makes known to a fresh world what a snapshot does not hold: kinds, meshes, fields, and functions that may cancel or
   that are asked about contact and tears. */
static void introduce(player *p, uint32_t serial)
{
    net_stage *stage = &p->stage;
    for (uint32_t i = 0; i < p->program->ops && p->program->op[i].serial <= serial; ++i) {
        const net_op *op = &p->program->op[i];
        net_made made = stage->made[op->serial];
        if (op->call == CALL_sn_kind_register && made.type == TYPE_NEW_KIND)
            net_invoke(stage, op);
        if (op->call == CALL_fixed_add || op->call == CALL_sn_world_set_cancel ||
            op->call == CALL_sn_world_set_contact_filter || op->call == CALL_sn_world_set_pre_solve ||
            op->call == CALL_sn_world_set_tear_function)
            net_invoke(stage, op);
        if (op->call == CALL_sn_world_set_group_field && !op->cell[2].flaw) {
            const sn_shape_def *def = NULL;
            sn_body_def same = sn_default_body_def();
            stage->used = 0;
            net_read(stage, TYPE_GROUP_FIELD, op->cell + 2, &def);
            same.type = SN_BODY_STATIC;
            same.shapes = def;
            same.shape_count = 1;
            sn_body_add(stage->world, &same, NULL);
        }
        stage->made[op->serial] = made;
    }
}

static bool reload(player *p, const net_op *op)
{
    net_stage *stage = &p->stage;
    sn_world *old = stage->world;
    sn_snapshot *saved = sn_world_save(old);
    if (!saved)
        return refuse(p->failure, CHECK_TWINS, op, "sn_world_save: %s", sn_world_error(old));
    net_create(stage, p->program->dimensions, p->variant, &p->memory, &p->tasks);
    introduce(p, op->serial);
    sn_world_set_threads(stage->world, sn_world_threads(old));
    sn_result result = sn_world_load(stage->world, saved);
    sn_snapshot_destroy(saved);
    bool same = sn_world_hash(stage->world) == sn_world_hash(old);
    sn_world_destroy(old);
    if (result != SN_OK)
        return refuse(p->failure, CHECK_TWINS, op, "sn_world_load into a fresh world: %s",
                      sn_world_error(stage->world));
    if (!same)
        return refuse(p->failure, CHECK_TWINS, op, "the hash is another one after loading into a fresh world");
    return true;
}

static bool now_and_then(const player *p, const net_op *op, uint32_t every)
{
    uint64_t random = p->program->seed + op->serial;
    return support_random_below(&random, every) == 0;
}

static bool check_after(player *p, const net_op *op, sn_result result)
{
    net_stage *stage = &p->stage;
    if ((p->checks & CHECK_BAD) && op->bad && result == SN_OK)
        return refuse(p->failure, CHECK_BAD, op, "%s took bad input (%x in argument %u)", name_of(op), op->bad,
                      op->bad_at);
    if ((p->checks & CHECK_QUERY) && op->call == OP_QUERY && stage->answer.check) {
        *p->failure = stage->answer;
        return false;
    }
    if ((p->checks & CHECK_FINITE) && result == SN_OK && !check_finite(stage, op, p->failure))
        return false;
    if ((p->checks & CHECK_COUNTS) && !check_counts(stage, op, p->failure))
        return false;
    if ((p->checks & CHECK_REFUSED) && stage->admitted)
        return refuse(p->failure, CHECK_REFUSED, op, "a call from inside of a callback was not refused");
    return true;
}

static bool play_one(player *p, const net_op *op, sn_result *result)
{
    net_stage *stage = &p->stage;
    const net_variant *v = p->variant;
    uint64_t before = sn_world_hash(stage->world);
    if (v->again && op->call == CALL_sn_world_step && now_and_then(p, op, 2) && !play_again(p, op))
        return false;
    if (v->scarce) {
        if (!play_scarce(p, op, result))
            return false;
    } else
        *result = net_play_op(stage, op);
    if (*result != SN_OK && !check_refused(p, op, *result, before))
        return false;
    if (!check_after(p, op, *result))
        return false;
    if (v->asked) {
        uint64_t hash = sn_world_hash(stage->world);
        net_failure answer = {0};
        ask_much(stage, op, &answer);
        if ((p->checks & CHECK_QUERY) && answer.check) {
            *p->failure = answer;
            return false;
        }
        if ((p->checks & CHECK_QUERY) && sn_world_hash(stage->world) != hash)
            return refuse(p->failure, CHECK_QUERY, op, "asking changed the hash after %s", name_of(op));
    }
    return true;
}

bool net_play(const net_program *program, const net_variant *variant, uint32_t checks, net_moment *moment,
              net_failure *failure)
{
    static player p;
    memset(&p, 0, sizeof p - 0);
    p.program = program;
    p.variant = variant;
    p.checks = checks;
    p.failure = failure;
    p.stage.mode = variant->mode;
    p.memory.rubbish = variant->fill;
    p.tasks = (support_tasks){.mode = SUPPORT_TASKS_REVERSE};
    *failure = (net_failure){0};
    if (!net_create(&p.stage, program->dimensions, variant, &p.memory, &p.tasks))
        return true; /* a width that this machine does not have */
    bool good = true;
    for (uint32_t i = 0; i < program->ops && good; ++i) {
        const net_op *op = &program->op[i];
        sn_result result = SN_OK;
        double time = sn_world_time(p.stage.world);
        good = play_one(&p, op, &result);
        bool stepped = op->call == CALL_sn_world_step && sn_world_time(p.stage.world) != time;
        if (good && stepped && (checks & CHECK_COVER))
            net_cover(p.stage.world);
        if (good && moment)
            moment[i] = (net_moment){result, sn_world_hash(p.stage.world),
                                     stepped && result == SN_OK ? events_of(&p.stage) : 0};
        if (good && variant->reload && now_and_then(&p, op, 4))
            good = reload(&p, op);
    }
    net_destroy(&p.stage);
    const support_memory *m = &p.memory;
    if (good && (checks & CHECK_MEMORY) &&
        (m->blocks || m->wrong_size || m->wrong_align || m->wrong_thread || m->overruns)) {
        const net_op *last = &program->op[program->ops - 1];
        good = refuse(failure, CHECK_MEMORY, last,
                      "%zu blocks leaked, %llu wrong sizes, %llu alignments, %llu threads, %llu overruns", m->blocks,
                      (unsigned long long)m->wrong_size, (unsigned long long)m->wrong_align,
                      (unsigned long long)m->wrong_thread, (unsigned long long)m->overruns);
    }
    return good;
}
