/* Every kind of the table as a citizen of a world: read back, changed, saved, shifted, locked to the plane, acting on
   spots, and its forces. */
#include "kind_cases.h"

enum { CASES = 10 };

/* ---- Reading back ----------------------------------------------------------------------------------------------- */

static void check_point(const sn_point *got, const sn_point *given)
{
    assert_int_equal(got->count, given->count);
    for (uint32_t j = 0; j < given->count; ++j) {
        assert_int_equal(got->particle[j].index, given->particle[j].index);
        assert_int_equal(got->particle[j].generation, given->particle[j].generation);
        assert_close(got->weight[j], given->weight[j], EXACTNESS(1e-6, 1e-14));
    }
}

static void check_params(const kind_case *k, const sn_real *got, const sn_real *expected, double tolerance)
{
    for (uint32_t i = 0; i < sn_kind_param_count(k->kind); ++i)
        assert_close(got[i], expected[i], tolerance * fmax(1, fabs((double)expected[i])));
}

static sn_constraint_def read_back(const kind_case *k, sn_point *points)
{
    sn_constraint_def def;
    assert_ok(k->world, sn_constraint_read(k->world, k->constraint, &def, points, CASE_POINTS));
    assert_int_equal(def.kind, k->number);
    assert_ptr_equal(def.points, points);
    assert_int_equal(def.point_count, k->points);
    return def;
}

/* What was given is what is read: points, parameters, material; and a copy made from it has the same C. */
static void reads_back(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; n < CASES; ++n) {
        kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
        sn_point points[CASE_POINTS];
        case_build(&k, &(sn_material){real(0.125), real(3)}, 0.75);
        sn_constraint_def def = read_back(&k, points);
        bool gives = support_kind_gives(s->kind);
        assert_true(def.compliance == (gives ? real(0.125) : 0) && def.damping == (gives ? 3 : 0));
        assert_true(def.stiffness == real(0.75));
        assert_int_equal(sn_constraint_point_count(k.world, k.constraint), k.points);
        for (uint32_t i = 0; i < k.points; ++i)
            check_point(&points[i], &k.point[i]);
        check_params(&k, def.param, k.param, EXACTNESS(1e-6, 1e-15));

        sn_constraint copy;
        sn_real c[SN_MAX_ROWS], d[SN_MAX_ROWS];
        assert_ok(k.world, sn_constraint_add(k.world, &def, &copy));
        assert_ok(k.world, sn_constraint_value(k.world, k.constraint, c));
        assert_ok(k.world, sn_constraint_value(k.world, copy, d));
        assert_memory_equal(c, d, k.kind->rows * sizeof(*c));

        sn_constraint_def small; /* too small an array is refused, and not written to */
        memset(points, 0x5a, sizeof(points));
        assert_result(k.world, SN_ERROR_ARGUMENT,
                      sn_constraint_read(k.world, k.constraint, &small, points, k.points - 1));
        for (size_t i = 0; i < sizeof(points); ++i)
            assert_int_equal(((unsigned char *)points)[i], 0x5a);
        case_destroy(&k);
    }
}

/* SN_MEASURE gives what the kind measures, else its default; what is neither must be given. */
static void measures_or_defaults(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    kind_case k = satisfied_case(s->kinds, s->number, s->layout, 3, &seed);
    sn_vec3 x[CASE_POINTS];
    sn_real expected[SN_MAX_PARAM_NUMBERS];
    sn_point points[CASE_POINTS];
    points_of(&k, k.x, x);
    measure_params(s->kind, k.points, x, expected);
    sn_real *value = expected;
    for (const sn_param *p = s->kind->param; p->name; value += param_numbers(p), ++p)
        for (uint32_t i = 0; i < param_numbers(p); ++i) {
            size_t number = (size_t)(value - expected) + i;
            bool open = value[i] == SN_MEASURE && !p->has_default;
            if (value[i] == SN_MEASURE)
                value[i] = open ? k.param[number] : p->default_value;
            k.param[number] = open ? value[i] : SN_MEASURE;
        }
    case_build(&k, NULL, 1);
    check_params(&k, read_back(&k, points).param, expected, EXACTNESS(3e-6, 1e-13));
    case_destroy(&k);
}

/* ---- Setting by name -------------------------------------------------------------------------------------------- */

static void check_refusals(const kind_case *k, const sn_param *p, const sn_real *good)
{
    uint64_t hash = sn_world_hash(k->world);
    sn_real bad[3] = {good[0], good[param_numbers(p) - 1], good[param_numbers(p) - 1]};
    bad[param_numbers(p) - 1] = (sn_real)NAN;
    const uint32_t count = param_numbers(p);
    assert_result(k->world, SN_ERROR_ARGUMENT, sn_constraint_set_param(k->world, k->constraint, p->name, bad, count));
    assert_says(sn_world_error(k->world), p->name);
    if (p->least != 0 || p->most != 0) {
        bad[count - 1] = p->least - 1;
        assert_result(k->world, SN_ERROR_ARGUMENT,
                      sn_constraint_set_param(k->world, k->constraint, p->name, bad, count));
    }
    if (p->type == SN_PARAM_DIRECTION) {
        memset(bad, 0, sizeof(bad));
        assert_result(k->world, SN_ERROR_ARGUMENT,
                      sn_constraint_set_param(k->world, k->constraint, p->name, bad, count));
    }
    for (uint32_t wrong = 0; wrong < 5; ++wrong) /* the number of numbers must be right */
        if (wrong != count)
            assert_result(k->world, SN_ERROR_ARGUMENT,
                          sn_constraint_set_param(k->world, k->constraint, p->name, good, wrong));
    assert_result(k->world, SN_ERROR_ARGUMENT,
                  sn_constraint_set_param(k->world, k->constraint, "no_such", good, count));
    assert_true(sn_world_hash(k->world) == hash);
}

/* Each parameter can be set alone by its name; numbers out of range, NaN and unknown names change nothing. */
static void sets_each_parameter(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    kind_case from = violated_case(s->kinds, s->number, s->layout, 3, &seed), to;
    do /* the parameters of another case, of which any mixture with this one's passes the check */
        to = violated_case(s->kinds, s->number, s->layout, 3, &seed);
    while (from.kind->check && from.kind->check(to.param));
    case_build(&from, NULL, 1);
    sn_point points[CASE_POINTS];
    sn_real now[SN_MAX_PARAM_NUMBERS], *value = to.param;
    memcpy(now, from.param, sizeof(now));
    for (const sn_param *p = s->kind->param; p->name; value += param_numbers(p), ++p) {
        size_t first = (size_t)(value - to.param);
        check_refusals(&from, p, now + first);
        sn_real before[3];
        memcpy(before, now + first, param_numbers(p) * sizeof(*now));
        memcpy(now + first, value, param_numbers(p) * sizeof(*now));
        if (s->kind->check && s->kind->check(now)) { /* this mixture is contradictory, and is refused as well */
            assert_result(from.world, SN_ERROR_ARGUMENT,
                          sn_constraint_set_param(from.world, from.constraint, p->name, value, param_numbers(p)));
            memcpy(now + first, before, param_numbers(p) * sizeof(*now));
        } else {
            assert_ok(from.world,
                      sn_constraint_set_param(from.world, from.constraint, p->name, value, param_numbers(p)));
        }
        check_params(&from, read_back(&from, points).param, now, EXACTNESS(1e-6, 1e-15));
    }
    case_destroy(&from);
}

/* sn_constraint_change replaces everything but the handle. */
static void changes(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
    kind_case other = violated_case(s->kinds, s->number, s->layout, 3, &seed);
    case_build(&k, NULL, 1);
    sn_constraint_def def = case_def(&k);
    memcpy(def.param, other.param, sizeof(def.param));
    bool gives = support_kind_gives(s->kind);
    def.compliance = gives ? real(0.25) : 0;
    def.damping = gives ? 2 : 0;
    def.stiffness = real(0.5);
    assert_ok(k.world, sn_constraint_change(k.world, k.constraint, &def));
    sn_point points[CASE_POINTS];
    sn_constraint_def now = read_back(&k, points);
    check_params(&k, now.param, other.param, EXACTNESS(1e-6, 1e-15));
    assert_true(now.compliance == def.compliance && now.damping == def.damping && now.stiffness == def.stiffness);
    sn_material material = {gives ? real(0.0625) : 0, gives ? 4 : 0};
    assert_ok(k.world, sn_constraint_set_material(k.world, k.constraint, material));
    assert_ok(k.world, sn_constraint_set_stiffness(k.world, k.constraint, real(0.25)));
    now = read_back(&k, points);
    assert_true(now.compliance == material.compliance && now.damping == material.damping);
    assert_true(now.stiffness == real(0.25));
    case_destroy(&k);
}

/* Forces and projections of their own take no compliance, from whichever call, and say so. */
static void refuses_compliance(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
    case_build(&k, NULL, 1);
    uint64_t hash = sn_world_hash(k.world);
    sn_constraint_def def = case_def(&k);
    sn_constraint none = k.constraint;
    def.compliance = real(1e-3);
    assert_result(k.world, SN_ERROR_ARGUMENT, sn_constraint_add(k.world, &def, &none));
    assert_says(sn_world_error(k.world), "compliance");
    assert_says(sn_world_error(k.world), s->kind->name);
    assert_int_equal(none.generation, 0);
    assert_result(k.world, SN_ERROR_ARGUMENT, sn_constraint_change(k.world, k.constraint, &def));
    assert_result(k.world, SN_ERROR_ARGUMENT,
                  sn_constraint_set_material(k.world, k.constraint, (sn_material){real(1e-3), 0}));
    assert_true(sn_world_hash(k.world) == hash);
    case_destroy(&k);
}

/* A list of points that is too short, off its steps, NULL, too long for any world, has a spot or a stale particle in
   it, or comes in a bulk call, is refused. */
static void refuses_bad_lists(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
    case_build(&k, NULL, 1);
    uint64_t hash = sn_world_hash(k.world);
    const sn_constraint_def good = case_def(&k);
    const uint32_t step = s->kind->point_step ? s->kind->point_step : 1;
    const uint32_t counts[] = {0, s->kind->least_points - 1, s->kind->least_points + step - 1, UINT32_MAX, 0x80000000u};
    for (uint32_t i = 0; i < COUNT_OF(counts); ++i) {
        sn_constraint_def def = good;
        def.point_count = counts[i];
        if (counts[i] >= s->kind->least_points && counts[i] < 1000 && (counts[i] - s->kind->least_points) % step == 0)
            continue;
        assert_result(k.world, SN_ERROR_ARGUMENT, sn_constraint_add(k.world, &def, NULL));
        assert_says(sn_world_error(k.world), "point_count");
        assert_result(k.world, SN_ERROR_ARGUMENT, sn_constraint_change(k.world, k.constraint, &def));
    }
    sn_constraint_def def = good;
    def.points = NULL;
    assert_result(k.world, SN_ERROR_ARGUMENT, sn_constraint_add(k.world, &def, NULL));
    assert_says(sn_world_error(k.world), "points NULL");
    sn_point last = k.point[k.points - 1];
    k.point[k.points - 1] =
        sn_on_triangle(k.handle[0], k.handle[1], last.particle[0], real(0.5), real(0.25), real(0.25));
    assert_result(k.world, SN_ERROR_ARGUMENT, sn_constraint_add(k.world, &good, NULL));
    assert_says(sn_world_error(k.world), "no particle");
    k.point[k.points - 1] = sn_at((sn_particle){last.particle[0].index, last.particle[0].generation + 1});
    assert_result(k.world, SN_ERROR_STALE, sn_constraint_add(k.world, &good, NULL));
    k.point[k.points - 1] = sn_at((sn_particle){0, 0});
    assert_result(k.world, SN_ERROR_STALE, sn_constraint_add(k.world, &good, NULL));
    k.point[k.points - 1] = last;
    uint32_t index[CASE_POINTS] = {0};
    for (uint32_t i = 0; i < k.points; ++i)
        index[i] = k.point[i].particle[0].index;
    sn_constraints run = {1, 1, 1, 1};
    assert_result(k.world, SN_ERROR_ARGUMENT, sn_constraints_add(k.world, &good, 1, index, NULL, &run));
    assert_int_equal(run.count, 0);
    assert_says(sn_world_error(k.world), s->kind->name);
    assert_int_equal(sn_constraints_add_kind(k.world, s->number, 1, index, NULL, NULL).count, 0);
    assert_true(sn_world_hash(k.world) == hash);
    case_destroy(&k);
}

/* A change may make a list longer or shorter; everything else stays. */
static void changes_its_length(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
    kind_case other = violated_case(s->kinds, s->number, CASE_LONGER, 3, &seed);
    case_build(&k, NULL, 1);
    sn_particle handle[CASE_PARTICLES];
    for (uint32_t i = 0; i < other.particles; ++i)
        handle[i] = sn_particle_add_at(k.world, other.x[i], (sn_real)other.mass[i]);
    for (uint32_t i = 0; i < other.points; ++i)
        other.point[i] = sn_at(handle[other.index[i][0]]);
    sn_constraint_def back = case_def(&k), def = case_def(&other);
    for (uint32_t round = 0; round < 20; ++round) {
        sn_point points[CASE_POINTS];
        sn_real value[SN_MAX_ROWS];
        assert_ok(k.world, sn_constraint_change(k.world, k.constraint, round % 2 ? &back : &def));
        assert_int_equal(sn_constraint_point_count(k.world, k.constraint), round % 2 ? k.points : other.points);
        sn_constraint_def now;
        assert_ok(k.world, sn_constraint_read(k.world, k.constraint, &now, points, CASE_POINTS));
        for (uint32_t i = 0; i < now.point_count; ++i)
            check_point(&points[i], round % 2 ? &k.point[i] : &other.point[i]);
        assert_ok(k.world, sn_constraint_value(k.world, k.constraint, value));
        assert_ok(k.world, sn_world_step(k.world, real(0.001)));
    }
    case_destroy(&k);
}

/* A removed constraint acts no more; its handle is stale. */
static void removed_acts_no_more(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
    case_build(&k, NULL, 1);
    assert_int_equal(sn_world_constraint_count(k.world, s->number), 1);
    assert_ok(k.world, sn_constraint_remove(k.world, k.constraint));
    assert_int_equal(sn_world_constraint_count(k.world, s->number), 0);
    assert_false(sn_constraint_is_valid(k.world, k.constraint));
    assert_result(k.world, SN_ERROR_STALE, sn_constraint_remove(k.world, k.constraint));
    support_run(k.world, 2, 0.01);
    for (uint32_t i = 0; i < k.particles; ++i)
        assert_vec_same(sn_particle_position(k.world, k.handle[i]), k.x[i]);
    case_destroy(&k);
}

/* It goes with any one of its particles. */
static void goes_with_its_particles(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
    for (uint32_t i = 0; i < k.particles; ++i) {
        case_build(&k, NULL, 1);
        sn_particle bystander = sn_particle_add_at(k.world, vec(9, 9, 9), 1);
        sn_constraint pin = sn_constraint_add_pin(k.world, bystander);
        assert_ok(k.world, sn_particle_remove(k.world, k.handle[i]));
        assert_false(sn_constraint_is_valid(k.world, k.constraint));
        assert_int_equal(sn_constraint_point_count(k.world, k.constraint), 0);
        assert_true(sn_constraint_is_valid(k.world, pin));
        assert_ok(k.world, sn_world_step(k.world, real(0.01)));
        case_destroy(&k);
    }
}

/* One particle cannot be two points of a constraint by itself, unless the kind says so. */
static void refuses_a_particle_twice(const case_subject *s)
{
    if (s->kind->points == 1 || s->kind->repeats)
        return;
    uint64_t seed = case_seed(s);
    kind_case k = satisfied_case(s->kinds, s->number, s->layout, 3, &seed);
    case_build(&k, NULL, 1);
    uint64_t hash = sn_world_hash(k.world);
    k.point[k.points - 1] = k.point[0];
    sn_constraint_def def = case_def(&k);
    sn_constraint refused = k.constraint;
    assert_result(k.world, SN_ERROR_ARGUMENT, sn_constraint_add(k.world, &def, &refused));
    assert_int_equal(refused.generation, 0);
    assert_true(sn_world_hash(k.world) == hash);
    case_destroy(&k);
}

/* ---- Snapshots -------------------------------------------------------------------------------------------------- */

/* run, restore, run: the same bits, here and in another world. */
static void snapshot_repeats(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; n < CASES; ++n) {
        kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
        case_build(&k, n % 2 ? &(sn_material){real(1e-3), 1} : NULL, 0.8);
        case_configure(&k, (int)(n % SUPPORT_SWEEPS), 3, 2);
        support_run(k.world, 3, 0.01);
        uint64_t saved = sn_world_hash(k.world);
        sn_snapshot *snapshot = sn_world_save(k.world);
        assert_non_null(snapshot);
        support_run(k.world, 5, 0.01);
        uint64_t after = sn_world_hash(k.world);
        assert_true(after != saved);

        assert_ok(k.world, sn_world_load(k.world, snapshot));
        assert_true(sn_world_hash(k.world) == saved);
        support_run(k.world, 5, 0.01);
        assert_true(sn_world_hash(k.world) == after);

        sn_world *other = case_world(3);
        assert_ok(other, sn_world_load(other, snapshot));
        assert_true(sn_world_hash(other) == saved);
        support_run(other, 5, 0.01);
        assert_same_world(other, k.world);
        sn_world_destroy(other);
        sn_snapshot_destroy(snapshot);
        case_destroy(&k);
    }
}

/* The hash sees every number that describes a constraint. */
static void hash_sees_parameters(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
    case_build(&k, NULL, 1);
    uint64_t hash = sn_world_hash(k.world);
    for (uint32_t i = 0; i < sn_kind_param_count(s->kind); ++i) {
        sn_constraint_def def = case_def(&k);
        sn_point points[CASE_POINTS];
        def.param[i] += real(0.0625);
        if (s->kind->check && s->kind->check(def.param))
            continue;
        assert_ok(k.world, sn_constraint_change(k.world, k.constraint, &def));
        bool same = read_back(&k, points).param[i] == k.param[i]; /* a direction stretched along itself */
        assert_true((sn_world_hash(k.world) == hash) == same);
    }
    sn_constraint_def def = case_def(&k);
    assert_ok(k.world, sn_constraint_change(k.world, k.constraint, &def));
    assert_true(sn_world_hash(k.world) == hash);
    assert_ok(k.world, sn_constraint_set_stiffness(k.world, k.constraint, real(0.5)));
    assert_true(sn_world_hash(k.world) != hash);
    case_destroy(&k);
}

/* ---- Spots ------------------------------------------------------------------------------------------------------ */

/* Whether C is linear: its gradient is the same everywhere. Projected once, such a constraint is satisfied exactly. */
static bool is_linear(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    case_layout layout = s->layout < CASE_IN_TRIANGLES ? s->layout : CASE_ON_PARTICLES;
    kind_case k = violated_case(s->kinds, s->number, layout, 3, &seed);
    for (uint32_t n = 0; n < 5; ++n) {
        case_value a, b;
        if (!evaluate_at(&k, k.x, &a))
            return false;
        scatter(&k, &seed, 1);
        if (!evaluate_at(&k, k.x, &b) || memcmp(a.gradient, b.gradient, sizeof(a.gradient)) != 0)
            return false;
    }
    return true;
}

/* The precision to which C can be 0: that of positions, times its steepest slope. */
static double exactness_of(const kind_case *k)
{
    case_value value;
    double steepest = 1;
    assert_true(evaluate_at(k, k->x, &value));
    for (uint32_t i = 0; i < k->kind->rows * k->points; ++i)
        steepest = fmax(steepest, (double)case_length(value.gradient[i]));
    return EXACTNESS(1e-6, 1e-14) * steepest;
}

/* The point of a spot is where its weights say, and one projection of a linear kind puts it where C = 0, also when
   two points share particles: the sum of b^2 w over the points would be wrong there. A small share of a projection of
   any other kind brings it nearer. */
static void spots_are_exact(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    bool linear = is_linear(s);
    for (uint32_t n = 0; n < CASES; ++n) {
        kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
        sn_vec3 x[CASE_POINTS];
        points_of(&k, k.x, x);
        case_build(&k, NULL, linear ? 1 : 0.05);
        for (uint32_t i = 0; i < k.points; ++i)
            assert_vec_close(sn_point_position(k.world, k.point[i]), x[i], EXACTNESS(1e-6, 1e-14));
        double before = largest_value_miss(&k);
        assert_ok(k.world, sn_world_step(k.world, 1));
        if (linear)
            assert_true(largest_value_miss(&k) <= exactness_of(&k));
        else
            assert_true(largest_value_miss(&k) < before);
        case_destroy(&k);
    }
}

/* ---- Forces ----------------------------------------------------------------------------------------------------- */

/* The forces on the points of an internal kind sum to zero; on a linear kind they are what moved the particles,
   m dx / h^2, shared by weight. */
static void forces_balance(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    bool linear = is_linear(s);
    const double h = 0.5;
    for (uint32_t n = 0; n < CASES; ++n) {
        kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
        double sum[3] = {0}, size = 0, moved[3], shared[CASE_PARTICLES][3] = {{0}};
        case_build(&k, NULL, 1);
        assert_true(sn_constraint_force(k.world, k.constraint).magnitude == 0);
        assert_ok(k.world, sn_world_step(k.world, real(h)));
        for (uint32_t i = 0; i < k.points; ++i) {
            sn_vec3 f = sn_constraint_force_on(k.world, k.constraint, i);
            for (uint32_t axis = 0; axis < 3; ++axis) {
                sum[axis] += (double)*component(&f, axis);
                for (uint32_t j = 0; j < k.count[i]; ++j)
                    shared[k.index[i][j]][axis] += (double)k.weight[i][j] * (double)*component(&f, axis);
            }
            size += (double)case_length(f);
        }
        assert_true(size > 1e-3);
        assert_true(!s->kind->internal || sqrt(dot3(sum, sum)) <= EXACTNESS(1e-5, 1e-13) * size);
        for (uint32_t i = 0; linear && i < k.particles; ++i) {
            displacement(&k, i, moved);
            for (uint32_t axis = 0; axis < 3; ++axis)
                assert_close(shared[i][axis], k.mass[i] * moved[axis] / h, EXACTNESS(1e-5, 1e-13) * size);
        }
        case_destroy(&k);
    }
}

/* A force is read as it is now, also before the first step; it stores the energy that the report counts, it moves its
   particles whether or not there are passes over constraints, and no solver ever counts what it misses. */
static void forces_act_by_themselves(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    const double h = 0.01;
    for (uint32_t n = 0; n < CASES; ++n) {
        kind_case k = violated_case(s->kinds, s->number, s->layout, 3, &seed);
        case_build(&k, NULL, 1);
        case_configure(&k, (int)(n % SUPPORT_SWEEPS), n % 2 ? 0 : 5, 1);
        sn_vec3 x[CASE_POINTS], still[CASE_POINTS] = {{0, 0, 0}}, force[CASE_POINTS] = {{0, 0, 0}};
        points_of(&k, k.x, x);
        sn_eval_in in = {.x = x, .param = k.param, .points = k.points, .context = s->kind->context};
        double energy = (double)s->kind->force(&in, still, force), shared[CASE_PARTICLES][3] = {{0}}, size = 0;
        sn_report report;
        assert_ok(k.world, sn_world_report(k.world, &report));
        assert_close(report.elastic, energy, EXACTNESS(1e-5, 1e-13) * (1 + energy));
        assert_true(sn_report_kind(&report, s->number)->largest == 0);
        for (uint32_t i = 0; i < k.points; ++i)
            size += (double)case_length(force[i]);
        for (uint32_t i = 0; i < k.points; ++i) {
            assert_vec_close(sn_constraint_force_on(k.world, k.constraint, i), force[i], EXACTNESS(1e-5, 1e-13) * size);
            for (uint32_t j = 0; j < k.count[i]; ++j)
                for (uint32_t axis = 0; axis < 3; ++axis)
                    shared[k.index[i][j]][axis] += (double)k.weight[i][j] * (double)*component(&force[i], axis);
        }
        assert_close(sn_constraint_force(k.world, k.constraint).magnitude, case_length(force[0]),
                     EXACTNESS(1e-5, 1e-13) * size);
        assert_ok(k.world, sn_world_step(k.world, (sn_real)h));
        for (uint32_t i = 0; i < k.particles; ++i) {
            double v[3];
            displacement(&k, i, v);
            for (uint32_t axis = 0; axis < 3; ++axis)
                assert_close(k.mass[i] * v[axis] / h, shared[i][axis], EXACTNESS(2e-5, 1e-12) * size);
        }
        case_destroy(&k);
    }
}

/* ---- Origin shift ----------------------------------------------------------------------------------------------- */

/* A shift changes the numbers of places, and nothing else: the same C, the same motion. */
static void shift_changes_nothing(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    const sn_vec3 offset = {8, -4, 16};
    for (uint32_t n = 0; n < CASES; ++n) {
        kind_case still = violated_case(s->kinds, s->number, s->layout, 3, &seed), moved = still;
        case_build(&still, NULL, 1);
        case_build(&moved, NULL, 1);
        assert_ok(moved.world, sn_world_shift_origin(moved.world, offset));
        sn_real a[SN_MAX_ROWS], b[SN_MAX_ROWS];
        assert_ok(still.world, sn_constraint_value(still.world, still.constraint, a));
        assert_ok(moved.world, sn_constraint_value(moved.world, moved.constraint, b));
        for (uint32_t row = 0; row < s->kind->rows; ++row)
            assert_close(a[row], b[row], EXACTNESS(1e-5, 1e-13));
        sn_point points[CASE_POINTS];
        sn_constraint_def def = read_back(&moved, points);
        sn_real *value = def.param;
        for (const sn_param *p = s->kind->param; p->name; value += param_numbers(p), ++p)
            for (uint32_t i = 0; i < param_numbers(p); ++i) {
                double shift = p->type == SN_PARAM_POSITION ? (double)*component((sn_vec3 *)&offset, i) : 0;
                assert_close(value[i], (double)still.param[value - def.param + i] - shift, EXACTNESS(1e-5, 1e-13));
            }
        support_run(still.world, 3, 0.01);
        support_run(moved.world, 3, 0.01);
        for (uint32_t i = 0; i < still.particles; ++i) {
            sn_vec3 x = sn_particle_position(moved.world, moved.handle[i]);
            x = vec((double)x.x + 8, (double)x.y - 4, (double)x.z + 16);
            assert_vec_close(x, sn_particle_position(still.world, still.handle[i]), EXACTNESS(5e-4, 1e-11));
        }
        case_destroy(&still);
        case_destroy(&moved);
    }
}

/* ---- 2D --------------------------------------------------------------------------------------------------------- */

/* In the plane a kind works as in space and z stays 0, exactly. */
static void plane_stays_flat(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; !s->kind->spatial && n < CASES; ++n) {
        kind_case k = violated_case(s->kinds, s->number, s->layout, 2, &seed);
        case_build(&k, n % 2 ? &(sn_material){real(1e-4), 0} : NULL, 1);
        case_configure(&k, (int)(n % SUPPORT_SWEEPS), 10, 2);
        sn_settings settings = sn_world_settings(k.world);
        settings.gravity = vec(0, -9.81, 0);
        assert_ok(k.world, sn_world_configure(k.world, &settings));
        for (uint32_t step = 0; step < 10; ++step) {
            assert_ok(k.world, sn_world_step(k.world, real(0.01)));
            for (uint32_t i = 0; i < k.particles; ++i) {
                sn_vec3 x = sn_particle_position(k.world, k.handle[i]);
                sn_vec3 v = sn_particle_velocity(k.world, k.handle[i]);
                assert_true(x.z == 0 && v.z == 0 && support_is_finite(x));
            }
        }
        case_destroy(&k);
    }
}

/* A kind that makes sense in space only is refused in the plane, by name. */
static void spatial_kinds_are_refused_in_2d(const case_subject *s)
{
    if (!s->kind->spatial)
        return;
    sn_world *world = case_world(2);
    sn_particle particles[CASE_PARTICLES];
    sn_point points[CASE_POINTS];
    for (uint32_t i = 0; i < CASE_PARTICLES; ++i)
        particles[i] = sn_particle_add_at(world, vec(i, i * i, 0), 1);
    for (uint32_t i = 0; i < support_point_count(s->kind, false); ++i)
        points[i] = sn_at(particles[support_particle_of_point(s->kind, false, i)]);
    uint64_t hash = sn_world_hash(world);
    sn_constraint_def def = support_constraint_def(world, s->number, points);
    assert_result(world, SN_ERROR_ARGUMENT, sn_constraint_add(world, &def, NULL));
    assert_says(sn_world_error(world), s->kind->name);
    assert_true(sn_world_hash(world) == hash);
    sn_world_destroy(world);
}

int main(void)
{
    static const case_entry entries[] = {
        {"reads back", reads_back, CASE_ALL, true},
        {"measures or defaults", measures_or_defaults, CASE_ALL, true},
        {"sets each parameter", sets_each_parameter, CASE_ALL, false},
        {"changes", changes, CASE_ALL, true},
        {"changes its length", changes_its_length, CASE_LISTS, false},
        {"refuses compliance", refuses_compliance, CASE_UNGIVING, false},
        {"refuses bad lists", refuses_bad_lists, CASE_LISTS, false},
        {"removed acts no more", removed_acts_no_more, CASE_ALL, true},
        {"goes with its particles", goes_with_its_particles, CASE_ALL, true},
        {"refuses a particle twice", refuses_a_particle_twice, CASE_ALL, false},
        {"snapshot repeats", snapshot_repeats, CASE_ALL, true},
        {"hash sees parameters", hash_sees_parameters, CASE_ALL, true},
        {"spots are exact", spots_are_exact, CASE_ROWS, true},
        {"forces balance", forces_balance, CASE_ROWS, true},
        {"forces act by themselves", forces_act_by_themselves, CASE_FORCES, true},
        {"shift changes nothing", shift_changes_nothing, CASE_ALL, true},
        {"plane stays flat", plane_stays_flat, CASE_ALL, true},
        {"spatial kinds are refused in 2D", spatial_kinds_are_refused_in_2d, CASE_ALL, false},
    };
    return run_for_every_kind("kinds in a world", entries, COUNT_OF(entries));
}
