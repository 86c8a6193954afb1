/* Pictures: what was compressed unpacks to the same bytes, and chunks are whole. */
#include "support/support.h"

#include "export/deflate.h"
#include "export/png.h"

#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- A plain reader of deflate (RFC 1951), for blocks with codes of their own ------------------------------------------------ */

typedef struct reader {
    const unsigned char *data;
    size_t count, at;
    uint32_t bit;
} reader;

static uint32_t take(reader *r, uint32_t bits)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bits; ++i, ++r->bit) {
        assert_true(r->at + r->bit / 8 < r->count);
        value |= (uint32_t)(r->data[r->at + r->bit / 8] >> r->bit % 8 & 1) << i;
    }
    return value;
}

/* Reads a symbol bit by bit: the code of a length begins where that of the one before ends, doubled. */
static uint32_t symbol(reader *r, const uint8_t *length, uint32_t symbols)
{
    uint32_t first = 0, code = 0;
    for (uint32_t l = 1; l <= 15; ++l) {
        uint32_t number = 0;
        code = code << 1 | take(r, 1);
        first <<= 1;
        for (uint32_t i = 0; i < symbols; ++i)
            if (length[i] == l && code == first + number++)
                return i;
        first += number;
    }
    fail_msg("a code is none");
    return 0;
}

static size_t unpack(const unsigned char *data, size_t count, unsigned char *to, size_t room)
{
    static const uint16_t length_base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                           31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    reader r = {data, count, 2, 0}; /* behind the head of zlib */
    size_t n = 0;
    assert_int_equal((data[0] << 8 | data[1]) % 31, 0);
    for (bool last = false; !last;) {
        uint8_t length[320] = {0}, small[19] = {0};
        last = take(&r, 1);
        assert_int_equal(take(&r, 2), 2);
        const uint32_t literals = take(&r, 5) + 257, distances = take(&r, 5) + 1, smalls = take(&r, 4) + 4;
        for (uint32_t i = 0; i < smalls; ++i)
            small[order[i]] = (uint8_t)take(&r, 3);
        for (uint32_t i = 0; i < literals + distances;) {
            const uint32_t s = symbol(&r, small, 19);
            uint32_t run = s < 16 ? 1 : s == 16 ? 3 + take(&r, 2) : s == 17 ? 3 + take(&r, 3) : 11 + take(&r, 7);
            for (; run > 0; --run, ++i)
                length[i] = (uint8_t)(s < 16 ? s : s == 16 ? length[i - 1] : 0);
        }
        for (uint32_t s; (s = symbol(&r, length, literals)) != 256;) {
            if (s < 256) {
                assert_true(n < room);
                to[n++] = (unsigned char)s;
                continue;
            }
            const uint32_t c = s - 257, extra = c < 8 || c == 28 ? 0 : c / 4 - 1;
            uint32_t times = length_base[c] + take(&r, extra);
            const uint32_t d = symbol(&r, length + literals, distances), more = d < 4 ? 0 : d / 2 - 1;
            const uint32_t back = d < 4 ? d + 1 : ((2 + d % 2) << more) + 1 + take(&r, more);
            assert_true(back <= n && n + times <= room);
            for (; times > 0; --times, ++n)
                to[n] = to[n - back];
        }
    }
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < n; ++i) {
        a = (a + to[i]) % 65521;
        b = (b + a) % 65521;
    }
    const unsigned char *sum = data + count - 4;
    assert_int_equal((uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3], b << 16 | a);
    return n;
}

#define MOST 100000

static void check(const unsigned char *data, size_t count)
{
    static unsigned char back[MOST];
    sn_bytes bytes = {0};
    assert_true(sn_deflate(&bytes, data, count));
    assert_int_equal(unpack(bytes.data, bytes.count, back, MOST), count);
    assert_memory_equal(back, data, count ? count : 1);
    free(bytes.data);
}

static void what_is_packed_unpacks(void **state)
{
    (void)state;
    static unsigned char data[MOST];
    static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 257, 258, 259, 600, 4000, 32767, 32768, 32769, 70000, MOST};
    const size_t most = support_rounds(MOST, 5000);
    uint32_t seed = 7;
    for (int kind = 0; kind < 5; ++kind)
        for (size_t s = 0; s < COUNT_OF(sizes) && sizes[s] <= most; ++s) {
            for (size_t i = 0; i < sizes[s]; ++i) {
                seed = seed * 1664525 + 1013904223;
                data[i] = (unsigned char)(kind == 0   ? 0
                                          : kind == 1 ? seed >> 24
                                          : kind == 2 ? i * i / 300
                                          : kind == 3 ? (seed >> 24 < 250 ? 1 : seed >> 16)
                                                      : (unsigned char)"a rope, a cloth, "[i % 17]);
            }
            check(data, sizes[s]);
        }
}

/* Rare symbols would get codes of more than fifteen bits: numbers of the Fibonacci series. */
static void codes_are_not_too_long(void **state)
{
    (void)state;
    static unsigned char data[MOST];
    size_t count = 0, number = 1, next = 1;
    for (int value = 0; count + number < MOST; ++value) {
        for (size_t i = 0; i < number; ++i)
            data[count++] = (unsigned char)(37 * value);
        const size_t sum = number + next;
        number = next;
        next = sum;
    }
    uint32_t seed = 3;
    for (size_t i = count - 1; i > 0; --i) { /* shuffled, so that nothing repeats */
        seed = seed * 1664525 + 1013904223;
        const size_t k = (seed >> 8) % (i + 1);
        const unsigned char swap = data[i];
        data[i] = data[k];
        data[k] = swap;
    }
    check(data, count);
}

/* ---- Files -------------------------------------------------------------------------------------------------------------------- */

static size_t read_file(const char *path, unsigned char *to)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = fread(to, 1, MOST, file);
    fclose(file);
    return count;
}

static uint32_t number_at(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The names of the chunks, one after the other; their sums are right. The control chunk of a film says how many frames there are. */
static void list_chunks(const unsigned char *file, size_t count, char *names, uint32_t *frames)
{
    assert_memory_equal(file, "\x89PNG\r\n\x1a\n", 8);
    for (size_t at = 8; at < count;) {
        const uint32_t length = number_at(file + at);
        assert_true(at + 12 + length <= count);
        uint32_t sum = UINT32_MAX;
        for (size_t i = at + 4; i < at + 8 + length; ++i) {
            sum ^= file[i];
            for (int bit = 0; bit < 8; ++bit)
                sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
        }
        assert_int_equal(number_at(file + at + 8 + length), ~sum);
        if (memcmp(file + at + 4, "acTL", 4) == 0)
            *frames = number_at(file + at + 8);
        memcpy(names, file + at + 4, 4);
        names += 4;
        at += 12 + length;
    }
    *names = 0;
}

static void pictures_and_films(void **state)
{
    (void)state;
    static unsigned char rgb[3 * 20 * 10], file[MOST], back[MOST];
    char path[] = "/tmp/sinew-png-XXXXXX", message[256], names[256];
    const int handle = mkstemp(path);
    uint32_t frames = 0;
    sn_png png;
    assert_true(handle >= 0);
    close(handle);
    for (size_t i = 0; i < sizeof rgb; ++i)
        rgb[i] = (unsigned char)(i * 7);

    assert_true(sn_png_open(&png, path, 20, 10, 0, message, sizeof message));
    assert_true(sn_png_frame(&png, rgb, message, sizeof message));
    assert_true(sn_png_close(&png, message, sizeof message));
    size_t count = read_file(path, file);
    list_chunks(file, count, names, &frames);
    assert_string_equal(names, "IHDRIDATIEND");
    const uint32_t length = number_at(file + 33);
    assert_int_equal(unpack(file + 41, length, back, MOST), 10 * 61);
    unsigned char above[60] = {0};
    for (int y = 0; y < 10; ++y) { /* the filters of the specification, undone */
        unsigned char *row = back + 61 * y + 1;
        for (int i = 0; i < 60; ++i) {
            const int left = i >= 3 ? row[i - 3] : 0, up = above[i], corner = i >= 3 ? above[i - 3] : 0,
                      p = left + up - corner;
            const int nearest = abs(p - left) <= abs(p - up) && abs(p - left) <= abs(p - corner) ? left
                                : abs(p - up) <= abs(p - corner)                                 ? up
                                                                                                 : corner;
            const int guess[5] = {0, left, up, (left + up) / 2, nearest};
            assert_in_range(row[-1], 0, 4);
            row[i] = (unsigned char)(row[i] + guess[row[-1]]);
        }
        assert_memory_equal(row, rgb + 60 * y, 60);
        memcpy(above, row, 60);
    }

    assert_true(sn_png_open(&png, path, 20, 10, 25, message, sizeof message));
    for (int i = 0; i < 3; ++i) {
        rgb[100] = (unsigned char)(i / 2);
        assert_true(sn_png_frame(&png, rgb, message, sizeof message));
    }
    assert_true(sn_png_close(&png, message, sizeof message));
    count = read_file(path, file);
    list_chunks(file, count, names, &frames);
    assert_string_equal(names, "IHDRacTLfcTLIDATfcTLfdATfcTLfdATIEND");
    assert_int_equal(frames, 3);

    assert_true(sn_png_open(&png, path, 20, 10, 25, message, sizeof message)); /* no frame: no file */
    assert_true(sn_png_close(&png, message, sizeof message));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_false(sn_png_open(&png, "/nowhere/a.png", 20, 10, 0, message, sizeof message));
    assert_non_null(strstr(message, "/nowhere/a.png"));
}

/* A film whose second frame does not fit is given up: closing it afterwards is no error. */
static void a_full_disk_ends_a_film(void **state)
{
    (void)state;
    char message[400];
    static unsigned char rgb[2][3 * 60 * 40];
    for (size_t i = 0; i < sizeof rgb[1]; ++i)
        rgb[1][i] = (unsigned char)(i * i * 2654435761u >> 7);
    folder f = folder_make();
    sn_png film;
    assert_true(sn_png_open(&film, folder_file(&f, "film.png"), 60, 40, 25, message, sizeof message));
    assert_true(sn_png_frame(&film, rgb[0], message, sizeof message));
    folder_disk(2000);
    const bool written = sn_png_frame(&film, rgb[1], message, sizeof message);
    folder_disk(UINT64_MAX);
    assert_false(written);
    assert_non_null(strstr(message, "film.png"));
    assert_true(sn_png_close(&film, message, sizeof message));
    assert_false(folder_has(f.name));
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_unpacks),
        cmocka_unit_test(codes_are_not_too_long),
        cmocka_unit_test(pictures_and_films),
        cmocka_unit_test(a_full_disk_ends_a_film),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
