/* Blocks of rows: a kind with several rows, some of them inequalities, is solved as a whole and exactly. Each block
   here is one particle and up to six planes, C = normal . x - offset, of which every row is an equality or an
   inequality. C is linear, so one pass must do, and what it finds can be checked by the conditions that are necessary
   and sufficient (Karush, Kuhn and Tucker). */
#include "support/support.h"

#include <math.h>

#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))

/* ---- A kind for every number of rows and every choice of inequalities ------------------------------------------------ */

/* The planes of the block that is being tested; the kinds look at them through their context. */
typedef struct planes {
    sn_vec3 normal[SN_MAX_ROWS];
    sn_real offset[SN_MAX_ROWS];
} planes;

static planes now;

static bool eval_planes(const sn_eval_in *in, sn_eval_out out, uint32_t rows)
{
    const planes *p = in->context;
    for (uint32_t r = 0; r < rows; ++r) {
        sn_vec3 n = p->normal[r], x = in->x[0];
        out.c[r] = n.x * x.x + n.y * x.y + n.z * x.z - p->offset[r];
        out.gradient[r] = n;
    }
    return true;
}

#define EVAL(ROWS)                                                                                                     \
    static bool eval_##ROWS(const sn_eval_in *in, const sn_eval_out *out)                                              \
    {                                                                                                                  \
        return eval_planes(in, *out, ROWS);                                                                            \
    }
EVAL(1)
EVAL(2)
EVAL(3)
EVAL(4)
EVAL(5)
EVAL(6)

static uint32_t kind_of[SN_MAX_ROWS + 1][1u << SN_MAX_ROWS]; /* by rows and inequalities */

static sn_world *planes_world(uint32_t dimensions)
{
    static sn_eval_fn *const eval[] = {NULL, eval_1, eval_2, eval_3, eval_4, eval_5, eval_6};
    sn_world_def def = sn_default_world_def();
    def.dimensions = dimensions;
    def.settings.gravity = vec(0, 0, 0);
    def.settings.substeps = 1;
    sn_world *world = support_world_from(&def);
    for (uint32_t rows = 1; rows <= SN_MAX_ROWS; ++rows)
        for (uint32_t inequality = 0; inequality < 1u << rows; ++inequality) {
            char name[32];
            snprintf(name, sizeof name, "planes_%u_%u", rows, inequality);
            sn_kind kind = {
                .name = name, .points = 1, .rows = rows, .inequality = inequality, .eval = eval[rows], .context = &now};
            assert_true((kind_of[rows][inequality] = sn_kind_register(world, &kind)) != 0);
        }
    return world;
}

/* ---- A block -------------------------------------------------------------------------------------------------------- */

typedef struct block {
    sn_world *world;
    uint32_t dimensions, rows, inequality;
    double mass;
    sn_vec3 x, v;
    sn_particle particle;
    sn_constraint constraint;
} block;

static bool is_inequality(const block *b, uint32_t row)
{
    return (b->inequality >> row & 1) != 0;
}

static sn_vec3 random_place(uint64_t *seed, uint32_t dimensions, double size)
{
    double x = support_random_in(seed, -size, size), y = support_random_in(seed, -size, size);
    return vec(x, y, dimensions == 2 ? 0 : support_random_in(seed, -size, size));
}

static double dot(sn_vec3 a, sn_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

/* The sine of the smallest angle of a normal with another one, and with the plane of two others: how far the block is
   from planes that are nearly the same, and meet somewhere far away. */
static double independence(const block *b)
{
    double least = 1;
    for (uint32_t i = 0; i < b->rows; ++i)
        for (uint32_t j = 0; j < i; ++j) {
            sn_vec3 n = now.normal[i], m = now.normal[j];
            double nn = dot(n, n), mm = dot(m, m);
            sn_vec3 c = vec((double)n.y * (double)m.z - (double)n.z * (double)m.y,
                            (double)n.z * (double)m.x - (double)n.x * (double)m.z,
                            (double)n.x * (double)m.y - (double)n.y * (double)m.x);
            if (b->dimensions == 2)
                c = vec(0, 0, (double)c.z);
            least = fmin(least, sqrt(dot(c, c) / (nn * mm)));
            for (uint32_t k = 0; k < j && b->dimensions == 3; ++k)
                least = fmin(least, fabs(dot(c, now.normal[k])) / sqrt(nn * mm * dot(now.normal[k], now.normal[k])));
        }
    return least;
}

/* Random planes around a place that satisfies them all: equalities go through it, inequalities pass it by or touch
   it. The particle is somewhere else. */
static block random_block(sn_world *world, uint64_t *seed, uint32_t dimensions)
{
    block b = {.world = world, .dimensions = dimensions};
    do {
        b.rows = 1 + support_random_below(seed, SN_MAX_ROWS);
        b.inequality = support_random_below(seed, 2) ? (1u << b.rows) - 1 : support_random_below(seed, 1u << b.rows);
        sn_vec3 good = random_place(seed, dimensions, 1);
        for (uint32_t r = 0; r < b.rows; ++r) {
            now.normal[r] = random_place(seed, dimensions, 1);
            double room = support_random_below(seed, 3) ? support_random_in(seed, 0, 0.5) : 0;
            now.offset[r] = real(dot(now.normal[r], good) - (is_inequality(&b, r) ? room : 0));
        }
    } while (independence(&b) < 0.05);
    b.mass = support_random_in(seed, 0.2, 5);
    b.x = random_place(seed, dimensions, 2);
    return b;
}

static void build(block *b, sn_material material, uint32_t iterations, double h)
{
    sn_settings settings = sn_world_settings(b->world);
    settings.iterations = iterations;
    assert_ok(b->world, sn_world_configure(b->world, &settings));
    b->particle = sn_particle_add_at(b->world, b->x, real(b->mass));
    assert_ok(b->world, sn_particle_set_velocity(b->world, b->particle, b->v));
    sn_point point = sn_at(b->particle);
    sn_constraint_def def = sn_default_constraint_def(kind_of[b->rows][b->inequality]);
    def.points = &point;
    def.compliance = material.compliance;
    def.damping = material.damping;
    assert_ok(b->world, sn_constraint_add(b->world, &def, &b->constraint));
    assert_ok(b->world, sn_world_step(b->world, real(h)));
}

static void clear(const block *b)
{
    assert_ok(b->world, sn_particle_remove(b->world, b->particle));
}

/* C of a row where the particle is now, in double. */
static double value_of(const block *b, uint32_t row)
{
    return dot(now.normal[row], sn_particle_position(b->world, b->particle)) - (double)now.offset[row];
}

/* The conditions of the problem after one pass of a step h: the particle went x - x_predicted = w sum lambda normal; an
   equality has C + a lambda = 0; an inequality has lambda >= 0 and C + a lambda >= 0, one of the two with equality. */
static void check_conditions(const block *b, double compliance, double h, double tolerance)
{
    sn_force force = sn_constraint_force(b->world, b->constraint);
    sn_vec3 x = sn_particle_position(b->world, b->particle);
    double push[3] = {0}, size = 0;
    for (uint32_t r = 0; r < b->rows; ++r) {
        double lambda = (double)force.row[r] * h * h;
        push[0] += lambda * (double)now.normal[r].x;
        push[1] += lambda * (double)now.normal[r].y;
        push[2] += b->dimensions == 2 ? 0 : lambda * (double)now.normal[r].z;
        size = fmax(size, fabs(lambda));
    }
    const double moved[3] = {(double)x.x - (double)b->x.x - h * (double)b->v.x,
                             (double)x.y - (double)b->x.y - h * (double)b->v.y,
                             (double)x.z - (double)b->x.z - h * (double)b->v.z};
    for (uint32_t axis = 0; axis < 3; ++axis)
        assert_close(moved[axis], push[axis] / b->mass, tolerance * (1 + size / b->mass));
    for (uint32_t r = 0; r < b->rows; ++r) {
        double lambda = (double)force.row[r] * h * h, rest = value_of(b, r) + compliance / (h * h) * lambda;
        double allowed = tolerance * (1 + compliance / (h * h) * size);
        if (!is_inequality(b, r)) {
            assert_close(rest, 0, allowed);
            continue;
        }
        assert_true(lambda >= 0);
        assert_true(rest >= -allowed);
        assert_true(lambda == 0 || rest <= allowed);
    }
}

enum { BLOCKS = 4000 };

#define BLOCK_TOLERANCE EXACTNESS(2e-5, 1e-12)

/* ---- Tests ---------------------------------------------------------------------------------------------------------- */

/* Rigid: after one pass every row holds, none pulls that may only push, and what is not needed does not push. */
static void rigid_blocks_are_solved_in_one_pass(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
        sn_world *world = planes_world(dimensions);
        uint32_t pushed = 0;
        for (uint32_t n = 0; n < BLOCKS; ++n) {
            block b = random_block(world, &seed, dimensions);
            build(&b, (sn_material){0, 0}, 1, 0.5);
            check_conditions(&b, 0, 0.5, BLOCK_TOLERANCE);
            pushed += sn_constraint_force(world, b.constraint).magnitude > 0;
            clear(&b);
        }
        assert_true(pushed > BLOCKS / 2);
        sn_world_destroy(world);
    }
}

/* Compliant: the same with C + compliance * force in the place of C; further passes change nothing any more. */
static void compliant_blocks_are_solved_in_one_pass(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (uint32_t dimensions = 2; dimensions <= 3; ++dimensions) {
        sn_world *world = planes_world(dimensions);
        for (uint32_t n = 0; n < BLOCKS; ++n) {
            block b = random_block(world, &seed, dimensions);
            double compliance = n % 2 ? 0.1 : 2;
            build(&b, (sn_material){real(compliance), 0}, 1 + n % 3, 0.5);
            check_conditions(&b, (double)real(compliance), 0.5, 4 * BLOCK_TOLERANCE);
            clear(&b);
        }
        sn_world_destroy(world);
    }
}

/* Moving particles: what counts is where they would be, not where they were. */
static void predicted_places_count(void **state)
{
    (void)state;
    uint64_t seed = 3;
    sn_world *world = planes_world(3);
    for (uint32_t n = 0; n < BLOCKS; ++n) {
        block b = random_block(world, &seed, 3);
        b.v = random_place(&seed, 3, 3);
        build(&b, (sn_material){0, 0}, 1, 0.5);
        check_conditions(&b, 0, 0.5, 2 * BLOCK_TOLERANCE);
        clear(&b);
    }
    sn_world_destroy(world);
}

/* The order in which the rows of a block are written does not matter. */
static void order_of_rows_does_not_matter(void **state)
{
    (void)state;
    uint64_t seed = 4;
    sn_world *world = planes_world(3);
    for (uint32_t n = 0; n < BLOCKS / 4; ++n) {
        block b = random_block(world, &seed, 3);
        build(&b, (sn_material){0, 0}, 1, 1);
        sn_vec3 x = sn_particle_position(world, b.particle);
        clear(&b);
        block turned = b;
        planes before = now;
        turned.inequality = 0;
        for (uint32_t r = 0; r < b.rows; ++r) {
            uint32_t from = (r + 1 + n) % b.rows;
            now.normal[r] = before.normal[from];
            now.offset[r] = before.offset[from];
            turned.inequality |= (uint32_t)is_inequality(&b, from) << r;
        }
        build(&turned, (sn_material){0, 0}, 1, 1);
        assert_vec_close(sn_particle_position(world, turned.particle), x, 4 * BLOCK_TOLERANCE);
        clear(&turned);
    }
    sn_world_destroy(world);
}

static block two_planes(sn_world *world, sn_vec3 first, double first_offset, sn_vec3 second, double second_offset,
                        uint32_t inequality)
{
    now.normal[0] = first;
    now.offset[0] = real(first_offset);
    now.normal[1] = second;
    now.offset[1] = real(second_offset);
    block b = {.world = world, .dimensions = 3, .rows = 2, .inequality = inequality, .mass = 1};
    return b;
}

/* A wedge that opens upwards, and a particle below it, nearer to one side: both sides are violated, but to leave
   through both at once would be to go too far; pushing out of one of them is enough. */
static void no_side_of_a_wedge_pulls(void **state)
{
    (void)state;
    sn_world *world = planes_world(3);
    /* x + 3 y >= 0 and y >= 0 from (-1, -1, 0): out of the first by 0.4 (1, 3), which is beyond the second */
    block b = two_planes(world, vec(1, 3, 0), 0, vec(0, 1, 0), 0, 3);
    b.x = vec(-1, -1, 0);
    build(&b, (sn_material){0, 0}, 1, 1);
    sn_force force = sn_constraint_force(world, b.constraint);
    assert_vec_close(sn_particle_position(world, b.particle), vec(-0.6, 0.2, 0), BLOCK_TOLERANCE);
    assert_close(force.row[0], 0.4, BLOCK_TOLERANCE);
    assert_true(force.row[1] == 0);
    clear(&b);
    sn_world_destroy(world);
}

/* An equality that leads out of an inequality that is not violated yet: one pass satisfies both. */
static void equalities_do_not_violate_inequalities(void **state)
{
    (void)state;
    sn_world *world = planes_world(3);
    /* x = 0 and y - x >= 0.5 from (-1, 0, 0), where the second holds: to (0, 0.5, 0) */
    block b = two_planes(world, vec(1, 0, 0), 0, vec(-1, 1, 0), 0.5, 2);
    b.x = vec(-1, 0, 0);
    build(&b, (sn_material){0, 0}, 1, 1);
    assert_vec_close(sn_particle_position(world, b.particle), vec(0, 0.5, 0), BLOCK_TOLERANCE);
    check_conditions(&b, 0, 1, BLOCK_TOLERANCE);
    clear(&b);
    sn_world_destroy(world);
}

/* The damper of an inequality is part of its bumper: it does nothing while C > 0, neither alone nor next to an equality
   whose correction leads towards the limit without reaching it. */
static void dampers_wait_for_contact(void **state)
{
    (void)state;
    sn_world *world = planes_world(3);
    const double h = 0.1;
    for (uint32_t n = 0; n < 3; ++n) {
        block b = two_planes(world, vec(1, 0, 0), 0, vec(-1, 1, 0), -3, n == 0 ? 3 : 2);
        b.x = vec(n == 0 ? 0.5 : -1, 0, 0); /* y - x >= -3 by far; x = 0, or x >= 0, which holds */
        b.v = vec(0, -5, 0);                /* towards the limit, half a metre in this step */
        build(&b, (sn_material){real(0.001), real(1e5)}, 1 + n, h);
        sn_force force = sn_constraint_force(world, b.constraint);
        assert_true(value_of(&b, 1) > 0.5);
        assert_true(force.row[1] == 0);
        assert_true(n == 0 ? force.row[0] == 0 : force.row[0] > 0);
        clear(&b);
    }
    sn_world_destroy(world);
}

/* Rows that say the same share nothing and break nothing: three times the same plane is that plane. */
static void repeated_rows_are_one_row(void **state)
{
    (void)state;
    sn_world *world = planes_world(3);
    for (uint32_t inequality = 0; inequality < 8; ++inequality) {
        for (uint32_t r = 0; r < 3; ++r) {
            now.normal[r] = vec(0, 2, 0);
            now.offset[r] = 1;
        }
        block b = {.world = world, .dimensions = 3, .rows = 3, .inequality = inequality, .mass = 2, .x = vec(1, -1, 2)};
        build(&b, (sn_material){0, 0}, 1, 1);
        assert_vec_close(sn_particle_position(world, b.particle), vec(1, 0.5, 2), BLOCK_TOLERANCE);
        check_conditions(&b, 0, 1, BLOCK_TOLERANCE);
        clear(&b);
    }
    sn_world_destroy(world);
}

/* Contradictory rows have no solution; the particle stays finite and in their neighbourhood. */
static void contradictions_stay_bounded(void **state)
{
    (void)state;
    uint64_t seed = 5;
    sn_world *world = planes_world(3);
    for (uint32_t n = 0; n < BLOCKS; ++n) {
        block b = random_block(world, &seed, 3);
        for (uint32_t r = 0; r < b.rows; ++r)
            now.offset[r] += real(support_random_in(&seed, -0.5, 0.5));
        if (b.rows > 1) { /* and two of them outright */
            sn_vec3 n0 = now.normal[0];
            now.normal[1] = (sn_vec3){-n0.x, -n0.y, -n0.z};
            now.offset[1] = 1 - now.offset[0];
        }
        build(&b, (sn_material){0, 0}, 20, 1);
        assert_true(support_is_finite(sn_particle_position(world, b.particle)));
        sn_force force = sn_constraint_force(world, b.constraint);
        for (uint32_t r = 0; r < b.rows; ++r)
            assert_true(!is_inequality(&b, r) || force.row[r] >= 0);
        clear(&b);
    }
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_blocks_are_solved_in_one_pass),
        cmocka_unit_test(compliant_blocks_are_solved_in_one_pass),
        cmocka_unit_test(predicted_places_count),
        cmocka_unit_test(order_of_rows_does_not_matter),
        cmocka_unit_test(no_side_of_a_wedge_pulls),
        cmocka_unit_test(equalities_do_not_violate_inequalities),
        cmocka_unit_test(dampers_wait_for_contact),
        cmocka_unit_test(repeated_rows_are_one_row),
        cmocka_unit_test(contradictions_stay_bounded),
    };
    return cmocka_run_group_tests_name("blocks of rows", tests, NULL, NULL);
}
