/* Every solver with every integrator and every feature: how a step is scheduled must not be seen. Which stages run tile by tile,
   which tiles stay in planes, and whether the end of a substep is left to the next one depends on what is in the world; threads
   and lanes depend on the machine; and a step may be cancelled, or fail, and be taken again. Places, velocities and forces are the same
   to the bit. */
#include "support/fixed.h"
#include "support/support.h"

#include "world/world.h"

#include <math.h>

enum { STEPS = 4, SUBSTEPS = 3, SIDE = 6, SIDE_TILED = 24, MOST = SIDE_TILED * SIDE_TILED + 8 };

#define DT      (1.0 / 60)
#define SPACING 0.1 /* m */

/* ---- Worlds ------------------------------------------------------------------------------------------------------ */

typedef struct scene {
    sn_world *world;
    uint32_t side;
    sn_particles cloth;
    sn_constraints rods;
    sn_constraint other; /* of the feature, if it has one */
    sn_body body;
} scene;

static sn_particle at(const scene *s, uint32_t x, uint32_t z)
{
    return sn_particles_at(s->cloth, z * s->side + x);
}

static void add_cloth(scene *s)
{
    static sn_real xyz[3 * SIDE_TILED * SIDE_TILED];
    static uint32_t index[4 * SIDE_TILED * SIDE_TILED];
    const uint32_t n = s->side;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n * n; ++i) {
        xyz[3 * i] = real(SPACING * (i % n));
        xyz[3 * i + 1] = real(2 + 0.01 * ((i % n) % 3));
        xyz[3 * i + 2] = real(SPACING * (i / n));
        if (i % n + 1 < n) {
            index[count++] = i;
            index[count++] = i + 1;
        }
        if (i + n < n * n) {
            index[count++] = i;
            index[count++] = i + n;
        }
    }
    s->cloth = sn_particles_add(s->world, n * n, xyz, 0, 1);
    s->rods = sn_constraints_add_kind(s->world, SN_KIND_DISTANCE, count / 2, index, NULL, NULL);
    assert_int_equal(s->rods.count, count / 2);
    assert_ok(s->world, sn_particle_set_mass(s->world, at(s, 0, 0), SN_IMMOVABLE));
    assert_ok(s->world, sn_particle_set_mass(s->world, at(s, n - 1, 0), SN_IMMOVABLE));
}

/* ---- Features ---------------------------------------------------------------------------------------------------- */

static void none(scene *s)
{
    (void)s;
}

static void add_damped_rod(scene *s)
{
    s->other = sn_constraint_add_distance(s->world, sn_at(at(s, 1, 1)), sn_at(at(s, 3, 4)), SN_MEASURE);
    assert_ok(s->world, sn_constraint_set_material(s->world, s->other, (sn_material){real(1e-4), 20}));
}

static void add_damped_point_in_triangle(scene *s)
{
    sn_particle lone = sn_particle_add_at(s->world, vec(0.25, 2.2, 0.25), 2);
    s->other = sn_constraint_add_distance(
        s->world, sn_on_triangle(at(s, 2, 2), at(s, 3, 2), at(s, 2, 3), real(0.5), real(0.25), real(0.25)), sn_at(lone),
        SN_MEASURE);
    assert_ok(s->world, sn_constraint_set_material(s->world, s->other, (sn_material){real(1e-4), 20}));
}

static void damp_cloth(scene *s)
{
    for (uint32_t i = 0; i < s->rods.count; i += 7)
        assert_ok(s->world,
                  sn_constraint_set_material(s->world, sn_constraints_at(s->rods, i), (sn_material){real(1e-5), 50}));
}

static void add_drag(scene *s)
{
    sn_drag_def drag = sn_default_drag_def();
    drag.strength = 2;
    drag.one_group = true;
    drag.group = 3;
    assert_ok(s->world, sn_particle_set_group(s->world, at(s, 2, 2), 3));
    assert_ok(s->world, sn_drag_add(s->world, &drag, NULL));
    drag.form = SN_DRAG_RIGID;
    drag.one_group = false;
    assert_ok(s->world, sn_drag_add(s->world, &drag, NULL));
}

static sn_vec3 swirl(void *context, const sn_field_in *in)
{
    (void)context;
    return vec((double)in->position.z - (double)in->velocity.x, 0, -(double)in->position.x);
}

static void add_field(scene *s)
{
    assert_ok(s->world, sn_field_add(s->world, swirl, NULL, true, NULL));
}

static void add_spring(scene *s)
{
    s->other = sn_constraint_add_spring(s->world, sn_at(at(s, 0, 1)), sn_at(at(s, 4, 4)), real(0.1), 20, 1);
}

static void set_target(scene *s)
{
    sn_vec3 x = sn_particle_position(s->world, at(s, 2, 3));
    assert_ok(s->world, sn_particle_move_to(s->world, at(s, 2, 3), vec((double)x.x, (double)x.y + 0.01, (double)x.z)));
}

static void push(scene *s)
{
    assert_ok(s->world, sn_particle_apply_force(s->world, at(s, 3, 3), vec(5, 1, 0)));
}

/* Friction in its hinge, and a limit that it reaches at once. */
static void add_body(scene *s)
{
    sn_joint_def joint = sn_default_joint_def(SN_KIND_JOINT_HINGE);
    s->body = sn_body_add_box(s->world, vec(-0.5, 2, 0), vec(0.1, 0.2, 0.1), 100);
    joint.a = s->body;
    joint.anchor = vec(-0.5, 2.2, 0);
    joint.axis = vec(0, 0, 1);
    joint.friction = real(0.1);
    joint.least = real(-0.001);
    joint.most = real(0.001);
    assert_true(sn_joint_add(s->world, &joint).kind);
    s->other =
        sn_constraint_add_distance(s->world, sn_on_body(s->body, vec(0.1, -0.2, 0)), sn_at(at(s, 1, 2)), SN_MEASURE);
    assert_ok(s->world, sn_body_apply_impulse(s->world, s->body, vec(2, 0, 0), vec(-0.5, 1.9, 0)));
}

static void add_inequalities(scene *s)
{
    for (uint32_t i = 0; i < s->side; ++i)
        assert_true(
            sn_constraint_add_half_space(s->world, sn_at(at(s, i, s->side - 1)), vec(0, 1.995, 0), vec(0, 1, 0)).kind);
    s->other = sn_constraint_add_distance_max(s->world, sn_at(at(s, 0, 0)), sn_at(at(s, 4, 4)), real(0.57));
}

static void set_strengths(scene *s)
{
    for (uint32_t i = 0; i < s->rods.count; i += 3)
        assert_ok(s->world,
                  sn_constraint_set_strength(s->world, sn_constraints_at(s->rods, i), real(i % 2 ? 40 : 1e9), 0));
}

static void set_tolerance_to(scene *s, double tolerance)
{
    sn_settings settings = sn_world_settings(s->world);
    settings.tolerance = real(tolerance);
    assert_ok(s->world, sn_world_configure(s->world, &settings));
}

static void set_tolerance(scene *s)
{
    set_tolerance_to(s, 1e-3);
}

/* So large that the first pass is always the last. */
static void set_large_tolerance(scene *s)
{
    set_tolerance_to(s, 1);
}

/* Where solver and integrator have it. */
static void set_gradients(scene *s)
{
    sn_settings settings = sn_world_settings(s->world);
    settings.gradients = SN_GRADIENTS_START;
    if ((settings.solver == SN_SOLVER_TILED || settings.solver == SN_SOLVER_GAUSS_SEIDEL) &&
        settings.integrator != SN_INTEGRATOR_BDF2)
        assert_ok(s->world, sn_world_configure(s->world, &settings));
}

static void set_damping(scene *s)
{
    sn_settings settings = sn_world_settings(s->world);
    settings.damping = real(0.5);
    assert_ok(s->world, sn_world_configure(s->world, &settings));
}

/* Where the solver can enforce it. */
static void add_shape(scene *s)
{
    uint32_t index[9];
    sn_solver solver = sn_world_settings(s->world).solver;
    if (solver != SN_SOLVER_TILED && solver != SN_SOLVER_GAUSS_SEIDEL && solver != SN_SOLVER_DIRECT)
        return;
    for (uint32_t i = 0; i < 9; ++i)
        index[i] = at(s, 2 + i % 3, 2 + i / 3).index;
    s->other = sn_constraint_add_shape_match(s->world, SN_KIND_SHAPE_MATCH, 9, index, real(0.5));
}

/* The plan follows: a rod comes, which pulls, and goes; and so does a particle. */
static void edit(scene *s)
{
    if (s->other.kind && sn_constraint_is_valid(s->world, s->other))
        assert_ok(s->world, sn_constraint_remove(s->world, s->other));
    sn_particle lone = sn_particle_add_at(s->world, vec(0.4, 2.2, 0.5), 1);
    s->other = sn_constraint_add_distance(s->world, sn_at(lone), sn_at(at(s, 4, 5)), real(0.19));
}

static void add_contact(scene *s)
{
    for (uint32_t i = 0; i < s->side * s->side; i += 2)
        assert_ok(s->world, sn_particle_set_radius(s->world, sn_particles_at(s->cloth, i), real(0.02)));
    assert_true(fixed_add_plane(s->world, vec(0, 1.99, 0), vec(0, 1, 0)).generation);
}

/* A row of boxes, whose centres rods hold, falls onto the floor: a regular tile, whose particles contact of bodies moves. */
static void add_row_of_boxes(scene *s)
{
    enum { BOXES = 80 };
    uint32_t index[2 * BOXES];
    if (sn_world_settings(s->world).solver != SN_SOLVER_TILED)
        return;
    for (uint32_t i = 0; i < BOXES; ++i) {
        s->body = sn_body_add_box(s->world, vec(0.3 * i, 0.051, -2), vec(0.05, 0.05, 0.05), 100);
        index[2 * i] = sn_body_particle(s->world, s->body).index;
        index[2 * i + 1] = index[2 * i] + 1;
    }
    assert_int_equal(sn_constraints_add_kind(s->world, SN_KIND_DISTANCE, BOXES - 1, index, NULL, NULL).count,
                     BOXES - 1);
    assert_true(fixed_add_plane(s->world, vec(0, 0, 0), vec(0, 1, 0)).generation);
}

/* A box above the cloth that a rod pulls down, farther than contact was searched for: the search is repeated within the step. */
static void add_box_that_is_pulled(scene *s)
{
    sn_particle post = sn_particle_add_at(s->world, vec(0.23, 1.2, 0.23), SN_IMMOVABLE);
    s->body = sn_body_add_box(s->world, vec(0.23, 2.3, 0.23), vec(0.1, 0.1, 0.1), 100);
    s->other = sn_constraint_add_distance(s->world, sn_on_body(s->body, vec(0, 0, 0)), sn_at(post), 1);
}

typedef struct feature {
    const char *name;
    void (*add)(scene *s);       /* before the first step */
    void (*each_step)(scene *s); /* before every step but the first */
} feature;

static const feature features[] = {
    {"nothing", none, none},
    {"a damped rod", add_damped_rod, none},
    {"a damped rod to a point in a triangle", add_damped_point_in_triangle, none},
    {"damped rods of the cloth", damp_cloth, none},
    {"drags", add_drag, none},
    {"a field", add_field, none},
    {"a spring", add_spring, none},
    {"a target", none, set_target},
    {"a force", none, push},
    {"a body on a hinge", add_body, none},
    {"inequalities", add_inequalities, none},
    {"strengths", set_strengths, none},
    {"a tolerance", set_tolerance, none},
    {"gradients at the start", set_gradients, none},
    {"damping", set_damping, none},
    {"a shape", add_shape, none},
    {"edits", none, edit},
    {"edits and a large tolerance", set_large_tolerance, edit},
    {"contact", add_contact, none},
    {"contact of bodies", add_row_of_boxes, none},
    {"a box that is pulled onto the cloth", add_box_that_is_pulled, none},
};

/* ---- Schedules --------------------------------------------------------------------------------------------------- */

typedef struct schedule {
    const char *name;
    bool threads, scalar, idle_field, idle_drag, cancels, fails;
} schedule;

static const schedule schedules[] = {
    {.name = "as usual"},
    {.name = "four threads, one lane", .threads = true, .scalar = true},
    {.name = "a field of no force", .idle_field = true},
    {.name = "a drag of rate 0", .idle_drag = true},
    {.name = "cancelled and taken again", .cancels = true},
    {.name = "failed and taken again", .fails = true},
};

static struct {
    bool on;
    uint32_t asked;
} trouble; /* that cancel and fail make */

static bool cancel(void *context)
{
    (void)context;
    return trouble.on && ++trouble.asked == SUBSTEPS;
}

/* Not a number, in the last substep. */
static sn_vec3 no_number(void *context, const sn_field_in *in)
{
    const double *start = context;
    return vec(trouble.on && in->time > *start + DT * (SUBSTEPS - 1.5) / SUBSTEPS ? (double)NAN : 0, 0, 0);
}

static void schedule_world(sn_world *world, const schedule *how, double *start)
{
    sn_drag_def drag = sn_default_drag_def();
    if (how->idle_field)
        assert_ok(world, sn_field_add(world, no_number, start, true, NULL));
    if (how->fails)
        assert_ok(world, sn_field_add(world, no_number, start, true, NULL));
    if (how->idle_drag)
        assert_ok(world, sn_drag_add(world, &drag, NULL));
    if (how->cancels)
        assert_ok(world, sn_world_set_cancel(world, cancel, NULL));
}

static void step(sn_world *world, const schedule *how, double *start)
{
    *start = sn_world_time(world);
    if (how->cancels || how->fails) {
        trouble.on = true;
        trouble.asked = 0;
        const uint64_t hash = sn_world_hash(world);
        assert_result(world, how->cancels ? SN_CANCELLED : SN_ERROR_DIVERGED, sn_world_step(world, real(DT)));
        trouble.on = false;
        assert_true(sn_world_hash(world) == hash);
    }
    assert_ok(world, sn_world_step(world, real(DT)));
}

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

typedef struct result {
    sn_real x[3 * MOST], v[3 * MOST];
    sn_real force[2 * MOST]; /* N: by the rods, and what the feature added */
    uint32_t constraints;
} result;

typedef struct setting {
    sn_solver solver;
    sn_integrator integrator;
    uint32_t iterations;
} setting;

static void read_result(const scene *s, result *r)
{
    memset(r, 0, sizeof *r);
    assert_ok(s->world, sn_particles_read_positions(s->world, s->cloth, r->x, 0));
    assert_ok(s->world, sn_particles_read_velocities(s->world, s->cloth, r->v, 0));
    for (uint32_t i = 0; i < s->rods.count; ++i)
        if (sn_constraint_is_valid(s->world, sn_constraints_at(s->rods, i)))
            r->force[i] = sn_constraint_force(s->world, sn_constraints_at(s->rods, i)).magnitude;
    if (s->other.kind)
        r->force[s->rods.count] = sn_constraint_force(s->world, s->other).magnitude;
    if (sn_body_is_valid(s->world, s->body)) {
        sn_vec3 l = sn_body_angular_momentum(s->world, s->body), x = sn_body_position(s->world, s->body);
        memcpy(&r->v[3 * (MOST - 1)], &l, sizeof l);
        memcpy(&r->x[3 * (MOST - 1)], &x, sizeof x);
    }
    r->constraints = sn_world_constraint_count(s->world, SN_KIND_NONE);
}

/* After all steps, and after some of statics. False if the engine does not have this combination. */
static bool run(const setting *set, const feature *one, const schedule *how, result *r)
{
    sn_world_def def = sn_default_world_def();
    double start = 0;
    def.threads = how->threads ? 4 : 1;
    def.simd = how->scalar ? SN_SIMD_SCALAR : SN_SIMD_AUTO;
    def.settings.solver = set->solver;
    def.settings.integrator = set->integrator;
    def.settings.iterations = set->iterations;
    def.settings.substeps = SUBSTEPS;
    char why[200];
    if (sn_world_def_check(&def, why, sizeof why) != SN_OK)
        return false;
    scene s = {.world = support_world_from(&def), .side = set->solver == SN_SOLVER_TILED ? SIDE_TILED : SIDE};
    add_cloth(&s);
    one->add(&s);
    schedule_world(s.world, how, &start);
    for (int i = 0; i < STEPS; ++i) {
        if (i > 0)
            one->each_step(&s);
        step(s.world, how, &start);
    }
    read_result(&s, &r[0]);
    sn_relax_def rest = sn_default_relax_def();
    rest.steps = 3;
    assert_ok(s.world, sn_world_relax(s.world, &rest, NULL));
    read_result(&s, &r[1]);
    sn_world_destroy(s.world);
    return true;
}

static bool is_same(const result *a, const result *b)
{
    return memcmp(a->x, b->x, sizeof a->x) == 0 && memcmp(a->v, b->v, sizeof a->v) == 0 &&
           memcmp(a->force, b->force, sizeof a->force) == 0 && a->constraints == b->constraints;
}

/* In a brief run each takes one of the other schedules, and all of them are taken by some. */
static uint32_t compare(const setting *set, const feature *one, uint32_t turn)
{
    static result usual[2], other[2];
    const uint32_t others = COUNT_OF(schedules) - 1;
    uint32_t failures = 0;
    if (!run(set, one, &schedules[0], usual))
        return 0;
    for (uint32_t i = 0; i < support_long(others, 1); ++i) {
        const schedule *how = &schedules[1 + (turn + i) % others];
        assert_true(run(set, one, how, other));
        if (is_same(&usual[0], &other[0]) && is_same(&usual[1], &other[1]))
            continue;
        print_message("solver %d, integrator %d, %u passes, %s: %s is another result%s\n", (int)set->solver,
                      (int)set->integrator, (unsigned)set->iterations, one->name, how->name,
                      is_same(&usual[0], &other[0]) ? ", at rest only" : "");
        ++failures;
    }
    return failures;
}

static void check_solver(sn_solver solver)
{
    static const uint32_t passes[] = {0, 1, 3};
    /* in a brief run some of them, fewer with a sanitizer: strides that do not divide the number of features, so each has its turn */
    const uint32_t stride = support_rounds(1, 0) ? support_long(1, 2) : 5;
    assert_true(stride == 1 || COUNT_OF(features) % stride != 0);
    uint32_t failures = 0, turn = (uint32_t)solver;
    for (int integrator = 0; integrator < 5; ++integrator)
        for (uint32_t i = 0; i < COUNT_OF(passes); ++i)
            for (uint32_t k = 0; k < COUNT_OF(features); ++k, ++turn)
                if (turn % stride == 0)
                    failures +=
                        compare(&(setting){solver, (sn_integrator)integrator, passes[i]}, &features[k], turn / stride);
    assert_int_equal(failures, 0);
}

static void schedules_of_gauss_seidel(void **state)
{
    (void)state;
    check_solver(SN_SOLVER_GAUSS_SEIDEL);
}

static void schedules_of_jacobi(void **state)
{
    (void)state;
    check_solver(SN_SOLVER_JACOBI);
}

static void schedules_of_impulses(void **state)
{
    (void)state;
    check_solver(SN_SOLVER_IMPULSES);
}

static void schedules_of_lagrange(void **state)
{
    (void)state;
    check_solver(SN_SOLVER_LAGRANGE);
}

static void schedules_of_direct(void **state)
{
    (void)state;
    check_solver(SN_SOLVER_DIRECT);
}

static void schedules_of_tiles(void **state)
{
    (void)state;
    check_solver(SN_SOLVER_TILED);
}

/* ---- Newcomers --------------------------------------------------------------------------------------------------- */

/* Particles that the plan does not know, near 0, where sums round differently. BDF2 predicts all particles at once if a field
   acts, and tile by tile otherwise. */
static scene make_newcomers(const schedule *how, double *start)
{
    enum { NEWCOMERS = 200 };
    sn_world_def def = sn_default_world_def();
    uint64_t seed = 5;
    def.settings.integrator = SN_INTEGRATOR_BDF2;
    scene s = {.world = support_world_from(&def), .side = SIDE};
    add_cloth(&s);
    schedule_world(s.world, how, start);
    step(s.world, how, start);
    for (int i = 0; i < NEWCOMERS; ++i) {
        sn_vec3 x = vec(support_random_in(&seed, -0.02, 0.02), 0, support_random_in(&seed, -0.02, 0.02));
        sn_vec3 v = vec(support_random_in(&seed, -1, 1), support_random_in(&seed, 0, 1), 0);
        assert_ok(s.world, sn_particle_set_velocity(s.world, sn_particle_add_at(s.world, x, 1), v));
    }
    return s;
}

static void newcomers_round_alike(void **state)
{
    (void)state;
    double start[2];
    scene a = make_newcomers(&schedules[0], &start[0]), b = make_newcomers(&schedules[2], &start[1]);
    const sn_particle_store *p = &a.world->particles, *q = &b.world->particles;
    assert_true(schedules[2].idle_field);
    for (int i = 0; i < 10; ++i) {
        step(a.world, &schedules[0], &start[0]);
        step(b.world, &schedules[2], &start[1]);
        assert_true(a.world->plan.particles == SIDE * SIDE);
        assert_memory_equal(p->x, q->x, p->table.count * sizeof *p->x);
        assert_memory_equal(p->x_low, q->x_low, p->table.count * sizeof *p->x);
        assert_memory_equal(p->v, q->v, p->table.count * sizeof *p->x);
        assert_memory_equal(p->v_low, q->v_low, p->table.count * sizeof *p->x);
    }
    sn_world_destroy(a.world);
    sn_world_destroy(b.world);
}

/* ---- No passes --------------------------------------------------------------------------------------------------- */

/* Forces are those of the last substep, not of one before it. */
static void without_passes_nothing_exerts_a_force(void **state)
{
    static const sn_solver solvers[] = {SN_SOLVER_GAUSS_SEIDEL, SN_SOLVER_JACOBI, SN_SOLVER_DIRECT, SN_SOLVER_TILED};
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(solvers); ++i) {
        sn_world_def def = sn_default_world_def();
        def.settings.solver = solvers[i];
        sn_world *world = support_world_from(&def);
        sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE),
                    b = sn_particle_add_at(world, vec(0, -1, 0), 1);
        sn_constraint rod = sn_constraint_add_distance(world, sn_at(a), sn_at(b), 1);
        assert_ok(world, sn_world_step(world, real(DT)));
        assert_true(sn_constraint_force(world, rod).magnitude > 9);
        def.settings.iterations = 0;
        assert_ok(world, sn_world_configure(world, &def.settings));
        assert_ok(world, sn_world_step(world, real(DT)));
        assert_true(sn_constraint_force(world, rod).magnitude == 0);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_of_gauss_seidel), cmocka_unit_test(schedules_of_jacobi),
        cmocka_unit_test(schedules_of_impulses),     cmocka_unit_test(schedules_of_lagrange),
        cmocka_unit_test(schedules_of_direct),       cmocka_unit_test(schedules_of_tiles),
        cmocka_unit_test(newcomers_round_alike),     cmocka_unit_test(without_passes_nothing_exerts_a_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
