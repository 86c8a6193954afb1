/* Every kind of the table under the solver: the row formula, momentum, rest, inequalities, orders, stiffness and
   compliance. All of it in empty space, in a scene of about a metre, so that nothing but the constraint acts. */
#include "kind_cases.h"

/* ---- The row formula, computed independently -------------------------------------------------------------------- */

/* What one projection is expected to do: the gradients of the rows, and the displacement of every particle, by its
   velocity and by the constraint. Multipliers are not compared one by one: where rows say the same (the three of a
   collinear constraint have rank two) they are not unique, but what they do together is. */
typedef struct projection {
    double gradient[SN_MAX_ROWS][CASE_PARTICLES][3];
    double d[CASE_PARTICLES][3];
    double push[CASE_PARTICLES][3];
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

/* The equations of a block: A dlambda = b for rows that act, dlambda = 0 and A dlambda >= b for inequalities that do
   not. */
typedef struct equations {
    double a[SN_MAX_ROWS][SN_MAX_ROWS], b[SN_MAX_ROWS];
} equations;

/* Solves with the rows in `active` acting; returns by how much the worst of the other conditions is broken. */
static double solve_with(const sn_kind *kind, const equations *e, uint32_t active, double *dlambda)
{
    double a[SN_MAX_ROWS][SN_MAX_ROWS], b[SN_MAX_ROWS], x[SN_MAX_ROWS], broken = 0;
    uint32_t row_of[SN_MAX_ROWS], n = 0;
    for (uint32_t row = 0; row < kind->rows; ++row)
        if (active >> row & 1)
            row_of[n++] = row;
    for (uint32_t r = 0; r < n; ++r) {
        b[r] = e->b[row_of[r]];
        for (uint32_t c = 0; c < n; ++c)
            a[r][c] = e->a[row_of[r]][row_of[c]];
    }
    solve_dense(n, a, b, x);
    memset(dlambda, 0, SN_MAX_ROWS * sizeof(*dlambda));
    for (uint32_t r = 0; r < n; ++r) {
        dlambda[row_of[r]] = x[r];
        if (is_inequality(kind, row_of[r]))
            broken = fmax(broken, -x[r]);
    }
    for (uint32_t row = 0; row < kind->rows; ++row) {
        double missing = e->b[row];
        for (uint32_t c = 0; c < kind->rows; ++c)
            missing -= e->a[row][c] * dlambda[c];
        if (!(active >> row & 1))
            broken = fmax(broken, missing);
    }
    return broken;
}

/* One pass of a substep h that begins with velocities v (NULL: at rest):
       [(1 + g) J W J^T + a] dlambda = -C - g J (x - x0),  a = compliance / h^2,  g = compliance * damping / h
   with C and J at the predicted positions (Macklin, Mueller and Chentanez 2016, equations 18 and 26), over the equalities
   and those inequalities that push: of all sets of them the one for which no multiplier is negative and none that is left
   out is violated. Damping by itself violates nothing: an inequality with C >= 0 asks for C + J dx >= 0. */
static bool expect_projection(const kind_case *k, double h, double (*v)[3], sn_material material, double stiffness,
                              projection *p)
{
    case_value value;
    sn_vec3 x[CASE_PARTICLES];
    equations e;
    double alpha = (double)material.compliance / (h * h), best[SN_MAX_ROWS] = {0}, least = INFINITY;
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
        gather_row(k, &value, row, p->gradient[row]);
    for (uint32_t r = 0; r < k->kind->rows; ++r) {
        double c = (double)value.c[r];
        e.b[r] = -c;
        for (uint32_t i = 0; i < k->particles; ++i)
            e.b[r] -= gamma * dot3(p->gradient[r][i], p->d[i]);
        if (is_inequality(k->kind, r) && c >= 0)
            e.b[r] = -(1 + gamma) * c;
        for (uint32_t s = 0; s < k->kind->rows; ++s)
            e.a[r][s] = (1 + gamma) * weighted_product(k, p->gradient[r], p->gradient[s]) + (r == s ? alpha : 0);
    }
    uint32_t all = (1u << k->kind->rows) - 1, equalities = all & ~k->kind->inequality;
    for (uint32_t active = 0; active <= all; ++active) {
        double dlambda[SN_MAX_ROWS], broken;
        if ((active & equalities) == equalities && (broken = solve_with(k->kind, &e, active, dlambda)) < least) {
            least = broken;
            memcpy(best, dlambda, sizeof(best));
        }
    }
    for (uint32_t row = 0; row < k->kind->rows; ++row)
        for (uint32_t i = 0; i < k->particles; ++i)
            for (uint32_t axis = 0; axis < 3; ++axis)
                p->push[i][axis] += p->gradient[row][i][axis] * stiffness * best[row] / k->mass[i];
    for (uint32_t i = 0; i < k->particles; ++i)
        for (uint32_t axis = 0; axis < 3; ++axis)
            p->d[i][axis] += p->push[i][axis];
    return true;
}

/* By how much the expectation changes if positions change by a last place: what rounding alone may do to this case,
   much where it is nearly degenerate. */
static double projection_doubt(const kind_case *k, double h, double (*v)[3], sn_material material, double stiffness,
                               const projection *p, uint64_t *seed)
{
    double doubt = 0;
    for (uint32_t attempt = 0; attempt < 4; ++attempt) {
        kind_case moved = *k;
        projection other;
        for (uint32_t i = 0; i < k->particles; ++i)
            for (uint32_t axis = 0; axis < 3 && !(axis == 2 && k->dimensions == 2); ++axis)
                *component(&moved.x[i], axis) += (sn_real)(support_random_in(seed, -2, 2) * EXACTNESS(1.2e-7, 2.2e-16));
        if (!expect_projection(&moved, h, v, material, stiffness, &other))
            return INFINITY;
        for (uint32_t i = 0; i < k->particles; ++i)
            for (uint32_t axis = 0; axis < 3; ++axis)
                doubt = fmax(doubt, fabs(other.push[i][axis] - p->push[i][axis]));
    }
    return doubt;
}

/* The world moved as expected in its one substep, and the forces that it reads out are what moved it. */
static void check_projection(const kind_case *k, double h, const projection *p, double doubt)
{
    double largest = 0.01;
    for (uint32_t i = 0; i < k->particles; ++i)
        largest = fmax(largest, sqrt(dot3(p->d[i], p->d[i])));
    double tolerance = EXACTNESS(3e-5, 1e-12) * largest + 8 * doubt;
    sn_force force = sn_constraint_force(k->world, k->constraint);
    assert_int_equal(force.rows, k->kind->rows);
    double squares = 0;
    for (uint32_t row = 0; row < k->kind->rows; ++row) {
        squares += (double)force.row[row] * (double)force.row[row];
        assert_true(!is_inequality(k->kind, row) || force.row[row] >= 0);
    }
    assert_close(force.magnitude, sqrt(squares), EXACTNESS(1e-6, 1e-15) * sqrt(squares));
    for (uint32_t i = 0; i < k->particles; ++i) {
        double moved[3];
        displacement(k, i, moved);
        sn_vec3 x = sn_particle_position(k->world, k->handle[i]);
        for (uint32_t axis = 0; axis < 3; ++axis) {
            assert_close(moved[axis] * h, p->d[i][axis], tolerance);
            assert_close(*component(&x, axis), (double)*component((sn_vec3 *)&k->x[i], axis) + p->d[i][axis],
                         tolerance + EXACTNESS(5e-7, 1e-15));
            double push = 0;
            for (uint32_t row = 0; row < k->kind->rows; ++row)
                push += (double)force.row[row] * h * h * p->gradient[row][i][axis] / k->mass[i];
            assert_close(push, p->push[i][axis], tolerance);
        }
    }
}

/* How many random cases of each kind and layout a test goes through. */
#define PROJECTIONS support_rounds(20, 4)

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
            double doubt = projection_doubt(&k, h, v, material, stiffness, &expected, &seed);
            assert_ok(k.world, sn_world_step(k.world, (sn_real)h));
            if (doubt < EXACTNESS(1e-3, 1e-9)) { /* not on the edge of a jump */
                check_projection(&k, h, &expected, doubt);
                ++compared;
            }
        }
        case_destroy(&k);
    }
    assert_in_range(compared, PROJECTIONS * 3 / 4, PROJECTIONS);
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
        assert_true(sum.size > 1e-3);
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
        case_configure(&k, n % 2 ? SUPPORT_TILED : SN_ORDER_SYMMETRIC, 10, 1);
        assert_ok(k.world, sn_world_step(k.world, 1));
        momenta sum = momenta_of(&k);
        assert_true(sqrt(dot3(sum.linear, sum.linear)) <= EXACTNESS(5e-6, 1e-14) * sum.size);
        case_destroy(&k);
    }
}

/* ---- Rest ------------------------------------------------------------------------------------------------------- */

static void check_nothing_moves(const kind_case *k, bool exact)
{
    double size = 1;
    for (uint32_t i = 0; i < k->particles; ++i)
        size = fmax(size, (double)case_length(k->x[i]));
    for (uint32_t i = 0; i < k->particles; ++i) {
        sn_vec3 x = sn_particle_position(k->world, k->handle[i]);
        if (exact)
            assert_vec_same(x, k->x[i]);
        else
            assert_vec_close(x, k->x[i], EXACTNESS(5e-6, 1e-14) * size);
    }
}

/* Whether C is exactly 0, by the engine, of a constraint that acts on particles and by C alone. */
static bool is_exact(const kind_case *k)
{
    return largest_value_miss(k) == 0 && k->count[0] == 1 && !k->kind->project;
}

/* A satisfied constraint leaves its particles where they are, bit for bit where it holds particles rather than spots,
   in every order, rigid or soft. */
static void satisfied_moves_nothing(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; n < 4 * PROJECTIONS; ++n) {
        kind_case k = satisfied_case(s->kinds, s->number, s->layout, case_dimensions(s, n / 2), &seed);
        case_build(&k, n % 2 ? &(sn_material){real(0.01), 1} : NULL, 1);
        case_configure(&k, (int)(n % SUPPORT_SWEEPS), 5, 3);
        bool exact = is_exact(&k);
        assert_ok(k.world, sn_world_step(k.world, real(0.01)));
        check_nothing_moves(&k, exact);
        case_destroy(&k);
    }
}

/* The same with everything measured by the engine rather than here that the kind can measure. */
static void measured_by_the_world_moves_nothing(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; n < PROJECTIONS && measures_its_rest(s->kind); ++n) {
        kind_case k = satisfied_case(s->kinds, s->number, s->layout, 3, &seed);
        sn_real measured[SN_MAX_PARAM_NUMBERS];
        sn_vec3 x[CASE_POINTS];
        for (uint32_t i = 0; i < k.particles; ++i) /* far from the origin, where differences have few digits */
            k.x[i] = vec((double)k.x[i].x + 1000, (double)k.x[i].y - 3000, (double)k.x[i].z + 500);
        points_of(&k, k.x, x);
        measure_params(s->kind, k.points, x, measured);
        for (uint32_t i = 0; i < SN_MAX_PARAM_NUMBERS; ++i)
            k.param[i] = measured[i] == SN_MEASURE ? k.param[i] : SN_MEASURE;
        case_build(&k, NULL, 1);
        assert_true(largest_value_miss(&k) == 0);
        assert_ok(k.world, sn_world_step(k.world, real(0.01)));
        check_nothing_moves(&k, is_exact(&k));
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

/* Whether every inequality has room, and equalities hold. */
static bool has_room(const kind_case *k, const sn_vec3 *x)
{
    case_value value;
    if (!evaluate_at(k, x, &value))
        return false;
    for (uint32_t row = 0; row < k->kind->rows; ++row)
        if (is_inequality(k->kind, row) ? value.c[row] < real(0.02) : fabs((double)value.c[row]) > 1e-5)
            return false;
    return true;
}

/* A state with room, with other positions, and with other parameters, as for a band between two equal lengths. False
   where none is found. */
static bool make_room(kind_case *k, uint64_t *seed)
{
    for (uint32_t attempt = 0; attempt < 500; ++attempt) {
        kind_case trial = *k;
        sn_real *value = trial.param;
        for (uint32_t i = 0; i < k->particles && attempt % 2; ++i) {
            sn_vec3 d = random_place(seed, k->dimensions, 0.4);
            trial.x[i] =
                vec((double)k->x[i].x + (double)d.x, (double)k->x[i].y + (double)d.y, (double)k->x[i].z + (double)d.z);
        }
        for (const sn_param *p = k->kind->param; p->name; value += param_numbers(p), ++p) {
            for (uint32_t i = 0; p->type != SN_PARAM_DIRECTION && i < param_numbers(p); ++i) {
                value[i] += (sn_real)support_random_in(seed, -0.4, 0.4);
                if (p->least != 0 || p->most != 0)
                    value[i] = value[i] < p->least ? p->least : value[i] > p->most ? p->most : value[i];
            }
        }
        if ((k->kind->check && k->kind->check(trial.param)) || !satisfy(&trial) || !has_room(&trial, trial.x))
            continue;
        *k = trial;
        return true;
    }
    return false;
}

/* A kind all of whose rows are inequalities. */
static bool only_inequalities(const sn_kind *kind)
{
    return kind->inequality == (1u << kind->rows) - 1;
}

/* Where there is room, particles fly on as if there were no constraint, bit for bit, and no force is read. */
static void inequalities_leave_room_alone(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; only_inequalities(s->kind) && n < PROJECTIONS; ++n) {
        kind_case k = satisfied_case(s->kinds, s->number, s->layout, 3, &seed);
        if (!make_room(&k, &seed))
            fail_msg("no state with room found for %s", s->kind->name);
        case_build(&k, n % 2 ? &(sn_material){real(0.01), 1} : NULL, 1);
        sn_world *free_world = case_world(3);
        for (uint32_t i = 0; i < k.particles; ++i) {
            sn_vec3 v = random_place(&seed, 3, 0.05);
            sn_particle twin = sn_particle_add_at(free_world, k.x[i], (sn_real)k.mass[i]);
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

/* Gives the particles velocities that take inequality row r half way to its limit in a step of h. False where that
   cannot be, or where another row has no room left then. */
static bool approach(const kind_case *k, uint32_t row, double h, sn_vec3 *v)
{
    double g[CASE_PARTICLES][3];
    case_value value;
    sn_vec3 x[CASE_PARTICLES];
    if (!evaluate_at(k, k->x, &value))
        return false;
    gather_row(k, &value, row, g);
    double square = weighted_product(k, g, g);
    if (!(square > 1e-4))
        return false;
    for (uint32_t i = 0; i < k->particles; ++i) {
        double s = -0.5 * (double)value.c[row] / (square * k->mass[i]);
        v[i] = vec(s * g[i][0] / h, s * g[i][1] / h, s * g[i][2] / h);
        x[i] = vec((double)k->x[i].x + s * g[i][0], (double)k->x[i].y + s * g[i][1], (double)k->x[i].z + s * g[i][2]);
    }
    if (!evaluate_at(k, x, &value))
        return false;
    for (uint32_t r = 0; r < k->kind->rows; ++r)
        if (is_inequality(k->kind, r) && value.c[r] < real(0.005))
            return false;
    return true;
}

/* However strong its damper is, an inequality exerts nothing while C > 0: it is a bumper, not a glue. Particles that
   rush towards the limit fly freely, bit for bit where the kind has no equalities. */
static void damping_alone_never_acts(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    const double h = 0.01;
    const sn_material material = {real(0.01), real(1e4)};
    uint32_t tried = 0;
    for (uint32_t n = 0; n < 3 * PROJECTIONS; ++n) {
        if (s->layout == CASE_CLOSED && tried == 0 && n == s->kind->rows)
            break; /* no row has room, and to look for it again and again takes a minute */
        kind_case k = satisfied_case(s->kinds, s->number, s->layout, 3, &seed);
        sn_vec3 v[CASE_PARTICLES];
        uint32_t row = n % s->kind->rows;
        if (!is_inequality(s->kind, row) || !make_room(&k, &seed) || !approach(&k, row, h, v))
            continue;
        case_build(&k, &material, 1);
        case_configure(&k, (int)(n % SUPPORT_SWEEPS), 5, 1);
        for (uint32_t i = 0; i < k.particles; ++i)
            assert_ok(k.world, sn_particle_set_velocity(k.world, k.handle[i], v[i]));
        assert_ok(k.world, sn_world_step(k.world, (sn_real)h));
        sn_force force = sn_constraint_force(k.world, k.constraint);
        for (uint32_t r = 0; r < s->kind->rows; ++r)
            assert_true(!is_inequality(s->kind, r) || force.row[r] == 0);
        for (uint32_t i = 0; only_inequalities(s->kind) && i < k.particles; ++i)
            assert_vec_close(sn_particle_velocity(k.world, k.handle[i]), v[i], 0);
        ++tried;
        case_destroy(&k);
    }
    assert_true(!s->kind->inequality || s->layout == CASE_CLOSED || tried > 3); /* a ring has no end */
}

/* Violated, they push until satisfied and never pull: the multiplier of an inequality is not negative. */
static void inequalities_push_only(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; s->kind->inequality && n < PROJECTIONS; ++n) {
        kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
        case_build(&k, n % 3 == 2 ? &(sn_material){real(0.05), 1} : NULL, 1);
        case_configure(&k, (int)(n % SUPPORT_SWEEPS), 50, 1);
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
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; n < PROJECTIONS; ++n)
        for (int sweep = 0; sweep < SUPPORT_SWEEPS; ++sweep) {
            kind_case k = violated_case(s->kinds, s->number, s->layout, case_dimensions(s, n), &seed);
            case_build(&k, NULL, 1);
            case_configure(&k, sweep, 50, 1);
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
        case_configure(&k, (int)(n % SUPPORT_SWEEPS), 50, 1);
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
#define SETTLE_DEFLECTION                                                                                              \
    1e-3                  /* m: how far the load moves the particle in a scene of a metre. So little that C is linear */
#define SETTLE_DAMPING 60 /* 1/s: about critical, so that it comes to rest soon */

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
    case_configure(k, SUPPORT_TILED, iterations, substeps);
    sn_settings settings = sn_world_settings(k->world);
    settings.damping = SETTLE_DAMPING;
    assert_ok(k->world, sn_world_configure(k->world, &settings));
    for (uint32_t frame = 0; frame < SETTLE_FRAMES; ++frame) {
        sn_vec3 force = vec(l->force[0], l->force[1], l->force[2]);
        assert_ok(k->world, sn_particle_apply_force(k->world, k->handle[l->particle], force));
        assert_ok(k->world, sn_world_step(k->world, real(1.0 / 60)));
    }
}

/* What the constraint exerts on a particle, by all of its points. */
static sn_vec3 force_on_particle(const kind_case *k, uint32_t particle)
{
    double sum[3] = {0};
    for (uint32_t i = 0; i < k->points; ++i)
        for (uint32_t j = 0; j < k->count[i]; ++j) {
            sn_vec3 f = sn_constraint_force_on(k->world, k->constraint, i);
            for (uint32_t axis = 0; axis < 3 && k->index[i][j] == particle; ++axis)
                sum[axis] += (double)k->weight[i][j] * (double)*component(&f, axis);
        }
    return vec(sum[0], sum[1], sum[2]);
}

/* At rest C = -compliance * force, and the force balances the load. Writes C. */
static void check_equilibrium(const kind_case *k, const load *l, sn_real *c)
{
    double deflection = SETTLE_COMPLIANCE * fabs(l->lambda);
    sn_force force = sn_constraint_force(k->world, k->constraint);
    assert_ok(k->world, sn_constraint_value(k->world, k->constraint, c));
    for (uint32_t row = 0; row < k->kind->rows; ++row)
        if (!is_inequality(k->kind, row) || row == l->row)
            assert_close(c[row], -SETTLE_COMPLIANCE * (double)force.row[row], 2e-3 * deflection);
    assert_vec_close(force_on_particle(k, l->particle), vec(-l->force[0], -l->force[1], -l->force[2]),
                     5e-3 * sqrt(dot3(l->force, l->force)));
    assert_true((double)case_length(sn_particle_velocity(k->world, k->handle[l->particle])) < 1e-3);
}

/* A case of the subject with a load on the row. False if the row never has a gradient, as the end that a ring lacks. */
static bool loaded_case(const case_subject *s, uint64_t *seed, uint32_t row, load *l, kind_case *k)
{
    bool has_gradient = false;
    for (uint32_t attempt = 0; attempt < 1000; ++attempt) {
        double g[CASE_PARTICLES][3];
        case_value value;
        *k = satisfied_case(s->kinds, s->number, s->layout, 3, seed);
        if (evaluate_at(k, k->x, &value)) {
            gather_row(k, &value, row, g);
            has_gradient = has_gradient || weighted_product(k, g, g) > 0;
        }
        if (make_load(k, row, l))
            return true;
        if (!has_gradient && attempt > 20)
            return false;
    }
    fail_msg("no state found in which row %u of %s can be loaded", row, s->kind->name);
    return false;
}

/* How far a load deflects a compliant constraint depends on neither passes nor substeps. */
static void equilibrium_is_independent_of_passes(const case_subject *s)
{
    static const uint32_t passes[][2] = {{10, 1}, {1, 10}, {10, 10}, {50, 1}, {1, 40}};
    uint64_t seed = case_seed(s);
    const sn_material material = {real(SETTLE_COMPLIANCE), 0};
    for (uint32_t row = 0; row < s->kind->rows; ++row) {
        load l = {0, 0, 0, {0}};
        kind_case k;
        if (!loaded_case(s, &seed, row, &l, &k))
            continue;
        sn_real c[SN_MAX_ROWS], first[SN_MAX_ROWS];
        for (size_t n = 0; n < support_rounds(COUNT_OF(passes), 2); ++n) {
            case_build(&k, &material, 1);
            settle(&k, &l, passes[n][0], passes[n][1]);
            check_equilibrium(&k, &l, n == 0 ? first : c);
            if (n > 0)
                assert_close(c[row], first[row], 0.01 * SETTLE_COMPLIANCE * fabs(l.lambda));
            case_destroy(&k);
        }
    }
}

int main(void)
{
    static const case_entry entries[] = {
        {"row formula, rigid", row_formula_rigid, CASE_ROWS, true},
        {"row formula, compliant", row_formula_compliant, CASE_ROWS, true},
        {"row formula, damped", row_formula_damped, CASE_ROWS, true},
        {"row formula in 2D", row_formula_in_2d, CASE_ROWS, true},
        {"projections keep momentum", projections_keep_momentum, CASE_ALL, true},
        {"many passes keep momentum", many_passes_keep_momentum, CASE_ALL, true},
        {"satisfied moves nothing", satisfied_moves_nothing, CASE_ALL, true},
        {"measured by the world moves nothing", measured_by_the_world_moves_nothing, CASE_ALL, false},
        {"inequalities leave room alone", inequalities_leave_room_alone, CASE_SOLVED, true},
        {"damping alone never acts", damping_alone_never_acts, CASE_ROWS, true},
        {"inequalities push only", inequalities_push_only, CASE_SOLVED, true},
        {"every order converges", every_order_converges, CASE_SOLVED, true},
        {"stiffness is a share", stiffness_is_a_share, CASE_SOLVED, true},
        {"passes do not stiffen", passes_do_not_stiffen, CASE_ROWS, true},
        {"equilibrium is independent of passes", equilibrium_is_independent_of_passes, CASE_ROWS, true},
    };
    return run_for_every_kind("kinds under the solver", entries, COUNT_OF(entries));
}
