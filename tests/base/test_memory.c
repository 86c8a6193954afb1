/* Tables of columns, sorting, parallel loops and the error text. */
#include "base/errors.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void test_table_keeps_contents_when_it_grows(void **state)
{
    (void)state;
    sn_table table = {0};
    sn_table_column(&table, sizeof(uint32_t), true);
    sn_table_column(&table, 0, true); /* a column without content is fine */
    sn_table_column(&table, 7, false);
    assert_int_equal(table.saved, 2);
    for (uint32_t i = 0; i < 5000; ++i) {
        assert_true(sn_table_reserve(&table, &sn_default_allocator, i + 1));
        ((uint32_t *)table.column[0])[i] = i * 3;
        memset((char *)table.column[2] + (size_t)i * 7, (int)(i & 0x7f), 7);
        table.count++;
    }
    for (uint32_t i = 0; i < 5000; ++i) {
        assert_int_equal(((uint32_t *)table.column[0])[i], i * 3);
        assert_int_equal(((char *)table.column[2])[i * 7 + 6], i & 0x7f);
    }
    for (uint32_t i = 0; i < table.columns; ++i)
        assert_int_equal((uintptr_t)table.column[i] % SN_ALIGNMENT, 0);
    sn_table_copy_row(&table, 1, 4000);
    assert_int_equal(((uint32_t *)table.column[0])[1], 12000);
    sn_table_release(&table, &sn_default_allocator);
}

static void *refuse(void *context, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    return NULL;
}

static void keep(void *context, void *block, size_t size)
{
    (void)context;
    (void)block;
    (void)size;
}

static void test_table_survives_failure(void **state)
{
    (void)state;
    const sn_allocator refusing = {refuse, keep, NULL};
    sn_table table = {0};
    sn_table_column(&table, sizeof(uint32_t), true);
    assert_true(sn_table_reserve(&table, &sn_default_allocator, 8));
    table.count = 8;
    ((uint32_t *)table.column[0])[7] = 42;
    assert_false(sn_table_reserve(&table, &refusing, 100000));
    assert_false(sn_table_reserve(&table, &sn_default_allocator, UINT64_C(1) << 40));
    assert_int_equal(table.count, 8);
    assert_int_equal(((uint32_t *)table.column[0])[7], 42);
    sn_table_release(&table, &sn_default_allocator);
}

static void test_sort(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    static sn_sort_item items[MOST], scratch[MOST];
    uint32_t random = 7;
    for (uint32_t count = 0; count < MOST; count = count * 3 / 2 + 1) {
        for (uint32_t i = 0; i < count; ++i) {
            random = random * 1664525u + 1013904223u;
            items[i] = (sn_sort_item){random >> 24, i, 0}; /* many equal keys */
        }
        sn_sort(items, scratch, count);
        for (uint32_t i = 1; i < count; ++i) {
            assert_true(items[i - 1].key <= items[i].key);
            if (items[i - 1].key == items[i].key)
                assert_true(items[i - 1].a < items[i].a); /* stable */
        }
    }
}

static void mark_piece(void *data, uint32_t first, uint32_t end)
{
    uint8_t *mark = data;
    assert_true(end > first && end - first <= SN_PIECE);
    for (uint32_t i = first; i < end; ++i)
        mark[i]++;
}

/* Backwards, each task twice. */
static void run_backwards(void *context, uint32_t count, void (*task)(void *, uint32_t), void *data)
{
    uint32_t *leave_out = context;
    for (uint32_t i = count; i-- > 0;)
        if (i + 1 != *leave_out) {
            task(data, i);
            task(data, i);
        }
}

static void test_parallel_runs_each_item_once(void **state)
{
    (void)state;
    uint32_t leave_out = 0, count = 3 * SN_PIECE + 17;
    uint8_t *mark = calloc(count, 1);
    sn_parallel parallel = {.tasks = {run_backwards, &leave_out}};
    assert_true(sn_parallel_reserve(&parallel, &sn_default_allocator, count));
    assert_true(sn_parallel_for(&parallel, count, mark_piece, mark));
    for (uint32_t i = 0; i < count; ++i)
        assert_int_equal(mark[i], 1);
    leave_out = 2;
    assert_false(sn_parallel_for(&parallel, count, mark_piece, mark));
    sn_parallel_repair(&parallel);
    for (uint32_t i = 0; i < count; ++i)
        assert_int_equal(mark[i], 2);
    sn_parallel_release(&parallel, &sn_default_allocator);
    free(mark);
}

static void test_result_texts(void **state)
{
    (void)state;
    for (int r = SN_OK; r <= SN_CANCELLED; ++r)
        for (int s = SN_OK; s < r; ++s)
            assert_string_not_equal(sn_result_text((sn_result)r), sn_result_text((sn_result)s));
    assert_string_equal(sn_result_text((sn_result)99), "unknown result");
}

static void test_error_text_is_cut_not_overrun(void **state)
{
    (void)state;
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    sn_errors errors = {0};
    assert_int_equal(sn_fail(&errors, SN_ERROR_LIMIT, "%s", text), SN_ERROR_LIMIT);
    assert_int_equal(strlen(errors.text), SN_ERROR_SIZE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_keeps_contents_when_it_grows),
        cmocka_unit_test(test_table_survives_failure),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_parallel_runs_each_item_once),
        cmocka_unit_test(test_result_texts),
        cmocka_unit_test(test_error_text_is_cut_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
