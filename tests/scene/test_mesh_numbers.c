/* Numbers as meshes write them: rounded correctly, whatever the locale, however long. */
#include "support/support.h"
#include "scene/mesh_read.h"

#include <locale.h>
#include <math.h>

static const char *parse(const char *text, sn_real *value)
{
    size_t length = strlen(text);
    char *block = malloc(length + 1); /* no zero behind it that could stop a careless reader */
    assert_non_null(block);
    memcpy(block, text, length);
    block[length] = '7';
    sn_word word = {block, length, 1};
    const char *problem = sn_word_real(&word, value);
    free(block);
    return problem;
}

static sn_real reference(const char *text)
{
#if SINEW_DOUBLE
    return strtod(text, NULL);
#else
    return strtof(text, NULL);
#endif
}

static void assert_like_c_library(const char *text)
{
    sn_real value = -1, expected = reference(text);
    const char *problem = parse(text, &value);
    if (problem)
        fail_msg("%s %s", text, problem);
    if (memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%s was read as %.17g, not %.17g", text, (double)value, (double)expected);
}

static void test_good_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+0.0",
        "1",
        "-1",
        "+1",
        "1.",
        ".5",
        "-.5",
        "0.1",
        "1e0",
        "1E+2",
        "1e-2",
        "123456789",
        "16777217",
        "0.30000001192092896",
        "3.14159265358979323846264338327950288",
        "1e22",
        "1e23",
        "9007199254740993",
        "0.000000000000000000000000000000000001e30",
        "100000000000000000000000000e-30",
        "1e-30",
        "1e30",
        "1e-44",
        "1e-46",
        "1e-400",
        "1.17549429e-38",
        "3.4028235e38",
        "3.40282356e38",
        "0e999999999999999999999999",
        "0.00000000000000000000000000000000",
        "00000000000000000000000000000000001.5",
        "1e-99999999999999999999",
        /* exactly between two floats, and a little beside */
        "1.000000059604644775390625",
        "1.00000005960464477539062499999999999999999999999999",
        "1.00000005960464477539062500000000000000000000000001",
        "16777217.0000000000000000000000000000000001",
        "16777216.9999999999999999999999999999999999",
        "0.5000000298023224",
        "16777219",
        /* between two doubles */
        "9007199254740993.0000000000000000000000000000000000001",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "5e-324",
        "2.4703282292062327208e-324",
        "2.2250738585072011e-308",
    };
    for (size_t i = 0; i < COUNT_OF(texts); ++i)
        assert_like_c_library(texts[i]);
}

static void test_random_numbers(void **state)
{
    (void)state;
    uint64_t seed = 4;
    char text[128];
    for (int i = 0; i < 200000; ++i) {
        uint64_t bits = support_random(&seed);
        float single;
        double number;
        uint32_t low = (uint32_t)bits;
        memcpy(&single, &low, sizeof single);
        memcpy(&number, &bits, sizeof number);
        if (!isfinite(single) || !isfinite(number))
            continue;
        switch (i % 5) {
        case 0:
            snprintf(text, sizeof text, "%.*g", 1 + (int)(bits >> 32) % 3 * 4, (double)single);
            break;
        case 1:
            snprintf(text, sizeof text, "%.9f", support_random_in(&seed, -1000, 1000));
            break;
        case 2:
            snprintf(text, sizeof text, "%.60g", ((double)single + (double)nextafterf(single, 9)) / 2);
            break;
        case 3:
            snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)bits,
                     (unsigned long long)support_random(&seed), (int)support_random_below(&seed, 30) - 30);
            break;
        default:
            if (sizeof(sn_real) == 8)
                snprintf(text, sizeof text, "%.17g", number);
            else
                snprintf(text, sizeof text, "%.6f", (double)single * 1e-20);
        }
        if (isfinite(reference(text)))
            assert_like_c_library(text);
    }
}

/* Thousands of digits, of which the last decides. */
static void test_long_numbers(void **state)
{
    (void)state;
    size_t zeros = 5000;
    char *text = malloc(zeros + 64);
    assert_non_null(text);
    for (int last = 0; last <= 1; ++last) {
        size_t length = (size_t)sprintf(text, "1.000000059604644775390625"); /* 1 + 2^-24 */
        memset(text + length, '0', zeros);
        sprintf(text + length + zeros, "%d", last);
        sn_real value;
        assert_null(parse(text, &value));
        if (sizeof value == 4)
            assert_true(value == (last ? 1 + (sn_real)FLT_EPSILON : 1));
        assert_like_c_library(text);
    }
    memset(text, '0', zeros);
    strcpy(text + zeros, "25e-1");
    assert_like_c_library(text);
    text[0] = '1';
    sn_real value;
    support_assert_says(parse(text, &value), "beyond", text, __FILE__, __LINE__);
    sprintf(text + zeros, "e-%d", (int)zeros - 1);
    assert_null(parse(text, &value));
    assert_true(value == 1);
    free(text);
}

static void test_bad_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "not a number"},
        {".", "not a number"},
        {"-", "not a number"},
        {"+-1", "not a number"},
        {"e5", "not a number"},
        {"1e", "not a number"},
        {"1e+", "not a number"},
        {"1e5.", "not a number"},
        {"1.2.3", "not a number"},
        {"0x10", "not a number"},
        {"1,5", "not a number"},
        {"1f", "not a number"},
        {"abc", "not a number"},
        {"1e5x", "not a number"},
        {"--1", "not a number"},
        {"nan", "not finite"},
        {"-NaN", "not finite"},
        {"inf", "not finite"},
        {"+Infinity", "not finite"},
        {"1.#QNAN", "not finite"},
        {"-1.#IND", "not finite"},
        {"1e400", "beyond the range"},
        {"-1e999999999999999999999", "beyond the range"},
        {"1e99999", "beyond"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        sn_real value;
        const char *problem = parse(cases[i].text, &value);
        if (!problem)
            fail_msg("%s was read", cases[i].text);
        support_assert_says(problem, cases[i].words, cases[i].text, __FILE__, __LINE__);
    }
#if !SINEW_DOUBLE
    sn_real value;
    assert_string_equal(parse("3.4028236e38", &value), "is beyond the range of a float");
    assert_string_equal(sn_real_from(3.4028236e38, &value), "is beyond the range of a float");
    assert_null(sn_real_from(3.4028235e38, &value));
    assert_true(value == FLT_MAX);
#endif
}

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
        const char *words;
    } cases[] = {
        {"0", 0, NULL},
        {"-7", -7, NULL},
        {"+7", 7, NULL},
        {"007", 7, NULL},
        {"4294967296", 4294967296, NULL},
        {"", 0, "whole number"},
        {"-", 0, "whole number"},
        {"1.0", 0, "whole number"},
        {"1e3", 0, "whole number"},
        {"99999999999999999999", 0, "large"},
        {"-99999999999999999999", 0, "large"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        int64_t value = 1234;
        sn_word word = {cases[i].text, strlen(cases[i].text), 1};
        const char *problem = sn_word_integer(&word, &value);
        if (cases[i].words) {
            assert_non_null(problem);
            support_assert_says(problem, cases[i].words, cases[i].text, __FILE__, __LINE__);
        } else {
            assert_null(problem);
            assert_true(value == cases[i].value);
        }
    }
}

/* A German point is a comma. Where no such locale is installed there is nothing to see. */
static void test_numbers_in_another_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8", ""};
    bool comma = false;
    for (size_t i = 0; i < COUNT_OF(names) && !comma; ++i)
        comma = setlocale(LC_ALL, names[i]) && localeconv()->decimal_point[0] == ',';
    if (!comma)
        print_message("no locale with a decimal comma is installed\n");
    sn_real half = 0, tiny = 0;
    const char *problem_half = parse("0.5", &half), *problem_tiny = parse("1.2345678901234567890123e-30", &tiny);
    setlocale(LC_ALL, "C");
    assert_null(problem_half);
    assert_null(problem_tiny);
    assert_true(half == real(0.5));
    assert_true(tiny == reference("1.2345678901234567890123e-30"));
}

static void test_quotes_are_short_and_printable(void **state)
{
    (void)state;
    char long_word[200], quote[SN_QUOTE_SIZE];
    memset(long_word, 'w', sizeof long_word);
    sn_word word = {long_word, sizeof long_word, 1};
    assert_true(strlen(sn_word_quote(&word, quote)) < SN_QUOTE_SIZE);
    assert_says(quote, "www...\"");
    sn_word odd = {"a\x1b\xff\0b", 5, 1};
    assert_string_equal(sn_word_quote(&odd, quote), "\"a???b\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_numbers),
        cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_long_numbers),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_numbers_in_another_locale),
        cmocka_unit_test(test_quotes_are_short_and_printable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
