/* GIF 89a, after CompuServe's specification. Each frame has its own palette (median cut, Heckbert 1982) and is
   compressed with LZW. Pixels that did not change are transparent. */
#include "export/gif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Colours ----------------------------------------------------------------------------------------------------- */

#define BITS        6 /* of each channel, for counting colours */
#define BINS        (1u << (3 * BITS))
#define COLOURS     255
#define TRANSPARENT 255

/* A bin of colours: those that occur and differ in their last bits only. */
typedef struct colour {
    uint32_t count, red, green, blue; /* the number of pixels, and the sums of their channels */
    uint32_t bin;
} colour;

/* A set of colours that share an entry of the palette: a range of the list. */
typedef struct box {
    uint32_t first, count;
    int axis;       /* along which the box is longest: 0 red, 1 green, 2 blue */
    uint64_t worth; /* pixels times the square of that length; 0: the box cannot be cut */
} box;

#define CODES 4096

struct sn_gif_scratch {
    uint32_t place[BINS];      /* index of each bin in the list, plus 1; 0: the colour does not occur */
    unsigned char entry[BINS]; /* index of each bin in the palette */
    colour list[BINS];         /* the colours that occur */
    box boxes[COLOURS];
    uint16_t child[CODES][256]; /* the LZW dictionary: the code of a string followed by one more index; 0: none */
    unsigned char palette[256][3];
};

static uint32_t bin_of(const unsigned char *rgb)
{
    return (uint32_t)(rgb[0] >> (8 - BITS)) << (2 * BITS) | (uint32_t)(rgb[1] >> (8 - BITS)) << BITS |
           (uint32_t)(rgb[2] >> (8 - BITS));
}

static uint32_t channel(uint32_t bin, int axis)
{
    return bin >> (BITS * (2 - axis)) & ((1u << BITS) - 1);
}

static void measure_box(const colour *list, box *b)
{
    uint64_t pixels = 0;
    uint32_t low[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, high[3] = {0}, longest = 0;
    for (uint32_t i = b->first; i < b->first + b->count; ++i) {
        pixels += list[i].count;
        for (int axis = 0; axis < 3; ++axis) {
            const uint32_t value = channel(list[i].bin, axis);
            low[axis] = value < low[axis] ? value : low[axis];
            high[axis] = value > high[axis] ? value : high[axis];
        }
    }
    for (int axis = 0; axis < 3; ++axis)
        if (high[axis] - low[axis] > longest) {
            longest = high[axis] - low[axis];
            b->axis = axis;
        }
    b->worth = pixels * longest * longest;
}

/* Compares one channel; equal ones by the whole colour, so that the order is always the same. */
static int compare(const colour *a, const colour *b, int axis)
{
    const uint32_t left = channel(a->bin, axis), right = channel(b->bin, axis);
    if (left != right)
        return left < right ? -1 : 1;
    return a->bin < b->bin ? -1 : a->bin > b->bin;
}

static int by_red(const void *a, const void *b)
{
    return compare(a, b, 0);
}

static int by_green(const void *a, const void *b)
{
    return compare(a, b, 1);
}

static int by_blue(const void *a, const void *b)
{
    return compare(a, b, 2);
}

/* Cuts a box so that half of its pixels are on either side; the second part becomes `rest`. */
static void cut_box(colour *list, box *b, box *rest)
{
    static int (*const by[3])(const void *, const void *) = {by_red, by_green, by_blue};
    uint64_t pixels = 0, half = 0;
    qsort(list + b->first, b->count, sizeof *list, by[b->axis]);
    for (uint32_t i = 0; i < b->count; ++i)
        pixels += list[b->first + i].count;
    uint32_t count = 0;
    while (count < b->count - 1 && (count == 0 || 2 * half < pixels))
        half += list[b->first + count++].count;
    *rest = (box){.first = b->first + count, .count = b->count - count};
    b->count = count;
    measure_box(list, b);
    measure_box(list, rest);
}

/* Counts the pixels of each colour, without those that did not change. Returns the number of colours. */
static uint32_t count_colours(struct sn_gif_scratch *s, const unsigned char *rgb, const unsigned char *earlier,
                              size_t pixels)
{
    uint32_t count = 0;
    memset(s->place, 0, sizeof s->place);
    for (size_t i = 0; i < pixels; ++i, rgb += 3) {
        if (earlier && memcmp(rgb, earlier + 3 * i, 3) == 0)
            continue;
        const uint32_t bin = bin_of(rgb);
        if (!s->place[bin]) {
            s->list[count] = (colour){.bin = bin};
            s->place[bin] = ++count;
        }
        colour *c = &s->list[s->place[bin] - 1];
        c->count++;
        c->red += rgb[0];
        c->green += rgb[1];
        c->blue += rgb[2];
    }
    return count;
}

/* Chooses the palette of a frame, and the entry of every colour in it. */
static void choose_palette(struct sn_gif_scratch *s, uint32_t colours)
{
    uint32_t boxes = colours > 0;
    s->boxes[0] = (box){.count = colours};
    measure_box(s->list, &s->boxes[0]);
    for (; boxes > 0 && boxes < COLOURS; ++boxes) {
        box *best = &s->boxes[0];
        for (uint32_t i = 1; i < boxes; ++i)
            if (s->boxes[i].worth > best->worth)
                best = &s->boxes[i];
        if (best->worth == 0)
            break;
        cut_box(s->list, best, &s->boxes[boxes]);
    }
    memset(s->palette, 0, sizeof s->palette);
    for (uint32_t i = 0; i < boxes; ++i) {
        uint64_t sum[4] = {0};
        for (uint32_t k = 0; k < s->boxes[i].count; ++k) {
            const colour *c = &s->list[s->boxes[i].first + k];
            sum[0] += c->red;
            sum[1] += c->green;
            sum[2] += c->blue;
            sum[3] += c->count;
            s->entry[c->bin] = (unsigned char)i;
        }
        for (int axis = 0; axis < 3; ++axis)
            s->palette[i][axis] = (unsigned char)((sum[axis] + sum[3] / 2) / sum[3]);
    }
}

/* ---- LZW --------------------------------------------------------------------------------------------------------- */

#define CLEAR 256
#define END   257

/* Writes codes to bytes, lowest bit first, and bytes to blocks of up to 255. */
typedef struct code_writer {
    sn_file *file;
    uint32_t bits, held;
    unsigned char block[256]; /* its length, and its content */
} code_writer;

static void put_block(code_writer *w)
{
    sn_file_put(w->file, w->block, (size_t)w->block[0] + 1);
    w->block[0] = 0;
}

static void put_code(code_writer *w, uint32_t code, uint32_t width)
{
    w->bits |= code << w->held;
    for (w->held += width; w->held >= 8; w->held -= 8, w->bits >>= 8) {
        w->block[++w->block[0]] = (unsigned char)w->bits;
        if (w->block[0] == 255)
            put_block(w);
    }
}

static void put_pixels(sn_gif *gif, const unsigned char *rgb)
{
    struct sn_gif_scratch *s = gif->scratch;
    code_writer w = {.file = &gif->file};
    const size_t pixels = (size_t)gif->width * gif->height;
    uint32_t string = CLEAR, next = END + 1, width = 9;
    sn_file_put(&gif->file, (const unsigned char[]){8}, 1);
    memset(s->child, 0, sizeof s->child);
    put_code(&w, CLEAR, width);
    for (size_t i = 0; i < pixels; ++i) {
        const bool same = gif->frames && memcmp(rgb + 3 * i, gif->earlier + 3 * i, 3) == 0;
        const uint32_t index = same ? TRANSPARENT : s->entry[bin_of(rgb + 3 * i)];
        if (string == CLEAR) {
            string = index;
        } else if (s->child[string][index]) {
            string = s->child[string][index];
        } else {
            put_code(&w, string, width);
            if (next < CODES) {
                width += next == 1u << width;
                s->child[string][index] = (uint16_t)next++;
            } else {
                put_code(&w, CLEAR, width);
                memset(s->child, 0, sizeof s->child);
                next = END + 1;
                width = 9;
            }
            string = index;
        }
    }
    put_code(&w, string, width);
    width += next == 1u << width && width < 12;
    put_code(&w, END, width);
    if (w.held > 0)
        put_code(&w, 0, 8 - w.held);
    if (w.block[0] > 0)
        put_block(&w);
    put_block(&w); /* an empty block ends the data */
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

static void put_u16(sn_file *file, uint32_t value)
{
    const unsigned char b[2] = {(unsigned char)value, (unsigned char)(value >> 8)};
    sn_file_put(file, b, 2);
}

static void release(sn_gif *gif)
{
    free(gif->earlier);
    free(gif->scratch);
    gif->earlier = NULL;
    gif->scratch = NULL;
}

bool sn_gif_open(sn_gif *gif, const char *path, uint32_t width, uint32_t height, uint32_t rate, char *message,
                 size_t size)
{
    *gif = (sn_gif){.width = width, .height = height, .rate = rate};
    if (!sn_file_open(&gif->file, path, message, size))
        return false;
    gif->earlier = malloc(3 * (size_t)width * height);
    gif->scratch = malloc(sizeof *gif->scratch);
    if (!gif->earlier || !gif->scratch) {
        snprintf(message, size, "%s: out of memory", path);
        sn_file_discard(&gif->file);
        release(gif);
        return false;
    }
    static const unsigned char no_palette[3] = {0x70, 0, 0},
                               again[19] = {0x21, 0xff, 11,  'N', 'E', 'T', 'S', 'C', 'A', 'P',
                                            'E',  '2',  '.', '0', 3,   1,   0,   0,   0};
    sn_file_put(&gif->file, "GIF89a", 6);
    put_u16(&gif->file, width);
    put_u16(&gif->file, height);
    sn_file_put(&gif->file, no_palette, sizeof no_palette);
    sn_file_put(&gif->file, again, sizeof again);
    return true;
}

bool sn_gif_frame(sn_gif *gif, const unsigned char *rgb, char *message, size_t size)
{
    /* Delays are whole hundredths of a second. The end times of frames are rounded, so that errors do not add up. */
    const uint32_t begin = (100 * gif->frames + gif->rate / 2) / gif->rate,
                   end = (100 * (gif->frames + 1) + gif->rate / 2) / gif->rate;
    /* the frame stays, and one index is transparent */
    static const unsigned char control[4] = {0x21, 0xf9, 4, 1 << 2 | 1}, after[2] = {TRANSPARENT, 0},
                               image[5] = {0x2c, 0, 0, 0, 0}, own_palette = 0x87;
    choose_palette(gif->scratch, count_colours(gif->scratch, rgb, gif->frames ? gif->earlier : NULL,
                                               (size_t)gif->width * gif->height));
    sn_file_put(&gif->file, control, sizeof control);
    put_u16(&gif->file, end - begin);
    sn_file_put(&gif->file, after, sizeof after);
    sn_file_put(&gif->file, image, sizeof image);
    put_u16(&gif->file, gif->width);
    put_u16(&gif->file, gif->height);
    sn_file_put(&gif->file, &own_palette, 1);
    sn_file_put(&gif->file, gif->scratch->palette, sizeof gif->scratch->palette);
    put_pixels(gif, rgb);
    if (!sn_file_keep(&gif->file, message, size)) {
        sn_file_discard(&gif->file);
        release(gif);
        gif->frames = 0; /* sn_gif_close then does nothing */
        return false;
    }
    memcpy(gif->earlier, rgb, 3 * (size_t)gif->width * gif->height);
    gif->frames++;
    return true;
}

bool sn_gif_close(sn_gif *gif, char *message, size_t size)
{
    release(gif);
    if (!gif->frames) {
        sn_file_discard(&gif->file);
        return true;
    }
    sn_file_put(&gif->file, ";", 1);
    const bool good = sn_file_keep(&gif->file, message, size);
    return sn_file_close(&gif->file, message, size) && good;
}
