/* The formulas of kinds over lanes (sinew/lanes.h), each against another judge. Width 1 and width N are one source, so
   that they agree says nothing about what is right: C is compared with a plain evaluation in double precision, written
   for this test, and gradients with differences of that one. A kind that joins the table needs a line in the table
   below. */
#include "joint_cases.h"
#include "kind_cases.h"

#include "base/dvec.h"

/* ---- States ----------------------------------------------------------------------------------------------------- */

/* One constraint of any kind with lanes, and what it remembers. */
typedef struct lane_state {
    joint_state s;
    sn_real kept[SN_MAX_STATE];
    int variant;
    double size; /* m: how far its points are apart */
} lane_state;

enum { SPREAD, TINY, HUGE_ONES, FLAT, THIN, IN_A_PLANE, ON_A_LINE, IN_A_PLACE, STYLES };

static void place_points(const sn_kind *kind, uint32_t number, uint64_t *seed, double size, sn_vec3 *x)
{
    kind_case k = {.kind = kind, .number = number, .dimensions = 3};
    lay_out(&k, CASE_ON_PARTICLES, seed);
    scatter(&k, seed, size);
    points_of(&k, k.x, x);
}

/* Parameters that suit the positions, or others. Those of joints switch on one feature or another. */
static lane_state make_state(uint32_t number, uint64_t *seed, int style)
{
    static const double sizes[STYLES] = {1, 1e-3, 1e3, 1, 1, 1, 1, 1};
    const sn_kind *kind = sn_kind_info(NULL, number);
    lane_state l = {.variant = (int)support_random_below(seed, JOINT_VARIANTS), .size = sizes[style]};
    if (kind->oriented) {
        double angle = support_random_below(seed, 2) ? 2.5 : 1e-3;
        l.s = joint_random_state(number, seed, l.size, style >= IN_A_PLANE ? 0 : angle);
        joint_state other = joint_random_state(number, seed, l.size, 1);
        joint_give_params(&other, l.variant, seed);
        memcpy(l.s.param, other.param, sizeof other.param);
    } else {
        sn_vec3 other[SN_MAX_POINTS];
        l.s = (joint_state){.kind = kind, .number = number};
        place_points(kind, number, seed, l.size, l.s.x);
        place_points(kind, number, seed, l.size, other);
        sn_kind open = *kind;
        if (support_random_below(seed, 3) == 0)
            open.measure = NULL; /* then parameters are any */
        choose_params(seed, &open, kind->points, 3, l.size, support_random_below(seed, 2) ? l.s.x : other, l.s.param);
    }
    static const double squeeze[STYLES][3] = {{1, 1, 1},       {1, 1, 1}, {1, 1, 1}, {1, 1, 1e-2},
                                              {1, 1e-2, 1e-2}, {1, 1, 0}, {1, 0, 0}, {0, 0, 0}};
    for (uint32_t i = 0; i < kind->points; ++i)
        l.s.x[i] = vec((double)l.s.x[i].x * squeeze[style][0], (double)l.s.x[i].y * squeeze[style][1],
                       (double)l.s.x[i].z * squeeze[style][2]);
    for (uint32_t i = 0; i < kind->state; ++i)
        l.kept[i] = real(support_random_in(seed, -1, 1));
    if (kind->oriented && style == IN_A_PLACE && support_random_below(seed, 2))
        l.s.q[1] = sn_quat_rotated(l.s.q[0], vec(0, 3.14159265358979, 0)); /* the other way round */
    return l;
}

/* ---- Evaluation at any width ------------------------------------------------------------------------------------ */

enum { MOST_LANES = 8, ROW_NUMBERS = 9, FLAGS_OF_ROW = 3 };

/* What one lane got, as numbers; flags are 0 or -1. */
typedef struct lane_value {
    double c[SN_MAX_ROWS], row[SN_MAX_ROWS][ROW_NUMBERS];
    double gradient[SN_MAX_ROWS * SN_MAX_POINTS][3], turn[SN_MAX_ROWS * SN_MAX_POINTS][3];
    double exists;
} lane_value;

/* lanes_in and lanes_out of any width: `lanes` are so many numbers in a row. */
typedef struct wide_in {
    const void *x, *q, *param, *state;
    void *context;
    bool planar;
} wide_in;

typedef struct wide_out {
    void *c, *gradient, *turn, *row;
    _Alignas(4 * sizeof(void *)) unsigned char exists[32];
} wide_out;

typedef struct numbers {
    uint32_t width;
    bool twice;
} numbers;

static void put(numbers n, void *to, uint32_t index, uint32_t lane, sn_real value)
{
    if (n.twice)
        ((double *)to)[index * n.width + lane] = (double)value;
    else
        ((float *)to)[index * n.width + lane] = (float)value;
}

static double get(numbers n, const void *from, uint32_t index, uint32_t lane)
{
    uint32_t at = index * n.width + lane;
    return n.twice ? ((const double *)from)[at] : (double)((const float *)from)[at];
}

static double get_flags(numbers n, const void *from, uint32_t index, uint32_t lane)
{
    uint32_t at = index * n.width + lane;
    return n.twice ? (double)((const int64_t *)from)[at] : (double)((const int32_t *)from)[at];
}

/* Vectors of a size that are compiled, and that this machine has. */
static bool has_vectors(const sn_kind_lanes *lanes, uint32_t i)
{
#if defined(__x86_64__) || defined(__i386__)
    if (i == 2 && !__builtin_cpu_supports("avx2"))
        return false;
#endif
    return lanes->eval[i] != NULL;
}

/* So many constraints of one kind at once; `which` is the place in sn_kind_lanes.eval. */
static void evaluate_wide(const lane_state *l, uint32_t which, lane_value *value)
{
    const sn_kind *kind = l->s.kind;
    const uint32_t points = kind->points, rows = kind->rows, vector = which ? 8u << which : 0;
    const bool twice = kind->lanes->twice;
    const numbers n = {vector ? vector / (twice ? 8 : 4) : 1, twice};
    _Alignas(32) unsigned char x[SN_MAX_POINTS * 3 * 32], q[SN_MAX_POINTS * 4 * 32], param[SN_MAX_PARAM_NUMBERS * 32],
        state[SN_MAX_STATE * 32], c[SN_MAX_ROWS * 32] = {0}, row[SN_MAX_ROWS * ROW_NUMBERS * 32] = {0};
    _Alignas(32) static unsigned char gradient[SN_MAX_ROWS * SN_MAX_POINTS * 3 * 32], turn[sizeof gradient];
    memset(gradient, 0, sizeof gradient);
    memset(turn, 0, sizeof turn);
    for (uint32_t lane = 0; lane < n.width; ++lane) {
        const joint_state *s = &l[lane].s;
        for (uint32_t i = 0; i < points; ++i)
            for (uint32_t k = 0; k < 4; ++k) {
                put(n, q, 4 * i + k, lane, (&s->q[i].x)[k]);
                if (k < 3)
                    put(n, x, 3 * i + k, lane, (&s->x[i].x)[k]);
            }
        for (uint32_t i = 0; i < SN_MAX_PARAM_NUMBERS; ++i)
            put(n, param, i, lane, s->param[i]);
        for (uint32_t i = 0; i < SN_MAX_STATE; ++i)
            put(n, state, i, lane, l[lane].kept[i]);
    }
    const wide_in in = {x, kind->oriented ? q : NULL, param, kind->state ? state : NULL, kind->context, false};
    wide_out out = {c, gradient, kind->oriented ? turn : NULL, kind->own_rows ? row : NULL, {0}};
    memset(out.exists, 0xff, sizeof out.exists);
    kind->lanes->eval[which](&in, &out);
    memset(value, 0, n.width * sizeof *value);
    for (uint32_t lane = 0; lane < n.width; ++lane) {
        lane_value *v = &value[lane];
        v->exists = get_flags(n, out.exists, 0, lane);
        for (uint32_t r = 0; r < rows; ++r) {
            v->c[r] = get(n, c, r, lane);
            for (uint32_t i = 0; i < ROW_NUMBERS; ++i)
                v->row[r][i] = (i < FLAGS_OF_ROW ? get_flags : get)(n, row, r * ROW_NUMBERS + i, lane);
        }
        for (uint32_t i = 0; i < rows * points; ++i)
            for (uint32_t k = 0; k < 3; ++k) {
                v->gradient[i][k] = get(n, gradient, 3 * i + k, lane);
                v->turn[i][k] = get(n, turn, 3 * i + k, lane);
            }
    }
}

typedef void kind_test(uint32_t number);

static void for_every_kind(kind_test *test)
{
    uint32_t tried = 0;
    for (uint32_t number = 1; number < sn_kind_count(NULL); ++number)
        if (sn_kind_info(NULL, number)->lanes) {
            test(number);
            ++tried;
        }
    assert_true(tried >= 49);
}

/* ---- Widths ----------------------------------------------------------------------------------------------------- */

/* Lanes that hold different constraints, in states of all styles, have the bits of each alone, which eval has rounded.
   */
static void check_widths(uint32_t number)
{
    const sn_kind *kind = sn_kind_info(NULL, number);
    uint64_t seed = 900 + number;
    const uint32_t rounds = support_rounds(40, 10);
    for (uint32_t round = 0; round < rounds; ++round) {
        lane_state l[MOST_LANES];
        lane_value alone[MOST_LANES], wide[MOST_LANES];
        bool mixed = round % 4 == 0;
        for (uint32_t i = 0; i < MOST_LANES; ++i) {
            l[i] = make_state(number, &seed, (int)((mixed ? i : round) % STYLES));
            evaluate_wide(&l[i], 0, &alone[i]);
            joint_value v;
            l[i].s.kept = kind->state ? l[i].kept : NULL;
            bool exists = joint_evaluate(&l[i].s, &v);
            assert_int_equal(exists, alone[i].exists != 0);
            for (uint32_t r = 0; exists && r < kind->rows; ++r)
                assert_true(v.c[r] == (sn_real)alone[i].c[r]);
        }
        for (uint32_t which = 1; which < 3; ++which) {
            uint32_t width = which ? (8u << which) / (kind->lanes->twice ? 8 : 4) : 1;
            if (!has_vectors(kind->lanes, which))
                continue;
            for (uint32_t first = 0; first < MOST_LANES; first += width) {
                evaluate_wide(&l[first], which, wide);
                for (uint32_t i = 0; i < width; ++i) {
                    lane_value *a = &alone[first + i], *b = &wide[i];
                    assert_true(a->exists == b->exists);
                    if (a->exists && memcmp(a, b, sizeof *a) != 0)
                        fail_msg("%s: lane %u of %u differs from the constraint alone", kind->name, i, width);
                }
            }
        }
    }
}

static void widths_agree(void **unused)
{
    (void)unused;
    for_every_kind(check_widths);
}

/* ---- Plain evaluations ------------------------------------------------------------------------------------------ */

typedef struct plain {
    sn_dvec3 x[SN_MAX_POINTS];
    double r[SN_MAX_POINTS][3][3]; /* matrices of the axes */
    double p[SN_MAX_PARAM_NUMBERS];
} plain;

typedef void plain_fn(const plain *s, double *c);

#define PI     3.14159265358979323846
#define CIRCLE (2 * PI)

static sn_dvec3 between(const plain *s, uint32_t from, uint32_t to)
{
    return dvec3_sub(s->x[to], s->x[from]);
}

static sn_dvec3 given(const double *p)
{
    return dvec3(p[0], p[1], p[2]);
}

static void write3(sn_dvec3 a, double *c)
{
    c[0] = a.x, c[1] = a.y, c[2] = a.z;
}

static sn_dvec3 unit(sn_dvec3 a)
{
    return dvec3_scale(a, 1 / dvec3_length(a));
}

/* Of two vectors, 0 to pi (Kahan). */
static double angle_between(sn_dvec3 a, sn_dvec3 b)
{
    a = unit(a), b = unit(b);
    return 2 * atan2(dvec3_length(dvec3_sub(a, b)), dvec3_length(dvec3_add(a, b)));
}

static void plain_distance(const plain *s, double *c)
{
    c[0] = dvec3_length(between(s, 0, 1)) - s->p[0];
}

static void plain_distance_max(const plain *s, double *c)
{
    c[0] = s->p[0] - dvec3_length(between(s, 0, 1));
}

static void plain_distance_band(const plain *s, double *c)
{
    c[0] = dvec3_length(between(s, 0, 1)) - s->p[0];
    c[1] = s->p[1] - dvec3_length(between(s, 0, 1));
}

static void plain_pin(const plain *s, double *c)
{
    write3(dvec3_sub(s->x[0], given(s->p)), c);
}

static void plain_attachment(const plain *s, double *c)
{
    write3(between(s, 1, 0), c);
}

static void plain_half_space(const plain *s, double *c)
{
    c[0] = dvec3_dot(dvec3_sub(s->x[0], given(s->p)), given(s->p + 3));
}

static void plain_box(const plain *s, double *c)
{
    write3(dvec3_sub(s->x[0], given(s->p)), c);
    write3(dvec3_sub(given(s->p + 3), s->x[0]), c + 3);
}

static double triple(sn_dvec3 a, sn_dvec3 b, sn_dvec3 c)
{
    return dvec3_dot(dvec3_cross(a, b), c);
}

static void plain_volume(const plain *s, double *c)
{
    c[0] = triple(between(s, 0, 1), between(s, 0, 2), between(s, 0, 3)) / 6 - s->p[0];
}

static void plain_connector_axis(const plain *s, double *c)
{
    c[0] = dvec3_dot(between(s, 1, 0), given(s->p));
}

/* Along two directions across n. */
static void write_across(sn_dvec3 a, sn_dvec3 n, double *c)
{
    sn_dvec3 u = dvec3_any_normal(n);
    c[0] = dvec3_dot(a, u);
    c[1] = triple(n, u, a);
}

static void plain_connector_plane(const plain *s, double *c)
{
    write_across(between(s, 1, 0), given(s->p), c);
}

static void plain_on_line(const plain *s, double *c)
{
    write_across(dvec3_sub(s->x[0], given(s->p)), given(s->p + 3), c);
}

static void plain_on_circle(const plain *s, double *c)
{
    sn_dvec3 a = dvec3_sub(s->x[0], given(s->p)), n = given(s->p + 3);
    c[0] = dvec3_dot(a, n);
    c[1] = dvec3_length(dvec3_sub(a, dvec3_scale(n, c[0]))) - s->p[6];
}

static void plain_on_sphere(const plain *s, double *c)
{
    c[0] = dvec3_length(dvec3_sub(s->x[0], given(s->p))) - s->p[3];
}

static void plain_collinear(const plain *s, double *c)
{
    write3(dvec3_cross(unit(between(s, 0, 1)), between(s, 0, 2)), c);
}

static void plain_coplanar(const plain *s, double *c)
{
    c[0] = dvec3_dot(between(s, 0, 3), unit(dvec3_cross(between(s, 0, 1), between(s, 0, 2))));
}

static void plain_point_triangle(const plain *s, double *c)
{
    c[0] = dvec3_dot(between(s, 1, 0), unit(dvec3_cross(between(s, 1, 2), between(s, 1, 3)))) - s->p[0];
}

static double from_segment(sn_dvec3 p, sn_dvec3 a, sn_dvec3 b)
{
    sn_dvec3 ab = dvec3_sub(b, a), ap = dvec3_sub(p, a);
    double t = fmin(fmax(dvec3_dot(ap, ab) / dvec3_dot(ab, ab), 0), 1);
    return dvec3_length(dvec3_sub(ap, dvec3_scale(ab, t)));
}

/* From an end of one to the other; or across, if they cross inside. */
static void plain_edge_edge(const plain *s, double *c)
{
    const sn_dvec3 *x = s->x, u = between(s, 0, 1), v = between(s, 2, 3), w = between(s, 0, 2), n = dvec3_cross(u, v);
    double a = fmin(from_segment(x[0], x[2], x[3]), from_segment(x[1], x[2], x[3]));
    double b = fmin(from_segment(x[2], x[0], x[1]), from_segment(x[3], x[0], x[1])), nn = dvec3_dot(n, n);
    double along_u = triple(w, v, n) / nn, along_v = triple(w, u, n) / nn;
    bool inside = along_u > 0 && along_u < 1 && along_v > 0 && along_v < 1;
    c[0] = (inside ? fabs(dvec3_dot(unit(n), w)) : fmin(a, b)) - s->p[0];
}

static void plain_angle(const plain *s, double *c)
{
    c[0] = angle_between(between(s, 0, 1), between(s, 1, 2)) - s->p[0];
}

static void plain_angle_max(const plain *s, double *c)
{
    c[0] = s->p[0] - angle_between(between(s, 0, 1), between(s, 1, 2));
}

/* The angle of the path a, b, c about an axis: of bc along and across what of ab is normal to it. */
static double turned(const plain *s, sn_dvec3 axis)
{
    sn_dvec3 n = unit(axis), u = between(s, 0, 1), v = between(s, 1, 2);
    sn_dvec3 e = unit(dvec3_sub(u, dvec3_scale(n, dvec3_dot(u, n))));
    return atan2(triple(n, e, v), dvec3_dot(e, v));
}

static void plain_hinge(const plain *s, double *c)
{
    c[0] = remainder(turned(s, given(s->p)) - s->p[3], CIRCLE);
}

static void plain_hinge_min(const plain *s, double *c)
{
    c[0] = turned(s, given(s->p)) - s->p[3];
}

static void plain_hinge_max(const plain *s, double *c)
{
    c[0] = s->p[3] - turned(s, given(s->p));
}

/* The same angle, so many times round that it misses an arc by least. */
static double nearest(double angle, double least, double most)
{
    double best = angle, missed = INFINITY;
    for (int i = 0; i < 3; ++i) {
        double at = angle + (i == 2 ? -1 : i) * CIRCLE, by = fmax(fmax(least - at, at - most), 0);
        if (by < missed)
            best = at, missed = by;
    }
    return best;
}

static void write_band(double angle, const double *p, double *c)
{
    angle = nearest(angle, p[0], p[1]);
    c[0] = angle - p[0];
    c[1] = p[1] - angle;
}

static void plain_hinge_band(const plain *s, double *c)
{
    write_band(turned(s, given(s->p)), s->p + 3, c);
}

static void plain_hinge_points(const plain *s, double *c)
{
    write_band(turned(s, between(s, 3, 4)), s->p, c);
}

static void plain_dihedral(const plain *s, double *c)
{
    sn_dvec3 n = dvec3_cross(between(s, 0, 2), between(s, 0, 3)), m = dvec3_cross(between(s, 1, 3), between(s, 1, 2));
    double angle = angle_between(n, m);
    c[0] = remainder((triple(n, m, between(s, 2, 3)) < 0 ? -angle : angle) - s->p[0], CIRCLE);
}

static void plain_bending(const plain *s, double *c)
{
    sn_dvec3 sum = dvec3_scale(between(s, 0, 1), s->p[0]);
    sum = dvec3_add(sum, dvec3_scale(between(s, 0, 2), s->p[1]));
    write3(dvec3_add(sum, dvec3_scale(between(s, 0, 3), s->p[2])), c);
}

static void plain_area(const plain *s, double *c)
{
    c[0] = dvec3_length(dvec3_cross(between(s, 0, 1), between(s, 0, 2))) / 2 - s->p[0];
}

static void plain_strain(const plain *s, double *c)
{
    c[0] = dvec3_length(dvec3_add(dvec3_scale(between(s, 0, 1), s->p[0]), dvec3_scale(between(s, 0, 2), s->p[1]))) - 1;
}

static void plain_pulley(const plain *s, double *c)
{
    c[0] = s->p[1] - dvec3_length(between(s, 0, 1)) - s->p[0] * dvec3_length(between(s, 2, 3));
}

static void plain_velocity(const plain *s, double *c)
{
    c[0] = dvec3_dot(s->x[0], given(s->p));
}

static void plain_velocity_between(const plain *s, double *c)
{
    c[0] = dvec3_dot(between(s, 0, 1), given(s->p));
}

static void plain_distance_rate(const plain *s, double *c)
{
    c[0] = dvec3_length(between(s, 0, 1));
}

/* ---- Joints, by matrices ---------------------------------------------------------------------------------------- */

/* Column i of a matrix. */
static sn_dvec3 axis_of(const double (*r)[3], uint32_t i)
{
    return dvec3(r[0][i], r[1][i], r[2][i]);
}

static double along(const plain *s, uint32_t i)
{
    return dvec3_dot(between(s, 0, 1), axis_of(s->r[0], i));
}

static void write_along(const plain *s, double *c)
{
    for (uint32_t i = 0; i < 3; ++i)
        c[i] = along(s, i);
}

/* m = the transposed of a, times b: b as seen from a. */
static void seen_from(const double (*a)[3], const double (*b)[3], double (*m)[3])
{
    for (uint32_t i = 0; i < 3; ++i)
        for (uint32_t j = 0; j < 3; ++j)
            m[i][j] = dvec3_dot(axis_of(a, i), axis_of(b, j));
}

static double twist_of(const plain *s)
{
    double m[3][3];
    seen_from(s->r[0], s->r[1], m);
    return atan2(m[2][1] - m[1][2], m[1][1] + m[2][2]);
}

/* About y and z; returns the angle. */
static double swing_of(const plain *s, double *swing)
{
    double m[3][3];
    seen_from(s->r[0], s->r[1], m);
    double sine = sqrt(m[1][0] * m[1][0] + m[2][0] * m[2][0]), t = atan2(sine, m[0][0]), f = sine > 0 ? t / sine : 1;
    swing[0] = -f * m[2][0];
    swing[1] = f * m[1][0];
    return t;
}

/* A rotation as axis times angle. */
static void write_turn(const double (*m)[3], double *c)
{
    sn_dvec3 a = dvec3((m[2][1] - m[1][2]) / 2, (m[0][2] - m[2][0]) / 2, (m[1][0] - m[0][1]) / 2);
    double sine = dvec3_length(a), t = atan2(sine, (m[0][0] + m[1][1] + m[2][2] - 1) / 2);
    write3(dvec3_scale(a, sine > 0 ? t / sine : 1), c);
}

static void write_whole_turn(const plain *s, double *c)
{
    double m[3][3];
    seen_from(s->r[0], s->r[1], m);
    write_turn((const double(*)[3])m, c);
}

/* The matrix of a turn (Rodrigues). */
static void matrix_of(sn_dvec3 turn, double (*m)[3])
{
    double t = dvec3_length(turn), f = t > 0 ? sin(t) / t : 1, g = t > 0 ? (1 - cos(t)) / (t * t) : 0.5;
    for (uint32_t i = 0; i < 3; ++i) {
        sn_dvec3 e = dvec3(i == 0, i == 1, i == 2), once = dvec3_cross(turn, e), again = dvec3_cross(turn, once);
        sn_dvec3 column = dvec3_add(e, dvec3_add(dvec3_scale(once, f), dvec3_scale(again, g)));
        m[0][i] = column.x, m[1][i] = column.y, m[2][i] = column.z;
    }
}

/* As long as there is a target, what is missing to it. p are the parameters of one axis. */
static double driven(double value, const double *p)
{
    return p[3] > 0 ? value - p[2] : value;
}

static double driven_angle(double value, const double *p)
{
    const double any = (double)(sn_real)PI;
    if (p[0] > -any && p[1] < any)
        return driven(nearest(value, p[0], p[1]), p);
    return p[3] > 0 && p[0] <= -any && p[1] >= any ? remainder(value - p[2], CIRCLE) : driven(value, p);
}

static void plain_joint_ball(const plain *s, double *c)
{
    double m[3][3], target[3][3], from[3][3];
    write_along(s, c);
    if (s->p[3] > 0) { /* R T^-1, as the transposed of (T R^-1), by the transposed of both */
        seen_from(s->r[1], s->r[0], m);
        matrix_of(dvec3_scale(given(s->p), -1), target);
        seen_from((const double(*)[3])m, (const double(*)[3])target, from);
        write_turn((const double(*)[3])from, c + 3);
    } else if (s->p[6] > 0) {
        write_whole_turn(s, c + 3);
    }
}

static void plain_joint_hinge(const plain *s, double *c)
{
    write_along(s, c);
    swing_of(s, c + 3);
    c[5] = driven_angle(twist_of(s), s->p);
}

static void plain_joint_slider(const plain *s, double *c)
{
    c[0] = along(s, 1);
    c[1] = along(s, 2);
    write_whole_turn(s, c + 2);
    c[5] = driven(along(s, 0), s->p);
}

static void plain_joint_fixed(const plain *s, double *c)
{
    write_along(s, c);
    write_whole_turn(s, c + 3);
}

static void plain_joint_cone_twist(const plain *s, double *c)
{
    const double *p = s->p, any = (double)(sn_real)PI;
    double swing[2], t = swing_of(s, swing), twist = twist_of(s), y = 1, z = 0;
    write_along(s, c);
    if (p[1] > -any && p[2] < any)
        twist = nearest(twist, p[1], p[2]);
    if (p[0] < any && t >= p[0] / 2) /* along the swing, and across it */
        y = swing[0] / t, z = swing[1] / t;
    for (int i = 0; i < 2 && p[6] > 0; ++i)
        swing[i] -= p[4 + i];
    c[3] = p[6] > 0 ? twist - p[3] : twist;
    c[4] = y * swing[0] + z * swing[1];
    c[5] = y * swing[1] - z * swing[0];
}

static void plain_joint_line(const plain *s, double *c)
{
    c[0] = along(s, 1);
    c[1] = along(s, 2);
    c[2] = driven(along(s, 0), s->p);
}

static void plain_joint_plane(const plain *s, double *c)
{
    c[0] = along(s, 0);
}

static void plain_joint_spin(const plain *s, double *c)
{
    (void)s;
    c[0] = 0;
}

/* Between directions, beyond a right angle. */
static double beyond_right(sn_dvec3 a, sn_dvec3 b)
{
    return angle_between(a, b) - PI / 2;
}

static void plain_joint_universal(const plain *s, double *c)
{
    write_along(s, c);
    c[3] = beyond_right(axis_of(s->r[0], 1), axis_of(s->r[1], 2));
    c[4] = angle_between(axis_of(s->r[0], 0), axis_of(s->r[1], 0));
    if (!(s->p[0] < (double)(sn_real)PI && c[4] >= s->p[0] / 2)) { /* far from its limit: the swing about y */
        double swing[2];
        swing_of(s, swing);
        c[4] = swing[0];
    }
}

static void plain_joint_wheel(const plain *s, double *c)
{
    sn_dvec3 axle = axis_of(s->r[1], 2);
    c[0] = along(s, 1);
    c[1] = along(s, 2);
    c[2] = -beyond_right(axis_of(s->r[0], 0), axle);
    c[3] = atan2(-dvec3_dot(axis_of(s->r[0], 1), axle), dvec3_dot(axis_of(s->r[0], 2), axle));
    c[3] = s->p[6] > 0 ? remainder(c[3] - s->p[5], CIRCLE) : c[3];
    c[4] = along(s, 0) - s->p[2];
    c[5] = 0;
}

static void plain_joint_six(const plain *s, double *c)
{
    write_along(s, c);
    c[3] = twist_of(s);
    swing_of(s, c + 4);
    for (uint32_t i = 0; i < 6; ++i) {
        const double *p = s->p + (i < 3 ? i : 17 + i),
                     any = (double)(sn_real)PI; /* least, most and so on, in steps of three */
        if (i == 3 && p[0] > -any && p[3] < any)
            c[i] = nearest(c[i], p[0], p[3]);
        c[i] -= p[9] > 0 ? p[6] : 0;
    }
}

/* The same for the second pair of points. */
static plain second_pair(const plain *s)
{
    plain other = *s;
    memcpy(other.x, s->x + 2, 2 * sizeof *s->x);
    memcpy(other.r, s->r + 2, 2 * sizeof *s->r);
    return other;
}

static void plain_joint_gear(const plain *s, double *c)
{
    plain other = second_pair(s);
    c[0] = twist_of(s) + s->p[0] * twist_of(&other) + s->p[1];
}

static void plain_joint_rack(const plain *s, double *c)
{
    plain other = second_pair(s);
    c[0] = s->p[0] * twist_of(s) + along(&other, 0) + s->p[1];
}

static const struct {
    uint32_t kind;
    plain_fn *c;
} plains[] = {
    {SN_KIND_DISTANCE, plain_distance},
    {SN_KIND_DISTANCE_MIN, plain_distance},
    {SN_KIND_DISTANCE_MAX, plain_distance_max},
    {SN_KIND_DISTANCE_BAND, plain_distance_band},
    {SN_KIND_PIN, plain_pin},
    {SN_KIND_ATTACHMENT, plain_attachment},
    {SN_KIND_HALF_SPACE, plain_half_space},
    {SN_KIND_BOX, plain_box},
    {SN_KIND_VOLUME, plain_volume},
    {SN_KIND_CONNECTOR_AXIS, plain_connector_axis},
    {SN_KIND_CONNECTOR_PLANE, plain_connector_plane},
    {SN_KIND_ON_LINE, plain_on_line},
    {SN_KIND_ON_CIRCLE, plain_on_circle},
    {SN_KIND_ON_SPHERE, plain_on_sphere},
    {SN_KIND_COLLINEAR, plain_collinear},
    {SN_KIND_COPLANAR, plain_coplanar},
    {SN_KIND_POINT_TRIANGLE, plain_point_triangle},
    {SN_KIND_EDGE_EDGE, plain_edge_edge},
    {SN_KIND_ANGLE, plain_angle},
    {SN_KIND_ANGLE_MIN, plain_angle},
    {SN_KIND_ANGLE_MAX, plain_angle_max},
    {SN_KIND_HINGE, plain_hinge},
    {SN_KIND_HINGE_MIN, plain_hinge_min},
    {SN_KIND_HINGE_MAX, plain_hinge_max},
    {SN_KIND_HINGE_BAND, plain_hinge_band},
    {SN_KIND_HINGE_POINTS, plain_hinge_points},
    {SN_KIND_DIHEDRAL, plain_dihedral},
    {SN_KIND_BENDING, plain_bending},
    {SN_KIND_AREA, plain_area},
    {SN_KIND_JOINT_BALL, plain_joint_ball},
    {SN_KIND_JOINT_HINGE, plain_joint_hinge},
    {SN_KIND_JOINT_SLIDER, plain_joint_slider},
    {SN_KIND_JOINT_FIXED, plain_joint_fixed},
    {SN_KIND_JOINT_CONE_TWIST, plain_joint_cone_twist},
    {SN_KIND_JOINT_LINE, plain_joint_line},
    {SN_KIND_JOINT_PLANE, plain_joint_plane},
    {SN_KIND_JOINT_VELOCITY, plain_joint_plane},
    {SN_KIND_JOINT_SPIN, plain_joint_spin},
    {SN_KIND_VELOCITY, plain_velocity},
    {SN_KIND_VELOCITY_MIN, plain_velocity},
    {SN_KIND_VELOCITY_BETWEEN, plain_velocity_between},
    {SN_KIND_DISTANCE_RATE, plain_distance_rate},
    {SN_KIND_STRAIN, plain_strain},
    {SN_KIND_PULLEY, plain_pulley},
    {SN_KIND_JOINT_UNIVERSAL, plain_joint_universal},
    {SN_KIND_JOINT_WHEEL, plain_joint_wheel},
    {SN_KIND_JOINT_SIX, plain_joint_six},
    {SN_KIND_JOINT_GEAR, plain_joint_gear},
    {SN_KIND_JOINT_RACK, plain_joint_rack},
};

static plain_fn *plain_of(uint32_t number)
{
    for (size_t i = 0; i < COUNT_OF(plains); ++i)
        if (plains[i].kind == number)
            return plains[i].c;
    fail_msg("%s has no plain evaluation in this test", sn_kind_info(NULL, number)->name);
    return NULL;
}

/* ---- C and its gradient ------------------------------------------------------------------------------------------ */

static plain make_plain(const joint_state *s)
{
    plain made;
    memset(&made, 0, sizeof made);
    for (uint32_t i = 0; i < s->kind->points; ++i) {
        double x = (double)s->q[i].x, y = (double)s->q[i].y, z = (double)s->q[i].z, w = (double)s->q[i].w;
        double n = 2 / (x * x + y * y + z * z + w * w);
        const double r[3][3] = {{1 - n * (y * y + z * z), n * (x * y - w * z), n * (x * z + w * y)},
                                {n * (x * y + w * z), 1 - n * (x * x + z * z), n * (y * z - w * x)},
                                {n * (x * z - w * y), n * (y * z + w * x), 1 - n * (x * x + y * y)}};
        if (s->kind->oriented)
            memcpy(made.r[i], r, sizeof r);
        made.x[i] = dvec3_from(s->x[i]);
    }
    for (uint32_t i = 0; i < SN_MAX_PARAM_NUMBERS; ++i)
        made.p[i] = (double)s->param[i];
    return made;
}

/* Coordinate n of the points: of positions first, then turns about the axes of the world. */
static plain moved(const plain *s, uint32_t points, uint32_t n, double by)
{
    plain m = *s;
    uint32_t point = n / 3 % points;
    sn_dvec3 e = dvec3_scale(dvec3(n % 3 == 0, n % 3 == 1, n % 3 == 2), by);
    if (n < 3 * points) {
        m.x[point] = dvec3_add(m.x[point], e);
        return m;
    }
    double turn[3][3], back[3][3];
    matrix_of(dvec3_scale(e, -1), turn);
    seen_from((const double(*)[3])turn, s->r[point], back); /* the transposed of a turn back is the turn */
    memcpy(m.r[point], back, sizeof back);
    return m;
}

static void difference(const plain *s, plain_fn *f, const sn_kind *kind, uint32_t n, double step, double *slope)
{
    double high[SN_MAX_ROWS] = {0}, low[SN_MAX_ROWS] = {0};
    plain up = moved(s, kind->points, n, step), down = moved(s, kind->points, n, -step);
    f(&up, high);
    f(&down, low);
    for (uint32_t row = 0; row < kind->rows; ++row)
        slope[row] = (high[row] - low[row]) / (2 * step);
}

/* Whether a row is a function of the state: what is asked of a rate between bodies need not be, and rows of a cone that
   are seen along a swing count this as fixed. */
static bool has_slope(const lane_state *l, const lane_value *v, uint32_t row)
{
    if (l->s.kind->oriented && v->row[row][0] != 0)
        return false;
    if (l->s.number == SN_KIND_JOINT_WHEEL)
        return row < 5;
    return !(l->s.number == SN_KIND_JOINT_CONE_TWIST && row >= 4 && l->variant == JOINT_LIMITS);
}

/* Of one state; counts what was compared and what not, since C has a kink there. */
static void check_state(const lane_state *l, double tolerance, uint32_t *compared, uint32_t *passed_over)
{
    const sn_kind *kind = l->s.kind;
    plain_fn *f = plain_of(l->s.number);
    plain s = make_plain(&l->s);
    lane_value v;
    double c[SN_MAX_ROWS] = {0}, slope[6 * SN_MAX_POINTS][SN_MAX_ROWS], doubt[SN_MAX_ROWS] = {0},
           size[SN_MAX_ROWS] = {0},
           reach[SN_MAX_ROWS] = {0}; /* reach: what C changes by over 1 rad, or the extent of the points */
    evaluate_wide(l, 0, &v);
    if (v.exists == 0)
        return;
    f(&s, c);
    const uint32_t coordinates = (kind->oriented ? 6 : 3) * kind->points;
    for (uint32_t n = 0; n < coordinates; ++n) {
        double far[SN_MAX_ROWS], extent = n < 3 * kind->points ? l->size : 1, step = 1e-5 * extent;
        difference(&s, f, kind, n, step, slope[n]);
        difference(&s, f, kind, n, 2 * step, far);
        for (uint32_t row = 0; row < kind->rows; ++row) {
            doubt[row] = fmax(doubt[row], fabs(far[row] - slope[n][row]));
            slope[n][row] += (slope[n][row] - far[row]) / 3;
            size[row] = fmax(size[row], fabs(slope[n][row]));
            reach[row] = fmax(reach[row], extent * fabs(slope[n][row]));
        }
    }
    for (uint32_t row = 0; row < kind->rows; ++row) {
        double weight = fabs(c[row]) + reach[row];
        for (const sn_param *p = kind->param; p->name; ++p) /* a rest that C is less by */
            if (p->type == SN_PARAM_REAL && p->unit && kind->unit && strcmp(p->unit, kind->unit) == 0)
                weight += fabs((double)l->s.param[p - kind->param]);
        if (!has_slope(l, &v, row)) /* seen along a direction in which it is 0 */
            weight = fmax(weight, 1);
        weight = fmin(weight, 1e6 * l->size);
        if (fabs(v.c[row] - c[row]) > tolerance * weight + 1e-12 * l->size)
            fail_msg("%s, row %u: C is %.9g, by a plain evaluation %.9g", kind->name, row, v.c[row], c[row]);
        for (uint32_t i = 0; kind->axial && i < kind->points;
             ++i) /* the same number by the axis of each row, and nothing else */
            for (uint32_t k = 0; k < 3; ++k)
                assert_true(v.gradient[row * kind->points + i][k] == (k == row ? v.gradient[i][0] : 0));
        if (!has_slope(l, &v, row))
            continue;
        bool kink = doubt[row] > 1e-3 * size[row];
        *(kink ? passed_over : compared) += 1;
        for (uint32_t n = 0; n < coordinates && !kink; ++n) {
            uint32_t at = row * kind->points + n / 3 % kind->points;
            double got = n < 3 * kind->points ? v.gradient[at][n % 3] : v.turn[at][n % 3];
            if (fabs(got - slope[n][row]) > tolerance * size[row] + doubt[row])
                fail_msg("%s, row %u by coordinate %u: %.9g, by differences %.9g", kind->name, row, n, got,
                         slope[n][row]);
        }
    }
}

static void check_kind(uint32_t number)
{
    const sn_kind *kind = sn_kind_info(NULL, number);
    uint64_t seed = 31 + number;
    uint32_t compared = 0, passed_over = 0;
    const bool exact = kind->lanes->twice || SINEW_DOUBLE, joint = kind->oriented;
    for (int style = SPREAD; style <= THIN; ++style)
        for (uint32_t i = 0; i < support_rounds(60, 20); ++i) {
            lane_state l = make_state(number, &seed, style);
            memset(l.kept, 0, sizeof l.kept); /* a new one remembers nothing */
            const double flat = exact || joint ? 1e-5 : 1e-2, usual = exact ? 1e-6 : joint ? 1e-5 : 1e-4;
            check_state(&l, style >= FLAT ? flat : usual, &compared, &passed_over);
        }
    if (compared < passed_over)
        fail_msg("%s: %u rows were compared, %u were not", kind->name, compared, passed_over);
}

static void formulas_are_right(void **unused)
{
    (void)unused;
    for_every_kind(check_kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_agree),
        cmocka_unit_test(formulas_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
