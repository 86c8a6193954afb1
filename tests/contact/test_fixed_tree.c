/* The broad phase of fixed shapes: after any edits a query visits just those whose bounds touch the box, each once. */
#include "support/support.h"

#include "contact/fixed_tree.h"

#include <string.h>

enum { MOST = 3000 };

typedef struct model {
    bool there[MOST];
    sn_bounds box[MOST];
} model;

static sn_bounds random_box(uint64_t *seed)
{
    double x = support_random_in(seed, -50, 50), y = support_random_in(seed, -50, 50),
           z = support_random_in(seed, -50, 50), size = support_random_in(seed, 0, 2);
    sn_bounds box = {vec(x, y, z), vec(x + size, y + size, z + size)};
    if (support_random(seed) % 500 == 0) /* a plane */
        box.low.x = box.low.z = (sn_real)-INFINITY, box.high.x = box.high.z = (sn_real)INFINITY;
    return box;
}

static bool touch(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

typedef struct visited {
    uint32_t times[MOST], count;
} visited;

static bool visit(void *data, uint32_t number)
{
    visited *v = data;
    v->times[number]++;
    v->count++;
    return true;
}

static bool visit_once(void *data, uint32_t number)
{
    (void)number;
    ++*(uint32_t *)data;
    return false;
}

static void ask(const sn_fixed_tree *tree, const model *m, uint64_t *seed)
{
    sn_bounds box = random_box(seed);
    visited v = {0};
    sn_fixed_tree_overlap(tree, &box, visit, &v);
    uint32_t expected = 0;
    for (uint32_t i = 0; i < MOST; ++i) {
        bool there = m->there[i] && touch(&m->box[i], &box);
        assert_int_equal(v.times[i], there);
        expected += there;
    }
    assert_int_equal(v.count, expected);
    assert_int_equal(sn_fixed_tree_touches(tree, &box), expected > 0);
    uint32_t once = 0;
    sn_fixed_tree_overlap(tree, &box, visit_once, &once);
    assert_int_equal(once, expected > 0);
}

static void edit(sn_fixed_tree *tree, model *m, uint64_t *seed)
{
    uint32_t number = (uint32_t)(support_random(seed) % MOST);
    m->there[number] = support_random(seed) % 4 != 0;
    m->box[number] = random_box(seed);
    if (m->there[number])
        sn_fixed_tree_set(tree, number, &m->box[number], support_random(seed) % 8 == 0);
    else
        sn_fixed_tree_remove(tree, number);
}

static void test_edits(void **state)
{
    (void)state;
    sn_fixed_tree tree;
    static model m;
    uint64_t seed = 7;
    sn_fixed_tree_init(&tree);
    assert_true(sn_fixed_tree_reserve(&tree, &sn_default_allocator, MOST));
    for (uint32_t round = 0; round < support_rounds(200, 20); ++round) {
        uint32_t edits = round % 10 == 0 ? 3 * MOST : (uint32_t)(support_random(&seed) % 40);
        if (round % 50 == 49) {
            sn_fixed_tree_clear(&tree);
            memset(&m, 0, sizeof m);
            assert_true(sn_fixed_tree_reserve(&tree, &sn_default_allocator, MOST));
        }
        for (uint32_t i = 0; i < edits; ++i)
            edit(&tree, &m, &seed);
        assert_true(sn_fixed_tree_build(&tree, &sn_default_allocator));
        for (uint32_t i = 0; i < 10; ++i)
            ask(&tree, &m, &seed);
    }
    sn_fixed_tree_release(&tree, &sn_default_allocator);
}

/* What stands is built once: a fixed shape that moves leaves the tree, and does not ask for another one. */
static void test_stands(void **state)
{
    (void)state;
    sn_fixed_tree tree;
    sn_fixed_tree_init(&tree);
    assert_true(sn_fixed_tree_reserve(&tree, &sn_default_allocator, MOST));
    for (uint32_t i = 0; i < MOST; ++i) {
        sn_bounds box = {vec(i, 0, 0), vec(i + 0.5, 1, 1)};
        sn_fixed_tree_set(&tree, i, &box, false);
    }
    assert_true(sn_fixed_tree_build(&tree, &sn_default_allocator));
    assert_int_equal(tree.standing.items, MOST);
    assert_int_equal(tree.list_table[0].count, 0);
    sn_bvh_node first = ((const sn_bvh_node *)tree.standing.node_table.column[0])[1];
    for (uint32_t step = 0; step < 100; ++step) {
        sn_bounds box = {vec(0, step, 0), vec(0.5, step + 1, 1)};
        sn_fixed_tree_set(&tree, 0, &box, true);
        assert_true(sn_fixed_tree_build(&tree, &sn_default_allocator));
        assert_int_equal(tree.standing.items, MOST);
        assert_int_equal(tree.list_table[0].count, 1);
        assert_true(sn_fixed_tree_touches(&tree, &box));
    }
    assert_memory_equal(&first, (const sn_bvh_node *)tree.standing.node_table.column[0] + 1, sizeof first);
    sn_fixed_tree_release(&tree, &sn_default_allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edits), cmocka_unit_test(test_stands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
