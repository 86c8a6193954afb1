/* The web package's way to a document: events of a parser in JavaScript. What that says of texts is tested in
   web/tests/json.test.mjs; this is about events that are well made, and such that are not: none may crash. The reader
   is compiled into this program, where it stands for the one with jansson. */
#include "support/support.h"

#include "web/glue/json_read.c"

/* ---- The parser, as the tests play it ---------------------------------------------------------------------------- */

static struct {
    char bytes[8192];
    size_t size;
    bool nothing;
} said;

void *web_json_events(const char *text, size_t length, size_t *size)
{
    (void)text;
    (void)length;
    if (said.nothing)
        return NULL;
    char *events = malloc(said.size ? said.size : 1); /* exact, for the sanitizer */
    assert_non_null(events);
    memcpy(events, said.bytes, said.size);
    *size = said.size;
    return events;
}

static void say(uint32_t type, uint32_t count, const void *data, size_t size)
{
    size_t padded = (size + 7) / 8 * 8;
    assert_true(said.size + 8 + padded <= sizeof said.bytes);
    memcpy(said.bytes + said.size, &type, 4);
    memcpy(said.bytes + said.size + 4, &count, 4);
    memset(said.bytes + said.size + 8, 0, padded);
    if (size)
        memcpy(said.bytes + said.size + 8, data, size);
    said.size += 8 + padded;
}

static void say_text(event_type type, const char *text)
{
    say(type, (uint32_t)strlen(text), text, strlen(text) + 1);
}

static void say_numbers(event_type type, uint32_t count, const double *numbers)
{
    say(type, count, numbers, count * sizeof *numbers);
}

static void say_wrong(uint32_t what, uint32_t start, uint32_t end)
{
    const uint32_t place[] = {start, end};
    say(EVENT_WRONG, what, place, sizeof place);
}

/* {"n": null, "t": true, "s": "ä", "p": [1, 2.5], "m": [3, {}], "e": []} */
static void say_everything(void)
{
    const double numbers[] = {1, 2.5, 3};
    said.size = 0;
    say(EVENT_RECORD, 0, NULL, 0);
    say_text(EVENT_KEY, "n");
    say(EVENT_NULL, 0, NULL, 0);
    say_text(EVENT_KEY, "t");
    say(EVENT_TRUTH, 1, NULL, 0);
    say_text(EVENT_KEY, "s");
    say_text(EVENT_TEXT, "\xc3\xa4");
    say_text(EVENT_KEY, "p");
    say_numbers(EVENT_NUMBERS, 2, numbers);
    say_text(EVENT_KEY, "a key of some length");
    say(EVENT_LIST, 0, NULL, 0);
    say_numbers(EVENT_NUMBER, 1, numbers + 2);
    say(EVENT_RECORD, 0, NULL, 0);
    say(EVENT_END, 0, NULL, 0);
    say(EVENT_END, 0, NULL, 0);
    say_text(EVENT_KEY, "e");
    say(EVENT_LIST, 0, NULL, 0);
    say(EVENT_END, 0, NULL, 0);
    say(EVENT_END, 0, NULL, 0);
}

static const char text[] = "{\n\"some\": \"text\"\n}";

static bool read_said(sn_document *document, sn_place *place, char message[300])
{
    message[0] = 0;
    sn_document_init(document, NULL);
    return sn_json_read(document, text, sizeof text - 1, place, message, 300);
}

static void assert_refused(const char *words, uint32_t line, uint32_t column)
{
    sn_document document;
    sn_place place = {77, 77};
    char message[300];
    assert_false(read_said(&document, &place, message));
    assert_says(message, words);
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
    assert_null(document.root);
    assert_false(document.failed);
    assert_int_equal(document.arena.bytes, 0);
    said.size = 0;
}

static void assert_nonsense(void)
{
    assert_refused("make no sense", 0, 0);
}

/* ---- Good ones --------------------------------------------------------------------------------------------------- */

static void test_events_become_a_document(void **state)
{
    (void)state;
    sn_document document;
    char message[300];
    say_everything();
    assert_true(read_said(&document, NULL, message));
    const sn_value *root = document.root, *packed = sn_value_find(root, "p");
    assert_int_equal(root->count, 6);
    assert_string_equal(root->first->key, "n");
    assert_string_equal(root->last->key, "e");
    assert_int_equal(sn_value_find(root, "n")->type, SN_VALUE_NULL);
    assert_true(sn_value_find(root, "t")->number == 1);
    assert_string_equal(sn_value_find(root, "s")->text, "\xc3\xa4");
    assert_int_equal(packed->count, 2);
    assert_true(packed->numbers[1] == 2.5);
    const sn_value *mixed = sn_value_find(root, "a key of some length");
    assert_null(mixed->numbers);
    assert_true(mixed->first->number == 3);
    assert_int_equal(mixed->last->type, SN_VALUE_RECORD);
    assert_int_equal(sn_value_find(root, "e")->type, SN_VALUE_LIST);
    assert_null(sn_value_find(root, "e")->numbers);
    sn_document_release(&document);
}

static void test_what_is_wrong_is_said_of_its_place(void **state)
{
    (void)state;
    static const struct {
        uint32_t what, start, end;
        const char *words;
        uint32_t line, column;
    } cases[] = {
        {EXPECTED_VALUE, 2, 8, "expected a value found a text", 2, 1},
        {EXPECTED_FIRST_VALUE, 18, 18, "ends value or ]", 3, 2},
        {EXPECTED_FIRST_KEY, 8, 9, "key in double quotes or } found :", 2, 7},
        {EXPECTED_KEY, 18, 18, "ends a key", 3, 2},
        {EXPECTED_COLON, 17, 18, "colon found }", 3, 1},
        {EXPECTED_COMMA_IN_RECORD, 10, 16, "comma or }", 2, 9},
        {EXPECTED_COMMA_IN_LIST, 10, 16, "comma or ]", 2, 9},
        {WRONG_REST, 17, 18, "end of the file found }", 3, 1},
        {WRONG_EMPTY, 0, 0, "empty", 0, 0},
        {WRONG_DEPTH, 1, 1, "256 deep", 1, 2},
        {WRONG_TWICE, 2, 8, "\"some\" already", 2, 1},
        {WRONG_INTEGER, 11, 15, "integer text 2^53", 2, 10},
        {WRONG_NUMBER, 11, 15, "number text 1.8e308", 2, 10},
        {WRONG_IN_QUOTES + SN_JSON_LINE_BREAK, 16, 16, "closing quote line", 2, 15},
        {WRONG_IN_QUOTES + SN_JSON_CONTROL, 1, 1, "control 0x0a", 1, 2},
        {WRONG_IN_QUOTES + SN_JSON_ESCAPE, 12, 12, "escape", 2, 11},
        {WRONG_IN_QUOTES + SN_JSON_HALF_PAIR, 10, 16, "half of a pair", 2, 9},
        {WRONG_IN_QUOTES + SN_JSON_ZERO, 10, 16, "zero", 2, 9},
        {WRONG_IN_QUOTES + SN_JSON_OPEN, 10, 10, "closing quote end of the file", 2, 9},
    };
    assert_int_equal(COUNT_OF(cases), FLAW_COUNT);
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        say_wrong(cases[i].what, cases[i].start, cases[i].end);
        assert_refused(cases[i].words, cases[i].line, cases[i].column);
    }
}

/* ---- Nonsense ---------------------------------------------------------------------------------------------------- */

static void test_values_where_none_may_be(void **state)
{
    (void)state;
    const double numbers[] = {1, 2};
    said.size = 0;
    assert_nonsense(); /* nothing at all */
    for (uint32_t type = 0; type < 20; ++type) {
        if (type >= EVENT_RECORD && type <= EVENT_WRONG && type != EVENT_END && type != EVENT_KEY)
            continue;
        say(type, 0, "", 1);
        assert_nonsense();
    }
    say(EVENT_NULL, 0, NULL, 0); /* two roots */
    say(EVENT_NULL, 0, NULL, 0);
    assert_nonsense();
    say(EVENT_LIST, 0, NULL, 0); /* no end */
    assert_nonsense();
    say(EVENT_LIST, 0, NULL, 0); /* two ends */
    say(EVENT_END, 0, NULL, 0);
    say(EVENT_END, 0, NULL, 0);
    assert_nonsense();
    say(EVENT_LIST, 0, NULL, 0); /* a key in a list */
    say_text(EVENT_KEY, "a");
    assert_nonsense();
    say(EVENT_RECORD, 0, NULL, 0); /* a value without a key, two keys, a key without a value */
    say(EVENT_NULL, 0, NULL, 0);
    assert_nonsense();
    say(EVENT_RECORD, 0, NULL, 0);
    say_text(EVENT_KEY, "a");
    say_text(EVENT_KEY, "b");
    assert_nonsense();
    say(EVENT_RECORD, 0, NULL, 0);
    say_text(EVENT_KEY, "a");
    say(EVENT_END, 0, NULL, 0);
    assert_nonsense();
    for (int large = 0; large < 2; ++large) { /* the same key twice, also among many */
        say(EVENT_RECORD, 0, NULL, 0);
        for (int i = 0; i < (large ? 100 : 1); ++i) {
            char key[16];
            snprintf(key, sizeof key, "%d", i);
            say_text(EVENT_KEY, key);
            say(EVENT_NULL, 0, NULL, 0);
        }
        say_text(EVENT_KEY, "0");
        say(EVENT_NULL, 0, NULL, 0);
        assert_nonsense();
    }
    say_numbers(EVENT_NUMBER, 2, numbers); /* counts */
    assert_nonsense();
    say_numbers(EVENT_NUMBERS, 0, numbers);
    assert_nonsense();
}

static void test_texts_and_counts_that_reach_too_far(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 7, 8, 9, 100, 0x20000000, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff};
    for (uint32_t type = EVENT_KEY; type <= EVENT_NUMBERS; ++type) {
        for (size_t i = 0; i < COUNT_OF(counts); ++i) {
            if (type == EVENT_KEY)
                say(EVENT_RECORD, 0, NULL, 0);
            say(type, counts[i], NULL, 0);
            assert_nonsense();
        }
    }
    say(EVENT_TEXT, 3, "abcd", 4); /* no zero where it should be, or one before */
    assert_nonsense();
    say(EVENT_TEXT, 7, "abcdefgh", 8);
    assert_nonsense();
    say(EVENT_TEXT, 3, "a\0c", 4);
    assert_nonsense();
    say_wrong(FLAW_COUNT, 0, 0);
    assert_nonsense();
    say_wrong(EXPECTED_VALUE, 3, 2);
    assert_nonsense();
    say_wrong(EXPECTED_VALUE, 0, sizeof text);
    assert_nonsense();
    say_wrong(WRONG_TWICE, 0xffffffff, 0xffffffff);
    assert_nonsense();
    say(EVENT_WRONG, 0, NULL, 0);
    assert_nonsense();
}

static void test_depth(void **state)
{
    (void)state;
    const double one = 1;
    for (uint32_t depth = SN_DOCUMENT_DEPTH - 1; depth <= SN_DOCUMENT_DEPTH + 1; ++depth) {
        for (int packed = 0; packed < 2; ++packed) {
            sn_document document;
            char message[300];
            said.size = 0;
            for (uint32_t i = 0; i < depth; ++i)
                say(EVENT_LIST, 0, NULL, 0);
            say_numbers(packed ? EVENT_NUMBERS : EVENT_NUMBER, 1, &one);
            for (uint32_t i = 0; i < depth; ++i)
                say(EVENT_END, 0, NULL, 0);
            bool read = read_said(&document, NULL, message);
            assert_int_equal(read, depth + (uint32_t)packed <= SN_DOCUMENT_DEPTH);
            if (!read)
                assert_says(message, "no sense");
            sn_document_release(&document);
        }
    }
}

/* Any bytes: an answer, and a document that can be walked if it is a good one. */
static void test_events_that_are_cut_or_changed(void **state)
{
    (void)state;
    uint64_t seed = 9;
    uint32_t good = 0;
    say_everything();
    size_t whole = said.size;
    for (int round = 0; round < 40000; ++round) {
        sn_document document;
        char message[300];
        say_everything();
        if (round < (int)whole) {
            said.size = (size_t)round;
        } else {
            for (uint32_t i = 0; i <= support_random_below(&seed, 3); ++i) {
                size_t at = support_random_below(&seed, (uint32_t)whole);
                said.bytes[at] = (char)support_random_below(&seed, round % 2 ? 256 : 12);
            }
        }
        bool read = read_said(&document, NULL, message);
        assert_int_equal(read, message[0] == 0);
        assert_int_equal(read, document.root != NULL);
        assert_true(read || round >= (int)whole || strstr(message, "make no sense"));
        good += read;
        sn_document_release(&document);
    }
    assert_true(good > 1000 && good < 35000);
}

static void test_without_memory(void **state)
{
    (void)state;
    bool read = false;
    uint64_t refused = 0;
    for (uint64_t fail_at = 1; !read; ++fail_at, refused += !read) {
        support_memory memory = {.fail_at = fail_at};
        sn_allocator allocator = support_allocator(&memory);
        sn_document document;
        char message[300] = "";
        say_everything();
        sn_document_init(&document, &allocator);
        read = sn_json_read(&document, text, sizeof text - 1, NULL, message, sizeof message);
        assert_int_equal(read, memory.failures == 0);
        if (!read)
            assert_says(message, "out of memory");
        sn_document_release(&document);
        assert_memory_clean(&memory);
    }
    assert_true(refused > 0);
    said.nothing = true;
    assert_refused("out of memory", 0, 0);
    said.nothing = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_become_a_document),
        cmocka_unit_test(test_what_is_wrong_is_said_of_its_place),
        cmocka_unit_test(test_values_where_none_may_be),
        cmocka_unit_test(test_texts_and_counts_that_reach_too_far),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_events_that_are_cut_or_changed),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
