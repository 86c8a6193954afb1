/* A feature costs what uses it costs, and changes nothing else: a cloth moves the same, to the bit, whatever is set elsewhere in
   its world, or set on it without ever acting. Every world here holds the same cloth and a few particles elsewhere. A feature is
   added to one of two such worlds, and after some steps positions and velocities of the cloth are compared: a bit that differs
   differs from then on, so few steps show it. */
#include "support/fixed.h"
#include "support/support.h"

enum { STEPS = 20, FEW_STEPS = 5, SUBSTEPS = 2, VARIANTS = 4, EMPTY_GROUP = 7, OTHER_GROUP = 8 };

#define DT      (1.0 / 60)
#define SPACING 0.05 /* m */
#define NEVER   1e20 /* N: no constraint of these worlds exerts that */
#define FAR     1000 /* m */

/* ---- Worlds ------------------------------------------------------------------------------------------------------ */

typedef struct cloth_shape {
    const char *name;
    uint32_t side;
    bool shuffled; /* numbers at random: nothing regular is found */
    bool tied;     /* a damped rod joins two tiles, and another came after the first step */
    double z;      /* m: where it begins */
} cloth_shape;

static const cloth_shape shapes[] = {
    {"cloth 64", 64, false, false, 0},                      /* one tile */
    {"cloth 96", 96, false, false, 0},                      /* several strips */
    {"shuffled cloth 72", 72, true, false, 0},              /* several tiles */
    {"cloth 96, tied, across 16 m", 96, false, true, 13.5}, /* beyond, places keep remainders: so some strips do */
    {"shuffled cloth 72, tied, across 16 m", 72, true, true, 14.2}, /* and some tiles */
    {"shuffled cloth 16", 16, true, false, 0},                      /* small */
};

typedef struct scene {
    sn_world *world;
    sn_particles cloth;
    sn_constraints rods;
    sn_particle lone;              /* 1 m from the cloth, held by nothing */
    sn_particle a, b;              /* a pair, */
    sn_constraint rod;             /* held by a rod */
    sn_particle c, d;              /* another, */
    sn_constraint soft;            /* by a soft one */
    sn_particle triangle[3], over; /* a triangle and a particle above it, */
    sn_constraint tie;             /* tied to its first corner */
} scene;

/* number[i] is the number of the particle at place i. */
static uint32_t *make_numbers(const cloth_shape *shape)
{
    uint32_t count = shape->side * shape->side, *number = malloc(count * sizeof *number);
    uint64_t seed = 11;
    assert_non_null(number);
    for (uint32_t i = 0; i < count; ++i)
        number[i] = i;
    for (uint32_t i = count; shape->shuffled && i > 1; --i) {
        uint32_t k = support_random_below(&seed, i), kept = number[i - 1];
        number[i - 1] = number[k];
        number[k] = kept;
    }
    return number;
}

static sn_particles add_particles(sn_world *world, const cloth_shape *shape, const uint32_t *number)
{
    const uint32_t n = shape->side;
    sn_real *xyz = malloc(3 * sizeof *xyz * n * n);
    assert_non_null(xyz);
    for (uint32_t i = 0; i < n * n; ++i) {
        sn_real *x = &xyz[3 * (size_t)number[i]];
        x[0] = real(SPACING * (i % n));
        x[1] = 2;
        x[2] = real(shape->z + SPACING * (i / n));
    }
    sn_particles cloth = sn_particles_add(world, n * n, xyz, 0, 1);
    assert_int_equal(cloth.count, n * n);
    assert_ok(world, sn_particle_set_mass(world, sn_particles_at(cloth, number[0]), SN_IMMOVABLE));
    assert_ok(world, sn_particle_set_mass(world, sn_particles_at(cloth, number[n - 1]), SN_IMMOVABLE));
    free(xyz);
    return cloth;
}

/* Along both directions, and along both diagonals. */
static sn_constraints add_rods(sn_world *world, const cloth_shape *shape, const uint32_t *number)
{
    static const uint32_t step[4][2][2] = {{{0, 0}, {1, 0}}, {{0, 0}, {0, 1}}, {{0, 0}, {1, 1}}, {{1, 0}, {0, 1}}};
    const uint32_t n = shape->side;
    uint32_t *index = malloc(8 * sizeof *index * n * n), count = 0;
    assert_non_null(index);
    for (uint32_t way = 0; way < 4; ++way)
        for (uint32_t i = 0; i < n * n; ++i) {
            const uint32_t(*s)[2] = step[way], x = i % n, z = i / n;
            if (x + (way != 1) >= n || z + (way != 0) >= n)
                continue;
            index[count++] = number[(z + s[0][1]) * n + x + s[0][0]];
            index[count++] = number[(z + s[1][1]) * n + x + s[1][0]];
        }
    sn_constraints rods = sn_constraints_add_kind(world, SN_KIND_DISTANCE, count / 2, index, NULL, NULL);
    assert_int_equal(rods.count, count / 2);
    free(index);
    return rods;
}

/* Between two places of the cloth. */
static void tie(scene *s, const uint32_t *number, uint32_t a, uint32_t b)
{
    sn_constraint rod = sn_constraint_add_distance(s->world, sn_at(sn_particles_at(s->cloth, number[a])),
                                                   sn_at(sn_particles_at(s->cloth, number[b])), SN_MEASURE);
    assert_ok(s->world, sn_constraint_set_material(s->world, rod, (sn_material){real(1e-5), 30}));
}

static void add_others(scene *s)
{
    sn_world *w = s->world;
    s->lone = sn_particle_add_at(w, vec(-1, 2, 0), 1);
    assert_ok(w, sn_particle_set_group(w, s->lone, OTHER_GROUP));
    s->a = sn_particle_add_at(w, vec(-1, 2, 1), 1);
    s->b = sn_particle_add_at(w, vec(-1.1, 2, 1), 2);
    s->rod = sn_constraint_add_distance(w, sn_at(s->a), sn_at(s->b), SN_MEASURE);
    s->c = sn_particle_add_at(w, vec(-1, 2, 2), 1);
    s->d = sn_particle_add_at(w, vec(-1.1, 2, 2), 2);
    s->soft = sn_constraint_add_distance(w, sn_at(s->c), sn_at(s->d), SN_MEASURE);
    assert_ok(w, sn_constraint_set_material(w, s->soft, (sn_material){real(1e-5), 0}));
    for (int i = 0; i < 3; ++i)
        s->triangle[i] = sn_particle_add_at(w, vec(-1 - 0.1 * (i == 1), 2, 3 + 0.1 * (i == 2)), 1);
    s->over = sn_particle_add_at(w, vec(-1, 2.1, 3), 1);
    s->tie = sn_constraint_add_distance(w, sn_at(s->triangle[0]), sn_at(s->over), SN_MEASURE);
    assert_true(sn_constraint_is_valid(w, s->tie));
}

/* ---- Features ---------------------------------------------------------------------------------------------------- */

static void add_nothing(scene *s)
{
    (void)s;
}

static void add_drag_of_group(scene *s, uint32_t group)
{
    sn_drag_def drag = sn_default_drag_def();
    drag.strength = 1;
    drag.one_group = true;
    drag.group = group;
    assert_ok(s->world, sn_drag_add(s->world, &drag, NULL));
}

static void add_drag_on_nothing(scene *s)
{
    add_drag_of_group(s, EMPTY_GROUP);
}

static void add_drag_elsewhere(scene *s)
{
    add_drag_of_group(s, OTHER_GROUP);
}

static void set_strength(scene *s)
{
    assert_ok(s->world, sn_constraint_set_strength(s->world, sn_constraints_at(s->rods, 0), real(NEVER), 0));
}

static void set_all_strengths(scene *s)
{
    for (uint32_t i = 0; i < s->rods.count; ++i)
        assert_ok(s->world, sn_constraint_set_strength(s->world, sn_constraints_at(s->rods, i), real(NEVER), 0));
}

static void set_damping(scene *s)
{
    assert_ok(s->world, sn_constraint_set_material(s->world, s->soft, (sn_material){real(1e-5), 100}));
}

static void set_compliance(scene *s)
{
    assert_ok(s->world, sn_constraint_set_material(s->world, s->rod, (sn_material){real(1e-4), 0}));
}

static void set_stiffness(scene *s)
{
    assert_ok(s->world, sn_constraint_set_stiffness(s->world, s->rod, real(0.5)));
}

static void set_correction(scene *s)
{
    sn_settings settings = sn_world_settings(s->world);
    settings.correct_stiffness = true;
    assert_ok(s->world, sn_world_configure(s->world, &settings));
}

static void set_profile(scene *s)
{
    sn_settings settings = sn_world_settings(s->world);
    settings.profile = true;
    assert_ok(s->world, sn_world_configure(s->world, &settings));
}

static void move_far(scene *s)
{
    assert_ok(s->world, sn_particle_set_position(s->world, s->lone, vec(FAR, 2, 0)));
}

static void use_own_kind(scene *s)
{
    sn_point points[2] = {sn_at(s->a), sn_at(s->b)};
    sn_constraint_def def = sn_default_constraint_def(sn_kind_register(s->world, &support_kind_gap));
    def.points = points;
    assert_ok(s->world, sn_constraint_remove(s->world, s->rod));
    assert_ok(s->world, sn_constraint_add(s->world, &def, NULL));
}

static void use_spot(scene *s)
{
    sn_point points[2] = {
        sn_on_triangle(s->triangle[0], s->triangle[1], s->triangle[2], real(0.5), real(0.25), real(0.25)),
        sn_at(s->over)};
    assert_ok(s->world, sn_constraint_remove(s->world, s->tie));
    assert_true(
        sn_constraint_is_valid(s->world, sn_constraint_add_distance(s->world, points[0], points[1], SN_MEASURE)));
}

static void add_fixed_shapes(scene *s)
{
    assert_true(fixed_add_plane(s->world, vec(0, -FAR, 0), vec(0, 1, 0)).generation);
    assert_true(fixed_add_box(s->world, vec(FAR, 0, 0), vec(1, 1, 1)).generation);
}

static void add_body(scene *s)
{
    assert_true(sn_body_is_valid(s->world, sn_body_add_box(s->world, vec(0, 0, FAR), vec(1, 1, 1), 1)));
}

static sn_vec3 no_force(void *context, const sn_field_in *in)
{
    (void)context;
    (void)in;
    return vec(0, 0, 0);
}

static void add_field(scene *s)
{
    assert_ok(s->world, sn_field_add(s->world, no_force, NULL, true, NULL));
}

static void add_force_each_step(scene *s)
{
    assert_ok(s->world, sn_particle_apply_force(s->world, s->lone, vec(1, 0, 0)));
}

static void set_target_each_step(scene *s)
{
    sn_vec3 x = sn_particle_position(s->world, s->lone);
    x.x += real(0.01);
    assert_ok(s->world, sn_particle_move_to(s->world, s->lone, x));
}

typedef struct feature {
    const char *name;
    void (*add)(scene *s);       /* before the first step */
    void (*each_step)(scene *s); /* before every step */
} feature;

static const feature features[] = {
    {"nothing", add_nothing, add_nothing}, /* other threads and lanes */
    {"drag on an empty group", add_drag_on_nothing, add_nothing},
    {"drag on a particle elsewhere", add_drag_elsewhere, add_nothing},
    {"a strength that never breaks", set_strength, add_nothing},
    {"strengths on all that never break", set_all_strengths, add_nothing},
    {"damping elsewhere", set_damping, add_nothing},
    {"compliance elsewhere", set_compliance, add_nothing},
    {"a stiffness below 1 elsewhere", set_stiffness, add_nothing},
    {"correction of stiffness, all stiff", set_correction, add_nothing},
    {"a particle 1 km away", move_far, add_nothing},
    {"a user kind elsewhere", use_own_kind, add_nothing},
    {"a spot in a triangle elsewhere", use_spot, add_nothing},
    {"fixed shapes far away", add_fixed_shapes, add_nothing},
    {"a body far away", add_body, add_nothing},
    {"a field of no force", add_field, add_nothing},
    {"a force elsewhere", add_nothing, add_force_each_step},
    {"a target elsewhere", add_nothing, set_target_each_step},
    {"profile", set_profile, add_nothing},
};

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

typedef struct setting {
    const cloth_shape *shape;
    sn_integrator integrator;
    uint32_t iterations, variant;
    bool plain; /* large meshes are not stiffened */
} setting;

static const char *const integrator_names[] = {"symplectic Euler", "forward Euler", "leapfrog", "Verlet", "BDF2"};

static sn_world *make_world(const setting *how)
{
    sn_world_def def = sn_default_world_def();
    def.threads = how->variant & 1 ? 4 : 1;
    def.simd = how->variant & 2 ? SN_SIMD_SCALAR : SN_SIMD_AUTO;
    def.settings.integrator = how->integrator;
    def.settings.iterations = how->iterations;
    def.settings.substeps = SUBSTEPS;
    def.settings.stiffening = how->plain ? SN_STIFFENING_OFF : SN_STIFFENING_AUTO;
    return support_world_from(&def);
}

/* Positions and then velocities of the cloth after all steps. Free it. */
static sn_real *run(const setting *how, const feature *one)
{
    scene s = {.world = make_world(how)};
    uint32_t *number = make_numbers(how->shape);
    s.cloth = add_particles(s.world, how->shape, number);
    s.rods = add_rods(s.world, how->shape, number);
    add_others(&s);
    one->add(&s);
    const uint32_t n = how->shape->side;
    if (how->shape->tied)
        tie(&s, number, n * 10 + 10, n * (n - 10) + n / 2);
    for (uint32_t i = 0; i < support_long(STEPS, FEW_STEPS); ++i) {
        if (how->shape->tied && i == 1)
            tie(&s, number, n * (n / 2) + 20, n * (n / 2 + 5) + 25);
        one->each_step(&s);
        assert_ok(s.world, sn_world_step(s.world, real(DT)));
    }
    size_t count = 3 * (size_t)s.cloth.count;
    sn_real *result = malloc(2 * count * sizeof *result);
    assert_non_null(result);
    assert_ok(s.world, sn_particles_read_positions(s.world, s.cloth, result, 0));
    assert_ok(s.world, sn_particles_read_velocities(s.world, s.cloth, result + count, 0));
    assert_int_equal(sn_world_constraint_count(s.world, SN_KIND_NONE),
                     s.rods.count + (how->shape->tied ? 5 : 3)); /* nothing broke */
    sn_world_destroy(s.world);
    free(number);
    return result;
}

/* How many particles of the cloth are elsewhere or move otherwise. */
static uint32_t count_differences(const sn_real *a, const sn_real *b, size_t particles)
{
    uint32_t count = 0;
    for (size_t i = 0; i < particles; ++i)
        count += memcmp(&a[3 * i], &b[3 * i], 3 * sizeof *a) != 0 ||
                 memcmp(&a[3 * (particles + i)], &b[3 * (particles + i)], 3 * sizeof *a) != 0;
    return count;
}

static double largest_difference(const sn_real *a, const sn_real *b, size_t particles)
{
    double most = 0;
    for (size_t i = 0; i < 3 * particles; ++i) {
        double gap = (double)a[i] - (double)b[i];
        gap = gap < 0 ? -gap : gap;
        most = gap > most ? gap : most;
    }
    return most;
}

/* Whether the feature changed nothing; says what it changed otherwise. */
static bool changes_nothing(const setting *how, const feature *one, const sn_real *plain)
{
    size_t particles = (size_t)how->shape->side * how->shape->side;
    sn_real *other = run(how, one);
    uint32_t wrong = count_differences(plain, other, particles);
    if (wrong > 0)
        print_message("%s: %s, %s, %u passes, %u threads, %s: %u of %zu particles differ, by up to %.2g m\n", one->name,
                      how->shape->name, integrator_names[how->integrator], (unsigned)how->iterations,
                      how->variant & 1 ? 4u : 1u, how->variant & 2 ? "scalar" : "wide", (unsigned)wrong, particles,
                      largest_difference(plain, other, particles));
    free(other);
    return wrong == 0;
}

/* A target that ends is a jump of a velocity, after which BDF2 starts anew everywhere: see docs/integrators.md. */
static bool is_idle(const setting *how, const feature *one)
{
    return how->integrator != SN_INTEGRATOR_BDF2 || one->each_step != set_target_each_step;
}

/* What can break is not stiffened, so that what it exerts is known. */
static bool keeps_plain(const feature *one)
{
    return one->add == set_strength || one->add == set_all_strengths;
}

/* In a brief run each feature takes one variant of threads and lanes, and all of them are taken by some. */
static uint32_t check_features(setting how)
{
    uint32_t failures = 0, turn = how.integrator + how.iterations;
    sn_real *idle[2];
    for (uint32_t i = 0; i < 2; ++i) {
        how.plain = i;
        idle[i] = run(&how, &features[0]);
    }
    for (uint32_t i = 0; i < COUNT_OF(features); ++i)
        for (uint32_t k = 0; is_idle(&how, &features[i]) && k < support_long(VARIANTS, 1); ++k) {
            how.variant = (i + turn + k) % VARIANTS;
            how.plain = keeps_plain(&features[i]);
            failures += !changes_nothing(&how, &features[i], idle[how.plain]);
        }
    free(idle[0]);
    free(idle[1]);
    return failures;
}

/* In a brief run the default integrator takes every cloth, with one pass or with two, and the others one cloth for each. */
static bool is_taken(sn_integrator integrator, uint32_t shape, uint32_t iterations)
{
    if (support_long(1, 0))
        return true;
    bool brief = shape == 0 || shape == COUNT_OF(shapes) - 1;
    return (brief || integrator == SN_INTEGRATOR_SYMPLECTIC_EULER) && iterations == 1 + shape % 2;
}

static void check_integrator(sn_integrator integrator)
{
    uint32_t failures = 0;
    for (uint32_t i = 0; i < COUNT_OF(shapes); ++i)
        for (uint32_t iterations = 1; iterations <= 2; ++iterations)
            if (is_taken(integrator, i, iterations))
                failures += check_features((setting){&shapes[i], integrator, iterations, 0, false});
    assert_int_equal(failures, 0);
}

static void idle_features_under_symplectic_euler(void **state)
{
    (void)state;
    check_integrator(SN_INTEGRATOR_SYMPLECTIC_EULER);
}

static void idle_features_under_forward_euler(void **state)
{
    (void)state;
    check_integrator(SN_INTEGRATOR_FORWARD_EULER);
}

static void idle_features_under_leapfrog(void **state)
{
    (void)state;
    check_integrator(SN_INTEGRATOR_LEAPFROG);
}

static void idle_features_under_verlet(void **state)
{
    (void)state;
    check_integrator(SN_INTEGRATOR_VERLET);
}

static void idle_features_under_bdf2(void **state)
{
    (void)state;
    check_integrator(SN_INTEGRATOR_BDF2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_features_under_symplectic_euler),
        cmocka_unit_test(idle_features_under_forward_euler),
        cmocka_unit_test(idle_features_under_leapfrog),
        cmocka_unit_test(idle_features_under_verlet),
        cmocka_unit_test(idle_features_under_bdf2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
