/* Numbers and generations: nothing alive is ever given out twice, nothing stale is ever valid. */
#include "base/ids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static uint32_t add(sn_ids *ids, uint32_t count, uint32_t *generation)
{
    uint32_t first;
    assert_true(sn_ids_find(ids, &sn_default_allocator, count, 1000000, &first));
    *generation = sn_ids_take(ids, first, count);
    for (uint32_t i = 0; i < count; ++i)
        ids->value[first + i] = i;
    return first;
}

static void test_lowest_number_first(void **state)
{
    (void)state;
    sn_ids ids;
    uint32_t g;
    sn_ids_init(&ids);
    for (uint32_t i = 0; i < 10; ++i)
        assert_int_equal(add(&ids, 1, &g), i);
    sn_ids_free(&ids, 7);
    sn_ids_free(&ids, 3);
    assert_int_equal(add(&ids, 1, &g), 3);
    assert_int_equal(add(&ids, 1, &g), 7);
    assert_int_equal(add(&ids, 1, &g), 10);
    sn_ids_release(&ids, &sn_default_allocator);
}

static void test_runs_are_consecutive_and_reused(void **state)
{
    (void)state;
    sn_ids ids;
    uint32_t g;
    sn_ids_init(&ids);
    assert_int_equal(add(&ids, 20, &g), 0);
    for (uint32_t i = 5; i < 10; ++i)
        sn_ids_free(&ids, i);
    assert_int_equal(add(&ids, 6, &g), 20); /* no gap of six */
    assert_int_equal(add(&ids, 5, &g), 5);  /* the gap of five */
    for (uint32_t i = 5; i < 10; ++i)
        assert_true(sn_ids_is_valid(&ids, i, g));
    sn_ids_release(&ids, &sn_default_allocator);
}

/* Adding and removing for ever must not let the numbers grow. */
static void test_churn_does_not_grow(void **state)
{
    (void)state;
    sn_ids ids;
    uint32_t g;
    sn_ids_init(&ids);
    for (int round = 0; round < 1000; ++round) {
        uint32_t first = add(&ids, 20, &g);
        for (uint32_t i = 0; i < 20; ++i)
            sn_ids_free(&ids, first + i);
    }
    assert_int_equal(ids.table.count, 20);
    assert_int_equal(ids.live, 0);
    sn_ids_release(&ids, &sn_default_allocator);
}

static void test_generations_never_repeat(void **state)
{
    (void)state;
    sn_ids ids;
    uint32_t first, second, third;
    sn_ids_init(&ids);
    add(&ids, 1, &first);
    sn_ids_free(&ids, 0);
    assert_false(sn_ids_is_valid(&ids, 0, first));
    add(&ids, 1, &second);
    assert_int_not_equal(first, second);
    assert_false(sn_ids_is_valid(&ids, 0, first));

    ids.generation[0] = first; /* as a snapshot from before the removal would */
    sn_ids_restored(&ids);
    assert_true(sn_ids_is_valid(&ids, 0, first));
    assert_false(sn_ids_is_valid(&ids, 0, second));
    sn_ids_free(&ids, 0);
    add(&ids, 1, &third);
    assert_int_not_equal(third, second);
    assert_int_not_equal(third, first);
    sn_ids_release(&ids, &sn_default_allocator);
}

/* Thousands of random additions and removals against a plain list of what should be alive. */
static void test_random_edits(void **state)
{
    (void)state;
    enum { MOST = 4096 };
    static uint32_t alive[MOST]; /* generation by number, 0: free */
    sn_ids ids;
    sn_ids_init(&ids);
    uint32_t live = 0, random = 12345;
    for (int round = 0; round < 20000; ++round) {
        random = random * 1664525u + 1013904223u;
        uint32_t number = (random >> 8) % MOST;
        if (alive[number]) {
            sn_ids_free(&ids, number);
            alive[number] = 0;
            --live;
        } else if (live + 8 < MOST / 2) {
            uint32_t count = 1 + (random >> 28) % 8, g;
            uint32_t first = add(&ids, count, &g);
            for (uint32_t i = 0; i < count; ++i) {
                assert_int_equal(alive[first + i], 0);
                alive[first + i] = g;
            }
            live += count;
        }
    }
    assert_int_equal(ids.live, live);
    for (uint32_t i = 0; i < ids.table.count; ++i)
        assert_int_equal(sn_ids_is_live(&ids, i), alive[i] != 0);
    sn_ids_release(&ids, &sn_default_allocator);
}

static void test_limit(void **state)
{
    (void)state;
    sn_ids ids;
    uint32_t first, g;
    sn_ids_init(&ids);
    add(&ids, 10, &g);
    assert_false(sn_ids_find(&ids, &sn_default_allocator, 1, 10, &first));
    assert_int_equal(ids.table.count, 10);
    sn_ids_release(&ids, &sn_default_allocator);
}

static void *no_memory(void *user, size_t size, size_t alignment)
{
    (void)user, (void)size, (void)alignment;
    return NULL;
}

/* After a reservation numbers are found and taken without memory, also where the table crosses a block of numbers and some are free. */
static void test_reserved_numbers_need_no_memory(void **state)
{
    (void)state;
    sn_ids ids;
    uint32_t first, g;
    sn_allocator none = sn_default_allocator;
    none.allocate = no_memory;
    sn_ids_init(&ids);
    add(&ids, SN_ID_BLOCK - 3, &g);
    sn_ids_free(&ids, 2);
    assert_true(sn_ids_reserve(&ids, &sn_default_allocator, 8));
    for (uint32_t i = 0; i < 8; ++i) {
        assert_true(sn_ids_find(&ids, &none, 1, 1000000, &first));
        sn_ids_take(&ids, first, 1);
        ids.value[first] = i;
        if (i == 6) /* one is free again, in the next block */
            sn_ids_free(&ids, first);
    }
    sn_ids_release(&ids, &sn_default_allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lowest_number_first),
        cmocka_unit_test(test_runs_are_consecutive_and_reused),
        cmocka_unit_test(test_churn_does_not_grow),
        cmocka_unit_test(test_generations_never_repeat),
        cmocka_unit_test(test_random_edits),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_reserved_numbers_need_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
