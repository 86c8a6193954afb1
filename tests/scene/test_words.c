/* Characters, paths and names. */
#include "support/support.h"

#include "scene/words.h"

/* ---- Characters -------------------------------------------------------------------------------------------------- */

static void test_what_is_utf8(void **state)
{
    (void)state;
    const struct {
        const char *bytes;
        size_t length, expected;
    } cases[] = {
        {"a", 1, 1},
        {"", 0, 0},
        {"\0", 1, 1},
        {"\x7f", 1, 1},
        {"\xc3\xa4", 2, 2},
        {"\xe2\x80\xa6", 3, 3},
        {"\xf0\x9f\xa7\xb5", 4, 4},
        {"\xf4\x8f\xbf\xbf", 4, 4},
        {"\xed\x9f\xbf", 3, 3},
        {"\xc3", 1, 0},             /* cut short */
        {"\xf0\x9f\xa7", 3, 0},     /* cut short */
        {"\x80", 1, 0},             /* no beginning */
        {"\xc3\x41", 2, 0},         /* no continuation */
        {"\xc0\xaf", 2, 0},         /* '/' in two bytes */
        {"\xe0\x80\xaf", 3, 0},     /* in three */
        {"\xf0\x80\x80\xaf", 4, 0}, /* in four */
        {"\xed\xa0\x80", 3, 0},     /* half of a pair */
        {"\xf4\x90\x80\x80", 4, 0}, /* beyond the last */
        {"\xff", 1, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i)
        assert_int_equal(sn_utf8_length(cases[i].bytes, cases[i].length), cases[i].expected);
}

static void test_cut_leaves_whole_characters(void **state)
{
    (void)state;
    const char *text = "a\xc3\xa4\xe2\x80\xa6\xf0\x9f\xa7\xb5";
    const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
    for (size_t i = 0; i < COUNT_OF(expected); ++i)
        assert_int_equal(sn_utf8_cut(text, i), expected[i]);
}

static void escape_all(const char *text, size_t length, char *written)
{
    while (length) {
        char piece[SN_ESCAPE_SIZE];
        size_t count = sn_escape(&text, &length, piece);
        memcpy(written, piece, count);
        written += count;
    }
    *written = 0;
}

static void test_escapes(void **state)
{
    (void)state;
    char written[100];
    escape_all("a\"b\\c\n\r\t\b\f\x01\x1f\x7f/\xc3\xa4", 16, written);
    assert_string_equal(written, "a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001\\u001f\\u007f/\xc3\xa4");
    escape_all("x\xffy\0z", 5, written);
    assert_string_equal(written, "x\xef\xbf\xbdy\\u0000z");
}

static bool unescape_all(const char *text, char *out)
{
    const char *end = text + strlen(text);
    while (text < end) {
        size_t count = sn_unescape(&text, end, out);
        if (count == 0)
            return false;
        out += count;
    }
    *out = 0;
    return true;
}

static void test_unescapes(void **state)
{
    (void)state;
    char out[100];
    assert_true(unescape_all("\\u0061\\n\\/\\\\\\\"\xc3\xa4\\u00E4\\u20ac\\ud83e\\uddf5", out));
    assert_string_equal(out, "a\n/\\\"\xc3\xa4\xc3\xa4\xe2\x82\xac\xf0\x9f\xa7\xb5");
    const char *wrong[] = {"\\",      "\\x",  "\\u12",    "\\u12g4", "\\ud83e", "\\udc00", "\\ud83e\\u0041",
                           "\\u0000", "\xff", "\\ud83e\\"};
    for (size_t i = 0; i < COUNT_OF(wrong); ++i)
        assert_false(unescape_all(wrong[i], out));
}

/* ---- Paths ------------------------------------------------------------------------------------------------------- */

static void test_paths_are_built(void **state)
{
    (void)state;
    char path[100] = "";
    sn_path_key(path, sizeof path, "objects");
    sn_path_item(path, sizeof path, 2);
    sn_path_key(path, sizeof path, "raw silk");
    sn_path_key(path, sizeof path, "bend-2");
    sn_path_key(path, sizeof path, "");
    sn_path_key(path, sizeof path, "a\"b\n");
    sn_path_item(path, sizeof path, UINT32_MAX);
    assert_string_equal(path, "objects[2][\"raw silk\"].bend-2[\"\"][\"a\\\"b\\n\"][4294967295]");
}

static void test_paths_come_apart_again(void **state)
{
    (void)state;
    const char *keys[] = {"objects", "raw silk", "", "a.b[0]", "quote\"\\", "\n\x01", "\xc3\xa4", "2d", "_x-y", "]"};
    for (size_t i = 0; i < COUNT_OF(keys); ++i) {
        char path[200] = "";
        const char *at = path;
        sn_path_step step;
        sn_path_key(path, sizeof path, keys[i]);
        sn_path_item(path, sizeof path, (uint32_t)i);
        sn_path_key(path, sizeof path, keys[i]);
        assert_true(sn_path_next(&at, true, &step));
        assert_false(step.item);
        assert_string_equal(step.key, keys[i]);
        assert_true(sn_path_next(&at, false, &step));
        assert_true(step.item);
        assert_int_equal(step.index, i);
        assert_true(sn_path_next(&at, false, &step));
        assert_string_equal(step.key, keys[i]);
        assert_string_equal(at, "");
        assert_false(sn_path_next(&at, false, &step));
    }
}

static void test_wrong_paths_are_refused(void **state)
{
    (void)state;
    const char *wrong[] = {
        "",    ".a",   "[",      "[]",       "[x]",   "[-1]", "[1",    "[4294967296]", "[99999999999999999999999]",
        "[\"", "[\"a", "[\"a\"", "[\"a\"x]", "[\"\\", "]",    "\"a\"", "[ 1]",         "[\"\\q\"]"};
    for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
        const char *at = wrong[i];
        sn_path_step step;
        assert_false(sn_path_next(&at, true, &step));
        assert_ptr_equal(at, wrong[i]);
    }
    const char *at = "a";
    sn_path_step step;
    assert_false(sn_path_next(&at, false, &step)); /* a dot is missing */
    char long_key[SN_PATH_KEY_SIZE + 1];
    memset(long_key, 'k', sizeof long_key);
    long_key[SN_PATH_KEY_SIZE] = 0;
    at = long_key;
    assert_false(sn_path_next(&at, true, &step));
    at = long_key + 1;
    assert_true(sn_path_next(&at, true, &step));
}

/* Whatever the room, a path that is cut ends with "…", is valid UTF-8, and stays within its bounds. */
static void test_paths_without_room_are_cut(void **state)
{
    (void)state;
    for (size_t size = 0; size < 80; ++size) {
        char *path = malloc(size + 1); /* exact, for the sanitizer */
        assert_non_null(path);
        path[0] = 0;
        path[size] = '#'; /* of a path of no bytes the only one */
        for (uint32_t i = 0; i < 5; ++i) {
            sn_path_key(path, size, "k\xc3\xa4\xf0\x9f\xa7\xb5y");
            sn_path_key(path, size, "raw \xe2\x80\xa6");
            sn_path_item(path, size, 1234567890);
        }
        assert_int_equal(path[size], '#');
        size_t length = size ? strlen(path) : 0;
        assert_true(size == 0 || length < size);
        if (size > 3) {
            assert_true(length + 16 > size);
            assert_memory_equal(path + length - 3, "\xe2\x80\xa6", 3);
        }
        for (size_t i = 0; i < length;) {
            size_t count = sn_utf8_length(path + i, length - i);
            assert_true(count > 0);
            i += count;
        }
        free(path);
    }
}

static void test_a_key_may_end_with_an_ellipsis(void **state)
{
    (void)state;
    char path[100] = "";
    sn_path_key(path, sizeof path, "more\xe2\x80\xa6");
    sn_path_item(path, sizeof path, 1);
    assert_string_equal(path, "more\xe2\x80\xa6[1]");
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static const char *near(const char *typed)
{
    static const char *const names[] = {"substeps", "iterations", "rest_length", "gravity", "x", "to", "pins", "pens"};
    return sn_nearest(typed, names, COUNT_OF(names));
}

static void test_near_names_are_found(void **state)
{
    (void)state;
    assert_string_equal(near("substep"), "substeps");
    assert_string_equal(near("susbteps"), "substeps"); /* a swap is one step */
    assert_string_equal(near("Iterations"), "iterations");
    assert_string_equal(near("rest-length"), "rest_length");
    assert_string_equal(near("restlength"), "rest_length");
    assert_string_equal(near("pons"), "pins"); /* the first of equals */
    assert_string_equal(near("pens"), "pens");
    assert_string_equal(near("ot"), "to");
    assert_string_equal(near("X"), "x");
    assert_string_equal(near("rest"), "rest_length"); /* it begins so */
    assert_string_equal(near("Rest-"), "rest_length");
    assert_string_equal(near("sub"), "substeps");
}

static void test_far_names_are_not(void **state)
{
    (void)state;
    const char *typed[] = {"", "y", "ab", "friction", "substitutes", "grvt", "itr", "it", "ra", "xyz"};
    for (size_t i = 0; i < COUNT_OF(typed); ++i)
        assert_null(near(typed[i]));
    assert_null(sn_nearest("x", NULL, 0));
    char endless[1000];
    memset(endless, 'e', sizeof endless);
    endless[999] = 0;
    assert_null(near(endless));
    const char *const names[] = {endless};
    assert_null(sn_nearest("e", names, 1));
}

static void test_distances(void **state)
{
    (void)state;
    assert_int_equal(sn_word_distance("gravity", "gravity"), 0);
    assert_int_equal(sn_word_distance("gravty", "gravity"), 1);
    assert_int_equal(sn_word_distance("garvty", "gravity"), 2);
    assert_int_equal(sn_word_distance("iteraitonss", "iterations"), 2);
    assert_int_equal(sn_word_distance("garvty", "gravitas"), SN_FAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_utf8),
        cmocka_unit_test(test_cut_leaves_whole_characters),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_unescapes),
        cmocka_unit_test(test_paths_are_built),
        cmocka_unit_test(test_paths_come_apart_again),
        cmocka_unit_test(test_wrong_paths_are_refused),
        cmocka_unit_test(test_paths_without_room_are_cut),
        cmocka_unit_test(test_a_key_may_end_with_an_ellipsis),
        cmocka_unit_test(test_near_names_are_found),
        cmocka_unit_test(test_far_names_are_not),
        cmocka_unit_test(test_distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
