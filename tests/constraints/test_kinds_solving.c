/* Every kind of the table under the solver: the row formula, momentum, rest, inequalities, orders, stiffness and
   compliance. All of it in empty space, in a scene of about a metre, so that nothing but the constraint acts. */
#include "kind_cases.h"

/* ---- The row formula, computed independently -------------------------------------------------------------------- */

/* What one projection is expected to do: rows with their multipliers, and the displacement of every particle. */
typedef struct projection {
    uint32_t rows; /* that took part */
    uint32_t row[SN_MAX_ROWS];
    double gradient[SN_MAX_ROWS][CASE_PARTICLES][3];
    double dlambda[SN_MAX_ROWS];
    double d[CASE_PARTICLES][3];
} projection;

/* Gaussian elimination with pivots by size; an unknown without a pivot (a coordinate that is locked) gets 0. */
static void solve_dense(uint32_t n, double (*a)[SN_MAX_ROWS], double *b, double *x)
{
    bool used[SN_MAX_ROWS] = {false};
    uint32_t pivot_of[SN_MAX_ROWS];
    for (uint32_t column = 0; column < n; ++column) {
        uint32_t best = n;
        for (uint32_t r = 0; r < n; ++r)
            if (!used[r] && fabs(a[r][column]) > 1e-9 && (best == n || fabs(a[r][column]) > fabs(a[best][column])))
                best = r;
        pivot_of[column] = best;
        if (best == n)
            continue;
        used[best] = true;
        for (uint32_t r = 0; r < n; ++r) {
            double factor = r == best ? 0 : a[r][column] / a[best][column];
            for (uint32_t c = 0; c < n; ++c)
                a[r][c] -= factor * a[best][c];
            b[r] -= factor * b[best];
        }
    }
    for (uint32_t column = 0; column < n; ++column)
        x[column] = pivot_of[column] == n ? 0 : b[pivot_of[column]] / a[pivot_of[column]][column];
}

/* One pass of a substep h that begins with velocities v (NULL: at rest):
       [(1 + g) J W J^T + a] dlambda = -C - g J (x - x0),  a = compliance / h^2,  g = compliance * damping / h
   over the equalities and the violated inequalities, with C and J at the predicted positions (Macklin, Mueller and
   Chentanez 2016, equations 18 and 26). False where an inequality would pull. */
static bool expect_projection(const kind_case *k, double h, double (*v)[3], sn_material material, double stiffness,
                              projection *p)
{
    case_value value;
    sn_vec3 x[CASE_PARTICLES];
    double a[SN_MAX_ROWS][SN_MAX_ROWS], b[SN_MAX_ROWS];
    double alpha = (double)material.compliance / (h * h);
    double gamma = (double)material.compliance * (double)material.damping / h;
    memset(p, 0, sizeof(*p));
    for (uint32_t i = 0; i < k->particles; ++i) {
        for (uint32_t axis = 0; v && axis < 3; ++axis)
            p->d[i][axis] = h * v[i][axis];
        x[i] = vec((double)k->x[i].x + p->d[i][0], (double)k->x[i].y + p->d[i][1], (double)k->x[i].z + p->d[i][2]);
    }
    if (!evaluate_at(k, x, &value))
        return false;
    for (uint32_t row = 0; row < k->kind->rows; ++row)
        if (!is_inequality(k->kind, row) || value.c[row] < 0) {
            gather_row(k, &value, row, p->gradient[p->rows]);
            p->row[p->rows++] = row;
        }
    for (uint32_t r = 0; r < p->rows; ++r) {
        b[r] = -(double)value.c[p->row[r]];
        for (uint32_t i = 0; i < k->particles; ++i)
            b[r] -= gamma * dot3(p->gradient[r][i], p->d[i]);
        for (uint32_t s = 0; s < p->rows; ++s)
            a[r][s] = (1 + gamma) * weighted_product(k, p->gradient[r], p->gradient[s]) + (r == s ? alpha : 0);
    }
    solve_dense(p->rows, a, b, p->dlambda);
    for (uint32_t r = 0; r < p->rows; ++r) {
        if (is_inequality(k->kind, p->row[r]) && p->dlambda[r] < 0)
            return false;
        p->dlambda[r] *= stiffness;
        for (uint32_t i = 0; i < k->particles; ++i)
            for (uint32_t axis = 0; axis < 3; ++axis)
                p->d[i][axis] += p->gradient[r][i][axis] * p->dlambda[r] / k->mass[i];
    }
    return true;
}

/* The world moved as expected in its one substep, and says so of its forces. */
static void check_projection(const kind_case *k, double h, const projection *p)
{
    double largest = 0.01;
    for (uint32_t i = 0; i < k->particles; ++i)
        largest = fmax(largest, sqrt(dot3(p->d[i], p->d[i])));
    double tolerance = EXACTNESS(3e-5, 1e-12) * largest;
    for (uint32_t i = 0; i < k->particles; ++i) {
        double moved[3];
        displacement(k, i, moved);
        sn_vec3 x = sn_particle_position(k->world, k->handle[i]);
        for (uint32_t axis = 0; axis < 3; ++axis) {
            assert_close(moved[axis] * h, p->d[i][axis], tolerance);
            assert_close(*component(&x, axis), (double)*component((sn_vec3 *)&k->x[i], axis) + p->d[i][axis],
                         tolerance);
        }
    }
    sn_force force = sn_constraint_force(k->world, k->constraint);
    assert_int_equal(force.rows, k->kind->rows);
    double expected[SN_MAX_ROWS] = {0}, squares = 0;
    for (uint32_t r = 0; r < p->rows; ++r)
        expected[p->row[r]] = p->dlambda[r] / (h * h);
    for (uint32_t row = 0; row < k->kind->rows; ++row)
        squares += expected[row] * expected[row];
    tolerance = EXACTNESS(2e-5, 1e-12) * sqrt(squares) + EXACTNESS(5e-6, 1e-14) / (h * h); /* kg m: round-off of m C */
    for (uint32_t row = 0; row < k->kind->rows; ++row)
        assert_close(force.row[row], expected[row], tolerance);
    assert_close(force.magnitude, sqrt(squares), tolerance);
}

enum { PROJECTIONS = 20 };

static void check_row_formula(const case_subject *s, uint32_t dimensions, sn_material material, double h, double speed)
{
    uint64_t seed = case_seed(s);
    uint32_t compared = 0;
    for (uint32_t n = 0; n < PROJECTIONS; ++n) {
        kind_case k = violated_case(s->kinds, s->number, s->layout, dimensions, &seed);
        double v[CASE_PARTICLES][3] = {{0}}, stiffness = n % 2 ? 1 : 0.3;
        case_build(&k, &material, stiffness);
        for (uint32_t i = 0; i < k.particles; ++i) {
            sn_vec3 velocity = random_place(&seed, dimensions, speed);
            assert_ok(k.world, sn_particle_set_velocity(k.world, k.handle[i], velocity));
            displacement(&k, i, v[i]);
        }
        projection expected;
        if (expect_projection(&k, h, v, material, stiffness, &expected)) {
            assert_ok(k.world, sn_world_step(k.world, (sn_real)h));
            check_projection(&k, h, &expected);
            ++compared;
        }
        case_destroy(&k);
    }
    assert_in_range(compared, PROJECTIONS / 4, PROJECTIONS);
}

static void row_formula_rigid(const case_subject *s)
{
    check_row_formula(s, 3, (sn_material){0, 0}, 0.25, 0.5);
}

static void row_formula_compliant(const case_subject *s)
{
    check_row_formula(s, 3, (sn_material){real(0.05), 0}, 0.25, 0.5);
}

static void row_formula_damped(const case_subject *s)
{
    check_row_formula(s, 3, (sn_material){real(0.05), real(7)}, 0.25, 0.5);
}

static void row_formula_in_2d(const case_subject *s)
{
    if (s->kind->spatial)
        return;
    check_row_formula(s, 2, (sn_material){0, 0}, 0.25, 0.5);
    check_row_formula(s, 2, (sn_material){real(0.05), real(7)}, 0.25, 0.5);
}

/* ---- Momentum --------------------------------------------------------------------------------------------------- */

typedef struct momenta {
    double linear[3], angular[3];
    double size, turn; /* sums of |m dx| and |x||m dx|, to measure the others by */
} momenta;

/* sum of m dx and of x x m dx over a step of one second from rest. x is where the projection began. */
static momenta momenta_of(const kind_case *k)
{
    momenta sum = {{0}, {0}, 0, 0};
    for (uint32_t i = 0; i < k->particles; ++i) {
        double x[3] = {(double)k->x[i].x, (double)k->x[i].y, (double)k->x[i].z}, p[3];
        displacement(k, i, p);
        for (uint32_t axis = 0; axis < 3; ++axis)
            p[axis] *= k->mass[i];
        for (uint32_t axis = 0; axis < 3; ++axis) {
            uint32_t b = (axis + 1) % 3, c = (axis + 2) % 3;
            sum.linear[axis] += p[axis];
            sum.angular[axis] += x[b] * p[c] - x[c] * p[b];
        }
        sum.size += sqrt(dot3(p, p));
        sum.turn += sqrt(dot3(p, p) * dot3(x, x));
    }
    return sum;
}

/* sum m dx = 0 and sum x x m dx = 0 for internal kinds, whatever the masses (lecture 001). */
static void projections_keep_momentum(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; s->kind->internal && n < PROJECTIONS; ++n) {
        kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
        case_build(&k, n % 2 ? &(sn_material){real(0.2), 0} : NULL, 1);
        assert_ok(k.world, sn_world_step(k.world, 1));
        momenta sum = momenta_of(&k);
        double tolerance = EXACTNESS(2e-6, 1e-14);
        assert_true(sum.size > 0.01);
        assert_true(sqrt(dot3(sum.linear, sum.linear)) <= tolerance * sum.size);
        if (is_isotropic(s->kind))
            assert_true(sqrt(dot3(sum.angular, sum.angular)) <= 2 * tolerance * sum.turn);
        sn_report report;
        assert_ok(k.world, sn_world_report(k.world, &report));
        assert_true(sqrt(dot3(report.momentum, report.momentum)) <= tolerance * sum.size);
        case_destroy(&k);
    }
}

/* A pass over many rows of one constraint keeps momentum pass by pass; so do many passes. */
static void many_passes_keep_momentum(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; s->kind->internal && n < PROJECTIONS; ++n) {
        kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
        case_build(&k, NULL, 0.7);
        case_configure(&k, SN_ORDER_SYMMETRIC, 10, 1);
        assert_ok(k.world, sn_world_step(k.world, 1));
        momenta sum = momenta_of(&k);
        assert_true(sqrt(dot3(sum.linear, sum.linear)) <= EXACTNESS(5e-6, 1e-14) * sum.size);
        case_destroy(&k);
    }
}

/* ---- Rest ------------------------------------------------------------------------------------------------------- */

static void check_nothing_moves(const kind_case *k)
{
    case_value value;
    bool exact = evaluate_at(k, k->x, &value) && largest_miss(k->kind, &value) == 0 && k->count[0] == 1;
    for (uint32_t i = 0; i < k->particles; ++i) {
        sn_vec3 x = sn_particle_position(k->world, k->handle[i]);
        if (exact)
            assert_vec_same(x, k->x[i]);
        else
            assert_vec_close(x, k->x[i], EXACTNESS(5e-6, 1e-14));
    }
}

/* A satisfied constraint leaves its particles where they are, bit for bit where it holds particles rather than spots, in
   every order, rigid or soft. */
static void satisfied_moves_nothing(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; n < 4 * PROJECTIONS; ++n) {
        kind_case k = satisfied_case(s->kinds, s->number, s->layout, case_dimensions(s, n / 2), &seed);
        case_build(&k, n % 2 ? &(sn_material){real(0.01), 1} : NULL, 1);
        case_configure(&k, (sn_order)(n % 3), 5, 3);
        assert_ok(k.world, sn_world_step(k.world, real(0.01)));
        check_nothing_moves(&k);
        case_destroy(&k);
    }
}

/* The same with everything measured by the engine rather than here. Kinds that cannot measure all are left out. */
static void measured_by_the_world_moves_nothing(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; n < PROJECTIONS && s->kind->measure; ++n) {
        kind_case k = satisfied_case(s->kinds, s->number, s->layout, 3, &seed);
        for (uint32_t i = 0; i < SN_MAX_PARAMS; ++i)
            k.param[i] = SN_MEASURE;
        for (uint32_t i = 0; i < k.particles; ++i) /* far from the origin, where differences have few digits */
            k.x[i] = vec((double)k.x[i].x + 1000, (double)k.x[i].y - 3000, (double)k.x[i].z + 500);
        case_build(&k, NULL, 1);
        assert_true(largest_value_miss(&k) == 0);
        assert_ok(k.world, sn_world_step(k.world, real(0.01)));
        for (uint32_t i = 0; i < k.particles; ++i)
            assert_vec_same(sn_particle_position(k.world, k.handle[i]), k.x[i]);
        case_destroy(&k);
    }
}

/* ---- Inequalities ----------------------------------------------------------------------------------------------- */

/* Smallest C of the inequality rows, by the engine. */
static double slack(const kind_case *k)
{
    sn_real c[SN_MAX_ROWS];
    double least = INFINITY;
    assert_ok(k->world, sn_constraint_value(k->world, k->constraint, c));
    for (uint32_t row = 0; row < k->kind->rows; ++row)
        if (is_inequality(k->kind, row))
            least = fmin(least, (double)c[row]);
    return least;
}

/* A state in which every inequality has room. False where there is none: a band between two equal lengths. */
static bool make_room(kind_case *k, uint64_t *seed)
{
    for (uint32_t attempt = 0; attempt < 200; ++attempt) {
        kind_case trial = *k;
        case_value value;
        for (uint32_t i = 0; i < k->particles; ++i) {
            sn_vec3 d = random_place(seed, k->dimensions, 0.4);
            trial.x[i] =
                vec((double)k->x[i].x + (double)d.x, (double)k->x[i].y + (double)d.y, (double)k->x[i].z + (double)d.z);
        }
        bool room = evaluate_at(&trial, trial.x, &value);
        for (uint32_t row = 0; row < k->kind->rows; ++row)
            room = room && is_inequality(k->kind, row) && value.c[row] > real(0.02);
        if (room) {
            *k = trial;
            return true;
        }
    }
    return false;
}

/* Where there is room, particles fly on as if there were no constraint, bit for bit, and no force is read. */
static void inequalities_leave_room_alone(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; n < PROJECTIONS; ++n) {
        kind_case k = satisfied_case(s->kinds, s->number, s->layout, 3, &seed);
        if (!make_room(&k, &seed))
            continue;
        case_build(&k, n % 2 ? &(sn_material){real(0.01), 1} : NULL, 1);
        sn_world *free_world = case_world(3);
        for (uint32_t i = 0; i < k.particles; ++i) {
            sn_vec3 v = random_place(&seed, 3, 0.1);
            sn_particle twin = sn_add_particle(free_world, k.x[i], (sn_real)k.mass[i]);
            assert_ok(k.world, sn_particle_set_velocity(k.world, k.handle[i], v));
            assert_ok(free_world, sn_particle_set_velocity(free_world, twin, v));
        }
        support_run(k.world, 3, 0.01);
        support_run(free_world, 3, 0.01);
        for (uint32_t i = 0; i < k.particles; ++i)
            assert_vec_same(sn_particle_position(k.world, k.handle[i]),
                            sn_particle_position(free_world, sn_particle_from_index(free_world, i)));
        assert_true(sn_constraint_force(k.world, k.constraint).magnitude == 0);
        sn_world_destroy(free_world);
        case_destroy(&k);
    }
}

/* Violated, they push until satisfied and never pull: the multiplier of an inequality is not negative. */
static void inequalities_push_only(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; s->kind->inequality && n < PROJECTIONS; ++n) {
        kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
        case_build(&k, n % 3 == 2 ? &(sn_material){real(0.05), 1} : NULL, 1);
        case_configure(&k, (sn_order)(n % 3), 50, 1);
        double before = slack(&k);
        assert_ok(k.world, sn_world_step(k.world, 1));
        sn_force force = sn_constraint_force(k.world, k.constraint);
        for (uint32_t row = 0; row < k.kind->rows; ++row)
            assert_true(!is_inequality(k.kind, row) || force.row[row] >= 0);
        assert_true(before >= 0 || slack(&k) > before);
        if (n % 3 != 2)
            assert_true(slack(&k) > -EXACTNESS(1e-5, 1e-13));
        case_destroy(&k);
    }
}

/* ---- Orders ----------------------------------------------------------------------------------------------------- */

/* Newton's method on one constraint gets there in a few passes, whatever the order of the passes is called. */
static void every_order_converges(const case_subject *s)
{
    static const sn_order orders[] = {SN_ORDER_INSERTION, SN_ORDER_SYMMETRIC, SN_ORDER_WORST_FIRST};
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; n < PROJECTIONS; ++n)
        for (size_t o = 0; o < COUNT_OF(orders); ++o) {
            kind_case k = violated_case(s->kinds, s->number, s->layout, case_dimensions(s, n), &seed);
            case_build(&k, NULL, 1);
            case_configure(&k, orders[o], 50, 1);
            assert_true(largest_value_miss(&k) > 0.02);
            assert_ok(k.world, sn_world_step(k.world, 1));
            assert_true(largest_value_miss(&k) <= EXACTNESS(1e-5, 1e-13));
            case_destroy(&k);
        }
}

/* ---- Stiffness -------------------------------------------------------------------------------------------------- */

/* One projection with stiffness k moves the k-th part of what one with stiffness 1 moves. */
static void stiffness_is_a_share(const case_subject *s)
{
    static const double shares[] = {0, 0.25, 0.5, 0.9};
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; n < PROJECTIONS; ++n) {
        kind_case whole = violated_case(s->kinds, s->number, s->layout, 3, &seed), part = whole;
        double share = shares[n % COUNT_OF(shares)];
        case_build(&whole, NULL, 1);
        case_build(&part, NULL, share);
        assert_ok(whole.world, sn_world_step(whole.world, 1));
        assert_ok(part.world, sn_world_step(part.world, 1));
        for (uint32_t i = 0; i < whole.particles; ++i) {
            double all[3], some[3];
            displacement(&whole, i, all);
            displacement(&part, i, some);
            for (uint32_t axis = 0; axis < 3; ++axis)
                assert_close(some[axis], share * all[axis], EXACTNESS(1e-6, 1e-15));
        }
        case_destroy(&whole);
        case_destroy(&part);
    }
}

/* ---- Compliance ------------------------------------------------------------------------------------------------- */

/* lambda accumulates over the passes of a substep. A pass that began from 0 again would project once more what is
   balanced already, and fifty of them would make a spring rigid (the trap of resetting lambda). */
static void passes_do_not_stiffen(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    const sn_material material = {real(0.5), 0};
    for (uint32_t n = 0; n < PROJECTIONS; ++n) {
        kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
        case_build(&k, &material, 1);
        case_configure(&k, (sn_order)(n % 3), 50, 1);
        assert_ok(k.world, sn_world_step(k.world, 1));
        sn_real c[SN_MAX_ROWS];
        sn_force force = sn_constraint_force(k.world, k.constraint);
        assert_true(force.magnitude > 0);
        assert_ok(k.world, sn_constraint_value(k.world, k.constraint, c));
        for (uint32_t row = 0; row < k.kind->rows; ++row)
            if (!is_inequality(k.kind, row) || force.row[row] > 0)
                assert_close(c[row], -0.5 * (double)force.row[row], EXACTNESS(1e-5, 1e-13));
        case_destroy(&k);
    }
}

enum { SETTLE_FRAMES = 150 };

#define SETTLE_COMPLIANCE 1e-3 /* unit of C per N */
#define SETTLE_DEFLECTION 1e-2 /* m: how far the load moves the particle in a scene of a metre */
#define SETTLE_DAMPING    60   /* 1/s: about critical, so that it comes to rest soon */

/* A load on one particle that deflects one row of the constraint. */
typedef struct load {
    uint32_t row, particle;
    double lambda;   /* of the constraint at rest */
    double force[3]; /* on the particle */
} load;

/* The particle by which the row can be deflected best. */
static uint32_t best_handle(const kind_case *k, double (*gradient)[3])
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < k->particles; ++i)
        if (dot3(gradient[i], gradient[i]) > dot3(gradient[best], gradient[best]))
            best = i;
    return best;
}

/* Loads a case whose row is at C = 0: f = -lambda grad C pulls on one particle (on an inequality it presses), and all
   others are held. Only one is free, because the rest of a triangle that keeps its area, say, is free to be sheared.
   Its mass is |grad C|^2 kg, which gives every kind the same period. False where the row cannot be brought to its
   limit. */
static bool make_load(kind_case *k, uint32_t row, load *l)
{
    double g[CASE_PARTICLES][3];
    case_value value;
    if (!evaluate_at(k, k->x, &value))
        return false;
    gather_row(k, &value, row, g);
    l->row = row;
    l->particle = best_handle(k, g);
    for (uint32_t i = 0; i < k->particles; ++i)
        k->mass[i] = i == l->particle ? 1 : (double)INFINITY;
    zero_row(k, row);
    if (!evaluate_at(k, k->x, &value) || largest_miss(k->kind, &value) > 1e-5 || fabs((double)value.c[row]) > 1e-5)
        return false;
    gather_row(k, &value, row, g);
    double square = dot3(g[l->particle], g[l->particle]);
    l->lambda = SETTLE_DEFLECTION * sqrt(square) / SETTLE_COMPLIANCE * (is_inequality(k->kind, row) ? 1 : -1);
    for (uint32_t axis = 0; axis < 3; ++axis)
        l->force[axis] = -l->lambda * g[l->particle][axis];
    k->mass[l->particle] = square;
    return square > 1e-4;
}

/* Steps under the load until the case rests. */
static void settle(const kind_case *k, const load *l, uint32_t iterations, uint32_t substeps)
{
    case_configure(k, SN_ORDER_INSERTION, iterations, substeps);
    sn_settings settings = sn_world_settings(k->world);
    settings.damping = SETTLE_DAMPING;
    assert_ok(k->world, sn_world_configure(k->world, &settings));
    for (uint32_t frame = 0; frame < SETTLE_FRAMES; ++frame) {
        sn_vec3 force = vec(l->force[0], l->force[1], l->force[2]);
        assert_ok(k->world, sn_particle_add_force(k->world, k->handle[l->particle], force));
        assert_ok(k->world, sn_world_step(k->world, real(1.0 / 60)));
    }
}

/* At rest C = -compliance * force, and the force balances the load. Returns where the loaded particle rests. */
static sn_vec3 check_equilibrium(const kind_case *k, const load *l)
{
    sn_real c[SN_MAX_ROWS];
    double deflection = SETTLE_COMPLIANCE * fabs(l->lambda);
    sn_force force = sn_constraint_force(k->world, k->constraint);
    assert_ok(k->world, sn_constraint_value(k->world, k->constraint, c));
    for (uint32_t row = 0; row < k->kind->rows; ++row)
        if (!is_inequality(k->kind, row) || row == l->row)
            assert_close(c[row], -SETTLE_COMPLIANCE * (double)force.row[row], 2e-3 * deflection);
    assert_close(force.row[l->row], l->lambda, 0.05 * fabs(l->lambda));
    assert_true((double)case_length(sn_particle_velocity(k->world, k->handle[l->particle])) < 1e-3);
    return sn_particle_position(k->world, k->handle[l->particle]);
}

/* A case of the subject with a load on the row. */
static kind_case loaded_case(const case_subject *s, uint64_t *seed, uint32_t row, load *l)
{
    for (uint32_t attempt = 0; attempt < 1000; ++attempt) {
        kind_case k = satisfied_case(s->kinds, s->number, s->layout, 3, seed);
        if (make_load(&k, row, l))
            return k;
    }
    fail_msg("no state found in which row %u of %s can be loaded", row, s->kind->name);
    return (kind_case){0};
}

/* How far a load deflects a compliant constraint depends on neither passes nor substeps. */
static void equilibrium_is_independent_of_passes(const case_subject *s)
{
    static const uint32_t passes[][2] = {{10, 10}, {10, 1}, {50, 1}, {1, 10}, {1, 40}};
    uint64_t seed = case_seed(s);
    const sn_material material = {real(SETTLE_COMPLIANCE), 0};
    for (uint32_t row = 0; row < s->kind->rows; ++row) {
        load l = {0, 0, 0, {0}};
        kind_case k = loaded_case(s, &seed, row, &l);
        sn_vec3 rest = {0, 0, 0};
        for (size_t n = 0; n < COUNT_OF(passes); ++n) {
            case_build(&k, &material, 1);
            settle(&k, &l, passes[n][0], passes[n][1]);
            sn_vec3 x = check_equilibrium(&k, &l);
            if (n > 0)
                assert_vec_close(x, rest, 0.01 * SETTLE_DEFLECTION);
            rest = n > 0 ? rest : x;
            case_destroy(&k);
        }
    }
}

int main(void)
{
    static const case_entry entries[] = {
        {"row formula, rigid", row_formula_rigid, true},
        {"row formula, compliant", row_formula_compliant, true},
        {"row formula, damped", row_formula_damped, true},
        {"row formula in 2D", row_formula_in_2d, true},
        {"projections keep momentum", projections_keep_momentum, true},
        {"many passes keep momentum", many_passes_keep_momentum, true},
        {"satisfied moves nothing", satisfied_moves_nothing, true},
        {"measured by the world moves nothing", measured_by_the_world_moves_nothing, false},
        {"inequalities leave room alone", inequalities_leave_room_alone, true},
        {"inequalities push only", inequalities_push_only, true},
        {"every order converges", every_order_converges, true},
        {"stiffness is a share", stiffness_is_a_share, true},
        {"passes do not stiffen", passes_do_not_stiffen, true},
        {"equilibrium is independent of passes", equilibrium_is_independent_of_passes, true},
    };
    return run_for_every_kind("kinds under the solver", entries, COUNT_OF(entries));
}
