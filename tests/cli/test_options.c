/* Sizes, times and what --help prints. The reading of options is tested by scripts/cli.sh, where getopt_long starts
   afresh each time. */
#include "support/support.h"
#include "cli/cli.h"
#include "cli/info.h"
#include "cli/job.h"

#include <string.h>

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"100000", 100000},
                {"1k", 1024},
                {"512M", UINT64_C(512) << 20},
                {"4G", UINT64_C(4) << 30},
                {"4GiB", UINT64_C(4) << 30},
                {"4gB", UINT64_C(4) << 30},
                {"2T", UINT64_C(2) << 40},
                {"12B", 12},
                {"18446744073709551615", UINT64_MAX}};
    static const char *const bad[] = {
        "", "M", "-1", "+1", " 1", "1.5G", "1X", "1GG", "1iB", "18446744073709551616", "16777216T"};
    uint64_t bytes;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        assert_true(sn_size_read(good[i].text, &bytes));
        assert_true(bytes == good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        if (sn_size_read(bad[i], &bytes))
            fail_msg("'%s' was taken for a size", bad[i]);
}

static void texts_for_people(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(sn_bytes_text(999, text, sizeof text), "999 bytes");
    assert_string_equal(sn_bytes_text(1500, text, sizeof text), "1.5 kB");
    assert_string_equal(sn_bytes_text(999999, text, sizeof text), "1 MB");
    assert_string_equal(sn_time_text(0, text, sizeof text), "0:00");
    assert_string_equal(sn_time_text(61, text, sizeof text), "1:01");
    assert_string_equal(sn_time_text(3661, text, sizeof text), "1:01:01");
    assert_string_equal(sn_time_text((double)NAN, text, sizeof text), "-:--");
    assert_string_equal(sn_time_text((double)INFINITY, text, sizeof text), "-:--");
}

static void names_of_files(void **state)
{
    (void)state;
    static const char *const stems[][2] = {{"scenes/curtain.json", "curtain"},
                                           {"curtain", "curtain"},
                                           {"-", "scene"},
                                           {"a.b.json", "a.b"},
                                           {"./.json", ".json"}};
    for (size_t i = 0; i < sizeof stems / sizeof stems[0]; ++i) {
        char *stem = sn_path_stem(stems[i][0]);
        assert_string_equal(stem, stems[i][1]);
        free(stem);
    }
    assert_true(sn_ends_with("a.csv", ".csv"));
    assert_false(sn_ends_with(".csv", ".csv")); /* a name has to come before it */
    assert_false(sn_ends_with("csv", ".csv"));
}

/* What the tables promise: no name and no letter twice, room in the struct, and something to say. */
static void tables_are_sound(void **state)
{
    (void)state;
    for (uint32_t c = 0; sn_command_at(c); ++c)
        for (const sn_option *o = sn_command_at(c)->options; o->name; ++o) {
            assert_non_null(o->about);
            assert_true(o->offset < SN_OPTIONS_BYTES);
            assert_true(!o->value == (o->type == SN_OPTION_FLAG || o->type == SN_OPTION_HELP));
            for (const sn_option *p = sn_command_at(c)->options; p < o; ++p) {
                assert_string_not_equal(p->name, o->name);
                assert_true(!o->letter || p->letter != o->letter);
            }
        }
    assert_true(sizeof(sn_run_options) <= SN_OPTIONS_BYTES);
}

static void help_fits_a_terminal(void **state)
{
    (void)state;
    for (uint32_t c = 0; sn_command_at(c); ++c) {
        char line[256];
        FILE *file = tmpfile();
        assert_non_null(file);
        sn_command_help(sn_command_at(c), file);
        rewind(file);
        while (fgets(line, sizeof line, file)) {
            size_t length = strcspn(line, "\n");
            if (length > 90 || (length > 0 && line[length - 1] == ' '))
                fail_msg("%s: '%.*s'", sn_command_at(c)->name, (int)length, line);
        }
        fclose(file);
    }
}

/* A particle and a rod cost what the worlds that were measured took, whatever their number; spots of any number
   cannot be measured that way. */
static void memory_is_measured(void **state)
{
    (void)state;
    double few = sn_measure_particle(100), many = sn_measure_particle(10000);
    assert_true(few >= 6 * (double)sizeof(sn_real) && few < 2000);
    assert_true(many >= 6 * (double)sizeof(sn_real) && many < 2000);
    double rod = sn_measure_constraint(1000, SN_KIND_DISTANCE, 2000);
    assert_true(rod >= 2 * sizeof(uint32_t) && rod < 1000);
    assert_true(sn_measure_constraint(1000, SN_KIND_VOLUME, 2000) > rod);
    assert_true(isnan(sn_measure_constraint(1000, SN_KIND_SURFACE_VOLUME, 1)));
    assert_true(isnan(sn_measure_constraint(1000, SN_KIND_DISTANCE, 0)));
    assert_true(isnan(sn_measure_constraint(1000, 100000, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(texts_for_people),
        cmocka_unit_test(names_of_files),
        cmocka_unit_test(tables_are_sound),
        cmocka_unit_test(help_fits_a_terminal),
        cmocka_unit_test(memory_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
