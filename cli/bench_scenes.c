#include "cli/bench_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- Models ------------------------------------------------------------------------------------------------------ */

void sn_bench_model_release(sn_bench_model *model)
{
    free(model->xyz);
    free(model->mass);
    free(model->edge);
    free(model->tet);
    free(model->body);
    free(model->joint);
    memset(model, 0, sizeof *model);
}

bool sn_bench_model_reserve(sn_bench_model *m, uint32_t particles, uint32_t edges, uint32_t tets)
{
    memset(m, 0, sizeof *m);
    m->particles = particles;
    m->xyz = malloc(3 * (size_t)particles * sizeof *m->xyz);
    m->mass = malloc((size_t)particles * sizeof *m->mass);
    m->edge = malloc(((size_t)edges + 1) * sizeof *m->edge);
    m->tet = malloc((4 * (size_t)tets + 1) * sizeof *m->tet);
    return m->xyz && m->mass && m->edge && m->tet;
}

static void place(sn_bench_model *m, uint32_t i, double x, double y, double z)
{
    m->xyz[3 * (size_t)i] = SN_BENCH_SPACING * x;
    m->xyz[3 * (size_t)i + 1] = SN_BENCH_SPACING * y;
    m->xyz[3 * (size_t)i + 2] = SN_BENCH_SPACING * z;
    m->mass[i] = 1;
}

static void join(sn_bench_model *m, uint32_t a, uint32_t b, bool structural, double spacings)
{
    m->edge[m->edges++] = (sn_bench_edge){a, b, structural, SN_BENCH_SPACING * spacings};
}

/* ---- Cloth ------------------------------------------------------------------------------------------------------- */

/* Adds edges along one direction, row by row. */
static void weave(sn_bench_model *m, uint32_t n, uint32_t first, int dx, int dz)
{
    double length = sqrt((double)(dx * dx + dz * dz));
    for (uint32_t z = 0; z + (uint32_t)dz < n; ++z)
        for (uint32_t x = dx < 0 ? 1 : 0; x + (dx > 0 ? 1 : 0) < n; ++x) {
            uint32_t a = first + z * n + x;
            join(m, a, a + (uint32_t)dz * n + (uint32_t)dx, dx == 0 || dz == 0, length);
        }
}

/* A horizontal square of n by n particles, held at two corners; its first particle is at the given position. */
static void put_cloth(sn_bench_model *m, uint32_t n, uint32_t first, double y, double z)
{
    for (uint32_t row = 0; row < n; ++row)
        for (uint32_t column = 0; column < n; ++column)
            place(m, first + row * n + column, column, y, z + row);
    m->mass[first] = m->mass[first + n - 1] = INFINITY;
    weave(m, n, first, 1, 0);
    weave(m, n, first, 0, 1);
    weave(m, n, first, 1, 1);
    weave(m, n, first, -1, 1);
}

static uint32_t cloth_edges(uint32_t n)
{
    return 2 * n * (n - 1) + 2 * (n - 1) * (n - 1);
}

static bool build_cloth(uint32_t n, sn_bench_model *m)
{
    if (!sn_bench_model_reserve(m, n * n, cloth_edges(n), 0))
        return false;
    put_cloth(m, n, 0, 0, 0);
    return true;
}

/* Objects are placed beside and above each other; nothing collides. Single precision is finest near the origin. */
#define PITCH 2 /* spacings between objects */

static void surface_point(uint32_t i, uint32_t objects, double *y, double *z)
{
    uint32_t side = (uint32_t)ceil(sqrt((double)objects));
    *y = PITCH * (double)(i / side);
    *z = PITCH * (double)(i % side);
}

#define SMALL_CLOTH 16 /* particles on a side */

static bool build_cloths(uint32_t n, sn_bench_model *m)
{
    uint32_t each = SMALL_CLOTH * SMALL_CLOTH;
    if (!sn_bench_model_reserve(m, n * each, n * cloth_edges(SMALL_CLOTH), 0))
        return false;
    for (uint32_t i = 0; i < n; ++i) {
        double y, z;
        surface_point(i, n, &y, &z);
        put_cloth(m, SMALL_CLOTH, i * each, y, z);
    }
    return true;
}

/* ---- Ropes ------------------------------------------------------------------------------------------------------- */

/* A horizontal row of count particles, held at the first, with a bob at the last. */
static void put_rope(sn_bench_model *m, uint32_t count, uint32_t first, double y, double z, double bob)
{
    for (uint32_t i = 0; i < count; ++i)
        place(m, first + i, i, y, z);
    m->mass[first] = INFINITY;
    m->mass[first + count - 1] = bob;
    for (uint32_t i = 0; i + 1 < count; ++i)
        join(m, first + i, first + i + 1, true, 1);
}

static bool build_rope(uint32_t n, sn_bench_model *m)
{
    if (!sn_bench_model_reserve(m, n, n - 1, 0))
        return false;
    put_rope(m, n, 0, 0, 0, 100);
    return true;
}

static bool build_heavy_rope(uint32_t n, sn_bench_model *m)
{
    if (!sn_bench_model_reserve(m, n, n - 1, 0))
        return false;
    put_rope(m, n, 0, 0, 0, 1000);
    return true;
}

#define SHORT_ROPE 32 /* particles */

static bool build_ropes(uint32_t n, sn_bench_model *m)
{
    if (!sn_bench_model_reserve(m, n * SHORT_ROPE, n * (SHORT_ROPE - 1), 0))
        return false;
    for (uint32_t i = 0; i < n; ++i) {
        double y, z;
        surface_point(i, n, &y, &z);
        put_rope(m, SHORT_ROPE, i * SHORT_ROPE, y, z, 1);
    }
    return true;
}

/* ---- Tetrahedra -------------------------------------------------------------------------------------------------- */

static uint32_t corner(uint32_t n, uint32_t x, uint32_t y, uint32_t z)
{
    return (z * (n + 1) + y) * (n + 1) + x;
}

static double volume(const sn_bench_model *m, const uint32_t p[4])
{
    double e[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            e[i][k] = m->xyz[3 * (size_t)p[i + 1] + k] - m->xyz[3 * (size_t)p[0] + k];
    return (e[0][1] * e[1][2] - e[0][2] * e[1][1]) * e[2][0] + (e[0][2] * e[1][0] - e[0][0] * e[1][2]) * e[2][1] +
           (e[0][0] * e[1][1] - e[0][1] * e[1][0]) * e[2][2];
}

static void fill(sn_bench_model *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t *t = &m->tet[4 * (size_t)m->tets++];
    t[0] = a, t[1] = b, t[2] = c, t[3] = d;
    if (volume(m, t) < 0) {
        t[2] = d;
        t[3] = c;
    }
}

/* Divides a cube into five tetrahedra: one between the four corners whose coordinates have an even sum, and one at
   each of the others. Neighbouring cubes then agree about the diagonal of their common face. */
static void fill_cube(sn_bench_model *m, uint32_t n, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t even[4], count = 0;
    for (uint32_t i = 0; i < 8; ++i) {
        uint32_t cx = x + (i & 1), cy = y + (i >> 1 & 1), cz = z + (i >> 2);
        if ((cx + cy + cz) % 2 == 0)
            even[count++] = corner(n, cx, cy, cz);
        else
            fill(m, corner(n, cx, cy, cz), corner(n, 2 * x + 1 - cx, cy, cz), corner(n, cx, 2 * y + 1 - cy, cz),
                 corner(n, cx, cy, 2 * z + 1 - cz));
    }
    fill(m, even[0], even[1], even[2], even[3]);
}

/* Adds the edges that start at a point: along the axes, and across the faces that begin there. */
static void join_corner(sn_bench_model *m, uint32_t n, const uint32_t p[3])
{
    uint32_t here = corner(n, p[0], p[1], p[2]);
    bool even = (p[0] + p[1] + p[2]) % 2 == 0;
    uint32_t step[3] = {1, n + 1, (n + 1) * (n + 1)};
    for (int i = 0; i < 3; ++i) {
        int k = (i + 1) % 3;
        if (p[i] < n)
            join(m, here, here + step[i], true, 1);
        if (p[i] == n || p[k] == n)
            continue;
        if (even)
            join(m, here, here + step[i] + step[k], true, sqrt(2.0));
        else
            join(m, here + step[i], here + step[k], true, sqrt(2.0));
    }
}

static bool build_block(uint32_t n, sn_bench_model *m, bool volumes)
{
    uint32_t side = n + 1;
    if (!sn_bench_model_reserve(m, side * side * side, 3 * n * side * side + 3 * side * n * n,
                                volumes ? 5 * n * n * n : 0))
        return false;
    for (uint32_t i = 0; i < m->particles; ++i)
        place(m, i, i % side, i / side % side, i / side / side);
    m->mass[corner(n, 0, n, 0)] = m->mass[corner(n, n, n, 0)] = INFINITY;
    for (uint32_t i = 0; i < m->particles; ++i) {
        uint32_t p[3] = {i % side, i / side % side, i / side / side};
        join_corner(m, n, p);
        if (volumes && p[0] < n && p[1] < n && p[2] < n)
            fill_cube(m, n, p[0], p[1], p[2]);
    }
    return true;
}

static bool build_tets(uint32_t n, sn_bench_model *m)
{
    return build_block(n, m, true);
}

static bool build_links(uint32_t n, sn_bench_model *m)
{
    return build_block(n, m, false);
}

/* ---- Shuffling --------------------------------------------------------------------------------------------------- */

uint64_t sn_bench_draw(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static uint32_t draw_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)((sn_bench_draw(state) >> 32) * bound >> 32);
}

static void swap_bytes(void *a, void *b, size_t size)
{
    unsigned char spare[sizeof(sn_bench_edge)];
    memcpy(spare, a, size);
    memcpy(a, b, size);
    memcpy(b, spare, size);
}

static void shuffle(void *items, uint32_t count, size_t size, uint64_t *state)
{
    char *item = items;
    for (uint32_t i = count; i > 1; --i)
        swap_bytes(item + size * (i - 1), item + size * draw_below(state, i), size);
}

/* Gives every particle its new number. */
static bool renumber(sn_bench_model *m, const uint32_t *number)
{
    double *xyz = malloc(3 * (size_t)m->particles * sizeof *xyz);
    double *mass = malloc((size_t)m->particles * sizeof *mass);
    bool good = xyz && mass;
    for (uint32_t i = 0; i < m->particles && good; ++i) {
        memcpy(&xyz[3 * (size_t)number[i]], &m->xyz[3 * (size_t)i], 3 * sizeof *xyz);
        mass[number[i]] = m->mass[i];
    }
    if (good) {
        double *old_xyz = m->xyz, *old_mass = m->mass;
        m->xyz = xyz, m->mass = mass;
        xyz = old_xyz, mass = old_mass;
    }
    free(xyz);
    free(mass);
    return good;
}

bool sn_bench_model_shuffle(sn_bench_model *m)
{
    uint64_t state = 20261115;
    uint32_t *number = malloc((size_t)m->particles * sizeof *number);
    if (!number)
        return false;
    for (uint32_t i = 0; i < m->particles; ++i)
        number[i] = i;
    shuffle(number, m->particles, sizeof *number, &state);
    bool good = renumber(m, number);
    for (uint32_t i = 0; i < m->edges && good; ++i) {
        uint32_t a = number[m->edge[i].a], b = number[m->edge[i].b];
        bool turned = sn_bench_draw(&state) & 1;
        m->edge[i].a = turned ? b : a;
        m->edge[i].b = turned ? a : b;
    }
    for (uint32_t i = 0; i < 4 * m->tets && good; ++i)
        m->tet[i] = number[m->tet[i]];
    if (good) {
        shuffle(m->edge, m->edges, sizeof *m->edge, &state);
        shuffle(m->tet, m->tets, 4 * sizeof *m->tet, &state);
    }
    free(number);
    return good;
}

/* ---- Stretch ----------------------------------------------------------------------------------------------------- */

void sn_bench_model_stretch(const sn_bench_model *m, const double *xyz, double *mean, double *largest)
{
    double sum = 0, most = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->edges; ++i) {
        const sn_bench_edge *e = &m->edge[i];
        if (!e->structural)
            continue;
        const double *a = &xyz[3 * (size_t)e->a], *b = &xyz[3 * (size_t)e->b];
        double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
        double stretch = fabs(sqrt(x * x + y * y + z * z) - e->rest) / e->rest;
        sum += stretch;
        most = stretch > most || isnan(stretch) ? stretch : most;
        ++count;
    }
    *mean = count ? sum / count : 0;
    *largest = isnan(sum) ? sum : most;
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

#define BOTH   (SN_BENCH_GRID | SN_BENCH_GENERAL)
#define BODIES (SN_BENCH_FALLING | SN_BENCH_SETTLED)

/* Sizes of a scene ascend. Large scenes run fewer frames, which their rows state. Bullet needs a second per frame
   for a pile of 20,000; it does not run larger ones. */
static const sn_bench_case cases[] = {
    {"cloth", 64, 10, 300, BOTH | SN_BENCH_SEQUENTIAL, true, true, true, "n by n particles, held at two corners",
     build_cloth, 0, false},
    {"cloth", 128, 10, 300, BOTH, true, false, true, "", build_cloth, 0, false},
    {"cloth", 256, 10, 300, BOTH, true, false, true, "", build_cloth, 0, false},
    {"cloth", 512, 10, 60, BOTH, true, false, true, "", build_cloth, 0, false},
    {"cloth", 1024, 10, 60, BOTH, false, false, true, "", build_cloth, 0, false},
    {"rope", 1000, 20, 300, BOTH | SN_BENCH_SEQUENTIAL, true, true, true,
     "n particles, the last a hundred times heavier", build_rope, 0, false},
    {"rope_heavy", 1000, 20, 300, SN_BENCH_GRID | SN_BENCH_DIRECT, false, true, true,
     "the last a thousand times heavier", build_heavy_rope, 0, false},
    {"tets_links", 20, 10, 300, SN_BENCH_GENERAL, true, false, false,
     "n cubed cubes of five tetrahedra: their edges, held at two corners", build_links, 0, false},
    {"tets", 20, 10, 300, SN_BENCH_GENERAL, false, false, false, "the same with the volumes of the tetrahedra",
     build_tets, 0, false},
    {"ropes", 1000, 10, 300, SN_BENCH_GRID, false, false, true, "n ropes of 32 particles", build_ropes, 0, false},
    {"cloths", 256, 10, 300, SN_BENCH_GRID, false, false, true, "n cloths of 16 by 16 particles", build_cloths, 0,
     false},
    {"pile", 2000, 10, 60, SN_BENCH_GENERAL, true, true, true, "n spheres that fell into a box and settled",
     sn_bench_build_pile, 600, false},
    {"pile", 20000, 10, 60, SN_BENCH_GENERAL, true, false, true, "", sn_bench_build_pile, 600, false},
    {"pile", 100000, 10, 30, SN_BENCH_GENERAL, false, false, true, "", sn_bench_build_pile, 300, false},
    {"pile", 1000000, 10, 11, SN_BENCH_GENERAL, false, false, true, "", sn_bench_build_pile, 200, true},
    {"boxes", 500, 10, 120, BODIES, true, true, false, "n rigid boxes that fall into a box, and lie in it",
     sn_bench_build_boxes, 600, false},
    {"boxes", 5000, 10, 120, BODIES, true, false, false, "", sn_bench_build_boxes, 600, false},
    {"ragdolls", 100, 10, 120, BODIES, true, true, false, "n rigid figures that fall on a floor, and lie on it",
     sn_bench_build_ragdolls, 300, false},
    {"ragdolls", 1000, 10, 120, BODIES, true, false, false, "", sn_bench_build_ragdolls, 300, false},
    {"features", 128, 10, 4, BOTH, false, true, true, "the cloth with a feature beside the one without, one by one",
     build_cloth, 0, false},
    {"kinds", 2048, 10, 2, SN_BENCH_GENERAL, false, true, true,
     "n constraints of each kind, with each feature, one by one", NULL, 0, false},
};

uint32_t sn_bench_case_count(void)
{
    return (uint32_t)COUNT(cases);
}

const sn_bench_case *sn_bench_case_at(uint32_t i)
{
    return i < COUNT(cases) ? &cases[i] : NULL;
}

bool sn_bench_case_is_pile(const sn_bench_case *c)
{
    return c->build == sn_bench_build_pile;
}

bool sn_bench_case_is_bodies(const sn_bench_case *c)
{
    return (c->paths & BODIES) != 0;
}

bool sn_bench_case_is_features(const sn_bench_case *c)
{
    return strcmp(c->scene, "features") == 0;
}

bool sn_bench_case_is_kinds(const sn_bench_case *c)
{
    return !c->build;
}

/* The largest size that is possible besides those of the table; 0: none. */
static uint32_t largest_of(const sn_bench_case *c)
{
    return c->build == build_cloth      ? SN_BENCH_CLOTH
           : sn_bench_case_is_pile(c)   ? SN_BENCH_PILE
           : sn_bench_case_is_bodies(c) ? SN_BENCH_BODIES
           : sn_bench_case_is_kinds(c)  ? SN_BENCH_BODIES
                                        : 0;
}

static uint32_t smallest_of(const sn_bench_case *c)
{
    return c->build == build_cloth ? 2 : 1;
}

const char *sn_bench_case_name(const sn_bench_case *c, char *text, uint32_t size)
{
    if (largest_of(c) > 0)
        snprintf(text, size, "%s-%u", c->scene, (unsigned)c->n);
    else
        snprintf(text, size, "%s", c->scene);
    return text;
}

bool sn_bench_case_find(const char *scene, uint32_t n, sn_bench_case *found)
{
    const sn_bench_case *near = NULL;
    for (uint32_t i = 0; i < COUNT(cases); ++i)
        if (strcmp(cases[i].scene, scene) == 0 && (!near || cases[i].n <= n))
            near = &cases[i];
    if (!near || (near->n != n && (n < smallest_of(near) || n > largest_of(near))))
        return false;
    *found = *near;
    found->n = n;
    return true;
}

bool sn_bench_model_build(const sn_bench_case *c, uint32_t path, sn_bench_model *model)
{
    return c->build(c->n, model) && (path != SN_BENCH_GENERAL || !c->shuffle || sn_bench_model_shuffle(model));
}

static const char *const path_names[] = {"grid", "general", "sequential", "direct", "falling", "settled"};

const char *sn_bench_path_name(uint32_t path)
{
    for (uint32_t i = 0; i < COUNT(path_names); ++i)
        if (path == 1u << i)
            return path_names[i];
    return "?";
}

uint32_t sn_bench_path_find(const char *name)
{
    for (uint32_t i = 0; i < COUNT(path_names); ++i)
        if (strcmp(name, path_names[i]) == 0)
            return 1u << i;
    return 0;
}
