#include "wide/cases.h"

#if !SINEW_DOUBLE

#include "base/math.h"
#include "solvers/row.h"

uint32_t case_particle(const wide_case *c, uint32_t i, uint32_t point)
{
    return c->far[(i / SN_BATCH * c->points + point) * SN_BATCH + i % SN_BATCH];
}

float *case_param(wide_case *c, uint32_t i, uint32_t number)
{
    return &c->param[(i / SN_BATCH * c->params + number) * SN_BATCH + i % SN_BATCH];
}

bool case_is_present(const wide_case *c, uint32_t i)
{
    return c->mask[i / SN_BATCH] >> i % SN_BATCH & 1;
}

const sn_wide *case_wide(uint32_t simd)
{
    return sn_wide_choose((sn_simd)simd);
}

/* ---- At random ----------------------------------------------------------------------------------------------------- */

static float in(uint64_t *seed, double least, double most)
{
    return (float)support_random_in(seed, least, most);
}

static void random_params(const sn_eval_in *now, uint32_t kind, double size, float *param, uint64_t *seed)
{
    float length = now->points > 1 ? vec3_length(vec3_sub(now->x[0], now->x[1])) : 0;
    double pi = MATH_PI;
    switch (kind) {
    case SN_KIND_DISTANCE_BAND:
        param[0] = length * in(seed, 0.3, 1.5);
        param[1] = param[0] + length * in(seed, 0, 0.6);
        break;
    case SN_KIND_PIN:
        for (int i = 0; i < 3; ++i)
            param[i] = (&now->x[0].x)[i] + in(seed, -size, size);
        break;
    case SN_KIND_HALF_SPACE:
        for (int i = 0; i < 6; ++i)
            param[i] = in(seed, -1, 1) * (i < 3 ? (float)size : 1);
        length = vec3_length(vec3(param[3], param[4], param[5]));
        for (int i = 3; i < 6; ++i)
            param[i] /= length;
        break;
    case SN_KIND_BOX:
        for (int i = 0; i < 3; ++i) {
            param[i] = (&now->x[0].x)[i] + in(seed, -size, size / 2);
            param[i + 3] = param[i] + in(seed, 0, size);
        }
        break;
    case SN_KIND_VOLUME:
        sn_kind_volume.measure(now, param);
        param[0] *= in(seed, 0.3, 1.7);
        break;
    case SN_KIND_BENDING:
        for (int i = 0; i < 3; ++i)
            param[i] = in(seed, -1, 1) / (float)size;
        break;
    case SN_KIND_ANGLE:
    case SN_KIND_ANGLE_MIN:
    case SN_KIND_ANGLE_MAX:
        param[0] = in(seed, 0, pi);
        break;
    case SN_KIND_DIHEDRAL:
        param[0] = in(seed, -pi, pi);
        break;
    default: /* distances */
        param[0] = length * in(seed, 0.3, 1.7);
    }
}

/* Positions as the generic way hands them to a kind. */
static void positions(const wide_case *c, const sn_vec4 *d, uint32_t i, sn_vec3 *x)
{
    sn_vec4 first = c->x[case_particle(c, i, 0)];
    sn_vec3 origin = c->about->internal ? vec4_xyz(first) : vec3(0, 0, 0);
    for (uint32_t p = 0; p < c->points; ++p) {
        uint32_t slot = case_particle(c, i, p);
        x[p] = vec3_add(vec3_sub(vec4_xyz(c->x[slot]), origin), vec4_xyz(d[slot]));
    }
}

void case_choose_params(wide_case *c, uint32_t i, uint64_t *seed)
{
    sn_vec3 x[CASE_POINTS];
    float param[CASE_PARAMS] = {0};
    positions(c, c->d, i, x);
    sn_eval_in now = {.x = x, .param = param, .points = c->points};
    random_params(&now, c->kind, c->size, param, seed);
    for (uint32_t n = 0; n < c->params; ++n)
        *case_param(c, i, n) = param[n];
}

/* Points of constraints lie in a permuted order. In planes there are gaps between some rows. */
static void lay_out(wide_case *c, uint64_t *seed)
{
    uint32_t used = CASE_LANES * c->points, order[CASE_COUNT];
    for (uint32_t i = 0; i < used; ++i) {
        uint32_t j = support_random_below(seed, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (uint32_t i = 0; i < used; ++i) {
        c->far[i] = order[i];
        c->near[i] = (uint16_t)order[i];
    }
    for (uint32_t b = 0; b < CASE_BATCHES; ++b)
        for (uint32_t p = 0; p < c->points; ++p)
            c->offset[b * c->points + p] = (p * 2 * CASE_BATCHES + b + b / 3) * SN_ROW + SN_BATCH;
}

void case_random(wide_case *c, uint32_t kind, double size, uint64_t *seed)
{
    memset(c, 0, sizeof *c);
    c->kind = kind;
    c->about = sn_builtin_kinds[kind];
    c->points = c->about->points;
    c->rows = c->about->rows;
    for (uint32_t i = 0; i < SN_MAX_PARAMS && c->about->param[i].name; ++i)
        c->params += param_width(&c->about->param[i]);
    c->size = size;
    c->inverse_h2 = 360000;
    c->rigid = true;
    lay_out(c, seed);
    for (uint32_t i = 0; i < CASE_COUNT; ++i) {
        float small = (float)size * 0.05f;
        float w = support_random_below(seed, 6) ? in(seed, 0.1, 10) : 0;
        c->x[i] = (sn_vec4){in(seed, -size, size), in(seed, -size, size), in(seed, -size, size), w};
        c->d[i] = (sn_vec4){in(seed, -1, 1) * small, in(seed, -1, 1) * small, in(seed, -1, 1) * small, 0};
        c->start[i] = c->x[i];
        c->start[i].x += small * (float)(i % 5) / 5;
    }
    for (uint32_t i = 0; i < CASE_LANES; ++i) {
        c->row[i] = CASE_LANES - 1 - i;
        c->stiffness[i] = 1;
        c->mask[i / SN_BATCH] |= (uint16_t)(1u << i % SN_BATCH);
        case_choose_params(c, i, seed);
    }
}

void case_empty_some(wide_case *c, uint64_t *seed)
{
    for (uint32_t i = 0; i < CASE_LANES; ++i) {
        if (support_random_below(seed, 3))
            continue;
        c->mask[i / SN_BATCH] &= (uint16_t) ~(1u << i % SN_BATCH);
        c->compliance[i] = c->damping[i] = c->stiffness[i] = NAN;
        c->row[i] = UINT32_MAX;
        for (uint32_t n = 0; n < c->params; ++n)
            *case_param(c, i, n) = NAN;
        for (uint32_t p = 0; p < c->points; ++p) { /* several lanes at one particle, which is nobody's */
            uint32_t at = (i / SN_BATCH * c->points + p) * SN_BATCH + i % SN_BATCH;
            c->far[at] = CASE_COUNT - 1;
            c->near[at] = CASE_COUNT - 1;
        }
    }
    if (support_random_below(seed, 2))
        c->mask[2] = 0;
}

/* ---- Through the kernels --------------------------------------------------------------------------------------------- */

/* Writes the particles to planes, or takes d from there. */
static void exchange(const wide_case *c, sn_vec4 *d, float *plane, float *start, bool there)
{
    for (uint32_t i = 0; i < CASE_LANES; ++i)
        for (uint32_t p = 0; p < c->points; ++p) {
            uint32_t slot = case_particle(c, i, p);
            float *at = plane + c->offset[i / SN_BATCH * c->points + p] + i % SN_BATCH;
            for (uint32_t k = 0; k < 3; ++k) {
                float *from = at + (k + (c->coarse ? SN_PLANE_X : SN_PLANE_D)) * SN_BATCH, *own = &(&d[slot].x)[k];
                if (!there && (case_is_present(c, i) || memcmp(own, from, sizeof *own) != 0))
                    *own = *from;
                if (there)
                    *from = *own;
                if (there) {
                    at[(SN_PLANE_X + k) * SN_BATCH] = (&c->x[slot].x)[k];
                    start[at - plane + (SN_PLANE_D + k) * SN_BATCH] = (&c->start[slot].x)[k];
                }
            }
            if (there)
                at[SN_PLANE_W * SN_BATCH] = c->x[slot].w;
        }
}

void case_run(const wide_case *c, const sn_wide *wide, case_layout layout, wide_result *result)
{
    static float plane[CASE_FLOATS], start[CASE_FLOATS];
    memcpy(result->d, c->d, sizeof result->d);
    memcpy(result->lambda, c->lambda, sizeof result->lambda);
    memset(plane, 0, sizeof plane);
    sn_wide_run run = {.batches = CASE_BATCHES,
                       .near = layout == CASE_NEAR ? c->near : NULL,
                       .far = c->far,
                       .offset = c->offset,
                       .number = c->kind,
                       .kind = c->about,
                       .params = c->params,
                       .bounded = sn_wide_bounded(c->about),
                       .inverse_h = sqrtf(c->inverse_h2),
                       .mask = c->mask,
                       .param = c->param,
                       .compliance = c->rigid ? NULL : c->compliance,
                       .damping = c->damped ? c->damping : NULL,
                       .stiffness = c->soft ? c->stiffness : NULL,
                       .start = c->start,
                       .start_low = c->start,
                       .start_plane = start,
                       .read_lambda = c->read_lambda,
                       .write_lambda = c->write_lambda,
                       .inverse_h2 = c->inverse_h2,
                       .x = c->x,
                       .d = result->d,
                       .plane = layout == CASE_PLANES ? plane : NULL,
                       .coarse = c->coarse};
    if (c->read_lambda || c->write_lambda) {
        run.row = c->row;
        run.lambda = result->lambda;
    }
    if (c->coarse) {
        memcpy(result->d, c->x, sizeof result->d);
        run.x = result->d;
    }
    exchange(c, result->d, plane, start, true);
    sn_wide_project(wide, &run);
    if (layout == CASE_PLANES)
        exchange(c, result->d, plane, start, false);
}

static void generic_row(const wide_case *c, uint32_t i, wide_result *result)
{
    uint32_t points = c->points, rows = c->rows, slot[CASE_POINTS];
    sn_vec3 x[CASE_POINTS], gradient[CASE_POINTS * CASE_ROWS] = {{0, 0, 0}};
    float param[CASE_PARAMS], w[CASE_POINTS], none[CASE_ROWS] = {0};
    sn_block block = {.rows = rows, .count = points, .slot = slot, .w = w, .gradient = gradient};
    for (uint32_t n = 0; n < c->params; ++n)
        param[n] = *case_param((wide_case *)c, i, n);
    for (uint32_t p = 0; p < points; ++p) {
        slot[p] = case_particle(c, i, p);
        w[p] = c->x[slot[p]].w;
    }
    positions(c, result->d, i, x);
    float *stored = result->lambda + (size_t)c->row[i] * rows, lambda[CASE_ROWS];
    memcpy(lambda, c->read_lambda ? stored : none, rows * sizeof *lambda);
    sn_eval_in now = {.x = x, .param = param, .points = points};
    sn_eval_out out = {.c = block.c, .gradient = gradient};
    sn_frame frame = {.x = c->x, .d = result->d, .start = c->start};
    float alpha = c->rigid ? 0 : fminf(c->compliance[i] * c->inverse_h2, SN_ROW_MOST);
    const float inverse_h = sqrtf(c->inverse_h2);
    float gamma = c->rigid || !c->damped ? 0 : fminf(c->compliance[i] * c->damping[i] * inverse_h, SN_ROW_MOST);
    const sn_row_give how = {alpha, gamma, c->soft ? c->stiffness[i] : 1, inverse_h};
    bool exists = c->about->eval(&now, &out);
    for (uint32_t r = 0; r < rows; ++r) {
        double give = (double)alpha;
        for (uint32_t p = 0; p < points; ++p)
            give += (double)w[p] * vec3_dot_double(gradient[r * points + p], gradient[r * points + p]);
        result->give[(size_t)c->row[i] * rows + r] = give;
    }
    if (exists)
        assert_true(row_solve(&block, points, rows, c->about->inequality, how, &frame, lambda));
    if (c->write_lambda)
        memcpy(stored, lambda, rows * sizeof *lambda);
}

void case_run_generic(const wide_case *c, wide_result *result)
{
    memcpy(result->d, c->d, sizeof result->d);
    memcpy(result->lambda, c->lambda, sizeof result->lambda);
    for (uint32_t i = 0; i < CASE_LANES; ++i)
        if (case_is_present(c, i))
            generic_row(c, i, result);
}

#endif
