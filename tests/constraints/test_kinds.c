/* Every kind of the table, seen as a function of positions: its description, C, its gradient and what it measures.
   test_kinds_solving.c and test_kinds_world.c try the same kinds in a world. */
#include "kind_cases.h"

/* ---- The description -------------------------------------------------------------------------------------------- */

static void check_param_description(const sn_kind *kind, const sn_param *param)
{
    assert_true(strspn(param->name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(param->name));
    assert_non_null(param->unit);
    assert_true(param->least <= param->most);
    if (param->has_default && (param->least != 0 || param->most != 0))
        assert_true(param->default_value >= param->least && param->default_value <= param->most);
    for (const sn_param *other = kind->param; other != param; ++other)
        assert_string_not_equal(other->name, param->name);
}

/* What documentation, scene files and messages are made from is there, and is unique. */
static void describes_itself(const case_subject *s)
{
    const sn_kind *kind = s->kind;
    assert_non_null(kind);
    assert_int_equal(sn_kind_find(s->kinds, kind->name), s->number);
    for (uint32_t other = 1; other < s->number; ++other)
        assert_string_not_equal(sn_kind_info(s->kinds, other)->name, kind->name);
    assert_non_null(kind->about);
    assert_non_null(kind->formula);
    assert_in_range(kind->points, 0, SN_MAX_POINTS);
    assert_true(kind->points > 0 ? !kind->least_points && !kind->point_step && !kind->repeats : kind->least_points > 0);
    assert_true(!kind->project || !kind->force);
    assert_in_range(kind->rows, 1, SN_MAX_ROWS);
    assert_int_equal(kind->inequality >> kind->rows, 0);
    assert_non_null(kind->eval);
    uint32_t numbers = 0;
    for (const sn_param *p = kind->param; p->name; ++p) {
        check_param_description(kind, p);
        numbers += param_numbers(p);
        assert_true(!kind->internal || p->type != SN_PARAM_POSITION); /* a place in the world is not internal */
    }
    assert_int_equal(sn_kind_param_count(kind), numbers);
    numbers = 0;
    for (const sn_param *p = kind->point_param; p->name; ++p) {
        assert_true(kind->points == 0 && p->unit && p->type != SN_PARAM_POSITION);
        numbers += param_numbers(p);
    }
    assert_int_equal(sn_kind_point_param_count(kind), numbers);
    assert_in_range(kind->state, 0, SN_MAX_STATE);
}

/* ---- Gradients by finite differences ---------------------------------------------------------------------------- */

/* A case that is no more than its particles, and the size of its smallest feature: the length below which C may
   bend. */
typedef struct point_state {
    kind_case k;
    double scale, feature;
} point_state;

static point_state random_state(const case_subject *s, uint64_t *seed, double scale)
{
    point_state state = {.k = {.kind = s->kind, .number = s->number, .dimensions = 3}, .scale = scale};
    lay_out(&state.k, s->layout, seed);
    scatter(&state.k, seed, scale);
    state.feature = fmin(scale, smallest_point_gap(&state.k));
    return state;
}

/* How a state can be nearly degenerate: squeezed to a small part of its size along one, two or all directions. */
enum { SQUEEZE_TO_PLANE = 1, SQUEEZE_TO_LINE = 2, SQUEEZE_TO_POINT = 3 };

#define SQUEEZE 1e-2

static point_state squeezed_state(const case_subject *s, uint64_t *seed, int squeeze)
{
    point_state state = random_state(s, seed, 1);
    for (uint32_t i = 0; i < state.k.particles; ++i) {
        sn_real *x = &state.k.x[i].x, *y = &state.k.x[i].y, *z = &state.k.x[i].z;
        *z *= (sn_real)SQUEEZE;
        *y *= (sn_real)(squeeze >= SQUEEZE_TO_LINE ? SQUEEZE : 1);
        *x *= (sn_real)(squeeze >= SQUEEZE_TO_POINT ? SQUEEZE : 1);
    }
    state.feature = fmin(SQUEEZE, smallest_point_gap(&state.k));
    return state;
}

/* The central difference (C(x + d) - C(x - d)) / 2d of all rows, with the steps that the numbers really took. A
   particle that is several points moves with all of them. */
static bool central_difference(const point_state *state, uint32_t particle, uint32_t axis, double step, double *slope,
                               double *curve)
{
    case_value high, low, here;
    point_state a = *state, b = *state;
    sn_real *up = component(&a.k.x[particle], axis), *down = component(&b.k.x[particle], axis);
    *up += (sn_real)step;
    *down -= (sn_real)step;
    if (!evaluate_at(&a.k, a.k.x, &high) || !evaluate_at(&b.k, b.k.x, &low) ||
        !evaluate_at(&state->k, state->k.x, &here))
        return false;
    for (uint32_t row = 0; row < state->k.kind->rows; ++row) {
        slope[row] = ((double)high.c[row] - (double)low.c[row]) / ((double)*up - (double)*down);
        curve[row] = fabs((double)high.c[row] - 2 * (double)here.c[row] + (double)low.c[row]) / (step * step);
    }
    return true;
}

/* The step of the differences: large enough for the round-off of C, small enough for its curvature. */
static double slope_step(const point_state *state)
{
    return state->feature * EXACTNESS(1e-2, 1e-4);
}

/* What round-off of C may add to a difference, over the step: a few last places of the numbers that C is the difference
   of, and of the positions that it is computed from, which count by its slope. */
static double slope_noise(const point_state *state, double c, double slope)
{
    double size = fabs(c) + slope * state->scale;
    for (uint32_t i = 0; i < sn_kind_param_count(state->k.kind); ++i)
        size = fmax(size, fabs((double)state->k.param[i]));
    return 4 * EXACTNESS(6e-8, 1.1e-16) * size / slope_step(state);
}

/* The slopes of all rows by all coordinates, and how far the differences can be trusted. */
typedef struct slopes {
    double slope[CASE_PARTICLES][3][SN_MAX_ROWS];
    double bend[SN_MAX_ROWS];    /* what extrapolation changed, at most */
    double curve[SN_MAX_ROWS];   /* the largest second derivative: the two steps differ by rounding */
    double largest[SN_MAX_ROWS]; /* slope of the row */
} slopes;

/* Richardson's extrapolation of two central differences, whose error is of fourth order in the step. False where C does
   not exist. */
static bool measure_slopes(const point_state *state, slopes *out)
{
    double step = slope_step(state), wide[SN_MAX_ROWS], curve[SN_MAX_ROWS];
    memset(out, 0, sizeof(*out));
    for (uint32_t particle = 0; particle < state->k.particles; ++particle)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            double *slope = out->slope[particle][axis];
            if (!central_difference(state, particle, axis, 2 * step, wide, curve) ||
                !central_difference(state, particle, axis, step, slope, curve))
                return false;
            for (uint32_t row = 0; row < state->k.kind->rows; ++row) {
                double bend = (slope[row] - wide[row]) / 3;
                slope[row] += bend;
                out->bend[row] = fmax(out->bend[row], fabs(bend));
                out->largest[row] = fmax(out->largest[row], fabs(slope[row]));
                out->curve[row] = fmax(out->curve[row], curve[row]);
            }
        }
    return true;
}

/* Compares all derivatives of one state. False if the state has none to compare with: C does not exist, or bends so
   much within a step (a kink, a jump, an axis close by) that differences tell nothing. */
static bool check_gradient(const point_state *state, double tolerance)
{
    case_value value;
    slopes numeric;
    double allowed[SN_MAX_ROWS], g[CASE_PARTICLES][3];
    if (!evaluate_at(&state->k, state->k.x, &value) || !measure_slopes(state, &numeric))
        return false;
    for (uint32_t row = 0; row < state->k.kind->rows; ++row) {
        double noise = slope_noise(state, (double)value.c[row], numeric.largest[row]);
        noise += EXACTNESS(2.4e-7, 4.4e-16) * state->scale * numeric.curve[row];
        double slope = numeric.largest[row] + slope_step(state) * numeric.curve[row]; /* at the end of a step, about */
        allowed[row] = tolerance * slope + noise;
        if (numeric.bend[row] > 0.003 * slope + noise)
            return false;
    }
    for (uint32_t row = 0; row < state->k.kind->rows; ++row) {
        gather_row(&state->k, &value, row, g);
        for (uint32_t particle = 0; particle < state->k.particles; ++particle)
            for (uint32_t axis = 0; axis < 3; ++axis)
                assert_close(g[particle][axis], numeric.slope[particle][axis][row], allowed[row]);
    }
    return true;
}

enum { STATES_PER_SCALE = 50 };

/* Gives a state parameters: those of the state itself (C = 0, where kinds measure) or of another one (C far from 0). */
static void give_params(const case_subject *s, uint64_t *seed, point_state *state, uint32_t i)
{
    point_state other = random_state(s, seed, state->scale);
    sn_vec3 x[CASE_POINTS];
    points_of(&state->k, i % 2 ? state->k.x : other.k.x, x);
    choose_params(seed, s->kind, state->k.points, 3, state->scale, x, state->k.param);
    measure_own(s->kind, state->k.points, x, state->k.own);
}

static void check_gradients_at_scale(const case_subject *s, double scale)
{
    uint64_t seed = case_seed(s);
    uint32_t compared = 0;
    /* From afar a bead sees the round corner of a polyline as a short arc: rounding turns the tangent there by last places times
       distance over arc, and no step is short enough for the arc and long enough for that. Measured: 3e-8. */
    bool round = s->number == SN_KIND_ON_POLYLINE;
    for (uint32_t i = 0; i < STATES_PER_SCALE; ++i) {
        point_state state = random_state(s, &seed, scale);
        give_params(s, &seed, &state, i);
        compared += check_gradient(&state, EXACTNESS(1e-3, round ? 1e-7 : 1e-8));
    }
    assert_in_range(compared, STATES_PER_SCALE * 3 / 4, STATES_PER_SCALE);
}

static void gradient_at_a_metre(const case_subject *s)
{
    check_gradients_at_scale(s, 1);
}

static void gradient_at_a_millimetre(const case_subject *s)
{
    check_gradients_at_scale(s, 1e-3);
}

static void gradient_at_a_kilometre(const case_subject *s)
{
    check_gradients_at_scale(s, 1e3);
}

/* Nearly coplanar, collinear and coincident points. */
static void gradient_near_degenerate(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    uint32_t compared = 0;
    for (int squeeze = SQUEEZE_TO_PLANE; squeeze <= SQUEEZE_TO_POINT; ++squeeze)
        for (uint32_t i = 0; i < STATES_PER_SCALE; ++i) {
            point_state state = squeezed_state(s, &seed, squeeze);
            give_params(s, &seed, &state, i);
            compared += check_gradient(&state, EXACTNESS(1e-2, 1e-6));
        }
    assert_true(compared >= STATES_PER_SCALE * 3 / 2);
}

/* ---- C itself --------------------------------------------------------------------------------------------------- */

static void check_finite(const kind_case *k, const case_value *value)
{
    for (uint32_t row = 0; row < k->kind->rows; ++row)
        assert_true(isfinite(value->c[row]));
    for (uint32_t i = 0; i < k->kind->rows * k->points; ++i)
        assert_true(support_is_finite(value->gradient[i]));
}

/* All points in one place, all on a line, all in a plane: refused, or finite numbers. What a kind makes of it by
   itself, a projection or a force, is finite as well. */
static void degenerate_states_give_no_nan(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t axes = 0; axes < 3; ++axes) {
        point_state state = random_state(s, &seed, 1);
        kind_case *k = &state.k;
        give_params(s, &seed, &state, 1);
        for (uint32_t i = 0; i < k->particles; ++i)
            k->x[i] = vec(axes > 0 ? (double)k->x[i].x : 0.5, axes > 1 ? (double)k->x[i].y : 0.5, 0.5);
        case_value value;
        if (evaluate_at(k, k->x, &value))
            check_finite(k, &value);
        sn_vec3 x[CASE_POINTS], still[CASE_POINTS] = {{0, 0, 0}}, moved[CASE_POINTS] = {{0, 0, 0}};
        sn_real w[CASE_POINTS];
        points_of(k, k->x, x);
        for (uint32_t i = 0; i < k->points; ++i)
            w[i] = 1;
        sn_real state_now[SN_MAX_STATE] = {0};
        sn_eval_in in = {.x = x,
                         .param = k->param,
                         .points = k->points,
                         .context = k->kind->context,
                         .point_param = k->own,
                         .state = state_now,
                         .keep = state_now};
        if (s->kind->force)
            assert_true(isfinite(s->kind->force(&in, still, moved)));
        if (!s->kind->force && (!s->kind->project || !s->kind->project(&in, w, moved)))
            continue;
        for (uint32_t i = 0; i < k->points; ++i)
            assert_true(support_is_finite(moved[i]));
    }
}

static void same_input_gives_same_bits(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    point_state state = random_state(s, &seed, 1);
    give_params(s, &seed, &state, 0);
    case_value first, second;
    assert_true(evaluate_at(&state.k, state.k.x, &first));
    assert_true(evaluate_at(&state.k, state.k.x, &second));
    assert_memory_equal(&first, &second, sizeof(first));
}

/* C of an internal kind depends on differences alone: the gradients of each row sum to zero. */
static void internal_gradients_sum_to_zero(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t i = 0; s->kind->internal && i < STATES_PER_SCALE; ++i) {
        case_value value;
        point_state state = random_state(s, &seed, 1);
        give_params(s, &seed, &state, i);
        assert_true(evaluate_at(&state.k, state.k.x, &value));
        for (uint32_t row = 0; row < s->kind->rows; ++row) {
            double sum[3] = {0}, length = 0;
            for (uint32_t point = 0; point < state.k.points; ++point) {
                sn_vec3 g = value.gradient[row * state.k.points + point];
                sum[0] += (double)g.x;
                sum[1] += (double)g.y;
                sum[2] += (double)g.z;
                length += (double)case_length(g);
            }
            assert_true(sqrt(dot3(sum, sum)) <= EXACTNESS(1e-6, 1e-14) * length);
        }
    }
}

/* What a kind measures satisfies it there, to the last bit, and passes its own check. (What says nothing about where
   C is 0 need only do the latter.) */
static void measured_parameters_satisfy(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t i = 0; s->kind->measure && i < STATES_PER_SCALE; ++i) {
        case_value value;
        point_state state = random_state(s, &seed, i % 2 ? 1e-3 : 1e3);
        sn_vec3 x[CASE_POINTS];
        points_of(&state.k, state.k.x, x);
        measure_params(s->kind, state.k.points, x, state.k.param);
        measure_own(s->kind, state.k.points, x, state.k.own);
        fill_params(&seed, s->kind, 3, state.scale, state.k.param);
        assert_true(!s->kind->check || !s->kind->check(state.k.param));
        assert_true(evaluate_at(&state.k, state.k.x, &value));
        if (measures_its_rest(s->kind))
            assert_true(largest_miss(s->kind, &value) == 0);
    }
}

/* ---- Forces ----------------------------------------------------------------------------------------------------- */

/* A force element in a state, its energy and its forces by particle, with velocities v by particle. */
static double force_at(const kind_case *k, const sn_vec3 *at, const sn_vec3 *v, double (*f)[3])
{
    sn_vec3 x[CASE_POINTS], rate[CASE_POINTS], force[CASE_POINTS];
    points_of(k, at, x);
    points_of(k, v, rate);
    memset(force, 0, sizeof(force));
    sn_eval_in in = {.x = x, .param = k->param, .points = k->points, .context = k->kind->context};
    double energy = (double)k->kind->force(&in, rate, force);
    memset(f, 0, CASE_PARTICLES * sizeof(*f));
    for (uint32_t i = 0; i < k->points; ++i) {
        f[k->index[i][0]][0] += (double)force[i].x;
        f[k->index[i][0]][1] += (double)force[i].y;
        f[k->index[i][0]][2] += (double)force[i].z;
    }
    return energy;
}

/* A state for a force: parameters with a default, such as damping, are not left at it. */
static point_state forced_state(const case_subject *s, uint64_t *seed, uint32_t i)
{
    point_state state = random_state(s, seed, 1);
    give_params(s, seed, &state, i);
    sn_real *value = state.k.param;
    for (const sn_param *p = s->kind->param; p->name; value += param_numbers(p), ++p)
        if (p->has_default)
            random_param(seed, p, 3, 1, value);
    return state;
}

static const sn_vec3 at_rest[CASE_PARTICLES];

/* At rest the force is the downward slope of the energy, by finite differences. */
static void force_is_slope_of_energy(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; n < STATES_PER_SCALE; ++n) {
        point_state state = forced_state(s, &seed, n);
        const kind_case *k = &state.k;
        double f[CASE_PARTICLES][3], unused[CASE_PARTICLES][3], step = state.feature * EXACTNESS(1e-2, 1e-4);
        double energy = force_at(k, k->x, at_rest, f), largest = 0, stiffest = 0;
        for (uint32_t i = 0; i < k->particles; ++i)
            largest = fmax(largest, sqrt(dot3(f[i], f[i])));
        for (uint32_t i = 0; i < sn_kind_param_count(s->kind); ++i)
            stiffest = fmax(stiffest, fabs((double)k->param[i]));
        for (uint32_t i = 0; i < k->particles; ++i)
            for (uint32_t axis = 0; axis < 3; ++axis) {
                double slope[2];
                for (uint32_t wide = 0; wide < 2; ++wide) {
                    sn_vec3 high[CASE_PARTICLES], low[CASE_PARTICLES];
                    memcpy(high, k->x, sizeof(high));
                    memcpy(low, k->x, sizeof(low));
                    sn_real *up = component(&high[i], axis), *down = component(&low[i], axis);
                    *up += (sn_real)((1 + wide) * step);
                    *down -= (sn_real)((1 + wide) * step);
                    slope[wide] = (force_at(k, high, at_rest, unused) - force_at(k, low, at_rest, unused)) /
                                  ((double)*up - (double)*down);
                }
                /* last places of the energy, and of lengths times a stiffness where it has its minimum */
                double noise = EXACTNESS(1e-6, 1e-15) * ((fabs(energy) + largest) / step + 20 * stiffest);
                double expected = -(4 * slope[0] - slope[1]) / 3;
                assert_close(f[i][axis], expected, EXACTNESS(2e-3, 1e-7) * largest + noise);
            }
    }
}

/* Action and reaction, and no torque where nothing names a direction; the part that depends on velocity takes energy
   away and leaves a common velocity alone. */
static void forces_keep_momentum_and_lose_energy(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    for (uint32_t n = 0; n < STATES_PER_SCALE; ++n) {
        point_state state = forced_state(s, &seed, n);
        const kind_case *k = &state.k;
        sn_vec3 v[CASE_PARTICLES], together[CASE_PARTICLES];
        double still[CASE_PARTICLES][3], moving[CASE_PARTICLES][3], carried[CASE_PARTICLES][3];
        for (uint32_t i = 0; i < k->particles; ++i) {
            v[i] = random_place(&seed, 3, 2);
            together[i] = v[0];
        }
        double energy = force_at(k, k->x, at_rest, still), power = 0, size = 0, sum[3] = {0}, torque[3] = {0};
        assert_true(force_at(k, k->x, v, moving) == energy);
        force_at(k, k->x, together, carried);
        for (uint32_t i = 0; i < k->particles; ++i) {
            const double x[3] = {(double)k->x[i].x, (double)k->x[i].y, (double)k->x[i].z};
            const double rate[3] = {(double)v[i].x, (double)v[i].y, (double)v[i].z};
            size += sqrt(dot3(moving[i], moving[i])) + sqrt(dot3(still[i], still[i]));
            power += dot3(moving[i], rate) - dot3(still[i], rate);
            for (uint32_t axis = 0; axis < 3; ++axis) {
                uint32_t b = (axis + 1) % 3, c = (axis + 2) % 3;
                sum[axis] += moving[i][axis];
                torque[axis] += x[b] * moving[i][c] - x[c] * moving[i][b];
            }
        }
        double tolerance = EXACTNESS(3e-6, 1e-14) * size;
        assert_true(!s->kind->internal || sqrt(dot3(sum, sum)) <= tolerance);
        assert_true(!s->kind->internal || sqrt(dot3(torque, torque)) <= 3 * tolerance);
        assert_true(power <= 5 * tolerance);
        for (uint32_t i = 0; s->kind->internal && i < k->particles; ++i)
            for (uint32_t axis = 0; axis < 3; ++axis)
                assert_close(carried[i][axis], still[i][axis], tolerance);
    }
}

int main(void)
{
    static const case_entry entries[] = {
        {"describes itself", describes_itself, CASE_ALL, false},
        {"gradient at a metre", gradient_at_a_metre, CASE_ALL, false},
        {"gradient at a millimetre", gradient_at_a_millimetre, CASE_ALL, false},
        {"gradient at a kilometre", gradient_at_a_kilometre, CASE_ALL, false},
        {"gradient near degenerate states", gradient_near_degenerate, CASE_ALL, false},
        {"degenerate states give no NaN", degenerate_states_give_no_nan, CASE_ALL, false},
        {"same input, same bits", same_input_gives_same_bits, CASE_ALL, false},
        {"internal gradients sum to zero", internal_gradients_sum_to_zero, CASE_ALL, false},
        {"measured parameters satisfy", measured_parameters_satisfy, CASE_ALL, false},
        {"force is the slope of the energy", force_is_slope_of_energy, CASE_FORCES, false},
        {"forces keep momentum and lose energy", forces_keep_momentum_and_lose_energy, CASE_FORCES, false},
    };
    return run_for_every_kind("kinds", entries, COUNT_OF(entries));
}
