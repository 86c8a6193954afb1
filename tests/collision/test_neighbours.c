/* Pairs of spheres: those that comparing all with all gives, each once, in batches, blocks and colours that can be
   solved side by side; the same on any number of threads. */
#include "support/support.h"

#include "collision/neighbours.h"

#define MOST_SPHERES 30000

typedef struct scene {
    uint32_t count;
    sn_vec4 sphere[MOST_SPHERES];
    bool (*wanted)(void *data, uint32_t a, uint32_t b);
} scene;

static scene s; /* too large for a stack */
static uint64_t seed;

static void start(uint64_t number)
{
    s.count = 0;
    s.wanted = NULL;
    seed = number;
}

static void add(double x, double y, double z, double w)
{
    assert_true(s.count < MOST_SPHERES);
    s.sphere[s.count++] = (sn_vec4){real(x), real(y), real(z), real(w)};
}

static double in(double least, double most)
{
    return support_random_in(&seed, least, most);
}

/* ---- What must hold ---------------------------------------------------------------------------------------------- */

static bool meet(const sn_vec4 *a, const sn_vec4 *b)
{
    sn_real x = a->x - b->x, y = a->y - b->y, z = a->z - b->z, reach = a->w + b->w;
    return x * x + y * y + z * z <= reach * reach && a->w >= 0 && b->w >= 0 &&
           support_is_finite((sn_vec3){a->x, a->y, a->z}) && support_is_finite((sn_vec3){b->x, b->y, b->z});
}

static void assert_batch(const sn_neighbours *n, uint32_t i)
{
    const sn_near_batch *batch = &n->batch[i];
    assert_in_range(n->lanes[i], 1, SN_NEAR_LANES);
    for (uint32_t k = 0; k < SN_NEAR_LANES; ++k) {
        assert_true(batch->a[k] < batch->b[k] && batch->b[k] < s.count);
        if (k >= n->lanes[i]) {
            assert_int_equal(batch->a[k], batch->a[0]);
            assert_int_equal(batch->b[k], batch->b[0]);
        }
        for (uint32_t m = 0; k < n->lanes[i] && m < k; ++m)
            if (batch->a[m] == batch->a[k] || batch->a[m] == batch->b[k] || batch->b[m] == batch->a[k] ||
                batch->b[m] == batch->b[k])
                fail_msg("batch %u has a sphere twice", i);
    }
}

/* Batches, blocks of a colour that share no sphere, and all of it in one piece. */
static void assert_structure(const sn_neighbours *n)
{
    uint32_t *owner = calloc(s.count + 1, sizeof *owner), *colour_of = calloc(s.count + 1, sizeof *colour_of);
    uint32_t pairs = 0;
    assert_non_null(owner);
    assert_non_null(colour_of);
    for (uint32_t i = 0; i < n->batches; ++i) {
        assert_batch(n, i);
        pairs += n->lanes[i];
    }
    assert_int_equal(pairs, n->pairs);
    for (uint32_t c = 0; c < n->colours; ++c) {
        assert_true(n->colour[c] < n->colour[c + 1]);
        for (uint32_t i = n->colour[c]; i < n->colour[c + 1]; ++i) {
            assert_true(n->block[i] < n->block[i + 1]);
            for (uint32_t k = n->block[i] * SN_NEAR_LANES; k < n->block[i + 1] * SN_NEAR_LANES; ++k) {
                const sn_near_batch *batch = &n->batch[k / SN_NEAR_LANES];
                const uint32_t both[2] = {batch->a[k % SN_NEAR_LANES], batch->b[k % SN_NEAR_LANES]};
                for (uint32_t m = 0; m < 2; ++m) {
                    if (colour_of[both[m]] == c + 1 && owner[both[m]] != i)
                        fail_msg("blocks %u and %u of colour %u share sphere %u", owner[both[m]], i, c, both[m]);
                    colour_of[both[m]] = c + 1;
                    owner[both[m]] = i;
                }
            }
        }
    }
    memset(owner, 0, (s.count + 1) * sizeof *owner);
    for (uint32_t i = 0; i < n->blocks && n->blocks <= s.count; ++i)
        assert_int_equal(owner[n->by_place[i]]++, 0);
    if (n->colours) {
        assert_int_equal(n->colour[0], 0);
        assert_int_equal(n->block[0], 0);
        assert_int_equal(n->colour[n->colours], n->blocks);
        assert_int_equal(n->block[n->blocks], n->batches);
    } else {
        assert_int_equal(n->blocks, 0);
        assert_int_equal(n->batches, 0);
    }
    free(owner);
    free(colour_of);
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Pairs, sorted, to be freed. */
static uint64_t *pairs_of(const sn_neighbours *n)
{
    uint64_t *pair = malloc((n->pairs + 1) * sizeof *pair);
    uint32_t count = 0;
    assert_non_null(pair);
    for (uint32_t i = 0; i < n->batches; ++i)
        for (uint32_t k = 0; k < n->lanes[i]; ++k)
            pair[count++] = (uint64_t)n->batch[i].a[k] << 32 | n->batch[i].b[k];
    qsort(pair, count, sizeof *pair, compare_numbers);
    return pair;
}

/* Exactly the pairs that comparing with all gives: those of every n-th sphere with the ones after it. */
static uint32_t assert_pairs_of_every(const sn_neighbours *n, uint32_t nth)
{
    uint64_t *pair = pairs_of(n);
    uint32_t at = 0;
    for (uint32_t a = 0; a < s.count; ++a) {
        for (; a % nth && at < n->pairs && pair[at] >> 32 == a; ++at) {
        }
        for (uint32_t b = a + 1; a % nth == 0 && b < s.count; ++b) {
            bool wanted = meet(&s.sphere[a], &s.sphere[b]) && (!s.wanted || s.wanted(&s, a, b));
            bool found = at < n->pairs && pair[at] == ((uint64_t)a << 32 | b);
            if (wanted != found)
                fail_msg("pair %u, %u: found %d, expected %d", a, b, found, wanted);
            at += found;
        }
    }
    assert_int_equal(at, n->pairs);
    free(pair);
    return at;
}

static uint32_t assert_all_pairs(const sn_neighbours *n)
{
    return assert_pairs_of_every(n, 1);
}

static sn_near_input input(void)
{
    return (sn_near_input){.count = s.count, .sphere = s.sphere, .wanted = s.wanted, .data = &s};
}

/* Finds and checks; gives the number of pairs. */
static uint32_t check(void)
{
    support_memory memory = {0};
    sn_allocator allocator = support_allocator(&memory);
    sn_near_input what = input();
    sn_neighbours n;
    bool lost = true;
    sn_neighbours_init(&n);
    assert_true(sn_neighbours_find(&n, &allocator, NULL, &what, &lost));
    assert_false(lost);
    assert_structure(&n);
    uint32_t pairs = assert_all_pairs(&n);
    sn_neighbours_release(&n, &allocator);
    assert_memory_clean(&memory);
    return pairs;
}

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

static void add_cloud(uint32_t count, double size, double least, double most)
{
    for (uint32_t i = 0; i < count; ++i)
        add(in(-size, size), in(-size, size), in(-size, size), in(least, most));
}

static void test_empty(void **state)
{
    (void)state;
    start(1);
    assert_int_equal(check(), 0);
    add(1, 2, 3, 0.5);
    assert_int_equal(check(), 0);
    add(2, 2, 3, 0.5); /* just touches */
    assert_int_equal(check(), 1);
    s.sphere[0].w = s.sphere[1].w = -1;
    assert_int_equal(check(), 0);
}

static void test_random(void **state)
{
    (void)state;
    const double sizes[] = {0.2, 0.5, 1, 3, 40};
    for (uint32_t i = 0; i < COUNT_OF(sizes); ++i)
        for (uint32_t count = 2; count < 2000; count = 3 * count + 1) {
            start(i + count);
            add_cloud(count, sizes[i], 0.05, 0.05);
            check();
            start(i + count);
            add_cloud(count, sizes[i], 0.03, 0.09);
            check();
        }
}

/* The heap that all this is made for: as many neighbours as there should be, and batches that are nearly full. */
static void test_close_packing(void **state)
{
    (void)state;
    start(3);
    for (uint32_t i = 0; i < 12 * 12 * 12; ++i) /* layers of squares, each over the holes of the one below */
        add(0.1 * (i % 12 + i / 144 % 2 * 0.5), 0.1 * (i / 12 % 12 + i / 144 % 2 * 0.5), 0.070711 * (i / 144), 0.055);
    uint32_t pairs = check();
    assert_in_range(pairs, 5 * s.count, 6 * s.count); /* twelve neighbours each, but for the surface */
}

static void test_clusters(void **state)
{
    (void)state;
    start(4);
    for (uint32_t k = 0; k < 40; ++k) {
        double x = in(-50, 50), y = in(-50, 50), z = in(-50, 50);
        for (uint32_t i = 0; i < 40; ++i)
            add(x + in(-0.2, 0.2), y + in(-0.2, 0.2), z + in(-0.2, 0.2), 0.05);
    }
    assert_true(check() > 1000);
}

/* Neighbours at exactly the distance at which they are pairs, and centres exactly on the edges of cells. */
static void test_lattice(void **state)
{
    (void)state;
    const double edges[] = {1, 0.1, 1.0 / 3, 1e-3, 1000};
    for (uint32_t k = 0; k < COUNT_OF(edges); ++k) {
        start(5);
        for (uint32_t i = 0; i < 10 * 10 * 10; ++i)
            add(edges[k] * ((double)(i % 10) - 5), edges[k] * (i / 10 % 10), edges[k] * ((double)(i / 100) - 20),
                edges[k] / 2);
        uint32_t pairs = check();
        if (edges[k] == 1) /* what rounding makes of the others is the same for everybody */
            assert_int_equal(pairs, 3 * 9 * 10 * 10);
    }
}

static void test_one_point(void **state)
{
    (void)state;
    start(6);
    for (uint32_t i = 0; i < 300; ++i)
        add(0.3, -7, 1e-3, 0.01);
    assert_int_equal(check(), 300 * 299 / 2);
    for (uint32_t i = 0; i < 300; ++i)
        s.sphere[i].w = 0;
    assert_int_equal(check(), 300 * 299 / 2);
}

/* In cells of 2 cm there are 10^8 to the kilometre a thousand times over; numbers of cells wrap, or are at their
   end. */
static void test_far_away(void **state)
{
    (void)state;
    const double places[] = {1e3, 1e5, 1e6, 1e7, 1e9, 1e12, 1e30};
    for (uint32_t k = 0; k < COUNT_OF(places); ++k) {
        start(7 + k);
        for (uint32_t i = 0; i < 800; ++i) {
            double far = i % 2 ? places[k] : -places[k];
            add(far + in(-0.1, 0.1), far / 3 + in(-0.1, 0.1), i % 4 < 2 ? far : in(-0.1, 0.1), 0.01);
        }
        check();
        start(7 + k);
        add_cloud(800, places[k], 0.01, 0.01);
        for (uint32_t i = 0; i < 800; ++i) /* some of them in pairs */
            add((double)s.sphere[i].x, (double)s.sphere[i].y + 0.015 * (i % 3), (double)s.sphere[i].z, 0.01);
        check();
    }
    start(8);
    add_cloud(700, 1, 0.2, 0.2);
    for (uint32_t i = 0; i < 700; ++i)
        s.sphere[i].x *= real(SUPPORT_REAL_MAX);
    check();
}

/* Spheres that share cells because the numbers of those wrap around: they are no pairs, and lose none. */
static void test_wrapped(void **state)
{
    (void)state;
    start(9);
    const double turn = 4.0 * 131072 * 2; /* blocks of four cells of 2 m, but for the slack */
    for (uint32_t i = 0; i < 1200; ++i)
        add(in(-9, 9) + turn * (i % 3), in(-9, 9) - turn * (i / 3 % 2), in(-9, 9), i % 50 ? 1 : 30);
    assert_true(check() > 1000);
}

static void test_sizes(void **state)
{
    (void)state;
    start(10); /* one large ball in sand, and half sunk into it from outside */
    add_cloud(1500, 0.2, 0.001, 0.0013);
    add(0.3, 0, 0, 0.2);
    assert_true(check() > 100);

    start(11); /* 1 : 1000, evenly in powers of two */
    for (uint32_t i = 0; i < 1500; ++i)
        add(in(-3, 3), in(-3, 3), in(-3, 3), 0.001 * exp2(in(0, 10)));
    assert_true(check() > 1000);

    start(12); /* a few of every size that there is */
    for (uint32_t i = 0; i < 400; ++i) {
        double size = exp2((double)(i % 200) - 100);
        add(size * in(-1, 1), size * in(-1, 1), size * in(-1, 1), size * in(0.1, 1));
    }
    assert_true(check() > 100);

    start(13); /* two sizes, half of each, as many neighbours among equals as among others */
    for (uint32_t i = 0; i < 1500; ++i)
        add(in(-1, 1), in(-1, 1), in(-1, 1), i % 2 ? 0.04 : 0.11);
    assert_true(check() > 1000);

    start(14); /* far apart, so that groups of small ones are spread out */
    for (uint32_t i = 0; i < 1500; ++i)
        add(in(-1, 1) * (i % 7 ? 10 : 1e5), in(-1, 1) * 10, in(-1, 1) * 10, i % 9 ? 0.1 : in(0.3, 5));
    check();
}

/* What the smallest and the largest numbers do to squares is the same for everybody, too. */
static void test_extreme_sizes(void **state)
{
    (void)state;
    const double tiny = (double)(SINEW_DOUBLE ? DBL_MIN : (double)FLT_MIN), root = sqrt(tiny);
    start(15);
    for (uint32_t i = 0; i < 600; ++i) {
        double size = i % 3 ? root * exp2(in(-12, 12)) : tiny * in(0, 4);
        add(size * in(-1, 1), size * in(-1, 1), size * in(-1, 1), size * in(0, 1));
    }
    for (uint32_t i = 0; i < 50; ++i)
        add(in(-1, 1), in(-1, 1), in(-1, 1), i % 2 ? 0 : 0.2);
    check();
    start(16);
    for (uint32_t i = 0; i < 300; ++i)
        add(in(-1, 1), in(-1, 1) * 1e30, in(-1, 1) * SUPPORT_REAL_MAX / 8, 0.1);
    for (uint32_t i = 0; i < 20; ++i)
        s.sphere[7 * i].w = i % 2 ? real(SUPPORT_REAL_MAX / 4) : real(INFINITY);
    check();
}

static void test_not_looked_at(void **state)
{
    (void)state;
    start(17);
    add_cloud(900, 0.5, 0.05, 0.05);
    for (uint32_t i = 0; i < 900; i += 3)
        s.sphere[i].w = i % 2 ? real(NAN) : i % 4 ? real(-0.05) : real(-INFINITY);
    s.sphere[10].x = real(NAN);
    s.sphere[20].y = real(INFINITY);
    s.sphere[22].z = real(-INFINITY);
    s.sphere[25].w = real(-0.0);
    assert_true(check() > 100);
}

static bool odd_with_even(void *data, uint32_t a, uint32_t b)
{
    assert_ptr_equal(data, &s);
    assert_true(a < b);
    return (a ^ b) & 1;
}

static bool nothing(void *data, uint32_t a, uint32_t b)
{
    (void)data;
    (void)a;
    (void)b;
    return false;
}

static void test_filter(void **state)
{
    (void)state;
    start(18);
    add_cloud(1200, 0.5, 0.05, 0.05);
    add(0, 0, 0, 0.4);
    uint32_t all = check();
    s.wanted = odd_with_even;
    uint32_t some = check();
    assert_true(some > all / 4 && some < all);
    s.wanted = nothing;
    assert_int_equal(check(), 0);
}

/* A ball that thousands of grains touch, and more grains in a cell than a worker has room for. */
static void test_crowds(void **state)
{
    (void)state;
    start(19);
    for (uint32_t i = 0; i < 4000; ++i) {
        double x = in(-1, 1), y = in(-1, 1), z = in(-1, 1), r = sqrt(x * x + y * y + z * z);
        add(x / r, y / r, z / r, 0.01);
    }
    add(0, 0, 0, 0.995);
    assert_true(check() > 4000);
    start(20);
    add_cloud(3000, 0.012, 0.002, 0.002);
    add_cloud(300, 0.0001, 0.002, 0.002);
    for (uint32_t i = 0; i < 20; ++i)
        add(in(-0.02, 0.02), in(-0.02, 0.02), in(-0.02, 0.02), 0.01);
    assert_true(check() > 100000);
    start(24); /* nothing but pairs of small ones with large ones, and of large ones */
    for (uint32_t i = 0; i < 400; ++i)
        add(1e-4 * i, 0, 0, 1e-5);
    for (uint32_t i = 0; i < 50; ++i)
        add(0.02, 0.01 * i, 0, 2);
    assert_int_equal(check(), 400 * 50 + 50 * 49 / 2);
}

/* ---- Threads and memory ------------------------------------------------------------------------------------------ */

/* 20,000 in a heap, a ball in it, fast ones that reach further, and one place where too many are: all that there is. */
static void add_heap(void)
{
    start(21);
    for (uint32_t i = 0; i < 20000; ++i)
        add(in(0, 2), in(0, 2), in(0, 4.4), i % 10 ? 0.055 : in(0.055, 0.2));
    add(1, 1, 1, 0.5);
    for (uint32_t i = 0; i < 200; ++i)
        add(0.5, 0.5, 0.5, 0.05);
}

static uint64_t mix(uint64_t hash, const void *from, size_t size)
{
    const unsigned char *byte = from;
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* All that find gives, padding included. */
static uint64_t hash_of(const sn_neighbours *n)
{
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), &n->pairs, sizeof n->pairs);
    hash = mix(hash, n->batch, n->batches * sizeof *n->batch);
    hash = mix(hash, n->lanes, n->batches);
    if (n->blocks)
        hash = mix(hash, n->block, (n->blocks + 1) * sizeof *n->block);
    if (n->colours)
        hash = mix(hash, n->colour, (n->colours + 1) * sizeof *n->colour);
    return hash;
}

/* Twice, of which the second time allocates nothing. */
static uint64_t hash_with(sn_parallel parallel)
{
    support_memory memory = {0};
    sn_allocator allocator = support_allocator(&memory);
    sn_near_input what = input();
    sn_neighbours n;
    bool lost;
    sn_neighbours_init(&n);
    assert_true(sn_neighbours_find(&n, &allocator, &parallel, &what, &lost));
    uint64_t hash = hash_of(&n), requests = memory.requests;
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(sn_neighbours_find(&n, &allocator, &parallel, &what, &lost));
        assert_true(hash_of(&n) == hash);
    }
    what.count = 15000; /* less of everything */
    assert_true(sn_neighbours_find(&n, &allocator, &parallel, &what, &lost));
    assert_int_equal(memory.requests, requests);
    sn_neighbours_release(&n, &allocator);
    sn_parallel_release(&parallel, &allocator);
    assert_memory_clean(&memory);
    return hash;
}

static void test_threads(void **state)
{
    (void)state;
    add_heap();
    const uint64_t hash = hash_with((sn_parallel){.threads = 1});
    for (uint32_t threads = 2; threads <= 4; ++threads)
        assert_true(hash_with((sn_parallel){.threads = threads}) == hash);
    const support_task_mode modes[] = {SUPPORT_TASKS_FORWARD, SUPPORT_TASKS_REVERSE, SUPPORT_TASKS_THREADS,
                                       SUPPORT_TASKS_TWICE};
    for (uint32_t i = 0; i < COUNT_OF(modes); ++i) {
        support_tasks tasks = {.mode = modes[i], .threads = 3};
        assert_true(hash_with((sn_parallel){.tasks = support_tasks_hook(&tasks)}) == hash);
        assert_true(tasks.most > 20);
    }
}

static void test_heap(void **state)
{
    (void)state;
    add_heap();
    support_memory memory = {0};
    sn_allocator allocator = support_allocator(&memory);
    sn_near_input what = input();
    sn_parallel parallel = {.threads = 2};
    sn_neighbours n;
    bool lost;
    sn_neighbours_init(&n);
    assert_true(sn_neighbours_find(&n, &allocator, &parallel, &what, &lost));
    assert_structure(&n);
    if (support_rounds(1, 0))
        assert_pairs_of_every(&n, support_long(1, 24));
    sn_neighbours_release(&n, &allocator);
    sn_parallel_release(&parallel, &allocator);
    assert_memory_clean(&memory);
}

/* Places change from call to call: nothing is left of the last one. */
static void test_again_and_again(void **state)
{
    (void)state;
    sn_neighbours n;
    bool lost;
    sn_neighbours_init(&n);
    for (uint32_t i = 0; i < 60; ++i) {
        start(100 + i);
        add_cloud(support_random_below(&seed, 700), in(0.1, 100), 0.01, in(0.02, 2));
        sn_near_input what = input();
        assert_true(sn_neighbours_find(&n, &sn_default_allocator, NULL, &what, &lost));
        assert_structure(&n);
        assert_all_pairs(&n);
    }
    sn_neighbours_release(&n, &sn_default_allocator);
}

/* The n-th request fails, for every n: there are no pairs then, and all of them the next time. */
static void fail_each_request(uint32_t threads)
{
    uint64_t hash = 0;
    for (uint64_t fail_at = 0;; ++fail_at) {
        support_memory memory = {.fail_at = fail_at};
        sn_allocator allocator = support_allocator(&memory);
        sn_parallel parallel = {.threads = threads};
        sn_near_input what = input();
        sn_neighbours n;
        bool lost;
        sn_neighbours_init(&n);
        bool found = sn_neighbours_find(&n, &allocator, &parallel, &what, &lost);
        assert_false(lost);
        assert_true(found == (memory.failures == 0));
        if (!found) {
            assert_int_equal(n.pairs | n.batches | n.blocks | n.colours, 0);
            assert_true(sn_neighbours_find(&n, &allocator, &parallel, &what, &lost));
        }
        hash = fail_at ? hash : hash_of(&n);
        assert_true(hash_of(&n) == hash);
        sn_neighbours_release(&n, &allocator);
        sn_parallel_release(&parallel, &allocator);
        assert_memory_clean(&memory);
        if (fail_at && found)
            break;
        assert_true(fail_at < 200);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    start(22);
    add_cloud(6000, 0.8, 0.03, 0.05);
    add_cloud(300, 0.01, 0.03, 0.03);
    add(0, 0, 0, 0.3);
    fail_each_request(1);
    fail_each_request(2);
}

static void test_lost_tasks(void **state)
{
    (void)state;
    start(23);
    add_cloud(9000, 0.8, 0.03, 0.05);
    add(0, 0, 0, 0.3);
    support_memory memory = {0};
    sn_allocator allocator = support_allocator(&memory);
    sn_near_input what = input();
    sn_neighbours n;
    sn_neighbours_init(&n);
    uint64_t hash = 0;
    bool lost = true;
    for (uint32_t run = 0; lost; ++run) {
        support_tasks tasks = {.mode = SUPPORT_TASKS_LOSE, .lost = run % 3, .lossy_run = run};
        sn_parallel parallel = {.tasks = support_tasks_hook(&tasks)};
        bool found = sn_neighbours_find(&n, &allocator, &parallel, &what, &lost);
        assert_true(found == !lost);
        assert_true(run >= 5 || lost);
        assert_true(found || n.pairs == 0);
        tasks.mode = SUPPORT_TASKS_FORWARD;
        bool lost_again;
        assert_true(sn_neighbours_find(&n, &allocator, &parallel, &what, &lost_again));
        hash = run ? hash : hash_of(&n);
        assert_true(hash_of(&n) == hash);
        sn_parallel_release(&parallel, &allocator);
    }
    sn_neighbours_release(&n, &allocator);
    assert_memory_clean(&memory);
}

static void test_too_many(void **state)
{
    (void)state;
    sn_neighbours n;
    bool lost = true;
    sn_near_input what = {.count = SN_NEAR_MOST + 1};
    sn_neighbours_init(&n);
    assert_false(sn_neighbours_find(&n, &sn_default_allocator, NULL, &what, &lost));
    assert_false(lost);
    sn_neighbours_release(&n, &sn_default_allocator);
}

/* ---- Order ------------------------------------------------------------------------------------------------------- */

static uint32_t number_of[MOST_SPHERES];

/* Numbers spheres, and stores them in another order. */
static void shuffle(uint64_t how)
{
    for (uint32_t i = s.count; i > 1; --i) {
        uint32_t other = support_random_below(&how, i);
        sn_vec4 sphere = s.sphere[i - 1];
        uint32_t number = number_of[i - 1];
        s.sphere[i - 1] = s.sphere[other];
        number_of[i - 1] = number_of[other];
        s.sphere[other] = sphere;
        number_of[other] = number;
    }
}

static bool numbers_rise(void *data, uint32_t a, uint32_t b)
{
    (void)data;
    assert_true(number_of[a] < number_of[b]);
    return (number_of[a] + number_of[b]) % 5 != 0;
}

/* Batches by the numbers of their spheres, as they follow one another; to be freed. */
static uint64_t *find_numbered(uint32_t *count)
{
    sn_near_input what = input();
    sn_neighbours n;
    bool lost = true;
    what.number = number_of;
    sn_neighbours_init(&n);
    assert_true(sn_neighbours_find(&n, &sn_default_allocator, NULL, &what, &lost));
    uint64_t *pair = malloc(((size_t)n.batches * SN_NEAR_LANES + 1) * sizeof *pair);
    assert_non_null(pair);
    *count = n.batches * SN_NEAR_LANES;
    for (uint32_t i = 0; i < *count; ++i) {
        const sn_near_batch *batch = &n.batch[i / SN_NEAR_LANES];
        pair[i] = (uint64_t)number_of[batch->a[i % SN_NEAR_LANES]] << 32 | number_of[batch->b[i % SN_NEAR_LANES]];
        assert_true(pair[i] >> 32 < (pair[i] & UINT32_MAX));
    }
    sn_neighbours_release(&n, &sn_default_allocator);
    return pair;
}

/* Where spheres are stored is nobody's business: several sizes, and one place with more than a few of them. */
static void test_stored_anyhow(void **state)
{
    (void)state;
    uint64_t *expected = NULL;
    uint32_t pairs = 0;
    start(31);
    add_cloud(3000, 0.5, 0.02, 0.03);
    add_cloud(200, 0.5, 0.1, 0.2);
    for (uint32_t i = 0; i < 120; ++i)
        add(0.6, 0.6, 0.6, 0.01);
    add(0, 0, 0, -1);
    s.wanted = numbers_rise;
    for (uint32_t i = 0; i < s.count; ++i)
        number_of[i] = 7 * i + 3;
    for (uint64_t round = 0; round < 4; ++round) {
        uint32_t count;
        uint64_t *found = find_numbered(&count);
        if (!expected) {
            expected = found;
            pairs = count;
            assert_true(count > 5000);
        } else {
            assert_int_equal(count, pairs);
            assert_memory_equal(found, expected, count * sizeof *found);
            free(found);
        }
        shuffle(round + 1);
    }
    free(expected);
}

/* m: how far it is from one to the next. */
static double way_through(const uint64_t *item, uint32_t count)
{
    double way = 0;
    for (uint32_t i = 1; i < count; ++i) {
        const sn_vec4 *a = &s.sphere[(uint32_t)item[i - 1]], *b = &s.sphere[(uint32_t)item[i]];
        way += support_gap((sn_vec3){a->x, a->y, a->z}, (sn_vec3){b->x, b->y, b->z});
    }
    return way;
}

static void test_order_by_place(void **state)
{
    (void)state;
    sn_parallel parallel = {.threads = 3};
    sn_neighbours n;
    bool lost = true;
    uint64_t *expected = NULL;
    start(32);
    add_cloud(20000, 1, 0.02, 0.02);
    for (uint32_t i = 5; i < s.count; i += 100)
        s.sphere[i].w = -1;
    for (uint32_t i = 0; i < s.count; ++i)
        number_of[i] = i;
    sn_near_input what = input();
    what.number = number_of;
    sn_neighbours_init(&n);
    for (int round = 0; round < 2; ++round) {
        const uint64_t *item = sn_neighbours_order(&n, &sn_default_allocator, round ? &parallel : NULL, &what, &lost);
        assert_non_null(item);
        assert_false(lost);
        assert_int_equal(n.batches, 0);
        assert_true(way_through(item, s.count - 200) / s.count < 0.2); /* by chance it would be 1.3 */
        for (uint32_t i = 0; i < 200; ++i)
            assert_int_equal((uint32_t)item[s.count - 200 + i], 5 + 100 * i);
        if (!expected) {
            expected = calloc(s.count, sizeof *expected);
            assert_non_null(expected);
            for (uint32_t i = 0; i < s.count; ++i)
                ++expected[(uint32_t)item[i]];
            for (uint32_t i = 0; i < s.count; ++i)
                assert_int_equal(expected[i], 1);
            memcpy(expected, item, s.count * sizeof *item);
        } else {
            assert_memory_equal(item, expected, s.count * sizeof *item);
        }
    }
    free(expected);
    sn_neighbours_release(&n, &sn_default_allocator);
    sn_parallel_release(&parallel, &sn_default_allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),          cmocka_unit_test(test_random),
        cmocka_unit_test(test_close_packing),  cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_lattice),        cmocka_unit_test(test_one_point),
        cmocka_unit_test(test_far_away),       cmocka_unit_test(test_wrapped),
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_extreme_sizes),
        cmocka_unit_test(test_filter),         cmocka_unit_test(test_not_looked_at),
        cmocka_unit_test(test_crowds),         cmocka_unit_test(test_heap),
        cmocka_unit_test(test_threads),        cmocka_unit_test(test_again_and_again),
        cmocka_unit_test(test_no_memory),      cmocka_unit_test(test_lost_tasks),
        cmocka_unit_test(test_too_many),       cmocka_unit_test(test_stored_anyhow),
        cmocka_unit_test(test_order_by_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
