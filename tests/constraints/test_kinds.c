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
    assert_in_range(kind->points, 1, SN_MAX_POINTS);
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
}

/* ---- Gradients by finite differences ---------------------------------------------------------------------------- */

/* A state for the points alone, and the size of its smallest feature: the length below which C may bend. */
typedef struct point_state {
    sn_vec3 x[SN_MAX_POINTS];
    double scale, feature;
} point_state;

static point_state random_state(const case_subject *s, uint64_t *seed, double scale)
{
    kind_case k = {.kind = s->kind, .number = s->number, .dimensions = 3};
    lay_out(&k, CASE_ON_PARTICLES, seed);
    scatter(&k, seed, scale);
    point_state state = {.scale = scale, .feature = fmin(scale, smallest_gap(k.x, s->kind->points))};
    memcpy(state.x, k.x, sizeof(state.x));
    return state;
}

/* How a state can be nearly degenerate: squeezed to a small part of its size along one, two or all directions. */
enum { SQUEEZE_TO_PLANE = 1, SQUEEZE_TO_LINE = 2, SQUEEZE_TO_POINT = 3 };

#define SQUEEZE 1e-2

static point_state squeezed_state(const case_subject *s, uint64_t *seed, int squeeze)
{
    point_state state = random_state(s, seed, 1);
    for (uint32_t i = 0; i < s->kind->points; ++i) {
        sn_real *x = &state.x[i].x, *y = &state.x[i].y, *z = &state.x[i].z;
        *z *= (sn_real)SQUEEZE;
        *y *= (sn_real)(squeeze >= SQUEEZE_TO_LINE ? SQUEEZE : 1);
        *x *= (sn_real)(squeeze >= SQUEEZE_TO_POINT ? SQUEEZE : 1);
    }
    state.feature = fmin(SQUEEZE, smallest_gap(state.x, s->kind->points));
    return state;
}

/* The central difference (C(x + d) - C(x - d)) / 2d of all rows, with the steps that the numbers really took. */
static bool central_difference(const case_subject *s, const sn_real *param, const point_state *state, uint32_t point,
                               uint32_t axis, double step, double *slope)
{
    case_value high, low;
    point_state a = *state, b = *state;
    sn_real *up = component(&a.x[point], axis), *down = component(&b.x[point], axis);
    *up += (sn_real)step;
    *down -= (sn_real)step;
    if (!evaluate(s->kind, param, a.x, &high) || !evaluate(s->kind, param, b.x, &low))
        return false;
    for (uint32_t row = 0; row < s->kind->rows; ++row)
        slope[row] = ((double)high.c[row] - (double)low.c[row]) / ((double)*up - (double)*down);
    return true;
}

/* The step of the differences: large enough for the round-off of C, small enough for its curvature. */
static double slope_step(const point_state *state)
{
    return state->feature * EXACTNESS(1e-2, 1e-4);
}

/* What round-off of C may add to a difference: a few last places of the largest length, area or angle that C is
   computed from, over the step. */
static double slope_noise(const sn_kind *kind, const point_state *state, const sn_real *param, double c)
{
    double size = fabs(c);
    for (uint32_t i = 0; i < sn_kind_param_count(kind); ++i)
        size = fmax(size, fabs((double)param[i]));
    return 4 * EXACTNESS(6e-8, 1.1e-16) * size / slope_step(state);
}

/* The slopes of all rows by all coordinates, and how far the differences can be trusted. */
typedef struct slopes {
    double slope[SN_MAX_POINTS][3][SN_MAX_ROWS];
    double bend[SN_MAX_ROWS];    /* what extrapolation changed, at most */
    double largest[SN_MAX_ROWS]; /* slope of the row */
} slopes;

/* Richardson's extrapolation of two central differences, whose error is of fourth order in the step. False where C does
   not exist. */
static bool measure_slopes(const case_subject *s, const sn_real *param, const point_state *state, slopes *out)
{
    double step = slope_step(state), wide[SN_MAX_ROWS];
    memset(out, 0, sizeof(*out));
    for (uint32_t point = 0; point < s->kind->points; ++point)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            double *slope = out->slope[point][axis];
            if (!central_difference(s, param, state, point, axis, step, slope) ||
                !central_difference(s, param, state, point, axis, 2 * step, wide))
                return false;
            for (uint32_t row = 0; row < s->kind->rows; ++row) {
                double bend = (slope[row] - wide[row]) / 3;
                slope[row] += bend;
                out->bend[row] = fmax(out->bend[row], fabs(bend));
                out->largest[row] = fmax(out->largest[row], fabs(slope[row]));
            }
        }
    return true;
}

/* Compares all derivatives of one state. False if the state has none to compare with: C does not exist, or bends so
   much within a step (a kink, a jump, an axis close by) that differences tell nothing. */
static bool check_gradient(const case_subject *s, const sn_real *param, const point_state *state, double tolerance)
{
    case_value value;
    slopes numeric;
    double allowed[SN_MAX_ROWS];
    if (!evaluate(s->kind, param, state->x, &value) || !measure_slopes(s, param, state, &numeric))
        return false;
    for (uint32_t row = 0; row < s->kind->rows; ++row) {
        double noise = slope_noise(s->kind, state, param, (double)value.c[row]);
        allowed[row] = tolerance * numeric.largest[row] + noise;
        if (numeric.bend[row] > 0.003 * numeric.largest[row] + noise)
            return false;
    }
    for (uint32_t point = 0; point < s->kind->points; ++point)
        for (uint32_t axis = 0; axis < 3; ++axis)
            for (uint32_t row = 0; row < s->kind->rows; ++row) {
                sn_vec3 *g = &value.gradient[row * s->kind->points + point];
                assert_close(*component(g, axis), numeric.slope[point][axis][row], allowed[row]);
            }
    return true;
}

enum { STATES_PER_SCALE = 50 };

/* Parameters for a state: those of the state itself (C = 0, where kinds measure) or of another one (C far from 0). */
static void params_for(const case_subject *s, uint64_t *seed, const point_state *state, uint32_t i, sn_real *param)
{
    point_state other = random_state(s, seed, state->scale);
    choose_params(seed, s->kind, 3, state->scale, i % 2 ? state->x : other.x, param);
}

static void check_gradients_at_scale(const case_subject *s, double scale)
{
    uint64_t seed = case_seed(s);
    uint32_t compared = 0;
    sn_real param[SN_MAX_PARAMS];
    for (uint32_t i = 0; i < STATES_PER_SCALE; ++i) {
        point_state state = random_state(s, &seed, scale);
        params_for(s, &seed, &state, i, param);
        compared += check_gradient(s, param, &state, EXACTNESS(1e-3, 1e-8));
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
    sn_real param[SN_MAX_PARAMS];
    for (int squeeze = SQUEEZE_TO_PLANE; squeeze <= SQUEEZE_TO_POINT; ++squeeze)
        for (uint32_t i = 0; i < STATES_PER_SCALE; ++i) {
            point_state state = squeezed_state(s, &seed, squeeze);
            params_for(s, &seed, &state, i, param);
            compared += check_gradient(s, param, &state, EXACTNESS(1e-2, 1e-6));
        }
    assert_true(compared >= STATES_PER_SCALE * 3 / 2);
}

/* ---- C itself --------------------------------------------------------------------------------------------------- */

static void check_finite(const sn_kind *kind, const case_value *value)
{
    for (uint32_t row = 0; row < kind->rows; ++row)
        assert_true(isfinite(value->c[row]));
    for (uint32_t i = 0; i < kind->rows * kind->points; ++i)
        assert_true(support_is_finite(value->gradient[i]));
}

/* All points in one place, all on a line, all in a plane: refused, or finite numbers. */
static void degenerate_states_give_no_nan(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    sn_real param[SN_MAX_PARAMS];
    for (uint32_t axes = 0; axes < 3; ++axes) {
        point_state state = random_state(s, &seed, 1);
        choose_params(&seed, s->kind, 3, 1, state.x, param);
        for (uint32_t i = 0; i < s->kind->points; ++i)
            state.x[i] = vec(axes > 0 ? (double)state.x[i].x : 0.5, axes > 1 ? (double)state.x[i].y : 0.5, 0.5);
        case_value value;
        if (evaluate(s->kind, param, state.x, &value))
            check_finite(s->kind, &value);
    }
}

static void same_input_gives_same_bits(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    sn_real param[SN_MAX_PARAMS];
    point_state state = random_state(s, &seed, 1);
    params_for(s, &seed, &state, 0, param);
    case_value first, second;
    assert_true(evaluate(s->kind, param, state.x, &first));
    assert_true(evaluate(s->kind, param, state.x, &second));
    assert_memory_equal(&first, &second, sizeof(first));
}

/* C of an internal kind depends on differences alone: the gradients of each row sum to zero. */
static void internal_gradients_sum_to_zero(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    sn_real param[SN_MAX_PARAMS];
    for (uint32_t i = 0; s->kind->internal && i < STATES_PER_SCALE; ++i) {
        case_value value;
        point_state state = random_state(s, &seed, 1);
        params_for(s, &seed, &state, i, param);
        assert_true(evaluate(s->kind, param, state.x, &value));
        for (uint32_t row = 0; row < s->kind->rows; ++row) {
            double sum[3] = {0}, length = 0;
            for (uint32_t point = 0; point < s->kind->points; ++point) {
                sn_vec3 g = value.gradient[row * s->kind->points + point];
                sum[0] += (double)g.x;
                sum[1] += (double)g.y;
                sum[2] += (double)g.z;
                length += (double)case_length(g);
            }
            assert_true(sqrt(dot3(sum, sum)) <= EXACTNESS(1e-6, 1e-14) * length);
        }
    }
}

/* What a kind measures satisfies it there, to the last bit, and passes its own check. */
static void measured_parameters_satisfy(const case_subject *s)
{
    uint64_t seed = case_seed(s);
    sn_real param[SN_MAX_PARAMS];
    for (uint32_t i = 0; s->kind->measure && i < STATES_PER_SCALE; ++i) {
        case_value value;
        point_state state = random_state(s, &seed, i % 2 ? 1e-3 : 1e3);
        measure_params(s->kind, state.x, param);
        fill_params(&seed, s->kind, 3, state.scale, param);
        assert_true(!s->kind->check || !s->kind->check(param));
        assert_true(evaluate(s->kind, param, state.x, &value));
        assert_true(largest_miss(s->kind, &value) == 0);
    }
}

int main(void)
{
    static const case_entry entries[] = {
        {"describes itself", describes_itself, false},
        {"gradient at a metre", gradient_at_a_metre, false},
        {"gradient at a millimetre", gradient_at_a_millimetre, false},
        {"gradient at a kilometre", gradient_at_a_kilometre, false},
        {"gradient near degenerate states", gradient_near_degenerate, false},
        {"degenerate states give no NaN", degenerate_states_give_no_nan, false},
        {"same input, same bits", same_input_gives_same_bits, false},
        {"internal gradients sum to zero", internal_gradients_sum_to_zero, false},
        {"measured parameters satisfy", measured_parameters_satisfy, false},
    };
    return run_for_every_kind("kinds", entries, COUNT_OF(entries));
}
