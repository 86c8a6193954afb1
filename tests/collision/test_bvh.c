/* Trees of boxes: whatever the boxes are like the tree is whole and shallow, and queries find what looking at every box
   finds. */
#include "support/support.h"

#include "collision/bvh.h"

#if SINEW_DOUBLE
#define TINIEST 4.9406564584124654e-324
#else
#define TINIEST 1.4012984643248171e-45
#endif

/* ---- Boxes ------------------------------------------------------------------------------------------------------- */

enum { MOST = 6000 };

static sn_bounds box_at(double x, double y, double z, double size)
{
    return (sn_bounds){vec(x, y, z), vec(x + size, y + size, z + size)};
}

typedef enum pattern {
    RANDOM,
    EQUAL,
    COLLINEAR,
    ONE_HUGE,
    ONE_FAR,
    GEOMETRIC, /* each twice as far as the one before: every slice but the last is empty */
    POINTS,    /* some of them the same */
    CLUSTERS,
    HUGE_NUMBERS,
    TINY_NUMBERS,
    INFINITE,
    PATTERNS
} pattern;

static sn_bounds pattern_box(pattern p, uint32_t i, uint32_t count, uint64_t *seed)
{
    double x = support_random_in(seed, -10, 10), y = support_random_in(seed, -10, 10),
           z = support_random_in(seed, -10, 10), size = support_random_in(seed, 0, 1);
    switch (p) {
    case EQUAL:
        return box_at(1, 2, 3, 4);
    case COLLINEAR:
        return box_at(0, x, 0, 0);
    case ONE_HUGE:
        return i == count / 2 ? box_at(-1e6, -1e6, -1e6, 2e6) : box_at(x, y, z, size);
    case ONE_FAR:
        return i == count / 3 ? box_at(1e12, 0, 0, 1) : box_at(x, y, z, size);
    case GEOMETRIC:
        return box_at(ldexp(1, (int)(i % 240) - 120), 0, 0, 0);
    case POINTS:
        return box_at((int)x, (int)y, 0, 0);
    case CLUSTERS:
        return box_at((double)(int)x * 1e4 + y * 1e-3, (double)(int)z * 1e4, size * 1e-3, 1e-3);
    case HUGE_NUMBERS:
        return (sn_bounds){vec(-SUPPORT_REAL_MAX, x, y), vec(SUPPORT_REAL_MAX * size, x + 1, SUPPORT_REAL_MAX)};
    case TINY_NUMBERS:
        return (sn_bounds){vec(0, 0, TINIEST * (int)x), vec(TINIEST, 0, TINIEST * 20)};
    case INFINITE:
        if (i % 3)
            return (sn_bounds){vec(-INFINITY, x, y), vec(INFINITY, i % 2 ? x : INFINITY, y + 1)};
        return box_at(x, y, z, size);
    default:
        return box_at(x, y, z, size);
    }
}

static void fill(sn_bounds *bounds, pattern p, uint32_t count, uint64_t seed)
{
    for (uint32_t i = 0; i < count; ++i)
        bounds[i] = pattern_box(p, i, count, &seed);
}

static bool same_vec(sn_vec3 a, sn_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void grow(sn_bounds *a, const sn_bounds *b)
{
    a->low = vec((double)fmin((double)a->low.x, (double)b->low.x), fmin((double)a->low.y, (double)b->low.y),
                 fmin((double)a->low.z, (double)b->low.z));
    a->high = vec((double)fmax((double)a->high.x, (double)b->high.x), fmax((double)a->high.y, (double)b->high.y),
                  fmax((double)a->high.z, (double)b->high.z));
}

/* Every item is in one leaf, every box is just around what is below it, and nothing is deeper or longer than
   promised. */
static void assert_whole_but(const sn_bvh *bvh, const sn_bounds *bounds, uint32_t count, uint32_t added)
{
    static uint8_t depth[MOST], seen[MOST];
    const sn_bvh_node *node = bvh->node_table.column[0];
    const uint32_t *item = bvh->item_table.column[0];
    uint32_t nodes = bvh->node_table.count, items = 0, reached = 1;
    assert_int_equal(bvh->items, count);
    assert_true(nodes <= count + added);
    memset(seen, 0, sizeof seen);
    depth[0] = 0;
    for (uint32_t i = 0; i < nodes; ++i) {
        sn_bounds all = {vec(INFINITY, INFINITY, INFINITY), vec(-INFINITY, -INFINITY, -INFINITY)};
        assert_true(depth[i] <= SN_BVH_DEPTH && node[i].count <= SN_BVH_LEAF);
        if (node[i].count) {
            for (uint32_t k = 0; k < node[i].count; ++k) {
                uint32_t at = node[i].left + k;
                assert_true(at < count && item[at] < count && !seen[item[at]]);
                seen[item[at]] = 1;
                grow(&all, &bounds[item[at]]);
                ++items;
            }
        } else {
            assert_true(node[i].left > i && node[i].left + 1 < nodes);
            reached += 2;
            for (uint32_t k = 0; k < 2; ++k) {
                depth[node[i].left + k] = (uint8_t)(depth[i] + 1);
                grow(&all, &node[node[i].left + k].bounds);
            }
        }
        assert_true(same_vec(all.low, node[i].bounds.low) && same_vec(all.high, node[i].bounds.high));
    }
    assert_int_equal(items, count);
    assert_int_equal(reached, nodes);
}

static void assert_whole(const sn_bvh *bvh, const sn_bounds *bounds, uint32_t count)
{
    assert_whole_but(bvh, bounds, count, 0);
}

static void test_trees_are_whole(void **state)
{
    (void)state;
    static sn_bounds bounds[MOST];
    const uint32_t counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 14, 33, 100, 1000, MOST};
    sn_bvh bvh;
    sn_bvh_init(&bvh);
    for (int p = 0; p < PATTERNS; ++p)
        for (uint32_t i = 0; i < COUNT_OF(counts); ++i) {
            fill(bounds, (pattern)p, counts[i], 7);
            assert_true(sn_bvh_build(&bvh, &sn_default_allocator, bounds, counts[i]));
            assert_whole(&bvh, bounds, counts[i]);
        }
    sn_bvh_release(&bvh, &sn_default_allocator);
}

static void test_refit(void **state)
{
    (void)state;
    static sn_bounds bounds[MOST];
    sn_bvh bvh;
    sn_bvh_init(&bvh);
    for (int p = 0; p < PATTERNS; ++p) {
        fill(bounds, RANDOM, 1000, 3);
        assert_true(sn_bvh_build(&bvh, &sn_default_allocator, bounds, 1000));
        fill(bounds, (pattern)p, 1000, 4);
        sn_bvh_refit(&bvh, bounds);
        assert_whole(&bvh, bounds, 1000);
    }
    sn_bvh_release(&bvh, &sn_default_allocator);
}

/* Items that come one by one; where they all come to one place, until the tree is as deep as it may be: then it stays
   as it is. */
static void test_adding(void **state)
{
    (void)state;
    static sn_bounds bounds[MOST];
    sn_bvh bvh;
    sn_bvh_init(&bvh);
    fill(bounds, RANDOM, 1, 3);
    assert_false(sn_bvh_add(&bvh, &sn_default_allocator, bounds, 0)); /* to nothing */
    for (int p = 0; p < PATTERNS; ++p) {
        uint32_t count = 500;
        fill(bounds, (pattern)p, 1000, 3);
        assert_true(sn_bvh_build(&bvh, &sn_default_allocator, bounds, count));
        while (count < 1000 && sn_bvh_add(&bvh, &sn_default_allocator, bounds, count))
            ++count;
        assert_true(count > 500);
        sn_bvh_refit(&bvh, bounds);
        assert_whole_but(&bvh, bounds, count, count - 500);
    }
    sn_bvh_release(&bvh, &sn_default_allocator);
}

/* Memory that was used before, and other addresses, change nothing. */
static void test_trees_depend_on_boxes_only(void **state)
{
    (void)state;
    static sn_bounds bounds[MOST];
    support_memory memory = {0};
    sn_allocator rubbish = support_allocator(&memory);
    for (int p = 0; p < PATTERNS; ++p) {
        sn_bvh one, other;
        sn_bvh_init(&one);
        sn_bvh_init(&other);
        fill(bounds, CLUSTERS, MOST, 1);
        assert_true(sn_bvh_build(&other, &rubbish, bounds, MOST));
        fill(bounds, (pattern)p, 3000, 2);
        assert_true(sn_bvh_build(&one, &sn_default_allocator, bounds, 3000));
        assert_true(sn_bvh_build(&other, &rubbish, bounds, 3000));
        assert_int_equal(one.node_table.count, other.node_table.count);
        assert_memory_equal(one.node_table.column[0], other.node_table.column[0],
                            one.node_table.count * sizeof(sn_bvh_node));
        assert_memory_equal(one.item_table.column[0], other.item_table.column[0], 3000 * sizeof(uint32_t));
        sn_bvh_release(&one, &sn_default_allocator);
        sn_bvh_release(&other, &rubbish);
    }
    assert_memory_clean(&memory);
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

typedef struct visits {
    const sn_bounds *bounds;
    uint8_t seen[MOST];
    uint32_t count, most;
    sn_real *limit;                                           /* lowered ... */
    double (*measure)(const struct visits *v, uint32_t item); /* ... to this */
    sn_vec3 p;
    sn_path path;
    double best;
} visits;

static bool note(void *data, uint32_t item)
{
    visits *v = data;
    assert_false(v->seen[item]);
    v->seen[item] = 1;
    v->count++;
    if (v->measure) {
        double x = v->measure(v, item);
        if (x < v->best) {
            v->best = x;
            *v->limit = (sn_real)x;
        }
    }
    return v->count != v->most;
}

enum { QUERIED = 1500 };

typedef double measure_fn(const visits *v, uint32_t item);

static double least_of(const visits *v, measure_fn *measure)
{
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < QUERIED; ++i)
        least = fmin(least, measure(v, i));
    return least;
}

/* Who was not visited is beyond the limit. */
static void assert_nobody_missed(const visits *v, measure_fn *measure, sn_real limit)
{
    for (uint32_t i = 0; i < QUERIED; ++i)
        assert_true(v->seen[i] || measure(v, i) > (double)limit);
}

/* The next query looks for the best one, which is all that the limit leaves. */
static void look_for_best(visits *v, measure_fn *measure, sn_real *limit)
{
    memset(v->seen, 0, sizeof v->seen);
    v->count = 0;
    v->measure = measure;
    v->best = (double)INFINITY;
    v->limit = limit;
}

/* A tree of every pattern, and so many queries; then those that find nothing. */
typedef struct asking {
    int patterns;
    uint32_t rounds;
    uint64_t boxes, seed; /* of the boxes, of the queries */
    void (*one)(const sn_bvh *bvh, visits *v, pattern p, uint32_t round, uint64_t *seed);
    void (*none)(const sn_bvh *bvh, visits *v); /* or NULL */
} asking;

static void ask(const asking *a)
{
    static sn_bounds bounds[MOST];
    static visits v;
    sn_bvh bvh;
    sn_bvh_init(&bvh);
    uint64_t seed = a->seed;
    for (int p = 0; p < a->patterns; ++p) {
        fill(bounds, (pattern)p, QUERIED, a->boxes);
        assert_true(sn_bvh_build(&bvh, &sn_default_allocator, bounds, QUERIED));
        for (uint32_t round = 0; round <= a->rounds; ++round) {
            memset(&v, 0, sizeof v);
            v.bounds = bounds;
            if (round < a->rounds)
                a->one(&bvh, &v, (pattern)p, round, &seed);
            else if (a->none)
                a->none(&bvh, &v);
        }
        if (a->none)
            assert_int_equal(v.count, 0);
    }
    sn_bvh_release(&bvh, &sn_default_allocator);
}

static bool overlap(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static void ask_overlap(const sn_bvh *bvh, visits *v, pattern p, uint32_t round, uint64_t *seed)
{
    sn_bounds box = pattern_box(p, round, 60, seed);
    sn_bvh_overlap(bvh, &box, note, v);
    for (uint32_t i = 0; i < QUERIED; ++i)
        assert_true(v->seen[i] || !overlap(&box, &v->bounds[i]));
    if (p == RANDOM)
        assert_true(v->count < 500);
    uint32_t all = v->count;
    memset(v, 0, sizeof *v);
    v->most = 1 + round;
    sn_bvh_overlap(bvh, &box, note, v);
    assert_int_equal(v->count, all < v->most ? all : v->most);
}

static void ask_empty(const sn_bvh *bvh, visits *v)
{
    sn_bounds empty = {vec(1, 1, 1), vec(2, 0, 2)}, nan = {vec(NAN, 0, 0), vec(NAN, 0, 0)};
    sn_bvh_overlap(bvh, &empty, note, v);
    sn_bvh_overlap(bvh, &nan, note, v);
}

static void test_overlap(void **state)
{
    (void)state;
    ask(&(asking){PATTERNS, 60, 5, 11, ask_overlap, ask_empty});
}

static double outside(double x, double low, double high)
{
    return x < low ? low - x : x > high ? x - high : 0;
}

static double box_distance(const visits *v, uint32_t item)
{
    const sn_bounds *b = &v->bounds[item];
    double x = outside((double)v->p.x, (double)b->low.x, (double)b->high.x);
    double y = outside((double)v->p.y, (double)b->low.y, (double)b->high.y);
    double z = outside((double)v->p.z, (double)b->low.z, (double)b->high.z);
    return sqrt(x * x + y * y + z * z);
}

/* When a point comes to the box, made larger by the radius: the slabs in double, INFINITY: never. */
static double box_entry(const visits *v, uint32_t item)
{
    const sn_bounds *b = &v->bounds[item];
    const double from[3] = {(double)v->path.from.x, (double)v->path.from.y, (double)v->path.from.z};
    const double way[3] = {(double)v->path.displacement.x, (double)v->path.displacement.y,
                           (double)v->path.displacement.z};
    const double low[3] = {(double)b->low.x, (double)b->low.y, (double)b->low.z};
    const double high[3] = {(double)b->high.x, (double)b->high.y, (double)b->high.z};
    double enter = 0, leave = 1, r = (double)v->path.radius;
    for (int k = 0; k < 3; ++k) {
        double to_low = low[k] - r - from[k], to_high = high[k] + r - from[k];
        if (way[k] == 0 && (to_low > 0 || to_high < 0))
            return (double)INFINITY;
        if (way[k] == 0)
            continue;
        enter = fmax(enter, way[k] > 0 ? to_low / way[k] : to_high / way[k]);
        leave = fmin(leave, way[k] > 0 ? to_high / way[k] : to_low / way[k]);
    }
    return enter <= leave ? enter : (double)INFINITY;
}

static void ask_near(const sn_bvh *bvh, visits *v, pattern p, uint32_t round, uint64_t *seed)
{
    (void)round;
    v->p = vec(support_random_in(seed, -20, 20), support_random_in(seed, -20, 20), support_random_in(seed, -20, 20));
    double nearest = least_of(v, box_distance);
    sn_real reach = real(nearest + support_random_in(seed, 0, 3)); /* all within a reach */
    sn_bvh_near(bvh, v->p, &reach, note, v);
    assert_nobody_missed(v, box_distance, reach);
    look_for_best(v, box_distance, &reach); /* the nearest, and few others on the way there */
    reach = (sn_real)INFINITY;
    sn_bvh_near(bvh, v->p, &reach, note, v);
    assert_true(v->best == nearest);
    if (p == RANDOM)
        assert_true(v->count < 300);
}

static void ask_nowhere(const sn_bvh *bvh, visits *v)
{
    sn_real negative = -1, nan = (sn_real)NAN;
    sn_bvh_near(bvh, vec(0, 0, 0), &negative, note, v);
    sn_bvh_near(bvh, vec(0, 0, 0), &nan, note, v);
}

static void test_near(void **state)
{
    (void)state;
    ask(&(asking){PATTERNS, 60, 6, 13, ask_near, ask_nowhere});
}

/* Ways of every kind: along axes, next to nothing, through corners of boxes, with and without radius. */
static sn_path some_path(const sn_bounds *bounds, uint32_t round, uint64_t *seed)
{
    sn_path path = {
        vec(support_random_in(seed, -15, 15), support_random_in(seed, -15, 15), support_random_in(seed, -15, 15)),
        vec(support_random_in(seed, -30, 30), support_random_in(seed, -30, 30), support_random_in(seed, -30, 30)),
        round % 2 ? real(support_random_in(seed, 0, 0.5)) : 0};
    const sn_bounds *aim = &bounds[support_random_below(seed, QUERIED)];
    if (round % 8 == 1 || round % 8 == 2)
        path.from.x = aim->low.x, path.from.z = aim->high.z, path.displacement.x = 0,
        path.displacement.z = 0; /* along the y axis */
    if (round % 8 == 3)
        path.displacement.y = real(TINIEST);
    if (round % 8 == 4) /* to a corner */
        path.displacement = vec((double)(aim->low.x - path.from.x), (double)(aim->low.y - path.from.y),
                                (double)(aim->high.z - path.from.z));
    if (round % 8 == 5)
        path.displacement = vec(0, 0, 0), path.from = aim->high;
    return path;
}

static void ask_cast(const sn_bvh *bvh, visits *v, pattern p, uint32_t round, uint64_t *seed)
{
    v->path = some_path(v->bounds, round, seed);
    double first = least_of(v, box_entry);
    sn_real t = real(round % 3 ? 1 : 0.4);
    sn_bvh_cast(bvh, &v->path, &t, note, v);
    assert_nobody_missed(v, box_entry, t);
    look_for_best(v, box_entry, &t);
    t = 1;
    sn_bvh_cast(bvh, &v->path, &t, note, v);
    assert_true(v->best == first);
    if (p == RANDOM)
        assert_true(v->count < 200);
}

static void test_cast(void **state)
{
    (void)state;
    ask(&(asking){HUGE_NUMBERS, 160, 8, 17, ask_cast, NULL});
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static void assert_empty(const sn_bvh *bvh)
{
    static visits v;
    memset(&v, 0, sizeof v);
    sn_bounds box = box_at(-100, -100, -100, 200);
    sn_path path = {vec(-50, 0, 0), vec(100, 0, 0), 50};
    sn_real limit = 1;
    sn_bvh_overlap(bvh, &box, note, &v);
    sn_bvh_cast(bvh, &path, &limit, note, &v);
    limit = 1000;
    sn_bvh_near(bvh, vec(0, 0, 0), &limit, note, &v);
    assert_int_equal(v.count, 0);
    assert_int_equal(bvh->items, 0);
}

static void test_memory(void **state)
{
    (void)state;
    static sn_bounds bounds[MOST];
    fill(bounds, RANDOM, MOST, 9);
    bool done = false;
    for (uint64_t fail_at = 1; !done; ++fail_at) {
        assert_true(fail_at < 100);
        support_memory memory = {0};
        sn_allocator allocator = support_allocator(&memory);
        sn_bvh bvh;
        sn_bvh_init(&bvh);
        assert_true(sn_bvh_build(&bvh, &allocator, bounds, 0));
        assert_empty(&bvh);
        assert_true(sn_bvh_build(&bvh, &allocator, bounds, 50));
        memory.fail_at = memory.requests + fail_at;
        done = sn_bvh_build(&bvh, &allocator, bounds, MOST);
        if (!done)
            assert_empty(&bvh);
        memory.fail_at = 0;
        assert_true(sn_bvh_build(&bvh, &allocator, bounds, MOST));
        uint64_t requests = memory.requests;
        for (int p = 0; p < PATTERNS; ++p) { /* whatever tree becomes of them */
            fill(bounds, (pattern)p, MOST, 10);
            assert_true(sn_bvh_build(&bvh, &allocator, bounds, MOST));
            assert_true(sn_bvh_build(&bvh, &allocator, bounds, 700));
        }
        assert_int_equal(memory.requests, requests);
        size_t bytes = memory.bytes;
        sn_bvh_trim(&bvh, &allocator);
        assert_true(memory.bytes < bytes);
        sn_bvh_refit(&bvh, bounds);
        assert_whole(&bvh, bounds, 700);
        sn_bvh_release(&bvh, &allocator);
        assert_empty(&bvh);
        assert_memory_clean(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_are_whole),
        cmocka_unit_test(test_refit),
        cmocka_unit_test(test_adding),
        cmocka_unit_test(test_trees_depend_on_boxes_only),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_cast),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
