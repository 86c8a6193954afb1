#include "export/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Headers end at a multiple of this, as those of NumPy do. */
#define HEAD_ALIGNMENT 64

/* Room for the digits of any count of rows. */
#define COUNT_DIGITS 20

/* No sensible header is longer; a file with a longer one is not read. */
#define MOST_HEAD ((size_t)4 * 1024 * 1024)

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

static const struct {
    const char *name;
    uint32_t bytes;
} types[] = {[SN_NPY_U4] = {"<u4", 4}, [SN_NPY_F4] = {"<f4", 4}, [SN_NPY_F8] = {"<f8", 8}};

/* ---- Growing text ------------------------------------------------------------------------------------------------ */

typedef struct text {
    char *at;
    size_t length, capacity;
    bool failed; /* no memory */
} text;

static void add(text *t, const char *bytes, size_t count)
{
    if (t->failed)
        return;
    if (t->capacity - t->length < count) {
        size_t capacity = 2 * (t->length + count) + 256;
        char *grown = realloc(t->at, capacity);
        if (!grown) {
            t->failed = true;
            return;
        }
        t->at = grown;
        t->capacity = capacity;
    }
    memcpy(t->at + t->length, bytes, count);
    t->length += count;
}

static void add_text(text *t, const char *bytes)
{
    add(t, bytes, strlen(bytes));
}

/* The code point at the beginning of UTF-8 text, and its length; invalid bytes are read one by one, as Latin-1. */
static uint32_t code_point(const unsigned char *s, size_t *count)
{
    size_t length = s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 1;
    uint32_t code = length == 1 ? s[0] : s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((s[i] & 0xc0) != 0x80) { /* this includes the end of the text */
            *count = 1;
            return s[0];
        }
        code = code << 6 | (s[i] & 0x3fu);
    }
    *count = length;
    return code;
}

/* Adds a Python literal in plain ASCII, because a header of version 1.0 is Latin-1. */
static void add_literal(text *t, const char *name)
{
    add_text(t, "'");
    for (const unsigned char *s = (const unsigned char *)name; *s;) {
        size_t count;
        uint32_t code = code_point(s, &count);
        char escaped[16];
        if (code == '\'' || code == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", (char)code);
        else if (code >= ' ' && code < 127)
            snprintf(escaped, sizeof escaped, "%c", (char)code);
        else if (code < 0x100)
            snprintf(escaped, sizeof escaped, "\\x%02" PRIx32, code);
        else
            snprintf(escaped, sizeof escaped, code < 0x10000 ? "\\u%04" PRIx32 : "\\U%08" PRIx32, code);
        add_text(t, escaped);
        s += count;
    }
    add_text(t, "'");
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

/* Writes the end of the header, from the row count on: "12, 441, 3), }", spaces, and a line break. */
static bool put_shape(sn_npy *npy, uint64_t rows, char *message, size_t size)
{
    char end[sizeof npy->inner + COUNT_DIGITS + HEAD_ALIGNMENT + 40];
    size_t room = (size_t)(npy->head_bytes - npy->shape_at);
    memset(end, ' ', sizeof end);
    int length = snprintf(end, sizeof end, "%" PRIu64 "%s), }", rows, npy->inner);
    end[length] = ' ';
    end[room - 1] = '\n';
    return sn_file_patch(&npy->file, npy->shape_at, end, room, message, size);
}

/* Writes the header: magic and version, its length, and the text up to the beginning of the shape. */
static void put_head(sn_npy *npy, const text *dictionary)
{
    size_t most = dictionary->length + COUNT_DIGITS + strlen(npy->inner) + strlen("), }\n");
    size_t before = sizeof magic + 2 + 2;
    size_t length = (before + most + HEAD_ALIGNMENT - 1) / HEAD_ALIGNMENT * HEAD_ALIGNMENT - before;
    bool large = length > UINT16_MAX;
    if (large) {
        before += 2;
        length = (before + most + HEAD_ALIGNMENT - 1) / HEAD_ALIGNMENT * HEAD_ALIGNMENT - before;
    }
    npy->head_bytes = before + length;
    npy->shape_at = before + dictionary->length;
    sn_file_put(&npy->file, magic, sizeof magic);
    sn_file_put(&npy->file, large ? "\2" : "\1", 2); /* with the terminating zero of the literal: version 2.0 or 1.0 */
    for (int i = 0; i < (large ? 4 : 2); ++i) {
        unsigned char byte = (unsigned char)(length >> 8 * i & 0xff);
        sn_file_put(&npy->file, &byte, 1);
    }
    sn_file_put(&npy->file, dictionary->at, dictionary->length);
    while (npy->file.length < npy->head_bytes)
        sn_file_put(&npy->file, " ", 1);
}

/* dictionary begins with the type; it is completed and released here. */
static bool open_file(sn_npy *npy, const char *path, text *dictionary, char *message, size_t size)
{
    add_text(dictionary, ", 'fortran_order': False, 'shape': (");
    bool opened = false;
    if (dictionary->failed)
        snprintf(message, size, "%s: cannot be opened for writing: %s", path, strerror(ENOMEM));
    else
        opened = sn_file_open(&npy->file, path, message, size);
    if (opened) {
        put_head(npy, dictionary);
        opened = sn_file_keep(&npy->file, message, size) && put_shape(npy, 0, message, size);
        if (!opened)
            sn_file_close(&npy->file, NULL, 0);
    }
    free(dictionary->at);
    return opened;
}

bool sn_npy_open_array(sn_npy *npy, const char *path, sn_npy_type type, uint32_t dimension_count,
                       const uint32_t *dimension, char *message, size_t size)
{
    *npy = (sn_npy){.row_bytes = types[type].bytes};
    size_t length = 0;
    for (uint32_t i = 0; i < dimension_count; ++i) {
        bool fits = npy->row_bytes <= UINT64_MAX / 2 / (dimension[i] ? dimension[i] : 1);
        if (i + 1 >= SN_NPY_MOST_DIMENSIONS || length + 16 > sizeof npy->inner || !fits) {
            snprintf(message, size, "%s: an array of too many dimensions or too large a row", path);
            return false;
        }
        npy->row_bytes *= dimension[i];
        length += (size_t)snprintf(npy->inner + length, sizeof npy->inner - length, ", %" PRIu32, dimension[i]);
    }
    if (!dimension_count)
        strcpy(npy->inner, ","); /* Python writes a tuple of one item with a comma */
    text dictionary = {0};
    add_text(&dictionary, "{'descr': '");
    add_text(&dictionary, types[type].name);
    add_text(&dictionary, "'");
    return open_file(npy, path, &dictionary, message, size);
}

bool sn_npy_open_table(sn_npy *npy, const char *path, uint32_t field_count, const sn_npy_field *field, char *message,
                       size_t size)
{
    *npy = (sn_npy){.inner = ","};
    text dictionary = {0};
    add_text(&dictionary, "{'descr': [");
    for (uint32_t i = 0; i < field_count; ++i) {
        add_text(&dictionary, i ? ", (" : "(");
        add_literal(&dictionary, field[i].name);
        add_text(&dictionary, ", '");
        add_text(&dictionary, types[field[i].type].name);
        add_text(&dictionary, "')");
        npy->row_bytes += types[field[i].type].bytes;
    }
    add_text(&dictionary, "]");
    return open_file(npy, path, &dictionary, message, size);
}

bool sn_npy_row(sn_npy *npy, char *message, size_t size)
{
    uint64_t expected = npy->head_bytes + (npy->rows + 1) * npy->row_bytes;
    if (npy->file.length != expected)
        snprintf(message, size, "%s: a row of the wrong size: the file would have %" PRIu64 " bytes, expected %" PRIu64,
                 npy->file.path, npy->file.length, expected);
    else if (sn_file_keep(&npy->file, message, size) && put_shape(npy, npy->rows + 1, message, size)) {
        ++npy->rows;
        return true;
    }
    sn_npy_keep(npy, npy->rows, NULL, 0);
    return false;
}

bool sn_npy_keep(sn_npy *npy, uint64_t rows, char *message, size_t size)
{
    if (rows < npy->rows)
        npy->rows = rows;
    sn_file_cut(&npy->file, npy->head_bytes + npy->rows * npy->row_bytes);
    return put_shape(npy, npy->rows, message, size);
}

bool sn_npy_close(sn_npy *npy, char *message, size_t size)
{
    return sn_file_close(&npy->file, message, size);
}

/* ---- Reading: a dictionary of Python literals -------------------------------------------------------------------- */

typedef struct cursor {
    const char *at, *end;
} cursor;

static char next(cursor *c) /* the next character that is no space, without consuming it; 0 at the end */
{
    while (c->at < c->end && strchr(" \t\r\n", *c->at) && *c->at)
        ++c->at;
    return c->at < c->end ? *c->at : 0;
}

static bool accept(cursor *c, char expected)
{
    if (!expected || next(c) != expected)
        return false;
    ++c->at;
    return true;
}

static bool read_string(cursor *c, cursor *inside)
{
    char quote = next(c);
    if (quote != '\'' && quote != '"')
        return false;
    inside->at = ++c->at;
    while (c->at < c->end && *c->at != quote)
        c->at += *c->at == '\\' && c->at + 1 < c->end ? 2 : 1;
    inside->end = c->at;
    return accept(c, quote);
}

static bool is_text(cursor c, const char *expected)
{
    size_t length = strlen(expected);
    return (size_t)(c.end - c.at) == length && memcmp(c.at, expected, length) == 0;
}

static bool read_count(cursor *c, uint64_t *count)
{
    if (next(c) < '0' || *c->at > '9')
        return false;
    for (*count = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; ++c->at) {
        if (*count > (UINT64_MAX - 9) / 10)
            return false;
        *count = *count * 10 + (uint64_t)(*c->at - '0');
    }
    return true;
}

/* Reads a tuple of counts; capacity 0 only counts them. */
static bool read_shape(cursor *c, uint64_t *dimension, uint32_t capacity, uint32_t *count)
{
    *count = 0;
    if (!accept(c, '('))
        return false;
    while (!accept(c, ')')) {
        if (*count == capacity || !read_count(c, &dimension[(*count)++]))
            return false;
        if (next(c) != ')' && !accept(c, ','))
            return false;
    }
    return true;
}

/* The size of a type: "<f4" has 4 bytes, a string four for each character. 0: unknown (objects, times). */
static uint64_t type_bytes(cursor type)
{
    uint64_t bytes;
    cursor digits = {type.at + 2, type.end};
    if (type.end - type.at < 3 || !strchr("<>|=", type.at[0]) || !strchr("biufcSUV?", type.at[1]) ||
        !read_count(&digits, &bytes) || digits.at != digits.end || bytes > UINT32_MAX)
        return 0;
    return type.at[1] == 'U' ? 4 * bytes : bytes;
}

/* Reads ('name', '<f4') or ('name', '<f4', (3,)); *bytes 0: unknown. */
static bool read_field(cursor *c, uint64_t *bytes)
{
    cursor name, type;
    if (!accept(c, '(') || !read_string(c, &name) || !accept(c, ',') || !read_string(c, &type))
        return false;
    *bytes = type_bytes(type);
    if (accept(c, ',') && next(c) == '(') {
        uint64_t dimension[SN_NPY_MOST_DIMENSIONS];
        uint32_t count;
        if (!read_shape(c, dimension, SN_NPY_MOST_DIMENSIONS, &count))
            return false;
        for (uint32_t i = 0; i < count; ++i)
            *bytes = dimension[i] <= UINT32_MAX && *bytes <= UINT32_MAX ? *bytes * dimension[i] : 0;
    }
    return accept(c, ')');
}

static bool read_type(cursor *c, sn_npy_info *info)
{
    next(c);
    const char *start = c->at;
    cursor plain;
    bool known = true;
    if (!accept(c, '[')) {
        if (!read_string(c, &plain))
            return false;
        info->item_bytes = type_bytes(plain);
    } else {
        while (!accept(c, ']')) {
            uint64_t bytes;
            if (!read_field(c, &bytes) || (next(c) != ']' && !accept(c, ',')))
                return false;
            known = known && bytes && bytes <= UINT32_MAX && info->item_bytes <= UINT32_MAX;
            info->item_bytes += bytes;
            ++info->field_count;
        }
        if (!known)
            info->item_bytes = 0;
    }
    size_t length = (size_t)(c->at - start);
    length = length < sizeof info->type ? length : sizeof info->type - 1;
    memcpy(info->type, start, length);
    return true;
}

static bool read_dictionary(cursor c, sn_npy_info *info)
{
    unsigned found = 0;
    if (!accept(&c, '{'))
        return false;
    while (!accept(&c, '}')) {
        cursor key;
        if (!read_string(&c, &key) || !accept(&c, ':'))
            return false;
        unsigned which = is_text(key, "descr") ? 1 : is_text(key, "fortran_order") ? 2 : is_text(key, "shape") ? 4 : 0;
        if (!which || (found & which))
            return false;
        found |= which;
        if (which == 1 && !read_type(&c, info))
            return false;
        if (which == 4 && !read_shape(&c, info->dimension, SN_NPY_MOST_DIMENSIONS, &info->dimension_count))
            return false;
        if (which == 2) {
            info->fortran_order = next(&c) == 'T';
            const char *word = info->fortran_order ? "True" : "False";
            for (; *word; ++word)
                if (c.at == c.end || *c.at++ != *word)
                    return false;
        }
        if (next(&c) != '}' && !accept(&c, ','))
            return false;
    }
    return found == 7 && !next(&c);
}

/* The bytes of one row: all items from the second dimension on. False if the product overflows. */
static bool row_size(const sn_npy_info *info, uint64_t *bytes)
{
    *bytes = info->item_bytes;
    for (uint32_t i = 1; i < info->dimension_count; ++i) {
        if (info->dimension[i] && *bytes > UINT64_MAX / info->dimension[i])
            return false;
        *bytes *= info->dimension[i];
    }
    return true;
}

static bool check_size(const char *path, sn_npy_info *info, uint64_t head, char *message, size_t size)
{
    if (!info->item_bytes) /* the size of the type is unknown */
        return true;
    uint64_t row, rows = info->dimension_count ? info->dimension[0] : 1, data = info->bytes - head;
    if (!row_size(info, &row) || (row && rows > data / row)) {
        snprintf(message, size,
                 "%s: truncated: has %" PRIu64 " bytes after its head, too few for what the head promises", path, data);
        return false;
    }
    info->unfinished = data - rows * row;
    if (info->unfinished > row) { /* part of the next row may have been written already */
        snprintf(message, size, "%s: has %" PRIu64 " bytes after its head, but its shape takes only %" PRIu64, path,
                 data, rows * row);
        return false;
    }
    return true;
}

static bool check_head(const char *path, const unsigned char *head, size_t count, uint32_t *before, size_t *length,
                       char *message, size_t size)
{
    if (count < 8 || memcmp(head, magic, sizeof magic) != 0) {
        snprintf(message, size, "%s: not a NumPy file: does not start with \\x93NUMPY and a version", path);
        return false;
    }
    if (head[6] < 1 || head[6] > 3 || head[7] != 0) {
        snprintf(message, size, "%s: a NumPy file of version %d.%d, expected 1.0, 2.0 or 3.0", path, head[6], head[7]);
        return false;
    }
    *before = head[6] == 1 ? 10 : 12;
    *length = 0;
    for (uint32_t i = 8; i < *before && i < count; ++i)
        *length |= (size_t)head[i] << 8 * (i - 8);
    return true;
}

static bool read_head(const char *path, const unsigned char *head, size_t count, sn_npy_info *info, char *message,
                      size_t size)
{
    uint32_t before;
    size_t length;
    if (!check_head(path, head, count, &before, &length, message, size))
        return false;
    info->version = head[6];
    if (before + length > MOST_HEAD) {
        snprintf(message, size, "%s: a head of %llu bytes, expected at most %llu", path, (unsigned long long)length,
                 (unsigned long long)MOST_HEAD);
        return false;
    }
    if (count < before + length) {
        snprintf(message, size, "%s: truncated: has %llu bytes, and the head takes %llu", path,
                 (unsigned long long)count, (unsigned long long)(before + length));
        return false;
    }
    cursor dictionary = {(const char *)head + before, (const char *)head + before + length};
    if (!read_dictionary(dictionary, info)) {
        snprintf(message, size, "%s: the head is not a dictionary with descr, fortran_order and shape", path);
        return false;
    }
    return check_size(path, info, before + length, message, size);
}

bool sn_npy_read_header(const char *path, sn_npy_info *info, char *message, size_t size)
{
    *info = (sn_npy_info){0};
    unsigned char *head = malloc(MOST_HEAD);
    if (!head) {
        snprintf(message, size, "%s: cannot be read: %s", path, strerror(ENOMEM));
        return false;
    }
    size_t count;
    bool read = sn_file_head(path, head, MOST_HEAD, &count, &info->bytes, message, size) &&
                read_head(path, head, count, info, message, size);
    free(head);
    return read;
}
