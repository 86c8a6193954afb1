/* One constraint of any kind in a state made up for it, for the tests that iterate the table of kinds.

   A case is built from the kind's own description alone: its points and parameters, their types, units and ranges, its
   measure and check functions. So a kind is tested the day it joins the table, with no change here. A few kinds
   registered by the test ride along, so that what a caller registers is tested in the same way: one with any number of
   points, one with its own projection, one that is a force. */
#ifndef SINEW_TESTS_KIND_CASES_H
#define SINEW_TESTS_KIND_CASES_H

#include "support/support.h"

#include <math.h>

#define CASE_PARTICLES (4 * SN_MAX_POINTS) /* every point in a tetrahedron of its own */
#define CASE_POINTS    SUPPORT_MOST_POINTS
#define CASE_GRADIENTS (SN_MAX_ROWS * CASE_POINTS)

/* a tolerance in the float build, and in the double build */
#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))

/* ---- Kinds that a caller registers ------------------------------------------------------------------------------ */

/* The area of a triangle: C = |(b - a) x (c - a)| / 2 - area, nonlinear, internal, of three points. With n the unit
   normal, grad_a = n x (c - b) / 2 and so on around. */
static inline sn_vec3 case_cross(sn_vec3 a, sn_vec3 b)
{
    return (sn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline sn_vec3 case_sub(sn_vec3 a, sn_vec3 b)
{
    return (sn_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline sn_vec3 case_scale(sn_vec3 a, sn_real s)
{
    return (sn_vec3){a.x * s, a.y * s, a.z * s};
}

static inline sn_real case_length(sn_vec3 a)
{
    double x = (double)a.x, y = (double)a.y, z = (double)a.z;
    return (sn_real)sqrt(x * x + y * y + z * z);
}

static inline bool case_area_eval(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 normal = case_cross(case_sub(in->x[1], in->x[0]), case_sub(in->x[2], in->x[0]));
    sn_real twice = case_length(normal);
    if (!(twice > 0))
        return false;
    sn_vec3 n = case_scale(normal, 1 / (2 * twice));
    out->c[0] = twice / 2 - in->param[0];
    for (uint32_t i = 0; i < 3; ++i)
        out->gradient[i] = case_cross(n, case_sub(in->x[(i + 2) % 3], in->x[(i + 1) % 3]));
    return true;
}

static inline void case_area_measure(const sn_eval_in *in, sn_real *param)
{
    sn_vec3 normal = case_cross(case_sub(in->x[1], in->x[0]), case_sub(in->x[2], in->x[0]));
    param[0] = case_length(normal) / 2;
}

/* A bead that slides on a pipe along z and does not sink below the pipe's foot: an equality and an inequality in one
   block, C = (|(a - foot)_xy| - radius, (a - foot)_z >= 0). It cannot measure; foot has a default, radius has none. The
   context must arrive as it was registered. */
static const int case_bead_context = 1968;

static inline bool case_bead_eval(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 a = {in->x[0].x - in->param[0], in->x[0].y - in->param[1], 0};
    sn_real r = case_length(a);
    if (in->context != &case_bead_context || !(r > 0))
        return false;
    out->c[0] = r - in->param[3];
    out->gradient[0] = case_scale(a, 1 / r);
    out->c[1] = in->x[0].z - in->param[2];
    out->gradient[1].z = 1;
    return true;
}

/* A string through any number of particles, each once, keeps its length: C = sum of |x(i+1) - x(i)| - length. */
static inline bool case_string_eval(const sn_eval_in *in, const sn_eval_out *out)
{
    double length = 0;
    for (uint32_t i = 0; i + 1 < in->points; ++i) {
        sn_vec3 d = case_sub(in->x[i + 1], in->x[i]);
        sn_real gap = case_length(d);
        if (!(gap > 0))
            return false;
        length += (double)gap;
        sn_vec3 n = case_scale(d, 1 / gap);
        out->gradient[i] = case_sub(out->gradient[i], n);
        out->gradient[i + 1] = n;
    }
    out->c[0] = (sn_real)length - in->param[0];
    return true;
}

static inline void case_string_measure(const sn_eval_in *in, sn_real *param)
{
    double length = 0;
    for (uint32_t i = 0; i + 1 < in->points; ++i)
        length += (double)case_length(case_sub(in->x[i + 1], in->x[i]));
    param[0] = (sn_real)length;
}

/* Two points meet in their barycentre: C = a - b, with a projection of its own, which is exact in one go. */
static inline bool case_meet_eval(const sn_eval_in *in, const sn_eval_out *out)
{
    static const sn_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sn_vec3 c = case_sub(in->x[0], in->x[1]);
    out->c[0] = c.x;
    out->c[1] = c.y;
    out->c[2] = c.z;
    for (uint32_t row = 0; row < 3; ++row) {
        out->gradient[2 * row] = axis[row];
        out->gradient[2 * row + 1] = case_scale(axis[row], -1);
    }
    return true;
}

static inline bool case_meet_project(const sn_eval_in *in, const sn_real *w, sn_vec3 *move)
{
    sn_vec3 c = case_sub(in->x[0], in->x[1]);
    sn_real sum = w[0] + w[1];
    if (!(sum > 0))
        return false;
    move[0] = case_scale(c, -w[0] / sum);
    move[1] = case_scale(c, w[1] / sum);
    return true;
}

/* A swarm of pairs that keeps the sum of its squared distances, C = sum of |x(2i) - x(2i+1)|^2 - rest, by a force
   with the energy stiffness C^2 / 2, and in which each pair is damped: a force of any even number of points. */
static inline sn_real case_swarm_sum(const sn_eval_in *in)
{
    sn_real sum = 0;
    for (uint32_t i = 0; i + 1 < in->points; i += 2) {
        sn_vec3 d = case_sub(in->x[i], in->x[i + 1]);
        sum += d.x * d.x + d.y * d.y + d.z * d.z;
    }
    return sum;
}

static inline bool case_swarm_eval(const sn_eval_in *in, const sn_eval_out *out)
{
    out->c[0] = case_swarm_sum(in) - in->param[0];
    for (uint32_t i = 0; i + 1 < in->points; i += 2) {
        sn_vec3 d = case_sub(in->x[i], in->x[i + 1]);
        out->gradient[i] = case_scale(d, 2);
        out->gradient[i + 1] = case_scale(d, -2);
    }
    return true;
}

static inline sn_real case_swarm_force(const sn_eval_in *in, const sn_vec3 *v, sn_vec3 *force)
{
    sn_real c = case_swarm_sum(in) - in->param[0];
    for (uint32_t i = 0; i + 1 < in->points; i += 2) {
        sn_vec3 d = case_sub(in->x[i], in->x[i + 1]), way = case_sub(v[i], v[i + 1]);
        sn_real gap = case_length(d), along = d.x * way.x + d.y * way.y + d.z * way.z;
        sn_real drag = gap > 0 ? in->param[2] * along / (gap * gap) : 0;
        force[i] = case_scale(d, -2 * in->param[1] * c - drag);
        force[i + 1] = case_scale(force[i], -1);
    }
    return in->param[1] * c * c / 2;
}

static inline void case_swarm_measure(const sn_eval_in *in, sn_real *param)
{
    param[0] = case_swarm_sum(in);
}

static const sn_kind case_kinds[] = {
    {.name = "test_area",
     .about = "A triangle keeps its area.",
     .formula = "C = |(b - a) x (c - a)| / 2 - area",
     .unit = "m^2",
     .points = 3,
     .rows = 1,
     .internal = true,
     .param = {{.name = "area", .unit = "m^2", .least = 0, .most = (sn_real)1e30}},
     .eval = case_area_eval,
     .measure = case_area_measure},
    {.name = "test_bead",
     .about = "A bead on a vertical pipe.",
     .formula = "C = (|(a - foot)_xy| - radius, (a - foot)_z >= 0)",
     .points = 1,
     .rows = 2,
     .inequality = 2,
     .param = {{.name = "foot", .unit = "m", .type = SN_PARAM_POSITION, .has_default = true},
               {.name = "radius", .unit = "m", .least = (sn_real)1e-6, .most = (sn_real)1e6}},
     .eval = case_bead_eval,
     .context = (void *)(uintptr_t)&case_bead_context},
    {.name = "test_string",
     .about = "A string through any number of particles keeps its length.",
     .formula = "C = sum of |x(i+1) - x(i)| - length",
     .unit = "m",
     .least_points = 2,
     .rows = 1,
     .internal = true,
     .param = {{.name = "length", .unit = "m", .least = 0, .most = (sn_real)1e30}},
     .eval = case_string_eval,
     .measure = case_string_measure},
    {.name = "test_meet",
     .about = "Two particles meet in their barycentre.",
     .formula = "C = a - b",
     .unit = "m",
     .points = 2,
     .rows = 3,
     .internal = true,
     .eval = case_meet_eval,
     .project = case_meet_project},
    {.name = "test_swarm",
     .about = "Pairs of particles keep the sum of their squared distances, softly.",
     .formula = "C = sum of |a - b|^2 over pairs - rest, energy stiffness C^2 / 2",
     .unit = "m^2",
     .least_points = 4,
     .point_step = 2,
     .rows = 1,
     .internal = true,
     .param = {{.name = "rest", .unit = "m^2", .least = 0, .most = (sn_real)1e30},
               {.name = "stiffness", .unit = "J/m^4", .least = 0, .most = (sn_real)1e30},
               {.name = "damping", .unit = "N s/m", .has_default = true, .least = 0, .most = (sn_real)1e30}},
     .eval = case_swarm_eval,
     .measure = case_swarm_measure,
     .force = case_swarm_force},
};

/* A world in empty space, one substep of one pass, that knows the kinds above. */
static inline sn_world *case_world(uint32_t dimensions)
{
    sn_world_def def = sn_default_world_def();
    def.dimensions = dimensions;
    def.settings.gravity = vec(0, 0, 0);
    def.settings.substeps = 1;
    def.settings.iterations = 1;
    sn_world *world = support_world_from(&def);
    for (size_t i = 0; i < COUNT_OF(case_kinds); ++i)
        assert_int_equal(sn_kind_register(world, &case_kinds[i]), SN_KIND_BUILTIN_END + i);
    return world;
}

/* ---- Parameters from a kind's description ----------------------------------------------------------------------- */

static inline uint32_t param_numbers(const sn_param *param)
{
    return param->type == SN_PARAM_REAL ? 1 : 3;
}

/* Lengths, areas and volumes grow with the scene; angles and bare numbers do not. */
static inline double unit_scale(const char *unit, double scale)
{
    static const char *const powers[] = {"1/m", "1", "m", "m^2", "m^3"};
    for (size_t i = 0; unit && i < COUNT_OF(powers); ++i)
        if (strcmp(unit, powers[i]) == 0)
            return pow(scale, (double)i - 1);
    return 1;
}

static inline double random_value(uint64_t *seed, const sn_param *param, double scale)
{
    double s = unit_scale(param->unit, scale);
    double value =
        param->type == SN_PARAM_REAL ? support_random_in(seed, 0.5, 1.5) * s : support_random_in(seed, -1.5, 1.5) * s;
    bool any = param->least == 0 && param->most == 0;
    return any ? value : fmin(fmax(value, (double)param->least), (double)param->most);
}

static inline void random_param(uint64_t *seed, const sn_param *param, uint32_t dimensions, double scale,
                                sn_real *value)
{
    uint32_t numbers = param_numbers(param);
    bool flat = dimensions == 2 && param->type != SN_PARAM_DIRECTION; /* a direction may lean out of the plane */
    for (uint32_t i = 0; i < numbers; ++i)
        value[i] = i == 2 && flat ? 0 : (sn_real)random_value(seed, param, scale);
    if (param->type == SN_PARAM_DIRECTION) {
        sn_vec3 v = {value[0], value[1], value[2]};
        sn_real length = case_length(v);
        for (uint32_t i = 0; i < 3; ++i)
            value[i] /= length;
    }
}

/* What the kind measures at x; SN_MEASURE where it measures nothing. */
static inline void measure_params(const sn_kind *kind, uint32_t points, const sn_vec3 *x, sn_real *param)
{
    sn_real open[SN_MAX_PARAM_NUMBERS];
    for (uint32_t i = 0; i < SN_MAX_PARAM_NUMBERS; ++i)
        open[i] = param[i] = SN_MEASURE;
    sn_eval_in in = {.x = x, .param = open, .points = points, .context = kind->context};
    if (kind->measure)
        kind->measure(&in, param);
}

/* The numbers of points that the kind measures at x. */
static inline void measure_own(const sn_kind *kind, uint32_t points, const sn_vec3 *x, sn_real *own)
{
    sn_eval_in in = {.x = x, .points = points, .context = kind->context};
    if (kind->measure_points)
        kind->measure_points(&in, own);
}

/* Whether what a kind measures moves the zero of its C: a place, or a number in the unit of C. Isometric bending
   measures weights; whatever they are, its C is 0 where it is flat and nowhere else. */
static inline bool measures_its_rest(const sn_kind *kind)
{
    const char *unit = kind->unit ? kind->unit : "m";
    for (const sn_param *p = kind->param; kind->measure && p->name; ++p)
        if (p->type == SN_PARAM_POSITION || (p->unit && strcmp(p->unit, unit) == 0))
            return true;
    return false;
}

/* Puts random directions in the place of some that were measured, which tend to be all the same. */
static inline void turn_directions(uint64_t *seed, const sn_kind *kind, uint32_t dimensions, sn_real *param)
{
    sn_real *value = param;
    for (const sn_param *p = kind->param; p->name; value += param_numbers(p), ++p)
        if (p->type == SN_PARAM_DIRECTION && support_random_below(seed, 2))
            random_param(seed, p, dimensions, 1, value);
}

/* Fills what was not measured: by the default, else by random numbers. */
static inline void fill_params(uint64_t *seed, const sn_kind *kind, uint32_t dimensions, double scale, sn_real *param)
{
    sn_real *value = param;
    for (const sn_param *p = kind->param; p->name; value += param_numbers(p), ++p) {
        if (value[0] != SN_MEASURE)
            continue;
        random_param(seed, p, dimensions, scale, value);
        for (uint32_t i = 0; p->has_default && i < param_numbers(p); ++i)
            value[i] = p->default_value;
    }
}

/* Parameters for points at x: measured, else the default, else random ones that the kind's check accepts. */
static inline void choose_params(uint64_t *seed, const sn_kind *kind, uint32_t points, uint32_t dimensions,
                                 double scale, const sn_vec3 *x, sn_real *param)
{
    for (uint32_t attempt = 0; attempt < 10000; ++attempt) {
        measure_params(kind, points, x, param);
        turn_directions(seed, kind, dimensions, param);
        fill_params(seed, kind, dimensions, scale, param);
        if (!kind->check || !kind->check(param))
            return;
    }
    fail_msg("no acceptable parameters found for %s", kind->name);
}

static inline sn_real *component(sn_vec3 *v, uint32_t axis)
{
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

/* ---- Evaluation ------------------------------------------------------------------------------------------------- */

typedef struct case_value {
    sn_real c[SN_MAX_ROWS];
    sn_vec3 gradient[CASE_GRADIENTS];
} case_value;

/* What a constraint remembers when it is new. */
static const sn_real case_no_state[SN_MAX_STATE];

static inline bool evaluate(const sn_kind *kind, uint32_t points, const sn_real *param, const sn_real *own,
                            const sn_vec3 *x, case_value *value)
{
    memset(value, 0, sizeof(*value));
    sn_eval_in in = {
        .x = x, .param = param, .points = points, .context = kind->context, .point_param = own, .state = case_no_state};
    sn_eval_out out = {.c = value->c, .gradient = value->gradient};
    return kind->eval(&in, &out);
}

static inline bool is_inequality(const sn_kind *kind, uint32_t row)
{
    return (kind->inequality >> row & 1) != 0;
}

/* By how much row r is missed: |C|, or what an inequality lacks to 0. */
static inline double row_miss(const sn_kind *kind, const case_value *value, uint32_t row)
{
    double c = (double)value->c[row];
    return is_inequality(kind, row) ? fmax(-c, 0) : fabs(c);
}

static inline double largest_miss(const sn_kind *kind, const case_value *value)
{
    double largest = 0;
    for (uint32_t row = 0; row < kind->rows; ++row)
        largest = fmax(largest, row_miss(kind, value, row));
    return largest;
}

/* A kind whose world looks the same in every direction: internal, and no parameter names a direction of the world.
   Such a kind conserves angular momentum as well as linear. Of the kinds with any number of points only surfaces and
   shapes are asked for it: a curve measures the distance of its bead along two directions across it, of which there is no choice
   that does not depend on the axes of the world, and so keeps angular momentum to third order of that distance
   only. */
static inline bool is_isotropic(const sn_kind *kind)
{
    for (const sn_param *p = kind->param; p->name; ++p)
        if (p->type != SN_PARAM_REAL)
            return false;
    return kind->internal && (kind->points > 0 || support_kind_is_surface(kind) || kind->measure_points);
}

/* ---- Cases ------------------------------------------------------------------------------------------------------ */

/* What the points of a case are. */
typedef enum case_layout {
    CASE_ON_PARTICLES, /* for kinds with any number of points: the least number, or a tetrahedron */
    CASE_LONGER,       /* only for those: more of them, or an octahedron */
    CASE_CLOSED, /* only for those of them that let particles repeat, surfaces aside: the last is the second again */
    CASE_IN_TRIANGLES,  /* each point a spot in a triangle of its own */
    CASE_IN_TETRAHEDRA, /* each point a spot in a tetrahedron of its own */
    CASE_SHARED,        /* triangles and tetrahedra by turns, each sharing particles with the next */
    CASE_LAYOUTS
} case_layout;

typedef struct kind_case {
    const sn_kind *kind;
    uint32_t number;
    uint32_t dimensions;

    uint32_t particles;
    sn_vec3 x[CASE_PARTICLES];
    double mass[CASE_PARTICLES];

    uint32_t points;
    uint32_t count[CASE_POINTS]; /* particles of each point, 1, 3 or 4, with their numbers and weights: */
    uint32_t index[CASE_POINTS][4];
    sn_real weight[CASE_POINTS][4];
    sn_real param[SN_MAX_PARAM_NUMBERS];
    sn_real own[CASE_POINTS * SN_MAX_POINT_PARAMS]; /* the numbers of its points */

    sn_world *world; /* filled by case_build */
    sn_particle handle[CASE_PARTICLES];
    sn_point point[CASE_POINTS];
    sn_constraint constraint;
} kind_case;

/* Positive weights that sum to 1. */
static inline void random_weights(uint64_t *seed, uint32_t count, sn_real *weight)
{
    double w[4], sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        sum += w[i] = support_random_in(seed, 0.2, 1);
    for (uint32_t i = 0; i < count; ++i)
        weight[i] = (sn_real)(w[i] / sum);
}

/* Whether a kind can be laid out so. */
static inline bool has_layout(const sn_kind *kind, case_layout layout)
{
    if (layout == CASE_ON_PARTICLES)
        return true;
    if (layout == CASE_LONGER)
        return kind->points == 0;
    if (layout == CASE_CLOSED)
        return kind->points == 0 && kind->repeats && !support_kind_is_surface(kind);
    return support_kind_takes_spots(kind);
}

/* Which particles the points are. */
static inline void lay_out_particles(kind_case *k, case_layout layout)
{
    bool longer = layout != CASE_ON_PARTICLES;
    k->points = support_point_count(k->kind, longer);
    for (uint32_t i = 0; i < k->points; ++i) {
        k->count[i] = 1;
        k->weight[i][0] = 1;
        k->index[i][0] = support_particle_of_point(k->kind, longer, i);
        if (layout == CASE_CLOSED && i == k->points - 1)
            k->index[i][0] = 1;
        k->particles = k->index[i][0] + 1 > k->particles ? k->index[i][0] + 1 : k->particles;
    }
}

static inline void lay_out(kind_case *k, case_layout layout, uint64_t *seed)
{
    k->particles = 0;
    if (layout < CASE_IN_TRIANGLES) {
        lay_out_particles(k, layout);
        return;
    }
    k->points = k->kind->points;
    for (uint32_t i = 0; i < k->points; ++i) {
        uint32_t n = layout == CASE_SHARED ? 3 + i % 2 : layout == CASE_IN_TRIANGLES ? 3 : 4;
        uint32_t first = layout == CASE_SHARED ? i : k->particles;
        k->count[i] = n;
        random_weights(seed, n, k->weight[i]);
        for (uint32_t j = 0; j < n; ++j)
            k->index[i][j] = first + j;
        k->particles = first + n > k->particles ? first + n : k->particles;
    }
}

/* Where the points of a case are when its particles are at x. */
static inline void points_of(const kind_case *k, const sn_vec3 *x, sn_vec3 *point)
{
    for (uint32_t i = 0; i < k->points; ++i) {
        double p[3] = {0, 0, 0};
        for (uint32_t j = 0; j < k->count[i]; ++j) {
            sn_vec3 a = x[k->index[i][j]];
            double b = (double)k->weight[i][j];
            p[0] += b * (double)a.x;
            p[1] += b * (double)a.y;
            p[2] += b * (double)a.z;
        }
        point[i] = vec(p[0], p[1], p[2]);
    }
}

static inline bool evaluate_at(const kind_case *k, const sn_vec3 *particles, case_value *value)
{
    sn_vec3 point[CASE_POINTS];
    points_of(k, particles, point);
    return evaluate(k->kind, k->points, k->param, k->own, point, value);
}

static inline sn_vec3 random_place(uint64_t *seed, uint32_t dimensions, double scale)
{
    double x = support_random_in(seed, -scale, scale), y = support_random_in(seed, -scale, scale);
    return vec(x, y, dimensions == 2 ? 0 : support_random_in(seed, -scale, scale));
}

/* The corners of a tetrahedron or an octahedron, in the order of support_particle_of_point. */
static inline sn_vec3 solid_corner(uint32_t corners, uint32_t i)
{
    static const double four[4][3] = {{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}};
    static const double six[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    return corners == 4 ? vec(four[i][0], four[i][1], four[i][2]) : vec(six[i][0], six[i][1], six[i][2]);
}

/* The distance of any two points, and of particles that are not the same. */
static inline double smallest_point_gap(const kind_case *k)
{
    sn_vec3 point[CASE_POINTS];
    double gap = INFINITY;
    points_of(k, k->x, point);
    for (uint32_t i = 0; i < k->points; ++i)
        for (uint32_t j = 0; j < i; ++j)
            if (k->count[i] > 1 || k->index[i][0] != k->index[j][0])
                gap = fmin(gap, support_gap(point[i], point[j]));
    return gap;
}

/* Random particles whose points keep a distance, which is given up by and by where there are many. Those of a surface
   are the corners of a dented solid, with room inside. */
static inline void scatter(kind_case *k, uint64_t *seed, double scale)
{
    bool solid = support_kind_is_surface(k->kind);
    double gap = 0.6 * scale, dent = solid ? 0.3 * scale : 1.5 * scale;
    do {
        for (uint32_t i = 0; i < k->particles; ++i) {
            sn_vec3 centre = solid ? solid_corner(k->particles, i) : vec(0, 0, 0);
            sn_vec3 d = random_place(seed, k->dimensions, dent);
            k->x[i] = vec((double)centre.x * scale + (double)d.x, (double)centre.y * scale + (double)d.y,
                          (double)centre.z * scale + (double)d.z);
        }
        gap *= 0.99;
    } while (smallest_point_gap(k) < gap);
}

/* The gradient of a row by the positions of the particles. A z that is locked does not count. */
static inline void gather_row(const kind_case *k, const case_value *value, uint32_t row, double (*g)[3])
{
    memset(g, 0, CASE_PARTICLES * sizeof(*g));
    for (uint32_t i = 0; i < k->points; ++i)
        for (uint32_t j = 0; j < k->count[i]; ++j) {
            sn_vec3 a = value->gradient[row * k->points + i];
            double b = (double)k->weight[i][j], *sum = g[k->index[i][j]];
            sum[0] += b * (double)a.x;
            sum[1] += b * (double)a.y;
            sum[2] += k->dimensions == 2 ? 0 : b * (double)a.z;
        }
}

static inline double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double weighted_product(const kind_case *k, double (*a)[3], double (*b)[3])
{
    double sum = 0;
    for (uint32_t i = 0; i < k->particles; ++i)
        sum += dot3(a[i], b[i]) / k->mass[i];
    return sum;
}

/* Moves the particles so that row r has C = 0, by Newton's method. */
static inline void zero_row(kind_case *k, uint32_t row)
{
    double g[CASE_PARTICLES][3];
    case_value value;
    for (uint32_t pass = 0; pass < 20 && evaluate_at(k, k->x, &value); ++pass) {
        gather_row(k, &value, row, g);
        double square = weighted_product(k, g, g);
        for (uint32_t i = 0; square > 0 && i < k->particles; ++i) {
            double s = -(double)value.c[row] / (square * k->mass[i]);
            k->x[i] =
                vec((double)k->x[i].x + s * g[i][0], (double)k->x[i].y + s * g[i][1], (double)k->x[i].z + s * g[i][2]);
        }
    }
}

/* Moves the particles until every row is satisfied, where measuring alone does not see to that. Returns whether it
   worked. */
static inline bool satisfy(kind_case *k)
{
    case_value value;
    for (uint32_t sweep = 0; sweep < 50; ++sweep) {
        if (!evaluate_at(k, k->x, &value))
            return false;
        if (largest_miss(k->kind, &value) == 0)
            return true;
        for (uint32_t row = 0; row < k->kind->rows; ++row)
            if (evaluate_at(k, k->x, &value) && row_miss(k->kind, &value, row) > 0)
                zero_row(k, row);
    }
    return evaluate_at(k, k->x, &value) && largest_miss(k->kind, &value) < EXACTNESS(1e-6, 1e-14);
}

/* A case of the kind whose constraint is satisfied. */
static inline kind_case satisfied_case(const sn_world *kinds, uint32_t number, case_layout layout, uint32_t dimensions,
                                       uint64_t *seed)
{
    kind_case k = {.kind = sn_kind_info(kinds, number), .number = number, .dimensions = dimensions};
    assert_non_null(k.kind);
    for (uint32_t attempt = 0; attempt < 1000; ++attempt) {
        sn_vec3 point[CASE_POINTS];
        lay_out(&k, layout, seed);
        for (uint32_t i = 0; i < k.particles; ++i)
            k.mass[i] = support_random_in(seed, 0.5, 3);
        scatter(&k, seed, 1);
        points_of(&k, k.x, point);
        choose_params(seed, k.kind, k.points, dimensions, 1, point, k.param);
        measure_own(k.kind, k.points, point, k.own);
        if (satisfy(&k))
            return k;
    }
    fail_msg("no satisfied state found for %s", k.kind->name);
    return k;
}

/* A case of the kind whose constraint is missed by a few centimetres to decimetres in a scene of a metre. */
static inline kind_case violated_case(const sn_world *kinds, uint32_t number, case_layout layout, uint32_t dimensions,
                                      uint64_t *seed)
{
    for (uint32_t attempt = 0; attempt < 1000; ++attempt) {
        kind_case k = satisfied_case(kinds, number, layout, dimensions, seed);
        for (uint32_t i = 0; i < k.particles; ++i) {
            sn_vec3 d = random_place(seed, dimensions, 0.3);
            k.x[i] =
                vec((double)k.x[i].x + (double)d.x, (double)k.x[i].y + (double)d.y, (double)k.x[i].z + (double)d.z);
        }
        case_value value;
        if (evaluate_at(&k, k.x, &value) && largest_miss(k.kind, &value) > 0.03)
            return k;
    }
    fail_msg("no violated state found for %s", sn_kind_info(kinds, number)->name);
    return (kind_case){0};
}

/* ---- Cases in a world ------------------------------------------------------------------------------------------- */

/* The points of the case as the API takes them. */
static inline void make_points(kind_case *k)
{
    for (uint32_t i = 0; i < k->points; ++i) {
        sn_particle p[4];
        const sn_real *b = k->weight[i];
        for (uint32_t j = 0; j < k->count[i]; ++j)
            p[j] = k->handle[k->index[i][j]];
        if (k->count[i] == 1)
            k->point[i] = sn_at(p[0]);
        else if (k->count[i] == 3)
            k->point[i] = sn_on_triangle(p[0], p[1], p[2], b[0], b[1], b[2]);
        else
            k->point[i] = sn_in_tetrahedron(p[0], p[1], p[2], p[3], b[0], b[1], b[2], b[3]);
    }
}

static inline sn_constraint_def case_def(const kind_case *k)
{
    sn_constraint_def def = sn_default_constraint_def(k->number);
    def.points = k->point;
    def.point_count = k->points;
    memcpy(def.param, k->param, sizeof(def.param));
    if (sn_kind_point_param_count(k->kind))
        def.point_param = k->own;
    return def;
}

/* Adds the particles and the constraint to a world of its own. material may be NULL, and is passed over where the kind
   takes none. */
static inline void case_build(kind_case *k, const sn_material *material, double stiffness)
{
    k->world = case_world(k->dimensions);
    for (uint32_t i = 0; i < k->particles; ++i) {
        k->handle[i] = sn_particle_add_at(k->world, k->x[i], (sn_real)k->mass[i]);
        assert_true(sn_particle_is_valid(k->world, k->handle[i]));
    }
    make_points(k);
    sn_constraint_def def = case_def(k);
    def.stiffness = (sn_real)stiffness;
    if (material && support_kind_gives(k->kind)) {
        def.compliance = material->compliance;
        def.damping = material->damping;
    }
    assert_ok(k->world, sn_constraint_add(k->world, &def, &k->constraint));
}

static inline void case_destroy(kind_case *k)
{
    sn_world_destroy(k->world);
    k->world = NULL;
}

static inline void case_configure(const kind_case *k, int sweep, uint32_t iterations, uint32_t substeps)
{
    sn_settings s = sn_world_settings(k->world);
    support_set_sweep(&s, sweep);
    s.iterations = iterations;
    s.substeps = substeps;
    assert_ok(k->world, sn_world_configure(k->world, &s));
}

/* What a particle did in a step of one second that began at rest. Its velocity is that displacement, free of the
   round-off of subtracting two positions. */
static inline void displacement(const kind_case *k, uint32_t particle, double *d)
{
    sn_vec3 v = sn_particle_velocity(k->world, k->handle[particle]);
    d[0] = (double)v.x;
    d[1] = (double)v.y;
    d[2] = (double)v.z;
}

static inline double largest_value_miss(const kind_case *k)
{
    case_value value = {{0}, {{0, 0, 0}}};
    assert_ok(k->world, sn_constraint_value(k->world, k->constraint, value.c));
    return largest_miss(k->kind, &value);
}

/* ---- Tests over the table --------------------------------------------------------------------------------------- */

/* What a test is run for: one kind in one layout, with a world that knows the kind. */
typedef struct case_subject {
    const sn_world *kinds;
    const sn_kind *kind;
    uint32_t number;
    case_layout layout;
} case_subject;

typedef void case_test(const case_subject *subject);

/* The kinds that a test is for. */
typedef enum case_scope {
    CASE_ALL,
    CASE_SOLVED,   /* by a solver: all but forces */
    CASE_ROWS,     /* by the row formula: neither forces nor projections of their own */
    CASE_FORCES,   /* forces */
    CASE_UNGIVING, /* forces and projections of their own, which take no compliance */
    CASE_LISTS     /* any number of points */
} case_scope;

static inline bool in_scope(const sn_kind *kind, case_scope scope)
{
    switch (scope) {
    case CASE_ALL:
        return true;
    case CASE_SOLVED:
        return !kind->force;
    case CASE_ROWS:
        return support_kind_gives(kind);
    case CASE_FORCES:
        return kind->force;
    case CASE_UNGIVING:
        return !support_kind_gives(kind);
    case CASE_LISTS:
        return kind->points == 0;
    }
    return false;
}

typedef struct case_entry {
    const char *name;
    case_test *test;
    case_scope scope;
    bool on_spots; /* in all layouts; otherwise on particles only */
} case_entry;

typedef struct case_run {
    const case_entry *entry;
    uint32_t number;
    case_layout layout;
    char name[160];
} case_run;

static inline void case_trampoline(void **state)
{
    const case_run *run = *state;
    sn_world *kinds = case_world(3);
    case_subject subject = {kinds, sn_kind_info(kinds, run->number), run->number, run->layout};
    run->entry->test(&subject);
    sn_world_destroy(kinds);
}

/* The n-th of a series of worlds: 2D and 3D by turns, where the kind makes sense in both. */
static inline uint32_t case_dimensions(const case_subject *s, uint32_t n)
{
    return n % 2 && !s->kind->spatial ? 2 : 3;
}

static inline uint64_t case_seed(const case_subject *s)
{
    return 1000003u * s->number + 10007u * (uint64_t)s->layout + 1;
}

/* One unit test for every entry, every kind of the table (and each registered one) in its scope, and every layout. Kinds that
   look at axes take bodies: test_joint_kinds.c is for them. Rates have no C to be satisfied: test_velocity.c. */
static inline int run_for_every_kind(const char *group, const case_entry *entries, size_t entry_count)
{
    static const char *const places[CASE_LAYOUTS] = {"particles", "more particles", "a ring of particles",
                                                     "triangles", "tetrahedra",     "shared spots"};
    uint32_t kinds = sn_kind_count(NULL) + (uint32_t)COUNT_OF(case_kinds);
    size_t most = entry_count * kinds * CASE_LAYOUTS, count = 0;
    case_run *runs = calloc(most, sizeof(*runs));
    struct CMUnitTest *tests = calloc(most, sizeof(*tests));
    if (!runs || !tests)
        return EXIT_FAILURE;
    for (size_t e = 0; e < entry_count; ++e)
        for (uint32_t number = 1; number < kinds; ++number)
            for (int layout = 0; layout < (entries[e].on_spots ? CASE_LAYOUTS : CASE_IN_TRIANGLES); ++layout) {
                bool builtin = number < SN_KIND_BUILTIN_END;
                const sn_kind *kind = builtin ? sn_kind_info(NULL, number) : &case_kinds[number - SN_KIND_BUILTIN_END];
                if (!kind || kind->oriented || kind->own_rows || !in_scope(kind, entries[e].scope) ||
                    !has_layout(kind, (case_layout)layout))
                    continue;
                case_run *run = &runs[count];
                *run = (case_run){&entries[e], number, (case_layout)layout, ""};
                snprintf(run->name, sizeof(run->name), "%s: %s on %s", entries[e].name, kind->name, places[layout]);
                tests[count++] = (struct CMUnitTest){run->name, case_trampoline, NULL, NULL, run};
            }
    int failed = _cmocka_run_group_tests(group, tests, count, NULL, NULL);
    free(tests);
    free(runs);
    return failed;
}

#endif
