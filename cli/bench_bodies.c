/* The rigid bodies of the benchmark: boxes that fall into a container, and figures that fall on a floor; and
   measures of how well they hold. */
#include "cli/bench_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rotations, x y z w ------------------------------------------------------------------------------------------ */

static void times(const double a[4], const double b[4], double out[4])
{
    const double x = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    const double y = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    const double z = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    out[0] = x, out[1] = y, out[2] = z;
}

static void back(const double q[4], double out[4])
{
    for (int k = 0; k < 4; ++k)
        out[k] = k < 3 ? -q[k] : q[k];
}

/* The columns are the directions of the rotated axes. */
static void matrix_of(const double q[4], double m[3][3])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double to[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(m, to, sizeof to);
}

static void turn(const double q[4], const double v[3], double out[3])
{
    double m[3][3], to[3];
    matrix_of(q, m);
    for (int k = 0; k < 3; ++k)
        to[k] = m[k][0] * v[0] + m[k][1] * v[1] + m[k][2] * v[2];
    memcpy(out, to, sizeof to);
}

/* The rotation that takes x to a unit vector. */
static void x_to(const double axis[3], double q[4])
{
    double along = 1 + axis[0];
    q[0] = 0, q[1] = -axis[2], q[2] = axis[1], q[3] = along;
    if (along < 1e-6)
        q[2] = 1; /* half a rotation about z */
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k)
        q[k] /= length;
}

static double draw_unit(uint64_t *state) /* 0 to 1 */
{
    return (double)(sn_bench_draw(state) >> 11) / 9007199254740992.0;
}

/* A random rotation: a point of the unit ball in four dimensions, by rejection. */
static void draw_rotation(uint64_t *state, double q[4])
{
    double square;
    do {
        square = 0;
        for (int k = 0; k < 4; ++k) {
            q[k] = 2 * draw_unit(state) - 1;
            square += q[k] * q[k];
        }
    } while (square > 1 || square < 0.01);
    for (int k = 0; k < 4; ++k)
        q[k] /= sqrt(square);
}

/* ---- Models ------------------------------------------------------------------------------------------------------ */

static bool reserve(sn_bench_model *m, uint32_t bodies, uint32_t joints)
{
    if (!sn_bench_model_reserve(m, bodies, 0, 0))
        return false;
    m->body = malloc(bodies * sizeof *m->body);
    m->joint = malloc(((size_t)joints + 1) * sizeof *m->joint);
    m->bodies = m->body && m->joint ? bodies : 0;
    return m->bodies > 0;
}

/* Also fills in the position of the body among the particles. */
static void put(sn_bench_model *m, uint32_t i, const sn_bench_body *body)
{
    m->body[i] = *body;
    memcpy(&m->xyz[3 * (size_t)i], body->pose, 3 * sizeof *m->xyz);
    m->mass[i] = body->mass;
}

/* ---- Boxes ------------------------------------------------------------------------------------------------------- */

#define BOX_HALF 0.1    /* m: half an edge */
#define SIDE     4.0    /* m: the side of the container of */
#define IN_SIDE  5000.0 /* boxes; with other numbers their layers are equally deep */
#define PITCH    0.36   /* m between neighbours at the start: boxes of any orientation do not touch */

bool sn_bench_build_boxes(uint32_t n, sn_bench_model *m)
{
    if (!reserve(m, n, 0))
        return false;
    m->box = SIDE * sqrt(n / IN_SIDE);
    m->box = m->box < 2 * PITCH ? 2 * PITCH : m->box;
    uint32_t row = (uint32_t)((m->box - PITCH) / PITCH) + 1;
    uint64_t state = 20261116;
    for (uint32_t i = 0; i < n; ++i) {
        sn_bench_body body = {.half = {BOX_HALF, BOX_HALF, BOX_HALF}, .mass = 1};
        uint32_t in_layer = i % (row * row), layer = i / (row * row);
        body.pose[0] = PITCH * (in_layer % row - (row - 1) / 2.0);
        body.pose[1] = PITCH * (layer + 0.5);
        body.pose[2] = PITCH * (in_layer / row - (row - 1) / 2.0);
        draw_rotation(&state, body.pose + 3);
        put(m, i, &body);
    }
    return true;
}

/* ---- Ragdolls ---------------------------------------------------------------------------------------------------- */

#define HEIGHT 1.75 /* m */
#define WEIGHT 75.0 /* kg */
#define WAIST  1.0  /* m: the point about which a figure is rotated */
#define ROOM   2.05 /* m between figures, which is enough for any orientation */
#define LAYERS 4u

enum { PELVIS, TORSO, HEAD, ARM, FOREARM, THIGH, SHIN, PARTS };

/* The parts of a figure that stands with its arms stretched out: capsules, those of the left side mirrored. */
static const struct {
    double share;     /* of the mass */
    double centre[3]; /* m */
    bool level;       /* along x, otherwise along y */
    double half, radius;
    bool pair;
} part[PARTS] = {
    [PELVIS] = {0.140, {0, 1.0, 0}, true, 0.05, 0.11, false},
    [TORSO] = {0.358, {0, 1.3, 0}, false, 0.13, 0.13, false},
    [HEAD] = {0.080, {0, 1.66, 0}, false, 0.04, 0.085, false},
    [ARM] = {0.028, {0.32, 1.45, 0}, true, 0.11, 0.045, true},
    [FOREARM] = {0.022, {0.62, 1.45, 0}, true, 0.11, 0.04, true},
    [THIGH] = {0.100, {0.11, 0.71, 0}, false, 0.155, 0.07, true},
    [SHIN] = {0.061, {0.11, 0.27, 0}, false, 0.19, 0.05, true},
};

/* A hinge has a least and a largest angle. Any other joint leans by at most its swing, and twists by at most its
   largest angle either way. */
static const struct {
    int a, b;
    double anchor[3], axis[3];
    double least, most, swing;
} bond[] = {
    {PELVIS, TORSO, {0, 1.1, 0}, {0, 1, 0}, -0.3, 0.3, 0.4},
    {TORSO, HEAD, {0, 1.54, 0}, {0, 1, 0}, -0.8, 0.8, 0.6},
    {TORSO, ARM, {0.17, 1.45, 0}, {1, 0, 0}, -0.6, 0.6, 1.4},
    {ARM, FOREARM, {0.47, 1.45, 0}, {0, -1, 0}, 0, 2.3, 0},
    {PELVIS, THIGH, {0.11, 0.92, 0}, {0, -1, 0}, -0.4, 0.4, 1.0},
    {THIGH, SHIN, {0.11, 0.5, 0}, {1, 0, 0}, 0, 2.3, 0},
};

enum { BODIES = 11, JOINTS = 10, LINKS = sizeof bond / sizeof bond[0] };

/* The number of a part in its figure; the left parts follow the right ones. */
static uint32_t number_of(int which, bool left)
{
    return which < ARM ? (uint32_t)which : ARM + 2 * (uint32_t)(which - ARM) + left;
}

static void put_part(sn_bench_model *m, uint32_t first, int which, bool left, const double middle[3], const double q[4])
{
    static const double lie[4] = {0, 0, -0.70710678118654752, 0.70710678118654752}, stand[4] = {0, 0, 0, 1};
    sn_bench_body body = {
        .half = {0, part[which].half, 0}, .radius = part[which].radius, .mass = WEIGHT * part[which].share};
    double at[3] = {left ? -part[which].centre[0] : part[which].centre[0], part[which].centre[1] - WAIST,
                    part[which].centre[2]};
    turn(q, at, at);
    for (int k = 0; k < 3; ++k)
        body.pose[k] = middle[k] + at[k];
    times(q, part[which].level ? lie : stand, body.pose + 3);
    put(m, first + number_of(which, left), &body);
}

/* Transforms an anchor and axes of the world into the frame of a body. */
static void take_down(const sn_bench_body *body, const double anchor[3], const double frame[4], double spot[3],
                      double axes[4])
{
    double inverse[4], way[3];
    back(body->pose + 3, inverse);
    for (int k = 0; k < 3; ++k)
        way[k] = anchor[k] - body->pose[k];
    turn(inverse, way, spot);
    times(inverse, frame, axes);
}

static void put_joint(sn_bench_model *m, uint32_t first, int which, bool left, const double middle[3],
                      const double q[4])
{
    sn_bench_joint *j = &m->joint[m->joints++];
    double frame[4], sign = left ? -1 : 1, anchor[3] = {sign * bond[which].anchor[0], bond[which].anchor[1] - WAIST, 0};
    double axis[3] = {sign * bond[which].axis[0], bond[which].axis[1], 0};
    *j = (sn_bench_joint){.a = first + number_of(bond[which].a, left),
                          .b = first + number_of(bond[which].b, left),
                          .least = bond[which].least,
                          .most = bond[which].most,
                          .swing = bond[which].swing};
    /* hinges of the left side: mirroring would reverse their angles, but both knees bend the same way */
    if (bond[which].swing == 0 && left)
        axis[0] = bond[which].axis[0], axis[1] = -bond[which].axis[1];
    turn(q, anchor, anchor);
    turn(q, axis, j->axis);
    for (int k = 0; k < 3; ++k)
        j->anchor[k] = middle[k] + anchor[k];
    x_to(j->axis, frame);
    take_down(&m->body[j->a], j->anchor, frame, j->spot[0], j->frame[0]);
    take_down(&m->body[j->b], j->anchor, frame, j->spot[1], j->frame[1]);
}

static void put_figure(sn_bench_model *m, uint32_t first, const double middle[3], const double q[4])
{
    for (int which = 0; which < PARTS; ++which)
        for (int left = 0; left <= part[which].pair; ++left)
            put_part(m, first, which, left, middle, q);
    for (int which = 0; which < LINKS; ++which)
        for (int left = 0; left <= part[bond[which].b].pair; ++left)
            put_joint(m, first, which, left, middle, q);
}

bool sn_bench_build_ragdolls(uint32_t n, sn_bench_model *m)
{
    if (!reserve(m, n * BODIES, n * JOINTS))
        return false;
    uint32_t side = (uint32_t)ceil(sqrt((double)n / LAYERS));
    uint64_t state = 20261116;
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t in_layer = i % (side * side), layer = i / (side * side);
        double q[4], middle[3] = {ROOM * (in_layer % side - (side - 1) / 2.0), ROOM * (layer + 0.5),
                                  ROOM * (in_layer / side - (side - 1) / 2.0)};
        draw_rotation(&state, q);
        put_figure(m, i * BODIES, middle, q);
    }
    return true;
}

/* ---- Overlap of boxes -------------------------------------------------------------------------------------------- */

typedef struct placed {
    double x[3], axis[3][3]; /* columns */
} placed;

/* The extent of the box along a direction. */
static double reach_of(const sn_bench_model *m, const placed *b, const double way[3])
{
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += m->body[0].half[k] * fabs(b->axis[0][k] * way[0] + b->axis[1][k] * way[1] + b->axis[2][k] * way[2]);
    return sum;
}

/* The penetration depth of two boxes: the least overlap along the normals of faces and the cross products of edges. */
static double depth_of(const sn_bench_model *m, const placed *a, const placed *b)
{
    double least = (double)INFINITY;
    const double d[3] = {b->x[0] - a->x[0], b->x[1] - a->x[1], b->x[2] - a->x[2]};
    for (int i = 0; i < 15 && least > 0; ++i) {
        double way[3], length = 0;
        for (int k = 0; k < 3; ++k) {
            int p = (k + 1) % 3, q = (k + 2) % 3, e = (i - 6) / 3, f = (i - 6) % 3;
            way[k] = i < 3   ? a->axis[k][i]
                     : i < 6 ? b->axis[k][i - 3]
                             : a->axis[p][e] * b->axis[q][f] - a->axis[q][e] * b->axis[p][f];
            length += way[k] * way[k];
        }
        if (length < 1e-6)
            continue; /* parallel edges: the face normals suffice */
        double apart = fabs(d[0] * way[0] + d[1] * way[1] + d[2] * way[2]);
        double depth = (reach_of(m, a, way) + reach_of(m, b, way) - apart) / sqrt(length);
        least = depth < least ? depth : least;
    }
    return least;
}

static int by_x(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    return (p->x[0] > q->x[0]) - (p->x[0] < q->x[0]);
}

typedef struct tally {
    double sum, most, pairs, walls;
} tally;

static void note(tally *t, double depth, double *count)
{
    if (!(depth > 0))
        return;
    t->sum += depth;
    t->most = depth > t->most ? depth : t->most;
    *count += 1;
}

static void meet_walls(const sn_bench_model *m, const placed *b, tally *t)
{
    for (int k = 0; k < 3; ++k) {
        double way[3] = {k == 0, k == 1, k == 2}, reach = reach_of(m, b, way);
        note(t, k == 1 ? reach - b->x[1] : reach + fabs(b->x[k]) - m->box / 2, &t->walls);
    }
}

static bool measure_boxes(const sn_bench_model *m, const double *pose, sn_bench_overlap *overlap)
{
    placed *list = malloc(m->bodies * sizeof *list);
    tally t = {0};
    if (!list)
        return false;
    for (uint32_t i = 0; i < m->bodies; ++i) {
        memcpy(list[i].x, &pose[7 * (size_t)i], sizeof list[i].x);
        matrix_of(&pose[7 * (size_t)i + 3], list[i].axis);
    }
    qsort(list, m->bodies, sizeof *list, by_x);
    const double far = 2 * BOX_HALF * sqrt(3.0);
    for (uint32_t i = 0; i < m->bodies; ++i) {
        meet_walls(m, &list[i], &t);
        for (uint32_t j = i + 1; j < m->bodies && list[j].x[0] - list[i].x[0] < far; ++j)
            if (fabs(list[j].x[1] - list[i].x[1]) < far && fabs(list[j].x[2] - list[i].x[2]) < far)
                note(&t, depth_of(m, &list[i], &list[j]), &t.pairs);
    }
    free(list);
    overlap->mean = t.pairs + t.walls > 0 ? t.sum / (t.pairs + t.walls) / BOX_HALF : 0;
    overlap->largest = t.most / BOX_HALF;
    overlap->contacts = (2 * t.pairs + t.walls) / m->bodies;
    return true;
}

/* ---- Joint errors ------------------------------------------------------------------------------------------------ */

static void measure_joints(const sn_bench_model *m, const double *pose, sn_bench_overlap *gap)
{
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < m->joints; ++i) {
        const sn_bench_joint *j = &m->joint[i];
        const double *a = &pose[7 * (size_t)j->a], *b = &pose[7 * (size_t)j->b];
        double p[3], q[3], square = 0;
        turn(a + 3, j->spot[0], p);
        turn(b + 3, j->spot[1], q);
        for (int k = 0; k < 3; ++k)
            square += (a[k] + p[k] - b[k] - q[k]) * (a[k] + p[k] - b[k] - q[k]);
        sum += sqrt(square);
        most = square > most ? square : most;
    }
    *gap = (sn_bench_overlap){sum / m->joints / HEIGHT, sqrt(most) / HEIGHT, (double)NAN};
}

bool sn_bench_model_bodies_hold(const sn_bench_model *m, const double *pose, sn_bench_overlap *overlap)
{
    *overlap = (sn_bench_overlap){(double)NAN, (double)NAN, (double)NAN};
    for (size_t i = 0; i < 7 * (size_t)m->bodies; ++i)
        if (!isfinite(pose[i]))
            return true;
    if (m->joints == 0)
        return measure_boxes(m, pose, overlap);
    measure_joints(m, pose, overlap);
    return true;
}
