/* Files that grow, folders, and numbers as text. */
#include "support/support.h"

#include "export/file.h"
#include "folder.h"

#include <locale.h>

static void test_cut_and_patch(void **state)
{
    (void)state;
    folder f = folder_make();
    char message[512];
    sn_file file;
    assert_true(sn_file_open(&file, folder_file(&f, "a"), message, sizeof message));
    sn_file_put_text(&file, "head body");
    assert_true(sn_file_keep(&file, message, sizeof message));
    sn_file_put_text(&file, " and what is not kept");
    assert_true(sn_file_patch(&file, 0, "HEAD", 4, message, sizeof message));
    sn_file_cut(&file, 9);
    sn_file_put_text(&file, " more");
    assert_true(sn_file_keep(&file, message, sizeof message));
    sn_file_put_text(&file, "dropped");
    assert_int_equal(file.length, 21);
    assert_true(sn_file_close(&file, message, sizeof message));
    assert_true(sn_file_close(&file, message, sizeof message)); /* twice is fine */
    char *text = folder_read(f.name, NULL);
    assert_string_equal(text, "HEAD body more");
    free(text);
    folder_remove(&f);
}

/* More than the buffer, in pieces of odd sizes. */
static void test_large(void **state)
{
    (void)state;
    folder f = folder_make();
    char message[512], piece[7001];
    sn_file file;
    assert_true(sn_file_open(&file, folder_file(&f, "a"), message, sizeof message));
    for (int i = 0; i < 100; ++i) {
        memset(piece, 'a' + i % 26, sizeof piece);
        sn_file_put(&file, piece, sizeof piece);
    }
    assert_true(sn_file_keep(&file, message, sizeof message));
    assert_true(sn_file_close(&file, message, sizeof message));
    size_t size;
    char *text = folder_read(f.name, &size);
    assert_int_equal(size, 100 * sizeof piece);
    for (size_t i = 0; i < size; ++i)
        assert_int_equal(text[i], 'a' + (int)(i / sizeof piece) % 26);
    free(text);
    folder_remove(&f);
}

static void test_refusals(void **state)
{
    (void)state;
    folder f = folder_make();
    char message[512], path[512];
    sn_file file;
    assert_false(sn_file_open(&file, f.path, message, sizeof message));
    assert_non_null(strstr(message, f.path));
    assert_non_null(strstr(message, "Is a directory"));
    folder_write(folder_file(&f, "plain"), "x", 1);
    snprintf(path, sizeof path, "%s/below/a", f.name);
    assert_false(sn_file_open(&file, path, message, sizeof message));
    assert_non_null(strstr(message, path));
    assert_non_null(strstr(message, "Not a directory"));
    assert_true(sn_file_close(&file, message, sizeof message)); /* one that did not open */
    folder_remove(&f);
}

static void test_full_disk(void **state)
{
    (void)state;
    if (!folder_has_full())
        skip();
    char message[512];
    sn_file file;
    assert_true(sn_file_open(&file, "/dev/full", message, sizeof message));
    sn_file_put_text(&file, "x");
    assert_false(sn_file_keep(&file, message, sizeof message));
    assert_string_equal(message, "/dev/full: cannot be written: No space left on device");
    assert_false(sn_file_keep(&file, message, sizeof message)); /* it stays so, until it is cut */
    sn_file_cut(&file, 0);
    assert_true(sn_file_keep(&file, message, sizeof message));
    sn_file_put_text(&file, "x");
    sn_file_discard(&file);
    assert_true(folder_has("/dev/full")); /* a device is not deleted */
}

static void test_folders(void **state)
{
    (void)state;
    folder f = folder_make();
    char message[512], path[512];
    assert_true(sn_folder_make(folder_file(&f, "a//b/c/"), message, sizeof message));
    assert_true(sn_folder_make(f.name, message, sizeof message));
    assert_true(folder_has(f.name));
    assert_true(sn_folder_make(".", message, sizeof message));
    assert_true(sn_folder_make("/", message, sizeof message));
    assert_false(sn_folder_make("", message, sizeof message));
    assert_non_null(strstr(message, "empty"));
    folder_write(folder_file(&f, "plain"), "x", 1);
    assert_false(sn_folder_make(f.name, message, sizeof message));
    assert_non_null(strstr(message, "plain: cannot be made a folder: File exists"));
    snprintf(path, sizeof path, "%s/x/y", f.name);
    assert_false(sn_folder_make(path, message, sizeof message));
    assert_non_null(strstr(message, "plain"));
    folder_remove(&f);
}

/* Every number reads back the same, and with a point in any locale. */
static void check_numbers(void)
{
    char text[SN_NUMBER_TEXT];
    uint64_t seed = 7;
    for (int i = 0; i < 20000; ++i) {
        uint64_t bits = support_random(&seed);
        double d;
        float f;
        memcpy(&d, &bits, sizeof d);
        memcpy(&f, &bits, sizeof f);
        if (i % 2 == 0) { /* round ones too */
            d = (double)(int32_t)bits / 1000;
            f = (float)d;
        }
        const char *locale = setlocale(LC_NUMERIC, NULL);
        char before[64];
        snprintf(before, sizeof before, "%s", locale);
        size_t length = sn_number_f64(text, d);
        assert_int_equal(length, strlen(text));
        assert_true(length < SN_NUMBER_TEXT);
        assert_null(strchr(text, ','));
        setlocale(LC_NUMERIC, "C");
        assert_true(strtod(text, NULL) == d || isnan(d));
        setlocale(LC_NUMERIC, before);
        sn_number_f32(text, f);
        setlocale(LC_NUMERIC, "C");
        assert_true(strtof(text, NULL) == f || isnan(f));
        setlocale(LC_NUMERIC, before);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    char text[SN_NUMBER_TEXT];
    check_numbers();
    sn_number_f32(text, 0.1f);
    assert_string_equal(text, "0.1");
    sn_number_f32(text, 0.100000024f);
    assert_string_equal(text, "0.100000024");
    sn_number_f64(text, 0.1);
    assert_string_equal(text, "0.1");
    sn_number_f64(text, -0.0);
    assert_string_equal(text, "-0");
    sn_number_f64(text, -(double)NAN);
    assert_string_equal(text, "nan");
    sn_number_f64(text, -(double)INFINITY);
    assert_string_equal(text, "-inf");
    sn_number_f32(text, INFINITY);
    assert_string_equal(text, "inf");
}

/* Locales differ between machines, so here are two of their own: one with a comma, and one whose point has two bytes. They have
   nothing but numbers, because to sort the letters of a language takes localedef a second; so it warns, and says that it failed. */
static void test_locale(void **state)
{
    (void)state;
    static const char *const points[] = {"<U002C>", "<U066B>"};
    folder f = folder_make();
    uint32_t found = 0;
    assert_int_equal(setenv("LOCPATH", f.path, 1), 0);
    for (uint32_t i = 0; i < COUNT_OF(points); ++i) {
        char command[512];
        snprintf(command, sizeof command,
                 "cd '%s' && printf 'LC_NUMERIC\ndecimal_point \"%s\"\nthousands_sep \"\"\ngrouping -1\nEND "
                 "LC_NUMERIC\n' >source "
                 "&& localedef -c -i ./source -f UTF-8 ./own%u.UTF-8 >/dev/null 2>&1",
                 f.path, points[i], i);
        if (system(command) == -1)
            continue;
        snprintf(command, sizeof command, "own%u.UTF-8", i);
        if (!setlocale(LC_NUMERIC, command))
            continue;
        found++;
        snprintf(command, sizeof command, "%.1f", 0.5);
        assert_true(strcmp(command, "0.5") != 0);
        check_numbers();
    }
    setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
    folder_remove(&f);
    assert_true(found == 0 || found == COUNT_OF(points));
    if (found == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_and_patch), cmocka_unit_test(test_large),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_full_disk),     cmocka_unit_test(test_folders), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
