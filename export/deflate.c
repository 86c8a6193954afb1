/* Compression: repeated strings become references (LZ77, with a hash table of the last position of every four
   bytes); literals and references are coded with Huffman codes, which are made anew for every block. */
#include "export/deflate.h"

#include <stdlib.h>
#include <string.h>

#define LITERALS   286u /* and lengths: 257 .. 285 */
#define DISTANCES  30u
#define END        256u
#define WINDOW     32768u
#define LEAST      4u   /* bytes in a reference: three are seldom shorter as a reference */
#define MOST       258u /* bytes in a reference */
#define HASH_BITS  15u
#define BLOCK      65536u /* symbols */
#define CODE_LIMIT 15u    /* bits */

static const uint16_t length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                         31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_bits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                        2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                           33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                           1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t distance_bits[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                          6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

void sn_bytes_put(sn_bytes *bytes, const void *data, size_t count)
{
    if (bytes->failed || !count)
        return;
    if (bytes->count + count > bytes->capacity) {
        size_t capacity = 2 * bytes->capacity > bytes->count + count ? 2 * bytes->capacity : bytes->count + count + 256;
        unsigned char *grown = realloc(bytes->data, capacity);
        if (!grown) {
            bytes->failed = true;
            return;
        }
        bytes->data = grown;
        bytes->capacity = capacity;
    }
    memcpy(bytes->data + bytes->count, data, count);
    bytes->count += count;
}

/* ---- Bits -------------------------------------------------------------------------------------------------------- */

typedef struct writer {
    sn_bytes *to;
    uint64_t waiting;
    uint32_t bits;
} writer;

static void put_bits(writer *w, uint32_t value, uint32_t count)
{
    w->waiting |= (uint64_t)value << w->bits;
    for (w->bits += count; w->bits >= 8; w->bits -= 8, w->waiting >>= 8) {
        const unsigned char byte = (unsigned char)w->waiting;
        sn_bytes_put(w->to, &byte, 1);
    }
}

/* ---- Huffman codes ----------------------------------------------------------------------------------------------- */

typedef struct code {
    uint8_t length[LITERALS];
    uint16_t bits[LITERALS]; /* in the order of writing: the first bit is the lowest */
} code;

/* Code lengths of a Huffman code: repeatedly joins the two rarest nodes. If a length exceeds the limit, the counts
   are made more equal and it starts again. */
static void find_lengths(const uint32_t *given, uint32_t symbols, uint32_t limit, uint8_t *length)
{
    uint32_t count[2 * LITERALS], parent[2 * LITERALS], most = 0;
    bool joined[2 * LITERALS];
    memcpy(count, given, symbols * sizeof *count);
    do {
        uint32_t nodes = symbols;
        memset(length, 0, symbols);
        memset(joined, 0, sizeof joined);
        for (;;) {
            uint32_t low[2] = {UINT32_MAX, UINT32_MAX};
            for (uint32_t i = 0; i < nodes; ++i)
                if (!joined[i] && count[i] && (low[0] == UINT32_MAX || count[i] < count[low[0]])) {
                    low[1] = low[0];
                    low[0] = i;
                } else if (!joined[i] && count[i] && (low[1] == UINT32_MAX || count[i] < count[low[1]])) {
                    low[1] = i;
                }
            if (low[1] == UINT32_MAX) {
                if (low[0] < symbols) /* there is only one symbol */
                    length[low[0]] = 1;
                if (low[0] != UINT32_MAX)
                    parent[low[0]] = UINT32_MAX;
                break;
            }
            joined[low[0]] = joined[low[1]] = true;
            parent[low[0]] = parent[low[1]] = nodes;
            count[nodes++] = count[low[0]] + count[low[1]];
        }
        most = 0;
        for (uint32_t i = 0; i < symbols && nodes > symbols; ++i) {
            for (uint32_t at = i; count[i] && parent[at] != UINT32_MAX; at = parent[at])
                length[i]++;
            most = length[i] > most ? length[i] : most;
        }
        for (uint32_t i = 0; i < symbols && most > limit; ++i)
            count[i] = count[i] ? count[i] / 2 + 1 : 0;
    } while (most > limit);
}

/* The code words that follow from the lengths: shorter ones first, equal ones in the order of symbols. */
static void find_bits(code *c, uint32_t symbols)
{
    uint32_t number[CODE_LIMIT + 2] = {0}, next[CODE_LIMIT + 2] = {0};
    for (uint32_t i = 0; i < symbols; ++i)
        number[c->length[i]]++;
    number[0] = 0;
    for (uint32_t l = 1; l <= CODE_LIMIT; ++l)
        next[l + 1] = (next[l] + number[l]) << 1;
    for (uint32_t i = 0; i < symbols; ++i) {
        uint32_t value = c->length[i] ? next[c->length[i]]++ : 0, turned = 0;
        for (uint32_t b = 0; b < c->length[i]; ++b)
            turned |= (value >> b & 1) << (c->length[i] - 1 - b);
        c->bits[i] = (uint16_t)turned;
    }
}

static void make_code(code *c, const uint32_t *count, uint32_t symbols, uint32_t limit)
{
    find_lengths(count, symbols, limit, c->length);
    find_bits(c, symbols);
}

static void put_symbol(writer *w, const code *c, uint32_t symbol)
{
    put_bits(w, c->bits[symbol], c->length[symbol]);
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* A literal (distance 0), or a reference. */
typedef struct symbol {
    uint16_t value, distance;
} symbol;

static uint32_t class_of(const uint16_t *base, uint32_t count, uint32_t value)
{
    uint32_t i = count - 1;
    while (base[i] > value)
        --i;
    return i;
}

/* Writes the code lengths, which are coded themselves: RFC 1951, 3.2.7, with runs of zeros only. */
static void put_code_lengths(writer *w, const code *literal, const code *distance)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t all[LITERALS + DISTANCES], run[LITERALS + DISTANCES];
    uint32_t count[19] = {0}, items = 0;
    code c;
    memcpy(all, literal->length, LITERALS);
    memcpy(all + LITERALS, distance->length, DISTANCES);
    uint8_t item[LITERALS + DISTANCES];
    for (uint32_t i = 0; i < LITERALS + DISTANCES;) {
        uint32_t zeros = 0;
        while (i + zeros < LITERALS + DISTANCES && !all[i + zeros] && zeros < 138)
            ++zeros;
        item[items] = zeros >= 11 ? 18 : zeros >= 3 ? 17 : all[i];
        run[items] = (uint8_t)(zeros >= 3 ? zeros : 1);
        count[item[items]]++;
        i += run[items++];
    }
    make_code(&c, count, 19, 7);
    put_bits(w, LITERALS - 257, 5);
    put_bits(w, DISTANCES - 1, 5);
    put_bits(w, 19 - 4, 4);
    for (uint32_t i = 0; i < 19; ++i)
        put_bits(w, c.length[order[i]], 3);
    for (uint32_t i = 0; i < items; ++i) {
        put_symbol(w, &c, item[i]);
        if (item[i] == 17)
            put_bits(w, run[i] - 3u, 3);
        else if (item[i] == 18)
            put_bits(w, run[i] - 11u, 7);
    }
}

static void put_block(writer *w, const symbol *symbols, uint32_t number, bool last)
{
    uint32_t literals[LITERALS] = {[END] = 1},
             distances[DISTANCES] = {1, 1}; /* at least two, since a code of one symbol would be a special case */
    code literal, distance;
    for (uint32_t i = 0; i < number; ++i)
        if (symbols[i].distance) {
            literals[257 + class_of(length_base, 29, symbols[i].value)]++;
            distances[class_of(distance_base, 30, symbols[i].distance)]++;
        } else {
            literals[symbols[i].value]++;
        }
    make_code(&literal, literals, LITERALS, CODE_LIMIT);
    make_code(&distance, distances, DISTANCES, CODE_LIMIT);
    put_bits(w, last, 1);
    put_bits(w, 2, 2); /* a block with dynamic Huffman codes */
    put_code_lengths(w, &literal, &distance);
    for (uint32_t i = 0; i < number; ++i) {
        if (!symbols[i].distance) {
            put_symbol(w, &literal, symbols[i].value);
            continue;
        }
        const uint32_t l = class_of(length_base, 29, symbols[i].value);
        const uint32_t d = class_of(distance_base, 30, symbols[i].distance);
        put_symbol(w, &literal, 257 + l);
        put_bits(w, symbols[i].value - (uint32_t)length_base[l], length_bits[l]);
        put_symbol(w, &distance, d);
        put_bits(w, symbols[i].distance - (uint32_t)distance_base[d], distance_bits[d]);
    }
    put_symbol(w, &literal, END);
}

/* ---- References -------------------------------------------------------------------------------------------------- */

static uint32_t hash_of(const unsigned char *at)
{
    uint32_t four;
    memcpy(&four, at, sizeof four);
    return four * 2654435761u >> (32 - HASH_BITS);
}

/* The number of equal bytes at `at` and at `from`. */
static uint32_t agreement(const unsigned char *at, const unsigned char *from, size_t left)
{
    uint32_t most = left < MOST ? (uint32_t)left : MOST, i = 0;
    while (i < most && at[i] == from[i])
        ++i;
    return i;
}

static uint32_t adler(const unsigned char *data, size_t count)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; ++i) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

bool sn_deflate(sn_bytes *to, const unsigned char *data, size_t count)
{
    writer w = {.to = to};
    size_t *last = calloc((size_t)1 << HASH_BITS, sizeof *last); /* 1 + a position; 0: none */
    symbol *symbols = malloc(BLOCK * sizeof *symbols);
    if (!last || !symbols)
        to->failed = true;
    uint32_t number = 0;
    put_bits(&w, 0x0178, 16);
    for (size_t i = 0; i < count && !to->failed;) {
        uint32_t length = 0;
        size_t from = 0;
        if (count - i >= sizeof(uint32_t)) {
            size_t *place = &last[hash_of(data + i)];
            from = *place;
            length = from && i - (from - 1) < WINDOW ? agreement(data + i, data + from - 1, count - i) : 0;
            *place = i + 1;
        }
        if (number == BLOCK) {
            put_block(&w, symbols, number, false);
            number = 0;
        }
        if (length >= LEAST) {
            symbols[number++] = (symbol){(uint16_t)length, (uint16_t)(i - (from - 1))};
            for (size_t k = i + 1; k < i + length && count - k >= sizeof(uint32_t); ++k)
                last[hash_of(data + k)] = k + 1;
            i += length;
        } else {
            symbols[number++] = (symbol){data[i++], 0};
        }
    }
    if (!to->failed)
        put_block(&w, symbols, number, true);
    put_bits(&w, 0, (8 - w.bits) % 8);
    const uint32_t sum = adler(data, count);
    const unsigned char end[4] = {(unsigned char)(sum >> 24), (unsigned char)(sum >> 16), (unsigned char)(sum >> 8),
                                  (unsigned char)sum};
    sn_bytes_put(to, end, sizeof end);
    free(last);
    free(symbols);
    return !to->failed;
}
