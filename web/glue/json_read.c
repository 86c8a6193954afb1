/* JSON text to document, without a library: jansson is not to be had in WebAssembly, and the parsers of JavaScript forget where
   things stood, take the last of two equal keys and put keys that are numbers first. Says the same as scene/json_read.c of the
   same texts; tests/scene/test_json.c holds both to that. */
#include "scene/json_words.h"

#include <stdlib.h>
#include <string.h>

typedef struct reading {
    sn_json_text of;
    sn_document *document;
    sn_arena scratch; /* texts without their escapes, numbers of a list; given back at the end */
    size_t at;        /* the next byte */
    uint32_t depth;
} reading;

/* A text of the file, without its escapes, and where it stands. */
typedef struct token {
    char *text;
    size_t start, end;
} token;

static bool out_of_memory(const reading *reader)
{
    *reader->of.place = (sn_place){0, 0};
    return sn_json_fail(&reader->of, "out of memory");
}

/* The next byte that is not space; 0 at the end, and there is no other 0. */
static char next(reading *reader)
{
    while (reader->at < reader->of.length && sn_json_is_one_of(reader->of.text[reader->at], " \t\r\n"))
        ++reader->at;
    return reader->at < reader->of.length ? reader->of.text[reader->at] : 0;
}

/* Something else was expected here. */
static bool unexpected(reading *reader, const char *expected)
{
    if (next(reader) == 0) {
        bool comma = sn_json_byte_before(&reader->of, reader->of.length) == ',';
        return sn_json_explain_end(&reader->of, strncmp(expected, "a key in", 8) != 0 ? expected
                                                : comma                               ? "a key"
                                                                                      : "a key or }");
    }
    sn_json_set_offset(&reader->of, reader->at);
    return sn_json_explain_token(&reader->of, reader->at, expected);
}

/* ---- Texts --------------------------------------------------------------------------------------------------------------- */

/* How many of the four digits of \u, at an offset, there are. */
static size_t hex_digits(const reading *reader, size_t at)
{
    size_t count = 0;
    while (count < 4 && at + count < reader->of.length &&
           sn_json_is_one_of(reader->of.text[at + count], "0123456789abcdefABCDEF"))
        ++count;
    return count;
}

/* What is wrong with an escape that sn_unescape does not understand. */
static bool bad_escape(const reading *reader, size_t start, size_t at)
{
    const char *text = reader->of.text;
    size_t left = reader->of.length - at;
    if (left < 2)
        return sn_json_explain_flaw(&reader->of, SN_JSON_OPEN, start);
    if (text[at + 1] != 'u' || hex_digits(reader, at + 2) < 4)
        return sn_json_explain_flaw(&reader->of, SN_JSON_ESCAPE, at + 1);
    bool zero = memcmp(text + at + 2, "0000", 4) == 0;
    return sn_json_explain_flaw(&reader->of, zero ? SN_JSON_ZERO : SN_JSON_HALF_PAIR, start);
}

/* Where the text ends that begins with the quote at an offset: at its closing quote, or, if it has none, at the end. */
static size_t closing_quote(const reading *reader, size_t start)
{
    size_t end = start + 1;
    while (end < reader->of.length && reader->of.text[end] != '"')
        end += reader->of.text[end] == '\\' ? 2 : 1;
    return end < reader->of.length ? end : reader->of.length;
}

static bool read_token(reading *reader, token *out)
{
    const char *text = reader->of.text;
    size_t start = reader->at, end = closing_quote(reader, start), used = 0;
    char *plain = sn_arena_take(&reader->scratch, end - start + 4, 1);
    if (!plain)
        return out_of_memory(reader);
    for (const char *at = text + start + 1; at < text + end;) {
        size_t offset = (size_t)(at - text);
        if (*at == '\n' || *at == '\r')
            return sn_json_explain_flaw(&reader->of, SN_JSON_LINE_BREAK, offset);
        if ((unsigned char)*at < 0x20)
            return sn_json_explain_flaw(&reader->of, SN_JSON_CONTROL, offset);
        char bytes[4] = {0};
        size_t count = sn_unescape(&at, text + end, bytes);
        if (count == 0)
            return bad_escape(reader, start, offset);
        if (!bytes[0])
            return sn_json_explain_flaw(&reader->of, SN_JSON_ZERO, start);
        memcpy(plain + used, bytes, count);
        used += count;
    }
    if (end == reader->of.length)
        return sn_json_explain_flaw(&reader->of, SN_JSON_OPEN, start);
    plain[used] = 0;
    *out = (token){plain, start, end + 1};
    reader->at = end + 1;
    return true;
}

/* ---- Numbers ------------------------------------------------------------------------------------------------------------- */

static size_t skip_digits(const reading *reader, size_t at)
{
    while (at < reader->of.length && reader->of.text[at] >= '0' && reader->of.text[at] <= '9')
        ++at;
    return at;
}

static bool is_at(const reading *reader, size_t at, const char *set)
{
    return at < reader->of.length && sn_json_is_one_of(reader->of.text[at], set);
}

/* The end of the number that begins at an offset; 0 if it is none. *point is where its point is, *power its e. */
static size_t scan_number(const reading *reader, size_t start, size_t *point, size_t *power)
{
    size_t at = start + is_at(reader, start, "-"), digits = at;
    at = skip_digits(reader, at);
    if (at == digits || (at > digits + 1 && reader->of.text[digits] == '0'))
        return 0;
    *point = *power = 0;
    if (is_at(reader, at, ".")) {
        *point = at;
        at = skip_digits(reader, at + 1);
        if (at == *point + 1)
            return 0;
    }
    if (is_at(reader, at, "eE")) {
        *power = at;
        at += 1 + is_at(reader, at + 1, "+-");
        digits = at;
        at = skip_digits(reader, at);
        if (at == digits)
            return 0;
    }
    return is_at(reader, at, "+-.eE") ? 0 : at;
}

#define MOST_POWER 1000000000

/* strtod without the point, which would be another one in some locales: "12.5e3" as "125e2". */
static bool convert(reading *reader, size_t start, size_t end, size_t point, size_t power, double *number)
{
    const char *text = reader->of.text;
    size_t mantissa = power ? power : end, used = 0;
    char few[64], *digits = few;
    if (end - start + 24 > sizeof few && !(digits = sn_arena_take(&reader->scratch, end - start + 24, 1)))
        return out_of_memory(reader);
    for (size_t i = start; i < mantissa; ++i)
        if (i != point || !point)
            digits[used++] = text[i];
    double exponent = point ? -(double)(mantissa - point - 1) : 0;
    if (power) {
        bool negative = text[power + 1] == '-';
        double written = 0;
        for (size_t i = power + 1 + is_at(reader, power + 1, "+-"); i < end; ++i)
            written = written < MOST_POWER ? written * 10 + (text[i] - '0') : written;
        exponent += negative ? -written : written;
    }
    exponent = exponent > MOST_POWER ? MOST_POWER : exponent < -MOST_POWER ? -MOST_POWER : exponent;
    snprintf(digits + used, 20, "e%d", (int)exponent);
    *number = strtod(digits, NULL);
    return true;
}

static bool read_number(reading *reader, double *number)
{
    size_t start = reader->at, point, power, end = scan_number(reader, start, &point, &power);
    if (!end)
        return unexpected(reader, "a value");
    if (!convert(reader, start, end, point, power, number))
        return false;
    bool integer = !point && !power;
    /* an integer just beyond the limit is rounded to it */
    bool above = *number > (double)SN_INTEGER_LIMIT || *number < -(double)SN_INTEGER_LIMIT;
    if (integer && !above && (*number == (double)SN_INTEGER_LIMIT || *number == -(double)SN_INTEGER_LIMIT))
        above = strncmp(reader->of.text + end - 16, "9007199254740992", 16) != 0;
    if ((integer && above) || !isfinite(*number))
        return sn_json_explain_number(&reader->of, integer, start, end);
    reader->at = end;
    return true;
}

static bool begins_number(char c)
{
    return (c >= '0' && c <= '9') || c == '-';
}

/* ---- Values -------------------------------------------------------------------------------------------------------------- */

/* The place of a key in a record, for what the document refuses; start 0: the value is in no record. */
static bool refused(const reading *reader, const sn_value *parent, const token *key)
{
    if (key && parent && sn_value_find(parent, key->text))
        return sn_json_explain_duplicate(&reader->of, key->start, key->end);
    return out_of_memory(reader);
}

static bool read_value(reading *reader, sn_value *parent, const token *key);

static bool enter(reading *reader)
{
    if (reader->depth >= SN_DOCUMENT_DEPTH) {
        sn_json_set_offset(&reader->of, reader->at);
        return sn_json_explain_depth(&reader->of);
    }
    ++reader->depth;
    ++reader->at;
    return true;
}

/* Numbers at the start of a list. They stop at the end of the list, or before what is no number; *more: a comma came before
   that. */
typedef struct numbers {
    double *data;
    size_t count, capacity;
    bool more;
} numbers;

static bool read_numbers(reading *reader, numbers *list)
{
    for (;;) {
        list->more = list->count > 0;
        if (list->count && next(reader) != ',') {
            list->more = false;
            return true;
        }
        reader->at += list->count > 0;
        if (!begins_number(next(reader)))
            return true;
        if (list->count == list->capacity) {
            size_t capacity = list->capacity ? 2 * list->capacity : 16;
            double *data = sn_arena_take(&reader->scratch, capacity, sizeof *data);
            if (!data)
                return out_of_memory(reader);
            if (list->count)
                memcpy(data, list->data, list->count * sizeof *data);
            list->data = data;
            list->capacity = capacity;
        }
        if (!read_number(reader, &list->data[list->count]))
            return false;
        ++list->count;
    }
}

/* Items up to the bracket. first: none has come yet; comma: one has, and a comma after it. */
static bool read_items(reading *reader, sn_value *list, bool first, bool comma)
{
    while (next(reader) != ']' || comma) {
        if (!first && !comma) {
            if (next(reader) != ',')
                return unexpected(reader, "a comma or ]");
            ++reader->at;
        }
        if (!read_value(reader, list, NULL))
            return false;
        first = comma = false;
        if (next(reader) == ',') {
            ++reader->at;
            comma = true;
        }
    }
    ++reader->at;
    return true;
}

static bool read_list(reading *reader, sn_value *parent, const token *key)
{
    const char *name = key ? key->text : NULL;
    numbers list = {0};
    if (!enter(reader) || !read_numbers(reader, &list))
        return false;
    if (list.count && !list.more && next(reader) == ']') {
        ++reader->at;
        --reader->depth;
        return sn_document_numbers(reader->document, parent, name, (uint32_t)list.count, list.data, NULL) ||
               refused(reader, parent, key);
    }
    sn_value *made = sn_document_list(reader->document, parent, name);
    if (!made)
        return refused(reader, parent, key);
    for (size_t i = 0; i < list.count; ++i)
        if (!sn_document_number(reader->document, made, NULL, list.data[i]))
            return out_of_memory(reader);
    if (!read_items(reader, made, list.count == 0, list.more))
        return false;
    --reader->depth;
    return true;
}

static bool read_record(reading *reader, sn_value *parent, const token *key)
{
    if (!enter(reader))
        return false;
    sn_value *record = sn_document_record(reader->document, parent, key ? key->text : NULL);
    if (!record)
        return refused(reader, parent, key);
    for (bool comma = false; comma || next(reader) != '}';) {
        token name;
        if (next(reader) != '"')
            return unexpected(reader, comma                ? "a key in double quotes"
                                      : record->count == 0 ? "a key in double quotes or }"
                                                           : "a comma or }");
        if (record->count && !comma)
            return unexpected(reader, "a comma or }");
        if (!read_token(reader, &name))
            return false;
        if (next(reader) != ':')
            return unexpected(reader, "a colon");
        ++reader->at;
        if (!read_value(reader, record, &name))
            return false;
        comma = next(reader) == ',';
        reader->at += comma;
    }
    ++reader->at;
    --reader->depth;
    return true;
}

static bool read_text(reading *reader, sn_value *parent, const token *key)
{
    token value;
    return read_token(reader, &value) &&
           (sn_document_text(reader->document, parent, key ? key->text : NULL, value.text) ||
            refused(reader, parent, key));
}

static bool read_plain(reading *reader, sn_value *parent, const token *key)
{
    static const char *const words[] = {"false", "true", "null"};
    const char *name = key ? key->text : NULL, *text = reader->of.text + reader->at;
    size_t length = sn_json_word_length(&reader->of, reader->at);
    double number;
    for (int i = 0; i < 3; ++i) {
        if (length != strlen(words[i]) || memcmp(text, words[i], length) != 0)
            continue;
        reader->at += length;
        return (i == 2 ? sn_document_null(reader->document, parent, name)
                       : sn_document_truth(reader->document, parent, name, i == 1)) ||
               refused(reader, parent, key);
    }
    if (!begins_number(next(reader)))
        return unexpected(reader, "a value");
    return read_number(reader, &number) &&
           (sn_document_number(reader->document, parent, name, number) || refused(reader, parent, key));
}

static bool read_value(reading *reader, sn_value *parent, const token *key)
{
    switch (next(reader)) {
    case '[':
        return read_list(reader, parent, key);
    case '{':
        return read_record(reader, parent, key);
    case '"':
        return read_text(reader, parent, key);
    default:
        return read_plain(reader, parent, key);
    }
}

static bool read_all(reading *reader)
{
    if (next(reader) == 0)
        return sn_json_fail(&reader->of, "the file is empty: expected a value");
    if (!read_value(reader, NULL, NULL))
        return false;
    return next(reader) == 0 || sn_json_explain_rest(&reader->of, reader->at);
}

bool sn_json_read(sn_document *document, const char *text, size_t length, sn_place *place, char *message, size_t size)
{
    sn_place unused;
    reading reader = {.of = {text, length, place ? place : &unused, message, size}, .document = document};
    *reader.of.place = (sn_place){0, 0};
    if (document->root || document->failed)
        return sn_json_fail(&reader.of, "the document is not empty");
    reader.at = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    sn_arena_init(&reader.scratch, &document->arena.allocator);
    bool good = sn_json_check_bytes(&reader.of) && read_all(&reader);
    sn_arena_release(&reader.scratch);
    if (!good)
        sn_document_release(document);
    return good;
}
