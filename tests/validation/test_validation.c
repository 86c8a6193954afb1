/* Asserts every record of the validation rows that this solver and integrator are judged by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "validation/rows.h"

static void report_failure(const record *r)
{
    fprintf(stderr, "row %d: %s: measured ", r->row, r->setup);
    record_write_measured(r, stderr);
    fputs(", expected ", stderr);
    record_write_expected(r, stderr);
    fputs(", tolerance ", stderr);
    record_write_tolerance(r, stderr);
    fputc('\n', stderr);
}

static void check_row(void **state)
{
    const row *which = *state;
    records list = {NULL, 0, 0};
    size_t failed = 0;
    which->run(&list);
    assert_true(list.count > 0);
    for (size_t i = 0; i < list.count; ++i)
        if (!record_passes(&list.item[i])) {
            report_failure(&list.item[i]);
            ++failed;
        }
    records_free(&list);
    assert_int_equal(failed, 0);
}

int main(void)
{
    struct CMUnitTest *tests = calloc(validation_row_count, sizeof(*tests));
    if (!tests)
        return EXIT_FAILURE;
    for (size_t i = 0; i < validation_row_count; ++i)
        tests[i] =
            (struct CMUnitTest){validation_rows[i].name, check_row, NULL, NULL, (void *)(uintptr_t)&validation_rows[i]};
    int failed = _cmocka_run_group_tests("validation", tests, validation_row_count, NULL, NULL);
    free(tests);
    return failed;
}
