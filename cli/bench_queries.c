/* The cost of queries: a landscape of 100,000 triangles in 100 m, 5,000 bodies, 20,000 particles and 1,000 boxes
   above it. CPU time, the least of several rounds, so that other programs on the machine have little influence. */
#include "cli/bench.h"
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 225, BODIES = 5000, BOXES = 1000, BALLS = 20000, ASKED = 4096 };

static sn_real random_in(double least, double most)
{
    static uint64_t state = 1;
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (sn_real)(least + (most - least) * (double)((z ^ z >> 31) >> 11) / 9007199254740992.0);
}

static sn_vec3 random_place(void)
{
    const sn_real x = random_in(-50, 50), y = random_in(3, 20);
    return (sn_vec3){x, y, random_in(-50, 50)};
}

/* ---- The world --------------------------------------------------------------------------------------------------- */

static bool add_landscape(sn_world *world)
{
    sn_vec3 *vertex = malloc(SIDE * SIDE * sizeof *vertex);
    uint32_t *corner = malloc((SIDE - 1) * (SIDE - 1) * 6 * sizeof *corner), count = 0;
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_MESH);
    sn_body_def def = sn_default_body_def();
    sn_body land;
    for (uint32_t i = 0; vertex && corner && i < SIDE * SIDE; ++i) {
        const double x = 100.0 * (i % SIDE) / (SIDE - 1) - 50, z = 100.0 * (i / SIDE) / (SIDE - 1) - 50;
        vertex[i] = (sn_vec3){(sn_real)x, (sn_real)(2 * sn_math_sin(0.3 * x) * sn_math_cos(0.3 * z)), (sn_real)z};
        if (i % SIDE == 0 || i < SIDE)
            continue;
        const uint32_t a = i - SIDE - 1, two[6] = {a, i - 1, a + 1, a + 1, i - 1, i};
        memcpy(corner + count, two, sizeof two);
        count += 6;
    }
    shape.vertices = vertex;
    shape.vertex_count = SIDE * SIDE;
    shape.triangles = corner;
    shape.triangle_count = count / 3;
    def.type = SN_BODY_STATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    const bool good = vertex && corner && sn_body_add(world, &def, &land) == SN_OK;
    free(vertex);
    free(corner);
    return good;
}

static sn_world *make_world(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world;
    def.threads = 1;
    if (sn_world_create(&def, &world) != SN_OK || !add_landscape(world))
        return NULL;
    for (uint32_t i = 0; i < BODIES; ++i) {
        const sn_vec3 at = random_place(), above = {at.x, at.y + (sn_real)0.5, at.z};
        if (i % 3 == 0)
            sn_body_add_box(world, at, (sn_vec3){(sn_real)0.3, (sn_real)0.2, (sn_real)0.4}, 1000);
        else if (i % 3 == 1)
            sn_body_add_sphere(world, at, (sn_real)0.3, 1000);
        else
            sn_body_add_capsule(world, at, above, (sn_real)0.2, 1000);
    }
    for (uint32_t i = 0; i < BOXES; ++i)
        sn_static_add_box(world, random_place(), (sn_vec3){(sn_real)0.5, (sn_real)0.5, (sn_real)0.5});
    for (uint32_t i = 0; i < BALLS; ++i)
        sn_particle_set_radius(world, sn_particle_add_at(world, random_place(), 1), (sn_real)0.1);
    return world;
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

typedef struct question {
    sn_world *world;
    sn_query_filter filter;
    sn_ray ray[ASKED];
    sn_hit hit[ASKED];
    sn_shape_def shape;
    uint32_t most; /* the number of queries */
    bool json;
    int rounds;
} question;

static uint32_t ask_ray(question *q)
{
    uint32_t met = 0;
    for (uint32_t i = 0; i < q->most; ++i)
        met += sn_query_ray(q->world, q->ray[i].origin, q->ray[i].direction, q->ray[i].length, q->filter, &q->hit[i]);
    return met;
}

static uint32_t ask_batch(question *q)
{
    return sn_query_rays(q->world, q->ray, q->most, q->filter, q->hit);
}

static uint32_t ask_any(question *q)
{
    uint32_t met = 0;
    for (uint32_t i = 0; i < q->most; ++i)
        met += sn_query_ray_any(q->world, q->ray[i].origin, q->ray[i].direction, q->ray[i].length, q->filter);
    return met;
}

static uint32_t ask_all(question *q)
{
    uint32_t met = 0;
    for (uint32_t i = 0; i < q->most; ++i)
        met +=
            sn_query_ray_all(q->world, q->ray[i].origin, q->ray[i].direction, q->ray[i].length, q->filter, q->hit, 16);
    return met;
}

static uint32_t ask_cast(question *q)
{
    uint32_t met = 0;
    for (uint32_t i = 0; i < q->most; ++i) {
        q->shape.position = q->ray[i].origin;
        met += sn_query_shape_cast(q->world, &q->shape, q->ray[i].direction, 10, q->filter, &q->hit[i]);
    }
    return met;
}

static uint32_t ask_overlap(question *q)
{
    uint32_t met = 0;
    for (uint32_t i = 0; i < q->most; ++i) {
        q->shape.position = q->ray[i].origin;
        met += sn_query_shape_overlap(q->world, &q->shape, q->filter, q->hit, 16) > 0;
    }
    return met;
}

static uint32_t ask_closest(question *q)
{
    uint32_t met = 0;
    for (uint32_t i = 0; i < q->most; ++i)
        met += sn_query_closest(q->world, q->ray[i].origin, 5, q->filter, &q->hit[i]);
    return met;
}

static uint32_t walk(question *q)
{
    sn_character c = sn_default_character();
    c.position = (sn_vec3){-30, 2, -30};
    for (uint32_t i = 0; i < q->most; ++i) {
        c.velocity = (sn_vec3){1, c.grounded ? 0 : c.velocity.y - (sn_real)0.16, 1};
        sn_character_move(q->world, &c, (sn_real)(1.0 / 60));
    }
    return c.grounded ? q->most : 0;
}

static void tell(const question *q, const char *what, double ns, double hits)
{
    if (q->json)
        printf("{\"scene\": \"queries\", \"query\": \"%s\", \"ns\": %.1f, \"hits\": %.4g}\n", what, ns, hits);
    else
        printf("  %-34s %9.0f %9.0f k/s %7.1f %%\n", what, ns, 1e6 / ns, 100 * hits);
    fflush(stdout);
}

static void measure(question *q, const char *what, uint32_t (*ask)(question *q), uint32_t most)
{
    double best = 1e9;
    uint32_t met = 0;
    q->most = most;
    for (int i = 0; i < q->rounds; ++i) {
        sn_query_prepare(q->world);
        const double start = sn_cpu_seconds();
        met = ask(q);
        const double seconds = sn_cpu_seconds() - start;
        best = seconds < best ? seconds : best;
    }
    tell(q, what, 1e9 * best / most, (double)met / most);
}

/* Nothing moves, but the index has to be updated all the same. */
static void measure_index(question *q)
{
    double best = 1e9;
    for (int i = 0; i < q->rounds; ++i) {
        sn_particle p = sn_particle_from_index(q->world, BODIES);
        sn_particle_set_position(q->world, p, sn_particle_position(q->world, p));
        const double start = sn_cpu_seconds();
        sn_query_prepare(q->world);
        const double seconds = sn_cpu_seconds() - start;
        best = seconds < best ? seconds : best;
    }
    tell(q, "the index after a step, in all", 1e9 * best, 0);
}

/* Measures all queries, one after the other. */
static void ask_everything(question *q, bool quick)
{
    const sn_vec3 corner[8] = {{(sn_real)0.3, 0, 0},
                               {(sn_real)-0.3, 0, 0},
                               {0, (sn_real)0.4, 0},
                               {0, (sn_real)-0.4, 0},
                               {0, 0, (sn_real)0.3},
                               {0, 0, (sn_real)-0.3},
                               {(sn_real)0.2, (sn_real)0.2, (sn_real)0.2},
                               {(sn_real)-0.2, (sn_real)-0.2, (sn_real)0.2}};
    q->filter = sn_default_query_filter();
    for (uint32_t i = 0; i < ASKED; ++i) {
        q->ray[i].origin = random_place();
        q->ray[i].direction = (sn_vec3){random_in(-1, 1), random_in(-1, 0.3), random_in(-1, 1)};
        q->ray[i].length = 100;
    }
    const uint32_t few = quick ? 64 : ASKED;
    measure(q, "ray of 100 m", ask_ray, few);
    measure(q, "ray of 100 m, in a batch", ask_batch, few);
    measure(q, "ray of 100 m, anything", ask_any, few);
    measure(q, "ray of 100 m, everything", ask_all, few / 4);
    static sn_ray any_way[ASKED];
    memcpy(any_way, q->ray, sizeof any_way);
    for (uint32_t i = 0; i < ASKED; ++i) /* a camera of 64 x 64 pixels */
        q->ray[i] = (sn_ray){
            {-20, 15, -20}, {1, (sn_real)(i / 64) / 64 - (sn_real)0.5, (sn_real)(i % 64) / 64 + (sn_real)0.5}, 100};
    measure(q, "ray of a camera", ask_ray, few);
    measure(q, "ray of a camera, in a batch", ask_batch, few);
    memcpy(q->ray, any_way, sizeof any_way);
    for (uint32_t what = 1; what < 32; what <<= 2) {
        q->filter.what = what;
        measure(q,
                what == 1   ? "ray, particles only"
                : what == 4 ? "ray, mesh and boxes only"
                            : "ray, bodies only",
                ask_ray, few);
    }
    q->filter = sn_default_query_filter();
    const char *const names[] = {"sphere cast of 10 m", "capsule cast of 10 m", "box cast of 10 m",
                                 "hull cast of 10 m"};
    for (uint32_t i = 0; i < 4; ++i) {
        q->shape = sn_default_shape_def((sn_shape_type)i);
        q->shape.half = (sn_vec3){(sn_real)0.3, (sn_real)0.6, (sn_real)0.3};
        q->shape.radius = i < 2 ? (sn_real)0.3 : 0;
        q->shape.vertices = corner;
        q->shape.vertex_count = 8;
        measure(q, names[i], ask_cast, few / 4);
    }
    q->shape = sn_default_shape_def(SN_SHAPE_CAPSULE);
    q->shape.half.y = (sn_real)0.6;
    q->shape.radius = (sn_real)0.3;
    measure(q, "capsule overlap", ask_overlap, few / 4);
    measure(q, "nearest point within 5 m", ask_closest, few / 4);
    measure(q, "a move of a character", walk, few / 4);
    measure_index(q);
}

bool sn_bench_queries(bool quick, bool json)
{
    static question q;
    q.world = make_world();
    q.json = json;
    q.rounds = quick ? 1 : 9;
    if (!q.world)
        return false;
    if (!json)
        printf("\nqueries: 100,000 triangles, 5,000 bodies, 20,000 particles, 1,000 boxes; CPU time, one thread\n\n"
               "  %-34s %9s %13s %9s\n",
               "query", "ns", "", "hits");
    ask_everything(&q, quick);
    sn_world_destroy(q.world);
    return true;
}
