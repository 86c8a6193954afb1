/* Traces: names with commas and quotes, numbers of all sorts, and texts that are none. */
#include "support/support.h"
#include "cli/csv.h"

#include <string.h>

typedef struct reading {
    sn_csv csv;
    char text[512];
    char message[256];
    bool good;
} reading;

/* The text is cut to length without a zero behind it, except the one that the reader is promised. */
static void read_text(reading *r, const char *text)
{
    size_t length = strlen(text);
    assert_true(length < sizeof r->text);
    memcpy(r->text, text, length + 1);
    r->message[0] = 0;
    r->good = sn_csv_read(&r->csv, r->text, length, r->message, sizeof r->message);
}

static void reads_names_and_numbers(void **state)
{
    (void)state;
    reading r;
    read_text(&r, "time,\"a,\"\"b\"\"\",c\r\n1,-2.5e3,\r\n\r\n3,nan,1e-300");
    assert_true(r.good);
    assert_int_equal(r.csv.columns, 3);
    assert_string_equal(r.csv.name[1], "a,\"b\"");
    assert_int_equal(r.csv.rows, 2);
    assert_true(r.csv.value[0] == 1 && r.csv.value[1] == -2500 && isnan(r.csv.value[2]));
    assert_true(r.csv.value[3] == 3 && isnan(r.csv.value[4]) && r.csv.value[5] == 1e-300);
    assert_int_equal(sn_csv_find(&r.csv, "c"), 2);
    assert_int_equal(sn_csv_find(&r.csv, "d"), UINT32_MAX);
    sn_csv_release(&r.csv);
}

static void reads_names_alone(void **state)
{
    (void)state;
    reading r;
    read_text(&r, "time");
    assert_true(r.good && r.csv.columns == 1 && r.csv.rows == 0);
    sn_csv_release(&r.csv);
}

static void refuses(const char *text, const char *reason)
{
    reading r;
    read_text(&r, text);
    assert_false(r.good);
    if (!strstr(r.message, reason))
        fail_msg("'%s' does not say '%s'", r.message, reason);
    sn_csv_release(&r.csv);
}

static void refuses_what_is_no_table(void **state)
{
    (void)state;
    refuses("", "empty");
    refuses("a,b\n1\n", "line 2: has 1 fields, expected 2");
    refuses("a,b\n1,2\n1,2,3\n", "line 3: has more than the 2 fields");
    refuses("a,b\n1,x\n", "line 2, b: found 'x'");
    refuses("a,b\n1,2 3\n", "line 2, b: found '2 3'");
    refuses("a,\"b\n1,2\n", "quotes");
    refuses("a,\"b\"c\n1,2\n", "quotes");
    refuses("a\n\"1\n", "line 2, a");
}

static void refuses_bytes(void **state)
{
    (void)state;
    sn_csv csv;
    char message[64], text[] = "a\n1\0002\n";
    assert_false(sn_csv_read(&csv, text, sizeof text - 1, message, sizeof message));
    assert_string_equal(message, "is not a text");
    sn_csv_release(&csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_names_and_numbers),
        cmocka_unit_test(reads_names_alone),
        cmocka_unit_test(refuses_what_is_no_table),
        cmocka_unit_test(refuses_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
