/* PC2 files: every byte, growth, full disks, and what the reader refuses. */
#include "support/support.h"

#include "export/point_cache.h"
#include "folder.h"

static char message[512];

static void fill(sn_vec3 *place, uint32_t count, int frame)
{
    for (uint32_t i = 0; i < count; ++i)
        place[i] = vec(frame + 0.1 * i, -0.0, 1e-30 * frame);
}

static void test_bytes(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_point_cache cache;
    sn_vec3 place[2] = {vec(1, -2, 0.5), vec(0, 1e-3, 3)};
    assert_true(sn_point_cache_open(&cache, folder_file(&f, "a.pc2"), 2, 1, 2, message, sizeof message));
    assert_true(sn_point_cache_frame(&cache, place, message, sizeof message));
    size_t size;
    char *bytes = folder_read(f.name, &size); /* valid though it is still open */
    assert_int_equal(size, 32 + 24);
    static const unsigned char head[32] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', 0,  1, 0, 0, 0,
                                           2,   0,   0,   0,   0,   0,   128, 63,  0,   0,   0,   64, 1, 0, 0, 0};
    static const unsigned char first[12] = {0, 0, 128, 63, 0, 0, 0, 192, 0, 0, 0, 63};
    assert_memory_equal(bytes, head, sizeof head);
    assert_memory_equal(bytes + 32, first, sizeof first);
    assert_true(get_f32(bytes + 48) == 1e-3f);
    free(bytes);
    assert_true(sn_point_cache_close(&cache, message, sizeof message));
    folder_remove(&f);
}

static void test_growth(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_point_cache cache;
    sn_point_cache_info info;
    sn_vec3 place[10];
    assert_true(sn_point_cache_open(&cache, folder_file(&f, "a.pc2"), 10, 0, 1, message, sizeof message));
    for (int frame = 0; frame < 5; ++frame) {
        assert_true(sn_point_cache_read_header(f.name, &info, message, sizeof message));
        assert_int_equal(info.frames, frame);
        assert_int_equal(info.points, 10);
        assert_int_equal(info.unfinished, 0);
        fill(place, 10, frame);
        assert_true(sn_point_cache_frame(&cache, place, message, sizeof message));
    }
    assert_true(sn_point_cache_keep(&cache, 3, message, sizeof message));
    assert_true(sn_point_cache_read_header(f.name, &info, message, sizeof message));
    assert_int_equal(info.frames, 3);
    assert_int_equal(info.bytes, 32 + 3 * 120);
    fill(place, 10, 77);
    assert_true(sn_point_cache_frame(&cache, place, message, sizeof message));
    assert_true(sn_point_cache_close(&cache, message, sizeof message));
    char *bytes = folder_read(f.name, NULL);
    for (int frame = 0; frame < 4; ++frame)
        for (int i = 0; i < 10; ++i)
            assert_true(get_f32(bytes + 32 + frame * 120 + i * 12) == (float)real((frame == 3 ? 77 : frame) + 0.1 * i));
    free(bytes);
    folder_remove(&f);
}

/* The disk is full in the middle of the third frame: two remain, and the file says so. */
static void test_full_disk(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_point_cache cache;
    sn_point_cache_info info;
    sn_vec3 place[10];
    fill(place, 10, 1);
    assert_true(sn_point_cache_open(&cache, folder_file(&f, "a.pc2"), 10, 0, 1, message, sizeof message));
    assert_true(sn_point_cache_frame(&cache, place, message, sizeof message));
    assert_true(sn_point_cache_frame(&cache, place, message, sizeof message));
    folder_disk(32 + 2 * 120 + 50);
    assert_false(sn_point_cache_frame(&cache, place, message, sizeof message));
    assert_non_null(strstr(message, "a.pc2: cannot be written: File too large"));
    assert_true(sn_point_cache_read_header(f.name, &info, message, sizeof message));
    assert_int_equal(info.frames, 2);
    assert_int_equal(info.bytes, 32 + 2 * 120);
    folder_disk(UINT64_MAX); /* somebody made room */
    assert_true(sn_point_cache_frame(&cache, place, message, sizeof message));
    assert_true(sn_point_cache_close(&cache, message, sizeof message));
    assert_true(sn_point_cache_read_header(f.name, &info, message, sizeof message));
    assert_int_equal(info.frames, 3);
    folder_remove(&f);
    if (folder_has_full()) {
        assert_false(sn_point_cache_open(&cache, "/dev/full", 10, 0, 1, message, sizeof message));
        assert_string_equal(message, "/dev/full: cannot be written: No space left on device");
    }
}

static void refuse(folder *f, const char *bytes, size_t size, const char *reason)
{
    sn_point_cache_info info;
    folder_write(folder_file(f, "bad.pc2"), bytes, size);
    message[0] = 0;
    bool read = sn_point_cache_read_header(f->name, &info, message, sizeof message);
    if (read || !strstr(message, reason) || !strstr(message, "bad.pc2"))
        fail_msg("expected \"%s\", got %s \"%s\"", reason, read ? "success" : "failure", message);
}

static void test_refusals(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_point_cache cache;
    sn_point_cache_info info;
    sn_vec3 place[1] = {vec(1, 2, 3)};
    assert_true(sn_point_cache_open(&cache, folder_file(&f, "a.pc2"), 1, 0, 1, message, sizeof message));
    assert_true(sn_point_cache_frame(&cache, place, message, sizeof message));
    assert_true(sn_point_cache_close(&cache, message, sizeof message));
    char good[100] = {0};
    char *bytes = folder_read(f.name, NULL);
    memcpy(good, bytes, 44);
    free(bytes);

    refuse(&f, good, 0, "not a point cache");
    refuse(&f, good, 20, "truncated");
    refuse(&f, good, 43, "truncated: has 43 bytes, and 1 frames of 1 points take 44");
    refuse(&f, good, 57, "take only 44");
    refuse(&f, "POINTCACHE3\0and more than enough of it", 36, "not a point cache");
    good[12] = 2;
    refuse(&f, good, 44, "version 2, expected 1");
    good[12] = 1;
    good[19] = (char)0xff;
    refuse(&f, good, 44, "-16777215 points");
    good[19] = 0x7f;
    good[31] = 0x7f; /* the product must not wrap around */
    refuse(&f, good, 44, "truncated");
    good[19] = good[31] = 0;
    folder_write(folder_file(&f, "growing.pc2"), good, 50);
    assert_true(sn_point_cache_read_header(f.name, &info, message, sizeof message));
    assert_int_equal(info.unfinished, 6);

    assert_false(sn_point_cache_read_header(folder_file(&f, "none.pc2"), &info, message, sizeof message));
    assert_non_null(strstr(message, "none.pc2: cannot be read: No such file"));
    assert_false(sn_point_cache_read_header(f.path, &info, message, sizeof message));
    assert_non_null(strstr(message, "directory"));
    assert_false(sn_point_cache_open(&cache, folder_file(&f, "b.pc2"), 0x80000000u, 0, 1, message, sizeof message));
    assert_non_null(strstr(message, "2147483648"));
    folder_remove(&f);
}

static void test_no_points(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_point_cache cache;
    sn_point_cache_info info;
    assert_true(sn_point_cache_open(&cache, folder_file(&f, "a.pc2"), 0, 0, 1, message, sizeof message));
    assert_true(sn_point_cache_frame(&cache, NULL, message, sizeof message));
    assert_true(sn_point_cache_close(&cache, message, sizeof message));
    assert_true(sn_point_cache_read_header(f.name, &info, message, sizeof message));
    assert_int_equal(info.frames, 1);
    assert_int_equal(info.bytes, 32);
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),    cmocka_unit_test(test_growth),    cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_no_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
