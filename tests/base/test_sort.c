/* Sorting by key: right, stable, for any number of items and any bytes of the key. */
#include "support/support.h"

#include "base/sort.h"

#define MOST 5000

static sn_sort_item items[MOST], scratch[MOST], given[MOST];

static uint64_t random_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33 | (*state * 2862933555777941757u) >> 33 << 31;
}

/* Against the definition: keys rise, equal ones keep their order, and each item comes back once. */
static void check(uint32_t count)
{
    static bool seen[MOST];
    for (uint32_t i = 0; i < count; ++i) {
        seen[i] = false;
        given[i] = items[i] = (sn_sort_item){items[i].key, i, ~i};
    }
    sn_sort(items, scratch, count);
    for (uint32_t i = 0; i < count; ++i) {
        assert_true(items[i].a < count && !seen[items[i].a]);
        seen[items[i].a] = true;
        assert_true(items[i].key == given[items[i].a].key && items[i].b == ~items[i].a);
        if (i > 0)
            assert_true(items[i - 1].key < items[i].key ||
                        (items[i - 1].key == items[i].key && items[i - 1].a < items[i].a));
    }
}

static void any_number_is_sorted(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 2, 3, 47, 48, 49, 50, 255, 256, 257, 1000, MOST};
    static const uint64_t masks[] = {0, 1, 255, 256, 0xff00, 0xffffffff, UINT64_C(0xff00000000000000), UINT64_MAX};
    uint64_t seed = 1;
    for (uint32_t i = 0; i < COUNT_OF(sizes); ++i)
        for (uint32_t m = 0; m < COUNT_OF(masks); ++m) {
            for (uint32_t k = 0; k < sizes[i]; ++k)
                items[k].key = random_bits(&seed) & masks[m];
            check(sizes[i]);
        }
}

static void sorted_and_reversed_ones_are(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < MOST; ++k)
        items[k].key = k;
    check(MOST);
    for (uint32_t k = 0; k < MOST; ++k)
        items[k].key = UINT64_MAX - k / 3;
    check(MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_is_sorted),
        cmocka_unit_test(sorted_and_reversed_ones_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
