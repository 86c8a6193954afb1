/* GIF films: a plain reader sees the frames that were written. */
#include "support/support.h"

#include "export/gif.h"

#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH  130
#define HEIGHT 90
#define PIXELS (WIDTH * HEIGHT)
#define MOST   400000

/* ---- A plain reader ----------------------------------------------------------------------------------------------------------- */

typedef struct reader {
    unsigned char data[MOST];
    size_t count, at;
    unsigned char picture[3 * PIXELS]; /* what is seen */
    uint32_t hundredths;               /* of all frames so far */
} reader;

static unsigned char byte(reader *r)
{
    assert_true(r->at < r->count);
    return r->data[r->at++];
}

static uint32_t number(reader *r)
{
    const uint32_t low = byte(r);
    return low | (uint32_t)byte(r) << 8;
}

/* The blocks, put together. */
static size_t blocks(reader *r, unsigned char *to)
{
    size_t count = 0;
    for (uint32_t length; (length = byte(r)) > 0;)
        while (length-- > 0)
            to[count++] = byte(r);
    return count;
}

/* Strings are kept as the code of all but the last index, and that index. */
static void unpack(const unsigned char *data, size_t count, unsigned char *to, size_t pixels)
{
    uint32_t before[4096], next = 258, width = 9, last = UINT32_MAX;
    unsigned char end[4096];
    size_t bit = 0, made = 0;
    for (;;) {
        uint32_t code = 0;
        for (uint32_t i = 0; i < width; ++i, ++bit) {
            assert_true(bit / 8 < count);
            code |= (uint32_t)(data[bit / 8] >> bit % 8 & 1) << i;
        }
        if (code == 257)
            break;
        if (code == 256) {
            next = 258, width = 9, last = UINT32_MAX;
            continue;
        }
        assert_true(code < 256 || (code <= next && last != UINT32_MAX));
        unsigned char string[4096];
        uint32_t length = 0, c = code == next ? last : code;
        for (; c > 257; c = before[c])
            string[length++] = end[c];
        string[length++] = (unsigned char)c;
        if (last != UINT32_MAX && next < 4096) {
            before[next] = last;
            end[next] = string[length - 1];
        }
        assert_true(made + length + (code == next) <= pixels);
        for (uint32_t i = length; i > 0; --i)
            to[made++] = string[i - 1];
        if (code == next)
            to[made++] = string[length - 1];
        if (last != UINT32_MAX && next < 4096 && ++next == 1u << width && width < 12)
            ++width;
        last = code;
    }
    assert_int_equal(made, pixels);
    assert_true(count - (bit + 7) / 8 == 0);
}

static void open_film(reader *r, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    r->count = fread(r->data, 1, MOST, file);
    assert_true(r->count < MOST);
    fclose(file);
    r->at = 6;
    r->hundredths = 0;
    assert_memory_equal(r->data, "GIF89a", 6);
    assert_int_equal(number(r), WIDTH);
    assert_int_equal(number(r), HEIGHT);
    assert_int_equal(byte(r) & 0x80, 0); /* no palette for all */
    r->at += 2;
}

/* The next frame is in r->picture; false at the end. */
static bool read_frame(reader *r)
{
    static unsigned char packed[MOST], index[PIXELS];
    int transparent = -1;
    for (;;) {
        const unsigned char what = byte(r);
        if (what == ';') {
            assert_int_equal(r->at, r->count);
            return false;
        }
        if (what == 0x2c)
            break;
        assert_int_equal(what, 0x21);
        const unsigned char label = byte(r);
        if (label == 0xf9) {
            assert_int_equal(byte(r), 4);
            const unsigned char flags = byte(r);
            r->hundredths += number(r);
            transparent = flags & 1 ? byte(r) : (byte(r), -1);
            assert_int_equal(byte(r), 0);
        } else {
            blocks(r, packed);
        }
    }
    assert_int_equal(number(r), 0);
    assert_int_equal(number(r), 0);
    assert_int_equal(number(r), WIDTH);
    assert_int_equal(number(r), HEIGHT);
    assert_int_equal(byte(r), 0x87);
    const unsigned char *palette = r->data + r->at;
    r->at += 768;
    assert_int_equal(byte(r), 8);
    const size_t count = blocks(r, packed);
    unpack(packed, count, index, PIXELS);
    for (size_t i = 0; i < PIXELS; ++i)
        if (index[i] != transparent)
            memcpy(r->picture + 3 * i, palette + 3 * index[i], 3);
    return true;
}

/* ---- Tests -------------------------------------------------------------------------------------------------------------------- */

static uint32_t seed;

static uint32_t random_number(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

/* A frame: 0 all alike, 1 noise of 200 colours, 2 a part of frame 1 is another, 3 the same again, 4 every colour there is. */
static void paint(unsigned char *rgb, int kind)
{
    for (int i = 0; i < PIXELS; ++i) {
        const uint32_t value = kind == 0 ? 7 : random_number() % 200;
        const bool keep = kind == 3 || (kind == 2 && (i % WIDTH < 20 || i % 3 == 0));
        if (keep)
            continue;
        for (int k = 0; k < 3; ++k)
            rgb[3 * i + k] = (unsigned char)(kind == 4 ? random_number() : value * (uint32_t)(5 + 6 * k));
    }
}

static void frames_come_back(void **state)
{
    (void)state;
    static unsigned char rgb[5][3 * PIXELS];
    static reader r;
    char path[] = "/tmp/sinew-gif-XXXXXX", message[256];
    const int handle = mkstemp(path);
    sn_gif gif;
    assert_true(handle >= 0);
    close(handle);
    seed = 1;
    for (int i = 0; i < 5; ++i) {
        if (i > 0)
            memcpy(rgb[i], rgb[i - 1], sizeof rgb[i]);
        paint(rgb[i], i);
    }
    assert_true(sn_gif_open(&gif, path, WIDTH, HEIGHT, 30, message, sizeof message));
    for (int i = 0; i < 5; ++i)
        assert_true(sn_gif_frame(&gif, rgb[i], message, sizeof message));
    assert_true(sn_gif_close(&gif, message, sizeof message));

    open_film(&r, path);
    for (int i = 0; i < 4; ++i) { /* fewer than 255 colours: all as they were */
        assert_true(read_frame(&r));
        assert_memory_equal(r.picture, rgb[i], sizeof rgb[i]);
    }
    assert_true(read_frame(&r));
    double sum = 0;
    for (size_t i = 0; i < sizeof rgb[4]; ++i) {
        const double off = (double)r.picture[i] - rgb[4][i];
        sum += off * off;
    }
    /* 255 boxes in a cube of 256: sides of about 256 / 255^(1/3) = 40, whose colours are off by 40 / sqrt(12) = 11.6 */
    assert_in_range((int)sqrt(sum / sizeof rgb[4]), 8, 14);
    assert_false(read_frame(&r));
    assert_int_equal(r.hundredths, 17); /* 5 / 30 s */

    assert_true(sn_gif_open(&gif, path, WIDTH, HEIGHT, 25, message, sizeof message)); /* no frame: no file */
    assert_true(sn_gif_close(&gif, message, sizeof message));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_false(sn_gif_open(&gif, "/nowhere/a.gif", WIDTH, HEIGHT, 25, message, sizeof message));
    assert_non_null(strstr(message, "/nowhere/a.gif"));
}

/* A film whose second frame does not fit is given up: closing it afterwards is no error. */
static void a_full_disk_ends_a_film(void **state)
{
    (void)state;
    char message[400];
    static unsigned char rgb[2][3 * WIDTH * HEIGHT];
    for (size_t i = 0; i < sizeof rgb[1]; ++i)
        rgb[1][i] = (unsigned char)(i * i * 2654435761u >> 7);
    folder f = folder_make();
    sn_gif film;
    assert_true(sn_gif_open(&film, folder_file(&f, "film.gif"), WIDTH, HEIGHT, 25, message, sizeof message));
    assert_true(sn_gif_frame(&film, rgb[0], message, sizeof message));
    folder_disk(2000);
    const bool written = sn_gif_frame(&film, rgb[1], message, sizeof message);
    folder_disk(UINT64_MAX);
    assert_false(written);
    assert_non_null(strstr(message, "film.gif"));
    assert_true(sn_gif_close(&film, message, sizeof message));
    assert_false(folder_has(f.name));
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_back),
        cmocka_unit_test(a_full_disk_ends_a_film),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
