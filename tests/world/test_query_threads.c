/* Queries on several threads at once: the same answers as on one, with and without an index, and no race (under TSan). */
#include "support/fixed.h"
#include "support/support.h"

#include <math.h>
#include <sinew/query.h>

enum { THREADS = 8, ASKED = 300 };

static sn_vec3 random_vec(uint64_t *seed, double size)
{
    double x = support_random_in(seed, -size, size), y = support_random_in(seed, -size, size);
    return vec(x, y, support_random_in(seed, -size, size));
}

static sn_real bowl(void *context, sn_vec3 p)
{
    (void)context;
    return (sn_real)sqrt((double)(p.x * p.x + p.y * p.y + p.z * p.z)) - 1;
}

/* Something of everything, and enough of it for trees. */
static sn_world *everything(const sn_world_def *def)
{
    sn_world *world = support_world_from(def);
    uint64_t seed = 1;
    uint32_t corner[3 * 100];
    for (uint32_t i = 0; i < 400; ++i) {
        sn_particle_def p = sn_default_particle_def();
        p.position = random_vec(&seed, 5);
        p.radius = i < 300 ? 0 : real(0.1);
        sn_particle particle;
        assert_ok(world, sn_particle_add(world, &p, &particle));
        if (i < 300)
            corner[i] = particle.index;
    }
    sn_skin_def skin = sn_default_skin_def();
    skin.triangles = corner;
    skin.triangle_count = 100;
    sn_skin made;
    assert_ok(world, sn_skin_add(world, &skin, &made));
    for (uint32_t i = 0; i < 100; ++i) {
        fixed_add_box(world, random_vec(&seed, 5), vec(0.2, 0.3, 0.1));
        sn_body_add_box(world, random_vec(&seed, 5), vec(0.2, 0.1, 0.3), 1000);
    }
    fixed_def field = default_fixed();
    field.type = SN_SHAPE_FIELD;
    field.function = bowl;
    field.low = vec(-1, -1, -1);
    field.high = vec(1, 1, 1);
    sn_body fixed_shape;
    assert_ok(world, fixed_add(world, &field, &fixed_shape));
    return world;
}

typedef struct asker {
    const sn_world *world;
    uint64_t seed;
    bool bad; /* now and then something is refused */
    sn_hit hit[ASKED][2];
    uint32_t found[ASKED];
    pthread_t thread;
} asker;

static bool counts(void *context, const sn_hit *hit)
{
    const sn_world *world = context;
    sn_hit other;
    sn_query_closest(world, hit->point, real(0.1), sn_default_query_filter(), &other);
    return hit->normal.y > real(-0.5);
}

static void count_line(void *context, sn_vec3 from, sn_vec3 to, uint32_t colour)
{
    (void)from;
    (void)to;
    (void)colour;
    ++*(uint32_t *)context;
}

static void ask(asker *a, uint32_t i)
{
    const sn_world *world = a->world;
    sn_query_filter filter = sn_default_query_filter();
    sn_vec3 from = random_vec(&a->seed, 6), to = random_vec(&a->seed, 1);
    sn_shape_def shape = sn_default_shape_def(i % 2 ? SN_SHAPE_CAPSULE : SN_SHAPE_BOX);
    const sn_vec3 corners[] = {vec(0.2, 0, 0), vec(-0.2, 0.1, 0), vec(0, 0.1, 0.2), vec(0, -0.1, -0.2)};
    shape.half = vec(0.2, 0.3, 0.1);
    shape.radius = real(0.1);
    shape.position = from;
    if (i % 5 == 4) {
        shape.type = SN_SHAPE_HULL;
        shape.vertices = corners;
        shape.vertex_count = 4;
    }
    if (i % 3 == 2) {
        filter.function = counts;
        filter.context = (void *)(uintptr_t)world;
    }
    if (a->bad && i % 16 == 0)
        to = vec(0, 0, 0);
    const sn_ray rays[2] = {{from, vec(0.3, -1, 0.2), 9},
                            {from, vec(0.35, -1, i % 3 ? 0.25 : -1), 9}}; /* a packet, or not */
    switch (i % 8) {
    case 0:
        a->found[i] = sn_query_ray(world, from, to, 10, filter, a->hit[i]);
        break;
    case 1:
        a->found[i] = sn_query_shape_cast(world, &shape, to, 10, filter, a->hit[i]);
        break;
    case 2:
        a->found[i] = sn_query_closest(world, from, real(INFINITY), filter, a->hit[i]);
        break;
    case 3:
        a->found[i] = sn_query_overlap(world, from, 1, filter, a->hit[i], 2);
        break;
    case 4:
        a->found[i] = sn_query_shape_overlap(world, &shape, filter, a->hit[i], 2);
        break;
    case 5:
        a->found[i] = sn_query_rays(world, rays, 2, filter, a->hit[i]);
        break;
    case 6:
        a->found[i] = sn_query_pick(world, from, to, 10, real(0.1), NULL).count;
        break;
    default: {
        uint32_t lines = 0;
        sn_draw draw = sn_default_draw();
        draw.layers = i % 2 ? SN_DRAW_ALL : SN_DRAW_ALL | SN_DRAW_STRAIN;
        draw.line = count_line;
        draw.context = &lines;
        draw.low = from;
        a->found[i] = sn_world_draw(world, &draw) == SN_OK ? lines : 0;
        draw.axis_length = -1;
        if (a->bad)
            sn_world_draw(world, &draw);
    }
    }
}

static void *ask_all(void *data)
{
    asker *a = data;
    for (uint32_t i = 0; i < ASKED; ++i)
        ask(a, i);
    return NULL;
}

/* All threads ask the same. */
static void ask_at_once(const sn_world *world, asker *asker_of, bool bad)
{
    for (uint32_t i = 0; i < THREADS; ++i) {
        memset(&asker_of[i], 0, sizeof asker_of[i]);
        asker_of[i].world = world;
        asker_of[i].seed = 17;
        asker_of[i].bad = bad;
        assert_int_equal(pthread_create(&asker_of[i].thread, NULL, ask_all, &asker_of[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; ++i)
        pthread_join(asker_of[i].thread, NULL);
}

static void assert_same(const asker *a, const asker *b)
{
    assert_memory_equal(a->found, b->found, sizeof a->found);
    for (uint32_t i = 0; i < ASKED; ++i)
        for (uint32_t k = 0; k < 2 && k < a->found[i] && i % 8 < 6; ++k)
            assert_memory_equal(&a->hit[i][k], &b->hit[i][k], sizeof(sn_hit));
}

static void test_threads_agree(void **state)
{
    (void)state;
    static asker alone, many[THREADS];
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    sn_world *world = everything(&def);
    for (uint32_t round = 0; round < 4; ++round) {
        uint64_t hash = sn_world_hash(world);
        if (round == 2)
            assert_ok(world, sn_query_prepare(world));
        ask_at_once(world, many, false); /* the index is made while they ask */
        memset(&alone, 0, sizeof alone);
        alone.world = world;
        alone.seed = 17;
        ask_all(&alone);
        for (uint32_t i = 0; i < THREADS; ++i)
            assert_same(&alone, &many[i]);
        assert_true(sn_world_hash(world) == hash);
        support_run(world, 1, 0.01);
    }
    sn_world_destroy(world);
}

static void note(void *context, sn_log_level level, const char *text)
{
    (void)level;
    (void)text;
    ++*(uint32_t *)context; /* no lock: one thread at a time */
}

/* Refused on all threads at once, with a log and an allocator that have no locks. */
static void test_threads_refused(void **state)
{
    (void)state;
    static asker many[THREADS];
    support_memory memory = {0};
    uint32_t logged = 0;
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    def.allocator = support_allocator(&memory);
    def.log = (sn_log){note, &logged};
    sn_world *world = everything(&def);
    logged = 0;
    ask_at_once(world, many, true);
    assert_true(logged > 0);
    assert_says(sn_world_error(world), "direction|axis_length");
    sn_world_destroy(world);
    memory.wrong_thread = 0; /* each query allocates on the thread that asks, one at a time */
    assert_memory_clean(&memory);
}

/* Prepared, queries take no memory, and a hull gives back what it takes. */
static void test_prepared(void **state)
{
    (void)state;
    static asker a;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.threads = 1;
    def.allocator = support_allocator(&memory);
    sn_world *world = everything(&def);
    assert_ok(world, sn_query_prepare(world));
    size_t requests = memory.requests;
    sn_hit hit;
    for (uint32_t i = 0; i < 300; ++i)
        sn_query_ray(world, vec(0, 5, 0), vec(0.1, -1, real(i)), 10, sn_default_query_filter(), &hit);
    assert_ok(world, sn_query_prepare(world)); /* nothing has changed */
    assert_int_equal(memory.requests, requests);
    a.world = world;
    ask_all(&a);
    memory.fail_at = memory.requests + 1;
    memory.fail_ever_after = true;
    support_run(world, 0, 0.01);
    assert_ok(world, sn_particle_set_radius(world, sn_particle_from_index(world, 0), real(0.1)));
    sn_result again = sn_query_prepare(world); /* as many as before: there is room */
    assert_int_equal(again, SN_OK);
    memory.fail_at = 0;
    memory.fail_ever_after = false;
    sn_world_destroy(world);
    assert_memory_clean(&memory);

    /* no memory for it */
    memory = (support_memory){0};
    world = everything(&def);
    memory.fail_at = memory.requests + 1;
    memory.fail_ever_after = true;
    assert_int_equal(sn_query_prepare(world), SN_ERROR_MEMORY);
    assert_says(sn_world_error(world), "memory index");
    assert_true(sn_query_closest(world, vec(0, 0, 0), 100, sn_default_query_filter(), &hit));
    memory.fail_at = 0;
    memory.fail_ever_after = false;
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_agree),
        cmocka_unit_test(test_threads_refused),
        cmocka_unit_test(test_prepared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
