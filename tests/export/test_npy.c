/* NumPy files: heads, growth, escaped names, full disks, and what the reader refuses. That NumPy itself reads them is
   tested by tests/scripts/numpy.sh. */
#include "support/support.h"

#include "export/npy.h"
#include "folder.h"

static char message[512];

static void put_row(sn_npy *npy, float base)
{
    for (int i = 0; i < 6; ++i)
        sn_file_put_f32(&npy->file, base + (float)i);
}

static void test_array(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_npy npy;
    sn_npy_info info;
    const uint32_t shape[2] = {2, 3};
    assert_true(sn_npy_open_array(&npy, folder_file(&f, "a.npy"), SN_NPY_F4, 2, shape, message, sizeof message));
    for (int row = 0; row < 12; ++row) { /* the count gets a second digit */
        assert_true(sn_npy_read_header(f.name, &info, message, sizeof message));
        assert_int_equal(info.dimension_count, 3);
        assert_int_equal(info.dimension[0], row);
        put_row(&npy, (float)(10 * row));
        assert_true(sn_npy_row(&npy, message, sizeof message));
    }
    assert_true(sn_npy_close(&npy, message, sizeof message));

    size_t size;
    char *bytes = folder_read(f.name, &size);
    assert_int_equal(size, 128 + 12 * 24);
    assert_memory_equal(bytes, "\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': (12, 2, 3), } ",
                        73);
    assert_int_equal(bytes[127], '\n');
    for (int i = 73; i < 127; ++i)
        assert_int_equal(bytes[i], ' ');
    assert_true(get_f32(bytes + 128 + 11 * 24) == 110);
    free(bytes);
    assert_true(sn_npy_read_header(f.name, &info, message, sizeof message));
    assert_int_equal(info.dimension[1], 2);
    assert_int_equal(info.dimension[2], 3);
    assert_int_equal(info.item_bytes, 4);
    assert_int_equal(info.field_count, 0);
    assert_string_equal(info.type, "'<f4'");
    assert_int_equal(info.version, 1);
    folder_remove(&f);
}

static void test_table(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_npy npy;
    sn_npy_info info;
    const sn_npy_field fields[] = {
        {"frame", SN_NPY_U4}, {"it's \\ \"\n", SN_NPY_F8}, {"\xc3\xb6\xe2\x82\xac\xf0\x9f\x99\x82\xff", SN_NPY_F4}};
    assert_true(sn_npy_open_table(&npy, folder_file(&f, "a.npy"), 3, fields, message, sizeof message));
    sn_file_put_u32(&npy.file, 1);
    sn_file_put_f64(&npy.file, 0.1);
    sn_file_put_f32(&npy.file, 2);
    assert_true(sn_npy_row(&npy, message, sizeof message));
    sn_file_put_u32(&npy.file, 1);
    assert_false(sn_npy_row(&npy, message, sizeof message)); /* too few numbers */
    assert_non_null(strstr(message, "wrong size"));
    assert_true(sn_npy_close(&npy, message, sizeof message));

    char *bytes = folder_read(f.name, NULL);
    const char *head =
        "{'descr': [('frame', '<u4'), ('it\\'s \\\\ \"\\x0a', '<f8'), ('\\xf6\\u20ac\\U0001f642\\xff', '<f4')], "
        "'fortran_order': False, 'shape': (1,), } ";
    assert_memory_equal(bytes + 10, head, strlen(head));
    free(bytes);
    assert_true(sn_npy_read_header(f.name, &info, message, sizeof message));
    assert_int_equal(info.field_count, 3);
    assert_int_equal(info.item_bytes, 16);
    assert_int_equal(info.dimension_count, 1);
    assert_int_equal(info.dimension[0], 1);
    assert_int_equal(info.unfinished, 0);
    folder_remove(&f);
}

/* So many columns that the head needs version 2.0. */
static void test_large_head(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    folder f = folder_make();
    static char names[COUNT][32];
    static sn_npy_field fields[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        snprintf(names[i], sizeof names[i], "column_%d", i);
        fields[i] = (sn_npy_field){names[i], SN_NPY_F4};
    }
    sn_npy npy;
    sn_npy_info info;
    assert_true(sn_npy_open_table(&npy, folder_file(&f, "a.npy"), COUNT, fields, message, sizeof message));
    for (int i = 0; i < COUNT; ++i)
        sn_file_put_f32(&npy.file, 1);
    assert_true(sn_npy_row(&npy, message, sizeof message));
    assert_int_equal(npy.head_bytes % 64, 0);
    assert_true(sn_npy_close(&npy, message, sizeof message));
    assert_true(sn_npy_read_header(f.name, &info, message, sizeof message));
    assert_int_equal(info.version, 2);
    assert_int_equal(info.field_count, COUNT);
    assert_int_equal(info.dimension[0], 1);
    folder_remove(&f);
}

static void test_full_disk(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_npy npy;
    sn_npy_info info;
    const uint32_t shape[2] = {2, 3};
    assert_true(sn_npy_open_array(&npy, folder_file(&f, "a.npy"), SN_NPY_F4, 2, shape, message, sizeof message));
    put_row(&npy, 0);
    assert_true(sn_npy_row(&npy, message, sizeof message));
    folder_disk(128 + 24 + 10);
    put_row(&npy, 1);
    assert_false(sn_npy_row(&npy, message, sizeof message));
    assert_non_null(strstr(message, "a.npy: cannot be written: File too large"));
    assert_true(sn_npy_read_header(f.name, &info, message, sizeof message));
    assert_int_equal(info.dimension[0], 1);
    assert_int_equal(info.bytes, 128 + 24);
    folder_disk(UINT64_MAX);
    put_row(&npy, 2);
    assert_true(sn_npy_row(&npy, message, sizeof message));
    assert_true(sn_npy_keep(&npy, 1, message, sizeof message));
    assert_true(sn_npy_close(&npy, message, sizeof message));
    assert_true(sn_npy_read_header(f.name, &info, message, sizeof message));
    assert_int_equal(info.dimension[0], 1);
    assert_int_equal(info.unfinished, 0);
    folder_remove(&f);
}

/* A file of version 1.0 with this dictionary and so many bytes after it. */
static const char *make_file(folder *f, const char *dictionary, size_t data)
{
    char bytes[2048] = "\x93NUMPY\1";
    size_t length = strlen(dictionary);
    bytes[8] = (char)(length & 0xff);
    bytes[9] = (char)(length >> 8);
    memcpy(bytes + 10, dictionary, length);
    folder_write(folder_file(f, "b.npy"), bytes, 10 + length + data);
    return f->name;
}

static void refuse(folder *f, const char *dictionary, size_t data, const char *reason)
{
    sn_npy_info info;
    if (sn_npy_read_header(make_file(f, dictionary, data), &info, message, sizeof message) || !strstr(message, reason))
        fail_msg("%s: expected \"%s\", got \"%s\"", dictionary, reason, message);
}

static void test_reader(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_npy_info info;
    /* what others write: any order, either quote, nested shapes, types that we do not know, a number by itself */
    assert_true(sn_npy_read_header(
        make_file(&f, "{\"shape\": (2, 1), 'descr' : [('a','<f4',(3,)),('b','|S5'),], 'fortran_order': True}", 34),
        &info, message, sizeof message));
    assert_int_equal(info.item_bytes, 17);
    assert_true(info.fortran_order);
    assert_true(sn_npy_read_header(make_file(&f, "{'descr': '|O', 'fortran_order': False, 'shape': (7,)}", 3), &info,
                                   message, sizeof message));
    assert_int_equal(info.item_bytes, 0);
    assert_true(sn_npy_read_header(make_file(&f, "{'descr': '<U3', 'fortran_order': False, 'shape': ()}", 12), &info,
                                   message, sizeof message));
    assert_int_equal(info.item_bytes, 12);
    assert_int_equal(info.dimension_count, 0);

#define REST ", 'fortran_order': False}"
    refuse(&f, "", 0, "not a dictionary");
    refuse(&f, "{'descr': '<f4', 'shape': (1,)}", 4, "not a dictionary");
    refuse(&f, "{'descr': '<f4', 'shape': (1,), 'more': 1" REST, 4, "not a dictionary");
    refuse(&f, "{'descr': '<f4', 'shape': (1, -2)" REST, 4, "not a dictionary");
    refuse(&f, "{'descr': '<f4', 'shape': (1, 99999999999999999999999)" REST, 4, "not a dictionary");
    refuse(&f, "{'descr': '<f4, 'shape': (1,)" REST, 4, "not a dictionary");
    refuse(&f, "{'descr': '<f4\\", 4, "not a dictionary");
    refuse(&f, "{'descr': [('a', '<f4'], 'shape': (1,)" REST, 4, "not a dictionary");
    refuse(&f, "{'descr': '<f4', 'shape': (1,1,1,1,1,1,1,1,1)" REST, 4, "not a dictionary");
    refuse(&f, "{'descr': '<f4', 'shape': (2,)" REST, 7, "truncated");
    refuse(&f, "{'descr': '<f4', 'shape': (18446744073709551615, 4294967296)" REST, 7, "not a dictionary");
    refuse(&f, "{'descr': '<f4', 'shape': (4294967296, 4294967296, 4294967296)" REST, 7, "truncated");
    refuse(&f, "{'descr': '<f4', 'shape': (1,)" REST, 9, "takes only 4");

    folder_write(folder_file(&f, "c.npy"), "NUMPY is not what it starts with", 30);
    assert_false(sn_npy_read_header(f.name, &info, message, sizeof message));
    assert_non_null(strstr(message, "not a NumPy file"));
    folder_write(f.name, "\x93NUMPY\4\0\0\0", 10);
    assert_false(sn_npy_read_header(f.name, &info, message, sizeof message));
    assert_non_null(strstr(message, "version 4.0"));
    folder_write(f.name, "\x93NUMPY\1\0\x76\0{", 11);
    assert_false(sn_npy_read_header(f.name, &info, message, sizeof message));
    assert_non_null(strstr(message, "truncated"));
    folder_write(f.name, "\x93NUMPY\2\0\xff\xff\xff\xff{", 13);
    assert_false(sn_npy_read_header(f.name, &info, message, sizeof message));
    assert_non_null(strstr(message, "a head of 4294967295 bytes"));
    folder_remove(&f);
}

/* No rubbish makes it crash, whether it is accepted or not. */
static void test_rubbish(void **state)
{
    (void)state;
    folder f = folder_make();
    const char *good = "{'descr': [('a\\'', '<f4', (3, 2)), ('b', '|S5')], 'fortran_order': False, 'shape': (3, 4), }";
    uint64_t seed = 3;
    uint32_t refused = 0, rounds = support_rounds(3000, 600);
    for (uint32_t i = 0; i < rounds; ++i) {
        char text[256];
        snprintf(text, sizeof text, "%s", good);
        size_t length = strlen(text);
        for (uint32_t k = support_random_below(&seed, 4); k < 4; ++k)
            text[support_random_below(&seed, (uint32_t)length)] =
                "{}()[],:'\\0123456789<f TF\"abc"[support_random_below(&seed, 29)];
        if (i % 3 == 0)
            text[support_random_below(&seed, (uint32_t)length)] = 0;
        sn_npy_info info;
        refused += !sn_npy_read_header(make_file(&f, text, 100), &info, message, sizeof message);
    }
    assert_true(refused > rounds / 3);
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_array),     cmocka_unit_test(test_table),  cmocka_unit_test(test_large_head),
        cmocka_unit_test(test_full_disk), cmocka_unit_test(test_reader), cmocka_unit_test(test_rubbish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
