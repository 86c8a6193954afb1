/* Queries in many random worlds, compared with a search through everything in double precision that knows nothing of the engine's shapes and trees; and
   batches of rays, which go through trees in packets, with single rays, to the bit. */
#include "support/support.h"

#include <math.h>
#include <sinew/query.h>
#include <string.h>

enum { MOST_THINGS = 400, ASKED = 24, RAYS = 80 };

/* ---- Things, in double precision ------------------------------------------------------------------------------------- */

typedef struct d3 {
    double x, y, z;
} d3;

static d3 d3_of(sn_vec3 a)
{
    return (d3){(double)a.x, (double)a.y, (double)a.z};
}

static d3 add(d3 a, d3 b)
{
    return (d3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static d3 sub(d3 a, d3 b)
{
    return (d3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static d3 scale(d3 a, double by)
{
    return (d3){a.x * by, a.y * by, a.z * by};
}

static double dot(d3 a, d3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double length(d3 a)
{
    return sqrt(dot(a, a));
}

/* By the conjugate: into the frame that is turned so. */
static d3 turned_back(sn_quat q, d3 v)
{
    const d3 u = {-(double)q.x, -(double)q.y, -(double)q.z};
    const d3 t = {2 * (u.y * v.z - u.z * v.y), 2 * (u.z * v.x - u.x * v.z), 2 * (u.x * v.y - u.y * v.x)};
    return add(add(v, scale(t, (double)q.w)),
               (d3){u.y * t.z - u.z * t.y, u.z * t.x - u.x * t.z, u.x * t.y - u.y * t.x});
}

/* A ball, a capsule along y or a box, each rounded by a radius: all that is within it of a box whose half may be 0. */
typedef struct thing {
    d3 place, half;
    sn_quat turn;
    double radius;
} thing;

typedef struct world_of_things {
    sn_world *world;
    uint32_t count;
    thing thing[MOST_THINGS];
    double size; /* m */
} world_of_things;

/* m: to the surface, negative inside. */
static double distance_to(const thing *t, d3 p)
{
    const d3 own = turned_back(t->turn, sub(p, t->place));
    const d3 q = {fabs(own.x) - t->half.x, fabs(own.y) - t->half.y, fabs(own.z) - t->half.z};
    const d3 out = {fmax(q.x, 0), fmax(q.y, 0), fmax(q.z, 0)};
    return length(out) + fmin(fmax(q.x, fmax(q.y, q.z)), 0) - t->radius;
}

/* Where a ray first comes within `more` of a thing, by walking: the distance is never overrated, so that the ray may go on by it. Infinity: it does not. */
static double march(const thing *t, d3 from, d3 way, double far, double more, double fine)
{
    double at = 0;
    for (int i = 0; i < 4000 && at <= far; ++i) {
        const double gap = distance_to(t, add(from, scale(way, at))) - more;
        if (gap < fine)
            return at;
        at += gap;
    }
    return INFINITY;
}

/* ---- Worlds ------------------------------------------------------------------------------------------------------------ */

static sn_vec3 random_vec(uint64_t *seed, double size)
{
    const double x = support_random_in(seed, -size, size), y = support_random_in(seed, -size, size);
    return vec(x, y, support_random_in(seed, -size, size));
}

static void add_ball(world_of_things *w, uint64_t *seed, double radius)
{
    sn_particle_def def = sn_default_particle_def();
    sn_particle particle;
    def.position = random_vec(seed, w->size);
    def.radius = real(radius);
    assert_ok(w->world, sn_particle_add(w->world, &def, &particle));
    w->thing[w->count++] = (thing){d3_of(def.position), {0, 0, 0}, {0, 0, 0, 1}, (double)def.radius};
}

static void add_body(world_of_things *w, uint64_t *seed, uint32_t type, double size)
{
    sn_body_def def = sn_default_body_def();
    sn_shape_def shape = sn_default_shape_def((sn_shape_type)type);
    const sn_vec3 axis = random_vec(seed, 1);
    const double a = length(d3_of(axis)), s = sin(a) / (a > 0 ? a : 1);
    sn_body body;
    shape.half = vec(support_random_in(seed, 0.2, 1) * size, support_random_in(seed, 0.2, 1) * size,
                     support_random_in(seed, 0.2, 1) * size);
    shape.radius = real(type == SN_SHAPE_BOX ? 0 : support_random_in(seed, 0.2, 1) * size);
    def.shapes = &shape;
    def.shape_count = 1;
    def.position = random_vec(seed, w->size);
    def.rotation =
        (sn_quat){real(s * (double)axis.x), real(s * (double)axis.y), real(s * (double)axis.z), real(cos(a))};
    assert_ok(w->world, sn_body_add(w->world, &def, &body));
    const d3 half = {type == SN_SHAPE_BOX ? (double)shape.half.x : 0,
                     type == SN_SHAPE_SPHERE ? 0 : (double)shape.half.y,
                     type == SN_SHAPE_BOX ? (double)shape.half.z : 0};
    w->thing[w->count++] = (thing){d3_of(def.position), half, sn_body_rotation(w->world, body), (double)shape.radius};
}

/* From a few things to more than are looked at one by one; of a centimetre to a hundred metres. */
static void make_world(world_of_things *w, uint64_t seed)
{
    static const uint32_t counts[] = {1, 5, 40, 90, 180};
    w->world = support_world();
    w->size = pow(10, support_random_in(&seed, -1.5, 2));
    w->count = 0;
    const uint32_t balls = counts[(uint32_t)support_random_in(&seed, 0, 5)],
                   bodies = counts[(uint32_t)support_random_in(&seed, 0, 5)];
    const double each = w->size * support_random_in(&seed, 0.05, 0.3);
    for (uint32_t i = 0; i < balls; ++i)
        add_ball(w, &seed, support_random_in(&seed, 0.1, 1) * each);
    for (uint32_t i = 0; i < bodies; ++i)
        add_body(w, &seed, i % 3, each);
    if (support_random(&seed) % 4)
        assert_ok(w->world, sn_query_prepare(w->world)); /* otherwise a query makes the index, or none does */
}

/* ---- Questions --------------------------------------------------------------------------------------------------------- */

/* The answer lies between those for things that are a little larger and a little smaller. */
static void compare_ray(const world_of_things *w, const sn_ray *ray, bool found, const sn_hit *hit)
{
    const double slack = 2e-5 * w->size, far = fmin((double)ray->length, 10 * w->size);
    d3 from = d3_of(ray->origin), way = d3_of(ray->direction);
    double early = INFINITY, late = INFINITY;
    way = scale(way, 1 / length(way));
    for (uint32_t i = 0; i < w->count; ++i) {
        early = fmin(early, march(&w->thing[i], from, way, far + slack, slack, 0.1 * slack));
        late = fmin(late, march(&w->thing[i], from, way, far - slack, -slack, 0.1 * slack));
    }
    if (late < INFINITY)
        assert_true(found);
    if (early == INFINITY)
        assert_false(found);
    if (found && !((double)hit->distance >= early - slack && (double)hit->distance <= late + slack))
        fail_msg("a hit at %.9g m, and it should be from %.9g to %.9g", (double)hit->distance, early, late);
}

static void compare_closest(const world_of_things *w, d3 p)
{
    const double slack = 2e-5 * w->size;
    const sn_vec3 place = vec(p.x, p.y, p.z);
    double nearest = INFINITY;
    sn_hit hit;
    for (uint32_t i = 0; i < w->count; ++i)
        nearest = fmin(nearest, fabs(distance_to(&w->thing[i], d3_of(place))));
    assert_true(sn_query_closest(w->world, place, (sn_real)INFINITY, sn_default_query_filter(), &hit));
    assert_close(fabs((double)hit.distance), nearest, slack);
}

static void compare_overlap(const world_of_things *w, d3 p, double radius)
{
    const double slack = 2e-5 * w->size;
    const sn_vec3 place = vec(p.x, p.y, p.z);
    uint32_t least = 0, most = 0;
    for (uint32_t i = 0; i < w->count; ++i) {
        const double gap = distance_to(&w->thing[i], d3_of(place)) - (double)real(radius);
        least += gap < -slack;
        most += gap < slack;
    }
    const uint32_t count = sn_query_overlap(w->world, place, real(radius), sn_default_query_filter(), NULL, 0);
    assert_true(count >= least && count <= most);
}

/* Rays of all sorts: in all directions; from one place through a window; side by side; along an axis. */
static void make_rays(const world_of_things *w, uint64_t *seed, sn_ray *rays)
{
    const sn_vec3 eye = random_vec(seed, 1.5 * w->size), to = random_vec(seed, 1);
    const uint32_t sort = (uint32_t)support_random_in(seed, 0, 4);
    for (uint32_t i = 0; i < RAYS; ++i) {
        const sn_vec3 a = random_vec(seed, 1);
        rays[i] = (sn_ray){random_vec(seed, 1.5 * w->size), a, real(support_random_in(seed, 0.5, 5) * w->size)};
        if (sort == 1 || sort == 2) {
            const double by = sort == 1 ? 0.15 : 0, aside = sort == 2 ? 0.02 * w->size : 0;
            rays[i].direction =
                vec((double)to.x + by * (double)a.x, (double)to.y + by * (double)a.y, (double)to.z + by * (double)a.z);
            rays[i].origin = vec((double)eye.x + aside * (double)a.x, (double)eye.y + aside * (double)a.y,
                                 (double)eye.z + aside * (double)a.z);
        }
        if (sort == 3 && i % 3)
            rays[i].direction = vec(0, i % 2 ? 1 : -1, i % 3 == 1 ? 0 : 1e-30);
        if (i % 11 == 0)
            rays[i].length = (sn_real)INFINITY;
    }
}

static uint32_t ask_world(const world_of_things *w, uint64_t seed)
{
    static sn_ray rays[RAYS];
    static sn_hit together[RAYS];
    const sn_query_filter all = sn_default_query_filter();
    uint32_t met = 0;
    make_rays(w, &seed, rays);
    const uint32_t count = sn_query_rays(w->world, rays, RAYS, all, together);
    for (uint32_t i = 0; i < RAYS; ++i) {
        sn_hit alone;
        const bool found = sn_query_ray(w->world, rays[i].origin, rays[i].direction, rays[i].length, all, &alone);
        met += found;
        assert_memory_equal(&alone, &together[i], sizeof alone);
        if (i < ASKED)
            compare_ray(w, &rays[i], found, &alone);
    }
    assert_int_equal(met, count);
    for (uint32_t i = 0; i < ASKED; ++i) {
        const d3 p = d3_of(random_vec(&seed, 1.2 * w->size));
        compare_closest(w, p);
        compare_overlap(w, p, support_random_in(&seed, 0, 0.4) * w->size);
    }
    return met;
}

static void test_random_worlds(void **state)
{
    (void)state;
    static world_of_things w;
    uint32_t met = 0;
    const uint32_t worlds = (uint32_t)support_rounds(4000, 20);
    for (uint32_t i = 0; i < worlds; ++i) {
        make_world(&w, 1000 + i);
        met += ask_world(&w, 7 * i + 3);
        sn_world_destroy(w.world);
    }
    assert_true(met > 5 * worlds); /* they do meet things */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_worlds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
