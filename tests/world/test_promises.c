/* What a world promises whatever is in it: a step that fails changes nothing, neither does a refused call; edits after a load
   are answered as without it; and nothing depends on the floating-point mode of the host. Worlds are made at random and run
   twice, once undisturbed: what is compared are their hashes, and what comes of them. */
#include "world/contact_worlds.h"

#include <fenv.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* ---- Random worlds --------------------------------------------------------------------------------------------------- */

/* What makes a step fail: a wind that is infinite for some particles from a moment on, or a constraint that is undefined after so
   many evaluations. */
typedef struct trap {
    double from;      /* s */
    uint32_t fuse;    /* 0: never */
    uint32_t watched; /* evaluations so far */
} trap;

static sn_vec3 blow(void *context, const sn_field_in *in)
{
    const trap *t = context;
    return vec(in->time >= t->from && in->index % 7 == 3 ? (double)INFINITY : 0.3, 0, 0);
}

static bool burn(const sn_eval_in *in, const sn_eval_out *out)
{
    trap *t = in->context;
    bool undefined = t->fuse && ++t->watched >= t->fuse;
    out->c[0] = undefined ? (sn_real)NAN : in->x[0].x - in->x[1].x - real(0.2);
    out->gradient[0] = vec(1, 0, 0);
    out->gradient[1] = vec(-1, 0, 0);
    return true;
}

typedef struct place {
    uint64_t seed, random; /* that it was made of; and of what happens in it */
    sn_world *world;
    trap trap;
    uint32_t sheet; /* particles of a sheet, the first ones */
    sn_constraint joint[3];
    sn_body mover;
    support_memory memory;
} place_of;

enum { SIDE = 4, BALLS = 14 };

static void add_sheet(place_of *p)
{
    uint32_t triangle[2 * (SIDE - 1) * (SIDE - 1) * 3], corners = 0;
    sn_world *world = p->world;
    for (uint32_t i = 0; i < SIDE * SIDE; ++i)
        assert_true(sn_particle_add_at(world, vec(0.2 * (i % SIDE) - 0.3, 1, 0.2 * (i / SIDE) - 0.3), 0.1).generation);
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const uint32_t right = i + 1, below = i + SIDE;
        const bool has_right = i % SIDE + 1 < SIDE, has_below = below < SIDE * SIDE;
        const uint32_t pairs[4] = {i, right, i, below};
        const sn_material soft = {real(1e-4), real(p->seed % 3 ? 0 : 0.01)};
        if (has_right)
            assert_int_equal(sn_constraints_add_kind(world, SN_KIND_DISTANCE, 1, pairs, NULL, &soft).count, 1);
        if (has_below)
            assert_int_equal(sn_constraints_add_kind(world, SN_KIND_DISTANCE, 1, pairs + 2, NULL, NULL).count, 1);
        if (has_right && has_below) {
            const uint32_t two[6] = {i, below, right, right, below, below + 1};
            memcpy(triangle + corners, two, sizeof two);
            corners += 6;
        }
    }
    sn_skin_def skin = sn_default_skin_def();
    skin.triangles = triangle;
    skin.triangle_count = corners / 3;
    skin.thickness = real(0.01);
    if (p->seed % 2)
        assert_ok(world, sn_skin_add(world, &skin, NULL));
    p->sheet = SIDE * SIDE;
}

static void add_bodies(place_of *p)
{
    sn_world *world = p->world;
    sn_body body[4];
    for (int i = 0; i < 4; ++i)
        body[i] = i % 2 ? sn_body_add_sphere(world, vec(1.5, 0.2 + 0.4 * i, 0), real(0.2), 300)
                        : sn_body_add_box(world, vec(1.5, 0.2 + 0.4 * i, 0), vec(0.2, 0.2, 0.15), 500);
    sn_joint_def def = sn_default_joint_def(SN_KIND_JOINT_HINGE);
    def.a = body[2];
    def.b = body[3];
    def.anchor = vec(1.5, 1.2, 0);
    def.axis = vec(0, 0, 1);
    def.strength = p->seed % 5 ? 0 : 40;
    p->joint[0] = sn_joint_add(world, &def);
    assert_true(p->joint[0].generation);
    p->joint[1] = sn_joint_add_ball(world, body[0], (sn_body){0}, vec(1.5, 0, 0.1));
    assert_true(p->joint[1].generation);
}

static void add_drag(sn_world *world)
{
    sn_drag_def drag = sn_default_drag_def();
    drag.strength = real(0.5);
    assert_ok(world, sn_drag_add(world, &drag, NULL));
}

static void choose_settings(place_of *p)
{
    sn_settings settings = sn_world_settings(p->world);
    settings.solver = (sn_solver)(p->seed % 6);
    settings.integrator = (sn_integrator)(p->seed / 6 % 5);
    settings.substeps = 1 + (uint32_t)(p->seed % 4);
    settings.iterations = 2;
    settings.damping = real(p->seed % 2 ? 0.2 : 0);
    if (sn_world_configure(p->world, &settings) != SN_OK) { /* some solvers do not go with all integrators */
        settings.integrator = SN_INTEGRATOR_SYMPLECTIC_EULER;
        assert_ok(p->world, sn_world_configure(p->world, &settings));
    }
    sn_contact_settings contact = sn_default_contact_settings();
    contact.sleep = p->seed / 30 % 2;
    contact.events = p->seed / 3 % 2;
    contact.sleep_time = real(0.1);
    contact.sleep_speed = real(0.2);
    assert_ok(p->world, sn_world_set_contact_settings(p->world, &contact));
}

static void set_trap(place_of *p)
{
    const uint32_t two[] = {1, 0};
    sn_kind kind = {.name = "fuse", .points = 2, .rows = 1, .eval = burn, .context = &p->trap};
    p->trap.from = (double)INFINITY;
    if (p->seed % 3)
        assert_ok(p->world, sn_field_add(p->world, blow, &p->trap, false, NULL));
    else
        assert_int_equal(sn_constraints_add_kind(p->world, sn_kind_register(p->world, &kind), 1, two, NULL, NULL).count,
                         1);
}

static void fill(place_of *p)
{
    sn_world *world = p->world;
    choose_settings(p);
    add_sheet(p);
    add_floor(world);
    p->mover = fixed_add_box(world, vec(-2, 0, 0), vec(0.3, 0.1, 0.3));
    assert_ok(world, sn_body_set_velocity(world, p->mover, vec(0.4, 0, 0), vec(0, 0.5, 0)));
    sn_group_contact rolls = sn_default_group_contact(2);
    rolls.rolls = rolls.self = true;
    assert_ok(world, sn_world_set_group_contact(world, 2, &rolls));
    for (int i = 0; i < BALLS; ++i) {
        sn_particle q = ball(world, vec(0.17 * (i % 5) - 1, 0.09 + 0.17 * (i / 5), 0.01 * i), 0.2, 0.1);
        if (i % 3 == 0)
            assert_ok(world, sn_particle_set_group(world, q, 2));
    }
    if (p->seed % 7 > 1)
        add_bodies(p);
    if (p->seed % 11 == 5)
        add_drag(world);
    set_trap(p);
}

static void make(place_of *p, uint64_t seed)
{
    *p = (place_of){.seed = seed, .random = seed * 977 + 5};
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    def.allocator = support_allocator(&p->memory);
    p->world = support_world_from(&def);
    fill(p);
}

static void unmake(place_of *p)
{
    sn_world_destroy(p->world);
    assert_memory_clean(&p->memory);
}

static uint32_t below_of(uint64_t *random, uint32_t limit)
{
    return support_random_below(random, limit);
}

static uint32_t below(place_of *p, uint32_t limit)
{
    return below_of(&p->random, limit);
}

/* A particle that there is. */
static sn_particle any_particle(place_of *p)
{
    for (;;) {
        sn_particle q = sn_particle_from_index(p->world, below(p, 100));
        if (q.generation)
            return q;
    }
}

/* Some edit; the same in every world of the same history. */
static void edit(place_of *p)
{
    sn_world *world = p->world;
    sn_particle q = any_particle(p);
    sn_vec3 v = vec(support_random_in(&p->random, -1, 1), support_random_in(&p->random, 0, 2), 0);
    const uint32_t what = below(p, 12);
    const uint32_t ring[6] = {0, 2, 2, 5, 5, 7};
    sn_constraints run;
    switch (what) {
    case 0:
        assert_ok(world, sn_particle_set_velocity(world, q, v));
        break;
    case 1:
        ball(world, vec((double)v.x - 3, (double)v.y, 0), 0.2, 0.08);
        break;
    case 2:
        if (q.index >= p->sheet) /* of bodies, too */
            assert_ok(world, sn_particle_remove(world, q));
        break;
    case 3:
        assert_ok(world, sn_particle_remove(world, ball(world, vec((double)v.x + 5, 3, 0), 0.2, 0.08)));
        break;
    case 4:
        run = sn_constraints_add_kind(world, SN_KIND_DISTANCE, 3, ring, NULL, NULL);
        assert_int_equal(run.count, 3);
        if (below(p, 2))
            assert_ok(world, sn_constraints_remove(world, run));
        break;
    case 5:
        assert_ok(world, sn_particle_move_to(world, q, vec((double)v.x, (double)v.y + 1, 0)));
        break;
    case 6:
        if (sn_body_is_valid(world, p->mover))
            assert_ok(world, sn_body_move_to(world, p->mover, v, (sn_quat){0, 0, 0, 1}));
        break;
    case 7:
        assert_ok(world, sn_particle_set_radius(world, q, real(0.09)));
        break;
    case 8:
        if (sn_constraint_is_valid(world, p->joint[1]))
            assert_ok(world, sn_constraint_remove(world, p->joint[1]));
        break;
    case 9:
        assert_ok(world, sn_particle_apply_force(world, q, v));
        break;
    case 10:
        assert_true(sn_body_add_sphere(world, vec((double)v.x, (double)v.y + 3, 0), real(0.1), 200).generation);
        break;
    default:
        assert_ok(world, sn_world_shift_origin(world, vec(0, 0, 0.125)));
        break;
    }
}

/* ---- Steps that fail --------------------------------------------------------------------------------------------------- */

/* Makes a step fail in one of its substeps: nothing may come of it. False if it did not fail, which is rare. */
static bool spoil(place_of *p, uint64_t *random, double dt)
{
    sn_world *world = p->world;
    const uint64_t before = sn_world_hash(world);
    const double time = sn_world_time(world);
    const uint32_t substeps = sn_world_settings(world).substeps;
    p->trap = (trap){.from = time + (below_of(random, substeps) - 0.1) * dt / substeps,
                     .fuse = 1 + below_of(random, 2 * substeps)};
    sn_result result = sn_world_step(world, real(dt));
    p->trap = (trap){.from = (double)INFINITY};
    if (result == SN_OK)
        return false;
    assert_int_equal(result, SN_ERROR_DIVERGED);
    assert_true(sn_world_fault(world).time >= time && sn_world_fault(world).time < time + dt);
    if (sn_world_hash(world) != before)
        fail_msg("seed %u at %g s: a step that fails (%s) changes the hash", (unsigned)p->seed, time,
                 sn_world_error(world));
    return true;
}

/* The same where memory may run out. Whether the step was taken. */
static bool starve(place_of *p, uint64_t *random, double dt)
{
    sn_world *world = p->world;
    const uint64_t before = sn_world_hash(world);
    p->memory.fail_at = p->memory.requests + 1 + below_of(random, 6);
    sn_result result = sn_world_step(world, real(dt));
    p->memory.fail_at = 0;
    if (result == SN_OK)
        return true;
    assert_true(result == SN_ERROR_MEMORY || result == SN_ERROR_DIVERGED);
    if (sn_world_hash(world) != before)
        fail_msg("seed %u at %g s: a step without memory (%s) changes the hash", (unsigned)p->seed,
                 sn_world_time(world), sn_world_error(world));
    return false;
}

/* Runs a world for a while, with edits, and if `disturbed` with steps that fail; *failed counts them. Some worlds come to an end by
   themselves. False if it got out of step. */
static bool live(place_of *p, uint32_t steps, bool disturbed, uint32_t *failed)
{
    uint64_t random = p->seed + 77; /* of what goes wrong */
    for (uint32_t i = 0; i < steps; ++i) {
        for (uint32_t tries = disturbed ? below_of(&random, 3) : 0; tries; --tries, ++*failed)
            if (!spoil(p, &random, FRAME))
                return false;
        if (below(p, 3) == 0)
            edit(p);
        bool taken = disturbed && below_of(&random, 2) && starve(p, &random, FRAME);
        if (!taken && sn_world_step(p->world, real(FRAME)) != SN_OK)
            break;
    }
    return true;
}

static void failed_steps_change_nothing(void **state)
{
    (void)state;
    const uint32_t rounds = support_rounds(support_long(2000, 80), 24);
    uint32_t failed = 0, compared = 0;
    for (uint64_t seed = 0; seed < rounds; ++seed) {
        place_of a, b;
        make(&a, seed);
        make(&b, seed);
        if (live(&b, 40, true, &failed)) {
            live(&a, 40, false, &failed);
            if (sn_world_hash(a.world) != sn_world_hash(b.world))
                fail_msg("seed %u: what comes after steps that failed differs", (unsigned)seed);
            ++compared;
        }
        unmake(&a);
        unmake(&b);
    }
    print_message("%u steps failed, %u of %u worlds compared\n", failed, compared, rounds);
    assert_true(failed > 10 * rounds && compared > rounds * 3 / 4);
}

/* ---- Refused calls ------------------------------------------------------------------------------------------------------ */

/* Two bodies that sleep on a floor. */
static sn_world *sleepers(sn_body body[2], sn_solver solver)
{
    sn_world_def def = sn_default_world_def();
    def.settings.solver = solver;
    sn_world *world = contact_world(def, true, false);
    add_floor(world);
    for (int i = 0; i < 2; ++i)
        body[i] = sn_body_add_box(world, vec(1.2 * i, 0.5, 0), vec(0.5, 0.5, 0.5), 0.01);
    support_run(world, 120, FRAME);
    assert_int_equal(sn_world_awake_count(world), 0);
    return world;
}

#define assert_refused(world, call)                                                                                    \
    do {                                                                                                               \
        uint64_t hash_before = sn_world_hash(world);                                                                   \
        assert_false(call);                                                                                            \
        assert_true(sn_world_hash(world) == hash_before);                                                              \
        assert_int_equal(sn_world_awake_count(world), 0);                                                              \
    } while (0)

/* Calls that are made of several: nobody wakes before all of it is known to be good. */
static void refused_calls_wake_nobody(void **state)
{
    (void)state;
    for (int solver = 0; solver < 6; ++solver) {
        sn_body body[2];
        sn_world *world = sleepers(body, (sn_solver)solver);
        sn_joint_def joint = sn_default_joint_def(SN_KIND_JOINT_BALL);
        joint.a = body[0];
        joint.b = body[1];
        joint.anchor = vec(0.6, 0.5, 0);
        joint.strength = -1;
        assert_refused(world, sn_joint_add(world, &joint).generation);
        joint.strength = 1;
        joint.torque_strength = (sn_real)NAN;
        assert_refused(world, sn_joint_add(world, &joint).generation);
        /* the turn is possible, the speed is not: they are light */
        sn_body light = {0};
        sn_vec3 huge = vec(SUPPORT_REAL_MAX, 0, 0);
        assert_refused(world, sn_body_apply_impulse(world, body[0], huge, vec(0, 0.5, 0)) == SN_OK);
        assert_refused(world, sn_body_apply_force(world, body[0], huge, vec(0, 2, 0)) == SN_OK);
        assert_refused(world, sn_body_apply_impulse(world, light, huge, vec(0, 2, 0)) == SN_OK);
        sn_world_destroy(world);
    }
}

/* A body lighter than a kilogram, at its centre: it would not turn, but be infinitely fast. */
static void refused_impulses_wake_nobody(void **state)
{
    (void)state;
    sn_world *world = contact_world(sn_default_world_def(), true, false);
    add_floor(world);
    sn_body body = sn_body_add_box(world, vec(0, 0.05, 0), vec(0.05, 0.05, 0.05), 100);
    support_run(world, 120, FRAME);
    assert_int_equal(sn_world_awake_count(world), 0);
    sn_vec3 huge = vec(SUPPORT_REAL_MAX / 2, 0, 0), centre = sn_body_centre(world, body);
    assert_refused(world, sn_body_apply_impulse(world, body, huge, centre) == SN_OK);
    assert_says(sn_world_error(world), "impulse infinite velocity");
    sn_world_destroy(world);
}

/* ---- Loading ------------------------------------------------------------------------------------------------------------- */

/* The same number under another generation, as handles have it after a load. */
static void find_handles_again(place_of *p)
{
    sn_body mover = sn_body_from_index(p->world, p->mover.index);
    p->mover = mover;
}

static void load_into(place_of *p, place_of *from, sn_snapshot *snapshot)
{
    assert_ok(p->world, sn_world_load(p->world, snapshot));
    p->random = from->random;
    memcpy(p->joint, from->joint, sizeof p->joint);
    find_handles_again(p);
}

/* A world goes on as it is; another one after it was saved, changed and loaded; and a third that loads what was saved. */
static void edits_after_a_load_are_the_same(void **state)
{
    (void)state;
    const uint32_t rounds = support_rounds(support_long(1000, 40), 12);
    uint32_t unused = 0;
    for (uint64_t seed = 0; seed < rounds; ++seed) {
        place_of a, b, c;
        make(&a, seed);
        make(&b, seed);
        make(&c, seed); /* has the kind and the field, and other things than what it loads */
        live(&a, 12, false, &unused);
        live(&b, 12, false, &unused);
        sn_snapshot *saved = sn_world_save(b.world);
        assert_non_null(saved);
        place_of then = b;
        live(&b, 7, false, &unused);
        load_into(&b, &then, saved);
        load_into(&c, &then, saved);
        place_of *all[] = {&a, &b, &c};
        for (int i = 0; i < 6; ++i)
            for (int part = 0; part < 2; ++part)
                for (int k = 0; k < 3; ++k) {
                    for (int n = 0; part == 0 && n < 4; ++n)
                        edit(all[k]);
                    if (part == 1)
                        live(all[k], 2, false, &unused);
                    if (sn_world_hash(all[k]->world) != sn_world_hash(a.world))
                        fail_msg("seed %u: %s after a load into %s world differ", (unsigned)seed,
                                 part ? "steps" : "edits", k == 1 ? "the same" : "another");
                }
        sn_snapshot_destroy(saved);
        unmake(&a);
        unmake(&b);
        unmake(&c);
    }
}

/* Numbers depend on those in use: not on whether there were others behind them. And a handle that was stale when the world was
   saved stays so in another world. */
static void numbers_after_a_load(void **state)
{
    (void)state;
    sn_world *world = support_world(), *fresh = support_world();
    sn_particle p[5];
    for (int i = 0; i < 5; ++i)
        p[i] = sn_particle_add_at(world, vec(i, 0, 0), 1);
    sn_constraint gone = sn_constraint_add_distance(world, sn_at(p[0]), sn_at(p[1]), SN_MEASURE);
    assert_ok(world, sn_constraint_remove(world, gone));
    assert_ok(world, sn_particle_remove(world, p[4]));
    sn_snapshot *saved = sn_world_save(world);
    assert_ok(fresh, sn_world_load(fresh, saved));
    sn_world *both[] = {world, fresh};
    const sn_real xyz[6] = {0, 1, 0, 0, 2, 0};
    const uint32_t index[4] = {0, 1, 1, 2};
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(sn_particles_add(both[i], 2, xyz, 0, 1).first, 4);
        assert_int_equal(sn_constraints_add_kind(both[i], SN_KIND_DISTANCE, 2, index, NULL, NULL).first, 0);
        assert_false(sn_constraint_is_valid(both[i], gone));
        assert_false(sn_particle_is_valid(both[i], p[4]));
    }
    assert_true(sn_world_hash(world) == sn_world_hash(fresh));
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
    sn_world_destroy(fresh);
}

/* A load without memory changes nothing: also not the plan, which has followed edits since it was made, and is hashed. The world
   that is loaded into has had less than the state takes, so that its tables have to grow. */
static void loads_that_fail_keep_the_plan(void **state)
{
    (void)state;
    sn_world *large = support_world();
    sn_particle last = {0};
    for (int i = 0; i < 40; ++i) {
        sn_particle next = sn_particle_add_at(large, vec(i, 0, 0), 1);
        if (i)
            sn_constraint_add_distance(large, sn_at(last), sn_at(next), SN_MEASURE);
        last = next;
    }
    support_run(large, 1, FRAME);
    sn_snapshot *saved = sn_world_save(large);
    for (uint64_t at = 1;; ++at) {
        support_memory memory = {0};
        sn_world_def def = support_scarce(&memory);
        sn_world *world = support_world_from(&def);
        sn_particle p[4];
        for (int i = 0; i < 4; ++i)
            p[i] = sn_particle_add_at(world, vec(i, 1, 0), 1);
        for (int i = 0; i < 3; ++i)
            sn_constraint_add_distance(world, sn_at(p[i]), sn_at(p[i + 1]), SN_MEASURE);
        support_run(world, 1, FRAME);
        sn_constraint_add_distance(world, sn_at(p[0]), sn_at(p[2]), SN_MEASURE);
        uint64_t before = sn_world_hash(world);
        memory.fail_at = memory.requests + at;
        sn_result result = sn_world_load(world, saved);
        bool loaded = result == SN_OK;
        assert_true(loaded || (result == SN_ERROR_MEMORY && sn_world_hash(world) == before));
        memory.fail_at = 0;
        support_run(world, 1, FRAME);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
        if (loaded)
            break;
        assert_true(at < 1000);
    }
    sn_snapshot_destroy(saved);
    sn_world_destroy(large);
}

/* ---- The floating-point mode ----------------------------------------------------------------------------------------------- */

enum { MODES = 4 };

/* 0: as it is; others round differently, one flushes denormals. Inputs are constants: what the test computes is not looked at. */
static void set_mode(int mode)
{
    static const int rounding[MODES] = {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO, FE_DOWNWARD};
    assert_int_equal(fesetround(rounding[mode]), 0);
#if defined(__SSE2__)
    const unsigned flush = 0x8040u; /* FTZ, DAZ */
    _mm_setcsr(mode == 3 ? _mm_getcsr() | flush : _mm_getcsr() & ~flush);
#endif
}

/* Of arithmetic in vectors, which all of it is. (fegetround tells of the old unit of x86.) */
static unsigned mode_now(void)
{
#if defined(__SSE2__)
    return _mm_getcsr() & 0xffc0u;
#else
    return (unsigned)fegetround();
#endif
}

/* What calls answered. */
typedef struct answers {
    sn_world *world;
    uint64_t sum;
} answers;

static void note(answers *a, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; ++i)
        a->sum = (a->sum ^ byte[i]) * UINT64_C(0x100000001b3);
}

static void note_vec(answers *a, sn_vec3 v)
{
    note(a, &v, sizeof v);
}

static const sn_vec3 third = {(sn_real)(1.0 / 3), (sn_real)(2.0 / 7), (sn_real)(-5.0 / 11)},
                     fifth = {(sn_real)(1.0 / 5), (sn_real)(3.0 / 13), (sn_real)(4.0 / 17)},
                     half = {(sn_real)0.31, (sn_real)0.17, (sn_real)0.23},
                     up = {(sn_real)0.1, (sn_real)0.7, (sn_real)0.3}, tiny = {(sn_real)1e-39, (sn_real)1e-39, 0};

static void edit_particles(answers *a)
{
    sn_world *world = a->world;
    sn_particle p = sn_particle_add_at(world, third, (sn_real)0.7), q = sn_particle_add_at(world, fifth, (sn_real)0.3);
    sn_constraint_add_distance(world, sn_at(p), sn_at(q), SN_MEASURE);
    sn_constraint_add_distance(world, sn_at(p), sn_at_place(half), SN_MEASURE);
    sn_particle_apply_impulse(world, p, up);
    sn_particle_apply_impulse(world, q, tiny);
    sn_particle_apply_force(world, p, third);
    sn_particle_apply_force(world, p, fifth);
    sn_particle_set_mass(world, q, (sn_real)1.7);
    const sn_real w = (sn_real)0.9, compliance = sn_compliance((sn_real)0.3);
    sn_particles run = {p.index, 1, p.generation};
    sn_particles_write_inverse_masses(world, run, &w, 0);
    note(a, &compliance, sizeof compliance);
    note_vec(a, sn_point_position(world, sn_on_triangle(p, q, p, (sn_real)0.1, (sn_real)0.2, (sn_real)0.7)));
}

static void edit_bodies(answers *a)
{
    sn_world *world = a->world;
    sn_body box = sn_body_add_box(world, third, half, 700),
            capsule = sn_body_add_capsule(world, fifth, up, (sn_real)0.07, 300);
    sn_quat turn = {(sn_real)0.3, (sn_real)0.1, (sn_real)0.2, (sn_real)0.9};
    sn_body_set_pose(world, box, fifth, turn);
    sn_body_set_velocity(world, box, up, third);
    sn_body_apply_impulse(world, box, fifth, third);
    sn_body_apply_force(world, capsule, up, third);
    sn_constraint hinge = sn_joint_add_hinge(world, box, capsule, half, up);
    sn_joint_add_ball(world, box, (sn_body){0}, third);
    sn_joint_set_motor(world, hinge, (sn_real)0.7, 3);
    note_vec(a, sn_body_spin(world, box));
    note_vec(a, sn_body_velocity_at(world, box, up));
    note_vec(a, sn_body_to_own(world, box, up));
    sn_real angle = sn_joint_angle(world, hinge);
    note(a, &angle, sizeof angle);
}

static void edit_contact(answers *a)
{
    sn_world *world = a->world;
    sn_quat turn = {(sn_real)0.3, (sn_real)0.1, (sn_real)0.2, (sn_real)0.9};
    fixed_add_plane(world, third, up);
    sn_body c = fixed_add_capsule(world, third, up, (sn_real)0.1);
    sn_body_set_pose(world, c, fifth, turn);
    sn_drag_def drag = sn_default_drag_def();
    drag.strength = (sn_real)0.37;
    sn_drag_add(world, &drag, NULL);
    sn_world_take_rest_shape(world, 0);
}

static void query(answers *a)
{
    sn_query_filter all = sn_default_query_filter();
    sn_hit hit;
    memset(&hit, 0, sizeof hit);
    if (sn_query_ray(a->world, up, (sn_vec3){(sn_real)-0.1, (sn_real)-0.9, (sn_real)-0.2}, 10, all, &hit)) {
        note_vec(a, hit.point);
        note_vec(a, hit.normal);
        note(a, &hit.distance, sizeof hit.distance);
    }
    if (sn_query_closest(a->world, fifth, 10, all, &hit))
        note_vec(a, hit.point);
}

static void report(answers *a)
{
    sn_report r;
    memset(&r, 0, sizeof r);
    sn_world_report(a->world, &r);
    const double sums[] = {r.kinetic,     r.potential,          r.elastic, r.mass, r.centre[0],
                           r.momentum[1], r.angular_momentum[2]};
    note(a, sums, sizeof sums);
}

static void shift(answers *a)
{
    static const sn_vec3 offset = {(sn_real)0.1, (sn_real)0.7, (sn_real)1e-3};
    sn_world_shift_origin(a->world, offset);
}

static void step_once(answers *a)
{
    sn_world_step(a->world, (sn_real)(1.0 / 60));
}

static void rest(answers *a)
{
    sn_relax_def def = sn_default_relax_def();
    def.steps = 5;
    sn_world_relax(a->world, &def, NULL);
}

static void calculate(answers *a)
{
    const double all[] = {sn_math_sin(0.7), sn_math_cos(0.7), sn_math_atan2(0.3, 0.7), sn_math_acos(0.3),
                          sn_math_exp(0.3), sn_math_log(0.3), sn_math_cbrt(0.3)};
    note(a, all, sizeof all);
}

static void modes_change_nothing(void **state)
{
    (void)state;
    void (*const calls[])(answers *) = {edit_particles, edit_bodies, edit_contact, query,     report,
                                        shift,          step_once,   query,        calculate, rest};
    answers all[MODES];
    for (int mode = 0; mode < MODES; ++mode)
        all[mode] = (answers){support_world(), 1};
    for (size_t i = 0; i < COUNT_OF(calls); ++i)
        for (int mode = 0; mode < MODES; ++mode) {
            set_mode(mode);
            unsigned before = mode_now();
            calls[i](&all[mode]);
            uint64_t hash = sn_world_hash(all[mode].world);
            unsigned after = mode_now();
            set_mode(0);
            assert_int_equal(after, before);
            if (hash != sn_world_hash(all[0].world) || all[mode].sum != all[0].sum)
                fail_msg("mode %d: call %u gives another %s", mode, (unsigned)i,
                         all[mode].sum != all[0].sum ? "answer" : "hash");
        }
    for (int mode = 0; mode < MODES; ++mode)
        sn_world_destroy(all[mode].world);
}

/* A host that keeps its mode gets the engine's in its callbacks. */
typedef struct listener {
    unsigned mode;
    uint32_t calls;
} listener;

static void listen(void *context, sn_log_level level, const char *text)
{
    listener *l = context;
    (void)level, (void)text;
    l->mode = mode_now();
    l->calls++;
}

static void callbacks_see_the_mode_of_the_engine(void **state)
{
    (void)state;
    listener l = {0};
    sn_world_def def = sn_default_world_def();
    def.log = (sn_log){listen, &l};
    sn_world *world = support_world_from(&def);
    const unsigned usual = mode_now();
    set_mode(1);
    sn_result result = sn_world_step(world, -1);
    set_mode(0);
    assert_int_equal(result, SN_ERROR_ARGUMENT);
    assert_int_equal(l.calls, 1);
    assert_int_equal(l.mode, usual);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failed_steps_change_nothing),  cmocka_unit_test(refused_calls_wake_nobody),
        cmocka_unit_test(refused_impulses_wake_nobody), cmocka_unit_test(edits_after_a_load_are_the_same),
        cmocka_unit_test(numbers_after_a_load),         cmocka_unit_test(loads_that_fail_keep_the_plan),
        cmocka_unit_test(modes_change_nothing),         cmocka_unit_test(callbacks_see_the_mode_of_the_engine),
    };
    return cmocka_run_group_tests_name("promises", tests, NULL, NULL);
}
