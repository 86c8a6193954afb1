/* JSON: read, refused with a reason and a place, found again, written. */
#include "support/support.h"

#include "scene/json.h"

#include <locale.h>

/* ---- Helpers ----------------------------------------------------------------------------------------------------- */

static void read_ok(sn_document *document, const char *text)
{
    char message[300] = "";
    sn_document_init(document, NULL);
    if (!sn_json_read(document, text, strlen(text), NULL, message, sizeof message))
        fail_msg("%s: %s", text, message);
}

/* What is written for a value; free it. */
static char *write_text(const sn_value *value, bool line)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(line ? sn_json_write_line(file, value) : sn_json_write(file, value));
    long length = ftell(file);
    char *text = calloc((size_t)length + 1, 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)length, file), length);
    fclose(file);
    return text;
}

static void assert_written(const char *text, const char *expected, bool line)
{
    sn_document document;
    read_ok(&document, text);
    char *written = write_text(document.root, line);
    assert_string_equal(written, expected);
    free(written);
    sn_document_release(&document);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static void test_all_types_are_read(void **state)
{
    (void)state;
    sn_document document;
    read_ok(&document, "{\"n\": null, \"t\": true, \"f\": false, \"i\": -12, \"r\": 2.5e-3,\n"
                       " \"s\": \"\\u0061\\n\xc3\xa4\\ud83e\\uddf5\", \"e\": [], \"o\": {}, \"p\": [1, 2.5, -0.0],"
                       " \"m\": [1, \"x\"]}");
    const sn_value *root = document.root;
    assert_int_equal(root->count, 10);
    assert_string_equal(root->first->key, "n"); /* in the order of the text */
    assert_string_equal(root->last->key, "m");
    assert_int_equal(sn_value_find(root, "n")->type, SN_VALUE_NULL);
    assert_true(sn_value_find(root, "t")->number == 1);
    assert_true(sn_value_find(root, "f")->number == 0);
    assert_int_equal(sn_value_find(root, "f")->type, SN_VALUE_TRUTH);
    assert_true(sn_value_find(root, "i")->number == -12);
    assert_true(sn_value_find(root, "r")->number == 2.5e-3);
    assert_string_equal(sn_value_find(root, "s")->text, "a\n\xc3\xa4\xf0\x9f\xa7\xb5");
    assert_null(sn_value_find(root, "e")->numbers);
    assert_int_equal(sn_value_find(root, "o")->type, SN_VALUE_RECORD);
    const sn_value *packed = sn_value_find(root, "p"), *mixed = sn_value_find(root, "m");
    assert_non_null(packed->numbers);
    assert_int_equal(packed->count, 3);
    assert_true(packed->numbers[1] == 2.5 && packed->numbers[2] == 0 && signbit(packed->numbers[2]));
    assert_null(mixed->numbers);
    assert_string_equal(mixed->last->text, "x");
    sn_document_release(&document);
}

static void test_a_byte_order_mark_is_skipped(void **state)
{
    (void)state;
    sn_document document;
    const char *text = "\xef\xbb\xbf[1, 2]";
    read_ok(&document, text);
    assert_int_equal(document.root->count, 2);
    sn_place place = sn_json_locate(text, strlen(text), "[1]", false);
    assert_int_equal(place.column, 5);
    sn_document_release(&document);
}

static void test_integers_up_to_2_to_the_53(void **state)
{
    (void)state;
    sn_document document;
    read_ok(&document, "[9007199254740992, -9007199254740992, 1e300]");
    assert_true(document.root->numbers[0] == 9007199254740992.0);
    assert_true(document.root->numbers[1] == -9007199254740992.0);
    sn_document_release(&document);
}

typedef struct refusal {
    const char *text;
    uint32_t line, column;
    const char *words;
} refusal;

static const refusal refusals[] = {
    {"", 0, 0, "empty"},
    {" \n\t\r\n", 0, 0, "empty"},
    {"\xef\xbb\xbf", 0, 0, "empty"},
    {"\xef\xbb\xbf\n{\"\xc3\xa4\": x}", 2, 7, "expected a value found x"},
    {"\xef\xbb\xbf{\"a\":x}", 1, 6, "found x"},
    {"\xff\xfe{\x01", 0, 0, "UTF-16"},
    {"[\"\xc3\xa4\xc3\xa4\",\n \xff]", 2, 2, "0xff UTF-8"},
    {"[\"\xed\xa0\x80\"]", 1, 3, "0xed UTF-8"},
    {"{\"a\":1,}", 1, 8, "key comma }"},
    {"[1,]", 1, 4, "value comma ]"},
    {"[1,,2]", 1, 4, "between two commas"},
    {"[1 2]", 1, 4, "comma or ] found 2"},
    {"[1}", 1, 3, "comma or ] found }"},
    {"{\"a\":1 \"b\":2}", 1, 8, "comma or } found text"},
    {"{\"a\" 1}", 1, 6, "colon found 1"},
    {"{\"a\" \"a text of more than 20 letters \\\"\"}", 1, 6, "colon found text"},
    {"[1 1.00000000000000000000000]", 1, 4, "comma or ] found 1.0"},
    {"[1 aWordOfMoreThanTwentyLetters]", 1, 4, "comma or ] found aWord"},
    {"{a:1}", 1, 2, "key in double quotes found a"},
    {"{'a':1}", 1, 2, "single quote"},
    {"[nan]", 1, 2, "found nan"},
    {"[True]", 1, 2, "found True"},
    {"[.5]", 1, 2, ".5 not a number"},
    {"[01]", 1, 2, "01 not a number"},
    {"[+1]", 1, 2, "+1 not a number"},
    {"[1.]", 1, 2, "1. not a number"},
    {"[-]", 1, 2, "- not a number"},
    {"// x\n{}", 1, 1, "comment"},
    {"[1, # x\n2]", 1, 5, "comment"},
    {"/", 1, 1, "value found /"},
    {"{} x", 1, 4, "end of the file expected found x"},
    {"[\x1b[31m]", 1, 2, "found \\u001b"},
    {"{\"a\":1,\n\"a\":2}", 2, 1, "key \"a\" already"},
    {"{\"a key that has more than 20 letters \\\"\":1,\n  \"a key that has more than 20 letters \\\"\":2}", 2, 3,
     "already more than"},
    {"[1,\n 9007199254740993]", 2, 2, "9007199254740993 2^53"},
    {"{\"a\": {\"b c\": [0, [-9007199254740993]]}}", 1, 20, "-9007199254740993 2^53"},
    {"[123456789012345678901234567890]", 1, 2, "123456789012345678901234567890 2^53"},
    {"[1e999]", 1, 2, "1e999 1.8e308"},
    {"[\"abc", 1, 2, "closing quote"},
    {"[\"a \\\" quote\", \"and a text that is long enough", 1, 16, "closing quote"},
    {"[\"a\nb\"]", 1, 4, "closing quote line"},
    {"[\"a\r\nb\"]", 1, 4, "closing quote line"},
    {"[\"a\\qb\"]", 1, 5, "escape"},
    {"[\"a\\ud800x\"]", 1, 2, "\\u pair"},
    {"[\"a text of more than 20 letters \\ud800x\"]", 1, 2, "\\u pair"},
    {"[\"\\u0000\"]", 1, 2, "zero"},
    {"{\"\\u0000\":1}", 1, 2, "zero"},
    {"[\"a\tb\"]", 1, 4, "control 0x09 \\u0009"},
    {"{\"a\":", 1, 6, "ends value"},
    {"{\"a\":1,\n", 2, 1, "ends key"},
    {"{", 1, 2, "ends key or }"},
    {"[1", 1, 3, "ends comma or ]"},
    {"[ ", 1, 3, "ends value or ]"},
    {"[1,", 1, 4, "ends value"},
    {"nul", 1, 1, "found nul"},
};

static void test_what_is_wrong_is_said(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refusals); ++i) {
        const refusal *r = &refusals[i];
        size_t length = strlen(r->text);
        char *exact = malloc(length ? length : 1), message[300] = "",
             tiny[4]; /* exact, for the sanitizer: no zero at the end */
        sn_place place = {77, 77};
        sn_document document;
        assert_non_null(exact);
        memcpy(exact, r->text, length);
        sn_document_init(&document, NULL);
        assert_false(sn_json_read(&document, exact, length, &place, message, sizeof message));
        assert_says(message, r->words);
        if (place.line != r->line || place.column != r->column)
            fail_msg("%s: %u:%u, not %u:%u: %s", r->text, (unsigned)place.line, (unsigned)place.column,
                     (unsigned)r->line, (unsigned)r->column, message);
        assert_null(document.root);
        assert_false(document.failed);
        assert_int_equal(document.arena.bytes, 0);
        assert_false(sn_json_read(&document, exact, length, NULL, tiny, sizeof tiny));
        free(exact);
    }
}

static void test_zero_bytes_are_refused(void **state)
{
    (void)state;
    sn_document document;
    char message[300];
    sn_place place;
    sn_document_init(&document, NULL);
    assert_false(sn_json_read(&document, "[1,\0 2]", 7, &place, message, sizeof message));
    assert_says(message, "zero byte");
    assert_int_equal(place.column, 4);
    assert_false(sn_json_read(&document, "[1]\0", 4, &place, message, sizeof message));
}

static void test_a_document_that_is_not_empty_is_refused(void **state)
{
    (void)state;
    sn_document document;
    char message[300];
    read_ok(&document, "[1, 2, 3]");
    assert_false(sn_json_read(&document, "[]", 2, NULL, message, sizeof message));
    assert_says(message, "not empty");
    assert_int_equal(document.root->count, 3); /* and stays as it is */
    sn_document_release(&document);
}

static void test_depth(void **state)
{
    (void)state;
    const int depths[] = {SN_DOCUMENT_DEPTH, SN_DOCUMENT_DEPTH + 1, 2048, 3000, 100000};
    for (size_t i = 0; i < COUNT_OF(depths); ++i) {
        for (int number = 0; number < 2; ++number) { /* with and without a number in the middle */
            size_t depth = (size_t)depths[i], length = 2 * depth + (size_t)number;
            char *text = malloc(length), message[300] = "";
            assert_non_null(text);
            memset(text, '[', depth);
            memset(text + depth, '1', (size_t)number);
            memset(text + depth + number, ']', depth);
            sn_document document;
            sn_place place;
            sn_document_init(&document, NULL);
            bool read = sn_json_read(&document, text, length, &place, message, sizeof message);
            assert_int_equal(read, depths[i] <= SN_DOCUMENT_DEPTH);
            if (!read) {
                assert_says(message, "256 deep");
                assert_true(place.line == 1 && place.column > SN_DOCUMENT_DEPTH);
            }
            sn_document_release(&document);
            free(text);
        }
    }
}

static void test_reading_without_memory(void **state)
{
    (void)state;
    enum { LENGTH = 400000 };
    char *text = malloc(LENGTH), *at = text, message[300];
    assert_non_null(text);
    at += sprintf(at, "{\"numbers\": [0");
    for (int i = 0; i < 20000; ++i)
        at += sprintf(at, ", %d", i);
    at += sprintf(at, "], \"keys\": {\"x\": 0");
    for (int i = 0; i < 3000; ++i)
        at += sprintf(at, ", \"%d\": \"text\"", i);
    at += sprintf(at, "}, \"list\": [[]");
    for (int i = 0; i < 3000; ++i)
        at += sprintf(at, ", %s", i % 2 ? "true" : "{\"a\": null}");
    at += sprintf(at, "]}");
    size_t length = (size_t)(at - text);
    assert_true(length < LENGTH);
    bool read = false;
    uint64_t refused = 0;
    for (uint64_t fail_at = 1; !read; ++fail_at) {
        support_memory memory = {.fail_at = fail_at};
        sn_allocator allocator = support_allocator(&memory);
        sn_document document;
        sn_document_init(&document, &allocator);
        read = sn_json_read(&document, text, length, NULL, message, sizeof message);
        assert_int_equal(read, memory.failures == 0);
        if (!read) {
            assert_says(message, "out of memory");
            assert_null(document.root);
            ++refused;
        }
        sn_document_release(&document);
        assert_memory_clean(&memory);
    }
    assert_true(refused > 10);
    free(text);
}

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

static const char example[] = "{\n"
                              "  \"world\": {\"substeps\": 10, \"n\\u0061me\": \"x{[\\\"\"},\n"
                              "  \"\xc3\xa4\": [1, [2, \"\xc3\xa4\xc3\xa4\", {\"a b\": [ ]}]],\n"
                              "  \"objects\" : [\n"
                              "    {\"pins\": [0, 5]},\n"
                              "    {}\n"
                              "  ], \"t\\u00e4\\ud83e\\uddf5\": null, \"\": 3\n"
                              "}\n";

static void assert_place(const char *path, bool key, uint32_t line, uint32_t column)
{
    sn_place place = sn_json_locate(example, sizeof example - 1, path, key);
    if (place.line != line || place.column != column)
        fail_msg("%s: %u:%u, not %u:%u", path, (unsigned)place.line, (unsigned)place.column, (unsigned)line,
                 (unsigned)column);
}

static void test_values_are_located(void **state)
{
    (void)state;
    sn_document document;
    read_ok(&document, example); /* it is one */
    sn_document_release(&document);
    assert_place("", false, 1, 1);
    assert_place("world", false, 2, 12);
    assert_place("world", true, 2, 3);
    assert_place("world.substeps", false, 2, 25);
    assert_place("world.substeps", true, 2, 13);
    assert_place("world.name", false, 2, 42); /* written with an escape */
    assert_place("world.name", true, 2, 29);
    assert_place("\xc3\xa4[0]", false, 3, 9);
    assert_place("\xc3\xa4[1][1]", false, 3, 16);
    assert_place("\xc3\xa4[1][2]", false, 3, 22); /* columns are characters */
    assert_place("\xc3\xa4[1][2][\"a b\"]", false, 3, 30);
    assert_place("\xc3\xa4[1][2][\"a b\"]", true, 3, 23);
    assert_place("objects", false, 4, 15);
    assert_place("objects[0].pins[1]", false, 5, 18);
    assert_place("objects[0].pins[1]", true, 5, 18); /* an item has no key */
    assert_place("objects[1]", false, 6, 5);
    assert_place("t\xc3\xa4\xf0\x9f\xa7\xb5", false, 7, 29);
    assert_place("[\"\"]", false, 7, 39);
}

static void test_what_is_not_there_is_located_nearby(void **state)
{
    (void)state;
    assert_place("wrold", false, 1, 1);
    assert_place("world.iterations", false, 2, 12);
    assert_place("world.iterations", true, 2, 12);
    assert_place("world.substeps.x", false, 2, 25);
    assert_place("world[3]", false, 2, 12);
    assert_place("objects[2]", false, 4, 15);
    assert_place("objects[1].x.y.z", false, 6, 5);
    assert_place("objects.x", false, 4, 15);
    assert_place("\xc3\xa4[1][2][\"a b\"][0]", false, 3, 30);
    assert_place("objects[0].\xe2\x80\xa6", false, 5, 5); /* a path that was cut */
    assert_place("objects[", false, 4, 15);
}

/* On texts that are not JSON, of which every byte may be the last, any answer will do. */
static void test_locating_is_safe_on_anything(void **state)
{
    (void)state;
    const char *paths[] = {"", "world.name", "\xc3\xa4[1][2]", "objects[0].pins[1]", "[\"\"]", "[7]"};
    for (size_t length = 0; length < sizeof example; ++length) {
        char *text = malloc(length ? length : 1);
        assert_non_null(text);
        memcpy(text, example, length);
        for (size_t i = 0; i < 2 * COUNT_OF(paths); ++i) {
            sn_place place = sn_json_locate(text, length, paths[i / 2], i % 2);
            assert_int_equal(place.line == 0, place.column == 0);
            assert_true(place.line <= 9 && place.column <= 60);
        }
        free(text);
    }
    uint64_t seed = 4;
    for (int round = 0; round < 20000; ++round) {
        char text[24];
        for (size_t i = 0; i < sizeof text; ++i)
            text[i] = "{}[]\":,\\a\0u0 \xc3\n"[support_random_below(&seed, 15)];
        sn_json_locate(text, sizeof text, "a[0][1].a", round % 2);
        sn_json_locate(text, sizeof text, "[1].a", round % 2);
    }
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static void assert_number(double number, const char *expected)
{
    char text[SN_NUMBER_SIZE];
    assert_int_equal(sn_json_number(number, text), strlen(expected));
    assert_string_equal(text, expected);
}

static void test_numbers_are_short(void **state)
{
    (void)state;
    assert_number(0, "0");
    assert_number(-0.0, "-0.0");
    assert_number(-12, "-12");
    assert_number(9007199254740991.0, "9007199254740991");
    assert_number(0.1, "0.1");
    assert_number(-2.5, "-2.5");
    assert_number(1e20, "1e20");
    assert_number(-1.5e-9, "-1.5e-9");
    assert_number(0.00001, "0.00001");
    assert_number(0.000001, "1e-6");
    assert_number(1e300, "1e300"); /* beyond float: still not lost */
    assert_number(1e-300, "1e-300");
    assert_number(99999.95, "99999.95");
    assert_number((double)NAN, "null");
    assert_number((double)-INFINITY, "null");
#if SINEW_DOUBLE
    assert_number(1.0 / 3, "0.3333333333333333");
    assert_number(0.1 + 0.2, "0.30000000000000004");
    assert_number(9007199254740992.0, "9.007199254740992e15");
    assert_number(1234567.890625, "1234567.890625");
#else
    assert_number(1.0 / 3, "0.33333334");
    assert_number(0.1 + 0.2, "0.3");
    assert_number((double)FLT_MAX, "3.4028234663852886e38"); /* 3.4028235e38 is beyond it */
    assert_number(3.4028234e38, "3.4028234e38");             /* and so is what it is rounded to */
    assert_number((double)FLT_MIN, "1.1754944e-38");
    assert_number(8388607.5, "8388607.5");
    assert_number(16777217, "16777217"); /* whole numbers are exact, though no float is */
#endif
}

/* Every number comes back as the same sn_real, with no more digits than that takes. */
static void test_numbers_come_back(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 200000; ++i) {
        uint64_t bits = support_random(&seed);
        double number;
        sn_real given;
        if (i % 2)
            given = (sn_real)support_random_in(&seed, -10, 10);
        else
            memcpy(&given, &bits, sizeof given);
        number = (double)given;
        if (!isfinite(number))
            continue;
        char text[SN_NUMBER_SIZE];
        size_t length = sn_json_number(number, text), digits = 0;
        assert_int_equal(length, strlen(text));
        double back = strtod(text, NULL);
        sn_real taken = (sn_real)back;
        if (memcmp(&taken, &given, sizeof given) != 0)
            fail_msg("%.17g became %s", number, text);
        for (const char *c = text; *c && *c != 'e'; ++c)
            digits += *c >= '0' && *c <= '9' && (digits || *c != '0');
        assert_true(digits <= (sizeof(sn_real) == 4 ? 9 : 17) || number == floor(number) ||
                    fabs(number) < (double)FLT_MIN); /* which has 17 in either build */
    }
}

static void test_numbers_do_not_follow_the_locale(void **state)
{
    (void)state;
    const char *locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    for (size_t i = 0; i < COUNT_OF(locales); ++i) {
        if (!setlocale(LC_NUMERIC, locales[i]))
            continue;
        assert_number(1.5e-9, "1.5e-9");
        assert_number(2.5, "2.5");
        sn_document document;
        read_ok(&document, "[2.5, 1.5]");
        assert_true(document.root->numbers[0] == 2.5);
        sn_document_release(&document);
    }
    setlocale(LC_NUMERIC, "C");
}

static void test_lines(void **state)
{
    (void)state;
    assert_written("null", "null\n", true);
    assert_written("{ \"a\":1,\"b\" : [ 1,2.5,\"x\" ],\"c\":{},\"d\":[ ] ,\"e\":[true,false,null]}",
                   "{\"a\": 1, \"b\": [1, 2.5, \"x\"], \"c\": {}, \"d\": [], \"e\": [true, false, null]}\n", true);
    assert_written("[\"a\\\"\\\\\\n\\u0001\xc3\xa4\"]", "[\"a\\\"\\\\\\n\\u0001\xc3\xa4\"]\n", true);
    char *text = write_text(NULL, true);
    assert_string_equal(text, "null\n");
    free(text);
}

static void test_layout(void **state)
{
    (void)state;
    assert_written("[1, 2]", "[1, 2]\n", false);
    assert_written("{\"title\": \"a scene with a title that is rather long, so that it cannot be on one line\","
                   " \"world\": {\"substeps\": 10, \"gravity\": [0, -9.81, 0]},"
                   " \"objects\": [{\"kind\": \"rope\", \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"count\": 20},"
                   " {\"kind\": \"rope\", \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"count\": 20}],"
                   " \"empty\": [], \"nothing\": {}}",
                   "{\n"
                   "  \"title\": \"a scene with a title that is rather long, so that it cannot be on one line\",\n"
                   "  \"world\": {\"substeps\": 10, \"gravity\": [0, -9.81, 0]},\n"
                   "  \"objects\": [\n"
                   "    {\"kind\": \"rope\", \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"count\": 20},\n"
                   "    {\"kind\": \"rope\", \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"count\": 20}\n"
                   "  ],\n"
                   "  \"empty\": [],\n"
                   "  \"nothing\": {}\n"
                   "}\n",
                   false);
}

static void test_many_numbers_fill_lines(void **state)
{
    (void)state;
    sn_document document;
    double *numbers;
    sn_document_init(&document, NULL);
    sn_value *root = sn_document_record(&document, NULL, NULL);
    sn_document_numbers(&document, root, "numbers", 1000, NULL, &numbers);
    for (int i = 0; i < 1000; ++i)
        numbers[i] = i * 0.25;
    char *text = write_text(document.root, false);
    size_t lines = 0, longest = 0;
    for (const char *at = text; *at; at += strcspn(at, "\n") + 1, ++lines)
        longest = strcspn(at, "\n") > longest ? strcspn(at, "\n") : longest;
    assert_true(longest <= 100 && longest > 90);
    assert_true(lines > 60 && lines < 90);
    sn_document back;
    read_ok(&back, text);
    assert_memory_equal(sn_value_find(back.root, "numbers")->numbers, numbers, 1000 * sizeof *numbers);
    free(text);
    sn_document_release(&back);
    sn_document_release(&document);
}

/* The writer makes valid JSON of anything that a builder may put into a document. */
static void test_bytes_that_are_no_text(void **state)
{
    (void)state;
    sn_document document, back;
    sn_document_init(&document, NULL);
    sn_value *root = sn_document_record(&document, NULL, NULL);
    sn_document_text(&document, root, "\xff key", "caf\xe9");
    sn_document_number(&document, root, "nan", (double)NAN);
    char *text = write_text(document.root, false);
    read_ok(&back, text);
    assert_string_equal(sn_value_find(back.root, "\xef\xbf\xbd key")->text, "caf\xef\xbf\xbd");
    assert_int_equal(sn_value_find(back.root, "nan")->type, SN_VALUE_NULL);
    free(text);
    sn_document_release(&back);
    sn_document_release(&document);
}

static void test_a_full_disk_is_noticed(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    sn_document document;
    sn_document_init(&document, NULL);
    sn_document_numbers(&document, NULL, NULL, 1000000, NULL, NULL);
    assert_false(sn_json_write(full, document.root));
    fclose(full);
    full = fopen("/dev/full", "w");
    assert_false(sn_json_write_line(full, NULL)); /* a few bytes, which fail when they are flushed */
    fclose(full);
    sn_document_release(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_types_are_read),
        cmocka_unit_test(test_a_byte_order_mark_is_skipped),
        cmocka_unit_test(test_integers_up_to_2_to_the_53),
        cmocka_unit_test(test_what_is_wrong_is_said),
        cmocka_unit_test(test_zero_bytes_are_refused),
        cmocka_unit_test(test_a_document_that_is_not_empty_is_refused),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_reading_without_memory),
        cmocka_unit_test(test_values_are_located),
        cmocka_unit_test(test_what_is_not_there_is_located_nearby),
        cmocka_unit_test(test_locating_is_safe_on_anything),
        cmocka_unit_test(test_numbers_are_short),
        cmocka_unit_test(test_numbers_come_back),
        cmocka_unit_test(test_numbers_do_not_follow_the_locale),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_many_numbers_fill_lines),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_a_full_disk_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
