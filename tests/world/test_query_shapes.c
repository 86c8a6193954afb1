/* Queries with shapes of their own: every shape against everything there is, in random scenes from a millimetre to a kilometre, against a
   plain search. What is special is in test_query_cases.c. */
#include "support/fixed.h"
#include "support/support.h"

#include <math.h>
#include <sinew/query.h>

/* ---- A plain judge ---------------------------------------------------------------------------------------------------
   The distance of two convex things by projecting onto one and the other in turn, in double: slow, simple, and nothing of the
   engine's. */

typedef struct vec3d {
    double x, y, z;
} vec3d;

static vec3d wide(sn_vec3 a)
{
    return (vec3d){(double)a.x, (double)a.y, (double)a.z};
}

static vec3d add(vec3d a, vec3d b)
{
    return (vec3d){a.x + b.x, a.y + b.y, a.z + b.z};
}

static vec3d sub(vec3d a, vec3d b)
{
    return (vec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec3d scale(vec3d a, double s)
{
    return (vec3d){s * a.x, s * a.y, s * a.z};
}

static double dot(vec3d a, vec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec3d cross(vec3d a, vec3d b)
{
    return (vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double norm(vec3d a)
{
    return sqrt(dot(a, a));
}

static double between(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

typedef enum core { POINT, SEGMENT, BOX, TRIANGLE, TETRAHEDRON, HALF_SPACE } core;

/* A core, all within the radius of which is solid; and what it is in the world. */
typedef struct solid {
    core core;
    vec3d x[4];          /* corners; the centre of a box; a place on the border of a half-space */
    vec3d half, axis[3]; /* box; axis[1]: out of a half-space */
    double radius;
    vec3d middle; /* of a ball around it, */
    double outer; /*   and its radius */
    uint32_t type, index, triangle;
} solid;

enum { IS_PARTICLE, IS_SKIN, IS_FIXED, IS_BODY };

static vec3d onto_segment(vec3d a, vec3d b, vec3d p)
{
    vec3d ab = sub(b, a);
    double square = dot(ab, ab), t = square > 0 ? dot(sub(p, a), ab) / square : 0;
    return add(a, scale(ab, between(t, 0, 1)));
}

static vec3d onto_triangle(const vec3d *x, int i, int j, int k, vec3d p)
{
    vec3d n = cross(sub(x[j], x[i]), sub(x[k], x[i])), best = x[i];
    const int corner[3] = {i, j, k};
    double least = INFINITY;
    bool over = true;
    for (int e = 0; e < 3; ++e) {
        vec3d a = x[corner[e]], b = x[corner[(e + 1) % 3]], q = onto_segment(a, b, p);
        over = over && dot(cross(sub(b, a), sub(p, a)), n) >= 0;
        if (norm(sub(p, q)) < least) {
            least = norm(sub(p, q));
            best = q;
        }
    }
    return over ? sub(p, scale(n, dot(sub(p, x[i]), n) / dot(n, n))) : best;
}

static vec3d onto_tetrahedron(const vec3d *x, vec3d p)
{
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    vec3d best = p;
    double least = INFINITY;
    bool inside = true;
    for (int f = 0; f < 4; ++f) {
        vec3d a = x[face[f][0]], n = cross(sub(x[face[f][1]], a), sub(x[face[f][2]], a));
        if (dot(n, sub(p, a)) * dot(n, sub(x[face[f][3]], a)) >= 0)
            continue;
        inside = false;
        vec3d q = onto_triangle(x, face[f][0], face[f][1], face[f][2], p);
        if (norm(sub(p, q)) < least) {
            least = norm(sub(p, q));
            best = q;
        }
    }
    return inside ? p : best;
}

static vec3d onto_box(const solid *s, vec3d p)
{
    vec3d seen = sub(p, s->x[0]), q = s->x[0];
    const double half[3] = {s->half.x, s->half.y, s->half.z};
    for (int k = 0; k < 3; ++k)
        q = add(q, scale(s->axis[k], between(dot(seen, s->axis[k]), -half[k], half[k])));
    return q;
}

static vec3d onto(const solid *s, vec3d p)
{
    switch (s->core) {
    case SEGMENT:
        return onto_segment(s->x[0], s->x[1], p);
    case BOX:
        return onto_box(s, p);
    case TRIANGLE:
        return onto_triangle(s->x, 0, 1, 2, p);
    case TETRAHEDRON:
        return onto_tetrahedron(s->x, p);
    case HALF_SPACE:
        return sub(p, scale(s->axis[1], fmax(dot(sub(p, s->x[0]), s->axis[1]), 0)));
    default:
        return s->x[0];
    }
}

/* The gap between a, moved by `shift`, and b: negative only as far as they are rounded. *doubt: it is not precise. */
static double gap(const solid *a, vec3d shift, const solid *b, double precise, bool *doubt)
{
    vec3d p = add(onto(a, sub(b->middle, shift)), shift), q = p, last;
    double moved = INFINITY;
    for (int i = 0; i < 3000 && moved > 1e-3 * precise; ++i) {
        last = p;
        q = onto(b, p);
        p = add(onto(a, sub(q, shift)), shift);
        moved = norm(sub(p, last)) * (i < 10 ? 1 : 30); /* slow ones have far to go still */
    }
    *doubt = *doubt || moved > 1e-3 * precise;
    return norm(sub(p, q)) - a->radius - b->radius;
}

/* The least gap on a way of length s, and where: the gap is a convex function. */
static double least_gap(const solid *a, vec3d way, double s, const solid *b, double precise, double *at)
{
    double low = 0, high = s;
    bool doubt = false;
    for (int i = 0; i < 45; ++i) {
        double u = low + 0.382 * (high - low), v = high - 0.382 * (high - low);
        if (gap(a, scale(way, u), b, precise, &doubt) < gap(a, scale(way, v), b, precise, &doubt))
            high = v;
        else
            low = u;
    }
    *at = (low + high) / 2;
    double first = gap(a, scale(way, 0), b, precise, &doubt), last = gap(a, scale(way, s), b, precise, &doubt);
    double least = gap(a, scale(way, *at), b, precise, &doubt);
    if (first <= least)
        *at = 0;
    return fmin(least, fmin(first, last));
}

/* ---- Scenes ------------------------------------------------------------------------------------------------------- */

enum { MOST = 200 };

typedef struct scene {
    sn_world *world;
    double size; /* m: of the scene; things are about a tenth of it */
    solid thing[MOST];
    uint32_t count;
} scene;

static sn_vec3 random_vec(uint64_t *seed, double size)
{
    double x = support_random_in(seed, -size, size), y = support_random_in(seed, -size, size);
    return vec(x, y, support_random_in(seed, -size, size));
}

static sn_quat random_turn(uint64_t *seed)
{
    sn_vec3 v = random_vec(seed, 1);
    double w = support_random_in(seed, -1, 1);
    double n = sqrt((double)(v.x * v.x + v.y * v.y + v.z * v.z) + w * w);
    return (sn_quat){real((double)v.x / n), real((double)v.y / n), real((double)v.z / n), real(w / n)};
}

static void axes_of(sn_quat q, vec3d axis[3])
{
    double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w, n = x * x + y * y + z * z + w * w;
    axis[0] = (vec3d){1 - 2 * (y * y + z * z) / n, 2 * (x * y + w * z) / n, 2 * (x * z - w * y) / n};
    axis[1] = (vec3d){2 * (x * y - w * z) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z + w * x) / n};
    axis[2] = (vec3d){2 * (x * z + w * y) / n, 2 * (y * z - w * x) / n, 1 - 2 * (x * x + y * y) / n};
}

static vec3d placed(vec3d at, const vec3d axis[3], sn_vec3 own)
{
    vec3d p = wide(own);
    return add(at, add(scale(axis[0], p.x), add(scale(axis[1], p.y), scale(axis[2], p.z))));
}

static void finish(solid *s)
{
    static const uint32_t corners[] = {1, 2, 1, 3, 4, 1};
    s->middle = (vec3d){0, 0, 0};
    for (uint32_t i = 0; i < corners[s->core]; ++i)
        s->middle = add(s->middle, scale(s->x[i], 1.0 / corners[s->core]));
    s->outer = s->core == BOX ? norm(s->half) : s->core == HALF_SPACE ? INFINITY : 0;
    for (uint32_t i = 0; i < corners[s->core]; ++i)
        s->outer = fmax(s->outer, norm(sub(s->x[i], s->middle)));
    s->outer += s->radius;
}

static const sn_vec3 *tetrahedron(double size)
{
    static sn_vec3 corner[4];
    corner[0] = vec(size, -size / 2, -size / 3);
    corner[1] = vec(-size, -size / 2, -size / 4);
    corner[2] = vec(0, -size / 2, size);
    corner[3] = vec(size / 8, size, 0);
    return corner;
}

/* A random shape, and the same for the judge. which: 0 sphere, 1 capsule, 2 box, 3 hull, 4 rounded box, 5 rounded hull. */
static solid random_shape(uint64_t *seed, uint32_t which, double size, sn_vec3 at, sn_shape_def *shape)
{
    static const sn_shape_type types[] = {SN_SHAPE_SPHERE, SN_SHAPE_CAPSULE, SN_SHAPE_BOX,
                                          SN_SHAPE_HULL,   SN_SHAPE_BOX,     SN_SHAPE_HULL};
    *shape = sn_default_shape_def(types[which]);
    shape->position = at;
    shape->rotation = random_turn(seed);
    shape->half = vec(support_random_in(seed, 0.2, 1) * size, support_random_in(seed, 0.2, 1) * size,
                      support_random_in(seed, 0.2, 1) * size);
    const sn_real round = which == 2 || which == 3 ? 0 : real(support_random_in(seed, 0.1, 0.6) * size);
    *(which < 2 ? &shape->radius : &shape->rounding) = round;
    solid s = {.x = {wide(at)}, .half = wide(shape->half), .radius = (double)round};
    axes_of(shape->rotation, s.axis);
    if (shape->type == SN_SHAPE_CAPSULE) {
        s.core = SEGMENT;
        s.x[0] = placed(wide(at), s.axis, vec(0, -(double)shape->half.y, 0));
        s.x[1] = placed(wide(at), s.axis, vec(0, (double)shape->half.y, 0));
    } else if (shape->type == SN_SHAPE_BOX) {
        s.core = BOX;
    } else if (shape->type == SN_SHAPE_HULL) {
        s.core = TETRAHEDRON;
        shape->vertices = tetrahedron((double)real(size));
        shape->vertex_count = 4;
        for (int i = 0; i < 4; ++i)
            s.x[i] = placed(wide(at), s.axis, shape->vertices[i]);
    }
    finish(&s);
    return s;
}

static void add_particles(scene *s, uint64_t *seed)
{
    for (uint32_t i = 0; i < 20; ++i) {
        sn_particle_def def = sn_default_particle_def();
        def.position = random_vec(seed, 0.7 * s->size);
        def.radius = i % 5 ? real(support_random_in(seed, 0.01, 0.1) * s->size) : 0;
        sn_particle p;
        assert_ok(s->world, sn_particle_add(s->world, &def, &p));
        solid t = {.x = {wide(def.position)}, .radius = (double)def.radius, .type = IS_PARTICLE, .index = p.index};
        finish(&t);
        s->thing[s->count++] = t;
    }
}

/* Triangles that share no corners. */
static void add_skin(scene *s, uint64_t *seed)
{
    enum { TRIANGLES = 12 };
    uint32_t corner[3 * TRIANGLES];
    solid t[TRIANGLES];
    for (uint32_t i = 0; i < TRIANGLES; ++i) {
        sn_vec3 at = random_vec(seed, 0.7 * s->size);
        t[i] = (solid){.core = TRIANGLE, .type = IS_SKIN, .triangle = i};
        for (uint32_t k = 0; k < 3; ++k) {
            sn_particle_def def = sn_default_particle_def();
            sn_vec3 off = random_vec(seed, 0.4 * s->size);
            def.position =
                vec((double)at.x + (double)off.x, (double)at.y + (double)off.y, (double)at.z + (double)off.z);
            sn_particle p;
            assert_ok(s->world, sn_particle_add(s->world, &def, &p));
            corner[3 * i + k] = p.index;
            t[i].x[k] = wide(def.position);
            solid point = {.x = {wide(def.position)}, .type = IS_PARTICLE, .index = p.index};
            finish(&point);
            s->thing[s->count++] = point;
        }
        finish(&t[i]);
    }
    sn_skin_def def = sn_default_skin_def();
    def.triangles = corner;
    def.triangle_count = TRIANGLES;
    sn_skin skin;
    assert_ok(s->world, sn_skin_add(s->world, &def, &skin));
    for (uint32_t i = 0; i < TRIANGLES; ++i) {
        t[i].index = skin.index;
        s->thing[s->count++] = t[i];
    }
}

/* Spheres, capsules, boxes, closed meshes, and a plane below. */
static void add_fixed_shapes(scene *s, uint64_t *seed)
{
    static const uint32_t triangles[] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    for (uint32_t i = 0; i < 24; ++i) {
        static const sn_shape_type types[] = {SN_SHAPE_SPHERE, SN_SHAPE_CAPSULE, SN_SHAPE_BOX, SN_SHAPE_MESH};
        sn_shape_def shape;
        solid t = random_shape(seed, i % 4, 0.15 * s->size, random_vec(seed, 0.7 * s->size), &shape);
        fixed_def def = default_fixed();
        def.type = types[i % 4];
        def.position = shape.position;
        def.rotation = shape.rotation;
        def.half = shape.half;
        def.radius = i % 4 < 2 ? shape.radius : def.radius;
        def.vertices = shape.vertices;
        def.vertex_count = shape.vertex_count;
        def.triangles = i % 4 == 3 ? triangles : NULL;
        def.triangle_count = i % 4 == 3 ? 4 : 0;
        sn_body c;
        assert_ok(s->world, fixed_add(s->world, &def, &c));
        t.type = IS_FIXED;
        t.index = c.index;
        s->thing[s->count++] = t;
    }
    sn_body plane = fixed_add_plane(s->world, vec(0, -1.2 * s->size, 0), vec(0, 1, 0));
    solid t = {.core = HALF_SPACE, .x = {{0, -1.2 * s->size, 0}}, .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    t.type = IS_FIXED;
    t.index = plane.index;
    t.x[0].y = (double)real(t.x[0].y);
    finish(&t);
    s->thing[s->count++] = t;
}

static void add_bodies(scene *s, uint64_t *seed)
{
    for (uint32_t i = 0; i < 24; ++i) {
        sn_shape_def shape;
        solid t = random_shape(seed, i % 6, 0.15 * s->size, random_vec(seed, 0.7 * s->size), &shape);
        sn_body_def def = sn_default_body_def();
        def.position = shape.position;
        def.rotation = shape.rotation;
        shape.position = vec(0, 0, 0);
        shape.rotation = (sn_quat){0, 0, 0, 1};
        def.shapes = &shape;
        def.shape_count = 1;
        sn_body b;
        assert_ok(s->world, sn_body_add(s->world, &def, &b));
        t.type = IS_BODY;
        t.index = b.index;
        s->thing[s->count++] = t;
    }
}

static void make_scene(scene *s, double size, uint64_t seed)
{
    s->world = support_void();
    s->size = size;
    s->count = 0;
    add_particles(s, &seed);
    add_skin(s, &seed);
    add_fixed_shapes(s, &seed);
    add_bodies(s, &seed);
    assert_true(s->count <= MOST);
}

static bool is_thing(const sn_hit *hit, const solid *t)
{
    if (t->type == IS_PARTICLE)
        return hit->particle.generation && hit->particle.index == t->index;
    if (t->type == IS_SKIN)
        return hit->skin.generation && hit->skin.index == t->index && hit->triangle == t->triangle;
    return hit->body.generation && hit->body.index == t->index;
}

static const double sizes[] = {5e-3, 5, 5e3}; /* m: things of a millimetre, a metre, a kilometre */

/* ---- Against the judge -------------------------------------------------------------------------------------------- */

static void check_cast(const scene *s, const solid *a, vec3d way, double length, bool found, const sn_hit *hit,
                       uint32_t *hits)
{
    const double precise = (SINEW_DOUBLE ? 1e-6 : 2e-5) * s->size;
    double end = found ? (double)hit->distance : length, at;
    bool known = !found;
    for (uint32_t i = 0; i < s->count; ++i) {
        const solid *t = &s->thing[i];
        vec3d to = sub(t->middle, a->middle);
        double along = between(dot(to, way), 0, end), near = norm(sub(to, scale(way, along)));
        bool own = found && is_thing(hit, t), doubt = false;
        known = known || own;
        if (!own && near > a->outer + t->outer + precise)
            continue;
        if (own && end == 0) { /* it starts in there */
            assert_true(gap(a, scale(way, 0), t, precise, &doubt) < precise);
        } else if (own) { /* it just touches */
            double left = gap(a, scale(way, end), t, precise, &doubt);
            assert_close(left, 0, doubt ? 1e-3 * s->size : 3 * precise); /* the judge comes to the end slowly */
            ++*hits;
        }
        double least = least_gap(a, way, end, t, precise, &at); /* and was in nothing before */
        assert_true(least > -3 * precise || at > end - 10 * precise || end == 0);
    }
    assert_true(known);
    if (!found)
        return;
    assert_close(norm(wide(hit->normal)), 1, 1e-5);
    if (end > 0) { /* the point is on the shape, where it is then; it goes in */
        assert_close(norm(sub(onto(a, sub(wide(hit->point), scale(way, end))), sub(wide(hit->point), scale(way, end)))),
                     a->radius, 5 * precise);
        assert_true(dot(wide(hit->normal), way) < 1e-3);
    }
}

static void test_casts(void **state)
{
    (void)state;
    static scene s;
    for (uint32_t k = 0; k < COUNT_OF(sizes); ++k) {
        uint32_t rounds = support_rounds(240, 60), hits = 0;
        uint64_t seed = 77 + k;
        make_scene(&s, sizes[k], k + 1);
        for (uint32_t round = 0; round < rounds; ++round) {
            if (round == rounds / 2)
                assert_ok(s.world, sn_query_prepare(s.world)); /* half of them without an index */
            sn_shape_def shape;
            solid a = random_shape(&seed, round % 6, 0.08 * s.size, random_vec(&seed, 1.1 * s.size), &shape);
            sn_vec3 goal = random_vec(&seed, 0.6 * s.size), from = shape.position;
            sn_vec3 to =
                vec((double)goal.x - (double)from.x, (double)goal.y - (double)from.y, (double)goal.z - (double)from.z);
            vec3d way = scale(wide(to), 1 / norm(wide(to)));
            double length = (double)real(support_random_in(&seed, 0.1, 3) * s.size);
            sn_hit hit;
            bool found = sn_query_shape_cast(s.world, &shape, to, real(length), sn_default_query_filter(), &hit);
            check_cast(&s, &a, way, length, found, &hit, &hits);
            assert_int_equal(sn_query_shape_cast_any(s.world, &shape, to, real(length), sn_default_query_filter()),
                             found);
        }
        assert_true(hits > rounds / 4);
        sn_world_destroy(s.world);
    }
}

static void test_overlaps(void **state)
{
    (void)state;
    static scene s;
    for (uint32_t k = 0; k < COUNT_OF(sizes); ++k) {
        uint32_t rounds = support_rounds(600, 120), overlaps = 0, parted = 0;
        uint64_t seed = 177 + k;
        const double precise = (SINEW_DOUBLE ? 1e-6 : 1e-5) * sizes[k];
        make_scene(&s, sizes[k], k + 11);
        for (uint32_t round = 0; round < rounds; ++round) {
            if (round == rounds / 2)
                assert_ok(s.world, sn_query_prepare(s.world));
            sn_shape_def shape;
            sn_hit hits[MOST];
            solid a = random_shape(&seed, round % 6, 0.15 * s.size, random_vec(&seed, s.size), &shape);
            uint32_t count = sn_query_shape_overlap(s.world, &shape, sn_default_query_filter(), hits, MOST);
            for (uint32_t i = 0; i < s.count; ++i) {
                const solid *t = &s.thing[i];
                const sn_hit *hit = NULL;
                bool doubt = false;
                for (uint32_t j = 0; j < count; ++j)
                    hit = is_thing(&hits[j], t) ? &hits[j] : hit;
                if (norm(sub(t->middle, a.middle)) > a.outer + t->outer) {
                    assert_null(hit);
                    continue;
                }
                double d = gap(&a, (vec3d){0, 0, 0}, t, precise, &doubt);
                if (doubt)
                    continue;
                assert_true(hit ? d < precise : d > -precise);
                if (!hit && a.radius + t->radius == 0)
                    assert_true(d > 0);
                overlaps += hit != NULL;
                if (hit && d > -a.radius - t->radius + precise) /* no deeper than they are rounded */
                    assert_close(hit->distance, d, 3 * precise);
                if (!hit)
                    continue;
                assert_true(hit->distance <= 0);
                assert_close(norm(wide(hit->normal)), 1, 1e-5);
                double deep = -(double)hit->distance, out = 1.1 * deep + 0.02 * s.size; /* the way out leads out */
                bool sheet = t->type == IS_SKIN || (t->type == IS_FIXED && t->core == TETRAHEDRON);
                assert_true(gap(&a, scale(wide(hit->normal), out), t, precise, &doubt) > -precise || sheet);
                ++parted;
            }
        }
        assert_true(overlaps > rounds / 4 && parted > rounds / 4);
        sn_world_destroy(s.world);
    }
}

/* All that a ray or a shape meets: the same things in the same places as a search that leaves out, one after the other, what was
   found. */
typedef struct left_out {
    const sn_hit *hits;
    uint32_t count;
} left_out;

static bool same_thing(const sn_hit *a, const sn_hit *b)
{
    return memcmp(&a->particle, &b->particle, sizeof a->particle) == 0 &&
           memcmp(&a->skin, &b->skin, sizeof a->skin) == 0 && memcmp(&a->body, &b->body, sizeof a->body) == 0 &&
           a->shape == b->shape && (!a->skin.generation || a->triangle == b->triangle);
}

static bool is_new(void *context, const sn_hit *hit)
{
    const left_out *l = context;
    for (uint32_t i = 0; i < l->count; ++i)
        if (same_thing(&l->hits[i], hit))
            return false;
    return true;
}

static void test_all(void **state)
{
    (void)state;
    static scene s;
    uint32_t rounds = support_rounds(200, 40), most = 0;
    uint64_t seed = 5;
    make_scene(&s, 5, 3);
    for (uint32_t round = 0; round < rounds; ++round) {
        if (round == rounds / 2)
            assert_ok(s.world, sn_query_prepare(s.world));
        sn_shape_def shape;
        sn_hit hits[MOST], few[3], next;
        random_shape(&seed, round % 6, 0.3, random_vec(&seed, 6), &shape);
        sn_vec3 goal = random_vec(&seed, 3), from = shape.position;
        sn_vec3 to =
            vec((double)goal.x - (double)from.x, (double)goal.y - (double)from.y, (double)goal.z - (double)from.z);
        sn_query_filter all = sn_default_query_filter(), rest = all;
        uint32_t count = round % 2 ? sn_query_ray_all(s.world, from, to, 12, all, hits, MOST)
                                   : sn_query_shape_cast_all(s.world, &shape, to, 12, all, hits, MOST);
        uint32_t again = round % 2 ? sn_query_ray_all(s.world, from, to, 12, all, few, 3)
                                   : sn_query_shape_cast_all(s.world, &shape, to, 12, all, few, 3);
        assert_int_equal(again, count);
        assert_memory_equal(few, hits, (count < 3 ? count : 3) * sizeof(sn_hit));
        for (uint32_t i = 0; i <= count; ++i) {
            left_out l = {hits, i};
            rest.function = is_new;
            rest.context = &l;
            bool found = round % 2 ? sn_query_ray(s.world, from, to, 12, rest, &next)
                                   : sn_query_shape_cast(s.world, &shape, to, 12, rest, &next);
            assert_int_equal(found, i < count);
            if (found)
                assert_memory_equal(&next, &hits[i], sizeof next);
        }
        assert_int_equal(round % 2 ? sn_query_ray_any(s.world, from, to, 12, all)
                                   : sn_query_shape_cast_any(s.world, &shape, to, 12, all),
                         count > 0);
        most = count > most ? count : most;
    }
    assert_true(most > 5);
    sn_world_destroy(s.world);
}

/* Many rays with one call say what they say one by one. */
static void test_rays(void **state)
{
    (void)state;
    static scene s;
    enum { RAYS = 700 };
    static sn_ray rays[RAYS];
    static sn_hit hits[RAYS];
    uint64_t seed = 6;
    uint32_t met = 0;
    make_scene(&s, 5, 4);
    for (uint32_t i = 0; i < RAYS; ++i) {
        rays[i] = (sn_ray){random_vec(&seed, 6), random_vec(&seed, 1), i % 3 ? real(8) : real(INFINITY)};
        if (i % 7 == 0)
            rays[i].direction = vec(0, 0, i % 2 ? 1 : -1);
    }
    for (uint32_t turn = 0; turn < 2; ++turn) {
        uint32_t count = sn_query_rays(s.world, rays, RAYS, sn_default_query_filter(), hits);
        met = 0;
        for (uint32_t i = 0; i < RAYS; ++i) {
            sn_hit hit;
            met += sn_query_ray(s.world, rays[i].origin, rays[i].direction, rays[i].length, sn_default_query_filter(),
                                &hit);
            assert_memory_equal(&hit, &hits[i], sizeof hit);
        }
        assert_int_equal(count, met);
        assert_ok(s.world, sn_query_prepare(s.world));
    }
    assert_true(met > RAYS / 4 && met < RAYS);
    assert_int_equal(sn_query_rays(s.world, NULL, 0, sn_default_query_filter(), NULL), 0);

    /* a bad one among them: none is followed, and the error names it */
    rays[333].direction = vec(0, 0, 0);
    hits[0].distance = 1;
    assert_int_equal(sn_query_rays(s.world, rays, RAYS, sn_default_query_filter(), hits), 0);
    assert_says(sn_world_error(s.world), "ray 333 direction");
    assert_true(hits[0].distance == 0 && hits[RAYS - 1].distance == 0);
    rays[333].direction = vec(NAN, 0, 1);
    assert_int_equal(sn_query_rays(s.world, rays, RAYS, sn_default_query_filter(), hits), 0);
    assert_int_equal(sn_query_rays(s.world, NULL, 3, sn_default_query_filter(), hits), 0);
    assert_says(sn_world_error(s.world), "rays NULL");
    sn_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_casts),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_rays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
