/* Every kind with every feature: constraints that share nothing with each other, each with features drawn at random. Widths and
   threads must agree to the bit, and the default solver nearly with the reference, which takes the generic row. */
#include "support/support.h"

#include <math.h>

enum { CONSTRAINTS = 50, STEPS = 2, SUBSTEPS = 3, PASSES = 2 };

#define NEVER 1e20 /* N, N m */

/* By how much places (m) may differ between the default solver and the reference. */
#define OFF (SINEW_DOUBLE ? 1e-9 : 2e-4)

typedef struct cage {
    sn_world *world;
    const sn_kind *kind;
    uint64_t seed;
    bool flat;
    sn_vec3 place;       /* its middle */
    sn_particle last[3]; /* of the point before */
    sn_body body;        /* the same */
    bool any;            /* some point can move */
} cage;

static bool chance(cage *c, uint32_t percent)
{
    return support_random_below(&c->seed, 100) < percent;
}

static sn_vec3 somewhere(cage *c, double size)
{
    double x = support_random_in(&c->seed, -size, size), y = support_random_in(&c->seed, -size, size);
    return vec(x, y, c->flat ? 0 : support_random_in(&c->seed, -size, size));
}

/* A place of the cage. */
static sn_vec3 beside(cage *c, double size)
{
    sn_vec3 x = somewhere(c, size);
    return vec((double)(c->place.x + x.x), (double)(c->place.y + x.y), (double)(c->place.z + x.z));
}

static sn_particle new_particle(cage *c)
{
    sn_particle p = sn_particle_add_at(c->world, beside(c, 1), real(chance(c, 20) ? 3 : 1));
    assert_true(sn_particle_is_valid(c->world, p));
    assert_ok(c->world, sn_particle_set_velocity(c->world, p, somewhere(c, 1)));
    return p;
}

static sn_body new_body(cage *c)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.position = beside(c, 0.7);
    def.velocity = somewhere(c, 1);
    sn_vec3 axis = somewhere(c, 1);
    def.rotation = c->flat ? (sn_quat){0, 0, axis.x, 1} : (sn_quat){axis.x, axis.y, axis.z, 1};
    def.spin = c->flat ? vec(0, 0, axis.y) : somewhere(c, 1);
    def.mass = real(2);
    def.moments = vec(0.2, 0.25, 0.3);
    assert_ok(c->world, sn_body_add(c->world, &def, &body));
    return body;
}

/* Joints start where their points and axes agree. */
static sn_point joint_point(cage *c, uint32_t i, uint32_t place)
{
    if (i == place)
        return sn_at_place(c->place);
    sn_body b = new_body(c);
    sn_quat q = sn_body_rotation(c->world, b);
    return sn_on_body_turned(b, sn_body_to_own(c->world, b, c->place), (sn_quat){-q.x, -q.y, -q.z, q.w});
}

static sn_point free_point(cage *c, uint32_t i)
{
    const uint32_t roll = support_random_below(&c->seed, 10);
    if (roll == 0 && (c->any || i + 1 < c->kind->points))
        return sn_at_place(beside(c, 1));
    c->any = true;
    if (roll <= 2) {
        c->body = c->body.generation && chance(c, 30) ? c->body : new_body(c);
        return sn_on_body(c->body, somewhere(c, 0.5));
    }
    if (roll <= 5) {
        sn_particle p[4];
        for (uint32_t k = 0; k < 4; ++k) /* also one that the point before has */
            p[k] = k == 1 && c->last[2].generation && chance(c, 40) ? c->last[2] : new_particle(c);
        memcpy(c->last, p, sizeof c->last);
        return roll <= 4 || c->flat
                   ? sn_on_triangle(p[0], p[1], p[2], real(0.5), real(0.2), real(0.3))
                   : sn_in_tetrahedron(p[0], p[1], p[2], p[3], real(0.4), real(0.1), real(0.3), real(0.2));
    }
    return sn_at(new_particle(c));
}

static sn_real *param_of(const sn_kind *kind, sn_constraint_def *def, const char *name)
{
    sn_real *at = def->param;
    for (const sn_param *p = kind->param; p->name; at += p->type == SN_PARAM_REAL ? 1 : 3, ++p)
        if (strcmp(p->name, name) == 0)
            return at;
    return NULL;
}

static void set(cage *c, sn_constraint_def *def, const char *name, double value)
{
    sn_real *at = param_of(c->kind, def, name);
    if (at)
        *at = real(value);
}

/* Limits, motors, targets and friction of joints. */
static void equip(cage *c, sn_constraint_def *def)
{
    const uint32_t roll = support_random_below(&c->seed, 4);
    if (chance(c, 50)) {
        set(c, def, "least", -0.02);
        set(c, def, "most", 0.02);
        set(c, def, "swing", 0.05);
    }
    if (roll == 1) {
        set(c, def, "speed", 1);
        set(c, def, "speed_most", chance(c, 50) ? 5 : 1e4);
    } else if (roll == 2) {
        set(c, def, "target_most", chance(c, 50) ? 5 : 1e4);
        set(c, def, "target_compliance", 1e-3);
        set(c, def, "target_damping", 0.5);
    } else if (roll == 3) {
        set(c, def, "friction", chance(c, 50) ? 1 : 1e3);
    }
    if (chance(c, 30)) {
        set(c, def, "linear_compliance", 1e-5);
        set(c, def, "linear_damping", 1);
    }
}

static void add_constraint(cage *c, uint32_t kind, bool plain)
{
    sn_point point[SN_MAX_POINTS];
    const uint32_t place = chance(c, 20) ? support_random_below(&c->seed, 2) : 2;
    c->any = false;
    c->body = (sn_body){0};
    memset(c->last, 0, sizeof c->last);
    for (uint32_t i = 0; i < c->kind->points; ++i)
        point[i] = c->kind->oriented ? joint_point(c, i, place) : plain ? sn_at(new_particle(c)) : free_point(c, i);
    sn_constraint_def def = support_constraint_def(c->world, kind, point);
    sn_constraint made;
    if (c->kind->oriented)
        equip(c, &def);
    def.compliance = real(chance(c, 50) ? 1e-4 : 0);
    def.damping = real(def.compliance > 0 && chance(c, 60) ? 2 : 0);
    def.stiffness = real(chance(c, 30) ? 0.6 : 1);
    assert_ok(c->world, sn_constraint_add(c->world, &def, &made));
    if (chance(c, 30))
        assert_ok(c->world, sn_constraint_set_strength(c->world, made, real(NEVER), 0));
}

/* The first half of them on particles alone. NULL if there are no such lanes. */
static sn_world *make_world(uint32_t kind, uint32_t dimensions, uint32_t threads, sn_simd simd, sn_solver solver)
{
    sn_world_def def = sn_default_world_def();
    def.dimensions = dimensions;
    def.threads = threads;
    def.simd = simd;
    def.settings.solver = solver;
    def.settings.gravity = vec(0, -5, 0);
    def.settings.substeps = SUBSTEPS;
    def.settings.iterations = PASSES;
    if (sn_world_def_check(&def, NULL, 0) != SN_OK)
        return NULL;
    cage c = {.world = support_world_from(&def), .kind = sn_kind_info(NULL, kind), .flat = dimensions == 2};
    c.seed = kind;
    for (uint32_t i = 0; i < CONSTRAINTS; ++i) {
        c.place = vec(5 * (i % 8), 5 * (i / 8), 0);
        add_constraint(&c, kind, i < CONSTRAINTS / 2);
    }
    return c.world;
}

static void compare(const sn_world *a, const sn_world *b, const char *name, double *worst)
{
    *worst = 0;
    for (uint32_t i = 0; i < sn_world_particle_count(a); ++i) {
        sn_particle p = sn_particle_from_index(a, i), q = sn_particle_from_index(b, i);
        double gap = support_gap(sn_particle_position(a, p), sn_particle_position(b, q));
        *worst = gap > *worst || isnan(gap) ? gap : *worst;
    }
    for (uint32_t i = 0; i < sn_world_body_count(a); ++i) {
        sn_quat p = sn_body_rotation(a, sn_body_from_index(a, i)), q = sn_body_rotation(b, sn_body_from_index(b, i));
        double gap = fabs((double)(p.x - q.x)) + fabs((double)(p.y - q.y)) + fabs((double)(p.z - q.z));
        *worst = gap > *worst || isnan(gap) ? gap : *worst;
    }
    if (!(*worst <= OFF))
        print_error("%s: the default solver and the reference are %.3g apart\n", name, *worst);
}

static void check_kind(uint32_t kind, uint32_t dimensions, uint32_t *wrong)
{
    const char *name = sn_kind_info(NULL, kind)->name;
    sn_world *first = make_world(kind, dimensions, 1, SN_SIMD_AUTO, SN_SOLVER_TILED);
    sn_world *reference = make_world(kind, dimensions, 1, SN_SIMD_AUTO, SN_SOLVER_GAUSS_SEIDEL);
    double worst;
    support_run(first, STEPS, 1.0 / 60);
    support_run(reference, STEPS, 1.0 / 60);
    compare(first, reference, name, &worst);
    *wrong += !(worst <= OFF);
    for (int simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd)
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            sn_world *other = make_world(kind, dimensions, threads, (sn_simd)simd, SN_SOLVER_TILED);
            if (!other)
                continue;
            support_run(other, STEPS, 1.0 / 60);
            if (sn_world_hash(other) != sn_world_hash(first)) {
                print_error("%s: not the same bits at sn_simd %d on %u threads\n", name, simd, threads);
                ++*wrong;
            }
            sn_world_destroy(other);
        }
    sn_world_destroy(first);
    sn_world_destroy(reference);
}

static void check_kinds(uint32_t dimensions)
{
    uint32_t wrong = 0;
    for (uint32_t kind = 1; kind < sn_kind_count(NULL); ++kind) {
        const sn_kind *about = sn_kind_info(NULL, kind);
        if (about->points && !about->force && !about->project && !(dimensions == 2 && about->spatial))
            check_kind(kind, dimensions, &wrong);
    }
    assert_int_equal(wrong, 0);
}

static void every_kind_with_every_feature(void **state)
{
    (void)state;
    check_kinds(3);
}

static void the_same_in_a_plane(void **state)
{
    (void)state;
    check_kinds(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_with_every_feature),
                                       cmocka_unit_test(the_same_in_a_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
